// An sshd for one home, without a port that others might have: each connection of ssh starts its own.
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

// Options for ssh and scp under which every host is this one; or {why} there is none. `env`: what its
// sessions have.
function sshd(root, env = {}) {
  const program = [process.env.SSHD, '/usr/sbin/sshd', '/usr/local/sbin/sshd'].find((file) => file && fs.existsSync(file));
  const has = (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
  if (!program || !has('ssh') || !has('ssh-keygen')) return { why: 'no sshd and ssh here (apt-get install openssh-server openssh-client)' };
  const place = path.join(root, 'ssh'), config = path.join(place, 'sshd_config');
  fs.mkdirSync(place, { mode: 0o700 });
  for (const key of ['host', 'user']) spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path.join(place, key)]);
  if (process.getuid() === 0) fs.mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  fs.writeFileSync(config, [
    `HostKey ${place}/host`, `AuthorizedKeysFile ${place}/user.pub`, 'PidFile none', 'StrictModes no', 'UsePAM no',
    'PasswordAuthentication no', 'PermitRootLogin yes', 'PrintMotd no', 'PrintLastLog no', 'Subsystem sftp internal-sftp',
    ...(Object.keys(env).length ? [`SetEnv ${Object.entries(env).map(([name, value]) => `${name}=${value}`).join(' ')}`] : []), '',
  ].join('\n'));
  fs.writeFileSync(path.join(place, 'ssh_config'), [
    `IdentityFile ${place}/user`, 'IdentitiesOnly yes', 'StrictHostKeyChecking no', `UserKnownHostsFile ${place}/known`, 'LogLevel ERROR',
    `ProxyCommand ${program} -i -f ${config} -E ${place}/log`, ''].join('\n'));
  const options = ['-F', path.join(place, 'ssh_config')], host = `${os.userInfo().username}@localhost`;
  const tried = spawnSync('ssh', [...options, host, 'true'], { encoding: 'utf8', timeout: 20000 });
  const log = () => { try { return fs.readFileSync(path.join(place, 'log'), 'utf8').trim().split('\n').pop(); } catch { return ''; } };
  if (tried.status !== 0) return { why: `sshd does not serve here: ${tried.stderr.trim()} ${log()}` };
  return { options, host, command: ['ssh', ...options, host].join(' ') };
}

module.exports = { sshd };
