"""Cases of the payloads of the confirm handshake and of first contact."""

from ...reference.handshake import LARGEST_CARD, encode_confirm_payload, encode_first_contact_payload
from ...tools.family import Case, Family, argument_refusals, generated, replaced
from ..shared import example
from .parts import SPECIFICATION


def confirm_payload_families():
    base = {"message": 1, "transports": 5, "generation": 3, "unixMilliseconds": str(example.UNIX_MILLISECONDS)}
    requirements = ("INK-HSK-005",)
    encoded = [
        Case("payload 1", base, (), requirements, result={"payload": "01000005000000030000019fbe0dc000"}),
        Case("payload 2", replaced(base, message=2), (), requirements),
        Case("nothing held, no transport", replaced(base, transports=0, generation=0), ("boundary",), requirements),
        Case(
            "the largest values",
            replaced(base, message=2, transports=65535, generation=2**32 - 1, unixMilliseconds=str(2**64 - 1)),
            ("boundary",),
            requirements,
        ),
        Case("a time of 0", replaced(base, unixMilliseconds="0"), ("boundary",), requirements),
        Case(
            "the time as a number",
            replaced(base, unixMilliseconds=example.UNIX_MILLISECONDS),
            ("decimal",),
            requirements,
        ),
    ]

    def read(comment, message, payload, flags=()):
        return Case(comment, {"message": message, "payload": payload.hex()}, flags, requirements)

    def refused(comment, message, payload, reason):
        args = {"message": message, "payload": payload.hex()}
        return Case(comment, args, ("refusal",), ("INK-HSK-044",), error=("payload", reason))

    first, second = (encode_confirm_payload(message, 5, 3, example.UNIX_MILLISECONDS) for message in (1, 2))
    decoded = [
        read("payload 1", 1, first),
        read("payload 2", 2, second),
        read("the largest values", 1, b"\x01\x00" + b"\xff" * 14, ("boundary",)),
        read("flags are ignored", 1, b"\x01\xff" + first[2:], ("reserved",)),
        read("bytes after the time are ignored", 2, second[:16] + generated("later use", 48), ("reserved",)),
        refused("payload 1 where payload 2 belongs", 2, first, "wrong-length"),
        refused("payload 2 where payload 1 belongs", 1, second, "wrong-length"),
        refused("no byte", 1, b"", "wrong-length"),
        refused("a byte short", 2, second[:-1], "wrong-length"),
        refused("a byte long", 1, first + b"\0", "wrong-length"),
        refused("version 0", 1, b"\0" + first[1:], "unknown-version"),
        refused("version 2", 2, b"\2" + second[1:], "unknown-version"),
    ]
    return [
        Family(
            "confirm-payload-encode",
            SPECIFICATION,
            "Writing the payloads of the confirm handshake.",
            encoded + argument_refusals("confirm-payload-encode", base),
        ),
        Family(
            "confirm-payload-decode",
            SPECIFICATION,
            "Reading the payloads of the confirm handshake.",
            decoded + argument_refusals("confirm-payload-decode", decoded[0].args),
            insensitive={"payload": "Flags, and in payload 2 the bytes after the time, are reserved and ignored."},
            notes=RESERVED,
        ),
    ]


RESERVED = {
    "reserved": {
        "meaning": "Reserved bits are set.",
        "reason": "A receiver ignores them, so that a later version can use them.",
    }
}


def first_contact_payload_families():
    clock = example.UNIX_MILLISECONDS
    requirements = ("INK-HSK-006",)

    def args(size, time=str(clock)):
        return {"unixMilliseconds": time, "card": generated(f"card of {size}", size).hex()}

    sizes = [1, 243, 244, 245, 500, 501, 1012, 1780, 1781, LARGEST_CARD]
    encoded = [Case(f"a card of {size} bytes", args(size), ("boundary",), requirements) for size in sizes]
    encoded += [
        Case("the largest time", args(246, str(2**64 - 1)), ("boundary",), requirements),
        Case("the time as a number", args(246, clock), ("decimal",), requirements),
        Case(
            "no card",
            {"unixMilliseconds": "0", "card": ""},
            ("argument",),
            ("INK-CNF-004",),
            error=("arguments", "wrong-length"),
        ),
        Case("a card of 1,901 bytes", args(1901), ("argument",), ("INK-CNF-004",), error=("arguments", "wrong-length")),
    ]

    def read(comment, payload, flags=()):
        return Case(comment, {"payload": payload.hex()}, flags, requirements)

    def refused(comment, payload, reason):
        return Case(comment, {"payload": payload.hex()}, ("refusal",), ("INK-HSK-045",), error=("payload", reason))

    def payload(size):
        return encode_first_contact_payload(clock, generated(f"card of {size}", size))

    one = payload(240)
    decoded = [read(f"a card of {size} bytes", payload(size), ("boundary",)) for size in sizes]
    decoded += [
        read("the second byte is ignored", one[:1] + b"\xff" + one[2:], ("reserved",)),
        refused("no byte", b"", "wrong-length"),
        refused("255 bytes", one[:-1], "wrong-length"),
        refused("257 bytes", one + b"\0", "wrong-length"),
        refused("the 64 zero bytes of message 1", bytes(64), "wrong-length"),
        refused("2,304 bytes", payload(LARGEST_CARD) + bytes(256), "wrong-length"),
        refused("version 0", b"\0" + one[1:], "unknown-version"),
        refused("version 2", b"\2" + one[1:], "unknown-version"),
        refused("a length of 0", one[:10] + b"\0\0" + one[12:], "bad-length"),
        refused(
            "a length of 1,901",
            (b"\1\0" + clock.to_bytes(8, "big") + (1901).to_bytes(2, "big")).ljust(2048, b"\0"),
            "bad-length",
        ),
        refused("a length past the end", one[:10] + (245).to_bytes(2, "big") + one[12:], "bad-length"),
        refused("a block too many", one + bytes(256), "bad-length"),
        refused("the byte after the card is not zero", one[:252] + b"\1" + one[253:], "nonzero-padding"),
        refused("the last byte is not zero", one[:-1] + b"\x80", "nonzero-padding"),
    ]
    return [
        Family(
            "first-contact-payload-encode",
            SPECIFICATION,
            "Writing the payload that carries a card.",
            encoded + argument_refusals("first-contact-payload-encode", args(246)),
        ),
        Family(
            "first-contact-payload-decode",
            SPECIFICATION,
            "Reading the payload that carries a card.",
            decoded + argument_refusals("first-contact-payload-decode", decoded[0].args),
            insensitive={"payload": "The second byte is reserved and ignored."},
            notes=RESERVED,
        ),
    ]
