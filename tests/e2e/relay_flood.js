// A server that is no hub, and says more than it was asked for while the relay waits for its daemon: what is held of it is
// bounded, requests of others beyond that are dropped, and the terminal waits for nothing.
'use strict';
const assert = require('node:assert');
const net = require('node:net');
const { Report, until } = require('./harness');
const { lacking, Host } = require('./hub');

const HELD = 1024; // base/limits.h's LIMIT_RELAY_HELD; of what is waited for four times as many

// As much of the protocol (https://docs.nats.io/reference/reference-protocols/nats-protocol) as a relay needs to be connected.
// `hello` is called with a client once it has said that it is there.
function server(hello) {
  const all = { clients: [], published: [] };
  const take = (client, line) => {
    const [verb, ...words] = line.split(' ');
    if (verb === 'PING') client.socket.write('PONG\r\n');
    if (verb === 'SUB') client.subscribed[words[0]] = words[words.length - 1];
    if (verb !== 'PUB' && verb !== 'HPUB') return 0;
    all.published.push(words[0]);
    if (/^ptyd\.rpc\./.test(words[0])) hello(client);
    return Number(words[words.length - 1]) + 2;
  };
  const listener = net.createServer((socket) => {
    const client = { socket, subscribed: {}, send: (subject, reply, n) => { let text = ''; for (let i = 0; i < n; i++) text += `MSG ${subject.replace('>', `x.${i}`)} ${client.subscribed[subject]} ${reply}${reply ? `.${i} ` : ''}2\r\n{}\r\n`; socket.write(text); } };
    let rest = Buffer.alloc(0);
    all.clients.push(client);
    socket.on('error', () => {});
    socket.write(`INFO ${JSON.stringify({ server_id: 'x', version: '2.9.10', proto: 1, headers: true, max_payload: 1 << 20, nonce: 'abcdefghijk' })}\r\n`);
    socket.on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      for (let end; (end = rest.indexOf('\r\n')) >= 0;) {
        const skip = /^H?PUB /.test(rest.subarray(0, 5)) ? Number(rest.subarray(0, end).toString().split(' ').pop()) + 2 : 0;
        if (rest.length < end + 2 + skip) return;
        const line = rest.subarray(0, end).toString();
        rest = rest.subarray(end + 2 + skip);
        take(client, line);
      }
    });
  });
  return new Promise((resolve) => listener.listen(0, '127.0.0.1', () => resolve(Object.assign(all, { listener, url: `nats://127.0.0.1:${listener.address().port}` }))));
}

async function main() {
  const report = new Report();
  const why = lacking();
  if (why) {
    report.skip('a flood', why);
    report.finish();
    return;
  }
  let act = () => {};
  const hub = await server((client) => act(client));
  const host = await new Host('laptop').enable(hub.url).serve();
  const inbox = `_INBOX.${host.host_id}.`, requests = `ptyd.rpc.v1.dana.${host.host_id}`;
  const asker = (name) => `_INBOX.${name}.x.${host.host_id}.a`; // where who asks it wants its answers
  const answers = (client) => Object.keys(client.subscribed).find((s) => s.startsWith(inbox));
  const stopped = [host.daemon.process.pid, host.json('status').worker_pid];
  const still = async (body) => { // the relay asks the daemon what runs, and waits for that
    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
    try { await body(); } finally { for (const pid of stopped) process.kill(pid, 'SIGCONT'); }
  };

  await report.test('requests of others beyond what is held are dropped, and the connection stays', async () => {
    await still(async () => {
      let asked = 0;
      act = (client) => { if (!asked++) client.send(requests, asker('other'), 5 * HELD); };
      host.relay();
      await until('they were sent', () => asked);
      await until('it answers', () => hub.published.some((s) => s.startsWith('_INBOX.other.')));
    });
    const count = () => hub.published.filter((s) => s.startsWith('_INBOX.other.')).length;
    await until('all that it held are answered', () => {
      hub.clients[0].send(requests, asker('last'), 1); // behind them
      return hub.published.some((s) => s.startsWith('_INBOX.last.'));
    });
    assert.ok(count() >= HELD, `${count()}`);
    assert.ok(host.status().connected);
    assert.strictEqual(hub.clients.length, 1);
    assert.ok(count() < 2 * HELD, `${count()} answers of ${5 * HELD}`);
    await host.stop();
  });

  await report.test('a hub that says more than was asked for is heard no further, that is said, and it is tried again', async () => {
    const before = hub.clients.length;
    await still(async () => {
      let flooded = 0;
      act = (client) => { if (!flooded++) client.send(answers(client), '', 10 * HELD); };
      host.relay();
      await until('that is said', () => /the hub is gone: the hub sends more than it was asked for/.test(host.log()));
    });
    await until('it is connected again', () => hub.clients.length > before + 1 && host.status().connected);
  });

  await report.test('what is waited for is not dropped below that', async () => {
    await host.stop();
    const before = host.log().length;
    await still(async () => {
      let sent = 0;
      act = (client) => { if (!sent++) client.send(answers(client), '', 3 * HELD); };
      host.relay();
      await until('it was sent', () => sent);
    });
    await until('it is connected', () => host.status().connected);
    assert.doesNotMatch(host.log().slice(before), /the hub is gone/);
  });

  await report.test('the daemon ends cleanly', async () => {
    await host.close();
    for (const { socket } of hub.clients) socket.destroy();
    hub.listener.close();
  });
  report.finish();
}

main();
