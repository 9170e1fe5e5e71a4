// Agents of others, from npm, as clients of `ptyd mcp`, each told of it by the line that README says: a model on loopback
// asks for tools, and what it gets back is compared with what the shell printed. Usage: node looking.js FOLDER..., in
// which npm has installed them (make check-agents).
'use strict';
const assert = require('node:assert');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { workspace, removeWorkspace, Daemon, Report, PTYD } = require('../e2e/harness');
const { Model } = require('./model');
const places = require('./places');

const folders = process.argv.slice(2), bins = places.bins(folders);
const README = fs.readFileSync(path.join(__dirname, '../../README.md'), 'utf8');

// A question on its command line, and nothing but reading allowed where that has to be said.
const AGENTS = {
  codex: ['exec', '--skip-git-repo-check'],
  claude: ['--allowedTools', 'mcp__ptyd', '-p'],
  gemini: ['--allowed-mcp-server-names', 'ptyd', '--yolo', '-p'],
  opencode: ['run'],
  qwen: ['--yolo', '-p'],
  copilot: ['--allow-tool', 'ptyd', '-p'],
};

async function main() {
  const report = new Report({ limit: 600 });
  places.demand(report, folders);
  const space = workspace();
  const model = await new Model().listen();
  const daemon = await new Daemon(space).ready();
  const own = path.join(space.root, 'bin'), printed = path.join(space.root, 'printed');
  const env = places.settle(space, model, [own, ...bins]);
  // Agents hand few variables on: this one's daemon is found by the program that is called ptyd there.
  fs.mkdirSync(own);
  fs.writeFileSync(path.join(own, 'ptyd'), `#!/bin/sh\nexec env PTYD_SOCKET=${env.PTYD_SOCKET} PTYD_STATE_DIR=${env.PTYD_STATE_DIR} ${PTYD} "$@"\n`, { mode: 0o755 });
  for (const name of ['PTYD_SOCKET', 'PTYD_STATE_DIR']) delete env[name];
  daemon.ptyd('open', 'work');
  const table = [];

  for (const [agent, question] of Object.entries(AGENTS)) {
    if (!places.has(bins, agent)) continue;
    await report.test(`${agent} as a client of ptyd mcp: lists, reads on, searches; the model gets what the shell printed`, async () => {
      const line = new RegExp(`^    (${agent} mcp add .*ptyd mcp.*)$`, 'm').exec(README);
      assert.ok(line, 'README says how');
      const added = spawnSync('sh', ['-c', line[1]], { env, cwd: space.home, encoding: 'utf8', timeout: 60000 });
      assert.strictEqual(added.status, 0, added.stdout + added.stderr);
      const mark = `${agent}-${process.pid}`;
      // What the shell printed is known from a file of its own.
      daemon.ptyd('run', '-s', 'work', '--timeout', '60', '--', `{ shuf -i 100000-999999 -n 300; echo "<${mark}> & \\"quoted\\" \u00e9\u4e2d"; } | tee ${printed}; (exit 7)`);
      const lines = fs.readFileSync(printed, 'utf8').trimEnd().split('\n');
      const value = (text) => { try { return JSON.parse(/\{.*\}/s.exec(text)[0]); } catch { return {}; } }; // an agent may say more with it
      model.calls = [
        { tool: 'blocks', arguments: () => ({ limit: 1, filter: 'failed' }) },
        { tool: 'block_output', arguments: ([blocks]) => ({ block_id: value(blocks).blocks?.[0]?.block_id, offset: 10, limit: 2000 }) },
        { tool: 'search', arguments: () => ({ query: mark }) },
        { tool: 'block_output', arguments: () => ({ block_id: 'work:999:1' }) },
      ];
      model.results = [];
      const row = { agent, version: spawnSync(agent, ['--version'], { env, cwd: space.home, encoding: 'utf8' }).stdout.match(/\d+\.\d+\.\d+/)?.[0] || '?' };
      table.push(row);
      const { code, said } = await places.once(agent, [...question, `look at ${mark}`], { env, cwd: space.home });
      if (process.env.SHOW) console.log(JSON.stringify(model.results, null, 1), said);
      const [blocks, output, search, wrong] = model.results;
      assert.ok(blocks, `no tool of ptyd's was called (${code}): ${said.slice(-2000)}\n${(model.requests.at(-1) || '').slice(0, 500)}`);
      const [block] = value(blocks).blocks || [];
      assert.ok(block, blocks);
      row.lists = block.exit_code === 7 && block.cmd.includes(mark) && block.output_lines === lines.length;
      row.reads = output !== undefined && JSON.stringify(value(output).lines) === JSON.stringify(lines.slice(10));
      row.searches = search !== undefined && value(search).results?.[0]?.block_id === block.block_id;
      row.refused = wrong !== undefined && /session work has no block 999/.test(wrong);
      assert.ok(row.lists && row.reads && row.searches && row.refused, `${JSON.stringify(row)}\n${model.results.map((text) => text.slice(0, 600)).join('\n')}\n${said.slice(-1000)}`);
      assert.strictEqual(code, 0, said);
    });
  }

  const word = (value) => (value === true ? 'yes' : value === false ? 'NO' : 'NOT TRIED');
  console.log(`\n${'agent'.padEnd(10)}${['version', 'lists', 'reads on', 'searches', 'told what is wrong'].map((h) => h.padEnd(20)).join('')}`);
  for (const row of table) console.log(`${row.agent.padEnd(10)}${row.version.padEnd(20)}${[row.lists, row.reads, row.searches, row.refused].map((v) => word(v).padEnd(20)).join('')}`);
  await daemon.stop();
  model.close();
  removeWorkspace(space);
  places.finish(report);
}

main().catch((error) => { console.error(error); process.exit(1); });
