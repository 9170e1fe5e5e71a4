// Real programs that ask the terminal or draw more than text, in the bare terminal and in ptyd: editors
// choose their colours by its ground, pictures and notifications arrive byte for byte. What is not
// installed is skipped and said.
'use strict';
const assert = require('node:assert');
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const zlib = require('node:zlib');
const { spawnSync } = require('node:child_process');
const { workspace, removeWorkspace, Daemon, Report, PTYD, until } = require('./harness');
const { Outer, ASK, hex } = require('./outer');

const space = workspace();
const env = { ...space.env, TERM: 'xterm-256color', COLORTERM: 'truecolor' };
const installed = (program) => spawnSync('which', [program]).status === 0;
let count = 0;
const fresh = () => path.join(space.root, `file-${++count}`);

async function terminal(command, options) {
  const outer = new Outer(env, command, { size: '100x30', cwd: space.home, ...options });
  await outer.expect('$ ');
  return outer;
}

// What an editor takes the ground for, once its terminal has answered.
async function background(command, editor, ground) {
  const outer = await terminal(command, { ground }), file = fresh();
  await outer.type(`${editor}\r`);
  await outer.until('it draws', (look) => look.rows[5]?.startsWith('~'));
  const asked = () => { fs.rmSync(file, { force: true }); return outer.type(`:call writefile([&background], "${file}")\r`); };
  let said;
  try {
    await until('', async () => {
      await asked();
      await until('it says', () => fs.existsSync(file) && fs.readFileSync(file, 'utf8').endsWith('\n'));
      said = fs.readFileSync(file, 'utf8').trim();
      return said === ground;
    });
  } catch { /* what it said last counts */ }
  await outer.end();
  return said;
}

// What arrives of what a command prints.
async function arrival(command, line) {
  const outer = await terminal(command, { blind: true });
  const from = outer.mark();
  await outer.type(`printf '<''begin>'; ${line}; printf '<''end>'\r`);
  await outer.expect('<begin>');
  await outer.expect('<end>');
  const data = outer.received(from), begin = data.indexOf('<begin>') + 7;
  await outer.end();
  return data.subarray(begin, data.indexOf('<end>', begin));
}

function same(got, wanted) {
  assert.ok(got.equals(wanted), `${got.length} bytes of ${wanted.length}: ${JSON.stringify(got.toString('latin1').slice(0, 200))}`);
}

// A picture of 64x48 that compresses badly.
function png() {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]), out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length, 0);
    body.copy(out, 4);
    out.writeUInt32BE(crc(body), body.length + 4);
    return out;
  };
  const crc = (data) => {
    let c = ~0;
    for (const b of data) { c ^= b; for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1; }
    return ~c >>> 0;
  };
  const head = Buffer.from([0, 0, 0, 64, 0, 0, 0, 48, 8, 2, 0, 0, 0]);
  const rows = Buffer.concat(Array.from({ length: 48 }, () => Buffer.concat([Buffer.from([0]), crypto.randomBytes(64 * 3)])));
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head), chunk('IDAT', zlib.deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

// As `kitten icat` sends it: the picture in pieces of 4096 characters.
function icat(picture) {
  const text = picture.toString('base64'), pieces = text.match(/.{1,4096}/g);
  return Buffer.from(pieces.map((piece, i) => `\x1b_G${i ? '' : 'a=T,f=100,q=2,'}m=${i + 1 < pieces.length ? 1 : 0};${piece}\x1b\\`).join(''));
}

async function main() {
  const report = new Report();
  const daemon = await new Daemon(space).ready();
  const ways = { 'the bare terminal': ['bash'], ptyd: [PTYD] };
  const picture = path.join(space.root, 'picture.png');
  fs.writeFileSync(picture, png());

  for (const [program, editor] of [['nvim', 'nvim --clean'], ['vim', 'vim --clean']]) {
    if (!installed(program)) { report.skip(`${program}'s colours`, `${program} is not here (apt-get install ${program === 'vim' ? 'vim' : 'neovim'})`); continue; }
    for (const [way, command] of Object.entries(ways)) for (const ground of ['dark', 'light'])
      await report.test(`${program} on a ${ground} terminal in ${way}`, async () => assert.strictEqual(await background(command, editor, ground), ground));
  }

  const drawings = [
    ['img2sixel', 'libsixel-bin', ['img2sixel', picture]],
    ['chafa', 'chafa', ['chafa', '-f', 'sixels', '--size', '40x20', picture]],
    ['chafa', 'chafa', ['chafa', '-f', 'kitty', '--size', '40x20', picture]],
    ['chafa', 'chafa', ['chafa', '-f', 'iterm', '--size', '40x20', picture]],
  ];
  for (const [program, from, command] of drawings) {
    const name = command.slice(0, 3).join(' ').replace(` ${picture}`, '');
    if (!installed(program)) { report.skip(name, `${program} is not here (apt-get install ${from})`); continue; }
    await report.test(`${name} arrives byte for byte`, async () => {
      const wanted = await arrival(['bash'], command.join(' '));
      assert.ok(wanted.length > 1000);
      same(await arrival([PTYD], command.join(' ')), wanted);
    });
  }

  await report.test("a picture of kitty's icat arrives byte for byte, in one viewer's terminal", async () => {
    const file = fresh(), wanted = icat(crypto.randomBytes(300000));
    fs.writeFileSync(file, wanted);
    same(await arrival([PTYD], `cat ${file}`), wanted);
  });

  await report.test('icat finds out that the terminal draws pictures', async () => {
    const said = [];
    for (const command of Object.values(ways)) {
      const outer = await terminal(command), file = fresh();
      await outer.type(`${ASK} one ${hex('\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c')} ${file}\r`);
      said.push(Buffer.from((await until('it was answered', () => fs.existsSync(file) && fs.readFileSync(file, 'utf8'))).trim(), 'hex').toString());
      await outer.end();
    }
    assert.deepStrictEqual(said[1], said[0]);
    assert.match(said[0], /^\x1b_Gi=31;OK\x1b\\\x1b\[\?62;c$/);
  });

  await report.test('progress and notifications arrive byte for byte', async () => {
    const text = '\x1b]9;4;1;25\x1b\\working\x1b]9;4;1;75\x07\x1b]9;4;0\x07\x1b]777;notify;make;done\x07\x1b]99;i=1:d=0;make\x1b\\\x1b]99;i=1:p=body;done\x1b\\\x1b]9;done\x07';
    const file = fresh();
    fs.writeFileSync(file, text);
    same(await arrival([PTYD], `cat ${file}`), Buffer.from(text));
  });

  await Outer.endAll();
  await daemon.stop();
  removeWorkspace(space);
  report.finish();
}

main().catch((error) => { console.error(error); process.exit(1); });
