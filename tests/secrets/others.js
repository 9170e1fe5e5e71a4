// others.js: corpora of others, who knew neither the rules nor one another's: the sixth to the thirty-eighth. What was found of them before anything was mended after
// them stands in SECURITY.md. A line of JSON is a case; «what is secret» is spelled backwards, and ¦ parts what is like one, so that nobody who scans sources for
// secrets takes these for some. An innocent one that is known to be taken says so ("taken").
'use strict';
const fs = require('fs');
const path = require('path');

const backwards = (text) => [...text].reverse().join('');

// Latin-1, as check.js tells the program of texts.
const bytes = (text) => Buffer.from(text, 'utf8').toString('latin1');

function read(name) {
    return fs.readFileSync(path.join(__dirname, `${name}.jsonl`), 'utf8').split('\n').filter((line) => line).map((line) => {
        const { kind, text, innocent, taken, columns } = JSON.parse(line), secrets = new Set();
        const shown = text.replace(/¦/g, '').replace(/«([^»]*)»/g, (all, secret) => {
            secrets.add(backwards(secret));
            return backwards(secret);
        });
        return { group: `${name}, ${kind}`, text: bytes(shown), secrets: [...secrets].map(bytes), innocent: innocent === true, taken: taken === true, columns, least: 5 };
    });
}

const all = ['sixth', 'seventh', 'eighth', 'ninth', 'tenth', 'eleventh', 'twelfth', 'thirteenth', 'fourteenth', 'fifteenth', 'sixteenth', 'seventeenth', 'eighteenth', 'nineteenth', 'twentieth', 'twentyfirst', 'twentysecond',
    'twentythird', 'twentyfourth', 'twentyfifth', 'twentysixth', 'twentyseventh', 'twentyeighth', 'twentyninth', 'thirtieth', 'thirtyfirst', 'thirtysecond', 'thirtythird', 'thirtyfourth',
    'thirtyfifth', 'thirtysixth', 'thirtyseventh', 'thirtyeighth'].flatMap(read);
exports.cases = () => all.filter((c) => !c.innocent);
exports.negatives = () => all.filter((c) => c.innocent).map((c) => ({ group: c.group, text: c.text, stays: c.text, taken: c.taken }));
