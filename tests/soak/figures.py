"""Looks at a running server from outside and keeps what it sees."""

import http.client
import os
import time

COLUMNS = ["rss_kb", "descriptors", "threads", "children", "watches", "temporary", "state_files", "state_kb"]


def descendants(pid):
    children = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(name))
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found[1:]


def count_watches(pid):
    count = 0
    for name in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            with open(f"/proc/{pid}/fdinfo/{name}") as file:
                count += sum(line.startswith("inotify ") for line in file)
        except OSError:
            pass
    return count


def tree(path):
    """Files and directories below, and the bytes of the files."""
    entries = size = 0
    for directory, directories, names in os.walk(path):
        entries += len(directories) + len(names)
        for name in names:
            try:
                size += os.lstat(os.path.join(directory, name)).st_size
            except OSError:
                pass
    return entries, size


def scrape(port, token):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/metrics", headers={"Authorization": "Bearer " + token} if token else {})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    if response.status != 200:
        return response.status, {}
    samples = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            samples[name] = float(value)
    return 200, samples


class Figures:
    def __init__(self, pid, port, token, state, temporary):
        self.pid, self.port, self.token = pid, port, token
        self.state, self.temporary = state, temporary
        self.began = time.monotonic()
        self.samples = []

    def look(self):
        status, metrics = scrape(self.port, self.token)
        if status != 200:
            raise RuntimeError(f"/metrics answered {status}")
        with open(f"/proc/{self.pid}/status") as file:
            fields = dict(line.split(":", 1) for line in file)
        state_files, state_bytes = tree(self.state)
        sample = {
            "minutes": (time.monotonic() - self.began) / 60,
            "rss_kb": int(fields["VmRSS"].split()[0]),
            "descriptors": len(os.listdir(f"/proc/{self.pid}/fd")),
            "threads": int(fields["Threads"]),
            "children": len(descendants(self.pid)),
            "watches": count_watches(self.pid),
            "temporary": tree(self.temporary)[0],
            "state_files": state_files,
            "state_kb": state_bytes // 1024,
            "sessions": int(metrics["helve_mcp_sessions"]),
            "connections": int(metrics["helve_http_connections"]),
            "commands": int(metrics["helve_commands_running"]),
            "calls": int(sum(value for name, value in metrics.items()
                             if name.startswith("helve_tool_calls_total"))),
        }
        self.samples.append(sample)
        return sample


def slope(samples, key):
    """Growth per minute, by least squares."""
    if len(samples) < 2:
        return 0.0
    times = [sample["minutes"] for sample in samples]
    values = [sample[key] for sample in samples]
    mean_time, mean_value = sum(times) / len(times), sum(values) / len(values)
    spread = sum((time - mean_time) ** 2 for time in times)
    if spread == 0:
        return 0.0
    return sum((time - mean_time) * (value - mean_value) for time, value in zip(times, values)) / spread
