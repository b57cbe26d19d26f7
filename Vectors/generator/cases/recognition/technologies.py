"""Attempts at one contact over two technologies: each has delays, repeats and budgets of its own."""

from .parts import (
    X,
    Y,
    Z,
    appears,
    arrived,
    begin,
    by_minor,
    by_name,
    change,
    cut,
    end,
    fail,
    handshake,
    hits,
    in_order,
    minor,
    minor_at,
    probable,
    read,
    scenario,
    shown_by,
    states,
    steady,
)

NEAR = ("probable", 62_259)
BACK = ("confirmed", 62_259)


def heard(contact, address, *moments):
    return [minor_at(at, minor(contact), address) for at in moments]


def independent_cases():
    both = [*begin(1), appears(10_000, 1), *heard(1, X, 10_000, 12_000)]
    met = [change(11_000, 1, "probable", "confirmed"), arrived(11_000, 1)]
    return [
        scenario(
            "a contact over two technologies has an attempt over each, with a delay of its own; the network draws first",
            (40, 41, 49, "INK-BLE-032"),
            both,
            20_000,
            [probable(10_000, 1), by_name(10_700, 1), by_minor(14_000, 1)],
            states(NEAR),
            draws=("700", "4000"),
        ),
        scenario(
            "a name that stays mute does not delay the attempt by radio, nor the other way round",
            (41, 80),
            [*both, *heard(1, X, 30_000, 50_000, 70_000)],
            80_000,
            [probable(10_000, 1), by_name(10_000, 1), by_minor(12_000, 1)],
            states(NEAR),
        ),
        scenario(
            "a network on which every link fails has its repeats, and the radio its attempt and its own repeats",
            (41, 73, 74, 80),
            [
                *in_order(both, [fail(10_500, 1, "unreachable", over="network")]),
                fail(12_400, 1, "reset", over="radio"),
                fail(12_600, 1, "unreachable", over="network"),
                fail(15_000, 1, "silent", over="radio"),
            ],
            20_000,
            [
                probable(10_000, 1),
                by_name(10_000, 1),
                by_name(11_834, 1),
                by_minor(12_000, 1),
                by_minor(13_734, 1),
                by_name(16_600, 1),
            ],
            states(NEAR),
        ),
        scenario(
            "a handshake over the network ends the plan by radio when its delay has run, and not before; when the session "
            "ends there is a new one",
            (44, "INK-BLE-032"),
            [
                *in_order(both, [handshake(11_000, 1, initiator=True, over="network")]),
                end(31_000, 1),
                *heard(1, X, 31_500),
            ],
            40_000,
            [probable(10_000, 1), by_name(10_100, 1), *met, by_minor(33_500, 1)],
            states(BACK),
            draws=("100", "3000", "2000"),
        ),
        scenario(
            "when a session by radio is over before the delay over the network has run, the attempt starts as planned",
            (44, "INK-BLE-032"),
            [
                *begin(1),
                *heard(1, X, 5_000, 10_000),
                appears(10_000, 1),
                handshake(10_300, 1, initiator=True, over="radio"),
                end(10_500, 1),
            ],
            20_000,
            [
                probable(5_000, 1),
                by_minor(10_000, 1),
                change(10_300, 1, "probable", "confirmed"),
                arrived(10_300, 1),
                by_name(10_900, 1),
            ],
            states(BACK),
            draws=("5000", "900"),
        ),
        scenario(
            "a handshake by radio ends the attempt by radio alone: the one over the network still has its result",
            (41, 73),
            [
                *both,
                handshake(12_500, 1, initiator=True, over="radio"),
                fail(13_000, 1, "unreachable", over="network"),
                end(13_500, 1),
            ],
            20_000,
            [
                probable(10_000, 1),
                by_name(10_000, 1),
                by_minor(12_000, 1),
                change(12_500, 1, "probable", "confirmed"),
                arrived(12_500, 1),
                by_name(14_834, 1),
            ],
            states(BACK),
        ),
        scenario(
            "a report that names no technology is of the attempt over the network, and without one of that by radio",
            (73,),
            [
                *both,
                fail(13_000, 1, "silent"),
                fail(13_500, 1, "unreachable"),
                fail(13_600, 1, "unreachable"),
            ],
            20_000,
            [probable(10_000, 1), by_name(10_000, 1), by_minor(12_000, 1), by_minor(14_834, 1)],
            states(NEAR),
        ),
        scenario(
            "a name that led to a call, and a handshake by radio before the call ended: it is not counted as unconfirmed",
            (79,),
            [
                *begin(*range(1, 10)),
                *(one for n in range(1, 8) for one in (appears(13_000 * n, n), fail(13_000 * n + 6_000, n))),
                appears(110_000, 8),
                *heard(8, X, 110_000, 111_500),
                handshake(112_000, 8, initiator=True, over="radio"),
                fail(113_000, 8, over="network"),
                appears(140_000, 9),
            ],
            140_000,
            [
                *(one for n in range(1, 8) for one in (probable(13_000 * n, n), by_name(13_000 * n, n))),
                probable(110_000, 8),
                by_name(110_000, 8),
                by_minor(111_500, 8),
                change(112_000, 8, "probable", "confirmed"),
                arrived(112_000, 8),
                probable(140_000, 9),
                by_name(140_000, 9),
            ],
            shown=shown_by(*range(1, 10)),
        ),
    ]


def budget_cases():
    return [
        scenario(
            "places on the network do not count by radio, where readings count",
            (42, 43, 80),
            [
                *begin(1, 2, 3, 4),
                appears(1_000, 1),
                appears(1_000, 2),
                *in_order(hits(Z, 1_000, 2_000), steady(X, minor(3), 1_500)),
                *steady(Y, minor(4), 5_000),
            ],
            17_000,
            [
                probable(1_000, 1),
                by_name(1_000, 1),
                probable(1_000, 2),
                probable(1_500, 3),
                read(2_000, Z),
                probable(5_000, 4),
                by_name(16_000, 2),
                by_minor(17_000, 3),
            ],
            shown=shown_by(1, 2, 3, 4),
        ),
        scenario(
            "five attempts in a minute over each technology for contacts not confirmed lately",
            (42, 43, 80),
            [
                *begin(*range(1, 8)),
                *in_order(
                    *(
                        [
                            appears(4_000 * n, n),
                            fail(4_000 * n + 100, n, over="network"),
                            *steady(f"0a{n:010x}", minor(n), 4_000 * n),
                            fail(4_000 * n + 1_600, n, over="radio"),
                        ]
                        for n in range(1, 8)
                    )
                ),
            ],
            40_000,
            [
                one
                for n in range(1, 8)
                for one in [
                    probable(4_000 * n, n),
                    *([by_name(4_000 * n, n), by_minor(4_000 * n + 1_500, n, f"0a{n:010x}")] if n < 6 else []),
                ]
            ],
            shown=shown_by(*range(1, 8)),
        ),
    ]


def cut_cases():
    """The observer ended its links itself, and may call again."""
    begun = [*begin(1), *heard(1, X, 10_000, 12_000), handshake(12_500, 1, initiator=True, over="radio")]
    met = [
        probable(10_000, 1),
        by_minor(12_000, 1),
        change(12_500, 1, "probable", "confirmed"),
        arrived(12_500, 1),
    ]
    return [
        scenario(
            "after its own radio was cut off an observer repeats the attempt that had confirmed, when it hears the contact "
            "again",
            (81, 74),
            [*begun, cut(20_000, "radio"), end(20_000, 1), *heard(1, X, 36_000)],
            45_000,
            [*met, by_minor(37_334, 1)],
            states(BACK),
        ),
        scenario(
            "no address is called that was not heard since the radio was cut off, though the contact was not tried",
            (46,),
            [*begin(1), *heard(1, X, 10_000, 11_500), cut(12_000, "radio"), *heard(1, Y, 24_000, 26_000)],
            45_000,
            [probable(10_000, 1), by_minor(26_000, 1, Y)],
            states(NEAR),
            draws=("4000", "0"),
        ),
        scenario(
            "nor one that was not heard since a session with the contact ended",
            (46,),
            [
                *begin(1),
                *heard(1, X, 10_000, 12_000),
                handshake(13_000, 1),
                end(14_000, 1),
                *heard(1, X, 14_000),
                *heard(1, Y, 30_000, 31_500),
            ],
            60_000,
            [
                probable(10_000, 1),
                change(13_000, 1, "probable", "confirmed"),
                arrived(13_000, 1),
                by_minor(31_500, 1, Y),
            ],
            states(BACK),
            draws=("4000", "0"),
        ),
        scenario(
            "nor is the tag of such an address read",
            (46, 68),
            [*begin(1), *hits(X, 10_000, 11_500), cut(12_000, "radio"), *hits(Y, 24_000, 26_000)],
            45_000,
            [read(26_000, Y)],
            states("unseen"),
            draws=("4000", "0"),
        ),
        scenario(
            "an attempt that did not confirm is not repeated because the radio was cut off",
            (81,),
            [
                *begin(1),
                *heard(1, X, 10_000, 12_000),
                fail(12_500, 1, "silent"),
                cut(20_000, "radio"),
                *heard(1, X, 36_000),
            ],
            60_000,
            [probable(10_000, 1), by_minor(12_000, 1)],
            states(NEAR),
        ),
        scenario(
            "what is cut off over the network is not by radio",
            (81,),
            [*begun, cut(20_000, "network"), end(20_000, 1), *heard(1, X, 36_000)],
            60_000,
            met,
            states(BACK),
        ),
        scenario(
            "a network that was cut off has its own repeat",
            (81, 74),
            [
                *begin(1),
                appears(10_000, 1),
                handshake(10_500, 1, initiator=True, over="network"),
                cut(20_000, "network"),
                end(20_000, 1),
            ],
            45_000,
            [
                probable(10_000, 1),
                by_name(10_000, 1),
                change(10_500, 1, "probable", "confirmed"),
                arrived(10_500, 1),
                by_name(21_334, 1),
            ],
            states(("confirmed", 3_277)),
        ),
        scenario(
            "each time that it is cut off, and three times at most in an epoch",
            (73, 81),
            [
                *begun,
                *(
                    one
                    for at, again in ((20_000, 40_000), (80_000, 102_000), (140_000, 171_000), (200_000, 240_000))
                    for one in (
                        cut(at, "radio"),
                        end(at, 1),
                        *in_order(
                            heard(1, X, at + 16_000, at + 30_000),
                            [handshake(again, 1, initiator=True, over="radio")],
                        ),
                    )
                ),
            ],
            400_000,
            [*met, by_minor(37_334, 1), by_minor(100_000, 1), by_minor(168_000, 1)],
        ),
        scenario(
            "when it is cut off at the end of its epoch nothing is repeated",
            (75, 81),
            [*begun, cut(895_500, "radio"), end(895_500, 1), *heard(1, X, 902_000, 905_000)],
            930_000,
            met,
            flags=("boundary",),
        ),
    ]
