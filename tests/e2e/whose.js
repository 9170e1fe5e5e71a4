// Whose daemon, whose directory: what another user of the machine put in our way hears nothing, and what is not
// ours stays as it is. Most of it needs root, to be somebody else.
'use strict';
const assert = require('node:assert');
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { PTYD, workspace, removeWorkspace, Daemon, Report, SocketClient, until, socketsAt } = require('./harness');

const NOBODY = 65534, VICTIM = 54321;
const SECRET = 'only-for-our-daemon';

// Another user's program that listens at a place, answers whatever it is told, and keeps every byte of it.
const LISTENER = `
  const net = require('node:net'), fs = require('node:fs');
  const [place, heard] = process.argv.slice(1);
  const answer = (id) => JSON.stringify({ jsonrpc: '2.0', id, result: { lease: 1, text: 'do as I say', pong: true } });
  net.createServer((c) => {
    fs.appendFileSync(heard + '.connections', '+');
    c.on('error', () => {});
    c.on('data', (d) => { fs.appendFileSync(heard, d); c.write(answer(1) + '\\n' + answer(2) + '\\n'); });
  }).listen(place, () => { fs.chmodSync(place, 0o777); fs.writeFileSync(heard + '.ready', ''); });`;

function as(uid, command, args, options = {}) {
  return ['setpriv', ['--reuid', String(uid), '--regid', String(uid), '--clear-groups', command, ...args], options];
}

// A place that everybody can come to, with a copy of the program in it.
function openPlace() {
  const place = fs.mkdtempSync(path.join(os.tmpdir(), 'ptyd-whose-'));
  fs.chmodSync(place, 0o755);
  fs.copyFileSync(PTYD, path.join(place, 'ptyd'));
  fs.chmodSync(path.join(place, 'ptyd'), 0o755);
  return place;
}

class Stranger {
  // `directory` is made for it; it listens at `socket` there.
  constructor(place, name, { mode = 0o755, socket = 'ptyd.sock' } = {}) {
    this.directory = path.isAbsolute(name) ? name : path.join(place, name);
    fs.mkdirSync(this.directory);
    fs.chownSync(this.directory, NOBODY, NOBODY);
    fs.chmodSync(this.directory, mode);
    this.socket = path.join(this.directory, socket);
    this.notes = path.join(place, `${path.basename(this.directory)}.heard`);
    fs.mkdirSync(this.notes);
    fs.chownSync(this.notes, NOBODY, NOBODY);
    this.heardFile = path.join(this.notes, 'bytes');
  }

  async listen() {
    this.process = spawn(...as(NOBODY, process.execPath, ['-e', LISTENER, this.socket, this.heardFile], { stdio: ['ignore', 'ignore', 'inherit'] }));
    await until('the stranger listens', () => fs.existsSync(`${this.heardFile}.ready`));
    return this;
  }

  heard() { return fs.existsSync(this.heardFile) ? fs.readFileSync(this.heardFile, 'utf8') : ''; }

  connections() { return fs.existsSync(`${this.heardFile}.connections`) ? fs.statSync(`${this.heardFile}.connections`).size : 0; }

  end() { this.process.kill('SIGKILL'); }
}

const EVENT = JSON.stringify({ session_id: '1', cwd: '/tmp', hook_event_name: 'UserPromptSubmit', prompt: 'x' });
const RPC = [
  { id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } } },
  { method: 'notifications/initialized' },
  { id: 1, method: 'tools/list' },
  { id: 2, method: 'tools/call', params: { name: 'sessions', arguments: {} } },
].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message })).join('\n');

// Every way in which a command talks to a daemon: arguments, what is typed into it.
const COMMANDS = [
  [['open', 'one']], [['run', '--timeout', '1', '--', 'true']], [['list']], [['status']], [['status', '--short']], [['blocks']], [['screen']], [['scrollback']],
  [['send', 'text']], [['wait', '--timeout', '1', 'text']], [['expect', '--timeout', '1', 'a', 'b']], [['context', 'show']], [['context', 'take']], [['context', 'off']], [['events', '-f']],
  [['close', 'one']], [['resize', '80x24']], [['rename', 'a', 'b']], [['upgrade']], [['detach']], [['grant']], [['notify', 'codex']], [['doctor']], [['last']], [['rerun']], [['block', '1']], [['forget', '1']], [['record', '-o', '/dev/null']],
  [['script', '-'], 'open one\n'], [['diff']], [['copy']], [['search', 'text']], [['explain']], [['reset', 'one']], [['inside']], [['hosts']], [['relay', 'status']], [['exec', '--', 'true']], [['completion', '--words', 'ptyd', 'attach', '']], [['verify']],
  [['hook', 'opencode'], EVENT], [['hook', 'copilot'], EVENT], [['mcp', '--drive', '--tools', 'all'], `${RPC}\n`], [['proxy', '--acp', '--', 'cat'], `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'session/prompt', params: { sessionId: 't', prompt: [{ type: 'text', text: 'x' }] } })}\n`],
  [['hook', 'claude'], EVENT], [['hook', 'gemini'], EVENT], [['hook', 'codex'], EVENT], [['mcp'], `${RPC}\n`], [['attach', 'one']], [['--no-start', 'attach', 'one']],
  [['proxy', '--', 'cat'], `${JSON.stringify({ id: 1, method: 'turn/start', params: { threadId: 't', input: [{ type: 'text', text: 'x' }] } })}\n`],
];

// These speak with no daemon, or are one; `codex` is `proxy`, which is asked for itself.
const ALONE = ['serve', 'enable', 'disable', 'codex', 'replay', 'test', 'version'];

// These say why nothing came of it.
const SAY = ['open', 'run', 'list', 'status', 'screen', 'send', 'context', 'events', 'hook', 'mcp', 'upgrade', 'close'];

async function main() {
  const report = new Report();
  const space = workspace();

  await report.test('what is not ours keeps its mode, and we say what to do', async () => {
    for (const mode of [0o1777, 0o777, 0o775]) {
      const D = path.join(space.root, `d${mode.toString(8)}`), state = `${D}-state`;
      fs.mkdirSync(D);
      fs.chmodSync(D, mode);
      const keeps = () => { assert.strictEqual(fs.statSync(D).mode & 0o7777, mode); assert.deepStrictEqual(fs.readdirSync(D), []); };
      for (const args of [['serve'], ['open', 'x'], ['run', '--', 'true']]) {
        const at = spawnSync(PTYD, args, { env: { ...space.env, PTYD_SOCKET: `${D}/p.sock`, PTYD_STATE_DIR: state }, encoding: 'utf8', timeout: 20000 });
        assert.notStrictEqual(at.status, 0, args.join(' '));
        assert.match(at.stderr, new RegExp(`${D} .*chmod (go-w|700) ${D}.*, or choose another place`));
        keeps();
      }
      const at = spawnSync(PTYD, ['serve'], { env: { ...space.env, PTYD_STATE_DIR: D }, encoding: 'utf8', timeout: 20000 });
      assert.strictEqual(at.status, 1);
      assert.match(at.stderr, new RegExp(`the state directory ${D} is not ours alone; .*\`chmod 700 ${D}\`, or choose`));
      keeps();
      const proxy = spawnSync(PTYD, ['proxy', '--listen', `unix://${D}/x`, '--connect', `unix://${D}/y`], { env: space.env, encoding: 'utf8', timeout: 20000 });
      assert.strictEqual(proxy.status, 1);
      assert.match(proxy.stderr, new RegExp(`${D} .*chmod (go-w|700) ${D}.*, or choose another`));
      keeps();
    }
  });

  await report.test('a state directory that is a link: followed where nobody else can turn it', async () => {
    const real = path.join(space.root, 'elsewhere'), link = path.join(space.root, 'link'), open = path.join(space.root, 'open');
    fs.mkdirSync(real, { mode: 0o700 });
    fs.symlinkSync(real, link);
    const env = { ...space.env, PTYD_STATE_DIR: link, PTYD_SOCKET: path.join(space.root, 'linked-run/s') };
    const daemon = await new Daemon({ ...space, env }).ready();
    assert.strictEqual(daemon.ptyd('open', 'x').status, 0);
    assert.deepStrictEqual(fs.readdirSync(path.join(real, 'conversations')), ['x']);
    assert.deepStrictEqual([fs.lstatSync(link).isSymbolicLink(), fs.statSync(real).mode & 0o777], [true, 0o700]);
    await daemon.stop();
    // Through a directory in which others may write; to one that others may write; to nothing.
    fs.mkdirSync(open);
    fs.chmodSync(open, 0o777);
    fs.mkdirSync(path.join(open, 'mine'), { mode: 0o700 });
    for (const target of [path.join(open, 'mine'), open, path.join(space.root, 'nowhere')]) {
      fs.rmSync(link);
      fs.symlinkSync(target, link);
      const at = spawnSync(PTYD, ['serve'], { env, encoding: 'utf8', timeout: 20000 });
      assert.strictEqual(at.status, 1, target);
      assert.match(at.stderr, /state directory/);
    }
    assert.deepStrictEqual([fs.readdirSync(open), fs.readdirSync(path.join(open, 'mine')), fs.existsSync(path.join(space.root, 'nowhere'))], [['mine'], [], false]);
  });

  await report.test('directories of ours that others may only read are used as they are; the socket is not for others', async () => {
    const D = path.join(space.root, 'readable'), at = path.join(space.root, 'readable-at');
    for (const place of [D, at]) {
      fs.mkdirSync(place);
      fs.chmodSync(place, 0o755);
    }
    const socket = path.join(at, 'readable-run/s'), beside = path.join(at, 's');
    const other = await new Daemon({ ...space, env: { ...space.env, PTYD_STATE_DIR: `${D}-other`, PTYD_SOCKET: beside } }).ready();
    assert.strictEqual(fs.statSync(beside).mode & 0o777, 0o600);
    await other.stop();
    const daemon = await new Daemon({ ...space, env: { ...space.env, PTYD_STATE_DIR: D, PTYD_SOCKET: socket } }).ready();
    for (const place of [D, at]) assert.strictEqual(fs.statSync(place).mode & 0o777, 0o755);
    assert.strictEqual(fs.statSync(path.dirname(socket)).mode & 0o777, 0o700, 'what we make is ours alone');
    assert.strictEqual(daemon.ptyd('open', 'x').status, 0);
    assert.strictEqual(fs.statSync(path.join(D, 'conversations')).mode & 0o777, 0o700);
    await daemon.stop();
  });

  if (process.getuid() !== 0 || spawnSync(...as(NOBODY, 'true', [])).status !== 0) {
    report.skip('another user', 'only root can be somebody else');
    removeWorkspace(space);
    report.finish();
    return;
  }

  const place = openPlace(), program = path.join(place, 'ptyd'), strangers = [];
  const stranger = async (...args) => { const s = await new Stranger(place, ...args).listen(); strangers.push(s); return s; };
  const env = (socket) => ({ ...space.env, TOKEN: SECRET, PTYD_SOCKET: socket, PTYD_STATE_DIR: path.join(space.root, 'none') });
  // What a command says; it ends by itself, whatever it finds.
  const run = (socket, [args, input = ''], uid = 0, more = {}) => {
    const [file, all, options] = uid ? as(uid, program, args) : [program, args, {}];
    const result = spawnSync(file, all, { ...options, env: { ...env(socket), ...more }, input, encoding: 'utf8', timeout: 60000, cwd: '/' });
    assert.ok(!result.error || result.error.code === 'EPIPE', `${args.join(' ')}: ${result.error}`); // it need not read what it is given
    return result;
  };

  await report.test('root with another user\'s environment leaves nothing of root\'s in the state directory', () => {
    const home = path.join(place, 'theirs'), state = path.join(home, 'ptyd'), session = path.join(state, 'conversations/x/agent_pty');
    fs.mkdirSync(session, { recursive: true });
    fs.writeFileSync(path.join(session, 'blocks.jsonl'), `${JSON.stringify({ block_id: 'x:1:1', seq: 1, cmd: 'echo needle', cwd: '/', exit_code: 0, status: 'completed', type: 'user_cmd', ts_begin: 1, ts_end: 2, duration_ms: 1, output_lines: 0, output_bytes: 0, output_path: '', preview: { lines: [], truncated: false }, omitted_lines: 0 })}\n`);
    assert.strictEqual(spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, home]).status, 0);
    const search = (uid) => run(path.join(place, 'no-socket'), [['search', 'needle']], uid, { PTYD_STATE_DIR: state });
    const refused = search(0);
    assert.deepStrictEqual([refused.status, refused.stdout], [1, '']);
    assert.match(refused.stderr, new RegExp(`belongs to user ${NOBODY}; search as that one`));
    assert.match(search(NOBODY).stdout, /^x:1 .*echo needle$/m);
    const roots = spawnSync('find', [home, '-uid', '0'], { encoding: 'utf8' }).stdout;
    assert.strictEqual(roots, '');
    fs.rmSync(home, { recursive: true });
  });

  await report.test('root makes no state directory in the home of who called sudo, which that one could not enter', () => {
    const home = path.join(place, 'home'), runtime = path.join(place, 'runtime'), sockets = path.join(space.root, 'roots');
    for (const directory of [home, runtime]) { fs.mkdirSync(directory, { mode: 0o700 }); fs.chownSync(directory, VICTIM, VICTIM); }
    const left = () => [fs.readdirSync(home), fs.readdirSync(runtime)];
    const serve = (env) => spawnSync(program, ['serve'], { env: { PATH: process.env.PATH, SUDO_UID: String(VICTIM), ...env }, cwd: '/', encoding: 'utf8', timeout: 20000 });
    for (const [env, says] of [[{ HOME: home, XDG_RUNTIME_DIR: runtime }, /^ptyd: the socket cannot be .* belongs to user 54321/], // sudo -E
      [{ HOME: home, PTYD_SOCKET: path.join(sockets, 's') }, /^ptyd: the state directory would be made by root in .*home, which belongs to user 54321/],
      [{ HOME: '/root', XDG_STATE_HOME: path.join(home, 'deep/er'), PTYD_SOCKET: path.join(sockets, 's') }, /^ptyd: the state directory would be made by root in .*home, which belongs to user 54321/]]) {
      const { status, stderr } = serve(env);
      assert.ok(status === 1 && says.test(stderr), stderr);
      assert.deepStrictEqual(left(), [[], []]);
    }
    // a container's root has a home that is a user's outside, and nobody called sudo, or another one did
    for (const more of [{ SUDO_UID: '' }, { SUDO_UID: String(NOBODY) }]) {
      const theirs = path.join(place, `mounted-${more.SUDO_UID}`), socket = path.join(sockets, 's');
      fs.mkdirSync(theirs);
      fs.chownSync(theirs, VICTIM, VICTIM);
      const opened = run(socket, [['open', 'one']], 0, { HOME: theirs, PTYD_STATE_DIR: '', XDG_STATE_HOME: '', ...more });
      assert.strictEqual(opened.status, 0, opened.stderr);
      const lock = path.join(theirs, '.local/state/ptyd/lock'), pid = Number(fs.readFileSync(lock, 'utf8'));
      process.kill(pid);
      spawnSync('tail', ['-f', '--pid', String(pid), '/dev/null'], { timeout: 20000 });
    }
    const own = spawnSync(...as(VICTIM, program, ['open', 'one'], { env: { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: runtime }, cwd: '/', encoding: 'utf8', timeout: 60000 }));
    assert.strictEqual(own.status, 0, own.stderr);
    spawnSync(...as(VICTIM, 'sh', ['-c', 'read pid <"$0"; kill "$pid"', path.join(home, '.local/state/ptyd/lock')]));
  });

  await report.test('every command is among them', () => {
    const table = fs.readFileSync(path.join(__dirname, '../../ptyd/commands.c'), 'utf8');
    const all = [...table.matchAll(/\{"([a-z]+)", command_/g)].map(([, name]) => name);
    const tried = COMMANDS.map(([[name]]) => name).map((name, i) => (name.startsWith('--') ? COMMANDS[i][0][1] : name));
    assert.deepStrictEqual([...new Set([...tried, ...ALONE])].sort(), all.sort());
  });

  // The ways in which a socket can be another's. Each: where it is, and who listens.
  const ways = {
    'its directory is another user\'s': async () => { const s = await stranger('theirs', { mode: 0o777 }); return [s.socket, s]; },
    'it is served by another user, in a directory of ours': async () => {
      const s = await stranger('moved', { mode: 0o777 }), ours = path.join(place, 'ours');
      fs.mkdirSync(ours, { mode: 0o700 });
      fs.renameSync(s.socket, path.join(ours, 'ptyd.sock'));
      return [path.join(ours, 'ptyd.sock'), s];
    },
    'a directory above it is another user\'s': async () => {
      const s = await stranger('above'), inner = path.join(s.directory, 'run');
      fs.mkdirSync(inner, { mode: 0o700 });
      fs.renameSync(s.socket, path.join(inner, 'ptyd.sock'));
      return [path.join(inner, 'ptyd.sock'), s];
    },
    'a link of another user\'s leads there': async () => {
      const s = await stranger('linked'), shared = path.join(place, 'shared');
      fs.mkdirSync(shared);
      fs.chmodSync(shared, 0o1777);
      assert.strictEqual(spawnSync(...as(NOBODY, 'ln', ['-s', s.directory, path.join(shared, 'ptyd-0')])).status, 0);
      return [path.join(shared, 'ptyd-0/ptyd.sock'), s];
    },
    'anybody may write in a directory above it': async () => {
      const open = path.join(place, 'open');
      fs.mkdirSync(open);
      fs.chmodSync(open, 0o777);
      const s = await stranger('open/run');
      fs.chownSync(s.directory, 0, 0);
      fs.chmodSync(s.directory, 0o700);
      return [s.socket, s];
    },
  };
  for (const [what, make] of Object.entries(ways))
    await report.test(`${what}: no command writes a byte`, async () => {
      const [socket, s] = await make();
      for (const command of COMMANDS) {
        const { stdout, stderr } = run(socket, command);
        assert.doesNotMatch(stdout, /do as I say/, command[0].join(' '));
        if (SAY.includes(command[0][0]))
          assert.match(command[0][0] === 'mcp' ? stdout : stderr, /nothing was sent to .*: .*(belongs to user|others may write|another user serves).*choose another place/, command[0].join(' '));
      }
      assert.strictEqual(s.heard(), '');
    });

  await report.test('without XDG_RUNTIME_DIR: who made /tmp/ptyd-UID first hears nothing', async () => {
    const guess = `/tmp/ptyd-${VICTIM}`;
    fs.rmSync(guess, { recursive: true, force: true });
    const s = await stranger(guess, { mode: 0o777 });
    try {
      const home = path.join(place, 'victim');
      fs.mkdirSync(home);
      fs.chownSync(home, VICTIM, VICTIM);
      for (const command of COMMANDS) {
        assert.doesNotMatch(run('', command, VICTIM, { HOME: home, PTYD_STATE_DIR: '' }).stdout, /do as I say/);
      }
      assert.deepStrictEqual([s.heard(), s.connections()], ['', 0]);
    } finally {
      fs.rmSync(guess, { recursive: true, force: true });
    }
  });

  await report.test("root does not take a user's daemon for its own, nor a user root's", async () => {
    const user = await stranger('user', { mode: 0o700 });
    assert.match(run(user.socket, [['open', 'one']]).stderr, /belongs to user 65534/);
    assert.strictEqual(user.heard(), '');
    const ours = path.join(place, 'roots'), theirs = path.join(place, 'victims'), heard = [];
    for (const at of [ours, theirs]) fs.mkdirSync(at, { mode: 0o755 });
    const server = net.createServer((c) => { c.on('error', () => {}); c.on('data', (d) => heard.push(d)); }).listen(path.join(ours, 's'));
    await until('root listens', () => socketsAt(path.join(ours, 's')).listens);
    fs.chmodSync(path.join(ours, 's'), 0o777);
    fs.renameSync(path.join(ours, 's'), path.join(theirs, 's'));
    fs.chownSync(theirs, VICTIM, VICTIM);
    fs.chmodSync(theirs, 0o700);
    const asked = spawn(...as(VICTIM, program, ['open', 'one'], { env: env(path.join(theirs, 's')), cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] }));
    let said = '';
    asked.stderr.on('data', (d) => { said += d; });
    await new Promise((resolve) => asked.on('close', resolve));
    assert.match(said, /another user serves/);
    assert.strictEqual(Buffer.concat(heard).length, 0);
    server.close();
  });

  await report.test("the proxy's upstream, codex's own socket, too", async () => {
    const s = await stranger('upstream', { mode: 0o777, socket: 'server.sock' });
    const control = path.join(place, 'codex-home/app-server-control');
    fs.mkdirSync(control, { recursive: true });
    fs.symlinkSync(s.socket, path.join(control, 'app-server-control.sock'));
    const calls = [['--connect', `unix://${s.socket}`], ['--connect', 'codex'], ['--', 'sh', '-c', 'exec sleep 60', 'x', '--listen', `unix://${s.socket}`]];
    for (const args of calls) {
      const shared = args[0] === '--' ? ['--listen', `unix://${path.join(place, 'front/s')}`] : [];
      const { status, stderr, error } = spawnSync(program, ['proxy', ...shared, ...args], { env: { ...space.env, CODEX_HOME: path.join(place, 'codex-home') }, input: '{"id":1,"method":"initialize"}\n', encoding: 'utf8', timeout: 60000 });
      assert.ok((!error || error.code === 'EPIPE') && status !== 0, `${args.join(' ')}: ${error || status}`);
      assert.match(stderr, /nothing was sent to .*: .*belongs to user 65534/, args.join(' '));
    }
    const front = path.join(place, 'front/p');
    const proxy = spawn(program, ['proxy', '--listen', `unix://${front}`, '--connect', `unix://${s.socket}`], { env: space.env, stdio: 'ignore' });
    // Between bind() and listen() the file is there, and refuses.
    const answer = await until('the proxy answers', async () => {
      const client = await SocketClient.open(front, { headers: { Authorization: `Bearer ${SECRET}` } });
      return client.status;
    });
    assert.strictEqual(answer, 503);
    proxy.kill('SIGTERM');
    assert.strictEqual(s.heard(), '');
  });

  for (const s of strangers) s.end();
  fs.rmSync(place, { recursive: true, force: true });
  removeWorkspace(space);
  report.finish();
}

main();
