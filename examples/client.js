#!/usr/bin/env node
// A user interface's side of ptyd, as small as it can be: ptyd-rpc(7) says it all.
//
// usage: client.js NAME [MESSAGE SERVER [ARG...]]
//
// Opens session NAME, types each line of stdin there and shows the command block that came of it;
// then what an agent would be told. With MESSAGE that is sent as a turn to SERVER, an app-server
// (codex app-server), behind `ptyd proxy`, which adds what was done in the terminal to it.
//
//     printf 'ls\nfalse\n' | examples/client.js work
//     echo 'make' | examples/client.js work 'why did that fail?' codex app-server
'use strict';
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const readline = require('node:readline');

const runtime = process.env.XDG_RUNTIME_DIR;
const socketPath = process.env.PTYD_SOCKET
  || (runtime ? `${runtime}/ptyd/ptyd.sock` : `/tmp/ptyd-${process.getuid()}/ptyd.sock`);

// JSON-RPC 2.0, one message a line: a socket, or the two ends of a process.
class Connection {
  constructor(input, output) {
    this.output = output;
    this.lastId = 0;
    this.waiting = new Map();
    this.onNotification = () => {};
    readline.createInterface({ input }).on('line', (line) => this.take(JSON.parse(line))).on('close', () => {
      for (const { reject } of this.waiting.values()) reject(new Error('the other side is gone'));
    });
  }

  take(message) {
    const asked = message.method ? null : this.waiting.get(message.id);
    if (!asked) return this.onNotification(message);
    this.waiting.delete(message.id);
    if (message.error) return asked.reject(new Error(`${asked.method}: ${message.error.message}`));
    return asked.resolve(message.result);
  }

  send(message) { this.output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`); }

  call(method, params = {}) {
    const id = ++this.lastId;
    this.send({ id, method, params });
    return new Promise((resolve, reject) => { this.waiting.set(id, { method, resolve, reject }); });
  }
}

function connect() {
  // Who listens is to be us: anybody may have made a path in /tmp. Node cannot ask the kernel who it
  // is; in a directory that is ours and that nobody else may write to it can be nobody else.
  const place = fs.statSync(path.dirname(socketPath));
  if (place.uid !== process.getuid() || place.mode & 0o022) throw new Error(`${path.dirname(socketPath)} is not ours alone`);
  return new Promise((resolve, reject) => {
    const socket = net.connect(socketPath, () => resolve(new Connection(socket, socket)));
    socket.on('error', reject);
  });
}

async function openSession(name) {
  const control = await connect().catch((error) => {
    if (error.code !== 'ENOENT' && error.code !== 'ECONNREFUSED') throw error;
    const opened = spawnSync('ptyd', ['open', name], { stdio: ['ignore', 'ignore', 'inherit'] });
    if (opened.status !== 0) throw new Error('ptyd does not start');
    return connect();
  });
  await control.call('session.open', { name, cwd: process.cwd(), env: process.env });
  return control;
}

function showBlock(block) {
  const status = block.exit_code === null ? block.status : `exit ${block.exit_code}`;
  console.log(`$ ${block.cmd}\n[${status}, ${block.duration_ms} ms in ${block.cwd}]`);
  if (block.omitted_lines) console.log(`| ... ${block.omitted_lines} lines`);
  for (const line of block.preview.lines) console.log(`| ${line}`);
}

// Types it and waits for the next prompt; what ended until then was shown when it did.
async function typeLine(control, events, name, line) {
  const typed = await control.call('session.input', { name, data: Buffer.from(`${line}\r`).toString('base64') });
  await control.call('session.wait', { name, from: typed.from, for: 'prompt' });
  await events.call('status.short'); // events came before this answer
}

async function sendTurn(name, text, server) {
  const child = spawn('ptyd', ['proxy', '-s', name, '--', ...server], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => { child.on('close', resolve); });
  const agent = new Connection(child.stdout, child.stdin);
  const completed = new Promise((resolve) => {
    agent.onNotification = ({ method, params }) => {
      if (method === 'item/completed' && params.item.type === 'agentMessage') console.log(params.item.text);
      if (method === 'turn/completed') resolve(params.turn.status);
    };
  });
  await agent.call('initialize', { clientInfo: { name: 'ptyd-example', version: '1' } });
  agent.send({ method: 'initialized' });
  const { thread } = await agent.call('thread/start', { cwd: process.cwd() });
  await agent.call('turn/start', { threadId: thread.id, input: [{ type: 'text', text }] });
  console.log(`turn ${await Promise.race([completed, ended])}`);
  child.stdin.end();
  return ended;
}

async function main([name, message, ...server]) {
  if (!name || name.startsWith('-') || (message !== undefined && !server.length)) {
    console.error(fs.readFileSync(__filename, 'utf8').match(/^\/\/ .*$|^\/\/$/gm).map((l) => l.slice(3)).slice(2, 10).join('\n'));
    return 2;
  }
  const control = await openSession(name), events = await connect();
  events.onNotification = ({ method, params }) => {
    if (method === 'event' && params.type === 'agent_block_end' && params.conversation_id === name) showBlock(params.block);
  };
  await events.call('events.follow');
  await control.call('session.wait', { name, from: 0, for: 'prompt' });
  for await (const line of readline.createInterface({ input: process.stdin })) await typeLine(control, events, name, line);
  const context = await control.call('context.show', { session: name });
  console.log(`the agent will be told of ${context.kept} commands:`);
  for (const [key, entry] of Object.entries(context.additionalContext ?? {}).sort())
    console.log(`  ${key} (${entry.kind}): ${entry.value.length} characters`);
  return message === undefined ? 0 : sendTurn(name, message, server);
}

main(process.argv.slice(2)).then((status) => process.exit(status), (error) => { console.error(error.message); process.exit(1); });
