// A worker's death is nobody's end, and no wait is without one. Workers are killed at random moments, or
// stopped, under every command that stays connected; what must have happened is counted by what the
// commands that were run wrote into files themselves. KILLS and RUNS make it longer.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Client, Report, killWorker, PTYD, until, waitFor } = require('./harness');

const KILLS = Number(process.env.KILLS || 8);
const RUNS = Number(process.env.RUNS || 10); // in each shell

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

function workerOf(daemon) {
  const keeper = daemon.process.pid;
  try {
    const children = fs.readFileSync(`/proc/${keeper}/task/${keeper}/children`, 'utf8').trim().split(' ');
    return Number(children.find((pid) => fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(`${PTYD}\0serve`)));
  } catch { return 0; }
}

function kill(daemon) {
  const pid = workerOf(daemon);
  if (!pid) return false;
  try { process.kill(pid, 'SIGKILL'); return true; } catch { return false; }
}

// Does `body` while workers are killed at random moments: some as soon as they are there, others a while
// after they served somebody. The body gets how many there were so far.
async function withKills(daemon, body) {
  const state = { kills: 0, over: false };
  const killing = (async () => {
    for (let before = 0; !state.over;) {
      const pid = workerOf(daemon);
      if (!pid || pid === before) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        continue;
      }
      if (Math.random() < 0.75) await start(daemon.space, ['list']).ended;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * (Math.random() < 0.3 ? 1200 : 150)));
      if (!state.over) state.kills += kill(daemon);
      before = pid;
    }
  })();
  try { return await body(state); } finally { state.over = true; await killing; }
}

const lines = (file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trimEnd().split('\n') : []);

// A terminal that can be looked at: a session of a second daemon in which ptyd runs with these arguments;
// without any it needs a terminal that is no session's own, made by script(1).
class Screen {
  constructor(outer, name, space, args) {
    const command = args.length ? [PTYD, ...args].join(' ') : `script -qefc ${PTYD} /dev/null`;
    this.outer = outer;
    this.name = name;
    const env = Object.entries(space.env).filter(([key]) => key.startsWith('PTYD_')).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
    this.opened = outer.ptyd('open', name, '--size', '90x25', ...env, '--', 'sh', '-c', `unset PTYD_SESSION; ${command}; echo "STATUS $? $(stty -a | grep -o -- '-\\?icanon')"; cat`);
  }

  rows() { return this.outer.json('screen', '-s', this.name).rows; }

  text() { return this.rows().join('\n') + this.outer.ptyd('scrollback', '-s', this.name).stdout; }

  type(text) { assert.strictEqual(this.outer.ptyd('send', '-s', this.name, '--hex', Buffer.from(text).toString('hex')).status, 0); }

  shows(pattern, ms) { return until(`${pattern} on ${this.name}`, () => pattern.test(this.text()), ms); }
}

async function testRuns(report, daemon, space) {
  await report.test(`${RUNS} runs each in bash, zsh, fish and dash, workers killed meanwhile: each runs once, and its client gets its output and status`, async () => {
    const shells = ['bash', 'zsh', 'fish', 'dash'];
    for (const shell of shells) daemon.ptyd('open', shell, '--shell', shell);
    const wrong = [];
    let doubtful = 0;
    const one = async (shell, i) => {
      const file = path.join(space.root, `${shell}.ran`);
      const body = `echo ${i} >>${file}; echo out-${shell}-${i}; sleep 0.0${i % 7}; echo end-${i}; exit ${i % 5}`;
      const result = await start(space, ['run', '-s', shell, '--', `sh -c '${body}'`]).ended;
      if (/whether it was typed is not known/.test(result.stderr)) doubtful += 1;
      else if (result.status !== i % 5 || result.stdout !== `out-${shell}-${i}\nend-${i}\n`)
        wrong.push({ shell, i, status: result.status, stdout: result.stdout, stderr: result.stderr, block: daemon.json('blocks', '-s', shell).find((b) => b.cmd.includes(`echo ${i} >>`)) });
    };
    // Two at once in each session.
    let count = 0;
    await withKills(daemon, (state) => Promise.all(shells.flatMap((shell) => [0, 1].map(async (half) => {
      for (let i = half; i < RUNS || state.kills < KILLS; i += 2) { await one(shell, i); count += 1; }
    }))));
    assert.deepStrictEqual(wrong, []);
    assert.ok(doubtful <= count / 10, `${doubtful} of ${count} in doubt`); // few: how few is up to the machine
    for (const shell of shells) {
      const ran = lines(path.join(space.root, `${shell}.ran`));
      assert.strictEqual(new Set(ran).size, ran.length, `${shell}: one ran twice: ${ran}`);
      assert.ok(ran.length >= RUNS - doubtful);
    }
  });

  await report.test('a long output is printed once, over the deaths of workers', async () => {
    const result = await withKills(daemon, () => start(space, ['run', '-s', 'bash', '--', 'for i in $(seq 1 60); do seq $((i*1000)) $((i*1000+999)); sleep 0.03; done']).ended);
    const expected = Array.from({ length: 60 }, (_, i) => Array.from({ length: 1000 }, (__, j) => `${(i + 1) * 1000 + j}\n`).join('')).join('');
    assert.strictEqual(result.status, 0, result.stderr);
    assert.ok(result.stdout === expected, `${result.stdout.length} bytes of ${expected.length}`);
  });

  for (const shell of ['bash', 'zsh', 'fish', 'dash'])
    await report.test(`${shell}: three runs at once, behind a line that the user typed ahead: each has its own`, async () => {
      const name = `queue-${shell}`, go = path.join(space.root, `${name}.go`);
      daemon.ptyd('open', name, '--shell', shell);
      daemon.ptyd('send', '-s', name, `${waitFor(go)}\rsh -c "exit 9"\r`);
      const runs = [3, 4, 5].map((n) => start(space, ['run', '-s', name, '--', `sh -c 'echo own-${n}; exit ${n}'`]));
      await until('the runs wait', () => daemon.json('status').sessions.length);
      fs.writeFileSync(go, '');
      const results = await Promise.all(runs.map((run) => run.ended));
      assert.deepStrictEqual(results.map((r) => [r.status, r.stdout]), [[3, 'own-3\n'], [4, 'own-4\n'], [5, 'own-5\n']], JSON.stringify(results.map((r) => r.stderr)));
      assert.ok(daemon.json('blocks', '-s', name).some((b) => b.cmd === 'sh -c "exit 9"' && b.exit_code === 9));
    });

  await report.test('a comment is no command; the runs behind it have theirs', async () => {
    const runs = ['# nothing', "sh -c 'exit 6'", '# nothing', "sh -c 'exit 7'"].map((text) => start(space, ['run', '-s', 'bash', '--', text]));
    const results = await Promise.all(runs.map((run) => run.ended));
    assert.deepStrictEqual(results.map((r) => r.status), [125, 6, 125, 7]);
  });
}

async function testEvents(report, daemon, space) {
  await report.test(`events -f over ${KILLS} kills: each block's begin and end once, none missing`, async () => {
    daemon.ptyd('open', 'told');
    const file = path.join(space.root, 'told.ran');
    const events = start(space, ['events', '-f']);
    await start(space, ['run', '-s', 'told', '--', ':']).ended;
    await until('it follows', async () => { await start(space, ['run', '-s', 'told', '--', ':']).ended; return events.stdout.includes('agent_block_end'); });
    await withKills(daemon, async (state) => {
      for (let i = 0; state.kills < KILLS; i++) {
        const name = i % 4 === 3 ? 'younger' : 'told';
        const result = await start(space, ['run', '-s', name, '--', `echo ${i} >>${file}`]).ended;
        assert.ok(result.status === 0 || /whether it was typed/.test(result.stderr), `${result.status} ${result.stderr}`);
      }
    });
    assert.strictEqual((await start(space, ['run', '-s', 'told', '--', 'echo last']).ended).status, 0);
    await until('the last one is told', () => events.stdout.includes('"cmd":"echo last"') && /agent_block_end.*echo last/.test(events.stdout));
    events.child.kill('SIGINT');
    await events.ended;
    const told = events.stdout.trimEnd().split('\n').map((line) => JSON.parse(line));
    for (const type of ['agent_block_begin', 'agent_block_end'])
      for (const name of ['told', 'younger']) {
        const seqs = told.filter((e) => e.type === type && e.conversation_id === name).map((e) => e.block.seq);
        assert.deepStrictEqual(seqs, Array.from({ length: seqs.length }, (_, k) => seqs[0] + k), `${type} of ${name}`);
      }
    const ran = lines(file);
    const ends = told.filter((e) => e.type === 'agent_block_end' && e.block.cmd.startsWith('echo ') && e.block.cmd.includes(file)).map((e) => e.block.cmd.split(' ')[1]);
    assert.deepStrictEqual(ends.sort(), ran.sort(), 'what ran and what was told');
    // Each other event has the number behind the one before, or it was said how many were lost.
    const lost = told.filter((e) => e.type === 'events_lost');
    assert.ok(lost.every((e) => e.count > 0), JSON.stringify(lost));
    let last = null;
    for (const { type, number, count = 0 } of told.filter((e) => e.number !== undefined)) {
      const missing = last === null ? 0 : number - last - (type === 'events_lost' ? 0 : 1);
      assert.strictEqual(missing, count, `${type} ${number} behind ${last}`);
      last = number;
    }
  });

  await report.test('events -f over kills while nothing happens prints nothing, and goes on with its numbers', async () => {
    daemon.ptyd('run', '-s', 'told', '--', ':');
    const events = start(space, ['events', '-f']), told = () => events.stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line));
    await until('it follows', () => { daemon.ptyd('context', 'on'); return told().length; });
    const before = told().at(-1).number, count = told().length;
    for (let i = 0; i < 3; i++) await killWorker(daemon);
    daemon.ptyd('context', 'off');
    await until('it is told', () => told().at(-1).injection === false);
    assert.deepStrictEqual(told().slice(count).filter((e) => e.type !== 'capture_changed'), []);
    assert.ok(told().every((e, i, all) => !i || e.number === all[i - 1].number + 1) && told().at(-1).number > before);
    daemon.ptyd('context', 'on');
    events.child.kill('SIGINT');
    await events.ended;
  });

  await report.test('a follower that joins with an older number hears how many events were lost', async () => {
    const ask = (params) => new Promise((resolve, reject) => {
      const socket = net.connect(space.env.PTYD_SOCKET, () => socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'events.follow', params })}\n${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'status.short', params: {} })}\n`));
      let text = '';
      socket.on('error', reject);
      socket.on('data', (data) => {
        text += data;
        const messages = text.split('\n').slice(0, -1).map((line) => JSON.parse(line));
        if (!messages.some((m) => m.id === 2)) return;
        socket.destroy();
        resolve([messages.find((m) => m.id === 1).result, messages.filter((m) => m.method).map((m) => m.params)]);
      });
    });
    const [{ places, number }, none] = await ask({});
    assert.deepStrictEqual(none, []);
    assert.deepStrictEqual((await ask({ after: places, number }))[1], []);
    for (const word of ['off', 'on', 'off', 'on']) daemon.ptyd('context', word);
    await killWorker(daemon);
    const [{ number: now }, [lost, pending]] = await ask({ after: places, number });
    assert.deepStrictEqual([now, lost.type, lost.count, lost.number, pending.type], [number + 4, 'events_lost', 4, number + 4, 'context_pending']);
    assert.strictEqual((await ask({ after: places, number: now + 5 }))[1][0].count, null);
    assert.strictEqual((await ask({ after: places }))[1][0].count, null);
    const [name] = Object.keys(places), least = -(2 ** 62);
    const from = async (n) => (await ask({ after: { [name]: [n, n] }, number: now }))[1].map(({ ts, ...event }) => event); // of the telling
    assert.deepStrictEqual(await from(least), await from(0));

    const agent = path.join(space.env.PTYD_STATE_DIR, 'conversations/mixed/agent_pty'); // by nobody of ours
    fs.mkdirSync(agent, { recursive: true, mode: 0o700 });
    const mixed = Array.from({ length: 3000 }, (_, i) => `${JSON.stringify({ conversation_id: 'mixed', seq: 3000 - i, status: 'completed', cmd: 'x'.repeat(300) })}\n`);
    fs.writeFileSync(path.join(agent, 'blocks.jsonl'), mixed.join(''));
    const told = (await ask({ after: { mixed: [0, 0] }, number: now }))[1];
    assert.ok(told.length <= 3000);
    fs.rmSync(path.dirname(agent), { recursive: true });
  });

  await report.test('a follower that missed much is told it in order, the newest, while others are served and before what happens meanwhile', async () => {
    const agent = path.join(space.env.PTYD_STATE_DIR, 'conversations/much/agent_pty'), count = 10500, kept = 10000;
    fs.mkdirSync(agent, { recursive: true, mode: 0o700 });
    const line = (seq, status) => `${JSON.stringify({ conversation_id: 'much', seq, status, cmd: `command ${seq}`, output: 'x'.repeat(300) })}\n`;
    for (const [name, from, to] of [['blocks.jsonl.1', 1, 6000], ['blocks.jsonl', 6001, count]])
      fs.writeFileSync(path.join(agent, name), Array.from({ length: to - from + 1 }, (_, i) => line(from + i, 'running') + line(from + i, 'completed')).join(''));
    const told = await new Promise((resolve, reject) => {
      const events = [];
      let rest = '', meanwhile = 0;
      const socket = net.connect(space.env.PTYD_SOCKET, () => socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'events.follow', params: { after: { much: [200, 199] }, number: -1 } })}\n`));
      socket.on('error', reject);
      socket.setEncoding('utf8').on('data', (data) => {
        const lines = (rest + data).split('\n');
        rest = lines.pop();
        events.push(...lines.map((text) => JSON.parse(text)).filter((m) => m.method).map((m) => m.params));
        if (!meanwhile++) assert.strictEqual(daemon.ptyd('context', 'off').status, 0); // it reads no more until that is answered
        if (!events.some(({ type }) => type === 'capture_changed')) return;
        socket.destroy();
        resolve(events);
      });
    });
    daemon.ptyd('context', 'on');
    const first = count - kept;
    const ours = ({ conversation_id: name }) => name === 'much', lost = told.findIndex(({ type }) => type === 'events_lost');
    assert.strictEqual(told[lost].count, first - 200 + first - 199);
    assert.ok(lost < told.findIndex(ours));
    const blocks = told.filter(ours).map(({ type, block }) => `${type} ${block.seq} ${block.cmd}`);
    assert.deepStrictEqual(blocks, Array.from({ length: kept }, (_, i) => ['begin', 'end'].map((what) => `agent_block_${what} ${first + i + 1} command ${first + i + 1}`)).flat());
    assert.ok(told.findIndex(({ type }) => type === 'capture_changed') > told.findLastIndex(({ block }) => block));
  });

  await report.test('mcp goes on: calls are answered over a kill, and the header names the tools again by itself', async () => {
    const mcp = new Client(PTYD, ['mcp', '-s', 'told'], { env: space.env });
    await mcp.request('initialize', { protocolVersion: '2025-06-18', capabilities: {} });
    for (let i = 0; i < 5; i++) {
      kill(daemon);
      const call = await mcp.request('tools/call', { name: 'pty_read_screen', arguments: {} });
      assert.strictEqual(call.result.isError, false, JSON.stringify(call));
      assert.strictEqual(JSON.parse(call.result.content[0].text).cols, 80);
    }
    kill(daemon); // and nobody calls
    await until('the header names them', () => {
      const about = Object.entries(daemon.json('context', 'show', '-s', 'told').additionalContext).find(([key]) => key.startsWith('terminal_about_'));
      return about && JSON.parse(about[1].value).mcp;
    });
    await mcp.end();
  });
}

async function testAttach(report, daemon, space, outer) {
  await report.test(`attach over ${KILLS} kills: what is typed is typed at most once, in order, and the terminal shows the session`, async () => {
    daemon.ptyd('open', 'shown');
    const file = path.join(space.root, 'shown.ran');
    const screen = new Screen(outer, 'shown-outside', space, ['attach', '--verbose', 'shown']);
    await screen.shows(/\[ptyd: session shown/);
    let typed = 0;
    await withKills(daemon, async (state) => {
      while (state.kills < KILLS) {
        screen.type(`echo ${typed} >>${file}; printf '\\033[3${typed % 8}mn${typed}\\n'\r`);
        typed += 1;
        const deadline = Date.now() + 300;
        await until('it ran, or was lost', () => lines(file).includes(String(typed - 1)) || Date.now() > deadline);
      }
    });
    screen.type('printf "\\033[m"; echo over-"now"\r');
    await screen.shows(/^over-now/m);
    const ran = lines(file).map(Number);
    assert.deepStrictEqual(ran, [...new Set(ran)].sort((a, b) => a - b), 'once, in order');
    await until('it shows the session as it is', () => {
      const inside = daemon.json('screen', '-s', 'shown').rows, outside = screen.rows();
      return inside.join('\n').trimEnd() === outside.join('\n').trimEnd();
    });
    screen.type('\x1cd');
    await screen.shows(/\[left session shown[^]*STATUS 0 icanon/);
    const missing = typed - ran.length;
    const doubt = /(\d+) bytes that you typed may not have/.exec(screen.text().replace(/\n/g, ''));
    assert.ok(missing === 0 || doubt, `${missing} of ${typed} lines are missing, and nobody said so`);
    outer.ptyd('close', 'shown-outside');
  });

  await report.test('attach, its shell exits while nobody serves: it ends with its status', async () => {
    daemon.ptyd('open', 'exits');
    const screen = new Screen(outer, 'exits-outside', space, ['attach', '--verbose', 'exits']);
    await screen.shows(/\[ptyd: session exits/);
    screen.type(`until [ -e ${space.root}/exits.go ]; do sleep 0.01; done; exit 5\r`);
    await until('it runs', () => daemon.json('blocks', '-s', 'exits').length === 1);
    for (let i = 0; i < 3; i++) kill(daemon);
    fs.writeFileSync(`${space.root}/exits.go`, '');
    kill(daemon);
    await screen.shows(/\[session exits ended\][^]*STATUS 5 icanon/);
    outer.ptyd('close', 'exits-outside');
  });

  await report.test('a session whose shell exited stays, readable as it was, over kills until it is closed or opened again', async () => {
    const told = () => JSON.stringify(['list', 'blocks', 'screen', 'scrollback'].map((what) => (what === 'list'
      ? daemon.json('list').filter((s) => s.name.startsWith('over-')) : ['over-bash', 'over-dash'].map((s) => daemon.json(what, '-s', s)))));
    for (const shell of ['bash', 'dash']) {
      assert.strictEqual(daemon.ptyd('open', `over-${shell}`, '--shell', shell).status, 0);
      daemon.ptyd('run', '-s', `over-${shell}`, '--', 'seq 1 500; echo seen');
      daemon.ptyd('send', '-s', `over-${shell}`, 'exit 3\r');
      await until('it is over', () => daemon.json('list').find((s) => s.name === `over-${shell}`).state === 'exited');
    }
    const before = told();
    assert.match(before, /"seen"/);
    for (let kill = 0; kill < 3; kill++) {
      await killWorker(daemon);
      assert.strictEqual(told(), before);
    }
    const keeper = daemon.json('status').keeper_pid, fds = () => fs.readdirSync(`/proc/${keeper}/fd`).length;
    const held = fds();
    assert.strictEqual(daemon.ptyd('close', 'over-bash').status, 0);
    await until('nothing is held of it', () => fds() < held);
    assert.strictEqual(daemon.ptyd('open', 'over-dash', '--shell', 'dash').status, 0);
    await killWorker(daemon);
    assert.deepStrictEqual(daemon.json('list').filter((s) => s.name.startsWith('over-')).map((s) => `${s.name} ${s.state}`), ['over-dash prompt']);
    assert.strictEqual(daemon.ptyd('run', '-s', 'over-dash', '--', 'echo again').stdout, 'again\n');
    assert.deepStrictEqual(daemon.json('blocks', '-s', 'over-dash').map((b) => b.seq), [1, 2, 3]);
    daemon.ptyd('close', 'over-dash');
  });

  await report.test('bare ptyd over kills: its session stays, and ends with it', async () => {
    const screen = new Screen(outer, 'own-outside', space, []);
    await until('its session', () => daemon.json('list').some((s) => s.name === 'term-1'));
    for (let i = 0; i < 3; i++) {
      kill(daemon);
      screen.type(`echo alive-$((${i}+1))\r`);
      await screen.shows(new RegExp(`^alive-${i + 1}`, 'm'));
    }
    screen.type('exit 6\r');
    await screen.shows(/\[session term-1 ended\][^]*STATUS 6 icanon/);
    await until('the session is gone', () => !daemon.json('list').some((s) => s.name === 'term-1'));
    outer.ptyd('close', 'own-outside');
  });
}

// Keeper and worker of daemons of their own are stopped: nobody serves, and nobody refuses.
async function testNobodyServes(report, outer) {
  const space = workspace(), daemon = await new Daemon(space).ready();
  daemon.ptyd('open', 'work');
  daemon.ptyd('open', 'other');
  const leaver = new Screen(outer, 'leaver', space, ['attach', '--verbose', 'work']);
  const patient = new Screen(outer, 'patient', space, ['attach', '--verbose', 'work']);
  await leaver.shows(/\[ptyd: session work/);
  await patient.shows(/\[ptyd: session work/);
  const events = start(space, ['events', '-f']);
  const run = start(space, ['run', '-s', 'other', '--', waitFor(`${space.root}/go`)]);
  await until('it runs', () => daemon.json('blocks', '-s', 'other').length);
  process.kill(daemon.process.pid, 'SIGSTOP');
  kill(daemon);

  await report.test('while nobody serves: the detach key leaves at once, the terminal is restored', async () => {
    leaver.type('echo typed meanwhile\x1cd');
    await leaver.shows(/\[left session work[^]*STATUS 0 icanon/); // and not that nobody came back within 5 s
    assert.match(leaver.text(), /20 bytes that you typed last did not reach the session: the daemon is away/);
  });

  await report.test('nobody came back within 5 s: attach, events and run end, each says what it knows', async () => {
    await patient.shows(/did not come back within 5 s; `ptyd attach work`[^]*STATUS 1 icanon/);
    const [told, ran] = [await events.ended, await run.ended];
    assert.strictEqual(told.status, 1);
    assert.match(told.stderr, /did not come back within 5 s/);
    assert.deepStrictEqual([ran.status, /the command was typed, how it ended is not known/.test(ran.stderr)], [125, true]);
  });

  process.kill(daemon.process.pid, 'SIGCONT');
  await report.test('the session lives on', async () => {
    fs.writeFileSync(`${space.root}/go`, '');
    const again = await start(space, ['run', '-s', 'work', '--', 'echo lives']).ended;
    assert.deepStrictEqual([again.status, again.stdout], [0, 'lives\n']);
  });
  await daemon.stop();
  removeWorkspace(space);
}

// The next worker works for longer than one is waited for that does nothing.
// Its socket is removed, by who tidies up, or with all of the directory when its user logs out.
async function testSocketGone(report) {
  await report.test('the socket is gone, or all of its directory: whoever would start a daemon finds the one that runs, with every shell', async () => {
    const space = workspace(), daemon = await new Daemon(space).ready(), place = space.env.PTYD_SOCKET;
    daemon.ptyd('open', 'work');
    daemon.ptyd('run', '-s', 'work', '--', 'mine=kept');
    const { shell_pid: shell } = daemon.json('list')[0];
    for (const gone of [place, `${place}.lock`, path.dirname(place)]) {
      fs.rmSync(gone, { recursive: true });
      if (gone !== `${place}.lock`) assert.match(daemon.ptyd('list').stderr, /no daemon runs/);
      const found = daemon.ptyd('open', 'work');
      assert.deepStrictEqual([found.status, /was running already/.test(found.stdout)], [0, true], `${gone}: ${found.stdout}${found.stderr}`);
      assert.strictEqual(daemon.ptyd('run', '-s', 'work', '--', 'echo $mine').stdout, 'kept\n', gone);
      const [work] = daemon.json('list'), { keeper_pid: keeper } = daemon.json('status');
      assert.deepStrictEqual([work.shell_pid, keeper], [shell, daemon.process.pid], gone);
      assert.deepStrictEqual([place, path.dirname(place)].map((one) => fs.statSync(one).mode & 0o777), [0o600, 0o700]);
    }
    const { worker_pid: worker } = daemon.json('status');
    process.kill(daemon.process.pid, 'SIGHUP'); // a terminal that hangs up, say: nothing is amiss
    assert.strictEqual(daemon.ptyd('run', '-s', 'work', '--', 'echo $mine').stdout, 'kept\n');
    assert.strictEqual(daemon.json('status').worker_pid, worker);
    assert.strictEqual((await daemon.stop()).code, 0);
    assert.ok(!fs.existsSync(place));
    removeWorkspace(space);
  });
}

async function testSlowStart(report, outer) {
  const space = workspace(), starts = path.join(space.root, 'starts'), go = path.join(space.root, 'go');
  const faults = { LD_PRELOAD: path.resolve(path.dirname(PTYD), 'faults.so'), ASAN_OPTIONS: 'verify_asan_link_order=0', FAULT_START: starts };
  const daemon = await new Daemon({ ...space, env: { ...space.env, ...faults } }).ready();
  daemon.ptyd('open', 'work');
  daemon.ptyd('open', 'other');
  await report.test('a worker that is slow to start, and gets on: attach, events and run wait for it', async () => {
    const viewer = new Screen(outer, 'viewer', space, ['attach', '--verbose', 'work']);
    await viewer.shows(/\[ptyd: session work/);
    const events = start(space, ['events', '-f', '--json']);
    const run = start(space, ['run', '-s', 'other', '--', `${waitFor(go)}; sh -c 'exit 3'`]);
    await until('it runs', () => daemon.json('blocks', '-s', 'other').length);
    await until('events are followed', () => events.stdout.includes('agent_block_begin') || (daemon.ptyd('run', '-s', 'work', '--', 'true'), false), 60000);
    const before = workerOf(daemon);
    fs.writeFileSync(starts, '');
    kill(daemon);
    await until('the next one starts', () => ![0, before].includes(workerOf(daemon)));
    viewer.type('echo typed-$((40 + 2))\n');
    await new Promise((resolve) => setTimeout(resolve, 6500)); // the test is of what outlasts 5 s: not less
    assert.deepStrictEqual([events.child.exitCode, run.child.exitCode, viewer.text().includes('STATUS')], [null, null, false], events.stderr + run.stderr + viewer.text());
    fs.rmSync(starts);
    await viewer.shows(/typed-42/);
    fs.writeFileSync(go, '');
    assert.strictEqual((await run.ended).status, 3, run.stderr);
    await until('its end is told', () => /"agent_block_end".*exit 3/.test(events.stdout));
    viewer.type('\x1cd');
    await viewer.shows(/STATUS 0 icanon/);
    events.child.kill('SIGTERM');
    await events.ended;
  });
  await daemon.stop();
  removeWorkspace(space);
}

async function testStopped(report, outer) {
  const space = workspace(), daemon = await new Daemon(space).ready();
  daemon.ptyd('open', 'work');
  const worker = workerOf(daemon);
  const running = start(space, ['run', '-s', 'work', '--timeout', '2', '--', 'sleep 1000']);
  await until('it runs', () => daemon.json('blocks', '-s', 'work').length);
  process.kill(worker, 'SIGSTOP');
  const looks = [['list'], ['status', '--short'], ['blocks', '-s', 'work']].map((args) => start(space, args));
  const close = start(space, ['close', 'other']);
  const others = [['detach', 'work'], ['rename', 'work', 'play'], ['resize', '90x30', '-s', 'work'], ['run', '-s', 'work', '--', 'true']].map((args) => start(space, args));
  const waiting = start(space, ['run', '-s', 'work', '--timeout', '1.5', '--', 'echo never']);
  const bare = new Screen(outer, 'bare', { ...space, env: { ...space.env, SHELL: '/bin/sh' } }, []);

  await report.test('a stopped worker: run --timeout ends in time, with 124', async () => {
    const first = await Promise.race([close.ended, Promise.all([running.ended, waiting.ended])]);
    assert.ok(Array.isArray(first), 'before what has no time-out of its own');
    assert.deepStrictEqual(first.map((run) => run.status), [124, 124], first.map((run) => run.stderr).join());
  });

  await report.test('a stopped worker: bare ptyd gives the plain shell, and says why', async () => {
    await bare.shows(/the daemon does not answer[^]*starting .* without it/);
    bare.type('echo plain-$((1+1))\n');
    await bare.shows(/^plain-2/m);
  });

  await report.test('a stopped worker: what only looks says within 1 s that nobody answers, and what to do', async () => {
    for (const look of looks) {
      const { status, stderr } = await look.ended;
      assert.strictEqual(stderr.replace('waited 2 s', 'waited 1 s'), `ptyd: the daemon does not answer (waited 1 s): its worker, process ${worker}, is stopped: \`kill -CONT ${worker}\` lets it go on\n`);
      assert.strictEqual(status, 1);
    }
  });

  await report.test('a stopped worker: what does more than look says meanwhile that it waits, once', async () => {
    for (const other of [close, ...others]) {
      await until('it says so', () => other.stderr);
      assert.deepStrictEqual([other.stderr, other.child.exitCode], ['ptyd: no answer from the daemon yet; waiting for it\n', null]);
    }
    for (const other of others) other.child.kill();
  });

  await report.test('a stopped worker: close ends after its limit; what is not known is said', async () => {
    const closed = await close.ended;
    assert.match(closed.stderr, /does not answer \(waited 1[56] s\); whether it does what was asked is not known/);
    assert.strictEqual(closed.status, 1);
  });

  process.kill(worker, 'SIGCONT');
  await report.test('it goes on: the session is as it was', async () => {
    daemon.ptyd('send', '-s', 'work', '--key', 'C-c');
    await until('a prompt', () => daemon.json('list')[0].state === 'prompt');
    assert.strictEqual(daemon.ptyd('run', '-s', 'work', '--', 'echo on').stdout, 'on\n');
    await until('no shell that nobody has', () => !daemon.json('list').some((s) => s.name.startsWith('term-')));
  });
  await daemon.stop();
  removeWorkspace(space);
}

// With a daemon of its own, beside the others.
async function apart(report, test, outer) {
  const space = workspace(), daemon = await new Daemon(space).ready();
  await test(report, daemon, space, outer);
  await report.test('SIGTERM stops it', async () => assert.strictEqual((await daemon.stop()).code, 0));
  removeWorkspace(space);
}

async function main() {
  const report = new Report({ limit: 300 + 5 * (KILLS + RUNS) }), outside = workspace();
  const outer = await new Daemon(outside).ready();
  await Promise.all([testStopped(report, outer), testNobodyServes(report, outer),
    ...[testRuns, testEvents, testAttach].map((test) => apart(report, test, outer))]);
  await testSocketGone(report);
  await testSlowStart(report, outer);
  await report.test('SIGTERM stops the terminals', async () => assert.strictEqual((await outer.stop()).code, 0));
  removeWorkspace(outside);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
