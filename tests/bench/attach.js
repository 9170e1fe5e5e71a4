// What stands between a person and the shell, in time: the shell directly in the terminal, behind a relay that
// reads and writes and does nothing else (between.c: what a second terminal costs; where that alone misses a reach it is said),
// in dtach, in tmux, and in bare ptyd; the terminal is tests/outer, without a screen. Rounds are interleaved, and within a
// round every contender goes through a measure before the next one begins. Times are medians of the
// rounds, echoes are of all keys of all rounds; ratios are medians of the rounds' ratios, those of echoes
// of the figures.
// ROUNDS=5; KEYS=300 a round; ONLY='echo': measures of that name; OF='ptyd dtach': these alone; PTYD=path.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, PTYD, until } = require('../e2e/harness');
const { Outer, hex } = require('../e2e/outer');

const BETWEEN = process.env.BETWEEN || path.join(__dirname, '../../build/between');
const ROUNDS = Number(process.env.ROUNDS || 5);
const KEYS = Number(process.env.KEYS || 300);
const BESIDE = ['plain', 'relay', 'dtach', 'tmux'];
const STARTS = 5; // a round
const LINES = 2000000;
const FLOOD = `yes ${'flood '.repeat(12)}`;
const PATIENCE_MS = 120000;

const space = workspace();
const env = { ...space.env, TERM: 'xterm-256color', COLORTERM: 'truecolor', TMUX_TMPDIR: space.root };
const place = (name) => path.join(space.root, name);
fs.writeFileSync(place('tmux.conf'), 'set -g status off\nset -g history-limit 10000\nset -g exit-empty off\n');
const quietly = (...command) => spawnSync(command[0], command.slice(1), { env, cwd: space.home, stdio: 'ignore' });
const tmux = ['tmux', '-S', place('tmux'), '-f', place('tmux.conf')];
let count = 0;

// How each shows a shell, and floods where no one looks, in the same server where it has one; flood()
// returns what ends it.
const contenders = {
  plain: {
    shell: () => ['bash'],
    flood: () => { const outer = new Outer(env, FLOOD.split(' ').filter(Boolean), { blind: true, log: false }); return () => outer.end(); },
  },
  relay: {
    shell: () => [BETWEEN, 'bash'],
    flood: () => { const outer = new Outer(env, [BETWEEN, ...FLOOD.split(' ').filter(Boolean)], { blind: true, log: false }); return () => outer.end(); },
  },
  dtach: {
    shell: () => ['dtach', '-A', place(`dtach-${++count}`), '-E', '-z', 'bash'],
    flood: () => { const child = spawn('dtach', ['-N', place('flood'), '-E', '-z', 'sh', '-c', `exec ${FLOOD}`], { env, stdio: 'ignore' }); return () => { child.kill(); fs.rmSync(place('flood'), { force: true }); }; },
  },
  tmux: {
    begin: () => quietly(...tmux, 'start-server'),
    shell: () => [...tmux, 'new-session', 'bash'],
    flood: () => { quietly(...tmux, 'new-session', '-d', '-s', 'flood', FLOOD); return () => quietly(...tmux, 'kill-session', '-t', 'flood'); },
    end: () => quietly(...tmux, 'kill-server'),
  },
  ptyd: {
    begin: async () => {
      contenders.ptyd.daemon = spawn(PTYD, ['serve'], { env, stdio: 'ignore', detached: true });
      await until('the daemon answers', () => quietly(PTYD, 'status').status === 0);
    },
    shell: () => [PTYD],
    flood: () => { quietly(PTYD, 'open', 'flood', '--size', '80x24', '--', 'sh', '-c', `exec ${FLOOD}`); return () => quietly(PTYD, 'close', 'flood'); },
    end: () => new Promise((resolve) => { contenders.ptyd.daemon.on('exit', resolve); contenders.ptyd.daemon.kill(); }),
  },
};

async function answered(promise) {
  const answer = await promise;
  if (answer.error) throw new Error(answer.error);
  return answer;
}
const came = (outer, text) => answered(outer.ask('await', hex(text), PATIENCE_MS));

// A terminal with a prompt in it, and how long that took.
async function shell(name) {
  const outer = new Outer(env, contenders[name].shell(), { blind: true, log: false, cwd: space.home });
  const { us } = await came(outer, '$ ');
  return { outer, us };
}

async function leave(outer) {
  await outer.type('exit\r');
  const timer = setTimeout(() => outer.process.stdin.end(), 5000);
  await outer.ended;
  clearTimeout(timer);
  await outer.end();
}

async function inShell(name, body) {
  const { outer } = await shell(name);
  const result = await body(outer);
  await leave(outer);
  return result;
}

async function start(name) {
  const all = [];
  for (let i = 0; i < STARTS; i++) {
    const { outer, us } = await shell(name);
    all.push(us);
    await leave(outer);
  }
  return { ms: median(all) / 1000 };
}

const echo = (name) => inShell(name, async (outer) => {
  await outer.type('echo rea""dy; cat >/dev/null; :\r'); // a shell that still edits its line echoes nothing by itself
  await came(outer, 'ready');
  const { us } = await outer.ask('keys', KEYS);
  await outer.type('\x03');
  await came(outer, '$ ');
  return { us };
});

// What the flood has written so far.
function flooded() {
  for (const pid of fs.readdirSync('/proc').filter(Number)) {
    try {
      if (fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('yes\0flood\0'))
        return Number(/wchar: (\d+)/.exec(fs.readFileSync(`/proc/${pid}/io`, 'utf8'))[1]);
    } catch { /* it ended meanwhile */ }
  }
  return 0;
}

async function echoBeside(name) {
  const end = await contenders[name].flood();
  const before = flooded(), began = process.hrtime.bigint();
  const result = await echo(name);
  const beside = (flooded() - before) * 1000 / Number(process.hrtime.bigint() - began);
  await end();
  return { ...result, beside };
}

// A command's output of so many bytes, until the last one is there.
const output = (command, bytes) => (name) => inShell(name, async (outer) => {
  await outer.type(`${command}; echo e""nd\r`);
  const got = await came(outer, 'end');
  return { ms: got.us / 1000, arrived: got.bytes / bytes };
});

// Lines into cat, as people do it: they are echoed; an end of file behind them.
const paste = (mb) => (name) => inShell(name, async (outer) => {
  const bytes = mb * 1e6, file = place(`paste-${mb}`), copy = place('copy');
  fs.writeFileSync(file, `${'a line that was pasted\n'.repeat(Math.ceil(bytes / 23)).slice(0, bytes - 1)}\n\x04`);
  await outer.type(`echo rea""dy; cat >${copy}; echo e""nd\r`);
  await came(outer, 'ready');
  await outer.ask('paste', file);
  const { us } = await came(outer, 'end');
  return { ms: us / 1000, arrived: fs.statSync(copy).size / bytes };
});

const interrupt = (name) => inShell(name, async (outer) => {
  await outer.ask('rate', 1e6);
  await outer.type('seq 100000000\r');
  await until('three seconds of it', async () => (await outer.ask('counts')).received > 3e6, PATIENCE_MS);
  await outer.type('\x03');
  return { ms: (await came(outer, '$ ')).us / 1000 };
});

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}
const at = (values, part) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.round(values.length * part))];

const digits = (n) => Array.from({ length: String(n).length }, (_, i) => (Math.min(n, 10 ** (i + 1) - 1) - 10 ** i + 1) * (i + 1)).reduce((a, b) => a + b);

function big() {
  const line = `${'x'.repeat(78)}\n`, file = place('big');
  fs.writeFileSync(file, line.repeat(Math.ceil(50e6 / 79)));
  return { file, bytes: fs.statSync(file).size + Math.ceil(50e6 / 79) };
}

// name, what is done, and the reach: of what, how much at most (ms: of nothing).
function measures() {
  const { file, bytes } = big();
  return [
    ['start to prompt', start, ['dtach', 1.2]],
    ['echo, idle', echo, ['tmux', 1]],
    ['echo, flood beside', echoBeside, ['tmux', 1]],
    ['seq 2M', output(`seq ${LINES}`, digits(LINES) + 2 * LINES), ['dtach', 1.1]],
    ['50 MB', output(`cat ${file}`, bytes), ['dtach', 1.1]],
    ['paste 1 MB', paste(1)],
    ['paste 8 MB', paste(8), ['plain', 1.1]],
    ['Ctrl-C at 1 MB/s', interrupt, ['ms', 500]],
  ].filter(([name]) => new RegExp(process.env.ONLY || '').test(name));
}

const print = (cells) => console.log(`  ${cells[0].padEnd(24)}${cells.slice(1).map((c) => String(c).padStart(11)).join('')}`);
const shown = (ms) => (ms < 10 ? `${Math.round(ms * 1000)} us` : ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(2)} s`);

// One line: a figure of each, what ptyd's is of each, and whether that is within reach; and another where the bare relay is not.
function line(name, figures, ratio, reach) {
  const names = Object.keys(figures);
  const cells = names.map((n) => shown(figures[n]));
  for (const other of BESIDE) cells.push(!figures.ptyd || figures[other] === undefined ? '-' : ratio('ptyd', other).toFixed(2));
  if (reach && figures.ptyd && (reach[0] === 'ms' || figures[reach[0]])) {
    const [of, most] = reach, value = of === 'ms' ? figures.ptyd : ratio('ptyd', of);
    cells.push(`${value <= most ? 'reached' : 'missed'} (${of === 'ms' ? `${most} ms` : `${most} ${of}`})`.padStart(22));
  }
  print([name, ...cells]);
  const [of, most] = reach || [];
  if (figures.relay && figures[of] && ratio('relay', of) > most)
    print([`  the bare relay: ${ratio('relay', of).toFixed(2)} of ${of}'s; the reach is ${most}`]);
}

function report(name, rounds, reach) {
  const names = Object.keys(rounds[0]);
  if (rounds[0][names[0]].us) {
    for (const [what, part] of [['p50', 0.5], ['p99', 0.99]]) {
      const figures = Object.fromEntries(names.map((n) => [n, at(rounds.flatMap((r) => r[n].us), part) / 1000]));
      line(`${name}, ${what}`, figures, (one, other) => figures[one] / figures[other], reach);
    }
    if (rounds[0][names[0]].beside)
      print(['  the flood meanwhile', ...names.map((n) => `${median(rounds.map((r) => r[n].beside)).toFixed(1)} MB/s`)]);
    return;
  }
  const figures = Object.fromEntries(names.map((n) => [n, median(rounds.map((r) => r[n].ms))]));
  line(name, figures, (one, other) => median(rounds.map((r) => r[one].ms / r[other].ms)), reach);
  if (rounds[0][names[0]].arrived)
    print(['  of its bytes arrived', ...names.map((n) => `${(100 * Math.min(...rounds.map((r) => r[n].arrived))).toFixed(1)} %`)]);
}

async function main() {
  const wanted = process.env.OF?.split(' ');
  const names = Object.keys(contenders).filter((n) => !wanted || wanted.includes(n)).filter((n) => {
    const here = ['plain', 'relay', 'ptyd'].includes(n) || quietly('which', n).status === 0;
    if (!here) console.log(`skipped - ${n}: make deps-bench installs it`);
    return here;
  });
  console.log(`${ROUNDS} rounds, ${KEYS} keys each; what ptyd's time is of each other's`);
  print(['', ...names, ...BESIDE.map((n) => `/${n}`), 'reach']);
  for (const n of names) await contenders[n].begin?.();
  const list = measures(), results = list.map(() => []), without = new Set();
  for (let round = 0; round < ROUNDS; round++) {
    const order = names.map((_, i) => names[(i + round) % names.length]);
    for (const [i, [what, measure]] of list.entries()) {
      const result = {};
      for (const n of order) {
        try {
          result[n] = await measure(n);
        } catch (error) {
          if (n === 'ptyd') throw new Error(`${what}, ${n}: ${error.message}`);
          console.log(`  ${what}, ${n}: ${error.message}; it has no figure there`);
          without.add(`${what} ${n}`);
        }
      }
      results[i].push(result);
    }
  }
  list.forEach(([name, , reach], i) => report(name, results[i].map((of) => Object.fromEntries(names.filter((n) => !without.has(`${name} ${n}`)).map((n) => [n, of[n]]))), reach));
  for (const n of names) await contenders[n].end?.();
  await Outer.endAll();
  removeWorkspace(space);
}

main().catch((error) => { console.error(error); process.exit(1); });
