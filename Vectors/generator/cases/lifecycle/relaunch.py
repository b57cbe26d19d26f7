"""Cases for the relaunch rules of Specs/lifecycle.md."""

import itertools

from ...reference.lifecycle import relaunch as rules
from ...tools.family import Case, Family, argument_refusals, replaced

VALID = {
    "version": 18,
    "fate": "removed",
    "changes": [],
    "modes": ["central", "peripheral"],
    "identifier": True,
    "always": True,
    "hours": 0,
    "pending": ["scanning"],
    "event": "match-discovered",
}
YES, NO, ACTIVE = "relaunched", "no", "activated"

# The tables of QA1962 and TN3115 as published: the values for iOS 10, for iOS 11, and those of TN3115.
TABLES = [
    ("app suspended in memory", {"fate": "suspended"}, (ACTIVE, ACTIVE, ACTIVE), (1,)),
    ("app removed from memory", {"fate": "removed"}, (YES, YES, YES), (1,)),
    ("app crashed", {"fate": "crashed"}, (YES, YES, YES), (1,)),
    ("app force quit by the user", {"fate": "force-quit"}, (NO, NO, NO), (1,)),
    ("Bluetooth toggled in Settings", {"changes": ["bluetooth-by-settings"]}, (NO, NO, NO), (1,)),
    ("Bluetooth toggled in Control Center", {"changes": ["bluetooth-by-control-center"]}, (NO, NO, NO), (1,)),
    ("airplane mode that toggles Bluetooth", {"changes": ["bluetooth-by-airplane-mode"]}, (NO, NO, NO), (1, 4)),
    ("airplane mode that leaves Bluetooth alone", {"changes": ["airplane-mode"]}, (NO, YES, YES), (1, 4)),
    ("device restarted and unlocked", {"changes": ["restarted"]}, (NO, YES, YES), (1, 3)),
    ("device restarted and locked", {"changes": ["restarted-locked"]}, (NO, NO, NO), (1, 3)),
]


def case(comment, requirements, expected=None, flags=(), **changes):
    numbers = tuple(f"INK-LIF-{number:03}" for number in requirements)
    return Case(comment, replaced(VALID, **changes), flags, numbers, result=expected)


def table_cases():
    cases = []
    for row, changes, outcomes, requirements in TABLES:
        for version, column, outcome in zip((10, 11, 18), rules.COLUMNS, outcomes):
            expected = {"outcome": outcome, "column": column}
            cases.append(case(f"iOS {version}: {row}", (2, *requirements), expected, version=version, **changes))
    for version, column in ((1, "ios-10"), (9, "ios-10"), (14, "ios-11"), (15, "current"), (26, "current")):
        cases.append(case(f"the column of iOS {version}", (2,), {"column": column}, ("boundary",), version=version))
    return cases


def event_cases():
    """Each event for an app that waits for everything, for nothing, and for each subject alone."""
    cases = []
    for event in rules.EVENTS:
        requirements = (8,) if event in rules.REGION else (6,) if event not in rules.AWAITED else (5,)
        everything = {"pending": list(rules.PENDING), "event": event}
        cases.append(case(f"{event}, waiting for everything", requirements, None, **everything))
        cases.append(case(f"{event}, waiting for nothing", (5,), {"outcome": NO}, pending=[], event=event))
    for event, (awaited, mode) in rules.AWAITED.items():
        for pending in rules.PENDING:
            outcome = YES if pending in awaited else NO
            cases.append(
                case(f"{event}, waiting for {pending}", (5,), {"outcome": outcome}, pending=[pending], event=event)
            )
        everything = {"pending": list(rules.PENDING), "event": event}
        other = "peripheral" if mode == "central" else "central"
        cases.append(case(f"{event} with the mode {mode} alone", (1,), {"outcome": YES}, modes=[mode], **everything))
        missing = {"outcome": NO, "rule": "mode-missing"}
        cases.append(case(f"{event} without the mode {mode}", (1,), missing, modes=[other], **everything))
    for version in (10, 11, 14, 15):
        outcome = YES if version == 15 else NO
        advertising = {"pending": ["advertising"], "event": "central-subscribed", "version": version}
        cases.append(
            case(f"iOS {version}: a subscription while advertising", (7,), {"outcome": outcome}, **advertising)
        )
    return cases


def other_cases():
    cases = [
        case("two hours later", (9,), {"outcome": YES}, ("boundary",), hours=2),
        case("three hours later", (9,), {"outcome": NO, "rule": "hours"}, ("boundary",), hours=3),
        case("suspended for a day", (9,), {"outcome": ACTIVE}, hours=24, fate="suspended"),
        case("restarted a day ago", (9,), {"outcome": NO, "rule": "hours"}, hours=24, changes=["restarted"]),
        case("after a reset of Bluetooth", (9,), {"outcome": NO}, changes=["bluetooth-reset"]),
        case("no restoration identifier", (1,), {"rule": "identifier-missing"}, identifier=False),
        case("suspended needs no identifier", (1,), {"outcome": ACTIVE}, identifier=False, fate="suspended"),
        case(
            "suspended, then restarted",
            (1, 3),
            {"outcome": YES, "rule": "restarted"},
            fate="suspended",
            changes=["restarted"],
        ),
        case(
            "force-quit comes before everything",
            (1,),
            {"rule": "force-quit"},
            fate="force-quit",
            changes=list(rules.CHANGES),
        ),
        case(
            "toggled comes before reset and restart", (1,), {"rule": "bluetooth-toggled"}, changes=list(rules.CHANGES)
        ),
        case(
            "locked comes before the event", (3,), {"rule": "locked"}, changes=["restarted-locked"], event="time-passed"
        ),
        case("no background mode at all", (1,), {"rule": "mode-missing"}, modes=[]),
        case(
            "crashed, and airplane mode", (1, 4), {"rule": "airplane-mode"}, fate="crashed", changes=["airplane-mode"]
        ),
        case("airplane mode and a restart", (1, 4), {"rule": "restarted"}, changes=["airplane-mode", "restarted"]),
    ]
    region = {"event": "region-entered", "pending": ["monitoring"]}
    for fate, outcome in (("suspended", ACTIVE), ("removed", YES), ("crashed", YES), ("force-quit", NO)):
        cases.append(case(f"a region, {fate}", (8,), {"outcome": outcome}, fate=fate, **region))
    for changes in rules.CHANGES:
        cases.append(case(f"a region after {changes}", (8,), None, changes=[changes], **region))
    cases += [
        case("a region without permission", (8,), {"rule": "region-permission"}, always=False, **region),
        case("a region needs no background mode", (8,), {"outcome": YES}, modes=[], **region),
        case("a region needs no restoration identifier", (8,), {"outcome": YES}, identifier=False, **region),
        case("a region after a day", (8,), {"outcome": YES}, hours=24, **region),
        case("a region that is not monitored", (8,), {"rule": "not-pending"}, event="region-exited"),
        case(
            "a region, suspended and restarted",
            (8,),
            {"outcome": YES},
            fate="suspended",
            changes=["restarted"],
            **region,
        ),
    ]
    pairs = itertools.combinations(rules.CHANGES, 2)
    for number, (one, other) in enumerate(pairs):
        version = (10, 12, 17)[number % 3]
        fate = ("suspended", "removed", "crashed")[number // 3 % 3]
        cases.append(
            case(
                f"iOS {version}: {fate}, {one} and {other}",
                (1,),
                None,
                version=version,
                fate=fate,
                changes=[one, other],
            )
        )
    return cases


def refusal_cases():
    def argument(comment, reason, **changes):
        return Case(comment, replaced(VALID, **changes), ("argument",), ("INK-CNF-004",), error=("arguments", reason))

    return [
        *argument_refusals("relaunch", VALID),
        argument("an unknown fate", "out-of-range", fate="asleep"),
        argument("an unknown change", "out-of-range", changes=["eclipse"]),
        argument("a change that is a number", "wrong-type", changes=[7]),
        argument("an unknown mode", "out-of-range", modes=["audio"]),
        argument("something unknown pending", "out-of-range", pending=["listening"]),
        argument("an unknown event", "out-of-range", event="weather"),
        argument("65 times pending", "wrong-length", pending=["scanning"] * 65),
        argument("pending that is no list", "wrong-type", pending="scanning"),
    ]


FAMILIES = [
    Family(
        "relaunch",
        "Specs/lifecycle.md",
        "Whether the system relaunches an app for an event, by which rule, and what the app may do next.",
        [*table_cases(), *event_cases(), *other_cases(), *refusal_cases()],
        insensitive={
            member: "The first rule that applies decides, and most of a situation does not matter to it."
            for member in VALID
        },
    )
]
