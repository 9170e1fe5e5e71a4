// What is typed where a terminal does not echo is nowhere: at `read -s`, at prompts like those of sudo, su, ssh and
// gpg's pinentry, and at the real ones that are here (in each shell); typed, pasted and ahead, by a viewer and by `ptyd send`, in bash, zsh, fish and dash.
'use strict';
const assert = require('node:assert');
const crypto = require('node:crypto');
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { PTYD, workspace, removeWorkspace, Daemon, Report, until, sideBySide } = require('./harness');
const { Terminal } = require('./script');
const { sshd } = require('./sshd');

const here = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const word = () => `Pw${[...crypto.randomBytes(12)].map((byte) => 'abcdefghijkmnpqr'[byte % 16]).join('')}`;

// As sudo, su and ssh ask: on the terminal itself, with its echo off. It tells how long it was, and waits for a file where
// one is named, so that what is typed meanwhile is typed ahead, unseen.
const ASKS = `old=$(stty -g </dev/tty); stty -echo </dev/tty; printf 'quiet\\n' >/dev/tty
[ -z "$1" ] || until [ -e "$1" ]; do sleep 0.02; done
printf 'Password: ' >/dev/tty; IFS= read -r word </dev/tty; stty "$old" </dev/tty; printf '\\ngot %s\\n' "\${#word}" >/dev/tty\n`;

// What each shell has of its own.
const OWN = {
  bash: 'read -rsp "Secret: " p; echo; echo got ${#p}',
  zsh: 'read -rs "p?Secret: "; echo; echo got ${#p}',
  fish: 'read -s -P "Secret: " p; echo; echo got (string length -- $p)',
  dash: 'stty -echo; printf "Secret: "; read -r p; stty echo; echo; echo got ${#p}',
};

async function main() {
  const report = new Report();
  const space = workspace();
  const daemon = await new Daemon(space).ready();
  const asks = path.join(space.root, 'asks');
  fs.writeFileSync(asks, ASKS);
  const ok = (...args) => { const answer = daemon.ptyd(...args); assert.strictEqual(answer.status, 0, `${args}: ${answer.stdout}${answer.stderr}`); return answer.stdout; };
  const scrollback = (name) => ok('scrollback', '-s', name) + daemon.json('screen', '-s', name).rows.join('\n');
  const count = (name, text) => scrollback(name).split(text).length - 1;

  // Some turn the echo off behind their prompt, and throw away what came before.
  const quiet = (name) => until(`the echo is off: ${scrollback(name)}`, () => {
    const { shell_pid: pid } = daemon.json('list').find((s) => s.name === name);
    return / -echo /.test(spawnSync('stty', ['-a', '-F', fs.readlinkSync(`/proc/${pid}/fd/0`)], { encoding: 'utf8' }).stdout);
  });

  // Everything that could have it: the files, and what every command answers.
  const nowhere = (name, words) => {
    for (const place of [space.env.PTYD_STATE_DIR, path.dirname(space.env.PTYD_SOCKET)])
      assert.deepStrictEqual(spawnSync('grep', ['-raoFh', ...words.flatMap((one) => ['-e', one]), place], { encoding: 'utf8' }).stdout, '', place);
    const answers = [['blocks', '-s', name], ['screen', '-s', name], ['scrollback', '-s', name], ['context', 'show'], ['explain'], ['list'], ['status']];
    for (const args of answers)
      for (const one of words) assert.ok(!ok(...args, '--json').includes(one), `${args}`);
    for (const one of words) assert.strictEqual(daemon.ptyd('search', one).status, 1);
    const cast = ok('record', '-s', name, '--from', '1', '-o', '-');
    for (const one of words) assert.ok(!cast.includes(one) && !/, ?"i", ?/.test(cast), 'a recording');
  };

  const tests = ['bash', 'zsh', 'fish', 'dash'].map((shell) => async () => {
    if (!here(shell)) {
      report.skip(`${shell}: nothing typed unseen is anywhere`, 'it is not on this machine');
      return;
    }
    await report.test(`${shell}: nothing typed unseen is anywhere`, async () => {
      const name = `in-${shell}`, words = [], live = path.join(space.root, `${shell}.cast`);
      ok('open', name, '--shell', shell);
      const recording = spawn(PTYD, ['record', '-s', name, '-o', live], { env: space.env, cwd: space.home, stdio: 'ignore' });
      const viewer = new Terminal(space.env, `${PTYD} attach ${name}`);
      await until('the recording has begun', () => fs.existsSync(live));
      const rests = () => until('a prompt', () => daemon.json('list').find((s) => s.name === name).state === 'prompt');
      const ways = {
        send: (keys) => ok('send', '-s', name, '--hex', Buffer.from(keys).toString('hex')),
        viewer: (keys) => viewer.type(keys),
      };
      // Asks, answers in that way when `shown` stands there, and waits until it was understood.
      const answer = async (command, shown, way, keys) => {
        const one = word(), before = count(name, shown), got = count(name, `got ${one.length}`);
        words.push(one);
        await rests();
        ok('send', '-s', name, `${command}\r`);
        await until(`${shown} in ${scrollback(name)}`, () => count(name, shown) > before);
        await quiet(name);
        await keys(ways[way], one);
        await until(`it is read: ${scrollback(name)}`, () => count(name, `got ${one.length}`) > got);
      };
      const typed = async (type, one) => { for (const key of `${one}\r`) type(key); };
      const pasted = async (type, one) => type(`${one}\r`);
      // A prompt that a command's own line shows, too, would be there before it is.
      const own = path.join(space.root, `own.${shell}`);
      fs.writeFileSync(own, `${OWN[shell]}\n`);
      const source = shell === 'fish' ? `source ${own}` : `. ${own}`;

      await viewer.prompt();
      await answer(source, 'Secret:', 'viewer', typed);
      await answer(source, 'Secret:', 'send', pasted);
      await answer(`sh ${asks}`, 'Password:', 'viewer', pasted);
      await answer(`sh ${asks}`, 'Password:', 'viewer', async (type, one) => { type(`wrong\u007f\u007f\u007f\u007f\u007f${one}`); type('\r'); });
      const until_there = path.join(space.root, `${shell}.there`);
      await answer(`sh ${asks} ${until_there}`, 'quiet', 'viewer', async (type, one) => { type(`${one}\r`); fs.writeFileSync(until_there, ''); });

      await rests();
      nowhere(name, words);
      ok('detach', name);
      await viewer.ended();
      for (const one of words) assert.ok(!viewer.text.includes(one));
      recording.kill('SIGINT');
      await until('the recording has ended', () => recording.exitCode !== null || recording.signalCode);
      for (const one of words) assert.ok(!fs.readFileSync(live, 'utf8').includes(one));
    });
  });

  // Those that ask for themselves: each says its prompt, and what tells that it had the word.
  const key = path.join(space.root, 'key'), key_word = word(), home = path.join(space.root, 'gpg'), pin = path.join(space.root, 'pin');
  fs.mkdirSync(home, { mode: 0o700 });
  fs.writeFileSync(pin, "t=$(tty); printf 'SETPROMPT Pin:\\nGETPIN\\n' | pinentry-curses --ttyname $t --ttytype xterm | sed 's/^D .*/got it/'\n");
  const server = here('ssh') && here('ssh-keygen') ? sshd(space.root) : { why: 'no ssh' }, ssh_word = word();
  const programs = [
    { program: 'ssh', makes: () => !server.why && spawnSync('ssh-keygen', ['-q', '-p', '-P', '', '-N', ssh_word, '-f', path.join(space.root, 'ssh/user')]).status === 0,
      command: `${server.command} echo got in`, shown: /passphrase/, word: ssh_word, got: /got in/ },
    { program: 'ssh-keygen', makes: () => spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', key_word, '-f', key]).status === 0,
      command: `ssh-keygen -y -f ${key}`, shown: /passphrase/, word: key_word, got: /ssh-ed25519 AAAA/ },
    { program: 'su', makes: () => process.getuid() === 0 && spawnSync('su', ['nobody', '-s', '/bin/sh', '-c', 'true']).status === 0,
      command: "su nobody -s /bin/sh -c 'su -c true'; echo su said $?", shown: /Password:/, word: word(), got: /su said [1-9]/ },
    { program: 'sudo', makes: () => spawnSync('sudo', ['-n', 'true']).status !== 0, command: 'sudo -k true; echo got $?', shown: /assword/, word: word(), got: /Sorry|try again/, leave: true },
    { program: 'gpg', makes: () => spawnSync('gpg', ['--homedir', home, '--version']).status === 0,
      command: `gpg --homedir ${home} --yes --pinentry-mode loopback -c -o ${home}/out ${asks}; echo gpg said $?`, shown: /passphrase/, word: word(), got: /gpg said \d/ },
    { program: 'python3', makes: () => true, command: `python3 -c 'import getpass; print("got", len(getpass.getpass("Getpass: ")))'`, shown: /Getpass:/, word: word(), got: /got \d/ },
    { program: 'openssl', makes: () => true, command: `openssl enc -aes-256-cbc -pbkdf2 -in ${asks} -out /dev/null; echo openssl said $?`, shown: /password:/, word: word(), got: /Verifying/ },
    { program: 'systemd-ask-password', makes: () => true, command: 'systemd-ask-password Asked: >/dev/null; echo got it', shown: /Asked:/, word: word(), got: /got it/ },
    { program: 'passwd', makes: () => process.getuid() === 0, command: 'passwd nobody; echo passwd said $?', shown: /New password:/, word: word(), got: /Retype/, leave: true },
    { program: 'pinentry-curses', makes: () => true, command: `sh ${pin}`, shown: /Pin:/, word: word(), got: /got it/ },
  ];
  const real = programs.map(({ program, makes, command, shown, word: one, got, leave }) => async () => {
    if (!here(program) || !makes()) {
      report.skip(`${program}: what it is told is nowhere`, 'it is not on this machine, or asks nobody');
      return;
    }
    await report.test(`${program}: what it is told is nowhere, from bash, zsh, fish and dash`, async () => {
      const file = path.join(space.root, `real.${program}`);
      fs.writeFileSync(file, `${command}\n`); // the line that is typed shows no prompt of its own
      for (const shell of ['bash', 'zsh', 'fish', 'dash'].filter(here)) {
        const name = `${program}-${shell}`, text = () => scrollback(name);
        ok('open', name, '--shell', shell);
        await until('a prompt', () => daemon.json('list').find((s) => s.name === name).state === 'prompt');
        ok('send', '-s', name, `sh ${file}\r`);
        await until(`${program} asks: ${text()}`, () => shown.test(text()));
        await quiet(name);
        ok('send', '-s', name, `${one}\r`);
        await until(`${program} heard: ${text()}`, () => got.test(text()));
        if (leave) ok('send', '-s', name, '--key', 'C-c');
        nowhere(name, [one]);
        ok('close', name);
      }
    });
  });

  await sideBySide(4, [...real, ...tests]);

  await report.test('ends cleanly', async () => assert.deepStrictEqual(await daemon.stop(), { code: 0, signal: null }));
  removeWorkspace(space);
  report.finish();
}

main();
