"""Cases for Specs/handshake.md, except those of the Noise messages."""

from .. import curves, example
from ..family import Case, Family, argument_refusals, generated, replaced
from ..handshake import (
    GATT,
    LARGEST_CARD,
    LARGEST_GRANT,
    NAN,
    TCP,
    encode_confirm_payload,
    encode_first_contact_payload,
    seal_grant,
)
from ..known_points import LOW_ORDER
from ..notation import H
from ..operations import answer
from .noise import MEETINGS

SPECIFICATION = "Specs/handshake.md"

# The confirm handshake of the pages' examples, as its initiator sees it.
CONFIRMED = answer("noise", MEETINGS["confirm"].args["initiator"])["result"]
CONFIRMED_SESSION = {
    "k1": CONFIRMED["sendKey"],
    "k2": CONFIRMED["receiveKey"],
    "handshakeHash": CONFIRMED["handshakeHash"],
}


def out_of_range(comment, args):
    return Case(comment, args, ("argument",), ("INK-CNF-004",), error=("arguments", "out-of-range"))


def transports(args):
    """Valid cases for the other transports, and a refusal for the reserved one."""
    others = [transport for transport in (GATT, TCP, NAN) if transport != args["transport"]]
    return [replaced(args, transport=transport) for transport in others], replaced(args, transport=1)


def prologue_families():
    confirm = {"transport": TCP, "epoch": example.EPOCH, "device": 0, "identifier": example.NAME.hex()}
    requirements = ("INK-HSK-002",)
    cases = [
        Case(
            "the instance name of epoch 1984000 on TCP",
            confirm,
            ("known-answer",),
            requirements,
            result={"prologue": "696e6b6c696e672f312d636f6e6669726d000102001e460000ee86ffa399825968e402a6832c863656"},
        ),
        Case(
            "the tag of that epoch on GATT",
            replaced(confirm, transport=GATT, identifier=example.TAG.hex()),
            (),
            requirements,
        ),
        Case("the instance name on NAN", replaced(confirm, transport=NAN), (), requirements),
        Case("epoch 0", replaced(confirm, epoch=0), ("boundary",), requirements),
        Case("the last epoch", replaced(confirm, epoch=2**22 - 1), ("boundary",), requirements),
        Case("device 15", replaced(confirm, device=15), ("boundary",), requirements),
        Case("integers as strings", replaced(confirm, epoch=str(example.EPOCH)), ("decimal",), requirements),
        out_of_range("the reserved transport", replaced(confirm, transport=1)),
    ]
    families = [
        Family(
            "confirm-prologue",
            SPECIFICATION,
            "The prologue of the confirm handshake.",
            cases + argument_refusals("confirm-prologue", confirm),
        )
    ]
    for name, what in (("first-contact-prologue", "first contact"), ("device-link-prologue", "a device link")):
        args = {"transport": TCP, "commitment": example.COMMITMENT.hex()}
        others, reserved = transports(args)
        requirement = ("INK-HSK-003",)
        cases = [Case("TCP", args, (), requirement)]
        cases += [Case(f"transport {other['transport']}", other, (), requirement) for other in others]
        cases += [
            Case(
                "a commitment without structure",
                replaced(args, commitment=generated(f"{name} {n}", 16).hex()),
                ("generated",),
                requirement,
            )
            for n in range(4)
        ]
        cases.append(out_of_range("the reserved transport", reserved))
        families.append(Family(name, SPECIFICATION, f"The prologue of {what}.", cases + argument_refusals(name, args)))
    return families


def gate_family():
    known = {"key": example.INVITATION_GATE_KEY.hex(), "transport": TCP, "message": "00" * 112}
    # The same secret used as an audience root: root 20…3f, device 0, epoch 1984000.
    audience = replaced(known, key="3c63ba7ed727734fb324d04ca65a85283165ec744b3d9b03c119e988cdad8aef")
    assert example.GATE_KEY.hex() == audience["key"]
    requirements = ("INK-HSK-004",)
    others, reserved = transports(audience)
    cases = [
        Case(
            "112 zero bytes on TCP",
            audience,
            ("known-answer",),
            requirements,
            result={"gate": "f7a96a666146dae1eeaf4fd747bf540b"},
        ),
        Case("the invitation's gate key", known, (), requirements),
    ]
    cases += [Case(f"transport {other['transport']}", other, (), requirements) for other in others]
    cases += [
        Case(
            "values without structure",
            {
                "key": generated(f"gate {n}").hex(),
                "transport": (GATT, TCP, NAN)[n % 3],
                "message": generated(f"message {n}", 112).hex(),
            },
            ("generated",),
            requirements,
        )
        for n in range(8)
    ]
    cases.append(out_of_range("the reserved transport", reserved))
    worked = Case(
        "the gate of the page's example",
        replaced(audience, message=CONFIRMED["sent"][0]),
        ("known-answer",),
        requirements,
        result={"gate": "ca8a9c2eddf84817b8fbc4cb752ea8a0"},
    )
    return Family(
        "gate",
        SPECIFICATION,
        "The gate before a first message.",
        cases + argument_refusals("gate", audience) + [worked],
    )


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


def sealed_grant_families():
    sealing = {
        "localStatic": example.INITIATOR["static"].hex(),
        "ephemeral": example.INITIATOR["ephemeral"].hex(),
        "remoteStatic": example.RESPONDER_STATIC.hex(),
        "psk": example.PAIRWISE.hex(),
        "grant": example.GRANT.hex(),
    }
    requirements = ("INK-HSK-007",)

    def sealed(grant):
        keys = (bytes.fromhex(sealing[name]) for name in ("localStatic", "ephemeral", "remoteStatic", "psk"))
        return seal_grant(*keys, grant)

    largest = generated("the largest grant", LARGEST_GRANT)
    encoded = [
        Case("a grant for one device with ten nodes", sealing, (), requirements),
        Case("one byte", replaced(sealing, grant="00"), ("boundary",), requirements),
        Case("the largest grant", replaced(sealing, grant=largest.hex()), ("boundary",), requirements),
        Case(
            "no grant",
            replaced(sealing, grant=""),
            ("argument",),
            ("INK-CNF-004",),
            error=("arguments", "wrong-length"),
        ),
        Case(
            "a byte more than the largest grant",
            replaced(sealing, grant=(largest + b"\0").hex()),
            ("argument",),
            ("INK-CNF-004",),
            error=("arguments", "wrong-length"),
        ),
    ]
    good = sealed(example.GRANT)
    opening = {
        "localStatic": example.RESPONDER["static"].hex(),
        "remoteStatic": example.INITIATOR_STATIC.hex(),
        "psk": example.PAIRWISE.hex(),
        "sealed": good.hex(),
    }

    def refused(comment, stage, reason, **changes):
        return Case(comment, replaced(opening, **changes), ("refusal",), ("INK-HSK-046",), error=(stage, reason))

    decoded = [
        Case("a grant for one device with ten nodes", opening, (), requirements, result={"grant": example.GRANT.hex()}),
        Case("one byte", replaced(opening, sealed=sealed(b"\0").hex()), ("boundary",), requirements),
        Case("the largest grant", replaced(opening, sealed=sealed(largest).hex()), ("boundary",), requirements),
        refused("no byte", "sealed-grant", "wrong-length", sealed=""),
        refused("49 bytes", "sealed-grant", "wrong-length", sealed=good[:49].hex()),
        refused("2,622 bytes", "sealed-grant", "wrong-length", sealed=(sealed(largest) + b"\0").hex()),
        refused("version 0", "sealed-grant", "unknown-version", sealed=(b"\0" + good[1:]).hex()),
        refused("version 2", "sealed-grant", "unknown-version", sealed=(b"\2" + good[1:]).hex()),
        refused("another pairwise key", "sealed-grant", "decryption-failed", psk=generated("another").hex()),
        refused(
            "sealed for another device", "sealed-grant", "decryption-failed", localStatic=generated("another").hex()
        ),
        refused(
            "sealed by another device",
            "sealed-grant",
            "decryption-failed",
            remoteStatic=curves.x25519_public(generated("another")).hex(),
        ),
        refused("a byte cut off", "sealed-grant", "decryption-failed", sealed=good[:-1].hex()),
        refused("a byte added", "sealed-grant", "decryption-failed", sealed=(good + b"\0").hex()),
    ]
    decoded += [
        refused(
            f"byte {at} changed",
            "sealed-grant",
            "decryption-failed",
            sealed=(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :]).hex(),
        )
        for at in (1, 31, 33, 200, len(good) - 17, len(good) - 16, len(good) - 1)
    ]
    for point in LOW_ORDER:
        args = replaced(sealing, remoteStatic=point.hex())
        encoded.append(
            Case(
                "a reader's key of low order",
                args,
                ("refusal",),
                ("INK-NOI-020",),
                error=("agreement", "low-order-point"),
            )
        )
        decoded.append(
            refused(
                "an ephemeral key of low order",
                "agreement",
                "low-order-point",
                sealed=(b"\1" + point + good[33:]).hex(),
            )
        )
    return [
        Family(
            "seal-grant",
            SPECIFICATION,
            "Sealing a grant for an absent reader.",
            encoded + argument_refusals("seal-grant", sealing),
        ),
        Family(
            "open-sealed-grant",
            SPECIFICATION,
            "Opening a sealed grant.",
            decoded + argument_refusals("open-sealed-grant", opening),
        ),
    ]


def export_families():
    session = {"k1": "01" * 32, "k2": "02" * 32, "handshakeHash": "03" * 32}
    secret = bytes.fromhex("22e35053362c5bf589ade83768b273372789a125569af95d777a0533664d9529")
    requirements = ("INK-HSK-008",)

    def case(label, context="", flags=()):
        return Case(f"{label} {context}".strip(), {**session, "label": label, "context": context}, flags, requirements)

    cases = [
        Case(
            "the exporter's secret is known",
            {**session, "label": "pair-psk", "context": ""},
            ("known-answer",),
            requirements,
            result={"key": H(secret, b"inkling/1\0pair-psk\0\x01").hex()},
        ),
        case("tls-psk", "00"),
        case("tls-psk", "02"),
        case("tls-psk", "03"),
        case("tls-psk-id", "02"),
        case("fingerprint"),
        case("x", "", ("boundary",)),
        case("x" * 64, "00" * 1024, ("boundary",)),
    ]
    cases += [
        Case(
            "values without structure",
            {name: generated(f"{name} {n}").hex() for name in session} | {"label": "pair-psk", "context": ""},
            ("generated",),
            requirements,
        )
        for n in range(8)
    ]
    base = cases[0].args
    cases += [
        Case(
            "an empty label",
            replaced(base, label=""),
            ("argument",),
            ("INK-CNF-004",),
            error=("arguments", "wrong-length"),
        ),
        Case(
            "a label of 65 bytes",
            replaced(base, label="x" * 65),
            ("argument",),
            ("INK-CNF-004",),
            error=("arguments", "wrong-length"),
        ),
        out_of_range("a label with a space", replaced(base, label="pair psk")),
        Case(
            "a context of 1,025 bytes",
            replaced(base, context="00" * 1025),
            ("argument",),
            ("INK-CNF-004",),
            error=("arguments", "wrong-length"),
        ),
    ]
    shown = [
        Case(
            "k1, k2, h of the exporter's example",
            session,
            (),
            ("INK-HSK-009",),
            result={"fingerprint": "7CU5 NIQM M24J 2OPX"},
        )
    ]
    shown += [
        Case(
            "values without structure",
            {name: generated(f"{name} {n}").hex() for name in session},
            ("generated",),
            ("INK-HSK-009",),
        )
        for n in range(8)
    ]
    worked = Case(
        "the session of the page's example",
        {**CONFIRMED_SESSION, "label": "pair-psk", "context": ""},
        ("known-answer",),
        requirements,
        result={"key": "62da9530ff1ab5dc538b66f8fe043d7817e6a441b8c987aaa93888f25350c255"},
    )
    worked_shown = Case(
        "the session of the page's example",
        CONFIRMED_SESSION,
        ("known-answer",),
        ("INK-HSK-009",),
        result={"fingerprint": "2TGQ JK7A 6HNW EHLV"},
    )
    return [
        Family(
            "export",
            SPECIFICATION,
            "Secrets exported from a session.",
            cases + argument_refusals("export", base) + [worked],
        ),
        Family(
            "fingerprint",
            SPECIFICATION,
            "What two people compare.",
            shown + argument_refusals("fingerprint", session) + [worked_shown],
        ),
    ]


FAMILIES = [
    *prologue_families(),
    gate_family(),
    *confirm_payload_families(),
    *first_contact_payload_families(),
    *sealed_grant_families(),
    *export_families(),
]
