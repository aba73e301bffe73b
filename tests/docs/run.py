#!/usr/bin/env python3
"""Every code block of the documentation is run, or read by what it is for.

Usage: tests/docs/run.py BUILD_DIRECTORY TRANSCRIPT_RUNNER SOURCE_DIRECTORY [PAGE…]

  ```console   commands and what they print, run as a transcript (tests/transcript_runner.cc)
  ```sh        commands, run by bash -eu; a page's blocks one after the other, in its own home (machine.py).
               ```zsh and ```fish: the same by those shells
  ```toml      settings, loaded by helve; with [[tools]] the manifest of a plugin, checked by helve plugin check
  ```json      one JSON value, "jsonl" is one in every line; servers in mcpServers are added and asked
  ```cpp ```c  a whole source file, compiled (without code); ```python: parsed
  ```… file=X  a file that is in the directory when the page's commands are run
  ```text      anything else; the line above says what is known of it

Notes of a page in the line right above a block:

  <!-- then: COMMAND -->      is run after the block, by the same shell, to see whether it did what it is for
  <!-- serves -->             each command serves until it is stopped; it is asked something and stopped
  <!-- printed by: COMMAND --> of a text: what the command prints; … stands for anything
  <!-- screen: FILE -->       of a text: a screen that the test of the terminal compares
  <!-- golden: FILE -->       of a jsonl: lines of a golden file; … stands for anything
  <!-- not run: why -->       the block is not run

Links between pages must lead somewhere, docs/tools.md is what `helve tools --all --markdown` prints (make docs), and the
table of fields in docs/agent.md is what event_fields.py makes of the golden files.
"""
import ast
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # leaves nothing in the source tree

import event_fields  # noqa: E402
from machine import SHELLS, Machine  # noqa: E402
from pages import blocks, check_links  # noqa: E402

BUILD, RUNNER, SOURCE = (Path(word).resolve() for word in sys.argv[1:4])
PAGES = [Path(page).resolve() for page in sys.argv[4:]] or sorted([*SOURCE.glob("*.md"), *SOURCE.glob("docs/*.md")])


class Page:
    """One page, and the user who follows it."""

    def __init__(self, path, home):
        self.path = path
        self.home = home
        self.text = path.read_text()
        self.problems = []

    def complain(self, line, what):
        self.problems.append(f"{os.path.relpath(self.path, SOURCE)}:{line}: {what}")

    def check(self, counts):
        check_links(self.path, self.complain)
        if self.path.name == "tools.md" and self.home.helve("tools", "--all", "--markdown").stdout != self.text:
            self.complain(1, "the tools describe themselves otherwise; run make docs")
        if self.path.name == "agent.md" and (wrong := event_fields.check(SOURCE)):
            self.complain(1, wrong)
        found = list(blocks(self.text))
        for block in found:
            if block.file:
                (self.home.workspace / block.file).parent.mkdir(exist_ok=True)
                (self.home.workspace / block.file).write_text(block.body)
        for block in found:
            why = block.said("not run")
            counts["not run" if why else block.kind] += 1
            what = self.check_targets(block) if why else self.check_block(block)
            if what:
                self.complain(block.line, what)

    def check_block(self, block):
        """Returns what is wrong with it."""
        if block.kind == "console":
            return "a console block cannot be indented" if block.indented else None
        if block.kind in SHELLS:
            return self.run_commands(block)
        check = getattr(self, f"check_{block.kind}", None)
        if not check:
            return f'no check for a block of "{block.kind}"; tests/docs/run.py lists the kinds'
        return check(block)

    def run_commands(self, block):
        if block.said("serves") is not None:
            lines = block.body.replace("\\\n", "").splitlines()
            wrong = ((line, self.home.serve(line)) for line in lines)
            return next((f"{line}: {what}" for line, what in wrong if what), None)
        code, said = self.home.run(block.kind, f"{block.body}\n{block.said('then') or ''}")
        return f"exit code {code}: {said}" if code else None

    def check_targets(self, block):
        """Of commands that are not run, that there are such things to make."""
        known = set(re.findall(r"^([a-z-]+):", (SOURCE / "Makefile").read_text(), re.M))
        for target in re.findall(r"^make ([a-z-]+)", block.body, re.M):
            if target not in known:
                return f"there is no make {target}"
        return None

    def check_text(self, block):
        if command := block.said("printed by"):
            code, said = self.home.run("sh", command)
            pattern = ".*".join(re.escape(part) for part in block.body.split("…"))
            return None if code == 0 and re.fullmatch(pattern, said) else f"{command} (exit code {code}) prints: {said}"
        if file := block.said("screen"):
            # The kept screens leave out what differs from run to run.
            shown = re.sub(r"\d+\.\d s\b", "N s", block.body)
            return None if shown == (SOURCE / file).read_text() else f"{file} has another screen"
        return "a text needs a line above it that says what it is; tests/docs/run.py lists them"

    def check_toml(self, block):
        if block.file:
            return None  # read by the page's own commands
        is_plugin = re.search(r"^\[\[tools\]\]", block.body, re.M)
        name = re.search(r'^name = "([\w-]+)"', block.body, re.M)
        file = self.scratch(block, f"{name[1] if is_plugin and name else 'config'}.toml")
        asked = ["plugin", "check", file] if is_plugin else ["--config", file, "tools"]
        answer = self.home.helve(*asked)
        return f"helve {' '.join(asked)} says: {answer.stderr or answer.stdout}" if answer.returncode else None

    def check_json(self, block):
        try:
            values = [json.loads(text) for text in ([block.body] if block.kind == "json" else block.body.splitlines())]
        except ValueError as error:
            return f"not JSON: {error}"
        return self.check_servers(block, values[0]["mcpServers"]) if "mcpServers" in values[0] else None

    def check_jsonl(self, block):
        file = block.said("golden")
        if not file:
            return self.check_json(block)
        known = (SOURCE / file).read_text().splitlines()
        for line in block.body.splitlines():
            pattern = ".*".join(re.escape(part) for part in line.split("…"))
            if not any(re.fullmatch(pattern, golden) for golden in known):
                return f"{file} has no such line: {line}"
        return None

    def check_servers(self, block, servers):
        """Settings for MCP servers: they can be taken over, and the servers answer."""
        asked = [["mcp", "import", self.scratch(block, "servers.json")], *(["mcp", "test", name] for name in servers)]
        answers = ((words, self.home.helve(*words)) for words in asked)
        return next((f"helve {' '.join(words)} says: {answer.stderr or answer.stdout}" for words, answer in answers
                     if answer.returncode), None)

    def check_cpp(self, block):
        if block.file:
            return None  # built by the page's own commands
        compiler = {"cpp": ["g++", "-std=c++23"], "c": ["gcc", "-std=c11"]}[block.kind]
        file = self.scratch(block, f"block.{block.kind}")
        answer = subprocess.run([*compiler, "-fsyntax-only", "-Wall", "-Werror", f"-I{SOURCE}/include", file],
                                capture_output=True, text=True, check=False)
        return f"does not compile: {answer.stderr}" if answer.returncode else None

    check_c = check_cpp

    def check_cmake(self, block):
        return None if block.file else "a block of CMake needs file=… and a command that uses it"

    def check_python(self, block):
        try:
            ast.parse(block.body)
        except SyntaxError as error:
            return f"not Python: {error}"
        return None

    def scratch(self, block, name):
        directory = self.home.workspace.parent / f"block{block.line}"
        directory.mkdir()
        (directory / name).write_text(block.body)
        return str(directory / name)


def main():
    problems = []
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as directory:
        machine = Machine(Path(directory).resolve(), SOURCE, BUILD)
        code, said = machine.install()
        if code:
            print(f"make install: exit code {code}: {said}")
            return 1
        transcripts = []
        for path in PAGES:
            page = Page(path, machine.home())
            page.check(counts)
            problems += page.problems
            if "```console\n" in page.text or "<!-- console\n" in page.text:
                transcripts.append(path)
        if transcripts:
            played = subprocess.run([RUNNER, machine.prefix / "bin", *transcripts], capture_output=True, text=True,
                                    env=machine.environment(), check=False)
            if played.returncode:
                problems.append(played.stdout + played.stderr)
    for problem in problems:
        print(problem)
    not_run = counts.pop("not run", 0)
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    print(f"{len(PAGES)} pages; blocks: {kinds}; {not_run} not run")
    return 1 if problems else 0


sys.exit(main())
