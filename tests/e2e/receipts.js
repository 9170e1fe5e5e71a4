// What was told is what the agent has: receipts against codex's own record of its conversation (its rollout file),
// against what hooks print, and over deaths of the worker and an upgrade. TURNS turns (20).
// Usage: node receipts.js PATH-TO-CODEX
'use strict';
const assert = require('node:assert');
const crypto = require('node:crypto');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { PTYD, workspace, removeWorkspace, Daemon, MockModel, Client, Control, Report, killWorker, until } = require('./harness');

const codex = process.argv[2];
const TURNS = Number(process.env.TURNS || 20);
const PER_THREAD = TURNS > 100 ? 50 : 10;
const sha256 = (text) => crypto.createHash('sha256').update(text).digest('hex');

// Of every thread what its rollout file holds: [{text of the user, entries: [{key, value}]}] in order.
function rollouts(home) {
  const files = fs.readdirSync(path.join(home, 'sessions'), { recursive: true }).filter((name) => /rollout-.*\.jsonl$/.test(name));
  return files.flatMap((name) => {
    let entries = [];
    const turns = [];
    for (const line of fs.readFileSync(path.join(home, 'sessions', name), 'utf8').trim().split('\n')) {
      const { type, payload } = JSON.parse(line);
      if (type !== 'response_item' || payload.type !== 'message') continue;
      const text = payload.content.map((part) => part.text || '').join('');
      const entry = /^<(terminal_[a-z]+_\d{9})>([^]*)<\/\1>$/.exec(text);
      if (payload.role === 'developer' && entry) entries.push({ key: entry[1], value: entry[2] });
      if (payload.role !== 'user' || !/^turn \d+$/.test(text)) continue;
      turns.push({ text, entries });
      entries = [];
    }
    return turns.concat(entries.length ? [{ text: 'no turn', entries }] : []);
  });
}

async function main() {
  const report = new Report();
  const space = workspace();
  const model = await new MockModel().listen();
  const daemon = await new Daemon(space).ready();
  const home = model.codexHome(space.root);
  const env = { ...space.env, CODEX_HOME: home, OPENAI_API_KEY: 'none' };
  const ok = (...args) => { const answer = daemon.ptyd(...args); assert.strictEqual(answer.status, 0, answer.stderr); return answer.stdout; };
  const run = (command, session = 'work') => assert.ok(![2, 124, 125].includes(daemon.ptyd('run', '-s', session, '--timeout', '60', '--', command).status), command);
  const last = () => daemon.json('explain', '--last');
  const file = path.join(space.env.PTYD_STATE_DIR, 'receipts.jsonl');
  const lines = () => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)) : []);

  ok('open', 'work');
  const secret = `ghp_${'A1b2C3d4'.repeat(4)}wxyz`;

  await report.test('before anything is told there is no receipt', () => {
    assert.strictEqual(ok('explain'), 'No agent was told anything yet.\n');
    assert.strictEqual(last(), null);
    assert.deepStrictEqual(daemon.json('explain'), []);
    assert.strictEqual(daemon.ptyd('explain', 'nowhere').status, 1);
    assert.strictEqual(daemon.ptyd('explain', 'x', '--last').status, 2);
  });

  await report.test('every form of `context take`: its bytes, their hash, when it is committed; a release leaves none', () => {
    run('seq 1 100');
    run(`echo ${secret}`);
    for (const format of ['codex', 'text', 'acp', 'envelope']) {
      const before = lines().length;
      const taken = JSON.parse(ok('context', 'take', '-s', 'work', '--consumer', `cli:${format}`, '--format', format, '--json'));
      ok('context', 'release', String(taken.lease));
      const again = JSON.parse(ok('context', 'take', '-s', 'work', '--consumer', `cli:${format}`, '--format', format, '--json'));
      assert.strictEqual(lines().length, before);
      ok('context', 'commit', String(again.lease));
      assert.strictEqual(lines().length, before + 1);
      const receipt = last();
      assert.deepStrictEqual([receipt.consumer, receipt.turn, receipt.lease, receipt.kept, receipt.dropped], [`cli:${format}`, null, again.lease, 2, 0]);
      const told = format === 'codex' ? Object.entries(again.additionalContext).map(([key, { value }]) => [key, value]) : [[format === 'acp' ? 'text' : format, again[format === 'acp' ? 'text' : format]]];
      assert.deepStrictEqual(receipt.entries.map(({ key, bytes, sha256: hash }) => [key, bytes, hash]), told.map(([key, text]) => [key, Buffer.byteLength(text), sha256(text)]));
      assert.strictEqual(receipt.bytes, told.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0));
      assert.deepStrictEqual(receipt.blocks.map(({ block_id: id, omitted_lines: cut, redacted, command_cut: command }) => [id.split(':')[1], cut, redacted > 0, command]), [['1', 80, false, false], ['2', 0, true, false]]);
      assert.deepStrictEqual(daemon.json('explain', String(again.lease)), receipt);
    }
  });

  await report.test('a hook: what it printed, and the turn where the agent names it', () => {
    for (const [agent, event] of [['claude', { session_id: 'S', cwd: '/' }], ['codex', { session_id: 'T', turn_id: 'turn-of-a-hook', cwd: '/' }]]) {
      run('echo for a hook');
      const printed = spawnSync(PTYD, ['hook', agent, '-s', 'work'], { env: space.env, input: JSON.stringify(event), encoding: 'utf8' }).stdout;
      const text = JSON.parse(printed).hookSpecificOutput.additionalContext;
      const receipt = last();
      assert.deepStrictEqual([receipt.consumer, receipt.turn], [`${agent}:${event.session_id}`, event.turn_id ?? null]);
      assert.deepStrictEqual(receipt.entries, [{ key: 'text', kind: 'text', bytes: Buffer.byteLength(text), sha256: sha256(text) }]);
      if (event.turn_id) assert.deepStrictEqual(daemon.json('explain', event.turn_id), receipt);
    }
  });

  await report.test('a turn that was told twice: each text with its own commands; odd names of turns, and none', () => {
    for (const word of ['first', 'second']) {
      run(`echo ${word}-of-two`);
      spawnSync(PTYD, ['hook', 'codex', '-s', 'work'], { env: space.env, input: JSON.stringify({ session_id: 'T', turn_id: 'told-twice', cwd: '/' }) });
    }
    const lines = ok('explain', 'told-twice').split('\n').filter((line) => /^text| \$ echo/.test(line)).map((line) => line.replace(/^(text).*|.* \$ /, '$1'));
    const one = ['text', 'echo first-of-two'], other = ['text', 'echo second-of-two'];
    assert.deepStrictEqual([...lines].sort(), [...one, ...other].sort());
    for (const told of [one, other]) assert.strictEqual(lines[lines.indexOf(told[1]) - 1], 'text');
    for (const turn of ['with "quotes"', 'a\\b', 'in two\nlines']) {
      run('echo of an odd turn');
      spawnSync(PTYD, ['hook', 'codex', '-s', 'work'], { env: space.env, input: JSON.stringify({ session_id: 'T', turn_id: turn, cwd: '/' }) });
      assert.strictEqual(daemon.json('explain', turn).turn, turn);
      assert.ok(ok('explain', turn).startsWith(`turn ${turn.replace('\n', ' ')} of codex:T, told`));
    }
    const empty = daemon.ptyd('explain', '');
    assert.deepStrictEqual([empty.status, /TURN is empty; `ptyd explain` lists the latest/.test(empty.stderr)], [2, true]);
    assert.deepStrictEqual(daemon.json('explain').filter(({ turn }) => turn === 'told-twice').length, 2);
  });

  await report.test('a prompt of the Agent Client Protocol: the text of its block', async () => {
    const log = path.join(space.root, 'acp.log'), heard = () => fs.readFileSync(log, 'utf8').trim().split('\n').map((line) => JSON.parse(line)).pop().blocks;
    for (const plain of [false, true]) {
      run(`echo for acp ${plain}`);
      const client = new Client(PTYD, ['proxy', '--acp', '--wait', '20', '-s', 'work', '--', process.execPath, path.join(__dirname, 'acp-agent.js'), log, PTYD], { env: { ...space.env, ...(plain ? { PLAIN: '1' } : {}) }, cwd: space.home });
      await client.request('initialize', { protocolVersion: 1 });
      const { sessionId } = (await client.request('session/new', { cwd: space.home, mcpServers: [] })).result;
      const before = lines().length, ask = (text) => client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
      await ask('refuse');
      assert.strictEqual(lines().length, before, 'a refused prompt is in no history');
      await ask('take it');
      const block = heard()[1], text = plain ? block.text : block.resource.text, receipt = last();
      assert.strictEqual(lines().length, before + 1);
      assert.deepStrictEqual([receipt.turn, receipt.entries], [null, [{ key: 'text', kind: 'text', bytes: Buffer.byteLength(text), sha256: sha256(text) }]]);
      assert.ok(receipt.consumer.endsWith(sessionId), receipt.consumer);
      assert.match(text, new RegExp(`^\\$ echo for acp ${plain}$`, 'm'));
      const said = ok('explain', String(receipt.lease));
      assert.ok(said.includes(`of ${receipt.consumer}, told at`) && said.includes(`  $ echo for acp ${plain}\n`), said);
      assert.strictEqual(await client.end(), 0);
    }
  });

  await report.test('what other hosts ran: which host, and what', async () => {
    const control = new Control(space.env.PTYD_SOCKET), now = Date.now();
    const block = { shell_id: 'shell_other', seq: 7, cmd: 'make remote', cmd_source: 'shell', cwd: '/srv', cwd_after: '/srv', exit_code: 1, status: 'completed', type: 'user_cmd', ts_begin: now - 5, ts_end: now, duration_ms: 5, preview: { lines: ['no rule'], truncated: false } };
    assert.strictEqual((await control.call('host.block', { host: 'far\u001b]0;away', host_id: 'abcdef0123456789', session: 'there', number: 1, block })).result.taken, true);
    const taken = JSON.parse(ok('context', 'take', '--consumer', 'cli:hosts', '--format', 'text', '--json'));
    ok('context', 'commit', String(taken.lease));
    const receipt = last(), id = `abcdef0123456789:there:7:${now - 5}`;
    assert.deepStrictEqual([sha256(taken.text), receipt.blocks.some(({ block_id: one }) => one === id)], [receipt.entries[0].sha256, true]);
    assert.ok(ok('explain', '--last').split('\n').some((line) => line.includes(id) && /@ far.*\$ make remote$/.test(line)), ok('explain', '--last'));
    control.socket.destroy();
  });

  await report.test('a lease outlives its worker with what it told; committed twice it is one receipt', async () => {
    run('echo over a death');
    const before = lines().length;
    const taken = JSON.parse(ok('context', 'take', '-s', 'work', '--consumer', 'cli:death', '--format', 'text', '--json'));
    await killWorker(daemon);
    ok('context', 'commit', String(taken.lease));
    assert.strictEqual(lines().length, before + 1);
    assert.strictEqual(last().entries[0].sha256, sha256(taken.text));
    await killWorker(daemon);
    assert.strictEqual(daemon.ptyd('context', 'commit', String(taken.lease)).status, 1);
    assert.strictEqual(lines().length, before + 1);
    assert.strictEqual(last().entries[0].sha256, sha256(taken.text));
  });

  await report.test('half a line, and one that was damaged, cost themselves alone; the file is its owner\'s', () => {
    const { lease } = last();
    assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600);
    fs.appendFileSync(file, '{"v":1,"ts":1,"consumer":"cli:half');
    assert.strictEqual(last().lease, lease);
    run('echo behind half a line');
    const taken = JSON.parse(ok('context', 'take', '-s', 'work', '--consumer', 'cli:half', '--json'));
    ok('context', 'commit', String(taken.lease));
    assert.strictEqual(last().lease, taken.lease);
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').split('\n').filter((line) => !line.endsWith('cli:half')).join('\n').replace(new RegExp(`"lease":${lease},"bytes":\\d`), (found) => found.replace(/\d$/, '9')));
    const known = daemon.json('explain').map((receipt) => receipt.lease);
    assert.ok(known.includes(taken.lease) && known.length >= 4);
    fs.rmSync(file);
    assert.strictEqual(last(), null);
  });

  const turns = []; // {text, turn id, thread, what its commands were}
  let client, thread;
  const connect = async () => {
    client = new Client(PTYD, ['proxy', '--wait', '20', '-s', 'work', '--', codex, 'app-server'], { env, cwd: space.home });
    await client.initialize(true);
  };

  await report.test(`${TURNS} turns of codex, with deaths of the worker in between and an upgrade`, async () => {
    await connect();
    for (let i = 0; i < TURNS; i++) {
      if (i % PER_THREAD === 0) {
        thread = (await client.request('thread/start', {})).result.thread.id;
        if (i === 0) { run('echo first'); }
      }
      const kind = ['plain', 'long', 'secret', 'many', 'none'][i % 5];
      if (kind === 'plain') run(`echo turn ${i}`);
      if (kind === 'long') run(`seq 1 ${100 + i}`);
      if (kind === 'secret') run(`echo ${i} ${secret}`);
      if (kind === 'many') for (let n = 0; n < 12; n++) run(`: ${i} ${n}`);
      if (i % 7 === 3) process.kill(daemon.json('status').worker_pid, 'SIGKILL'); // while the turn is on its way
      const answer = await client.turn(thread, `turn ${i}`);
      assert.ok(answer.result, JSON.stringify(answer));
      turns.push({ text: `turn ${i}`, id: answer.result.turn.id, thread, kind });
      await until('the daemon is there again', () => daemon.ptyd('status').status === 0, 60000);
      if (i === TURNS >> 1) ok('upgrade');
    }
    assert.strictEqual(await client.end(), 0);
  });

  await report.test('what stands in codex\'s rollout files has a receipt, with its key, size and hash, in its turn; and no receipt is without', () => {
    const receipts = lines(), found = rollouts(home);
    const inRollout = found.flatMap(({ text, entries }) => entries.map(({ key, value }) => `${text} ${key} ${Buffer.byteLength(value)} ${sha256(value)}`)).sort();
    const named = new Map(turns.map(({ id, text }) => [id, text]));
    const inReceipts = receipts.flatMap(({ turn, entries }) => entries.map(({ key, bytes, sha256: hash }) => `${named.get(turn)} ${key} ${bytes} ${hash}`)).sort();
    assert.ok(inRollout.length >= turns.length, `${inRollout.length} entries`);
    assert.deepStrictEqual(inReceipts, inRollout);
    const threads = new Map(turns.map(({ id, thread: of }) => [id, of]));
    for (const { turn, consumer } of receipts) assert.strictEqual(consumer, `codex:${threads.get(turn)}`);
    console.log(`# ${turns.length} turns, ${receipts.length} receipts, ${inRollout.length} entries`);
  });

  await report.test('what the model was asked holds them, too', () => {
    const seen = new Set(model.requests.flatMap(({ input }) => input.flatMap(({ content }) => (content || []).map((part) => part.text || ''))));
    const hashes = new Set([...seen].map((text) => /^<(terminal_[a-z]+_\d{9})>([^]*)<\/\1>$/.exec(text)).filter(Boolean).map(([, key, value]) => `${key} ${sha256(value)}`));
    for (const { entries } of lines()) for (const { key, sha256: hash } of entries) assert.ok(hashes.has(`${key} ${hash}`), key);
  });

  await report.test('what was cut, taken out and dropped is said of its turn', () => {
    const of = (kind) => turns.filter((turn) => turn.kind === kind && lines().some(({ turn: id }) => id === turn.id)).map(({ id }) => daemon.json('explain', id));
    // A turn at which the worker died has its commands told with the next: those that have their own alone are looked at.
    const own = (kind, test) => { const all = of(kind); const good = all.filter(test); assert.ok(all.length && good.length * 2 >= all.length, `${kind}: ${good.length} of ${all.length}`); };
    own('long', ({ blocks }) => blocks.some(({ omitted_lines: cut, output_cut: some }) => cut >= 80 && some));
    own('secret', ({ blocks }) => blocks.some(({ redacted }) => redacted > 0));
    own('many', ({ kept, dropped, dropped_blocks: ids, blocks }) => kept === 10 && blocks.length === 10 && dropped >= 2 && ids.length === dropped);
    assert.ok(!fs.readFileSync(file, 'utf8').includes(secret));
  });

  await report.test('as people read it', () => {
    const told = lines(), { turn, entries, blocks } = told.at(-1);
    const one = ok('explain', '--last');
    assert.ok(one.startsWith(`turn ${turn} of codex:`), one);
    for (const { key, sha256: hash } of entries) assert.match(one, new RegExp(`^${key} +application +\\d+  ${hash.slice(0, 16)}\\.\\.\\.$`, 'm'));
    for (const { block_id: id } of blocks) assert.match(one, new RegExp(`^ {6}${id}  .*  \\$ `, 'm'));
    const list = ok('explain').trim().split('\n');
    assert.strictEqual(list.length, Math.min(told.length, 20) + 1);
    assert.ok(list.at(-1).includes(turn));
    if (turns.length >= 20) assert.match(turns.filter(({ kind }) => kind === 'many').map(({ id }) => daemon.ptyd('explain', id).stdout).join(''), /^dropped: \d+ older commands: work:/m);
  });

  await daemon.stop();
  model.close();
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
