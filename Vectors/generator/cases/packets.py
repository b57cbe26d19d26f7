"""Cases for Specs/packets.md."""

from ..reference.packets import BODY_SIZES, LARGEST_PACKET, encode, fragment, frame
from ..tools.family import Case, Family, argument_refusals, generated

SPECIFICATION = "Specs/packets.md"
NAMES = {
    1: "confirm, message 1",
    2: "confirm, message 2",
    3: "first contact, message 1",
    4: "first contact, message 2",
    5: "first contact, message 3",
    6: "device link, message 1",
    7: "device link, message 2",
    8: "device link, message 3",
    9: "record",
}
WRONG_SIZES = [
    (kind, size + step) for kind, sizes in BODY_SIZES.items() for size in (min(sizes), max(sizes)) for step in (-1, 1)
]


def body(kind, size):
    return generated(f"body of type {kind}, {size} bytes", size)


def smallest(kind):
    return encode(kind, body(kind, min(BODY_SIZES[kind])))


def packet_families():
    valid = [(kind, size) for kind, sizes in BODY_SIZES.items() for size in sorted({min(sizes), max(sizes)})]
    valid += [(4, 608), (5, 576), (7, 608), (9, 272)]
    encoded = [
        Case(
            f"{NAMES[kind]}, {size} bytes",
            {"type": kind, "body": body(kind, size).hex()},
            ("boundary",),
            ("INK-PKT-001", "INK-PKT-004"),
        )
        for kind, size in valid
    ]
    decoded = [
        Case(
            f"{NAMES[kind]}, {size} bytes",
            {"packet": encode(kind, body(kind, size)).hex()},
            ("boundary",),
            ("INK-PKT-004",),
        )
        for kind, size in valid
    ]
    for kind, size in WRONG_SIZES + [(4, 512), (9, 128), (9, 96)]:
        args = {"type": kind, "body": body(kind, size).hex()}
        comment = f"{NAMES[kind]}, {size} bytes"
        requirement = ("INK-PKT-020",)
        encoded.append(Case(comment, args, ("refusal", "boundary"), requirement, error=("packet", "bad-length")))
        args = {"packet": (bytes([kind << 4]) + body(kind, size)).hex()}
        decoded.append(Case(comment, args, ("refusal", "boundary"), requirement, error=("packet", "bad-length")))
    for kind in (0, *range(10, 16)):
        args = {"type": kind, "body": body(kind, 128).hex()}
        encoded.append(Case(f"type {kind}", args, ("refusal",), ("INK-PKT-020",), error=("packet", "unknown-type")))
        args = {"packet": (bytes([kind << 4]) + body(kind, 128)).hex()}
        decoded.append(Case(f"type {kind}", args, ("refusal",), ("INK-PKT-020",), error=("packet", "unknown-type")))
    for sequence in range(1, 16):
        args = {"packet": (bytes([1 << 4 | sequence]) + body(1, 128)).hex()}
        comment = f"sequence {sequence}"
        decoded.append(Case(comment, args, ("refusal",), ("INK-PKT-020",), error=("packet", "bad-sequence")))
    for packet, reason, comment in [
        (b"", "truncated", "no byte"),
        (b"\x10", "bad-length", "a header alone"),
        (b"\x00", "unknown-type", "a zero byte"),
    ]:
        decoded.append(
            Case(comment, {"packet": packet.hex()}, ("refusal",), ("INK-PKT-020",), error=("packet", reason))
        )
    return [
        Family(
            "packet-encode",
            SPECIFICATION,
            "Writing packets.",
            encoded + argument_refusals("packet-encode", encoded[0].args),
        ),
        Family(
            "packet-decode",
            SPECIFICATION,
            "Reading packets.",
            decoded + argument_refusals("packet-decode", decoded[0].args),
        ),
    ]


def frame_families():
    largest = encode(9, body(9, 16656))
    framed = [Case(NAMES[kind], {"packet": smallest(kind).hex()}, (), ("INK-PKT-021",)) for kind in BODY_SIZES]
    framed.append(Case("the largest record", {"packet": largest.hex()}, ("boundary",), ("INK-PKT-021",)))
    for packet, reason, comment in [
        (b"", "truncated", "no packet"),
        (b"\x00" + body(0, 128), "unknown-type", "type 0"),
        (b"\x12" + body(1, 128), "bad-sequence", "sequence 2"),
        (b"\x10" + body(1, 127), "bad-length", "message 1 a byte short"),
    ]:
        framed.append(Case(comment, {"packet": packet.hex()}, ("refusal",), ("INK-PKT-020",), error=("packet", reason)))

    first, second, record = frame(smallest(1)), frame(smallest(2)), frame(smallest(9))

    def read(comment, stream, flags=()):
        return Case(comment, {"stream": stream.hex()}, flags, ("INK-PKT-021",))

    def refused(comment, stream):
        return Case(comment, {"stream": stream.hex()}, ("refusal",), ("INK-PKT-022",), error=("frame", "bad-length"))

    streams = [
        read("one frame", first),
        read("two frames", second + record),
        read("five frames", record * 5),
        read("a frame and the beginning of another", second + record[:40]),
        read("no byte", b"", ("boundary",)),
        read("one byte of a length", first[:1], ("boundary",)),
        read("a length alone", first[:2], ("boundary",)),
        read("all but the last byte", first[:-1], ("boundary",)),
        read("a frame and one byte more", first + b"\x00", ("boundary",)),
        read("the largest frame", frame(largest), ("boundary",)),
        read("the content is not judged", (113).to_bytes(2, "big") + bytes(113)),
        refused("length 0", bytes(2)),
        refused("length 112", (112).to_bytes(2, "big") + bytes(112)),
        refused("one above the largest", (LARGEST_PACKET + 1).to_bytes(2, "big")),
        refused("length 65535", b"\xff\xff"),
        refused("a good frame before a bad length", first + bytes(2)),
        refused("the letters GET, as a web browser sends them", b"GET / HTTP/1.1\r\n"),
    ]
    return [
        Family(
            "tcp-frame-encode",
            SPECIFICATION,
            "Framing packets on TCP.",
            framed + argument_refusals("tcp-frame-encode", framed[0].args),
        ),
        Family(
            "tcp-frame-decode",
            SPECIFICATION,
            "Finding packets in a TCP stream.",
            streams + argument_refusals("tcp-frame-decode", streams[0].args),
        ),
    ]


def gatt_families():
    plans = [(1, 128, 23), (1, 128, 131), (1, 128, 132), (1, 128, 185), (2, 112, 23), (2, 112, 116), (4, 352, 23)]
    plans += [(4, 2144, 185), (9, 112, 517), (9, 1296, 23), (9, 16656, 517), (8, 128, 68)]
    cut = [
        Case(
            f"{NAMES[kind]}, {size} bytes, MTU {mtu}",
            {"packet": encode(kind, body(kind, size)).hex(), "mtu": mtu},
            ("boundary",),
            ("INK-PKT-002", "INK-PKT-005", "INK-PKT-006"),
        )
        for kind, size, mtu in plans
    ]
    for packet, reason, comment in [
        (b"", "truncated", "no packet"),
        (b"\xa0" + body(10, 128), "unknown-type", "type 10"),
        (b"\x11" + body(1, 128), "bad-sequence", "sequence 1"),
        (b"\x20" + body(2, 113), "bad-length", "message 2 a byte long"),
    ]:
        args = {"packet": packet.hex(), "mtu": 185}
        cut.append(Case(comment, args, ("refusal",), ("INK-PKT-020",), error=("packet", reason)))

    def join(comment, fragments, flags=()):
        return Case(comment, {"fragments": [piece.hex() for piece in fragments]}, flags, ("INK-PKT-005",))

    def refused(comment, fragments, reason, stage="fragment"):
        args = {"fragments": [piece.hex() for piece in fragments]}
        return Case(comment, args, ("refusal",), ("INK-PKT-023",), error=(stage, reason))

    pieces = fragment(smallest(1), 23)
    others = fragment(smallest(6), 23)
    long = fragment(encode(9, body(9, 272)), 23)
    header, data = pieces[-1][:1], pieces[-1][1:]
    joined = [
        join(f"{NAMES[kind]}, {size} bytes, MTU {mtu}", fragment(encode(kind, body(kind, size)), mtu), ("boundary",))
        for kind, size, mtu in plans
    ]
    joined += [
        join(
            "fragments of different sizes",
            [
                pieces[0],
                pieces[1][:1] + pieces[1][1:] + pieces[2][1:],
                bytes([0x14]) + b"".join(piece[1:] for piece in pieces[3:]),
            ],
        ),
        join("the index passes 7 and begins anew", long),
        refused("no fragment", [], "incomplete", "packet"),
        refused("an empty fragment", [b""], "truncated"),
        refused("a header alone", [b"\x10"], "truncated"),
        refused("an empty fragment in the middle", [pieces[0], b"", *pieces[1:]], "truncated"),
        refused("type 0", [bytes([0x00]) + body(0, 128)], "unknown-type"),
        refused("type 15 in the middle", [pieces[0], bytes([0xF3]) + pieces[1][1:]], "unknown-type"),
        refused("a fragment of another packet in between", [pieces[0], others[1], *pieces[2:]], "type-changed"),
        refused("the first fragment is absent", pieces[1:], "bad-sequence"),
        refused("a fragment is absent", [pieces[0], *pieces[2:]], "bad-sequence"),
        refused("a fragment comes twice", [pieces[0], pieces[0], *pieces[1:]], "bad-sequence"),
        refused("two fragments change places", [pieces[0], pieces[2], pieces[1], *pieces[3:]], "bad-sequence"),
        refused("eight fragments are absent", [*long[:2], *long[10:]], "bad-length", "packet"),
        refused("the last fragment is absent", pieces[:-1], "incomplete", "packet"),
        refused("a fragment after the last", [*pieces, bytes([0x1E]) + bytes(4)], "trailing-fragment"),
        refused("the next packet follows", [*pieces, pieces[0]], "trailing-fragment"),
        refused("the whole is a byte short", [*pieces[:-1], header + data[:-1]], "bad-length", "packet"),
        refused("the whole is a byte long", [*pieces[:-1], header + data + b"\0"], "too-long"),
        refused(
            "message 1 that never ends", [bytes([0x10 | (n % 8) << 1 | 1]) + bytes(19) for n in range(8)], "too-long"
        ),
        refused(
            "a record that never ends",
            [bytes([0x90 | (n % 8) << 1 | 1]) + bytes(513) for n in range(33)],
            "too-long",
        ),
        refused("a record of a size that padding does not give", [bytes([0x90]) + bytes(128)], "bad-length", "packet"),
    ]
    return [
        Family(
            "gatt-fragment",
            SPECIFICATION,
            "Cutting packets into fragments.",
            cut + argument_refusals("gatt-fragment", cut[0].args),
            insensitive={"mtu": "Every MTU that holds the whole packet gives the same single fragment."},
        ),
        Family("gatt-reassemble", SPECIFICATION, "Joining fragments to packets.", joined),
    ]


FAMILIES = [*packet_families(), *frame_families(), *gatt_families()]
