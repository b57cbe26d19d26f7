#!/usr/bin/env python3
"""A short form of the benchmark for the gate: nodes confirm each other in time, use little memory at rest, and stay reachable
and small while a stranger sends random bytes as fast as one process can. Then a node meets its contacts in epochs of 25 s,
first in quiet and then while 3,000 connections a second come from 240 neighbours and from 480 addresses of one more, silent,
with random bytes, and with half a message.

    flood.py [--seconds N] [--epochs N] [--sources]
    flood.py --figure

With --figure 10,000 connections a second come in an epoch of 150 s, and the figure that was promised is judged:
at most 5 % of a core, at most 32 MiB, and no contact waits longer than twice the longest time in quiet.

The other limits are wide, so that a busy machine does not exceed them; `make verify-bench` measures the figures. Without root it
measures nothing, says so and exits with 0.
"""

import argparse
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Benchmarks"))
import measures  # noqa: E402
from measures import Failed  # noqa: E402

# Connections a second in the gate, and for the figure; there the clock is slower, so that epochs last 150 s.
RATE, FIGURE_RATE, SLOWER = 3_000, 10_000, 6
failures = []


def expect(condition, text):
    print(f"{'✓' if condition else '✗'} {text}", flush=True)
    if not condition:
        failures.append(text)


def many_sources(epochs, say):
    """A control in quiet, and the flood."""
    for rate in (None, RATE):
        run = measures.meetings_of_epochs(3, epochs, say, rate=rate)
        expect_meetings(run, 0.95 if rate else 1, "flooded" if rate else "quiet")
        if not rate:
            continue
        expect_flood(run, 500)
        say(f"  the node used {run['processorPercent']:.0f} % of a core; `make verify-floods` judges that")


def figure(say):
    """reliability: 10,000 garbage first messages a second cost at most 5 % of a core, and contacts wait at most twice as long."""
    quiet, flooded = (measures.meetings_of_epochs(6, 1, say, rate=rate, faster=SLOWER) for rate in (None, FIGURE_RATE))
    expect_meetings(quiet, 1, "quiet")
    expect_meetings(flooded, 0.99, "flooded")
    expect_flood(flooded, 0.95 * FIGURE_RATE)
    expect(flooded["processorPercent"] <= 5, f"the node used {flooded['processorPercent']:.1f} % of a core; at most 5 "
           f"(in quiet {quiet['processorPercent']:.1f})")
    idle, busy = max(quiet["waited"]), max(flooded["waited"])
    expect(busy <= 2 * idle, f"contacts waited at most {busy:.2f} s for each other, median {statistics.median(flooded['waited']):.2f}; "
           f"in quiet {idle:.2f}, median {statistics.median(quiet['waited']):.2f}; at most twice as long")
    print(f"figure: processor share in a flood = {flooded['processorPercent']:.1f} % of a core\n"
          f"figure: longest wait of contacts = {busy:.2f} s, in quiet {idle:.2f} s\n"
          f"figure: memory grown = {flooded['grownKiB'] / 1024:.1f} MiB")


def expect_meetings(run, least, label):
    missed = f"; missed: {run['missed']}" if run["missed"] else ""
    expect(run["met"] >= least * run["nodeEpochs"], f"{label}: {run['met']} of {run['nodeEpochs']} node-epochs with a meeting; at "
           f"least {least:.0%}{missed}")


def expect_flood(run, least):
    sent = run["sent"]
    rate = sent["tried"] / sent["seconds"]
    expect(rate >= least, f"{rate:,.0f} connections a second, {sent['made']:,} of {sent['tried']:,} made: {sent['silent']:,} silent, "
           f"{sent['garbage']:,} of random bytes, {sent['half']:,} of half a message")
    expect(run["grownKiB"] <= 32 * 1024, f"memory grew by {run['grownKiB'] / 1024:.1f} MiB; at most 32")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=5, help="how long the flood lasts at least (default 5)")
    parser.add_argument("--epochs", type=int, default=2, help="how many epochs with and without 240 sources (default 2)")
    parser.add_argument("--sources", action="store_true", help="only the part with 240 sources")
    parser.add_argument("--figure", action="store_true", help="only 10,000 connections a second, as promised")
    arguments = parser.parse_args()
    seconds = arguments.seconds
    if os.geteuid() != 0:
        print("NOT RUN: needs root, for hosts of its own")
        return 0
    say = lambda text: print(text, flush=True)  # noqa: E731
    try:
        if arguments.figure:
            figure(say)
            return 1 if failures else 0
        many_sources(arguments.epochs, say)
        if arguments.sources:
            return 1 if failures else 0
        met = [meeting["without"] for meeting in measures.meetings(3, 3, say)]
        expect(statistics.median(met) <= 1.5, "announcement to mutual confirmation, without the drawn delay: "
               + ", ".join(f"{value:.2f}" for value in met) + " s; median at most 1.5")
        run = measures.under_flood(seconds, 1, 1, say)
        before = run["residentBeforeKiB"] * 1024
        # The goal is 30 MB, and `make bench` says that it is missed; no more than this lands.
        expect(before <= 32_000_000, f"{before / 1e6:.1f} MB resident at rest; at most 32")
        [quiet], [flooded] = run["idle"], run["flooded"]
        expect(run["triedPerSecond"] >= 100 and run["messages"], f"{run['tried']:,} connections of one neighbour in "
               f"{run['floodSeconds']:.0f} s, {run['triedPerSecond']:,.0f} a second, {run['messages']:,} garbage first messages")
        expect(flooded["without"] <= 5, f"meanwhile a contact confirmed within {flooded['without']:.2f} s, "
               f"in quiet within {quiet['without']:.2f} s; at most 5")
        expect(run["grownKiB"] <= 32 * 1024, f"memory grew by {run['grownKiB'] / 1024:.1f} MiB; at most 32")
    except Failed as failure:
        expect(False, str(failure))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
