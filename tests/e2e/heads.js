// What stands in front of a WebSocket: heads that are read in one way alone, hosts that are this one, bounds with names;
// and who says half of what he wants keeps nobody out. The server behind is one of ours.
'use strict';
const assert = require('node:assert');
const { spawn } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { PTYD, workspace, removeWorkspace, Report, until, socketsAt } = require('./harness');

const KEY = 'AAAAAAAAAAAAAAAAAAAAAA==';
const HALVES = 70;

// An app-server that agrees to every upgrade, and never says goodbye.
function agreeingServer(place) {
  const server = net.createServer({ allowHalfOpen: true }, (c) => {
    let head = '';
    server.all.add(c);
    c.on('error', () => {});
    c.on('data', (d) => {
      head += d;
      const key = /Sec-WebSocket-Key: (\S+)/.exec(head)?.[1];
      if (!head.includes('\r\n\r\n') || c.agreed) return;
      c.agreed = true;
      const accept = crypto.createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      c.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
    });
  });
  server.all = new Set();
  server.listen(place);
  return server;
}

const BASE = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${KEY}`];
const head = (...lines) => `${['GET / HTTP/1.1', ...lines, ...BASE].join('\r\n')}\r\n\r\n`;

// What is answered; '' where nothing is.
function say(where, bytes) {
  return new Promise((resolve) => {
    const socket = net.connect(where);
    let out = '';
    socket.on('data', (d) => { out += d; if (/^HTTP\/1\.1 101.*\r\n\r\n/s.test(out)) socket.destroy(); });
    socket.on('error', () => {});
    socket.on('close', () => resolve(out));
    socket.write(bytes);
  });
}

async function status(where, bytes) { return Number((await say(where, bytes)).split(' ')[1]); }

// Processes below one.
const children = (pid) => fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).length;

async function main() {
  const report = new Report();
  const space = workspace();
  const behind = path.join(space.root, 'server.sock'), unix = path.join(space.root, 'front/p');
  const server = agreeingServer(behind), port = 20000 + (process.pid % 12000), tcp = { host: '127.0.0.1', port };
  const start = (listen) => spawn(PTYD, ['proxy', '--listen', listen, '--connect', `unix://${behind}`], { env: space.env, stdio: 'ignore' });
  const proxies = [start(`unix://${unix}`), start(`ws://127.0.0.1:${port}`)];
  await until('the proxies listen', async () => socketsAt(unix).listens && await status(tcp, head('Host: localhost')) === 101);

  await report.test('an Origin is seen however it is written', async () => {
    for (const where of [unix, tcp]) {
      assert.strictEqual(await status(where, head('Host: localhost')), 101);
      assert.strictEqual(await status(where, head('Host: localhost', 'Origin: http://evil.example')), 403);
      const wrong = ['X: 1\r\n Origin: http://evil.example', 'X: 1\r\n\tOrigin: http://evil.example', 'X: 1\nOrigin: http://evil.example', 'X: 1\rOrigin: http://evil.example',
        'Origin\r\n : http://evil.example', 'Origin : http://evil.example', 'Origin\t: http://evil.example', ' Origin: http://evil.example', 'no header', ': nothing', 'O\x00rigin: x', 'Ori(gin: x'];
      for (const line of wrong) {
        const got = await status(where, head('Host: localhost', line));
        assert.ok(got === 400 || Number.isNaN(got), `${JSON.stringify(line)}: ${got}`);
      }
    }
  });

  await report.test('a Host of the web is not this one', async () => {
    for (const host of ['localhost', `localhost:${port}`, '127.0.0.1', `127.0.0.1:${port}`, '[::1]', `[::1]:${port}`, '192.168.1.2:80', 'devbox', 'LOCALHOST'])
      assert.strictEqual(await status(tcp, head(`Host: ${host}`)), 101, host);
    for (const host of ['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example', '127.0.0.1@evil.example', '[::1].evil.example', 'evil.example.', ''])
      assert.strictEqual(await status(tcp, head(`Host: ${host}`)), 403, host);
    assert.strictEqual(await status(tcp, head()), 403, 'none');
    assert.strictEqual(await status(tcp, head('Host: localhost', 'Host: evil.example')), 403, 'two');
    assert.strictEqual(await status(unix, head('Host: evil.example')), 101, 'no page reaches a Unix socket');
  });

  await report.test('a head of more than 16 KiB: 431, which says how much it may be', async () => {
    const sized = (bytes) => { const rest = bytes - head('Host: localhost', 'X: ').length; return head('Host: localhost', `X: ${'y'.repeat(rest)}`); };
    assert.strictEqual(await status(tcp, sized(16384)), 101);
    for (const bytes of [16385, 17 << 10, 20 << 10, 200 << 10]) {
      const answer = await say(tcp, sized(bytes));
      assert.match(answer, /^HTTP\/1\.1 431 /, bytes);
      assert.match(answer, /a head has 16 KiB at most/);
    }
    const endless = await say(tcp, `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'y'.repeat(17 << 10)}`);
    assert.match(endless, /^HTTP\/1\.1 431 /, 'one that has not come to its end');
  });

  await report.test(`${HALVES} half heads keep no good client out`, async () => {
    for (const [where, proxy] of [[unix, proxies[0]], [tcp, proxies[1]]]) {
      const halves = Array.from({ length: HALVES }, () => net.connect(where).on('error', () => {}));
      for (const half of halves) half.write('GET / HTTP/1.1\r\nHost: loc');
      await until('as many as may be wait', () => children(proxy.pid) >= 64);
      assert.strictEqual(await status(where, head('Host: localhost')), 101);
      assert.ok(children(proxy.pid) <= 65, `${children(proxy.pid)}: those that wait are bounded, and the good client's is one`);
      for (const half of halves) half.destroy();
      await until('they are gone', () => children(proxy.pid) === 0);
    }
  });

  await report.test('who hung up leaves no process, whatever the server does', async () => {
    for (const [where, proxy] of [[unix, proxies[0]], [tcp, proxies[1]]])
      for (const end of ['destroy', 'end', ...(where === tcp ? ['resetAndDestroy'] : [])]) {
        const client = net.connect(where).on('error', () => {});
        client.write(head('Host: localhost'));
        await new Promise((resolve) => client.once('data', resolve));
        assert.strictEqual(children(proxy.pid), 1);
        (client[end] || client.destroy).call(client);
        await until(`${end}: its process is gone`, () => children(proxy.pid) === 0);
      }
  });

  for (const proxy of proxies) proxy.kill('SIGTERM');
  server.close();
  for (const connection of server.all) connection.destroy();
  removeWorkspace(space);
  report.finish();
}

main();
