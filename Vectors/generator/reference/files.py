"""Specs/files.md: the records about files."""

from ..tools.fields import Bytes, Integer, Record, refuse_argument
from ..tools.operations import operation
from ..tools.refusal import Refusal
from .notation import u32, u64, u8

OFFER, GRANT, CHUNK, TAKEN, END, DONE, STOP = range(0x14, 0x1B)
LARGEST_FILE = 2**40
LARGEST_CHUNK = 16_000
LARGEST_WINDOW = 2**18
LATEST_REASON = 7
LENGTHS = {
    OFFER: (24, 24),
    GRANT: (60, 60),
    CHUNK: (25, 24 + LARGEST_CHUNK),
    TAKEN: (24, 24),
    END: (48, 48),
    DONE: (16, 16),
    STOP: (17, 17),
}
KIND = Integer(OFFER, STOP)
MEMBERS = {
    "transfer": Bytes(16),
    "number": Integer(0, LARGEST_FILE),
    "window": Integer(0, LARGEST_WINDOW),
    "digest": Bytes(high=32),
    "bytes": Bytes(high=LARGEST_CHUNK),
    "reason": Integer(0, LATEST_REASON),
}


def encode(kind, transfer, number=0, window=0, digest=b"", content=b"", reason=0):
    rest = {
        OFFER: u64(number),
        GRANT: u64(number) + u32(window) + digest,
        CHUNK: u64(number) + content,
        TAKEN: u64(number),
        END: digest,
        DONE: b"",
        STOP: u8(reason),
    }
    return transfer + rest[kind]


def decode(kind, body):
    least, most = LENGTHS[kind]
    if not least <= len(body) <= most:
        raise Refusal("file", "wrong-length")
    said = {"transfer": body[:16], "number": 0, "window": 0, "digest": b"", "bytes": b"", "reason": 0}
    if kind in (OFFER, GRANT, CHUNK, TAKEN):
        said["number"] = int.from_bytes(body[16:24], "big")
        if said["number"] > LARGEST_FILE:
            raise Refusal("file", "out-of-range")
    if kind == GRANT:
        said["window"], said["digest"] = int.from_bytes(body[24:28], "big"), body[28:]
        if not 1 <= said["window"] <= LARGEST_WINDOW:
            raise Refusal("file", "out-of-range")
    elif kind == CHUNK:
        said["bytes"] = body[24:]
        if said["number"] + len(said["bytes"]) > LARGEST_FILE:
            raise Refusal("file", "out-of-range")
    elif kind == END:
        said["digest"] = body[16:]
    elif kind == STOP:
        said["reason"] = body[16] if body[16] <= LATEST_REASON else LATEST_REASON
    return said


@operation(
    "file-encode",
    Record(type=KIND, **MEMBERS),
    Record(body=Bytes()),
    refusals=[("arguments", "wrong-length"), ("arguments", "out-of-range")],
)
def file_encode_operation(type, transfer, number, window, digest, bytes, reason):
    said = {"transfer": transfer, "number": number, "window": window, "digest": digest, "bytes": bytes, "reason": reason}
    body = encode(type, transfer, number, window, digest, bytes, reason)
    try:
        read = decode(type, body)
    except Refusal as refusal:
        refuse_argument(refusal.reason)
    if read != said:
        refuse_argument("out-of-range")
    return {"body": body}


@operation(
    "file-decode",
    Record(type=KIND, body=Bytes()),
    Record(**MEMBERS),
    refusals=[("file", "wrong-length"), ("file", "out-of-range")],
)
def file_decode_operation(type, body):
    return decode(type, body)
