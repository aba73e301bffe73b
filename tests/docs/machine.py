"""The machine on which the documentation is followed: Helve as `make install` leaves it, a fresh home for every page, and
stand-ins for the programs that other people make. Nothing on it reaches further than this machine."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
from pathlib import Path

SHELLS = {
    "sh": ["bash", "-euo", "pipefail", "-c"],
    "zsh": ["zsh", "-f", "-e", "-u", "-o", "pipefail", "-c"],
    "fish": ["fish", "--no-config", "-c"],
}
PATIENCE = 120  # seconds for one block


class Machine:
    """Made once. `directory` is its own; the caller removes it."""

    def __init__(self, directory, source, build):
        self.directory = directory
        self.prefix = directory / "prefix"
        programs = directory / "programs"
        programs.mkdir()
        stand_ins = Path(__file__).parent / "stand_ins"
        for name in ("claude", "codex", "gemini"):
            (programs / name).symlink_to(stand_ins / "agent")
        (programs / "npx").symlink_to(stand_ins / "npx")
        # `make install` installs what is built already, rather than building it a second time.
        (programs / "make").write_text(
            f'#!/bin/bash\n[[ ${{1:-}} != install ]] || set -- -C "{source}" -o build BUILD="{build}" "$@"\n'
            f'exec {shutil.which("make")} "$@"\n')
        (programs / "make").chmod(0o755)
        self.path = f"{programs}:{self.prefix}/bin:{os.environ['PATH']}"
        self.homes = 0

    def install(self):
        return self.home().run("sh", f'make install PREFIX="{self.prefix}"')

    def environment(self):
        """For everything that is run; a home is added to it."""
        foreign = re.compile(r"HELVE_|XDG_|MAKE|MFLAGS|C(PP|XX)?FLAGS|.*_proxy|.*_PROXY")
        clean = {name: value for name, value in os.environ.items() if not foreign.match(name)}
        nowhere = "http://127.0.0.1:9"  # no server listens there
        # As when it is installed where compilers look.
        headers = {name: f"{self.prefix}/include" for name in ("C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")}
        return {**clean, **headers, "PATH": self.path, "LANG": "C.UTF-8", "NO_COLOR": "1", "https_proxy": nowhere,
                "http_proxy": nowhere, "no_proxy": "127.0.0.1,localhost", "OAUTH_CLIENT_SECRET": "of the tests"}

    def home(self):
        self.homes += 1
        return Home(self, self.directory / f"home{self.homes}")


class Home:
    """A new user of Helve, in an empty folder."""

    def __init__(self, machine, directory):
        self.workspace = directory / "work"
        self.workspace.mkdir(parents=True)
        (directory / "run").mkdir(mode=0o700)
        self.state = directory / ".local/state/helve"
        self.environment = {**machine.environment(), "HOME": str(directory), "XDG_RUNTIME_DIR": f"{directory}/run"}

    def run(self, shell, text):
        """Runs it and ends its processes when the time is up. Returns the exit code and the output."""
        process = self._start([*SHELLS[shell], text])
        try:
            said, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
            return 124, f"{said}(not through after {PATIENCE} seconds)"
        return process.returncode, said

    def helve(self, *words):
        return subprocess.run(["helve", *words], cwd=self.workspace, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=PATIENCE, check=False)

    def serve(self, line):
        """Starts a server, asks it something, and ends it as Ctrl-C does. Returns what is wrong with it, or None."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            line = re.sub(r"--port \d+", f"--port {free.getsockname()[1]}", line)
        process = self._start([*SHELLS["sh"], f"exec {line}"])
        try:
            said, ready = self._read_until(process, "Press Ctrl-C to stop.\n")
            if not ready:
                return f"it did not say that it serves: {said}"
            address = re.search(r"serving at (\S+)", said)[1]
            token = (self.state / "serve-token").read_text().strip()
            answers = [self.shake_hands(address, *words) for words in ((), ("-H", f"Authorization: Bearer {token}"))]
            if answers != ["401", "200"]:
                return f"it answers {answers} without its token and with it, not 401 and 200"
            if "--socket" in line and self.run("sh", re.search(r"^  (curl .*)$", said, re.M)[1])[0]:
                return f"what it says to reach it with does not: {said}"
            process.send_signal(signal.SIGINT)
            code = process.wait(PATIENCE)
            return f"exit code {code} after Ctrl-C" if code not in (0, 130) else None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def shake_hands(self, address, *words):
        """The status with which a server answers a client's first words."""
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
                 "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                            "clientInfo": {"name": "docs", "version": "1"}}}
        where = ["--unix-socket", address[5:], "http://localhost/mcp"] if address.startswith("unix:") else [address]
        return subprocess.run(
            ["curl", "-s", "-m", "60", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Content-Type: application/json",
             "-H", "Accept: application/json, text/event-stream", "-d", json.dumps(hello), *words, *where],
            env=self.environment, capture_output=True, text=True, check=False).stdout

    @staticmethod
    def _read_until(process, last):
        """Its output up to this line, and whether the line came before the output or the time ended."""
        watchdog = threading.Timer(PATIENCE, os.killpg, (process.pid, signal.SIGKILL))
        watchdog.start()
        try:
            said = ""
            while not said.endswith(last) and (more := process.stdout.readline()):
                said += more
            return said, said.endswith(last)
        finally:
            watchdog.cancel()

    def _start(self, words):
        return subprocess.Popen(words, cwd=self.workspace, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
