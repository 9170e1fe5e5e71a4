// A worker that dies between two pieces of a mark, or while lines typed ahead wait for a shell without C: each
// block has its text, its exit code and its output all the same.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { workspace, removeWorkspace, Daemon, Report, until } = require('./harness');
const { Connection } = require('./connection');

const ROUNDS = Number(process.env.ROUNDS || 1); // three kill behind every piece

async function main() {
  const report = new Report({ limit: 300 * ROUNDS });
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  const blocks = (name) => daemon.json('blocks', '-s', name);
  const worker = () => daemon.json('status').worker_pid;
  const kill = () => process.kill(worker(), 'SIGKILL');

  // A shell with ptyd's marks, told as bash is, that waits in the middle of them: PIECES are printed with the
  // nonce for %N, each but the first when the file go-I is there.
  const pieces = ['\\e]7711;%N;4;D;st', '=7;hist=1;raw=', '    1  ', 'told ', 'by its\\n', 'history\\n', ';', '%N', '\\a', '\\e]7711;%N;5;A', '\\a$ \\e]7711;%N;6;B\\a'];
  const shell = path.join(space.root, 'bash');
  fs.writeFileSync(shell, `#!/bin/bash
    read -r -u 3 line; exec 3<&-
    n=\${line#*=(}; n=\${n%%)*}
    say() { printf "\${1//%N/$n}"; }
    say '\\e]7711;%N;1;A\\a$ \\e]7711;%N;2;B\\a'
    while read -r folder; do
      say '\\e]7711;%N;3;C\\a'
      echo printed
      i=0
      for piece in ${pieces.map((piece) => `'${piece}'`).join(' ')}; do
        say "$piece"
        touch "$folder/at-$i"
        until [ -e "$folder/go-$i" ]; do sleep 0.01; done
        i=$((i + 1))
      done
    done`, { mode: 0o755 });

  await report.test(`a D in ${pieces.length} pieces, the worker killed behind every third`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const name = `pieces-${round}`, folder = path.join(space.root, name);
      const log = path.join(space.env.PTYD_STATE_DIR, 'conversations', name, 'agent_pty/output.raw');
      fs.mkdirSync(folder);
      assert.strictEqual(daemon.ptyd('open', name, '--shell', shell).status, 0);
      daemon.ptyd('send', '-s', name, `${folder}\r`);
      for (let i = 0; i < pieces.length; i++) {
        await until(`piece ${i}`, () => fs.existsSync(path.join(folder, `at-${i}`)));
        if (i === 4) await until('it is taken in', () => fs.readFileSync(log, 'latin1').includes('by its'));
        if (i % 3 === (round + 1) % 3) kill();
        if (i % 2) await until('a worker', () => daemon.ptyd('status').status === 0);
        fs.writeFileSync(path.join(folder, `go-${i}`), '');
      }
      const [block] = await until('the block ends', () => blocks(name).some((b) => b.status !== 'running') && blocks(name));
      assert.deepStrictEqual([block.status, block.exit_code, block.cmd_source, block.cmd, block.preview.lines],
        ['completed', 7, 'history', 'told by its\nhistory', ['printed']]);
      await until('the prompt stands', () => daemon.json('list').find((s) => s.name === name).state === 'prompt');
    }
  });

  await report.test('bash: a here-document of 200 KB, the worker killed while it is echoed and told', async () => {
    daemon.ptyd('open', 'long');
    const lines = Array.from({ length: 200000 / 20 }, (_, i) => `line ${1e6 + i} ;0;1;2`);
    const text = `cat >${space.root}/out <<'E'; (exit 3)\r${lines.join('\r')}\rE\r`;
    for (let at = 0; at < text.length; at += 40000) {
      await until('another worker', () => daemon.ptyd('status').status === 0);
      const connection = new Connection(space);
      const piece = text.slice(at, at + 40000);
      assert.strictEqual((await connection.type('long', piece)).result.typed, piece.length);
      connection.end();
      kill();
    }
    const [block] = await until('the block ends', () => {
      const answer = daemon.ptyd('blocks', '-s', 'long', '--json');
      const all = answer.status === 0 ? JSON.parse(answer.stdout) : [];
      return all.some((b) => b.status !== 'running') && all;
    }, 60000);
    assert.deepStrictEqual([block.status, block.exit_code, block.cmd_truncated], ['completed', 3, true]);
    const command = text.replace(/\r/g, '\n');
    assert.ok(command.startsWith(block.cmd) && block.cmd.length > 20000, `${block.cmd_source} ${JSON.stringify(block.cmd.slice(0, 200))}`);
    assert.strictEqual(fs.readFileSync(`${space.root}/out`, 'latin1'), `${lines.join('\n')}\n`);
  });

  // The commands write down that they ran, and say in their status which they were.
  for (const shell of ['dash', 'busybox']) {
    await report.test(`${shell}: lines typed ahead, the worker killed at any moment: each command once, with its status and output`, async () => {
      const truth = path.join(space.root, `ran-${shell}`), commands = [];
      const ran = () => fs.readFileSync(truth, 'latin1').split('\n').length - 1;
      fs.writeFileSync(truth, '');
      assert.strictEqual(daemon.ptyd('open', shell, '--shell', shell).status, 0);
      let over = false;
      const kills = (async () => {
        while (!over) {
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 600));
          const answer = daemon.ptyd('status', '--json');
          if (answer.status === 0) process.kill(JSON.parse(answer.stdout).worker_pid, 'SIGKILL');
        }
      })();
      for (let token = 1; commands.length < 30 * ROUNDS;) {
        let text = '';
        for (let n = 1 + Math.floor(Math.random() * 6); n > 0; n--) {
          commands.push(`echo out-${commands.length}; echo >>${truth}; sleep 0.0${n}; (exit ${commands.length % 7})`);
          text += `${commands.at(-1)}\r`;
        }
        while (text) { // what is in doubt is not typed again
          const connection = new Connection(space);
          const answer = await connection.type(shell, text, { token: ++token });
          connection.end();
          const known = answer || await until('it is known', async () => {
            const asked = new Connection(space);
            const told = await asked.call('session.typed', { name: shell, token });
            asked.end();
            return told;
          });
          text = text.slice(known.result.typed + (known.result.in_doubt || 0));
        }
        await until('not too far ahead', () => ran() > commands.length - 12);
      }
      await until('all ran', () => ran() === commands.length);
      over = true;
      await kills;
      const blocks = await until('the last one ended', () => {
        const answer = daemon.ptyd('blocks', '-s', shell, '--json');
        const all = answer.status === 0 ? JSON.parse(answer.stdout) : [];
        return all.at(-1)?.cmd === commands.at(-1) && all.at(-1).status === 'completed' && all;
      });
      assert.deepStrictEqual(blocks.map(({ cmd, exit_code }) => `${cmd} ${exit_code}`), commands.map((cmd, i) => `${cmd} ${i % 7}`));
      for (const [i, { preview }] of blocks.entries()) // lines that were typed meanwhile are echoed there, too
        assert.deepStrictEqual(preview.lines.join('\n').match(/(?<!echo )out-\d+/g), [`out-${i}`], JSON.stringify(preview));
    });
  }

  assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
