// Prompts that others write: what is installed here runs for real, of the others their way of
// rewriting prompts and hooks is imitated. With each, every command appears once, with its text, its
// exit code and nothing of the prompt in its output.
'use strict';
const assert = require('node:assert');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { workspace, removeWorkspace, makeHome, Daemon, Report, PTYD, until, waitFor, killWorker } = require('./harness');

const exists = (file) => fs.existsSync(file);

// What `tools/other-prompts build/other-prompts` unpacked; nothing of it is installed.
const OTHERS = process.env.OTHER_PROMPTS || path.resolve(__dirname, '../../build/other-prompts');
const other = (file) => path.join(OTHERS, file);
const starship = other('trixie/root/usr/bin/starship');
const blesh = other('sid/root/usr/share/blesh/ble.sh');
const zoxide = other('bookworm/root/usr/bin/zoxide');
const direnv = other('bookworm/root/usr/bin/direnv');
const fzf = other('bookworm/root/usr/share/doc/fzf/examples');
const modules = other('npm/node_modules');

// name, shell, rc file, and a file that must be there.
const PROMPTS = [
  ['liquidprompt', 'bash', 'source /usr/share/liquidprompt/liquidprompt', '/usr/share/liquidprompt/liquidprompt'],
  ['liquidprompt', 'zsh', 'source /usr/share/liquidprompt/liquidprompt', '/usr/share/liquidprompt/liquidprompt'],
  ['powerlevel9k', 'zsh', 'source /usr/share/powerlevel9k/powerlevel9k.zsh-theme', '/usr/share/powerlevel9k/powerlevel9k.zsh-theme'],
  ['syntax highlighting and suggestions', 'zsh', `PS1='%# '
source /usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh
source /usr/share/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh`, '/usr/share/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh'],
  // bash-preexec: a DEBUG trap that takes the first command after the prompt for the user's, and an
  // installer that joins PROMPT_COMMAND to one string and appends an element.
  ['like bash-preexec', 'bash', `PS1='$ '
interactive=
prompted() { interactive=on; }
precmds() { interactive=; printf 'precmd\\n' >> ~/precmd; }
debug() {
  [[ -t 1 ]] || return
  [[ -n $interactive ]] || return
  interactive=
  case $BASH_COMMAND in precmds|prompted|install) return;; esac
  printf '%s\\n' "$BASH_COMMAND" >> ~/preexec
}
install() {
  [[ "\${PROMPT_COMMAND[*]}" == *precmds* ]] && return
  trap debug DEBUG
  local existing=\${PROMPT_COMMAND:-}
  existing=\${existing//install/:}
  PROMPT_COMMAND=precmds
  PROMPT_COMMAND+=$'\\n'$existing
  PROMPT_COMMAND+=(prompted)
  precmds; prompted
}
PROMPT_COMMAND=install`],
  // starship and oh-my-posh: PS1 written anew at each prompt, $? read, PS0 with a side effect.
  ['like starship', 'bash', `begin=0
prompt() { local st=$?; PS1="[$st] \\w"$'\\n''> '; }
PS0='\${begin:$((begin=SECONDS,0)):0}'
PROMPT_COMMAND=prompt`],
  ['like oh-my-posh', 'bash', `_hook() { local st=$?; PS1="$(printf '<%d>' $st) "; return $st; }
PROMPT_COMMAND="_hook; $PROMPT_COMMAND"`],
  // ble.sh: an editor of its own inside a key binding. It takes PS1 away from readline, expands and
  // prints PS1 and PS0 itself, runs PROMPT_COMMAND itself, and evals the line.
  ['like ble.sh', 'bash', `PS1='\\u\\$ '
_b_prompt() {
  local hook status=$1
  PS1=$_b_ps1
  for hook in "\${PROMPT_COMMAND[@]}"; do _b_status "$status"; eval "$hook"; done
  _b_ps1=$PS1 PS1=
  printf %s "\${_b_ps1@P}" >/dev/tty
}
_b_status() { return "$1"; }
_b_accept() {
  local line=$READLINE_LINE
  READLINE_LINE= READLINE_POINT=0
  [[ $line ]] && history -s -- "$line"
  printf '%s\\n' "$line" >/dev/tty
  if [[ $line ]]; then printf %s "\${PS0@P}" >/dev/tty; fi
  eval -- "$line"
  _b_prompt "$?"
}
_b_attach() {
  [[ $_b_on ]] && return
  _b_on=1 _b_ps1=$PS1 PS1=
  bind -x '"\\C-m": _b_accept'
  printf %s "\${_b_ps1@P}" >/dev/tty
}
PROMPT_COMMAND=_b_attach`],
  ['starship', 'bash', `eval "$(${starship} init bash)"`, starship],
  ['starship', 'zsh', `eval "$(${starship} init zsh)"`, starship],
  ['starship', 'fish', `${starship} init fish | source`, starship],
  ['ble.sh', 'bash', `PS1='\\$ '; source ${blesh}; bleopt prompt_eol_mark=`, blesh], // (else its mark is output)
  ['ble.sh and starship', 'bash', `source ${blesh}; bleopt prompt_eol_mark=; eval "$(${starship} init bash)"`, starship],
  ['pure', 'zsh', `fpath+=(${modules}/pure-prompt); autoload -Uz promptinit; promptinit; prompt pure`, `${modules}/pure-prompt/pure.zsh`],
  ['spaceship', 'zsh', `source ${modules}/spaceship-prompt/spaceship.zsh`, `${modules}/spaceship-prompt/spaceship.zsh`],
  ['direnv, zoxide and fzf', 'bash', `PS1='$ '; PATH+=:${path.dirname(fzf)}
eval "$(${direnv} hook bash)"; eval "$(${zoxide} init bash)"; source ${fzf}/key-bindings.bash`, zoxide],
  ['direnv, zoxide and fzf', 'zsh', `PS1='%# '
eval "$(${direnv} hook zsh)"; eval "$(${zoxide} init zsh)"; source ${fzf}/key-bindings.zsh`, zoxide],
  ['direnv and zoxide', 'fish', `${direnv} hook fish | source; ${zoxide} init fish | source`, zoxide],
  ['array of hooks', 'bash', `PS1='$ '; PROMPT_COMMAND=('x=1' 'y=$?'); PROMPT_COMMAND+=('printf "\\033]0;title\\007"')`],
  ['two lines and a right prompt', 'zsh', `PS1=$'%~\\n%# '; RPROMPT='%D{%H:%M:%S}'; setopt promptsubst transientrprompt`],
  // powerlevel10k: output before the first prompt, hooks put in front, the prompt rewritten on Enter.
  ['like powerlevel10k', 'zsh', `print -rn -- $'\\e[1minstant> \\e[0m\\r\\e[K'
setopt promptsubst
_p_precmd() { PS1='%F{4}%~%f \${(%):-%n} > '; RPS1='%*'; }
_p_preexec() { : }
_p_finish() { PS1='> '; RPS1=; zle .reset-prompt; zle -R; }
zle -N zle-line-finish _p_finish
_p_init() { : }
zle -N zle-line-init _p_init
precmd_functions=(_p_precmd)
preexec_functions=(_p_preexec)`],
  // oh-my-zsh: functions with the plain names, add-zsh-hook, title sequences, its own line-init.
  ['like oh-my-zsh', 'zsh', `setopt promptsubst
autoload -Uz add-zsh-hook add-zle-hook-widget colors && colors
PROMPT='%{$fg[green]%}%c%{$reset_color%} \$(true)$ '
title() { print -Pn "\\e]0;\${1:gs/%/%%}\\a" }
t_precmd() { title "%~" }
t_preexec() { title "$1" }
add-zsh-hook precmd t_precmd
add-zsh-hook preexec t_preexec
zle-line-init() { (( \${+terminfo[smkx]} )) && echoti smkx }
zle -N zle-line-init
vi() { : }; precmd() { : }; preexec() { : }`],
  ['vi mode', 'zsh', `bindkey -v; PS1='%# '; zle-keymap-select() { zle reset-prompt }; zle -N zle-keymap-select`],
  ['vi mode', 'bash', `set -o vi; PS1='$ '`],
  ['a prompt that forgets', 'zsh', `PS1='%# '; setopt no_prompt_sp no_prompt_cr ksh_arrays sh_word_split no_unset noclobber warn_create_global force_float`],
  ['a prompt of its own', 'fish', `function fish_prompt; printf 'one\\ntwo> '; end; function fish_right_prompt; date; end`],
];

const COMMANDS = [
  ['echo plain', 0, ['plain']],
  ['false', 1, []],
  ['sh -c "echo out; exit 3"', 3, ['out']],
  ['printf "no newline"', 0, ['no newline']],
  ['echo "semi;colon 100%"', 0, ['semi;colon 100%']],
];

// What is in history, or is not: bash tells the text only there.
const HISTORY = [
  ['HISTCONTROL=ignorespace', ' echo spaced', ' echo spaced', true],
  ['HISTCONTROL=ignoreboth', ' echo spaced again', ' echo spaced again', true],
  ['HISTCONTROL=ignoredups', 'echo twice', 'echo twice'],
  ['HISTCONTROL=ignoredups', 'echo twice', 'echo twice'],
  ['HISTCONTROL=erasedups', 'echo erased', 'echo erased'],
  ["HISTCONTROL= HISTIGNORE='echo ign*'", 'echo ignored', 'echo ignored'],
  ["HISTIGNORE= HISTTIMEFORMAT='%F %T '", 'echo timed', 'echo timed'],
  ['set +o history', 'echo unrecorded', 'echo unrecorded'],
  ['set -o history; alias e=echo', 'e aliased', 'e aliased'],
  ['unset HISTFILE', 'echo no file', 'echo no file'],
  ['HISTSIZE=0', 'echo size 0', 'echo size 0'],
];

async function main() {
  const report = new Report();
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  const find = (name) => ['/bin', '/usr/bin'].map((d) => `${d}/${name}`).find(exists);
  const blocks = (name) => daemon.json('blocks', '-s', name);
  const run = (name, command) => daemon.ptyd('run', '-s', name, '--timeout', '180', '--', command);
  // ble.sh is at work with its terminal raw; where that is taken for a question nothing is typed, and run says so.
  const runSurely = (name, command) => until(`${command} is typed`, () => !run(name, command).stderr.includes('nothing was typed'), 180000);
  let count = 0;

  for (const [title, shell, rc, needs] of PROMPTS) {
    const label = `${shell}: ${title}`;
    if (!find(shell) || (needs && !exists(needs))) {
      report.skip(label, `${needs && !exists(needs) ? needs : shell} is not on this machine`);
      continue;
    }
    await report.test(label, async () => {
      const name = `p${count += 1}`;
      const home = path.join(space.root, name);
      makeHome(home);
      fs.mkdirSync(path.join(home, '.config/fish'), { recursive: true });
      fs.writeFileSync(path.join(home, { bash: '.bashrc', zsh: '.zshrc', fish: '.config/fish/config.fish' }[shell]), `${rc}\n`);
      daemon.ptyd('open', name, '--shell', find(shell), '--env', `HOME=${home}`);
      for (const [command] of COMMANDS) await runSurely(name, command);
      if (label !== 'bash: vi mode') daemon.ptyd('send', '-s', name, '--key', 'C-l'); // redrawn
      daemon.ptyd('send', '-s', name, 'echo ed');
      daemon.ptyd('resize', '-s', name, '64x20');
      daemon.ptyd('send', '-s', name, 'ited', '--key', 'Enter');
      await until('it is done', () => blocks(name).length > COMMANDS.length && blocks(name).at(-1).status !== 'running', 120000); // ble.sh takes its time
      const got = blocks(name).map((b) => [b.cmd, b.exit_code, b.preview.lines]);
      assert.deepStrictEqual(got, [...COMMANDS, ['echo edited', 0, ['edited']]]);
      if (title === 'like bash-preexec')
        assert.deepStrictEqual(fs.readFileSync(path.join(home, 'preexec'), 'utf8').trim().split('\n'), [...COMMANDS.map((c) => c[0]), 'echo edited']);
      if (needs) assert.doesNotMatch(daemon.ptyd('scrollback', '-s', name).stdout + daemon.ptyd('screen', '-s', name).stdout, /not found|No such file|rror:/, 'it is there');
      if (title === 'like starship') assert.match(daemon.ptyd('screen', '-s', name).stdout, /\[0\]/);
      assert.strictEqual(daemon.json('status').spoofed_marks, 0);
    });
  }

  await report.test('bash whose hook waits for another program with its terminal raw: run waits for the prompt', async () => {
    const home = path.join(space.root, 'raw'), go = path.join(space.root, 'go-raw'), began = path.join(space.root, 'began-raw');
    makeHome(home);
    fs.writeFileSync(path.join(home, '.bashrc'), `PS1='$ '
hook() { if [[ -e ${began}-now ]]; then stty -icanon; : "$(: >${began}; until [ -e ${go} ]; do :; done)"; stty icanon; fi; }
PROMPT_COMMAND=hook
`);
    daemon.ptyd('open', 'raw', '--shell', '/bin/bash', '--env', `HOME=${home}`);
    run('raw', 'echo first');
    const child = spawn(PTYD, ['run', '-s', 'raw', '--timeout', '180', '--', `: >${began}-now; echo second`], { env: space.env });
    let said = '';
    const ended = new Promise((done) => child.on('close', done));
    child.stdout.on('data', (data) => { said += data; });
    child.stderr.on('data', (data) => { said += data; });
    await until('the hook waits', () => exists(began));
    // Something does ask here: when that was seen the other had been looked at as well.
    daemon.ptyd('open', 'asks', '--shell', '/bin/bash');
    assert.strictEqual(run('asks', 'read -rsn1').status, 125);
    fs.writeFileSync(go, '');
    assert.deepStrictEqual([await ended, said], [0, 'second\n']);
  });

  await report.test('bash: what history keeps and what it does not', () => {
    daemon.ptyd('open', 'history', '--shell', '/bin/bash');
    for (const [setting, command, text, hidden] of HISTORY) {
      run('history', setting);
      run('history', command);
      const block = blocks('history').at(-1);
      assert.deepStrictEqual([block.cmd, block.private], [text, !!hidden], setting);
    }
  });

  // Each with an rc file of its own, and what is run: text, directory behind it, exit code.
  const OPTIONS = [
    ['set -u without PS0', "set -u\nunset PS0\nPS1='$ '", [['echo one', '/', 0], ['unset PS0', '/', 0], ['echo two', '/', 0], ['PS1=x', '/', 0], ['false', '/', 1]]],
    ['nocasematch', 'shopt -s nocasematch\nmkdir -p ~/a ~/A', [['cd ~/a', '~/a', 0], ['cd ../A', '~/A', 0], ['cd ../a', '~/a', 0]]],
    ['without the builtin test', 'enable -n test', [['cd /tmp', '/tmp', 0], ['cd /usr', '/usr', 0]]],
    ['readonly HISTTIMEFORMAT', "readonly HISTTIMEFORMAT='%F %T '", [['echo timed', '/', 0], ["echo 'a long one' | sed s/a/b/", '/', 0], ['false', '/', 1]]],
    ['readonly HISTTIMEFORMAT in POSIX mode', "readonly HISTTIMEFORMAT='%F %T '\nset -o posix", [['echo timed', '/', 0], ['false', '/', 1]]],
    ...["history -n; history -a", "history -n; history -w; history -c; history -r"].map((hook) => (
      [`lines of another shell's, by ${hook}`, `HISTFILE=~/h\nPROMPT_COMMAND='${hook}'`, [['echo theirs >>~/h', '/', 0], ['echo mine', '/', 0], ['echo theirs >>~/h; false', '/', 1]]])),
    ["lines of another shell's, by a hook of now", 'HISTFILE=~/h', [["PROMPT_COMMAND='history -n'; echo theirs >>~/h", '/', 0], ['echo mine', '/', 0]]],
    ['readonly HISTTIMEFORMAT, empty', 'readonly HISTTIMEFORMAT=', [['echo timed', '/', 0], ['false', '/', 1]]],
  ];
  for (const [title, rc, commands] of OPTIONS) {
    await report.test(`bash: ${title}`, () => {
      const name = `o${count += 1}`;
      const home = path.join(space.root, name);
      makeHome(home);
      fs.writeFileSync(path.join(home, '.bashrc'), `${rc}\ncd /\n`);
      daemon.ptyd('open', name, '--shell', '/bin/bash', '--env', `HOME=${home}`);
      for (const [command] of commands) run(name, command);
      assert.deepStrictEqual(blocks(name).map((b) => [b.cmd, b.cwd_after, b.exit_code]), commands.map(([text, cwd, exit]) => [text, cwd.replace('~', home), exit]));
      assert.ok(blocks(name).every((b) => b.cmd_source !== 'unknown'), 'the text is certain');
    });
  }

  // The same of zsh, where nothing of ours may be seen, either.
  const ZSH_OPTIONS = [
    ['readonly PROMPT_EOL_MARK', "readonly PROMPT_EOL_MARK=''", [['echo one', 0], ['sh -c "printf unended; exit 3"', 3], ['echo two', 0]]],
    ['no room for another descriptor', 'ulimit -n 10', [['echo one', 0], ['sh -c "exit 3"', 3], ['sh -c "echo two"', 0], [`: ${'long '.repeat(600)}`, 0]]],
    ['restricted', 'setopt restricted', [['echo one', 0], ['sh -c "exit 3"', 3]]],
    ['its output elsewhere', 'exec 9>&1 >/dev/null', [['sh -c "exit 3"', 3], [`: ${'long '.repeat(600)}`, 0], ['exec >&9', 0], ['echo two', 0]]],
  ];
  for (const [title, rc, commands] of find('zsh') ? ZSH_OPTIONS : []) {
    await report.test(`zsh: ${title}`, () => {
      const name = `o${count += 1}`;
      const home = path.join(space.root, name);
      makeHome(home);
      fs.writeFileSync(path.join(home, '.zshrc'), `${rc}\n`);
      daemon.ptyd('open', name, '--shell', find('zsh'), '--env', `HOME=${home}`);
      for (const [command] of commands) run(name, command);
      assert.deepStrictEqual(blocks(name).map((b) => [b.cmd.trimEnd(), b.exit_code]), commands.map(([text, exit]) => [text.trimEnd(), exit]));
      const shown = daemon.ptyd('screen', '-s', name).stdout;
      assert.ok(!/__ptyd|zle-line|write error|not allowed|read-only/.test(shown), shown);
    });
  }

  await report.test('bash: restricted by its start-up file: it says so, and prints nothing at its prompts', async () => {
    const home = path.join(space.root, 'restricted');
    makeHome(home);
    fs.writeFileSync(path.join(home, '.bashrc'), "PS1='> '\nset -r\n");
    daemon.ptyd('open', 'restricted', '--shell', '/bin/bash', '--env', `HOME=${home}`);
    await until('it says so', () => daemon.json('status').warnings.some((text) => /restricted: .*this bash is restricted \(set -r\)/.test(text)));
    daemon.ptyd('send', '-s', 'restricted', 'echo $((6 * 7)) "${!__ptyd_@}"', '--key', 'Enter');
    const rows = () => daemon.json('screen', '-s', 'restricted').rows.filter(Boolean);
    await until('it ran', () => rows().length >= 3);
    assert.deepStrictEqual(rows(), ['> echo $((6 * 7)) "${!__ptyd_@}"', '42', '>']);
  });

  // The keys do not say it, history alone does.
  await report.test("bash: a line that was edited, and another shell's that a hook brings behind it", async () => {
    const home = path.join(space.root, 'edited');
    makeHome(home);
    fs.writeFileSync(path.join(home, '.bashrc'), "HISTFILE=~/h\nPROMPT_COMMAND='history -n'\n");
    daemon.ptyd('open', 'edited', '--shell', '/bin/bash', '--env', `HOME=${home}`);
    run('edited', 'echo first');
    assert.strictEqual(daemon.ptyd('send', '-s', 'edited', 'cho theirs >>~/h', '--key', 'Home', 'e', '--key', 'Enter').status, 0);
    const block = await until('it is done', () => blocks('edited').length === 2 && blocks('edited')[1].status === 'completed' && blocks('edited')[1]);
    assert.deepStrictEqual([block.cmd, block.cmd_source], ['echo theirs >>~/h', 'history']);
  });

  await report.test('bash: what an editor was called for from the line (C-x C-e) makes the next one no less certain', async () => {
    daemon.ptyd('open', 'visual', '--shell', '/bin/bash', '--env', 'VISUAL=sed -i s/half/whole/');
    run('visual', 'echo first');
    assert.strictEqual(daemon.ptyd('send', '-s', 'visual', 'echo half', '--key', 'C-x', '--key', 'C-e').status, 0);
    await until('it ran', () => daemon.json('screen', '-s', 'visual').rows.some((row) => row.trim() === 'whole'));
    run('visual', 'echo next');
    assert.deepStrictEqual(blocks('visual').map(({ cmd, cmd_source }) => [cmd, cmd_source]), [['echo first', 'history'], ['echo next', 'history']]);
  });

  // POSIX's shells read the file that ENV names, which they expand, and bash no other one then.
  for (const [shell, variable] of [['bash', 'POSIXLY_CORRECT=1'], ['bash', 'SHELLOPTS=braceexpand:posix'], ['dash', 'x=1'], ['busybox', 'x=1']]) {
    if (!find(shell)) continue;
    const name = `env-${shell}-${variable.replace(/\W.*/, '')}`;
    await report.test(`${shell} with ${variable} and ENV: commands are told, and the file is read once`, async () => {
      const home = path.join(space.root, name);
      makeHome(home);
      fs.writeFileSync(path.join(home, '.bashrc'), 'echo bashrc >>~/read\n');
      fs.writeFileSync(path.join(home, 'env.sh'), 'echo env >>~/read\n');
      daemon.ptyd('open', name, '--shell', find(shell), '--env', `HOME=${home}`, '--env', 'ENV=$HOME/env.sh', '--env', variable);
      run(name, 'cd /');
      run(name, "sh -c 'exit 3'");
      run(name, 'env | grep -e ^ENV= -e __ptyd; set -o | grep posix');
      const told = blocks(name);
      assert.deepStrictEqual(told.slice(0, 2).map((b) => [b.cmd, b.exit_code, b.cwd_after]), [['cd /', 0, '/'], ["sh -c 'exit 3'", 3, '/']]);
      assert.deepStrictEqual(told[2].preview.lines.map((line) => line.replace(/\s+/, ' ')), ['ENV=$HOME/env.sh', ...(shell === 'bash' ? ['posix on'] : [])]);
      assert.strictEqual(fs.readFileSync(path.join(home, 'read'), 'utf8'), 'env\n');
    });
  }

  // The shell says what is wrong with it, and goes on.
  for (const [shell, variable] of [['bash', 'POSIXLY_CORRECT=1'], ['dash', 'x=1'], ['busybox', 'x=1']].filter(([name]) => find(name))) {
    await report.test(`${shell}: an ENV that cannot be expanded is no file, and commands are told`, async () => {
      for (const [i, value] of ['${NOPE:?}/x', '${HOME', '${HOME/', '$(exit', '`', '${bad~sub}'].entries()) {
        const name = `bad-env-${shell}-${i}`;
        daemon.ptyd('open', name, '--shell', find(shell), '--env', `ENV=${value}`, '--env', variable);
        run(name, 'cd /');
        run(name, "sh -c 'exit 3'");
        assert.deepStrictEqual(blocks(name).map((b) => [b.cmd, b.exit_code, b.cwd_after]), [['cd /', 0, '/'], ["sh -c 'exit 3'", 3, '/']], value);
      }
    });
  }

  for (const shell of ['bash', 'zsh', 'dash', 'busybox'].filter(find)) {
    await report.test(`${shell}: without PWD a command is where the shell is`, async () => {
      const name = `no-pwd-${shell}`;
      daemon.ptyd('open', name, '--shell', find(shell));
      for (const line of ['cd /', 'set -u; unset PWD', 'sh -c "exit 3"', 'cd /usr', 'true']) run(name, line);
      const told = blocks(name).map((b) => [b.cmd, b.cwd, b.exit_code, b.preview.lines]);
      assert.deepStrictEqual(told.slice(2), [['sh -c "exit 3"', '/', 3, []], ['cd /usr', '/', 0, []], ['true', '/usr', 0, []]]);
      assert.ok(!daemon.json('screen', '-s', name).rows.some((row) => /ptyd_|parameter/.test(row)), 'its prompt is as it was');
    });
  }

  // (Line editors draw another prompt, or keep the line.)
  if (find('dash')) await report.test('dash: behind a Ctrl-C for which there is a trap the next line is a command', async () => {
    const shows = (text) => until(`it shows ${text}`, () => daemon.json('screen', '-s', 'trap').rows.some((row) => text.test(row)));
    daemon.ptyd('open', 'trap', '--shell', find('dash'));
    for (const [line, trap] of [['echo one', 'trap "echo got" INT'], ['echo two', 'trap "" INT'], ['echo three', 'trap - INT']]) {
      run('trap', trap);
      assert.strictEqual(daemon.ptyd('send', '-s', 'trap', `half ${line}`).status, 0);
      await shows(new RegExp(`half ${line}`));
      assert.strictEqual(daemon.ptyd('send', '-s', 'trap', '--key', 'C-c').status, 0);
      assert.strictEqual(daemon.ptyd('run', '-s', 'trap', '--timeout', '20', '--', line).status, 0, trap);
      assert.strictEqual(blocks('trap').at(-1).cmd, line);
    }
  });

  const EATERS = [ // what eats the keys, the keys; the last has them thrown away
    ['stty -icanon -echo; echo rea""dy; head -c 1 >/dev/null; stty sane', 'q'], ['stty -icanon -echo; echo rea""dy; head -c 3 >/dev/null; stty sane', 'abc'],
    ['python3 -c "import os, termios as t, time; print(\'rea\' \'dy\', flush=True); [0 for i in iter(lambda: os.path.exists(\'go\') or time.sleep(0.02), True)]; t.tcflush(0, 0)"', 'rm -rf x'],
  ];
  if (find('dash')) await report.test('dash: keys that a command ate, or had thrown away, are not in the next line', async () => {
    for (const [i, [eater, keys]] of EATERS.entries()) {
      const name = `eats${i}`;
      const send = (...what) => assert.strictEqual(daemon.ptyd('send', '-s', name, ...what).status, 0);
      daemon.ptyd('open', name, '--shell', find('dash'));
      assert.strictEqual(daemon.ptyd('wait', '-s', name, '--prompt', '--timeout', '20').status, 0);
      send(eater, '--key', 'Enter');
      await until('it reads', () => daemon.json('screen', '-s', name).rows.some((row) => /^ready/.test(row)));
      send(keys);
      if (i === 2) {
        await until('it is echoed', () => daemon.json('screen', '-s', name).rows.some((row) => row.endsWith(keys)));
        fs.writeFileSync(path.join(space.home, 'go'), '');
      }
      await until('it is over', () => blocks(name).length && blocks(name)[0].status !== 'running' && blocks(name)[0].exit_code === 0);
      await until('its prompt', () => daemon.json('list').find((s) => s.name === name).state === 'prompt');
      send('echo it${PPID:+s}', '--key', 'Enter');
      await until('the line ran', () => blocks(name).length === 2 && blocks(name)[1].preview.lines.length);
      assert.deepStrictEqual([blocks(name)[1].preview.lines, blocks(name)[1].cmd, blocks(name)[1].cmd_source], [['its'], 'echo it${PPID:+s}', 'echo'], eater);
    }
  });

  if (find('dash')) await report.test('dash: a line is what its terminal made of the keys, whatever edits lines there, or uncertain', async () => {
    daemon.ptyd('open', 'edits', '--shell', find('dash'));
    for (const [settings, line, prints, told] of [['kill @', 'false@echo a', 'a', 'echo a'], ['erase %', 'echox% b', 'b', 'echo b'], ['sane; stty iuclc', 'ECHO C', 'c', 'echo c'], ['sane; stty eol ";"', 'echo d; echo e', 'e']]) {
      run('edits', `stty ${settings}`);
      assert.strictEqual(daemon.ptyd('send', '-s', 'edits', line, '--key', 'Enter').status, 0);
      await until('it ran', () => blocks('edits').at(-1).preview.lines.length);
      assert.strictEqual(daemon.ptyd('wait', '-s', 'edits', '--prompt', '--timeout', '20').status, 0);
      const { cmd, cmd_source: source, preview } = blocks('edits').at(-1);
      assert.deepStrictEqual(told ? [cmd, source, preview.lines] : [source, preview.lines.at(-1)], told ? [told, 'echo', [prints]] : ['unknown', prints]);
    }
  });

  if (find('zsh')) await report.test('zsh: behind a Ctrl-C that TRAPINT takes its prompt is one, and nobody has forged it', async () => {
    const shows = (text) => until(`it shows ${text}`, () => daemon.json('screen', '-s', 'trapint').rows.some((row) => text.test(row)));
    daemon.ptyd('open', 'trapint', '--shell', find('zsh'));
    run('trapint', 'TRAPINT() { print taken$((6 * 7)); return $((128 + $1)) }');
    const before = daemon.json('status').spoofed_marks;
    daemon.ptyd('send', '-s', 'trapint', 'half a line');
    await shows(/half a line/);
    daemon.ptyd('send', '-s', 'trapint', '--key', 'C-c');
    await shows(/taken42/);
    run('trapint', 'echo next');
    assert.deepStrictEqual(blocks('trapint').slice(1).map((b) => [b.cmd, b.type, b.exit_code]), [['echo next', 'user_cmd', 0]]);
    assert.strictEqual(daemon.json('status').spoofed_marks, before);
  });

  if (find('fish')) await report.test('fish: a prompt that begins with a space hides no command', () => {
    const home = path.join(space.root, 'home-fish-space');
    makeHome(home);
    fs.mkdirSync(path.join(home, '.config/fish'), { recursive: true });
    fs.writeFileSync(path.join(home, '.config/fish/config.fish'), "function fish_prompt; echo -n '  > '; end\n");
    daemon.ptyd('open', 'fish-space', '--shell', find('fish'), '--env', `HOME=${home}`);
    for (const line of ['echo seen', ' echo hidden']) run('fish-space', line);
    assert.deepStrictEqual(blocks('fish-space').map((b) => [b.cmd, b.private]), [['echo seen', false], [' echo hidden', true]]);
  });

  for (const shell of ['bash', 'zsh', 'fish']) {
    if (!find(shell)) continue;
    await report.test(`${shell}: a 100 KB paste, control characters, UTF-8`, async () => {
      const name = `paste-${shell}`;
      daemon.ptyd('open', name, '--shell', find(shell));
      run(name, `echo ${'word '.repeat(20000)}| wc -c`);
      const [long] = blocks(name).slice(-1);
      assert.strictEqual(long.exit_code, 0);
      assert.strictEqual(long.preview.lines.at(-1).trim(), '100000');
      assert.ok(long.cmd.startsWith('echo word word'), 'its head is there');
      if (shell !== 'bash') assert.strictEqual(long.cmd_truncated, true);
      run(name, "echo 'ünï 世界 %41;'");
      assert.strictEqual(blocks(name).at(-1).cmd, "echo 'ünï 世界 %41;'");
      const tab = shell === 'fish' ? ' ' : '\t'; // (fish takes tabs out of what is pasted)
      const lines = `printf '%s\\n' 'a\nb${tab}c'`;
      run(name, lines);
      assert.deepStrictEqual([blocks(name).at(-1).cmd, blocks(name).at(-1).preview.lines], [lines, ['a', tab === ' ' ? 'b c' : 'b       c']]);
      // Commands that are pasted together are one block, with the text of all; what a history did not take is not said to be known.
      run(name, 'echo one\necho two');
      assert.deepStrictEqual([blocks(name).at(-1).cmd, blocks(name).at(-1).preview.lines], ['echo one\necho two', ['one', 'two']]);
      if (shell !== 'bash') return;
      run(name, 'HISTCONTROL=ignoredups');
      run(name, 'echo same\necho same');
      assert.deepStrictEqual([blocks(name).at(-1).cmd, blocks(name).at(-1).cmd_source], ['echo same\necho same', 'unknown']);
      run(name, 'HISTCONTROL=ignorespace');
      run(name, 'echo open\n echo spaced');
      assert.strictEqual(blocks(name).at(-1).private, true);
    });
    await report.test(`${shell}: resized while a command runs and while one is typed`, async () => {
      const name = `sized-${shell}`;
      daemon.ptyd('open', name, '--shell', find(shell), '--size', '100x30');
      const go = path.join(space.root, `go-${name}`);
      daemon.ptyd('send', '-s', name, `${waitFor(go)}; seq 1 3`, '--key', 'Enter');
      await until('it runs', () => blocks(name).length === 1);
      const resize = (size) => assert.deepStrictEqual(daemon.json('resize', '-s', name, size), { cols: Number(size.split('x')[0]), rows: Number(size.split('x')[1]) });
      resize('60x20');
      fs.writeFileSync(go, '');
      await until('it ends', () => blocks(name)[0].status === 'completed');
      assert.deepStrictEqual(blocks(name)[0].preview.lines, ['1', '2', '3']);
      daemon.ptyd('send', '-s', name, 'echo half');
      resize('90x40');
      daemon.ptyd('send', '-s', name, ' way', '--key', 'Enter');
      await until('it ends', () => blocks(name).length === 2 && blocks(name)[1].status === 'completed');
      assert.deepStrictEqual([blocks(name)[1].cmd, blocks(name)[1].preview.lines], ['echo half way', ['half way']]);
      run(name, 'stty size');
      assert.deepStrictEqual(blocks(name).at(-1).preview.lines, ['40 90']);
    });
  }

  if (find('zsh')) {
    await report.test('zsh whose line editor is slow to begin and to end: run waits for its command', async () => {
      const home = path.join(space.root, 'slow');
      fs.mkdirSync(home);
      fs.writeFileSync(path.join(home, '.zshrc'), "PS1='$ '\nzmodload zsh/zselect\nzle-line-init() { zselect -t 40 }\nzle -N zle-line-init\naccept-line() { zselect -t 40; zle .accept-line }\nzle -N accept-line\nlater() { zselect -t 40 }\nzle -N later\nbindkey '^X' later\n");
      spawn(PTYD, ['open', 'slow', '--shell', find('zsh'), '--env', `HOME=${home}`, '--env', `ZDOTDIR=${home}`], { env: space.env, stdio: 'ignore' });
      await until('it is there', () => daemon.json('list').some((session) => session.name === 'slow'));
      const answer = run('slow', 'echo first');
      assert.deepStrictEqual([answer.status, answer.stdout], [0, 'first\n']);
      // The prompt behind this Enter is not yet the one behind the command.
      daemon.ptyd('send', '-s', 'slow', '--key', 'C-x', '--key', 'Enter', '--key', 'C-x');
      const second = run('slow', 'echo second');
      assert.deepStrictEqual([second.status, second.stdout], [0, 'second\n']);
    });
  }

  if (find('zsh')) await report.test('zsh whose line editor is at work at its first prompt: a long line is pasted', () => {
    const home = path.join(space.root, 'at-work');
    fs.mkdirSync(home);
    fs.writeFileSync(path.join(home, '.zshrc'), "PS1='$ '\nzle-line-init() { local i; for ((i = 0; i < 200000; i++)) :; }\nzle -N zle-line-init\n");
    daemon.ptyd('open', 'at-work', '--shell', find('zsh'), '--env', `HOME=${home}`, '--env', `ZDOTDIR=${home}`);
    assert.strictEqual(run('at-work', `echo ${'word '.repeat(20000)}| wc -c`).stdout, '100000\n');
  });
  if (find('bash')) await report.test('bash without bracketed paste: a run at the first prompt', () => {
    const home = path.join(space.root, 'plain');
    fs.mkdirSync(home);
    fs.writeFileSync(path.join(home, '.inputrc'), 'set enable-bracketed-paste off\n');
    daemon.ptyd('open', 'plain', '--shell', find('bash'), '--env', `HOME=${home}`);
    assert.strictEqual(run('plain', 'echo one').stdout, 'one\n');
    assert.strictEqual(run('plain', 'echo two').stdout, 'two\n');
  });

  for (const shell of ['bash', 'zsh', 'fish', 'dash']) {
    if (!find(shell)) continue;
    await report.test(`${shell}: 1,000 commands as fast as they can be typed`, async () => {
      const name = `fast-${shell}`;
      daemon.ptyd('open', name, '--shell', find(shell));
      let lines = '';
      for (let i = 0; i < 1000; i += 1) lines += i % 10 ? `: ${i}\r` : `sh -c "exit ${i % 200}"\r`;
      daemon.ptyd('send', '-s', name, '--hex', Buffer.from(lines).toString('hex'));
      const ended = () => { const [b] = daemon.json('blocks', '-s', name, '--last', '1'); return b ? b.seq - (b.status === 'running') : 0; };
      for (let count = 0; count < 1000;) count = await until(`more than ${count} are done`, () => ended() > count && ended());
      const done = blocks(name);
      assert.strictEqual(done.length, 1000);
      done.forEach((b, i) => assert.deepStrictEqual([b.exit_code, b.cmd, b.cmd_source !== 'unknown'], i % 10 ? [0, `: ${i}`, true] : [i % 200, `sh -c "exit ${i % 200}"`, true]));
    });
  }

  if (find('dash')) await report.test('dash: a command of several lines that is typed ahead, and one behind it', async () => {
    const name = 'lines-ahead', go = path.join(space.root, 'go-on');
    daemon.ptyd('open', name, '--shell', find('dash'));
    daemon.ptyd('send', '-s', name, `${waitFor(go)}\rfor i in a\rdo echo $i; (exit 4)\rdone\r: 7\r`);
    await until('all is echoed', () => /: 7/.test(daemon.ptyd('screen', '-s', name).stdout));
    fs.writeFileSync(go, '');
    await until('the last is done', () => daemon.json('blocks', '-s', name, '--last', '1').some((b) => b.cmd === ': 7' && b.status === 'completed'));
    assert.deepStrictEqual(blocks(name).slice(1).map((b) => [b.cmd, b.exit_code, b.preview.lines]),
      [['for i in a\ndo echo $i; (exit 4)\ndone', 4, ['a']], [': 7', 0, []]]);
  });

  if (find('dash')) await report.test('dash: a loop and a here-document of hundreds of lines typed at once, and what is behind them', async () => {
    const name = 'long-lines', hundreds = (text) => Array.from({ length: 400 }, (_, i) => `${text}-${i}`);
    const loop = ['for i in a; do', ...hundreds(': line'), 'done'], text = ['cat > there <<X', ...hundreds('some text'), 'X'];
    daemon.ptyd('open', name, '--shell', find('dash'));
    daemon.ptyd('send', '-s', name, '--hex', Buffer.from([...loop, 'false', ...text, '(exit 5)', ''].join('\r')).toString('hex'));
    await until('the last is done', () => daemon.json('blocks', '-s', name, '--last', '1').some((b) => b.cmd === '(exit 5)' && b.status === 'completed'));
    assert.deepStrictEqual(blocks(name).map((b) => [b.cmd, b.exit_code]),
      [[loop.join('\n'), 0], ['false', 1], [text.join('\n'), 0], ['(exit 5)', 5]]);
  });

  // What ran says the shell, in a file. How much of it was typed depends on when the worker died.
  if (find('dash')) await report.test('dash: a worker is killed while hundreds of lines are typed', async () => {
    const name = 'killed', ran = path.join(space.root, 'ran');
    const typed = Array.from({ length: 600 }, (_, i) => `echo ${i} >> ${ran}`);
    const told = () => blocks(name).map((b) => (b.status === 'completed' ? b.cmd : ''));
    daemon.ptyd('open', name, '--shell', find('dash'));
    const sender = spawn(PTYD, ['send', '-s', name, '--hex', Buffer.from(`${typed.join('\r')}\r`).toString('hex')], { env: space.env, stdio: 'ignore' });
    const gone = new Promise((resolve) => sender.on('exit', resolve));
    await until('some ran', () => exists(ran) && fs.readFileSync(ran, 'utf8').length > 200);
    await killWorker(daemon);
    await gone;
    daemon.ptyd('wait', '-s', name, '--prompt', '--timeout', '60');
    await until('all that ran is told', () => told().length === fs.readFileSync(ran, 'utf8').split('\n').length - 1);
    assert.deepStrictEqual(told(), typed.slice(0, told().length));
  });

  await report.test('the daemon ends cleanly', async () => {
    assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
  });
  removeWorkspace(space);
  report.finish();
}

main();
