// A daemon that hangs, dies or cannot start takes nobody's shell: bare ptyd gives the plain one, and says why.
'use strict';
const assert = require('node:assert');
const { execFile, spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { workspace, removeWorkspace, Daemon, Report, PTYD, until } = require('./harness');
const { Terminal } = require('./script');

const SIGPIPE = 1 << 12; // as /proc counts it

// `command` in a terminal; resolves to what it showed, and its status, once the shell that came has said whose
// it is and was left with status 6. `meanwhile` gets what types into it.
async function tryShell(env, command = PTYD, meanwhile = () => {}) {
  const begun = Date.now(), terminal = new Terminal(env, `exec ${command}`);
  meanwhile((keys) => terminal.type(keys));
  await terminal.expect(/without it/);
  const ms = Date.now() - begun;
  await terminal.enter('echo "session <$PTYD_SESSION>"; grep SigIgn /proc/self/status; exit 6');
  const status = await terminal.ended(), { text } = terminal, ignored = parseInt(/SigIgn:\s*([0-9a-f]+)/.exec(text)?.[1], 16);
  return { status, text, ms, plain: /session <>\r?\n/.test(text), broken: ignored & SIGPIPE };
}

async function main() {
  const report = new Report();
  const space = workspace();
  // How long it took where a second is given. The machine may have other work at times.
  const seconds = [];
  const gives = async (env, why, command, meanwhile) => {
    const { status, text, ms, plain, broken } = await tryShell({ ...space.env, ...env }, command, meanwhile);
    assert.match(text, why);
    assert.deepStrictEqual([status, plain, broken], [6, true, 0], text);
    if (/does not answer/.test(text)) seconds.push(ms);
    return text;
  };
  // Those that look: what they say of a daemon that hangs.
  const looks = async (env) => {
    for (const args of [['status', '--short'], ['list'], ['blocks']]) {
      const begun = Date.now(), look = spawn(PTYD, args, { env: { ...space.env, ...env } });
      let said = '';
      look.stderr.on('data', (data) => { said += data; });
      assert.strictEqual(await new Promise((resolve) => look.on('close', resolve)), 1);
      assert.match(said, /^ptyd: the daemon does not answer \(waited [12] s\): /);
      seconds.push(Date.now() - begun);
    }
  };

  await report.test('a state directory that is a file; what the shell starts gets SIGPIPE', async () => {
    const file = path.join(space.root, 'file');
    fs.writeFileSync(file, '');
    const text = await gives({ PTYD_STATE_DIR: file }, /the daemon did not start: .*state directory .*file/);
    assert.match(text, /SigIgn:/);
  });

  await report.test('a socket directory that cannot be made: no log is named', async () => {
    const text = await gives({ PTYD_SOCKET: '/proc/nowhere/s' }, /cannot make \/proc\/nowhere, the directory of the socket: /);
    assert.ok(!/\.log/.test(text), text);
  });

  await report.test('no descriptors, for the daemon and for ptyd itself', () => gives({}, /ptyd: /, `sh -c 'ulimit -n 4; exec ${PTYD}'`));

  await report.test('a listener that never answers; Ctrl-C meanwhile', async () => {
    const socket = path.join(space.root, 'deaf'), server = net.createServer(() => {}).listen(socket);
    const deaf = (meanwhile) => gives({ PTYD_SOCKET: socket }, /the daemon does not answer/, PTYD, meanwhile);
    await deaf();
    // what is hit before ptyd runs ends what starts it: it runs once it has connected
    await deaf((type) => server.once('connection', () => type('\x03')));
    await looks({ PTYD_SOCKET: socket });
    server.close();
  });

  await report.test('a listener that trickles bytes: none of them is an answer', async () => {
    const socket = path.join(space.root, 'drip'), drips = [];
    const server = net.createServer((client) => {
      client.on('error', () => {});
      client.write('{"jsonrpc":"2.0","id":1,"result":[');
      drips.push(setInterval(() => client.write(' '), 50));
    }).listen(socket);
    await looks({ PTYD_SOCKET: socket });
    drips.forEach(clearInterval);
    server.close();
  });

  await report.test('a listener that closes every connection at once is as silent; what does more than look waits, and says so', async () => {
    const socket = path.join(space.root, 'closer'), env = { PTYD_SOCKET: socket };
    let connections = 0;
    const server = net.createServer((client) => { connections += 1; client.on('error', () => {}); client.destroy(); }).listen(socket);
    await looks(env);
    connections = 0;
    const wait = await new Promise((resolve) => execFile(PTYD, ['wait', '-s', 'w', '--idle', '1', '--timeout', '2'], { env: { ...space.env, ...env }, timeout: 20000 }, (error, stdout, stderr) => resolve([error?.code, stderr])));
    assert.deepStrictEqual(wait, [124, 'ptyd: no answer from the daemon yet; waiting for it\nptyd: the daemon does not answer; `ptyd status` says more\n']);
    assert.ok(connections < 200, `${connections} connections in 2 s`);
    const detach = spawn(PTYD, ['detach', 'w'], { env: { ...space.env, ...env } });
    let said = '';
    detach.stderr.on('data', (data) => { said += data; });
    await until('it says that it waits', () => said === 'ptyd: no answer from the daemon yet; waiting for it\n');
    assert.strictEqual(detach.exitCode, null);
    assert.strictEqual(await new Promise((resolve) => detach.on('close', resolve)), 1);
    assert.match(said, /\nptyd: the daemon does not answer \(waited [5-9] s\): /);
    server.close();
  });

  await report.test('an answer that was there in time is read, however late', async () => {
    const socket = path.join(space.root, 'held');
    let look, said = '';
    const server = net.createServer((client) => client.on('data', () => {
      look.kill('SIGSTOP');
      client.write('{"jsonrpc":"2.0","id":1,"result":[]}\n');
      setTimeout(() => look.kill('SIGCONT'), 2500); // longer than it waits
    })).listen(socket);
    look = spawn(PTYD, ['list'], { env: { ...space.env, PTYD_SOCKET: socket } });
    for (const stream of [look.stdout, look.stderr]) stream.on('data', (data) => { said += data; });
    assert.strictEqual(await new Promise((resolve) => look.on('close', resolve)), 0, said);
    assert.match(said, /^No sessions/);
    server.close();
  });

  await report.test('a daemon of another kind: what it says is no session', async () => {
    const socket = path.join(space.root, 'other');
    const server = net.createServer((client) => client.on('data', (data) => {
      for (const line of String(data).trim().split('\n')) client.write(`${JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result: {} })}\n`);
    })).listen(socket);
    await gives({ PTYD_SOCKET: socket }, /it is another version: `ptyd upgrade` replaces it/);
    server.close();
  });

  await report.test('a library that is there no more: the plain shell, and commands that do without go on', async () => {
    const broken = path.join(space.root, 'broken'), env = { LD_LIBRARY_PATH: broken };
    fs.mkdirSync(broken);
    fs.mkdirSync(path.join(space.env.PTYD_STATE_DIR, 'conversations'), { recursive: true });
    for (const name of ['uv.so.1', 'vterm.so.0', 'pcre2-8.so.0', 'sqlite3.so.0', 'wslay.so.1', 'md.so.0']) fs.writeFileSync(path.join(broken, `lib${name}`), '');
    // as the leader of a session: who led ours may be gone, or in another container, and `inside` then cannot know
    const says = (...args) => { const { status, stderr } = spawnSync('setsid', ['-w', PTYD, ...args], { env: { ...space.env, ...env }, encoding: 'utf8' }); return { status, stderr }; };
    assert.deepStrictEqual(says('inside'), { status: 1, stderr: '' });
    assert.deepStrictEqual(says('version'), { status: 0, stderr: '' });
    const { status, stderr } = says('search', 'word');
    assert.strictEqual(status, 1);
    assert.match(stderr, /^ptyd: the library libsqlite3\.so\.0 cannot be used: .*file too short; its package/);
    await gives(env, /the daemon did not start: .*the library libuv\.so\.1 cannot be used/);
  });

  const daemon = await new Daemon(space).ready();
  await report.test('$SHELL that is not there, or is ptyd: the shell of the account', async () => {
    await gives({}, /cannot start \/nowhere\/zsh: /, `env SHELL=/nowhere/zsh ${PTYD}`);
    const terminal = new Terminal(space.env, `env SHELL=${PTYD} ${PTYD}`);
    const state = () => daemon.json('list')[0];
    const { shell } = await until('a session of another shell', () => state()?.state === 'prompt' && state());
    assert.match(shell, /^(ba|z|fi|da)?sh$/);
    await terminal.enter('exit 6');
    assert.strictEqual(await terminal.ended(), 6);
  });

  // The connection takes 3, the session 4; signals would take 5.
  for (const [files, what] of [[4, 'the session'], [5, 'signals']])
    await report.test(`attach with ${files} descriptors says why not`, async () => {
      daemon.ptyd('open', 'few');
      const terminal = new Terminal(space.env, `sh -c 'ulimit -n ${files}; exec ${PTYD} attach few'`);
      assert.strictEqual(await terminal.ended(), 1);
      assert.match(terminal.text, new RegExp(`no descriptor is left for ${what}: .ulimit -n. says`));
      daemon.ptyd('close', 'few');
    });

  await report.test('started by who ignores signals, SIGCHLD above all: the end of the shell is heard of', async () => {
    const own = workspace(), terminal = new Terminal(own.env, `exec bash -c "trap '' HUP INT QUIT TERM CHLD TSTP PIPE; exec ${PTYD}"`);
    await terminal.enter('exit 5');
    assert.strictEqual(await terminal.ended(), 5);
    assert.deepStrictEqual(JSON.parse(spawnSync(PTYD, ['list', '--json'], { env: own.env, encoding: 'utf8' }).stdout), []);
    process.kill(JSON.parse(spawnSync(PTYD, ['status', '--json'], { env: own.env, encoding: 'utf8' }).stdout).keeper_pid);
    removeWorkspace(own);
  });

  await report.test('a terminal of plain text alone', () => gives({ TERM: 'dumb' }, /TERM is dumb/));

  const { keeper_pid: keeper, worker_pid: worker } = daemon.json('status');
  for (const [who, pids, advice] of [['worker', [worker], `its worker, process ${worker}, is stopped: \`kill -CONT ${worker}\``], ['keeper', [keeper], `its keeper, process ${keeper}, is stopped: \`kill -CONT ${keeper}\``], ['whole daemon', [keeper, worker], `its processes are stopped: \`kill -CONT ${keeper} ${worker}\` lets them go on`]]) {
    await report.test(`a ${who} that is stopped, and what goes on when it goes on`, async () => {
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      try {
        if (who !== 'keeper') await looks({});
        await gives({}, new RegExp(`the daemon does not answer \\(waited [0-9.]+ s\\): ${advice.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`));
      } finally { for (const pid of pids) process.kill(pid, 'SIGCONT'); }
      await until('no session that nobody has', () => !daemon.json('list').length);
    });
  }
  await daemon.stop();

  await report.test('whoever hangs costs a second and no more', () => {
    assert.ok(seconds.sort((a, b) => a - b)[seconds.length >> 1] < 2000, `${seconds} ms`);
  });

  // As little, in KiB, as lets the program itself be loaded, and hardly more: a daemon's library or its worker does not
  // fit in it.
  for (const more of [0, 500])
    await report.test(`no daemon can be had for want of memory: with ${more} KiB more than ptyd needs`, () => {
      const little = Array.from({ length: 60 }, (_, i) => 4000 + 500 * i).find((size) => spawnSync('sh', ['-c', `ulimit -v ${size}; exec ${PTYD} version`]).status === 0);
      return gives({}, /ptyd: /, `sh -c 'ulimit -v ${little + more}; exec ${PTYD}'`);
    });

  spawnSync('sh', ['-c', `kill $(cat ${space.env.PTYD_SOCKET}.lock) 2>/dev/null`]);
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
