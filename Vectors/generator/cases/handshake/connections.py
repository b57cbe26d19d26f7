"""Cases of unauthenticated-connections: floods of connections."""

from ...reference import connections as model
from ...tools.family import Case, Family, argument_refusals
from ..lifecycle.steps import INSENSITIVE, refused_steps, step, walk
from .parts import SPECIFICATION

# Few places, so that a case is short.
FEW = {"strangers": 4, "strangersPerSource": 2, "passed": 3, "passedPerSource": 2}
FIGURES = {"strangers": 1_024, "strangersPerSource": 8, "passed": 64, "passedPerSource": 8}


def numbers(*requirements):
    return tuple(f"INK-HSK-{number:03}" for number in requirements)


def arrives(at, connection, source):
    return step(at, "arrived", connection=connection, source=source)


def completes(at, connection):
    return step(at, "complete", connection=connection)


def passes(at, connection):
    return step(at, "gate", connection=connection)


def closes(at, connection):
    return step(at, "closed", connection=connection)


def reset(at, connection):
    return {"at": at, "effect": "reset", "connection": connection}


def places(comment, requirements, steps, effects, flags=(), until=None, figures=FEW, **ends):
    args = {**figures, "steps": steps, "until": steps[-1]["at"] if until is None else until}
    return Case(comment, args, flags, numbers(*requirements), result={"effects": effects, **ends})


def crowd(*sources, at=0):
    return [arrives(at, number, source) for number, source in enumerate(sources, start=1)]


def connections_family():
    cases = [
        places("below all limits", (32,), crowd(1, 1, 2, 2), [], strangers=[1, 2, 3, 4], passed=[]),
        places(
            "a fifth takes the place of the longest waiting of the source that holds most",
            (57,),
            [arrives(0, 1, 1), arrives(1, 2, 2), arrives(2, 3, 2), arrives(3, 4, 3), arrives(400, 5, 4)],
            [reset(400, 2)],
            strangers=[1, 3, 4, 5],
        ),
        places(
            "sources that hold the same: the longest waiting of all",
            (57,),
            [*crowd(1, 2, 3, 4), arrives(400, 5, 5)],
            [reset(400, 1)],
        ),
        places(
            "a complete first message goes after one that is not, of whatever source",
            (57,),
            [*crowd(1, 1, 2, 2), completes(1, 1), completes(1, 2), completes(1, 3), arrives(400, 5, 3)],
            [reset(400, 4)],
        ),
        places(
            "all first messages are complete",
            (57,),
            [*crowd(1, 2, 2, 3), *(completes(1, number) for number in (1, 2, 3, 4)), arrives(400, 5, 4)],
            [reset(400, 2)],
        ),
        places(
            "a source that holds most holds only complete ones: another's makes room",
            (57,),
            [*crowd(1, 1, 2, 3), completes(1, 1), completes(1, 2), arrives(400, 5, 4)],
            [reset(400, 3)],
        ),
        places(
            "nobody leaves before 300 ms: the new one does",
            (58,),
            [*crowd(1, 2, 3, 4), arrives(299, 5, 5), arrives(300, 6, 6)],
            [reset(299, 5), reset(300, 1)],
            ("boundary",),
            strangers=[2, 3, 4, 6],
        ),
        places(
            "only those that came first have had their 300 ms",
            (57, 58),
            [arrives(0, 1, 1), arrives(0, 2, 2), arrives(100, 3, 3), arrives(100, 4, 3), arrives(350, 5, 5)],
            [reset(350, 1)],
        ),
        places(
            "a source with all its places gives one of its own",
            (32, 57),
            [*crowd(1, 2, 2), arrives(299, 4, 2), arrives(300, 5, 2)],
            [reset(299, 4), reset(300, 2)],
            ("boundary",),
            strangers=[1, 3, 5],
        ),
        places(
            "a source with all its places, one with a complete message",
            (32, 57),
            [*crowd(1, 2, 2), completes(5, 2), arrives(300, 4, 2)],
            [reset(300, 3)],
        ),
        places(
            "who has passed is no stranger: the flood goes on without it",
            (59,),
            [*crowd(1), passes(10, 1), *(arrives(20 + n, 10 + n, 2 + n) for n in range(4)), arrives(400, 20, 9)],
            [reset(400, 10)],
            passed=[1],
        ),
        places(
            "the third that passes of one source takes the place of the first",
            (32, 59),
            [*crowd(1, 1), passes(1, 1), passes(2, 2), arrives(3, 3, 1), passes(4, 3)],
            [reset(4, 1)],
            passed=[2, 3],
        ),
        places(
            "the fourth that passes takes the place of the first of the source that holds most",
            (32, 59),
            [*crowd(1, 2, 2, 3), *(passes(number, number) for number in (1, 2, 3, 4))],
            [reset(4, 2)],
            passed=[1, 3, 4],
        ),
        places(
            "passed, in another order than they came",
            (59,),
            [*crowd(1, 2, 3), passes(5, 3), passes(6, 1), passes(7, 2)],
            [],
            strangers=[],
            passed=[3, 1, 2],
        ),
        places(
            "places of closed connections are free",
            (32,),
            [*crowd(1, 1, 2, 3), closes(1, 2), closes(1, 9), arrives(2, 5, 1), passes(3, 5), closes(4, 5)],
            [],
            strangers=[1, 3, 4],
            passed=[],
        ),
        places(
            "events of connections that are not there",
            (32,),
            [completes(0, 1), passes(0, 1), closes(0, 1), arrives(1, 1, 1), arrives(2, 1, 2), passes(3, 1), passes(4, 1)],
            [],
            strangers=[],
            passed=[1],
        ),
        places(
            "a number that comes again after it was reset",
            (32,),
            [*crowd(1, 2, 3, 4), arrives(400, 5, 5), arrives(800, 1, 1)],
            [reset(400, 1), reset(800, 2)],
        ),
        places(
            "the figures: 1,024 strangers of 128 sources, and one more",
            (32, 57),
            [arrives(number, number, number // 8) for number in range(1_024)] + [arrives(1_400, 5_000, 999)],
            [reset(1_400, 0)],
            ("boundary",),
            figures=FIGURES,
        ),
        places(
            "the figures: a ninth of one source",
            (32,),
            [arrives(number, number, 7) for number in range(8)] + [arrives(400, 8, 7)],
            [reset(400, 0)],
            ("boundary",),
            figures=FIGURES,
        ),
        places(
            "3,000 a second from 240 sources: a contact that passes after 100 ms stays",
            (32, 57, 59),
            [
                *(arrives(number // 3, number, number % 240) for number in range(1_500)),
                arrives(500, 9_000, 9_000),
                *(arrives(500 + number // 3, 2_000 + number, number % 240) for number in range(300)),
                completes(600, 9_000),
                passes(600, 9_000),
                *(arrives(600 + number // 3, 3_000 + number, number % 240) for number in range(200)),
            ],
            None,
            figures=FIGURES,
            passed=[9_000],
        ),
    ]
    cases[-1].result.pop("effects")

    def choice(dice):
        connection = dice.randrange(40)
        return dice.choice(
            [
                *[("arrived", {"connection": connection, "source": dice.randrange(6)})] * 6,
                ("complete", {"connection": connection}),
                ("complete", {"connection": connection}),
                ("gate", {"connection": connection}),
                ("closed", {"connection": connection}),
            ]
        )

    for seed in range(16):
        figures = {"strangers": 3 + seed % 5, "strangersPerSource": 1 + seed % 3, "passed": 2 + seed % 4}
        args = walk(
            "unauthenticated-connections",
            seed,
            lambda steps, until, figures=figures: {
                **figures,
                "passedPerSource": 1 + figures["passed"] % 2,
                "steps": steps,
                "until": until,
            },
            [],
            [choice],
        )
        cases.append(Case(f"a walk at random, number {seed}", args, ("generated",), numbers(32, 57, 58, 59)))
    valid = {
        **FEW,
        "steps": [arrives(0, 1, 1), completes(1, 1), passes(2, 1), closes(3, 1)],
        "until": 3,
    }
    return Family(
        "unauthenticated-connections",
        SPECIFICATION,
        "Connections that come, pass the gate and leave, and which of them make room for others.",
        [
            *cases,
            Case("every event", valid, (), ()),
            *argument_refusals("unauthenticated-connections", valid),
            *refused_steps("unauthenticated-connections", valid, model.EVENTS),
        ],
        insensitive={"steps": INSENSITIVE, "until": INSENSITIVE, "strangers": INSENSITIVE, "passed": INSENSITIVE,
                     "strangersPerSource": INSENSITIVE, "passedPerSource": INSENSITIVE},
    )
