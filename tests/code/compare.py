#!/usr/bin/env python3
"""Compares the definitions that Helve finds with those of universal-ctags, per language.

    compare.py CODE_SYMBOLS [--misses N] NAME=TREE...

For each tree and kind: how many of ctags' definitions Helve has (recall), and how many of Helve's ctags has
(precision). Two are the same when file and name are, and the lines are at most two apart. ctags is not the
truth: docs/code.md says where it is wrong. With --misses, the first N of both sides are shown.
"""
import collections
import os
import subprocess
import sys

LANGUAGES = {
    '.py': 'Python', '.go': 'Go', '.ts': 'TypeScript', '.tsx': 'TypeScript', '.js': 'JavaScript', '.mjs': 'JavaScript',
    '.c': 'C', '.h': 'C++', '.cc': 'C++', '.cpp': 'C++', '.hpp': 'C++', '.rs': 'Rust', '.java': 'Java', '.rb': 'Ruby',
    '.php': 'PHP', '.sh': 'Sh', '.cs': 'C#',
}
# Both sides' words for the same things; what is in neither list is not compared.
OURS = {
    'function': 'functions', 'method': 'functions', 'class': 'classes', 'struct': 'classes', 'union': 'classes',
    'interface': 'classes', 'trait': 'classes', 'enum': 'classes', 'type': 'types',
}
THEIRS = {
    'function': 'functions', 'method': 'functions', 'func': 'functions', 'prototype': 'functions', 'member': None,
    'class': 'classes', 'struct': 'classes', 'union': 'classes', 'interface': 'classes', 'trait': 'classes',
    'enum': 'classes', 'typedef': 'types', 'type': 'types', 'alias': 'types', 'talias': 'types', 'generator': 'functions',
    'singletonMethod': 'functions', 'getter': 'functions', 'setter': 'functions', 'methodSpec': 'functions',
    'subroutine': 'functions', 'anonMember': None,
}
CTAGS_KINDS = ['--kinds-C=+p', '--kinds-C++=+p', '--kinds-Rust=+P', '--kinds-Python=+m']


def files_of(tree):
    for directory, folders, names in os.walk(tree):
        folders[:] = sorted(f for f in folders if f not in ('.git', 'node_modules', 'testdata'))
        for name in sorted(names):
            extension = os.path.splitext(name)[1]
            path = os.path.join(directory, name)
            if extension in LANGUAGES and not name.endswith('.min.js') and os.path.isfile(path) and os.path.getsize(path) < 4 << 20:
                yield path


def batches(paths, size=2000):
    for start in range(0, len(paths), size):
        yield paths[start:start + size]


def clean(name):
    """`operator ==` and `operator==`, `~Foo` and `Foo` are the same to a reader."""
    return name.replace(' ', '').split('<')[0] if not name.startswith('operator') else name.replace(' ', '')


def ours(program, paths):
    found = collections.defaultdict(set)
    skipped, errors = set(), 0
    for batch in batches(paths):
        out = subprocess.run([program, *batch], capture_output=True, check=True).stdout.decode('utf-8', 'replace')
        for line in out.split('\n'):
            parts = line.split('\t')
            if len(parts) < 5:
                continue
            path, number, kind, name = parts[:4]
            if kind == 'skipped':
                skipped.add(path)
            elif kind == 'errors':
                errors += 1
            else:
                found[path].add((clean(name), int(number), OURS.get(kind)))
    return found, skipped, errors


def theirs(paths):
    found = collections.defaultdict(set)
    for batch in batches(paths):
        listing = '\n'.join(batch).encode()
        command = ['ctags', '-L', '-', '-f', '-', '--fields=+nK', '--excmd=number', '--langmap=C++:+.h', '--sort=no', *CTAGS_KINDS]
        out = subprocess.run(command, input=listing, capture_output=True).stdout.decode('utf-8', 'replace')
        for line in out.split('\n'):
            parts = line.split('\t')
            if len(parts) < 4 or line.startswith('!'):
                continue
            path, kind = parts[1], THEIRS.get(parts[3])
            if parts[3] == 'member' and path.endswith('.py'):
                kind = 'functions'
            made_up = parts[0].startswith(('__anon', 'anonymous', 'AnonymousFunction'))
            # A macro in capitals with arguments is a call that ctags takes for a definition.
            is_macro = kind == 'functions' and parts[0].isupper() and path.endswith(('.c', '.h', '.cc', '.cpp', '.hpp'))
            if kind and not made_up and not is_macro:
                found[path].add((clean(parts[0]), int(parts[2].rstrip(';"')), kind))
    return found


def missing(these, those):
    """Those of `these` that `those` have nowhere near."""
    by_name = collections.defaultdict(list)
    for name, line, _ in those:
        by_name[name].append(line)
    return [one for one in these if not any(abs(one[1] - line) <= 2 for line in by_name[one[0]])]


def main():
    arguments = sys.argv[1:]
    program = arguments.pop(0)
    show = 0
    if arguments[0] == '--misses':
        show = int(arguments[1])
        arguments = arguments[2:]
    print('| tree | language | files | kind | ctags | Helve | recall | precision |')
    print('|---|---|---|---|---|---|---|---|')
    for argument in arguments:
        name, tree = argument.split('=', 1)
        by_language = collections.defaultdict(list)
        for path in files_of(tree):
            by_language[LANGUAGES[os.path.splitext(path)[1]]].append(path)
        for language, paths in sorted(by_language.items()):
            if len(paths) < 5:
                continue
            mine, skipped, errors = ours(program, paths)
            peers = theirs(paths)
            for kind in ('functions', 'classes', 'types'):
                total_mine = total_peers = lost = extra = 0
                lost_examples, extra_examples = [], []
                for path in paths:
                    if path in skipped:
                        continue
                    of_kind = lambda found: {one for one in found[path] if one[2] == kind and not (kind == 'functions' and one[0].isupper() and language in ('C', 'C++'))}
                    total_mine += len(of_kind(mine))
                    total_peers += len(of_kind(peers))
                    for one in missing(of_kind(peers), mine[path]):
                        lost += 1
                        lost_examples.append((path, *one))
                    for one in missing(of_kind(mine), peers[path]):
                        extra += 1
                        extra_examples.append((path, *one))
                if total_mine + total_peers == 0:
                    continue
                percent = lambda part, whole: f'{100 * part / whole:.1f} %' if whole else '–'
                print(f'| {name} | {language} | {len(paths)} | {kind} | {total_peers:,} | {total_mine:,} '
                      f'| {percent(total_peers - lost, total_peers)} | {percent(total_mine - extra, total_mine)} |')
                step = lambda all_of: max(1, len(all_of) // show) if show else 1
                for path, word, line, _ in lost_examples[::step(lost_examples)][:show]:
                    print(f'    not found: {path}:{line} {word}')
                for path, word, line, _ in extra_examples[::step(extra_examples)][:show]:
                    print(f'    only here: {path}:{line} {word}')
            if errors:
                print(f'| {name} | {language} | {errors} with regions that could not be parsed | | | | | |')
            sys.stdout.flush()


if __name__ == '__main__':
    main()
