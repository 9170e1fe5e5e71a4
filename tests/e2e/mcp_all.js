// `ptyd mcp --tools all`: the tools of the original agent PTY by its names, and none of the faults that its users met.
'use strict';
const assert = require('node:assert');
const { execFile, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { withSecret, removeWorkspace, killWorker, waitFor, Client, Report, PTYD, until } = require('./harness');

const LOOK = ['ping', 'pty_wait_for', 'pty_wait_prompt', 'pty_status', 'pty_read_spool', 'pty_read_raw', 'pty_read_screen', 'pty_read_scrollback',
  'pty_get_size', 'pty_read_screen_deltas', 'pty_screen_status', 'blocks_since', 'blocks_get', 'blocks_read', 'blocks_search'];
const TYPE = ['pty_exec', 'pty_exec_interactive', 'pty_end_session', 'pty_send', 'pty_ctrl_c', 'pty_ctrl_d', 'pty_enter', 'pty_expect_send', 'pty_resize', 'pty_close'];
const NEEDS = { pty_exec: { cmd: 'true' }, pty_exec_interactive: { cmd: 'true' }, pty_send: { data: 'x' }, pty_expect_send: { expect: 'x', send: 'y' }, pty_resize: { cols: 80, rows: 24 } };
const SHELLS = ['bash', 'zsh', 'fish', 'dash'].filter((name) => spawnSync('which', [name]).status === 0);

class Mcp extends Client {
  static async begun(space, args = ['--tools', 'all', '--drive', '-s', 'work'], version = '2025-06-18') {
    const mcp = new Mcp(PTYD, ['mcp', ...args], { env: space.env, cwd: space.home });
    await mcp.request('initialize', { protocolVersion: version, capabilities: {}, clientInfo: { name: 'original', version: '1' } });
    return mcp;
  }

  async ask(name, args = {}) { return this.request('tools/call', { name, arguments: args }, this.nextId++, 120000); }

  async call(name, args) {
    const { result, error } = await this.ask(name, args);
    assert.ok(result && !result.isError, `${name}: ${JSON.stringify(result || error)}`);
    assert.deepStrictEqual(JSON.parse(result.content[0].text), result.structuredContent);
    return result.structuredContent;
  }

  async failure(name, args) {
    const { result } = await this.ask(name, args);
    assert.ok(result?.isError, `${name}: ${JSON.stringify(result)}`);
    return result.content[0].text;
  }
}

async function main() {
  const report = new Report();
  const { space, secret, daemon } = await withSecret();
  const mcp = await Mcp.begun(space);
  const user = (command) => daemon.ptyd('run', '-s', 'work', '--timeout', '60', '--', command);
  const newest = () => daemon.json('blocks', '-s', 'work', '--last', '1')[0];
  // The user lets it type until a key of theirs, and every user() is one.
  const granted = async (client = mcp) => {
    let typed = false;
    const first = client.call('pty_send', { data: '' }).then(() => { typed = true; });
    await until('it asks, or may', () => typed || daemon.json('status').batons.some((b) => b.state === 'asks'));
    if (!typed) daemon.ptyd('grant', 'work', '--session');
    await first;
  };
  // Of a command, its block and what it printed.
  const ran = async (cmd, args = {}) => {
    const begun = await mcp.call('pty_exec', { cmd, ...args });
    if (begun.status === 'running') await mcp.call('pty_wait_prompt', { timeout_ms: 60000 });
    const { block } = await mcp.call('blocks_get', { block_id: begun.block_id });
    return { ...block, text: (await mcp.call('blocks_read', { block_id: begun.block_id })).data };
  };

  await report.test('which tools there are; without --drive those that type say how to get it; a wrong --tools is answered with the right one', async () => {
    const [plain, looks] = [await Mcp.begun(space, []), await Mcp.begun(space, ['--tools', 'all'])];
    const names = async (client) => (await client.request('tools/list', {})).result.tools;
    const usual = (await names(plain)).map((t) => t.name), tools = await names(looks), driving = (await names(mcp)).map((t) => t.name);
    assert.ok(!usual.includes('pty_exec') && usual.includes('pty_read_screen'));
    assert.deepStrictEqual(tools.map((t) => t.name).sort(), [...new Set([...usual, ...LOOK, ...TYPE])].sort());
    assert.deepStrictEqual(driving.sort(), [...new Set([...usual, ...LOOK, ...TYPE, 'run', 'send', 'give_back'])].sort());
    for (const tool of tools) {
      assert.deepStrictEqual([tool.inputSchema.additionalProperties, tool.outputSchema.type, tool.annotations.readOnlyHint], [false, 'object', !TYPE.includes(tool.name)], tool.name);
      assert.ok(tool.outputSchema.required.every((key) => key in tool.outputSchema.properties), tool.name);
    }
    for (const name of TYPE) assert.match(await looks.failure(name, NEEDS[name]), /only looks.*--tools all --drive.*ptyd grant/, name);
    assert.deepStrictEqual(daemon.json('blocks', '-s', 'work'), []);
    for (const [name, args, word] of [['pty_exec', {}, 'cmd'], ['pty_exec', { cmd: 'x', command: 'y' }, 'command'], ['pty_wait_for', { match: 'x', match_type: 'eof' }, 'substring regex prompt'],
      ['pty_wait_for', { match: 'x', from_cursor: -1 }, 'from_cursor'], ['pty_resize', { cols: 501, rows: 1 }, 'cols'], ['blocks_since', { limit: 1000 }, 'limit'], ['blocks_read', { block_id: '1', max_bytes: 1 << 20 }, 'max_bytes']])
      assert.ok((await mcp.ask(name, args)).error.message.includes(word), name);
    for (const [client, name, near] of [[mcp, 'pty_statu', 'pty_status'], [plain, 'block', 'blocks'], [plain, 'pty_statu', null], [mcp, 'something_else', null]])
      assert.strictEqual((await client.ask(name)).error.message, `there is no tool ${name}${near ? `; did you mean ${near}?` : ''}`);
    const wrong = daemon.ptyd('mcp', '--tools', 'al');
    assert.deepStrictEqual([wrong.status, /did you mean all\?/.test(wrong.stderr)], [2, true], wrong.stderr);
    assert.match(daemon.ptyd('mcp', '--help').stdout, /"--tools", "all", "--drive"/);
    for (const client of [plain, looks]) assert.strictEqual(await client.end(), 0);
  });

  await granted();

  await report.test('a command that fails has its exit code', async () => {
    for (const [cmd, code] of [['false', 1], ['true', 0], ['sh -c "exit 42"', 42]]) {
      const { exit_code: told } = await mcp.call('pty_exec', { cmd });
      assert.strictEqual(told, code, cmd);
    }
    await mcp.call('pty_exec', { cmd: 'sh -c "exit 7"' });
    assert.strictEqual((await mcp.call('pty_wait_prompt')).extra.exit_code, 7);
  });

  await report.test('a line of several commands is one command with all its output; an empty Enter is none', async () => {
    for (const [cmd, text, code] of [['echo hi && echo ho', 'hi\nho\n', 0], ['for i in 1 2 3; do echo $i; done', '1\n2\n3\n', 0], ['echo first | cat | sed s/first/last/', 'last\n', 0], ['(exit 42)', '', 42]]) {
      const before = newest().seq, block = await ran(cmd);
      assert.deepStrictEqual([block.seq, block.cmd, block.text, block.exit_code, block.status], [before + 1, cmd, text, code, 'completed']);
    }
    const { next_cursor: cursor } = await mcp.call('blocks_since', { cursor: newest().seq });
    await mcp.call('pty_enter');
    await mcp.call('pty_wait_prompt');
    assert.deepStrictEqual((await mcp.call('blocks_since', { cursor })).items, []);
  });

  await report.test('a program that prints marks of an end, on any descriptor, ends nothing', async () => {
    const forged = "for fd in 1 2 3 4 5 6 7 8 9; do { printf '__FWS_BLOCK_END__ 1 1 0\\n\\033]7711;D;st=0;seq=9999\\007\\033]133;D;0\\007' >&$fd; } 2>/dev/null; done; echo after; (exit 5)";
    const before = newest().seq, block = await ran(forged);
    assert.deepStrictEqual([block.seq, block.exit_code, block.text.endsWith('after\n')], [before + 1, 5, true]);
    assert.strictEqual((await ran('exec 3>&1; echo three >&3; exec 3>&-')).text, 'three\n', 'descriptor 3 is the script\'s own');
  });

  await report.test('an earlier long output takes no later command\'s place; a preview is there whole at the end', async () => {
    await ran('seq 5000');
    for (let i = 0; i < 20; i++) {
      const block = await ran(`echo short ${i}`);
      assert.deepStrictEqual([block.preview.lines, block.preview.truncated, block.text], [[`short ${i}`], false, `short ${i}\n`]);
    }
  });

  await report.test('a line longer than a preview is shown in part; only line feeds end lines', async () => {
    const long = await ran("printf 'x%.0s' $(seq 5000); echo");
    assert.ok(long.preview.lines.join('').length > 1000 && long.preview.truncated);
    assert.strictEqual(long.text, `${'x'.repeat(5000)}\n`);
    const odd = await ran("printf 'a\\036b\\xc2\\x85c\\xe2\\x80\\xa8d\\ne\\n'");
    assert.deepStrictEqual([odd.output_lines, (await mcp.call('blocks_search', { block_id: odd.block_id, query: 'e' })).hits], [2, [{ line: 2, text: 'e' }]]);
  });

  await report.test('what is typed when a text comes is typed, though that comes in a later piece; others go on meanwhile', async () => {
    const go = path.join(space.root, 'go');
    const begun = await mcp.call('pty_exec_interactive', { cmd: `echo early; ${waitFor(go)}; printf 'Na'; sleep 0.3; read -p 'me: ' x; echo "got $x"` });
    const sent = mcp.call('pty_expect_send', { expect: 'Name: ', send: 'bob\r', from_cursor: begun.resume_cursor, timeout_ms: 60000 });
    assert.deepStrictEqual([(await mcp.call('pty_status')).mode, (await mcp.call('pty_screen_status')).cols], ['interactive', 60]);
    fs.writeFileSync(go, '');
    const { matched, sent: typed, resume_cursor: cursor } = await sent;
    assert.deepStrictEqual([matched, typed], [true, true]);
    assert.ok((await mcp.call('pty_wait_for', { match: 'got bob', from_cursor: cursor })).matched);
    await mcp.call('pty_wait_prompt');
  });

  await report.test('cursors are right behind letters beyond ASCII, matches are found beyond a MiB, and each once; no pattern stalls', async () => {
    const { resume_cursor: start } = await mcp.call('pty_status');
    await ran("echo 'äöü€ näh näh'");
    const one = await mcp.call('pty_wait_for', { match: 'näh', from_cursor: start });
    const two = await mcp.call('pty_wait_for', { match: 'näh', from_cursor: one.resume_cursor });
    const three = await mcp.call('pty_wait_for', { match: 'näh', from_cursor: two.resume_cursor, timeout_ms: 1 });
    assert.deepStrictEqual([one.match_text, one.match_cursor - start, one.match_span.end - one.match_span.start, two.match_cursor - one.match_cursor], ['näh', Buffer.byteLength('äöü€ '), 4, 5]);
    assert.deepStrictEqual([three.ok, three.matched, three.error], [false, false, 'timeout']);
    assert.strictEqual((await mcp.call('pty_read_spool', { from_cursor: one.resume_cursor })).data, ' näh\n');
    await ran("seq 300000; echo 'needle of them'");
    const far = await mcp.call('pty_wait_for', { match: 'ne+dle', match_type: 'regex', from_cursor: three.resume_cursor, timeout_ms: 60000 });
    assert.ok(far.match_cursor - three.resume_cursor > 1 << 20);
    await ran(`echo ${'a'.repeat(40)}`);
    const slow = mcp.ask('pty_wait_for', { match: '(a+)+$b', match_type: 'regex', from_cursor: far.resume_cursor, timeout_ms: 2000 });
    assert.ok((await mcp.call('ping')).ok);
    await slow;
    assert.match(await mcp.failure('pty_wait_for', { match: '(', match_type: 'regex' }), /no regular expression/);
  });

  await report.test('a line that is printed in two parts is there once, while it runs and behind that', async () => {
    const go = path.join(space.root, 'parts');
    const { block_id: id, resume_cursor: cursor } = await mcp.call('pty_exec_interactive', { cmd: `printf par; ${waitFor(go)}; echo tial` });
    const part = await mcp.call('pty_wait_for', { match: 'par', from_cursor: cursor });
    fs.writeFileSync(go, '');
    await mcp.call('pty_wait_prompt');
    assert.strictEqual((await mcp.call('blocks_read', { block_id: id })).data, 'partial\n');
    assert.strictEqual((await mcp.call('pty_read_spool', { from_cursor: part.resume_cursor })).data, 'tial\n');
  });

  await report.test('of a last line that changes nothing is left out, and half a text that is waited for is found with the other half', async () => {
    const [go, on] = [path.join(space.root, 'changes'), path.join(space.root, 'goes-on')];
    const { block_id: id, resume_cursor: cursor } = await mcp.call('pty_exec_interactive', { cmd: `echo first; printf 'Downloading 50 percent'; ${waitFor(go)}; printf '\\r\\033[Kok\\npass'; ${waitFor(on)}; echo word:` });
    assert.ok((await mcp.call('pty_wait_for', { match: '50 percent', from_cursor: cursor })).matched);
    const [spool, block, status, screen] = [await mcp.call('pty_read_spool', { from_cursor: cursor }), await mcp.call('blocks_read', { block_id: id }), await mcp.call('pty_status'), await mcp.call('pty_screen_status')];
    assert.deepStrictEqual([spool.data, block.data, block.more], ['first\nDownloading 50 percent', 'first\nDownloading 50 percent', true]);
    fs.writeFileSync(go, '');
    const late = await mcp.call('pty_wait_for', { match: 'password:', from_cursor: spool.resume_cursor, timeout_ms: 500 });
    assert.ok(!late.matched && (await mcp.call('pty_wait_for', { match: 'ok', from_cursor: spool.resume_cursor })).matched);
    const later = await mcp.call('pty_wait_for', { match: 'password:', from_cursor: late.resume_cursor, timeout_ms: 500 });
    assert.ok(!later.matched && later.resume_cursor >= late.resume_cursor);
    fs.writeFileSync(on, '');
    const { matched, match_cursor: found } = await mcp.call('pty_wait_for', { match: 'password:', from_cursor: later.resume_cursor });
    assert.deepStrictEqual([matched, found - cursor], [true, 'first\nok\n'.length]);
    await mcp.call('pty_wait_prompt');
    for (const from of [spool.resume_cursor, status.resume_cursor, screen.spool_size])
      assert.strictEqual((await mcp.call('pty_read_spool', { from_cursor: from })).data, 'ok\npassword:\n');
    assert.strictEqual((await mcp.call('blocks_read', { block_id: id, offset: block.next_offset })).data, 'ok\npassword:\n');
  });

  await report.test('what fast commands print is theirs, and no word of theirs is taken for noise or cut', async () => {
    for (let i = 0; i < 30; i++) assert.strictEqual((await ran(`echo ${i}`)).text, `${i}\n`);
    for (const line of ['ls 2>/dev/null', 'printf %s x', 'if [ -n x ]; then', 'pwd -P', 'systemctl status sshd', 'echo hello world', 's\\\\s'])
      assert.strictEqual((await ran(`cat <<'END'\n${line}\nEND`)).text, `${line}\n`, line);
    for (const cmd of ['echo systemctl status sshd', 'echo hello world', 'echo s ss sss']) assert.strictEqual((await ran(cmd)).cmd, cmd);
  });

  await report.test('nothing is typed but the command; a directory\'s name runs nothing', async () => {
    const evil = path.join(space.root, `a"; touch pwned; $(touch pwned) 'b`);
    fs.mkdirSync(evil);
    const block = await ran('pwd; ls', { cwd: evil });
    assert.deepStrictEqual([block.text, block.exit_code], [`${evil}\n`, 0]);
    assert.ok(![evil, space.root, space.home].some((place) => fs.existsSync(path.join(place, 'pwned'))));
    assert.strictEqual((await ran('echo not-there', { cwd: path.join(space.root, 'none') })).exit_code, 1);
    assert.match(await mcp.failure('pty_exec', { cmd: 'true', cwd: 'a\nb' }), /control character/);
    for (const [tool, blank] of [['pty_exec', { cmd: '  ' }], ['pty_exec_interactive', { cmd: ' \t\n' }], ['run', { command: '   ' }]]) assert.match(await mcp.failure(tool, blank), /blank/, tool);
    await ran(`cd ${space.home}`);
    const { rows } = await mcp.call('pty_read_screen');
    assert.ok(rows.some((row) => row.includes('cd ')), 'the screen was not cleared');
  });

  for (const shell of SHELLS)
    await report.test(`${shell}: a command in another directory, and the words of one, are taken as they stand`, async () => {
      const strange = path.join(space.root, `${shell} a\\b 'c' \\\\'d`);
      fs.mkdirSync(strange);
      assert.strictEqual(daemon.ptyd('open', shell, '--shell', shell, '--size', '60x10').status, 0);
      assert.strictEqual(daemon.ptyd('wait', '-s', shell, '--prompt', '--timeout', '60').status, 0);
      const client = await Mcp.begun(space, ['--tools', 'all', '--drive', '-s', shell]);
      const first = client.call('pty_send', { data: '' });
      await until('it asks', () => daemon.json('status').batons.some((b) => b.state === 'asks'));
      daemon.ptyd('grant', shell, '--session');
      await first;
      for (const [cmd, text] of [['pwd', `${strange}\n`], [String.raw`printf '%s|' 'a\.b' "it's" "x\\y" # no more`, String.raw`a\.b|it's|x\y|` + '\n']]) {
        const begun = await client.call('pty_exec', { cmd, cwd: strange });
        if (begun.status === 'running') await client.call('pty_wait_prompt', { timeout_ms: 60000 });
        assert.strictEqual((await client.call('blocks_read', { block_id: begun.block_id })).data, text, cmd);
      }
      await client.end();
      const words = daemon.ptyd('run', '-s', shell, '--timeout', '60', '--', 'printf', '%s\\n', 'a\\\\b\\', "it's");
      assert.strictEqual(words.stdout, "a\\\\b\\\nit's\n");
      daemon.ptyd('close', shell);
    });

  await report.test('answers are bounded and page on; nothing is kept twice', async () => {
    const { resume_cursor: start } = await mcp.call('pty_status');
    await ran('seq -w 200000');
    let cursor = start, text = '';
    for (let more = true; more;) {
      const page = await mcp.call('pty_read_spool', { from_cursor: cursor, max_bytes: 1 << 20 });
      assert.ok(Buffer.byteLength(page.data) <= 1 << 20 && page.resume_cursor >= cursor);
      more = page.resume_cursor > cursor;
      cursor = page.resume_cursor;
      text += page.data;
    }
    assert.deepStrictEqual([text.length, text.slice(-7)], [1400000, '200000\n']);
    const first = await mcp.call('pty_read_scrollback', { limit: 2000 }), next = await mcp.call('pty_read_scrollback', { cursor: first.resume_cursor, limit: 10 });
    assert.deepStrictEqual([first.lines.length, next.cursor, Number(next.lines[9]) - Number(first.lines.at(-1))], [2000, first.resume_cursor, 10]);
    const { block_id: id } = await ran("printf 'x\\303\\274\\303\\274\\n'");
    for (const [offset, max, data, more] of [[0, 4, 'xü', true], [0, 6, 'xüü\n', false], [3, 4, 'ü\n', false]]) {
      const page = await mcp.call('blocks_read', { block_id: id, offset, max_bytes: max });
      assert.deepStrictEqual([page.data, page.more, page.next_offset], [data, more, offset + Buffer.byteLength(data)]);
    }
    const changed = await mcp.call('pty_read_screen_deltas');
    assert.deepStrictEqual([changed.deltas.length, changed.deltas[0].rows.length, (await mcp.call('pty_read_screen_deltas', { cursor: changed.resume_cursor })).deltas], [1, 10, []]);
  });

  await report.test('scrollback goes on at its cursor while the width changes', async () => {
    const size = await mcp.call('pty_get_size'), { total } = await mcp.call('pty_read_scrollback', { limit: 1 });
    const pages = async (widths) => {
      let text = '';
      for (let cursor = total; ;) {
        const page = await mcp.call('pty_read_scrollback', { cursor, limit: 7 });
        if (!page.lines.length) return text;
        assert.ok((widths ? page.cursor <= cursor : page.cursor === cursor) && page.resume_cursor > cursor, JSON.stringify(page));
        cursor = page.resume_cursor;
        text += page.lines.join('').replace(/ /g, '');
        if (widths) await mcp.call('pty_resize', { cols: widths[cursor % widths.length], rows: size.rows });
      }
    };
    await ran("for i in $(seq 100 160); do printf '%0200d\\n' $i; done");
    const whole = await pages();
    assert.ok(whole.includes('0139') && whole.length > 8000, whole);
    await mcp.call('pty_resize', { cols: 33, rows: size.rows });
    assert.ok((await pages()).startsWith(whole));
    for (const cols of [200, size.cols]) await mcp.call('pty_resize', { cols, rows: size.rows });
    const numbers = (text) => [...new Set(text.match(/1[0-5]\d(?=0|$)/g))].length;
    assert.ok(numbers(await pages([size.cols, 33, 50])) >= numbers(whole));
    await mcp.call('pty_resize', { cols: size.cols, rows: size.rows });
  });

  await report.test('a cursor of scrollback that was read to its end tells all that is new, and only that, at other sizes', async () => {
    const size = await mcp.call('pty_get_size');
    const at = (cols, rows) => mcp.call('pty_resize', { cols, rows });
    const rest = async (cursor) => {
      for (let all = []; ;) {
        const page = await mcp.call('pty_read_scrollback', { cursor, limit: 50 });
        assert.ok(page.resume_cursor >= cursor && page.lines.length <= 53, JSON.stringify([cursor, page]));
        if (!page.lines.length) return { all, cursor: page.resume_cursor };
        all = all.concat(page.lines);
        cursor = page.resume_cursor;
      }
    };
    const numbers = (name, lines) => lines.flatMap((line) => line.match(new RegExp(`^${name}(\\d+)$`))?.slice(1).map(Number) ?? []);
    const expected = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
    // each: the size before, what is printed and read; the sizes then, what is printed there
    for (const [name, before, long, sizes, after] of [
      ['W', [40, 24], 150, [[200, 60]], ''], ['H', [80, 24], 1, [[80, 80]], ''], ['D', [40, 24], 150, [[40, 50], [90, 50], [200, 60]], ''],
      ['N', [200, 60], 150, [[40, 24]], ''], ['C', [80, 24], 1, [[80, 80]], "printf '\\033[H\\033[2J';"], ['J', [80, 24], 1, [[80, 80]], "printf '\\033[H\\033[J';"]]) {
      await at(...before);
      await ran(`for i in $(seq 1000 1080); do printf 'old%0${long}d\\n' $i; done`);
      const { cursor } = await rest(0);
      for (const [cols, rows] of sizes) await at(cols, rows);
      assert.ok((await rest(cursor)).cursor >= cursor, name);
      await ran(`${after} seq -f ${name}%g 1 300`);
      const { all } = await rest(cursor), seen = numbers(name, all);
      assert.deepStrictEqual(seen, expected(1, Math.max(...seen)), name);
      assert.ok(seen.length > 200, name);
      if (name === 'H') assert.deepStrictEqual(numbers('old', all), expected(1058, 1080), name);
    }
    await at(size.cols, size.rows);
  });

  await report.test('a line without end is told a limit at a time', async () => {
    const size = await mcp.call('pty_get_size'), { total } = await mcp.call('pty_read_scrollback', { limit: 1 });
    for (const [before, behind] of [[401, 397], [397, 401], [400, 40]]) {
      await mcp.call('pty_resize', { cols: before, rows: size.rows });
      const { resume_cursor: start } = await mcp.call('pty_read_scrollback', { cursor: total, limit: 2000 });
      await ran("printf '%050000d\\n' 7");
      await mcp.call('pty_resize', { cols: behind, rows: size.rows });
      let lines = [];
      for (let cursor = start; lines.length < 100;) {
        const page = await mcp.call('pty_read_scrollback', { cursor, limit: 5 });
        assert.ok(page.lines.length > 0 && page.lines.length <= 5 + Math.ceil(before / behind) && page.resume_cursor > cursor, JSON.stringify(page));
        lines = lines.concat(page.lines);
        cursor = page.resume_cursor;
      }
      const { lines: whole } = await mcp.call('pty_read_scrollback', { cursor: start, limit: lines.length });
      assert.deepStrictEqual(whole.slice(0, lines.length), lines);
    }
    await mcp.call('pty_resize', { cols: size.cols, rows: size.rows });
  });

  await report.test('how a program stands that prints without end is said', async () => {
    const { resume_cursor: cursor } = await mcp.call('pty_exec_interactive', { cmd: 'yes' });
    const [status, screen] = await Promise.all([mcp.call('pty_status'), mcp.call('pty_screen_status')]);
    assert.deepStrictEqual([status.mode, status.resume_cursor >= cursor, screen.spool_size >= cursor], ['interactive', true, true]);
    await mcp.call('pty_end_session');
    await mcp.call('pty_wait_prompt', { timeout_ms: 60000 });
  });

  await report.test('waits that time out, or that nobody wants any more, leave none behind', async () => {
    const wait = (_, i) => (i % 5 ? mcp.call('pty_wait_prompt', { timeout_ms: 20 }) : mcp.call('pty_wait_for', { match: 'never', from_cursor: cursor, timeout_ms: 20 }));
    const { resume_cursor: cursor } = await mcp.call('pty_exec_interactive', { cmd: 'cat' });
    for (let i = 0; i < 300; i++)
      for (const { matched } of await Promise.all(Array.from({ length: 20 }, wait))) assert.strictEqual(matched, false);
    const [text, prompt] = [mcp.call('pty_wait_for', { match: 'there', from_cursor: cursor, timeout_ms: 60000 }), mcp.call('pty_wait_prompt', { timeout_ms: 60000 })];
    await mcp.call('pty_send', { data: 'there\r' });
    assert.ok((await text).matched);
    await mcp.call('pty_ctrl_d');
    assert.ok((await prompt).matched);
  });

  await report.test('two servers double no output, and the end of one ends no shell', async () => {
    const other = await Mcp.begun(space);
    assert.strictEqual((await ran('echo once')).text, 'once\n');
    const { shell_id: shell } = await mcp.call('pty_status');
    assert.strictEqual((await other.call('pty_status')).shell_id, shell);
    other.process.kill('SIGTERM');
    await other.ended;
    assert.deepStrictEqual([(await ran('echo twice')).text, (await mcp.call('pty_status')).shell_id], ['twice\n', shell]);
  });

  await report.test('files are the user\'s alone; no path leads out; a secret is neither read nor waited for', async () => {
    assert.deepStrictEqual(openToOthers(space.env.PTYD_STATE_DIR), []);
    for (const id of ['../../etc/passwd', 'work:../x', '/etc/passwd']) await mcp.failure('blocks_read', { block_id: id });
    assert.ok((await mcp.ask('pty_status', { conversation_id: 'a/b' })).error.message.includes('conversation_id'));
    const { resume_cursor: cursor } = await mcp.call('pty_status');
    const block = await ran('echo "token $DEPLOY_TOKEN."');
    assert.strictEqual(block.text, 'token [redacted:env:DEPLOY_TOKEN].\n');
    assert.strictEqual((await mcp.call('pty_wait_for', { match: secret.slice(0, 9), from_cursor: cursor, timeout_ms: 1 })).matched, false);
    assert.match(await mcp.failure('pty_read_raw'), /hold secrets.*pty_read_spool/);
    assert.ok(!JSON.stringify(mcp.messages).includes(secret));
  });

  await report.test('what an agent ran and what its user ran are told apart, and counted for each conversation; what was not delivered is told again', async () => {
    daemon.ptyd('context', 'clear', '-s', 'work');
    user('echo mine'); // a key of the user's: the grant is over
    assert.strictEqual((await mcp.call('blocks_since', { cursor: newest().seq - 1 })).items[0].type, 'user_cmd');
    await granted();
    assert.strictEqual((await ran('echo agents-own')).type, 'agent_cmd');
    const show = (thread) => daemon.json('context', 'show', '-s', 'work', '--consumer', thread);
    const take = (thread) => daemon.json('context', 'take', '-s', 'work', '--consumer', thread);
    const told = (offer) => Object.values(offer.additionalContext).map((entry) => entry.value).join();
    for (const thread of ['one', 'two']) assert.ok(told(show(thread)).includes('echo mine') && !told(show(thread)).includes('agents-own'));
    const failed = take('one');
    daemon.ptyd('context', 'release', String(failed.lease));
    assert.strictEqual(show('one').pending, 1, 'it was not delivered');
    const { lease } = take('one');
    daemon.ptyd('context', 'commit', String(lease));
    assert.deepStrictEqual([show('one').pending, show('two').pending], [0, 1]);
    user("printf '\\036CODEX_META {\"x\":1}\\037\\n'");
    const words = told(show('one'));
    assert.ok(words.includes('CODEX_META') && !words.includes('\x1e'), 'a sentinel that is printed is text');
  });

  await report.test('what many are told at once is kept of each, also behind a worker\'s death', async () => {
    user('echo for everyone');
    const all = Array.from({ length: 12 }, (_, i) => `reader-${i}`);
    const say = (...args) => new Promise((resolve) => { execFile(PTYD, args, { env: space.env, cwd: space.home }, (error, stdout) => resolve(stdout)); });
    await Promise.all(all.map(async (reader) => {
      const { lease } = JSON.parse(await say('context', 'take', '-s', 'work', '--consumer', reader, '--json'));
      await say('context', 'commit', String(lease));
    }));
    await killWorker(daemon);
    for (const reader of all) assert.strictEqual(daemon.json('context', 'show', '-s', 'work', '--consumer', reader).pending, 0, reader);
    assert.ok(daemon.json('context', 'show', '-s', 'work', '--consumer', 'another').pending > 0);
  });

  await report.test('busy is said; a program is ended; the size is set and read; what a user typed is not the agent\'s to end', async () => {
    await granted();
    const { session_id: session, block_id: id } = await mcp.call('pty_exec_interactive', { cmd: 'cat' });
    assert.match(await mcp.failure('pty_exec', { cmd: 'true' }), /^busy: .*cat.*pty_wait_prompt/);
    assert.match(await mcp.failure('pty_end_session', { session_id: 'interactive:1' }), /does not match/);
    assert.deepStrictEqual((await mcp.call('blocks_since', { cursor: newest().seq - 1 })).next_cursor, newest().seq - 1, 'it comes again when it has ended');
    assert.ok((await mcp.call('pty_end_session', { session_id: session })).ok);
    assert.ok((await mcp.call('pty_wait_prompt')).matched);
    assert.strictEqual((await mcp.call('blocks_get', { block_id: id })).block.exit_code, 130);
    assert.match(await mcp.failure('pty_end_session'), /no interactive session/);
    assert.deepStrictEqual([(await mcp.call('pty_resize', { cols: 70, rows: 12 })).rows.length, await mcp.call('pty_get_size')], [12, { ok: true, cols: 70, rows: 12 }]);
    assert.strictEqual((await mcp.call('pty_close')).result, 'closed');
    assert.match(await mcp.failure('pty_status'), /no session/);
  });

  assert.strictEqual(await mcp.end(), 0);
  await daemon.stop();
  removeWorkspace(space);
  report.finish();
}

// What others could read below a directory.
function openToOthers(directory) {
  return fs.readdirSync(directory, { recursive: true }).map((name) => path.join(directory, name)).filter((file) => fs.lstatSync(file).mode & 0o077 && !fs.lstatSync(file).isSymbolicLink());
}

main().catch((error) => { console.error(error); process.exit(1); });
