"""Cases of Specs/cards.md."""

from ..reference.cards import sign, unsigned_card
from ..reference.certificates import certificate
from ..reference.curves import L, P, base_point, ed25519_public, ed25519_sign, encode, multiply, x25519_public
from ..tools.family import Case, Family, argument_refusals, generated
from .pair_audiences import LOW_ORDER, little
from .shared import known_answers

SPECIFICATION = "Specs/cards.md"
NOW = known_answers.PERIOD
SEED = generated("card identity")
IDENTITY = ed25519_public(SEED)
PRESENCE = x25519_public(generated("card presence"))
NAME = "Ada"
SMALL_ORDER_IDENTITIES = [
    ("the neutral point", little(1)),
    ("the point of order 2", little(P - 1)),
    ("a point of order 4", little(0)),
    ("a point of order 8", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
    ("another point of order 8", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
]
NON_CANONICAL = [
    ("p + 9, a second spelling of 9", little(P + 9)),
    ("p + 18, all bits but the highest set", little(P + 18)),
    ("9 with the unused bit set", little(2**255 + 9)),
    ("256 bits set", "ff" * 32),
]
CANONICAL_LOW_ORDER = [(comment, point) for comment, point in LOW_ORDER if int.from_bytes(bytes.fromhex(point), "little") < P]


def noise_key(device: int) -> bytes:
    return x25519_public(generated(f"noise key {device}"))


def device_certificate(device: int, **changes) -> bytes:
    values = {"key": noise_key(device), "start": NOW - 1, "end": NOW + 8_000, "flags": 1 if device == 0 else 0}
    values.update(changes)
    index = values.pop("index", device)
    return certificate(SEED, IDENTITY, index, values["key"], values["start"], values["end"], values["flags"])


def card(devices=(0,), certificates=None, bitmap=None, name=NAME, **changes) -> bytes:
    values = {"generation": 1, "serial": 1, "presence": PRESENCE, "version": 1, **changes}
    if certificates is None:
        certificates = [device_certificate(device) for device in devices]
    if bitmap is None:
        bitmap = sum(1 << device for device in devices)
    encoded = name if isinstance(name, bytes) else name.encode("utf-8")
    return sign(
        SEED,
        unsigned_card(
            IDENTITY,
            values["generation"],
            values["serial"],
            values["presence"],
            bitmap,
            certificates,
            encoded,
            values["version"],
        ),
    )


def small_order_card(identity: bytes) -> bytes:
    """A card whose signature needs no private key: the key contributes nothing if 8 divides the hash.

    With R = S·B the lax equation S·B = R + h·A holds when h·A vanishes, for the neutral point always.
    """
    unsigned = unsigned_card(identity, 1, 1, PRESENCE, 1, [device_certificate(0)], NAME.encode())
    scalar = 8 * 1234567890123456789
    return unsigned + encode(multiply(scalar, base_point())) + scalar.to_bytes(32, "little")


def decode_cases():
    cases = []

    def valid(comment, data, requirement="INK-CRD-010", now=NOW, result=None):
        args = {"card": data.hex(), "period": now}
        cases.append(Case(comment, args, ("boundary",), (requirement,), result=result))

    def refused(comment, data, stage, reason, requirement, now=NOW):
        args = {"card": data.hex(), "period": now}
        cases.append(Case(comment, args, ("refusal",), (requirement,), error=(stage, reason)))

    whole = card()
    valid("one device", whole, result={"name": NAME, "serial": 1})
    valid("device 15 alone", card([15]))
    valid("devices 0 and 15: the bitmap's lowest and highest bit", card([0, 15]))
    valid("devices 1, 2 and 8: ascending across both bytes of the bitmap", card([1, 2, 8]))
    valid("all sixteen devices", card(range(16)))
    valid("no device is the primary", card([3]))
    valid("the primary is not the first device", card([2, 5], [device_certificate(2), device_certificate(5, flags=1)]))
    valid("the largest generation and serial", card(generation=2**32 - 1, serial=2**32 - 1))
    for comment, name in [
        ("an empty name", ""),
        ("a name of one byte", "A"),
        ("a name of 64 bytes", "n" * 64),
        ("a name of 64 bytes in 16 characters", "\U0001f986" * 16),
        ("a name with an accent, composed", "Zo\u00eb"),
        ("the same name with the accent apart: no normalisation", "Zoe\u0308"),
        ("right-to-left letters, which are no bidirectional controls", "\u05e2\u05d3\u05d4"),
        ("a joiner, which many writings need", "\U0001f469\u200d\U0001f52c"),
        ("a space at either end", " Ada "),
        ("quotation marks and a backslash", 'A"\\da'),
        ("U+00A0, just above the control characters", "\u00a0"),
        ("U+0020 and U+007E, beside the control characters", " ~"),
        ("U+10FFFF, the last code point", "\U0010ffff"),
        ("U+D7FF and U+E000, beside the surrogates", "\ud7ff\ue000"),
        ("U+2027, U+202F, U+2065 and U+206A, beside refused characters", "\u2027\u202f\u2065\u206a"),
        ("U+061B, U+061D, U+200D and U+2010, beside refused characters", "\u061b\u061d\u200d\u2010"),
    ]:
        valid(comment, card(name=name), "INK-CRD-017", result={"name": name})
    for comment, changes, now in [
        ("a certificate of the longest life", {"start": NOW - 10, "end": NOW + 8_917}, NOW),
        ("a certificate of one period, this one", {"start": NOW, "end": NOW}, NOW),
        ("a certificate in its last period", {"start": NOW - 9, "end": NOW}, NOW),
        ("a certificate that has not begun", {"start": NOW + 100, "end": NOW + 200}, NOW),
        ("a certificate to the last period of the tree", {"start": 2**20 - 100, "end": 2**20 - 1}, 2**20 - 1),
        ("a certificate from period 0", {"start": 0, "end": 10}, 0),
    ]:
        valid(comment, card(certificates=[device_certificate(0, **changes)]), "INK-CRD-016", now)
    ended = device_certificate(1, start=NOW - 100, end=NOW - 1)
    valid("one certificate has ended and one has not", card([0, 1], [device_certificate(0), ended]), "INK-CRD-016")

    def length(comment, data, reason):
        refused(comment, data, "length", reason, "INK-CRD-011")

    two = card([0, 1])
    length("no bytes", b"", "too-short")
    length("the version alone", whole[:1], "too-short")
    length("139 bytes", whole[:139], "too-short")
    length("140 bytes of a card with a device", whole[:140], "too-short")
    length("cut before the length of the name", two[: 75 + 2 * 106], "too-short")
    length("a byte too short", whole[:-1], "too-short")
    length("without its signature", whole[:-64], "too-short")
    length("a byte too long", whole + b"\0", "too-long")
    length("a second card behind it", whole + whole, "too-long")
    bad_count = bytearray(whole)
    bad_count[75 + 106] = len(NAME) + 1
    length("a name length one above the name", bytes(bad_count), "too-short")
    bad_count[75 + 106] = len(NAME) - 1
    length("a name length one below the name", bytes(bad_count), "too-long")
    length("a name of 65 bytes", card(name="n" * 65), "name-length")
    length("a name of 255 bytes", card(name="n" * 255), "name-length")
    length("a bit set in the bitmap without its certificate", card([0], bitmap=0b11), "too-short")
    padded = card([0], [device_certificate(0), device_certificate(1)], bitmap=0b1, name=b"")
    length("two certificates and one bit", resized(padded), "too-long")

    for version in (0, 2, 255):
        refused(f"version {version}", card(version=version), "version", "unknown", "INK-CRD-012")

    def signature(comment, data):
        refused(comment, data, "signature", "invalid", "INK-CRD-013")

    for comment, at in [
        ("the identity", 1),
        ("the generation", 36),
        ("the serial", 40),
        ("the presence key", 41),
        ("a certificate", 80),
        ("the name", 75 + 106 + 1),
        ("R of the signature", len(whole) - 64),
        ("S of the signature", len(whole) - 32),
    ]:
        changed = bytearray(whole)
        changed[at] ^= 1
        signature(f"a bit changed in {comment}", bytes(changed))
    other = generated("another identity")
    signature("signed by another key", whole[:-64] + ed25519_sign(other, b"inkling/1 card\x00" + whole[:-64]))
    signature("signed with the prefix of a grant", whole[:-64] + ed25519_sign(SEED, b"inkling/1 grant\x00" + whole[:-64]))
    signature("signed without the zero byte", whole[:-64] + ed25519_sign(SEED, b"inkling/1 card" + whole[:-64]))
    signature("signed without a prefix", whole[:-64] + ed25519_sign(SEED, whole[:-64]))
    signature("a signature of zeros", whole[:-64] + bytes(64))
    scalar = int.from_bytes(whole[-32:], "little") + L
    signature("S raised by the group order: the same signature spelled twice", whole[:-32] + scalar.to_bytes(32, "little"))
    signature("R of small order", whole[:-64] + bytes.fromhex(little(1)) + whole[-32:])
    for comment, point in SMALL_ORDER_IDENTITIES:
        signature(f"the identity is {comment}, for which anybody can sign", small_order_card(bytes.fromhex(point)))
    for comment, point in [("p + 1", little(P + 1)), ("p", little(P))]:
        signature(f"the identity is not canonical: {comment}", small_order_card(bytes.fromhex(point)))

    refused("generation 0", card(generation=0), "generation", "zero", "INK-CRD-014")
    refused("serial 0", card(serial=0), "serial", "zero", "INK-CRD-014")
    for comment, point in NON_CANONICAL:
        refused(f"the presence key is {comment}", card(presence=bytes.fromhex(point)), "presence", "non-canonical", "INK-CRD-015")
    for comment, point in CANONICAL_LOW_ORDER:
        refused(f"the presence key is {comment}", card(presence=bytes.fromhex(point)), "presence", "low-order-point", "INK-CRD-015")

    for comment, changes, reason in certificate_faults():
        refused(comment, card(**changes), "certificates", reason, "INK-CRD-016")
    twice = x25519_public(generated("card presence"))
    refused(
        "a device key that is the presence key",
        card(certificates=[device_certificate(0, key=twice)]),
        "certificates",
        "duplicate-key",
        "INK-CRD-016",
    )

    def name_fault(comment, name, reason):
        refused(comment, card(name=name), "name", reason, "INK-CRD-017")

    for comment, name in [
        ("a lone continuation byte", b"A\x80"),
        ("ff", b"A\xff"),
        ("fe", b"\xfe"),
        ("two bytes for U+002F, overlong", b"\xc0\xaf"),
        ("two bytes for U+0000, overlong", b"\xc0\x80"),
        ("two bytes for U+007F, overlong", b"\xc1\xbf"),
        ("three bytes for U+07FF, overlong", b"\xe0\x9f\xbf"),
        ("four bytes for U+FFFF, overlong", b"\xf0\x8f\xbf\xbf"),
        ("the surrogate U+D800", b"\xed\xa0\x80"),
        ("the surrogate U+DFFF", b"\xed\xbf\xbf"),
        ("a pair of surrogates", b"\xed\xa0\xbd\xed\xb8\x80"),
        ("U+110000", b"\xf4\x90\x80\x80"),
        ("five bytes", b"\xf8\x88\x80\x80\x80"),
        ("cut after one byte of two", b"Zo\xc3"),
        ("cut after three bytes of four, at 64 bytes", b"n" * 61 + b"\xf0\x9f\xa6"),
        ("a letter where a continuation belongs", b"\xc3A"),
        ("Latin-1", "Zo\u00eb".encode("latin-1")),
    ]:
        name_fault(comment, name, "not-utf8")
    for code in (0x00, 0x09, 0x0A, 0x0D, 0x1B, 0x1F, 0x7F, 0x80, 0x85, 0x9F, 0x2028, 0x2029):
        name_fault(f"U+{code:04X} in the name", f"A{chr(code)}da", "control")
    name_fault("a control character at the end of 64 bytes", "n" * 63 + "\n", "control")
    for code in (0x061C, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069):
        name_fault(f"U+{code:04X} in the name", f"A{chr(code)}da", "bidi")
    return cases + argument_refusals("card-decode", {"card": whole.hex(), "period": NOW})


def resized(data: bytes) -> bytes:
    """A card with surplus bytes: the byte after the first certificate reads as an empty name."""
    changed = bytearray(data)
    changed[75 + 106] = 0
    return bytes(changed)


def certificate_faults(make=device_certificate):
    """Faults of certificates: the comment, the change to a card or grant, and the reason of the refusal."""
    good = make(0)
    unsigned = make(0)[:42]

    def one(comment, reason, **changes):
        return comment, {"certificates": [make(0, **changes)]}, reason

    yield "no device", {"devices": ()}, "empty-bitmap"
    yield one("index 1 for the bit of device 0", "device-index", index=1)
    yield one("index 16", "device-index", index=16)
    yield one("index 255", "device-index", index=255)
    yield "descending devices", {"devices": (0, 1), "certificates": [make(1), good]}, "device-index"
    yield "one device twice", {"devices": (0, 1), "certificates": [good, good]}, "device-index"
    yield "bits counted from the other end", {"devices": (0,), "bitmap": 0x8000, "certificates": [good]}, "device-index"
    yield "bytes of the bitmap exchanged", {"devices": (0,), "bitmap": 0x0100, "certificates": [good]}, "device-index"
    for comment, point in NON_CANONICAL:
        yield one(f"a device key of {comment}", "non-canonical", key=bytes.fromhex(point))
    for comment, point in CANONICAL_LOW_ORDER:
        yield one(f"a device key of {comment}", "low-order-point", key=bytes.fromhex(point))
    yield one("a certificate that ends before it begins", "interval", start=NOW + 2, end=NOW + 1)
    yield one("a certificate of 8,929 periods", "interval", start=NOW, end=NOW + 8_928)
    yield one("a certificate that ends behind the tree", "interval", start=2**20 - 5, end=2**20)
    yield one("a certificate of all numbers", "interval", start=0, end=2**32 - 1)
    for bit in range(1, 8):
        yield one(f"the reserved flag {bit}", "reserved-flag", flags=1 << bit | 1)
    for comment, at in [("R", 42), ("S", 74)]:
        changed = bytearray(good)
        changed[at] ^= 1
        yield f"a bit changed in {comment} of a certificate", {"certificates": [bytes(changed)]}, "invalid-signature"
    prefix = b"inkling/1 device-cert\x00"
    for comment, signed in [
        ("without the identity key", prefix + unsigned),
        ("without a prefix", IDENTITY + unsigned),
        ("with the prefix of a card", b"inkling/1 card\x00" + IDENTITY + unsigned),
        ("without the zero byte", prefix[:-1] + IDENTITY + unsigned),
    ]:
        yield f"a certificate signed {comment}", {"certificates": [unsigned + ed25519_sign(SEED, signed)]}, "invalid-signature"
    other = generated("another identity")
    stolen = certificate(other, ed25519_public(other), 0, noise_key(0), NOW - 1, NOW + 8_000, 1)
    yield "a certificate of another identity", {"certificates": [stolen]}, "invalid-signature"
    shared = make(1, key=noise_key(0))
    yield "two devices with one key", {"devices": (0, 1), "certificates": [good, shared]}, "duplicate-key"
    yield "two primaries", {"devices": (0, 1), "certificates": [good, make(1, flags=1)]}, "two-primaries"
    yield one("a certificate that ended in the period before", "all-ended", start=NOW - 10, end=NOW - 1)
    all_ended = [make(device, start=NOW - 100, end=NOW - 1 - device) for device in (0, 1)]
    yield "two certificates that have ended", {"devices": (0, 1), "certificates": all_ended}, "all-ended"


FAMILIES = [
    Family(
        "card-decode",
        SPECIFICATION,
        "Reading a card, and every way to be refused.",
        decode_cases(),
        insensitive={"period": "The period decides only whether the card is refused."},
    )
]
