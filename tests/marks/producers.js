// Who prints marks: which of its files is wanted, and how a shell is started with it as its terminal or its user would.
// start({script, home}) gives {command, env}; `home` has a configuration of the user's own, with a prompt that says
// `ready>`, one for further lines, and a right one in zsh and fish. `shell` is whose lines are typed; `needs` are the programs,
// of this machine or of tools/other-marks: fish4 is found as fish by what is started.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

const needed = ({ shell, needs }) => needs ?? [shell];

function configure(home) {
  const write = (name, text) => { fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true }); fs.writeFileSync(path.join(home, name), text); };
  write('.bashrc', "PS1='ready> '\nPS2='more> '\nunset HISTFILE\n");
  write('.zshrc', "PROMPT='ready> '\nPROMPT2='more> '\nRPROMPT='on the right'\nunset HISTFILE\nbindkey -e\n");
  write('.config/fish/config.fish', "set -g fish_greeting\nfunction fish_prompt; echo -n 'ready> '; end\nfunction fish_right_prompt; echo -n 'on the right'; end\nset -g fish_autosuggestion_enabled 0\n");
  fs.mkdirSync(path.join(home, '.cache/fish/generated_completions'), { recursive: true }); // else it makes them behind the first prompt
  write('.config/nushell/config.nu', "$env.config.show_banner = false\n$env.PROMPT_COMMAND = {|| 'in nu ' }\n$env.PROMPT_COMMAND_RIGHT = {|| 'on the right' }\n$env.PROMPT_INDICATOR = 'ready> '\n$env.PROMPT_MULTILINE_INDICATOR = 'more> '\n");
}

const appended = (home, name, text) => fs.appendFileSync(path.join(home, name), text);
const sourced = { bash: '.bashrc', zsh: '.zshrc', fish: '.config/fish/config.fish' };

// In the user's own configuration, as the producer says for those who do it by hand.
const bySource = (shell, env = {}) => ({ script, home }) => {
  appended(home, sourced[shell], `source '${script}'\n`);
  return { command: [shell, '-i'], env };
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

// starship prints no marks; it draws prompts within those of others.
const STARSHIP = `format = "$directory$git_branch$line_break$character"
right_format = "on the right"
continuation_prompt = "[∙](bright-black) "
[character]
success_symbol = "[ready>](bold green)"
error_symbol = "[ready>](bold red)"
`;
const INIT = { bash: 'eval "$(starship init bash)"\n', zsh: 'eval "$(starship init zsh)"\n', fish: 'starship init fish | source\nenable_transience\n' };
const starship = (shell, marks) => ({ find, home }) => {
  fs.writeFileSync(path.join(home, '.config/starship.toml'), STARSHIP);
  appended(home, sourced[shell], INIT[shell]);
  return marks.start({ script: find(marks.script), home });
};
// Nushell takes no text that is made as it starts.
const starshipNu = ({ program, home }) => {
  fs.writeFileSync(path.join(home, '.config/starship.toml'), STARSHIP);
  const init = spawnSync(program('starship'), ['init', 'nu', '--print-full-init'], { encoding: 'utf8' }).stdout;
  appended(home, '.config/nushell/config.nu', init);
  return { command: ['nu'], env: {} };
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

const vscodeFish = { script: 'scripts/shellIntegration.fish', start: ({ script }) => ({ command: ['fish', '--init-command', `source '${script}'`], env: VSCODE }) };
const iterm2Fish = { script: 'shell_integration/fish', start: bySource('fish') };

const of = (name, scripts) => Object.entries(scripts).map(([shell, one]) => ({ name: `${name}, ${shell}`, shell, ...one }));
const of4 = (name, one) => ({ name: `${name}, fish 4`, shell: 'fish', needs: ['fish4'], ...one });
const ofStarship = (name, shell, marks, needs = [shell]) => ({ name, shell, needs: ['starship', ...needs], script: marks.script, start: starship(shell, marks) });

const PRODUCERS = [
  ...of('kitty', kitty),
  of4('kitty', kitty.fish),
  ...of('Ghostty', ghostty),
  of4('Ghostty', ghostty.fish),
  ...of('VS Code', {
    bash: { script: 'scripts/shellIntegration-bash.sh', start: ({ script }) => ({ command: ['bash', '--init-file', script, '-i'], env: VSCODE }) },
    zsh: { script: 'scripts/shellIntegration-rc.zsh', start: vscodeZsh },
    fish: vscodeFish,
  }),
  of4('VS Code', vscodeFish),
  ...of('WezTerm', { bash: { script: 'shell-integration/wezterm.sh', start: bySource('bash') }, zsh: { script: 'shell-integration/wezterm.sh', start: bySource('zsh') } }),
  ...of('iTerm2', {
    bash: { script: 'shell_integration/bash', start: bySource('bash') },
    zsh: { script: 'shell_integration/zsh', start: bySource('zsh') },
    fish: iterm2Fish,
  }),
  of4('iTerm2', iterm2Fish),
  { name: 'fish 4 itself', shell: 'fish', needs: ['fish4'], start: () => ({ command: ['fish', '-i'], env: {} }) },
  { name: 'Nushell', shell: 'nu', start: () => ({ command: ['nu'], env: {} }) },
  ofStarship('starship in Ghostty, bash', 'bash', ghostty.bash),
  ofStarship('starship in kitty, zsh', 'zsh', kitty.zsh),
  ofStarship('starship in Ghostty, fish', 'fish', ghostty.fish),
  { name: 'starship in fish 4', shell: 'fish', needs: ['starship', 'fish4'], start: starship('fish', { start: () => ({ command: ['fish', '-i'], env: {} }) }) },
  { name: 'starship in Nushell', shell: 'nu', needs: ['starship', 'nu'], start: starshipNu },
];

module.exports = { PRODUCERS, needed, configure };
