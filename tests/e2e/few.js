// Few descriptors and many connections: what does not fit is refused with a message, the rest goes on.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { PTYD, workspace, removeWorkspace, Daemon, Report, until, killWorker } = require('./harness');

const STATUS = '{"jsonrpc":"2.0","id":1,"method":"status.short"}\n';

// A connection that asks something and keeps what it hears.
class Connection {
  constructor(place, request) {
    this.text = '';
    this.socket = net.connect(place, () => request && this.socket.write(request));
    this.socket.on('data', (data) => { this.text += data; });
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => this.socket.on('close', resolve));
    this.socket.on('close', () => { this.isClosed = true; });
  }

  messages() { return this.text.split('\n').slice(0, -1).map((line) => JSON.parse(line)); }

  async answer() { return until('an answer', () => this.messages().find((m) => m.id === 1)); }
}

const descriptors = (pid) => fs.readdirSync(`/proc/${pid}/fd`).length;

async function main() {
  const report = new Report();
  const most = Number(spawnSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).stdout.replace('unlimited\n', '1e9'));

  await report.test('few descriptors: a session too many is refused with a message, the others go on, also behind a kill', async () => {
    const space = workspace();
    const daemon = await new Daemon(space, 'ulimit -n 90').ready();
    const shells = ['bash', 'dash'];
    const opened = [];
    let refused;
    for (let i = 0; i < 30 && !refused; i++) {
      const answer = daemon.ptyd('open', `s${i}`, '--shell', shells[i % 2]);
      if (answer.status === 0) opened.push(`s${i}`);
      else refused = answer.stderr;
    }
    assert.match(refused, /^ptyd: cannot open session s\d+: \d+ sessions and 1 connections leave none of the 90 descriptors.*ulimit -n, LimitNOFILE=/);
    assert.ok(opened.length >= 6, `${opened.length} sessions`);
    const works = () => {
      for (const name of opened) {
        const said = daemon.ptyd('run', '-s', name, '--timeout', '10', '--', "sh -c 'echo $((40 + 2)); exit 3'");
        assert.deepStrictEqual([said.stdout, said.status], ['42\n', 3], `${name}: ${said.stderr}`);
      }
    };
    const list = () => daemon.json('list').map(({ name, shell_pid: pid }) => `${name} ${pid}`).sort();
    works();
    // All at once run a command whose file is open, and flood: none meets the limit.
    const go = `${space.root}/go`;
    for (const name of opened) daemon.ptyd('send', '-s', name, `until [ -e ${go} ]; do sleep 0.02; done; seq 60000; echo over\r`);
    const { worker_pid: worker } = daemon.json('status');
    await until('all run', () => daemon.json('list').every(({ state }) => state === 'running'));
    fs.writeFileSync(go, '');
    let most = 0;
    await until('all have flooded', () => {
      most = Math.max(most, descriptors(worker));
      return daemon.json('list').every(({ state }) => state === 'prompt');
    });
    assert.ok(most < 90, `${most} descriptors`);
    assert.deepStrictEqual(daemon.json('status').warnings, []);
    const before = list();
    for (let kill = 0; kill < 2; kill++) {
      await killWorker(daemon);
      assert.deepStrictEqual(list(), before);
      works();
    }
    assert.match(daemon.ptyd('open', 'too-many').stderr, /leave none of the 90 descriptors/);
    assert.strictEqual(daemon.ptyd('close', opened.pop()).status, 0);
    const again = daemon.ptyd('open', 'in-its-place');
    assert.strictEqual(again.status, 0, again.stderr);
    opened.push('in-its-place');
    works();
    assert.match(daemon.ptyd('run', '-s', 'nobody', '--', 'echo').stderr, /leave none of the 90 descriptors/);
    assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
    removeWorkspace(space);
  });

  await report.test('a worker that may have fewer descriptors than it is handed costs no shell', async () => {
    const space = workspace();
    const daemon = await new Daemon(space).ready();
    const { keeper_pid: keeper } = daemon.json('status');
    for (let i = 0; i < 4; i++) assert.strictEqual(daemon.ptyd('open', `s${i}`).status, 0);
    const list = () => daemon.json('list').map(({ name, shell_pid: pid }) => `${name} ${pid}`).sort();
    const before = list();
    const limit = (files) => assert.strictEqual(spawnSync('prlimit', [`--pid=${keeper}`, `--nofile=${files}:`]).status, 0);
    const workers = () => fs.readFileSync(`/proc/${keeper}/task/${keeper}/children`, 'utf8').trim().split(' ').map(Number)
      .filter((pid) => { try { return fs.readFileSync(`/proc/${pid}/comm`, 'utf8') === 'ptyd\n'; } catch { return false; } });
    for (const files of [14, 17, 20, 24, 30]) {
      const { worker_pid: old } = daemon.json('status');
      limit(files);
      process.kill(old, 'SIGKILL');
      await until('another one tries', () => workers().some((pid) => pid !== old));
      limit(Math.min(most, 4096));
      for (const pid of workers()) { try { process.kill(pid, 'SIGKILL'); } catch { /* it gave up */ } }
      await until('all are back', () => { try { return list().length === 4; } catch { return false; } });
      assert.deepStrictEqual(list(), before, `${files} descriptors`);
    }
    for (let i = 0; i < 4; i++) assert.strictEqual(daemon.ptyd('run', '-s', `s${i}`, '--', 'echo well').stdout, 'well\n');
    assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
    removeWorkspace(space);
  });

  await report.test('no thread is to be had, as at a limit on processes: a worker serves, and what a thread does is done when there is one', async () => {
    const space = workspace(), none = path.join(space.root, 'no-threads'), word = 'Qabracadabra7';
    Object.assign(space.env, { LD_PRELOAD: path.resolve(path.dirname(PTYD), 'faults.so'), ASAN_OPTIONS: 'verify_asan_link_order=0', FAULT_THREADS: none });
    fs.writeFileSync(none, '');
    const daemon = await new Daemon(space).ready();
    const kept = () => spawnSync('grep', ['-rlF', word, space.env.PTYD_STATE_DIR], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
    const { worker_pid: first, closed: unseen } = daemon.json('status');
    assert.strictEqual(unseen, null, 'nobody looked at what is kept');
    for (const name of ['old', 'work']) assert.strictEqual(daemon.ptyd('open', name).status, 0);
    assert.strictEqual(daemon.ptyd('run', '-s', 'old', '--', `echo ${word}`).stdout, `${word}\n`);
    assert.strictEqual(daemon.ptyd('close', 'old').status, 0);
    // Another worker begins for this; a session that is closed is gone through by a thread.
    const forget = spawn(PTYD, ['forget', '--matching', word, '--yes'], { env: space.env, stdio: 'ignore' });
    const forgot = new Promise((resolve) => forget.on('exit', resolve));
    const next = await until('another worker', () => { const { worker_pid: pid } = daemon.json('status'); return pid !== first && pid; });
    assert.strictEqual(daemon.ptyd('run', '-s', 'work', '--', 'echo well').stdout, 'well\n');
    assert.ok(kept().length > 0);
    fs.unlinkSync(none);
    assert.strictEqual(await forgot, 0);
    assert.deepStrictEqual(kept(), []);
    const { worker_pid: last, closed: seen } = await until('it was looked at', () => { const status = daemon.json('status'); return status.closed && status; });
    assert.deepStrictEqual([last, seen.sessions], [next, 1]);
    assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
    removeWorkspace(space);
  });

  await report.test('a connection beyond the limit gets one request answered, what would stay is refused; one that asks late may stay', async () => {
    const space = workspace(), place = space.env.PTYD_SOCKET;
    const daemon = await new Daemon(space, 'ulimit -n 80').ready();
    assert.strictEqual(daemon.ptyd('open', 'one').status, 0);
    const stay = [];
    for (let i = 0; i < 20; i++) stay.push(new Connection(place, STATUS));
    for (const one of stay) assert.ok((await one.answer()).result);
    for (const method of ['status', 'session.list', 'context.show', 'session.blocks']) {
      const brief = new Connection(place, `${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { name: 'one' } })}\n${STATUS}`);
      await brief.closed;
      assert.deepStrictEqual(brief.messages().map((m) => m.method || Object.keys(m).sort()), [['id', 'jsonrpc', 'result'], 'closing'], method);
      assert.match(brief.messages()[1].params.message, /^20 connections are open.*ulimit -n, LimitNOFILE=/);
    }
    for (const method of ['events.follow', 'session.attach', 'session.run', 'mcp.serve', 'context.take']) {
      const brief = new Connection(place, `${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { name: 'one', command: 'echo no' } })}\n`);
      await brief.closed;
      const { code, message } = (await brief.answer()).error;
      assert.ok(code === -32002 && message.includes(`leave no room for ${method}, which stays; `), message);
    }
    // The commands: those that ask once work, all at once, too; `run` says why it does not.
    for (const args of [['status'], ['list'], ['blocks', '-s', 'one'], ['send', '-s', 'one', ':\r'], ['context', 'take'], ['open', 'two'], ['close', 'two']]) {
      const said = daemon.ptyd(...args);
      assert.strictEqual(said.status, 0, `${args}: ${said.stderr}`);
    }
    const run = daemon.ptyd('run', '-s', 'one', '--', 'echo no');
    assert.match(run.stderr, /^ptyd: 20 connections are open and leave no room for session\.run, which stays; .*LimitNOFILE=\)$/m);
    assert.strictEqual(run.stderr.trim().split('\n').length, 1);
    assert.match(daemon.ptyd('events', '-f').stderr, /leave no room for events\.follow/);
    const many = Array.from({ length: 60 }, () => new Connection(place, STATUS));
    for (const one of many) assert.ok((await one.answer()).result);
    // Nothing that is sent to nobody's answer keeps the place.
    const quiet = new Connection(place, '{"jsonrpc":"2.0","method":"status.short"}\n');
    await quiet.closed;
    assert.strictEqual(quiet.text, '');
    // Those that do not ask are in nobody's way for long, and stay where there is room by then.
    const silent = Array.from({ length: 8 }, () => new Connection(place));
    await until('they are there', () => silent.every(({ socket }) => socket.readyState === 'open'));
    stay.shift().socket.destroy();
    assert.strictEqual(daemon.ptyd('list').status, 0, 'behind silent ones');
    await until('all but one are cut off', () => silent.filter(({ isClosed }) => isClosed).length === 7);
    const late = silent.find(({ isClosed }) => !isClosed);
    for (let i = 0; i < 2; i++) {
      late.text = '';
      late.socket.write(STATUS);
      assert.ok((await late.answer()).result);
    }
    for (const one of stay) assert.ok(!one.isClosed);
    for (const one of [...stay, late]) one.socket.destroy();
    assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
    removeWorkspace(space);
  });

  const name = '2,048 connections stay; the next gets its status, and one that leaves makes room';
  if (most < 9000) {
    report.skip(name, `${most} descriptors are too few`);
  } else {
    await report.test(name, async () => {
      const space = workspace(), place = space.env.PTYD_SOCKET;
      const daemon = await new Daemon(space).ready();
      const stay = [];
      while (stay.length < 2048) {
        const some = Array.from({ length: 256 }, () => new Connection(place, STATUS));
        for (const one of some) assert.ok((await one.answer()).result);
        stay.push(...some);
      }
      const next = new Connection(place, STATUS);
      assert.ok((await next.answer()).result);
      await next.closed;
      assert.strictEqual(daemon.ptyd('status').status, 0);
      assert.strictEqual(daemon.ptyd('open', 'one').status, 0);
      assert.match(daemon.ptyd('run', '-s', 'one', '--', 'echo').stderr, /^ptyd: 2048 connections are open/);
      assert.ok(stay.every((one) => !one.isClosed));
      stay.pop().socket.destroy();
      await until('there is room', () => daemon.ptyd('run', '-s', 'one', '--', 'exit 0').status === 0);
      for (const one of stay) one.socket.destroy();
      assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
      removeWorkspace(space);
    });
  }
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
