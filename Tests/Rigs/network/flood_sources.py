"""Opens connections to a node, from many sources, at a wanted rate; the port is the one that the node announces.

    flood_sources.py TARGET RATE SOURCES

Half of the connections come from SOURCES neighbours, each an interface with a link-layer address of its own; a quarter from as
many IPv4 addresses of one neighbour; and a quarter from as many IPv6 addresses of that one, in the /64 of everybody on the
link. In turn a connection stays silent, sends a message of the length and type of a first message with random content, or
sends half of one. It stays open until there are 1,500 newer ones; one that is not answered is given up after a second. Runs until
SIGINT, and prints one JSON object.
"""

import collections
import json
import os
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import time

import dns

INTERFACE, HELD, OPENING = "eth0", 1_500, 16_000
PATIENCE = 1.0  # seconds: a neighbour must be found first, and its first packet may be lost
RESET = struct.pack("ii", 1, 0)
KINDS = ("silent", "garbage", "half")
NOISE = os.urandom(1 << 20)
MESSAGE = 131


class Flood:
    def __init__(self, target, rate, sources):
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(OPENING + HELD + 100, most), most))
        self.target, self.rate = target, rate
        self.own = [f"10.78.1.{last}" for last in range(1, sources + 1)]
        self.own6 = [f"fd77::1:{last:x}" for last in range(1, sources + 1)]
        self.neighbours = [(f"n{last}", f"10.78.2.{last}") for last in range(1, sources + 1)]
        self.interface()
        self.poll, self.opening, self.held = select.epoll(), {}, collections.deque()
        self.port, self.target6, self.count = None, None, 0
        self.figures = dict.fromkeys(("made", "reset", "dropped", *KINDS), 0)

    def interface(self):
        """Gives this host its addresses, and interfaces that are neighbours of their own."""
        lines = [f"addr add {address}/32 dev {INTERFACE}" for address in self.own]
        lines += [f"addr add {address}/64 dev {INTERFACE} nodad" for address in self.own6]
        for name, address in self.neighbours:
            lines += [f"link add link {INTERFACE} name {name} type macvlan mode bridge", f"link set {name} up",
                      f"addr add {address}/32 dev {name}", f"route add {self.target}/32 dev {name} src {address} metric {len(lines)}"]
        subprocess.run(["ip", "-force", "-batch", "-"], input="\n".join(lines), text=True, check=True, capture_output=True)
        # Each interface answers for its own address alone.
        for name, value in (("arp_ignore", 1), ("arp_announce", 2), ("rp_filter", 0)):
            with open(f"/proc/sys/net/ipv4/conf/all/{name}", "w", encoding="ascii") as file:
                file.write(str(value))
        self.group = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.group.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.group.bind(("224.0.0.251", 5353))
        index = socket.if_nametoindex(INTERFACE)
        self.group.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                              struct.pack("4s4si", socket.inet_aton("224.0.0.251"), bytes(4), index))

    def hear(self):
        """Learns the port of the target, which changes with its name."""
        while True:
            try:
                payload, (source, _) = self.group.recvfrom(9000, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return
            if source != self.target:
                continue
            try:
                records = dns.parse(payload).answers
            except (ValueError, IndexError, struct.error):
                continue
            ports = [record.data[2] for record in records if record.type == dns.SRV and record.ttl]
            self.port = ports[0] if ports else self.port
            six = [record.data for record in records if record.type == dns.AAAA and record.data[:2] == b"\xfd\x77"]
            self.target6 = socket.inet_ntop(socket.AF_INET6, six[0]) if six else self.target6

    def open(self):
        number = self.count // 4
        self.count += 1
        is_six = self.count % 4 == 3 and self.target6
        plain = socket.socket(socket.AF_INET6 if is_six else socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        try:
            if is_six:
                plain.bind((self.own6[number % len(self.own6)], 0))
                plain.connect_ex((self.target6, self.port))
            else:
                if self.count % 2:
                    address = self.own[number % len(self.own)]
                else:
                    name, address = self.neighbours[self.count // 2 % len(self.neighbours)]
                    plain.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, name.encode())
                plain.bind((address, 0))
                plain.connect_ex((self.target, self.port))
        except OSError:
            self.figures["dropped"] += 1
            return plain.close()
        self.poll.register(plain, select.EPOLLOUT | select.EPOLLONESHOT)
        self.opening[plain.fileno()] = plain, time.time() + PATIENCE

    def opened(self, plain):
        self.poll.unregister(plain)
        if plain.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            self.figures["reset"] += 1
            return plain.close()
        kind = KINDS[self.figures["made"] % len(KINDS)]
        self.figures["made"] += 1
        self.figures[kind] += 1
        offset = (self.figures["made"] * MESSAGE) % (len(NOISE) - MESSAGE)
        message = b"\x00\x81\x10" + NOISE[offset : offset + MESSAGE - 3]
        try:
            plain.send({"silent": b"", "garbage": message, "half": message[:60]}[kind])
        except OSError:
            self.figures["reset"] += 1
            return plain.close()
        self.held.append(plain)
        if len(self.held) > HELD:
            self.held.popleft().close()

    def attack(self):
        """Opens connections until an exception ends it; the figures are whole then."""
        begun, due = None, 0.0
        try:
            while True:
                self.hear()
                if self.port is None:
                    time.sleep(0.02)
                    continue
                now = time.time()
                begun = begun or now
                due = max(due, now - 0.2)
                while due <= now and len(self.opening) < OPENING:
                    self.open()
                    due += 1 / self.rate
                for descriptor, _ in self.poll.poll(0.001):
                    self.opened(self.opening.pop(descriptor)[0])
                while self.opening and next(iter(self.opening.values()))[1] < now:
                    plain, _ = self.opening.pop(next(iter(self.opening)))
                    self.poll.unregister(plain)
                    plain.close()
                    self.figures["dropped"] += 1
        finally:
            self.figures.update(tried=self.count, seconds=time.time() - (begun or time.time()))


class Ended(Exception):
    """The rig has ended the flood."""


def end(*_):
    raise Ended


def main(target, rate, sources):
    flood = Flood(target, int(rate), int(sources))
    signal.signal(signal.SIGINT, end)
    print("ready", flush=True)
    try:
        flood.attack()
    except Ended:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    print(json.dumps(flood.figures), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
