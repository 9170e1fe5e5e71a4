// Sealed: what a hub's owner, who hears and stores all of it, can read, change and make up; hosts with the key, with another and with none.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { PTYD, Report, until } = require('./harness');
const { lacking, Host, Hub } = require('./hub');
const { Nats } = require('./nats');

async function main() {
  const report = new Report();
  const why = lacking();
  if (why) {
    report.skip('sealed', why);
    report.finish();
    return;
  }
  // Who runs the server lets themselves hear and say whatever, in the account of the hosts, too.
  const hub = await new Hub({ edit: (text) => text.replace('  ], users: [\n', `  ], users: [\n  { nkey: ${listener.key} }\n`) }).place();
  const listenerFile = path.join(hub.space.root, 'listener.nk'), listener = { key: hub.ptyd('hub', '--new-key', listenerFile).trim() };
  const [a, b, bare, other] = ['alpha-box', 'beta-box', 'bare', 'other'].map((name) => new Host(name));
  const commands = (host, of) => { const r = host.ptyd('blocks', '--host', of, '--json'); return r.status ? [] : JSON.parse(r.stdout).map(({ cmd }) => cmd); };
  const comes = (host, of, cmd) => until(`${cmd} of ${of} comes to ${host.name}`, () => commands(host, of).includes(cmd));
  const words = ['zebra-command', 'zebra-output', 'zebra-directory', 'alpha-box'];
  let owner, everywhere;

  await report.test('enable --seal makes a key, for its owner alone, and says what to do with it', async () => {
    const said = a.ptyd('relay', 'enable', '--url', hub.url, '--host', a.name, '--seal', '--outputs').stdout;
    const [, id, file] = /sealed with the key ([0-9a-f]{16}) in (\S+), and nothing else is believed\.\nCopy that file[^]*--seal-key FILE/.exec(said);
    a.enable(hub.url, '--outputs');
    assert.deepStrictEqual([a.seal_key, fs.statSync(file).mode & 0o777, /^[0-9a-f]{64}\n$/.test(fs.readFileSync(file, 'utf8'))], [file, 0o600, true]);
    assert.ok(!said.includes(fs.readFileSync(file, 'utf8').trim()), 'the key itself is not shown');
    const copy = path.join(b.space.root, 'key');
    fs.copyFileSync(file, copy);
    fs.chmodSync(copy, 0o644);
    assert.match(b.ptyd('relay', 'enable', '--url', hub.url, '--seal-key', copy).stderr, /others on this machine can read the key/);
    fs.chmodSync(copy, 0o600);
    b.enable(hub.url, '--seal-key', copy, '--outputs');
    bare.enable(hub.url);
    other.enable(hub.url, '--seal');
    for (const text of ['', 'x', 'g'.repeat(64)]) {
      fs.writeFileSync(path.join(b.space.root, 'none'), text, { mode: 0o600 });
      assert.match(b.ptyd('relay', 'enable', '--url', hub.url, '--seal-key', path.join(b.space.root, 'none')).stderr, /holds no key of a fleet/);
    }
    hub.members.push(a, b, bare, other);
    await hub.start();
    hub.init();
    owner = await new Nats().open(hub.port, fs.readFileSync(hub.ownerFile, 'utf8').trim(), hub.owner);
    await owner.subscribe('>', 9);
    everywhere = await new Nats().open(hub.port, fs.readFileSync(listenerFile, 'utf8').trim(), listener.key);
    everywhere.messages = owner.messages;
    await everywhere.subscribe('>', 9);
    for (const host of hub.members) { await host.serve(); host.relay(); }
    for (const host of hub.members) await host.connected();
    assert.strictEqual(a.status().sealed, id);
    assert.match(b.ptyd('relay', 'status').stdout, new RegExp(`Sealed with the key ${id}\\.`));
    assert.strictEqual(bare.status().sealed, null);
  });

  const run = (host, text) => assert.strictEqual(host.ptyd('run', '-s', 'work', '--', text).status, 0);

  await report.test('who has the key hears it all; the hub, in the air and on its disk, not a byte of command, directory, output or host', async () => {
    for (const host of [a, bare]) host.ptyd('open', 'work');
    run(a, 'mkdir zebra-directory && cd zebra-directory');
    run(a, ': zebra-command; for i in $(seq 30); do printf "zebra%s\\n" -output; done');
    const [block] = await until('it comes', () => { const found = JSON.parse(b.ptyd('blocks', '--host', a.name, '--json').stdout || '[]').filter(({ output_lines: n }) => n === 30); return found.length ? found : null; });
    assert.deepStrictEqual([path.basename(block.cwd), block.preview.lines[0]], ['zebra-directory', 'zebra-output']);
    assert.deepStrictEqual(b.json('relay', 'output', block.block_id, '--limit', '2').lines, ['zebra-output', 'zebra-output']);
    await until('its state is told', () => b.json('hosts').some((h) => h.host === a.name && h.sessions.some(({ name }) => name === 'work')));
    const heard = () => owner.messages.filter((m) => m.subject.includes(a.host_id));
    await until('the hub heard of blocks, states and requests', () => ['ptyd.v1.', '$KV.', 'ptyd.rpc.'].every((start) => heard().some((m) => m.subject.startsWith(start))));
    assert.ok(owner.messages.some((m) => m.subject.startsWith(`_INBOX.${b.host_id}.`)), 'and of answers');
    for (const m of owner.messages) for (const word of words) assert.ok(!`${m.subject} ${m.headers} ${m.data}`.includes(word), `${word} in ${m.subject}`);
    for (const m of heard().filter(({ subject }) => subject.startsWith('ptyd.v1.'))) assert.deepStrictEqual(Object.keys(JSON.parse(m.data)), ['v', 'sealed', 'box']);
    const files = fs.readdirSync(path.join(hub.space.root, 'store'), { recursive: true, withFileTypes: true }).filter((f) => f.isFile()).map((f) => path.join(f.parentPath || f.path, f.name));
    assert.ok(files.length > 3);
    for (const file of files) for (const word of words) assert.ok(!fs.readFileSync(file).includes(word), `${word} in ${file}`);
  });

  await report.test('without the key, or with another: said and counted', async () => {
    for (const host of [bare, other]) {
      await until('they are counted', () => host.status().unopened >= 2);
      assert.match(host.ptyd('relay', 'status').stdout, /came sealed with a key that this host does not have: `ptyd relay enable --seal-key FILE`/);
      assert.deepStrictEqual(commands(host, a.name), []);
    }
    assert.ok(b.json('hosts').some((h) => h.host === '(not sealed)' && h.host_id === bare.host_id));
    assert.match(bare.ptyd('hosts').stdout, new RegExp(`^\\(sealed with another key\\) \\(${a.host_id}\\): here$`, 'm'));
    const id = `${a.host_id}:work:1:1`;
    assert.match(bare.ptyd('relay', 'output', id).stderr, /believes what is sealed alone/);
    assert.match(other.ptyd('relay', 'output', id).stderr, /not sealed with this host's key/);
    run(bare, 'echo from bare');
    await until('it is refused', () => b.status().unsealed === 1);
    assert.match(b.ptyd('relay', 'status').stdout, /1 commands came unsealed and were refused/);
    assert.deepStrictEqual(commands(b, 'bare'), []);
  });

  await report.test('the hub can make nothing up, change nothing and move nothing', async () => {
    const mine = (host, session) => `ptyd.v1.dana.${host.host_id}.${session}.block`;
    const sent = owner.messages.filter((m) => m.subject === mine(a, 'work')), last = sent[sent.length - 1];
    const id = /Nats-Msg-Id: (\S+)/.exec(last.headers)[1];
    const before = b.status(), sum = (s) => s.refused + s.unsealed + s.known;
    const plain = { v: 1, host_id: a.host_id, host: 'x', session: 'work', number: 900, block: { shell_id: 'shell_1', seq: 900, cmd: 'forged', cwd: '/', cwd_after: '/', exit_code: 0, status: 'completed', type: 'user_cmd', ts_begin: 1, ts_end: 2, duration_ms: 1, preview: { lines: [], truncated: false } } };
    await owner.publish(mine(a, 'work'), JSON.stringify(plain), '', 'forged-1');
    await owner.publish(mine(a, 'work'), last.data, '', 'another-id');
    await owner.publish(mine(a, 'work'), last.data);
    // Under its own id, of which the stream knows nothing any more.
    const ask = async (subject, data, ident) => { const from = owner.messages.length; await owner.publish(subject, data, '_INBOX.test', ident); return JSON.parse((await until('an answer', () => owner.messages.slice(from).find((m) => m.subject === '_INBOX.test'))).data); };
    const { config } = await ask('$JS.API.STREAM.INFO.PTYD_dana', '{}');
    assert.strictEqual((await ask('$JS.API.STREAM.UPDATE.PTYD_dana', JSON.stringify({ ...config, duplicate_window: 1e8 }))).error, undefined);
    for (const subject of [mine(a, 'elsewhere'), mine(bare, 'work')])
      await until('the stream takes it', async () => { const kept = await ask(subject, last.data, id); return kept.seq && !kept.duplicate; });
    assert.strictEqual((await ask('$JS.API.STREAM.UPDATE.PTYD_dana', JSON.stringify(config))).error, undefined);
    const changed = JSON.parse(last.data);
    changed.box = changed.box.replace(/.{10}$/, (end) => [...end].reverse().join(''));
    await owner.publish(mine(a, 'work'), JSON.stringify(changed), '', `${id}z`);
    await owner.publish(mine(a, 'work'), last.data.slice(0, -40), '', `${id}w`);
    await until('all are refused', () => sum(b.status()) === sum(before) + 7);
    assert.strictEqual(b.status().taken, before.taken);
    run(a, 'echo and on it goes');
    await comes(b, a.name, 'echo and on it goes');
    const key = `$KV.ptyd_hosts_dana.${a.host_id}`;
    const foreign = owner.messages.filter((m) => m.subject === `$KV.ptyd_hosts_dana.${b.host_id}`).pop();
    await owner.publish(key, foreign.data);
    assert.ok(!b.json('hosts').some((h) => h.host_id === a.host_id), 'another host\'s word is not its');
  });

  await report.test('the hub can answer in no host\'s name: beside an error, with what another request was answered, or by asking another host', async () => {
    const block = JSON.parse(b.ptyd('blocks', '--host', a.name, '--json').stdout).find(({ output_lines: n }) => n === 30).block_id;
    const away = '0123456789abcdef', id = block.replace(a.host_id, away);
    // Who asks is no child that is waited for: the hub answers meanwhile.
    const output = async (forge) => {
      const from = owner.messages.length;
      const child = spawn(PTYD, ['relay', 'output', id], { env: b.space.env, cwd: b.space.home, stdio: ['ignore', 'pipe', 'pipe'] });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => { said += data; });
      const ended = new Promise((resolve) => child.on('close', resolve));
      await forge(await until('the question', () => owner.messages.slice(from).find((m) => m.subject === `ptyd.rpc.v1.dana.${away}`)));
      return [await ended, said];
    };
    const before = owner.messages.length;
    assert.strictEqual(b.json('relay', 'output', block).lines.length, 30);
    const earlier = await until('the answer', () => owner.messages.slice(before).find((m) => m.subject.startsWith(`_INBOX.${b.host_id}.`) && m.data.includes('"box"')));
    assert.deepStrictEqual(Object.keys(JSON.parse(earlier.data)), ['v', 'sealed', 'box']);
    const result = { lines: ['forged by the hub'], from: 0, total: 1 }, error = { description: 'x' };
    const forgeries = [{ v: 1, result }, { v: 1, error, result }, { v: 1, error: 'x', result }, { v: 1, sealed: 5, error, result }, { v: 1, error }].map((what) => JSON.stringify(what));
    for (const forged of [...forgeries, '', '[]', earlier.data])
      assert.deepStrictEqual(await output((m) => everywhere.publish(m.reply, forged)), [1, `ptyd: host ${away}: its answer is not sealed with this host's key, and not believed\n`], forged);
    const [status, said] = await output((m) => everywhere.publish(`ptyd.rpc.v1.dana.${a.host_id}`, m.data, m.reply));
    assert.deepStrictEqual([status, /zebra/.test(said)], [1, false], 'what is asked of one host is answered by no other');
  });

  await report.test('what is larger than the hub takes is cut, what is so for good is passed over and counted, and holds nobody', async () => {
    const ask = async (subject, data) => { const from = owner.messages.length; await owner.publish(subject, data, '_INBOX.test'); return JSON.parse((await until('an answer', () => owner.messages.slice(from).find((m) => m.subject === '_INBOX.test'))).data); };
    const { config } = await ask('$JS.API.STREAM.INFO.PTYD_dana', '{}');
    const takes = async (bytes) => assert.strictEqual((await ask('$JS.API.STREAM.UPDATE.PTYD_dana', JSON.stringify({ ...config, max_msg_size: bytes }))).error, undefined);
    await takes(5000);
    run(a, `: ${'x'.repeat(8000)}`);
    await until('its head comes', () => JSON.parse(b.ptyd('blocks', '--host', a.name, '--json').stdout).some(({ cmd, cmd_truncated: cut }) => cut && cmd.startsWith(': xxx')));
    await takes(300);
    run(a, 'echo too large for it');
    await until('it is passed over', () => a.status().oversize === 1);
    await takes(config.max_msg_size);
    run(a, 'echo behind it');
    await comes(b, a.name, 'echo behind it');
    assert.ok(!commands(b, a.name).includes('echo too large for it'));
    assert.strictEqual(a.status().stuck, null);
    assert.match(a.ptyd('relay', 'status').stdout, /^1 commands were larger than the hub takes, and were passed over\.$/m);
  });

  await report.test('enable counts for the relay that runs, once it has said so; disable ends it', async () => {
    const file = path.join(b.space.root, 'key'), { pid, since_ms: since } = bare.status();
    assert.strictEqual(bare.status().sealed, null);
    const said = bare.ptyd('relay', 'enable', '--url', hub.url, '--seal-key', file);
    assert.deepStrictEqual([said.status, /All is sealed/.test(said.stdout), /start `ptyd relay` yourself/.test(said.stdout)], [0, true, false]);
    const now = bare.status();
    assert.deepStrictEqual([now.pid, now.since_ms > since, now.sealed], [pid, true, b.status().sealed]);
    await bare.connected();
    run(bare, 'echo zebra-command of bare');
    await comes(b, 'bare', 'echo zebra-command of bare');
    assert.ok(!owner.messages.some((m) => m.data.includes('zebra-command')));
    // The same words, of a file that says something else.
    fs.copyFileSync(file, path.join(bare.space.root, 'key'));
    bare.enable(hub.url, '--seal-key', path.join(bare.space.root, 'key'));
    fs.copyFileSync(other.seal_key, path.join(bare.space.root, 'key'));
    assert.strictEqual(bare.status().sealed, b.status().sealed);
    bare.enable(hub.url);
    assert.strictEqual(bare.status().sealed, other.status().sealed);
    // Where systemd runs, it is told to start it again.
    const bin = path.join(bare.space.root, 'bin'), log = path.join(bare.space.root, 'systemctl.log');
    fs.mkdirSync(path.join(bin, 'systemd'), { recursive: true });
    fs.writeFileSync(path.join(bin, 'systemd/private'), '');
    fs.writeFileSync(path.join(bin, 'systemctl'), `#!/bin/sh\necho "$*" >> ${log}\n`, { mode: 0o755 });
    const env = { ...bare.space.env };
    Object.assign(bare.space.env, { PATH: `${bin}:${env.PATH}`, XDG_RUNTIME_DIR: bin });
    bare.enable(hub.url);
    assert.deepStrictEqual(fs.readFileSync(log, 'utf8').trim().split('\n'), ['--user daemon-reload', '--user enable ptyd-relay.service', '--user restart ptyd-relay.service']);
    bare.space.env = env;
    assert.strictEqual(other.ptyd('relay', 'disable').status, 0);
    await other.ended;
    assert.strictEqual(other.status().pid, null);
  });

  await report.test('exec --seal-key; a key that is gone sends nothing', async () => {
    const file = path.join(b.space.root, 'key');
    const exec = a.ptyd('exec', '--seal-key', file, '-s', 'ci', '--', 'echo zebra-command by exec');
    assert.deepStrictEqual([exec.status, exec.stderr], [0, '']);
    await comes(b, a.name, 'echo zebra-command by exec');
    // Each of these is six bytes in JSON, and a third more as it is sent.
    const big = a.ptyd('exec', '--seal-key', file, '-s', 'ci', '--', `: '${'\x01'.repeat(8100)}'`);
    assert.deepStrictEqual([big.status, big.stderr], [0, '']);
    await until('its head comes', () => JSON.parse(b.ptyd('blocks', '--host', a.name, '--json').stdout).some(({ cmd, cmd_truncated: cut }) => cut && cmd.startsWith(": '\x01")));
    assert.ok(!owner.messages.some((m) => m.data.includes('zebra-command')));
    fs.renameSync(file, `${file}.away`);
    await b.stop();
    assert.match(b.ptyd('relay').stderr, /the key with which commands are sealed: .*No such file/);
    assert.match(b.ptyd('hosts').stderr, /the key with which/);
    assert.strictEqual(a.ptyd('exec', '--seal-key', file, '--', 'true').status, 125);
  });

  await report.test('the daemon ends cleanly', async () => {
    for (const host of [a, b, bare, other]) await host.close();
    await hub.close();
  });
  report.finish();
}

main();
