"""Names: states, evidence, windows."""

from .. import example
from ..notation import H, dec, derive, u8
from ..tree import node_key
from .parts import (
    EPOCH,
    NEXT_OPENS,
    WINDOW_ENDS,
    X,
    Z,
    appears,
    arrived,
    attempt,
    begin,
    by_minor,
    by_name,
    change,
    end,
    handshake,
    left,
    minor,
    minor_at,
    name,
    noted,
    prediction,
    scenario,
    shown_by,
    states,
    step,
    strangers,
    vanishes,
)


def example_cases():
    """The two tables of the page's example, with its keys."""

    def shown(epoch):
        key = node_key(example.ROOT, 20, epoch >> 2)
        values = {
            label: H(derive(key, label + b"-key", u8(0)), text + dec(epoch))
            for label, text in ((b"mdns", b"mDNS-name-"), (b"beacon", b"iBeacon-minor-"), (b"gatt", b"GATT-tag-"))
        }
        return prediction(
            1,
            epoch,
            name=values[b"mdns"][:16].hex(),
            minor=int.from_bytes(values[b"beacon"][:2], "big"),
            tag=values[b"gatt"][:16].hex(),
        )

    ada = [shown(epoch) for epoch in (EPOCH - 1, EPOCH, EPOCH + 1)]
    first, second = "ee86ffa399825968e402a6832c863656", "4bfc5b501e8469baa43d07fbdb67b3e8"
    heard = "c0ffee000001"
    return [
        scenario(
            "the example of the page: names",
            (1, 3, 17, 30, 40, 41),
            [
                *begin(1),
                step(240_000, "name", name=first),
                handshake(240_800, 1, initiator=True),
                end(500_000, 1),
                step(899_000, "vanished", name=first),
                step(931_000, "name", name=second),
                step(1_000_000, "name", name=first),
                step(1_000_500, "vanished", name=first),
                step(1_030_000, "name", name=first),
            ],
            1_040_000,
            [
                change(240_000, 1, "unseen", "probable"),
                attempt(240_700, 1, name=first),
                change(240_800, 1, "probable", "confirmed"),
                arrived(240_800, 1),
                change(929_000, 1, "confirmed", "stale"),
                change(931_000, 1, "stale", "confirmed"),
                attempt(931_700, 1, EPOCH + 1, name=second),
                noted(1_030_000, 1),
            ],
            states(("confirmed", 3277)),
            shown=ada,
            draws=("700",),
            flags=("known-answer",),
        ),
        scenario(
            "the example of the page: a minor in a crowd of forty",
            (40, 46, 60, 61),
            [*begin(1), *strangers(40), minor_at(240_000, 63_941, heard), minor_at(241_200, 63_941, heard)],
            243_100,
            [change(240_000, 1, "unseen", "probable"), attempt(243_100, 1, minor=63_941, address=heard)],
            states(("probable", 57_543)),
            shown=ada,
            draws=("3100",),
            flags=("known-answer",),
        ),
    ]


def name_cases():
    seen = change(10_000, 1, "unseen", "probable")
    return [
        scenario(
            "a contact appears, is confirmed, and leaves when nothing more comes",
            (1, 16, 17, 30, 32, 40, 70, 71),
            [*begin(1, 2), appears(10_000, 1), handshake(10_600, 1, True), end(20_000, 1), vanishes(30_000, 1)],
            200_000,
            [
                seen,
                by_name(10_500, 1),
                change(10_600, 1, "probable", "confirmed"),
                arrived(10_600, 1),
                change(60_000, 1, "confirmed", "stale"),
                change(150_000, 1, "stale", "gone"),
                left(150_000, 1),
            ],
            states(("gone", 3277), "unseen"),
            draws=("1501",),
        ),
        scenario(
            "a name without a handshake makes nobody present",
            (16, 71),
            [*begin(1), appears(10_000, 1), vanishes(20_000, 1)],
            200_000,
            [seen, by_name(10_000, 1), change(50_000, 1, "probable", "stale"), change(140_000, 1, "stale", "gone")],
            states("gone"),
        ),
        scenario(
            "a millisecond before the stale timer and before the departure timer",
            (30, 32),
            [*begin(1), appears(10_000, 1), vanishes(20_000, 1), step(49_999, "forgotten"), step(139_999, "forgotten")],
            139_999,
            [seen, by_name(10_000, 1), change(50_000, 1, "probable", "stale")],
            states("stale"),
            flags=("boundary",),
        ),
        scenario(
            "a stranger's name has no effect, whether it stays or goes",
            (1, 51),
            [*begin(1), step(10_000, "name", name="5e" * 16), step(20_000, "vanished", name="5e" * 16)],
            200_000,
            [],
            states("unseen"),
        ),
        scenario(
            "a name that is there already, reported again as observed outside its window, is nothing new",
            (11,),
            [*begin(1), appears(10_000, 1), appears(1_030_000, 1, observed=1_030_000)],
            1_040_000,
            [seen, by_name(10_000, 1)],
            states("probable"),
        ),
        scenario(
            "a name that two contacts may show makes both candidates and is put to both, one after the other",
            (2, 15, 42, 43, 45),
            [*begin(1, 2), appears(10_000, 1), handshake(25_100, 2, True)],
            30_000,
            [
                change(10_000, 1, "unseen", "candidate"),
                change(10_000, 2, "unseen", "candidate"),
                by_name(10_000, 1),
                attempt(25_000, 2, name=name(1)),
                change(25_100, 2, "candidate", "confirmed"),
                arrived(25_100, 2),
            ],
            states("candidate", ("confirmed", 3277)),
            shown=[prediction(1), prediction(2, name=name(1))],
        ),
        scenario(
            "a name that several may show keeps a contact present that was confirmed",
            (15, 18, 30),
            [*begin(1, 2), handshake(5_000, 1), end(6_000, 1), appears(10_000, 2), vanishes(100_000, 2)],
            140_000,
            [
                change(5_000, 1, "unseen", "confirmed"),
                arrived(5_000, 1),
                change(10_000, 2, "unseen", "candidate"),
                attempt(10_000, 1, name=name(2)),
                attempt(10_000, 2, name=name(2)),
                change(130_000, 1, "confirmed", "stale"),
                change(130_000, 2, "candidate", "stale"),
            ],
            states(("stale", 3277), "stale"),
            shown=[prediction(1, name=name(2)), prediction(2)],
        ),
        scenario(
            "a contact shares its name with somebody who is no contact",
            (15, 51),
            [*begin(1), appears(10_000, 1)],
            20_000,
            [seen, by_name(10_000, 1)],
            states("probable"),
            shown=[prediction(1), prediction(2, name=name(1))],
        ),
        scenario(
            "names of two devices are one presence",
            (19,),
            [
                *begin(1),
                appears(10_000, 1),
                appears(11_000, 1, device=7),
                handshake(12_000, 1, True),
                end(13_000, 1),
                vanishes(14_000, 1),
                vanishes(60_000, 1, device=7),
            ],
            95_000,
            [
                seen,
                by_name(10_000, 1),
                change(12_000, 1, "probable", "confirmed"),
                arrived(12_000, 1),
                change(90_000, 1, "confirmed", "stale"),
            ],
            states(("stale", 3277)),
            shown=shown_by(1, devices=(0, 7)),
        ),
        scenario(
            "it is not known any more which names are there",
            (30,),
            [*begin(1), appears(10_000, 1), step(20_000, "forgotten"), appears(30_000, 1), step(40_000, "forgotten")],
            70_000,
            [seen, by_name(10_000, 1), change(70_000, 1, "probable", "stale")],
            states("stale"),
        ),
        scenario(
            "a name that was there before the table, and one that was there before its contact",
            (4, 14),
            [
                step(1_000, "add", contact=1),
                appears(2_000, 1),
                appears(3_000, 2),
                step(10_000, "table", epoch=EPOCH),
                step(20_000, "add", contact=2),
            ],
            30_000,
            [seen, by_name(10_000, 1), change(20_000, 2, "unseen", "probable"), by_name(25_000, 2)],
            states("probable", "probable"),
        ),
        scenario(
            "a contact that rotates between two sightings stays confirmed, also when the table comes after the name",
            (4, 5, 41),
            [
                *begin(1, epoch=EPOCH - 1),
                handshake(870_000, 1),
                end(871_000, 1),
                appears(872_000, 1),
                vanishes(899_000, 1),
                appears(908_000, 1, EPOCH + 1),
                step(910_000, "table", epoch=EPOCH + 1),
            ],
            945_000,
            [
                change(870_000, 1, "unseen", "confirmed"),
                arrived(870_000, 1),
                by_name(872_000, 1),
                by_name(910_000, 1, EPOCH + 1),
            ],
            states(("confirmed", 3277)),
        ),
        scenario(
            "names alone keep a contact confirmed for 30 minutes",
            (16, 18, 33, 71),
            [
                *begin(1),
                appears(5_000, 1),
                handshake(10_000, 1, True),
                end(11_000, 1),
                step(900_000, "table", epoch=EPOCH + 1),
                vanishes(900_000, 1),
                appears(905_000, 1, EPOCH + 1),
                step(1_800_000, "table", epoch=EPOCH + 2),
                vanishes(1_800_000, 1, EPOCH + 1),
                appears(1_805_000, 1, EPOCH + 2),
                step(1_935_000, "heard", contact=1, device=0),
            ],
            1_940_000,
            [
                change(5_000, 1, "unseen", "probable"),
                by_name(5_000, 1),
                change(10_000, 1, "probable", "confirmed"),
                arrived(10_000, 1),
                by_name(905_000, 1, EPOCH + 1),
                by_name(1_805_000, 1, EPOCH + 2),
                change(1_840_000, 1, "confirmed", "stale"),
                change(1_930_000, 1, "stale", "probable"),
                left(1_930_000, 1),
            ],
            states(("probable", 3277)),
            shown=shown_by(1, epochs=range(EPOCH - 1, EPOCH + 4)),
        ),
    ]


def window_cases():
    """The skew allowance at both ends of a window, for names and for minors."""
    early = minor(1, EPOCH + 1)

    def case(comment, steps, until, effects, at_end, requirements=(10, 11), **rest):
        return scenario(comment, requirements, [*begin(1), *steps], until, effects, at_end, flags=("boundary",), **rest)

    return [
        case(
            "a name in the first millisecond of its window",
            [appears(NEXT_OPENS, 1, EPOCH + 1)],
            800_000,
            [change(NEXT_OPENS, 1, "unseen", "probable"), by_name(NEXT_OPENS, 1, EPOCH + 1)],
            states("probable"),
        ),
        case(
            "a name a millisecond before its window is noted, and begins to count when the window begins",
            [appears(NEXT_OPENS - 1, 1, EPOCH + 1)],
            800_000,
            [
                noted(NEXT_OPENS - 1, 1),
                change(NEXT_OPENS, 1, "unseen", "probable"),
                by_name(NEXT_OPENS, 1, EPOCH + 1),
            ],
            states("probable"),
            requirements=(10, 11, 14),
        ),
        case(
            "an uncertainty does not reach into the future",
            [appears(NEXT_OPENS - 1, 1, EPOCH + 1, observed=NEXT_OPENS + 5_000, uncertainty=10_000)],
            NEXT_OPENS - 1,
            [noted(NEXT_OPENS - 1, 1)],
            states("unseen"),
        ),
        case(
            "a name in the last millisecond of its window counts until the window ends",
            [appears(WINDOW_ENDS - 1, 1)],
            1_200_000,
            [
                change(WINDOW_ENDS - 1, 1, "unseen", "probable"),
                by_name(WINDOW_ENDS - 1, 1),
                change(1_050_000, 1, "probable", "stale"),
                change(1_140_000, 1, "stale", "gone"),
            ],
            states("gone"),
            requirements=(10, 13),
        ),
        case(
            "a name in the millisecond after its window",
            [appears(WINDOW_ENDS, 1)],
            1_200_000,
            [noted(WINDOW_ENDS, 1)],
            states("unseen"),
        ),
        case(
            "the end of the delay falls on the end of the window: no attempt",
            [appears(WINDOW_ENDS - 1_000, 1)],
            1_040_000,
            [change(WINDOW_ENDS - 1_000, 1, "unseen", "probable")],
            states("probable"),
            requirements=(44,),
            draws=("1000",),
        ),
        case(
            "the delay ends a millisecond before the window",
            [appears(WINDOW_ENDS - 1_000, 1)],
            1_040_000,
            [change(WINDOW_ENDS - 1_000, 1, "unseen", "probable"), by_name(WINDOW_ENDS - 1, 1)],
            states("probable"),
            requirements=(40, 44),
            draws=("999",),
        ),
        case(
            "a name observed in its window and reported after it is evidence of the past, and is not tried",
            [appears(1_040_000, 1, observed=1_000_000)],
            1_200_000,
            [
                change(1_040_000, 1, "unseen", "probable"),
                change(1_050_000, 1, "probable", "stale"),
                change(1_140_000, 1, "stale", "gone"),
            ],
            states("gone"),
            requirements=(12, 13, 44),
        ),
        case(
            "an uncertain observation whose earliest moment is the end of the window",
            [appears(1_030_000, 1, observed=1_025_000, uncertainty=5_000)],
            1_040_000,
            [noted(1_030_000, 1)],
            states("unseen"),
        ),
        case(
            "an uncertain observation whose earliest moment is the last of the window",
            [appears(1_030_000, 1, observed=1_025_000, uncertainty=5_001)],
            1_050_000,
            [change(1_030_000, 1, "unseen", "probable"), change(1_050_000, 1, "probable", "stale")],
            states("stale"),
        ),
        case(
            "an uncertain observation whose latest moment is the first of the window",
            [appears(790_000, 1, EPOCH + 1, observed=770_000, uncertainty=10_000)],
            800_000,
            [change(790_000, 1, "unseen", "probable"), by_name(790_000, 1, EPOCH + 1)],
            states("probable"),
        ),
        case(
            "a minor in the first millisecond of its window",
            [minor_at(NEXT_OPENS, early)],
            NEXT_OPENS,
            [change(NEXT_OPENS, 1, "unseen", "probable")],
            states(("probable", 62_259)),
        ),
        case(
            "a minor before its window is noted once, and its address is believed later",
            [minor_at(NEXT_OPENS - 2, early), minor_at(NEXT_OPENS - 1, early), minor_at(NEXT_OPENS, early)],
            NEXT_OPENS,
            [noted(NEXT_OPENS - 2, 1), change(NEXT_OPENS, 1, "unseen", "probable")],
            states(("probable", 62_259)),
            requirements=(10, 11, 14),
        ),
        case(
            "a minor in the last millisecond of its window",
            [minor_at(WINDOW_ENDS - 1, minor(1))],
            1_049_998,
            [change(WINDOW_ENDS - 1, 1, "unseen", "probable")],
            states(("probable", 62_259)),
        ),
        case(
            "a minor replayed after its window: its address is not believed any more, others are",
            [
                minor_at(WINDOW_ENDS, minor(1), Z),
                minor_at(1_021_000, early, Z),
                minor_at(1_023_000, early, Z),
                minor_at(1_024_000, early, X),
            ],
            1_024_000,
            [noted(WINDOW_ENDS, 1), change(1_024_000, 1, "unseen", "probable")],
            states(("probable", 62_259)),
            requirements=(11, 65),
        ),
        case(
            "a minor of the past epoch that means somebody else in this one costs its address nothing",
            [step(1_000_000, "add", contact=2), minor_at(WINDOW_ENDS, minor(1)), minor_at(1_021_000, minor(1))],
            1_022_000,
            [change(WINDOW_ENDS, 2, "unseen", "probable"), by_minor(1_021_000, 2, X, EPOCH + 1, value=minor(1))],
            states("unseen", ("probable", 62_259)),
            requirements=(2, 61, 65),
            shown=[prediction(1), prediction(2, EPOCH + 1, minor=minor(1))],
        ),
        case(
            "a minor observed in its window and delivered after it is no replay",
            [minor_at(1_030_000, minor(1), observed=1_010_000), minor_at(1_031_000, early)],
            1_031_000,
            [change(1_030_000, 1, "unseen", "probable")],
            states(("probable", 62_259)),
            requirements=(12, 65),
        ),
        case(
            "an uncertain minor whose earliest moment is the last of the window",
            [minor_at(1_025_000, minor(1), uncertainty=5_001)],
            1_025_000,
            [change(1_025_000, 1, "unseen", "probable")],
            states(("probable", 62_259)),
        ),
        case(
            "an uncertain minor whose earliest moment is the end of the window",
            [minor_at(1_025_000, minor(1), uncertainty=5_000)],
            1_025_000,
            [noted(1_025_000, 1)],
            states("unseen"),
        ),
    ]
