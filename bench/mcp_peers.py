#!/usr/bin/env python3
"""Measures MCP servers over stdin and stdout beside each other: start-up, one small read, memory.

Usage: bench/mcp_peers.py HELVE SERVER_FILESYSTEM_JS
The second is dist/index.js of npm's @modelcontextprotocol/server-filesystem. Servers take turns, so that a noisy moment
hits both.
"""
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 15
READS = 400


class Server:
    def __init__(self, words, directory):
        began = time.perf_counter()
        self.process = subprocess.Popen(words, cwd=directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.count = 0
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                    "clientInfo": {"name": "bench", "version": "1"}})
        self.send({"method": "notifications/initialized"})
        self.tools = self.request("tools/list", {})["tools"]
        self.start_ms = (time.perf_counter() - began) * 1000

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.count += 1
        self.send({"id": self.count, "method": method, "params": params})
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.count and "method" not in answer:
                return answer["result"]

    def memory_mib(self):
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line.split()[1] for line in text.splitlines() if line.startswith("VmRSS"))) / 1024

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=20)


def main():
    helve, peer = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / "small.txt").write_text("x" * 1023 + "\n")
        contenders = {
            "helve mcp": ([helve, "mcp"], "read", {"path": "small.txt"}),
            "server-filesystem": (["node", peer, directory], "read_text_file", {"path": f"{directory}/small.txt"}),
        }
        starts = {name: [] for name in contenders}
        reads = {name: [] for name in contenders}
        memory = {}
        for _ in range(ROUNDS):
            for name, (words, tool, arguments) in contenders.items():
                server = Server(words, directory)
                starts[name].append(server.start_ms)
                for _ in range(READS):
                    began = time.perf_counter()
                    answer = server.request("tools/call", {"name": tool, "arguments": arguments})
                    reads[name].append((time.perf_counter() - began) * 1e6)
                    assert "xxx" in json.dumps(answer), answer
                memory[name] = server.memory_mib()
                server.close()
        print("| server | start to tools/list, ms (median) | read of 1 KB, µs (median) | memory after, MiB |\n|---|---|---|---|")
        for name in contenders:
            print(f"| {name} | {statistics.median(starts[name]):.1f} | {statistics.median(reads[name]):.0f} | {memory[name]:.0f} |")


main()
