// Every installed shell against every situation: what ptyd captured, against what the shell itself
// says. The truth of an exit code and a directory is what the shell wrote into a file when it was
// asked, with its own $? and $PWD; the truth of the text is what was typed.
//   node tests/e2e/shells.js [SHELL...]      prints the table
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, until, waitFor, stoppable, killWorker } = require('./harness');

const only = process.argv.slice(2);

// SHELL_BASH=/path/to/bash, SHELL_ZSH and so on: another one than the machine's.
function find(name) {
  const other = process.env[`SHELL_${name.toUpperCase()}`];
  if (other) return other;
  for (const folder of [...process.env.PATH.split(':'), '/bin'])
    if (fs.existsSync(path.join(folder, name))) return path.join(folder, name);
  return undefined;
}

// posix: understands $? and POSIX syntax. history: expands `!!`. echoes: the text of a command is
// what the terminal echoed, so wrapped or recalled lines are what they looked like.
const SHELLS = [
  { name: 'bash', posix: true, history: true, job: 148 },
  { name: 'zsh', posix: true, history: true, job: 148 },
  { name: 'fish', posix: false, history: false, job: 0 },
  { name: 'dash', posix: true, history: false, job: undefined, echoes: true },
  { name: 'busybox', posix: true, history: false, job: undefined, echoes: true },
].filter((s) => !only.length || only.includes(s.name));

// Whether a busybox assigns in the branch of a condition that it does not take.
const assignsInVain = (busybox) => spawnSync(busybox, ['sh', '-c', 'echo $((1 ? 0 : (t = 1)))$t'], { encoding: 'utf8' }).stdout.trim() === '01';

class Session {
  constructor(daemon, shell, name, open = []) {
    this.daemon = daemon;
    this.shell = shell;
    this.name = name;
    this.truth = path.join(daemon.space.root, `truth-${name}`);
    const opened = daemon.ptyd('open', name, '--shell', find(shell.name), ...open);
    assert.strictEqual(opened.status, 0, opened.stderr);
  }

  blocks() { return this.daemon.json('blocks', '-s', this.name); }

  last() { return this.daemon.json('blocks', '-s', this.name, '--last', '1')[0]; }

  run(command, timeout = '10') { return this.daemon.ptyd('run', '-s', this.name, '--timeout', timeout, '--', command); }

  send(...keys) { this.daemon.ptyd('send', '-s', this.name, ...keys); }

  state() { return this.daemon.json('list').find((s) => s.name === this.name).state; }

  async prompt() { await until(`${this.name} shows a prompt`, () => this.state() === 'prompt'); }

  // Keys that end in another prompt, without a command; what is typed before that comes may be thrown away.
  async reprompt(...keys) {
    const log = path.join(this.daemon.space.env.PTYD_STATE_DIR, 'conversations', this.name, 'agent_pty/output.raw');
    const prompts = () => fs.readFileSync(log, 'latin1').split(/;B[;\x07]/).length;
    const before = prompts();
    this.send(...keys);
    await until(`${this.name} shows another prompt`, () => prompts() > before);
  }

  async running(text) {
    await until(`${this.name} runs ${text}`, () => { const b = this.last(); return b && b.status === 'running' && b.cmd.includes(text); });
  }

  // Types a line with Enter; waits until it is done.
  async type(line) {
    const before = this.blocks().length;
    this.send(line, '--key', 'Enter');
    await until(`${this.name}: ${line} is done`, () => this.blocks().length > before && this.last().status !== 'running');
    await this.prompt();
  }

  // Asks the shell for its status and directory; not to be confused with a block's.
  ask() {
    fs.rmSync(this.truth, { force: true });
    const seen = this.last();
    this.run(this.shell.posix ? `echo "$? $PWD" >|${this.truth}` : `echo "$status $PWD" >${this.truth}`);
    const [status, ...rest] = fs.readFileSync(this.truth, 'utf8').trim().split(' ');
    return { seen, exit: Number(status), cwd: rest.join(' ') };
  }
}

// One row: what is typed, and what is known of it besides the shell's own word.
const SITUATIONS = [
  ['plain', 'echo hello', { lines: ['hello'] }],
  ['fails', 'false', { lines: [], exit: 1 }],
  ['status 42', 'sh -c "exit 42"', { exit: 42 }],
  ['pipeline', 'printf "b\\na\\n" | sort', { lines: ['a', 'b'] }],
  ['no newline', 'printf partial', { lines: ['partial'] }],
  ['cd', 'cd /usr', { after: '/usr' }],
  ['cd back', 'cd', {}],
  ['subshell', '(echo sub; exit 9)', { posix: true, lines: ['sub'], exit: 9 }],
  ['and-or', 'false || echo or', { lines: ['or'], exit: 0 }],
  ['loop', 'for i in 1 2 3; do echo $i; done', { posix: true, lines: ['1', '2', '3'] }],
  ['function', 'f() { echo in f; return 3; }', { posix: true, exit: 0 }],
  ['call it', 'f', { posix: true, lines: ['in f'], exit: 3 }],
  ['semicolon, percent', 'echo "a;b%41c"', { lines: ['a;b%41c'] }],
  ['unicode', 'echo "héllo 世界 👩‍👩‍👧"', { lines: ['héllo 世界 👩‍👩‍👧'], skip: ['busybox'] }],
  ['killed by itself', 'sh -c "kill -TERM \\$\\$"', { exit: 143, signal: 'SIGTERM' }],
  ['two lines quoted', 'echo "one\ntwo"', { lines: ['one', 'two'] }],
  ['heredoc', 'cat <<X\nhere\nX', { posix: true, lines: ['here'] }],
  ['clear', 'clear; echo after', { ends: 'after' }],
  ['reset', "printf '\\033cafter'", { lines: ['after'] }],
  ['dies on the alternate screen', `sh -c "printf '\\033[?1049hscreen'; kill -9 \\$\\$"`, { exit: 137 }],
  ['after that', 'echo seen', { lines: ['seen'] }],
  ['a group in the background', '(sleep 0.1) & true', { posix: true, exit: 0 }],
  ['wait for it', 'wait', { posix: true, exit: 0 }],
  ['background', 'sleep 60 &', { posix: true, exit: 0 }],
  ['stty -echo', 'stty -echo; echo quiet; stty echo', { lines: ['quiet'] }],
  ['a long line', `echo ${'x'.repeat(300)}`, { lines: ['x'.repeat(300)] }],
  ['many lines', 'seq 1 50', { ends: '50', omitted: 30 }],
];

const table = [];
function note(shell, situation, block, truth, verdict) {
  table.push([shell, situation, JSON.stringify((block && block.cmd) || '').slice(0, 34),
    String(block ? block.exit_code : '-'), String(truth ? truth.exit : '-'), block ? block.cwd_after.replace(/^.*\/home$/, '~') : '-',
    block ? JSON.stringify(block.preview.lines.slice(-1)[0] || '').slice(0, 24) : '-', verdict]);
}

function printTable() {
  const head = ['shell', 'situation', 'command as captured', 'exit', 'truth', 'directory after', 'last line', ''];
  const rows = [head, ...table];
  const width = head.map((_, i) => Math.max(...rows.map((r) => r[i].length)));
  for (const row of rows) console.log(row.map((c, i) => c.padEnd(width[i])).join('  ').trimEnd());
}

async function situations(daemon, report, shell) {
  const session = new Session(daemon, shell, `all-${shell.name}`);
  for (const [name, command, expect] of SITUATIONS) {
    if ((expect.posix && !shell.posix) || (expect.skip || []).includes(shell.name)) continue;
    await report.test(`${shell.name}: ${name}`, async () => {
      const count = session.blocks().length;
      let verdict = 'WRONG';
      let block;
      let truth;
      try {
        session.run(command);
        truth = session.ask();
        block = truth.seen;
        assert.strictEqual(session.blocks().length, count + 2, 'once');
        if (!shell.echoes || !command.includes('\n')) assert.strictEqual(block.cmd, command);
        assert.strictEqual(block.exit_code, truth.exit);
        assert.strictEqual(block.cwd_after, truth.cwd);
        if ('exit' in expect) assert.strictEqual(block.exit_code, expect.exit);
        if (expect.signal) assert.strictEqual(block.signal, expect.signal);
        if (expect.lines) assert.deepStrictEqual(block.preview.lines, expect.lines);
        if (expect.ends) assert.strictEqual(block.preview.lines.at(-1), expect.ends);
        if (expect.omitted) assert.strictEqual(block.omitted_lines, expect.omitted);
        if (expect.after) assert.strictEqual(block.cwd_after, expect.after);
        verdict = 'ok';
      } finally {
        note(shell.name, name, block || session.last(), truth, verdict);
      }
    });
  }
}

// What a person does with keys.
async function keys(daemon, report, shell) {
  const session = new Session(daemon, shell, `keys-${shell.name}`);
  const test = (name, body, used = session) => report.test(`${shell.name}: ${name}`, async () => {
    let verdict = 'WRONG';
    try { await body(); verdict = 'ok'; } finally { note(shell.name, name, used.last(), undefined, verdict); }
  });
  await session.prompt();
  await test('Ctrl-C in a command', async () => {
    const job = stoppable(`${session.truth}-hit`);
    session.send(job.command, '--key', 'Enter');
    await session.running(job.command);
    await until('it is in front', job.inFront);
    session.send('--key', 'C-c');
    await session.prompt();
    job.end();
    const block = session.last();
    assert.strictEqual(block.exit_code, 130);
    assert.strictEqual(block.type, 'user_kill');
    assert.strictEqual(block.signal, 'SIGINT');
  });
  await test('Enter, Ctrl-C and blanks at the prompt are no commands', async () => {
    const count = session.blocks().length, dropped = daemon.json('status').spoofed_marks;
    session.send('--key', 'Enter');
    session.send('   ', '--key', 'Enter');
    session.send('half a li');
    // (A fish that is interrupted while it makes its prompt runs the next command without its events.)
    await until('it is being typed', () => daemon.json('screen', '-s', session.name).rows.some((row) => row.includes('half a li')));
    session.send('--key', 'C-c');
    session.run('echo next');
    assert.deepStrictEqual(session.blocks().slice(count).map((b) => b.cmd), ['echo next']);
    assert.strictEqual(daemon.json('status').spoofed_marks, dropped, 'its own marks are nobody else\'s');
  });
  if (shell.posix) {
    await test('a line that cannot be parsed is one block, with what the shell says of it', async () => {
      for (const line of ['echo one )', 'for i in 1; fi', `: ${'x'.repeat(200)} )`, ': again )', ': again )']) {
        const count = session.blocks().length;
        session.run(line);
        const { seen, exit } = session.ask();
        assert.deepStrictEqual([session.blocks().length, seen.cmd, seen.exit_code], [count + 2, line, exit]);
        assert.ok(exit > 0);
        assert.match(seen.preview.lines.join('\n'), /^[^\n]*(error|unexpected)[^\n]*$/);
      }
      const before = session.blocks();
      await killWorker(daemon);
      assert.deepStrictEqual(session.blocks(), before);
      if (shell.name !== 'bash') return;
      session.run('HISTCONTROL=ignoreboth'); // the second is not recorded
      for (let i = 0; i < 2; i++) session.run(': the same )');
      session.send('--key', 'Enter');
      session.run('HISTCONTROL=');
      assert.deepStrictEqual(session.blocks().slice(before.length + 1, -1).map((b) => [b.cmd, b.exit_code, b.cmd_source]), [1, 2].map(() => [': the same )', 2, 'history']));
    });
  }
  if (shell.name === 'fish') {
    await test('a line that cannot be parsed is one block without a status, and can be edited', async () => {
      const count = session.blocks().length;
      const { status, stdout } = session.run('echo $?');
      assert.deepStrictEqual([status, stdout.split('\n')[1]], [125, 'echo $?']);
      session.send('--key', 'Enter');
      await until('it is said again', () => session.blocks().length === count + 2);
      session.send('\x7fstatus', '--key', 'Enter');
      await until('it runs', () => session.blocks().length === count + 3 && session.last().status === 'completed');
      assert.deepStrictEqual(session.blocks().slice(count).map((b) => [b.cmd, b.exit_code]), [['echo $?', null], ['echo $?', null], ['echo $status', 0]]);
      assert.match(session.blocks()[count].preview.lines[0], /^fish: .*not the exit status/);
    });
  }
  if (shell.history) {
    await test('given up where it goes on, or behind #, a line is none, whatever the last status was', async () => {
      session.run('sh -c "exit 2"');
      const count = session.blocks().length;
      if (shell.name === 'bash') await session.reprompt('# why', '--key', 'Enter');
      session.send('echo "half', '--key', 'Enter');
      await until('it goes on', () => daemon.json('screen', '-s', session.name).rows.some((row) => /^(dquote)?> *$/.test(row)));
      await session.reprompt('--key', 'C-c');
      session.run('echo next');
      assert.deepStrictEqual(session.blocks().slice(count).map((b) => b.cmd), ['echo next']);
    });
  }
  if (shell.job !== undefined) {
    await test('Ctrl-Z, fg', async () => {
      const job = stoppable(`${session.truth}-fg`);
      session.send(job.command, '--key', 'Enter');
      await session.running(job.command);
      await until('it is in front', job.inFront);
      session.send('--key', 'C-z');
      await session.prompt();
      const stopped = session.ask();
      assert.strictEqual(stopped.seen.exit_code, stopped.exit);
      assert.strictEqual(stopped.seen.exit_code, shell.job);
      if (shell.job) assert.strictEqual(stopped.seen.status, 'stopped');
      job.end();
      session.run('fg');
      assert.strictEqual(session.last().cmd, 'fg');
      assert.strictEqual(session.last().exit_code, 0);
    });
  }
  await test('edited before Enter', async () => {
    await session.type('echo abX\x7fc');
    assert.strictEqual(session.last().cmd, 'echo abc');
    assert.deepStrictEqual(session.last().preview.lines, ['abc']);
  });
  if (shell.history) {
    await test('!! is what it stands for', async () => {
      session.run('echo again');
      await session.type('!!');
      assert.strictEqual(session.last().cmd, 'echo again');
      assert.strictEqual(session.last().preview.lines.at(-1), 'again');
    });
  }
  await test('typed ahead', async () => {
    const count = session.blocks().length;
    const go = `${session.truth}-ahead`;
    session.send(waitFor(go), '--key', 'Enter');
    await session.running(go);
    session.send('echo ahead', '--key', 'Enter');
    fs.writeFileSync(go, '');
    await until('both are done', () => session.blocks().length === count + 2 && session.last().status !== 'running');
    assert.deepStrictEqual(session.blocks().slice(count).map((b) => b.exit_code), [0, 0]);
    assert.strictEqual(session.last().cmd, 'echo ahead');
    assert.deepStrictEqual(session.last().preview.lines, ['ahead']);
  });
  await test('a job that speaks at the prompt is no command', async () => {
    const go = `${session.truth}-job`, count = session.blocks().length;
    session.run(`sh -c 'until [ -e ${go} ]; do sleep 0.02; done; echo a job speaks; echo twice $((40 + 2))' &`);
    fs.writeFileSync(go, '');
    await until('it speaks', () => daemon.json('screen', '-s', session.name).rows.some((row) => row.includes('twice 42')));
    const said = session.run('echo after').stdout; // some shells have the job's notice behind it, bash 5.3 too
    assert.strictEqual(said.split('\n[1]')[0].trimEnd(), 'after');
    assert.strictEqual(session.blocks().length, count + 2);
    assert.strictEqual(session.last().cmd, 'echo after');
  });
  await test('what a command reads without an echo is kept nowhere', async () => {
    const go = `${session.truth}-secret`, count = session.blocks().length;
    const shows = (text) => until(`it shows ${text}`, () => daemon.json('screen', '-s', session.name).rows.some((row) => row.includes(text)));
    session.run(`sh -c 'until [ -e ${go} ]; do sleep 0.02; done; echo spoken $((40 + 3))' &`);
    session.send("sh -c 'stty -echo; echo word: $((40 + 4)); read x; stty echo'", '--key', 'Enter');
    await shows('word: 44');
    session.send('hunter2', '--key', 'Enter');
    await session.prompt();
    fs.writeFileSync(go, '');
    await shows('spoken 43');
    assert.strictEqual(session.run('echo after').status, 0);
    assert.strictEqual(session.blocks().length, count + 3);
    assert.ok(!JSON.stringify(session.blocks()).includes('hunter2'));
  });
  await test('a nested shell is one block', async () => {
    const count = session.blocks().length;
    session.send('sh', '--key', 'Enter');
    await session.running('sh');
    await until('sh asks', () => /[$#]\s*$/.test(daemon.ptyd('screen', '-s', session.name).stdout.trimEnd()));
    session.send('echo inside; exit 5', '--key', 'Enter');
    await session.prompt();
    const block = session.last();
    assert.deepStrictEqual([session.blocks().length - count, block.cmd, block.exit_code, block.nested], [1, 'sh', 5, true]);
  });
  if (find('tmux')) {
    await test('tmux is one block, its screen no output', async () => {
      const count = session.blocks().length;
      session.send(`tmux -L ${path.basename(daemon.space.root)} -f /dev/null`, '--key', 'Enter');
      await until('tmux is there', () => session.state() === 'fullscreen');
      session.send('exit', '--key', 'Enter');
      await session.prompt();
      const block = session.last();
      assert.deepStrictEqual([session.blocks().length - count, block.exit_code, block.nested, block.alt_screen, block.preview.lines], [1, 0, true, true, ['[exited]']]);
    });
  }
  await test('cleared with Ctrl-L while typing', async () => {
    if (shell.echoes) return; // no line editor that knows it
    session.send('echo before', '--key', 'C-l');
    await session.type(' clear');
    assert.strictEqual(session.last().cmd, 'echo before clear');
    assert.deepStrictEqual(session.last().preview.lines, ['before clear']);
  });
  await test('exit N ends the last block with it', async () => {
    session.send('exit 7', '--key', 'Enter');
    await until('it is gone', () => session.state() === 'exited');
    assert.strictEqual(session.last().cmd, 'exit 7');
    assert.strictEqual(session.last().exit_code, 7);
  });
  for (const [command, exit] of [['kill -9 $$', 137], ['set -e; false', 1]]) {
    if (!shell.posix) continue;
    const dying = new Session(daemon, shell, `dies-${shell.name}-${exit}`);
    await test(`death: ${command}`, async () => {
      await dying.prompt();
      dying.send(command, '--key', 'Enter');
      await until('it is gone', () => dying.state() === 'exited');
      assert.strictEqual(dying.last().cmd, command);
      assert.strictEqual(dying.last().exit_code, exit);
    }, dying);
  }
}

// Nothing of ours is in the way, and nothing leaks.
async function traces(daemon, report, shell) {
  const session = new Session(daemon, shell, `trace-${shell.name}`);
  const out = (command) => { session.run(command); return session.last().preview.lines.join('\n'); };
  await session.prompt();
  await report.test(`${shell.name}: only PTYD_SESSION is exported, no descriptor is left`, () => {
    assert.strictEqual(out('env | grep -c -e __ptyd -e 7711 -e ZDOTDIR -e "^ENV="'), '0');
    assert.strictEqual(out('env | grep ^PTYD_SESSION='), `PTYD_SESSION=trace-${shell.name}`);
    assert.strictEqual(out('sh -c "ls -C /proc/self/fd"').replace(/ +/g, ' ').replace(/ 3$/, ''), '0 1 2');
  });
  if (shell.name === 'bash') {
    await report.test('bash: functions that are seldom needed are read when they are, whatever is aliased', async () => {
      const plain = new Session(daemon, shell, 'plain-bash');
      await plain.prompt();
      const said = (command) => { plain.run(command); return plain.last().preview.lines.join('\n'); };
      const reads = Number(said('echo $((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1]))')) >= 501; // else at the start
      const read = "declare -F | grep -c -e '__ptyd_[e]ncode$'";
      if (reads) assert.strictEqual(said(read), '0');
      said("alias builtin=false local=false '[['=false if=false __ptyd_encode=false");
      plain.run('cd /usr');
      assert.strictEqual(plain.last().cwd_after, '/usr');
      assert.strictEqual(said(read), '1');
      assert.strictEqual(said('alias builtin'), "alias builtin='false'");
      plain.run("printf '%s;' one\ttwo");
      assert.deepStrictEqual([plain.last().cmd, plain.last().preview.lines[0]], ["printf '%s;' one\ttwo", 'one;two;']);
    });
  }
  if (shell.name === 'bash') {
    await report.test('bash: set -a exports none of our functions, whoever says it', async () => {
      const ours = `env | grep -c -e BASH_FUNC___ptyd -e "]7711"`;
      for (const [name, given] of [['all', []], ['all-options', ['--env', 'SHELLOPTS=allexport']]]) {
        const all = new Session(daemon, shell, name, given);
        await all.prompt();
        if (!given.length) all.run('set -a');
        assert.strictEqual((all.run(ours), all.last().preview.lines.at(-1)), '0', name);
        all.run('cd /usr; set -u'); // what is seldom needed is needed
        assert.strictEqual((all.run(ours), all.last().preview.lines.at(-1)), '0', name);
        assert.match((all.run('echo $-'), all.last().preview.lines.at(-1)), /a/, name);
        assert.strictEqual(all.last().cwd_after, '/usr');
      }
    });
  }
  if (shell.echoes) {
    await report.test(`${shell.name}: set -a from the first line on`, async () => {
      const file = path.join(daemon.space.root, 'exports');
      fs.writeFileSync(file, 'set -a\n');
      const all = new Session(daemon, shell, `all-${shell.name}`, ['--env', `ENV=${file}`]);
      await all.prompt();
      all.run('cd /usr');
      all.run('sh -c "exit 7"');
      const { seen, exit, cwd } = all.ask();
      assert.deepStrictEqual([seen.cmd, seen.exit_code, seen.cwd, exit, cwd], ['sh -c "exit 7"', 7, '/usr', 7, '/usr']);
    });
  }
  await report.test(`${shell.name}: names of ours that were in the environment export nothing`, async () => {
    const heir = new Session(daemon, shell, `heir-${shell.name}`, ['__ptyd_n', '__ptyd_v', '__ptyd_head', '__ptyd_seq', '__ptyd_s', '__ptyd_nonce'].flatMap((name) => ['--env', `${name}=x`]));
    await heir.prompt();
    heir.run('env | grep -c __ptyd');
    assert.deepStrictEqual([heir.last().preview.lines, heir.last().exit_code], [['0'], 1]);
  });
  if (shell.posix) {
    await report.test(`${shell.name}: \$? and \$_ are the user's`, () => {
      session.run('sh -c "exit 5"');
      assert.strictEqual(out('echo $?'), '5');
      if (shell.name === 'bash' || shell.name === 'zsh') {
        session.run('true some thing');
        assert.strictEqual(out('echo $_'), 'thing');
        session.run('(exit 3) | (exit 4) | true');
        assert.strictEqual(out('echo ${PIPESTATUS[*]-}${pipestatus[*]-}'), '3 4 0');
      }
    });
    if (shell.name !== 'dash' && shell.name !== 'busybox') {
      await report.test(`${shell.name}: traps, options, history file and ZDOTDIR are as without us`, () => {
        // The same questions to a shell that never heard of ptyd.
        const questions = ['trap', 'set +o | grep -v history', 'echo "H=$HISTFILE"', 'echo "${ZDOTDIR-none}"',
          shell.name === 'bash' ? 'shopt' : 'setopt', 'sh -c "exit 3" | sh -c "exit 4" | true; echo "${PIPESTATUS[*]-}${pipestatus[*]-}"', 'echo $-'];
        const bare = spawnSync('script', ['-qec', `${find(shell.name)} -i`, '/dev/null'], {
          input: questions.map((q) => `{ ${q}; } >>"$HOME/bare-$0" 2>&1\n`.replace('bare-$0', `bare-${shell.name}`)).join('') + 'exit\n',
          env: { ...daemon.space.env, TERM: 'xterm-256color' }, encoding: 'utf8', cwd: daemon.space.home, timeout: 20000,
        });
        assert.strictEqual(bare.error, undefined);
        const file = path.join(daemon.space.root, `ours-${shell.name}`);
        for (const question of questions) session.run(`{ ${question}; } >>${file} 2>&1`);
        const theirs = fs.readFileSync(path.join(daemon.space.home, `bare-${shell.name}`), 'utf8');
        assert.ok(theirs.length > 300, theirs);
        assert.strictEqual(fs.readFileSync(file, 'utf8'), theirs);
      });
    }
    for (const options of ['set -u', 'set -a', 'set -C', 'set -x', 'set -f']) {
      await report.test(`${shell.name}: ${options} harms nothing`, () => {
        session.run(options);
        session.run('echo fine');
        assert.strictEqual(session.last().cmd, 'echo fine');
        assert.strictEqual(session.last().preview.lines.at(-1), 'fine');
        session.run('false');
        assert.strictEqual(session.last().exit_code, 1);
        assert.ok(!/__ptyd|7711/.test(session.last().preview.lines.join('\n')), 'nothing of ours in the output');
        assert.strictEqual(out('env 2>/dev/null | grep -c -e "__ptyd_" -e "]7711"').split('\n').at(-1), '0');
        session.run(options.replace('-', '+'));
        assert.strictEqual(out('echo after'), 'after');
      });
    }
    await report.test(`${shell.name}: set -a, and lines given up: what follows is one block with its status`, async () => {
      session.run('set -a');
      for (const key of ['C-c', 'Enter', 'C-c']) await session.reprompt('--key', key);
      const before = session.blocks().length;
      await session.type('sh -c "exit 5"');
      assert.deepStrictEqual(session.blocks().slice(before).map((b) => [b.cmd, b.exit_code]), [['sh -c "exit 5"', 5]]);
      session.run('set +a');
      assert.strictEqual(session.last().cmd, 'set +a');
    });
    await report.test(`${shell.name}: aliases and functions named like builtins`, () => {
      session.run("alias printf='echo HIJACK' local=false echo='echo HIJACK'");
      session.run('unalias printf local echo');
      session.run('sh -c "exit 6"');
      assert.strictEqual(session.last().exit_code, 6);
      session.run('export PS1 PS2 PROMPT_COMMAND PS0 PROMPT_EOL_MARK 2>/dev/null');
      const nested = out(`env | grep -c "7711"`);
      assert.strictEqual(nested, '0', 'no mark in the environment');
    });
  }
  if (shell.posix && !shell.echoes) {
    await report.test(`${shell.name}: a trace that goes to a file does not hold the nonce`, () => {
      const file = path.join(daemon.space.root, 'trace');
      const bash = shell.name === 'bash';
      session.run(bash ? `x() { :; }; PROMPT_COMMAND+=(x); exec 5>${file}; BASH_XTRACEFD=5` : `exec 5>&2 2>${file}`);
      session.run('set -x');
      session.run('echo traced');
      session.run(bash ? 'set +x; unset BASH_XTRACEFD; exec 5>&-' : 'set +x; exec 2>&5 5>&-');
      const trace = fs.readFileSync(file, 'utf8');
      assert.match(trace, /echo traced/);
      assert.ok(!/[0-9a-f]{32}/.test(trace), trace);
    });
  }
  const unset = { bash: 'unset ${!__ptyd_@}', zsh: "unset -m '__ptyd*'" }[shell.name];
  if (unset) {
    await report.test(`${shell.name}: where our variables are unset nothing more is told, and that is said`, async () => {
      for (const before of ['cd /tmp', 'set -u']) {
        const bereft = new Session(daemon, shell, `bereft-${shell.name}-${before.slice(-1)}`);
        await bereft.prompt();
        bereft.run(before);
        bereft.send(unset, '--key', 'Enter');
        await until('it is said', () => daemon.json('status').warnings.some((w) => w.includes(bereft.name) && /variables were unset/.test(w)));
        assert.deepStrictEqual([bereft.last().cmd, bereft.last().exit_code, bereft.last().status], [unset, null, 'abandoned']);
        bereft.send("sh -c 'exit 3'; echo sta''tus $?", '--key', 'Enter');
        await until('it runs on', () => daemon.ptyd('screen', '-s', bereft.name).stdout.includes('status 3'));
        assert.strictEqual(bereft.last().cmd, unset);
        assert.doesNotMatch(daemon.ptyd('screen', '-s', bereft.name).stdout, /;[ABCD]\b|not found|unbound/);
      }
    });
  }
  const last = { bash: '__ptyd_seq=9999998', zsh: '__ptyd_v[2]=9999899', fish: 'set -g __ptyd_high 9999; set -g __ptyd_low 998' }[shell.name];
  if (last) {
    await report.test(`${shell.name}: behind nine million prompts a mark's number is longer`, () => {
      const dropped = daemon.json('status').spoofed_marks;
      session.run(last);
      for (const i of [1, 2, 3, 4, 5]) {
        session.run(`sh -c 'exit ${i}' ${'long '.repeat(i > 3 ? 600 : 0)}`.trim());
        session.run(`cd ${i % 2 ? '/usr' : '/tmp'}`);
        const [one, two] = session.blocks().slice(-2);
        assert.deepStrictEqual([one.exit_code, one.cmd_source, two.cwd_after, two.cmd_source], [i, two.cmd_source, i % 2 ? '/usr' : '/tmp', shell.name === 'bash' ? 'history' : 'shell']);
      }
      assert.strictEqual(daemon.json('status').spoofed_marks, dropped);
    });
  }
  await report.test(`${shell.name}: a worker that dies changes nothing`, () => {
    const before = session.blocks();
    process.kill(daemon.json('status').worker_pid, 'SIGKILL');
    assert.deepStrictEqual(session.blocks(), before);
    session.run('sh -c "echo on; exit 8"');
    const block = session.last();
    assert.deepStrictEqual([block.cmd, block.exit_code, block.preview.lines, block.seq], ['sh -c "echo on; exit 8"', 8, ['on'], before.at(-1).seq + 1]);
  });
  const looks = shell.name === 'busybox' && assignsInVain(find('busybox'));
  if (looks) {
    report.skip(`${shell.name}: no process is started at a prompt`, 'this one assigns in branches it does not take: a subshell looks first (shell/posix.sh)');
  } else if (find('strace')) {
    await report.test(`${shell.name}: no process is started at a prompt`, async () => {
      const quiet = new Session(daemon, shell, `quiet-${shell.name}`);
      const file = path.join(daemon.space.root, `strace-${shell.name}`);
      await quiet.prompt();
      quiet.run(':');
      const pid = daemon.json('list').find((s) => s.name === quiet.name).shell_pid;
      const strace = spawn('strace', ['-f', '-e', 'trace=clone,clone3,fork,vfork,execve', '-o', file, '-p', String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
      await new Promise((resolve) => { strace.stderr.on('data', (d) => /attached/.test(d) && resolve()); strace.on('exit', resolve); });
      for (const command of [':', 'cd /usr', 'false', ': "a;b%c"', 'cd /']) quiet.run(command);
      quiet.send('--key', 'Enter');
      quiet.run(':');
      strace.kill();
      await new Promise((resolve) => { strace.on('close', resolve); });
      const calls = fs.readFileSync(file, 'utf8').split('\n').filter((l) => /(clone|fork|exec)/.test(l) && !/CLONE_THREAD|resumed/.test(l));
      assert.deepStrictEqual(calls, []);
    });
  } else {
    report.skip(`${shell.name}: no process is started at a prompt`, 'strace is not on this machine');
  }
  await report.test(`${shell.name}: a program that reads all it can forges nothing`, async () => {
    const count = session.blocks().length;
    const forger = path.join(daemon.space.root, 'forge.sh');
    fs.writeFileSync(forger, `
all=$(env; cat /proc/self/environ /proc/$PPID/environ /proc/$PPID/cmdline 2>/dev/null | tr '\\0' '\\n'
for f in /proc/$$/fd/* /proc/$PPID/fd/*; do [ -f "$f" ] && head -c 100000 "$f"; done; cat ${daemon.space.root}/run/shells/* 2>/dev/null)
for n in $(printf '%s' "$all" | grep -aoE '[0-9a-f]{32}') ${'0'.repeat(32)}; do
  printf '\\033]7711;%s;999999;D;st=77\\a\\033]7711;%s;1000000;A\\a\\033]7711;%s;1000001;C;cmd=evil\\a' $n $n $n
done
cat ${daemon.space.root}/state/conversations/${session.name}/agent_pty/output.raw | head -c 200000
exit 4
`);
    session.run(`sh ${forger}`);
    const blocks = session.blocks().slice(count);
    assert.deepStrictEqual(blocks.map((b) => b.exit_code), [4]);
    assert.ok(!session.blocks().some((b) => b.cmd === 'evil' || b.exit_code === 77));
  });
}

async function main() {
  const report = new Report();
  const space = workspace();
  fs.writeFileSync(path.join(space.home, '.zshrc'), "PS1='%# '\nHISTFILE=~/.zsh_history HISTSIZE=100 SAVEHIST=100\n");
  fs.mkdirSync(path.join(space.home, '.config/fish'), { recursive: true });
  // (fish's own prompt starts git)
  fs.writeFileSync(path.join(space.home, '.config/fish/config.fish'), "function fish_prompt; printf '> '; end\nset -g fish_autosuggestion_enabled 0\n");
  const daemon = await new Daemon(space).ready();
  for (const shell of SHELLS) {
    if (!find(shell.name)) {
      report.skip(shell.name, 'not on this machine');
      continue;
    }
    await situations(daemon, report, shell);
    await keys(daemon, report, shell);
    await traces(daemon, report, shell);
  }
  await report.test('the daemon ends cleanly', async () => {
    assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
  });
  printTable();
  removeWorkspace(space);
  report.finish();
}

main();
