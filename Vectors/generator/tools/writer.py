"""Converts families to vector files, and checks the results against what the cases expect."""

import json

from . import operations
from .family import NOTES, Family


def file_of(family: Family) -> dict:
    cases = []
    used = set()
    for number, case in enumerate(family.cases, 1):
        identifier = f"{family.name}-{number:04}"
        reply = operations.answer(family.operation, case.args)
        check_expectation(identifier, case, reply)
        used.update(case.flags)
        cases.append(
            {
                "id": identifier,
                "comment": case.comment,
                "flags": sorted(case.flags),
                "requirements": list(case.requirements),
                "args": case.args,
                **reply,
            }
        )
    notes = {**NOTES, **family.notes}
    header = {
        "schema": f"schema/{family.name}.schema.json",
        "specification": family.specification,
        "operation": family.operation,
        "description": family.description,
        "caseCount": len(cases),
        "notes": {flag: notes[flag] for flag in sorted(used)},
    }
    if family.insensitive:
        header["insensitive"] = family.insensitive
    return {**header, "cases": cases}


def check_expectation(identifier: str, case, reply: dict):
    if case.error is not None:
        expected = {"error": {"stage": case.error[0], "reason": case.error[1]}}
        if reply != expected:
            raise AssertionError(f"{identifier} ({case.comment}): expected {case.error}, got {reply}")
    elif "error" in reply:
        raise AssertionError(f"{identifier} ({case.comment}): refused with {reply['error']}")
    for member, value in (case.result or {}).items():
        if reply["result"][member] != value:
            raise AssertionError(f"{identifier} ({case.comment}): {member} is {reply['result'][member]}, not {value}")


def text_of(content: dict) -> bytes:
    """The text of a file, with one line for each case or operation so that a diff shows what has changed."""
    entries = next((key for key in ("cases", "operations") if key in content), None)
    if entries is None:
        return (json.dumps(content, indent=2) + "\n").encode("ascii")
    header = {key: value for key, value in content.items() if key != entries}
    start = json.dumps(header, indent=2)[:-2]
    lines = ",\n".join("    " + json.dumps(entry) for entry in content[entries])
    return f'{start},\n  "{entries}": [\n{lines}\n  ]\n}}\n'.encode("ascii")
