"""Opens connections to one node, from many addresses, as fast as wanted; the port is the one that the node announces.

    connections.py --target ADDRESS --rate N [--sources N]

In turn a connection stays silent, sends a message of the right length and type with random content, sends half of it, or
sends other bytes. It stays open until there are 512 newer ones. Half of the connections come over IPv6 when the node shows
an address there, from the same /64 as everybody's.
"""

import argparse
import collections
import os
import select
import socket
import struct
import time

import wire
from wire import dns

OPENING, HELD = 64, 512
PATIENCE = 0.05  # seconds: within this time the other system has replied, or has dropped the request
RESET = struct.pack("ii", 1, 0)
NOISE = os.urandom(1 << 20)


class Connections:
    def __init__(self, arguments):
        self.target, self.rate = arguments.target, arguments.rate
        self.plain = wire.group_socket()
        self.sources = [f"10.77.0.{last}" for last in range(10, 10 + arguments.sources)]
        wire.add_addresses(self.sources)
        self.sources6 = [f"fe80::77:{last:x}" for last in range(1, 41)]
        for address in self.sources6:
            wire.subprocess.run(["ip", "addr", "add", f"{address}/64", "dev", wire.INTERFACE, "nodad"], check=True)
        self.scope = socket.if_nametoindex(wire.INTERFACE)
        self.poll, self.opening, self.held = select.epoll(), {}, collections.deque()
        self.port, self.address6, self.count = None, None, 0
        self.figures = dict.fromkeys(("connections", "refused", "dropped", "silent", "garbage", "half", "other"), 0)

    def hear(self):
        """Learns the port of the target; returns whether there is one."""
        while True:
            try:
                payload, (source, _) = self.plain.recvfrom(9000, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return self.port is not None
            if source == self.target and (heard := wire.announcement_in(payload, source)):
                self.port = heard.port
                six = [record.data for record in dns.parse(payload).answers if record.type == dns.AAAA and record.data[:2] == b"\xfe\x80"]
                self.address6 = six and socket.inet_ntop(socket.AF_INET6, six[0])

    def open(self):
        self.count += 1
        if self.address6 and self.count % 2:
            plain = socket.socket(socket.AF_INET6, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
            source = (self.sources6[self.count // 2 % len(self.sources6)], 0, 0, self.scope)
            target = (self.address6, self.port, 0, self.scope)
        else:
            plain = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
            source, target = (self.sources[self.count // 2 % len(self.sources)], 0), (self.target, self.port)
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        try:
            plain.bind(source)
            plain.connect_ex(target)
        except OSError:
            self.figures["dropped"] += 1
            return plain.close()
        self.poll.register(plain, select.EPOLLOUT | select.EPOLLONESHOT)
        self.opening[plain.fileno()] = plain, time.time() + PATIENCE

    def opened(self, plain):
        self.poll.unregister(plain)
        if plain.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            self.figures["refused"] += 1
            return plain.close()
        self.figures["connections"] += 1
        offset = (self.figures["connections"] * 131) % (len(NOISE) - 128)
        kind = ("silent", "garbage", "half", "other")[self.figures["connections"] % 4]
        self.figures[kind] += 1
        message = b"\x00\x81\x10" + NOISE[offset:offset + 128]
        data = {"silent": b"", "garbage": message, "half": message[:60], "other": b"GET / HTTP/1.1\r\n\r\n"}[kind]
        try:
            plain.send(data)
        except OSError:
            return plain.close()
        self.held.append(plain)
        if len(self.held) > HELD:
            self.held.popleft().close()

    def perform(self, figures):
        wire.ready()
        pace, begun, spent = wire.Pace(self.rate), None, 0.0
        try:
            while True:
                if not self.hear():
                    time.sleep(0.05)
                    continue
                begun = begun or time.time()
                if len(self.opening) < OPENING:
                    self.open()
                    pace.wait()
                for descriptor, _ in self.poll.poll(0 if len(self.opening) < OPENING else PATIENCE / 4):
                    self.opened(self.opening.pop(descriptor)[0])
                now = time.time()
                while self.opening and next(iter(self.opening.values()))[1] < now:
                    plain, _ = self.opening.pop(next(iter(self.opening)))
                    self.poll.unregister(plain)
                    plain.close()
                    self.figures["dropped"] += 1
        finally:
            spent = time.time() - (begun or time.time())
            figures.update(self.figures, perSecond=round(self.count / max(spent, 0.001)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", required=True)
    parser.add_argument("--rate", type=int, default=3_000)
    parser.add_argument("--sources", type=int, default=240)
    wire.perform(Connections(parser.parse_args()).perform)
