"""Requirements: defined once, referred to only where they exist, covered or said to be not built, and in the map.

A requirement is defined where its number stands in bold. It is covered by a vector case that names it, or by a table
row `| INK-XXX-NNN | test: the name of a test |` in any specification; `coverage.py` has the kinds of such rows. A test
is one of Swift, by its function's raw name, with the name of its suite before it where that makes a sentence; or one of
Tests/Rigs/network, by the first line of its description.
"""

import re

from coverage import MAP_PAGE, NUMBER, Coverage, map_fault
from tree import Finding, Tree

TITLE = "requirements are defined once, what covers them exists, and the map of them is fresh"

REFERENCE = re.compile(rf"\b({NUMBER})\b")


def findings(tree: Tree):
    coverage = Coverage(tree)
    for path, line, message in coverage.faults:
        yield Finding(path, line, message)
    for path in tree.files("Specs", "Sources", "Tests", "README.md"):
        # The checks' own examples are not references.
        if path.startswith("Tests/Tools/") or not path.endswith((".md", ".swift", ".py", ".sh", ".c", ".h")):
            continue
        for line, text in tree.lines(path):
            for match in REFERENCE.finditer(text):
                if match[1] not in coverage.requirements:
                    yield Finding(path, line, f"{match[1]} is not defined in any specification")
    if fault := map_fault(coverage):
        yield Finding(MAP_PAGE, *fault)
    print(f"  {coverage.summary()}")
