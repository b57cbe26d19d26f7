"""Specs/cards.md: cards."""

from ..tools.fields import KEY, PERIOD, Bytes, Integer, ListOf, Record, Text
from ..tools.operations import operation
from ..tools.refusal import Refusal
from .certificates import BYTES, DEVICE_RECORD, REFUSALS, bitmap_devices, read_certificates
from .curves import ed25519_sign, ed25519_verifies, x25519_is_canonical, x25519_is_low_order
from .keys import user_id
from .notation import sha256, u16, u32, u8

SHORTEST = 140
LONGEST_NAME = 64
CONTROL = [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029]
BIDI = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]


def sign(seed: bytes, unsigned: bytes) -> bytes:
    return unsigned + ed25519_sign(seed, b"inkling/1 card\x00" + unsigned)


def unsigned_card(identity, generation, serial, presence, bitmap, certificates, name: bytes, version=1) -> bytes:
    return (
        u8(version)
        + identity
        + u32(generation)
        + u32(serial)
        + presence
        + u16(bitmap)
        + b"".join(certificates)
        + u8(len(name))
        + name
    )


def commitment(card: bytes) -> bytes:
    return sha256(b"inkling/1 card" + card)[:16]


def read_name(encoded: bytes) -> str:
    try:
        name = encoded.decode("utf-8", "strict")
    except UnicodeDecodeError:
        raise Refusal("name", "not-utf8") from None
    if any(ord(character) in CONTROL for character in name):
        raise Refusal("name", "control")
    if any(ord(character) in BIDI for character in name):
        raise Refusal("name", "bidi")
    return name


CARD_REFUSALS = (
    ("length", "too-short"),
    ("length", "name-length"),
    ("length", "too-long"),
    ("version", "unknown"),
    ("signature", "invalid"),
    ("generation", "zero"),
    ("serial", "zero"),
    ("presence", "non-canonical"),
    ("presence", "low-order-point"),
    *REFUSALS,
    ("name", "not-utf8"),
    ("name", "control"),
    ("name", "bidi"),
)


@operation(
    "card-decode",
    Record(card=Bytes(), period=PERIOD),
    Record(
        identity=KEY,
        generation=Integer(1, 2**32 - 1),
        serial=Integer(1, 2**32 - 1),
        presence=KEY,
        name=Text(),
        devices=ListOf(DEVICE_RECORD, 1, 16),
        userID=Bytes(16),
        commitment=Bytes(16),
    ),
    refusals=CARD_REFUSALS,
)
def card_decode(card, period):
    if len(card) < SHORTEST:
        raise Refusal("length", "too-short")
    bitmap = int.from_bytes(card[73:75], "big")
    name_at = 75 + BYTES * len(bitmap_devices(bitmap))
    if len(card) <= name_at:
        raise Refusal("length", "too-short")
    name_count = card[name_at]
    if name_count > LONGEST_NAME:
        raise Refusal("length", "name-length")
    end = name_at + 1 + name_count
    if len(card) < end + 64:
        raise Refusal("length", "too-short")
    if len(card) > end + 64:
        raise Refusal("length", "too-long")
    if card[0] != 1:
        raise Refusal("version", "unknown")
    identity = card[1:33]
    if not ed25519_verifies(identity, b"inkling/1 card\x00" + card[:end], card[end:]):
        raise Refusal("signature", "invalid")
    generation = int.from_bytes(card[33:37], "big")
    serial = int.from_bytes(card[37:41], "big")
    presence = card[41:73]
    if generation == 0:
        raise Refusal("generation", "zero")
    if serial == 0:
        raise Refusal("serial", "zero")
    if not x25519_is_canonical(presence):
        raise Refusal("presence", "non-canonical")
    if x25519_is_low_order(presence):
        raise Refusal("presence", "low-order-point")
    devices = read_certificates(card[75:name_at], bitmap, identity, period, presence)
    name = read_name(card[name_at + 1 : end])
    return {
        "identity": identity,
        "generation": generation,
        "serial": serial,
        "presence": presence,
        "name": name,
        "devices": devices,
        "userID": user_id(identity),
        "commitment": commitment(card),
    }
