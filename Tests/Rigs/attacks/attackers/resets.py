"""Resets the first link of each caller to each host in every epoch. Runs where the bridge is, and sees all packets.

    resets.py --clock RATE@ANCHOR

The moments, in turn: when the connection is open, when message 1 has been sent, and when message 2 has been sent. A reset
goes to both ends, as if from the other.
"""

import argparse
import socket
import struct
import time

import wire

MOMENTS = ("connected", "message 1", "message 2")


class Link:
    """A TCP connection; `first` is the end that opened it, and `caller` the hardware address of its host."""

    def __init__(self, first, caller):
        self.first, self.caller, self.data = first, caller, {True: 0, False: 0}
        self.answered = False

    def moment(self):
        """The index of the latest moment that has been reached, or None."""
        if self.data[False]:
            return 2
        if self.data[True]:
            return 1
        return 0 if self.answered else None


class Resets:
    def __init__(self, rate, anchor):
        self.rate, self.anchor = rate, anchor
        self.raw = wire.frame_socket("br0", 3)
        index = socket.if_nametoindex("br0")
        self.raw.setsockopt(263, 1, struct.pack("iHH8s", index, 1, 0, b""))  # SOL_PACKET, PACKET_ADD_MEMBERSHIP
        self.links, self.done, self.counts = {}, {}, dict.fromkeys(MOMENTS, 0)

    def epoch(self):
        return int((self.anchor + self.rate * (time.time() - self.anchor)) // 900)

    def take(self, frame):
        if len(frame) < 54 or frame[12:14] not in (b"\x08\x00", b"\x86\xdd"):
            return
        six = frame[12:14] == b"\x86\xdd"
        if frame[20 if six else 23] != 6:
            return
        start = 54 if six else 14 + (frame[14] & 15) * 4
        length = struct.unpack("!H", frame[18:20])[0] + 54 if six else struct.unpack("!H", frame[16:18])[0] + 14
        source, target = (frame[22:38], frame[38:54]) if six else (frame[26:30], frame[30:34])
        ports = struct.unpack("!HH", frame[start:start + 4])
        sequence, acknowledged = struct.unpack("!II", frame[start + 4:start + 12])
        flags, size = frame[start + 13], length - start - (frame[start + 12] >> 4) * 4
        ends = (source, ports[0]), (target, ports[1])
        key = frozenset(ends)
        if flags & 0x04:
            self.links.pop(key, None)
            return
        if flags & 0x02 and not flags & 0x10:
            self.links[key] = Link(ends[0], frame[6:12])
            return
        link = self.links.get(key)
        if link is None:
            return
        link.answered = link.answered or bool(flags & 0x02)
        if size > 0:
            link.data[ends[0] == link.first] += 1
        self.judge(frame, six, link, key, source, target, ports, sequence + size + (1 if flags & 0x02 else 0), acknowledged)

    def judge(self, frame, six, link, key, source, target, ports, following, acknowledged):
        called = frame[:6] if (source, ports[0]) == link.first else frame[6:12]
        pair, epoch = (link.caller, called), self.epoch()
        if self.done.get(pair, (None, 0))[0] == epoch:
            return
        wanted = self.done.get(pair, (None, len(self.done)))[1] % len(MOMENTS)
        reached = link.moment()
        if reached is None or reached < wanted:
            return
        self.done[pair] = epoch, wanted + 1
        self.counts[MOMENTS[reached]] += 1
        self.links.pop(key)
        # To the receiver as if from the sender of this packet, and to the sender as if from its receiver.
        for destination, origin, sender, receiver, numbers, number in (
                (frame[:6], frame[6:12], source, target, ports, following),
                (frame[6:12], frame[:6], target, source, ports[::-1], acknowledged)):
            self.raw.send(reset(six, destination, origin, sender, receiver, numbers, number & 0xFFFFFFFF))

    def perform(self, figures):
        wire.ready()
        try:
            while True:
                self.take(self.raw.recv(65_535))
        finally:
            figures.update(resets=self.counts)


def reset(six, destination, origin, sender, receiver, ports, number):
    tcp = struct.pack("!HHIIBBHHH", *ports, number, 0, 0x50, 0x04, 0, 0, 0)
    if six:
        pseudo = sender + receiver + struct.pack("!IHBB", len(tcp), 0, 0, 6)
    else:
        pseudo = sender + receiver + struct.pack("!BBH", 0, 6, len(tcp))
    tcp = tcp[:16] + struct.pack("!H", wire.checksum(pseudo + tcp)) + tcp[18:]
    if six:
        return destination + origin + b"\x86\xdd" + struct.pack("!IHBB", 0x60000000, len(tcp), 6, 64) + sender + receiver + tcp
    return destination + origin + b"\x08\x00" + wire.ipv4(socket.inet_ntoa(sender), socket.inet_ntoa(receiver), 6, tcp, 64)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clock", required=True, metavar="RATE@ANCHOR")
    rate, anchor = map(int, parser.parse_args().clock.split("@"))
    wire.perform(Resets(rate, anchor).perform)
