"""What a device remembers of others: which names, and for how long."""

from ...tools.operations import answer
from .dialogue import (
    LASTS,
    called,
    listening,
)
from .endpoints import crowded
from .parts import (
    CNAME,
    HOST,
    NAME,
    TYPE,
    A,
    address,
    announced_by,
    appeared,
    asked,
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


def hearing_cases():
    return [
        *name_cases(),
        *unknown_cases(),
        *time_cases(),
    ]


def name_cases():
    theirs = {"name": other_name(1), "host": other_host(1), "port": 4_000, "addresses": ["0a4d0002"]}
    compressed = answer("mdns-response", {"goodbye": False, "announced": True, **theirs})["result"]["packet"]
    one, host = other_name(1), other_host(1)
    here = found(6_000, 1, ("0a4d0002",))
    return [
        listening(
            "a predicted name appears, once",
            (23, 38),
            [announced_by(5_000, 1), announced_by(5_500, 1), called(6_000)],
            appeared(5_000, 1),
            here,
        ),
        listening(
            "as another device sends it, with pointers",
            (23,),
            [heard(5_000, compressed), called(6_000)],
            appeared(5_000, 1),
            here,
        ),
        listening(
            "without PTR, as an instance that is only answered",
            (23,),
            [heard(5_000, response(*records_of(1)[1:])), called(6_000)],
            appeared(5_000, 1),
            here,
        ),
        listening(
            "without TXT",
            (29,),
            [heard(5_000, response(*records_of(1)[:2], *records_of(1)[3:])), called(6_000)],
            appeared(5_000, 1),
            here,
        ),
        listening(
            "with another TXT",
            (29,),
            [heard(5_000, response(*records_of(1)[:2], txt(one, b"\x09nonsense!"), *records_of(1)[3:])), called(6_000)],
            appeared(5_000, 1),
            here,
        ),
        listening(
            "in another order",
            (23,),
            [heard(5_000, response(*reversed(records_of(1)))), called(6_000)],
            appeared(5_000, 1),
            here,
        ),
        listening(
            "the address in the additional section",
            (23,),
            [heard(5_000, response(*records_of(1)[:3], additional=records_of(1)[3:])), called(6_000)],
            appeared(5_000, 1),
            here,
        ),
        listening(
            "two names in one packet, in the order of their SRV",
            (23,),
            [heard(5_000, response(*records_of(2), *records_of(1)))],
            appeared(5_000, 2),
            appeared(5_000, 1),
            knows=known(1, 2),
        ),
        listening(
            "two names on one host: each has its expected host",
            (23,),
            [heard(5_000, response(*records_of(1), srv(other_name(2), host)))],
            appeared(5_000, 1),
            knows=known(1, 2),
        ),
        listening(
            "PTR alone: the next answer is awaited",
            (17, 23),
            [heard(5_000, response(ptr(one))), called(6_000)],
            not_found(6_000, 1),
        ),
        listening(
            "SRV without an address in the packet",
            (23,),
            [heard(5_000, response(*records_of(1)[:3])), heard(5_001, response(records_of(1)[3])), called(6_000)],
            not_found(6_000, 1),
        ),
        listening(
            "an address without SRV",
            (23,),
            [heard(5_000, response(records_of(1)[0], *records_of(1)[3:])), called(6_000)],
            not_found(6_000, 1),
        ),
        listening(
            "the address of another host",
            (23,),
            [heard(5_000, response(*records_of(1)[:3], address(other_host(2), "0a4d0002"))), called(6_000)],
            not_found(6_000, 1),
        ),
        listening(
            "another host than the one that is expected",
            (38,),
            [announced_by(5_000, 1, host=other_host(2)), called(6_000)],
            not_found(6_000, 1),
        ),
        listening(
            "a host of another form",
            (38,),
            [
                heard(5_000, response(srv(one, "printer.local"), record("printer.local", A, b"\x0a\x4d\0\2"))),
                called(6_000),
            ],
            not_found(6_000, 1),
        ),
        listening(
            "a host in upper case",
            (21,),
            [heard(5_000, response(srv(one, f"{host.upper()}.local"), *records_of(1)[3:])), called(6_000)],
            not_found(6_000, 1),
        ),
        listening(
            "SRV with the host of another and then with its own",
            (38,),
            [
                heard(5_000, response(srv(one, other_host(2)), address(other_host(2), "0a4d0003"), *records_of(1))),
                called(6_000),
            ],
            appeared(5_000, 1),
            here,
        ),
        listening(
            "another host, beside the address of the expected one",
            (38,),
            [heard(5_000, response(srv(one, other_host(2)), *records_of(1)[3:])), called(6_000)],
            not_found(6_000, 1),
        ),
        listening("port 0", (38,), [announced_by(5_000, 1, port=0), called(6_000)], not_found(6_000, 1)),
        listening(
            "port 65,535",
            (38,),
            [announced_by(5_000, 1, port=65_535), called(6_000)],
            appeared(5_000, 1),
            found(6_000, 1, ("0a4d0002", 65_535)),
            flags=("boundary",),
        ),
        listening(
            "SRV twice with two ports: two endpoints",
            (23,),
            [heard(5_000, response(*records_of(1), srv(one, host, 4_001))), called(6_000)],
            appeared(5_000, 1),
            found(6_000, 1, ("0a4d0002",), ("0a4d0002", 4_001)),
        ),
        listening(
            "the same name in a question is nothing",
            (38,),
            [asked(5_000, instance(one), 33), called(6_000)],
            not_found(6_000, 1),
        ),
        listening(
            "records in a query are nothing",
            (38,),
            [
                heard(5_000, message(answers=records_of(1))),
                heard(5_001, message(authority=records_of(1))),
                called(6_000),
            ],
            not_found(6_000, 1),
        ),
        listening(
            "a packet with a malformed record is dropped as a whole",
            (30,),
            [heard(5_000, response(*records_of(1), record(f"{host}.local", A, bytes(3)))), called(6_000)],
            not_found(6_000, 1),
        ),
        listening(
            "a packet with 33 records that would be kept",
            (30,),
            [heard(5_000, response(*records_of(1), *[ptr(one)] * 29)), called(6_000)],
            not_found(6_000, 1),
        ),
        listening(
            "an alias of the service type leads nowhere",
            (38,),
            [
                heard(
                    5_000,
                    response(
                        record(TYPE, CNAME, name(TYPE)),
                        record(TYPE, CNAME, name("x.local")),
                        record(instance(one), CNAME, name(instance(other_name(2)))),
                        *records_of(2),
                    ),
                )
            ],
            knows=known(1),
        ),
    ]


def unknown_cases():
    flood = [heard(5_000 + n, crowded(range(100 + 16 * n, 116 + 16 * n), 4_000)) for n in range(30)]
    return [
        listening(
            "a name that is not predicted", (38,), [announced_by(5_000, 2), called(6_000, 2)], not_found(6_000, 2)
        ),
        listening(
            "480 names that are not predicted, and then one that is",
            (24, 38),
            [*flood, announced_by(5_500, 1), called(6_000)],
            appeared(5_500, 1),
            found(6_000, 1, ("0a4d0002",)),
        ),
        listening(
            "a name in upper-case digits",
            (21,),
            [heard(5_000, response(srv(other_name(1).upper(), other_host(1)), *records_of(1)[3:]))],
        ),
        listening(
            "a device that does not browse knows no name",
            (38,),
            [announced_by(5_000, 1), called(6_000)],
            not_found(6_000, 1),
            browses=False,
        ),
        listening(
            "a name that is predicted later must be heard again",
            (38,),
            [announced_by(5_000, 1), step(5_100, "known", known=known(1)), called(5_200), announced_by(6_000, 1)],
            not_found(5_200, 1),
            appeared(6_000, 1),
            knows=[],
            interfaces=[interface()],
        ),
        listening(
            "a name that is not predicted any more stays for its time, and is not heard again",
            (38,),
            [announced_by(50_000, 1), step(60_000, "known", known=[]), announced_by(60_500, 1), called(61_000)],
            appeared(50_000, 1),
            found(61_000, 1, ("0a4d0002",)),
            vanished(50_000 + LASTS, 1),
            until=400_000,
            interfaces=[interface()],
        ),
        listening(
            "another host is predicted",
            (38,),
            [
                announced_by(5_000, 1),
                step(6_000, "known", known=[{"name": other_name(1), "host": other_host(2)}]),
                announced_by(7_000, 1, port=9),
                announced_by(7_001, 1, port=10, host=other_host(2)),
                called(8_000),
            ],
            appeared(5_000, 1),
            found(8_000, 1, ("0a4d0002",), ("0a4d0002", 10)),
            interfaces=[interface()],
        ),
        listening("nothing is heard before the start", (18,), [], knows=known(1)),
        scenario(
            "what was said before the start",
            (18,),
            [announced_by(0, 1), start(1_000), called(1_500)],
            1_600,
            [*browsed_at(1_020), not_found(1_500, 1)],
            announced=None,
            browses=True,
            known=known(1),
        ),
        scenario(
            "a search before the start, and after the stop",
            (18, 27),
            [search(0, 1), start(1_000), stop(1_001), search(1_002, 1)],
            9_000,
            [not_found(0, 1)],
            announced=None,
            known=known(1),
        ),
        scenario(
            "after the stop nothing is heard, and nothing vanishes",
            (15,),
            [start(), announced_by(10, 1), stop(15), announced_by(1_500, 2)],
            600_000,
            [appeared(10, 1)],
            announced=None,
            browses=True,
            known=known(1, 2),
        ),
        listening(
            "the device's own instance",
            (22,),
            [heard(5_000, response_packet(), "0a4d0001"), step(6_000, "search", name=NAME)],
            {"at": 6_000, "effect": "not-found", "name": NAME},
            announced={"name": NAME, "host": HOST, "port": 41_969},
            knows=[{"name": NAME, "host": HOST}],
        ),
        listening(
            "an instance that the device answers",
            (22,),
            [announced_by(5_000, 1), called(6_000)],
            not_found(6_000, 1),
            interfaces=[interface()],
            answered=[{"name": other_name(1), "host": other_host(1), "port": 4_000}],
        ),
    ]


def time_cases():
    gone = vanished(5_000 + LASTS, 1)

    def later(comment, steps, *effects, requirements=(39,), until=700_000, **more):
        return listening(
            comment, requirements, [announced_by(5_000, 1), *steps], appeared(5_000, 1), *effects, until=until, **more
        )

    return [
        later(
            "240 s after it was heard a name vanishes",
            [called(5_000 + LASTS - 1)],
            found(5_000 + LASTS - 1, 1, ("0a4d0002",)),
            gone,
            requirements=(23,),
        ),
        later(
            "a moment later it is not there",
            [called(5_001 + LASTS)],
            gone,
            not_found(5_001 + LASTS, 1),
            requirements=(23,),
        ),
        later("what is heard again counts from then", [announced_by(200_000, 1)], vanished(200_000 + LASTS, 1)),
        later(
            "heard at the moment at which it would vanish",
            [announced_by(5_000 + LASTS, 1)],
            vanished(5_000 + 2 * LASTS, 1),
            flags=("boundary",),
        ),
        later("it comes back", [announced_by(300_000, 1)], gone, appeared(300_000, 1), vanished(300_000 + LASTS, 1)),
        later("a goodbye has no effect", [announced_by(100_000, 1, ttl=0)], vanished(100_000 + LASTS, 1)),
        later("a goodbye of SRV alone", [heard(100_000, response(*[one for one in records_of(1, ttl=0)[1:3]]))], gone),
        later(
            "a TTL of 1 s",
            [announced_by(6_000, 1, ttl=1), called(10_000)],
            found(10_000, 1, ("0a4d0002",)),
            vanished(6_000 + LASTS, 1),
        ),
        later("the greatest TTL", [announced_by(6_000, 1, ttl=2**32 - 1)], vanished(6_000 + LASTS, 1)),
        later(
            "cache flush of another source: both stand side by side",
            [announced_by(6_000, 1, "0a4d0009", port=1, addresses=["0a4d0009"], class_=0x8001), called(7_000)],
            found(7_000, 1, ("0a4d0002",), ("0a4d0009", 1)),
            vanished(6_000 + LASTS, 1),
            requirements=(28, 39, 40),
        ),
        later(
            "a goodbye of another source is one more endpoint",
            [announced_by(6_000, 1, "0a4d0009", port=1, addresses=["0a4d0009"], ttl=0), called(7_000)],
            found(7_000, 1, ("0a4d0002",), ("0a4d0009", 1)),
            vanished(6_000 + LASTS, 1),
        ),
        listening(
            "a name that is heard with TTL 0 first",
            (39,),
            [announced_by(5_000, 1, ttl=0)],
            appeared(5_000, 1),
            gone,
            until=300_000,
        ),
        later(
            "a name vanishes with its last endpoint",
            [announced_by(100_000, 1, "0a4d0009"), called(300_000)],
            found(300_000, 1, ("0a4d0002",)),
            vanished(100_000 + LASTS, 1),
            requirements=(23,),
        ),
        listening(
            "names that vanish at one moment, in ascending order",
            (23,),
            [announced_by(5_000, 3), announced_by(5_000, 1), announced_by(5_000, 2)],
            appeared(5_000, 3),
            appeared(5_000, 1),
            appeared(5_000, 2),
            *[vanished(5_000 + LASTS, n) for n in (1, 2, 3)],
            until=300_000,
            knows=known(1, 2, 3),
        ),
    ]
