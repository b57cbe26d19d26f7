"""A contact that floods a node with records, written with the Python package; every record is one that a contact may send.

    contact.py --target ADDRESS --clock RATE@ANCHOR --from EPOCH [--rate N]

Prints its card, reads the target's card and the grant that the target sealed for it, and calls from the epoch on: again and
again, and in each session GRANT, CARD, MESSAGE and STATE in turn, 200 of each, as fast as the link takes them; texts as far as
the receipts of the target allow. Every other grant and card is a newer one, which the target has reason to store.
"""

import argparse
import base64
import hashlib
import os
import select
import socket
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))
sys.path.insert(0, os.path.join(ROOT, "Sources/Bindings/python"))
import inkling  # noqa: E402
import wire  # noqa: E402
from inkling import Record, Transport  # noqa: E402

STREAM = 0x5445_4154_4541_2121
DEVICE, IN_A_ROW, KINDS = 0, 200, ("GRANT", "CARD", "MESSAGE", "STATE")


class Contact:
    def __init__(self, arguments):
        self.target, self.begin, self.pace = arguments.target, arguments.begin, wire.Pace(arguments.rate) if arguments.rate else None
        self.rate, self.anchor = map(int, arguments.clock.split("@"))
        self.identity, self.device, self.tree = inkling.Identity(), inkling.DeviceKey(), inkling.Tree()
        self.roster = inkling.Roster(self.identity)
        period = self.epoch() // 4
        self.roster.add(DEVICE, self.device.public, range(period, period + 744), primary=True)
        self.card = inkling.Card(self.roster, "Mallory")
        self.plain = wire.group_socket()
        self.sent, self.sessions, self.bytes = dict.fromkeys(KINDS, 0), 0, 0
        self.number, self.heard = 0, None
        # The number of the last text that the target says it has stored, of the last that was sent, and of the last that it takes.
        self.stored, self.text, self.allowed = 0, 0, 0

    def seconds(self):
        return self.anchor + self.rate * (time.time() - self.anchor)

    def epoch(self):
        return int(self.seconds() // 900)

    def meet(self):
        """Exchanges cards by the rig, and takes the grant of the target."""
        wire.say({"card": self.card.text})
        period = self.epoch() // 4
        self.theirs = inkling.Card.read(sys.stdin.readline().strip(), period)
        text = sys.stdin.readline().strip().split(":", 2)[2]
        sealed = base64.b32decode(text + "=" * (-len(text) % 8))[:-4]
        number = self.theirs.devices[0]
        self.their_device = self.theirs.device(number)
        self.pairwise = self.identity.pairwise(self.theirs.presence)
        reader = inkling.Reader(self.theirs.identity, self.identity.user, period)
        self.held = inkling.Grant.unsealed(sealed, self.device, self.their_device.key, self.pairwise, reader)
        self.grant = inkling.Grant(self.roster, 1, 1, self.tree, range(period, period + 700), self.theirs.user)

    def find(self):
        """Waits for the name that the target shows in this epoch."""
        while True:
            name = self.held.tree.shown(self.their_device.device, self.epoch()).name
            if self.heard and self.heard.name == name:
                return
            for payload, source in wire.listen(self.plain, time.time() + 0.5):
                heard = payload and source == self.target and wire.announcement_in(payload, source)
                if heard:
                    self.heard = heard

    def call(self):
        context = inkling.Context(self.held.tree, self.their_device.device, self.epoch(), Transport.TCP)
        told = inkling.Introduction(frozenset([Transport.TCP]), self.held.generation, int(self.seconds() * 1000))
        calling = inkling.Call(context, self.device, self.their_device.key, told)
        with socket.create_connection((self.target, self.heard.port), 2) as plain:
            plain.settimeout(6)
            plain.sendall(inkling.tcp_bytes(calling.packet))
            link, packets = inkling.Link(Transport.TCP), []
            while not packets:
                data = plain.recv(65_536)
                if not data:
                    return
                packets = link.take(data)
            session = calling.receive(packets.pop(0), self.pairwise)
            self.sessions += 1
            plain.sendall(inkling.tcp_bytes(session.hello(1, self.theirs.serial, [self.held])))
            # No text before the first receipt says where to begin.
            self.text = self.allowed = None
            self.flood(plain, link, session, packets)

    def flood(self, plain, link, session, packets):
        plain.setblocking(False)
        pending, count = b"", 0
        while True:
            for packet in packets:
                if session.receive(packet) == Record.RECEIPT:
                    pending += self.receipt(session, inkling.Receipt.read(session.body))
            packets = []
            while len(pending) < (1 << 18 if not self.pace else 1):
                kind = KINDS[count // IN_A_ROW % len(KINDS)]
                count += 1
                if kind == "MESSAGE" and (self.text is None or self.text >= self.allowed):
                    continue
                if self.pace:
                    self.pace.wait()
                pending += inkling.tcp_bytes(self.record(session, kind))
                self.sent[kind] += 1
            readable, writable, _ = select.select([plain], [plain], [], 1)
            if readable:
                data = plain.recv(65_536)
                if not data:
                    return
                packets = link.take(data)
            if writable:
                written = plain.send(pending)
                self.bytes += written
                pending = pending[written:]

    def receipt(self, session, receipt):
        """Notes what the target has stored, and returns the announcement of the texts after the first receipt."""
        named = receipt.last.number if receipt.last else 0
        self.stored, self.allowed = max(self.stored, named), named + receipt.room
        if self.text is not None:
            return b""
        self.text = named
        return inkling.tcp_bytes(session.seal(Record.STREAM, bytes(inkling.Stream(STREAM, named + 1))))

    def record(self, session, kind):
        self.number += 1
        if self.number % 2 and kind in ("GRANT", "CARD"):
            self.renew(kind)
        if kind == "GRANT":
            return session.seal_grant(self.grant, self.roster)
        if kind == "CARD":
            return session.seal(Record.CARD, bytes(self.card))
        if kind == "MESSAGE":
            self.text += 1
            id = hashlib.sha256(self.text.to_bytes(8, "big")).digest()[:16]
            return session.seal(Record.MESSAGE, bytes(inkling.Message(self.text, id, f"Tea? {self.text}")))
        return session.seal(Record.STATE, bytes(64))

    def renew(self, kind):
        if kind == "GRANT":
            period = self.epoch() // 4
            self.grant = inkling.Grant(self.roster, 1, self.number + 1, self.tree, range(period, period + 700), self.theirs.user)
        else:
            self.card = inkling.Card(self.roster, "Mallory", self.number + 1)

    def perform(self, figures):
        self.meet()
        wire.ready()
        try:
            while True:
                while self.epoch() < self.begin:
                    time.sleep(0.05)
                self.find()
                try:
                    self.call()
                except (OSError, inkling.Refused):
                    pass
                time.sleep(0.2)
        finally:
            figures.update(sent=self.sent, stored=self.stored, sessions=self.sessions, bytes=self.bytes)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", required=True)
    parser.add_argument("--clock", required=True, metavar="RATE@ANCHOR")
    parser.add_argument("--from", dest="begin", type=int, default=0)
    parser.add_argument("--rate", type=int, default=0, help="records a second; 0: as many as the link takes")
    wire.perform(Contact(parser.parse_args()).perform)
