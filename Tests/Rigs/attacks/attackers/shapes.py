"""Sends the packets that ended nodes before, and random ones with the structure of multicast DNS.

    shapes.py --random N --rate N

First all fixed shapes; then random packets, half of which are made from packets that the nodes themselves have sent; in
between the fixed shapes again, every 5,000 packets. Prints a line after the first fifth, when what is allocated once has
been allocated.
"""

import argparse
import random
import struct

import wire
from wire import CNAME, DNAME, TYPE, dns

chance = random.Random(64)
KINDS = (1, 2, 5, 6, 10, 12, 13, 15, 16, 28, 29, 33, 35, 39, 41, 43, 46, 47, 48, 50, 52, 64, 65, 99, 249, 250, 251, 252, 255, 256, 257, 32769, 65535)
META = "_services._dns-sd._udp.local"


def header(questions=0, answers=0, authorities=0, additionals=0, flags=0x8400, number=0):
    return struct.pack("!6H", number, flags, questions, answers, authorities, additionals)


def alias(owner, target, kind=CNAME, ttl=120, flush=False):
    return dns.record(owner, kind, dns.encode_name(target), ttl, flush)


def fixed():
    """The shapes with their names. The first eight are those that ended nodes with an alias."""
    name, host = wire.opaque(), wire.opaque()
    full = f"{name}.{TYPE}"
    alone = lambda *records: [dns.response(*records)]  # noqa: E731
    yield "alias of the type to itself", alone(alias(TYPE, TYPE))
    yield "alias with cache flush", alone(alias(TYPE, TYPE, flush=True))
    yield "two aliases in a loop", alone(alias(TYPE, f"x.{TYPE}"), alias(f"x.{TYPE}", TYPE))
    yield "alias to x, then to y", [dns.response(alias(TYPE, f"x.{TYPE}")), dns.response(alias(TYPE, f"y.{TYPE}"))]
    yield "alias with TTL 1", alone(alias(TYPE, TYPE, ttl=1))
    yield "alias with TTL 0", alone(alias(TYPE, TYPE, ttl=0))
    yield "alias of an instance", alone(alias(full, TYPE), alias(TYPE, full))
    yield "DNAME of the domain", alone(alias("local", "local", DNAME), alias(TYPE, "local", DNAME))
    yield "every record type", [dns.response(dns.record(owner, kind, chance.randbytes(size), 120))
                                for kind in KINDS for owner in (TYPE, full) for size in (0, 1, 6, 40)]
    yield "every type in a question", [dns.query(owner, kind) for kind in KINDS for owner in (TYPE, full, META, "local", "")]
    yield "a pointer to itself", [header(answers=1) + b"\xc0\x0c" + struct.pack("!HHIH", 12, 1, 120, 2) + b"\xc0\x0c"]
    yield "two pointers in a loop", [header(answers=1) + b"\x01a\xc0\x10\x01b\xc0\x0c" + struct.pack("!HHIH", 12, 1, 120, 0)]
    yield "pointers forward", [header(answers=1) + b"\xc0\x20" + bytes(20) + b"\x01a\x00"]
    yield "a chain of pointers", [header(questions=1) + b"".join(struct.pack("!H", 0xC000 | 12 + 2 * (index + 1)) for index in range(200)) + b"\0\0\x0c\0\x01"]
    yield "backward chains", [header(answers=60) + b"\x01a\0" + struct.pack("!HHIH", 1, 1, 120, 4) + b"\x0a\x4d\0\1"
                              + b"".join(struct.pack("!HHHIH", 0xC000 | 12, 12, 1, 120, 2) + struct.pack("!H", 0xC000 | 12) for _ in range(59))]
    yield "labels of type 01 and 10", [header(questions=1) + bytes([kind]) + b"a\0\0\x0c\0\x01" for kind in (0x41, 0x81, 0x7F, 0xBF)]
    yield "a name of 300 bytes", [header(questions=1) + (b"\x3f" + b"a" * 63) * 5 + b"\0\0\x0c\0\x01"]
    yield "counts of 65,535", [header(*[65_535] * 4, flags=flags) + rest for flags in (0, 0x8400)
                               for rest in (b"", b"\0" * 200, b"\xc0\x0c" * 100)]
    yield "packets of 9,000 bytes and more", [
        dns.response(*[dns.record(full, dns.TXT, b"\xff" + b"a" * 255, 120)] * count) for count in (27, 29, 34, 100)]
    yield "9,000 bytes of one record", [dns.response(dns.record(TYPE, kind, bytes(8_900))) for kind in (12, 16, 33, 1)]
    yield "256 records and one more", [dns.response(*[dns.record(f"{index}.local", 1, b"\x0a\x4d\0\1") for index in range(count)])
                                       for count in (255, 256, 257, 300)]
    yield "33 records that are kept", [b"".join((header(answers=count), *[
        dns.record(TYPE, dns.PTR, dns.encode_name(f"{wire.opaque()}.{TYPE}")) for _ in range(count)])) for count in (32, 33)]
    yield "lengths that lie", [dns.response(dns.record(full, kind, b"")[:-2] + struct.pack("!H", length) + b"\0" * 8)
                               for kind in (1, 12, 16, 28, 33) for length in (0, 1, 3, 7, 8, 9, 1000, 65_535)]
    yield "opcodes and response codes", [header(answers=1, flags=flags) + alias(TYPE, TYPE)
                                         for flags in range(0x8000, 0x10000, 0x0805)]
    yield "nothing", [b"", b"\0", b"\0" * 11, b"\0" * 12, b"\xff" * 12, b"\xff" * 1400]
    yield "names that are no digits", [dns.response(dns.record(TYPE, dns.PTR, label + dns.encode_name(TYPE))) for label in (
        b"\x20" + b"A" * 32, b"\x20" + b"\0" * 32, b"\x20" + b"\xff" * 32, b"\x1f" + b"0" * 31, b"\x3f" + b"0" * 63, b"")]


class Shapes:
    def __init__(self):
        self.v4, self.v6 = wire.group_socket(), wire.group_socket6()
        self.seen, self.known, self.sent, self.turn = [], [], 0, 0
        self.shapes = 0

    def send(self, packet):
        self.turn ^= 1
        try:
            if self.turn:
                self.v4.sendto(packet, (wire.GROUP, wire.PORT))
            else:
                self.v6.sendto(packet, (wire.GROUP6, wire.PORT))
            self.sent += 1
        except OSError:
            pass  # longer than a datagram may be, or no room for now

    def send_fixed(self):
        shapes = list(fixed())
        self.shapes = len(shapes)
        for _, packets in shapes:
            for packet in packets:
                self.send(packet)

    def listen(self):
        """Keeps packets of the nodes, so that random ones contain names that the nodes know."""
        try:
            while True:
                payload = self.v4.recv(9000, wire.socket.MSG_DONTWAIT)
                self.seen = [*self.seen[-63:], payload]
                if heard := wire.announcement_in(payload):
                    self.known = [*self.known[-15:], heard.name]
        except BlockingIOError:
            pass

    def random(self):
        """A packet with the structure of multicast DNS, and mistakes in it."""
        if self.seen and chance.random() < 0.5:
            packet = bytearray(chance.choice(self.seen))
        else:
            packet = bytearray(self.composed())
        for _ in range(chance.choice((0, 1, 1, 2, 3, 8))):
            self.mutate(packet)
        return bytes(packet)

    def name(self):
        label = chance.choice(self.known) if self.known and chance.random() < 0.6 else wire.opaque()
        return chance.choice((TYPE, f"{label}.{TYPE}", f"{label}.{TYPE}", f"{label}.local", META, "local", ""))

    def record(self):
        kind = chance.choice(KINDS) if chance.random() < 0.5 else chance.choice((1, 12, 16, 28, 33))
        data = {
            1: lambda: chance.choice((b"\x0a\x4d\0", b"\x0a\x4d\0\x07", chance.randbytes(4))),
            12: lambda: chance.choice((b"\xc0\x0c", dns.encode_name(self.name()))),
            5: lambda: dns.encode_name(self.name()), 39: lambda: dns.encode_name(self.name()),
            16: lambda: chance.choice((b"\x03v=1", b"\xffv=1", b"", b"\0")),
            28: lambda: chance.randbytes(chance.choice((15, 16, 16))),
            33: lambda: dns.srv(self.name(), chance.randrange(65_536)),
        }.get(kind, lambda: chance.randbytes(chance.randrange(60)))()
        ttl = chance.choice((0, 1, 10, 120, 4500, 0x7FFFFFFF, 0xFFFFFFFF))
        return dns.record(self.name(), kind, data, ttl, flush=chance.random() < 0.5)

    def composed(self):
        if chance.random() < 0.3:
            questions = [self.name() for _ in range(chance.randrange(6))]
            body = b"".join(dns.encode_name(name) + struct.pack("!HH", chance.choice(KINDS), chance.choice((1, 255, 0x8001)))
                            for name in questions)
            records = [self.record() for _ in range(chance.randrange(3))]
            return header(len(questions), len(records), flags=chance.choice((0, 0x0200, 0x0100))) + body + b"".join(records)
        records = [self.record() for _ in range(chance.choice((1, 2, 4, 8, 31, 33)))]
        split = chance.randrange(len(records) + 1)
        return header(0, split, 0, len(records) - split) + b"".join(records)

    @staticmethod
    def mutate(packet):
        if not packet:
            return
        where = chance.randrange(len(packet))
        match chance.randrange(7):
            case 0: packet[where] = chance.randrange(256)
            case 1: packet[where] ^= 1 << chance.randrange(8)
            case 2: del packet[where:]
            case 3: del packet[where:where + chance.randrange(1, 20)]
            case 4: packet[where:where] = chance.randbytes(chance.choice((1, 2, 40, 1400)))
            case 5: packet[where:where + 2] = struct.pack("!H", 0xC000 | chance.randrange(len(packet) + 2))
            case 6 if len(packet) >= 12: packet[chance.randrange(4, 12)] = chance.choice((0, 1, 2, 255))


def attack(arguments):
    def perform(figures):
        shapes = Shapes()
        try:
            shapes.send_fixed()
            wire.ready()
            pace = wire.Pace(arguments.rate)
            for index in range(arguments.random):
                shapes.listen()
                shapes.send(shapes.random())
                pace.wait()
                if index == arguments.random // 5:
                    wire.say({"warm": True})
                if index % 5_000 == 2_500:
                    shapes.send_fixed()
            wire.say({"done": True})
            while True:
                wire.time.sleep(1)
        finally:
            figures.update(packets=shapes.sent, shapes=shapes.shapes)
    return perform


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--random", type=int, default=100_000)
    parser.add_argument("--rate", type=int, default=3_000)
    wire.perform(attack(parser.parse_args()))
