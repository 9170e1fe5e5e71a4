#!/usr/bin/env python3
"""A user interface's side of ptyd, as small as it can be: ptyd-rpc(7) says it all.

usage: client.py NAME [MESSAGE SERVER [ARG...]]

Opens session NAME, types each line of stdin there and shows the command block that came of it;
then what an agent would be told. With MESSAGE that is sent as a turn to SERVER, an app-server
(codex app-server), behind `ptyd proxy`, which adds what was done in the terminal to it.

    printf 'ls\\nfalse\\n' | examples/client.py work
    echo 'make' | examples/client.py work 'why did that fail?' codex app-server
"""
import base64
import json
import os
import socket
import struct
import subprocess
import sys


def socket_path():
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return os.environ.get("PTYD_SOCKET") or (
        f"{runtime}/ptyd/ptyd.sock" if runtime else f"/tmp/ptyd-{os.getuid()}/ptyd.sock")


class Connection:
    """JSON-RPC 2.0, one message a line: a socket, or the two ends of a process."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.last_id = 0
        self.heard = []  # notifications that came while an answer was waited for

    def send(self, message):
        self.writer.write(json.dumps(message).encode() + b"\n")
        self.writer.flush()

    def read(self):
        line = self.reader.readline()
        if not line:
            raise EOFError("the other side is gone")
        return json.loads(line)

    def call(self, method, **params):
        self.last_id += 1
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        while True:
            message = self.read()
            if message.get("id") == self.last_id and "method" not in message:
                break
            self.heard.append(message)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']['message']}")
        return message["result"]

    def next_notification(self):
        return self.heard.pop(0) if self.heard else self.read()


def connect():
    link = socket.socket(socket.AF_UNIX)
    link.connect(socket_path())
    # Who listens is to be us: anybody may have made a path in /tmp.
    _, uid, _ = struct.unpack("3i", link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    if uid != os.getuid():
        raise PermissionError(f"{socket_path()} is another user's")
    return Connection(link.makefile("rb"), link.makefile("wb"))


def open_session(name):
    try:
        control = connect()
    except (FileNotFoundError, ConnectionRefusedError):
        subprocess.run(["ptyd", "open", name], check=True, stdout=subprocess.DEVNULL)
        control = connect()
    control.call("session.open", name=name, cwd=os.getcwd(), env=dict(os.environ))
    return control


def show_block(block):
    status = block["status"] if block["exit_code"] is None else f"exit {block['exit_code']}"
    print(f"$ {block['cmd']}\n[{status}, {block['duration_ms']} ms in {block['cwd']}]")
    if block["omitted_lines"]:
        print(f"| ... {block['omitted_lines']} lines")
    for line in block["preview"]["lines"]:
        print(f"| {line}")


def type_line(control, events, name, line):
    """Types it, waits for the next prompt, and shows what ended until then."""
    data = base64.b64encode(line.encode() + b"\r").decode()
    typed = control.call("session.input", name=name, data=data)
    control.call("session.wait", name=name, **{"from": typed["from"], "for": "prompt"})
    events.call("status.short")  # events came before this answer
    ended = [e["params"] for e in events.heard if e.get("method") == "event"]
    events.heard.clear()
    for event in ended:
        if event["type"] == "agent_block_end" and event["conversation_id"] == name:
            show_block(event["block"])


def send_turn(name, message, server):
    process = subprocess.Popen(["ptyd", "proxy", "-s", name, "--", *server],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    agent = Connection(process.stdout, process.stdin)
    agent.call("initialize", clientInfo={"name": "ptyd-example", "version": "1"})
    agent.send({"jsonrpc": "2.0", "method": "initialized"})
    thread = agent.call("thread/start", cwd=os.getcwd())["thread"]["id"]
    agent.call("turn/start", threadId=thread, input=[{"type": "text", "text": message}])
    while True:
        event = agent.next_notification()
        item = event.get("params", {}).get("item", {})
        if event.get("method") == "item/completed" and item.get("type") == "agentMessage":
            print(item["text"])
        if event.get("method") == "turn/completed":
            print(f"turn {event['params']['turn']['status']}")
            break
    process.stdin.close()
    return process.wait()


def main(args):
    if not args or args[0].startswith("-") or len(args) == 2:
        sys.exit(__doc__)
    name = args[0]
    control, events = open_session(name), connect()
    events.call("events.follow")
    control.call("session.wait", name=name, **{"from": 0, "for": "prompt"})
    for line in sys.stdin:
        type_line(control, events, name, line.rstrip("\n"))
    context = control.call("context.show", session=name)
    print(f"the agent will be told of {context['kept']} commands:")
    for key, entry in sorted((context["additionalContext"] or {}).items()):
        print(f"  {key} ({entry['kind']}): {len(entry['value'])} characters")
    if args[1:]:
        return send_turn(name, args[1], args[2:])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
