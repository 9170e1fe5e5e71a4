// A terminal that is lent to the worker while somebody types: keys and echo go past the viewer, and neither
// a worker's death nor one that hangs costs a key. KILLS=200: so many deaths under the keys.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { workspace, removeWorkspace, Daemon, Report, PTYD, until, killWorker, randomFrom } = require('./harness');
const { Outer } = require('./outer');
const { Connection } = require('./connection');

const KILLS = Number(process.env.KILLS || 25);
const SEED = Number(process.env.SEED || process.pid);
const LOAN_MS = 500; // VIEW_LOAN_MS

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function workerOf(daemon) {
  const keeper = daemon.process.pid;
  try {
    const children = fs.readFileSync(`/proc/${keeper}/task/${keeper}/children`, 'utf8').trim().split(' ');
    return Number(children.find((pid) => fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(`${PTYD}\0serve`)));
  } catch { return 0; }
}

async function main() {
  const report = new Report();
  const space = workspace(), dies = path.join(space.root, 'dies');
  const outside = { ...space.env };
  Object.assign(space.env, { LD_PRELOAD: path.resolve(path.dirname(PTYD), 'faults.so'), ASAN_OPTIONS: 'verify_asan_link_order=0', FAULT_LENT: dies });
  const daemon = await new Daemon(space).ready();
  const env = { ...outside, TERM: 'xterm-256color' };
  const random = randomFrom(SEED);
  let count = 0;

  const attach = async (name, ...more) => {
    const outer = new Outer(env, [PTYD, 'attach', name, ...more]);
    await outer.expect('$ ');
    return Object.assign(outer, { session: name });
  };
  // cat, which writes what it reads to a file.
  const open = async () => {
    const name = `lent-${++count}`;
    daemon.ptyd('open', name, '--shell', 'bash');
    const outer = await attach(name);
    outer.file = path.join(space.root, name);
    await outer.type(`clear; echo rea""dy; cat >${outer.file}\r`);
    await outer.expect('ready\r\n');
    return outer;
  };
  const childOf = (pid) => Number(fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
  const viewerOf = (outer) => childOf(outer.process.pid);
  const read = (outer) => fs.readFileSync(outer.file, 'utf8');
  const leave = async (outer) => {
    await outer.type('\x04');
    await until('cat ended', () => daemon.json('blocks', '-s', outer.session).some((b) => b.status === 'completed'));
    await outer.type('\x1cd');
    assert.strictEqual(await outer.ended, 0);
    await outer.end();
  };
  // As by hand: a key lends the terminal, and the next comes while it is.
  const warm = async (outer) => {
    outer.mark();
    await outer.type('w');
    await outer.expect('w');
    await pause(50);
  };

  await report.test('while somebody types, keys and echo do not need the viewer; a viewer that hangs keeps its terminal soon', async () => {
    const outer = await open();
    await warm(outer);
    const viewer = viewerOf(outer);
    process.kill(viewer, 'SIGSTOP');
    await outer.type('x');
    await outer.expect('x', 400);
    await pause(LOAN_MS + 200);
    await outer.type('y'); // whoever has the terminal now would read it: nobody does
    await pause(200);
    assert.ok(!outer.received(outer.seen).includes('y'));
    process.kill(viewer, 'SIGCONT');
    await outer.expect('y');
    await outer.type('\r');
    await until('the line', () => read(outer) === 'wxy\n');
    await leave(outer);
  });

  await report.test('bare ptyd, whose one request opens and attaches, lends its terminal, too', async () => {
    const outer = new Outer(env, [PTYD]);
    await outer.expect('$ ');
    await warm(outer);
    const viewer = viewerOf(outer);
    process.kill(viewer, 'SIGSTOP');
    try {
      await outer.type('x');
      await outer.expect('x', 400);
    } finally { process.kill(viewer, 'SIGCONT'); }
    await outer.type('\x15exit\r');
    await outer.ended;
    await outer.end();
  });

  await report.test('a worker that hangs while the terminal is lent: the keys that leave do within 1.6 s', async () => {
    const outer = await open();
    await warm(outer);
    const worker = workerOf(daemon), began = Date.now();
    process.kill(worker, 'SIGSTOP');
    try {
      await outer.type('\x1cd');
      await outer.expect('[left session', 1600); // a second of it is for what the daemon has yet to say
      assert.strictEqual(await outer.ended, 0);
      assert.ok(Date.now() - began < 1900, `${Date.now() - began} ms`);
    } finally { process.kill(worker, 'SIGCONT'); }
    await outer.end();
  });

  await report.test('the keys that leave, in any piece, while it is lent: nothing of them is typed', async () => {
    for (const pieces of [['\x1cd'], ['\x1c', 'd'], ['ab\x1c', 'd'], ['a', '\x1cd'], ['\x1b[92;5ud'], ['\x1b[92;5u', 'd']]) {
      const outer = await open();
      await warm(outer);
      for (const piece of pieces) {
        await outer.type(piece);
        await pause(10);
      }
      assert.strictEqual(await outer.ended, 0, JSON.stringify(pieces));
      const screen = daemon.json('screen', '-s', outer.session).rows.join('');
      assert.ok(!/\^\\|d/.test(screen.replace(/ready/, '')), screen);
      daemon.ptyd('close', outer.session);
      await outer.end();
    }
  });

  await report.test('raw keys in every piece: a program gets each byte once, in order', async () => {
    const name = `lent-${++count}`, file = path.join(space.root, name);
    daemon.ptyd('open', name, '--shell', 'bash');
    const outer = await attach(name);
    await outer.type(`stty raw -echo; echo rea""dy; dd bs=1 of=${file} status=none\r`);
    await outer.expect('ready');
    const all = ['a', 'bc', '\x1b[A', '\x1bOP', '\x1b[3~', '\x1b[200~pasted\x1cd\x1b[201~', 'é', 'x'.repeat(200), '\x1b[1;5D', '\x00', '\x03', '\x1b[M !!', 'q\x1b', '[', '\x1b[57:1;1u', '\r'];
    let typed = '';
    for (let i = 0; i < 150; i++) {
      const text = all[Math.floor(random() * all.length)];
      typed += text;
      await outer.type(text);
      if (random() < 0.7) await pause(Math.floor(random() * 20));
    }
    await until('all of it', () => fs.readFileSync(file, 'utf8').length >= typed.length);
    assert.strictEqual(fs.readFileSync(file, 'utf8'), typed);
    daemon.ptyd('close', name);
    await outer.ended;
    await outer.end();
  });

  // Where nothing is told of what was typed or shown: the file has each key once, and where one is missing it is said.
  for (const [step, what] of [['read', 'keys are read'], ['typed', 'they are typed'], ['show', 'it shows the echo'], ['shown', 'the echo is shown']])
    await report.test(`a worker that dies as ${what}: the keys are typed once, or said in doubt, and the screen is right`, async () => {
      const outer = await open();
      let typed = '';
      for (let i = 0; i < 3; i++) {
        await warm(outer);
        typed += 'w';
        fs.writeFileSync(dies, step);
        for (const key of 'abcd') {
          typed += key;
          await outer.type(key);
          await pause(2);
        }
        await until('it died', () => !fs.existsSync(dies));
        await until('another worker', () => daemon.ptyd('status').status === 0);
        const rows = () => daemon.json('screen', '-s', outer.session).rows.join('\n').trimEnd();
        await until('the echo', () => rows().includes('d'.repeat(1)) && (step === 'typed' || rows().endsWith(typed)));
        await outer.until('it shows the session', (seen) => seen.rows.map((row) => row.trimEnd()).join('\n').trimEnd() === rows());
      }
      await outer.type('\r');
      await until('the line', () => read(outer).endsWith('\n'));
      const got = read(outer).trimEnd();
      await outer.type('\x04\x1cd');
      assert.strictEqual(await outer.ended, 0);
      const said = Number(/(\d+) bytes that you typed may not have/.exec(outer.received().toString())?.[1] || 0);
      if (step === 'typed') assert.ok(said >= 3 && said <= typed.length && got === typed, // of each death a key, or several that came together
        `${said} in doubt, of ${typed} there is ${got}`);
      else assert.deepStrictEqual([got, said], [typed, 0]);
      daemon.ptyd('close', outer.session);
      await outer.end();
    });

  await report.test('two terminals type by turns into one session: each key once, and both show it', async () => {
    const one = await open(), two = new Outer(env, [PTYD, 'attach', one.session]);
    await two.expect('ready');
    let typed = '';
    for (let i = 0; i < 20; i++) {
      const text = `${i},`;
      for (const key of text) {
        one.mark();
        await (i % 2 ? one : two).type(key);
        typed += key;
        await until('it is typed', () => daemon.json('screen', '-s', one.session).rows.join('').includes(typed));
      }
    }
    await one.type('\r');
    await until('the line', () => read(one) === `${typed}\n`);
    const rows = daemon.json('screen', '-s', one.session).rows.join('\n').trimEnd();
    for (const outer of [one, two])
      await outer.until('it shows that', (seen) => seen.rows.map((row) => row.trimEnd()).join('\n').trimEnd() === rows);
    await two.type('\x1cd');
    await two.ended;
    await two.end();
    await leave(one);
  });

  await report.test(`${KILLS} deaths of the worker while somebody types (SEED=${SEED}): each key once, in order, or said in doubt; the screen is right`, async () => {
    const outer = await open();
    let text = '', doubts = 0;
    for (let kills = 0, line = 0; kills < KILLS; line++) {
      const words = `${line} ${'the quick brown fox jumps over the lazy dog'.slice(0, 8 + Math.floor(random() * 35))}\r`;
      const at = Math.floor(random() * words.length);
      for (let i = 0; i < words.length; i++) {
        text += words[i];
        outer.type(words[i]);
        const worker = i === at && workerOf(daemon);
        if (worker) {
          const until_ = process.hrtime.bigint() + BigInt(Math.floor(random() * 800000));
          while (process.hrtime.bigint() < until_);
          try { process.kill(worker, 'SIGKILL'); kills += 1; } catch { /* it is gone */ }
        }
        await pause(2 + Math.floor(random() * 8));
      }
      if (line % 3 === 2) await until('a worker', () => daemon.ptyd('status').status === 0);
    }
    await outer.type('ov""er\r');
    const wanted = `${text}ov""er\r`.replaceAll('\r', '\n');
    await until('the last line', () => read(outer).endsWith('ov""er\n'), 60000);
    const rows = () => daemon.json('screen', '-s', outer.session).rows.join('\n').trimEnd();
    await outer.until('it shows the session', (seen) => seen.rows.map((row) => row.trimEnd()).join('\n').trimEnd() === rows());
    const seen = await outer.look(), got = read(outer);
    await outer.type('\x04');
    await outer.type('\x1cd');
    assert.strictEqual(await outer.ended, 0);
    const said = /(\d+) bytes that you typed may not have/.exec(outer.received().toString());
    doubts = said ? Number(said[1]) : 0;
    if (process.env.TELL) console.log(`# ${text.length} keys, ${wanted.length - got.length} missing, ${doubts} in doubt`);
    assert.ok(got.length <= wanted.length && wanted.length - got.length <= doubts, `${wanted.length - got.length} keys are missing, ${doubts} in doubt`);
    if (!doubts) assert.strictEqual(got, wanted);
    // What scrolled out of its screen is there once, too.
    const lines = seen.lines.map((row) => row.trimEnd()).filter(Boolean), from = lines.findIndex((row) => row.startsWith('0 the'));
    if (!doubts && !lines.some((row) => row.includes('[ptyd:'))) assert.deepStrictEqual(lines.slice(from), wanted.split('\n').map((row) => row.trimEnd()).filter(Boolean));
    daemon.ptyd('close', outer.session);
    await outer.end();
  });

  await report.test('keys that the worker read and the terminal never took, for its session is closed: they are given back, in order', async () => {
    const name = `lent-${++count}`;
    daemon.ptyd('open', name, '--shell', 'bash');
    const outer = await attach(name);
    await outer.type('stty raw -echo; echo rea""dy; sleep 1000\r');
    await outer.expect('ready');
    await pause(100);
    const other = new Connection(space);
    await outer.type('w');
    await pause(50);
    await outer.type('x'); // of the loan, as is what follows it
    other.type(name, 'f'.repeat(200000));
    assert.ok(await other.call('session.list', {})); // behind that: the terminal is full
    for (const key of 'abc') {
      await outer.type(key);
      await pause(20);
    }
    daemon.ptyd('close', name);
    await outer.ended;
    other.end();
    assert.match(outer.received().toString().slice(-200), /x?abc\[session|[34] bytes that you typed when the session ended are lost/); // as the kernel has TIOCSTI
    await outer.end();
  });

  // Its description is the viewer's, too: one that lets it block, and stops it, hangs nobody but itself.
  await report.test('a viewer whose terminal blocks, and takes nothing: the daemon goes on', async () => {
    const name = `lent-${++count}`, blocks = path.join(space.root, 'blocks');
    daemon.ptyd('open', name, '--shell', 'bash');
    const outer = new Outer({ ...env, LD_PRELOAD: space.env.LD_PRELOAD, ASAN_OPTIONS: space.env.ASAN_OPTIONS, FAULT_BLOCKS: blocks }, [PTYD, 'attach', name]);
    await outer.expect('$ ');
    await warm(outer);
    const worker = workerOf(daemon);
    fs.writeFileSync(blocks, '');
    for (let i = 0; fs.existsSync(blocks) && i < 100; i++) {
      await outer.type('a');
      await pause(20);
    }
    assert.ok(!fs.existsSync(blocks));
    for (let i = 0; i < 20; i++) {
      await outer.type('b');
      await pause(10);
    }
    await until('its keys are typed', () => /b/.test(daemon.json('screen', '-s', name).rows.join('')), 5000);
    assert.strictEqual(workerOf(daemon), worker, 'the worker hung, and was replaced');
    process.kill(viewerOf(outer), 'SIGKILL');
    await outer.ended;
    await outer.end();
    daemon.ptyd('close', name);
  });

  // There the kernel stops whoever reads it in the background.
  await report.test('a terminal that is the daemon\'s own, too: keys are typed, and the daemon goes on', async () => {
    const own = workspace();
    const script = 'set -m; "$0" serve & until "$0" status; do sleep 0.1; done >/dev/null 2>&1; "$0" open one --shell bash >/dev/null; "$0" attach one; "$0" close one; kill $!; wait; echo o"v"er';
    const outer = new Outer({ ...own.env, TERM: 'xterm-256color' }, ['bash', '-c', script, PTYD]);
    try {
      await outer.expect('$ ');
      for (const key of 'abcd') {
        await outer.type(key);
        await outer.expect(key, 5000);
        await pause(50);
      }
      await outer.type('\x1cd');
      await outer.expect('over', 10000);
      assert.ok(!outer.received().includes('does not answer'));
    } finally { await outer.end(); }
    removeWorkspace(own);
  });

  await report.test('a viewer that does not know of it is answered, and sent, what it always was', async () => {
    const name = `lent-${++count}`;
    daemon.ptyd('open', name, '--shell', 'bash');
    const connection = new Connection(space);
    const answer = await connection.call('session.attach', { name, size: { cols: 80, rows: 24 }, view: false, owns: false });
    assert.strictEqual(answer.result.lends, false);
    connection.end();
  });

  await report.test('ends cleanly', async () => { await daemon.stop(); });
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
