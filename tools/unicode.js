// What vterm_snapshot/unicode_table.h and tests/unit/grapheme_breaks.h are made of: Unicode's own files (Debian:
// unicode-data). Each code point has one byte: how many columns it takes, whether U+FE0F makes an emoji of it, and what
// it does at the border of a grapheme cluster (UAX #29).
//
// Usage: node tools/unicode.js table|breaks [FOLDER=/usr/share/unicode] >FILE
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const [what, folder = '/usr/share/unicode'] = process.argv.slice(2);
const read = (name) => fs.readFileSync(path.join(folder, name), 'utf8');
const CODES = 0x110000, BLOCK = 128;

// "0300..036F ; Extend # …": calls back with each code point and the other fields.
function each(name, take) {
  for (const line of read(name).split('\n')) {
    const [range, ...fields] = line.replace(/#.*/, '').split(';').map((field) => field.trim());
    if (!range) continue;
    const [from, to = from] = range.split('..').map((code) => parseInt(code, 16));
    for (let code = from; code <= to; code++) take(code, ...fields);
  }
}

const version = /-(\d+\.\d+\.\d+)\.txt/.exec(read('EastAsianWidth.txt'))[1];

// As base of a cluster; the same in grapheme.h.
const KINDS = ['OTHER', 'CR', 'LF', 'CONTROL', 'EXTEND', 'EXTEND_CONJUNCT', 'LINKER', 'ZWJ', 'REGIONAL', 'PREPEND', 'SPACING', 'L', 'V', 'T', 'LV', 'LVT', 'PICTOGRAPH', 'CONSONANT'];
const NAMES = { CR: 'CR', LF: 'LF', Control: 'CONTROL', Extend: 'EXTEND', ZWJ: 'ZWJ', Regional_Indicator: 'REGIONAL', Prepend: 'PREPEND', SpacingMark: 'SPACING', L: 'L', V: 'V', T: 'T', LV: 'LV', LVT: 'LVT' };

function kinds() {
  const kind = Array(CODES).fill('OTHER');
  each('auxiliary/GraphemeBreakProperty.txt', (code, name) => { kind[code] = NAMES[name]; });
  const change = (code, from, to) => {
    if (!from.includes(kind[code])) throw new Error(`U+${code.toString(16)} is ${kind[code]} and ${to}`);
    kind[code] = to;
  };
  each('emoji/emoji-data.txt', (code, name) => { if (name === 'Extended_Pictographic') change(code, ['OTHER'], 'PICTOGRAPH'); });
  each('DerivedCoreProperties.txt', (code, name, value) => {
    if (name !== 'InCB') return;
    if (value === 'Consonant') change(code, ['OTHER'], 'CONSONANT');
    if (value === 'Linker') change(code, ['EXTEND'], 'LINKER');
    if (value === 'Extend' && kind[code] !== 'ZWJ') change(code, ['EXTEND'], 'EXTEND_CONJUNCT');
  });
  return kind;
}

// What has no column of its own: marks that take no room, format characters but for those that stand in front of digits
// and the soft hyphen, vowels and finals of Hangul. What is wide in East Asia, and U+3248 to U+324F, which wcwidth has.
function widths() {
  const width = new Uint8Array(CODES).fill(1), prepended = new Set();
  each('EastAsianWidth.txt', (code, name) => { if (name === 'W' || name === 'F') width[code] = 2; });
  each('PropList.txt', (code, name) => { if (name === 'Prepended_Concatenation_Mark') prepended.add(code); });
  each('extracted/DerivedGeneralCategory.txt', (code, name) => {
    if (['Mn', 'Me', 'Cf'].includes(name) && code !== 0xad && !prepended.has(code)) width[code] = 0;
  });
  each('HangulSyllableType.txt', (code, name) => { if (name === 'V' || name === 'T') width[code] = 0; });
  width.fill(2, 0x3248, 0x3250);
  return width;
}

function table() {
  const kind = kinds(), width = widths(), value = new Uint8Array(CODES);
  for (let code = 0; code < CODES; code++) value[code] = width[code] | (KINDS.indexOf(kind[code]) << 3);
  for (const line of read('emoji/emoji-variation-sequences.txt').split('\n')) {
    const match = /^([0-9A-F]+) FE0F /.exec(line);
    if (match) value[parseInt(match[1], 16)] |= 4;
  }
  const blocks = [], known = new Map(), index = [];
  for (let from = 0; from < CODES; from += BLOCK) {
    const block = [...value.subarray(from, from + BLOCK)], key = block.join();
    if (!known.has(key)) known.set(key, blocks.push(block) - 1);
    index.push(known.get(key));
  }
  const rows = (values) => values.reduce((lines, one) => {
    if (!lines.length || lines.at(-1).length + `${one},`.length > 99) lines.push('');
    lines.push(`${lines.pop()}${one},`);
    return lines;
  }, []).join('\n');
  console.log(`/* clang-format off */
/* unicode_table.h - width.h's tables, made by tools/unicode.js from the files of Unicode ${version}; not to be edited.
 *
 * Code points in blocks of ${BLOCK}: two bits of columns, one for what U+FE0F makes an emoji, then enum
 * grapheme_kind.
 *
 * Copyright (c) 1991-2025 Unicode, Inc.; https://www.unicode.org/license.txt */
const uint8_t width_index[WIDTH_CODES / WIDTH_BLOCK] = {
${rows(index)}
};
const uint8_t width_blocks[][WIDTH_BLOCK] = {
${blocks.map((block) => `{\n${rows(block)}\n},`).join('\n')}
};`);
  if (blocks.length > 256) throw new Error('too many blocks for a byte');
}

// GraphemeBreakTest.txt without what it says of each: code points, and / where a cluster ends.
function breaks() {
  const lines = read('auxiliary/GraphemeBreakTest.txt').split('\n').map((line) => line.replace(/#.*/, '').trim()).filter(Boolean);
  const texts = lines.map((line) => line.replace(/^÷ | ÷$/g, '').replace(/ × /g, ' ').replace(/ ÷ /g, ' / '));
  console.log(`/* clang-format off */
/* grapheme_breaks.h - made by tools/unicode.js from GraphemeBreakTest.txt of Unicode ${version}; not to be edited.
 *
 * Copyright (c) 1991-2025 Unicode, Inc.; https://www.unicode.org/license.txt */
static const char *const grapheme_breaks[] = {
${texts.map((text) => `"${text}",`).join('\n')}
};`);
}

if (what === 'table') table();
else if (what === 'breaks') breaks();
else { console.error('usage: node tools/unicode.js table|breaks [FOLDER]'); process.exit(2); }
