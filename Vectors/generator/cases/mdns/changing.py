"""Addresses, interfaces and predictions that change."""

from .dialogue import (
    in_order,
)
from .parts import (
    ADDRESS,
    BOTH,
    LINK_LOCAL,
    PTR,
    TYPE,
    asked,
    browsed_at,
    interface,
    known,
    response_packet,
    scenario,
    sent,
    shown_at,
    start,
    step,
)
from .showing import (
    QUERIES,
)

SECOND = "0a4d0009"


def changing_cases():
    return [*change_cases(), *interface_cases(), *query_cases()]


def change_cases():
    def change(at, *published, **more):
        return step(at, "interfaces", interfaces=[interface(published=published, **more)])

    return [
        scenario(
            "an address is added: one more announcement",
            (34,),
            [start(), change(9_000, ADDRESS, SECOND)],
            20_000,
            [*shown_at(20, 1_020), *shown_at(9_020, addresses=[ADDRESS, SECOND])],
        ),
        scenario(
            "an address goes",
            (34,),
            [start(), change(9_000, SECOND)],
            20_000,
            [*shown_at(20, 1_020), *shown_at(9_020, addresses=[SECOND])],
        ),
        scenario(
            "the order of the addresses changes",
            (34,),
            [start(), change(9_000, SECOND, ADDRESS)],
            20_000,
            [*shown_at(20, 1_020, addresses=[ADDRESS, SECOND]), *shown_at(9_020, addresses=[SECOND, ADDRESS])],
            interfaces=[interface(published=[ADDRESS, SECOND])],
        ),
        scenario(
            "the delay of the announcement is drawn, and nothing else draws",
            (34,),
            [start(), change(9_000, SECOND)],
            20_000,
            [*shown_at(20, 1_020), *shown_at(9_097, addresses=[SECOND])],
            draws=["0", "77"],
        ),
        scenario(
            "an address that changes while an announcement is due: that one says it",
            (34,),
            [start(), change(500, SECOND)],
            20_000,
            [*shown_at(20), *shown_at(1_020, addresses=[SECOND])],
        ),
        scenario(
            "an address that changes before the first announcement",
            (34,),
            [start(), change(10, SECOND)],
            20_000,
            shown_at(20, 1_020, addresses=[SECOND]),
        ),
        scenario(
            "addresses that change again and again: an announcement a second",
            (34,),
            [start(), *[change(2_000 + 100 * n, *([ADDRESS, SECOND] if n % 2 else [SECOND])) for n in range(31)]],
            20_000,
            [
                *shown_at(20, 1_020),
                *shown_at(2_020, addresses=[SECOND]),
                *shown_at(3_020, 4_020, addresses=[SECOND]),
                *shown_at(5_020, addresses=[SECOND]),
            ],
        ),
        scenario(
            "an address that changes just after a response",
            (34,),
            [start(), asked(5_000, TYPE, PTR), change(5_100, SECOND)],
            20_000,
            [*shown_at(20, 1_020, 5_020), *shown_at(6_020, addresses=[SECOND])],
        ),
        scenario(
            "the same addresses again, and other prefixes: nothing",
            (34,),
            [start(), change(9_000, ADDRESS), change(9_500, ADDRESS, prefixes=(("0a000000", 8),))],
            20_000,
            shown_at(20, 1_020),
        ),
        scenario(
            "the first address comes late: two announcements",
            (34,),
            [start(), change(9_000, ADDRESS)],
            20_000,
            shown_at(9_020, 10_020),
            interfaces=[interface(published=[])],
        ),
        scenario(
            "all addresses go, and come back",
            (34,),
            [start(), change(9_000), asked(9_100, TYPE, PTR), change(9_500, SECOND)],
            20_000,
            [*shown_at(20, 1_020), *shown_at(9_520, 10_520, addresses=[SECOND])],
        ),
        scenario(
            "all addresses go and come back between two announcements: only the second is due",
            (34,),
            [start(), change(200), change(400, SECOND)],
            20_000,
            [*shown_at(20), *shown_at(1_020, addresses=[SECOND])],
        ),
    ]


def interface_cases():
    wired = response_packet()

    def change(at, *interfaces):
        return step(at, "interfaces", interfaces=list(interfaces))

    return [
        scenario(
            "an interface comes into use: it begins, the other goes on",
            (34,),
            [start(), change(9_000, interface(), interface(5))],
            60_000,
            in_order(
                shown_at(20, 1_020),
                browsed_at(20, 1_020, 4_020, 13_020, 40_020),
                [sent(at, wired, 5) for at in (9_057, 10_057)],
                [sent(at, browsed_at(0)[0]["packet"], 5) for at in (9_057, 10_057, 13_057, 22_057, 49_057)],
            ),
            browses=True,
            draws=["0", "37", "0"],
        ),
        scenario(
            "an interface that is not in use any more",
            (34,),
            [start(), asked(5_000, TYPE, PTR), change(5_010), asked(6_000, TYPE, PTR)],
            60_000,
            shown_at(20, 1_020),
        ),
        scenario(
            "an interface that comes back begins anew, also its interval between responses",
            (34,),
            [start(), change(1_500), change(1_550, interface()), asked(1_560, TYPE, PTR)],
            10_000,
            shown_at(20, 1_020, 1_570, 2_570),
        ),
        scenario(
            "a family comes into use: the interface begins anew",
            (34,),
            [start(), change(9_000, BOTH)],
            20_000,
            [
                *shown_at(20, 1_020),
                *[
                    sent(at, response_packet(addresses=BOTH["published"]), ipv6=v6)
                    for at in (9_020, 10_020)
                    for v6 in (False, True)
                ],
            ],
        ),
        scenario(
            "a response that is due on a family that goes",
            (34,),
            [
                start(),
                asked(5_000, TYPE, PTR, source=LINK_LOCAL),
                change(5_010, interface(published=BOTH["published"])),
            ],
            5_500,
            [
                *[
                    sent(at, response_packet(addresses=BOTH["published"]), ipv6=v6)
                    for at in (20, 1_020)
                    for v6 in (False, True)
                ],
                sent(5_030, response_packet(addresses=BOTH["published"])),
            ],
            interfaces=[BOTH],
        ),
        scenario(
            "the device ceases to show itself on an interface, and begins again",
            (34,),
            [
                start(),
                change(9_000, interface(shown=False)),
                asked(12_000, TYPE, PTR),
                change(15_000, interface()),
            ],
            17_000,
            in_order(
                shown_at(20, 1_020, 15_020, 16_020), browsed_at(20, 1_020, 4_020, 9_020, 10_020, 13_020, 15_020, 16_020)
            ),
            browses=True,
        ),
        scenario(
            "interfaces that change before the start",
            (34,),
            [change(0, interface(published=[SECOND])), start(1_000)],
            9_000,
            shown_at(1_020, 2_020, addresses=[SECOND]),
        ),
        scenario(
            "an interface that comes and goes every 10 s",
            (34,),
            [
                start(),
                *[
                    change(10_000 * n + at, *what)
                    for n in range(1, 5)
                    for at, what in ((0, ()), (1_000, (interface(),)))
                ],
            ],
            60_000,
            shown_at(20, 1_020, *[10_000 * n + at for n in range(1, 5) for at in (1_020, 2_020)]),
        ),
    ]


def query_cases():
    def predicted(at, *others):
        return step(at, "known", known=known(*others))

    def case(comment, steps, until, *moments, flags=(), **more):
        members = {"announced": None, "browses": True, **more}
        return scenario(comment, (34, 35), [start(), *steps], until, browsed_at(*moments), flags=flags, **members)

    early = QUERIES[:5]
    return [
        case(
            "new predictions: a query, which takes the place of the next",
            [predicted(60_000, 1)],
            200_000,
            *early,
            60_020,
            120_020,
            180_020,
        ),
        case("fewer predictions ask as well", [predicted(60_000)], 100_000, *early, 60_020, known=known(1)),
        case(
            "new predictions within 4 s of a query: it waits, and the growing intervals go on from it",
            [predicted(5_000, 1)],
            100_000,
            *[20, 1_020, 4_020, 8_020, 35_020, 95_020],
        ),
        case(
            "new predictions 3,980 ms after a query",
            [predicted(44_000, 1)],
            60_000,
            *early,
            44_020,
            flags=("boundary",),
        ),
        case(
            "new predictions 3,979 ms after a query",
            [predicted(43_999, 1)],
            60_000,
            *early,
            44_020,
            flags=("boundary",),
        ),
        case(
            "new predictions 3,981 ms after a query",
            [predicted(44_001, 1)],
            60_000,
            *early,
            44_021,
            flags=("boundary",),
        ),
        case("new predictions when a query is due anyway", [predicted(3_500, 1)], 10_000, 20, 1_020, 4_020),
        case(
            "new predictions before the first query change nothing, and draw nothing",
            [predicted(10, 1)],
            5_000,
            20,
            1_020,
            4_020,
            draws=["0", "99"],
        ),
        case(
            "new predictions again and again: a query every 4 s",
            [predicted(50_000 + 100 * n, n) for n in range(100)],
            60_500,
            *[*early, 50_020, 54_020, 58_020],
        ),
        case("the delay is drawn", [predicted(60_000, 1)], 90_000, *early[:4], 40_020, 60_120, draws=["0", "0", "100"]),
        scenario(
            "a device that does not browse asks nothing because of new predictions",
            (34, 35),
            [start(), predicted(60_000, 1)],
            200_000,
            shown_at(20, 1_020),
        ),
        scenario(
            "on each interface with a draw of its own, and not on one that has not asked yet",
            (34, 35),
            [
                start(),
                step(59_990, "interfaces", interfaces=[interface(), interface(3), interface(4)]),
                predicted(60_000, 1),
            ],
            60_200,
            [
                *[sent(at, browsed_at(0)[0]["packet"], n) for at in early for n in (2, 3)],
                sent(60_050, browsed_at(0)[0]["packet"], 2),
                sent(60_060, browsed_at(0)[0]["packet"], 3),
                sent(60_110, browsed_at(0)[0]["packet"], 4),
            ],
            announced=None,
            browses=True,
            interfaces=[interface(), interface(3)],
            draws=["0", "0", "0", "0", "100", "30", "40"],
        ),
        scenario(
            "new predictions before the start",
            (34, 35),
            [step(0, "known", known=[]), start(5)],
            500,
            browsed_at(25),
            announced=None,
            browses=True,
        ),
    ]
