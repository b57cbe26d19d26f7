"""Scripts parse and are executable, and the steps of the gate name only programs that exist."""

import re

from tree import Finding, Tree

STEPS = ".ci/steps.py"
TITLE = "scripts parse and are executable; the gate's programs exist"


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
    yield from gate(tree)


def gate(tree: Tree):
    """The steps are read as text: a tree with a planted violation is not run."""
    text = tree.text(STEPS)
    names = re.findall(r'Step\(\s*"([a-z0-9-]+)"', text)
    if not names:
        yield Finding(STEPS, 1, "there is no step")
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield Finding(STEPS, 1, f"two steps are named {name}")
    for number, line in tree.lines(STEPS):
        for program in re.findall(r"(?<![\w./-])(?:Tests|\.ci)/[\w./-]+", line.split("#")[0]):
            if not (tree.root / program).exists():
                yield Finding(STEPS, number, f"{program} is missing")
