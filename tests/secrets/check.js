// check.js TELL [FILE...]: how much of the corpora is found, by group; and what of theirs that is no secret, and of the given files, which hold no secrets, is
// taken for one. TELL takes secrets out of texts that end in a NUL each. MISSED=1 shows what was not found. CORPUS=FILE: of that one alone, a line of JSON for each
// case: {"id", "kind", "text", "secrets": [...]}, or with "innocent": true what has to stay as it is; "columns" where a terminal of so many wrapped it, whose full rows
// go on in the next ones.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const first = require('./corpus.js'), second = require('./second.js'), third = require('./third.js'), fourth = require('./fourth.js'), fifth = require('./fifth.js');
const others = require('./others.js'), grid = require('./grid.js');

const [tell, ...files] = process.argv.slice(2);
const REACH = 0.97, LOT = 0.96, FALSE = 1e-4;

function run(how, input) {
    const ran = spawnSync(tell, how, { input: Buffer.from(input, 'latin1'), maxBuffer: 1 << 30 });
    if (ran.status !== 0)
        throw new Error(`${tell}: ${ran.status} ${ran.stderr}`);
    return ran.stdout.toString('latin1');
}

function redact(texts, ...columns) {
    const outs = run(['texts', ...columns], texts.map((text) => text.replace(/\0/g, '')).join('\0') + '\0').split('\0').slice(0, -1);
    return texts.map((text, i) => text.includes('\0') ? run(['text'], text) : outs[i]);
}

// The same of {text, columns}.
function redactWrapped(cases) {
    const outs = redact(cases.map((c) => c.text));
    for (const columns of new Set(cases.map((c) => c.columns).filter((n) => n))) {
        const wrapped = cases.flatMap((c, i) => c.columns === columns ? [i] : []);
        redact(wrapped.map((i) => cases[i].text), columns).forEach((out, n) => { outs[wrapped[n]] = out; });
    }
    return outs;
}

// The longest piece of the secret that is still there, of so many characters at least; what the text says besides does not count.
function left(secret, out, text, least = 4) {
    const rest = text.split(secret).join('\0');
    out = out.replace(/\[redacted:[^\]]*\]/g, '\0');
    for (let len = secret.length; len >= least; len--)
        for (let at = 0; at + len <= secret.length; at++) {
            const piece = secret.slice(at, at + len);
            if (out.includes(piece) && !rest.includes(piece))
                return len;
        }
    return 0;
}

// Of an address that is a secret, the host is public.
const hidden = (s) => s.replace(/^https?:\/\/[^/]+(?=\/.)/, '');

// Latin-1, as the texts of the corpora are told to the program.
const bytes = (text) => Buffer.from(text, 'utf8').toString('latin1');

function foreign(file) {
    const read = fs.readFileSync(file, 'utf8').split('\n').filter((line) => line.trim()).map(JSON.parse);
    const texts = read.map((c) => bytes(c.text)), results = redactWrapped(read.map((c, i) => ({ text: texts[i], columns: c.columns }))), kinds = new Map();
    let found = 0, told = 0, taken = 0;
    read.forEach((c, i) => {
        const good = c.innocent ? results[i] === texts[i] : (c.secrets || []).every((s) => left(bytes(hidden(s)), results[i], texts[i], 5) === 0);
        const kind = c.innocent ? 'innocent' : c.kind || 'all', k = kinds.get(kind) || { good: 0, all: 0 };
        kinds.set(kind, k);
        k.all++;
        k.good += good;
        const none = c.innocent === true;
        found += !none && good;
        told += !none;
        taken += none && !good;
        if (!good && process.env.MISSED)
            console.log(`${c.id} ${kind}: ${JSON.stringify(c.text)} -> ${JSON.stringify(Buffer.from(results[i], 'latin1').toString())}`);
    });
    for (const [name, k] of kinds)
        console.log(`${name.padEnd(28)} ${k.good}/${k.all}`);
    console.log(`${'all'.padEnd(28)} ${found}/${told}: ${(found / told * 100).toFixed(1)} %, ${taken} of ${read.length - told} that are none were taken for one`);
    return found / told >= REACH && taken === 0;
}

if (process.env.CORPUS) {
    const whole = foreign(process.env.CORPUS);
    console.log(whole ? 'ok' : 'not ok');
    process.exit(whole ? 0 : 1);
}

const all = [...first.cases(), ...second.cases(), ...third.cases(), ...fourth.cases(), ...fifth.cases(), ...others.cases()], groups = new Map();
const outs = redactWrapped(all);
all.forEach((c, i) => {
    const g = groups.get(c.group) || { whole: 0, part: 0, missed: 0 };
    groups.set(c.group, g);
    const lefts = c.secrets.map((s) => left(c.least ? hidden(s) : s, outs[i], c.text, c.least));
    const whole = lefts.every((n) => n === 0), missed = lefts.every((n, j) => n === c.secrets[j].length);
    g[whole ? 'whole' : missed ? 'missed' : 'part']++;
    if (!whole && process.env.MISSED)
        console.log(`${c.group}: ${JSON.stringify(c.text)} -> ${JSON.stringify(outs[i])}`);
});
let good = 0;
for (const [name, g] of groups) {
    const count = g.whole + g.part + g.missed;
    good += g.whole;
    console.log(`${name.padEnd(20)} ${g.whole}/${count} whole, ${g.part} in part, ${g.missed} missed`);
}
const reach = good / all.length;
console.log(`${'all'.padEnd(20)} ${good}/${all.length}: ${(reach * 100).toFixed(1)} %`);

// What is none, in the same place, stays.
const none = [...second.negatives(), ...fourth.negatives(), ...others.negatives()], nones = redact(none.map((n) => n.text));
const gone = none.filter((n, i) => !nones[i].includes(n.stays) && !n.taken), known = none.filter((n) => n.taken);
if (process.env.MISSED)
    gone.forEach((n) => console.log(`${n.group}: ${JSON.stringify(n.text)} is none`));
console.log(`${gone.length} of ${none.length} that are none were taken for one, and ${known.length} that are known to be`);

// Names x what is between x values, by lot: what no one wrote a rule for.
const lot = grid.cases(), drawn = redact(lot.map((c) => Buffer.from(c.text).toString('latin1')));
const won = lot.filter((c, i) => left(c.secrets[0], drawn[i], c.text, 5) === 0).length;
console.log(`${'by lot'.padEnd(20)} ${won}/${lot.length}: ${(won / lot.length * 100).toFixed(1)} %`);

let lines = 0, wrong = 0;
for (const file of files) {
    const text = fs.readFileSync(file, 'latin1').replace(/\0/g, ' ');
    const before = text.split('\n'), after = new Set(redact([text])[0].split('\n'));
    lines += before.length;
    const taken = before.filter((line) => !after.has(line));
    wrong += taken.length;
    if (process.env.MISSED)
        taken.forEach((line) => console.log(`${file}: ${line.slice(0, 200)}`));
}
if (files.length)
    console.log(`${wrong} of ${lines} lines without secrets were taken for one: ${(wrong / lines * 1e4).toFixed(2)} in 10,000`);
const ok = reach >= REACH && won / lot.length >= LOT && !gone.length && (!lines || wrong / lines <= FALSE);
console.log(ok ? 'ok' : 'not ok');
process.exitCode = ok ? 0 : 1;
