// What the tests of the real codex share that let it run as a person's: on their PATH, with the mock model, and its TUI
// in a session named tui.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { workspace, Daemon, MockModel, until } = require('./harness');

// A workspace, a daemon in it, and the environment in which `codex` is that codex.
async function withCodex(codex) {
  const space = workspace();
  const model = await new MockModel().listen();
  const daemon = await new Daemon(space).ready();
  const bin = path.join(space.root, 'bin');
  fs.mkdirSync(bin);
  fs.symlinkSync(codex, path.join(bin, 'codex'));
  const env = { ...space.env, PATH: `${bin}:${process.env.PATH}`, CODEX_HOME: model.codexHome(space.root), OPENAI_API_KEY: 'none', XDG_RUNTIME_DIR: space.root };
  return { space, model, daemon, bin, env };
}

// Codex asks nobody whether it may work in that home.
function trust({ env, space }) {
  fs.appendFileSync(path.join(env.CODEX_HOME, 'config.toml'), `[projects."${space.home}"]\ntrust_level = "trusted"\n`);
}

// The block in what the model was given of it; null for none.
function blockIn(text) {
  const entry = /^<terminal_block_\d{9}>(.*)<\/terminal_block_\d{9}>$/s.exec(text);
  return entry && JSON.parse(entry[1]);
}

// The TUI's hidden thread asks for an answer of a shape.
const isTitle = (request) => Boolean(request.text?.format);

// The TUI, typed at as a person types.
class Tui {
  constructor(daemon) { this.daemon = daemon; }

  screen() { return this.daemon.json('screen', '-s', 'tui').rows.join('\n'); }

  press(...what) { this.daemon.ptyd('send', '-s', 'tui', ...what, '--key', 'Enter'); }

  async type(text) {
    await until('the TUI waits for input', () => /›|send|context left/.test(this.screen()));
    this.daemon.ptyd('send', '-s', 'tui', text);
    await until('it shows what was typed', () => this.screen().includes(text));
    this.press();
  }

  async quit() {
    await this.type('/quit');
    await until('it has ended', () => this.daemon.json('list').find((s) => s.name === 'tui').state === 'prompt');
  }
}

module.exports = { withCodex, trust, blockIn, isTitle, Tui };
