// Words that are nearly right, help, and what shells complete.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const net = require('node:net');
const { spawn, spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, PTYD, until } = require('./harness');
const { Outer } = require('./outer');

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
    for (const name of all) {
      const said = call('help', name);
      assert.deepStrictEqual(said, call(name, '--help'));
      assert.strictEqual(said[0], 0, name);
      assert.match(said[1], /^usage: ptyd /, name);
      const [usage, ...rest] = said[1].split('\n\n');
      if (/\[(?:options|OPTIONS|SETTINGS)\]|\| \.\.\./.test(usage)) continue;
      const options = [...rest.join('\n').matchAll(/^ {2}(-\w|--[\w-]+)/gm)].map(([, option]) => option);
      assert.deepStrictEqual(options.filter((option) => !usage.includes(option)), [], `ptyd ${name} --help: what the usage leaves out`);
    }
    const [status, , said] = call('list', '--nothing');
    assert.strictEqual(status, 2);
    assert.match(said, /^ptyd list: .*--nothing.*\n`ptyd list --help` says how it is used\.\n$/);
    for (const [command, wrong, right] of [['blocks', '--jsn', '--json'], ['run', '--tiemout=3', '--timeout'], ['blocks', '--sesion', '--session']])
      assert.match(call(command, wrong)[2], new RegExp(`^ptyd ${command}: .*\n.*did you mean ${right}\\? \`ptyd ${command} --help\``), `${command} ${wrong}`);
    assert.doesNotMatch(call('run', '--timeout')[2], /did you mean/); // what is wrong is something else
  });

  await report.test('enable without a home directory changes nothing, and says so', () => {
    const here = fs.mkdtempSync(path.join(space.root, 'here-'));
    for (const what of ['shell', 'claude', 'codex'])
      for (const verb of ['enable', 'disable']) {
        const { status, stderr } = spawnSync(PTYD, [verb, what], { env: { ...env, HOME: 'home', CLAUDE_CONFIG_DIR: '', CODEX_HOME: '' }, cwd: here, encoding: 'utf8' });
        assert.strictEqual(status, 1, `${verb} ${what}`);
        assert.match(stderr, /^ptyd: HOME is not the name of a directory/, `${verb} ${what}`);
      }
    assert.deepStrictEqual(fs.readdirSync(here), []);
  });

  const daemon = await new Daemon(space).ready();
  await report.test('what tmux calls them: new, ls, kill', () => {
    assert.strictEqual(call('new', 'first')[0], 0);
    assert.match(call('ls')[1], /^first /m);
    assert.strictEqual(call('kill', 'first')[0], 0);
    assert.doesNotMatch(call('ls')[1], /^first /m);
  });

  await report.test('exit statuses: 0 ok, 1 failed, 2 usage; what says otherwise says so', () => {
    const at = (name, text) => { const file = path.join(space.home, name); fs.writeFileSync(file, text); return file; };
    const steps = at('steps', 'wait --prompt\n'), failing = at('failing', 'set timeout 0.1\nexpect never\n'), trace = at('trace.raw', 'a\n');
    const socket = path.join(space.root, 'nobody/listens');
    call('open', 'codes');
    const table = [
      ['open', 0, ['codes']], ['open', 1, ['other', '--shell', '/nowhere']], ['open', 2, ['a/b']],
      ['attach', 1, ['codes']], ['attach', 2, ['a/b']],
      ['detach', 1, ['codes']], ['detach', 2, ['a/b']],
      ['run', 0, ['-s', 'codes', '--', 'true']], ['run', 3, ['-s', 'codes', '--', '(exit 3)']], ['run', 3, ['-s', 'codes', '--', '(exit 3)']],
      ['run', 2, []], ['run', 2, ['--timeout', 'x', '--', 'true']], ['run', 125, ['--no-start', '--socket', socket, '--', 'true']],
      ['wait', 0, ['-s', 'codes', '--prompt']], ['wait', 124, ['-s', 'codes', '--timeout', '0.1', 'never']], ['wait', 1, ['-s', 'none', '--prompt']], ['wait', 2, ['-s', 'codes']],
      ['expect', 0, ['-s', 'codes', 'hello', '--send', 'echo hel""lo', '--key', 'Enter']], ['expect', 124, ['-s', 'codes', '--timeout', '0.1', 'never']], ['expect', 1, ['-s', 'none', 'x']], ['expect', 2, []],
      ['send', 0, ['-s', 'codes', '--key', 'C-u']], ['send', 1, ['-s', 'none', 'x']], ['send', 2, ['-s', 'codes']],
      ['script', 0, ['-s', 'codes', steps]], ['script', 1, ['-s', 'codes', failing]], ['script', 2, ['-s', 'codes', trace]],
      ['list', 0, []], ['list', 1, ['--socket', socket]], ['list', 2, ['x']],
      ['status', 0, []], ['status', 1, ['--socket', socket]], ['status', 2, ['x']],
      ['blocks', 0, ['-s', 'codes']], ['blocks', 1, ['-s', 'none']], ['blocks', 2, ['--since', 'nonsense']],
      ['block', 0, ['codes:1']], ['block', 1, ['codes:999']], ['block', 2, []], ['block', 2, ['codes:1', '-s', 'other']],
      ['last', 0, ['-s', 'codes']], ['last', 1, ['-s', 'none']], ['last', 2, ['x']],
      ['rerun', 0, ['codes:1']], ['rerun', 3, ['codes:2']], ['rerun', 125, ['codes:999']], ['rerun', 2, ['codes:1', '-s', 'other']],
      ['diff', 0, ['codes:3']], ['diff', 2, ['codes:2']], ['diff', 2, ['codes:3', '-s', 'other']],
      ['copy', 1, ['codes:1']], ['copy', 2, ['codes:1', '-s', 'other']],
      ['search', 0, ['hello']], ['search', 1, ['never printed']], ['search', 2, []],
      ['screen', 0, ['-s', 'codes']], ['screen', 1, ['-s', 'none']], ['screen', 2, ['x']],
      ['scrollback', 0, ['-s', 'codes']], ['scrollback', 1, ['-s', 'none']], ['scrollback', 2, ['--limit', 'x']],
      ['context', 0, ['show']], ['context', 1, ['commit', '99']], ['context', 2, ['nonsense']],
      ['events', 1, ['-f', '--socket', socket]], ['events', 2, ['x']],
      ['resize', 0, ['-s', 'codes', '80x24']], ['resize', 1, ['-s', 'none', '80x24']], ['resize', 2, ['x']],
      ['rename', 0, ['codes', 'codes-2']], ['rename', 0, ['codes-2', 'codes']], ['rename', 1, ['none', 'other']], ['rename', 2, []],
      ['grant', 1, []], ['grant', 1, ['codes']], ['grant', 2, ['a/b']], ['grant', 2, ['a', 'b']],
      ['notify', 1, ['codex', '-s', 'codes']], ['notify', 1, ['codex', '-s', 'none']], ['notify', 1, ['codex', '-s', 'codes', '--', 'true']], ['notify', 0, ['codex', '-s', 'codes', '--on', 'fail', '--', 'true']],
      ['notify', 2, []], ['notify', 2, ['claude']], ['notify', 2, ['codex', '--on', 'never']], ['notify', 2, ['codex', '--on', '/(/']],
      ['reset', 1, ['codes']], ['reset', 2, ['a/b']],
      ['inside', 2, ['x']],
      ['explain', 0, []], ['explain', 1, ['no-such-turn']], ['explain', 2, ['x', 'y']],
      ['forget', 0, ['codes:1', '--dry-run']], ['forget', 1, ['codes:999']], ['forget', 2, []],
      ['enable', 0, ['claude']], ['disable', 0, ['claude']], ['enable', 2, ['nothing']], ['disable', 2, []],
      ['hook', 0, ['claude']], ['hook', 0, ['nothing']],
      ['codex', 127, ['--version']],
      ['proxy', 2, []],
      ['mcp', 0, []], ['mcp', 2, ['x']], ['mcp', 2, ['--tools', 'al']], ['mcp', 0, ['--tools', 'all']],
      ['record', 0, ['--from', 'codes:1', '-o', 'codes.cast']], ['record', 1, ['--from', 'codes:1', '-o', 'codes.cast']], ['record', 2, []],
      ['exec', 125, ['--', 'true']], ['exec', 2, []], ['hosts', 1, []], ['hosts', 2, ['x']], ['relay', 0, ['status']], ['relay', 1, ['output', '0:a:1:2']], ['relay', 1, []], ['relay', 2, ['enable']],
      ['replay', 0, [trace]], ['replay', 1, ['nowhere']], ['replay', 2, []],
      ['test', 0, ['new', 'first', '--from', 'codes:1']], ['test', 0, []], ['test', 1, ['second']], ['test', 2, ['new', 'third']],
      ['verify', 0, []], ['verify', 1, ['-s', 'none']], ['verify', 2, ['x']],
      ['doctor', 2, ['x']],
      ['completion', 0, ['bash']], ['completion', 2, ['csh']],
      ['version', 0, []], ['version', 2, ['x']],
      ['serve', 1, []], ['serve', 2, ['x']],
      ['upgrade', 0, ['--worker']], ['upgrade', 1, ['--socket', socket]], ['upgrade', 2, ['x']],
      ['close', 0, ['codes']], ['close', 1, ['codes']], ['close', 2, ['a/b']],
    ];
    // What a command would not heed it refuses.
    for (const command of ['list', 'explain', 'upgrade', 'doctor', 'version', 'hosts', 'relay', 'replay', 'completion', 'enable', 'disable']) table.splice(-3, 0, [command, 2, { replay: [trace], relay: ['status'], completion: ['bash'], enable: ['claude'], disable: ['claude'] }[command]?.concat('-s', 'codes') ?? ['-s', 'codes']]);
    for (const command of ['attach', 'completion', 'enable', 'disable', 'test']) table.splice(-3, 0, [command, 2, { completion: ['bash'], enable: ['claude'], disable: ['claude'] }[command]?.concat('--json') ?? ['--json']]);
    // Without a terminal, also where a person starts this in one; and without codex.
    const away = { env: { ...space.env, PATH: '/usr/bin:/bin', CODEX_HOME: space.home }, cwd: space.home, input: '', encoding: 'utf8', timeout: 120000 };
    for (const [command, status, args] of table) {
      const r = spawnSync('setsid', ['-w', PTYD, command, ...args], away);
      assert.strictEqual(r.status, status, `${command} ${args.join(' ')}: ${r.stderr}`);
      if (status && status !== 3 && command !== 'test') assert.match(r.stderr, /^ptyd: /m, `${command} ${args.join(' ')}`);
      if (status === 2 && command !== 'diff' && command !== 'script') assert.match(r.stderr, /--help` says how it is used\.\n$/, `${command} ${args.join(' ')}`);
    }
    for (const name of call('help')[1].match(/^ {2}[a-z]+ (?= )/gm).map((word) => word.trim())) {
      assert.ok(table.some(([command]) => command === name), name);
      assert.strictEqual(spawnSync(PTYD, [name, '--no-such-option'], away).status, name === 'hook' ? 0 : name === 'codex' ? 127 : 2, name);
    }
  });

  await report.test('what starts a daemon has a way not to, and says so in its help', () => {
    const socket = path.join(space.root, 'nobody/listens');
    for (const args of [['open'], ['run', '--', 'true'], ['forget', '1', '--yes']]) {
      assert.match(call(args[0], '--help')[1], /^ {2}--no-start /m);
      const [status, , said] = call(args[0], '--no-start', '--socket', socket, ...args.slice(1));
      assert.strictEqual(status, args[0] === 'run' ? 125 : 1, said);
      assert.ok(!fs.existsSync(socket));
    }
  });

  await report.test('a session that `run -s` opens it names, and one whose name is near', () => {
    call('open', 'work');
    const [status, out, said] = call('run', '-s', 'wrok', '--', 'echo here');
    assert.deepStrictEqual([status, out, said], [0, 'here\n', 'ptyd: session wrok is new; did you mean work? `ptyd close wrok` ends it\n']);
    assert.deepStrictEqual(call('run', '-s', 'wrok', '--', 'echo here'), [0, 'here\n', '']);
    assert.strictEqual(call('close', 'wrok')[0], 0);
    assert.strictEqual(call('run', '-s', 'another', '--', 'true')[2], 'ptyd: session another is new\n');
    assert.strictEqual(call('close', 'another')[0], 0);
  });

  call('open', 'wide');
  call('run', '-s', 'work', '--', ': \u202etxt.exe'); // right to left
  const [{ block_id: block }] = daemon.json('blocks', '-s', 'work');

  await report.test('telling switched off for one thread, and for all: what is said is so', () => {
    const take = (...args) => call('context', 'take', '-s', 'work', '--consumer', `of-${args.join('-')}`, ...args)[1];
    assert.match(call('context', 'off', '--thread', 't1')[1], /^Thread t1 is told nothing; `ptyd context on --thread t1` undoes it\./);
    assert.match(take('--thread', 't1'), /^1 command pending, none is told:\n\(Injection is off/);
    assert.match(take('--thread', 't2'), /^\{"pending":1,.*"additionalContext":\{"terminal_/);
    assert.strictEqual(call('context', 'on', '--thread', 't1')[1], 'Thread t1 is told again.\n');
    assert.match(call('context', 'off')[1], /^Agents are told nothing; `ptyd context on` undoes it\./);
    assert.match(take('--thread', 't3'), /^1 command pending, none is told:\n\(Injection is off/);
    assert.strictEqual(call('context', 'on')[1], 'Agents are told again.\n');
    assert.match(take('--thread', 't1'), /^\{"pending":1,.*"additionalContext":\{"terminal_/);
  });

  await report.test('words: commands, options, sessions, blocks, agents, shells', () => {
    assert.deepStrictEqual(words('att'), [['attach', 'show and drive a session in this terminal']]);
    assert.deepStrictEqual(words('attach', 'w').map(([word]) => word).sort(), ['wide', 'work']);
    assert.deepStrictEqual(words('blocks', '-s', 'wo'), [['work', 'prompt']]);
    assert.deepStrictEqual(words('block', '-s', 'work', block.slice(0, 3)).map(([word]) => word), [block]);
    assert.ok(words('send', '--').some(([word, what]) => word === '--key' && what));
    // Each that its usage has, or a line of its help begins with, once.
    for (const name of call('help')[1].match(/^ {2}[a-z]+ (?= )/gm).map((word) => word.trim())) {
      const [usage, ...rest] = call(name, '--help')[1].split(/^example/m)[0].split('\n\n');
      const lines = rest.join('\n').split('\n').filter((line) => /^ +-/.test(line)).map((line) => line.trim().split('  ')[0]);
      const options = [usage, ...lines].join('\n').match(/--[a-z][a-z-]*/g) || [];
      const offered = words(name, '--').map(([word]) => word);
      assert.deepStrictEqual(offered.slice().sort(), [...new Set([...options, '--session', '--json', '--help'])].sort(), name);
    }
    assert.deepStrictEqual(words('wait', '--settled'), [['--settled', 'the screen shows the same for MS milliseconds']]);
    assert.deepStrictEqual(words('rename', 'wi').map(([word]) => word), ['wide']);
    for (const [word] of words('run', '--'))
      assert.match(call('run', '--help')[1] + ' --session --json --help', new RegExp(word));
    assert.deepStrictEqual(words('enable', 'cl'), [['claude', '']]);
    assert.deepStrictEqual(words('notify', ''), [['codex', '']]);
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

  await report.test('what takes over a second says how far it is, on a terminal alone, and takes that away', async () => {
    // A daemon that answers when it is told to.
    const socket = path.join(space.root, 'slow.sock');
    let answer;
    const server = net.createServer((connection) => {
      connection.on('error', () => {});
      connection.on('data', (data) => { answer = () => connection.write(`${JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(data).id, result: {} })}\n`); });
    });
    await new Promise((resolve) => server.listen(socket, resolve));
    const close = [PTYD, 'close', 'slow', '--socket', socket];
    const outer = new Outer({ ...env, TERM: 'xterm-256color' }, close);
    await outer.expect('\r\x1b[Kptyd: waiting for the daemon: 1 s');
    answer();
    await outer.expect('\r\x1b[KSession slow is closed.\r\n');
    assert.strictEqual(await outer.ended, 0);
    await outer.end();
    const piped = spawn(close[0], close.slice(1), { env });
    let said = '';
    for (const stream of [piped.stdout, piped.stderr]) stream.on('data', (data) => { said += data; });
    const ended = new Promise((resolve) => piped.on('close', resolve));
    answer = null;
    await until('it asks', () => answer);
    await new Promise((resolve) => setTimeout(resolve, 1500)); // longer than it is silent on a terminal
    answer();
    assert.strictEqual(await ended, 0);
    assert.strictEqual(said, 'Session slow is closed.\n');
    server.close();

    // A recording that comes slowly.
    const trace = path.join(space.root, 'trace');
    assert.strictEqual(spawnSync('mkfifo', [trace]).status, 0);
    const replay = new Outer({ ...env, TERM: 'xterm-256color' }, [PTYD, 'replay', trace, '--format', 'raw']);
    const file = await fs.promises.open(trace, 'w'); // it reads
    await file.write('what was printed\r\n');
    await new Promise((resolve) => setTimeout(resolve, 2500)); // so long that it has something to say
    await file.close();
    await replay.expect('\r\x1b[Kptyd: replaying: 0.0 MB\r\x1b[K');
    await replay.expect('what was printed');
    assert.strictEqual(await replay.ended, 0);
    await replay.end();
  });

  await report.test('without a daemon nothing is offered, and nothing said', () => {
    assert.deepStrictEqual(words('attach', ''), []);
  });
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
