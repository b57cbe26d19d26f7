"""The primitives named in Specs/noise.md, over the standard library and PyPI's cryptography."""

import hmac
import struct

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from ..tools.fields import KEY, Bytes, BytesOf, Flag, Integer, Record
from ..tools.operations import operation
from ..tools.refusal import Refusal
from . import curves
from .notation import H

HASH_BYTES = 32
TAG_BYTES = 16
LARGEST_EXPANSION = 255 * HASH_BYTES


def hkdf_sha256(input_key_material, salt, info, size):
    # An empty salt and 32 zero bytes are the same HMAC key.
    key = H(salt, input_key_material)
    output, block, index = b"", b"", 1
    while len(output) < size:
        block = H(key, block + info + bytes([index]))
        output += block
        index += 1
    return output[:size]


def chacha20_poly1305_seal(key, nonce, associated_data, plaintext):
    return ChaCha20Poly1305(key).encrypt(nonce, plaintext, associated_data)


def chacha20_poly1305_open(key, nonce, associated_data, ciphertext):
    if len(ciphertext) < TAG_BYTES:
        raise Refusal("open", "wrong-length")
    try:
        return ChaCha20Poly1305(key).decrypt(nonce, ciphertext, associated_data)
    except InvalidTag:
        raise Refusal("open", "decryption-failed") from None


def xchacha20_poly1305_seal(key, nonce, associated_data, plaintext):
    return chacha20_poly1305_seal(*_extended(key, nonce), associated_data, plaintext)


def xchacha20_poly1305_open(key, nonce, associated_data, ciphertext):
    return chacha20_poly1305_open(*_extended(key, nonce), associated_data, ciphertext)


def _extended(key, nonce):
    """The key and nonce of the inner ChaCha20 of XChaCha20 (draft-irtf-cfrg-xchacha-03)."""
    return _hchacha20(key, nonce[:16]), bytes(4) + nonce[16:]


def _hchacha20(key, nonce):
    state = list(struct.unpack("<16I", b"expand 32-byte k" + key + nonce))

    def quarter_round(a, b, c, d):
        for first, second, third, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[first] = (state[first] + state[second]) & 0xFFFFFFFF
            mixed = state[third] ^ state[first]
            state[third] = ((mixed << turn) | (mixed >> (32 - turn))) & 0xFFFFFFFF

    for _ in range(10):
        quarter_round(0, 4, 8, 12)
        quarter_round(1, 5, 9, 13)
        quarter_round(2, 6, 10, 14)
        quarter_round(3, 7, 11, 15)
        quarter_round(0, 5, 10, 15)
        quarter_round(1, 6, 11, 12)
        quarter_round(2, 7, 8, 13)
        quarter_round(3, 4, 9, 14)
    return struct.pack("<8I", *state[:4], *state[12:])


# A whole or a halved tag of HMAC-SHA256.
TAG = BytesOf(16, 32)
ANY = Bytes()
OPEN_REFUSALS = [("open", "wrong-length"), ("open", "decryption-failed")]


@operation(
    "hmac-sha256", Record(key=ANY, message=ANY, tagBytes=Integer(1, HASH_BYTES)), Record(tag=Bytes(low=1, high=32))
)
def hmac_sha256_operation(key, message, tagBytes):
    return {"tag": H(key, message)[:tagBytes]}


@operation("hmac-sha256-verify", Record(key=ANY, message=ANY, tag=TAG), Record(valid=Flag()))
def hmac_sha256_verify_operation(key, message, tag):
    return {"valid": hmac.compare_digest(H(key, message)[: len(tag)], tag)}


@operation(
    "hkdf-sha256",
    Record(inputKeyMaterial=ANY, salt=ANY, info=ANY, size=Integer(1, LARGEST_EXPANSION)),
    Record(outputKeyMaterial=ANY),
)
def hkdf_sha256_operation(inputKeyMaterial, salt, info, size):
    return {"outputKeyMaterial": hkdf_sha256(inputKeyMaterial, salt, info, size)}


@operation(
    "x25519",
    Record(private=KEY, public=KEY),
    Record(shared=KEY),
    refusals=[("agreement", "low-order-point")],
)
def x25519_operation(private, public):
    return {"shared": curves.x25519(private, public)}


@operation("ed25519-sign", Record(seed=KEY, message=ANY), Record(publicKey=KEY, signature=Bytes(64)))
def ed25519_sign_operation(seed, message):
    return {"publicKey": curves.ed25519_public(seed), "signature": curves.ed25519_sign(seed, message)}


@operation("ed25519-verify", Record(publicKey=KEY, message=ANY, signature=ANY), Record(valid=Flag()))
def ed25519_verify_operation(publicKey, message, signature):
    return {"valid": len(signature) == 64 and curves.ed25519_verifies(publicKey, message, signature)}


@operation(
    "chacha20-poly1305-seal",
    Record(key=KEY, nonce=Bytes(12), associatedData=ANY, plaintext=ANY),
    Record(ciphertext=ANY),
)
def chacha20_poly1305_seal_operation(key, nonce, associatedData, plaintext):
    return {"ciphertext": chacha20_poly1305_seal(key, nonce, associatedData, plaintext)}


@operation(
    "chacha20-poly1305-open",
    Record(key=KEY, nonce=Bytes(12), associatedData=ANY, ciphertext=ANY),
    Record(plaintext=ANY),
    refusals=OPEN_REFUSALS,
)
def chacha20_poly1305_open_operation(key, nonce, associatedData, ciphertext):
    return {"plaintext": chacha20_poly1305_open(key, nonce, associatedData, ciphertext)}


@operation(
    "xchacha20-poly1305-seal",
    Record(key=KEY, nonce=Bytes(24), associatedData=ANY, plaintext=ANY),
    Record(ciphertext=ANY),
)
def xchacha20_poly1305_seal_operation(key, nonce, associatedData, plaintext):
    return {"ciphertext": xchacha20_poly1305_seal(key, nonce, associatedData, plaintext)}


@operation(
    "xchacha20-poly1305-open",
    Record(key=KEY, nonce=Bytes(24), associatedData=ANY, ciphertext=ANY),
    Record(plaintext=ANY),
    refusals=OPEN_REFUSALS,
)
def xchacha20_poly1305_open_operation(key, nonce, associatedData, ciphertext):
    return {"plaintext": xchacha20_poly1305_open(key, nonce, associatedData, ciphertext)}
