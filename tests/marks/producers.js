// Who prints marks: which of its files is wanted, and how a shell is started with it as its terminal or its user would.
// start({script, home}) gives {command, env}; `home` has a configuration of the user's own, with a prompt that says
// `ready>`, one for further lines, and a right one in zsh and fish.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const PROGRAM = { bash: 'bash', zsh: 'zsh', fish: 'fish', nu: 'nu' };

function configure(home) {
  const write = (name, text) => { fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true }); fs.writeFileSync(path.join(home, name), text); };
  write('.bashrc', "PS1='ready> '\nPS2='more> '\nunset HISTFILE\n");
  write('.zshrc', "PROMPT='ready> '\nPROMPT2='more> '\nRPROMPT='on the right'\nunset HISTFILE\nbindkey -e\n");
  write('.config/fish/config.fish', "set -g fish_greeting\nfunction fish_prompt; echo -n 'ready> '; end\nfunction fish_right_prompt; echo -n 'on the right'; end\nset -g fish_autosuggestion_enabled 0\n");
  write('.config/nushell/config.nu', "$env.config.show_banner = false\n$env.PROMPT_COMMAND = {|| 'in nu ' }\n$env.PROMPT_COMMAND_RIGHT = {|| 'on the right' }\n$env.PROMPT_INDICATOR = 'ready> '\n$env.PROMPT_MULTILINE_INDICATOR = 'more> '\n");
}

const appended = (home, name, text) => fs.appendFileSync(path.join(home, name), text);
const sourced = { bash: '.bashrc', zsh: '.zshrc', fish: '.config/fish/config.fish' };

// In the user's own configuration, as the producer says for those who do it by hand.
const bySource = (shell, env = {}) => ({ script, home }) => {
  appended(home, sourced[shell], `source '${script}'\n`);
  return { command: [PROGRAM[shell], '-i'], env };
};
// As zsh's ZDOTDIR, which it leaves again; `own` is the variable that says the user's.
const byZdotdir = (own, env) => ({ script, home }) => ({ command: ['zsh', '-i'], env: { ZDOTDIR: path.dirname(script), [own]: home, ...env } });

const KITTY = { KITTY_SHELL_INTEGRATION: 'enabled', TERM: 'xterm-256color', KITTY_WINDOW_ID: '1', KITTY_PID: '1' };
const VSCODE = { TERM_PROGRAM: 'vscode', VSCODE_INJECTION: '1', VSCODE_NONCE: 'nonce', VSCODE_STABLE: '1' };

// VS Code copies its scripts under zsh's names.
function vscodeZsh({ script, home }) {
  const zdotdir = path.join(home, 'zdotdir');
  fs.mkdirSync(zdotdir);
  for (const [from, to] of [['rc', '.zshrc'], ['env', '.zshenv'], ['profile', '.zprofile'], ['login', '.zlogin']])
    fs.copyFileSync(script.replace('-rc.zsh', `-${from}.zsh`), path.join(zdotdir, to));
  return { command: ['zsh', '-i'], env: { ...VSCODE, ZDOTDIR: zdotdir, USER_ZDOTDIR: home } };
}

// starship prints no marks; it draws prompts within those of others. What its program would print is printed by a stand-in.
const starship = (shell, marks) => ({ script, find, home }) => {
  const program = path.join(home, 'starship');
  fs.writeFileSync(program, `#!/bin/sh
case $* in
*--continuation*) printf '\\033[90m∙\\033[0m ' ;;
*--right*) printf 'on the right' ;;
prompt*) printf '\\n\\033[1;36m~/work\\033[0m on \\033[1;35m main\\033[0m\\nready> ' ;;
time*) date +%s000 ;;
session) echo key ;;
esac
`, { mode: 0o755 });
  const own = fs.readFileSync(script, 'utf8').replaceAll(/::STARSHIP::|'::STARSHIP::'/g, program);
  fs.writeFileSync(path.join(home, 'starship.init'), own);
  appended(home, sourced[shell], `source '${home}/starship.init'\n`);
  return marks.start({ script: find(marks.script), home });
};

const kitty = {
  bash: { script: 'shell-integration/bash/kitty.bash', start: bySource('bash', KITTY) },
  zsh: { script: 'kitty/shell-integration/zsh/.zshenv', start: byZdotdir('KITTY_ORIG_ZDOTDIR', KITTY) },
  fish: { script: 'vendor_conf.d/kitty-shell-integration.fish', start: bySource('fish', KITTY) },
};
const GHOSTTY = { GHOSTTY_RESOURCES_DIR: '/usr/share/ghostty', GHOSTTY_SHELL_FEATURES: 'cursor,title', TERM_PROGRAM: 'ghostty' };
const ghostty = {
  bash: { script: 'shell-integration/bash/ghostty.bash', start: bySource('bash', GHOSTTY) },
  zsh: { script: 'src/shell-integration/zsh/.zshenv', start: byZdotdir('GHOSTTY_ZSH_ZDOTDIR', GHOSTTY) },
  fish: { script: 'vendor_conf.d/ghostty-shell-integration.fish', start: bySource('fish', GHOSTTY) },
};

const of = (name, scripts) => Object.entries(scripts).map(([shell, one]) => ({ name: `${name}, ${shell}`, shell, ...one }));

const PRODUCERS = [
  ...of('kitty', kitty),
  ...of('Ghostty', ghostty),
  ...of('VS Code', {
    bash: { script: 'scripts/shellIntegration-bash.sh', start: ({ script }) => ({ command: ['bash', '--init-file', script, '-i'], env: VSCODE }) },
    zsh: { script: 'scripts/shellIntegration-rc.zsh', start: vscodeZsh },
    fish: { script: 'scripts/shellIntegration.fish', start: ({ script }) => ({ command: ['fish', '--init-command', `source '${script}'`], env: VSCODE }) },
  }),
  ...of('WezTerm', { bash: { script: 'shell-integration/wezterm.sh', start: bySource('bash') }, zsh: { script: 'shell-integration/wezterm.sh', start: bySource('zsh') } }),
  ...of('iTerm2', {
    bash: { script: 'shell_integration/bash', start: bySource('bash') },
    zsh: { script: 'shell_integration/zsh', start: bySource('zsh') },
    fish: { script: 'shell_integration/fish', start: bySource('fish') },
  }),
  { name: 'Nushell', shell: 'nu', program: 'nu', start: () => ({ command: ['nu'], env: {} }) },
  { name: 'starship in Ghostty, bash', shell: 'bash', script: 'src/init/starship.bash', start: starship('bash', ghostty.bash) },
  { name: 'starship in kitty, zsh', shell: 'zsh', script: 'src/init/starship.zsh', start: starship('zsh', kitty.zsh) },
  { name: 'starship in Ghostty, fish', shell: 'fish', script: 'src/init/starship.fish', start: starship('fish', ghostty.fish) },
];

module.exports = { PRODUCERS, PROGRAM, configure };
