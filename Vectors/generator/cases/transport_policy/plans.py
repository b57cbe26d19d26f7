"""Situations of two apps, and cases of the plans that follow from them."""

from ...tools.family import Case
from ...tools.operations import answer
from ..platforms.apps import phone

HERE = phone("18.2", "foreground")
AWAY = phone("18.2", "background")
NEW = phone("26", "foreground", "iphone-12")
# Milliseconds until a region is entered when nothing slows it down.
BEACON = 33_334


def situation(own, peer, relation, purpose, payload=0, **members):
    """The arguments of `transport-plan`; None is an unknown peer. Flags: `heard`, `sameNetwork`, `paired`."""
    flags = {name: members.pop(name, False) for name in ("heard", "sameNetwork", "paired")}
    lists = {name: members.pop(name, []) for name in ("linked", "failures", "observed")}
    if unknown := set(members) - {"deadline", "ownTransports", "peerTransports"}:
        raise AssertionError(f"unknown members of a situation: {unknown}")
    return {
        "own": own,
        **({} if peer is None else {"peer": peer}),
        "relation": relation,
        "purpose": purpose,
        "payload": payload,
        **members,
        **flags,
        **lists,
    }


def planned(
    comment, args, steps, numbers=(), refused=None, wait=None, lasts=None, directions=None, begins=None, nexts=None, flags=()
):
    """A case of `transport-plan`; throws AssertionError if the plan is not the expected one.

    `steps` has all transports of the plan in order, with the milliseconds in which they complete, or None;
    `refused` has expected numbers of refusals, `lasts`, `directions`, `begins` and `nexts` expected members of steps.
    """
    plan = answer("transport-plan", args)["result"]
    found = {step["transport"]: step for step in plan["steps"]}
    numbers_found = {refusal["transport"]: refusal["number"] for refusal in plan["refusals"]}

    def require(is_so, what):
        if not is_so:
            raise AssertionError(f"{comment}: {what}: {list(found.values())} {numbers_found} {plan.get('wait')}")

    require(list(found) == list(steps), f"expected {list(steps)}")
    for transport, completes in steps.items():
        require(completes in (None, found[transport]["completes"]), f"{transport} completes at another time")
    for transport, number in (refused or {}).items():
        require(numbers_found.get(transport) == number, f"{transport} is not refused with {number}")
    for transport, moment in (lasts or {}).items():
        require(found[transport].get("lasts") == moment, f"{transport} lasts otherwise")
    for transport, direction in (directions or {}).items():
        require(found[transport]["direction"] == direction, f"{transport} has another direction")
    for transport, moment in (begins or {}).items():
        require(found[transport]["begins"] == moment, f"{transport} begins at another time")
    for transport, follower in (nexts or {}).items():
        require(tuple(found[transport].get("next", {}).values()) == follower, f"another transport follows {transport}")
    if wait is not None:
        require((plan["wait"]["transport"], plan["wait"]["number"]) == wait, "waits for something else")
    requirements = [f"INK-TPT-{number:03}" for number in sorted({1, 2, 3, 13, *numbers})]
    return Case(comment, args, flags, tuple(requirements))


BEACON_IN_LOW_POWER = 66_667
MEGABYTE = 1_000_000


def passive(own, peer, **members):
    return situation(own, peer, "contact", "passive", **members)


def confirmed(own, peer, purpose, payload, **members):
    return situation(own, peer, "confirmed", purpose, payload, **members)
