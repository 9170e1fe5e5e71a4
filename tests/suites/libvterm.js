// libvterm, t/*.test: what is given to its parser, and of what comes of it the cursor (`?cursor`) and what the screen
// shows (`?screen_row`, `?screen_chars`); each such line is a case. Of its callbacks, which other lines are about, a
// terminal shows nothing.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { trimmed, castScreen, listed } = require('./screen');

// Strings as its harness takes them from Perl: "...", "..."x3, and these joined by dots.
function evaluated(text) {
  let all = '', left = text.trim();
  while (left) {
    const term = /^"((?:[^"\\]|\\.)*)"\s*(?:x\s*(\d+))?\s*(?:\.\s*)?/.exec(left);
    if (!term) throw new Error(`no string as the runner knows them: ${text}`);
    const plain = term[1].replace(/\\(?:x\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{2})|(.))/g, (_, braced, hex, one) =>
      one ? ({ e: '\x1b', n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', a: '\x07', 0: '\0' }[one] ?? one) : String.fromCodePoint(parseInt(braced ?? hex, 16)));
    all += plain.repeat(Number(term[2] ?? 1));
    left = left.slice(term[0].length);
  }
  return all;
}

const bytesOf = (text) => Buffer.from(text, 'latin1').toString('utf8');
const characters = (list) => String.fromCodePoint(...list.split(',').map((one) => parseInt(one, 16)));
const wanted = (text) => (text.startsWith('"') ? evaluated(text) : text ? characters(text) : '');

// The lines of a file, those that stand for several as these.
function* linesOf(text) {
  for (const line of text.split('\n').map((one) => one.trim())) {
    const many = /^\$(?:SEQ\s+(\d+)\s+(\d+)|REP\s+(\d+)):\s*(.*)/.exec(line);
    if (line === '__END__') return;
    if (!many) yield line;
    else for (let i = Number(many[1] ?? 1); i <= Number(many[2] ?? many[3]); i++) yield many[4].replaceAll('\\#', String(i));
  }
}

// What a line asks for, and where on the screen that is.
function question(line) {
  const [, what, place, asked] = /^\?(\w+)\s*([\d,]*)\s*=\s*(.*)/.exec(line) ?? [];
  if (what === 'cursor') return { asked: [asked], shown: (screen) => [screen.cursor] };
  if (what !== 'screen_row' && what !== 'screen_chars') return null;
  const [top, left = 0, bottom = top + 1, right = Infinity] = place.split(',').map(Number);
  return {
    asked: trimmed(wanted(asked).split('\n')),
    shown: (screen) => trimmed(screen.rows.slice(top, bottom).map((row) => [...row].slice(left, right).join(''))),
  };
}

function* cases(file) {
  const name = path.basename(file, '.test');
  let size = { cols: 80, rows: 25 }, first = size, events = [], title = '', number = 0;
  for (const line of linesOf(fs.readFileSync(file, 'utf8'))) {
    const [, command, rest] = /^([A-Z]+) ?(.*)/.exec(line) ?? [];
    if (line.startsWith('!')) [title, number] = [line.slice(1), 0];
    else if (command === 'RESET' || command === 'INIT') [first, events] = [size, []];
    else if (command === 'PUSH') events.push(['o', bytesOf(evaluated(rest))]);
    else if (command === 'RESIZE') {
      const [rows, cols] = rest.split(',').map(Number);
      size = { cols, rows };
      events.push(['r', `${cols}x${rows}`]);
    } else if (line.startsWith('?')) {
      const asks = question(line), from = first, given = [...events];
      const stream = given.some(([code]) => code === 'r') ? null : { bytes: Buffer.from(given.map(([, data]) => data).join('')), ...from };
      if (asks) yield { name: `${name}: ${title} ${++number}`, asked: asks.asked, stream, only: asks.shown, given: () => asks.shown(castScreen(from, given)) };
    }
  }
}

const several = (title, ...numbers) => numbers.map((number) => `${title} ${number}`);

module.exports = {
  name: "libvterm's t/*.test",
  reach: 330,
  is: (file) => file.endsWith('.test') && fs.existsSync(path.join(path.dirname(file), 'run-test.pl')),
  cases,
  asXterm: listed({
    'there is no HPB and VPB': ['11state_movecursor: Horizontal Position Backward 1', '11state_movecursor: Vertical Position Backward 1'],
    'IL puts the cursor to the left margin': ['13state_edit: IL 3'],
  }),
  others: listed({
    'there are no lines of double width': ['28state_dbl_wh: Double Width, Single Height 2'],
    'it gives lines of its own as scrollback, which nobody wrote; a screen without any grows at its end': several('63screen_resize: Resize taller attempts to pop scrollback', 4, 5, 6, 7),
    'the line that holds the cursor is not wrapped anew, as in xterm.js': [
      ...several('69screen_reflow: Resize wider reflows wide lines', 4, 5, 6, 7, 8, 9),
      ...several('69screen_reflow: Resize narrower can create continuation lines', 5, 6, 8, 9)],
    'where lines take fewer rows others come back from scrollback, as in xterm.js': several('69screen_reflow: Shell wrapped prompt behaviour', 19, 20, 21, 22, 23),
  }),
};
