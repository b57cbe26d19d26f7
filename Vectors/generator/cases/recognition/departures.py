"""Goodbyes, and timers that are changed while a contact is known."""

from ...tools.family import Case
from .parts import (
    EPOCH,
    NEXT_OPENS,
    START,
    X,
    appears,
    arrived,
    begin,
    by_name,
    by_tag,
    change,
    end,
    handshake,
    left,
    minor,
    minor_at,
    probable,
    scenario,
    shown_by,
    states,
    step,
    tag,
    vanishes,
)


def leaves(at, contact, device=0):
    return step(at, "leaves", contact=contact, device=device)


def options(at, contact, **members):
    return step(at, "options", contact=contact, **members)


def met(at, contact):
    return [change(at, contact, "unseen", "confirmed"), arrived(at, contact)]


def gone(at, contact, before="confirmed"):
    return [change(at, contact, before, "gone"), left(at, contact)]


def goodbye_cases():
    present = [probable(5_000, 1), by_name(5_000, 1), change(10_000, 1, "probable", "confirmed"), arrived(10_000, 1)]
    recent = states(("gone", 3277))
    return [
        scenario(
            "a contact that says that it leaves is gone 30 s later, and one whose session ends is not",
            (30, 82, 83),
            [*begin(1, 2), handshake(10_000, 1), handshake(10_000, 2), leaves(20_000, 1), end(20_000, 2)],
            140_000,
            [
                *met(10_000, 1),
                *met(10_000, 2),
                *gone(50_000, 1),
                change(50_000, 2, "confirmed", "stale"),
                *gone(140_000, 2, "stale"),
            ],
        ),
        scenario(
            "a name that stays there, vanishes and comes back after a goodbye keeps nobody present",
            (82, 83),
            [
                *begin(1),
                appears(5_000, 1),
                handshake(10_000, 1, initiator=True),
                leaves(20_000, 1),
                vanishes(30_000, 1),
                appears(40_000, 1),
            ],
            500_000,
            [*present, *gone(50_000, 1)],
            recent,
        ),
        scenario(
            "after a goodbye a name of the next epoch is evidence, and makes nobody confirmed",
            (16, 82),
            [
                *begin(1),
                handshake(10_000, 1),
                leaves(20_000, 1),
                appears(NEXT_OPENS, 1, EPOCH + 1),
            ],
            NEXT_OPENS + 1_000,
            [
                *met(10_000, 1),
                *gone(50_000, 1),
                change(NEXT_OPENS, 1, "gone", "probable"),
                by_name(NEXT_OPENS, 1, EPOCH + 1),
            ],
            states(("probable", 3277)),
        ),
        scenario(
            "a handshake with the device that left takes the goodbye back, and its name counts again",
            (82, 83),
            [
                *begin(1),
                appears(5_000, 1),
                handshake(10_000, 1, initiator=True),
                leaves(20_000, 1),
                handshake(30_000, 1),
                end(31_000, 1),
            ],
            300_000,
            present,
            states(("confirmed", 3277)),
        ),
        scenario(
            "a handshake with another device does not make the names of the one that left evidence",
            (19, 82),
            [
                *begin(1),
                appears(5_000, 1),
                handshake(10_000, 1, initiator=True),
                leaves(20_000, 1),
                handshake(30_000, 1, device=3),
                end(31_000, 1, device=3),
            ],
            151_000,
            [*present, change(61_000, 1, "confirmed", "stale"), *gone(151_000, 1, "stale")],
            recent,
        ),
        scenario(
            "one device leaves, and a session with another goes on",
            (19, 83),
            [
                *begin(1),
                handshake(10_000, 1),
                handshake(10_000, 1, device=3),
                leaves(20_000, 1),
                step(400_000, "heard", contact=1, device=3),
            ],
            420_000,
            met(10_000, 1),
            states(("confirmed", 3277)),
        ),
        scenario(
            "one device leaves, and the name of another is there for a moment longer",
            (19, 83),
            [
                *begin(1),
                appears(5_000, 1, device=3),
                handshake(10_000, 1),
                leaves(20_000, 1),
                vanishes(20_001, 1, device=3),
            ],
            140_001,
            [
                probable(5_000, 1),
                by_name(5_000, 1, device=3),
                change(10_000, 1, "probable", "confirmed"),
                arrived(10_000, 1),
                change(50_001, 1, "confirmed", "stale"),
                *gone(140_001, 1, "stale"),
            ],
            recent,
            shown=shown_by(1, devices=(0, 3)),
            flags=("boundary",),
        ),
        scenario(
            "a goodbye without a session with the device",
            (51, 82),
            [
                *begin(1),
                leaves(5_000, 1),
                handshake(10_000, 1),
                leaves(20_000, 1, device=3),
                leaves(20_000, 2),
                appears(21_000, 1),
            ],
            200_000,
            met(10_000, 1),
            states(("confirmed", 3277)),
        ),
        scenario(
            "a minor and a tag of the device that left are no evidence",
            (82,),
            [
                *begin(1, prior=6_000),
                handshake(10_000, 1),
                leaves(20_000, 1),
                minor_at(60_000, minor(1)),
                step(61_000, "tag", address=X, tag=tag(1)),
            ],
            100_000,
            [*met(10_000, 1), *gone(50_000, 1), by_tag(61_000, 1)],
            shown=shown_by(1),
        ),
        scenario(
            "a leave timer of five minutes ends no sooner than the departure timer allows",
            (72, 83),
            [
                *begin(1, leaveAfter=300_000, departAfter=600_000),
                step(0, "add", contact=2, leaveAfter=300_000),
                handshake(10_000, 1),
                handshake(10_000, 2),
                leaves(20_000, 1),
                leaves(20_000, 2),
            ],
            320_000,
            [
                *met(10_000, 1),
                *met(10_000, 2),
                change(50_000, 1, "confirmed", "stale"),
                change(50_000, 2, "confirmed", "stale"),
                *gone(140_000, 2, "stale"),
                *gone(320_000, 1, "stale"),
            ],
        ),
        scenario(
            "a leave timer below thirty seconds is thirty seconds",
            (72, 83),
            [*begin(1, leaveAfter=0), handshake(10_000, 1), leaves(20_000, 1)],
            50_000,
            [*met(10_000, 1), *gone(50_000, 1)],
            recent,
            flags=("boundary",),
        ),
        scenario(
            "a leave timer is not shorter than the radio gap",
            (83,),
            [*begin(1), step(0, "gap", milliseconds=60_000), handshake(10_000, 1), leaves(20_000, 1)],
            80_000,
            [*met(10_000, 1), *gone(80_000, 1)],
            recent,
        ),
        scenario(
            "a contact that leaves again and again: each goodbye counts from its own moment",
            (34, 83),
            [
                *begin(1),
                handshake(10_000, 1),
                leaves(20_000, 1),
                handshake(49_999, 1),
                leaves(60_000, 1),
            ],
            90_000,
            [*met(10_000, 1), *gone(90_000, 1)],
            recent,
        ),
    ]


def changed_timer_cases():
    meeting = [handshake(10_000, 1), end(10_000, 1)]
    return [
        scenario(
            "the departure timer of a present contact becomes ten minutes: it stays",
            (72, 84),
            [*begin(1), *meeting, options(100_000, 1, departAfter=600_000)],
            610_000,
            [*met(10_000, 1), change(40_000, 1, "confirmed", "stale"), *gone(610_000, 1, "stale")],
            states(("gone", 3277)),
        ),
        scenario(
            "the departure timer becomes shorter than the silence: the contact leaves at once",
            (72, 84),
            [*begin(1, departAfter=600_000), *meeting, options(100_000, 1)],
            100_000,
            [*met(10_000, 1), change(40_000, 1, "confirmed", "stale")],
            states(("stale", 3277)),
        ),
        scenario(
            "at the moment at which the shorter timer has run out",
            (72, 84),
            [*begin(1, departAfter=600_000), *meeting, options(130_000, 1)],
            130_000,
            [*met(10_000, 1), change(40_000, 1, "confirmed", "stale"), *gone(130_000, 1, "stale")],
            states(("gone", 3277)),
            flags=("boundary",),
        ),
        scenario(
            "an arrival timer is shortened while it runs",
            (70, 84),
            [*begin(1, arriveAfter=600_000), handshake(10_000, 1), options(100_000, 1, arriveAfter=60_000)],
            100_000,
            [change(10_000, 1, "unseen", "confirmed"), arrived(100_000, 1)],
            states(("confirmed", 3277)),
        ),
        scenario(
            "an arrival timer that is lengthened after the arrival takes nothing back",
            (70, 71, 84),
            [*begin(1), *meeting, options(20_000, 1, arriveAfter=600_000)],
            130_000,
            [*met(10_000, 1), change(40_000, 1, "confirmed", "stale"), *gone(130_000, 1, "stale")],
            states(("gone", 3277)),
        ),
        scenario(
            "a contact that has gone stays gone when its timer becomes longer",
            (84,),
            [
                *begin(1, prior=6_000),
                minor_at(10_000, minor(1)),
                step(20_000, "tag", address="0b0000000002", tag=tag(1)),
                step(30_000, "ended", contact=1, device=0),
                options(150_000, 1, departAfter=600_000, prior=6_000),
            ],
            160_000,
            None,
            states(("gone", 6_000)),
        ),
        scenario(
            "a goodbye that has run out stays so when the leave timer becomes longer",
            (83, 84),
            [
                *begin(1, departAfter=600_000),
                handshake(10_000, 1),
                leaves(20_000, 1),
                options(60_000, 1, departAfter=600_000, leaveAfter=500_000),
            ],
            100_000,
            [*met(10_000, 1), *gone(50_000, 1)],
            states(("gone", 3277)),
        ),
        scenario(
            "the leave timer becomes longer while it runs",
            (83, 84),
            [*begin(1), handshake(10_000, 1), leaves(20_000, 1), options(49_999, 1, leaveAfter=60_000)],
            80_000,
            [*met(10_000, 1), change(50_000, 1, "confirmed", "stale"), *gone(80_000, 1, "stale")],
            states(("gone", 3277)),
        ),
        scenario(
            "another prior, from now on",
            (61, 84),
            [*begin(1), options(10_000, 1, prior=500), options(10_000, 2, prior=9)],
            20_000,
            [],
            states(("unseen", 500)),
        ),
        scenario(
            "another importance decides who is tried first",
            (48, 84),
            [
                *begin(1, 2, 3),
                options(0, 3, importance=9),
                appears(1_000, 1),
                appears(1_000, 2),
                appears(1_000, 3),
            ],
            1_000,
            None,
            shown=shown_by(1, 2, 3),
        ),
    ]


def goodbye_refusal_cases():
    """What is refused of the events `options` and `leaves`, and of `leaveAfter`."""
    settings = {"prior": 1, "importance": 100, "arriveAfter": 86_400_000, "departAfter": 0, "leaveAfter": 86_400_000}
    full = [
        step(0, "add", contact=1, **settings),
        step(1_000, "options", contact=1, **settings),
        step(2_000, "leaves", contact=1, device=15),
    ]

    def args(steps):
        return {"start": START, "draws": ["0"], "predictions": [], "steps": steps, "until": 20_000}

    def refused(comment, stage, reason, steps):
        flag = {"arguments": "argument", "step": "refusal"}[stage]
        return Case(comment, args(steps), (flag,), ("INK-CNF-004",), error=(stage, reason))

    def changed(place, **members):
        return [one | members if at == place else one for at, one in enumerate(full)]

    def without(place, member):
        return [
            {name: value for name, value in one.items() if at != place or name != member}
            for at, one in enumerate(full)
        ]

    return [
        Case("a goodbye and settings with every member that they may have", args(full), (), ()),
        refused("add: leaveAfter outside its range", "arguments", "out-of-range", changed(0, leaveAfter=86_400_001)),
        refused("options: leaveAfter outside its range", "arguments", "out-of-range", changed(1, leaveAfter=86_400_001)),
        refused("options: leaveAfter below its range", "arguments", "out-of-range", changed(1, leaveAfter=-1)),
        refused("leaves: device outside its range", "arguments", "out-of-range", changed(2, device=16)),
        refused("options without contact", "step", "missing", without(1, "contact")),
        refused("leaves without contact", "step", "missing", without(2, "contact")),
        refused("leaves without device", "step", "missing", without(2, "device")),
        refused("leaves with an option of a contact", "arguments", "unknown-field", changed(2, leaveAfter=30_000)),
    ]
