// Where marks are missing nobody hangs and nothing is guessed; and what is lost is said.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { workspace, removeWorkspace, Daemon, Report, until } = require('./harness');

async function main() {
  const report = new Report();
  const space = workspace();
  fs.writeFileSync(path.join(space.home, '.zshrc'), "PS1='%# '\n");
  const daemon = await new Daemon(space).ready();
  const has = (shell) => fs.existsSync(`/bin/${shell}`) || fs.existsSync(`/usr/bin/${shell}`);
  const run = (name, command) => daemon.ptyd('run', '-s', name, '--timeout', '15', '--', command);
  const last = (name) => daemon.json('blocks', '-s', name, '--last', '1')[0];
  const state = (name) => daemon.json('list').find((s) => s.name === name).state;
  const warnings = () => daemon.json('status').warnings.join('\n');

  await report.test('read -n1 in a function: the waiter is released, the block ends when it ends', async () => {
    daemon.ptyd('open', 'reads', '--shell', '/bin/bash');
    run('reads', 'f() { read -n1 x; return 9; }');
    assert.strictEqual(run('reads', 'f').status, 125);
    assert.strictEqual(last('reads').status, 'running');
    const second = run('reads', 'echo must not be typed');
    assert.strictEqual(second.status, 125);
    assert.match(second.stderr, /nothing was typed/);
    daemon.ptyd('send', '-s', 'reads', 'y');
    await until('it ends', () => last('reads').status === 'completed');
    assert.strictEqual(last('reads').exit_code, 9);
  });

  await report.test('a raw-mode child without job control', async () => {
    daemon.ptyd('open', 'raw', '--shell', '/bin/bash');
    run('raw', 'set +m');
    const result = run('raw', "stty raw -echo; head -c1 >/dev/null; stty sane; (exit 3)");
    assert.strictEqual(result.status, 125);
    assert.strictEqual(last('raw').status, 'running');
    daemon.ptyd('send', '-s', 'raw', 'y');
    await until('it ends', () => last('raw').status === 'completed');
    assert.strictEqual(last('raw').exit_code, 3);
  });

  await report.test('a prompt tool that eats the marks', () => {
    daemon.ptyd('open', 'eaten', '--shell', '/bin/bash');
    assert.strictEqual(run('eaten', "unset PROMPT_COMMAND; PS0= PS1='> '").status, 125);
    assert.strictEqual(run('eaten', 'echo next').status, 125);
    assert.strictEqual(last('eaten').exit_code, null);
  });

  const told = (name) => daemon.json('blocks', '-s', name).map((b) => [b.cmd, b.exit_code, b.status]);

  await report.test('bash: hooks taken away: the block ends without a code, and it is said', async () => {
    daemon.ptyd('open', 'bare', '--shell', '/bin/bash');
    assert.strictEqual(run('bare', 'unset PROMPT_COMMAND').status, 125);
    assert.match(warnings(), /session bare: .*without the integration's hooks/);
    assert.strictEqual(run('bare', 'echo more').status, 125);
    assert.deepStrictEqual(told('bare'), [['unset PROMPT_COMMAND', null, 'abandoned']]);
  });

  await report.test('bash: a hook that cannot print, and can again', async () => {
    daemon.ptyd('open', 'mute', '--shell', '/bin/bash');
    assert.strictEqual(run('mute', 'enable -n printf').status, 125);
    assert.match(warnings(), /session mute:/);
    assert.strictEqual(run('mute', 'enable printf').status, 125, 'and not 124: it did not run into its time-out');
    assert.strictEqual(run('mute', 'sh -c "exit 4"').status, 4);
    assert.deepStrictEqual(told('mute'), [['enable -n printf', null, 'abandoned'], ['sh -c "exit 4"', 4, 'completed']]);
    assert.ok(!/session mute:/.test(warnings()));
  });

  const own = (name, rc) => {
    const home = path.join(space.root, `home-${name}`);
    fs.mkdirSync(home);
    for (const file of ['.bashrc', '.zshrc']) fs.writeFileSync(path.join(home, file), `${rc}\n`);
    daemon.ptyd('open', name, '--shell', `/bin/${name.split('-')[0]}`, '--env', `HOME=${home}`);
  };

  await report.test('bash: variables that are read-only', () => {
    own('bash-prompt', "readonly PS1='> '");
    const later = "readonly PS0 PROMPT_COMMAND; PS2='. '; shopt -s nullglob";
    for (const [command, status] of [['sh -c "exit 5"', 5], [later, 0], ['false', 1]])
      assert.strictEqual(run('bash-prompt', command).status, status, command);
    assert.deepStrictEqual(told('bash-prompt').map((b) => b[1]), [5, 0, 1]);
    for (const variable of ['PROMPT_COMMAND', 'PS0']) {
      own(`bash-${variable}`, `PS1='> '; readonly ${variable}=`);
      assert.strictEqual(run(`bash-${variable}`, 'true').status, 125);
      assert.match(warnings(), new RegExp(`session bash-${variable}: .*${variable} is read-only`));
    }
  });

  await report.test('bash: variables that change what they are set to', () => {
    own('bash-upper', "PS1='> '; declare -u PS1");
    for (const [command, status] of [['false', 1], ['declare -c PS1', 0], ['declare -l PS1=x', 0], ['sh -c "exit 5"', 5]])
      assert.strictEqual(run('bash-upper', command).status, status, command);
    assert.strictEqual(run('bash-upper', 'echo $PS1').stdout, 'x\n');
    for (const [variable, option] of [['PROMPT_COMMAND', 'u'], ['PS0', 'u'], ['PS0', 'l']]) {
      const name = `bash-${variable}-${option}`;
      own(name, `PS1='> '; declare -${option} ${variable}=`);
      assert.strictEqual(run(name, 'true').status, 125);
      assert.ok(warnings().includes(`session ${name}: no command blocks: ${variable} changes what it is set to (declare -${option})`), warnings());
      assert.ok(!/No such file|error/.test(daemon.ptyd('screen', '-s', name).stdout));
    }
  });

  await report.test('zsh: lists of hooks that are emptied come back, and no status is lost', () => {
    if (!has('zsh')) return;
    own('zsh-lists', "PS1='> '");
    const commands = [['precmd_functions=(); (exit 7)', 7], ['preexec_functions=(); (exit 8)', 8],
      ['precmd_functions=() preexec_functions=() zshaddhistory_functions=(); (exit 9)', 9], ['echo on', 0]];
    for (const [command, status] of commands) assert.strictEqual(run('zsh-lists', command).status, status, command);
    assert.deepStrictEqual(told('zsh-lists'), commands.map(([command, status]) => [command, status, 'completed']));
  });

  for (const [shell, edits] of [['zsh', true], ['fish', true], ['bash', true], ['dash', false]]) {
    if (!has(shell)) {
      report.skip(`exec ${shell}`, 'not on this machine');
      continue;
    }
    await report.test(`exec ${shell}: no exit code is made up, and it can be worked in`, async () => {
      const name = `exec-${shell}`;
      daemon.ptyd('open', name, '--shell', '/bin/bash');
      assert.strictEqual(run(name, `exec ${shell}`).status, 125);
      assert.match(warnings(), new RegExp(`${name}: .*took the shell's place`));
      assert.strictEqual(last(name).exit_code, null);
      assert.strictEqual(last(name).status, edits ? 'abandoned' : 'running');
      assert.strictEqual(run(name, 'echo in the other').status, 125);
      await until('it ran', () => daemon.ptyd('screen', '-s', name).stdout.includes('\nin the other'));
      assert.strictEqual(daemon.json('blocks', '-s', name).length, 1);
      assert.strictEqual(daemon.json('list').find((s) => s.name === name).marks, false);
      daemon.ptyd('send', '-s', name, 'exit', '--key', 'Enter');
      await until('it is gone', () => state(name) === 'exited');
      assert.strictEqual(last(name).exit_code, null);
    });
  }

  await report.test('a shell without integration', () => {
    fs.symlinkSync('/bin/dash', path.join(space.root, 'unknownsh'));
    daemon.ptyd('open', 'unknown', '--shell', path.join(space.root, 'unknownsh'));
    assert.match(warnings(), /session unknown: no command blocks: its shell has no integration/);
    assert.deepStrictEqual(daemon.json('blocks', '-s', 'unknown'), []);
  });

  await report.test('a bash that is too old says so', () => {
    const place = path.join(space.root, 'old');
    fs.mkdirSync(place);
    // What the script's own check does in bash 4.3: it prints the mark and leaves the shell alone.
    fs.writeFileSync(path.join(place, 'bash'), `#!/bin/bash
source <(sed -e 's/((BASH_VERSINFO\\[0\\] \\* 100 + BASH_VERSINFO\\[1\\] >= [45]0[0-9]))/((0))/' /dev/fd/3) ; exec /bin/bash --norc -i
`, { mode: 0o755 });
    daemon.ptyd('open', 'old', '--shell', path.join(place, 'bash'));
    assert.match(warnings(), /session old: no command blocks: bash .* is older than 4\.4/);
  });

  await report.test('a bash older than 5.1: one string of hooks, every command once', () => {
    const place = path.join(space.root, 'string');
    fs.mkdirSync(place);
    // The script takes the road that it takes there.
    fs.writeFileSync(path.join(place, 'bash'), `#!/bin/bash
exec /bin/bash --rcfile <(sed -e 's/>= 501/>= 9901/; s/< 501/< 9901/' /dev/fd/3) -i
`, { mode: 0o755 });
    const hooks = path.join(space.root, 'hooks');
    fs.writeFileSync(path.join(space.home, '.bashrc'), `PS1='$ '; PROMPT_COMMAND='echo "$?" >>${hooks}'\n`);
    daemon.ptyd('open', 'string', '--shell', path.join(place, 'bash'));
    const commands = [['echo one', 0, ['one']], ['false', 1, []], ['(exit 42)', 42, []], ['echo "$PROMPT_COMMAND" | grep -c ptyd_hook', 0, ['1']], ['set -x', 0, []], ['true', 0, ['+ true']]];
    for (const [command] of commands) run('string', command);
    const got = daemon.json('blocks', '-s', 'string').map((b) => [b.cmd, b.exit_code, b.preview.lines.slice(0, 1)]);
    assert.deepStrictEqual(got, commands);
    assert.deepStrictEqual(fs.readFileSync(hooks, 'utf8').trim().split('\n').slice(1), ['0', '1', '42', '0', '0', '0']);
    fs.rmSync(path.join(space.home, '.bashrc'));
  });

  await report.test('bash: a here-document that cannot be written: told, and set -x stays as it was', async () => {
    const place = path.join(space.root, 'string/bash');
    // What reads one fails as where /tmp is full.
    fs.writeFileSync(path.join(space.home, '.bashrc'), "PS1='$ '; set -x; __ptyd_seldom() { builtin false; }\n");
    daemon.ptyd('open', 'full', '--shell', place);
    assert.match(warnings(), /session full: no command blocks: .*here-document/);
    daemon.ptyd('send', '-s', 'full', 'echo "<$->"\n');
    await until('options are shown', () => /^<\w*x\w*>/m.test(daemon.ptyd('screen', '-s', 'full').stdout));
    fs.rmSync(path.join(space.home, '.bashrc'));
  });

  await report.test('bash: one that cannot be written for a while: told, and back again', async () => {
    daemon.ptyd('open', 'filled', '--shell', '/bin/bash');
    run('filled', 'eval "kept() $(declare -f __ptyd_seldom | tail -n +2)"; __ptyd_seldom() { false; }; PS1="> "');
    assert.match(warnings(), /session filled: no command blocks: .*here-document/);
    daemon.ptyd('send', '-s', 'filled', '__ptyd_seldom() { kept; }\n');
    await until('it is taken back', () => !/session filled/.test(warnings()));
    assert.strictEqual(run('filled', 'echo back').stdout, 'back\n');
  });

  await report.test('shopt -u promptvars: told, and back again', () => {
    daemon.ptyd('open', 'vars', '--shell', '/bin/bash');
    run('vars', 'shopt -u promptvars');
    assert.match(warnings(), /session vars: .*promptvars/);
    assert.ok(!daemon.ptyd('screen', '-s', 'vars').stdout.includes('__ptyd'));
    run('vars', 'shopt -s promptvars');
    run('vars', 'true');
    assert.strictEqual(run('vars', 'echo back').stdout, 'back\n');
  });

  await report.test('an /etc/zshenv that moves ZDOTDIR', () => {
    if (!has('zsh')) return;
    const place = path.join(space.root, 'moved');
    fs.mkdirSync(place);
    fs.writeFileSync(path.join(place, 'zsh'), '#!/bin/sh\nunset ZDOTDIR\nexec zsh\n', { mode: 0o755 });
    daemon.ptyd('open', 'moved', '--shell', path.join(place, 'zsh'));
    const result = run('moved', 'echo works all the same');
    assert.strictEqual(result.status, 125);
    assert.match(warnings(), /session moved: no command blocks: its start-up files/);
  });

  await report.test('the daemon ends cleanly', async () => {
    assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
  });
  removeWorkspace(space);
  report.finish();
}

main();
