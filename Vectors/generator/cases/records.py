"""Cases for Specs/records.md."""

from ..reference.grants import cover, cover_bytes
from ..reference.records import LARGEST_CARD, LARGEST_GRANT, encode, encode_hello
from ..tools.family import Case, Family, argument_refusals, generated, replaced

SPECIFICATION = "Specs/records.md"
AUDIENCES = [generated(f"audience {n}", 8) for n in range(6)]
PERIOD = 496000


def record_families():
    sizes = [0, 1, 92, 93, 94, 252, 253, 254, 509, 510, 4096, 16125, 16126, 16384]
    encoded = [
        Case(
            f"a body of {size} bytes",
            {"type": 0x10, "body": generated(f"body {size}", size).hex()},
            ("boundary",),
            ("INK-REC-001",),
        )
        for size in sizes
    ]
    encoded += [
        Case(f"type {kind}", {"type": kind, "body": generated(f"body of type {kind}", 40).hex()}, (), ("INK-REC-001",))
        for kind in (0, 1, 2, 3, 4, 5, 6, 7, 0x1F, 0xFF)
    ]
    encoded += [Case("CLOSE", {"type": 4, "body": ""}, (), ("INK-REC-001",))]
    encoded.append(
        Case(
            "a body of 16,385 bytes",
            {"type": 0x10, "body": bytes(16385).hex()},
            ("argument", "boundary"),
            ("INK-CNF-004",),
            error=("arguments", "wrong-length"),
        )
    )

    def decoded(comment, plaintext, flags=()):
        return Case(comment, {"plaintext": plaintext.hex()}, flags, ("INK-REC-020",))

    def refused(comment, plaintext, reason):
        return Case(comment, {"plaintext": plaintext.hex()}, ("refusal",), ("INK-REC-020",), error=("record", reason))

    small = encode(0x10, generated("small", 20))
    large = encode(0x10, generated("large", 300))
    cases = [
        decoded(f"a body of {size} bytes", encode(0x10, generated(f"body {size}", size)), ("boundary",))
        for size in sizes
    ]
    cases += [decoded(f"type {kind}", encode(kind, generated(f"body of type {kind}", 40))) for kind in (0, 4, 6, 0xFF)]
    cases += [
        refused(f"{size} bytes", bytes([0x10]) + bytes(size - 1), "wrong-length")
        for size in (1, 2, 3, 95, 97, 112, 128, 255, 257, 16639, 16641, 16896)
    ]
    cases += [
        refused("no byte", b"", "wrong-length"),
        refused("a length of 16,385", bytes([0x10]) + (16385).to_bytes(2, "big") + bytes(16637), "bad-length"),
        refused("the largest length", bytes([0x10, 0xFF, 0xFF]) + bytes(16637), "bad-length"),
        refused("a length past the end", small[:1] + (94).to_bytes(2, "big") + small[3:], "bad-length"),
        refused("a body for 96 bytes in 256", small + bytes(160), "bad-length"),
        refused("a body for 256 bytes in 512", encode(0x10, generated("medium", 200)) + bytes(256), "bad-length"),
        refused("a body for 512 bytes in 256", large[:256], "bad-length"),
        refused("the byte after the body is not zero", small[:23] + b"\x01" + small[24:], "nonzero-padding"),
        refused("the last byte is not zero", small[:-1] + b"\x80", "nonzero-padding"),
        refused("the last byte of a large record is not zero", large[:-1] + b"\x01", "nonzero-padding"),
    ]
    return [
        Family(
            "record-encode",
            SPECIFICATION,
            "Writing and padding records.",
            encoded + argument_refusals("record-encode", encoded[1].args),
        ),
        Family(
            "record-decode",
            SPECIFICATION,
            "Reading records.",
            cases + argument_refusals("record-decode", cases[0].args),
        ),
    ]


def hello_families():
    def entry(n, generation=1, last=PERIOD + 2231):
        return {"audience": AUDIENCES[n].hex(), "generation": generation, "to": last}

    def encoded(comment, own, peer, grants, flags=()):
        return Case(comment, {"ownSerial": own, "peerSerial": peer, "grants": grants}, flags, ("INK-REC-003",))

    base = {"ownSerial": 3, "peerSerial": 7, "grants": [entry(0)]}
    valid = [
        encoded("one grant", 3, 7, [entry(0)]),
        encoded("no grant, no card of the other", 1, 0, [], ("boundary",)),
        encoded("five grants", 2**31, 9, [entry(n, n + 1, PERIOD + n) for n in range(5)], ("boundary",)),
        encoded("the largest values", 2**32 - 1, 2**32 - 1, [entry(0, 2**32 - 1, 2**20 - 1)], ("boundary",)),
        encoded("period 0", 1, 1, [entry(0, 1, 0)], ("boundary",)),
        encoded(
            "integers as strings",
            "3",
            "7",
            [{"audience": AUDIENCES[0].hex(), "generation": "1", "to": str(PERIOD)}],
            ("decimal",),
        ),
    ]

    def argument(comment, reason, **changes):
        return Case(comment, replaced(base, **changes), ("argument",), ("INK-CNF-004",), error=("arguments", reason))

    faults = [
        argument("six grants", "wrong-length", grants=[entry(n) for n in range(6)]),
        argument("two grants of one audience", "repeated-audience", grants=[entry(0), entry(0, 2)]),
        argument("generation 0", "out-of-range", grants=[entry(0, 0)]),
        argument("period 1,048,576", "out-of-range", grants=[entry(0, 1, 2**20)]),
        argument("an audience of 7 bytes", "wrong-length", grants=[{**entry(0), "audience": "00" * 7}]),
        argument("a grant without a generation", "missing", grants=[{"audience": AUDIENCES[0].hex(), "to": 1}]),
        argument("a grant that is a number", "wrong-type", grants=[5]),
    ]

    def body(own=3, peer=7, grants=((0, 1, PERIOD),)):
        return encode_hello(own, peer, [(AUDIENCES[n], generation, last) for n, generation, last in grants])

    def decoded(comment, data, flags=()):
        return Case(comment, {"body": data.hex()}, flags, ("INK-REC-003",))

    def refused(comment, data, reason):
        return Case(comment, {"body": data.hex()}, ("refusal",), ("INK-REC-021",), error=("hello", reason))

    one = body()
    reading = [
        decoded("one grant", one),
        decoded("no grant, no card of the other", body(1, 0, []), ("boundary",)),
        decoded("five grants", body(5, 6, [(n, n + 1, PERIOD + n) for n in range(5)]), ("boundary",)),
        decoded("the largest values", body(2**32 - 1, 2**32 - 1, [(0, 2**32 - 1, 2**20 - 1)]), ("boundary",)),
        refused("no byte", b"", "truncated"),
        refused("eight bytes", one[:8], "truncated"),
        refused("six grants", body(3, 7, [(n, 1, PERIOD) for n in range(6)]), "too-many"),
        refused("a count of 255", one[:8] + b"\xff" + one[9:], "too-many"),
        refused("a byte short", one[:-1], "wrong-length"),
        refused("a byte long", one + b"\0", "wrong-length"),
        refused("a count of 0 and one grant", one[:8] + b"\0" + one[9:], "wrong-length"),
        refused("a count of 2 and one grant", one[:8] + b"\2" + one[9:], "wrong-length"),
        refused("own serial 0", body(0), "out-of-range"),
        refused("generation 0", body(3, 7, [(0, 0, PERIOD)]), "out-of-range"),
        refused("period 1,048,576", body(3, 7, [(0, 1, 2**20)]), "out-of-range"),
        refused("two grants of one audience", body(3, 7, [(0, 1, PERIOD), (0, 2, PERIOD)]), "repeated-audience"),
    ]
    return [
        Family(
            "hello-encode", SPECIFICATION, "Writing HELLO.", valid + faults + argument_refusals("hello-encode", base)
        ),
        Family(
            "hello-decode",
            SPECIFICATION,
            "Reading HELLO.",
            reading + argument_refusals("hello-decode", reading[0].args),
        ),
    ]


def state_families():
    root = generated("root of an audience")
    last = 2**20 - 1

    def nodes(start, end):
        listed = cover_bytes(root, start, end)
        return bytes([len(listed)]) + b"".join(listed)

    own = nodes(PERIOD, last)
    granted = nodes(PERIOD - 1, PERIOD + 2230)
    audience, key, issuer = AUDIENCES[0], generated("pairwise key"), generated("identity key of a contact")
    card, grant = generated("card", 249), generated("grant", 800)

    def two(number=b"\0\0\0\7", listed=own, tail=b""):
        return b"\2" + audience + number + listed + tail

    def three(shown=own, expected=own, of=card):
        return b"\3" + key + shown + expected + of

    def four(generation=7, to=PERIOD + 2230, devices=0b101, listed=granted, tail=b""):
        numbers = generation.to_bytes(4, "big") + to.to_bytes(4, "big") + devices.to_bytes(2, "big")
        return b"\4" + issuer + audience + numbers + listed + tail

    def seven(flags, revoked=0):
        keys = b"".join(generated(f"revoked device {number}") for number in range(revoked))
        return b"\7" + issuer + bytes([flags, revoked]) + keys

    def decoded(comment, body, flags=()):
        return Case(comment, {"body": body.hex()}, flags, ("INK-REC-042",))

    def refused(comment, body, reason, flags=("refusal",)):
        return Case(comment, {"body": body.hex()}, flags, ("INK-REC-043",), error=("state", reason))

    one = bytes([1]) + generated("certificate", 106)
    listed = cover_bytes(root, PERIOD + 1, last)
    swapped = bytes([len(listed)]) + b"".join([listed[1], listed[0], *listed[2:]])
    gap = bytes([len(listed) - 1]) + b"".join([listed[0], *listed[2:]])
    outside = bytes([1, 4]) + (16).to_bytes(4, "big") + key
    deep = bytes([1, 21]) + (0).to_bytes(4, "big") + key
    split = cover_bytes(root, PERIOD, PERIOD) + cover_bytes(root, PERIOD + 1, PERIOD + 1)
    most = next(first for first in range(1, 64) if len(cover(first, first + 2**19 + 2**18)) > 20)
    reading = [
        decoded("a certificate", one),
        decoded("an own audience from now on", two()),
        decoded("an own audience in its last period", two(listed=nodes(last, last)), ("boundary",)),
        decoded("a whole tree", two(listed=nodes(0, last)), ("boundary",)),
        decoded("twenty nodes", two(listed=nodes(1, last)), ("boundary",)),
        decoded("the highest generation", two(b"\xff" * 4), ("boundary",)),
        decoded("a contact", three()),
        decoded("a contact with the longest card", three(of=generated("long card", LARGEST_CARD)), ("boundary",)),
        decoded("a contact with a card of one byte", three(of=b"\1"), ("boundary",)),
        decoded("a received grant", four()),
        decoded("a received grant of all devices", four(devices=0xFFFF), ("boundary",)),
        decoded("a received grant to the last period", four(to=last, listed=nodes(last - 9, last)), ("boundary",)),
        decoded("a grant to pass on", b"\5" + grant),
        decoded("the longest grant to pass on", b"\5" + generated("long grant", LARGEST_GRANT), ("boundary",)),
        decoded("the mark of a state", b"\6" + audience),
        decoded("no mark", b"\6" + bytes(8), ("boundary",)),
        decoded("a contact that is blocked", seven(1)),
        decoded("a contact whose grants are not renewed", seven(2)),
        decoded("a contact with a revoked device", seven(0, 1)),
        decoded("a contact with sixteen revoked devices", seven(3, 16), ("boundary",)),
        decoded("flags that are not defined", seven(0xFD), ("boundary",)),
        decoded("more", b"\x08"),
        refused("no byte", b"", "truncated"),
        refused("tag 0", b"\0" + grant, "unknown-tag"),
        refused("tag 9", b"\t" + grant, "unknown-tag"),
        refused("a mark a byte short", b"\6" + bytes(7), "truncated"),
        refused("a mark a byte long", b"\6" + bytes(9), "wrong-length"),
        refused("a decision without a count", seven(0)[:-1], "truncated"),
        refused("seventeen revoked devices", seven(0, 17), "out-of-range"),
        refused("a decision cut in its last key", seven(0, 2)[:-1], "truncated"),
        refused("a decision with a byte too many", seven(0, 2) + b"\0", "wrong-length"),
        refused("more with a byte", b"\x08\0", "wrong-length"),
        refused("a certificate a byte short", one[:-1], "wrong-length"),
        refused("a certificate a byte long", one + b"\0", "wrong-length"),
        refused("an audience without nodes", two(listed=b""), "truncated"),
        refused("an audience cut in its last key", two()[:-1], "truncated"),
        refused("an audience with a byte too many", two(tail=b"\0"), "wrong-length"),
        refused("generation 0", two(bytes(4)), "out-of-range"),
        refused("an empty list of nodes", two(listed=b"\0"), "nodes"),
        refused("twenty-one nodes", two(listed=nodes(most, most + 2**19 + 2**18)), "nodes"),
        refused("a node outside the tree", two(listed=outside), "nodes"),
        refused("a node below the leaves", two(listed=deep), "nodes"),
        refused("nodes in another order", two(listed=swapped), "nodes"),
        refused("nodes with a gap", two(listed=gap), "nodes"),
        refused("two leaves in the place of their parent", two(listed=b"\2" + b"".join(split)), "nodes"),
        refused("a contact without a card", three(of=b""), "wrong-length"),
        refused("a contact with a card of 1,901 bytes", three(of=bytes(LARGEST_CARD + 1)), "wrong-length"),
        refused("a contact without the second list of nodes", b"\3" + key + own, "truncated"),
        refused("a contact with an empty second list", three(expected=b"\0"), "nodes"),
        refused("a received grant of generation 0", four(generation=0), "out-of-range"),
        refused("a received grant of no device", four(devices=0), "out-of-range"),
        refused("a received grant to period 1,048,576", four(to=2**20), "out-of-range"),
        refused("a received grant with a byte too many", four(tail=b"\0"), "wrong-length"),
        refused("a received grant cut in its bitmap", four()[:50], "truncated"),
        refused("no grant", b"\5", "truncated"),
        refused("a grant a byte too long", b"\5" + bytes(LARGEST_GRANT + 1), "wrong-length"),
    ]
    return [
        Family(
            "state-decode",
            SPECIFICATION,
            "Reading the body of STATE, and writing what was read.",
            reading + argument_refusals("state-decode", reading[0].args),
        ),
    ]


FAMILIES = [*record_families(), *hello_families(), *state_families()]
