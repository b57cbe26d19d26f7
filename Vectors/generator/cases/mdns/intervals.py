"""When responses leave: intervals, crowds, and copies of the device's own packets."""

from ...reference.notation import (
    u16,
)
from .dialogue import (
    FIRST,
    HIDDEN,
    LAST,
    answered,
    in_order,
    probe,
    to,
)
from .parts import (
    BOTH,
    BROWSE,
    LINK_LOCAL,
    PTR,
    QU,
    SRV,
    TXT,
    TYPE,
    asked,
    browsed_at,
    heard,
    instance,
    interface,
    message,
    name,
    other_host,
    other_name,
    ptr,
    question,
    record,
    response,
    response_packet,
    scenario,
    sent,
    shown_at,
    srv,
    start,
    step,
    txt,
)


def interval_cases():
    return [*pause_cases(), *crowd_cases(), *copy_cases()]


def pause_cases():
    ours = response_packet(addresses=BOTH["published"])
    hidden = response_packet(announced=False, **HIDDEN)
    last = response_packet(announced=False, **LAST)
    return [
        answered(
            "questions again and again: one response a second",
            (34,),
            [asked(5_000 + 50 * n, TYPE, PTR) for n in range(40)],
            *shown_at(5_020, 6_020, 7_020),
        ),
        answered(
            "a question a second after a response",
            (34,),
            [asked(5_000, TYPE, PTR), asked(6_000, TYPE, PTR)],
            *shown_at(5_020, 6_020),
            flags=("boundary",),
        ),
        answered(
            "a question a millisecond later",
            (34,),
            [asked(5_000, TYPE, PTR), asked(6_001, TYPE, PTR)],
            *shown_at(5_020, 6_021),
            flags=("boundary",),
        ),
        answered("the second announcement counts", (34,), [asked(1_030, TYPE, PTR)], *shown_at(2_020)),
        answered("a response that is due goes with the second announcement", (34,), [asked(900, TYPE, PTR)]),
        answered(
            "a response that is due goes with the announcement of an address",
            (34,),
            [
                asked(5_000, TYPE, PTR),
                asked(5_100, TYPE, PTR),
                step(5_990, "interfaces", interfaces=[interface(published=["0a4d0009"])]),
            ],
            *shown_at(5_020),
            *shown_at(6_020, addresses=["0a4d0009"]),
        ),
        answered(
            "the earlier of two moments",
            (34,),
            [asked(5_000, TYPE, PTR), asked(5_010, TYPE, PTR)],
            *shown_at(5_030),
            draws=["0", "100", "0"],
        ),
        answered(
            "the earlier of two moments, the other way",
            (34,),
            [asked(5_000, TYPE, PTR), asked(5_010, TYPE, PTR)],
            *shown_at(5_020),
            draws=["0", "0", "100"],
        ),
        scenario(
            "a question before the first announcement",
            (34,),
            [start(), asked(1, TYPE, PTR)],
            5_000,
            shown_at(100, 1_100),
            draws=["80", "0"],
        ),
        scenario(
            "each path for itself",
            (34,),
            [start(), asked(5_000, TYPE, PTR), asked(5_200, TYPE, PTR, source=LINK_LOCAL), asked(5_300, TYPE, PTR)],
            8_000,
            [
                *[sent(at, ours, ipv6=v6) for at in (20, 1_020) for v6 in (False, True)],
                sent(5_020, ours),
                sent(5_220, ours, ipv6=True),
                sent(6_020, ours),
            ],
            interfaces=[BOTH],
        ),
        scenario(
            "several paths at one moment, in their order",
            (34,),
            [
                start(),
                asked(5_000, TYPE, PTR, interface=9),
                asked(5_000, TYPE, PTR, source=LINK_LOCAL),
                asked(5_000, TYPE, PTR),
            ],
            8_000,
            [
                *[
                    one
                    for at in (20, 1_020)
                    for one in (sent(at, ours), sent(at, ours, ipv6=True), sent(at, response_packet(), 9))
                ],
                sent(5_020, ours),
                sent(5_020, ours, ipv6=True),
                sent(5_020, response_packet(), 9),
            ],
            interfaces=[interface(9), BOTH],
        ),
        answered(
            "several instances at one moment, in the order of their names, each with its own interval",
            (13, 34),
            [
                asked(5_000, instance("cc" * 16), SRV),
                asked(5_000, TYPE, PTR),
                asked(5_000, instance("aa" * 16), SRV),
                asked(5_400, instance("aa" * 16), TXT),
            ],
            sent(5_020, hidden),
            sent(5_020, last),
            *shown_at(5_020),
            sent(6_020, hidden),
            answered=[LAST, HIDDEN],
        ),
    ]


def crowd(at, count, first=1_000, **more):
    """Packets with the names of others, 32 in each."""
    names = [other_name(number) for number in range(first, first + count)]
    packets = [names[place : place + 32] for place in range(0, count, 32)]
    return [heard(at, response(*pointing(packet, **more)), source="0a4d0005") for packet in packets]


def pointing(names, **more):
    """PTR records of which all but the first point to the service type in the first."""
    owner = u16(0xC00C)
    others = [record(owner, PTR, name(one)[:-1] + owner, **{"class_": 1, **more}) for one in names[1:]]
    return [ptr(names[0], **more), *others]


def crowd_cases():
    def case(comment, steps, interval, until=40_000, ask=12_000, flags=()):
        questions = [asked(ask, TYPE, PTR), asked(ask + 100, TYPE, PTR)]
        return answered(
            comment, (34, 38), [*steps, *questions], *shown_at(ask + 20, ask + 20 + interval), until=until, flags=flags
        )

    def at_minute(comment, heard_at, ask, interval, flags=("boundary",)):
        return case(comment, crowd(heard_at, 300), interval, ask + 20_000, ask - 100, flags)

    again = [*crowd(2_000, 150), *crowd(2_500, 150, 1_100)]
    return [
        case("100 names: a response a second", crowd(2_000, 100), 1_000, flags=("boundary",)),
        case("101 names", crowd(2_000, 101), 1_010, flags=("boundary",)),
        case("250 names", crowd(2_000, 250), 2_500),
        case("999 names", crowd(2_000, 999), 9_990, flags=("boundary",)),
        case("1,000 names", crowd(2_000, 1_000), 10_000, flags=("boundary",)),
        case("1,100 names: a response in ten seconds", crowd(2_000, 1_100), 10_000, flags=("boundary",)),
        case("a name that is heard again counts once", again, 2_500),
        case(
            "names of two sources and with every TTL count once",
            [*crowd(2_000, 200), *crowd(2_100, 200, ttl=0), *crowd(2_200, 200, class_=0x8001)],
            2_000,
        ),
        case("names that are withdrawn count as well", crowd(2_000, 200, ttl=0), 2_000),
        case(
            "the device's own name does not count",
            [*crowd(2_000, 100), heard(2_100, response_packet())],
            1_000,
            flags=("boundary",),
        ),
        case(
            "names in queries, from other ports and from behind routers do not count",
            [
                heard(
                    2_000,
                    message([question(TYPE, PTR)], [ptr(other_name(n)) for n in range(31)], flags=0x8400),
                    port=5_354,
                ),
                *[
                    heard(2_000 + n, response(*[ptr(other_name(100 * n + m)) for m in range(32)]), hop_limit=254)
                    for n in range(8)
                ],
            ],
            1_000,
        ),
        case(
            "SRV, TXT and addresses of other names do not count",
            [
                heard(
                    2_000 + n,
                    response(
                        *[srv(other_name(16 * n + m), other_host(1)) for m in range(16)],
                        *[txt(other_name(16 * n + m)) for m in range(16)],
                    ),
                )
                for n in range(10)
            ],
            1_000,
        ),
        at_minute("names of the minute before count: at its end", 2_000, 119_999, 3_000),
        at_minute("and not after it", 2_000, 120_000, 1_000),
        at_minute("names of the last millisecond of a minute", 59_999, 119_999, 3_000),
        at_minute("names of the first millisecond of a minute count longer", 60_000, 179_999, 3_000),
        at_minute("and not in the third", 60_000, 180_000, 1_000),
        answered(
            "names of two minutes are counted together",
            (34, 38),
            [*crowd(50_000, 120), *crowd(70_000, 120, 1_100), asked(80_000, TYPE, PTR), asked(80_100, TYPE, PTR)],
            *shown_at(80_020, 82_220),
            until=90_000,
        ),
        answered(
            "n of the moment of the question counts",
            (34, 38),
            [asked(5_000, TYPE, PTR), asked(5_100, TYPE, PTR), *crowd(5_200, 500)],
            *shown_at(5_020, 6_020),
            until=9_000,
        ),
        answered(
            "the minutes begin with the start, and a probe is not slowed down",
            (34, 38),
            [*crowd(5_000, 1_000), heard(6_000, probe()), heard(6_100, probe())],
            *shown_at(6_000, 6_250),
            until=9_000,
        ),
    ]


def copy_cases():
    """The system gives back what a device sends by multicast."""
    own = "0a4d0001"

    def browsing(comment, steps, *answers, until=9_000, interfaces=None):
        sends = in_order(FIRST, browsed_at(20, 1_020, 4_020), shown_at(*answers))
        members = {} if interfaces is None else {"interfaces": interfaces}
        return scenario(comment, (22,), [start(), *steps], until, sends, browses=True, **members)

    return [
        browsing("the copy of a query is nobody's question", [heard(4_021, BROWSE, own)]),
        browsing(
            "the same query of another device, before the copy and after it",
            [heard(4_021, BROWSE), heard(4_022, BROWSE, own)],
            4_042,
        ),
        browsing("a copy 999 ms later", [heard(5_019, BROWSE, own)]),
        browsing("a second later it is another's", [heard(5_020, BROWSE, own)], 5_040),
        browsing(
            "each query has one copy",
            [heard(1_021, BROWSE, own), heard(1_022, BROWSE, own), heard(1_023, BROWSE, own)],
            2_020,
        ),
        browsing("a copy of the first query and of the second", [heard(1_019, BROWSE, own), heard(1_021, BROWSE, own)]),
        scenario(
            "copies are counted on each interface",
            (22,),
            [start(), heard(4_021, BROWSE, own, number=3), heard(4_022, BROWSE, own, number=3)],
            4_100,
            [
                *[
                    one
                    for at in (20, 1_020, 4_020)
                    for number in (2, 3)
                    for one in ([sent(at, response_packet(), number)] if at < 4_000 else [])
                    + [sent(at, BROWSE, number)]
                ],
                sent(4_042, response_packet(), 3),
            ],
            browses=True,
            interfaces=[interface(), interface(3)],
        ),
        scenario(
            "what comes over a family that the interface has not",
            (22,),
            [start(), heard(21, BROWSE, LINK_LOCAL)],
            200,
            [sent(20, response_packet()), sent(20, BROWSE)],
            browses=True,
            interfaces=[interface()],
        ),
        scenario(
            "the copy of an announcement is no other device's",
            (22,),
            [start(), heard(25, response_packet(), own), heard(1_025, response_packet(), own)],
            9_000,
            FIRST,
        ),
        answered(
            "a reply has no copy",
            (22,),
            [asked(5_000, TYPE, PTR, QU), heard(5_021, response_packet())],
            to(5_020, response_packet()),
        ),
    ]
