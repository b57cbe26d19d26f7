"""Cases of checkpoint: Specs/lifecycle.md."""

import random

from ...reference.lifecycle import checkpoint as model
from ...tools.family import Case, Family, argument_refusals
from .steps import INSENSITIVE, argument, effect, numbers, refused_steps, step, walk

LAST = 2**64 - 1


def written(number):
    """A number as an argument: decimal digits from 2^53 on."""
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


FAMILIES = [
    Family(
        "checkpoint",
        "Specs/lifecycle.md",
        "What a journal says about the run before, and how records, flushes and markers follow each other.",
        checkpoint_cases(),
        insensitive={member: INSENSITIVE for member in CHECKPOINT},
    ),
]
