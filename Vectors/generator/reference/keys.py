"""Specs/keys.md: epochs and periods, the audience tree, the keys of a device, identity keys."""

from ..tools.fields import EPOCH, KEY, PERIOD, Bytes, Integer, Record, Text, refuse_argument
from ..tools.operations import operation
from .curves import ed25519_public, x25519_public
from .notation import H, PREFIX, derive, derive_info, extract, sha256, u32, u8

DEPTH = 20
LAST_SECOND = 3600 * 2**20 - 1


@operation("epoch", Record(unixSeconds=Integer(0, LAST_SECOND)), Record(epoch=EPOCH, period=PERIOD))
def epoch(unixSeconds):
    return {"epoch": unixSeconds // 900, "period": unixSeconds // 3600}


@operation(
    "derive",
    Record(key=KEY, label=Text(1, 64, pattern="[!-~]+"), context=Bytes(low=0, high=1024)),
    Record(key=KEY),
    intermediates=Record(info=Bytes()),
)
def derive_operation(key, label, context):
    label = label.encode("ascii")
    return {"key": derive(key, label, context)}, {"info": derive_info(label, context)}


def node_key(root: bytes, depth: int, prefix: int) -> bytes:
    key = root
    for level in range(depth):
        bit = prefix >> (depth - 1 - level) & 1
        key = H(key, PREFIX + b"\x00tree\x00" + u8(bit))
    return key


@operation(
    "tree-node",
    Record(root=KEY, depth=Integer(0, DEPTH), prefix=Integer(0, 2**DEPTH - 1)),
    Record(key=KEY),
    intermediates=Record(optional=["parent"], parent=KEY),
)
def tree_node(root, depth, prefix):
    if prefix >= 1 << depth:
        refuse_argument("out-of-range")
    intermediates = {"parent": node_key(root, depth - 1, prefix >> 1)} if depth else {}
    return {"key": node_key(root, depth, prefix)}, intermediates


DEVICE = Integer(0, 15)


@operation(
    "device-keys",
    Record(periodKey=KEY, device=DEVICE),
    Record(mdnsKey=KEY, beaconKey=KEY, gattKey=KEY, confirmKey=KEY),
)
def device_keys(periodKey, device):
    return {
        "mdnsKey": derive(periodKey, b"mdns-key", u8(device)),
        "beaconKey": derive(periodKey, b"beacon-key", u8(device)),
        "gattKey": derive(periodKey, b"gatt-key", u8(device)),
        "confirmKey": derive(periodKey, b"confirm-key", u8(device)),
    }


def user_id(identity: bytes) -> bytes:
    return sha256(b"inkling/1 user-id\x00" + identity)[:16]


def clamp(secret: bytes) -> bytes:
    """Sets and clears the bits of a private key as RFC 7748 requires."""
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
