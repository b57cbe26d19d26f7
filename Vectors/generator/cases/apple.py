"""Cases for Specs/apple.md."""

from ..reference.apple import regions
from ..reference.handshake import exporter
from ..reference.notation import H
from ..tools.family import Case, Family, argument_refusals, generated, replaced

SPECIFICATION = "Specs/apple.md"


def tls_family():
    requirements = ("INK-APL-001", "INK-APL-002")
    session = {"k1": "01" * 32, "k2": "02" * 32, "handshakeHash": "03" * 32}
    base = {**session, "transport": 2, "handshakeEpoch": 1984000, "epoch": 1984000}

    def case(comment, flags=(), **changes):
        return Case(comment, replaced(base, **changes), flags, requirements)

    def refused(comment, reason, requirement, **changes):
        return Case(comment, replaced(base, **changes), ("refusal",), (requirement,), error=("tls", reason))

    cases = [
        case("TCP, in the epoch of the handshake"),
        case("Wi-Fi Aware has a key of its own", transport=3),
        case("the epoch after the handshake's is the last", ("boundary",), epoch=1984001),
        case("a clock behind the handshake's epoch", epoch=1983999),
        case("the first epoch", ("boundary",), handshakeEpoch=0, epoch=0),
        case("the last epoch", ("boundary",), handshakeEpoch=2**22 - 1, epoch=2**22 - 1),
        refused("two epochs later", "expired", "INK-APL-003", epoch=1984002),
        refused("long after", "expired", "INK-APL-003", epoch=2**22 - 1),
        refused("GATT", "no-tls", "INK-APL-004", transport=0),
        refused("GATT, also when it is too late", "no-tls", "INK-APL-004", transport=0, epoch=1984002),
        Case(
            "a transport that is reserved", replaced(base, transport=1), ("argument",), ("INK-CNF-004",),
            error=("arguments", "out-of-range"),
        ),
        Case(
            "a transport that does not exist", replaced(base, transport=4), ("argument",), ("INK-CNF-004",),
            error=("arguments", "out-of-range"),
        ),
    ]
    cases += [
        case(
            "values without structure", ("generated",),
            **{name: generated(f"tls {name} {n}").hex() for name in session}, transport=2 + n % 2,
        )
        for n in range(6)
    ]
    cases += argument_refusals("tls-psk", base)
    return Family(
        "tls-psk",
        SPECIFICATION,
        "The key and the identity of one TLS connection beside a session.",
        cases + tls13_cases(session, base),
        insensitive={
            "handshakeEpoch": "The epochs only limit how long the key may be used.",
            "epoch": "The epochs only limit how long the key may be used.",
        },
    )


def tls13_cases(session, base):
    requirements = ("INK-APL-001", "INK-APL-007")
    newer = replaced(base, version=0x0304)
    secret = exporter(*(bytes.fromhex(value) for value in session.values()))

    def case(comment, args, flags=(), requirements=requirements, **expected):
        return Case(comment, args, flags, requirements, **expected)

    cases = [
        case(
            "TLS 1.3 over TCP", newer, ("known-answer",),
            result={
                "cipherSuite": 0x1301,
                "key": H(secret, b"inkling/1\0tls13-psk\0\x02\x01").hex(),
                "identity": H(secret, b"inkling/1\0tls13-psk-id\0\x02\x01")[:16].hex().encode().hex(),
            },
        ),
        case("TLS 1.3 over Wi-Fi Aware", replaced(newer, transport=3)),
        case("TLS 1.2 by its number", replaced(base, version=0x0303), requirements=("INK-APL-001", "INK-APL-002")),
        case("TLS 1.3 in the epoch after the handshake's", replaced(newer, epoch=1984001), ("boundary",)),
        case("TLS 1.3 by decimal digits", replaced(newer, version="772"), ("decimal",)),
        case(
            "TLS 1.3, two epochs later", replaced(newer, epoch=1984002), ("refusal",), ("INK-APL-003",),
            error=("tls", "expired"),
        ),
        case("TLS 1.3 over GATT", replaced(newer, transport=0), ("refusal",), ("INK-APL-004",), error=("tls", "no-tls")),
    ]
    cases += [
        case(
            "values without structure",
            {**newer, **{name: generated(f"tls 1.3 {name} {n}").hex() for name in session}, "transport": 2 + n % 2},
            ("generated",),
        )
        for n in range(6)
    ]
    # A version may be absent; the refusals of the other arguments are above.
    malformed = argument_refusals("tls-psk", newer)
    return cases + [one for one in malformed if one.comment.startswith("version ") and "absent" not in one.comment]


def region_family():
    requirements = ("INK-APL-020", "INK-APL-021")

    def one(contact, now, following, likelihood):
        candidate = {"contact": contact, "minorNow": now, "minorNext": following, "likelihood": likelihood}
        return {name: value for name, value in candidate.items() if value is not None}

    def case(comment, candidates, minors=None, flags=(), more=()):
        return Case(comment, {"candidates": candidates}, flags, requirements + more), minors

    def many(count, step=2):
        return [one(n, 100 + step * n, 101 + step * n, 1000 - n) for n in range(count)]

    crowd = [
        one(
            n, int.from_bytes(generated(f"now {n}", 2)), int.from_bytes(generated(f"next {n}", 2)),
            1 + int.from_bytes(generated(f"likelihood {n}", 2)),
        )
        for n in range(150)
    ]
    pairs = [
        case("nobody", [], [], ("boundary",)),
        case("one contact", [one(1, 63941, 39665, 100)], [63941, 39665]),
        case("what we hold ends with this epoch", [one(1, 63941, None, 100)], [63941]),
        case("the likelier first", [one(1, 10, 11, 5), one(2, 20, 21, 6)], [20, 21, 10, 11]),
        case("of equals the smaller contact first", [one(2, 20, 21, 5), one(1, 30, 31, 5)], [30, 31, 20, 21]),
        case("two devices of one contact, the smaller minor first", [one(1, 40, 41, 5), one(1, 30, 31, 5)], [30, 31, 40, 41]),
        case("a likelihood of zero is not watched", [one(1, 10, 11, 0), one(2, 20, 21, 1)], [20, 21], ("boundary",)),
        case("the largest likelihood", [one(1, 10, 11, 2**32 - 1), one(2, 20, 21, 2**32 - 2)], [10, 11, 20, 21], ("boundary",)),
        case("two contacts with one minor", [one(1, 10, 11, 5), one(2, 10, 21, 4)], [10, 11, 21]),
        case("this epoch's minor of one is the next of another", [one(1, 10, 11, 5), one(2, 11, 10, 4)], [10, 11]),
        case("a minor that stays", [one(1, 10, 10, 5)], [10]),
        case("minors 0 and 65535", [one(1, 0, 65535, 5)], [0, 65535], ("boundary",)),
        case("nine contacts fill eighteen places", many(9), [100 + n for n in range(18)], ("boundary",)),
        case("the tenth has room for this epoch alone", many(10), [100 + n for n in range(19)], ("boundary",)),
        case("the eleventh has no room", many(11), [100 + n for n in range(19)], ("boundary",)),
        case("a room that one could not use goes to the next", many(9) + [one(50, 100, 101, 9), one(51, 900, 901, 8)],
             [100 + n for n in range(18)] + [900]),
        case("nineteen without a next epoch", [one(n, 100 + n, None, 50) for n in range(20)], [100 + n for n in range(19)]),
        case("the order of the candidates does not count", list(reversed(many(12))), [100 + n for n in range(19)]),
        case("a hundred and fifty contacts", crowd, None, ("generated",)),
        case("the same in another order", sorted(crowd, key=lambda each: each["minorNow"]), None, ("generated",)),
    ]
    for found, minors in pairs:
        if minors is not None and regions(found.args["candidates"]) != minors:
            raise AssertionError(found.comment)
    cases = [found for found, _ in pairs]

    def refused(comment, candidates, reason):
        return Case(
            comment, {"candidates": candidates}, ("argument",), ("INK-CNF-004",), error=("arguments", reason)
        )

    cases += [
        refused("a candidate that is a number", [7], "wrong-type"),
        refused("candidates that are no list", "", "wrong-type"),
        refused("a candidate without a contact", [{"minorNow": 1, "likelihood": 1}], "missing"),
        refused("a candidate with a name", [{**one(1, 2, 3, 4), "name": "x"}], "unknown-field"),
        refused("a minor above its range", [one(1, 65536, 3, 4)], "out-of-range"),
        refused("a likelihood below its range", [one(1, 2, 3, -1)], "out-of-range"),
    ]
    return Family(
        "region-plan",
        SPECIFICATION,
        "The beacon regions that a phone watches.",
        cases + argument_refusals("region-plan", cases[0].args),
        insensitive={"candidates": "Only the order of likelihoods counts, and the least likely are left out."},
    )


FAMILIES = [tls_family(), region_family()]
