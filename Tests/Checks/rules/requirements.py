"""Requirements: defined once, referred to only where they exist, and the list of those that nothing covers yet.

A requirement is defined where its number stands in bold. It is covered by a vector case that names it, or by a table
row `| INK-XXX-NNN | test: the name of a test |` or `| INK-XXX-NNN | check: path/of/a/script |` in any specification.
A row `| INK-XXX-NNN | live: the id of a check |` names a check of `inkling conform live`, which must say the same.
Where no program can show it, a row says `review: how a reader sees it`, or `later: the part that is still to come`.
A test is one of Swift, by its function's raw name, with the name of its suite before it where that makes a sentence; or one of Tests/Network, by the first line of its description.
"""

import json
import re

from tree import Finding, Tree

TITLE = "requirements are defined once, and what covers them exists"

NUMBER = r"INK-[A-Z]{2,4}-\d{3}"
DEFINITION = re.compile(rf"\*\*({NUMBER})\*\*(.*)")
REFERENCE = re.compile(rf"\b({NUMBER})\b")
COVERAGE = re.compile(rf"^\|\s*`?({NUMBER})`?\s*\|\s*(test|check|live|review|later):\s*(.*?)\s*\|")
NETWORK_TEST = re.compile(r'@check\ndef \w+\(.*\):\n    """(.*?)\.?(?:"""|\n)')
LIVE_CHECKS = "Sources/InklingConformance/Live/LiveCheck.swift"
LIVE_CHECK = re.compile(r'\b(LiveCheck|probe)\(\s*"([a-z-]+)",(.*?)\[(.*?)\]', re.DOTALL)
TEST_NAME = re.compile(r"func `([^`]+)`|@(?:Test|Suite)\(\s*\"((?:\\.|[^\"\\])*)\"|struct `?([^`{:]+)`?")
MUST = re.compile(r"\bMUST\b|\bREQUIRED\b|\bSHALL\b")


def findings(tree: Tree):
    defined: dict[str, tuple[str, int, str]] = {}
    rows: list[tuple[str, int, str, str, str]] = []
    for path in tree.files("Specs", suffix=".md"):
        for line, text in tree.lines(path):
            for match in DEFINITION.finditer(text):
                if match[1] in defined:
                    first = defined[match[1]]
                    yield Finding(path, line, f"{match[1]} is defined before, at {first[0]}:{first[1]}")
                defined.setdefault(match[1], (path, line, match[2]))
            if row := COVERAGE.match(text):
                rows.append((path, line, row[1], row[2], row[3].strip("`")))

    for path in tree.files("Specs", "Sources", "Tests", "README.md"):
        # The checks' own examples are not references.
        if path.startswith("Tests/Checks/") or not path.endswith((".md", ".swift", ".py", ".sh", ".c", ".h")):
            continue
        for line, text in tree.lines(path):
            for match in REFERENCE.finditer(text):
                if match[1] not in defined:
                    yield Finding(path, line, f"{match[1]} is not defined in any specification")

    # What covers each requirement best: the first of these kinds.
    order = ("vector", "test", "check", "live", "review", "later")
    best: dict[str, str] = {}

    def cover(number: str, kind: str):
        best[number] = min(best.get(number, kind), kind, key=order.index)

    for path in tree.files("Vectors", suffix=".json"):
        if "/schema/" in path:
            continue
        text = tree.text(path)
        for number in requirements_of(text):
            cover(number, "vector")
            if number not in defined:
                line = text.count("\n", 0, text.index(number)) + 1
                yield Finding(path, line, f"{number} is not defined in any specification")

    names, live = test_names(tree), live_checks(tree)
    for path, line, number, kind, target in rows:
        if kind == "test":
            exists, what = target in names, f"no test is called “{target}”"
        elif kind == "check":
            exists, what = tree.exists(target), f"there is no file {target}"
        elif kind == "live":
            exists, what = number in live.get(target, ()), f"no live check “{target}” names it"
        else:
            exists, what = len(target.split()) > 2, f"{kind} without a sentence"
        if exists:
            cover(number, kind)
        else:
            yield Finding(path, line, f"{number}: {what}")

    told = {(number, target) for _, _, number, kind, target in rows if kind == "live"}
    for target, numbers in live.items():
        for number in sorted(numbers):
            if (number, target) not in told:
                yield Finding(LIVE_CHECKS, 1, f"{target} names {number}, and no specification says so")

    demanded = {number: place for number, place in defined.items() if MUST.search(place[2])}
    bare = sorted(set(demanded) - set(best))
    for number in bare:
        path, line, _ = demanded[number]
        yield Finding(path, line, f"{number} has no vector and no test yet", is_note=True)
    counts = ", ".join(f"{sum(best.get(number) == kind for number in demanded)} by {kind}" for kind in order)
    print(f"  {len(defined)} requirements, {len(demanded)} of them MUST: {counts}; {len(bare)} by nothing")


def live_checks(tree: Tree) -> dict[str, set[str]]:
    """The requirements of every check of a running node, by its id."""
    text = tree.text(LIVE_CHECKS) if tree.exists(LIVE_CHECKS) else ""
    return {
        f"live-silence-{match[2]}" if match[1] == "probe" else match[2]: set(re.findall(NUMBER, match[4]))
        for match in LIVE_CHECK.finditer(text)
    }


def requirements_of(text: str) -> set[str]:
    try:
        content = json.loads(text)
    except ValueError:
        return set()
    cases = content.get("cases", []) if isinstance(content, dict) else []
    return {number for case in cases for number in case.get("requirements", [])}


def test_names(tree: Tree) -> set[str]:
    """The sentences of all tests; those of a suite with a name of its own also with that name before them."""
    names = set()
    for path in tree.files("Tests", suffix=".swift"):
        suite = ""
        for match in TEST_NAME.finditer(tree.text(path)):
            if match[3]:
                suite = match[3]
                continue
            name = match[1] or match[2]
            names.update((name, f"{suite} {name}"))
    for path in tree.files("Tests/Network", suffix=".py"):
        names.update(NETWORK_TEST.findall(tree.text(path)))
    return names
