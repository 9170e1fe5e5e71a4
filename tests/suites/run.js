// Other projects' suites for terminals, over a folder that holds them as they publish them; nothing of theirs is in this
// tree. What ends otherwise than they ask and is not listed here with its reason, fails; so does what is listed and
// ends as they ask. Of what is listed a real xterm under Xvfb is asked, too, where there is one: whether it ends there
// as here. What is listed as its way (asXterm) and that it contradicts fails.
//
// Usage: node run.js FOLDER (PTYD=path; ONLY=text in a case's name shows what it asks for and what there is)
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { startDisplay, missingProgram } = require('../screens/display');
const { RealXterm } = require('../screens/real_xterm');
const { trimmed, rawScreen } = require('./screen');
const esctest = require('./esctest');
const libvterm = require('./libvterm');
const vt100 = require('./vt100');

const folder = process.argv[2];
const only = process.env.ONLY;
// ---- the suites: what is a case, what it asks for, what there is; `stream`, what a terminal of which size was given, where it can be given as bytes ----

const rowsOf = ({ bytes, cols, rows }) => rawScreen(bytes, cols, rows).rows;

// xterm.js, test/fixtures/escape_sequence_files: what was written to a terminal of 80 x 25 that makes CR LF of LF, and the
// screen of it.
const xtermjs = {
  name: "xterm.js's escape_sequence_files",
  reach: 66,
  is: (file) => file.endsWith('.in') && fs.existsSync(file.replace(/\.in$/, '.text')) && path.basename(path.dirname(file)) === 'escape_sequence_files',
  *cases(file) {
    const stream = { bytes: Buffer.from(fs.readFileSync(file, 'latin1').replace(/\n/g, '\r\n'), 'latin1'), cols: 80, rows: 25 };
    yield { name: path.basename(file, '.in'), asked: this.asked(file), stream, given: () => rowsOf(stream) };
  },
  asked: (file) => trimmed(fs.readFileSync(file.replace(/\.in$/, '.text'), 'utf8').split('\n')),
  others: {
    't0050-ICH': 'what is inserted where the cursor waits behind the last column takes no character, as in xterm.js, tmux and alacritty; xterm takes one',
    't0055-EL': 'the same for what is erased (xterm.js leaves this one out, too)',
    't0084-CBT': 'CBT ends the waiting behind the last column; in xterm the cursor waits on where it came to (xterm.js leaves it out)',
  },
};

// alacritty, alacritty_terminal/tests/ref: a recording, and the cells of its grid, the last row first.
const alacritty = {
  name: "alacritty's ref tests",
  reach: 41,
  is: (file) => path.basename(file) === 'alacritty.recording' && fs.existsSync(path.join(path.dirname(file), 'grid.json')),
  *cases(file) {
    const size = JSON.parse(fs.readFileSync(path.join(path.dirname(file), 'size.json'), 'utf8'));
    const stream = { bytes: fs.readFileSync(file), cols: size.columns, rows: size.screen_lines };
    yield { name: path.basename(path.dirname(file)), asked: this.asked(file), stream, given: () => rowsOf(stream) };
  },
  asked(file) {
    const { raw, lines } = JSON.parse(fs.readFileSync(path.join(path.dirname(file), 'grid.json'), 'utf8'));
    const cell = ({ c, flags, extra }) => (/WIDE_CHAR_SPACER/.test(flags) ? '' : (c === '\t' ? ' ' : c) + ((extra && extra.zerowidth) || []).join(''));
    const row = (line) => raw.inner[(raw.zero + lines - 1 - line) % raw.inner.length].inner.map(cell).join('');
    return trimmed(Array.from({ length: lines }, (_, line) => row(line)));
  },
  asXterm: {
    decaln_reset: 'DECALN puts the cursor into the corner',
    deccolm_reset: 'DECCOLM does nothing where it is not allowed (?40)',
    saved_cursor_alt: 'on a screen that is erased as it is shown (?1049) the cursor waits behind no character',
    selective_erasure: 'DECSED and DECSEL spare what is protected and erase the rest',
  },
  others: {
    erase_in_line: 'the cursor does not wait behind a row that was erased as a whole; xterm has that, too, but there what is erased from where it waits on takes a character',
  },
};

// ---- all ----

function* filesUnder(directory) {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory() && entry.name !== '.git' && entry.name !== 'node_modules') yield* filesUnder(file);
    else if (entry.isFile()) yield file;
  }
}

function show(asked, given) {
  for (let i = 0; i < Math.max(asked.length, given.length); i++) {
    if (asked[i] !== given[i]) console.log(`    row ${i}: asked ${JSON.stringify(asked[i] ?? '')}\n           there ${JSON.stringify(given[i] ?? '')}`);
  }
}

// One for each size; null where none is on this machine.
const xterms = new Map();
let display;
async function xtermOf(cols, rows) {
  const size = `${cols}x${rows}`;
  display ??= missingProgram('Xvfb', 'xterm') ? '' : await startDisplay();
  if (display && !xterms.has(size)) xterms.set(size, new RealXterm(display, cols, rows));
  return xterms.get(size) ?? null;
}

// Whether a real xterm ends as we do, with the cursor where a suite asks for it: a name, or that nobody knows.
async function asXterm({ name, stream, only: what = (screen) => screen.rows }) {
  const xterm = stream && await xtermOf(stream.cols, stream.rows), screen = xterm && xterm.show(stream.bytes);
  if (!screen) return 'unknown';
  const ours = rawScreen(stream.bytes, stream.cols, stream.rows);
  const theirs = { rows: trimmed(screen.rows), cursor: `${screen.cursor?.row},${screen.cursor?.col}` };
  const [here, there] = [ours, theirs].map((one) => what({ ...one, rows: one.rows.map((row) => row.normalize('NFC')) }).join('\n'));
  if (only && here !== there) { console.log(`  ${name}, in xterm:`); show(there.split('\n'), here.split('\n')); }
  return here === there ? 'as xterm' : 'not as xterm';
}

// What is listed as xterm's way has to be a real one's; without one on this machine nobody knows.
const isClaimKept = (answer) => answer === 'as xterm' || (answer === 'unknown' && !display);

// Returns whether all is as it is said to be.
async function run(suite, files) {
  let alike = 0, wrong = 0, count = 0;
  const xterm = new Map();
  for (const one of files.flatMap((file) => [...suite.cases(file)])) {
    const { name, asked, given } = one;
    const claimed = suite.asXterm?.[name], reason = claimed ?? suite.others[name];
    if (only && !name.includes(only)) continue;
    const there = given(), same = asked.join('\n') === there.join('\n');
    alike += same;
    count++;
    if (!same) xterm.set(name, await asXterm(one));
    const contradicted = !same && claimed && !isClaimKept(xterm.get(name));
    if (same === !reason && !contradicted && !only) continue;
    wrong += same !== !reason || contradicted;
    console.log(`  ${name}: ${same ? 'ends as asked' : 'ends otherwise'}${reason ? `; listed: ${reason}` : ''}${claimed ? `, as in xterm${contradicted ? ', which a real one contradicts' : ''}` : ''}`);
    show(asked, there);
  }
  const reach = suite.reach < 1 ? Math.ceil(suite.reach * count) : suite.reach;
  const listed = Object.entries({ ...suite.asXterm, ...suite.others });
  const tally = ['as xterm', 'not as xterm', 'unknown'].map((what) => [what, [...xterm.values()].filter((one) => one === what).length]);
  console.log(`${suite.name}: ${alike} of ${count} end as asked (reach: ${reach})${tally.filter(([, number]) => number).map(([what, number]) => `, ${number} ${what}`).join('')}`);
  if (only) return true;
  for (const reason of new Set(listed.map(([, its]) => its)))
    console.log(`  not ${listed.filter(([, its]) => its === reason).map(([name]) => `${name} (${xterm.get(name) ?? 'not run'})`).join(', ')}: ${reason}`);
  return !wrong && alike >= Math.min(reach, count - listed.length);
}

async function main() {
  if (!folder || !fs.existsSync(folder)) {
    console.log(`skipped - no suites${folder ? ` in ${folder}` : ''}: make check-suites SUITES=FOLDER, over clones of what is to be run (xterm.js, alacritty, libvterm, vt100, esctest2)`);
    return;
  }
  const files = [...filesUnder(folder)].sort();
  let right = true, found = 0;
  for (const suite of [xtermjs, alacritty, libvterm, vt100, esctest]) {
    const mine = files.filter(suite.is), missing = mine.length ? suite.missing?.() : null;
    if (!mine.length || missing) {
      console.log(`skipped - ${suite.name}: ${missing ? `no ${missing} on this machine` : `none in ${folder}`}`);
      continue;
    }
    found += mine.length;
    right = await run(suite, mine) && right;
  }
  process.exit(right && found ? 0 : 1);
}
main().catch((error) => { console.error(error); process.exit(1); });
