"""Cases of service UUID lists."""

from ...reference.advertising import FLAGS, expand_uuid, structure
from ...tools.family import Case, Family, argument_refusals, generated
from .parts import CAPTURE_NOTES, FRAME, SAMPLE, SERVICE, SPECIFICATION


def service_uuid_families():
    def encoded(comment, uuids, flags=(), result=None):
        return Case(comment, {"uuids": [uuid.hex() for uuid in uuids]}, flags, ("INK-ADV-009",), result=result)

    def decoded(comment, data, flags=(), result=None):
        return Case(comment, {"advertisingData": data.hex()}, flags, ("INK-ADV-009",), result=result)

    def refused(comment, data, reason, stage="service-uuids"):
        requirement = "INK-ADV-020" if stage == "structures" else "INK-ADV-028"
        return Case(comment, {"advertisingData": data.hex()}, ("refusal",), (requirement,), error=(stage, reason))

    short = bytes.fromhex("180f")
    on_air = "1107a44d4c58d2ed5ab38d8d002e5b6f351a"
    encode = [
        encoded("the service of Inkling", [SERVICE], ("known-answer",), {"advertisingData": on_air}),
        encoded("no service", [], ("boundary",), {"advertisingData": ""}),
        encoded("a 16-bit UUID", [short], (), {"advertisingData": "03030f18"}),
        encoded("the 16-bit list stands before the 128-bit list", [SERVICE, short]),
        encoded("the order within a list is kept", [SERVICE, SAMPLE, short, b"\x18\x0a"]),
        encoded("a 16-bit UUID written out stays 128 bits long", [expand_uuid(short)]),
        encoded("fifteen 128-bit UUIDs", [generated(f"service {n}", 16) for n in range(15)], ("boundary", "generated")),
        encoded("127 16-bit UUIDs", [generated(f"short {n}", 2) for n in range(127)], ("boundary", "generated")),
    ]
    for comment, uuids in [
        ("sixteen 128-bit UUIDs do not fit into one structure", [generated(f"service {n}", 16) for n in range(16)]),
        ("128 16-bit UUIDs do not fit into one structure", [generated(f"short {n}", 2) for n in range(128)]),
    ]:
        args = {"uuids": [uuid.hex() for uuid in uuids]}
        encode.append(Case(comment, args, ("argument", "boundary"), ("INK-ADV-009",), error=("arguments", "too-long")))
    for comment, uuid in [("empty", ""), ("of 32 bits", "0000180f"), ("of 15 bytes", SERVICE.hex()[2:])]:
        args = {"uuids": [uuid]}
        encode.append(
            Case(f"a UUID {comment}", args, ("argument",), ("INK-CNF-004",), error=("arguments", "wrong-length"))
        )

    both = structure(0x03, b"\x0f\x18") + structure(0x07, SERVICE[::-1])
    decode = [
        decoded("the service of Inkling", bytes.fromhex(on_air), ("known-answer",), {"uuids": [SERVICE.hex()]}),
        decoded("an incomplete 128-bit list", structure(0x06, SERVICE[::-1] + SAMPLE[::-1])),
        decoded("an incomplete 16-bit list", structure(0x02, b"\x0f\x18\x0a\x18"), (), {"uuids": ["180f", "180a"]}),
        decoded("both lists", both),
        decoded("two lists of one kind", both + structure(0x07, SAMPLE[::-1])),
        decoded("the same UUID twice", structure(0x07, SERVICE[::-1] * 2)),
        refused("a 128-bit list of 15 bytes", structure(0x07, SERVICE[:15]), "bad-length"),
        refused("a 128-bit list of 17 bytes", structure(0x06, SERVICE + b"\0"), "bad-length"),
        refused("a 16-bit list of 1 byte", structure(0x03, b"\x0f"), "bad-length"),
        refused("a 16-bit list of 3 bytes", structure(0x02, b"\x0f\x18\x0a"), "bad-length"),
        refused("a good list and a bad one", both + structure(0x07, SERVICE[:8]), "bad-length"),
        refused("a list past the end", bytes.fromhex(on_air)[:-1], "truncated", "structures"),
        refused("data after a zero length", both + b"\0" + both, "nonzero-padding", "structures"),
        refused("1,651 bytes", bytes(1651), "too-long", "structures"),
    ]
    tolerant = [
        decoded("no data", b"", ("boundary",), {"uuids": []}),
        decoded("no list", FRAME, ("ignored",), {"uuids": []}),
        decoded("an empty complete list", bytes.fromhex("0107"), ("boundary",), {"uuids": []}),
        decoded("Flags before the list", FLAGS + bytes.fromhex(on_air), ("ignored",), {"uuids": [SERVICE.hex()]}),
        decoded(
            "a 32-bit list is passed over",
            structure(0x05, bytes(3)) + bytes.fromhex(on_air),
            ("ignored",),
            {"uuids": [SERVICE.hex()]},
        ),
        decoded("service data is passed over", structure(0x21, SERVICE[::-1]), ("ignored",), {"uuids": []}),
        decoded(
            "an iPhone 6 in the foreground, with the zeros of the receiver",
            bytes.fromhex("02011a1107a6ffa91b91f4f2ad0f4a6dcf5444232f") + bytes(41),
            ("capture", "ignored"),
            {"uuids": ["2f234454cf6d4a0fadf2f4911ba9ffa6"]},
        ),
    ]
    return [
        Family("service-uuids-encode", SPECIFICATION, "Writing lists of service UUIDs.", encode),
        Family(
            "service-uuids-decode",
            SPECIFICATION,
            "Reading lists of service UUIDs, and every way to refuse one.",
            decode + argument_refusals("service-uuids-decode", decode[0].args),
        ),
        Family(
            "service-uuids-decode-beside-others",
            SPECIFICATION,
            "Reading lists of service UUIDs between other structures.",
            tolerant,
            operation="service-uuids-decode",
            insensitive={"advertisingData": "The structures beside the lists are passed over, whatever they hold."},
            notes=CAPTURE_NOTES,
        ),
    ]
