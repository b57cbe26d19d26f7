"""Counts what must never occur in a trace, and tests what must be random."""

from collections import Counter, defaultdict

import numpy as np
from scipy import stats


def carried(trace, found):
    """Returns frames of two windows mixed, and values that were seen in more than one window.

    An address with two contents, one content of a device under two addresses, and an address or long value in two windows
    are counted; so short a value as a minor returns by chance, and `returns` tests whether it does so more often.
    """
    contents, token_windows, mixed = defaultdict(set), defaultdict(set), 0
    for bundle, lines in trace.lines.items():
        window, senders = int(trace.window[bundle]), defaultdict(set)
        for line in lines:
            address = line.source.partition(" ")[2]
            if address:
                contents[address].add((line.kind, line.data))
                senders[line.kind, line.data].add(address)
        mixed += sum(len(addresses) - 1 for addresses in senders.values())
        for token in found.tokens[bundle]:
            token_windows[token].add(window)
    mixed += sum(len(values) - 1 for values in contents.values())
    lasting = sum(len(windows) - 1 for windows in token_windows.values())
    return mixed, lasting


def lifetimes(trace):
    """Returns for how many seconds the longest-lived address, and the frame of a set, was heard."""
    first, last = {}, {}
    for lines in trace.lines.values():
        for line in lines:
            address = line.source.partition(" ")[2]
            if address:
                first[address] = min(first.get(address, line.first), line.first)
                last[address] = max(last.get(address, line.last), line.last)
    return max((last[address] - first[address]) / 1000 for address in first) if first else 0.0


def returns(trace, pairs):
    """Returns for each short value how often it was equal in two windows that follow each other, how often chance makes it
    so, and the probability of at least as many."""
    table, found = trace.table(), []
    one, other = table[:, :-1].ravel(), table[:, 1:].ravel()
    kept = (one >= 0) & (other >= 0)
    one, other = one[kept], other[kept]
    for kind, start, end in pairs.numbers:
        present = pairs.features.present[kind]
        values, known = pairs.values[kind, start], present[one] & present[other]
        equal = int((values[one] == values[other])[known].sum())
        # What two different devices show has the same chance.
        counts = Counter(values[present].tolist())
        total = present.sum()
        chance = sum(count * (count - 1) for count in counts.values()) / max(total * (total - 1), 1)
        chance = max(chance, 256.0 ** -(end - start))
        expected = known.sum() * chance
        found.append((f"{kind} {start}…{end - 1}", equal, float(expected), at_least(equal, expected)))
    return found


def at_least(equal, expected):
    """Returns the probability of at least so many, by chance."""
    return float(stats.poisson.sf(equal - 1, expected)) if equal else 1.0


def minors_of(trace, pairs):
    """Returns the minors of a crowd, by device and window."""
    field = next((kind, start) for kind, start, end in pairs.numbers if kind == "beacon" and end - start == 2)
    return pairs.values[field][trace.table()]


def minors(tables):
    """Returns p-values of the distribution of minors and of the correlation of those of one device in windows that follow."""
    values = np.concatenate([table.ravel() for table in tables])
    bins = 65_536 if len(values) > 5 * 65_536 else 256
    counts = np.bincount((values * bins / 65_536).astype(int), minlength=bins)
    found = stats.pearsonr(
        np.concatenate([table[:, :-1].ravel() for table in tables]), np.concatenate([table[:, 1:].ravel() for table in tables]))
    return len(values), bins, float(stats.chisquare(counts).pvalue), float(found.statistic), float(found.pvalue)


def crossing(moments):
    """Returns the rank correlation, over all rotations, of the moments at which the two technologies were heard again."""
    radio, network = moments[~np.isnan(moments).any(axis=1)].T
    found = stats.spearmanr(radio, network)
    return len(radio), float(found.statistic), float(found.pvalue)
