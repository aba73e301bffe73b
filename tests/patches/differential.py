#!/usr/bin/env python3
"""apply_patch against `git apply` and GNU patch, over small random trees and patches.
Usage: tests/patches/differential.py HELVE [COUNT] [SEED] [--show]

Where git and patch agree, Helve must agree with them. Where they differ, Helve may refuse or do what one of them
does. Helve is stricter and more lenient on purpose in a few places, which docs/files.md lists; see `allowed`."""

import atexit
import collections
import itertools
import json
import os
import random
import re
import shutil
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cases import Case, Maker  # noqa: E402

DISAGREEMENTS_SHOWN = 5


def clear(directory):
    for name in os.listdir(directory):
        path = os.path.join(directory, name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)


def fill(directory, files):
    for name, file in files.items():
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if isinstance(file, str):
            os.symlink(file, path)
            continue
        with open(path, "wb") as out:
            out.write(file[0])
        os.chmod(path, 0o755 if file[1] else 0o644)


def tree_of(directory):
    tree = {}
    for parent, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(parent, name)
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                tree[os.path.relpath(path, directory)] = os.readlink(path)
                continue
            with open(path, "rb") as file:
                tree[os.path.relpath(path, directory)] = (file.read(), bool(status.st_mode & 0o100))
    return tree


class Program:
    """git or patch in its own directory."""

    def __init__(self, work, name, command):
        self.directory = os.path.join(work, name)
        self.command = command
        self.environment = dict(os.environ, GIT_CEILING_DIRECTORIES=work, GIT_CONFIG_GLOBAL=os.devnull,
                                GIT_CONFIG_NOSYSTEM="1", LC_ALL="C", HOME=work)
        os.mkdir(self.directory)

    def apply(self, case):
        """The tree that results, or None when it refuses; and its output."""
        clear(self.directory)
        fill(self.directory, case.files)
        done = subprocess.run([*self.command, f"-p{case.strip}"], cwd=self.directory, env=self.environment,
                              input=case.patch, capture_output=True, timeout=60)
        output = (done.stdout + done.stderr).decode("utf-8", "replace")
        return (tree_of(self.directory) if done.returncode == 0 else None), output


class Helve:
    """One server for all cases."""

    def __init__(self, work, program):
        self.directory = os.path.join(work, "helve")
        os.mkdir(self.directory)
        home = os.path.join(work, "home")
        os.mkdir(home)
        environment = {"PATH": os.environ["PATH"], "HOME": home, "HELVE_LOG_LEVEL": "error"}
        self.server = subprocess.Popen(
            [program, "--workspace", self.directory, "--mode", "full", "--set", "workspace.durability=none", "mcp"],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.calls = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "differential", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.server.stdin.write(json.dumps(message) + "\n")
        self.server.stdin.flush()

    def ask(self, method, params):
        self.calls += 1
        self.send({"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params})
        while True:
            line = self.server.stdout.readline()
            if not line:
                raise RuntimeError("helve mcp ended")
            answer = json.loads(line)
            if answer.get("id") == self.calls:
                return answer["result"]

    def apply(self, case):
        clear(self.directory)
        fill(self.directory, case.files)
        result = self.ask("tools/call", {"name": "apply_patch", "arguments": {"patch": case.patch.decode()}})
        text = "\n".join(part.get("text", "") for part in result["content"])
        tree = tree_of(self.directory)
        if result.get("isError"):
            assert tree == {name: file for name, file in case.files.items()}, "a refused patch changed the tree"
            return None, text
        return tree, text

    def close(self):
        self.server.stdin.close()
        self.server.wait(timeout=60)


def relaxed(case, spaces, has_last_newline):
    """The case without what Helve does not compare: white space at line ends, and whether the last line ends."""
    files = {}
    for name, file in case.files.items():
        if isinstance(file, str) or not file[0]:
            files[name] = file
            continue
        content = "\n".join(line.rstrip(spaces) for line in file[0].decode().removesuffix("\n").split("\n"))
        files[name] = ((content + "\n" * has_last_newline).encode(), file[1])
    lines = [line[:1] + line[1:].rstrip(spaces) for line in case.patch.decode().split("\n")]
    if has_last_newline:
        lines = [line for line in lines if line != "\\ No newline at end of file"]
    return Case(case.kind, files, "\n".join(lines).encode(), case.strip)


def words_of(tree, spaces=" \t\r"):
    def words(content):
        return [line.rstrip(spaces) for line in content.decode().removesuffix("\n").split("\n")]
    return tree and {name: file if isinstance(file, str) else (words(file[0]), file[1]) for name, file in tree.items()}


def makes_a_file_twice(patch):
    made = re.findall(rb"^(?:rename|copy) to (.+)$", patch, re.M)
    made += re.findall(rb"^diff --git a/\S+ b/(\S+)\nnew file mode", patch, re.M)
    return len(made) > len(set(made))


class Judge:
    def __init__(self, work, program):
        self.git = Program(work, "git", ["git", "apply"])
        self.patch = Program(work, "patch", ["patch", "-f", "-N", "--no-backup-if-mismatch", "-r", "-"])
        self.helve = Helve(work, program)
        self.seen = collections.Counter()

    def judge(self, case):
        """None, or why Helve's result is wrong."""
        git, git_says = self.git.apply(case)
        patch, patch_says = self.patch.apply(case)
        helve, helve_says = self.helve.apply(case)
        agree = git == patch
        fuzzy = " with fuzz " in patch_says
        self.seen["both refuse" if agree and git is None else "both accept" if agree else
                  "only patch accepts, with fuzz" if git is None and fuzzy else "only patch accepts" if git is None else
                  "only git accepts" if patch is None else "different trees"] += 1
        if helve is not None:
            self.seen["helve accepts"] += 1
        if helve == git or (not agree and (helve is None or helve == patch)):
            return None
        if self.allowed(case, git if agree else None, helve):
            return None
        if git is None and patch is None:
            why = "git and patch refuse it"
        elif agree:
            why = "git and patch accept it" if helve is None else "git and patch agree on another result"
        else:
            why = "neither git nor patch does that"
        return "\n".join([f"{case.kind}: {why}", f"files: {case.files}", "patch:", case.patch.decode(),
                          f"git:   {git}", git_says, f"patch: {patch}", patch_says, f"helve: {helve}", helve_says])

    def allowed(self, case, agreed, helve):
        """The deliberate differences of Helve."""
        if helve is None:
            self.seen["stricter on purpose"] += makes_a_file_twice(case.patch)
            return makes_a_file_twice(case.patch)
        # Line endings, white space at the ends of context lines and a missing final newline are not compared, if
        # git or patch would apply the same patch were they equal. Added lines get the line endings of the file.
        if words_of(helve, "\r") == words_of(agreed, "\r"):
            self.seen["other line endings on purpose"] += 1
            return True
        for spaces, has_last_newline in itertools.product(("\r", " \t\r"), (True, False)):
            plain = relaxed(case, spaces, has_last_newline)
            if words_of(helve) in [words_of(tool.apply(plain)[0]) for tool in (self.git, self.patch)]:
                self.seen["more lenient on purpose"] += 1
                return True
        return False


def main():
    if not shutil.which("git") or not shutil.which("patch"):
        print("differential: needs git and GNU patch")
        sys.exit(77)
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    count = int(arguments[1]) if len(arguments) > 1 else 300
    seed = int(arguments[2]) if len(arguments) > 2 else 1
    work = tempfile.mkdtemp(prefix="helve-patches.")
    atexit.register(shutil.rmtree, work)
    judge = Judge(work, os.path.abspath(arguments[0]))
    maker = Maker(random.Random(seed))
    wrong = collections.Counter()
    for _ in range(count):
        case = maker.case()
        problem = judge.judge(case)
        if problem is None:
            continue
        title = problem.split("\n", 1)[0]
        wrong[title] += 1
        if sum(wrong.values()) <= DISAGREEMENTS_SHOWN or "--show" in sys.argv:
            print("=" * 100 + "\n" + problem)
    judge.helve.close()
    seen = ", ".join(f"{number} {what}" for what, number in sorted(judge.seen.items()))
    print(f"{count} cases from seed {seed}: {seen}")
    for title, number in sorted(wrong.items()):
        print(f"disagreement, {number} times: {title}")
    sys.exit(1 if wrong else 0)


main()
