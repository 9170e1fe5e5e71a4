// The keeper and its worker: one that is slow to hear, does not listen, or dies.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, PTYD, killWorker, until } = require('./harness');
const { Outer } = require('./outer');

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
    removeWorkspace(space);
  });

  await report.test('an upgrade while a command is about to be typed: it is, once', async () => {
    const space = faulty({}), [types, tried, go, later] = ['types', 'tried', 'go', 'later'].map((name) => path.join(space.root, name));
    space.env.FAULT_TYPES = types;
    const daemon = await new Daemon(space).ready();
    daemon.ptyd('run', '-s', 'work', '--', ':');
    fs.writeFileSync(later, `#!/bin/sh\n[ -e ${go} ] || { >${tried}; until [ -e ${go} ]; do sleep 0.02; done; }\nexec ${PTYD} "$@"\n`, { mode: 0o755 });
    const start = (...args) => new Promise((resolve) => {
      const child = spawn(PTYD, args, { env: space.plain });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => { said += data; });
      child.on('close', (status) => resolve({ status, said }));
    });
    const upgrade = start('upgrade', '--binary', later);
    await until('it is tried', () => fs.existsSync(tried));
    fs.writeFileSync(types, '');
    const run = start('run', '-s', 'work', '--', 'echo once; sh -c "exit 7"');
    await until('the worker is about to type it, as it has noted', () => !fs.existsSync(types));
    fs.writeFileSync(go, '');
    assert.strictEqual((await upgrade).status, 0);
    assert.deepStrictEqual(await run, { status: 7, said: 'once\n' });
    await daemon.stop();
    removeWorkspace(space);
  });

  await report.test('whoever has its words takes none: it replaces a worker, and hears SIGTERM', async () => {
    const space = workspace(), words = path.join(space.root, 'words');
    assert.strictEqual(spawnSync('mkfifo', [words]).status, 0);
    const held = fs.openSync(words, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
    const fill = (bytes) => { try { for (;;) fs.writeSync(held, bytes); } catch (error) { assert.strictEqual(error.code, 'EAGAIN'); } };
    const daemon = await new Daemon(space, `exec 2>${words}`).ready();
    assert.strictEqual(daemon.ptyd('open', 'work').status, 0);
    const { shell_pid: shell } = daemon.json('list')[0];
    for (const bytes of [Buffer.alloc(4096), Buffer.alloc(1)]) fill(bytes);
    await killWorker(daemon);
    assert.strictEqual(daemon.ptyd('run', '-s', 'work', '--', 'echo well').stdout, 'well\n');
    assert.strictEqual(daemon.json('list')[0].shell_pid, shell);
    assert.strictEqual(daemon.ptyd('upgrade').status, 0);
    await killWorker(daemon);
    assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
    fs.closeSync(held);
    removeWorkspace(space);
  });

  await report.test('what lies ready for the next session is taken, made again, outlives a worker and an upgrade, and goes with the daemon', async () => {
    const space = workspace();
    const at = (...names) => path.join(space.env.PTYD_STATE_DIR, ...names), shells = path.join(space.root, 'run/shells');
    const inode = (file) => { try { return fs.statSync(file).ino; } catch { return undefined; } };
    const ready = () => until('one lies ready', () => inode(at('spare')) && inode(path.join(shells, 'spare.bash')));
    const daemon = await new Daemon(space).ready();
    await ready();
    for (const [name, event] of [['one', () => {}], ['two', () => killWorker(daemon)], ['three', () => assert.strictEqual(daemon.ptyd('upgrade').status, 0)]]) {
      const spare = inode(at('spare')), file = inode(path.join(shells, 'spare.bash'));
      await event();
      assert.strictEqual(daemon.ptyd('open', name).status, 0);
      assert.strictEqual(inode(at('conversations', name)), spare, name);
      assert.ok(fs.readdirSync(shells).some((f) => /^shell_/.test(f) && inode(path.join(shells, f)) === file), name);
      assert.strictEqual(daemon.ptyd('run', '-s', name, '--', 'false').status, 1);
      await ready();
    }
    fs.rmSync(at('spare'), { recursive: true });
    fs.writeFileSync(at('spare'), 'not a directory');
    assert.strictEqual(daemon.ptyd('open', 'four').status, 0, 'without one it is made');
    fs.mkdirSync(at('conversations/five'), { recursive: true });
    assert.strictEqual(daemon.ptyd('open', 'five').status, 0);
    assert.strictEqual(daemon.ptyd('run', '-s', 'five', '--', 'true').status, 0);
    await daemon.stop();
    assert.deepStrictEqual([inode(at('spare')), inode(at('spare.new')), inode(path.join(shells, 'spare.bash'))], [undefined, undefined, undefined]);
    removeWorkspace(space);
  });

  await report.test('a worker that does not listen while 400 shells end: all are reaped, SIGTERM is heard', async () => {
    const space = workspace();
    const daemon = await new Daemon(space).ready();
    const socket = openMany(space, 400, ['/bin/sleep', '1000']);
    const pids = await until('all run', () => {
      const list = daemon.json('list');
      return list.length === 400 && list.map((session) => session.shell_pid);
    }, 60000);
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
    removeWorkspace(space);
  });

  // What the shell prints makes every worker die that reads it: a crash, a spin, no memory (faults.c).
  for (const [what, bytes, signal] of [['crashes', '\\033[77g', 11], ['spins', '\\033[78g', 6], ['has no memory', '\\033[79g', 6]])
    await report.test(`a session whose output the worker ${what} at: set aside at the third death, and reset`, async () => {
      const space = faulty({ FAULT_PARSE: '1', FAULT_SPIN: '25' });
      const daemon = await new Daemon(space).ready();
      Object.assign(space.env, { LD_PRELOAD: '' });
      const session = (name) => daemon.json('list').find((one) => one.name === name);
      const blocks = (name) => daemon.json('blocks', '-s', name).map(({ seq, cmd, exit_code: exit }) => [seq, cmd, exit]);
      const raw = (name) => fs.readFileSync(path.join(space.env.PTYD_STATE_DIR, 'conversations', name, 'agent_pty/output.raw'), 'latin1');
      for (const name of ['good', 'bad']) daemon.ptyd('open', name);
      const { shell_pid: shell } = session('bad');
      daemon.ptyd('run', '-s', 'bad', '--', 'echo before');
      daemon.ptyd('send', '-s', 'bad', `printf '${bytes}'; cat`, '--key', 'Enter');
      await until('it is set aside', () => { const answer = daemon.ptyd('list', '--json'); return answer.status === 0 && JSON.parse(answer.stdout).some(({ state }) => state === 'quarantined'); });
      assert.deepStrictEqual([...logOf(space).matchAll(/worker ended \((.*?)\)/g)].map((m) => m[1]), Array(3).fill(`signal ${signal}`));
      assert.deepStrictEqual([session('bad').state, session('bad').shell_pid, session('good').state], ['quarantined', shell, 'prompt']);
      assert.strictEqual(daemon.ptyd('run', '-s', 'good', '--', 'echo fine').stdout, 'fine\n');
      assert.ok(daemon.json('status').warnings.some((text) => /session bad is quarantined: .*`ptyd reset bad`/.test(text)));
      for (const args of [['screen', '-s', 'bad'], ['scrollback', '-s', 'bad'], ['blocks', '-s', 'bad'], ['block', '1', '-s', 'bad'], ['run', '-s', 'bad', '--', 'true']])
        assert.match(daemon.ptyd(...args).stderr, /quarantined.*ptyd reset bad/, args[0]);

      // Whoever types does so blindly; what the shell says is kept, also over another worker's death.
      daemon.ptyd('send', '-s', 'bad', 'to the command', '--key', 'Enter', '--key', 'C-d');
      await until('it is kept', () => raw('bad').match(/to the command/g)?.length === 2);
      const { worker_pid: worker } = daemon.json('status');
      process.kill(worker, 'SIGKILL');
      await until('another one', () => daemon.json('status').worker_pid !== worker);
      assert.strictEqual(session('bad').state, 'quarantined');
      daemon.ptyd('send', '-s', 'bad', `echo un"seen"; head -c 300000 /dev/zero | tr '\\0' x; echo; echo the" "end`, '--key', 'Enter');
      await until('all is kept', () => raw('bad').includes('\nthe end\r\n') && /;B\x07$/.test(raw('bad')));
      assert.ok(raw('bad').includes(bytes.replace('\\033', '\x1b')));
      assert.ok(raw('bad').includes('\x07unseen\r\n') && raw('bad').includes('x'.repeat(300000)));
      for (const [, nonce] of raw('bad').matchAll(/;([0-9a-f]{32})[;\x07]/g)) assert.match(nonce, /^[0-9a-f]{7}0{25}$|^0{32}$/);

      assert.strictEqual(daemon.ptyd('reset', 'bad').status, 0);
      assert.strictEqual(daemon.ptyd('reset', 'bad').status, 1, 'it is not any more');
      assert.strictEqual(daemon.ptyd('run', '-s', 'bad', '--', 'echo back; (exit 3)').status, 3);
      const expected = [[1, 'echo before', 0], [2, `printf '${bytes}'; cat`, null], [3, 'echo back; (exit 3)', 3]];
      assert.deepStrictEqual(blocks('bad'), expected);
      const { worker_pid: second } = daemon.json('status');
      process.kill(second, 'SIGKILL');
      await until('another one', () => daemon.json('status').worker_pid !== second);
      assert.strictEqual(daemon.ptyd('run', '-s', 'bad', '--', '(exit 4)').status, 4, 'nothing of it is gone through again');
      assert.deepStrictEqual(blocks('bad'), [...expected, [4, '(exit 4)', 4]]);
      assert.strictEqual(session('bad').shell_pid, shell);
      assert.ok(!daemon.json('status').warnings.some((text) => /quarantined/.test(text)));
      await daemon.stop();
      removeWorkspace(space);
    });

  await report.test('a terminal whose own session is set aside is told so, and the shell lives', async () => {
    const space = faulty({ FAULT_PARSE: '1' });
    const daemon = await new Daemon(space).ready();
    Object.assign(space.env, { LD_PRELOAD: '' });
    const [outer, other] = [1, 2].map(() => new Outer({ ...space.env, TERM: 'xterm-256color' }, [PTYD]));
    const children = ({ process: { pid } }) => fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    for (const each of [outer, other]) await each.expect('$ ');
    await outer.type('echo it is $PTYD_SESSION\r');
    const found = await until('its name', () => /it is (term-\d)/.exec(outer.received().toString('latin1')));
    const own = () => daemon.json('list').find(({ name }) => name === found[1]), { shell_pid: shell } = own();
    const [client] = children(other);
    process.kill(client, 'SIGSTOP'); // its session is waited for as long as the one at hand
    await outer.type("printf '\\033[77g'\r");
    await outer.expect(`session ${found[1]} is quarantined, \`ptyd status\` says why: \`ptyd reset ${found[1]}\` goes on with it`);
    await outer.expect('without it');
    await until('the other is closed', () => daemon.json('list').length === 1);
    process.kill(client, 'SIGCONT');
    assert.strictEqual(own().shell_pid, shell);
    assert.strictEqual(daemon.ptyd('reset', found[1]).status, 0);
    assert.strictEqual(daemon.ptyd('run', '-s', found[1], '--', 'echo fine').stdout, 'fine\n');
    await outer.end();
    await other.end();
    await daemon.stop();
    removeWorkspace(space);
  });

  await report.test('a block that the worker dies of when an agent is told: its session is set aside, others are told', async () => {
    const space = faulty({ FAULT_RENDER: '1' });
    const daemon = await new Daemon(space).ready();
    Object.assign(space.env, { LD_PRELOAD: '' });
    const told = (name) => JSON.stringify(daemon.json('context', 'show', '-s', name).additionalContext);
    for (const name of ['good', 'bad']) daemon.ptyd('open', name);
    daemon.ptyd('run', '-s', 'good', '--', 'echo fine');
    daemon.ptyd('run', '-s', 'bad', '--', '(exit 77)');
    await until('it is set aside', () => {
      daemon.ptyd('context', 'show', '-s', 'bad');
      return daemon.json('list').some(({ name, state }) => name === 'bad' && state === 'quarantined');
    });
    assert.strictEqual(logOf(space).match(/worker ended \(signal 11\)/g).length, 3);
    assert.match(told('good'), /echo fine/);
    assert.doesNotMatch(told('bad'), /exit 77/);
    assert.strictEqual(daemon.ptyd('reset', 'bad').status, 0);
    daemon.ptyd('run', '-s', 'bad', '--', 'echo later');
    assert.match(told('bad'), /echo later/);
    assert.doesNotMatch(told('bad'), /exit 77/);
    assert.strictEqual(logOf(space).match(/worker ended/g).length, 3);
    await daemon.stop();
    removeWorkspace(space);
  });

  await report.test('files that the worker dies of when it opens them: they are set aside, the shell lives, numbers go on', async () => {
    const space = faulty({ FAULT_OPEN: '1' });
    const daemon = await new Daemon(space).ready();
    Object.assign(space.env, { LD_PRELOAD: '' });
    for (const name of ['good', 'bad']) { daemon.ptyd('open', name); daemon.ptyd('run', '-s', name, '--', 'echo before'); }
    const session = (name) => daemon.json('list').find((one) => one.name === name), { shell_pid: shell } = session('bad');
    const conversations = path.join(space.env.PTYD_STATE_DIR, 'conversations');
    fs.appendFileSync(path.join(conversations, 'bad/agent_pty/events.jsonl'), 'BOOM\n');
    process.kill(daemon.json('status').worker_pid, 'SIGKILL');
    await until('it is set aside', () => { const answer = daemon.ptyd('list', '--json'); return answer.status === 0 && JSON.parse(answer.stdout).some(({ state }) => state === 'quarantined'); });
    assert.deepStrictEqual([...logOf(space).matchAll(/worker ended \((.*?)\)/g)].map((m) => m[1]), ['signal 9', ...Array(3).fill('signal 11')]);
    assert.ok(daemon.json('status').warnings.some((text) => /session bad is quarantined: .* while its files were opened/.test(text)));
    assert.strictEqual(fs.readdirSync(conversations).filter((name) => /^bad\.damaged-\d+$/.test(name)).length, 1);
    assert.deepStrictEqual([session('bad').shell_pid, session('good').state], [shell, 'prompt']);
    assert.strictEqual(daemon.ptyd('run', '-s', 'good', '--', 'echo fine').stdout, 'fine\n');
    assert.strictEqual(daemon.ptyd('reset', 'bad').status, 0);
    assert.strictEqual(daemon.ptyd('run', '-s', 'bad', '--', 'echo back').stdout, 'back\n');
    assert.deepStrictEqual(daemon.json('blocks', '-s', 'bad').map(({ seq, cmd }) => [seq, cmd]), [[2, 'echo back']]);
    assert.strictEqual(logOf(space).match(/worker ended/g).length, 4);
    await daemon.stop();
    removeWorkspace(space);
  });

  await report.test('blocks that the worker dies of when it reads them for agents: their session is set aside until a reset', async () => {
    const space = faulty({}), fault = path.join(space.root, 'fault');
    Object.assign(space.env, { FAULT_OFFER: fault });
    const daemon = await new Daemon(space).ready();
    Object.assign(space.env, { LD_PRELOAD: '' });
    const told = (name) => JSON.stringify(daemon.json('context', 'show', '-s', name).additionalContext);
    for (const name of ['good', 'bad']) daemon.ptyd('open', name);
    daemon.ptyd('run', '-s', 'good', '--', 'echo fine');
    daemon.ptyd('run', '-s', 'bad', '--', '(exit 78)');
    const { shell_pid: shell } = daemon.json('list').find(({ name }) => name === 'bad');
    fs.writeFileSync(fault, '');
    process.kill(daemon.json('status').worker_pid, 'SIGKILL');
    await until('it is set aside', () => { const answer = daemon.ptyd('list', '--json'); return answer.status === 0 && JSON.parse(answer.stdout).some(({ name, state }) => name === 'bad' && state === 'quarantined'); });
    assert.deepStrictEqual([...logOf(space).matchAll(/worker ended \((.*?)\)/g)].map((m) => m[1]), ['signal 9', ...Array(3).fill('signal 11')]);
    assert.ok(daemon.json('status').warnings.some((text) => /session bad is quarantined: .* while its blocks were read/.test(text)));
    assert.match(told('good'), /echo fine/);
    assert.doesNotMatch(told('bad'), /exit 78/);
    fs.unlinkSync(fault);
    assert.strictEqual(daemon.ptyd('reset', 'bad').status, 0);
    assert.match(told('bad'), /exit 78/, 'what was not told yet is told');
    assert.strictEqual(daemon.ptyd('run', '-s', 'bad', '--', 'echo later').stdout, 'later\n');
    assert.strictEqual(daemon.json('list').find(({ name }) => name === 'bad').shell_pid, shell);
    assert.strictEqual(logOf(space).match(/worker ended/g).length, 4);
    await daemon.stop();
    removeWorkspace(space);
  });

  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
