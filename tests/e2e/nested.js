// A shell inside the shell: ssh, su, containers, an attached session. What happens inside is output
// of the one command that led there, whatever the inner shell prints, and its exit code is the
// block's.
//   node tests/e2e/nested.js       (SSHD=/path: another ssh server than /usr/sbin/sshd)
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { PTYD, workspace, removeWorkspace, Daemon, Report, until } = require('./harness');
const { sshd } = require('./sshd');

const find = (name) => [...process.env.PATH.split(':'), '/bin'].map((d) => path.join(d, name)).find((p) => fs.existsSync(p));

async function main() {
  const report = new Report();
  const space = workspace();
  const bin = path.join(space.root, 'bin');
  fs.mkdirSync(bin);
  // No container here: what it is for the terminal, a program that runs a shell on it.
  fs.writeFileSync(path.join(bin, 'docker'), '#!/bin/sh\nexec sh -i\n', { mode: 0o755 });
  fs.symlinkSync(PTYD, path.join(bin, 'ptyd'));
  space.env.PATH = `${bin}:${space.env.PATH}`;
  fs.writeFileSync(path.join(space.home, '.zshrc'), "PS1='%# '\n");
  const daemon = await new Daemon(space).ready();
  const ssh = sshd(space.root);
  const root = process.getuid() === 0;

  const NESTS = [
    ['ssh', ssh.command, ssh.why],
    ['su', root && find('su') ? 'su' : undefined, 'it asks for a password: only root tries it'],
    ['docker', 'docker exec -it box sh'],
    ['bash with marks of nobody', 'bash --norc'],
  ];
  for (const shell of ['bash', 'zsh', 'fish', 'dash']) {
    if (!find(shell)) {
      report.skip(shell, 'not on this machine');
      continue;
    }
    const name = `in-${shell}`;
    const blocks = () => daemon.json('blocks', '-s', name);
    const prompt = () => until(`${name} shows a prompt`, () => daemon.json('list').find((s) => s.name === name).state === 'prompt');
    daemon.ptyd('open', name, '--shell', find(shell));
    await prompt();
    for (const [what, command, why] of NESTS) {
      if (!command) {
        report.skip(`${shell}: ${what}`, why);
        continue;
      }
      await report.test(`${shell}: ${what} is one block`, async () => {
        const count = blocks().length;
        daemon.ptyd('send', '-s', name, command, '--key', 'Enter');
        await until('it runs', () => blocks().length > count);
        // Typed one after the other, as a person would: the inner shell may throw away what came early.
        for (const said of ['one', 'two']) {
          const word = `${what.slice(0, 4)}-${said}`;
          await until(`${word} is said`, () => {
            daemon.ptyd('send', '-s', name, `echo ${word}`, '--key', 'Enter');
            return new RegExp(`^${word}$`, 'm').test(daemon.ptyd('screen', '-s', name).stdout);
          });
        }
        daemon.ptyd('send', '-s', name, 'exit 7', '--key', 'Enter');
        await prompt();
        const [block, ...more] = blocks().slice(count);
        assert.deepStrictEqual(more, []);
        assert.deepStrictEqual([block.cmd, block.exit_code, block.nested], [command, 7, true]);
        assert.ok(block.preview.lines.includes(`${what.slice(0, 4)}-two`), block.preview.lines.join('\n'));
      });
    }
    if (ssh.command) {
      await report.test(`${shell}: a command over ssh has its exit code`, () => {
        daemon.ptyd('run', '-s', name, '--timeout', '20', '--', `${ssh.command} 'echo far; exit 3'`);
        const block = blocks().at(-1);
        assert.deepStrictEqual([block.exit_code, block.preview.lines], [3, ['far']]);
      });
    }
    await report.test(`${shell}: a session attached inside is one block, its marks are its own`, async () => {
      const inner = `inner-${shell}`;
      daemon.ptyd('open', inner, '--shell', find(shell));
      const count = blocks().length;
      daemon.ptyd('send', '-s', name, `ptyd attach ${inner}`, '--key', 'Enter');
      await until('it runs', () => blocks().length > count);
      daemon.ptyd('run', '-s', inner, '--', 'echo inner');
      daemon.ptyd('close', inner);
      await prompt();
      assert.strictEqual(blocks().length, count + 1);
      assert.strictEqual(blocks().at(-1).cmd, `ptyd attach ${inner}`);
    });
  }
  await report.test('the daemon ends cleanly', async () => {
    assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
  });
  removeWorkspace(space);
  report.finish();
}

main();
