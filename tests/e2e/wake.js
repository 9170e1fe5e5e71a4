// `ptyd notify codex` and an app-server in codex's place whose order of things is chosen here: what may happen in one
// moment of codex's is held open. What it answers is what codex 0.169 was seen to (`deleted` too).
'use strict';
const assert = require('node:assert');
const { spawn } = require('node:child_process');
const crypto = require('node:crypto');
const net = require('node:net');
const path = require('node:path');
const { workspace, removeWorkspace, Daemon, Report, PTYD, until, socketsAt } = require('./harness');

const THREAD = 'thread-1';

// The whole messages of a client's frames, which are masked; text alone, and a close.
function* framesIn(state) {
  for (;;) {
    const data = state.pending;
    const extended = { 126: 2, 127: 8 }[data[1] & 127] || 0;
    if (data.length < 6 + extended) return;
    const length = extended === 2 ? data.readUInt16BE(2) : extended === 8 ? Number(data.readBigUInt64BE(2)) : data[1] & 127;
    const at = 6 + extended;
    if (data.length < at + length) return;
    const mask = data.subarray(at - 4, at), payload = Buffer.from(data.subarray(at, at + length)).map((byte, i) => byte ^ mask[i & 3]);
    state.pending = data.subarray(at + length);
    yield { opcode: data[0] & 15, text: payload.toString() };
  }
}

// One thread, its status and its queue. `on[method]` is called before the answer, `waitedFor` once ptyd waits for the turn that runs.
class AppServer {
  constructor(place) {
    Object.assign(this, { status: 'idle', queue: [], on: {}, asked: [], sockets: [], begins: true });
    this.server = net.createServer((socket) => this.take(socket)).listen(place);
  }

  take(socket) {
    const state = { pending: Buffer.alloc(0), upgraded: false };
    this.sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      state.pending = Buffer.concat([state.pending, data]);
      if (!state.upgraded) {
        const end = state.pending.indexOf('\r\n\r\n');
        if (end < 0) return;
        const key = /^sec-websocket-key: *(\S+)/im.exec(state.pending.subarray(0, end))[1];
        const accept = crypto.createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
        socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
        state.pending = state.pending.subarray(end + 4);
        state.upgraded = true;
      }
      for (const { opcode, text } of framesIn(state))
        if (opcode === 8) socket.end();
        else if (opcode === 1) this.answer(socket, JSON.parse(text));
    });
  }

  send(socket, message) {
    const data = Buffer.from(JSON.stringify(message));
    const head = data.length < 126 ? Buffer.from([129, data.length]) : Buffer.from([129, 126, data.length >> 8, data.length & 255]);
    socket.write(Buffer.concat([head, data]));
  }

  // The status is another; those that are connected hear of it.
  become(status) {
    this.status = status;
    for (const socket of this.sockets) if (!socket.destroyed) this.send(socket, { method: 'thread/status/changed', params: { threadId: THREAD, status: { type: status } } });
  }

  answer(socket, { id, method, params }) {
    if (id === undefined) return;
    this.asked.push(method);
    this.on[method]?.(params);
    const thread = { id: THREAD, cwd: '/', status: { type: this.status }, threadSource: 'user' };
    const results = {
      'thread/loaded/list': () => ({ data: [THREAD] }),
      'thread/read': () => ({ thread }),
      'thread/queue/list': () => ({ data: this.queue.map((one) => ({ id: one })) }),
      'thread/queue/add': () => {
        if (this.status === 'idle' && !this.queue.length && this.begins) this.status = 'active';
        else this.queue.push('ours');
        return { queuedSubmission: { id: 'ours' } };
      },
      'thread/queue/delete': () => {
        const deleted = this.queue.includes(params.queuedSubmissionId);
        this.queue = this.queue.filter((one) => one !== params.queuedSubmissionId);
        return { deleted };
      },
    };
    this.send(socket, { id, result: results[method]?.() || {} });
  }

  times(method) { return this.asked.filter((one) => one === method).length; }

  close() {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}

async function main() {
  const report = new Report();
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  daemon.ptyd('open', 'work');
  let serial = 0;

  // A server, a client of it that would show a turn, and `ptyd notify` for a command that prints `text`.
  const wake = async (prepare, ...args) => {
    const place = path.join(space.root, `server-${++serial}`);
    const server = new AppServer(place);
    await until('it listens', () => socketsAt(place).listens);
    const client = net.connect(place);
    await until('its client is there', () => server.sockets.length === 1);
    prepare(server);
    const child = spawn(PTYD, ['notify', 'codex', '-s', 'work', '--json', '--connect', `unix://${place}`, ...args, '--', `echo text-${serial}`], { env: space.env, cwd: space.home, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '', stderr = '';
    child.stdout.on('data', (data) => { out += data; });
    child.stderr.on('data', (data) => {
      stderr += data;
      if (/at work/.test(stderr) && server.waitedFor) { const go = server.waitedFor; server.waitedFor = null; go(); }
    });
    const status = await new Promise((resolve) => child.on('close', resolve));
    client.destroy();
    server.close();
    return { server, status, stderr, turn: out && JSON.parse(out).turn };
  };
  // Whether the command is still to be told to that thread.
  const pending = () => daemon.json('context', 'show', '-s', 'work', '--consumer', `codex:${THREAD}`).kept;

  await report.test('an idle thread: the block, the line, and the turn has begun', async () => {
    const { server, status, turn, stderr } = await wake(() => {});
    assert.deepStrictEqual([status, turn, server.times('thread/inject_items'), server.times('thread/queue/add')], [0, 'begun', 1, 1], stderr);
    assert.strictEqual(server.times('thread/queue/delete'), 0);
    assert.strictEqual(pending(), 0);
  });

  await report.test("a turn has ended, the user's message is the next in the queue and has not begun: ours is none", async () => {
    const { server, status, turn, stderr } = await wake((s) => { s.queue = ['theirs']; });
    assert.deepStrictEqual([status, turn], [0, 'cancelled'], stderr);
    assert.deepStrictEqual([server.times('thread/inject_items'), server.times('thread/queue/add')], [0, 0]);
    assert.strictEqual(pending(), 1, 'their turn tells it');
  });

  await report.test('one behind another that runs: it waits, and where one of theirs begins, ours is none', async () => {
    const { status, turn, stderr } = await wake((s) => {
      s.status = 'active';
      s.waitedFor = () => { for (const next of ['idle', 'active']) s.become(next); };
    });
    assert.deepStrictEqual([status, turn], [0, 'cancelled'], stderr);
  });

  await report.test('one that began and ended between two looks was the next all the same', async () => {
    const { server, status, turn, stderr } = await wake((s) => {
      s.status = 'active';
      s.waitedFor = () => {
        s.become('idle');
        s.on['thread/queue/list'] = () => { for (const next of ['active', 'idle']) s.become(next); };
      };
    });
    assert.deepStrictEqual([status, turn], [0, 'cancelled'], stderr);
    assert.strictEqual(server.times('thread/queue/add'), 0);
  });

  await report.test("the user's turn begins in the moment in which ours is queued: it is taken out again", async () => {
    const { server, status, turn, stderr } = await wake((s) => { s.on['thread/queue/add'] = () => s.become('active'); });
    assert.deepStrictEqual([status, turn], [0, 'cancelled'], stderr);
    assert.deepStrictEqual([server.times('thread/queue/delete'), server.queue], [1, []]);
  });

  await report.test('it begins in the moment in which it is taken out: the server says so, and it has begun', async () => {
    const { server, status, turn, stderr } = await wake((s) => {
      s.on['thread/queue/add'] = () => s.become('active');
      s.on['thread/queue/delete'] = () => { s.queue = []; };
    });
    assert.deepStrictEqual([status, turn, server.times('thread/queue/delete')], [0, 'begun', 1], stderr);
  });

  await report.test('a queue that rests, as behind an interrupted turn: nothing begins later, and you alone are notified', async () => {
    const { server, status, turn, stderr } = await wake((s) => { s.begins = false; });
    assert.deepStrictEqual([status, turn, server.queue], [1, 'unshown', []], stderr);
    assert.match(stderr, /interrupted/);
  });

  await report.test('it ends cleanly', async () => {
    assert.strictEqual((await daemon.stop()).code, 0);
  });
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
