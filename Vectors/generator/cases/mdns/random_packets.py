"""Packets at random, with the structure of packets: what a mutation changes is a name, a count, a length or a byte."""

import random

from ...reference.notation import u16, u32
from ...tools.family import Case
from ...tools.operations import answer
from .parts import (
    AAAA,
    ANY,
    CNAME,
    NSEC,
    OPT,
    PTR,
    SRV,
    TXT,
    TYPE,
    A,
    name,
    numbers,
    other_host,
    other_name,
)

COUNT = 320
TYPES = (A, AAAA, PTR, SRV, TXT, CNAME, NSEC, OPT, ANY, 65_280)
CLASSES = (1, 0x8001, 1, 0x8001, 3, 255, 0x80FF, 0)


class Builder:
    """Writes a packet with names that point to what stands before."""

    def __init__(self, dice):
        self.dice = dice
        self.packet = b""
        self.places = []

    def name(self):
        dice = self.dice
        which = dice.randrange(6)
        number = dice.randrange(3)
        text = (
            TYPE,
            f"{other_name(number)}.{TYPE}",
            f"{other_host(number)}.local",
            "printer.local",
            f"{other_name(number).upper()}.{TYPE.upper()}",
            ".".join("a" * dice.randrange(1, 12) for _ in range(dice.randrange(1, 5))),
        )[which if dice.random() < 0.8 else dice.randrange(3)]
        labels = text.split(".")
        keep = dice.randrange(len(labels) + 1)
        before = list(self.places)
        for label in labels[:keep]:
            self.places.append(len(self.packet))
            self.packet += name(label)[:-1]
        if keep == len(labels) or not before or dice.random() < 0.3:
            self.packet += name(".".join(labels[keep:]))
        else:
            offset = dice.choice(before) if dice.random() < 0.98 else dice.randrange(2**14)
            self.packet += u16(0xC000 | offset)

    def data(self, kind):
        dice = self.dice
        if kind in (PTR, CNAME) or kind == SRV:
            self.packet += bytes(6) if kind == SRV else b""
            self.name()
        elif kind == TXT:
            self.packet += dice.choice((b"\x03v=1", b"\0", b"\x03v=2", b""))
        else:
            size = {A: 4, AAAA: 16}.get(kind, dice.randrange(20))
            self.packet += dice.randbytes(size if dice.random() < 0.95 else dice.randrange(20))

    def whole(self):
        dice = self.dice
        counts = [
            dice.choice((0, 0, 1, 2)),
            dice.choice((0, 1, 2, 4, 6)),
            dice.choice((0, 0, 1)),
            dice.choice((0, 0, 1, 3)),
        ]
        flags = dice.choice((0, 0x8400, 0x8400, 0x8400, 0x0200))
        self.packet = u16(dice.choice((0, 0, dice.randrange(65_536)))) + u16(flags)
        self.packet += b"".join(u16(count) for count in counts)
        for _ in range(counts[0]):
            self.name()
            self.packet += u16(dice.choice(TYPES)) + u16(dice.choice(CLASSES))
        for _ in range(sum(counts[1:])):
            self.name()
            kind = dice.choice(TYPES)
            self.packet += u16(kind) + u16(dice.choice(CLASSES)) + u32(dice.choice((0, 10, 120, 4_500)))
            length = len(self.packet)
            self.packet += u16(0)
            self.data(kind)
            count = len(self.packet) - length - 2
            if dice.random() < 0.05:
                count = max(0, count + dice.choice((-1, 1)))
            self.packet = self.packet[:length] + u16(count) + self.packet[length + 2 :]
        return self.packet


def mutated(dice, packet):
    """One change of one place, or none."""
    packet = bytearray(packet)
    kind = dice.random()
    at = dice.randrange(len(packet))
    if kind < 0.5:
        return bytes(packet)
    if kind < 0.65:
        packet[at] ^= 1 << dice.randrange(8)
    elif kind < 0.75:
        packet[at] = dice.choice((0, 0x3F, 0x40, 0xC0, 0xFF))
    elif kind < 0.85:
        del packet[at:]
    elif kind < 0.92:
        packet[4 + dice.randrange(8)] = dice.choice((0, 1, 2, 255))
    else:
        packet[at:at] = dice.randbytes(dice.randrange(1, 5))
    return bytes(packet)


def packet_at_random(seed):
    dice = random.Random(seed)
    return mutated(dice, Builder(dice).whole())


def random_cases():
    """Every outcome has its share: the packets are drawn until each reason that is easy to reach has occurred."""
    cases = []
    outcomes = {}
    for seed in range(COUNT):
        packet = packet_at_random(seed).hex()
        reply = answer("mdns-decode", {"packet": packet})
        error = reply.get("error")
        outcome = (error["stage"], error["reason"]) if error else "read"
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        comment = f"a packet at random, number {seed}"
        pair = (error["stage"], error["reason"]) if error else None
        cases.append(Case(comment, {"packet": packet}, ("generated",), numbers(30), error=pair))
    wanted = {("packet", "truncated"), ("name", "bad-label"), ("name", "bad-pointer"), ("data", "bad-length"), "read"}
    if not wanted <= set(outcomes):
        raise AssertionError(f"packets at random have too few outcomes: {outcomes}")
    return cases
