#!/usr/bin/env python3
"""Questions of `helve mcp` processes whose clients cannot be asked reach the user through `helve approvals`.

usage: approvals.py HELVE
"""

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HELVE = os.path.abspath(sys.argv[1])
scratch = tempfile.mkdtemp(prefix="helve-approvals-")
home, workspaces = scratch + "/h", [scratch + "/a", scratch + "/b"]
ENVIRONMENT = dict(os.environ, HOME=home, XDG_STATE_HOME=home + "/state", XDG_DATA_HOME=home + "/data",
                   XDG_CONFIG_HOME=home + "/config", TERM="xterm")
for directory in [home, *workspaces]:
    os.makedirs(directory, mode=0o700)


class Client:
    """An MCP client without elicitation."""

    def __init__(self, workspace, *flags):
        self.process = subprocess.Popen([HELVE, "mcp", *flags], cwd=workspace, env=ENVIRONMENT, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.received = {}
        self.send({"id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
        self.receive(0)
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def receive(self, number):
        while number not in self.received:
            message = json.loads(self.process.stdout.readline())
            self.received[message.get("id")] = message
        return self.received.pop(number)

    def start_write(self, number, path):
        self.send({"id": number, "method": "tools/call", "params": {
            "name": "write", "arguments": {"path": path, "content": "x\n", "explanation": "I make a file."}}})

    def answer(self, number):
        result = self.receive(number)["result"]
        return not result.get("isError"), result["content"][0]["text"]

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def helve(*words):
    done = subprocess.run([HELVE, *words], cwd=workspaces[0], env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def waiting(count):
    for _ in range(200):
        questions = json.loads(helve("approvals", "--json")[1])["questions"]
        if len(questions) == count:
            return questions
        time.sleep(0.05)
    raise AssertionError(f"{len(questions)} questions wait, not {count}")


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def answered_from_the_shell():
    first, second = Client(workspaces[0]), Client(workspaces[1])
    check(helve("approvals") == (0, "Nothing waits for an answer.\n"), "nothing waits at first")
    first.start_write(1, "one.txt")
    second.start_write(1, "two.txt")
    questions = waiting(2)
    by_workspace = {question["workspace"]: question for question in questions}
    check(set(by_workspace) == set(workspaces), "each question names its workspace")
    text = helve("approvals")[1]
    check("write wants to write" in text and "+x" in text and "I make a file." in text, text)
    code, said = helve("approvals", "answer", "q_nothing", "once")
    check(code == 1 and "No question waits" in said, said)
    code, said = helve("approvals", "answer", by_workspace[workspaces[0]]["id"], "maybe")
    check(code == 2, said)
    check(helve("approvals", "answer", by_workspace[workspaces[0]]["id"], "session")[0] == 0, "answer yes")
    check(helve("approvals", "answer", by_workspace[workspaces[1]]["id"], "refuse", "not", "here")[0] == 0, "answer no")
    check(first.answer(1)[0] and os.path.exists(workspaces[0] + "/one.txt"), "the approved call ran")
    ok, said = second.answer(1)
    check(not ok and "not here" in said and not os.path.exists(workspaces[1] + "/two.txt"), said)
    first.start_write(2, "one.txt")  # covered by the answer for the session
    check(first.answer(2)[0], "the session's approval holds")
    first.end()
    second.end()
    log = helve("audit", "show", "--json")[1]
    check("the user approved it in helve approvals" in log, "the audit says where it was approved")
    check('"by":"helve approvals"' in log or "helve approvals" in log.split("two.txt")[-1], "and where it was refused")
    check(not [name for name in os.listdir(home + "/state/helve/approvals")], "nothing is left behind")


def nobody_answers():
    client = Client(workspaces[0], "--set", "permissions.wait_seconds=1")
    client.start_write(1, "three.txt")
    ok, said = client.answer(1)
    check(not ok and "nobody answered within 1 s (helve approvals watch" in said, said)
    client.end()


def answered_at_a_terminal():
    client = Client(workspaces[0], "--set", "permissions.wait_seconds=0")
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(workspaces[0])
        os.execve(HELVE, [HELVE, "approvals", "watch"], ENVIRONMENT)
    screen = b""

    def read_until(text):
        nonlocal screen
        until = time.monotonic() + 30
        while text not in screen:
            if not select.select([terminal], [], [], max(0, until - time.monotonic()))[0]:
                raise AssertionError(f"{text} is not on the screen: {screen}")
            screen += os.read(terminal, 65536)

    read_until(b"appear here")
    time.sleep(0.3)
    client.start_write(1, "four.txt")
    read_until(b"or [n]o with a reason: ")
    check(b"asked by helve mcp" in screen and b"+x" in screen, screen)
    os.write(terminal, b"y\n")
    check(client.answer(1)[0], "the watcher's yes runs the call")
    # Two at once: the older one is asked first, and nothing but questions is on the screen.
    screen = b""
    client.start_write(11, "older.txt")
    read_until(b"or [n]o with a reason: ")
    client.start_write(12, "newer.txt")
    waiting(2)
    check(b"older.txt" in screen and b"newer.txt" not in screen, screen)
    os.write(terminal, b"y\n")
    read_until(b"newer.txt")
    os.write(terminal, b"n\n")
    check(client.answer(11)[0] and not client.answer(12)[0], "each answer goes to its question")
    time.sleep(0.3)
    check(b"cancelled" not in screen, screen)
    # A question that is answered elsewhere ends here, and a killed process takes its questions along.
    screen = b""
    client.start_write(2, "five.txt")
    read_until(b"or [n]o with a reason: ")
    check(helve("approvals", "answer", waiting(1)[0]["id"], "once")[0] == 0, "answer elsewhere")
    check(client.answer(2)[0], "the other answer counts")
    read_until(b"settled elsewhere")
    screen = b""
    client.start_write(3, "six.txt")
    read_until(b"or [n]o with a reason: ")
    client.process.kill()
    client.process.wait()
    read_until(b"settled elsewhere")
    check(helve("approvals")[1] == "Nothing waits for an answer.\n", "a killed process waits for nothing")
    check(not os.path.exists(workspaces[0] + "/six.txt"), "and its call did not run")
    os.kill(pid, signal.SIGINT)
    os.waitpid(pid, 0)
    check(os.listdir(home + "/state/helve/approvals") == [], "nothing is left behind")


try:
    answered_from_the_shell()
    nobody_answers()
    answered_at_a_terminal()
finally:
    shutil.rmtree(scratch, ignore_errors=True)
print("approvals: all answers arrived")
