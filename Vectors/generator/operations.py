"""The register of shim operations: what each takes, what it answers, and its function.

A module that defines operations decorates a function for each:

    @operation("epoch", Record(unixSeconds=...), Record(epoch=..., period=...))
    def epoch(unixSeconds):
        return {...}

The function gets its arguments read and checked, and returns the result's members, or a pair of
those and the intermediates. It raises Refusal for input that must be refused.
"""

import re
from dataclasses import dataclass
from typing import Callable

from .fields import Record, refuse_argument
from .refusal import Refusal


@dataclass(frozen=True)
class Operation:
    name: str
    arguments: Record
    result: Record
    intermediates: Record | None
    refusals: tuple  # pairs of stage and reason; a stage that ends in -N stands for every number N
    # Of an operation that runs a scenario: by event, the members that a step needs and those that it may have.
    events: dict | None
    function: Callable


REGISTER: dict[str, Operation] = {}
# What any operation may refuse its arguments for.
ARGUMENT_REFUSALS = {
    ("arguments", reason)
    for reason in ("unknown-field", "missing", "wrong-type", "bad-hex", "wrong-length", "out-of-range")
}


def operation(
    name: str, arguments: Record, result: Record, *, intermediates: Record | None = None, refusals=(), events=None
):
    def register(function):
        if name in REGISTER:
            raise AssertionError(f"operation {name} is defined twice")
        REGISTER[name] = Operation(name, arguments, result, intermediates, tuple(refusals), events, function)
        return function

    return register


def read_arguments(arguments: Record, given: dict) -> dict:
    """Reads arguments in the order of the specification's table of argument refusals."""
    if any(name not in arguments.members for name in given):
        refuse_argument("unknown-field")
    if any(name not in given for name in arguments.members if name not in arguments.optional):
        refuse_argument("missing")
    return {name: field.read(given[name]) for name, field in arguments.members.items() if name in given}


def answer(name: str, given: dict) -> dict:
    """What a conforming shim answers: {"result", "intermediates"} or {"error"}."""
    chosen = REGISTER[name]
    try:
        values = chosen.function(**read_arguments(chosen.arguments, given))
    except Refusal as refusal:
        pair = (re.sub("-[1-9][0-9]*$", "-N", refusal.stage), refusal.reason)
        if pair not in chosen.refusals and pair not in ARGUMENT_REFUSALS:
            raise AssertionError(f"{name} refuses with {pair}, which it does not declare") from refusal
        return {"error": {"stage": refusal.stage, "reason": refusal.reason}}
    result, intermediates = values if isinstance(values, tuple) else (values, None)
    reply = {"result": chosen.result.write(result)}
    if chosen.intermediates is not None:
        reply["intermediates"] = chosen.intermediates.write(intermediates)
    return reply
