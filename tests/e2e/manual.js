// ptyd-rpc(7) and the daemon: every method, parameter, notification, event and error is in both; answers have the members
// that are said. And requests with anything else in them: each is answered, says what is wrong, leaves nothing and stalls
// nobody. Usage: node manual.js
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { workspace, removeWorkspace, waitFor, Control, Daemon, Report, until } = require('./harness');

const top = path.resolve(__dirname, '../..');
const read = (file) => fs.readFileSync(path.join(top, file), 'utf8');
const sources = (folder) => fs.readdirSync(path.join(top, folder)).filter((name) => name.endsWith('.c')).map((name) => read(path.join(folder, name))).join('\n');
const sorted = (names) => [...new Set(names)].sort();
const words = (text, pattern) => sorted([...text.matchAll(pattern)].map(([, word]) => word));

const page = read('docs/ptyd-rpc.7');
const section = (name) => page.split(`.SH ${name}\n`)[1].split('\n.SH ')[0];
// {method: {takes: [parameters], text}}; what shares a head shares the text.
const METHODS = Object.fromEntries(section('METHODS').split('\n.TP\n').slice(0).flatMap((entry) => {
  const [, head, text] = /^(?:\.TP\n)?(\.BR? .*)\n([^]*)$/.exec(entry);
  const said = [...head.matchAll(/([a-z]+(?:\.[a-z]+)?)(?: "? ?[{(]([^})]*)[})]|$)/g)];
  return said.map(([, name, takes]) => [name, { text, head, takes: words(takes || '', /(\w+)(?=\?|,|$)/g).filter((w) => !['the', 'same', 'and'].includes(w)) }]);
}));

async function main() {
  const report = new Report();
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  const control = new Control(space.env.PTYD_SOCKET);
  const worker = sources('ptyd/worker');
  const table = words(read('ptyd/worker/methods.c').split('methods[] = {')[1].split('};')[0], /\{"([a-z.]+)"/g);
  daemon.ptyd('open', 'work');
  daemon.ptyd('run', '-s', 'work', '--', 'seq 3; false');

  await report.test('every method is in the manual, and no other', () => {
    assert.deepStrictEqual(sorted(Object.keys(METHODS)), table);
  });

  await report.test('every parameter that is read is in the manual, and no other', () => {
    const taken = words(worker, /\bparams, *"(\w+)"/g);
    const said = sorted(Object.values(METHODS).flatMap(({ takes }) => takes));
    assert.deepStrictEqual(taken.filter((name) => !said.includes(name)), [], 'read, not said');
    assert.deepStrictEqual(said.filter((name) => !worker.includes(`"${name}"`)), [], 'said, not read');
  });

  await report.test('every notification and event is in the manual, and no other', () => {
    assert.deepStrictEqual(words(worker, /client_notify\([^;]*?"([a-z.]+)"/g).filter((name) => !page.includes(name)), []);
    const events = words(section('EVENTS'), /^\.B ([a-z_, ]+)$/gm).flatMap((names) => names.split(', '));
    const told = words(`${worker}${sources('ptyd/ledger')}`, /"((?:agent_block|context|capture|baton|sessions|events)_[a-z]+)"/g);
    assert.deepStrictEqual(sorted(events), told);
  });

  await report.test('every error is in the manual, and no other', () => {
    const numbers = Object.fromEntries([...read('ptyd/core/rpc_error.h').matchAll(/(RPC_\w+) = (-\d+)/g)].map(([, name, number]) => [name, number]));
    const used = words(worker, /\b(RPC_[A-Z_]+)\b/g).filter((name) => numbers[name]).map((name) => numbers[name]);
    assert.deepStrictEqual(words(section('ERRORS'), /(-\d{5})/g), sorted(used));
  });

  await report.test('answers have the members that are said, and no other', async () => {
    for (const [method, params] of [
      ['session.open', { name: 'more' }], ['session.screen', { name: 'work' }], ['session.scrollback', { name: 'work' }],
      ['session.block', { name: 'work', block: '1' }], ['session.output', { name: 'work', block: '1' }], ['session.typed', { name: 'work', token: 5 }],
      ['session.input', { name: 'more', data: '' }], ['session.resize', { name: 'more', size: { cols: 80, rows: 24 } }], ['session.rename', { name: 'more', to: 'else' }], ['session.detach', { name: 'more' }],
      ['context.show', {}], ['context.clear', {}], ['context.pause', { paused: false }], ['context.explain', {}], ['mcp.serve', {}], ['baton.return', { name: 'work' }],
      ['status', {}], ['status.short', {}], ['session.close', { name: 'else' }]]) {
      const { result, error } = await control.ask(method, params);
      assert.ok(result, `${method}: ${JSON.stringify(error)}`);
      const text = METHODS[method].text.replace(/\\f./g, '');
      const said = (text.match(/\{[\w, ]+\}|\{[^{}]*\n[^{}]*\}/g) || []).flatMap((braces) => words(braces, /(\w+)/g));
      for (const key of Object.keys(result)) assert.ok(said.includes(key) || new RegExp(`\\b${key}\\b`).test(text), `${method} answers ${key}`);
    }
    const [session] = (await control.ask('session.list', {})).result;
    assert.deepStrictEqual(sorted(Object.keys(session)), words(/\{([\w, \n]+)\}/.exec(METHODS['session.list'].text)[1], /(\w+)/g));
  });

  await report.test('anything for any parameter: an answer that says what is wrong, nothing left, nobody kept waiting', async () => {
    const descriptors = () => fs.readdirSync(`/proc/${daemon.json('status').worker_pid}/fd`).length;
    const before = { open: descriptors(), list: daemon.json('list').map((s) => s.name), pid: daemon.json('status').worker_pid };
    const odd = [null, true, -1, 1.5, 1e300, 9007199254740993, '', '../../etc/passwd', 'a\0b', '\ud800', 'x'.repeat(300000), [], [[]], {}, { name: {} }, ['x'.repeat(1000)]];
    // What would end the daemon, or make something of nothing, is asked with one parameter that is odd alone.
    const needed = { 'daemon.upgrade': { token: 'x' }, forget: { token: 'x' }, 'session.open': { name: 'odd' } };
    let asked = 0;
    for (const [method, { takes }] of Object.entries(METHODS))
      for (const name of takes)
        for (const value of odd) {
          if (name === 'token' && method in needed && typeof value === 'number') continue; // no odd one
          const socket = net.connect(space.env.PTYD_SOCKET);
          const line = await new Promise((resolve) => {
            let said = '';
            socket.on('error', () => resolve(said));
            socket.on('close', () => resolve(said));
            socket.on('data', (data) => { said += data; if (said.includes('\n')) resolve(said); });
            const late = setTimeout(() => resolve('waits'), 300);
            late.unref();
            socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { name: 'missing', timeout_ms: 1, ...needed[method], [name]: value } })}\n`);
          });
          socket.destroy();
          asked += 1;
          if (line === 'waits') continue; // it may: for what never comes
          assert.ok(line, `${method} ${name} ${JSON.stringify(value)?.slice(0, 50)}: the connection was closed`);
          const { error, result, method: notified } = JSON.parse(line.split('\n')[0]);
          if (notified) continue;
          if (value === 'a\0b') assert.match(error?.message || '', new RegExp(`\\b${name}\\b`), `${method}: a name is not cut at its NUL`);
          assert.ok(result !== undefined || (error.code <= -32000 && error.message.length > 3), `${method} ${name} ${JSON.stringify(value)?.slice(0, 50)}: ${line.slice(0, 200)}`);
        }
    assert.ok(asked > 500, String(asked));
    for (const { name } of daemon.json('list').filter((s) => !before.list.includes(s.name))) daemon.ptyd('close', name);
    assert.strictEqual(daemon.json('status').worker_pid, before.pid, 'the same worker');
    await until('nothing is left', () => descriptors() <= before.open);
  });

  await report.test('10 MB in one request, or without an end: refused, and the next is served', async () => {
    const socket = net.connect(space.env.PTYD_SOCKET);
    let said = '';
    socket.on('error', () => {});
    socket.on('data', (data) => { said += data; });
    socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'session.screen', params: { name: 'x'.repeat(10 << 20) } })}\n`);
    socket.write('{"jsonrpc":"2.0","id":2,"method":"session.list","params":{}}\n');
    await until('both are answered', () => said.split('\n').length === 3);
    const [refused, served] = said.trim().split('\n').map((line) => JSON.parse(line));
    assert.match(refused.error.message, /long|MiB|bytes/);
    assert.ok(Array.isArray(served.result));
    socket.write('x'.repeat(10 << 20));
    assert.ok((await control.call('status', {})).result);
    socket.destroy();
  });

  await report.test('1,000 waits at once, from one that is answered and one that vanishes: others are served', async () => {
    const file = path.join(space.root, 'go');
    daemon.ptyd('send', '-s', 'work', `${waitFor(file)}\r`);
    await until('it runs', () => daemon.json('blocks', '-s', 'work').at(-1).status === 'running');
    const { result: { to } } = await control.ask('session.wait', { name: 'work' });
    const waits = () => Array.from({ length: 1000 }, (_, id) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'session.wait', params: { name: 'work', for: 'exit', from: to, timeout_ms: 600000 } })}\n`).join('');
    const sockets = [0, 1].map(() => net.connect(space.env.PTYD_SOCKET));
    let said = '';
    sockets[0].on('data', (data) => { said += data; });
    for (const socket of sockets) socket.write(waits());
    const begun = Date.now();
    assert.ok((await control.ask('status', {})).result);
    assert.ok(Date.now() - begun < 2000, `${Date.now() - begun} ms`);
    sockets[1].destroy();
    fs.writeFileSync(file, '');
    await until('all of the other are answered', () => said.split('\n').length === 1001);
    const answers = said.trim().split('\n').map((line) => JSON.parse(line));
    assert.deepStrictEqual(sorted(answers.map((a) => a.id)).length, 1000);
    assert.ok(answers.every((a) => a.result?.block?.status === 'completed' || a.error?.code === -32002), said.slice(0, 300));
    sockets[0].destroy();
  });

  control.socket?.destroy();
  await report.test('the daemon ends cleanly', async () => { assert.strictEqual((await daemon.stop()).code, 0); });
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
