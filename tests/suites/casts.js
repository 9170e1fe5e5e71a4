// Recordings that others published, over a folder that holds them: what `ptyd replay` shows at the end of each, and
// what xterm.js does (npm: @xterm/headless, and @xterm/addon-unicode11 for today's widths) of the same bytes. asciicast 1 to 3
// and VS Code's recordings are known by what they hold. What ends otherwise and is not explained by a line of DECLARED
// fails.
//
// Usage: node casts.js FOLDER (PTYD=path; XTERMJS=a folder whose node_modules has xterm.js; ONLY=text of a file's name
// shows where they part; ALL=1 those that are explained, too)
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { createRequire } = require('node:module');
const { trimmed, replayed } = require('./screen');

const folder = process.argv[2], only = process.env.ONLY;

function* filesUnder(directory) {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory() && entry.name !== '.git' && entry.name !== 'node_modules') yield* filesUnder(file);
    else if (entry.isFile() && /\.(cast|json|asciicast|js|ts)$/.test(entry.name)) yield file;
  }
}

// ---- the formats: {cols, rows, events: ['o', text] or ['r', 'COLSxROWS']}, or null for what is none ----

function lines(text) {
  const parsed = [];
  for (const line of text.split('\n'))
    if (line.trim() && line[0] !== '#') try { parsed.push(JSON.parse(line)); } catch { break; } // what is behind a line that is cut counts for nobody
  return parsed;
}

// Some say it in strings; one that is no number is none.
const sized = ({ cols, rows }) => (Number(cols) > 0 && Number(rows) > 0 ? { cols: Number(cols), rows: Number(rows) } : { cols: 80, rows: 24 });

function asciicast(text) {
  if (!/^\s*\{/.test(text)) return null;
  let whole;
  try { whole = JSON.parse(text); } catch { /* lines */ }
  if (whole?.version === 1 && whole.stdout) return { cols: whole.width, rows: whole.height, events: whole.stdout.map(([, data]) => ['o', data]) };
  const [head, ...events] = lines(text);
  const size = head?.version === 3 ? { cols: head.term?.cols, rows: head.term?.rows } : { cols: head?.width, rows: head?.height };
  if (![2, 3].includes(head?.version) || !size.cols || !size.rows) return null;
  return { ...sized(size), events: events.filter((event) => Array.isArray(event)).map(([, code, data]) => [code, data]) };
}

function vscode(text) {
  const start = /^\s*export const events = /m.exec(text);
  if (!start) return null;
  const list = JSON.parse(text.slice(start.index + start[0].length).replace(/,?\s*\]\s*;?\s*$/, ']'));
  const events = list.flatMap(({ type, data, cols, rows }) => (type === 'output' ? [['o', data]] : type === 'resize' ? [['r', `${cols}x${rows}`]] : []));
  return { cols: 80, rows: 24, events };
}

const read = (text) => vscode(text) || asciicast(text);

// ---- xterm.js ----

function loadXterm() {
  const from = createRequire(path.join(path.resolve(process.env.XTERMJS || '.'), 'package.json'));
  try {
    return { Terminal: from('@xterm/headless').Terminal, Unicode11Addon: from('@xterm/addon-unicode11').Unicode11Addon };
  } catch {
    return null;
  }
}

async function xtermScreen({ Terminal, Unicode11Addon }, { cols, rows, events }) {
  const terminal = new Terminal({ cols, rows, scrollback: 10000, allowProposedApi: true });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  for (const [code, data] of events) {
    if (code === 'o') await new Promise((resolve) => terminal.write(data, resolve));
    const [, to, high] = code === 'r' ? /^(\d+)x(\d+)$/.exec(data) || [] : [];
    if (to) terminal.resize(Number(to), Number(high));
  }
  const buffer = terminal.buffer.active;
  const screen = Array.from({ length: terminal.rows }, (_, i) => buffer.getLine(buffer.baseY + i)?.translateToString(true) ?? '');
  terminal.dispose();
  return trimmed(screen.map((row) => row.normalize('NFC')));
}

// ---- ptyd ----

// Null for what is none to it, which is said.
function shown(file) {
  try {
    return replayed(fs.readFileSync(file));
  } catch (error) {
    console.log(`  ${path.relative(folder, file)} is no recording: ${error.message.trim().replace(/^.*stream: /, '')}`);
    return null;
  }
}

// ---- why they part: what is in the recording, and the rows of both ----

const outputOf = ({ events }) => events.filter(([code]) => code === 'o').map(([, data]) => data).join('');
const plain = (rows) => rows.join('').replace(/[\s\ufe0e\ufe0f\u200d]/g, '');
const DECLARED = [
  ['lines are wrapped anew in one of them at another width, or rows come back at another height', ({ events }) => events.some(([code]) => code === 'r')],
  ["a character's width is Unicode's of today, xterm.js has an older one's", (cast, ours, theirs) => plain(ours) === plain(theirs) && /[\u{1f000}-\u{1faff}\u2600-\u27bf\u{1f1e6}-\u{1f1ff}\p{M}\ufe0f]/u.test(outputOf(cast))],
];

// ---- all ----

async function compare(xterm, file, counts) {
  const cast = read(fs.readFileSync(file, 'utf8'));
  if (!cast || (only && !file.includes(only))) return;
  const there = shown(file);
  if (!there) return;
  counts.all++;
  const theirs = await xtermScreen(xterm, cast), ours = there.rows.map((row) => row.normalize('NFC'));
  const same = trimmed(ours).join('\n') === theirs.join('\n');
  const reason = same ? null : DECLARED.find(([, is]) => is(cast, ours, theirs))?.[0];
  counts.same += same;
  if (reason) counts.reasons.set(reason, (counts.reasons.get(reason) || 0) + 1);
  counts.wrong += !same && !reason;
  if (same || (reason && !only && !process.env.ALL)) return;
  console.log(`  ${path.relative(folder, file)} (${cast.cols}x${cast.rows}): ${reason || 'for no reason that is known'}`);
  for (let i = 0; i < Math.max(ours.length, theirs.length); i++)
    if ((ours[i] ?? '') !== (theirs[i] ?? '')) console.log(`    row ${i}: xterm.js ${JSON.stringify(theirs[i] ?? '')}\n           ptyd     ${JSON.stringify(ours[i] ?? '')}`);
}

async function main() {
  const xterm = loadXterm();
  if (!xterm || !folder || !fs.existsSync(folder)) {
    console.log(!xterm ? 'skipped - no xterm.js here: XTERMJS=FOLDER, where `npm install @xterm/headless @xterm/addon-unicode11` was done'
      : 'skipped - no recordings: make check-casts CASTS=FOLDER');
    return;
  }
  const counts = { all: 0, same: 0, wrong: 0, reasons: new Map() };
  for (const file of [...filesUnder(folder)].sort()) await compare(xterm, file, counts);
  for (const [reason, count] of counts.reasons) console.log(`${count}: ${reason}`);
  console.log(`${counts.same} of ${counts.all} recordings end as in xterm.js, ${counts.wrong} otherwise for no reason that is known`);
  process.exit(counts.wrong || !counts.all ? 1 : 0);
}
main().catch((error) => { console.error(error); process.exit(1); });
