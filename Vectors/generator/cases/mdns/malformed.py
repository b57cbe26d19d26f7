"""Packets that are dropped."""

from ...reference.notation import u16
from ...tools.family import Case
from .parts import (
    AAAA,
    ADDRESS,
    PTR,
    SRV,
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
)

ONE, OTHER = other_name(1), other_host(1)
OVER = record("", 65_280, b"")


def refused(comment, stage, reason, packet, flags=("refusal",), requirements=(30,)):
    return Case(comment, {"packet": packet}, flags, numbers(*requirements), error=(stage, reason))


def malformed_cases():
    return [*header_cases(), *cut_cases(), *name_cases(), *data_cases(), *bound_cases(), *order_cases()]


def header_cases():
    cases = [
        refused("no bytes", "packet", "truncated", ""),
        refused("11 bytes", "packet", "truncated", "00" * 11),
        refused("9,001 bytes", "packet", "too-long", "00" * 9_001),
        refused("16,384 bytes", "packet", "too-long", "00" * 16_384),
        refused("a response code in a query", "packet", "bad-response-code", message(flags=0x0001)),
    ]
    cases += [
        refused(f"opcode {opcode}", "packet", "bad-opcode", message(answers=records_of(1), flags=0x8400 | opcode << 11))
        for opcode in (1, 2, 4, 5, 8, 15)
    ]
    cases += [
        refused(
            f"response code {code}", "packet", "bad-response-code", message(answers=records_of(1), flags=0x8400 | code)
        )
        for code in (1, 2, 3, 4, 8, 15)
    ]
    for counts in ([257, 0, 0, 0], [0, 257, 0, 0], [0, 0, 257, 0], [0, 0, 0, 257], [64, 64, 64, 65], [65_535] * 4):
        packet = message(counts=counts, rest=OVER * 300)
        cases.append(refused(f"{sum(counts)} questions and records: {counts}", "packet", "too-many-records", packet))
    return cases


def cut_cases():
    """The example of the page, and a query, cut off after every byte behind the header."""
    whole = response_packet()
    asked = message([question(TYPE, PTR)])
    cases = [
        refused(
            f"the announcement of the example, cut off after {count} bytes", "packet", "truncated", whole[: 2 * count]
        )
        for count in range(12, len(whole) // 2)
    ]
    cases += [
        refused(f"the browse query, cut off after {count} bytes", "packet", "truncated", asked[: 2 * count])
        for count in range(12, len(asked) // 2, 3)
    ]
    for section in range(4):
        counts = [0, 0, 0, 0]
        counts[section] = 1
        what = ("question", "answer", "authority record", "additional record")[section]
        cases.append(
            refused(
                f"an {what} is absent" if section else "a question is absent",
                "packet",
                "truncated",
                message(counts=counts),
            )
        )
    return [
        *cases,
        refused("data of 65,535 bytes", "packet", "truncated", response(record("a.local", 65_280, b"", count=65_535))),
        refused(
            "data that end a byte beyond the packet",
            "packet",
            "truncated",
            response(record("a.local", 65_280, bytes(4), count=5)),
        ),
    ]


def name_cases():
    def owner(comment, reason, bytes_, stage="name", flags=("refusal",)):
        return refused(comment, stage, reason, message([question(bytes_, PTR)]), flags)

    cases = [
        owner(f"a label of the type {first:02x}", "bad-label", bytes([first]) + b"a" * 63 + b"\0")
        for first in (0x40, 0x41, 0x7F, 0x80, 0xBF)
    ]
    within = name(instance(ONE))[:-1]
    for first in (0x40, 0x80):
        cases.append(
            owner(f"a label of the type {first:02x} after an instance", "bad-label", within + bytes([first, 0]))
        )
    cases += [
        owner("a pointer to itself", "bad-pointer", b"\xc0\x0c"),
        owner("a pointer to its second byte", "bad-pointer", b"\xc0\x0d"),
        owner("a pointer forwards", "bad-pointer", b"\xc0\x0e\0"),
        owner("a pointer to the greatest offset", "bad-pointer", b"\xff\xff"),
        owner("a pointer to the labels that lead to it", "bad-pointer", b"\x01a\xc0\x0c"),
        owner("a pointer to a label after the first that leads to it", "bad-pointer", b"\x01a\x01b\xc0\x0e"),
        owner("a pointer that is cut off", "truncated", b"\xc0", "packet"),
    ]
    cases[-1].args["packet"] = message(counts=[1, 0, 0, 0], rest=b"\xc0")
    cases += [
        refused(
            "two pointers that lead to each other",
            "name",
            "bad-pointer",
            message(counts=[2, 0, 0, 0], rest=question(b"\x01a\xc0\x14", A) + question(b"\xc0\x0c", A)),
        ),
        refused(
            "a pointer to labels that lead to themselves",
            "name",
            "bad-pointer",
            response(record("", 65_280, b"\x01a\xc0\x17"), record(b"\xc0\x17", A, bytes(4))),
        ),
        refused("a name of 33 pointers", "name", "bad-pointer", through_pointers(OTHER, 33), ("refusal", "boundary")),
        refused("a name of 1,000 pointers", "name", "bad-pointer", through_pointers(OTHER, 1_000)),
        refused(
            "a pointer into the header, whose byte is a label of a type that is not there",
            "name",
            "bad-label",
            message([question(b"\xc0\x02", A)], flags=0x8400),
        ),
    ]
    long = ".".join(["a" * 63, "b" * 63, "c" * 63])
    cases += [
        owner("256 bytes", "too-long", name(f"{long}.{'d' * 62}")),
        owner("255 bytes before the end", "too-long", name(f"{long}.{'d' * 61}")[:-1] + b"\x01e\0"),
        owner("128 labels", "too-long", name(".".join("a" * 128))),
        owner("256 bytes of a name whose end is absent", "too-long", name(f"{long}.{'d' * 62}")[:-1]),
        refused(
            "256 bytes with the help of a pointer",
            "name",
            "too-long",
            message([question(long, A), question(b"\x3e" + b"d" * 62 + b"\xc0\x0c", A)]),
        ),
        refused(
            "a pointer that reads 200 bytes twice",
            "name",
            "too-long",
            message(
                [question(".".join(["a" * 63] * 3), A), question(name(".".join(["b" * 60] * 2))[:-1] + b"\xc0\x0c", A)]
            ),
        ),
        refused(
            "too long, in a record that would be read over",
            "name",
            "too-long",
            response(record(".".join("a" * 128), 65_280, b"")),
        ),
    ]
    return cases


def data_cases():
    def data(comment, *records, reason="bad-length", stage="data"):
        return refused(comment, stage, reason, response(*records))

    target = name(f"{OTHER}.local")
    cases = [data(f"A of {count} bytes", record(f"{OTHER}.local", A, bytes(count))) for count in (0, 3, 5, 16)] + [
        data(f"AAAA of {count} bytes", record(f"{OTHER}.local", AAAA, bytes(count))) for count in (0, 4, 15, 17)
    ]
    cases += [data(f"SRV of {count} bytes", record(instance(ONE), SRV, bytes(count))) for count in range(7)]
    cases += [
        data("SRV with a byte after its target", record(instance(ONE), SRV, bytes(6) + target + b"\0")),
        data(
            "SRV whose target ends a byte beyond its data",
            record(instance(ONE), SRV, bytes(6) + target, count=5 + len(target)),
        ),
        data("SRV whose data end within a pointer", record(instance(ONE), SRV, bytes(6) + b"\xc0\x0c", count=7)),
        data("PTR with a byte after its target", record(TYPE, PTR, name(instance(ONE)) + b"\0", 1)),
        data("PTR to another name with a byte after it", record(TYPE, PTR, name("a.local") + b"\0", 1)),
        data("PTR whose target ends beyond its data", record(TYPE, PTR, name(instance(ONE)), 1, count=40)),
        data("PTR with a root and a byte after it", record(TYPE, PTR, b"\0\0", 1)),
        data("PTR without data, before a record of the root", record(TYPE, PTR, b"", 1), OVER),
        data("PTR without data, at the end", record(TYPE, PTR, b"", 1), reason="truncated", stage="packet"),
        data(
            "PTR without data, before a label of another type",
            record(TYPE, PTR, b"", 1, count=0) + b"\x40",
            reason="bad-label",
            stage="name",
        ),
        data("PTR with a bad label", record(TYPE, PTR, b"\x40a", 1), reason="bad-label", stage="name"),
        data(
            "PTR with a pointer to itself",
            record(TYPE, PTR, u16(0xC000 | 12 + 21 + 10), 1),
            reason="bad-pointer",
            stage="name",
        ),
        data(
            "PTR with a target that is too long",
            record(TYPE, PTR, name(".".join("a" * 128)), 1),
            reason="too-long",
            stage="name",
        ),
        data(
            "SRV with a target that is too long",
            record(instance(ONE), SRV, bytes(6) + name(".".join("a" * 128))),
            reason="too-long",
            stage="name",
        ),
        data(
            "SRV with a pointer forwards",
            record(instance(ONE), SRV, bytes(6) + b"\xcf\xff"),
            reason="bad-pointer",
            stage="name",
        ),
        data(
            "SRV whose target is cut off with the packet",
            record(instance(ONE), SRV, bytes(6) + b"\x20ab"),
            reason="truncated",
            stage="packet",
        ),
        data("a malformed record after good ones", *records_of(1), record(f"{OTHER}.local", A, bytes(3))),
        data("TTL 0 does not excuse bad data", record(f"{OTHER}.local", A, bytes(3), ttl=0)),
    ]
    for section, members in (
        ("authority", {"authority": [record(f"{OTHER}.local", A, bytes(3))]}),
        ("additional", {"additional": [record(f"{OTHER}.local", A, bytes(3))]}),
    ):
        cases.append(
            refused(f"bad data in the {section} section", "data", "bad-length", message(flags=0x8400, **members))
        )
    return cases


def bound_cases():
    asked, over = question(TYPE, PTR), OVER
    return [
        refused("33 records that would be kept", "packet", "too-many-accepted", response(*[ptr(ONE)] * 33)),
        refused("33 questions that would be kept", "packet", "too-many-accepted", message([asked] * 33)),
        refused(
            "33 in several sections",
            "packet",
            "too-many-accepted",
            message([asked] * 8, [ptr(ONE)] * 8, [ptr(ONE)] * 8, [ptr(ONE)] * 9),
        ),
        refused(
            "a 33rd after 200 that are read over",
            "packet",
            "too-many-accepted",
            response(*[ptr(ONE)] * 32, *[over] * 200, address(OTHER, ADDRESS)),
        ),
        refused("a 33rd of 9,000 bytes", "packet", "too-many-accepted", nine_thousand()),
    ]


def nine_thousand():
    packet = [ptr(ONE)] * 33
    fill = 9_000 - 12 - sum(map(len, packet)) - len(OVER)
    return response(*packet, record("", 65_280, bytes(fill)))


def order_cases():
    """Two faults: the row that is tested first decides."""
    bad = record(f"{OTHER}.local", A, bytes(3))
    return [
        refused(
            "too long before everything else",
            "packet",
            "too-long",
            message(flags=0x7803, counts=[65_535] * 4, rest=bytes(9_000)),
            ("order",),
        ),
        refused("truncated before the opcode", "packet", "truncated", message(flags=0x7800)[:-2], ("order",)),
        refused("the opcode before the response code", "packet", "bad-opcode", message(flags=0x8803), ("order",)),
        refused(
            "the response code before the counts",
            "packet",
            "bad-response-code",
            message(flags=0x8003, counts=[0, 300, 0, 0]),
            ("order",),
        ),
        refused(
            "the counts before the records",
            "packet",
            "too-many-records",
            response(bad, counts=[0, 257, 0, 0]),
            ("order",),
        ),
        refused(
            "the first record before the second",
            "data",
            "bad-length",
            response(bad, record(b"\x40", A, b"")),
            ("order",),
        ),
        refused(
            "a name before the packet ends",
            "name",
            "bad-pointer",
            message(counts=[1, 0, 0, 0], rest=b"\xc0\x0c"),
            ("order",),
        ),
        refused(
            "data beyond the packet before their length",
            "packet",
            "truncated",
            response(record(f"{OTHER}.local", A, bytes(3), count=4)),
            ("order",),
        ),
        refused(
            "a name in data before the length of the data",
            "name",
            "bad-pointer",
            response(record(TYPE, PTR, b"\xff\xff\0", 1)),
            ("order",),
        ),
        refused(
            "the length of SRV before its name",
            "data",
            "bad-length",
            response(record(instance(ONE), SRV, bytes(6)), record(b"\x40", A, b"")),
            ("order",),
        ),
        refused(
            "the data of the 33rd before the count",
            "data",
            "bad-length",
            response(*[ptr(ONE)] * 32, bad),
            ("order",),
        ),
        refused(
            "the 33rd before the 34th",
            "packet",
            "too-many-accepted",
            response(*[ptr(ONE)] * 33, bad),
            ("order",),
        ),
        refused(
            "too long before a missing end",
            "name",
            "too-long",
            message(counts=[1, 0, 0, 0], rest=name(".".join("a" * 128))[:-1]),
            ("order",),
        ),
        refused(
            "a label that is cut off before its name is too long",
            "packet",
            "truncated",
            message(counts=[1, 0, 0, 0], rest=name(".".join(["a" * 63] * 3))[:-1] + b"\x3f" + b"b" * 62),
            ("order",),
        ),
        refused(
            "a target that goes on in the next record, where a pointer leads forwards",
            "name",
            "bad-pointer",
            response(srv(ONE, OTHER)[:-1] + b"\x01", OVER),
            ("order",),
        ),
    ]
