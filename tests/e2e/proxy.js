// What the proxy must never change, and what must never stop it: bytes of any kind in both
// directions, sides that stop reading, ids that overlap. The far side is a file or a program that
// writes one, so that what arrived can be compared byte by byte. Usage: node proxy.js
'use strict';
const assert = require('node:assert');
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { workspace, removeWorkspace, Daemon, Client, SocketClient, Report, PTYD, until, socketsAt } = require('./harness');

const STANDIN = process.env.STANDIN || path.resolve(path.dirname(PTYD), 'standin');
const deep = (n) => '['.repeat(n) + ']'.repeat(n);

// Lines that no side may lose, change, or choke on.
const ODD = [
  'this is no JSON', '', '   ', '{', '}', '[]', '[1,2', 'null', '"', '{"id":', '\\', '{"method":}',
  '{"id":null,"method":"x"}', '{"id":1.5,"method":"x"}', '{"id":99999999999999999999,"method":"x"}',
  '{"method":"a","method":"turn/start","params":{}}', '{"id":1,"id":2,"method":"y"}', '{"jsonrpc":"2.0","id":"s","method":"z","params":[]}',
  '{"id":3,"method":"q","params":{"text":"\\ud800 lone"}}', `{"id":4,"method":"q","params":${deep(126)}}`, `{"id":5,"method":"q","params":${deep(100000)}}`,
  '{"id":6,"method":"q","params":{"u":"\u2028\u2029"}}', '{"id":7,"result":{}}', '{"id":7,"error":{"code":-1,"message":"m"}}',
  '\t{ "id" : 8 , "method" : "spaced" }\t', '{"params":{"a":1},"id":9,"method":"late"}', '{"id":10,"method":"crlf"}\r',
  '{"id":11,"method":"turn/start"}', '{"id":12,"method":"turn/start","params":null}', '{"id":13,"method":"turn/start","params":{"threadId":7}}',
  '{"method":"turn/start","params":{"threadId":"no-id","input":[]}}', '{"id":{},"method":"turn/start","params":{"threadId":"x"}}',
  '{"id":14,"method":"turn/start","params":{"threadId":"x","additionalContext":[1]}}',
  '{"id":15,"method":"turn/start","params":{"threadId":"x","input":[', '{"id":16,"method":"initialize","params":[]}', '{"id":17,"method":"thread/start","params":{"x":"\\u0000"}}',
  '{"method":"turn\\/start","id":18,"params":{"threadId":"escaped"}}', `{"id":19,"method":"q","params":{"x":"${'z'.repeat(70000)}"}}`,
  `{"params":{"x":"${'w'.repeat(70000)}"},"id":20,"method":"q"}`,
];

async function main() {
  const report = new Report();
  const space = workspace();
  const env = space.env; // no daemon runs: nothing may be added
  const at = (name) => path.join(space.root, name);
  const proxy = (script, options = {}) => spawn(PTYD, ['proxy', '--', 'sh', '-c', script], { env, stdio: ['pipe', 'pipe', 'pipe'], ...options });
  const ended = (child) => new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal })));
  const memory = (pid) => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
  // What we ask ourselves is ours to say; everything else must be there.
  const withoutOurs = (buffer) => {
    const parts = [];
    for (let from = 0; from < buffer.length;) {
      const to = buffer.indexOf(10, from) + 1 || buffer.length;
      const line = buffer.subarray(from, to);
      if (!line.subarray(0, 20).includes('{"id":"ptyd:')) parts.push(line);
      from = to;
    }
    return Buffer.concat(parts);
  };
  const bad = Buffer.concat([Buffer.from('{"id":30,"method":"'), Buffer.from([0xff, 0xc0, 0x80, 0x00]), Buffer.from('"}\n')]);
  const odd = Buffer.concat([Buffer.from(`${ODD.join('\n')}\n`), bad, Buffer.from('half a line at the end')]);

  await report.test('to the server: every odd line arrives byte for byte, in one piece or in many', async () => {
    for (const cut of [odd.length, 1000, 7]) {
      const file = at(`up-${cut}`);
      const child = proxy(`cat > ${file}`);
      const over = ended(child);
      for (let i = 0; i < odd.length; i += cut)
        if (!child.stdin.write(odd.subarray(i, i + cut))) await new Promise((resolve) => child.stdin.once('drain', resolve));
      child.stdin.end();
      assert.deepStrictEqual(await over, { code: 0, signal: null });
      assert.strictEqual(withoutOurs(fs.readFileSync(file)).toString('latin1'), odd.toString('latin1'));
    }
  });

  await report.test('to the client: the same, with its own bytes', async () => {
    fs.writeFileSync(at('down'), odd);
    const child = proxy(`cat ${at('down')}`);
    const parts = [];
    child.stdout.on('data', (data) => parts.push(data));
    await ended(child);
    assert.ok(Buffer.concat(parts).equals(odd));
  });

  await report.test('lines of 129 MiB pass, both ways, a turn/start among them', async () => {
    const big = `{"id":1,"method":"x","params":{"d":"${'d'.repeat(129 << 20)}"}}\n`;
    const turn = `{"id":2,"method":"turn/start","params":{"threadId":"t","input":[{"type":"text","text":"${'e'.repeat(129 << 20)}"}]}}\n`;
    fs.writeFileSync(at('big'), big + turn);
    const script = `cat ${at('big')} | "${PTYD}" proxy -- sh -c 'tee ${at('up-big')} >/dev/null; cat ${at('big')}' | cmp - ${at('big')}`;
    const result = spawnSync('sh', ['-c', script], { env, encoding: 'utf8' });
    assert.strictEqual(result.status, 0, result.stdout + result.stderr);
    assert.ok(withoutOurs(fs.readFileSync(at('up-big'))).equals(fs.readFileSync(at('big'))));
    for (const f of ['big', 'up-big']) fs.rmSync(at(f));
  });

  await report.test('a client that does not read: the server waits, memory is bounded', async () => {
    const child = proxy('yes "{\\"method\\":\\"x\\",\\"params\\":{}}"');
    child.stdout.pause();
    let last = -1;
    await until('the proxy stops reading', async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      const now = fs.readFileSync(`/proc/${child.pid}/io`, 'utf8').split('\n')[0];
      const same = now === last;
      last = now;
      return same;
    });
    assert.ok(memory(child.pid) < 64, `${memory(child.pid)} MiB`);
    child.stdout.resume();
    child.kill('SIGKILL');
    await ended(child);
  });

  await report.test('a server that does not read: the client waits, and the server is still heard', async () => {
    const child = proxy('echo "{\\"method\\":\\"hello\\"}"; sleep 0.5; echo "{\\"method\\":\\"again\\"}"; exec sleep 60');
    let out = '';
    child.stdout.on('data', (data) => { out += data; });
    child.stdin.on('error', () => {});
    const line = `{"method":"x","params":"${'p'.repeat(1 << 16)}"}\n`;
    for (let i = 0; i < 2000; i++) child.stdin.write(line); // 128 MiB, most of it waiting in node
    await until('both words of the server', () => out.includes('again'));
    assert.ok(memory(child.pid) < 64, `${memory(child.pid)} MiB`);
    child.kill('SIGKILL');
    await ended(child);
  });

  await report.test("the server's exit status, signal and stderr are the proxy's", async () => {
    for (const [script, expected] of [['exit 7', { code: 7, signal: null }], ['kill -9 $$', { code: null, signal: 'SIGKILL' }], ['kill -TERM $$', { code: null, signal: 'SIGTERM' }]])
      assert.deepStrictEqual(await ended(proxy(script)), expected, script);
    const child = proxy('trap "echo caught >&2; exit 5" TERM; echo ready; while :; do sleep 0.05; done');
    let stderr = '';
    child.stderr.on('data', (data) => { stderr += data; });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGTERM');
    assert.deepStrictEqual(await ended(child), { code: 5, signal: null });
    assert.match(stderr, /caught/);
    const gone = proxy('(sleep 30 &) ; exit 3'); // a grandchild holds the pipes open
    assert.strictEqual(await new Promise((resolve) => gone.on('exit', resolve)), 3);
    for (const pipe of [gone.stdin, gone.stdout, gone.stderr]) pipe.destroy();
    const missing = spawnSync(PTYD, ['proxy', '--', 'no-such-program'], { env, encoding: 'utf8' });
    assert.deepStrictEqual([missing.status, /not in PATH/.test(missing.stderr)], [127, true]);
    for (const args of [['proxy'], ['proxy', '--listen', 'tcp://x', '--', 'x'], ['proxy', '--listen', 'ws://1.2.3.4', '--', 'x'], ['proxy', '--connect', 'unix:///x', '--', 'y'], ['proxy', '--frob']])
      assert.strictEqual(spawnSync(PTYD, args, { env, encoding: 'utf8' }).status, 2, args.join(' '));
    const nobody = spawnSync(PTYD, ['proxy', '--connect', `unix://${space.root}/none`], { env, encoding: 'utf8', input: '' });
    assert.deepStrictEqual([nobody.status, /cannot connect/.test(nobody.stderr)], [1, true]);
    const shared = spawnSync(PTYD, ['proxy', '--listen', `unix://${space.root}/sock`, '--', 'x', '--listen', 'stdio://'], { env, encoding: 'utf8' });
    assert.deepStrictEqual([shared.status, /serves one client/.test(shared.stderr)], [2, true]);
  });

  await report.test('hostile heads: none stops the next client', async () => {
    const front = at('front/s');
    const child = spawn(PTYD, ['proxy', '--listen', `unix://${front}`, '--connect', `unix://${space.root}/none`], { env, stdio: 'ignore' });
    await until('the socket', () => socketsAt(front).listens);
    const net = require('node:net');
    const say = (bytes) => new Promise((resolve) => {
      const socket = net.connect(front);
      let out = '';
      socket.on('data', (d) => { out += d; });
      socket.on('error', () => {});
      socket.on('close', () => resolve(out));
      socket.write(bytes);
    });
    assert.match(await say('GET / HTTP/1.1\r\nHost: x\r\n\r\n'), /^HTTP\/1\.1 404/);
    assert.match(await say('GET /readyz HTTP/1.1\r\n\r\n'), /^HTTP\/1\.1 503/);
    assert.match(await say('POST / HTTP/1.1\r\n\r\n'), /^HTTP\/1\.1 400/);
    assert.match(await say('GET / HTTP/1.1\r\nOrigin: http://x\r\n\r\n'), /^HTTP\/1\.1 403/);
    assert.match(await say('GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\r\n'), /^HTTP\/1\.1 400/);
    assert.match(await say('GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 8\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n'), /^HTTP\/1\.1 426/);
    assert.match(await say(`GET / HTTP/1.1\r\nX: ${'y'.repeat(20000)}\r\n`), /^HTTP\/1\.1 431/);
    await say(`GET / HTTP/1.1\r\nA: \0\r\n\r\n`);
    const refused = await SocketClient.open(front);
    assert.strictEqual(refused.status, 503, 'no server behind it');
    child.kill('SIGTERM');
    await ended(child);
  });

  // ---- with a daemon ----
  const daemon = await new Daemon(space).ready();
  daemon.ptyd('open', 'work');
  const run = (command) => daemon.ptyd('run', '-s', 'work', '--timeout', '20', '--', command);
  const log = at('accepted.jsonl');
  fs.writeFileSync(log, '');
  const accepted = () => fs.readFileSync(log, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const commands = (turn) => Object.entries(turn.context || {}).filter(([k]) => k.startsWith('terminal_block_')).map(([, e]) => JSON.parse(e.value).cmd);
  const timesTold = (command) => accepted().flatMap(commands).filter((c) => c === command).length;
  // A turn waits 50 ms for the daemon: on a busy machine it is a later one that carries what is pending.
  const told = (client, thread, command) => until(`${command} is told`, async () => {
    if (!timesTold(command)) assert.ok((await client.request('turn/start', { threadId: thread, input: [] })).result);
    return timesTold(command);
  });

  await report.test('ids: strings and integers, the same ones in both directions, one used twice', async () => {
    const client = new Client(PTYD, ['proxy', '-s', 'work', '--', STANDIN], { env: { ...env, STANDIN_LOG: log }, cwd: space.home });
    await client.initialize();
    const thread = (await client.request('thread/start', {}, 'a string')).result.thread.id;
    run('echo ids');
    const answer = await client.request('turn/start', { threadId: thread, input: [], fault: 'ask' }, 77);
    assert.ok(answer.result, "the server's request of the same id is no answer");
    assert.ok(client.messages.find((m) => m.id === 77 && m.method === 'item/tool/call'));
    await told(client, thread, 'echo ids');
    run('echo twice');
    const both = [client.request('turn/start', { threadId: thread, input: [] }, 'same'), client.request('turn/start', { threadId: thread, input: [] }, 'same')];
    await Promise.all(both);
    await told(client, thread, 'echo twice');
    assert.deepStrictEqual(accepted().flatMap(commands), ['echo ids', 'echo twice']);
    assert.ok(!client.lines.some((line) => line.includes('"ptyd:')));
    await client.end();
  });

  await report.test('the daemon hangs: the turn waits 50 ms and goes; nothing is lost', async () => {
    const client = new Client(PTYD, ['proxy', '-s', 'work', '--', STANDIN], { env: { ...env, STANDIN_LOG: log }, cwd: space.home });
    await client.initialize();
    const thread = (await client.request('thread/start', {})).result.thread.id;
    run('echo late');
    const worker = daemon.json('status').worker_pid;
    process.kill(worker, 'SIGSTOP');
    assert.ok((await client.request('turn/start', { threadId: thread, input: [] })).result, 'while nobody answers');
    process.kill(worker, 'SIGCONT');
    assert.deepStrictEqual(commands(accepted().pop()), []);
    run('echo later'); // what the daemon answered too late is still with the proxy when this ends
    await until('both go with later turns', async () => {
      await client.request('turn/start', { threadId: thread, input: [] });
      return accepted().flatMap(commands).filter((c) => c.startsWith('echo late')).length >= 2;
    });
    assert.deepStrictEqual(accepted().flatMap(commands).filter((c) => c.startsWith('echo late')), ['echo late', 'echo later']);
    await client.end();
  });

  await report.test('thread/rollback: what the turns behind the first one were told is told again, under keys of its own; what the first one was told stays', async () => {
    const client = new Client(PTYD, ['proxy', '--wait', '20', '-s', 'work', '--', STANDIN], { env: { ...env, STANDIN_LOG: log }, cwd: space.home });
    await client.initialize();
    const thread = (await client.request('thread/start', { name: 'rolled-back' })).result.thread.id;
    const turn = async () => { assert.ok((await client.request('turn/start', { threadId: thread, input: [] })).result); return accepted().at(-1); };
    const rollBack = async (numTurns) => assert.ok((await client.request('thread/rollback', { threadId: thread, numTurns })).result.thread);
    const keys = ({ context }) => Object.keys(context || {}).filter((k) => k.startsWith('terminal_block_'));
    daemon.ptyd('context', 'clear');
    run('echo back-1');
    await turn();
    run('echo back-2');
    await turn();
    await turn(); // carries nothing
    run('echo back-3');
    const last = await turn();
    assert.deepStrictEqual(commands(last), ['echo back-3']);
    await rollBack(3);
    run('echo back-4');
    const after = await turn(); // the server holds back-2, and suppresses back-3 under the key that it had
    assert.deepStrictEqual(commands(after), ['echo back-3', 'echo back-4']);
    assert.ok(!keys(after).includes(keys(last)[0]), `${keys(last)} ${keys(after)}`);
    await rollBack(1);
    assert.deepStrictEqual(commands(await turn()), [], 'one turn alone loses nothing of ours');
    await rollBack(99);
    assert.deepStrictEqual(commands(await turn()), ['echo back-2', 'echo back-3', 'echo back-4']);
    assert.deepStrictEqual(commands(await turn()), []);
    assert.ok((await client.request('thread/rollback', { numTurns: 1 })).result, 'without a thread');
    assert.ok(!client.lines.some((line) => line.includes('"ptyd:')));
    await client.end();
  });

  await report.test('--steer: turn/steer carries context when it has input, never alone; not without it', async () => {
    const up = at('steered');
    for (const [options, expected] of [[['--steer'], true], [[], false]]) {
      run('echo steer');
      const client = new Client(PTYD, ['proxy', '-s', 'work', ...options, '--', 'sh', '-c', `tee ${up} | "${STANDIN}"`], { env, cwd: space.home });
      await client.initialize();
      const thread = (await client.request('thread/start', {})).result.thread.id;
      await client.request('turn/steer', { threadId: thread, expectedTurnId: 't', input: [] });
      const steered = () => fs.readFileSync(up, 'utf8').split('\n').filter((l) => l.includes('turn/steer')).map((l) => JSON.parse(l).params);
      await until('it carries context, or does not', async () => {
        await client.request('turn/steer', { threadId: thread, expectedTurnId: 't', input: [{ type: 'text', text: 'x' }] });
        return Boolean(steered().at(-1).additionalContext) === expected;
      });
      assert.ok(!steered()[0].additionalContext);
      daemon.ptyd('context', 'clear');
      await client.end();
    }
  });

  await report.test('a server that does not complain about the bogus kind gets no context: it stays pending, and that is said', async () => {
    run('echo kept');
    const pending = daemon.json('status').pending;
    const before = accepted().length;
    for (const other of ['success', 'error', 'garbage']) {
      const client = new Client(PTYD, ['proxy', '-s', 'work', '--', STANDIN], { env: { ...env, STANDIN_LOG: log, STANDIN_OTHER: other }, cwd: space.home });
      await client.initialize();
      const thread = (await client.request('thread/start', {})).result.thread.id;
      for (let turn = 0; turn < 2; turn++) assert.ok((await client.request('turn/start', { threadId: thread, input: [] })).result, other);
      await until(`${other} is said`, () => /stays pending/.test(client.stderr));
      assert.strictEqual(client.stderr.match(/stays pending/g).length, 1, client.stderr);
      assert.ok(client.stderr.split('\n').every((line) => line.length < 500), 'not all the methods that the server knows');
      assert.strictEqual(daemon.json('status').pending, pending, other);
      await client.end();
    }
    assert.deepStrictEqual(accepted().slice(before).map(commands), [[], [], [], [], [], []]);
    const client = new Client(PTYD, ['proxy', '-s', 'work', '--', STANDIN], { env: { ...env, STANDIN_LOG: log }, cwd: space.home });
    await client.initialize();
    const thread = (await client.request('thread/start', {})).result.thread.id;
    await told(client, thread, 'echo kept');
    assert.strictEqual(timesTold('echo kept'), 1);
    await client.end();
  });

  await daemon.stop();
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
