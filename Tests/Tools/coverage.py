"""Finds what covers each requirement.

Cover is declared where it is: vector cases and live checks list their requirements, and a test names them in its comment.
Scripts, reviews and missing parts have a row in Tests/Tools/cover.md.
"""

import ast
import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from suites import DECLARATION, Declaration
from tree import Tree

NUMBER = r"INK-[A-Z]{2,4}-\d{3}"
DEFINITION = re.compile(rf"\*\*({NUMBER})\*\*(.*)")
# A requirement that is dropped keeps its number and says where its rule is now.
WITHDRAWN = re.compile(r"^\s*\*Withdrawn\b")
MUST = re.compile(r"\bMUST\b|\bREQUIRED\b|\bSHALL\b")
PAGE = "Specs/requirements.md"
TABLE = "Tests/Tools/cover.md"

# The checks of a running node, each with its id and its requirements.
LIVE_CHECKS = "Sources/Kit/InklingConformance/Live/LiveCheck.swift"
LIVE_CHECK = re.compile(r'\b(LiveCheck|probe)\(\s*"([a-z-]+)",[^\[]*\[(.*?)\]', re.DOTALL)
# Lines that are not requests: `inkling-kit conform` sends them, and no vector file contains them.
REQUEST_CASES = "Sources/Kit/InklingConformance/RequestCases.swift"

# A comment of a Swift test, or a line in the docstring of a network test. It may continue on the lines below it.
COVERS = re.compile(r"^\s*(?:///? ?)?Covers (INK-.*)")
CONTINUED = re.compile(r"^\s*(?:///? ?)?(INK-.*)")
LIST = re.compile(rf"{NUMBER}(, {NUMBER})*\.")
ROW = re.compile(rf"\| ({NUMBER}) \| (check|review|later): (.*?) \|")

# The parts that are not built, each with a path that will exist when it is.
MISSING_PARTS = {
    "a back end for Wi-Fi Aware": "Sources/Linux/InklingWiFiAware",
    "an application on a phone": "Applications",
}

# The rules that `check.py` runs, and the program itself.
STATIC_CHECKS = "Tests/Tools/"
# The kinds of cover with their names on the page, the best first.
KINDS = {
    "vector": "vectors",
    "live": "live checks",
    "test": "tests",
    "check": "checks",
    "suite": "suites",
    "review": "review",
    "later": "nothing yet",
}


@dataclass
class Requirement:
    number: str
    path: str
    line: int
    is_must: bool
    is_withdrawn: bool
    #: The cover by kind, in the order of the files.
    cover: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def best(self) -> str | None:
        """The best kind that covers it."""
        return next((kind for kind in KINDS if kind in self.cover), None)


class Test(NamedTuple):
    """A test with the requirements in its comment, each with its line."""

    path: str
    name: str
    numbers: list[tuple[str, int]]


class Coverage:
    """All requirements with their cover, and the faults of both: path, line, message."""

    def __init__(self, tree: Tree):
        self.tree = tree
        self.requirements: dict[str, Requirement] = {}
        self.titles: dict[str, str] = {}
        self.faults: list[tuple[str, int, str]] = []
        self.tests: list[Test] = []
        self.declaration = Declaration(tree.text(DECLARATION))
        self.read_pages()
        self.read_vectors()
        self.read_live_checks()
        self.read_tests()
        self.read_table()
        for one in self.requirements.values():
            if one.is_must and one.best is None:
                message = f"{one.number} is not covered by a vector, a live check, a test or a row of {TABLE}"
                self.faults.append((one.path, one.line, message))

    def add(self, number: str, kind: str, target: str, path: str, line: int):
        requirement = self.requirements.get(number)
        if requirement is None:
            self.faults.append((path, line, f"{number} is not defined in any specification"))
        elif requirement.is_withdrawn:
            self.faults.append((path, line, f"{number} is withdrawn and cannot be covered"))
        else:
            requirement.cover[kind].append(target)

    def read_pages(self):
        for path in self.tree.files("Specs", suffix=".md"):
            if path == PAGE:
                continue
            for line, text in self.tree.lines(path):
                if text.startswith("# "):
                    self.titles.setdefault(path, text.removeprefix("# "))
                for match in DEFINITION.finditer(text):
                    if first := self.requirements.get(match[1]):
                        message = f"{match[1]} is already defined at {first.path}:{first.line}"
                        self.faults.append((path, line, message))
                        continue
                    is_must, is_withdrawn = bool(MUST.search(match[2])), bool(WITHDRAWN.match(match[2]))
                    self.requirements[match[1]] = Requirement(match[1], path, line, is_must, is_withdrawn)

    def read_vectors(self):
        for path in self.tree.files("Vectors", suffix=".json"):
            if "/schema/" in path:
                continue
            text = self.tree.text(path)
            family = path.removeprefix("Vectors/").removesuffix(".json")
            for number, line in vector_requirements(text):
                self.add(number, "vector", family, path, line)
        if self.tree.exists(REQUEST_CASES):
            text = self.tree.text(REQUEST_CASES)
            for number in sorted(set(re.findall(NUMBER, text))):
                self.add(number, "vector", "request", REQUEST_CASES, line_at(text, text.index(number)))

    def read_live_checks(self):
        text = self.tree.text(LIVE_CHECKS) if self.tree.exists(LIVE_CHECKS) else ""
        for check in LIVE_CHECK.finditer(text):
            name = f"live-silence-{check[2]}" if check[1] == "probe" else check[2]
            for match in re.finditer(NUMBER, check[3]):
                self.add(match[0], "live", name, LIVE_CHECKS, line_at(text, check.start(3) + match.start()))

    def read_tests(self):
        for path in self.tree.files("Tests", suffix=".swift") + self.tree.files("Tests", suffix=".py"):
            # These files contain examples of such lines.
            if path.startswith("Tests/Tools/"):
                continue
            text = self.tree.text(path)
            name_after = network_tests(text) if path.endswith(".py") else swift_tests(text)
            for line, end, words, numbers in covers(text):
                name = name_after.get(end)
                if name is None:
                    self.faults.append((path, line, "this `Covers` line does not belong to a test"))
                    continue
                if not LIST.fullmatch(words):
                    self.faults.append((path, line, "write `Covers INK-XXX-NNN, INK-XXX-NNN.`"))
                elif [number for number, _ in numbers] != sorted({number for number, _ in numbers}):
                    self.faults.append((path, line, "the numbers are not sorted, or one is repeated"))
                self.tests.append(Test(path, name, numbers))
                shown = path.removeprefix("Tests/").removesuffix(".swift")
                kind, target = "test", shown
                if path.endswith(".py") and path not in self.declaration.gate:
                    kind, target = "suite", self.suite_target(path, line, shown)
                for number, place in numbers:
                    self.add(number, kind, target, path, place)

    def read_table(self):
        last = ""
        for line, text in self.tree.lines(TABLE) if self.tree.exists(TABLE) else []:
            if not text.startswith("| INK"):
                continue
            row = ROW.fullmatch(text)
            if not row:
                self.faults.append((TABLE, line, "the row is not `| INK-XXX-NNN | check, review or later: … |`"))
                continue
            number, kind, target = row.groups()
            if text <= last:
                self.faults.append((TABLE, line, f"{number} is not in order"))
            last = text
            if fault := self.row_fault(kind, target):
                self.faults.append((TABLE, line, f"{number}: {fault}"))
                continue
            if kind == "check" and not target.startswith(STATIC_CHECKS) and target not in self.declaration.gate:
                kind, target = "suite", self.suite_target(target, line)
            self.add(number, kind, target, TABLE, line)
            if kind == "later" and number in self.requirements and self.requirements[number].best != "later":
                best = KINDS[self.requirements[number].best]
                self.faults.append((TABLE, line, f"{number} is `later` and is covered by {best}"))

    def suite_target(self, program: str, line: int, test: str = "") -> str:
        """How the page names what a suite shows: the first suite that runs a program."""
        names = self.declaration.suites_of(program)
        if not names:
            place = (program, line) if test else (TABLE, line)
            self.faults.append((*place, f"neither the gate nor a suite of {DECLARATION} runs {program}"))
            return program
        return f"verify-{names[0]}: {test or program}"

    def row_fault(self, kind: str, target: str) -> str | None:
        if kind == "check":
            return None if self.tree.exists(target) else f"there is no file {target}"
        if kind == "review":
            return None if len(target.split()) > 2 else "the review is not described"
        part = part_of(target)
        if not part:
            return f"'{target}' does not begin with a missing part: {', '.join(MISSING_PARTS)}"
        exists = self.tree.exists(MISSING_PARTS[part])
        return f"{part} is built ({MISSING_PARTS[part]} exists)" if exists else None

    def counts(self) -> str:
        """All requirements, each once, by the best that shows it."""
        whole = list(self.requirements.values())
        in_force = [one for one in whole if not one.is_withdrawn]
        best = Counter(one.best for one in in_force)
        suites = Counter(one.cover["suite"][0].split(":")[0] for one in in_force if one.best == "suite")
        parts = [
            f"{best['vector']} by vectors",
            f"{best['live']} by live checks",
            f"{best['test'] + best['check']} by tests and checks in `make test`",
            f"{best['suite']} by suites outside of `make test`"
            + (f" ({', '.join(f'`make {name}` {count}' for name, count in sorted(suites.items()))})" if suites else ""),
            f"{best['review']} by review",
            f"{best['later']} wait for a part that is not built",
            f"{best[None]} are shown by nothing, {sum(one.best is None and one.is_must for one in in_force)} of them a MUST",
            f"{len(whole) - len(in_force)} are withdrawn",
        ]
        return f"{len(whole)} requirements, {sum(one.is_must for one in whole)} of them MUST: {', '.join(parts)}"


# Reading the files


def line_at(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def part_of(target: str) -> str:
    """The missing part of a row `later: the part, and what of it`."""
    return next((part for part in MISSING_PARTS if target == part or target.startswith(f"{part},")), "")


# These are cached because self_test.py reads nearly the same files many times over.
@cache
def vector_requirements(text: str) -> list[tuple[str, int]]:
    """The requirements of the cases of a vector file, in order, each with the line of its first mention."""
    try:
        content = json.loads(text)
    except ValueError:
        return []
    cases = content.get("cases", []) if isinstance(content, dict) else []
    numbers = sorted({number for case in cases for number in case.get("requirements", [])})
    return [(number, line_at(text, text.index(number))) for number in numbers]


@cache
def covers(text: str) -> list[tuple[int, int, str, list[tuple[str, int]]]]:
    """The `Covers` lines: their first and last line, their words, and each number with its line."""
    found = []
    lines = enumerate(text.split("\n"), 1)
    for first, line in lines:
        if not (match := COVERS.match(line)):
            continue
        last, words = first, match[1].rstrip()
        numbers = [(number, first) for number in re.findall(NUMBER, words)]
        while words.endswith(","):
            last, line = next(lines, (last, ""))
            if not (more := CONTINUED.match(line)):
                break
            words += " " + more[1].rstrip()
            numbers += [(number, last) for number in re.findall(NUMBER, more[1])]
        found.append((first, last, words, numbers))
    return found


@cache
def swift_tests(text: str) -> dict[int, str]:
    """The names of tests and suites, by the line above their attribute."""
    names = {}
    for match in re.finditer(r"^[ ]*@(?:Test|Suite)\b", text, re.MULTILINE):
        if name := re.compile(r"\b(?:func|struct|enum|class|actor)\s+(?:`([^`]+)`|(\w+))").search(text, match.end()):
            names[line_at(text, match.start()) - 1] = name[1] or name[2]
    return names


@cache
def network_tests(text: str) -> dict[int, str]:
    """The first lines of the docstrings of all functions marked `@check`, by every line of the docstring."""
    names = {}
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef) and (description := ast.get_docstring(function)):
            if any(isinstance(mark, ast.Name) and mark.id == "check" for mark in function.decorator_list):
                place = function.body[0]
                for line in range(place.lineno, place.end_lineno + 1):
                    names[line] = description.split("\n")[0].rstrip(".")
    return names
