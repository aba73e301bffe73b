#!/usr/bin/env python3
"""Runs real commands through `helve exec`, undoes and redoes each, and compares the whole workspace with a walk.

The walk knows nothing of Helve: every unnoticed change of a command is a difference afterwards.
usage: commands.py HELVE [NAME…]
"""

import hashlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile

HELVE = os.path.abspath(sys.argv[1])
WANTED = sys.argv[2:]

# Name, set-up (run without Helve), command. {N} needs a program; missing ones are skipped and named.
CASES = [
    ("create", "", "echo hello > new.txt"),
    ("append", "", "echo more >> a.txt"),
    ("truncate", "", ": > a.txt; truncate -s 3 b.txt"),
    ("overwrite", "", "printf 'other\\n' > a.txt"),
    ("remove", "", "rm a.txt b.txt"),
    ("remove tree", "", "rm -rf tree"),
    ("remove and recreate", "", "rm a.txt; echo again > a.txt; rm -rf tree; mkdir tree; echo x > tree/x"),
    ("file becomes directory", "", "rm a.txt; mkdir a.txt; echo x > a.txt/x"),
    ("directory becomes file", "", "rm -rf tree; echo x > tree"),
    ("move file", "", "mv a.txt moved.txt"),
    ("move over", "", "mv a.txt b.txt"),
    ("move and change", "", "mv a.txt c.txt; echo changed >> c.txt"),
    ("swap names", "", "mv a.txt t; mv b.txt a.txt; mv t b.txt"),
    ("move tree", "", "mv tree other"),
    ("move tree and change", "", "mv tree other; echo more >> other/one.txt; rm other/deep/two.txt; echo n > other/deep/n"),
    ("move tree over an empty one", "mkdir empty", "mv -T tree empty"),
    ("replace tree", "", "mv tree old; mkdir tree; echo new > tree/one.txt; rm -rf old"),
    ("modes", "", "chmod 600 a.txt; chmod -R go-rwx tree; chmod +x b.txt"),
    ("read-only directories", "", "echo x > tree/x; chmod -R a-w tree"),
    ("make writable and remove", "chmod -R a-w tree", "chmod -R u+w tree; rm -rf tree"),
    ("hard links", "ln a.txt a2.txt", "echo more >> a2.txt; rm a.txt"),
    ("new hard link", "", "ln a.txt a3.txt; echo more >> a3.txt"),
    ("break hard link", "ln a.txt a2.txt", "sed -i s/a/b/ a.txt"),
    ("symlinks", "ln -s a.txt link; ln -s tree dirlink", "echo more >> link; rm dirlink; ln -sfn b.txt link; ln -s nowhere dangling"),
    ("write through a link", "ln -s tree dirlink", "echo more >> dirlink/one.txt; touch dirlink/new"),
    ("dangling target", "ln -s target link", "echo x > link"),
    ("fifo", "", "mkfifo pipe"),
    ("unusual names", "", "echo x > 'sp ace'; echo y > $'new\\nline'; mkdir $'tab\\tdir'; echo z > ./-rf; rm ./-rf"),
    ("big sparse file", "truncate -s 64M sparse; printf end >> sparse", "printf x | dd of=sparse conv=notrunc bs=1 seek=1000 status=none; mv sparse s2"),
    ("empty files and directories", "", "mkdir -p x/y/z; touch x/y/e; rmdir tree/empty"),
    ("deep", "", "mkdir -p $(printf 'd/%.0s' $(seq 60)); echo x > $(printf 'd/%.0s' $(seq 60))f"),
    ("many files", "", "mkdir m; cd m; for i in $(seq 500); do echo $i > f$i; done; rm f1*; cd ..; mv m mm"),
    ("sed -i", "", "sed -i 's/line/LINE/' a.txt b.txt tree/*.txt"),
    ("background processes", "", "(sleep 0.1; echo late > late.txt; rm b.txt) & echo now > now.txt; wait"),
    ("cd and relative paths", "", "cd tree/deep; echo x > ../../rel.txt; rm ../one.txt; cd ../..; mv tree/deep ./deep2"),
    ("editors' save patterns", "", "cp a.txt a.txt~; echo saved > .a.tmp; mv .a.tmp a.txt; rm a.txt~; cp -p b.txt b.bak; echo direct > b.txt; rm b.bak"),
    ("python", "{python3}", "python3 -c \"import os,shutil,pathlib; os.rename('a.txt','p'); shutil.rmtree('tree'); pathlib.Path('q').write_text('x'); os.replace('b.txt','q'); os.truncate('p',2)\""),
    ("node", "{node}", "node -e \"const fs=require('fs'); fs.writeFileSync('a.txt','js'); fs.renameSync('b.txt','n'); fs.rmSync('tree',{recursive:true}); fs.cpSync('n','n2'); fs.symlinkSync('n2','l')\""),
    ("perl -pi", "{perl}", "perl -pi -e 's/l/L/' a.txt tree/one.txt"),
    ("tar", "tar cf t.tar tree", "rm -r tree; tar xf t.tar; tar czf new.tgz tree; rm t.tar"),
    ("rsync", "{rsync}", "mkdir dst; rsync -a --delete tree/ dst/; rsync -a a.txt dst/; rm -r tree"),
    ("patch", "{patch}", "cp a.txt n; sed -i s/first/second/ n; diff -u a.txt n | patch a.txt || true; rm n"),
    ("sqlite", "{sqlite3}sqlite3 db 'create table t(x); insert into t values(1)'", "sqlite3 db 'insert into t values(2); create table u(y); vacuum; pragma journal_mode=wal; insert into u values(3)'"),
    ("make", "{make}printf 'out: a.txt\\n\\tcp a.txt out\\nclean:\\n\\trm -f out\\n' > Makefile", "make; make clean; make"),
    ("compile", "{gcc}printf 'int main(void){return 0;}\\n' > m.c", "gcc -O1 -c m.c -o m.o && gcc m.o -o m && ./m && rm m.o"),
    ("git init and commit", "{git}", "git init -q . && git -c user.name=n -c user.email=e@example.org add -A && git -c user.name=n -c user.email=e@example.org commit -qm first"),
    ("git checkout", "{git}GIT", "git checkout -q side"),
    ("git rebase", "{git}GIT", "git -c user.name=n -c user.email=e@example.org rebase -q side"),
    ("git stash", "{git}GIT; echo dirty >> a.txt; echo un > untracked", "git -c user.name=n -c user.email=e@example.org stash -u -q; git -c user.name=n -c user.email=e@example.org stash pop -q"),
    ("git reset and clean", "{git}GIT; echo dirty >> a.txt; echo un > untracked; rm b.txt", "git reset -q --hard && git clean -fdxq"),
    ("git gc", "{git}GIT", "git gc -q --prune=now; git repack -adq"),
    ("npm install from a directory", "{npm}mkdir lib; printf '{\"name\":\"lib\",\"version\":\"1.0.0\"}' > lib/package.json; echo 'x' > lib/i.js; printf '{\"name\":\"app\",\"version\":\"1.0.0\",\"dependencies\":{\"lib\":\"file:lib\"}}' > package.json", "npm install --offline --no-audit --no-fund --install-links >/dev/null"),
    ("cmake", "{cmake}printf 'cmake_minimum_required(VERSION 3.20)\\nproject(p C)\\nadd_executable(p m.c)\\n' > CMakeLists.txt; printf 'int main(void){return 0;}\\n' > m.c", "cmake -S . -B build >/dev/null && cmake --build build >/dev/null && rm -rf build/CMakeFiles"),
    ("threads", "{python3}", "python3 -c \"import threading; [t.start() for t in [threading.Thread(target=lambda i=i: open(f't{i}','w').write(str(i))) for i in range(50)]]\"; rm t1*; rm a.txt"),
]

GIT = (
    "git init -q -b main . && git config user.name n && git config user.email e@example.org && git add -A && git commit -qm one"
    " && git checkout -qb side && echo side > side.txt && echo s >> b.txt && rm tree/one.txt && git add -A && git commit -qm side"
    " && git checkout -q main && echo main > main.txt && git add -A && git commit -qm main"
)


def describe(root):
    """Every path with its kind, mode, content, link target and group of hard links."""
    nodes, inodes = {}, {}
    for directory, directories, files in os.walk(root):
        for name in directories + files:
            path = os.path.join(directory, name)
            status = os.lstat(path)
            relative = os.path.relpath(path, root)
            node = [stat.filemode(status.st_mode)]
            if stat.S_ISLNK(status.st_mode):
                node.append(os.readlink(path))
            if stat.S_ISREG(status.st_mode):
                with open(path, "rb") as file:
                    node.append(hashlib.sha256(file.read()).hexdigest())
                inodes.setdefault(status.st_ino, []).append(relative)
            nodes[relative] = node
    for group in inodes.values():
        for relative in group:
            nodes[relative].append(sorted(group) if len(group) > 1 else None)
    return nodes


def differences(one, other):
    return [f"{path!r}: {one.get(path)} / {other.get(path)}" for path in sorted(set(one) | set(other)) if one.get(path) != other.get(path)]


def make_tree(workspace, setup):
    os.makedirs(os.path.join(workspace, "tree/deep"))
    os.makedirs(os.path.join(workspace, "tree/empty"))
    for path, text in {"a.txt": "first line\nsecond line\n", "b.txt": "line b\n", "tree/one.txt": "line 1\n", "tree/deep/two.txt": "line 2\n", ".hidden": "h\n"}.items():
        with open(os.path.join(workspace, path), "w") as file:
            file.write(text)
    if setup:
        subprocess.run(["bash", "-c", setup.replace("GIT", GIT, 1)], cwd=workspace, check=True, stdout=subprocess.DEVNULL)


def needed_program(setup):
    if not setup.startswith("{"):
        return None, setup
    program, rest = setup[1:].split("}", 1)
    return program, rest


def run(arguments, workspace, home):
    environment = dict(os.environ, HOME=home, XDG_STATE_HOME=home + "/state", XDG_DATA_HOME=home + "/data", XDG_CONFIG_HOME=home + "/config")
    return subprocess.run([HELVE, *arguments], cwd=workspace, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def try_case(name, setup, command):
    scratch = tempfile.mkdtemp(prefix="helve-undo-")
    try:
        workspace, home = scratch + "/w", scratch + "/h"
        os.mkdir(workspace)
        os.mkdir(home, 0o700)
        make_tree(workspace, setup)
        before = describe(workspace)
        executed = run(["exec", "--command", command, "--plain"], workspace, home)
        if executed.returncode != 0:
            return f"the command failed ({executed.returncode}):\n{executed.stdout}"
        after = describe(workspace)
        if before == after:
            return "the command changed nothing; the case tests nothing"
        if "undo reverts this" not in executed.stdout:
            return f"the answer does not say that it can be undone:\n{executed.stdout}"
        undone = run(["undo", "--plain"], workspace, home)
        if undone.returncode != 0:
            return f"undo failed: {undone.stdout}\nafter: {executed.stdout}"
        if found := differences(before, describe(workspace)):
            return "undo left differences:\n  " + "\n  ".join(found[:20])
        redone = run(["history", "--action", "redo", "--plain"], workspace, home)
        if redone.returncode != 0:
            return f"redo failed: {redone.stdout}"
        if found := differences(after, describe(workspace)):
            return "redo left differences:\n  " + "\n  ".join(found[:20])
        undone = run(["undo", "--plain"], workspace, home)
        if undone.returncode != 0:
            return f"the second undo failed: {undone.stdout}"
        if found := differences(before, describe(workspace)):
            return "the second undo left differences:\n  " + "\n  ".join(found[:20])
        return None
    finally:
        subprocess.run(["chmod", "-R", "u+rwx", scratch], stderr=subprocess.DEVNULL)
        shutil.rmtree(scratch, ignore_errors=True)


def main():
    failed = passed = skipped = 0
    for name, setup, command in CASES:
        if WANTED and name not in WANTED:
            continue
        program, setup = needed_program(setup)
        if program and not shutil.which(program):
            print(f"skipped: {name}: needs {program}")
            skipped += 1
            continue
        problem = try_case(name, setup, command)
        if problem is None:
            passed += 1
        else:
            failed += 1
            print(f"FAILED: {name}: {command}\n{problem}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


sys.exit(main())
