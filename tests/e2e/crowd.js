// 1,500 connections that want the worker's memory and time: what they hold is bounded over all of them, whoever is
// honest is answered meanwhile, and what was held is given back.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const net = require('node:net');
const { fork, spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, PTYD, until } = require('./harness');
const { Connection } = require('./connection');

const CROWD = 1500;
// Without a bound over all of them half lines took 460 MB, large answers 950 MB, and a flood let nobody else ask.
const MOST_MIB = 64, BACK_MIB = 8;
// An answer takes some 0.5 ms, and the worst 0.1 s, on two processors that others use, too.
const USUAL_MS = 1000, WORST_MS = 15000;
const HONEST_MS = 1500; // so long is asked

const request = (id, method, params = {}) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const LARGE = [['session.scrollback', { name: 'work' }], ['session.blocks', { name: 'work' }], ['session.screen', { name: 'work' }],
  ['session.wait', { name: 'work', from: 0, data: true }], ['session.scrollback', { name: 'work', agent: true }]];

// What each of the crowd sends, once or as long as it is taken, and whether it reads what it is answered.
const KINDS = {
  'half a line of each': { text: 'x'.repeat(300 << 10), once: true },
  'large answers, and nobody reads': { text: LARGE.map(([method, params], id) => request(id, method, params)).join('').repeat(50), once: true },
  'a flood of small requests, all read': { text: request(1, 'status.short').repeat(1000), reads: true },
  'a flood of small requests, and nobody reads': { text: request(1, 'status.short').repeat(1000) },
  'waits without an end': { text: request('i'.repeat(1000), 'session.wait', { name: 'idle', from: 0 }).repeat(500) + request(1, 'events.follow').repeat(500) },
};

// The crowd is a process of its own: what it costs is not the honest one's.
function crowd(place, { text, once, reads }) {
  let open = 0;
  for (let i = 0; i < CROWD; i++) {
    const socket = net.connect(place, () => {
      if (++open === CROWD) process.send('all are there');
      send();
    });
    const send = () => socket.write(text, (error) => { if (!error && !once) setImmediate(send); });
    if (reads) socket.resume();
    else socket.pause();
    socket.on('error', () => {});
  }
  process.on('message', () => process.exit(0));
}

// What the worker uses, and the most since forgetMost(), in MiB.
const memory = (pid, what = 'VmRSS') => Number(new RegExp(`${what}:\\s+(\\d+)`).exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
const forgetMost = (pid) => fs.writeFileSync(`/proc/${pid}/clear_refs`, '5');
const descriptors = (pid) => fs.readdirSync(`/proc/${pid}/fd`).length;

// Asks one thing after the other; returns how long each took, sorted.
async function ask(connection) {
  const took = [];
  for (const end = performance.now() + HONEST_MS; performance.now() < end;) {
    const began = performance.now();
    const [method, params] = took.length % 2 ? ['status.short', {}] : ['session.input', { name: 'work', data: '' }];
    const answer = await connection.call(method, params);
    assert.ok(answer?.result, `${method}: ${JSON.stringify(answer)}`);
    took.push(performance.now() - began);
  }
  return took.sort((a, b) => a - b);
}

async function main() {
  const report = new Report();
  const most = Number(spawnSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).stdout.replace('unlimited\n', '1e9'));
  if (most < 9000) {
    report.skip('crowd', `${most} descriptors are too few`);
    report.finish();
    return;
  }
  const sanitized = spawnSync('sh', ['-c', `grep -q __asan_init "${PTYD}"`]).status === 0;
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  for (const args of [['work', '--shell', 'bash'], ['idle', '--', 'sleep', '1000']]) assert.strictEqual(daemon.ptyd('open', ...args).status, 0);
  assert.strictEqual(daemon.ptyd('run', '-s', 'work', '--', 'for i in $(seq 9000); do echo $i {1..40}; done').status, 0);
  for (let i = 0; i < 20; i++) daemon.ptyd('run', '-s', 'work', '--', 'seq 30');
  const worker = daemon.json('status').worker_pid, alone = descriptors(worker);

  for (const [name, kind] of Object.entries(KINDS))
    await report.test(`${CROWD} connections, ${name}: others are answered, memory is bounded and given back`, async () => {
      const before = memory(worker);
      forgetMost(worker);
      const others = fork(__filename, ['crowd', space.env.PTYD_SOCKET, name]);
      await new Promise((resolve) => others.once('message', resolve));
      const honest = new Connection(space);
      const took = await ask(honest), worst = took.at(-1), usual = took[took.length >> 1];
      // A request that is more than what each may hold in any case.
      const began = performance.now();
      const large = await honest.call('status.short', { more: 'x'.repeat(200 << 10) });
      const largest = performance.now() - began, used = memory(worker, 'VmHWM');
      const figures = `${took.length} answers, usually ${usual.toFixed(1)} ms, worst ${worst.toFixed(1)}; a large one ${largest.toFixed(1)}; ${before.toFixed(1)} MiB, then ${used.toFixed(1)}`;
      if (process.env.FIGURES) console.log(`# ${figures}`);
      others.send('leave');
      assert.ok(large?.result, `the large one: ${JSON.stringify(large)}; ${figures}`);
      assert.ok(usual < USUAL_MS && worst < WORST_MS && largest < WORST_MS, figures);
      assert.ok(sanitized || used < MOST_MIB, figures);
      honest.end();
      await until('all are gone', () => descriptors(worker) <= alone);
      await until('memory is given back', () => sanitized || memory(worker) < before + BACK_MIB);
    });

  await report.test('who is closed because it holds half a line is told so', async () => {
    const told = [];
    const half = Array.from({ length: 200 }, () => {
      const one = new Connection(space, (message) => told.push(message));
      one.socket.write('x'.repeat(300 << 10));
      return one;
    });
    await until('some are closed', () => told.length);
    assert.ok(told.every(({ method, params }) => method === 'closing' && /^\d+ connections hold more than there is room for, and this one \d+ KiB/.test(params.message)), JSON.stringify(told[0]));
    assert.match(daemon.log(), /connections hold more than there is room for: those that do not get on are closed$/m);
    for (const one of half) one.end();
    await until('all are gone', () => descriptors(worker) <= alone);
  });

  await report.test('what would wait besides too much that waits is refused, what is answered at once is answered', async () => {
    const many = new Connection(space), first = new Connection(space);
    const waiting = { name: 'idle', from: 0 };
    const answers = Array.from({ length: 5000 }, () => many.call('session.wait', waiting));
    const refused = await Promise.race(answers);
    assert.deepStrictEqual([refused.error.code, /there is no room for session\.wait/.test(refused.error.message)], [-32002, true], JSON.stringify(refused));
    assert.ok((await many.call('status.short', {})).result);
    first.call('session.wait', waiting);
    assert.ok((await first.call('status.short', {})).result);
    many.end();
    first.end();
    await until('all are gone', () => descriptors(worker) <= alone);
  });

  await report.test('what comes due while a reply is made in pieces is answered behind it', async () => {
    assert.strictEqual(daemon.ptyd('open', 'echoes', '--', 'cat').status, 0);
    const other = new Connection(space);
    for (let round = 0; round < 25; round++) { // each time at another moment of the reply
      const c = new Connection(space), from = (await other.call('session.wait', { name: 'echoes' })).result.to;
      const waits = Array.from({ length: 20 }, () => c.call('session.wait', { name: 'echoes', from }));
      assert.ok((await c.call('status.short', {})).result);
      const scrollback = c.call('session.scrollback', { name: 'work', agent: true });
      for (let asked = 0; asked < round; asked++) await other.call('status.short', {});
      other.call('session.input', { name: 'echoes', data: Buffer.from('hello\n').toString('base64') });
      assert.ok((await scrollback).result);
      let answered = 0;
      for (const wait of waits) wait.then(() => { answered += 1; });
      await until('all waits are answered', () => answered === waits.length);
      c.end();
    }
    other.end();
    assert.strictEqual(daemon.ptyd('close', 'echoes').status, 0);
    await until('all are gone', () => descriptors(worker) <= alone);
  });

  assert.strictEqual(daemon.json('status').worker_pid, worker);
  assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
  removeWorkspace(space);
  report.finish();
}

if (process.argv[2] === 'crowd') crowd(process.argv[3], KINDS[process.argv[4]]);
else main().catch((error) => { console.error(error); process.exit(1); });
