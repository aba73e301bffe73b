#!/usr/bin/env python3
"""Long commands show one line of progress at a terminal, and nothing anywhere else.

    progress.py HELVE
"""
import os
import pty
import select
import subprocess
import sys
import tempfile
import time

HELVE = os.path.abspath(sys.argv[1])
ERASE = b"\r\x1b[K"


def run(words, home, term="xterm"):
    """Runs helve with stdout and stderr at one terminal; returns what it wrote."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(home + "/work")
        env = {"HOME": home, "PATH": os.environ["PATH"], "TERM": term}
        os.execve(HELVE, [HELVE] + words, env)
    output = b""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 1)
        if not ready:
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        output += piece
    os.close(terminal)
    os.waitpid(pid, 0)
    return output


def check(holds, what, output):
    if not holds:
        print(f"FAILED: {what}\n{output!r}")
        sys.exit(1)


with tempfile.TemporaryDirectory() as home:
    os.mkdir(home + "/work")
    slow = ["exec", "--", "sleep", "3"]
    shown = run(slow, home)
    check(ERASE in shown and b"exec, " in shown and b" s" in shown, "a slow command shows its time", shown)
    check(shown.rfind(ERASE) > shown.rfind(b"exec, "), "the line is erased at the end", shown)
    printing = run(["exec", "--", "sh", "-c", "echo first; sleep 3; echo last"], home)
    check(b"exec, " not in printing, "the line does not mix with output", printing)
    quick = run(["ls"], home)
    check(ERASE not in quick, "a quick command shows nothing", quick)
    for words, term in ((slow + [], "dumb"), (["--quiet"] + slow, "xterm")):
        silent = run(words, home, term)
        check(ERASE not in silent and b"exec, " not in silent, f"nothing with {words[0]} and {term}", silent)
    piped = subprocess.run([HELVE] + slow, cwd=home + "/work", capture_output=True, timeout=60,
                           env={"HOME": home, "PATH": os.environ["PATH"], "TERM": "xterm"}, check=True)
    check(ERASE not in piped.stderr and ERASE not in piped.stdout, "nothing in a pipe", piped.stderr)
    print("progress: ok")
