"""Writes down the multicast DNS of others, with the kernel's time of arrival: one line of JSON for each packet.

    listener.py [--names]

With `--names`, only the announced instances, each once: name, host, and source.
"""

import argparse
import socket
import struct

import wire

SO_TIMESTAMPNS = 35


def attack(arguments):
    def perform(figures):
        plain = wire.group_socket()
        own, _ = wire.own_addresses()
        plain.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        packets, seen = 0, set()
        wire.ready()
        try:
            while True:
                payload, more, _, (source, _) = plain.recvmsg(9000, 128)
                if source == own:
                    continue
                packets += 1
                if arguments.names:
                    heard = wire.announcement_in(payload, source)
                    if heard and heard.name not in seen:
                        seen.add(heard.name)
                        wire.say({"name": heard.name, "host": heard.host, "source": source})
                    continue
                seconds, nanoseconds = next(struct.unpack("qq", data[:16]) for _, kind, data in more if kind == SO_TIMESTAMPNS)
                wire.say({"at": seconds + nanoseconds / 1e9, "source": source, "packet": payload.hex()})
        finally:
            figures.update(packets=packets)
    return perform


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", action="store_true")
    wire.perform(attack(parser.parse_args()))
