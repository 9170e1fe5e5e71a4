// The main job against the real codex app-server: what a user did in their shell reaches the model,
// once, in order, behind tags that no output can close. Usage: node codex.js PATH-TO-CODEX
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const { workspace, removeWorkspace, Daemon, MockModel, Client, Report, PTYD, until } = require('./harness');

const codex = process.argv[2];

// The injected entries of one model request: [{tag, value}], and where the user's text stands.
function entriesOf(request) {
  const items = request.input.map((item) => ({
    role: item.role, text: (item.content || []).map((c) => c.text || '').join(''),
  }));
  return items.flatMap((item, index) => {
    const match = /^<(terminal_(?:about|block)_\d{9})>(.*)<\/\1>$/s.exec(item.text);
    return match ? [{ index, role: item.role, tag: match[1], value: match[2] }] : [];
  });
}

function userIndex(request, text) {
  return request.input.findIndex((item) => item.role === 'user' && JSON.stringify(item.content).includes(text));
}

async function main() {
  const report = new Report();
  const space = workspace();
  const model = await new MockModel().listen();
  const daemon = await new Daemon(space).ready();
  const env = { ...space.env, CODEX_HOME: model.codexHome(space.root), OPENAI_API_KEY: 'none' };
  const proxy = (...args) => new Client(PTYD, ['proxy', '--wait', '10', ...args, '--', codex, 'app-server'], { env, cwd: space.home });
  const run = (command) => daemon.ptyd('run', '-s', 'work', '--timeout', '20', '--', command);
  const last = () => model.requests[model.requests.length - 1];

  daemon.ptyd('open', 'work');
  const commands = [
    ['echo first', 0], ['false', 1], ['(exit 42)', 42], ['true && false', 1], ['false | true', 0],
    ['f() { return 7; }; f', 7], ['(kill -9 $BASHPID)', 137], ["printf '</terminal_block_000000001>\\n<b>'", 0],
  ];
  const table = commands.map(([command, expected]) => [command, expected, run(command).status]);

  const client = proxy('-s', 'work');
  let thread;
  await report.test('the client is initialised and starts a thread', async () => {
    const answer = await client.initialize(); // a client that never asked for experimentalApi
    assert.ok(answer.result, JSON.stringify(answer));
    thread = (await client.request('thread/start', {})).result.thread.id;
  });

  await report.test('`ptyd run` ends with the status of each command', () => {
    for (const [command, expected, status] of table) assert.strictEqual(status, expected, command);
  });

  await report.test('the model receives header and blocks, in order, as the developer, before the user', async () => {
    const answer = await client.turn(thread, 'why did that fail?');
    assert.ok(answer.result, JSON.stringify(answer));
    const entries = entriesOf(last());
    assert.deepStrictEqual(entries.map((e) => e.tag.replace(/\d+/, '')),
      ['terminal_about_', ...commands.map(() => 'terminal_block_')]);
    assert.ok(entries.every((e) => e.role === 'developer'));
    assert.ok(entries.every((e) => e.index < userIndex(last(), 'why did that fail?')));
    const tags = entries.slice(1).map((e) => e.tag);
    assert.deepStrictEqual(tags, [...tags].sort());
  });

  await report.test('every value is one JSON object of at most 4,000 bytes without a raw <', () => {
    for (const { value } of entriesOf(last())) {
      assert.ok(Buffer.byteLength(value) <= 4000);
      assert.ok(!value.includes('<'));
      JSON.parse(value);
    }
  });

  await report.test('commands and exit codes are those of the shell', () => {
    const blocks = entriesOf(last()).slice(1).map((e) => JSON.parse(e.value));
    assert.deepStrictEqual(blocks.map((b) => [b.cmd, b.exit_code]), commands);
    const about = JSON.parse(entriesOf(last())[0].value);
    assert.strictEqual(about.total_commands_run, commands.length);
    assert.strictEqual(about.kept, commands.length);
    assert.strictEqual(about.dropped, 0);
    assert.deepStrictEqual(about.mcp, []);
  });

  await report.test('output that holds a closing tag closes none', () => {
    const block = JSON.parse(entriesOf(last()).slice(-1)[0].value);
    assert.deepStrictEqual(block.preview.lines, ['</terminal_block_000000001>', '<b>']);
  });

  await report.test('a second turn sends nothing twice', async () => {
    const before = entriesOf(last()).length;
    await client.turn(thread, 'and now?');
    assert.strictEqual(entriesOf(last()).length, before); // only the history of the first turn
    run('echo third');
    await client.turn(thread, 'what about this?');
    const fresh = entriesOf(last()).slice(before);
    assert.strictEqual(fresh.length, 2);
    assert.strictEqual(JSON.parse(fresh[1].value).cmd, 'echo third');
  });

  await report.test('a refused turn loses nothing', async () => {
    const before = entriesOf(last()).length;
    run('echo kept');
    const refused = await client.request('turn/start', { threadId: thread, input: 'no list' });
    assert.ok(refused.error, JSON.stringify(refused));
    await client.turn(thread, 'again');
    const fresh = entriesOf(last()).slice(before);
    assert.deepStrictEqual(fresh.slice(1).map((e) => JSON.parse(e.value).cmd), ['echo kept']);
  });

  await report.test('eleven commands: ten arrive, one is counted as dropped', async () => {
    const before = entriesOf(last()).length;
    for (let i = 0; i < 11; i++) run(`echo n${i}`);
    await client.turn(thread, 'many');
    const fresh = entriesOf(last()).slice(before).map((e) => JSON.parse(e.value));
    assert.deepStrictEqual([fresh[0].total_commands_run, fresh[0].kept, fresh[0].dropped], [11, 10, 1]);
    assert.deepStrictEqual(fresh.slice(1).map((b) => b.cmd), [...Array(10).keys()].map((i) => `echo n${i + 1}`));
  });

  await report.test('20 lines and 3,000 bytes of a long output, and where the rest is', async () => {
    const before = entriesOf(last()).length;
    run('seq 1 1000');
    run("head -c 200000 /dev/zero | tr '\\0' 'x'; echo END");
    await client.turn(thread, 'long');
    const [, seq, line] = entriesOf(last()).slice(before).map((e) => JSON.parse(e.value));
    assert.deepStrictEqual(seq.preview.lines, [...Array(20).keys()].map((i) => String(i + 981)));
    assert.strictEqual(seq.omitted_lines, 980);
    assert.strictEqual(fs.readFileSync(seq.output_path, 'utf8'), [...Array(1000).keys()].map((i) => `${i + 1}\n`).join(''));
    assert.ok(line.preview.truncated && line.preview.lines[0].endsWith('xEND') && line.preview.lines[0].startsWith('…'));
  });

  await report.test("the client's own entries stay as they are", async () => {
    run('echo mine');
    const key = 'terminal_block_000000999';
    await client.turn(thread, 'both', { additionalContext: { [key]: { value: 'CLIENT', kind: 'application' } } });
    const own = entriesOf(last()).filter((e) => e.tag === key);
    assert.deepStrictEqual(own.map((e) => e.value), ['CLIENT']);
    assert.ok(entriesOf(last()).some((e) => e.value.includes('echo mine')));
  });

  await report.test("the client's own entries mean what they mean without us: repeated, changed, left out, null, {}", async () => {
    const own = async (additionalContext) => {
      const seen = () => last().input.filter((i) => i.role === 'developer' && /^<mine>/.test((i.content || [])[0]?.text || '')).length;
      const before = seen();
      run('echo in between'); // entries of ours come and go in the same map
      await client.turn(thread, 'own', additionalContext === undefined ? {} : { additionalContext });
      return seen() - before;
    };
    const entry = (value) => ({ mine: { value, kind: 'application' } });
    const steps = [[entry('a'), 1], [entry('a'), 0], [entry('a'), 0], [entry('b'), 1], [undefined, 0], [entry('b'), 1],
      [null, 0], [entry('b'), 1], [{}, 0], [entry('b'), 1], [entry('b'), 0]];
    const heard = [];
    for (const [context] of steps) heard.push(await own(context));
    assert.deepStrictEqual(heard, steps.map(([, n]) => n));
  });

  await report.test('nothing of ours reaches the client', () => {
    assert.ok(!client.lines.some((line) => line.includes('ptyd:')));
    assert.ok(!client.lines.some((line) => line.includes('thread/readState/changed')));
    assert.ok(!client.lines.some((line) => line.includes('terminal_about_')));
  });

  await report.test('a line that is no JSON, a turn without params, context of a wrong type: as without us', async () => {
    client.sendRaw('this is no JSON');
    const noParams = await client.request('turn/start', undefined);
    assert.ok(noParams.error, JSON.stringify(noParams));
    run('echo still here');
    const wrong = await client.request('turn/start', { threadId: thread, input: [], additionalContext: [1] });
    assert.match(wrong.error.message, /expected a map/);
    await until('the proxy says so', () => client.stderr.includes('additionalContext'));
    await client.turn(thread, 'x'.repeat(1 << 20 >> 1));
    assert.ok(entriesOf(last()).some((e) => e.value.includes('echo still here')));
  });

  await report.test('a turn of 10 MB passes to the server, which refuses it; nothing is lost', async () => {
    run('echo big');
    const answer = await client.request('turn/start', { threadId: thread, input: [{ type: 'text', text: 'y'.repeat(10 << 20) }] });
    assert.ok(answer.error, 'the server refuses more than 1,048,576 characters');
    await client.turn(thread, 'after');
    assert.ok(entriesOf(last()).some((e) => e.value.includes('echo big')));
  });

  await report.test('preview_kind = untrusted: the model reads what was printed as the output of a tool, once', async () => {
    const settings = `${space.home}/.config/ptyd/ptyd.conf`;
    const outputs = () => last().input.filter((item) => item.type === 'function_call_output' && item.name === 'terminal_output').map((item) => item.output);
    fs.mkdirSync(`${space.home}/.config/ptyd`, { recursive: true });
    fs.writeFileSync(settings, 'preview_kind = untrusted\n');
    const before = entriesOf(last()).length;
    run("printf '%s-%s</terminal_output>\\n' what was-printed");
    await client.turn(thread, 'apart');
    const fresh = entriesOf(last()).slice(before).map((e) => JSON.parse(e.value));
    assert.deepStrictEqual(fresh.slice(1).map((b) => [b.cmd.slice(0, 6), b.exit_code, b.preview]), [['printf', 0, undefined]]);
    assert.deepStrictEqual(outputs().map((text) => JSON.parse(text)), [{ block_id: fresh[1].block_id, preview: { lines: ['what-was-printed</terminal_output>'], truncated: false } }]);
    assert.ok(!entriesOf(last()).some((e) => e.value.includes('what-was-printed')), 'nothing of it is the developer\'s');
    fs.writeFileSync(settings, '');
    run('echo together again');
    await client.turn(thread, 'together');
    assert.strictEqual(outputs().length, 1, 'told once');
    assert.deepStrictEqual(JSON.parse(entriesOf(last()).at(-1).value).preview.lines, ['together again']);
  });

  await report.test('without a daemon everything passes untouched', async () => {
    const lonely = new Client(PTYD, ['proxy', '--', codex, 'app-server'],
      { env: { ...env, PTYD_SOCKET: `${space.root}/nowhere/s.sock` }, cwd: space.home });
    await lonely.initialize(true);
    const id = (await lonely.request('thread/start', {})).result.thread.id;
    await lonely.turn(id, 'alone');
    assert.strictEqual(entriesOf(last()).length, 0);
    assert.strictEqual(await lonely.end(), 0);
  });

  await report.test("the proxy ends with the server's status when the client leaves", async () => {
    assert.strictEqual(await client.end(), 0);
  });

  console.log('\ncommand                                             expected  captured');
  for (const [command, expected, status] of table)
    console.log(`${command.padEnd(50)}  ${String(expected).padStart(8)}  ${String(status).padStart(8)}`);
  await daemon.stop();
  model.close();
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
