"""Epochs and periods, the audience tree, its covers, and the keys of a device: Specs/keys.md."""

from .fields import EPOCH, Integer, KEY, Bytes, ListOf, PERIOD, Record, Text, refuse_argument
from .notation import H, PREFIX, derive, derive_info, u8
from .operations import operation
from .refusal import Refusal

DEPTH = 20
LAST_SECOND = 3600 * 2**20 - 1
LONGEST_INTERVAL = 2232

NODE = Record(depth=Integer(0, DEPTH), prefix=Integer(0, 2**DEPTH - 1))


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
