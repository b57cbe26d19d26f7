"""`make format` would change no Swift file, and the formatter's lint rules hold."""

import re

from tree import Finding, Tree

TITLE = "swift format lint --strict"
LINE = re.compile(r"^(?P<path>.+?):(?P<line>\d+):\d+: (?:error|warning): (?P<message>.*)$")


def findings(tree: Tree):
    places = [place for place in ("Package.swift", "Sources", "Tests") if tree.exists(place)]
    status, output = tree.run("swift", "format", "lint", "--strict", "--recursive", "--parallel", *places)
    recognised = 0
    for line in output.splitlines():
        if match := LINE.match(line):
            recognised += 1
            path = match["path"].removeprefix(f"{tree.root}/")
            yield Finding(path, int(match["line"]), f"{match['message']}; `make format` fixes most of these")
    if status != 0 and recognised == 0:
        yield Finding("Package.swift", 1, f"swift format failed: {output.strip()[-500:]}")
