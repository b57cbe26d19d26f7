"""Cases of execution-window: Specs/lifecycle.md."""

import random

from ...reference.lifecycle import execution_window as model
from ...tools.family import Case, Family, argument_refusals, replaced
from .steps import INSENSITIVE, argument, numbers


def job(kind, milliseconds):
    return {"kind": kind, "milliseconds": milliseconds}


NEAT = [job("persist", 500), job("handle-event", 6_000), job("reinitialise", 1_500)]
WINDOW = {"occasion": "relaunch", "abuses": 0, "extensions": 0, "elapsed": 0, "jobs": NEAT}


def window(comment, requirements, flags=(), expected=None, **changes):
    return Case(comment, replaced(WINDOW, **changes), flags, numbers(requirements), result=expected)


def room(*jobs):
    return [{"job": number, "why": "room"} for number in jobs]


def window_cases():
    foreground = {"occasion": "leaving-foreground"}
    cases = [
        window("managers, event, what lasts", (63, 64), expected={"order": [2, 1, 0], "spent": 8_000, "refused": []}),
        window("ten seconds", (60,), expected={"budget": 10_000}),
        window("ten seconds after leaving the foreground", (60,), expected={"budget": 10_000}, **foreground),
        window("extended to thirty", (60, 61), expected={"budget": 30_000, "granted": [True]}, extensions=1),
        window(
            "extended once and not twice",
            (61,),
            expected={"budget": 30_000, "granted": [True, False, False]},
            extensions=3,
        ),
        window(
            "no extension after leaving the foreground",
            (61,),
            expected={"budget": 10_000, "granted": [False]},
            extensions=1,
            **foreground,
        ),
        window(
            "half of it is over", (60,), expected={"budget": 5_000, "order": [2, 0], "refused": room(1)}, elapsed=5_000
        ),
        window(
            "all of it is over",
            (63,),
            ("boundary",),
            {"budget": 0, "order": [], "refused": room(0, 1, 2)},
            elapsed=10_000,
        ),
        window("long over", (63,), expected={"budget": 0}, elapsed=1_000_000),
        window("a millisecond is left", (63,), ("boundary",), {"budget": 1}, elapsed=9_999),
        window("no job", (63,), expected={"order": [], "spent": 0}, jobs=[]),
        window(
            "a job of no time when nothing is left",
            (63,),
            expected={"order": [0]},
            elapsed=10_000,
            jobs=[job("persist", 0)],
        ),
        window(
            "exactly as long as the window", (63,), ("boundary",), {"order": [0]}, jobs=[job("handle-event", 10_000)]
        ),
        window(
            "a millisecond longer than the window",
            (63,),
            ("boundary",),
            {"refused": room(0)},
            jobs=[job("handle-event", 10_001)],
        ),
        window(
            "what lasts goes before the event, and is done after it",
            (63, 64),
            expected={"order": [1, 2], "refused": room(0)},
            jobs=[job("handle-event", 9_000), job("handle-event", 1_000), job("persist", 2_000)],
        ),
        window(
            "a job that does not fit leaves its room to a shorter one",
            (63,),
            expected={"order": [1], "refused": room(0)},
            jobs=[job("persist", 11_000), job("persist", 9_000)],
        ),
        window(
            "equals are done in the order of the list",
            (64,),
            expected={"order": [1, 3, 0, 2]},
            jobs=[job("persist", 1), job("handle-event", 3_000), job("persist", 2), job("handle-event", 2_000)],
        ),
    ]
    for kind in ("network", "user-interface", "computation"):
        cases.append(
            window(
                f"{kind} is refused, however short",
                (62,),
                expected={"order": [1], "refused": [{"job": 0, "why": "kind"}]},
                jobs=[job(kind, 0), job("persist", 1)],
            )
        )
    for abuses, budget in ((1, 5_000), (2, 2_500), (3, 1_250), (4, 1_250), (1_000, 1_250)):
        cases.append(window(f"after {abuses} abuses", (66,), ("boundary",), {"budget": budget}, abuses=abuses))
    cases.append(window("extended after an abuse", (61, 66), expected={"budget": 15_000}, abuses=1, extensions=1))
    dice = random.Random("execution-window")
    for number in range(20):
        jobs = [
            job(dice.choice(model.KINDS), dice.choice((0, 100, 1_000, 3_000, 4_000, 9_000)))
            for _ in range(dice.randrange(1, 12))
        ]
        cases.append(
            window(
                f"jobs at random, number {number}",
                (62, 63, 64),
                ("generated",),
                occasion=dice.choice(("relaunch", "leaving-foreground")),
                abuses=dice.choice((0, 0, 1)),
                extensions=dice.randrange(3),
                elapsed=dice.choice((0, 1_500, 9_000)),
                jobs=jobs,
            )
        )
    return cases + [
        *argument_refusals("execution-window", WINDOW),
        argument(WINDOW, "an unknown occasion", "out-of-range", occasion="boredom"),
        argument(WINDOW, "an unknown kind of job", "out-of-range", jobs=[job("coffee", 1)]),
        argument(WINDOW, "a job without a duration", "missing", jobs=[{"kind": "persist"}]),
        argument(WINDOW, "a job with a member too many", "unknown-field", jobs=[{**job("persist", 1), "name": "x"}]),
        argument(WINDOW, "a job of a million and one milliseconds", "out-of-range", jobs=[job("persist", 1_000_001)]),
        argument(WINDOW, "65 jobs", "wrong-length", jobs=[job("persist", 1)] * 65),
    ]


FAMILIES = [
    Family(
        "execution-window",
        "Specs/lifecycle.md",
        "What fits in a window of execution, in which order, and what is refused.",
        window_cases(),
        insensitive={member: INSENSITIVE for member in WINDOW},
    ),
]
