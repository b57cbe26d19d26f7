"""What shows each requirement: read from the vector files and from the tables of the pages, and written as one map.

The kinds of cover, and how each proves that what it names exists, stand here and nowhere else.
"""

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Callable

from tree import Tree

NUMBER = r"INK-[A-Z]{2,4}-\d{3}"
DEFINITION = re.compile(rf"\*\*({NUMBER})\*\*(.*)")
MUST = re.compile(r"\bMUST\b|\bREQUIRED\b|\bSHALL\b")
MAP_PAGE = "Specs/conformance.md"
MAP_BEGIN = "<!-- Written by `Tests/Tools/check.py --write-map`; the tables of the pages decide what stands here. -->"
MAP_END = "<!-- The end of the map. -->"

NETWORK_TEST = re.compile(r'@check\ndef \w+\(.*\):\n    """(.*?)\.?(?:"""|\n)')
TEST_NAME = re.compile(r"func `([^`]+)`|@(?:Test|Suite)\(\s*\"((?:\\.|[^\"\\])*)\"|struct `?([^`{:]+)`?")
# The lines that are no requests, which `inkling conform` asks and no file holds.
REQUEST_CASES = "Sources/InklingConformance/RequestCases.swift"
# More names than this are counted in the map.
FEW = 12
# The checks of a running node, each with its id and the requirements that it shows.
LIVE_CHECKS = "Sources/InklingConformance/Live/LiveCheck.swift"
LIVE_CHECK = re.compile(r'\b(LiveCheck|probe)\(\s*"([a-z-]+)",(.*?)\[(.*?)\]', re.DOTALL)

# What is not built, and a path that will exist when it is: nothing that stands there is `later` any more.
MISSING_PARTS = {
    "the BlueZ back end": "Sources/InklingLinux/Bluetooth",
    "a back end for Wi-Fi Aware": "Sources/InklingWiFiAware",
    "an application on a phone": "Applications",
    "linking of further devices of one user": "Sources/InklingCommand/Verbs/Device",
    "pair audiences in the node": "Sources/InklingNode/Node/Node+PairAudiences.swift",
}


@dataclass(frozen=True)
class Kind:
    """One way to cover a requirement."""

    #: How the summary counts it, and how the map names it.
    words: str
    #: What is wrong with a target of a requirement, or nothing.
    fault: Callable[["Coverage", str, str], str | None]
    #: What the map shows for a target.
    shown: Callable[["Coverage", str], str]
    #: The column of the map: `any` for what `inkling conform` shows of any implementation, `ours` for this one.
    column: str = "ours"
    #: Whether it covers at all.
    covers: bool = True


def sentence_fault(kind: str):
    return lambda _, number, target: None if len(target.split()) > 2 else f"{kind} without a sentence"


def part_of(target: str) -> str:
    """The part that is missing, of a row `later: the part, and what of it`."""
    return next((part for part in MISSING_PARTS if target == part or target.startswith(f"{part},")), "")


def later_fault(coverage: "Coverage", number: str, target: str):
    part = part_of(target)
    if not part:
        return f"“{target}” does not begin with a part that is missing: {', '.join(MISSING_PARTS)}"
    path = MISSING_PARTS[part]
    return f"{part} exists ({path}), so that later is now" if coverage.tree.exists(path) else None


# The best cover first. A kind of the tables is a word here; nothing else has to know it.
KINDS = {
    "vector": Kind("vectors", lambda c, number, target: None, lambda c, target: f"`{target}`", "any"),
    "live": Kind(
        "live checks",
        lambda c, number, target: None if number in c.live.get(target, ()) else f"no live check “{target}” names it",
        lambda c, target: f"`{target}`", "any",
    ),
    "test": Kind(
        "tests",
        lambda c, number, target: None if target in c.tests else f"no test is called “{target}”",
        lambda c, target: f"`{c.tests.get(target, target)}`",
    ),
    "check": Kind(
        "checks",
        lambda c, number, target: None if c.tree.exists(target) else f"there is no file {target}",
        lambda c, target: f"`{target}`",
    ),
    "review": Kind("review", sentence_fault("review"), lambda c, target: "review"),
    "later": Kind("nothing yet", later_fault, lambda c, target: f"{part_of(target)} is not built", covers=False),
}  # fmt: skip
ROW = re.compile(rf"^\|\s*`?({NUMBER})`?\s*\|\s*({'|'.join(kind for kind in KINDS if kind != 'vector')}):\s*(.*?)\s*\|")


@dataclass
class Requirement:
    number: str
    path: str
    line: int
    is_must: bool
    #: By kind, what covers it, in the order of the files.
    cover: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def best(self) -> str | None:
        return next((kind for kind in KINDS if kind in self.cover), None)


class Coverage:
    """Every requirement with what covers it, and what is wrong with either: path, line, message."""

    def __init__(self, tree: Tree):
        self.tree = tree
        self.requirements: dict[str, Requirement] = {}
        self.faults: list[tuple[str, int, str]] = []
        self.tests = test_names(tree)
        self.live = live_checks(tree)
        rows = self.read_pages()
        self.read_vectors()
        for path, line, number, kind, target in rows:
            if fault := KINDS[kind].fault(self, number, target):
                self.faults.append((path, line, f"{number}: {fault}"))
            elif number in self.requirements:
                self.requirements[number].cover[kind].append(target)
            else:
                self.faults.append((path, line, f"{number} is not defined in any specification"))
        told = {(number, target) for _, _, number, kind, target in rows if kind == "live"}
        for target, numbers in self.live.items():
            for number in sorted(number for number in numbers if (number, target) not in told):
                self.faults.append((LIVE_CHECKS, 1, f"{target} names {number}, and no specification says so"))
        for one in self.requirements.values():
            if one.is_must and one.best is None:
                self.faults.append((one.path, one.line, f"{one.number} has no vector, no test and no row that says why"))
            if "later" in one.cover and one.best != "later":
                self.faults.append((one.path, one.line, f"{one.number} is `later`, and is covered by {one.best}"))

    def read_pages(self):
        rows = []
        for path in self.tree.files("Specs", suffix=".md"):
            for line, text in self.tree.lines(path):
                for match in DEFINITION.finditer(text):
                    first = self.requirements.get(match[1])
                    if first:
                        self.faults.append((path, line, f"{match[1]} is defined before, at {first.path}:{first.line}"))
                        continue
                    self.requirements[match[1]] = Requirement(match[1], path, line, bool(MUST.search(match[2])))
                if row := ROW.match(text):
                    rows.append((path, line, row[1], row[2], row[3].strip("`")))
        return rows

    def read_vectors(self):
        for path in self.tree.files("Vectors", suffix=".json"):
            if "/schema/" in path:
                continue
            text = self.tree.text(path)
            for number in sorted(requirements_of(text)):
                if number in self.requirements:
                    name = path.removeprefix("Vectors/").removesuffix(".json")
                    self.requirements[number].cover["vector"].append(name)
                else:
                    line = text.count("\n", 0, text.index(number)) + 1
                    self.faults.append((path, line, f"{number} is not defined in any specification"))

        if self.tree.exists(REQUEST_CASES):
            for number in sorted(set(re.findall(NUMBER, self.tree.text(REQUEST_CASES))) & set(self.requirements)):
                self.requirements[number].cover["vector"].append("request")

    # The summary and the map

    @property
    def demanded(self) -> list[Requirement]:
        return [one for one in self.requirements.values() if one.is_must]

    def summary(self) -> str:
        best = Counter(one.best for one in self.demanded)
        covered = ", ".join(f"{best[kind]} by {KINDS[kind].words}" for kind in KINDS if KINDS[kind].covers)
        return (
            f"{len(self.requirements)} requirements, {len(self.demanded)} of them MUST: {covered}; "
            f"{best['later']} by nothing yet, because the part is not built; {best[None]} forgotten"
        )

    def map_lines(self) -> list[str]:
        best = Counter(one.best for one in self.demanded)
        parts = Counter(part_of(one.cover["later"][0]) for one in self.demanded if one.best == "later")
        counts = ", ".join(f"{best[kind]} by {KINDS[kind].words}" for kind in KINDS if KINDS[kind].covers and best[kind])
        missing = ", ".join(f"{part} ({count})" for part, count in parts.most_common())
        lines = [
            MAP_BEGIN,
            "",
            f"{len(self.requirements)} requirements, {len(self.demanded)} of them MUST. Counted once each, by the first "
            f"of these kinds that it has: {counts}. **{best['later']} are covered by nothing yet**, because what they "
            f"are about is not built: {missing}.",
            "",
            "| requirements | shown of any implementation | shown of this one |",
            "|---|---|---|",
        ]
        for page in self.tree.files("Specs", suffix=".md"):
            own = [one for one in self.requirements.values() if one.path == page]
            if not own:
                continue
            name = page.removeprefix("Specs/")
            lines.append(f"| **[{name}]({name})**, {len(own)} | | |")
            for first, last, cells in grouped(own, self.cells):
                numbers = first if first == last else f"{first} to {last.rsplit('-', 1)[1]}"
                lines.append(f"| {numbers} | {cells[0]} | {cells[1]} |".replace("|  |", "| |").replace("|  |", "| |"))
        return [*lines, "", MAP_END]

    def cells(self, one: Requirement) -> tuple[str, str]:
        columns = {"any": [], "ours": []}
        for kind, what in KINDS.items():
            targets = list(dict.fromkeys(what.shown(self, target) for target in one.cover.get(kind, ())))
            if len(targets) > FEW:
                targets = [f"{len(targets)} families"]
            if targets:
                words = f"**{what.words}**" if not what.covers else what.words
                text = words if targets == [what.words] else f"{words}: {', '.join(sorted(targets))}"
                columns[what.column].append(text)
        if one.best is None:
            columns["ours"].append("nothing: no MUST")
        return "; ".join(columns["any"]), "; ".join(columns["ours"])


def grouped(requirements: list[Requirement], cells):
    """Runs of requirements, in the order of their page, that have the same cover."""
    runs: list[tuple[str, str, tuple[str, str]]] = []
    for one in requirements:
        own = cells(one)
        if runs and runs[-1][2] == own and runs[-1][1].rsplit("-", 1)[0] == one.number.rsplit("-", 1)[0]:
            runs[-1] = (runs[-1][0], one.number, own)
        else:
            runs.append((one.number, one.number, own))
    return runs


def map_fault(coverage: Coverage) -> tuple[int, str] | None:
    """Where the map in its page is not what would be written now."""
    lines = coverage.tree.text(MAP_PAGE).split("\n")
    if lines.count(MAP_BEGIN) != 1 or lines.count(MAP_END) != 1:
        return 1, "the map of the requirements is missing"
    start = lines.index(MAP_BEGIN)
    present = lines[start : lines.index(MAP_END) + 1]
    wanted = coverage.map_lines()
    if present == wanted:
        return None
    place = next((place for place, (old, new) in enumerate(zip(present, wanted)) if old != new), 0)
    return start + place + 1, "the map of the requirements is stale: run Tests/Tools/check.py --write-map"


def write_map(tree: Tree):
    lines = tree.text(MAP_PAGE).split("\n")
    if lines.count(MAP_BEGIN) != 1 or lines.count(MAP_END) != 1:
        raise SystemExit(f"{MAP_PAGE} has no place for the map: {MAP_BEGIN} … {MAP_END}")
    start, end = lines.index(MAP_BEGIN), lines.index(MAP_END)
    text = "\n".join([*lines[:start], *Coverage(tree).map_lines(), *lines[end + 1 :]])
    (tree.root / MAP_PAGE).write_text(text, encoding="utf-8")


# What the kinds name

def requirements_of(text: str) -> set[str]:
    try:
        content = json.loads(text)
    except ValueError:
        return set()
    cases = content.get("cases", []) if isinstance(content, dict) else []
    return {number for case in cases for number in case.get("requirements", [])}


def test_names(tree: Tree) -> dict[str, str]:
    """The sentences of all tests, those of a suite with a name of its own also with that name before them; each with
    its file, without the folder of tests and the ending."""
    names = {}
    for path in tree.files("Tests", suffix=".swift"):
        file = path.removeprefix("Tests/").removesuffix(".swift")
        suite = ""
        for match in TEST_NAME.finditer(tree.text(path)):
            if match[3]:
                suite = match[3]
                continue
            name = match[1] or match[2]
            names.setdefault(name, file)
            names.setdefault(f"{suite} {name}", file)
    for path in tree.files("Tests/Rigs/network", suffix=".py"):
        names.update((name, path.removeprefix("Tests/")) for name in NETWORK_TEST.findall(tree.text(path)))
    return names


def live_checks(tree: Tree) -> dict[str, set[str]]:
    """The requirements of every check of a running node, by its id."""
    text = tree.text(LIVE_CHECKS) if tree.exists(LIVE_CHECKS) else ""
    return {
        f"live-silence-{match[2]}" if match[1] == "probe" else match[2]: set(re.findall(NUMBER, match[4]))
        for match in LIVE_CHECK.finditer(text)
    }
