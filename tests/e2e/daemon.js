// The daemon itself: its life, its sessions, and that no crash loses a shell or a byte.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Client, Control, Report, PTYD, until, waitFor } = require('./harness');

const KILLS = Number(process.env.KILLS || 50);

async function killUnderFlood(daemon, space) {
  const before = daemon.json('list').find((s) => s.name === 'flood');
  const directory = path.join(space.env.PTYD_STATE_DIR, 'conversations/flood/agent_pty');
  const raw = path.join(directory, 'output.raw');
  const lines = 2500000;
  const run = new Client(PTYD, ['run', '-s', 'flood', '--', `seq 1 ${lines}; echo FLOOD''ED`], { env: space.env });
  const size = () => (fs.existsSync(raw) ? fs.statSync(raw).size : 0);
  const tail = () => {
    const file = fs.openSync(raw, 'r'), bytes = Buffer.alloc(4096);
    const n = fs.readSync(file, bytes, 0, bytes.length, Math.max(0, size() - bytes.length));
    fs.closeSync(file);
    return bytes.subarray(0, n);
  };
  await until('the flood begins', () => size() > 10000);
  let kills = 0;
  const workers = new Set();
  while (kills < KILLS) {
    const status = daemon.ptyd('status', '--json');
    if (status.status !== 0) continue;
    const pid = JSON.parse(status.stdout).worker_pid;
    if (workers.has(pid)) continue;
    workers.add(pid);
    const at = size();
    await until('bytes flow', () => size() > at || tail().includes('FLOODED\r\n'), 30000);
    process.kill(pid, 'SIGKILL');
    kills += 1;
  }
  run.process.kill();
  const block = await until('the flood ends', () => {
    const answer = daemon.ptyd('blocks', '-s', 'flood', '--last', '1', '--json');
    const last = answer.status === 0 ? JSON.parse(answer.stdout)[0] : undefined;
    return last && last.status !== 'running' && last;
  }, 120000);
  const after = daemon.json('list').find((s) => s.name === 'flood');
  assert.strictEqual(after.shell_pid, before.shell_pid, 'the same shell');
  const text = fs.readFileSync(raw, 'latin1');
  const start = text.indexOf('1\r\n2\r\n3\r\n4\r\n');
  const end = text.indexOf('FLOODED\r\n', start);
  assert.ok(start > 0 && end > start, 'the flood is in the log');
  let expected = '';
  for (let i = 1; i <= lines; i += 1) expected += `${i}\r\n`;
  assert.ok(text.slice(start, end) === expected, `every byte once: ${end - start} of ${expected.length}`);
  assert.strictEqual(block.exit_code, 0);
  assert.strictEqual(block.output_lines, lines + 1);
  assert.strictEqual(block.preview.lines[19], 'FLOODED');
  const seqs = daemon.json('blocks', '-s', 'flood').map((b) => b.seq);
  assert.deepStrictEqual(seqs, [...new Set(seqs)], 'every block once');
  const events = fs.readFileSync(path.join(directory, 'events.jsonl'), 'utf8').trim().split('\n').map((l) => JSON.parse(l));
  const ends = events.filter((e) => e.type === 'agent_block_end' && e.block.seq === block.seq);
  assert.strictEqual(ends.length, 1, 'one end event');
  return workers.size;
}

async function main() {
  const report = new Report({ limit: 300 + KILLS });
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  const socket = space.env.PTYD_SOCKET;

  await report.test('files and directories are private', () => {
    daemon.ptyd('open', 'one');
    for (const place of [path.dirname(socket), space.env.PTYD_STATE_DIR])
      assert.strictEqual(fs.statSync(place).mode & 0o777, 0o700, place);
    assert.strictEqual(fs.statSync(socket).mode & 0o777, 0o600);
    const pty = path.join(space.env.PTYD_STATE_DIR, 'conversations/one/agent_pty');
    for (const file of fs.readdirSync(pty))
      assert.strictEqual(fs.statSync(path.join(pty, file)).mode & 0o077, 0, file);
  });

  await report.test("the shell's environment, descriptors, signals and terminal are clean", () => {
    const out = (command) => daemon.ptyd('run', '-s', 'one', '--', command).stdout.trim();
    assert.strictEqual(out('env | cut -d= -f1 | grep -i ptyd | sort'), 'PTYD_SESSION\nPTYD_SOCKET\nPTYD_STATE_DIR');
    assert.strictEqual(out('echo $TERM $COLORTERM'), 'xterm-256color truecolor');
    assert.strictEqual(out('ls /proc/$$/fd | tr "\\n" " "').trim(), '0 1 2 255');
    assert.strictEqual(out('grep -E "SigIgn|SigBlk" /proc/self/status | tr -d "\\n\\t"'), 'SigBlk:0000000000000000SigIgn:0000000000000000');
    assert.strictEqual(out('stat -c %a $(tty)'), '600');
    assert.strictEqual(out('[ $$ = $(ps -o sid= -p $$) ] && echo leader'), 'leader');
    assert.strictEqual(out('tr "\\0" "\\n" < /proc/$$/environ | grep -c __ptyd'), '0');
  });

  await report.test('the block of each situation: command, directory, exit code, signal', () => {
    const last = () => daemon.json('blocks', '-s', 'one', '--last', '1')[0];
    daemon.ptyd('run', '-s', 'one', '--', 'cd /usr');
    assert.deepStrictEqual([last().cwd_after, last().cmd], ['/usr', 'cd /usr']);
    daemon.ptyd('run', '-s', 'one', '--', 'cat <<X\nhello\nX');
    assert.deepStrictEqual([last().cmd, last().preview.lines], ['cat <<X\nhello\nX', ['hello']]);
    daemon.ptyd('run', '-s', 'one', '--', '(kill -TERM $BASHPID)');
    assert.deepStrictEqual([last().exit_code, last().signal, last().status], [143, 'SIGTERM', 'killed']);
    for (const member of ['block_id', 'conversation_id', 'shell_id', 'seq', 'cmd', 'cmd_truncated', 'cmd_source', 'cwd',
      'cwd_after', 'exit_code', 'signal', 'status', 'type', 'ts_begin', 'ts_end', 'duration_ms', 'output_lines',
      'output_bytes', 'output_path', 'alt_screen', 'nested', 'private', 'preview', 'omitted_lines'])
      assert.ok(member in last(), member);
    daemon.ptyd('run', '-s', 'one', '--', 'cd');
  });

  await report.test('run: time-out, unknown session state, stdin text with controls', () => {
    const go = path.join(space.root, 'go');
    const slow = daemon.ptyd('run', '-s', 'one', '--timeout', '0.3', '--', `${waitFor(go)}; echo slept`);
    fs.writeFileSync(go, '');
    assert.strictEqual(slow.status, 124);
    assert.match(slow.stderr, /goes on/);
    const next = daemon.ptyd('run', '-s', 'one', '--', 'echo next');
    assert.strictEqual(next.stdout, 'next\n');
    assert.strictEqual(daemon.ptyd('run', '--timeout', 'x', '--', 'ls').status, 2);
    assert.strictEqual(daemon.ptyd('frobnicate').status, 2);
    assert.strictEqual(daemon.ptyd('screen', '-s', 'none').status, 1);
  });

  await report.test('a marks forger gains nothing and is counted', () => {
    const nonce = 'f'.repeat(32);
    daemon.ptyd('run', '-s', 'one', '--', `printf '\\033]7711;${nonce};99;D;st=0\\a\\033]7711;x\\a'; false`);
    const last = daemon.json('blocks', '-s', 'one', '--last', '1')[0];
    assert.strictEqual(last.exit_code, 1);
    daemon.ptyd('run', '-s', 'one', '--', `cat ${space.env.PTYD_STATE_DIR}/conversations/one/agent_pty/output.raw`);
    const status = daemon.json('status');
    assert.ok(status.spoofed_marks >= 3, String(status.spoofed_marks));
    const half = daemon.ptyd('run', '-s', 'one', '--timeout', '10', '--', `printf '\\033]7711;%032d;5;D;st=0;raw=   60 : x' 0; (exit 6)`);
    assert.strictEqual(half.status, 6, 'what a cut copy of our log prints swallows no mark');
    const dump = daemon.ptyd('run', '-s', 'one', '--', 'declare -p ${!__ptyd_@}').stdout;
    assert.match(dump, /__ptyd_v=\(\[0\]="[0-9a-f]{7}0{25}"/);
    assert.match(dump, /__ptyd_tail=\(\[0\]=[^)]*;[0-9a-f]{7}0{25}/);
    for (const [digits] of dump.matchAll(/[0-9a-f]{32}/g)) assert.match(digits, /^[0-9a-f]{7}0{25}$/);
    for (const line of dump.trim().split('\n')) assert.match(line, /^declare -a/, 'arrays are never exported');
    const raw = fs.readFileSync(path.join(space.env.PTYD_STATE_DIR, 'conversations/one/agent_pty/output.raw'), 'latin1');
    for (const match of raw.matchAll(/\x1b\]7711;([0-9a-f]{32});/g)) assert.match(match[1], /^0+$/);
  });

  await report.test('run shows all of a long output, however slowly it is read', () => {
    const { stdout } = daemon.ptyd('run', '-s', 'one', '--', 'seq 1 1000000');
    let expected = '';
    for (let i = 1; i <= 1000000; i += 1) expected += `${i}\n`;
    assert.ok(stdout === expected, `${stdout.length} of ${expected.length} bytes`);
  });

  await report.test('runs whose answers are read late leave their places to others as soon as they are read', async () => {
    daemon.ptyd('run', '-s', 'one', '--', ':');
    for (let i = 1; i <= 24; i++) {
      const socket = net.connect(space.env.PTYD_SOCKET), count = daemon.json('blocks', '-s', 'one').length;
      socket.setEncoding('utf8').write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'session.run', params: { name: 'one', command: 'seq 1 100000', stream: true, token: 4000 + i } })}\n`);
      await until('it is done', () => daemon.json('blocks', '-s', 'one').slice(count).some((b) => b.status === 'completed'));
      let text = '';
      socket.on('data', (data) => { text += data; });
      const answer = await until('it is answered', () => text.split('\n').slice(0, -1).map((line) => JSON.parse(line)).find((m) => m.id === 1));
      assert.ok(answer.result?.completed, `${i}: ${JSON.stringify(answer.error)}`);
      socket.destroy();
    }
  });

  await report.test('a burst of any size is taken in to its last byte, with nothing behind it', () => {
    for (let i = 0; i < 60; i += 1) {
      const size = 40000 + i * 7001;
      daemon.ptyd('run', '-s', 'one', '--timeout', '10', '--', `head -c ${size} /dev/zero | tr '\\0' x`);
      const [block] = daemon.json('blocks', '-s', 'one', '--last', '1');
      assert.deepStrictEqual([block.status, block.output_bytes], ['completed', size + 1], `${size} bytes`);
    }
  });

  await report.test('a worker that sleeps while the command ends does not take its prompt for one that was missed', async () => {
    const file = path.join(space.root, 'ended'), go = path.join(space.root, 'go-on');
    const shell = daemon.json('list').find((s) => s.name === 'one').shell_pid;
    const worker = daemon.json('status').worker_pid;
    const stat = () => fs.readFileSync(`/proc/${shell}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
    const run = spawn(PTYD, ['run', '-s', 'one', '--', `${waitFor(go)}; echo late; touch ${file}`], { env: space.env });
    let said = '';
    run.stdout.on('data', (data) => { said += data; });
    const ended = new Promise((resolve) => run.on('exit', resolve));
    await until('it runs', () => daemon.json('blocks', '-s', 'one').some((b) => b.status === 'running'));
    process.kill(worker, 'SIGSTOP');
    fs.writeFileSync(go, '');
    await until('the shell waits again', () => fs.existsSync(file) && stat()[0] === 'S' && stat()[5] === String(shell));
    process.kill(worker, 'SIGCONT');
    assert.deepStrictEqual([await ended, said], [0, 'late\n']);
  });

  await report.test('a worker that is killed: the session goes on where it was, requests wait', async () => {
    daemon.ptyd('run', '-s', 'one', '--', 'x=remembered');
    const before = daemon.json('blocks', '-s', 'one');
    const screen = daemon.json('screen', '-s', 'one');
    process.kill(daemon.json('status').worker_pid, 'SIGKILL');
    assert.strictEqual(daemon.ptyd('run', '-s', 'one', '--', 'echo $x').stdout, 'remembered\n');
    const after = daemon.json('blocks', '-s', 'one');
    assert.deepStrictEqual(after.slice(0, -1), before);
    assert.strictEqual(after.at(-1).seq, before.at(-1).seq + 1);
    process.kill(daemon.json('status').worker_pid, 'SIGKILL');
    const again = daemon.json('screen', '-s', 'one');
    assert.strictEqual(again.cursor.col, screen.cursor.col);
  });

  await report.test(`${KILLS} kills -9 of the worker under a flood: same shell, every byte and block once`, async () => {
    daemon.ptyd('open', 'flood');
    assert.strictEqual(await killUnderFlood(daemon, space), KILLS);
  });

  await report.test('bad requests are answered, the connection goes on', async () => {
    const answers = await new Promise((resolve, reject) => {
      const connection = net.connect(socket);
      let text = '';
      connection.on('data', (data) => { text += data; if (text.split('\n').length === 6) { connection.end(); resolve(text.trim().split('\n').map((l) => JSON.parse(l))); } });
      connection.on('error', reject);
      connection.write('nonsense\n{"id":1}\n{"id":2,"method":"no.such"}\n');
      connection.write(`${'z'.repeat(1100000)}\n`);
      connection.write('{"id":3,"method":"session.list"}\n');
    });
    assert.deepStrictEqual(answers.map((a) => a.error && a.error.code), [-32700, -32600, -32601, -32600, undefined]);
    assert.ok(Array.isArray(answers[4].result));
  });

  await report.test('of the sessions those members are said that are asked for, and what is shown is what is so', async () => {
    const names = ['name', 'size', 'shell_pid', 'marks', 'shell_id'], whole = daemon.json('list');
    const wanted = whole.map((s) => names.map((name) => s[name])), control = new Control(socket);
    assert.deepStrictEqual((await control.call('session.list', { members: names })).result, wanted);
    assert.deepStrictEqual((await control.call('status', { members: names })).result.sessions, wanted);
    assert.deepStrictEqual((await control.call('session.list', { members: [] })).result, whole.map(() => []));
    for (const method of ['session.list', 'status'])
      for (const members of [['name', 'no'], 'name', [1], Array(11).fill('name')])
        assert.strictEqual((await control.call(method, { members })).error.code, -32602, JSON.stringify(members));
    control.socket.destroy();
    for (const command of ['list', 'status']) {
      const rows = daemon.ptyd(command).stdout.split('\n');
      for (const { name, shell, shell_pid, size } of whole)
        assert.ok(rows.some((row) => row.startsWith(name.padEnd(17)) && row.includes(` ${shell.padEnd(6)} ${String(shell_pid).padStart(8)} ${`${size.cols}x${size.rows}`.padEnd(9)} /`)), `${name}: ${rows.join('\n')}`);
    }
  });

  await report.test('a second daemon on the same socket is told of the first', () => {
    const second = spawnSync(PTYD, ['serve', '--state-dir', `${space.root}/other`], { env: space.env, encoding: 'utf8' });
    assert.strictEqual(second.status, 1);
    assert.match(second.stderr, /another ptyd \(process \d+\)/);
  });

  await report.test('a file in the place of the socket is left alone, a stale socket is replaced', async () => {
    const place = path.join(space.root, 'place');
    fs.mkdirSync(place, { mode: 0o700 });
    fs.writeFileSync(`${place}/s`, 'precious');
    const refused = spawnSync(PTYD, ['serve', '--socket', `${place}/s`, '--state-dir', `${space.root}/s2`], { env: space.env, encoding: 'utf8' });
    assert.strictEqual(refused.status, 1);
    assert.match(refused.stderr, /no socket/);
    assert.strictEqual(fs.readFileSync(`${place}/s`, 'utf8'), 'precious');
    const other = { ...space, env: { ...space.env, PTYD_SOCKET: `${place}/t`, PTYD_STATE_DIR: `${space.root}/s2` } };
    const first = await new Daemon(other).ready();
    first.process.kill('SIGKILL');
    await first.ended;
    assert.ok(fs.existsSync(`${place}/t`));
    const again = await new Daemon(other).ready();
    assert.deepStrictEqual(await again.stop(), { code: 0, signal: null });
    assert.ok(!fs.existsSync(`${place}/t`));
  });

  await report.test('close hangs up the shell, which writes its history', () => {
    daemon.ptyd('open', 'brief');
    daemon.ptyd('run', '-s', 'brief', '--', 'echo for the history');
    assert.strictEqual(daemon.ptyd('close', 'brief').status, 0);
    assert.match(fs.readFileSync(path.join(space.home, '.bash_history'), 'utf8'), /for the history/);
    assert.ok(!daemon.json('list').some((s) => s.name === 'brief'));
  });

  await report.test('exit N ends the session with the last block; open starts a new shell, seq goes on', async () => {
    daemon.ptyd('open', 'again');
    const first = daemon.json('list').find((s) => s.name === 'again');
    daemon.ptyd('run', '-s', 'again', '--', 'exit 3');
    await until('exited', () => daemon.json('list').find((s) => s.name === 'again').state === 'exited');
    assert.strictEqual(daemon.json('blocks', '-s', 'again').at(-1).exit_code, 3);
    daemon.ptyd('open', 'again');
    const second = daemon.json('list').find((s) => s.name === 'again');
    assert.notStrictEqual(second.shell_id, first.shell_id);
    daemon.ptyd('run', '-s', 'again', '--', 'true');
    assert.deepStrictEqual(daemon.json('blocks', '-s', 'again').map((b) => b.seq), [1, 2]);
  });

  await report.test('what is too large for a request is refused at once, and that is said', () => {
    const large = (count, value) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`LARGE${i}`, value.repeat(1000)]));
    const said = (args, env = {}) => { const { status, stderr } = spawnSync(PTYD, args, { env: { ...space.env, ...env }, encoding: 'utf8', timeout: 20000 }); return [status, stderr]; };
    for (const count of [530, 1500]) assert.deepStrictEqual(said(['open', 'large'], large(count, 'y')), [1, 'ptyd: the environment is larger than 524288 bytes\n']);
    assert.deepStrictEqual(said(['open', 'large'], large(500, '\x1b')), [1, 'ptyd: a request is at most 1048576 bytes\n']);
    const [status, why] = said(['run', '-s', 'work', '--', ':', ...Array(12).fill('z'.repeat(100000))]);
    assert.strictEqual(status, 125);
    assert.match(why, /a request is at most 1048576 bytes/);
  });

  await report.test('a program that cannot run is said so', () => {
    const failed = daemon.ptyd('open', 'broken', '--shell', '/no/such/shell');
    assert.strictEqual(failed.status, 1);
    assert.match(failed.stderr, /No such file/);
  });

  await report.test('MCP: the tools read, and the header names two of them while it runs', async () => {
    const mcp = new Client(PTYD, ['mcp', '-s', 'one'], { env: space.env });
    const init = await mcp.request('initialize', { protocolVersion: '2025-06-18', capabilities: {} });
    assert.strictEqual(init.result.serverInfo.name, 'ptyd');
    const tools = await mcp.request('tools/list', {});
    for (const name of ['pty_read_screen', 'pty_read_scrollback']) assert.ok(tools.result.tools.some((t) => t.name === name), name);
    const call = await mcp.request('tools/call', { name: 'pty_read_screen', arguments: {} });
    assert.strictEqual(JSON.parse(call.result.content[0].text).cols, 80);
    const about = Object.entries(daemon.json('context', 'show', '-s', 'one').additionalContext).find(([k]) => k.startsWith('terminal_about_'));
    assert.deepStrictEqual(JSON.parse(about[1].value).mcp, ['pty_read_screen', 'pty_read_scrollback']);
    await mcp.end();
  });

  await report.test('one block of very many is found without reading them all', () => {
    daemon.ptyd('open', 'many');
    daemon.ptyd('run', '-s', 'many', '--', 'echo first');
    const file = path.join(space.env.PTYD_STATE_DIR, 'conversations/many/agent_pty/blocks.jsonl');
    const { sum, ...first } = JSON.parse(fs.readFileSync(file, 'utf8').trim().split('\n').pop());
    assert.match(sum, /^[0-9a-f]{16}$/);
    const lines = [];
    for (let seq = first.seq + 1; seq < 20000; seq++) lines.push(JSON.stringify({ ...first, seq, cmd: `echo ${seq}`, block_id: `many:${seq}:5` }));
    fs.appendFileSync(file, `${lines.join('\n')}\n`);
    const read = () => Number(/rchar: (\d+)/.exec(fs.readFileSync(`/proc/${daemon.json('status').worker_pid}/io`, 'utf8'))[1]);
    const before = read();
    for (const [wanted, cmd] of [['12345', 'echo 12345'], ['many:777:5', 'echo 777'], [String(first.seq), 'echo first'], ['19999', 'echo 19999']])
      assert.match(daemon.ptyd('block', wanted, '-s', 'many').stdout, new RegExp(`${cmd}\\b`));
    for (const wanted of ['20000', '0', 'many:777:6', '', ':', '007'])
      assert.strictEqual(daemon.ptyd('block', wanted, '-s', 'many').status, 1, wanted);
    assert.strictEqual(daemon.ptyd('block', 'other:777:5', '-s', 'many').status, 2);
    assert.ok(read() - before < 2 << 20, `${read() - before} bytes were read`);
    daemon.ptyd('close', 'many');
  });

  await report.test('a long list is made in pieces: others are answered meanwhile, and it waits for its reader', async () => {
    const pid = daemon.json('status').worker_pid;
    const read = () => Number(/rchar: (\d+)/.exec(fs.readFileSync(`/proc/${pid}/io`, 'utf8'))[1]);
    daemon.ptyd('open', 'lists', '--size', '80x24');
    daemon.ptyd('run', '-s', 'lists', '--', 'echo first; seq 3000');
    const file = path.join(space.env.PTYD_STATE_DIR, 'conversations/lists/agent_pty/blocks.jsonl');
    const { sum, ...first } = JSON.parse(fs.readFileSync(file, 'utf8').trim().split('\n').pop());
    const lines = [];
    for (let seq = first.seq + 1; seq <= 20000; seq++) lines.push(JSON.stringify({ ...first, seq, cmd: `echo ${seq}`, block_id: `lists:${seq}:5` }));
    fs.appendFileSync(file, `${lines.join('\n')}\n`);
    const answers = (people, id) => people.text.split('\n').slice(0, -1).map((l) => JSON.parse(l)).filter((m) => m.id === id);
    const join = (ask) => {
      const one = { text: '', socket: net.connect(space.env.PTYD_SOCKET, () => one.socket.write(ask)) };
      one.socket.setEncoding('utf8').on('data', (data) => { one.text += data; });
      return one;
    };
    const ask = (id, method, params) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
    const before = read();
    const reader = join(ask(1, 'session.blocks', { name: 'lists' }) + ask(2, 'status.short', {}));
    await until('the list begins', () => reader.text);
    reader.socket.pause();
    const other = join('');
    for (let id = 1, was = 0; read() - was > 16 << 10; id++) { // until as many answers make no more of it
      was = read();
      for (let n = 0; n < 20; n++) {
        other.socket.write(ask(`${id}/${n}`, 'status.short', {}));
        await until('another client is answered', () => answers(other, `${id}/${n}`).length);
        other.text = '';
      }
    }
    assert.ok(read() - before < 6 << 20, `${read() - before} bytes were read for who does not`);
    assert.ok(!reader.text.includes('\n'), 'before the list ended');
    reader.socket.resume();
    await until('the list ends, and what was asked behind it', () => reader.text.endsWith('\n') && answers(reader, 2).length, 180000);
    const [list] = answers(reader, 1);
    assert.deepStrictEqual(list.result.map((b) => b.seq), Array.from({ length: 20000 - first.seq + 1 }, (_, i) => first.seq + i));
    assert.ok(reader.text.length > 8 << 20, 'much was listed');
    assert.strictEqual(daemon.json('blocks', '-s', 'lists', '--last', '12345').length, 12345);
    const held = daemon.json('scrollback', '-s', 'lists');
    assert.deepStrictEqual(held.lines.filter((l) => /^\d+$/.test(l)).map(Number).slice(0, 2950), Array.from({ length: 2950 }, (_, i) => i + 1));
    for (const one of [reader, other]) one.socket.destroy();
    const leaver = join(ask(1, 'session.blocks', { name: 'lists' }) + ask(2, 'session.close', { name: 'lists' }));
    await until('another list begins', () => leaver.text);
    leaver.socket.destroy();
    assert.strictEqual(daemon.ptyd('close', 'lists').status, 0);
  });

  // Connects `count` clients that each ask at once; those who were answered are in `answered`, those
  // who were closed before in `cut`.
  function crowd(place, count) {
    const people = { answered: new Set(), cut: new Set(), sockets: [] };
    for (let i = 0; i < count; i++) {
      const one = net.connect(place, () => one.write('{"jsonrpc":"2.0","id":1,"method":"status.short"}\n'));
      one.on('data', (data) => { if (/"result"/.test(data)) people.answered.add(one); });
      one.on('error', () => people.cut.add(one));
      one.on('close', () => { if (!people.answered.has(one)) people.cut.add(one); });
      people.sockets.push(one);
    }
    return people;
  }

  await report.test('300 connections at once: all stay and are answered', async () => {
    const people = crowd(socket, 300);
    await until('all are answered', () => people.answered.size + people.cut.size === 300);
    assert.strictEqual(people.cut.size, 0);
    assert.strictEqual(daemon.ptyd('list').status, 0, 'one more');
    for (const one of people.sockets) one.destroy();
  });

  await report.test('the limit on descriptors is raised for the daemon; shells get the one that was there', async () => {
    const small = workspace();
    const few = await new Daemon(small, 'ulimit -Sn 70 && ulimit -Hn 80').ready();
    assert.match(fs.readFileSync(`/proc/${few.json('status').worker_pid}/limits`, 'utf8'), /Max open files +80 +80 /);
    assert.strictEqual(few.ptyd('run', '--', 'ulimit -Sn; ulimit -Hn').stdout.replace(/\s+/g, ' ').trim(), '70 80');
    await few.stop();
    removeWorkspace(small);
  });

  await report.test('SIGTERM stops everything and leaves no process and no socket', async () => {
    const pids = daemon.json('list').filter((s) => s.state !== 'exited').map((s) => s.shell_pid);
    assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null });
    assert.ok(!fs.existsSync(socket));
    for (const pid of pids) assert.throws(() => process.kill(pid, 0));
  });

  await report.test('open starts a daemon by itself; --no-start does not', () => {
    assert.strictEqual(daemon.ptyd('open', 'auto', '--no-start').status, 1);
    assert.strictEqual(daemon.ptyd('list').status, 1);
    assert.strictEqual(daemon.ptyd('open', 'auto').status, 0);
    const { keeper_pid: keeper } = daemon.json('status');
    process.kill(keeper, 'SIGTERM');
    return until('it ends', () => { try { process.kill(keeper, 0); return false; } catch { return true; } });
  });

  await report.test('whatever the umask, what the daemon keeps its user can open again; a session has that umask', async () => {
    const own = workspace(), call = (line) => spawnSync('sh', ['-c', line, PTYD], { env: own.env, cwd: own.home, encoding: 'utf8', timeout: 60000 });
    assert.strictEqual(call('umask 0777; exec "$0" open masked').status, 0);
    assert.strictEqual(call('"$0" run -s masked -- umask').stdout, '0777\n');
    const { keeper_pid: keeper } = JSON.parse(call('"$0" status --json').stdout);
    for (const top of [own.env.PTYD_STATE_DIR, path.dirname(own.env.PTYD_SOCKET)])
      for (const entry of ['', ...fs.readdirSync(top, { recursive: true })]) {
        const st = fs.lstatSync(path.join(top, entry), { throwIfNoEntry: false }); // what is spare comes and goes
        if (st) assert.strictEqual((st.mode & 0o777).toString(8), st.isDirectory() ? '700' : '600', path.join(top, entry));
      }
    process.kill(keeper, 'SIGTERM');
    await until('it ends', () => { try { process.kill(keeper, 0); return false; } catch { return true; } });
    removeWorkspace(own);
  });

  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
