"""Cases of iBeacon frames."""

from ...reference.advertising import FLAGS, encode_ibeacon, structure
from ...tools.family import Case, Family, argument_refusals, generated
from .parts import CAPTURE_NOTES, FRAME, PROXIMITY, SAMPLE, SERVICE, SPECIFICATION


def ibeacon_encode_family():
    def args(uuid, major, minor, power):
        return {"uuid": uuid.hex(), "major": major, "minor": minor, "measuredPower": power}

    requirements = ("INK-ADV-001",)
    known = "0201061aff4c000215abe0bf31f9d48c5f814537ff0309dd600000f9c5c5"
    cases = [
        Case(
            "minor of device 0, audience root 20…3f, epoch 1984000",
            args(PROXIMITY, 0, 63941, -59),
            ("known-answer",),
            requirements,
            result={"advertisingData": known},
        ),
        Case("minor of device 1", args(PROXIMITY, 0, 12595, -59), (), requirements),
        Case("minor 0", args(PROXIMITY, 0, 0, -59), ("boundary",), requirements),
        Case("minor 65535", args(PROXIMITY, 0, 65535, -59), ("boundary",), requirements),
        Case("major 65535", args(PROXIMITY, 65535, 1, -59), ("boundary",), requirements),
        Case("major and minor are not swapped", args(PROXIMITY, 0x0102, 0x0304, -59), (), requirements),
        Case("power 0", args(PROXIMITY, 0, 1, 0), ("boundary",), requirements),
        Case("power 127", args(PROXIMITY, 0, 1, 127), ("boundary",), requirements),
        Case("power -1", args(PROXIMITY, 0, 1, -1), ("boundary",), requirements),
        Case("power -128", args(PROXIMITY, 0, 1, -128), ("boundary",), requirements),
        Case("the UUID of a widely copied sample", args(SAMPLE, 1, 2, -59), (), requirements),
        Case("integers as strings", args(PROXIMITY, "0", "63941", -59), ("decimal",), requirements),
    ]
    cases += [
        Case(
            "values without structure",
            args(
                generated(f"ibeacon {n}", 16),
                *(int.from_bytes(generated(f"numbers {n} {k}", 2)) for k in "ab"),
                -40 - n,
            ),
            ("generated",),
            requirements,
        )
        for n in range(20)
    ]
    return Family(
        "ibeacon-encode",
        SPECIFICATION,
        "Writing iBeacon frames.",
        cases + argument_refusals("ibeacon-encode", cases[0].args),
    )


def ibeacon_decode_families():
    def valid(comment, data, flags=(), result=None):
        return Case(comment, {"advertisingData": data.hex()}, flags, ("INK-ADV-020", "INK-ADV-021"), result=result)

    def refused(comment, data, reason, stage="ibeacon"):
        requirement = {"not-ibeacon": "INK-ADV-022"}.get(reason, "INK-ADV-027")
        if stage == "structures":
            requirement = "INK-ADV-020"
        return Case(comment, {"advertisingData": data.hex()}, ("refusal",), (requirement,), error=(stage, reason))

    bare = FRAME[3:]
    foreign = structure(0xFF, bytes.fromhex("e0000215") + generated("foreign", 8))
    expected = {"uuid": PROXIMITY.hex(), "major": 0, "minor": 63941, "measuredPower": -59}
    strict = [
        valid("the structure alone", bare, ("known-answer",), expected),
        valid("the structure and zeros after it", bare + bytes(4)),
        valid("the UUID of another program is for the caller to judge", encode_ibeacon(SAMPLE, 1, 2, -60)[3:]),
        valid("major and minor are not swapped", encode_ibeacon(PROXIMITY, 0x0102, 0x0304, 127)[3:]),
        valid("power -128", encode_ibeacon(PROXIMITY, 0, 0, -128)[3:], ("boundary",)),
        valid("minor 65535", encode_ibeacon(PROXIMITY, 0, 65535, -59)[3:], ("boundary",)),
    ]
    strict += [
        valid(
            "values without structure",
            encode_ibeacon(
                generated(f"ibeacon {n}", 16),
                *(int.from_bytes(generated(f"numbers {n} {k}", 2)) for k in "ab"),
                -40 - n,
            )[3:],
            ("generated",),
        )
        for n in range(20)
    ]
    strict += [
        refused("no data", b"", "not-ibeacon"),
        refused("Flags alone", FLAGS, "not-ibeacon"),
        refused("a foreign company", bytes.fromhex("1aff4d0002150000") + bytes(19), "not-ibeacon"),
        refused("the company in the wrong byte order", FRAME.replace(b"\x4c\x00", b"\x00\x4c", 1), "not-ibeacon"),
        refused("manufacturer data without a company", bytes.fromhex("02ff4c"), "not-ibeacon"),
        refused("manufacturer data without data", bytes.fromhex("01ff"), "not-ibeacon"),
        refused("a company without a type", bytes.fromhex("03ff4c00"), "not-ibeacon"),
        refused("another message of Apple", bytes.fromhex("0bff4c001006031e4d8cba1f"), "not-ibeacon"),
        refused("the overflow area", bytes.fromhex("14ff4c0001") + bytes(16), "not-ibeacon"),
        refused("the frame as service data", bytes.fromhex("1a16") + bare[2:], "not-ibeacon"),
        refused(
            "iBeacon behind another message in one structure",
            structure(0xFF, bytes.fromhex("4c0010010002") + b"\x15" + bytes(21)),
            "not-ibeacon",
        ),
        refused("a zero length before the frame", b"\0" + FRAME, "nonzero-padding", "structures"),
        refused("the frame one byte short", FRAME[:-1], "truncated", "structures"),
        refused("1,651 bytes", bytes(1651), "too-long", "structures"),
        refused("two iBeacon structures", FRAME + bare, "repeated"),
        refused("two iBeacon structures, the second malformed", FRAME + bytes.fromhex("04ff4c0002"), "repeated"),
        refused("nothing after the type", bytes.fromhex("04ff4c0002"), "truncated"),
        refused("nothing after the length", bytes.fromhex("05ff4c000215"), "truncated"),
        refused("20 bytes after the length", structure(0xFF, bare[2:-1]), "truncated"),
        refused("22 bytes after the length", structure(0xFF, bare[2:] + b"\0"), "trailing-bytes"),
        refused(
            "another message behind the frame", structure(0xFF, bare[2:] + bytes.fromhex("1000")), "trailing-bytes"
        ),
    ]
    strict += [
        refused(f"length byte {length:02x}", bare[:5] + bytes([length]) + bare[6:], "bad-length")
        for length in (0x00, 0x14, 0x16, 0xFF)
    ]
    tolerant = [
        valid("Flags before it, as specified", FRAME, ("known-answer", "ignored"), expected),
        valid("other Flags", bytes.fromhex("02011a") + bare, ("ignored",), expected),
        valid("Flags twice", FLAGS + FLAGS + bare, ("ignored",), expected),
        valid("a foreign company's data before it", foreign + bare, ("ignored",), expected),
        valid("a foreign company's data behind it", bare + foreign, ("ignored",), expected),
        valid(
            "another message of Apple beside it",
            bare + bytes.fromhex("0bff4c001006031e4d8cba1f"),
            ("ignored",),
            expected,
        ),
        valid("empty manufacturer data beside it", bytes.fromhex("01ff") + bare, ("ignored",), expected),
        valid("a service list beside it", bare + structure(0x07, SERVICE[::-1]), ("ignored",), expected),
    ]
    return [
        Family(
            "ibeacon-decode",
            SPECIFICATION,
            "Reading iBeacon frames that stand alone, and every way to refuse one.",
            strict + argument_refusals("ibeacon-decode", strict[0].args),
        ),
        Family(
            "ibeacon-decode-beside-others",
            SPECIFICATION,
            "Reading iBeacon frames between other structures.",
            tolerant,
            operation="ibeacon-decode",
            insensitive={"advertisingData": "The structures beside the frame are passed over, whatever they hold."},
            notes=CAPTURE_NOTES,
        ),
    ]
