"""The notation of Specs/README.md: H, Extract, Derive, dec and big-endian integers."""

import hashlib
import hmac

PREFIX = b"inkling/1"


def H(key: bytes, message: bytes) -> bytes:
    """HMAC-SHA256."""
    return hmac.digest(key, message, "sha256")


def sha256(message: bytes) -> bytes:
    return hashlib.sha256(message).digest()


def extract(salt: bytes, secret: bytes) -> bytes:
    """HKDF-Extract of RFC 5869 with SHA-256."""
    return H(salt, secret)


def derive_info(label: bytes, context: bytes) -> bytes:
    return PREFIX + b"\x00" + label + b"\x00" + context


def derive(key: bytes, label: bytes, context: bytes = b"") -> bytes:
    """HKDF-Expand of RFC 5869 to 32 bytes, which is one HMAC call."""
    return H(key, derive_info(label, context) + b"\x01")


def dec(number: int) -> bytes:
    """A number as ASCII decimal digits without sign or leading zeros."""
    return str(number).encode("ascii")


def u8(number: int) -> bytes:
    return number.to_bytes(1, "big")


def u16(number: int) -> bytes:
    return number.to_bytes(2, "big")


def u32(number: int) -> bytes:
    return number.to_bytes(4, "big")


def u64(number: int) -> bytes:
    return number.to_bytes(8, "big")
