"""Opens connections to one node, from many sources, as fast as wanted; the port is the one that the node announces.

    connections.py --target ADDRESS [--rate N] [--sources N]

It is the flood of Tests/Rigs/network/flood_sources.py, which says from where the connections come and what they send.
"""

import argparse

import wire
from flood_sources import Flood

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", required=True)
    parser.add_argument("--rate", type=int, default=3_000)
    parser.add_argument("--sources", type=int, default=240)
    arguments = parser.parse_args()
    flood = Flood(arguments.target, arguments.rate, arguments.sources)

    def attack(figures):
        wire.ready()
        try:
            flood.attack()
        finally:
            figures.update(flood.figures)

    wire.perform(attack)
