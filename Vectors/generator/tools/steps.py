"""Steps of a scenario: their form, and a loop that fires the timer of a machine between them."""

from .fields import Entry, Integer, ListOf, Text, refuse_argument
from .refusal import Refusal

MOMENT = Integer(0, 2_678_400_000)
REFUSALS = [("step", "missing"), ("step", "unknown-event"), ("step", "out-of-order")]


def arguments(members):
    """The arguments `steps` and `until` of an operation; `members` are the members that a step may have."""
    step = Entry(optional=members, at=MOMENT, event=Text(), **members)
    return {"steps": ListOf(step, high=2_048), "until": MOMENT}


def check(steps, until, events):
    """Refuses well-formed steps that are not a scenario; `events` has the required and optional members."""
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
    """Returns the effects of a machine, which has `take(event, members)`, `fire()`, `wake` and a list `effects`."""
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
