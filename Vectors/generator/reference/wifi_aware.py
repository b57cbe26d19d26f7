"""Specs/wifi-aware.md: service identifiers, service descriptors, service discovery frames."""

from ..tools.fields import U16, Bytes, Flag, Integer, ListOf, Record, Text
from ..tools.operations import operation
from ..tools.refusal import Refusal
from .notation import sha256

SERVICE_NAME = "_inkling._tcp"
LARGEST_FRAME = 2304
FRAME_HEADER = bytes.fromhex("0409506f9a13")
DESCRIPTOR = 0x03
EXTENSION = 0x0E
GENERIC = bytes.fromhex("506f9a02")
ROLES = ("publish", "subscribe", "follow-up")
MATCHING, RESPONSE, INFO, RANGE, BITMAP, RANDOMIZED = 0x04, 0x08, 0x10, 0x20, 0x40, 0x80


def service_id(name):
    small = bytes(byte + 32 if ord("A") <= byte <= ord("Z") else byte for byte in name.encode())
    return sha256(small)[:6]


def little(value):
    return value.to_bytes(2, "little")


def check_response_filter(data):
    if not data or data[0] & 1 and len(data) == 1:
        raise Refusal("response-filter", "empty")
    if not data[0] & 1 and len(data) % 6 != 1:
        raise Refusal("response-filter", "bad-length")


def encode_descriptor(
    role, service, instance, requestor, rangeLimited=False, bindingBitmap=None, matchingFilter=None,
    responseFilter=None, serviceInfo=None,
):
    control = ROLES.index(role) | (RANGE if rangeLimited else 0)
    optional = b""
    if bindingBitmap is not None:
        control |= BITMAP
        optional += little(bindingBitmap)
    filter_bytes = None
    if matchingFilter is not None:
        if sum(1 + len(value) for value in matchingFilter) > 255:
            raise Refusal("matching-filter", "too-long")
        filter_bytes = b"".join(bytes([len(value)]) + value for value in matchingFilter)
    for stage, bit, data in (
        ("matching-filter", MATCHING, filter_bytes),
        ("response-filter", RESPONSE, responseFilter),
        ("service-info", INFO, serviceInfo),
    ):
        if data is None:
            continue
        if len(data) > 255:
            raise Refusal(stage, "too-long")
        control |= bit
        optional += bytes([len(data)]) + data
    if responseFilter is not None:
        check_response_filter(responseFilter)
    content = service + bytes([instance, requestor, control]) + optional
    return bytes([DESCRIPTOR]) + little(len(content)) + content


def decode_content(content):
    if len(content) < 9:
        raise Refusal("descriptor", "truncated")
    control, rest = content[8], content[9:]
    if control & RANDOMIZED:
        raise Refusal("descriptor", "randomized")
    if control & 3 == 3:
        raise Refusal("descriptor", "unknown-role")
    found = {
        "role": ROLES[control & 3],
        "service": content[:6],
        "instance": content[6],
        "requestor": content[7],
        "rangeLimited": bool(control & RANGE),
    }
    if control & BITMAP:
        if len(rest) < 2:
            raise Refusal("binding-bitmap", "truncated")
        found["bindingBitmap"] = int.from_bytes(rest[:2], "little")
        rest = rest[2:]
    for name, stage, bit in (
        ("matchingFilter", "matching-filter", MATCHING),
        ("responseFilter", "response-filter", RESPONSE),
        ("serviceInfo", "service-info", INFO),
    ):
        if not control & bit:
            continue
        if not rest or len(rest) < 1 + rest[0]:
            raise Refusal(stage, "truncated")
        data, rest = rest[1 : 1 + rest[0]], rest[1 + rest[0] :]
        if bit == MATCHING:
            data = matching_values(data)
        if bit == RESPONSE:
            check_response_filter(data)
        found[name] = data
    if rest:
        raise Refusal("descriptor", "trailing-bytes")
    return found


def matching_values(data):
    values = []
    while data:
        if len(data) < 1 + data[0]:
            raise Refusal("matching-filter", "bad-value")
        values.append(data[1 : 1 + data[0]])
        data = data[1 + data[0] :]
    return values


def decode_attribute(attribute):
    if len(attribute) < 12:
        raise Refusal("descriptor", "truncated")
    if attribute[0] != DESCRIPTOR:
        raise Refusal("descriptor", "not-descriptor")
    if int.from_bytes(attribute[1:3], "little") != len(attribute) - 3:
        raise Refusal("descriptor", "bad-length")
    return decode_content(attribute[3:])


def frame_attributes(frame):
    if len(frame) > LARGEST_FRAME:
        raise Refusal("frame", "too-long")
    if len(frame) < 6:
        raise Refusal("frame", "truncated")
    if frame[:6] != FRAME_HEADER:
        raise Refusal("frame", "not-service-discovery")
    rest, found = frame[6:], []
    while rest:
        count = int.from_bytes(rest[1:3], "little")
        if len(rest) < 3 or len(rest) < 3 + count:
            raise Refusal("attributes", "truncated")
        found.append((rest[0], rest[3 : 3 + count]))
        rest = rest[3 + count :]
    return found


def extension_info(content):
    """The generic service info of an extension attribute, or None."""
    if len(content) < 3:
        raise Refusal("extension", "truncated")
    control = int.from_bytes(content[1:3], "little")
    before = (4 if control & 0x0100 else 0) + (1 if control & 0x0200 else 0)
    rest = content[3:]
    if len(rest) == before:
        return None
    if len(rest) < before + 2:
        raise Refusal("extension", "truncated")
    info = rest[before + 2 :]
    if int.from_bytes(rest[before : before + 2], "little") != len(info) or len(info) < 4:
        raise Refusal("extension", "bad-length")
    return info[4:] if info[:4] == GENERIC else None


def publish(name, requestor=0):
    return FRAME_HEADER + encode_descriptor("publish", service_id(SERVICE_NAME), 1, requestor, serviceInfo=name)


def subscribe():
    return FRAME_HEADER + encode_descriptor("subscribe", service_id(SERVICE_NAME), 1, 0)


def name_of(frame):
    name = None
    attributes = frame_attributes(frame)
    for kind, content in attributes:
        if kind != DESCRIPTOR or content[:6] != service_id(SERVICE_NAME):
            continue
        found = decode_content(content)
        if found["role"] != "publish":
            continue
        if name is not None:
            raise Refusal("name", "repeated")
        info = found.get("serviceInfo")
        if info is None:
            more = [data for kind, data in attributes if kind == EXTENSION and data[:1] == bytes([found["instance"]])]
            info = extension_info(more[0]) if more else None
        if info is None:
            raise Refusal("name", "absent")
        if len(info) != 16:
            raise Refusal("name", "bad-length")
        name = info
    return name


OPTIONAL = ("bindingBitmap", "matchingFilter", "responseFilter", "serviceInfo")


def descriptor_record(low_instance):
    return Record(
        optional=OPTIONAL,
        role=Text(values=ROLES),
        service=Bytes(6),
        instance=Integer(low_instance, 255),
        requestor=Integer(0, 255),
        rangeLimited=Flag(),
        bindingBitmap=U16,
        matchingFilter=ListOf(Bytes()),
        responseFilter=Bytes(),
        serviceInfo=Bytes(),
    )


FRAME_REFUSALS = [
    ("frame", "too-long"),
    ("frame", "truncated"),
    ("frame", "not-service-discovery"),
    ("attributes", "truncated"),
]
FIELD_REFUSALS = [
    ("binding-bitmap", "truncated"),
    ("matching-filter", "truncated"),
    ("matching-filter", "bad-value"),
    ("response-filter", "truncated"),
    ("response-filter", "empty"),
    ("response-filter", "bad-length"),
    ("service-info", "truncated"),
    ("descriptor", "truncated"),
    ("descriptor", "randomized"),
    ("descriptor", "unknown-role"),
    ("descriptor", "trailing-bytes"),
]


@operation("nan-service-id", Record(name=Text()), Record(service=Bytes(6)))
def service_id_operation(name):
    return {"service": service_id(name)}


@operation(
    "nan-service-descriptor-encode",
    descriptor_record(1),
    Record(attribute=Bytes()),
    refusals=[("response-filter", "empty"), ("response-filter", "bad-length")]
    + [(stage, "too-long") for stage in ("matching-filter", "response-filter", "service-info")],
)
def encode_operation(**fields):
    return {"attribute": encode_descriptor(**fields)}


@operation(
    "nan-service-descriptor-decode",
    Record(attribute=Bytes()),
    descriptor_record(0),
    refusals=[("descriptor", "not-descriptor"), ("descriptor", "bad-length"), *FIELD_REFUSALS],
)
def decode_operation(attribute):
    return decode_attribute(attribute)


@operation(
    "nan-frame-decode",
    Record(frame=Bytes()),
    Record(attributes=ListOf(Record(type=Integer(0, 255), content=Bytes()))),
    refusals=FRAME_REFUSALS,
)
def frame_decode_operation(frame):
    return {"attributes": [{"type": kind, "content": content} for kind, content in frame_attributes(frame)]}


@operation("nan-publish", Record(name=Bytes(16), requestor=Integer(0, 255)), Record(frame=Bytes(35)))
def publish_operation(name, requestor):
    return {"frame": publish(name, requestor)}


@operation("nan-subscribe", Record(), Record(frame=Bytes(18)))
def subscribe_operation():
    return {"frame": subscribe()}


@operation(
    "nan-name",
    Record(frame=Bytes()),
    Record(optional=("name",), name=Bytes(16)),
    refusals=FRAME_REFUSALS + FIELD_REFUSALS + [("name", reason) for reason in ("absent", "bad-length", "repeated")]
    + [("extension", "truncated"), ("extension", "bad-length")],
)
def name_operation(frame):
    name = name_of(frame)
    return {} if name is None else {"name": name}
