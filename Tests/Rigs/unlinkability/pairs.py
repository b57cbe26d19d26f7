"""What an adversary computes of two bundles, one of an earlier and one of a later window."""

import numpy as np
from trace import NUMBER

LEVELS = {1: "bytes, addresses, types, lengths, counts and intervals", 2: "the same, and when each was heard first and last",
          3: "the same, and received power and crystals"}


class Pairs:
    """Compares bundles by number. The columns of the levels lie one behind the other: a level takes those up to its end."""

    def __init__(self, features):
        self.features = features
        self.numbers = [(kind, start, end) for kind, start, end in features.fields if end - start <= NUMBER]
        self.values = {}
        for kind, start, end in self.numbers:
            data = features.values(kind, start, end).astype(np.float64)
            self.values[kind, start] = data @ (256.0 ** np.arange(end - start)[::-1])

    def differences(self, one, other, level):
        """Returns the comparisons of two arrays of bundles, and not-a-number where one of them lacks what is compared."""
        found = self.features
        columns = [np.abs(found.numbers[one] - found.numbers[other])]
        for kind, start, end in found.fields:
            absent = ~(found.present[kind][one] & found.present[kind][other])
            equal = found.values(kind, start, end)[one] == found.values(kind, start, end)[other]
            parts = [equal.mean(axis=1, keepdims=True)]
            if end - start <= NUMBER:
                parts += [equal.astype(float), np.log2(1 + self.distance(kind, start, end, one, other))[:, None]]
            block = np.hstack(parts)
            block[absent] = np.nan
            columns.append(block)
        if level >= 2:
            timing = found.timing
            gaps = [timing[other, 0] - timing[one, 1], timing[other, 2] - timing[one, 3]]
            columns += [np.abs(timing[one] - timing[other]), np.abs(np.column_stack(gaps))]
        if level >= 3:
            columns.append(np.abs(found.hardware[one] - found.hardware[other]))
        return np.hstack(columns).astype(np.float32)

    def distance(self, kind, start, end, one, other):
        """How far a number went on, modulo its size."""
        values = self.values[kind, start]
        return (values[other] - values[one]) % 256.0 ** (end - start)

    def names(self, level):
        found = list(self.features.names)
        for kind, start, end in self.features.fields:
            found.append(f"{kind} {start}…{end - 1}: equal bytes")
            if end - start <= NUMBER:
                found += [f"{kind} {place}: equal" for place in range(start, end)] + [f"{kind} {start}…{end - 1}: distance"]
        if level >= 2:
            found += [*self.features.timing_names, "radio gap", "network gap"]
        if level >= 3:
            found += ["received power", "interval with the crystal"]
        return found

    # Adversaries without training. Each returns a score of every pair: the higher, the more likely one device.

    def tokens(self, one, other):
        """The exact-token matcher: how many addresses and long values both show."""
        tokens = self.features.tokens
        return np.array([len(tokens[left] & tokens[right]) for left, right in zip(one, other)], dtype=float)

    def counters(self, one, other):
        """The counter-continuity matcher: the number that went on by the least."""
        best = np.full(len(one), np.inf)
        for kind, start, end in self.numbers:
            present = self.features.present[kind][one] & self.features.present[kind][other]
            part = self.distance(kind, start, end, one, other) / 256.0 ** (end - start)
            best = np.where(present, np.minimum(best, part), best)
        return -best

    def gaps(self, one, other):
        """The assignment matcher's cost: the time from the last frame of one to the first of the other, modulo the windows
        between; infinite where the later one was there before the earlier one had gone."""
        timing = self.features.timing
        gap = timing[other, 0] + 900_000.0 - timing[one, 1]
        return -np.where(gap >= 0, gap, 1e9)
