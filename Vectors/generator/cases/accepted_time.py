"""Cases for Specs/rotation.md: which time is accepted."""

from ..reference import accepted_time as model
from ..tools.family import Case, Family, argument_refusals
from .lifecycle.steps import INSENSITIVE, refused_steps, step, walk

SPECIFICATION = "Specs/rotation.md"
START = 1_785_600_000
HOUR = 3_600_000
DAY = 24 * HOUR
FAR = 744 * 3_600  # the horizon in seconds


def numbers(*requirements):
    return tuple(f"INK-ROT-{number:03}" for number in requirements)


def judge(at, ahead=0, slept=0, error=None, battery=None):
    """The clock is `ahead` seconds ahead of the one that runs from START; the battery clock `battery` ahead of that."""
    clock = 1000 * (START + ahead) + at
    evidence = {} if error is None else {"kernelError": error}
    if battery is not None:
        evidence["batteryClock"] = clock // 1000 + battery
    return step(at, "judge", clock=clock, slept=slept, **evidence)


def vouch(at, ahead=0):
    return step(at, "vouch", clock=1000 * (START + ahead) + at, slept=0)


def accepted(at, store=None):
    return {"at": at, "effect": "accepted", **({} if store is None else {"store": store})}


def refused(at, reason, seconds=None):
    return {"at": at, "effect": "refused", "reason": reason, **({} if seconds is None else {"seconds": seconds})}


def story(comment, requirements, steps, effects, latest=None, flags=()):
    args = {"steps": steps, "until": steps[-1]["at"]}
    if latest is not None:
        args = {"latest": latest, **args}
    return Case(comment, args, flags, numbers(*requirements), result={"effects": effects})


def far(at, seconds=FAR + 1):
    return refused(at, "ahead", seconds + at // 1000)


def accepted_time_family():
    long_ago = START - FAR - 1
    cases = [
        story(
            "nothing confirms the clock",
            (41,),
            [judge(0), judge(1, error=16_000_000), judge(2, battery=121), judge(3, battery=-121)],
            [refused(at, "unsupported") for at in range(4)],
            flags=("boundary",),
        ),
        story("a synchronised kernel", (41, 46), [judge(0, error=15_999_999)], [accepted(0, START)], flags=("boundary",)),
        story("a battery clock that agrees", (41,), [judge(0, battery=120)], [accepted(0, START)], flags=("boundary",)),
        story("a battery clock behind that agrees", (41,), [judge(0, battery=-120)], [accepted(0, START)]),
        story(
            "the operator vouches until the clock is set",
            (47,),
            [vouch(0), judge(1_000), judge(2_000, ahead=121)],
            [accepted(1_000, START + 1), refused(2_000, "unsupported")],
        ),
        story("120 s behind", (42,), [judge(0, error=0)], [accepted(0, START + 120)], START + 120, ("boundary",)),
        story(
            "121 s behind, and the operator's word does not help",
            (42,),
            [vouch(0), judge(0, error=0)],
            [refused(0, "behind", 121)],
            START + 121,
            ("boundary",),
        ),
        story("744 h ahead", (43,), [judge(0, error=0)], [accepted(0, START)], START - FAR, ("boundary",)),
        story(
            "744 h and a second ahead, whoever says so but the operator",
            (43,),
            [judge(0, error=0), judge(0, battery=0), vouch(0), judge(0)],
            [far(0), far(0), accepted(0, START)],
            long_ago,
            ("boundary",),
        ),
        story(
            "24 h of synchronisation, awake",
            (43,),
            [judge(0, error=0), judge(DAY - 1, error=0), judge(DAY, error=0)],
            [far(0), far(DAY - 1), accepted(DAY, START + 86_400)],
            long_ago,
            ("boundary",),
        ),
        story(
            "a day of sleep is no day of synchronisation",
            (43,),
            [judge(0, error=0), judge(1_000, error=0), judge(DAY + 1_000, slept=DAY - 1_000, error=0)],
            [far(0), far(1_000), far(DAY + 1_000)],
            long_ago,
        ),
        story(
            "nights of sleep between: 24 h awake are needed, and the sleep interrupts nothing",
            (43,),
            [
                judge(0, slept=500, error=0),
                judge(8 * HOUR, slept=500, error=0),
                judge(24 * HOUR, slept=500 + 16 * HOUR, error=0),
                judge(32 * HOUR, slept=500 + 16 * HOUR, error=0),
                judge(48 * HOUR, slept=500 + 32 * HOUR, error=0),
                judge(56 * HOUR - 1, slept=500 + 32 * HOUR, error=0),
                judge(56 * HOUR, slept=500 + 32 * HOUR, error=0),
            ],
            [
                *(far(at) for at in (0, 8 * HOUR, 24 * HOUR, 32 * HOUR, 48 * HOUR, 56 * HOUR - 1)),
                accepted(56 * HOUR, START + 56 * 3_600),
            ],
            long_ago,
            ("boundary",),
        ),
        story(
            "sleep of more than the time since then: the machine was not awake",
            (43,),
            [judge(0, error=0), judge(DAY, slept=DAY + 5, error=0), judge(2 * DAY, slept=DAY, error=0)],
            [far(0), far(DAY), accepted(2 * DAY, START + 2 * 86_400)],
            long_ago,
        ),
        story(
            "an interruption, and a clock that is set, begin the 24 h anew",
            (43,),
            [
                judge(0, error=0),
                judge(HOUR),
                judge(2 * HOUR, error=0),
                judge(25 * HOUR, error=0),
                judge(25 * HOUR, ahead=200, error=0),
                judge(27 * HOUR, ahead=200, error=0),
                judge(49 * HOUR, ahead=200, error=0),
            ],
            [
                far(0),
                refused(HOUR, "unsupported"),
                far(2 * HOUR),
                far(25 * HOUR),
                far(25 * HOUR, FAR + 201),
                far(27 * HOUR, FAR + 201),
                accepted(49 * HOUR, START + 49 * 3_600 + 200),
            ],
            long_ago,
        ),
        story(
            "accepted without evidence until the clock is set",
            (44,),
            [
                judge(0, error=0),
                judge(100 * HOUR, slept=90 * HOUR),
                judge(100 * HOUR, ahead=120),
                judge(100 * HOUR, ahead=121),
            ],
            [
                accepted(0, START),
                accepted(100 * HOUR, START + 360_000),
                accepted(100 * HOUR),
                refused(100 * HOUR, "unsupported"),
            ],
            flags=("boundary",),
        ),
        story(
            "many small steps add up",
            (45,),
            [judge(0, error=0), judge(1_000, ahead=100), judge(2_000, ahead=200)],
            [accepted(0, START), accepted(1_000), refused(2_000, "unsupported")],
        ),
        story(
            "the latest accepted time is stored when time is accepted, and every hour",
            (46,),
            [judge(0, error=0), *(judge(at, error=0) for at in (3_599_999, 3_600_000, 7_199_999, 7_200_000))],
            [
                accepted(0, START),
                accepted(3_599_999),
                accepted(3_600_000, START + 3_600),
                accepted(7_199_999),
                accepted(7_200_000, START + 7_200),
            ],
            START - 10,
            ("boundary",),
        ),
        story(
            "only the operator clears a latest accepted time in the future",
            (32,),
            [judge(0, error=0), judge(2 * DAY, error=0), step(2 * DAY, "clear"), judge(2 * DAY, error=0)],
            [
                refused(0, "behind", 1_000_000),
                refused(2 * DAY, "behind", 1_000_000 - 2 * 86_400),
                accepted(2 * DAY, START + 2 * 86_400),
            ],
            START + 1_000_000,
        ),
    ]

    def choice(dice):
        if dice.random() < 0.05:
            return "vouch", {}
        if dice.random() < 0.05:
            return "clear", {}
        return "judge", {
            **({"kernelError": dice.choice((0, 0, 20_000_000))} if dice.random() < 0.8 else {}),
            **({"batteryClock": START + dice.randrange(400_000)} if dice.random() < 0.1 else {}),
        }

    for seed in range(8):

        def make(steps, until, seed=seed):
            # Hours in place of seconds, with sleep between, and a clock that is set now and then.
            slept = ahead = before = 0
            for number, one in enumerate(steps):
                at = one["at"] * 600
                slept += (at - before) // 2 if (number + seed) % 3 == 0 else 0
                ahead += (0, 0, 0, 50, 130, -300)[number * 7 % 6] if number % 20 == 0 else 0
                before = one["at"] = at
                if one["event"] != "clear":
                    one |= {"clock": 1000 * (START + ahead) + at, "slept": slept}
            return {"latest": START - FAR - 500 * seed, "steps": steps, "until": until * 600}

        args = walk("accepted-time", seed, make, [], [choice], length=60)
        cases.append(Case(f"a walk at random, number {seed}", args, ("generated",), numbers(41, 42, 43, 44, 45, 46)))
    valid = {
        "latest": START,
        "steps": [judge(0, error=0, battery=0), vouch(1), step(2, "clear")],
        "until": 2,
    }
    return Family(
        "accepted-time",
        SPECIFICATION,
        "Which time a device accepts: evidence for the clock, the latest accepted time, sleep, and a clock that is set.",
        [
            *cases,
            Case("every event with every member that it may have", valid, (), ()),
            *(one for one in argument_refusals("accepted-time", valid) if one.comment != "latest is absent"),
            *refused_steps("accepted-time", valid, model.EVENTS),
        ],
        insensitive={"steps": INSENSITIVE, "until": INSENSITIVE, "latest": INSENSITIVE},
    )


FAMILIES = [accepted_time_family()]
