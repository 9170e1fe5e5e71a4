// `ptyd run` on a terminal: bytes and keys pass both ways while its command runs, and the terminal is its
// owner's before and behind it. What it is sent is looked at byte by byte.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, PTYD, killWorker, stoppable, until } = require('./harness');
const { Outer } = require('./outer');

async function main() {
  const report = new Report();
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  const env = { ...space.env, TERM: 'xterm-256color' };
  const last = (name) => daemon.json('blocks', '-s', name).at(-1);
  let count = 0;

  const idle = new Outer(env, ['cat'], { size: '90x28' });
  const untouched = JSON.stringify(await idle.modes());
  await idle.end();

  // A terminal in which a shell runs ptyd with these arguments and says how it ended; `end` tells what it was
  // sent, in front of that, and that its modes are what they were.
  async function terminal(args, { size = '90x28', blind = false } = {}) {
    const place = path.join(space.root, `terminal-${count++}`);
    const words = args.map((word) => `'${word.replace(/'/g, "'\\''")}'`).join(' ');
    const outer = new Outer(env, ['sh', '-c', `stty -a >${place}.before; ${PTYD} ${words} 2>${place}.said; echo "STATUS $?"; stty -a >${place}.after; read x`], { size, blind });
    return Object.assign(outer, {
      said: () => { try { return fs.readFileSync(`${place}.said`, 'utf8'); } catch { return ''; } },
      over: async () => {
        await outer.expect('STATUS ');
        await until('its modes', () => fs.existsSync(`${place}.after`) && fs.readFileSync(`${place}.after`, 'utf8'));
        assert.strictEqual(fs.readFileSync(`${place}.after`, 'utf8'), fs.readFileSync(`${place}.before`, 'utf8'));
        assert.strictEqual(JSON.stringify(await outer.modes()), untouched);
        const [, sent, status] = /^([^]*)STATUS (\d+)/.exec(outer.received().toString());
        const look = blind ? {} : await outer.look();
        await outer.end();
        return { sent, status: Number(status), rows: look.rows };
      },
    });
  }
  const run = (name, command, ...options) => terminal(['run', '-s', name, ...options, '--', command]);

  // What is left of it when all that shows nothing is taken out.
  const invisible = (text) => text.replace(/\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[ -/]*[0-~]|[\x0f\r]/g, '');

  daemon.ptyd('open', 'late');
  const late = await run('late', 'printf "\\033[?1049h"; sleep 1000', '--timeout', '8'); // looked at when it is over

  for (const shell of ['bash', 'zsh', 'fish', 'dash']) {
    await report.test(`${shell}: the command's bytes pass as they are, its own status; nothing of the shell's`, async () => {
      daemon.ptyd('open', shell, '--shell', shell);
      const { sent, status } = await (await run(shell, "sh -c 'stty size; printf \"\\033[1;31mred\\033[m \\033]8;;http://x\\007link\\033]8;;\\007\\nno end\"; exit 7'")).over();
      assert.strictEqual(status, 7);
      // fish says a little itself, in front of the command, that shows nothing.
      const shown = shell === 'fish' ? sent.replace(/^[^]*?(?=28 90)/, (head) => invisible(head)) : sent;
      assert.ok(shown.startsWith('28 90\r\n\x1b[1;31mred\x1b[m \x1b]8;;http://x\x07link\x1b]8;;\x07\r\nno end'), JSON.stringify(sent));
      // What undoes it shows nothing.
      assert.strictEqual(invisible(sent.replace(/^[^]*no end/, '')), '', JSON.stringify(sent));
    });

    await report.test(`${shell}: a question is answered, a password is not shown`, async () => {
      // The question does not stand in the command: fish puts its beginning into the terminal's title.
      const t = await run(shell, "sh -c 'printf \"na%s? \" me; read n; stty -echo; printf \"Password: \"; read p; stty echo; printf \"\\n%s %s\\n\" $n ${#p}'");
      await t.expect('name? ');
      await t.type('ann\r');
      await t.expect('Password: ');
      await t.type('geheim\r');
      const { sent, status } = await t.over();
      assert.strictEqual(status, 0);
      assert.match(invisible(sent), /^name\? ann\nPassword: \nann 6\n/);
      assert.ok(!sent.includes('geheim'));
    });
  }

  await report.test('Ctrl-C and Ctrl-Z go to the command', async () => {
    for (const [key, status, signal, ended] of [['\x03', 130, 'SIGINT', 'killed'], ['\x1a', 148, 'SIGTSTP', 'stopped']]) {
      const lasts = stoppable(path.join(space.root, `lasts-${status}`));
      const t = await run('bash', lasts.command);
      await until('it is in front', lasts.inFront);
      await t.type(key);
      assert.strictEqual((await t.over()).status, status, t.said());
      assert.deepStrictEqual([last('bash').status, last('bash').signal], [ended, signal]);
      if (ended === 'stopped') {
        assert.match(t.said(), /stopped \(Ctrl-Z\); `ptyd run -s bash fg` goes on with it/);
        const again = await run('bash', 'fg');
        await again.expect(lasts.command);
        lasts.end();
        assert.strictEqual((await again.over()).status, 0);
      } else lasts.end();
    }
  });

  await report.test('Ctrl-C twice leaves: it says that the command goes on, and how to stop it', async () => {
    const go = path.join(space.root, 'go');
    const t = await run('bash', `sh -c 'trap "" INT; echo deaf; until [ -e ${go} ]; do sleep 0.02; done; exit 3'`);
    await t.expect('deaf');
    await t.type('\x03\x03');
    const { status } = await t.over();
    assert.strictEqual(status, 125);
    assert.match(t.said(), /left; the command goes on in session bash\. `ptyd attach bash` shows it, `ptyd send -s bash --key C-c` stops it/);
    assert.strictEqual(last('bash').status, 'running');
    fs.writeFileSync(go, '');
    await until('it ends', () => last('bash').exit_code === 3);
  });

  await report.test('a python inside works', async () => {
    if (spawnSync('python3', ['--version']).status !== 0) return;
    const t = await run('bash', 'python3 -q');
    await t.expect('>>> ');
    await t.type('6*7\r');
    await t.expect('42');
    await t.expect('>>> ');
    await t.type('exit(5)\r');
    assert.strictEqual((await t.over()).status, 5);
  });

  await report.test('what the program asks this terminal answers; what it leaves on is undone', async () => {
    const t = await run('bash', "printf 'ab\\033[?1000;2004h\\033[?25l\\033[6n'; IFS= read -rsd R answer; printf '%q\\n' \"$answer\"");
    const { sent, status } = await t.over();
    assert.strictEqual(status, 0);
    assert.ok(sent.includes("$'\\E[1;3'\r\n"), JSON.stringify(sent)); // where its cursor was, not the session's
  });

  await report.test('behind half a line it waits in a terminal that is its owner\'s: there one Ctrl-C ends it', async () => {
    daemon.ptyd('send', '-s', 'bash', 'echo ha');
    await until('it is typed', () => daemon.json('screen', '-s', 'bash').rows.some((row) => row.endsWith('echo ha')));
    const before = daemon.json('blocks', '-s', 'bash').length, t = await run('bash', 'echo never');
    await until('it says so', () => t.said().includes('a line is half typed'));
    await t.type('\x03');
    await t.ended;
    daemon.ptyd('send', '-s', 'bash', 'lf', '--key', 'Enter');
    await until('it ran', () => last('bash').status === 'completed' && daemon.json('blocks', '-s', 'bash').length === before + 1);
    assert.strictEqual(last('bash').cmd, 'echo half');
  });

  await report.test('beside an attached terminal: each is shown the whole, and it leads again behind the command', async () => {
    daemon.ptyd('open', 'both');
    const other = new Outer(env, [PTYD, 'attach', 'both'], { size: '70x20' });
    await other.until('a prompt', (look) => look.rows.some((row) => row.startsWith('$')));
    const t = await run('both', 'stty size; seq 1 5; read -p "go? " x');
    await t.expect('go? ');
    await t.type('\r');
    const { sent, status } = await t.over();
    assert.strictEqual(status, 0);
    assert.ok(sent.startsWith('20 70\r\n1\r\n2\r\n') || sent.startsWith('28 90\r\n1\r\n2\r\n'), JSON.stringify(sent));
    await until('its size is back', () => daemon.json('screen', '-s', 'both').cols === 70);
    await other.until('it shows the session', (look) => JSON.stringify(look.rows.map((row) => row.trimEnd())) === JSON.stringify(daemon.json('screen', '-s', 'both').rows));
    await other.type('echo mine\r');
    await until('it is typed', () => last('both').cmd === 'echo mine');
    await other.end();
  });

  await report.test('2 MB: every byte, in order; over the deaths of workers too', async () => {
    for (const kills of [0, 2]) {
      const name = `long-${kills}`;
      daemon.ptyd('open', name);
      const t = await terminal(['run', '-s', name, '--', kills ? 'for i in $(seq 1 40); do seq $((i*1000)) $((i*1000+999)); sleep 0.05; done; exit_() { return 6; }; exit_' : 'seq 1000000 1200000'], { blind: true });
      for (let i = 0; i < kills; i++) {
        await t.expect(`${(i + 1) * 8000}`);
        await killWorker(daemon);
      }
      const { sent, status } = await t.over();
      const expected = kills ? Array.from({ length: 40000 }, (_, k) => `${k + 1000}\r\n`).join('') : Array.from({ length: 200001 }, (_, k) => `${k + 1000000}\r\n`).join('');
      assert.strictEqual(status, kills ? 6 : 0, t.said());
      assert.ok(sent.startsWith(expected), `${sent.length} bytes of ${expected.length}`);
      assert.strictEqual(sent.slice(expected.length).includes('\n'), false, JSON.stringify(sent.slice(expected.length)));
    }
  });

  await report.test('an upgrade in its midst', async () => {
    const go = path.join(space.root, 'upgraded');
    daemon.ptyd('open', 'up');
    const t = await run('up', `echo before; until [ -e ${go} ]; do sleep 0.02; done; echo after; (exit 8)`);
    await t.expect('before');
    assert.strictEqual(daemon.ptyd('upgrade').status, 0);
    fs.writeFileSync(go, '');
    const { sent, status } = await t.over();
    assert.strictEqual(status, 8, t.said());
    assert.match(sent, /^before\r\nafter\r\n/);
  });

  await report.test('a full-screen program: it has the terminal and its size, over a worker\'s death; then all is as before', async () => {
    const go = path.join(space.root, 'quit');
    daemon.ptyd('open', 'full');
    const program = path.join(space.root, 'full.sh');
    fs.writeFileSync(program, `printf '\\033[?1049h\\033[2J\\033[HFULL'\ntrap "printf '\\033[3;1H'; stty size" WINCH\nuntil [ -e ${go} ]; do sleep 0.02; done\nprintf '\\033[?1049l'\nexit 4\n`);
    const t = await run('full', `sh ${program}`);
    await t.until('it draws', (look) => look.alternate && look.rows[0].startsWith('FULL'));
    await killWorker(daemon);
    await t.resize(60, 15);
    await t.until('its size', (look) => look.alternate && look.rows[0].startsWith('FULL') && look.rows[2].startsWith('15 60'));
    await t.resize(90, 28);
    await t.until('its size again', (look) => look.alternate && look.rows[2].startsWith('28 90'));
    fs.writeFileSync(go, '');
    const { status, rows } = await t.over();
    assert.strictEqual(status, 4, t.said());
    assert.ok(rows.some((row) => row.startsWith('STATUS 4')) && !rows.join().includes('FULL'), rows.join('\n'));
  });

  await report.test('two in line: the second waits in its terminal, and each shows its own', async () => {
    const lasts = stoppable(path.join(space.root, 'first'));
    const first = await run('bash', `${lasts.command}; echo one`);
    await until('it is in front', lasts.inFront);
    const second = await run('bash', 'echo two; (exit 2)');
    await until('it says so', () => second.said().includes('waits for session bash: '));
    lasts.end();
    const [one, two] = [await first.over(), await second.over()];
    assert.deepStrictEqual([one.status, two.status], [0, 2]);
    assert.deepStrictEqual([invisible(one.sent), invisible(two.sent)], ['one\n', 'two\n']);
  });

  await report.test('half a terminal, none that is ours to read, --json: rendered text, or the block', async () => {
    const command = 'printf "\\033[31mred\\033[m\\a\\n"; (exit 9)';
    const shows = async (line, expected, shell = ['sh', '-c']) => {
      const outer = new Outer(env, [...shell, `${line}; echo "STATUS $?"; read x`]);
      await outer.expect('STATUS ');
      assert.match(outer.received().toString(), expected);
      await outer.end();
    };
    const words = `${PTYD} run -s bash -- '${command}'`;
    await shows(`${words} </dev/null`, /^red\r\nSTATUS 9/);
    await shows(`${words} | cat`, /^red\r\nSTATUS 0/);
    await shows(`${words} & wait $!`, /^red\r\n[^]*STATUS 9/, ['bash', '-mc']);
    await shows(words.replace('--', '--json --'), /^\{.*"exit_code":9,.*\}\r\nSTATUS 9/);
  });

  await report.test('what it asked and did not hear is not left in this terminal', async () => {
    daemon.ptyd('open', 'asked');
    const place = path.join(space.root, 'left-over');
    const outer = new Outer(env, ['bash', '-c', `stty raw -echo; ${PTYD} run -s asked -- "printf '\\033[6n\\033[>q\\033]11;?\\a'" 2>/dev/null; printf '\\033[c'; IFS= read -rd c answer; printf '%q' "$answer" >${place}.new; mv ${place}.new ${place}; read x`]);
    const answer = await until('the answer to the last question', () => fs.existsSync(place) && fs.readFileSync(place, 'utf8'));
    assert.match(answer, /^\$'\\E\[\?[0-9;]*'$/);
    await outer.end();
    daemon.ptyd('close', 'asked'); // what came in time the shell there has, as in any terminal: its program read nothing
  });

  await report.test('`ptyd detach` makes it leave, too', async () => {
    const lasts = stoppable(path.join(space.root, 'detached'));
    const t = await run('bash', lasts.command);
    await until('it is in front', lasts.inFront);
    assert.strictEqual(daemon.ptyd('detach', 'bash').status, 0);
    assert.strictEqual((await t.over()).status, 125);
    assert.match(t.said(), /left; the command goes on in session bash/);
    lasts.end();
    await until('it ends', () => last('bash').status === 'completed');
  });

  await report.test('a time-out ends it, with 124, and the terminal is restored', async () => {
    const { status, rows } = await late.over();
    assert.strictEqual(status, 124);
    assert.match(late.said(), /not done after 8 s; it goes on/);
    assert.match(rows.join('\n'), /^STATUS 124/m);
    daemon.ptyd('send', '-s', 'late', '--key', 'C-c');
    await until('it ended', () => last('late').status === 'killed');
  });

  await Outer.endAll();
  await report.test('the daemon ends cleanly', async () => {
    assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
  });
  report.finish();
  removeWorkspace(space);
}

main().catch((error) => { console.error(error); process.exit(1); });
