// An agent of the Agent Client Protocol without a model. Each prompt it gets is a line of the file argv[2]: its content
// blocks and, where its text says `hook`, what `ptyd hook gemini` printed. The text says how a turn ends.
'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const readline = require('node:readline');

const [, , log, ptyd] = process.argv;
const embeddedContext = !process.env.PLAIN;
const history = [];
let count = 0, cancelled = () => {};
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (sessionId, sessionUpdate, content) => send({ method: 'session/update', params: { sessionId, update: { sessionUpdate, content } } });

function prompt(id, { sessionId, prompt: blocks }) {
  const text = blocks.find((b) => b.type === 'text')?.text || '';
  const hook = text.includes('hook') && spawnSync(ptyd, ['hook', 'gemini'], { env: { PATH: process.env.PATH, HOME: process.env.HOME, PTYD_SOCKET: process.env.PTYD_SOCKET }, input: JSON.stringify({ session_id: sessionId, cwd: process.cwd() }), encoding: 'utf8' }).stdout;
  fs.appendFileSync(log, `${JSON.stringify({ sessionId, blocks, hook })}\n`);
  const end = (stopReason) => send({ id, result: { stopReason } });
  if (text.includes('die')) process.exit(3);
  if (text.includes('fail')) return send({ id, error: { code: -32000, message: 'no model' } });
  if (text.includes('refuse')) return end('refusal');
  if (text.includes('wait')) { cancelled = () => end('cancelled'); return undefined; }
  history.push(...blocks);
  update(sessionId, 'agent_message_chunk', { type: 'text', text: `noted: ${text}` });
  return end('end_turn');
}

const answers = {
  initialize: (id) => send({ id, result: { protocolVersion: 1, agentCapabilities: { loadSession: true, promptCapabilities: { embeddedContext } }, ...(process.env.NAME ? { agentInfo: { name: process.env.NAME, version: '1' } } : {}) } }),
  'session/new': (id) => send({ id, result: { sessionId: `made-${++count}` } }),
  'session/fork': (id) => send({ id, result: { sessionId: `forked-${++count}` } }),
  'session/load': (id, { sessionId }) => {
    for (const block of history) update(sessionId, 'user_message_chunk', block);
    send({ id, result: null });
  },
  'session/prompt': prompt,
  'session/cancel': () => cancelled(),
};

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  answers[method]?.(id, params);
});
