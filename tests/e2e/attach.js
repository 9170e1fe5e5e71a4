// A person's terminal: `ptyd attach` and bare `ptyd` in a real pseudo-terminal, made by script(1).
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const { workspace, removeWorkspace, Daemon, Report, PTYD, until, stoppable, descendants } = require('./harness');
const { Terminal } = require('./script');
const { Connection } = require('./connection');

// One that says at the end what it was left in.
const terminalOf = (env, command) => new Terminal(env, `${command}; echo "STATUS $? $(stty -a | grep -o -- '-\\?icanon')"`, { size: '100x30' });

// The processes in a terminal whose whole command line is this.
function processesIn(terminal, ...command) {
  return descendants(terminal.process.pid).map(({ pid }) => pid).filter((pid) => {
    try { return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8') === command.map((word) => `${word}\0`).join(''); } catch { return false; }
  });
}

async function main() {
  const report = new Report();
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  const env = { ...space.env, TERM: 'xterm-256color' };
  daemon.ptyd('open', 'work');
  const last = () => daemon.json('blocks', '-s', 'work', '--last', '1')[0];
  const terminal = terminalOf(env, `${PTYD} attach --verbose work`);

  await report.test('joining with --verbose: one line says what this is and how to leave, then the screen is drawn', async () => {
    await terminal.expect(/\[ptyd: session work, bash, capture on; leave with Ctrl-\\ d\][^]*\$ /);
    assert.deepStrictEqual([daemon.json('screen', '-s', 'work').cols, daemon.json('screen', '-s', 'work').rows_count], [100, 30]);
  });

  await report.test('what is typed runs, what runs is shown, no mark is', async () => {
    terminal.type('echo attached\r');
    await terminal.expect(/attached\r\n/);
    await until('the block', () => last().cmd === 'echo attached' && last().exit_code === 0);
    assert.ok(!terminal.text.includes('7711'));
  });

  await report.test("the attach process goes along with the session's directory", async () => {
    const [pid] = processesIn(terminal, PTYD, 'attach', '--verbose', 'work');
    terminal.type('cd /usr\r');
    await until('it is there', () => fs.readlinkSync(`/proc/${pid}/cwd`) === '/usr');
    terminal.type('cd\r');
  });

  await report.test('Ctrl-C in a command: user_kill, 130; at the prompt: no block', async () => {
    const job = stoppable(`${space.root}/hit`);
    terminal.type(`${job.command}\r`);
    await until('it runs', () => last().status === 'running' && job.inFront());
    assert.strictEqual(last().cmd, job.command);
    terminal.type('\x03');
    await until('it ended', () => last().status === 'killed');
    job.end();
    assert.deepStrictEqual([last().exit_code, last().signal, last().type], [130, 'SIGINT', 'user_kill']);
    terminal.type('half a line\x03');
    terminal.type('\r# a comment\r\r');
    terminal.type('echo done\r');
    await until('the next block', () => last().cmd === 'echo done');
    assert.strictEqual(last().seq, daemon.json('blocks', '-s', 'work').length);
  });

  await report.test('Ctrl-Z stops, fg ends: two blocks', async () => {
    const job = stoppable(`${space.root}/job`);
    terminal.type(`${job.command}\r`);
    await until('it runs', () => last().status === 'running' && job.inFront());
    terminal.type('\x1a');
    await until('stopped', () => last().status === 'stopped');
    assert.strictEqual(last().exit_code, 148);
    job.end();
    terminal.type('fg\r');
    await until('done', () => last().cmd === 'fg' && last().status === 'completed');
  });

  await report.test('a command that starts with a space is private where history ignores it', async () => {
    terminal.type('HISTCONTROL=ignorespace\r');
    await until('set', () => last().cmd === 'HISTCONTROL=ignorespace' && last().status === 'completed');
    terminal.type(' echo secret\r');
    await until('done', () => last().cmd === ' echo secret' && last().status === 'completed');
    assert.strictEqual(last().private, true);
    assert.ok(!JSON.stringify(daemon.json('context', 'show', '-s', 'work')).includes('secret'));
  });

  await report.test('what a program asks, the terminal outside answers, once', async () => {
    const asked = () => terminal.text.split('\x1b[6n').length - 1;
    terminal.type("printf '\\033[6n'; IFS= read -rsd R answer; printf '%q\\n' \"$answer\"\r");
    await until('it is asked', () => asked() === 1);
    terminal.type('\x1b[77;99R');
    await terminal.expect(/\$'\\E\[77;99'\r\n/);
    await until('done', () => last().status === 'completed');
    assert.strictEqual(daemon.ptyd('run', '-s', 'work', '--', 'echo clean').stdout, 'clean\n');
  });

  // Numbered words, so that one that is missing, twice or out of place shows.
  const words = (bytes) => Array.from({ length: Math.ceil(bytes / 8) }, (_, i) => `${1e6 + i} `).join('').slice(0, bytes);
  // A program that reads nothing before `go` is there, and then all that was typed up to a q, into `file`.
  fs.writeFileSync(`${space.root}/reader.js`, `process.stdin.on('data', (data) => {
    require('node:fs').appendFileSync(process.argv[2], data);
    if (data.includes('q')) process.exit();
  });`);
  const deaf = (file) => `stty raw -echo; touch ${file}.ready; until [ -e ${file}.go ]; do sleep 0.02; done; ` +
    `${process.execPath} ${space.root}/reader.js ${file}; stty sane`;

  await report.test('a paste of 3 MiB into a program that does not read yet: it gets all of it, in order', async () => {
    const file = `${space.root}/paste`, text = words(3 << 20);
    terminal.type(`${deaf(file)}\r`);
    await until('it waits', () => fs.existsSync(`${file}.ready`));
    terminal.type(`${text}q\n`);
    const other = new Connection(space);
    await until('nothing more is taken', async () => (await other.type('work', 'x', { timeout_ms: 20 })).error?.data.typed === 0);
    other.end();
    fs.writeFileSync(`${file}.go`, '');
    await until('it was read', () => fs.existsSync(file) && fs.readFileSync(file, 'latin1').includes('q'));
    assert.ok(fs.readFileSync(file, 'latin1').replace(/x+/g, '').trimEnd() === `${text}q`, 'all, in order');
    await until('the prompt is back', () => last().status === 'completed');
  });

  await report.test('Ctrl-\\ d leaves: the terminal is as it was, the session goes on', async () => {
    terminal.type('\x1c');
    terminal.type('d');
    await terminal.expect(/\[left session work[^]*STATUS 0 icanon/);
    assert.strictEqual(await terminal.ended(), 0);
    assert.ok(terminal.text.slice(terminal.text.indexOf('attached')).includes('\x1b[?2004l'), 'as bash had set it');
    assert.strictEqual(daemon.json('list')[0].state, 'prompt');
  });

  await report.test('bare ptyd: a session of this terminal that ends with the shell, and its status', async () => {
    const own = terminalOf(env, PTYD);
    await own.enter('echo $PTYD_SESSION; ptyd_inside=1');
    assert.ok(!own.text.includes('[ptyd'), 'nothing but the shell');
    await own.expect(/term-1\r\n/);
    await own.enter(PTYD);
    await own.expect(/session term-1 already/);
    await own.enter('exit 7');
    await own.expect(/session term-1 ended[^]*STATUS 7 icanon/);
    await own.ended();
    assert.ok(!daemon.json('list').some((s) => s.name === 'term-1'));
  });

  await report.test('a terminal that is killed takes its own session along', async () => {
    const own = terminalOf(env, PTYD);
    await own.prompt();
    const pid = daemon.json('list').find((s) => s.name === 'term-2').shell_pid;
    for (const client of processesIn(own, PTYD)) process.kill(client, 'SIGKILL');
    await until('the shell is gone', () => { try { process.kill(pid, 0); return false; } catch { return true; } });
    await own.ended();
  });

  await report.test('a terminal is restored when the daemon goes away', async () => {
    const other = terminalOf(env, `${PTYD} attach --verbose work`);
    await other.expect(/session work[^]*\$ /);
    await daemon.stop();
    await other.expect(/STATUS \d+ icanon/);
    await other.ended();
  });

  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
