"""Steps, effects, walks and refusals for the cases of Specs/lifecycle.md."""

import random

from ...tools.family import Case, replaced
from ...tools.operations import answer


def step(at, event, **members):
    return {"at": at, "event": event, **members}


def effect(at, name, **members):
    return {"at": at, "effect": name, **members}


def numbers(requirements):
    return tuple(f"INK-LIF-{number:03}" for number in requirements)


def walk(operation, seed, make, first, choices, until_after=30_000, length=150):
    """A random scenario: the steps in `first`, then `length` more, each made by one of `choices`."""
    dice = random.Random(f"{operation} {seed}")
    steps = [dict(one) for one in first]
    at = steps[-1]["at"] if steps else 0
    for _ in range(length):
        at += dice.choice((0, 1, 50, 900, 900, 4_000, 11_000))
        event, members = dice.choice(choices)(dice)
        steps.append(step(at, event, **members))
    return make(steps, at + until_after)


def refused_steps(operation, valid, events):
    """Refused scenarios, each with one fault; the steps of `valid` must have every event of the table `events`."""

    def case(comment, error, steps, flag="refusal"):
        return Case(comment, {**valid, "steps": steps}, (flag,), ("INK-CNF-004",), error=error)

    steps = valid["steps"]
    plain = {**steps[0], "at": 0}
    cases = [
        case("an event that does not exist", ("step", "unknown-event"), [step(0, "weather")]),
        case("an event without a letter", ("step", "unknown-event"), [step(0, "")]),
        case("a moment that descends", ("step", "out-of-order"), [{**plain, "at": 1}, plain]),
        case("a member that no event has", ("arguments", "unknown-field"), [{**plain, "surplus": 1}], "argument"),
        case(
            "a step without a moment",
            ("arguments", "missing"),
            [{name: value for name, value in plain.items() if name != "at"}],
            "argument",
        ),
        case(
            "a step without an event",
            ("arguments", "missing"),
            [{name: value for name, value in plain.items() if name != "event"}],
            "argument",
        ),
        case("a step that is a list", ("arguments", "wrong-type"), [[]], "argument"),
        case("2,049 steps", ("arguments", "wrong-length"), [plain] * 2_049, "argument"),
        case("a moment before all moments", ("arguments", "out-of-range"), [{**plain, "at": -1}], "argument"),
        Case(
            "the end is before the last step",
            {**valid, "until": steps[-1]["at"] - 1},
            ("argument",),
            ("INK-CNF-004",),
            error=("arguments", "out-of-range"),
        ),
    ]
    seen = set()
    for one in steps:
        if one["event"] in seen:
            continue
        seen.add(one["event"])
        for member in events[one["event"]][0]:
            without = [
                {name: value for name, value in each.items() if each is not one or name != member} for each in steps
            ]
            cases.append(case(f"{one['event']} without {member}", ("step", "missing"), without))
    missing = set(events) - seen
    if missing:
        raise AssertionError(f"{operation}: the valid steps have no {missing}")
    return cases


def result_of(operation, args):
    return answer(operation, args)["result"]


def require(condition, what, seed):
    if not condition:
        raise AssertionError(f"walk {seed}: {what}")


INSENSITIVE = "A scenario also shows what must not matter, and not every value in it does."


def argument(valid, comment, reason, **changes):
    return Case(comment, replaced(valid, **changes), ("argument",), ("INK-CNF-004",), error=("arguments", reason))
