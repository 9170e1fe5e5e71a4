// Random streams as programs could send them, as lists of items: text, wide characters, controls, and every sequence
// that moves, erases, inserts, scrolls, saves or changes what those do.
'use strict';

const WORDS = ['the', 'quick brown', 'fox', 'x', 'jumps over the', 'lazy dog 0123456789', '#', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const WIDE = ['日', '本語', '한글', '全角文字'];
const OTHER = ['é', 'üñ', 'λ', '─│┌', 'e\u0301'];
const CONTROLS = ['\b', '\r', '\n', '\t', '\r\n', '\v', '\f', '\x07'];
const DIGIT = [0, 1, 1, 1, 2, 3, 4, 5, 7, 8, 9, 12, 20, 23, 24, 25, 99];

function stream(random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const number = () => (random() < 0.2 ? '' : String(pick(DIGIT)));
  const csi = (final, count = 1, leader = '') => `\x1b[${leader}${Array.from({ length: count }, number).join(';')}${final}`;
  const row = () => String(1 + Math.floor(random() * 8)), col = () => String(1 + Math.floor(random() * 24));
  const rectangle = () => [row(), col(), row(), col()].sort(() => 0).join(';');
  const kinds = [
    [12, () => pick(WORDS)],
    [3, () => pick(WIDE)],
    [2, () => pick(OTHER)],
    [6, () => pick(CONTROLS)],
    [4, () => `\x1b[${row()};${col()}H`],
    [5, () => csi(pick(['A', 'B', 'C', 'D', 'E', 'F', 'G', '`', 'a', 'd', 'e']))],
    [1, () => csi(pick(['I', 'Z']))],
    [3, () => `\x1b[${pick(['', '0', '1', '2'])}${pick(['K', 'J'])}`],
    [4, () => csi(pick(['@', 'P', 'X', 'L', 'M']))],
    [2, () => csi(pick(['S', 'T']))],
    [1, () => csi(pick([' @', ' A', "'}", "'~"]))],
    [2, () => `\x1b${pick(['D', 'E', 'M', '6', '9'])}`],
    [2, () => pick(['\x1b[r', `\x1b[${row()};${row()}r`, csi('r', 2)])],
    [2, () => pick(['\x1b7', '\x1b8', '\x1b[s', '\x1b[u'])],
    [2, () => `\x1b[?${pick(['47', '1047', '1049', '1048'])}${pick(['h', 'l'])}`],
    [2, () => `\x1b[${pick(['?6', '?7', '4', '?45', '20'])}${pick(['h', 'l', 'l'])}`],
    [1, () => pick(['\x1b[?69h', '\x1b[?69l', `\x1b[?69h\x1b[${col()};${col()}s`])],
    [1, () => csi('b')],
    [1, () => pick([`\x1b[${rectangle()}$z`, `\x1b[35;${rectangle()}$x`, `\x1b[${rectangle()};1;${row()};${col()};1$v`])],
    [1, () => pick(['\x1bH', '\x1b[g', '\x1b[3g'])],
    [1, () => pick(['\x1b[31m', '\x1b[m', '\x1b[44m', '\x1b[7m'])],
    [0.5, () => pick(['\x1b[!p', '\x1b#8', '\x1b[1"q', '\x1b[0"q', '\x1b[?J', '\x1b[?1K'])],
  ];
  const total = kinds.reduce((sum, [weight]) => sum + weight, 0);
  const item = () => { let at = random() * total; return kinds.find(([weight]) => (at -= weight) < 0)[1](); };
  return Array.from({ length: 5 + Math.floor(random() * 26) }, item);
}

module.exports = { stream };
