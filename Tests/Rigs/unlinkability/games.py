"""The games: which of two devices is the one that was heard before, and which of fifty."""

from dataclasses import dataclass, field

import metrics
import numpy as np
from pairs import Pairs
from scipy.optimize import linear_sum_assignment
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from trace import Layout, features

APART = (1, 2, 96)
# Adversaries and the level of what they read. The first two of level 1 and the one of level 2 are not trained.
UNTRAINED = {"tokens": 1, "counters": 1, "gaps": 2}
TRAINED = {"regression": LogisticRegression, "trees": HistGradientBoostingClassifier}


@dataclass
class Adversaries:
    """What was learnt from traces of other seeds."""

    layout: Layout
    models: dict = field(default_factory=dict)  # by name and level
    columns: dict = field(default_factory=dict)  # by level: those that were not the same for all pairs

    def score(self, name, level, pairs, one, other):
        if name in UNTRAINED:
            return getattr(pairs, name)(one, other)
        return self.models[name, level].decision_function(pairs.differences(one, other, level)[:, self.columns[level]])


def couples(trace, apart, draws):
    """Returns bundles in order of (target's earlier, target's later, decoy's later), and the window of each.

    In each window every device is the target once, and the decoy once, of another.
    """
    table = trace.table()
    one, same, other, windows = [], [], [], []
    for window in range(trace.windows - apart):
        around = draws.permutation(trace.devices)
        target, decoy = around, np.roll(around, 1)
        kept = (table[target, window] >= 0) & (table[target, window + apart] >= 0) & (table[decoy, window + apart] >= 0)
        one.append(table[target, window][kept])
        same.append(table[target, window + apart][kept])
        other.append(table[decoy, window + apart][kept])
        windows.append(np.full(kept.sum(), window))
    return tuple(map(np.concatenate, (one, same, other, windows)))


def train(traces, levels, draws, most=12_000):
    """Trains the adversaries on pairs of one device and of two, of all distances."""
    layout = Layout.learn(traces[0])
    adversaries = Adversaries(layout)
    found = [(trace, Pairs(features(trace, layout, draws))) for trace in traces]
    for level in levels:
        rows, answers = [], []
        for trace, pairs in found:
            for apart in (1, 2, 3):
                if apart >= trace.windows:
                    continue
                one, same, other, _ = couples(trace, apart, draws)
                rows += [pairs.differences(one, same, level), pairs.differences(one, other, level)]
                answers += [np.ones(len(one)), np.zeros(len(one))]
        rows, answers = np.vstack(rows), np.concatenate(answers)
        chosen = draws.permutation(len(rows))[:most]
        rows, answers = rows[chosen], answers[chosen]
        known = ~np.isnan(rows)
        low = np.where(known, rows, np.inf).min(axis=0)
        adversaries.columns[level] = known.any(axis=0) & (low < np.where(known, rows, -np.inf).max(axis=0))
        rows = rows[:, adversaries.columns[level]]
        regression = make_pipeline(
            SimpleImputer(strategy="mean", keep_empty_features=True), StandardScaler(), LogisticRegression(C=0.1, max_iter=300))
        trees = HistGradientBoostingClassifier(max_iter=60, max_leaf_nodes=15, early_stopping=False, random_state=1)
        adversaries.models["regression", level] = regression.fit(rows, answers)
        adversaries.models["trees", level] = trees.fit(rows, answers)
    return adversaries


@dataclass
class Account:
    """The outcomes of one adversary at one level and distance, over all crowds."""

    wins: list = field(default_factory=list)
    clusters: list = field(default_factory=list)
    same: list = field(default_factory=list)
    different: list = field(default_factory=list)

    @property
    def games(self):
        return sum(map(len, self.wins))

    def advantage(self):
        return metrics.advantage(np.concatenate(self.wins), np.concatenate(self.clusters))

    def area(self):
        return metrics.area(np.concatenate(self.same), np.concatenate(self.different))

    def rare(self):
        return metrics.rare(np.concatenate(self.same), np.concatenate(self.different))


@dataclass
class Crowd:
    """The outcomes of one adversary who looks for all devices of a crowd at once."""

    hits: list = field(default_factory=list)  # of the assignment, one share for each window
    first: list = field(default_factory=list)  # whether the best candidate of each was the right one
    sizes: list = field(default_factory=list)  # of the effective anonymity sets


class Play:
    """Plays all games on traces, one after the other, and keeps the outcomes."""

    def __init__(self, adversaries, levels, draws, apart=APART, crowd_windows=20):
        self.adversaries, self.levels, self.draws, self.apart = adversaries, levels, draws, apart
        self.crowd_windows = crowd_windows
        self.accounts, self.crowds = {}, {}
        self.only = None
        self.count = 0

    def players(self, level):
        names = [name for name, read in UNTRAINED.items() if read == level] + [*TRAINED]
        return names if self.only is None else [name for name in names if name in self.only]

    def play(self, trace):
        pairs = Pairs(features(trace, self.adversaries.layout, self.draws))
        self.count += 1
        for apart in self.apart:
            if apart >= trace.windows:
                continue
            one, same, other, windows = couples(trace, apart, self.draws)
            for level in self.levels:
                for name in self.players(level):
                    right = self.adversaries.score(name, level, pairs, one, same)
                    wrong = self.adversaries.score(name, level, pairs, one, other)
                    account = self.accounts.setdefault((name, level, apart), Account())
                    # Who cannot tell throws a coin.
                    account.wins.append(np.where(right > wrong, 1.0, np.where(right < wrong, 0.0, self.draws.integers(0, 2, len(one)))))
                    account.clusters.append(windows + 10_000 * self.count)
                    account.same.append(right)
                    account.different.append(wrong)
        self.look_for_all(trace, pairs)
        return pairs

    def look_for_all(self, trace, pairs):
        """Lets adversaries assign the devices of one window to those of the next."""
        table, number = trace.table(), trace.devices
        windows = self.draws.permutation(trace.windows - 1)[: self.crowd_windows]
        for window in windows:
            if (table[:, window] < 0).any() or (table[:, window + 1] < 0).any():
                continue
            one = np.repeat(table[:, window], number)
            other = np.tile(table[:, window + 1], number)
            for level in self.levels:
                for name in [name for name in self.players(level) if name in ("gaps", "regression", "trees")]:
                    scores = self.adversaries.score(name, level, pairs, one, other).reshape(number, number)
                    crowd = self.crowds.setdefault((name, level), Crowd())
                    rows, columns = linear_sum_assignment(-scores)
                    crowd.hits.append((rows == columns).mean())
                    noise = self.draws.random(scores.shape) * 1e-9
                    crowd.first.append((np.argmax(scores + noise, axis=1) == np.arange(number)).mean())
                    if name == "regression":
                        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
                        weights /= weights.sum(axis=1, keepdims=True)
                        crowd.sizes.append(2 ** -(weights * np.log2(np.maximum(weights, 1e-300))).sum(axis=1))
