#!/usr/bin/env python3
"""A language server that does what real ones do at their worst.

Understands a text of lines: `def NAME` defines, every other occurrence of NAME uses. Columns count UTF-16 units.
The first argument names a fault, further ones are for it; see FAULTS.
"""
import json
import os
import re
import sys
import tempfile
import threading
import time

FAULTS = sys.argv[1].split(",") if len(sys.argv) > 1 else []
LOG = sys.argv[2] if len(sys.argv) > 2 else None
documents = {}
lock = threading.Lock()
asked = {}
next_id = [1000]
cancelled = set()


def fault(name):
    return name in FAULTS


def log(entry):
    if LOG:
        with open(LOG, "a", encoding="utf-8") as out:
            out.write(json.dumps(entry) + "\n")


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
    with lock:
        sys.stdout.buffer.write(b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n")
        sys.stdout.buffer.write(b"content-length: %d\r\n\r\n" % len(body))
        sys.stdout.buffer.flush()
        # In two pieces, as pipes may deliver it.
        half = len(body) // 2
        sys.stdout.buffer.write(body[:half])
        sys.stdout.buffer.flush()
        sys.stdout.buffer.write(body[half:])
        sys.stdout.buffer.flush()


def ask(method, params, then=None):
    next_id[0] += 1
    asked[next_id[0]] = (method, then)
    send({"id": next_id[0], "method": method, "params": params})


def read():
    length = None
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            return None
        if line in (b"\r\n", b"\n"):
            break
        name, _, value = line.decode().partition(":")
        if name.lower() == "content-length":
            length = int(value)
    return json.loads(sys.stdin.buffer.read(length))


def utf16(text):
    return len(text.encode("utf-16-le")) // 2


def occurrences(name):
    for uri, document in sorted(documents.items()):
        for number, line in enumerate(document["text"].split("\n")):
            for match in re.finditer(r"\b%s\b" % re.escape(name), line):
                start = utf16(line[: match.start()])
                yield uri, number, start, start + utf16(name), line[: match.start()].endswith("def ")


def name_at(params):
    text = documents[params["textDocument"]["uri"]]["text"].split("\n")
    line = text[params["position"]["line"]]
    for match in re.finditer(r"\w+", line):
        if utf16(line[: match.start()]) <= params["position"]["character"] <= utf16(line[: match.end()]):
            return match.group()
    return None


def span(number, start, end):
    return {"start": {"line": number, "character": start}, "end": {"line": number, "character": end}}


def diagnose(uri):
    document = documents[uri]
    found = []
    for number, line in enumerate(document["text"].split("\n")):
        if "ERROR" in line:
            at = utf16(line[: line.index("ERROR")])
            found.append({"range": span(number, at, at + 5), "severity": 1, "code": 7, "source": "fake",
                          "message": "%s: there is an error" % line.strip()})
    params = {"uri": uri, "diagnostics": found}
    if not fault("unversioned"):
        params["version"] = document["version"]
    if fault("late-diagnostics"):
        time.sleep(0.3)
        # Diagnostics of the previous text come late, and must not count for the new one.
        send({"method": "textDocument/publishDiagnostics",
              "params": {"uri": uri, "version": document["version"] - 1,
                         "diagnostics": [{"range": span(0, 0, 1), "message": "stale"}]}})
    send({"method": "textDocument/publishDiagnostics", "params": params})


def initialize(params):
    result = {"capabilities": {"textDocumentSync": 1, "definitionProvider": True, "referencesProvider": True,
                               "hoverProvider": True, "renameProvider": True, "documentSymbolProvider": True,
                               "workspaceSymbolProvider": True, "documentFormattingProvider": True},
              "serverInfo": {"name": "fake", "version": "1.2.3"}}
    if fault("declares"):
        result["capabilities"]["declarationProvider"] = True
    return result


def symbols(uri):
    found = []
    for number, line in enumerate(documents[uri]["text"].split("\n")):
        match = re.match(r"def (\w+)", line)
        if match:
            found.append({"name": match.group(1), "kind": 12, "range": span(number, 0, utf16(line)),
                          "selectionRange": span(number, 4, 4 + utf16(match.group(1)))})
    return found


def rename(params):
    name = name_at(params)
    if name is None:
        raise ValueError("nothing to rename here")
    changes = {}
    own = params["textDocument"]["uri"] if fault("no-uses-elsewhere") else None
    for uri, number, start, end, _ in occurrences(name):
        if own not in (None, uri):
            continue
        changes.setdefault(uri, []).append({"range": span(number, start, end), "newText": params["newName"]})
    if fault("outside-rename"):
        changes["file:///etc/passwd"] = [{"range": span(0, 0, 4), "newText": params["newName"]}]
    if fault("misplaced-rename"):
        for edits in changes.values():
            for edit in edits:
                edit["range"]["start"]["character"] += 40
                edit["range"]["end"]["character"] += 40
    return {"documentChanges": [{"textDocument": {"uri": uri, "version": None}, "edits": edits}
                                for uri, edits in changes.items()]}


def answer(method, params):
    if method == "initialize":
        return initialize(params)
    if method == "shutdown":
        if "params" in params.get("_message", {}):
            raise ValueError("params must be left out")
        return None
    if method == "textDocument/definition":
        name = name_at(params)
        places = [{"targetUri": uri, "targetRange": span(number, 0, end), "targetSelectionRange": span(number, start, end)}
                  for uri, number, start, end, defines in occurrences(name or " ") if defines]
        return places
    if method == "textDocument/declaration":
        return [{"uri": uri, "range": span(number, start, end)}
                for uri, number, start, end, defines in occurrences(name_at(params) or " ") if defines]
    if method == "textDocument/references":
        own = params["textDocument"]["uri"] if fault("no-uses-elsewhere") else None
        return [{"uri": uri, "range": span(number, start, end)}
                for uri, number, start, end, _ in occurrences(name_at(params) or " ") if own in (None, uri)]
    if method == "textDocument/hover":
        return {"contents": [{"language": "fake", "value": "def " + (name_at(params) or "?")}, "More *words*."]}
    if method == "textDocument/documentSymbol":
        return symbols(params["textDocument"]["uri"])
    if method == "workspace/symbol":
        return [{"name": s["name"], "kind": 12, "location": {"uri": uri, "range": s["selectionRange"]}}
                for uri in documents for s in symbols(uri) if params["query"] in s["name"]]
    if method == "textDocument/rename":
        return rename(params)
    if method == "textDocument/formatting":
        text = documents[params["textDocument"]["uri"]]["text"].split("\n")
        return [{"range": span(number, len(line.rstrip()), len(line)), "newText": ""}
                for number, line in enumerate(text) if line != line.rstrip()]
    raise KeyError(method)


def respond(identity, method, params):
    try:
        result = answer(method, params)
    except Exception as problem:  # pylint: disable=broad-except
        send({"id": identity, "error": {"code": -32803, "message": str(problem)}})
        return
    send({"id": identity, "result": result})


def main():
    if fault("exit-at-start"):
        print("cannot find my library", file=sys.stderr)
        sys.exit(3)
    if fault("noise"):
        sys.stdout.buffer.write(b"Welcome to the fake server!\r\n")
        sys.stdout.buffer.flush()
    if fault("litter"):
        with tempfile.NamedTemporaryFile(prefix="preamble-", delete=False) as left:
            log({"litter": left.name})
    if fault("child"):
        # Leaves its group and would outlive everybody who does not look closely.
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)
            os._exit(0)
    while (message := read()) is not None:
        method = message.get("method")
        log({"method": method, "id": message.get("id"), "params": message.get("params"), "has_params": "params" in message,
             "result": message.get("result"), "error": message.get("error")})
        if method is None:
            name, then = asked.pop(message.get("id"), (None, None))
            if then:
                then(message)
            continue
        params = message.get("params") or {}
        if fault("silent") or (fault("hang-on-definition") and method == "textDocument/definition"):
            continue
        if method == "initialized" and fault("needs-configuration"):
            ask("workspace/configuration", {"items": [{"section": "fake.deep"}, {"section": "none"}]})
            ask("client/registerCapability", {"registrations": [{"id": "1", "method": "workspace/didChangeWatchedFiles"}]})
            ask("workspace/workspaceFolders", None)
            ask("window/showMessageRequest", {"type": 1, "message": "Really?", "actions": [{"title": "Yes"}]})
            ask("workspace/applyEdit", {"edit": {"changes": {}}})
            ask("window/workDoneProgress/create", {"token": "t"})
            ask("fake/unheardOf", {})
        if method == "initialized" and fault("indexes"):
            send({"method": "$/progress", "params": {"token": 1, "value": {"kind": "begin", "title": "Indexing"}}})
        if method == "exit":
            sys.exit(0)
        if method == "$/cancelRequest":
            cancelled.add(params["id"])
            if fault("late-reply"):
                send({"id": params["id"], "result": []})
            continue
        if method == "textDocument/didOpen":
            document = params["textDocument"]
            if document["uri"] in documents:
                log({"fault": "opened twice"})
            documents[document["uri"]] = {"text": document["text"], "version": document["version"]}
            diagnose(document["uri"])
            continue
        if method == "textDocument/didChange":
            document = documents[params["textDocument"]["uri"]]
            if params["textDocument"]["version"] != document["version"] + 1:
                log({"fault": "version"})
            document["version"] = params["textDocument"]["version"]
            document["text"] = params["contentChanges"][-1]["text"]
            diagnose(params["textDocument"]["uri"])
            continue
        if method == "textDocument/didClose":
            documents.pop(params["textDocument"]["uri"], None)
            continue
        if "id" not in message:
            continue
        if method == "textDocument/definition":
            if fault("crash-once"):
                mark = LOG + ".crashed"
                if not os.path.exists(mark):
                    open(mark, "w", encoding="utf-8").close()
                    os.kill(os.getpid(), 9)
            if fault("crash"):
                print("assertion failed: all is well", file=sys.stderr, flush=True)
                os.kill(os.getpid(), 9)
            if fault("same-id"):
                # A request with the id of the one that waits. It is not an answer.
                send({"id": message["id"], "method": "workspace/configuration", "params": {"items": []}})
                time.sleep(0.1)
            if fault("late-reply"):
                continue
        if fault("null-result-and-error") and method == "textDocument/hover":
            send({"id": message["id"], "result": None, "error": {"code": -32603, "message": "no hover today"}})
            continue
        respond(message["id"], method, params)


main()
