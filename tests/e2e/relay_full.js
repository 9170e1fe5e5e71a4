// A hub whose disk is full, and one that keeps too little: nothing is lost of what waits here, what is lost there is counted,
// and both are said.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const { Report, until } = require('./harness');
const { lacking, apart, Host, Hub } = require('./hub');
const { Nats } = require('./nats');

const DISK = 2 << 20;

async function main() {
  const report = new Report();
  const why = lacking();
  const mounts = Boolean(process.env.RELAY_NAMESPACE);
  if (!why && !mounts) {
    const child = apart(__filename, '', 'mount -t tmpfs none /mnt');
    if (child) { child.on('exit', (code) => process.exit(code ?? 1)); return; }
  }
  if (why) {
    report.skip('a full hub', why);
    report.finish();
    return;
  }
  const hub = await new Hub({ disk: mounts ? DISK : 0 }).place();
  const [laptop, agent] = ['laptop', 'agent'].map((name) => new Host(name).enable(hub.url));
  const heard = () => { const r = agent.ptyd('blocks', '--host', 'laptop', '--last', '1000', '--json'); return r.status ? [] : JSON.parse(r.stdout).map(({ cmd }) => cmd); };
  const run = (cmd) => assert.strictEqual(laptop.ptyd('run', '-s', 'work', '--', cmd).status, 0);
  const wanted = [];
  const say = (name, count) => { for (let i = 0; i < count; i++) { run(`echo ${name} ${i}`); wanted.push(`echo ${name} ${i}`); } };
  hub.members.push(laptop, agent);
  await hub.start();
  hub.init();
  for (const host of [laptop, agent]) { await host.serve(); await host.relay().connected(); }
  laptop.ptyd('open', 'work');
  say('before', 3);
  await until('it comes', () => heard().length === 3);

  if (mounts)
    await report.test('the hub\'s disk is full: status says since when and why, and with room and a new server all of it comes, once, in order', async () => {
      hub.fill();
      const began = Date.now();
      say('full', 10); // a page of its files that is begun takes a few
      const { stuck_ms: since } = await until('that is said', () => laptop.status().stuck_ms && laptop.status());
      assert.ok(since >= began && since < began + 5000, `${since - began} ms behind the first command`);
      assert.match(laptop.ptyd('relay', 'status').stdout, /^Hub .*: connected[^]*^It keeps nothing since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d: (the hub has not acknowledged a command within 10 s: it stands still, its disk is full \(ptyd-relay\(7\), WHEN THE HUB'S DISK IS FULL\), or its owner has yet to make the stream \(`ptyd relay hub --init`\)|the hub refuses a command: .*no space left on device)\n\d+ commands wait to be sent, the oldest for/m);
      hub.empty();
      console.log(`# it took ${await hub.end(2000)} to end it`);
      await hub.start();
      await until('all of it came', () => heard().length >= wanted.length);
      assert.deepStrictEqual(heard(), wanted);
      await until('nothing is stuck', () => { const s = laptop.status(); return !s.stuck_ms && s.stuck === null && s.connected && s.spool === 0; });
      assert.doesNotMatch(laptop.ptyd('relay', 'status').stdout, /keeps nothing/);
      assert.deepStrictEqual((({ missing, clashes }) => [missing, clashes])((await agent.control.call('host.list', {})).result[0]), [0, 0]);
    });
  else report.skip('a full disk', 'no mount namespace can be made here');

  // Two reasons for which a hub drops what nobody took: as many as it keeps of a session, and as long.
  for (const [name, limit] of [['many', { max_msgs_per_subject: 5 }], ['old', { max_age: 1e9, duplicate_window: 1e9 }]])
    await report.test(`away while the hub drops what is too ${name}: how many is said in status, hosts and to the agent, once`, async () => {
      await agent.stop();
      const owner = await new Nats().open(hub.port, fs.readFileSync(hub.ownerFile, 'utf8').trim(), hub.owner);
      await owner.subscribe('_INBOX.x', 1);
      const ask = async (verb, body) => { owner.messages.length = 0; await owner.publish(`$JS.API.STREAM.${verb}.PTYD_dana`, JSON.stringify(body), '_INBOX.x'); return JSON.parse((await until('an answer', () => owner.messages[0])).data); };
      const { config } = await ask('INFO', {}), before = (await agent.control.call('host.list', {})).result[0];
      assert.strictEqual((await ask('UPDATE', { ...config, ...limit })).error, undefined);
      for (let i = 0; i < 12; i++) run(`echo ${name} ${i}`);
      await until('all of it is sent', () => { const s = laptop.status(); return s.spool === 0 && s.unacked === 0; });
      if (limit.max_age) await until('it is dropped', async () => (await ask('INFO', {})).state.messages === 0);
      assert.strictEqual((await ask('UPDATE', config)).error, undefined);
      run(`echo ${name} last`);
      await agent.relay().connected();
      await until('the last comes', () => heard().includes(`echo ${name} last`));
      const came = heard().filter((cmd) => cmd.startsWith(`echo ${name} `)), lost = 13 - came.length;
      assert.strictEqual(lost, limit.max_age ? 12 : 12 - limit.max_msgs_per_subject);
      const { missing } = (await agent.control.call('host.list', {})).result[0];
      assert.strictEqual(missing, before.missing + lost);
      assert.strictEqual(agent.status().hosts[laptop.host_id].missing, missing);
      assert.match(agent.ptyd('relay', 'status').stdout, new RegExp(`laptop \\([0-9a-f]{16}\\): .*; ${missing} fell out of what the hub keeps, and never came$`, 'm'));
      assert.match(agent.ptyd('hosts').stdout, new RegExp(`^laptop .*; ${missing} of its commands fell out of what the hub keeps, and never came here$`, 'm'));
      assert.match(agent.ptyd('context', 'show').stdout, new RegExp(`${came[0]}[^]*lost: ${lost} commands before it never came here`));
      const { result } = await agent.control.call('context.show', { consumer: 'codex:t' });
      const told = Object.values(result.additionalContext).map(({ value }) => JSON.parse(value)).filter(({ cmd }) => came.includes(cmd)).map(({ missed_before: m }) => m);
      assert.deepStrictEqual(told, [lost, ...Array(came.length - 1).fill(undefined)]);
      assert.match((await agent.control.call('context.show', { consumer: 'codex:t', format: 'text' })).result.text, new RegExp(`on laptop in .*, ${lost} commands there before it never came here`));
      owner.socket.destroy();
    });

  await report.test('the daemon ends cleanly', async () => {
    for (const host of [laptop, agent]) await host.close();
    await hub.close();
  });
  report.finish();
}

main();
