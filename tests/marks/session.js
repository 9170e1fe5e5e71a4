// A shell in a terminal (tests/outer), at whose prompt is typed; what it prints is an asciicast with the sizes it had.
'use strict';
const { Outer } = require('../e2e/outer');

const READY = 'ready>';
const QUIET_MS = 60, PATIENCE_MS = 20000;
const SIZES = [[80, 24], [60, 20], [100, 30], [72, 24]];

class Session {
  // emptiesLine: Ctrl-C takes back what was typed and leaves the prompt where it is.
  constructor(command, env, cwd, { emptiesLine = false } = {}) {
    this.emptiesLine = emptiesLine;
    this.events = []; // [offset, 'r' or 'i', 'COLSxROWS' or what was typed]
    this.now = 0;
    this.outer = new Outer(env, command, { cwd, size: SIZES[0].join('x') });
  }

  length() { return this.outer.received().length; }

  // Until nothing came for a while.
  async quiet() {
    for (let last = -1, since = Date.now(); ;) {
      const length = this.length();
      if (length !== last) [last, since] = [length, Date.now()];
      if (Date.now() - since > QUIET_MS) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  key(text) {
    this.events.push([this.length(), 'i', text]);
    return this.outer.type(text);
  }

  async type(text) {
    this.outer.mark();
    await this.key(text);
    await this.quiet();
  }

  // Until it was printed behind what was typed last.
  see(text) { return this.outer.expect(text, PATIENCE_MS); }

  async prompt() {
    await this.see(READY);
    await this.quiet();
  }

  // Enters a line; what it gives waits for the prompt behind it.
  begin(text) {
    this.outer.mark();
    this.key(`${text}\r`);
    return () => this.prompt();
  }

  async enterFirst(text) {
    await this.type(text);
    await this.type('\r');
  }

  async enter(...lines) {
    for (const line of lines.slice(0, -1)) await this.enterFirst(line);
    await this.type(lines.at(-1));
    this.outer.mark();
    await this.key('\r');
    await this.prompt();
  }

  async cancel() {
    this.outer.mark();
    await this.key('\x03');
    await (this.emptiesLine ? this.quiet() : this.prompt());
  }

  async resize() {
    await this.quiet();
    this.now = (this.now + 1) % SIZES.length;
    this.events.push([this.length(), 'r', SIZES[this.now].join('x')]);
    await this.outer.resize(...SIZES[this.now]);
    await this.quiet();
  }

  async close() {
    await this.outer.close();
  }

  // An event within a character's bytes comes behind them. `input`: with what was typed.
  cast(input) {
    const bytes = this.outer.received(), [cols, rows] = SIZES[0];
    const lines = [{ version: 2, width: cols, height: rows }];
    let from = 0;
    const print = (to) => {
      while (to < bytes.length && (bytes[to] & 0xc0) === 0x80) to++;
      if (to > from) lines.push([0, 'o', bytes.toString('utf8', from, to)]);
      from = Math.max(from, to);
    };
    for (const [at, kind, data] of this.events.filter(([, kind]) => input || kind !== 'i')) {
      print(at);
      lines.push([0, kind, data]);
    }
    print(bytes.length);
    return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  }
}

module.exports = { Session };
