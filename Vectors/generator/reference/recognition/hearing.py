"""Specs/recognition.md, by radio: addresses, traces, strangers, tags, and the posterior."""

from collections import defaultdict, namedtuple
from dataclasses import dataclass, field

SKEW = 120_000
EPOCH_LENGTH = 900_000
ADDRESSES_OF_A_TRACE = 8
MOST_TRACES = 1024
MOST_TAGS = 64
MINORS_OF_AN_ADDRESS = 3
STEADY_AFTER = 1_000
WHOLE = 65_536
HEARD_FROM_OWNER = 58_982
CEILING = 62_259
MOST_STRANGERS = 1_048_576
MOST_GAPS = 8
CANDIDATE, PROBABLE = 1, 2
PROBABLE_FROM = 52_429
CANDIDATE_FROM = 3_277

Prediction = namedtuple("Prediction", "contact device epoch name minor tag")


@dataclass(frozen=True)
class Now:
    """A moment on both clocks, in milliseconds: the monotonic clock and protocol time."""

    real: int
    protocol: int

    @property
    def epoch(self):
        return self.protocol // EPOCH_LENGTH

    def moment(self, protocol):
        """Converts protocol time to the monotonic clock."""
        return self.real + protocol - self.protocol


def window(epoch):
    return EPOCH_LENGTH * epoch - SKEW, EPOCH_LENGTH * (epoch + 1) + SKEW


def is_open(epoch, now):
    start, end = window(epoch)
    return start <= now.protocol < end


@dataclass
class Span:
    """From the latest bound of the first sighting to the earliest bound of the last one, on the monotonic clock."""

    first: int
    last: int

    def note(self, earliest, latest):
        self.first = min(self.first, latest)
        self.last = max(self.last, earliest)

    def overlaps(self, other):
        return self.first <= other.last and other.first <= self.last

    @property
    def length(self):
        return self.last - self.first

    @property
    def is_steady(self):
        return self.length >= STEADY_AFTER


@dataclass
class Address:
    span: Span
    believed: bool = True
    present: int | None = None  # the last minor seen
    void: int | None = None  # a minor that turned out to be a stranger's
    shown_in: int | None = None  # the epoch of `shown`
    shown: set = field(default_factory=set)
    noted: set = field(default_factory=set)  # minors noted as outside their window, each with the epoch of the note
    # Epochs of the observer: of the last attempt for each kind of value, with its contact; of the last reading, with the
    # number of readings in it; and of the last draw for a decoy.
    attempted: dict = field(default_factory=dict)
    read: tuple = (None, 0)
    diced: int | None = None


@dataclass
class Trace:
    minor: int
    epoch: int
    predictions: list = field(default_factory=list)
    addresses: dict = field(default_factory=dict)
    contested: bool = False
    strangers: int = 1  # their weight at the latest sighting

    @property
    def contacts(self):
        return {prediction.contact for prediction in self.predictions}

    @property
    def last(self):
        return max(span.last for span in self.addresses.values())

    @property
    def overlaps(self):
        spans = list(self.addresses.values())
        return any(one.overlaps(other) for at, one in enumerate(spans) for other in spans[:at])

    def note(self, address, earliest, latest):
        if address in self.addresses:
            self.addresses[address].note(earliest, latest)
            return
        if len(self.addresses) == ADDRESSES_OF_A_TRACE:
            del self.addresses[min(self.addresses, key=lambda known: (self.addresses[known].last, known))]
        self.addresses[address] = Span(latest, earliest)


class Hearing:
    def __init__(self):
        self.gap = 30_000
        self.cut = None  # the last moment at which the links of the radio were cut
        self.addresses = {}
        self.traces = {}  # by minor and epoch
        self.strangers = defaultdict(set)  # by epoch of the observer: pairs of address and minor
        self.minors = defaultdict(set)  # by epoch of the observer: what was heard, of strangers and of contacts
        self.crowded = None  # the last epoch of the observer in which the radio left out what is not predicted
        self.proven = {}  # by address: the contact that was confirmed there by a handshake of our own, and its epoch
        self.tags = {}  # by address: the predictions of the tag, each with the last moment at which it is evidence

    # Sightings

    def hear(self, now, address, earliest, latest):
        """Records a sighting of an address; the bounds are protocol time."""
        moments = now.moment(earliest), now.moment(latest)
        # A scenario has fewer steps than the bound on addresses, so none is ever dropped.
        if address in self.addresses:
            self.addresses[address].span.note(*moments)
        else:
            self.addresses[address] = Address(Span(moments[1], moments[0]))
        for prediction, last in self.tags.get(address, {}).items():
            if earliest < window(prediction.epoch)[1]:
                self.tags[address][prediction] = max(last, moments[0])
        return self.addresses[address]

    def judge(self, now, minor, address, earliest, latest, predictions):
        """Judges a minor; returns the reason and the contacts of each note. The bounds are protocol time."""
        record = self.hear(now, address, earliest, latest)
        if not record.believed or (record.void is not None and record.void == minor):
            return "void", []
        record.void, record.present = None, minor
        if record.shown_in != now.epoch:
            record.shown_in, record.shown = now.epoch, set()
        if minor not in record.shown and len(record.shown) == MINORS_OF_AN_ADDRESS:
            self.distrust(address)
            return "juggles", []
        record.shown.add(minor)
        self.minors[now.epoch].add(minor)
        if not predictions:
            self.strangers[now.epoch].add((address, minor))
            return "stranger", []
        windows = {prediction.epoch: window(prediction.epoch) for prediction in predictions}
        met = [epoch for epoch, (start, end) in sorted(windows.items()) if latest >= start and earliest < end]
        if not met:
            if all(earliest >= end for _, end in windows.values()):
                self.distrust(address)
            fresh = (minor, now.epoch) not in record.noted
            record.noted.add((minor, now.epoch))
            return "outside", [[prediction.contact for prediction in predictions]] if fresh else []
        contested = []
        for epoch in met:
            trace = self.traces.setdefault((minor, epoch), Trace(minor, epoch))
            trace.predictions = [prediction for prediction in predictions if prediction.epoch == epoch]
            trace.strangers = self.stranger_weight(now)
            trace.note(address, now.moment(earliest), now.moment(latest))
            if not trace.contested and trace.overlaps:
                trace.contested = True
                contested.append([prediction.contact for prediction in trace.predictions])
        while len(self.traces) > MOST_TRACES:
            del self.traces[min(self.traces, key=lambda key: (self.traces[key].last, key))]
        return "inside", contested

    def leave_traces(self, address):
        for trace in self.traces.values():
            trace.addresses.pop(address, None)
        self.drop_empty()

    def distrust(self, address):
        self.addresses[address].believed = False
        self.proven.pop(address, None)
        self.leave_traces(address)
        self.tags.pop(address, None)

    def found_stranger(self, address):
        if (record := self.addresses.get(address)) is not None:
            record.void = record.present
            self.proven.pop(address, None)
            self.leave_traces(address)

    def store_tag(self, address, predictions):
        self.tags.pop(address, None)
        if len(self.tags) == MOST_TAGS:
            del self.tags[next(iter(self.tags))]
        self.tags[address] = predictions

    # State

    def drop_empty(self):
        self.traces = {key: trace for key, trace in self.traces.items() if trace.addresses and trace.predictions}
        self.tags = {address: predictions for address, predictions in self.tags.items() if predictions}

    def expire(self, now):
        """Traces end with the window of the epoch after theirs, tags with their own."""
        self.traces = {
            key: trace for key, trace in self.traces.items() if now.protocol < window(trace.epoch + 1)[1]
        }
        self.tags = {
            address: predictions
            for address, predictions in self.tags.items()
            if any(now.protocol < window(prediction.epoch + 1)[1] for prediction in predictions)
        }

    def forget(self, contact):
        self.proven = {address: known for address, known in self.proven.items() if known[0] != contact}
        for trace in self.traces.values():
            trace.predictions = [prediction for prediction in trace.predictions if prediction.contact != contact]
        for address, predictions in self.tags.items():
            self.tags[address] = {p: last for p, last in predictions.items() if p.contact != contact}
        self.drop_empty()

    def is_there(self, span, now):
        return now.real - span.last < self.gap

    def is_callable(self, span, now, ended=None):
        """Whether an address is there for a call: it was heard since the links were cut, and since a session ended."""
        is_later = (self.cut is None or span.last > self.cut) and (ended is None or span.last > ended)
        return self.is_there(span, now) and is_later

    def rivals(self, trace):
        """The contacts that may have shown this minor, in this epoch or in one whose window overlaps."""
        contacts = trace.contacts
        for epoch in (trace.epoch - 1, trace.epoch + 1):
            other = self.traces.get((trace.minor, epoch))
            if other is not None and other.addresses.keys() & trace.addresses.keys():
                contacts = contacts | other.contacts
        return contacts

    def level(self, trace, posterior):
        """The highest level of a contact with this trace and posterior, or None."""
        if posterior >= PROBABLE_FROM and not trace.contested and len(self.rivals(trace)) == 1:
            return PROBABLE
        return CANDIDATE if posterior >= CANDIDATE_FROM or trace.contested else None

    def proven_moments(self, trace, contact):
        """When the trace was last heard from addresses at which the contact was confirmed in the trace's epoch."""
        return [span.last for at, span in trace.addresses.items() if self.proven.get(at) == (contact, trace.epoch)]

    # Posterior

    def stranger_weight(self, now):
        counts = [len(self.strangers[epoch]) for epoch in (now.epoch, now.epoch - 1)]
        return min(1 + max(counts), MOST_STRANGERS)

    def posterior(self, contact, traces, prior_of, now):
        """The posterior of a contact from its traces."""
        prior = prior_of(contact)
        value = prior
        counted = sorted((trace for trace in traces if not trace.contested), key=lambda t: (t.last, t.epoch, t.minor))
        for trace, following in zip(counted, [*counted[1:], None]):
            own = value * HEARD_FROM_OWNER
            others = sum(prior_of(other) * HEARD_FROM_OWNER for other in trace.contacts if other != contact)
            value = min(own * WHOLE // (own + others + trace.strangers * WHOLE), CEILING)
            until = now.real if following is None else following.last
            for _ in range(min((until - trace.last) // self.gap, MOST_GAPS)):
                value = value * WHOLE // (value + 10 * (WHOLE - value))
            value = max(value, prior)
        return value
