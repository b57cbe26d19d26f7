"""Cases for Specs/hand-over.md."""

from ..reference.hand_over import MAPPED, encode
from ..tools.family import Case, Family, argument_refusals, generated, replaced

SPECIFICATION = "Specs/hand-over.md"
OURS = [{"address": "0a4d0000", "length": 24}, {"address": "fd000000000000010000000000000000", "length": 64}]


def v4(text):
    return MAPPED + bytes(int(part) for part in text.split("."))


def v6(start, end=""):
    return bytes.fromhex(start) + bytes(16 - len(start + end) // 2) + bytes.fromhex(end)


def address(value, port=40000, transport=2):
    return {"transport": transport, "address": value.hex(), "port": port}


FOUR = [
    address(v4("10.77.0.1")),
    address(v4("192.168.1.200"), 1024),
    address(v6("fd00000000000001", "01"), 65535),
    address(v6("fe80", "02")),
]


def format_families():
    def encoded(comment, number, addresses, flags=()):
        return Case(comment, {"number": number, "addresses": addresses}, flags, ("INK-HOV-002",))

    writing = [
        encoded("one address", 1, FOUR[:1]),
        encoded("four addresses", 4, FOUR, ("boundary",)),
        encoded("the responder's first offer", 2, FOUR[1:3]),
        encoded("the initiator's second offer", 3, FOUR[2:]),
        encoded("the least values", 1, [address(bytes(16), 0, 0)], ("boundary",)),
        encoded("the largest values", 4, [address(b"\xff" * 16, 65535, 255)], ("boundary",)),
        encoded("values without structure", 2, [address(generated("offered", 16), 50001)], ("generated",)),
    ]
    base = writing[0].args

    def argument(comment, reason, **changes):
        return Case(comment, replaced(base, **changes), ("argument",), ("INK-CNF-004",), error=("arguments", reason))

    faults = [
        argument("number 0", "out-of-range", number=0),
        argument("number 5", "out-of-range", number=5),
        argument("no address", "wrong-length", addresses=[]),
        argument("five addresses", "wrong-length", addresses=[*FOUR, FOUR[0]]),
        argument("an address of 4 bytes", "wrong-length", addresses=[{**FOUR[0], "address": "0a4d0001"}]),
        argument("port 65,536", "out-of-range", addresses=[{**FOUR[0], "port": 65536}]),
        argument("an address without a port", "missing", addresses=[{"transport": 2, "address": "00" * 16}]),
    ]

    def fields(entries):
        return [(entry["transport"], bytes.fromhex(entry["address"]), entry["port"]) for entry in entries]

    def decoded(comment, body, flags=()):
        return Case(comment, {"body": body.hex()}, flags, ("INK-HOV-002",))

    def refused(comment, body, reason, flags=("refusal",)):
        return Case(comment, {"body": body.hex()}, flags, ("INK-HOV-020",), error=("offer", reason))

    one, four = encode(1, fields(FOUR[:1])), encode(4, fields(FOUR))
    edge = ("refusal", "boundary")
    reading = [
        decoded("one address", one),
        decoded("four addresses", four, ("boundary",)),
        decoded("an address of a transport that is not offered", encode(2, [(3, generated("nan", 16), 0)])),
        decoded("a port that is not called", encode(3, [(2, v4("10.77.0.1"), 22)])),
        refused("no byte", b"", "truncated"),
        refused("a number alone", b"\x01", "truncated", edge),
        refused("number 0", b"\0" + one[1:], "bad-number", edge),
        refused("number 5", b"\x05" + one[1:], "bad-number", edge),
        refused("number 255", b"\xff" + one[1:], "bad-number"),
        refused("no addresses", one[:1] + b"\0", "bad-count", edge),
        refused("five addresses", b"\x01\x05" + four[2:] + one[2:], "bad-count", edge),
        refused("a count of 255", one[:1] + b"\xff" + one[2:], "bad-count"),
        refused("a byte short", one[:-1], "wrong-length", edge),
        refused("a byte long", one + b"\0", "wrong-length", edge),
        refused("a count of 2 and one address", one[:1] + b"\x02" + one[2:], "wrong-length"),
        refused("a count of 1 and four addresses", four[:1] + b"\x01" + four[2:], "wrong-length"),
        refused("a count and nothing else", b"\x01\x01", "wrong-length"),
    ]
    return [
        Family("offer-encode", SPECIFICATION, "Writing OFFER.", writing + faults + argument_refusals("offer-encode", base)),
        Family(
            "offer-decode", SPECIFICATION, "Reading OFFER.", reading + argument_refusals("offer-decode", reading[0].args)
        ),
    ]


# Offered addresses: the first and the last of each private range, and the neighbours outside it.
PRIVATE = ["10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"]
GLOBAL = [
    "0.0.0.0", "9.255.255.255", "11.0.0.0", "100.64.0.1", "127.0.0.1", "169.253.255.255", "169.255.0.0",
    "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "224.0.0.251", "255.255.255.255", "8.8.8.8",
]  # fmt: skip
GLOBAL_V6 = [
    v6("00"), v6("", "01"), v6("20010db8", "01"), v6("fbff", "01"), v6("fe00", "01"), v6("fe7f", "01"),
    v6("fec0", "01"), v6("ff02", "fb"), b"\xff" * 16, v6("", "0a4d0001"),
]  # fmt: skip


def address_families():
    everywhere = [{"address": "00000000", "length": 0}, {"address": "00" * 16, "length": 0}]

    def args(value, port=40000, transport=2, prefixes=OURS):
        return {**address(value, port, transport), "prefixes": prefixes}

    def called(comment, *arguments, flags=()):
        return Case(comment, args(*arguments), flags, ("INK-HOV-022",))

    def refused(comment, reason, *arguments, flags=("refusal",)):
        return Case(comment, args(*arguments), flags, ("INK-HOV-022",), error=("offer", reason))

    cases = [
        called("IPv4 on the link", v4("10.77.0.1")),
        called("IPv6 on the link", v6("fd00000000000001", "01")),
        called("link-local IPv4", v4("169.254.1.1")),
        called("link-local IPv6", v6("fe80", "01")),
        called("the last link-local IPv6 address", v6("febf", "01"), flags=("boundary",)),
        called("the least port", v4("10.77.0.1"), 1024, flags=("boundary",)),
        called("the greatest port", v4("10.77.0.1"), 65535, flags=("boundary",)),
    ]
    cases += [called(f"{text} where everything is on the link", v4(text), 40000, 2, everywhere, flags=("boundary",)) for text in PRIVATE]
    cases += [called(f"{value.hex()} where everything is on the link", value, 40000, 2, everywhere, flags=("boundary",)) for value in (v6("fc00"), v6("fdff", "ff"))]
    cases += [
        refused("transport 0", "unknown-transport", v4("10.77.0.1"), 40000, 0),
        refused("transport 3", "unknown-transport", v4("10.77.0.1"), 40000, 3),
        refused("transport 255", "unknown-transport", v4("10.77.0.1"), 40000, 255),
        refused("port 0", "low-port", v4("10.77.0.1"), 0),
        refused("port 22", "low-port", v4("10.77.0.1"), 22),
        refused("port 1,023", "low-port", v4("10.77.0.1"), 1023, flags=("refusal", "boundary")),
        refused("10.77.1.1", "off-link", v4("10.77.1.1")),
        refused("192.168.1.1", "off-link", v4("192.168.1.1")),
        refused("fd00:0:0:2::1", "off-link", v6("fd00000000000002", "01")),
        refused("no prefix", "off-link", v4("10.77.0.1"), 40000, 2, []),
    ]
    cases += [refused(f"{text} where everything is on the link", "not-private", v4(text), 40000, 2, everywhere) for text in GLOBAL]
    cases += [refused(f"{value.hex()} where everything is on the link", "not-private", value, 40000, 2, everywhere) for value in GLOBAL_V6]
    return [
        Family(
            "offer-address",
            SPECIFICATION,
            "Which offered addresses are called.",
            cases + argument_refusals("offer-address", cases[0].args),
            insensitive={
                "address": "The result says where the address is used, and many addresses are used alike.",
                "port": "Every port from 1,024 is called alike.",
                "prefixes": "A link has other prefixes beside that of the address.",
            },
        )
    ]


def key_families():
    session = {"k1": "01" * 32, "k2": "02" * 32, "handshakeHash": "03" * 32}

    def case(comment, values, transport, number, flags=()):
        return Case(comment, {**values, "transport": transport, "number": number}, flags, ("INK-HOV-001",))

    cases = [case(f"offer {number} over TCP", session, 2, number) for number in (1, 2, 3, 4)]
    cases += [case(f"transport {transport}", session, transport, 1) for transport in (0, 3)]
    cases += [
        case("values without structure", {name: generated(f"{name} of offer {n}").hex() for name in session}, 2, n + 1, ("generated",))
        for n in range(4)
    ]
    return [
        Family("offer-keys", SPECIFICATION, "Keys of an offered link.", cases + argument_refusals("offer-keys", cases[0].args))
    ]


FAMILIES = [*format_families(), *address_families(), *key_families()]
