// Who may what at a hub, asked of the real server in its own protocol by somebody who has a host's key and means ill; and
// what a receiver makes of whatever a host may send.
'use strict';
const assert = require('node:assert');
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { Report, randomFrom, until } = require('./harness');
const { lacking, Host, Hub } = require('./hub');
const { Nats, noAnswerAsAnother } = require('./nats');

const SEED = Number(process.env.SEED || Date.now() % 100000), ROUNDS = Number(process.env.ROUNDS || 300);

async function main() {
  const report = new Report();
  const why = lacking();
  if (why) {
    report.skip('who may what', why);
    report.finish();
    return;
  }
  console.log(`# SEED=${SEED}`);
  const random = randomFrom(SEED), pick = (list) => list[Math.floor(random() * list.length)];
  const hub = await new Hub({ keep: ['--per-session', '5000'] }).place();
  const [victim, agent, evil] = ['victim', 'agent', 'evil'].map((name) => new Host(name).enable(hub.url));
  const ciFile = path.join(evil.space.root, 'ci.nk'), ci = { host_id: 'c1'.repeat(8), key: evil.ptyd('relay', 'hub', '--new-key', ciFile).stdout.trim() };
  hub.members.push(victim, agent, evil);
  hub.publishers.push(ci);
  await hub.start();
  hub.init();
  const seedIn = (host) => JSON.parse(fs.readFileSync(path.join(host.space.env.PTYD_STATE_DIR, 'relay/identity.json'), 'utf8')).seed;
  const member = await new Nats().open(hub.port, seedIn(evil), evil.key);
  const publisher = await new Nats().open(hub.port, fs.readFileSync(ciFile, 'utf8').trim(), ci.key);
  const owner = await new Nats().open(hub.port, fs.readFileSync(hub.ownerFile, 'utf8').trim(), hub.owner);
  const block = (host, seq, more = {}, inner = {}) => ({
    v: 1, host_id: host.host_id, host: 'x', session: 's', number: seq, ...more,
    block: { shell_id: 'shell_1', seq, cmd: `cmd ${seq}`, cwd: '/', cwd_after: '/', exit_code: 0, status: 'completed', type: 'user_cmd', ts_begin: seq, ts_end: seq + 1, duration_ms: 1, preview: { lines: [], truncated: false }, ...inner },
  });
  const mine = (host, session = 's') => `ptyd.v1.dana.${host.host_id}.${session}.block`;

  await report.test('a host without a key, or with one that nobody let in, is no host', async () => {
    const strange = new Host('strange').enable(hub.url);
    await assert.rejects(async () => { const n = await new Nats().open(hub.port, seedIn(strange), strange.key); await n.publish(mine(strange), '{}'); if (n.errors.length) throw new Error(n.errors[0]); }, /Authorization/);
    strange.relay();
    await until('it says so', () => /Authoriz.*; its owner lets this host in with the line that `ptyd relay enable` prints/.test(strange.status().error || ''));
    assert.strictEqual(strange.status().connected, false);
    await strange.close();
  });

  await report.test('a member publishes as nobody else, and touches nothing of the hub\'s', async () => {
    const stream = 'PTYD_dana', bucket = 'KV_ptyd_hosts_dana';
    const forbidden = [
      mine(victim), `ptyd.v1.dana.${victim.host_id}.s.x`, 'ptyd.v1.dana.x.s.block', `ptyd.v1.other.${evil.host_id}.s.block`,
      `$KV.ptyd_hosts_dana.${victim.host_id}`, `$KV.ptyd_hosts_dana.${victim.host_id}.now`,
      `$JS.API.CONSUMER.MSG.NEXT.${stream}.H${victim.host_id}`, `$JS.API.CONSUMER.MSG.NEXT.${stream}.H${evil.host_id}`, `$JS.API.STREAM.INFO.${stream}`,
      `ptyd.hub.CONSUMER.MSG.NEXT.${stream}.H${victim.host_id}`, `ptyd.hub.CONSUMER.INFO.${stream}.H${victim.host_id}`, `ptyd.hub.STREAM.MSG.GET.${stream}`, `ptyd.hub.STREAM.DELETE.${stream}`, `$JS.ACK.${stream}.H${victim.host_id}.1.1.1.1.0`,
      `$JS.API.STREAM.DELETE.${stream}`, `$JS.API.STREAM.PURGE.${stream}`, `$JS.API.STREAM.UPDATE.${stream}`, `$JS.API.STREAM.MSG.DELETE.${stream}`, `$JS.API.STREAM.MSG.GET.${stream}`,
      `$JS.API.CONSUMER.DELETE.${stream}.H${victim.host_id}`, `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.other`, `$JS.API.CONSUMER.CREATE.${stream}`, '$JS.API.STREAM.CREATE.other',
      `$JS.API.STREAM.PURGE.${bucket}`, `_INBOX.${victim.host_id}.x`, `_INBOX.${agent.host_id}.x.${victim.host_id}.a.1`, `_INBOX.${agent.host_id}.x.p.1`, '_INBOX.x', '$SYS.REQ.SERVER.PING', 'anything',
    ];
    for (const subject of forbidden) assert.ok(await member.refused(() => member.publish(subject, '{}')), subject);
    for (const subject of ['>', 'ptyd.>', mine(victim), `ptyd.rpc.v1.dana.${victim.host_id}`, `_INBOX.${victim.host_id}.>`, '_INBOX.>', '_INBOX.*.>', '$JS.>', '$KV.>']) assert.ok(await member.refused(() => member.subscribe(subject)), subject);
    assert.ok(!await member.refused(() => member.publish(mine(evil), JSON.stringify(block(evil, 1)))));
    assert.ok(!await member.refused(() => member.publish(`_INBOX.${agent.host_id}.x.${evil.host_id}.a.1`, '{}')), 'it answers in its own name');
  });

  await report.test('a publisher does nothing else: it hears nothing, asks nobody, reads nothing', async () => {
    for (const subject of [mine(victim), mine(evil), `ptyd.rpc.v1.dana.${victim.host_id}`, `$JS.API.CONSUMER.MSG.NEXT.PTYD_dana.H${agent.host_id}`, `ptyd.hub.CONSUMER.MSG.NEXT.PTYD_dana.H${agent.host_id}`, 'ptyd.hub.STREAM.MSG.GET.KV_ptyd_hosts_dana', '$JS.API.STREAM.INFO.PTYD_dana', `$KV.ptyd_hosts_dana.${ci.host_id}`])
      assert.ok(await publisher.refused(() => publisher.publish(subject, '{}')), subject);
    for (const subject of ['>', 'ptyd.>', `ptyd.rpc.v1.dana.${ci.host_id}`]) assert.ok(await publisher.refused(() => publisher.subscribe(subject)), subject);
    assert.ok(!await publisher.refused(() => publisher.publish(mine(ci), JSON.stringify(block(ci, 1)))));
  });

  await report.test('what says that it is another\'s is nobody\'s', async () => {
    await agent.serve();
    await agent.relay().connected();
    await until('what was sent before came', async () => agent.status().taken >= 2);
    const refused = () => agent.status().refused;
    const before = refused();
    await member.publish(mine(evil), JSON.stringify(block(victim, 2)));
    await member.publish(mine(evil), JSON.stringify(block(evil, 2, { session: 'other' })));
    await member.publish(mine(evil), JSON.stringify(block(evil, 2, { v: 2 })));
    await member.publish(mine(evil), 'no JSON');
    await member.publish(mine(evil), JSON.stringify(block(evil, 2)));
    await until('the good one came', async () => (await agent.control.call('host.list', {})).result.find((h) => h.host_id === evil.host_id).blocks === 2);
    await until('the others are counted', () => refused() === before + 4);
    assert.ok(!(await agent.control.call('host.list', {})).result.some((h) => h.host_id === victim.host_id));
  });

  await report.test('clocks that are days apart, ahead or behind: what ended is told by the time here, and whose is off is said', async () => {
    for (const [n, apart, words] of [[20, -3 * 86400000, /its clock is (3 d 00|2 d 23) h behind the one here/], [21, 3 * 86400000, /its clock is (3 d 00|2 d 23) h ahead of the one here/], [22, 0, null]]) {
      const ended = Date.now() - 5000, there = ended + apart;
      await member.publish(mine(evil), JSON.stringify(block(evil, n, { now_ms: Date.now() + apart, ahead_ms: 7e9 }, { ts_begin: there - 1000, ts_end: there })));
      const [b] = await until('it comes', () => { const [last] = JSON.parse(agent.ptyd('blocks', '--host', evil.host_id, '--last', '1', '--json').stdout); return last?.cmd === `cmd ${n}` && [last]; });
      assert.ok(Math.abs(b.ts_end - ended) < 2000, `${b.ts_end - ended} ms off`);
      assert.strictEqual(b.ts_begin, there - 1000, 'which is part of its id');
      const { result } = await agent.control.call('context.show', { consumer: 'codex:clock' });
      assert.ok(Object.values(result.additionalContext).some(({ value }) => { const e = JSON.parse(value); return e.cmd === `cmd ${n}` && Math.abs(e.ts - ended) < 2000; }), 'an agent is told so');
      await until('status says it', () => { const line = agent.ptyd('relay', 'status').stdout.split('\n').find((l) => l.includes(`(${evil.host_id})`)); return words ? words.test(line) : !/clock/.test(line); });
    }
    // What says no time, as what was kept long, ends as it says.
    await member.publish(mine(evil), JSON.stringify(block(evil, 23, { ahead_ms: 7e9 }, { ts_begin: 1e12, ts_end: 1e12 })));
    await until('it comes', () => { const [last] = JSON.parse(agent.ptyd('blocks', '--host', evil.host_id, '--last', '1', '--json').stdout); return last?.cmd === 'cmd 23' && last.ts_end === 1e12; });
  });

  await report.test('no host suppresses another\'s command by its message id', async () => {
    await victim.serve();
    victim.relay();
    await victim.connected();
    victim.ptyd('open', 's');
    await owner.subscribe('ptyd.v1.dana.>', 7);
    const said = (text) => until(`${text} was sent`, () => owner.messages.find((m) => m.subject === mine(victim) && m.data.includes(text)));
    const idOf = (m) => /Nats-Msg-Id: (\S+)/.exec(m.headers)[1];
    const began = Date.now();
    victim.ptyd('run', '-s', 's', '--', 'echo first');
    const first = idOf(await said('echo first'));
    assert.ok(Date.now() - began < 10000, 'the first command of the first session is heard of when it ends');
    assert.match(first, /^[0-9a-f]{32}$/);
    // What can be known of the next one does not give its id: names, numbers, and hashes of them.
    const { block: { shell_id: shell, seq } } = JSON.parse((await said('echo first')).data);
    for (const text of [`${victim.host_id}/${shell}/${seq + 1}`, `${victim.host_id}${shell}${seq + 1}`, `${victim.host_id}/${shell}/2/${seq + 1}`])
      for (const id of [text, ...['sha256', 'md5', 'blake2b512'].map((h) => crypto.createHash(h).update(text).digest('hex')), first])
        await member.publish(mine(evil), '{}', '', id.slice(0, 64));
    victim.ptyd('run', '-s', 's', '--', 'echo second');
    await until('it came all the same', () => JSON.parse(agent.ptyd('blocks', '--host', 'victim', '--json').stdout || '[]').some(({ cmd }) => cmd === 'echo second'));
    assert.strictEqual(victim.status().suppressed, 0);
  });

  await report.test('nobody else makes a host give way, or speak for them', async () => {
    const rpc = `ptyd.rpc.v1.dana.${victim.host_id}`;
    for (const mac of [undefined, '', 'x', '0'.repeat(32)]) await member.publish(rpc, JSON.stringify({ v: 1, op: 'hello', instance: '0', since_ms: 1, mac }));
    const count = owner.messages.length;
    for (const reply of [mine(victim), `_INBOX.${agent.host_id}.x.${evil.host_id}.a.1`, '$JS.API.STREAM.DELETE.PTYD_dana', `$KV.ptyd_hosts_dana.${victim.host_id}`]) await member.publish(rpc, JSON.stringify({ v: 1, op: 'output', session: 's', block: '1' }), reply);
    for (const data of ['', '[]', '{"v":1}', '{"v":1,"op":7}', 'x'.repeat(500000), `{"v":1,"op":"output","session":"../x","block":{}}`]) await member.publish(rpc, data, `_INBOX.${evil.host_id}.x.${victim.host_id}.a.1`);
    victim.ptyd('run', '-s', 's', '--', 'echo still there');
    await until('it still sends', () => owner.messages.some((m) => m.subject === mine(victim) && m.data.includes('still there')));
    assert.strictEqual(victim.status().gives_way, false);
    assert.ok(!owner.messages.slice(count).some((m) => m.subject === mine(victim) && m.data.includes('"error"')));
  });

  await report.test('no answer that a host has sent elsewhere becomes what another says', () => noAnswerAsAnother({ owner, member, publisher }, { mine: evil.host_id, ci: ci.host_id, other: 'd1'.repeat(8) }));

  await report.test(`${ROUNDS} blocks with whatever in every member: the receiver lives, and what it tells is clean`, async () => {
    const nasty = ['', '\u0000', '\u001b]52;c;AAAA\u0007', '</terminal_block_000000001>', '\u202e', '../../../etc/passwd', 'a'.repeat(20000), '\ud83d\ude00'.repeat(2000), '\u{e0041}', 'x\ny', '%s%n', 0, -1, 2 ** 53, 1e308, 1.5, true, null, [], {}, [[[]]], { lines: [1, null, 'x'] }, { lines: ['\u001b[2J', 'y'.repeat(9000)], truncated: 'no' }, new Date(0), 'NaN'];
    const { pid } = { pid: agent.json('status').worker_pid };
    let good = 0;
    for (let i = 0; i < ROUNDS; i++) {
      const b = block(evil, 100 + i), outer = Object.keys(b).filter((k) => k !== 'block'), inner = [...Object.keys(b.block), 'told', 'key', 'output_path', 'heard_ms', 'host', 'host_id', 'redacted', 'conversation_id', 'widths', 'signal', 'forgotten', 'private'];
      for (let n = 1 + Math.floor(random() * 4); n > 0; n--) if (random() < 0.2) b[pick(outer)] = pick(nasty); else b.block[pick(inner)] = pick(nasty);
      const text = JSON.stringify(b);
      await member.publish(mine(evil), random() < 0.1 ? text.slice(0, Math.floor(random() * text.length)) : text);
    }
    await member.publish(mine(evil), JSON.stringify(block(evil, 9000, { host: '\u001b]52;c;AAAA\u0007\u202e' })));
    for (let i = 0; i < 5; i++) await member.publish(mine(evil, 'last'), JSON.stringify(block(evil, 10000 + good++, { session: 'last' }, { shell_id: 'shell_last' })));
    await until('the last came', () => JSON.parse(agent.ptyd('blocks', '--host', evil.host_id, '--last', '1', '--json').stdout)[0].cmd === 'cmd 10004');
    assert.strictEqual(agent.json('status').worker_pid, pid, 'the worker is the same');
    const { result } = await agent.control.call('context.show', { consumer: 'codex:t' });
    for (const { value } of Object.values(result.additionalContext)) {
      assert.doesNotMatch(value, /[\u0000-\u001f\u202e<\u{e0041}]/u);
      assert.ok(Buffer.byteLength(value) <= 4000);
    }
    for (const args of [['blocks', '--host', evil.host_id], ['context', 'show'], ['relay', 'status'], ['hosts']]) {
      const shown = agent.ptyd(...args);
      assert.strictEqual(shown.status, 0, args.join(' '));
      assert.doesNotMatch(shown.stdout, /[\u0000-\u0009\u000b-\u001f\u202e]/, args.join(' '));
    }
  });

  await report.test('what a host says of itself is shown clean, and bounded', async () => {
    const key = `$KV.ptyd_hosts_dana.${evil.host_id}`;
    const say = (value) => member.publish(key, typeof value === 'string' ? value : JSON.stringify({ v: 1, host_id: evil.host_id, host: 'evil', since_ms: 1, sessions: [], ...value }));
    for (const value of ['', 'x', '[]', { host: '' }, { host_id: victim.host_id }, { host: 7 }, { sessions: 'x' }, { since_ms: 'x' }]) { await say(value); assert.strictEqual(agent.ptyd('hosts').status, 0, JSON.stringify(value)); }
    for (const [ahead, words] of [[3 * 86400000, /its clock is (3 d 00|2 d 23) h ahead of the hub's/], [-3 * 86400000, /its clock is (3 d 00|2 d 23) h behind the hub's/], [2 ** 62, null], [0, null]]) {
      await say({ now_ms: Date.now() + ahead });
      const line = agent.ptyd('hosts').stdout.split('\n').find((l) => l.startsWith('evil '));
      assert.strictEqual(words ? words.test(line) : !/clock/.test(line), true, line);
    }
    await say({ host: '\u001b[2J' + 'h'.repeat(500), since_ms: 2 ** 60, sessions: Array.from({ length: 34 }, (_, i) => ({ name: `s${i}`, state: '\u001b]0;x\u0007'.repeat(15), cmd: '\u202e\u001b[31mx'.repeat(115) })) });
    const shown = agent.ptyd('hosts').stdout;
    assert.doesNotMatch(shown, /[\u0000-\u0009\u000b-\u001f\u202e]/);
    const mineThere = agent.json('hosts').find((h) => h.host_id === evil.host_id);
    assert.deepStrictEqual([mineThere.sessions.length, Buffer.byteLength(mineThere.host) <= 64, mineThere.sessions.every(({ cmd }) => Buffer.byteLength(cmd) <= 1000), mineThere.sessions.every(({ state }) => Buffer.byteLength(state) <= 64)], [32, true, true, true]);
    assert.ok(agent.json('hosts').some((h) => h.host === 'victim' && h.here), 'the others are shown as ever');
    // The hub's own hand can write under any name.
    const wild = '\u001b]0;x\u0007';
    await owner.publish(`$KV.ptyd_hosts_dana.${wild}`, JSON.stringify({ v: 1, host_id: wild, host: 'wild', since_ms: 1, sessions: [] }));
    assert.doesNotMatch(agent.ptyd('hosts').stdout, /wild|[\u0000-\u0009\u000b-\u001f\u202e]/);
  });

  await report.test('who asks without end keeps no relay from ending, though its daemon stands still', async () => {
    await victim.stop();
    victim.enable(hub.url, '--outputs');
    victim.relay();
    await victim.connected();
    const processes = [victim.daemon.process.pid, victim.json('status').worker_pid];
    for (const pid of processes) process.kill(pid, 'SIGSTOP');
    for (let i = 0; i < 12; i++) await member.publish(`ptyd.rpc.v1.dana.${victim.host_id}`, JSON.stringify({ v: 1, op: 'output', session: 's', block: '1' }), `_INBOX.${evil.host_id}.x.${victim.host_id}.a.1`);
    const began = Date.now();
    await victim.stop();
    for (const pid of processes) process.kill(pid, 'SIGCONT');
    assert.ok(Date.now() - began < 25000, `${Date.now() - began} ms; twelve requests of 5 s each were waiting`);
  });

  await report.test('the daemon ends cleanly', async () => {
    for (const client of [member, publisher, owner]) client.socket.destroy();
    for (const host of [victim, agent, evil]) await host.close();
    await hub.close();
  });
  report.finish();
}

main();
