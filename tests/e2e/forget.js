// `ptyd forget`: what was asked to go is in no file, no screen and no answer; shells, what runs in them and who looks
// at them go on; and a worker that dies in the midst of it leaves it to the next. LONG=1: at every change of a file.
'use strict';
const assert = require('node:assert');
const crypto = require('node:crypto');
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { PTYD, workspace, removeWorkspace, Daemon, Report, until } = require('./harness');
const { Terminal } = require('./script');

// A word that is nowhere else, and that no other text has a part of.
const word = () => `Q${[...crypto.randomBytes(12)].map((byte) => 'abcdefghijkmnpqr'[byte % 16]).join('')}`;

async function main() {
  const report = new Report();
  const space = workspace();
  const dies = path.join(space.root, 'dies');
  Object.assign(space.env, { LD_PRELOAD: path.resolve(path.dirname(PTYD), 'faults.so'), ASAN_OPTIONS: 'verify_asan_link_order=0', FAULT_DIES: dies });
  const state = space.env.PTYD_STATE_DIR;
  let daemon = await new Daemon(space).ready();
  const ok = (...args) => { const answer = daemon.ptyd(...args); assert.strictEqual(answer.status, 0, `${args}: ${answer.stdout}${answer.stderr}`); return answer.stdout; };
  const run = (session, command) => assert.strictEqual(daemon.ptyd('run', '-s', session, '--timeout', '60', '--', command).status, 0, command);
  const blocks = (session) => daemon.json('blocks', '-s', session);
  const newest = (session) => blocks(session).at(-1);
  // The files that have the text, as grep -r finds it.
  const kept = (text) => spawnSync('grep', ['-rlaF', '--', text, state], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
  const shown = (session, text) => ['screen', 'scrollback', 'blocks'].filter((what) => daemon.ptyd(what, '-s', session, '--json').stdout.includes(text));
  const gone = (session, text) => {
    assert.deepStrictEqual(kept(text), []);
    assert.deepStrictEqual(shown(session, text), []);
    assert.ok(!ok('context', 'show', '--json').includes(text));
    assert.ok(!fs.existsSync(path.join(state, 'forget.json')));
  };

  ok('open', 'work');
  ok('open', 'busy');

  await report.test('a command goes, and nothing else: what runs runs on, who looks looks on, who heard is named', async () => {
    const secret = word(), end = path.join(space.root, 'end');
    daemon.ptyd('run', '-s', 'busy', '--timeout', '0.1', '--', `i=0; while [ ! -e ${end} ]; do i=$((i + 1)); echo line $i; sleep 0.01; done; echo over $i`);
    const viewer = new Terminal(space.env, `${PTYD} attach work`);
    await viewer.prompt();
    run('work', 'echo first');
    run('work', `echo ${secret}; printf '${secret.slice(0, 5)}\\033[31m${secret.slice(5)}\\033[m\\n\\033]0;${secret}\\a'`);
    run('work', 'echo third; false || true');
    ok('search', secret);
    const { lease } = daemon.json('context', 'take');
    ok('context', 'commit', String(lease));
    await until('it is in files', () => kept(secret).length > 4);
    const [first, second, third] = blocks('work');
    const dry = daemon.json('forget', second.block_id, '--dry-run');
    assert.deepStrictEqual(dry.blocks.map(({ block_id: id }) => id), [second.block_id]);
    assert.ok(kept(secret).length > 4);

    const said = ok('forget', '2', '-s', 'work', '--yes');
    assert.match(said, new RegExp(`^heard by: cli turn .* at \\d{4}-.*: ${second.block_id}$`, 'm'));
    assert.match(said, /cannot be taken back.*\n.*Forgotten\.\n$/s);
    gone('work', secret);
    const after = blocks('work');
    assert.deepStrictEqual([after[0], after[2]], [first, third]);
    assert.deepStrictEqual([after[1].seq, after[1].cmd, after[1].forgotten, after[1].preview.lines], [2, '', true, []]);
    assert.match(ok('blocks', '-s', 'work'), /\(forgotten\)/);
    const block = daemon.ptyd('block', '2', '-s', 'work');
    assert.strictEqual(block.status, 1);
    assert.match(block.stderr, /forgotten/);
    assert.match(daemon.ptyd('rerun', '2', '-s', 'work').stderr, /forgotten/);
    assert.strictEqual(daemon.ptyd('search', secret).status, 1);
    assert.strictEqual(daemon.json('context', 'show').pending, 0);

    viewer.seen = viewer.text.length;
    viewer.type('echo view""er\r');
    await viewer.expect(/[\r\n]viewer\r/);
    await until('its command has ended', () => newest('work').status === 'completed' && newest('work').seq === 4);
    assert.strictEqual(daemon.json('context', 'show').total_commands_run, 1);
    fs.writeFileSync(end, '');
    await until('the other command ends', () => newest('busy').status === 'completed');
    const lines = fs.readFileSync(path.join(state, 'conversations/busy/agent_pty', newest('busy').output_path), 'utf8').trimEnd().split('\n');
    const count = Number(/over (\d+)/.exec(lines.pop())[1]);
    assert.deepStrictEqual(lines, Array.from({ length: count }, (_, i) => `line ${i + 1}`));
    ok('detach', 'work');
    await viewer.ended();
  });

  await report.test('a text goes: wrapped, coloured, corrected, in titles, in sessions that are closed, and from the line that names it', async () => {
    const secret = word(), half = secret.slice(0, 6), rest = secret.slice(6);
    ok('open', 'was');
    run('was', `cd / && echo ${secret} 'and "${secret}"'`);
    ok('close', 'was');
    run('work', `printf '%75s%s\\n' '' ${secret}`);
    run('work', `printf '\\033]2;${secret}\\a${half}\\033[1;31m${rest}\\033[m ${half}zz\\b\\b${rest}\\n'`);
    run('work', `mkdir -p /tmp/${secret} && cd /tmp/${secret} && rmdir /tmp/${secret} && cd`);
    const before = blocks('work').length, places = kept(secret);
    assert.ok(places.some((name) => name.includes('/was/')) && places.some((name) => name.endsWith('output.raw')), places.join());
    run('work', `${PTYD} forget --matching ${secret} --yes`);
    await until(`the line that names it is forgotten, too: ${kept(secret)}`, () => !fs.existsSync(path.join(state, 'forget.json')) && kept(secret).length === 0);
    gone('work', secret);
    const raw = fs.readFileSync(path.join(state, 'conversations/work/agent_pty/output.raw'), 'latin1');
    assert.ok(raw.includes('xxxxxx\x1b[1;31mxxxxxxx\x1b[m xxxxxxzz\b\bxxxxxxx\r\n'), 'all else stays');
    assert.deepStrictEqual(blocks('work').slice(before).map(({ status, exit_code: code }) => [status, code]), [['completed', 0]]);
    assert.match(blocks('was')[0].cmd, /^cd \/ && echo x{13} 'and "x{13}"'$/);
    run('work', 'true');
    assert.strictEqual(daemon.ptyd('forget', '--matching', secret).status, 1);
  });

  await report.test('what is asked wrongly changes nothing; a terminal is asked first', async () => {
    for (const args of [[], ['1', '--since', '1h'], ['--matching', 'ab'], ['--matching', 'xxxxx'], ['--matching', 'a\nbcd']])
      assert.strictEqual(daemon.ptyd('forget', ...args).status, 2, args.join());
    assert.strictEqual(daemon.ptyd('forget', '4711', '-s', 'work').status, 1);
    const secret = word();
    run('work', `echo ${secret}`);
    const { block_id: id } = newest('work');
    const terminal = new Terminal(space.env, `${PTYD} forget ${id}`);
    await terminal.expect(/\[y\/N\] /);
    terminal.type('n\r');
    assert.strictEqual(await terminal.ended(), 0);
    assert.ok(kept(secret).length > 0);
    const again = new Terminal(space.env, `${PTYD} forget --matching -`);
    await again.expect(/text to forget: /);
    again.type(`${secret}\r`);
    await again.expect(/\[y\/N\] /);
    again.type('y\r');
    await again.expect(/Forgotten\./);
    assert.strictEqual(await again.ended(), 0);
    assert.ok(!again.text.includes(secret));
    gone('work', secret);
  });

  await report.test('what ends while it asks for the text leaves the terminal as it was', async () => {
    const file = path.join(space.root, 'asks'), asks = `trap : INT QUIT; was=$(stty -g); sh -c 'echo $$ >${file}; exec ${PTYD} forget --matching -'; echo "status $?"; [ "$was" = "$(stty -g)" ] && echo as-it-was`;
    for (const [end, status] of [['\x03', 130], ['\x1c', 131], ['SIGTERM', 143], ['SIGHUP', 129]]) {
      const terminal = new Terminal(space.env, asks);
      await terminal.expect(/text to forget: /);
      if (end.startsWith('SIG')) process.kill(Number(fs.readFileSync(file, 'utf8')), end);
      else terminal.type(end);
      await terminal.expect(new RegExp(`status ${status}\\r\\nas-it-was`));
      assert.strictEqual(await terminal.ended(), 0);
    }
  });

  await report.test('it is asked wherever its messages go, and where nobody can be asked --yes has to be said', async () => {
    const secret = word();
    run('work', `echo ${secret}`);
    const { block_id: id } = newest('work');
    const quiet = new Terminal(space.env, `${PTYD} forget ${id} 2>/dev/null >${space.root}/said`);
    await quiet.expect(/\[y\/N\] /);
    quiet.type('n\r');
    assert.strictEqual(await quiet.ended(), 0);
    for (const args of [[id], ['--matching', secret], ['--matching', '-', '--json']]) {
      const nobody = spawnSync(PTYD, ['forget', ...args], { env: space.env, encoding: 'utf8', input: `${secret}\n` });
      assert.strictEqual(nobody.status, 2, nobody.stdout);
      assert.match(nobody.stderr, /nothing was forgotten: .*--yes/);
    }
    assert.ok(kept(secret).length > 0);
    const piped = spawnSync(PTYD, ['forget', '--matching', '-', '--yes'], { env: space.env, encoding: 'utf8', input: `${secret}\n` });
    assert.strictEqual(piped.status, 0, piped.stderr);
    gone('work', secret);
  });

  await report.test('quotes and backslashes; files that are damaged; what was set aside', async () => {
    const secret = `${word()} "quoted" a\\b`, conversations = path.join(state, 'conversations');
    run('work', `printf '%s\\n\\033]0;%s\\a' '${secret}' '${secret}'`);
    ok('open', 'hurt');
    ok('close', 'hurt');
    fs.writeFileSync(path.join(conversations, 'hurt/meta.json'), `{"title":${JSON.stringify(secret)},`);
    fs.writeFileSync(path.join(conversations, 'hurt/agent_pty/output.raw.damaged-1700000000000'), secret.replace('q', '\x1b[31mq'));
    fs.cpSync(path.join(conversations, 'work'), path.join(conversations, 'work.damaged-1700000000000'), { recursive: true });
    for (const name of ['hooks', 'hosts']) fs.mkdirSync(path.join(state, name), { recursive: true, mode: 0o700 });
    fs.writeFileSync(path.join(state, 'hooks/x.json'), `{"consumer":${JSON.stringify(secret)}}`);
    fs.writeFileSync(path.join(state, 'hosts/x.jsonl.damaged-1700000000000'), `${secret}\n`);
    // What a snapshot has of it is spelled otherwise, and may be the last place.
    await until('the screen is kept', () => kept(secret.split(' ')[0]).some((name) => /screen/.test(name)));
    ok('forget', '--yes', '--matching', secret);
    for (const text of [secret, secret.split(' ')[0], JSON.stringify(secret).slice(1, -1)])
      assert.deepStrictEqual(kept(text), []);
    for (const name of ['conversations/hurt', 'conversations/work.damaged-1700000000000', 'hooks', 'hosts']) fs.rmSync(path.join(state, name), { recursive: true });
  });

  await report.test('while another program is on its way it waits, and is done', async () => {
    const secret = word(), mute = path.join(space.root, 'mute');
    fs.writeFileSync(mute, '#!/bin/sh\nsleep 100\n', { mode: 0o755 });
    run('work', `echo ${secret}`);
    const upgrade = spawn(PTYD, ['upgrade', '--binary', mute], { env: space.env, stdio: 'ignore' });
    const ended = new Promise((resolve) => { upgrade.on('close', resolve); });
    await until('it is tried', () => spawnSync('pgrep', ['-f', mute]).status === 0);
    ok('forget', '--yes', '--matching', secret);
    assert.strictEqual(await ended, 1);
    gone('work', secret);
  });

  await report.test('a worker dies in the midst of it: the next one finishes', async () => {
    const some = [1, 2, 5, 9, 14];
    let died = true;
    for (let i = 0; process.env.LONG ? died : i < some.length; i++) {
      const secret = word(), at = process.env.LONG ? i + 1 : some[i];
      run('work', `echo ${secret}`);
      run('busy', `echo ${secret}`);
      fs.writeFileSync(dies, String(at));
      const byText = i % 2;
      ok('forget', '--yes', ...(byText ? ['--matching', secret] : [newest('work').block_id, newest('busy').block_id]));
      died = !fs.existsSync(dies);
      fs.rmSync(dies, { force: true });
      gone('work', secret);
      gone('busy', secret);
      for (const session of ['work', 'busy']) {
        const { cmd, forgotten } = newest(session);
        assert.deepStrictEqual([cmd, forgotten], byText ? ['echo xxxxxxxxxxxxx', undefined] : ['', true]);
      }
      if (!process.env.LONG) assert.ok(died, `at ${at}`);
      if (!died) console.log(`  ${at - 1} changes of files`);
    }
    assert.match(ok('verify'), / 0 of them damaged/);
    run('work', 'echo on');
  });

  await report.test('without a daemon one is started for it', async () => {
    const secret = word();
    run('work', `echo ${secret}`);
    assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
    ok('forget', '--since', '1h', '--yes');
    assert.deepStrictEqual(kept(secret), []);
    process.kill(daemon.json('status').keeper_pid, 'SIGTERM');
    await until('it has ended', () => daemon.ptyd('status').status !== 0);
  });

  removeWorkspace(space);
  report.finish();
}

main();
