"""What we depend on is a range, with its reason; every folder of Sources is a target; the trait touches few."""

import re

from tree import Finding, Tree

TITLE = "dependencies are ranges with a reason; source folders are targets; the trait touches few of them"
MANIFEST = "Package.swift"
# Only the suites of these run again with the trait, in the gate's step test-node.
TRAIT_FOLDERS = (
    "Sources/InklingCommand/", "Sources/InklingLinux/", "Tests/Rigs/network/", "Tests/Rigs/fuzzing/",
    "Tests/InklingCommandTests/", "Tests/InklingLinuxTests/",
)
# Folders of Sources that Swift does not build.
OTHER_FOLDERS = {"python"}


def findings(tree: Tree):
    text = tree.text(MANIFEST)
    lines = tree.lines(MANIFEST)
    for number, line in lines:
        if ".package(url:" not in line:
            continue
        statement = " ".join(text for _, text in lines[number - 1 : number + 4])
        if not re.match(r"\s*\.package\(\s*url:\s*\"[^\"]+\"\s*,\s*\.upToNextMinor\(from:\s*\"\d+\.\d+\.\d+\"\)", statement):
            yield Finding(MANIFEST, number, "a dependency is a range: `.upToNextMinor(from:)` and a version of three numbers")
        if not re.match(r"\s*//", lines[number - 2][1]):
            yield Finding(MANIFEST, number, "the line above a dependency is a comment that says why it is needed")
    folders = sorted(path.name for path in (tree.root / "Sources").iterdir() if path.is_dir() and path.name not in OTHER_FOLDERS)
    for folder in folders:
        if not re.search(rf'"(?:Sources/)?{re.escape(folder)}"', text):
            yield Finding(MANIFEST, 1, f"Sources/{folder} belongs to no target")
        if any(other != folder and other.lower() == folder.lower() for other in folders):
            yield Finding(MANIFEST, 1, f"Sources/{folder} is one folder with another where a file system ignores case")
    for path in tree.files("Sources", "Tests", suffix=".swift"):
        if path.startswith(TRAIT_FOLDERS):
            continue
        for number, line in tree.lines(path):
            if re.match(r"\s*#(if|elseif)\b.*\bNode\b", line):
                yield Finding(path, number, "the trait Node is asked for outside the targets whose tests run with it")
