// A real xterm under Xvfb, and what it shows of bytes: its screen by its own print-screen, its cursor by what it answers.
// It is begun anew before each.
//
// Once in some ten thousand pages xterm stands still for good: it reaps its printer behind the page and in its handler of
// SIGCHLD, and where the handler comes second, wait(2) waits for the next child, the program that xterm runs (main.c,
// reapchild). So there is a time in which a page comes; else another xterm is shown the same, and if that prints nothing
// either, show() says so. `lost` counts these.
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawn } = require('node:child_process');

const START_MS = 20000, PAGE_MS = 8000;

// RIS leaves the alternate screen's cells, and its saved cursor.
const BEGIN = '\x1bc\x1b[?1047h\x1b[2J\x1b[H\x1b7\x1b[?1047l\x1bc';
// CAN ends what a stream left open. Where the cursor is, DECOM, margins; then the whole screen is printed (DECPEX, MC).
const ASK = '\x18\x1b[6n\x1b[?6$p\x1bP$qr\x1b\\\x1bP$qs\x1b\\\x1b[?19h\x1b[i';

// Waits without giving up the thread.
const still = new Int32Array(new SharedArrayBuffer(4));
function waitFor(condition, ms) {
  for (const end = Date.now() + ms; ; Atomics.wait(still, 0, 0, 1)) {
    const there = condition();
    if (there) return there;
    if (Date.now() > end) return null;
  }
}

class RealXterm {
  constructor(display, cols, rows) {
    Object.assign(this, { display, cols, rows, lost: 0 });
    this.place = fs.mkdtempSync(path.join(os.tmpdir(), 'ptyd-xterm-'));
    process.on('exit', () => { this.end(); fs.rmSync(this.place, { recursive: true, force: true }); });
    this.begin();
  }

  // What stands in it writes nothing and reads nothing: its terminal is written to and read here.
  begin() {
    this.number = (this.number || 0) + 1;
    this.pages = path.join(this.place, `pages${this.number}`);
    const tty = path.join(this.place, `tty${this.number}`);
    fs.writeFileSync(this.pages, '');
    const resources = [`printerCommand: sh -c 'cat; printf "\\\\\\\\f"' >>${this.pages}`, 'printAttributes: 0', 'printerAutoClose: true', 'decTerminalID: 420', 'c132: false'];
    this.xterm = spawn('xterm', [...resources.flatMap((one) => ['-xrm', `XTerm*${one}`]), '-u8', '-geometry', `${this.cols}x${this.rows}`,
      '-e', 'sh', '-c', `stty raw -echo; tty >'${tty}.part'; mv '${tty}.part' '${tty}'; exec sleep 2147483647`],
    { env: { ...process.env, DISPLAY: this.display, LC_ALL: 'C.UTF-8' }, stdio: 'ignore' });
    if (!waitFor(() => fs.existsSync(tty), START_MS)) throw new Error('xterm does not start');
    const { O_RDWR, O_NOCTTY, O_NONBLOCK } = fs.constants;
    this.fd = fs.openSync(fs.readFileSync(tty, 'utf8').trim(), O_RDWR | O_NOCTTY | O_NONBLOCK);
  }

  end() {
    if (this.fd) fs.closeSync(this.fd);
    this.fd = 0;
    this.xterm.kill('SIGKILL');
  }

  // What xterm answered since this was called last.
  answers() {
    const bytes = Buffer.alloc(4096);
    let all = '';
    for (;;) {
      let count = 0;
      try { count = fs.readSync(this.fd, bytes); } catch (error) { if (error.code !== 'EAGAIN') throw error; }
      if (!count) return all;
      all += bytes.toString('latin1', 0, count);
    }
  }

  write(bytes) {
    const end = Date.now() + PAGE_MS;
    for (let at = 0; at < bytes.length && Date.now() < end;) {
      try {
        at += fs.writeSync(this.fd, bytes, at);
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
        this.said += this.answers();
        Atomics.wait(still, 0, 0, 1);
      }
    }
  }

  // The two halves of show(), so that something else is done between them.
  give(bytes) {
    this.given = Buffer.concat([Buffer.from(BEGIN), bytes, Buffer.from(ASK)]);
    this.said = '';
    this.read = fs.statSync(this.pages).size;
    this.write(this.given);
  }

  page() {
    const fd = fs.openSync(this.pages, 'r');
    try {
      const bytes = Buffer.alloc(Math.max(0, fs.fstatSync(fd).size - this.read));
      fs.readSync(fd, bytes, 0, bytes.length, this.read);
      return bytes.at(-1) === 0x0c ? bytes.toString('utf8', 0, bytes.length - 1) : null;
    } finally {
      fs.closeSync(fd);
    }
  }

  take() {
    const given = this.given;
    for (let tries = 1; ; tries++) {
      const page = waitFor(() => { this.said += this.answers(); return this.page(); }, PAGE_MS);
      if (page !== null) return { rows: this.rowsOf(page), cursor: this.cursorOf(this.said) };
      this.lost++;
      this.end();
      this.begin();
      if (tries > 1) return null;
      Object.assign(this, { said: '', read: 0 });
      this.write(given);
    }
  }

  // {rows, cursor: {row, col}}, or null: it printed nothing in time, twice.
  show(bytes) {
    this.give(bytes);
    return this.take();
  }

  // A screen that was printed: U+FFFF is a wide character's second cell.
  rowsOf(page) {
    const rows = page.split('\n').slice(0, this.rows).map((row) => row.replace(/\uffff/g, '').normalize('NFC').trimEnd());
    return [...rows, ...Array(this.rows - rows.length).fill('')];
  }

  // The last answers are ours; under DECOM the cursor is told from the margins.
  cursorOf(said) {
    const answer = /\x1b\[(\d+);(\d+)R\x1b\[\?6;(\d)\$y\x1bP1\$r(\d+);\d+r\x1b\\\x1bP(?:1\$r(\d+);\d+s|[^\x1b]*)\x1b\\$/.exec(said);
    if (!answer) return null;
    const [row, col, origin, top, left] = answer.slice(1).map((one) => Number(one || 1));
    return { row: row - 1 + (origin === 1 ? top - 1 : 0), col: col - 1 + (origin === 1 ? left - 1 : 0) };
  }
}

module.exports = { RealXterm };
