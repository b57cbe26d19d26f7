"""Specs/records.md: records and HELLO."""

from ..tools.fields import PERIOD, U32, Bytes, Entry, Integer, ListOf, Record, refuse_argument
from ..tools.operations import operation
from ..tools.refusal import Refusal
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
