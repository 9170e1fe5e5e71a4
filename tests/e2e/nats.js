// Somebody who speaks a NATS server's own protocol, and nothing of ptyd's.
'use strict';
const crypto = require('node:crypto');
const net = require('node:net');
const { until } = require('./harness');

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

// The 32 bytes of an NKey's seed, from its text alone.
function seedOf(text) {
  let bits = '';
  for (const c of text) bits += ALPHABET.indexOf(c).toString(2).padStart(5, '0');
  return Buffer.from(bits.match(/.{8}/g).map((b) => parseInt(b, 2))).subarray(2, 34);
}

// A client of a NATS server, written from its protocol (https://docs.nats.io/reference/reference-protocols/nats-protocol).
class Nats {
  // `token`: who it is by the owner's word; else by its key alone.
  async open(port, seed, key, token = '') {
    this.errors = [];
    this.messages = [];
    this.pending = Buffer.alloc(0);
    this.socket = net.connect(port, '127.0.0.1');
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => this.socket.on('close', () => resolve(Date.now())));
    this.socket.on('data', (data) => { this.pending = Buffer.concat([this.pending, data]); this.take(); });
    const info = await until('INFO', () => this.info);
    const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seedOf(seed)]);
    const sig = crypto.sign(null, Buffer.from(info.nonce), crypto.createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).toString('base64url');
    this.socket.write(`CONNECT ${JSON.stringify({ verbose: false, pedantic: false, ...(token ? { jwt: token } : { nkey: key }), sig, headers: true, no_responders: true, lang: 'test', version: '1' })}\r\n`);
    await this.settle();
    return this;
  }

  take() {
    for (;;) {
      const end = this.pending.indexOf('\r\n');
      if (end < 0) return;
      const line = this.pending.subarray(0, end).toString(), words = line.split(' ');
      if (words[0] === 'MSG' || words[0] === 'HMSG') {
        const size = Number(words[words.length - 1]), head = words[0] === 'HMSG' ? Number(words[words.length - 2]) : 0;
        if (this.pending.length < end + 4 + size) return;
        this.messages.push({ subject: words[1], reply: words.length > (head ? 5 : 4) ? words[3] : '', headers: this.pending.subarray(end + 2, end + 2 + head).toString(), data: this.pending.subarray(end + 2 + head, end + 2 + size).toString() });
        this.pending = this.pending.subarray(end + 4 + size);
        continue;
      }
      this.pending = this.pending.subarray(end + 2);
      if (words[0] === 'INFO') this.info = JSON.parse(line.slice(5));
      else if (words[0] === 'PING') this.socket.write('PONG\r\n');
      else if (words[0] === 'PONG') this.pongs = (this.pongs || 0) + 1;
      else if (words[0] === '-ERR') this.errors.push(line);
    }
  }

  // Until the server has done all that came before.
  async settle() {
    const before = this.pongs || 0;
    this.socket.write('PING\r\n');
    await until('PONG', () => (this.pongs || 0) > before || this.socket.destroyed);
  }

  async publish(subject, data, reply = '', id = '') {
    const body = Buffer.from(data);
    const head = id ? Buffer.from(`NATS/1.0\r\nNats-Msg-Id: ${id}\r\n\r\n`) : Buffer.alloc(0);
    const line = id ? `HPUB ${subject} ${reply} ${head.length} ${head.length + body.length}` : `PUB ${subject} ${reply} ${body.length}`;
    this.socket.write(Buffer.concat([Buffer.from(`${line.replace(/ {2}/, ' ')}\r\n`), head, body, Buffer.from('\r\n')]));
    await this.settle();
  }

  async subscribe(subject, sid = 1) { this.socket.write(`SUB ${subject} ${sid}\r\n`); await this.settle(); }

  // Whether doing it is refused.
  async refused(body) {
    const before = this.errors.length;
    await body();
    return this.errors.slice(before).some((e) => /Permissions Violation/.test(e));
  }
}

module.exports = { Nats, seedOf };
