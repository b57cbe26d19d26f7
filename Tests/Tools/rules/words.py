"""What the sources never say: crashes on demand, unfinished work, names that say nothing; and files of a length."""

import re

from tree import Finding, Tree

TITLE = "no forced unwraps or casts, no unfinished work, no empty names"
NOTE_ABOVE_LINES = 450

# In code alone, so that a comment may speak of them.
CODE = [
    (re.compile(r"\btry!"), "`try!` crashes where an error should be handled"),
    (re.compile(r"\bas!"), "`as!` crashes where a cast should be tested"),
    (re.compile(r"(?<=[\w)\]>}])(?<!\btry)(?<!\bas)!(?![=\w])"), "a forced unwrap (or an implicitly unwrapped type)"),
    (re.compile(r"\bfatalError\b"), "`fatalError`: throw a typed error, or prove the case away with an enum"),
    (re.compile(r"\bunsafeBitCast\b"), "`unsafeBitCast`"),
    (re.compile(r"\bnonisolated\(unsafe\)"), "`nonisolated(unsafe)`: use a Mutex or an actor"),
    (
        re.compile(r"\b(?:class|struct|enum|actor|protocol)\s+\w*(?:Manager|Helper|Utils|Utilities)\b"),
        "a type is named for what it is, not Manager, Helper or Utils",
    ),
]
UNFINISHED = re.compile(r"\b(?:TODO|FIXME|HACK|XXX)\b(?!p)")
# A clock that the test moves by hand may be slept on; `setitimer` ends a process, and waits for nothing.
SLEEP = re.compile(r"(?<!clock\.)\b(?:Task\.sleep|usleep|nanosleep|sleep)\s*\(")


def findings(tree: Tree):
    for path in tree.files("Sources"):
        if not path.endswith((".swift", ".c", ".h")):
            continue
        if path.endswith(".swift"):
            for number, line in tree.code_lines(path):
                for pattern, message in CODE:
                    if pattern.search(line):
                        yield Finding(path, number, message)
        count = len(tree.lines(path)) - 1
        if count > NOTE_ABOVE_LINES:
            yield Finding(path, 1, f"{count} lines; above {NOTE_ABOVE_LINES} a file is usually two", is_note=True)
    for path in tree.files("Sources", "Tests", "Specs", "Package.swift", "README.md", "Makefile", ".ci"):
        # The rule and its own test have to spell the words.
        if path.startswith("Tests/Tools/") or not is_text(path):
            continue
        for number, line in tree.lines(path):
            if UNFINISHED.search(line):
                yield Finding(path, number, "unfinished work is finished or written up outside the code")
    for path in tree.files("Tests", suffix="Tests.swift"):
        for number, line in tree.code_lines(path):
            if SLEEP.search(line):
                yield Finding(path, number, "a test waits for an event or moves a manual clock; it does not sleep")


def is_text(path: str) -> bool:
    return path.endswith((".swift", ".c", ".h", ".md", ".py", ".sh", ".dict", "Makefile")) or path.startswith(".ci/")
