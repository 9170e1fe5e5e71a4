// A terminal made by script(1), with a command in it: what a person types into, without a screen.
'use strict';
const { spawn } = require('node:child_process');
const { until } = require('./harness');

class Terminal {
  // size: 'COLSxROWS'. `text` is all that it showed.
  constructor(env, command, { size = '90x25', cwd = env.HOME } = {}) {
    const [cols, rows] = size.split('x');
    this.text = '';
    this.seen = 0;
    this.process = spawn('script', ['-qefc', `stty cols ${cols} rows ${rows}; ${command}`, '/dev/null'], { env: { TERM: 'xterm-256color', ...env }, cwd, stdio: ['pipe', 'pipe', 'inherit'] });
    this.process.stdin.on('error', () => {});
    this.process.stdout.setEncoding('utf8');
    this.process.stdout.on('data', (data) => { this.text += data; });
    this.process.on('close', (status, signal) => { this.status = status ?? signal; });
  }

  type(keys) { this.process.stdin.write(keys); }

  // Waits until `pattern` comes behind what was found last; returns the match. One that has ended shows no more.
  async expect(pattern) {
    let found;
    const said = () => `${pattern} in ${JSON.stringify(this.text.slice(this.seen))}`;
    try {
      await until('', () => {
        const { status } = this;
        found = pattern.exec(this.text.slice(this.seen));
        if (!found && status !== undefined) throw new Error(`it ended with ${status}`);
        return found;
      });
    } catch (error) { throw new Error(`${error.message}${said()}`); }
    this.seen += found.index + found[0].length;
    return found;
  }

  // A shell that takes a line now: what is typed before it does may reach whatever ran in front of it.
  prompt() { return this.expect(/[$#%>] /); }

  // Types a line there.
  async enter(line) {
    await this.prompt();
    this.type(`${line}\r`);
  }

  // What a command typed at the next prompt prints between brackets.
  async ask(command) {
    await this.enter(`printf '<%s>\\n' "${command}"`);
    return (await this.expect(/<((?!%s)[^>]*)>\r?\n/))[1];
  }

  // The status with which it ended.
  async ended() {
    await until('', () => this.status !== undefined).catch((error) => { throw new Error(`${error.message}its end, in ${JSON.stringify(this.text)}`); });
    return this.status;
  }
}

module.exports = { Terminal };
