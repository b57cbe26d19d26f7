"""Questions of others: responses by multicast, replies, probes, and what is not answered."""

from ...reference.notation import u16
from .parts import (
    AAAA,
    ADDRESS,
    ANY,
    BOTH,
    BROWSE,
    CNAME,
    HOST,
    INSTANCE,
    LINK_LOCAL,
    MDNS,
    NAME,
    NSEC,
    PTR,
    QU,
    SRV,
    TXT,
    TYPE,
    A,
    announced_by,
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

OURS = (
    ("the service type", TYPE, (PTR, ANY)),
    ("the instance", instance(NAME), (SRV, TXT, ANY)),
    ("the host", f"{HOST}.local", (A, AAAA, ANY)),
)
HIDDEN = {"name": "aa" * 16, "host": "bb" * 16, "port": 9}
LAST = {"name": "cc" * 16, "host": "dd" * 16, "port": 10}
QUERIER = "0a4d0002"
FIRST = shown_at(20, 1_020)


def legacy(question, type, number=0, announced=True, **shown):
    from ...tools.operations import answer

    args = {"id": number, "question": question, "type": type, "announced": announced, **INSTANCE, **shown}
    return answer("mdns-legacy-reply", {**args, "addresses": [ADDRESS]})["result"]["packet"]


def to(at, packet, source=QUERIER, port=MDNS, **more):
    return sent(at, packet, **more, to=source, port=port)


def answering_cases():
    return [
        *question_cases(),
        *interval_cases(),
        *crowd_cases(),
        *unicast_cases(),
        *probe_cases(),
        *known_answer_cases(),
        *several_cases(),
        *copy_cases(),
    ]


def answered(comment, requirements, steps, *effects, until=8_000, flags=(), **more):
    """A case of a device that has announced itself."""
    return scenario(comment, requirements, [start(), *steps], until, [*FIRST, *effects], flags=flags, **more)


def question_cases():
    cases = []
    for what, owner, types in OURS:
        for type in types:
            cases.append(
                answered(
                    f"a question about {what}, type {type}", (1, 34), [asked(5_000, owner, type)], *shown_at(5_020)
                )
            )
        for type in (A, CNAME, PTR, TXT, AAAA, SRV, NSEC, 0):
            if type not in types:
                cases.append(
                    answered(
                        f"a question about {what}, type {type}: no record of it", (1,), [asked(5_000, owner, type)]
                    )
                )
    none = [
        ("the meta query", "_services._dns-sd._udp.local", PTR),
        ("a reverse name", "1.0.77.10.in-addr.arpa", PTR),
        ("another service", "_http._tcp.local", PTR),
        ("a subtype", f"_x._sub.{TYPE}", PTR),
        ("another instance", instance(other_name(1)), SRV),
        ("another host", f"{other_host(1)}.local", A),
        ("the instance name as a host", f"{NAME}.local", A),
        ("the host name as an instance", instance(HOST), SRV),
        ("the instance in upper-case digits", instance(NAME.upper()), SRV),
    ]
    cases += [answered(f"a question about {what}", (6, 21), [asked(5_000, owner, type)]) for what, owner, type in none]
    return cases + [
        answered("class ANY", (1,), [asked(5_000, TYPE, PTR, 255)], *shown_at(5_020)),
        answered("class CH", (1,), [asked(5_000, TYPE, PTR, 3)]),
        answered("the service type in upper case", (1,), [asked(5_000, TYPE.upper(), PTR)], *shown_at(5_020)),
        answered("the delay is drawn: the longest", (34,), [asked(5_000, TYPE, PTR)], *shown_at(5_120), draws=["0", "100"]),
        answered("the delay is drawn: one less", (34,), [asked(5_000, TYPE, PTR)], *shown_at(5_119), draws=["0", "99"]),
        answered("a query from behind a router that came to the group", (1,), [heard(5_000, BROWSE, hop_limit=1)], *shown_at(5_020)),
        answered("a malformed query", (30,), [heard(5_000, BROWSE[:-2]), heard(5_010, message([question(TYPE, PTR)], flags=0x0800))]),
        answered("a query on an interface that is not in use", (1,), [asked(5_000, TYPE, PTR, interface=3)]),
        answered("a question in a response", (34,), [heard(5_000, message([question(TYPE, PTR)], flags=0x8400))]),
        answered("a query with records of others", (34,), [heard(5_000, message([question(TYPE, PTR)], [ptr(other_name(1))]))], *shown_at(5_020)),
        answered(
            "others who show our records themselves do not silence us",
            (34,),
            [asked(5_000, TYPE, PTR), heard(5_001, response_packet())],
            *shown_at(5_020),
        ),
        answered(
            "others who ask the same do not silence us",
            (34,),
            [asked(4_010, TYPE, PTR), asked(4_019, TYPE, PTR, source="0a4d0003")],
            *shown_at(4_030),
        ),
        answered(
            "an instance that is only answered: the response has no PTR",
            (1, 13),
            [asked(5_000, instance("aa" * 16), SRV)],
            sent(5_020, response_packet(announced=False, **HIDDEN)),
            answered=[HIDDEN],
        ),
        answered(
            "an instance that is only answered: its host",
            (1, 13),
            [asked(5_000, f"{'bb' * 16}.local", A)],
            sent(5_020, response_packet(announced=False, **HIDDEN)),
            answered=[HIDDEN],
        ),
        answered("a question about the service type says nothing of it", (13,), [asked(5_000, TYPE, ANY)], *shown_at(5_020), answered=[HIDDEN]),
        answered(
            "an instance that is answered later",
            (13,),
            [asked(5_000, instance("aa" * 16), SRV), step(5_500, "answered", answered=[HIDDEN]), asked(6_000, instance("aa" * 16), SRV)],
            sent(6_020, response_packet(announced=False, **HIDDEN)),
        ),
        answered(
            "an instance that is answered no more, while its response is due",
            (13,),
            [asked(5_000, instance("aa" * 16), SRV), asked(5_001, instance("aa" * 16), SRV, QU), step(5_010, "answered", answered=[])],
            answered=[HIDDEN],
        ),
        answered(
            "the addresses go while a response is due",
            (34,),
            [asked(5_000, TYPE, PTR), asked(5_000, TYPE, PTR, QU), step(5_010, "interfaces", interfaces=[interface(published=[])])],
        ),
        answered(
            "the addresses change while a response is due: it has the new ones",
            (34,),
            [asked(5_000, TYPE, PTR), step(5_010, "interfaces", interfaces=[interface(published=["0a4d0009"])])],
            *shown_at(5_030, addresses=["0a4d0009"]),
        ),
        answered(
            "a question while an announcement is due: that is the response",
            (34,),
            [step(5_000, "interfaces", interfaces=[interface(published=["0a4d0009"])]), asked(5_001, TYPE, PTR)],
            *shown_at(5_120, addresses=["0a4d0009"]),
            draws=["0", "100", "0"],
        ),
    ]  # fmt: skip


def interval_cases():
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
        answered("a question a second after a response", (34,), [asked(5_000, TYPE, PTR), asked(6_000, TYPE, PTR)], *shown_at(5_020, 6_020), flags=("boundary",)),
        answered("a question a millisecond later", (34,), [asked(5_000, TYPE, PTR), asked(6_001, TYPE, PTR)], *shown_at(5_020, 6_021), flags=("boundary",)),
        answered("the second announcement counts", (34,), [asked(1_030, TYPE, PTR)], *shown_at(2_020)),
        answered("a response that is due goes with the second announcement", (34,), [asked(900, TYPE, PTR)]),
        answered("a response that is due goes with the announcement of an address", (34,), [asked(5_000, TYPE, PTR), asked(5_100, TYPE, PTR), step(5_990, "interfaces", interfaces=[interface(published=["0a4d0009"])])], *shown_at(5_020), *shown_at(6_020, addresses=["0a4d0009"])),
        answered("the earlier of two moments", (34,), [asked(5_000, TYPE, PTR), asked(5_010, TYPE, PTR)], *shown_at(5_030), draws=["0", "100", "0"]),
        answered("the earlier of two moments, the other way", (34,), [asked(5_000, TYPE, PTR), asked(5_010, TYPE, PTR)], *shown_at(5_020), draws=["0", "0", "100"]),
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
                *[one for at in (20, 1_020) for one in (sent(at, ours), sent(at, ours, ipv6=True), sent(at, response_packet(), 9))],
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
    ]  # fmt: skip


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
        case("names of two sources and with every TTL count once", [*crowd(2_000, 200), *crowd(2_100, 200, ttl=0), *crowd(2_200, 200, class_=0x8001)], 2_000),
        case("names that are withdrawn count as well", crowd(2_000, 200, ttl=0), 2_000),
        case("the device's own name does not count", [*crowd(2_000, 100), heard(2_100, response_packet())], 1_000, flags=("boundary",)),
        case(
            "names in queries, from other ports and from behind routers do not count",
            [
                heard(2_000, message([question(TYPE, PTR)], [ptr(other_name(n)) for n in range(31)], flags=0x8400), port=5_354),
                *[heard(2_000 + n, response(*[ptr(other_name(100 * n + m)) for m in range(32)]), hop_limit=254) for n in range(8)],
            ],
            1_000,
        ),
        case("SRV, TXT and addresses of other names do not count", [heard(2_000 + n, response(*[srv(other_name(16 * n + m), other_host(1)) for m in range(16)], *[txt(other_name(16 * n + m)) for m in range(16)])) for n in range(10)], 1_000),
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
    ]  # fmt: skip


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
        answered("a reply does not count for the interval", (34,), [qu(5_000), asked(5_100, TYPE, PTR)], to(5_020, reply), *shown_at(5_120)),
        answered("the interval does not count for a reply", (34,), [asked(5_000, TYPE, PTR), qu(5_010), qu(5_020)], *shown_at(5_020), to(5_030, reply), to(5_040, reply)),
        answered("a query from another port: a legacy reply", (2,), [old(5_000)], to(5_020, legacy("service-type", PTR, 0x1234), port=40_000)),
        answered("a legacy query that is QU", (2,), [old(5_000, class_=QU)], to(5_020, legacy("service-type", PTR, 0x1234), port=40_000)),
        answered("a legacy query of class ANY and type ANY, in upper case", (2,), [old(5_000, TYPE.upper(), ANY, class_=255)], to(5_020, legacy("service-type", ANY, 0x1234), port=40_000)),
        answered("a legacy query about the instance", (2,), [old(5_000, instance(NAME), TXT, 7)], to(5_020, legacy("instance", TXT, 7), port=40_000)),
        answered("a legacy query about the host, for a family that it has not", (2,), [old(5_000, f"{HOST}.local", AAAA, 65_535, 1)], to(5_020, legacy("host", AAAA, 65_535), port=1)),
        answered("a legacy query about an instance that is only answered", (2, 13), [old(5_000, instance("aa" * 16), SRV)], to(5_020, legacy("instance", SRV, 0x1234, False, **HIDDEN), port=40_000), answered=[HIDDEN]),
        answered("a query from port 5354 is legacy", (2,), [old(5_000, port=5_354)], to(5_020, legacy("service-type", PTR, 0x1234), port=5_354), flags=("boundary",)),
        answered("the number of a query from port 5353 is not repeated", (1,), [asked(5_000, TYPE, PTR, QU, number=0x1234)], to(5_020, reply)),
        answered("20 replies at once, and no 21st", (34,), many, *[to(5_020, reply)] * 20, flags=("boundary",)),
        answered("50 ms later one more", (34,), [*many, qu(5_050), qu(5_050)], *[to(5_020, reply)] * 20, to(5_070, reply), flags=("boundary",)),
        answered("49 ms later none", (34,), [*many, qu(5_049)], *[to(5_020, reply)] * 20, flags=("boundary",)),
        answered("all are free again after a second", (34,), [*many, *[qu(6_000) for _ in range(21)]], *[to(5_020, reply)] * 20, *[to(6_020, reply)] * 20, flags=("boundary",)),
        answered("and 19 a millisecond before", (34,), [*many, *[qu(5_999) for _ in range(21)]], *[to(5_020, reply)] * 20, *[to(6_019, reply)] * 19, flags=("boundary",)),
        answered("a question without a reply is not answered by multicast either, and draws", (34,), [*many, asked(5_001, TYPE, PTR)], *[to(5_020, reply)] * 20, *shown_at(5_051), draws=["0"] * 22 + ["30"]),
        answered("replies in the order of their questions", (34,), [qu(5_000, "0a4d0003"), old(5_000), qu(5_000)], to(5_020, reply, "0a4d0003"), to(5_020, legacy("service-type", PTR, 0x1234), port=40_000), to(5_020, reply)),
        answered("a shorter delay overtakes", (34,), [qu(5_000, "0a4d0003"), qu(5_001)], to(5_021, reply), to(5_100, reply, "0a4d0003"), draws=["0", "80", "0"]),
        *[
            answered(f"no reply to {source}", (41,), [qu(5_000, source), old(5_001, source=source)])
            for source in ("0a4d0102", "08080808", "7f000001", "e00000fb", "00000000", "ffffffff")
        ],
        answered("an address that may not have a reply uses no place, and draws", (34, 41), [*[qu(5_000, "08080808")] * 30, qu(5_010)], to(5_045, reply), draws=["0"] * 31 + ["15"]),
        answered("a reply to a link-local address", (41,), [qu(5_000, "a9fe0102")], to(5_020, reply, "a9fe0102")),
        scenario(
            "a reply over IPv6",
            (41,),
            [start(), asked(5_000, TYPE, PTR, QU, "fe80" + "00" * 13 + "07"), asked(5_001, TYPE, PTR, QU, "20010db8" + "00" * 11 + "07")],
            8_000,
            [
                *[sent(at, response_packet(addresses=[LINK_LOCAL]), ipv6=True) for at in (20, 1_020)],
                to(5_020, response_packet(addresses=[LINK_LOCAL]), "fe80" + "00" * 13 + "07", ipv6=True),
            ],
            interfaces=[interface(ipv4=False, ipv6=True, published=[LINK_LOCAL], prefixes=())],
        ),
    ]  # fmt: skip


def probe(owner=None, kind=ANY, class_=1, port=4_001, host="bb" * 16, **more):
    """A query with which another host asks whether it may have the instance name, and tells its records."""
    owner = instance(NAME) if owner is None else owner
    authority = more.pop("authority", [srv(other_name(1), host, port, class_=1)])
    return message([question(owner, kind, class_)], authority=authority, **more)


def probe_cases():
    reply = response_packet()
    return [
        answered("a probe for the instance is answered at once", (34,), [heard(5_000, probe())], *shown_at(5_000)),
        answered("a probe for the host", (34,), [heard(5_000, probe(f"{HOST}.local"))], *shown_at(5_000)),
        answered("a probe draws nothing", (34,), [heard(5_000, probe()), asked(6_000, TYPE, PTR)], *shown_at(5_000, 6_077), draws=["0", "57"]),
        answered("probes again and again: four responses a second", (34,), [heard(5_000 + 10 * n, probe()) for n in range(60)], *shown_at(5_000, 5_250, 5_500, 5_750)),
        answered("a probe 249 ms after a response", (34,), [asked(5_000, TYPE, PTR), heard(5_269, probe())], *shown_at(5_020, 5_270), flags=("boundary",)),
        answered("a probe 251 ms after a response", (34,), [asked(5_000, TYPE, PTR), heard(5_271, probe())], *shown_at(5_020, 5_271), flags=("boundary",)),
        answered("a probe while a response is due", (34,), [asked(5_000, TYPE, PTR), heard(5_005, probe())], *shown_at(5_005)),
        answered("a probe that is QU: a reply at once", (34,), [heard(5_000, probe(class_=QU))], to(5_000, reply)),
        answered("a probe from another port", (2, 34), [heard(5_000, probe(number=9), port=40_000)], to(5_000, legacy("instance", ANY, 9), port=40_000)),
        answered("type ANY without authority records is no probe", (34,), [asked(5_000, instance(NAME), ANY)], *shown_at(5_020)),
        answered("authority records without type ANY are no probe", (34,), [heard(5_000, probe(kind=SRV))], *shown_at(5_020)),
        answered("the service type cannot be probed for", (34,), [heard(5_000, probe(TYPE))], *shown_at(5_020)),
        answered("an authority record of any kind makes a probe", (34,), [heard(5_000, probe(authority=[record("x.local", NSEC, b"")]))], *shown_at(5_000)),
        answered("a probe for an instance that is only answered", (13, 34), [heard(5_000, probe(instance("aa" * 16)))], sent(5_000, response_packet(announced=False, **HIDDEN)), answered=[HIDDEN]),
    ]  # fmt: skip


def known_answer_cases():
    def case(comment, answers, is_answered, flags=(), kind=PTR, class_=1, more=(), **sections):
        packet = message([question(TYPE, kind, class_), *more], answers, **sections)
        effects = shown_at(5_020) if is_answered else []
        return answered(f"known answers: {comment}", (34,), [heard(5_000, packet)], *effects, flags=flags)

    own, other = ptr(NAME), ptr(other_name(1))
    return [
        case("ours, with 120 s", [own], False),
        case("ours, with 60 s", [ptr(NAME, ttl=60)], False, ("boundary",)),
        case("ours, with 59 s", [ptr(NAME, ttl=59)], True, ("boundary",)),
        case("ours, with 0 s", [ptr(NAME, ttl=0)], True),
        case("ours, with the greatest TTL", [ptr(NAME, ttl=2**32 - 1)], False, ("boundary",)),
        case("ours, with a cache-flush bit", [ptr(NAME, class_=0x8001)], False),
        case("ours among others", [other, ptr(other_name(2)), own], False),
        case("those of others", [other, ptr(other_name(2))], True),
        case("ours twice, once with too little", [ptr(NAME, ttl=1), own], False),
        case("type ANY", [own], False, kind=ANY),
        case("QU", [own], False, class_=QU),
        case("ours in the authority section", [], True, authority=[own]),
        case("ours in the additional section", [], True, additional=[own]),
        case("our SRV and TXT are none", [srv(NAME, HOST, 41_969), txt(NAME)], True),
        case("ours, and a question about the instance", [own], True, more=[question(instance(NAME), SRV)]),
        answered("more known answers follow: answered without waiting", (34,), [heard(5_000, message([question(TYPE, PTR)], [other], flags=0x0200)), heard(5_010, message(answers=[own]))], *shown_at(5_020)),
        answered("truncated, with ours among the first", (34,), [heard(5_000, message([question(TYPE, PTR)], [own], flags=0x0200))]),
        answered("known answers do not count for a question about the instance", (34,), [heard(5_000, message([question(instance(NAME), SRV)], [own]))], *shown_at(5_020)),
        answered("known answers of another querier do not count", (34,), [heard(5_000, message([question(TYPE, PTR)], [own])), asked(5_001, TYPE, PTR, source="0a4d0003")], *shown_at(5_021)),
        answered("a question that is due stays due when another knows the answer", (34,), [asked(5_000, TYPE, PTR), heard(5_001, message([question(TYPE, PTR)], [own]))], *shown_at(5_020)),
    ]  # fmt: skip


def several_cases():
    reply = response_packet()
    hidden = response_packet(announced=False, **HIDDEN)

    def case(comment, questions, *effects, **more):
        return answered(f"several questions: {comment}", (34,), [heard(5_000, message(questions))], *effects, **more)

    browse, service, host = question(TYPE, PTR), question(instance(NAME), SRV), question(f"{HOST}.local", A)
    return [
        case("about one instance: one response, and one draw", [browse, service, host], *shown_at(5_021), draws=["0", "1", "50"]),
        case("by multicast and then QU: the first counts", [browse, question(instance(NAME), SRV, QU)], *shown_at(5_020)),
        case("QU and then by multicast: the first counts", [question(instance(NAME), SRV, QU), browse], to(5_020, reply)),
        case("the first is about nobody", [question("_http._tcp.local", PTR), service], *shown_at(5_020)),
        case("the first has a type that we have not", [question(instance(NAME), A), question(TYPE, PTR, QU)], to(5_020, reply)),
        case("about two instances, each with a draw", [question(instance("aa" * 16), SRV), browse], *shown_at(5_025), sent(5_090, hidden), draws=["0", "70", "5"], answered=[HIDDEN]),
        case("32 of them", [browse] * 31 + [question(TYPE, PTR, QU)], *shown_at(5_020)),
        case("33 of them are malformed", [browse] * 33),
        answered("several questions: a legacy reply repeats the first about the instance", (2,), [heard(5_000, message([question("_http._tcp.local", PTR), host, browse], number=3), port=40_000)], to(5_020, legacy("host", A, 3), port=40_000)),
        answered("several questions: with pointers", (34,), [heard(5_000, message([question(instance(NAME), SRV), question(u16(0xC000 | 12 + 33), PTR)]))], *shown_at(5_020)),
    ]  # fmt: skip


def copy_cases():
    """The system gives back what a device sends by multicast."""
    own = "0a4d0001"

    def browsing(comment, steps, *answers, until=9_000, interfaces=None):
        from .showing import in_order

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
