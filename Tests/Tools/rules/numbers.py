"""The numbers of the house: how much there is of what should stay small, and the most that each may be.

A ceiling only falls: who makes a number smaller lowers it. A goal that is not reached is printed beside its number.
"""

import re
from typing import Callable, Iterator, NamedTuple

from tree import Finding, Tree

TITLE = "no number of the house is above its ceiling"
RULE = "Tests/Tools/rules/numbers.py"

NODE = "Sources/Node/InklingNode"
ACTOR = re.compile(r"^(?:public actor|(?:public |package )?extension) Node\b", re.MULTILINE)
STORED = re.compile(r"^    (?:(?:public|package|internal|private(?:\(set\))?|nonisolated)\s+)*(?:let|var) \w+(?:: [^={]*)?(?: = .*)?$")
TECHNOLOGY = re.compile(r"\.(?:lan|bluetooth)\b|\b(?:LAN|Bluetooth)(?:Technology|Ports)\b")
# The technologies themselves, and the ports that they drive.
TECHNOLOGIES = (f"{NODE}/Technologies/", f"{NODE}/Ports/")
TAKE = re.compile(r"\bfunc take\(_ ")
PUBLIC = re.compile(r"^ *(?:public|open) (?:final |indirect )*(?:struct|enum|class|protocol|actor|typealias) ")
UMBRELLA = ("Inkling", "InklingEngine", "InklingWire", "InklingKeys")
PRODUCTS = (*UMBRELLA, "InklingPlatforms", "InklingVault", "InklingNode", "InklingSimulation", "InklingLinux")


class Row(NamedTuple):
    """A number: what it counts, the most that it may be, and what it should become."""

    what: str
    count: Callable[[Tree], int]
    ceiling: int
    goal: int


def swift(tree: Tree, *folders: str) -> list[str]:
    return tree.files(*folders, suffix=".swift")


def lines(tree: Tree, paths: list[str]) -> int:
    return sum(tree.text(path).count("\n") for path in paths)


def actor(tree: Tree) -> list[str]:
    """The files with a part of the actor of a node."""
    return [path for path in swift(tree, NODE) if ACTOR.search(tree.text(path))]


def stored(tree: Tree) -> int:
    """The stored properties of the actor, which Swift has in its first declaration."""
    inside, count = False, 0
    for _, line in tree.code_lines(f"{NODE}/Node/Node.swift"):
        if line.startswith("public actor Node"):
            inside = True
        elif inside and line.startswith("}"):
            break
        elif inside and not line.lstrip().startswith("static") and STORED.match(line):
            count += 1
    return count


def code(tree: Tree, paths: list[str], pattern: re.Pattern) -> int:
    return sum(len(pattern.findall(line)) for path in paths for _, line in tree.code_lines(path))


def targets(tree: Tree, names: tuple[str, ...]) -> list[str]:
    return [path for name in names for path in tree.files_of_target(name, suffix=".swift")]


def size(path: str) -> Callable[[Tree], int]:
    return lambda tree: len(tree.text(path).encode())


def outside(tree: Tree) -> list[str]:
    return [path for path in swift(tree, NODE) if not path.startswith(TECHNOLOGIES)]


ROWS = [
    Row("lines of Swift in Sources", lambda tree: lines(tree, swift(tree, "Sources")), 94_000, 80_000),
    Row("Swift files in Sources", lambda tree: len(swift(tree, "Sources")), 810, 450),
    Row("lines of Swift that `inkling` needs",
        lambda tree: lines(tree, swift(tree, *(f"Sources/{house}" for house in ("Core", "Policy", "Node", "Linux", "Program")))), 77_000, 58_000),
    Row("lines of the actor of a node", lambda tree: lines(tree, actor(tree)), 5900, 3000),
    Row("files of the actor of a node", lambda tree: len(actor(tree)), 32, 12),
    Row("stored properties of the actor of a node", stored, 47, 20),
    Row("mentions of a technology outside its folder", lambda tree: code(tree, outside(tree), TECHNOLOGY), 0, 0),
    Row("functions of a node named `take`", lambda tree: code(tree, swift(tree, NODE), TAKE), 0, 0),
    Row("public types of `import Inkling`", lambda tree: code(tree, targets(tree, UMBRELLA), PUBLIC), 209, 160),
    Row("public types of all products", lambda tree: code(tree, targets(tree, PRODUCTS), PUBLIC), 524, 330),
    Row("bytes of the README", size("README.md"), 9000, 9000),
    Row("bytes of the CHANGELOG", size("CHANGELOG.md"), 8000, 8000),
    Row("bytes of the Makefile", size("Makefile"), 7000, 7000),
]


def findings(tree: Tree) -> Iterator[Finding]:
    for row in ROWS:
        count = row.count(tree)
        if count > row.ceiling:
            yield Finding(RULE, 1, f"{row.what}: {count}, at most {row.ceiling}")
        else:
            goal = "" if count <= row.goal else f", {row.goal} is the goal"
            yield Finding(RULE, 1, f"{row.what}: {count}{goal}", is_note=True)
