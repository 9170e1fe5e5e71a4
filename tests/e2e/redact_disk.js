// `redact_disk`: when a command has ended no secret of it is in a file below the state directory, in bash, zsh, fish and
// dash, whoever died meanwhile; nor of sessions from before the setting. What is shown of it says [redacted:...].
// LONG=1: a worker dies at every change of a file.
'use strict';
const assert = require('node:assert');
const crypto = require('node:crypto');
const { spawn, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const { PTYD, workspace, removeWorkspace, Daemon, Report, Control, until, waitFor, killWorker } = require('./harness');
const { Terminal } = require('./script');

const here = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const random = (count, from) => Array.from(crypto.randomBytes(count), (byte) => from[byte % from.length]).join('');
const ALNUM = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const token = () => `ghp_${random(36, ALNUM)}`;
const base64 = (count) => crypto.randomBytes(count).toString('base64');

// What somebody reads: texts with secrets in them, and which bytes of each may be nowhere.
function texts() {
  const wrapped = token(), coloured = token(), titled = token(), corrected = token(), drawn = token();
  const aws = { id: `AKIA${random(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`, key: random(40, ALNUM), session: random(120, ALNUM) };
  const pem = Array.from({ length: 12 }, () => base64(48)), broken = token();
  return {
    wrap: { text: `${'.'.repeat(60)} ${wrapped} and on\n`, secrets: [wrapped] },
    colour: { text: `token: \x1b[1m${coloured.slice(0, 17)}\x1b[31m${coloured.slice(17)}\x1b[m.\n`, secrets: [coloured.slice(0, 17), coloured.slice(17)] },
    title: { text: `\x1b]2;deploy ${titled}\x07done\n`, secrets: [titled] },
    correct: { text: `wait: ${corrected}\rover: ${'-'.repeat(40)}\n${'.'.repeat(20)}\r${drawn} 10%\r${' '.repeat(60)}\rready\n`, secrets: [corrected, drawn] },
    env: { text: `HOME=/root\nAWS_ACCESS_KEY_ID=${aws.id}\nAWS_SECRET_ACCESS_KEY=${aws.key}\nAWS_SESSION_TOKEN=${aws.session}\nLANG=C\n`, secrets: [aws.key, aws.session] },
    pem: { text: `-----BEGIN RSA PRIVATE KEY-----\n${pem.join('\n')}\n-----END RSA PRIVATE KEY-----\nthat was it\n`, secrets: pem },
    edge: { text: `${'.'.repeat(59)} ${broken.slice(0, 20)}\n${broken.slice(20)}\nbehind\n`, secrets: [broken] },
    much: { text: Array.from({ length: 30000 }, (_, i) => `line ${i} of what is no secret at all\n${i % 10000 === 5000 ? `password=${wrapped.slice(4, 24)}\n` : ''}`).join(''), secrets: [wrapped.slice(4, 24)] },
  };
}

async function main() {
  const report = new Report();
  const space = workspace(), refusal = path.join(space.root, 'refusal'), dies = path.join(space.root, 'dies');
  Object.assign(space.env, { LD_PRELOAD: path.resolve(path.dirname(PTYD), 'faults.so'), ASAN_OPTIONS: 'verify_asan_link_order=0', FAULT_WRITES: refusal, FAULT_DIES: dies });
  const state = space.env.PTYD_STATE_DIR, settings = path.join(space.home, '.config/ptyd/ptyd.conf');
  const samples = texts();
  for (const [name, { text }] of Object.entries(samples)) fs.writeFileSync(path.join(space.home, `${name}.txt`), text);
  const all = Object.values(samples).flatMap(({ secrets }) => secrets);
  fs.mkdirSync(path.dirname(settings), { recursive: true });
  let daemon = await new Daemon(space).ready();

  const ok = (...args) => { const answer = daemon.ptyd(...args); assert.strictEqual(answer.status, 0, `${args}: ${answer.stdout}${answer.stderr}`); return answer.stdout; };
  const blocks = (session) => daemon.json('blocks', '-s', session);
  // The files that have one of them, and how it stands there.
  const kept = (secrets) => spawnSync('grep', ['-raoF', ...secrets.flatMap((one) => ['-e', one]), '--', state], { encoding: 'utf8', maxBuffer: 1 << 28 }).stdout.split('\n').filter(Boolean).map((line) => line.slice(state.length));
  const gone = (secrets) => until('none is there', () => kept(secrets).length === 0, 20000)
    .catch(() => assert.deepStrictEqual([...new Set(kept(secrets))], []));
  // Types a line, and waits until it has ended.
  const type = async (session, line) => {
    await until('a prompt', () => daemon.json('list').find((s) => s.name === session).state === 'prompt');
    const before = blocks(session).length;
    ok('send', '-s', session, `${line}\r`);
    await until(`it ends: ${line.slice(0, 60)}`, () => blocks(session).length > before && blocks(session).at(-1).status !== 'running');
    return blocks(session).at(-1);
  };
  const verify = () => assert.match(ok('verify'), / 0 of them damaged/);
  const shells = ['bash', 'zsh', 'fish', 'dash'].filter((shell) => here(shell) || report.skip(`${shell}: no secret stays in a file`, 'it is not on this machine'));

  // ---- before the setting ----

  await report.test('without the setting files have what was shown', async () => {
    ok('open', 'before');
    for (const name of Object.keys(samples)) await type('before', `cat ~/${name}.txt`);
    await type('before', `export GITHUB_TOKEN=${samples.wrap.secrets[0]}`);
    ok('search', 'secret');
    assert.ok(kept(samples.env.secrets).length > 2);
    ok('open', 'lives');
    await type('lives', 'cat ~/env.txt; cat ~/pem.txt');
    ok('close', 'before');
    assert.strictEqual(daemon.json('status').redact_disk, false);
  });

  await report.test('switched on, what was there goes: of a session that is closed and of one that lives on', async () => {
    const beside = token(), key = path.join(state, 'relay/identity.json');
    for (const name of ['hooks', 'hosts', 'relay']) fs.mkdirSync(path.join(state, name), { recursive: true, mode: 0o700 });
    for (const name of ['hooks/x.json', 'hosts/x.jsonl.damaged-1700000000000']) fs.writeFileSync(path.join(state, name), `{"consumer":"${beside}"}`);
    fs.writeFileSync(key, `{"key":"${beside.slice(4)}"}`);
    fs.writeFileSync(settings, `redact_disk = on\nredact = key ${beside.slice(4)}\n`);
    await type('lives', 'true'); // whose end has the settings looked at
    await gone([beside]);
    assert.strictEqual(fs.readFileSync(key, 'utf8'), `{"key":"${beside.slice(4)}"}`, 'a key of the relay is none that was shown');
    for (const name of ['hooks', 'hosts', 'relay']) fs.rmSync(path.join(state, name), { recursive: true });
    assert.strictEqual(daemon.json('status').redact_disk, true);
    assert.match(ok('status'), /secrets are taken out of files/);
    await gone(all);
    verify();
    assert.strictEqual(blocks('lives').at(-2).status, 'completed');
    assert.ok(blocks('lives').at(-2).preview.lines.some((line) => line.includes('[redacted:')));
    await type('lives', 'echo it lives');
    assert.strictEqual(daemon.ptyd('search', samples.env.secrets[0]).status, 1);
    assert.match(ok('search', 'redacted'), /redacted/);
  });

  await report.test('what a full disk kept a worker without the setting from writing goes when it is written', async () => {
    const late = token(), wrong = ({ warnings }) => warnings.some((one) => one.includes('lives') && one.includes('No space left'));
    fs.writeFileSync(settings, '');
    await killWorker(daemon);
    assert.strictEqual(daemon.json('status').redact_disk, false);
    fs.writeFileSync(refusal, '28');
    ok('send', '-s', 'lives', `echo ${late}\r`);
    await until('it waits', () => wrong(daemon.json('status')) && daemon.json('list').find((s) => s.name === 'lives').state === 'prompt');
    fs.writeFileSync(settings, 'redact_disk = on\n');
    await until('another worker has the setting', () => daemon.json('status').redact_disk);
    const { worker_pid: with_it } = daemon.json('status');
    fs.rmSync(refusal);
    await until('one goes through what was written', () => daemon.json('status').worker_pid !== with_it);
    await gone([late, late.slice(4, 24), late.slice(24)]);
    assert.strictEqual(blocks('lives').at(-1).cmd, 'echo [redacted:github-token]');
    verify();
    const { worker_pid: last } = daemon.json('status');
    await type('lives', 'echo once more');
    await new Promise((resolve) => setTimeout(resolve, 2500));
    assert.strictEqual(daemon.json('status').worker_pid, last, 'and no further one');
  });

  // ---- with it ----

  for (const shell of shells)
    await report.test(`${shell}: no secret stays in a file`, async () => {
      const name = `in-${shell}`, typed = token(), option = random(20, ALNUM), long = token(), named = token();
      const set = shell === 'fish' ? `set -x GITHUB_TOKEN ${typed}` : `export GITHUB_TOKEN=${typed}`;
      ok('open', name, '--shell', shell);
      for (const sample of Object.keys(samples)) await type(name, `cat ~/${sample}.txt`);
      const exported = await type(name, set);
      const tool = await type(name, `mysql -u root -p${option} shop`);
      await type(name, `: ${'a long line '.repeat(9)}${long} behind`);
      await type(name, `: ${'word '.repeat(240)}${named}`);
      const keyed = token(), viewer = new Terminal(space.env, `${PTYD} attach ${name}`), before = blocks(name).length;
      await viewer.prompt();
      for (const key of `: one x\u007f ${keyed} two\r`) viewer.type(key);
      await until('it ends', () => blocks(name).length > before && blocks(name).at(-1).status !== 'running');
      ok('detach', name);
      await viewer.ended();
      assert.match(blocks(name).at(-1).cmd, /^: one {1,2}\[redacted:github-token\] two$/);
      const secrets = [...all, typed, option, long, named, ...[typed, long, named, keyed].flatMap((one) => [one.slice(4, 24), one.slice(24)])];
      await gone(secrets);
      verify();
      assert.match(exported.cmd, /GITHUB_TOKEN[ =]\[redacted:/);
      assert.match(tool.cmd, /^mysql -u root -p\[redacted:[^ ]*\] shop$/);
      const [env] = blocks(name).filter(({ cmd }) => cmd.includes('env.txt'));
      assert.ok(env.preview.lines.includes('HOME=/root') && env.preview.lines.some((line) => /^AWS_SECRET_ACCESS_KEY=\[redacted:/.test(line)), env.preview.lines.join());
      assert.match(ok('block', String(env.seq), '-s', name), /AWS_SECRET_ACCESS_KEY=\[redacted:/);
      const [pem] = blocks(name).filter(({ cmd }) => cmd.includes('pem.txt'));
      const lines = ok('block', String(pem.seq), '-s', name);
      assert.ok(lines.includes('[redacted:') && lines.includes('that was it'), lines);
      const [much] = blocks(name).filter(({ cmd }) => cmd.includes('much.txt'));
      const kept_lines = fs.readFileSync(path.join(state, 'conversations', name, 'agent_pty', much.output_path), 'utf8').split('\n');
      assert.deepStrictEqual([kept_lines.length, kept_lines[5001].replace(/:.*/, ''), kept_lines[30002]], [30004, 'password=[redacted', 'line 29999 of what is no secret at all']);
      for (const { seq, output_path: at, output_bytes: bytes } of blocks(name).filter((block) => block.output_path))
        assert.strictEqual(fs.statSync(path.join(state, 'conversations', name, 'agent_pty', at)).size, bytes, `no byte of ${seq} is another one`);
      assert.ok(lines.split('\n').some((line) => /^\[redacted:[^\]]*\] *$/.test(line)), lines);
      assert.strictEqual(daemon.ptyd('search', typed).status, 1);
      assert.match(ok('search', 'AWS_SECRET_ACCESS_KEY', '-s', name), /redacted/);
      assert.strictEqual(daemon.ptyd('rerun', String(tool.seq), '-s', name).status, 125, 'nobody runs what is no command');
      await gone(secrets);
    });

  await report.test('a worker that dies in the midst leaves it to the next', async () => {
    for (const shell of shells) {
      const name = `in-${shell}`, secret = token();
      fs.writeFileSync(path.join(space.home, 'one.txt'), `a ${secret}\n`);
      for (let i = 0; i < 4; i++) {
        ok('send', '-s', name, 'cat ~/much.txt ~/one.txt ~/pem.txt\r');
        await new Promise((resolve) => setTimeout(resolve, 5 + 40 * i));
        await killWorker(daemon);
        await until('a prompt', () => daemon.json('list').find((s) => s.name === name).state === 'prompt');
      }
      await gone([...all, secret]);
    }
    verify();
  });

  await report.test('a shell that ends, and a line that was never run', async () => {
    const left = token(), secret = token();
    ok('send', '-s', 'in-bash', `echo ${left}`);
    await until('it stands there', () => ok('screen', '-s', 'in-bash').includes(left));
    ok('send', '-s', 'in-bash', '\x03');
    await until('a new prompt', () => daemon.json('screen', '-s', 'in-bash').rows.findLast((row) => row) === '$');
    ok('send', '-s', 'in-bash', `exit # ${secret}\r`);
    await until('it is over', () => daemon.json('list').find((s) => s.name === 'in-bash').state === 'exited');
    await gone([left, secret]);
    await daemon.stop();
    await gone([...all, left, secret]);
    daemon = await new Daemon(space).ready();
    verify();
  });

  await report.test('who reads an output while it is gone through misses no line of it', async () => {
    const secret = token(), lines = (i) => (i % 1000 === 500 ? `line ${i} ${secret}` : `line ${i} of it`);
    const all = Array.from({ length: 100000 }, (_, i) => lines(i)), go = path.join(space.home, 'goes-on');
    fs.writeFileSync(path.join(space.home, 'pages.txt'), `${all.join('\n')}\n`);
    ok('open', 'read');
    await until('a prompt', () => daemon.json('list').find((s) => s.name === 'read').state === 'prompt');
    // A run that nobody reads until the files are without it.
    const run = spawn(PTYD, ['run', '-s', 'read', '--', 'cat ~/pages.txt'], { env: space.env, cwd: space.home, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(run, 'close');
    let told = '', wrong = '';
    run.stdout.pause();
    run.stderr.setEncoding('utf8').on('data', (data) => { wrong += data; });
    await until('it ends', () => blocks('read').at(-1)?.status === 'completed');
    await gone([secret]);
    run.stdout.setEncoding('utf8').on('data', (data) => { told += data; }).resume();
    await ended;
    assert.strictEqual(wrong, '');
    const plain = (text) => text.replace(/\[redacted:[^\]]*\] *$/, secret);
    assert.ok(told.includes('[redacted:'), 'the rest came from the file');
    assert.deepStrictEqual(told.split('\n').slice(0, -1).map(plain), all);

    // Pages of a command that runs, and has ended before the last of them.
    await until('a prompt', () => daemon.json('list').find((s) => s.name === 'read').state === 'prompt');
    ok('send', '-s', 'read', `cat ~/pages.txt; ${waitFor(go)}\r`);
    await until('it runs', () => blocks('read').at(-1).status === 'running');
    const { block_id: block } = blocks('read').at(-1), control = new Control(space.env.PTYD_SOCKET), page = async (offset) => (await control.ask('session.output', { name: 'read', block, offset, limit: 1000 })).result;
    await until('it has printed all', async () => (await page(99999))?.lines[0]?.startsWith('line 99999'));
    const seen = [];
    let next = 0;
    for (; next !== null && next < 50000;) { const one = await page(next); seen.push(...one.lines); next = one.next; }
    fs.writeFileSync(go, '');
    await until('it ends', () => blocks('read').at(-1).status !== 'running');
    await gone([secret]);
    for (; next !== null;) { const one = await page(next); seen.push(...one.lines); next = one.next; }
    control.socket.destroy();
    assert.deepStrictEqual(seen.slice(0, 100000).map(plain), all);
  });

  await report.test('a session that is new has nothing that the index could have: it stays', async () => {
    const place = path.join(state, 'search.db'), done = (seq) => until(`${seq} is gone through`, () => JSON.parse(fs.readFileSync(path.join(state, 'conversations/fresh/agent_pty/redacted.json'), 'utf8')).seq >= seq);
    ok('search', 'redacted');
    const { ino } = fs.statSync(place);
    ok('open', 'fresh');
    for (const seq of [1, 2]) {
      await type('fresh', 'echo it is new');
      await done(seq);
    }
    assert.strictEqual(fs.statSync(place, { throwIfNoEntry: false })?.ino, ino);
  });

  await report.test("the user's own rules and the shell's own values count", async () => {
    const own = `INT-${random(12, ALNUM)}`, value = random(24, ALNUM);
    fs.writeFileSync(settings, 'redact_disk = on\nredact = internal INT-[A-Za-z0-9]+\n');
    space.env.SOME_SERVICE_TOKEN = value;
    ok('open', 'own');
    delete space.env.SOME_SERVICE_TOKEN;
    fs.writeFileSync(path.join(space.home, 'own.txt'), `number ${own}\nvalue ${value}\n`);
    await type('own', 'cat ~/own.txt');
    await gone([own, value]);
    assert.deepStrictEqual(blocks('own').at(-1).preview.lines, ['number [redacted:internal]', 'value [redacted:env:SOME_SERVICE_TOKEN]']);
  });

  await report.test("a shell and its worker that die together: the shell's own values go, too", async () => {
    const value = random(24, ALNUM), name = 'together', go = path.join(space.root, 'go-together');
    space.env.SOME_SERVICE_TOKEN = value;
    ok('open', name);
    delete space.env.SOME_SERVICE_TOKEN;
    ok('send', '-s', name, `echo "is $SOME_SERVICE_TOKEN"; ${waitFor(go)}; kill -9 ${daemon.json('status').worker_pid} $$\r`);
    await until('it is in a file', () => kept([value]).length > 0);
    fs.writeFileSync(go, '');
    await until('it is over', () => { const list = daemon.ptyd('list', '--json'); return list.status === 0 && JSON.parse(list.stdout).find((s) => s.name === name)?.state === 'exited'; });
    await gone([value]);
  });

  await report.test('what waited for room on the disk is gone through when there is some', async () => {
    const typed = token(), closed = token(), directory = path.join(state, 'conversations/before/agent_pty');
    const log = path.join(space.root, 'daemon.log'), said = /secrets stay in files of session before: No space left/;
    fs.writeFileSync(path.join(space.home, 'room.txt'), `a ${typed}\n`);
    fs.rmSync(path.join(directory, 'redacted.json'));
    fs.appendFileSync(path.join(directory, 'events.jsonl'), `{"type":"agent_block_end","block":{"cmd":"x ${closed}"}}\n`);
    fs.writeFileSync(refusal, '28');
    ok('send', '-s', 'own', 'cat ~/room.txt\r');
    await until('it was shown', () => ok('screen', '-s', 'own').includes(typed));
    await until('a prompt', () => daemon.json('list').find((s) => s.name === 'own').state === 'prompt');
    await killWorker(daemon);
    await until('it is said', () => said.test(fs.readFileSync(log, 'utf8')));
    fs.rmSync(refusal);
    await until('it is written', () => blocks('own').at(-1).cmd.includes('room.txt'));
    await gone([typed, closed]);
    verify();
  });

  await report.test('a worker dies at a change of a file: no half of a secret stays', async () => {
    const some = [1, 3, 6, 9, 12, 16, 20], lines = Array.from({ length: 8 }, token);
    const answered = (ask) => { try { return ask(); } catch { return false; } }; // the next worker comes after a moment
    let died = true;
    ok('open', 'dies'); // of a line that is half written the file is set aside
    for (let i = 0; process.env.LONG ? died : i < some.length; i++) {
      const at = process.env.LONG ? i + 1 : some[i], many = [...lines, token()], parts = many.flatMap((one) => [one, one.slice(4, 24), one.slice(24)]);
      fs.writeFileSync(path.join(space.home, 'many.txt'), many.map((one) => `between ${'what is none '.repeat(20)}\nand ${one}\n`).join(''));
      const { length } = blocks('dies');
      await until('a prompt', () => daemon.json('list').find((s) => s.name === 'dies').state === 'prompt');
      fs.writeFileSync(dies, `-${at}`);
      ok('send', '-s', 'dies', `cat ~/many.txt; : ${many[0]}\r`);
      await until('it ends', () => answered(() => blocks('dies').length > length && blocks('dies').at(-1).status !== 'running'), 30000);
      await gone(parts);
      died = !fs.existsSync(dies);
      fs.rmSync(dies, { force: true });
      await gone(parts);
      for (const name of ['overlay', 'covering']) await until('no note is left', () => !fs.existsSync(path.join(state, `conversations/dies/agent_pty/${name}.json`)));
      if (!process.env.LONG) assert.ok(died, `at ${at}`);
      if (!died) console.log(`  ${at - 1} changes of files`);
    }
    assert.ok(!daemon.json('list').find((s) => s.name === 'dies').quarantined);
  });

  await daemon.stop();
  removeWorkspace(space);
  report.finish();
}

main();
