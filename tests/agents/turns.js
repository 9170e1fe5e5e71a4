// Agents of others, from npm, against a model on loopback: what the model received is the judge. Prints a table: way x
// (seen once, second turn clean, failed turn kept). Usage: node turns.js FOLDER..., in which npm has installed some of them
// (make check-agents).
'use strict';
const assert = require('node:assert');
const { workspace, removeWorkspace, Client, Daemon, Report, PTYD, until } = require('../e2e/harness');
const { Model } = require('./model');
const places = require('./places');

const folders = process.argv.slice(2), bins = places.bins(folders);

async function main() {
  const report = new Report({ limit: 600 });
  places.demand(report, folders);
  const space = workspace();
  const model = await new Model().listen();
  const daemon = await new Daemon(space).ready();
  const table = [];
  const env = places.settle(space, model, bins);
  daemon.ptyd('open', 'work');
  const run = (command) => assert.strictEqual(daemon.ptyd('run', '-s', 'work', '--timeout', '60', '--', command).status, 0);

  // What the model last heard with these words in it: how often each command is told there.
  const heard = (words, command) => {
    const request = model.requests.filter((text) => text.includes(words)).pop();
    return request === undefined ? -1 : request.split(`$ ${command}\\n`).length - 1;
  };
  const once = (command, args) => places.once(command, args, { env, cwd: space.home });

  // The questions, for a way to say something in one conversation.
  async function judge(way, say, twice = false) {
    const tag = way.replace(/\W+/g, '-'), row = { way };
    table.push(row);
    run(`echo ${tag}-one`);
    const said = [await say(`why ${tag} first`, true)];
    row.once = heard(`why ${tag} first`, `echo ${tag}-one`) === 1;
    said.push(await say(`why ${tag} second`, false));
    row.clean = heard(`why ${tag} second`, `echo ${tag}-one`) === 1;
    run(`echo ${tag}-two`);
    model.failing = true;
    said.push(await say(`why ${tag} third`, false));
    model.failing = false;
    said.push(await say(`why ${tag} fourth`, false));
    // An agent that keeps a failed turn, of which nobody hears, is told again.
    row.kept = [1, twice ? 2 : 1].includes(heard(`why ${tag} fourth`, `echo ${tag}-two`));
    assert.ok(row.once && row.clean && row.kept, `${JSON.stringify(row)}\n${said.map((s) => JSON.stringify(s).slice(-600)).join('\n')}`);
  }

  for (const [agent, first, next] of [
    ['claude', ['-p'], ['--continue', '-p']],
    ['gemini', ['-p'], ['--resume', 'latest', '-p']],
    ['qwen', ['-p'], ['--continue', '-p']],
    ['copilot', ['--allow-all-tools', '-p'], ['--allow-all-tools', '--continue', '-p']],
    ['opencode', ['run'], ['run', '-c']],
  ]) if (places.has(bins, agent)) await report.test(`${agent}: enabled, from its command line`, async () => {
    assert.strictEqual(daemon.ptyd('enable', agent).status, 0);
    await judge(agent, (words, begins) => once(agent, [...(begins ? first : next), words]));
    assert.strictEqual(daemon.ptyd('disable', agent).status, 0);
  });

  if (places.has(bins, 'claude')) await report.test('claude: its TUI, a prompt taken back by Esc; a fork', async () => {
    daemon.ptyd('enable', 'claude');
    daemon.ptyd('open', 'tui', '--size', '100x40', ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]));
    const screen = () => daemon.json('screen', '-s', 'tui').rows.join('\n');
    const keys = (...args) => daemon.ptyd('send', '-s', 'tui', ...args);
    const say = async (words) => {
      await until('it takes input', () => /^❯\s*$/m.test(screen()), 60000);
      keys(words);
      await until('it shows what was typed', () => screen().includes(words));
      keys('--key', 'Enter');
    };
    const asked = (words) => until(`the model hears ${words}`, () => heard(words, '') >= 0);
    const answered = async (words) => { await say(words); await asked(words); await until('it is answered', () => screen().split(words).pop().includes('noted')); };
    try {
      keys('claude', '--key', 'Enter');
      await answered('tui begins');
      run('echo tui-taken-back');
      model.silence = 'tui taken back';
      await say('tui taken back');
      await asked('tui taken back');
      assert.strictEqual(heard('tui taken back', 'echo tui-taken-back'), 1);
      keys('--key', 'Escape');
      await until('the prompt is back in the line', () => /❯\s+tui taken back\s*\n─/.test(screen()));
      model.silence = null;
      keys('--key', 'C-u');
      await answered('tui goes on');
      assert.strictEqual(heard('tui goes on', 'echo tui-taken-back'), 1, 'what was taken back is told again');
      await answered('tui once more');
      assert.strictEqual(heard('tui once more', 'echo tui-taken-back'), 1, 'once');
      await say('/exit');
      await until('it has ended', () => daemon.json('list').find((s) => s.name === 'tui').state === 'prompt', 60000);
    } catch (error) {
      error.message += `\n${screen()}`;
      throw error;
    }
    const { said } = await once('claude', ['-p', '--continue', '--output-format', 'json', 'before the fork']);
    const { code } = await once('claude', ['-p', '--resume', JSON.parse(said).session_id, '--fork-session', 'in the fork']);
    assert.strictEqual(code, 0);
    assert.strictEqual(heard('in the fork', 'echo tui-taken-back'), 1, 'a fork hears nothing twice');
    daemon.ptyd('disable', 'claude');
    daemon.ptyd('close', 'tui');
    table.push({ way: 'claude TUI: Esc; fork', once: true, clean: true, kept: true });
  });

  if (places.has(bins, 'opencode')) await report.test('opencode: a fork of a session', async () => {
    daemon.ptyd('enable', 'opencode');
    run('echo opencode-told');
    const { said } = await once('opencode', ['run', '--format', 'json', 'before the fork of it']);
    const [, session] = /"sessionID":"(ses_\w+)"/.exec(said);
    assert.strictEqual(heard('before the fork of it', 'echo opencode-told'), 1, said);
    await once('opencode', ['run', '-s', session, '--fork', 'in the fork of it']);
    assert.strictEqual(heard('in the fork of it', 'echo opencode-told'), 1, 'a fork hears nothing twice');
    daemon.ptyd('disable', 'opencode');
    table.push({ way: 'opencode: fork', once: true, clean: true, kept: true });
  });

  for (const [agent, args, hooked] of [['gemini', ['--acp'], true], ['qwen', ['--acp'], false], ['opencode', ['acp'], true], ['copilot', ['--acp'], false]])
    if (places.has(bins, agent)) await report.test(`${agent} ${args.join(' ')}: behind the proxy${hooked ? ', beside its hook' : ''}`, async () => {
      if (hooked) assert.strictEqual(daemon.ptyd('enable', agent).status, 0);
      const client = new Client(PTYD, ['proxy', '--acp', '--wait', '10', '--', agent, ...args], { env, cwd: space.home });
      const ask = (method, params) => client.request(method, params, client.nextId++, 120000);
      const send = client.sendRaw.bind(client);
      client.sendRaw = (line) => send(JSON.stringify({ jsonrpc: '2.0', ...JSON.parse(line) }));
      await ask('initialize', { protocolVersion: 1, clientCapabilities: {} });
      const made = await ask('session/new', { cwd: space.home, mcpServers: [] });
      assert.ok(made.result, `${JSON.stringify(made)} ${client.stderr}`);
      const { sessionId } = made.result;
      await judge(`${agent} ${args.join(' ')}`, (words) => ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: words }] }), true);
      assert.ok(!client.lines.some((line) => line.includes('ptyd:///')), 'nothing of ours reaches the client');
      client.process.stdin.end(); // SIGTERM alone ends no gemini
      await until('it ends', () => client.process.exitCode !== null || client.process.signalCode, 60000);
      if (hooked) daemon.ptyd('disable', agent);
    });

  if (places.has(bins, 'codex')) report.skip('codex', 'what it is told tests/e2e/ways.js asks');

  const word = (value) => (value === true ? 'yes' : value === false ? 'NO' : 'NOT TRIED');
  console.log(`\n${'agent'.padEnd(28)}${['seen once', 'second clean', 'failed kept'].map((h) => h.padEnd(16)).join('')}`);
  for (const row of table) console.log(`${row.way.padEnd(28)}${[row.once, row.clean, row.kept].map((v) => word(v).padEnd(16)).join('')}`);
  await daemon.stop();
  model.close();
  removeWorkspace(space);
  places.finish(report);
}

main().catch((error) => { console.error(error); process.exit(1); });
