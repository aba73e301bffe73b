#!/usr/bin/env python3
"""The table of event fields in docs/agent.md, compared with the golden files of the event stream.

Usage: tests/docs/event_fields.py SOURCE_DIRECTORY [--update]

Each field of tests/agent/events/*.jsonl has a row: its name, the events that have it, its meaning, and its first value in
the golden files. --update writes names, events and examples; the meanings are written by hand.
"""
import json
import re
import sys
from pathlib import Path

# The members of these differ from tool to tool.
OPAQUE = {"data", "form", "tool_call_response_raw.toolResult.error.details"}
START, END = "<!-- fields -->\n", "<!-- /fields -->"
HEAD = "| field | in | meaning | example |\n|---|---|---|---|\n"


def kind_of(event):
    if "stream_kind" in event:
        return event["stream_kind"]
    return event.get("tool_call", event["event"])


def collect(value, path, kind, found):
    for key, inner in value.items():
        name = f"{path}{key}"
        is_open = isinstance(inner, dict) and not OPAQUE & {key, name}
        kinds, _ = found.setdefault(name, ([], None if is_open else inner))
        if kind not in kinds:
            kinds.append(kind)
        if is_open:
            collect(inner, f"{name}.", kind, found)


def fields(goldens):
    found = {}
    for golden in goldens:
        for line in golden.read_text().splitlines():
            event = json.loads(line)
            collect(event, "", kind_of(event), found)
    return found


def example(value):
    if value is None:
        return ""
    text = json.dumps(value, ensure_ascii=False).replace("|", "\\|").replace("`", "'")
    return f"`{text if len(text) <= 60 else text[:59] + '…'}`"


def table(page, goldens):
    """The table as it should be."""
    meanings = dict(re.findall(r"^\| `([\w.]+)` \| [^|]* \| ([^|]*) \|", page, re.M))
    events = [json.loads(line) for golden in goldens for line in golden.read_text().splitlines()]
    groups = {
        "every event": {kind_of(event) for event in events},
        "every text event": {kind_of(event) for event in events if "stream_kind" in event},
        "every tool event": {kind_of(event) for event in events if "tool_call" in event},
    }
    rows = []
    for name, (where, value) in fields(goldens).items():
        group = next((group for group, kinds in groups.items() if set(where) == kinds), None)
        said = group or ", ".join(f"`{kind}`" for kind in where)
        rows.append(f"| `{name}` | {said} | {meanings.get(name, 'TODO')} | {example(value)} |\n")
    return HEAD + "".join(rows)


def check(source, update=False):
    """Returns what is wrong with the page; empty when nothing is."""
    path = source / "docs/agent.md"
    page = path.read_text()
    goldens = sorted((source / "tests/agent/events").glob("*.jsonl"), key=lambda file: (file.stem != "turn", file.stem))
    begin, end = page.index(START) + len(START), page.index(END)
    wanted = table(page[begin:end], goldens)
    if update:
        path.write_text(page[:begin] + wanted + page[end:])
    if "| TODO |" in wanted:
        return "a field of the golden files has no meaning in the table: " + re.search(r".*TODO.*", wanted)[0]
    if not update and wanted != page[begin:end]:
        return "the table differs from the golden files; run tests/docs/event_fields.py . --update"
    return ""


if __name__ == "__main__":
    wrong = check(Path(sys.argv[1]).resolve(), "--update" in sys.argv)
    if wrong:
        sys.exit(wrong)
