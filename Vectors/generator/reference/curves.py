"""X25519 and Ed25519 with the strict rules of Specs/cards.md and Specs/pair-audiences.md."""

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from ..tools.refusal import Refusal

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
SQRT_MINUS_ONE = pow(2, (P - 1) // 4, P)


def _raw(public) -> bytes:
    return public.public_bytes(Encoding.Raw, PublicFormat.Raw)


def x25519_public(secret: bytes) -> bytes:
    return _raw(X25519PrivateKey.from_private_bytes(secret).public_key())


def x25519(secret: bytes, public: bytes) -> bytes:
    try:
        return X25519PrivateKey.from_private_bytes(secret).exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:
        # The library throws for an all-zero result; no other error is possible with 32 bytes.
        raise Refusal("agreement", "low-order-point") from None


def x25519_is_canonical(public: bytes) -> bool:
    return int.from_bytes(public, "little") < P


def x25519_is_low_order(public: bytes) -> bool:
    try:
        x25519(bytes(31) + b"\x40", public)
    except Refusal:
        return True
    return False


def ed25519_public(seed: bytes) -> bytes:
    return _raw(Ed25519PrivateKey.from_private_bytes(seed).public_key())


def ed25519_sign(seed: bytes, message: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(seed).sign(message)


def add(first, second):
    """The sum of two points of the Edwards curve in affine coordinates."""
    (x1, y1), (x2, y2) = first, second
    product = D * x1 * x2 * y1 * y2 % P
    x = (x1 * y2 + x2 * y1) * pow(1 + product, -1, P) % P
    y = (y1 * y2 + x1 * x2) * pow(1 - product, -1, P) % P
    return x, y


def multiply(scalar: int, point):
    result = (0, 1)
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def decode(encoded: bytes):
    """The point of an encoding, canonical or not, or None if there is none."""
    number = int.from_bytes(encoded, "little")
    y = (number & (2**255 - 1)) % P
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * SQRT_MINUS_ONE % P
    if (x * x - square) % P:
        return None
    if x & 1 != number >> 255:
        x = -x % P
    return x, y


def encode(point) -> bytes:
    x, y = point
    return (y | (x & 1) << 255).to_bytes(32, "little")


def base_point():
    return decode((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def has_small_order(encoded: bytes) -> bool:
    point = decode(encoded)
    return point is not None and multiply(8, point) == (0, 1)


def ed25519_verifies(public: bytes, message: bytes, signature: bytes) -> bool:
    """Strict verification: canonical S and key, no small order in key or R."""
    if int.from_bytes(signature[32:], "little") >= L:
        return False
    if int.from_bytes(public, "little") & (2**255 - 1) >= P:
        return False
    if has_small_order(public) or has_small_order(signature[:32]):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True
