// Commands of one host told on another, through the distribution's nats-server.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { PTYD, Client, Report, until, killWorker } = require('./harness');
const { lacking, Host, Hub } = require('./hub');

const TOKEN = ['gh', 'p_', 'aB3dE5gH7jK9mN1pQ3sT5vW7xZ9bC1dE3fG5'].join('');

async function main() {
  const report = new Report();
  const why = lacking();
  if (why) {
    report.skip('the relay', why);
    report.finish();
    return;
  }
  const hub = await new Hub().place();
  const [laptop, devbox] = ['laptop', 'devbox'].map((name) => new Host(name));
  const heard = (host, of) => { const r = host.ptyd('blocks', '--host', of, '--json'); return r.status ? [] : JSON.parse(r.stdout); };
  const commands = (host, of) => heard(host, of).map(({ cmd }) => cmd);
  const comes = (host, of, cmd) => until(`${cmd} of ${of} comes to ${host.name}`, () => commands(host, of).includes(cmd));

  await report.test('before it is enabled: nothing runs, nothing changes, and that is said', async () => {
    await laptop.serve();
    assert.match(laptop.ptyd('relay', 'status').stdout, /No hub is set/);
    assert.deepStrictEqual([laptop.ptyd('relay').status, fs.existsSync(path.join(laptop.space.env.PTYD_STATE_DIR, 'relay'))], [1, false]);
    laptop.ptyd('open', 'work');
    laptop.ptyd('run', '-s', 'work', '--', 'echo before');
    assert.match(laptop.ptyd('relay', 'enable').stderr, /needs --url/);
    for (const [url, says] of [['nats://hub.example:4222', /tls:\/\/ alone/], ['http://127.0.0.1', /begins with tls/], ['tls://me:secret@hub', /no place in it/], ...['tls://', 'tls://:4222', 'nats://127.0.0.1:99999', 'nats://127.0.0.1:0', 'nats://127.0.0.1:', 'tls://hub:x', 'tls://hub:4222x', 'tls://[::1', 'tls://[::1]x'].map((u) => [u, /names a machine/])]) {
      const r = laptop.ptyd('relay', 'enable', '--url', url);
      assert.strictEqual(r.status, 2);
      assert.match(r.stderr, says);
    }
    for (const name of ['', 'x'.repeat(65)])
      for (const args of [['relay', 'enable', '--url', hub.url, '--user', name], ['relay', 'enable', '--url', hub.url, '--host', name], ['exec', '--url', hub.url, '--host', name, '--', 'true'], ['relay', 'hub', '--user', name]])
        assert.deepStrictEqual((({ status, stderr }) => [status, /that is no name/.test(stderr)])(laptop.ptyd(...args)), [2, true], args.join(' '));
    // What is in the way is said, and what to do.
    for (const [url, says] of [['tls://no-such-host.invalid:4222', /no-such-host\.invalid: /], ['nats://127.0.0.1:1', /nobody listens at port 1 there: nats-server does not run/]])
      assert.match(laptop.ptyd('exec', '--url', url, '--', 'true').stderr, says);
    const noFile = laptop.ptyd('relay', 'enable', '--url', hub.url, '--creds', '/tmp');
    assert.deepStrictEqual([noFile.status, noFile.stderr], [1, 'ptyd: /tmp: it is no file\n']);
    const latin = spawnSync('sh', ['-c', `exec '${PTYD}' relay enable --url ${hub.url} --user "$(printf 'd\\351')"`], { env: laptop.space.env, encoding: 'utf8' });
    assert.deepStrictEqual([latin.status, /no UTF-8/.test(latin.stderr)], [2, true]);
    const settings = path.join(laptop.space.home, '.config/ptyd/relay.json');
    assert.ok(!fs.existsSync(settings));
    fs.mkdirSync(path.dirname(settings), { recursive: true });
    fs.writeFileSync(settings, JSON.stringify({ url: hub.url, user: '', host: 'x' }));
    assert.match(laptop.ptyd('relay', 'status').stdout, /relay\.json is damaged: `ptyd relay enable --url URL`/);
    fs.rmSync(settings);
    assert.match(laptop.ptyd('relay', 'hub', '--owner', hub.owner, '--listen', '0.0.0.0:4222').stderr, /with TLS alone/);
  });

  await report.test('enable again: what is not said stays; the key is the one of --creds', async () => {
    const odd = new Host('odd'), file = path.join(odd.space.root, 'odd.nk'), authority = path.join(odd.space.root, 'ca.crt');
    const key = odd.ptyd('relay', 'hub', '--new-key', file).stdout.trim();
    fs.writeFileSync(authority, '');
    odd.enable(hub.url, '--creds', file, '--ca', authority, '--publish-only', '--outputs');
    assert.strictEqual(odd.key, key);
    const settings = path.join(odd.space.home, '.config/ptyd/relay.json'), before = fs.readFileSync(settings, 'utf8'), id = odd.host_id;
    assert.deepStrictEqual((({ creds, authority: ca, publish_only: only, outputs }) => [creds, ca, only, outputs])(JSON.parse(before)), [file, authority, true, true]);
    const again = odd.json('relay', 'enable', '--new-host');
    assert.notStrictEqual(again.host_id, id);
    assert.strictEqual(again.key, key);
    assert.strictEqual(fs.readFileSync(settings, 'utf8'), before);
    fs.chmodSync(file, 0o644);
    assert.match(odd.ptyd('relay', 'enable').stderr, /others on this machine can read the key in .*chmod 600/);
    fs.writeFileSync(file, '-----BEGIN NATS USER JWT-----\n', { mode: 0o600 });
    assert.strictEqual(odd.json('relay', 'enable').key, null);
    assert.ok(!/--(member|publisher) /.test(odd.ptyd('relay', 'enable').stdout));
    await odd.close();
  });

  await report.test('a command that ended on one host is told on the other, with the host\'s name and without its secrets', async () => {
    for (const host of [laptop, devbox]) host.enable(hub.url);
    hub.members.push(laptop, devbox);
    await hub.start();
    // Before the owner made anything there, with the wrong key, and with the wrong kind of URL.
    const early = laptop.ptyd('hosts');
    assert.deepStrictEqual([early.status, /(no answer in time|nobody answers there): its owner has yet to make what it needs \(`ptyd relay hub --init`\)/.test(early.stderr)], [1, true], early.stderr);
    const stranger = path.join(laptop.space.root, 'stranger.nk');
    laptop.ptyd('relay', 'hub', '--new-key', stranger);
    assert.match(laptop.ptyd('relay', 'hub', '--init', '--url', hub.url, '--creds', stranger).stderr, /that is not the key of its owner/);
    assert.match(laptop.ptyd('relay', 'hub', '--init', '--url', hub.url.replace('nats', 'tls'), '--creds', hub.ownerFile).stderr, /the hub speaks no TLS/);
    hub.init();
    hub.init(); // twice is once
    await devbox.serve();
    for (const host of [laptop, devbox]) await host.relay().connected();
    laptop.ptyd('run', '-s', 'work', '--', 'echo hello; false');
    laptop.ptyd('run', '-s', 'work', '--', `echo ${TOKEN}`);
    laptop.ptyd('run', '-s', 'work', '--', 'echo last');
    await comes(devbox, 'laptop', 'echo last');
    assert.deepStrictEqual(commands(devbox, 'laptop'), ['echo hello; false', 'echo [redacted:GITHUB_TOKEN]', 'echo last'].map((c) => c.replace('GITHUB_TOKEN', /\[redacted:([^\]]*)/.exec(heard(devbox, 'laptop')[1].cmd)[1])));
    const [first, second] = heard(devbox, 'laptop');
    assert.deepStrictEqual([first.exit_code, first.host, first.preview.lines], [1, 'laptop', ['hello']]);
    assert.ok(!JSON.stringify(second).includes(TOKEN));
    const shown = devbox.ptyd('context', 'show').stdout;
    assert.match(shown, /@ laptop/);
    assert.ok(!fs.readFileSync(path.join(devbox.space.env.PTYD_STATE_DIR, 'hosts/blocks.jsonl'), 'utf8').includes(TOKEN));
    assert.deepStrictEqual(heard(laptop, 'laptop'), [], 'its own come back to nobody');
  });

  await report.test('what is private, an agent\'s, or ended before `enable` stays', async () => {
    laptop.ptyd('run', '-s', 'work', '--', ' echo private');
    laptop.ptyd('context', 'pause', '-s', 'work');
    laptop.ptyd('run', '-s', 'work', '--', 'echo unrecorded');
    laptop.ptyd('context', 'resume', '-s', 'work');
    laptop.ptyd('run', '-s', 'work', '--', 'codex --version');
    laptop.ptyd('run', '-s', 'work', '--', 'echo behind them');
    await comes(devbox, 'laptop', 'echo behind them');
    for (const [, text] of [['', 'before'], ['', 'codex']]) assert.ok(!commands(devbox, 'laptop').some((cmd) => cmd.includes(text)), text);
    assert.strictEqual((await devbox.control.call('host.list', {})).result[0].missing, 0, 'what stays leaves no gap in what is counted');
  });

  await report.test('status: what was sent, what came, what waits', async () => {
    await until('all is written down', () => { const s = laptop.status(); return s.sent >= 4 && s.unacked === 0 && s.spool === 0; });
    assert.strictEqual(laptop.status().lag_ms, 0);
    await until('and there, too', () => devbox.status().hosts[laptop.host_id]);
    assert.strictEqual(devbox.status().hosts[laptop.host_id].host, 'laptop');
    assert.match(devbox.ptyd('relay', 'status').stdout, /laptop \([0-9a-f]{16}\): \d+ commands/);
  });

  await report.test('ptyd hosts: who is there and what runs, without secrets; whoever leaves says so', async () => {
    const host = (name) => laptop.json('hosts').find((h) => h.host === name);
    await until('both are there', () => host('laptop')?.here && host('devbox')?.here);
    const stop = path.join(laptop.space.root, 'stop');
    laptop.ptyd('send', '-s', 'work', `: ${TOKEN}; until [ -e ${stop} ]; do sleep 0.05; done`, '--key', 'Enter');
    const session = await until('what runs is told', () => devbox.json('hosts').find((h) => h.host === 'laptop').sessions.find((s) => s.name === 'work' && s.cmd));
    assert.match(session.cmd, /^: \[redacted:[^\]]*\]; until/);
    assert.match(devbox.ptyd('hosts').stdout, /^laptop \([0-9a-f]{16}\): here since .*\n {2}work {13}running {2}: \[redacted/m);
    fs.writeFileSync(stop, '');
    await until('that it ended is told', () => devbox.json('hosts').find((h) => h.host === 'laptop').sessions.every((s) => !s.cmd));
    await devbox.stop();
    await until('it left', () => host('devbox').gone && !host('devbox').here);
  });

  await report.test('a relay whose stderr takes nothing, as a journal that hangs, relays', async () => {
    const fifo = path.join(devbox.space.root, 'deaf');
    const fill = 'mkfifo "$0" && exec 3<>"$0" && ! dd if=/dev/zero of="$0" oflag=nonblock bs=1024 2>/dev/null && exec "$@" 2>&3';
    devbox.relay(['sh', '-c', fill, fifo]); // it says that it is connected
    laptop.ptyd('run', '-s', 'work', '--', 'echo to the deaf');
    await comes(devbox, 'laptop', 'echo to the deaf');
    await devbox.stop();
    await devbox.relay().connected();
  });

  await report.test('a whole output is asked for of the host that has it, where its user lets others; without its secrets', async () => {
    laptop.ptyd('run', '-s', 'work', '--', `for i in $(seq 1 300); do echo line $i; done; echo ${TOKEN}`);
    const block = await until('it comes', () => heard(devbox, 'laptop').find(({ output_lines: n }) => n === 301));
    assert.ok(block.preview.truncated);
    const refused = devbox.ptyd('relay', 'output', block.block_id);
    assert.strictEqual(refused.status, 1);
    assert.match(refused.stderr, /keeps its outputs to itself; `ptyd relay enable --outputs`/);
    await laptop.stop();
    laptop.enable(hub.url, '--outputs');
    await laptop.relay().connected();
    const all = devbox.json('relay', 'output', block.block_id, '--limit', '1000');
    assert.deepStrictEqual(all.lines.slice(0, 300), Array.from({ length: 300 }, (_, i) => `line ${i + 1}`));
    assert.match(all.lines[300], /^\[redacted:/);
    assert.deepStrictEqual(devbox.json('relay', 'output', block.block_id, '--grep', 'line 29', '--offset', '30').numbers, [290, 291, 292, 293, 294, 295, 296, 297, 298, 299]);
    assert.match(devbox.ptyd('relay', 'output', block.block_id, '--limit', '2').stdout, /^line 1\nline 2\n$/);
    // An agent there asks in the same way, unless its user tells agents nothing.
    const mcp = new Client(PTYD, ['mcp'], { env: devbox.space.env, cwd: devbox.space.home });
    await mcp.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } });
    mcp.sendRaw(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    const tool = async () => (await mcp.request('tools/call', { name: 'block_output', arguments: { block_id: block.block_id, offset: 299 } })).result;
    const given = (await tool()).structuredContent;
    assert.deepStrictEqual([given.block_id, given.numbers, given.lines[0], given.next_offset], [block.block_id, [300, 301], 'line 300', null]);
    devbox.ptyd('context', 'off');
    assert.strictEqual((await tool()).isError, true);
    devbox.ptyd('context', 'on');
    await mcp.end();
    assert.match(devbox.ptyd('relay', 'output', `${block.block_id}9`).stderr, /host [0-9a-f]{16}: /);
    assert.match(devbox.ptyd('relay', 'output', block.block_id.replace(/^./, (c) => (c === '0' ? '1' : '0'))).stderr, /nobody answers there/);
    assert.strictEqual(devbox.ptyd('relay', 'output', 'nonsense').status, 2);
  });

  await report.test('ptyd exec: one command of a machine that only publishes; its status, no daemon, no secret', async () => {
    const ci = new Host('ci'), file = path.join(ci.space.root, 'ci.nk'), secret = 'hunter2-hunter2-hunter2';
    const key = ci.ptyd('relay', 'hub', '--new-key', file).stdout.trim(), id = 'c1c1c1c1c1c1c1c1';
    hub.publishers.push({ host_id: id, key });
    hub.configure();
    hub.process.kill('SIGHUP');
    const args = ['exec', '--url', hub.url, '--creds', file, '--id', id, '--host', 'ci', '--user', 'dana'];
    ci.space.env.DEPLOY_TOKEN = secret;
    const exec = (...command) => ci.ptyd(...args, '--', ...command);
    const first = await until('the key is known', () => { const r = exec(`seq 1 30; echo $DEPLOY_TOKEN; printf '\\033[31mred\\033[0m\\n' >&2; exit 7`); return /Authorization/.test(r.stderr) ? null : r; });
    assert.deepStrictEqual([first.status, first.stdout.includes(`30\n${secret}\n`), first.stderr], [7, true, '\u001b[31mred\u001b[0m\n']);
    const block = await until('it comes', () => heard(devbox, 'ci')[0]);
    assert.deepStrictEqual([block.exit_code, block.conversation_id, block.output_lines, block.preview.lines.length, block.omitted_lines, block.preview.truncated], [7, 'exec', 32, 20, 12, true]);
    assert.deepStrictEqual(block.preview.lines.slice(-1).concat(block.preview.lines[0]).sort(), ['13', 'red'].sort());
    assert.ok(!JSON.stringify(block).includes(secret));
    assert.strictEqual(exec('printf', 'a b').stdout, 'a b');
    assert.strictEqual(exec('kill -TERM $$').status, 143);
    assert.strictEqual(exec('no-such-program', 'x').status, 127);
    assert.strictEqual(exec('(sleep 30) & echo at once').stdout, 'at once\n');
    await until('all of it comes', () => heard(devbox, 'ci').length === 5);
    assert.deepStrictEqual(commands(devbox, 'ci').slice(1), ["printf 'a b'", 'kill -TERM $$', 'no-such-program x', '(sleep 30) & echo at once']);
    assert.ok(!fs.existsSync(ci.space.env.PTYD_SOCKET), 'no daemon');
    assert.strictEqual((await devbox.control.call('host.list', {})).result.find((h) => h.host === 'ci').missing, 0);
    // nohup's SIGHUP, and a background job's SIGINT: what is ignored stays so, here and in the command; else they end it.
    const hup = 'kill -HUP $PPID; sleep 30', signals = 'kill -HUP $PPID; kill -INT $$; kill -HUP $$; echo lives';
    const words = args.map((word) => `'${word}'`).join(' ');
    const below = (traps, command = signals, by = '') => spawnSync('sh', ['-c', `${traps}; exec ${by} '${PTYD}' ${words} -- '${command}'`], { env: ci.space.env, encoding: 'utf8', timeout: 60000 });
    assert.deepStrictEqual((({ status, stdout }) => [status, stdout])(below("trap '' HUP INT")), [0, 'lives\n']);
    assert.strictEqual(below("trap '' HUP").status, 130);
    assert.strictEqual(below('true', hup).status, 129);
    // Whoever starts it may ignore SIGCHLD, as some runners' first process does, or have closed what is open elsewhere.
    for (const [command, status] of [['exit 7', 7], ['kill -KILL $$', 137], ['kill -TERM $$', 143], ['true', 0]])
      assert.strictEqual(below(':', command, 'env --ignore-signal=CHLD').status, status, command);
    const closed = below('exec <&- >&- 2>&-', 'echo out; echo err >&2; exit 9');
    assert.deepStrictEqual([closed.status, closed.stdout, closed.stderr], [9, '', '']);
    assert.strictEqual(below('exec <&-', 'cat; exit 10').status, 10, 'no input is no reason to wait');
    // Where the kernel, or a filter, has no pidfd_open.
    const preload = { ...ci.space.env, LD_PRELOAD: path.resolve(path.dirname(PTYD), 'faults.so'), FAULT_PIDFD: '1' };
    for (const [command, status, stdout] of [['echo there; exit 4', 4, 'there\n'], ['exec >&- 2>&-; exit 5', 5, ''], ['(sleep 30) & echo at once', 0, 'at once\n']]) {
      const r = spawnSync(PTYD, [...args, '--', command], { env: preload, encoding: 'utf8', timeout: 20000 });
      assert.deepStrictEqual([r.status, r.stdout], [status, stdout], command);
    }
    const lost = ci.ptyd('exec', '--url', 'nats://127.0.0.1:1', '--creds', file, '--id', id, '--', 'exit 3');
    assert.strictEqual(lost.status, 3);
    assert.match(lost.stderr, /do not hear of this command: cannot reach the hub/);
    // What a hub did not hear the next one that reaches it sends, in order; what is another hub's stays.
    const waits = path.join(ci.space.env.PTYD_STATE_DIR, 'relay/unsent.json'), waiting = () => JSON.parse(fs.readFileSync(waits, 'utf8')).map(({ text }) => JSON.parse(text).block.cmd);
    await hub.kill();
    for (const n of [21, 22, 23]) {
      const r = exec(`echo $DEPLOY_TOKEN; exit ${n}`);
      assert.deepStrictEqual([r.status, r.stderr.includes(`it is kept in ${waits}, and sent by the next \`ptyd exec\` that reaches that hub, or by the relay here`)], [n, true]);
    }
    assert.deepStrictEqual(waiting(), ['exit 3', ...[21, 22, 23].map((n) => `echo $DEPLOY_TOKEN; exit ${n}`)]);
    assert.ok(!fs.readFileSync(waits, 'utf8').includes(secret));
    await hub.start();
    assert.deepStrictEqual((({ status, stderr }) => [status, stderr])(exec('exit 24')), [24, '']);
    await until('all four come', () => commands(devbox, 'ci').filter((c) => /exit 2[1-4]$/.test(c)).length >= 4);
    assert.deepStrictEqual(heard(devbox, 'ci').filter(({ cmd }) => /exit 2[1-4]$/.test(cmd)).map((b) => b.exit_code), [21, 22, 23, 24]);
    assert.deepStrictEqual(waiting(), ['exit 3']);
    // The newest 64 are kept, and that older ones are not is said.
    const one = JSON.parse(fs.readFileSync(waits, 'utf8'))[0];
    fs.writeFileSync(waits, JSON.stringify(Array.from({ length: 63 }, () => one)), { mode: 0o600 });
    const away = (command) => ci.ptyd('exec', '--url', 'nats://127.0.0.1:1', '--creds', file, '--id', id, '--', command).stderr;
    assert.doesNotMatch(away('exit 41'), /given up/);
    assert.match(away('exit 42'), /no more than the newest 64 are kept: 1 older ones are given up/);
    assert.deepStrictEqual([waiting().length, ...waiting().slice(-2)], [64, 'exit 41', 'exit 42']);
    const none = ci.ptyd('exec', '--', 'echo ran');
    assert.deepStrictEqual([none.status, none.stdout], [125, '']);
    await ci.close();
  });

  await report.test('what exec kept the relay of that host sends, too', async () => {
    const others = laptop.status().unsent; // another hub's
    await hub.kill();
    await until('that is known', () => !laptop.status().connected);
    for (const n of [1, 2, 3]) assert.match(laptop.ptyd('exec', '--', `echo kept ${n}`).stderr, /it is kept in .*unsent\.json/);
    assert.match(laptop.ptyd('relay', 'status').stdout, new RegExp(`^${others + 3} more of .ptyd exec. wait`, 'm'));
    await hub.start();
    await comes(devbox, 'laptop', 'echo kept 3');
    assert.deepStrictEqual(commands(devbox, 'laptop').filter((cmd) => /kept/.test(cmd)), [1, 2, 3].map((n) => `echo kept ${n}`));
    await until('nothing is kept any more', () => laptop.status().unsent === others);
  });

  await report.test('search --host: commands and ends of outputs of another host', () => {
    const find = (...args) => devbox.ptyd('search', '--host', ...args);
    const [found] = JSON.parse(find('laptop', 'HELLO'.toLowerCase(), '--json').stdout);
    assert.deepStrictEqual([found.host, found.cmd, found.match_count, found.matches.map((m) => [m.in, m.line, m.text.slice(m.from, m.to)])], ['laptop', 'echo hello; false', 2, [['command', 1, 'hello'], ['output', 1, 'hello']]]);
    assert.match(find(laptop.host_id, '--regex', '^line 29[5-9]$').stdout, /^laptop:work:\d+ .*exit 0[^]*\n {2}295: line 295\n/);
    assert.deepStrictEqual(JSON.parse(find('laptop', '--failed', 'echo', '--json').stdout).map(({ cmd }) => cmd), ['echo hello; false']);
    assert.strictEqual(JSON.parse(find('laptop', '--last', '2', 'echo', '--json').stdout).length, 2);
    assert.match(find('laptop', 'Hello').stderr, /nothing matches/);
    assert.match(find('nobody', 'x').stderr, /nothing came here of a host nobody/);
    assert.deepStrictEqual([find('laptop', 'nothing of that').status, find('nobody', 'x').status, find('laptop', '-s', 'work', 'x').status], [1, 1, 2]);
    assert.ok(!find('laptop', TOKEN).stdout);
  });

  await report.test('attach HOST:NAME and run -s HOST:NAME: ssh there, with the same words', async () => {
    const bin = path.join(laptop.space.root, 'bin'), log = path.join(laptop.space.root, 'ssh.log');
    fs.mkdirSync(bin);
    // What ssh does: it joins words with blanks and has the shell there run them.
    const env = Object.entries(devbox.space.env).filter(([name]) => /^(HOME|PTYD|XDG)/.test(name)).map(([name, value]) => `${name}='${value}'`).join(' ');
    fs.writeFileSync(path.join(bin, 'ssh'), `#!/bin/sh\nfor a; do printf '[%s]' "$a"; done >>${log}; echo >>${log}\nwhile [ "$1" != -- ]; do shift; done; shift 2\nexec env ${env} PATH='${path.dirname(PTYD)}':$PATH sh -c "$*"\n`, { mode: 0o755 });
    const call = (...args) => spawnSync(PTYD, args, { env: { ...laptop.space.env, PATH: `${bin}:${laptop.space.env.PATH}` }, encoding: 'utf8', timeout: 60000 });
    devbox.ptyd('open', 'there');
    const r = call('run', '-s', 'me@devbox:there', '--timeout', '30', '--', "echo 'it  is' \"$PTYD_SESSION\"; exit_code() { return 5; }; exit_code");
    assert.deepStrictEqual([r.status, r.stdout, r.stderr], [5, 'it  is there\n', '']);
    assert.match(fs.readFileSync(log, 'utf8'), /^\[--\]\[me@devbox\]\[ptyd run -s there --timeout 30 -- /);
    assert.strictEqual(call('run', '--timeout', '30', '--session=devbox:there', '--', 'echo', 'a  b').stdout, 'a  b\n');
    assert.match(call('attach', 'devbox:there').stderr, /terminal/);
    // ssh knows more than a relay: it is asked all the same.
    await until('devbox was heard', () => commands(laptop, 'devbox').length);
    const typo = call('run', '-s', 'me@devbix:there', '--', 'echo', 'it went');
    assert.deepStrictEqual([typo.status, typo.stdout], [0, 'it went\n']);
    assert.match(typo.stderr, /none of your hosts that was heard here is devbix; did you mean devbox\?/);
    for (const host of ['DEVBOX', 'nothing-like-it', '10.0.0.7']) assert.strictEqual(call('run', '-s', `${host}:there`, '--', 'true').stderr, '', host);
    fs.rmSync(log);
    assert.strictEqual(call('run', '-s', '-oProxyCommand=x:there', '--', 'true').status, 2, 'no option of ssh');
    assert.strictEqual(call('run', '-s', 'work', '--', 'echo', 'devbox:there').stdout, 'devbox:there\n');
    assert.ok(!fs.existsSync(log));
    devbox.ptyd('close', 'there');
  });

  await report.test('a hub that is away or stands still costs the terminal nothing; what waited comes in order', async () => {
    await until('all before is sent', () => laptop.status().spool === 0 && laptop.status().unacked === 0);
    await hub.kill();
    const one = (cmd) => { const at = Date.now(); assert.strictEqual(laptop.ptyd('run', '-s', 'work', '--', cmd).status, 0); return Date.now() - at; };
    for (let i = 0; i < 5; i++) one(`echo away ${i}`);
    await until('that is said', () => laptop.status().error && !laptop.status().connected);
    assert.ok(laptop.status().spool >= 5);
    assert.match(laptop.ptyd('relay', 'status').stdout, /not reached[\s\S]*5 commands wait[\s\S]*last error/);
    await hub.start();
    await comes(devbox, 'laptop', 'echo away 4');
    process.kill(hub.process.pid, 'SIGSTOP');
    for (let i = 0; i < 5; i++) one(`echo still ${i}`);
    process.kill(hub.process.pid, 'SIGCONT');
    await comes(devbox, 'laptop', 'echo still 4');
    assert.deepStrictEqual(commands(devbox, 'laptop').filter((c) => /away|still/.test(c)), ['away', 'still'].flatMap((w) => [0, 1, 2, 3, 4].map((i) => `echo ${w} ${i}`)));
  });

  await report.test('a session\'s folder that goes, and comes back under its name while no relay runs, begins anew', async () => {
    const run = (cmd) => assert.strictEqual(laptop.ptyd('run', '-s', 'again', '--', cmd).status, 0);
    laptop.ptyd('open', 'again');
    for (const cmd of ['echo again 1', 'echo again 2', 'echo again 3']) run(cmd);
    await comes(devbox, 'laptop', 'echo again 3');
    await until('that is written down', () => laptop.status().unacked === 0 && laptop.status().spool === 0);
    await laptop.stop();
    laptop.ptyd('close', 'again');
    await until('it is closed', () => !laptop.json('list').some(({ name }) => name === 'again'));
    fs.rmSync(path.join(laptop.space.env.PTYD_STATE_DIR, 'conversations/again'), { recursive: true });
    laptop.ptyd('open', 'again');
    run('echo anew');
    laptop.relay();
    await comes(devbox, 'laptop', 'echo anew');
    laptop.ptyd('close', 'again');
  });

  await report.test('relay, worker and daemon may die: nothing is lost, nothing comes twice', async () => {
    laptop.ptyd('run', '-s', 'work', '--', 'echo one');
    await laptop.stop('SIGKILL');
    laptop.ptyd('run', '-s', 'work', '--', 'echo two');
    await killWorker(devbox.daemon);
    laptop.relay();
    await comes(devbox, 'laptop', 'echo two');
    await devbox.stop('SIGKILL');
    await devbox.daemon.stop();
    laptop.ptyd('run', '-s', 'work', '--', 'echo three');
    devbox.relay();
    await until('it waits for a daemon', () => devbox.status().waits);
    await devbox.serve();
    await comes(devbox, 'laptop', 'echo three');
    const all = commands(devbox, 'laptop').filter((c) => /^echo (one|two|three)$/.test(c));
    assert.deepStrictEqual(all, ['echo one', 'echo two', 'echo three']);
    assert.strictEqual((await devbox.control.call('host.list', {})).result[0].missing, 0);
  });

  await report.test('two machines with one id: the one that began later gives way, both say so, and a new id resolves it', async () => {
    const copy = new Host('copy');
    fs.mkdirSync(copy.space.env.PTYD_STATE_DIR, { mode: 0o700 });
    fs.cpSync(path.join(laptop.space.env.PTYD_STATE_DIR, 'relay'), path.join(copy.space.env.PTYD_STATE_DIR, 'relay'), { recursive: true });
    for (const name of fs.readdirSync(path.join(copy.space.env.PTYD_STATE_DIR, 'relay'))) if (/cursors|status|lock/.test(name)) fs.rmSync(path.join(copy.space.env.PTYD_STATE_DIR, 'relay', name));
    copy.enable(hub.url);
    assert.strictEqual(copy.host_id, laptop.host_id);
    const clock = path.join(copy.space.root, 'clock');
    Object.assign(copy.space.env, { LD_PRELOAD: path.resolve(path.dirname(PTYD), 'faults.so'), FAULT_CLOCK: clock });
    copy.relay();
    await until('the copy gives way', () => copy.status().gives_way);
    assert.match(copy.status().error, /sends nothing while the other does/);
    await until('the other says so', () => /another machine sends as this host/.test(laptop.status().error || ''));
    assert.strictEqual(laptop.status().gives_way, false);
    // While the hub is away nobody can be heard: that is no silence of the other's, however long.
    await hub.kill();
    await until('both know', () => !copy.status().connected && !laptop.status().connected);
    fs.writeFileSync(clock, '100');
    await hub.start();
    await Promise.all([laptop, copy].map((host) => host.connected()));
    laptop.ptyd('run', '-s', 'work', '--', 'echo behind the hub');
    await comes(devbox, 'laptop', 'echo behind the hub');
    assert.strictEqual(copy.status().gives_way, true);
    assert.doesNotMatch(copy.log(), /is gone; this one sends again/);
    // While it is there it is, after 90 s.
    laptop.process.kill('SIGSTOP');
    fs.writeFileSync(clock, '200');
    await until('it is taken for gone', () => /is gone; this one sends again/.test(copy.log()));
    laptop.process.kill('SIGCONT');
    await until('one of them gives way again', () => laptop.status().gives_way !== copy.status().gives_way);
    await until('the copy does', () => copy.status().gives_way);
    await laptop.stop();
    await until('the other left: the copy sends', () => !copy.status().gives_way);
    await laptop.relay().connected();
    await until('now it is the one that began later', () => laptop.status().gives_way && !copy.status().gives_way);
    await copy.stop();
    await until('and it goes on', () => !laptop.status().gives_way);
    copy.enable(hub.url, '--new-host');
    assert.notStrictEqual(copy.host_id, laptop.host_id);
    const file = path.join(copy.space.env.PTYD_STATE_DIR, 'relay/identity.json');
    const own = JSON.parse(fs.readFileSync(file, 'utf8'));
    delete own.sum;
    if (own.machine) {
      for (const name of [file, file.replace('.json', '.copy.json')]) fs.writeFileSync(name, JSON.stringify({ ...own, machine: '0'.repeat(32) }));
      assert.match(copy.ptyd('relay').stderr, /this machine is a copy of the one/);
    }
    await copy.close();
  });

  await report.test('disable: the process ends by itself or is stopped, and nothing is set any more', async () => {
    assert.deepStrictEqual(await laptop.stop(), { code: 0, signal: null });
    assert.match(laptop.ptyd('relay', 'disable').stdout, /Nothing leaves this host/);
    assert.match(laptop.ptyd('relay', 'status').stdout, /No hub is set/);
  });

  await report.test('the daemon ends cleanly', async () => {
    for (const host of [laptop, devbox]) await host.close();
    await hub.close();
  });
  report.finish();
}

main();
