// Every way a client may reach the real codex app-server, through ptyd: what the model received is
// the judge. Prints a table: way x (seen once, second turn clean, refused turn kept, hidden turn
// skipped). Usage: node ways.js PATH-TO-CODEX [PATH-TO-OLD-CODEX]
'use strict';
const assert = require('node:assert');
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { withCodex, trust, blockIn, isTitle, Tui } = require('./client_codex');
const { removeWorkspace, Client, SocketClient, Report, PTYD, until, socketsAt } = require('./harness');

const [codex, oldCodex] = process.argv.slice(2);

function textsOf(request) {
  return request.input.map((item) => (Array.isArray(item.content) ? item.content : []).map((c) => c.text || '').join(''));
}
// Commands told to the model in one request, however they were told.
function toldIn(request) {
  return textsOf(request).flatMap((text) => {
    const block = blockIn(text);
    if (block) return [block.cmd];
    const envelope = /^\x1eCODEX_META (.*?)\x1f/s.exec(text);
    return envelope && envelope[1] !== '{}' ? JSON.parse(envelope[1]).commands.map((c) => c.cmd) : [];
  });
}

async function main() {
  const report = new Report();
  const { space, model, daemon, env } = await withCodex(codex);
  const table = [];
  daemon.ptyd('open', 'work');
  const run = (command) => assert.strictEqual(daemon.ptyd('run', '-s', 'work', '--timeout', '20', '--', command).status, 0);
  const started = [];
  fs.writeFileSync(path.join(space.root, 'proxy.log'), '');
  const patient = ([what, ...args]) => (what === 'proxy' ? [what, '--wait', '10', ...args] : [what, ...args]);
  const start = (args, options = {}) => {
    const child = spawn(PTYD, patient(args), { env, cwd: space.home, stdio: ['ignore', 'ignore', fs.openSync(path.join(space.root, 'proxy.log'), 'a')], ...options });
    child.ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve({ code, signal })));
    started.push(child);
    return child;
  };
  const reachable = (where) => until('the proxy listens', async () => {
    const client = await SocketClient.open(where);
    client.socket.destroy();
    return client.status === 101;
  });

  // The four questions, for a client that is initialised. A way that is `hasty` cannot be told to wait longer than 50 ms for
  // the daemon: a turn may go without, and then one of the next has what it would have had.
  let serial = 0;
  async function judge(way, client, { experimental, thread: given, kind, hasty } = {}) {
    const row = { way };
    const tag = `${way.replace(/\W+/g, '-')}-${++serial}`;
    await client.initialize(experimental);
    const thread = given || (await client.request('thread/start', {})).result.thread.id;
    const seen = (text) => until(`the model hears ${text}`, () => model.requests.find((r) => textsOf(r).some((t) => t.includes(text))));
    const count = (request, command) => toldIn(request).filter((c) => c === command).length;
    const say = async (text) => { await client.turn(thread, text); return seen(text); };
    // what came right after acceptance may be seen only with the next request
    const hear = async (text) => (kind === 'after' ? (await say(text), say(`${text}, and after`)) : say(text));
    const isTold = async (text, command) => {
      let heard = await hear(text), more = 0;
      const late = () => hasty && !count(heard, command);
      if (late()) await until(`${command} is told`, async () => { heard = await hear(`${text} ${++more}`); return !late(); });
      return count(heard, command) === 1;
    };

    run(`echo ${tag}-one`);
    row.once = await isTold(`${tag} first`, `echo ${tag}-one`);
    row.clean = count(await say(`${tag} second`), `echo ${tag}-one`) === 1;

    run(`echo ${tag}-two`);
    const refused = await client.request('turn/start', { threadId: thread, input: 'no list' });
    row.kept = await isTold(`${tag} third`, `echo ${tag}-two`) && Boolean(refused.error);

    const hidden = await client.request('thread/start', { ephemeral: true });
    if (hidden.result) {
      run(`echo ${tag}-three`);
      await client.turn(hidden.result.thread.id, `${tag} title`);
      const title = await seen(`${tag} title`);
      row.skipped = await isTold(`${tag} fifth`, `echo ${tag}-three`) && toldIn(title).length === 0;
    } else row.skipped = 'no such threads';
    table.push(row);
    const leaked = client.lines.filter((line) => line.includes('ptyd:') || line.includes('terminal_block_') || line.includes('CODEX_META'));
    assert.deepStrictEqual(leaked, [], 'nothing of ours reaches the client');
    assert.ok(row.once && row.clean && row.kept && row.skipped, JSON.stringify(row));
    return thread;
  }

  const stdio = (args, options) => new Client(PTYD, patient(args), { env, cwd: space.home, ...options });
  await report.test('stdin and stdout, the client asks for nothing', async () => {
    const client = stdio(['proxy', '-s', 'work', '--', 'codex', 'app-server']);
    await judge('stdio', client);
    assert.strictEqual(await client.end(), 0);
  });

  await report.test('stdin and stdout, the client asks for experimentalApi', async () => {
    const client = stdio(['proxy', '-s', 'work', '--', 'codex', 'app-server']);
    await judge('stdio, experimental', client, { experimental: true });
    await client.end();
  });

  await report.test('--no-upgrade: items follow the accepted turn', async () => {
    const client = stdio(['proxy', '-s', 'work', '--no-upgrade', '--', 'codex', 'app-server']);
    await judge('stdio, --no-upgrade', client, { kind: 'after' });
    assert.ok(!client.lines.some((line) => line.includes('readState')));
    await client.end();
  });

  await report.test('--envelope: the legacy envelope, taken off wherever the text comes back', async () => {
    const client = stdio(['proxy', '-s', 'work', '--envelope', '--', 'codex', 'app-server']);
    const thread = await judge('stdio, --envelope', client, { experimental: true });
    for (const [method, params] of [['thread/read', { threadId: thread, includeTurns: true }], ['thread/list', {}], ['thread/resume', { threadId: thread }],
      ['thread/fork', { threadId: thread }], ['thread/turns/list', { threadId: thread }], ['thread/items/list', { threadId: thread }],
      ['thread/timeline/list', { threadId: thread }], ['thread/search', { query: 'first' }], ['thread/searchOccurrences', { threadId: thread, query: 'first' }]])
      await client.request(method, params);
    assert.ok(client.lines.some((line) => line.includes('envelope-') && line.includes('first')), 'the text itself came back');
    assert.deepStrictEqual(client.lines.filter((line) => line.includes('CODEX_META') || line.includes('user_cmd_context')).map((l) => l.slice(0, 300)), []);
    // a sentinel of the user's own is the user's
    const own = '\x1eCODEX_META {"v":1,"type":"user_cmd_context"}\x1fmine';
    await client.turn(thread, own);
    const back = client.messages.flatMap((m) => m.params?.item?.content || []).map((c) => c.text);
    assert.ok(back.includes(own), 'it comes back as it was');
    run('echo elements');
    await client.turn(thread, 'see @file now', { input: [{ type: 'text', text: 'see @file now', text_elements: [{ byteRange: { start: 4, end: 9 }, placeholder: '@file' }] }] });
    const echo = client.messages.flatMap((m) => (m.params?.item?.content || [])).filter((c) => c.text === 'see @file now');
    assert.ok(echo.length && echo.every((c) => JSON.stringify(c.text_elements?.[0]?.byteRange) === '{"start":4,"end":9}'), JSON.stringify(echo));
    await client.end();
  });

  const front = path.join(space.root, 'front', 'front.sock');
  await report.test('--listen unix://: a server of its own behind it, several clients at once', async () => {
    const proxy = start(['proxy', '-s', 'work', '--listen', `unix://${front}`, '--', 'codex', 'app-server']);
    await until('the socket is there', () => socketsAt(front).listens);
    assert.strictEqual(fs.statSync(front).mode & 0o777, 0o600);
    assert.strictEqual(fs.statSync(path.dirname(front)).mode & 0o777, 0o700);
    const [one, two] = [await SocketClient.open(front, { path: '/rpc' }), await SocketClient.open(front)];
    assert.ok(one.accepted && two.accepted);
    await two.initialize();
    await judge('unix socket', one);
    // the other connection resumes nothing and starts its own thread: both are told everything
    const thread = (await two.request('thread/start', {})).result.thread.id;
    run('echo for-both');
    await two.turn(thread, 'from the second');
    const heard = await until('the model hears it', () => model.requests.find((r) => textsOf(r).some((t) => t.includes('from the second'))));
    assert.ok(toldIn(heard).includes('echo for-both'));
    assert.strictEqual(await one.end(), 1000);
    two.frame(9, 'are you there');
    await until('a pong', () => two.pongs.includes('are you there'));
    // fragments are one message; what is too long is refused with 1009
    two.frame(1, '{"id":"frag","method":"thread/', { fin: false });
    two.frame(0, 'loaded/list","params":{}}');
    await until('an answer to fragments', () => two.messages.find((m) => m.id === 'frag'));
    const exact = `{"id":"exact","method":"thread/loaded/list","params":{"pad":"${'p'.repeat((16 << 20) - 64)}"}}`.padEnd(16 << 20);
    two.frame(1, exact.slice(0, 16 << 20));
    await until('an answer to 16 MiB', () => two.messages.find((m) => m.id === 'exact'));
    two.frame(1, 'x'.repeat((16 << 20) + 1));
    assert.strictEqual(await two.closed, 1009);
    proxy.kill('SIGTERM');
    const ended = await proxy.ended;
    assert.ok(ended.code !== null || ended.signal === 'SIGTERM', JSON.stringify(ended));
    assert.ok(!fs.existsSync(front), 'the socket is removed');
    assert.deepStrictEqual(fs.readdirSync(space.root).filter((f) => f.startsWith('ptyd-proxy')), [], 'and the private directory');
  });

  await report.test('--listen ws://, a server that asks for a token: passed through, refused as the server refuses', async () => {
    const port = 20000 + (process.pid % 12000); // below those that are given out
    const token = path.join(space.root, 'token');
    fs.writeFileSync(token, 'geheim-token-0123456789abcdef0123456789');
    const proxy = start(['proxy', '-s', 'work', '--listen', `ws://127.0.0.1:${port}`, '--', 'codex', 'app-server', '--ws-auth', 'capability-token', '--ws-token-file', token]);
    const where = { host: '127.0.0.1', port };
    const refused = await until('the proxy listens', async () => {
      const client = await SocketClient.open(where);
      return client.status ? client : null;
    });
    assert.strictEqual(refused.status, 401);
    const page = await SocketClient.open(where, { headers: { Origin: 'http://evil.example' } });
    assert.strictEqual(page.status, 403);
    const client = await SocketClient.open(where, { headers: { Authorization: `Bearer ${fs.readFileSync(token)}`, 'x-codex-app-server-compression': 'zstd-stream-v1' } });
    assert.ok(client.accepted, client.head);
    await judge('ws, bearer token', client);
    await client.end();
    proxy.kill('SIGINT');
    await proxy.ended;
  });

  await report.test('--connect: a server that runs already, from stdin and stdout and from a socket', async () => {
    const there = path.join(space.root, 'there', 'server.sock');
    fs.mkdirSync(path.dirname(there), { mode: 0o700 });
    const server = spawn('codex', ['app-server', '--listen', `unix://${there}`], { env, cwd: space.home, stdio: 'ignore', detached: true });
    await reachable(there);
    const client = stdio(['proxy', '-s', 'work', '--connect', `unix://${there}`]);
    await judge('stdio to a unix server', client);
    assert.strictEqual(await client.end(), 0);
    const proxy = start(['proxy', '-s', 'work', '--listen', `unix://${front}`, '--connect', `unix://${there}`]);
    await reachable(front);
    const socket = await SocketClient.open(front);
    await judge('unix to a unix server', socket);
    process.kill(-server.pid, 'SIGKILL'); // codex and what it started: clients lose the connection
    await socket.closed;
    proxy.kill('SIGTERM');
    assert.strictEqual((await proxy.ended).code, 0);
  });

  await report.test('`ptyd codex app-server`, and a link named codex', async () => {
    const client = stdio(['codex', '-c', 'model="mock-model"', 'app-server', '--analytics-default-enabled']);
    await judge('ptyd codex', client, { hasty: true });
    assert.strictEqual(await client.end(), 0);
    const links = path.join(space.root, 'links');
    fs.mkdirSync(links);
    fs.symlinkSync(PTYD, path.join(links, 'codex'));
    const linked = { ...env, PATH: `${links}:${env.PATH}` };
    const second = new Client('codex', ['app-server'], { env: linked, cwd: space.home });
    await judge('a link named codex', second, { hasty: true });
    assert.strictEqual(await second.end(), 0);
    const version = spawnSync('codex', ['--version'], { env: linked, encoding: 'utf8' });
    assert.strictEqual(version.stdout, spawnSync(codex, ['--version'], { env, encoding: 'utf8' }).stdout);
    const none = spawnSync(PTYD, ['codex', '--version'], { env: { ...env, PATH: links }, encoding: 'utf8' });
    assert.strictEqual(none.status, 127);
    assert.match(none.stderr, /npm install/);
  });

  await report.test('`ptyd codex app-server --listen`: ptyd listens there', async () => {
    const place = path.join(space.root, 'told', 'told.sock');
    const proxy = start(['codex', 'app-server', '--listen', `unix://${place}`]);
    await reachable(place);
    const client = await SocketClient.open(place);
    await judge('ptyd codex --listen', client, { hasty: true });
    await client.end();
    proxy.kill('SIGTERM');
    await proxy.ended;
  });

  await report.test('the plain codex TUI, with no flags, where it has run before: enable, disable', async () => {
    const control = path.join(env.CODEX_HOME, 'app-server-control', 'app-server-control.sock');
    const before = model.requests.length;
    const row = { way: 'plain codex TUI' };
    const ptyd = (...args) => spawnSync(PTYD, args, { env, cwd: space.home, encoding: 'utf8', timeout: 120000 });
    // the TUI runs in a session of its own: a terminal that answers what it asks
    trust({ env, space });
    const tui = new Tui(daemon);
    daemon.ptyd('open', 'tui', '--size', '100x40', '--env', `CODEX_HOME=${env.CODEX_HOME}`, '--env', `PATH=${env.PATH}`, '--env', 'OPENAI_API_KEY=none');
    // on an empty screen, so that what it shows is its own
    const begin = async () => {
      tui.press('clear');
      await until('the screen is empty', () => tui.screen().trim() === '$');
      tui.press('codex');
    };
    const heard = (text) => until(`the model hears ${text}`, () => model.requests.slice(before).find((r) => textsOf(r).some((t) => t === text) && !isTitle(r)), 60000);
    try {
      // codex gives its server little time to start: on a busy machine it may take some tries
      const left = () => fs.lstatSync(control, { throwIfNoEntry: false })?.isSymbolicLink();
      for (let tries = 0; tries < 4 && !left(); tries += 1) {
        await begin();
        await tui.quit();
      }
      assert.ok(left(), 'codex has left a server of its own there');
      const enabled = ptyd('enable', 'codex');
      assert.strictEqual(enabled.status, 0, enabled.stderr);
      assert.match(enabled.stderr, /codex's own daemon had .* and was stopped/);
      assert.ok(fs.lstatSync(control).isSocket());
      assert.strictEqual(fs.statSync(control).mode & 0o777, 0o600);
      assert.strictEqual(fs.statSync(path.dirname(control)).mode & 0o777, 0o700);
      run('echo tui-one');
      await begin();
      const told = (request) => toldIn(request).filter((c) => c === 'echo tui-one').length;
      let first, more = 0; // it is hasty, too
      await until('the TUI has it told', async () => {
        const words = `why tui ${++more}`;
        await tui.type(words);
        first = await heard(words);
        return told(first);
      }, 120000);
      row.once = told(first) === 1;
      await tui.type('and tui second');
      row.clean = told(await heard('and tui second')) === 1;
      row.kept = 'not refused';
      const titles = model.requests.slice(before).filter(isTitle);
      row.skipped = titles.every((r) => toldIn(r).length === 0) && (titles.length > 0 || 'no title turn');
      await tui.quit();
      let disabled;
      await until('its own server is there again', () => {
        disabled = ptyd('disable', 'codex'); // codex gives its server little time to start: on a busy machine it may take two tries
        return disabled.status === 0;
      }, 120000);
      assert.match(disabled.stderr, /codex's own daemon runs again/);
      assert.ok(fs.lstatSync(control).isSymbolicLink(), 'as it was');
    } catch (error) {
      error.message += `\n${tui.screen()}`;
      throw error;
    } finally {
      table.push(row);
      ptyd('disable', 'codex');
      spawnSync(codex, ['app-server', 'daemon', 'stop'], { env, stdio: 'ignore', timeout: 120000 });
      try { process.kill(JSON.parse(fs.readFileSync(path.join(env.CODEX_HOME, 'app-server-daemon/daemon-updater.pid'))).pid, 'SIGKILL'); } catch { /* none runs */ }
      daemon.ptyd('close', 'tui');
    }
    assert.ok(row.once && row.clean && row.skipped, JSON.stringify(row));
  });

  await report.test('a hook and a proxy on one thread: each command once', async () => {
    const client = stdio(['proxy', '-s', 'work', '--', 'codex', 'app-server']);
    await client.initialize();
    const thread = (await client.request('thread/start', {})).result.thread.id;
    run('echo by-hook');
    const hook = spawnSync(PTYD, ['hook', 'codex', '-s', 'work'], { env, input: JSON.stringify({ session_id: thread, cwd: space.home, prompt: 'x' }), encoding: 'utf8' });
    assert.match(JSON.parse(hook.stdout).hookSpecificOutput.additionalContext, /\$ echo by-hook/);
    await client.turn(thread, 'after the hook');
    const heard = model.requests[model.requests.length - 1];
    assert.ok(!toldIn(heard).includes('echo by-hook'));
    await client.end();
  });

  await report.test('turn/start and turn/steer while a turn runs: both carry context', async () => {
    const client = stdio(['proxy', '-s', 'work', '--steer', '--', 'codex', 'app-server']);
    await client.initialize(true);
    const thread = (await client.request('thread/start', {})).result.thread.id;
    await client.turn(thread, 'warm');
    const heard = (text) => until(text, () => model.requests.find((r) => textsOf(r).includes(text)));
    model.hold();
    const running = (await client.request('turn/start', { threadId: thread, input: [{ type: 'text', text: 'a long one' }] })).result.turn.id;
    await heard('a long one');
    run('echo while-running-1');
    const joined = await client.request('turn/start', { threadId: thread, input: [{ type: 'text', text: 'start joins' }] });
    assert.strictEqual(joined.result?.turn.id, running, JSON.stringify(joined));
    run('echo while-running-2');
    const alone = await client.request('turn/steer', { threadId: thread, expectedTurnId: running, input: [] });
    assert.match(alone.error.message, /input must not be empty/, 'context never goes alone');
    const steered = await client.request('turn/steer', { threadId: thread, expectedTurnId: running, input: [{ type: 'text', text: 'steer joins' }] });
    assert.ok(steered.result, JSON.stringify(steered));
    model.release();
    await until('the turn ends', () => client.messages.filter((m) => m.method === 'turn/completed').length === 2);
    await client.turn(thread, 'all of it');
    const told = toldIn(await heard('all of it')).filter((c) => c.startsWith('echo while-running'));
    assert.deepStrictEqual(told, ['echo while-running-1', 'echo while-running-2']);
    await client.end();
  });

  await report.test('after resume, fork (whole and at an earlier turn), revert and compaction nothing goes twice, nothing is suppressed', async () => {
    daemon.ptyd('context', 'clear');
    const open = async () => { const c = stdio(['proxy', '-s', 'work', '--', 'codex', 'app-server']); await c.initialize(true); return c; };
    const heard = async (client, thread, text) => {
      const answer = await client.turn(thread, text);
      assert.ok(answer.result, JSON.stringify(answer));
      const request = await until(text, () => model.requests.find((r) => textsOf(r).includes(text)));
      return { told: toldIn(request).filter((c) => c.startsWith('echo life-')), turn: answer.result.turn.id };
    };
    let client = await open();
    const thread = (await client.request('thread/start', {})).result.thread.id;
    run('echo life-1');
    const first = await heard(client, thread, 'life one');
    assert.deepStrictEqual(first.told, ['echo life-1']);
    run('echo life-2');
    const second = await heard(client, thread, 'life two');
    assert.deepStrictEqual(second.told, ['echo life-1', 'echo life-2']);
    await client.end();

    client = await open(); // another server, another proxy
    assert.ok((await client.request('thread/resume', { threadId: thread })).result);
    run('echo life-3');
    assert.deepStrictEqual((await heard(client, thread, 'life three')).told, ['echo life-1', 'echo life-2', 'echo life-3'], 'resumed');

    const whole = await client.request('thread/fork', { threadId: thread });
    assert.ok(whole.result, JSON.stringify(whole));
    run('echo life-4');
    assert.deepStrictEqual((await heard(client, whole.result.thread.id, 'life fork')).told, ['echo life-1', 'echo life-2', 'echo life-3', 'echo life-4'], 'forked');
    const early = await client.request('thread/fork', { threadId: thread, lastTurnId: first.turn });
    assert.ok(early.result, JSON.stringify(early));
    assert.deepStrictEqual((await heard(client, early.result.thread.id, 'life early')).told, ['echo life-1', 'echo life-2', 'echo life-3', 'echo life-4'], 'forked at the first turn');

    const reverted = await client.request('thread/revert', { threadId: thread, beforeTurnId: second.turn });
    run('echo life-5');
    const after = (await heard(client, thread, 'life reverted')).told;
    if (reverted.result) assert.deepStrictEqual(after, ['echo life-1', 'echo life-2', 'echo life-3', 'echo life-4', 'echo life-5'], 'reverted: what its turns held went with them, and is told again');
    else if ((await client.request('thread/rollback', { threadId: thread, numTurns: 3 })).result) {
      // Older ones know this instead. What life-2 came with stood in front of that turn's message, and stays.
      const rolled = (await heard(client, thread, 'life rolled back')).told;
      assert.deepStrictEqual(rolled, ['echo life-1', 'echo life-2', 'echo life-3', 'echo life-4', 'echo life-5'], 'rolled back');
    } else report.skip('revert', JSON.stringify(reverted.error));

    const completed = () => client.messages.filter((m) => m.method === 'turn/completed').length;
    const before = completed();
    assert.ok((await client.request('thread/compact/start', { threadId: thread })).result);
    await until('compaction', () => completed() > before && client.lines.some((l) => /contextCompaction|thread\/compacted/.test(l)));
    run('echo life-6');
    const compacted = (await heard(client, thread, 'life compacted')).told;
    assert.strictEqual(compacted.filter((c) => c === 'echo life-6').length, 1);
    assert.ok(new Set(compacted).size === compacted.length, 'compacted');
    await client.end();
  });

  if (oldCodex) await report.test('an older app-server that does not know additionalContext', async () => {
    const client = stdio(['proxy', '-s', 'work', '--', oldCodex, 'app-server']);
    await client.initialize();
    const thread = (await client.request('thread/start', {})).result.thread.id;
    const before = model.requests.length;
    run('echo for-the-old');
    await client.turn(thread, 'old first');
    await client.turn(thread, 'old second');
    const told = model.requests.slice(before).map(toldIn);
    const pending = daemon.json('context', 'show', '-s', 'work', '--consumer', `codex:${thread}`);
    const arrived = told[told.length - 1].filter((c) => c === 'echo for-the-old').length;
    table.push({ way: 'old app-server', once: arrived === 1 ? true : 'kept pending', clean: '-', kept: '-', skipped: '-' });
    assert.ok(arrived === 1 || pending.kept > 0, `lost: ${JSON.stringify(told)} ${client.stderr}`);
    assert.match(client.stderr, /stays pending/);
    await client.end();
    const legacy = stdio(['proxy', '-s', 'work', '--envelope', '--', oldCodex, 'app-server']);
    await judge('old app-server, --envelope', legacy);
    await legacy.end();
  });
  else report.skip('an older app-server', 'none was given');

  console.log(`\n${'client way'.padEnd(28)}${['seen once', 'second clean', 'refused kept', 'hidden skipped'].map((h) => h.padEnd(16)).join('')}`);
  const word = (value) => (value === true ? 'yes' : value === false ? 'NO' : value === undefined ? 'NOT TRIED' : value);
  for (const row of table) console.log(`${row.way.padEnd(28)}${[row.once, row.clean, row.kept, row.skipped].map((v) => String(word(v)).padEnd(16)).join('')}`);
  for (const child of started) child.kill('SIGKILL');
  await daemon.stop();
  model.close();
  const log = fs.readFileSync(path.join(space.root, 'proxy.log'), 'utf8');
  if (/Sanitizer|runtime error/.test(log)) { console.error(log); process.exitCode = 1; }
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
