"""Reads pages of documentation: their code blocks, headings and links."""
import re
from dataclasses import dataclass


@dataclass
class Block:
    words: list  # behind the fence; the first is its kind
    body: str
    line: int  # of the fence
    above: str  # the line above it, where a page says in a comment what is special about it
    indented: bool

    @property
    def kind(self):
        return self.words[0] if self.words else ""

    @property
    def file(self):
        return next((word.removeprefix("file=") for word in self.words if word.startswith("file=")), None)

    def said(self, what):
        """The text of the comment <!-- what: … --> above the block; None without one."""
        comment = re.fullmatch(rf"\s*<!-- {what}(?:: (.+))? -->", self.above)
        return comment and (comment[1] or "")


def blocks(text):
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        fence = re.match(r"( *)(`{3,})(.*)$", lines[at])
        if fence:
            end = next((i for i in range(at + 1, len(lines)) if lines[i].strip() == fence[2]), len(lines))
            body = "\n".join(line.removeprefix(fence[1]) for line in lines[at + 1:end]) + "\n"
            yield Block(fence[3].split(), body, at + 1, lines[at - 1] if at else "", bool(fence[1]))
            at = end
        at += 1


def anchors(page):
    inside = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    for heading in re.findall(r"^#+ +(.*)$", inside, re.M):
        yield re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def check_links(page, complain):
    """Links between pages must lead somewhere."""
    text = page.read_text()
    outside = re.sub(r"^```.*?^```", lambda block: "\n" * block[0].count("\n"), text, flags=re.M | re.S)
    for link in re.finditer(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", outside)):
        target = link[1]
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        line = outside[:link.start()].count("\n") + 1
        if not path.exists():
            complain(line, f"the link to {target} leads nowhere")
        elif anchor and path.suffix == ".md" and anchor not in anchors(path):
            complain(line, f"{file or page.name} has no heading #{anchor}")
