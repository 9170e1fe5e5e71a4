// An agent types only while it holds the baton: it asks, its user hands it over, any key takes it back; whoever is more
// confined than the daemon types nothing at all.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, killWorker, waitFor, Client, Daemon, Report, PTYD, until } = require('./harness');
const { Terminal } = require('./script');

class Mcp extends Client {
  static async begun(space, args, name = 'codex-mcp-client') {
    const mcp = new Mcp(PTYD, ['mcp', ...args], { env: space.env, cwd: space.home });
    await mcp.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name, version: '1' } });
    return mcp;
  }

  // Of a tool: a promise of its value, or of what it failed with.
  async call(name, args) {
    const { result, error } = await this.request('tools/call', { name, arguments: args }, this.nextId++, 120000);
    assert.ok(result, JSON.stringify(error));
    return result.isError ? result.content[0].text : JSON.parse(result.content[0].text);
  }
}

async function main() {
  const report = new Report();
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  daemon.ptyd('open', 'work');
  const batons = () => daemon.json('status').batons.map(({ agent, purpose, state, scope }) => [agent, purpose, state, scope]);
  const asked = (purpose) => until(`it asks: ${purpose}`, () => batons().some((b) => b[1] === purpose && b[2] === 'asks'));
  const blocks = () => daemon.json('blocks', '-s', 'work').map((b) => [b.cmd, b.type]);
  const last = () => daemon.json('blocks', '-s', 'work', '--last', '1')[0];
  const grant = (...args) => daemon.ptyd('grant', ...args);
  const mcp = await Mcp.begun(space, ['--drive', '-s', 'work']);

  await report.test('without --drive nothing types; with it run, send and give_back are no reading tools', async () => {
    const reader = await Mcp.begun(space, []);
    const tools = async (client) => (await client.request('tools/list', {})).result.tools;
    assert.ok((await tools(reader)).every((t) => t.annotations.readOnlyHint && !['run', 'send', 'give_back'].includes(t.name)));
    assert.strictEqual((await reader.request('tools/call', { name: 'run', arguments: { command: 'true' } })).error.code, -32602);
    const typing = (await tools(mcp)).filter((t) => !t.annotations.readOnlyHint);
    assert.deepStrictEqual(typing.map((t) => [t.name, t.annotations.destructiveHint]), [['run', true], ['send', true], ['give_back', true]]);
    await reader.end();
  });

  await report.test('what nobody grants is not typed: time is over, the user says no, the call is cancelled, the client goes', async () => {
    assert.match(await mcp.call('run', { command: 'echo late', timeout_ms: 1 }), /did not say yes in time/);
    const refused = mcp.call('run', { command: 'echo no' });
    await asked('echo no');
    assert.match(daemon.ptyd('status').stdout, /codex-mcp-client asks to type in session work, `ptyd grant work` lets it: echo no/);
    assert.match(grant('--no').stdout, /codex-mcp-client types nothing/);
    assert.match(await refused, /the user says no/);
    mcp.sendRaw('{"jsonrpc":"2.0","id":"away","method":"tools/call","params":{"name":"run","arguments":{"command":"echo cancelled"}}}');
    await asked('echo cancelled');
    const kept = mcp.call('run', { command: 'echo kept' });
    await asked('echo kept');
    mcp.sendRaw('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"away"}}');
    await until('that call alone asks no more', () => batons().every(([, purpose]) => purpose !== 'echo cancelled'));
    assert.deepStrictEqual(batons(), [['codex-mcp-client', 'echo kept', 'asks', null]]);
    grant('--no');
    assert.match(await kept, /the user says no/);
    const gone = await Mcp.begun(space, ['--drive', '-s', 'work'], 'one that goes');
    gone.sendRaw('{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"send","arguments":{"text":"echo gone","enter":true}}}');
    await asked('keys: echo gone');
    gone.process.kill('SIGKILL');
    await until('nobody asks', () => batons().length === 0);
    assert.strictEqual(grant().status, 1);
    assert.match(grant('work').stderr, /no agent asks to type/);
    assert.deepStrictEqual(blocks(), []);
  });

  await report.test('once: one command, which is agent_cmd and told to no agent; the next asks again', async () => {
    const ran = mcp.call('run', { command: 'echo granted; false' });
    await asked('echo granted; false');
    assert.match(grant('work').stdout, /codex-mcp-client may type in session work \(once\)/);
    const { block, running } = await ran;
    assert.deepStrictEqual([block.cmd, block.exit_code, block.type, running, block.preview.lines], ['echo granted; false', 1, 'agent_cmd', false, ['granted']]);
    assert.deepStrictEqual(batons(), []);
    daemon.ptyd('run', '-s', 'work', '--', 'echo mine');
    const told = JSON.stringify(daemon.json('context', 'show', '-s', 'work').additionalContext);
    assert.ok(told.includes('echo mine') && !told.includes('granted'), told);
    const again = mcp.call('run', { command: 'echo again', timeout_ms: 1 });
    assert.match(await again, /did not say yes/);
    assert.deepStrictEqual(blocks(), [['echo granted; false', 'agent_cmd'], ['echo mine', 'user_cmd']]);
  });

  await report.test('for the session: until a key of the user\'s; what waited for a prompt then is not typed', async () => {
    const first = mcp.call('run', { command: 'echo one' });
    await asked('echo one');
    assert.strictEqual(grant('work', '--session').status, 0);
    assert.strictEqual((await first).block.cmd, 'echo one');
    assert.strictEqual((await mcp.call('run', { command: 'echo two' })).block.type, 'agent_cmd');
    assert.deepStrictEqual(await mcp.call('send', { text: 'echo three', enter: true }), { typed: 11 });
    await until('it ran', () => last().cmd === 'echo three' && last().status === 'completed');
    assert.strictEqual(last().type, 'agent_cmd', 'keys of an agent are an agent\'s command');
    const file = path.join(space.root, 'hold');
    assert.ok((await mcp.call('send', { text: waitFor(file), enter: true })).typed);
    await until('it runs', () => last().status === 'running');
    assert.deepStrictEqual(batons(), [['codex-mcp-client', 'echo one', 'holds', 'session']]);
    assert.match(daemon.ptyd('status').stdout, /codex-mcp-client may type in session work \(session\); any key/);
    const waiting = mcp.call('run', { command: 'echo behind' });
    daemon.ptyd('send', '-s', 'work', 'x'); // a key of the user's: it may come before the run, or behind it
    let outcome;
    waiting.then((said) => { outcome = said; });
    await until('it is refused, or asks', () => outcome || batons().some(([, , state]) => state === 'asks'));
    if (outcome) assert.match(outcome, /is its user's again|only while it holds the baton/);
    grant('work', '--no');
    await waiting;
    fs.writeFileSync(file, '');
    await until('it is over', () => daemon.json('list')[0].state === 'prompt');
    daemon.ptyd('send', '-s', 'work', '--key', 'C-c');
    daemon.ptyd('run', '-s', 'work', '--', 'echo end');
    assert.ok(!blocks().some(([cmd]) => cmd.includes('behind')));
    assert.strictEqual(last().type, 'user_cmd');
    assert.deepStrictEqual(batons(), []);
  });

  await report.test('for a command: what it is asked meanwhile, to its end; given back; gone with the worker', async () => {
    const asks = mcp.call('run', { command: 'read -r answer && echo "got $answer"', timeout_ms: 60000 });
    await asked('read -r answer && echo "got $answer"');
    grant('work', '--command');
    await until('it reads', () => last().status === 'running');
    assert.deepStrictEqual(await mcp.call('send', { text: 'yes', enter: true }), { typed: 4 });
    assert.deepStrictEqual((await asks).block.preview.lines.at(-1), 'got yes');
    await until('it is over', () => batons().length === 0);
    const held = mcp.call('send', { text: '' });
    await asked('keys: ');
    grant('work', '--session');
    await held;
    assert.deepStrictEqual(await mcp.call('give_back', {}), { held: true });
    assert.deepStrictEqual([batons(), await mcp.call('give_back', {})], [[], { held: false }]);
    const lost = mcp.call('send', { text: '' });
    await asked('keys: ');
    grant('work', '--session');
    await lost;
    await killWorker(daemon);
    assert.deepStrictEqual(batons(), []);
    assert.match(await mcp.call('run', { command: 'echo lost', timeout_ms: 1 }), /did not say yes/);
  });

  await report.test('on the socket, too: actor agent without the baton types nothing', () => {
    const say = (method, params) => JSON.parse(spawnSync('node', ['-e', `
      const s = require('net').connect(process.argv[1]); s.write(process.argv[2] + '\\n');
      s.once('data', (d) => { console.log(String(d).split('\\n')[0]); s.end(); });`, space.env.PTYD_SOCKET, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })], { encoding: 'utf8' }).stdout);
    const before = blocks().length;
    for (const [method, params] of [['session.run', { command: 'echo no' }], ['session.input', { data: Buffer.from('echo no\r').toString('base64') }]])
      assert.match(say(method, { name: 'work', actor: 'agent', ...params }).error.message, /only while it holds the baton/);
    assert.strictEqual(say('baton.grant', { scope: 'for ever' }).error.code, -32602);
    assert.strictEqual(blocks().length, before);
  });

  await report.test('in a terminal: a notification asks, Ctrl-\\ g grants and is no key', async () => {
    const terminal = new Terminal({ ...space.env, TERM: 'xterm-256color' }, `${PTYD} attach work`, { size: '100x30' });
    await until('it shows the session', () => daemon.json('screen', '-s', 'work').cols === 100);
    const ran = mcp.call('run', { command: 'echo by-key' });
    await terminal.expect(/\x1b\]9;work: codex-mcp-client asks to type \(Ctrl-\\ g\): echo by-key\x07/);
    terminal.type('\x1cg');
    await terminal.expect(/\x1b\]9;work: codex-mcp-client may type, any key of yours takes it back\x07/);
    assert.deepStrictEqual([(await ran).block.cmd, last().type], ['echo by-key', 'agent_cmd']);
    terminal.type('\x1cd');
    await terminal.ended();
  });

  await report.test('a notification is no part of a string that is on its way to the terminal', async () => {
    const terminal = new Terminal({ ...space.env, TERM: 'xterm-256color' }, `${PTYD} attach work`, { size: '101x30' });
    await until('it shows the session', () => daemon.json('screen', '-s', 'work').cols === 101);
    const go = `${space.root}/say-on`;
    terminal.type(`printf '\\033]52;c;aGVs'; ${waitFor(go)}; printf 'bG8=\\a'; echo be""hind\r`);
    await terminal.expect(/\x1b\]52;c;aGVs/);
    const ran = mcp.call('run', { command: 'echo later' });
    await asked('echo later');
    fs.writeFileSync(go, '');
    await terminal.expect(/^bG8=\x07/);
    await terminal.expect(/\x1b\]9;work: codex-mcp-client asks to type \(Ctrl-\\ g\): echo later\x07/);
    grant('work', '--no');
    assert.match(await ran, /the user says no/);
    terminal.type('\x1cd');
    await terminal.ended();
  });

  await report.test('who is more confined than the daemon types nothing, grants nothing, opens no shell; it may look', async () => {
    const ways = [['setpriv', '--no-new-privs'], ['unshare', '-U'], ['unshare', '-m'], ['unshare', '-n'], ['unshare', '-r']]
      .filter(([program, ...args]) => spawnSync(program, [...args, 'true']).status === 0);
    assert.ok(ways.length >= 1);
    const before = blocks().length, ran = mcp.call('run', { command: 'echo never' });
    await asked('echo never');
    for (const [program, ...args] of ways) {
      const confined = (...command) => spawnSync(program, [...args, PTYD, ...command], { env: space.env, cwd: space.home, encoding: 'utf8', timeout: 60000 });
      for (const command of [['run', '-s', 'work', '--', 'echo no'], ['send', '-s', 'work', 'echo no\r'], ['open', 'free'], ['grant', 'work'], ['upgrade']]) {
        const { status, stderr } = confined(...command);
        assert.ok(status !== 0 && /more confined than the daemon \((NoNewPrivs|user namespace|mount namespace|namespaces|Seccomp)\)/.test(stderr), `${program} ${args} ${command}: ${status} ${stderr}`);
      }
      for (const command of [['list'], ['screen', '-s', 'work'], ['blocks', '-s', 'work']]) assert.strictEqual(confined(...command).status, 0, command.join(' '));
    }
    assert.strictEqual(blocks().length, before);
    grant('work', '--no');
    assert.match(await ran, /the user says no/);
  });

  await mcp.end();
  await daemon.stop();
  removeWorkspace(space);
  report.finish();
}

main();
