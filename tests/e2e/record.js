// Recordings of sessions: live and from the log, of which the same blocks come again, and none of what is
// not to be shared.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { workspace, Daemon, Report, PTYD, until, killWorker, waitFor, removeWorkspace } = require('./harness');

const SHELLS = ['bash', 'zsh', 'fish', 'dash'].filter((name) => spawnSync('which', [name]).status === 0);
// What a block is, but for whose it is and its number there.
const SAME = ['cmd', 'cwd', 'cwd_after', 'exit_code', 'signal', 'status', 'type', 'ts_begin', 'ts_end', 'output_lines', 'output_bytes', 'alt_screen', 'nested', 'preview', 'omitted_lines'];
// asciinema's player of pages, from npm: it knows v3, as the asciinema of no Debian release does yet.
const WEB_PLAYER = path.resolve(__dirname, '../../build/players/node_modules/asciinema-player/dist');
const what = (block) => Object.fromEntries(SAME.map((member) => [member, block[member]]));

const installed = (program) => spawnSync('which', [program]).status === 0;

// What comes of it within a minute; else it is ended, and has failed.
async function within(what, kill) {
  let timer;
  const late = new Promise((resolve, reject) => { timer = setTimeout(() => { kill(); reject(new Error('the player did not end within 60 s')); }, 60000); });
  try { return await Promise.race([what, late]); } finally { clearTimeout(timer); }
}

// What asciinema writes to a terminal that plays a file, fast.
async function playInTerminal(file, env) {
  const player = spawn('script', ['-qec', `asciinema play -s 100000 ${file}`, '/dev/null'], { env });
  const written = [];
  player.stdout.on('data', (data) => written.push(data));
  const status = await within(new Promise((resolve) => player.on('close', resolve)), () => player.kill('SIGKILL')); // stdin stays open: nobody types
  return { status, written: Buffer.concat(written).toString() };
}

// What asciinema's player of pages shows of it: what it would write to its terminal, and its sizes.
async function playInPage(file) {
  const core = fs.readdirSync(WEB_PLAYER).find((name) => /^core-.*\.js$/.test(name));
  const { C: Core } = await import(path.join(WEB_PLAYER, core));
  const shown = { written: '', sizes: [] };
  const silent = Object.fromEntries(['log', 'debug', 'info', 'warn', 'error'].map((level) => [level, () => {}]));
  const player = new Core({ driver: 'recording', data: () => new Response(fs.readFileSync(file)) }, { speed: 100000, logger: silent });
  player.addEventListener('output', (texts) => { shown.written += texts.join(''); });
  player.addEventListener('resize', ({ cols, rows }) => shown.sizes.push(`${cols}x${rows}`));
  const ended = new Promise((resolve, reject) => { player.addEventListener('ended', resolve); player.addEventListener('error', reject); });
  player.terminalReady();
  await within(player.play().then(() => ended), () => player.stop());
  return shown;
}

async function main() {
  const report = new Report();
  const space = workspace();
  const there = path.join(space.home, ...Array(5).fill('th;re'.repeat(40))); // so long that marks tell it in parts
  fs.mkdirSync(there, { recursive: true });
  const daemon = await new Daemon(space).ready();
  const file = (name) => path.join(space.root, name);
  const open = (name, ...more) => {
    assert.strictEqual(daemon.ptyd('open', name, ...more).status, 0);
    assert.strictEqual(daemon.ptyd('wait', '-s', name, '--prompt', '--timeout', '60').status, 0);
  };
  const run = (name, command) => daemon.ptyd('run', '-s', name, '--timeout', '60', '--', command);
  // What is behind the last newline is being written; nothing is once the recorder has ended.
  const lines = (name) => fs.readFileSync(file(name), 'utf8').split('\n').slice(0, -1).map((line) => JSON.parse(line));
  const isWhole = (where) => assert.ok(fs.readFileSync(where, 'utf8').endsWith('\n'), `${where} ends within a line`);
  const events = (name, kind) => lines(name).slice(1).filter((event) => event[1] === kind);
  const text = (name) => events(name, 'o').map((event) => event[2]).join('');
  const replay = (name) => daemon.json('replay', file(name));
  const record = (...args) => {
    const result = daemon.ptyd('record', ...args);
    assert.strictEqual(result.status, 0, result.stderr);
    isWhole(args[args.indexOf('-o') + 1]);
    return result;
  };

  // A recording that goes on; `end()` is Ctrl-C, `done` what came of it.
  async function start(name, ...args) {
    const child = spawn(PTYD, ['record', '-o', file(name), ...args], { env: space.env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (data) => { stderr += data; });
    const done = new Promise((resolve) => child.on('close', (status) => resolve({ status, stderr })));
    await until('it records', () => /recording session/.test(stderr));
    return {
      done,
      shows: (wanted) => until(`${name} has ${wanted}`, () => text(name).includes(wanted)),
      end: async () => {
        child.kill('SIGINT');
        const result = await done;
        isWhole(file(name));
        return result;
      },
    };
  }

  for (const shell of SHELLS)
    await report.test(`${shell}: recorded as it happens and from the log, the same blocks come again`, async () => {
      open(shell, '--shell', shell, '--size', '60x12', '--cwd', there);
      run(shell, 'echo before');
      const live = await start(`${shell}.cast`, '-s', shell);
      run(shell, "printf 'gr\\303\\274n \\377 \\033[31mred\\033[0m \"quoted\" \\\\ \\t|\\n'");
      run(shell, 'seq 1 40; sh -c "exit 3"');
      run(shell, 'cd ..');
      daemon.ptyd('resize', '-s', shell, '70x14');
      run(shell, 'echo wide; echo 0123456789012345678901234567890123456789012345678901234567890123456789012345');
      await live.shows('0123456789012345\r\n');
      await until('its prompt is there', () => daemon.ptyd('wait', '-s', shell, '--prompt', '--timeout', '60').status === 0);
      const { status, stderr } = await live.end();
      assert.strictEqual(status, 0, stderr);
      const blocks = daemon.json('blocks', '-s', shell);
      assert.deepStrictEqual(replay(`${shell}.cast`).blocks.map(what), blocks.slice(1).map(what));
      record('-s', shell, '--from', String(blocks[1].seq), '-o', file(`${shell}-past.cast`));
      assert.deepStrictEqual(replay(`${shell}-past.cast`).blocks.map(what), blocks.slice(1).map(what));
      record('-s', shell, '--from', blocks[0].block_id, '--to', `${shell}:${blocks[2].seq}`, '--format', 'v2', '-o', file(`${shell}-two.cast`));
      assert.deepStrictEqual(replay(`${shell}-two.cast`).blocks.map(what), blocks.slice(0, 3).map(what));
      assert.deepStrictEqual(events(`${shell}.cast`, 'r').map((event) => event[2]), ['70x14']);
      // What a shell draws behind the mark of its prompt may still be under way.
      const again = () => record('-s', shell, '--from', String(blocks[1].seq), '--overwrite', '-o', file(`${shell}-past.cast`));
      const drawn = () => [replay(`${shell}-past.cast`), daemon.json('screen', '-s', shell)].map(({ screen, rows }) => JSON.stringify(screen ? screen.rows : rows));
      await until('the screen comes again', () => again() && drawn()[0] === drawn()[1]).catch(() => assert.deepStrictEqual(...drawn().map(JSON.parse)));
    });

  await report.test('the format is what is published: header, whole numbers, intervals or times, exit', async () => {
    const [head, ...rest] = lines('bash-past.cast');
    assert.deepStrictEqual([head.version, head.term, Number.isInteger(head.timestamp)], [3, { cols: 60, rows: 12 }, true]);
    for (const [time, code, data] of rest)
      assert.ok(typeof time === 'number' && time >= 0 && ['o', 'r', 'm', 'x'].includes(code) && typeof data === 'string');
    const [v2, ...times] = lines('bash-two.cast');
    assert.deepStrictEqual([v2.version, v2.width, v2.height], [2, 60, 12]);
    assert.deepStrictEqual(times.map((event) => event[0]), times.map((event) => event[0]).sort((a, b) => a - b));
    record('-s', 'bash', '--from', '1', '--idle-limit', '1.5', '--title', 'a "tour"', '-o', file('titled.cast'));
    assert.deepStrictEqual([lines('titled.cast')[0].idle_time_limit, lines('titled.cast')[0].title], [1.5, 'a "tour"']);
    open('ends');
    const live = await start('ends.cast', '-s', 'ends');
    daemon.ptyd('send', '-s', 'ends', 'exit 7', '--key', 'Enter');
    assert.strictEqual((await live.done).status, 0);
    isWhole(file('ends.cast'));
    assert.deepStrictEqual(lines('ends.cast').at(-1).slice(1), ['x', '7']);
  });

  // Bytes of all kinds, so many that they come in pieces; and as a tty hands them on.
  const said = ['\x1b[1;38;2;1;2;3mgrün\x1b[m\x1b[2;5Hthere\x1b[K\r漢字\té\x07 👨‍👩‍👧 "\\"', ...Array.from({ length: 6000 }, (_, i) => `${i} ${'ü€𝄞'.repeat(i % 17)}`), ''].join('\n');
  const printed = said.replaceAll('\n', '\r\n');
  const recorded = (name, format) => {
    if (!fs.existsSync(path.join(space.home, 'said'))) {
      fs.writeFileSync(path.join(space.home, 'said'), said);
      open('plays');
      run('plays', 'cat said');
      daemon.ptyd('resize', '-s', 'plays', '90x30');
      run('plays', 'echo wider');
    }
    record('-s', 'plays', '--from', '1', '--format', format, '-o', file(name));
    return file(name);
  };

  if (!['asciinema', 'script'].every(installed))
    report.skip('asciinema plays it', 'asciinema or script is not here (apt-get install asciinema bsdutils)');
  else
    await report.test('asciinema plays it: what the shell printed comes out, byte for byte', async () => {
      const { status, written } = await playInTerminal(recorded('plays.v2', 'v2'), space.env);
      assert.strictEqual(status, 0, written.slice(-500));
      assert.strictEqual(written.split(printed).length, 2, written.slice(0, 500));
      assert.strictEqual(written, text('plays.v2'));
    });

  if (!fs.existsSync(WEB_PLAYER))
    report.skip('asciinema-player plays v3', 'asciinema-player is not here (tests/e2e/run fetches it from npm)');
  else
    await report.test('asciinema-player plays v3, the sizes included', async () => {
      const { written, sizes } = await playInPage(recorded('plays.v3', 'v3'));
      assert.strictEqual(written.split(printed).length, 2, written.slice(0, 500));
      assert.deepStrictEqual([written, sizes], [text('plays.v3'), ['90x30']]);
    });

  await report.test('begun while something runs, within a full screen: it is drawn first', async () => {
    open('full', '--size', '40x8');
    daemon.ptyd('send', '-s', 'full', `printf '\\033[?1049h\\033[2;3Hdr%s\\033[7mhere\\033[m' awn; ${waitFor(file('full-go'))}; printf '\\033[?1049l'`, '--key', 'Enter');
    assert.strictEqual(daemon.ptyd('wait', '-s', 'full', '--screen', 'drawnhere', '--timeout', '60').status, 0);
    const screen = daemon.json('screen', '-s', 'full');
    const live = await start('full.cast', '-s', 'full');
    await until('it has begun', () => text('full.cast').includes('here'));
    await live.end();
    assert.deepStrictEqual(replay('full.cast').screen, { ...screen, title: replay('full.cast').screen.title });
    fs.writeFileSync(file('full-go'), '');
  });

  await report.test('cut off anywhere it is a recording up to its last line', async () => {
    const whole = fs.readFileSync(file('bash-past.cast'));
    const all = replay('bash-past.cast').blocks.map(what);
    for (let at = whole.indexOf(10) + 1; at < whole.length; at += 97) {
      fs.writeFileSync(file('cut.cast'), whole.subarray(0, at));
      const found = JSON.parse(daemon.ptyd('replay', file('cut.cast'), '--json').stdout).blocks.map(what).filter((block) => block.status !== 'abandoned');
      assert.deepStrictEqual(found, all.slice(0, found.length));
    }
  });

  await report.test('whose reader has gone ends at once, also while the session shows nothing, and leaves that alone', () => {
    open('piped');
    const { stdout, stderr, error } = spawnSync('bash', ['-c', '"$0" record -s piped -o - | head -1; echo ${PIPESTATUS[0]}', PTYD], { env: space.env, encoding: 'utf8', timeout: 20000 });
    assert.ifError(error);
    assert.match(stdout, /^\{"version":.*\}\n1\n$/);
    assert.match(stderr, /^ptyd: recording session piped to -; .*\nptyd: cannot write -: Broken pipe; [^\n]*\n$/);
    assert.strictEqual(run('piped', 'echo here').stdout, 'here\n');
  });

  await report.test('a worker that dies, and an upgrade, cost a live recording nothing', async () => {
    open('dies');
    const live = await start('dies.cast', '-s', 'dies');
    run('dies', 'echo one');
    await killWorker(daemon);
    run('dies', 'echo two');
    assert.strictEqual(daemon.ptyd('upgrade').status, 0);
    run('dies', 'for i in 1 2 3 4 5 6 7 8 9; do echo $i; done');
    await live.shows('9\r\n');
    assert.strictEqual(daemon.ptyd('wait', '-s', 'dies', '--prompt', '--timeout', '60').status, 0);
    const { status, stderr } = await live.end();
    assert.strictEqual(status, 0, stderr);
    assert.deepStrictEqual(replay('dies.cast').blocks.map(what), daemon.json('blocks', '-s', 'dies').map(what));
  });

  await report.test('--share: no marks, and stars for secrets, also typed, coloured, overwritten, in titles and keys', async () => {
    const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    const script = (...text) => { fs.writeFileSync(path.join(space.home, 'say.sh'), `printf '${text.join('')}'\n`); return run('share', 'sh ./say.sh'); };
    open('share', '--env', 'DEPLOY_PASSWORD=correct-horse-battery');
    const live = await start('share.cast', '-s', 'share', '--share');
    daemon.ptyd('send', '-s', 'share', 'echo correct-horse-');
    for (const key of ['b', 'a', 't', 't', 'e', 'r', 'y']) daemon.ptyd('send', '-s', 'share', key);
    daemon.ptyd('expect', '-s', 'share', '--exit', '--key', 'Enter', '--timeout', '60');
    script('token ', secret.slice(0, 20), '\\033[1m', secret.slice(20), '\\033[m behind\\n');
    run('share', `printf '%s\\r%s\\n' "${secret}" "all of it is gone, and something else is here now"`);
    script('\\033]2;', secret, '\\007\\033]52;c;', Buffer.from(secret).toString('base64'), '\\007');
    // Over two rows, by a program that ends them itself; 80 columns.
    const half = (at) => ['.'.repeat(80 - at), secret.slice(0, at), '\\n', secret.slice(at), '\\n'];
    for (const at of [10, 25]) script(...half(at));
    const key = ['-----BEGIN RSA PRIVATE KEY-----', ...Array(4).fill('MIIEowIBAAKCAQEAx1y2z3'), '-----END RSA PRIVATE KEY-----'];
    script(...key.map((line) => `${line}\\n`));
    run('share', 'echo the last one');
    assert.strictEqual(daemon.ptyd('wait', '-s', 'share', '--prompt', '--timeout', '60').status, 0);
    await live.shows('the last one\r\n');
    await live.end();
    record('-s', 'share', '--from', '1', '--share', '-o', file('share-past.cast'));
    for (const name of ['share.cast', 'share-past.cast']) {
      const shown = text(name), plain = shown.replace(/\x1b\[[0-9;?]*[a-zA-Z]/g, '');
      assert.ok(shown.includes('the last one') && shown.includes('all of it is gone') && plain.includes(`token ${'*'.repeat(40)} behind`), shown);
      for (const hidden of ['7711', secret, secret.slice(4, 30), 'ghp_abcdef', 'klmnopqrst', '0123456789', 'horse-battery', 'correct-horse', 'MIIEow', Buffer.from(secret).toString('base64').slice(0, 20)])
        assert.ok(!plain.includes(hidden), `${hidden} is in ${name}: ${shown}`);
    }
  });

  await report.test('ptyd test: a command becomes a test; what is other than it should be is shown, also as XML', async () => {
    open('tests');
    run('tests', "printf 'gr\\303\\274n \\033[31mred\\033[0m\\n'; (exit 3)");
    run('tests', 'echo another');
    const test = (...args) => spawnSync(PTYD, ['test', ...args], { env: space.env, encoding: 'utf8', cwd: space.root });
    assert.strictEqual(test().status, 2);
    const made = test('new', 'colours', '--from', '1', '-s', 'tests');
    assert.strictEqual(made.status, 0, made.stdout + made.stderr);
    assert.strictEqual(test('new', 'more', '--from', 'tests:2').status, 0);
    const golden = file('ptyd-tests/colours.golden.json');
    const expected = JSON.parse(fs.readFileSync(golden, 'utf8'));
    assert.deepStrictEqual(expected.blocks.map((block) => [block.cmd_truncated, block.exit_code, block.preview.lines]), [[false, 3, ['grün red']]]);
    assert.deepStrictEqual([test().status, test('more').stdout], [0, 'ok - more\n1 passed, 0 failed\n']);
    expected.blocks[0].exit_code = 4;
    expected.blocks[0].preview.lines[0] = '<grau> & "red"';
    fs.writeFileSync(golden, JSON.stringify({ blocks: expected.blocks }));
    const differs = test(file('ptyd-tests'), '--junit', file('results.xml'));
    assert.strictEqual(differs.status, 1);
    assert.match(differs.stdout, /^not ok - colours\nwhole:\n\.blocks\[0\]\.exit_code\n {2}- 4\n {2}\+ 3\n[^]*ok - more\n1 passed, 1 failed\n$/);
    assert.match(fs.readFileSync(file('results.xml'), 'utf8'), /tests="2" failures="1"[^]*name="colours"[^]*<failure>[^]*&#60;grau&#62; &#38; [^]*name="more"/);
    expected.blocks[0].preview.lines[0] = 'a\u009b31m\u202e\u007f';
    fs.writeFileSync(golden, JSON.stringify({ blocks: expected.blocks }));
    assert.ok(test('colours').stdout.includes('- "a\\u009b31m\\u202e\\u007f"\n  + "grün red"\n'));
    assert.strictEqual(test('colours', '--update').status, 0);
    assert.strictEqual(test('colours').status, 0);
    assert.strictEqual(test('nowhere').status, 1);
    assert.strictEqual(test('new', 'colours', '--from', '1', '-s', 'tests').status, 1); // it is there
  });

  await report.test('what is wrong is said: FILE is there, no such block, a disk that is full, nothing to record', async () => {
    const there = daemon.ptyd('record', '-s', 'bash', '--from', '1', '-o', file('bash.cast'));
    assert.ok(there.status === 1 && /--overwrite/.test(there.stderr), there.stderr);
    const none = daemon.ptyd('record', '-s', 'bash', '--from', '4711', '-o', file('none.cast'));
    assert.ok(none.status === 1 && /4711/.test(none.stderr) && !fs.existsSync(file('none.cast')), none.stderr);
    const full = daemon.ptyd('record', '-s', 'bash', '--from', '1', '-o', '/dev/full', '--overwrite');
    assert.ok(full.status === 1 && /No space left on device/.test(full.stderr), full.stderr);
    const short = spawnSync('sh', ['-c', 'ulimit -f 1; exec "$0" "$@"', PTYD, 'record', '-s', 'bash', '--from', '1', '-o', file('short.cast')], { env: space.env, encoding: 'utf8' });
    assert.ok(short.status === 1 && /File too large/.test(short.stderr), `${short.status} ${short.signal} ${short.stderr}`);
    fs.writeFileSync(file('open.cast'), 'long '.repeat(100000), { mode: 0o644 });
    record('-s', 'bash', '--from', '1', '-o', file('open.cast'), '--overwrite');
    assert.strictEqual(fs.statSync(file('open.cast')).mode & 0o777, 0o600);
    assert.deepStrictEqual(replay('open.cast').blocks.map(what), daemon.json('blocks', '-s', 'bash').map(what));
    assert.strictEqual(daemon.ptyd('record', '-s', 'bash').status, 2);
    assert.strictEqual(daemon.ptyd('record', '-s', 'bash', '--to', '3', '-o', file('none.cast')).status, 2);
    assert.strictEqual(daemon.ptyd('record', '-s', 'nobody', '--from', '1', '-o', file('none.cast')).status, 1);
  });

  await report.test('a recording of the past that nobody takes can be interrupted', async () => {
    open('much');
    run('much', 'seq 1 40000');
    assert.strictEqual(spawnSync('mkfifo', [file('slow')]).status, 0);
    const end = fs.openSync(file('slow'), fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    const takes = () => { try { return fs.readSync(end, Buffer.alloc(1)) === 1; } catch (error) { return false; } }; // EAGAIN
    const child = spawn(PTYD, ['record', '-s', 'much', '--from', '1', '--overwrite', '-o', file('slow')], { env: space.env, stdio: 'ignore' });
    const done = new Promise((resolve) => child.on('close', (status, signal) => resolve(signal)));
    await until('it records', takes);
    child.kill('SIGINT');
    const timer = setTimeout(() => child.kill('SIGKILL'), 20000);
    assert.strictEqual(await done, 'SIGINT');
    clearTimeout(timer);
    fs.closeSync(end);
  });

  await report.test('a log that cannot be read any more is said once, and is a failure', async () => {
    open('unread');
    const live = await start('unread.cast', '-s', 'unread');
    const index = path.join(space.env.PTYD_STATE_DIR, 'conversations/unread/agent_pty/output.idx');
    fs.renameSync(index, `${index}.away`);
    run('unread', 'echo more');
    const { status, stderr } = await live.done;
    fs.renameSync(`${index}.away`, index);
    assert.deepStrictEqual([status, stderr.match(/cannot read the log/g).length], [1, 1], stderr);
    isWhole(file('unread.cast'));
  });

  await report.test('a session that is closed, with and without a daemon', async () => {
    const blocks = daemon.json('blocks', '-s', 'bash').map(what);
    assert.strictEqual(daemon.ptyd('close', 'bash').status, 0);
    record('-s', 'bash', '--from', '1', '-o', file('closed.cast'));
    assert.deepStrictEqual(replay('closed.cast').blocks.map(what), blocks);
    await daemon.stop();
    record('-s', 'bash', '--from', '2000-01-01', '-o', file('left.cast'));
    assert.deepStrictEqual(replay('left.cast').blocks.map(what), blocks);
  });

  removeWorkspace(space);
  report.finish();
}

main();
