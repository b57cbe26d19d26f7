"""Specs/packets.md: packets, TCP frames, GATT fragments."""

from ..tools.fields import Bytes, Integer, ListOf, Record
from ..tools.operations import operation
from ..tools.refusal import Refusal
from .notation import u16

BODY_SIZES = {
    1: {128},
    2: {112},
    3: {128},
    4: {96 + 256 * blocks for blocks in range(1, 9)},
    5: {64 + 256 * blocks for blocks in range(1, 9)},
    6: {128},
    7: {96 + 256 * blocks for blocks in range(1, 9)},
    8: {128},
    9: {112} | {16 + 256 * blocks for blocks in range(1, 66)},
}
SMALLEST_PACKET = 1 + min(min(sizes) for sizes in BODY_SIZES.values())
LARGEST_PACKET = 1 + max(max(sizes) for sizes in BODY_SIZES.values())


def encode(kind, body):
    _check_body(kind, body)
    return bytes([kind << 4]) + body


def decode(packet):
    if not packet:
        raise Refusal("packet", "truncated")
    kind, sequence = packet[0] >> 4, packet[0] & 0x0F
    if kind not in BODY_SIZES:
        raise Refusal("packet", "unknown-type")
    if sequence:
        raise Refusal("packet", "bad-sequence")
    _check_body(kind, packet[1:])
    return kind, packet[1:]


def frame(packet):
    decode(packet)
    return u16(len(packet)) + packet


def unframe(stream):
    packets = []
    while len(stream) >= 2:
        length = int.from_bytes(stream[:2], "big")
        if not SMALLEST_PACKET <= length <= LARGEST_PACKET:
            raise Refusal("frame", "bad-length")
        if len(stream) < 2 + length:
            break
        packets.append(stream[2 : 2 + length])
        stream = stream[2 + length :]
    return packets, stream


def fragment(packet, mtu):
    kind, body = decode(packet)
    size = mtu - 4
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    return [bytes([kind << 4 | (index % 8) << 1 | (index < len(parts) - 1)]) + part for index, part in enumerate(parts)]


def reassemble(fragments):
    kind, body, more = None, b"", True
    for index, piece in enumerate(fragments):
        if not more:
            raise Refusal("fragment", "trailing-fragment")
        if len(piece) < 2:
            raise Refusal("fragment", "truncated")
        header = piece[0]
        if header >> 4 not in BODY_SIZES:
            raise Refusal("fragment", "unknown-type")
        if kind is None:
            kind = header >> 4
        if header >> 4 != kind:
            raise Refusal("fragment", "type-changed")
        if header >> 1 & 7 != index % 8:
            raise Refusal("fragment", "bad-sequence")
        body += piece[1:]
        if len(body) > max(BODY_SIZES[kind]):
            raise Refusal("fragment", "too-long")
        more = bool(header & 1)
        if not more:
            _check_body(kind, body)
    if more:
        raise Refusal("packet", "incomplete")
    return encode(kind, body)


def _check_body(kind, body):
    if kind not in BODY_SIZES:
        raise Refusal("packet", "unknown-type")
    if len(body) not in BODY_SIZES[kind]:
        raise Refusal("packet", "bad-length")


PACKET_REFUSALS = [("packet", reason) for reason in ("truncated", "unknown-type", "bad-sequence", "bad-length")]
FRAGMENT_REFUSALS = [
    ("fragment", reason)
    for reason in ("trailing-fragment", "truncated", "unknown-type", "type-changed", "bad-sequence", "too-long")
]
TYPE = Integer(0, 15)


@operation(
    "packet-encode",
    Record(type=TYPE, body=Bytes()),
    Record(packet=Bytes()),
    refusals=[("packet", "unknown-type"), ("packet", "bad-length")],
)
def packet_encode_operation(type, body):
    return {"packet": encode(type, body)}


@operation("packet-decode", Record(packet=Bytes()), Record(type=TYPE, body=Bytes()), refusals=PACKET_REFUSALS)
def packet_decode_operation(packet):
    kind, body = decode(packet)
    return {"type": kind, "body": body}


@operation("tcp-frame-encode", Record(packet=Bytes()), Record(frame=Bytes()), refusals=PACKET_REFUSALS)
def tcp_frame_encode_operation(packet):
    return {"frame": frame(packet)}


@operation(
    "tcp-frame-decode",
    Record(stream=Bytes()),
    Record(packets=ListOf(Bytes()), rest=Bytes()),
    refusals=[("frame", "bad-length")],
)
def tcp_frame_decode_operation(stream):
    packets, rest = unframe(stream)
    return {"packets": packets, "rest": rest}


@operation(
    "gatt-fragment",
    Record(packet=Bytes(), mtu=Integer(23, 517)),
    Record(fragments=ListOf(Bytes())),
    refusals=PACKET_REFUSALS,
)
def gatt_fragment_operation(packet, mtu):
    return {"fragments": fragment(packet, mtu)}


@operation(
    "gatt-reassemble",
    Record(fragments=ListOf(Bytes())),
    Record(packet=Bytes()),
    refusals=FRAGMENT_REFUSALS + [("packet", "incomplete"), ("packet", "bad-length")],
)
def gatt_reassemble_operation(fragments):
    return {"packet": reassemble(fragments)}
