// What the files in examples/fleet say is done: their own commands make the configuration, the server is run as they run it,
// with what they mount where they mount it, and two hosts meet there. Containers are not started.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { Report, until } = require('./harness');
const { lacking, Host, Hub } = require('./hub');

const FLEET = path.join(__dirname, '../../examples/fleet');
const found = (text, pattern) => { const m = pattern.exec(text); assert.ok(m, `${pattern} is not in the file any more`); return m.slice(1); };

// {arguments, mounts: {path in the container: name beside it}, data, port} of each.
const readers = {
  'compose.yaml': (text) => {
    const mounts = Object.fromEntries([...text.matchAll(/- \.\/([\w.]+):(\/[\w./]+):ro$/gm)].map(([, from, to]) => [to, from]));
    const [data] = found(text, /- data:(\/\w+)$/m), [, port] = found(text, /ports: \["(\d+):(\d+)"\]/);
    return { arguments: JSON.parse(found(text, /command: (\[.*\])/)[0]), mounts, data, port };
  },
  'kubernetes.yaml': (text) => {
    const [config] = found(text, /\{name: config, mountPath: (\/[\w/]+), readOnly: true\}/), [data] = found(text, /\{name: data, mountPath: (\/\w+)\}/);
    const [port] = found(text, /containerPort: (\d+)/);
    assert.strictEqual(found(text, /name: client, port: (\d+)/)[0], port);
    assert.ok(/\{name: config, secret: \{secretName: ptyd-hub\}\}/.test(text));
    const [files] = found(text, /kubectl create secret generic ptyd-hub ((?:--from-file=\S+ ?)+)/);
    return { arguments: JSON.parse(found(text, /args: (\[.*\])/)[0]), mounts: Object.fromEntries([...files.matchAll(/--from-file=(\S+)/g)].map(([, f]) => [`${config}/${f}`, f])), data, port };
  },
};

async function main() {
  const report = new Report();
  const why = lacking() || (spawnSync('openssl', ['version']).error ? 'openssl is not on this machine' : '');
  if (why) {
    report.skip('examples/fleet', why);
    report.finish();
    return;
  }
  for (const [name, reader] of Object.entries(readers))
    await report.test(`${name}: its commands, its server's, its mounts; two hosts meet there`, async () => {
      const text = fs.readFileSync(path.join(FLEET, name), 'utf8'), example = reader(text);
      const said = text.replace(/\\\n# */g, '').replace(/\n#(?= )/g, '');
      const options = found(said, /(--listen 0\.0\.0\.0:\d+ --cert \S+ --key \S+ +--store \w*\/?\w+)/)[0].replace(/,/g, '').split(/ +/);
      const hub = await new Hub().place();
      const here = (at) => path.join(hub.space.root, at);
      const hosts = ['one', 'two'].map((n) => new Host(n));
      hub.url = `tls://127.0.0.1:${hub.port}`;
      hub.members.push(...hosts.map((h) => h.enable(hub.url, '--ca', (fs.writeFileSync(here('hub.crt.pem'), ''), here('hub.crt.pem')))));
      const certificate = Object.values(example.mounts).find((f) => f.endsWith('.crt')), key = Object.values(example.mounts).find((f) => f.endsWith('.key'));
      assert.strictEqual(spawnSync('sh', ['-c', `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=hub -addext subjectAltName=IP:127.0.0.1 -keyout ${here(key)} -out ${here(certificate)}`]).status, 0);
      fs.copyFileSync(here(certificate), here('hub.crt.pem'));
      let conf = hub.ptyd('hub', '--owner', hub.owner, ...options, ...hub.members.flatMap((h) => ['--member', `${h.host_id}=${h.key}`]));
      // Each path of the configuration is one that is mounted; it stands elsewhere here, and so does the address.
      const paths = [...conf.matchAll(/(?:cert_file|key_file|store_dir): "([^"]*)"/g)].map(([, p]) => p);
      assert.strictEqual(paths.length, 3);
      for (const p of paths) assert.ok(p in example.mounts || p === example.data, `${p} is mounted by nothing in ${name}`);
      assert.ok(conf.includes(`listen: "0.0.0.0:${example.port}"`), 'the port is the one that is published');
      for (const [to, from] of Object.entries(example.mounts)) conf = conf.replaceAll(`"${to}"`, `"${here(from)}"`);
      conf = conf.replace(`"${example.data}"`, `"${here('data')}"`).replace(`0.0.0.0:${example.port}`, `127.0.0.1:${hub.port}`);
      hub.configure = () => fs.writeFileSync(here('hub.conf'), conf);
      assert.deepStrictEqual(example.arguments.map((a) => example.mounts[a] || a), ['-c', 'hub.conf'], 'as Hub starts it');
      await hub.start();
      hub.ptyd('hub', '--init', '--url', hub.url, '--ca', here('hub.crt.pem'), '--creds', hub.ownerFile, ...hub.members.flatMap((h) => ['--member', h.host_id]));
      for (const host of hosts) { await host.serve(); await host.relay().connected(); }
      hosts[0].ptyd('open', 'w');
      hosts[0].ptyd('run', '-s', 'w', '--', 'echo as in the example');
      await until('it comes', () => hosts[1].ptyd('blocks', '--host', 'one').stdout.includes('as in the example'));
      for (const host of hosts) await host.close();
      await hub.close();
    });

  const compose = ['docker compose', 'docker-compose', 'podman-compose'].find((c) => spawnSync('sh', ['-c', `${c} version`]).status === 0);
  if (compose)
    await report.test(`compose.yaml is one to ${compose}`, () => {
      const r = spawnSync('sh', ['-c', `${compose} -f compose.yaml config`], { cwd: FLEET, encoding: 'utf8', timeout: 60000 });
      assert.strictEqual(r.status, 0, r.stderr);
    });
  else report.skip('compose.yaml read by compose', 'neither docker compose, docker-compose nor podman-compose is on this machine');
  report.finish();
}

main();
