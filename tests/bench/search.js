// search.js: a state directory of BLOCKS commands (1,000,000), in sessions that are closed and in some that are
// open: how long the index takes to be made, and how long searches take once it is up to date, each with the
// program's start. Outputs are of words of this tree, with numbers and hashes between them.
// BLOCKS=1000000; SEARCHES=20 of each kind; KEEP=DIR: made there once, and left there.
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, until, PTYD } = require('../e2e/harness');

const BLOCKS = Number(process.env.BLOCKS || 1000000);
const SEARCHES = Number(process.env.SEARCHES || 20);
const LINES_BYTES = 16e6; // of blocks.jsonl, and of blocks.jsonl.1
const FILES = 600; // outputs of a session that are there whole
const RARE = 5; // commands that have a rare word

// ---- words ----

function random(seed) {
  let state = seed;
  return (most) => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return Math.floor(state / 2 ** 32 * most); };
}
const next = random(12);

// The words of the tree, the ones used most first.
function vocabulary() {
  const root = path.resolve(__dirname, '../..'), counts = new Map();
  for (const part of ['.', 'docs', 'ptyd/core', 'ptyd/worker', 'ptyd/session', 'ptyd/client', 'vterm_snapshot', 'shell'])
    for (const name of fs.readdirSync(path.join(root, part)))
      if (/\.(md|[ch1-8]|sh|fish)$/.test(name))
        for (const word of fs.readFileSync(path.join(root, part, name), 'utf8').match(/[\w./:-]{2,24}/g))
          counts.set(word, (counts.get(word) || 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word);
}
const WORDS = vocabulary();
const word = () => { const u = next(1 << 24) / (1 << 24); return WORDS[Math.floor(WORDS.length * u * u * u)]; };
const words = (n) => { let text = word(); for (let i = 1; i < n; i++) text += ` ${word()}`; return text; };
const hex = (n) => { let text = ''; while (text.length < n) text += next(1 << 24).toString(16).padStart(6, '0'); return text.slice(0, n); };

const LINES = [
  () => `${word()}.c:${next(900)}:${next(80)}: error: ${words(6)}`,
  () => `-rw-r--r-- 1 user user ${String(next(1e6)).padStart(7)} Nov ${1 + next(28)} ${10 + next(14)}:${10 + next(50)} ${word()}`,
  () => `${hex(8)} ${words(7)}`,
  () => `2026-11-${10 + next(20)}T${10 + next(14)}:${10 + next(50)}:${10 + next(50)}.${next(1000)}Z INFO ${word()}[${next(65536)}]: ${words(8)}`,
  () => `ok ${next(2000)} - ${words(5)}`,
  () => `  ${words(9)}`,
  () => `  ${words(4)}`,
];
const COMMANDS = [() => `make ${word()}`, () => `git log ${word()}`, () => `ls -l ${word()}`, () => `grep -r ${word()} ${word()}`, () => `cd ${word()}`, () => `./${word()} --${word()} ${next(1000)}`];
const DIRECTORIES = Array.from({ length: 60 }, (_, i) => `/home/user/${['src', 'work', 'notes'][i % 3]}/${WORDS[100 + i].replace(/\W/g, '')}/${WORDS[300 + i].replace(/\W/g, '')}`);

// Three tenths print nothing, four some lines, three a screenful or more.
function output() {
  const kind = next(10), lines = kind < 3 ? 0 : kind < 7 ? 1 + next(8) : 12 + next(40);
  let text = '';
  for (let i = 0; i < lines; i++) text += `${LINES[next(LINES.length)]()}\n`;
  return text;
}

// Of parts of words, so that they are looked like: never one of the tree.
function invented(count) {
  const known = WORDS.join('\n').toLowerCase(), made = new Set();
  const letters = WORDS.slice(0, 2000).filter((w) => /^[a-z]{6,12}$/.test(w));
  while (made.size < count) {
    const one = letters[next(letters.length)], other = letters[next(letters.length)];
    const both = one.slice(0, one.length >> 1) + other.slice(other.length >> 1);
    if (both.length >= 6 && !known.includes(both)) made.add(both);
  }
  return [...made];
}
const [planted, nowhere] = [invented(SEARCHES), invented(2 * SEARCHES).slice(SEARCHES)];

// ---- files ----

const NOW = Date.now();
const made = { blocks: 0, text: 0, sessions: 0 };

function block(name, seq, began) {
  const failed = next(8) === 0, cwd = DIRECTORIES[next(DIRECTORIES.length)];
  let text = output();
  const rare = Math.floor(made.blocks / Math.max(1, Math.floor(BLOCKS / (RARE * SEARCHES + 1))));
  if (rare !== made.rare) text += `${words(3)} ${planted[(made.rare = rare) % planted.length]} ${words(2)}\n`;
  const lines = text.split('\n');
  lines.pop();
  const preview = lines.slice(-20);
  while (preview.join('\n').length > 2900) preview.shift();
  const head = { block_id: `${name}:${seq}:${began}`, conversation_id: name, shell_id: 'shell_0337ded0', seq, cmd: COMMANDS[next(COMMANDS.length)](), cmd_truncated: false };
  const where = { cmd_source: 'history', cwd, cwd_after: cwd };
  const rest = { output_path: `blocks/${seq}_${began}.out`, alt_screen: false, nested: false, private: false, unsigned: false };
  const begin = { ...head, ...where, cmd_source: 'echo', exit_code: null, signal: null, status: 'running', type: 'user_cmd', ts_begin: began, ts_end: null, duration_ms: 0, output_lines: 0, output_bytes: 0, ...rest, preview: { lines: [], truncated: false }, omitted_lines: 0, key: 0, sum: hex(16) };
  const end = { ...begin, cmd_source: 'history', exit_code: failed ? 1 + next(3) : 0, status: 'completed', ts_end: began + 900, duration_ms: 900, output_lines: lines.length, output_bytes: text.length, preview: { lines: preview, truncated: preview.length < lines.length }, omitted_lines: lines.length - preview.length, key: seq, sum: hex(16) };
  return { text, shown: preview.join('\n').length + 1, cmd: head.cmd, path: rest.output_path, lines: `${JSON.stringify(unsealed(begin))}\n${JSON.stringify(unsealed(end))}\n` };
}

// A line whose end is unlike a seal was never sealed; as long as one that was.
function unsealed({ sum, ...object }) { return { ...object, pad: `${sum}123456` }; }

// As many blocks as its files hold, or are left to be made.
function session(state, name, left) {
  const place = path.join(state, 'conversations', name, 'agent_pty'), recent = [];
  fs.mkdirSync(path.join(place, 'blocks'), { recursive: true });
  let seq = 0, time = NOW - (1 + made.sessions % 30) * 86400000;
  for (const file of ['blocks.jsonl.1', 'blocks.jsonl']) {
    const parts = [];
    for (let bytes = 0; bytes < LINES_BYTES && seq < left;) {
      const b = block(name, ++seq, time += 1000 + next(3000));
      parts.push(b.lines);
      bytes += b.lines.length;
      made.blocks += 1;
      made.text += b.cmd.length + b.shown;
      recent.push(b);
      if (recent.length > FILES) recent.shift();
    }
    if (parts.length) fs.writeFileSync(path.join(place, file), parts.join(''));
  }
  for (const b of recent) {
    fs.writeFileSync(path.join(place, b.path), b.text);
    made.text += b.text.length - b.shown;
  }
  if (!fs.existsSync(path.join(place, 'blocks.jsonl'))) fs.renameSync(path.join(place, 'blocks.jsonl.1'), path.join(place, 'blocks.jsonl'));
  made.sessions += 1;
}

function fill(state) {
  for (let i = 0; made.blocks < BLOCKS; i++) session(state, `closed-${i}`, BLOCKS - made.blocks);
}

// ---- measures ----

const row = (what, value, asked) => console.log(`  ${what.padEnd(52)}${String(value).padStart(20)}   ${asked ? `(asked: ${asked})` : ''}`);
const load = () => os.loadavg()[0].toFixed(1);
const share = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)];

function run(env, args) {
  const began = process.hrtime.bigint();
  const { status, stderr, error } = spawnSync(PTYD, args, { env, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  if (error || status > 1) throw new Error(`ptyd ${args.join(' ')}: ${error ? error.message : stderr}`);
  return { ms: Number(process.hrtime.bigint() - began) / 1e6, found: status === 0, said: stderr };
}

function index(env) {
  const db = path.join(env.PTYD_STATE_DIR, 'search.db');
  fs.rmSync(db, { force: true });
  const { stderr } = spawnSync('bash', ['-c', `TIMEFORMAT='%R %U %S'; time "$0" search 'no such thing' 2>/dev/null`, PTYD], { env, encoding: 'utf8' });
  const [wall, user, system] = stderr.trim().split('\n').pop().split(' ').map(Number);
  const mb = made.text / 1e6;
  row(`made, of ${made.blocks} commands, ${mb.toFixed(0)} MB of text, s`, `${wall.toFixed(1)}, load ${load()}`);
  row('MB/s; of processor time', `${(mb / wall).toFixed(1)}; ${(mb / (user + system)).toFixed(1)}`, '20');
  row('commands/s; size of the index, MB', `${(made.blocks / wall).toFixed(0)}; ${(fs.statSync(db).size / 1e6).toFixed(0)}`);
}

// Of all processes that were waited for, in hundredths of a second.
const processorTime = () => fs.readFileSync('/proc/self/stat', 'utf8').replace(/^.*\) /, '').split(' ').slice(13, 15).reduce((sum, n) => sum + Number(n), 0);

function measure(env, what, questions) {
  const times = [];
  let found = 0;
  run(env, questions[0]); // what the disk has to be asked for once
  const before = processorTime();
  for (const args of questions) {
    const answer = run(env, args);
    if (/does not tell all/.test(answer.said)) throw new Error(answer.said);
    times.push(answer.ms);
    found += answer.found;
  }
  const cost = (processorTime() - before) * 10 / questions.length;
  times.sort((a, b) => a - b);
  row(`${what}, ${found} of ${questions.length} found`, `${share(times, 0.5).toFixed(1)}, ${share(times, 0.95).toFixed(1)}, ${cost.toFixed(1)}`, '100');
}

const asked = (list, ...more) => list.slice(0, SEARCHES).map((pattern) => ['search', ...more, '--', pattern]);

async function tenAtOnce(env, questions) {
  const began = process.hrtime.bigint();
  const times = await Promise.all(questions.slice(0, 10).map((args) => new Promise((resolve) => {
    const child = spawn(PTYD, args, { env, stdio: 'ignore' });
    child.on('close', () => resolve(Number(process.hrtime.bigint() - began) / 1e6));
  })));
  row(`ten at once on ${os.cpus().length} processors: the median, the last`, `${share(times.sort((a, b) => a - b), 0.5).toFixed(1)}, ${times.at(-1).toFixed(1)}`);
}

async function searches(env) {
  const common = WORDS.filter((w) => w.length > 3).slice(0, SEARCHES);
  const letters = WORDS.filter((w) => /^[a-z]{4,}$/.test(w));
  const phrases = Array.from({ length: SEARCHES }, (_, i) => `${letters[i]} ${letters[40 + i]} ${letters[80 + i]} ${letters[120 + i]}`);
  const pairs = Array.from({ length: SEARCHES }, (_, i) => 'etqxzjhkw_'[i % 10] + 'qzrxjgaovw'[(i * 7 + (i / 10 | 0)) % 10]);
  const start = Array.from({ length: SEARCHES }, () => run(env, ['version']).ms).sort((a, b) => a - b);
  row('a program that does nothing, ms: p50', share(start, 0.5).toFixed(1));
  console.log('  ms of a search: p50, p95; of processor time');
  measure(env, 'a rare word', asked(planted));
  measure(env, 'a common word', asked(common));
  measure(env, '--failed --since 2d, a common word', asked(common, '--failed', '--since', '2d'));
  measure(env, '--cwd, a common word', asked(common, '--cwd', DIRECTORIES[0]));
  measure(env, '--failed --cwd, a rare word', asked(planted, '--failed', '--cwd', '/home/user/work'));
  measure(env, 'a word that is nowhere', asked(nowhere));
  measure(env, 'common words, nowhere in this order', asked(phrases));
  measure(env, 'two letters', asked(pairs));
  await tenAtOnce(env, [...asked(planted), ...asked(common), ...asked(phrases)].filter((_, i) => i % 5 === 0));
}

// Some that a daemon serves, whose last command runs.
async function open(space) {
  const daemon = await new Daemon(space).ready();
  for (let i = 0; i < 3; i++) {
    if (daemon.ptyd('open', `open-${i}`).status !== 0) throw new Error('no session was opened');
    daemon.ptyd('run', '-s', `open-${i}`, '--', `seq ${1000 * i}`);
    daemon.ptyd('send', '-s', `open-${i}`, 'seq 100; sleep 3600', '--key', 'Enter');
    await until('it runs', () => daemon.json('blocks', '-s', `open-${i}`).at(-1).status === 'running');
  }
  return daemon;
}

async function main() {
  const space = workspace(), kept = process.env.KEEP;
  const state = kept || space.env.PTYD_STATE_DIR, note = kept && path.join(kept, 'made.json');
  process.on('SIGINT', () => process.exit(1));
  process.on('exit', () => removeWorkspace(space));
  space.env.PTYD_STATE_DIR = state;
  if (kept && fs.existsSync(note)) Object.assign(made, JSON.parse(fs.readFileSync(note, 'utf8')));
  else fill(state);
  if (kept) fs.writeFileSync(note, JSON.stringify(made));
  console.log(`ptyd search over ${made.blocks} commands in ${made.sessions} sessions, load ${load()}`);
  const daemon = await open(space);
  index(space.env);
  await searches(space.env);
  await daemon.stop();
}

main().catch((error) => { console.error(error); process.exit(1); });
