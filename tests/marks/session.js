// A shell in a terminal (tests/outer), at whose prompt is typed; what it prints is an asciicast with the sizes it had.
'use strict';
const { Outer } = require('../e2e/outer');

const READY = 'ready>';
const QUIET_MS = 60, PATIENCE_MS = 20000;
const SIZES = [[80, 24], [60, 20], [100, 30], [72, 24]];

class Session {
  constructor(command, env, cwd) {
    this.sizes = []; // [offset, 'COLSxROWS'], behind the first
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

  async type(text) {
    this.outer.mark();
    await this.outer.type(text);
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
    this.outer.type(`${text}\r`);
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
    await this.outer.type('\r');
    await this.prompt();
  }

  async cancel() {
    this.outer.mark();
    await this.outer.type('\x03');
    await this.prompt();
  }

  async resize() {
    await this.quiet();
    this.now = (this.now + 1) % SIZES.length;
    this.sizes.push([this.length(), SIZES[this.now].join('x')]);
    await this.outer.resize(...SIZES[this.now]);
    await this.quiet();
  }

  async close() {
    await this.outer.close();
  }

  // Where the size changed nothing was under way, so no character is cut there.
  cast() {
    const bytes = this.outer.received(), [cols, rows] = SIZES[0];
    const lines = [{ version: 2, width: cols, height: rows }];
    let from = 0;
    for (const [at, size] of [...this.sizes, [bytes.length, null]]) {
      lines.push([0, 'o', bytes.toString('utf8', from, at)]);
      if (size) lines.push([0, 'r', size]);
      from = at;
    }
    return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  }
}

module.exports = { Session };
