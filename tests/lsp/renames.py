#!/usr/bin/env python3
"""Renames symbols in small projects with real language servers, and runs each project's own check afterwards.

A rename either leaves a project that passes its check, or it is refused, changes nothing and names the places that were
expected. Every rename starts with a new server, whose first question is the hardest. Usage:
renames.py [--short] HELVE SOURCE [PROJECT]…; a project whose server is not installed is skipped. With --short, only the
renames of SHORT in rename_projects.py run.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from rename_projects import PROJECTS, SHORT


class Trial:
    """A directory with the project, and a separate home for Helve."""

    def __init__(self, helve, bins, project):
        self.helve = helve
        self.project = project
        self.top = os.path.realpath(tempfile.mkdtemp(prefix="helve-renames-"))
        self.here = os.path.join(self.top, "work")
        self.words = {"bin": bins, "here": self.here, "out": self.top, "python": sys.executable, "node": shutil.which("node")}
        self.environment = {**os.environ, "HOME": os.path.join(self.top, "home"), "PATH": bins + ":" + os.environ["PATH"],
                            "PYTHONDONTWRITEBYTECODE": "1", "XDG_CACHE_HOME": os.path.join(self.top, "cache")}
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
            self.environment.pop(name, None)
        os.mkdir(self.environment["HOME"])
        if os.access("/usr/bin/clangd-19", os.X_OK):  # an older one cannot rename virtual methods
            config = os.path.join(self.environment["HOME"], ".config/helve")
            os.makedirs(config)
            with open(os.path.join(config, "config.toml"), "w", encoding="utf-8") as out:
                out.write('[lsp.servers.clangd]\ncommand = "/usr/bin/clangd-19"\n')
        # The files of a toolchain in the real home stay usable.
        for name, place in (("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")):
            self.environment.setdefault(name, os.path.join(os.path.expanduser("~"), place))
        for name, text in project["files"].items():
            path = os.path.join(self.here, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if text.startswith("-> "):
                os.symlink(text[3:], path)
            else:
                with open(path, "w", encoding="utf-8") as out:
                    out.write(text)

    def texts(self):
        found = {}
        for name in self.project["files"]:
            path = os.path.join(self.here, name)
            if os.path.isfile(path):
                with open(path, encoding="utf-8") as text:
                    found[name] = text.read()
        return found

    def check(self):
        """The output of the project's own checks; empty if they pass."""
        for command in self.project["check"]:
            run = subprocess.run(["bash", "-c", command.format(**self.words)], cwd=self.here, env=self.environment,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, check=False)
            if run.returncode != 0:
                return f"{command}\n{run.stdout}"
        return ""

    def rename(self, file, symbol, new_name):
        target = {"symbol": symbol}
        if symbol[0].isdigit():
            line, column = symbol.split(":")
            target = {"line": int(line) - 1, "character": int(column) - 1}
        arguments = {"path": file, "newName": new_name, **target}
        run = subprocess.run([self.helve, "call", "rename_symbol", json.dumps(arguments)], cwd=self.here,
                             env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600,
                             check=False)
        try:
            return json.loads(run.stdout)
        except json.JSONDecodeError:
            return {"ok": False, "error": {"message": run.stdout + run.stderr}}

    def close(self):
        shutil.rmtree(self.top, ignore_errors=True)


def problem_of(trial, rename):
    """Returns what is wrong with this rename (empty if nothing is), and the outcome."""
    file, symbol, new_name, want = rename
    before = trial.texts()
    answer = trial.rename(file, symbol, new_name)
    after = trial.texts()
    if answer.get("ok"):
        if want not in ("renamed", None):
            return "it was not refused", "renamed"
        if before == after:
            return "it changed nothing", "renamed"
        return trial.check(), "renamed"
    error = answer.get("error", {})
    said = error.get("message", "") + " " + str(error.get("details", ""))
    if before != after:
        return "it was refused and changed files", "refused"
    if want == "renamed":
        return "it was refused: " + said, "refused"
    details = error.get("details") or {}
    if not details.get("places"):
        return "the refusal names no places: " + said, "refused"
    named = [f"{each['path']}:{each['line'] + 1}" for each in details["places"]]
    missing = [place for place in want or [] if place not in named]
    return (f"{missing} are not among {named}" if missing else ""), "refused"


def main():
    short = sys.argv[1] == "--short"
    helve, source, *only = sys.argv[2 if short else 1:]
    helve, source = os.path.abspath(helve), os.path.abspath(source)
    bins = os.path.join(source, "tests/node/node_modules/.bin")
    counts = {"renamed": 0, "refused": 0}
    failed = 0
    for project in PROJECTS:
        renames = [rename for rename in project["renames"] if not short or (project["name"], *rename[:2]) in SHORT]
        if not renames or (only and project["name"] not in only):
            continue
        server = {"pyright": "pyright-langserver"}.get(project["needs"], project["needs"])
        path = bins + ":" + os.environ["PATH"]
        found = shutil.which(server, path=path) or shutil.which(server + "-19", path=path)
        if not found or subprocess.run([found, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, check=False).returncode not in (0, 1, 2) \
                or (project["needs"] == "rust-analyzer" and subprocess.run([found, "--version"], capture_output=True,
                                                                           check=False).returncode != 0):
            print(f"skipped: {project['name']}: {server} is not installed")
            continue
        for number, rename in enumerate(renames):
            trial = Trial(helve, bins, project)
            try:
                if number == 0 or project["name"] in ("c++", "typescript built", "typescript references"):
                    if wrong := trial.check():  # also builds what the server needs
                        print(f"FAIL {project['name']}: its check fails before any rename\n{wrong}")
                        failed += 1
                        break
                problem, outcome = problem_of(trial, rename)
            finally:
                trial.close()
            counts[outcome] += 1
            failed += bool(problem)
            print(f"{'FAIL' if problem else 'ok  '} {project['name']}: {rename[1]} to {rename[2]} was {outcome}"
                  + (f"\n{problem}" if problem else ""), flush=True)
    if short and not only:
        known = {(project["name"], *rename[:2]) for project in PROJECTS for rename in project["renames"]}
        if unknown := SHORT - known:
            print(f"FAIL SHORT names renames that do not exist: {unknown}")
            failed += 1
    print(f"{counts['renamed']} renamed, {counts['refused']} refused, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
