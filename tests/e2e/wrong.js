// What goes wrong from outside: a clear message, the right exit status, the terminal as it was, and a daemon that
// goes on. Usage: node wrong.js
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { PTYD, workspace, removeWorkspace, Daemon, Report, Control, until } = require('./harness');
const { Outer } = require('./outer');

async function main() {
  const report = new Report();
  const space = workspace();
  const env = { ...space.env, TERM: 'xterm-256color' };
  const daemon = await new Daemon(space).ready();
  const call = (args, options = {}) => spawnSync(PTYD, args, { env, cwd: space.home, encoding: 'utf8', timeout: 120000, ...options });
  const goesOn = () => assert.strictEqual(call(['run', '-s', 'work', '--timeout', '60', '--', 'true']).status, 0);
  assert.strictEqual(call(['open', 'work']).status, 0);

  // Whether what ran there left the terminal as it was; what it printed.
  const inTerminal = async (command, size = '80x24', meanwhile = async () => {}) => {
    const outer = new Outer(env, ['sh', '-c', `a=$(stty -g); ${command}; echo "status $?"; [ "$a" = "$(stty -g)" ] && echo as-it-was`], { cwd: space.home, size });
    await meanwhile(outer);
    await outer.expect('as-it-was');
    const shown = outer.received().toString();
    assert.strictEqual(await outer.ended, 0);
    await outer.end();
    return shown.replaceAll('\r', '');
  };

  await report.test('a name with a NUL in it is none', async () => {
    const control = new Control(space.env.PTYD_SOCKET);
    for (const [method, params] of [['session.open', { name: 'a\0b' }], ['session.screen', { name: 'work\0x' }], ['session.rename', { name: 'work', to: 'w\0x' }], ['context.take', { consumer: 'codex:a\0b', session: 'work' }]]) {
      const { error } = await control.ask(method, params);
      assert.match(error.message, /has a NUL in it/, method);
    }
    control.socket.destroy();
    assert.deepStrictEqual(daemon.json('list').map(({ name }) => name), ['work']);
  });

  await report.test('a session that is not: 1, which may have been meant, and what to do', async () => {
    for (const args of [['send', 'x'], ['wait', '--prompt'], ['expect', 'x'], ['screen'], ['scrollback'], ['blocks'], ['block', '1'], ['last'], ['rerun'], ['diff'], ['resize', '80x24'], ['close'], ['detach'], ['reset'], ['context', 'pause'], ['status', '--short'], ['status'], ['context', 'show'], ['grant']]) {
      const { status, stdout, stderr } = call([args[0], ...args.slice(1), '-s', 'wrok']);
      assert.ok([1, 2, 125].includes(status), `${args}: ${status}`);
      assert.strictEqual(stdout, '', `${args}`);
      assert.match(stderr, /^ptyd: there is no session wrok; .*`ptyd (open|list|attach)/, `${args}: ${stderr}`);
    }
    assert.match(await inTerminal(`${PTYD} attach wrok`), /^ptyd: there is no session wrok; did you mean work\?[^\n]*\nstatus 1$/m);
    assert.match(await inTerminal(`${PTYD} attach`), /^ptyd: there is no session default, only work; `ptyd open default` starts it, `ptyd list` shows all\nstatus 1$/m);
  });

  // node's own arguments are UTF-8: sh makes the bytes.
  const inShell = (line, cwd) => spawnSync('sh', ['-c', line, PTYD], { env, cwd, encoding: 'utf8', timeout: 20000 });
  await report.test('arguments that are no UTF-8: said at once, and nothing else is done', () => {
    const none = "$(printf 'b\\377')";
    for (const args of [`run -s work -- ls ${none}`, `open other -- ls ${none}`, `wait -s work ${none}`, `expect -s work ${none} --send x`, `block ${none} -s work`, `block 1 -s work --search ${none}`, `rerun ${none}`, `diff ${none}`,
      `copy ${none}`, `rename work ${none}`, `explain ${none}`, `forget --yes ${none}`, `context take --consumer ${none}`, `context off --thread ${none}`, `context on --thread ${none}`, `notify codex -s work --thread ${none}`]) {
      const { status, stderr } = inShell(`"$0" ${args}`);
      assert.strictEqual(status, 2, `${args}: ${stderr}`);
      assert.match(stderr, /^ptyd: [A-Z]+ is not UTF-8/, args);
    }
    assert.deepStrictEqual([daemon.json('status').injection, daemon.json('list').map(({ name }) => name)], [true, ['work']]);
  });

  await report.test('a directory whose name is no UTF-8: a session begins there, and commands go on', () => {
    const here = "d=$(printf 'h\\374tte'); mkdir -p \"$d\"; cd \"$d\";";
    const where = '"readlink /proc/\\$\\$/cwd | tail -c 6 | od -An -tx1"';
    for (const [line, name] of [[`${here} "$0" open h1`, 'h1'], ['"$0" open h2 --cwd h*tte', 'h2'], [`${here} "$0" run -s h3 -- true`, 'h3']]) {
      assert.strictEqual(inShell(line, space.home).status, 0, line);
      assert.strictEqual(inShell(`${here} "$0" run -s ${name} -- ${where}`, space.home).stdout.trim(), '68 fc 74 74 65 0a', name);
      assert.strictEqual(call(['close', name]).status, 0);
    }
  });

  await report.test('such a directory is none for a worker that does not know cwd_base64: it begins nowhere else', async () => {
    // What such a worker reads of the request: cwd, and "/" where there is none.
    const socket = path.join(space.root, 'older');
    const asked = new Promise((resolve) => {
      const server = net.createServer((client) => client.once('data', (data) => { resolve(JSON.parse(String(data).split('\n')[0])); client.destroy(); server.close(); }));
      server.listen(socket, () => spawn('sh', ['-c', 'd=$(printf "o\\374er"); mkdir -p "$d"; cd "$d"; exec "$0" open h4 --socket "$1"', PTYD, socket], { env, cwd: space.home, stdio: 'ignore' }));
    });
    const { params } = await asked;
    assert.strictEqual(Buffer.from(params.cwd_base64, 'base64').toString('latin1'), path.join(fs.realpathSync(space.home), 'o\xfcer'));
    assert.ok(path.isAbsolute(params.cwd) && !fs.existsSync(params.cwd), params.cwd);
  });

  await report.test('a state directory whose name is no UTF-8: no daemon begins in it, and which variable says another', () => {
    const { status, stderr } = inShell(`d=$(printf '%s/st\\374' ${space.root}); PTYD_STATE_DIR="$d" PTYD_SOCKET=${space.root}/own/sock "$0" open x`);
    assert.strictEqual(status, 1);
    assert.match(stderr, /^ptyd: the daemon did not start: the name of the state directory, .*, is not UTF-8; set PTYD_STATE_DIR to another place\n$/);
  });

  await report.test('status of one session is about no other', () => {
    call(['open', 'second']);
    const ones = (...args) => JSON.parse(call(['status', '--json', ...args]).stdout).sessions.map((session) => session.name);
    assert.deepStrictEqual(ones(), ['work', 'second']);
    assert.deepStrictEqual(ones('-s', 'second'), ['second']);
    assert.ok(!/^work /m.test(call(['status', '-s', 'second']).stdout));
    call(['close', 'second']);
    assert.match(call(['status', '-s', 'second']).stderr, /session second is closed/);
  });

  await report.test('run within the session that it is for says for what it waits', () => {
    const { stdout } = call(['run', '-s', 'work', '--', `${PTYD} run --timeout 2 -- true`]);
    assert.match(stdout, /^ptyd: waits for session work: the command that this is part of runs there; Ctrl-C/m);
  });

  await report.test('no terminal: attach, copy and bare ptyd say what else does', () => {
    assert.deepStrictEqual([call(['attach', 'work']).status, call(['attach', 'work']).stderr], [1, 'ptyd: attach needs a terminal; `ptyd run` and `ptyd screen` do not\n']);
    const bare = call([]);
    assert.deepStrictEqual([bare.status, bare.stderr], [2, 'ptyd: without a terminal, say which command\n`ptyd --help` says how it is used.\n']);
  });

  await report.test('a disk that takes nothing: what prints says so, and fails', () => {
    goesOn();
    for (const args of [['list'], ['status'], ['blocks'], ['blocks', '--json'], ['block', '1'], ['last'], ['screen'], ['scrollback'], ['context', 'show'], ['status', '--short'], ['doctor'], ['--help'], ['run', '--help'], ['version'], ['search', 'true']]) {
      const full = fs.openSync('/dev/full', 'w');
      const session = ['blocks', 'block', 'last', 'screen', 'scrollback'].includes(args[0]) ? ['-s', 'work'] : [];
      const { status, stderr } = call([...args, ...session], { stdio: ['ignore', full, 'pipe'] });
      fs.closeSync(full);
      if (args[0] === 'scrollback') continue; // of which nothing is there yet
      assert.strictEqual(status, 1, `${args}: ${stderr}`);
    }
    const full = fs.openSync('/dev/full', 'w'); // 1 would be the command's own
    assert.strictEqual(call(['run', '-s', 'work', '--', 'echo out'], { stdio: ['ignore', full, 'pipe'] }).status, 125);
    fs.closeSync(full);
  });

  await report.test('a pipe that nobody reads any more: it ends as other programs do, and run leaves a command that goes on', () => {
    const piped = (line) => { const { stdout, stderr } = spawnSync('bash', ['-c', `${line} | head -1; echo \${PIPESTATUS[0]}`, PTYD], { env, cwd: space.home, encoding: 'utf8', timeout: 20000 }); return [stdout, stderr]; };
    assert.strictEqual(call(['run', '-s', 'work', '--', 'seq 100000']).status, 0);
    const [expected] = piped('seq 100000');
    assert.strictEqual(expected, '1\n141\n');
    assert.deepStrictEqual(piped('"$0" last -s work'), ['$ seq 100000\n141\n', '']);
    assert.strictEqual(piped('"$0" run -s work -- seq 100000')[0], expected);
    goesOn();
    const [out, said] = piped('"$0" run -s work -- yes');
    assert.strictEqual(out, piped('yes')[0]);
    assert.match(said, /^ptyd: nobody reads its output any more; the command goes on in session work\. .*`ptyd send -s work --key C-c` stops it\n$/);
    assert.deepStrictEqual(daemon.json('blocks', '-s', 'work', '--last', '1').map(({ cmd, status }) => [cmd, status]), [['yes', 'running']]);
    assert.strictEqual(call(['send', '-s', 'work', '--key', 'C-c']).status, 0);
    goesOn();
  });

  await report.test('a tiny window: it shows the session, and is given back', async () => {
    for (const size of ['2x2', '1x1']) {
      const shown = await inTerminal(`${PTYD} attach work`, size, async (outer) => {
        await outer.expect('\x1b[22;0t'); // the terminal is the session's
        await outer.type(`echo ti""ny ${size}\r`);
        await until('it ran', () => daemon.json('blocks', '-s', 'work', '--last', '1')[0].cmd === `echo ti""ny ${size}`);
        await outer.type('\x1cd');
      });
      assert.match(shown, /\[left session work/);
    }
    goesOn();
  });

  await report.test('binary on stdin, as a file, as arguments: refused, or taken for what it is', () => {
    const bytes = Buffer.from([...Array(4096).keys()].map((i) => (i * 167 + (i >> 8)) & 255));
    const file = path.join(space.home, 'binary');
    fs.writeFileSync(file, bytes);
    assert.deepStrictEqual([call(['script', '-s', 'work', file]).status, call(['hook', 'claude'], { input: bytes }).status], [2, 0]);
    assert.match(call(['hook', 'claude'], { input: bytes }).stderr, /^ptyd: the event on stdin is no JSON object/);
    assert.strictEqual(call(['mcp'], { input: bytes }).status, 0);
    assert.strictEqual(call(['replay', '--format', 'raw', file]).status, 0);
    assert.strictEqual(call(['replay', '--format', 'asciicast', file]).status, 1);
    assert.strictEqual(call(['send', '-s', 'work', '--hex', 'zz']).status, 2);
    assert.strictEqual(call(['search', '--regex', '(']).status, 2);
    assert.strictEqual(call(['run', '-s', 'work', '--timeout', 'x', '--', 'true']).status, 2);
    const cat = spawnSync('sh', ['-c', `${PTYD} run -s work -- true < ${file}`], { env, cwd: space.home });
    assert.strictEqual(cat.status, 0);
    goesOn();
  });

  await report.test('ten clients that hammer: each is answered, and each command runs once', async () => {
    const before = daemon.json('blocks', '-s', 'work').length;
    const clients = [...Array(10).keys()].map((i) => new Promise((resolve) => {
      const script = `for n in 1 2 3; do "$0" list && "$0" status --json && "$0" blocks -s work && "$0" screen -s work && "$0" run -s work --timeout 110 -- "echo client-${i}-$n" || exit 1; done`;
      const client = spawn('sh', ['-c', script, PTYD], { env, cwd: space.home, stdio: ['ignore', 'pipe', 'pipe'] });
      let said = '', printed = '';
      client.stderr.on('data', (data) => { said += data; });
      client.stdout.on('data', (data) => { printed += data; });
      client.on('close', (status) => resolve({ status, said, printed }));
    }));
    for (const [i, { status, said, printed }] of (await Promise.all(clients)).entries()) {
      assert.strictEqual(status, 0, said);
      for (const n of [1, 2, 3]) assert.ok(printed.includes(`client-${i}-${n}`));
    }
    const ran = daemon.json('blocks', '-s', 'work').slice(before).map(({ cmd, exit_code: code }) => `${cmd}: ${code}`);
    assert.deepStrictEqual(ran.sort(), [...Array(10).keys()].flatMap((i) => [1, 2, 3].map((n) => `echo client-${i}-${n}: 0`)).sort());
  });

  await report.test('a daemon that is dead: each says so at once, and nothing is shown for true', async () => {
    const outer = new Outer(env, ['sh', '-c', `a=$(stty -g); ${PTYD} attach work; echo "status $?"; [ "$a" = "$(stty -g)" ] && echo as-it-was`], { cwd: space.home });
    await outer.expect('$ ');
    process.kill(daemon.json('status').keeper_pid, 'SIGKILL');
    await daemon.ended;
    await outer.expect('as-it-was');
    await outer.end();
    for (const args of [['list'], ['status'], ['attach', 'work'], ['send', '-s', 'work', 'x'], ['screen', '-s', 'work'], ['wait', '-s', 'work', '--prompt']]) {
      const { status, stdout, stderr } = call(args);
      assert.deepStrictEqual([status, stdout], [1, ''], `${args}: ${stderr}`);
      assert.match(stderr, /^ptyd: (no daemon (runs|listens)|session work is closed).*`ptyd open (NAME|work)` starts it/, `${args}: ${stderr}`);
    }
    assert.strictEqual(call(['run', '--no-start', '--', 'true']).status, 125);
  });

  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
