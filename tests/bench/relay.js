// relay.js: what one hub carries: HOSTS (1,000) simulated hosts (fleet.c), the distribution's nats-server with the configuration
// that `ptyd relay hub` prints, and one real reader: a daemon and `ptyd relay`, whose agents are told of all of it. First RATE (2)
// commands a second of each host for SECONDS (60), from when all are connected; then more and more, STEP_S (10) seconds each, until p99
// is beyond 150 ms or more is under way at the end than comes in half a second. Where RATE did not hold: half of it, until it holds,
// and more from there. SERIES=1: what was due in each second by itself. HUB_CONF: lines at the end of the hub's configuration
// ('prof_port: 6061', and /debug/pprof there says what the server does). CONNECTIONS=8: the hosts share so many; 0: each has its own.
// BYTES (600) of the end of each output. All of it, the hosts too, on this machine. Then, ROUNDS (8) times, what a command in a
// terminal takes whatever the hub does.
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { until } = require('../e2e/harness');
const { lacking, Host, Hub } = require('../e2e/hub');

const number = (name, otherwise) => Number(process.env[name] ?? otherwise);
const HOSTS = number('HOSTS', 1000), RATE = number('RATE', 2), SECONDS = number('SECONDS', 60), STEP_S = number('STEP_S', Math.min(10, SECONDS));
const KEEP = (process.env.KEEP || '').split(' ').filter(Boolean), CONNECTIONS = number('CONNECTIONS', 0), BYTES = number('BYTES', 600), MOST_MS = 150, FACTOR = number('FACTOR', 1.25), LEAST = 1 / 16, ROUNDS = number('ROUNDS', 8), SERIES = number('SERIES', 0);
const TICKS = Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout);

// Resident MiB, and seconds of processor time.
function usage(pid) {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8'), stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
  return { rss: Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024, cpu: (Number(stat[11]) + Number(stat[12])) / TICKS };
}

const COLUMNS = [['per s', 7], ['p50 ms', 8], ['p99 ms', 8], ['most ms', 9], ['ack p99', 8], ['behind', 7], ['lost', 5], ['hub MiB', 8], ['cpu', 5], ['relay MiB', 10], ['cpu', 5], ['worker MiB', 11], ['cpu', 5], ['hosts cpu', 10]];
const row = (cells) => console.log(cells.map((cell, i) => String(cell).padStart(COLUMNS[i][1])).join(''));

// What a command takes in a terminal while the hub is there, stands still or is away, and without a relay: by turns.
async function terminal() {
  const hub = await new Hub().place(), plain = await new Host('plain').serve(), host = await new Host('host').enable(hub.url).serve();
  hub.members.push(host);
  await hub.start();
  hub.init();
  await host.relay().connected();
  for (const h of [plain, host]) h.ptyd('open', 'work', '--shell', '/bin/bash');
  const times = {};
  async function some(what, h) {
    for (let i = 0; i < 25; i++) {
      const begun = process.hrtime.bigint();
      await h.control.call('session.run', { name: 'work', command: ':' });
      (times[what] ||= []).push(Number(process.hrtime.bigint() - begun) / 1e6);
    }
  }
  for (let round = 0; round < ROUNDS; round++) {
    await some('without a relay', plain);
    await host.connected();
    await some('the hub is there', host);
    process.kill(hub.process.pid, 'SIGSTOP');
    await some('the hub stands still', host);
    process.kill(hub.process.pid, 'SIGCONT');
    await hub.kill();
    await until('that is noticed', () => !host.status().connected);
    await some('the hub is away', host);
    await hub.start();
  }
  console.log('A command in a terminal, from its line until it has ended, ms:');
  for (const [what, list] of Object.entries(times)) {
    const sorted = list.sort((x, y) => x - y), at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))].toFixed(1).padStart(6);
    console.log(`  ${what.padEnd(22)} p50 ${at(0.5)}   p99 ${at(0.99)}   ${sorted.length} commands`);
  }
  await until('all that waited is sent', () => host.status().spool === 0 && host.status().sent >= 75 * ROUNDS);
  for (const h of [plain, host]) await h.close();
  await hub.close();
}

async function main() {
  const why = lacking();
  if (why) { console.log(`not measured: ${why}`); process.exit(1); }
  const hub = await new Hub({ keep: KEEP, edit: (text) => `${text}${process.env.HUB_CONF || ''}\n` }).place(), reader = new Host('reader').enable(hub.url);
  const keys = path.join(hub.space.root, 'keys');
  const made = spawnSync(process.env.FLEET, ['keys', String(HOSTS), keys], { encoding: 'utf8' });
  hub.publishers.push(...made.stdout.trim().split('\n').map((line) => { const [host_id, key] = line.split('='); return { host_id, key }; }));
  hub.members.push(reader);
  await hub.start();
  hub.init();
  await reader.serve();
  await reader.relay().connected();
  const directory = path.join(reader.space.env.PTYD_STATE_DIR, 'hosts');
  fs.mkdirSync(directory, { mode: 0o700, recursive: true });
  const processes = { hub: hub.process.pid, relay: reader.process.pid, worker: reader.json('status').worker_pid };
  const measured = () => Object.fromEntries(Object.entries(processes).map(([name, pid]) => [name, usage(pid)]));

  if (SERIES) console.log(`processes: ${Object.entries(processes).map(([name, pid]) => `${name} ${pid}`).join(', ')}`);

  // Hosts that are gone cost the hub, too: what comes next begins when that is done. Returns its seconds of processor time.
  async function rest() {
    const begun = usage(processes.hub).cpu;
    for (let last = begun, now; ; last = now) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      now = usage(processes.hub).cpu;
      if (now - last < 0.05) return now - begun;
    }
  }

  let first = 1;
  // Returns what became of it, with what the processes took meanwhile.
  async function run(rate, seconds) {
    const shared = CONNECTIONS ? [String(CONNECTIONS), hub.ownerFile] : [];
    const before = measured();
    const child = spawn(process.env.FLEET, ['run', keys, String(hub.port), 'dana', directory, String(rate), String(seconds), String(first), String(BYTES), ...shared], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '', most = 0, at;
    child.stdout.on('data', (data) => { text += data; });
    const timer = setInterval(() => { at = measured(); most = Math.max(most, at.hub.rss); }, 500); // while all are connected
    const code = await new Promise((resolve) => child.on('close', resolve));
    clearInterval(timer);
    if (code !== 0) throw new Error('the hosts failed');
    const after = measured(), result = JSON.parse(text), took = result.seconds + result.drained_ms / 1000;
    first += Math.ceil(result.due / HOSTS);
    const used = (name) => `${(100 * (after[name].cpu - before[name].cpu) / took).toFixed(0)}%`;
    row([Math.round(result.due / result.seconds), ...['p50', 'p99', 'most', 'ack_p99'].map((name) => result[name].toFixed(1)), result.backlog, result.due - result.heard,
      most.toFixed(0), used('hub'), after.relay.rss.toFixed(1), used('relay'), after.worker.rss.toFixed(1), used('worker'), `${(100 * result.cpu / took).toFixed(0)}%`]);
    if (SERIES) result.series.forEach((end, i) => console.log(`  second ${String(i + 1).padStart(3)}: end to end ${end.join(' / ')} ms, acknowledged ${(result.ack_series[i] || []).join(' / ')} ms (p50 / p99 / most)`));
    if (result.lost || result.twice || result.refused || result.duplicates) console.log(`  passed over ${result.lost}, came twice ${result.twice}, refused ${result.refused}, taken for known ${result.duplicates}`);
    const holds = result.p99 <= MOST_MS && result.heard === result.due && result.backlog <= result.due / result.seconds / 2;
    const each = (name, count) => (1000 * (after[name].cpu - before[name].cpu) / count).toFixed(2);
    const costs = `hub ${each('hub', result.acked)}, relay ${each('relay', result.heard)}, worker ${each('worker', result.heard)}, the hosts themselves ${(1000 * result.cpu / result.acked).toFixed(2)}`;
    const leaving = await rest();
    return { ...result, costs, holds, leaving, perSecond: Math.round(result.due / result.seconds) };
  }

  console.log(`${HOSTS} hosts, ${CONNECTIONS ? `${CONNECTIONS} connections in all` : 'a connection each'}, one reader; ${spawnSync('nats-server', ['--version'], { encoding: 'utf8' }).stdout.trim()}; ${os.cpus().length} processors (${os.cpus()[0].model.trim()}), Linux ${os.release()}`);
  row(COLUMNS.map(([name]) => name));
  const asked = await run(RATE, SECONDS);
  let best = asked.holds ? asked : null, rate = RATE, most = Infinity;
  while (!best && rate > LEAST) {
    most = rate;
    const less = await run(rate /= 2, STEP_S);
    if (less.holds) best = less;
  }
  while (best && rate * FACTOR < most) {
    const more = await run(rate *= FACTOR, STEP_S);
    if (!more.holds) break;
    best = more;
  }
  const status = reader.status();
  console.log(`All were connected, one behind another, after ${(asked.connecting_ms / 1000).toFixed(1)} s; that they left all at once took ${asked.leaving.toFixed(1)} s of the hub's processor. Both are in none of these.`);
  console.log(`A command is ${asked.bytes} bytes; from when it is due at its host until it is on offer and on the reader's disk. cpu: of one processor.`);
  console.log(`${RATE} a second of each: p99 ${asked.p99.toFixed(1)} ms, asked for at most ${MOST_MS}: ${asked.holds ? 'held' : 'NOT held'}. Highest rate that held: ${best ? `${best.perSecond} a second (p99 ${best.p99.toFixed(1)} ms)` : 'none of these'}.`);
  console.log(`Processor time of a command at that rate, ms: ${asked.costs}.`);
  if (status.error) console.log(`the reader's last error: ${status.error}`);
  await reader.close();
  await hub.close();
  if (ROUNDS) await terminal();
}

main().catch((e) => { console.error(e); process.exit(1); });
