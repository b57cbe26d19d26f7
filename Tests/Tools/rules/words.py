"""The sources contain no deliberate crashes, no unfinished work and no empty names, and no text installs what is not ours.

Very long files are noted.
"""

import re
from functools import cache

from tree import Finding, Tree, blanked

TITLE = "no forced unwraps or casts, no unfinished work, no empty names, no package of a stranger"
NOTE_ABOVE_LINES = 450

# In code only; comments may mention them.
CODE = [
    (re.compile(r"\btry!"), "`try!` crashes where an error should be handled"),
    (re.compile(r"\bas!"), "`as!` crashes where a cast should be tested"),
    (re.compile(r"(?<=[\w)\]>}])(?<!\btry)(?<!\bas)!(?![=\w])"), "a forced unwrap (or an implicitly unwrapped type)"),
    (re.compile(r"\bfatalError\b"), "`fatalError`: throw a typed error, or make the case impossible with an enum"),
    (re.compile(r"\bunsafeBitCast\b"), "`unsafeBitCast`"),
    (re.compile(r"\bnonisolated\(unsafe\)"), "`nonisolated(unsafe)`: use a Mutex or an actor"),
    (
        re.compile(r"\b(?:class|struct|enum|actor|protocol)\s+\w*(?:Manager|Helper|Utils|Utilities)\b"),
        "name a type for what it is, not Manager, Helper or Utils",
    ),
]
UNFINISHED = re.compile(r"\b(?:TODO|FIXME|HACK|XXX)\b(?!p)")
# The distributions of this name in the registries are somebody else's; ours is installed from a file.
STRANGER = re.compile(
    r"\b(?:pip3?|pipx|uv|npm|cargo|gem|brew)\s+(?:\w+\s+)*?(?:install|add)\s+(?:[-\w=<>~'\"\[\]]+\s+)*?['\"]?inkling(?=[\[\s'\"`]|$)")


def findings(tree: Tree):
    for path in tree.files("Sources"):
        if not path.endswith((".swift", ".c", ".h")):
            continue
        if path.endswith(".swift"):
            for number, message in in_code(tree.text(path)):
                yield Finding(path, number, message)
        count = len(tree.lines(path)) - 1
        if count > NOTE_ABOVE_LINES:
            yield Finding(path, 1, f"{count} lines; a file of more than {NOTE_ABOVE_LINES} lines can usually be split", is_note=True)
    for path in tree.files("Sources", "Tests", "Specs", "Package.swift", "README.md", "CHANGELOG.md", ".github", "Makefile", ".ci"):
        # The rule and its test contain the words.
        if path.startswith("Tests/Tools/") or not is_text(path):
            continue
        for number, line in tree.lines(path):
            if UNFINISHED.search(line):
                yield Finding(path, number, "finish this work, or record it outside the code")
            if STRANGER.search(line):
                yield Finding(path, number, "installs the package `inkling` of a registry, which is not ours")


# Cached because self_test.py runs the rule many times over nearly the same files.
@cache
def in_code(text: str) -> list[tuple[int, str]]:
    lines = enumerate(blanked(text).split("\n"), 1)
    return [(number, message) for number, line in lines for pattern, message in CODE if pattern.search(line)]


def is_text(path: str) -> bool:
    return path.endswith((".swift", ".c", ".h", ".md", ".py", ".sh", ".dict", "Makefile")) or path.startswith(".ci/")
