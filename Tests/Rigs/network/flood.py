#!/usr/bin/env python3
"""A short form of the benchmark for the gate: nodes confirm each other in time, use little memory at rest, and stay reachable
and small while a stranger sends random bytes as fast as one process can.

    flood.py [--seconds N]

The limits are wide, so that a busy machine does not exceed them; `make bench` measures the figures. Without root it measures
nothing, says so and exits with 0.
"""

import argparse
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Benchmarks"))
import measures  # noqa: E402
from measures import Failed  # noqa: E402

failures = []


def expect(condition, text):
    print(f"{'✓' if condition else '✗'} {text}", flush=True)
    if not condition:
        failures.append(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=5, help="how long the flood lasts at least (default 5)")
    seconds = parser.parse_args().seconds
    if os.geteuid() != 0:
        print("NOT RUN: needs root, for hosts of its own")
        return 0
    say = lambda text: print(text, flush=True)  # noqa: E731
    try:
        met = [meeting["without"] for meeting in measures.meetings(3, 3, say)]
        expect(statistics.median(met) <= 1.5, "announcement to mutual confirmation, without the drawn delay: "
               + ", ".join(f"{value:.2f}" for value in met) + " s; median at most 1.5")
        run = measures.under_flood(seconds, 1, 1, say)
        before = run["residentBeforeKiB"] * 1024
        expect(before <= 30_000_000, f"{before / 1e6:.1f} MB resident at rest; at most 30")
        [quiet], [flooded] = run["idle"], run["flooded"]
        expect(run["messagesPerSecond"] >= 100, f"{run['messages']:,} garbage first messages in {run['floodSeconds']:.0f} s, "
               f"{run['messagesPerSecond']:,.0f} a second")
        expect(flooded["without"] <= 5, f"meanwhile a contact confirmed within {flooded['without']:.2f} s, "
               f"in quiet within {quiet['without']:.2f} s; at most 5")
        expect(run["grownKiB"] <= 32 * 1024, f"memory grew by {run['grownKiB'] / 1024:.1f} MiB; at most 32")
    except Failed as failure:
        expect(False, str(failure))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
