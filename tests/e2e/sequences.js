// Lines as people type them, in a random order: commands of all kinds, lines that cannot be parsed, that are empty,
// comments or given up, several at once, other options, other sizes. Each that was submitted is one block, with its
// text and its status; nothing else is. The truth is what was typed, and the shell's own word of its status.
//   SEED=n LINES=1000 node tests/e2e/sequences.js [SHELL...]    
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { workspace, removeWorkspace, Daemon, Report, randomFrom, until } = require('./harness');
const { Connection } = require('./connection');

const SEED = Number(process.env.SEED || (process.env.LINES ? Date.now() % 100000 : 1)); // of few lines always the same
const LINES = Number(process.env.LINES || 20);
const SHELLS = process.argv.length > 2 ? process.argv.slice(2) : ['bash', 'zsh', 'fish', 'dash', 'busybox'];
const find = (name) => ['/bin', '/usr/bin'].map((folder) => path.join(folder, name)).find(fs.existsSync);

// What changes how a shell reads, shows or keeps lines, and nothing of what they are.
const OPTIONS = {
  bash: ['shopt -s lithist', 'shopt -u lithist', 'set -u', 'set -o vi', 'set -o emacs', 'HISTCONTROL=ignoreboth', 'HISTCONTROL=erasedups', 'HISTCONTROL=', "HISTTIMEFORMAT='%F %T '",
    'unset HISTTIMEFORMAT', "PS1='$ '", "PS1='one\\ntwo$ '", 'PROMPT_COMMAND+=(true)', 'PROMPT_COMMAND=:', "trap 'true' DEBUG", 'trap - DEBUG', 'shopt -s extdebug', 'shopt -u extdebug', 'HISTSIZE=5', 'HISTSIZE=500',
    'set -o posix', 'set +o posix', 'set -b', 'set -H', 'set -T', 'shopt -s nullglob', 'shopt -s failglob', 'IFS=a0'],
  zsh: ['setopt hist_ignore_space', 'setopt hist_ignore_all_dups', 'setopt ksh_arrays', 'unsetopt ksh_arrays', 'setopt no_prompt_sp', 'setopt prompt_sp', "PS1='%# '", "PS1=$'one\\ntwo%# '", 'RPS1=right', 'unset RPS1', 'setopt nounset',
    'setopt sh_word_split null_glob', 'bindkey -v', 'bindkey -e', 'setopt transient_rprompt', 'precmd() { true; }', 'setopt prompt_subst', 'setopt no_beep notify', 'HISTSIZE=5', 'setopt extended_glob', 'IFS=a0'],
  fish: ['function fish_right_prompt; echo right; end', 'functions -e fish_right_prompt', 'function fish_title; echo; end', 'set -g fish_handle_reflow 0', 'status job-control full', 'status job-control interactive'],
  dash: ['set -u', 'set -b', 'set -a', 'set +a', 'set -f', 'IFS=a'],
  busybox: ['set -u', 'set -b', 'set -f'],
};

const WORDS = ['a', 'b;c', '%41', 'ä', '世界', '$x', '"', '\\', '~', '*', '{1,2}', '#', '!', 'ran=0', 'word '.repeat(30).trim()];

class Sequence {
  constructor(daemon, connection, shell) {
    Object.assign(this, { daemon, connection, shell, name: shell, wanted: [], halves: 0, random: randomFrom(SEED) });
    this.random(); // its first numbers are like the seed
    this.posix = shell !== 'fish';
    this.truth = path.join(daemon.space.root, `truth-${shell}`);
    this.log = path.join(daemon.space.env.PTYD_STATE_DIR, 'conversations', shell, 'agent_pty/output.raw');
    x(daemon.ptyd('open', shell, '--shell', find(shell), '--env', 'x=1'));
    this.pid = daemon.json('list').find((session) => session.name === shell).shell_pid;
  }

  word() { return this.pick(this.posix ? WORDS : WORDS.filter((word) => word !== '\\')); } // (fish's quotes end behind that)

  pick(list) { return list[Math.floor(this.random() * list.length)]; }

  number(n) { return Math.floor(this.random() * n); }

  prompts() { return fs.readFileSync(this.log, 'latin1').split(/;B[;\x07]/).length; }

  async type(keys) { assert.ok((await this.connection.type(this.name, keys)).result, keys); }

  async ask(method, params) { return (await this.connection.call(method, { name: this.name, ...params })).result; }

  async blocks() { return this.ask('session.blocks'); }

  // All that is wanted was heard of, and the shell waits.
  async rest(what) {
    let seen;
    try {
      await until(`behind ${JSON.stringify(what)}`, async () => {
        seen = await this.blocks();
        const [state] = (await this.ask('session.list', { members: ['name', 'state'] })).find(([name]) => name === this.name).slice(1);
        return seen.length >= this.wanted.length && seen.every((b) => b.status !== 'running') && state === 'prompt';
      }, 30000);
    } finally {
      this.check(seen);
    }
  }

  // What is compared of a text: bash's history has several lines joined.
  plain(cmd) { return this.shell === 'bash' ? cmd.replace(/[\s;]+/g, ' ') : cmd.trimEnd(); }

  check(seen) {
    const told = seen.map((b) => this.plain(b.cmd)), wanted = this.wanted.map(({ cmd }) => this.plain(cmd));
    for (let i = 0; i < Math.max(told.length, wanted.length); i++) {
      const about = `${i}, SEED=${SEED}: ${JSON.stringify([told.slice(Math.max(0, i - 2), i + 2), wanted.slice(Math.max(0, i - 2), i + 2)])}`;
      assert.ok(told[i] !== undefined && wanted[i] !== undefined, about);
      if (seen[i].cmd_source !== 'unknown' && this.shell !== 'busybox') assert.strictEqual(told[i], wanted[i], about);
      if (this.wanted[i].exit !== undefined) assert.strictEqual(seen[i].exit_code, this.wanted[i].exit, about);
    }
  }

  // Lines at once; each is a command.
  async commands(lines) {
    for (const [cmd, exit] of lines) this.wanted.push({ cmd, exit });
    await this.type(lines.map(([cmd]) => `${cmd.replaceAll('\n', '\r')}\r`).join(''));
    await this.rest(lines.map(([cmd]) => cmd));
  }

  // Keys behind which another prompt comes, and no command.
  async none(keys, meanwhile) {
    const before = this.prompts();
    await this.type(keys);
    if (meanwhile) await meanwhile();
    await until(`another prompt behind ${JSON.stringify(keys)}`, () => this.prompts() > before, 30000);
    await this.rest(keys);
  }

  // Half a line that is given up, each with a number of its own: earlier ones are shown, too. A bash that takes keys when Ctrl-C
  // comes may do nothing until the next key, ptyd or not: it waits.
  async givenUp() {
    const half = `half ${++this.halves}`;
    await this.none(half, async () => {
      await this.shows(new RegExp(`${half}\\b`));
      await until(`${this.shell} waits behind ${half}`, () => /^S/.test(fs.readFileSync(`/proc/${this.pid}/stat`, 'utf8').replace(/^.*\) /, '')), 30000);
      await this.type('\x03');
    });
  }

  async shows(text) { await until(`it shows ${text}`, async () => (await this.ask('session.screen')).rows.some((row) => text.test(row)), 30000); }

  // The status of the last line, in the shell's own word.
  async believed() {
    const asked = `echo ${this.posix ? '"$?"' : '$status'} >${this.truth}`, last = this.wanted.at(-1);
    fs.rmSync(this.truth, { force: true });
    await this.commands([[asked, 0]]);
    const said = Number(fs.readFileSync(this.truth, 'utf8'));
    if (last.exit === undefined) this.wanted[this.wanted.length - 2].exit = said;
    this.check(await this.blocks());
  }

  simple() {
    const n = this.number(200);
    const all = [[`sh -c 'exit ${n}'`, n], ['false', 1], ['true', 0], [`: '${this.word()} ${n}'`, 0], [`: ${n} | false`, 1], [`cd ${this.pick(['/', '/usr', '/tmp'])}`, 0], [`echo '${this.word()}'`, 0], ['printf unended', 0],
      [`seq ${1 + n}`, 0], ['nosuchcommand', 127], ['sh -c "kill -9 \\$\\$"', 137]];
    return this.pick(this.posix ? [...all, [`(exit ${n})`, n], [`: ; (exit ${n})`, n]] : all);
  }

  several() {
    const n = this.number(100);
    const posix = [[`for i in 1 2; do\nsh -c 'exit ${n}'\ndone`, n], [`cat <<E\n${n}\nE`, 0], [`if true; then\n(exit ${n})\nfi`, n]];
    return this.pick([[`echo 'one\n${n}'`, 0], ...(this.posix ? posix : [[`for i in 1 2\nsh -c 'exit ${n}'\nend`, n]])]);
  }

  wrong() { return this.pick([`echo ${this.number(9)} )`, 'fi', `: 'a${this.number(99)}' && ; :`, 'for i in 1 2; fi', `: ${'long '.repeat(40)} )`]); }

  async resize() {
    await this.ask('session.resize', { cols: 20 + this.number(100), rows: 12 + this.number(40) });
  }

  async step() {
    const kind = this.number(this.posix ? 14 : 11);
    if (kind < 4) await this.commands([this.simple()]);
    else if (kind < 5) await this.commands(Array.from({ length: 2 + this.number(4) }, () => this.simple()));
    else if (kind < 6) await this.commands([this.several()]);
    else if (kind < 7) await this.none(this.pick(['\r', '   \r']));
    else if (kind < 8 && this.posix) await this.givenUp();
    else if (kind < 8) await this.none('half a line\x15\r'); // (a fish that is interrupted may tell nothing of its next command)
    else if (kind < 9) await this.resize();
    else if (kind < 10) await this.commands([[this.pick(OPTIONS[this.shell]), undefined]]);
    else if (kind < 11) await this.commands([['sleep 0.01 & wait', 0]]);
    else if (kind < 13) await this.commands([[this.wrong(), undefined]]);
    else if (this.shell !== 'zsh') await this.none(`# ${this.word()}\r`);
    if (this.wanted.length && (this.wanted.at(-1).exit === undefined || !this.number(4)) && ![6, 7, 13].includes(kind)) await this.believed();
  }
}

function x(result) { assert.strictEqual(result.status, 0, result.stderr); }

async function main() {
  const report = new Report({ limit: 200 + LINES });
  const space = workspace();
  fs.writeFileSync(path.join(space.home, '.zshrc'), "PS1='%# '\n");
  fs.mkdirSync(path.join(space.home, '.config/fish'), { recursive: true });
  fs.writeFileSync(path.join(space.home, '.config/fish/config.fish'), "function fish_prompt; printf '> '; end\nset -g fish_autosuggestion_enabled 0\nfunction fish_command_not_found; end\n");
  const daemon = await new Daemon(space).ready();
  const connection = new Connection(space);
  for (const shell of SHELLS) {
    if (!find(shell)) {
      report.skip(shell, 'not on this machine');
      continue;
    }
    await report.test(`${shell}: ${LINES} lines in a random order, SEED=${SEED}`, async () => {
      const sequence = new Sequence(daemon, connection, shell);
      await sequence.rest('its first prompt');
      for (let i = 0; i < LINES; i++) await sequence.step();
      assert.strictEqual(daemon.json('status').spoofed_marks, 0);
    });
  }
  connection.end();
  await report.test('the daemon ends cleanly', async () => {
    assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
  });
  removeWorkspace(space);
  report.finish();
}

main();
