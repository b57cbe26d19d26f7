"""The quarantine has at most ten tests, which exist, each with its cause, its date and the commit at which it failed."""

import re
from datetime import date

from coverage import swift_tests
from quarantine import LIST, entries
from tree import Finding, Tree

TITLE = "the quarantine has at most ten tests, each with cause and date"
MOST = 10
MEMBERS = {"test", "cause", "date", "commit"}


def findings(tree: Tree):
    text = tree.text(LIST)
    listed = entries(text)
    if len(listed) > MOST:
        yield Finding(LIST, 1, f"{len(listed)} tests are in quarantine; at most {MOST} may be: mend one")
    if len({entry.get("test") for entry in listed}) < len(listed):
        yield Finding(LIST, 1, "a test is listed twice")
    for entry in listed:
        test = entry.get("test", "")
        line = text.count("\n", 0, text.index(test)) + 1
        if set(entry) != MEMBERS:
            yield Finding(LIST, line, f"{test}: an entry has the members {', '.join(sorted(MEMBERS))}")
            continue
        if len(entry["cause"].split()) < 4:
            yield Finding(LIST, line, f"{test}: its cause is not described")
        if not is_date(entry["date"]):
            yield Finding(LIST, line, f"{test}: its date is no day: {entry['date']}")
        if not re.fullmatch(r"[0-9a-f]{8,40}", entry["commit"]):
            yield Finding(LIST, line, f"{test}: its commit is no commit: {entry['commit']}")
        if not exists(tree, test):
            yield Finding(LIST, line, f"{test}: there is no such test")


def is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
        return True
    except ValueError:
        return False


def exists(tree: Tree, test: str) -> bool:
    """Whether a file of the bundle declares the test, and its suite when the name has one."""
    bundle, _, rest = test.partition(".")
    path = re.findall(r"`([^`]+)`|(\w+)(?=[/(.]|$)", re.sub(r"\(.*\)$", "", rest))
    names = {quoted or plain for quoted, plain in path}
    declared = set()
    for file in tree.files(f"Tests/{bundle}", suffix=".swift"):
        text = tree.text(file)
        declared |= set(swift_tests(text).values())
        # A suite needs no attribute.
        declared |= {quoted or plain for quoted, plain in re.findall(r"\b(?:struct|enum|class|actor|extension) (?:`([^`]+)`|(\w+))", text)}
    return bool(names) and names <= declared
