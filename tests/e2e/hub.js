// A hub for tests: the distribution's nats-server on loopback, and hosts that each have a home, a daemon and a relay.
'use strict';
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { PTYD, workspace, removeWorkspace, Daemon, Control, until } = require('./harness');

// Why there can be no hub here; '' where there can.
function lacking() {
  if (spawnSync('sh', ['-c', 'command -v nats-server']).status !== 0) return 'nats-server is not on this machine (apt-get install nats-server)';
  const said = spawnSync(PTYD, ['relay', '--help'], { encoding: 'utf8' }).stdout;
  return /built without/.test(said.replace(/\s+/g, ' ')) ? 'this ptyd was built without libnats or libsodium' : '';
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => { const { port } = server.address(); server.close(() => resolve(port)); });
  });
}

// A machine: its own home, state and settings.
class Host {
  constructor(name) {
    this.name = name;
    this.space = workspace();
    Object.assign(this.space.env, { XDG_CONFIG_HOME: path.join(this.space.home, '.config'), USER: 'dana' });
    this.relays = 0;
  }

  ptyd(...args) {
    const result = spawnSync(PTYD, args, { env: this.space.env, encoding: 'utf8', cwd: this.space.home, maxBuffer: 1 << 28, timeout: 60000 });
    if (result.error) throw new Error(`${this.name}: ptyd ${args.join(' ')}: ${result.error.message}`);
    return result;
  }

  json(...args) {
    const result = this.ptyd(...args, '--json');
    if (result.status !== 0) throw new Error(`${this.name}: ptyd ${args.join(' ')}: ${result.stderr}`);
    return JSON.parse(result.stdout);
  }

  enable(url, ...more) {
    Object.assign(this, this.json('relay', 'enable', '--url', url, '--host', this.name, ...more));
    return this;
  }

  async serve() {
    this.daemon = await new Daemon(this.space).ready();
    this.control = new Control(this.space.env.PTYD_SOCKET);
    return this;
  }

  // `prefix`: what it is run by, in a network namespace, say.
  relay(prefix = []) {
    const log = fs.openSync(path.join(this.space.root, 'relay.log'), 'a');
    const [program, ...args] = [...prefix, PTYD, 'relay'];
    this.process = spawn(program, args, { env: this.space.env, stdio: ['ignore', log, log] });
    this.ended = new Promise((resolve) => this.process.on('exit', (code, signal) => resolve({ code, signal })));
    return this;
  }

  log() { return fs.readFileSync(path.join(this.space.root, 'relay.log'), 'utf8'); }
  status() { return this.json('relay', 'status'); }

  async connected() {
    await until(`${this.name} is connected`, () => this.status().connected);
    return this;
  }

  async stop(signal = 'SIGTERM') {
    this.process.kill(signal);
    const ended = await this.ended;
    if (/Sanitizer|runtime error/.test(this.log())) throw new Error(this.log());
    return ended;
  }

  async close() {
    if (this.process && this.process.exitCode === null && !this.process.signalCode) await this.stop();
    if (this.daemon) await this.daemon.stop();
    removeWorkspace(this.space);
  }
}

class Hub {
  // `edit` changes the configuration's text; `disk`: so many bytes of a file system of its own, where mounts are ours.
  constructor({ edit = (text) => text, keep = [], address = '127.0.0.1', disk = 0 } = {}) {
    this.space = workspace();
    Object.assign(this.space.env, { XDG_CONFIG_HOME: path.join(this.space.home, '.config'), USER: 'dana' });
    Object.assign(this, { edit, keep, address, members: [], publishers: [] });
    this.store = path.join(this.space.root, 'store');
    if (disk) {
      fs.mkdirSync(this.store);
      const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${disk}`, 'none', this.store], { encoding: 'utf8' });
      if (mounted.status !== 0) throw new Error(`mount: ${mounted.stderr}`);
    }
    this.ownerFile = path.join(this.space.root, 'owner.nk');
    this.owner = this.ptyd('hub', '--new-key', this.ownerFile).trim();
  }

  ptyd(...args) {
    const { status, signal, stdout, stderr } = spawnSync(PTYD, ['relay', ...args], { env: this.space.env, encoding: 'utf8', timeout: 60000 });
    if (status !== 0) throw new Error(`ptyd relay ${args.slice(0, 20).join(' ')}: ${signal || status}: ${stderr}`);
    return stdout;
  }

  async place() {
    this.port = this.port || await freePort();
    this.url = `nats://${this.address}:${this.port}`;
    return this;
  }

  // Who is let in; the server is told by its signal where it runs.
  configure() {
    const who = [...this.members.flatMap((h) => ['--member', `${h.host_id}=${h.key}`]), ...this.publishers.flatMap((h) => ['--publisher', `${h.host_id}=${h.key}`])];
    const text = this.ptyd('hub', '--owner', this.owner, ...who, '--listen', `127.0.0.1:${this.port}`, '--store', this.store, ...this.keep);
    fs.writeFileSync(path.join(this.space.root, 'hub.conf'), this.edit(text));
  }

  async start() {
    this.configure();
    const log = fs.openSync(path.join(this.space.root, 'hub.log'), 'a');
    this.process = spawn('nats-server', ['-c', path.join(this.space.root, 'hub.conf')], { stdio: ['ignore', log, log] });
    this.ended = new Promise((resolve) => this.process.on('exit', resolve));
    await until('the hub listens', () => new Promise((resolve) => {
      const socket = net.connect(this.port, '127.0.0.1', () => { socket.destroy(); resolve(true); });
      socket.on('error', () => resolve(false));
    }));
    return this;
  }

  init(url = `nats://127.0.0.1:${this.port}`) {
    return this.ptyd('hub', '--init', '--url', url, '--creds', this.ownerFile, ...this.members.flatMap((h) => ['--member', h.host_id]), ...this.keep);
  }

  async kill(signal = 'SIGKILL') {
    this.process.kill(signal);
    await this.ended;
  }

  // Writes until nothing more goes in; and gives the room back.
  fill() {
    const fd = fs.openSync(path.join(this.store, 'ballast'), 'w');
    try { for (;;) fs.writeSync(fd, Buffer.alloc(4096)); } catch (error) { if (error.code !== 'ENOSPC') throw error; }
    fs.closeSync(fd);
  }

  empty() { fs.rmSync(path.join(this.store, 'ballast')); }

  // As whoever runs it ends it: nicely, with a deadline, since a server whose disk was full may not hear. Returns what it took.
  async end(deadline) {
    this.process.kill('SIGTERM');
    const heard = await Promise.race([this.ended.then(() => true), new Promise((resolve) => setTimeout(resolve, deadline, false))]);
    if (!heard) await this.kill();
    return heard ? 'SIGTERM' : 'SIGKILL';
  }

  async close() {
    if (this.process && this.process.exitCode === null && !this.process.signalCode) await this.kill();
    spawnSync('umount', [this.store]);
    removeWorkspace(this.space);
  }
}

// This file again where mounts, and with `more` what else unshare(1) is told, are its own; null where there can be none.
function apart(file, more, able, begin = ':') {
  const way = [`unshare -m${more}`, `unshare -rm${more}`].find((w) => spawnSync('sh', ['-c', `${w} sh -c '${able}'`]).status === 0);
  return way ? spawn('sh', ['-c', `exec ${way} sh -c '${begin}; exec "$0" "$@"' "$0" "$@"`, process.execPath, file], { stdio: 'inherit', env: { ...process.env, RELAY_NAMESPACE: '1' } }) : null;
}

// Follows what a host heard of others: every line, once, over rotations.
class Heard {
  constructor(host) { this.file = path.join(host.space.env.PTYD_STATE_DIR, 'hosts/blocks.jsonl'); this.lines = []; this.rest = ''; }

  drain() {
    for (let n; (n = fs.readSync(this.fd, this.buffer = this.buffer || Buffer.alloc(1 << 20))) > 0;) this.rest += this.buffer.toString('utf8', 0, n);
    const lines = this.rest.split('\n');
    this.rest = lines.pop();
    for (const line of lines) this.lines.push(JSON.parse(line));
  }

  read() {
    const now = fs.existsSync(this.file) ? fs.statSync(this.file).ino : 0;
    if (this.fd) this.drain();
    if (now && now !== this.ino) {
      this.fd = fs.openSync(this.file, 'r');
      this.ino = now;
      this.drain();
    }
    return this.lines;
  }
}

module.exports = { lacking, freePort, apart, Host, Hub, Heard };
