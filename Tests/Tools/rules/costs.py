"""The recorded costs of the gate are within its budget, and each step has one."""

import json
import re

from tree import Finding, Tree

TITLE = "the recorded costs of the gate's steps are within the budget"
STEPS = ".ci/steps.py"
COSTS = "Tests/costs.json"
BUDGET = 1750


def steps(text: str) -> dict[str, str]:
    """The steps of `make test` in .ci/steps.py, and what each runs, as it stands there."""
    table = text[text.index("\nTEST = [") : text.index("\n]", text.index("\nTEST = ["))]
    return {re.match(r'"([a-z0-9-]+)"', row)[1]: row for row in re.split(r"\n    Step\(\s*", table)[1:]}


def findings(tree: Tree):
    costs = json.loads(tree.text(COSTS))
    if not costs:
        yield Finding(COSTS, 1, "no costs are recorded: `Tests/Tools/costs write` after a run of the gate in a clean clone", is_note=True)
        return
    names = steps(tree.text(STEPS))
    for name in sorted(set(names) - set(costs)):
        yield Finding(COSTS, 1, f"the step {name} has no recorded cost")
    for name in sorted(set(costs) - set(names)):
        yield Finding(COSTS, 1, f"there is a cost of {name}, which is no step of the gate")
    if (total := sum(costs.values())) > BUDGET:
        yield Finding(COSTS, 1, f"the gate costs {total} processor seconds of the reference, and may cost {BUDGET}")
