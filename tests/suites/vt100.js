// vt100 (Rust), tests/data/fixtures: in a folder of its own 1.typescript, 2.typescript and so on, each behind those
// before it, and beside each what its terminal of 80 x 24 shows then.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { trimmed, rawScreen, listed } = require('./screen');

const number = (file) => Number(path.basename(file, '.json'));
const screenOf = ({ rows, cursor }) => [`cursor ${cursor}`, ...rows];

function asked({ cells, cursor_position: [row, col] }) {
  const rows = Array.from({ length: 24 }, () => Array(80).fill(' '));
  for (const [place, cell] of Object.entries(cells)) {
    const [at, column] = place.split(',');
    rows[at][column] = cell.is_wide_continuation ? '' : cell.contents || ' ';
  }
  // Where the cursor waits behind the last column, it is shown in it.
  return screenOf({ rows: trimmed(rows.map((cells) => cells.join(''))), cursor: `${row},${Math.min(col, 79)}` });
}

function bytesOf(file) {
  return Buffer.concat(Array.from({ length: number(file) }, (_, i) => fs.readFileSync(path.join(path.dirname(file), `${i + 1}.typescript`))));
}

const several = (name, ...numbers) => numbers.map((one) => `${name}/${one}`);

module.exports = {
  name: "vt100's fixtures",
  reach: 345,
  is: (file) => /\/fixtures\/\w+\/\d+\.json$/.test(file) && fs.existsSync(file.replace(/json$/, 'typescript')),
  *cases(file) {
    const name = `${path.basename(path.dirname(file))}/${number(file)}`;
    const stream = { bytes: bytesOf(file), cols: 80, rows: 24 };
    yield { name, asked: asked(JSON.parse(fs.readFileSync(file, 'utf8'))), stream, only: screenOf, given: () => screenOf(rawScreen(stream.bytes, 80, 24)) };
  },
  asXterm: listed({
    'IL and DL put the cursor to the left margin': ['decstbm/10', ...several('il_dl', 2, 3, 4, 6, 7, 8, 11, 12, 16, 17, 18, 21)],
    'there is one cursor for both screens, which stays where it is when they are changed': several('alternate_buffer', 3, 4, 5, 7, 10, 11, 13),
    'DECSTBM and ?47 put nothing where DECOM would; both screens have one DECOM': ['decstbm/4', ...several('origin_mode', 1, 7, 9)],
    'a line feed ends the waiting behind the last column': ['ff/5', 'lf/5', 'vt/5', 'wrap/21'],
    'a mark behind a movement of the cursor joins the character on which that stands; here the one left of it': several('combining', 4, 5, 7, 8),
    'the cursor waits on the last column; here behind it, so that one backspace leads there': ['combining/14', 'wide/24'],
    'what is left of halves of wide characters becomes a blank': ['ich_dch_ech/15', 'wide/9'],
  }),
  others: listed({
    'there is one cursor for both screens, as in xterm; and what stood on the alternate screen is gone when it is shown again': ['alternate_buffer/6'],
    'a mark behind a movement joins the character on which the cursor stands, as in xterm; on a blank, of which xterm prints nothing, it is shown': ['combining/6'],
  }),
};
