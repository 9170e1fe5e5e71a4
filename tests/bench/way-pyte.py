# way-pyte.py ROUNDS COMMAND: a bash in a pty driven as agents' terminals were before ptyd: a DEBUG trap and
# PROMPT_COMMAND write markers to a file, which is polled every 150 ms; what the shell prints goes through pyte, and at the
# prompt the screen is written as JSON, from which a context is made. Prints for each round the milliseconds from the
# Enter until the block has ended, and until the context can be read, as JSON.
import fcntl, json, os, pty, select, struct, sys, tempfile, termios, time

import pyte

POLL = 0.15
COLS, ROWS = 120, 40
RC = """
exec 3>>"$MARKERS"
__seq=0 __open=0
__begin() { if [ "$__open" = 0 ] && [ "$BASH_COMMAND" != __prompt ]; then __open=1; __seq=$((__seq + 1))
  printf 'BEGIN %s %s %s\\n' "$__seq" "$(date +%s%N)" "$(printf %s "$BASH_COMMAND" | base64 -w0)" >&3; fi; }
__prompt() { local status=$?
  if [ "$__open" = 1 ]; then printf 'END %s %s %s\\n' "$__seq" "$(date +%s%N)" "$status" >&3; __open=0; fi
  printf 'PROMPT %s %s\\n' "$(date +%s%N)" "$(pwd | base64 -w0)" >&3; }
PROMPT_COMMAND=__prompt
trap __begin DEBUG
PS1='$ '
"""


class Shell:
    def __init__(self, directory):
        self.directory = directory
        self.markers = os.path.join(directory, 'markers.log')
        open(self.markers, 'w').close()
        rc = os.path.join(directory, 'rc')
        with open(rc, 'w') as file:
            file.write(RC)
        self.screen = pyte.HistoryScreen(COLS, ROWS, history=2000)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = open(os.path.join(directory, 'output.raw'), 'ab')
        self.at, self.polled = 0, 0.0
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.environ.update(MARKERS=self.markers, TERM='xterm-256color')
            os.execvp('bash', ['bash', '--rcfile', rc, '-i'])
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack('HHHH', ROWS, COLS, 0, 0))

    # Takes in what the shell prints; every POLL seconds the lines that the marker file has got.
    def turn(self):
        left = max(0.0, self.polled + POLL - time.monotonic())
        if select.select([self.master], [], [], left)[0]:
            data = os.read(self.master, 65536)
            self.raw.write(data)
            self.raw.flush()
            self.stream.feed(data)
        if time.monotonic() < self.polled + POLL:
            return []
        self.polled = time.monotonic()
        with open(self.markers) as file:
            file.seek(self.at)
            lines = file.read()
            self.at += len(lines)
        return [line.split() for line in lines.splitlines()]

    def snapshot(self):
        path = os.path.join(self.directory, 'screen.snapshot.json')
        with open(path, 'w') as file:
            json.dump({'rows': [row.rstrip() for row in self.screen.display]}, file)
        with open(path) as file:
            rows = [row for row in json.load(file)['rows'] if row]
        return {'cmd': '', 'preview': {'lines': rows[-20:], 'truncated': len(rows) > 20}}

    def until(self, word):
        while True:
            for marker in self.turn():
                if marker[0] == word:
                    return marker

    # One command: when its block has ended, and when its context is there, in ms.
    def run(self, command):
        begun = time.monotonic()
        os.write(self.master, command.encode() + b'\n')
        ended = None
        while True:
            for marker in self.turn():
                if marker[0] == 'END':
                    ended = time.monotonic()
                elif marker[0] == 'PROMPT' and ended:
                    json.dumps(self.snapshot())
                    return [(ended - begun) * 1000, (time.monotonic() - begun) * 1000]


def main():
    rounds, command = int(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as directory:
        shell = Shell(directory)
        shell.until('PROMPT')
        print(json.dumps([shell.run(command) for _ in range(rounds)]))
        os.write(shell.master, b'exit\n')
        os.waitpid(shell.pid, 0)


main()
