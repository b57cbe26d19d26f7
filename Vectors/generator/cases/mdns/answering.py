"""Questions of others: which are answered, and by what."""

from ...reference.notation import (
    u16,
)
from .dialogue import (
    HIDDEN,
    answered,
    legacy,
    to,
)
from .parts import (
    AAAA,
    ANY,
    BROWSE,
    CNAME,
    HOST,
    NAME,
    NSEC,
    PTR,
    QU,
    SRV,
    TXT,
    TYPE,
    A,
    asked,
    heard,
    instance,
    interface,
    message,
    other_host,
    other_name,
    ptr,
    question,
    response_packet,
    sent,
    shown_at,
    srv,
    step,
    txt,
)

OURS = (
    ("the service type", TYPE, (PTR, ANY)),
    ("the instance", instance(NAME), (SRV, TXT, ANY)),
    ("the host", f"{HOST}.local", (A, AAAA, ANY)),
)


def answering_cases():
    return [
        *question_cases(),
        *known_answer_cases(),
        *several_cases(),
    ]


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
        answered(
            "the delay is drawn: the longest", (34,), [asked(5_000, TYPE, PTR)], *shown_at(5_120), draws=["0", "100"]
        ),
        answered("the delay is drawn: one less", (34,), [asked(5_000, TYPE, PTR)], *shown_at(5_119), draws=["0", "99"]),
        answered(
            "a query from behind a router that came to the group",
            (1,),
            [heard(5_000, BROWSE, hop_limit=1)],
            *shown_at(5_020),
        ),
        answered(
            "a malformed query",
            (30,),
            [heard(5_000, BROWSE[:-2]), heard(5_010, message([question(TYPE, PTR)], flags=0x0800))],
        ),
        answered("a query on an interface that is not in use", (1,), [asked(5_000, TYPE, PTR, interface=3)]),
        answered("a question in a response", (34,), [heard(5_000, message([question(TYPE, PTR)], flags=0x8400))]),
        answered(
            "a query with records of others",
            (34,),
            [heard(5_000, message([question(TYPE, PTR)], [ptr(other_name(1))]))],
            *shown_at(5_020),
        ),
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
        answered(
            "a question about the service type says nothing of it",
            (13,),
            [asked(5_000, TYPE, ANY)],
            *shown_at(5_020),
            answered=[HIDDEN],
        ),
        answered(
            "an instance that is answered later",
            (13,),
            [
                asked(5_000, instance("aa" * 16), SRV),
                step(5_500, "answered", answered=[HIDDEN]),
                asked(6_000, instance("aa" * 16), SRV),
            ],
            sent(6_020, response_packet(announced=False, **HIDDEN)),
        ),
        answered(
            "an instance that is answered no more, while its response is due",
            (13,),
            [
                asked(5_000, instance("aa" * 16), SRV),
                asked(5_001, instance("aa" * 16), SRV, QU),
                step(5_010, "answered", answered=[]),
            ],
            answered=[HIDDEN],
        ),
        answered(
            "the addresses go while a response is due",
            (34,),
            [
                asked(5_000, TYPE, PTR),
                asked(5_000, TYPE, PTR, QU),
                step(5_010, "interfaces", interfaces=[interface(published=[])]),
            ],
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
    ]


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
        answered(
            "more known answers follow: answered without waiting",
            (34,),
            [heard(5_000, message([question(TYPE, PTR)], [other], flags=0x0200)), heard(5_010, message(answers=[own]))],
            *shown_at(5_020),
        ),
        answered(
            "truncated, with ours among the first",
            (34,),
            [heard(5_000, message([question(TYPE, PTR)], [own], flags=0x0200))],
        ),
        answered(
            "known answers do not count for a question about the instance",
            (34,),
            [heard(5_000, message([question(instance(NAME), SRV)], [own]))],
            *shown_at(5_020),
        ),
        answered(
            "known answers of another querier do not count",
            (34,),
            [heard(5_000, message([question(TYPE, PTR)], [own])), asked(5_001, TYPE, PTR, source="0a4d0003")],
            *shown_at(5_021),
        ),
        answered(
            "a question that is due stays due when another knows the answer",
            (34,),
            [asked(5_000, TYPE, PTR), heard(5_001, message([question(TYPE, PTR)], [own]))],
            *shown_at(5_020),
        ),
    ]


def several_cases():
    reply = response_packet()
    hidden = response_packet(announced=False, **HIDDEN)

    def case(comment, questions, *effects, **more):
        return answered(f"several questions: {comment}", (34,), [heard(5_000, message(questions))], *effects, **more)

    browse, service, host = question(TYPE, PTR), question(instance(NAME), SRV), question(f"{HOST}.local", A)
    return [
        case(
            "about one instance: one response, and one draw",
            [browse, service, host],
            *shown_at(5_021),
            draws=["0", "1", "50"],
        ),
        case(
            "by multicast and then QU: the first counts", [browse, question(instance(NAME), SRV, QU)], *shown_at(5_020)
        ),
        case(
            "QU and then by multicast: the first counts", [question(instance(NAME), SRV, QU), browse], to(5_020, reply)
        ),
        case("the first is about nobody", [question("_http._tcp.local", PTR), service], *shown_at(5_020)),
        case(
            "the first has a type that we have not",
            [question(instance(NAME), A), question(TYPE, PTR, QU)],
            to(5_020, reply),
        ),
        case(
            "about two instances, each with a draw",
            [question(instance("aa" * 16), SRV), browse],
            *shown_at(5_025),
            sent(5_090, hidden),
            draws=["0", "70", "5"],
            answered=[HIDDEN],
        ),
        case("32 of them", [browse] * 31 + [question(TYPE, PTR, QU)], *shown_at(5_020)),
        case("33 of them are malformed", [browse] * 33),
        answered(
            "several questions: a legacy reply repeats the first about the instance",
            (2,),
            [heard(5_000, message([question("_http._tcp.local", PTR), host, browse], number=3), port=40_000)],
            to(5_020, legacy("host", A, 3), port=40_000),
        ),
        answered(
            "several questions: with pointers",
            (34,),
            [heard(5_000, message([question(instance(NAME), SRV), question(u16(0xC000 | 12 + 33), PTR)]))],
            *shown_at(5_020),
        ),
    ]
