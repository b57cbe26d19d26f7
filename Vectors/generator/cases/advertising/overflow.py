"""Cases of the overflow area."""

from ...reference.advertising import structure
from ...tools.family import Case, Family, argument_refusals, generated
from .parts import CAPTURE_NOTES, FRAME, SAMPLE, SERVICE, SPECIFICATION, WATCH

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
