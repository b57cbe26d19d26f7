"""Links between the documents of the repository have a target."""

import re
from pathlib import PurePosixPath

from tree import Finding, Tree

TITLE = "links to files and headings have a target"
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")


def findings(tree: Tree):
    for path in tree.files("README.md", "CHANGELOG.md", "Sources", "Specs", ".github", "Tests", "Vectors", suffix=".md"):
        inside_fence = False
        for line, text in tree.lines(path):
            if text.lstrip().startswith("```"):
                inside_fence = not inside_fence
            if inside_fence:
                continue
            for match in LINK.finditer(re.sub(r"`[^`]*`", "", text)):
                yield from broken(tree, path, line, match["target"])


def broken(tree: Tree, path: str, line: int, target: str):
    if re.match(r"[a-z][a-z0-9+.-]*:", target):
        return
    file, _, fragment = target.partition("#")
    resolved = path
    if file:
        start = PurePosixPath("/" if file.startswith("/") else f"/{path}").parent
        resolved = str((tree.root / str(start).lstrip("/") / file.lstrip("/")).resolve())
        resolved = resolved.removeprefix(f"{tree.root}").lstrip("/") or "."
    if not tree.exists(resolved):
        yield Finding(path, line, f"the link {target} leads to {resolved}, which does not exist")
    elif fragment and resolved.endswith(".md") and fragment not in anchors(tree.text(resolved)):
        yield Finding(path, line, f"the link {target} names a heading that {resolved} does not have")


def anchors(text: str) -> set[str]:
    """Returns the anchors that GitHub derives from the headings."""
    found = set()
    for heading in re.findall(r"^#+\s+(.*?)\s*$", text, re.MULTILINE):
        plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        base = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        name, count = base, 0
        while name in found:
            count += 1
            name = f"{base}-{count}"
        found.add(name)
    return found
