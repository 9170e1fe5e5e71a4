// `ptyd mcp` with clients of others, from npm: the SDKs of the protocol, which hold every answer to its
// schemas, and the inspector. Usage: node clients.js FOLDER, in which npm has installed
// @modelcontextprotocol/sdk, /client and /inspector (make check-agents).
'use strict';
const assert = require('node:assert');
const { spawnSync } = require('node:child_process');
const path = require('node:path');
const { createRequire } = require('node:module');
const { workspace, removeWorkspace, waitFor, Daemon, Report, PTYD, until } = require('../e2e/harness');

const modules = createRequire(path.join(path.resolve(process.argv[2]), 'package.json'));

async function main() {
  const report = new Report();
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  daemon.ptyd('open', 'work');
  daemon.ptyd('run', '-s', 'work', '--', 'seq 300; false');
  const { Client } = modules('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = modules('@modelcontextprotocol/sdk/client/stdio.js');
  const types = modules('@modelcontextprotocol/sdk/types.js');

  await report.test('the SDK: tools and their schemas, resources and their updates, progress, cancellation', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const heard = [];
    client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, ({ params }) => { heard.push(params.uri); });
    await client.connect(new StdioClientTransport({ command: PTYD, args: ['mcp'], env: space.env }));
    assert.ok(client.getInstructions().includes('block_output'));
    const { tools } = await client.listTools();
    for (const name of ['sessions', 'blocks', 'block_output', 'search', 'screen', 'scrollback', 'wait']) assert.ok(tools.some((t) => t.name === name), name);
    const call = async (name, args = {}, options = undefined) => (await client.callTool({ name, arguments: args }, undefined, options)).structuredContent;
    assert.deepStrictEqual((await call('sessions')).sessions.map((s) => s.conversation_id), ['work']);
    const [block] = (await call('blocks')).blocks;
    assert.deepStrictEqual([block.cmd, block.exit_code], ['seq 300; false', 1]);
    assert.deepStrictEqual((await call('block_output', { block_id: block.block_id, offset: 298 })).lines, ['299', '300']);
    assert.strictEqual((await call('search', { query: '299' })).results.length, 1);
    assert.ok((await call('screen')).rows.includes('300'));
    assert.ok((await call('scrollback', { limit: 1 })).total > 200);
    assert.strictEqual((await client.callTool({ name: 'screen', arguments: { x: 1 } })).isError, true);
    const { resources } = await client.listResources();
    for (const { uri } of resources) assert.strictEqual((await client.readResource({ uri })).contents[0].uri, uri);
    assert.strictEqual((await client.listResourceTemplates()).resourceTemplates.length, 5);
    await client.subscribeResource({ uri: resources[0].uri });
    daemon.ptyd('run', '-s', 'work', '--', 'echo heard');
    await until('it is told of the screen', () => heard.includes(resources[0].uri));
    const file = path.join(space.root, 'done');
    daemon.ptyd('send', '-s', 'work', `${waitFor(file)}\r`);
    await until('it runs', () => daemon.json('blocks', '-s', 'work').at(-1).status === 'running');
    const given = new AbortController();
    const stopped = call('wait', {}, { signal: given.signal }).then(() => 'answered', () => 'given up');
    const told = [];
    const over = call('wait', {}, { onprogress: (p) => told.push(p.progress) });
    await until('progress', () => told.length);
    given.abort();
    assert.strictEqual(await stopped, 'given up');
    spawnSync('touch', [file]);
    assert.strictEqual((await over).block.exit_code, 0);
    await client.close();
  });

  await report.test('the SDK with --tools all: each answer is held to its outputSchema; what types says how it may', async () => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StdioClientTransport({ command: PTYD, args: ['mcp', '--tools', 'all'], env: space.env }));
    assert.ok((await client.listTools()).tools.length >= 30);
    const call = async (name, args = {}) => (await client.callTool({ name, arguments: args })).structuredContent;
    const { block_id: id, seq } = (await call('blocks_since', { cursor: 0 })).items[0];
    const { resume_cursor: cursor } = await call('pty_wait_for', { match: '300\n' });
    assert.ok((await call('pty_read_spool', { from_cursor: cursor })).resume_cursor >= cursor);
    assert.deepStrictEqual([(await call('blocks_get', { block_id: id })).block.seq, (await call('blocks_search', { block_id: id, query: '299' })).hits], [seq, [{ line: 299, text: '299' }]]);
    for (const name of ['ping', 'pty_status', 'pty_wait_prompt', 'pty_read_screen', 'pty_read_scrollback', 'pty_get_size', 'pty_read_screen_deltas', 'pty_screen_status'])
      assert.strictEqual((await call(name)).ok, true, name);
    assert.match((await client.callTool({ name: 'pty_exec', arguments: { cmd: 'true' } })).content[0].text, /--tools all --drive/);
    await client.close();
  });

  await report.test('the SDK of 2026-07-28: found out by itself, and insisted on', async () => {
    const { Client: Modern } = modules('@modelcontextprotocol/client');
    const { StdioClientTransport: Stdio } = modules('@modelcontextprotocol/client/stdio');
    for (const mode of ['auto', { pin: '2026-07-28' }]) {
      const client = new Modern({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new Stdio({ command: PTYD, args: ['mcp'], env: space.env }));
      assert.strictEqual(client.getNegotiatedProtocolVersion(), '2026-07-28');
      assert.ok((await client.listTools()).tools.length >= 7);
      const { structuredContent } = await client.callTool({ name: 'sessions', arguments: {} });
      assert.deepStrictEqual(structuredContent.sessions.map((s) => s.conversation_id), ['work']);
      assert.strictEqual((await client.listResources()).resources.length, 3);
      await client.close();
    }
  });

  await report.test('the inspector on its command line', () => {
    const cli = modules.resolve('@modelcontextprotocol/inspector/package.json');
    const bin = path.join(path.dirname(cli), Object.values(modules(cli).bin)[0]);
    const ask = (...args) => {
      const { stdout, stderr, status } = spawnSync(process.execPath, [bin, '--cli', PTYD, 'mcp', ...args], { env: space.env, encoding: 'utf8', timeout: 120000 });
      assert.strictEqual(status, 0, stderr + stdout);
      return JSON.parse(stdout);
    };
    assert.ok(ask('--method', 'tools/list').tools.length >= 7);
    assert.deepStrictEqual(ask('--method', 'tools/call', '--tool-name', 'sessions').structuredContent.sessions.map((s) => s.conversation_id), ['work']);
    assert.strictEqual(ask('--method', 'resources/list').resources.length, 3);
  });

  await daemon.stop();
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
