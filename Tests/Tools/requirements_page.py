"""The page Specs/requirements.md: every requirement with its cover."""

import re
from collections import Counter

from coverage import KINDS, PAGE, Coverage, Requirement, part_of
from tree import Tree

# Cover of these kinds applies to any implementation; other cover applies only to this one.
OF_ANY = {"vector", "live"}
# A cell with more vector families than this shows only their number.
MAX_FAMILIES = 12

INTRODUCTION = """# Requirements

This page lists every numbered requirement of the specifications with what shows that it is met. It contains no \
requirement itself. It is generated: `Tests/Tools/check.py --write-map` writes it from the other pages, the vector \
files, the live checks, the tests and `Tests/Tools/cover.md`. Changes by hand are lost.

| column | what it contains |
|---|---|
| any implementation | what `inkling-kit conform` shows of any program: *vectors*, by family, and the *live checks* of a \
running node |
| this implementation | what shows the requirement of this package only: *tests*, by file below `Tests/`; *checks*, \
which are scripts; both run in `make test`. *Suites* do not: `make verify-NAME` runs them, and `make records` says when each \
passed last and on what. *Review*, where only reading the code can show it. *Nothing yet* names the part that is not built. |

A test names its requirements in its comment, so a search for a number finds the test. Other implementations need \
tests of their own for what only the second column covers.
"""


def page_of(coverage: Coverage) -> str:
    """Returns the text of the page."""
    later = (one for one in coverage.requirements.values() if one.is_must and one.best == "later")
    parts = Counter(part_of(one.cover["later"][0]) for one in later)
    missing = ", ".join(f"{part} ({count})" for part, count in parts.most_common())
    lines = [
        INTRODUCTION,
        f"{coverage.counts()}. Each is counted once, by the first of these kinds that covers it. The missing parts, with "
        f"the number of requirements that wait for each: {missing or 'none'}.",
    ]
    for path, title in coverage.titles.items():
        own = sorted((one for one in coverage.requirements.values() if one.path == path), key=lambda one: one.number)
        if own:
            name = path.removeprefix("Specs/")
            lines += ["", f"## {title}", "", f"[{name}]({name}), {len(own)} requirements", ""]
            lines += ["| requirement | any implementation | this implementation |", "|---|---|---|"]
            lines += [re.sub(r"\|  (?=\|)", "| ", f"| {one.number} | {cells(one)} |") for one in own]
    return "\n".join(lines) + "\n"


def cells(one: Requirement) -> str:
    """Returns the last two cells of the requirement's row."""
    columns = {True: [], False: []}
    for kind, words in KINDS.items():
        targets = sorted(set(one.cover.get(kind, ())))
        if not targets:
            continue
        if kind == "review":
            text = words
        elif kind == "later":
            text = f"**{words}**: {part_of(targets[0])} is not built"
        elif len(targets) > MAX_FAMILIES:
            text = f"{words}: {len(targets)} families"
        else:
            text = f"{words}: " + ", ".join(f"`{target}`" for target in targets)
        columns[kind in OF_ANY].append(text)
    if one.best is None:
        columns[False].append("withdrawn" if one.is_withdrawn else "nothing; it is no MUST")
    return " | ".join("; ".join(columns[of_any]) for of_any in (True, False))


def page_fault(coverage: Coverage) -> tuple[int, str] | None:
    """Returns the first line that differs from what `write_page` would write, and a message; None when no line differs."""
    if not coverage.tree.exists(PAGE):
        return 1, "the page is missing: run Tests/Tools/check.py --write-map"
    present, wanted = coverage.tree.text(PAGE).split("\n"), page_of(coverage).split("\n")
    if present == wanted:
        return None
    places = (place for place, (old, new) in enumerate(zip(present, wanted), 1) if old != new)
    return next(places, min(len(present), len(wanted))), "the page is stale: run Tests/Tools/check.py --write-map"


def write_page(tree: Tree):
    (tree.root / PAGE).write_text(page_of(Coverage(tree)), encoding="utf-8")
