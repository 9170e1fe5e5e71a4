// A hub that lets in whoever shows a token of its owner: CI's end by themselves, and till then do nothing but publish. Asked of
// the real server, in its own protocol too.
'use strict';
const assert = require('node:assert');
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { PTYD, Report, until } = require('./harness');
const { lacking, Host, Hub } = require('./hub');
const { Nats, noAnswerAsAnother } = require('./nats');

const CI = 'c1'.repeat(8);

const part = (text, name) => new RegExp(`BEGIN ${name}-----\\n(.*)\\n`).exec(text)[1];
const tokenOf = (text) => part(text, 'NATS USER JWT'), seedIn = (text) => part(text, 'USER NKEY SEED');

async function main() {
  const report = new Report();
  const why = lacking();
  if (why) {
    report.skip('tokens', why);
    report.finish();
    return;
  }
  const hub = await new Hub().place();
  hub.configure = () => fs.writeFileSync(path.join(hub.space.root, 'hub.conf'), hub.ptyd('hub', '--creds', hub.ownerFile, '--listen', `127.0.0.1:${hub.port}`, '--store', hub.store));
  const grant = (...args) => hub.ptyd('hub', '--creds', hub.ownerFile, '--grant', ...args);
  const file = (name, text) => { const to = path.join(hub.space.root, name); fs.writeFileSync(to, text, { mode: 0o600 }); return to; };
  const [laptop, agent] = ['laptop', 'agent'].map((name) => new Host(name).enable(hub.url));
  const heard = (of) => { const r = agent.ptyd('blocks', '--host', of, '--json'); return r.status ? [] : JSON.parse(r.stdout).map(({ cmd }) => cmd); };
  const open = (text) => new Nats().open(hub.port, seedIn(text), '', tokenOf(text));
  const mine = (id, session = 's') => `ptyd.v1.dana.${id}.${session}.block`;
  const claims = (text) => JSON.parse(Buffer.from(tokenOf(text).split('.')[1], 'base64url'));

  await report.test('the configuration names no host; what the owner grants lets in', async () => {
    await hub.start();
    assert.ok(!fs.readFileSync(path.join(hub.space.root, 'hub.conf'), 'utf8').includes(fs.readFileSync(hub.ownerFile, 'utf8').trim()), 'no secret stands in it');
    const ownerCreds = path.join(hub.space.root, 'owner.creds');
    hub.ptyd('hub', '--creds', hub.ownerFile, '--grant', 'owner', '--out', ownerCreds);
    assert.strictEqual(fs.statSync(ownerCreds).mode & 0o7777, 0o600);
    hub.ptyd('hub', '--init', '--url', hub.url, '--creds', ownerCreds, '--member', laptop.host_id, '--member', agent.host_id);
    for (const host of [laptop, agent]) {
      host.enable(hub.url, '--creds', file(`${host.name}.creds`, grant(host.host_id)));
      await host.serve();
      await host.relay().connected();
    }
    const other = laptop.ptyd('relay', 'enable', '--creds', path.join(hub.space.root, 'agent.creds'));
    assert.deepStrictEqual([other.status, new RegExp(`are of host ${agent.host_id}, and this is ${laptop.host_id}`).test(other.stderr)], [1, true]);
    const asItWas = [laptop.status().host_id, fs.readFileSync(path.join(laptop.space.home, '.config/ptyd/relay.json'), 'utf8')];
    for (const more of [[], ['--creds', path.join(hub.space.root, 'agent.creds')]]) {
      const another = laptop.ptyd('relay', 'enable', '--new-host', ...more);
      assert.deepStrictEqual([another.status, /are of host [0-9a-f]{16} alone.*--new-host --url nats:/.test(another.stderr)], [1, true], another.stderr);
    }
    assert.deepStrictEqual([laptop.json('relay', 'enable').host_id, fs.readFileSync(path.join(laptop.space.home, '.config/ptyd/relay.json'), 'utf8')], asItWas, 'nothing was changed');
    laptop.ptyd('open', 's');
    laptop.ptyd('run', '-s', 's', '--', 'echo by a token');
    await until('it comes', () => heard('laptop').includes('echo by a token'));
    await until('both are there', () => laptop.json('hosts').length === 2);
  });

  await report.test('nobody is let in by no token, a changed one, another owner\'s, or with another\'s key', async () => {
    const good = grant(CI, '--publish-only'), [head, body, sum] = tokenOf(good).split('.');
    const said = claims(good), wider = Buffer.from(JSON.stringify({ ...said, nats: { ...said.nats, pub: { allow: ['>'] } } })).toString('base64url');
    const stranger = path.join(hub.space.root, 'stranger.nk');
    hub.ptyd('hub', '--new-key', stranger);
    const foreign = hub.ptyd('hub', '--creds', stranger, '--grant', CI), key = seedIn(good);
    for (const [what, seed, token] of [['none', key, ''], ['changed', key, [head, wider, sum].join('.')], ['of another owner', seedIn(foreign), tokenOf(foreign)], ['another\'s', seedIn(foreign), tokenOf(good)]]) {
      const n = await new Nats().open(hub.port, seed, '', token);
      assert.ok(n.errors.some((e) => /Authorization Violation/.test(e)), `${what}: ${n.errors}`);
    }
    assert.strictEqual((await open(good)).errors.length, 0);
  });

  await report.test('CI\'s, which end: publish as one host, and nothing else', async () => {
    const text = grant(CI, '--publish-only', '--expires', '1h'), { exp } = claims(text);
    assert.ok(Math.abs(exp - Date.now() / 1000 - 3600) < 60, `${exp}`);
    const ci = await open(text), owner = await open(grant('owner'));
    await owner.subscribe('ptyd.v1.dana.>', 7);
    laptop.ptyd('run', '-s', 's', '--', 'echo first');
    const first = await until('it was sent', () => owner.messages.find((m) => m.data.includes('echo first')));
    const id = /Nats-Msg-Id: (\S+)/.exec(first.headers)[1], { block: { shell_id: shell, seq } } = JSON.parse(first.data);
    for (const subject of [mine(laptop.host_id), mine('x'), `$KV.ptyd_hosts_dana.${CI}`, `ptyd.rpc.v1.dana.${laptop.host_id}`, `$JS.API.CONSUMER.MSG.NEXT.PTYD_dana.H${agent.host_id}`, '$JS.API.STREAM.MSG.GET.PTYD_dana', '$JS.API.STREAM.INFO.PTYD_dana', '$JS.API.STREAM.DELETE.PTYD_dana', '$SYS.REQ.SERVER.PING', 'anything'])
      assert.ok(await ci.refused(() => ci.publish(subject, '{}')), subject);
    for (const subject of ['>', 'ptyd.>', mine(CI), mine(laptop.host_id), `ptyd.rpc.v1.dana.${CI}`, `_INBOX.${agent.host_id}.>`, '_INBOX.>', '$SYS.>']) assert.ok(await ci.refused(() => ci.subscribe(subject)), subject);
    assert.ok(!await ci.refused(() => ci.publish(mine(CI), '{}')));
    // What can be known of the next command does not give its id.
    for (const words of [`${laptop.host_id}/${shell}/${seq + 1}`, `${laptop.host_id}/${shell}/${seq + 1}/${seq + 1}`, id])
      for (const guess of [words, ...['sha256', 'md5', 'blake2b512'].map((h) => crypto.createHash(h).update(words).digest('hex'))]) await ci.publish(mine(CI), '{}', '', guess.slice(0, 64));
    laptop.ptyd('run', '-s', 's', '--', 'echo second');
    await until('it comes all the same', () => heard('laptop').includes('echo second'));
    assert.strictEqual(laptop.status().suppressed, 0);
  });

  await report.test('no answer that a host has sent elsewhere becomes what another says', async () => {
    const mine = 'a1'.repeat(8);
    hub.ptyd('hub', '--init', '--url', hub.url, '--creds', path.join(hub.space.root, 'owner.creds'), '--member', mine);
    await noAnswerAsAnother({ owner: await open(grant('owner')), member: await open(grant(mine)), publisher: await open(grant(CI, '--publish-only')) }, { mine, ci: CI, other: 'd1'.repeat(8) });
  });

  await report.test('the server ends what is over: a connection at that moment, every later one at its begin; exec and the relay say so', async () => {
    const runner = new Host('runner'), seconds = 12; // in which a busy machine does all of it
    const text = grant(CI, '--publish-only', '--expires', `${seconds}s`), { exp } = claims(text), creds = file('ci.creds', text);
    const exec = (...command) => runner.ptyd('exec', '--url', hub.url, '--creds', creds, '--user', 'dana', '--host', 'ci', '--', ...command);
    const held = await open(text);
    const inTime = exec('echo in time; exit 4');
    assert.deepStrictEqual([inTime.status, inTime.stdout, inTime.stderr], [4, 'in time\n', '']);
    await until('it comes', () => heard('ci').includes('echo in time; exit 4'));
    // A machine that only publishes, with a relay and credentials that end.
    const pod = new Host('pod').enable(hub.url);
    const podCreds = path.join(hub.space.root, 'pod.creds');
    fs.writeFileSync(podCreds, grant(pod.host_id, '--publish-only', '--expires', `${seconds}s`), { mode: 0o600 });
    pod.enable(hub.url, '--creds', podCreds, '--publish-only');
    await pod.serve();
    await pod.relay().connected(); // to whom the hub says nothing, which is no reason to say that it is not
    const cut = await held.closed;
    assert.ok(held.errors.some((e) => /User Authentication Expired/.test(e)), `${held.errors}`);
    assert.ok(Math.abs(cut - exp * 1000) < 2500, `cut ${cut - exp * 1000} ms behind its end`);
    await until('that second is over', () => Date.now() > (exp + 1) * 1000);
    const again = await open(text);
    assert.ok(again.errors.some((e) => /Authorization Violation/.test(e)), `${again.errors}`);
    const late = exec('echo late; exit 5');
    assert.deepStrictEqual([late.status, late.stdout], [5, 'late\n']);
    assert.match(late.stderr, /do not hear of this command: cannot reach the hub .*: the credentials in .*ci\.creds ended at \d{4}-\d\d-\d\d .*; the hub's owner makes others/);
    const nobody = runner.ptyd('exec', '--url', 'nats://127.0.0.1:1', '--creds', creds, '--user', 'dana', '--host', 'ci', '--', 'true');
    assert.match(nobody.stderr, /nobody listens at port 1/, 'what is in the way is said, though they ended, too');
    await until('the relay says so', () => !pod.status().connected && /the credentials in .*pod\.creds ended at/.test(pod.status().error || ''));
    pod.ptyd('open', 'p');
    pod.ptyd('run', '-s', 'p', '--', 'echo it waits');
    fs.writeFileSync(podCreds, grant(pod.host_id, '--publish-only', '--expires', '1h'));
    await until('new ones are taken from the file, and what waited comes', () => heard('pod').includes('echo it waits'));
    for (const host of [runner, pod]) await host.close();
  });

  await report.test('what is no grant is refused in words', () => {
    const say = (...args) => { const r = laptop.ptyd('relay', 'hub', ...args); return [r.status, r.stderr]; };
    for (const [args, status, words] of [
      [['--grant', CI], 2, /--grant needs the owner's key/], [['--creds', hub.ownerFile, '--grant', 'laptop'], 2, /no host's id/],
      [['--creds', hub.ownerFile, '--grant', CI, '--expires', 'soon'], 2, /is no time/], [['--creds', hub.ownerFile, '--grant', CI, '--expires', '2020-01-01'], 2, /is over/],
      [['--creds', path.join(hub.space.root, 'ci.creds'), '--grant', CI], 1, /is no owner's key/], [['--creds', '/nowhere', '--grant', CI], 1, /No such file/],
      [['--creds', hub.ownerFile, '--grant', 'owner', '--publish-only'], 2, /the owner does all/], [['--creds', hub.ownerFile, '--out', 'x'], 2, /--out goes with --grant/],
      [['--creds', hub.ownerFile, '--grant', CI, '--out', hub.ownerFile], 1, /cannot make .*: File exists/],
      [['--creds', hub.ownerFile, '--listen', '0.0.0.0:4222'], 2, /with TLS alone/],
    ]) {
      const [was, text] = say(...args);
      assert.deepStrictEqual([was, words.test(text)], [status, true], `${args.join(' ')}: ${text}`);
    }
  });

  await report.test('a shell\'s file that others can read holds no credentials, and settings that are damaged seal nothing silently off', () => {
    const to = path.join(hub.space.root, 'redirected'), run = (mode) => {
      fs.rmSync(to, { force: true });
      const fd = fs.openSync(to, 'w', mode);
      const { status, stderr } = spawnSync(PTYD, ['relay', 'hub', '--creds', hub.ownerFile, '--grant', CI], { env: hub.space.env, stdio: ['ignore', fd, 'pipe'], encoding: 'utf8' });
      fs.closeSync(fd);
      return [status, /--out FILE/.test(stderr), fs.statSync(to).size > 0];
    };
    assert.deepStrictEqual([run(0o644), run(0o600)], [[2, true, false], [0, false, true]]);
    const settings = path.join(laptop.space.home, '.config/ptyd/relay.json'), was = fs.readFileSync(settings, 'utf8');
    for (const seal of [7, null, '', ['x'], {}]) {
      fs.writeFileSync(settings, JSON.stringify({ ...JSON.parse(was), seal }));
      for (const command of [['relay'], ['hosts']]) {
        const { status, stderr } = laptop.ptyd(...command);
        assert.deepStrictEqual([status, /relay\.json is damaged/.test(stderr)], [1, true], `${JSON.stringify(seal)}: ${stderr}`);
      }
    }
    fs.writeFileSync(settings, was);
  });

  await report.test('the daemon ends cleanly', async () => {
    for (const host of [laptop, agent]) await host.close();
    await hub.close();
  });
  report.finish();
}

main();
