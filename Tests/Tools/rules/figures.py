"""The table of figures of reliability has all 28, and every command in it exists."""

import re

from tree import Finding, Tree

TITLE = "the table of figures is whole, and its commands exist"
TABLE = "Tests/Rigs/figures/figures.md"
COUNT = 28
STATES = {"shown", "in part", "missed", "not shown"}


def findings(tree: Tree):
    targets = set(re.findall(r"^([a-z0-9-]+):", tree.text("Makefile"), re.MULTILINE))
    expected = 1
    for number, line in tree.lines(TABLE):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not re.fullmatch(r"\d+", cells[0]):
            continue
        if len(cells) != 8:
            yield Finding(TABLE, number, f"a row has 8 cells, this one has {len(cells)}")
            continue
        figure, _, _, state, commands, value, measured, remark = cells
        if int(figure) != expected:
            yield Finding(TABLE, number, f"figure {figure} stands where {expected} belongs")
        expected = int(figure) + 1
        if state not in STATES:
            yield Finding(TABLE, number, f"'{state}' is none of {', '.join(sorted(STATES))}")
        if state != "shown" and not remark:
            yield Finding(TABLE, number, f"a figure that is {state} needs its reason")
        if state in ("shown", "missed") and not (commands and value and measured):
            yield Finding(TABLE, number, f"a figure that is {state} needs a command, a value, and where and when it was measured")
        if value and not re.search(r"\b20\d\d-\d\d-\d\d\b", measured):
            yield Finding(TABLE, number, "a measured value needs its date")
        for command in re.findall(r"`([^`]+)`", commands):
            made = re.fullmatch(r"make ([a-z0-9-]+)(?: [A-Z]+=\w+)*", command)
            if made and made[1] not in targets:
                yield Finding(TABLE, number, f"the Makefile has no target {made[1]}")
            elif not made and not (tree.root / command.split()[0]).is_file():
                yield Finding(TABLE, number, f"{command.split()[0]} is missing")
    if expected != COUNT + 1:
        yield Finding(TABLE, 1, f"the table ends before figure {COUNT}")
