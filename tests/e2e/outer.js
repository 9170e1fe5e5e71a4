// A person's terminal, as outer.c in tests/outer is one: it answers as kitty does, has native scrollback
// and pixels, may be slow, deaf or gone.
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { until } = require('./harness');

const BUILD = path.resolve(__dirname, '../../build');
const OUTER = process.env.OUTER || path.join(BUILD, 'outer');
const ASK = process.env.ASK || path.join(BUILD, 'ask');

const hex = (text) => Buffer.from(text, typeof text === 'string' ? 'utf8' : undefined).toString('hex');

const all = new Set();

class Outer {
  // size: 'COLSxROWS'; ground: 'dark' or 'light'; blind: it draws nothing, and is fast.
  constructor(env, command, { size = '80x24', ground = 'dark', blind = false, cwd, log = true } = {}) {
    this.place = fs.mkdtempSync(path.join(os.tmpdir(), 'ptyd-outer-'));
    this.log = path.join(this.place, 'log');
    fs.writeFileSync(this.log, '');
    all.add(this);
    const args = ['--size', size, '--ground', ground, ...(log ? ['--log', this.log] : []), ...(blind ? ['--blind'] : [])];
    this.process = spawn(OUTER, [...args, ...command], { env, cwd, stdio: ['pipe', 'pipe', 'inherit'] });
    this.waiting = new Map();
    this.id = 0;
    this.status = null;
    let rest = '';
    this.process.stdout.setEncoding('utf8');
    this.process.stdin.on('error', () => {});
    this.process.stdout.on('data', (data) => {
      const lines = (rest + data).split('\n');
      rest = lines.pop();
      for (const answer of lines.map((l) => JSON.parse(l))) {
        if ('exit' in answer) this.status = answer.exit;
        this.waiting.get(answer.id)?.(answer);
        this.waiting.delete(answer.id);
      }
    });
    // Resolves with the status of what ran in it.
    this.ended = new Promise((resolve) => this.process.on('close', () => {
      this.gone = true;
      for (const done of this.waiting.values()) done({ error: 'the terminal is gone' });
      resolve(this.status);
    }));
  }

  ask(...words) {
    const id = ++this.id;
    return new Promise((resolve) => {
      if (this.gone) resolve({ error: 'the terminal is gone' });
      this.waiting.set(id, resolve);
      this.process.stdin.write(`${[id, ...words].join(' ')}\n`);
    });
  }

  type(text) { return this.ask('type', hex(text)); }

  // The bytes received so far, or those from an offset on.
  received(from = 0) {
    const fd = fs.openSync(this.log, 'r');
    const data = Buffer.alloc(Math.max(0, fs.fstatSync(fd).size - from));
    const n = fs.readSync(fd, data, 0, data.length, from);
    fs.closeSync(fd);
    return data.subarray(0, n);
  }

  // Waits until the text came, behind what was there at the last call or mark(). One that is gone gets no more.
  async expect(text, ms = 20000) {
    const from = this.seen || 0, wanted = Buffer.from(text);
    let at;
    try {
      await until('', () => {
        const { gone } = this;
        at = this.received(from).indexOf(wanted);
        if (at < 0 && gone) throw new Error();
        return at >= 0;
      }, ms);
    } catch {
      throw new Error(`${JSON.stringify(text)} did not come${this.gone ? ` before its end with ${this.status}` : ''}: ${JSON.stringify(this.received(from).toString().slice(-2000))}`);
    }
    this.seen = from + at + wanted.length;
  }

  // What is expected comes from here on.
  mark() { this.seen = fs.statSync(this.log).size; return this.seen; }

  // {lines: of history and screen, history: how many are history, rows, row, col, alternate}
  async look() {
    const file = path.join(this.place, 'screen');
    const answer = await this.ask('print', file);
    if (answer.error) throw new Error(`${answer.error}; it showed ${JSON.stringify(this.received().toString().slice(-2000))}`);
    const lines = fs.readFileSync(file, 'utf8').split('\n').slice(0, -1);
    return { ...answer, lines, rows: lines.slice(answer.history) };
  }

  // Waits until its screen satisfies `condition(look)`.
  until(what, condition, ms) {
    return until(what, async () => { const seen = await this.look(); return condition(seen) && seen; }, ms);
  }

  resize(cols, rows) { return this.ask('resize', cols, rows); }

  async modes() { return (await this.ask('modes')).modes; }

  // Gone as a window that is closed.
  async close() {
    this.ask('hangup');
    return this.ended;
  }

  // Ends it, whatever runs in it, and removes what it left.
  async end() {
    this.process.stdin.end();
    await this.ended;
    fs.rmSync(this.place, { recursive: true, force: true });
    all.delete(this);
  }

  // Those that a test left when it failed.
  static async endAll() {
    for (const outer of all) await outer.end();
  }
}

module.exports = { Outer, OUTER, ASK, hex };
