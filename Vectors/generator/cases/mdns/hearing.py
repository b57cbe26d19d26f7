"""What a device remembers of others: names, endpoints, and how long."""

from ...reference.mdns.sending import Packet, host_labels, instance_labels
from .parts import (
    ADDRESS,
    CNAME,
    FLUSH,
    HOST,
    LINK_LOCAL,
    MDNS,
    NAME,
    PTR,
    SRV,
    TYPE,
    A,
    address,
    announced_by,
    appeared,
    asked,
    at_address,
    browsed_at,
    found,
    heard,
    instance,
    interface,
    known,
    message,
    name,
    not_found,
    other_host,
    other_name,
    ptr,
    record,
    records_of,
    response,
    response_packet,
    scenario,
    search,
    srv,
    start,
    step,
    stop,
    txt,
    vanished,
)
from .showing import in_order

LASTS = 240_000


def case(comment, requirements, steps, *effects, until=20_000, flags=(), knows=known(1), **more):
    """A case of a device that browses and shows nothing. What it sends is known, and the effects are its reports."""
    reports = list(effects)
    moments = [20, 1_020, 4_020, 13_020, 40_020, *range(100_020, 2_000_000, 60_000)]
    if not {"interfaces", "browses", "announced"} & set(more):
        sends = browsed_at(*[at for at in moments if at <= until])
        members = {"announced": None, "browses": True, "known": knows, **more}
        return scenario(
            comment, requirements, [start(), *steps], until, in_order(reports, sends), flags=flags, **members
        )
    members = {"announced": None, "browses": True, "known": knows, **more}
    return scenario(
        comment,
        requirements,
        [start(), *steps],
        until,
        expect=lambda found: [one for one in found if one["effect"] != "send"] == reports,
        flags=flags,
        **members,
    )


def called(at, number=1, **more):
    return search(at, number, host=False)


def hearing_cases():
    return [
        *name_cases(),
        *unknown_cases(),
        *address_cases(),
        *source_cases(),
        *time_cases(),
        *place_cases(),
        *bound_cases(),
        *same_cases(),
    ]


def name_cases():
    from ...tools.operations import answer

    theirs = {"name": other_name(1), "host": other_host(1), "port": 4_000, "addresses": ["0a4d0002"]}
    compressed = answer("mdns-response", {"goodbye": False, "announced": True, **theirs})["result"]["packet"]
    one, host = other_name(1), other_host(1)
    here = found(6_000, 1, ("0a4d0002",))
    return [
        case("a predicted name appears, once", (23, 38), [announced_by(5_000, 1), announced_by(5_500, 1), called(6_000)], appeared(5_000, 1), here),
        case("as another device sends it, with pointers", (23,), [heard(5_000, compressed), called(6_000)], appeared(5_000, 1), here),
        case("without PTR, as an instance that is only answered", (23,), [heard(5_000, response(*records_of(1)[1:])), called(6_000)], appeared(5_000, 1), here),
        case("without TXT", (29,), [heard(5_000, response(*records_of(1)[:2], *records_of(1)[3:])), called(6_000)], appeared(5_000, 1), here),
        case("with another TXT", (29,), [heard(5_000, response(*records_of(1)[:2], txt(one, b"\x09nonsense!"), *records_of(1)[3:])), called(6_000)], appeared(5_000, 1), here),
        case("in another order", (23,), [heard(5_000, response(*reversed(records_of(1)))), called(6_000)], appeared(5_000, 1), here),
        case("the address in the additional section", (23,), [heard(5_000, response(*records_of(1)[:3], additional=records_of(1)[3:])), called(6_000)], appeared(5_000, 1), here),
        case("two names in one packet, in the order of their SRV", (23,), [heard(5_000, response(*records_of(2), *records_of(1)))], appeared(5_000, 2), appeared(5_000, 1), knows=known(1, 2)),
        case("two names on one host: each has its expected host", (23,), [heard(5_000, response(*records_of(1), srv(other_name(2), host)))], appeared(5_000, 1), knows=known(1, 2)),
        case("PTR alone: the next answer is awaited", (17, 23), [heard(5_000, response(ptr(one))), called(6_000)], not_found(6_000, 1)),
        case("SRV without an address in the packet", (23,), [heard(5_000, response(*records_of(1)[:3])), heard(5_001, response(records_of(1)[3])), called(6_000)], not_found(6_000, 1)),
        case("an address without SRV", (23,), [heard(5_000, response(records_of(1)[0], *records_of(1)[3:])), called(6_000)], not_found(6_000, 1)),
        case("the address of another host", (23,), [heard(5_000, response(*records_of(1)[:3], address(other_host(2), "0a4d0002"))), called(6_000)], not_found(6_000, 1)),
        case("another host than the one that is expected", (38,), [announced_by(5_000, 1, host=other_host(2)), called(6_000)], not_found(6_000, 1)),
        case("a host of another form", (38,), [heard(5_000, response(srv(one, "printer.local"), record("printer.local", A, b"\x0a\x4d\0\2"))), called(6_000)], not_found(6_000, 1)),
        case("a host in upper case", (21,), [heard(5_000, response(srv(one, f"{host.upper()}.local"), *records_of(1)[3:])), called(6_000)], not_found(6_000, 1)),
        case("SRV with the host of another and then with its own", (38,), [heard(5_000, response(srv(one, other_host(2)), address(other_host(2), "0a4d0003"), *records_of(1))), called(6_000)], appeared(5_000, 1), here),
        case("another host, beside the address of the expected one", (38,), [heard(5_000, response(srv(one, other_host(2)), *records_of(1)[3:])), called(6_000)], not_found(6_000, 1)),
        case("port 0", (38,), [announced_by(5_000, 1, port=0), called(6_000)], not_found(6_000, 1)),
        case("port 65,535", (38,), [announced_by(5_000, 1, port=65_535), called(6_000)], appeared(5_000, 1), found(6_000, 1, ("0a4d0002", 65_535)), flags=("boundary",)),
        case("SRV twice: one source has one endpoint, the last", (23,), [heard(5_000, response(*records_of(1), srv(one, host, 4_001))), called(6_000)], appeared(5_000, 1), found(6_000, 1, ("0a4d0002", 4_001))),
        case("the same name in a question is nothing", (38,), [asked(5_000, instance(one), 33), called(6_000)], not_found(6_000, 1)),
        case("records in a query are nothing", (38,), [heard(5_000, message(answers=records_of(1))), heard(5_001, message(authority=records_of(1))), called(6_000)], not_found(6_000, 1)),
        case("a packet with a malformed record is dropped as a whole", (30,), [heard(5_000, response(*records_of(1), record(f"{host}.local", A, bytes(3)))), called(6_000)], not_found(6_000, 1)),
        case("a packet with 33 records that would be kept", (30,), [heard(5_000, response(*records_of(1), *[ptr(one)] * 29)), called(6_000)], not_found(6_000, 1)),
        case("an alias of the service type leads nowhere", (38,), [heard(5_000, response(record(TYPE, CNAME, name(TYPE)), record(TYPE, CNAME, name("x.local")), record(instance(one), CNAME, name(instance(other_name(2)))), *records_of(2)))], knows=known(1)),
    ]  # fmt: skip


def unknown_cases():
    flood = [heard(5_000 + n, crowded(range(100 + 16 * n, 116 + 16 * n), 4_000)) for n in range(30)]
    return [
        case("a name that is not predicted", (38,), [announced_by(5_000, 2), called(6_000, 2)], not_found(6_000, 2)),
        case("480 names that are not predicted, and then one that is", (24, 38), [*flood, announced_by(5_500, 1), called(6_000)], appeared(5_500, 1), found(6_000, 1, ("0a4d0002",))),
        case("a name in upper-case digits", (21,), [heard(5_000, response(srv(other_name(1).upper(), other_host(1)), *records_of(1)[3:]))]),
        case("a device that does not browse knows no name", (38,), [announced_by(5_000, 1), called(6_000)], not_found(6_000, 1), browses=False),
        case("a name that is predicted later must be heard again", (38,), [announced_by(5_000, 1), step(5_100, "known", known=known(1)), called(5_200), announced_by(6_000, 1)], not_found(5_200, 1), appeared(6_000, 1), knows=[], interfaces=[interface()]),
        case("a name that is not predicted any more stays for its time, and is not heard again", (38,), [announced_by(50_000, 1), step(60_000, "known", known=[]), announced_by(60_500, 1), called(61_000)], appeared(50_000, 1), found(61_000, 1, ("0a4d0002",)), vanished(50_000 + LASTS, 1), until=400_000, interfaces=[interface()]),
        case("another host is predicted", (38,), [announced_by(5_000, 1), step(6_000, "known", known=[{"name": other_name(1), "host": other_host(2)}]), announced_by(7_000, 1, port=9), announced_by(7_001, 1, port=10, host=other_host(2)), called(8_000)], appeared(5_000, 1), found(8_000, 1, ("0a4d0002", 10)), interfaces=[interface()]),
        case("nothing is heard before the start", (18,), [], knows=known(1)),
        scenario("what was said before the start", (18,), [announced_by(0, 1), start(1_000), called(1_500)], 1_600, [*browsed_at(1_020), not_found(1_500, 1)], announced=None, browses=True, known=known(1)),
        scenario("a search before the start, and after the stop", (18, 27), [search(0, 1), start(1_000), stop(1_001), search(1_002, 1)], 9_000, [not_found(0, 1)], announced=None, known=known(1)),
        scenario("after the stop nothing is heard, and nothing vanishes", (15,), [start(), announced_by(10, 1), stop(15), announced_by(1_500, 2)], 600_000, [appeared(10, 1)], announced=None, browses=True, known=known(1, 2)),
        case("the device's own instance", (22,), [heard(5_000, response_packet(), "0a4d0001"), step(6_000, "search", name=NAME)], {"at": 6_000, "effect": "not-found", "name": NAME}, announced={"name": NAME, "host": HOST, "port": 41_969}, knows=[{"name": NAME, "host": HOST}]),
        case("an instance that the device answers", (22,), [announced_by(5_000, 1), called(6_000)], not_found(6_000, 1), interfaces=[interface()], answered=[{"name": other_name(1), "host": other_host(1), "port": 4_000}]),
    ]  # fmt: skip


def address_cases():
    def one(comment, addresses, endpoint, source="0a4d0002", requirements=(32,), **more):
        steps = [announced_by(5_000, 1, source, addresses=addresses), called(6_000)]
        reports = [appeared(5_000, 1), found(6_000, 1, endpoint)] if endpoint else [not_found(6_000, 1)]
        return case(comment, requirements, steps, *reports, **more)

    refused = ["00000000", "7f000001", "e00000fb", "f0000001", "0a4d0102", "00" * 15 + "01", "ff02" + "00" * 14]
    private = [interface(prefixes=[("fd000000000000010000000000000000", 64)])]
    return [
        *[one(f"the address {value} is passed over", [value], None) for value in refused],
        one("the first address that is not refused", [*refused, "0a4d0007", "0a4d0008"], ("0a4d0007",)),
        one("the address that is the source, wherever it stands", [*refused, "0a4d0007", "0a4d0002"], ("0a4d0002",)),
        one("a source that is refused does not count as an address", ["0a4d0102", "0a4d0007"], ("0a4d0007",), "0a4d0102"),
        one("an IPv6 address in the packet of an IPv4 source", ["fd000000000000010000000000000007"], ("fd000000000000010000000000000007",), interfaces=private),
        one("an IPv6 link-local address goes with the interface", [LINK_LOCAL], (LINK_LOCAL, 4_000, 2), requirements=(32, 33)),
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
        one("a loopback address on the loopback interface", ["7f000001"], ("7f000001",), "7f000001", interfaces=[interface(loopback=True)]),
        case("the prefixes of now count", (32,), [announced_by(5_000, 1), step(5_500, "interfaces", interfaces=[interface(prefixes=[("0a4d0002", 32)])]), announced_by(6_000, 1), step(6_500, "interfaces", interfaces=[interface(prefixes=())]), announced_by(7_000, 2, "0a4d0003"), called(7_500)], appeared(5_000, 1), found(7_500, 1, ("0a4d0002",)), interfaces=[interface()], knows=known(1, 2)),
    ]  # fmt: skip


def source_cases():
    def ignored(comment, **more):
        return case(
            comment, (31,), [heard(5_000, response(*records_of(1)), **more), called(6_000)], not_found(6_000, 1)
        )

    return [
        ignored("a response from port 5354", port=5_354),
        ignored("a response from port 0", port=0),
        ignored("a response with TTL 254", hop_limit=254),
        ignored("a response with TTL 1", hop_limit=1),
        ignored("a response with TTL 0", hop_limit=0),
        ignored("a response on an interface that is not in use", number=3),
        case("a response from port 5353 with TTL 255", (31,), [heard(5_000, response(*records_of(1)), port=MDNS, hop_limit=255)], appeared(5_000, 1)),
        case("a source that is not on the link, with an address that is", (31, 32), [announced_by(5_000, 1, "08080808"), called(6_000)], appeared(5_000, 1), found(6_000, 1, ("0a4d0002",))),
    ]  # fmt: skip


def time_cases():
    gone = vanished(5_000 + LASTS, 1)

    def later(comment, steps, *effects, requirements=(39,), until=700_000, **more):
        return case(
            comment, requirements, [announced_by(5_000, 1), *steps], appeared(5_000, 1), *effects, until=until, **more
        )

    return [
        later("240 s after it was heard a name vanishes", [called(5_000 + LASTS - 1)], found(5_000 + LASTS - 1, 1, ("0a4d0002",)), gone, requirements=(23,)),
        later("a moment later it is not there", [called(5_001 + LASTS)], gone, not_found(5_001 + LASTS, 1), requirements=(23,)),
        later("what is heard again counts from then", [announced_by(200_000, 1)], vanished(200_000 + LASTS, 1)),
        later("heard at the moment at which it would vanish", [announced_by(5_000 + LASTS, 1)], vanished(5_000 + 2 * LASTS, 1), flags=("boundary",)),
        later("it comes back", [announced_by(300_000, 1)], gone, appeared(300_000, 1), vanished(300_000 + LASTS, 1)),
        later("a goodbye has no effect", [announced_by(100_000, 1, ttl=0)], vanished(100_000 + LASTS, 1)),
        later("a goodbye of SRV alone", [heard(100_000, response(*[one for one in records_of(1, ttl=0)[1:3]]))], gone),
        later("a TTL of 1 s", [announced_by(6_000, 1, ttl=1), called(10_000)], found(10_000, 1, ("0a4d0002",)), vanished(6_000 + LASTS, 1)),
        later("the greatest TTL", [announced_by(6_000, 1, ttl=2**32 - 1)], vanished(6_000 + LASTS, 1)),
        later("cache flush of another source: both stand side by side", [announced_by(6_000, 1, "0a4d0009", port=1, addresses=["0a4d0009"], class_=0x8001), called(7_000)], found(7_000, 1, ("0a4d0002",), ("0a4d0009", 1)), vanished(6_000 + LASTS, 1), requirements=(28, 39, 40)),
        later("a goodbye of another source is one more endpoint", [announced_by(6_000, 1, "0a4d0009", port=1, addresses=["0a4d0009"], ttl=0), called(7_000)], found(7_000, 1, ("0a4d0002",), ("0a4d0009", 1)), vanished(6_000 + LASTS, 1)),
        case("a name that is heard with TTL 0 first", (39,), [announced_by(5_000, 1, ttl=0)], appeared(5_000, 1), gone, until=300_000),
        later("a name vanishes with its last endpoint", [announced_by(100_000, 1, "0a4d0009"), called(300_000)], found(300_000, 1, ("0a4d0002",)), vanished(100_000 + LASTS, 1), requirements=(23,)),
        case("names that vanish at one moment, in ascending order", (23,), [announced_by(5_000, 3), announced_by(5_000, 1), announced_by(5_000, 2)], appeared(5_000, 3), appeared(5_000, 1), appeared(5_000, 2), *[vanished(5_000 + LASTS, n) for n in (1, 2, 3)], until=300_000, knows=known(1, 2, 3)),
    ]  # fmt: skip


def place_cases():
    two = [interface(), interface(3)]

    def many(comment, steps, *effects, requirements=(28, 40), **more):
        return case(comment, requirements, steps, appeared(5_000, 1), *effects, **more)

    def imitated(count, first=0):
        """Other sources that name an address which is not theirs; each has a port of its own."""
        return [announced_by(5_000 + n, 1, f"0a4d00{0x20 + n:02x}", port=5_000 + n) for n in range(first, count)]

    def shown(*ports):
        return [("0a4d0002", port) for port in ports]

    ends = "0a4d0002"
    return [
        many("an endpoint for each source", [announced_by(5_000, 1), announced_by(5_001, 1, "0a4d0009"), called(6_000)], found(6_000, 1, (ends,))),
        many("a source that names another address is called after one that names its own", [announced_by(5_000, 1, "0a4d0009", port=9), announced_by(5_001, 1), called(6_000)], found(6_000, 1, (ends,), (ends, 9))),
        many("two that name their own addresses, as heard", [announced_by(5_000, 1, "0a4d0009", port=9, addresses=["0a4d0009"]), announced_by(5_001, 1), called(6_000)], found(6_000, 1, ("0a4d0009", 9), (ends,))),
        many("a source changes its port: in its place", [announced_by(5_000, 1), announced_by(5_001, 1, "0a4d0009", port=9, addresses=["0a4d0009"]), announced_by(5_002, 1, port=10), called(6_000)], found(6_000, 1, (ends, 10), ("0a4d0009", 9))),
        many("the one heard first and the newest in turn", [*imitated(5), called(6_000)], found(6_000, 1, *shown(5_000, 5_004, 5_001, 5_003, 5_002))),
        many("eight endpoints", [*imitated(8), called(6_000)], found(6_000, 1, *shown(5_000, 5_007, 5_001, 5_006, 5_002, 5_005, 5_003, 5_004)), flags=("boundary",)),
        many("a ninth: the fifth gives way", [*imitated(9), called(6_000)], found(6_000, 1, *shown(5_000, 5_008, 5_001, 5_007, 5_002, 5_006, 5_003, 5_005)), flags=("boundary",)),
        many("twenty: the four heard first stay, and the newest", [*imitated(20), called(6_000)], found(6_000, 1, *shown(5_000, 5_019, 5_001, 5_018, 5_002, 5_017, 5_003, 5_016))),
        many("the device itself among 20 that speak before it, and 20 after it", [*imitated(20), announced_by(5_050, 1), *[announced_by(5_100 + n, 1, f"0a4d00{0x60 + n:02x}", port=7_000 + n) for n in range(3)], called(6_000)], found(6_000, 1, (ends,), *shown(5_000, 7_002, 5_001, 7_001, 5_002, 7_000, 5_003))),
        many("one that was heard first is not displaced by any number", [announced_by(5_000, 1), *imitated(30, 1), called(6_000)], found(6_000, 1, (ends,), *shown(5_001, 5_029, 5_002, 5_028, 5_003, 5_027, 5_026))),
        many("hearing again does not make an endpoint newer", [*imitated(8), announced_by(5_400, 1, "0a4d0020", port=5_000), announced_by(5_500, 1, "0a4d0024", port=5_004), announced_by(5_600, 1, "0a4d0070", port=1), called(6_000)], found(6_000, 1, *shown(5_000, 1, 5_001, 5_007, 5_002, 5_006, 5_003, 5_005))),
        many("an endpoint that several sources name is called once", [*[announced_by(5_000 + n, 1, f"0a4d00{0x20 + n:02x}") for n in range(5)], called(6_000)], found(6_000, 1, (ends,))),
        many("the order of hearing also when the first has ended", [announced_by(5_000, 1, "0a4d0020", port=1), announced_by(100_000, 1, "0a4d0021", port=2), announced_by(100_001, 1, "0a4d0022", port=3), called(250_000)], found(250_000, 1, *shown(2, 3)), vanished(100_001 + LASTS, 1), until=400_000),
        many("one name on two interfaces appears once", [announced_by(5_000, 1), announced_by(5_001, 1, interface=3), called(6_000)], found(6_000, 1, (ends,)), requirements=(23,), interfaces=two),
        many("link-local on two interfaces: two endpoints", [announced_by(5_000, 1, addresses=[LINK_LOCAL]), announced_by(5_001, 1, interface=3, addresses=[LINK_LOCAL]), called(6_000)], found(6_000, 1, at_address(LINK_LOCAL, 4_000, 2), at_address(LINK_LOCAL, 4_000, 3)), requirements=(23, 33), interfaces=two),
        many("an interface that goes takes its endpoints with it", [announced_by(5_000, 1), announced_by(5_001, 1, "0a4d0009", interface=3, port=9), step(6_000, "interfaces", interfaces=[interface(3)]), called(7_000), step(8_000, "interfaces", interfaces=[])], found(7_000, 1, (ends, 9)), vanished(8_000, 1), requirements=(23,), interfaces=two),
        many("an interface that comes back does not bring them back", [announced_by(5_000, 1), step(6_000, "interfaces", interfaces=[]), step(6_500, "interfaces", interfaces=[interface()]), called(7_000), announced_by(8_000, 1)], vanished(6_000, 1), not_found(7_000, 1), appeared(8_000, 1), requirements=(23,), interfaces=[interface()]),
        many("addresses and families that change leave what was heard", [announced_by(5_000, 1), step(6_000, "interfaces", interfaces=[interface(published=["0a4d0009"])]), step(6_500, "interfaces", interfaces=[interface(ipv4=False, ipv6=True)]), called(7_000)], found(7_000, 1, (ends,)), requirements=(23,), interfaces=[interface()]),
    ]  # fmt: skip


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
        bounded("256 names, and a 257th is dropped", [*one_each, *names(6_000, [257]), called(9_000, 256), called(9_000, 257)], ports(256, 100), not_found(9_000, 257), flags=("boundary",)),
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
            [*full, *names(6_000, [1], own(2), port=102), *names(6_001, [2], own(2), port=102), called(9_000, 1), called(9_000, 2)],
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
            [*full, *names(6_000, range(1, 257), own(0), port=103), called(9_000, 1), called(9_000, 256)],
            ports(1, 103, 101),
            ports(256, 103, 101),
        ),
    ]  # fmt: skip


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
    from ...tools.operations import answer

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
