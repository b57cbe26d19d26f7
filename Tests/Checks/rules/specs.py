"""Every specification is listed once in the index, and every entry of the index is there."""

import re

from tree import Finding, Tree

TITLE = "Specs/README.md lists every specification exactly once"
INDEX = "Specs/README.md"
# An entry of the index is a row or a list item whose first link is a file of this folder.
ENTRY = re.compile(r"^\s*(?:\||[-*]\s|\d+\.\s)[^\[\]]*\[[^\]]*\]\((?P<file>[\w.-]+\.md)(?:#[^)]*)?\)")


def findings(tree: Tree):
    present = {path.removeprefix("Specs/") for path in tree.files("Specs", suffix=".md")} - {"README.md"}
    if not tree.exists(INDEX):
        yield Finding(INDEX, 1, "the index of the specifications is missing")
        return
    listed: dict[str, int] = {}
    for line, text in tree.lines(INDEX):
        if entry := ENTRY.match(text):
            if entry["file"] in listed:
                yield Finding(INDEX, line, f"{entry['file']} is listed before, in line {listed[entry['file']]}")
            listed.setdefault(entry["file"], line)
    for name in sorted(present - set(listed)):
        yield Finding(f"Specs/{name}", 1, f"not listed in {INDEX}")
    for name in sorted(set(listed) - present):
        yield Finding(INDEX, listed[name], f"{name} is listed and does not exist")
