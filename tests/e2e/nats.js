// Somebody who speaks a NATS server's own protocol, and nothing of ptyd's.
'use strict';
const assert = require('node:assert');
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

// Nobody has the hub keep something under the subjects of another host, though no server checks to where an answer is wanted:
// every question that a `member` and a `publisher` may ask, with every such address. `other` is a host that says nothing.
async function noAnswerAsAnother({ owner, member, publisher }, { mine, ci, other }) {
  const next = `ptyd.hub.CONSUMER.MSG.NEXT.PTYD_dana.H${mine}`;
  const asks = [[member, `ptyd.v1.dana.${mine}.s.block`, '{}'], [member, next, '{"batch":5,"no_wait":true}'], [member, next, '1'], [member, `ptyd.hub.CONSUMER.INFO.PTYD_dana.H${mine}`, ''], [member, 'ptyd.hub.STREAM.MSG.GET.KV_ptyd_hosts_dana', '{"seq":1}'], [member, `$KV.ptyd_hosts_dana.${mine}`, 'x'], [member, `$KV.ptyd_hosts_dana.${mine}.now`, ''], [member, `$JS.ACK.PTYD_dana.H${mine}.1.1.1.1.0`, '+NXT'], [publisher, `ptyd.v1.dana.${ci}.s.block`, '{}']];
  const stores = [`ptyd.v1.dana.${other}.s.block`, `$KV.ptyd_hosts_dana.${other}`, `$KV.ptyd_hosts_dana.${other}.now`];
  for (const to of stores)
    for (const [who, subject, data] of asks) assert.ok(!await who.refused(() => who.publish(subject, data, to)), `${subject} may be asked`);
  // Whatever would be done by the answer's coming there.
  for (const to of [`$JS.API.CONSUMER.DELETE.PTYD_dana.H${mine}`, '$JS.API.STREAM.DELETE.PTYD_dana', '$JS.API.STREAM.PURGE.PTYD_dana']) for (const [who, subject, data] of asks) await who.publish(subject, data, to);
  for (const [who, subject, data] of asks) assert.ok(await who.refused(() => who.publish(subject, data, `$JS.ACK.PTYD_dana.H${other}.1.1.1.1.0`)), 'the server has that refused');
  const inbox = '_INBOX_owner.answers';
  await owner.subscribe(inbox, 77);
  const ask = async (subject, question = '') => { const count = owner.messages.length; await owner.publish(subject, question, inbox); return JSON.parse((await until(subject, () => owner.messages.slice(count).find((m) => m.subject === inbox))).data); };
  for (const [stream, subjects] of [['PTYD_dana', `ptyd.v1.dana.${other}.>`], ['KV_ptyd_hosts_dana', `$KV.ptyd_hosts_dana.${other}`], ['KV_ptyd_hosts_dana', `$KV.ptyd_hosts_dana.${other}.>`]])
    assert.deepStrictEqual((await ask(`$JS.API.STREAM.INFO.${stream}`, JSON.stringify({ subjects_filter: subjects }))).state.subjects ?? {}, {}, subjects);
  assert.ok((await ask('$JS.API.STREAM.INFO.PTYD_dana', JSON.stringify({ subjects_filter: `ptyd.v1.dana.${mine}.s.block` }))).state.subjects, 'what it says itself is kept');
  assert.strictEqual((await ask(`$JS.API.CONSUMER.INFO.PTYD_dana.H${mine}`)).name, `H${mine}`);
}

module.exports = { Nats, seedOf, noAnswerAsAnother };
