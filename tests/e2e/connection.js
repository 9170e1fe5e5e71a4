// One connection of the control socket, and none after it: what a worker's death does to a request shows.
'use strict';
const net = require('node:net');

class Connection {
  constructor(space, notified = () => {}) {
    this.waiting = new Map();
    this.id = 0;
    this.socket = net.connect(space.env.PTYD_SOCKET);
    this.closed = new Promise((resolve) => this.socket.on('close', resolve));
    this.closed.then(() => { for (const done of this.waiting.values()) done(null); });
    this.socket.on('error', () => {});
    let rest = '';
    this.socket.setEncoding('utf8');
    this.socket.on('data', (data) => {
      const lines = (rest + data).split('\n');
      rest = lines.pop();
      for (const message of lines.map((line) => JSON.parse(line))) {
        if (message.method) notified(message);
        this.waiting.get(message.id)?.(message);
        this.waiting.delete(message.id);
      }
    });
  }

  // The answer; null when the connection ended before it.
  call(method, params) {
    const id = ++this.id;
    return new Promise((resolve) => {
      if (this.socket.destroyed) resolve(null);
      this.waiting.set(id, resolve);
      this.socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  }

  type(name, text, more = {}) {
    return this.call('session.input', { name, data: Buffer.from(text).toString('base64'), ...more });
  }

  end() { this.socket.destroy(); }
}

module.exports = { Connection };
