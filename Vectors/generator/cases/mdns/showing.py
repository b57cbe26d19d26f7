"""What a device sends by itself: announcements, browse queries, goodbyes; and its interfaces."""

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
    stop,
)

SECOND = "0a4d0009"
QUERIES = [20, 1_020, 4_020, 13_020, 40_020, 100_020, 160_020]


def in_order(*lists):
    """Effects of one moment stay in the order in which the lists are given."""
    return sorted((one for effects in lists for one in effects), key=lambda one: one["at"])


def showing_cases():
    return [*time_cases(), *path_cases(), *stop_cases(), *change_cases(), *interface_cases(), *query_cases()]


def time_cases():
    both = in_order(shown_at(20, 1_020), browsed_at(*QUERIES))
    slow = in_order(shown_at(120, 1_120), browsed_at(120, 1_120, 4_120, 13_120, 40_120, 160_120, 220_120))
    return [
        scenario(
            "two announcements a second apart, and queries at 0, 1, 4, 13 and 40 s and then every minute",
            (1, 12, 17, 18, 34),
            [start()],
            200_000,
            both,
            browses=True,
        ),
        scenario(
            "the longest delays, and then the shortest interval, since a draw counts modulo the width plus 1",
            (34,),
            [start()],
            250_000,
            slow,
            browses=True,
            draws=["100", "60000", "60001"],
            flags=("boundary",),
        ),
        scenario(
            "the start is later, and all moments with it",
            (12, 34),
            [start(7_000)],
            100_000,
            in_order(shown_at(7_020, 8_020), browsed_at(7_020, 8_020, 11_020, 20_020, 47_020)),
            browses=True,
        ),
        scenario("a draw of 2^64 − 1", (34,), [start()], 100, shown_at(20 + (2**64 - 1) % 101), draws=[str(2**64 - 1)]),
        scenario("a draw of 101 is the shortest delay", (34,), [start()], 100, shown_at(20), draws=["101"]),
        scenario("a device that starts twice", (34,), [start(), start(500)], 3_000, shown_at(20, 1_020)),
        scenario("a device that only announces", (12, 17), [start()], 100_000, shown_at(20, 1_020)),
        scenario(
            "a device that only browses",
            (17, 34),
            [start()],
            100_000,
            browsed_at(*QUERIES[:5]),
            announced=None,
            browses=True,
        ),
        scenario("a device without a purpose", (34,), [start()], 100_000, [], announced=None),
        scenario(
            "an instance that is only answered is not shown",
            (13,),
            [start(), stop(9_000)],
            100_000,
            [],
            announced=None,
            answered=[{"name": "aa" * 16, "host": "bb" * 16, "port": 9}],
        ),
        scenario(
            "a question before the start", (34,), [asked(0, TYPE, PTR), start(1_000)], 5_000, shown_at(1_020, 2_020)
        ),
    ]


def path_cases():
    own = {"addresses": [ADDRESS, LINK_LOCAL]}
    other = interface(7, ipv4=False, ipv6=True, published=["fd00000000000001" + "00" * 8], prefixes=())
    theirs = response_packet(addresses=other["published"])
    ours = response_packet(**own)
    browse = browsed_at(20)[0]["packet"]
    return [
        scenario(
            "both families: each packet on IPv4 and then on IPv6",
            (1, 34),
            [start()],
            500,
            [sent(20, ours), sent(20, ours, ipv6=True), sent(20, browse), sent(20, browse, ipv6=True)],
            browses=True,
            interfaces=[BOTH],
        ),
        scenario(
            "IPv6 alone",
            (1, 34),
            [start()],
            500,
            [sent(20, theirs, 7, True), sent(20, browse, 7, True)],
            browses=True,
            interfaces=[other],
        ),
        scenario(
            "two interfaces, each with its own draw and its own addresses, in the order of their numbers",
            (1, 34),
            [start()],
            500,
            [sent(30, ours), sent(30, ours, ipv6=True), sent(53, theirs, 7, True)],
            interfaces=[other, BOTH],
            draws=["10", "33"],
        ),
        scenario(
            "an interface without an address is asked on, and shows nothing",
            (1, 34),
            [start(), asked(5_000, TYPE, PTR)],
            6_000,
            browsed_at(20, 1_020, 4_020),
            browses=True,
            interfaces=[interface(published=[])],
        ),
        scenario(
            "an interface on which the device does not show itself is asked on, and shows nothing",
            (1, 34),
            [start(), asked(5_000, TYPE, PTR)],
            6_000,
            browsed_at(20, 1_020, 4_020),
            browses=True,
            interfaces=[interface(shown=False)],
        ),
        scenario(
            "an interface without a family",
            (34,),
            [start()],
            9_000,
            [],
            browses=True,
            interfaces=[interface(ipv4=False)],
        ),
        scenario("no interface", (34,), [start(), stop(9_000)], 9_000, [], browses=True, interfaces=[]),
        scenario(
            "of two interfaces with one number the first counts",
            (34,),
            [start()],
            500,
            shown_at(20),
            interfaces=[interface(), interface(published=[SECOND])],
        ),
    ]


def stop_cases():
    goodbye = response_packet(goodbye=True)
    return [
        scenario(
            "a goodbye, and nothing after it",
            (15, 34),
            [start(), stop(9_000), asked(9_001, TYPE, PTR), start(9_002), step(9_003, "known", known=known(1))],
            200_000,
            [*in_order(shown_at(20, 1_020), browsed_at(20, 1_020, 4_020)), sent(9_000, goodbye)],
            browses=True,
        ),
        scenario(
            "without a goodbye, nothing",
            (15, 16),
            [start(), stop(9_000, goodbye=False), asked(9_001, TYPE, PTR)],
            200_000,
            shown_at(20, 1_020),
        ),
        scenario(
            "a goodbye before the first announcement", (15, 16), [start(), stop(19)], 9_000, [], flags=("boundary",)
        ),
        scenario("a goodbye before the start", (15, 16), [stop(0), start(10)], 9_000, []),
        scenario(
            "a goodbye at the moment of the first announcement, which is due after it",
            (15, 16),
            [start(), stop(20)],
            9_000,
            [],
            flags=("boundary",),
        ),
        scenario(
            "a goodbye while a response is due",
            (15,),
            [start(), asked(8_995, TYPE, PTR), stop(9_000)],
            20_000,
            [*shown_at(20, 1_020), sent(9_000, goodbye)],
        ),
        scenario(
            "a goodbye on every path on which the instance was shown",
            (15,),
            [
                start(),
                step(8_990, "interfaces", interfaces=[BOTH, interface(5), interface(4, shown=False)]),
                stop(9_000),
            ],
            20_000,
            [
                *[
                    sent(at, response_packet(addresses=BOTH["published"]), ipv6=v6)
                    for at in (20, 1_020)
                    for v6 in (False, True)
                ],
                *[
                    sent(9_000, response_packet(addresses=BOTH["published"], goodbye=True), ipv6=v6)
                    for v6 in (False, True)
                ],
            ],
            interfaces=[BOTH],
        ),
        scenario(
            "a goodbye for the addresses that are published now",
            (15,),
            [start(), step(8_990, "interfaces", interfaces=[interface(published=[SECOND])]), stop(9_000)],
            20_000,
            [*shown_at(20, 1_020), sent(9_000, response_packet(addresses=[SECOND], goodbye=True))],
        ),
        scenario(
            "no goodbye where nothing is published any more",
            (15,),
            [start(), step(8_990, "interfaces", interfaces=[interface(published=[])]), stop(9_000)],
            20_000,
            shown_at(20, 1_020),
        ),
        scenario(
            "no goodbye for an instance that is only answered",
            (13, 15),
            [start(), asked(5_000, f"{'aa' * 16}.{TYPE}", 33), stop(9_000)],
            20_000,
            [sent(5_020, response_packet(announced=False, name="aa" * 16, host="bb" * 16, port=9))],
            announced=None,
            answered=[{"name": "aa" * 16, "host": "bb" * 16, "port": 9}],
        ),
    ]


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
