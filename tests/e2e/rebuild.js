// A worker that takes over from one that was killed: from the log, from a checkpoint and the log behind
// it. What it shows and stores must be what the shell really did; the terminal goes on as if nothing had
// been.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, PTYD, until, killWorker: replaceWorker } = require('./harness');
const { Terminal } = require('./script');

const MB = 1 << 20;

function directoryOf(space, name) {
  return path.join(space.env.PTYD_STATE_DIR, 'conversations', name, 'agent_pty');
}

function look(daemon, name) {
  return { screen: daemon.json('screen', '-s', name), scrollback: daemon.ptyd('scrollback', '-s', name).stdout };
}

// Types a command that prints `lines` numbered lines, waits for the file `go`, and prints three more.
async function printAndWait(daemon, space, name, lines, go) {
  daemon.ptyd('open', name);
  daemon.ptyd('send', '-s', name, `seq 1 ${lines}; until [ -e ${go} ]; do sleep 0.02; done; printf 'a\\nb\\nc\\n'\r`);
  await until('it has printed', () => daemon.json('screen', '-s', name).rows.includes(String(lines)), 60000);
}

async function checkBlock(daemon, space, name, lines) {
  const block = await until('the block ends', () => daemon.json('blocks', '-s', name).find((b) => b.status === 'completed'));
  const expected = spawnSync('seq', ['1', String(lines)], { encoding: 'latin1', maxBuffer: 1 << 28 }).stdout + 'a\nb\nc\n';
  assert.strictEqual(block.output_lines, lines + 3);
  assert.strictEqual(block.output_bytes, expected.length);
  assert.strictEqual(block.exit_code, 0);
  const file = fs.readFileSync(path.join(directoryOf(space, name), block.output_path), 'latin1');
  assert.ok(file === expected, `its file: ${file.length} of ${expected.length}`);
}

async function main() {
  const report = new Report();
  const space = workspace();
  const daemon = await new Daemon(space).ready();

  await report.test('a running command, killed behind a checkpoint: the log before it is not needed', async () => {
    const go = path.join(space.root, 'go-one');
    await printAndWait(daemon, space, 'one', 3000000, go);
    const directory = directoryOf(space, 'one');
    assert.ok(fs.existsSync(path.join(directory, 'checkpoint')));
    const before = look(daemon, 'one');
    spawnSync('fallocate', ['--punch-hole', '--offset', '0', '--length', String(8 * MB), path.join(directory, 'output.raw')]);
    await replaceWorker(daemon);
    assert.deepStrictEqual(look(daemon, 'one'), before);
    await replaceWorker(daemon);
    fs.writeFileSync(go, '');
    await checkBlock(daemon, space, 'one', 3000000);
  });

  await report.test('a checkpoint that is no good: the log is gone through', async () => {
    const go = path.join(space.root, 'go-two');
    await printAndWait(daemon, space, 'two', 3000000, go);
    const before = look(daemon, 'two');
    const file = path.join(directoryOf(space, 'two'), 'checkpoint');
    const bytes = fs.readFileSync(file);
    bytes[bytes.length >> 1] ^= 1;
    fs.writeFileSync(file, bytes);
    await replaceWorker(daemon);
    assert.deepStrictEqual(look(daemon, 'two'), before);
    fs.writeFileSync(go, '');
    await checkBlock(daemon, space, 'two', 3000000);
  });

  await report.test('a full-screen program in the middle of it: both screens are there', async () => {
    const go = path.join(space.root, 'go-three');
    const script = `seq 1 1500000; printf '\\033[?1049h\\033[3;8r\\033[2;2Hpanel\\033[4h'; ` +
      `i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); printf '\\033[5;5H\\033[1;3%dm%07d line of a panel that is drawn again and again\\033[m' $((i % 8)) $i; done; ` +
      `until [ -e ${go} ]; do sleep 0.02; done; printf '\\033[4l\\033[r\\033[?1049l'; echo back`;
    fs.writeFileSync(path.join(space.root, 'panel.sh'), script);
    daemon.ptyd('open', 'three');
    daemon.ptyd('send', '-s', 'three', `sh ${space.root}/panel.sh\r`);
    await until('it is drawn', () => daemon.json('screen', '-s', 'three').rows.some((row) => row.includes('0200000 line')), 60000);
    const before = look(daemon, 'three');
    assert.ok(fs.existsSync(path.join(directoryOf(space, 'three'), 'checkpoint')));
    await replaceWorker(daemon);
    assert.deepStrictEqual(look(daemon, 'three'), before);
    assert.strictEqual(before.screen.alt_screen, true);
    fs.writeFileSync(go, '');
    const block = await until('it ends', () => daemon.json('blocks', '-s', 'three').find((b) => b.status === 'completed'));
    assert.deepStrictEqual(block.preview.lines.slice(-2), ['1500000', 'back']);
    assert.strictEqual(block.alt_screen, true);
    assert.strictEqual(block.output_lines, 1500001);
  });

  await report.test('a size that was changed at a quiet prompt stays', async () => {
    daemon.ptyd('open', 'four', '--size', '80x24');
    daemon.ptyd('run', '-s', 'four', '--', 'echo before');
    const viewer = new Terminal(space.env, `exec ${PTYD} attach four`, { size: '61x17' });
    await viewer.prompt(); // it is drawn: what is hit before, the terminal may still take for its own keys
    assert.strictEqual(daemon.json('screen', '-s', 'four').cols, 61);
    viewer.type('\x1cd');
    assert.strictEqual(await viewer.ended(), 0);
    const before = look(daemon, 'four');
    assert.deepStrictEqual([before.screen.cols, before.screen.rows_count], [61, 17]);
    await replaceWorker(daemon);
    assert.deepStrictEqual(look(daemon, 'four'), before);
    assert.strictEqual(daemon.ptyd('run', '-s', 'four', '--', 'stty size').stdout, '17 61\n');
  });

  await report.test('screen.jsonl: every delta on top of the others gives the screen, ten a second at most, also over a kill', async () => {
    daemon.ptyd('open', 'six', '--size', '70x20');
    const file = path.join(directoryOf(space, 'six'), 'screen.jsonl');
    // Whole lines only: it is read while it is written.
    const deltas = () => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '').split('\n').slice(0, -1)
      .map((line) => JSON.parse(line));
    const shown = () => deltas().reduce((rows, delta) => {
      const next = rows.slice(0, delta.rows_count);
      for (const { row, text } of delta.rows) next[row] = text;
      return next;
    }, []);
    const settles = () => until('the last state is told', () => {
      const { rows, cursor, title } = daemon.json('screen', '-s', 'six');
      const last = deltas().at(-1);
      return JSON.stringify([rows, cursor, title]) === JSON.stringify([shown(), last.cursor, last.title]);
    });
    const go = path.join(space.root, 'go-six');
    daemon.ptyd('send', '-s', 'six', `seq 1 300000; printf '\\033]2;a title\\033\\\\\\033[3;5Hmiddle\\r'; until [ -e ${go} ]; do sleep 0.02; done\r`);
    await until('a state in the middle of the command', () => deltas().some(({ title, block_id }) =>
      title === 'a title' && block_id && block_id.startsWith('six:1:')));
    await settles();
    fs.writeFileSync(go, '');
    await until('it ends', () => daemon.json('blocks', '-s', 'six').some((block) => block.status === 'completed'));
    await settles();
    daemon.ptyd('send', '-s', 'six', 'echo typed');
    await until('the echo', () => daemon.json('screen', '-s', 'six').rows.some((row) => row.includes('echo typed')));
    await replaceWorker(daemon);
    await settles();
    for (const [i, { ts }] of deltas().entries()) {
      if (i >= 10) assert.ok(ts - deltas()[i - 10].ts >= 900, 'ten a second');
    }
  });

  // What was typed is in no log: a worker that takes over knows the blocks before it from the index.
  for (const shell of ['dash', 'busybox']) {
    await report.test(`${shell}: lines typed ahead and a line given up, then a kill: each command once`, async () => {
      const name = `ahead-${shell}`, go = path.join(space.root, `go-${name}`);
      const commands = () => daemon.json('blocks', '-s', name).map(({ cmd, exit_code }) => `${cmd} ${exit_code}`);
      const truth = ['sleep 0.3 0', 'true 0', 'false 1', 'echo one 0', `until [ -e ${go} ]; do sleep 0.02; done 0`,
        'false 1', 'true 0', 'echo last 0'];
      assert.strictEqual(daemon.ptyd('open', name, '--shell', shell).status, 0);
      daemon.ptyd('send', '-s', name, 'sleep 0.3\rtrue\rfalse\r');
      await until('they ran', () => commands().length === 3);
      daemon.ptyd('send', '-s', name, 'half a li\x03');
      daemon.ptyd('run', '-s', name, '--', 'echo one');
      daemon.ptyd('send', '-s', name, truth[4].replace(/ 0$/, '\r'));
      await until('it runs', () => commands().length === 5);
      daemon.ptyd('send', '-s', name, 'false\rtrue\r');
      await replaceWorker(daemon);
      assert.deepStrictEqual(commands().slice(0, 4), truth.slice(0, 4));
      fs.writeFileSync(go, '');
      await until('what was typed ahead has run', () => commands().length === 7);
      assert.strictEqual(daemon.ptyd('run', '-s', name, '--', 'echo last').stdout, 'last\n');
      assert.deepStrictEqual(commands(), truth);
    });
  }

  for (const shell of ['dash', 'busybox']) {
    await report.test(`${shell}: a command that began behind a checkpoint ends with its status`, async () => {
      const name = `behind-${shell}`, go = path.join(space.root, `go-${name}`);
      const command = `until [ -e ${go} ]; do sleep 0.02; done; false`;
      const state = () => daemon.json('list').find((session) => session.name === name).state;
      const last = () => daemon.json('blocks', '-s', name).at(-1);
      assert.strictEqual(daemon.ptyd('open', name, '--shell', shell).status, 0);
      assert.strictEqual(daemon.ptyd('run', '-s', name, '--', 'seq 1 3000000').status, 0);
      assert.ok(fs.existsSync(path.join(directoryOf(space, name), 'checkpoint')));
      daemon.ptyd('send', '-s', name, `${command}\r`);
      await until('it runs', () => state() === 'running');
      await replaceWorker(daemon);
      assert.strictEqual(state(), 'running');
      fs.writeFileSync(go, '');
      const block = await until('it ends', () => last().status === 'completed' && last());
      assert.deepStrictEqual([block.seq, block.cmd, block.exit_code], [2, command, 1]);
    });
  }

  await report.test('what came while capture was paused gets into no file', async () => {
    daemon.ptyd('open', 'five');
    daemon.ptyd('context', 'pause', '-s', 'five');
    daemon.ptyd('run', '-s', 'five', '--', 'echo hidden-$((40 + 2))');
    daemon.ptyd('context', 'resume', '-s', 'five');
    const directory = directoryOf(space, 'five');
    const has = () => spawnSync('grep', ['-rl', 'hidden-42', directory], { encoding: 'utf8' }).stdout;
    daemon.ptyd('run', '-s', 'five', '--', 'echo seen');
    assert.strictEqual(has(), '');
    daemon.ptyd('run', '-s', 'five', '--', 'head -c 20000000 /dev/zero | tr "\\\\0" x');
    assert.strictEqual(has(), '');
    daemon.ptyd('run', '-s', 'five', '--', 'seq 1 3000000');
    assert.ok(fs.existsSync(path.join(directory, 'checkpoint')));
    assert.strictEqual(has(), '');
  });

  assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
