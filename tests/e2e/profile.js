// `ptyd enable shell`: what a person types into becomes a session, and nothing else notices. Each
// thing that starts a shell is tried without the line and with it, ssh too, where there is an sshd.
'use strict';
const assert = require('node:assert');
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { workspace, removeWorkspace, Daemon, Report, PTYD, until } = require('./harness');
const { Terminal } = require('./script');
const { Outer } = require('./outer');
const { sshd: startSshd } = require('./sshd');

const LINE = 'case $-${BASH_EXECUTION_STRING+c}${ZSH_EXECUTION_STRING+c}${ZSH_SCRIPT+c} in *c*) ;; *i*) { [ "${ZSH_VERSION-}" ] || [ ! -f "$0" ] || [ "$0" -ef "${BASH-}" ]; } && [ -t 0 ] && [ -t 1 ] && [ "${MC_SID-}" != $$ ] && [ "${PTYD_SESSION-x}" ] && command -v ptyd >/dev/null && { ptyd inside; [ $? = 1 ]; } && exec ptyd;; esac';

const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

// `su - USER` for a user of this home, whom nobody else sees; or {why} there is none. It has no variable of ours
// but those that its profile sets: a daemon of its own.
function startSu(space) {
  if (process.getuid() !== 0) return { why: 'su asks for a password: only root tries it' };
  const file = (name, text) => { const place = path.join(space.root, name); fs.writeFileSync(place, text); return place; };
  const passwd = file('passwd', `root:x:0:0:root:/root:/bin/sh\nwalker:x:0:0::${space.home}:/bin/bash\n`);
  const shadow = file('shadow', 'root:*:19000:0:99999:7:::\nwalker:*:19000:0:99999:7:::\n');
  const go = file('go', `mount --bind ${passwd} /etc/passwd && mount --bind ${shadow} /etc/shadow && exec su - walker "$@"\n`);
  const args = ['-m', 'sh', go], tried = spawnSync('unshare', [...args, '-c', 'true'], { encoding: 'utf8' });
  return tried.status === 0 ? { args, command: `unshare ${args.join(' ')}` } : { why: `no user can be made for it here: ${tried.stderr || tried.error}` };
}

// What starts a shell for a program, and what that gets: the same with the line and without.
async function testPrograms(report, space, sshd, su, state) {
  const run = (command, args, options) => spawnSync(command, args, { env: space.env, cwd: space.home, encoding: 'utf8', timeout: 30000, ...options });
  const gives = (result, status, stdout) => assert.deepStrictEqual([result.status, result.stdout, result.stderr], [status, stdout, '']);
  const on = (name) => `${state}: ${name}`;

  await report.test(on('bash -lc, bash -ic, cron and a script run what they are to run'), () => {
    gives(run('bash', ['-lc', 'echo hi; exit 3']), 3, 'hi\n');
    const interactive = run('bash', ['-ic', 'echo hi; exit 3'], { stdio: ['pipe', 'pipe', 'ignore'] });
    assert.deepStrictEqual([interactive.status, interactive.stdout], [3, 'hi\n']);
    const cron = { HOME: space.home, LOGNAME: 'x', SHELL: '/bin/sh', PATH: '/usr/bin:/bin' };
    gives(run('/bin/sh', ['-c', 'echo from cron'], { env: cron }), 0, 'from cron\n');
    gives(run('/bin/bash', ['-c', '. ~/.bashrc; echo sourced'], { env: cron }), 0, 'sourced\n');
  });

  await report.test(on('under a terminal a script, bash -lc, -ic and sh -i are what they were'), async () => {
    const scripts = ['bash', 'zsh'].filter(has).map((shell) => {
      const script = path.join(space.root, `script-${shell}`);
      fs.writeFileSync(script, `#!/usr/bin/env -S ${shell} -i\necho $((40+2))\n`, { mode: 0o755 });
      return [script];
    });
    const commands = ['bash -lc', 'bash -ic', 'bash -ilc', 'zsh -ic', 'fish -ic'].filter((words) => has(words.split(' ')[0]))
      .map((words) => [`${words} '${words.startsWith('fish') ? 'math 40+2' : 'echo $((40+2))'}'`]);
    for (const [command, typed] of [...commands, ...scripts, ['sh -i', 'echo $((40+2)); exit']]) {
      const terminal = new Terminal(space.env, command);
      if (typed) await terminal.enter(typed);
      await terminal.expect(/(^|[$#] )42\r?$/m);
      await terminal.ended();
      assert.ok(!/ptyd/.test(terminal.text), terminal.text);
    }
  });

  if (su.why) {
    report.skip(on('su -'), su.why);
  } else {
    await report.test(on('su - runs what it is to run, its status and stdin, and nothing else'), () => {
      gives(run('unshare', [...su.args, '-c', 'echo hi; exit 7']), 7, 'hi\n');
      gives(run('unshare', [...su.args, '-c', 'cat'], { input: 'through\n' }), 0, 'through\n');
    });
  }

  for (const editor of ['vim', 'nvim'].filter(has)) {
    await report.test(on(`what ${editor} runs itself is what it was`), async () => {
      const said = path.join(space.root, `${editor}-${state.replaceAll(' ', '-')}`), call = `call writefile(split(system("echo hi; exit 7"), "\\n") + [v:shell_error], "${said}")`;
      const outer = new Outer({ ...space.env, TERM: 'xterm-256color' }, [editor, '-u', 'NONE', '-c', call, '-c', 'qa!'], { cwd: space.home });
      assert.strictEqual(await outer.ended, 0);
      assert.strictEqual(fs.readFileSync(said, 'utf8'), 'hi\n7\n');
      await outer.end();
    });
  }

  if (sshd.why) {
    report.skip(on('ssh host command, scp, rsync'), sshd.why);
    return;
  }
  await report.test(on('ssh host command: its output, status and stdin, and nothing else'), () => {
    const [ssh, ...args] = sshd.command.split(' ');
    gives(run(ssh, [...args, 'echo hi; exit 7']), 7, 'hi\n');
    gives(run(ssh, [...args, "bash -lc 'echo login'"]), 0, 'login\n');
    gives(run(ssh, [...args, 'cat'], { input: 'through\n' }), 0, 'through\n');
  });

  await report.test(on('scp in both protocols, and rsync, bring a file there and back'), () => {
    const [from, to, back] = ['from', 'to', 'back'].map((name) => path.join(space.root, name));
    fs.writeFileSync(from, Buffer.from(Array.from({ length: 70000 }, (_, i) => i & 255)));
    const copies = [[], ['-O']].map((protocol) => (a, b) => run('scp', [...protocol, '-q', ...sshd.options, a, b]));
    if (has('rsync')) copies.push((a, b) => run('rsync', ['-e', ['ssh', ...sshd.options].join(' '), a, b]));
    for (const copy of copies) {
      fs.rmSync(to, { force: true });
      fs.rmSync(back, { force: true });
      gives(copy(from, `${sshd.host}:${to}`), 0, '');
      gives(copy(`${sshd.host}:${to}`, back), 0, '');
      assert.ok(fs.readFileSync(back).equals(fs.readFileSync(from)));
    }
  });
}

// The name of the session that a shell in an editor's terminal has, 'none' without one.
async function inEditor(editor, space) {
  const outer = new Outer({ ...space.env, TERM: 'xterm-256color', SHELL: '/bin/bash' }, [editor, '-u', 'NONE', '-c', 'terminal', ...(editor === 'nvim' ? ['-c', 'startinsert'] : [])], { cwd: space.home });
  await outer.until('a prompt', (look) => look.rows.some((row) => row.startsWith('$')));
  await outer.type("printf '<%s>\\n' \"${PTYD_SESSION-none}\"\r");
  const seen = await outer.until('its name', (look) => look.rows.some((row) => /^<[^%]*>/.test(row)));
  await outer.end();
  return /^<(.*)>/.exec(seen.rows.find((row) => /^<[^%]*>/.test(row)))[1];
}

// What a person types into, without the line.
async function testPlain(report, space, su) {
  for (const editor of ['vim', 'nvim'].filter(has))
    await report.test(`without the line: a shell in the terminal of ${editor} is that shell`, async () => assert.strictEqual(await inEditor(editor, space), 'none'));
  if (su.why) return;
  await report.test('without the line: su - is that shell', async () => {
    const terminal = new Terminal(space.env, su.command);
    assert.strictEqual(await terminal.ask('${PTYD_SESSION-none}'), 'none');
    await terminal.enter('exit 5');
    assert.strictEqual(await terminal.ended(), 5);
  });
}

async function testPeople(report, daemon, space, sshd, su) {
  const terms = () => daemon.json('list').filter((s) => s.name.startsWith('term-')).map((s) => s.name);
  const gone = () => until('no session is left', () => !terms().length);

  for (const shell of ['bash', 'zsh', 'fish'].filter(has)) {
    await report.test(`${shell} in a terminal (an editor's, too) is a session, and its status is the window's`, async () => {
      const terminal = new Terminal({ ...space.env, SHELL: spawnSync('sh', ['-c', `command -v ${shell}`], { encoding: 'utf8' }).stdout.trim() }, `${shell} -i`);
      assert.match(await terminal.ask('$PTYD_SESSION'), /^term-\d+$/);
      await terminal.enter('exit 5');
      assert.strictEqual(await terminal.ended(), 5);
      await gone();
    });
  }

  for (const editor of ['vim', 'nvim'].filter(has)) {
    await report.test(`a shell in the terminal of ${editor} is a session, which goes with it`, async () => {
      assert.match(await inEditor(editor, space), /^term-\d+$/);
      await gone();
    });
  }

  for (const shell of ['bash', 'zsh', 'fish'].filter((one) => has(one) && has('mc'))) {
    await report.test(`mc in a session, and the ${shell} that it steers: no session, and mc goes where that does`, async () => {
      const outer = new Outer({ ...space.env, TERM: 'xterm-256color', SHELL: '/bin/bash' }, ['bash', '-i'], { cwd: space.home });
      await outer.until('a prompt', (look) => look.rows.some((row) => row.startsWith('$')));
      await outer.type(`SHELL=$(command -v ${shell}) mc\r`);
      await outer.until('its panels', (look) => look.rows.some((row) => /1Help .*10Quit/.test(row)));
      assert.strictEqual(terms().length, 1);
      await outer.type('cd /usr/share\r');
      await outer.until('it is there', (look) => look.rows.some((row) => /<─ \/usr\/share ─/.test(row)));
      await outer.end();
      await gone();
    });
  }

  if (su.why) {
    report.skip('su - in a terminal', su.why);
  } else {
    await report.test("su - in a terminal: a session of its own; in a session's terminal none", async () => {
      const terminal = new Terminal(space.env, su.command);
      assert.match(await terminal.ask('${PTYD_SESSION-none}'), /^term-\d+$/);
      await terminal.enter('exit 5');
      assert.strictEqual(await terminal.ended(), 5);
      const own = new Terminal(space.env, 'bash -i');
      assert.match(await own.ask('$PTYD_SESSION'), /^term-\d+$/);
      await own.enter(su.command);
      assert.strictEqual(await own.ask('${PTYD_SESSION-none}'), 'none');
      await own.enter('exit');
      assert.match(await own.ask('$PTYD_SESSION'), /^term-\d+$/);
      assert.strictEqual(terms().length, 1);
      await own.enter('exit');
      await own.ended();
      await gone();
    });
  }

  await report.test('no daemon that answers: the plain shell of the profile, once, within its second', async () => {
    const { worker_pid: worker } = daemon.json('status');
    process.kill(worker, 'SIGSTOP');
    try {
      const terminal = new Terminal(space.env, 'bash -i');
      await terminal.expect(/the daemon does not answer[^]*starting \/bin\/bash without it/);
      assert.strictEqual(await terminal.ask('${PTYD_SESSION-unset}'), '');
      await terminal.enter('exit 6');
      assert.strictEqual(await terminal.ended(), 6);
    } finally { process.kill(worker, 'SIGCONT'); }
    await gone();
  });

  await report.test('a ptyd that cannot run (a library is missing) takes no shell away', async () => {
    const broken = path.join(space.root, 'broken');
    fs.mkdirSync(broken);
    fs.writeFileSync(path.join(broken, 'ptyd'), '#!/nonexistent/loader\n', { mode: 0o755 });
    fs.writeFileSync(path.join(broken, 'ptyd'), '#!/bin/sh\necho cannot open shared object file >&2; exit 127\n', { mode: 0o755 });
    const terminal = new Terminal({ ...space.env, PATH: `${broken}:${space.env.PATH}` }, 'bash -i');
    assert.strictEqual(await terminal.ask('${PTYD_SESSION-none}'), 'none');
    await terminal.enter('exit');
    await terminal.ended();
  });

  if (sshd.why) {
    report.skip('ssh into a shell', sshd.why);
  } else {
    await report.test('ssh into a shell: a session in which all of the profile was read; from there to this host: another', async () => {
      const terminal = new Terminal(space.env, `${sshd.command} -tt`);
      const first = await terminal.ask('$PTYD_SESSION');
      assert.match(first, /^term-\d+$/, terminal.text);
      assert.strictEqual(await terminal.ask('$BEHIND'), 'profile');
      await terminal.enter(`${sshd.command} -tt`);
      await until('a second session', () => terms().length === 2);
      const second = terms().find((name) => name !== first);
      await until('its prompt', () => daemon.json('list').find((s) => s.name === second)?.state === 'prompt');
      assert.strictEqual(await terminal.ask('$PTYD_SESSION'), second);
      await terminal.enter('exit');
      await until('back', () => terms().length === 1);
      assert.strictEqual(await terminal.ask('$PTYD_SESSION'), first);
      await terminal.enter('exit 9');
      assert.strictEqual(await terminal.ended(), 9);
      await gone();
    });
  }
}

// Who sits on a session's own terminal.
async function testInside(report, daemon, space) {
  const inside = async (terminal, env = '') => terminal.ask(`$(${env} ${PTYD} inside; echo $?)`);
  await report.test('inside: by the terminal, whatever PTYD_SESSION says; the daemon stopped or not', async () => {
    const outside = new Terminal({ ...space.env, PTYD_SESSION: '' }, 'bash -i');
    for (const leaked of ['', 'PTYD_SESSION=work', 'PTYD_SESSION=nowhere']) assert.strictEqual(await inside(outside, leaked), '1');
    await outside.enter(`export PTYD_SESSION=nowhere; exec ${PTYD}`);
    await until('a session', () => daemon.json('list').some((s) => s.name.startsWith('term-') && s.state === 'prompt'));
    assert.match(await outside.ask('$PTYD_SESSION'), /^term-\d+$/);
    for (const leaked of ['', 'PTYD_SESSION=work', 'env -u PTYD_SESSION', 'PTYD_SESSION=']) assert.strictEqual(await inside(outside, leaked), '0');
    await outside.enter(`PTYD_SESSION=nowhere ${PTYD}; echo status $?`);
    await outside.expect(/this terminal is session nowhere already[^]*status 1/);
    if (process.getuid() === 0) {
      await outside.enter('su -');
      await until('su asked', () => daemon.json('list').find((s) => s.name.startsWith('term-')).state === 'running');
      assert.strictEqual(await inside(outside), '0');
      await outside.enter('exit');
    }
    await outside.enter('exit');
    await outside.ended();
  });

  if (!has('tmux')) {
    report.skip('inside: tmux', 'tmux is not on this machine');
    return;
  }
  await report.test('tmux in a session has terminals of its own, also when it outlives the session', async () => {
    const socket = path.join(space.root, 'tmux'), tmux = (...args) => spawnSync('tmux', ['-S', socket, ...args], { env: space.env, encoding: 'utf8' });
    const own = new Terminal({ ...space.env, PTYD_SESSION: '' }, PTYD);
    const name = await own.ask('$PTYD_SESSION');
    await own.enter(`tmux -S ${socket} -f /dev/null new-session -d -x 80 -y 20 'PTYD_SESSION=${name} bash --norc -i'`);
    const pane = () => tmux('capture-pane', '-p').stdout;
    await until('tmux runs', () => /[$#]\s*$/m.test(pane()));
    await own.enter('exit');
    await own.ended();
    await until('the session is gone', () => !daemon.json('list').some((s) => s.name === name));
    tmux('send-keys', `echo was-$PTYD_SESSION; ${PTYD} inside; echo in-$?`, 'Enter');
    await until('outside, though the name was left behind', () => new RegExp(`^was-${name}$[^]*^in-1$`, 'm').test(pane())).catch((error) => { throw new Error(`${error.message}: ${pane()}`); });
    tmux('send-keys', PTYD, 'Enter'); // which clears the screen
    await until('a session of the pane', () => daemon.json('list').some((s) => s.name.startsWith('term-') && s.name !== name && s.state === 'prompt'));
    tmux('kill-server');
    await until('which goes with it', () => !daemon.json('list').some((s) => s.name.startsWith('term-')));
  });
}

// Leaving without a key.
async function testDetach(report, daemon, space) {
  const env = { ...space.env, PTYD_SESSION: '' };
  const state = (name) => daemon.json('list').find((s) => s.name === name)?.state;
  await report.test('detach from inside: this terminal leaves, its own session goes on', async () => {
    const own = new Terminal(env, PTYD), name = await own.ask('$PTYD_SESSION');
    await own.enter(`${PTYD} detach; echo still-$((40+2))`);
    await own.expect(new RegExp(`left session ${name}`));
    assert.strictEqual(await own.ended(), 0);
    await until('it goes on', () => daemon.ptyd('screen', '-s', name).stdout.includes('still-42') && state(name) === 'prompt');
    assert.strictEqual(daemon.ptyd('detach', name).status, 1, 'nobody shows it');
    const back = new Terminal(env, `${PTYD} attach ${name}`);
    assert.strictEqual(await back.ask('$PTYD_SESSION'), name);
    await back.enter('exit 4');
    assert.strictEqual(await back.ended(), 4);
    await until('it is in the list no more', () => !state(name));
    assert.ok(daemon.json('list', '--all').some((s) => s.name === name && s.state === 'closed'));
    assert.match(daemon.ptyd('blocks', '-s', name).stdout, /^ +\d+  .* 4 .*  exit 4$/m);
  });

  await report.test('detach from outside: all terminals of the session, and of no other', async () => {
    for (const name of ['shown', 'other']) daemon.ptyd('open', name);
    const terminals = ['shown', 'shown', 'other'].map((name) => new Terminal(env, `${PTYD} attach ${name}`));
    for (const terminal of terminals) assert.match(await terminal.ask('$PTYD_SESSION'), /shown|other/);
    assert.match(daemon.ptyd('detach', 'shown').stdout, /^2 terminals left session shown/);
    for (const terminal of terminals.slice(0, 2)) assert.strictEqual(await terminal.ended(), 0);
    assert.strictEqual(await terminals[2].ask('$PTYD_SESSION'), 'other');
    assert.strictEqual(daemon.ptyd('detach', 'other').status, 0);
    assert.strictEqual(await terminals[2].ended(), 0);
    assert.strictEqual(daemon.ptyd('detach').status, 2, 'which?');
    assert.deepStrictEqual(['shown', 'other'].map(state), ['prompt', 'prompt']);
  });

  await report.test('a name that none has: the nearest one, and how to make it; nothing is made', async () => {
    const terminal = new Terminal(env, `${PTYD} attach shwon; echo status $?`);
    await terminal.expect(/there is no session shwon; did you mean shown\? `ptyd open shwon` starts it[^]*status 1/);
    await terminal.ended();
    assert.ok(!state('shwon') && !fs.existsSync(path.join(space.root, 'state/conversations/shwon')));
    for (const name of ['shown', 'other']) daemon.ptyd('close', name);
  });
}

// Windows that are closed, one after the other.
async function testNumbers(report, daemon, space) {
  await report.test('windows that are closed: gone from the list, no number twice, also by another daemon; nothing is inherited', async () => {
    const names = [];
    for (let i = 0; i < 3; i++) {
      const window = new Terminal({ ...space.env, PTYD_SESSION: '' }, PTYD);
      names.push(await window.ask('$PTYD_SESSION'));
      assert.strictEqual(daemon.json('blocks', '-s', names[i]).length, 1, 'its own alone');
      const { pid } = window.process;
      process.kill(pid, 'SIGKILL'); // the terminal's master closes: SIGHUP
      await until('it is gone', () => !daemon.json('list').some((s) => s.name.startsWith('term-')));
    }
    assert.strictEqual(new Set(names).size, 3);
    const last = Math.max(...daemon.json('list', '--all').map((s) => Number(/^term-(\d+)$/.exec(s.name)?.[1] || 0)));
    await daemon.stop();
    const next = await new Daemon(space).ready();
    const window = new Terminal({ ...space.env, PTYD_SESSION: '' }, PTYD);
    assert.strictEqual(await window.ask('$PTYD_SESSION'), `term-${last + 1}`);
    assert.match(next.ptyd('blocks', '-s', names[0]).stdout, /PTYD_SESSION/);
    await window.enter('exit');
    await window.ended();
    await next.stop();
  });
}

async function testFiles(report, space) {
  const home = path.join(space.root, 'files');
  fs.mkdirSync(path.join(home, 'dotfiles'), { recursive: true });
  const ptyd = (...args) => spawnSync(PTYD, args, { env: { ...space.env, HOME: home, ZDOTDIR: '', XDG_CONFIG_HOME: '' }, encoding: 'utf8' });
  await report.test('enable shell: the first line, once; mode and link stay; disable takes exactly that', () => {
    const target = path.join(home, 'dotfiles/bashrc'), text = '# mine\nalias ll="ls -l"\n# no line end';
    fs.writeFileSync(target, text, { mode: 0o640 });
    fs.chmodSync(target, 0o640);
    fs.symlinkSync('dotfiles/bashrc', path.join(home, '.bashrc'));
    fs.writeFileSync(path.join(home, '.profile'), '. ~/.bashrc\n');
    for (let i = 0; i < 2; i++) {
      const said = ptyd('enable', 'shell');
      assert.deepStrictEqual([said.status, said.stderr], [0, '']);
      assert.strictEqual(fs.readFileSync(target, 'utf8'), `${LINE} # ptyd enable shell\n${text}`);
    }
    assert.ok(fs.lstatSync(path.join(home, '.bashrc')).isSymbolicLink());
    assert.strictEqual(fs.statSync(target).mode & 0o777, 0o640);
    assert.strictEqual(fs.readFileSync(path.join(home, '.profile'), 'utf8'), '. ~/.bashrc\n');
    assert.strictEqual(ptyd('disable', 'shell').status, 0);
    assert.strictEqual(fs.readFileSync(target, 'utf8'), text);
    assert.strictEqual(fs.statSync(target).mode & 0o777, 0o640);
    assert.match(ptyd('disable', 'shell').stdout, /No profile has a line/);
  });

  await report.test('a file that enable made is gone again; one that somebody wrote into stays; login files that leave .bashrc out have it', () => {
    fs.writeFileSync(path.join(home, '.bash_profile'), 'x=1\n');
    assert.strictEqual(ptyd('enable', 'shell', 'bash', 'zsh', 'fish').status, 0);
    assert.ok(fs.readFileSync(path.join(home, '.bash_profile'), 'utf8').startsWith(LINE));
    fs.appendFileSync(path.join(home, '.config/fish/config.fish'), 'set -g mine 1\n');
    assert.strictEqual(ptyd('disable', 'shell').status, 0);
    assert.ok(!fs.existsSync(path.join(home, '.zshrc')));
    assert.strictEqual(fs.readFileSync(path.join(home, '.config/fish/config.fish'), 'utf8'), 'set -g mine 1\n');
    assert.strictEqual(fs.readFileSync(path.join(home, '.bash_profile'), 'utf8'), 'x=1\n');
  });

  await report.test("enable and disable at the same moment: one of the two has happened, and a file of the user's beside it stays", async () => {
    const several = path.join(space.root, 'several'), profile = path.join(several, '.bashrc'), text = Array.from({ length: 5000 }, (_, i) => `alias a${i}=b\n`).join('');
    fs.mkdirSync(several);
    for (const [name, content] of [['.bashrc', text], ['.bashrc.new', 'mine\n'], ['.profile', '. ~/.bashrc\n']]) fs.writeFileSync(path.join(several, name), content);
    const start = (...args) => new Promise((resolve) => {
      let said = '';
      const child = spawn(PTYD, args, { env: { ...space.env, HOME: several }, stdio: ['ignore', 'ignore', 'pipe'] });
      child.stderr.on('data', (data) => { said += data; });
      child.on('close', (status) => resolve([status, said]));
    });
    for (let i = 0; i < 15; i++) {
      const both = await Promise.all(['enable', 'disable', 'enable', 'disable'].map((word) => start(word, 'shell', ...(word === 'enable' ? ['bash'] : []))));
      assert.deepStrictEqual(both, Array(4).fill([0, '']));
      const now = fs.readFileSync(profile, 'utf8');
      assert.ok(now === text || now === `${LINE} # ptyd enable shell\n${text}`, now.slice(0, 500));
    }
    assert.deepStrictEqual(fs.readdirSync(several).filter((name) => name.startsWith('.bash')), ['.bashrc', '.bashrc.new']);
    assert.strictEqual(fs.readFileSync(`${profile}.new`, 'utf8'), 'mine\n');
  });

  await report.test('bash in a home without files: terminals and login shells have it, and nothing is left of it', () => {
    const empty = path.join(space.root, 'empty-home');
    fs.mkdirSync(empty);
    const at = (...args) => spawnSync(PTYD, args, { env: { ...space.env, HOME: empty }, encoding: 'utf8' });
    for (let i = 0; i < 2; i++) assert.strictEqual(at('enable', 'shell', 'bash').status, 0);
    for (const file of ['.bashrc', '.profile']) assert.strictEqual(fs.readFileSync(path.join(empty, file), 'utf8').split(LINE).length, 2, file);
    assert.strictEqual(at('disable', 'shell').status, 0);
    assert.deepStrictEqual(fs.readdirSync(empty).filter((name) => name.startsWith('.bash') || name === '.profile'), []);
  });

  await report.test("the README's line is that one; it does nothing in a shell of another kind", () => {
    assert.ok(fs.readFileSync(path.resolve(__dirname, '../../README.md'), 'utf8').includes(`    ${LINE}\n`));
    for (const shell of ['bash', 'zsh', 'dash'].filter(has)) {
      const said = spawnSync(shell, ['-c', `${LINE}\necho on`], { env: space.env, encoding: 'utf8' });
      assert.deepStrictEqual([said.stdout, said.stderr], ['on\n', '']);
    }
    assert.strictEqual(ptyd('enable', 'shell', 'tcsh').status, 2);
  });
}

// What of its environment a session gets.
async function testEnvironment(report, daemon, space) {
  const emulators = ['KITTY_WINDOW_ID', 'WT_SESSION', 'KONSOLE_VERSION', 'WEZTERM_PANE', 'ITERM_SESSION_ID', 'ALACRITTY_LOG', 'GHOSTTY_BIN_DIR', 'VTE_VERSION', 'TERM_PROGRAM', 'TERM_PROGRAM_VERSION', 'TERMINATOR_UUID', 'VSCODE_IPC_HOOK_CLI', 'TMUX', 'STY'];
  const others = ['LISTEN_PID', 'LISTEN_FDS', 'NOTIFY_SOCKET', 'WATCHDOG_USEC', 'PTYD_NO_START', 'PTYD_WHATEVER'];
  const said = Object.fromEntries([...emulators, ...others, 'GIT_ASKPASS'].map((name) => [name, 'said']));
  const env = { ...space.env, ...said, TERM: 'xterm-kitty', COLORTERM: 'yes' };
  delete env.LISTEN_PID; // systemd's own: it would speak of this process
  const names = (file) => Object.fromEntries(fs.readFileSync(file, 'latin1').split('\0').filter(Boolean).map((v) => [v.slice(0, v.indexOf('=')), v.slice(v.indexOf('=') + 1)]));

  await report.test('bare ptyd keeps what this terminal says of itself', async () => {
    const file = path.join(space.root, 'bare.env'), terminal = new Terminal({ ...env, PTYD_SESSION: '' }, PTYD);
    await terminal.enter(`cat /proc/$$/environ >${file}; exit`);
    await terminal.ended();
    const kept = names(file);
    for (const name of [...emulators, 'GIT_ASKPASS']) assert.strictEqual(kept[name], 'said', name);
    for (const name of others) assert.ok(!(name in kept), name);
    assert.deepStrictEqual([kept.TERM, kept.COLORTERM], ['xterm-kitty', 'yes']);
    assert.match(kept.PTYD_SESSION, /^term-\d+$/);
  });

  await report.test('open knows no emulator', async () => {
    assert.strictEqual(spawnSync(PTYD, ['open', 'anywhere'], { env: { ...env, TERM: 'xterm-kitty' } }).status, 0);
    const kept = names(`/proc/${daemon.json('list').find((s) => s.name === 'anywhere').shell_pid}/environ`);
    for (const name of [...emulators, 'LISTEN_FDS', 'NOTIFY_SOCKET', 'WATCHDOG_USEC', 'PTYD_WHATEVER']) assert.ok(!(name in kept), name);
    assert.deepStrictEqual([kept.TERM, kept.COLORTERM, kept.PTYD_SESSION, kept.GIT_ASKPASS], ['xterm-256color', 'truecolor', 'anywhere', 'said']);
    daemon.ptyd('close', 'anywhere');
  });
}

async function main() {
  const report = new Report();
  const space = workspace();
  const bin = path.join(space.root, 'bin');
  fs.mkdirSync(bin);
  fs.symlinkSync(PTYD, path.join(bin, 'ptyd'));
  space.env.PATH = `${bin}:${space.env.PATH}`;
  const daemon = await new Daemon(space).ready();
  await testFiles(report, space);
  await testEnvironment(report, daemon, space);
  await testInside(report, daemon, space);
  await testDetach(report, daemon, space);
  // As Debian has it: login shells read .profile, which reads .bashrc, and goes on.
  fs.writeFileSync(path.join(space.home, '.bashrc'), 'case $- in *i*) ;; *) return ;; esac\nPS1="\\$ "\n');
  const far = path.join(space.root, 'su.sock');
  fs.writeFileSync(path.join(space.home, '.profile'), `PATH=${bin}:$PATH # /etc/profile has set another\n[ "$PTYD_SOCKET" ] || export PTYD_SOCKET=${far} PTYD_STATE_DIR=${path.join(space.root, 'su-state')}\n[ -z "$BASH_VERSION" ] || . ~/.bashrc\nBEHIND=profile\n`);
  const sshd = startSshd(space.root, space.env);
  const su = startSu(space);
  await testPrograms(report, space, sshd, su, 'without the line');
  await testPlain(report, space, su);
  const enabled = spawnSync(PTYD, ['enable', 'shell', 'bash', 'zsh', 'fish'], { env: space.env, encoding: 'utf8' });
  assert.strictEqual(enabled.status, 0, enabled.stderr);
  await testPrograms(report, space, sshd, su, 'with the line');
  await testPeople(report, daemon, space, sshd, su);
  await testNumbers(report, daemon, space);
  spawnSync('sh', ['-c', `kill $(cat ${far}.lock) 2>/dev/null`]);
  await Outer.endAll();
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
