// Five hosts that work and one with the agent, a hub: relays, workers and the hub are killed, cables pulled, and the hub's
// disk filled, at random moments. Every command of the five comes to the sixth, once, in its shell's order. BLOCKS (250) of all hosts; SEED repeats
// one. A cable is a pair of interfaces between network namespaces, the disk a file system in memory; where neither can be made
// the hub is stopped instead.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { Report, randomFrom, until, killWorker } = require('./harness');
const { lacking, apart: runApart, Host, Hub, Heard } = require('./hub');

const BLOCKS = Number(process.env.BLOCKS || 250), HOSTS = 6, EACH = BLOCKS / (HOSTS - 1);
const SEED = Number(process.env.SEED || Date.now() % 100000);
const ADDRESS = '10.77.0.1';
const DISK = (8 << 20) + BLOCKS * 2048;

const sh = (text) => spawnSync('sh', ['-c', text], { encoding: 'utf8' });

// This file again in namespaces of its own, in which it may make others; null where there are none.
function inNamespace() {
  if (sh('command -v openssl').status !== 0) return null;
  return runApart(__filename, 'n', 'ip link add near type veth peer name far && mount -t tmpfs none /mnt', `ip link set lo up; ip addr add ${ADDRESS}/32 dev lo`);
}

// A host whose relay is in a namespace of its own, at the end of a cable.
class Apart extends Host {
  constructor(name, number) { super(name); this.number = number; }

  relay() {
    const net = `10.77.${this.number}`;
    super.relay(['unshare', '-n', 'sh', '-c', `until ip addr add ${net}.2/24 dev far 2>/dev/null; do sleep 0.02; done; ip link set lo up; ip link set far up; ip route add default via ${net}.1; exec "$0" "$@"`]);
    const near = `near${this.number}`;
    const made = () => sh(`ip link add ${near} type veth peer name far netns ${this.process.pid} && ip addr add ${net}.1/24 dev ${near} && ip link set ${near} up`).status === 0;
    // Behind a kill the pair of before goes with its namespace, a little later; and this one has to be there yet.
    const place = (pid) => { try { return fs.readlinkSync(`/proc/${pid}/ns/net`); } catch { return ''; } };
    return until(`${this.name} has a cable`, () => { if (place(this.process.pid) === place('self')) return false; sh(`ip link del ${near}`); return made(); });
  }

  cut(down) { sh(`ip link set near${this.number} ${down ? 'down' : 'up'}`); }
}

async function main() {
  const report = new Report({ limit: 1200 });
  const why = lacking();
  const apart = Boolean(process.env.RELAY_NAMESPACE);
  if (!why && !apart) {
    const child = inNamespace();
    if (child) { child.on('exit', (code) => process.exit(code ?? 1)); return; }
  }
  if (why) {
    report.skip('hosts, hub and cables', why);
    report.finish();
    return;
  }
  console.log(`# SEED=${SEED}`);
  const random = randomFrom(SEED), pick = (list) => list[Math.floor(random() * list.length)];
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const certificate = (file) => path.join(hub.space.root, file);
  const hub = await new Hub({
    keep: ['--per-session', String(BLOCKS + 1)],
    disk: apart ? DISK : 0,
    edit: (text) => (apart ? text.replace(/listen: .*/, `listen: "0.0.0.0:${hub.port}"\ntls { cert_file: "${certificate('hub.crt')}", key_file: "${certificate('hub.key')}" }`) : text),
  }).place();
  const url = apart ? `tls://${ADDRESS}:${hub.port}` : hub.url, ca = apart ? ['--ca', certificate('hub.crt')] : [];
  if (apart) assert.strictEqual(sh(`openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=hub -addext subjectAltName=IP:${ADDRESS} -keyout ${certificate('hub.key')} -out ${certificate('hub.crt')}`).status, 0);
  const hosts = Array.from({ length: HOSTS }, (_, i) => (apart && i > 2 ? new Apart(`h${i}`, i) : new Host(`h${i}`)));
  const [agent, ...others] = hosts;

  await report.test('five hosts, one with the agent, and a hub', async () => {
    for (const host of hosts) host.enable(url, ...ca);
    hub.members.push(...hosts);
    await hub.start();
    hub.ptyd('hub', '--init', '--url', url, ...ca, '--creds', hub.ownerFile, ...hosts.flatMap((h) => ['--member', h.host_id]), ...hub.keep);
    for (const host of hosts) await host.serve();
    for (const host of hosts) await host.relay();
    for (const host of hosts) await host.connected();
    for (const host of others) host.ptyd('open', 'w', '--shell', '/bin/bash');
  });

  const told = [], heard = new Heard(agent);
  let done = false, deaths = 0;

  // Types on every host, some lines ahead; a worker that dies in between says how many it has.
  async function type(host) {
    for (let next = 0; next < EACH;) {
      const count = Math.min(20, EACH - next), last = next + count;
      const lines = Array.from({ length: count }, (_, i) => `echo ${host.name}-${next + i}\n`).join('');
      assert.strictEqual(host.ptyd('run', '-s', 'w', '--', `:`).status, 0); // a prompt
      const token = 1 + Math.floor(Math.random() * 2 ** 40);
      const ask = await host.control.ask('session.input', { name: 'w', data: Buffer.from(lines).toString('base64'), token });
      if (!ask?.result) await until('what was typed is known', async () => (await host.control.call('session.typed', { name: 'w', token })).result);
      await until(`${host.name} ran ${last}`, async () => (await host.control.call('session.blocks', { name: 'w', last: 1 })).result[0]?.cmd === `echo ${host.name}-${last - 1}`);
      next = last;
    }
  }

  // An agent that is told, turn by turn. What came is read as it comes: of two files the older one goes.
  async function listen() {
    while (!done) {
      heard.read();
      const { result } = await agent.control.call('context.take', { consumer: 'codex:t', expires: true });
      if (result?.lease) {
        await agent.control.call('context.commit', { lease: result.lease, receipt: result.receipt });
        for (const { value } of Object.values(result.additionalContext)) if (JSON.parse(value).block_id) told.push(JSON.parse(value).block_id);
      }
      await pause(50);
    }
  }

  // Full for a while, its server ended while it is or behind that: by SIGTERM, which it need not hear, with a deadline.
  const ends = {};
  async function fullDisk() {
    hub.fill();
    await pause(500 + random() * 3000);
    const first = random() < 0.5;
    if (first) hub.empty();
    const how = await hub.end(1000);
    ends[how] = (ends[how] || 0) + 1;
    if (!first) hub.empty();
    await hub.start();
  }

  const harms = {
    relay: async () => { const host = pick(hosts); await host.stop('SIGKILL'); await pause(random() * 500); await host.relay(); },
    hub: async () => { await hub.kill(); await pause(random() * 1000); await hub.start(); },
    worker: async () => killWorker(agent.daemon),
    still: async () => { hub.process.kill('SIGSTOP'); await pause(random() * 1500); hub.process.kill('SIGCONT'); },
    ...(apart && { disk: fullDisk }),
    ...(apart && { cable: async () => { const host = pick(hosts.slice(3)); host.cut(true); await pause(500 + random() * 3000); host.cut(false); } }),
  };
  const counts = Object.fromEntries(Object.keys(harms).map((name) => [name, 0]));

  async function harm() {
    while (!done) {
      const name = pick(Object.keys(harms));
      await harms[name]();
      counts[name]++;
      deaths++;
      await pause(300 + random() * 2000);
    }
  }

  const numbers = (host) => heard.lines.filter((line) => line.host === host.name && line.cmd.startsWith('echo ')).map((line) => Number(line.cmd.split('-')[1]));

  await report.test(`${BLOCKS} commands, while everything is killed and cut: none lost, none twice, in order`, async () => {
    const began = Date.now(), listening = listen(), harming = harm();
    await Promise.all(others.map(type));
    const all = () => { heard.read(); return others.every((host) => numbers(host).length >= EACH); };
    await until('all of it came', all, 1000000).finally(() => { done = true; });
    await Promise.all([listening, harming]);
    heard.read();
    for (const host of others) assert.deepStrictEqual(numbers(host), Array.from({ length: EACH }, (_, i) => i), host.name);
    const ids = heard.lines.map(({ block_id: id }) => id);
    assert.strictEqual(new Set(ids).size, ids.length, 'kept twice');
    assert.strictEqual(new Set(told).size, told.length, 'told twice');
    for (const host of (await agent.control.call('host.list', {})).result) assert.deepStrictEqual([host.missing, host.clashes], [0, 0], host.host);
    console.log(`# ${ids.length} commands in ${((Date.now() - began) / 1000).toFixed(0)} s, ${deaths} harms (${Object.entries(counts).map(([n, c]) => `${n} ${c}`).join(', ')}; behind a full disk ${JSON.stringify(ends)}), ${told.length} told`);
  });

  await report.test('the daemon ends cleanly', async () => {
    for (const host of hosts) await host.close();
    await hub.close();
  });
  report.finish();
}

main();
