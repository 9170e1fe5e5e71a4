// Deaths from outside, of every kind and at every moment, in floods that are innocent: nothing is quarantined,
// no shell and no byte is lost. KILLS of them; in `make check` some, in `make check-long` 1,000.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { workspace, removeWorkspace, Daemon, Report, until } = require('./harness');

const KILLS = Number(process.env.KILLS || 20);
const SIGNALS = ['SIGKILL', 'SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE'];

// The same sequence of moments for the same SEED.
let seed = Number(process.env.SEED || Date.now() % 1e6);
function random(below) {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return Math.floor((seed / 2147483648) * below);
}

// The keeper's only child that is no shell.
function workerOf(keeper, shells) {
  const children = fs.readFileSync(`/proc/${keeper}/task/${keeper}/children`, 'utf8').trim().split(' ').map(Number);
  return children.find((pid) => pid && !shells.includes(pid));
}

async function main() {
  const report = new Report({ limit: 300 + KILLS });
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  const stop = path.join(space.root, 'stop');

  await report.test(`${KILLS} deaths from outside (seed ${seed}): nothing is quarantined, every line came once`, async () => {
    const names = ['one', 'two', 'three'];
    for (const name of names) daemon.ptyd('open', name);
    const shells = daemon.json('list').map((session) => session.shell_pid);
    for (const name of names) // each line says its number; in between so much that workers rebuild for a while
      daemon.ptyd('send', '-s', name, `i=0; until [ -e ${stop} ]; do i=$((i+1)); echo "line $i"; done; echo "la"st $i`, '--key', 'Enter');
    const { keeper_pid: keeper } = daemon.json('status');
    const died = {};
    for (let kills = 0; kills < KILLS; kills++) {
      const pid = await until('a worker', () => workerOf(keeper, shells));
      // One of five lives for so long that the next is started at once again; others die early, in a rebuild.
      const life = kills % 5 === 4 ? 1100 : random(2) ? random(8) : random(80);
      await new Promise((resolve) => setTimeout(resolve, life));
      const signal = SIGNALS[random(SIGNALS.length)];
      process.kill(pid, signal);
      died[signal] = (died[signal] || 0) + 1;
      await until('it is gone', () => workerOf(keeper, shells) !== pid);
    }
    fs.writeFileSync(stop, '');
    console.log(`    ${Object.entries(died).map(([signal, count]) => `${signal} ${count}`).join(', ')}`);
    for (const name of names) {
      const raw = path.join(space.env.PTYD_STATE_DIR, 'conversations', name, 'agent_pty/output.raw');
      await until('the loop ends', () => /\nlast \d+\r\n/.test(fs.readFileSync(raw, 'latin1').slice(-4096)), 60000);
      const lines = [...fs.readFileSync(raw, 'latin1').matchAll(/line (\d+)\r\n/g)].map((match) => Number(match[1]));
      const first = lines[0], last = Number(/\nlast (\d+)\r\n/.exec(fs.readFileSync(raw, 'latin1').slice(-4096))[1]);
      assert.strictEqual(lines.length, last - first + 1);
      lines.forEach((number, at) => { if (number !== first + at) throw new Error(`line ${first + at} is ${number}`); });
      const block = await until('its block', () => { const all = daemon.ptyd('blocks', '-s', name, '--json'); return all.status === 0 && JSON.parse(all.stdout).find((one) => one.status !== 'running'); });
      assert.deepStrictEqual([block.seq, block.exit_code, block.preview.lines.at(-1)], [1, 0, `last ${last}`]);
    }
    const list = daemon.json('list');
    assert.deepStrictEqual(list.map((session) => session.state), ['prompt', 'prompt', 'prompt']);
    assert.deepStrictEqual(list.map((session) => session.shell_pid).sort(), shells.sort());
    const log = fs.readFileSync(path.join(space.root, 'daemon.log'), 'utf8');
    assert.doesNotMatch(log, /quarantined|spun/);
    assert.strictEqual(log.match(/worker ended/g).length, KILLS);
  });

  assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
