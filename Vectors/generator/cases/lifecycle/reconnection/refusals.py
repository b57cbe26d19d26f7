"""Cases of reconnection: refused steps and arguments."""

import copy

from ....reference.lifecycle import reconnection as model
from ....tools.family import Case, argument_refusals, replaced
from ..steps import refused_steps, step
from .parts import ALL, SERVICES, on, ready, wanted

VALID = {
    "services": SERVICES,
    "pipeline": ALL,
    "steps": [
        wanted(0, known=7, last=40),
        on(1, "restored", 7, linked=True),
        ready(2),
        step(3, "unready"),
        ready(4),
        on(5, "looked-up", 7),
        on(6, "looked-up-attached", 8),
        on(7, "call-failed", 7),
        on(8, "found", 7),
        on(9, "linked", 7),
        on(10, "step-done", step="services"),
        on(11, "status-known", initialise=False),
        on(12, "step-failed", step="services"),
        on(13, "received", last=41),
        on(14, "unlinked", 7),
        step(15, "unwanted", peer=1),
    ],
    "until": 20,
}


def refusal_cases():
    def argument(comment, reason, **changes):
        return Case(comment, replaced(VALID, **changes), ("argument",), ("INK-CNF-004",), error=("arguments", reason))

    def changed(event, **members):
        return [one | members if one["event"] == event else one for one in copy.deepcopy(VALID["steps"])]

    return [
        Case("every event with every member that it may have", VALID, (), ()),
        *argument_refusals("reconnection", VALID),
        *refused_steps("reconnection", VALID, model.EVENTS),
        argument("an unknown step in the pipeline", "out-of-range", pipeline=["coffee"]),
        argument("a service without a letter", "wrong-length", services=[[""]]),
        argument("17 sets of services", "wrong-length", services=[["a"]] * 17),
        argument("a route of 2^32", "out-of-range", steps=changed("found", route=2**32)),
        argument("a known route below zero", "out-of-range", steps=changed("wanted", known=-1)),
        argument("a flag that is a number", "wrong-type", steps=changed("wanted", stable=1)),
        argument("a number of 2^64", "out-of-range", steps=changed("received", last=str(2**64))),
        argument("an unknown step done", "out-of-range", steps=changed("step-done", step="coffee")),
        argument("a member of another event", "unknown-field", steps=changed("ready", route=1)),
    ]
