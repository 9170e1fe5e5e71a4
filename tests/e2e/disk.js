// A full disk under living sessions: the state directory is a small file system of its own, which is
// filled and emptied. What the commands did they say themselves, on another file system.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const os = require('node:os');
const { PTYD, workspace, removeWorkspace, Daemon, Report, Control, until, waitFor, killWorker } = require('./harness');

// Alone, or as root of a user namespace of its own.
function enterNamespace() {
  for (const option of ['-m', '-rm']) {
    const tried = spawnSync('unshare', [option, 'sh', '-c', 'd=$(mktemp -d) && mount -t tmpfs -o size=64k none "$d" && umount "$d" && rmdir "$d"']);
    if (tried.status !== 0) continue;
    return spawnSync('unshare', [option, process.execPath, __filename, 'inside'], { stdio: 'inherit' }).status;
  }
  return null;
}

class Disk {
  constructor(place) {
    this.place = place;
    this.ballast = path.join(place, 'ballast');
    fs.mkdirSync(place, { mode: 0o700 });
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m,nr_inodes=400,mode=700', 'none', place], { encoding: 'utf8' });
    assert.strictEqual(mounted.status, 0, mounted.stderr);
  }

  // To the last byte; what others give back meanwhile is taken, too.
  fill() {
    const file = fs.openSync(this.ballast, 'a');
    for (let size = 1 << 20; size >= 1; size >>= 1) {
      try { for (;;) fs.writeSync(file, Buffer.alloc(size)); } catch (error) { assert.strictEqual(error.code, 'ENOSPC'); }
    }
    fs.closeSync(file);
  }

  free() { fs.rmSync(this.ballast, { recursive: true, force: true }); }

  fillInodes() {
    fs.mkdirSync(this.ballast);
    try { for (let i = 0; ; i++) fs.writeFileSync(path.join(this.ballast, String(i)), ''); } catch (error) { assert.strictEqual(error.code, 'ENOSPC'); }
  }
}

// A session and what its commands say that they did.
class Witness {
  constructor(daemon, name, shell) {
    Object.assign(this, { daemon, name, shell, count: 0 });
    this.truth = path.join(daemon.space.root, `truth-${name}`);
    this.directory = path.join(daemon.space.env.PTYD_STATE_DIR, 'conversations', name, 'agent_pty');
    fs.writeFileSync(this.truth, '');
    const opened = daemon.ptyd('open', name, '--shell', shell);
    assert.strictEqual(opened.status, 0, opened.stderr);
  }

  command(work) {
    const number = ++this.count, code = number % 5;
    return { code, line: `sh -c '${work}; echo ${number} ${code} >> ${this.truth}; exit ${code}'` };
  }

  // Runs it to its end and sees its output and status.
  run(work, output) {
    const { line, code } = this.command(work);
    const said = this.daemon.ptyd('run', '-s', this.name, '--timeout', '20', '--', line);
    assert.strictEqual(said.status, code, `${line}: ${said.stderr}`);
    if (output !== undefined) assert.strictEqual(said.stdout, output);
    return line;
  }

  did() { return fs.readFileSync(this.truth, 'utf8').trim().split('\n').filter(Boolean); }

  // What a block says of its command, as the command says it.
  said(block) { return `${/echo (\d+) /.exec(block.cmd)?.[1]} ${block.exit_code}`; }

  blocks() { return this.daemon.json('blocks', '-s', this.name); }

  warned() { return this.daemon.json('status').warnings.filter((w) => w.startsWith(`session ${this.name}:`)); }

  lines(name) {
    const file = path.join(this.directory, name);
    const text = fs.readFileSync(file, 'utf8');
    assert.ok(text === '' || text.endsWith('\n'), `${name} ends with a line`);
    return text.split('\n').slice(0, -1).map((line) => {
      try { return JSON.parse(line); } catch { throw new Error(`${name}: ${line.slice(0, 200)}`); }
    });
  }

  // Every line of every file is whole; of each block there is one end.
  readFiles() {
    const ends = this.lines('blocks.jsonl').filter((b) => b.status !== 'running');
    const told = this.lines('events.jsonl').filter((e) => e.type === 'agent_block_end').map((e) => e.block);
    this.lines('screen.jsonl');
    const seqs = (blocks) => blocks.map(({ seq }) => seq);
    assert.deepStrictEqual(seqs(told), seqs(ends));
    assert.deepStrictEqual(seqs(ends), [...new Set(seqs(ends))].sort((a, b) => a - b));
    return ends;
  }
}

// What a disk that is full is to a session, every other reason is, too.
async function refusals(report) {
  const space = workspace(), refusal = path.join(space.root, 'refusal');
  Object.assign(space.env, { LD_PRELOAD: path.resolve(path.dirname(PTYD), 'faults.so'), ASAN_OPTIONS: 'verify_asan_link_order=0', FAULT_WRITES: refusal });
  const daemon = await new Daemon(space).ready();
  const reasons = { EROFS: /Read-only file system/, EDQUOT: /Disk quota exceeded/, EIO: /Input\/output error/ };
  for (const [name, words] of Object.entries(reasons)) {
    await report.test(`${name}: blocks go on, also behind a kill, and are in the files when there is room`, async () => {
      const w = new Witness(daemon, name, 'bash');
      for (let i = 0; i < 2; i++) w.run('echo before', 'before\n');
      fs.writeFileSync(refusal, String(os.constants.errno[name]));
      for (let i = 0; i < 3; i++) w.run('seq 1 300');
      assert.match(w.warned().find((text) => /wait in memory/.test(text)), words);
      await killWorker(daemon);
      assert.deepStrictEqual(w.blocks().map(w.said), w.did());
      for (let i = 0; i < 3; i++) w.run('echo then', 'then\n');
      assert.match(w.warned().find((text) => /wait in memory/.test(text)), words);
      assert.match(daemon.ptyd('open', `more-${name}`).stderr, words);
      fs.unlinkSync(refusal);
      await until('all is written', () => w.warned().every((text) => /output\.raw.* (is damaged|are not whole)/.test(text)));
      w.run('echo after', 'after\n');
      assert.deepStrictEqual(w.readFiles().map(w.said), w.did());
      await killWorker(daemon);
      assert.deepStrictEqual(w.blocks().map(w.said), w.did());
      assert.strictEqual(daemon.ptyd('open', `more-${name}`).status, 0);
    });
  }
  await report.test('the daemon of those ends cleanly', async () => assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null }));
  removeWorkspace(space);
}

async function main() {
  const report = new Report();
  await refusals(report);
  const space = workspace();
  const disk = new Disk(space.env.PTYD_STATE_DIR);
  const daemon = await new Daemon(space).ready();
  const take = (session) => {
    const answer = daemon.json('context', 'take', '-s', session, '--consumer', `of-${session}`);
    if (answer.lease) assert.strictEqual(daemon.ptyd('context', 'commit', String(answer.lease)).status, 0);
    return Object.values(answer.additionalContext).map((e) => JSON.parse(e.value)).filter((v) => v.cmd).map((v) => `${/echo (\d+) /.exec(v.cmd)[1]} ${v.exit_code}`);
  };
  const lines = (count) => Array.from({ length: count }, (_, k) => `${k + 1}\n`).join('');
  // What the log lacks behind a worker's death is said for good.
  const whole = (w) => until('all is written', () => w.warned().every((text) => /output\.raw.* (is damaged|are not whole)/.test(text)));

  for (const shell of ['bash', 'dash']) {
    await report.test(`${shell}, the disk fills at rest: blocks and context go on, and are in the files when there is room`, async () => {
      const w = new Witness(daemon, `rest-${shell}`, shell);
      for (let i = 0; i < 3; i++) w.run('echo some output', 'some output\n');
      const taken = take(w.name);
      const before = new Date(Date.now() - 1000);
      disk.fill();
      for (let i = 0; i < 5; i++) {
        w.run('seq 1 300', `${Array.from({ length: 300 }, (_, k) => k + 1).join('\n')}\n`);
        disk.fill();
      }
      assert.deepStrictEqual(w.blocks().map(w.said), w.did());
      assert.strictEqual(JSON.parse(daemon.ptyd('block', '8', '-s', w.name, '--json').stdout).exit_code, 3);
      const [said] = w.warned().filter((text) => /wait in memory/.test(text));
      const [, since, count] = /: since ([-\d]+ [:\d]+) .* No space left on device; (\d+) blocks/.exec(said);
      assert.ok(new Date(since) >= new Date(before.setMilliseconds(0)) && new Date(since) <= new Date(), said);
      assert.ok(count >= 4 && count <= 5, said);
      taken.push(...take(w.name));
      disk.free();
      await whole(w);
      taken.push(...take(w.name));
      assert.deepStrictEqual(taken, w.did());
      w.run('echo behind it', 'behind it\n');
      assert.deepStrictEqual(w.readFiles().map(w.said), w.did());
      for (const { seq, output_path: file } of w.blocks().slice(3, 8)) {
        assert.ok(fs.readFileSync(path.join(w.directory, file), 'utf8').endsWith('\n299\n300\n'), `block ${seq}`);
      }
      await killWorker(daemon);
      assert.deepStrictEqual(w.blocks().map(w.said), w.did());
      assert.deepStrictEqual(take(w.name), w.did().slice(-1));
    });

    await report.test(`${shell}, the disk fills in a flood: its block is whole, its file says what is missing`, async () => {
      const w = new Witness(daemon, `flood-${shell}`, shell), go = path.join(space.root, `go-${shell}`);
      w.run('echo one', 'one\n');
      const { line } = w.command(`seq 1 5000; ${waitFor(go).replace(/'/g, '')}; seq 5001 60000`.replace('sh -c ', ''));
      daemon.ptyd('send', '-s', w.name, `${line}\r`);
      await until('it floods', () => daemon.json('screen', '-s', w.name).rows.includes('5000'));
      disk.fill();
      fs.writeFileSync(go, '');
      await until('it ends', () => w.did().length === 2 && w.blocks().at(-1).status === 'completed' || w.blocks().at(-1).status === 'killed');
      const block = w.blocks().at(-1);
      assert.deepStrictEqual([block.output_lines, block.exit_code, block.preview.lines.at(-1)], [60000, 2, '60000']);
      for (let i = 0; i < 3; i++) w.run('echo more', 'more\n');
      disk.free();
      await whole(w);
      w.run('echo after', 'after\n');
      assert.deepStrictEqual(w.readFiles().map(w.said), w.did());
      const file = fs.readFileSync(path.join(w.directory, block.output_path), 'utf8').split('\n').slice(0, -1);
      const note = file.findIndex((text) => text.startsWith('[ptyd: '));
      assert.ok(note >= 4900 && file[note - 1] === String(note) && file.at(-1) === '60000', `${note}: ${file[note - 1]}`);
      const notes = file.filter((text) => text.startsWith('[ptyd: '));
      const missing = notes.reduce((sum, text) => sum + Number(/^\[ptyd: (\d+) bytes are missing here: /.exec(text)[1]), 0);
      const all = Array.from({ length: 60000 }, (_, k) => `${k + 1}\n`).join('').length;
      // A line that is missing in part ends in front of the note.
      const extra = file.filter((text) => !notes.includes(text)).join('\n').length + 1 + missing - all;
      assert.ok(extra >= 0 && extra <= notes.length, `${extra} bytes too many, ${notes.length} notes`);
    });

    await report.test(`${shell}, workers killed while a command prints onto a full disk: its output is whole`, async () => {
      const w = new Witness(daemon, `prints-${shell}`, shell), gate = (n) => path.join(space.root, `gate-${shell}-${n}`);
      const screen = (text) => until(text, () => daemon.json('screen', '-s', w.name).rows.some((row) => row.endsWith(text))); // the screen may have begun anew within a line
      const stops = [5000, 5010, 5300, 5301, 5999, 6000], parts = stops.map((to, i) => `seq ${(stops[i - 1] || 0) + 1} ${to}; ${waitFor(gate(i)).replace(/^sh -c '|'$/g, '')}`);
      w.run('echo one', 'one\n');
      const { line, code } = w.command(`${parts.join('; ')}; printf "no "; printf "end\\n"`);
      daemon.ptyd('send', '-s', w.name, `${line}\r`);
      for (const [i, stop] of stops.entries()) {
        await screen(String(stop));
        disk.fill();
        if (i) await killWorker(daemon);
        if (i === 4) await killWorker(daemon);
        fs.writeFileSync(gate(i), '');
      }
      await until('it ends', () => w.did().length === 2 && w.blocks().at(-1).status !== 'running');
      const block = w.blocks().at(-1);
      assert.deepStrictEqual([block.exit_code, block.output_lines, block.preview.lines.slice(-2)], [code, 6001, ['6000', 'no end']]);
      disk.free();
      await whole(w);
      assert.strictEqual(fs.readFileSync(path.join(w.directory, block.output_path), 'utf8'), `${lines(6000)}no end\n`);
      assert.deepStrictEqual(w.readFiles().map(w.said), w.did());
    });

    await report.test(`${shell}, workers killed while the disk is full: no block, event or cursor is lost, none comes twice`, async () => {
      const w = new Witness(daemon, `kill-${shell}`, shell), { shell_pid: pid } = daemon.json('list').find((s) => s.name === w.name);
      for (let i = 0; i < 3; i++) w.run('echo before', 'before\n');
      disk.fill();
      for (let i = 0; i < 3; i++) w.run('seq 1 200', lines(200));
      disk.fill();
      const since = () => /: since ([-\d]+ [:\d]+) /.exec(w.warned().find((text) => /wait in memory/.test(text)))[1];
      const began = since(), taken = take(w.name);
      for (let kill = 0; kill < 3; kill++) {
        await killWorker(daemon);
        disk.fill();
        assert.strictEqual(daemon.json('list').find((s) => s.name === w.name).state, 'prompt');
        assert.deepStrictEqual(w.blocks().map(w.said), w.did());
        assert.strictEqual(since(), began);
        if (kill !== 1) taken.push(...take(w.name));
        assert.deepStrictEqual(taken, w.did().slice(0, taken.length));
        for (let i = 0; i < 3; i++) w.run('echo then', 'then\n');
      }
      if (shell === 'bash') await killWorker(daemon);
      disk.free();
      await whole(w);
      w.run('echo after', 'after\n');
      taken.push(...take(w.name));
      const did = w.did(), ends = w.readFiles();
      assert.strictEqual(did.length, 16);
      assert.deepStrictEqual(taken, did);
      assert.deepStrictEqual(ends.map(w.said), did);
      assert.deepStrictEqual(ends.map((b) => b.seq), did.map((_, i) => i + 1));
      for (const { output_path: file } of w.blocks().slice(3, 6)) assert.strictEqual(fs.readFileSync(path.join(w.directory, file), 'utf8'), lines(200));
      assert.ok(w.blocks().every((b) => b.status !== 'running'));
      await killWorker(daemon);
      assert.deepStrictEqual(w.blocks().map(w.said), ends.map(w.said));
      assert.strictEqual(daemon.json('list').find((s) => s.name === w.name).shell_pid, pid);
    });
  }

  await report.test('a name that finds no room: that is why the session keeps its own', () => {
    assert.strictEqual(daemon.ptyd('open', 'named').status, 0);
    disk.fill();
    const { status, stderr } = daemon.ptyd('rename', 'named', 'other');
    disk.free();
    assert.deepStrictEqual([status, stderr], [1, 'ptyd: session named keeps its name: No space left on device\n']);
    for (const args of [['rename', 'named', 'other'], ['close', 'other']]) assert.strictEqual(daemon.ptyd(...args).status, 0);
  });

  if (fs.existsSync('/usr/bin/zsh'))
    await report.test('the runtime directory is full: a shell whose script finds no room there is not started, and where that was is said', async () => {
      const own = workspace(), small = new Disk(path.join(own.root, 'runtime'));
      own.env.PTYD_SOCKET = path.join(small.place, 'ptyd/ptyd.sock');
      const other = await new Daemon(own).ready();
      small.fill();
      const { status, stderr } = other.ptyd('open', 'z', '--shell', '/usr/bin/zsh');
      assert.deepStrictEqual([status, stderr], [1, `ptyd: cannot prepare session z in ${small.place}/ptyd/shells: No space left on device\n`]);
      small.free();
      assert.strictEqual(other.ptyd('open', 'z', '--shell', '/usr/bin/zsh').status, 0);
      await other.stop();
      assert.strictEqual(spawnSync('umount', [small.place]).status, 0);
      removeWorkspace(own);
    });

  await report.test('receipts that wait for room outlive the worker, and come once', async () => {
    const w = new Witness(daemon, 'told', 'bash'), control = new Control(space.env.PTYD_SOCKET);
    const file = path.join(disk.place, 'receipts.jsonl'), leases = [], kept = [];
    const told = () => daemon.json('explain').map(({ lease }) => lease).filter((lease) => leases.includes(lease));
    const written = () => [`${file}.1`, file].filter((name) => fs.existsSync(name)).flatMap((name) => fs.readFileSync(name, 'utf8').split('\n'))
      .filter(Boolean).map((line) => JSON.parse(line).lease).filter((lease) => leases.includes(lease));
    disk.fill();
    fs.appendFileSync(file, ''); // it is there
    for (let i = 0; i < 6; i++) {
      w.run('echo it', 'it\n');
      disk.fill();
      const { result } = await control.call('context.take', { session: w.name, consumer: 'codex:t', expires: true });
      leases.push(result.lease);
      kept.push(result.receipt);
      if (i % 2) await killWorker(daemon);
      disk.fill();
      await control.call('context.commit', { lease: result.lease, receipt: result.receipt, turn_id: `turn-${i}` });
      disk.fill();
      assert.deepStrictEqual(told(), leases);
    }
    assert.ok(written().length < leases.length, 'the disk is full');
    await killWorker(daemon);
    disk.fill();
    assert.deepStrictEqual(told(), leases);
    // Who heard no answer says it again.
    await control.call('context.commit', { lease: leases.at(-1), receipt: kept.at(-1), turn_id: 'turn-5' });
    disk.free();
    await until('they are written', () => written().length >= leases.length);
    await whole(w);
    await killWorker(daemon);
    assert.deepStrictEqual(written(), leases);
    assert.deepStrictEqual(told(), leases);
    assert.strictEqual(daemon.ptyd('explain', 'turn-5', '--json').status, 0);
  });

  await report.test('a command whose end nobody could write, and whose worker died: it runs no more', async () => {
    for (const shell of ['bash', 'dash']) {
      const w = new Witness(daemon, `end-${shell}`, shell), go = path.join(space.root, `end-${shell}`);
      const limit = (bytes) => spawnSync('prlimit', [`--pid=${daemon.json('status').worker_pid}`, `--fsize=${bytes}:`]);
      for (let i = 0; i < 3; i++) w.run('seq 1 3000');
      limit(fs.statSync(path.join(w.directory, 'output.raw')).size); // blocks.jsonl is smaller
      const { line } = w.command(waitFor(go).replace(/^sh -c '|'$/g, ''));
      daemon.ptyd('send', '-s', w.name, `${line}\r`);
      await until('its begin is written', () => w.lines('blocks.jsonl').at(-1).seq === 4);
      limit(10);
      fs.writeFileSync(go, '');
      await until('it ends', () => w.blocks().at(-1).exit_code === 4);
      await killWorker(daemon);
      const { seq, status, exit_code: code } = w.blocks().at(-1);
      assert.deepStrictEqual([seq, status, code], [4, 'abandoned', null]);
      w.run('echo then', 'then\n');
      assert.deepStrictEqual(w.readFiles().map(w.said).filter((text) => !text.endsWith('null')), w.did().filter((text) => !text.startsWith('4 ')));
    }
  });

  await report.test('no descriptor is left by which a keeper could hold what waits: it is said, and it holds it once there is one', async () => {
    const w = new Witness(daemon, 'unkept', 'bash'), { keeper_pid: keeper } = daemon.json('status');
    const limit = (files) => assert.strictEqual(spawnSync('prlimit', [`--pid=${keeper}`, `--nofile=${files}:`]).status, 0);
    const [, before] = /Max open files +(\d+)/.exec(fs.readFileSync(`/proc/${keeper}/limits`, 'utf8'));
    const said = () => fs.readFileSync(path.join(space.root, 'daemon.log'), 'utf8').match(/session unkept: .* would be lost with the worker/g)?.length;
    const warned = () => w.warned().some((text) => /would be lost with ptyd's worker/.test(text));
    w.run('echo before', 'before\n');
    const used = fs.readdirSync(`/proc/${keeper}/fd`).map(Number);
    limit(Array.from({ length: used.length + 1 }, (_, fd) => fd).find((fd) => !used.includes(fd)));
    disk.fill();
    w.run('seq 1 300');
    disk.fill();
    w.run('seq 1 300');
    await until('it is said', () => said() && warned());
    w.run('echo then', 'then\n');
    assert.strictEqual(said(), 1);
    limit(before);
    await until('it holds it', () => !warned());
    await killWorker(daemon);
    assert.deepStrictEqual(w.blocks().map(w.said), w.did());
    disk.free();
    await whole(w);
    w.run('echo after', 'after\n');
    assert.deepStrictEqual(w.readFiles().map(w.said), w.did());
  });

  await report.test('a follower that comes back hears of blocks that wait for a full disk, once, and how many found no room', async () => {
    const w = new Witness(daemon, 'followed', 'bash'), [{ seq: heard }] = (w.run('echo before', 'before\n'), w.blocks().slice(-1));
    const wanted = (from, to) => Array.from({ length: to - from }, (_, i) => ['begin', 'end'].map((what) => `agent_block_${what} ${from + i + 1}`)).flat();
    // All it hears, up to the end of a command that runs when it has begun.
    const follow = async (after) => {
      const told = [], socket = net.connect(space.env.PTYD_SOCKET);
      let rest = '';
      socket.on('error', () => {}).setEncoding('utf8').on('data', (data) => {
        const lines = (rest + data).split('\n');
        rest = lines.pop();
        told.push(...lines.map((line) => JSON.parse(line)).map((m) => (m.method ? m.params : { type: 'answer' })));
      });
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'events.follow', params: { after: { [w.name]: [after, after] } } })}\n`);
      await until('it follows', () => told.some(({ type }) => type === 'answer'));
      w.run('echo last', 'last\n');
      const { seq: last } = w.blocks().at(-1);
      await until('the last end', () => told.some((e) => e.type === 'agent_block_end' && e.conversation_id === w.name && e.block.seq === last));
      socket.destroy();
      const lost = told.filter((e) => e.type === 'events_lost' && !('number' in e)); // those with a number are no blocks'
      return { last, lost, told: told.filter((e) => e.block && e.conversation_id === w.name).map((e) => `${e.type} ${e.block.seq}`) };
    };
    disk.fill();
    for (let i = 0; i < 4; i++) w.run('echo full', 'full\n');
    assert.match(w.warned().find((text) => /wait in memory/.test(text)), /No space left/);
    const living = await follow(heard);
    assert.deepStrictEqual([living.told, living.lost], [wanted(heard, living.last), []]);
    await killWorker(daemon);
    const next = await follow(heard + 2);
    assert.deepStrictEqual([next.told, next.lost], [wanted(heard + 2, next.last), []]);
    for (let i = 0; i < 15; i++) w.run(`: ${'x'.repeat(20000)}`, '');
    assert.ok(w.warned().some((text) => /found no room in memory/.test(text)));
    const dropped = await follow(heard), lost = dropped.lost.reduce((sum, { count }) => sum + count, 0);
    assert.ok(lost > 0);
    assert.strictEqual(lost + dropped.told.length, 2 * (dropped.last - heard));
    disk.free();
    await until('what found room is written', () => !w.warned().some((text) => /wait in memory/.test(text)));
    const then = await follow(dropped.last - 1);
    assert.deepStrictEqual([then.told, then.lost], [wanted(dropped.last - 1, then.last), []]);
  });

  await report.test('what a killed worker stored and did not come to tell is told by the next', async () => {
    const w = new Witness(daemon, 'untold', 'bash'), events = path.join(w.directory, 'events.jsonl');
    for (let i = 0; i < 3; i++) w.run('echo it', 'it\n');
    const whole = fs.readFileSync(events, 'utf8').split('\n');
    const kinds = () => w.lines('events.jsonl').filter((e) => e.block).map((e) => `${e.type} ${e.block.seq} ${e.block.exit_code}`);
    const wanted = kinds();
    for (const lines of [1, 2, 3, 4]) { // of one command: begin, delta, end
      fs.writeFileSync(events, `${whole.slice(0, -1 - lines).join('\n')}\n`);
      await killWorker(daemon);
      assert.deepStrictEqual(kinds(), wanted, `${lines} lines`);
    }
    w.run('echo more', 'more\n');
    assert.deepStrictEqual(w.readFiles().map(w.said), w.did());
  });

  await report.test('no inode is left: the same', async () => {
    const w = new Witness(daemon, 'inodes', 'bash');
    w.run('echo one', 'one\n');
    await until('a directory lies ready', () => fs.existsSync(path.join(space.env.PTYD_STATE_DIR, 'spare')));
    disk.fillInodes();
    for (let i = 0; i < 4; i++) w.run('echo two', 'two\n');
    assert.match(w.warned().join('\n'), /since .* cannot be written: No space left on device/);
    assert.deepStrictEqual(w.blocks().map(w.said), w.did());
    assert.deepStrictEqual(daemon.ptyd('open', 'in-what-is-ready').stderr, '');
    const answer = daemon.ptyd('open', 'one-more');
    assert.match(answer.stderr, /cannot start session one-more: .*No space left on device/);
    disk.free();
    await whole(w);
    assert.deepStrictEqual(w.readFiles().map(w.said), w.did());
    for (const { output_path: file } of w.blocks().slice(1)) assert.strictEqual(fs.readFileSync(path.join(w.directory, file), 'utf8'), 'two\n');
  });

  assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
  spawnSync('umount', [space.env.PTYD_STATE_DIR]);
  removeWorkspace(space);
  report.finish();
}

if (process.argv[2] === 'inside') {
  main().catch((error) => { console.error(error); process.exit(1); });
} else {
  const status = enterNamespace();
  if (status === null) new Report().skip('disk: all of it', 'no mount namespace with a tmpfs can be had here (unshare -m, unshare -rm)');
  else process.exitCode = status;
}
