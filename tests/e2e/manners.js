// Words that are nearly right, help, and what shells complete.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, PTYD } = require('./harness');

async function main() {
  const report = new Report();
  const space = workspace();
  const env = { ...space.env, PATH: `${path.dirname(PTYD)}:${space.env.PATH}` };
  const call = (...args) => { const r = spawnSync(PTYD, args, { env, encoding: 'utf8' }); return [r.status, r.stdout, r.stderr]; };
  const words = (...args) => spawnSync(PTYD, ['completion', '--words', ...args], { env, encoding: 'utf8' }).stdout.split('\n').filter(Boolean).map((line) => line.split('\t'));
  const has = (shell) => spawnSync('sh', ['-c', `command -v ${shell}`]).status === 0;

  await report.test('a command that is none: what may have been meant, and where help is', () => {
    for (const [wrong, right] of [['lst', 'list'], ['statsu', 'status'], ['kil', 'close'], ['attahc', 'attach'], ['sned', 'send']])
      assert.deepStrictEqual(call(wrong), [2, '', `ptyd: there is no command '${wrong}'; did you mean ${right}?\n\`ptyd --help\` says how it is used.\n`]);
    assert.deepStrictEqual(call('frobnicate'), [2, '', "ptyd: there is no command 'frobnicate'\n`ptyd --help` says how it is used.\n"]);
  });

  await report.test('help of a command in both ways; a wrong option names its command', () => {
    const all = call('help')[1].match(/^ {2}[a-z]+ (?= )/gm).map((word) => word.trim());
    assert.ok(all.length > 25, String(all));
    for (const name of all.filter((word) => word !== 'version')) {
      const said = call('help', name);
      assert.deepStrictEqual(said, call(name, '--help'));
      assert.strictEqual(said[0], 0, name);
      assert.match(said[1], /^usage: ptyd /, name);
    }
    const [status, , said] = call('list', '--nothing');
    assert.strictEqual(status, 2);
    assert.match(said, /^ptyd list: .*--nothing.*\n`ptyd list --help` says how it is used\.\n$/);
  });

  const daemon = await new Daemon(space).ready();
  await report.test('what tmux calls them: new, ls, kill', () => {
    assert.strictEqual(call('new', 'first')[0], 0);
    assert.match(call('ls')[1], /^first /m);
    assert.strictEqual(call('kill', 'first')[0], 0);
    assert.doesNotMatch(call('ls')[1], /^first /m);
  });

  call('open', 'work');
  call('open', 'wide');
  call('run', '-s', 'work', '--', ': \u202etxt.exe'); // right to left
  const [{ block_id: block }] = daemon.json('blocks', '-s', 'work');

  await report.test('words: commands, options, sessions, blocks, agents, shells', () => {
    assert.deepStrictEqual(words('att'), [['attach', 'show and drive a session in this terminal']]);
    assert.deepStrictEqual(words('attach', 'w').map(([word]) => word).sort(), ['wide', 'work']);
    assert.deepStrictEqual(words('blocks', '-s', 'wo'), [['work', 'prompt']]);
    assert.deepStrictEqual(words('block', '-s', 'work', block.slice(0, 3)).map(([word]) => word), [block]);
    assert.ok(words('send', '--').some(([word, what]) => word === '--key' && what));
    for (const [word] of words('run', '--'))
      assert.match(call('run', '--help')[1] + ' --session --json --help', new RegExp(word));
    assert.deepStrictEqual(words('enable', 'cl'), [['claude', '']]);
    assert.deepStrictEqual(words('completion', ''), [['bash', ''], ['zsh', ''], ['fish', '']]);
    assert.deepStrictEqual(words('run', '--', 'w'), []);
    assert.deepStrictEqual(words(), words(''));
  });

  await report.test('what a command was cannot speak to the terminal', () => {
    const [[, what]] = words('block', '-s', 'work', '');
    assert.strictEqual(what, ': \\u{202e}txt.exe');
  });

  await report.test('bash: commands, sessions, and an id with colons', () => {
    const complete = (line) => spawnSync('bash', ['--norc', '-c', `eval "$(ptyd completion bash)"; COMP_LINE=$1 COMP_POINT=\${#1}; _ptyd; printf '%s\\n' "\${COMPREPLY[@]}"`, 'bash', line], { env, encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
    assert.deepStrictEqual(complete('ptyd att'), ['attach']);
    assert.deepStrictEqual(complete('ptyd attach w').sort(), ['wide', 'work']);
    const colon = block.indexOf(':') + 1;
    if (colon) assert.deepStrictEqual(complete(`ptyd block -s work ${block.slice(0, colon)}`), [block.slice(colon)]);
  });

  if (has('zsh')) await report.test('zsh', () => {
    const script = path.join(space.root, 'complete.zsh');
    fs.writeFileSync(script, 'compdef() { :; }; _files() { print files; }; _describe() { print -l -- "${(@P)3}"; }\neval "$(ptyd completion zsh)"\nwords=(ptyd "$@"); CURRENT=$#words; _ptyd\n');
    const complete = (...args) => spawnSync('zsh', ['-f', script, ...args], { env, encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
    assert.deepStrictEqual(complete('att'), ['attach:show and drive a session in this terminal']);
    assert.deepStrictEqual(complete('attach', 'w').sort(), ['wide:prompt', 'work:prompt']);
    assert.deepStrictEqual(complete('run', '--', ''), ['files']);
  });
  else report.skip('zsh', 'no zsh here');

  if (has('fish')) await report.test('fish', () => {
    const complete = (line) => spawnSync('fish', ['--no-config', '-c', 'ptyd completion fish | source; complete -C $argv[1]', line], { env, encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
    assert.deepStrictEqual(complete('ptyd att'), ['attach\tshow and drive a session in this terminal']);
    assert.deepStrictEqual(complete('ptyd attach w').sort(), ['wide\tprompt', 'work\tprompt']);
  });
  else report.skip('fish', 'no fish here');

  await daemon.stop();
  await report.test('without a daemon nothing is offered, and nothing said', () => {
    assert.deepStrictEqual(words('attach', ''), []);
  });
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
