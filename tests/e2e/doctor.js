// `ptyd doctor`: what is there, what may be done, what has to be; and its exit status. Usage: node doctor.js
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { PTYD, workspace, removeWorkspace, Daemon, Report } = require('./harness');

async function main() {
  const report = new Report();
  const space = workspace();
  const bin = path.join(space.root, 'bin');
  fs.mkdirSync(bin);
  const program = (name, text) => fs.writeFileSync(path.join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const env = { ...space.env, PATH: bin, LC_ALL: 'C.UTF-8' };
  const doctor = (more = {}) => {
    const { status, stdout, stderr } = spawnSync(PTYD, ['doctor', '--json'], { env: { ...env, ...more }, encoding: 'utf8' });
    const { checks, ok } = JSON.parse(stdout);
    assert.strictEqual(status, ok ? 0 : 1, stderr);
    return { ok, of: (what) => checks.filter((check) => check.what === what).map(({ verdict, text }) => `${verdict}: ${text}`) };
  };

  await report.test('where nothing is, nothing is to be done', () => {
    const said = doctor();
    assert.ok(said.ok);
    assert.deepStrictEqual(said.of('locale'), ['ok: UTF-8']);
    assert.deepStrictEqual(said.of('daemon'), ['ok: none runs; `ptyd open NAME` starts one']);
    assert.deepStrictEqual(said.of('state'), [`ok: ${space.env.PTYD_STATE_DIR}, which will be made`]);
    assert.deepStrictEqual(said.of('libraries'), ['ok: all of them load']);
    assert.deepStrictEqual(said.of('shell'), []);
    assert.deepStrictEqual(said.of('codex'), ['ok: it is not here']);
    const text = spawnSync(PTYD, ['doctor'], { env, encoding: 'utf8' });
    assert.strictEqual(text.status, 0);
    assert.match(text.stdout, /^ok +settings +.*ptyd\.conf, which is not there: nothing is set$/m);
    assert.match(text.stdout, /^All is well\.$/m);
  });

  await report.test('shells: those that make command blocks, and from which version on', () => {
    program('bash', 'echo GNU bash, version 5.2.15');
    program('zsh', 'echo "zsh 5.2 (x86_64)"');
    program('fish', 'echo fish, version 4.0.2');
    program('dash', 'exit 2');
    assert.deepStrictEqual(doctor().of('shell'), ['ok: bash 5.2: command blocks', 'may: zsh 5.2 runs, without command blocks: they need 5.3', 'ok: fish 4.0: command blocks', 'ok: dash: command blocks']);
    program('tcsh', '');
    assert.match(doctor({ SHELL: path.join(bin, 'tcsh') }).of('shell')[0], /^may: yours, tcsh, runs, without command blocks$/);
    const gone = doctor({ SHELL: '/nowhere/bash' });
    assert.ok(!gone.ok);
    assert.match(gone.of('shell')[0], /^todo: SHELL is \/nowhere\/bash: No such file/);
  });

  await report.test('agents: not here, here and deaf, set up', () => {
    program('claude', '');
    assert.match(doctor().of('claude')[0], /^may: .*\/bin\/claude hears nothing of your terminal: ptyd enable claude$/);
    assert.strictEqual(spawnSync(PTYD, ['enable', 'claude'], { env }).status, 0);
    assert.match(doctor().of('claude')[0], /^ok: it hears of your terminal by the hook in .*\/\.claude\/settings\.json$/);
    fs.rmSync(path.join(bin, 'claude'));
    assert.match(doctor().of('claude')[0], /^may: .* is set up, and the program is not in PATH$/);
    assert.deepStrictEqual(doctor().of('gemini'), ['ok: it is not here']);
  });

  await report.test('what is to be done: settings, locale, directories', () => {
    const conf = path.join(space.home, '.config/ptyd/ptyd.conf');
    fs.mkdirSync(path.dirname(conf), { recursive: true });
    fs.writeFileSync(conf, 'keep_day = 1\n');
    assert.deepStrictEqual(doctor().of('settings'), [`todo: ${conf}:1: there is no setting keep_day; did you mean keep_days?`]);
    fs.writeFileSync(conf, 'keep_days = 1\n');
    assert.deepStrictEqual(doctor().of('settings'), [`ok: ${conf}`]);
    assert.match(doctor({ LC_ALL: 'C' }).of('locale')[0], /^todo: it is .*; sessions speak UTF-8/);
    fs.mkdirSync(space.env.PTYD_STATE_DIR, { mode: 0o755 });
    fs.chmodSync(space.env.PTYD_STATE_DIR, 0o775);
    const open = doctor();
    assert.ok(!open.ok);
    assert.deepStrictEqual(open.of('state'), [`todo: others may write in ${space.env.PTYD_STATE_DIR}: chmod go-w ${space.env.PTYD_STATE_DIR}`]);
    fs.rmdirSync(space.env.PTYD_STATE_DIR);
    fs.writeFileSync(space.env.PTYD_STATE_DIR, '');
    assert.match(doctor().of('state')[0], /is no directory; move it away$/);
    fs.rmSync(space.env.PTYD_STATE_DIR);
    const elsewhere = path.join(space.root, 'elsewhere');
    fs.symlinkSync(elsewhere, space.env.PTYD_STATE_DIR);
    assert.match(doctor().of('state')[0], /^todo: .* is a link to what is not there; make that, or move it away$/);
    fs.mkdirSync(elsewhere, { mode: 0o700 }); // a daemon uses it: whose.js
    assert.match(doctor().of('state')[0], /^ok: .* MiB left$/);
    fs.rmSync(space.env.PTYD_STATE_DIR);
    const text = spawnSync(PTYD, ['doctor'], { env: { ...env, LC_ALL: 'C' }, encoding: 'utf8' });
    assert.match(text.stdout, /^todo +locale .*\n[^]*Something is to be done\.$/m);
  });

  await report.test('a directory that cannot be made is not said to be made', () => {
    const taken = path.join(space.root, 'taken'), program = path.join(space.root, 'ptyd'), nobody = 65534;
    fs.mkdirSync(taken, { mode: 0o555 });
    fs.copyFileSync(PTYD, program);
    for (const one of [program, space.root]) fs.chmodSync(one, 0o755);
    const more = { PTYD_STATE_DIR: `${taken}/a/state`, PTYD_SOCKET: `${taken}/run/ptyd.sock` };
    const { stdout } = spawnSync(program, ['doctor'], { env: { ...env, ...more }, encoding: 'utf8', ...(process.getuid() === 0 ? { uid: nobody, gid: nobody } : {}) });
    assert.match(stdout, new RegExp(`^todo +state +${taken}/a/state cannot be made in ${taken}: Permission denied$`, 'm'));
    assert.match(stdout, new RegExp(`^todo +socket +${taken}/run cannot be made in ${taken}: Permission denied$`, 'm'));
  });

  await report.test('a daemon: what it says of itself', async () => {
    const daemon = await new Daemon(space).ready();
    assert.match(doctor().of('daemon')[0], /^ok: ptyd .*, 0 sessions$/);
    daemon.ptyd('open', 'first');
    assert.match(doctor().of('daemon')[0], /^ok: ptyd .*, 1 session$/);
    daemon.ptyd('close', 'first');
    daemon.ptyd('context', 'off');
    assert.deepStrictEqual(doctor().of('daemon').slice(1).filter((line) => !line.includes('confinement')), ['todo: agents are told nothing; `ptyd context on` undoes it']);
    daemon.ptyd('context', 'on');
    assert.ok(doctor().ok);
    const { worker_pid: worker } = daemon.json('status');
    process.kill(worker, 'SIGSTOP');
    const said = doctor();
    process.kill(worker, 'SIGCONT');
    assert.ok(!said.ok);
    assert.match(said.of('daemon')[0], /^todo: the daemon does not answer \(waited [12] s\): its worker, process \d+, is stopped: `kill -CONT \d+`/);
    await daemon.stop();
  });

  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
