"""The recorded costs of the gate are within its budget, and each step has one."""

import json
import re

from tree import Finding, Tree

TITLE = "the recorded costs of the gate's steps are within the budget"
COSTS = "Tests/costs.json"
BUDGET = 1750


def steps(makefile: str) -> list[str]:
    """The steps of the gate."""
    gate = re.search(r"^GATE := ((?:.*\\\n)*.*)$", makefile, re.MULTILINE)
    return re.split(r"[\s+\\]+", gate[1].strip()) if gate else []


def findings(tree: Tree):
    costs = json.loads(tree.text(COSTS))
    if not costs:
        yield Finding(COSTS, 1, "no costs are recorded: make costs-write after a run of the gate in a clean clone", is_note=True)
        return
    names = steps(tree.text("Makefile"))
    for name in sorted(set(names) - set(costs)):
        yield Finding(COSTS, 1, f"the step {name} has no recorded cost")
    for name in sorted(set(costs) - set(names)):
        yield Finding(COSTS, 1, f"there is a cost of {name}, which is no step of the gate")
    if (total := sum(costs.values())) > BUDGET:
        yield Finding(COSTS, 1, f"the gate costs {total} processor seconds of the reference, and may cost {BUDGET}")
