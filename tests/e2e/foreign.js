// A shell that ptyd does not integrate and that says what another terminal's integration has it say: with
// foreign_marks its lines are blocks, unsigned; without, none is. Usage: node foreign.js
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { workspace, removeWorkspace, Daemon, Report, until } = require('./harness');

// As WezTerm and Ghostty have bash print it: no text, prompts of further lines, empty lines without C.
const MARKS = {
  PROMPT_COMMAND: "printf '\\033]133;D;%s;aid=1\\a\\033]133;A;cl=m;aid=1\\a' $?",
  PS1: '\\[\\033]133;P;k=i\\a\\]here> \\[\\033]133;B\\a\\]',
  PS2: '\\[\\033]133;P;k=s\\a\\]more> \\[\\033]133;B\\a\\]',
  PS0: '\\033]133;C;\\a',
};

async function main() {
  const report = new Report();
  const space = workspace();
  const file = path.join(space.home, '.config/ptyd/ptyd.conf');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const set = (...lines) => fs.writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  const daemon = await new Daemon(space).ready();
  const open = (name) => {
    const env = Object.entries({ ...MARKS, HISTFILE: '' }).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
    assert.strictEqual(daemon.ptyd('open', name, ...env, '--', 'bash', '--norc', '--noprofile').status, 0);
  };
  const rows = (name) => daemon.json('screen', '-s', name).rows.filter(Boolean);
  const asks = (name, prompt = 'here>') => until(prompt, () => rows(name).at(-1)?.trim() === prompt);
  const type = async (name, text, { key = 'Enter', prompt } = {}) => {
    const shown = text ? ['expect', '-s', name, '--timeout', '60', text, '--send', text] : null;
    if (shown) assert.strictEqual(daemon.ptyd(...shown).status, 0, text);
    const before = rows(name).length;
    assert.strictEqual(daemon.ptyd('send', '-s', name, '--key', key).status, 0);
    await until(`what comes behind ${text}`, () => rows(name).length > before);
    await asks(name, prompt);
  };
  const listed = (name) => daemon.json('blocks', '-s', name).map((block) => [block.cmd, block.exit_code, block.unsigned]);

  await report.test('without foreign_marks such a shell has no blocks', async () => {
    open('off');
    await asks('off');
    await type('off', 'echo one');
    assert.deepStrictEqual(listed('off'), []);
    daemon.ptyd('close', 'off');
  });

  await report.test('with it each line that ran is one, unsigned; agents read so', async () => {
    set('foreign_marks = on');
    open('on');
    await asks('on');
    await type('on', 'echo one');
    await type('on', '');
    await type('on', 'echo never', { key: 'C-c' });
    await type('on', '(exit 3); echo two; (exit 4)');
    await type('on', 'for i in 1 2', { prompt: 'more>' });
    await type('on', 'do echo $i', { prompt: 'more>' });
    await type('on', 'done');
    const ran = [['echo one', 0], ['(exit 3); echo two; (exit 4)', 4], ['for i in 1 2\ndo echo $i\ndone', 0]];
    await until('all ended', () => listed('on').length === ran.length && listed('on').every(([, code]) => code !== null));
    assert.deepStrictEqual(listed('on'), ran.map((block) => [...block, true]));
    const outputs = daemon.json('blocks', '-s', 'on').map(({ preview }) => preview.lines);
    assert.deepStrictEqual(outputs, [['one'], ['two'], ['1', '2']]);
    const taken = JSON.parse(daemon.ptyd('context', 'take', '-s', 'on', '--consumer', 'cli:foreign', '--format', 'codex', '--json').stdout);
    const told = Object.entries(taken.additionalContext).filter(([key]) => key.startsWith('terminal_block_')).map(([, { value }]) => JSON.parse(value));
    assert.deepStrictEqual(told.map(({ cmd, unsigned }) => [cmd, unsigned]), ran.map(([cmd]) => [cmd, true]));
  });

  await report.test('a worker that dies at such a prompt leaves one that goes on', async () => {
    process.kill(daemon.json('status').worker_pid, 'SIGKILL');
    await until('another worker', () => daemon.ptyd('status').status === 0);
    await type('on', 'echo after');
    await until('it ended', () => listed('on').length === 4 && listed('on')[3][1] === 0);
    assert.deepStrictEqual(listed('on')[3], ['echo after', 0, true]);
    daemon.ptyd('close', 'on');
  });

  await report.test('SIGTERM stops it', async () => assert.strictEqual((await daemon.stop()).code, 0));
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.log(`not ok - ${error.stack}`); process.exit(1); });
