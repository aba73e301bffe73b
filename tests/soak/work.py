"""The work of a client of the soak test, repeated: some of every kind, with checks of the answers."""

import json
import os
import random
import threading

from clients import Trouble

SOURCE = '''"""Numbers."""

LIMIT_{n} = {n}


def double_{n}(value):
    """Twice the value."""
    return value * 2


class Counter_{n}:
    def count_{n}(self, things):
        return len(things) + LIMIT_{n}
'''


def make_workspace(path, clients, files):
    """A directory per client, so that none changes what another one looks at."""
    for client in range(clients):
        directory = os.path.join(path, f"part{client}")
        os.makedirs(directory)
        for number in range(files):
            with open(os.path.join(directory, f"module{number}.py"), "w") as file:
                file.write(SOURCE.format(n=number) * 4)
    return sorted(names_below(path))


def names_below(path):
    return [os.path.join(directory, name)
            for directory, _, names in os.walk(path) for name in names]


class Worker(threading.Thread):
    """Uses one client until `stop` is set. `trouble` has what went wrong."""

    def __init__(self, client, number, workspace, files, stop, pause):
        super().__init__(name=f"client {number} ({type(client).__name__}, {client.protocol})")
        self.client, self.number, self.workspace, self.files = client, number, workspace, files
        self.stop, self.pause = stop, pause
        self.random = random.Random(number)
        self.done = {}
        self.trouble = []

    def run(self):
        steps = [(self.read, 30), (self.grep, 10), (self.find, 6), (self.list, 6), (self.edit_and_undo, 12),
                 (self.several_edits, 4), (self.short_command, 8), (self.long_output, 2), (self.background, 3),
                 (self.left_running, 1), (self.query, 6), (self.outline, 3), (self.snippets, 6),
                 (self.mistakes, 4), (self.cancel, 3), (self.subscribe, 3), (self.resources, 3), (self.vanish, 2),
                 (self.reopen, 1)]
        try:
            self.client.open()
            while not self.stop.wait(self.pause):
                step = self.random.choices([each for each, _ in steps], [weight for _, weight in steps])[0]
                step()
                self.done[step.__name__] = self.done.get(step.__name__, 0) + 1
        except Exception as problem:  # the report names every problem
            self.trouble.append(f"{self.name}: {type(problem).__name__}: {problem}")
        finally:
            try:
                self.client.close()
            except Exception as problem:
                self.trouble.append(f"{self.name}, at its end: {type(problem).__name__}: {problem}")

    def path(self):
        return f"part{self.number}/module{self.random.randrange(self.files)}.py"

    def call(self, tool, arguments, fails=False):
        answer = self.client.request("tools/call", {"name": tool, "arguments": arguments})
        if "result" not in answer or bool(answer["result"].get("isError")) != fails:
            raise Trouble(f"{tool} {json.dumps(arguments)[:200]}: {json.dumps(answer)[:600]}")
        return answer["result"]

    def data(self, result):
        return result.get("structuredContent") or {}

    def read(self):
        self.call("read", {"path": self.path(), "offset": self.random.randrange(1, 20), "limit": 10})

    def grep(self):
        self.call("grep", {"pattern": "def count_[0-9]+", "path": f"part{self.number}", "maxResults": 20})

    def find(self):
        self.call("find", {"pattern": "**/*.py", "maxResults": 50})

    def list(self):
        self.call("ls", {"path": "."})

    def edit_and_undo(self):
        path = self.path()
        with open(os.path.join(self.workspace, path)) as file:
            before = file.read()
        self.call("edit", {"path": path, "oldText": '"""Numbers."""', "newText": '"""Figures."""', "replaceAll": True})
        self.call("undo", {"path": path})
        with open(os.path.join(self.workspace, path)) as file:
            if file.read() != before:
                raise Trouble(f"{path} is not what it was before edit and undo")

    def several_edits(self):
        path = self.path()
        self.call("multi_edit", {"path": path, "edits": [
            {"oldText": "Twice the value.", "newText": "Two times the value.", "replaceAll": True},
            {"oldText": "return value * 2", "newText": "return value + value", "replaceAll": True}]})
        self.call("history", {"path": path})
        self.call("undo", {"path": path})

    def short_command(self):
        result = self.call("exec", {"command": "echo hello; ls | head -n 3"})
        if "hello" not in json.dumps(result):
            raise Trouble(f"exec said {json.dumps(result)[:300]}")

    def long_output(self):
        self.call("exec", {"command": "seq 20000"})
        self.call("grep", {"pattern": ".", "maxResults": 1000})

    def background(self):
        started = self.data(self.call("exec", {"command": "echo up; sleep 300 & wait", "background": True}))
        command = started["sessionId"]
        self.call("process", {"action": "poll", "sessionId": command})
        self.call("process", {"action": "kill", "sessionId": command})
        self.call("process", {"action": "remove", "sessionId": command})

    def left_running(self):
        # Ends with its session, or by itself soon.
        self.call("exec", {"command": "sleep 20", "background": True})

    def query(self):
        self.call("code_query", {"query": f"count_{self.random.randrange(self.files)}"})

    def outline(self):
        self.call("get_code_outline", {"path": self.path()})

    def snippets(self):
        name = f"soak-{self.number}-{self.random.randrange(5)}"
        self.call("snippet_save", {"name": name, "code": "x = 1\n" * 20, "tags": ["soak"]})
        self.call("snippet_load", {"name": name})
        self.call("snippet_list", {"query": "soak"})
        self.call("snippet_delete", {"name": name})

    def mistakes(self):
        self.call("read", {"path": "missing.txt"}, fails=True)
        self.call("edit", {"path": self.path(), "oldText": "not there", "newText": "x"}, fails=True)
        self.call("grep", {"pattern": "x", "surprise": 1}, fails=True)

    def cancel(self):
        self.client.cancelled("tools/call", {"name": "exec", "arguments": {"command": "sleep 60"}}, 0.1)

    def subscribe(self):
        path = os.path.join(self.workspace, f"part{self.number}", "watched.txt")
        with open(path, "w") as file:
            file.write("before\n")

        def change():
            with open(path, "a") as file:
                file.write("after\n")

        if not self.client.subscribed("file://" + path, change):
            raise Trouble("a change of a watched file was not reported")
        os.unlink(path)

    def resources(self):
        if "result" not in self.client.request("resources/list", {}):
            raise Trouble("resources/list")
        uri = "file://" + os.path.join(self.workspace, self.path())
        if "result" not in self.client.request("resources/read", {"uri": uri}):
            raise Trouble("resources/read")

    def vanish(self):
        self.client.vanish()
        self.client.open()

    def reopen(self):
        self.client.close()
        self.client.open()
