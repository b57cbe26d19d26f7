"""Cases for Specs/wifi-aware.md."""

from ..reference.wifi_aware import FRAME_HEADER, OPTIONAL, SERVICE_NAME, publish, service_id, subscribe
from ..tools.family import Case, Family, argument_refusals, generated

SPECIFICATION = "Specs/wifi-aware.md"
OURS = service_id(SERVICE_NAME)
# Device 0 of the audience with root 20…3f in epoch 1984000.
NAME = bytes.fromhex("ee86ffa399825968e402a6832c863656")
OTHER = service_id("_printer._tcp")
ADDRESS = bytes.fromhex("5a0000000001")
IGNORED = {
    "ignored": {
        "meaning": "Holds attributes that this operation passes over.",
        "reason": "Every device adds attributes of its own, which must neither match nor disturb.",
    }
}


def attribute(kind, content):
    return bytes([kind]) + len(content).to_bytes(2, "little") + content


def descriptor(control, optional=b"", service=OURS, instance=1, requestor=0):
    return attribute(3, service + bytes([instance, requestor, control]) + optional)


def service_id_family():
    def case(comment, name, flags=(), service=None, requirement="INK-NAN-002"):
        result = None if service is None else {"service": service}
        return Case(comment, {"name": name}, flags, (requirement,), result=result)

    cases = [
        case("the service of Inkling", SERVICE_NAME, ("known-answer",), "9e2a277601d7", "INK-NAN-001"),
        case("capitals count as small letters", "_Inkling._TCP", ("known-answer",), "9e2a277601d7"),
        case("another protocol is another service", "_inkling._udp"),
        case("without the underscore it is another service", "inkling._tcp"),
        case("the characters beside the capitals stay as they are", "@A[Z`a{z", ("boundary",)),
        case("bytes above ASCII stay as they are", "_GRÖSSE._tcp"),
        case("no name", "", ("boundary",), "e3b0c44298fc"),
        case("a name of 255 bytes", "n" * 255, ("boundary",)),
    ]
    return Family(
        "nan-service-id",
        SPECIFICATION,
        "The six bytes that stand for a service name in Wi-Fi Aware.",
        cases + argument_refusals("nan-service-id", cases[0].args),
        # Names ignore case, and a flipped bit may turn a letter into its capital.
        insensitive={"name": "Capitals count as small letters."},
    )


def encode_family():
    requirements = ("INK-NAN-003",)

    def args(role="publish", service=OURS, instance=1, requestor=0, limited=False, **optional):
        return {
            "role": role, "service": service.hex(), "instance": instance, "requestor": requestor,
            "rangeLimited": limited, **optional,
        }

    def case(comment, arguments, flags=(), attribute_=None):
        result = None if attribute_ is None else {"attribute": attribute_}
        return Case(comment, arguments, flags, requirements, result=result)

    def refused(comment, arguments, stage, reason):
        return Case(comment, arguments, ("refusal",), ("INK-NAN-004",), error=(stage, reason))

    info = NAME.hex()
    full = args(
        instance=7, requestor=9, limited=True, bindingBitmap=0x0102, matchingFilter=["61", "", "6263"],
        responseFilter="02" + ADDRESS.hex(), serviceInfo=info,
    )
    cases = [
        case(
            "an offer with a name", args(serviceInfo=info), ("known-answer",),
            "031a009e2a277601d701001010" + info,
        ),
        case("a question", args("subscribe"), ("known-answer",), "0309009e2a277601d7010001"),
        case("a follow-up", args("follow-up", requestor=5, serviceInfo="00")),
        case("an answered question", args(requestor=255, serviceInfo=info), ("boundary",)),
        case("instance 255", args(instance=255), ("boundary",)),
        case("close range only", args(limited=True)),
        case("every field", full),
        case("a binding bitmap, low byte first", args(bindingBitmap=0x0102)),
        case("a binding bitmap of zeros is there", args(bindingBitmap=0), ("boundary",)),
        case("a matching filter without values", args(matchingFilter=[]), ("boundary",)),
        case("a matching filter with an empty value", args(matchingFilter=[""]), ("boundary",)),
        case("the longest matching value", args(matchingFilter=["6d" * 254]), ("boundary",)),
        case("a response filter without addresses", args(responseFilter="00"), ("boundary",)),
        case("two addresses", args("subscribe", responseFilter="02" + (ADDRESS * 2).hex())),
        case("a Bloom filter", args("subscribe", responseFilter="0d" + "0102030405")),
        case("the longest Bloom filter", args("subscribe", responseFilter="01" + "aa" * 254), ("boundary",)),
        case("empty service info", args(serviceInfo=""), ("boundary",)),
        case("the longest service info", args(serviceInfo="5a" * 255), ("boundary",)),
        case("integers as strings", args(instance="1", requestor="2", bindingBitmap="3"), ("decimal",)),
        refused("256 bytes of service info", args(serviceInfo="5a" * 256), "service-info", "too-long"),
        refused("a matching value of 255 bytes", args(matchingFilter=["6d" * 255]), "matching-filter", "too-long"),
        refused("a matching value of 257 bytes", args(matchingFilter=["6d" * 257]), "matching-filter", "too-long"),
        refused("128 matching values", args(matchingFilter=["6d"] * 128), "matching-filter", "too-long"),
        refused("a response filter of 259 bytes", args(responseFilter="00" + "aa" * 258), "response-filter", "too-long"),
        refused("a response filter without flags", args(responseFilter=""), "response-filter", "empty"),
        refused("a Bloom filter without bits", args(responseFilter="01"), "response-filter", "empty"),
        refused("a part of an address", args(responseFilter="0011"), "response-filter", "bad-length"),
        Case("instance 0", args(instance=0), ("argument",), ("INK-CNF-004",), error=("arguments", "out-of-range")),
        Case("no such role", args("offer"), ("argument",), ("INK-CNF-004",), error=("arguments", "out-of-range")),
        Case("no role", args(""), ("argument",), ("INK-CNF-004",), error=("arguments", "out-of-range")),
        Case(
            "a filter that is no list", args(matchingFilter="61"), ("argument",), ("INK-CNF-004",),
            error=("arguments", "wrong-type"),
        ),
    ]
    cases += [
        case(
            "values without structure",
            args(
                ("publish", "subscribe", "follow-up")[n % 3], generated(f"nan service {n}", 6), 1 + 25 * n, 11 * n,
                n % 2 == 0, serviceInfo=generated(f"nan info {n}", 7 * n).hex(),
            ),
            ("generated",),
        )
        for n in range(10)
    ]
    return Family(
        "nan-service-descriptor-encode",
        SPECIFICATION,
        "Writing service descriptors.",
        cases
        + [
            refusal
            for refusal in argument_refusals("nan-service-descriptor-encode", full)
            if refusal.comment not in [f"{name} is absent" for name in OPTIONAL]
        ],
    )


def decode_family():
    def valid(comment, data, flags=(), result=None):
        return Case(comment, {"attribute": data.hex()}, flags, ("INK-NAN-003",), result=result)

    def refused(comment, data, stage, reason):
        return Case(comment, {"attribute": data.hex()}, ("refusal",), ("INK-NAN-010",), error=(stage, reason))

    named = descriptor(0x10, b"\x10" + NAME)
    address_filter = bytes([7, 2]) + ADDRESS
    every = descriptor(
        0x7C, b"\x02\x01" + b"\x04\x01a\x00\x00" + address_filter + b"\x10" + NAME, instance=7, requestor=9
    )
    cases = [
        valid("an offer with a name", named, ("known-answer",), {"role": "publish", "serviceInfo": NAME.hex()}),
        valid("a question", descriptor(0x01), ("known-answer",), {"role": "subscribe"}),
        valid("a follow-up", descriptor(0x12, b"\x01\x00", requestor=5), (), {"role": "follow-up"}),
        valid("every field", every, (), {"bindingBitmap": 0x0102, "matchingFilter": ["61", "", ""], "requestor": 9}),
        valid("the service of another program", descriptor(0x00, service=OTHER)),
        valid("close range only", descriptor(0x20), (), {"rangeLimited": True}),
        valid("instance 0 is taken", descriptor(0x00, instance=0), ("boundary",), {"instance": 0}),
        valid("a binding bitmap alone", descriptor(0x40, b"\xff\x00"), (), {"bindingBitmap": 255}),
        valid("an empty matching filter", descriptor(0x04, b"\x00"), ("boundary",), {"matchingFilter": []}),
        valid("the longest matching filter", descriptor(0x04, b"\xff\xfe" + bytes(254)), ("boundary",)),
        valid("a response filter without addresses", descriptor(0x09, b"\x01\x02"), ("boundary",)),
        valid("42 addresses", descriptor(0x09, bytes([253, 2]) + ADDRESS * 42), ("boundary",)),
        valid("a Bloom filter", descriptor(0x09, bytes([4, 5]) + b"\x01\x02\x03")),
        valid("empty service info", descriptor(0x10, b"\x00"), ("boundary",), {"serviceInfo": ""}),
        valid("255 bytes of service info", descriptor(0x10, b"\xff" + generated("nan info", 255)), ("boundary",)),
        refused("no bytes", b"", "descriptor", "truncated"),
        refused("a byte short of the control byte", descriptor(0)[:-1], "descriptor", "truncated"),
        refused("another attribute", b"\x0e" + named[1:], "descriptor", "not-descriptor"),
        refused("a length one too small", named[:1] + b"\x19\x00" + named[3:], "descriptor", "bad-length"),
        refused("a length one too large", named[:1] + b"\x1b\x00" + named[3:], "descriptor", "bad-length"),
        refused("a length with its bytes swapped", named[:1] + b"\x00\x1a" + named[3:], "descriptor", "bad-length"),
        refused("an identifier that is a keyed hash", descriptor(0x90, b"\x10" + NAME), "descriptor", "randomized"),
        refused("role 3", descriptor(0x03), "descriptor", "unknown-role"),
        refused("no byte of a binding bitmap", descriptor(0x40), "binding-bitmap", "truncated"),
        refused("one byte of a binding bitmap", descriptor(0x40, b"\x01"), "binding-bitmap", "truncated"),
        refused("a matching filter without its length", descriptor(0x04), "matching-filter", "truncated"),
        refused("a matching filter past the end", descriptor(0x04, b"\x02\x00"), "matching-filter", "truncated"),
        refused("a value past the matching filter", descriptor(0x04, b"\x02\x02a"), "matching-filter", "bad-value"),
        refused(
            "a second value past the matching filter", descriptor(0x04, b"\x03\x01a\x01"), "matching-filter", "bad-value"
        ),
        refused("a response filter without its length", descriptor(0x08), "response-filter", "truncated"),
        refused("a response filter past the end", descriptor(0x08, b"\x02\x00"), "response-filter", "truncated"),
        refused("a response filter without flags", descriptor(0x08, b"\x00"), "response-filter", "empty"),
        refused("a Bloom filter without bits", descriptor(0x08, b"\x01\x01"), "response-filter", "empty"),
        refused("five bytes of an address", descriptor(0x08, b"\x06\x02" + ADDRESS[:5]), "response-filter", "bad-length"),
        refused("service info without its length", descriptor(0x10), "service-info", "truncated"),
        refused("service info past the end", descriptor(0x10, b"\x10" + NAME[:-1]), "service-info", "truncated"),
        refused("a byte after the last field", descriptor(0x10, b"\x10" + NAME + b"\0"), "descriptor", "trailing-bytes"),
        refused("service info that is not announced", descriptor(0x00, b"\x10" + NAME), "descriptor", "trailing-bytes"),
    ]
    return Family(
        "nan-service-descriptor-decode",
        SPECIFICATION,
        "Reading service descriptors, and every way to refuse one.",
        cases + argument_refusals("nan-service-descriptor-decode", cases[0].args),
    )


def frame_decode_family():
    def valid(comment, data, flags=()):
        return Case(comment, {"frame": data.hex()}, flags, ("INK-NAN-011",))

    def refused(comment, data, stage, reason):
        requirement = "INK-NAN-012" if reason == "not-service-discovery" else "INK-NAN-011"
        return Case(comment, {"frame": data.hex()}, ("refusal",), (requirement,), error=(stage, reason))

    ours = publish(NAME)
    longest = FRAME_HEADER + attribute(0xDD, generated("nan vendor", 2295))
    cases = [
        valid("an offer of ours", ours),
        valid("a question of ours", subscribe()),
        valid("no attribute", FRAME_HEADER, ("boundary",)),
        valid("attributes of several kinds", FRAME_HEADER + attribute(0, b"\x80\x40") + ours[6:] + attribute(0x0F, bytes(9))),
        valid("an attribute without content", FRAME_HEADER + attribute(0x12, b""), ("boundary",)),
        valid("two attributes of one kind", ours + ours[6:]),
        valid("the content of a descriptor is not looked at", FRAME_HEADER + attribute(3, b"")),
        valid("2,304 bytes", longest, ("boundary",)),
        refused("2,305 bytes", longest + b"\0", "frame", "too-long"),
        refused("no bytes", b"", "frame", "truncated"),
        refused("five bytes", ours[:5], "frame", "truncated"),
        refused("another category", b"\x09" + ours[1:], "frame", "not-service-discovery"),
        refused("another action", b"\x04\x0a" + ours[2:], "frame", "not-service-discovery"),
        refused("another vendor", ours[:2] + b"\x00\x50\xf2" + ours[5:], "frame", "not-service-discovery"),
        refused("a NAN action frame", ours[:5] + b"\x18" + ours[6:], "frame", "not-service-discovery"),
        refused("a frame of Wi-Fi Direct", ours[:5] + b"\x09" + ours[6:], "frame", "not-service-discovery"),
        refused("a number without its length", FRAME_HEADER + b"\x03", "attributes", "truncated"),
        refused("half a length", FRAME_HEADER + b"\x03\x00", "attributes", "truncated"),
        refused("a content one byte short", ours[:-1], "attributes", "truncated"),
        refused("the largest length", FRAME_HEADER + b"\xdd\xff\xff\x00", "attributes", "truncated"),
        refused("a byte after the last attribute", ours + b"\0", "attributes", "truncated"),
    ]
    assert len(longest) == 2304
    return Family(
        "nan-frame-decode",
        SPECIFICATION,
        "Splitting service discovery frames into attributes.",
        cases + argument_refusals("nan-frame-decode", cases[0].args),
    )


def sender_families():
    known = "0409506f9a13031a009e2a277601d701001010" + NAME.hex()

    def case(comment, name, requestor, flags=(), frame=None):
        result = None if frame is None else {"frame": frame}
        return Case(comment, {"name": name.hex(), "requestor": requestor}, flags, ("INK-NAN-005",), result=result)

    offers = [
        case("device 0 of the audience with root 20…3f, epoch 1984000", NAME, 0, ("known-answer",), known),
        case("an answer to instance 1", NAME, 1),
        case("an answer to instance 255", NAME, 255, ("boundary",)),
        case("a name of zeros", bytes(16), 0, ("boundary",)),
    ]
    offers += [case("a name without structure", generated(f"nan name {n}", 16), n, ("generated",)) for n in range(8)]
    question = Case(
        "the same bytes for everybody", {}, ("known-answer",), ("INK-NAN-006",),
        result={"frame": "0409506f9a130309009e2a277601d7010001"},
    )
    return [
        Family(
            "nan-publish",
            SPECIFICATION,
            "The frame by which a device shows its name.",
            offers + argument_refusals("nan-publish", offers[0].args),
        ),
        Family(
            "nan-subscribe",
            SPECIFICATION,
            "The frame by which a device asks who is there.",
            [question, *argument_refusals("nan-subscribe", {})],
        ),
    ]


def name_family():
    def found(comment, data, name, flags=()):
        result = {} if name is None else {"name": name.hex()}
        return Case(comment, {"frame": data.hex()}, flags, ("INK-NAN-013",), result=result)

    def refused(comment, data, stage, reason, requirement):
        return Case(comment, {"frame": data.hex()}, ("refusal",), (requirement,), error=(stage, reason))

    ours = publish(NAME)
    broken = attribute(3, OTHER + b"\x01\x00")
    bare = descriptor(0x00)
    generic = bytes.fromhex("506f9a02")

    def extension(info, control=0, before=b"", instance=1, kind=generic):
        content = bytes([instance]) + control.to_bytes(2, "little") + before
        return attribute(14, content + (len(kind + info)).to_bytes(2, "little") + kind + info)

    extended = FRAME_HEADER + bare + extension(NAME)
    cases = [
        found("an offer of ours", ours, NAME, ("known-answer",)),
        found("an answer to a question", publish(NAME, 200), NAME),
        found("another instance number", FRAME_HEADER + descriptor(0x10, b"\x10" + NAME, instance=77), NAME),
        found(
            "with the attributes that a device adds",
            FRAME_HEADER + attribute(0, b"\x80\x40") + attribute(0x12, bytes(12)) + ours[6:] + attribute(0x0F, bytes(9)),
            NAME,
            ("ignored",),
        ),
        found("an extension attribute behind it", ours + attribute(0x0E, b"\x01\x04\x00"), NAME, ("ignored",)),
        found("with filters and a bitmap that are not used", FRAME_HEADER + descriptor(
            0x74, b"\x00\x00" + b"\x02\x01a" + b"\x10" + NAME), NAME, ("ignored",)),
        found("another service before it", FRAME_HEADER + descriptor(0x10, b"\x01x", OTHER) + ours[6:], NAME, ("ignored",)),
        found("a broken descriptor of another service", FRAME_HEADER + broken + ours[6:], NAME, ("ignored",)),
        found("a descriptor too short for an identifier", FRAME_HEADER + attribute(3, OURS[:5]) + ours[6:], NAME, ("ignored",)),
        found("our question beside our offer", ours + subscribe()[6:], NAME, ("ignored",)),
        found("our question alone", subscribe(), None),
        found("a follow-up with sixteen bytes", FRAME_HEADER + descriptor(0x12, b"\x10" + NAME), None),
        found("another service with sixteen bytes", FRAME_HEADER + descriptor(0x10, b"\x10" + NAME, OTHER), None),
        found("no attribute", FRAME_HEADER, None, ("boundary",)),
        refused("an offer without a name", FRAME_HEADER + descriptor(0x00), "name", "absent", "INK-NAN-014"),
        refused("an empty name", FRAME_HEADER + descriptor(0x10, b"\0"), "name", "bad-length", "INK-NAN-014"),
        refused("a name of 15 bytes", FRAME_HEADER + descriptor(0x10, b"\x0f" + NAME[:15]), "name", "bad-length", "INK-NAN-014"),
        refused("a name of 17 bytes", FRAME_HEADER + descriptor(0x10, b"\x11" + NAME + b"\0"), "name", "bad-length", "INK-NAN-014"),
        refused(
            "a name in digits", FRAME_HEADER + descriptor(0x10, b"\x20" + NAME.hex().encode()), "name", "bad-length",
            "INK-NAN-014",
        ),
        refused("the same offer twice", ours + ours[6:], "name", "repeated", "INK-NAN-014"),
        refused("two names", ours + publish(bytes(16))[6:], "name", "repeated", "INK-NAN-014"),
        refused("our descriptor cut off", FRAME_HEADER + attribute(3, OURS + b"\x01\x00"), "descriptor", "truncated", "INK-NAN-010"),
        refused("our offer with role 3", FRAME_HEADER + descriptor(0x13, b"\x10" + NAME), "descriptor", "unknown-role", "INK-NAN-010"),
        refused("our question past its end", FRAME_HEADER + descriptor(0x05), "matching-filter", "truncated", "INK-NAN-010"),
        refused("2,305 bytes", bytes(2305), "frame", "too-long", "INK-NAN-011"),
        refused("another frame", b"\x04\x0a\x01\x02\x03\x04", "frame", "not-service-discovery", "INK-NAN-012"),
        found("the name in an extension attribute", extended, NAME),
        found("the extension before the descriptor", FRAME_HEADER + extension(NAME) + bare, NAME),
        found(
            "an extension with a range limit and an update indicator",
            FRAME_HEADER + bare + extension(NAME, 0x0300, b"\x01\x00\x02\x00\x07"), NAME,
        ),
        found("an extension with other bits of control", FRAME_HEADER + bare + extension(NAME, 0xFCFF), NAME),
        found("an extension of another instance before ours", FRAME_HEADER + bare + extension(bytes(3), instance=2) + extension(NAME), NAME, ("ignored",)),
        found("a broken extension of another instance", FRAME_HEADER + bare + attribute(14, b"\x02") + extension(NAME), NAME, ("ignored",)),
        found("an extension without content", FRAME_HEADER + attribute(14, b"") + bare + extension(NAME), NAME, ("ignored",)),
        found("a name in both places, the descriptor's counts", ours + extension(bytes(16)), NAME, ("ignored",)),
        found("a broken extension beside a name in the descriptor", ours + attribute(14, b"\x01"), NAME, ("ignored",)),
        refused("an extension without service info", FRAME_HEADER + bare + attribute(14, b"\x01\x04\x00"), "name", "absent", "INK-NAN-014"),
        refused(
            "an extension with a range limit and no more", FRAME_HEADER + bare + attribute(14, b"\x01\x00\x01" + bytes(4)),
            "name", "absent", "INK-NAN-014",
        ),
        refused("an extension in Bonjour's form", FRAME_HEADER + bare + extension(NAME, kind=bytes.fromhex("506f9a01")), "name", "absent", "INK-NAN-014"),
        refused("an extension of another vendor", FRAME_HEADER + bare + extension(NAME, kind=bytes.fromhex("0050f202")), "name", "absent", "INK-NAN-014"),
        refused("an extension of another instance alone", FRAME_HEADER + bare + extension(NAME, instance=2), "name", "absent", "INK-NAN-014"),
        refused("17 bytes in an extension", FRAME_HEADER + bare + extension(NAME + b"\0"), "name", "bad-length", "INK-NAN-014"),
        refused("an extension cut off in its control", FRAME_HEADER + bare + attribute(14, b"\x01\x00"), "extension", "truncated", "INK-NAN-017"),
        refused("an extension cut off in its range limit", FRAME_HEADER + bare + attribute(14, b"\x01\x00\x01" + bytes(3)), "extension", "truncated", "INK-NAN-017"),
        refused("an extension cut off in its length", FRAME_HEADER + bare + attribute(14, b"\x01\x00\x00\x14"), "extension", "truncated", "INK-NAN-017"),
        refused("an extension with a length one too large", FRAME_HEADER + bare + attribute(14, b"\x01\x00\x00\x15\x00" + generic + NAME), "extension", "bad-length", "INK-NAN-017"),
        refused("an extension with a byte after its info", FRAME_HEADER + bare + attribute(14, b"\x01\x00\x00\x14\x00" + generic + NAME + b"\0"), "extension", "bad-length", "INK-NAN-017"),
        refused("an extension without a protocol", FRAME_HEADER + bare + attribute(14, b"\x01\x00\x00\x03\x00" + generic[:3]), "extension", "bad-length", "INK-NAN-017"),
        refused("an attribute past the end behind our offer", ours + b"\x0e\x04\x00\x01", "attributes", "truncated", "INK-NAN-011"),
    ]
    return Family(
        "nan-name",
        SPECIFICATION,
        "The name in a service discovery frame.",
        cases + argument_refusals("nan-name", cases[0].args),
        insensitive={"frame": "Attributes and fields beside the name are passed over, whatever they hold."},
        notes=IGNORED,
    )


FAMILIES = [
    service_id_family(),
    encode_family(),
    decode_family(),
    frame_decode_family(),
    *sender_families(),
    name_family(),
]
