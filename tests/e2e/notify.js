// `ptyd notify codex` with the real codex: what its model received is the judge. Usage: node notify.js PATH-TO-CODEX
'use strict';
const assert = require('node:assert');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { withCodex, trust, blockIn, isTitle, Tui } = require('./client_codex');
const { removeWorkspace, SocketClient, Report, PTYD, until, socketsAt, killWorker, waitFor } = require('./harness');

const codex = process.argv[2];

// What the model was given in one request, and what of it are commands of the terminal.
const textsOf = (request) => request.input.flatMap((item) => (Array.isArray(item.content) ? item.content : []).map((c) => [item.role, c.text || '']));
const saidIn = (request) => textsOf(request).filter(([role]) => role === 'user').map(([, text]) => text);
const toldIn = (request) => textsOf(request).map(([, text]) => blockIn(text)).filter(Boolean);

async function main() {
  const report = new Report();
  const { space, model, daemon, bin, env } = await withCodex(codex);
  fs.symlinkSync(PTYD, path.join(bin, 'ptyd'));
  trust({ env, space });
  const control = path.join(env.CODEX_HOME, 'app-server-control/app-server-control.sock');
  const at = (name) => path.join(space.root, name);
  const inherit = ['CODEX_HOME', 'PATH', 'OPENAI_API_KEY', 'PTYD_SOCKET', 'PTYD_STATE_DIR'].flatMap((name) => ['--env', `${name}=${env[name]}`]);
  daemon.ptyd('open', 'work', ...inherit);

  // Begins; `over` is {status, stderr, ...what it prints}.
  const notify = (...args) => {
    const child = spawn(PTYD, ['notify', 'codex', '-s', 'work', '--json', ...args], { env, cwd: space.home, stdio: ['ignore', 'pipe', 'pipe'] });
    const told = { out: '', stderr: '' };
    child.stdout.on('data', (data) => { told.out += data; });
    child.stderr.on('data', (data) => { told.stderr += data; });
    told.over = new Promise((resolve) => child.on('close', (status) => resolve({ status, stderr: told.stderr, ...(told.out ? JSON.parse(told.out) : {}) })));
    return told;
  };
  const requests = () => model.requests.filter((r) => !isTitle(r));
  const last = () => requests().at(-1);
  const woken = (text) => until(`a turn says ${text}`, () => requests().find((r) => saidIn(r).at(-1)?.includes(text)));
  const running = () => until('it runs', () => daemon.json('blocks', '-s', 'work').at(-1)?.status === 'running');
  const counted = (text) => saidIn(last()).filter((t) => t.includes(text)).length;

  await report.test('no server: it is said, and you alone are notified', async () => {
    const end = await notify('--', 'echo nobody').over;
    assert.deepStrictEqual([end.status, end.turn, end.thread, end.block.cmd], [1, 'unshown', null, 'echo nobody']);
    assert.match(end.stderr, /as it is now, you alone will be notified/);
    assert.match(end.said, /^`echo nobody` in terminal session work ended with exit 0 after .*: you alone are notified$/);
  });

  const proxy = spawn(PTYD, ['proxy', '--wait', '10', '--listen', 'codex'], { env, cwd: space.home, stdio: 'ignore' });
  const gone = new Promise((resolve) => proxy.on('exit', resolve));
  await until('it listens', () => socketsAt(control).listens);
  const client = await SocketClient.open(control, { path: '/rpc' });
  await client.initialize(true);
  const thread = (await client.request('thread/start', { cwd: space.home })).result.thread.id;
  const turns = () => client.messages.filter((m) => m.method === 'turn/started').length;
  const ended = () => client.messages.filter((m) => m.method === 'turn/completed').length;
  // So many turns have ended since `before`: begun alone says nothing, the client may not have heard of one yet.
  const over = (before, count) => until(`${count} more turns are over`, () => ended() === before + count && turns() === ended());
  await client.turn(thread, 'warm');

  await report.test('a command ends: its thread gets one turn with the block, which the client sees; it is told once', async () => {
    const before = requests().length, seen = turns();
    const end = await notify('--', 'seq 3; (exit 3)').over;
    assert.deepStrictEqual([end.status, end.turn, end.thread, end.on, end.block.exit_code], [0, 'begun', thread, 'exit', 3], end.stderr);
    const request = await woken('ended with exit 3');
    assert.match(saidIn(request).at(-1), /^`seq 3; \(exit 3\)` in terminal session work ended with exit 3 after /);
    const told = toldIn(request).filter((b) => b.cmd === 'seq 3; (exit 3)');
    assert.deepStrictEqual(told.map((b) => [b.exit_code, b.preview.lines]), [[3, ['1', '2', '3']]]);
    await until('the client has seen the turn', () => turns() === seen + 1 && ended() === seen + 1);
    const item = client.messages.find((m) => m.method === 'item/started' && m.params.item.type === 'userMessage' && JSON.stringify(m.params.item).includes('ended with exit 3'));
    assert.ok(item, 'its message, too');
    assert.strictEqual(requests().length, before + 1);
    await client.turn(thread, 'and now');
    assert.strictEqual(toldIn(last()).filter((b) => b.cmd === 'seq 3; (exit 3)').length, 1, 'the next turn tells nothing twice');
    assert.strictEqual(counted('ended with exit 3'), 1);
  });

  await report.test('--on fail: nothing for what ends well, a turn for what does not', async () => {
    const before = requests().length, done = ended();
    const well = await notify('--on', 'fail', '--', 'true').over;
    assert.deepStrictEqual([well.status, well.turn, requests().length], [0, null, before]);
    const badly = await notify('--on', 'fail', '--', 'sh', '-c', 'exit 7').over;
    assert.deepStrictEqual([badly.status, badly.turn], [0, 'begun'], badly.stderr);
    assert.match(saidIn(await woken('exit 7')).at(-1), /`sh -c 'exit 7'`/);
    await over(done, 1);
  });

  await report.test('a line that is printed: at once, while the command runs; what was typed is none', async () => {
    const file = at('go'), stop = at('stop'), done = ended();
    const wait = notify('--on', '/^PANIC: \\w+/', '--', `${waitFor(file)}; echo PANIC: disk; ${waitFor(stop)}`);
    await running();
    assert.strictEqual(wait.out, '');
    fs.writeFileSync(file, '');
    const end = await wait.over;
    assert.deepStrictEqual([end.status, end.turn, end.line, end.block.status], [0, 'begun', 'PANIC: disk', 'running'], end.stderr);
    assert.match(saidIn(await woken('PANIC')).at(-1), /printed: PANIC: disk$/);
    // of one that runs already, what it has printed counts
    const again = await notify('--on', '/disk/', '--thread', thread).over;
    assert.deepStrictEqual([again.turn, again.line], ['begun', 'PANIC: disk']);
    await over(done, 2);
    const none = notify('--on', '/never/');
    await until('it waits', () => /waits for block/.test(none.stderr));
    fs.writeFileSync(stop, '');
    assert.deepStrictEqual([(await none.over).turn, (await none.over).status], [null, 0]);
  });

  await report.test('a turn runs: it is not steered; ours comes behind it', async () => {
    model.hold();
    const answer = await client.request('turn/start', { threadId: thread, input: [{ type: 'text', text: 'a long one' }] });
    await until('the model works', () => saidIn(last()).at(-1) === 'a long one');
    const asked = requests().length, seen = turns();
    const wait = notify('--', 'echo meanwhile');
    await until('it waits', () => /at work/.test(wait.stderr));
    await killWorker(daemon); // nothing of this hangs on the daemon
    assert.deepStrictEqual([requests().length, turns()], [asked, seen]);
    model.release();
    const end = await wait.over;
    assert.deepStrictEqual([end.status, end.turn], [0, 'begun'], end.stderr);
    const request = await woken('echo meanwhile');
    assert.deepStrictEqual(toldIn(request).filter((b) => b.cmd === 'echo meanwhile').length, 1);
    await until('both turns are over', () => ended() === seen + 1);
    const over = client.messages.filter((m) => m.method === 'turn/completed').map((m) => m.params.turn);
    assert.strictEqual(over.at(-2).id, answer.result.turn.id);
    assert.strictEqual(over.at(-2).status, 'completed');
  });

  await report.test("cancelled by the user's own next turn: one that steers, one that comes next", async () => {
    for (const [way, turn] of [['steer', 'known'], ['queue', 'cancelled']]) {
      const done = ended();
      model.hold();
      await client.request('turn/start', { threadId: thread, input: [{ type: 'text', text: `long ${way}` }] });
      await until('the model works', () => saidIn(last()).at(-1) === `long ${way}`);
      const wait = notify('--', `echo own-${way}`);
      await until('it waits', () => /at work/.test(wait.stderr));
      const input = [{ type: 'text', text: `mine ${way}` }];
      const sent = way === 'steer' ? await client.request('turn/start', { threadId: thread, input })
        : await client.request('thread/queue/add', { threadId: thread, clientUserMessageId: 'mine', input });
      assert.ok(sent.result, JSON.stringify(sent));
      model.release();
      if (way === 'queue') model.hold(); // theirs is at work until ours has seen it
      const end = await wait.over;
      if (way === 'queue') model.release();
      assert.deepStrictEqual([end.status, end.turn], [0, turn], end.stderr);
      await over(done, way === 'steer' ? 1 : 2);
      assert.ok(saidIn(last()).includes(`mine ${way}`));
      assert.strictEqual(saidIn(last()).filter((t) => t.includes(`own-${way}`)).length, 0, 'no turn of ours');
      await client.turn(thread, `after ${way}`);
      assert.strictEqual(toldIn(last()).filter((b) => b.cmd === `echo own-${way}`).length, 1, 'it is told all the same');
    }
  });

  await report.test('two behind one turn: each gets its turn, once, in the order in which they came', async () => {
    model.hold();
    await client.request('turn/start', { threadId: thread, input: [{ type: 'text', text: 'long for two' }] });
    await until('the model works', () => saidIn(last()).at(-1) === 'long for two');
    const waits = [];
    for (const name of ['first', 'second']) {
      waits.push(notify('--', `echo ${name}-of-two`));
      await until('it waits', () => /at work/.test(waits.at(-1).stderr));
    }
    model.release();
    for (const wait of waits) {
      const end = await wait.over;
      assert.deepStrictEqual([end.status, end.turn], [0, 'begun'], end.stderr);
    }
    const request = await woken('second-of-two');
    for (const name of ['first', 'second']) {
      assert.strictEqual(toldIn(request).filter((b) => b.cmd === `echo ${name}-of-two`).length, 1, name);
      assert.strictEqual(saidIn(request).filter((t) => t.startsWith(`\`echo ${name}-of-two`)).length, 1, name);
    }
    assert.ok(requests().findIndex((r) => saidIn(r).at(-1)?.includes('first-of-two')) < requests().indexOf(request));
    await until('the turns are over', () => ended() === turns());
  });

  await report.test("in the session's own terminal: COMMAND as if alone, the turn behind its end", async () => {
    daemon.ptyd('run', '-s', 'work', '--timeout', '20', '--', 'true');
    const done = ended();
    const line = "ptyd notify codex --on fail -- sh -c 'echo own terminal; exit 4'";
    daemon.ptyd('run', '-s', 'work', '--timeout', '30', '--', 'echo before');
    assert.strictEqual(daemon.ptyd('run', '-s', 'work', '--timeout', '30', '--', line).status, 4);
    const request = await woken('ended with exit 4');
    const [told] = toldIn(request).filter((b) => b.cmd === line);
    assert.deepStrictEqual([told.exit_code, told.preview.lines], [4, ['own terminal']]);
    await over(done, 1);
    assert.match(daemon.ptyd('run', '-s', 'work', '--', 'ptyd notify codex').stdout, /which COMMAND\?/);
  });

  await report.test('the plain codex TUI shows the turn; without it nobody would', async () => {
    await client.end();
    const tui = new Tui(daemon);
    daemon.ptyd('open', 'tui', '--size', '100x40', ...inherit);
    tui.press('codex');
    const second = () => Math.floor(Date.now() / 1000);
    const heard = second();
    await until('codex, which counts in seconds, can tell which thread is younger', () => second() > heard);
    try {
      await tui.type('hello there');
      await woken('hello there');
      const end = await notify('--', 'echo for-the-tui; (exit 9)').over;
      assert.deepStrictEqual([end.status, end.turn], [0, 'begun'], end.stderr);
      assert.notStrictEqual(end.thread, thread, 'the one in which something was said last');
      await until('the TUI shows it', () => /exit 9[^]*noted/.test(tui.screen()));
      assert.strictEqual(toldIn(await woken('exit 9')).filter((b) => b.cmd === 'echo for-the-tui; (exit 9)').length, 1);
      await tui.quit();
    } catch (error) {
      error.message += `\n${tui.screen()}`;
      throw error;
    }
    await until('the TUI is connected no more', () => !socketsAt(control).connections);
    const before = requests().length;
    const end = await notify('--', 'echo nobody-looks').over;
    assert.deepStrictEqual([end.status, end.turn, requests().length], [1, 'unshown', before]);
    assert.match(end.stderr, /no client is connected/);
  });

  proxy.kill('SIGTERM');
  await gone;
  await daemon.stop();
  model.close();
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
