"""What we depend on is named exactly, with its reason, and every folder of Sources is a target."""

import re

from tree import Finding, Tree

TITLE = "dependencies are exact and have a reason; every source folder is a target"
MANIFEST = "Package.swift"


def findings(tree: Tree):
    text = tree.text(MANIFEST)
    lines = tree.lines(MANIFEST)
    for number, line in lines:
        if ".package(url:" not in line:
            continue
        statement = " ".join(text for _, text in lines[number - 1 : number + 4])
        if not re.match(r"\s*\.package\(\s*url:\s*\"[^\"]+\"\s*,\s*exact:\s*\"\d+\.\d+\.\d+\"", statement):
            yield Finding(MANIFEST, number, "a dependency is named with `exact:` and a version of three numbers")
        if not re.match(r"\s*//", lines[number - 2][1]):
            yield Finding(MANIFEST, number, "the line above a dependency is a comment that says why it is needed")
    folders = sorted(path.name for path in (tree.root / "Sources").iterdir() if path.is_dir())
    for folder in folders:
        if not re.search(rf'"(?:Sources/)?{re.escape(folder)}"', text):
            yield Finding(MANIFEST, 1, f"Sources/{folder} belongs to no target")
        if any(other != folder and other.lower() == folder.lower() for other in folders):
            yield Finding(MANIFEST, 1, f"Sources/{folder} is one folder with another where a file system ignores case")
