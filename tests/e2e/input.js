// What is typed into a session: answered when the terminal has it, never typed twice, and whoever asked
// hears what became of it. The programs write down what they read.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, PTYD, until } = require('./harness');
const { Connection } = require('./connection');

const ROUNDS = Number(process.env.ROUNDS || 3);

// Numbered words, so that one that is missing, twice or out of place shows.
const words = (bytes) => Array.from({ length: Math.ceil(bytes / 8) }, (_, i) => `${1e6 + i} `).join('').slice(0, bytes);

async function main() {
  const report = new Report({ limit: 100 * ROUNDS });
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  let readers = 0;

  const kill = () => process.kill(daemon.json('status').worker_pid, 'SIGKILL');
  const last = (name) => daemon.json('blocks', '-s', name).at(-1);

  // Reads `size` bytes every `pause` ms, once GO is there, and writes them to FILE, until a q comes. Behind
  // `stop` bytes it waits until ON is there.
  fs.writeFileSync(path.join(space.root, 'reader.js'), `const fs = require('node:fs');
    const [file, size, pause, stop] = [process.argv[2], ...process.argv.slice(3).map(Number)];
    const wait = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    const buffer = Buffer.alloc(size);
    fs.writeFileSync(file, '');
    fs.writeFileSync(file + '.ready', '');
    while (!fs.existsSync(file + '.go')) wait(5);
    for (let all = 0;;) {
      while (all >= stop && !fs.existsSync(file + '.on')) wait(5);
      const n = fs.readSync(0, buffer, 0, size);
      all += n;
      fs.appendFileSync(file, buffer.subarray(0, n));
      if (buffer.subarray(0, n).includes('q')) break;
      wait(pause);
    }`);

  // Starts it in session NAME, behind `first`; `read` is what it has read, `finish` ends it and gives all of it.
  async function reader(name, size, pause, stop = Infinity, first = ':') {
    const file = path.join(space.root, `read-${readers++}`);
    await until('the session', () => daemon.ptyd('open', name).status === 0);
    daemon.ptyd('send', '-s', name, `${first}; stty raw -echo; ${process.execPath} ${space.root}/reader.js ${file} ${size} ${pause} ${stop}; stty sane\r`);
    await until('it waits', () => fs.existsSync(`${file}.ready`));
    const read = () => fs.readFileSync(file, 'latin1');
    return {
      read,
      go: () => fs.writeFileSync(`${file}.go`, ''),
      finish: async () => {
        for (const sign of ['go', 'on']) fs.writeFileSync(`${file}.${sign}`, '');
        await until('the q is typed', () => daemon.ptyd('send', '-s', name, 'q').status === 0);
        await until('it was read', () => read().includes('q'), 60000);
        await until('the prompt is back', () => last(name).status === 'completed');
        return read().replace('q', '');
      },
    };
  }

  function send(name, text) {
    const child = spawn(PTYD, ['send', '-s', name, text], { env: space.env, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (data) => { stderr += data; });
    return new Promise((resolve) => child.on('close', (status) => resolve({ status, stderr })));
  }

  await report.test('60,000 bytes to a program that reads slowly, the worker killed meanwhile: nothing twice, and the caller is told', async () => {
    const text = words(60000), seen = new Set();
    for (let round = 0; round < ROUNDS; round++) {
      // With what the terminal holds, what it stops behind is not all of it; in between no kill may be in time.
      const enough = Math.floor(Math.random() * 40000);
      const program = await reader('slow', 300, 1, round % 2 ? Infinity : enough);
      program.go();
      const sent = send('slow', text);
      await until('some of it is read', () => program.read().length >= enough, 60000);
      kill();
      const { status, stderr } = await sent;
      const arrived = await program.finish();
      assert.ok(text.startsWith(arrived), 'in order, nothing twice');
      const told = stderr.match(/of 60000 bytes (\d+) were typed(?:, (\d+) more may or may not)?/);
      seen.add(told ? 'a part' : 'all');
      if (told) {
        assert.strictEqual(status, 1);
        const least = Number(told[1]), most = least + Number(told[2] || 0);
        assert.ok(least <= arrived.length && arrived.length <= most, `${least} <= ${arrived.length} <= ${most}`);
      } else {
        assert.ok(status === 0 && (!stderr || /all 60000 bytes were typed/.test(stderr)), `${status} ${stderr}`);
        assert.strictEqual(arrived.length, 60000);
      }
    }
    assert.ok(seen.has('a part'), 'a kill came in time');
  });

  await report.test('pieces, answered one by one, the worker killed meanwhile: what was answered arrives, in order, once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const program = await reader('pieces', 300, 1);
      const text = words(60000);
      const connection = new Connection(space);
      program.go();
      let acknowledged = 0;
      for (let at = 0; at < text.length; at += 500)
        connection.type('pieces', text.slice(at, at + 500), { token: 1 + at }).then((answer) => { acknowledged += answer?.result?.typed || 0; });
      const enough = Math.floor(Math.random() * 50000);
      await until('some of it is read', () => program.read().length >= enough, 60000);
      kill();
      await connection.closed;
      const next = Math.floor(acknowledged / 500) * 500;
      await until('another worker', () => daemon.ptyd('status').status === 0);
      const again = new Connection(space);
      const { result } = await again.call('session.typed', { name: 'pieces', token: 1 + next });
      again.end();
      const arrived = await program.finish();
      assert.ok(text.startsWith(arrived), 'in order, nothing twice');
      assert.ok(acknowledged <= arrived.length, `${acknowledged} answered, ${arrived.length} arrived`);
      // of the first that was not answered the daemon knows how far it came
      const beyond = arrived.length - next;
      if (acknowledged < text.length && beyond <= 500)
        assert.ok(result.typed <= beyond && beyond <= result.typed + result.in_doubt, `${JSON.stringify(result)}, ${beyond} arrived`);
    }
  });

  await report.test('what does not fit is refused whole; the rest waits and arrives; who goes away takes back what is his', async () => {
    const program = await reader('full', 65536, 0);
    const connection = new Connection(space), leaving = new Connection(space);
    const texts = Array.from({ length: 12 }, (_, i) => words(90000).replace(/^/, `${i}:`));
    const left = leaving.type('full', 'x'.repeat(100000));
    await leaving.call('status.short'); // what came before it is in the queue
    const answers = texts.map((text) => connection.type('full', text));
    // ten fit beside those of the one that leaves
    for (const { error } of await Promise.all(answers.slice(10))) {
      assert.strictEqual(error.code, -32002);
      assert.match(error.message, /nothing was typed: session full does not read; there is room for \d+ bytes/);
    }
    const run = daemon.ptyd('run', '-s', 'full', '--timeout', '1', '--', 'echo no');
    assert.strictEqual(run.status, 124, 'it waits for a prompt');
    leaving.end();
    assert.strictEqual(await left, null);
    program.go();
    const typed = (await Promise.all(answers)).map((answer) => answer.result?.typed);
    connection.end();
    const arrived = await program.finish();
    const kept = arrived.match(/^x*/)[0].length;
    assert.ok(kept < 100000, `${kept} of 100000 were typed before it went`);
    assert.strictEqual(typed.filter((n) => n === undefined).length, 2);
    assert.ok(arrived.slice(kept) === texts.filter((_, i) => typed[i]).join(''), 'what was answered, in order');
  });

  await report.test('a time that ends, a shell that ends: the caller hears how much was typed', async () => {
    const program = await reader('late', 65536, 0);
    const connection = new Connection(space), text = words(200000);
    const { error } = await connection.type('late', text, { timeout_ms: 50 });
    assert.strictEqual(error.code, -32003);
    assert.match(error.message, /^\d+ of 200000 bytes were typed, the rest was not: session late did not read it in time$/);
    assert.strictEqual(await program.finish(), text.slice(0, error.data.typed));

    await reader('late', 65536, 0);
    const waits = connection.type('late', text, { token: 77 });
    await connection.call('status.short');
    process.kill(daemon.json('list').find(({ name }) => name === 'late').shell_pid, 'SIGKILL');
    const ended = await waits;
    assert.strictEqual(ended.error.code, -32003);
    assert.match(ended.error.message, /the rest was not: session late /);
    const known = await connection.call('session.typed', { name: 'late', token: 77 });
    assert.deepStrictEqual(known.result, { begun: true, typed: ended.error.data.typed, in_doubt: 0, never: false });
    const after = await connection.type('late', 'x');
    assert.deepStrictEqual([after.error.code, after.error.data], [-32003, { typed: 0 }]);
    const sent = daemon.ptyd('send', '-s', 'late', 'echo no');
    assert.strictEqual(sent.status, 1);
    assert.match(sent.stderr, /0 of 7 bytes were typed, the rest was not: session late has ended/);
    connection.end();
  });

  await report.test('send --timeout: a terminal that reads nothing, a daemon that does not answer; 124, and what is known', async () => {
    const program = await reader('timed', 65536, 0), text = words(100000);
    const late = daemon.ptyd('send', '-s', 'timed', '--timeout', '0.3', text);
    assert.strictEqual(late.status, 124);
    const [, typed] = /: (\d+) of 100000 bytes were typed, the rest was not: session timed did not read it in time/.exec(late.stderr);
    assert.strictEqual(await program.finish(), text.slice(0, typed));
    daemon.ptyd('open', 'reads');
    assert.strictEqual(daemon.ptyd('send', '-s', 'reads', '--timeout', '20', ':\r').status, 0);
    const { worker_pid: worker } = daemon.json('status');
    process.kill(worker, 'SIGSTOP');
    const unheard = daemon.ptyd('send', '-s', 'reads', '--timeout', '0.3', ':');
    process.kill(worker, 'SIGCONT');
    assert.strictEqual(unheard.status, 124);
    assert.match(unheard.stderr, /after 0\.3 s 1 bytes may or may not have been typed/);
    assert.strictEqual(daemon.ptyd('send', '-s', 'reads', '--timeout', 'soon', ':').status, 2);
  });

  await report.test('a paste that is taken back, for nobody reads it, has an end', async () => {
    const program = await reader('pasted', 65536, 0, Infinity, "printf '\\e[?2004h'"), text = words(50000);
    assert.strictEqual(daemon.ptyd('send', '-s', 'pasted', '--timeout', '0.3', '--hex', Buffer.from(`\x1b[200~${text}\x1b[201~`).toString('hex')).status, 124);
    const [, got] = /^\x1b\[200~([^]*)\x1b\[201~$/.exec(await program.finish());
    assert.strictEqual(got, text.slice(0, got.length));
  });

  assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
