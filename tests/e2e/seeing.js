// What a person is shown of commands and screens: tables, colours, pages, the clipboard, differences. Terminals are
// tests/outer; what is expected comes from what was printed, from diff(1), and from the pictures of SGR in ECMA-48.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, PTYD, until, killWorker, waitFor } = require('./harness');
const { Outer } = require('./outer');

const space = workspace();
const env = { ...space.env, TERM: 'xterm-256color' };
const report = new Report();
let daemon, count = 0;

const run = (name, command, ...options) => daemon.ptyd('run', '-s', name, ...options, '--', command);
const session = (...options) => { const name = `s${++count}`; assert.strictEqual(daemon.ptyd('open', name, ...options).status, 0); return name; };

// Runs ptyd in a terminal to its end: its status and what the terminal got.
async function onTerminal(args, { size = '80x24', more = {} } = {}) {
  const outer = new Outer({ ...env, ...more }, [PTYD, ...args], { size, cwd: space.home });
  const status = await outer.ended;
  const text = outer.received().toString().replaceAll('\r\n', '\n');
  await outer.end();
  return { status, text };
}

const SGR = /\x1b\[[0-9;]*m/g;
const plain = (text) => text.replaceAll(SGR, '');

// What a person may be shown of output: text, and SGR where colours are.
function assertHarmless(text, what) {
  assert.doesNotMatch(plain(text), /[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u202a-\u202e\u2066-\u2069]/, what);
}

async function testTable() {
  await report.test('blocks are a table as wide as the terminal, the newest last', async () => {
    const name = session('--cwd', space.home);
    run(name, 'true');
    run(name, `echo ${'long '.repeat(60)}`);
    run(name, "cd / && echo '漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字'");
    run(name, 'false');
    run(name, 'exit_with() { return $1; }; exit_with 7');
    for (const cols of [80, 132, 70]) {
      const { status, text } = await onTerminal(['blocks', '-s', name], { size: `${cols}x24` });
      assert.strictEqual(status, 0);
      assertHarmless(text);
      const rows = plain(text).trimEnd().split('\n');
      assert.match(rows[0], /^ +ID +BEGUN +STATUS +EXIT +DURATION +DIRECTORY +COMMAND/);
      assert.deepStrictEqual(rows.slice(1).map((row) => Number(row.slice(0, 5))), [1, 2, 3, 4, 5]);
      // CJK is two columns wide (UAX 11).
      const width = (row) => [...row].reduce((n, c) => n + (/[\u4e00-\u9fff]/.test(c) ? 2 : 1), 0);
      for (const row of rows) assert.ok(width(row) <= cols, `${width(row)} of ${cols}: ${row}`);
      assert.ok(width(rows[2]) === cols && rows[2].endsWith('…'), rows[2]);
      assert.ok(rows[3].trimEnd().endsWith('…'), rows[3]);
      assert.match(rows[2], / ~ /);
      assert.match(text, /\x1b\[31m   1\x1b\[0m/, 'what failed is red');
    }
    assert.doesNotMatch((await onTerminal(['blocks', '-s', name], { more: { NO_COLOR: '1' } })).text, /\x1b\[[0-9;]*m/);
  });

  await report.test('without a terminal nothing of the table is cut, and no colour is in it', async () => {
    const name = `s${count}`, text = daemon.ptyd('blocks', '-s', name).stdout;
    assert.doesNotMatch(text, /\x1b|…/);
    const begun = new Date(daemon.json('blocks', '-s', name)[1].ts_begin);
    const day = spawnSync('date', ['-d', `@${Math.floor(begun / 1000)}`, '+%F %T'], { env, encoding: 'utf8' }).stdout.trim();
    assert.ok(text.split('\n')[2].includes(`${day}  completed     0  `), text.split('\n')[2]);
    assert.ok(text.split('\n')[2].includes(`echo ${'long '.repeat(60)}`.trimEnd()));
    assert.match(text.split('\n')[5], /completed +7 .*exit_with 7$/);
  });

  await report.test('--last, --failed and --since choose, together, too', async () => {
    const name = `s${count}`, ids = (...args) => daemon.json('blocks', '-s', name, ...args).map((b) => b.seq);
    assert.deepStrictEqual(ids('--last', '2'), [4, 5]);
    assert.deepStrictEqual(ids('--failed'), [4, 5]);
    assert.deepStrictEqual(ids('--failed', '--last', '1'), [5]);
    assert.deepStrictEqual(ids('--since', '1h'), [1, 2, 3, 4, 5]);
    assert.deepStrictEqual(ids('--since', '2000-01-01', '--failed'), [4, 5]);
    assert.deepStrictEqual(ids('--since', '2199-01-01'), []);
    assert.match(daemon.ptyd('blocks', '-s', name, '--since', '2199-01-01').stdout, /^No such commands/);
    // Against the times that the blocks have: of blocks long ago in a session of their own.
    const old = session();
    run(old, 'true');
    daemon.ptyd('close', old);
    const file = path.join(env.PTYD_STATE_DIR, `conversations/${old}/agent_pty/blocks.jsonl`);
    const { sum, ...first } = JSON.parse(fs.readFileSync(file, 'utf8').trim().split('\n').pop());
    assert.ok(sum);
    const now = Date.now(), hour = 3600000;
    const lines = Array.from({ length: 3000 }, (_, i) => ({ ...first, seq: i + 2, ts_begin: now - (3000 - i) * hour, block_id: `${old}:${i + 2}:5`, exit_code: i % 100 ? 0 : 1 }));
    fs.appendFileSync(file, `${lines.map((l) => JSON.stringify(l)).join('\n')}\n`);
    const found = (...args) => daemon.json('blocks', '-s', old, ...args).map((b) => b.seq);
    const seqs = (condition) => lines.filter(condition).map((l) => l.seq);
    assert.deepStrictEqual(found('--since', '5h').length, 4, 'of an hour each, the fifth is a moment too old');
    assert.deepStrictEqual(found('--since', '40d', '--failed'), seqs((l) => l.exit_code && l.ts_begin >= now - 40 * 24 * hour));
    assert.deepStrictEqual(found('--failed', '--last', '3'), seqs((l) => l.exit_code).slice(-3));
    assert.strictEqual(found('--failed').length, 30);
    assert.strictEqual(found().length, 3001);
    for (const bad of ['2x', 'tomorrow', '2026-02-30', '']) {
      const { status, stderr } = daemon.ptyd('blocks', '-s', name, '--since', bad);
      assert.strictEqual(status, 2, bad);
      assert.match(stderr, /is no time: say how long ago \(90s/);
    }
  });
}

async function testPager() {
  await report.test('what is longer than the terminal goes through the pager, what fits does not', async () => {
    const name = session(), file = path.join(space.root, 'paged');
    run(name, 'seq 100');
    const PAGER = `cat >${file}; echo by the pager`;
    const long = await onTerminal(['last', '-s', name], { more: { PAGER } });
    assert.match(long.text, /by the pager/);
    assert.strictEqual(plain(fs.readFileSync(file, 'utf8')), `$ seq 100\n${Array.from({ length: 100 }, (_, i) => `${i + 1}\n`).join('')}`);
    fs.rmSync(file);
    const all = await onTerminal(['last', '-s', name, '--no-pager'], { more: { PAGER } });
    assert.match(plain(all.text), /^\$ seq 100\n1\n2\n(\d+\n)*100\n$/);
    run(name, 'seq 3');
    assert.strictEqual(plain((await onTerminal(['last', '-s', name], { more: { PAGER } })).text), '$ seq 3\n1\n2\n3\n');
    assert.match((await onTerminal(['last', '-s', name], { size: '80x4', more: { PAGER } })).text, /by the pager/);
    run(name, `printf '%0400d\\n' 1`);
    assert.match((await onTerminal(['last', '-s', name], { size: '80x5', more: { PAGER } })).text, /by the pager/, 'one line of five rows');
    for (const no of ['/no/such/pager', '/etc/passwd']) {
      const none = await onTerminal(['block', '1', '-s', name], { more: { PAGER: `${no} 2>/dev/null` } });
      assert.strictEqual(none.status, 0, no);
      assert.match(plain(none.text), /\n99\n100\n$/, no);
    }
    assert.strictEqual(daemon.ptyd('last', '-s', name).status, 0, 'no terminal, no pager');
  });
}

async function testColours() {
  const rainbow = "printf 'plain \\033[1;31mred\\033[0m \\033[48;5;208morange\\033[m \\033[38;2;1;2;3mrgb\\033[m\\n'";
  const painted = 'plain \x1b[0;1;31mred\x1b[0m \x1b[0;48;5;208morange\x1b[0m \x1b[0;38;2;1;2;3mrgb\x1b[0m';

  for (const shell of ['/bin/bash', '/bin/zsh', '/usr/bin/fish', '/bin/dash']) {
    if (!fs.existsSync(shell)) {
      report.skip(`the colours of a block, in ${shell}`, 'it is not on this machine');
      continue;
    }
    await report.test(`a block has the colours that were printed, in ${shell}`, async () => {
      const name = session('--shell', shell);
      run(name, 'echo first');
      run(name, rainbow);
      run(name, 'echo third');
      assert.strictEqual(daemon.ptyd('block', '2', '-s', name, '--ansi').stdout.split('\n').slice(1).join('\n'), `${painted}\n`);
      assert.strictEqual(daemon.ptyd('block', '3', '-s', name, '--ansi').stdout.split('\n')[1], 'third');
      assert.strictEqual(daemon.ptyd('block', '2', '-s', name).stdout.split('\n')[1], 'plain red orange rgb');
      const seen = await onTerminal(['block', '2', '-s', name]);
      assert.ok(seen.text.includes(painted), seen.text);
      for (const [args, more] of [[['--plain'], {}], [[], { NO_COLOR: '1' }], [[], { TERM: 'dumb' }]])
        assert.doesNotMatch((await onTerminal(['block', '2', '-s', name, ...args], { more })).text, /\x1b/, String(args));
      daemon.ptyd('close', name);
      assert.ok(daemon.ptyd('block', '2', '-s', name, '--ansi').stdout.includes(painted), 'closed');
    });
  }

  await report.test('thousands of lines have theirs, and an unfinished command what it has', async () => {
    const name = session('--size', '100x30');
    run(name, "for i in $(seq 5000); do printf '\\033[3%dmline %d\\033[0m\\n' $((i % 8)) $i; done");
    const lines = daemon.ptyd('block', '1', '-s', name, '--ansi', '--lines', '1:5000').stdout.trimEnd().split('\n').slice(1);
    assert.deepStrictEqual(lines, Array.from({ length: 5000 }, (_, i) => `\x1b[0;3${(i + 1) % 8}mline ${i + 1}\x1b[0m`));
    const go = path.join(space.root, 'go');
    daemon.ptyd('send', '-s', name, `printf '\\033[32mso far\\033[m\\n'; until [ -e ${go} ]; do sleep 0.02; done\r`);
    await until('its begin', () => daemon.ptyd('screen', '-s', name).stdout.split('\n').includes('so far'));
    assert.match(daemon.ptyd('last', '-s', name, '--ansi').stdout, /\x1b\[0m\n\x1b\[0;32mso far\x1b\[0m\n$/);
    assert.match(daemon.ptyd('block', '2', '-s', name).stdout, /\nso far\n$/);
    await killWorker(daemon);
    assert.match(daemon.ptyd('last', '-s', name, '--ansi').stdout, /\x1b\[0m\n\x1b\[0;32mso far\x1b\[0m\n$/, 'behind a worker that died');
    fs.writeFileSync(go, '');
    await until('its end', () => daemon.json('blocks', '-s', name, '--last', '1')[0].status === 'completed');
    assert.ok(daemon.ptyd('last', '-s', name, '--ansi').stdout.includes('\x1b[0;32mso far\x1b[0m'));
  });

  await report.test('of a log whose begin is a hole the end has its colours, and it is said', async () => {
    const name = session('--size', '100x30');
    run(name, "for i in $(seq 10000); do printf '\\033[3%dmline %d\\033[0m\\n' $((i % 8)) $i; done");
    daemon.ptyd('close', name);
    const file = path.join(env.PTYD_STATE_DIR, `conversations/${name}/agent_pty/output.raw`), hole = 65536;
    const whole = fs.readFileSync(file);
    fs.truncateSync(file, 0); // a hole wherever nothing is written behind
    const fd = fs.openSync(file, 'r+');
    fs.writeSync(fd, whole, hole, whole.length - hole, hole);
    fs.closeSync(fd);
    const { stdout, stderr } = daemon.ptyd('block', '1', '-s', name, '--ansi');
    assert.match(stderr, /^ptyd: of the \d+ bytes that it printed the log has the first 6\d{4} no more: .*\n$/);
    const lines = stdout.trimEnd().split('\n').slice(1);
    assert.deepStrictEqual(lines.map(plain), Array.from({ length: 10000 }, (_, i) => `line ${i + 1}`));
    assert.deepStrictEqual([lines[0], lines[9999]], ['line 1', '\x1b[0;30mline 10000\x1b[0m']);
  });

  await report.test('nothing but colours passes, whatever a command printed or is called', async () => {
    const name = session(), file = path.join(space.root, 'evil');
    fs.writeFileSync(file, '\x1b]52;c;ZXZpbA==\x07\x1b]0;title\x07\x1bP1$r0m\x1b\\a\x1b[8mhidden\x1b[m\x1b[5mblink\x1b[m \u202ebidi\u202c \u200bzero\x1b[31mred\x1b[m\n\x1b[?1049hscreen\x1b[?1049lend\n');
    run(name, `cat ${file}`);
    fs.mkdirSync(path.join(space.home, 'd\u202ed\x1b[31m'), { recursive: true });
    run(name, 'cd d* && echo ok');
    run(name, 'pwd');
    for (const args of [['block', '1'], ['last', '3'], ['blocks'], ['screen'], ['scrollback'], ['context', 'show'], ['diff']]) {
      const seen = await onTerminal([...args, '-s', name], { size: '150x60' });
      assertHarmless(seen.text, args.join(' '));
      assert.doesNotMatch(seen.text, /\x1b\[[0-9;]*[58]m|\x1b\[0;[58];/, 'neither hidden nor blinking');
    }
    assert.match(daemon.ptyd('block', '1', '-s', name, '--ansi').stdout, /\x1b\[0;31mred\x1b\[0m/);
  });

  await report.test('NO_COLOR: no command has a colour of its own, nor those that were printed', async () => {
    const name = session('--size', '80x10');
    for (const i of [1, 2]) run(name, `seq 20; printf '\\033[31mre""d ${i}\\033[m\\n'; tty >/dev/null`);
    run(name, "printf '\\033[32mgreen\\033[m\\n'; date +%N");
    run(name, "printf '\\033[32mgreen\\033[m\\n'; date +%N");
    const commands = [['blocks', true], ['block 1', true], ['last 2', true], ['diff', true], ['screen', true], ['scrollback', true], ['search green', true], ['context show'], ['list'], ['status'], ['verify'], ['doctor']];
    for (const [line, coloured] of commands) {
      const [command, ...args] = line.split(' '), words = [command, ...args, ...(['blocks', 'block', 'last', 'diff', 'screen', 'scrollback'].includes(command) ? ['-s', name] : [])];
      assert.doesNotMatch((await onTerminal(words, { more: { PAGER: 'cat', NO_COLOR: '1' } })).text, /\x1b\[[0-9;]*m/, line);
      if (coloured) assert.match((await onTerminal(words, { more: { PAGER: 'cat', NO_COLOR: '' } })).text, /\x1b\[[0-9;]*m/, line);
    }
  });

  await report.test('where the log is gone the text is there without colours', async () => {
    const name = session();
    run(name, rainbow);
    daemon.ptyd('close', name);
    const directory = path.join(env.PTYD_STATE_DIR, `conversations/${name}/agent_pty`);
    fs.truncateSync(path.join(directory, 'output.raw'), 10);
    assert.match(daemon.ptyd('block', '1', '-s', name, '--ansi').stdout, /\nplain red orange rgb\n$/);
    fs.rmSync(path.join(directory, 'output.idx'));
    assert.match(daemon.ptyd('block', '1', '-s', name, '--ansi').stdout, /\nplain red orange rgb\n$/);
    const block = daemon.json('block', '1', '-s', name);
    fs.rmSync(path.join(directory, block.output_path));
    const rest = daemon.ptyd('block', '1', '-s', name);
    assert.match(rest.stderr, /cannot be read any more; this is the end of the output/);
    assert.match(rest.stdout, /\nplain red orange rgb\n$/);
  });

  await report.test('screen and scrollback have their colours, and backgrounds to their ends', async () => {
    const name = session('--size', '40x5');
    run(name, "for i in $(seq 20); do printf '\\033[3%dmrow %d\\033[m\\n' $((i % 8)) $i; done; printf '\\033[44m bar \\033[K\\033[m\\n'");
    const screen = daemon.ptyd('screen', '-s', name, '--ansi').stdout;
    assert.ok(screen.includes(`\x1b[0;44m bar ${' '.repeat(35)}\x1b[0m\n`), JSON.stringify(screen));
    assert.ok(screen.includes('\x1b[0;34mrow 20\x1b[0m\n'), JSON.stringify(screen));
    const lines = daemon.ptyd('scrollback', '-s', name, '--ansi', '--limit', '2').stdout.trimEnd().split('\n');
    assert.strictEqual(lines.length, 2);
    for (const line of lines) {
      const n = Number(/row (\d+)/.exec(line)[1]);
      assert.strictEqual(line, `\x1b[0;3${n % 8}mrow ${n}\x1b[0m`);
    }
    for (const what of ['screen', 'scrollback']) {
      assert.doesNotMatch(daemon.ptyd(what, '-s', name).stdout, /\x1b/);
      assert.match((await onTerminal([what, '-s', name])).text, /\x1b\[0;3\dmrow/);
      assert.doesNotMatch((await onTerminal([what, '-s', name, '--plain'])).text, /\x1b/);
    }
    const { rows } = daemon.json('screen', '-s', name);
    assert.ok(rows.every((row) => !row.includes('\x1b')), 'JSON is plain');
  });
}

// As a program that did not keep it left the session behind; what was never sealed counts as it is.
function forgetWhatWasSecret(name) {
  for (const file of ['meta.json', 'meta.copy.json']) {
    const place = path.join(space.env.PTYD_STATE_DIR, 'conversations', name, file);
    const { secrets: _, sum: __, ...meta } = JSON.parse(fs.readFileSync(place, 'utf8'));
    fs.writeFileSync(place, JSON.stringify(meta));
  }
}

async function testPages() {
  await report.test('a page is whole by itself, escaped, and without secrets', async () => {
    const secret = 'correct-horse-battery';
    const name = session('--env', `SHOP_PASSWORD=${secret}`);
    run(name, `printf '<script>alert(1)</script> & "q"\\n\\033[31mred\\033[m\\n\\033[32mgreen ghp_abcdefghijklmnopqrstuvwxyz0123456789\\033[m\\n'; echo "$SHOP_PASSWORD"; echo '${secret}'`);
    const { status, stdout, stderr } = daemon.ptyd('block', '1', '-s', name, '--html');
    assert.strictEqual(status, 0);
    assert.match(stdout, /^<!DOCTYPE html>\n<html[^]*<\/html>\n$/);
    assert.ok(stdout.includes('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;q&quot;\n<span class="f1">red</span>\n'), stdout);
    assert.doesNotMatch(stdout, /<script|https?:|src=|href=|onload/);
    assert.doesNotMatch(stdout, /ghp_abc|correct-horse/);
    assert.match(stdout, /green \[redacted:[^\]]*\]/);
    assert.match(stdout, /\.f1\{color:#[0-9a-f]{6}\}/);
    assert.match(stderr, /^ptyd: 5 secrets were taken out/, 'three in the output, two in the command');
    for (const what of [['screen'], ['last']]) {
      const page = daemon.ptyd(...what, '-s', name, '--html').stdout;
      assert.match(page, /<span class="f1">red<\/span>/, what[0]);
      assert.doesNotMatch(page, /ghp_abc|correct-horse|\x1b/, what[0]);
    }
    daemon.ptyd('close', name);
    const closed = daemon.ptyd('block', '1', '-s', name, '--html');
    assert.match(closed.stderr, /^ptyd: 5 secrets were taken out/, 'what was secret in its shell is known still');
    assert.doesNotMatch(closed.stdout, /ghp_abc|correct-horse/);
    forgetWhatWasSecret(name);
    const older = daemon.ptyd('block', '1', '-s', name, '--html');
    assert.match(older.stderr, /^ptyd: the environment of session \S+ shell cannot be read any more: .*; look through the page before you share it\n/);
    assert.doesNotMatch(older.stdout, /ghp_abc/);
    assert.doesNotMatch(stderr, /look through/);
    // Every tag is closed, as a parser that knows nothing of us counts them.
    const open = (page, tag) => (page.match(new RegExp(`<${tag}[ >]`, 'g')) || []).length - (page.match(new RegExp(`</${tag}>`, 'g')) || []).length;
    for (const tag of ['html', 'head', 'body', 'pre', 'span', 'b', 'style', 'title']) assert.strictEqual(open(stdout, tag), 0, tag);
  });
}

async function testPagesOfRows() {
  await report.test('a secret that takes two rows is in no page of them, wherever the rows part', async () => {
    const token = `ghp_${'abcdefghijklmnopqrstuvwxyz'}0123456789`, name = session('--size', '40x6', '--cwd', space.home);
    const head = `${'.'.repeat(29)} ${token.slice(0, 10)}`, tail = token.slice(10);
    // Wrapped by the terminal, and by the program itself.
    fs.writeFileSync(path.join(space.home, 'wraps.sh'), `i=0; printf '\\033[31m%s%s\\033[m\\n' '${head}' '${tail}'; while [ $i -lt $1 ]; do echo line $i; i=$((i+1)); done`);
    fs.writeFileSync(path.join(space.home, 'breaks.sh'), `i=0; printf '%s\\n%s\\n' '${head}' '${tail}'; while [ $i -lt $1 ]; do echo line $i; i=$((i+1)); done`);
    for (const script of ['wraps', 'breaks'])
      for (let lines = 1; lines < 6; lines++) {
        run(name, `clear; sh ${script}.sh ${lines}`);
        let found = 0;
        for (const what of [['screen'], ['scrollback'], ['scrollback', '--limit', '1'], ['scrollback', '--limit', '2']]) {
          const { status, stdout, stderr } = daemon.ptyd(...what, '-s', name, '--html');
          assert.strictEqual(status, 0);
          assert.doesNotMatch(stdout, /ghp_|klmnop|456789/, `${script} ${lines} ${what}: ${stdout}`);
          if (what.length === 1) assert.strictEqual(/secrets? w/.test(stderr), /\[redacted:/.test(stdout));
          found += /\.{29} \[redacted:/.test(stdout);
        }
        assert.ok(found >= 1, `${script} ${lines}: what stands around it is shown`);
      }
    assert.match(daemon.ptyd('scrollback', '-s', name, '--plain').stdout, /ghp_/, 'a person sees what was printed');
  });
}

async function testPagesOfBrokenLines() {
  await report.test('a secret that a program broke at the edge is in no page of its output, nor told to an agent, whatever the width was then', async () => {
    const token = `ghp_${'abcdefghijklmnopqrstuvwxyz'}0123456789`, name = session('--size', '40x6', '--cwd', space.home);
    const broken = (cols, at) => [`${'.'.repeat(cols - at - 1)} ${token.slice(0, at)}`, `${token.slice(at)} behind`];
    const show = (lines) => { fs.writeFileSync(path.join(space.home, 'broken'), lines.map((line) => `${line}\n`).join('')); };
    const isClean = (what, text) => assert.doesNotMatch(text, /ghp_|klmnop|456789/, `${what}: ${text}`);
    for (const at of [5, 10, 25, 39]) {
      show(['before', ...broken(40, at), 'last']);
      run(name, 'cat broken');
      const { stdout, stderr } = daemon.ptyd('last', '-s', name, '--html');
      isClean(at, stdout);
      assert.match(stdout, /\[redacted:github-token\] behind\n/);
      assert.match(stderr, /^ptyd: 1 secret was/);
      isClean(at, daemon.ptyd('context', 'show', '-s', name).stdout);
      assert.match(daemon.ptyd('block', daemon.json('last', '-s', name)[0].block_id, '--plain').stdout, /ghp_/, 'a person sees what was printed');
    }
    show(['other', ...broken(40, 11), 'last']);
    run(name, 'cat broken');
    const page = daemon.ptyd('diff', '-s', name, '--html');
    assert.strictEqual(page.status, 1);
    isClean('diff', page.stdout);
    assert.match(page.stdout, />\+other</);
    const none = spawnSync(PTYD, ['diff', '-s', name, '--html'], { env: { ...space.env, PATH: '/none' }, encoding: 'utf8' });
    assert.deepStrictEqual([none.status, none.stdout], [2, ''], 'no page where diff(1) is not there');
    // Over more than two lines, in a wider terminal, of a command that began in a narrower one.
    const env = session('--size', '30x6', '--cwd', space.home, '--env', `SHOP_PASSWORD=${'correct-horse-'.repeat(6)}x`);
    const value = `${'correct-horse-'.repeat(6)}x`, go = path.join(space.root, 'broken-go');
    daemon.ptyd('send', '-s', env, `${waitFor(go)}; cat broken`, '--key', 'Enter');
    await until('it runs', () => daemon.json('blocks', '-s', env).length === 1);
    daemon.ptyd('resize', '-s', env, '20x6');
    daemon.ptyd('resize', '-s', env, '50x6');
    show(['.'.repeat(40) + value.slice(0, 10), value.slice(10, 60), `${value.slice(60)} behind`]);
    fs.writeFileSync(go, '');
    assert.strictEqual(daemon.ptyd('wait', '-s', env, '--prompt', '--timeout', '60').status, 0);
    assert.deepStrictEqual(daemon.json('blocks', '-s', env)[0].widths, [30, 20, 50]);
    const { stdout } = daemon.ptyd('last', '-s', env, '--html');
    assert.match(stdout, /\n\.{40}\[redacted:env:SHOP_PASSWORD\] behind\n/);
    assert.doesNotMatch(stdout, /horse/);
    await killWorker(daemon);
    assert.doesNotMatch(daemon.ptyd('context', 'show', '-s', env).stdout, /horse/);
    assert.strictEqual(daemon.ptyd('last', '-s', env, '--html').stdout, stdout);
  });
}

async function testChoosing() {
  await report.test('last: the newest, N of them, and no ptyd; within a session not the one it is part of', async () => {
    const name = session();
    run(name, 'echo one');
    run(name, 'echo two');
    run(name, `${PTYD} version`);
    assert.strictEqual(daemon.ptyd('last', '-s', name).stdout, '$ echo two\ntwo\n');
    assert.strictEqual(daemon.ptyd('last', '2', '-s', name).stdout, '$ echo one\none\n\n$ echo two\ntwo\n');
    assert.strictEqual(daemon.ptyd('last', '9', '-s', name).stdout, '$ echo one\none\n\n$ echo two\ntwo\n');
    assert.deepStrictEqual(daemon.json('last', '2', '-s', name).map((b) => b.cmd), ['echo one', 'echo two']);
    assert.strictEqual(run(name, `${PTYD} last --plain --no-pager`).stdout, '$ echo two\ntwo\n');
    assert.strictEqual(run(name, `echo inner; ${PTYD} last --plain --no-pager`).stdout, 'inner\n$ echo two\ntwo\n');
    const fresh = session();
    const nothing = daemon.ptyd('last', '-s', fresh);
    assert.strictEqual(nothing.status, 1);
    assert.match(nothing.stderr, /no command yet/);
    assert.strictEqual(daemon.ptyd('last', '0', '-s', name).status, 2);
  });

  await report.test('a block that there is not: what there is, and what to do', async () => {
    const name = session();
    assert.match(daemon.ptyd('block', '1', '-s', name).stderr, /has no blocks yet/);
    run(name, 'echo one');
    run(name, 'echo two');
    const check = () => {
      for (const [id, says] of [['99', /has no block 99: the newest is 2; `ptyd blocks -s/], ['x', /'x' is no block: say its number \(2 is the newest\)/], [`${name}:1:5`, /block 1 is another one: `ptyd block 1 -s/]]) {
        for (const command of ['block', 'copy', 'diff', 'rerun']) {
          const { status, stderr } = daemon.ptyd(command, id, '-s', name);
          assert.strictEqual(status, { diff: 2, rerun: 125 }[command] || 1, `${command} ${id}`);
          assert.match(stderr, says, `${command} ${id}`);
        }
      }
    };
    check();
    daemon.ptyd('close', name);
    check();
    for (const args of [[`${name}:2`], [`${name}:2`, '-s', name], ['2', '-s', name]]) assert.strictEqual(daemon.ptyd('block', ...args).stdout, '$ echo two\ntwo\n');
    const both = daemon.ptyd('block', `${name}:2`, '-s', 'other');
    assert.deepStrictEqual([both.status, both.stdout], [2, '']);
    assert.match(both.stderr, new RegExp(`'${name}:2' is a block of session ${name}, and -s says other`));
    assert.match(daemon.ptyd('blocks', '-s', name).stdout, /\n +1 .* echo one\n +2 .* echo two\n$/);
  });
}

async function testAgain() {
  await report.test('rerun: the same command, once more, with its own status', async () => {
    const name = session('--cwd', space.home);
    run(name, 'echo again; exit_with() { return 5; }; exit_with');
    run(name, `${PTYD} version`);
    const again = daemon.ptyd('rerun', '-s', name);
    assert.strictEqual(again.status, 5);
    assert.strictEqual(again.stdout, 'again\n');
    assert.match(again.stderr, /^ptyd: again: echo again;/);
    assert.deepStrictEqual(daemon.json('blocks', '-s', name).map((b) => [b.cmd.split(';')[0], b.exit_code]), [['echo again', 5], [`${PTYD} version`, 0], ['echo again', 5]]);
    run(name, 'true');
    assert.strictEqual(daemon.ptyd('rerun', '1', '-s', name, '--json').status, 5);
    const slow = path.join(space.root, 'slow');
    fs.writeFileSync(slow, '');
    run(name, `while [ -e ${slow} ]; do sleep 0.02; done`, '--timeout', '0.2');
    fs.rmSync(slow);
    await until('its end', () => daemon.json('blocks', '-s', name, '--last', '1')[0].status === 'completed');
    fs.writeFileSync(slow, '');
    assert.strictEqual(daemon.ptyd('rerun', '-s', name, '--timeout', '0.2').status, 124);
    fs.rmSync(slow);
    assert.strictEqual(daemon.ptyd('rerun', '-s', name, '--timeout', 'x').status, 2);
    const within = run(name, `${PTYD} rerun`);
    assert.strictEqual(within.status, 125);
    assert.match(within.stdout, /shell waits for this command: nothing was run/);
  });

  await report.test('diff: against the previous run of the same command in the same directory, as diff(1) says it', async () => {
    const name = session('--cwd', space.home), file = path.join(space.home, 'notes');
    const write = (lines) => { fs.writeFileSync(file, lines.map((l) => `${l}\n`).join('')); };
    const old = Array.from({ length: 20 }, (_, i) => `line ${i}`), now = old.map((l) => (l === 'line 9' ? '\u{1b}[31mchanged\u{1b}[m' : l)).concat('more');
    const first = daemon.ptyd('diff', '-s', session());
    assert.strictEqual(first.status, 2);
    write(old);
    run(name, 'cat ~/notes');
    const none = daemon.ptyd('diff', '-s', name);
    assert.strictEqual(none.status, 2);
    assert.match(none.stderr, /block 1 is the first run of its command/);
    run(name, 'cat ~/notes');
    const same = daemon.ptyd('diff', '-s', name);
    assert.deepStrictEqual([same.status, same.stdout], [0, '']);
    write(now);
    run(name, 'cat ~/notes');
    const [a, b] = [path.join(space.root, 'a'), path.join(space.root, 'b')];
    fs.writeFileSync(a, old.map((l) => `${l}\n`).join(''));
    fs.writeFileSync(b, plain(now.map((l) => `${l}\n`).join('')));
    const expected = spawnSync('diff', ['-u', a, b], { encoding: 'utf8' }).stdout.split('\n').slice(2).join('\n');
    const differs = daemon.ptyd('diff', '-s', name);
    assert.strictEqual(differs.status, 1);
    assert.match(differs.stdout, /^--- block 2\t.*\n\+\+\+ block 3\t.*\n/);
    assert.strictEqual(differs.stdout.split('\n').slice(2).join('\n'), expected);
    const seen = await onTerminal(['diff', '-s', name]);
    assert.strictEqual(seen.status, 1);
    assert.match(seen.text, /\x1b\[0;31m-line 9\x1b\[0m\n\x1b\[0;32m\+changed\x1b\[0m\n/);
    assert.strictEqual(plain(seen.text).split('\n').slice(2).join('\n'), expected);
    assert.strictEqual(daemon.ptyd('diff', '2', '-s', name).status, 0, 'against the first');
    const json = daemon.json('diff', '-s', name);
    assert.deepStrictEqual([json.same, json.block_id.split(':')[1], json.previous.split(':')[1]], [false, '3', '2']);
    assert.strictEqual(json.diff.split('\n').slice(2).join('\n'), expected);
    run(name, 'cd /');
    run(name, 'cat ~/notes');
    assert.strictEqual(daemon.ptyd('diff', '-s', name).status, 2, 'another directory');
    write([]);
    run(name, 'cat ~/notes');
    const emptied = daemon.ptyd('diff', '-s', name);
    assert.strictEqual(emptied.status, 1);
    assert.match(emptied.stdout, /^--- [^]*\n@@ -1,21 \+0,0 @@\n-line 0\n/);
    run(name, 'cd ~ && true');
    run(name, 'true');
    run(name, 'true');
    assert.strictEqual(daemon.ptyd('diff', '-s', name).status, 0, 'nothing printed, twice');
  });
}

async function testCopy() {
  await report.test('copy: the command or its output onto the clipboard, bounded and said', async () => {
    const name = session();
    const clipboard = (text) => Buffer.from(/\x1b\]52;c;([A-Za-z0-9+/=]*)\x1b\\/.exec(text)[1], 'base64').toString();
    run(name, "printf '\\033[31mfirst\\033[m\\nsecond\\n'");
    const command = await onTerminal(['copy', '-s', name]);
    assert.strictEqual(command.status, 0);
    assert.strictEqual(clipboard(command.text), "printf '\\033[31mfirst\\033[m\\nsecond\\n'");
    assert.match(command.text, /sent block 1's command to the clipboard, \d+ bytes/);
    assert.strictEqual(clipboard((await onTerminal(['copy', '-s', name, '--output'])).text), 'first\nsecond');
    run(name, 'seq 100000');
    const large = await onTerminal(['copy', '2', '-s', name, '--output']);
    const text = clipboard(large.text), size = Number(/ of (\d+) bytes/.exec(large.text)[1]);
    assert.ok(text.length <= 74994 && text.length > 74980, String(text.length));
    assert.match(text, /^\d{5}\n[^]*\n99999\n100000$/);
    assert.ok(Array.from({ length: 100000 }, (_, i) => `${i + 1}\n`).join('').startsWith(`1\n2\n`) && size >= 588894, String(size));
    assert.match(large.text, new RegExp(`sent the last ${text.length} of ${size} bytes of block 2's output`));
    run(name, 'true');
    const nothing = await onTerminal(['copy', '-s', name, '--output']);
    assert.strictEqual(nothing.status, 1);
    assert.match(nothing.text, /block 3 has no output to copy/);
    const nowhere = spawnSync('setsid', ['-w', PTYD, 'copy', '1', '-s', name], { env, encoding: 'utf8' });
    assert.strictEqual(nowhere.status, 1);
    assert.match(nowhere.stderr, /no terminal to copy to .*`ptyd block 1` prints it/);
  });
}

async function testContext() {
  await report.test('context show: a table with what goes along, cut and redacted said', async () => {
    const name = session();
    run(name, 'seq 50');
    run(name, 'echo ghp_abcdefghijklmnopqrstuvwxyz0123456789; false');
    run(name, `${PTYD} version`);
    const text = daemon.ptyd('context', 'show', '-s', name).stdout;
    assert.match(text, /^2 commands pending, 2 kept:\n +ID +BEGUN/);
    assert.match(text, /\n +1 .* completed +0 .* seq 50\n +\| 31\n[^]* \| 50\n +\^ cut: 30 earlier lines stay in \//);
    assert.match(text, /\n +2 .* completed +1 .* echo \[redacted:[^\]]*\]; false\n +\| \[redacted:[^\]]*\]\n +\^ redacted: 2 secrets\n$/);
    assert.doesNotMatch(text, /ghp_|\{"/);
    assert.strictEqual(daemon.json('context', 'show', '-s', name).kept, 2);
    daemon.ptyd('context', 'clear', '-s', name);
    assert.match(daemon.ptyd('context', 'show', '-s', name).stdout, /^Nothing is pending/);
  });
}

async function testManual() {
  await report.test('rename: another name, closed, too; what it was opened as goes on to name it', async () => {
    const name = session();
    const listed = (all) => daemon.json('list', ...(all ? ['--all'] : [])).filter((s) => s.conversation_id === name);
    assert.strictEqual(run(name, 'echo before').status, 0);
    assert.match(daemon.ptyd('rename', name, 'deploy').stdout, new RegExp(`^Session ${name} is called deploy now\\.\n$`));
    assert.deepStrictEqual(listed().map((s) => s.name), ['deploy']);
    assert.strictEqual(run('deploy', 'echo after').stdout, 'after\n');
    assert.strictEqual(run(name, 'echo still').stdout, 'still\n');
    assert.match(daemon.ptyd('context', 'show', '-s', 'deploy').stdout, /echo after/);
    assert.strictEqual(run('deploy', `${PTYD} rename released`).status, 0, 'from within');
    killWorker(daemon);
    await until('another worker', () => listed().length === 1);
    assert.deepStrictEqual(listed().map((s) => s.name), ['released']);
    assert.strictEqual(daemon.ptyd('upgrade').status, 0);
    assert.deepStrictEqual(listed().map((s) => s.name), ['released']);
    assert.strictEqual(daemon.ptyd('reset', 'released').stderr, 'ptyd: session released is not quarantined\n');
    assert.match(daemon.ptyd('send', 'x', '-s', 'relaesed').stderr, /did you mean released\?/);
    const other = session();
    for (const [taken, why] of [['released', 'another session has that name'], [name, 'was opened by that name'], ['term-7', 'are those of terminals'], ['a/b', 'needs a name of letters']]) {
      const refused = daemon.ptyd('rename', other, taken);
      assert.strictEqual(refused.status, 1, taken);
      assert.match(refused.stderr, new RegExp(why));
    }
    assert.match(daemon.ptyd('open', name).stdout, new RegExp(`${name}, which is called released now, was running already`));
    assert.strictEqual(daemon.ptyd('close', 'released').status, 0);
    assert.deepStrictEqual(listed(true).map((s) => [s.name, s.state]), [['released', 'closed']]);
    assert.ok(daemon.json('blocks', '-s', 'released').every((block) => block.conversation_id === name));
    assert.match(daemon.ptyd('search', '-s', 'released', 'echo before').stdout, new RegExp(`^${name}:1 `));
    assert.match(daemon.ptyd('rename', other, 'released').stderr, /a closed session has that name/);
    assert.strictEqual(daemon.ptyd('open', 'released').status, 0, 'the same conversation goes on');
    assert.strictEqual(daemon.ptyd('rename', 'released', name).status, 0);
    assert.deepStrictEqual(listed().map((s) => s.name), [name]);
    assert.match(daemon.ptyd('rename', other, 'released').stdout, /is called released now/, 'it is free');
  });

  await report.test('every member of a block stands in ptyd-rpc(7), every command in ptyd(1)', async () => {
    const name = session();
    run(name, 'true');
    const manual = (page) => fs.readFileSync(path.resolve(__dirname, `../../docs/${page}`), 'utf8');
    const blocks = manual('ptyd-rpc.7').split('.SH BLOCKS')[1].split('.SH')[0];
    for (const member of Object.keys(daemon.json('block', '1', '-s', name))) assert.match(blocks, new RegExp(`^\\.BR? .*\\b${member}\\b`, 'm'), member);
    for (const command of ['blocks', 'block', 'last', 'rerun', 'diff', 'copy', 'screen', 'scrollback']) {
      assert.match(manual('ptyd.1'), new RegExp(`^\\.B[RI]* .*\\b${command}\\b`, 'm'), command);
      const help = daemon.ptyd(command, '--help');
      assert.strictEqual(help.status, 0);
      assert.match(help.stdout, new RegExp(`^usage: ptyd ${command}[^]*\nexamples?:\n  `), command);
    }
  });
}

async function main() {
  daemon = await new Daemon(space).ready();
  for (const part of [testTable, testPager, testColours, testPages, testPagesOfRows, testPagesOfBrokenLines, testChoosing, testAgain, testCopy, testContext, testManual]) await part();
  await Outer.endAll();
  await report.test('the daemon ends cleanly', async () => { assert.strictEqual((await daemon.stop()).code, 0); });
  removeWorkspace(space);
  report.finish();
}

main();
