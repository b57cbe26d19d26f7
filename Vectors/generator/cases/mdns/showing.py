"""What a device sends by itself: announcements, browse queries, goodbyes."""

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
    stop,
)

SECOND = "0a4d0009"


QUERIES = [20, 1_020, 4_020, 13_020, 40_020, 100_020, 160_020]


def showing_cases():
    return [*time_cases(), *path_cases(), *stop_cases()]


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
