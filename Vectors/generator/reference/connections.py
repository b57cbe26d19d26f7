"""Specs/handshake.md: unauthenticated connections, and which of them make room."""

from collections import Counter

from ..tools import steps as scenario
from ..tools.fields import U32, Integer, ListOf, Record, Text
from ..tools.operations import operation

GRACE = 300
NUMBER = Integer(1, 4_096)

MEMBERS = {"connection": U32, "source": U32}
EVENTS = {
    "arrived": (("connection", "source"), ()),
    "complete": (("connection",), ()),
    "gate": (("connection",), ()),
    "closed": (("connection",), ()),
}


class Places:
    """Connections in the order in which they came: number, source, moment, and whether the first message is complete."""

    wake = None

    def __init__(self, strangers, strangers_per_source, passed, passed_per_source):
        self.most, self.most_of_source = strangers, strangers_per_source
        self.most_passed, self.most_passed_of_source = passed, passed_per_source
        self.strangers, self.passed = [], []
        self.now = 0
        self.effects = []

    def take(self, event, members):
        getattr(self, event)(**members)

    def reset(self, connection):
        self.effects.append({"at": self.now, "effect": "reset", "connection": connection})

    def arrived(self, connection, source):
        if connection in [one[0] for one in self.strangers + self.passed]:
            return
        held = [one[1] for one in self.strangers]
        of_source = held.count(source) >= self.most_of_source
        if of_source or len(held) >= self.most:
            counts = Counter(held)
            may_leave = [
                (complete, -counts[one_source], place)
                for place, (_, one_source, since, complete) in enumerate(self.strangers)
                if self.now - since >= GRACE and (one_source == source or not of_source)
            ]
            if not may_leave:
                return self.reset(connection)
            self.reset(self.strangers.pop(min(may_leave)[2])[0])
        self.strangers.append([connection, source, self.now, False])

    def complete(self, connection):
        for one in self.strangers:
            if one[0] == connection:
                one[3] = True

    def gate(self, connection):
        passing = [one for one in self.strangers if one[0] == connection]
        if not passing:
            return
        self.strangers.remove(passing[0])
        source, held = passing[0][1], [one[1] for one in self.passed]
        if held.count(source) >= self.most_passed_of_source:
            self.reset(self.passed.pop(held.index(source))[0])
        elif len(held) >= self.most_passed:
            counts = Counter(held)
            place = [counts[one] for one in held].index(max(counts.values()))
            self.reset(self.passed.pop(place)[0])
        self.passed.append(passing[0])

    def closed(self, connection):
        self.strangers = [one for one in self.strangers if one[0] != connection]
        self.passed = [one for one in self.passed if one[0] != connection]


@operation(
    "unauthenticated-connections",
    Record(
        strangers=NUMBER,
        strangersPerSource=NUMBER,
        passed=NUMBER,
        passedPerSource=NUMBER,
        **scenario.arguments(MEMBERS),
    ),
    Record(
        effects=ListOf(Record(at=scenario.MOMENT, effect=Text(values=("reset",)), connection=U32)),
        strangers=ListOf(U32),
        passed=ListOf(U32),
    ),
    refusals=scenario.REFUSALS,
    events=EVENTS,
)
def unauthenticated_connections(strangers, strangersPerSource, passed, passedPerSource, steps, until):  # noqa: N803
    scenario.check(steps, until, EVENTS)
    places = Places(strangers, strangersPerSource, passed, passedPerSource)
    effects = scenario.run(places, steps, until)
    return {
        "effects": effects,
        "strangers": [one[0] for one in places.strangers],
        "passed": [one[0] for one in places.passed],
    }
