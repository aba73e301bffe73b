"""The projects of renames.py: their files, their own check, and the renames to try.

A rename is (file, symbol or "line:column" counting from 1, new name, what is expected). Expected is "renamed", or the
places that the refusal has to name. {bin} is a directory of node programs, {python} the interpreter.
"""

PYTHON = {
    "pyproject.toml": "",
    "shop/__init__.py": "from .prices import total, Price\n\n__all__ = [\"total\", \"Price\"]\n",
    "shop/prices.py": '''from dataclasses import dataclass
from typing import Protocol

RATE = 2


@dataclass
class Price:
    amount: int
    unit: str = "EUR"

    def show(self) -> str:
        return f"{self.amount} {self.unit}"


class Shape(Protocol):
    def area(self) -> int: ...


class Square:
    def area(self) -> int:
        return 4


class Base:
    def weigh(self) -> int:
        return 1


class Heavy(Base):
    def weigh(self) -> int:
        return 2


class Label:
    def show(self) -> str:
        return "label"

    def stick(self) -> str:
        return self.show()


class Sticker:
    def stick(self) -> str:
        return "sticker"


class Robot:
    def greet(self) -> str:
        return "beep"


def attach(thing: Label | Sticker) -> str:
    return thing.stick()


def total(prices: list[Price], extra: int = 0) -> int:
    """Adds up; total is exact."""
    return sum(price.amount for price in prices) * RATE + extra


def measure(shape: Shape) -> int:
    return shape.area()


def convert(value: int) -> int:
    return value


def settle(value: int) -> int:
    return convert(value)
''',
    "shop/report.py": '''import shop.prices
from shop import prices as p
from shop.prices import Base, Heavy, Label, Price, Square, attach, measure, settle as finish, total


def report() -> str:
    # total is not a comment only
    sums = [total([Price(amount=1)], extra=1), shop.prices.total([]), p.RATE]
    return f"{sums} {measure(Square())} {Base().weigh()} {Heavy().weigh()} {attach(Label())} {finish(1)}"


def call(anything):
    return anything.greet()
''',
    "tests/test_shop.py": '''import unittest
from unittest import mock

from shop import Price, total
from shop.prices import Heavy, Label, Robot
from shop.report import call, report


class ShopTest(unittest.TestCase):
    def test_total(self) -> None:
        self.assertEqual(total([Price(1), Price(amount=2)]), 6)
        self.assertEqual(Price(1).show() + Label().show(), "1 EURlabel")
        self.assertEqual(Heavy().weigh(), 2)
        self.assertEqual(call(Robot()), "beep")
        self.assertIn("[3, 0, 2] 4 1 2 label 1", report())


if __name__ == "__main__":
    unittest.main()
''',
    "README.md": "`total` adds up.\n",
}

SERVICES = {
    f"{name}/{file}": text
    for name in ("svc1", "svc2")
    for file, text in {
        "pyproject.toml": "",
        "lib.py": f"def helper(value: int) -> int:\n    return value\n\n\nclass Job:\n    def run(self) -> str:\n        return \"{name}\"\n",
        "main.py": f"from lib import Job, helper\n\nassert helper(1) == 1\nassert Job().run() == \"{name}\"\n",
    }.items()
}

NATIVE = {
    "pyproject.toml": "",
    "fast.py": "def speed(x: int) -> int:\n    return x\n",
    "use.py": "from fast import speed\n\nassert speed(1) == 1\n",
    "native.pyx": "from fast import speed\ncdef int twice(int x):\n    return 2 * speed(x)\n",
}

TSCONFIG = '{"compilerOptions": {"strict": true, "module": "nodenext", "moduleResolution": "nodenext", "target": "es2022"%s}, "include": ["src"]%s}\n'

CORE = '''export interface Runner {
  run(): number;
}
export class Quick {
  run() {
    return 1;
  }
}
export class Slow implements Runner {
  run() {
    return 2;
  }
  stop(): void {}
}
export enum Color {
  Red,
  Green,
}
export type Options = { depth: number; label?: string };
export const limit = 10;
export function start(runner: Runner) {
  return runner.run();
}
export function helper(value: number, options: Options = { depth: 1 }) {
  return value + options.depth;
}
export function taken() {
  return 0;
}
'''

USE = '''import { Color, helper, limit, Quick, Slow, start, type Options } from "@m/core";
import * as core from "@m/core";
const options: Options = { depth: 2 };
export const all = { helper, limit };
// helper is called below
console.log(helper(1, options), core.helper(2), all.helper(3), limit, "helper");
console.log(start(new Quick()), start(new Slow()), Color.Red, core.taken());
new Slow().stop();
'''


def monorepo(core_types, core_config, app_config, more):
    return {
        "package.json": '{"name": "root", "private": true, "workspaces": ["packages/*"]}\n',
        "packages/core/package.json": '{"name": "@m/core", "version": "1.0.0", "type": "module", "main": "dist/index.js", "types": "%s"}\n' % core_types,
        "packages/core/tsconfig.json": core_config,
        "packages/core/src/index.ts": 'export * from "./core.js";\n',
        "packages/core/src/core.ts": CORE,
        "packages/app/package.json": '{"name": "@m/app", "version": "1.0.0", "type": "module"}\n',
        "packages/app/tsconfig.json": app_config,
        "packages/app/src/use.ts": USE,
        "node_modules/@m/core": "-> ../../packages/core",
        ".git/HEAD": "ref: refs/heads/main\n",
        ".gitignore": "node_modules\ndist\n",
        **more,
    }


NO_EMIT = TSCONFIG % (', "noEmit": true', "")
MONOREPO = monorepo("src/index.ts", NO_EMIT, NO_EMIT, {})
REFERENCES = monorepo(
    "dist/index.d.ts",
    TSCONFIG % (', "composite": true, "declarationMap": true, "outDir": "dist", "rootDir": "src"', ""),
    TSCONFIG % (', "composite": true, "outDir": "dist", "rootDir": "src"', ', "references": [{"path": "../core"}]'),
    {"tsconfig.json": '{"files": [], "references": [{"path": "packages/core"}, {"path": "packages/app"}]}\n'})
# The application sees only what was built of the other package.
BUILT = monorepo(
    "dist/index.d.ts",
    TSCONFIG % (', "declaration": true, "outDir": "dist", "rootDir": "src"', ""), NO_EMIT, {})

VUE = {
    "tsconfig.json": NO_EMIT,
    "src/format.ts": "export function money(value: number) {\n  return `${value} EUR`;\n}\n",
    "src/App.vue": "<script setup lang=\"ts\">\nimport { money } from './format';\n</script>\n<template>{{ money(1) }}</template>\n",
}

SCRIPTS = {
    "package.json": "{\"name\": \"scripts\"}\n",
    "lib.js": "function fetchAll(n) {\n  return n;\n}\nclass Store {\n  put(x) {\n    return x;\n  }\n}\nmodule.exports = { fetchAll, Store };\n",
    "main.js": "const { fetchAll, Store } = require('./lib');\nif (fetchAll(1) !== 1 || new Store().put(2) !== 2) throw new Error('wrong');\n",
}

HEADER = '''#pragma once
#define TWICE(x) geo::dbl(geo::dbl(x))
namespace geo {
enum class Kind { kRound, kFlat };
struct Shape {
  virtual ~Shape() = default;
  virtual int area() const;
  int sides = 0;
};
int scale(int value);
int dbl(int value);
template <class T>
int measure(const T& shape) {
  return shape.span();
}
}  // namespace geo
namespace other {
int scale(int value);
}
'''

CPP = {
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\nproject(geo CXX)\nset(CMAKE_CXX_STANDARD 17)\ninclude_directories(include)\nadd_executable(geo src/geo.cc src/main.cc)\n",
    "include/geo/geo.h": HEADER,
    "src/geo.cc": '''#include "geo/geo.h"
namespace {
int local(int value) { return value; }
}
namespace geo {
int Shape::area() const { return sides; }
int scale(int value) { return local(value); }
int dbl(int value) { return 2 * value; }
}
int other::scale(int value) { return -value; }
''',
    "src/main.cc": '''#include "geo/geo.h"
// scale and area are documented elsewhere
static int local(int value) { return value + 1; }
struct Square : geo::Shape {
  int area() const override { return geo::scale(4); }
  int span() const { return 1; }
};
struct Line {
  int span() const { return 2; }
};
#ifdef NEVER_DEFINED
int old() { return geo::legacy(1); }
#endif
namespace geo {
int legacy(int value) { return value; }
}
int main() {
  Square square;
  square.sides = 4;
  const geo::Kind kind = geo::Kind::kFlat;
  const int sum = geo::scale(1) + other::scale(1) + TWICE(1) + geo::measure(square) + geo::measure(Line()) +
                  square.area() + local(0) + geo::legacy(0);
  return kind == geo::Kind::kFlat && sum == 1 - 1 + 4 + 3 + 4 + 1 ? 0 : 1;
}
''',
}
# As above, in one directory, so that includes are found without knowing the flags.
FLAT = {
    "geo.h": HEADER,
    "geo.cc": CPP["src/geo.cc"].replace("geo/geo.h", "geo.h"),
    "main.cc": CPP["src/main.cc"].replace("geo/geo.h", "geo.h"),
}

GO = {
    "go.mod": "module example.com/shop\n\ngo 1.19\n",
    "price/price.go": '''package price

type Shower interface{ Show() string }

type Price struct{ Amount int }

func (p Price) Show() string { return "price" }

func Total(prices []Price) int {
	sum := 0
	for _, p := range prices {
		sum += p.Amount
	}
	return sum
}
''',
    "main.go": '''package main

import "example.com/shop/price"

func use(s price.Shower) string { return s.Show() }

func main() {
	if price.Total([]price.Price{{Amount: 2}}) != 2 || use(price.Price{}) != "price" {
		panic("wrong")
	}
}
''',
    "price/price_test.go": '''package price

import "testing"

func TestTotal(t *testing.T) {
	if Total([]Price{{Amount: 1}}) != 1 {
		t.Fatal("wrong")
	}
}
''',
}

RUST = {
    "Cargo.toml": "[workspace]\nmembers = [\"core\", \"app\"]\nresolver = \"2\"\n",
    "core/Cargo.toml": "[package]\nname = \"core_lib\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    "core/src/lib.rs": '''pub trait Show {
    fn show(&self) -> String;
}
pub struct Price {
    pub amount: i32,
}
impl Show for Price {
    fn show(&self) -> String {
        format!("{}", self.amount)
    }
}
pub fn total(prices: &[Price]) -> i32 {
    prices.iter().map(|price| price.amount).sum()
}
''',
    "app/Cargo.toml": "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\ncore_lib = { path = \"../core\" }\n",
    "app/src/main.rs": '''use core_lib::{total, Price, Show};

fn main() {
    let price = Price { amount: 2 };
    assert_eq!(price.show(), "2");
    assert_eq!(total(&[price]), 2);
}
''',
}

PYRIGHT = "{bin}/pyright {here}"
TSC = "{bin}/tsc"
CMAKE_CHECK = "cmake -S {here} -B {here}/build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null && cmake --build {here}/build && {here}/build/geo"
FLAT_CHECK = "g++ -std=c++17 {here}/geo.cc {here}/main.cc -o {out}/geo && {out}/geo"

CPP_RENAMES = [
    ("{h}", "geo::dbl", "twofold", ["{h}:2"]),                        # in a macro's body
    ("{c}", "geo::scale", "resize", "renamed"),                      # another namespace has one too
    ("{h}", "Shape/area", "surface", "renamed"),                     # virtual, with an override
    ("{h}", "Shape", "Figure", "renamed"),
    ("{h}", "Shape/sides", "edges", "renamed"),
    ("{h}", "Kind", "Form", "renamed"),
    ("{m}", "Square/span", "width", ["{h}:14"]),                     # a template calls it
    ("{m}", "geo::legacy", "ancient", ["{m}:12"]),                   # in code that is switched off
    ("{c}", "local", "inner", "renamed"),                            # one per file
]


def places(renames, h, c, m):
    fill = lambda text: text.format(h=h, c=c, m=m)
    return [(fill(file), symbol, new, want if want == "renamed" else [fill(each) for each in want])
            for file, symbol, new, want in renames]


TS_RENAMES = [
    ("packages/core/src/core.ts", "helper", "assist", "renamed"),
    ("packages/app/src/use.ts", "helper", "assist", "renamed"),
    ("packages/core/src/core.ts", "Slow/stop", "halt", "renamed"),
    ("packages/core/src/core.ts", "Color", "Colour", "renamed"),
    ("packages/core/src/core.ts", "limit", "most", "renamed"),
    ("packages/core/src/core.ts", "Options", "Settings", "renamed"),
]

PROJECTS = [
    {"name": "python", "needs": "pyright", "files": PYTHON,
     "check": [PYRIGHT, "{python} -m unittest -q tests.test_shop"], "renames": [
         ("shop/prices.py", "total", "add_up", "renamed"),
         ("shop/report.py", "total", "add_up", "renamed"),
         ("shop/prices.py", "Price", "Cost", "renamed"),
         ("shop/prices.py", "Price/amount", "value", "renamed"),
         ("shop/prices.py", "Price/show", "display", "renamed"),
         ("shop/prices.py", "RATE", "FACTOR", "renamed"),
         ("shop/prices.py", "settle", "finish_up", "renamed"),
         ("shop/prices.py", "57:32", "more", "renamed"),                         # a parameter
         ("shop/prices.py", "Base/weigh", "heft", ["shop/prices.py:31"]),        # an override
         ("shop/prices.py", "Shape/area", "surface", ["shop/prices.py:21"]),     # an implementation
         ("shop/prices.py", "Label/stick", "glue", ["shop/prices.py:44"]),       # a use of two types
         ("shop/prices.py", "Robot/greet", "hail", ["shop/report.py:13"]),       # a use without a type
         ("shop/prices.py", "convert", "settle", []),                            # the name is taken
     ]},
    {"name": "python services", "needs": "pyright", "files": SERVICES,
     "check": ["cd {here}/svc1 && {bin}/pyright . && {python} main.py", "cd {here}/svc2 && {bin}/pyright . && {python} main.py"],
     "renames": [
         ("svc2/main.py", "helper", "assist", "renamed"),
         ("svc2/main.py", "Job/run", "go", "renamed"),
     ]},
    {"name": "python and cython", "needs": "pyright", "files": NATIVE, "check": ["cd {here} && {python} use.py && grep -q speed native.pyx fast.py"],
     "renames": [("fast.py", "speed", "pace", ["native.pyx:1"])]},
    {"name": "typescript monorepo", "needs": "typescript-language-server", "files": MONOREPO,
     "check": [TSC + " -p {here}/packages/core && " + TSC + " -p {here}/packages/app"],
     "renames": TS_RENAMES + [
         ("packages/core/src/core.ts", "Runner/run", "execute", []),  # Quick has it without a word
         ("packages/core/src/core.ts", "helper", "taken", []),        # the name is taken
     ]},
    {"name": "typescript references", "needs": "typescript-language-server", "files": REFERENCES,
     "check": [TSC + " -b --force {here}"], "renames": TS_RENAMES[:3]},
    {"name": "typescript built", "needs": "typescript-language-server", "files": BUILT,
     "check": [TSC + " -p {here}/packages/core && " + TSC + " -p {here}/packages/app"],
     "renames": [("packages/core/src/core.ts", "helper", "assist", ["packages/app/src/use.ts:1"]),
                 ("packages/app/src/use.ts", "limit", "most", None)]},
    {"name": "vue", "needs": "typescript-language-server", "files": VUE, "check": [TSC + " -p {here}"],
     "renames": [("src/format.ts", "money", "cash", ["src/App.vue:2"])]},
    {"name": "javascript", "needs": "typescript-language-server", "files": SCRIPTS, "check": ["{node} {here}/main.js"],
     "renames": [("lib.js", "fetchAll", "loadAll", "renamed"), ("lib.js", "Store", "Shelf", "renamed"),
                 ("lib.js", "Store/put", "add", "renamed")]},
    {"name": "c++", "needs": "clangd", "files": CPP, "check": [CMAKE_CHECK],
     "renames": places(CPP_RENAMES, "include/geo/geo.h", "src/geo.cc", "src/main.cc")},
    {"name": "c++ without compile_commands.json", "needs": "clangd", "files": FLAT, "check": [FLAT_CHECK],
     "renames": places(CPP_RENAMES, "geo.h", "geo.cc", "main.cc")},
    {"name": "go", "needs": "gopls", "files": GO, "check": ["cd {here} && go vet ./... && go test ./... && go run ."],
     "renames": [("price/price.go", "Total", "Sum", "renamed"), ("price/price.go", "Price", "Cost", "renamed"),
                 ("price/price.go", "Price/Amount", "Value", "renamed")]},
    {"name": "rust", "needs": "rust-analyzer", "files": RUST, "check": ["cd {here} && cargo run -q --offline"],
     "renames": [("core/src/lib.rs", "total", "sum_up", "renamed"), ("core/src/lib.rs", "Price", "Cost", "renamed"),
                 ("core/src/lib.rs", "Show/show", "render", "renamed")]},
]

# A rename that works and one that is refused for each language server, and one that a file in another language prevents:
# (project, file, symbol).
SHORT = {
    ("python", "shop/prices.py", "total"),
    ("python", "shop/prices.py", "Base/weigh"),
    ("typescript monorepo", "packages/core/src/core.ts", "helper"),
    ("typescript monorepo", "packages/core/src/core.ts", "Runner/run"),
    ("vue", "src/format.ts", "money"),
    ("javascript", "lib.js", "Store/put"),
    ("c++ without compile_commands.json", "geo.h", "Shape/area"),
    ("c++ without compile_commands.json", "main.cc", "Square/span"),
    ("go", "price/price.go", "Total"),
    ("rust", "core/src/lib.rs", "total"),
}
