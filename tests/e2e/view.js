// What a viewer gets: every byte once, at its terminal's pace, over the deaths of workers; who leads, and
// what the others see. The terminal is tests/outer. What arrived is compared with what was printed.
// RATE=1000000: so many bytes a second a slow terminal takes of 10 MB.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, PTYD, until, killWorker, waitFor } = require('./harness');
const { Outer, ASK } = require('./outer');
const { Connection } = require('./connection');

const MIB = 1 << 20;
const RATE = Number(process.env.RATE || 4e6);

// The numbers that stand on lines of their own in what came between BEGIN and END.
function numbers(received) {
  const from = received.indexOf('BEGIN\r\n') + 7, to = received.indexOf('END\r\n');
  assert.ok(from >= 7 && to >= from, 'BEGIN and END came');
  return received.subarray(from, to).toString('latin1').split('\r\n').slice(0, -1);
}

// 1 to `last`, each once, in order; or what is wrong.
function checkWhole(lines, last) {
  for (let i = 0; i < lines.length; i++)
    if (lines[i] !== String(i + 1)) assert.fail(`line ${i + 1} is ${JSON.stringify(lines.slice(i, i + 5))}`);
  assert.strictEqual(lines.length, last);
}

const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const counting = (last) => `printf 'BEG''IN\\n'; seq 1 ${last}; printf 'EN''D\\n'`;

async function main() {
  const report = new Report();
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  const env = { ...space.env, TERM: 'xterm-256color' };
  let count = 0;

  const attach = async (name, options = {}, ...more) => {
    const outer = new Outer(env, [PTYD, 'attach', name, ...more], options);
    await outer.expect('$ ');
    return outer;
  };
  const open = (options) => {
    const name = `view-${++count}`;
    daemon.ptyd('open', name, '--shell', 'bash');
    return attach(name, options).then((outer) => Object.assign(outer, { session: name }));
  };
  const print = async (outer, last) => {
    outer.mark();
    await outer.type(`${counting(last)}\r`);
    await outer.expect('BEGIN\r\n');
  };
  // The same while the terminal takes nothing: the program is not stopped for long.
  const printUnseen = async (outer, last) => {
    outer.start = outer.mark();
    await outer.type(`${counting(last)}\r`);
    await ended(outer, 'seq');
  };
  const blocks = (outer) => daemon.json('blocks', '-s', outer.session);
  const ended = (outer, text) => until(`${text} is over`, () => blocks(outer).some((b) => b.cmd.includes(text) && b.status === 'completed'), 60000);

  await report.test('50 MB, the worker killed five times in the middle: every line once', async () => {
    const outer = await open({ blind: true });
    await print(outer, 6500000);
    const start = outer.received().length;
    for (let i = 1; i <= 5; i++) {
      await until('more came', () => fs.statSync(outer.log).size > start + i * 7e6, 60000);
      await killWorker(daemon);
    }
    await outer.expect('END\r\n', 60000);
    checkWhole(numbers(outer.received()), 6500000);
    await outer.end();
  });

  await report.test('12 MB over an upgrade: every line once', async () => {
    const outer = await open({ blind: true });
    await print(outer, 1700000);
    const start = outer.received().length;
    await until('more came', () => fs.statSync(outer.log).size > start + 3e6, 60000);
    assert.strictEqual(daemon.ptyd('upgrade').status, 0);
    await outer.expect('END\r\n', 60000);
    checkWhole(numbers(outer.received()), 1700000);
    await outer.end();
  });

  await report.test('a terminal of 1 MB/s gets everything, also over a worker\'s death, and Ctrl-C is not far behind', async () => {
    const outer = await open({ blind: true });
    await outer.ask('rate', 1000000);
    await print(outer, 300000);
    await until('some came', () => fs.statSync(outer.log).size > 500000);
    await killWorker(daemon);
    await outer.expect('END\r\n', 60000);
    checkWhole(numbers(outer.received()), 300000);
    await outer.type('seq inf; echo "over"\r');
    await until('it flows', () => fs.statSync(outer.log).size > 3 * MIB);
    const behind = outer.mark();
    await outer.type('\x03');
    await outer.expect('^C', 60000);
    assert.ok(outer.seen - behind < 400000, `${outer.seen - behind} bytes came before it`);
    await outer.end();
  });

  await report.test('one that stops reading stops nobody, and gets what it missed', async () => {
    const outer = await open({ blind: true });
    await print(outer, 10);
    await outer.expect('END\r\n');
    await outer.ask('stop');
    outer.mark();
    await outer.type(`${counting(300000)}; touch stopped-nobody\r`);
    await until('it went on', () => fs.existsSync(path.join(space.home, 'stopped-nobody')));
    await outer.ask('go');
    await outer.expect('END\r\n');
    const all = outer.received();
    checkWhole(numbers(all.subarray(all.lastIndexOf('BEGIN\r\n'))), 300000);
    assert.ok(!all.includes('are not shown here'));
    await outer.end();
  });

  await report.test('of more than 4 MiB it is told how many lines, and is drawn', async () => {
    const outer = await open();
    await outer.ask('stop');
    outer.mark();
    await outer.type(`${counting(2000000)}; echo fin\\ally\r`);
    await ended(outer, 'seq 1 2000000');
    await outer.ask('go');
    await outer.expect('lines are not shown here');
    const seen = await outer.until('the end is drawn', (s) => s.rows.some((row) => row === 'finally'));
    const all = outer.received(), text = all.subarray(all.lastIndexOf('BEGIN\r\n') + 7).toString('latin1');
    const skipped = Number(/\[ptyd: (\d+) lines are not shown here/.exec(text)[1]);
    const shown = text.slice(0, text.search(/[^\d\r\n]/)).split('\r\n');
    for (let i = 0; i < shown.length - 1; i++) assert.strictEqual(shown[i], String(i + 1));
    // All but what stands above the line that says so, and what is drawn below; and perhaps what the prompt prints.
    const gone = 2000000 - (shown.length - 1) - seen.rows.filter((row) => /^\d+$/.test(row)).length;
    assert.ok(skipped >= gone && skipped <= gone + 1, `${skipped} of ${gone}`);
    assert.ok(seen.lines.some((line) => line.includes('lines are not shown here')), 'the line stands in its scrollback');
    await outer.type('echo it go\\es on\r');
    await outer.expect('it goes on\r\n');
    await outer.end();
  });

  await report.test('of more than 4 MiB within a string: it is drawn, and nothing of that string is text', async () => {
    const outer = await open();
    const said = path.join(space.root, 'said'), go = path.join(space.root, 'say-on');
    await outer.ask('stop');
    outer.mark();
    const tildes = (count) => `head -c ${count} /dev/zero | tr '\\0' '~'`;
    await outer.type(`printf '\\033Pq'; ${tildes(6 * MIB)}; touch ${said}; ${waitFor(go)}; ${tildes(3000)}; printf '\\033\\\\'; echo be\\hind\r`);
    await until('nobody waits for it', () => fs.existsSync(said));
    await outer.ask('go');
    await outer.expect('not shown here');
    const from = outer.mark();
    fs.writeFileSync(go, '');
    const seen = await outer.until('what comes behind', (s) => s.rows.some((row) => row === 'behind'));
    assert.ok(!outer.received(from).includes('~~~~'), 'not as bytes');
    assert.ok(!seen.lines.some((line) => line.includes('~~~~')), 'not as text');
    assert.ok(seen.lines.some((line) => /^\[ptyd: .* not shown here\]$/.test(line.trim())), 'what it is told is no part of that string');
    await outer.type('echo it go\\es on\r');
    await outer.expect('it goes on\r\n');
    await outer.end();
  });

  await report.test('what it is told stands below what it shows, and nothing else goes into its scrollback', async () => {
    const outer = await open();
    await outer.type('clear; echo st\\art\r');
    await outer.expect('start\r\n');
    await outer.ask('stop');
    await outer.type("seq 1 1500000 | tr '\\n' '\\r'; echo fin\\ally\r");
    await ended(outer, 'seq 1 1500000');
    await outer.ask('go');
    await outer.expect('not shown here');
    const seen = await outer.until('the end is drawn', (s) => s.rows.some((row) => row.startsWith('finally')));
    const at = seen.lines.findIndex((line) => line.includes('not shown here'));
    assert.notStrictEqual(seen.lines[at - 1].trim(), '');
    assert.strictEqual(seen.history, at + 1, seen.lines.join('\n'));
    assert.ok(seen.rows[0].includes('start'), seen.rows[0]);
    await outer.end();
  });

  const own = async (command = [PTYD]) => {
    const outer = new Outer(env, command, { blind: true });
    await outer.expect('$ ');
    return outer;
  };
  const terminals = () => daemon.json('list').filter((s) => s.name.startsWith('term-')).length;
  const endsWhole = async (outer, last) => {
    assert.strictEqual(await outer.ended, 3);
    checkWhole(numbers(outer.received(outer.start)), last);
    await until('the session is gone', () => daemon.json('status').sessions.every((s) => !s.name.startsWith('term-')));
    await outer.end();
  };
  const LAST = 1350000; // 10 MB

  for (const dies of [false, true]) {
    await report.test(`10 MB and the shell's end to a slow terminal${dies ? ', and a worker dies' : ''}: every line, and its status`, async () => {
      const outer = await own();
      await outer.ask('rate', RATE);
      outer.start = outer.mark();
      await outer.type(`${counting(LAST)}; exit 3\r`);
      await outer.expect('BEGIN\r\n');
      await until('much came', () => fs.statSync(outer.log).size - outer.start > 7e6, 60000);
      if (dies) await killWorker(daemon);
      await endsWhole(outer, LAST);
    });
  }

  // The shell ends while nothing is taken; the rest comes for longer than who is gone is waited for.
  await report.test('what it missed comes behind the end of its shell, also over a worker\'s death: every line, and its status', async () => {
    const outer = await own();
    await outer.ask('stop');
    outer.start = outer.mark();
    await outer.type(`${counting(450000)}; exit 3\r`);
    await until('the shell has ended', () => terminals() === 0);
    await outer.ask('rate', 400000);
    await outer.ask('go');
    await outer.resize(90, 30);
    await until('most came', () => fs.statSync(outer.log).size - outer.start > 2.4e6, 60000);
    await killWorker(daemon);
    await endsWhole(outer, 450000);
  });

  // It is 3 MB behind, and gets them for longer than close takes; by then there is another one of that name.
  await report.test('a session that is closed while its terminal is behind: every line, and the end; close waits for nobody', async () => {
    const outer = await open({ blind: true });
    await outer.ask('stop');
    await printUnseen(outer, 450000);
    await outer.ask('rate', 400000);
    await outer.ask('go');
    await until('it reads again', () => fs.statSync(outer.log).size - outer.start > 2e5, 60000);
    const closed = daemon.ptyd('close', outer.session);
    assert.deepStrictEqual([closed.status, closed.stderr], [0, '']);
    assert.ok(fs.statSync(outer.log).size - outer.start < 2.5e6, 'it was closed before all came');
    assert.ok(!daemon.json('list').some((s) => s.name === outer.session));
    assert.match(daemon.ptyd('send', '-s', outer.session, 'x').stderr, /is closed/);
    assert.strictEqual(await outer.ended, 129); // HUP
    checkWhole(numbers(outer.received(outer.start)), 450000);
    assert.ok(outer.received().includes(`[session ${outer.session} ended]`));
    await outer.end();
  });

  await report.test('a session that is opened again while a terminal of the closed one is behind: that one ends', async () => {
    const outer = await open({ blind: true });
    await outer.ask('stop');
    await printUnseen(outer, 450000);
    daemon.ptyd('close', outer.session);
    daemon.ptyd('open', outer.session, '--shell', 'bash');
    await outer.ask('go');
    assert.strictEqual(await outer.ended, 129);
    assert.strictEqual(daemon.ptyd('run', '-s', outer.session, '--', 'echo new').stdout, 'new\n');
    await outer.end();
  });

  await report.test('a program that waits for its terminal waits no longer when that is gone', async () => {
    const outer = await open({ blind: true });
    await outer.ask('stop');
    await outer.type(`${counting(1000000)}; touch gone-on\r`);
    await until('it runs', () => blocks(outer).some((b) => b.cmd.includes('gone-on')));
    outer.process.kill('SIGKILL');
    await until('it went on', () => fs.existsSync(path.join(space.home, 'gone-on')));
    await outer.end();
  });

  await report.test('a terminal that takes nothing: its keys are taken, and its detach key', async () => {
    const outer = await open({ blind: true });
    await outer.ask('stop');
    await outer.type('seq inf\r');
    await until('it runs', () => blocks(outer).some((b) => b.cmd === 'seq inf' && b.status === 'running'));
    await outer.type('\x03');
    await until('it was interrupted', () => blocks(outer).some((b) => b.cmd === 'seq inf' && b.status === 'killed'));
    await outer.type('\x1cd');
    const { pid } = outer.process;
    await until('attach is gone', () => fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').every((child) => !child || /^State:\tZ/m.test(fs.readFileSync(`/proc/${child}/status`, 'utf8'))));
    await outer.end();
  });

  await report.test('a change of size is not drawn: not one byte is sent', async () => {
    const outer = await open();
    await outer.type('echo st\\arted; sleep 1000\r');
    await outer.expect('started\r\n');
    await outer.resize(60, 20);
    await until('the session has it', () => daemon.json('screen', '-s', outer.session).cols === 60);
    await outer.resize(90, 40);
    await until('the session has it', () => daemon.json('screen', '-s', outer.session).rows_count === 40);
    const before = outer.mark();
    await outer.type('\x03');
    await outer.expect('^C');
    assert.deepStrictEqual(outer.received(before).subarray(0, 2).toString(), '^C');
    await outer.end();
  });

  await report.test('pixels are those of the terminal, from the start on and when they change', async () => {
    const outer = await open({ size: '80x24' });
    const file = path.join(space.root, 'size'), none = path.join(space.root, 'none');
    fs.writeFileSync(none, '');
    const size = async () => {
      fs.rmSync(file, { force: true });
      await outer.type(`${ASK} list ${none} ${file}\r`);
      await until('it was asked', () => fs.existsSync(file));
      return fs.readFileSync(file, 'utf8');
    };
    assert.match(await size(), / 80 24 800 480\n/);
    await outer.ask('resize', 80, 24, 11, 23);
    await until('they arrived', async () => / 80 24 880 552\n/.test(await size()));
    await outer.end();
  });

  // A program need not wait for SIGWINCH: its terminal was made with them.
  await report.test('what a program asks first has them, too', async () => {
    const client = new Connection(space);
    const file = path.join(space.root, 'first'), none = path.join(space.root, 'none');
    for (let i = 0; i < 20; i++) {
      fs.rmSync(file, { force: true });
      await client.call('session.open', { name: `first-${i}`, argv: [ASK, 'list', none, file], env: [`PATH=${process.env.PATH}`, 'TERM=xterm'], cwd: space.home, size: { cols: 80, rows: 24, x_pixels: 800, y_pixels: 480 } });
      await until('it asked', () => fs.existsSync(file));
      assert.match(fs.readFileSync(file, 'utf8'), / 80 24 800 480\n/);
    }
    client.end();
  });

  await report.test('of two terminals the one that typed last leads: its size, every byte; the other is drawn', async () => {
    const first = await open({ size: '80x24' });
    const second = await attach(first.session, { size: '100x30' });
    const size = () => { const s = daemon.json('screen', '-s', first.session); return `${s.cols}x${s.rows_count}`; };
    assert.strictEqual(size(), '80x24');
    await second.type('echo from the sec\\ond\r');
    await until('it leads', () => size() === '100x30');
    await second.expect('from the second\r\n');
    await first.until('the first shows it', (s) => s.rows.some((row) => row.startsWith('from the second')));
    await first.type('echo from the fi\\rst\r');
    await until('the first leads', () => size() === '80x24');
    await first.expect('from the first\r\n');
    await second.until('the second shows it', (s) => s.rows.some((row) => row.startsWith('from the first')));
    // What is no text goes to who leads alone.
    first.mark();
    second.mark();
    await first.type("printf '\\033]52;c;aGVsbG8=\\033\\\\'; echo no\\ted\r");
    await first.expect('\x1b]52;c;aGVsbG8=\x1b\\');
    await second.until('the second shows the end', (s) => s.rows.some((row) => row.startsWith('noted')));
    assert.ok(!second.received().includes('\x1b]52;'));
    // Who leads goes: the other does.
    await first.type('\x1cd');
    await first.ended;
    await until('the second leads', () => size() === '100x30');
    await first.end();
    await second.end();
  });

  await report.test('--view never leads, and types nothing', async () => {
    const first = await open({ size: '80x24' });
    const looker = await attach(first.session, { size: '100x30' }, '--view');
    await looker.type('echo never\r');
    await first.type('echo shown to bo\\th\r');
    await looker.until('it shows it', (s) => s.rows.some((row) => row.startsWith('shown to both')));
    assert.strictEqual(daemon.json('screen', '-s', first.session).cols, 80);
    assert.ok(!first.received().includes('never'));
    await first.end();
    await looker.type('echo never\r');
    assert.strictEqual(daemon.json('screen', '-s', first.session).cols, 80);
    await looker.end();
  });

  await report.test('a paste of 8 MB arrives whole, also when nobody reads at first and a worker dies', async () => {
    const outer = await open({ blind: true });
    const text = Array.from({ length: MIB }, (_, i) => String(1e6 + i)).join(' ');
    const source = path.join(space.root, 'paste'), target = path.join(space.root, 'pasted'), go = path.join(space.root, 'go');
    fs.writeFileSync(source, text);
    await outer.type(`stty raw -echo; echo re\\ady; until [ -e ${go} ]; do sleep 0.02; done; head -c ${text.length} >${target}; stty sane; echo do\\ne\r`);
    await outer.expect('ready');
    await outer.ask('paste', source);
    await killWorker(daemon);
    fs.writeFileSync(go, '');
    await until('some of it', () => fs.existsSync(target) && fs.statSync(target).size > MIB, 60000);
    await outer.expect('done', 60000);
    assert.ok(fs.readFileSync(target, 'latin1') === text, 'all, in order');
    await outer.end();
  });

  // Who types leads: the size says that the worker has read it. It waits behind what another types.
  await report.test('a window that is closed in the midst of a paste: what bash and vim hear next are keys again', async () => {
    const stays = await open(), name = stays.session;
    // Who types leads: the size says that it came.
    const goes = async (size) => {
      const outer = new Outer(env, [PTYD, 'attach', name], { size });
      await outer.until('it is drawn', (seen) => seen.rows.join(''));
      await outer.type('\x1b[200~half a paste');
      await until('it came', () => daemon.json('screen', '-s', name).cols === Number(size.split('x')[0]));
      await outer.close();
      await until('it is gone', () => daemon.json('screen', '-s', name).cols === 80);
      await outer.end();
    };
    await goes('90x24');
    await stays.type('\x15echo bash he\\ars\r');
    await stays.expect('bash hears\r\n');
    if (has('vim')) {
      await stays.type('vim -u NONE -i NONE\r');
      await stays.until('vim is there', (seen) => seen.alternate);
      await stays.type('i');
      await goes('100x24');
      await stays.type('\x1b:q!\r');
      await stays.until('vim is gone', (seen) => !seen.alternate);
    }
    await stays.end();
  });

  await report.test('keys that a worker read and did not begin to type before it died are typed once', async () => {
    for (const first of [true, false]) {
      const outer = await open({ size: '80x24', blind: true }), typist = await attach(outer.session, { size: '100x30', blind: true });
      const target = path.join(space.root, `keys-${first}`), go = `${target}-go`;
      const cols = () => daemon.json('screen', '-s', outer.session).cols;
      if (!first) {
        await typist.type(':\r');
        await until('it was typed', () => blocks(outer).some((b) => b.cmd === ':'));
      }
      await outer.type(`stty raw -echo; echo re\\ady; until [ -e ${go} ]; do sleep 0.02; done; cat >${target}\r`);
      await outer.expect('ready');
      await until('the other one leads', () => cols() === 80);
      const other = new Connection(space);
      other.type(outer.session, 'x'.repeat(200000));
      await other.call('session.typed', { name: outer.session, token: 1 }); // asked behind it
      await typist.type('keys');
      await until('they were read', () => cols() === 100);
      await killWorker(daemon);
      other.end();
      fs.writeFileSync(go, '');
      await typist.type('.');
      await until('the program has read', () => fs.existsSync(target) && fs.readFileSync(target, 'latin1').endsWith('.'));
      assert.strictEqual(fs.readFileSync(target, 'latin1').replace(/^x*/, ''), 'keys.');
      await typist.type('\x1cd');
      assert.strictEqual(await typist.ended, 0);
      assert.ok(!typist.received().includes('may not have reached'));
      await typist.end();
      await outer.end();
    }
  });

  // poll(2) needs a limit that is not below what it is asked of.
  await report.test('a terminal whose descriptor got lost asks for another', async () => {
    const outer = await own(['sh', '-c', `for fd in 3 4 5 6 7 8; do eval "exec $fd</dev/null"; done; exec ${PTYD}`]);
    await outer.type('echo $PTYD_SESSION\r');
    await outer.expect('term-');
    const { pid } = outer.process;
    const child = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const sockets = () => fs.readdirSync(`/proc/${child}/fd`).filter((fd) => fs.readlinkSync(`/proc/${child}/fd/${fd}`).startsWith('socket:'));
    const [connection, passed] = sockets().map(Number).sort((a, b) => a - b);
    const limit = (soft) => assert.strictEqual(spawnSync('prlimit', ['--pid', child, `--nofile=${soft}:`]).status, 0);
    limit(passed); // the connection's place is below that, the other one's is not
    await killWorker(daemon);
    const tried = new Set();
    await until('it tries', () => {
        try { tried.add(fs.readlinkSync(`/proc/${child}/fd/${connection}`)); } catch { /* between two */ }
      return tried.size > 3;
    });
    limit(1024);
    await outer.type('echo it go\\es on\r');
    await outer.expect('it goes on\r\n');
    await outer.type('exit 4\r');
    assert.strictEqual(await outer.ended, 4);
    await outer.end();
  });

  await report.test('SIGTERM stops it', async () => assert.strictEqual((await daemon.stop()).code, 0));
  await Outer.endAll();
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
