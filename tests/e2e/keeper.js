// The keeper and its worker: one that is slow to hear, does not listen, or dies.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { workspace, Daemon, Report, PTYD, until } = require('./harness');

// What makes a daemon fail (faults.c). A sanitizer's library has to be loaded first, and is, of itself.
const FAULTS = path.resolve(path.dirname(PTYD), 'faults.so');

function faulty(faults) {
  const space = workspace();
  space.plain = { ...space.env };
  Object.assign(space.env, { LD_PRELOAD: FAULTS, ASAN_OPTIONS: 'verify_asan_link_order=0' }, faults);
  return space;
}

function logOf(space) {
  return fs.readFileSync(path.join(space.root, 'daemon.log'), 'utf8');
}

// Asks for sessions that run `argv` in one go, without waiting for them.
function openMany(space, count, argv) {
  const socket = net.connect(space.env.PTYD_SOCKET);
  for (let i = 0; i < count; i++)
    socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: i, method: 'session.open', params: { name: `s${i}`, argv, env: ['PATH=/usr/bin:/bin'], cwd: '/' } })}\n`);
  socket.resume();
  return socket;
}

function state(pid) {
  try {
    return /^State:\t(.)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1];
  } catch {
    return 'gone';
  }
}

async function main() {
  const report = new Report();

  await report.test('a hand-over that comes slowly: the worker waits for it, and is started once', async () => {
    const space = faulty({ FAULT_SEND_MS: '30' });
    const daemon = await new Daemon(space).ready();
    assert.strictEqual(daemon.ptyd('open', 'slow').status, 0);
    const { worker_pid: first } = daemon.json('status');
    process.kill(first, 'SIGKILL');
    await until('another one serves', () => daemon.json('status').worker_pid !== first);
    assert.strictEqual(daemon.json('list').length, 1);
    assert.deepStrictEqual(logOf(space).match(/worker ended.*/g), ['worker ended (signal 9), starting another']);
    await daemon.stop();
    fs.rmSync(space.root, { recursive: true, force: true });
  });

  await report.test('a worker that does not listen while 400 shells end: all are reaped, SIGTERM is heard', async () => {
    const space = workspace();
    const daemon = await new Daemon(space).ready();
    const socket = openMany(space, 400, ['/bin/sleep', '1000']);
    const pids = await until('all run', () => {
      const list = daemon.json('list');
      return list.length === 400 && list.map((session) => session.shell_pid);
    });
    socket.destroy();
    const { worker_pid: worker } = daemon.json('status');
    process.kill(worker, 'SIGSTOP');
    await until('it stands', () => state(worker) === 'T');
    for (const pid of pids.slice(0, 380)) process.kill(pid, 'SIGKILL');
    await until('380 are reaped', () => pids.slice(0, 380).every((pid) => state(pid) === 'gone'));
    process.kill(worker, 'SIGCONT');
    await until('it hears of all', () => daemon.json('list').filter((session) => session.state === 'exited').length === 380);
    assert.strictEqual(daemon.json('status').worker_pid, worker, 'the same worker');
    process.kill(worker, 'SIGSTOP');
    await until('it stands', () => state(worker) === 'T');
    assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
    assert.ok(pids.every((pid) => state(pid) === 'gone'));
    fs.rmSync(space.root, { recursive: true, force: true });
  });

  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
