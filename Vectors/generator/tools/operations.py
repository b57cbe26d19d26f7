"""The register of shim operations: arguments, result, refusals and function of each.

A model registers an operation with a decorator:

    @operation("epoch", Record(unixSeconds=...), Record(epoch=..., period=...))
    def epoch(unixSeconds):
        return {...}

The function takes parsed arguments and returns the members of the result, or a pair of the result and the
intermediates. It raises Refusal for input that must be refused.
"""

import re
from dataclasses import dataclass
from typing import Callable

from .fields import Record, read_arguments
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


def answer(name: str, given: dict) -> dict:
    """The reply of a conforming shim: {"result", "intermediates"} or {"error"}."""
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
