"""The table of figures of reliability has all 28, every command in it exists, and measured figures name their suite.

A suite keeps a record of what it ran on, so whoever reads a figure in a document can see whether it still holds.
"""

import re

from suites import DECLARATION, Declaration
from tree import Finding, Tree

TITLE = "the table of figures is whole, its commands exist, and measured figures name their suite"
TABLE = "Tests/Rigs/figures/figures.md"
COUNT = 28
STATES = {"shown", "in part", "missed", "not shown"}
# What a document says of a measurement: the machine or the day.
MEASURED = re.compile(r"\bcores of (?:an?|Intel|AMD)\b|\b[Mm]easured on\b|\b[Oo]n 20\d\d-\d\d-\d\d\b(?!T)|\blast on 20\d\d")
SUITE = re.compile(r"`(?:make )?verify-([a-z-]+)`")
# What is said of a figure that was measured once by hand.
BY_HAND = "no suite measures"


def findings(tree: Tree):
    suites = Declaration(tree.text(DECLARATION)).suites
    targets = {"test", *(f"verify-{name}" for name in suites)}
    yield from unnamed(tree, suites)
    expected = 1
    for number, line in tree.lines(TABLE):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not re.fullmatch(r"\d+", cells[0]):
            continue
        if len(cells) != 8:
            yield Finding(TABLE, number, f"a row has 8 cells, this one has {len(cells)}")
            continue
        figure, _, _, state, commands, value, measured, remark = cells
        if int(figure) != expected:
            yield Finding(TABLE, number, f"figure {figure} stands where {expected} belongs")
        expected = int(figure) + 1
        if state not in STATES:
            yield Finding(TABLE, number, f"'{state}' is none of {', '.join(sorted(STATES))}")
        if state != "shown" and not remark:
            yield Finding(TABLE, number, f"a figure that is {state} needs its reason")
        if state in ("shown", "missed") and not (commands and value and measured):
            yield Finding(TABLE, number, f"a figure that is {state} needs a command, a value, and where and when it was measured")
        if value and not re.search(r"\b20\d\d-\d\d-\d\d\b", measured):
            yield Finding(TABLE, number, "a measured value needs its date")
        for command in re.findall(r"`([^`]+)`", commands):
            made = re.fullmatch(r"make ([a-z0-9-]+)(?: [A-Z]+=\w+)*", command)
            if made and made[1] not in targets:
                yield Finding(TABLE, number, f"neither `make test` nor a suite is {made[1]}")
            elif not made and not (tree.root / command.split()[0]).is_file():
                yield Finding(TABLE, number, f"{command.split()[0]} is missing")
    if expected != COUNT + 1:
        yield Finding(TABLE, 1, f"the table ends before figure {COUNT}")


def unnamed(tree: Tree, suites: dict):
    """Sections of documents with a measured figure that name no suite, and suites that documents name and nobody declares."""
    pages = tree.files("README.md", "Sources", "Specs", "Tests", suffix=".md")
    # Each row of the table has its command.
    pages.remove(TABLE)
    for path in pages:
        section, measured = [], 0
        for number, line in [*tree.lines(path), (0, "# ")]:
            if line.startswith("#"):
                if measured and not any(SUITE.search(text) or BY_HAND in text for text in section):
                    yield Finding(path, measured, f"the section has a measured figure and no `make verify-NAME` that measures it, nor `{BY_HAND}`")
                section, measured = [], 0
            section.append(line)
            measured = measured or (number if MEASURED.search(line) else 0)
            for name in SUITE.findall(line):
                if name not in suites:
                    yield Finding(path, number, f"{DECLARATION} declares no suite {name}")
