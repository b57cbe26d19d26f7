"""Replays names of this epoch that were heard at another place, among invented ones, and counts what follows.

    replay.py --names N --rate N

Reads lines NAME HOST on standard input: predicted names, each of which is announced with an address and a port of this host,
and again every 5 s. Counts connections, and the questions of others about names and hosts that were announced here, for each epoch of
`--clock`. A question about a name that nobody announced is one for a contact that is missed (INK-PAIR-013), whatever is replayed.
"""

import argparse
import os
import select
import socket
import sys
import time

import wire
from wire import TYPE, dns


class Replay:
    def __init__(self, arguments):
        self.address, _ = wire.own_addresses()
        self.rate, self.anchor = map(int, arguments.clock.split("@"))
        self.arguments = arguments
        self.plain = wire.group_socket()
        self.server = socket.create_server(("", 0), backlog=512)
        self.held, self.connections, self.questions, self.partial = [], {}, {}, ""
        self.predicted, self.sent, self.announced = {}, {}, set()

    def epoch(self):
        return int((self.anchor + self.rate * (time.time() - self.anchor)) // 900)

    def announce(self, name, host):
        self.announced |= {f"{name}.{TYPE}", f"{host}.local"}
        self.plain.sendto(wire.instance(name, host, self.server.getsockname()[1], [self.address]), (wire.GROUP, wire.PORT))

    def read(self):
        """Takes predicted names; one that is new is announced at once."""
        data = os.read(0, 65_536)
        if not data:
            raise wire.Ended
        *lines, self.partial = (self.partial + data.decode()).split("\n")
        for line in lines:
            name, host = line.split()
            self.predicted.setdefault(self.epoch(), {})[name] = host
            self.announce(name, host)

    def hear(self):
        payload, (source, _) = self.plain.recvfrom(9000)
        if source == self.address or not wire.is_query(payload):
            return
        try:
            asked = [question.name for question in dns.parse(payload).questions]
        except (ValueError, IndexError, wire.struct.error):
            return
        epoch = self.epoch()
        self.questions[epoch] = self.questions.get(epoch, 0) + sum(name.lower().rstrip(".") in self.announced for name in asked)

    def perform(self, figures):
        wire.ready()
        pace, again = wire.Pace(self.arguments.rate), time.time()
        try:
            while True:
                for found in select.select([0, self.plain, self.server], [], [], 0)[0]:
                    if found == 0:
                        self.read()
                    elif found is self.plain:
                        self.hear()
                    else:
                        link, _ = self.server.accept()
                        self.held = [*self.held[-255:], link]
                        self.connections[self.epoch()] = self.connections.get(self.epoch(), 0) + 1
                epoch = self.epoch()
                if self.sent.get(epoch, 0) < self.arguments.names:
                    self.announce(wire.opaque(), wire.opaque())
                    self.sent[epoch] = self.sent.get(epoch, 0) + 1
                if time.time() >= again:
                    again = time.time() + 5
                    for name, host in self.predicted.get(epoch, {}).items():
                        self.announce(name, host)
                pace.wait()
        finally:
            figures.update(connections=self.connections, questions=self.questions, invented=self.sent,
                           predicted={epoch: len(names) for epoch, names in self.predicted.items()})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clock", required=True, metavar="RATE@ANCHOR")
    parser.add_argument("--names", type=int, default=9_980)
    parser.add_argument("--rate", type=int, default=1_500)
    wire.perform(Replay(parser.parse_args()).perform)
