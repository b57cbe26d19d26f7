"""Sockets and packets of the attackers: multicast DNS from one or several addresses, raw frames, and lines of JSON.

Every attacker runs inside the namespace of its host, prints `{"ready": true}` once it attacks, and its figures when SIGINT
or SIGTERM ends it. Standard library only.
"""

import json
import os
import re
import secrets
import select
import signal
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "network"))
import dns  # noqa: E402

GROUP, GROUP6, PORT = "224.0.0.251", "ff02::fb", 5353
TYPE = "_inkling._tcp.local"
INTERFACE = "eth0"
GROUP_MAC = b"\x01\x00\x5e\x00\x00\xfb"
CNAME, DNAME, HINFO, NSEC, OPT, ANY = 5, 39, 13, 47, 41, 255


class Ended(Exception):
    """The rig has ended the attack."""


def end(*_):
    # `timeout` sends its signal twice, to the process and to the group; the second one must not end the figures.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    raise Ended


def perform(attack):
    """Runs `attack(figures)` until it returns or is ended, and prints the figures."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    figures = {}
    try:
        attack(figures)
    except Ended:
        pass
    say({"figures": figures})


def say(fact):
    print(json.dumps(fact), flush=True)


def ready():
    say({"ready": True})


def opaque():
    return secrets.token_hex(16)


# Sockets


def group_socket(address=None, join=True, interface=INTERFACE):
    """A UDP socket at port 5353 that hears the IPv4 group and sends to it, from an address of the host."""
    plain = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    plain.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
    plain.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
    member = struct.pack("=4s4si", socket.inet_aton(GROUP), bytes(4), socket.if_nametoindex(interface))
    plain.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, member)
    if join:
        plain.bind(("", PORT))
        plain.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
    else:
        plain.bind((address, PORT))
    return plain


def group_socket6(interface=INTERFACE):
    """The same for IPv6, only for sending."""
    plain = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
    plain.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
    plain.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_LOOP, 0)
    plain.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, socket.if_nametoindex(interface))
    plain.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    plain.bind(("", PORT))
    return plain


def frame_socket(interface=INTERFACE, protocol=0):
    """A socket for whole frames. With protocol 3 (ETH_P_ALL) it hears everything on the interface."""
    raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(protocol))
    raw.bind((interface, protocol))
    return raw


def own_addresses(interface=INTERFACE):
    """The IPv4 address of this host and its hardware address."""
    shown = subprocess.run(["ip", "-o", "addr", "show", "dev", interface], capture_output=True, text=True, check=True).stdout
    link = subprocess.run(["ip", "-o", "link", "show", "dev", interface], capture_output=True, text=True, check=True).stdout
    return re.search(r"inet ([0-9.]+)/", shown)[1], bytes.fromhex(re.search(r"link/ether (\S+)", link)[1].replace(":", ""))


def add_addresses(addresses, interface=INTERFACE):
    for address in addresses:
        subprocess.run(["ip", "addr", "add", f"{address}/24", "dev", interface], check=True)


# Names that are heard


class Heard:
    """An announcement of a node: its instance, and where its packet came from."""

    def __init__(self, name, host, port, addresses, source, payload):
        self.name, self.host, self.port = name, host, port
        self.addresses, self.source, self.payload = addresses, source, payload

    @property
    def full(self):
        return f"{self.name}.{TYPE}"


def announcement_in(payload, source=None):
    """Returns the announced instance of a response, or None."""
    try:
        message = dns.parse(payload)
    except (ValueError, IndexError, struct.error):
        return None
    if not message.flags & 0x8000:
        return None
    services = [record for record in message.answers if record.type == dns.SRV and record.name.endswith("." + TYPE)]
    pointers = [record for record in message.answers if record.type == dns.PTR and record.name == TYPE and record.ttl]
    if not services or not pointers:
        return None
    service = services[0]
    name, host = service.name.split(".")[0], service.data[3].removesuffix(".local")
    addresses = [socket.inet_ntoa(record.data) for record in message.answers if record.type == dns.A]
    return Heard(name, host, service.data[2], addresses, source, payload)


def is_query(payload):
    return len(payload) >= 12 and not payload[2] & 0x80


def listen(plain, until, also=()):
    """Yields (payload, source) from a socket, and (None, socket) for each other one that is readable, until a moment."""
    while (left := until - time.time()) > 0:
        for ready_socket in select.select([plain, *also], [], [], min(left, 0.2))[0]:
            if ready_socket is plain:
                payload, source = plain.recvfrom(9000)
                yield payload, source[0]
            else:
                yield None, ready_socket
        else:
            yield b"", None


# Packets


def instance(name, host, port, addresses, ttl=120, flush=True, pointer_flush=False):
    """The response that shows an instance."""
    full = f"{name}.{TYPE}"
    records = [
        dns.record(TYPE, dns.PTR, dns.encode_name(full), ttl, flush=pointer_flush),
        dns.record(full, dns.SRV, dns.srv(f"{host}.local", port), ttl, flush=flush),
        dns.record(full, dns.TXT, b"\x03v=1", ttl, flush=flush),
    ]
    for address in addresses:
        if ":" in address:
            records.append(dns.record(f"{host}.local", dns.AAAA, socket.inet_pton(socket.AF_INET6, address), ttl, flush=flush))
        else:
            records.append(dns.record(f"{host}.local", dns.A, socket.inet_aton(address), ttl, flush=flush))
    return dns.response(*records)


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ipv4(source, destination, protocol, payload, ttl=255):
    header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 0, 0x4000, ttl, protocol, 0,
                         socket.inet_aton(source), socket.inet_aton(destination))
    return header[:10] + struct.pack("!H", checksum(header)) + header[12:] + payload


def udp_frame(source, payload, source_mac, destination=GROUP, destination_mac=GROUP_MAC, ttl=255, source_port=PORT):
    """A whole frame with a UDP packet to port 5353, from any address."""
    length = 8 + len(payload)
    pseudo = socket.inet_aton(source) + socket.inet_aton(destination) + struct.pack("!BBH", 0, 17, length)
    header = struct.pack("!HHHH", source_port, PORT, length, 0)
    total = checksum(pseudo + header + payload) or 0xFFFF
    udp = struct.pack("!HHHH", source_port, PORT, length, total) + payload
    return destination_mac + source_mac + b"\x08\x00" + ipv4(source, destination, 17, udp, ttl)


class Pace:
    """Waits so that there are at most `rate` steps a second; a late step is not made up for more than 0.1 s later."""

    def __init__(self, rate):
        self.interval, self.next = 1 / rate, time.time()

    def wait(self, steps=1):
        now = time.time()
        self.next = max(self.next + steps * self.interval, now - 0.1)
        if self.next > now:
            time.sleep(self.next - now)
