#!/usr/bin/env python3
"""Kills Helve at random moments of a command, of its undo and of its redo; afterwards nothing may be lost.

usage: killed.py HELVE [ROUNDS]
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HELVE = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 12
COMMAND = (
    "for i in $(seq 30); do echo changed >> f$i; mv f$i g$i; mkdir d$i; echo new > d$i/x; rm -f keep$i; done; "
    "rm -rf tree; chmod 600 g1"
)


def describe(root):
    nodes = {}
    for directory, directories, files in os.walk(root):
        for name in directories + files:
            path = os.path.join(directory, name)
            status = os.lstat(path)
            content = open(path, "rb").read() if os.path.isfile(path) else None
            nodes[os.path.relpath(path, root)] = (oct(status.st_mode), content)
    return nodes


def start(arguments, workspace, home):
    environment = dict(os.environ, HOME=home, XDG_STATE_HOME=home + "/state", XDG_DATA_HOME=home + "/data", XDG_CONFIG_HOME=home + "/config")
    return subprocess.Popen([HELVE, *arguments], cwd=workspace, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finish(arguments, workspace, home):
    process = start(arguments, workspace, home)
    return process.communicate(timeout=120)[0], process.returncode


def kill_after(process, seconds):
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)


def main():
    seed = random.randrange(1 << 30)
    chance = random.Random(seed)
    failed = interrupted = 0
    for number in range(ROUNDS):
        scratch = tempfile.mkdtemp(prefix="helve-killed-")
        workspace, home = scratch + "/w", scratch + "/h"
        os.makedirs(workspace + "/tree/deep")
        os.mkdir(home, 0o700)
        for i in range(1, 31):
            for name in (f"f{i}", f"keep{i}", f"tree/deep/{i}"):
                with open(f"{workspace}/{name}", "w") as file:
                    file.write(f"{name}\n" * 20)
        before = describe(workspace)
        kill_after(start(["exec", "--command", COMMAND, "--plain"], workspace, home), chance.uniform(0.01, 0.25))
        time.sleep(0.2)  # the command's processes end with Helve
        changed = describe(workspace) != before
        interrupted += changed
        # An undo that is killed is completed or not begun; after a second one everything is as before.
        kill_after(start(["undo", "--plain"], workspace, home), chance.uniform(0.002, 0.05))
        answer, code = finish(["undo", "--plain"], workspace, home)
        after = describe(workspace)
        if after != before:
            failed += 1
            different = sorted(path for path in set(after) | set(before) if after.get(path) != before.get(path))
            print(f"FAILED (seed {seed}, round {number}): exit code {code}: {answer}\n  differ: {different[:20]}")
        shutil.rmtree(scratch, ignore_errors=True)
    if interrupted == 0:
        print("No round killed Helve while the command ran: this tests nothing.")
        failed += 1
    print(f"{ROUNDS - failed} passed, {failed} failed; {interrupted} commands had changed something when Helve was killed")
    return 1 if failed else 0


sys.exit(main())
