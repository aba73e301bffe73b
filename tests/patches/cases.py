"""Cases for differential.py: small trees and patches for them, some that fit, many that nearly fit."""

import dataclasses
import difflib

NO_NEWLINE = b"\\ No newline at end of file\n"
ALPHABETS = [
    [b"", b"a", b"b", b"c"],
    [b"", b"}", b"  x();", b"if (y) {"],
    [b"a", b"b"],
    [b"", b"a", b"one", b"two", b"three", b"four", b"five", b"six", b"seven", b"eight"],
    [b"a", b"a ", b"b", b"", b" "],
    [b"a\rb", b"a", b"b\r", b"c", b""],
]


@dataclasses.dataclass
class Case:
    kind: str
    files: dict  # path: (content, is executable), or a str: the target of a symbolic link
    patch: bytes
    strip: int = 1  # for -p of git and patch


@dataclasses.dataclass
class Hunk:
    old_start: int
    new_start: int
    lines: list  # (op, text with its newline)

    def count(self, left_out):
        return sum(op != left_out for op, _ in self.lines)

    def render(self):
        out = b"@@ -%d,%d +%d,%d @@\n" % (self.old_start, self.count("+"), self.new_start, self.count("-"))
        for op, text in self.lines:
            out += op.encode() + (text if text.endswith(b"\n") else text + b"\n" + NO_NEWLINE)
        return out


def strip_of(header):
    return 0 if b"\n--- k" in b"\n" + header or b"--- n" in header or b"--- g" in header else 1


def lines_of(content):
    return [line for line in content.replace(b"\n", b"\n\0").split(b"\0") if line]


def diff(old, new, context):
    """The hunks between two contents, numbered as diff numbers them."""
    old_lines, new_lines = lines_of(old), lines_of(new)
    matcher = difflib.SequenceMatcher(None, old_lines, new_lines, autojunk=False)
    hunks = []
    for group in matcher.get_grouped_opcodes(context):
        lines = []
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines += [(" ", line) for line in old_lines[i1:i2]]
                continue
            lines += [("-", line) for line in old_lines[i1:i2]] + [("+", line) for line in new_lines[j1:j2]]
        (_, i1, _, j1, _), (_, _, i2, _, j2) = group[0], group[-1]
        hunks.append(Hunk(i1 + (i2 > i1), j1 + (j2 > j1), lines))
    return hunks


class Maker:
    """Makes cases; the same seed makes the same ones."""

    def __init__(self, random):
        self.random = random
        self.alphabet = ALPHABETS[0]

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def case(self):
        self.alphabet = self.random.choice(ALPHABETS)
        kinds = [(60, self.one_file), (6, self.headers), (5, self.creation), (5, self.deletion), (9, self.renames),
                 (5, self.copies), (4, self.freed_places), (3, self.modes), (3, self.links), (4, self.several_parts)]
        return self.random.choices([make for _, make in kinds], [weight for weight, _ in kinds])[0]()

    def content(self, most=14, least=0):
        lines = [self.random.choice(self.alphabet) for _ in range(self.random.randint(least, most))]
        content = b"".join(line + b"\n" for line in lines)
        return content[:-1] if lines and lines[-1] and self.chance(12) else content

    def edited(self, content, most=3):
        lines = lines_of(content)
        for _ in range(self.random.randint(1, most)):
            at = self.random.randint(0, len(lines))
            line = self.random.choice(self.alphabet) + b"\n"
            what = self.random.randrange(4)
            if what < 2 or not lines:
                lines[at:at] = [line]
            elif what == 2:
                del lines[min(at, len(lines) - 1)]
            else:
                lines[min(at, len(lines) - 1)] = line
        return b"".join(line if line.endswith(b"\n") or line is lines[-1] else line + b"\n" for line in lines)

    def target(self, old, new):
        """The text that the patch from `old` to `new` is applied to."""
        what = self.random.randrange(12)
        if what < 3:
            return old
        if what < 5:
            return new
        if what == 5:
            return self.content(4) + old
        if what == 6:
            return old + (b"" if old.endswith(b"\n") or not old else b"\n") + self.content(4)
        if what == 7:
            return self.content(3) + self.edited(old)
        if what == 8:
            return old.replace(b"\n", b"\r\n")
        if what == 9:
            return old[:-1] if old.endswith(b"\n") else old + b"\n"
        return self.edited(old if self.chance(70) else new, 2)

    def perturbed(self, hunks):
        for _ in range(self.random.choice([0, 0, 1, 1, 1, 2])):
            hunk = self.random.choice(hunks)
            what = self.random.randrange(10)
            if what == 0:
                shift = self.random.randint(-3, 6)
                for each in hunks:
                    each.old_start, each.new_start = max(each.old_start + shift, 1), max(each.new_start + shift, 1)
            elif what == 1:
                hunk.old_start = max(hunk.old_start + self.random.randint(-4, 4), 1)
            elif what in (2, 3):
                count = self.random.randint(1, 3)
                while count and len(hunk.lines) > 1 and hunk.lines[-1][0] == " ":
                    hunk.lines.pop()
                    count -= 1
            elif what == 4:
                while len(hunk.lines) > 1 and hunk.lines[0][0] == " ":
                    hunk.lines.pop(0)
                    if self.chance(70):
                        hunk.old_start += 1
                        hunk.new_start += 1
            elif what == 5:
                at = self.random.randrange(len(hunk.lines))
                op, text = hunk.lines[at]
                if op != "+":
                    hunk.lines[at] = (op, self.random.choice(self.alphabet) + b"\n")
            elif what == 6:
                twin = Hunk(hunk.old_start, hunk.new_start, list(hunk.lines))
                if self.chance(50):
                    twin.lines = [(op, b"new\n" if op == "+" else text) for op, text in twin.lines]
                hunks.insert(hunks.index(hunk) + 1, twin)
            elif what == 7:
                self.random.shuffle(hunks)
            elif what == 8:
                op, text = hunk.lines[-1]
                if text.strip():  # an empty line without its newline is no line
                    hunk.lines[-1] = (op, text[:-1] if text.endswith(b"\n") else text + b"\n")
            elif self.chance(20):
                hunk.lines = [(" ", text) for op, text in hunk.lines if op != "+"] or hunk.lines
        return hunks

    def body(self, old, new, exact=False):
        hunks = diff(old, new, self.random.choice([0, 1, 2, 3, 3, 3]))
        if hunks and not exact:
            hunks = self.perturbed(hunks)
        return b"".join(hunk.render() for hunk in hunks if hunk.lines)

    def one_file(self):
        old = self.content(least=1)
        new = self.edited(old)
        if self.chance(2):
            old, new = old.replace(b"\n", b"\r"), new.replace(b"\n", b"\r")
        body = self.body(old, new)
        target = self.target(old, new)
        if self.chance(3):
            body = body.replace(b"\n", b"\r\n")
        header = b"--- a/f\n+++ b/f\n"
        if self.chance(40):
            header = b"diff --git a/f b/f\nindex 1111111..2222222 100644\n" + header
        return Case("one file", {"f": (target, False)}, header + body)

    def headers(self):
        old = self.content(least=3)
        new = self.edited(old)
        style = self.random.choice([
            b"--- a/k\n+++ a/k\n", b"--- k\n+++ k\n", b"--- k.orig\n+++ k\n", b"--- k\n+++ k.new\n",
            b"--- a/k\t2024-03-01 10:20:30.123456789 +0100\n+++ b/k\t2024-03-01 10:20:31.123456789 +0100\n",
            b"--- a/k 2024-03-01 10:20:30\n+++ b/k 2024-03-01 10:20:31\n",
            b"--- a/k 2024-03-01 10:20:30.123456789 +0100\n+++ b/k 2024-03-01 10:20:31.123456789 +0100\n",
            b"+++ b/k\n", b"diff --git a/k b/k\n", b"diff --git a/k b/k\nindex 1111111..2222222 100644\n",
            b"--- old/k\n+++ new/k\n", b"--- i/k\n+++ w/k\n", b"Index: a/k\n" + b"=" * 67 + b"\n--- a/k\n+++ a/k\n",
            b"diff --git k k\n--- k\n+++ k\n", b"diff -u a/k b/k\n--- a/k\n+++ b/k\n", b'--- "a/k"\n+++ "b/k"\n',
        ])
        files = {"k": (self.target(old, new), False)}
        if self.chance(15):
            files["other/k"] = (self.content(), False)
        is_for_git = not style.startswith(b"+++")  # git needs both lines
        body = self.body(old, new, exact=not is_for_git or self.chance(70))
        return Case("headers", files, style + body, strip_of(style))

    def creation(self):
        new = self.content(5)
        style = self.random.choice([
            b"diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n", b"--- /dev/null\n+++ b/n\n",
            b"--- a/n\n+++ b/n\n", b"diff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n+++ b/n\n",
            b"--- n\t1970-01-01 00:00:00.000000000 +0000\n+++ n\t2024-03-01 10:20:30.123456789 +0100\n",
            b"diff --git a/d/n b/d/n\nnew file mode 100644\nindex 0000000..2222222\n--- /dev/null\n+++ b/d/n\n",
        ])
        if not new and style.startswith(b"diff"):
            style = style[:style.index(b"---")]
        files = {"other": (self.content(3), False)}
        if self.chance(40):
            files["n"] = (self.random.choice([b"", new, self.content(3)]), False)
        return Case("creation", files, style + self.body(b"", new, exact=True), strip_of(style))

    def deletion(self):
        old = self.content(4)
        style = self.random.choice([
            b"diff --git a/g b/g\ndeleted file mode 100644\n--- a/g\n+++ /dev/null\n", b"--- a/g\n+++ /dev/null\n",
            b"diff --git a/g b/g\ndeleted file mode 100644\nindex e69de29..0000000\n", b"--- a/g\n+++ b/g\n",
            b"--- g\t2024-03-01 10:20:30.123456789 +0100\n+++ g\t1970-01-01 00:00:00.000000000 +0000\n",
        ])
        body = b"" if b"---" not in style else self.body(old, b"", exact=True)
        there = self.random.choice([old, old, old + b"more\n", b"", self.content(3)])
        files = {"other": (b"x\n", False)}
        if self.chance(90):
            files["g"] = (there, False)
        return Case("deletion", files, style + body, strip_of(style))

    def rename_part(self, verb, old_path, new_path, old, new, exact=True):
        part = b"diff --git a/%s b/%s\nsimilarity index 80%%\n%s from %s\n%s to %s\n" % (
            old_path, new_path, verb, old_path, verb, new_path)
        body = self.body(old, new, exact)
        return part + (b"--- a/%s\n+++ b/%s\n" % (old_path, new_path) + body if body else b"")

    def renames(self):
        names = [b"a", b"b", b"c"]
        size = self.random.choice([1, 1, 2, 2, 3])
        cycle = self.random.sample(names, size)
        contents = {name: self.content(6, least=1) + name + b"\n" for name in names}
        closed = size > 1 and self.chance(70)
        parts = []
        for at, name in enumerate(cycle):
            free = [b"z", b"d/z", *(other for other in names if other not in cycle)]
            to = cycle[(at + 1) % size] if closed or at + 1 < size else self.random.choice(free)
            old = contents[name]
            new = self.edited(old) if self.chance(50) else old
            parts.append(self.rename_part(b"rename", name, to, old, new, exact=self.chance(80)))
        self.random.shuffle(parts)
        files = {name.decode(): (contents[name], self.chance(20)) for name in names if self.chance(97)}
        return Case("renames", files, b"".join(parts))

    def copies(self):
        old, other = self.content(6, least=1), self.content(3)
        new_a, new_b = self.edited(old), self.random.choice([old, self.edited(old)])
        parts = [self.rename_part(b"copy", b"a", self.random.choice([b"n", b"n", b"b"]), old, new_b)]
        if self.chance(60):
            parts.append(b"diff --git a/a b/a\n--- a/a\n+++ b/a\n" + self.body(old, new_a, exact=True))
        if self.chance(30):
            parts.append(self.rename_part(b"rename", b"a", b"y", old, old))
        if self.chance(60):
            self.random.shuffle(parts)
        return Case("copies", {"a": (old, self.chance(20)), "b": (other, False)}, b"".join(parts))

    def freed_places(self):
        """A file is renamed away, and others are made where it was, in any order."""
        old, other = self.content(5, least=1) + b"a\n", self.content(5, least=1) + b"c\n"
        parts = [self.rename_part(b"rename", b"a", self.random.choice([b"d", b"d", b"c"]), old,
                                  self.random.choice([old, self.edited(old)]))]
        for _ in range(self.random.choice([1, 1, 1, 2])):
            parts.append(self.random.choice([
                self.rename_part(b"copy", b"c", b"a", other, self.random.choice([other, self.edited(other)])),
                b"diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n" + self.body(b"", b"new\n", exact=True),
                self.rename_part(b"rename", b"c", b"a", other, other),
            ]))
        self.random.shuffle(parts)
        return Case("freed places", {"a": (old, self.chance(20)), "c": (other, False)}, b"".join(parts))

    def modes(self):
        old = self.content(4, least=1)
        new = self.random.choice([old, self.edited(old)])
        was, now = self.random.choice([(b"100644", b"100755"), (b"100755", b"100644")])
        part = b"diff --git a/m b/m\nold mode %s\nnew mode %s\n" % (was, now)
        if new != old:
            part += b"--- a/m\n+++ b/m\n" + self.body(old, new, exact=True)
        return Case("modes", {"m": (old, self.chance(50))}, part)

    def links(self):
        old = self.content(3, least=1)
        files = {"f": (old, False), "l": self.random.choice(["f", "missing", "n"])}
        patch = self.random.choice([
            b"diff --git a/l b/l\nnew file mode 100644\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+x\n",
            b"--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+x\n",
            b"--- a/l\n+++ b/l\n" + self.body(old, old + b"x\n", exact=True),
            b"diff --git a/l b/l\ndeleted file mode 100644\n--- a/l\n+++ /dev/null\n" + self.body(old, b"", exact=True),
            b"diff --git a/f b/l\nrename from f\nrename to l\n", b"diff --git a/l b/q\nrename from l\nrename to q\n",
            b"diff --git a/f b/l\ncopy from f\ncopy to l\n", b"diff --git a/l b/q\ncopy from l\ncopy to q\n",
        ])
        return Case("links", files, patch)

    def several_parts(self):
        one, two = self.content(6, least=1), self.content(6, least=1)
        new_one, new_two = self.edited(one), self.edited(two)
        parts = [b"--- a/f\n+++ b/f\n" + self.body(one, new_one, exact=True),
                 b"--- a/g\n+++ b/g\n" + self.body(two, new_two, exact=True)]
        if self.chance(40):
            parts.insert(1, b"--- a/f\n+++ b/f\n" + self.body(new_one, self.edited(new_one), exact=True))
        parts = [part for part in parts if b"@@" in part] or [b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-q\n+r\n"]
        return Case("several parts", {"f": (one, False), "g": (two, False)}, b"".join(parts))
