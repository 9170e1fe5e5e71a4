// Blocks from the marks of others: shells with their producers' own scripts, at whose prompts is typed what is known
// (lines.js), recorded, and read by `ptyd replay --marks any`. What the shell ran is the truth: each block with its text, its exit
// code, and its lines; and no block that did not happen. The scripts come from a folder of the user's that holds clones of
// their projects; nothing of them is in this tree.
//
// Usage: node run.js FOLDER (PTYD=path; TIMES=2 of each kind; SEED=1; ONLY=text of a producer's name; KEEP=folder for the
// recordings, which AGAIN=1 takes instead of making them anew; INPUT=1: recordings that
// hold what was typed; REACH=0.95)
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { PTYD, randomFrom } = require('../e2e/harness');
const { missingProgram } = require('../screens/display');
const { PRODUCERS, needed, configure } = require('./producers');
const { KINDS } = require('./lines');
const { Session } = require('./session');

const folder = process.argv[2];
const TIMES = Number(process.env.TIMES || 2), SEED = Number(process.env.SEED || 1), REACH = Number(process.env.REACH || 0.95);

// The path of a program, by its name; null: it is not here.
function programs() {
  const found = new Map();
  const { stdout } = spawnSync(path.join(__dirname, '../../tools/other-marks'), [process.env.OTHERS || path.resolve('build/other-marks')], { encoding: 'utf8' });
  for (const [name, file] of (stdout || '').trim().split('\n').map((line) => line.split(' '))) found.set(name, file);
  return (name) => found.get(name) ?? (missingProgram(name) ? null : spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim());
}

// What is found first by whatever runs in `home`.
function putFirst(home, names, program) {
  const bin = path.join(home, 'bin');
  fs.mkdirSync(bin);
  for (const name of names) fs.symlinkSync(program(name), path.join(bin, name === 'fish4' ? 'fish' : name));
  return `${bin}:${process.env.PATH}`;
}

function* filesUnder(directory) {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory() && entry.name !== '.git') yield* filesUnder(file);
    else if (entry.isFile()) yield file;
  }
}

// ---- what was typed, and what came of it ----

function shuffled(list, random) {
  const all = [...list];
  for (let i = all.length - 1; i > 0; i--) { const j = Math.floor(random() * (i + 1)); [all[i], all[j]] = [all[j], all[i]]; }
  return all;
}

// {cast, truth: what ran, in order, each with the kind of its line}
async function record(producer, find, program, home) {
  const { shell, script, start } = producer;
  const random = randomFrom(SEED), truth = [];
  configure(home);
  const PATH = putFirst(home, needed(producer), program);
  const { command, env } = start({ script: script && find(script), find, program, home });
  const session = new Session(command, { PATH, HOME: home, LANG: 'C.UTF-8', TERM: 'xterm-256color', SHELL: '/bin/sh', ...env }, home, { emptiesLine: needed(producer).includes('fish4') });
  await session.prompt();
  for (let i = 0; i < TIMES; i++)
    for (const kind of shuffled(Object.keys(KINDS[shell]('')), random)) {
      const word = `k${truth.length}x${Math.floor(random() * 1e6).toString(36)}`;
      for (const run of await KINDS[shell](word)[kind](session)) truth.push({ kind, ...run });
    }
  await session.close();
  return { cast: session.cast(Boolean(process.env.INPUT)), truth };
}

// ---- compared ----

// A text of several lines may come as history has it, in one.
const plain = (cmd) => cmd.replace(/\\\n/g, '').replace(/\s*[\n;]\s*/g, ';').replace(/(\bdo|\{);/g, '$1 ').trim();
const wrong = (run, block) => [
  run.exit !== null && block.exit_code !== run.exit && `exit ${block.exit_code}, not ${run.exit}`,
  run.lines && run.lines.join('\n') !== block.preview.lines.join('\n') && `lines ${JSON.stringify(block.preview.lines)}, not ${JSON.stringify(run.lines)}`,
].filter(Boolean);

// Blocks and commands, in order: a command's block is the next one with its text. One that has none may have one with
// another text, between those of its neighbours; what is left of the blocks did not happen.
function judge(truth, blocks) {
  const faults = [], used = new Map();
  let at = 0, right = 0;
  for (const run of truth) {
    const next = blocks.findIndex((block, i) => i >= at && i <= at + 8 && plain(block.cmd) === plain(run.cmd));
    if (next < 0) continue;
    used.set(next, run);
    at = next + 1;
  }
  const found = new Map([...used].map(([i, run]) => [run, i]));
  at = 0;
  for (const run of truth) {
    const own = found.get(run), stand = own === undefined && at < blocks.length && !used.has(at) ? at : undefined;
    const what = own === undefined ? [stand === undefined ? 'no block' : `its text is ${JSON.stringify(blocks[stand].cmd)}`] : wrong(run, blocks[own]);
    if (what.length) faults.push(`${run.kind}: ${JSON.stringify(run.cmd)}: ${what.join(', ')}`);
    else right++;
    if (stand !== undefined) used.set(stand, run);
    at = (own ?? stand ?? at - 1) + 1;
  }
  return { right, faults, others: blocks.filter((_, i) => !used.has(i)).map((block) => block.cmd) };
}

async function main() {
  if (!folder || !fs.existsSync(folder)) {
    console.log('skipped - no scripts: make check-marks MARKS=FOLDER, over clones of kitty, ghostty, vscode, wezterm, iTerm2-shell-integration');
    return;
  }
  const files = [...filesUnder(folder)].sort(), find = (suffix) => files.find((file) => file.endsWith(`/${suffix}`));
  const program = programs();
  let all = 0, right = 0, others = 0, count = 0;
  for (const producer of PRODUCERS.filter(({ name }) => name.includes(process.env.ONLY || ''))) {
    const missing = needed(producer).find((name) => !program(name)) || (producer.script && !find(producer.script) && producer.script);
    if (missing) {
      console.log(`skipped - ${producer.name}: no ${missing}`);
      continue;
    }
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'ptyd-marks-'));
    try {
      const file = path.join(process.env.KEEP || home, `${producer.name.replace(/[ ,]+/g, '-')}.cast`);
      if (!process.env.AGAIN) {
        const { cast, truth } = await record(producer, find, program, home);
        fs.writeFileSync(file, cast);
        fs.writeFileSync(`${file}.truth`, JSON.stringify(truth));
      }
      const truth = JSON.parse(fs.readFileSync(`${file}.truth`, 'utf8'));
      const { stdout, stderr, status } = spawnSync(PTYD, ['replay', file, '--marks', 'any', '--json'], { encoding: 'utf8', maxBuffer: 1 << 28 });
      if (status !== 0) throw new Error(stderr);
      const judged = judge(truth, JSON.parse(stdout).blocks);
      console.log(`${producer.name}: ${judged.right} of ${truth.length} right, ${judged.others.length} that did not happen`);
      for (const fault of judged.faults) console.log(`  ${fault}`);
      for (const cmd of judged.others) console.log(`  there is a block ${JSON.stringify(cmd)}`);
      all += truth.length;
      right += judged.right;
      others += judged.others.length;
      count++;
    } catch (error) {
      console.log(`${producer.name}: ${error.stack}`);
      others++;
    } finally {
      fs.rmSync(home, { recursive: true, force: true, maxRetries: 10 });
    }
  }
  console.log(`${count} producers: ${right} of ${all} blocks right (${all ? (100 * right / all).toFixed(1) : 0} %), ${others} that did not happen`);
  process.exit(count && all && right >= REACH * all && !others ? 0 : 1);
}
main().catch((error) => { console.error(error); process.exit(1); });
