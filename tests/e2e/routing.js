// Who is told what: consumers, cursors, which sessions feed a thread, what a new one starts with.
// One test a rule. Usage: node routing.js
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, PTYD, until } = require('./harness');

async function main() {
  const report = new Report();
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  const shop = path.join(space.root, 'shop'), blog = path.join(space.root, 'blog');
  for (const d of [shop, blog, `${shop}/sub`, `${space.root}/shopping`]) fs.mkdirSync(d);
  const open = (name, ...args) => assert.strictEqual(daemon.ptyd('open', name, ...args).status, 0);
  const run = (session, command) => daemon.ptyd('run', '-s', session, '--timeout', '20', '--', command);

  // One request on a connection of its own, which stays open: leases end with it.
  const connections = [];
  function rpc(method, params) {
    return new Promise((resolve, reject) => {
      const socket = net.connect(space.env.PTYD_SOCKET);
      let text = '';
      connections.push(socket);
      socket.on('error', reject);
      socket.on('data', (data) => {
        text += data;
        if (text.endsWith('\n')) { const m = JSON.parse(text); m.error ? reject(new Error(m.error.message)) : resolve({ ...m.result, socket }); }
      });
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`);
    });
  }
  const take = (thread, extra = {}) => rpc('context.take', { consumer: `codex:${thread}`, thread, ...extra });
  const entries = (taken) => Object.entries(taken.additionalContext).map(([key, e]) => [key, JSON.parse(e.value)]);
  const commands = (taken) => entries(taken).filter(([k]) => k.startsWith('terminal_block_')).map(([, v]) => v.cmd);
  const about = (taken) => entries(taken).find(([k]) => k.startsWith('terminal_about_'))?.[1];
  const commit = (taken) => rpc('context.commit', { lease: taken.lease, receipt: taken.receipt });
  const release = (taken) => rpc('context.release', { lease: taken.lease });
  const told = async (thread, extra) => { const t = await take(thread, extra); if (t.lease) await commit(t); return commands(t); };

  open('one', '--cwd', shop);

  await report.test('the only capturing session feeds every thread, wherever it works', async () => {
    run('one', 'echo only');
    assert.deepStrictEqual(await told('t1', { roots: [blog] }), ['echo only']);
  });

  await report.test('each consumer has its own cursor; none steals', async () => {
    run('one', 'echo both');
    const [first, second] = [await take('t1'), await take('t2')];
    assert.ok(commands(first).includes('echo both') && commands(second).includes('echo both'));
    await commit(first);
    await commit(second);
    assert.deepStrictEqual([await told('t1'), await told('t2')], [[], []]);
  });

  await report.test('several sessions: those whose directory lies under a root of the thread, by time', async () => {
    open('two', '--cwd', blog);
    for (const [session, command] of [['one', 'echo shop-1'], ['two', 'echo blog-1'], ['one', 'cd sub'], ['one', 'echo shop-2'], ['two', 'echo blog-2']]) run(session, command);
    const fresh = 'new-thread';
    const shopTold = await told(fresh, { roots: [shop] });
    assert.deepStrictEqual(shopTold.slice(-3), ['echo shop-1', 'cd sub', 'echo shop-2']);
    assert.ok(!shopTold.some((c) => c.includes('blog')));
    assert.deepStrictEqual(await told('t1', { roots: [shop, blog] }), ['echo shop-1', 'echo blog-1', 'cd sub', 'echo shop-2', 'echo blog-2'], 'merged by time');
    run('one', `cd ${space.root}/shopping`);
    assert.deepStrictEqual(await told('t1', { roots: [shop] }), [`cd ${space.root}/shopping`], 'it began under the root');
    run('one', 'echo elsewhere');
    assert.deepStrictEqual(await told('t1', { roots: [shop] }), [], 'shopping is not under shop');
    run('one', `cd ${shop}`);
    assert.deepStrictEqual(await told('t1', { roots: [shop] }), [`cd ${shop}`], 'it ended under the root');
    // The shell calls its directory as its user went there, an agent that was started in it as the kernel does.
    fs.symlinkSync(space.root, path.join(space.home, 'link'));
    const through = path.join(space.home, 'link', path.relative(space.root, shop), 'sub');
    run('one', `cd ${through}`);
    assert.strictEqual(run('one', 'pwd; pwd -P').stdout, `${through}\n${shop}/sub\n`);
    const killed = daemon.json('status').worker_pid;
    process.kill(killed, 'SIGKILL');
    await until('another worker', () => daemon.json('status').worker_pid !== killed);
    assert.deepStrictEqual(await told('t1', { roots: [shop] }), [`cd ${through}`, 'pwd; pwd -P'], 'it is under the root, whatever it is called, and whichever worker says so');
    run('one', `cd ${shop}`);
    assert.deepStrictEqual(await told('t1', { roots: [shop] }), [`cd ${shop}`]);
    // Claude says where its last command left it, and in the hook's environment where it was started.
    const hook = (agent, id, env) => spawnSync(PTYD, ['hook', agent], { env: { ...space.env, ...env }, encoding: 'utf8', input: JSON.stringify({ session_id: id, cwd: `${shop}/sub` }) }).stdout;
    run('one', 'echo above-sub');
    for (const [agent, name] of [['claude', 'CLAUDE_PROJECT_DIR'], ['gemini', 'GEMINI_PROJECT_DIR'], ['qwen', 'QWEN_PROJECT_DIR']]) {
      assert.ok(!hook(agent, 'without', {}).includes('above-sub'));
      assert.ok(!hook(agent, 'elsewhere', { [name]: blog }).includes('above-sub'));
      assert.match(hook(agent, 'with', { [name]: shop }), /above-sub/);
    }
    assert.deepStrictEqual(await told('t1', { roots: [shop] }), ['echo above-sub']);
  });

  await report.test('leases of one consumer that overlap: what the first gives back is told, what it keeps is not', async () => {
    const owners = async (id) => {
      run('one', `echo first-${id}`);
      const first = await take('t1');
      run('one', `echo second-${id}`);
      return [first, await take('t1')];
    };
    let [first, second] = await owners('back');
    assert.deepStrictEqual(commands(second), ['echo second-back']);
    await release(first);
    await commit(second);
    assert.deepStrictEqual(await told('t1'), ['echo first-back'], 'released, then the later one committed');

    [first, second] = await owners('after');
    await commit(second);
    await release(first);
    assert.deepStrictEqual(await told('t1'), ['echo first-after'], 'committed, then the earlier one released');

    [first, second] = await owners('both');
    await commit(first);
    await commit(second);
    assert.deepStrictEqual(await told('t1'), [], 'both committed');

    [first, second] = await owners('expired');
    await release(first);
    await release(second); // as if it had expired: the receipt is all that is left
    await commit(second);
    assert.deepStrictEqual(await told('t1'), ['echo first-expired'], 'a receipt speaks of its own blocks');

    [first, second] = await owners('crash');
    const worker = daemon.json('status').worker_pid;
    process.kill(worker, 'SIGKILL');
    await until('another worker', () => { const { worker_pid: pid } = daemon.json('status'); return pid && pid !== worker; });
    await release(first);
    await commit(second);
    assert.deepStrictEqual(await told('t1'), ['echo first-crash'], 'with a restart between');
  });

  await report.test('keys ascend with time across sessions, the header before all', async () => {
    run('one', 'echo k1'); run('two', 'echo k2'); run('one', 'echo k3');
    const taken = await take('t1', { roots: [space.root] });
    const keys = Object.keys(taken.additionalContext);
    assert.match(keys[0], /^terminal_about_\d{9}$/);
    assert.deepStrictEqual(keys, [...keys].sort());
    assert.deepStrictEqual(commands(taken).slice(-3), ['echo k1', 'echo k2', 'echo k3']);
    await commit(taken);
  });

  await report.test('an explicit session wins; a session named like the thread is next', async () => {
    run('one', 'echo x1'); run('two', 'echo x2');
    assert.deepStrictEqual((await told('explicit', { session: 'two', roots: [shop] })).slice(-1), ['echo x2']);
    open('thread-9', '--cwd', blog);
    run('thread-9', 'echo mine');
    assert.deepStrictEqual(await told('thread-9', { roots: [shop] }), ['echo mine']);
  });

  await report.test('ten at most, the newest; what is dropped is counted; it never comes again', async () => {
    for (let i = 0; i < 13; i++) run('one', `echo n${i}`);
    const taken = await take('t1', { session: 'one' });
    const header = about(taken);
    assert.deepStrictEqual(commands(taken), [...Array(10).keys()].map((i) => `echo n${i + 3}`));
    assert.strictEqual(header.kept, 10);
    assert.strictEqual(header.total_commands_run, header.kept + header.dropped);
    assert.ok(header.dropped >= 3);
    await commit(taken);
    assert.deepStrictEqual(await told('t1', { session: 'one' }), []);
  });

  await report.test('a lease hides from its consumer alone; released and newer ones compete for the ten, with the same bytes', async () => {
    for (let i = 0; i < 6; i++) run('one', `echo r${i}`);
    const first = await take('t1', { session: 'one' });
    assert.strictEqual(commands(first).length, 6);
    assert.deepStrictEqual(commands(await take('t1', { session: 'one' })), []);
    assert.ok(commands(await take('t3', { session: 'one' })).includes('echo r5'));
    await release(first);
    for (let i = 6; i < 12; i++) run('one', `echo r${i}`);
    const second = await take('t1', { session: 'one' });
    assert.deepStrictEqual(commands(second), [...Array(10).keys()].map((i) => `echo r${i + 2}`));
    for (const [key, value] of Object.entries(first.additionalContext))
      if (key in second.additionalContext) assert.deepStrictEqual(second.additionalContext[key], value);
    assert.strictEqual(about(second).dropped, 2);
    await commit(second);
  });

  await report.test('a taker that goes away gives back what it took', async () => {
    run('one', 'echo orphan');
    const taken = await take('t1', { session: 'one' });
    assert.deepStrictEqual(commands(taken), ['echo orphan']);
    taken.socket.destroy();
    await until('it comes back', async () => (await told('t1', { session: 'one' })).includes('echo orphan'));
  });

  await report.test("a collision with the client's key: the client's wins, ours takes a new number", async () => {
    run('one', 'echo collide');
    const shown = await rpc('context.show', { consumer: 'codex:t1', session: 'one' });
    const key = Object.keys(shown.additionalContext).find((k) => k.startsWith('terminal_block_'));
    const taken = await take('t1', { session: 'one', taken_keys: [key] });
    assert.deepStrictEqual(commands(taken), ['echo collide']);
    assert.ok(!(key in taken.additionalContext));
    await commit(taken);
  });

  await report.test('a command that runs is told in the header, again only when it printed more', async () => {
    daemon.ptyd('send', '-s', 'one', 'echo started; read line; echo more; read line', '--key', 'Enter');
    await until('it runs', () => daemon.json('screen', '-s', 'one').rows.some((r) => r === 'started'));
    const first = await take('t1', { session: 'one' });
    assert.deepStrictEqual(about(first).running.preview.lines, ['started']);
    await commit(first);
    assert.strictEqual((await take('t1', { session: 'one' })).lease, undefined, 'nothing new');
    daemon.ptyd('send', '-s', 'one', '--key', 'Enter');
    await until('it prints', () => daemon.json('screen', '-s', 'one').rows.some((r) => r === 'more'));
    const second = await take('t1', { session: 'one' });
    assert.ok(about(second).running.preview.lines.includes('more'));
    await commit(second);
    daemon.ptyd('send', '-s', 'one', '--key', 'Enter');
    await until('it ends', async () => (await told('t1', { session: 'one' })).some((c) => c.startsWith('echo started')));
  });

  await report.test('the tools an agent is used through are told to none; private commands neither', async () => {
    for (const command of ['ptyd list', 'PATH=/nowhere codex', './claude', 'gemini x']) run('one', command);
    run('one', ' echo with-a-space');
    run('one', 'HISTCONTROL=ignorespace');
    run('one', ' echo private');
    assert.deepStrictEqual((await told('t1', { session: 'one' })).map((c) => c.trim()), ['echo with-a-space', 'HISTCONTROL=ignorespace'],
      "a leading space is private only where the shell's own setting says so");
  });

  await report.test('a new consumer starts with what nobody was told, and the last 15 minutes', async () => {
    run('two', 'echo old-told'); await told('t1', { session: 'two' });
    run('two', 'echo old-untold');
    // an hour passes: the files of a stopped daemon are the only clock a test can set
    await daemon.stop();
    const file = path.join(space.env.PTYD_STATE_DIR, 'conversations/two/agent_pty/blocks.jsonl');
    const unsealed = fs.readFileSync(file, 'utf8').replace(/,"sum":"[0-9a-f]{16}"}$/gm, '}');
    fs.writeFileSync(file, unsealed.replace(/"ts_end":(\d+)/g, (_, t) => `"ts_end":${t - 3600000}`));
    const next = await new Daemon(space).ready();
    Object.assign(daemon, { process: next.process, ended: next.ended });
    open('two', '--cwd', blog);
    run('two', 'echo new-told'); await told('t1', { session: 'two' });
    run('two', 'echo new');
    assert.deepStrictEqual((await told('late-comer', { session: 'two' })), ['echo new-told', 'echo new']);
    // what t1 was told last includes everything up to it: `old-untold` went with `new-told`
  });

  await report.test('cursors outlive the daemon', async () => {
    assert.deepStrictEqual(await told('t1', { session: 'two' }), ['echo new']);
    process.kill(daemon.json('status').worker_pid, 'SIGKILL');
    await until('the worker is back', () => daemon.ptyd('status').status === 0);
    assert.deepStrictEqual(await told('t1', { session: 'two' }), []);
    assert.deepStrictEqual(await told('late-comer', { session: 'two' }), []);
  });

  await report.test('more forks than consumers are remembered: the thread that is forked is not forgotten', async () => {
    const worker = daemon.json('status').worker_pid;
    run('one', 'echo heritage');
    assert.strictEqual((await told('parent', { session: 'one' })).pop(), 'echo heritage');
    for (let i = 1; i <= 300; i++) (await rpc('context.inherit', { from: 'codex:parent', to: `codex:fork-${i}` })).socket.destroy();
    assert.deepStrictEqual([await told('parent', { session: 'one' }), await told('fork-300', { session: 'one' })], [[], []]);
    assert.strictEqual(daemon.json('status').worker_pid, worker);
  });

  for (const socket of connections) socket.destroy();
  await daemon.stop();
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
