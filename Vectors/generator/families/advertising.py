"""Cases for Specs/advertising.md."""

from ..advertising import FLAGS, encode_ibeacon, expand_uuid, named_uuid, structure
from ..family import Case, Family, argument_refusals, generated

SPECIFICATION = "Specs/advertising.md"
PROXIMITY = named_uuid("proximity")
SERVICE = named_uuid("service")
SAMPLE = bytes.fromhex("e20a39f473f54bc4a12f17d1ad07a961")
WATCH = bytes.fromhex("9aa4730fb25c4cc3b821c931559fc196")
FRAME = encode_ibeacon(PROXIMITY, 0, 63941, -59)

CAPTURE_NOTES = {
    "capture": {
        "meaning": "Seen on air or published by somebody who saw it.",
        "reason": "The overflow area is not documented by its maker; only captures show that the closed form is right.",
    },
    "ignored": {
        "meaning": "Holds structures that this operation passes over.",
        "reason": "Reports carry other programs' data, which must neither match nor disturb.",
    },
}


def uuid_family():
    known = {
        "proximity": "abe0bf31f9d48c5f814537ff0309dd60",
        "service": "1a356f5b2e008d8db35aedd2584c4da4",
        "tag": "3378d8652ebf8be9a321b5bf4ab7e545",
        "in": "10019a65c80189a690a2441db33e3a2c",
        "out": "1c6409b9a48e8f549ba3e4da3e87ed6e",
    }
    cases = [
        Case(f"the constant {name}", {"name": name}, ("known-answer",), ("INK-ADV-008",), result={"uuid": uuid})
        for name, uuid in known.items()
    ]
    cases += [
        Case("a name that is not used", {"name": name}, (), ("INK-ADV-008",)) for name in ("", "proximity2", "größe")
    ]
    return Family("uuid", SPECIFICATION, "UUIDs derived from names.", cases + argument_refusals("uuid", cases[0].args))


def ad_structures_family():
    requirements = ("INK-ADV-020",)

    def valid(comment, data, flags=()):
        return Case(comment, {"advertisingData": data.hex()}, flags, requirements)

    def refused(comment, data, reason):
        return Case(comment, {"advertisingData": data.hex()}, ("refusal",), requirements, error=("structures", reason))

    longest = b"".join(structure(0xFF, generated(f"long {part}", 254)) for part in range(6)) + structure(
        0xFF, generated("long last", 112)
    )
    cases = [
        valid("no data", b"", ("boundary",)),
        valid("the iBeacon frame", FRAME),
        valid("a type without data", bytes.fromhex("0109"), ("boundary",)),
        valid("the longest structure", structure(0xFF, generated("longest structure", 254)), ("boundary",)),
        valid("31 bytes", FRAME[:3] + structure(0x09, generated("name", 26)), ("boundary",)),
        valid("1,650 bytes", longest, ("boundary",)),
        valid("a zero ends the data", FLAGS + b"\0", ("boundary",)),
        valid("zeros to the end, as some receivers report", FLAGS + bytes(28)),
        valid("a zero at once", b"\0", ("boundary",)),
        valid("two structures of one type", FLAGS + FLAGS),
        refused("1,651 bytes", longest + b"\0", "too-long"),
        refused("a length without a type", b"\x01", "truncated"),
        refused("a length one past the end", FRAME[:-1], "truncated"),
        refused("the largest length", b"\xff\xff\x4c\x00", "truncated"),
        refused("a second structure past the end", FLAGS + b"\x02\x0a", "truncated"),
        refused("data after a zero length", FLAGS + b"\0\x02\x0a\x0c", "nonzero-padding"),
        refused("a zero length at the front", b"\0" + FRAME, "nonzero-padding"),
    ]
    assert len(longest) == 1650
    return Family(
        "ad-structures",
        SPECIFICATION,
        "Splitting advertising data into AD structures.",
        cases + argument_refusals("ad-structures", cases[1].args),
    )


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


# The last byte of the UUID in each row of D. G. Young's table, in the order of his bit positions
# (davidgyoung/OverflowAreaBeaconRef, OverflowAreaUtils.swift; the other fifteen bytes are zero).
YOUNG = bytes.fromhex(
    "7c376e2559124b00367d246f1358014a6c277e3549025b10266d347f0348115a"
    "5d164f0478336a21175c054e3279206b4d065f1468237a31074c155e2269307b"
    "3e752c671b500942743f662d511a43082e653c770b401952642f763d410a5318"
    "1f540d463a712863551e470c703b62290f441d562a613873450e571c602b7239"
)
ONE_BIT_CAPTURES = [
    ("an iPhone 6 with iOS 11 (davidgyoung/ios-overflow-area)", "2f234454cf6d4a0fadf2f4911ba9ffa6", 83),
    ("ukhsa-collaboration/COVID-19-app-Android-BETA, issue 39", "c1f5983cfa944ac88e2ebb86d6de9b21", 78),
    ("Android's car companion, ScanDataAnalyzer", "00003ac500001000800000805f9b34fb", 109),
    ("crownstone/bluenet-ios-basic-localization, C007", "0000c00700001000800000805f9b34fb", 36),
    ("crownstone/bluenet-ios-basic-localization, C008", "0000c00800001000800000805f9b34fb", 59),
    ("crownstone/bluenet-ios-basic-localization, 1001", "0000100100001000800000805f9b34fb", 57),
    ("crownstone/bluenet-ios-basic-localization, 3333", "0000333300001000800000805f9b34fb", 57),
]


def one_bit(value):
    return {"hash": value, "byte": value >> 3, "mask": 1 << (value & 7)}


def overflow_bit_family():
    requirements = ("INK-ADV-023",)

    def case(comment, uuid, flags, value=None):
        return Case(
            comment, {"uuid": uuid.hex()}, flags, requirements, result=None if value is None else one_bit(value)
        )

    cases = [case(comment, bytes.fromhex(uuid), ("capture",), value) for comment, uuid, value in ONE_BIT_CAPTURES]
    cases += [
        case("the Apple Watch set-up service, bit 69 of Young's table", WATCH, ("capture",), 66),
        Case(
            "the service of Inkling",
            {"uuid": SERVICE.hex()},
            ("known-answer",),
            ("INK-ADV-005", "INK-ADV-006", "INK-ADV-023"),
            result=one_bit(127),
        ),
        case("the UUID of a widely copied sample", SAMPLE, ("known-answer",), 53),
    ]
    cases += [
        case(f"row {index} of Young's table", bytes(15) + bytes([last]), ("capture",), index ^ 7)
        for index, last in enumerate(YOUNG)
    ]
    cases += [case("a UUID without structure", generated(f"overflow {n}", 16), ("generated",)) for n in range(32)]
    return Family(
        "overflow-bit",
        SPECIFICATION,
        "The bit of the overflow area that a service UUID sets.",
        cases + argument_refusals("overflow-bit", cases[0].args),
        notes=CAPTURE_NOTES,
    )


def overflow_match_family():
    phone = bytes.fromhex("2f234454cf6d4a0fadf2f4911ba9ffa6")

    def area(*hashes, base=bytes(16)):
        bits = bytearray(base)
        for value in hashes:
            bits[value >> 3] |= 1 << (value & 7)
        return structure(0xFF, bytes.fromhex("4c0001") + bits)

    def case(comment, data, present, uuid=SERVICE, flags=(), requirements=("INK-ADV-023",)):
        args = {"advertisingData": data.hex(), "uuid": uuid.hex()}
        return Case(comment, args, flags, requirements, result={"present": present})

    def refused(comment, data, stage, reason, requirement):
        args = {"advertisingData": data.hex(), "uuid": SERVICE.hex()}
        return Case(comment, args, ("refusal",), (requirement,), error=(stage, reason))

    background = bytes.fromhex("02011a14ff4c000100000000000000000000080000000000")
    nearby = bytes.fromhex("02011a020a0c0bff4c001006031e4d8cba1f")
    almost_full = bytes([0xFF] * 15 + [0x7F])
    cases = [
        case("an iPhone 6 in the background", background, True, phone, ("capture",)),
        case("the same with the zeros of the receiver", background + bytes(38), True, phone, ("capture",)),
        case("the same, asked for Inkling", background, False, SERVICE, ("capture",)),
        case("the bit of Inkling", area(127), True),
        case("all bits but that of Inkling", area(base=almost_full), False),
        case("no bit", area(), False, flags=("boundary",)),
        case("its bit in the wrong bit order", area(120), False),
        case("its bit in the wrong byte order", area(7), False),
        case("among other bits", area(0, 66, 83, 127), True),
        case("other messages of Apple before it", nearby + area(127), True, flags=("ignored",)),
        case("other messages of Apple behind it", area(127) + nearby[3:], True, flags=("ignored",)),
        case("other messages of Apple alone", nearby, False, flags=("ignored",)),
        case(
            "a foreign company with the same bytes",
            area(127).replace(b"\x4c\x00", b"\x4d\x00", 1),
            False,
            flags=("ignored",),
        ),
        case("an iBeacon frame beside it", FRAME + area(127), True, flags=("ignored",)),
        case("an iBeacon frame alone", FRAME, False, flags=("ignored",)),
        case("no data", b"", False, flags=("boundary",)),
        case("two areas, the bit in the second", area(1) + area(127), True, requirements=("INK-ADV-026",)),
        case("two areas, the bit in the first", area(127) + area(1), True, requirements=("INK-ADV-026",)),
        case("two areas, the bit in neither", area(1) + area(2), False, requirements=("INK-ADV-026",)),
        refused("all bits", area(base=b"\xff" * 16), "overflow", "saturated", "INK-ADV-025"),
        refused(
            "all bits in the second area", area(127) + area(base=b"\xff" * 16), "overflow", "saturated", "INK-ADV-025"
        ),
        refused("an area past the end", area(127)[:-1], "structures", "truncated", "INK-ADV-020"),
        refused("data after a zero length", area(127) + b"\0\x01", "structures", "nonzero-padding", "INK-ADV-020"),
        refused("1,651 bytes", bytes(1651), "structures", "too-long", "INK-ADV-020"),
    ]
    cases += [
        case(f"the bit of hash {value} alone", area(value), True, bytes(15) + bytes([YOUNG[value ^ 7]]))
        for value in range(128)
    ]
    cases += [
        refused(
            f"a bit map of {count} bytes",
            structure(0xFF, bytes.fromhex("4c0001") + bytes(count)),
            "overflow",
            "bad-length",
            "INK-ADV-029",
        )
        for count in (0, 1, 15, 17, 251)
    ]
    return Family(
        "overflow-match",
        SPECIFICATION,
        "Whether an advertisement of a backgrounded iPhone may stand for a service.",
        cases + argument_refusals("overflow-match", cases[0].args),
        insensitive={
            "advertisingData": "Only one bit of the map counts; all else is passed over.",
            "uuid": "Only seven bits of a hash of the UUID count.",
        },
        notes=CAPTURE_NOTES,
    )


FAMILIES = [
    uuid_family(),
    ad_structures_family(),
    ibeacon_encode_family(),
    *ibeacon_decode_families(),
    *service_uuid_families(),
    overflow_bit_family(),
    overflow_match_family(),
]
