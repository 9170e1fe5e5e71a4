// Workers killed at random moments under mixed load: four shells, each with commands typed at prompts
// and ahead of them, run, and typed by viewers that come and go; an agent's turns through a proxy for
// each, `events -f` and `mcp`. Each command counts itself, in a file and by its status; at the end
// there is one block for each, in their order, with that status and text, told to the agent once.
//
// Usage: node soak.js (SOAK_S=seconds KILLS=n SEED=n STANDIN=path; KEEP=1 leaves the files)
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { workspace, removeWorkspace, Daemon, Control, Report, PTYD, randomFrom, until } = require('./harness');
const { Tally, Load, follow, serve, pause, outputIsRight, aroundFault } = require('./soak_load');

const SOAK_S = Number(process.env.SOAK_S || 25);
const KILLS = Number(process.env.KILLS || 30);
const SEED = Number(process.env.SEED || Date.now() % 100000);
const SHELLS = ['bash', 'zsh', 'fish', 'dash'];
const GROWTH_KB = 24 << 10;

// Clients come back to a worker within 5 s. On a machine so busy that none was there for as long, less
// what they need themselves, their end is only counted.
const AWAY_MS = 3000;
const EXCUSED_MS = 20000;

const random = randomFrom(SEED);

// ---- killing ----

class Killer {
  constructor(soak) { this.soak = soak; this.kills = 0; this.back = []; this.since = 0; this.awayAt = -EXCUSED_MS; }

  // The keeper's child that is no shell: also one that has just been started.
  worker() {
    const keeper = this.soak.daemon.process.pid;
    const children = fs.readFileSync(`/proc/${keeper}/task/${keeper}/children`, 'utf8').trim().split(' ').map(Number);
    return children.find((pid) => !this.soak.shells.includes(pid));
  }

  kill(pid) {
    try { process.kill(pid, 'SIGKILL'); } catch { return; }
    this.kills += 1;
  }

  // Whether clients may have had nobody to come back to.
  wasAway() {
    const now = Date.now();
    return (this.since && now - this.since > AWAY_MS) || now - this.awayAt < EXCUSED_MS;
  }

  // Time until somebody is served again.
  async served() {
    const since = Date.now();
    await this.soak.control.call('status', {});
    this.back.push(Date.now() - since);
    if (Date.now() - this.since > AWAY_MS) this.awayAt = Date.now();
    this.since = 0;
  }

  async strike() {
    const victim = this.worker();
    if (!victim) return;
    this.since = Date.now();
    const way = random();
    if (way < 0.15) { // stopped, and killed so or going on
      process.kill(victim, 'SIGSTOP');
      await pause(random() * 200);
      if (random() < 0.5) this.kill(victim);
      else process.kill(victim, 'SIGCONT');
    } else {
      this.kill(victim);
      if (way < 0.3) { // and the next one, while it begins
        await until('the next worker', () => { const next = this.worker(); return next && next !== victim; });
        await pause(random() * 20);
        this.kill(this.worker());
      }
    }
    await this.served();
  }

  async go() {
    const mean = 1000 * SOAK_S / KILLS;
    while (this.kills < KILLS) {
      await pause(-Math.log(1 - random()) * mean);
      await this.strike();
    }
  }
}

// ---- what a process holds ----

// Of descriptors and threads those that stay: to see whether a shell has read all, its terminal is opened for a moment,
// and what takes its time is done by a thread that ends with it.
async function holds(soak, pid) {
  const list = (what) => fs.readdirSync(`/proc/${pid}/${what}`);
  const stay = { fd: list('fd'), task: list('task') };
  for (let i = 0; i < 5 || (stay.task.length > 1 && i < 200); i++) {
    await soak.control.call('session.list', {});
    for (const what of Object.keys(stay)) { const now = list(what); stay[what] = stay[what].filter((one) => now.includes(one)); }
  }
  const kb = Number(fs.readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]);
  return { fds: stay.fd.length, threads: stay.task.length, kb };
}

// ---- blocks, collected as they come: files rotate ----

class Blocks {
  constructor(soak) { this.soak = soak; this.of = new Map(soak.loads.map(({ name }) => [name, new Map()])); }

  // What is wrong with a block's output, if anything is.
  compare(load, command, output) {
    this.soak.tally.add('output: compared');
    return outputIsRight(command, output, load.behind(command)) ? undefined : `${output.length} bytes: ${aroundFault(command, output)}`;
  }

  // An output is looked at at once, for only so many are kept; whose it is where the text is unknown, at the end.
  take(load, block) {
    const { tally } = this.soak, known = this.of.get(load.name), text = JSON.stringify(block);
    if (block.status === 'running') return;
    if (known.has(block.seq)) {
      if (known.get(block.seq).text !== text) tally.add('block: changed after its end', `${known.get(block.seq).text} then ${text}`);
      return;
    }
    const file = path.join(this.soak.space.env.PTYD_STATE_DIR, 'conversations', load.name, 'agent_pty', block.output_path);
    const command = block.cmd_source !== 'unknown' && load.issued.get(numberOf(block));
    const output = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null;
    if (output === null) tally.add('output: gone before it was looked at');
    const taken = { block, text };
    if (output !== null && command) taken.wrong = this.compare(load, command, output);
    else if (output !== null) taken.output = output;
    known.set(block.seq, taken);
  }

  async collect(last) {
    for (const load of this.soak.loads) {
      const { result } = await this.soak.control.call('session.blocks', { name: load.name, last });
      for (const block of result) this.take(load, block);
    }
  }

  async go(going) {
    while (going()) { await this.collect(100); await pause(2000); }
    await this.collect(500);
  }
}

// ---- the judgement ----

const numberOf = (block) => Number((/^echo (\d+) >>t/.exec(block.cmd) || [])[1] || 0);
const describe = ({ block }) => `${block.block_id} ${block.status} ${block.exit_code} ${block.cmd_source} ${JSON.stringify(block.cmd)}`;

// Walks what ran and the blocks side by side, both in the order in which they happened.
function judgeBlocks(soak, load, known) {
  const { tally } = soak;
  const blocks = [...known.values()].sort((a, b) => a.block.seq - b.block.seq);
  const seqs = blocks.map(({ block }) => block.seq);
  tally.add('commands', '', load.ran.length);
  tally.add('blocks', '', blocks.length);
  for (let i = 0; i < seqs.length; i++) if (seqs[i] !== i + 1) { tally.add('seq: a gap', `${load.name}: ${seqs[i]} in place ${i + 1}`); break; }
  const twice = load.ran.filter((n, i) => load.ran.indexOf(n) !== i);
  for (const n of twice) tally.add('command: run twice', `${load.name} ${n}`);
  let at = 0;
  for (const n of load.ran) {
    const command = load.issued.get(n);
    const here = blocks[at];
    const found = here && (numberOf(here.block) === n || here.block.cmd_source === 'unknown') ? at : blocks.findIndex((b, i) => i >= at && numberOf(b.block) === n);
    if (found < 0) {
      tally.add('block: missing', `${load.name} ${n}: ${command.text}; here is ${here && describe(here)}`);
      continue;
    }
    for (; at < found; at++) tally.add('block: of no command', `${load.name} ${describe(blocks[at])}`);
    const { block, output } = blocks[at];
    const wrong = output === undefined ? blocks[at].wrong : soak.blocks.compare(load, command, output);
    at += 1;
    if (block.cmd_source === 'unknown') tally.add('block: text unknown, and said so', describe({ block }));
    else if (block.cmd !== command.text) tally.add('block: wrong text', `${load.name} ${command.text}: ${describe({ block })}`);
    const status = command.kind === 'killed' ? 'killed' : 'completed';
    if (block.exit_code !== command.status || block.status !== status) tally.add('block: wrong status', `${load.name} ${command.text}: ${describe({ block })}`);
    if (wrong) tally.add('block: wrong output', `${load.name} ${command.text}: ${describe({ block })} ${wrong}`);
  }
  for (; at < blocks.length; at++) tally.add('block: of no command', `${load.name} ${describe(blocks[at])}`);
}

function judgeTold(soak, load, known) {
  const { tally } = soak, told = new Map();
  for (const { key, value } of load.told) {
    const id = JSON.parse(value).block_id;
    told.set(id, [...(told.get(id) || []), `${key} ${value}`]);
  }
  for (const { block } of known.values()) {
    const times = told.get(block.block_id) || [];
    if (!times.length) tally.add('told: never', describe({ block }));
    if (times.length > 1) tally.add('told: again', times[0].slice(0, 200));
    if (new Set(times).size > 1) tally.add('told: other bytes', times.join(' then ').slice(0, 500));
    told.delete(block.block_id);
  }
  for (const id of told.keys()) tally.add('told: no such block', `${load.name} ${id}`);
}

// Every line of every file is one; each block begins and ends in events.jsonl, as far as that goes back.
function judgeFiles(soak, load) {
  const { tally } = soak;
  const directory = path.join(soak.space.env.PTYD_STATE_DIR, 'conversations', load.name);
  const parse = (file, text) => { try { return JSON.parse(text); } catch { tally.add('file: torn', `${file}: ${text.slice(0, 200)}`); return {}; } };
  const linesOf = (name) => {
    const file = path.join(directory, 'agent_pty', name);
    if (!fs.existsSync(file)) return [];
    const lines = fs.readFileSync(file, 'utf8').split('\n');
    if (lines.pop() !== '') tally.add('file: torn', `${file} has no end`);
    return lines.map((line) => parse(file, line));
  };
  const records = Object.fromEntries(['blocks.jsonl', 'screen.jsonl', 'events.jsonl'].map((name) => [name, [...linesOf(`${name}.1`), ...linesOf(name)]]));
  for (const name of ['meta.json', 'agent_pty/screen.snapshot.json', 'agent_pty/scrollback.snapshot.json', 'agent_pty/screen_size.json'])
    parse(name, fs.readFileSync(path.join(directory, name), 'utf8'));
  for (const name of fs.readdirSync(directory)) if (name.includes('.damaged-')) tally.add('file: set aside', `${load.name} ${name}`);
  const counts = new Map();
  let first = Infinity, last = 0;
  for (const { type, block } of records['events.jsonl']) {
    if (type !== 'agent_block_begin' && type !== 'agent_block_end') continue;
    counts.set(`${type} ${block.seq}`, (counts.get(`${type} ${block.seq}`) || 0) + 1);
    if (type === 'agent_block_begin') first = Math.min(first, block.seq);
    last = Math.max(last, block.seq);
  }
  for (let seq = first; seq <= last; seq++)
    for (const type of ['agent_block_begin', 'agent_block_end'])
      if (counts.get(`${type} ${seq}`) !== 1) tally.add('events.jsonl: not once', `${load.name} ${type} ${seq}: ${counts.get(`${type} ${seq}`) || 0} times`);
}

function judgeLog(soak) {
  const log = fs.readFileSync(path.join(soak.space.root, 'daemon.log'), 'utf8');
  for (const line of log.split('\n'))
    if (/worker ended/.test(line) && !/signal 9\)/.test(line)) soak.tally.add('worker: ended by itself', line);
    else if (/Sanitizer|runtime error/.test(line)) soak.tally.add('worker: a sanitizer complains', line);
}

const PROMISES = [
  ['every command that ran has a block', ['block: missing']],
  ['every block is of a command that ran, and none ran twice', ['block: of no command', 'command: run twice']],
  ['seq is dense and rises', ['seq: a gap']],
  ['the true status', ['block: wrong status']],
  ['the true text, or said to be unknown', ['block: wrong text']],
  ['the true output', ['block: wrong output']],
  ['a block that has ended stays as it is', ['block: changed after its end']],
  ['told to the agent once, the same bytes', ['told: never', 'told: other bytes', 'told: no such block', 'told late or never', 'told: again without being counted']],
  ['input that was acknowledged is typed', ['acknowledged, never run', 'typed in a viewer, never run']],
  ['run: the true status and output', ['run: wrong status', 'run: wrong output']],
  ['no turn is refused', ['turn: no result', 'proxy: died']],
  ['clients live', ['viewer: died', 'viewer: does not leave', 'events: died', 'mcp: no answer']],
  ['events -f: no end twice', ['events -f: an end twice']],
  ['events.jsonl: one begin, one end', ['events.jsonl: not once']],
  ['no file is torn or set aside', ['file: torn', 'file: set aside']],
  ['the worker dies of no cause of its own', ['worker: ended by itself', 'worker: a sanitizer complains']],
  ['a prompt that stands is seen', ['prompt: not seen']],
  ['the shells are the same', ['shell: another']],
  ['descriptors, threads, memory do not grow', ['grown']],
];

// ---- the run ----

// The load, until `enough` has come.
async function underLoad(soak, enough) {
  let stopped = false;
  const going = () => !stopped;
  const watching = [...soak.loads.map((load) => load.converse(() => !stopped || load.driving)),
    ...soak.loads.map((load) => load.watch(going)), follow(soak, going, soak.ends), serve(soak, going), soak.blocks.go(going)];
  const driving = soak.loads.map((load) => { load.driving = true; load.over = false; return load.drive(going); });
  await Promise.race([enough(), ...driving, ...watching]); // those end before it only by an error
  stopped = true;
  await Promise.all(driving);
  await soak.blocks.collect(500);
  for (const load of soak.loads) {
    await until(`${load.name}: nothing is pending`, async () => load.waiting() <= 0 &&
      (await soak.control.call('context.show', { consumer: `codex:${load.thread}`, session: load.name })).result.pending === 0, 20000).catch(() => {});
    load.driving = false;
  }
  await Promise.all(watching);
  for (const load of soak.loads) load.look();
}

async function freshWorker(soak, killer) {
  const before = killer.worker();
  process.kill(before, 'SIGKILL');
  await until('another worker', async () => (await soak.control.call('status', {})).result.worker_pid !== before);
  for (const load of soak.loads) await load.prompt();
  await soak.control.call('session.list', {});
  return { worker: await holds(soak, killer.worker()), keeper: await holds(soak, soak.daemon.process.pid) };
}

function compareHolds(soak, what, before, after) {
  const said = `${what}: ${JSON.stringify(before)} then ${JSON.stringify(after)}`;
  console.log(`# ${said}`);
  if (after.fds > before.fds || after.threads > before.threads || after.kb > before.kb + GROWTH_KB) soak.tally.add('grown', said);
}

function printTable(soak, killer) {
  const { tally } = soak;
  const back = killer.back.sort((a, b) => a - b);
  console.log(`# ${killer.kills} kills in ${soak.seconds} s, SEED=${SEED}${back.length ? `; served again after ${back[back.length >> 1]} ms (p50), ${back.at(-1)} ms (worst)` : ''}`);
  for (const name of [...tally.counts.keys()].sort()) {
    console.log(`#   ${name.padEnd(52)}${String(tally.of(name)).padStart(8)}`);
    if (PROMISES.some(([, faults]) => faults.includes(name)) || process.env.VERBOSE) for (const example of tally.examples.get(name) || []) console.log(`#       ${example}`);
  }
  console.log(`\n${'promised'.padEnd(60)}broken`);
  for (const [promise, faults] of PROMISES) console.log(`${promise.padEnd(60)}${String(faults.reduce((sum, name) => sum + tally.of(name), 0)).padStart(6)}`);
  console.log('');
}

// VERBOSE: what each session waits for, now and then.
function speak(soak, killer) {
  setInterval(() => {
    for (const load of soak.loads) console.log(`# ${load.name}: ${load.doing}; ${load.ran.length} ran, ${new Set(load.told.map(({ key }) => key)).size} told, ${killer.kills} kills`);
  }, 5000).unref();
}

async function main() {
  const report = new Report();
  const space = workspace();
  const soak = { space, tally: new Tally(), ends: [], standin: process.env.STANDIN || path.resolve(path.dirname(PTYD), 'standin') };
  fs.writeFileSync(path.join(space.home, '.zshrc'), 'PS1="%% "\n');
  soak.daemon = await new Daemon(space).ready();
  soak.control = new Control(space.env.PTYD_SOCKET);
  soak.loads = SHELLS.map((shell, i) => new Load(soak, shell, randomFrom(SEED * 7 + i * 7919 + 1)));
  soak.blocks = new Blocks(soak);
  const killer = new Killer(soak);
  soak.deaths = () => killer.kills;
  soak.wasAway = () => killer.wasAway();
  for (const { shell, directory } of soak.loads) {
    const opened = soak.daemon.ptyd('open', shell, '--shell', shell, '--cwd', directory);
    assert.strictEqual(opened.status, 0, opened.stderr);
  }
  soak.shells = soak.daemon.json('list').map((session) => session.shell_pid);
  const began = Date.now();
  if (process.env.VERBOSE) speak(soak, killer);
  const calm = () => pause(Math.max(3000, SOAK_S * 50));

  await underLoad(soak, calm);
  const first = await freshWorker(soak, killer);
  await underLoad(soak, () => killer.go());
  soak.seconds = Math.round((Date.now() - began) / 1000);
  const last = await freshWorker(soak, killer);
  compareHolds(soak, 'a new worker before and after', first.worker, last.worker);
  compareHolds(soak, 'the keeper', first.keeper, last.keeper);
  await underLoad(soak, calm);
  const once = await holds(soak, killer.worker());
  await underLoad(soak, calm);
  compareHolds(soak, 'one worker under the load', once, await holds(soak, killer.worker()));

  const shells = soak.daemon.json('list').map((session) => session.shell_pid);
  if (JSON.stringify(shells) !== JSON.stringify(soak.shells)) soak.tally.add('shell: another', `${soak.shells} then ${shells}`);
  for (const load of soak.loads) {
    const known = soak.blocks.of.get(load.name);
    judgeBlocks(soak, load, known);
    judgeTold(soak, load, known);
    judgeFiles(soak, load);
  }
  const counted = (await soak.control.call('status', {})).result.maybe_repeated;
  soak.tally.add('turns whose acceptance nobody saw', '', counted);
  if (soak.tally.of('told: again') > counted * 10) soak.tally.add('told: again without being counted', `${soak.tally.of('told: again')} of ${counted} turns`);
  const doubles = soak.ends.filter((id, i) => soak.ends.indexOf(id) !== i);
  for (const id of doubles) soak.tally.add('events -f: an end twice', id);
  soak.control.socket.destroy();
  await soak.daemon.stop();
  judgeLog(soak);
  printTable(soak, killer);
  for (const [promise, faults] of PROMISES)
    await report.test(promise, () => assert.deepStrictEqual(faults.filter((name) => soak.tally.of(name)).map((name) => [name, ...soak.tally.examples.get(name) || []]), []));
  if (process.env.KEEP || report.failed) console.log(`# the files are in ${space.root}`);
  else removeWorkspace(space);
  report.finish();
  process.exit();
}

main().catch((error) => { console.error(error); process.exit(1); });
