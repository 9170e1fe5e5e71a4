// ptyd search: what is found is what grep finds in the files, whatever becomes of index and sessions.
// PATTERNS=40 random ones.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, until, waitFor, PTYD } = require('./harness');

// A session's files as a daemon leaves them: blocks with `seq`, `cmd`, `output`, `code`, `cwd`, `ended`.
function writeSession(state, name, blocks, { rotated = 0 } = {}) {
  const place = path.join(state, 'conversations', name, 'agent_pty');
  fs.mkdirSync(path.join(place, 'blocks'), { recursive: true });
  const line = (b) => {
    const lines = b.output.split('\n').slice(0, -1), begin = b.ended - 5;
    if (b.file !== false) fs.writeFileSync(path.join(place, `blocks/${b.seq}_${begin}.out`), b.output);
    return `${JSON.stringify({
      block_id: `${name}:${b.seq}:${begin}`, conversation_id: name, shell_id: 'shell_1', seq: b.seq, cmd: b.cmd, cwd: b.cwd || '/',
      cwd_after: b.cwd || '/', exit_code: b.code ?? 0, status: 'completed', type: 'user_cmd', ts_begin: begin, ts_end: b.ended, duration_ms: 5,
      output_lines: lines.length, output_bytes: b.output.length, output_path: `blocks/${b.seq}_${begin}.out`,
      preview: { lines: lines.slice(-20), truncated: lines.length > 20 }, omitted_lines: Math.max(0, lines.length - 20),
    })}\n`;
  };
  if (rotated) fs.writeFileSync(path.join(place, 'blocks.jsonl.1'), blocks.slice(0, rotated).map(line).join(''));
  fs.writeFileSync(path.join(place, 'blocks.jsonl'), blocks.slice(rotated).map(line).join(''));
  return place;
}

// The same numbers for the same seed.
function random(seed) {
  let state = seed;
  return (most) => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return Math.floor(state / 2 ** 32 * most); };
}

const WORDS = ['error', 'Error', 'undeclared', 'main.c', '"quoted"', 'a*b', '--force', "it's", '日本語', 'größe', 'ÄRGER', 'x', 'fatal:', '[warn]', '$HOME', '100%', 'naïve', '\\n', 'Привет', '; rm'];

function corpus(seed, count, from = 1) {
  const next = random(seed), words = (n) => Array.from({ length: n }, () => WORDS[next(WORDS.length)] + (next(3) ? '' : next(1000))).join(' ');
  return Array.from({ length: count }, (_, i) => ({
    seq: from + i, cmd: words(1 + next(3)), output: Array.from({ length: next(12) }, () => `${words(next(6))}\n`).join(''),
    code: next(4) ? 0 : 1 + next(3), cwd: ['/a', '/a/b', '/ab', '/'][next(4)], ended: 1795000000000 + (from + i) * 1000 + seed,
  }));
}

// What there is to be found, by node's own means: [session, seq, lines that match].
function expected(sessions, matches, wants = () => true) {
  const found = [];
  for (const [name, blocks] of Object.entries(sessions))
    for (const b of blocks) {
      const lines = [...b.cmd.split('\n'), ...b.output.split('\n')].filter(matches);
      if (lines.length && wants(b)) found.push({ ended: b.ended, id: `${name}:${b.seq}`, lines: lines.length });
    }
  return found.sort((a, b) => a.ended - b.ended).map(({ id, lines }) => `${id} ${lines}`);
}

const said = (results) => results.map((r) => `${r.conversation_id}:${r.seq} ${r.match_count}`);

async function main() {
  const report = new Report();
  const space = workspace(), state = space.env.PTYD_STATE_DIR;
  const ptyd = (...args) => spawnSync(PTYD, args, { env: space.env, encoding: 'utf8', cwd: space.home, maxBuffer: 1 << 28, timeout: 120000 });
  const search = (...args) => {
    const answer = ptyd('search', '--json', '--last', '100000', ...args);
    assert.ok(answer.stdout, `${args}: ${answer.stderr}`);
    return said(JSON.parse(answer.stdout));
  };
  const index = path.join(state, 'search.db');

  await report.test('nothing was recorded yet; wrong values say what was expected', async () => {
    const none = ptyd('search', 'x');
    assert.deepStrictEqual([none.status, none.stdout], [1, '']);
    assert.match(none.stderr, /nothing was recorded yet/);
    for (const [args, words] of [
      [[], /what is to be found/], [[''], /empty/], [['a', 'b'], /quotes/], [['--since', 'soon', 'a'], /90s, 30m, 2h, 2d/],
      [['--cwd', 'no/such', 'a'], /no directory 'no\/such'/], [['--last', '0', 'a'], /from 1 to/], [['--command', '--output', 'a'], /one or the other/],
      [['--regex', '(a'], /no regular expression: missing closing parenthesis/], [['x'.repeat(4097)], /longer than 4096/],
    ]) {
      const answer = ptyd('search', ...args);
      assert.deepStrictEqual([answer.status, answer.stdout], [2, ''], args.join(' '));
      assert.match(answer.stderr, words);
    }
  });

  const sessions = { one: corpus(1, 150), two: corpus(2, 120), three: corpus(3, 90) };
  const write = () => {
    for (const [name, blocks] of Object.entries(sessions)) writeSession(state, name, blocks, { rotated: name === 'two' ? 50 : 0 });
  };
  write();

  await report.test('literal text of every kind is found as a plain scan of the texts finds it', async () => {
    for (const word of [...WORDS, 'rro', 'r', '日', '本語', 'undeclared1', '9', '"', '*', '-', "t's", 'größe ', 'nothing like it', 'ROR', 'привет', 'ärger', 'äRger']) {
      const capital = word !== word.toLowerCase();
      const matches = (line) => capital ? line.includes(word) : line.toLowerCase().includes(word);
      assert.deepStrictEqual(search('--', word), expected(sessions, matches), word);
    }
  });

  await report.test('--failed, --since, --cwd, -s, --command, --output, --regex, --last', async () => {
    const matches = (line) => line.toLowerCase().includes('error');
    assert.deepStrictEqual(search('--failed', 'error'), expected(sessions, matches, (b) => b.code));
    for (const name of ['/a', '/a/', '//a//', '/b/../a/.'])
      assert.deepStrictEqual(search('--cwd', name, 'error'), expected(sessions, matches, (b) => b.cwd === '/a' || b.cwd === '/a/b'), name);
    for (const name of ['/', '/..']) assert.deepStrictEqual(search('--cwd', name, 'error'), expected(sessions, matches), name);
    assert.deepStrictEqual(search('-s', 'two', 'error'), expected({ two: sessions.two }, matches));
    const since = 1795000080, date = spawnSync('date', ['-d', `@${since}`, '+%Y-%m-%dT%H:%M:%S'], { encoding: 'utf8', env: space.env }).stdout.trim();
    assert.deepStrictEqual(search('--since', date, 'error'), expected(sessions, matches, (b) => b.ended - 5 >= since * 1000));
    const part = (change) => Object.fromEntries(Object.entries(sessions).map(([name, blocks]) => [name, blocks.map((b) => ({ ...b, ...change }))]));
    assert.deepStrictEqual(search('--command', 'error'), expected(part({ output: '' }), matches));
    assert.deepStrictEqual(search('--output', 'error'), expected(part({ cmd: '' }), matches));
    assert.deepStrictEqual(search('--regex', 'err.r\\d+ +[xa]'), expected(sessions, (line) => /err.r\d+ +[xa]/i.test(line)));
    assert.deepStrictEqual(search('--regex', '^(fatal|Error)'), expected(sessions, (line) => /^(fatal|Error)/.test(line)));
    const newest = ptyd('search', '--json', '--last', '7', 'error');
    assert.deepStrictEqual(said(JSON.parse(newest.stdout)), expected(sessions, matches).slice(-7));
    assert.match(newest.stderr, /these are the newest 7; --last N shows more/);
    const none = ptyd('search', 'nothing like it');
    assert.deepStrictEqual([none.status, none.stdout, none.stderr], [1, '', 'ptyd: nothing matches\n']);
  });

  await report.test('--cwd knows a directory by the name that the shell has for it', async () => {
    const real = path.join(space.root, 'real'), link = path.join(space.root, 'link');
    fs.mkdirSync(path.join(real, 'sub'), { recursive: true });
    fs.symlinkSync('real', link);
    writeSession(state, 'linked', [{ seq: 1, cmd: 'make', output: 'needle\n', cwd: `${link}/sub`, ended: 1795000800000 }]);
    const from = (cwd, ...names) => names.map((name) => spawnSync(PTYD, ['search', '--cwd', name, 'needle'], { env: { ...space.env, PWD: cwd }, cwd }).status);
    assert.deepStrictEqual(from(link, '.', 'sub', 'sub/', './sub/../sub', '..', `${link}/sub/`), [0, 0, 0, 0, 0, 0]);
    assert.deepStrictEqual(from(`${link}/sub`, '.', '..', '../'), [0, 0, 0]);
    assert.deepStrictEqual(from(real, '.', 'sub'), [1, 1]); // the shell called it otherwise
    fs.rmSync(path.join(state, 'conversations/linked'), { recursive: true });
    ptyd('search', 'x');
  });

  await report.test('files are private, the log is left clean', async () => {
    ptyd('search', 'x');
    const files = fs.readdirSync(state).filter((name) => name.startsWith('search'));
    assert.deepStrictEqual(files.sort(), ['search.db', 'search.lock']);
    for (const name of files) assert.strictEqual(fs.statSync(path.join(state, name)).mode & 0o777, 0o600, name);
  });

  await report.test('what is shown: a head, the lines, the match marked on a terminal, controls made visible', async () => {
    writeSession(state, 'shown', [{ seq: 1, cmd: 'make\nall', output: `first\nbad \x1b[31mneedle\x07 here\n${'y'.repeat(3000)}needle\n`, code: 2, cwd: `${space.home}/src`, ended: 1795000900000 }]);
    const shown = ptyd('search', 'needle');
    const [head, one, two] = shown.stdout.split('\n');
    assert.match(head, /^shown:1 {2}2026-\d\d-\d\d \d\d:\d\d:\d\d {2}exit 2 {2}~\/src {2}\$ make …$/);
    assert.strictEqual(one, '  2: bad \\u{1b}[31mneedle\\u{7} here');
    assert.ok(two.startsWith('  3: …yyy') && two.endsWith('needle') && two.length < 500);
    const marked = spawnSync('script', ['-qec', `${PTYD} search needle`, '/dev/null'], { env: { ...space.env, TERM: 'xterm' }, encoding: 'utf8' });
    assert.match(marked.stdout, /\x1b\[1;31mneedle\x1b\[m/);
    const plain = spawnSync('script', ['-qec', `${PTYD} search needle`, '/dev/null'], { env: { ...space.env, TERM: 'xterm', NO_COLOR: '1' }, encoding: 'utf8' });
    assert.doesNotMatch(plain.stdout, /\x1b/);
    fs.rmSync(path.join(state, 'conversations/shown'), { recursive: true });
  });

  await report.test('what comes is found, with the last sheet and across a rotation; what goes is gone and said to be', async () => {
    for (let round = 0; round < 4; round++) {
      const last = sessions.three.at(-1).seq;
      sessions.three.push(...corpus(30 + round, 25, last + 1));
      const place = path.join(state, 'conversations/three/agent_pty');
      const more = path.join(space.root, 'more');
      writeSession(more, 'three', sessions.three.slice(-25));
      fs.cpSync(path.join(more, 'conversations/three/agent_pty/blocks'), path.join(place, 'blocks'), { recursive: true });
      if (round === 2) fs.renameSync(path.join(place, 'blocks.jsonl'), path.join(place, 'blocks.jsonl.1'));
      fs.appendFileSync(path.join(place, 'blocks.jsonl'), fs.readFileSync(path.join(more, 'conversations/three/agent_pty/blocks.jsonl')));
      for (const word of ['undeclared', 'error', 'x']) assert.deepStrictEqual(search(word), expected(sessions, (line) => line.toLowerCase().includes(word)), `${word} ${round}`);
    }
    // The quota takes the oldest lines: a further rotation.
    const place = path.join(state, 'conversations/three/agent_pty');
    fs.renameSync(path.join(place, 'blocks.jsonl'), path.join(place, 'blocks.jsonl.1'));
    writeSession(path.join(space.root, 'more'), 'three', corpus(40, 5, sessions.three.at(-1).seq + 1));
    fs.copyFileSync(path.join(space.root, 'more/conversations/three/agent_pty/blocks.jsonl'), path.join(place, 'blocks.jsonl'));
    fs.cpSync(path.join(space.root, 'more/conversations/three/agent_pty/blocks'), path.join(place, 'blocks'), { recursive: true });
    const gone = sessions.three.length - 50;
    sessions.three = [...sessions.three.slice(-50), ...corpus(40, 5, sessions.three.at(-1).seq + 1)];
    assert.match(ptyd('search', 'x').stderr, new RegExp(`session three: ${gone} of its oldest commands are kept no more`));
    assert.deepStrictEqual(search('error'), expected(sessions, (line) => line.toLowerCase().includes('error')));
    // A session that retention removed.
    fs.rmSync(path.join(state, 'conversations/two'), { recursive: true });
    fs.writeFileSync(path.join(state, 'gone.jsonl'), '{"name":"two","why":"keep_days","removed":1795351731000,"used":1795000000000,"bytes":5}\n');
    assert.match(ptyd('search', 'x').stderr, /session two is gone with its 120 commands: it was removed on 2026-11-\d\d by keep_days/);
    delete sessions.two;
    assert.deepStrictEqual(search('error'), expected(sessions, (line) => line.toLowerCase().includes('error')));
    assert.match(ptyd('search', '-s', 'two', 'x').stderr, /session two is gone: it was removed/);
    assert.match(ptyd('search', '-s', 'never', 'x').stderr, /there is no session never/);
    // Its name comes again, for another.
    sessions.two = corpus(7, 30);
    writeSession(state, 'two', sessions.two);
    assert.deepStrictEqual(search('error'), expected(sessions, (line) => line.toLowerCase().includes('error')));
  });

  await report.test('a rotation with nothing behind it takes no session away', async () => {
    const place = path.join(state, 'conversations/one/agent_pty'), wanted = expected(sessions, (line) => line.toLowerCase().includes('error'));
    fs.renameSync(path.join(place, 'blocks.jsonl'), path.join(place, 'blocks.jsonl.1'));
    for (let round = 0; round < 2; round++) {
      assert.strictEqual(ptyd('search', 'x').stderr.replace(/^ptyd: these are the newest.*\n/, ''), '');
      assert.deepStrictEqual(search('error'), wanted);
    }
    fs.rmSync(index);
    assert.deepStrictEqual(search('error'), wanted);
    fs.renameSync(path.join(place, 'blocks.jsonl.1'), path.join(place, 'blocks.jsonl'));
    assert.deepStrictEqual(search('error'), wanted);
  });

  await report.test('sessions that cannot be listed are not gone', async () => {
    const place = path.join(state, 'conversations'), wanted = search('error');
    fs.renameSync(place, `${place}.away`);
    fs.writeFileSync(place, '');
    const unread = ptyd('search', '--json', '--last', '100000', 'error');
    assert.match(unread.stderr, /conversations cannot be read whole: Not a directory; what is in the index stays there/);
    assert.deepStrictEqual(said(JSON.parse(unread.stdout)), wanted);
    fs.rmSync(place);
    fs.renameSync(`${place}.away`, place);
    const again = ptyd('search', '--json', '--last', '100000', 'error');
    assert.deepStrictEqual([said(JSON.parse(again.stdout)), again.stderr], [wanted, '']);
    // One of them.
    const one = path.join(place, 'one/agent_pty');
    fs.renameSync(one, `${one}.away`);
    fs.symlinkSync('agent_pty', one); // ELOOP
    const loop = ptyd('search', '--json', '--last', '100000', 'error');
    assert.match(loop.stderr, /cannot be read whole: Too many levels/);
    assert.deepStrictEqual(said(JSON.parse(loop.stdout)), wanted);
    fs.rmSync(one);
    fs.renameSync(`${one}.away`, one);
    assert.deepStrictEqual(search('error'), wanted);
  });

  await report.test('an index that cannot be written is searched as it is, which is said', async () => {
    const wanted = search('error'), next = random(77);
    writeSession(state, 'more', [{ seq: 1, cmd: 'much', output: Array.from({ length: 20000 }, () => `error ${next(2 ** 31).toString(36)} ${next(2 ** 31)}\n`).join(''), ended: 1795002000000 }]);
    const full = spawnSync('sh', ['-c', `ulimit -f 200; exec ${PTYD} search --json --last 100000 error`], { env: space.env, encoding: 'utf8', maxBuffer: 1 << 28 });
    assert.match(full.stderr, /the index cannot be brought up to date \(.*\): of 1 of 4 sessions it does not tell all yet/);
    assert.deepStrictEqual([full.status, said(JSON.parse(full.stdout))], [0, wanted]);
    assert.deepStrictEqual(search('error'), [...wanted, 'more:1 20000']);
    fs.rmSync(path.join(state, 'conversations/more'), { recursive: true });
    ptyd('search', 'x');
  });

  await report.test('who reads an answer slowly keeps nobody from making the index again', async () => {
    const [begun, go] = ['begun', 'read-on'].map((name) => path.join(space.root, name));
    const ask = ['search', '--json', '--last', '100000', 'r'];
    const { stdout: wanted } = ptyd(...ask);
    assert.ok(wanted.length > 80000, `more than a pipe holds: ${wanted.length}`);
    const reader = spawn('sh', ['-c', `"$0" "$@" | { head -c 1; touch ${begun}; ${waitFor(go)}; cat; }`, PTYD, ...ask], { env: space.env, stdio: ['ignore', 'pipe', 'ignore'] });
    let told = '';
    reader.stdout.on('data', (data) => { told += data; });
    const ended = new Promise((resolve) => reader.stdout.on('end', resolve));
    await until('it answers', () => fs.existsSync(begun));
    fs.writeFileSync(index, 'no database '.repeat(10000));
    const answer = spawnSync(PTYD, ask, { env: space.env, encoding: 'utf8', maxBuffer: 1 << 28, timeout: 60000 });
    fs.writeFileSync(go, '');
    await ended;
    assert.match(answer.stderr, /it is made again/);
    assert.deepStrictEqual([answer.stdout, told.length], [wanted, wanted.length]);
  });

  await report.test('an output that is kept no more is found by its end alone', async () => {
    const output = Array.from({ length: 100 }, (_, i) => `line ${i + 1} of much\n`).join('');
    const blocks = [1, 2].map((seq) => ({ seq, cmd: `long ${seq}`, output, ended: 1795000950000 + seq }));
    const place = writeSession(state, 'swept', blocks);
    assert.deepStrictEqual(search('line 5 of'), ['swept:1 1', 'swept:2 1']);
    fs.rmSync(path.join(place, 'blocks/1_1795000949996.out'));
    fs.appendFileSync(path.join(place, 'blocks.jsonl'), '\n');
    assert.deepStrictEqual(search('line 5 of'), ['swept:2 1']);
    assert.deepStrictEqual(search('line 95 of'), ['swept:1 1', 'swept:2 1']);
    fs.rmSync(index);
    assert.deepStrictEqual(search('line 5 of'), ['swept:2 1']);
    const [{ matches: [match] }] = JSON.parse(ptyd('search', '--json', 'line 95 of').stdout);
    assert.deepStrictEqual([match.in, match.line, match.text.slice(match.from, match.to)], ['output', 95, 'line 95 of']);
    fs.rmSync(path.join(state, 'conversations/swept'), { recursive: true });
    ptyd('search', 'x');
  });

  await report.test('texts larger than a sheet of the index: every line once, with its number, a line longer than one, too', async () => {
    const lines = Array.from({ length: 30000 }, (_, i) => `${i + 1} ${i % 1000 === 500 ? 'mark' : 'filler'} ${'z'.repeat(i % 40)}`);
    const long = `${'ä'.repeat(200000)}middle${'ö'.repeat(100000)}`;
    writeSession(state, 'large', [{ seq: 1, cmd: 'much', output: `${lines.join('\n')}\n${long}\n`, ended: 1795001000000 }, { seq: 2, cmd: 'behind mark', output: '', ended: 1795001000001 }]);
    assert.deepStrictEqual(search('-s', 'large', 'mark'), ['large:1 30', 'large:2 1']);
    assert.deepStrictEqual(search('-s', 'large', 'ämiddleö'), ['large:1 1']);
    for (const at of [1, 9999, 20000, 29999]) {
      const [{ matches: [match] }] = JSON.parse(ptyd('search', '--json', '-s', 'large', `${at} filler`).stdout).slice(-1);
      assert.ok(match.text.startsWith(`${match.line} `), match.text);
    }
    assert.deepStrictEqual(search('-s', 'large', '--regex', '^ä|ö$'), ['large:1 1']);
    // The last sheet, which a newer command shares, is looked through first.
    writeSession(state, 'large', [{ seq: 1, cmd: 'much', output: `${lines.join('\n')}\n`, ended: 1795001000010 }, { seq: 2, cmd: 'behind mark', output: '', ended: 1795001000011 }]);
    const [{ match_count, matches }] = JSON.parse(ptyd('search', '--json', '-s', 'large', 'mark').stdout);
    assert.deepStrictEqual([match_count, ...matches.map((m) => m.line)], [30, 501, 1501, 2501, 3501, 4501]);
    fs.rmSync(path.join(state, 'conversations/large'), { recursive: true });
  });

  // Enough for what the index knows of many texts together, and then for some of that to go.
  await report.test('random patterns in 700 sessions: what a plain scan finds; and when most sessions are gone', async () => {
    const next = random(99), many = {};
    const apart = path.join(space.root, 'many'), of = { ...space.env, PTYD_STATE_DIR: apart };
    for (let i = 0; i < 700; i++) {
      many[`s${i}`] = corpus(1000 + i, 3).map((b) => ({ ...b, ended: 1795000000000 + 10 * i + b.seq }));
      writeSession(apart, `s${i}`, many[`s${i}`]);
    }
    const texts = Object.values(many).flat().flatMap((b) => [b.cmd, b.output]).filter((text) => text.length > 20);
    const pick = () => {
      const letters = [...texts[next(texts.length)]], at = next(letters.length), len = next(3) ? 1 + next(3) : 4 + next(20);
      const pattern = letters.slice(at, at + len).join('').replace(/\n/g, ' ').trim() || 'x';
      return next(5) ? pattern : pattern + 'q"%*\'_äß'[next(8)]; // which is mostly nowhere
    };
    const ask = (pattern) => {
      const answer = spawnSync(PTYD, ['search', '--json', '--last', '100000', '--', pattern], { env: of, encoding: 'utf8', maxBuffer: 1 << 28 });
      return said(JSON.parse(answer.stdout));
    };
    const check = (count) => {
      let found = 0;
      for (let i = 0; i < count; i++) {
        const pattern = pick(), capital = pattern !== pattern.toLowerCase();
        const wanted = expected(many, (line) => (capital ? line : line.toLowerCase()).includes(pattern));
        assert.deepStrictEqual(ask(pattern), wanted, pattern);
        found += wanted.length > 0;
      }
      return found;
    };
    const count = Number(process.env.PATTERNS || 40);
    assert.ok(check(count) > count / 2);
    const failed = spawnSync(PTYD, ['search', '--json', '--last', '100000', '--failed', '--cwd', '/a/b', 'error'], { env: of, encoding: 'utf8', maxBuffer: 1 << 28 });
    const matches = (line) => line.toLowerCase().includes('error');
    assert.deepStrictEqual(said(JSON.parse(failed.stdout)), expected(many, matches, (b) => b.code && b.cwd === '/a/b'));
    for (let i = 0; i < 700; i++)
      if (i % 8) {
        fs.rmSync(path.join(apart, 'conversations', `s${i}`), { recursive: true });
        delete many[`s${i}`];
      }
    check(10);
    fs.rmSync(apart, { recursive: true });
  });

  const questions = () => ['error', 'undeclared', '日本語', 'x'].map((word) => search(word));

  await report.test('an index that is deleted, cut short or damaged at any place is made again with a word', async () => {
    ptyd('search', 'x');
    const whole = fs.readFileSync(index), wanted = questions(), next = random(9);
    assert.ok(wanted.every((found) => found.length));
    const places = [0, 5, 16, 20, 24, 27, 28, 40, 60, 96, 100, ...Array.from({ length: Number(process.env.DAMAGES || 12) }, () => next(whole.length))];
    let words = 0;
    for (const at of places) {
      const bytes = Buffer.from(whole);
      bytes[at] ^= 1 << next(8);
      fs.writeFileSync(index, bytes);
      const answer = ptyd('search', '--json', '--last', '100000', 'error');
      assert.deepStrictEqual(said(JSON.parse(answer.stdout)), wanted[0], `byte ${at}: ${answer.stderr}`);
      if (answer.stderr) { words += 1; assert.match(answer.stderr, /search\.db is of no use \(.*\): it is made again/); }
      assert.deepStrictEqual(search('undeclared'), wanted[1], `byte ${at}`);
    }
    assert.ok(words > places.length / 4, `${words} words`);
    const copied = Buffer.from(whole), page = 16384, count = whole.length / page;
    for (let at = 1; at < count; at++) whole.copy(copied, at * page, (at === 1 ? count - 1 : at - 1) * page, (at === 1 ? count : at) * page);
    fs.writeFileSync(index, copied);
    assert.match(ptyd('search', 'x').stderr, /search\.db is of no use/);
    assert.deepStrictEqual(questions(), wanted);
    for (const bytes of [Buffer.alloc(0), whole.subarray(0, 100), whole.subarray(0, whole.length >> 1), Buffer.from('no database at all\n'.repeat(100))]) {
      fs.writeFileSync(index, bytes);
      assert.deepStrictEqual(questions(), wanted, `${bytes.length} bytes`);
    }
    fs.rmSync(index);
    assert.deepStrictEqual(questions(), wanted);
    fs.rmSync(index);
    fs.mkdirSync(index);
    const stuck = ptyd('search', 'x');
    assert.deepStrictEqual([stuck.status, stuck.stdout], [1, '']);
    assert.match(stuck.stderr, /search\.db cannot be used: .*; it may be removed/);
    fs.rmdirSync(index);
    const small = path.join(space.root, 'small');
    fs.mkdirSync(small);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', small]).status === 0) {
      fs.symlinkSync(path.join(space.env.PTYD_STATE_DIR, 'conversations'), path.join(small, 'conversations'));
      const full = spawnSync(PTYD, ['search', 'x'], { env: { ...space.env, PTYD_STATE_DIR: small }, encoding: 'utf8' });
      spawnSync('umount', [small]);
      assert.deepStrictEqual([full.status, full.stderr], [1, `ptyd: ${small}/search.db cannot be used: database or disk is full: make room\n`]);
    } else report.skip('a full disk', 'no tmpfs can be mounted here');
  });

  await report.test('ten at once from nothing, and killed in the middle: all answer alike in the end', async () => {
    const all = questions(), wanted = all[0];
    for (let round = 0; round < 3; round++) {
      fs.rmSync(index, { force: true });
      const ten = Array.from({ length: 10 }, () => new Promise((resolve) => {
        const child = spawn(PTYD, ['search', '--json', '--last', '100000', 'error'], { env: space.env, stdio: ['ignore', 'pipe', 'pipe'] });
        let text = '', error = '';
        child.stdout.on('data', (data) => { text += data; });
        child.stderr.on('data', (data) => { error += data; });
        child.on('close', (status) => resolve({ status, text, error }));
      }));
      for (const { status, text, error } of await Promise.all(ten)) {
        assert.strictEqual(status, 0, error);
        if (!/does not tell all/.test(error)) assert.deepStrictEqual(said(JSON.parse(text)), wanted);
      }
    }
    const next = random(5);
    for (let kill = 0; kill < 12; kill++) {
      if (kill % 3 === 0) fs.rmSync(index, { force: true });
      const child = spawn(PTYD, ['search', 'error'], { env: space.env, stdio: 'ignore' });
      const ended = new Promise((resolve) => child.on('close', resolve));
      const size = next(300000); // killed as soon as so much is written
      await until('it writes, or is done', () => child.exitCode !== null || [index, `${index}-wal`].some((file) => fs.existsSync(file) && fs.statSync(file).size >= size));
      child.kill('SIGKILL');
      await ended;
      assert.deepStrictEqual(questions(), all);
    }
  });

  await report.test('a regular expression that takes too long is given up, which is said', async () => {
    writeSession(state, 'slow', [{ seq: 1, cmd: 'a', output: `${'a'.repeat(5000)}bc\n`, ended: 1795001100000 }]);
    const answer = ptyd('search', '-s', 'slow', '--regex', '^(a+)+$');
    assert.strictEqual(answer.status, 0); // the command matches
    const slow = ptyd('search', '-s', 'slow', '--output', '--regex', '(a|aa)+c');
    assert.match(slow.stderr, /took too long on 1 text/);
    fs.rmSync(path.join(state, 'conversations/slow'), { recursive: true });
  });

  await report.test('an output that is gone through for secrets yet is told by its end, and is whole when that is done', () => {
    const output = (n) => `first of ${n}\n${'between\n'.repeat(30)}last of ${n}\n`, sessions = {};
    const mark = (name, seq) => fs.writeFileSync(path.join(state, 'conversations', name, 'agent_pty/redacted.json'), JSON.stringify({ offset: 0, seq, tries: 0 }));
    for (const name of ['waits', 'waits-too']) {
      sessions[name] = Array.from({ length: 4 }, (_, i) => ({ seq: i + 1, cmd: `command-of ${name}`, output: output(name), ended: 1795001200000 + i * 1000 + name.length }));
      writeSession(state, name, sessions[name]);
      mark(name, 2);
    }
    const has = (text) => (line) => line.includes(text), all = () => Object.keys(sessions).flatMap((name) => ['first of', 'between', 'last of', 'command-of'].map((text) => [name, text]));
    for (const round of ['the first search', 'one that does not wait']) {
      assert.deepStrictEqual(search('first of'), expected(sessions, has('first of'), (b) => b.seq <= 2), round);
      for (const text of ['last of', 'command-of']) assert.deepStrictEqual(search(text), expected(sessions, has(text)), `${round}: ${text}`);
    }
    mark('waits', 3);
    assert.deepStrictEqual(search('-s', 'waits', 'first of'), expected({ waits: sessions.waits.slice(0, 3) }, has('first of')));
    for (const name of Object.keys(sessions)) mark(name, 4);
    for (const [name, text] of all()) assert.deepStrictEqual(search('-s', name, text), expected({ [name]: sessions[name] }, has(text)), `${name}: ${text}`);
    for (const name of Object.keys(sessions)) fs.rmSync(path.join(state, 'conversations', name), { recursive: true });
  });

  await report.test('real sessions: what runs is found, and what a closed one did; `ptyd block` shows it by its id', async () => {
    fs.rmSync(path.join(state, 'conversations'), { recursive: true });
    const daemon = await new Daemon(space).ready(), go = path.join(space.root, 'go');
    for (const name of ['alive', 'closed']) assert.strictEqual(daemon.ptyd('open', name, '--shell', 'bash').status, 0);
    daemon.ptyd('run', '-s', 'closed', '--', 'echo gone "but" kept; false');
    daemon.ptyd('close', 'closed');
    daemon.ptyd('run', '-s', 'alive', '--', ' echo of a private one');
    daemon.ptyd('send', '-s', 'alive', `seq -f 'early %g' 100; ${waitFor(go)}; echo late words\r`);
    await until('it runs', () => daemon.json('screen', '-s', 'alive').rows.includes('early 100'));
    // What has left the screen stands in its file.
    await until('it is found', () => search('early 17').includes('alive:2 1'));
    assert.match(ptyd('search', 'early 17').stdout, /^alive:2 .* {2}running {2}~ {2}\$ seq -f .*\n {2}17: early 17$/m);
    assert.deepStrictEqual(search('--failed', 'early 17'), []);
    fs.writeFileSync(go, '');
    await until('it ended', () => daemon.json('blocks', '-s', 'alive').at(-1).status === 'completed');
    assert.deepStrictEqual(search('late words'), ['alive:2 2']);
    assert.deepStrictEqual(search('private one'), ['alive:1 2']);
    const [result] = JSON.parse(ptyd('search', '--json', '--failed', 'but kept').stdout);
    assert.deepStrictEqual([result.conversation_id, result.exit_code, result.matches.map((m) => m.text)], ['closed', 1, ['gone but kept']]);
    for (const id of [result.block_id, 'closed:1']) assert.strictEqual(daemon.ptyd('block', id).stdout, '$ echo gone "but" kept; false\ngone but kept\n', id);
    assert.strictEqual(daemon.json('block', 'closed:1').block_id, result.block_id);
    assert.strictEqual(daemon.ptyd('block', 'closed:9').status, 1);
    await daemon.stop();
    assert.deepStrictEqual(search('late words'), ['alive:2 2']);
  });

  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
