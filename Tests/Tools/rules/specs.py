"""The index lists every specification once, every vector file is named on its page, and the page of the operations agrees
with the list of operations."""

import json
import re

import operations
from tree import Finding, Tree

TITLE = "Specs/README.md lists every specification once, pages name every vector file, and operations.md is current"
INDEX = "Specs/README.md"
FAMILIES = "Specs/conformance.md"
PROFILES = "Sources/Kit/InklingConformance/ConformanceProfile.swift"
VERSION = "Sources/Program/InklingTerminal/VERSION"
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
                yield Finding(INDEX, line, f"{entry['file']} is already listed in line {listed[entry['file']]}")
            listed.setdefault(entry["file"], line)
    for name in sorted(present - set(listed)):
        yield Finding(f"Specs/{name}", 1, f"not listed in {INDEX}")
    for name in sorted(set(listed) - present):
        yield Finding(INDEX, listed[name], f"{name} is listed and does not exist")
    if tree.exists(VERSION) and f"| version of the draft | {tree.text(VERSION).strip()} |" not in tree.text(INDEX):
        yield Finding(INDEX, 1, f"the version of the draft is not that of {VERSION}")
    yield from vector_findings(tree)
    yield from profile_findings(tree)
    yield from operations.findings(tree)


def profile_findings(tree: Tree):
    """Compares the profiles of operations in the table of families and in the code."""
    if not tree.exists(FAMILIES) or not tree.exists(PROFILES):
        return
    written = {}
    for line, text in tree.lines(FAMILIES):
        if row := re.match(r"\| `[\w-]+` \| `([\w-]+)` \| `(\w+)` \| [\w-]+\.md \|$", text):
            written[row[1]] = (row[2], line)
    lists = re.findall(r"\.(core|node|platforms): \[(.*?)\]", tree.text(PROFILES), re.DOTALL)
    coded = {name: profile for profile, names in lists for name in re.findall(r'"([\w-]+)"', names)}
    for name, (profile, line) in written.items():
        if coded.get(name) != profile:
            yield Finding(FAMILIES, line, f"{name} has the profile {profile} here and {coded.get(name) or 'none'} in {PROFILES}")
    for name in sorted(set(coded) - set(written)):
        yield Finding(PROFILES, 1, f"{name} is in no row of {FAMILIES}")


def vector_findings(tree: Tree):
    """A vector file is named on its page, its family in the list of families, and pages name only files that exist."""
    families = {match[1]: match[2] for match in re.finditer(
        r"^\| `([\w-]+)` \| .* \| ([\w-]+\.md) \|$", tree.text(FAMILIES) if tree.exists(FAMILIES) else "", re.MULTILINE
    )}
    files = [path for path in tree.files("Vectors", suffix=".json") if "/schema/" not in path]
    pages = list(tree.files("Specs", suffix=".md"))
    for path in files:
        try:
            page = json.loads(tree.text(path)).get("specification", "")
        except (ValueError, AttributeError):
            continue
        name = path.rsplit("/", 1)[1].removesuffix(".json")
        named = f"`{name}.json`" if "/external/" in path else f"`{path}`"
        if page not in pages or named not in tree.text(page):
            yield Finding(path, 1, f"not named in {page or 'any page'}")
        if "/external/" not in path and families.pop(name, None) != page.removeprefix("Specs/"):
            yield Finding(path, 1, f"no row of {FAMILIES} gives its family to {page}")
    for name in sorted(families):
        yield Finding(FAMILIES, 1, f"there is no file for the family {name}")
    for page in pages:
        for line, text in tree.lines(page):
            for match in re.finditer(r"`(Vectors/[\w/-]+\.json)`", text):
                if not tree.exists(match[1]):
                    yield Finding(page, line, f"there is no file {match[1]}")
