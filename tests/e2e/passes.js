// Everything passes: what a program asks of its terminal and what it prints that is more than text
// (points.js), in the bare terminal and in a session. With one viewer, both are the same; with none the model
// answers; with three there is one answer, and no query is left open by a viewer that goes.
// TABLE=1 prints the list instead: plain, dtach, tmux, ptyd.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, PTYD, until, killWorker } = require('./harness');
const { Outer, ASK, hex } = require('./outer');
const { queries, sequences } = require('./points');

const SIZE = '100x30';
const space = workspace();
// What a person's kitty gives its programs.
const env = { ...space.env, TERM: 'xterm-kitty', COLORTERM: 'truecolor', KITTY_WINDOW_ID: '7', TERM_PROGRAM: 'kitty' };
const list = path.join(space.root, 'queries');
const all = path.join(space.root, 'sequences');
fs.writeFileSync(list, queries.map((q) => `${hex(q.bytes)}\n`).join(''));
fs.writeFileSync(all, Buffer.concat(sequences.flatMap((s, i) => [Buffer.from(`<${i}:`), s.bytes, Buffer.from(`:${i}>`)])));

let count = 0;
const fresh = (name) => path.join(space.root, `${name}-${++count}`);
const written = (file, ms) => until(`${file} is there`, () => fs.existsSync(file) && fs.readFileSync(file, 'utf8'), ms);

// A terminal in which a shell's prompt stands, directly or through something.
async function terminal(command, size = SIZE, options = {}) {
  const outer = new Outer(env, command, { size, cwd: space.home, ...options });
  await outer.expect('$ ');
  return outer;
}
const attach = (name, size, options) => terminal([PTYD, 'attach', name], size, options);

const home = "printf '\\033[H\\033[2J'";

function readAnswers(text) {
  const [head, ...answers] = text.split('\n').slice(0, -1);
  const [term, colour, ...size] = head.split(' ');
  return { term, colour, size, answers: answers.map((a) => Buffer.from(a, 'hex').toString('latin1')) };
}

// The whole list of queries asked in a shell, the cursor in the corner.
async function askAll(outer) {
  const out = fresh('answers');
  await outer.type(`${home}; ${ASK} list ${list} ${out}\r`);
  return readAnswers(await written(out, 150000));
}

// The whole list of sequences printed in a shell: what arrived of each.
async function printAll(outer) {
  const from = outer.mark(), last = `:${sequences.length - 1}>`;
  await outer.type(`cat ${all}\r`);
  await outer.expect(last);
  const data = outer.received(from);
  return sequences.map((_, i) => {
    const begin = data.indexOf(`<${i}:`), end = data.indexOf(`:${i}>`);
    return begin < 0 || end < begin ? Buffer.alloc(0) : data.subarray(begin + `<${i}:`.length, end);
  });
}

// The names of those that differ, with what came instead.
function differences(points, got, wanted) {
  const show = (value) => JSON.stringify(Buffer.from(value, 'latin1').toString('latin1').slice(0, 60));
  return points.map((point, i) => [point.name, got[i], wanted[i]])
    .filter(([, g, w]) => Buffer.compare(Buffer.from(g || '', 'latin1'), Buffer.from(w, 'latin1')) !== 0)
    .map(([name, g, w]) => `${name}: ${show(g || '')} for ${show(w)}`);
}

const same = (points, got, wanted) => assert.deepStrictEqual(differences(points, got, wanted), []);

// The shapes of what a model may truthfully say; those that every terminal says are `true`.
const shapes = {
  DA1: [true, /^\x1b\[\?6?\d[\d;]*c$/],
  DA2: [true, /^\x1b\[>\d+;\d+;\d+c$/],
  DA3: [false, /^\x1bP!\|[0-9A-F]{8}\x1b\\$/],
  XTVERSION: [false, /^\x1bP>\|[^\x1b]*\x1b\\$/],
  'DSR 5': [true, /^\x1b\[0n$/],
  CPR: [true, /^\x1b\[1;1R$/],
  'kitty keyboard ?u': [false, /^\x1b\[\?0u$/],
  'DECRQM 2026': [true, /^\x1b\[\?2026;2\$y$/],
  'DECRQM 2004': [true, /^\x1b\[\?2004;2\$y$/],
  'DECRQM 1006': [true, /^\x1b\[\?1006;2\$y$/],
  'DECRQSS m': [false, /^\x1bP1\$r0?m\x1b\\$/],
  'text area 18t': [true, /^\x1b\[8;24;80t$/],
};

async function tests(report) {
  const daemon = await new Daemon(space).ready();
  const plain = await terminal(['bash']);
  const wanted = await askAll(plain);
  const printed = await printAll(plain);
  await plain.end();

  await report.test('the bare terminal: 23 answers, 67 sequences as they were printed', async () => {
    assert.deepStrictEqual(wanted.answers.filter((a) => !a), []);
    assert.deepStrictEqual([wanted.term, wanted.colour, ...wanted.size], ['xterm-kitty', 'truecolor', '100', '30', '1000', '600']);
    same(sequences, printed, sequences.map((s) => s.bytes));
  });

  await report.test('bare ptyd: the same answers, names and pixels, the same bytes', async () => {
    const outer = await terminal([PTYD]);
    const got = await askAll(outer);
    same(queries, got.answers, wanted.answers);
    assert.deepStrictEqual([got.term, got.colour, got.size], [wanted.term, wanted.colour, wanted.size]);
    same(sequences, await printAll(outer), printed);
    const names = fresh('names');
    await outer.type(`env > ${names}.new; mv ${names}.new ${names}\r`);
    for (const name of ['KITTY_WINDOW_ID', 'TERM_PROGRAM'])
      assert.ok((await written(names)).includes(`\n${name}=${env[name]}\n`), `${name} is kept`);
    await outer.end();
  });

  await report.test('attached: the same answers and pixels, the same bytes', async () => {
    spawnSync(PTYD, ['open', 'work'], { env });
    const outer = await attach('work');
    const got = await askAll(outer);
    same(queries, got.answers, wanted.answers);
    assert.deepStrictEqual([got.term, got.colour, got.size], ['xterm-256color', 'truecolor', wanted.size]);
    same(sequences, await printAll(outer), printed);
    assert.ok(!outer.received().includes('7711'), 'no mark');
    const names = fresh('names');
    await outer.type(`env > ${names}.new; mv ${names}.new ${names}\r`);
    assert.deepStrictEqual((await written(names)).match(/^(KITTY_WINDOW_ID|TERM_PROGRAM)=.*/gm), null, 'no emulator is named');
    await outer.end();
  });

  await report.test('a clipboard of 8 MiB passes', async () => {
    const file = fresh('clipboard'), outer = await attach('work', SIZE, { blind: true });
    const text = Buffer.from(`\x1b]52;c;${'QUJD'.repeat(2 << 20)}\x07<end>`);
    fs.writeFileSync(file, text);
    const from = outer.mark();
    await outer.type(`cat ${file}\r`);
    await outer.expect('<end>', 60000);
    assert.ok(outer.received(from).includes(text), 'byte for byte');
    await outer.end();
  });

  await report.test('nobody attached: the model answers what it can, truthfully', async () => {
    const out = fresh('answers');
    daemon.ptyd('open', 'alone', '--size', '80x24');
    daemon.ptyd('run', '-s', 'alone', '--', `${home}; ${ASK} list ${list} ${out}`);
    const { answers, size } = readAnswers(await written(out));
    assert.deepStrictEqual(size.slice(0, 2), ['80', '24']);
    const wrong = queries.map(({ name }, i) => [name, answers[i], shapes[name]])
      .filter(([, answer, shape]) => (answer ? shape && !shape[1].test(answer) : shape?.[0]))
      .map(([name, answer]) => `${name}: ${JSON.stringify(answer)}`);
    assert.deepStrictEqual(wrong, []);
  });

  const answered = async (outer) => (await outer.ask('counts')).answered;

  await report.test('three viewers of different size: one answer, that of the terminal that typed last', async () => {
    daemon.ptyd('open', 'three');
    const others = [await attach('three', '80x24'), await attach('three', '60x20', { ground: 'light' })];
    const outer = await attach('three');
    await outer.type(':\r');
    const before = await Promise.all(others.map(answered));
    const own = await answered(outer), got = await askAll(outer);
    same(queries, got.answers, wanted.answers);
    assert.deepStrictEqual(got.size, wanted.size);
    assert.strictEqual(await answered(outer) - own, 2 * queries.length);
    assert.deepStrictEqual(await Promise.all(others.map(answered)), before, 'the others were not asked');
    for (const o of [...others, outer]) await o.end();
  });

  // As terminals report it that know mode 2048; the cell of these is 10 x 20 pixels.
  const sizeReport = (cols, rows) => `\x1b[48;${rows};${cols};${rows * 20};${cols * 10}t`;

  await report.test('who wants to be told the size (2048) hears that of the terminal that leads, once, also where that tells none', async () => {
    const got = fresh('sizes'), came = (text) => until(`${JSON.stringify(text)} is all that came`, () => {
      const now = fs.existsSync(got) ? fs.readFileSync(got, 'latin1') : '';
      assert.ok(text.startsWith(now), `${JSON.stringify(now)} for ${JSON.stringify(text)}`);
      return now === text;
    });
    daemon.ptyd('open', 'sizes');
    const outer = await attach('sizes', '80x24'), other = await attach('sizes', '60x20');
    await outer.type(`stty raw -echo; printf '\\033[?2048hre''ady'; cat >${got}\r`);
    await outer.expect('\x1b[?2048hready');
    await other.expect('ready');
    assert.ok(!other.received().includes('\x1b[?2048h'), 'one that is drawn is not asked');
    await outer.type(sizeReport(80, 24));
    await came(sizeReport(80, 24));
    await other.type(sizeReport(60, 20)); // it led before, say
    await other.type('y');
    await other.expect('\x1b[?2048h');
    let all = `${sizeReport(80, 24)}y`;
    await came(all);
    await other.type(sizeReport(60, 20));
    await came(all += sizeReport(60, 20));
    await other.resize(50, 18);
    await other.type(sizeReport(50, 18));
    await came(all += sizeReport(50, 18));
    await outer.type('z');
    await came(all += `${sizeReport(80, 24)}z`);
    other.mark();
    await outer.end();
    await other.expect('\x1b[?2048h');
    await other.end();
    daemon.ptyd('resize', '-s', 'sizes', '100x30');
    await came(all += '\x1b[48;30;100;0;0t');
  });

  // A program asks DA1 in a session; the leading terminal does not answer for now.
  const askHeld = async (name, size) => {
    daemon.ptyd('open', name);
    const outer = await attach(name, size), out = fresh('answer');
    await outer.ask('hold');
    await outer.type(`${ASK} one 1b5b63 ${out}\r`);
    await outer.expect('\x1b[c');
    return { outer, out };
  };
  const answerIn = async (out) => Buffer.from((await written(out)).trim(), 'hex').toString('latin1');

  await report.test('a viewer detaches with a query open: the model answers, once', async () => {
    const { outer, out } = await askHeld('leaving');
    await outer.type('\x1cd');
    assert.match(await answerIn(out), shapes.DA1[1]);
    assert.strictEqual(await outer.ended, 0);
    await outer.end();
  });

  await report.test('a window is closed with a query open: the model answers, once', async () => {
    const { outer, out } = await askHeld('closing');
    await outer.close();
    assert.match(await answerIn(out), shapes.DA1[1]);
    await outer.end();
  });

  await report.test('a terminal that does not read is passed over: the model answers, and what it says later is nobody\'s', async () => {
    const file = fresh('flood'), out = fresh('answer');
    fs.writeFileSync(file, `${'x'.repeat(70)}\n`.repeat(20000));
    daemon.ptyd('open', 'deaf');
    const outer = await attach('deaf', '80x24', { blind: true });
    await outer.ask('stop');
    await outer.type(`cat ${file}; ${ASK} one 1b5b63 ${out}\r`);
    assert.match(await answerIn(out), shapes.DA1[1]);
    const before = await answered(outer);
    await outer.ask('go');
    await outer.expect('\x1b[c', 60000);
    await until('it answers', async () => await answered(outer) > before);
    await outer.type('echo e""nd\r');
    await outer.expect('end\r\n');
    assert.strictEqual(daemon.json('blocks', '-s', 'deaf', '--last', '1')[0].cmd, 'echo e""nd');
    await outer.end();
  });

  // Signals attach; kills the worker.
  const hit = (outer, signal) => outer.ask('kill', os.constants.signals[signal]);
  const isBack = async (name, outer) => {
    await outer.resize(90, 25);
    await until('it leads again', () => daemon.json('screen', '-s', name).cols === 90);
  };

  await report.test('a worker dies with a query open and nobody comes back: the model answers, once', async () => {
    const { outer, out } = await askHeld('orphan');
    await hit(outer, 'SIGSTOP');
    await killWorker(daemon);
    assert.match(await answerIn(out), shapes.DA1[1]);
    await hit(outer, 'SIGCONT');
    await outer.type('echo e""nd\r');
    await outer.expect('end\r\n');
    await outer.end();
  });

  await report.test('a worker dies with a query open: the terminal that was asked answers, and that is no typing', async () => {
    const { outer, out } = await askHeld('survivor', '80x24');
    await killWorker(daemon);
    await isBack('survivor', outer);
    const other = await attach('survivor', '120x40');
    await other.type('x');
    await until('it leads', () => daemon.json('screen', '-s', 'survivor').cols === 120);
    await outer.ask('release');
    assert.strictEqual((await answerIn(out)).replace('x', ''), wanted.answers[0]);
    assert.strictEqual(daemon.json('screen', '-s', 'survivor').cols, 120);
    await other.end();
    await outer.end();
  });

  await report.test('a worker dies with a query open, and then its viewer leaves: the model answers', async () => {
    const { outer, out } = await askHeld('leaver');
    await killWorker(daemon);
    await isBack('leaver', outer);
    await outer.type('\x1cd');
    assert.match(await answerIn(out), shapes.DA1[1]);
    assert.strictEqual(await outer.ended, 0);
    await outer.end();
  });

  await report.test('an answer is never taken for typing: it does not make its terminal the leading one', async () => {
    const { outer, out } = await askHeld('slow', '80x24');
    const other = await attach('slow', '120x40');
    await other.type('x');
    await until('it leads', () => daemon.json('screen', '-s', 'slow').cols === 120);
    await outer.ask('release');
    const answer = await answerIn(out);
    assert.strictEqual(answer.replace('x', ''), wanted.answers[0], "the terminal's that was asked, and what was typed");
    assert.strictEqual(daemon.json('screen', '-s', 'slow').cols, 120);
    await other.end();
    await outer.end();
  });

  await report.test('what is typed while a query is open is typed', async () => {
    const { outer, out } = await askHeld('typing');
    await outer.type('typed\x1b[A');
    await outer.ask('release');
    assert.strictEqual(await answerIn(out), `typed\x1b[A${wanted.answers[0]}`);
    await outer.end();
  });

  const starts = async (name, during) => {
    const out = fresh('start');
    daemon.ptyd('send', '-s', name, `${ASK} start ${out}\r`);
    await during?.();
    assert.match(await written(out), /^\d+\n$/);
  };

  await report.test('a program that waits for DA1 when it starts, as fish 4 does: 0, 1, 3 viewers, one leaves', async () => {
    daemon.ptyd('open', 'fish');
    await starts('fish');
    const one = await attach('fish');
    await starts('fish');
    const others = [await attach('fish', '80x24'), await attach('fish', '60x20')];
    await starts('fish');
    await others[1].type(':\r');
    await others[1].ask('hold');
    await starts('fish', async () => { await others[1].expect('\x1b[c'); await others[1].close(); });
    for (const o of [one, ...others]) await o.end();
  });

  // A shell behind ptyd's: what it reads, and what stood on the screen.
  const behind = (name, file) => terminal(['sh', '-c', `${PTYD} attach ${name}; stty -icanon; timeout --foreground 1 cat >${file}; echo all"" read`]);

  await report.test('who leaves with a query open leaves no answer to who reads next', async () => {
    daemon.ptyd('open', 'asks');
    const file = fresh('typed'), outer = await behind('asks', file);
    await outer.ask('hold', 2);
    await outer.type("printf '\\033[6n'; sleep 1000\r");
    await outer.expect('\x1b[6n');
    await outer.type('\x1cd');
    await outer.expect('[left session');
    await outer.ask('release');
    await outer.expect('all read');
    assert.strictEqual(fs.readFileSync(file, 'latin1'), '');
    await outer.end();
  });

  await report.test('a shell that ends with a query open leaves no answer to who reads next', async () => {
    daemon.ptyd('open', 'asks-last');
    const file = fresh('typed'), outer = await behind('asks-last', file);
    await outer.ask('hold', 2);
    await outer.type("printf '\\033[6n'; exit\r");
    await outer.expect('ended]');
    await outer.ask('release');
    await outer.expect('all read');
    assert.strictEqual(fs.readFileSync(file, 'latin1'), '');
    await outer.end();
  });

  await report.test('what is typed in that moment is for who reads next', async () => {
    daemon.ptyd('open', 'asks-on');
    const file = fresh('typed'), outer = await behind('asks-on', file);
    await outer.ask('hold');
    await outer.type("printf '\\033[6n'; exit\r");
    await outer.expect('\x1b[c');
    await outer.type('key');
    await outer.expect('all read');
    const knob = '/proc/sys/dev/tty/legacy_tiocsti', refused = fs.existsSync(knob) && fs.readFileSync(knob, 'utf8') === '0\n';
    if (refused && !fs.readFileSync(file, 'latin1')) assert.match(outer.received().toString(), /3 bytes that you typed when the session ended are lost/);
    else assert.strictEqual(fs.readFileSync(file, 'latin1'), 'key');
    await outer.end();
  });

  const unpacked = path.resolve(__dirname, '../../build/other-shells/trixie/fish/fish');
  const fish = process.env.FISH4 || (fs.existsSync(unpacked) ? unpacked : 'fish'), version = spawnSync(fish, ['--version'], { encoding: 'utf8' }).stdout || '';
  const [, major, minor] = /version (\d+)\.(\d+)/.exec(version) || [];
  if (major >= 4) {
    const waited = /Primary Device Attribute/; // what it says when nobody answered
    await report.test('fish 4 itself: 0, 1, 3 viewers', async () => {
      daemon.ptyd('open', 'real-fish', '--shell', fish);
      assert.strictEqual(daemon.ptyd('run', '-s', 'real-fish', '--', 'echo from fish').stdout, 'from fish\n');
      daemon.ptyd('open', 'in-bash');
      const outer = await attach('in-bash'), others = [];
      for (const size of [null, '80x24', '60x20']) {
        if (size) others.push(await attach('in-bash', size));
        await outer.type(`${fish}\r`);
        await outer.expect('Welcome to fish');
        await outer.type('echo ag""ain $version\r');
        await outer.expect('again 4');
        await outer.type('exit\r');
        await outer.expect('$ ');
      }
      assert.ok(!waited.test(outer.received()), 'it had its answer');
      for (const o of [outer, ...others]) await o.end();
    });

    const asks = major > 4 || minor > 0, leaves = 'fish 4 itself: its viewer leaves before it has answered, and another is there or not';
    if (!asks) report.skip(leaves, `${version.trim()} asks nothing when it starts; 4.1 does`);
    else await report.test(leaves, async () => {
      for (const name of ['fish-left', 'fish-alone']) {
        daemon.ptyd('open', name);
        const other = name === 'fish-left' && await attach(name, '80x24'), outer = await attach(name);
        await outer.type(':\r');
        await outer.ask('hold');
        await outer.type(`${fish}\r`);
        await until('it asks', () => /\x1b\[0?c/.test(outer.received()));
        await outer.close();
        daemon.ptyd('send', '-s', name, 'echo ag""ain $version', '--key', 'Enter');
        const shown = () => daemon.ptyd('scrollback', '-s', name).stdout + daemon.ptyd('screen', '-s', name).stdout;
        await until('it goes on', () => /^again 4/m.test(shown()));
        assert.ok(!waited.test(shown()), 'it had its answer');
        for (const o of [outer, other].filter(Boolean)) await o.end();
      }
    });
  } else {
    report.skip('fish 4 itself', `no fish 4 here (${version.trim() || 'no fish'}; make check-other-shells fetches one; FISH4=path)`);
  }

  await daemon.stop();
}

// ---- the table ----

// What becomes of one sequence: as it is, drawn anew, or nothing.
async function passage(outer, sequence) {
  const file = fresh('sequence'), text = sequence.bytes.toString().replace(/\x1b(\].*?(\x07|\x1b\\)|P.*?\x1b\\|_.*?\x1b\\|\[[0-?]*[ -/]*[@-~]|[ -/]*.)/gs, '').replace(/[\x00-\x1f|]/g, '');
  const mark = `end${count}`;
  fs.writeFileSync(file, Buffer.concat([Buffer.from('<'), sequence.bytes, Buffer.from(`>${mark}`)]));
  const from = outer.mark();
  await outer.type(`cat ${file}; echo\r`);
  await outer.expect(mark).catch(() => {});
  const data = outer.received(from);
  if (data.includes(sequence.bytes)) return '✓';
  return text && data.includes(text) ? 'drawn' : '✗';
}

async function table() {
  env.TERM = 'xterm-256color'; // tmux refuses to begin without its terminfo
  const daemon = await new Daemon(space).ready();
  const conf = path.join(space.root, 'tmux.conf');
  fs.writeFileSync(conf, 'set -g status off\n');
  const ways = {
    plain: ['bash'],
    dtach: ['dtach', '-A', path.join(space.root, 'dtach'), '-E', '-z', 'bash'],
    tmux: ['tmux', '-S', path.join(space.root, 'tmux'), '-f', conf, 'new-session', 'bash'],
    ptyd: [PTYD],
  };
  const columns = {};
  for (const [name, command] of Object.entries(ways)) {
    if (spawnSync('which', [command[0]]).status !== 0) continue;
    const outer = await terminal(command);
    const got = await askAll(outer);
    const passed = [];
    for (const sequence of sequences) passed.push(await passage(outer, sequence));
    columns[name] = { ...got, passed };
    await outer.type('exit\r');
    await outer.end();
  }
  const { plain } = columns, names = Object.keys(columns);
  const row = (name, cells) => console.log(`| ${name} | ${cells.join(' | ')} |`);
  row('', names);
  row('---', names.map(() => '---'));
  row('TERM', names.map((n) => columns[n].term));
  row('COLORTERM', names.map((n) => columns[n].colour));
  row('cells and pixels', names.map((n) => columns[n].size.join(' ')));
  queries.forEach((q, i) => row(q.name, names.map((n) => {
    const answer = columns[n].answers[i];
    return answer === plain.answers[i] ? '✓' : answer ? `own ${JSON.stringify(answer).slice(1, -1).replaceAll('\\u001b', 'ESC')}` : '✗';
  })));
  sequences.forEach((s, i) => row(s.name, names.map((n) => columns[n].passed[i])));
  const alike = (n, what) => JSON.stringify(columns[n][what]) === JSON.stringify(plain[what]); // TERM, COLORTERM, and the size with its pixels
  const whole = (n) => columns[n].passed.filter((p) => p === '✓').length + columns[n].answers.filter((a, i) => a === plain.answers[i]).length +
    ['term', 'colour', 'size'].filter((what) => alike(n, what)).length;
  row('of 93', names.map(whole));
  await daemon.stop();
}

async function main() {
  const report = new Report();
  if (process.env.TABLE) await table();
  else await tests(report);
  await Outer.endAll();
  removeWorkspace(space);
  if (!process.env.TABLE) report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
