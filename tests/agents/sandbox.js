// What a command in codex's own sandbox sees of ptyd: as it is usually, and with a profile that denies. Usage: node
// sandbox.js CODEX
'use strict';
const assert = require('node:assert');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { workspace, removeWorkspace, Daemon, Report, PTYD } = require('../e2e/harness');

const codex = path.resolve(process.argv[2]);

async function main() {
  const report = new Report();
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  const env = { ...space.env, CODEX_HOME: path.join(space.root, 'codex-home') };
  fs.mkdirSync(env.CODEX_HOME);
  daemon.ptyd('open', 'work');
  daemon.ptyd('run', '-s', 'work', '--', 'echo sandboxed');
  const state = env.PTYD_STATE_DIR, run = path.dirname(env.PTYD_SOCKET);
  const look = `echo status:$("${PTYD}" status >/dev/null 2>&1 && echo reached || echo refused)
    echo socket:$(ls ${env.PTYD_SOCKET} >/dev/null 2>&1 && echo seen || echo unseen)
    echo state:$(grep -ql sandboxed ${state}/conversations/work/agent_pty/blocks.jsonl 2>/dev/null && echo read || echo unread)
    echo write:$(touch ${state}/x ${run}/x 2>/dev/null && echo written || echo refused)
    echo type:$("${PTYD}" run -s work -- echo typed >/dev/null 2>&1 && echo typed || echo refused)`;
  const sandbox = (...options) => {
    const { stdout, stderr } = spawnSync(codex, ['sandbox', ...options, '--', 'sh', '-c', look], { env, cwd: space.home, encoding: 'utf8', timeout: 120000 });
    assert.match(stdout, /^type:/m, stderr);
    return Object.fromEntries(stdout.trim().split('\n').map((line) => line.split(':')));
  };

  await report.test('the usual sandbox: nothing is reached, written or typed; files can be read', () => {
    assert.deepStrictEqual(sandbox(), { status: 'refused', socket: 'seen', state: 'read', write: 'refused', type: 'refused' });
  });

  await report.test('with a profile that denies: nothing is seen', () => {
    const filesystem = `{":root"="read",${JSON.stringify(state)}="deny",${JSON.stringify(run)}="deny"}`;
    assert.deepStrictEqual(sandbox('-c', 'default_permissions="private"', '-c', `permissions.private.filesystem=${filesystem}`),
      { status: 'refused', socket: 'unseen', state: 'unread', write: 'refused', type: 'refused' });
  });

  await daemon.stop();
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
