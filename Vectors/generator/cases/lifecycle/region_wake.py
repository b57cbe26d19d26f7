"""Cases of region-wake: Specs/lifecycle.md."""

from ...reference.lifecycle import region_wake as model
from ...tools.family import Case, Family, argument_refusals
from .steps import INSENSITIVE, argument, effect, numbers, refused_steps, step, walk

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
    # An entry leads to ranging or to the look-up of a minor, which is evidence like any other.
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
        "region-wake",
        "Specs/lifecycle.md",
        "Regions that are entered and left, and what is ranged meanwhile.",
        region_cases(),
        insensitive={member: INSENSITIVE for member in REGIONS},
    ),
]
