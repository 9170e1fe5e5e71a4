// What is waited for in a session, typed into it by name, and done step by step: nothing is missed, and
// nothing is found twice.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, PTYD, until, killWorker, waitFor } = require('./harness');

const SHELLS = ['bash', 'zsh', 'fish', 'dash'].filter((name) => spawnSync('which', [name]).status === 0);

async function main() {
  const report = new Report();
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  const open = (name, ...more) => assert.strictEqual(daemon.ptyd('open', name, ...more).status, 0);
  const json = (...args) => JSON.parse(daemon.ptyd(...args, '--timeout', '20', '--json').stdout);
  const file = (name) => path.join(space.root, name);

  // Runs beside the test; `done` gives status, stdout and stderr.
  function start(...args) {
    const child = spawn(PTYD, args, { env: space.env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '', stderr = '';
    child.stdout.on('data', (data) => { stdout += data; });
    child.stderr.on('data', (data) => { stderr += data; });
    return new Promise((resolve) => child.on('close', (status) => resolve({ status, stdout, stderr })));
  }

  const timed = (...args) => start(...args, '--timeout', '20');

  function script(name, steps, ...more) {
    fs.writeFileSync(file('steps'), steps);
    return daemon.ptyd('script', '-s', name, file('steps'), ...more);
  }

  for (const shell of SHELLS)
    await report.test(`${shell}: typed and waited for: prompt, text, pattern, status; also across the edge`, async () => {
      open(shell, '--shell', shell, '--size', '40x10');
      const expect = (...args) => daemon.ptyd('expect', '-s', shell, '--timeout', '20', ...args);
      assert.strictEqual(daemon.ptyd('wait', '-s', shell, '--prompt', '--timeout', '20').status, 0);
      assert.strictEqual(expect('--exit', '--send', "sh -c 'exit 7'", '--key', 'Enter').status, 7);
      const long = 'echo 0123456789 0123456789 0123456789 0123456789 the"" end';
      assert.strictEqual(expect(long, '--send', long).status, 0);
      assert.strictEqual(expect('0123456789 the end', '--key', 'Enter').status, 0);
      assert.strictEqual(expect('--prompt').status, 0);
      const found = json('expect', '-s', shell, '--regex', '^a+b$', '--send', 'echo aa""b', '--key', 'Enter');
      assert.deepStrictEqual([found.met, found.matched], [true, 'aab']);
    });

  await report.test('a cursor: what came since is found at once, in order, each once', async () => {
    open('cursor');
    const { cursor } = json('wait', '-s', 'cursor', '--prompt');
    const sent = json('expect', '-s', 'cursor', '--exit', '--send', 'for i in 1 2 3; do echo "wor""d $i"; done', '--key', 'Enter');
    assert.strictEqual(sent.block.exit_code, 0);
    let at = cursor;
    for (const i of [1, 2, 3]) {
      const found = json('wait', '-s', 'cursor', '--from', String(at), '--regex', 'word \\d');
      assert.strictEqual(found.matched, `word ${i}`);
      assert.ok(found.cursor > at);
      at = found.cursor;
    }
    const none = daemon.ptyd('wait', '-s', 'cursor', '--from', String(at), 'word', '--timeout', '0.2', '--json');
    assert.deepStrictEqual([none.status, JSON.parse(none.stdout).why, JSON.parse(none.stdout).cursor], [124, 'timeout', at]);
    assert.strictEqual(json('wait', '-s', 'cursor', '--from', String(cursor), '--exit').block.seq, sent.block.seq);
    // Nothing was printed behind it, by any wait's reckoning: also not a byte behind the end.
    assert.strictEqual(daemon.ptyd('wait', '-s', 'cursor', '--settled', '300', '--timeout', '20').status, 0);
    const end = Number(daemon.ptyd('wait', '-s', 'cursor', '--from', '999999999', 'x').stderr.match(/printed \((\d+)\)/)[1]);
    for (const beyond of ['999999999', String(end + 1)])
      for (const what of [['x'], ['--regex', 'x'], ['--screen', 'x'], ['--prompt'], ['--exit'], ['--idle', '1'], ['--settled', '1'], ['--change']]) {
        const { status, stderr, stdout } = daemon.ptyd('wait', '-s', 'cursor', '--timeout', '5', '--json', '--from', beyond, ...what);
        assert.ok(status === (what[0] === '--exit' ? 125 : 1) && stderr.includes(`cursor ${beyond} lies behind`) && /another session's/.test(stderr), `${what}: ${status} ${stderr}`);
        assert.strictEqual(JSON.parse(stdout).why, 'lost');
      }
  });

  await report.test('100 answers that come at once: none is missed', async () => {
    open('fast');
    daemon.ptyd('expect', '-s', 'fast', 'ready', '--send', "stty -echo; echo rea''dy; while read -r x; do echo \"<$x>\"; done", '--key', 'Enter', '--timeout', '20');
    for (let i = 0; i < 100; i++)
      assert.strictEqual(daemon.ptyd('expect', '-s', 'fast', `<${i}>`, '--send', String(i), '--key', 'Enter', '--timeout', '20').status, 0);
    daemon.ptyd('send', '-s', 'fast', '--key', 'C-d', 'stty echo', '--key', 'Enter');
  });

  await report.test('a wait that begins in time is there when it comes: text in pieces, overwritten text, the end of a command', async () => {
    open('later');
    const go = file('go');
    const begun = json('expect', '-s', 'later', '--change', '--send', `${waitFor(go)}; printf 'nee'; printf '\\033[1mdle\\033[0m 9%%\\r10%%\\r11%%\\n'; (exit 9)`);
    assert.ok(begun.met);
    daemon.ptyd('send', '-s', 'later', '--key', 'Enter');
    await until('it runs', () => daemon.json('list').find((s) => s.name === 'later').state === 'running');
    const { cursor } = JSON.parse(daemon.ptyd('send', '-s', 'later', '--json', ' ').stdout);
    const waits = [timed('wait', '-s', 'later', '--from', String(cursor), 'needle'), timed('wait', '-s', 'later', '--from', String(cursor), '10%'), timed('wait', '-s', 'later', '--from', String(cursor), '--exit')];
    fs.writeFileSync(go, '');
    assert.deepStrictEqual((await Promise.all(waits)).map((w) => w.status), [0, 0, 9]);
  });

  await report.test('a worker that dies: waits go on, and find what came meanwhile', async () => {
    open('dies');
    const go = file('go-dies');
    const { cursor } = json('wait', '-s', 'dies', '--prompt');
    daemon.ptyd('send', '-s', 'dies', `${waitFor(go)}; echo fou''nd; (exit 5)`, '--key', 'Enter');
    await until('it runs', () => daemon.json('list').find((s) => s.name === 'dies').state === 'running');
    const from = ['-s', 'dies', '--from', String(cursor)];
    const waits = [timed('wait', ...from, '\nfound'), timed('wait', ...from, '--exit'), timed('wait', '-s', 'dies', '--screen', '\nfound')];
    await killWorker(daemon);
    fs.writeFileSync(go, '');
    assert.deepStrictEqual((await Promise.all(waits)).map((w) => w.status), [0, 5, 0]);
  });

  await report.test('screen, change, settled, idle; and what is no command', async () => {
    open('screen');
    daemon.ptyd('wait', '-s', 'screen', '--prompt', '--timeout', '20');
    assert.strictEqual(daemon.ptyd('expect', '-s', 'screen', '--change', '--send', 'abc', '--timeout', '20').status, 0);
    assert.strictEqual(daemon.ptyd('wait', '-s', 'screen', '--screen', 'abc', '--timeout', '20').status, 0);
    assert.strictEqual(daemon.ptyd('wait', '-s', 'screen', '--screen', '--regex', '^.*abc$', '--timeout', '20').status, 0);
    assert.strictEqual(daemon.ptyd('wait', '-s', 'screen', '--change', '--timeout', '0.3').status, 124);
    for (const [what, ms] of [['--idle', 300], ['--settled', 300]]) {
      const begun = Date.now();
      assert.strictEqual(daemon.ptyd('wait', '-s', 'screen', what, String(ms), '--timeout', '20').status, 0);
      assert.ok(Date.now() - begun >= ms);
    }
    daemon.ptyd('expect', '-s', 'screen', '--prompt', '--key', 'C-c', '--timeout', '20');
    const none = daemon.ptyd('wait', '-s', 'screen', '--exit');
    assert.ok(none.status === 125 && /no command runs/.test(none.stderr), none.stderr);
    daemon.ptyd('send', '-s', 'screen', `sh -c 'i=0; while :; do i=$((i+1)); echo $i; done'`, '--key', 'Enter');
    for (const what of ['--idle', '--settled'])
      assert.strictEqual(daemon.ptyd('wait', '-s', 'screen', what, '2000', '--timeout', '2.5').status, 124);
    daemon.ptyd('expect', '-s', 'screen', '--prompt', '--key', 'C-c', '--timeout', '20');
    const over = timed('wait', '-s', 'screen', 'never');
    daemon.ptyd('send', '-s', 'screen', 'exit', '--key', 'Enter');
    assert.strictEqual((await over).status, 1);
  });

  await report.test('a hostile pattern ends by itself and stops nobody', async () => {
    open('hostile');
    json('expect', '-s', 'hostile', '--prompt', '--send', "head -c 3000 /dev/zero | tr '\\0' a; echo", '--key', 'Enter');
    const hostile = start('wait', '-s', 'hostile', '--from', '0', '--regex', '(a+)+[bc]', '--timeout', '60');
    const begun = Date.now();
    assert.strictEqual(daemon.ptyd('status').status, 0);
    const { status, stderr } = await hostile;
    assert.ok(status === 1 && /takes too long/.test(stderr), `${status} ${stderr}`);
    assert.ok(Date.now() - begun < 30000);
    for (const bad of [['--regex', 'a('], [''], ['--idle', 'x'], ['--prompt', '--exit'], ['a', 'b'], ['--from', 'x', 'a'], []])
      assert.strictEqual(daemon.ptyd('wait', '-s', 'hostile', ...bad).status, 2, bad.join(' '));
  });

  await report.test('keys by name, as the program wants them; a paste; names that are none', async () => {
    open('keys');
    fs.writeFileSync(file('keys.js'), `const fs = require('fs');
      process.stdin.setRawMode(true);
      process.stdout.write('\\x1b[?1h\\x1b[?2004hrea' + 'dy');
      process.stdin.on('data', (d) => { fs.appendFileSync(process.argv[2], d); if (d.includes('q')) { process.stdout.write('\\x1b[?1l\\x1b[?2004l'); process.exit(); } });`);
    daemon.ptyd('expect', '-s', 'keys', 'ready', '--send', `${process.execPath} ${file('keys.js')} ${file('read')}`, '--key', 'Enter', '--timeout', '20');
    const keys = ['Up', 'C-Left', 'S-F5', 'M-x', 'BTab', 'PageUp', 'C-Space', 'F13', 'é'].flatMap((k) => ['--key', k]);
    assert.strictEqual(daemon.ptyd('send', '-s', 'keys', ...keys, '--paste', 'a\nb', '--hex', '21').status, 0);
    daemon.ptyd('expect', '-s', 'keys', '--prompt', '--key', 'q', '--timeout', '20');
    assert.strictEqual(fs.readFileSync(file('read'), 'utf8'), '\x1bOA\x1b[1;5D\x1b[15;2~\x1bx\x1b[Z\x1b[5~\0\x1b[25~é\x1b[200~a\rb\x1b[201~!q');
    const none = daemon.ptyd('send', '-s', 'keys', '--key', 'PageUpp');
    assert.ok(none.status === 2 && /did you mean PageUp\?/.test(none.stderr), none.stderr);
  });

  // What tui-test's quick start does: a command and its outcome, and a full-screen program.
  await report.test('as tui-test: a command, what it showed and its status; a full-screen program', async () => {
    open('tui');
    const quick = script('tui', 'wait --prompt\nsend "echo hello\\r"\nwait --exit\nexpect-screen --regex "^hello$"\n');
    assert.strictEqual(quick.status, 0, quick.stderr);
    if (spawnSync('which', ['less']).status !== 0) return;
    fs.writeFileSync(file('long.txt'), Array.from({ length: 100 }, (_, i) => `row ${i}\n`).join(''));
    const full = script('tui', `send "less ${file('long.txt')}\\r"\nexpect-screen --regex '^row 0$'\nwait --settled 100\nkey End\nsend G\nexpect-screen 'row 99'\nsend q\nwait --exit\nexpect-screen hello\n`);
    assert.strictEqual(full.status, 0, full.stderr);
  });

  // What expect and pexpect are shown with: a dialogue as ftp's, and one as passwd's, which echoes nothing.
  await report.test('as expect and pexpect: a dialogue with a name, a password and a prompt', async () => {
    open('ftp');
    fs.writeFileSync(file('ftp'), `printf 'Name (host:me): '; read -r name
      stty -echo; printf 'Password:'; read -r word; stty echo; echo
      [ "$name $word" = 'anonymous secret' ] || { echo 'Login incorrect.'; exit 1; }
      echo '230 Login successful.'
      while printf 'ftp> '; read -r line; do
        case $line in ls) echo README; echo pub;; bye) echo '221 Goodbye.'; exit 0;; *) echo '?Invalid command';; esac
      done\n`);
    const steps = `# a name, a password, and what is there
set timeout 20
send "sh ${file('ftp')}\\r"
expect --regex 'Name .*: '
send "anonymous\\r"
expect "Password:"
send "secret\\r"
expect "230 Login successful."
expect "ftp> "
send ls
key Enter
expect --regex "README\\n"
expect "ftp> "
send "bye\\r"
expect "221 Goodbye."
wait --exit
wait --prompt
`;
    const done = script('ftp', steps, '--json');
    assert.strictEqual(done.status, 0, done.stderr);
    const said = JSON.parse(done.stdout);
    assert.ok(said.ok && said.steps.length === 15 && said.steps[1].matched === 'Name (host:me): ');
    assert.ok(!daemon.json('screen', '-s', 'ftp').rows.join('\n').includes('secret'));
    const wrong = script('ftp', steps.replace('secret', 'guess').replace('set timeout 20', 'set timeout 2'));
    assert.strictEqual(wrong.status, 1);
    assert.match(wrong.stderr, /steps:8: expect "230 Login successful\.": not so within 2 s\nthe screen's last lines:\n(\|.*\n)*\| Login incorrect\.\n/);
  });

  await report.test('a script that fails says where; one that does not parse, what was expected', async () => {
    open('fails');
    daemon.ptyd('wait', '-s', 'fails', '--prompt', '--timeout', '20');
    const status = script('fails', 'send "(exit 3)\\r"\nwait --exit\n');
    assert.ok(status.status === 1 && /steps:2: wait --exit: the command ended with 3\n/.test(status.stderr), status.stderr);
    const twice = script('fails', 'send "echo on""ce\\r"\nexpect "\\nonce"\nexpect --timeout 0.3 once\n', '--json');
    assert.deepStrictEqual([twice.status, JSON.parse(twice.stdout).steps.map((s) => s.ok)], [1, [true, true, false]]);
    const bad = script('fails', 'send a\n\nexpetc b\n');
    assert.ok(bad.status === 2 && /steps:3: .*expected, not 'expetc'/.test(bad.stderr), bad.stderr);
    assert.strictEqual(daemon.ptyd('script', '-s', 'fails', file('nowhere')).status, 2);
    assert.strictEqual(daemon.ptyd('wait', '-s', 'nobody', 'x').status, 1);
  });

  await report.test('a worker that does not answer: a time-out holds all the same', () => {
    const worker = daemon.json('status').worker_pid;
    process.kill(worker, 'SIGSTOP');
    try {
      for (const what of [['x'], ['--prompt'], ['--exit'], ['--change']]) {
        const { status, stderr } = daemon.ptyd('wait', '-s', 'fails', '--timeout', '0.5', ...what);
        assert.deepStrictEqual([status, stderr], [124, 'ptyd: the daemon does not answer; `ptyd status` says more\n'], what.join(' '));
      }
      assert.match(daemon.ptyd('context', 'show').stderr, /^ptyd: the daemon does not answer \(waited [\d.]+ s\)/);
    } finally {
      process.kill(worker, 'SIGCONT');
    }
    assert.strictEqual(daemon.ptyd('wait', '-s', 'nobody', '--timeout', '0.001', 'x').status, 1);
  });

  await report.test('SIGTERM stops it', async () => assert.strictEqual((await daemon.stop()).code, 0));
  removeWorkspace(space);
  report.finish();
}

main();
