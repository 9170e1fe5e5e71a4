// Where the time goes between bare `ptyd` and its prompt: what the kernel saw of it (tracefs, which root alone reads), as
// medians of STARTS=20. The stages follow each other, and their sum is the way from exec(2) to the prompt; then how
// long each process was on a processor meanwhile. OLD=another ptyd: beside that one's, in turns.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, PTYD, until } = require('../e2e/harness');
const { Outer, hex } = require('../e2e/outer');

const STARTS = Number(process.env.STARTS || 20);
const TRACING = `/sys/kernel/tracing/instances/ptyd-start-${process.pid}`;
const EVENTS = ['sched/sched_switch', 'sched/sched_process_exec', 'sched/sched_process_fork', 'syscalls/sys_enter_connect',
  'syscalls/sys_enter_sendto', 'syscalls/sys_enter_sendmsg', 'syscalls/sys_enter_write', 'syscalls/sys_enter_pselect6'];

const put = (file, text) => fs.writeFileSync(path.join(TRACING, file), text);

function openTrace() {
  fs.mkdirSync(TRACING);
  put('buffer_size_kb', '8192');
  put('trace_clock', 'mono');
  for (const event of EVENTS) put(`events/${event}/enable`, '1');
}

// [{pid, cpu, us, what, rest}]
function readTrace() {
  const line = /^\s*.+-(\d+)\s+\[(\d+)\] \S+\s+([\d.]+): (\w+)(?:: |\()?(.*)$/;
  return fs.readFileSync(path.join(TRACING, 'trace'), 'utf8').split('\n').map((l) => line.exec(l)).filter(Boolean)
    .map(([, pid, cpu, seconds, what, rest]) => ({ pid: Number(pid), cpu, us: Number(seconds) * 1e6, what, rest }));
}

const STAGES = ['the client begins', 'it connects and asks', 'the worker plans', 'the keeper makes a terminal, forks', 'the child becomes the shell',
  'the shell begins, until its first byte', 'and until its prompt', 'the prompt on its way to the terminal'];

const forked = (events, parent) => events.filter((e) => e.what === 'sched_process_fork' && e.pid === parent).map((e) => Number(/child_pid=(\d+)/.exec(e.rest)[1]));

// When each stage ended, from the client's exec(2) on; undefined where the kernel's ring lost something.
function stages(events, { outer, keeper, worker }) {
  const client = forked(events, outer)[0], shell = forked(events, keeper)[0];
  const first = (pid, what, from = 0) => events.find((e) => e.pid === pid && e.what === what && e.us >= from)?.us;
  const last = (pid, what, to = Infinity) => events.findLast((e) => e.pid === pid && e.what === what && e.us < to)?.us;
  const began = first(client, 'sched_process_exec'), connected = first(client, 'sys_connect');
  const told = first(worker, 'sys_sendmsg', connected), shellBegan = first(shell, 'sched_process_exec');
  const rests = first(shell, 'sys_pselect6', shellBegan);
  const ends = [connected, last(client, 'sys_sendto', told), told, events.find((e) => e.what === 'sched_process_fork' && e.pid === keeper)?.us,
    shellBegan, first(shell, 'sys_write', shellBegan), last(shell, 'sys_write', rests), last(client, 'sys_write')];
  const who = { client, worker, keeper, shell };
  return ends.includes(undefined) || began === undefined ? null : { began, ends, who, busy: busy(events, who, began, ends.at(-1)) };
}

// How long each was on a processor between two moments.
function busy(events, who, from, to) {
  const since = new Map(), total = Object.fromEntries(Object.keys(who).map((name) => [name, 0]));
  for (const e of events.filter(({ what }) => what === 'sched_switch')) {
    const begun = since.get(e.cpu), name = Object.keys(who).find((n) => who[n] === e.pid);
    if (begun !== undefined && name) total[name] += Math.max(0, Math.min(e.us, to) - Math.max(begun, from));
    since.set(e.cpu, e.us);
  }
  return total;
}

async function daemon(program, space) {
  const process = spawn(program, ['serve'], { env: space.env, stdio: 'ignore' });
  const status = () => spawnSync(program, ['status', '--json'], { env: space.env, encoding: 'utf8' });
  await until('the daemon answers', () => status().status === 0);
  const { keeper_pid: keeper, worker_pid: worker } = JSON.parse(status().stdout);
  return { program, space, process, keeper, worker, starts: [] };
}

async function start(d) {
  put('trace', '');
  put('tracing_on', '1');
  const outer = new Outer({ ...d.space.env, TERM: 'xterm-256color' }, [d.program], { blind: true, log: false, cwd: d.space.home });
  const answer = await outer.ask('await', hex('$ '), 60000);
  put('tracing_on', '0');
  if (answer.error) throw new Error(answer.error);
  const found = stages(readTrace(), { outer: outer.process.pid, keeper: d.keeper, worker: d.worker });
  if (found) d.starts.push(found);
  await outer.type('exit\r');
  await outer.ended;
  await outer.end();
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
const row = (name, cells) => console.log(`  ${name.padEnd(44)}${cells.map((c) => String(Math.round(c)).padStart(10)).join('')}`);

function print(daemons) {
  const each = (of) => daemons.map((d) => median(d.starts.map(of)));
  console.log(`us, medians of ${daemons.map((d) => d.starts.length).join(', ')} starts: ${daemons.map((d) => d.program).join(', ')}`);
  STAGES.forEach((name, i) => row(name, each(({ began, ends }) => ends[i] - (i ? ends[i - 1] : began))));
  row('all of it', each(({ began, ends }) => ends.at(-1) - began));
  console.log('on a processor meanwhile');
  for (const name of ['client', 'worker', 'keeper', 'shell']) row(name, each(({ busy: of }) => of[name]));
}

async function main() {
  try {
    openTrace();
  } catch (error) {
    console.log(`skipped - the kernel's trace cannot be read here: ${error.message}`);
    return;
  }
  const daemons = [];
  try {
    for (const program of [process.env.OLD, PTYD].filter(Boolean)) daemons.push(await daemon(program, workspace()));
    for (let i = 0; i < STARTS; i++)
      for (const d of daemons) await start(d);
    print(daemons);
  } finally {
    fs.rmdirSync(TRACING);
    for (const d of daemons) {
      const ended = new Promise((resolve) => d.process.on('exit', resolve));
      d.process.kill();
      await ended;
      removeWorkspace(d.space);
    }
    await Outer.endAll();
  }
}

main().catch((error) => { console.error(error); process.exit(1); });
