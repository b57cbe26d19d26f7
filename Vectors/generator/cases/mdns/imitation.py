"""Others who show the device's own name."""

from .dialogue import probe
from .parts import (
    ADDRESS,
    BOTH,
    HOST,
    INSTANCE,
    LINK_LOCAL,
    NAME,
    PTR,
    TYPE,
    address,
    asked,
    heard,
    instance,
    interface,
    message,
    name,
    ptr,
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

IMITATED = {"effect": "imitated"}
OTHERS = "bb" * 16


def imitation_cases():
    def case(comment, steps, *effects, until=20_000, flags=(), requirements=(14,), **more):
        return scenario(
            comment, requirements, [start(), *steps], until, [*shown_at(20, 1_020), *effects], flags=flags, **more
        )

    def defended(comment, packet, **more):
        return case(comment, [heard(5_000, packet)], {"at": 5_000, **IMITATED}, *shown_at(5_000), **more)

    def nothing(comment, *packets, **more):
        return case(comment, [heard(5_000 + n, packet) for n, packet in enumerate(packets)], **more)

    own = srv(NAME, HOST, INSTANCE["port"])
    port, host = srv(NAME, HOST, 4_000), srv(NAME, OTHERS, INSTANCE["port"])
    fake = response(port)
    both = response_packet(addresses=BOTH["published"])
    return [
        defended("another port: reported, and the instance is announced once more, at once", fake),
        defended("another host", response(host)),
        defended("a host of another form", response(srv(NAME, "printer.local", INSTANCE["port"]))),
        defended("another TXT", response(txt(NAME, b"\x03v=2")), requirements=(14, 29)),
        defended("another address of the host", response(address(HOST, "0a4d0009"))),
        defended("an address of another family", response(address(HOST, LINK_LOCAL))),
        defended("an address that would be refused", response(address(HOST, "e0000001"))),
        defended(
            "among our own records",
            response(ptr(NAME), own, txt(NAME), address(HOST, ADDRESS), address(HOST, "0a4d0009")),
        ),
        defended("in the additional section", response(ptr(NAME), additional=[port])),
        defended("in the authority section of a response", response(authority=[port])),
        defended("a TTL of 1", response(srv(NAME, HOST, 4_000, ttl=1))),
        defended("without cache flush", response(srv(NAME, HOST, 4_000, class_=1))),
        defended("from the device's own address", fake),
        nothing("TTL 0 shows nothing", response(srv(NAME, HOST, 4_000, ttl=0), address(HOST, "0a4d0009", ttl=0))),
        nothing("PTR has no other data", response(ptr(NAME), ptr(NAME, class_=0x8001))),
        nothing("the same data", response(ptr(NAME), own, txt(NAME), address(HOST, ADDRESS))),
        nothing(
            "the same data with another TTL, priority and class",
            response(
                record(
                    instance(NAME), 33, b"\0\7\0\7" + INSTANCE["port"].to_bytes(2, "big") + name(f"{HOST}.local"), 1, 9
                )
            ),
        ),
        nothing("another name", response(srv(OTHERS, HOST, 4_000), txt(OTHERS, b"\0"), address(OTHERS, "0a4d0009"))),
        nothing("the name in upper case is another", response(srv(NAME.upper(), HOST, 4_000))),
        nothing(
            "an alias of the name",
            response(record(instance(NAME), 5, name("x.local")), record(f"{HOST}.local", 5, name("x.local"))),
        ),
        nothing("a malformed packet", response(port)[:-2]),
        nothing(
            "in the answer section of a query: what somebody believes",
            message(answers=[port]),
            message([], [port], flags=0x0200),
        ),
        nothing("in the additional section of a query", message(additional=[port])),
        case("from another port", [heard(5_000, fake, port=5_354)], requirements=(14, 31)),
        case("from behind a router", [heard(5_000, fake, hop_limit=254)], requirements=(14, 31)),
        case(
            "once in an epoch: reported and announced",
            [heard(5_000 + 100 * n, fake) for n in range(100)],
            {"at": 5_000, **IMITATED},
            *shown_at(5_000),
            flags=("boundary",),
        ),
        case(
            "an imitation of another kind is not reported again",
            [heard(5_000, fake), heard(6_000, response(host)), heard(7_000, response(txt(NAME, b"\0")))],
            {"at": 5_000, **IMITATED},
            *shown_at(5_000),
        ),
        case(
            "the device stays, and answers as before",
            [heard(5_000, fake), asked(7_000, TYPE, PTR), heard(7_010, fake)],
            {"at": 5_000, **IMITATED},
            *shown_at(5_000, 7_020),
        ),
        case(
            "the announcement counts for the interval between responses",
            [heard(5_000, fake), asked(5_100, TYPE, PTR)],
            {"at": 5_000, **IMITATED},
            *shown_at(5_000, 6_000),
        ),
        case(
            "it takes the place of a response that is due",
            [asked(4_990, TYPE, PTR), heard(5_000, fake)],
            {"at": 5_000, **IMITATED},
            *shown_at(5_000),
        ),
        case(
            "an imitation a moment after an announcement",
            [heard(1_021, fake)],
            {"at": 1_021, **IMITATED},
            *shown_at(1_021),
        ),
        case(
            "a probe with other data: an imitation, and the announcement is the answer",
            [heard(5_000, probe(authority=[port]))],
            {"at": 5_000, **IMITATED},
            *shown_at(5_000),
        ),
        case(
            "a probe with our own data is answered and no imitation",
            [heard(5_000, probe(authority=[own, txt(NAME), address(HOST, ADDRESS)]))],
            *shown_at(5_000),
        ),
        case(
            "other data with TTL 0 in the authority section of a query",
            [heard(5_000, probe(authority=[srv(NAME, HOST, 4_000, ttl=0)]))],
            {"at": 5_000, **IMITATED},
            *shown_at(5_000),
        ),
        case(
            "a query from another port with authority records",
            [heard(5_000, message(authority=[port]), port=40_000)],
            {"at": 5_000, **IMITATED},
            *shown_at(5_000),
        ),
        case(
            "an address that the device published a while ago",
            [
                step(5_000, "interfaces", interfaces=[interface(published=["0a4d0009"])]),
                heard(7_000, response(address(HOST, ADDRESS))),
            ],
            *shown_at(5_020, addresses=["0a4d0009"]),
        ),
        scenario(
            "the announcement leaves on both families of the interface over which the imitation came",
            (14,),
            [start(), heard(5_000, fake, number=2)],
            20_000,
            [
                *[
                    one
                    for at in (20, 1_020)
                    for one in (
                        sent(at, both),
                        sent(at, both, ipv6=True),
                        sent(at, response_packet(addresses=["0a4d0107"]), 3),
                    )
                ],
                {"at": 5_000, **IMITATED},
                sent(5_000, both),
                sent(5_000, both, ipv6=True),
            ],
            interfaces=[BOTH, interface(3, published=["0a4d0107"])],
        ),
        scenario(
            "the addresses of another interface are the device's own",
            (14,),
            [
                start(),
                heard(5_000, response(address(HOST, ADDRESS)), number=3),
                heard(5_000, response_packet(addresses=["0a4d0107"])),
            ],
            20_000,
            [
                one
                for at in (20, 1_020)
                for one in (sent(at, response_packet()), sent(at, response_packet(addresses=["0a4d0107"]), 3))
            ],
            interfaces=[interface(), interface(3, published=["0a4d0107"])],
        ),
        scenario(
            "where the device does not show itself it reports, and says nothing",
            (14,),
            [start(), heard(5_000, fake)],
            20_000,
            [{"at": 5_000, **IMITATED}],
            interfaces=[interface(shown=False)],
        ),
        scenario("a device that announces nothing", (14,), [start(), heard(5_000, fake)], 20_000, [], announced=None),
        scenario(
            "an instance that is only answered is not defended",
            (13, 14),
            [start(), heard(5_000, fake), heard(5_001, response(txt(NAME, b"\0"), address(HOST, "0a4d0009")))],
            20_000,
            [],
            announced=None,
            answered=[INSTANCE],
        ),
        case(
            "nor one that is answered beside the announced one",
            [heard(5_000, response(srv("aa" * 16, HOST, 4_000), address(OTHERS, "0a4d0009")))],
            answered=[{"name": "aa" * 16, "host": OTHERS, "port": 9}],
            requirements=(13, 14),
        ),
        scenario("an imitation before the start", (14,), [heard(0, fake), start(10)], 500, shown_at(30)),
        case(
            "an imitation is not heard as a name, whatever is predicted",
            [heard(5_000, response(port, address(HOST, "0a4d0002"))), step(6_000, "search", name=NAME)],
            {"at": 5_000, **IMITATED},
            *shown_at(5_000),
            {"at": 6_000, "effect": "not-found", "name": NAME},
            known=[{"name": NAME, "host": HOST}],
            requirements=(14, 22),
        ),
    ]
