"""MCP clients for the soak test: over HTTP in both eras of the protocol, and over stdin and stdout."""

import http.client
import json
import os
import signal
import subprocess
import threading

MODERN = "2026-07-28"
OLD = "2025-11-25"
PATIENCE = 60


class Trouble(Exception):
    """An answer that a client of a server in good order does not get."""


def meta(name):
    return {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }


def first_answer(response):
    """The answer to a request: the body, or the last event of a stream."""
    if response.getheader("Content-Type", "").startswith("application/json"):
        return json.loads(response.read())
    answer = None
    for event in events(response):
        if "result" in event or "error" in event:
            answer = event
    if answer is None:
        raise Trouble("a stream ended without an answer")
    return answer


def events(response):
    """The messages of a stream, as they come."""
    for line in response:
        if line.startswith(b"data:") and line[5:].strip():
            yield json.loads(line[5:])


class HttpClient:
    """One client of `helve serve`. `protocol` is OLD or MODERN."""

    def __init__(self, port, token, name, protocol):
        self.port, self.token, self.name, self.protocol = port, token, name, protocol
        self.connection = None
        self.session = None
        self.number = 0

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def headers(self, method, params):
        headers = {
            "Authorization": "Bearer " + self.token,
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": self.protocol,
        }
        if self.session:
            headers["Mcp-Session-Id"] = self.session
        if self.protocol == MODERN:
            headers["Mcp-Method"] = method
            if "name" in params or "uri" in params:
                headers["Mcp-Name"] = params.get("name", params.get("uri"))
        return headers

    def send(self, connection, method, params, number=None):
        params = dict(params)
        if self.protocol == MODERN:
            params["_meta"] = meta(self.name)
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if number is not None:
            message["id"] = number
        connection.request("POST", "/mcp", json.dumps(message), self.headers(method, params))

    def open(self):
        self.connection = self.connect()
        if self.protocol == MODERN:
            return
        self.send(self.connection, "initialize", {
            "protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": self.name, "version": "1"}}, 0)
        response = self.connection.getresponse()
        answer = first_answer(response)
        self.session = response.getheader("Mcp-Session-Id")
        if "result" not in answer or not self.session:
            raise Trouble(f"initialize: {answer}")
        self.notify("notifications/initialized", {})

    def notify(self, method, params):
        self.send(self.connection, method, params)
        self.connection.getresponse().read()

    def request(self, method, params):
        self.number += 1
        self.send(self.connection, method, params, self.number)
        return first_answer(self.connection.getresponse())

    def cancelled(self, method, params, seconds):
        """Makes a request and takes it back after a moment."""
        self.number += 1
        other = self.connect()
        self.send(other, method, params, self.number)
        threading.Event().wait(seconds)
        if self.protocol == OLD:
            self.notify("notifications/cancelled", {"requestId": self.number})
        other.close()

    def subscribed(self, uri, change):
        """Listens to a file while `change` changes it; whether it heard of that."""
        listening = self.connect()
        listening.timeout = 20
        if self.protocol == MODERN:
            self.number += 1
            self.send(listening, "subscriptions/listen",
                      {"notifications": {"resourceSubscriptions": [uri]}}, self.number)
        else:
            answer = self.request("resources/subscribe", {"uri": uri})
            if "result" not in answer:
                raise Trouble(f"resources/subscribe: {answer}")
            headers = self.headers("", {})
            headers["Accept"] = "text/event-stream"
            listening.request("GET", "/mcp", headers=headers)
        response = listening.getresponse()
        heard = False
        changer = None
        try:
            messages = events(response)
            if self.protocol == MODERN:
                next(messages)  # the acknowledgement
            changer = threading.Timer(0.05, change)
            changer.start()
            for message in messages:
                if message.get("method") == "notifications/resources/updated":
                    heard = True
                    break
        finally:
            if changer:
                changer.join()
            listening.close()
        if self.protocol == OLD:
            self.request("resources/unsubscribe", {"uri": uri})
        return heard

    def vanish(self):
        """Goes without a word, as after a crash."""
        self.connection.close()
        self.session = None

    def close(self):
        if self.protocol == OLD and self.session:
            self.connection.request("DELETE", "/mcp", headers=self.headers("", {}))
            self.connection.getresponse().read()
        self.vanish()


class StdioClient:
    """One client with its own `helve mcp`."""

    def __init__(self, command, environment, name, protocol):
        self.command, self.environment, self.name, self.protocol = command, environment, name, protocol
        self.number = 0
        self.process = None

    def open(self):
        self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        if self.protocol == OLD:
            answer = self.request("initialize", {
                "protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": self.name, "version": "1"}})
            if "result" not in answer:
                raise Trouble(f"initialize: {answer}")
            self.notify("notifications/initialized", {})

    def write(self, message):
        if self.protocol == MODERN:
            message["params"] = dict(message["params"], _meta=meta(self.name))
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def notify(self, method, params):
        self.write({"jsonrpc": "2.0", "method": method, "params": params})

    def messages(self):
        """Yields what arrives, until PATIENCE runs out, which ends the program and with it the stream."""
        late = threading.Timer(PATIENCE, self.process.kill)
        late.start()
        try:
            for line in self.process.stdout:
                yield json.loads(line)
        finally:
            late.cancel()

    def ask(self, method, params):
        self.number += 1
        self.write({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return self.number

    def request(self, method, params):
        number = self.ask(method, params)
        for message in self.messages():
            if message.get("id") == number and "method" not in message:
                return message
        raise Trouble(f"{method}: helve mcp ended")

    def cancelled(self, method, params, seconds):
        number = self.ask(method, params)
        threading.Event().wait(seconds)
        self.notify("notifications/cancelled", {"requestId": number})

    def subscribed(self, uri, change):
        if self.protocol == MODERN:
            number = self.ask("subscriptions/listen", {"notifications": {"resourceSubscriptions": [uri]}})
        elif "result" not in self.request("resources/subscribe", {"uri": uri}):
            raise Trouble("resources/subscribe")
        changer = threading.Timer(0.05, change)
        changer.start()
        heard = False
        for message in self.messages():
            if message.get("method") == "notifications/resources/updated":
                heard = True
                break
        changer.join()
        if self.protocol == MODERN:
            self.notify("notifications/cancelled", {"requestId": number})
        else:
            self.request("resources/unsubscribe", {"uri": uri})
        return heard

    def vanish(self):
        os.kill(self.process.pid, signal.SIGKILL)
        self.end()

    def close(self):
        self.process.stdin.close()
        self.process.stdout.read()
        self.end()

    def end(self):
        self.process.wait(PATIENCE)
        self.process.stdout.close()
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
