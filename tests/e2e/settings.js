// Settings: each does what ptyd.conf(5) says, from the next command on; lines that are wrong are named.
// One daemon throughout. Usage: node settings.js
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { PTYD, workspace, removeWorkspace, Daemon, Report, until } = require('./harness');
const { Outer } = require('./outer');

const PAGE = fs.readFileSync(path.resolve(__dirname, '../../docs/ptyd.conf.5'), 'utf8');

async function main() {
  const report = new Report();
  const space = workspace();
  const file = path.join(space.home, '.config/ptyd/ptyd.conf');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const set = (...lines) => fs.writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  let daemon = await new Daemon(space).ready();
  const run = (command, session = 'work') => assert.ok(![2, 124, 125].includes(daemon.ptyd('run', '-s', session, '--timeout', '60', '--', command).status), command);
  const open = (name) => assert.strictEqual(daemon.ptyd('open', name).status, 0);
  const warnings = () => daemon.json('status').warnings.filter((line) => line.startsWith(file)).map((line) => line.slice(file.length + 1));

  // What a consumer is told now: [{key, kind, name, ...value}], and never again.
  const told = (consumer, session = 'work') => {
    const taken = JSON.parse(daemon.ptyd('context', 'take', '-s', session, '--consumer', consumer, '--format', 'codex', '--json').stdout);
    if (taken.lease) assert.strictEqual(daemon.ptyd('context', 'commit', String(taken.lease)).status, 0);
    return Object.entries(taken.additionalContext).map(([key, { value, ...entry }]) => ({ key, ...entry, text: value, ...JSON.parse(value) }));
  };
  const blocks = (entries) => entries.filter(({ key }) => key.startsWith('terminal_block_'));
  const commands = (consumer) => blocks(told(consumer)).map(({ cmd }) => cmd.trim());

  open('work');

  await report.test('every setting is in --help, in ptyd.conf(5), and nowhere a name that is none', () => {
    const helps = ['serve', 'attach'].map((command) => daemon.ptyd(command, '--help').stdout.split('Settings')[1]).join('');
    const options = [...helps.matchAll(/^ {2}--([a-z-]+) /gm)].map(([, name]) => name.replaceAll('-', '_')).sort();
    const documented = [...PAGE.matchAll(/^\.BI? "?([a-z_]+) =/gm)].map(([, name]) => name).sort();
    assert.ok(options.length >= 9, options.join(' '));
    assert.deepStrictEqual(documented, options);
  });

  await report.test('private_space: always, never, and as the shell has it', () => {
    told('cli:space');
    run(' echo auto');
    set('private_space = always');
    run(' echo always');
    run('HISTCONTROL=ignorespace');
    set('private_space = never');
    run(' echo never');
    set();
    run(' echo auto again');
    run('HISTCONTROL=');
    assert.deepStrictEqual(commands('cli:space'), ['echo auto', 'HISTCONTROL=ignorespace', 'echo never', 'HISTCONTROL=']);
  });

  await report.test('private_commands are listed, and told to nobody', () => {
    told('cli:private');
    set('private_commands = secret-tool', "private_commands = *--password*");
    for (const command of ['secret-tool --get x', 'echo a --password=1', 'echo open', 'secret-tools']) run(command);
    assert.deepStrictEqual(commands('cli:private'), ['echo open', 'secret-tools']);
    const listed = daemon.json('blocks', '-s', 'work', '--last', '4').map((block) => [block.cmd, block.private]);
    assert.deepStrictEqual(listed, [['secret-tool --get x', true], ['echo a --password=1', true], ['echo open', false], ['secret-tools', false]]);
    set();
    run('secret-tool --get y');
    assert.deepStrictEqual(commands('cli:private'), ['secret-tool --get y']);
  });

  await report.test('redact, redact_except: what leaves, by every way, is without what matches', () => {
    told('cli:redact');
    set('redact = customer CUST-\\d{4}', 'redact = badge badge \\K[a-z]+', 'redact_except = CUST-0{4}', 'redact_except = ghp_0+');
    const kept = `CUST-0000 ghp_${'0'.repeat(36)}`;
    run(`echo CUST-1234 ${kept} badge mine`);
    const [block] = blocks(told('cli:redact'));
    const expected = `[redacted:customer] ${kept} badge [redacted:badge]`;
    assert.deepStrictEqual([block.cmd, block.preview.lines, block.redacted], [`echo ${expected}`, [expected], 4]);
    const listed = daemon.json('blocks', '-s', 'work', '--last', '1')[0];
    assert.deepStrictEqual([listed.cmd, listed.preview.lines], [`echo CUST-1234 ${kept} badge mine`, [`CUST-1234 ${kept} badge mine`]]);
    const hook = daemon.ptyd('context', 'take', '-s', 'work', '--consumer', 'cli:redact2', '--format', 'text').stdout;
    assert.ok(hook.includes('badge [redacted:badge]') && !/CUST-1|mine/.test(hook), hook);
    const cast = path.join(space.root, 'share.cast'), own = path.join(space.root, 'own.cast');
    const record = (...args) => assert.strictEqual(daemon.ptyd('record', '-s', 'work', '--from', String(listed.seq), ...args).status, 0);
    record('--share', '-o', cast);
    const recorded = fs.readFileSync(cast, 'utf8');
    assert.ok(recorded.includes(`${kept} badge`) && !/CUST-1|mine/.test(recorded), recorded);
    record('-o', own);
    const replayed = (...args) => daemon.ptyd('replay', own, '--json', ...args).stdout;
    assert.ok(replayed('--rules').includes(`"echo [redacted:customer] ${kept} badge [redacted:badge]"`.slice(1, -1)), replayed('--rules'));
    assert.ok(!replayed().includes('[redacted:badge]'));
    const page = daemon.ptyd('screen', '-s', 'work', '--html').stdout;
    assert.ok(page.includes(`${kept} badge [redacted:badge]`) && !/CUST-1|mine/.test(page), page);
  });

  await report.test('redact: a rule that is none is named, and so is one that would take for ever, which takes the line', () => {
    set('redact = name (');
    run('echo CUST-1234');
    assert.deepStrictEqual(blocks(told('cli:redact')).map(({ cmd }) => cmd), ['echo CUST-1234']);
    assert.deepStrictEqual(warnings(), ["1: redact is 'name ('; expected a regular expression (missing closing parenthesis, at character 2)"]);
    assert.match(daemon.ptyd('doctor').stdout, /^todo +settings +\S*ptyd\.conf:1: redact is 'name \('/m);
    set('redact = slow (a+)+$');
    run(`printf '%s\\n' ${'a'.repeat(180)}c; echo end`);
    const [long] = blocks(told('cli:redact'));
    assert.deepStrictEqual(long.preview.lines, ['[redacted:slow]', 'end']);
    assert.match(warnings().join('\n'), /^ redact = slow \(a\+\)\+\$ takes too long: of \d+ lines nobody knows what it matches; they are taken out whole$/);
    set();
    run('echo CUST-1234');
    assert.deepStrictEqual(blocks(told('cli:redact')).map(({ cmd }) => cmd), ['echo CUST-1234']);
    assert.deepStrictEqual(warnings(), []);
  });

  await report.test('untold_programs takes the place of the list that there is', () => {
    told('cli:untold');
    set('untold_programs = aider, other');
    for (const command of ['aider --x', '/bin/other', 'codex-nowhere', 'claude --version-nowhere']) run(command);
    assert.deepStrictEqual(commands('cli:untold'), ['codex-nowhere', 'claude --version-nowhere']);
    set();
    for (const command of ['aider --x', 'claude --version-nowhere']) run(command);
    assert.deepStrictEqual(commands('cli:untold'), ['aider --x']);
  });

  await report.test('new_thread_lookback: how long ago a new conversation may have missed it', () => {
    run('echo lately');
    told('cli:first');
    set('new_thread_lookback = 0');
    assert.deepStrictEqual(commands('cli:none'), []);
    set('new_thread_lookback = 1h');
    assert.ok(commands('cli:all').includes('echo lately'));
    set();
  });

  await report.test('context_max_bytes: the oldest that succeeded lose their output first', () => {
    told('cli:bytes');
    const lines = (name) => `for i in $(seq 18); do echo ${name} $i ${'y'.repeat(120)}; done`;
    run(lines('first'));
    run(`${lines('failed')}; false`);
    run(lines('newest'));
    const whole = daemon.json('context', 'show', '-s', 'work', '--consumer', 'cli:bytes').additionalContext;
    const size = (map) => Object.values(map).reduce((sum, { value }) => sum + Buffer.byteLength(value), 0);
    assert.ok(size(whole) > 8000, `${size(whole)}`);
    set('context_max_bytes = 8000');
    const entries = told('cli:bytes'), kept = blocks(entries);
    const shown = kept.map((block) => block.preview.lines.length);
    assert.ok(entries.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) <= 8000);
    assert.deepStrictEqual(kept.map(({ cmd }) => cmd.match(/echo (\w+)/)[1]), ['first', 'failed', 'newest']);
    assert.deepStrictEqual([shown[0] < 18, shown[1], shown[2]], [true, 18, 18], `${shown}`);
    for (let i = 0; i < 10; i++) run(`${lines(`many${i}`)}; (exit 3)`);
    const many = told('cli:bytes');
    assert.ok(many.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) <= 8000);
    const about = many.find(({ key }) => key.startsWith('terminal_about_'));
    assert.deepStrictEqual([about.total_commands_run, about.kept + about.dropped, about.kept], [10, 10, blocks(many).length]);
    assert.ok(blocks(many).at(-1).cmd.includes('many9'));
    set();
    assert.deepStrictEqual(told('cli:bytes'), [], 'what was left out counts as dropped');
  });

  await report.test('preview_kind = untrusted: what was printed is an entry of its own, facts are not', () => {
    told('cli:kind');
    run('echo as-before');
    set('preview_kind = untrusted');
    run('printf "one\\ntwo\\n"');
    run('true');
    const entries = told('cli:kind');
    const [before, printed, silent] = blocks(entries);
    const apart = entries.filter(({ key }) => key.startsWith('terminal_output_'));
    assert.ok(entries.every((entry) => entry.kind === (apart.includes(entry) ? 'untrusted' : 'application')));
    assert.deepStrictEqual([before, printed, silent].map((block) => block.preview), [undefined, undefined, undefined]);
    assert.deepStrictEqual(apart.map(({ key, name, block_id: id, preview }) => ({ key, name, id, lines: preview.lines })), [before, printed].map((block, i) => (
      { key: block.key.replace('block', 'output'), name: 'terminal_output', id: block.block_id, lines: [['as-before'], ['one', 'two']][i] })));
    const show = () => daemon.ptyd('context', 'show', '-s', 'work', '--consumer', 'cli:kind').stdout;
    run('echo seen by a person');
    assert.match(show(), /\| seen by a person/);
    set();
    assert.match(show(), /\| seen by a person/);
    assert.deepStrictEqual(blocks(told('cli:kind')).map((block) => block.preview.lines), [['seen by a person']]);
  });

  await report.test('what came back is told in the same bytes, whatever is set meanwhile, and by another worker', async () => {
    run('seq 30');
    set('preview_kind = untrusted');
    const take = () => JSON.parse(daemon.ptyd('context', 'take', '-s', 'work', '--consumer', 'cli:same', '--format', 'codex', '--json').stdout);
    const first = take();
    daemon.ptyd('context', 'release', String(first.lease));
    set('preview_kind = application', 'context_max_bytes = 8000');
    process.kill(daemon.json('status').worker_pid, 'SIGKILL');
    const again = take();
    const entries = (taken) => Object.fromEntries(Object.entries(taken.additionalContext).filter(([key]) => !key.includes('about')));
    assert.ok(Object.keys(entries(first)).some((key) => key.startsWith('terminal_output_')));
    assert.deepStrictEqual(entries(again), entries(first));
    daemon.ptyd('context', 'commit', String(again.lease));
    set();
  });

  // A shell that ptyd knows nothing of, and that says what other terminals' shells say.
  const shell = path.join(space.home, 'foreign');
  fs.writeFileSync(shell, 's=0\nwhile :; do printf \'\\033]133;D;%s\\a\\033]133;A\\a> \\033]133;B\\a\' $s; IFS= read -r line || exit; printf \'\\033]133;C\\a\'; eval "$line"; s=$?; done\n');
  await report.test('foreign_marks: other marks make blocks where there are none of ours, unsigned; elsewhere nothing', async () => {
    assert.strictEqual(daemon.ptyd('open', 'foreign', '--', 'sh', shell).status, 0);
    const listed = () => daemon.json('blocks', '-s', 'foreign').map((block) => [block.cmd, block.exit_code, block.unsigned]);
    const prompted = () => until('its prompt', () => daemon.json('screen', '-s', 'foreign').rows.filter(Boolean).at(-1)?.trim() === '>');
    const type = async (text, shown) => {
      await prompted();
      assert.strictEqual(daemon.ptyd('expect', '-s', 'foreign', '--timeout', '60', shown, '--send', text, '--key', 'Enter').status, 0);
      await prompted();
    };
    await type("echo on''e", 'one');
    assert.deepStrictEqual(listed(), []);
    set('foreign_marks = on');
    await type("echo tw''o", 'two');
    await type("(echo thr''ee; exit 7)", 'three');
    await until('it ended', () => listed().length && listed()[0][1] === 7);
    const expected = [["(echo thr''ee; exit 7)", 7, true]]; // of the prompt of the other nobody had heard
    assert.deepStrictEqual(listed(), expected);
    process.kill(daemon.json('status').worker_pid, 'SIGKILL');
    await until('another worker', () => daemon.ptyd('status').status === 0);
    await type("echo fo''ur", 'four');
    await until('it ended', () => listed().length === 2 && listed()[1][1] === 0);
    assert.deepStrictEqual(listed(), [...expected, ["echo fo''ur", 0, true]]);
    assert.deepStrictEqual(blocks(told('cli:foreign', 'foreign')).map(({ cmd, unsigned }) => [cmd, unsigned]), listed().map(([cmd]) => [cmd, true]));
    const before = daemon.json('blocks', '-s', 'work').length;
    run("printf '\\033]133;D;0\\a\\033]133;A\\a$ \\033]133;B\\aforged\\033]133;C\\a\\033]133;D;0\\a'; (exit 4)");
    const [{ exit_code: code, unsigned }] = daemon.json('blocks', '-s', 'work', '--last', '1');
    assert.deepStrictEqual([daemon.json('blocks', '-s', 'work').length, code, unsigned], [before + 1, 4, false]);
    set();
    daemon.ptyd('close', 'foreign');
  });

  await report.test('notify_after: who does not look at a long command hears how it ended; who does, hears nothing', async () => {
    const env = { ...space.env, TERM: 'xterm-kitty' };
    open('noted');
    const outer = new Outer(env, [PTYD, 'attach', 'noted'], { cwd: space.home });
    const notices = () => [...outer.received().toString().matchAll(/\x1b\](?:9|777;notify;ptyd);([^\x07]*)\x07/g)].map(([, text]) => text.replace(/after .*?: /, 'after T: '));
    let count = 0;
    // It lasts until it is let go: for `seconds` behind what is typed meanwhile, when that was echoed.
    const go = async (line, { typed, echoed = typed, seconds = 1.5 } = {}) => {
      await outer.type(`${line}; echo begi''n; read x < ${fifo}; echo en''d$((${++count}))\r`);
      await outer.expect('begin');
      if (typed) await outer.type(typed);
      if (typed) await outer.expect(echoed);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      fs.writeSync(held, '\n');
      await outer.expect(`end${count}`);
      await outer.expect('$ ');
    };
    const fifo = path.join(space.home, 'fifo');
    assert.strictEqual(require('node:child_process').spawnSync('mkfifo', [fifo]).status, 0);
    const held = fs.openSync(fifo, 'r+');
    await outer.expect('$ ');
    await go('true usual');
    set('notify_after = 1');
    await go("true a; true 'b\u202e'");
    await go('true typed', { typed: 'x' });
    await outer.type('\x03');
    await outer.expect('$ ');
    set('notify_after = 1h');
    await go('true short', { seconds: 0 });
    set('notify_after = 1', 'private_commands = true hidden*');
    await go('true hidden');
    // In a program that has the focus reported, it decides.
    set('notify_after = 1');
    await go("printf '\\033[?1004h'; true focus", { typed: '\x1b[I', echoed: '^[[I' });
    await go('true lost', { typed: 'y\x1b[O', echoed: 'y^[[O' });
    await outer.type("\x03printf '\\033[?1004l'\r");
    await until('the notices', () => notices().length >= 3);
    assert.deepStrictEqual(notices().map((text) => text.replace(/; echo.*|, echo.*/, '')), ['noted: exit 0 after T: true a, true \'b\\u{202e}\'', 'noted: exit 0 after T: a private command', "noted: exit 0 after T: true lost"]);
    set();
    fs.closeSync(held);
    await outer.type('\x1cd');
    await outer.expect('[left session noted');
    await outer.end();
  });

  await report.test('keep_bytes and keep_days: closed sessions go when less is to be kept', async () => {
    for (const setting of ['keep_bytes', 'keep_days']) {
      open('closed');
      run('echo kept', 'closed');
      daemon.ptyd('close', 'closed');
      const there = () => { daemon.ptyd('status'); return fs.existsSync(path.join(space.env.PTYD_STATE_DIR, 'conversations/closed')); };
      assert.ok(there());
      set(`${setting} = 0`);
      await until(`${setting} = 0 takes it away`, () => !there());
      assert.match(daemon.ptyd('blocks', '-s', 'closed').stderr, new RegExp(`it was removed on .* by ${setting}`));
      assert.strictEqual(daemon.json('status').closed[setting], 0);
      set();
    }
  });

  await report.test('detach_key leaves; the variable counts more than the file, the option more than both', async () => {
    set('detach_key = C-b x');
    for (const [variable, option, keys] of [[, , '\x02x'], ['C-a q', , '\x01q'], ['C-a q', 'C-f z', '\x06z']]) {
      const env = { ...space.env, TERM: 'xterm-256color', ...(variable && { PTYD_DETACH_KEY: variable }) };
      const outer = new Outer(env, [PTYD, 'attach', 'work', ...(option ? ['--detach-key', option] : [])], { cwd: space.home });
      await outer.expect('$ ');
      await outer.type(keys);
      await outer.expect('[left session work');
      assert.strictEqual(await outer.ended, 0);
      await outer.end();
    }
    set();
  });

  await report.test('lines that are wrong: file, line and what was expected; what held before holds', () => {
    set('private_commands = hidden', 'new_thread_lookback = 1h');
    run('hidden 1');
    set('private_comands = x', 'new_thread_lookback = soon', '[more]', 'keep_days = 1', 'nonsense', 'private_commands = hidden');
    assert.deepStrictEqual(warnings(), [
      '1: there is no setting private_comands; did you mean private_commands?',
      '2: new_thread_lookback is \'soon\'; expected a time like 90s, 15m, 2h or 7d, at most 31d',
      '4: settings stand in no section, and this is in [more]',
      '6: settings stand in no section, and this is in [more]',
      '5: expected NAME = VALUE, or # in front of a comment',
    ]);
    assert.match(daemon.log(), /ptyd\.conf:1: there is no setting private_comands/);
    assert.strictEqual(daemon.log().match(/:1: there is no setting private_comands/g).length, 1, 'it is said once');
    const bad = daemon.ptyd('attach', 'work');
    assert.strictEqual(bad.status, 1);
    set();
    assert.deepStrictEqual(warnings(), []);
  });

  await report.test('a wrong option is wrong usage; a right one counts more than the file, across an upgrade, too', async () => {
    const wrong = daemon.ptyd('serve', '--context-max-bytes', '5');
    assert.deepStrictEqual([wrong.status, wrong.stdout], [2, '']);
    assert.match(wrong.stderr, /'5' is none of what context_max_bytes may be: expected a number of bytes from 8000 to 44000/);
    await daemon.stop();
    const program = path.join(space.root, 'with-options');
    fs.writeFileSync(program, `#!/bin/sh\nexec ${PTYD} "$@" --private-commands by-option --keep-days 3\n`, { mode: 0o700 });
    daemon = await new Daemon(space, ':', program).ready();
    open('work');
    told('cli:option');
    set('private_commands = by-file', 'keep_days = 4', 'untold_programs = aider');
    for (let upgraded = 0; upgraded < 2; upgraded++) {
      for (const command of ['by-option', 'by-file', 'aider']) run(`${command} ${upgraded}`);
      assert.deepStrictEqual(commands('cli:option'), [`by-file ${upgraded}`]);
      await until('it has looked', () => daemon.json('status').closed);
      assert.strictEqual(daemon.json('status').closed.keep_days, 3);
      if (!upgraded) assert.strictEqual(daemon.ptyd('upgrade', '--binary', PTYD).status, 0);
    }
  });

  await report.test('SIGTERM stops it', async () => assert.strictEqual((await daemon.stop()).code, 0));
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.log(`not ok - ${error.stack}`); process.exit(1); });
