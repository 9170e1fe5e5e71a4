// Between a package's update and `ptyd upgrade` a hook is newer than the worker, or older: each does what the
// other knows, and nobody is told of it at each prompt. Usage: node older.js
'use strict';
const assert = require('node:assert');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { workspace, removeWorkspace, Control, Daemon, Report, PTYD } = require('./harness');

// What a worker took of these requests before there was context.hold, and before turns could be listed.
const OLDER = {
  'context.take': ['consumer', 'session', 'thread', 'roots', 'format', 'tagged', 'taken_keys', 'expires', 'lasts', 'held'],
  'context.revert': ['consumer', 'before_turn', 'turn'],
};
function refusal(method, params) {
  if (method === 'context.hold') return { code: -32601, message: `there is no method ${method}` };
  return method === 'context.revert' && !params.before_turn && !params.turn ? { code: -32602, message: 'whose turns? consumer, and before_turn or turn' } : null;
}

// Stands between, and makes an older one of the worker. Resolves when it listens.
function listenAsOlder(place, socket, refused) {
  const server = net.createServer((client) => {
    const worker = net.connect(socket);
    let rest = '';
    client.setEncoding('utf8');
    worker.pipe(client);
    for (const [one, other] of [[client, worker], [worker, client]]) {
      one.on('error', () => {});
      one.on('close', () => other.end());
    }
    client.on('data', (data) => {
      const lines = (rest + data).split('\n');
      rest = lines.pop();
      for (const request of lines.map((line) => JSON.parse(line))) {
        const error = refusal(request.method, request.params);
        if (error) refused.push(request.method);
        if (error) client.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, error })}\n`);
        else {
          const known = OLDER[request.method] || Object.keys(request.params);
          worker.write(`${JSON.stringify({ ...request, params: Object.fromEntries(Object.entries(request.params).filter(([name]) => known.includes(name))) })}\n`);
        }
      }
    });
  });
  return new Promise((resolve) => server.listen(place, () => resolve(server)));
}

async function main() {
  const report = new Report();
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  daemon.ptyd('open', 'work');
  const run = (command) => daemon.ptyd('run', '-s', 'work', '--timeout', '20', '--', command);
  const directory = path.join(space.root, 'older'), refused = [];
  fs.mkdirSync(directory, { mode: 0o700 });
  const older = await listenAsOlder(path.join(directory, 's'), space.env.PTYD_SOCKET, refused);
  const leaseOf = (consumer) => JSON.parse(fs.readFileSync(path.join(space.env.PTYD_STATE_DIR, 'conversations/work/meta.json'), 'utf8')).ptyd_ledger.leases.find((lease) => lease.consumer === consumer);
  // What it prints; nothing else is said.
  const hook = (agent, event) => new Promise((resolve, reject) => {
    const child = spawn(PTYD, ['hook', agent], { env: { ...space.env, PTYD_SOCKET: path.join(directory, 's') }, stdio: 'pipe' });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (data) => { said[name] += data; });
    child.on('close', (status) => (status || said.stderr ? reject(new Error(`${status} ${said.stderr}`)) : resolve(said.stdout)));
    child.stdin.end(JSON.stringify({ cwd: space.home, ...event }));
  });

  await report.test('a newer hook: what it took stays held behind its end, and is told for good when the turn is over', async () => {
    const event = (name, more) => ({ session_id: 'held', hook_event_name: name, prompt: 'why?', ...more });
    run('echo held');
    assert.match(await hook('claude', event('UserPromptSubmit', { prompt_id: 'p1' })), /echo held/);
    assert.deepStrictEqual(refused.splice(0), ['context.hold']);
    assert.ok(leaseOf('claude:held').lasts >= 3600e3, 'a turn may take an hour');
    assert.strictEqual(await hook('claude', event('Stop', { prompt_id: 'p1' })), '');
    assert.strictEqual(leaseOf('claude:held'), undefined);
    assert.strictEqual(await hook('claude', event('UserPromptSubmit', { prompt_id: 'p2' })), '');
    assert.strictEqual(daemon.json('status').maybe_repeated, 0);
  });

  await report.test('a newer hook: what one turn told, or several did that are taken back at once, is told again', async () => {
    const message = (turn) => ({ session_id: 'one', hook_event_name: 'chat.message', turn_id: turn });
    run('echo one');
    assert.match(await hook('opencode', message('m1')), /echo one/);
    assert.strictEqual(await hook('opencode', { ...message('m1'), hook_event_name: 'message.removed' }), '');
    assert.deepStrictEqual(refused.splice(0), []);
    assert.match(await hook('opencode', message('m2')), /echo one/);
    const file = path.join(space.root, 'several.jsonl');
    const event = (name, n) => ({ session_id: 'several', transcript_path: file, hook_event_name: name, prompt_id: `p${n}`, prompt: 'why?' });
    const turn = async (n, parent) => {
      run(`echo several-${n}`);
      const told = await hook('claude', event('UserPromptSubmit', n));
      for (const line of [{ type: 'user', uuid: `u${n}`, parentUuid: parent, promptId: `p${n}`, message: { role: 'user', content: 'why?' } },
        { type: 'assistant', uuid: `a${n}`, timestamp: new Date().toISOString(), message: { content: [], usage: { input_tokens: 1, cache_read_input_tokens: 0, output_tokens: 1 } } }])
        fs.appendFileSync(file, `${JSON.stringify(line)}\n`);
      await hook('claude', event('Stop', n));
      return told;
    };
    for (const [n, parent] of [[1, null], [2, 'a1'], [3, 'a2'], [4, 'a1']]) assert.ok((await turn(n, parent)).includes(`echo several-${n}`)); // 2 and 3 are rewound
    const told = await turn(5, 'a4');
    assert.ok(told.includes('echo several-2') && told.includes('echo several-3'), told);
    assert.ok(!told.includes('several-1') && !told.includes('several-4'), told);
    assert.ok(refused.includes('context.revert'));
  });
  older.close();

  await report.test('an older hook: the seconds and the one turn that it names count', async () => {
    const control = new Control(space.env.PTYD_SOCKET), call = async (method, params) => (await control.call(method, params)).result;
    const take = () => call('context.take', { consumer: 'claude:of-old', session: 'work', format: 'text', expires: true, lasts: 86400 });
    run('echo of-old');
    const taken = await take();
    assert.match(taken.text, /echo of-old/);
    assert.strictEqual(leaseOf('claude:of-old').lasts, 86400e3);
    await call('context.commit', { lease: taken.lease, receipt: taken.receipt, turn_id: 'p1' });
    assert.strictEqual((await take()).kept, 0);
    assert.deepStrictEqual(await call('context.revert', { consumer: 'claude:of-old', turn: 'p1' }), {});
    assert.match((await take()).text, /echo of-old/);
    assert.strictEqual((await control.call('context.revert', { consumer: 'claude:of-old', turn: '' })).error.code, -32602);
  });

  await daemon.stop();
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
