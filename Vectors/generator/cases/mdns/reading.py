"""Packets that are read."""

from ...reference.notation import u16
from ...tools.family import Case, argument_refusals
from .parts import (
    AAAA,
    ADDRESS,
    ANY,
    CNAME,
    FLUSH,
    HOST,
    INSTANCE,
    LINK_LOCAL,
    NAME,
    NSEC,
    OPT,
    PTR,
    SRV,
    TXT,
    TYPE,
    A,
    address,
    instance,
    message,
    name,
    numbers,
    other_host,
    other_name,
    ptr,
    question,
    record,
    records_of,
    response,
    response_packet,
    srv,
    through_pointers,
    txt,
)

EMPTY = {"questions": [], "records": []}
THEIRS = {"name": other_name(1), "host": other_host(1)}


def case(comment, packet, requirements=(30,), flags=(), **expected):
    return Case(comment, {"packet": packet}, flags, numbers(*requirements), result=expected or None)


def about(kind, type, unicast=False, digits=None):
    return {"about": kind, **({"name": digits} if digits else {}), "type": type, "unicast": unicast}


def kept(kind, section="answer", ttl=120, **members):
    return {"section": section, "kind": kind, "ttl": ttl, **members}


def reading_cases():
    return [*whole_cases(), *question_cases(), *record_cases(), *name_cases(), *bound_cases()] + argument_refusals(
        "mdns-decode", {"packet": response_packet()}
    )


def whole_cases():
    theirs = response(*records_of(1))
    expected = [
        kept("PTR", name=other_name(1)),
        kept("SRV", **THEIRS, port=4_000),
        kept("TXT", name=other_name(1), version1=True),
        kept("A", host=other_host(1), address="0a4d0002"),
    ]
    pointers = response_packet([ADDRESS, LINK_LOCAL])
    return [
        case(
            "a header alone",
            message(),
            flags=("boundary",),
            id=0,
            response=False,
            truncated=False,
            authority=False,
            **EMPTY,
        ),
        case(
            "the example of the page",
            response_packet(),
            id=0,
            response=True,
            records=[
                kept("PTR", name=NAME),
                kept("SRV", **INSTANCE),
                kept("TXT", name=NAME, version1=True),
                kept("A", host=HOST, address=ADDRESS),
            ],
        ),
        case("an announcement without pointers", theirs, records=expected),
        case("an announcement with pointers and both families", pointers),
        case("a goodbye is read like any other", response_packet(goodbye=True)),
        case("the number of a query", message(number=0xABCD), id=0xABCD),
        case("the response bit", message(flags=0x8000), response=True),
        case("the truncation bit", message(flags=0x0200), truncated=True, response=False),
        case("every flag that has no meaning here", message(flags=0x05F0), truncated=False, response=False, **EMPTY),
        case(
            "the authoritative bit of a response may be absent",
            message(answers=records_of(1), flags=0x8000),
            records=expected,
        ),
        case(
            "an authority record that is read over",
            message(authority=[record("a.local", A, bytes(4))]),
            authority=True,
            **EMPTY,
        ),
        case("no authority record", message(additional=[record("a.local", A, bytes(4))]), authority=False, **EMPTY),
        case("bytes after the last record", response(*records_of(1), rest=b"\xff" * 40), records=expected),
        case(
            "the sections",
            sections(),
            records=[kept("PTR", one, name=other_name(1)) for one in ("answer", "authority", "additional")],
        ),
        case(
            "questions and records in one packet",
            message([question(TYPE, PTR)], [ptr(NAME)]),
            questions=[about("service-type", PTR)],
        ),
    ]


def sections():
    return message(
        answers=[ptr(other_name(1))], authority=[ptr(other_name(1))], additional=[ptr(other_name(1))], flags=0x8400
    )


def question_cases():
    cases = []
    for owner, kind, digits in (
        (TYPE, "service-type", None),
        (instance(NAME), "instance", NAME),
        (f"{HOST}.local", "host", HOST),
    ):
        for type in (A, CNAME, PTR, TXT, AAAA, SRV, ANY, 0, 65_535):
            packet = message([question(owner, type)])
            cases.append(
                case(
                    f"a question about the {kind}, of type {type}", packet, questions=[about(kind, type, False, digits)]
                )
            )
    more = [
        ("QU", 0x8001, [about("service-type", PTR, True)]),
        ("class ANY", 255, [about("service-type", PTR)]),
        ("class ANY and QU", 0x80FF, [about("service-type", PTR, True)]),
        ("class CH", 3, []),
        ("class 0", 0, []),
        ("class 257, whose low byte is that of IN", 0x0101, []),
        ("class NONE", 254, []),
    ]
    cases += [
        case(f"a question, {comment}", message([question(TYPE, PTR, class_)]), questions=kept)
        for comment, class_, kept in more
    ]
    cases += [
        case(
            "two questions, the first about something else",
            message([question("_http._tcp.local", PTR), question(TYPE, PTR)]),
            questions=[about("service-type", PTR)],
        ),
        case("the same question twice", message([question(TYPE, PTR)] * 2), questions=[about("service-type", PTR)] * 2),
        case(
            "the second question points to the first",
            message([question(instance(NAME), SRV), question(b"\xc0\x0c", TXT)]),
            questions=[about("instance", SRV, False, NAME), about("instance", TXT, False, NAME)],
        ),
        case(
            "service types of others",
            message([question("_services._dns-sd._udp.local", PTR), question("_ipp._tcp.local", PTR)]),
            (6, 30),
            **EMPTY,
        ),
        case("a reverse name", message([question("1.0.77.10.in-addr.arpa", PTR)]), (6, 30), **EMPTY),
    ]
    return cases


def record_cases():
    one, other = other_name(1), other_host(1)

    def read(comment, made, *expected, requirements=(30,), flags=()):
        made = made if isinstance(made, list) else [made]
        return case(comment, response(*made), requirements, flags, records=list(expected))

    return [
        read("PTR without cache flush", ptr(one), kept("PTR", name=one)),
        read("PTR with cache flush", ptr(one, class_=FLUSH), kept("PTR", name=one)),
        read("PTR of class ANY", ptr(one, class_=255)),
        read("PTR of class CH", ptr(one, class_=3)),
        read("PTR to the service type itself", record(TYPE, PTR, name(TYPE), 1)),
        read("PTR to a name of another service", record(TYPE, PTR, name(f"{one}._http._tcp.local"), 1)),
        read("PTR to a host", record(TYPE, PTR, name(f"{one}.local"), 1)),
        read("PTR of another service to an instance", record("_http._tcp.local", PTR, name(instance(one)), 1)),
        read("PTR of an instance", record(instance(one), PTR, name(instance(one)), 1)),
        read("SRV", srv(one, other, 65_535), kept("SRV", **THEIRS, port=65_535)),
        read("SRV with port 0", srv(one, other, 0), kept("SRV", **THEIRS, port=0)),
        read(
            "SRV with priority and weight",
            record(instance(one), SRV, u16(7) + u16(65_535) + u16(9) + name(f"{other}.local")),
            kept("SRV", **THEIRS, port=9),
        ),
        read("SRV to a host of another form", srv(one, "printer.local", 9), kept("SRV", name=one, port=9)),
        read("SRV to the root", record(instance(one), SRV, u16(0) * 2 + u16(9) + b"\0"), kept("SRV", name=one, port=9)),
        read("SRV to an instance", srv(one, instance(one), 9), kept("SRV", name=one, port=9)),
        read(
            "SRV to a host in upper case",
            srv(one, f"{other.upper()}.local", 9),
            kept("SRV", name=one, port=9),
            requirements=(21, 30),
        ),
        read("SRV of the service type", record(TYPE, SRV, u16(0) * 2 + u16(9) + name(f"{other}.local"))),
        read("SRV of a host", record(f"{other}.local", SRV, u16(0) * 2 + u16(9) + name(f"{other}.local"))),
        read(
            "SRV to a target with a pointer",
            [address(other, "0a4d0002"), record(instance(one), SRV, u16(0) * 2 + u16(9) + b"\xc0\x0c")],
            kept("A", host=other, address="0a4d0002"),
            kept("SRV", **THEIRS, port=9),
        ),
        read("TXT", txt(one), kept("TXT", name=one, version1=True)),
        read("TXT without data", txt(one, b""), kept("TXT", name=one, version1=False), requirements=(29, 30)),
        read("TXT with an empty string", txt(one, b"\0"), kept("TXT", name=one, version1=False), requirements=(29, 30)),
        read(
            "TXT of another version", txt(one, b"\x03v=2"), kept("TXT", name=one, version1=False), requirements=(29, 30)
        ),
        read("TXT in upper case", txt(one, b"\x03V=1"), kept("TXT", name=one, version1=False), requirements=(29, 30)),
        read(
            "TXT with a second string",
            txt(one, b"\x03v=1\x03a=b"),
            kept("TXT", name=one, version1=False),
            requirements=(29, 30),
        ),
        read(
            "TXT whose string ends beyond its data",
            txt(one, b"\x09v=1"),
            kept("TXT", name=one, version1=False),
            requirements=(29, 30),
        ),
        read(
            "TXT of 8,000 bytes",
            txt(one, b"\xff" * 8_000),
            kept("TXT", name=one, version1=False),
            requirements=(29, 30),
        ),
        read("TXT of a host", record(f"{other}.local", TXT, b"\x03v=1")),
        read("A", address(other, "0a4d0002"), kept("A", host=other, address="0a4d0002")),
        read(
            "A that will be refused as an address",
            address(other, "e00000fb"),
            kept("A", host=other, address="e00000fb"),
        ),
        read("AAAA", address(other, LINK_LOCAL), kept("AAAA", host=other, address=LINK_LOCAL)),
        read("A of an instance", record(instance(one), A, bytes(4))),
        read("A of a host of another form", record("printer.local", A, bytes(4))),
        read("A of a host, class CH, with data of no address", record(f"{other}.local", A, bytes(5), 3)),
        read("TTL 0", ptr(one, ttl=0), kept("PTR", name=one, ttl=0), requirements=(39,)),
        read("the greatest TTL", ptr(one, ttl=2**32 - 1), kept("PTR", name=one, ttl=2**32 - 1), flags=("boundary",)),
        *[
            read(f"{what} of {where}: read over", record(owner, kind, data))
            for what, kind, data in (
                ("CNAME", CNAME, name(TYPE)),
                ("CNAME whose data are no name", CNAME, b"\x40"),
                ("DNAME", 39, name("a.local")),
                ("NSEC", NSEC, name(f"{other}.local") + b"\x00\x04\x40\x00\x00\x08"),
                ("OPT", OPT, b""),
                ("NS", 2, name(TYPE)),
                ("a type that does not exist", 65_280, b"\xff" * 9),
            )
            for where, owner in (
                ("the service type", TYPE),
                ("an instance", instance(one)),
                ("a host", f"{other}.local"),
            )
        ],
        read(
            "CNAMEs in a loop, with the records",
            [record(TYPE, CNAME, name("x.local")), record("x.local", CNAME, name(TYPE)), ptr(one)],
            kept("PTR", name=one),
        ),
        read(
            "OPT of the root, as queries of others have it",
            record("", OPT, b"\x00\x04\x00\x0e" + bytes(14), 0x05A0, 0x00001194),
        ),
    ]


def name_cases():
    one = other_name(1)

    def asked(comment, owner, *expected, requirements=(21, 30), flags=()):
        return case(comment, message([question(owner, SRV)]), requirements, flags, questions=list(expected))

    known = about("instance", SRV, False, one)
    long = f"{'a' * 63}.{'b' * 63}.{'c' * 63}.{'d' * 61}"
    pointed = message([question("local", A), question(name(f"{one}.{TYPE[:-6]}")[:-1] + b"\xc0\x0c", SRV)])
    return [
        asked("the fixed labels in upper case", f"{one}._INKLING._TCP.LOCAL", known),
        asked("the fixed labels in mixed case", f"{one}._iNkLiNg._TcP.lOcAl", known),
        asked("digits in upper case", f"{one.upper()}.{TYPE}"),
        asked("one digit in upper case", f"{one[:-1]}B.{TYPE}"),
        asked("31 digits", f"{one[1:]}.{TYPE}", flags=("boundary",)),
        asked("33 digits", f"0{one}.{TYPE}", flags=("boundary",)),
        asked("a digit g", f"g{one[1:]}.{TYPE}"),
        asked("a character below 0", f"/{one[1:]}.{TYPE}", flags=("boundary",)),
        asked("a character between 9 and a", f":{one[1:]}.{TYPE}", flags=("boundary",)),
        asked("a character below a", f"`{one[1:]}.{TYPE}", flags=("boundary",)),
        asked("no digits", TYPE, about("service-type", SRV)),
        asked("a subtype", f"_a._sub.{TYPE}"),
        asked("an instance below an instance", f"a.{one}.{TYPE}"),
        asked("another transport", f"{one}._inkling._udp.local"),
        asked("another domain", f"{one}._inkling._tcp.example"),
        asked("a domain that begins with local", f"{one}._inkling._tcp.locale"),
        asked("nothing after the protocol", f"{one}._inkling._tcp"),
        asked("another service of the same length", f"{one}._inklink._tcp.local"),
        asked("a character beside the letters: _ is not a letter", f"{one}.\x7finkling._tcp.local"),
        asked("characters 32 above the fixed ones are not the same", f"{one}.\x7f\x69nkling._tcp.local"),
        asked("@ is not the upper case of `", f"{one}._inkling._tcp.loc@l"),
        asked("the root", ""),
        asked("local alone", "local"),
        asked("a host with two labels before local", f"{one}.a.local"),
        asked("a name of 255 bytes", long, flags=("boundary",)),
        asked("a name of 127 labels", ".".join("a" * 127), flags=("boundary",)),
        asked(
            "an instance that ends in a pointer to the header, whose byte 0 is the root",
            name(f"{one}.{TYPE}")[:-1] + b"\xc0\x00",
            known,
        ),
        case("an instance whose last label is pointed to", pointed, (30,), questions=[known]),
        case(
            "an instance of three pointers",
            chained(one),
            (30,),
            records=[kept("PTR", name=one)],
        ),
        case(
            "a name of 32 pointers",
            through_pointers(other_host(1), 32),
            (30,),
            records=[kept("A", host=other_host(1), address="0a4d0002")],
        ),
        case(
            "a pointer into the data of a record that is read over",
            response(record("a.local", 65_280, name(instance(one))), record(TYPE, PTR, u16(0xC000 | 12 + 9 + 10), 1)),
            (30,),
            records=[kept("PTR", name=one)],
        ),
        case(
            "a pointer into the middle of a label, where another name stands",
            response(
                record(TYPE, PTR, b"\x3f" + name(instance(one)) + b"\0" * 9, 65_280),
                record(TYPE, PTR, u16(0xC000 | 12 + 21 + 10 + 1), 1),
            ),
            (30,),
            records=[kept("PTR", name=one)],
        ),
    ]


def chained(one):
    """A PTR whose target is an instance of three pointers, which lead to `local`, `_tcp` and `_inkling`."""
    packet, pointer = [record("local", 65_280, b"")], u16(0xC00C)
    for label in ("_tcp", "_inkling"):
        place = 12 + sum(len(one) for one in packet)
        packet.append(record(name(label)[:-1] + pointer, 65_280, b""))
        pointer = u16(0xC000 | place)
    target = name(one)[:-1] + pointer
    return response(*packet, record(pointer, PTR, target, 1))


def bound_cases():
    one, other = other_name(1), other_host(1)
    over = record("", 65_280, b"")
    fill = 9_000 - 12 - len(record("", 65_280, b""))
    return [
        case("256 records", message(additional=[over] * 256), flags=("boundary",), **EMPTY),
        case(
            "256 questions and records in all sections",
            message([question("", A)] * 64, [over] * 64, [over] * 64, [over] * 64),
            flags=("boundary",),
            **EMPTY,
        ),
        case("9,000 bytes", message(additional=[record("", 65_280, bytes(fill))]), flags=("boundary",), **EMPTY),
        case(
            "9,000 bytes, most of them after the last record", message(rest=bytes(8_988)), flags=("boundary",), **EMPTY
        ),
        case(
            "32 records are kept", response(*[ptr(one)] * 32), flags=("boundary",), records=[kept("PTR", name=one)] * 32
        ),
        case(
            "32 questions and records are kept, and 100 are read over",
            message([question(TYPE, PTR)] * 8, [over] * 100, [], [address(other, "0a4d0002")] * 24),
            flags=("boundary",),
        ),
    ]
