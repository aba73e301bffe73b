#!/usr/bin/env python3
"""A user at a terminal sees the output of a command while it runs; programs get nothing before its end.
Usage: tests/live_output.py DIRECTORY_OF_HELVE"""

import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time

helve = os.path.join(os.path.abspath(sys.argv[1]), "helve")
PATIENCE = 60
WAIT = "until test -e {0}; do sleep 0.05; done; "
COMMAND = ("echo first; echo second >&2; " + WAIT.format("more") + "printf 'unfinished'; " + WAIT.format("go") +
           "echo ' line'; exit 3")


class Run:
    """helve exec with its stdout at a terminal, and usually stderr too."""

    def __init__(self, workspace, arguments, stderr_at_terminal=True):
        self.ours, theirs = pty.openpty()
        self.process = subprocess.Popen([helve, *arguments], cwd=workspace, stdin=subprocess.DEVNULL, stdout=theirs,
                                        stderr=theirs if stderr_at_terminal else subprocess.DEVNULL,
                                        start_new_session=True)
        os.close(theirs)
        self.text = ""

    def read(self, until=None, patience=PATIENCE):
        """Until the text is there, or to the end."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline and (until is None or until not in self.text):
            if not select.select([self.ours], [], [], 0.1)[0]:
                continue
            try:
                data = os.read(self.ours, 65536)
            except OSError:  # the terminal is closed
                data = b""
            if not data:
                break
            self.text += data.decode().replace("\r\n", "\n")
        return self.text

    def end(self):
        try:
            return self.process.wait(PATIENCE)
        finally:
            if self.process.poll() is None:
                os.kill(self.process.pid, signal.SIGKILL)
                self.process.wait()
            os.close(self.ours)


def check(condition, what, run):
    if not condition:
        run.process.kill()
        sys.exit(f"live_output: {what}\n{run.text}")


with tempfile.TemporaryDirectory() as work:
    for name in ("config", "state", "data"):
        os.environ[f"XDG_{name.upper()}_HOME"] = os.path.join(work, name)
    workspace = os.path.join(work, "workspace")
    os.mkdir(workspace)
    go = os.path.join(workspace, "go")
    more = os.path.join(workspace, "more")

    # At a terminal it comes as it is written, and only once.
    run = Run(workspace, ["exec", COMMAND])
    check("first\n" in run.read("first\n"), "nothing is seen while it runs", run)
    check("second\n" in run.read("second\n"), "what it writes to stderr is not seen while it runs", run)
    open(more, "w").close()
    check("unfinished" in run.read("unfinished"), "an unfinished line is not seen while it runs", run)
    open(go, "w").close()
    run.read()
    check(run.end() == 3, "the exit code is not the command's", run)
    check(run.text.count("first") == 1 and run.text.count("unfinished line\n") == 1, "something is not there once", run)
    check("(exit code 3 after " in run.text, "how it ended is not said", run)
    os.remove(go)

    # Control sequences do not reach the terminal.
    run = Run(workspace, ["exec", r"printf '\033]0;title\007\033[31mred\033[0m\n'", "--quiet"])
    run.read()
    check(run.end() == 0 and run.text == "red\n", "escape sequences came through", run)

    # The form for programs: one object at the end. Progress goes to stderr.
    run = Run(workspace, ["exec", COMMAND, "--json"], stderr_at_terminal=False)
    check(run.read("first", patience=2) == "", "a program sees something before the end", run)
    open(go, "w").close()
    run.read()
    run.end()
    check(run.text.lstrip().startswith("{") and r'"stdout": "first\nunfinished line\n"' in run.text and
          r'"stderr": "second\n"' in run.text and "(exit code 3" in run.text, "the form for programs has changed", run)
print("live_output: fine")
