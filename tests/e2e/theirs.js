// The user's terminal stays theirs: what is in front of attach, beside it or larger than any session. The terminal is
// tests/outer.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { workspace, removeWorkspace, Daemon, Report, PTYD, until, killWorker, waitFor, descendants } = require('./harness');
const { Connection } = require('./connection');
const { Outer } = require('./outer');

async function main() {
  const report = new Report();
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  const env = { ...space.env, TERM: 'xterm-256color' };
  const screen = (name) => daemon.json('screen', '-s', name);
  const fresh = (name) => path.join(space.root, name);

  const attach = async (name, size, ...more) => {
    const outer = new Outer(env, [PTYD, 'attach', name, ...more], { size });
    await outer.expect('$ ');
    return outer;
  };

  await report.test('a terminal of more than 1,000 columns is shown every byte, and drawn when it joins', async () => {
    daemon.ptyd('open', 'wide', '--shell', 'bash');
    const outer = await attach('wide', '1200x24');
    await outer.type("printf '\\033]52;c;aGVsbG8=\\a'; stty size; printf '%01100d\\n' 7\r");
    await outer.expect('\x1b]52;c;aGVsbG8=\x07');
    await outer.expect('24 1000\r\n');
    await outer.expect(`${'0'.repeat(1099)}7\r\n`);
    await outer.end();
    // In the session the line is two rows; so it is in a terminal of which they are not the whole width.
    const again = await attach('wide', '1200x24');
    const shown = await again.until('it is drawn', (s) => s.rows.some((row) => row.endsWith('07')));
    assert.deepStrictEqual(shown.rows.map((row) => row.trimEnd()).join('\n').trimEnd(), screen('wide').rows.map((row) => row.trimEnd()).join('\n').trimEnd());
    await again.end();
  });

  // But for bracketed paste, which bash sets.
  const set = async (outer) => (await outer.modes()).set.filter((mode) => mode !== 2004);

  // A shell in a terminal, and attach as its job.
  const shellWith = async (name) => {
    daemon.ptyd('open', name, '--shell', 'bash');
    const outer = new Outer({ ...env, PS1: 'outer> ' }, ['bash', '--norc', '--noprofile', '-i']);
    await outer.expect('outer> ');
    await outer.type(`${PTYD} attach ${name}\r`);
    await outer.expect('$ ');
    const [job] = descendants(outer.process.pid).filter(({ pid }) => fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(`${PTYD}\0attach\0${name}`));
    return { outer, pid: job.pid };
  };

  for (const signal of ['SIGSTOP', 'SIGTSTP']) {
    await report.test(`attach that is stopped by ${signal} is drawn again by fg, raw, with its modes, and misses nothing`, async () => {
      const name = signal.toLowerCase(), go = fresh(`${name}-go`);
      const { outer, pid } = await shellWith(name);
      await outer.type(`printf '\\033[?1049h\\033[?1000h\\033[H''full screen'; ${waitFor(go)}; printf '\\033[?1000l\\033[?1049l'; seq 1 100; echo be""hind\r`);
      await outer.expect('full screen');
      outer.mark();
      process.kill(pid, signal);
      await outer.expect('outer> ');
      if (signal === 'SIGTSTP') {
        assert.deepStrictEqual(await set(outer), []);
        assert.ok(!(await outer.look()).alternate);
      }
      await outer.type('echo between; fg\r');
      await outer.until('it is drawn', (s) => s.alternate && s.rows.join('\n').trim() === 'full screen');
      assert.deepStrictEqual(await set(outer), [1000, 1049]);
      fs.writeFileSync(go, '');
      const { lines } = await outer.until('it goes on', (s) => s.rows.some((row) => row.startsWith('behind')));
      const from = lines.findIndex((line) => line.trim() === '1');
      for (let i = 1; i <= 100; i++) assert.strictEqual(lines[from + i - 1].trim(), String(i));
      // What is printed meanwhile comes then.
      await outer.type(`(${waitFor(`${go}-on`)}; echo; seq 1001 1100; echo me""an\while) & \r`);
      await outer.expect('[1] ');
      await outer.expect('$ ');
      outer.mark();
      process.kill(pid, signal);
      await outer.expect('outer> ');
      fs.writeFileSync(`${go}-on`, '');
      await until('it was printed', () => screen(name).rows.some((row) => row.startsWith('meanwhile')));
      await outer.type('fg\r');
      const later = await outer.until('it is drawn', (s) => s.rows.some((row) => row.startsWith('meanwhile')) && !s.rows.some((row) => row.includes('outer>')));
      const first = later.lines.findIndex((line) => line.trim() === '1001');
      for (let i = 0; i < 100; i++) assert.strictEqual(later.lines[first + i].trim(), String(1001 + i));
      await outer.type('\x1cd');
      await outer.expect('[left session');
      await outer.expect('outer> ');
      assert.deepStrictEqual(await set(outer), []);
      await outer.end();
    });
  }

  await report.test('attach that is stopped by SIGTSTP stops also within a string that has no end', async () => {
    const go = fresh('endless-go');
    const { outer, pid } = await shellWith('endless');
    await outer.type(`printf 'beg''un\\033]0;'; ${waitFor(go)}; printf 'x\\a'; echo be""hind\r`);
    await outer.expect('begun\x1b]0;');
    outer.mark();
    process.kill(pid, 'SIGTSTP');
    await outer.expect('outer> ');
    await outer.type('fg\r');
    await until('it goes on', () => / [RS] /.test(fs.readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\)/, '')));
    fs.writeFileSync(go, '');
    await outer.until('it is drawn', (s) => s.rows.some((row) => row.startsWith('begun')) && s.rows.some((row) => row.startsWith('behind') || /^begun.*behind/.test(row)));
    await outer.type('\x1cd');
    await outer.expect('[left session');
    await outer.end();
  });

  await report.test('who wants to be told the size (2048) is told at once, also where nobody is attached', async () => {
    const got = fresh('sizes');
    daemon.ptyd('open', 'unseen', '--shell', 'bash', '--size', '90x20');
    daemon.ptyd('send', '-s', 'unseen', `stty raw -echo; printf '\\033[?2048h'; cat >${got}\r`);
    await until('it is told', () => fs.existsSync(got) && fs.readFileSync(got, 'latin1') === '\x1b[48;20;90;0;0t');
  });

  await report.test('a smaller viewer clicks what it shows, whichever part of the screen that is', async () => {
    const got = fresh('clicks'), drawn = fresh('drawn.sh');
    // A word of its own in every cell of six columns.
    fs.writeFileSync(drawn, `printf '\\033[2J'; for r in $(seq 1 24); do printf "\\033[$r;1H"; for c in $(seq 1 13); do printf 'r%02dc%02d' $r $c | head -c 6; done; done; printf '\\033[20;70H\\033[?1000h\\033[?1006h'; stty raw -echo; cat >${got}\n`);
    daemon.ptyd('open', 'clicked', '--shell', 'bash');
    const outer = await attach('clicked', '80x24');
    const small = new Outer(env, [PTYD, 'attach', 'clicked'], { size: '30x8' });
    await small.until('it is drawn', (s) => s.rows.some((row) => row.includes('$')));
    await outer.type(`bash ${drawn}\r`);
    await until('it reads', () => fs.existsSync(got));
    // The cursor stands on that word's `c` in the end, and behind a word before.
    const seen = await small.until('it shows the last', (s) => s.rows[s.row].slice(s.col - 3).startsWith('r20c12'));
    assert.strictEqual(screen('clicked').cols, 80);
    const row = seen.rows.findIndex((text) => /r\d\dc\d\d/.test(text)), [word] = /r\d\dc\d\d/.exec(seen.rows[row]);
    const col = seen.rows[row].indexOf(word), { rows } = screen('clicked');
    const there = rows.findIndex((text) => text.includes(word));
    assert.ok(there > row, 'another row');
    await small.type(`\x1b[<0;${col + 1};${row + 1}M\x1b[<0;${col + 1};${row + 1}m`);
    const place = `${rows[there].indexOf(word) + 1};${there + 1}`;
    await until('the program heard', () => fs.readFileSync(got, 'latin1').endsWith('m'));
    assert.strictEqual(fs.readFileSync(got, 'latin1'), `\x1b[<0;${place}M\x1b[<0;${place}m`);
    assert.strictEqual(screen('clicked').cols, 80, 'a click is no key');
    await small.end();
    await outer.end();
  });

  await report.test('of the clicks of a smaller viewer none is lost with a worker, nor a key behind them', async () => {
    const got = fresh('many'), go = fresh('many-go'), deaf = fresh('deaf.sh'), count = 8000;
    fs.writeFileSync(deaf, `stty raw -echo; printf '\\033[2J\\033[20;70Hde''af'; ${waitFor(go)}; cat >${got}\n`);
    daemon.ptyd('open', 'many', '--shell', 'bash');
    const outer = await attach('many', '80x24');
    const small = new Outer(env, [PTYD, 'attach', 'many'], { size: '30x8' });
    await small.until('it is drawn', (s) => s.rows.some((row) => row.includes('$')));
    await outer.type(`bash ${deaf}\r`);
    await small.until('it does not read', (s) => s.rows.some((row) => row.includes('deaf')));
    await small.type(`${'\x1b[<0;5;3M'.repeat(count)}END`);
    const other = new Connection(space);
    await until('nothing more is taken', async () => (await other.type('many', 'x', { timeout_ms: 100 })).error?.data.typed === 0);
    other.end();
    await killWorker(daemon);
    fs.writeFileSync(go, '');
    const read = () => (fs.existsSync(got) ? fs.readFileSync(got, 'latin1').replace(/x/g, '') : '');
    await until('it read the last', () => read().endsWith('END'));
    const clicks = read().match(/\x1b\[<0;\d+;\d+M/g);
    assert.deepStrictEqual([clicks.length, clicks.join('').length + 3], [count, read().length]);
    assert.ok(clicks.some((click) => click !== '\x1b[<0;5;3M'), 'they were moved');
    await small.end();
    await outer.end();
  });

  await report.test('SIGTERM stops it', async () => assert.strictEqual((await daemon.stop()).code, 0));
  await Outer.endAll();
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
