"""Attempts and readings that are repeated after a failed link, and the end of calls to names that do not confirm."""

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
    end,
    fail,
    handshake,
    hits,
    in_order,
    minor,
    minor_at,
    probable,
    read,
    replayed,
    scenario,
    shown_by,
    states,
    steady,
    step,
    unread,
    vanishes,
)

BOUNDARY = 900_000


def met(at, contact, before="probable"):
    return [change(at, contact, before, "confirmed"), arrived(at, contact)]


def repeat_cases():
    seen = [probable(10_000, 1), by_name(10_000, 1)]
    one = minor(1)
    return [
        scenario(
            "a link that fails is tried again after 2, 6 and 18 s, less a third: twice in a minute, three times in all",
            (73, 74, 77),
            [
                *begin(1),
                appears(10_000, 1),
                fail(11_000, 1, "unreachable"),
                fail(13_000, 1, "reset"),
                fail(18_000, 1, "unreachable"),
                fail(73_000, 1, "reset"),
            ],
            700_000,
            [*seen, by_name(12_334, 1), by_name(17_000, 1), by_name(72_334, 1)],
            states("probable"),
        ),
        scenario(
            "the largest draws: a third more, and no later",
            (74,),
            [
                *begin(1),
                appears(10_000, 1),
                fail(11_000, 1, "unreachable"),
                fail(14_000, 1, "unreachable"),
                fail(100_000, 1, "unreachable"),
            ],
            200_000,
            [*seen, by_name(13_666, 1), by_name(22_000, 1)],
            draws=("0", "1332", "4000", "12000"),
            flags=("boundary",),
        ),
        scenario(
            "the third repeat, with the largest draw",
            (74,),
            [
                *begin(1),
                appears(10_000, 1),
                fail(11_000, 1, "unreachable"),
                vanishes(12_000, 1),
                appears(100_000, 1),
                fail(104_000, 1, "unreachable"),
                vanishes(104_000, 1),
                appears(200_000, 1),
                fail(210_000, 1, "unreachable"),
            ],
            300_000,
            draws=("0", "1333", "1332", "8001", "3999", "12000"),
            flags=("boundary",),
        ),
        scenario(
            "a draw above the range is a small one",
            (74,),
            [*begin(1), appears(10_000, 1), fail(11_000, 1, "reset")],
            20_000,
            [*seen, by_name(12_334, 1)],
            draws=("0", "1333"),
            flags=("boundary",),
        ),
        *(
            scenario(
                f"an attempt that ends with {why} is not repeated",
                (41, 73),
                [*begin(1), appears(10_000, 1), fail(11_000, 1, why)],
                700_000,
                seen,
            )
            for why in ("silent", "refused", "stranger")
        ),
        scenario(
            "an attempt without a result is not repeated, and a report of its failure comes too late",
            (45, 73),
            [*begin(1), appears(10_000, 1), fail(25_000, 1, "reset")],
            700_000,
            seen,
            flags=("boundary",),
        ),
        scenario(
            "silence after a repeat ends the repeats",
            (73,),
            [*begin(1), appears(10_000, 1), fail(11_000, 1, "reset"), fail(13_000, 1, "silent")],
            700_000,
            [*seen, by_name(12_334, 1)],
        ),
        scenario(
            "the last millisecond before the last five seconds of the epoch",
            (75,),
            [*begin(1), appears(890_000, 1), fail(893_665, 1, "reset")],
            1_000_000,
            [probable(890_000, 1), by_name(890_000, 1), by_name(894_999, 1)],
            flags=("boundary",),
        ),
        scenario(
            "in the last five seconds of the epoch nothing is repeated, and not after it",
            (75,),
            [*begin(1), appears(890_000, 1), fail(893_666, 1, "reset")],
            1_000_000,
            [probable(890_000, 1), by_name(890_000, 1)],
            flags=("boundary",),
        ),
        scenario(
            "after the boundary the name of the epoch before is repeated in the observer's epoch",
            (73, 75),
            [*begin(1), appears(BOUNDARY + 1_000, 1), fail(BOUNDARY + 2_000, 1, "reset")],
            1_000_000,
            [probable(BOUNDARY + 1_000, 1), by_name(BOUNDARY + 1_000, 1), by_name(BOUNDARY + 3_334, 1)],
        ),
        scenario(
            "the name of the next epoch appears: its first attempt replaces the repeat",
            (73, 76),
            [
                *begin(1),
                appears(NEXT_OPENS + 1_000, 1),
                fail(NEXT_OPENS + 2_000, 1, "reset"),
                appears(NEXT_OPENS + 3_000, 1, EPOCH + 1),
                fail(NEXT_OPENS + 4_000, 1, "silent"),
            ],
            NEXT_OPENS + 100_000,
            [
                probable(NEXT_OPENS + 1_000, 1),
                by_name(NEXT_OPENS + 1_000, 1),
                by_name(NEXT_OPENS + 3_000, 1, EPOCH + 1),
            ],
        ),
        scenario(
            "a name that vanishes takes its repeat with it; when it comes again, the delay is drawn again",
            (44, 74),
            [*begin(1), appears(10_000, 1), fail(11_000, 1, "reset"), vanishes(11_500, 1), appears(20_000, 1)],
            30_000,
            [*seen, by_name(21_334, 1)],
        ),
        scenario(
            "no repeat while a session is open, and none after it",
            (44, 73),
            [
                *begin(1),
                appears(10_000, 1),
                fail(11_000, 1, "reset"),
                handshake(12_000, 1),
                end(20_000, 1),
            ],
            100_000,
            [*seen, *met(12_000, 1)],
        ),
        scenario(
            "first attempts go before repeated ones, also those of contacts that matter less",
            (48, 76),
            [
                *begin(3),
                step(0, "add", contact=1, importance=100),
                step(0, "add", contact=2),
                appears(10_000, 1),
                fail(11_000, 1, "reset"),
                appears(11_500, 3),
                appears(12_000, 2),
                fail(14_000, 3),
                fail(15_000, 2),
            ],
            30_000,
            [
                *seen,
                probable(11_500, 3),
                by_name(11_500, 3),
                probable(12_000, 2),
                by_name(14_000, 2),
                by_name(15_000, 1),
            ],
            shown=shown_by(1, 2, 3),
        ),
        scenario(
            "one repeat at once, though a second place is free for a recent contact",
            (77,),
            [
                *begin(1, 2),
                *(handshake(1_000, n) for n in (1, 2)),
                *(end(2_000, n) for n in (1, 2)),
                appears(10_000, 1),
                appears(10_000, 2),
                fail(10_500, 1, "reset"),
                fail(10_500, 2, "reset"),
                fail(13_000, 1, "silent"),
            ],
            60_000,
            [
                *met(1_000, 1, "unseen"),
                *met(1_000, 2, "unseen"),
                by_name(10_000, 1),
                by_name(10_000, 2),
                by_name(11_834, 1),
                by_name(13_000, 2),
            ],
        ),
        scenario(
            "two repeats in a minute, and first attempts beside them",
            (77,),
            [
                *begin(1, 2, 3),
                appears(10_000, 1),
                fail(10_100, 1, "reset"),
                fail(12_000, 1, "reset"),
                fail(17_000, 1, "silent"),
                appears(20_000, 2),
                fail(20_100, 2, "reset"),
                appears(30_000, 3),
                fail(30_100, 3),
            ],
            100_000,
            [
                *seen,
                by_name(11_434, 1),
                by_name(16_000, 1),
                probable(20_000, 2),
                by_name(20_000, 2),
                probable(30_000, 3),
                by_name(30_000, 3),
                by_name(71_434, 2),
            ],
            shown=shown_by(1, 2, 3),
        ),
        scenario(
            "by radio the address may be called again, by the contact whose link failed",
            (47, 73),
            [
                *begin(1, 2),
                *steady(X, one, 10_000),
                fail(12_000, 1, "reset"),
                minor_at(13_000, one),
            ],
            30_000,
            None,
            shown=shown_by(1) + [{**shown_by(2)[0]}, {**shown_by(2)[1], "minor": one}],
        ),
        scenario(
            "another address may be called as well, and each by no one else",
            (47, 73),
            [
                *begin(1, 2),
                *steady(X, one, 10_000),
                fail(12_000, 1, "unreachable"),
                *steady(Y, one, 12_100),
                fail(14_500, 2, "silent"),
            ],
            40_000,
            None,
            shown=shown_by(1) + [{**shown_by(2)[0]}, {**shown_by(2)[1], "minor": one}],
        ),
        scenario(
            "after a set clock another epoch begins: what failed before is not repeated in it",
            (75,),
            [
                *begin(1),
                appears(10_000, 1),
                fail(11_000, 1, "reset"),
                step(11_500, "clock", ahead=900),
                step(11_500, "table", epoch=EPOCH + 1),
            ],
            60_000,
            None,
        ),
        scenario(
            "a reading whose link failed is repeated in the same way",
            (78,),
            [
                *begin(1),
                *hits(X, 10_000, 11_000),
                unread(12_000, X),
                *hits(X, 13_500),
                unread(14_000, X),
                *hits(X, 40_000, 60_000),
                unread(75_000, X),
            ],
            200_000,
            [read(11_000, X), read(13_334, X), read(71_000, X), read(87_000, X)],
        ),
        scenario(
            "a reading whose link failed four times",
            (78,),
            [
                *begin(1),
                *(
                    one
                    for at in (10_000, 80_000, 150_000, 220_000, 290_000)
                    for one in (*hits(X, at, at + 1_000), *(unread(at + second, X) for second in (7_000, 20_000, 50_000)))
                ),
            ],
            400_000,
            None,
        ),
        scenario(
            "a reading that ended without a tag is not repeated",
            (78,),
            [*begin(1), *hits(X, 10_000, 11_000), step(12_000, "tag", address=X), unread(12_500, X)],
            60_000,
            [read(11_000, X)],
        ),
        scenario(
            "a report about an address at which nothing is read",
            (51, 78),
            [*begin(1), unread(10_000, X), *hits(X, 10_000, 11_000), unread(40_000, X)],
            60_000,
            [read(11_000, X)],
        ),
        scenario(
            "decoys are repeated as well",
            (69, 78),
            [
                *begin(1),
                *steady(X, 4_711, 10_000),
                unread(13_000, X),
                minor_at(14_000, 4_711),
                minor_at(18_000, 4_711),
            ],
            40_000,
            [read(11_500, X), read(14_334, X)],
            decoys=65_535,
        ),
        scenario(
            "repeats of readings and of attempts have the same places",
            (77, 78),
            [
                *begin(1, 2),
                *hits(X, 10_000, 11_000),
                unread(11_500, X),
                appears(20_000, 1),
                fail(20_500, 1, "reset"),
                fail(30_000, 1, "reset"),
                fail(40_000, 1, "silent"),
            ],
            100_000,
            None,
        ),
    ]


def replay_cases():
    nine = shown_by(*range(1, 10))

    def calls(count, start=13_000, every=13_000, why="silent"):
        """Contacts that appear one after the other, each of which is called and fails."""
        return [
            one for n in range(1, count + 1) for one in (appears(start + every * (n - 1), n), fail(start + every * (n - 1) + 100, n, why))
        ]

    def called(count, start=13_000, every=13_000):
        return [
            one
            for n in range(1, count + 1)
            for one in (probable(start + every * (n - 1), n), by_name(start + every * (n - 1), n))
        ]

    return [
        scenario(
            "after eight names that did not confirm the ninth is not called before the next epoch",
            (79,),
            [*begin(*range(1, 10)), *calls(8), appears(117_000, 9)],
            950_000,
            [*called(8), replayed(104_100), probable(117_000, 9), by_name(BOUNDARY, 9)],
            shown=nine,
        ),
        scenario(
            "after eight names that did not confirm a recent contact is called all the same",
            (79,),
            [
                *begin(*range(1, 10)),
                handshake(1_000, 9),
                end(2_000, 9),
                *calls(8),
                appears(117_000, 9),
            ],
            118_000,
            None,
            shown=nine,
        ),
        scenario(
            "the eighth is still running: the ninth waits for its result, and is called when it confirms",
            (79,),
            [
                *begin(*range(1, 10)),
                *calls(7, every=15_000),
                appears(118_000, 8),
                appears(118_500, 9),
                handshake(120_000, 8, initiator=True),
            ],
            130_000,
            [
                *called(7, every=15_000),
                probable(118_000, 8),
                by_name(118_000, 8),
                probable(118_500, 9),
                *met(120_000, 8),
                by_name(120_000, 9),
            ],
            shown=nine,
        ),
        scenario(
            "an attempt that is given up counts, at its end",
            (79,),
            [*begin(*range(1, 10)), *calls(7), appears(104_000, 8), appears(121_000, 9)],
            130_000,
            [
                *called(7),
                probable(104_000, 8),
                by_name(104_000, 8),
                replayed(119_000),
                probable(121_000, 9),
            ],
            shown=nine,
        ),
        scenario(
            "repeats count as well",
            (73, 79),
            [
                *begin(*range(1, 10)),
                *calls(6),
                appears(91_000, 7),
                fail(91_100, 7, "reset"),
                fail(93_000, 7, "reset"),
                appears(130_000, 8),
            ],
            140_000,
            None,
            shown=nine,
        ),
        scenario(
            "who confirmed as the initiator while our own call ran is no stranger, however that call ends",
            (79,),
            [
                *begin(*range(1, 10)),
                *calls(7),
                appears(104_000, 8),
                handshake(104_500, 8),
                fail(105_000, 8),
                appears(117_000, 9),
            ],
            118_000,
            None,
            shown=nine,
        ),
        scenario(
            "a call that runs over the boundary does not count in the new epoch",
            (79,),
            [
                *begin(*range(1, 10)),
                *calls(7, start=810_000, every=13_000),
                appears(895_000, 8),
                fail(BOUNDARY + 100, 8),
                appears(BOUNDARY + 20_000, 9),
            ],
            BOUNDARY + 30_000,
            None,
            shown=nine,
        ),
        scenario(
            "minors are no names: their calls do not count, and go on",
            (79,),
            [
                *begin(*range(1, 10)),
                *calls(8),
                *in_order(steady(X, minor(9), 170_000)),
            ],
            180_000,
            None,
            shown=nine,
        ),
    ]
