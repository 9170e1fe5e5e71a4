// esctest2, esctest/esctest.py: asks a terminal where its cursor is, and for the checksum of each cell (DECRQCRA). It
// runs in a real xterm under Xvfb and in a live session of ours, whose daemon is told to answer that
// (PTYD_ANSWER_CHECKSUMS). A case is a test of screen or cursor that xterm passes.
//
// Usage, as a process of its own: node esctest.js FILE prints [[name, passed here], ...]
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { PTYD, Daemon, workspace, removeWorkspace } = require('../e2e/harness');
const { startDisplay, missingProgram } = require('../screens/display');
const { listed } = require('./screen');

// What is about colours, windows, titles, the clipboard, and what a terminal says of itself.
const OTHER = ['ChangeColor', 'ChangeDynamicColor', 'ChangeSpecialColor', 'DA', 'DA2', 'DECDSR', 'DECID', 'DECRQM', 'DECRQSS', 'DECSCL',
  'ManipulateSelectionData', 'ResetColor', 'ResetSpecialColor', 'SMTitle', 'XtermSave', 'XtermWinops'];
const SIZE = '80x25';
const RUN_S = 400, REPLY_S = 5;

const quoted = (word) => `'${word.replace(/'/g, "'\\''")}'`;

function command(file, log) {
  const patch = /\d+/.exec(spawnSync('xterm', ['-version'], { encoding: 'utf8' }).stdout)[0]; // what it expects depends on it
  const options = ['--expected-terminal=xterm', '--max-vt-level=4', `--xterm-reverse-wrap=${patch}`, '--no-print-logs', `--timeout=${REPLY_S}`,
    `--logfile=${log}`, `--include=^(?!(${OTHER.join('|')})Tests\\.)`, '--options', 'xtermWinopsEnabled', 'allowC2Controls'];
  return ['python3', '-B', file, ...options].map(quoted).join(' ');
}

// The names of the tests that passed, by its log.
function passed(log) {
  const tests = fs.readFileSync(log, 'latin1').split(/^Run test: /m).slice(1);
  return new Set(tests.filter((text) => /^Passed\.$/m.test(text)).map((text) => text.slice(0, text.indexOf('\n'))));
}

async function inXterm(file, root) {
  const log = path.join(root, 'xterm.log'), DISPLAY = await startDisplay();
  const resources = ['decTerminalID: 420', 'disallowedWindowOps:', 'allowWindowOps: true'].flatMap((one) => ['-xrm', `XTerm*${one}`]);
  const xterm = spawn('xterm', [...resources, '-u8', '-geometry', SIZE, '-e', 'sh', '-c', command(file, log)], { env: { ...process.env, DISPLAY, LC_ALL: 'C.UTF-8' }, stdio: 'ignore' });
  const late = setTimeout(() => xterm.kill(), RUN_S * 1000);
  await new Promise((resolve) => xterm.on('exit', resolve));
  clearTimeout(late);
  return passed(log);
}

async function inSession(file, space) {
  const log = path.join(space.root, 'session.log');
  space.env.PTYD_ANSWER_CHECKSUMS = '1';
  const daemon = await new Daemon(space).ready();
  daemon.ptyd('open', 'suite', '--size', SIZE);
  const { status, stderr } = spawnSync(PTYD, ['run', '-s', 'suite', '--timeout', String(RUN_S), '--', command(file, log)], { env: space.env, encoding: 'utf8', maxBuffer: 1 << 28 });
  await daemon.stop();
  if (status !== 0) throw new Error(`esctest in a session: status ${status}, ${stderr}`);
  return passed(log);
}

async function main(file) {
  const space = workspace();
  try {
    const there = await inXterm(file, space.root), here = await inSession(file, space);
    console.log(JSON.stringify([...there].map((name) => [name, here.has(name)])));
  } finally {
    removeWorkspace(space);
  }
  process.exit(0);
}

module.exports = {
  name: "esctest2's tests of screen and cursor that xterm passes",
  reach: 0.94,
  is: (file) => file.endsWith('/esctest/esctest.py'),
  missing: () => missingProgram('Xvfb', 'xterm', 'python3'),
  *cases(file) {
    const { stdout, stderr, status } = spawnSync(process.execPath, [__filename, file], { encoding: 'utf8', maxBuffer: 1 << 26 });
    if (status !== 0) throw new Error(`esctest.js: status ${status}, ${stderr}`);
    for (const [name, here] of JSON.parse(stdout)) yield { name, asked: ['passed'], given: () => [here ? 'passed' : 'failed'] };
  },
  others: listed({
    'how wide a session is, is said by whoever looks at it, not by a program (DECCOLM)': ['DECSETTests.test_DECSET_Allow80To132', 'DECSETTests.test_DECSET_DECCOLM', 'RISTests.test_RIS_ResetDECCOLM'],
    'what was printed as a title never comes back as input': ['RISTests.test_RIS_ResetTitleMode'],
    'what stood on the alternate screen is gone when it is shown again, with ?47, too': ['DECSETTests.test_DECSET_ALTBUF'],
    "there is no mode for what a tab does where the cursor waits behind the last column (?41, a fault of an old curses)": ['DECSETTests.test_DECSET_MoreFix'],
    'there are no protected areas but DECSCA\'s (SPA, EPA)': ['ECHTests.test_ECH_respectsISOProtection', 'EDTests.test_ED_respectsISOProtection', 'ELTests.test_EL_respectsISOProtection'],
  }),
};
if (require.main === module) main(process.argv[2]).catch((error) => { console.error(error); process.exit(1); });
