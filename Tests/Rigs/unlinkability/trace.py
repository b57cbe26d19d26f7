"""Reads what an observer heard: a trace, and beside it the truth, which the adversaries do not get. README.md has the format."""

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

EPOCH = 900_000.0
# The longest value whose distance from another one is a number; longer ones are equal or not, in whole or in part.
NUMBER = 4


@dataclass
class Line:
    """Frames of the same bytes under one address. Times are in milliseconds."""

    kind: str
    source: str
    first: float
    last: float
    count: int
    mean: float
    deviation: float
    data: bytes


@dataclass
class Trace:
    """The bundles of a crowd: all that was heard of one device in one window is a bundle."""

    lines: dict = field(default_factory=dict)  # of a bundle
    owner: np.ndarray = None  # the device of each bundle
    window: np.ndarray = None
    boundary: float = 0.0  # at which window 0 begins
    strength: np.ndarray = None  # of each device, in dBm
    crystal: np.ndarray = None  # of each device, in parts per million

    @property
    def devices(self):
        return int(self.owner.max()) + 1

    @property
    def windows(self):
        return int(self.window.max()) + 1

    def table(self):
        """The bundles by device and window; -1 where nothing was heard."""
        table = np.full((self.devices, self.windows), -1)
        table[self.owner, self.window] = np.arange(len(self.owner))
        return table


def read(trace_file, truth_file):
    """Reads both files. The bundles get new numbers, from 0."""
    trace, owners, windows, numbers, strengths, crystals = Trace(), [], [], {}, {}, {}
    with open(truth_file, encoding="ascii") as lines:
        for line in lines:
            what, *words = line.split()
            if what == "boundary":
                trace.boundary = float(words[0])
            elif what == "device":
                strengths[int(words[0])], crystals[int(words[0])] = float(words[1]), float(words[2])
            elif what == "bundle":
                numbers[int(words[0])] = len(owners)
                owners.append(int(words[1]))
                windows.append(int(words[2]))
            else:
                raise ValueError(f"{truth_file}: '{what}' is no kind of line")
    trace.owner, trace.window = np.array(owners), np.array(windows)
    count = int(trace.owner.max()) + 1
    trace.strength = np.array([strengths.get(device, 0.0) for device in range(count)])
    trace.crystal = np.array([crystals.get(device, 0.0) for device in range(count)])
    found = defaultdict(list)
    with open(trace_file, encoding="ascii") as lines:
        for line in lines:
            number, kind, source, first, last, heard, mean, deviation, data = line.rstrip("\n").split("\t")
            found[numbers[int(number)]].append(
                Line(kind, source, float(first), float(last), int(heard), float(mean), float(deviation), bytes.fromhex(data)))
    trace.lines = found
    return trace


@dataclass
class Layout:
    """Which bytes differ between bundles: learnt from a trace of other seeds, as an attacker learns a protocol.

    The runs of bytes that differ are the fields; all others are public constants.
    """

    kinds: list
    lengths: dict  # of the longest line of a kind
    fields: list  # (kind, from, to)

    @classmethod
    def learn(cls, trace):
        seen = defaultdict(list)
        for lines in trace.lines.values():
            for line in lines:
                seen[line.kind].append(line.data)
        fields, lengths = [], {}
        for kind in sorted(seen):
            lengths[kind] = max(map(len, seen[kind]))
            table = padded(seen[kind], lengths[kind])
            differs = (table != table[0]).any(axis=0)
            # In a long run a byte may be equal by chance, or one of few characters: runs that nearly touch are one.
            start = None
            for place in range(len(differs) + 1):
                is_inside = place < len(differs) and differs[place]
                if is_inside and start is None:
                    start = place
                if not is_inside and start is not None:
                    fields.append((kind, start, place))
                    start = None
        return cls(sorted(seen), lengths, fields)


def padded(values, length):
    table = np.zeros((len(values), length), dtype=np.uint8)
    for row, value in enumerate(values):
        value = value[:length]
        table[row, : len(value)] = np.frombuffer(value, dtype=np.uint8)
    return table


@dataclass
class Features:
    """What an adversary computes of each bundle. Absent values are not-a-number; absent fields are all zero and marked."""

    names: list
    numbers: np.ndarray  # bundles × numbers, of level 1: bytes under our control
    timing_names: list
    timing: np.ndarray  # of level 2: when the device was heard first and last
    hardware: np.ndarray  # of level 3: received power and interval with the crystal's error
    present: dict  # by kind
    table: dict  # by kind: bundles × bytes
    fields: list
    tokens: list  # of each bundle: a set of addresses and of field values longer than NUMBER

    def values(self, kind, start, end):
        return self.table[kind][:, start:end]


def features(trace, layout, draws):
    count = len(trace.owner)
    names, columns = [], []
    present = {kind: np.zeros(count, bool) for kind in layout.kinds}
    tables = {kind: np.zeros((count, layout.lengths[kind]), np.uint8) for kind in layout.kinds}
    tokens = [set() for _ in range(count)]
    measures = ("lines", "length", "frames", "interval", "deviation", "kind of address", "extra")
    values = {kind: np.full((count, len(measures)), np.nan) for kind in layout.kinds}
    for bundle in range(count):
        row_of = {}
        for line in trace.lines.get(bundle, ()):
            if line.kind not in tables:
                continue
            address_kind, _, address = line.source.partition(" ")
            if address:
                tokens[bundle].add(address)
            row = values[line.kind][bundle]
            if line.kind in row_of:
                row[0] += 1
                continue
            row_of[line.kind] = line
            data = line.data[: layout.lengths[line.kind]]
            tables[line.kind][bundle, : len(data)] = np.frombuffer(data, np.uint8)
            present[line.kind][bundle] = True
            row[:] = (1, len(line.data), line.count, line.mean if line.count > 2 else np.nan,
                      line.deviation if line.count > 2 else np.nan, len(address_kind), 0)
        for kind, start, end in layout.fields:
            line = row_of.get(kind)
            if line and end - start > NUMBER:
                tokens[bundle].add(line.data[start:end])
    for kind in layout.kinds:
        for place, measure in enumerate(measures[:-1]):
            names.append(f"{kind}: {measure}")
            columns.append(values[kind][:, place])
        names.append(f"{kind}: present")
        columns.append(present[kind].astype(float))
    timing_names, timing = timing_of(trace)
    strength = trace.strength[trace.owner] + draws.normal(0, 1, count)
    beacon = values["beacon"][:, 3] if "beacon" in values else np.full(count, np.nan)
    hardware = np.column_stack([strength, beacon * (1 + trace.crystal[trace.owner] * 1e-6)])
    return Features(names, np.column_stack(columns), timing_names, timing, hardware, present, tables, layout.fields, tokens)


def timing_of(trace):
    """When each technology was heard first and last, in milliseconds after the begin of its window, and the goodbye."""
    names = ["radio first", "radio last", "network first", "network last", "goodbye"]
    timing = np.full((len(trace.owner), len(names)), np.nan)
    for bundle, lines in trace.lines.items():
        begin = trace.boundary + trace.window[bundle] * EPOCH
        for place, kinds in ((0, ("beacon",)), (2, ("response", "query"))):
            heard = [line for line in lines if line.kind in kinds]
            if heard:
                timing[bundle, place] = min(line.first for line in heard) - begin
                timing[bundle, place + 1] = max(line.last for line in heard) - begin
        goodbyes = [line.first for line in lines if line.kind == "goodbye"]
        if goodbyes:
            timing[bundle, 4] = goodbyes[0] - begin
    return names, timing


def split(trace):
    """Returns the first third of the windows, and the rest."""
    limit = max(2, trace.windows // 3)
    parts = []
    for kept, begin in ((trace.window < limit, 0), (trace.window >= limit, limit)):
        numbers = {old: new for new, old in enumerate(np.flatnonzero(kept))}
        parts.append(Trace(
            {numbers[bundle]: lines for bundle, lines in trace.lines.items() if bundle in numbers}, trace.owner[kept],
            trace.window[kept] - begin, trace.boundary + begin * EPOCH, trace.strength, trace.crystal))
    return parts
