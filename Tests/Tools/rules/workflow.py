"""Scripts parse and are executable, and the gate names only targets that exist."""

import re

from tree import Finding, Tree

TITLE = "scripts parse and are executable; the gate's targets exist"


def findings(tree: Tree):
    for path in tree.files(".ci", "Tests"):
        first = (tree.root / path).open("rb").readline()
        if not first.startswith(b"#!"):
            continue
        if not (tree.root / path).stat().st_mode & 0o100:
            yield Finding(path, 1, "begins with #! but is not executable: chmod +x")
        shell = re.search(rb"\b(bash|sh)\b", first)
        if shell:
            status, output = tree.run(shell[1].decode(), "-n", path)
            if status != 0:
                yield Finding(path, 1, f"does not parse: {output.strip()}")
        elif b"python3" in first:
            try:
                compile(tree.text(path), path, "exec")
            except SyntaxError as error:
                yield Finding(path, error.lineno or 1, f"does not parse: {error.msg}")
    makefile = tree.text("Makefile")
    targets = set(re.findall(r"^([a-z0-9-]+):", makefile, re.MULTILINE))
    gate = re.search(r"^GATE := ((?:.*\\\n)*.*)$", makefile, re.MULTILINE)
    words = re.split(r"[\s+\\]+", gate[1].strip()) if gate else []
    if not words:
        yield Finding("Makefile", 1, "the list GATE is empty or missing")
    for word in words:
        if word not in targets:
            yield Finding("Makefile", 1, f"the gate names {word}, which is not a target")
