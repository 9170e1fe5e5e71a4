// The reference clients of examples/: what they show is what the shell did, and the turn they send has it, too.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, PTYD } = require('./harness');

const folder = path.join(__dirname, '../../examples');
const STANDIN = process.env.STANDIN || path.join(path.dirname(PTYD), 'standin');
const typed = ['echo one two', '', 'ls -d /nowhere/at/all', '# a comment', 'seq 1 30', 'cd /; false'];

async function main() {
  const report = new Report();
  const space = workspace();
  const env = { ...space.env, PATH: `${path.dirname(PTYD)}:${process.env.PATH}` };
  const daemon = await new Daemon(space).ready();
  const run = (program, args, input) => spawnSync(program[0], [...program.slice(1), ...args], { env, input, cwd: space.home, encoding: 'utf8', timeout: 120000 });

  for (const [name, ...program] of [['client.py', 'python3', path.join(folder, 'client.py')], ['client.js', process.execPath, path.join(folder, 'client.js')]]) {
    if (spawnSync(program[0], ['-c', 'pass']).error) {
      report.skip(name, `there is no ${program[0]} here`);
      continue;
    }
    const session = name.replace('.', '-');

    await report.test(`${name}: types, shows each block with its status, and what the agent gets next`, () => {
      assert.ok(fs.readFileSync(path.join(folder, name), 'utf8').split('\n').length <= 150);
      const { status, stdout, stderr } = run(program, [session], `${typed.join('\n')}\n`);
      assert.strictEqual(status, 0, stderr);
      const commands = [...stdout.matchAll(/^\$ (.*)\n\[(.*), \d+ ms in (.*)\]$/gm)].map((m) => m.slice(1));
      assert.deepStrictEqual(commands, [
        ['echo one two', 'exit 0', space.home], ['ls -d /nowhere/at/all', 'exit 2', space.home],
        ['seq 1 30', 'exit 0', space.home], ['cd /; false', 'exit 1', space.home]], stdout);
      assert.match(stdout, /^\| one two$/m);
      assert.match(stdout, /^\| .*\/nowhere\/at\/all/m);
      assert.match(stdout, /^\| \.\.\. 10 lines\n\| 11\n/m);
      assert.match(stdout, /^the agent will be told of 4 commands:\n( {2}terminal_\w+ \(application\): \d+ characters\n){5}$/m);
    });

    await report.test(`${name}: sends a turn, which has what was done`, () => {
      const log = path.join(space.root, `${name}.log`);
      Object.assign(env, { STANDIN_LOG: log });
      const { status, stdout, stderr } = run(program, [session, 'why did that fail?', STANDIN], 'echo three\n');
      assert.strictEqual(status, 0, stderr);
      assert.match(stdout, /^turn completed$/m);
      const turns = fs.readFileSync(log, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
      assert.strictEqual(turns.length, 1);
      assert.deepStrictEqual(turns[0].input, [{ type: 'text', text: 'why did that fail?' }]);
      const told = Object.keys(turns[0].context).filter((key) => key.includes('_block_')).map((key) => JSON.parse(turns[0].context[key].value).cmd);
      assert.deepStrictEqual(told, ['echo one two', 'ls -d /nowhere/at/all', 'seq 1 30', 'cd /; false', 'echo three']);
    });

    await report.test(`${name}: wrong usage, and a session that cannot be`, () => {
      assert.match(run(program, []).stderr, /usage: client/);
      assert.notStrictEqual(run(program, [session, 'a message alone']).status, 0);
      const refused = run(program, ['a/b'], '');
      assert.notStrictEqual(refused.status, 0);
      assert.match(refused.stderr, /a session needs a name/);
    });
  }

  await daemon.stop();
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
