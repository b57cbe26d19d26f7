"""How many names, contacts, addresses and traces an observer keeps."""

from .parts import (
    EPOCH,
    NEXT_OPENS,
    X,
    Y,
    appears,
    arrived,
    begin,
    by_minor,
    by_name,
    change,
    fail,
    handshake,
    minor,
    minor_at,
    prediction,
    scenario,
    shown_by,
    states,
    step,
    strangers,
)
from .presence import confirmed


def bound_cases():
    spare = [f"5e{n:030x}" for n in range(257)]
    filling = [step(1_000 + n, "name", name=value) for n, value in enumerate(spare[:256])]
    mine = [prediction(1, name=value) for value in spare[:256]]
    seen = change(10_000, 1, "unseen", "probable")
    # With a radio gap of ten minutes the stale timer and the departure timer are ten minutes too.
    kept = [change(1_015_000, 1, "unseen", "probable"), change(1_615_000, 1, "probable", "gone")]
    unlikely = [*begin(1, prior=2), *strangers(20)]
    # Strangers copy the minors of two contacts; the most important contact comes last.
    copied = [
        step_
        for contact, at in ((2, 20_000), (3, 20_100))
        for step_ in (
            minor_at(at, minor(contact), f"0f000000000{contact}"),
            minor_at(at + 1_500, minor(contact), f"0f000000000{contact}"),
        )
    ]
    real = [minor_at(21_700, minor(1)), minor_at(23_000, minor(1))]
    flood = [
        *strangers(300, at=1_000, every=60),
        *sorted(copied, key=lambda one: one["at"]),
        real[0],
        fail(22_500, 2, "stranger"),
        real[1],
        fail(24_000, 3, "stranger"),
        handshake(25_000, 1, True),
    ]
    return [
        scenario(
            "strangers' names give way to a contact's",
            (50,),
            [*begin(1), *filling, appears(10_000, 1)],
            11_000,
            [seen, by_name(10_000, 1)],
            states("probable"),
        ),
        scenario(
            "a stranger's name does not displace a contact's, and neither does the 257th of a contact",
            (50,),
            [
                *begin(1, 2),
                handshake(0, 1),
                *filling,
                step(5_000, "name", name="ff" * 16),
                appears(10_000, 2),
                step(20_000, "vanished", name=spare[0]),
                appears(21_000, 2),
            ],
            22_000,
            [
                confirmed(0, 1),
                arrived(0, 1),
                change(21_000, 2, "unseen", "probable"),
                by_name(21_000, 2),
            ],
            states(("confirmed", 3277), "probable"),
            shown=[*mine, prediction(2)],
            flags=("boundary",),
        ),
        scenario(
            "three hundred strangers, and two who show contacts' minors: the contact that is near is tried in time",
            (43, 48, 50, 61),
            [*begin(2, 3), step(0, "add", contact=1, importance=10), *flood],
            26_000,
            [
                change(20_000, 2, "unseen", "candidate"),
                change(20_100, 3, "unseen", "candidate"),
                by_minor(21_500, 2, "0f0000000002"),
                change(21_700, 1, "unseen", "candidate"),
                change(22_500, 2, "candidate", "stale"),
                by_minor(22_500, 3, "0f0000000003"),
                change(24_000, 3, "candidate", "stale"),
                by_minor(24_000, 1),
                change(25_000, 1, "candidate", "confirmed"),
                arrived(25_000, 1),
            ],
            shown=shown_by(1, 2, 3),
        ),
        scenario(
            "a trace is kept until the end of the window of the epoch that follows",
            (5, 60, 67),
            [*begin(1), step(0, "gap", milliseconds=600_000), minor_at(1_015_000, minor(1))],
            1_919_999,
            kept,
            states(("gone", 42_936)),
            flags=("boundary",),
        ),
        scenario(
            "a trace is forgotten at the end of the window of the epoch that follows",
            (5, 60, 67),
            [*begin(1), step(0, "gap", milliseconds=600_000), minor_at(1_015_000, minor(1))],
            1_920_000,
            kept,
            states("gone"),
            flags=("boundary",),
        ),
        scenario(
            "minors of two devices in one epoch add up",
            (19, 61),
            [*unlikely, minor_at(10_000, minor(1)), minor_at(10_000, minor(1, device=7), Y)],
            10_000,
            [change(10_000, 1, "unseen", "candidate"), change(10_000, 1, "candidate", "probable")],
            states(("probable", 62_259)),
            shown=shown_by(1, devices=(0, 7)),
        ),
        scenario(
            "a minor that a contact shows in two epochs, while both windows are open, is a sighting of two traces",
            (2, 19),
            [*unlikely, minor_at(NEXT_OPENS - 1, minor(1)), minor_at(NEXT_OPENS, minor(1))],
            NEXT_OPENS,
            [change(NEXT_OPENS - 1, 1, "unseen", "candidate"), change(NEXT_OPENS, 1, "candidate", "probable")],
            states(("probable", 62_259)),
            shown=[prediction(1), prediction(1, EPOCH + 1, minor=minor(1))],
            flags=("boundary",),
        ),
        scenario(
            "integers given as decimal digits",
            (),
            [
                {"at": "0", "event": "table", "epoch": str(EPOCH)},
                {"at": "0", "event": "add", "contact": "1", "prior": "2", "importance": "1", "departAfter": "30000"},
                {"at": "10000", "event": "minor", "minor": str(minor(1)), "address": X, "rssi": 20},
            ],
            "40000",
            [change(10_000, 1, "unseen", "candidate"), change(40_000, 1, "candidate", "gone")],
            states(("gone", 9_996)),
            flags=("decimal",),
        ),
    ]
