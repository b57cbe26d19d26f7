"""Device certificates, alone and in cards and grants: Specs/cards.md."""

from ..tools.fields import KEY, PERIOD, Flag, Record
from ..tools.refusal import Refusal
from .curves import ed25519_sign, ed25519_verifies, x25519_is_canonical, x25519_is_low_order
from .keys import DEVICE
from .notation import u32, u8

BYTES = 106
LONGEST = 8928

DEVICE_RECORD = Record(**{"index": DEVICE, "key": KEY, "from": PERIOD, "to": PERIOD, "primary": Flag()})

REASONS = (
    "empty-bitmap",
    "device-index",
    "non-canonical",
    "low-order-point",
    "interval",
    "reserved-flag",
    "invalid-signature",
    "duplicate-key",
    "two-primaries",
    "all-ended",
)
REFUSALS = tuple(("certificates", reason) for reason in REASONS)


def certificate(seed: bytes, identity: bytes, index: int, key: bytes, start: int, end: int, flags: int = 0) -> bytes:
    body = u8(index) + key + u32(start) + u32(end) + u8(flags)
    return body + ed25519_sign(seed, b"inkling/1 device-cert\x00" + identity + body)


def bitmap_devices(bitmap: int) -> list[int]:
    return [device for device in range(16) if bitmap >> device & 1]


def read_certificates(data: bytes, bitmap: int, identity: bytes, now: int, presence: bytes | None) -> list[dict]:
    def refuse(reason):
        raise Refusal("certificates", reason)

    expected = bitmap_devices(bitmap)
    if not expected:
        refuse("empty-bitmap")
    devices = []
    for place, device in enumerate(expected):
        encoded = data[place * BYTES : (place + 1) * BYTES]
        index, key, flags = encoded[0], encoded[1:33], encoded[41]
        start, end = int.from_bytes(encoded[33:37], "big"), int.from_bytes(encoded[37:41], "big")
        if index != device:
            refuse("device-index")
        if not x25519_is_canonical(key):
            refuse("non-canonical")
        if x25519_is_low_order(key):
            refuse("low-order-point")
        if end < start or end - start + 1 > LONGEST or end >= 2**20:
            refuse("interval")
        if flags & 0xFE:
            refuse("reserved-flag")
        if not ed25519_verifies(identity, b"inkling/1 device-cert\x00" + identity + encoded[:42], encoded[42:]):
            refuse("invalid-signature")
        devices.append({"index": index, "key": key, "from": start, "to": end, "primary": bool(flags & 1)})
    keys = [device["key"] for device in devices]
    if len(set(keys)) != len(keys) or presence in keys:
        refuse("duplicate-key")
    if sum(device["primary"] for device in devices) > 1:
        refuse("two-primaries")
    if all(device["to"] < now for device in devices):
        refuse("all-ended")
    return devices
