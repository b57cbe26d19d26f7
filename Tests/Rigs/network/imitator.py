"""A node without contacts: it shows what a node shows on a local network, never replies, and changes its values at the end of
each epoch. With a fault it does one thing wrong. Written from the specifications; standard library only.

    imitator.py ADDRESS RATE ANCHOR [FAULT]
"""

import secrets
import select
import socket
import struct
import sys
import time

import dns

GROUP = ("224.0.0.251", 5353)
TYPE, META = "_inkling._tcp.local", "_services._dns-sd._udp.local"
FAULTS = {
    "answers": "replies to any message",
    "hurries": "resets the connection at once after a wrong length",
    "closes": "closes a connection that it must reset",
    "signs": "shows the name of its user in TXT",
    "named": "always shows the name of the machine",
    "drags": "changes the host later than the name, when somebody asks for the old one",
    "stays": "changes nothing at the end of an epoch",
    "counts": "replies to the query for the list of services",
}


class Imitator:
    def __init__(self, address, rate, anchor, fault):
        self.address, self.rate, self.anchor, self.fault = address, rate, anchor, fault
        self.group = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.group.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.group.bind(("", 5353))
        own = socket.inet_aton(address)
        self.group.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP[0]) + own)
        self.group.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, own)
        self.group.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
        self.listener, self.links, self.name, self.host = None, {}, None, None

    def boundary(self, after):
        """Returns the real time of the first end of an epoch after a moment."""
        epoch = int((self.anchor + self.rate * (after - self.anchor)) // 900) + 1
        return self.anchor + (epoch * 900 - self.anchor) / self.rate

    def run(self):
        self.appear()
        while True:
            end = self.boundary(time.time() + 0.01)
            self.serve(end - 0.9)
            if self.fault == "stays":
                self.serve(end + 0.1)
                continue
            self.send(self.records(ttl=0))
            self.vanish()
            time.sleep(max(0, end - time.time()) + 0.3 + 2 * secrets.randbelow(1000) / 1000)
            self.drain()
            self.appear()

    def appear(self):
        self.listener = socket.create_server((self.address, 0))
        self.former, self.name = self.name, secrets.token_hex(16)
        old, self.host = self.host, "printer" if self.fault == "named" else secrets.token_hex(16)
        self.later = None
        if self.fault == "drags" and old:
            self.later, self.host = self.host, old
        self.send(self.records())

    def vanish(self):
        self.listener.close()
        for link in list(self.links):
            self.reset(link)

    def drain(self):
        """Discards the questions that arrived during the silence; they must not be answered later."""
        while select.select([self.group], [], [], 0)[0]:
            self.group.recv(9000)

    # Multicast DNS

    def records(self, ttl=120):
        port = self.listener.getsockname()[1]
        full, host = f"{self.name}.{TYPE}", f"{self.host}.local"
        text = b"\x03v=1" + (b"\x05u=ada" if self.fault == "signs" else b"")
        return [
            dns.record(TYPE, dns.PTR, dns.encode_name(full), ttl),
            dns.record(full, dns.SRV, dns.srv(host, port), ttl, flush=True),
            dns.record(full, dns.TXT, text, ttl, flush=True),
            dns.record(host, dns.A, socket.inet_aton(self.address), ttl, flush=True),
        ]

    def send(self, records):
        self.group.sendto(dns.response(*records), GROUP)

    def hear(self):
        payload, (source, _) = self.group.recvfrom(9000)
        try:
            message = dns.parse(payload)
        except (ValueError, IndexError, struct.error):
            return
        asked = {question.name.lower() for question in message.questions}
        if message.flags & 0x8000 or source == self.address:
            return
        if asked & {TYPE, f"{self.name}.{TYPE}", f"{self.host}.local"}:
            self.send(self.records())
        if self.later and f"{self.former}.{TYPE}" in asked:
            self.host, self.later = self.later, None
            self.send(self.records())
        if META in asked and self.fault == "counts":
            self.send([dns.record(META, dns.PTR, dns.encode_name(TYPE))])

    # Links

    def serve(self, until):
        while (left := until - time.time()) > 0:
            ends = [end for end, _ in self.links.values()]
            wait = min([left, *(max(0, end - time.time()) for end in ends), 0.1])
            for ready in select.select([self.group, self.listener, *self.readable()], [], [], wait)[0]:
                if ready is self.group:
                    self.hear()
                elif ready is self.listener:
                    link, _ = ready.accept()
                    self.links[link] = (time.time() + 5, True)
                else:
                    self.read(ready)
            for link in [link for link, (end, _) in self.links.items() if end <= time.time()]:
                self.reset(link)

    def readable(self):
        return [link for link, (_, is_open) in self.links.items() if is_open]

    def read(self, link):
        try:
            data = link.recv(65536)
        except OSError:
            return self.reset(link)
        if not data:
            self.links[link] = (self.links[link][0], False)
        elif self.fault == "answers":
            link.send(b"Who is there?\n")
        elif self.fault == "hurries" and data[:2] != b"\x00\x81" and len(data) > 1:
            self.reset(link)
        elif self.fault == "closes" and data[:2] != b"\x00\x81" and len(data) > 1:
            self.links.pop(link)
            link.close()

    def reset(self, link):
        self.links.pop(link, None)
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        link.close()


if __name__ == "__main__":
    where, speed, start, *fault = sys.argv[1:]
    if fault and fault[0] not in FAULTS:
        sys.exit(f"there is no fault {fault[0]}: {', '.join(FAULTS)}")
    try:
        Imitator(where, int(speed), int(start), *(fault or [None])).run()
    except KeyboardInterrupt:
        pass
