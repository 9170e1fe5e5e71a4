// `ptyd run` gets its own command's output and status, whatever else goes on in its session. What each
// command really did it writes down itself: its number and its status, in a file of its own.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, PTYD, until, waitFor } = require('./harness');
const { Connection } = require('./connection');

const SESSIONS = Number(process.env.SESSIONS || 8);
const RUNS = Number(process.env.RUNS || 40);

// Runs ptyd without blocking: {status, stdout, stderr}.
function start(space, args) {
  const child = spawn(PTYD, args, { env: space.env, cwd: space.home, stdio: ['ignore', 'pipe', 'pipe'] });
  const out = { stdout: '', stderr: '', child };
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8');
    child[name].on('data', (data) => { out[name] += data; });
  }
  out.ended = new Promise((resolve) => child.on('close', (status, signal) => resolve(Object.assign(out, { status: status ?? signal }))));
  return out;
}

async function main() {
  const report = new Report();
  const space = workspace();
  fs.mkdirSync(path.join(space.home, '.config/fish'), { recursive: true });
  fs.writeFileSync(path.join(space.home, '.config/fish/config.fish'), "function fish_prompt; echo -n '> '; end\n");
  fs.writeFileSync(path.join(space.home, '.zshrc'), "PS1='%% '\n");
  const daemon = await new Daemon(space).ready();
  const shells = ['bash', 'zsh', 'fish', 'dash'];
  const blocks = (name) => daemon.json('blocks', '-s', name);
  const rows = (name) => daemon.json('screen', '-s', name).rows.filter(Boolean);
  const type = (name, ...keys) => assert.strictEqual(daemon.ptyd('send', '-s', name, ...keys).status, 0);
  const run = (name, command, seconds = 30) => start(space, ['run', '-s', name, '--timeout', String(seconds), '--', command]);
  const shows = (name, text) => until(`${text} on ${name}: ${rows(name).join('|')}`, () => (rows(name).at(-1) || '').includes(text));
  const waits = (r, why) => until(`it says that it waits: ${r.stderr}`, () => r.stderr.includes(why));
  const PROMPTS = { bash: '$', zsh: '%', fish: '>', dash: '$' };
  const HALF = 'a line is half typed at its prompt; Enter or Ctrl-C';

  // A command that notes that it ran, with its own number and status.
  const ran = path.join(space.root, 'ran');
  fs.mkdirSync(ran);
  const noting = (i, status) => `sh -c 'echo ${status} >>${ran}/${i}; echo out-${i}; exit ${status}'`;
  const noted = (i) => { try { return fs.readFileSync(path.join(ran, String(i)), 'utf8'); } catch { return ''; } };
  let number = 1000;

  // A line is half typed by `keys`, `shown` when the shell has taken it; a run waits until `more` is typed.
  async function behind(shell, keys, shown, more, expected, why = HALF) {
    const name = `half-${shell}`, i = number++, before = blocks(name).length;
    await shows(name, PROMPTS[shell]);
    type(name, ...keys);
    await shows(name, shown);
    const r = run(name, noting(i, 3));
    await waits(r, why);
    assert.deepStrictEqual([noted(i), blocks(name).slice(before).filter((b) => b.cmd.includes(ran))], ['', []]);
    type(name, ...more);
    await r.ended;
    assert.deepStrictEqual([r.status, r.stdout, noted(i)], [3, `out-${i}\n`, '3\n'], r.stderr);
    assert.deepStrictEqual(blocks(name).slice(before).map((b) => b.cmd), [...expected, noting(i, 3)]);
  }
  for (const shell of shells) daemon.ptyd('open', `half-${shell}`, '--shell', shell, '--env', 'PS1=$ ');
  const inEach = (body) => Promise.all(shells.map(body));

  await report.test('a run waits behind a half-typed line, says so, and goes on when it is ended, given up or erased', () => inEach(async (shell) => {
    await behind(shell, ['echo mi'], 'echo mi', ['ne', '--key', 'Enter'], ['echo mine']);
    await behind(shell, ['echo mi'], 'echo mi', ['--key', 'C-c'], []);
    await behind(shell, ['echo mi'], 'echo mi', ['--key', 'C-u'], []);
    await behind(shell, ['abc'], 'abc', ['\x7f\x7f\x7f'], []);
  }));

  await report.test('a run waits behind a command of which a line is missing', () => inEach(async (shell) => {
    const loop = shell === 'fish' ? ['for i in 1 2', 'echo $i; end'] : ['for i in 1 2; do', 'echo $i; done'];
    await behind(shell, [loop[0], '--key', 'Enter'], shell === 'fish' ? '' : '>', [loop[1], '--key', 'Enter'],
      [loop.join(shell === 'bash' ? ' ' : '\n')], // as its history has it
      shell === 'dash' ? 'a command runs there' : HALF);
  }));

  await report.test('a run whose command is not whole says that none began, and what shows it', () => Promise.all(shells.filter((shell) => shell !== 'dash').map(async (shell) => { // which has a command with the first line
    const name = `half-${shell}`, before = blocks(name).length;
    await shows(name, PROMPTS[shell]);
    const r = run(name, 'echo "abc', 120);
    await waits(r, 'it was typed, and no command began: the shell waits for the rest of it');
    assert.ok(r.stderr.endsWith(` \`ptyd screen -s ${name}\` shows it, \`ptyd send -s ${name} --key C-c\` gives it up\n`), r.stderr);
    assert.strictEqual(blocks(name).length, before);
    type(name, 'def"', '--key', 'Enter');
    await r.ended;
    assert.deepStrictEqual([r.status, r.stdout], [0, 'abc\ndef\n'], r.stderr);
    const late = run(name, "echo 'abc", 0.5);
    await late.ended;
    assert.deepStrictEqual([late.status, late.stderr], [124, `ptyd: no command began within 0.5 s; \`ptyd screen -s ${name}\` shows what became of it\n`]);
    type(name, '--key', 'C-c');
    await shows(name, PROMPTS[shell]);
  })));

  await report.test('a run waits behind half a line that was typed ahead, and not behind one that is erased before it comes', () => inEach(async (shell) => {
    const name = `half-${shell}`, go = path.join(space.root, `${name}.go`), i = number++, after = number++;
    type(name, waitFor(go), '--key', 'Enter');
    await until('it runs', () => blocks(name).at(-1)?.status === 'running');
    type(name, 'echo ah');
    const r = run(name, noting(i, 4));
    fs.writeFileSync(go, '');
    await waits(r, HALF);
    type(name, 'ead', '--key', 'Enter');
    await r.ended;
    assert.deepStrictEqual([r.status, r.stdout, noted(i)], [4, `out-${i}\n`, '4\n'], r.stderr);
    assert.deepStrictEqual(blocks(name).slice(-2).map((b) => b.cmd), ['echo ahead', noting(i, 4)]);
    await shows(name, PROMPTS[shell]);
    type(name, 'xyz');
    await shows(name, 'xyz');
    type(name, '--key', 'C-u');
    await until('it is gone', () => !rows(name).at(-1).includes('xyz'));
    const next = await run(name, noting(after, 5)).ended;
    assert.deepStrictEqual([next.status, next.stdout, noted(after)], [5, `out-${after}\n`, '5\n'], next.stderr);
  }));

  // The first prompt is the whole line's, the half one stands at the second: nothing is typed there meanwhile.
  await report.test('a run waits behind half a line that was typed ahead behind a whole one', () => inEach(async (shell) => {
    const name = `half-${shell}`, go = path.join(space.root, `${name}.two`), i = number++, first = number++;
    await shows(name, PROMPTS[shell]);
    type(name, waitFor(go), '--key', 'Enter');
    await until('it runs', () => blocks(name).at(-1)?.status === 'running');
    type(name, noting(first, 3), '--key', 'Enter');
    type(name, 'echo ah');
    const r = run(name, noting(i, 4));
    fs.writeFileSync(go, '');
    await until('the whole line ran', () => noted(first));
    await waits(r, HALF);
    type(name, 'ead', '--key', 'Enter');
    await r.ended;
    assert.deepStrictEqual([r.status, r.stdout, noted(i)], [4, `out-${i}\n`, '4\n'], r.stderr);
    assert.deepStrictEqual(blocks(name).slice(-3).map((b) => b.cmd), [noting(first, 3), 'echo ahead', noting(i, 4)]);
  }));

  // The terminal is raw and the shell itself is in front, as where it has a prompt already that nobody knows of.
  await report.test('a line that was erased is none at another size', () => inEach(async (shell) => {
    const name = `half-${shell}`, i = number++;
    await shows(name, PROMPTS[shell]);
    type(name, 'xyz');
    await shows(name, 'xyz');
    type(name, '--key', 'C-u');
    await until('it is gone', () => !rows(name).some((row) => row.includes('xyz')));
    daemon.ptyd('resize', '-s', name, '80x41');
    const r = await run(name, noting(i, 6)).ended;
    assert.deepStrictEqual([r.status, r.stdout, noted(i)], [6, `out-${i}\n`, '6\n'], r.stderr);
  }));

  // What speaks at a prompt leaves the cursor below it; the shell draws the prompt there when the size changes.
  await report.test('a line that was erased below what a job printed is none where the prompt is drawn again', () => inEach(async (shell) => {
    const name = `half-${shell}`, i = number++, sign = path.join(space.root, `${name}-spoke`);
    await shows(name, PROMPTS[shell]);
    await run(name, `sh -c '(sleep 0.3; echo spoke-${i}; : >${sign}) &'`).ended;
    await until('it spoke', () => fs.existsSync(sign) && rows(name).some((row) => row === `spoke-${i}` || row.endsWith(` spoke-${i}`)));
    type(name, 'xyz');
    await until('it is typed', () => rows(name).some((row) => row.includes('xyz')));
    type(name, '--key', 'C-u');
    await until('it is gone', () => !rows(name).some((row) => row.includes('xyz')));
    daemon.ptyd('resize', '-s', name, '83x39');
    const r = await run(name, noting(i, 6)).ended;
    assert.deepStrictEqual([r.status, r.stdout, noted(i)], [6, `out-${i}\n`, '6\n'], r.stderr);
  }));

  // A job that speaks at the prompt when it is told to, and what it leaves on the screen.
  const speaker = async (name) => {
    const i = number++, fifo = path.join(space.root, `${name}-${i}.fifo`);
    assert.strictEqual(spawnSync('mkfifo', [fifo]).status, 0);
    await run(name, `sh -c 'read word <${fifo}; echo spo""ke-${i}' &`).ended;
    await shows(name, PROMPTS[name.slice('half-'.length)]);
    return async () => {
      fs.writeFileSync(fifo, 'go\n');
      await until('it spoke', () => rows(name).some((row) => row.includes(`spoke-${i}`)));
    };
  };

  await report.test('half a line stays one when a job prints behind it', () => inEach(async (shell) => {
    const name = `half-${shell}`, i = number++;
    await shows(name, PROMPTS[shell]);
    if (shell === 'fish') await run(name, "function fish_prompt; command sleep 0.02; echo -n '> '; end").ended; // drawn well behind its mark
    const speak = await speaker(name);
    type(name, 'xyz');
    await until('it is typed', () => rows(name).some((row) => row.includes('xyz')));
    await speak();
    const r = await run(name, noting(i, 6), 1).ended;
    assert.strictEqual(r.status, 124, `${r.stdout}${r.stderr}`);
    assert.match(r.stderr, /half typed/);
    type(name, '--key', 'C-c');
    assert.strictEqual((await run(name, noting(i, 6)).ended).status, 6);
  }));

  // Nothing shows when it is forgotten, soon after all is quiet: who speaks sooner is given another try.
  await report.test('a line that was erased is none when a job prints where it was', () => inEach(async (shell) => {
    const name = `half-${shell}`;
    for (let attempt = 0, status = 0; status !== 6; attempt++) {
      const i = number++, speak = await speaker(name);
      assert.ok(attempt < 10, `${shell}: a run still waits`);
      type(name, 'typo');
      await until('it is typed', () => rows(name).some((row) => row.includes('typo')));
      type(name, '--key', 'C-u');
      await until('it is gone', () => !rows(name).some((row) => row.includes('typo')));
      for (let looks = 10 << attempt; looks > 0; looks--) rows(name);
      await speak();
      ({ status } = await run(name, noting(i, 6), 2).ended);
      if (status !== 6) type(name, '--key', 'Enter');
    }
  }));

  await report.test('a run waits behind half a line that was typed ahead where no line is edited, and the shell is in front', () => Promise.all(['bash', 'zsh'].map(async (shell) => {
    const name = `half-${shell}`, i = number++, fifo = path.join(space.root, `${name}.fifo`), raw = `${fifo}.raw`;
    assert.strictEqual(spawnSync('mkfifo', [fifo]).status, 0);
    await shows(name, PROMPTS[shell]);
    type(name, `stty -icanon; : >${raw}; read x <${fifo}`, '--key', 'Enter');
    await until('it waits', () => fs.existsSync(raw));
    type(name, 'echo ah');
    const r = run(name, noting(i, 6));
    await waits(r, 'a command runs there');
    fs.writeFileSync(fifo, 'x\n');
    await waits(r, HALF);
    assert.strictEqual(noted(i), '');
    type(name, 'ead', '--key', 'Enter');
    await r.ended;
    assert.deepStrictEqual([r.status, r.stdout, noted(i)], [6, `out-${i}\n`, '6\n'], r.stderr);
    assert.deepStrictEqual(blocks(name).slice(-2).map((b) => b.cmd), ['echo ahead', noting(i, 6)]);
  })));

  // The block is the one that began at the prompt: its text may be another than what was typed.
  await report.test('bash: what history expands, a line typed twice, vi mode', async () => {
    daemon.ptyd('open', 'texts', '--env', 'HISTCONTROL=ignorespace');
    const each = async (setting, lines) => {
      if (setting) assert.strictEqual((await run('texts', setting).ended).status, 0);
      for (const [line, status, stdout, cmd] of lines) {
        const r = await run('texts', line).ended;
        assert.deepStrictEqual([r.status, r.stdout, blocks('texts').at(-1).cmd], [status, stdout, cmd || line], r.stderr);
      }
    };
    const twice = ["sh -c 'echo twice; exit 2'", 2, 'twice\n'];
    await each('', [twice, twice, ['!!', 2, 'twice\n', twice[0]], ["sh -c 'exit 6'", 6, ''], ['!-2 #', 2, 'twice\n', `${twice[0]} #`]]);
    await each('HISTCONTROL=ignoreboth:erasedups', [twice, twice]);
    await each('set -o vi', [['echo vi; (exit 7)', 7, 'vi\n'], twice, twice]);
    // In its command mode keys are no text: a run waits, though the screen shows an empty line.
    await shows('texts', PROMPTS.bash);
    type('texts', '\x1b');
    const r = run('texts', noting(number, 8));
    await waits(r, HALF);
    type('texts', '--key', 'C-c');
    await r.ended;
    assert.deepStrictEqual([r.status, r.stdout, noted(number++)], [8, `out-${number - 1}\n`, '8\n'], r.stderr);
  });

  await report.test('fish and zsh: an abbreviation, a global alias, vi mode', async () => {
    daemon.ptyd('open', 'abbr', '--shell', 'fish');
    daemon.ptyd('open', 'alias', '--shell', 'zsh');
    await run('abbr', "abbr -a five 'sh -c \"exit 5\"'; fish_vi_key_bindings").ended;
    await run('alias', "bindkey -v; alias -g QQ='; (exit 6)'").ended;
    const five = await run('abbr', 'five').ended, six = await run('alias', 'echo q QQ').ended;
    assert.deepStrictEqual([five.status, blocks('abbr').at(-1).cmd], [5, 'sh -c "exit 5"']);
    assert.deepStrictEqual([six.status, six.stdout], [6, 'q\n']);
  });

  // The shell is stopped at its prompt until the line is in its terminal; then it draws the prompt again.
  const drawnAgain = async (shell, draw) => {
    const name = `again-${shell}`, i = number++, before = blocks(name).length;
    let typed = false;
    const connection = new Connection(space, ({ method, params }) => { typed ||= method === 'run.state' && params.typed; });
    await until('a prompt stands', () => daemon.json('list').find((s) => s.name === name).state === 'prompt');
    const pid = daemon.json('list').find((s) => s.name === name).shell_pid;
    const state = () => fs.readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) (.).*$/s, '$1');
    await until('it waits for keys', () => state() === 'S');
    process.kill(pid, 'SIGSTOP');
    await until('it is stopped', () => state() === 'T');
    const answer = connection.call('session.run', { name, command: noting(i, 3), timeout_ms: 60000 });
    await until('its line is in the terminal', () => typed);
    await draw(name, pid, i);
    process.kill(pid, 'SIGCONT');
    const { result } = await answer;
    connection.end();
    return { i, result, cmds: blocks(name).slice(before).map((b) => b.cmd) };
  };
  const isItsOwn = ({ i, result, cmds }) => {
    assert.deepStrictEqual([result.completed, result.block?.exit_code, result.block?.preview.lines, noted(i)], [true, 3, [`out-${i}`], '3\n'], JSON.stringify(result));
    assert.deepStrictEqual(cmds, [noting(i, 3)]);
  };
  for (const shell of shells) daemon.ptyd('open', `again-${shell}`, '--shell', shell, '--env', 'PS1=$ ');

  await report.test('a shell that draws its prompt again before it reads the line of a run: it has its own', async () => {
    assert.strictEqual((await run('again-zsh', 'TRAPWINCH() { zle && zle reset-prompt }').ended).status, 0);
    for (const shell of shells) {
      isItsOwn(await drawnAgain(shell, (name) => daemon.ptyd('resize', '-s', name, '70x20')));
      // dash's terminal echoes the line before dash reads it: there a signal from outside looks like its end.
      if (shell !== 'dash') isItsOwn(await drawnAgain(shell, (name, pid) => process.kill(pid, 'SIGINT')));
      assert.strictEqual((await run(`again-${shell}`, "sh -c 'exit 4'").ended).status, 4);
    }
  });

  // A line of the same text behind it: whose the block is that begins at the other prompt, nobody knows.
  await report.test('a prompt drawn again, and others typed the same line behind that of a run: it takes no block for its own', async () => {
    for (const shell of ['bash', 'zsh']) {
      const { result } = await drawnAgain(shell, async (name, pid, i) => {
        const connection = new Connection(space);
        await connection.type(name, `${noting(i, 3)}\r`);
        connection.end();
        process.kill(pid, 'SIGINT');
      });
      assert.deepStrictEqual([result.completed, result.block], [false, null], JSON.stringify(result));
    }
  });

  await report.test('behind a running command, several lines are one command, also where a line editor turns bracketed paste on behind its prompt', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const name = `lines-${shell}`, go = path.join(space.root, `go-${name}`);
      if (daemon.ptyd('open', name, '--shell', shell).status !== 0) continue;
      await run(name, 'true').ended; // its prompts say that it does
      const before = run(name, `${waitFor(go)}; echo waited`);
      await until('it runs', () => daemon.json('blocks', '-s', name).at(-1).status === 'running');
      const behind = run(name, "printf '%s|' 'a\n  b'\necho second");
      await waits(behind, 'a command runs there');
      fs.writeFileSync(go, '');
      const [first, second] = [await before.ended, await behind.ended];
      assert.deepStrictEqual([first.status, first.stdout, second.status, second.stdout], [0, 'waited\n', 0, 'a\n  b|second\n'], shell);
      assert.strictEqual(daemon.json('blocks', '-s', name).at(-1).cmd, "printf '%s|' 'a\n  b'\necho second", shell);
    }
  });

  await report.test(`${RUNS} runs over ${SESSIONS} sessions of four shells, three at once in one, lines typed ahead, a typing person: each has its own`, async () => {
    const names = Array.from({ length: SESSIONS }, (_, k) => `many-${k}`);
    names.forEach((name, k) => daemon.ptyd('open', name, '--shell', shells[k % 4]));
    const go = path.join(space.root, 'many.go'), connection = new Connection(space);
    // In each a command that runs, and behind it a line that the user typed ahead.
    await Promise.all(names.map((name) => connection.type(name, `${waitFor(go)}\r${noting(`${name}-ahead`, 9)}\r`)));
    const runs = Array.from({ length: RUNS }, (_, i) => {
      const name = i < 3 ? names[0] : names[i % SESSIONS];
      return { i, name, status: i % 7, run: start(space, ['run', '-s', name, '--', noting(i, i % 7)]) };
    });
    // In every other one a person types a few lines meanwhile, key by key.
    const persons = names.filter((_, k) => k % 2).map(async (name) => {
      for (let n = 0; n < 3; n++)
        for (const key of `${noting(`${name}-typed-${n}`, n)}\r`) await connection.type(name, key);
    });
    fs.writeFileSync(go, '');
    await Promise.all(persons);
    await Promise.all(runs.map(({ run: r }) => r.ended));
    connection.end();
    const wrong = runs.filter(({ i, status, run: r }) => r.status !== status || r.stdout !== `out-${i}\n` || noted(i) !== `${status}\n`);
    assert.deepStrictEqual(wrong.map(({ i, name, status, run: r }) => ({ i, name, wanted: status, did: noted(i), status: r.status, stdout: r.stdout, stderr: r.stderr })), []);
    const typed = names.flatMap((name, k) => [[`${name}-ahead`, 9], ...(k % 2 ? [0, 1, 2].map((n) => [`${name}-typed-${n}`, n]) : [])]);
    await until('what was typed ran', () => typed.every(([i]) => noted(i)));
    assert.deepStrictEqual(typed.filter(([i, status]) => noted(i) !== `${status}\n`), []);
    await until('all have ended', () => names.every((name) => blocks(name).every((b) => b.status !== 'running')));
    // Each block has the status that its command noted.
    for (const name of names)
      for (const b of blocks(name).filter(({ cmd }) => cmd.includes(ran)))
        assert.strictEqual(`${b.exit_code}\n`, noted(/ran\/(\S+);/.exec(b.cmd)[1]), b.cmd);
  });

  await report.test('the daemon ends cleanly', async () => {
    assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
  });
  report.finish();
  removeWorkspace(space);
}

main();
