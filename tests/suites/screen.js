// What `ptyd replay` shows at the end of a stream.
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { PTYD } = require('../e2e/harness');

const place = fs.mkdtempSync(path.join(os.tmpdir(), 'ptyd-suites-'));
process.on('exit', () => fs.rmSync(place, { recursive: true, force: true }));

// The rows, right-trimmed, without the blank ones at the end.
function trimmed(rows) {
  const all = rows.map((row) => row.trimEnd());
  while (all.length && !all.at(-1)) all.pop();
  return all;
}

function replayed(bytes, ...options) {
  const file = path.join(place, 'stream');
  fs.writeFileSync(file, bytes);
  const { stdout, stderr, status } = spawnSync(PTYD, ['replay', file, ...options, '--json'], { maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`ptyd replay: status ${status}, ${stderr}`);
  const { rows, cursor } = JSON.parse(stdout).screen;
  return { rows: trimmed(rows), cursor: `${cursor.row},${cursor.col}` };
}

const rawScreen = (bytes, cols, rows) => replayed(bytes, '--format', 'raw', '--size', `${cols}x${rows}`);

// Of events as asciicast has them: what is output, and sizes.
function castScreen(size, events) {
  const head = { version: 2, width: size.cols, height: size.rows };
  return replayed([head, ...events.map(([code, data]) => [0, code, data])].map((line) => JSON.stringify(line)).join('\n') + '\n', '--format', 'asciicast');
}

// What is listed, by its reason, as run.js takes it: the reason by the name.
const listed = (reasons) => Object.fromEntries(Object.entries(reasons).flatMap(([reason, names]) => names.map((name) => [name, reason])));

module.exports = { trimmed, replayed, rawScreen, castScreen, listed };
