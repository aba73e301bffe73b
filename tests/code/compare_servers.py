#!/usr/bin/env python3
"""Compares the definitions that Helve finds with documentSymbol of real language servers, per language.

    compare_servers.py CODE_SYMBOLS NODE_MODULES [--misses N] [--most N] NAME=TREE...

Asks pyright about Python, typescript-language-server about TypeScript and clangd about C++, for an even sample
of each tree's files. Two definitions are the same when file and name are, and the lines are at most two apart.
Recall: how many of the server's Helve has; precision: how many of Helve's the server has, of whatever kind.
Definitions that are not written in the source are counted apart: those that macros make (their names do not stand on
their lines) and declarations of classes without a body.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

from compare import LANGUAGES, clean, files_of, missing, ours

# The protocol's numbers of kinds.
KINDS = {5: 'classes', 6: 'functions', 9: 'functions', 10: 'classes', 11: 'classes', 12: 'functions', 23: 'classes'}
IDS = {'Python': 'python', 'TypeScript': 'typescript', 'C++': 'cpp'}


class Server:
    """A language server that is asked one thing after the other."""

    def __init__(self, command, tree, options):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=tree)
        self.number = 0
        uri = pathlib.Path(tree).as_uri()
        capabilities = {'textDocument': {'documentSymbol': {'hierarchicalDocumentSymbolSupport': True}}}
        self.ask('initialize', {'processId': None, 'rootUri': uri, 'workspaceFolders': [{'uri': uri, 'name': 'tree'}],
                                'capabilities': capabilities, 'initializationOptions': options})
        self.tell('initialized', {})

    def send(self, message):
        body = json.dumps({'jsonrpc': '2.0', **message}).encode()
        self.process.stdin.write(b'Content-Length: %d\r\n\r\n' % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method, params):
        self.send({'method': method, 'params': params})

    def hear(self):
        length = 0
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError('the server has ended')
            if line in (b'\r\n', b'\n'):
                break
            name, _, value = line.partition(b':')
            if name.lower() == b'content-length':
                length = int(value)
        return json.loads(self.process.stdout.read(length))

    def ask(self, method, params):
        self.number += 1
        self.send({'id': self.number, 'method': method, 'params': params})
        while True:
            message = self.hear()
            if 'method' in message and 'id' in message:
                wanted = message.get('params') or {}
                answer = [None] * len(wanted.get('items', [])) if message['method'] == 'workspace/configuration' else None
                self.send({'id': message['id'], 'result': answer})
            elif message.get('id') == self.number and 'method' not in message:
                return message.get('result')

    def symbols(self, path, language):
        uri = pathlib.Path(path).as_uri()
        text = open(path, encoding='utf-8', errors='replace', newline='').read()
        self.tell('textDocument/didOpen', {'textDocument': {'uri': uri, 'languageId': IDS[language], 'version': 1, 'text': text}})
        found = self.ask('textDocument/documentSymbol', {'textDocument': {'uri': uri}}) or []
        self.tell('textDocument/didClose', {'textDocument': {'uri': uri}})
        return found, text.split('\n')

    def end(self):
        try:
            self.ask('shutdown', None)
            self.tell('exit', None)
            self.process.wait(10)
        except (OSError, EOFError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()


def start(language, modules, tree):
    if language == 'Python':
        return 'pyright', Server(['node', f'{modules}/pyright/langserver.index.js', '--stdio'], tree, {})
    if language == 'TypeScript':
        options = {'tsserver': {'path': f'{modules}/typescript/lib/tsserver.js'}}
        return 'tsserver', Server(['node', f'{modules}/typescript-language-server/lib/cli.mjs', '--stdio'], tree, options)
    flags = ['-xc++', '-std=c++17', f'-I{tree}', f'-I{tree}/include']
    return 'clangd', Server(['clangd-19', '--log=error'], tree, {'fallbackFlags': flags})


def name_of(symbol):
    name = symbol['name']
    operator = re.search(r'\boperator\b', name)
    if operator:
        return clean(name[operator.start():])
    if not name.startswith('('):
        name = name.split('(')[0]
    while '<' in name and '>' in name:
        bare = re.sub(r'<[^<>]*>', '', name)
        if bare == name:
            break
        name = bare
    return clean(name.split('::')[-1])


def is_written(symbol, name, place, lines, braces):
    """Whether the source has the name there, and a body where braces make a class."""
    line = place['start']['line']
    if name.lstrip('~') not in ''.join(lines[max(0, line - 1):line + 2]).replace(' ', ''):
        return False
    if not braces or KINDS.get(symbol['kind']) != 'classes':
        return True
    whole = symbol['range']
    return '{' in '\n'.join(lines[whole['start']['line']:whole['end']['line'] + 1])


def flatten(symbols, lines, braces, found, unwritten):
    for symbol in symbols:
        place = symbol.get('selectionRange') or symbol['location']['range']
        # `map() callback` and `<function>` are names that the server made up.
        if ' callback' not in symbol['name'] and not symbol['name'].startswith(('<', '(anonymous')):
            name, kind = name_of(symbol), KINDS.get(symbol['kind'])
            if is_written(symbol, name, place, lines, braces):
                found.add((name, place['start']['line'] + 1, kind))
            elif kind:
                unwritten.append(name)
        flatten(symbol.get('children') or [], lines, braces, found, unwritten)


def main():
    arguments = sys.argv[1:]
    program, modules = arguments[0], os.path.abspath(arguments[1])
    arguments = arguments[2:]
    options = {'--misses': 0, '--most': 120}
    while arguments and arguments[0] in options:
        options[arguments[0]] = int(arguments[1])
        arguments = arguments[2:]
    print('| tree | language | server | files | kind | server | Helve | recall | precision |')
    print('|---|---|---|---|---|---|---|---|---|')
    for argument in arguments:
        name, tree = argument.split('=', 1)
        tree = os.path.realpath(tree)
        by_language = collections.defaultdict(list)
        for path in files_of(tree):
            by_language[LANGUAGES[os.path.splitext(path)[1]]].append(path)
        for language, paths in sorted(by_language.items()):
            if language not in IDS or len(paths) < 5:
                continue
            paths = paths[::max(1, -(-len(paths) // options['--most']))]
            mine, skipped, _ = ours(program, paths)
            title, server = start(language, modules, tree)
            peers = collections.defaultdict(set)
            unwritten = []
            try:
                for path in paths:
                    symbols, lines = server.symbols(path, language)
                    flatten(symbols, lines, language == 'C++', peers[path], unwritten)
            finally:
                server.end()
            for kind in ('functions', 'classes'):
                of_kind = lambda found: {one for one in found if one[2] == kind}
                lost, extra = [], []
                total_mine = total_peers = 0
                for path in paths:
                    if path in skipped:
                        continue
                    total_mine += len(of_kind(mine[path]))
                    total_peers += len(of_kind(peers[path]))
                    lost += [(path, *one) for one in missing(of_kind(peers[path]), mine[path])]
                    extra += [(path, *one) for one in missing(of_kind(mine[path]), peers[path])]
                percent = lambda part, whole: f'{100 * part / whole:.1f} %' if whole else '–'
                print(f'| {name} | {language} | {title} | {len(paths)} | {kind} | {total_peers:,} | {total_mine:,} '
                      f'| {percent(total_peers - len(lost), total_peers)} | {percent(total_mine - len(extra), total_mine)} |')
                show = options['--misses']
                step = lambda all_of: max(1, len(all_of) // show) if show else 1
                for path, word, line, _ in lost[::step(lost)][:show]:
                    print(f'    not found: {path}:{line} {word}')
                for path, word, line, _ in extra[::step(extra)][:show]:
                    print(f'    only here: {path}:{line} {word}')
            if unwritten:
                print(f'| {name} | {language} | {title} | {len(unwritten):,} that are not written so, not compared | | | | | |')
            sys.stdout.flush()


if __name__ == '__main__':
    main()
