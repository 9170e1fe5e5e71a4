// A display for a real xterm, which nobody sees.
'use strict';
const { spawn, spawnSync } = require('node:child_process');

// Whoever is ended takes with it what it started, and its folders: their ends hang on 'exit'.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

// Its number comes from Xvfb itself; it ends with this process.
function startDisplay() {
  return new Promise((resolve, reject) => {
    const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    process.on('exit', () => server.kill());
    let number = '';
    server.stdio[3].on('data', (data) => { number += data; if (number.endsWith('\n')) resolve(`:${number.trim()}`); });
    server.on('error', reject);
    server.on('exit', () => reject(new Error('Xvfb ended')));
  });
}

// The first of these programs that is not on this machine.
const missingProgram = (...names) => names.find((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0);

module.exports = { startDisplay, missingProgram };
