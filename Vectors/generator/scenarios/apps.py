"""Apps, situations, and cases of plans."""

from .. import platforms, transports  # noqa: F401  (they fill the register)
from ..family import Case
from ..operations import answer

EVERYTHING = ("bluetooth", "central", "peripheral", "when-in-use", "always", "local-network")
UNLIKE_IOS = ("bluetooth", "local-network")


def app(family, version, state, *traits, met=(), without=(), low_power=False):
    met = [need for need in met if need not in without] + (["low-power"] if low_power else [])
    return {"family": family, "version": version, "traits": list(traits), "state": state, "met": met}


def phone(version, state, *traits, without=(), low_power=False):
    """An app on iOS that declares everything and is allowed everything, except `without`."""
    if "always" in without:
        without = (*without, "when-in-use")
    return app("ios", version, state, *traits, met=EVERYTHING, without=without, low_power=low_power)


def android(state, *traits, without=(), low_power=False, version="16"):
    return app("android", version, state, *traits, met=UNLIKE_IOS, without=without, low_power=low_power)


def linux(*traits, without=(), state="foreground", version="6.12"):
    return app("linux", version, state, *traits, met=UNLIKE_IOS, without=without)


HERE = phone("18.2", "foreground")
AWAY = phone("18.2", "background")
NEW = phone("26", "foreground", "iphone-12")
# How late a region is entered when nothing slows it down.
BEACON = 33_334


def situation(own, peer, relation, purpose, payload=0, **members):
    """Arguments; a peer of None is unknown. Flags are given by name: `heard`, `sameNetwork`, `paired`."""
    flags = {name: members.pop(name, False) for name in ("heard", "sameNetwork", "paired")}
    lists = {name: members.pop(name, []) for name in ("linked", "failures", "observed")}
    if unknown := set(members) - {"deadline"}:
        raise AssertionError(f"no members of a situation: {unknown}")
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
    comment, args, steps, numbers=(), refused=None, wait=None, lasts=None, directions=None, begins=None, flags=()
):
    """A case of `transport-plan`, and what its writer expects.

    `steps` are all transports of the plan in order, some with the milliseconds in which they complete;
    `refused` has numbers of refusals, `lasts`, `directions` and `begins` what is expected of some steps.
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
    if wait is not None:
        require((plan["wait"]["transport"], plan["wait"]["number"]) == wait, "waits for something else")
    requirements = [f"INK-TPT-{number:03}" for number in sorted({1, 2, 3, 13, *numbers})]
    return Case(comment, args, flags, tuple(requirements))
