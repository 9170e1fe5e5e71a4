// `ptyd forget` of what went to other hosts: it says so, and what waits to be sent is not sent any more.
'use strict';
const assert = require('node:assert');
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { Report, until } = require('./harness');
const { lacking, Host, Hub } = require('./hub');

const word = () => `Q${[...crypto.randomBytes(12)].map((byte) => 'abcdefghijkmnpqr'[byte % 16]).join('')}`;

async function main() {
  const report = new Report();
  const why = lacking();
  if (why) {
    report.skip('forgetting and the relay', why);
    report.finish();
    return;
  }
  const hub = await new Hub().place();
  const [laptop, devbox] = ['laptop', 'devbox'].map((name) => new Host(name));
  const run = (host, cmd) => assert.strictEqual(host.ptyd('run', '-s', 'work', '--', cmd).status, 0, cmd);
  const heard = (host, of) => { const r = host.ptyd('blocks', '--host', of, '--json'); return r.status ? [] : JSON.parse(r.stdout).map(({ cmd }) => cmd); };
  const comes = (host, of, cmd) => until(`${cmd} of ${of} comes to ${host.name}`, () => heard(host, of).includes(cmd));
  const settled = (host) => until(`${host.name} has written down what it sent`, () => { const s = host.status(); return s.spool === 0 && s.unacked === 0; });
  const kept = (host, text) => spawnSync('grep', ['-rlaF', '--', text, host.space.env.PTYD_STATE_DIR], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
  const secret = word();

  await report.test('without a hub nothing was sent', async () => {
    for (const host of [laptop, devbox]) {
      fs.writeFileSync(path.join(host.space.home, '.bashrc'), 'HISTCONTROL=ignorespace\n');
      await host.serve();
      host.ptyd('open', 'work');
    }
    run(laptop, `echo early ${secret}`);
    assert.strictEqual(laptop.json('forget', '--matching', secret, '--dry-run').sent, null);
    assert.ok(!/sent to/.test(laptop.ptyd('forget', '--matching', secret, '--dry-run').stdout));
  });

  await report.test('which commands were sent is said, through which hub, and who was heard there', async () => {
    for (const host of [laptop, devbox]) host.enable(hub.url);
    hub.members.push(laptop, devbox);
    await hub.start();
    hub.init();
    for (const host of [laptop, devbox]) await host.relay().connected();
    run(devbox, 'echo I am here');
    await comes(laptop, 'devbox', 'echo I am here');
    run(laptop, `echo told ${secret}`);
    run(laptop, ` echo private ${secret}`);
    run(laptop, `echo again ${secret}`);
    await comes(devbox, 'laptop', `echo again ${secret}`);
    await settled(laptop);
    const { blocks, sent } = laptop.json('forget', '--matching', secret, '--dry-run');
    assert.deepStrictEqual(blocks.map(({ seq }) => seq), [1, 2, 3, 4]);
    assert.deepStrictEqual(sent, { hub: hub.url, hosts: ['devbox'], blocks: [blocks[1], blocks[3]].map(({ block_id: id }) => id) });
    const said = laptop.ptyd('forget', '2', '-s', 'work', '--dry-run').stdout;
    assert.ok(said.includes(`sent to other hosts through ${hub.url}: ${blocks[1].block_id}\n`), said);
    assert.match(said, /your other hosts \(of these were heard: devbox\): there `ptyd forget --matching TEXT` takes it\.\n/);
    // That ended before it was enabled, and a private one.
    assert.deepStrictEqual(['1', '3'].map((seq) => laptop.json('forget', seq, '-s', 'work', '--dry-run').sent), [null, null]);
  });

  await report.test('there it says who has heard of it, and takes it', async () => {
    const { lease } = devbox.json('context', 'take');
    assert.strictEqual(devbox.ptyd('context', 'commit', String(lease)).status, 0);
    const { blocks, heard: by, sent } = devbox.json('forget', '--matching', secret, '--yes');
    assert.deepStrictEqual(blocks.map(({ block_id: id, session }) => [id.split(':').slice(0, 3).join(':'), session]), ['2', '4'].map((seq) => [`${laptop.host_id}:work:${seq}`, '']));
    assert.deepStrictEqual([by.map(({ consumer, blocks: ids }) => [consumer, ids]), sent], [[['cli', blocks.map(({ block_id: id }) => id)]], null]);
    assert.deepStrictEqual(kept(devbox, secret), []);
  });

  await report.test('what is under way to a hub that does not answer is not sent any more', async () => {
    const gone = word(), text = word();
    process.kill(hub.process.pid, 'SIGSTOP');
    run(laptop, `echo ${gone}`);
    run(laptop, `echo next ${text}`);
    run(laptop, `echo between ${text}`);
    await until('one is under way', () => laptop.status().unacked === 1);
    await hub.kill();
    assert.strictEqual(laptop.ptyd('forget', '--matching', text, '--yes').status, 0);
    assert.strictEqual(laptop.ptyd('forget', '5', '-s', 'work', '--yes').status, 0);
    await hub.start();
    run(laptop, 'echo behind it');
    await comes(devbox, 'laptop', 'echo behind it');
    assert.deepStrictEqual(heard(devbox, 'laptop').slice(2), [`echo next ${'x'.repeat(text.length)}`, `echo between ${'x'.repeat(text.length)}`, 'echo behind it']);
    assert.deepStrictEqual([gone, text].map((one) => kept(devbox, one)), [[], []]);
    assert.strictEqual((await devbox.control.call('host.list', {})).result[0].missing, 1, 'of what the hub may have had the number is taken');
  });

  await report.test('the daemon ends cleanly', async () => {
    for (const host of [laptop, devbox]) await host.close();
    await hub.close();
  });
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
