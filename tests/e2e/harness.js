// What the end-to-end tests share: a private daemon, a model that records what it is told, and a
// client of an app-server on stdio. Only node's own modules.
'use strict';
const assert = require('node:assert');
const { spawn, spawnSync } = require('node:child_process');
const crypto = require('node:crypto');
const { EventEmitter } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');

const PTYD = process.env.PTYD || path.resolve(__dirname, '../../build/ptyd');
const LEFT_MS = 15000; // behind the last test: what was told to end does

// ---- an end ----

// The processes below one: {pid, text: what it is, and its state as ps(1) has it}.
function descendants(pid = process.pid) {
  const read = (file) => { try { return fs.readFileSync(`/proc/${pid}/${file}`, 'utf8'); } catch { return ''; } };
  const children = read(`task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number);
  const own = pid === process.pid ? [] : [{ pid, text: `${pid} ${read('stat').replace(/^.*\) (.).*$/s, '$1')} ${read('cmdline').replaceAll('\0', ' ').trim().slice(0, 200)}` }];
  return [...own, ...children.flatMap(descendants)];
}

// A file of tests leaves no process behind, however it ends: a daemon takes its shells along.
process.on('exit', () => {
  for (const child of fs.readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean))
    for (const signal of ['SIGTERM', 'SIGCONT']) try { process.kill(Number(child), signal); } catch { /* it is gone */ }
});

// A home in which a fish that starts does not read all man pages first, for minutes, in the background.
function makeHome(home) {
  fs.mkdirSync(path.join(home, '.local/share/fish/generated_completions'), { recursive: true });
}

// A folder of its own for everything a test leaves: socket, state, home.
function workspace() {
  const root = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'ptyd-e2e-'));
  const home = path.join(root, 'home');
  makeHome(home);
  fs.writeFileSync(path.join(home, '.bashrc'), 'PS1="\\$ "\n');
  const env = {
    PATH: process.env.PATH, HOME: home, SHELL: '/bin/bash', LANG: 'C.UTF-8',
    PTYD_SOCKET: path.join(root, 'run/ptyd.sock'), PTYD_STATE_DIR: path.join(root, 'state'),
  };
  // SHIM=build/shim.so: reads and writes of every ptyd fall short (shim.c).
  if (process.env.SHIM) Object.assign(env, { LD_PRELOAD: process.env.SHIM, SHIM_SEED: process.env.SHIM_SEED || '1', SHIM_RATE: process.env.SHIM_RATE || '100' });
  return { root, home, env };
}

// Removes a workspace, in which a shell that was hung up may still write its history.
function removeWorkspace({ root }) {
  for (const deadline = Date.now() + LEFT_MS; ;)
    try {
      fs.rmSync(root, { recursive: true, force: true });
      return;
    } catch (error) {
      if (error.code !== 'ENOTEMPTY' || Date.now() > deadline) throw error;
    }
}

// What the loader is to load but cannot: it says so where nobody reads, and a test without its fault falls much later.
function mustBeBuilt(env) {
  for (const file of (env.LD_PRELOAD || '').split(/[ :]/).filter((name) => name.includes('/')))
    if (!fs.existsSync(file)) throw new Error(`${file} is not there: make ${path.relative(path.resolve(__dirname, '../..'), file)}`);
}

class Daemon {
  static all = new Set();

  constructor(space, limits = ':', program = PTYD) {
    mustBeBuilt(space.env);
    this.space = space;
    Daemon.all.add(this);
    this.process = spawn('sh', ['-c', `${limits} && exec "$0" serve`, program], { env: space.env, stdio: ['ignore', 'ignore', fs.openSync(path.join(space.root, 'daemon.log'), 'a')] });
    this.ended = new Promise((resolve) => this.process.on('exit', (code, signal) => {
      Daemon.all.delete(this);
      resolve({ code, signal });
    }));
  }

  log() { return fs.readFileSync(path.join(this.space.root, 'daemon.log'), 'utf8'); }

  async ready() {
    await until('the daemon answers', () => {
      const { exitCode, signalCode } = this.process;
      if (exitCode !== null || signalCode) throw new Error(`the daemon ended (${exitCode ?? signalCode}): ${this.log()}`);
      return this.ptyd('status').status === 0;
    });
    return this;
  }

  // Runs a command of ptyd to its end.
  ptyd(...args) {
    const result = spawnSync(PTYD, args, { env: this.space.env, encoding: 'utf8', cwd: this.space.home, maxBuffer: 1 << 28, timeout: 120000 });
    if (result.error) throw new Error(`ptyd ${args.join(' ')}: ${result.error.message}`);
    return result;
  }

  json(...args) {
    const result = this.ptyd(...args, '--json');
    if (result.status !== 0 && !result.stdout) throw new Error(`ptyd ${args.join(' ')}: ${result.stderr}`);
    return JSON.parse(result.stdout);
  }

  // What it said last, a line that it said again and again once, and how its sessions stand.
  lastWords() {
    const ask = (...args) => {
      const { stdout, stderr, error } = spawnSync(PTYD, args, { env: this.space.env, encoding: 'utf8', timeout: 5000 });
      return error ? error.message : stdout || stderr;
    };
    const words = [];
    try {
      words.push(`${this.space.root}/daemon.log: …${this.log().replace(/^(.*\n)\1+/gm, '$1 (and again)\n').slice(-2000)}`);
    } catch { /* removed */ }
    const sessions = ask('list', '--json');
    words.push(`its sessions: ${sessions.slice(0, 2000)}`);
    for (const [, name] of [...sessions.matchAll(/"name": ?"([^"]*)"/g)].slice(-3))
      words.push(`${name}: ${ask('blocks', '-s', name, '--last', '2', '--json').slice(0, 1500)}`);
    return words.join('\n');
  }

  // Ends it; a sanitizer's complaint anywhere in its life is a failure.
  async stop() {
    this.process.kill('SIGTERM');
    const ended = await this.ended;
    if (/Sanitizer|runtime error/.test(this.log())) throw new Error(this.log());
    return ended;
  }
}

// A daemon with a small session named work, in whose environment is a secret.
async function withSecret() {
  const space = workspace();
  const secret = `s3cr3t-${'k7'.repeat(8)}`;
  space.env.DEPLOY_TOKEN = secret;
  const daemon = await new Daemon(space).ready();
  daemon.ptyd('open', 'work', '--size', '60x10');
  return { space, secret, daemon };
}

// Waits for a condition, with a deadline.
async function until(what, condition, ms = 60000) {
  const deadline = Date.now() + ms;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`not within ${ms / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

// What the kernel knows of the sockets of that name: whether one listens (it is seen before it does), and how many connections
// there are to it.
function socketsAt(place) {
  const lines = fs.readFileSync('/proc/net/unix', 'utf8').split('\n').filter((line) => line.endsWith(` ${place}`)).map((line) => line.split(/\s+/));
  return { listens: lines.some((one) => one[3] === '00010000'), connections: lines.filter((one) => one[5] === '03').length };
}

// Does all of them, so many at a time.
async function sideBySide(count, bodies) {
  const left = [...bodies];
  await Promise.all(Array.from({ length: count }, async () => { while (left.length) await left.shift()(); }));
}

// Ends the worker as a crash does; resolves when the next one answers.
function killWorker(daemon) {
  const { worker_pid: pid } = daemon.json('status');
  process.kill(pid, 'SIGKILL');
  return until('another worker', () => {
    const answer = daemon.ptyd('status', '--json');
    return answer.status === 0 && JSON.parse(answer.stdout).worker_pid !== pid;
  }, 60000);
}

// A command, for any shell, that goes on until the file is there.
function waitFor(file) {
  return `sh -c 'until [ -e ${file} ]; do sleep 0.02; done'`;
}

// A command of one process that lasts until `end()`, for a Ctrl-C or a Ctrl-Z once it is in front: what is
// hit between fork and exec may be the shell's, and a shell that is stopped between vfork and exec waits
// there, unstoppable, for its child (Linux, dash 0.5.11 on).
function stoppable(file) {
  assert.strictEqual(spawnSync('mkfifo', [file]).status, 0);
  const held = fs.openSync(file, 'r+');
  const inFront = () => spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout.split('\n').includes(`cat ${file}`);
  return { command: `cat ${file}`, inFront, end: () => fs.closeSync(held) };
}

// A model on loopback: answers every request with one message, keeps what it was asked.
class MockModel {
  constructor() {
    this.requests = [];
    this.server = http.createServer((request, response) => this.answer(request, response));
  }

  async listen() {
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.port = this.server.address().port;
    return this;
  }

  answer(request, response) {
    let body = '';
    request.on('data', (data) => { body += data; });
    request.on('end', () => {
      if (!request.url.endsWith('/responses')) {
        response.end('{}');
        return;
      }
      this.requests.push(JSON.parse(body));
      if (this.held) {
        this.held.push(() => this.reply(response));
        return;
      }
      this.reply(response);
    });
  }

  // Answers wait from now on; release() gives them.
  hold() { this.held = []; }

  release() {
    const held = this.held;
    this.held = null;
    for (const go of held) go();
  }

  reply(response) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const id = `r${this.requests.length}`;
    const message = { type: 'message', role: 'assistant', id: `m${id}`, content: [{ type: 'output_text', text: 'noted' }] };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    for (const event of [
      { type: 'response.created', response: { id } },
      { type: 'response.output_item.done', output_index: 0, item: message },
      { type: 'response.completed', response: { id, output: [], usage } },
    ]) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  }

  // A home for codex that talks to this model alone.
  codexHome(root) {
    const home = path.join(root, 'codex-home');
    fs.mkdirSync(home, { recursive: true });
    fs.writeFileSync(path.join(home, 'config.toml'), `
model = "mock-model"
approval_policy = "never"
sandbox_mode = "read-only"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "http://127.0.0.1:${this.port}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`);
    return home;
  }

  close() {
    this.server.closeAllConnections?.();
    this.server.close();
  }
}

// A client of an app-server on stdio.
class Client {
  constructor(command, args, options) {
    this.process = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    this.messages = [];
    this.lines = [];
    this.stderr = '';
    let rest = '';
    this.process.stdout.setEncoding('utf8');
    this.process.stdout.on('data', (data) => {
      const lines = (rest + data).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        this.lines.push(line);
        try { this.messages.push(JSON.parse(line)); } catch { /* not ours to judge */ }
      }
    });
    this.process.stderr.on('data', (data) => { this.stderr += data; });
    this.ended = new Promise((resolve) => this.process.on('exit', resolve));
    this.nextId = 1;
  }

  sendRaw(line) { this.process.stdin.write(`${line}\n`); }

  async request(method, params, id = this.nextId++, ms = undefined) {
    this.sendRaw(JSON.stringify({ id, method, params }));
    return until(`answer to ${method}`, () => this.messages.find((m) => m.id === id && !m.method), ms);
  }

  async initialize(experimentalApi) {
    const capabilities = experimentalApi === undefined ? undefined : { experimentalApi };
    const answer = await this.request('initialize', {
      clientInfo: { name: 'test', title: null, version: '1' }, capabilities,
    });
    this.sendRaw(JSON.stringify({ method: 'initialized' }));
    return answer;
  }

  // Sends a user's message and waits until the turn is over.
  async turn(threadId, text, extra = {}) {
    const before = this.messages.filter((m) => m.method === 'turn/completed').length;
    const answer = await this.request('turn/start', { threadId, input: [{ type: 'text', text }], ...extra });
    if (answer.result)
      await until('turn/completed', () => this.messages.filter((m) => m.method === 'turn/completed').length > before);
    return answer;
  }

  async end() {
    this.process.stdin.end();
    return this.ended;
  }
}

// A WebSocket client written from RFC 6455 alone, so that two readings of it meet. `where` is a
// Unix socket's path or {host, port}. Speaks to an app-server like Client does.
class SocketClient extends EventEmitter {
  static open(where, { path: target = '/', headers = {} } = {}) {
    const client = new SocketClient();
    client.socket = net.connect(where);
    client.messages = [];
    client.lines = [];
    client.pongs = [];
    client.nextId = 1;
    client.pending = Buffer.alloc(0);
    client.key = crypto.randomBytes(16).toString('base64');
    client.closed = new Promise((resolve) => client.socket.on('close', () => resolve(client.closeCode)));
    client.socket.on('error', () => {});
    client.socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`
      + `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${client.key}\r\n`
      + `${Object.entries(headers).map(([k, v]) => `${k}: ${v}\r\n`).join('')}\r\n`);
    client.socket.on('data', (data) => client.take(data));
    return new Promise((resolve) => { client.on('head', () => resolve(client)); client.socket.on('close', () => resolve(client)); });
  }

  take(data) {
    this.pending = Buffer.concat([this.pending, data]);
    if (!this.status) {
      const end = this.pending.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.head = this.pending.subarray(0, end).toString();
      this.status = Number(this.head.split(' ')[1]);
      this.pending = this.pending.subarray(end + 4);
      const accept = crypto.createHash('sha1').update(`${this.key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      this.accepted = this.status === 101 && this.head.toLowerCase().includes(`sec-websocket-accept: ${accept.toLowerCase()}`);
      this.emit('head');
    }
    if (this.status !== 101) return;
    for (;;) {
      if (this.pending.length < 2) return;
      const opcode = this.pending[0] & 15;
      let length = this.pending[1] & 127, at = 2;
      if (this.pending[1] & 128) throw new Error('a server must not mask');
      if (length === 126) { if (this.pending.length < 4) return; length = this.pending.readUInt16BE(2); at = 4; }
      else if (length === 127) { if (this.pending.length < 10) return; length = Number(this.pending.readBigUInt64BE(2)); at = 10; }
      if (this.pending.length < at + length) return;
      const payload = this.pending.subarray(at, at + length);
      this.pending = this.pending.subarray(at + length);
      if (opcode === 1) {
        const text = payload.toString();
        this.lines.push(text);
        try { this.messages.push(JSON.parse(text)); } catch { /* not ours to judge */ }
      } else if (opcode === 8) {
        this.closeCode = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
      } else if (opcode === 9) this.frame(10, payload);
      else if (opcode === 10) this.pongs.push(payload.toString());
    }
  }

  frame(opcode, payload, { fin = true } = {}) {
    const data = Buffer.from(payload), mask = crypto.randomBytes(4);
    const head = data.length < 126 ? Buffer.from([0, 128 | data.length])
      : data.length < 65536 ? Buffer.from([0, 254, data.length >> 8, data.length & 255])
        : Buffer.concat([Buffer.from([0, 255]), (() => { const b = Buffer.alloc(8); b.writeBigUInt64BE(BigInt(data.length)); return b; })()]);
    head[0] = (fin ? 128 : 0) | opcode;
    for (let i = 0; i < data.length; i++) data[i] ^= mask[i & 3];
    this.socket.write(Buffer.concat([head, mask, data]));
  }

  sendRaw(text) { this.frame(1, text); }

  end(code = 1000) {
    this.frame(8, Buffer.from([code >> 8, code & 255]));
    return this.closed;
  }
}
for (const method of ['request', 'initialize', 'turn']) SocketClient.prototype[method] = Client.prototype[method];

// A connection to the daemon that lives through its workers.
class Control {
  constructor(place) { this.place = place; this.id = 0; this.waiting = new Map(); }

  connect() {
    if (!this.ready) this.ready = new Promise((resolve) => {
      const socket = net.connect(this.place);
      let rest = '';
      socket.setEncoding('utf8');
      socket.on('connect', () => { this.socket = socket; resolve(); });
      socket.on('error', () => {});
      socket.on('close', () => {
        this.ready = null;
        for (const done of this.waiting.values()) done(null);
        this.waiting.clear();
        if (this.socket !== socket) setTimeout(() => this.connect().then(resolve), 5);
      });
      socket.on('data', (data) => {
        const lines = (rest + data).split('\n');
        rest = lines.pop();
        for (const message of lines.map((l) => JSON.parse(l))) {
          this.waiting.get(message.id)?.(message);
          this.waiting.delete(message.id);
        }
      });
    });
    return this.ready;
  }

  // Asks once: null when the connection broke before the answer.
  async ask(method, params) {
    await this.connect();
    const id = ++this.id;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  }

  // Asks until it is answered: for what may be asked twice.
  async call(method, params) {
    for (;;) {
      const answer = await this.ask(method, params);
      if (answer) return answer;
    }
  }
}

// A client of the proxy that notices when it dies.
class TurnClient {
  constructor(space, args, log) {
    this.process = spawn(PTYD, ['proxy', ...args], { env: { ...space.env, STANDIN_LOG: log }, stdio: ['pipe', 'pipe', 'ignore'] });
    this.answers = new Map();
    this.dead = false;
    let rest = '';
    this.process.stdout.setEncoding('utf8');
    this.process.stdin.on('error', () => {});
    this.process.stdout.on('data', (data) => {
      const lines = (rest + data).split('\n');
      rest = lines.pop();
      for (const message of lines.map((l) => JSON.parse(l))) {
        if (message.method) continue;
        this.answers.get(message.id)?.(message);
        this.answers.delete(message.id);
      }
    });
    this.ended = new Promise((resolve) => this.process.on('close', () => {
      this.dead = true;
      for (const done of this.answers.values()) done(null);
      resolve();
    }));
    this.id = 0;
  }

  request(method, params) {
    const id = ++this.id;
    const answer = new Promise((resolve) => { this.answers.set(id, resolve); if (this.dead) resolve(null); });
    this.process.stdin.write(`${JSON.stringify({ id, method, params })}\n`);
    return answer;
  }

  async start(thread = 'stand-in-thread') {
    await this.request('initialize', { clientInfo: { name: 't', version: '1' } });
    await this.request('thread/start', { name: thread });
    return this;
  }
}

// The same numbers in [0, 1) for the same seed.
function randomFrom(seed) {
  let state = seed;
  return () => { state = (state * 1103515245 + 12345) % 2147483648; return state / 2147483648; };
}

// One `ok`/`not ok` line a test; the exit status says whether all went well. A test that fails is told with
// the last that its daemons said; one that does not end within `limit` seconds with what runs, and ends all.
class Report {
  constructor({ limit = 300 } = {}) {
    this.passed = 0;
    this.failed = 0;
    this.skipped = 0;
    this.limit = limit;
    this.under = new Set();
    process.on('SIGTERM', () => { // whoever waits for this file waits no longer
      this.fail([...this.under].join(', ') || 'all of it', 'SIGTERM came meanwhile', this.running());
      this.end();
    });
  }

  running() { return ['there run:', ...descendants().map(({ text }) => text)].join('\n'); }

  fail(name, ...said) {
    this.failed += 1;
    for (const daemon of Daemon.all) said.push(daemon.lastWords());
    console.log(`not ok - ${name}\n${said.join('\n').replace(/^/gm, '    ')}`);
  }

  // ONLY=pattern runs the tests whose names match it, and what ends the daemon.
  async test(name, body) {
    const chosen = new RegExp(`${process.env.ONLY || ''}|ends cleanly|SIGTERM stops`);
    if (!chosen.test(name)) return;
    this.under.add(name);
    const began = Date.now();
    const late = setTimeout(() => {
      this.fail(name, `not over after ${this.limit} s`, this.running());
      this.end();
    }, this.limit * 1000);
    try {
      await body();
      this.passed += 1;
      const seconds = (Date.now() - began) / 1000;
      console.log(`ok - ${name}${seconds < 2 ? '' : ` (${seconds.toFixed(1)} s)`}`);
    } catch (error) {
      this.fail(name, String(error.stack || error));
    }
    clearTimeout(late);
    this.under.delete(name);
  }

  skip(name, why) {
    this.skipped += 1;
    console.log(`skipped - ${name}: ${why}`);
  }

  end() {
    console.log(`${this.passed} passed, ${this.failed} failed, ${this.skipped} skipped`);
    process.exit(this.failed ? 1 : 0);
  }

  // The last of a file. What a failed test left does not keep it alive; behind all that passed nothing may be left.
  finish() {
    if (this.failed || process.env.ONLY) this.end();
    setTimeout(() => {
      this.fail('nothing is left', this.running());
      this.end();
    }, LEFT_MS).unref();
    process.on('exit', () => { if (!this.failed) console.log(`${this.passed} passed, 0 failed, ${this.skipped} skipped`); });
  }
}

module.exports = { PTYD, workspace, withSecret, removeWorkspace, makeHome, Daemon, MockModel, Client, SocketClient, Control, TurnClient, Report, randomFrom, until, socketsAt, sideBySide, killWorker, waitFor, stoppable, descendants };
