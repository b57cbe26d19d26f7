"""Cases of sealed grants."""

from ...reference import curves
from ...reference.handshake import LARGEST_GRANT, seal_grant
from ...tools.family import Case, Family, argument_refusals, generated, replaced
from ..shared import example
from ..shared.known_points import LOW_ORDER
from .parts import SPECIFICATION


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
