"""Advantages and areas with their intervals."""

import math

import numpy as np


def advantage(wins, clusters):
    """Returns the signed advantage 2·win − 1 and its standard error.

    `wins` are 1, 0, or 0.5 for a coin. Games of one window share devices, so the error is at least that of the means of
    the windows.
    """
    wins = np.asarray(wins, float)
    error = 0.5 / math.sqrt(len(wins))
    names, place = np.unique(clusters, return_inverse=True)
    if len(names) > 10:
        sums = np.bincount(place, wins - wins.mean())
        error = max(error, math.sqrt((sums**2).sum()) / len(wins))
    return 2 * wins.mean() - 1, 2 * error


def area(same, different):
    """Returns the area under the curve (Mann and Whitney) and its standard error (Hanley and McNeil)."""
    n, m = len(same), len(different)
    ranks = np.concatenate([same, different])
    _, place, counts = np.unique(ranks, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2
    value = (middle[place][:n].sum() - n * (n + 1) / 2) / (n * m)
    q1, q2 = value / (2 - value), 2 * value**2 / (1 + value)
    variance = (value * (1 - value) + (n - 1) * (q1 - value**2) + (m - 1) * (q2 - value**2)) / (n * m)
    return value, math.sqrt(max(variance, 1 / (12 * n * m)))


def rare(same, different, rate=1e-3):
    """Returns the share of true pairs that are found where so many false ones are."""
    limit = np.quantile(different, 1 - rate)
    return float((same > limit).mean())


def deviations(tests, chance):
    """Returns the number of standard deviations that one of so many tests exceeds by chance, with this probability."""
    wanted, low, high = 1 - chance / (2 * tests), 0.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if 0.5 * (1 + math.erf(middle / math.sqrt(2))) < wanted else (low, middle)
    return high
