"""Cases for the windows, checkpoints and regions of Specs/lifecycle.md."""

import random

from ..family import Case, Family, argument_refusals, replaced
from ..lifecycle import windows as model
from ..scenarios.lifecycle import effect, numbers, refused_steps, step, walk

INSENSITIVE = "A scenario also shows what must not matter, and not every value in it does."
LAST = 2**64 - 1


def argument(valid, comment, reason, **changes):
    return Case(comment, replaced(valid, **changes), ("argument",), ("INK-CNF-004",), error=("arguments", reason))


# Windows


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


# Checkpoints


def written(number):
    """A number as an argument has it."""
    return number if isinstance(number, str) or number < 2**53 else str(number)


def record(number):
    return {"kind": "record", "number": written(number)}


def marker(number):
    return {"kind": "marker", "number": written(number)}


def got(at, *sequence):
    return [step(at, "received", number=written(number)) for number in sequence]


def wrote(at, *sequence):
    return [effect(at, "write", number=str(number)) for number in sequence]


def journal_case(comment, requirements, journal, steps=(), verdict=None, effects=None, flags=()):
    expected = {}
    if verdict is not None:
        kind, *number = verdict
        expected["start"] = {"verdict": kind, **({"number": str(number[0])} if number else {})}
    if effects is not None:
        expected["effects"] = effects
    args = {"journal": journal, "steps": list(steps), "until": 10_000}
    return Case(comment, args, flags, numbers(requirements), result=expected)


def asks(at, after):
    return effect(at, "replay", number=str(after))


def begins_flush(at):
    return [effect(at, "begin-task"), effect(at, "flush")]


def marks(at, number):
    return effect(at, "write-marker", number=str(number))


CHECKPOINT = {
    "journal": [record(1), marker(1)],
    "steps": [
        *got(0, 2),
        step(1, "left-foreground"),
        step(2, "flushed"),
        step(3, "marker-written"),
        step(4, "expired"),
    ],
    "until": 5,
}


def checkpoint_cases():
    leave, flushed, marked = step(10, "left-foreground"), step(20, "flushed"), step(30, "marker-written")
    end = effect(30, "end-task")
    cases = [
        journal_case("no journal", (73,), [], verdict=("empty",)),
        journal_case("flushed and marked", (73,), [record(1), record(2), marker(2)], verdict=("complete", 2)),
        journal_case("no marker", (73,), [record(1), record(2)], verdict=("incomplete", 2)),
        journal_case("records after the marker", (73,), [record(1), marker(1), record(2)], verdict=("incomplete", 2)),
        journal_case(
            "a record between the flush and the marker",
            (72, 73),
            [record(1), record(2), marker(1)],
            verdict=("incomplete", 2),
        ),
        journal_case("a gap", (73,), [record(1), record(2), record(5), marker(2)], verdict=("incomplete", 2)),
        journal_case(
            "a gap that was filled later",
            (73,),
            [record(1), record(4), record(3), record(2), marker(4)],
            verdict=("complete", 4),
        ),
        journal_case("a marker alone", (73,), [marker(7)], verdict=("complete", 7)),
        journal_case("a marker vouches for a gap", (73,), [record(1), record(5), marker(5)], verdict=("complete", 5)),
        journal_case("an older marker behind a newer one", (73,), [marker(7), marker(3)], verdict=("incomplete", 7)),
        journal_case(
            "records that begin in the middle", (73,), [record(500), record(501)], verdict=("incomplete", 501)
        ),
        journal_case(
            "the last number of all",
            (73,),
            [record(LAST), marker(LAST)],
            verdict=("complete", LAST),
            flags=("boundary",),
        ),
        journal_case(
            "a marker for the last number of all, and a record behind a gap",
            (73,),
            [record(1), record(LAST), marker(LAST - 1)],
            verdict=("incomplete", LAST),
            flags=("boundary",),
        ),
        journal_case("records are written as they come", (70,), [], got(0, 1, 2, 3), effects=wrote(0, 1, 2, 3)),
        journal_case(
            "leaving the foreground: flush, marker, end",
            (70, 71, 72),
            [],
            [*got(0, 1, 2), leave, flushed, marked],
            effects=[*wrote(0, 1, 2), *begins_flush(10), marks(20, 2), end],
        ),
        journal_case(
            "a record during the flush is not in the marker, and needs the next one",
            (72,),
            [],
            [*got(0, 1), leave, *got(11, 2), flushed, marked, step(40, "left-foreground"), step(50, "flushed")],
            effects=[
                *wrote(0, 1),
                *begins_flush(10),
                *wrote(11, 2),
                marks(20, 1),
                end,
                *begins_flush(40),
                marks(50, 2),
            ],
        ),
        journal_case(
            "a record while the marker is written",
            (72,),
            [],
            [*got(0, 1), leave, flushed, *got(25, 2), marked, step(40, "left-foreground")],
            effects=[*wrote(0, 1), *begins_flush(10), marks(20, 1), *wrote(25, 2), end, *begins_flush(40)],
        ),
        journal_case("leaving with nothing received", (71,), [], [leave, flushed, marked], effects=[]),
        journal_case("leaving with nothing new", (71,), [record(1), marker(1)], [leave], effects=[]),
        journal_case(
            "leaving after a run that ended badly",
            (71,),
            [record(1)],
            [leave, flushed, marked],
            effects=[*begins_flush(10), marks(20, 1), end],
        ),
        journal_case(
            "leaving twice",
            (71,),
            [],
            [*got(0, 1), leave, leave, flushed, marked],
            effects=[*wrote(0, 1), *begins_flush(10), marks(20, 1), end],
        ),
        journal_case(
            "the time ends during the flush",
            (76,),
            [],
            [*got(0, 1), leave, step(15, "expired"), flushed, marked, step(40, "left-foreground")],
            effects=[*wrote(0, 1), *begins_flush(10), effect(15, "end-task"), *begins_flush(40)],
        ),
        journal_case(
            "the time ends while the marker is written",
            (76,),
            [],
            [*got(0, 1), leave, flushed, step(25, "expired"), marked, step(40, "left-foreground")],
            effects=[*wrote(0, 1), *begins_flush(10), marks(20, 1), effect(25, "end-task"), *begins_flush(40)],
        ),
        journal_case("the time ends and nothing runs", (76,), [], [step(0, "expired")], effects=[]),
        journal_case("the same record again", (74,), [record(1)], got(0, 1, 2, 2, 1), effects=wrote(0, 2)),
        journal_case(
            "a gap is asked for once, and again when there is a new one",
            (74, 75),
            [record(1)],
            got(0, 3, 4, 2, 6, 4, 5, 6, 7),
            effects=[*wrote(0, 3), asks(0, 1), *wrote(0, 4, 2, 6), asks(0, 4), *wrote(0, 5, 7)],
        ),
        journal_case(
            "a gap in the journal is not asked for again",
            (75,),
            [record(1), record(3)],
            got(0, 4, 2, 6),
            effects=[*wrote(0, 4, 2, 6), asks(0, 4)],
        ),
        journal_case(
            "a gap at the marker",
            (72, 75),
            [],
            [*got(0, 1, 3), leave, flushed, marked, step(40, "left-foreground")],
            effects=[*wrote(0, 1, 3), asks(0, 1), *begins_flush(10), marks(20, 1), end],
        ),
        journal_case(
            "1,024 records wait behind a gap, which then is filled",
            (77,),
            [record(0)],
            [*got(0, *range(2, 1_026)), *got(5, 1, 1_026)],
            effects=[*wrote(0, 2), asks(0, 0), *wrote(0, *range(3, 1_026)), *wrote(5, 1, 1_026)],
            flags=("boundary",),
        ),
        journal_case(
            "the 1,025th record behind a gap: the gap is given up",
            (77,),
            [record(0)],
            [*got(0, *range(2, 1_027)), *got(5, 1, 1_027)],
            effects=[
                *wrote(0, 2),
                asks(0, 0),
                *wrote(0, *range(3, 1_027)),
                effect(0, "give-up", number="0", before="2"),
                *wrote(5, 1_027),
            ],
            flags=("boundary",),
        ),
        journal_case(
            "a gap is given up, and there is another one behind it",
            (75, 77),
            [record(0)],
            [*got(0, *range(2, 1_026)), *got(5, 2_000, 1_026)],
            effects=[
                *wrote(0, 2),
                asks(0, 0),
                *wrote(0, *range(3, 1_026)),
                *wrote(5, 2_000),
                effect(5, "give-up", number="0", before="2"),
                asks(5, 1_025),
                *wrote(5, 1_026),
            ],
        ),
        journal_case(
            "a gap in a journal that is given up",
            (73, 77),
            [record(0), *(record(number) for number in range(2, 1_027))],
            verdict=("incomplete", 1_026),
            flags=("boundary",),
        ),
        journal_case(
            "the last numbers of all",
            (74,),
            [],
            got(0, LAST - 1, LAST, LAST),
            effects=wrote(0, LAST - 1, LAST),
            flags=("boundary",),
        ),
    ]

    def choice(dice):
        if dice.random() < 0.7:
            return "received", {"number": dice.randrange(40)}
        return (
            dice.choice(("left-foreground", "left-foreground", "flushed", "flushed", "marker-written", "expired")),
            {},
        )

    for seed in range(12):
        dice = random.Random(f"journal {seed}")
        journal = [dice.choice((record, record, marker))(dice.randrange(12)) for _ in range(dice.randrange(8))]
        args = walk(
            "checkpoint",
            seed,
            lambda steps, until, journal=journal: {"journal": journal, "steps": steps, "until": until},
            [],
            [choice],
            length=60,
        )
        cases.append(Case(f"a walk at random, number {seed}", args, ("generated",), numbers((71, 73, 74))))
    return cases + [
        Case("every event", CHECKPOINT, (), ()),
        *argument_refusals("checkpoint", CHECKPOINT),
        *refused_steps("checkpoint", CHECKPOINT, model.CHECKPOINT_EVENTS),
        argument(CHECKPOINT, "an unknown kind of entry", "out-of-range", journal=[{"kind": "note", "number": 1}]),
        argument(CHECKPOINT, "an entry without a number", "missing", journal=[{"kind": "record"}]),
        argument(CHECKPOINT, "an entry of 2^64", "out-of-range", journal=[record(str(2**64))]),
        argument(CHECKPOINT, "4,097 entries", "wrong-length", journal=[record(1)] * 4_097),
        argument(CHECKPOINT, "a record of 2^64", "out-of-range", steps=got(0, str(2**64))),
    ]


# Regions

EVERY, EXACT = {"region": 1}, {"region": 2, "minor": 4_711}


def entered(at, region=1):
    return step(at, "entered", region=region)


def exited(at, region=1):
    return step(at, "exited", region=region)


def ranged(at, *minors, region=1):
    return step(at, "ranged", region=region, minors=list(minors))


def woke(at, *regions):
    return step(at, "display-woke", regions=list(regions))


def foreground(at, is_so):
    return step(at, "foreground", foreground=is_so)


def opens(at):
    return effect(at, "open-window")


def starts(at, region=1):
    return effect(at, "start-ranging", region=region)


def stops(at, region=1):
    return effect(at, "stop-ranging", region=region)


def identifies(at, *minors, region=1):
    return effect(at, "identify", region=region, minors=list(minors))


def left(at, region=1):
    return effect(at, "left", region=region)


def region_case(comment, requirements, steps, effects, inside, flags=(), monitored=(EVERY, EXACT), is_foreground=False):
    args = {"monitored": list(monitored), "foreground": is_foreground, "steps": steps, "until": 100_000}
    # An entry leads to ranging or to the look-up of a minor, which is evidence like any other, and to no recognition.
    entry = ("INK-APL-025",) if 82 in requirements or 83 in requirements else ()
    return Case(comment, args, flags, (*numbers(requirements), *entry), result={"effects": effects, "inside": inside})


REGIONS = {
    "monitored": [EVERY, EXACT],
    "foreground": False,
    "steps": [
        entered(0),
        ranged(1, 7),
        step(2, "ranging-failed", region=1),
        woke(3, 1, 2),
        step(4, "window-ended"),
        foreground(5, True),
        exited(6),
    ],
    "until": 10,
}


def region_cases():
    cases = [
        region_case(
            "an entry: a window, ranging, and each minor once and at once",
            (81, 82, 84, 86),
            [entered(0), ranged(1_000, 9, 7, 9), ranged(2_000, 7, 8), ranged(3_500, 5)],
            [opens(0), starts(0), identifies(1_000, 7, 9), identifies(2_000, 8), stops(3_000)],
            [1],
        ),
        region_case(
            "an entry into a region of one minor",
            (83,),
            [entered(0, 2), ranged(1, 4_711, region=2)],
            [opens(0), identifies(0, 4_711, region=2)],
            [2],
        ),
        region_case(
            "an entry twice, and again after the exit",
            (80, 87),
            [entered(0), entered(500), exited(900), entered(1_000)],
            [opens(0), starts(0), stops(900), left(900), opens(1_000), starts(1_000), stops(4_000)],
            [1],
        ),
        region_case(
            "an exit after the ranging ended",
            (87,),
            [entered(0), exited(50_000)],
            [opens(0), starts(0), stops(3_000), left(50_000)],
            [],
        ),
        region_case("an exit from where the device is not", (80,), [exited(0), exited(1, 9)], [], []),
        region_case(
            "a region that is not monitored", (80,), [entered(0, 9), woke(1, 9), ranged(2, 7, region=9)], [], []
        ),
        region_case(
            "the display wakes inside: a new look, and the minors anew",
            (81, 85, 86),
            [entered(0), ranged(500, 7), woke(20_000, 1), ranged(20_500, 7)],
            [
                opens(0),
                starts(0),
                identifies(500, 7),
                stops(3_000),
                opens(20_000),
                starts(20_000),
                identifies(20_500, 7),
                stops(23_000),
            ],
            [1],
        ),
        region_case(
            "the display wakes where no entry was told",
            (81, 85),
            [woke(0, 2, 1, 9, 1), entered(100, 2), entered(100, 1)],
            [opens(0), starts(0), identifies(0, 4_711, region=2), stops(3_000)],
            [1, 2],
        ),
        region_case(
            "the display wakes while it is ranged",
            (84, 85),
            [entered(0), ranged(1, 7), woke(2_000, 1), ranged(2_500, 7, 8)],
            [opens(0), starts(0), identifies(1, 7), opens(2_000), identifies(2_500, 8), stops(3_000)],
            [1],
        ),
        region_case("the display wakes outside", (85,), [woke(0)], [], []),
        region_case(
            "the window ends",
            (84,),
            [entered(0), step(1_000, "window-ended"), ranged(1_500, 7)],
            [opens(0), starts(0), stops(1_000)],
            [1],
        ),
        region_case(
            "a report at the end of the ranging",
            (84,),
            [entered(0), ranged(2_999, 7)],
            [opens(0), starts(0), identifies(2_999, 7), stops(3_000)],
            [1],
            ("boundary",),
        ),
        region_case(
            "a report after the end of the ranging",
            (84,),
            [entered(0), ranged(3_000, 7)],
            [opens(0), starts(0), stops(3_000)],
            [1],
            ("boundary",),
        ),
        region_case(
            "ranging fails",
            (84,),
            [entered(0), step(100, "ranging-failed", region=1), ranged(200, 7), step(300, "ranging-failed", region=1)],
            [opens(0), starts(0)],
            [1],
        ),
        region_case(
            "no minor is heard", (86,), [entered(0), ranged(100), ranged(200)], [opens(0), starts(0), stops(3_000)], [1]
        ),
        region_case(
            "in the foreground: no window, and no end",
            (81, 84),
            [entered(0), step(10, "window-ended"), ranged(90_000, 7), foreground(95_000, False)],
            [starts(0), identifies(90_000, 7), stops(95_000)],
            [1],
            is_foreground=True,
        ),
        region_case(
            "into the foreground while it is ranged",
            (84,),
            [entered(0), foreground(2_000, True), ranged(9_000, 7), foreground(9_500, True)],
            [opens(0), starts(0), identifies(9_000, 7)],
            [1],
        ),
        region_case(
            "into the foreground inside regions",
            (85,),
            [entered(0), entered(0, 2), foreground(50_000, True)],
            [
                opens(0),
                starts(0),
                opens(0),
                identifies(0, 4_711, region=2),
                stops(3_000),
                starts(50_000),
                identifies(50_000, 4_711, region=2),
            ],
            [1, 2],
        ),
        region_case(
            "out of the foreground from where it never was",
            (84,),
            [entered(0), foreground(10, False)],
            [opens(0), starts(0), stops(3_000)],
            [1],
        ),
        region_case(
            "21 regions: the last is not monitored",
            (88,),
            [entered(0, 19), entered(0, 20)],
            [opens(0), starts(0, 19), stops(3_000, 19)],
            [19],
            ("boundary",),
            [{"region": n} for n in range(21)],
        ),
        region_case(
            "two regions of one number: the first counts",
            (88,),
            [entered(0)],
            [opens(0), starts(0), stops(3_000)],
            [1],
            (),
            [EVERY, {"region": 1, "minor": 5}],
        ),
    ]

    def choice(dice):
        region = dice.randrange(4)
        some = [dice.randrange(4) for _ in range(dice.randrange(3))]
        return dice.choice(
            [
                ("entered", {"region": region}),
                ("entered", {"region": region}),
                ("exited", {"region": region}),
                ("display-woke", {"regions": some}),
                ("ranged", {"region": region, "minors": some}),
                ("ranged", {"region": region, "minors": some}),
                ("ranging-failed", {"region": region}),
                ("foreground", {"foreground": dice.random() < 0.5}),
                ("window-ended", {}),
            ]
        )

    for seed in range(12):
        monitored = [{"region": 0}, EVERY, EXACT]
        args = walk(
            "region-wake",
            seed,
            lambda steps, until: {"monitored": monitored, "foreground": False, "steps": steps, "until": until},
            [],
            [choice],
            length=60,
        )
        cases.append(Case(f"a walk at random, number {seed}", args, ("generated",), numbers((80, 84, 86))))
    return cases + [
        Case("every event", REGIONS, (), ()),
        *argument_refusals("region-wake", REGIONS),
        *refused_steps("region-wake", REGIONS, model.REGION_EVENTS),
        argument(REGIONS, "a region without a number", "missing", monitored=[{"minor": 1}]),
        argument(REGIONS, "a minor of 65,536", "out-of-range", monitored=[{"region": 1, "minor": 65_536}]),
        argument(REGIONS, "a ranged minor below zero", "out-of-range", steps=[ranged(0, -1)]),
        argument(REGIONS, "65 minors", "wrong-length", steps=[ranged(0, *range(65))]),
    ]


FAMILIES = [
    Family(
        "execution-window",
        "Specs/lifecycle.md",
        "What fits in a window of execution, in which order, and what is refused.",
        window_cases(),
        insensitive={member: INSENSITIVE for member in WINDOW},
    ),
    Family(
        "checkpoint",
        "Specs/lifecycle.md",
        "What a journal says about the run before, and how records, flushes and markers follow each other.",
        checkpoint_cases(),
        insensitive={member: INSENSITIVE for member in CHECKPOINT},
    ),
    Family(
        "region-wake",
        "Specs/lifecycle.md",
        "Regions that are entered and left, and what is ranged meanwhile.",
        region_cases(),
        insensitive={member: INSENSITIVE for member in REGIONS},
    ),
]
