#!/usr/bin/env python3
"""`helve mcp` where the machine gives few threads or none: every call is answered, and the server goes on.
Usage: tests/thread_limits.py HELVE. Root is not limited, so it runs as another user, and needs root for that."""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading

USER = 64321  # of whom nothing else runs
CALLS = 30
PATIENCE = 60

if os.geteuid() != 0:
    print("thread_limits: needs root, to run as a user without other processes")
    sys.exit(77)

work = tempfile.mkdtemp(prefix="thread_limits.")
os.chmod(work, 0o755)
helve = shutil.copy(sys.argv[1], work + "/helve")


def become(limit):
    def run():
        os.setgroups([])
        os.setgid(USER)
        os.setuid(USER)
        resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))
    return run


def calls():
    tools = [("grep", {"pattern": "line"}), ("read", {"path": "a.txt"}), ("find", {"pattern": "*.txt"}),
             ("exec", {"command": "echo hi"}), ("find_symbols", {"path": ".", "pattern": "main"}), ("ls", {"path": "."})]
    return [tools[n % len(tools)] for n in range(CALLS)]


def try_limit(limit):
    home = f"{work}/{limit}"
    os.makedirs(home + "/w")
    for n in range(200):
        with open(f"{home}/w/{n}.c", "w") as file:
            file.write("int main() { return 0; } // line\n")
    with open(home + "/w/a.txt", "w") as file:
        file.write("line\n")
    for directory, _, files in os.walk(home):
        os.chown(directory, USER, USER)
        for name in files:
            os.chown(os.path.join(directory, name), USER, USER)
    environment = {"PATH": os.environ["PATH"], "HOME": home, "HELVE_LOG_LEVEL": "error"}
    server = subprocess.Popen([helve, "--workspace", home + "/w", "--mode", "full", "mcp"], env=environment,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              preexec_fn=become(limit))
    timer = threading.Timer(PATIENCE, server.kill)
    timer.start()

    def send(message):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        server.stdin.flush()

    def answer():
        while True:
            line = server.stdout.readline()
            if not line:
                server.stdin.close()
                status = server.wait()
                sys.exit(f"thread_limits: with {limit} threads helve mcp ended ({status}): {server.stderr.read()}")
            message = json.loads(line)
            if "id" in message and "method" not in message:
                return message

    send({"id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
    answer()
    send({"method": "notifications/initialized"})
    refused = 0
    for turn in range(2):
        for number, (tool, arguments) in enumerate(calls()):
            send({"id": turn * 100 + number + 1, "method": "tools/call",
                  "params": {"name": tool, "arguments": arguments}})
        answered = {}
        for _ in range(CALLS):
            message = answer()
            answered[message["id"]] = message
        if len(answered) != CALLS:
            sys.exit(f"thread_limits: with {limit} threads {len(answered)} of {CALLS} calls were answered")
        for message in answered.values():
            if not message["result"].get("isError"):
                continue
            refused += 1
            text = message["result"]["content"][0]["text"]
            if "failed unexpectedly" in text or "fault in the tool" in text:
                sys.exit(f"thread_limits: with {limit} threads a call answers: {text}")
    server.stdin.close()
    if (status := server.wait()) != 0:
        sys.exit(f"thread_limits: with {limit} threads helve mcp ended with {status}: {server.stderr.read()}")
    timer.cancel()
    return refused


def try_programs():
    """With no thread at all, programs work or say why not."""
    home = work + "/programs"
    os.makedirs(home + "/w")
    for directory, _, _ in os.walk(home):
        os.chown(directory, USER, USER)
    environment = {"PATH": os.environ["PATH"], "HOME": home, "HELVE_MODEL_BASE_URL": "http://127.0.0.1:9/v1",
                   "HELVE_MODEL_NAME": "m"}
    programs = (["ls", "."], ["doctor"], ["audit", "verify"], ["agent", "hi"], ["agent", "--json", "--answers", "hi"],
                ["serve", "--port", "0"])
    for words in programs:
        ran = subprocess.run([helve, "--workspace", home + "/w", *words], env=environment, stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, preexec_fn=become(1), timeout=PATIENCE)
        if ran.returncode < 0 or "internal error" in ran.stderr or "terminate called" in ran.stderr:
            sys.exit(f"thread_limits: without threads helve {words[0]} ended with {ran.returncode}: {ran.stderr}")
    return len(programs)


try:
    print(f"no thread: {try_programs()} programs say so or do without")
    for limit in (3, 5, 8, 12, 20, 30, 40):
        print(f"{limit} threads: {2 * CALLS} calls answered, {try_limit(limit)} of them refused")
finally:
    shutil.rmtree(work, ignore_errors=True)
