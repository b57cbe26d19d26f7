"""Specs/mdns.md: the packets that a device sends."""

from ...tools.fields import U16, Bytes, BytesOf, Flag, ListOf, Record, Text
from ...tools.operations import operation
from ..notation import u8, u16, u32

SERVICE_TYPE = ("_inkling", "_tcp", "local")
IN, FLUSH = 1, 0x8000
A, PTR, TXT, AAAA, SRV, ANY = 1, 12, 16, 28, 33, 255
TTL, LEGACY_TTL = 120, 10
VERSION_1 = b"\x03v=1"

ADDRESS = BytesOf(4, 16)
INSTANCE = {"name": Bytes(16), "host": Bytes(16), "port": U16}
SHOWN = {"announced": Flag(), **INSTANCE, "addresses": ListOf(ADDRESS, high=8)}


def instance_labels(name):
    return (name.hex(), *SERVICE_TYPE)


def host_labels(host):
    return (host.hex(), "local")


class Packet:
    """A packet under construction, with the offsets of the names in it."""

    def __init__(self, number, flags, questions, answers):
        self.bytes = u16(number) + u16(flags) + u16(questions) + u16(answers) + u16(0) + u16(0)
        self.offsets = {}

    def label(self, text):
        self.bytes += u8(len(text)) + text.encode("ascii")

    def name(self, labels):
        """A name at its first occurrence, else a pointer. Of an instance, the service type is a name of its own."""
        if labels in self.offsets:
            self.bytes += u16(0xC000 | self.offsets[labels])
            return
        self.offsets[labels] = len(self.bytes)
        if labels[1:] == SERVICE_TYPE:
            self.label(labels[0])
            self.name(SERVICE_TYPE)
        else:
            self.whole(labels)

    def whole(self, labels):
        for text in labels:
            self.label(text)
        self.bytes += u8(0)

    def question(self, labels, kind):
        self.name(labels)
        self.bytes += u16(kind) + u16(IN)

    def record(self, owner, kind, class_, ttl, write_data):
        self.name(owner)
        self.bytes += u16(kind) + u16(class_) + u32(ttl)
        start = len(self.bytes)
        self.bytes += u16(0)
        write_data()
        data = self.bytes[start + 2 :]
        self.bytes = self.bytes[:start] + u16(len(data)) + data

    def service(self, port, host):
        self.bytes += u16(0) + u16(0) + u16(port)
        self.offsets[host_labels(host)] = len(self.bytes)
        self.whole(host_labels(host))

    def raw(self, data):
        self.bytes += data


def response(announced, name, host, port, addresses, ttl=TTL, legacy=None):
    """`legacy` is the number of the query, the name that is asked for, and the type."""
    answers = announced + 2 + len(addresses)
    number = 0 if legacy is None else legacy[0]
    packet = Packet(number, 0x8400, 0 if legacy is None else 1, answers)
    unique = IN if legacy else IN | FLUSH
    if legacy:
        packet.question(*legacy[1:])
    instance = instance_labels(name)
    if announced:
        packet.record(SERVICE_TYPE, PTR, IN, ttl, lambda: packet.name(instance))
    packet.record(instance, SRV, unique, ttl, lambda: packet.service(port, host))
    packet.record(instance, TXT, unique, ttl, lambda: packet.raw(VERSION_1))
    for address in addresses:
        packet.record(host_labels(host), A if len(address) == 4 else AAAA, unique, ttl, lambda: packet.raw(address))
    return packet.bytes


def legacy_reply(id, labels, type, **shown):
    return response(**shown, ttl=LEGACY_TTL, legacy=(id, labels, type))


def query(name=None):
    packet = Packet(0, 0, 1, 0)
    if name is None:
        packet.question(SERVICE_TYPE, PTR)
    else:
        packet.question(instance_labels(name), SRV)
    return packet.bytes


@operation("mdns-response", Record(goodbye=Flag(), **SHOWN), Record(packet=Bytes()))
def mdns_response_operation(goodbye, **shown):
    return {"packet": response(**shown, ttl=0 if goodbye else TTL)}


@operation(
    "mdns-legacy-reply",
    Record(id=U16, question=Text(values=("service-type", "instance", "host")), type=U16, **SHOWN),
    Record(packet=Bytes()),
)
def mdns_legacy_reply_operation(id, question, type, **shown):
    labels = {
        "service-type": SERVICE_TYPE,
        "instance": instance_labels(shown["name"]),
        "host": host_labels(shown["host"]),
    }
    return {"packet": legacy_reply(id, labels[question], type, **shown)}


@operation("mdns-query", Record(optional=("name",), name=Bytes(16)), Record(packet=Bytes()))
def mdns_query_operation(name=None):
    return {"packet": query(name)}
