// The truth about screens: random streams through a real xterm under Xvfb, which prints its final screen by its own
// print-screen, and through `ptyd replay`; how many end alike. Streams in which they part are shrunk, and counted by
// what is left of them.
//
// Usage: node xterm.js (STREAMS=10000 SEED=1 REACH=0.97 PTYD=path; ONLY=n shows
// one stream, TRY='a\\u001b[b' what is given)
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { PTYD, randomFrom } = require('../e2e/harness');
const { startDisplay, missingProgram } = require('./display');
const { RealXterm } = require('./real_xterm');
const { stream } = require('./streams');

const COLS = 24, ROWS = 8;
const STREAMS = Number(process.env.STREAMS || 10000);
const SEED = Number(process.env.SEED || 1);
const REACH = Number(process.env.REACH || 0.97);
const PROGRESS = 100;
const SHRUNK = Number(process.env.SHRUNK || 400); // so many are shrunk, and explained

const place = fs.mkdtempSync(path.join(os.tmpdir(), 'ptyd-streams-'));
process.on('exit', () => fs.rmSync(place, { recursive: true, force: true }));

// ---- ptyd ----

function runPtyd(bytes) {
  const file = path.join(place, 'stream');
  fs.writeFileSync(file, bytes);
  const { stdout, status } = spawnSync(PTYD, ['replay', file, '--format', 'raw', '--size', `${COLS}x${ROWS}`, '--json'], { maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(`ptyd replay: status ${status}`);
  return JSON.parse(stdout).screen.rows.map((row) => row.normalize('NFC').trimEnd());
}

// ---- where they part ----

const show = (items) => items.map((item) => JSON.stringify(item).slice(1, -1).replace(/\\u001b/g, 'ESC ')).join(' | ');
const bytesOf = (items) => Buffer.from(items.join(''));
const same = (a, b) => a.join('\n') === b.join('\n');

// The rows of both, {theirs, ours}: ptyd is asked while xterm prints. `theirs` is null where xterm printed nothing in time.
let xterm;
function both(items) {
  const bytes = bytesOf(items);
  xterm.give(bytes);
  const ours = runPtyd(bytes);
  return { theirs: xterm.take()?.rows ?? null, ours };
}
const parts = ({ theirs, ours }) => !theirs || !same(theirs, ours);

// One item less, again and again, while it parts.
function shrink(items) {
  for (let next = items; next; ) {
    items = next;
    next = items.map((_, i) => items.filter((__, j) => j !== i)).find((less) => parts(both(less)));
  }
  return items;
}

// What stays otherwise, on purpose: what is left of a stream, and the rows that part as pairs of xterm's and ours.
const has = (items, pattern) => items.some((item) => pattern.test(item));
const lacksLast = (items) => ([theirs, ours]) => theirs === [...ours].slice(0, [...theirs].length).join('') && (width(ours) >= COLS - 1 || has(items, /^\x1b\[\?69h/));
const WIDE = /[\u2e80-\ua4cf\uac00-\ud7a3\uff01-\uff60]/;
const width = (row) => [...row].reduce((sum, c) => sum + (WIDE.test(c) ? 2 : /\p{M}/u.test(c) ? 0 : 1), 0);
const bare = (row) => (width(row) > COLS ? [...row].slice(0, -1).join('') : row).replace(/ /g, ''); // without what lies across its end
const DECLARED = [
  ['REP prints no more than a row', (items) => has(items, /^\x1b\[(2[5-9]|[3-9]\d)b$/)],
  ['what is erased, inserted or deleted where the cursor waits behind the last column takes nothing', (items, rows) => has(items, /^\x1b\[\??\d*[JKXP@]$/) && rows.every(lacksLast(items))],
  ['of wide characters that come at once where there is no room and no wrapping xterm shows the last', (items) => has(items, /^\x1b\[\?7l$/) && has(items, WIDE)],
  ['CBT ends the waiting behind the last column; in xterm the cursor waits where it came to', (items) => has(items, /^\x1b\[\d*Z$/)],
  ['what is shifted to the left where a row ends behind wide characters loses its last one in xterm', (items, rows) => has(items, /^\x1b\[\d*(?: @|'~)$/) && has(items, WIDE) && rows.every(([theirs, ours]) => theirs === [...ours].slice(0, -1).join(''))],
  ['xterm makes room at once for what it reads at once, where that begins', (items) => has(items, /^\x1b\[4h$/) && has(items, /^\x1b\[\?69h/)],
  ['halves of wide characters that DECCRA brings together are one; xterm shows neither', (items) => has(items, /\$v$/) && has(items, WIDE)],
  ['where a protected wide character is overwritten xterm keeps a half of it', (items) => has(items, /^\x1b\[1"q$/) && has(items, WIDE)],
  ['what stood on the alternate screen is gone when it is shown again', (items) => items.filter((item) => /^\x1b\[\?(47|1047|1049)[hl]$/.test(item)).length > 1],
  ['a half of a wide character that lost the other one is a blank; xterm prints it as nothing, or as the whole', (items, rows) => has(items, WIDE) && rows.every(([theirs, ours]) => bare(theirs) === bare(ours))],
];

const parting = ({ theirs, ours }) => theirs.map((row, i) => [row, ours[i]]).filter(([its, here]) => its !== here);
const reasonOf = (items) => DECLARED.find(([, is]) => is(items, parting(both(items))))?.[0];

function explain(items) {
  const { theirs, ours } = both(items);
  console.log(`  ${show(items)}`);
  if (!theirs) console.log('    xterm printed nothing');
  else theirs.forEach((row, i) => { if (row !== ours[i]) console.log(`    row ${i}: xterm ${JSON.stringify(row)}\n           ptyd  ${JSON.stringify(ours[i])}`); });
}

async function main() {
  const missing = missingProgram('Xvfb', 'xterm');
  if (missing) {
    console.log(`skipped - ${missing} is not on this machine (Debian: xvfb, xterm)`);
    return;
  }
  xterm = new RealXterm(await startDisplay(), COLS, ROWS);
  if (process.env.TRY) { const given = JSON.parse(`"${process.env.TRY}"`); explain([given]); console.log(xterm.show(bytesOf([given])).rows.join('\n').trimEnd()); process.exit(0); }
  if (process.env.ONLY) { explain(stream(randomFrom(SEED * 100003 + Number(process.env.ONLY)))); process.exit(0); }
  const parted = [], silent = [];
  for (let number = 0; number < STREAMS; number++) {
    const items = stream(randomFrom(SEED * 100003 + number)), screens = both(items);
    if (!screens.theirs) silent.push({ number, items });
    else if (parts(screens)) parted.push({ number, items });
    if ((number + 1) % PROGRESS === 0) process.stderr.write(`\r${number + 1} of ${STREAMS} streams, ${parted.length} end otherwise, ${silent.length} xterm prints nothing of `);
  }
  process.stderr.write('\n');
  const reasons = new Map();
  for (const { number, items } of parted.slice(0, SHRUNK)) {
    const least = shrink(items), reason = both(least).theirs && reasonOf(least);
    if (reason) {
      reasons.set(reason, (reasons.get(reason) || 0) + 1);
      continue;
    }
    console.log(`stream ${number}, for no reason that is known:`);
    explain(least);
  }
  for (const [reason, count] of reasons) console.log(`${count}: ${reason}`);
  for (const { number, items } of silent) console.log(`stream ${number}: xterm printed nothing of it in time, twice: ${show(items)}`);
  if (xterm.lost) console.log(`xterm was started anew ${xterm.lost} times, as it printed nothing in time`);
  const alike = STREAMS - parted.length - silent.length, share = alike / STREAMS;
  console.log(`${alike} of ${STREAMS} streams end as in xterm: ${(100 * share).toFixed(1)} % (asked: ${100 * REACH}); ${parted.length} otherwise, ${silent.length} not printed`);
  process.exit(share >= REACH ? 0 : 1);
}
main().catch((error) => { console.error(error); process.exit(1); });
