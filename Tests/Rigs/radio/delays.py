"""How long after each boundary a node is heard again over each technology, and whether one delay tells of the other.

Whoever hears both technologies sees a beacon end and begin, and a name end and begin. If the two begin together, or at moments of which
one follows from the other, they belong to one device.
"""

import math
import random

from judge import EPOCH
from rig import expect

LEAST_EPOCHS = 60
# A silent gap, and a moment for the work after it.
LONGEST = 11
# Standard deviations of the coefficient of independent draws: chance exceeds them once in ten thousand runs.
BOUND = 3.9
# What a joint draw would leave between the two technologies, in seconds.
NOISE = 1


def after_boundaries(epochs, times):
    """Returns, for each epoch, the seconds from its begin to the first of these times in it; None where there is none."""
    firsts = {}
    for time in sorted(times):
        firsts.setdefault(int(time) // EPOCH, time)
    return [firsts[epoch] - epoch * EPOCH if epoch in firsts else None for epoch in epochs]


def rank_correlation(one, other):
    """Returns Spearman's coefficient of two lists of the same length, whose values all differ."""
    first, second = ranks(one), ranks(other)
    count = len(one)
    return 1 - 6 * sum((a - b) ** 2 for a, b in zip(first, second)) / (count * (count ** 2 - 1))


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0] * len(values)
    for rank, index in enumerate(order):
        found[index] = rank
    return found


def is_tied(one, other):
    """Whether two lists of delays belong together by more than chance."""
    return abs(rank_correlation(one, other)) * math.sqrt(len(one) - 1) > BOUND


def check(name, epochs, radio, wire):
    """Requires that a node is heard over both technologies in each of these epochs, within the gap, at independent moments."""
    heard, sent = after_boundaries(epochs, radio), after_boundaries(epochs, wire)
    whole = [(a, b) for a, b in zip(heard, sent) if a is not None and b is not None]
    if not expect(len(whole) == len(epochs) >= LEAST_EPOCHS, f"{name} is heard over both technologies in {len(whole)} of {len(epochs)} epochs"):
        return
    heard, sent = map(list, zip(*whole))
    expect(max(heard + sent) <= LONGEST, f"{name} is heard at most {max(heard):.1f} s after a boundary over Bluetooth, {max(sent):.1f} s on the network")
    differences = [abs(a - b) for a, b in whole]
    expect(not is_tied(heard, sent), f"{name}: of {len(whole)} delays over Bluetooth and on the network the coefficient is {rank_correlation(heard, sent):+.2f}; "
           f"chance stays within {BOUND / math.sqrt(len(whole) - 1):.2f}; they are {min(differences):.2f} to {max(differences):.1f} s apart")
    noise = random.Random(3)
    for what, planted in (("one draw for both", [a + noise.uniform(0, NOISE) for a in heard]),
                          ("a second draw that is the rest of the first", [LONGEST - a + noise.uniform(0, NOISE) for a in heard])):
        expect(is_tied(heard, planted), f"{name}: planted: {what} is found: {rank_correlation(heard, planted):+.2f}")
