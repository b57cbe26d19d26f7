"""Specs/mdns.md: what a device reads of a packet."""

from collections import namedtuple

from ...tools.fields import U16, U32, Bytes, Flag, ListOf, Record, Text
from ...tools.operations import operation
from ...tools.refusal import Refusal
from .sending import AAAA, ADDRESS, ANY, IN, PTR, SERVICE_TYPE, SRV, TXT, VERSION_1, A

LONGEST_PACKET, MOST_RECORDS, MOST_KEPT, LONGEST_NAME, MOST_POINTERS = 9_000, 256, 32, 255, 32
SECTIONS = ("answer", "authority", "additional")
DIGITS = frozenset(b"0123456789abcdef")

# A name is known by its kind, and by its digits if it has some; all other names are None.
Name = namedtuple("Name", "kind digits")
Header = namedtuple("Header", "id response truncated authority")


def lower(label):
    return bytes(byte + 32 if ord("A") <= byte <= ord("Z") else byte for byte in label)


def meaning(labels):
    """The name that labels form."""
    places = {3: "service-type", 4: "instance", 2: "host"}
    kind = places.get(len(labels))
    if kind is None:
        return None
    fixed = labels if kind == "service-type" else labels[1:]
    wanted = SERVICE_TYPE[2:] if kind == "host" else SERVICE_TYPE
    if [lower(label) for label in fixed] != [text.encode("ascii") for text in wanted]:
        return None
    if kind == "service-type":
        return Name(kind, None)
    if len(labels[0]) != 32 or not DIGITS.issuperset(labels[0]):
        return None
    return Name(kind, bytes.fromhex(labels[0].decode("ascii")))


class Reader:
    def __init__(self, packet):
        self.packet = packet
        self.at = 0

    def take(self, count):
        if self.at + count > len(self.packet):
            raise Refusal("packet", "truncated")
        self.at += count
        return self.packet[self.at - count : self.at]

    def number(self, count):
        return int.from_bytes(self.take(count), "big")

    def name(self):
        """Reads a name, and stops behind it or behind its first pointer."""
        labels, size, limit, end, pointers = [], 1, self.at, None, 0
        while (first := self.number(1)) != 0:
            if first < 0x40:
                labels.append(self.take(first))
                size += 1 + first
                if size > LONGEST_NAME:
                    raise Refusal("name", "too-long")
            elif first >= 0xC0:
                offset = (first & 0x3F) << 8 | self.number(1)
                pointers += 1
                if offset >= limit or pointers > MOST_POINTERS:
                    raise Refusal("name", "bad-pointer")
                end = self.at if end is None else end
                self.at = limit = offset
            else:
                raise Refusal("name", "bad-label")
        if end is not None:
            self.at = end
        return meaning(labels)


def read(packet):
    """The header, the questions and the records that are kept."""
    if len(packet) > LONGEST_PACKET:
        raise Refusal("packet", "too-long")
    reader = Reader(packet)
    number, flags, *counts = [reader.number(2) for _ in range(6)]
    if flags & 0x7800:
        raise Refusal("packet", "bad-opcode")
    if flags & 0x000F:
        raise Refusal("packet", "bad-response-code")
    if sum(counts) > MOST_RECORDS:
        raise Refusal("packet", "too-many-records")
    questions, records = [], []

    def keep(into, what):
        if what is None:
            return
        if len(questions) + len(records) >= MOST_KEPT:
            raise Refusal("packet", "too-many-accepted")
        into.append(what)

    for _ in range(counts[0]):
        keep(questions, question(reader))
    for section, count in zip(SECTIONS, counts[1:]):
        for _ in range(count):
            keep(records, record(reader, section))
    header = Header(number, bool(flags & 0x8000), bool(flags & 0x0200), counts[2] > 0)
    return header, questions, records


def question(reader):
    name = reader.name()
    kind, class_ = reader.number(2), reader.number(2)
    if name is None or class_ & 0x7FFF not in (IN, ANY):
        return None
    found = {"about": name.kind, "type": kind, "unicast": bool(class_ & 0x8000)}
    return found if name.digits is None else {**found, "name": name.digits}


def record(reader, section):
    owner = reader.name()
    kind, class_, ttl, count = reader.number(2), reader.number(2), reader.number(4), reader.number(2)
    start = reader.at
    data = reader.take(count)
    if owner is None or class_ & 0x7FFF != IN:
        return None
    content = data_of(owner, kind, data, Reader(reader.packet), start)
    return content and {"section": section, "ttl": ttl, **content}


def data_of(owner, kind, data, reader, start):
    end = start + len(data)
    bad_length = Refusal("data", "bad-length")

    def target(at):
        reader.at = at
        name = reader.name()
        if reader.at != end:
            raise bad_length
        return name

    match owner.kind:
        case "service-type" if kind == PTR:
            name = target(start)
            return {"kind": "PTR", "name": name.digits} if name and name.kind == "instance" else None
        case "instance" if kind == SRV:
            if len(data) < 7:
                raise bad_length
            host = target(start + 6)
            found = {"kind": "SRV", "name": owner.digits, "port": int.from_bytes(data[4:6], "big")}
            return {**found, "host": host.digits} if host and host.kind == "host" else found
        case "instance" if kind == TXT:
            return {"kind": "TXT", "name": owner.digits, "version1": data == VERSION_1}
        case "host" if kind in (A, AAAA):
            if len(data) != (4 if kind == A else 16):
                raise bad_length
            return {"kind": "A" if kind == A else "AAAA", "host": owner.digits, "address": data}
    return None


REFUSALS = [
    *(
        ("packet", reason)
        for reason in ("too-long", "truncated", "bad-opcode", "bad-response-code", "too-many-records")
    ),
    *(("name", reason) for reason in ("bad-label", "bad-pointer", "too-long")),
    ("data", "bad-length"),
    ("packet", "too-many-accepted"),
]


@operation(
    "mdns-decode",
    Record(packet=Bytes()),
    Record(
        id=U16,
        response=Flag(),
        truncated=Flag(),
        authority=Flag(),
        questions=ListOf(
            Record(
                optional=("name",),
                about=Text(values=("service-type", "instance", "host")),
                name=Bytes(16),
                type=U16,
                unicast=Flag(),
            ),
            high=MOST_KEPT,
        ),
        records=ListOf(
            Record(
                optional=("name", "host", "port", "address", "version1"),
                section=Text(values=SECTIONS),
                kind=Text(values=("PTR", "SRV", "TXT", "A", "AAAA")),
                ttl=U32,
                name=Bytes(16),
                host=Bytes(16),
                port=U16,
                address=ADDRESS,
                version1=Flag(),
            ),
            high=MOST_KEPT,
        ),
    ),
    refusals=REFUSALS,
)
def mdns_decode_operation(packet):
    header, questions, records = read(packet)
    return {**header._asdict(), "questions": questions, "records": records}
