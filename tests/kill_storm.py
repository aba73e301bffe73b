#!/usr/bin/env python3
"""Four `helve mcp` in one workspace patch the same eight files, and one is killed with SIGKILL at a random moment. After
the next call, every patch is in all files or in none, no change is reported as changed by others, and undo works.
Usage: tests/kill_storm.py HELVE [KILLS [SEED]]; `make test` tries 60 kills, 1,000 take five minutes."""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

helve = os.path.abspath(sys.argv[1])
kills = int(sys.argv[2]) if len(sys.argv) > 2 else 60
seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
PROCESSES = 4
FILES = [f"f{i}.txt" for i in range(8)]
FILLER = "".join(f"line {i} that stays as it is\n" for i in range(40))


class Ended(Exception):
    """The process was killed."""


class Server:
    """One `helve mcp`. Owned by one thread at a time."""

    def __init__(self, work):
        environment = {**os.environ, "XDG_CONFIG_HOME": work + "/config", "XDG_STATE_HOME": work + "/state",
                       "XDG_DATA_HOME": work + "/data", "HELVE_LOG_LEVEL": "error", "HELVE_AUDIT_ENABLED": "false"}
        self.log = open(work + "/log", "a")
        self.process = subprocess.Popen([helve, "--workspace", work + "/w", "--mode", "full", "mcp"], env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.number = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "kill_storm", "version": "1"}})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        try:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            self.process.stdin.flush()
        except OSError:
            raise Ended() from None

    def ask(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line.endswith("\n"):
                raise Ended()
            answer = json.loads(line)
            if answer.get("id") == self.number:
                return answer["result"]

    def call(self, tool, **arguments):
        """The error's text, or None."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        return result["content"][0]["text"] if result.get("isError") else None

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        with contextlib.suppress(OSError):  # what it did not read any more
            self.process.stdin.close()
        self.process.stdout.close()
        self.log.close()


class Storm:
    """The processes and what they patch: process N counts up the line `pN` of all files at once."""

    def __init__(self, work):
        self.work = work
        self.workspace = work + "/w"
        os.mkdir(self.workspace)
        for name in FILES:
            with open(f"{self.workspace}/{name}", "w") as file:
                file.write(FILLER + "".join(f"p{n}: 0\n{FILLER}" for n in range(PROCESSES)))
        self.servers = [Server(work) for _ in range(PROCESSES)]
        self.half = self.broken = self.aside = self.unsettled = self.patches = self.undone = 0

    def counters(self, name):
        with open(f"{self.workspace}/{name}") as file:
            return [line.split(": ")[1].strip() for line in file if line.startswith("p") and ": " in line]

    def patch(self, number, until):
        """Patches until `until` is set or the process is killed."""
        server = self.servers[number]
        try:
            while not until.is_set():
                value = self.counters(FILES[0])[number]
                new = random.getrandbits(60)
                text = "".join(f"*** Update File: {name}\n@@\n-p{number}: {value}\n+p{number}: {new}\n"
                               for name in FILES)
                if server.call("apply_patch", patch=f"*** Begin Patch\n{text}*** End Patch\n") is None:
                    self.patches += 1
        except Ended:
            pass

    def round(self):
        until = threading.Event()
        threads = [threading.Thread(target=self.patch, args=(n, until)) for n in range(PROCESSES)]
        for thread in threads:
            thread.start()
        victim = random.randrange(PROCESSES)
        time.sleep(random.uniform(0.02, 0.2))
        self.servers[victim].process.send_signal(signal.SIGKILL)
        # Sometimes the others stop at once, sometimes they go on over what the victim left.
        time.sleep(random.choice((0, random.uniform(0, 0.1))))
        until.set()
        for thread in threads:
            thread.join()
        self.servers[victim].end()
        self.servers[victim] = Server(self.work)
        self.check(victim)

    def check(self, victim):
        server = self.servers[victim]
        name = random.choice(FILES)
        # The file may show half a patch. If that is rolled back meanwhile, the first edit finds its text no more.
        for _ in range(2):
            value = self.counters(name)[victim]
            refused = server.call("edit", path=name, oldText=f"p{victim}: {value}\n", newText=f"p{victim}: new\n")
            if refused is None:
                break
        if refused is not None:
            self.unsettled += 1
            print(f"The first call after a kill was refused: {refused}")
        elif (failed := server.call("undo", path=name)) is not None:
            self.broken += 1
            print(f"The edit after a kill cannot be undone: {failed}")
        self.expect_whole("after a kill")
        failed = server.call("undo", path=random.choice(FILES))
        if failed is not None and "nothing to undo" not in failed:
            self.broken += 1
            print(f"Undo is broken: {failed}")
        else:
            self.undone += failed is None
        self.expect_whole("after an undo")

    def expect_whole(self, when):
        seen = {name: self.counters(name) for name in FILES}
        if len({tuple(values) for values in seen.values()}) == 1:
            return
        self.half += 1
        print(f"A patch is half applied {when}: " +
              ", ".join(f"{name} {' '.join(values)}" for name, values in seen.items()))
        for name in FILES[1:]:  # so that it counts once
            shutil.copyfile(f"{self.workspace}/{FILES[0]}", f"{self.workspace}/{name}")
        helve_call = [helve, "--workspace", self.workspace, "call", "history", '{"action": "clear"}']
        environment = {**os.environ, "XDG_STATE_HOME": self.work + "/state", "XDG_CONFIG_HOME": self.work + "/config"}
        subprocess.run(helve_call, env=environment, stdout=subprocess.DEVNULL, check=False)

    def run(self):
        try:
            for _ in range(kills):
                self.round()
        finally:
            for server in self.servers:
                server.end()
        with open(self.work + "/log") as log:
            text = log.read()
        self.aside = text.count("changed by others")
        print(f"{kills} kills (seed {seed}), {self.patches} patches, {self.undone} undone: {self.half} half applied, "
              f"{self.broken} broken undo, {self.unsettled} refused, {self.aside} reported as changed by others")
        if self.half + self.broken + self.aside + self.unsettled:
            sys.exit(1)
        if self.patches < kills or self.undone < kills / 2:
            sys.exit("kill_storm: too little happened for the result to mean something")


random.seed(seed)
directory = tempfile.mkdtemp(prefix="kill_storm.", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
try:
    Storm(directory).run()
finally:
    shutil.rmtree(directory, ignore_errors=True)
