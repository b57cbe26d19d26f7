"""Replies by unicast, and responses to probes."""

from .dialogue import (
    HIDDEN,
    QUERIER,
    answered,
    legacy,
    probe,
    to,
)
from .parts import (
    AAAA,
    ANY,
    HOST,
    LINK_LOCAL,
    NAME,
    NSEC,
    PTR,
    QU,
    SRV,
    TXT,
    TYPE,
    asked,
    heard,
    instance,
    interface,
    record,
    response_packet,
    scenario,
    sent,
    shown_at,
    start,
)


def reply_cases():
    return [*unicast_cases(), *probe_cases()]


def unicast_cases():
    reply = response_packet()

    def qu(at, source=QUERIER, **more):
        return asked(at, TYPE, PTR, QU, source, **more)

    def old(at, owner=TYPE, kind=PTR, number=0x1234, port=40_000, class_=1, source=QUERIER):
        return asked(at, owner, kind, class_, source, port, number=number)

    many = [qu(5_000) for _ in range(21)]
    return [
        answered("QU: a reply to who asks, and nothing by multicast", (34,), [qu(5_000)], to(5_020, reply)),
        answered("QU: the delay is drawn", (34,), [qu(5_000)], to(5_081, reply), draws=["0", "61"]),
        answered("QU and class ANY", (34,), [asked(5_000, TYPE, PTR, 0x80FF)], to(5_020, reply)),
        answered(
            "a reply does not count for the interval",
            (34,),
            [qu(5_000), asked(5_100, TYPE, PTR)],
            to(5_020, reply),
            *shown_at(5_120),
        ),
        answered(
            "the interval does not count for a reply",
            (34,),
            [asked(5_000, TYPE, PTR), qu(5_010), qu(5_020)],
            *shown_at(5_020),
            to(5_030, reply),
            to(5_040, reply),
        ),
        answered(
            "a query from another port: a legacy reply",
            (2,),
            [old(5_000)],
            to(5_020, legacy("service-type", PTR, 0x1234), port=40_000),
        ),
        answered(
            "a legacy query that is QU",
            (2,),
            [old(5_000, class_=QU)],
            to(5_020, legacy("service-type", PTR, 0x1234), port=40_000),
        ),
        answered(
            "a legacy query of class ANY and type ANY, in upper case",
            (2,),
            [old(5_000, TYPE.upper(), ANY, class_=255)],
            to(5_020, legacy("service-type", ANY, 0x1234), port=40_000),
        ),
        answered(
            "a legacy query about the instance",
            (2,),
            [old(5_000, instance(NAME), TXT, 7)],
            to(5_020, legacy("instance", TXT, 7), port=40_000),
        ),
        answered(
            "a legacy query about the host, for a family that it has not",
            (2,),
            [old(5_000, f"{HOST}.local", AAAA, 65_535, 1)],
            to(5_020, legacy("host", AAAA, 65_535), port=1),
        ),
        answered(
            "a legacy query about an instance that is only answered",
            (2, 13),
            [old(5_000, instance("aa" * 16), SRV)],
            to(5_020, legacy("instance", SRV, 0x1234, False, **HIDDEN), port=40_000),
            answered=[HIDDEN],
        ),
        answered(
            "a query from port 5354 is legacy",
            (2,),
            [old(5_000, port=5_354)],
            to(5_020, legacy("service-type", PTR, 0x1234), port=5_354),
            flags=("boundary",),
        ),
        answered(
            "the number of a query from port 5353 is not repeated",
            (1,),
            [asked(5_000, TYPE, PTR, QU, number=0x1234)],
            to(5_020, reply),
        ),
        answered("20 replies at once, and no 21st", (34,), many, *[to(5_020, reply)] * 20, flags=("boundary",)),
        answered(
            "50 ms later one more",
            (34,),
            [*many, qu(5_050), qu(5_050)],
            *[to(5_020, reply)] * 20,
            to(5_070, reply),
            flags=("boundary",),
        ),
        answered("49 ms later none", (34,), [*many, qu(5_049)], *[to(5_020, reply)] * 20, flags=("boundary",)),
        answered(
            "all are free again after a second",
            (34,),
            [*many, *[qu(6_000) for _ in range(21)]],
            *[to(5_020, reply)] * 20,
            *[to(6_020, reply)] * 20,
            flags=("boundary",),
        ),
        answered(
            "and 19 a millisecond before",
            (34,),
            [*many, *[qu(5_999) for _ in range(21)]],
            *[to(5_020, reply)] * 20,
            *[to(6_019, reply)] * 19,
            flags=("boundary",),
        ),
        answered(
            "a question without a reply is not answered by multicast either, and draws",
            (34,),
            [*many, asked(5_001, TYPE, PTR)],
            *[to(5_020, reply)] * 20,
            *shown_at(5_051),
            draws=["0"] * 22 + ["30"],
        ),
        answered(
            "replies in the order of their questions",
            (34,),
            [qu(5_000, "0a4d0003"), old(5_000), qu(5_000)],
            to(5_020, reply, "0a4d0003"),
            to(5_020, legacy("service-type", PTR, 0x1234), port=40_000),
            to(5_020, reply),
        ),
        answered(
            "a shorter delay overtakes",
            (34,),
            [qu(5_000, "0a4d0003"), qu(5_001)],
            to(5_021, reply),
            to(5_100, reply, "0a4d0003"),
            draws=["0", "80", "0"],
        ),
        *[
            answered(f"no reply to {source}", (41,), [qu(5_000, source), old(5_001, source=source)])
            for source in ("0a4d0102", "08080808", "7f000001", "e00000fb", "00000000", "ffffffff")
        ],
        answered(
            "an address that may not have a reply uses no place, and draws",
            (34, 41),
            [*[qu(5_000, "08080808")] * 30, qu(5_010)],
            to(5_045, reply),
            draws=["0"] * 31 + ["15"],
        ),
        answered("a reply to a link-local address", (41,), [qu(5_000, "a9fe0102")], to(5_020, reply, "a9fe0102")),
        scenario(
            "a reply over IPv6",
            (41,),
            [
                start(),
                asked(5_000, TYPE, PTR, QU, "fe80" + "00" * 13 + "07"),
                asked(5_001, TYPE, PTR, QU, "20010db8" + "00" * 11 + "07"),
            ],
            8_000,
            [
                *[sent(at, response_packet(addresses=[LINK_LOCAL]), ipv6=True) for at in (20, 1_020)],
                to(5_020, response_packet(addresses=[LINK_LOCAL]), "fe80" + "00" * 13 + "07", ipv6=True),
            ],
            interfaces=[interface(ipv4=False, ipv6=True, published=[LINK_LOCAL], prefixes=())],
        ),
    ]


def probe_cases():
    reply = response_packet()
    return [
        answered("a probe for the instance is answered at once", (34,), [heard(5_000, probe())], *shown_at(5_000)),
        answered("a probe for the host", (34,), [heard(5_000, probe(f"{HOST}.local"))], *shown_at(5_000)),
        answered(
            "a probe draws nothing",
            (34,),
            [heard(5_000, probe()), asked(6_000, TYPE, PTR)],
            *shown_at(5_000, 6_077),
            draws=["0", "57"],
        ),
        answered(
            "probes again and again: four responses a second",
            (34,),
            [heard(5_000 + 10 * n, probe()) for n in range(60)],
            *shown_at(5_000, 5_250, 5_500, 5_750),
        ),
        answered(
            "a probe 249 ms after a response",
            (34,),
            [asked(5_000, TYPE, PTR), heard(5_269, probe())],
            *shown_at(5_020, 5_270),
            flags=("boundary",),
        ),
        answered(
            "a probe 251 ms after a response",
            (34,),
            [asked(5_000, TYPE, PTR), heard(5_271, probe())],
            *shown_at(5_020, 5_271),
            flags=("boundary",),
        ),
        answered(
            "a probe while a response is due", (34,), [asked(5_000, TYPE, PTR), heard(5_005, probe())], *shown_at(5_005)
        ),
        answered("a probe that is QU: a reply at once", (34,), [heard(5_000, probe(class_=QU))], to(5_000, reply)),
        answered(
            "a probe from another port",
            (2, 34),
            [heard(5_000, probe(number=9), port=40_000)],
            to(5_000, legacy("instance", ANY, 9), port=40_000),
        ),
        answered(
            "type ANY without authority records is no probe",
            (34,),
            [asked(5_000, instance(NAME), ANY)],
            *shown_at(5_020),
        ),
        answered(
            "authority records without type ANY are no probe", (34,), [heard(5_000, probe(kind=SRV))], *shown_at(5_020)
        ),
        answered("the service type cannot be probed for", (34,), [heard(5_000, probe(TYPE))], *shown_at(5_020)),
        answered(
            "an authority record of any kind makes a probe",
            (34,),
            [heard(5_000, probe(authority=[record("x.local", NSEC, b"")]))],
            *shown_at(5_000),
        ),
        answered(
            "a probe for an instance that is only answered",
            (13, 34),
            [heard(5_000, probe(instance("aa" * 16)))],
            sent(5_000, response_packet(announced=False, **HIDDEN)),
            answered=[HIDDEN],
        ),
    ]
