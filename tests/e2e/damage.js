// Files of a session that are damaged while its shell runs: the shell goes on, other sessions do not
// notice, and what is not whole is said.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, until, killWorker } = require('./harness');
const { Connection } = require('./connection');

// Below `<state>/conversations/<name>`.
const FILES = ['meta.json', 'agent_pty/blocks', 'agent_pty/blocks.jsonl', 'agent_pty/checkpoint', 'agent_pty/events.jsonl',
  'agent_pty/output.idx', 'agent_pty/output.raw', 'agent_pty/screen.jsonl', 'agent_pty/screen.snapshot.json',
  'agent_pty/screen_size.json', 'agent_pty/scrollback.snapshot.json', 'agent_pty/shell_id.txt', 'agent_pty', ''];

const damages = {
  directory(file) { fs.mkdirSync(file); fs.writeFileSync(path.join(file, 'something'), ''); },
  link(file) { fs.symlinkSync('/nowhere/at/all', file); },
  file(file) { fs.writeFileSync(file, 'a file'); },
  pipe(file) { assert.strictEqual(spawnSync('mkfifo', [file]).status, 0); },
};

function directoryOf(space, name) {
  return path.join(space.env.PTYD_STATE_DIR, 'conversations', name);
}

async function main() {
  const report = new Report();
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  const run = (name, command) => daemon.ptyd('run', '-s', name, '--timeout', '20', '--', command);
  const pids = () => Object.fromEntries(daemon.json('list').map((s) => [s.name, s.shell_pid]));

  await report.test('what was set aside is bounded: the oldest go, which is said', async () => {
    daemon.ptyd('open', 'aside');
    run('aside', ':');
    const place = path.join(directoryOf(space, 'aside'), 'agent_pty'), aside = () => fs.readdirSync(place).filter((name) => /damaged-/.test(name)).sort();
    const names = Array.from({ length: 40 }, (_, i) => `output.raw.damaged-${1700000000000 + i}`);
    for (const [i, name] of names.entries()) {
      if (i % 2) fs.writeFileSync(path.join(place, name), name);
      else { fs.mkdirSync(path.join(place, name)); fs.writeFileSync(path.join(place, name, 'in-it'), ''); }
    }
    await killWorker(daemon);
    assert.deepStrictEqual(aside(), names.slice(8));
    assert.ok(daemon.json('status').warnings.some((text) => text.startsWith('session aside:') && /the oldest 8 of what was set aside there were removed/.test(text)));
    fs.appendFileSync(path.join(place, names.at(-1)), Buffer.alloc(200 << 20, 1)); // 256 MiB in all
    fs.appendFileSync(path.join(place, names.at(-3)), Buffer.alloc(100 << 20, 1));
    await killWorker(daemon);
    assert.deepStrictEqual(aside(), names.slice(38));
    for (const name of aside()) fs.rmSync(path.join(place, name), { recursive: true });
    await killWorker(daemon);
    assert.strictEqual(run('aside', 'echo well').stdout, 'well\n');
    assert.deepStrictEqual(daemon.json('status').warnings.filter((text) => /aside/.test(text)), []);
    daemon.ptyd('close', 'aside');
  });

  await report.test('files that cannot be opened: each shell lives and runs a command, the others at once', async () => {
    const cases = [];
    for (const file of FILES) {
      const isDirectory = file === '' || file === 'agent_pty' || file === 'agent_pty/blocks';
      for (const kind of [isDirectory ? 'file' : 'directory', 'link']) {
        cases.push({ name: `bad-${cases.length}`, file, kind });
      }
    }
    for (const shell of ['dash', 'zsh', 'fish']) {
      for (const file of ['agent_pty/output.raw', 'agent_pty/output.idx']) {
        const name = `bad-${cases.length}`;
        if (daemon.ptyd('open', name, '--shell', shell).status === 0) cases.push({ name, file, kind: 'directory', shell });
      }
    }
    for (const { name, shell } of [{ name: 'well' }, ...cases]) {
      daemon.ptyd('open', name, '--shell', shell || 'bash');
      for (const command of ['echo one', 'echo two', 'echo three']) run(name, command);
    }
    const before = pids();
    for (const { name, file, kind } of cases) {
      const place = path.join(directoryOf(space, name), file);
      fs.rmSync(place, { recursive: true, force: true });
      damages[kind](place);
    }
    await killWorker(daemon);
    assert.strictEqual(run('well', 'echo $((40 + 2))').stdout, '42\n');
    assert.deepStrictEqual(pids(), before);
    const { warnings } = daemon.json('status');
    const log = fs.readFileSync(path.join(space.root, 'daemon.log'), 'utf8');
    for (const { name, file, kind, shell } of cases) {
      const what = `${file} as a ${kind}, ${shell || 'bash'}`;
      const place = path.join(directoryOf(space, name), file);
      const moved = fs.readdirSync(path.dirname(place)).filter((one) => one.startsWith(`${path.basename(place)}.damaged-`));
      assert.strictEqual(moved.length, 1, what);
      const now = path.join(path.dirname(place), moved[0]);
      assert.ok(log.includes(now), what);
      assert.ok(warnings.some((warning) => warning.includes(`session ${name}:`) && warning.includes(now)), what);
      const said = run(name, "sh -c 'echo $((40 + 2)); exit 3'");
      assert.deepStrictEqual([said.stdout, said.status], ['42\n', 3], `${what}: ${said.stderr}`);
      const last = daemon.json('blocks', '-s', name).at(-1);
      if (!['agent_pty', ''].includes(file)) {
        assert.deepStrictEqual(daemon.json('blocks', '-s', name).map(({ seq }) => seq), [1, 2, 3, 4], what);
      }
      assert.deepStrictEqual([last.seq, last.exit_code], [4, 3], what);
    }
    await killWorker(daemon);
    for (const { name, file, kind } of cases) {
      assert.strictEqual(run(name, 'echo again').stdout, 'again\n', `${file} as a ${kind}`);
      assert.strictEqual(daemon.json('blocks', '-s', name).at(-1).seq, 5, `${file} as a ${kind}`);
    }
    assert.deepStrictEqual(pids(), before);
  });

  await report.test('a command that runs while the log is lost ends with its own number', async () => {
    for (const file of ['output.raw', 'output.idx']) {
      const name = `runs-${file.slice(7)}`, go = path.join(space.root, `go-${name}`);
      daemon.ptyd('open', name);
      run(name, 'echo one');
      daemon.ptyd('send', '-s', name, `until [ -e ${go} ]; do sleep 0.02; done; (exit 7)\r`);
      await until('it runs', () => daemon.json('blocks', '-s', name).length === 2);
      fs.unlinkSync(path.join(directoryOf(space, name), 'agent_pty', file));
      await killWorker(daemon);
      fs.writeFileSync(go, '');
      const block = await until('it ends', () => daemon.json('blocks', '-s', name).find((b) => b.seq === 2 && b.status === 'completed'));
      assert.strictEqual(block.exit_code, 7);
      assert.strictEqual(run(name, 'echo three').stdout, 'three\n');
      assert.deepStrictEqual(daemon.json('blocks', '-s', name).map(({ seq }) => seq), [1, 2, 3]);
    }
  });

  await report.test('a command runs while the file of its output becomes something else: it is set aside, what comes then is kept', async () => {
    for (const kind of ['directory', 'link', 'pipe']) {
      const name = `prints-${kind}`, go = path.join(space.root, `go-${name}`);
      daemon.ptyd('open', name);
      daemon.ptyd('send', '-s', name, `echo early; until [ -e ${go} ]; do sleep 0.02; done; echo late; (exit 7)\r`);
      await until('it runs', () => daemon.json('screen', '-s', name).rows.includes('early'));
      const [{ output_path: output }] = daemon.json('blocks', '-s', name);
      const file = path.join(directoryOf(space, name), 'agent_pty', output);
      fs.rmSync(file, { force: true });
      damages[kind](file);
      await killWorker(daemon);
      assert.ok(daemon.json('status').warnings.some((text) => text.startsWith(`session ${name}: ${file} cannot be opened; it is ${file}.damaged-`)), kind);
      fs.writeFileSync(go, '');
      const block = await until('it ends', () => daemon.json('blocks', '-s', name).find((b) => b.status === 'completed'));
      assert.deepStrictEqual([block.exit_code, block.output_lines], [7, 2], kind);
      assert.match(fs.readFileSync(file, 'utf8'), /late\n$/, kind);
      assert.strictEqual(daemon.ptyd('run', '-s', name, '--', 'echo well').stdout, 'well\n');
      assert.ok(!daemon.json('status').warnings.some((text) => text.startsWith(`session ${name}:`) && /wait in memory/.test(text)), kind);
    }
  });

  await report.test('a log that cannot be written is said, blocks go on; it goes on where it can, and a kill finds its way', async () => {
    const directory = path.join(directoryOf(space, 'full'), 'agent_pty'), raw = path.join(directory, 'output.raw');
    const limit = (bytes) => spawnSync('prlimit', [`--pid=${daemon.json('status').worker_pid}`, `--fsize=${bytes}:`]);
    const warned = () => daemon.json('status').warnings.some((w) => /^session full: its output is not logged since \d{4}-/.test(w));
    const seqs = () => daemon.json('blocks', '-s', 'full').map(({ seq, cmd, exit_code: code }) => `${seq} ${cmd} ${code}`);
    const truth = [];
    const check = (command) => {
      truth.push(`${truth.length + 1} ${command} 0`);
      assert.strictEqual(run('full', command).stdout, spawnSync('sh', ['-c', command], { encoding: 'latin1' }).stdout);
      assert.deepStrictEqual(seqs(), truth);
    };
    daemon.ptyd('open', 'full');
    check('seq 1 100000');
    assert.ok(!warned());
    limit(fs.statSync(raw).size + 5);
    for (const command of ['echo lost', 'seq 1 2000', 'echo more']) check(command);
    assert.ok(warned());
    limit('unlimited');
    await until('it goes on', () => { check('echo back'); return !warned(); });
    check('echo whole');
    const before = daemon.json('screen', '-s', 'full');
    await killWorker(daemon);
    assert.deepStrictEqual(daemon.json('screen', '-s', 'full'), before);
    check('echo after');
    // The bytes are where they were in the stream: what is missing is a hole.
    const bytes = fs.readFileSync(raw, 'latin1');
    const place = (text) => bytes.indexOf(text);
    assert.ok(place('echo lost') < 0 && place('echo whole') > place('\n100000\r'), 'a hole in the middle');
    assert.match(bytes.slice(place('\n100000\r'), place('echo whole')), /\0{5000}/);

    fs.rmSync(path.join(directory, 'checkpoint'), { force: true });
    limit(fs.statSync(raw).size + 5);
    check('echo gone');
    await killWorker(daemon);
    check('echo last');
    fs.rmSync(path.join(directory, 'checkpoint'), { force: true });
    await killWorker(daemon);
    check('echo really');
  });

  await report.test('the index stays within its bound; behind it, a killed worker finds blocks, numbers and screen', async () => {
    const directory = path.join(directoryOf(space, 'long'), 'agent_pty'), index = path.join(directory, 'output.idx');
    const seqs = () => daemon.json('blocks', '-s', 'long').map(({ seq, cmd }) => `${seq} ${cmd}`);
    const truth = [];
    const check = (command) => {
      truth.push(`${truth.length + 1} ${command}`);
      assert.strictEqual(run('long', command).stdout, spawnSync('sh', ['-c', command], { encoding: 'latin1' }).stdout);
      assert.deepStrictEqual(seqs(), truth);
    };
    daemon.ptyd('open', 'long', '--size', '70x21');
    for (let i = 0; i < 10; i++) check(`echo ${i}`);
    // Hours of a slow output: times at the end of the log, as a worker writes them (session/rawlog.h),
    // each with its sum (FNV-1a).
    const time = Buffer.alloc(40);
    time.writeBigUInt64LE(BigInt(fs.statSync(path.join(directory, 'output.raw')).size));
    time.writeUInt16LE(1, 24);
    let sum = 0xcbf29ce484222325n;
    for (const byte of time.subarray(0, 32)) sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n);
    time.writeBigUInt64LE(sum, 32);
    for (let round = 0; round < 3; round++) {
      fs.appendFileSync(index, Buffer.alloc(40 * 128 * 1024, time));
      check(`echo round ${round}`);
      assert.ok(fs.statSync(index).size <= 4 * 1024 * 1024, `${fs.statSync(index).size} bytes`);
      const before = daemon.json('screen', '-s', 'long');
      fs.rmSync(path.join(directory, 'checkpoint'), { force: true });
      await killWorker(daemon);
      assert.deepStrictEqual(daemon.json('screen', '-s', 'long'), before);
    }
    check('echo after');
    fs.writeFileSync(`${index}.new`, 'a worker died while it wrote this');
    await killWorker(daemon);
    check('echo last');
  });

  await report.test('a closed session whose long files differ is opened with all of its blocks, while others are answered', async () => {
    daemon.ptyd('open', 'much', '--shell', 'bash');
    assert.strictEqual(daemon.ptyd('run', '-s', 'much', '--', 'echo first').status, 0);
    assert.strictEqual(daemon.ptyd('close', 'much').status, 0);
    const directory = path.join(space.env.PTYD_STATE_DIR, 'conversations/much');
    const [blocks, copy] = ['blocks.jsonl', 'blocks.copy.jsonl'].map((name) => path.join(directory, 'agent_pty', name));
    const lines = fs.readFileSync(blocks, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
    const LAST = 6000;
    const numbered = (seq) => lines.map((line) => `${JSON.stringify({ ...line, sum: undefined, seq, block_id: `much:${seq}:1`, cmd: `: ${'x'.repeat(600)}` })}\n`).join('');
    const text = fs.readFileSync(blocks, 'utf8') + Array.from({ length: LAST - 1 }, (_, i) => numbered(i + 2)).join('');
    fs.writeFileSync(blocks, text);
    fs.writeFileSync(copy, text.slice(0, text.length / 2));
    const others = new Connection(space), opener = new Connection(space);
    const env = Object.entries(space.env).map(([name, value]) => `${name}=${value}`);
    let opened;
    opener.call('session.open', { name: 'much', shell: '/bin/bash', env, cwd: '/' }).then((answer) => { opened = answer; });
    const isWhole = () => fs.statSync(copy, { throwIfNoEntry: false })?.size >= text.length; // another one takes its place
    const answersBefore = async () => { for (let n = 0; ; n++) if (isWhole() || opened) return n; else assert.ok((await others.call('status.short', {})).result); };
    assert.ok(await answersBefore() > 5, 'others are answered while the files are made whole'); // one or two, where they are not
    await until('it is open', () => opened);
    assert.ok(opened.result?.created, JSON.stringify(opened));
    assert.strictEqual(fs.readFileSync(copy, 'utf8'), fs.readFileSync(blocks, 'utf8'));
    assert.deepStrictEqual(daemon.json('blocks', '-s', 'much', '--last', '2').map(({ seq }) => seq), [LAST - 1, LAST]);
    assert.match(daemon.log(), /blocks\.copy\.jsonl (is damaged|lacked \d+ lines)/);
    assert.ok(daemon.json('status').warnings.some((warning) => /much.*blocks\.copy\.jsonl/.test(warning)), 'status says it');
    assert.strictEqual(daemon.ptyd('run', '-s', 'much', '--', 'echo next').stdout, 'next\n');
    assert.strictEqual(daemon.json('blocks', '-s', 'much', '--last', '1')[0].seq, LAST + 1);
    // While it lives nobody compares them, and still a worker that comes finds what happened to them.
    for (const file of [copy, blocks]) {
      const whole = fs.readFileSync(file);
      const damaged = Buffer.from(whole);
      damaged[100000] = 0; // its line is none any more
      fs.writeFileSync(file, damaged);
      await killWorker(daemon);
      assert.ok(whole.equals(fs.readFileSync(blocks)) && whole.equals(fs.readFileSync(copy)), file);
      assert.ok(daemon.json('status').warnings.some((warning) => warning.includes(`${file}.damaged-`)), file);
      assert.strictEqual(daemon.ptyd('run', '-s', 'much', '--', 'echo on').stdout, 'on\n');
    }
    assert.strictEqual(fs.readFileSync(copy, 'utf8'), fs.readFileSync(blocks, 'utf8'));
    for (const one of [others, opener]) one.end();
  });

  await report.test('many of those at once: all are opened whole, and a few are compared at a time', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `many${i}`), LAST = 2000;
    const wholes = names.map((name) => {
      for (const args of [['open', name, '--shell', 'bash'], ['run', '-s', name, '--', 'echo first'], ['close', name]]) assert.strictEqual(daemon.ptyd(...args).status, 0, args);
      const [blocks, copy] = ['blocks.jsonl', 'blocks.copy.jsonl'].map((file) => path.join(space.env.PTYD_STATE_DIR, 'conversations', name, 'agent_pty', file));
      const line = JSON.parse(fs.readFileSync(blocks, 'utf8').trim().split('\n').pop());
      const text = fs.readFileSync(blocks, 'utf8') + Array.from({ length: LAST - 1 }, (_, i) => `${JSON.stringify({ ...line, sum: undefined, seq: i + 2, block_id: `${name}:${i + 2}:1`, cmd: `: ${'x'.repeat(600)}` })}\n`).join('');
      fs.writeFileSync(blocks, text);
      fs.writeFileSync(copy, text.slice(0, text.length / 2));
      return { name, blocks, copy };
    });
    const { worker_pid: worker } = daemon.json('status'), opener = new Connection(space);
    const env = Object.entries(space.env).map(([name, value]) => `${name}=${value}`);
    let opened = 0, most = 0;
    for (const name of names) opener.call('session.open', { name, shell: '/bin/bash', env, cwd: '/' }).then(({ result }) => { opened += result?.created === true; });
    await until('all are open', () => {
      most = Math.max(most, fs.readdirSync(`/proc/${worker}/task`).length);
      return opened === names.length;
    });
    assert.ok(most <= 1 + 4 + 2, `${most} threads: the loop, who compares, who reads floods, a sanitizer's`);
    for (const { name, blocks, copy } of wholes) {
      assert.strictEqual(fs.readFileSync(copy, 'utf8'), fs.readFileSync(blocks, 'utf8'));
      assert.strictEqual(daemon.json('blocks', '-s', name, '--last', '1')[0].seq, LAST);
    }
    opener.end();
  });

  assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
