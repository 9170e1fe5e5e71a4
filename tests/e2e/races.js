// A job in the background prints into the terminal while commands run one after another, and lines that are typed
// ahead are echoed by the kernel: nothing of either becomes part of a command's text, status or directory. What is
// not certain is `unknown`.
//   COMMANDS=5000 node tests/e2e/races.js      all of it (make check-races)
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { workspace, removeWorkspace, makeHome, Daemon, Report, PTYD, until } = require('./harness');
const { Connection } = require('./connection');

const COMMANDS = Number(process.env.COMMANDS || 60); // for each shell and pause
const PAUSES = process.env.COMMANDS ? [0, 50, 100, 300, 1000] : [0, 100]; // us
const AT_ONCE = 20; // lines typed ahead
const RACER = path.join(path.dirname(PTYD), 'racer');
const SHELLS = ['bash', 'zsh', 'fish', 'dash', 'busybox'];
// Whose own editor echoes what was typed ahead, and who never says that a command starts: another's line feed may
// be a line's there, and a command too many or none, of which the text is unknown.
const COUNTS_LINES = ['busybox'];

const find = (name) => ['/bin', '/usr/bin'].map((folder) => path.join(folder, name)).find(fs.existsSync);

// The number says which command it is, the length makes its mark short or long.
function commandOf(i, folders) {
  if (i % 7 === 3) return { cmd: `sh -c "exit ${i % 50}" ${i}`, exit: i % 50 };
  if (i % 7 === 5) return { cmd: `cd ${folders[i % 2]}`, exit: 0, cwd: folders[i % 2] };
  return { cmd: `: ${i} ${'x'.repeat([3, 30, 90, 250][i % 4])}`, exit: 0 };
}

async function race(daemon, report, shell, pause) {
  await report.test(`${shell}: ${COMMANDS} commands, a job prints ${pause ? `every ${pause} us` : 'without a pause'}`, async () => {
    const name = `${shell}-${pause}`, space = daemon.space;
    const go = path.join(space.root, `go-${name}`), ran = path.join(space.root, `ran-${name}`);
    const folders = ['one', 'two'].map((folder) => path.join(space.root, `${name}-${folder}`));
    for (const folder of folders) fs.mkdirSync(folder);
    fs.writeFileSync(go, '');
    assert.strictEqual(daemon.ptyd('open', name, '--shell', find(shell), '--size', '200x50').status, 0);
    assert.strictEqual(daemon.ptyd('run', '-s', name, '--', `cd ${folders[0]}`).status, 0);
    assert.strictEqual(daemon.ptyd('run', '-s', name, '--', `${RACER} ${go} ${pause} &`).status, 0);
    const first = daemon.json('blocks', '-s', name).length;
    const wanted = Array.from({ length: COMMANDS }, (_, i) => commandOf(i, folders));
    const connection = new Connection(space);
    const type = async (text) => assert.strictEqual((await connection.type(name, text)).result.typed, text.length);
    // How far it is says the shell, not the terminal.
    const count = () => (fs.existsSync(ran) ? fs.statSync(ran).size : 0);
    for (let i = 0; i < COMMANDS; i += AT_ONCE) {
      const lines = wanted.slice(i, i + AT_ONCE).map(({ cmd }) => cmd);
      await type(`${lines.join('\r')}\recho >>${ran}\r`);
      await until(`${i} were typed`, () => count() > i / AT_ONCE, 120000);
    }
    fs.rmSync(go);
    connection.end();
    await until('the last of them ran', () => count() >= Math.ceil(COMMANDS / AT_ONCE), 120000);
    if (!COUNTS_LINES.includes(shell)) // a block of its own, behind which there is none
      assert.strictEqual(daemon.ptyd('run', '-s', name, '--timeout', '120', '--', 'sh -c "exit 77"').status, 77);
    const blocks = daemon.json('blocks', '-s', name).slice(first).filter((b) => b.status === 'completed' && b.cmd !== 'sh -c "exit 77"');
    check(name, shell, blocks.filter((b) => !b.cmd.startsWith('echo >>')), wanted, folders);
  });
}

// What is known is true; and of most it is known.
function check(name, shell, blocks, wanted, folders) {
  const texts = new Set(wanted.map(({ cmd }) => cmd));
  const known = blocks.filter((b) => b.cmd_source !== 'unknown');
  const forged = known.filter((b) => !texts.has(b.cmd));
  assert.deepStrictEqual(forged.map(({ cmd, cmd_source }) => [cmd_source, cmd]), [], `${forged.length} texts are forged`);
  const exits = blocks.filter((b) => b.exit_code === 66);
  assert.deepStrictEqual(exits.map(({ cmd, exit_code }) => [cmd, exit_code]), [], 'statuses');
  const places = blocks.filter((b) => ![b.cwd, b.cwd_after].every((place) => folders.includes(place)));
  assert.deepStrictEqual(places.map(({ cwd, cwd_after }) => [cwd, cwd_after]), [], 'directories');
  console.log(`    ${name}: ${blocks.length} of ${wanted.length} commands, ${known.length} texts known`);
  // What is told of a line is that line's.
  const of = new Map(wanted.map((one) => [one.cmd, one]));
  for (const { cmd, exit_code: exit, cwd_after: after } of known) {
    assert.strictEqual(exit, of.get(cmd).exit, `the status of ${cmd}`);
    if (of.get(cmd).cwd) assert.strictEqual(after, of.get(cmd).cwd, `the directory behind ${cmd}`);
  }
  if (COUNTS_LINES.includes(shell)) return;
  assert.strictEqual(blocks.length, wanted.length);
  blocks.forEach((b, i) => {
    if (b.cmd_source !== 'unknown') assert.strictEqual(b.cmd, wanted[i].cmd, `the text of ${i}`);
    assert.strictEqual(b.exit_code, wanted[i].exit, `the status of ${wanted[i].cmd}`);
    if (wanted[i].cwd) assert.strictEqual(b.cwd_after, wanted[i].cwd, `the directory behind ${i}`);
  });
  assert.ok(known.length >= 0.9 * wanted.length, `${known.length} of ${wanted.length} are known`);
}

// A line that is typed, over which a job draws another before Enter.
async function drawnOver(daemon, report, shell) {
  await report.test(`${shell}: what a job draws over a line that is typed is not its text`, async () => {
    const name = `over-${shell}`, space = daemon.space;
    const go = path.join(space.root, `go-${name}`), home = path.join(space.root, name);
    const run = (command) => daemon.ptyd('run', '-s', name, '--timeout', '60', '--', command);
    const shows = (text) => until(`it shows ${text}`, () => daemon.json('screen', '-s', name).rows.some((row) => row.includes(text)));
    const type = async (...keys) => assert.strictEqual(daemon.ptyd('send', '-s', name, ...keys).status, 0);
    const last = () => daemon.json('blocks', '-s', name, '--last', '1')[0];
    makeHome(home);
    fs.writeFileSync(path.join(home, '.bashrc'), 'HISTCONTROL=ignoreboth\n');
    daemon.ptyd('open', name, '--shell', find(shell), '--env', `HOME=${home}`);
    run('ls -d /tmp');
    // As it is; the same again, which bash does not record; and one that is private there.
    for (const [i, line] of ['ls -d /tmp', 'ls -d /tmp', ' ls -d /usr'].entries()) {
      run(`sh -c 'until [ -e ${go}-${i} ]; do sleep 0.02; done; printf "\\r\\033[2K$ rm -rf /evil" >/dev/tty; : >${go}-${i}-drawn' &`);
      if (i === 1) run('ls -d /tmp');
      const before = last().seq;
      await type(line);
      await shows(line.trim());
      fs.writeFileSync(`${go}-${i}`, '');
      await until('it is drawn', () => fs.existsSync(`${go}-${i}-drawn`)); // (an editor may draw its line again at once)
      await type('--key', 'Enter');
      const block = await until(`${i} is done`, () => last().seq > before && last().status === 'completed' && last());
      assert.deepStrictEqual([block.cmd, block.cmd_source !== 'unknown'], [line, true]);
      if (shell === 'bash') assert.strictEqual(block.private, line[0] === ' ');
    }
  });
}

async function renamed(daemon, report) {
  await report.test('bash: another line in history is not what ran; where that is not certain agents are told so', () => {
    const script = path.join(daemon.space.root, 'renames'), run = (line) => daemon.ptyd('run', '-s', 'renamed', '--', line);
    fs.writeFileSync(script, "history -s 'make test'\n");
    daemon.ptyd('open', 'renamed', '--shell', find('bash'));
    run(`. ${script}`);
    run('fc -s make=echo');
    run('HISTCONTROL=ignoredups');
    run('echo same\necho same');
    const blocks = daemon.json('blocks', '-s', 'renamed').map(({ cmd, cmd_source }) => [cmd, cmd_source]);
    assert.deepStrictEqual(blocks, [[`. ${script}`, 'echo'], ['fc -s make=echo', 'echo'], ['HISTCONTROL=ignoredups', 'history'], ['echo same\necho same', 'unknown']]);
    const { additionalContext } = daemon.json('context', 'show');
    const told = Object.values(additionalContext).map(({ value }) => JSON.parse(value)).find(({ cmd }) => cmd === 'echo same\necho same');
    assert.strictEqual(told.cmd_source, 'unknown');
    assert.match(daemon.ptyd('context', 'show', '--format', 'text').stdout, /the command is not certain/);
  });
}

async function main() {
  if (!fs.existsSync(RACER)) throw new Error(`${RACER} is not there: make ${path.relative('', RACER)}`);
  const report = new Report({ limit: 100 + COMMANDS });
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  for (const shell of SHELLS) {
    if (!find(shell)) {
      report.skip(shell, 'not on this machine');
      continue;
    }
    for (const pause of PAUSES) await race(daemon, report, shell, pause);
  }
  for (const shell of SHELLS.filter(find)) await drawnOver(daemon, report, shell);
  await renamed(daemon, report);
  await report.test('the daemon ends cleanly', async () => {
    assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
  });
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
