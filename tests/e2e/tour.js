// README's commands, line by line, as a new user would type them: each line of its code that stands for a command is
// run, and none is run that does not stand there. Usage: node tour.js
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { PTYD, workspace, removeWorkspace, Client, Report, until } = require('./harness');
const { Outer } = require('./outer');

const README = fs.readFileSync(path.resolve(__dirname, '../../README.md'), 'utf8');
const STANDIN = process.env.STANDIN || path.join(path.dirname(PTYD), 'standin');

const COMMANDS = README.match(/^## (.* commands)$/m)[1];

// The code of a section: its indented lines, without what is said behind them.
function code(section) {
  const text = README.split(`\n## ${section}\n`)[1].split('\n## ')[0];
  return text.split('\n').filter((line) => line.startsWith('    ')).map((line) => line.trim().replace(/ {3,}.*$/, ''));
}

async function main() {
  const report = new Report();
  const space = workspace();
  const bin = path.join(space.root, 'bin');
  fs.mkdirSync(bin);
  fs.symlinkSync(PTYD, path.join(bin, 'ptyd'));
  fs.symlinkSync(STANDIN, path.join(bin, 'codex')); // an app-server
  fs.writeFileSync(path.join(space.home, 'Makefile'), 'all:\n\t@echo built with $(MAKEFLAGS)\n');
  const log = path.join(space.root, 'heard');
  const { PTYD_STATE_DIR: state, ...others } = space.env;
  const env = { ...others, PATH: `${bin}:${others.PATH}`, TERM: 'xterm-256color', STANDIN_LOG: log, XDG_STATE_HOME: path.join(space.home, '.local/state') };
  const sh = (line) => spawnSync('sh', ['-c', line], { env, cwd: space.home, encoding: 'utf8', timeout: 120000 });
  // On a busy machine some say what they wait for.
  const said = (r) => r.stderr.replace(/^ptyd: (waits for session|the daemon is busy).*\n/gm, '');
  const ok = (line) => { const r = sh(line); assert.deepStrictEqual([r.status, said(r)], [0, ''], `${line}: ${r.stdout}`); return r.stdout; };
  const keeper = () => JSON.parse(ok('ptyd status --json')).keeper_pid;

  // What each line does.
  const seven = {
    ptyd: async (line) => {
      const outer = new Outer(env, ['sh', '-c', line], { cwd: space.home });
      await outer.expect('$ ');
      await outer.type('ptyd inside && echo it\\ is\r');
      await outer.expect('it is');
      await outer.type('exit 3\r');
      assert.strictEqual(await outer.ended, 3, "the shell's own status");
      await outer.end();
    },
    'ptyd open work': (line) => {
      assert.match(ok(line), /^Session work runs\. `ptyd attach work` shows it\.$/m);
      for (let i = 1; i <= 10; i++) ok('ptyd run -s work -- true'); // the commands below are the 11th and the 12th
    },
    'ptyd run -s work -- make -j4': (line) => assert.match(ok(line), /^built with .*-j4/m),
    'ptyd expect -s work --prompt --send make --key Enter': (line) => ok(line),
    'ptyd record -s work --from 12 --share -o fix.cast': (line) => {
      assert.strictEqual(sh(line).status, 0);
      assert.match(fs.readFileSync(path.join(space.home, 'fix.cast'), 'utf8'), /^\{"version": ?3,[^]*built with/);
    },
    'ptyd last -s work': (line) => assert.match(ok(line), /built with/),
    'ptyd context show -s work': (line) => assert.match(ok(line), /^12 commands pending, 10 kept:\n[^]*make -j4\n {7}\| built with/),
    'ptyd proxy -s work -- codex app-server': async (line) => {
      const client = new Client('sh', ['-c', `exec ${line}`], { env, cwd: space.home });
      await client.initialize();
      const { result } = await client.request('thread/start', {});
      await until('it is told', async () => { // a daemon that is busy is not waited for: then a later turn carries it
        const answer = await client.request('turn/start', { threadId: result.thread.id, input: [{ type: 'text', text: 'why?' }] });
        assert.ok(answer.result, JSON.stringify(answer));
        return /terminal_block_\d{9}[^\n]*make -j4/.test(fs.readFileSync(log, 'utf8'));
      });
      assert.strictEqual(await client.end(), 0);
    },
  };
  const profile = code(COMMANDS).find((line) => line.startsWith('case '));
  const rest = {
    'ptyd enable shell': (line) => {
      ok(line);
      assert.strictEqual(fs.readFileSync(path.join(space.home, '.bashrc'), 'utf8').split('\n').some((written) => written.startsWith(profile)), true);
      ok('ptyd disable shell');
      assert.strictEqual(fs.readFileSync(path.join(space.home, '.bashrc'), 'utf8'), 'PS1="\\$ "\n');
    },
    [profile]: () => {}, // what that line wrote
  };
  const cleaning = {
    'ptyd close work': (line) => ok(line),
    'ptyd disable codex': (line) => ok(line),
    'systemctl --user disable --now ptyd.socket': (line) => { // it would change the machine: the unit is one of ours
      assert.ok(fs.existsSync(path.resolve(__dirname, '../../systemd', line.split(' ').at(-1))));
    },
    'rm -r ~/.local/state/ptyd': async (line) => {
      const pid = keeper();
      process.kill(pid, 'SIGTERM'); // "whenever no daemon runs"
      await until('it is gone', () => !fs.existsSync(`/proc/${pid}`));
      ok(line);
      assert.deepStrictEqual(fs.readdirSync(path.join(space.home, '.local/state')), []);
    },
  };

  for (const [section, steps] of [[COMMANDS, { ...seven, ...rest }], ['Cleaning up', cleaning]]) {
    await report.test(`${section}: README has these lines, in this order`, () => assert.deepStrictEqual(code(section), Object.keys(steps)));
    for (const [line, step] of Object.entries(steps)) {
      await report.test(`${section}: ${line.slice(0, 70)}`, () => step(line));
    }
  }

  await report.test('every command that README names has a --help', () => {
    const named = new Set([...README.matchAll(/`ptyd ([a-z]+)/g)].map(([, word]) => word));
    assert.ok(named.size >= 8, [...named].join(' '));
    for (const word of named) assert.match(ok(`ptyd ${word} --help`), /^usage: ptyd|^ptyd /);
  });

  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
