// Another program in the daemon's place: a later version with a larger table, back to the older one, and
// files that will not do. Whatever happens, every shell stays, with every byte that it printed.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Control, Report, PTYD, until, waitFor, sideBySide } = require('./harness');

const LATER = path.join(path.dirname(PTYD), 'later/ptyd');
const SICK = path.join(path.dirname(PTYD), 'later/sick');
const FORMER = path.join(path.dirname(PTYD), 'later/former');
const versionOf = (program) => spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.trim().split(' ')[1];
const OLD = versionOf(PTYD);
const SHELLS = ['bash', 'zsh', 'fish', 'dash'];

// A daemon that was started from a file of its own, which tests replace.
class Upgraded extends Daemon {
  static async start(program = PTYD) {
    const space = workspace();
    fs.mkdirSync(path.join(space.root, 'bin'));
    const installed = path.join(space.root, 'bin/ptyd');
    install(program, installed);
    const daemon = new Upgraded(space, ':', installed);
    daemon.installed = installed;
    await daemon.ready();
    daemon.keeper = daemon.json('status').keeper_pid;
    return daemon;
  }

  install(file, mode) { install(file, this.installed, mode); }

  // Runs a command without waiting for it here.
  start(...args) {
    return new Promise((resolve) => {
      const child = spawn(PTYD, args, { env: this.space.env, cwd: this.space.home });
      let stdout = '', stderr = '';
      child.stdout.on('data', (data) => { stdout += data; });
      child.stderr.on('data', (data) => { stderr += data; });
      child.on('close', (status) => resolve({ status, stdout, stderr }));
    });
  }

  pids() { return Object.fromEntries(this.json('list').map(({ name, shell_pid: pid }) => [name, pid])); }

  runs(version) {
    const status = this.json('status');
    assert.strictEqual(status.version, version);
    assert.strictEqual(status.keeper_pid, this.keeper);
    return status;
  }

  directory(name) { return path.join(this.space.env.PTYD_STATE_DIR, 'conversations', name, 'agent_pty'); }

  // What events.jsonl says of blocks, each `seq begin` or `seq end`.
  told(name) {
    return fs.readFileSync(path.join(this.directory(name), 'events.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line))
      .filter(({ type }) => /^agent_block_(begin|end)$/.test(type)).map(({ type, block }) => `${block.seq} ${type.slice(12)}`);
  }

  async end() {
    assert.deepStrictEqual(await this.stop(), { code: 0, signal: null });
    removeWorkspace(this.space);
  }
}

// In one step, as packages do it: what runs keeps the file that it was started from.
function install(file, place, mode = 0o755) {
  fs.copyFileSync(file, `${place}.new`);
  fs.chmodSync(`${place}.new`, mode);
  fs.renameSync(`${place}.new`, place);
}

function script(daemon, text) {
  const file = path.join(daemon.space.root, 'script');
  fs.writeFileSync(file, text, { mode: 0o755 });
  return file;
}

// One request on a connection of this process's own.
function ask(daemon, method, params) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(daemon.space.env.PTYD_SOCKET);
    let text = '';
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('closed')));
    socket.on('data', (data) => {
      text += data;
      if (text.includes('\n')) resolve({ ...JSON.parse(text.split('\n')[0]), socket });
    });
    socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`);
  });
}

async function fourShells(report) {
  const daemon = await Upgraded.start();
  const commands = Object.fromEntries(SHELLS.map((shell) => [shell, []]));

  await report.test('four shells open and at work', async () => {
    for (const shell of SHELLS) {
      assert.strictEqual(daemon.ptyd('open', shell, '--shell', shell).status, 0, shell);
      assert.strictEqual(daemon.ptyd('run', '-s', shell, '--', 'sh -c "exit 3"').status, 3);
      commands[shell].push('sh -c "exit 3" 3');
    }
  });

  let round = 0;
  const check = async (file, from, to) => {
    const go = path.join(daemon.space.root, `go-${round += 1}`);
    const running = `${waitFor(go)}; sh -c "exit ${round}"`;
    for (const shell of SHELLS) daemon.ptyd('send', '-s', shell, `${running}\r`);
    await until('they run', () => daemon.json('list').every(({ state }) => state === 'running'));
    const pids = daemon.pids();
    daemon.install(file);
    const upgrade = daemon.ptyd('upgrade');
    assert.deepStrictEqual([upgrade.status, upgrade.stdout, upgrade.stderr], [0, `ptyd ${from} → ${to}, 4 shells kept\n`, '']);
    daemon.runs(to);
    assert.deepStrictEqual(daemon.pids(), pids);
    for (const shell of SHELLS) assert.ok(fs.existsSync(`/proc/${pids[shell]}`), shell);
    fs.writeFileSync(go, '');
    for (const shell of SHELLS) {
      commands[shell].push(`${running} ${round}`);
      await until(`${shell} is done`, () => daemon.json('list').find(({ name }) => name === shell).state === 'prompt');
      assert.strictEqual(daemon.ptyd('run', '-s', shell, '--', 'echo still here').stdout, 'still here\n');
      commands[shell].push('echo still here 0');
    }
    for (const shell of SHELLS) {
      const blocks = daemon.json('blocks', '-s', shell);
      assert.deepStrictEqual(blocks.map(({ cmd, exit_code }) => `${cmd} ${exit_code}`), commands[shell]);
      assert.deepStrictEqual(blocks.map(({ seq }) => seq), blocks.map((_, i) => i + 1));
      assert.deepStrictEqual(daemon.told(shell), blocks.flatMap(({ seq }) => [`${seq} begin`, `${seq} end`]));
    }
  };
  await report.test('to a later version: same processes, each command once with its status', () => check(LATER, OLD, '9.9.9'));
  await report.test('a session opened by the later version, and back to the older one', async () => {
    assert.strictEqual(daemon.ptyd('open', 'new').status, 0);
    assert.strictEqual(daemon.ptyd('run', '-s', 'new', '--', 'seq 1 20000 | tail -n 1').stdout, '20000\n');
    daemon.ptyd('close', 'new');
    daemon.ptyd('open', 'kept');
    daemon.install(PTYD);
    assert.strictEqual(daemon.ptyd('upgrade').stdout, `ptyd 9.9.9 → ${OLD}, 5 shells kept\n`);
    assert.strictEqual(daemon.ptyd('run', '-s', 'kept', '--', 'seq 1 300000').status, 0);
    assert.strictEqual(daemon.json('blocks', '-s', 'kept')[0].output_lines, 300000);
    daemon.ptyd('close', 'kept');
  });
  await report.test('a session whose shell exited stays, readable as it was', async () => {
    const told = () => JSON.stringify([daemon.json('list').find(({ name }) => name === 'over'), daemon.json('blocks', '-s', 'over'), daemon.json('screen', '-s', 'over')]);
    const value = 'correct-horse-battery-staple', asks = new Control(daemon.space.env.PTYD_SOCKET);
    assert.strictEqual(daemon.ptyd('open', 'over', '--env', `A_TOKEN=${value}`).status, 0);
    assert.strictEqual(daemon.ptyd('run', '-s', 'over', '--', 'echo seen "$A_TOKEN"').status, 0);
    daemon.ptyd('send', '-s', 'over', 'exit 4\r');
    await until('it is over', () => daemon.json('list').find(({ name }) => name === 'over').state === 'exited');
    const before = told();
    for (const file of [LATER, PTYD]) {
      daemon.install(file);
      assert.strictEqual(daemon.ptyd('upgrade').status, 0);
      assert.strictEqual(told(), before);
      const { rows } = (await asks.call('session.screen', { name: 'over', agent: true })).result;
      assert.ok(rows.includes('seen [redacted:env:A_TOKEN]') && !rows.join().includes(value), rows.join('\n'));
    }
    asks.socket.destroy();
    assert.strictEqual(daemon.ptyd('close', 'over').status, 0);
  });

  await report.test('there and back once more', async () => {
    await check(LATER, OLD, '9.9.9');
    await check(PTYD, '9.9.9', OLD);
  });
  await report.test('the same version again, and the worker alone', async () => {
    const pids = daemon.pids(), { worker_pid: worker } = daemon.json('status');
    assert.deepStrictEqual(daemon.json('upgrade'), { from: OLD, to: OLD, shells: 4, worker: false, error: null });
    const next = daemon.runs(OLD).worker_pid;
    assert.notStrictEqual(next, worker);
    assert.strictEqual(daemon.ptyd('upgrade', '--worker').stdout, `ptyd ${OLD}: a new worker, 4 shells kept\n`);
    assert.notStrictEqual(daemon.runs(OLD).worker_pid, next);
    assert.deepStrictEqual(daemon.pids(), pids);
  });

  await report.test('leases are kept: what was taken is neither offered again nor lost', async () => {
    const keys = ({ additionalContext = {} }) => Object.keys(additionalContext).filter((key) => /block/.test(key));
    const cli = daemon.json('context', 'take', '--consumer', 'claude:one');
    assert.strictEqual(keys(cli).length, 10);
    const own = await ask(daemon, 'context.take', { consumer: 'codex:two' });
    assert.strictEqual(keys(own.result).length, 10);
    daemon.install(LATER);
    assert.strictEqual(daemon.ptyd('upgrade').status, 0);
    // Of what waits behind the ten some may be had now; of those ten nothing.
    for (const [consumer, taken] of [['claude:one', cli], ['codex:two', own.result]]) {
      const more = keys(daemon.json('context', 'take', '--consumer', consumer));
      assert.deepStrictEqual(keys(taken).filter((key) => more.includes(key)), [], consumer);
    }
    assert.strictEqual(daemon.ptyd('context', 'commit', cli.lease).status, 0);
    const released = await ask(daemon, 'context.release', { lease: own.result.lease });
    assert.strictEqual(released.error, undefined);
    const again = daemon.json('context', 'take', '--consumer', 'codex:two');
    assert.deepStrictEqual(keys(again), keys(own.result));
    for (const key of keys(again)) assert.deepStrictEqual(again.additionalContext[key], own.result.additionalContext[key]);
    const committed = keys(daemon.json('context', 'show', '--consumer', 'claude:one'));
    assert.deepStrictEqual(keys(cli).filter((key) => committed.includes(key)), []);
    released.socket.destroy();
    own.socket.destroy();
  });

  await report.test('status says that the client is another version, and another build, and how to change it', async () => {
    const warnings = (program) => JSON.parse(spawnSync(program, ['status', '--json'], { env: daemon.space.env, encoding: 'utf8' }).stdout).warnings;
    assert.deepStrictEqual(warnings(LATER), []);
    assert.deepStrictEqual(warnings(daemon.installed), []);
    assert.deepStrictEqual(warnings(PTYD), [`the daemon is ptyd 9.9.9, this is ${OLD}; \`ptyd upgrade --binary ${PTYD}\` replaces it and keeps every shell`]);
    assert.deepStrictEqual(warnings(SICK), [`the daemon is another build of ptyd 9.9.9 than this one; \`ptyd upgrade --binary ${SICK}\` replaces it and keeps every shell`]);
    assert.strictEqual(daemon.ptyd('upgrade', '--binary', PTYD).status, 0);
    assert.strictEqual(daemon.runs(OLD).program, PTYD);
  });
  await daemon.end();
}

// Shells that go on printing the marks of the program that started them, which end without their length.
async function formerShells(report) {
  await report.test('shells of a program whose marks had no length: each command with its text, status and directory', async () => {
    const daemon = await Upgraded.start(FORMER);
    const go = path.join(daemon.space.root, 'go'), folder = path.join(daemon.space.root, 'a b;c%41');
    const running = `${waitFor(go)}; sh -c "exit 4"`;
    const { home } = daemon.space;
    fs.mkdirSync(folder);
    for (const shell of SHELLS) {
      daemon.ptyd('open', shell, '--shell', shell);
      assert.strictEqual(daemon.ptyd('run', '-s', shell, '--', 'sh -c "exit 3"').status, 3);
      assert.ok(!/;B;/.test(fs.readFileSync(path.join(daemon.directory(shell), 'output.raw'), 'latin1')), 'a length');
      daemon.ptyd('send', '-s', shell, `${running}\r`);
    }
    await until('they run', () => daemon.json('list').every(({ state }) => state === 'running'));
    const pids = daemon.pids();
    daemon.install(PTYD);
    assert.strictEqual(daemon.ptyd('upgrade').stdout, `ptyd ${OLD} → ${OLD}, 4 shells kept\n`);
    assert.deepStrictEqual(daemon.pids(), pids);
    fs.writeFileSync(go, '');
    for (const shell of SHELLS) {
      const expected = [['sh -c "exit 3"', 3, home], [running, 4, home]];
      await until(`${shell} is done`, () => daemon.json('list').find(({ name }) => name === shell).state === 'prompt');
      for (const [cmd, exit, cwd] of [['echo one; echo two', 0, home], [`cd '${folder}'`, 0, folder], ['sh -c "exit 7"', 7, folder], [': 50%25 is 7', 0, folder]]) {
        assert.strictEqual(daemon.ptyd('run', '-s', shell, '--', cmd).status, exit, `${shell}: ${cmd}`);
        expected.push([cmd, exit, cwd]);
      }
      const blocks = daemon.json('blocks', '-s', shell);
      assert.deepStrictEqual(blocks.map((b) => [b.cmd, b.exit_code, b.cwd_after]), expected, shell);
      assert.ok(blocks.every((b) => b.cmd_source !== 'unknown'), shell);
    }
    assert.strictEqual(daemon.json('status').spoofed_marks, 0);
    await daemon.end();
  });
}

// A flood that goes on while change() is called once with each of `files`: no byte of it is lost.
async function floodDuring(daemon, files, change) {
  const go = path.join(daemon.space.root, 'go'), rounds = path.join(daemon.space.root, 'rounds');
  daemon.ptyd('open', 'flood');
  daemon.ptyd('send', '-s', 'flood', `n=0; until [ -e ${go} ]; do seq 1 100000; n=$((n + 1)); echo $n >${rounds}; done\r`);
  for (const file of files) {
    const before = await until('it floods', () => fs.existsSync(rounds) && fs.readFileSync(rounds, 'utf8'));
    await change(file);
    await until('it floods on', () => fs.readFileSync(rounds, 'utf8') !== before);
  }
  fs.writeFileSync(go, '');
  const block = await until('it ends', () => daemon.json('blocks', '-s', 'flood').find(({ status }) => status === 'completed'), 60000);
  const count = Number(fs.readFileSync(rounds, 'utf8')); // what the command itself counted
  const once = spawnSync('seq', ['1', '100000'], { encoding: 'latin1', maxBuffer: 1 << 28 }).stdout;
  assert.deepStrictEqual([block.output_lines, block.output_bytes], [count * 100000, count * once.length]);
  const file = fs.readFileSync(path.join(daemon.directory('flood'), block.output_path), 'latin1');
  assert.strictEqual(file.length, Math.min(block.output_bytes, 64 << 20));
  assert.ok(once.repeat(count).startsWith(file), 'what its file holds');
}

async function flood(report) {
  const daemon = await Upgraded.start();
  await report.test('a flood across four upgrades loses no byte', () => floodDuring(daemon, [LATER, PTYD, LATER, PTYD], (file) => {
    daemon.install(file);
    assert.strictEqual(daemon.ptyd('upgrade').status, 0);
  }));
  await daemon.end();
}

async function floodStays(report) {
  const daemon = await Upgraded.start();
  await report.test('a flood across four programs that come and fall loses no byte, and every other shell goes on', async () => {
    for (const shell of SHELLS) daemon.ptyd('open', shell, '--shell', shell);
    const pids = daemon.pids();
    await floodDuring(daemon, ['crashes', 'dies', 'exits', 'aborts'], (name) => {
      const place = path.join(daemon.space.root, 'bin', name);
      install(SICK, place);
      const { status, stderr } = daemon.ptyd('upgrade', '--binary', place);
      assert.strictEqual(status, 1, name);
      assert.match(stderr, /crashed|ended|aborted/, name);
      daemon.runs(OLD);
    });
    for (const shell of SHELLS) {
      assert.strictEqual(daemon.pids()[shell], pids[shell]);
      const said = daemon.ptyd('run', '-s', shell, '--', 'sh -c "echo still here; exit 5"');
      assert.deepStrictEqual([said.stdout, said.status], ['still here\n', 5], `${shell}: ${said.stderr}`);
    }
  });
  await daemon.end();
}

// Files that will not do, and what is said of them.
const files = {
  'one that fails': [() => '/bin/false', /ended with status 1/],
  'one that is no ptyd': [() => '/bin/echo', /not what a ptyd says/],
  'a script that ends at once': [(d) => script(d, '#!/bin/sh\nexit 0\n'), /ended with status 0/],
  'one that dies': [(d) => script(d, '#!/bin/sh\nkill -SEGV $$\n'), /signal 11/],
  'one that never answers': [(d) => script(d, '#!/bin/sh\nsleep 100\n'), /no answer within 5 s/],
  'a text': [(d) => script(d, 'just a text\n'), /cannot be executed: Exec format error/],
  'half a program': [(d) => { const file = script(d, ''); fs.writeFileSync(file, fs.readFileSync(LATER).subarray(0, 50000)); return file; }, /./],
  'what may not be executed': [(d) => LATER, /cannot be executed: Permission denied/, 0o644],
  'what others may write': [(d) => LATER, /others may write it; .*chmod go-w/, 0o775],
  'a directory': [(d) => null, /no regular file/],
  'nothing': [(d) => undefined, /No such file or directory/],
  'a keeper that crashes': [(d) => SICK, /it crashed/, 0o755, 'crashes'],
  'a keeper that fills its stack': [(d) => SICK, /it crashed/, 0o755, 'overflows'],
  'a keeper that aborts': [(d) => SICK, /it aborted/, 0o755, 'aborts'],
  'a keeper that ends': [(d) => SICK, /it ended at its start/, 0o755, 'exits'],
  'a keeper that does nothing': [(d) => SICK, /no worker of it was ready in time/, 0o755, 'hangs'],
  'workers that end': [(d) => SICK, /workers ended before they were ready/, 0o755, 'dies'],
  'a worker that is never ready': [(d) => SICK, /no worker of it was ready in time/, 0o755, 'waits'],
};

async function checkFile(daemon, [file, why, mode = 0o755, name = 'ptyd']) {
  const source = file(daemon), place = path.join(daemon.space.root, 'bin', name);
  const go = path.join(daemon.space.root, 'go');
  daemon.ptyd('open', 'one');
  daemon.ptyd('send', '-s', 'one', `${waitFor(go)}; sh -c "exit 9"\r`);
  await until('it runs', () => daemon.json('list')[0].state === 'running');
  daemon.ptyd('open', 'ends');
  const pids = daemon.pids();
  if (source) {
    install(source, place, mode);
  } else {
    fs.rmSync(place);
    if (source === null) fs.mkdirSync(place);
  }
  daemon.ptyd('send', '-s', 'ends', 'sleep 0.2; exit\r'); // a shell that ends meanwhile is not forgotten
  const upgrade = await daemon.start('upgrade', ...(name === 'ptyd' ? [] : ['--binary', place]));
  assert.strictEqual(upgrade.status, 1);
  assert.match(upgrade.stderr, why);
  assert.match(upgrade.stderr, /--binary/);
  const { warnings } = daemon.runs(OLD);
  assert.ok(source === undefined || warnings.some((text) => why.test(text)), String(warnings));
  assert.strictEqual(daemon.pids().one, pids.one);
  await until('the other shell has ended', () => !fs.existsSync(`/proc/${pids.ends}`));
  await until('and that is known', () => daemon.json('list').every(({ name: n, state }) => n === 'one' || state === 'exited'));
  fs.writeFileSync(go, '');
  assert.strictEqual(daemon.ptyd('run', '-s', 'one', '--', 'echo still here').stdout, 'still here\n');
  assert.deepStrictEqual(daemon.json('blocks', '-s', 'one').map(({ exit_code }) => exit_code), [9, 0]);
  // The place can be mended.
  fs.rmSync(place, { recursive: true, force: true });
  daemon.install(LATER);
  const mended = daemon.ptyd('upgrade');
  assert.strictEqual(mended.stdout, `ptyd ${OLD} → 9.9.9, 1 shell kept\n`, mended.stderr);
  assert.deepStrictEqual(daemon.runs('9.9.9').warnings.filter((text) => !/this is/.test(text)), []);
}

const endings = {
  'two at the same time: both are served, or one hears of the other': async (daemon) => {
    daemon.ptyd('open', 'one');
    const pids = daemon.pids();
    for (let i = 0; i < 5; i++) {
      daemon.install(i % 2 ? PTYD : LATER);
      const both = await Promise.all([daemon.start('upgrade'), daemon.start('upgrade')]);
      assert.ok(both.some(({ status }) => status === 0), JSON.stringify(both));
      for (const { status, stderr } of both) assert.ok(status === 0 || /under way/.test(stderr), stderr);
      daemon.runs(i % 2 ? OLD : '9.9.9');
      assert.deepStrictEqual(daemon.pids(), pids);
    }
    await daemon.end();
  },

  'shells that end while the program changes: each is known to have ended, as without': async (daemon) => {
    const names = Array.from({ length: 8 }, (_, i) => `s${i}`);
    const endAll = async (meanwhile) => {
      for (const name of names) daemon.ptyd('open', name, '--shell', 'bash');
      const pids = daemon.pids();
      names.forEach((name, i) => daemon.ptyd('send', '-s', name, `sleep 0.${i}5; exit ${i}\r`));
      await meanwhile();
      await until('all have ended', () => names.every((name) => !fs.existsSync(`/proc/${pids[name]}`)));
      await until('all are known to have', () => daemon.json('list').every(({ name, state }) => !names.includes(name) || state === 'exited'));
      return names.map((name) => fs.readFileSync(path.join(daemon.directory(name), 'blocks.jsonl'), 'utf8').trim().split('\n'))
        .map((lines) => JSON.parse(lines.at(-1))).map(({ status, exit_code }) => [status, exit_code]);
    };
    const without = await endAll(async () => {});
    const during = await endAll(async () => {
      for (let i = 0; i < 4; i++) {
        daemon.install(i % 2 ? LATER : PTYD);
        assert.strictEqual((await daemon.start('upgrade')).status, 0);
      }
    });
    assert.deepStrictEqual(during, without);
    await daemon.end();
  },

  'a worker that takes 7 s to get ready, and gets on': async (daemon) => {
    daemon.ptyd('open', 'one');
    const pids = daemon.pids(), place = path.join(daemon.space.root, 'bin/slow');
    install(SICK, place);
    const upgrade = await daemon.start('upgrade', '--binary', place);
    assert.strictEqual(upgrade.stdout, `ptyd ${OLD} → 9.9.9, 1 shell kept\n`, upgrade.stderr);
    daemon.runs('9.9.9');
    assert.deepStrictEqual(daemon.pids(), pids);
    await daemon.end();
  },

  'a file that does not reach a keeper without a descriptor: no worker is replaced for it': async (daemon) => {
    const { worker_pid: worker, keeper_pid: keeper } = daemon.json('status');
    const limit = (files) => assert.strictEqual(spawnSync('prlimit', [`--pid=${keeper}`, `--nofile=${files}:`]).status, 0);
    const before = /^Max open files +(\d+)/m.exec(fs.readFileSync(`/proc/${keeper}/limits`, 'utf8'))[1];
    const used = new Set(fs.readdirSync(`/proc/${keeper}/fd`).map(Number));
    let free = 0;
    while (used.has(free)) free++;
    limit(free); // none of its own is closed by that
    const asked = daemon.start('upgrade');
    await until('it is refused', () => /not upgraded: .*descriptor/.test(fs.readFileSync(path.join(daemon.space.root, 'daemon.log'), 'utf8')));
    limit(before);
    const { status, stderr } = await asked;
    assert.strictEqual(status, 1);
    assert.match(stderr, /the keeper has no descriptor left/);
    assert.strictEqual(daemon.runs(OLD).worker_pid, worker);
    assert.strictEqual(daemon.ptyd('upgrade').status, 0);
    await daemon.end();
  },

  'a session being closed, whose shell does not heed it, is still closed': async (daemon) => {
    const heard = path.join(daemon.space.root, 'heard');
    const ready = path.join(daemon.space.root, 'ready');
    daemon.ptyd('open', 'stubborn', '--', 'sh', '-c', `trap 'echo >${heard}' HUP; echo >${ready}; while :; do sleep 0.02; done`);
    await until('it does not heed it', () => fs.existsSync(ready));
    const pid = daemon.pids().stubborn;
    const closing = ask(daemon, 'session.close', { name: 'stubborn' }).catch(() => 'its connection ended');
    await until('it was hung up', () => fs.existsSync(heard));
    assert.strictEqual(daemon.ptyd('upgrade').status, 0);
    await closing;
    await until('its shell is killed', () => !fs.existsSync(`/proc/${pid}`));
    await until('it is gone', () => daemon.json('list').every(({ name, state }) => name !== 'stubborn' || state === 'exited'));
    await daemon.end();
  },
};

async function sigterm(report) {
  await report.test('SIGTERM in the middle of a change ends the daemon, shells and all', async () => {
    const daemon = await Upgraded.start();
    daemon.ptyd('open', 'last');
    const { last } = daemon.pids();
    install(SICK, path.join(daemon.space.root, 'bin/waits'));
    const upgrade = daemon.start('upgrade', '--binary', path.join(daemon.space.root, 'bin/waits'));
    await until('the other program is there', () => fs.readlinkSync(`/proc/${daemon.keeper}/exe`).endsWith('/waits'));
    await daemon.end();
    assert.strictEqual((await upgrade).status, 1);
    assert.ok(!fs.existsSync(`/proc/${last}`));
  });
}

async function main() {
  const report = new Report();
  await fourShells(report);
  await formerShells(report);
  await flood(report);
  await floodStays(report);
  // Side by side, those that take their five seconds and more first: they wait.
  const slow = ([name]) => !/never|nothing|7 s/.test(name);
  await sideBySide(4, [
    ...Object.entries(files).map(([name, file]) => [`${name}: the old one goes on`, async () => {
      const daemon = await Upgraded.start();
      await checkFile(daemon, file);
      await daemon.end();
    }]),
    ...Object.entries(endings).map(([name, body]) => [name, async () => body(await Upgraded.start())]),
  ].sort((a, b) => slow(a) - slow(b)).map((one) => () => report.test(...one)));
  await sigterm(report); // alone: it has to be in time
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
