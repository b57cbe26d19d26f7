"""The endpoints of names: their addresses, their order, and their bounds."""

from ...reference.mdns.sending import (
    Packet,
    host_labels,
    instance_labels,
)
from ...tools.operations import answer
from .dialogue import (
    LASTS,
    called,
    listening,
)
from .parts import (
    ADDRESS,
    FLUSH,
    LINK_LOCAL,
    MDNS,
    PTR,
    SRV,
    TYPE,
    A,
    announced_by,
    appeared,
    asked,
    at_address,
    found,
    heard,
    interface,
    known,
    not_found,
    other_host,
    other_name,
    records_of,
    response,
    scenario,
    start,
    step,
    vanished,
)


def endpoint_cases():
    return [*address_cases(), *source_cases(), *place_cases(), *bound_cases(), *same_cases()]


def address_cases():
    def one(comment, addresses, endpoint, source="0a4d0002", requirements=(32,), **more):
        steps = [announced_by(5_000, 1, source, addresses=addresses), called(6_000)]
        reports = [appeared(5_000, 1), found(6_000, 1, endpoint)] if endpoint else [not_found(6_000, 1)]
        return listening(comment, requirements, steps, *reports, **more)

    refused = ["00000000", "7f000001", "e00000fb", "f0000001", "0a4d0102", "00" * 15 + "01", "ff02" + "00" * 14]
    private = [interface(prefixes=[("fd000000000000010000000000000000", 64)])]
    return [
        *[one(f"the address {value} is passed over", [value], None) for value in refused],
        one("the first address that is not refused", [*refused, "0a4d0007", "0a4d0008"], ("0a4d0007",)),
        one("the address that is the source, wherever it stands", [*refused, "0a4d0007", "0a4d0002"], ("0a4d0002",)),
        one(
            "a source that is refused does not count as an address", ["0a4d0102", "0a4d0007"], ("0a4d0007",), "0a4d0102"
        ),
        one(
            "an IPv6 address in the packet of an IPv4 source",
            ["fd000000000000010000000000000007"],
            ("fd000000000000010000000000000007",),
            interfaces=private,
        ),
        one(
            "an IPv6 link-local address goes with the interface",
            [LINK_LOCAL],
            (LINK_LOCAL, 4_000, 2),
            requirements=(32, 33),
        ),
        one(
            "the source is a link-local address",
            ["fd000000000000010000000000000007", "fe80" + "00" * 13 + "07"],
            ("fe80" + "00" * 13 + "07", 4_000, 2),
            "fe80" + "00" * 13 + "07",
            (32, 33),
            interfaces=[interface(ipv6=True, prefixes=[("fd000000000000010000000000000000", 64)])],
        ),
        one("an IPv4 link-local address", ["a9fe0007"], ("a9fe0007",)),
        one("an interface without prefixes", ["0a4d0002"], None, interfaces=[interface(prefixes=())]),
        one(
            "a loopback address on the loopback interface",
            ["7f000001"],
            ("7f000001",),
            "7f000001",
            interfaces=[interface(loopback=True)],
        ),
        listening(
            "the prefixes of now count",
            (32,),
            [
                announced_by(5_000, 1),
                step(5_500, "interfaces", interfaces=[interface(prefixes=[("0a4d0002", 32)])]),
                announced_by(6_000, 1),
                step(6_500, "interfaces", interfaces=[interface(prefixes=())]),
                announced_by(7_000, 2, "0a4d0003"),
                called(7_500),
            ],
            appeared(5_000, 1),
            found(7_500, 1, ("0a4d0002",)),
            interfaces=[interface()],
            knows=known(1, 2),
        ),
    ]


def source_cases():
    def ignored(comment, **more):
        return listening(
            comment, (31,), [heard(5_000, response(*records_of(1)), **more), called(6_000)], not_found(6_000, 1)
        )

    return [
        ignored("a response from port 5354", port=5_354),
        ignored("a response from port 0", port=0),
        ignored("a response with TTL 254", hop_limit=254),
        ignored("a response with TTL 1", hop_limit=1),
        ignored("a response with TTL 0", hop_limit=0),
        ignored("a response on an interface that is not in use", number=3),
        listening(
            "a response from port 5353 with TTL 255",
            (31,),
            [heard(5_000, response(*records_of(1)), port=MDNS, hop_limit=255)],
            appeared(5_000, 1),
        ),
        listening(
            "a source that is not on the link, with an address that is",
            (31, 32),
            [announced_by(5_000, 1, "08080808"), called(6_000)],
            appeared(5_000, 1),
            found(6_000, 1, ("0a4d0002",)),
        ),
    ]


def place_cases():
    two = [interface(), interface(3)]

    def many(comment, steps, *effects, requirements=(28, 40), **more):
        return listening(comment, requirements, steps, appeared(5_000, 1), *effects, **more)

    def imitated(count, first=0):
        """Other sources that name an address which is not theirs; each has a port of its own."""
        return [announced_by(5_000 + n, 1, f"0a4d00{0x20 + n:02x}", port=5_000 + n) for n in range(first, count)]

    def shown(*ports):
        return [("0a4d0002", port) for port in ports]

    ends = "0a4d0002"
    return [
        many(
            "an endpoint for each source",
            [announced_by(5_000, 1), announced_by(5_001, 1, "0a4d0009"), called(6_000)],
            found(6_000, 1, (ends,)),
        ),
        many(
            "a source that names another address is called after one that names its own",
            [announced_by(5_000, 1, "0a4d0009", port=9), announced_by(5_001, 1), called(6_000)],
            found(6_000, 1, (ends,), (ends, 9)),
        ),
        many(
            "two that name their own addresses, as heard",
            [announced_by(5_000, 1, "0a4d0009", port=9, addresses=["0a4d0009"]), announced_by(5_001, 1), called(6_000)],
            found(6_000, 1, ("0a4d0009", 9), (ends,)),
        ),
        many(
            "a source with another port, which may be forged: side by side",
            [
                announced_by(5_000, 1),
                announced_by(5_001, 1, "0a4d0009", port=9, addresses=["0a4d0009"]),
                announced_by(5_002, 1, port=10),
                called(6_000),
            ],
            found(6_000, 1, (ends,), ("0a4d0009", 9), (ends, 10)),
        ),
        many(
            "a forged source with 20 ports does not displace the device",
            [announced_by(5_000, 1), *[announced_by(5_001 + n, 1, port=9_000 + n) for n in range(20)], called(6_000)],
            found(6_000, 1, (ends,), *((ends, 9_000 + n) for n in (0, 1, 2, 16, 17, 18, 19))),
        ),
        many(
            "a forged source with a port before the device: both",
            [announced_by(5_000, 1, port=9), announced_by(5_001, 1), called(6_000)],
            found(6_000, 1, (ends, 9), (ends,)),
        ),
        many(
            "the one heard first and the newest in turn",
            [*imitated(5), called(6_000)],
            found(6_000, 1, *shown(5_000, 5_004, 5_001, 5_003, 5_002)),
        ),
        many(
            "eight endpoints",
            [*imitated(8), called(6_000)],
            found(6_000, 1, *shown(5_000, 5_007, 5_001, 5_006, 5_002, 5_005, 5_003, 5_004)),
            flags=("boundary",),
        ),
        many(
            "a ninth: the fifth gives way",
            [*imitated(9), called(6_000)],
            found(6_000, 1, *shown(5_000, 5_008, 5_001, 5_007, 5_002, 5_006, 5_003, 5_005)),
            flags=("boundary",),
        ),
        many(
            "twenty: the four heard first stay, and the newest",
            [*imitated(20), called(6_000)],
            found(6_000, 1, *shown(5_000, 5_019, 5_001, 5_018, 5_002, 5_017, 5_003, 5_016)),
        ),
        many(
            "the device itself among 20 that speak before it, and 20 after it",
            [
                *imitated(20),
                announced_by(5_050, 1),
                *[announced_by(5_100 + n, 1, f"0a4d00{0x60 + n:02x}", port=7_000 + n) for n in range(3)],
                called(6_000),
            ],
            found(6_000, 1, (ends,), *shown(5_000, 7_002, 5_001, 7_001, 5_002, 7_000, 5_003)),
        ),
        many(
            "one that was heard first is not displaced by any number",
            [announced_by(5_000, 1), *imitated(30, 1), called(6_000)],
            found(6_000, 1, (ends,), *shown(5_001, 5_029, 5_002, 5_028, 5_003, 5_027, 5_026)),
        ),
        many(
            "hearing again does not make an endpoint newer",
            [
                *imitated(8),
                announced_by(5_400, 1, "0a4d0020", port=5_000),
                announced_by(5_500, 1, "0a4d0024", port=5_004),
                announced_by(5_600, 1, "0a4d0070", port=1),
                called(6_000),
            ],
            found(6_000, 1, *shown(5_000, 1, 5_001, 5_007, 5_002, 5_006, 5_003, 5_005)),
        ),
        many(
            "an endpoint that several sources name is called once",
            [*[announced_by(5_000 + n, 1, f"0a4d00{0x20 + n:02x}") for n in range(5)], called(6_000)],
            found(6_000, 1, (ends,)),
        ),
        many(
            "the order of hearing also when the first has ended",
            [
                announced_by(5_000, 1, "0a4d0020", port=1),
                announced_by(100_000, 1, "0a4d0021", port=2),
                announced_by(100_001, 1, "0a4d0022", port=3),
                called(250_000),
            ],
            found(250_000, 1, *shown(2, 3)),
            vanished(100_001 + LASTS, 1),
            until=400_000,
        ),
        many(
            "one name on two interfaces appears once",
            [announced_by(5_000, 1), announced_by(5_001, 1, interface=3), called(6_000)],
            found(6_000, 1, (ends,)),
            requirements=(23,),
            interfaces=two,
        ),
        many(
            "link-local on two interfaces: two endpoints",
            [
                announced_by(5_000, 1, addresses=[LINK_LOCAL]),
                announced_by(5_001, 1, interface=3, addresses=[LINK_LOCAL]),
                called(6_000),
            ],
            found(6_000, 1, at_address(LINK_LOCAL, 4_000, 2), at_address(LINK_LOCAL, 4_000, 3)),
            requirements=(23, 33),
            interfaces=two,
        ),
        many(
            "an interface that goes takes its endpoints with it",
            [
                announced_by(5_000, 1),
                announced_by(5_001, 1, "0a4d0009", interface=3, port=9),
                step(6_000, "interfaces", interfaces=[interface(3)]),
                called(7_000),
                step(8_000, "interfaces", interfaces=[]),
            ],
            found(7_000, 1, (ends, 9)),
            vanished(8_000, 1),
            requirements=(23,),
            interfaces=two,
        ),
        many(
            "an interface that comes back does not bring them back",
            [
                announced_by(5_000, 1),
                step(6_000, "interfaces", interfaces=[]),
                step(6_500, "interfaces", interfaces=[interface()]),
                called(7_000),
                announced_by(8_000, 1),
            ],
            vanished(6_000, 1),
            not_found(7_000, 1),
            appeared(8_000, 1),
            requirements=(23,),
            interfaces=[interface()],
        ),
        many(
            "addresses and families that change leave what was heard",
            [
                announced_by(5_000, 1),
                step(6_000, "interfaces", interfaces=[interface(published=["0a4d0009"])]),
                step(6_500, "interfaces", interfaces=[interface(ipv4=False, ipv6=True)]),
                called(7_000),
            ],
            found(7_000, 1, (ends,)),
            requirements=(23,),
            interfaces=[interface()],
        ),
    ]


def crowded(numbers, port):
    """A packet with SRV and address of each of these names."""
    packet = Packet(0, 0x8400, 0, 2 * len(numbers))
    for number in numbers:
        labels, host = instance_labels(bytes.fromhex(other_name(number))), bytes.fromhex(other_host(number))
        packet.record(labels, SRV, FLUSH, 120, lambda: packet.service(port, host))
        packet.record(host_labels(host), A, FLUSH, 120, lambda: packet.raw(bytes.fromhex(ADDRESS)))
    return packet.bytes.hex()


def bound_cases():
    def names(at, numbers, source="0a4d0002", port=4_000):
        """Packets with SRV and address of sixteen names each, with pointers as devices send them."""
        numbers = list(numbers)
        groups = [numbers[place : place + 16] for place in range(0, len(numbers), 16)]
        return [heard(at, crowded(group, port), source) for group in groups]

    def own(number):
        """Sources beyond the addresses that are named."""
        return f"0a4d00{0xC0 + number:02x}"

    def reports(effects, at_least=0):
        return [one for one in effects if one["effect"] != "send" and one["at"] >= at_least]

    everyone = known(*range(1, 258))

    def bounded(comment, steps, *effects, **more):
        return scenario(
            comment,
            (24,),
            [start(), *steps],
            9_500,
            expect=lambda given: reports(given, 6_000) == list(effects),
            announced=None,
            browses=True,
            known=everyone,
            **more,
        )

    def ports(number, *values):
        return found(9_000, number, *[("0a4d0001", port) for port in values])

    full = [one for n in range(2) for one in names(5_000, range(1, 257), own(n), port=100 + n)]
    one_each = names(5_000, range(1, 257), own(0), port=100)
    # 62 names with eight endpoints and four with four: 512.
    uneven = [one for n in range(8) for one in names(5_000, range(1, 67 if n < 4 else 63), own(n), port=100 + n)]
    return [
        bounded(
            "256 names, and a 257th is dropped",
            [*one_each, *names(6_000, [257]), called(9_000, 256), called(9_000, 257)],
            ports(256, 100),
            not_found(9_000, 257),
            flags=("boundary",),
        ),
        bounded(
            "a third endpoint of the greatest name takes the place of its second",
            [*full, *names(6_000, [256], own(2), port=102), called(9_000, 256), called(9_000, 255)],
            ports(256, 100, 102),
            ports(255, 100, 101),
            flags=("boundary",),
        ),
        bounded(
            "a third endpoint of another name takes the place of the newest of the greatest",
            [*full, *names(6_000, [1], own(2), port=102), called(9_000, 1), called(9_000, 256), called(9_000, 255)],
            ports(1, 100, 102, 101),
            ports(256, 100),
            ports(255, 100, 101),
        ),
        bounded(
            "another one takes that of the name with most",
            [
                *full,
                *names(6_000, [1], own(2), port=102),
                *names(6_001, [2], own(2), port=102),
                called(9_000, 1),
                called(9_000, 2),
            ],
            ports(1, 100, 101),
            ports(2, 100, 102, 101),
        ),
        bounded(
            "a new name finds a place when the endpoints are full",
            [*uneven, *names(6_000, [67], own(0), port=100), called(9_000, 67), called(9_000, 62), called(9_000, 61)],
            {"at": 6_000, "effect": "appeared", "name": other_name(67)},
            ports(67, 100),
            ports(62, 100, 106, 101, 105, 102, 104, 103),
            ports(61, 100, 107, 101, 106, 102, 105, 103, 104),
        ),
        bounded(
            "a ninth endpoint needs no further place",
            [*uneven, *names(6_000, [1], own(8), port=108), called(9_000, 1), called(9_000, 62)],
            ports(1, 100, 108, 101, 107, 102, 106, 103, 105),
            ports(62, 100, 107, 101, 106, 102, 105, 103, 104),
        ),
        bounded(
            "hearing again needs no further place",
            [*full, *names(6_000, range(1, 257), own(0), port=100), called(9_000, 1), called(9_000, 256)],
            ports(1, 100, 101),
            ports(256, 100, 101),
        ),
    ]


def same_cases():
    """One device that knows every name, and one that knows none: they send the same."""
    steps = [start()]
    for n in range(40):
        steps.append(announced_by(3_000 + 137 * n, 1 + n % 20, port=4_000 + n % 3))
        if n % 5 == 0:
            steps.append(asked(3_001 + 137 * n, TYPE, PTR, source=f"0a4d00{n + 3:02x}"))
    steps.append(step(20_000, "known", known=[]))
    members = {"browses": True, "draws": [str(7 * n) for n in range(13)]}
    nobody = scenario("what a device sends that knows no name", (35,), steps, 400_000, **members)
    expected = [one for one in answer("mdns", nobody.args)["result"]["effects"]]
    if any(one["effect"] != "send" for one in expected):
        raise AssertionError("a device that knows nobody reports something")

    def same(effects):
        others = [one for one in effects if one["effect"] != "send"]
        return [one for one in effects if one["effect"] == "send"] == expected and len(others) == 40

    everybody = scenario(
        "what a device sends that knows every name: the same",
        (35,),
        steps,
        400_000,
        expect=same,
        known=known(*range(1, 21)),
        **members,
    )
    return [nobody, everybody]
