"""Specs/advertising.md: AD structures, iBeacon frames, service UUID lists, the overflow area."""

from ..tools.fields import U16, Bytes, BytesOf, Flag, Integer, ListOf, Record, Text, refuse_argument
from ..tools.operations import operation
from ..tools.refusal import Refusal
from .notation import PREFIX, sha256, u16

LARGEST_REPORT = 1650
FLAGS = bytes.fromhex("020106")
MANUFACTURER_DATA = 0xFF
IBEACON_PREFIX = bytes.fromhex("4c0002")
OVERFLOW_PREFIX = bytes.fromhex("4c0001")
BASE_UUID_END = bytes.fromhex("00001000800000805f9b34fb")


def named_uuid(name):
    value = bytearray(sha256(PREFIX + b" uuid\0" + name.encode())[:16])
    value[6] = value[6] & 0x0F | 0x80
    value[8] = value[8] & 0x3F | 0x80
    return bytes(value)


def structures(data):
    """The AD structures of a report as pairs of type and data."""
    if len(data) > LARGEST_REPORT:
        raise Refusal("structures", "too-long")
    found, offset = [], 0
    while offset < len(data):
        length = data[offset]
        if length == 0:
            if any(data[offset:]):
                raise Refusal("structures", "nonzero-padding")
            break
        end = offset + 1 + length
        if end > len(data):
            raise Refusal("structures", "truncated")
        found.append((data[offset + 1], data[offset + 2 : end]))
        offset = end
    return found


def structure(kind, data):
    if len(data) > 254:
        refuse_argument("too-long")
    return bytes([len(data) + 1, kind]) + data


def encode_ibeacon(uuid, major, minor, measured_power):
    frame = IBEACON_PREFIX + b"\x15" + uuid + u16(major) + u16(minor)
    return FLAGS + structure(MANUFACTURER_DATA, frame + measured_power.to_bytes(1, "big", signed=True))


def decode_ibeacon(data):
    frames = [
        body[3:] for kind, body in structures(data) if kind == MANUFACTURER_DATA and body.startswith(IBEACON_PREFIX)
    ]
    if not frames:
        raise Refusal("ibeacon", "not-ibeacon")
    if len(frames) > 1:
        raise Refusal("ibeacon", "repeated")
    frame = frames[0]
    if not frame:
        raise Refusal("ibeacon", "truncated")
    if frame[0] != 21:
        raise Refusal("ibeacon", "bad-length")
    if len(frame) < 22:
        raise Refusal("ibeacon", "truncated")
    if len(frame) > 22:
        raise Refusal("ibeacon", "trailing-bytes")
    return (
        frame[1:17],
        int.from_bytes(frame[17:19], "big"),
        int.from_bytes(frame[19:21], "big"),
        int.from_bytes(frame[21:22], "big", signed=True),
    )


def encode_service_uuids(uuids):
    output = b""
    for kind, size in ((0x03, 2), (0x07, 16)):
        part = b"".join(uuid[::-1] for uuid in uuids if len(uuid) == size)
        if part:
            output += structure(kind, part)
    return output


def decode_service_uuids(data):
    uuids = []
    for kind, body in structures(data):
        size = {0x02: 2, 0x03: 2, 0x06: 16, 0x07: 16}.get(kind)
        if size is None:
            continue
        if len(body) % size:
            raise Refusal("service-uuids", "bad-length")
        uuids += [body[start : start + size][::-1] for start in range(0, len(body), size)]
    return uuids


def expand_uuid(short):
    """The 128-bit form of a 16-bit UUID."""
    return bytes(2) + short + BASE_UUID_END


def crc8(data):
    register = 0
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = (register << 1 ^ 0x09 if register & 0x80 else register << 1) & 0xFF
    return register


def overflow_bit(uuid):
    """Hash, byte and mask of a service UUID in the overflow area."""
    value = crc8(uuid) & 0x7F
    return value, value >> 3, 1 << (value & 7)


def overflow_match(data, uuid):
    _, position, mask = overflow_bit(uuid)
    present = False
    for kind, body in structures(data):
        if kind != MANUFACTURER_DATA or not body.startswith(OVERFLOW_PREFIX):
            continue
        bits = body[len(OVERFLOW_PREFIX) :]
        if len(bits) != 16:
            raise Refusal("overflow", "bad-length")
        if bits == b"\xff" * 16:
            raise Refusal("overflow", "saturated")
        present = present or bool(bits[position] & mask)
    return present


# Of 16 or of 128 bits.
SERVICE_UUID = BytesOf(2, 16)
UUID = Bytes(16)
REPORT = Bytes()
POWER = Integer(-128, 127)
STRUCTURE_REFUSALS = [("structures", reason) for reason in ("too-long", "truncated", "nonzero-padding")]


@operation("uuid", Record(name=Text()), Record(uuid=UUID))
def uuid_operation(name):
    return {"uuid": named_uuid(name)}


@operation(
    "ad-structures",
    Record(advertisingData=REPORT),
    Record(structures=ListOf(Record(type=Integer(0, 255), data=Bytes()))),
    refusals=STRUCTURE_REFUSALS,
)
def ad_structures_operation(advertisingData):
    return {"structures": [{"type": kind, "data": data} for kind, data in structures(advertisingData)]}


@operation(
    "ibeacon-encode",
    Record(uuid=UUID, major=U16, minor=U16, measuredPower=POWER),
    Record(advertisingData=Bytes(30)),
)
def ibeacon_encode_operation(uuid, major, minor, measuredPower):
    return {"advertisingData": encode_ibeacon(uuid, major, minor, measuredPower)}


@operation(
    "ibeacon-decode",
    Record(advertisingData=REPORT),
    Record(uuid=UUID, major=U16, minor=U16, measuredPower=POWER),
    refusals=STRUCTURE_REFUSALS
    + [("ibeacon", reason) for reason in ("not-ibeacon", "repeated", "truncated", "bad-length", "trailing-bytes")],
)
def ibeacon_decode_operation(advertisingData):
    uuid, major, minor, power = decode_ibeacon(advertisingData)
    return {"uuid": uuid, "major": major, "minor": minor, "measuredPower": power}


@operation(
    "service-uuids-encode",
    Record(uuids=ListOf(SERVICE_UUID)),
    Record(advertisingData=REPORT),
    refusals=[("arguments", "too-long")],
)
def service_uuids_encode_operation(uuids):
    return {"advertisingData": encode_service_uuids(uuids)}


@operation(
    "service-uuids-decode",
    Record(advertisingData=REPORT),
    Record(uuids=ListOf(SERVICE_UUID)),
    refusals=STRUCTURE_REFUSALS + [("service-uuids", "bad-length")],
)
def service_uuids_decode_operation(advertisingData):
    return {"uuids": decode_service_uuids(advertisingData)}


@operation(
    "overflow-bit",
    Record(uuid=UUID),
    Record(hash=Integer(0, 127), byte=Integer(0, 15), mask=Integer(1, 128)),
)
def overflow_bit_operation(uuid):
    value, position, mask = overflow_bit(uuid)
    return {"hash": value, "byte": position, "mask": mask}


@operation(
    "overflow-match",
    Record(advertisingData=REPORT, uuid=UUID),
    Record(present=Flag()),
    refusals=STRUCTURE_REFUSALS + [("overflow", "bad-length"), ("overflow", "saturated")],
)
def overflow_match_operation(advertisingData, uuid):
    return {"present": overflow_match(advertisingData, uuid)}
