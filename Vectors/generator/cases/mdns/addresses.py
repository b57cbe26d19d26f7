"""The addresses of records."""

from ...tools.family import Case, argument_refusals
from .parts import LINK_LOCAL, PRIVATE, numbers

OURS = [{"address": "0a4d0000", "length": 24}, {"address": "fd000000000000010000000000000000", "length": 64}]
LOOPBACK = [{"address": "7f000000", "length": 8}, {"address": "00" * 15 + "01", "length": 128}]


def v6(start, end=""):
    return start + "00" * (16 - len(start + end) // 2) + end


# The first and the last address of each range that is refused, and the neighbours outside it.
ROWS = [
    (
        "unspecified",
        ["00000000", "00ffffff", "00" * 16, v6("", "02"), v6("", "ffffffffffffffff"), v6("", "ffff0a4d0001")],
    ),
    ("loopback", ["7f000000", "7f000001", "7fffffff", v6("", "01")]),
    ("multicast", ["e0000000", "e00000fb", "efffffff", v6("ff"), v6("ff02", "fb"), "ff" * 16]),
    ("reserved", ["f0000000", "ffffffff"]),
    (
        "off-link",
        [
            "01000000",
            "7effffff",
            "80000000",
            "dfffffff",
            "0a4d0101",
            "0a4cffff",
            "a9fdffff",
            "a9ff0000",
            "08080808",
            v6("0000000000000001"),
            v6("20010db8", "01"),
            v6("fd00000000000002", "01"),
            v6("fd00000000000000", "01"),
            v6("fe7fffff", "01"),
            v6("fec0", "01"),
            "feff" + "ff" * 14,
        ],
    ),
]
USED = [
    ("an address in a prefix", "0a4d0002", False),
    ("the first address of a prefix", "0a4d0000", False),
    ("the last address of a prefix", "0a4d00ff", False),
    ("an IPv4 link-local address, the first", "a9fe0000", False),
    ("an IPv4 link-local address, the last", "a9feffff", False),
    ("an IPv6 address in a prefix", PRIVATE, False),
    ("an IPv6 address in a prefix, the last", "fd00000000000001" + "ff" * 8, False),
    ("an IPv6 link-local address", LINK_LOCAL, True),
    ("an IPv6 link-local address, the first", v6("fe80"), True),
    ("an IPv6 link-local address, the last", "febf" + "ff" * 14, True),
]
# A prefix, an address inside, and one outside that differs in the last bit that counts.
EDGES = [
    ("0a4d0000", 1, "7effffff", "80000001"),
    ("0a4d0000", 23, "0a4d01ff", "0a4d0200"),
    ("0a4d0002", 31, "0a4d0003", "0a4d0004"),
    ("0a4d0002", 32, "0a4d0002", "0a4d0003"),
    ("20010db8" + "00" * 12, 1, v6("7f"), v6("80")),
    ("20010db8" + "00" * 12, 63, v6("20010db800000001"), v6("20010db800000002")),
    ("20010db8" + "00" * 12, 64, v6("20010db8", "ffffffffffffffff"), v6("20010db800000001")),
    ("20010db8" + "00" * 12, 65, v6("20010db8", "7fffffffffffffff"), v6("20010db8", "8000000000000000")),
    ("20010db8" + "00" * 12, 127, v6("20010db8", "01"), v6("20010db8", "02")),
    ("20010db8" + "00" * 12, 128, v6("20010db8"), v6("20010db8", "01")),
]


def address_cases():
    def args(value, prefixes=OURS, loopback=False):
        return {"address": value, "prefixes": prefixes, "loopback": loopback}

    def used(comment, value, is_scoped=False, flags=(), **more):
        result = {"withInterface": is_scoped}
        return Case(comment, args(value, **more), flags, numbers(32, 33) if is_scoped else numbers(32), result=result)

    def refused(comment, reason, value, **more):
        return Case(comment, args(value, **more), ("refusal",), numbers(32), error=("address", reason))

    cases = [used(comment, value, is_scoped) for comment, value, is_scoped in USED]
    cases += [refused(f"{reason}: {value}", reason, value) for reason, values in ROWS for value in values]
    cases += [
        used(f"{value} on the loopback interface", value, prefixes=LOOPBACK, loopback=True) for value in ROWS[1][1]
    ]
    cases += [
        used("a loopback address on a loopback interface without prefixes", "7f000001", prefixes=[], loopback=True),
        refused("0.0.0.0 on the loopback interface", "unspecified", "00000000", prefixes=LOOPBACK, loopback=True),
        refused(
            "an address of elsewhere on the loopback interface",
            "off-link",
            "0a4d0002",
            prefixes=LOOPBACK,
            loopback=True,
        ),
        refused(
            "multicast in a prefix of the interface",
            "multicast",
            "e0000001",
            prefixes=[{"address": "e0000000", "length": 4}],
        ),
        refused(
            "reserved, and in a prefix of length 0",
            "reserved",
            "f0000001",
            prefixes=[{"address": "00000000", "length": 0}],
        ),
        refused("no prefixes", "off-link", "0a4d0002", prefixes=[]),
        used("no prefixes, and link-local", LINK_LOCAL, True, prefixes=[]),
    ]
    for prefix, length, inside, outside in EDGES:
        prefixes = [{"address": prefix, "length": length}]
        cases.append(used(f"inside a prefix of {length} bits", inside, flags=("boundary",), prefixes=prefixes))
        cases.append(refused(f"outside a prefix of {length} bits", "off-link", outside, prefixes=prefixes))
    everything = [{"address": "00000000", "length": 0}]
    cases += [
        used("a prefix of 0 bits has every IPv4 address", "08080808", flags=("boundary",), prefixes=everything),
        refused("and no IPv6 address", "off-link", v6("20010db8"), prefixes=everything),
        used(
            "a prefix of 0 bits has every IPv6 address", v6("20010db8"), prefixes=[{"address": "00" * 16, "length": 0}]
        ),
        refused(
            "an IPv4 prefix of 33 bits has no address",
            "off-link",
            "0a4d0001",
            prefixes=[{"address": "0a4d0001", "length": 33}],
        ),
        used("the second of two prefixes", "0a4d0001", prefixes=[{"address": "0a000000", "length": 16}, *OURS]),
        Case(
            "a prefix of 129 bits",
            args(LINK_LOCAL, [{"address": LINK_LOCAL, "length": 129}]),
            ("argument",),
            ("INK-CNF-004",),
            error=("arguments", "out-of-range"),
        ),
        Case(
            "17 prefixes",
            args(LINK_LOCAL, OURS[:1] * 17),
            ("argument",),
            ("INK-CNF-004",),
            error=("arguments", "wrong-length"),
        ),
        Case(
            "an address of 15 bytes",
            args(LINK_LOCAL[2:]),
            ("argument",),
            ("INK-CNF-004",),
            error=("arguments", "wrong-length"),
        ),
    ]
    return cases + argument_refusals("mdns-address", args("0a4d0002"))
