"""Requirements: defined once, referred to only where they exist, and the list of those that nothing covers yet.

A requirement is defined where its number stands in bold. It is covered by a vector case that names it, or by a table
row `| INK-XXX-NNN | test: the name of a test |` or `| INK-XXX-NNN | check: path/of/a/script |` in any specification.
"""

import json
import re

from tree import Finding, Tree

TITLE = "requirements are defined once, and what covers them exists"

NUMBER = r"INK-[A-Z]{2,4}-\d{3}"
DEFINITION = re.compile(rf"\*\*({NUMBER})\*\*(.*)")
REFERENCE = re.compile(rf"\b({NUMBER})\b")
COVERAGE = re.compile(rf"^\|\s*`?({NUMBER})`?\s*\|\s*(test|check):\s*(.*?)\s*\|")
TEST_NAME = re.compile(r"func `([^`]+)`|@(?:Test|Suite)\(\s*\"((?:\\.|[^\"\\])*)\"")
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

    covered = set()
    for path in tree.files("Vectors", suffix=".json"):
        if "/schema/" in path:
            continue
        text = tree.text(path)
        for number in requirements_of(text):
            covered.add(number)
            if number not in defined:
                line = text.count("\n", 0, text.index(number)) + 1
                yield Finding(path, line, f"{number} is not defined in any specification")

    names = test_names(tree)
    for path, line, number, kind, target in rows:
        exists = target in names if kind == "test" else tree.exists(target)
        if exists:
            covered.add(number)
        else:
            what = f"no test is called “{target}”" if kind == "test" else f"there is no file {target}"
            yield Finding(path, line, f"{number}: {what}")

    demanded = {number: place for number, place in defined.items() if MUST.search(place[2])}
    bare = sorted(set(demanded) - covered)
    for number in bare:
        path, line, _ = demanded[number]
        yield Finding(path, line, f"{number} has no vector and no test yet", is_note=True)
    print(f"  {len(defined)} requirements, {len(demanded)} of them MUST: {len(demanded) - len(bare)} covered, {len(bare)} not")


def requirements_of(text: str) -> set[str]:
    try:
        content = json.loads(text)
    except ValueError:
        return set()
    cases = content.get("cases", []) if isinstance(content, dict) else []
    return {number for case in cases for number in case.get("requirements", [])}


def test_names(tree: Tree) -> set[str]:
    return {
        match[1] or match[2]
        for path in tree.files("Tests", suffix=".swift")
        for match in TEST_NAME.finditer(tree.text(path))
    }
