"""Requirements: each is defined once, references exist, every MUST is covered, and Specs/requirements.md is current.

A requirement is defined where its number stands in bold. Tests/Tools/README.md lists the kinds of cover, and
`coverage.py` reads them.
"""

import re
from functools import cache

from coverage import NUMBER, PAGE, Coverage, line_at
from requirements_page import page_fault
from tree import Finding, Tree

TITLE = "requirements are defined once and covered, and Specs/requirements.md is current"

KINDS_OF_FILE = (".md", ".swift", ".py", ".sh", ".c", ".h")
REFERENCE = re.compile(rf"\b({NUMBER})\b")
# `Nothing MUST be sent` and `No device MUST send` oblige no one under BCP 14: the subject must be a role that MUST NOT.
NO_ROLE = re.compile(
    rf"\*\*({NUMBER})\*\* (?:[^.;]*, )?(?i:no|nothing|nobody|none|neither|nowhere)\b[^.;]*\b(?:MUST|SHOULD|MAY)\b"
)


def findings(tree: Tree):
    coverage = Coverage(tree)
    for path, line, message in coverage.faults:
        yield Finding(path, line, message)
    for path in tree.files("Specs", "Sources", "Tests", "README.md"):
        # The checks contain examples, and an outdated page is reported below.
        if path == PAGE or path.startswith("Tests/Tools/") or not path.endswith(KINDS_OF_FILE):
            continue
        for line, number in references(tree.text(path)):
            if number not in coverage.requirements:
                yield Finding(path, line, f"{number} is not defined in any specification")
        for line, number in without_role(tree.text(path)) if path.startswith("Specs/") else []:
            yield Finding(path, line, f"{number} obliges no one: write `A device MUST NOT …`")
    if fault := page_fault(coverage):
        yield Finding(PAGE, *fault)
    print(f"  {coverage.counts()}")


# Cached because self_test.py runs the rule many times over nearly the same files.
@cache
def references(text: str) -> list[tuple[int, str]]:
    return [(line_at(text, match.start()), match[1]) for match in REFERENCE.finditer(text)]


@cache
def without_role(text: str) -> list[tuple[int, str]]:
    return [(number, match[1]) for number, line in enumerate(text.split("\n"), 1) if (match := NO_ROLE.search(line))]
