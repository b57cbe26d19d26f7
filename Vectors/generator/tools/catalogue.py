"""The list of all operations, with the type and the range of every member; Specs/operations.md is written from it."""

import json

from . import operations

# Operations of which only public vectors of other projects are kept, and no family of ours says on which page they are.
PAGE_OF_OTHERS = "Specs/noise.md"
# What every shim answers, and no module of the reference defines.
CAPABILITIES = {
    "operation": "capabilities",
    "specification": "Specs/conformance.md",
    "arguments": [],
    "result": [
        {"name": "specVersion", "kind": "text"},
        {"name": "operations", "kind": "list", "of": {"kind": "text"}},
    ],
    "refusals": [],
}
# Members that every effect of a scenario has.
OF_EVERY_EFFECT = ("at", "effect")


def content(families, files: dict[str, bytes]) -> dict:
    """The list; `files` are the vector files, by name, which show what each effect of a scenario carries."""
    pages = {family.operation: family.specification for family in families}
    described = [CAPABILITIES]
    for name, operation in operations.REGISTER.items():
        entry = {
            "operation": name,
            "specification": pages.get(name, PAGE_OF_OTHERS),
            "arguments": operation.arguments.described_members(),
            "result": operation.result.described_members(),
            "refusals": [list(pair) for pair in operation.refusals],
        }
        if operation.events is not None:
            entry["events"] = [
                {"event": event, "needs": list(needs), "may": list(may)}
                for event, (needs, may) in operation.events.items()
            ]
            cases = [case for family in families if family.operation == name for case in cases_of(family, files)]
            entry["effects"] = effects(cases)
        described.append(entry)
    return {
        "description": "Every operation of the shim: arguments in order, results, refusals beyond malformed arguments.",
        "operations": sorted(described, key=lambda entry: entry["operation"]),
    }


def cases_of(family, files):
    return json.loads(files[f"{family.name}.json"])["cases"]


def effects(cases) -> list[dict]:
    """By effect, the members that it always carries and those that it may carry, in the order in which they occur."""
    seen: dict[str, list[list[str]]] = {}
    for case in cases:
        for effect in case.get("result", {}).get("effects", []):
            members = [name for name in effect if name not in OF_EVERY_EFFECT]
            seen.setdefault(effect["effect"], []).append(members)
    found = []
    for name, carried in sorted(seen.items()):
        every = list(dict.fromkeys(member for members in carried for member in members))
        always = [member for member in every if all(member in members for members in carried)]
        found.append({"effect": name, "has": always, "may": [member for member in every if member not in always]})
    return found
