"""Parses as much of DNS messages (RFC 1035, RFC 6762) and pcap files as the checks of a node need. Standard library only."""

import struct
from collections import namedtuple

Question = namedtuple("Question", "name type cls")
Record = namedtuple("Record", "name type cls ttl data")
Message = namedtuple("Message", "flags questions answers")
Packet = namedtuple("Packet", "time source message payload")

A, PTR, TXT, AAAA, SRV = 1, 12, 16, 28, 33
FLUSH = 0x8000


def encode_name(name):
    labels = [part for part in name.rstrip(".").split(".") if part]
    return b"".join(bytes([len(part)]) + part.encode() for part in labels) + b"\0"


def record(name, kind, data, ttl=120, flush=False):
    cls = 1 | (FLUSH if flush else 0)
    return encode_name(name) + struct.pack("!HHIH", kind, cls, ttl, len(data)) + data


def response(*records):
    return struct.pack("!6H", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records)


def query(name, kind):
    return struct.pack("!6H", 0, 0, 1, 0, 0, 0) + encode_name(name) + struct.pack("!HH", kind, 1)


def srv(host, port, priority=0, weight=0):
    return struct.pack("!HHH", priority, weight, port) + encode_name(host)


def name_at(message, offset):
    labels, end, hops = [], None, 0
    while True:
        length = message[offset]
        if length & 0xC0 == 0xC0:
            end = offset + 2 if end is None else end
            offset = (length & 0x3F) << 8 | message[offset + 1]
            hops += 1
            if hops > 50:
                raise ValueError("a name that points in circles")
        elif length == 0:
            return ".".join(labels), offset + 1 if end is None else end
        else:
            labels.append(message[offset + 1 : offset + 1 + length].decode("latin-1"))
            offset += 1 + length


def parse(message):
    _, flags, questions, answers, authorities, additionals = struct.unpack("!6H", message[:12])
    offset, asked, told = 12, [], []
    for _ in range(questions):
        name, offset = name_at(message, offset)
        asked.append(Question(name, *struct.unpack("!HH", message[offset : offset + 4])))
        offset += 4
    for _ in range(answers + authorities + additionals):
        name, offset = name_at(message, offset)
        kind, cls, ttl, length = struct.unpack("!HHIH", message[offset : offset + 10])
        offset += 10
        raw = message[offset : offset + length]
        if kind == PTR:
            data = name_at(message, offset)[0]
        elif kind == SRV:
            data = (*struct.unpack("!HHH", raw[:6]), name_at(message, offset + 6)[0])
        else:
            data = raw
        told.append(Record(name, kind, cls, ttl, data))
        offset += length
    return Message(flags, asked, told)


def read_capture(path):
    """Yields the mDNS packets of a little-endian Ethernet pcap file."""
    content = open(path, "rb").read()
    packets, offset = [], 24
    while offset + 16 <= len(content):
        seconds, micros, kept, _ = struct.unpack("<IIII", content[offset : offset + 16])
        frame = content[offset + 16 : offset + 16 + kept]
        offset += 16 + kept
        ethertype = struct.unpack("!H", frame[12:14])[0]
        if ethertype == 0x0800 and frame[23] == 17:
            start, source = 14 + (frame[14] & 15) * 4, ".".join(map(str, frame[26:30]))
        elif ethertype == 0x86DD and frame[20] == 17:
            start, source = 54, frame[22:38].hex()
        else:
            continue
        payload = frame[start + 8 :]
        packets.append(Packet(seconds + micros / 1e6, source, parse(payload), payload))
    return packets
