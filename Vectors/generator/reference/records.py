"""Specs/records.md: records and HELLO."""

from ..tools.fields import KEY, PERIOD, U32, Bytes, Entry, Flag, Integer, ListOf, Record, refuse_argument
from ..tools.operations import operation
from ..tools.refusal import Refusal
from .grants import MOST_NODES, NODE, cover
from .keys import DEPTH
from .notation import u16, u32, u8

LARGEST_BODY = 16384
LARGEST_RECORD = 16640
LAST_PERIOD = 2**20 - 1
MOST_GRANTS = 5


def padded_size(size):
    return 96 if size <= 96 else -(-size // 256) * 256


def encode(kind, body):
    record = u8(kind) + u16(len(body)) + body
    return record.ljust(padded_size(len(record)), b"\0")


def decode(plaintext):
    size = len(plaintext)
    if size != 96 and (size == 0 or size % 256 or size > LARGEST_RECORD):
        raise Refusal("record", "wrong-length")
    length = int.from_bytes(plaintext[1:3], "big")
    if length > LARGEST_BODY or size != padded_size(3 + length):
        raise Refusal("record", "bad-length")
    if any(plaintext[3 + length :]):
        raise Refusal("record", "nonzero-padding")
    return plaintext[0], plaintext[3 : 3 + length]


def encode_hello(own_serial, peer_serial, grants):
    body = u32(own_serial) + u32(peer_serial) + u8(len(grants))
    for audience, generation, last in grants:
        body += audience + u32(generation) + u32(last)
    return body


def decode_hello(body):
    if len(body) < 9:
        raise Refusal("hello", "truncated")
    count = body[8]
    if count > MOST_GRANTS:
        raise Refusal("hello", "too-many")
    if len(body) != 9 + 16 * count:
        raise Refusal("hello", "wrong-length")
    own_serial, peer_serial = int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big")
    if own_serial == 0:
        raise Refusal("hello", "out-of-range")
    grants = []
    for start in range(9, len(body), 16):
        audience = body[start : start + 8]
        generation = int.from_bytes(body[start + 8 : start + 12], "big")
        last = int.from_bytes(body[start + 12 : start + 16], "big")
        if generation == 0 or last > LAST_PERIOD:
            raise Refusal("hello", "out-of-range")
        grants.append((audience, generation, last))
    if len({audience for audience, _, _ in grants}) < len(grants):
        raise Refusal("hello", "repeated-audience")
    return own_serial, peer_serial, grants


CERTIFICATE_BYTES = 106
LARGEST_CARD = 1900
LARGEST_GRANT = 136 + 16 * CERTIFICATE_BYTES + MOST_NODES * 37
MOST_REVOKED = 16


class StateReader:
    """The body of a STATE record, read from left to right."""

    def __init__(self, body):
        self.rest = body

    def take(self, count):
        if len(self.rest) < count:
            raise Refusal("state", "truncated")
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def number(self, count):
        return int.from_bytes(self.take(count), "big")

    def nodes(self):
        count = self.number(1)
        if not 1 <= count <= MOST_NODES:
            raise Refusal("state", "nodes")
        found = []
        for _ in range(count):
            depth, prefix, key = self.number(1), self.number(4), self.take(32)
            if depth > DEPTH or prefix >= 1 << depth:
                raise Refusal("state", "nodes")
            found.append({"depth": depth, "prefix": prefix, "key": key})
        first = found[0]["prefix"] << (DEPTH - found[0]["depth"])
        last = ((found[-1]["prefix"] + 1) << (DEPTH - found[-1]["depth"])) - 1
        if [(node["depth"], node["prefix"]) for node in found] != cover(first, last):
            raise Refusal("state", "nodes")
        return found

    def end(self):
        if self.rest:
            raise Refusal("state", "wrong-length")


def decode_state(body):
    reader = StateReader(body)
    tag = reader.number(1)
    state = {"tag": tag, "body": body}
    if tag == 1:
        if len(reader.rest) != CERTIFICATE_BYTES:
            raise Refusal("state", "wrong-length")
        return state | {"certificate": reader.rest}
    if tag == 2:
        state |= {"audience": reader.take(8), "generation": reader.number(4)}
        if state["generation"] == 0:
            raise Refusal("state", "out-of-range")
        state["nodes"] = reader.nodes()
    elif tag == 3:
        state |= {"pairwiseKey": reader.take(32), "shown": reader.nodes(), "expected": reader.nodes()}
        if not 1 <= len(reader.rest) <= LARGEST_CARD:
            raise Refusal("state", "wrong-length")
        return state | {"card": reader.rest}
    elif tag == 4:
        state |= {"issuer": reader.take(32), "audience": reader.take(8), "generation": reader.number(4)}
        state |= {"to": reader.number(4), "devices": reader.number(2)}
        if state["generation"] == 0 or state["devices"] == 0 or state["to"] > LAST_PERIOD:
            raise Refusal("state", "out-of-range")
        state["nodes"] = reader.nodes()
    elif tag == 5:
        if not reader.rest:
            raise Refusal("state", "truncated")
        if len(reader.rest) > LARGEST_GRANT:
            raise Refusal("state", "wrong-length")
        return state | {"grant": reader.rest}
    elif tag == 6:
        state |= {"mark": reader.take(8)}
    elif tag == 7:
        state |= {"identity": reader.take(32)}
        flags, count = reader.number(1), reader.number(1)
        if count > MOST_REVOKED:
            raise Refusal("state", "out-of-range")
        state |= {"blocked": flags & 1 == 1, "lapsing": flags & 2 == 2}
        state |= {"revoked": [reader.take(32) for _ in range(count)]}
        # Bits that are not defined are written as zero.
        state["body"] = body[:33] + u8(flags & 3) + body[34:]
    elif tag == 8:
        pass
    else:
        raise Refusal("state", "unknown-tag")
    reader.end()
    return state


GRANTS = ListOf(Entry(audience=Bytes(8), generation=Integer(1, 2**32 - 1), to=PERIOD), high=MOST_GRANTS)
OWN_SERIAL = Integer(1, 2**32 - 1)
KIND = Integer(0, 255)


@operation(
    "record-encode",
    Record(type=KIND, body=Bytes(high=LARGEST_BODY)),
    Record(plaintext=Bytes()),
)
def record_encode_operation(type, body):
    return {"plaintext": encode(type, body)}


@operation(
    "record-decode",
    Record(plaintext=Bytes()),
    Record(type=KIND, body=Bytes(high=LARGEST_BODY)),
    refusals=[("record", reason) for reason in ("wrong-length", "bad-length", "nonzero-padding")],
)
def record_decode_operation(plaintext):
    kind, body = decode(plaintext)
    return {"type": kind, "body": body}


@operation(
    "hello-encode",
    Record(ownSerial=OWN_SERIAL, peerSerial=U32, grants=GRANTS),
    Record(body=Bytes()),
    refusals=[("arguments", "repeated-audience")],
)
def hello_encode_operation(ownSerial, peerSerial, grants):
    if len({grant["audience"] for grant in grants}) < len(grants):
        refuse_argument("repeated-audience")
    return {
        "body": encode_hello(
            ownSerial, peerSerial, [(grant["audience"], grant["generation"], grant["to"]) for grant in grants]
        )
    }


@operation(
    "hello-decode",
    Record(body=Bytes()),
    Record(ownSerial=OWN_SERIAL, peerSerial=U32, grants=GRANTS),
    refusals=[
        ("hello", reason) for reason in ("truncated", "too-many", "wrong-length", "out-of-range", "repeated-audience")
    ],
)
def hello_decode_operation(body):
    own_serial, peer_serial, grants = decode_hello(body)
    return {
        "ownSerial": own_serial,
        "peerSerial": peer_serial,
        "grants": [
            {"audience": audience, "generation": generation, "to": last} for audience, generation, last in grants
        ],
    }


HELD_NODES = ListOf(Record(**NODE.members, key=KEY), low=1, high=MOST_NODES)
STATE_MEMBERS = {
    "certificate": Bytes(CERTIFICATE_BYTES),
    "audience": Bytes(8),
    "generation": Integer(1, 2**32 - 1),
    "nodes": HELD_NODES,
    "pairwiseKey": KEY,
    "shown": HELD_NODES,
    "expected": HELD_NODES,
    "card": Bytes(low=1, high=LARGEST_CARD),
    "issuer": Bytes(32),
    "to": PERIOD,
    "devices": Integer(1, 0xFFFF),
    "grant": Bytes(low=1, high=LARGEST_GRANT),
    "mark": Bytes(8),
    "identity": Bytes(32),
    "blocked": Flag(),
    "lapsing": Flag(),
    "revoked": ListOf(Bytes(32), high=MOST_REVOKED),
}


@operation(
    "state-decode",
    Record(body=Bytes()),
    Record(optional=tuple(STATE_MEMBERS), tag=Integer(1, 8), **STATE_MEMBERS, body=Bytes()),
    refusals=[("state", reason) for reason in ("truncated", "unknown-tag", "out-of-range", "nodes", "wrong-length")],
)
def state_decode_operation(body):
    return decode_state(body)
