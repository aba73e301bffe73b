#!/usr/bin/env python3
"""Eight MCP clients at once for a long time, and whether the server is afterwards what it was before.

usage: soak.py HELVE [MINUTES]      (default 30)

Six clients share one `helve serve`, three with each kind of the protocol; two have a `helve mcp` each. They read, search,
edit and undo, run commands, kill them, cancel calls, subscribe, and now and then vanish without a word. Every few seconds
the server is looked at from outside. Fails when a client got an answer that it should not, or when something grows.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True  # the source directory stays as it is

from clients import MODERN, OLD, HttpClient, StdioClient
from figures import COLUMNS, Figures, descendants, scrape, slope, tree
from work import Worker, make_workspace, names_below

CLIENTS = 8
FILES = 40  # per client
IDLE_SECONDS = 5  # after which a session whose client vanished is forgotten

# Figures that may be higher at the end, when the clients have gone, than before they came.
AFTERWARDS = {
    "descriptors": 8,  # the store and what watches files are opened when they are first needed
    "threads": 4,
    "children": 0,
    "temporary": 0,
    "watches": 8,  # of directories, until something happens in them
}
# From the end of the warm-up to the end of the load. A stateless client that comes back on another connection gets another
# session, and the one that it left takes its memory for IDLE_SECONDS more. The slope of a long run finds a leak.
RSS_GROWTH_KB = 48 * 1024
RSS_SLOPE_KB = 512         # per minute after the warm-up; for runs of at least SLOPE_MINUTES
SLOPE_MINUTES = 20
# Bounded data takes memory until its bounds are reached: ten thousand changes that undo looks through,
# sixty-four ended commands in each session.
WARM_UP_MINUTES = 12


def start_server(helve, workspace, environment, directory):
    log = open(os.path.join(directory, "serve.log"), "wb")
    server = subprocess.Popen(
        [helve, "--workspace", workspace, "--mode", "full", "serve", "--port", "0",
         "--idle-seconds", str(IDLE_SECONDS)],
        env=environment, stdout=subprocess.PIPE, stderr=log, start_new_session=True)
    log.close()
    line = server.stdout.readline().decode()
    port = int(line.rsplit(":", 1)[1].split("/")[0])
    threading.Thread(target=server.stdout.read, daemon=True).start()
    with open(os.path.join(environment["XDG_STATE_HOME"], "helve", "serve-token")) as file:
        return server, port, file.read().strip()


def make_clients(helve, port, token, workspace, environment):
    command = [helve, "--workspace", workspace, "--mode", "full", "mcp"]
    clients = [StdioClient(command, environment, "soak-0", OLD), StdioClient(command, environment, "soak-1", MODERN)]
    for number in range(2, CLIENTS):
        clients.append(HttpClient(port, token, f"soak-{number}", OLD if number % 2 else MODERN))
    return clients


def settle(figures, start):
    """Waits until nothing of the clients is left, or patience is; the last look at the server."""
    deadline = time.monotonic() + IDLE_SECONDS + 60
    while True:
        sample = figures.look()
        quiet = sample["sessions"] == 0 and sample["commands"] == 0 and all(
            sample[key] <= start[key] + more for key, more in AFTERWARDS.items())
        if quiet or time.monotonic() > deadline:
            return sample
        time.sleep(1)


def print_table(start, warm, loaded, end, under_load):
    print(f"{'':14}{'start':>10}{'warm':>10}{'loaded':>10}{'end':>10}{'per minute':>12}")
    for key in COLUMNS + ["sessions", "connections", "commands", "calls"]:
        print(f"{key:14}{start[key]:>10}{warm[key]:>10}{loaded[key]:>10}{end[key]:>10}{slope(under_load, key):>12.1f}")


def check_state(state, killed):
    """Long results and the history are kept, within limits of their own; nothing else may pile up.

    A `helve mcp` that was killed leaves the directory of its session, until that is old."""
    problems = []
    helve = os.path.join(state, "helve")
    for name in sorted(os.listdir(helve)):
        entries, size = tree(os.path.join(helve, name))
        print(f"state: {name:24}{entries:>8} entries{size // 1024 or os.path.getsize(os.path.join(helve, name)) // 1024:>10} KB")
        if name not in ("sessions", "history") and entries > 20:
            problems.append(f"{entries} files in {name} of the state directory")
    empty = [directory for directory, directories, names in os.walk(os.path.join(helve, "sessions"))
             if not directories and not names]
    if len(empty) > killed:
        problems.append(f"{len(empty)} directories of sessions are empty, and only {killed} programs were killed")
    return problems


def verdict(minutes, start, warm, loaded, end, under_load):
    problems = []
    grown = loaded["rss_kb"] - warm["rss_kb"]
    if grown > RSS_GROWTH_KB:
        problems.append(f"the server's memory grew by {grown} KB after the warm-up; {RSS_GROWTH_KB} may be")
    if minutes >= SLOPE_MINUTES and slope(under_load, "rss_kb") > RSS_SLOPE_KB:
        problems.append(f"the server's memory grows by {slope(under_load, 'rss_kb'):.0f} KB a minute; "
                        f"{RSS_SLOPE_KB} may be")
    for key, more in AFTERWARDS.items():
        if end[key] > start[key] + more:
            problems.append(f"{key}: {end[key]} when the clients have gone, {start[key]} before they came")
    for key in ["sessions", "commands"]:
        if end[key] != 0:
            problems.append(f"{key}: {end[key]} when the clients have gone")
    return problems


def run(helve, minutes, directory):
    workspace = os.path.join(directory, "workspace")
    temporary = os.path.join(directory, "tmp")
    os.mkdir(workspace)
    os.mkdir(temporary, 0o700)
    files = make_workspace(workspace, CLIENTS, FILES)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HELVE_")}
    environment = dict(inherited, HOME=directory, TMPDIR=temporary,
                       XDG_STATE_HOME=os.path.join(directory, "state"), XDG_DATA_HOME=os.path.join(directory, "data"),
                       XDG_CONFIG_HOME=os.path.join(directory, "config"))
    problems = []
    server, port, token = start_server(helve, workspace, environment, directory)
    try:
        if scrape(port, None)[0] != 401:
            problems.append("/metrics answers without the token")
        state = os.path.join(directory, "state")
        figures = Figures(server.pid, port, token, state, temporary)
        start = figures.look()
        stop = threading.Event()
        workers = [Worker(client, number, workspace, FILES, stop, 0.02)
                   for number, client in enumerate(make_clients(helve, port, token, workspace, environment))]
        for worker in workers:
            worker.start()
        end_of_load = time.monotonic() + minutes * 60
        warm_up = min(minutes * 0.4, WARM_UP_MINUTES)
        pause = min(5, minutes * 60 / 10)
        while time.monotonic() < end_of_load and all(worker.is_alive() for worker in workers):
            time.sleep(pause)
            figures.look()
        under_load = [sample for sample in figures.samples if sample["minutes"] >= warm_up] or figures.samples[-1:]
        stop.set()
        for worker in workers:
            worker.join(120)
            problems += worker.trouble
            if worker.is_alive():
                problems.append(f"{worker.name} hangs")
        end = settle(figures, start)
        print_table(start, under_load[0], under_load[-1], end, under_load)
        problems += check_state(state, sum(worker.done.get("vanish", 0) for worker in workers
                                           if isinstance(worker.client, StdioClient)))
        problems += verdict(minutes, start, under_load[0], under_load[-1], end, under_load)
        for name in sorted(set(names_below(workspace)) ^ set(files)):
            problems.append(f"{name} was left, or is gone")
        done = {}
        for worker in workers:
            for step, count in worker.done.items():
                done[step] = done.get(step, 0) + count
        print("steps:", ", ".join(f"{step} {count}" for step, count in sorted(done.items())))
    finally:
        children = descendants(server.pid)
        server.send_signal(signal.SIGTERM)
        try:
            if server.wait(30) != 0:
                problems.append(f"helve serve ended with {server.returncode}")
        except subprocess.TimeoutExpired:
            problems.append("helve serve does not end")
            server.kill()
            server.wait()
        left = [pid for pid in children if os.path.exists(f"/proc/{pid}")]
        if left:
            problems.append(f"processes {left} are left behind")
    verified = subprocess.run([helve, "audit", "verify"], env=environment, capture_output=True, text=True)
    print("audit:", verified.stdout.split("\n")[0] or verified.stderr.strip())
    if verified.returncode != 0:
        problems.append(f"the audit is not sound: {verified.stderr.strip()}")
    with open(os.path.join(directory, "serve.log")) as file:
        for line in file.read().splitlines()[:20]:
            print("log:", line)
    return problems


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    helve = os.path.abspath(sys.argv[1])
    minutes = float(sys.argv[2]) if len(sys.argv) == 3 else 30.0
    directory = tempfile.mkdtemp(prefix="helve-soak-")
    try:
        problems = run(helve, minutes, directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    for problem in problems:
        print("PROBLEM:", problem)
    sys.exit(1 if problems else 0)


main()
