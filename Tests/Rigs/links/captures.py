"""The judge of captures of all rigs of links: what a stranger on the same network learns from what nodes send, and what of it must
not be there.

Whose packet it is, its hardware address decides, because an attacker forges other addresses. Uses only public facts: the constants
of the specification, and when the epochs begin. Standard library only.
"""

import math
import os
import socket
import struct
import sys
from collections import defaultdict, namedtuple

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "network"))
import dns  # noqa: E402

TYPE = "_inkling._tcp.local"
CONSTANT_LABELS = {"_inkling", "_tcp", "local"}
CONSTANT_TEXT = b"\x03v=1"
TIMES_TO_LIVE = {120, 0}
FIRST_TYPES, ANSWER, RECORD = {1, 3, 6}, 2, 9
KINDS = {1: "confirm 1", 2: "confirm 2", 3: "first contact 1", 4: "first contact 2", 5: "first contact 3", 9: "record"}
RUN = 8  # bytes: shorter runs of random bytes recur by chance
# The ports that a kernel gives to a listener, about, and how often chance may be taken for a fault.
PORTS, CHANCE = 14_000, 0.002
# Seconds: an event is written a little after it happens, and connections take a moment to end.
BEFORE_VISIBLE, AFTER_SILENT = 0.25, 0.4
OPEN, RESET, TAKEN = 2, 4, 16

Frame = namedtuple("Frame", "time source target protocol source_port target_port payload sequence flags mac target_mac")
# A host whose node is judged: its hardware address, and all IP addresses that it had.
Host = namedtuple("Host", "mac addresses")


def hosts_of(stage, names):
    """Returns hosts of a stage of the demo."""
    return {name: Host(stage.hardware(name), set(stage.addresses(name))) for name in names}


def silences(facts, started, ended, until):
    """Returns when a node must send nothing: from its start, and from each `silent`, until it is visible; and after its end."""
    spans, begun = [], started
    for fact in facts:
        if fact.get("event") == "visible" and begun:
            spans.append((begun, fact["unixMilliseconds"] / 1000 - BEFORE_VISIBLE))
            begun = None
        elif fact.get("event") == "silent" and begun is None:
            begun = fact["unixMilliseconds"] / 1000 + AFTER_SILENT
    spans.append((begun or ended + AFTER_SILENT, until))
    return [(start, end) for start, end in spans if end > start]


def frames(path):
    """Yields the IP packets of a little-endian Ethernet capture."""
    with open(path, "rb") as file:
        content = file.read()
    if content[:4] != b"\xd4\xc3\xb2\xa1":
        raise ValueError(f"{path} is not a capture in the expected format")
    offset = 24
    while offset + 16 <= len(content):
        seconds, micros, kept, _ = struct.unpack_from("<IIII", content, offset)
        raw = content[offset + 16 : offset + 16 + kept]
        if len(raw) < kept:
            return  # The file is still being written.
        offset += 16 + kept
        frame = parse(seconds + micros / 1e6, raw)
        if frame:
            yield frame


def parse(moment, raw):
    if len(raw) < 34:
        return None
    kind, target_mac, mac = struct.unpack_from("!H", raw, 12)[0], raw[:6], raw[6:12]
    if kind == 0x0800:
        length = (raw[14] & 15) * 4
        total = struct.unpack_from("!H", raw, 16)[0]
        protocol, start, end = raw[23], 14 + length, 14 + total
        source, target = socket.inet_ntop(socket.AF_INET, raw[26:30]), socket.inet_ntop(socket.AF_INET, raw[30:34])
    elif kind == 0x86DD and len(raw) >= 54:
        protocol, start, end = raw[20], 54, 54 + struct.unpack_from("!H", raw, 18)[0]
        source, target = socket.inet_ntop(socket.AF_INET6, raw[22:38]), socket.inet_ntop(socket.AF_INET6, raw[38:54])
    else:
        return Frame(moment, mac.hex(":"), "", "other", 0, 0, b"", 0, 0, mac, target_mac)
    if protocol == 17 and len(raw) >= start + 8:
        ports = struct.unpack_from("!HH", raw, start)
        return Frame(moment, source, target, "udp", *ports, raw[start + 8 : end], 0, 0, mac, target_mac)
    if protocol == 6 and len(raw) >= start + 20:
        ports = struct.unpack_from("!HH", raw, start)
        data = start + (raw[start + 12] >> 4) * 4
        sequence = struct.unpack_from("!I", raw, start + 4)[0]
        return Frame(moment, source, target, "tcp", *ports, raw[data:end], sequence, raw[start + 13], mac, target_mac)
    return Frame(moment, source, target, "report" if is_report(protocol, raw[start:end]) else "other", 0, 0, b"", 0, 0, mac, target_mac)


def is_report(protocol, body):
    """Whether the kernel reports the groups of its host: IGMP, or MLD behind a hop-by-hop header, but no question."""
    if protocol == 2:
        return body[:1] not in (b"", b"\x11")
    return protocol == 0 and len(body) > 8 and body[0] == 58 and body[8] in (131, 132, 143)


class Life:
    """The times and the epochs in which a value was seen."""

    def __init__(self):
        self.first, self.last, self.epochs, self.sources = None, None, set(), set()

    def see(self, moment, epoch, source):
        self.first = moment if self.first is None else self.first
        self.last = moment
        self.epochs.add(epoch)
        self.sources.add(source)

    @property
    def seconds(self):
        return self.last - self.first


class Account:
    """The counts, and what violates the promises.

    Parameters of `read`:
      hosts: a `Host` for each name; what others send is not judged.
      epoch: converts a Unix time to the epoch, as a float.
      machine, people: the names of the machine and the people, which must not appear.
      silences: for each host, the intervals in which it must send nothing.
    """

    def __init__(self):
        self.packets, self.mdns, self.unreadable, self.other, self.of_others = 0, 0, 0, 0, 0
        self.names, self.values, self.ports = defaultdict(Life), defaultdict(Life), defaultdict(Life)
        self.counts = dict.fromkeys(
            ("host names of the machine", "names of people", "reverse PTRs", "meta records", "_device-info records",
             "HINFO and other record types", "TXT other than v=1", "unexpected times to live",
             "hardware addresses in records", "names that are not 32 hex digits"), 0)
        self.lengths, self.odd_lengths = defaultdict(lambda: defaultdict(int)), []
        self.connections, self.asked, self.emitted, self.silent_seconds = [], defaultdict(set), [], 0.0
        # What the kernel sends in the silence: reports of group memberships, when a program joins or leaves a group, and refusals
        # of what others send to a port that is closed.
        self.reports, self.refusals = [], []
        self.announced = defaultdict(dict)
        self.recurring = 0

    @classmethod
    def read(cls, path, hosts, epoch, machine=(), people=(), silences=None):
        account = cls()
        account.hosts, account.of, account.epoch = hosts, {host.mac: name for name, host in hosts.items()}, epoch
        account.machine, account.people = ({word.lower() for word in words} for words in (machine, people))
        streams, silences = {}, silences or {}
        account.silent_seconds = sum(end - start for spans in silences.values() for start, end in spans)
        for frame in frames(path):
            host = account.of.get(frame.mac)
            if host is None:
                account.of_others += 1
                continue
            account.packets += 1
            is_silent = any(start < frame.time < end for start, end in silences.get(host, []))
            is_mdns = frame.protocol == "udp" and 5353 in (frame.source_port, frame.target_port)
            if not is_mdns and frame.protocol != "tcp":
                account.other += 1
                if frame.protocol == "report" and is_silent:
                    account.reports.append((host, frame.time))
                continue
            if is_silent:
                if frame.protocol == "tcp" and is_refusal(frame):
                    account.refusals.append((host, frame.time))
                else:
                    since = max(start for start, end in silences[host] if start < frame.time)
                    account.emitted.append((host, frame.time, f"{described(frame)} {frame.time - since:.2f} s later than it may"))
            if is_mdns:
                account.take_mdns(frame, host)
            else:
                take_segment(streams, frame)
        account.take_streams(streams)
        return account

    # mDNS

    def take_mdns(self, frame, host):
        self.mdns += 1
        lowered = frame.payload.lower()
        for what, words in (("host names of the machine", self.machine), ("names of people", self.people)):
            # A short word can occur in binary fields by chance; labels are searched for it below.
            self.counts[what] += sum(len(word) > 4 and word.encode() in lowered for word in words)
        self.counts["hardware addresses in records"] += sum(mac in frame.payload for mac in self.of)
        try:
            message = dns.parse(frame.payload)
        except (ValueError, IndexError, struct.error):
            self.unreadable += 1
            return
        is_answer = bool(message.flags & 0x8000)
        for question in message.questions:
            self.take_name(question.name, frame, host)
            if question.type != dns.PTR:
                self.asked[question.name].add(host)
        for record in message.answers:
            self.take_name(record.name, frame, host)
            self.take_record(record, frame, host, is_answer)

    def take_name(self, name, frame, host):
        lowered = name.lower()
        self.counts["reverse PTRs"] += lowered.endswith(".arpa")
        self.counts["meta records"] += lowered.startswith("_services._dns-sd")
        self.counts["_device-info records"] += "_device-info" in lowered
        labels = [label for label in name.split(".") if label not in CONSTANT_LABELS]
        for label in labels:
            self.see(("label", label), frame, host)
            self.counts["host names of the machine"] += label.lower() in self.machine
            self.counts["names of people"] += label.lower() in self.people
            self.counts["names that are not 32 hex digits"] += not is_opaque(label)

    def take_record(self, record, frame, host, is_answer):
        if is_answer and record.ttl not in TIMES_TO_LIVE:
            self.counts["unexpected times to live"] += 1
        if record.type == dns.PTR:
            self.take_name(record.data, frame, host)
            if is_answer and record.name == TYPE and record.ttl:
                label = record.data.split(".")[0]
                self.names[label].see(frame.time, int(self.epoch(frame.time)), host)
                self.announced[host].setdefault(int(self.epoch(frame.time)), set()).add(label)
        elif record.type == dns.SRV:
            priority, weight, port, target = record.data
            self.take_name(target, frame, host)
            self.see(("priority and weight", (priority, weight)), frame, host, is_constant=(priority, weight) == (0, 0))
            self.ports[host, port].see(frame.time, int(self.epoch(frame.time)), host)
        elif record.type == dns.TXT:
            self.counts["TXT other than v=1"] += record.data != CONSTANT_TEXT
            self.see(("text", record.data), frame, host, is_constant=record.data == CONSTANT_TEXT)
        elif record.type in (dns.A, dns.AAAA):
            self.counts["hardware addresses in records"] += record.type == dns.AAAA and record.data[11:13] == b"\xff\xfe"
            family = socket.AF_INET if record.type == dns.A else socket.AF_INET6
            address = socket.inet_ntop(family, record.data)
            self.see(("address", address), frame, host, is_constant=address in self.hosts[host].addresses)
        else:
            self.counts["HINFO and other record types"] += 1

    def see(self, value, frame, host, is_constant=False):
        if not is_constant:
            self.values[value].see(frame.time, int(self.epoch(frame.time)), host)

    # TCP

    def take_streams(self, streams):
        runs = {}
        for key, stream in sorted(streams.items(), key=lambda entry: entry[1].first):
            epoch = int(self.epoch(stream.first))
            mac, _, target, _, target_mac = key[:5]
            if stream.opens:
                self.connections.append((self.of[mac], self.of.get(target_mac, target), stream.first))
            for kind, body, length in packets_of(stream.bytes()):
                self.lengths[kind][length] += 1
                if not is_uniform(kind, length - 1):
                    self.odd_lengths.append((kind, length))
                for index in range(len(body) - RUN + 1):
                    run = body[index : index + RUN]
                    if runs.setdefault(run, epoch) != epoch:
                        self.recurring += 1

    # Results

    def outliving(self):
        """Returns the values that were seen in two epochs, except the documented constants."""
        return [(value, life) for value, life in self.values.items() if len(life.epochs) > 1]

    def kept_ports(self):
        """Returns the ports that a host kept across a boundary. Ports recur by chance, but hardly ever at the next boundary; over very
        many boundaries, as many are left out as chance explains.
        """
        kept = [key for key, life in self.ports.items() if any(epoch + 1 in life.epochs for epoch in life.epochs)]
        return kept[by_chance(sum(len(life.epochs) for life in self.ports.values()) / PORTS):]

    def violations(self):
        found = [f"{count} × {what}" for what, count in self.counts.items() if count]
        found += [f"{value[0]} {value[1]} outlived an epoch: {sorted(life.epochs)}" for value, life in self.outliving()]
        found += [f"{host} kept port {port} across a boundary" for host, port in self.kept_ports()]
        found += [f"a {KINDS.get(kind, kind)} packet of {length} bytes" for kind, length in self.odd_lengths]
        found += [f"{host} sent {what}, at {moment:.3f}, in its silence" for host, moment, what in self.emitted]
        if self.recurring:
            found.append(f"{self.recurring} runs of {RUN} bytes recur in TCP streams of different epochs")
        if self.unreadable:
            found.append(f"{self.unreadable} mDNS packets that cannot be read")
        return found

    def facts(self):
        lives = [self.values["label", label].seconds for label in self.names]
        return {
            "packets": self.packets, "mdnsPackets": self.mdns, "otherPackets": self.other,
            "namesAnnounced": len(self.names), "longestNameLifeSeconds": round(max(lives, default=0), 1),
            "valuesOutlivingAnEpoch": len(self.outliving()), "portsKept": len(self.kept_ports()), **self.counts,
            "tcpConnections": len(self.connections),
            "tcpPacketLengths": {KINDS.get(kind, str(kind)): dict(sorted(lengths.items()))
                                 for kind, lengths in sorted(self.lengths.items())},
            "unevenTcpLengths": len(self.odd_lengths), "recurringTcpRuns": self.recurring,
            "silentSeconds": round(self.silent_seconds, 1), "packetsInSilence": len(self.emitted),
            "membershipReportsInSilence": len(self.reports), "refusalsInSilence": len(self.refusals), "packetsOfOthers": self.of_others,
        }


def by_chance(expected):
    """How many events chance explains, of which so many are expected (Poisson)."""
    count, term = 0, math.exp(-expected)
    more = 1 - term
    while more > CHANCE:
        count += 1
        term *= expected / count
        more -= term
    return count


def is_refusal(frame):
    """Whether the kernel sends this reset because nothing is at the port: without the flag of an acknowledgement, or without a sequence
    number. A program that resets a link sends both.
    """
    return frame.flags & RESET and not frame.payload and not (frame.flags & TAKEN and frame.sequence)


def described(frame):
    """The protocol of a packet; of TCP, the ports, the flags, the sequence number and the length too."""
    if frame.protocol != "tcp":
        return frame.protocol
    names = ("FIN", "SYN", "RST", "PSH", "ACK")
    flags = "+".join(name for bit, name in enumerate(names) if frame.flags & 1 << bit)
    return f"tcp {frame.source_port}→{frame.target_port} {flags} {frame.sequence} {len(frame.payload)} bytes"


def is_opaque(label):
    return len(label) == 32 and all(digit in "0123456789abcdef" for digit in label)


def is_uniform(kind, body):
    """Whether a body has the one length of its type, or one of the padded lengths."""
    if kind in FIRST_TYPES:
        return body == 128
    if kind == ANSWER:
        return body == 112
    if kind == RECORD:
        return body == 16 + 96 or (body - 16) % 256 == 0
    # The second and third message of a first contact contain a card, padded to a multiple of 256 bytes.
    return kind in (4, 5) and (body - (96 if kind == 4 else 64)) % 256 == 0


class Stream:
    """One direction of a connection."""

    def __init__(self, frame):
        self.first, self.start, self.parts, self.opens = frame.time, None, {}, False

    def bytes(self):
        data = bytearray()
        for offset, payload in sorted(self.parts.items()):
            if offset > len(data):
                break  # a hole in the capture
            data[offset : offset + len(payload)] = payload
        return bytes(data)


def take_segment(streams, frame):
    key = (frame.mac, frame.source_port, frame.target, frame.target_port, frame.target_mac)
    is_opening, is_answer = bool(frame.flags & OPEN), bool(frame.flags & TAKEN)
    # A port can be used again: a new SYN is a new connection.
    if is_opening and key in streams and streams[key].start not in (None, frame.sequence + 1):
        streams[key + (streams[key].first,)] = streams.pop(key)
    stream = streams.setdefault(key, Stream(frame))
    if is_opening:
        stream.start, stream.opens = (frame.sequence + 1) & 0xFFFFFFFF, not is_answer
    if frame.payload:
        if stream.start is None:
            stream.start = frame.sequence
        stream.parts[(frame.sequence - stream.start) & 0xFFFFFFFF] = frame.payload


def packets_of(data):
    """Yields the packets of a stream: type, body, and length with the header."""
    offset = 0
    while offset + 3 <= len(data):
        length = struct.unpack_from("!H", data, offset)[0]
        packet = data[offset + 2 : offset + 2 + length]
        if length == 0 or len(packet) < length:
            return
        yield packet[0] >> 4, packet[1:], length
        offset += 2 + length
