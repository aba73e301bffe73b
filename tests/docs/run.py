#!/usr/bin/env python3
"""Every code block of the documentation is run or read by what it is for.

Usage: tests/docs.py DIRECTORY_OF_HELVE TRANSCRIPT_RUNNER SOURCE_DIRECTORY [PAGE…]

  ```console   commands and what they print, run as a transcript (tests/transcript_runner.cc)
  ```toml      settings, loaded by helve; with [[tools]] the manifest of a plugin, checked by helve plugin check
  ```json      one JSON value; "jsonl" is one in every line
  ```sh        commands that a test cannot run: bash must be able to parse them, and the commands, tools, flags and
               make targets that they name must exist
  ```cpp ```c  a whole source file, compiled (without code); ```python: parsed
  ```cpp file=…, ```cmake file=…   files of the program that tests/install.sh builds from that page
  ```text      anything else, with a line <!-- not run: why --> right above it

Links between pages must lead somewhere, and docs/tools.md is what `helve tools --all --markdown` prints (make docs).
"""
import ast
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

BIN, RUNNER, SOURCE = (Path(word).resolve() for word in sys.argv[1:4])
PAGES = [Path(page).resolve() for page in sys.argv[4:]] or sorted([*SOURCE.glob("*.md"), *SOURCE.glob("docs/*.md")])
problems = []
counts = {}


def complain(page, line, what):
    problems.append(f"{page.relative_to(SOURCE)}:{line}: {what}")


def run(words, **options):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
                          **options)


class Home:
    """A fresh person on a machine with helve."""

    def __init__(self, directory):
        self.workspace = directory / "workspace"
        self.workspace.mkdir()
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("HELVE_", "XDG_"))}
        self.environment = {**clean, "HOME": str(directory), "PATH": f"{BIN}:{os.environ['PATH']}"}
        self.pages = {}

    def helve(self, *words):
        return run(["helve", *words], cwd=self.workspace, env=self.environment)

    def help(self, name):
        if name not in self.pages:
            page = self.helve("help", name) if name else self.helve("--help")
            self.pages[name] = page.stdout if page.returncode == 0 else None
        return self.pages[name]


def blocks(text):
    """Pairs of the fence's words and the text, with the line and the line above the fence."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        fence = re.match(r"( *)(`{3,})(.*)$", lines[at])
        if fence:
            end = next((i for i in range(at + 1, len(lines)) if lines[i].strip() == fence[2]), len(lines))
            body = "\n".join(line.removeprefix(fence[1]) for line in lines[at + 1:end]) + "\n"
            yield fence[3].split(), body, at + 1, lines[at - 1] if at else "", bool(fence[1])
            at = end
        at += 1


def check_shell(home, page, line, body):
    parsed = run(["bash", "-n", "-c", body])
    if parsed.returncode:
        return complain(page, line, f"bash cannot read this: {parsed.stderr.strip()}")
    for number, text in enumerate(body.replace("\\\n", "  ").split("\n"), line + 1):
        lexer = shlex.shlex(text, posix=True, punctuation_chars="();<>|&")
        lexer.whitespace_split = True
        command = []
        for word in [*lexer, ";"]:
            if word and set(word) <= set("();<>|&"):
                check_words(home, page, number, command)
                command = []
            else:
                command.append(word)
    return None


def check_words(home, page, line, words):
    while words and (words[0] in ("sudo", "exec") or re.match(r"[A-Za-z_]+=", words[0])):
        words = words[1:]
    if not words:
        return
    if words[0] == "make" and "-C" in words:
        return
    if words[0] == "make":
        known = set(re.findall(r"^([a-z-]+):", (SOURCE / "Makefile").read_text(), re.M))
        for word in words[1:]:
            if "=" not in word and word not in known:
                complain(page, line, f"there is no make {word}")
        return
    if os.path.basename(words[0]) != "helve":
        return
    rest = words[1:words.index("--")] if "--" in words else words[1:]
    name = next((word for word in rest if not word.startswith("-")), "")
    # A tool of a plugin that the page tells how to make.
    made = re.findall(r"helve plugin (?:new \w+|add) ([\w-]+)", page.read_text())
    if any(name.startswith(plugin.replace("-", "_") + "_") for plugin in made):
        return
    if home.help(name) is None:
        complain(page, line, f"there is no helve {name}")
        return
    known = home.help(name) + home.help("") + " --help --version -v -q -h "
    for word in rest:
        if re.match(r"--?[a-z]", word):
            flag = word.split("=")[0]
            if not re.search(re.escape(flag) + r"\b", known.replace("--[no-]", "--no-")):
                complain(page, line, f"helve {name} has no flag {flag}")


def check_block(home, page, words, body, line, above, indented):
    kind = words[0] if words else ""
    counts[kind] = counts.get(kind, 0) + 1
    scratch = home.workspace.parent / "block"
    scratch.write_text(body)
    if kind == "console":
        if indented:
            complain(page, line, "a console block cannot be indented")
        return
    if kind == "toml":
        is_plugin = re.search(r"^\[\[tools\]\]", body, re.M)
        if is_plugin:
            name = re.search(r'^name = "([\w-]+)"', body, re.M)
            scratch = scratch.rename(scratch.with_name(f"{name[1] if name else 'plugin'}.toml"))
        asked = ["plugin", "check", str(scratch)] if is_plugin else ["--config", str(scratch), "tools"]
        answer = home.helve(*asked)
        if answer.returncode:
            complain(page, line, f"helve {' '.join(asked)} says: {answer.stderr or answer.stdout}")
    elif kind in ("json", "jsonl"):
        for text in [body] if kind == "json" else body.splitlines():
            try:
                json.loads(text)
            except ValueError as error:
                complain(page, line, f"not JSON: {error}")
    elif kind == "sh":
        check_shell(home, page, line, body)
    elif kind in ("cpp", "cmake") and any(word.startswith("file=") for word in words):
        if page.name not in (SOURCE / "tests/install.sh").read_text():
            complain(page, line, "tests/install.sh does not build the program of this page")
    elif kind in ("cpp", "c"):
        compiler = ["g++", "-std=c++23", "-x", "c++"] if kind == "cpp" else ["gcc", "-std=c11", "-x", "c"]
        answer = run([*compiler, "-fsyntax-only", "-Wall", "-Werror", f"-I{SOURCE}/include", str(scratch)])
        if answer.returncode:
            complain(page, line, f"does not compile: {answer.stderr}")
    elif kind == "python":
        try:
            ast.parse(body)
        except SyntaxError as error:
            complain(page, line, f"not Python: {error}")
    elif kind == "text":
        if not re.fullmatch(r"\s*<!-- not run: .+ -->", above):
            complain(page, line, "a block that is not run needs <!-- not run: why --> right above it")
    else:
        complain(page, line, f'nobody checks a block of "{kind}"; tests/docs.py lists the kinds')


def anchors(page):
    inside = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    for heading in re.findall(r"^#+ +(.*)$", inside, re.M):
        yield re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def check_links(page, text):
    outside = re.sub(r"^```.*?^```", lambda block: "\n" * block[0].count("\n"), text, flags=re.M | re.S)
    for link in re.finditer(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", outside)):
        target = link[1]
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        line = outside[:link.start()].count("\n") + 1
        if not path.exists():
            complain(page, line, f"the link to {target} leads nowhere")
        elif anchor and path.suffix == ".md" and anchor not in anchors(path):
            complain(page, line, f"{file or page.name} has no heading #{anchor}")


def main():
    with tempfile.TemporaryDirectory() as directory:
        home = Home(Path(directory))
        transcripts = []
        for page in PAGES:
            text = page.read_text()
            if page.name == "tools.md" and home.helve("tools", "--all", "--markdown").stdout != text:
                complain(page, 1, "the tools describe themselves otherwise; run make docs")
            check_links(page, text)
            for block in blocks(text):
                check_block(home, page, *block)
            if "```console\n" in text or "<!-- console\n" in text:
                transcripts.append(str(page))
    if transcripts:
        played = subprocess.run([RUNNER, BIN, *transcripts], capture_output=True, text=True, check=False)
        if played.returncode:
            problems.append(played.stdout + played.stderr)
    for problem in problems:
        print(problem)
    print(f"{len(PAGES)} pages, blocks: {', '.join(f'{n} {kind}' for kind, n in sorted(counts.items()))}")
    return 1 if problems else 0


sys.exit(main())
