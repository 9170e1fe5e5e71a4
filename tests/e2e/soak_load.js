// The load of soak.js: what is typed into a session and how, and who looks on. Every command writes its
// number into the session's truth as the first thing it does, and ends with a status that its text
// says: what the blocks are held against comes from the commands themselves.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { PTYD, Client, TurnClient, until } = require('./harness');

const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const SETTLED_MS = 1000; // a prompt that stood so long has read what was typed
const TOLD_LATE_MS = 20000;
const MCP_MS = 60000; // an answer may wait for the next worker, and that for a processor
const PROMPT_MS = 60000; // no command takes as long, on a busy machine either
const UNTOLD_MAX = 6; // with what one driver types at once never more than the ten that are kept

// What happened, counted by name, with the first few as examples.
class Tally {
  constructor() { this.counts = new Map(); this.examples = new Map(); }

  add(name, example = '', count = 1) {
    this.counts.set(name, this.of(name) + count);
    const kept = this.examples.get(name) || [];
    if (example && kept.length < 5) this.examples.set(name, [...kept, example]);
  }

  of(name) { return this.counts.get(name) || 0; }
}

// The lines of a file that grows, read once each.
class Tail {
  constructor(file) { this.file = file; this.at = 0; this.rest = ''; }

  take() {
    const size = fs.existsSync(this.file) ? fs.statSync(this.file).size : 0;
    if (size <= this.at) return [];
    const fd = fs.openSync(this.file, 'r'), bytes = Buffer.alloc(size - this.at);
    const n = fs.readSync(fd, bytes, 0, bytes.length, this.at);
    fs.closeSync(fd);
    this.at += n;
    const lines = (this.rest + bytes.toString('latin1', 0, n)).split('\n');
    this.rest = lines.pop();
    return lines.map((line) => Buffer.from(line, 'latin1').toString());
  }
}

// A command's text, its status, and its output where nothing but the command writes it.
const KINDS = {
  nothing: () => ['', ''],
  line: (n) => [`echo line ${n}; `, `line ${n}`],
  lines: () => ['seq 1 40; ', { to: 40 }],
  flood: (n) => { const to = 50000 * (1 + n % 8); return [`seq 1 ${to}; `, { to }]; },
  panel: () => ["printf '\\033[?1049h\\033[2J\\033[3;8r\\033[9;9Hpanel\\033[r\\033[?1049l'; ", ''],
  partial: (n) => [`printf 'partial ${n}'; `, `partial ${n}`],
  wide: (n) => [`echo "größe 世界 ${n} ${'wide '.repeat(30)}"; `, `größe 世界 ${n} ${'wide '.repeat(30)}`.trimEnd()],
  colours: (n) => [`printf '\\033[1;31mred\\033[m 10%%\\r\\033[Kdone ${n}\\n'; `, `done ${n}`],
  slow: () => ['sleep 0.2; ', ''],
  behind: (n) => [`sh -c '(sleep 0.1; echo behind ${n}) &'; `, ''],
  killed: () => ["sh -c 'kill -9 $$'", undefined],
};
const WEIGHTED = ['nothing', 'nothing', 'line', 'line', 'line', 'lines', 'flood', 'panel', 'partial', 'wide', 'colours', 'slow', 'behind', 'killed'];

function sequence(to) {
  const numbers = [];
  for (let i = 1; i <= to; i++) numbers.push(i);
  return numbers.join('\n');
}

function makeCommand(shell, n, random) {
  const kind = WEIGHTED[Math.floor(random() * WEIGHTED.length)];
  const [text, output] = KINDS[kind](n);
  const status = kind === 'killed' ? 137 : random() < 0.5 ? 0 : 1 + Math.floor(random() * 120);
  const ends = kind === 'killed' ? '' : shell === 'fish' ? `sh -c 'exit ${status}'` : `(exit ${status})`;
  return { n, kind, status, output, text: `echo ${n} >>t; ${text}${ends}` };
}

// What came into the output from elsewhere goes: from commands that went on in the background, and the echo of
// what was typed ahead meanwhile, which may stand in the middle of a line.
function withoutOthers(text, ahead) {
  let own = text;
  for (const command of ahead) own = own.replace(`${command.text}\n`, '').replace(command.text, '');
  return own.replace(/behind \d+\n?/g, '').trimEnd();
}

// What can come next of a text that `c` goes on with, at places behind `from`: its next character; in
// front of a line's end blanks may be lost, as at a row's end; a character that was cut in two, or in
// three, shows as so many of CUT.
const CUT = '\ufffd';
function goOn(text, from, c) {
  if (c === CUT && text.charCodeAt(from) > 127) return [from, from + 1];
  if (c === '\n') while (text[from] === ' ') from += 1;
  return text[from] === c ? [from + 1] : [];
}

const isOver = (text, at) => text.slice(at).trim() === '';

// In a flood the kernel prints an echo in pieces of bytes, between which any of the output may come:
// whether `text` is `wanted` with echoes, in their order, and lines of jobs in the background strewn
// in; the last echo may go on behind the end: of a lent terminal 64 bytes are read, and the rest of a
// line comes by its viewer (ptyd/worker/view_loan.c). A place is how far both are: `echo` counts
// characters of command `at` of those ahead.
function isStrewn(text, wanted, ahead) {
  const lines = ahead.map((command) => `${command.text}\n`);
  const firsts = new Set(['b', ...lines.map((line) => line[0])]);
  const jobs = /behind \d+(\n|$)/y, later = new Map(); // where such a line ends: the places in front of it
  let places = [[0, 0, 0]];
  const arrive = (i) => { places = places.concat(later.get(i) || []); later.delete(i); };
  for (let i = 0; i < text.length; i++) {
    arrive(i);
    const [place = []] = places;
    if (places.length === 1 && !place[2]) // in no echo, as nearly all of it is
      while (i < text.length && text[i] === wanted[place[0]] && !firsts.has(text[i]) && !later.has(i)) { i += 1; place[0] += 1; }
    if (i === text.length) break;
    arrive(i);
    jobs.lastIndex = i;
    if (text[i] === 'b' && jobs.test(text)) later.set(jobs.lastIndex, (later.get(jobs.lastIndex) || []).concat(places));
    const next = new Map(), c = text[i];
    const reach = (w, at, echo) => {
      const there = echo === lines[at]?.length ? [w, at + 1, 0] : [w, at, echo];
      next.set(there.join(' '), there);
    };
    for (const [w, at, echo] of places) {
      const blanks = c === '\n' && echo ? lines[at].slice(echo).match(/^ */)[0].length : 0;
      for (const to of goOn(wanted, w, c)) for (const lost of new Set([0, blanks])) reach(to, at, echo + lost);
      const behind = c === '\n' ? w + wanted.slice(w, w + 200).match(/^ */)[0].length : w;
      for (let line = at; line < (echo ? at + 1 : lines.length); line++)
        for (const to of goOn(lines[line], line === at ? echo : 0, c)) for (const from of new Set([w, behind])) reach(from, line, to);
    }
    places = [...next.values()];
    if (!places.length && !later.size) return false;
  }
  arrive(text.length);
  return places.some(([w]) => isOver(wanted, w));
}

function outputIsRight(command, text, ahead) {
  if (command.output === undefined) return true;
  const wanted = typeof command.output === 'string' ? command.output : sequence(command.output.to);
  const end = !wanted || command.kind === 'partial' ? '' : '\n';
  return withoutOthers(text, ahead) === wanted || isStrewn(text.trimEnd(), wanted + end, ahead);
}

// A terminal that shows a session, made by script(1).
class Viewer {
  constructor(space, name, cols, rows) {
    this.process = spawn('script', ['-qefc', `stty cols ${cols} rows ${rows}; exec ${PTYD} attach ${name}`, '/dev/null'],
      { env: { ...space.env, TERM: 'xterm-256color' }, stdio: ['pipe', 'pipe', 'ignore'] });
    this.shown = new Promise((resolve) => this.process.stdout.once('data', resolve));
    this.tail = ''; // the last of what it shows, and all that attach says behind that
    this.process.stdout.on('data', (data) => { this.tail = (this.tail + data.toString('latin1')).slice(-4000); });
    this.process.stdin.on('error', () => {});
    this.ended = new Promise((resolve) => this.process.on('exit', (status) => { this.dead = true; resolve(status); }));
  }

  type(keys) { this.process.stdin.write(keys); }
}

// One session: its commands, who types them, its viewers and its agent.
class Load {
  constructor(soak, shell, random) {
    Object.assign(this, { soak, shell, name: shell, thread: `thread-${shell}`, random, issued: new Map(), ran: [], told: [], excused: 0, next: 1 });
    this.directory = path.join(soak.space.root, shell);
    fs.mkdirSync(this.directory);
    this.truth = new Tail(path.join(this.directory, 't'));
    this.log = path.join(soak.space.root, `accepted-${shell}.jsonl`);
    this.accepted = new Tail(this.log);
    this.seen = new Set();
  }

  // What the commands have written and the agent was told since the last look.
  look() {
    for (const line of this.truth.take()) { this.ran.push(Number(line)); this.seen.add(Number(line)); }
    for (const line of this.accepted.take())
      for (const [key, entry] of Object.entries(JSON.parse(line).context || {}))
        if (key.startsWith('terminal_block_')) this.told.push({ key, value: entry.value });
  }

  // The commands that were typed next, which may have been ahead of their prompt.
  behind(command) { return [1, 2, 3, 4].map((i) => this.issued.get(command.n + i)).filter(Boolean); }

  async state() {
    const { result } = await this.soak.control.call('session.list', {});
    return result.find((session) => session.name === this.name).state;
  }

  // A prompt that is not seen is counted, and asked for again.
  async prompt() {
    for (;;) {
      const state = await until('a prompt', async () => await this.state() === 'prompt', PROMPT_MS).catch(() => this.state());
      if (state === true) return;
      this.look();
      this.soak.tally.add('prompt: not seen', `${this.name} is ${state} behind command ${this.ran.at(-1)}`);
      await this.input('\r');
    }
  }

  command() {
    const command = makeCommand(this.shell, this.next++, this.random);
    this.issued.set(command.n, command);
    return command;
  }

  input(text) {
    return this.soak.control.ask('session.input', { name: this.name, data: Buffer.from(text).toString('base64') });
  }

  // Waits until all of them have run. What was not acknowledged may never: that is known when a prompt
  // has stood for a while, and then what is left of it is wiped off the line.
  async ran_(commands, acknowledged) {
    const began = Date.now();
    let stood = 0;
    const missing = () => { this.look(); return commands.filter(({ n }) => !this.seen.has(n)); };
    while (missing().length) {
      if (await this.state() !== 'prompt') stood = 0;
      else stood = stood || Date.now();
      if (stood && Date.now() - stood > SETTLED_MS * (acknowledged ? 3 : 1)) break;
      if (Date.now() - began > PROMPT_MS) break;
      await pause(10);
    }
    const never = missing();
    if (!never.length) return;
    for (const { n, text } of never) this.soak.tally.add(acknowledged ? 'acknowledged, never run' : 'in doubt, not run', `${this.name} ${n}: ${text}`);
    while (!(await this.input('\x15'))?.result);
  }

  async typeThem(count) {
    const commands = Array.from({ length: count }, () => this.command());
    const answer = await this.input(commands.map(({ text }) => `${text}\r`).join(''));
    if (!answer) this.soak.tally.add('input in doubt');
    await this.ran_(commands, Boolean(answer?.result));
  }

  // With marks a run types at a prompt alone.
  async runIt() {
    const { tally, deaths, wasAway } = this.soak;
    await this.prompt();
    const command = this.command(), before = deaths();
    const run = spawn(PTYD, ['run', '-s', this.name, '--timeout', '120', '--', command.text], { env: this.soak.space.env });
    let output = '', said = '';
    run.stdout.setEncoding('utf8').on('data', (data) => { output += data; });
    run.stderr.on('data', (data) => { said += data; });
    const status = await new Promise((resolve) => { run.on('close', resolve); });
    tally.add('run');
    const cut = deaths() !== before;
    if (status === 125 && cut && wasAway()) tally.add('run: ended with the worker');
    else if (status !== command.status) tally.add('run: wrong status', `${this.name} ${command.text}: ${status} ${said}`);
    else if (!outputIsRight(command, output, this.behind(command))) tally.add('run: wrong output', `${this.name} ${command.text}: ${output.length} bytes, ${JSON.stringify(output.slice(-80))}`);
    await this.ran_([command], status === command.status);
  }

  async typeIntoViewer() {
    const { deaths } = this.soak;
    const viewer = this.viewer;
    if (!viewer || viewer.dead || viewer.leaves) return this.typeThem(1);
    viewer.typing = true;
    const command = this.command(), before = deaths();
    viewer.type(`${command.text}\r`);
    await this.ran_([command], false);
    viewer.typing = false;
    // One that a worker's death has cut off has it yet, and says so when it leaves.
    if (!this.seen.has(command.n) && deaths() === before && !viewer.dead)
      viewer.ended.then((status) => {
        if (status === 0 && !/bytes that you typed/.test(viewer.tail) && !this.seen.has(command.n))
          this.soak.tally.add('typed in a viewer, never run', `${this.name} ${command.text}`);
      });
    return undefined;
  }

  // How many ran of which the agent was not told, as far as it is not known that it will not be.
  waiting() {
    this.look();
    return this.ran.length - new Set(this.told.map(({ key }) => key)).size - this.excused;
  }

  // So that no block is dropped for newer ones, which would be right, too. A take has 50 ms: where
  // workers are killed faster than they begin none comes through.
  async untold() {
    let since = Date.now();
    for (;;) {
      const waiting = this.waiting();
      if (waiting < UNTOLD_MAX) return;
      if (this.soak.wasAway()) since = Date.now();
      if (Date.now() - since > TOLD_LATE_MS) {
        this.soak.tally.add('told late or never', `${this.name}, ${waiting} blocks behind command ${this.ran.at(-1)}`);
        this.excused += waiting;
        return;
      }
      await pause(20);
    }
  }

  do(what, promise) { this.doing = what; return promise; }

  async drive(going) {
    while (going()) {
      const way = this.random();
      await this.do('waits to be told', this.untold());
      if (way < 0.5) await this.do('types one', this.typeThem(1));
      else if (way < 0.7) await this.do('types ahead', this.typeThem(2 + Math.floor(this.random() * 2)));
      else if (way < 0.85) await this.do('runs', this.runIt());
      else await this.do('types in a viewer', this.typeIntoViewer());
      if (this.random() < 0.5) await this.do('waits for a prompt', this.prompt());
    }
    await this.do('ends', this.prompt());
  }

  // Terminals come and go, of any size; some just die.
  async watch(going) {
    const { tally, wasAway } = this.soak;
    while (going()) {
      const viewer = new Viewer(this.soak.space, this.name, 40 + Math.floor(this.random() * 120), 8 + Math.floor(this.random() * 40));
      tally.add('viewers');
      await Promise.race([viewer.shown, viewer.ended]);
      this.viewer = viewer;
      await Promise.race([pause(200 + this.random() * 3000), viewer.ended]);
      while (viewer.typing && !viewer.dead) await pause(10);
      viewer.leaves = true;
      const gone = viewer.dead;
      if (this.random() < 0.2) viewer.process.kill('SIGKILL');
      else viewer.type('\x1cd');
      const left = await Promise.race([viewer.ended, pause(20000).then(() => 'never')]);
      if (left === 'never') { tally.add('viewer: does not leave', this.name); viewer.process.kill('SIGKILL'); }
      if (gone) tally.add(wasAway() ? 'viewer: ended with the worker' : 'viewer: died', this.name);
      await pause(this.random() * 500);
    }
  }

  // An agent's turns; each takes what there is.
  async converse(going) {
    const client = await new TurnClient(this.soak.space, ['-s', this.name, '--', this.soak.standin], this.log).start(this.thread);
    client.ended.then(() => { if (!this.over) this.soak.tally.add('proxy: died', this.name); });
    while (going()) {
      const answer = await client.request('turn/start', { threadId: this.thread, input: [{ type: 'text', text: 'go on' }] });
      this.soak.tally.add('turns');
      if (!answer?.result) this.soak.tally.add('turn: no result', JSON.stringify(answer));
      if (client.dead) break;
      await pause(50 + this.random() * 200);
    }
    this.over = true;
    client.process.stdin.end();
    await client.ended;
  }
}

// `ptyd events -f`: each end of a block, once.
async function follow(soak, going, ends) {
  while (going()) {
    const client = new Client(PTYD, ['events', '-f'], { env: soak.space.env });
    let at = 0, over = false;
    const take = () => {
      for (; at < client.messages.length; at++)
        if (client.messages[at].type === 'agent_block_end') ends.push(client.messages[at].block.block_id);
    };
    client.ended.then((status) => { over = true; if (going()) soak.tally.add(soak.wasAway() ? 'events: ended with the worker' : 'events: died', `status ${status} ${client.stderr}`); });
    while (going() && !over) { take(); client.messages.splice(0, at); client.lines.length = at = 0; await pause(20); }
    client.process.kill();
    await client.ended;
  }
}

// `ptyd mcp`: an agent's look at the screen.
async function serve(soak, going) {
  while (going()) {
    const client = new Client(PTYD, ['mcp', '-s', 'bash'], { env: soak.space.env });
    let lost = false;
    client.ended.then(() => { lost = true; });
    client.process.stdin.on('error', () => {});
    const asked = (method, params) => Promise.race([client.request(method, params, undefined, MCP_MS).catch(() => null), client.ended.then(() => null)]);
    await asked('initialize', { protocolVersion: '2025-06-18', capabilities: {} });
    while (going() && !lost) {
      const answer = await asked('tools/call', { name: 'pty_read_screen', arguments: {} });
      soak.tally.add('mcp');
      if (answer && answer.result && !answer.result.isError) JSON.parse(answer.result.content[0].text);
      else {
        soak.tally.add(soak.wasAway() ? 'mcp: ended with the worker' : 'mcp: no answer', JSON.stringify(answer));
        lost = soak.wasAway();
      }
      client.messages.length = 0;
      await pause(100);
    }
    client.process.stdin.end();
    await client.ended;
  }
}

// Of an output that is not right, what stands around the first line that is none of the command's in its
// place, for whoever reads the report.
function aroundFault(command, output) {
  const wanted = (typeof command.output === 'string' ? command.output : sequence(command.output.to)).split('\n');
  const lines = output.split('\n');
  const at = Math.max(0, lines.findIndex((line, i) => line !== wanted[i]));
  return `from line ${at + 1} on ${JSON.stringify(lines.slice(Math.max(0, at - 1), at + 8).join('\n').slice(0, 600))}`;
}

module.exports = { Tally, Load, follow, serve, pause, outputIsRight, aroundFault };
