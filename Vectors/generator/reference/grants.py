"""Specs/grants.md: covers and grants."""

from ..tools.fields import KEY, PERIOD, U32, Bytes, Integer, ListOf, Record
from ..tools.operations import operation
from ..tools.refusal import Refusal
from .certificates import BYTES, DEVICE_RECORD, REFUSALS, bitmap_devices, read_certificates
from .curves import ed25519_sign, ed25519_verifies
from .keys import DEPTH, node_key
from .notation import u16, u32, u8

SHORTEST = 136
MOST_NODES = 20
NODE_BYTES = 37
AHEAD = 24
LONGEST_INTERVAL = 2232

NODE = Record(depth=Integer(0, DEPTH), prefix=Integer(0, 2**DEPTH - 1))


def cover(start: int, end: int) -> list[tuple[int, int]]:
    """The canonical cover of the periods start to end, both included."""
    nodes = []
    while start <= end:
        size = 0
        while size < DEPTH and start % (2 << size) == 0 and start + (2 << size) - 1 <= end:
            size += 1
        nodes.append((DEPTH - size, start >> size))
        start += 1 << size
    return nodes


GRANT_COVER = {"from": PERIOD, "to": PERIOD}


@operation(
    "grant-cover",
    Record(**GRANT_COVER),
    Record(nodes=ListOf(NODE)),
    refusals=[("interval", "reversed"), ("interval", "too-long")],
)
def grant_cover(**interval):
    start, end = interval["from"], interval["to"]
    if end < start:
        raise Refusal("interval", "reversed")
    if end - start + 1 > LONGEST_INTERVAL:
        raise Refusal("interval", "too-long")
    return {"nodes": [{"depth": depth, "prefix": prefix} for depth, prefix in cover(start, end)]}


def node_bytes(depth: int, prefix: int, key: bytes) -> bytes:
    return u8(depth) + u32(prefix) + key


def cover_bytes(root: bytes, start: int, end: int) -> list[bytes]:
    return [node_bytes(depth, prefix, node_key(root, depth, prefix)) for depth, prefix in cover(start, end)]


def unsigned_grant(issuer, audience, generation, start, end, bitmap, certificates, nodes, grantee, version=1) -> bytes:
    return (
        u8(version)
        + issuer
        + audience
        + u32(generation)
        + u32(start)
        + u32(end)
        + u16(bitmap)
        + b"".join(certificates)
        + u8(len(nodes))
        + b"".join(nodes)
        + grantee
    )


def sign(seed: bytes, unsigned: bytes) -> bytes:
    return unsigned + ed25519_sign(seed, b"inkling/1 grant\x00" + unsigned)


GRANT_REFUSALS = (
    ("length", "too-short"),
    ("length", "node-count"),
    ("length", "too-long"),
    ("version", "unknown"),
    ("issuer", "unknown"),
    ("signature", "invalid"),
    ("grantee", "not-ours"),
    ("interval", "reversed"),
    ("interval", "too-long"),
    ("interval", "out-of-tree"),
    ("interval", "not-yet"),
    ("interval", "ended"),
    ("cover", "not-canonical"),
    *REFUSALS,
    ("generation", "zero"),
    ("generation", "older"),
    ("generation", "too-far"),
)


@operation(
    "grant-decode",
    Record(grant=Bytes(), issuer=KEY, grantee=Bytes(16), period=PERIOD, heldGeneration=U32),
    Record(
        **{
            "audience": Bytes(8),
            "generation": Integer(1, 2**32 - 1),
            "from": PERIOD,
            "to": PERIOD,
            "devices": ListOf(DEVICE_RECORD, 1, 16),
            "nodes": ListOf(
                Record(depth=Integer(0, DEPTH), prefix=Integer(0, 2**DEPTH - 1), key=KEY), 1, MOST_NODES
            ),
        }
    ),
    refusals=GRANT_REFUSALS,
)
def grant_decode(grant, issuer, grantee, period, heldGeneration):
    if len(grant) < SHORTEST:
        raise Refusal("length", "too-short")
    bitmap = int.from_bytes(grant[53:55], "big")
    count_at = 55 + BYTES * len(bitmap_devices(bitmap))
    if len(grant) <= count_at:
        raise Refusal("length", "too-short")
    count = grant[count_at]
    if not 1 <= count <= MOST_NODES:
        raise Refusal("length", "node-count")
    nodes_end = count_at + 1 + NODE_BYTES * count
    signed_end = nodes_end + 16
    if len(grant) < signed_end + 64:
        raise Refusal("length", "too-short")
    if len(grant) > signed_end + 64:
        raise Refusal("length", "too-long")
    if grant[0] != 1:
        raise Refusal("version", "unknown")
    if grant[1:33] != issuer:
        raise Refusal("issuer", "unknown")
    if not ed25519_verifies(issuer, b"inkling/1 grant\x00" + grant[:signed_end], grant[signed_end:]):
        raise Refusal("signature", "invalid")
    if grant[nodes_end:signed_end] != grantee:
        raise Refusal("grantee", "not-ours")
    generation, start, end = (int.from_bytes(grant[at : at + 4], "big") for at in (41, 45, 49))
    if end < start:
        raise Refusal("interval", "reversed")
    if end - start + 1 > LONGEST_INTERVAL:
        raise Refusal("interval", "too-long")
    if end >= 2**DEPTH:
        raise Refusal("interval", "out-of-tree")
    if start > period + AHEAD:
        raise Refusal("interval", "not-yet")
    if end < period:
        raise Refusal("interval", "ended")
    nodes = []
    for at in range(count_at + 1, nodes_end, NODE_BYTES):
        nodes.append((grant[at], int.from_bytes(grant[at + 1 : at + 5], "big"), grant[at + 5 : at + 37]))
    if [(depth, prefix) for depth, prefix, _ in nodes] != cover(start, end):
        raise Refusal("cover", "not-canonical")
    devices = read_certificates(grant[55:count_at], bitmap, issuer, period, None)
    if generation == 0:
        raise Refusal("generation", "zero")
    if generation < heldGeneration <= period + AHEAD:
        raise Refusal("generation", "older")
    if generation > period + AHEAD:
        raise Refusal("generation", "too-far")
    return {
        "audience": grant[33:41],
        "generation": generation,
        "from": start,
        "to": end,
        "devices": devices,
        "nodes": [{"depth": depth, "prefix": prefix, "key": key} for depth, prefix, key in nodes],
    }
