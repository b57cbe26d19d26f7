"""Tests/suites.json declares suites that can run, whose inputs it names, and Tests/README.md and the records agree with it."""

import json
import re

from rules.costs import STEPS, steps
from suites import DECLARATION, RECORDS, Declaration
from suites_table import PAGE, table
from tree import Finding, Tree

TITLE = "the suites can run, and their inputs, records and table agree with their declaration"
WHEN = {".ci/run", "by hand"}
MEMBERS = {"commit", "date", "machine", "speed", "processor seconds", "minutes", "seeds", "figures", "planted", "inputs"}


def findings(tree: Tree):
    text = tree.text(DECLARATION)
    declaration = Declaration(text)
    targets = set(re.findall(r"^([a-z0-9-]+):", tree.text("Makefile"), re.MULTILINE))
    for name, suite in declaration.suites.items():
        line = text.count("\n", 0, text.index(f'"{name}": {{\n      "question"')) + 1
        if suite.when not in WHEN:
            yield Finding(DECLARATION, line, f"{name} runs '{suite.when}', which is none of {', '.join(sorted(WHEN))}")
        if not suite.question.endswith("?"):
            yield Finding(DECLARATION, line, f"{name} asks no question")
        for path in suite.paths:
            if not tree.exists(path):
                yield Finding(DECLARATION, line, f"{name} depends on {path}, which does not exist")
        for program in suite.programs:
            if not tree.exists(program):
                yield Finding(DECLARATION, line, f"{name} runs {program}, which does not exist")
            if not any(program == path or program.startswith(f"{path}/") for path in suite.paths):
                yield Finding(DECLARATION, line, f"{name} runs {program}, which is below none of its paths")
        for words in (command.split() for command in suite.prepare):
            for word in words[1:] if words[0] == "make" else []:
                if "=" not in word and word not in targets:
                    yield Finding(DECLARATION, line, f"{name} needs the target {word}, which the Makefile does not have")
    for program in declaration.gate:
        if not tree.exists(program):
            yield Finding(DECLARATION, 1, f"the gate runs {program}, which does not exist")
        elif declaration.gate[program] != "make test" and not tree.exists(f"Tests/{declaration.gate[program]}.swift"):
            yield Finding(DECLARATION, 1, f"{declaration.gate[program]}, which is said to run {program}, does not exist")
        elif not runs(tree, declaration.gate[program], program):
            yield Finding(DECLARATION, 1, f"{declaration.gate[program]} does not run {program}")
    if not tree.exists(PAGE) or table(declaration, steps(tree.text(STEPS))) not in tree.text(PAGE):
        yield Finding(PAGE, 1, "the table of the suites is not that of `Tests/Tools/suite table`")
    for name, record in json.loads(tree.text(RECORDS)).items():
        if name not in declaration.suites:
            yield Finding(RECORDS, 1, f"there is a record of {name}, which is no suite")
        if set(record) != MEMBERS:
            yield Finding(RECORDS, 1, f"the record of {name} has not the members {', '.join(sorted(MEMBERS))}")


def runs(tree: Tree, place: str, program: str) -> bool:
    """Whether a step of the gate, or the test that is said to run a program, names it."""
    if place != "make test":
        return program in tree.text(f"Tests/{place}.swift")
    return any(program in row for row in steps(tree.text(STEPS)).values())
