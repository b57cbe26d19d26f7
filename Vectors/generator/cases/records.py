"""Cases for Specs/records.md."""

from ..reference.records import encode, encode_hello
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


FAMILIES = [*record_families(), *hello_families()]
