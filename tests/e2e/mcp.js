// `ptyd mcp` as a client of the Model Context Protocol sees it, in each version of that: what is
// answered, refused, told, never told. Only node's own modules. Usage: node mcp.js
'use strict';
const assert = require('node:assert');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { withSecret, removeWorkspace, killWorker, waitFor, Client, Control, Daemon, Report, PTYD, until } = require('./harness');

const TOOLS = ['sessions', 'blocks', 'block_output', 'search', 'screen', 'scrollback', 'wait'];
const HANDSHAKES = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

class Mcp extends Client {
  constructor(space, args = [], env = space.env) { super(PTYD, ['mcp', ...args], { env, cwd: space.home }); }

  static async begun(space, version = '2025-06-18', args = []) {
    const mcp = new Mcp(space, args);
    const { result } = await mcp.ask('initialize', { protocolVersion: version, capabilities: {}, clientInfo: { name: 'test', version: '1' } });
    assert.strictEqual(result.protocolVersion, version);
    mcp.tell('notifications/initialized');
    return mcp;
  }

  send(message) { this.sendRaw(JSON.stringify({ jsonrpc: '2.0', ...message })); }

  tell(method, params) { this.send({ method, params }); }

  answer(id, ms) { return until(`an answer to ${id}`, () => this.messages.find((m) => m.id === id && !m.method), ms); }

  ask(method, params, id = `q${this.nextId++}`) {
    this.send({ id, method, params });
    return this.answer(id);
  }

  async call(name, args = {}, meta = undefined) {
    const { result, error } = await this.ask('tools/call', { name, arguments: args, ...(meta ? { _meta: meta } : {}) });
    assert.ok(result, JSON.stringify(error));
    assert.strictEqual(result.isError, false, JSON.stringify(result));
    const value = JSON.parse(result.content[0].text);
    if (result.structuredContent) assert.deepStrictEqual(result.structuredContent, value);
    return value;
  }

  async failure(name, args) {
    const { result } = await this.ask('tools/call', { name, arguments: args });
    assert.ok(result && result.isError === true && !result.structuredContent, JSON.stringify(result));
    return result.content[0].text;
  }

  told(method) { return this.messages.filter((m) => m.method === method); }

  // What was sent before this was taken.
  async settled() { await this.ask('ping'); }
}

async function main() {
  const report = new Report();
  const { space, secret, daemon } = await withSecret();
  const run = (command, session = 'work') => daemon.ptyd('run', '-s', session, '--timeout', '60', '--', command);
  const blocks = () => daemon.json('blocks', '-s', 'work');
  // A command that runs until the file is made.
  const running = async (name) => {
    const file = path.join(space.root, name);
    daemon.ptyd('send', '-s', 'work', `${waitFor(file)}\r`);
    await until('it runs', () => blocks().at(-1)?.status === 'running' && blocks().at(-1).cmd.includes(name));
    return () => fs.writeFileSync(file, '');
  };

  await report.test('versions: each is negotiated, another is answered with the newest', async () => {
    for (const [asked, answered] of [...HANDSHAKES.map((v) => [v, v]), ['1999-01-01', '2025-11-25'], ['2026-07-28', '2025-11-25'], ['x', '2025-11-25']]) {
      const mcp = new Mcp(space);
      const { result } = await mcp.ask('initialize', { protocolVersion: asked, capabilities: {} });
      assert.strictEqual(result.protocolVersion, answered, asked);
      assert.deepStrictEqual([typeof result.instructions, result.serverInfo.name, result.capabilities], ['string', 'ptyd', { tools: {}, resources: { subscribe: true, listChanged: true } }]);
      const { tools } = (await mcp.ask('tools/list')).result;
      for (const tool of tools) {
        assert.strictEqual('outputSchema' in tool, answered >= '2025-06-18', `${answered} ${tool.name}`);
        assert.strictEqual('annotations' in tool, answered >= '2025-03-26', `${answered} ${tool.name}`);
      }
      const call = (await mcp.ask('tools/call', { name: 'sessions', arguments: {} })).result;
      assert.strictEqual('structuredContent' in call, answered >= '2025-06-18');
      assert.strictEqual((await mcp.ask('initialize', { protocolVersion: asked, capabilities: {} })).error.code, -32600, 'once');
      assert.strictEqual(await mcp.end(), 0);
    }
  });

  await report.test('before initialize a ping is answered and nothing else; wrong ones are refused', async () => {
    const mcp = new Mcp(space);
    assert.deepStrictEqual((await mcp.ask('ping')).result, {});
    for (const method of ['tools/list', 'tools/call', 'resources/list', 'no/such'])
      assert.strictEqual((await mcp.ask(method, {})).error.code, -32600, method);
    for (const params of [undefined, {}, { protocolVersion: 7 }, { protocolVersion: '2025-06-18', capabilities: 3 }, { protocolVersion: '2025-06-18', clientInfo: 'x' }])
      assert.strictEqual((await mcp.ask('initialize', params)).error.code, -32602, JSON.stringify(params));
    assert.ok((await mcp.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {} })).result);
    assert.strictEqual((await mcp.ask('no/such')).error.code, -32601);
    assert.strictEqual(await mcp.end(), 0);
  });

  await report.test('JSON-RPC: what is malformed is refused for what it is, notifications are never answered', async () => {
    const mcp = await Mcp.begun(space);
    let seen = mcp.messages.length;
    const next = async (line) => {
      mcp.sendRaw(line);
      await until(`an answer to ${line.slice(0, 60)}`, () => mcp.messages.length > seen);
      seen += 1;
      return mcp.messages[seen - 1];
    };
    for (const [line, id, code] of [
      ['{', null, -32700], ['nonsense', null, -32700], ['{"jsonrpc":"2.0","id":1,"method":"ping"', null, -32700], ['"\\ud800"', null, -32700],
      ['3', null, -32600], ['"text"', null, -32600], ['null', null, -32600], ['{}', null, -32600], ['[]', null, -32600],
      ['{"jsonrpc":"2.0","id":15,"method":3}', 15, -32600], ['{"jsonrpc":"2.0","method":1,"params":"bar"}', null, -32600],
      ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32600], ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', null, -32600],
      ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32600], ['{"jsonrpc":"2.0","id":true,"method":"ping"}', null, -32600],
      ['{"jsonrpc":"1.0","id":16,"method":"ping"}', 16, -32600], ['{"jsonrpc":"2.0","id":17,"method":"ping","params":7}', 17, -32600],
      ['{"jsonrpc":"2.0","id":18,"method":"tools/list","params":[]}', 18, -32602], ['{"jsonrpc":"2.0","id":19}', 19, -32600],
      ['{"jsonrpc":"2.0","id":20,"method":"tools/list","params":{"_meta":[]}}', 20, -32602],
      ['[{"jsonrpc":"2.0","id":21,"method":"ping"}]', null, -32600], [`{"jsonrpc":"2.0","id":22,"method":"${'x'.repeat(2000)}"}`, 22, -32601],
      ['{"jsonrpc":"2.0","id":23,"method":"pi\\u0000ng"}', 23, -32600]]) {
      const answer = await next(line);
      assert.deepStrictEqual([answer.jsonrpc, answer.id, answer.error?.code], ['2.0', id, code], line.slice(0, 80));
      assert.ok(answer.error.message.length > 3);
    }
    for (const id of [0, -7, 9007199254740991, '', 'x y', 'ü'])
      assert.deepStrictEqual((await mcp.ask('ping', undefined, id)).result, {});
    seen = mcp.messages.length;
    for (const line of ['{"jsonrpc":"2.0","method":"no/such"}', '{"jsonrpc":"2.0","method":"tools/list"}', '{"jsonrpc":"2.0","method":"ping","params":[]}',
      '{"jsonrpc":"2.0","id":5,"result":{}}', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}', '', '\r'])
      mcp.sendRaw(line);
    await mcp.settled();
    assert.strictEqual(mcp.messages.length, seen + 1, 'the ping alone');
    assert.strictEqual(await mcp.end(), 0);
  });

  await report.test('batches: in 2025-03-26, answered in one array, notifications left out', async () => {
    const mcp = await Mcp.begun(space, '2025-03-26');
    mcp.sendRaw(JSON.stringify([
      { jsonrpc: '2.0', id: 'a', method: 'ping' }, { jsonrpc: '2.0', method: 'notifications/none' }, 5,
      { jsonrpc: '2.0', id: 'b', method: 'tools/call', params: { name: 'sessions' } }, { jsonrpc: '2.0', id: 'c', method: 'no/such' },
      { jsonrpc: '2.0', id: 'd', method: 'initialize', params: { protocolVersion: '2025-03-26' } }]));
    const batch = await until('the batch', () => mcp.messages.find(Array.isArray));
    const by = (id) => batch.find((m) => m.id === id);
    assert.strictEqual(batch.length, 5);
    assert.deepStrictEqual([by('a').result, by('b').result.isError, by('c').error.code, by('d').error.code, by(null).error.code], [{}, false, -32601, -32600, -32600]);
    const before = mcp.messages.length;
    mcp.sendRaw('[{"jsonrpc":"2.0","method":"notifications/none"}]');
    await mcp.settled();
    assert.strictEqual(mcp.messages.length, before + 1, 'a batch of notifications has no answer');
    assert.strictEqual(await mcp.end(), 0);
  });

  await report.test('tools: strict schemas, read-only; wrong arguments are refused and say what is wrong', async () => {
    const mcp = await Mcp.begun(space), newer = await Mcp.begun(space, '2025-11-25');
    const { tools } = (await mcp.ask('tools/list')).result;
    assert.deepStrictEqual(tools.map((t) => t.name).slice(0, 7), TOOLS);
    for (const tool of tools) {
      const { type, additionalProperties, properties, required } = tool.inputSchema;
      assert.deepStrictEqual([type, additionalProperties, Array.isArray(required), tool.outputSchema.type], ['object', false, true, 'object']);
      for (const [key, value] of Object.entries(properties)) {
        assert.ok(value.description && ['string', 'integer', 'boolean'].includes(value.type), `${tool.name} ${key}`);
        if (value.type === 'integer') assert.ok(Number.isInteger(value.minimum) && Number.isInteger(value.maximum));
        if (value.type === 'string') assert.ok(value.pattern || Number.isInteger(value.maxLength));
      }
      assert.deepStrictEqual([tool.annotations.readOnlyHint, tool.annotations.destructiveHint], [true, false]);
    }
    for (const [name, args, word] of [
      ['scrollback', { limit: 'ten' }, 'limit'], ['scrollback', { limit: 0 }, 'limit'], ['scrollback', { limit: -5 }, 'limit'], ['scrollback', { limit: 1e6 }, 'limit'],
      ['scrollback', { limit: 1.5 }, 'limit'], ['scrollback', { limits: 5 }, 'limit'], ['screen', { x: 1 }, 'x'], ['screen', { conversation_id: '../../etc' }, 'conversation_id'],
      ['screen', { conversation_id: 7 }, 'conversation_id'], ['screen', { conversation_id: 'a\0b' }, 'conversation_id'], ['screen', { conversation_id: '' }, 'conversation_id'],
      ['block_output', {}, 'block_id'], ['block_output', { block_id: 'x'.repeat(500) }, 'block_id'], ['block_output', { block_id: null }, 'block_id'],
      ['block_output', { block_id: '1', offset: -1 }, 'offset'], ['search', {}, 'query'], ['search', { query: '' }, 'query'], ['search', { query: 'x', regex: 'yes' }, 'regex'],
      ['wait', { timeout_ms: -1 }, 'timeout_ms'], ['wait', { timeout_ms: 1e12 }, 'timeout_ms'], ['pty_read_scrollback', { limit: 'ten' }, 'limit']]) {
      const { error } = await mcp.ask('tools/call', { name, arguments: args });
      assert.ok(error && error.code === -32602 && error.message.includes(word), `${name} ${JSON.stringify(args)}: ${JSON.stringify(error)}`);
      const { result } = await newer.ask('tools/call', { name, arguments: args });
      assert.ok(result.isError && result.content[0].text.includes(word), 'since 2025-11-25 the model sees it');
    }
    for (const params of [undefined, {}, { name: 7 }, { name: 'no_such' }, { name: 'screen', arguments: [] }, { name: 'screen', arguments: 'x' }])
      assert.strictEqual((await mcp.ask('tools/call', params)).error.code, -32602, JSON.stringify(params));
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list'])
      for (const cursor of ['bogus', '', 7, 'YmxvY2tzL3dvcmsvMg=='])
        assert.strictEqual((await mcp.ask(method, { cursor })).error.code, -32602, `${method} ${cursor}`);
    for (const cursor of ['bogus', 'YmxvY2tzL290aGVyLzI=', 'YmxvY2tzL3dvcmsvMHgy', '!!!!'])
      assert.strictEqual((await mcp.ask('tools/call', { name: 'blocks', arguments: { cursor } })).error.code, -32602, cursor);
    for (const client of [mcp, newer]) assert.strictEqual(await client.end(), 0);
  });

  await report.test('the tools: sessions, blocks page by page, a whole output, its part, its lines, search, screen', async () => {
    run('seq 1000');
    run('false');
    for (let i = 0; i < 25; i++) run(`echo number ${i}`);
    const mcp = await Mcp.begun(space);
    const { sessions } = await mcp.call('sessions');
    assert.deepStrictEqual(sessions.map((s) => [s.conversation_id, s.state, s.cols, s.rows, s.capture, s.cwd]), [['work', 'prompt', 60, 10, 'on', space.home]]);
    const all = blocks().map((b) => b.block_id).reverse(), seen = [];
    let cursor;
    do {
      const page = await mcp.call('blocks', { limit: 10, ...(cursor ? { cursor } : {}) });
      assert.ok(page.blocks.length <= 10 && page.conversation_id === 'work');
      seen.push(...page.blocks.map((b) => b.block_id));
      cursor = page.nextCursor;
    } while (cursor);
    assert.deepStrictEqual(seen, all);
    assert.deepStrictEqual((await mcp.call('blocks', { filter: 'failed' })).blocks.map((b) => b.cmd), ['false']);
    assert.deepStrictEqual((await mcp.call('blocks', { filter: 'number 7' })).blocks.map((b) => b.cmd), ['echo number 7']);
    const id = all.at(-1);
    const numbers = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => String(from + i));
    const first = await mcp.call('block_output', { block_id: id });
    assert.deepStrictEqual([first.lines, first.next_offset, first.whole, first.output_lines], [numbers(1, 200), 200, true, 1000]);
    const rest = await mcp.call('block_output', { block_id: id, offset: 990, limit: 2000 });
    assert.deepStrictEqual([rest.lines, rest.next_offset, rest.numbers], [numbers(991, 1000), null, numbers(991, 1000).map(Number)]);
    // A line longer than what is looked at at once is one line, its head is told, and a secret at the cut is not.
    const long = path.join(space.root, 'long'), token = ['gh', 'p_', 'aB3dE5gH7jK9mN1pQ3sT5vW7xZ9bC1dE3fG5'].join('');
    fs.writeFileSync(long, `head\n${'x '.repeat(131060)} ${token} ${'y '.repeat(200000)}\nneedle\n${'z'.repeat(300000)}\nlast needle\n`);
    daemon.ptyd('run', '-s', 'work', '--timeout', '60', '--', `cat ${long}`);
    const number = String(blocks().at(-1).seq);
    const [one, two, three] = [await mcp.call('block_output', { block_id: number, limit: 2 }), await mcp.call('block_output', { block_id: number, offset: 2 }), await mcp.call('block_output', { block_id: number, grep: 'needle' })];
    assert.deepStrictEqual([one.lines[0], one.numbers, one.next_offset], ['head', [1, 2], 2]);
    assert.match(one.lines[1], /^(x ){120000}[x ]*$/);
    assert.deepStrictEqual([two.lines.map((line) => line.slice(0, 6)), two.numbers], [['needle', 'zzzzzz', 'last n'].slice(0, two.lines.length), [3, 4, 5].slice(0, two.lines.length)]);
    assert.deepStrictEqual([three.lines, three.numbers, three.next_offset], [['needle', 'last needle'], [3, 5], null]);
    assert.ok(!JSON.stringify([one, two, three]).includes(token.slice(0, 20)));
    for (const named of ['1', 'work:1']) assert.deepStrictEqual((await mcp.call('block_output', { block_id: named, grep: '99', limit: 3 })).lines, ['99', '199', '299']);
    assert.match(await mcp.failure('block_output', { block_id: 'work:999' }), /no block 999/);
    assert.match(await mcp.failure('block_output', { block_id: id, conversation_id: 'other' }), /session work/);
    assert.match(await mcp.failure('screen', { conversation_id: 'none' }), /no session none/);
    run('echo a needle in OUTPUT; (exit 3)');
    const { results } = await mcp.call('search', { query: 'needle in' });
    assert.deepStrictEqual(results.map((r) => [r.cmd, r.exit_code, r.matches.map((m) => [m.in, m.line, m.text])]),
      [['echo a needle in OUTPUT; (exit 3)', 3, [['command', 1, 'echo a needle in OUTPUT; (exit 3)'], ['output', 1, 'a needle in OUTPUT']]]]);
    assert.deepStrictEqual((await mcp.call('search', { query: '^a n.*le', regex: true, failed: true })).results.length, 1);
    assert.deepStrictEqual((await mcp.call('search', { query: 'in OUTPUT$', regex: true })).results.map((r) => r.matches.map((m) => m.in)), [['output']], 'a line has an end');
    assert.deepStrictEqual((await mcp.call('search', { query: '^echo a needle.*3\\)$', regex: true })).results.length, 1, 'a command, too');
    assert.deepStrictEqual((await mcp.call('search', { query: 'needle In' })).results, [], 'capital letters count');
    assert.match(await mcp.failure('search', { query: '(', regex: true }), /no regular expression/);
    assert.ok((await mcp.call('screen')).rows.includes('a needle in OUTPUT'));
    assert.deepStrictEqual(await mcp.call('pty_read_screen'), await mcp.call('screen'));
    const back = await mcp.call('scrollback', { limit: 2, skip: 1 });
    assert.deepStrictEqual(back, await mcp.call('pty_read_scrollback', { limit: 2, skip: 1 }));
    assert.strictEqual(back.lines.length, 2);
    assert.strictEqual(await mcp.end(), 0);
  });

  await report.test('a command that runs: all that it has printed is told, also what stands on the screen, and the line at hand', async () => {
    const file = path.join(space.root, 'shown');
    daemon.ptyd('send', '-s', 'work', `seq 30; printf 'at hand'; ${waitFor(file)}; echo over\r`);
    await until('it is at hand', () => daemon.json('screen', '-s', 'work').rows.includes('at hand'));
    const mcp = await Mcp.begun(space), { seq } = blocks().at(-1);
    const shown = await mcp.call('block_output', { block_id: String(seq) });
    assert.deepStrictEqual([shown.status, shown.whole, shown.lines, shown.next_offset], ['running', false, [...Array.from({ length: 30 }, (_, i) => String(i + 1)), 'at hand'], null]);
    fs.writeFileSync(file, '');
    await mcp.call('wait');
    assert.strictEqual((await mcp.call('block_output', { block_id: String(seq), offset: 30 })).lines[0], 'at handover');
    assert.strictEqual(await mcp.end(), 0);
  });

  await report.test('a long output page by page: each page costs itself, and a key that pages part is hidden from wherever one reads on', async () => {
    const lines = 1_500_000, key = ['-----BEGIN RSA PRIVATE KEY-----', ...Array.from({ length: 40 }, (_, i) => `${i}`.padStart(64, 'A')), '-----END RSA PRIVATE KEY-----'];
    const file = path.join(space.root, 'long');
    const text = Array.from({ length: lines }, (_, i) => `${i + 1}`);
    for (const at of [200_000, 700_000]) text.splice(at, key.length, ...key);
    fs.writeFileSync(file, `${text.join('\n')}\n`);
    run(`cat ${file}`);
    const block = blocks().at(-1), control = new Control(space.env.PTYD_SOCKET);
    const bytes = () => Number(/^rchar: (\d+)/.exec(fs.readFileSync(`/proc/${daemon.json('status').worker_pid}/io`, 'utf8'))[1]);
    const page = async (offset, limit) => (await control.ask('session.output', { name: 'work', block: block.block_id, offset, limit })).result;
    const [before, told] = [bytes(), []];
    for (let offset = 0; offset !== null;) {
      const { numbers, lines: some, next } = await page(offset, 20000);
      numbers.forEach((number, i) => { told[number - 1] = some[i]; });
      offset = next;
    }
    assert.ok(bytes() - before < 4 * block.output_bytes, `${bytes() - before} read of ${block.output_bytes}`);
    assert.strictEqual(told.length, lines);
    for (const at of [200_000, 700_000]) {
      assert.ok(!told.slice(at, at + key.length).some((line) => line?.includes('AAAA')), 'the key is hidden');
      for (const offset of [at + 20, at + 1, at + key.length - 2]) assert.ok(!(await page(offset, 3)).lines.some((line) => line.includes('AAAA')), `from ${offset}`);
      text.splice(at, key.length, ...told.slice(at, at + key.length));
    }
    assert.ok(text.every((line, i) => line === told[i]), 'all the rest is there');
    control.socket.destroy();
  });

  await report.test('what a turn brings names the tool and the id that give the rest, in every form, where one serves; else the command', async () => {
    run('seq 3000');
    const { block_id: id } = blocks().at(-1);
    const entries = () => Object.entries(daemon.json('context', 'show', '-s', 'work').additionalContext).map(([key, { value }]) => [key, value, JSON.parse(value)]);
    const entry = () => entries().find(([, , value]) => value.block_id === id);
    const form = (name) => daemon.ptyd('context', 'show', '-s', 'work', '--format', name).stdout;
    const served = () => entries()[0][2].mcp.length > 0;
    assert.deepStrictEqual([served(), 'rest' in entry()[2]], [false, false]);
    assert.ok(form('text').includes(`(the rest: ptyd block ${id})`));
    assert.strictEqual(daemon.ptyd('block', id).stdout.split('\n').filter((line) => /^\d+$/.test(line)).length, 3000, 'it is true');
    const mcp = await Mcp.begun(space); // it was told no session: it serves all
    await until('it serves', served);
    assert.deepStrictEqual([entry()[2].rest, entry()[2].preview.truncated], ['block_output', true]);
    assert.ok(form('text').includes(`(the rest: block_output, block_id ${id})`) && !form('text').includes('ptyd block'));
    assert.ok(form('acp').includes(`block_output, block_id ${id}`));
    assert.match(form('envelope'), /"mcp": ?\["pty_read_screen", ?"pty_read_scrollback", ?"block_output"\]/);
    assert.strictEqual((await mcp.call(entry()[2].rest, { block_id: id, limit: 2000 })).lines.length, 2000, 'it is true');
    const { lease } = daemon.json('context', 'take', '-s', 'work');
    daemon.ptyd('context', 'release', String(lease));
    const told = entry();
    assert.strictEqual(await mcp.end(), 0);
    await until('it serves no more', () => !served());
    assert.deepStrictEqual(entry(), told, 'what came back has the same bytes');
    await killWorker(daemon);
    assert.deepStrictEqual(entry(), told, 'behind another worker, too');
    daemon.ptyd('context', 'clear', '-s', 'work');
  });

  await report.test('what was secret in an earlier shell of a session stays so in what that printed, over a kill of the worker and a stop', async () => {
    const value = `lantern-${'q4'.repeat(6)}`, again = 'harbour-wall-93';
    const openWith = (...env) => assert.strictEqual(daemon.ptyd('open', 'former', ...env).status, 0);
    const say = (command) => daemon.ptyd('run', '-s', 'former', '--timeout', '20', '--', command);
    const read = async () => {
      const mcp = await Mcp.begun(space), { blocks: all } = await mcp.call('blocks', { conversation_id: 'former' });
      const texts = await Promise.all(all.map(async (b) => (await mcp.call('block_output', { conversation_id: 'former', block_id: b.block_id })).lines.join('\n')));
      const found = await mcp.call('search', { conversation_id: 'former', query: value.slice(0, 9) });
      assert.strictEqual(await mcp.end(), 0);
      return [...all.map((b) => b.cmd), ...texts, JSON.stringify(found.results)];
    };
    openWith('--env', `FIRST_TOKEN=${value}`);
    say('echo "it is $FIRST_TOKEN."');
    daemon.ptyd('close', 'former');
    openWith('--env', `SECOND_TOKEN=${again}`);
    say('echo "and $SECOND_TOKEN."');
    daemon.ptyd('close', 'former');
    openWith();
    const expected = ['and [redacted:env:SECOND_TOKEN].', 'it is [redacted:env:FIRST_TOKEN].'];
    const check = async (when) => {
      const all = await read();
      assert.deepStrictEqual(all.filter((text) => /^(it is|and) /.test(text)).sort(), expected, when);
      assert.ok(!all.some((text) => text.includes(value) || text.includes(again)), when);
    };
    await check('opened again without them');
    say(`echo typed ${value}`);
    await check('and typed');
    await killWorker(daemon);
    await check('behind another worker');
    const meta = fs.readFileSync(path.join(space.env.PTYD_STATE_DIR, 'conversations/former/meta.json'), 'utf8');
    assert.ok(meta.includes('FIRST_TOKEN') && !meta.includes(value) && !meta.includes(again), 'digests alone are kept');
    daemon.ptyd('close', 'former');
    const page = daemon.ptyd('blocks', '-s', 'former', '--html');
    assert.ok(!page.stdout.includes(value) && !page.stdout.includes(again));
    assert.doesNotMatch(page.stderr, /look through the page/);
  });

  await report.test('no tool and no resource tells a secret, a private command, or anything while capture is paused', async () => {
    const key = ['-----BEGIN ', 'RSA PRIVATE KEY-----'].join('');
    run(`echo ${'x'.repeat(55)}$DEPLOY_TOKEN; printf -- '${key}\\nMIIEpAIBAAKC\\n-----END RSA PRIVATE KEY-----\\nbehind\\n'`);
    // Broken at the edge by its program, behind so much that it is looked through in pieces; 60 columns.
    const rows = [`${'.'.repeat(57)}${secret.slice(0, 3)}`, `${secret.slice(3)} behind`], pieces = 11000;
    fs.writeFileSync(path.join(space.root, 'rows'), [...Array.from({ length: pieces }, (_, i) => `${i}${i % 500 ? '' : `\n${rows.join('\n')}`}`), ...rows, ''].join('\n'));
    run(`cat ${space.root}/rows`);
    const broken = blocks().at(-1).block_id;
    run('HISTCONTROL=ignorespace');
    run(' echo hidden-word');
    const mcp = await Mcp.begun(space);
    const many = [];
    for (let offset = 0; offset !== null;) {
      const part = await mcp.call('block_output', { block_id: broken, offset, limit: 2000 });
      many.push(...part.lines);
      offset = part.next_offset;
    }
    assert.deepStrictEqual(many.filter((line) => !/^\d+$/.test(line)), Array(pieces / 500 + 1).fill([`${'.'.repeat(57)}[redacted:env:DEPLOY_TOKEN]`, ' behind']).flat());
    const newest = (await mcp.call('blocks', { limit: 2 })).blocks;
    assert.strictEqual(newest[0].cmd, 'HISTCONTROL=ignorespace', 'the private one is not among them');
    const shown = await mcp.call('block_output', { block_id: (await mcp.call('blocks', { limit: 3 })).blocks[2].block_id });
    assert.deepStrictEqual(shown.lines, [`${'x'.repeat(55)}[redacted:env:DEPLOY_TOKEN]`, '[redacted:private-key]', 'behind']);
    assert.deepStrictEqual(shown.numbers, [1, 2, 5], 'as they stand in the output');
    const privately = blocks().at(-1);
    assert.deepStrictEqual([privately.cmd.trim(), privately.private], ['echo hidden-word', true]);
    for (const args of [{ block_id: privately.block_id }, { block_id: String(privately.seq) }])
      assert.match(await mcp.failure('block_output', { conversation_id: 'work', ...args }), /private/);
    assert.deepStrictEqual((await mcp.call('search', { query: 'hidden-word' })).results, []);
    assert.deepStrictEqual((await mcp.call('blocks', { filter: 'hidden' })).blocks, []);
    for (const query of [secret, secret.slice(0, 9), 'MIIEpAIBAAKC']) assert.deepStrictEqual((await mcp.call('search', { query })).results, [], 'nothing can be guessed');
    for (const query of ['s3cr3t-k', 'MIIE.pA']) assert.deepStrictEqual((await mcp.call('search', { query, regex: true })).results, []);
    for (const kind of ['blocks', `blocks/${privately.seq - 3}`, `blocks/${privately.seq - 3}/output`, `blocks/${privately.seq - 2}`, `blocks/${privately.seq - 2}/output`])
      assert.ok((await mcp.ask('resources/read', { uri: `ptyd:///sessions/work/${kind}` })).result.contents[0].text.includes('redacted'), kind);
    assert.ok(!mcp.lines.join('\n').includes(secret) && !mcp.lines.join('\n').includes('MIIEpAIBAAKC'));
    daemon.ptyd('context', 'pause', '-s', 'work');
    for (const [name, args] of [['screen', {}], ['scrollback', {}], ['blocks', {}], ['block_output', { block_id: '1' }], ['wait', {}]])
      assert.match(await mcp.failure(name, args), /paused/, name);
    assert.deepStrictEqual((await mcp.call('search', { query: 'number 7' })).results, []);
    assert.deepStrictEqual((await mcp.call('sessions')).sessions.map((s) => [s.capture, s.cwd]), [['paused', null]]);
    assert.ok((await mcp.ask('resources/read', { uri: 'ptyd:///sessions/work/screen' })).error);
    daemon.ptyd('context', 'resume', '-s', 'work');
    assert.ok((await mcp.call('screen')).rows);
    assert.strictEqual(await mcp.end(), 0);
  });

  await report.test('hidden characters are written out', async () => {
    run("printf 'a\\u202eb\\u200bc\\n'");
    const mcp = await Mcp.begun(space);
    const { lines } = await mcp.call('block_output', { block_id: String(blocks().at(-1).seq) });
    assert.deepStrictEqual(lines, ['a\\u{202e}b\\u{200b}c']);
    assert.strictEqual(await mcp.end(), 0);
  });

  await report.test('wait: until the command has ended; progress; a time-out; nothing runs', async () => {
    const mcp = await Mcp.begun(space);
    const idle = await mcp.call('wait');
    assert.deepStrictEqual([idle.running, idle.timed_out, idle.block.block_id], [false, false, blocks().at(-1).block_id]);
    const finish = await running('one');
    const late = await mcp.call('wait', { timeout_ms: 0 });
    assert.deepStrictEqual([late.running, late.timed_out, late.block.status], [true, true, 'running']);
    mcp.send({ id: 'w', method: 'tools/call', params: { name: 'wait', arguments: {}, _meta: { progressToken: 'p' } } });
    await until('it says how far it is, twice', () => mcp.told('notifications/progress').length >= 2);
    assert.ok(!mcp.messages.some((m) => m.id === 'w'));
    finish();
    const { result } = await mcp.answer('w');
    const { block, running: runs } = result.structuredContent;
    assert.deepStrictEqual([block.status, block.exit_code, runs], ['completed', 0, false]);
    const progress = mcp.told('notifications/progress').map((m) => m.params);
    assert.ok(progress.every((p, i) => p.progressToken === 'p' && (!i || p.progress > progress[i - 1].progress)), JSON.stringify(progress));
    assert.strictEqual(await mcp.end(), 0);
  });

  await report.test('a thousand waits at once: others are served meanwhile, a cancelled one is not answered, the rest is', async () => {
    const mcp = await Mcp.begun(space);
    const finish = await running('thousand');
    for (let i = 0; i < 1000; i++) mcp.send({ id: `t${i}`, method: 'tools/call', params: { name: 'wait', arguments: { timeout_ms: 3600000 } } });
    assert.ok((await mcp.call('screen')).rows);
    assert.strictEqual((await mcp.ask('ping', undefined, 't5')).error.code, -32600, 'the id of one that is under way');
    for (let i = 0; i < 500; i++) mcp.tell('notifications/cancelled', { requestId: `t${i * 2}`, reason: 'enough' });
    await mcp.settled();
    await killWorker(daemon);
    assert.ok(!mcp.messages.some((m) => /^t\d+$/.test(m.id) && m.result));
    finish();
    const answered = () => mcp.messages.filter((m) => /^t\d+$/.test(m.id) && m.result);
    await until('all others are answered', () => answered().length === 500, 60000);
    await mcp.settled();
    assert.ok(answered().every((m) => Number(m.id.slice(1)) % 2 === 1 && m.result.structuredContent.block.status === 'completed'));
    assert.strictEqual(answered().length, 500);
    assert.strictEqual(await mcp.end(), 0);
  });

  await report.test('more requests than may be under way are refused, one by one', async () => {
    const mcp = await Mcp.begun(space);
    const finish = await running('many');
    for (let i = 0; i < 2152; i++) mcp.send({ id: i, method: 'tools/call', params: { name: 'wait', arguments: { timeout_ms: 3600000 } } });
    const refused = () => mcp.messages.filter((m) => m.error);
    await until('some are refused', () => refused().length === 104, 60000);
    assert.ok(refused().every((m) => m.error.code === -32603 && /too many/.test(m.error.message)));
    finish();
    await until('the others are answered', () => mcp.messages.filter((m) => m.result && typeof m.id === 'number').length === 2048, 120000);
    assert.strictEqual(await mcp.end(), 0);
  });

  await report.test('resources: listed, read, templates, not found by each version\'s code', async () => {
    const mcp = await Mcp.begun(space);
    const { resources } = (await mcp.ask('resources/list')).result;
    assert.deepStrictEqual(resources.map((r) => [r.uri, r.mimeType]), [['screen', 'text/plain'], ['scrollback', 'text/plain'], ['blocks', 'application/json']].map(([kind, type]) => [`ptyd:///sessions/work/${kind}`, type]));
    run('echo resourceful');
    const read = async (uri) => {
      const { result } = await mcp.ask('resources/read', { uri });
      assert.deepStrictEqual([result.contents.length, result.contents[0].uri], [1, uri]);
      return result.contents[0].text;
    };
    for (const { uri } of resources) assert.strictEqual(typeof await read(uri), 'string');
    const seq = blocks().at(-1).seq;
    assert.strictEqual(await read(`ptyd:///sessions/work/blocks/${seq}/output`), 'resourceful\n');
    assert.strictEqual(JSON.parse(await read(`ptyd:///sessions/work/blocks/${seq}`)).cmd, 'echo resourceful');
    assert.ok(JSON.parse(await read('ptyd:///sessions/work/blocks')).some((b) => b.seq === seq));
    assert.strictEqual((await mcp.ask('resources/templates/list')).result.resourceTemplates.length, 5);
    for (const uri of ['ptyd:///sessions/none/screen', 'ptyd:///sessions/work/blocks/999999', 'ptyd:///sessions/../screen', 'ptyd:///sessions/work/../work/screen', 'ptyd:///sessions/work/blocks/0', 'ptyd:///sessions/work/blocks/07', 'file:///etc/passwd', ''])
      assert.deepStrictEqual([(await mcp.ask('resources/read', { uri })).error?.code], [-32002], uri);
    for (const params of [undefined, {}, { uri: 7 }]) for (const method of ['resources/read', 'resources/subscribe', 'resources/unsubscribe'])
      assert.strictEqual((await mcp.ask(method, params)).error.code, -32602);
    assert.strictEqual(await mcp.end(), 0);
  });

  await report.test('resources: a subscriber hears of changes, of what it subscribed to alone, until it has enough', async () => {
    const mcp = await Mcp.begun(space);
    const heard = () => mcp.told('notifications/resources/updated').map((m) => m.params.uri);
    const [screen, list] = ['screen', 'blocks'].map((kind) => `ptyd:///sessions/work/${kind}`);
    assert.deepStrictEqual((await mcp.ask('resources/subscribe', { uri: screen })).result, {});
    run('echo heard');
    await until('of the screen', () => heard().includes(screen));
    assert.ok(!heard().includes(list));
    assert.deepStrictEqual((await mcp.ask('resources/subscribe', { uri: list })).result, {});
    run('echo again');
    await until('of the commands', () => heard().includes(list));
    await killWorker(daemon);
    let before = heard().length;
    run('echo behind another worker');
    await until('of both again', () => [screen, list].every((uri) => heard().slice(before).includes(uri)), 60000);
    for (const uri of [screen, list]) assert.deepStrictEqual((await mcp.ask('resources/unsubscribe', { uri })).result, {});
    before = heard().length;
    run('echo to nobody');
    daemon.ptyd('open', 'listed');
    await until('the list has changed', () => mcp.told('notifications/resources/list_changed').length);
    assert.ok((await mcp.ask('resources/list')).result.resources.some((r) => r.uri.includes('/listed/')));
    const changes = mcp.told('notifications/resources/list_changed').length;
    daemon.ptyd('close', 'listed');
    await until('again', () => mcp.told('notifications/resources/list_changed').length > changes);
    assert.strictEqual(heard().length, before);
    assert.strictEqual(await mcp.end(), 0);
  });

  await report.test('telling is switched off, or capture paused: who waits is told so at once, who subscribed hears of nothing more', async () => {
    const mcp = await Mcp.begun(space), beside = 'ptyd:///sessions/beside/blocks';
    const uris = ['screen', 'scrollback', 'blocks'].map((kind) => `ptyd:///sessions/work/${kind}`);
    const heard = () => mcp.told('notifications/resources/updated').map((m) => m.params.uri);
    daemon.ptyd('open', 'beside');
    for (const uri of [...uris, beside]) await mcp.ask('resources/subscribe', { uri });
    for (const [how, back, why] of [['off', 'on', /switched off/], ['pause', 'resume', /paused/]]) {
      const end = await running(`until-${how}`);
      mcp.send({ id: how, method: 'tools/call', params: { name: 'wait', arguments: { conversation_id: 'work', timeout_ms: 120000 } } });
      await mcp.settled();
      let before = heard().length;
      const of = how === 'pause' ? ['-s', 'work'] : [];
      daemon.ptyd('context', how, ...of);
      assert.match((await mcp.answer(how, 60000)).result.content[0].text, why);
      await until('that it is so', () => uris.every((uri) => heard().slice(before).includes(uri)));
      before = heard().length;
      end();
      run('echo hush');
      run('echo hush');
      if (how === 'off') {
        assert.match(await mcp.failure('sessions', {}), why);
        daemon.ptyd('context', back);
        await until('that it is told again', () => heard().slice(before).includes(beside));
        assert.ok(heard().length <= before + uris.length + 1, `${heard().slice(before)}: no more than that it is on`);
        continue;
      }
      run('echo told', 'beside');
      await until('what was changed meanwhile', () => heard().slice(before).includes(beside));
      assert.deepStrictEqual([...new Set(heard().slice(before))], [beside]);
      daemon.ptyd('context', back, ...of);
    }
    daemon.ptyd('close', 'beside');
    assert.strictEqual(await mcp.end(), 0);
  });

  await report.test('2026-07-28: no handshake, each request says its version; discover, listen', async () => {
    const mcp = new Mcp(space);
    const meta = (more = {}) => ({ _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {}, ...more } });
    const found = (await mcp.ask('server/discover', meta())).result;
    assert.deepStrictEqual([found.resultType, found.supportedVersions[0], found.capabilities.resources.subscribe, typeof found.ttlMs, found.cacheScope], ['complete', '2026-07-28', true, 'number', 'public']);
    assert.strictEqual(found._meta['io.modelcontextprotocol/serverInfo'].name, 'ptyd');
    const list = (await mcp.ask('tools/list', meta())).result;
    assert.ok(list.resultType === 'complete' && list.tools.length >= 7 && list.ttlMs >= 0);
    const call = (await mcp.ask('tools/call', { name: 'sessions', arguments: {}, ...meta() })).result;
    assert.deepStrictEqual([call.resultType, call.isError, Array.isArray(call.structuredContent.sessions)], ['complete', false, true]);
    const read = (await mcp.ask('resources/read', { uri: 'ptyd:///sessions/work/screen', ...meta() })).result;
    assert.deepStrictEqual([read.resultType, read.cacheScope], ['complete', 'private']);
    assert.strictEqual((await mcp.ask('resources/read', { uri: 'ptyd:///sessions/none/screen', ...meta() })).error.code, -32602);
    const other = (await mcp.ask('tools/list', meta({ 'io.modelcontextprotocol/protocolVersion': '1900-01-01' }))).error;
    assert.deepStrictEqual([other.code, other.data.requested, other.data.supported.includes('2026-07-28')], [-32022, '1900-01-01', true]);
    assert.strictEqual((await mcp.ask('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } })).error.code, -32602);
    assert.strictEqual((await mcp.ask('server/discover', {})).error.code, -32602);
    for (const method of ['ping', 'initialize', 'resources/subscribe']) assert.strictEqual((await mcp.ask(method, meta())).error.code, -32601, method);
    const uri = 'ptyd:///sessions/work/blocks';
    mcp.send({ id: 'sub', method: 'subscriptions/listen', params: { ...meta(), notifications: { resourcesListChanged: true, toolsListChanged: true, resourceSubscriptions: [uri, 'file:///x'] } } });
    const [ack] = await until('it is agreed', () => mcp.told('notifications/subscriptions/acknowledged').length && mcp.told('notifications/subscriptions/acknowledged'));
    assert.deepStrictEqual(ack.params, { _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub' }, notifications: { resourcesListChanged: true, resourceSubscriptions: [uri] } });
    run('echo listen');
    const [update] = await until('it is told', () => mcp.told('notifications/resources/updated').length && mcp.told('notifications/resources/updated'));
    assert.deepStrictEqual(update.params, { _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub' }, uri });
    mcp.process.stdin.end();
    assert.deepStrictEqual((await mcp.answer('sub')).result, { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub' } });
    assert.strictEqual(await mcp.ended, 0);
  });

  await report.test('bad input stalls nobody: lines of 10 MB, a client that reads nothing, one that vanishes', async () => {
    const mcp = await Mcp.begun(space);
    mcp.sendRaw(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"${'x'.repeat(10 << 20)}"}}}`);
    await until('it is refused', () => mcp.messages.some((m) => m.error?.code === -32700));
    assert.ok((await mcp.call('screen')).rows);
    assert.strictEqual((await mcp.ask('tools/call', { name: 'search', arguments: { query: 'x'.repeat(900000) } })).error.code, -32602);
    const deaf = await Mcp.begun(space);
    deaf.process.stdout.pause();
    deaf.process.stdin.on('error', () => {});
    for (let i = 0; i < 3000; i++) deaf.send({ id: i, method: 'tools/call', params: { name: 'scrollback', arguments: { limit: 2000 } } });
    const finish = await running('vanish');
    const waiting = await Mcp.begun(space);
    for (let i = 0; i < 100; i++) waiting.send({ id: i, method: 'tools/call', params: { name: 'wait', arguments: {} } });
    await waiting.settled();
    assert.ok((await mcp.call('screen')).rows);
    for (const gone of [deaf, waiting]) gone.process.kill('SIGKILL');
    finish();
    assert.ok((await mcp.call('wait')).block);
    assert.strictEqual(await mcp.end(), 0);
  });

  await report.test('a client that reads none of many large answers costs a few of them, and gets all', async () => {
    fs.writeFileSync(path.join(space.root, 'large'), `${'\u00e9'.repeat(200)}\n`.repeat(2000));
    run(`cat ${path.join(space.root, 'large')}`);
    const { block_id: id } = blocks().at(-1);
    const deaf = await Mcp.begun(space), calls = 100;
    const memory = () => Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${deaf.process.pid}/status`, 'utf8'))[1]);
    const sanitized = spawnSync('sh', ['-c', `grep -q __asan_init "${PTYD}"`]).status === 0;
    deaf.process.stdout.pause();
    for (let i = 0; i < calls; i++) deaf.send({ id: `large${i}`, method: 'tools/call', params: { name: 'block_output', arguments: { block_id: id, limit: 2000 } } });
    let last = 0, same = 0;
    await until('it grows no more', () => { same = memory() === last ? same + 1 : 0; last = memory(); return same > 20; }, 120000);
    deaf.process.stdout.resume();
    const answers = () => deaf.messages.filter((m) => /^large/.test(m.id));
    await until('all are answered', () => answers().length === calls, 240000);
    for (const { result } of answers()) assert.ok(result.structuredContent?.lines.length > 600, JSON.stringify(result).slice(0, 200));
    assert.ok(sanitized || last < 40 * 1024, `${last} KiB`);
    assert.strictEqual(await deaf.end(), 0);
  });

  await report.test('at the end of what a client says it still gets its answers, and waits end', async () => {
    const mcp = await Mcp.begun(space);
    const finish = await running('last');
    mcp.send({ id: 'w', method: 'tools/call', params: { name: 'wait', arguments: {} } });
    mcp.send({ id: 's', method: 'tools/call', params: { name: 'screen', arguments: {} } });
    assert.strictEqual(await mcp.end(), 0);
    await until('both are answered', () => ['w', 's'].every((id) => mcp.messages.some((m) => m.id === id)));
    assert.strictEqual(mcp.messages.find((m) => m.id === 's').result.isError, false);
    finish();
  });

  await report.test('which session: the one that is said, the usual one, the only one; else it is asked', async () => {
    daemon.ptyd('open', 'other');
    const mcp = await Mcp.begun(space), said = await Mcp.begun(space, '2025-06-18', ['-s', 'other']);
    assert.match(await mcp.failure('screen', {}), /which session\? There are 2: .*work/);
    assert.strictEqual((await said.call('blocks')).conversation_id, 'other');
    assert.strictEqual((await mcp.call('blocks', { conversation_id: 'work', limit: 1 })).conversation_id, 'work');
    daemon.ptyd('open', 'default');
    assert.strictEqual((await mcp.call('blocks')).conversation_id, 'default');
    for (const name of ['other', 'default']) daemon.ptyd('close', name);
    for (const client of [mcp, said]) assert.strictEqual(await client.end(), 0);
  });

  // Agents give their servers few variables; then the user's own directory is looked into.
  const own = `/run/user/${process.getuid()}`, place = path.join(own, 'ptyd/ptyd.sock');
  const poor = { PATH: space.env.PATH, HOME: space.home, LANG: 'C.UTF-8' };
  await report.test('the daemon is found without the environment; where none runs it is said how it is started, and none is', async () => {
    const nowhere = path.join(space.root, 'nowhere');
    const none = new Mcp(space, [], { ...poor, XDG_RUNTIME_DIR: nowhere });
    await none.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {} });
    assert.match(await none.failure('screen', {}), /no daemon of ptyd's runs at .*nowhere\/ptyd\/ptyd\.sock.*`ptyd open NAME`/);
    assert.deepStrictEqual((await none.ask('resources/list')).result, { resources: [] });
    assert.strictEqual(await none.end(), 0);
    assert.ok(!fs.existsSync(nowhere));
    const stand = spawnSync('sh', ['-c', `[ -e ${place} ] || { mkdir -p -m 0700 ${own} ${path.dirname(place)} && [ -w ${path.dirname(place)} ]; }`]);
    if (stand.status !== 0 || fs.existsSync(place)) return; // a daemon of somebody's runs there, or may
    try {
      fs.symlinkSync(space.env.PTYD_SOCKET, place);
      const mcp = new Mcp(space, [], poor);
      await mcp.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {} });
      assert.deepStrictEqual((await mcp.call('sessions')).sessions.map((s) => s.conversation_id), ['work']);
      assert.strictEqual((await mcp.call('search', { query: 'number 7' })).results.length, 1, 'its files, too');
      assert.strictEqual(await mcp.end(), 0);
    } finally {
      fs.rmSync(place, { force: true });
    }
  });

  await report.test('the daemon goes, another comes: calls say so, and are answered again', async () => {
    const mcp = await Mcp.begun(space);
    assert.ok((await mcp.call('screen')).rows);
    await daemon.stop();
    assert.match(await mcp.failure('screen', { conversation_id: 'work' }), /no daemon of ptyd's runs/);
    const again = await new Daemon(space).ready();
    again.ptyd('open', 'work');
    assert.ok((await mcp.call('screen')).rows);
    assert.strictEqual(await mcp.end(), 0);
    await again.stop();
  });

  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
