// What is typed at a prompt, and what the shell runs of it: kinds of lines, each with a word of its own (`n`) in what it
// prints. A kind types by `at` (session.js) and gives the commands that ran: {cmd, exit, lines: what each printed, or null where
// that is not asked}. A line that ran nothing gives none.
'use strict';

const ran = (cmd, lines = null, exit = 0) => ({ cmd, lines, exit });
const LONG = Array.from({ length: 40 }, (_, i) => i + 1).join('-');
// One that was entered as several lines is one.
const entered = async (at, lines, printed, exit) => { await at.enter(...lines); return [ran(lines.join('\n'), printed, exit)]; };
const one = (cmd, printed, exit) => async (at) => entered(at, [cmd], printed, exit);

const CTRL = (letter) => String.fromCharCode(letter.charCodeAt(0) & 31);
const UP = '\x1b[A', LEFT = '\x1b[D';

// As in sh; `more` are those of one shell.
const common = (n, { print = 'echo', sh = 'sh' } = {}) => {
  const say = (text) => (print === 'print' ? `print "${text}"` : `${print} ${text}`);
  const told = (...words) => one(say(`${n} ${words.join(' ')}`), [`${n} ${words.join(' ')}`]);
  return {
    'one line': told('one'),
    'a long line': told(LONG),
    'other characters': told('żółw 日本 é'),
    'it fails': one(`${sh} -c 'echo ${n}; exit 7'`, [n], 7),
    'no line feed at the end': one(`${sh} -c 'printf ${n}'`, [n]),
    'an empty line': async (at) => { await at.enter(''); return []; },
    'blanks': async (at) => { await at.enter('   '); return []; },
    'a line that is given up': async (at) => { await at.type(say(`never ${n}`)); await at.cancel(); return []; },
    'a line that is killed and typed anew': async (at) => { await at.type('garbage'); await at.type(CTRL('U')); return told('two')(at); },
    'a line that is edited': async (at) => {
      await at.type(say(`${n} ac`).replace(/c"?$/, 'c'));
      await at.type(LEFT);
      await at.enter(print === 'print' ? 'b\x1b[C"' : 'b');
      return [ran(say(`${n} abc`), [`${n} abc`])];
    },
    'one from history': async (at) => { const first = await told('again')(at); await at.enter(UP); return [...first, ...first]; },
    'the screen is cleared while it is typed': async (at) => { await at.type(say(`${n} cleared`)); await at.type(CTRL('L')); await at.enter(''); return [ran(say(`${n} cleared`), [`${n} cleared`])]; },
    'a size between commands': async (at) => { await at.resize(); return told('resized')(at); },
    'a size while it is typed': async (at) => { await at.type(say(`${n} half`).replace(/"$/, '')); await at.resize(); await at.enter(print === 'print' ? ' rest"' : ' rest'); return [ran(say(`${n} half rest`), [`${n} half rest`])]; },
    'a size while it runs': async (at) => {
      const cmd = `${sh} -c 'echo ${n}; sleep 0.3; echo ${n} later'`;
      const over = at.begin(cmd);
      await at.see(`${n}\r\n`);
      await at.resize();
      await over();
      return [ran(cmd, [n, `${n} later`])];
    },
    'it is interrupted': async (at) => { const over = at.begin(`${sh} -c 'echo ${n}; exec sleep 60'`); await at.see(`${n}\r\n`); await at.type(CTRL('C')); await over(); return [ran(`${sh} -c 'echo ${n}; exec sleep 60'`, null, null)]; },
    'the whole screen': one(`${sh} -c 'printf "\\033[?1049h${n}\\033[H\\033[?1049l"'`),
    'typed ahead': async (at) => {
      const cmd = `${sh} -c 'sleep 0.3; echo ${n} slow'`, next = say(`${n} ahead`);
      const over = at.begin(cmd);
      await at.enter(next);
      await over();
      return [ran(cmd), ran(next)];
    },
    'a shell in it': async (at) => {
      const cmd = `${print === 'print' ? '^' : ''}env 'PS1=$((40+2))>' sh`, over = at.begin(cmd);
      await at.see('42>');
      await at.type(`echo ${n} inside\r`);
      await at.see(`${n} inside\r\n`);
      await at.type('exit\r');
      await over();
      return [ran(cmd)];
    },
  };
};

const background = (n, cmd) => ({
  'output behind the prompt': async (at) => {
    await at.begin(cmd)();
    await at.see(`background ${n}\r\n`);
    await at.quiet();
    await at.enter(`echo ${n} fg`);
    return [ran(cmd, null, null), ran(`echo ${n} fg`)];
  },
  'output within the line': async (at) => {
    await at.enter(cmd);
    await at.type(`echo ${n} f`);
    await at.see(`background ${n}\r\n`);
    await at.enter('g');
    return [ran(cmd, null, null), ran(`echo ${n} fg`)];
  },
});

const posix = (n) => ({
  ...common(n),
  'several commands': one(`echo ${n} a; echo ${n} b`, [`${n} a`, `${n} b`]),
  'a loop in lines': (at) => entered(at, ['for i in 1 2', `do echo ${n}$i`, 'done'], [`${n}1`, `${n}2`]),
  'a quoted line feed': (at) => entered(at, [`echo '${n} first`, "second'"], [`${n} first`, 'second']),
  'a line that goes on': (at) => entered(at, [`echo ${n} \\`, 'rest'], [`${n} rest`]),
  'further lines that are given up': async (at) => { await at.enterFirst('for i in 1 2'); await at.cancel(); return []; },
  'further lines of a subshell that are given up': async (at) => { await at.enterFirst(`(echo never ${n}`); await at.type(`rm -rf ${n}`); await at.cancel(); return []; },
  'further lines of a subshell that are given up at once': async (at) => { await at.enterFirst(`(echo never ${n}`); await at.cancel(); return []; },
  'further lines of a function that are given up': async (at) => { await at.enterFirst('never() {'); await at.enterFirst(`echo never ${n}`); await at.type('rm -rf other'); await at.cancel(); return []; },
  'a subshell in lines': (at) => entered(at, [`(echo ${n} sub`, `echo ${n} two)`], [`${n} sub`, `${n} two`], null), // its exit is asked below
  'a function in lines': (at) => entered(at, [`g${n}() {`, 'echo hi', '}'], [], null),
  'a line that ends as one that is given up': one(`echo ${n} | grep -v ^C`, [n]),
  'a subshell that ends as such a line': one(`(echo ${n}) | grep -v ^C`, [n]),
  'a subshell that is interrupted': async (at) => { const over = at.begin(`(echo ${n}; exec sleep 60)`); await at.see(`${n}\r\n`); await at.type(CTRL('C')); await over(); return [ran(`(echo ${n}; exec sleep 60)`, null, null)]; },
  'a subshell': one(`(echo ${n}; exit 4)`, [n], 4),
  'a function': one(`f() { echo ${n}; }; f`, [n]),
  'a pipe': one(`echo ${n} | cat`, [n]),
  'its own signs': one(`printf '%s\\n' '${n} 100%;"x"\\y'`, [`${n} 100%;"x"\\y`]),
  'a blank in front': one(` echo ${n}`, [n]),
  ...background(n, `(sleep 0.3; echo background ${n}) &`),
});

const KINDS = {
  bash: posix,
  zsh: posix,
  fish: (n) => ({
    ...common(n),
    'several commands': one(`echo ${n} a; echo ${n} b`, [`${n} a`, `${n} b`]),
    'a loop in lines': (at) => entered(at, ['for i in 1 2', `echo ${n}$i`, 'end'], [`${n}1`, `${n}2`]),
    'a quoted line feed': (at) => entered(at, [`echo '${n} first`, "second'"], [`${n} first`, 'second']),
    'a line that goes on': (at) => entered(at, [`echo ${n} \\`, 'rest'], [`${n} rest`]),
    'a block': one(`begin; echo ${n}; end`, [n]),
    'a pipe': one(`echo ${n} | cat`, [n]),
    'its own signs': one(`printf '%s\\n' '${n} 100%;"x"'`, [`${n} 100%;"x"`]),
    'a blank in front': one(` echo ${n}`, [n]),
    ...background(n, `sh -c 'sleep 0.3; echo background ${n}' &`),
  }),
  nu: (n) => ({
    ...common(n, { print: 'print', sh: '^sh' }),
    'several commands': one(`print "${n} a"; print "${n} b"`, [`${n} a`, `${n} b`]),
    'a block in lines': (at) => entered(at, ['do {', `print "${n}"`, '}'], [n]),
  }),
};

module.exports = { KINDS };
