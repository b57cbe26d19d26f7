"""Steps of a lifecycle machine: their form, and a clock that fires the machine's timer between them."""

from .fields import Entry, Integer, ListOf, Text, refuse_argument
from .refusal import Refusal

MOMENT = Integer(0, 2_678_400_000)
REFUSALS = [("step", "missing"), ("step", "unknown-event"), ("step", "out-of-order")]


def arguments(members):
    """The arguments `steps` and `until` of an operation whose steps may have these members."""
    step = Entry(optional=members, at=MOMENT, event=Text(), **members)
    return {"steps": ListOf(step, high=2_048), "until": MOMENT}


def check(steps, until, events):
    """Refuses steps that are well-formed objects and no scenario; `events` has the needed and the optional members."""
    before = 0
    for step in steps:
        if step["event"] not in events:
            raise Refusal("step", "unknown-event")
        needed, optional = events[step["event"]]
        if any(name not in ("at", "event", *needed, *optional) for name in step):
            refuse_argument("unknown-field")
        if any(name not in step for name in needed):
            raise Refusal("step", "missing")
        if step["at"] < before:
            raise Refusal("step", "out-of-order")
        before = step["at"]
    if until < before:
        refuse_argument("out-of-range")


def run(machine, steps, until):
    """The effects of a machine that has `take(event, members)`, `fire()`, `wake` and a list `effects`."""
    for step in steps:
        members = dict(step)
        at, event = members.pop("at"), members.pop("event")
        wait(machine, at)
        machine.now = at
        machine.take(event, members)
    wait(machine, until + 1)
    return machine.effects


def wait(machine, before):
    while machine.wake is not None and machine.wake < before:
        machine.now = machine.wake
        machine.fire()
