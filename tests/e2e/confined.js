// What the daemon's processes may do, and what they leave behind: the worker's system calls, nobody's core files
// but the shells' own. Usage: node confined.js
'use strict';
const assert = require('node:assert');
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { PTYD, workspace, removeWorkspace, Daemon, Report, killWorker, until } = require('./harness');

const field = (file, name) => new RegExp(`^${name}:?\\s+(.*)$`, 'm').exec(fs.readFileSync(file, 'utf8'))?.[1].trim();
const threads = (pid) => fs.readdirSync(`/proc/${pid}/task`);
// Filters of a process that it has beyond its keeper's: who runs the tests may have given all of us one.
const filters = (pid, tid = pid) => Number(field(`/proc/${pid}/task/${tid}/status`, 'Seccomp_filters') ?? (field(`/proc/${pid}/task/${tid}/status`, 'Seccomp') === '2' ? 1 : 0));
const cores = (pid) => field(`/proc/${pid}/limits`, 'Max core file size').split(/\s+/).slice(0, 2);
// A process that is not dumpable has a directory of root's in /proc; root's own says nothing.
const hidden = (pid) => fs.statSync(`/proc/${pid}/status`).uid !== process.getuid();

async function main() {
  const report = new Report();
  const space = workspace();
  const sanitized = spawnSync('sh', ['-c', `grep -q __asan_init "${PTYD}" || grep -q __tsan_init "${PTYD}"`]).status === 0;
  const [, hard] = cores(process.pid);
  // In whichever unit this sh counts.
  const lower = hard === 'unlimited' ? 'ulimit -S -c 2048' : ':';
  const limits = 'grep "^Max core file size" /proc/self/limits';
  const started = spawnSync('sh', ['-c', `${lower} && ${limits}`], { encoding: 'utf8' }).stdout.trim();
  let daemon = await new Daemon(space, lower).ready();
  const pids = () => { const { keeper_pid: keeper, worker_pid: worker } = daemon.json('status'); return { keeper, worker }; };
  const run = (command, session = 'work') => daemon.ptyd('run', '-s', session, '--timeout', '60', '--', command).stdout.trim();
  const open = (name) => assert.strictEqual(daemon.ptyd('open', name).status, 0);

  const isConfined = () => {
    const { keeper, worker } = pids();
    const words = sanitized ? 'off' : 'on';
    assert.strictEqual(daemon.json('status').confinement, words);
    assert.ok(daemon.ptyd('status').stdout.includes(`the worker's confinement is ${words}\n`));
    for (const tid of threads(worker)) assert.strictEqual(filters(worker, tid), filters(keeper) + (sanitized ? 0 : 1), `thread ${tid}`);
    for (const pid of [keeper, worker]) assert.strictEqual(cores(pid)[0], '0', `process ${pid}`);
  };
  // A new shell's limits are those that the daemon was started with.
  const shellHasItsCores = (name) => {
    open(name);
    assert.strictEqual(run(limits, name), started);
    const { keeper } = pids();
    assert.strictEqual(run(`grep ^Seccomp_filters /proc/self/status`, name).replace(/\D/g, ''), fs.readFileSync('/proc/self/status', 'utf8').includes('Seccomp_filters') ? String(filters(keeper)) : '');
    assert.strictEqual(run('grep ^NoNewPrivs /proc/self/status', name).replace(/\D/g, ''), field(`/proc/${keeper}/status`, 'NoNewPrivs'));
  };

  await report.test('the worker, in each of its threads, has a filter more than the keeper; status says so', () => {
    open('work');
    run('seq 1 200000'); // which is read by a thread
    isConfined();
  });

  await report.test('a shell has the limits, and no filter, with which the daemon was started', () => shellHasItsCores('limits'));

  // Each mapping of a memfd that they share, with its flags: proc_pid_smaps(5), `dd` is left out of core files.
  await report.test('what keeper and worker share is in no core file', () => {
    const { keeper, worker } = pids(), names = ['ptyd-board', 'ptyd-intake'];
    for (const [pid, wanted] of [[keeper, names.slice(0, 1)], [worker, names]]) {
      const shared = fs.readFileSync(`/proc/${pid}/smaps`, 'utf8').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m).filter((mapping) => /^.* [rwx-]{3}s .*\/memfd:ptyd-/.test(mapping));
      assert.deepStrictEqual([...new Set(shared.map((mapping) => /memfd:(\S+)/.exec(mapping)[1]).filter((name) => name !== 'ptyd-slate'))].sort(), wanted); // (a slate is there when it is needed)
      for (const mapping of shared) assert.match(mapping, /^VmFlags:.* dd( |$)/m, mapping.split('\n')[0]);
    }
  });

  await report.test('a worker that follows one that was killed is confined; what the daemon does it goes on doing', async () => {
    await killWorker(daemon);
    isConfined();
    assert.strictEqual(run('echo again'), 'again');
    assert.strictEqual(daemon.ptyd('close', 'limits').status, 0);
    shellHasItsCores('limits');
  });

  await report.test('so are those of an upgrade', () => {
    const { worker } = pids();
    const answer = daemon.ptyd('upgrade');
    assert.strictEqual(answer.status, 0, answer.stderr);
    assert.notStrictEqual(pids().worker, worker);
    isConfined();
    shellHasItsCores('upgraded');
  });

  await report.test('doctor says it', () => {
    const check = daemon.json('doctor').checks.find(({ text }) => text.includes('confinement'));
    assert.deepStrictEqual([check.what, check.verdict], ['daemon', sanitized ? 'may' : 'ok']);
  });

  await report.test('a worker that crashes leaves no core file, a program in a session does', async () => {
    const pattern = fs.readFileSync('/proc/sys/kernel/core_pattern', 'utf8').trim();
    const { worker } = pids();
    const places = ['/', space.root, space.home, space.env.PTYD_STATE_DIR, process.cwd(), `/proc/${worker}/cwd`].flatMap((p) => { try { return [fs.realpathSync(p)]; } catch { return []; /* not for us to see */ } });
    const found = (pid) => places.flatMap((p) => fs.readdirSync(p)).filter((name) => name === 'core' || name === `core.${pid}`);
    const before = found(worker);
    process.kill(worker, 'SIGSEGV');
    await until('another worker', () => { const s = daemon.ptyd('status', '--json'); return s.status === 0 && JSON.parse(s.stdout).worker_pid !== worker; }, 60000);
    if (sanitized) return; // it ends by itself, and says so
    assert.deepStrictEqual(found(worker), before);
    if (pattern !== 'core' || hard !== 'unlimited') return; // another program has it, or nobody
    const place = path.join(space.home, 'crash');
    fs.mkdirSync(place);
    run(`(ulimit -S -c unlimited; cd ${place} && exec sh -c 'kill -SEGV $$')`);
    await until('its core', () => fs.readdirSync(place).some((name) => name.startsWith('core')));
  });

  await report.test('a user who is not root: daemon and shells work, and nobody looks into the daemon', async () => {
    if (process.getuid() !== 0) { // we are one
      const { keeper, worker } = pids();
      for (const pid of [keeper, worker]) assert.strictEqual(hidden(pid), !sanitized, `process ${pid}`);
      return;
    }
    const other = workspace();
    const as = (...args) => spawnSync('setpriv', ['--reuid', '65534', '--regid', '65534', '--clear-groups', ...args], { env: other.env, encoding: 'utf8', cwd: '/', timeout: 120000 });
    if (as('true').status !== 0 || as('test', '-x', PTYD).status !== 0) return console.log('# no other user here, or the program is not for others to see');
    spawnSync('chown', ['-R', '65534:65534', other.root]);
    const ptyd = (...args) => as(PTYD, ...args);
    const ok = (answer) => { assert.strictEqual(answer.status, 0, answer.stderr); return answer.stdout; };
    ok(ptyd('open', 'work'));
    assert.strictEqual(ok(ptyd('run', '-s', 'work', '--timeout', '60', '--', 'id -u')).trim(), '65534');
    const { keeper_pid: keeper, worker_pid: worker } = JSON.parse(ok(ptyd('status', '--json')));
    for (const pid of [keeper, worker]) {
      assert.strictEqual(fs.statSync(`/proc/${pid}/status`).uid, sanitized ? 65534 : 0, `process ${pid}`);
      assert.strictEqual(as('cat', `/proc/${pid}/environ`).status === 0, sanitized, `the environment of ${pid}`);
      assert.strictEqual(as('head', '-c', '1', `/proc/${pid}/mem`).stdout, '');
    }
    ok(ptyd('upgrade'));
    assert.strictEqual(ok(ptyd('run', '-s', 'work', '--timeout', '60', '--', 'echo on')).trim(), 'on');
    // A secret of the shell's environment is still found, and taken out.
    ok(ptyd('open', 'tokens', '--env', `MY_TOKEN=${'q7'.repeat(9)}`));
    ok(ptyd('run', '-s', 'tokens', '--timeout', '60', '--', 'echo "is $MY_TOKEN"'));
    const told = ok(ptyd('context', 'show', '-s', 'tokens', '--json'));
    assert.ok(told.includes('[redacted:') && !told.includes('q7q7'), told);
    // The relay has this host's key.
    ok(ptyd('relay', 'enable', '--url', 'nats://127.0.0.1:9'));
    const relay = spawn('setpriv', ['--reuid', '65534', '--regid', '65534', '--clear-groups', PTYD, 'relay'], { env: other.env, stdio: 'ignore', cwd: '/' });
    await until('the relay shows its memory to nobody', () => fs.readFileSync(`/proc/${relay.pid}/cmdline`, 'utf8') === `${PTYD}\0relay\0` && fs.statSync(`/proc/${relay.pid}/status`).uid === (sanitized ? 65534 : 0));
    relay.kill();
    process.kill(keeper, 'SIGTERM');
    await until('it has ended', () => !fs.existsSync(`/proc/${keeper}`) || field(`/proc/${keeper}/status`, 'State').startsWith('Z'));
    removeWorkspace(other);
  });

  await report.test('confinement = off: all system calls, and whoever debugs may look', async () => {
    await daemon.stop();
    fs.mkdirSync(path.join(space.home, '.config/ptyd'), { recursive: true });
    fs.writeFileSync(path.join(space.home, '.config/ptyd/ptyd.conf'), 'confinement = off\n');
    daemon = await new Daemon(space).ready();
    const { keeper, worker } = pids();
    assert.strictEqual(daemon.json('status').confinement, 'off');
    assert.strictEqual(filters(worker), filters(keeper));
    assert.strictEqual(cores(worker)[0], '0');
    if (process.getuid() !== 0) for (const pid of [keeper, worker]) assert.strictEqual(hidden(pid), false);
  });

  await daemon.stop();
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
