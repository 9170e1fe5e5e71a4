// agents.js: from a command's Enter until its block has ended, and until its context can be read by an agent; beside the
// way of a terminal whose markers are polled and whose screen is pyte's (way-pyte.py). And searches in 50 MB of output.
// ROUNDS=200 of ptyd, OTHERS=50 of the other way; SEARCHES=20.
'use strict';
const path = require('node:path');
const fs = require('node:fs');
const { spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Control, Client, PTYD } = require('../e2e/harness');

const ROUNDS = Number(process.env.ROUNDS || 200), OTHERS = Number(process.env.OTHERS || 50), SEARCHES = Number(process.env.SEARCHES || 20);
const COMMANDS = ['true', 'seq 20', 'seq 2000'];
const LINES = 250000; // of 40 bytes; five commands print 50 MB

const now = () => Number(process.hrtime.bigint()) / 1e6;
const at = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];

function show(what, times) {
  const sorted = [...times].sort((a, b) => a - b);
  console.log(`  ${what.padEnd(44)} p50 ${at(sorted, 0.5).toFixed(1).padStart(7)} ms   p99 ${at(sorted, 0.99).toFixed(1).padStart(7)} ms`);
}

// A round: the command is typed by session.run, whose answer is the block's end; then the context is asked for.
async function measure(control, command) {
  const ended = [], ready = [];
  for (let i = 0; i < ROUNDS; i++) {
    const begun = now();
    const { result } = await control.ask('session.run', { name: 'work', command });
    ended.push(now() - begun);
    const { result: shown } = await control.ask('context.show', { session: 'work' });
    if (!JSON.stringify(shown.additionalContext).includes(result.block.block_id)) throw new Error('the context has not the block');
    ready.push(now() - begun);
  }
  show(`ptyd: ${command}: block has ended`, ended);
  show(`ptyd: ${command}: context is ready`, ready);
}

// Debian's python3-pyte is Debian's python3's.
const PYTHON = fs.existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';

function measureOther(command) {
  const { status, stdout, stderr } = spawnSync(PYTHON, [path.join(__dirname, 'way-pyte.py'), String(OTHERS), command], { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) {
    console.log(`  not measured, the other way: ${/ModuleNotFoundError/.test(stderr) ? 'apt-get install python3-pyte' : stderr.trim()}`);
    return;
  }
  const rounds = JSON.parse(stdout);
  show(`polled, pyte: ${command}: block has ended`, rounds.map(([ended]) => ended));
  show(`polled, pyte: ${command}: context is ready`, rounds.map(([, ready]) => ready));
}

async function search(space, daemon) {
  const file = path.join(space.root, 'print.awk');
  fs.writeFileSync(file, `BEGIN { for (i = 0; i < ${LINES}; i++) printf "%08d of %s: nothing to be seen here\\n", i, session }\n`);
  for (const part of ['one', 'two', 'three', 'four', 'five']) daemon.ptyd('run', '-s', 'work', '--timeout', '600', '--', `awk -v session=${part} -f ${file}`);
  const time = (...args) => { const begun = now(), { status } = daemon.ptyd(...args); if (status !== 0) throw new Error(args.join(' ')); return now() - begun; };
  const many = (...args) => Array.from({ length: SEARCHES }, () => time(...args));
  show('search: the index is made', [time('search', '00123456 of three')]);
  show('search: a line that is in one of them', many('search', '00123456 of three'));
  show('search: a regular expression', many('search', '--regex', '001234[0-9]6 of th'));
  const mcp = new Client(PTYD, ['mcp', '-s', 'work'], { env: space.env });
  await mcp.request('initialize', { protocolVersion: '2025-06-18', capabilities: {} });
  const asked = async (name, args) => {
    const times = [];
    for (let i = 0; i < SEARCHES; i++) {
      const begun = now();
      const { result } = await mcp.request('tools/call', { name, arguments: args }, undefined, 120000);
      if (!result || result.isError) throw new Error(`${name}: ${JSON.stringify(result)}`);
      times.push(now() - begun);
    }
    return times;
  };
  const { block_id: id } = daemon.json('blocks', '-s', 'work', '--last', '1')[0];
  show('an agent: search', await asked('search', { query: '00123456 of three' }));
  show('an agent: block_output, grep in 10 MB', await asked('block_output', { block_id: id, grep: '00249999 of' }));
  await mcp.end();
}

async function main() {
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  daemon.ptyd('open', 'work');
  const control = new Control(space.env.PTYD_SOCKET);
  for (const command of COMMANDS) {
    console.log(`${command}:`);
    await measure(control, command);
    measureOther(command);
  }
  console.log('50 MB of output:');
  await search(space, daemon);
  control.socket.destroy();
  await daemon.stop();
  removeWorkspace(space);
}

main();
