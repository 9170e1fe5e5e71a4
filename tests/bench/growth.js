// growth.js: what becomes of memory, files and times when there is much of everything: SESSIONS at
// once (1,000), EXITED sessions in the list (1,000), CLOSED sessions on disk (20,000), COMMANDS in one
// session (1,000,000).
'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { workspace, removeWorkspace, Daemon, until, PTYD } = require('../e2e/harness.js');

const COMMANDS_SHELL = process.env.COMMANDS_SHELL;
const number = (name, otherwise) => Number(process.env[name] || otherwise);
const SESSIONS = number('SESSIONS', 1000), EXITED = number('EXITED', 1000), CLOSED = number('CLOSED', 20000), COMMANDS = number('COMMANDS', 1000000);

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const row = (what, value, asked) => console.log(`  ${what.padEnd(58)}${String(value).padStart(12)}   ${asked ? `(asked: ${asked})` : ''}`);

function milliseconds(daemon, args, times = 15) {
  return median(Array.from({ length: times }, () => {
    const began = process.hrtime.bigint();
    if (daemon.ptyd(...args).status !== 0) throw new Error(`ptyd ${args.join(' ')} failed`);
    return Number(process.hrtime.bigint() - began) / 1e6;
  }));
}

// KiB of memory, what processes share counted once.
function pss(...pids) {
  return pids.reduce((sum, pid) => sum + Number(/^Pss:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]), 0);
}

// The most of a process's own memory since it was asked last, in KiB.
function peak(pid) {
  const most = Number(/^VmHWM:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
  fs.writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return most;
}

const pids = (daemon) => { const status = daemon.json('status'); return [status.keeper_pid, status.worker_pid]; };

// Milliseconds.
async function servedAgain(daemon) {
  const before = daemon.json('status').worker_pid, began = Date.now();
  process.kill(before, 'SIGKILL');
  await until('another worker', () => { const s = daemon.ptyd('status', '--json'); return s.status === 0 && JSON.parse(s.stdout).worker_pid !== before; });
  return Date.now() - began;
}

async function sessions() {
  console.log(`${SESSIONS} sessions, each a shell at its prompt`);
  const space = workspace(), daemon = await new Daemon(space).ready();
  const opened = spawnSync('sh', ['-c', `seq ${SESSIONS} | xargs -P 8 -I{} "$0" open s{} --size 80x24`, PTYD], { env: space.env, encoding: 'utf8' });
  if (opened.status !== 0) throw new Error(opened.stderr);
  row('memory of keeper and worker, MB', (pss(...pids(daemon)) / 1024).toFixed(1), '60');
  row('list, ms (a program that does nothing: ' + milliseconds(daemon, ['version']).toFixed(1) + ')', milliseconds(daemon, ['list']).toFixed(1), '15');
  row('status, ms', milliseconds(daemon, ['status']).toFixed(1), '10');
  row('served again behind a killed worker, ms', await servedAgain(daemon), SESSIONS === 500 ? '300' : '');
  await daemon.stop();
  removeWorkspace(space);
}

// Sessions whose shell has exited stay in the list, and are taken over like any other.
async function exited() {
  console.log(`sessions whose shell has exited, up to ${EXITED}`);
  const space = workspace(), daemon = await new Daemon(space).ready();
  for (let from = 0, to = Math.ceil(EXITED / 4); from < EXITED; from = to, to = Math.min(2 * to, EXITED)) {
    const opened = spawnSync('sh', ['-c', `seq ${from + 1} ${to} | xargs -P 4 -I{} "$0" open s{} -- sh -c 'echo {}; exit 3'`, PTYD], { env: space.env, encoding: 'utf8' });
    if (opened.status !== 0) throw new Error(opened.stderr);
    await until('all have exited', () => daemon.json('list').every((s) => s.state === 'exited'), 120000);
    const times = [];
    for (let i = 0; i < 5; i++) times.push(await servedAgain(daemon));
    const list = daemon.json('list');
    if (list.length !== to || list.some((s) => s.state !== 'exited')) throw new Error(`${list.length} are listed`);
    row(`${to}: served again behind a killed worker, ms; of each, us`, `${median(times)} / ${(1000 * median(times) / to).toFixed(0)}`, 'of each the same');
  }
  await daemon.stop();
  removeWorkspace(space);
}

async function closed() {
  console.log(`${CLOSED} closed sessions`);
  const space = workspace(), made = {};
  let daemon = await new Daemon(space).ready();
  for (const cmd of ['true', 'seq 100']) daemon.ptyd('run', '-s', 'model', '--', cmd);
  daemon.ptyd('close', 'model');
  await daemon.stop();
  const conversations = path.join(space.root, 'state/conversations');
  const round = async (what) => {
    const began = process.hrtime.bigint();
    daemon = await new Daemon(space).ready();
    (made[`start ${what}`] ||= []).push(Number(process.hrtime.bigint() - began) / 1e6);
    (made[`list ${what}`] ||= []).push(milliseconds(daemon, ['list'], 5));
    await until('what is closed was looked for', () => daemon.json('status').closed !== null);
    const seen = daemon.json('status').closed;
    await daemon.stop();
    return seen;
  };
  const many = path.join(space.root, 'many');
  fs.mkdirSync(many);
  for (let i = 0; i < CLOSED; i++) fs.cpSync(path.join(conversations, 'model'), path.join(many, `closed-${i}`), { recursive: true });
  for (let i = 0; i < 5; i++) {
    await round('without');
    fs.renameSync(conversations, path.join(space.root, 'few'));
    fs.renameSync(many, conversations);
    const seen = await round('with');
    if (seen.sessions !== CLOSED) throw new Error(`${seen.sessions} were seen`);
    fs.renameSync(conversations, many);
    fs.renameSync(path.join(space.root, 'few'), conversations);
  }
  for (const what of ['start', 'list']) row(`${what}, ms, without / with`, `${median(made[`${what} without`]).toFixed(1)} / ${median(made[`${what} with`]).toFixed(1)}`, 'the same');
  removeWorkspace(space);
}

async function commands() {
  console.log(`${COMMANDS} commands in one session`);
  const space = workspace(), daemon = await new Daemon(space).ready(), worker = pids(daemon)[1];
  const shell = path.join(space.root, 'zsh');
  fs.copyFileSync(COMMANDS_SHELL, shell);
  fs.chmodSync(shell, 0o755);
  let began = process.hrtime.bigint(), last = 0;
  const opened = daemon.ptyd('open', 'many', '--shell', shell, '--env', `COMMANDS=${COMMANDS}`);
  if (opened.status !== 0) throw new Error(opened.stderr);
  const speeds = [], memory = [];
  while (last < COMMANDS) {
    const goal = Math.min(COMMANDS, last + Math.ceil(COMMANDS / 10));
    let now = last;
    await until(`command ${goal}`, () => { const [b] = daemon.json('blocks', '-s', 'many', '--last', '1'); now = b && b.status === 'completed' ? b.seq : b ? b.seq - 1 : 0; return now >= goal; }, 3600000);
    const at = process.hrtime.bigint();
    speeds.push(Number(at - began) / 1e3 / (now - last));
    memory.push(pss(worker));
    began = at;
    last = now;
  }
  const [block] = daemon.json('blocks', '-s', 'many', '--last', '1');
  if (block.seq !== COMMANDS || block.exit_code !== COMMANDS % 256 || block.cmd !== `command ${COMMANDS}`) throw new Error(JSON.stringify(block));
  row('us a command, the first and the last tenth', `${speeds[0].toFixed(0)} / ${speeds.at(-1).toFixed(0)}`, 'the same');
  row('memory of the worker, MB, then', `${(memory[0] / 1024).toFixed(1)} / ${(memory.at(-1) / 1024).toFixed(1)}`, 'flat');
  const files = path.join(space.root, 'state/conversations/many/agent_pty');
  for (const name of fs.readdirSync(files)) {
    const st = fs.statSync(path.join(files, name));
    if (st.isFile() && st.blocks * 512 > 1 << 20) row(`${name}, MiB`, (st.blocks * 512 / (1 << 20)).toFixed(1));
  }
  row('files in blocks/', fs.readdirSync(path.join(files, 'blocks')).length, 'at most 600');
  row('block ID, ms', milliseconds(daemon, ['block', String(COMMANDS - 1000), '-s', 'many']).toFixed(1));
  row('blocks --last 10, ms', milliseconds(daemon, ['blocks', '--last', '10', '-s', 'many']).toFixed(1));
  peak(worker);
  const resident = peak(worker), whole = process.hrtime.bigint(), kept = daemon.json('blocks', '-s', 'many');
  row(`blocks, ${kept.length} that are kept, ms`, (Number(process.hrtime.bigint() - whole) / 1e6).toFixed(0));
  row('memory of the worker that this took at most, MB', ((peak(worker) - resident) / 1024).toFixed(1), 'bounded');
  for (let i = 1; i < kept.length; i++) if (kept[i].seq !== kept[i - 1].seq + 1) throw new Error(`block ${kept[i].seq} behind ${kept[i - 1].seq}`);
  await daemon.stop();
  removeWorkspace(space);
}

(async () => {
  if (SESSIONS) await sessions();
  if (EXITED) await exited();
  if (CLOSED) await closed();
  if (COMMANDS) await commands();
})().catch((error) => { console.error(error); process.exit(1); });
