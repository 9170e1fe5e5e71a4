// Makes tests/unit/reflow_cases.h: what xterm.js shows behind resizes. npm install @xterm/headless somewhere, then
//
//     NODE_PATH=THERE/node_modules node tools/reflow.js [SEED COUNT] > tests/unit/reflow_cases.h
//
// The written cases come first, then random ones. Left out of those is where xterm.js is not followed (reflow.h): it counts the lines below
// the cursor as if they stood above it, drops them where a screen gets lower, and takes a line for wrapped whose row was erased at its end.
'use strict';
const { Terminal } = require('@xterm/headless');

const lines = (from, to) => Array.from({ length: to - from }, (_, i) => `line ${from + i}`).join('\r\n');
const long = (n, from = 0) => Array.from({ length: n }, (_, i) => '0123456789abcdefghijklmnopqrstuvwxyz'[(from + i) % 36]).join('');
const wide = n => '日本語文字'.repeat(n).slice(0, n);

const written = [
  ['a line is wrapped', [10, 4], [long(8) + '\r\n$ ', [5, 4]]],
  ['and joined again', [10, 4], [long(8) + '\r\n$ ', [5, 4], [10, 4]]],
  ['joined on a wider screen', [10, 4], [long(25) + '\r\n$ ', [30, 4]]],
  ['the cursor\'s line stays', [10, 4], [long(8) + '\r\n' + long(8), [5, 4]]],
  ['and wrapped it stays wrapped', [10, 4], [long(15), [20, 4]]],
  ['rows leave where there is no room', [10, 4], [long(8) + '\r\n' + long(8) + '\r\n$ ', [5, 4]]],
  ['and come back', [10, 4], [long(8) + '\r\n' + long(8) + '\r\n$ ', [5, 4], [10, 4]]],
  ['scrollback comes where there is room', [10, 4], [lines(0, 4) + '\r\n' + long(25) + '\r\n$ ', [30, 4]]],
  ['scrollback is wrapped', [10, 4], [`${long(10)}\r\n${lines(0, 9)}\r\n$ `, [5, 4]]],
  ['a line half in scrollback', [10, 4], [`${long(35)}\r\none\r\ntwo\r\n$ `, [20, 4]]],
  ['a line half in scrollback, narrower', [10, 4], [`${long(35)}\r\none\r\ntwo\r\n$ `, [7, 4]]],
  ['wide characters are not split', [10, 4], [wide(5) + '\r\n$ ', [7, 4]]],
  ['nor what they left blank kept', [7, 4], [wide(5) + '\r\n$ ', [10, 4]]],
  ['and with others between', [9, 4], [`a${wide(7)}b\r\n$ `, [6, 4], [4, 4], [20, 4]]],
  ['marks go with their characters', [10, 4], ['e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301\r\n$ ', [4, 4], [10, 4]]],
  ['taller: lines come back', [10, 4], [lines(0, 9), [10, 7]]],
  ['taller than all of them', [10, 4], [lines(0, 6), [10, 9]]],
  ['taller with room below the cursor', [10, 4], [lines(0, 9) + '\x1b[2;1H\x1b[J$ ', [10, 7]]],
  ['lower: rows leave at the top', [10, 6], [lines(0, 6), [10, 3]]],
  ['lower: blank ones go first', [10, 6], [lines(0, 4), [10, 3]]],
  ['lower and taller', [10, 6], [lines(0, 9), [10, 3], [10, 6]]],
  ['both at once, smaller', [10, 6], [`${lines(0, 4)}\r\n${long(10)}\r\n$ `, [6, 4]]],
  ['both at once, larger', [10, 4], [`${lines(0, 4)}\r\n${long(18)}\r\n$ `, [20, 7]]],
  ['cleared, with scrollback', [10, 4], [`${lines(0, 3)}\r\n${long(10)}\r\n\r\n\r\n\r\n\r\n\x1b[H\x1b[2J$ `, [5, 4], [20, 4]]],
  ['what is printed then goes on', [10, 4], [`${long(18)}\r\n$ `, [6, 4], 'ls\r\none\r\n$ ', [12, 4]]],
  ['the alternate screen waits', [10, 4], [`${long(18)}\r\n$ `, '\x1b[?1049h' + long(18), [6, 4], '\x1b[?1049l']],
  ['two columns', [10, 4], [`${long(9)}\r\n$ `, [2, 4], [10, 4]]],
];

function generator(seed) {
  let state = BigInt(seed);
  return n => {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    return Number(state >> 33n) % n;
  };
}

/* Lines, and the prompt behind them: nothing stands below the cursor, and no line ends in blanks. */
function random(pick, number) {
  const size = () => [4 + pick(40), 2 + pick(10)];
  const text = () => {
    let all = '';
    for (let i = pick(14); i; i--) {
      const n = pick(3) ? pick(30) : pick(150);
      for (let k = 0; k < n; k++) all += pick(6) ? 'abcdefghijklm nopqrstu'[k === n - 1 ? 0 : pick(22)] : '日'.charAt(pick(2)) || 'x';
      all += '\r\n';
    }
    return `${all}$ `;
  };
  const steps = [text()];
  for (let i = 1 + pick(5); i; i--) steps.push(pick(3) ? size() : '\r\n' + text());
  return [`random ${number}`, size(), steps];
}

async function run([name, size, steps]) {
  const t = new Terminal({ cols: size[0], rows: size[1], scrollback: 1000, allowProposedApi: true });
  for (const step of steps)
    if (typeof step === 'string') await new Promise(done => t.write(step, done));
    else t.resize(...step);
  const b = t.buffer.active, all = [];
  for (let i = 0; i < b.length; i++) all.push(b.getLine(i).translateToString(true).trimEnd());
  const c = text => JSON.stringify(text).replace(/[\u007f-\uffff]/g, x => [...Buffer.from(x)].map(v => `\\${v.toString(8).padStart(3, '0')}`).join(''))
    .replace(/\\u001b/g, '\\033');
  const parts = steps.map(s => (typeof s === 'string' ? `{${c(s)}, 0, 0}` : `{NULL, ${s[0]}, ${s[1]}}`));
  console.log(`    {${c(name)}, ${size[0]}, ${size[1]},\n     {${parts.join(',\n      ')}},`);
  console.log(`     ${b.baseY}, ${b.cursorY}, ${Math.min(b.cursorX, t.cols - 1)},\n     ${all.map(l => c(`${l}\n`)).join('\n     ')}},`);
}

async function main() {
  const [seed = 1, count = 40] = process.argv.slice(2).map(Number), pick = generator(seed);
  console.log('/* Made by tools/reflow.js with xterm.js: not to be edited. */\n/* clang-format off */\nstatic const struct reflow_case cases[] = {');
  for (const one of written) await run(one);
  for (let i = 0; i < count; i++) await run(random(pick, i));
  console.log('};');
}

main();
