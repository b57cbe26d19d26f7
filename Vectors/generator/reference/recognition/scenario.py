"""Specs/recognition.md: the operation that runs a scenario, a clock and its draws."""

from ...tools import steps as scenario_steps
from ...tools.fields import EPOCH, U16, U32, Bytes, Entry, Flag, Integer, ListOf, Record, Text
from ...tools.operations import operation
from .calls import TECHNOLOGIES
from .hearing import Now, Prediction
from .observer import Observer

LAST_MOMENT = 31_536_000_000
MOMENT = Integer(0, LAST_MOMENT)
DEVICE = Integer(0, 15)
ADDRESS = Bytes(6)
STATE = Text(values=("unseen", "candidate", "probable", "confirmed", "stale", "gone"))

MEMBERS = {
    "contact": U32,
    "prior": Integer(1, 62_259),
    "importance": Integer(1, 100),
    "arriveAfter": Integer(0, 86_400_000),
    "departAfter": Integer(0, 86_400_000),
    "leaveAfter": Integer(0, 86_400_000),
    "epoch": EPOCH,
    "name": Bytes(16),
    "minor": U16,
    "address": ADDRESS,
    "rssi": Integer(-127, 20),
    "tag": Bytes(16),
    "device": DEVICE,
    "initiator": Flag(),
    "over": Text(values=TECHNOLOGIES),
    "why": Text(values=("unreachable", "reset", "silent", "refused", "stranger")),
    "milliseconds": U32,
    "ahead": Integer(-31_536_000, 31_536_000),
    "observed": MOMENT,
    "uncertainty": Integer(0, 3_600_000),
}
OBSERVATION = ("observed", "uncertainty")
OPTIONS = ("prior", "importance", "arriveAfter", "departAfter", "leaveAfter")
# The required and the optional members of each event.
EVENTS = {
    "add": (("contact",), OPTIONS),
    "options": (("contact",), OPTIONS),
    "remove": (("contact",), ()),
    "table": (("epoch",), ()),
    "name": (("name",), OBSERVATION),
    "vanished": (("name",), ()),
    "forgotten": ((), ()),
    "minor": (("minor", "address", "rssi"), OBSERVATION),
    "overflow": (("address",), OBSERVATION),
    "tag": (("address",), ("tag", *OBSERVATION)),
    "unread": (("address",), ()),
    "confirmed": (("contact", "device", "initiator"), ("over",)),
    "failed": (("contact", "why"), ("over",)),
    "heard": (("contact", "device"), ()),
    "ended": (("contact", "device"), ()),
    "leaves": (("contact", "device"), ()),
    "cut": (("over",), ()),
    "crowded": ((), ()),
    "gap": (("milliseconds",), ()),
    "clock": (("ahead",), ()),
    "restart": ((), ()),
}


STEP = Entry(optional=MEMBERS, at=MOMENT, event=Text(), **MEMBERS)
PREDICTION = Entry(contact=U32, device=DEVICE, epoch=EPOCH, name=Bytes(16), minor=U16, tag=Bytes(16))
EFFECT = Record(
    optional=("contacts", "contact", "from", "to", "device", "epoch", "name", "tag", "minor", "address"),
    at=MOMENT,
    effect=Text(values=("outside", "contested", "replayed", "state", "arrived", "left", "attempt", "read")),
    contacts=ListOf(U32, low=1),
    contact=U32,
    **{"from": STATE, "to": STATE},
    device=DEVICE,
    epoch=EPOCH,
    name=Bytes(16),
    tag=Bytes(16),
    minor=U16,
    address=ADDRESS,
)


class Scenario:
    def __init__(self, start, decoys, draws, predictions):
        self.start = start
        self.ahead = 0
        self.decoys = decoys
        self.draws = draws
        self.drawn = 0
        self.predictions = [Prediction(**prediction) for prediction in predictions]
        self.effects = []
        self.restart()

    def restart(self):
        self.observer = Observer(self.predictions, self.decoys, self.draw)

    def draw(self):
        self.drawn += 1
        return self.draws[(self.drawn - 1) % len(self.draws)]

    def now(self, at):
        return Now(at, (self.start + self.ahead) * 1000 + at)

    def wait(self, before):
        """Fires the timer at each moment before this one that the observer requests."""
        while self.observer.wake is not None and self.observer.wake < before:
            self.effects += self.observer.settle(self.now(self.observer.wake))

    def take(self, at, event, members):
        if event == "clock":
            self.ahead = members["ahead"]
        elif event == "restart":
            self.restart()
        else:
            if "observed" in members:
                members = {**members, "observed": self.start * 1000 + members["observed"]}
            handler = {"table": "put_in_force", "gap": "set_gap", "crowded": "crowd"}.get(event, event)
            getattr(self.observer, handler)(self.now(at), **members)
            self.effects += self.observer.settle(self.now(at))

    def states(self, at):
        posteriors = self.observer.posteriors(self.now(at))
        return [
            {"contact": contact, "state": known.state, "posterior": posteriors[contact]}
            for contact, known in sorted(self.observer.contacts.items())
        ]


@operation(
    "recognition",
    Record(
        optional=("decoys",),
        start=Integer(1_000_000, 3_700_000_000),
        decoys=Integer(0, 65_535),
        draws=ListOf(Integer(0, 2**64 - 1), low=1, high=64),
        predictions=ListOf(PREDICTION, high=4_096),
        steps=ListOf(STEP, high=2_048),
        until=MOMENT,
    ),
    Record(
        effects=ListOf(EFFECT),
        states=ListOf(Record(contact=U32, state=STATE, posterior=Integer(1, 62_259))),
    ),
    refusals=scenario_steps.REFUSALS,
    events=EVENTS,
)
def recognition(start, draws, predictions, steps, until, decoys=0):
    scenario_steps.check(steps, until, EVENTS)
    scenario = Scenario(start, decoys, draws, predictions)
    for members in steps:
        at, event = members.pop("at"), members.pop("event")
        scenario.wait(at)
        scenario.take(at, event, members)
    scenario.wait(until + 1)
    return {"effects": scenario.effects, "states": scenario.states(until)}
