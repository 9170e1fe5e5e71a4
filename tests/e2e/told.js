// What an agent's tools tell of the screen and of scrollback is what context tells: no secret, however it is wrapped;
// nothing of private commands, of what came while capture was paused, or while telling is switched off.
'use strict';
const assert = require('node:assert');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { cases } = require('../secrets/corpus');
const { PTYD, workspace, removeWorkspace, Daemon, Report, Control, until, killWorker, waitFor } = require('./harness');

const TOKEN = ['gh', 'p_', 'aB3dE5gH7jK9mN1pQ3sT5vW7xZ9bC1dE3fG5'].join('');
const VALUE = 'correct-horse-battery-staple';
const KEY = ['-----BEGIN', ' RSA PRIVATE KEY-----\n', ...Array.from({ length: 12 }, (_, i) => `${'MIIEowIBAAKCAQEA'.repeat(4)}${i}\n`), '-----END', ' RSA PRIVATE KEY-----\n'].join('');

async function main() {
  const report = new Report();
  const space = workspace();
  space.env.A_TOKEN = VALUE;
  const bashrc = (s) => fs.writeFileSync(path.join(s.home, '.bashrc'), 'PS1="\\$ "\nHISTCONTROL=ignorespace\n');
  bashrc(space);
  const daemon = await new Daemon(space).ready();
  const control = new Control(space.env.PTYD_SOCKET);
  const ask = async (method, params) => (await control.call(method, { name: 'work', agent: true, ...params }));
  const screen = async () => (await ask('session.screen')).result;
  const scrollback = async (params = {}) => (await ask('session.scrollback', params)).result;
  const all = async () => [...(await scrollback()).lines, ...(await screen()).rows].join('\n');
  const plain = async () => { const params = { name: 'work' }; return [...(await control.call('session.scrollback', params)).result.lines, ...(await control.call('session.screen', params)).result.rows].join('\n'); };
  const run = (command) => daemon.ptyd('run', '-s', 'work', '--timeout', '60', '--', command);
  const show = (name, text) => { const file = path.join(space.root, name); fs.writeFileSync(file, text); run(`cat ${file}`); };
  assert.strictEqual(daemon.ptyd('open', 'work', '--size', '40x10').status, 0);

  await report.test('a secret is found wherever its rows are', async () => {
    for (let column = 0; column < 40; column++) show('shifted', `${'.'.repeat(column)} ${TOKEN} ${VALUE} behind${column}\n`);
    const told = await all(), shown = (await plain()).replaceAll('\n', '');
    assert.ok(shown.includes(TOKEN) && shown.includes(VALUE), 'they are there');
    for (const secret of [TOKEN, VALUE])
      for (let i = 0; i + 12 <= secret.length; i++) assert.ok(!told.replaceAll('\n', '').includes(secret.slice(i, i + 12)), `${secret.slice(i, i + 12)} in ${told}`);
    for (let column = 0; column < 40; column++) assert.ok(told.replaceAll('\n', '').includes(`behind${column}`), 'the rest stays');
    const { redacted } = await scrollback();
    assert.ok(redacted >= 40, `${redacted}`);
  });

  await report.test('a key, whose BEGIN has scrolled away or not', async () => {
    run('clear');
    show('key', KEY);
    const told = await all();
    assert.doesNotMatch(told, /MIIEow/);
    assert.match(told, /\[redacted:/);
  });

  await report.test('what a program wrapped by itself', async () => {
    run('clear');
    show('wrapped', `\x1b[H\x1b[J${TOKEN.slice(0, 20).padStart(40, '.')}\x1b[2;1H${TOKEN.slice(20)} \n`);
    assert.ok(!(await all()).includes(TOKEN.slice(20, 34)));
  });

  await report.test('the title, and what nobody sees', async () => {
    show('title', `\x1b]2;on ${TOKEN} \u{e0041}\u202e<b>\x07a\u202eb\u200bc <b> </tag>\n`);
    const { title, rows } = await screen(), text = `${title}\n${rows.join('\n')}`;
    assert.match(title, /^on \[redacted:[a-z-]+\] .*<b>$/);
    assert.doesNotMatch(text, /[\u202e\u200b\u{e0041}]/u);
    assert.match(text, /<b> <\/tag>/, 'what begins no tag here stays');
  });

  await report.test("a secret of the environment in a directory's name: in no form, running and ended, also behind a worker", async () => {
    const place = path.join(space.root, `of-${VALUE}`), go = path.join(space.root, 'go-named');
    fs.mkdirSync(place);
    const meta = () => fs.readFileSync(path.join(space.env.PTYD_STATE_DIR, 'conversations/work/meta.json'), 'utf8');
    const told = async () => {
      const texts = [];
      for (const format of ['entries', 'text', 'envelope']) {
        const { result } = await control.call('context.show', { consumer: 'a', session: 'work', format });
        texts.push(JSON.stringify(result));
      }
      return [...texts, JSON.stringify(JSON.parse(meta()).pending_cmd_buffer)];
    };
    const check = async (least) => {
      for (const text of await told()) {
        assert.ok(!text.includes(VALUE), text);
        assert.ok(text.split('[redacted:').length > least, text);
      }
    };
    daemon.ptyd('context', 'clear');
    run(`cd ${space.root}/of-*`);
    run('true');
    run('cd .. && cd -');
    await check(2);
    daemon.ptyd('send', '-s', 'work', waitFor(go), '--key', 'Enter');
    await until('it runs', () => daemon.json('list')[0].state === 'running');
    await check(2);
    await killWorker(daemon);
    await check(2);
    fs.writeFileSync(go, '');
    await until('it is over', () => daemon.json('list')[0].state === 'prompt');
    await check(2);
    run(`cd ${space.home}`);
    daemon.ptyd('context', 'clear');
  });

  await report.test('a private command: while it is typed, while it runs, behind it, and behind a worker', async () => {
    const type = (text) => daemon.ptyd('send', '-s', 'work', text);
    run('clear');
    run('echo open-before');
    type(' echo hush-typed');
    await until('it is there', async () => (await plain()).includes('hush-typed'));
    assert.doesNotMatch(await all(), /hush/);
    daemon.ptyd('send', '-s', 'work', '--key', 'C-c');
    await until('a prompt', () => daemon.ptyd('wait', '-s', 'work', '--prompt', '--timeout', '20').status === 0);
    const go = path.join(space.root, 'go');
    type(` echo hush-runs; ${waitFor(go)}; seq -f 'hush-%g' 3`);
    daemon.ptyd('send', '-s', 'work', '--key', 'Enter');
    await until('it runs', async () => /^hush-runs$/m.test(await plain()));
    assert.doesNotMatch(await all(), /hush-runs$/m);
    fs.writeFileSync(go, '');
    await until('it is over', async () => /^hush-3$/m.test(await plain()) && daemon.json('list')[0].state === 'prompt');
    run('echo open-behind');
    const check = async () => {
      const told = await all();
      assert.doesNotMatch(told, /^hush-/m);
      for (const word of ['open-before', 'open-behind']) assert.match(told, new RegExp(`^${word}$`, 'm'));
    };
    await check();
    run('seq -f far-%g 30');
    await check();
    await killWorker(daemon);
    await check();
    assert.match(await plain(), /^hush-2$/m, "it is the user's to see");
    run('clear');
    run('seq -f anew-%g 7');
    assert.match(await all(), /^anew-1\nanew-2\nanew-3/m, 'rows that were cleared are new ones');
  });

  // What was typed says what is private; each shell's own screen, that it is there.
  await report.test('a private line in bash, zsh, fish and dash: of several rows, while it is typed, given up, and run', async () => {
    const other = workspace(), config = path.join(other.home, '.config/ptyd');
    fs.mkdirSync(config, { recursive: true });
    fs.writeFileSync(path.join(config, 'ptyd.conf'), 'private_space = always\nprivate_commands = hushed\n');
    const theirs = await new Daemon(other).ready(), asked = new Control(other.env.PTYD_SOCKET);
    for (const shell of ['bash', 'zsh', 'fish', 'dash'].filter((name) => ['/bin/', '/usr/bin/'].some((dir) => fs.existsSync(dir + name)))) {
      const name = `of-${shell}`;
      const text = async (agent) => (await asked.call('session.screen', { name, agent })).result.rows.join('\n').trimEnd();
      const type = (...args) => assert.strictEqual(theirs.ptyd('send', '-s', name, ...args).status, 0);
      const seen = async (word) => until(`${shell}: ${word}`, async () => (await text(false)).replaceAll('\n', '').includes(word));
      const hushed = async (what) => assert.doesNotMatch(await text(true), /hush|xxx/, `${shell}: ${what}`);
      const prompt = () => until(`${shell}: a prompt`, () => theirs.ptyd('wait', '-s', name, '--prompt', '--timeout', '20').status === 0);
      const open = async (word) => {
        assert.strictEqual(theirs.ptyd('run', '-s', name, '--timeout', '60', '--', `echo ${word}`).status, 0, `${shell}: ${word}`);
        assert.match(await text(true), new RegExp(`^${word}$`, 'm'), `${shell}: ${word}`);
        assert.strictEqual(theirs.json('blocks', '-s', name).at(-1).private, false, `${shell}: ${word}`);
      };
      // A fish or bash that is at work on keys when Ctrl-C comes may do nothing until the next one, ptyd or not: it waits; and
      // what is typed next is typed at the next prompt.
      const log = path.join(other.env.PTYD_STATE_DIR, 'conversations', name, 'agent_pty/output.raw');
      const prompts = () => fs.readFileSync(log, 'latin1').split(/;B[;\x07]/).length;
      const interrupt = async () => {
        const before = prompts();
        await until(`${shell} waits`, () => /^S/.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '')));
        type('--key', 'C-c');
        await until(`${shell}: another prompt`, () => prompts() > before);
        await prompt();
      };
      const giveUp = async (word) => {
        await interrupt();
        await hushed('given up');
        await open(word);
        await hushed('given up before');
      };
      assert.strictEqual(theirs.ptyd('open', name, '--size', '60x40', '--shell', shell).status, 0);
      const { shell_pid: pid } = theirs.json('list').find((session) => session.name === name);
      await open('open-1');
      type('echo open-typed');
      await seen('open-typed');
      assert.match(await text(true), /echo open-typed/, `${shell}: a line that is not private is shown`);
      await interrupt();
      assert.match(await text(true), /echo open-typed/, `${shell}: also given up`);

      type(` echo ${'x'.repeat(60)} hush-wide`);
      await seen('hush-wide');
      await hushed('two rows');
      await giveUp('open-2');
      type('hushed hush-named');
      await seen('hush-named');
      await hushed('named by a pattern');
      await giveUp('open-3');
      if (shell !== 'dash') {
        type('echo hush-home');
        await seen('hush-home');
        type('--key', 'Home');
        type(' ');
        await until(`${shell}: the blank`, async () => /  echo hush-home/.test(await text(false)));
        await hushed('a blank in front');
        await giveUp('open-4');
      }

      if (shell !== 'dash') { // it is drawn anew at the top, where no mark is
        const cleared = async () => {
          type('--key', 'C-l');
          await until(`${shell}: it is cleared`, async () => /^[^\n]*[$#>%][^\n]*$/.test(await text(false)));
        };
        await cleared();
        type('hushed hush-cleared');
        await seen('hush-cleared');
        await hushed('behind Ctrl-L');
        await giveUp('open-cleared');
        await open('open-more');
        await cleared();
        type(' seq -f hush-%g 12', '--key', 'Enter');
        await seen('hush-12');
        await prompt();
        await hushed('run behind Ctrl-L');
        for (const i of [1, 2, 3]) await open(`open-${i}`);
      }

      type(" echo 'hush-first", '--key', 'Enter');
      type('hush-next');
      await seen('hush-next');
      await hushed('several lines');
      type('--key', 'Enter');
      type("c'", '--key', 'Enter');
      await until(`${shell}: it ran`, async () => /hush-first\nhush-next\nc$/m.test(await text(false))); // the last prompt may stand in front
      await prompt();
      await hushed('several lines that ran');
      await open('open-5');
      await killWorker(theirs);
      await hushed('behind another worker');
      const told = await text(true);
      assert.match(told, /^open-1$[^]*^open-2$[^]*^open-3$[^]*^open-5$/m, `${shell}: ${told}`);
    }
    asked.socket?.destroy();
    await theirs.stop();
    removeWorkspace(other);
  });

  await report.test('pause: nothing meanwhile, nor behind it what came then', async () => {
    run('echo open-one');
    daemon.ptyd('context', 'pause');
    run('echo hush-paused');
    for (const method of ['session.screen', 'session.scrollback']) assert.match((await ask(method)).error.message, /paused capture/);
    daemon.ptyd('context', 'resume');
    run('echo open-two');
    const told = await all();
    assert.doesNotMatch(told, /hush-paused/);
    assert.match(told, /^open-one$/m);
    assert.match(told, /^open-two$/m);
  });

  await report.test('a command that ran while capture was paused, and runs on: nobody is told of it', async () => {
    const go = path.join(space.root, 'go-on'), hushed = path.join(space.root, 'go-hush');
    daemon.ptyd('send', '-s', 'work', `${waitFor(hushed)}; echo hush-within; ${waitFor(go)}`, '--key', 'Enter');
    await until('it runs', () => daemon.json('list')[0].state === 'running');
    daemon.ptyd('context', 'pause');
    fs.writeFileSync(hushed, '');
    await until('it is printed', async () => /^hush-within$/m.test(await plain()));
    daemon.ptyd('context', 'resume');
    const { seq } = daemon.json('blocks', '-s', 'work').at(-1);
    const blocks = (await ask('session.blocks')).result;
    assert.deepStrictEqual(blocks.at(-1), { seq, private: true });
    for (const method of ['session.block', 'session.output']) assert.match((await ask(method, { block: String(seq) })).error.message, /is private/, method);
    fs.writeFileSync(go, '');
    await until('it is over', () => daemon.json('list')[0].state === 'prompt');
    assert.doesNotMatch(JSON.stringify((await ask('session.blocks')).result), /hush-within/);
  });

  await report.test('off: nothing until it is on', async () => {
    const where = async () => (await ask('session.list', { members: ['name', 'cwd'] })).result;
    assert.deepStrictEqual(await where(), [['work', daemon.json('list')[0].cwd]]);
    const follower = net.connect(space.env.PTYD_SOCKET);
    let heard = '';
    follower.on('data', (data) => { heard += data; });
    follower.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'events.follow', params: { agent: true } })}\n`);
    await until('it follows', () => heard.includes('places'));
    const { end } = (await ask('session.wait')).result, waits = ask('session.wait', { from: end });
    daemon.ptyd('context', 'off');
    run('echo hush-off');
    assert.match((await waits).error.message, /`ptyd context on` resumes it/, 'who waited, neither');
    daemon.ptyd('open', 'hush');
    daemon.ptyd('close', 'hush');
    for (const method of ['session.screen', 'session.scrollback']) assert.match((await ask(method)).error.message, /`ptyd context on` resumes it/);
    assert.match((await ask('session.list', { members: ['name'] })).error.message, /`ptyd context on` resumes it/, 'not even the names');
    daemon.ptyd('context', 'on');
    assert.ok((await screen()).rows);
    await until('it hears that it is on', () => heard.includes('"injection":true'));
    assert.doesNotMatch(heard, /hush|sessions_changed|agent_block/);
    follower.destroy();
  });

  await report.test('a long secret that is read at other widths: in the rows that were printed, and in those that they are by then', async () => {
    const part = (length) => Array.from({ length: 40 }, (_, i) => createHash('sha512').update(`${length} ${i}`).digest('base64url')).join('').slice(0, length);
    const token = `ey${`J${part(38)}`}.${`eyJ${part(920)}`}.${part(342)}`;
    daemon.ptyd('resize', '-s', 'work', '100x10');
    run('clear');
    show('long', `${'.'.repeat(7)} ${token} behind\n`);
    run('seq 40');
    for (const cols of [100, 20, 5, 2]) {
      daemon.ptyd('resize', '-s', 'work', `${cols}x10`);
      const { total } = (await control.call('session.scrollback', { name: 'work', limit: 1 })).result;
      let told = '', found = 0;
      for (let from = Math.max(0, total - 120); from < total; from++) {
        const { lines, redacted } = await scrollback({ from, limit: 3 });
        for (let i = 0, text = lines.join(''); i + 12 <= text.length; i++) assert.ok(!token.includes(text.slice(i, i + 12)), `${text.slice(i, i + 12)} at ${cols} columns from ${from}`);
        told += lines.join('');
        found += redacted || 0;
      }
      assert.ok(found > 0 && told.includes('behind'), `${found} at ${cols} columns`);
    }
  });

  // A worker that has no checkpoint, as behind an upgrade from a version whose own it cannot read, goes through the log: its rows
  // have other numbers there, for what came while capture was paused is not in it.
  await report.test('private commands behind a worker that begins with the log: at other widths, behind a pause, and again', async () => {
    const name = 'anew';
    assert.strictEqual(daemon.ptyd('open', name, '--size', '40x10').status, 0);
    const checkpoint = path.join(space.env.PTYD_STATE_DIR, 'conversations', name, 'agent_pty/checkpoint');
    const kill = async () => {
      // None can replace a folder; the next worker puts it aside.
      await until('no checkpoint', () => { fs.rmSync(checkpoint, { force: true, recursive: true }); try { fs.mkdirSync(checkpoint); return true; } catch { return false; } });
      await killWorker(daemon);
    };
    const enter = (text) => assert.strictEqual(daemon.ptyd('run', '-s', name, '--timeout', '60', '--', text).status, 0, text);
    const lines = async (agent) => {
      const { lines: above } = (await control.call('session.scrollback', { name, agent })).result;
      return [...above, ...(await control.call('session.screen', { name, agent })).result.rows].join('\n');
    };
    const open = [];
    const say = (word) => { open.push(word); enter(`echo ${word}`); };
    const check = async (where) => {
      const told = await lines(true), held = await lines(false);
      assert.doesNotMatch(told, /hush/, where);
      assert.match(held, /^hush-5$/m, `${where}: the user sees it`);
      for (const word of open) assert.match(told, new RegExp(`^${word}$`, 'm'), `${word} ${where}`);
    };
    say('open-1');
    enter(`printf '%s\\n' ${'w'.repeat(100)} ${'v'.repeat(100)}`);
    enter(" seq -f 'hush-%g' 5");
    say('open-2');
    daemon.ptyd('context', 'pause');
    enter('seq -f paused-%g 30');
    daemon.ptyd('context', 'resume');
    say('open-3');
    daemon.ptyd('resize', '-s', name, '25x12');
    enter(" seq -f 'hush-%g' 20");
    say('open-4');
    await check('before');
    await kill();
    await check('behind a worker');
    enter(' echo hush-again');
    say('open-5');
    daemon.ptyd('resize', '-s', name, '60x8');
    await check('at another width');
    await kill();
    await check('behind another worker');
    enter('clear');
    enter('seq -f anew-%g 5');
    assert.match(await lines(true), /^anew-1\nanew-2\nanew-3/m, 'rows that were cleared are new ones');
    await kill();
    assert.match(await lines(true), /^anew-1\nanew-2\nanew-3/m, 'also behind a worker');

    // one that runs, and whose begin left the log
    const type = (text) => { daemon.ptyd('send', '-s', name, text); daemon.ptyd('send', '-s', name, '--key', 'Enter'); };
    type(" seq -f 'hush-%g' 5000000; read -r");
    await until('all was printed', async () => (await lines(false)).includes('hush-5e+06'), 180000);
    const hidden = async (where) => {
      assert.match(await lines(false), /^hush-[\d.e+]+$/m, `${where}: the user sees it`);
      assert.doesNotMatch(await lines(true), /hush/, where);
    };
    await hidden('while it runs');
    await kill();
    await hidden('while it runs, behind a worker');
    await kill();
    await hidden('while it runs, behind another worker');
    type('enough');
    await until('its prompt', async () => /^\$ *$/m.test(await lines(true)));
    type('echo open-6');
    await until('the next command', async () => /^open-6$/m.test(await lines(true)));
    await hidden('behind it');
    await kill();
    await hidden('behind it, and behind a worker');
    assert.match(await lines(true), /^open-6$/m);
    daemon.ptyd('close', name);
  });

  await report.test('a private command that began while capture was paused, and prints when it is not, behind another worker', async () => {
    const name = 'resumed';
    const lines = async (agent) => [...(await control.call('session.scrollback', { name, agent })).result.lines, ...(await control.call('session.screen', { name, agent })).result.rows].join('\n');
    const type = (text) => { daemon.ptyd('send', '-s', name, text); daemon.ptyd('send', '-s', name, '--key', 'Enter'); };
    const hidden = async (word, where) => {
      await until(word, async () => (await lines(false)).includes(word));
      const told = await lines(true);
      assert.doesNotMatch(told, /hush/, where);
      assert.match(told, /^open$/m, `${where}: what was in front of it stays`);
    };
    daemon.ptyd('open', name);
    for (const command of ['echo open', ' echo hush']) assert.strictEqual(daemon.ptyd('run', '-s', name, '--', command).status, 0);
    daemon.ptyd('context', 'pause');
    type(" printf 'hu%s\\n' sh-1; read -r; printf 'hu%s\\n' sh-2; read -r; printf 'hu%s\\n' sh-3; read -r");
    await until('it runs', async () => (await lines(false)).includes('hush-1'));
    daemon.ptyd('context', 'resume');
    type('on');
    await hidden('hush-2', 'resumed');
    await killWorker(daemon);
    await hidden('hush-2', 'behind a worker');
    type('on');
    await hidden('hush-3', 'what it prints then');
    type('enough');
    await until('its prompt', async () => /^\$ *$/m.test(await lines(true)));
    await hidden('hush-3', 'when it has ended');
    daemon.ptyd('close', name);
  });

  await report.test('what a shell was started with is known, however soon it has ended', async () => {
    for (let i = 0; i < 5; i++) {
      const name = `quick${i}`;
      const { error } = await control.call('session.open', { name, argv: ['/bin/sh', '-c', 'echo "is $A_TOKEN"'], env: space.env, prompt_ms: 0 });
      assert.ok(!error, JSON.stringify(error));
      let told;
      await until('it is printed', async () => { told = (await control.call('session.screen', { name, agent: true })).result?.rows.join('\n'); return /^is /m.test(told); });
      assert.match(told, /^is \[redacted:env:A_TOKEN\]$/m);
      daemon.ptyd('close', name);
    }
  });

  // A shell that has ended, and then its worker; what methods answer an agent.
  const ended = async (on, name) => {
    const methods = [['session.screen'], ['session.scrollback'], ['session.blocks'], ['session.block', '1'], ['session.output', '1']], asks = new Control(on.space.env.PTYD_SOCKET);
    const asked = async () => Promise.all(methods.map(async ([method, block]) => asks.call(method, { name, agent: true, ...(block ? { block } : {}) })));
    on.ptyd('open', name);
    on.ptyd('run', '-s', name, '--', `mkdir ${on.space.root}/$A_TOKEN; cd ${on.space.root}/$A_TOKEN`); // directories are told, too
    on.ptyd('run', '-s', name, '--', 'echo "is $A_TOKEN"');
    on.ptyd('send', '-s', name, '--key', 'C-d');
    await until('it has ended', () => on.json('list').find((s) => s.name === name).state === 'exited');
    // Where nothing is kept the shell itself was asked, which may have been in the midst of its exec(2): then it is as behind a worker's death.
    for (const { result, error } of await asked())
      assert.ok((result || (on !== daemon && /told to no agent/.test(error.message))) && !JSON.stringify(result || error).includes(VALUE), JSON.stringify(result || error));
    await killWorker(on);
    const answers = await asked(), [, cwd] = (await asks.call('session.list', { members: ['name', 'cwd'], agent: true })).result.find(([one]) => one === name);
    assert.match((await asks.call('session.screen', { name })).result.rows.join('\n'), new RegExp(`^is ${VALUE}$`, 'm'), "it is the user's to see");
    for (const format of ['entries', 'text', 'envelope']) {
      const told = JSON.stringify(await asks.call('context.show', { consumer: 'b', session: name, format }));
      assert.ok(!told.includes(VALUE), told);
    }
    on.ptyd('close', name);
    asks.socket.destroy();
    return { answers, cwd };
  };

  await report.test('a shell that has ended, behind another worker: what is secret is known as long as the session is there', async () => {
    const { answers, cwd } = await ended(daemon, 'ended');
    for (const { result } of answers) assert.ok(result && !JSON.stringify(result).includes(VALUE), JSON.stringify(result));
    assert.match(answers[0].result.rows.join('\n'), /^is \[redacted:env:A_TOKEN\]$/m);
    assert.match(cwd, /\[redacted:env:A_TOKEN\]$/);
  });

  await report.test('where that could not be kept it is not known any more, and no agent is told', async () => {
    const bare = workspace();
    Object.assign(bare.env, { A_TOKEN: VALUE, LD_PRELOAD: path.resolve(path.dirname(PTYD), 'faults.so'), ASAN_OPTIONS: 'verify_asan_link_order=0', FAULT_VAULT: '1' });
    bashrc(bare);
    const other = await new Daemon(bare).ready(), { answers, cwd } = await ended(other, 'ended');
    for (const { error, result } of answers) assert.match(error?.message || JSON.stringify(result), /told to no agent any more: its shell has ended/);
    assert.strictEqual(cwd, null);
    await other.stop();
    removeWorkspace(bare);
  });

  await report.test('a command that takes shell and worker along is told without what is secret', async () => {
    const name = 'along', { worker_pid: worker } = daemon.json('status'), go = path.join(space.root, 'go-along');
    daemon.ptyd('open', name, '--env', 'HOME=/nowhere'); // no .bashrc: its lines are known by what is shown of them
    daemon.ptyd('send', '-s', name, `echo "is $A_TOKEN"; ${waitFor(go)}; kill -9 ${worker} $$\r`);
    await until('it runs', () => daemon.json('blocks', '-s', name).some((block) => block.status === 'running' && !block.private));
    fs.writeFileSync(go, '');
    await until('it has ended', () => { const list = daemon.ptyd('list', '--json'); return list.status === 0 && JSON.parse(list.stdout).find((s) => s.name === name)?.state === 'exited'; });
    assert.deepStrictEqual(daemon.json('blocks', '-s', name).map((block) => block.private), [false]);
    const told = await Promise.all(['entries', 'text', 'envelope'].map(async (format) => JSON.stringify(await control.call('context.show', { consumer: 'b', session: name, format }))));
    for (const text of told) assert.ok(!text.includes(VALUE), text);
    assert.match(told[1], /is \[redacted:env:A_TOKEN\]/);
    daemon.ptyd('close', name);
  });

  // What redaction finds of the corpus is check-secrets' to say. LONG=1: all of it.
  await report.test('the same text in, the same out: context, blocks, outputs, screen and scrollback', async () => {
    const name = 'same', file = path.join(space.root, 'same-text');
    const asAgent = async (method, params) => (await control.call(method, { name, agent: true, ...params })).result;
    const filled = (lines) => lines.map((line) => line.trimEnd()).filter(Boolean).join('\n');
    daemon.ptyd('open', name, '--size', '1000x40');
    const texts = cases().map(({ text }) => text).filter((text) => /^[\x20-;=-~\n]*$/.test(text) && text.split('\n').length <= 15); // "<" is written otherwise in entries
    let redacted = 0;
    for (const text of texts.filter((_, i) => process.env.LONG || i % 16 === 0)) {
      fs.writeFileSync(file, text.replace(/\n*$/, '\n'));
      daemon.ptyd('context', 'clear');
      daemon.ptyd('run', '-s', name, '--timeout', '60', '--', `clear; cat ${file}`);
      const { result } = await control.call('context.show', { consumer: 'same', session: name, format: 'entries' });
      const { block_id: id, preview } = JSON.parse(Object.entries(result.additionalContext).find(([key]) => key.includes('block'))[1].value);
      const block = id.split(':')[1], told = filled(preview.lines);
      redacted += told.includes('[redacted:');
      assert.strictEqual(filled((await asAgent('session.output', { block, limit: 100 })).lines), told);
      assert.strictEqual(filled((await asAgent('session.block', { block })).block.preview.lines), told);
      assert.strictEqual(filled((await asAgent('session.screen')).rows.slice(0, preview.lines.length)), told);
      daemon.ptyd('run', '-s', name, '--timeout', '60', '--', 'seq 40'); // all of it is scrollback now
      assert.ok(filled((await asAgent('session.scrollback', { limit: 80 })).lines).includes(told));
    }
    assert.ok(redacted > 50, `${redacted}`);
    daemon.ptyd('close', name);
  });

  control.socket?.destroy();
  await daemon.stop();
  removeWorkspace(space);
  report.finish();
}

main();
