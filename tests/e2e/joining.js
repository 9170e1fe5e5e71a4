// Joining a session in which a full-screen program runs, and leaving: behind the program the primary screen is
// as it was; what it had switched on is on while it is shown, and off when its user has left. It is read off
// the outer terminal alone (tests/outer). Programs that are not installed are skipped, and said.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, PTYD, until } = require('./harness');
const { Outer, ASK, hex } = require('./outer');
const { sshd } = require('./sshd');

const space = workspace();
const env = { ...space.env, TERM: 'xterm-256color' };
const file = path.join(space.root, 'text');
fs.writeFileSync(file, Array.from({ length: 200 }, (_, i) => `line ${i} of the text\n`).join(''));

const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

// What is run, what its screen shows, and the keys that end it.
const PROGRAMS = [
  ['vim', `vim -u NONE ${file}`, /^line 3 of/m, ':q!\r'],
  ['nvim', `nvim -u NONE ${file}`, /^line 3 of/m, ':q!\r'],
  ['less', `less ${file}`, /^line 3 of/m, 'q'],
  ['htop', 'htop', /PID.*USER/, 'q'],
  ['fzf', `fzf <${file}`, /200\/200/, '\x03'],
  ['man', `man ${path.resolve(__dirname, '../../docs/ptyd.1')}`, /NAME/, 'q'],
  ['nano', `nano -I ${file}`, /^line 3 of/m, '\x18'],
  ['mc', 'mc -u', /Help/, '\x1b0'],
  ['tmux', `tmux -L ${path.basename(space.root)} -f /dev/null new sh`, /\[0\]|\[sh\]|0:sh/, 'exit\r'],
  ['watch', 'watch -n 100 echo watched', /^watched/m, '\x03'],
  ['python3', 'python3 -q', /^>>>/m, 'exit()\r'],
  ['git', `git -C ${space.root}/repo log -p`, /^commit/m, 'q'],
  ['top', 'top', /PID.*USER/, 'q'],
];

function makeRepository() {
  const git = (...args) => spawnSync('git', ['-C', `${space.root}/repo`, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
  fs.mkdirSync(`${space.root}/repo`);
  git('init', '-q');
  fs.copyFileSync(file, `${space.root}/repo/text`);
  git('add', '.');
  git('commit', '-qm', 'first');
}

let daemon;
const text = (look) => look.rows.map((row) => row.trimEnd()).join('\n').trimEnd();
const inside = (name) => daemon.json('screen', '-s', name);

// Both show the same, and it has stopped changing.
async function settled(outer, name) {
  let seen, wanted;
  try {
    await until('', async () => {
      seen = text(await outer.look());
      wanted = text(inside(name));
      return seen === wanted;
    });
  } catch { assert.strictEqual(seen, wanted, 'outside as inside'); }
  return seen;
}

async function attach(name) {
  const outer = new Outer(env, [PTYD, 'attach', name], { cwd: space.home });
  await outer.until('something is shown', (look) => text(look).length > 0);
  return outer;
}

async function detach(outer) {
  await outer.type('\x1cd');
  await outer.ended;
}

async function program(name, command, shows, quit) {
  const session = `p-${name}`;
  daemon.ptyd('open', session, '--size', '80x24');
  const first = new Outer(env, ['sh', '-c', `read x; ${PTYD} attach ${session}; read x`], { cwd: space.home });
  const modes = JSON.stringify(await first.modes());
  await first.type('\r');
  await first.until('a prompt', (look) => /\$/.test(text(look)));
  await first.type('echo before; printf "a %s\\n" "\\033[31mred\\033[m"\r');
  await first.until('the line before', (look) => /^before$/m.test(text(look)));
  await first.type(`${command}\r`);
  await first.until(`${name} shows itself`, (look) => shows.test(look.rows.join('\n')));
  const cursor = inside(session);
  await detachOnly(first);
  const left = await first.until('it left', (look) => look.rows.some((row) => row.startsWith('[left session')));
  assert.strictEqual(left.alternate, false);
  if (cursor.alt_screen) assert.match(text(left), /^before$/m);
  assert.strictEqual(JSON.stringify(await first.modes()), modes, 'no mode is left on');
  await first.end();

  const second = await attach(session);
  await second.until('it is shown again', (look) => shows.test(look.rows.join('\n')));
  assert.strictEqual((await second.look()).alternate, cursor.alt_screen, 'on the screen it runs on');
  await second.type(quit);
  await until('the prompt is back', () => daemon.json('list').find((s) => s.name === session).state === 'prompt');
  const after = await settled(second, session);
  if (cursor.alt_screen) assert.match(after, /^before$/m);
  await second.type('echo after\r');
  await second.until('it goes on', (look) => /^after$/m.test(text(look)));
  await settled(second, session);
  await detach(second);
  await second.end();
  daemon.ptyd('close', session);
}

async function main() {
  const report = new Report();
  daemon = await new Daemon(space).ready();
  makeRepository();
  const ssh = sshd(space.root, space.env);
  for (const [name, command, shows, quit] of [...PROGRAMS, ['ssh', ssh.command && `${ssh.command} -t sh`, /[#$] *$/m, 'exit\r']]) {
    const title = `${name}: behind a leaving and a joining the primary screen is as it was`;
    if (has(name) && command) await report.test(title, () => program(name, command, shows, quit));
    else report.skip(title, (name === 'ssh' && ssh.why) || `no ${name} here`);
  }

  await report.test('what stood on the screen is in the scrollback, and nothing else; the shell goes on below', async () => {
    daemon.ptyd('open', 'plain');
    const outer = new Outer(env, ['sh', '-c', `printf 'motd one\\nmotd two\\n'; ${PTYD} attach plain; printf 'below\\n'; read x`], { cwd: space.home });
    await outer.until('a prompt', (look) => /^\S*[$#%]/.test(look.rows[0]));
    const joined = await outer.look();
    assert.deepStrictEqual(joined.lines.slice(0, joined.history), ['motd one', 'motd two']);
    await outer.type('echo one\r');
    await outer.until('it ran', (look) => /^one$/m.test(text(look)));
    await detachOnly(outer);
    const left = await outer.until('the shell goes on', (look) => /^below$/m.test(text(look)));
    const rows = text(left).split('\n');
    assert.ok(rows.indexOf('one') < rows.findIndex((row) => row.startsWith('[left session plain')));
    assert.strictEqual(rows.findIndex((row) => row.startsWith('[left')), rows.indexOf('one') + 2, 'right below the last line');
    await outer.end();
  });

  // Plain, kitty's, with caps and num lock, modifyOtherKeys, every key as a sequence; and a key of the user's own.
  const LEAVES = ['\x1cd', '\x1b[92;5ud', '\x1b[92;69u\x1b[100;65u', '\x1b[92;133u\x1b[100;129u', '\x1b[27;5;92~d', '\x1b[92;5u\x1b[92;5:3u\x1b[100u'];
  await report.test('the detach key leaves in every encoding, and the one that PTYD_DETACH_KEY names', async () => {
    daemon.ptyd('open', 'leaving');
    for (const [key, ...keys] of [[, ...LEAVES], ['C-a q', '\x01q', '\x1b[97;5uq']]) {
      for (const typed of keys) {
        const outer = new Outer(key ? { ...env, PTYD_DETACH_KEY: key } : env, [PTYD, 'attach', 'leaving'], { cwd: space.home });
        await outer.expect('$ ');
        await outer.type(typed);
        await outer.expect('[left session leaving');
        assert.strictEqual(await outer.ended, 0, JSON.stringify(typed));
        await outer.end();
      }
    }
  });

  await report.test('a prefix key alone reaches the program, once it is known to be alone', async () => {
    daemon.ptyd('open', 'lone');
    const outer = await attach('lone');
    await outer.type("stty raw -echo; echo rea\\dy; dd bs=1 count=1 2>/dev/null | od -An -tx1; stty sane\r");
    await outer.expect('ready');
    const typed = Date.now();
    await outer.type('\x1c');
    await outer.expect(' 1c');
    assert.ok(Date.now() - typed >= 400, `after ${Date.now() - typed} ms`);
    await detach(outer);
    await outer.end();
  });

  await report.test('a smaller terminal shows what is around the cursor', async () => {
    daemon.ptyd('open', 'small', '--size', '80x24');
    const first = await attach('small');
    await first.type('seq 1 100; printf "%70s%s\\n" "" right\r');
    await first.until('it ran', (look) => /right$/m.test(text(look)));
    const second = new Outer(env, [PTYD, 'attach', 'small'], { size: '40x10', cwd: space.home });
    await second.until('the last rows', (look) => look.rows.some((row) => row.trimEnd() === '100'));
    await first.type(`${'x'.repeat(60)}edge`);
    await second.until('what is typed far right', (look) => /edge/.test(text(look)));
    await first.type('\x15\x0c');
    await second.until('the first row', (look) => look.rows[0].startsWith('$'));
    assert.strictEqual(inside('small').cols, 80);
    await first.end();
    await second.end();
  });

  await report.test('colours that a program set are those of who joins, and of nobody who left', async () => {
    daemon.ptyd('open', 'colours');
    const first = await attach('colours');
    await first.type("printf '\\033]4;1;#ff0000\\007\\033]11;#123456\\007'; echo s\\et\r");
    await first.expect('set');
    await detach(first);
    const left = first.received().toString();
    assert.ok(left.includes('\x1b]111\x1b\\') && left.includes('\x1b]104\x1b\\'));
    await first.end();
    const second = await attach('colours');
    await second.expect('\x1b]4;1;rgb:ffff/0000/0000\x1b\\\x1b]11;rgb:1212/3434/5656\x1b\\');
    await detach(second);
    await second.end();
  });

  await report.test('a mode that is known by its number alone is told, is that of who joins, and of nobody who left', async () => {
    daemon.ptyd('open', 'numbers');
    const first = await attach('numbers'), asked = path.join(space.root, 'asked'), said = path.join(space.root, 'said');
    await first.type("printf '\\033[?7727;8452h\\033[?8452l'; echo s\\et\r");
    await first.expect('set');
    await detach(first);
    assert.ok(first.received().toString().includes('\x1b[?7727l'));
    await first.end();
    fs.writeFileSync(asked, [7727, 8452, 8453].map((number) => `${hex(`\x1b[?${number}$p`)}\n`).join(''));
    daemon.ptyd('run', '-s', 'numbers', '--', `${ASK} list ${asked} ${said}`);
    const answers = fs.readFileSync(said, 'utf8').trim().split('\n').slice(1).map((answer) => Buffer.from(answer, 'hex').toString());
    assert.deepStrictEqual(answers, ['\x1b[?7727;1$y', '\x1b[?8452;2$y', '\x1b[?8453;0$y']);
    const second = await attach('numbers');
    await second.expect('\x1b[?7727h');
    await detach(second);
    await second.end();
  });

  const MODES = '\\033[?1000;1006;1004;2004;2026;2031;2048;1007;1016;5h\\033[>5u\\033[>4;2m\\033[4 q\\033=\\033[2;10r\\033(0';
  await report.test("leaving leaves no mode on, nor does the session's end", async () => {
    for (const killed of [false, true]) {
      const name = killed ? 'killed' : 'modes';
      daemon.ptyd('open', name);
      const outer = new Outer(env, ['sh', '-c', `read x; ${PTYD} attach ${name}; read x`], { cwd: space.home });
      const before = JSON.stringify(await outer.modes());
      await outer.type('\r');
      await outer.until('a prompt', (look) => /\$/.test(text(look)));
      await outer.type(`printf '${MODES}'\r`);
      await until('they are set', async () => JSON.stringify(await outer.modes()) !== before && /1016/.test(JSON.stringify(await outer.modes())));
      if (killed) await daemon.stop();
      else await detachOnly(outer);
      await outer.expect(killed ? '[session killed ended' : '[left session');
      try { await until('', async () => JSON.stringify(await outer.modes()) === before); } catch { assert.strictEqual(JSON.stringify(await outer.modes()), before); }
      await outer.end();
    }
  });

  await Outer.endAll();
  removeWorkspace(space);
  report.finish();
}

async function detachOnly(outer) {
  await outer.type('\x1cd');
}

main().catch((error) => { console.error(error); process.exit(1); });
