"""Identity keys, user ids and what two presence keys give: Specs/keys.md, Specs/pair-audiences.md."""

from .curves import ed25519_public, x25519, x25519_public
from .fields import Bytes, Flag, Integer, KEY, Record
from .notation import derive, extract, sha256, u32
from .operations import operation


def user_id(identity: bytes) -> bytes:
    return sha256(b"inkling/1 user-id\x00" + identity)[:16]


def clamp(secret: bytes) -> bytes:
    """The bits RFC 7748 sets and clears in a private key."""
    return bytes([secret[0] & 248]) + secret[1:31] + bytes([secret[31] & 127 | 64])


@operation(
    "identity-keys",
    Record(seed=KEY, generation=Integer(1, 2**32 - 1)),
    Record(identity=KEY, presence=KEY, userID=Bytes(16)),
    intermediates=Record(extracted=KEY, identitySeed=KEY, presenceSecret=KEY),
)
def identity_keys(seed, generation):
    extracted = extract(b"inkling/1 user-root", seed)
    identity_seed = derive(extracted, b"identity", u32(generation))
    presence_secret = clamp(derive(extracted, b"presence-dh", u32(generation)))
    identity = ed25519_public(identity_seed)
    result = {"identity": identity, "presence": x25519_public(presence_secret), "userID": user_id(identity)}
    return result, {"extracted": extracted, "identitySeed": identity_seed, "presenceSecret": presence_secret}


@operation(
    "pair-root",
    Record(secret=KEY, peerPublic=KEY, advertising=Flag()),
    Record(root=KEY),
    intermediates=Record(ownPublic=KEY, sharedSecret=KEY, extracted=KEY),
    refusals=[("agreement", "low-order-point")],
)
def pair_root(secret, peerPublic, advertising):
    own = x25519_public(secret)
    shared = x25519(secret, peerPublic)
    extracted = extract(b"inkling/1 pair-audience", shared)
    context = own + peerPublic if advertising else peerPublic + own
    result = {"root": derive(extracted, b"pair-root", context)}
    return result, {"ownPublic": own, "sharedSecret": shared, "extracted": extracted}


@operation(
    "pairwise-psk",
    Record(secret=KEY, peerPublic=KEY),
    Record(psk=KEY),
    intermediates=Record(ownPublic=KEY, sharedSecret=KEY, extracted=KEY),
    refusals=[("agreement", "low-order-point")],
)
def pairwise_psk(secret, peerPublic):
    own = x25519_public(secret)
    shared = x25519(secret, peerPublic)
    extracted = extract(b"inkling/1 pair-psk", shared)
    context = min(own, peerPublic) + max(own, peerPublic)
    result = {"psk": derive(extracted, b"pair-psk", context)}
    return result, {"ownPublic": own, "sharedSecret": shared, "extracted": extracted}
