"""Cases for the permissions of Specs/lifecycle.md."""

import random

from ...reference.lifecycle import permissions as model
from ...tools.family import Case, Family, argument_refusals, replaced
from .steps import numbers

BOTH = ["central", "peripheral"]
FULL = {
    "bluetooth": "allowed",
    "location": "always",
    "localNetwork": "allowed",
    "modes": BOTH,
    "background": True,
    "asked": False,
    "moment": "setting",
}
VALID = {"states": [FULL]}


def case(comment, requirements, *pairs, flags=()):
    """Each pair has what differs from the full state, and the expected members of the result."""
    args = {"states": [{**FULL, **changes} for changes, _ in pairs]}
    one = Case(comment, args, flags, numbers(requirements))
    answers = model.permissions([dict(state) for state in args["states"]])["answers"]
    for (_, expected), answer in zip(pairs, answers):
        for member, value in expected.items():
            if answer.get(member) != value:
                raise AssertionError(f"{comment}: {member} is {answer.get(member)}, not {value}")
    return one


def mode_cases():
    cases = [
        case("everything is allowed", (90,), ({}, {"mode": "full", "banner": None, "ask": None})),
        case("the location and one mode", (90,), ({"modes": ["central"]}, {"mode": "regions"})),
        case("the location and no mode", (90,), ({"modes": []}, {"mode": "regions"})),
        case(
            "modes without the location",
            (90, 97),
            ({"location": "denied"}, {"mode": "no-regions", "banner": "background-disabled"}),
        ),
        case(
            "no mode and no location",
            (90, 97),
            ({"location": "denied", "modes": []}, {"mode": "foreground-only", "banner": "background-disabled"}),
        ),
        case(
            "only the foreground, as chosen",
            (91,),
            ({"background": False, "location": "denied"}, {"mode": "foreground-only", "banner": None, "ask": None}),
        ),
        case(
            "Bluetooth denied",
            (90, 95),
            ({"bluetooth": "denied"}, {"mode": "network-only", "banner": "bluetooth-denied", "ask": "settings"}),
        ),
        case(
            "Bluetooth restricted, and no network",
            (90,),
            (
                {"bluetooth": "restricted", "localNetwork": "denied"},
                {"mode": "nothing", "banner": "bluetooth-restricted", "ask": None},
            ),
        ),
        case(
            "a fresh install asks nothing at launch",
            (92,),
            (
                {
                    "bluetooth": "not-determined",
                    "location": "not-determined",
                    "localNetwork": "not-determined",
                    "moment": "launch",
                },
                {"ask": None, "banner": None},
            ),
        ),
        case(
            "the two steps to the location at all times",
            (93, 94, 96, 98),
            (
                {"bluetooth": "not-determined", "location": "not-determined", "background": False, "moment": "use"},
                {"ask": "bluetooth", "mode": "network-only"},
            ),
            (
                {"location": "not-determined", "background": False, "moment": "use"},
                {"ask": None, "mode": "foreground-only", "starts": ["foreground"]},
            ),
            ({"location": "not-determined"}, {"ask": "location-when-in-use", "banner": "background-disabled"}),
            ({"location": "when-in-use"}, {"ask": "location-always", "starts": []}),
            ({"asked": True}, {"ask": None, "starts": ["regions"], "mode": "full"}),
        ),
        case(
            "asked for the location at all times before",
            (95,),
            ({"location": "when-in-use", "asked": True}, {"ask": "settings"}),
        ),
        case("the location is denied", (95,), ({"location": "denied"}, {"ask": "settings"})),
        case(
            "the location is restricted",
            (95,),
            ({"location": "restricted"}, {"ask": None, "banner": "background-disabled"}),
        ),
        case(
            "in use, the location is not asked for",
            (93,),
            ({"location": "not-determined", "moment": "use"}, {"ask": None}),
        ),
        case(
            "the network is asked for in use",
            (96,),
            ({"localNetwork": "not-determined", "moment": "use"}, {"ask": "local-network"}),
        ),
        case(
            "taken away while the app runs",
            (90, 98),
            ({}, {"mode": "full"}),
            ({"location": "when-in-use"}, {"mode": "no-regions", "stops": ["regions"]}),
            (
                {"bluetooth": "denied"},
                {
                    "mode": "network-only",
                    "stops": ["foreground", "background-scanning", "background-advertising", "restoration"],
                },
            ),
            (
                {},
                {
                    "mode": "full",
                    "starts": ["foreground", "background-scanning", "background-advertising", "restoration", "regions"],
                },
            ),
        ),
        case("no state", (90,)),
    ]
    for bluetooth in model.WORDS:
        for location in model.LOCATIONS:
            pairs = [({"bluetooth": bluetooth, "location": location, "moment": moment}, {}) for moment in model.MOMENTS]
            cases.append(case(f"Bluetooth {bluetooth}, location {location}, at each moment", (90, 92, 96), *pairs))
    for network in model.WORDS:
        pairs = [({"bluetooth": bluetooth, "localNetwork": network, "moment": "use"}, {}) for bluetooth in model.WORDS]
        cases.append(case(f"the local network {network}, under each word about Bluetooth", (90, 96), *pairs))
    for modes in ([], ["central"], ["peripheral"], BOTH):
        pairs = [
            ({"modes": modes, "location": location, "background": background}, {})
            for location in ("when-in-use", "always")
            for background in (True, False)
        ]
        cases.append(case(f"modes {' and '.join(modes) or 'none'}", (90,), *pairs))
    dice = random.Random("permissions")
    for number in range(12):
        pairs = []
        for _ in range(12):
            changes = {
                "bluetooth": dice.choice((*model.WORDS, "allowed", "allowed")),
                "location": dice.choice(model.LOCATIONS),
                "localNetwork": dice.choice(model.WORDS),
            }
            changes |= {
                "modes": dice.sample(BOTH, dice.randrange(3)),
                "background": dice.random() < 0.6,
                "asked": dice.random() < 0.5,
                "moment": dice.choice(model.MOMENTS),
            }
            pairs.append((changes, {}))
        cases.append(case(f"changes at random, number {number}", (90, 98), *pairs, flags=("generated",)))
    return cases


def refusal_cases():
    def argument(comment, reason, **changes):
        args = {"states": [{**FULL, **changes}]}
        return Case(comment, args, ("argument",), ("INK-CNF-004",), error=("arguments", reason))

    cases = [
        *argument_refusals("permissions", VALID),
        argument("an unknown word about Bluetooth", "out-of-range", bluetooth="perhaps"),
        argument("a word about Bluetooth that is only of the location", "out-of-range", bluetooth="always"),
        argument("an unknown word about the location", "out-of-range", location="allowed"),
        argument("an unknown mode", "out-of-range", modes=["audio"]),
        argument("an unknown moment", "out-of-range", moment="later"),
        argument("a flag that is a number", "wrong-type", background=1),
        argument("a member too many", "unknown-field", surplus=1),
        Case(
            "65 states",
            replaced(VALID, states=[FULL] * 65),
            ("argument",),
            ("INK-CNF-004",),
            error=("arguments", "wrong-length"),
        ),
    ]
    for member in FULL:
        incomplete = {"states": [{name: value for name, value in FULL.items() if name != member}]}
        cases.append(
            Case(
                f"a state without {member}", incomplete, ("argument",), ("INK-CNF-004",), error=("arguments", "missing")
            )
        )
    return cases


FAMILIES = [
    Family(
        "permissions",
        "Specs/lifecycle.md",
        "What is left of an app under its permissions, what to show, and what to ask next.",
        [*mode_cases(), *refusal_cases()],
        insensitive={"states": "A state also shows what must not matter, and not every value in it does."},
    )
]
