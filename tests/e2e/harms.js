// Each state file damaged in each way, one at a time, under a living session (its worker killed) and cold
// (another daemon): every session is there at once, runs a command with its own status, numbers and
// keys go on above all earlier ones, and the agent is told what it was not told, nothing else.
//
// Usage: node harms.js (LONG=1: every way, at every 17th byte or STEP=n, a quarter of an hour; else some: SEED=n).
// tests/unit/test_harms.c goes to every byte of what is told and numbered.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, until } = require('./harness');

const LONG = Boolean(process.env.LONG);
const STEP = Number(process.env.STEP || 17);
const SOME = 16; // damages at a time where not all are tried
const BATCH = 45; // sessions of a daemon: the blocks of more would not all be remembered for agents
let seed = Number(process.env.SEED || Date.now() % 100000);
const firstSeed = seed;
const random = (n) => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor(seed / 65536) % n; };

// Below `<state>/conversations/<name>`. `told`: agents and numbers depend on it, so that damage is found at
// the start; of the others only what cannot be opened is.
const FILES = [
  { name: 'meta.json', told: true }, { name: 'meta.copy.json', told: true },
  { name: 'agent_pty/blocks.jsonl', told: true }, { name: 'agent_pty/blocks.copy.jsonl', told: true },
  { name: 'agent_pty/output.idx' }, { name: 'agent_pty/output.raw' }, { name: 'agent_pty/checkpoint' },
  { name: 'agent_pty/events.jsonl' }, { name: 'agent_pty/screen.jsonl' }, { name: 'agent_pty/screen.snapshot.json' },
  { name: 'agent_pty/scrollback.snapshot.json' }, { name: 'agent_pty/screen_size.json' }, { name: 'agent_pty/shell_id.txt' },
  { name: 'agent_pty/blocks' },
  // What came before; of sessions that are young there is none.
  { name: 'agent_pty/blocks.jsonl.1' }, { name: 'agent_pty/blocks.copy.jsonl.1' }, { name: 'agent_pty/events.jsonl.1' }, { name: 'agent_pty/screen.jsonl.1' },
];
const STATE_FILES = ['keys.json', 'keys.copy.json', 'context.json', 'context.copy.json'];

// The others there: what they hold may be lost, no session and nobody's turn.
const OTHER_FILES = ['names.json', 'gone.jsonl', 'gone.jsonl.1', 'receipts.jsonl', 'receipts.jsonl.1', 'forget.json', 'hosts', 'hosts/blocks.jsonl',
  'conversations/closed/meta.json', 'conversations/closed/agent_pty/shell_id.txt', 'conversations/closed/agent_pty/blocks.jsonl', 'conversations/closed/agent_pty/blocks.jsonl.1',
  'hosts/blocks.jsonl.1', 'hosts/known.json', 'hosts/known.copy.json', 'hosts/ledger.json', 'hosts/ledger.copy.json', 'search.db', 'search.lock'];

const bytes = (change) => (file, at) => {
  if (!fs.existsSync(file) || fs.statSync(file).isDirectory()) return;
  const content = fs.readFileSync(file);
  fs.writeFileSync(file, change(content, Math.min(at, content.length - 1)));
};
const place = (put) => (file) => { fs.rmSync(file, { recursive: true, force: true }); put(file); };
const HARMS = {
  cut: bytes((content, at) => content.subarray(0, at)),
  flipped: bytes((content, at) => { content[at] ^= 1 << (at % 7); return content; }),
  turned: bytes((content, at) => { content[at] ^= 0xff; return content; }),
  'cut in a mark': bytes((content) => content.subarray(0, content.lastIndexOf(';raw=') + 7)), // what follows must not end up in it
  zeroed: bytes((content) => content.fill(0)),
  'half zeroed': bytes((content) => content.fill(0, content.length >> 1)),
  missing: place(() => {}),
  directory: place((file) => { fs.mkdirSync(file); fs.writeFileSync(path.join(file, 'something'), ''); }),
  'a file': place((file) => fs.writeFileSync(file, 'no such thing')),
  'dangling link': place((file) => fs.symlinkSync('/nowhere/at/all', file)),
  link: place((file) => fs.symlinkSync('/etc/passwd', file)),
  fifo: place((file) => spawnSync('mkfifo', [file])), // whoever opens it to read waits for a writer
  locked: (file) => { if (fs.existsSync(file)) fs.chmodSync(file, 0); },
  'read-only': (file) => { if (fs.existsSync(file)) fs.chmodSync(file, fs.statSync(file).isDirectory() ? 0o500 : 0o400); },
};
const WITH_PLACE = ['cut', 'flipped', 'turned'];

// What can be done: [{file, harm, at, told}], `sizes` of a session's files.
function allCases(sizes) {
  const cases = [];
  for (const { name: file, told } of FILES) {
    for (const harm of Object.keys(HARMS)) {
      const size = WITH_PLACE.includes(harm) ? Math.min(sizes[file] || 0, 3000) : 1;
      const step = LONG ? STEP : Math.max(1, Math.floor(size / 3));
      for (let at = size === 1 ? 0 : random(step); at < size; at += step) cases.push({ file, harm, at, told });
    }
  }
  return cases;
}

// One connection to the daemon, made again when its worker is gone.
class Control {
  constructor(socket) { this.path = socket; this.id = 0; this.waiting = new Map(); }

  connect() {
    if (this.socket) return;
    let text = '';
    this.socket = net.connect(this.path);
    this.socket.on('data', (data) => {
      const lines = (text + data).split('\n');
      text = lines.pop();
      for (const line of lines) { const m = JSON.parse(line); this.waiting.get(m.id)?.(m); this.waiting.delete(m.id); }
    });
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.socket = null;
      for (const done of this.waiting.values()) done(null);
      this.waiting.clear();
    });
  }

  call(method, params = {}) {
    this.connect();
    this.id += 1;
    return new Promise((resolve) => {
      this.waiting.set(this.id, resolve);
      this.socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: this.id, method, params })}\n`);
    });
  }

  // The result; a worker that is being replaced is waited for.
  async ask(method, params) {
    const answer = await until(`an answer to ${method}`, () => this.call(method, params), 30000);
    if (answer.error) throw new Error(`${method} ${JSON.stringify(params)}: ${answer.error.message}`);
    return answer.result;
  }

  end() { this.socket?.destroy(); }
}

const keysOf = (taken) => Object.keys(taken.additionalContext).map((key) => Number(key.split('_').pop()));
const commandsOf = (taken) => Object.entries(taken.additionalContext).filter(([key]) => key.startsWith('terminal_block_'))
  .sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => JSON.parse(entry.value).cmd);

async function tell(control, session, consumer = 'codex:agent') {
  const taken = await control.ask('context.take', { consumer, session, expires: true });
  if (taken.lease) await control.ask('context.commit', { lease: taken.lease, receipt: taken.receipt });
  return taken;
}

const run = (control, name, command) => control.ask('session.run', { name, command, timeout_ms: 20000 });

async function killWorker(control) {
  const { worker_pid: pid } = await control.ask('status');
  process.kill(pid, 'SIGKILL');
  await until('another worker', async () => (await control.ask('status')).worker_pid !== pid);
}

// A daemon with sessions, of each of which an agent was told two commands and not yet the third.
class House {
  static async build(cases, shell = 'bash') {
    const house = new House();
    house.space = workspace();
    house.daemon = await new Daemon(house.space).ready();
    house.control = new Control(house.space.env.PTYD_SOCKET);
    house.cases = cases.map((one, i) => ({ ...one, name: `bad-${i}` }));
    house.highest = 0;
    house.shell = shell;
    for (const { name } of house.all()) await house.begin(name);
    return house;
  }

  all() { return [...this.cases, { name: 'well' }]; }

  open(name) { return this.control.ask('session.open', { name, shell: this.shell, env: Object.entries(this.space.env).map(([k, v]) => `${k}=${v}`), cwd: this.space.home }); }

  async begin(name) {
    await this.open(name);
    await run(this.control, name, 'echo told');
    await run(this.control, name, '(exit 5)');
    const taken = await tell(this.control, name);
    assert.deepStrictEqual(commandsOf(taken), ['echo told', '(exit 5)']);
    await run(this.control, name, 'echo pending');
    this.highest = Math.max(this.highest, ...keysOf(taken));
  }

  place(name, file) { return path.join(this.space.env.PTYD_STATE_DIR, 'conversations', name, file); }

  harm() { for (const { name, file, harm, at } of this.cases) HARMS[harm](this.place(name, file), at); }

  pids() { return this.control.ask('session.list').then((list) => Object.fromEntries(list.map((s) => [s.name, s.shell_pid]))); }

  async restart() {
    this.control.end();
    await this.daemon.stop();
    this.harm();
    this.daemon = await new Daemon(this.space).ready();
    this.control = new Control(this.space.env.PTYD_SOCKET);
    for (const { name } of this.all()) await this.open(name);
  }

  // Every session does as if nothing had happened.
  async check() {
    let keys = [];
    for (const { name, file, harm, at } of this.all().reverse()) {
      const what = file ? `${file} ${harm} at ${at}` : 'the one nothing was done to';
      const { block, completed } = await run(this.control, name, '(exit 3)');
      assert.deepStrictEqual([completed, block?.exit_code, block?.seq], [true, 3, 4], what);
      const taken = await tell(this.control, name);
      assert.deepStrictEqual(commandsOf(taken), ['echo pending', '(exit 3)'], what);
      assert.deepStrictEqual([taken.total_commands_run, taken.dropped], [2, 0], what);
      keys = keys.concat(keysOf(taken).filter((key) => key > this.highest));
      assert.ok(Math.max(...keysOf(taken)) > this.highest, what);
      const blocks = await this.control.ask('session.blocks', { name });
      assert.deepStrictEqual(blocks.map((b) => `${b.seq} ${b.cmd} ${b.exit_code}`), ['1 echo told 0', '2 (exit 5) 5', '3 echo pending 0', '4 (exit 3) 3'], what);
    }
    assert.strictEqual(new Set(keys).size, keys.length, 'no key twice');
  }

  // What agents and numbers depend on is said when it is damaged, and what cannot be opened; and `verify`
  // finds what was set aside.
  async checkSaid() {
    const { warnings } = await this.control.ask('status');
    const log = fs.readFileSync(path.join(this.space.root, 'daemon.log'), 'utf8');
    const found = JSON.parse(this.daemon.ptyd('verify', '--json').stdout);
    for (const { name, file, harm, at, told } of this.cases) {
      const what = `${file} ${harm} at ${at}`, there = this.place(name, file);
      const unopened = ['directory', 'dangling link', 'link', 'fifo'].includes(harm) && !(file.startsWith('meta') && harm === 'link');
      const content = told && ['zeroed', 'half zeroed', 'turned', 'link', 'missing'].includes(harm);
      if (file === 'agent_pty/blocks' ? harm !== 'a file' && harm !== 'link' : !unopened && !content) continue;
      assert.ok(warnings.some((w) => w.startsWith(`session ${name}: `) && w.includes(there)), `status: ${what}: ${warnings.filter((w) => w.includes(name))}`);
      assert.ok(log.includes(there), `said at the start: ${what}`);
      if (harm !== 'missing')
        assert.ok(found.files.some((f) => f.state === 'aside' && f.path.startsWith(`${there}.damaged-`)), `verify: ${what}`);
    }
    assert.ok(!warnings.some((w) => w.startsWith('session well: ')), 'nothing of the others');
    assert.ok(!found.files.some((f) => f.path.includes('/well/') && f.state !== 'ok'), 'nor by verify');
    const damaged = found.files.filter((f) => f.state === 'damaged' && !/\/(events|screen|scrollback|shell_id|output|checkpoint)/.test(f.path));
    assert.deepStrictEqual(damaged, [], 'what was damaged is whole again');
  }

  async end() {
    this.control.end();
    assert.deepStrictEqual(await this.daemon.stop(), { code: 0, signal: null });
    spawnSync('chmod', ['-R', 'u+rwX', this.space.root]);
    removeWorkspace(this.space);
  }
}

async function sizesOfFiles() {
  const house = await House.build([]);
  const sizes = Object.fromEntries(FILES.map(({ name }) => [name, fs.statSync(house.place('well', name), { throwIfNoEntry: false })?.size]));
  await house.end();
  return sizes;
}

async function main() {
  const report = new Report({ limit: LONG ? 7200 : 300 });
  const cases = allCases(await sizesOfFiles());
  for (let i = cases.length - 1; i > 0; i--) { const j = random(i + 1); [cases[i], cases[j]] = [cases[j], cases[i]]; }
  const last = cases.findIndex(({ file, harm }) => file === 'agent_pty/output.raw' && harm === 'cut in a mark');
  cases.unshift(...cases.splice(last, 1));
  const take = (from) => (LONG ? cases : cases.slice(from * SOME, (from + 1) * SOME));

  for (const [from, cold] of [[0, false], [1, true]]) {
    await report.test(`${cold ? 'cold' : 'under living shells'}: ${take(from).length} of ${cases.length} damages to a session's files (SEED=${firstSeed})`, async () => {
      const chosen = take(from);
      for (let at = 0; at < chosen.length; at += BATCH) {
        const house = await House.build(chosen.slice(at, at + BATCH));
        const before = await house.pids();
        if (cold) {
          await house.restart();
        } else {
          house.harm();
          await killWorker(house.control);
          assert.deepStrictEqual(await house.pids(), before);
        }
        await house.check();
        await house.checkSaid();
        await house.end();
      }
    });
  }

  await report.test('the state directory\'s own files, under a living shell and cold: no key comes again, what is off stays off', async () => {
    const house = await House.build([]);
    await house.control.ask('context.inject', { on: false, thread: 'quiet' });
    let told = ['echo pending'], count = 0;
    for (const file of STATE_FILES) {
      for (const harm of Object.keys(HARMS)) {
        const there = path.join(house.space.env.PTYD_STATE_DIR, file), cold = count % 5 === 0;
        const size = WITH_PLACE.includes(harm) ? fs.statSync(there).size : 1;
        for (let at = 0; at < size; at += LONG ? 1 : size) {
          if (!LONG && random(3)) continue;
          const what = `${file} ${harm} at ${at}`;
          count += 1;
          house.harm = () => HARMS[harm](there, at);
          if (cold) {
            await house.restart();
          } else {
            house.harm();
            await killWorker(house.control);
          }
          await run(house.control, 'well', `echo ${count}`);
          const taken = await tell(house.control, 'well');
          assert.deepStrictEqual(commandsOf(taken), [...told, `echo ${count}`], what);
          const fresh = keysOf(taken).filter((key) => key > house.highest);
          assert.strictEqual(fresh.length, count === 1 ? keysOf(taken).length : 2, `${what}: its keys are new`);
          house.highest = Math.max(...fresh);
          told = [];
          const quiet = await house.control.ask('context.take', { consumer: 'codex:quiet', session: 'well' });
          assert.strictEqual(quiet.injection, false, what);
        }
      }
    }
    await house.end();
  });

  await report.test('the others of the state directory, under a living shell and cold: sessions are served, agents told, others\' commands once', async () => {
    const house = await House.build([]), state = house.space.env.PTYD_STATE_DIR;
    await house.open('closed');
    await run(house.control, 'closed', 'true');
    await house.control.ask('session.close', { name: 'closed' });
    await house.control.ask('session.rename', { name: 'well', to: 'good' });
    assert.deepStrictEqual(commandsOf(await tell(house.control, 'well')), ['echo pending']);
    let count = 0;
    const heard = () => ({
      host_id: 'd3b07384d113edec', host: 'devbox', session: 'default', number: count,
      block: { shell_id: 'shell_77aa', seq: count, cmd: `make ${count}`, cwd: '/', cwd_after: '/', exit_code: 2, status: 'completed', type: 'user_cmd', ts_begin: Date.now(), ts_end: Date.now(), duration_ms: 0, preview: { lines: [], truncated: false } },
    });
    for (const file of OTHER_FILES) {
      for (const harm of Object.keys(HARMS)) {
        if (!LONG && random(4)) continue;
        const there = path.join(state, file), what = `${file} ${harm}`;
        const size = fs.existsSync(there) ? fs.statSync(there).size || 1 : 1;
        count += 1;
        house.harm = () => HARMS[harm](there, random(size));
        if (count % 5 === 0) {
          await house.restart();
        } else {
          house.harm();
          await killWorker(house.control);
        }
        const { block } = await run(house.control, 'well', `(exit ${count % 200})`);
        assert.deepStrictEqual([block?.exit_code, block?.seq], [count % 200, 3 + count], what);
        const other = await house.control.call('host.block', heard());
        assert.ok(other?.result?.taken || harm === 'read-only', `${what}: ${JSON.stringify(other)}`);
        const taken = await tell(house.control, 'well');
        const commands = commandsOf(taken).filter((cmd) => !cmd.startsWith('make '));
        assert.deepStrictEqual(commands, [`(exit ${count % 200})`], what);
        const keys = keysOf(taken).filter((key) => key > house.highest);
        assert.ok(keys.length >= 2, `${what}: its keys are new`);
        house.highest = Math.max(...keys);
        for (const args of [['explain'], ['search', 'nothing'], ['list', '--all'], ['blocks', '-s', 'closed'], ['verify']]) assert.ok([0, 1].includes(house.daemon.ptyd(...args).status), `${args} ${what}`);
        if (fs.existsSync(there) && ['locked', 'read-only'].includes(harm)) fs.chmodSync(there, 0o700);
      }
    }
    await house.end();
  });

  report.finish();
}

// Root reads and writes what it has no right to: not here.
const DROP = '-dac_override,-dac_read_search';
if (process.geteuid() === 0 && !process.env.HARMS_AS_USER) {
  const { status, signal, error } = spawnSync('setpriv', [`--bounding-set=${DROP}`, `--inh-caps=${DROP}`, process.execPath, __filename],
    { stdio: 'inherit', env: { ...process.env, HARMS_AS_USER: '1' } });
  if (error) throw error;
  process.exitCode = signal ? 1 : status;
} else {
  main().catch((error) => { console.error(error); process.exit(1); });
}
