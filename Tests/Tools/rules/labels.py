"""The labels in the code are those in the specification, and no other file contains one."""

import re

from tree import Finding, Tree, string_literals, target_of

TITLE = "labels in Specs/keys.md and in DerivationLabels.swift are the same"

SPECIFICATION = "Specs/keys.md"
CODE = "Sources/Core/InklingKeys/DerivationLabels.swift"
HEADING = re.compile(r"^(#+)\s+(.*)$")
# The version of the specification begins like a label.
VERSION = "inkling/1-draft"
# A label and its uses, separated by semicolons.
ROW = re.compile(r"^\|\s*`([^`]+)`\s*\|([^|]*)\|")


def findings(tree: Tree):
    for path in (SPECIFICATION, CODE):
        if not tree.exists(path):
            yield Finding(path, 1, "the file of the labels is missing")
            return
    specified = specified_labels(tree)
    coded: dict[str, list[int]] = {}
    for line, label in string_literals(tree.text(CODE)):
        coded.setdefault(label, []).append(line)

    if not specified:
        yield Finding(SPECIFICATION, 1, "no table of labels: a heading with the word Labels, and rows that begin with | `label` |")
    # One label, one purpose: a second use needs a second row in the table and a second name in the code.
    for label, lines in specified.items():
        for line in lines[len(coded.get(label, [])) :]:
            yield Finding(SPECIFICATION, line, f"this use of the label `{label}` is not in {CODE}")
    for label, lines in coded.items():
        for line in lines[len(specified.get(label, [])) :] if specified else []:
            yield Finding(CODE, line, f"this use of the label `{label}` is not in the table of {SPECIFICATION}")

    # Words like `grant` or `pair-root` also name verbs and operations of the command line. So outside the targets of the
    # protocol only a label that cannot be another word counts; inside them every label with a hyphen counts.
    for path in tree.files("Sources", suffix=".swift"):
        if path == CODE:
            continue
        is_protocol = target_of(path) in ("InklingKeys", "InklingWire", "InklingEngine")
        for line, literal in string_literals(tree.text(path)):
            known = literal in coded and ("-" in literal or "/" in literal)
            unmistakable = (literal.startswith("inkling/1") and literal != VERSION) or (known and literal.endswith("-"))
            if unmistakable or (known and is_protocol):
                yield Finding(path, line, f"the label `{literal}` is written out; use DerivationLabel")


def specified_labels(tree: Tree) -> dict[str, list[int]]:
    labels: dict[str, list[int]] = {}
    level = 0
    lines = tree.lines(SPECIFICATION)
    for line, text in lines:
        if heading := HEADING.match(text):
            depth = len(heading[1])
            if re.search(r"\blabels?\b", heading[2], re.IGNORECASE):
                level = depth
            elif level and depth <= level:
                level = 0
        elif level and (row := ROW.match(text)):
            is_head = line < len(lines) and re.match(r"^\|[-| :]+\|\s*$", lines[line][1])
            if not is_head:
                labels.setdefault(row[1], []).extend([line] * len(row[2].split(";")))
    return labels
