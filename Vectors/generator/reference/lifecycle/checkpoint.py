"""Specs/lifecycle.md: the journal, its flushes and markers."""

from ...tools import steps as scenario
from ...tools.fields import Entry, Integer, ListOf, Record, Text
from ...tools.operations import operation

NUMBER = Integer(0, 2**64 - 1)


class Journal:
    """The numbers received so far; `last` is the one before the first gap."""

    wake = None
    BEHIND = 1_024

    def __init__(self, entries):
        self.last = None
        self.behind = set()
        self.marked = None
        self.flushing = None
        self.marking = False
        self.now = 0
        self.effects = []
        for entry in entries:
            if entry["kind"] == "record":
                self.is_new(entry["number"])
                self.give_up()
                self.marked = None
            else:
                self.last = entry["number"] if self.last is None else max(self.last, entry["number"])
                self.close_gap()
                self.marked = entry["number"]

    def close_gap(self):
        while self.last + 1 in self.behind:
            self.last += 1
        self.behind = {number for number in self.behind if number > self.last}

    def is_new(self, number):
        if self.last is None:
            self.last = number
            return True
        if number <= self.last or number in self.behind:
            return False
        self.behind.add(number)
        self.close_gap()
        return True

    def verdict(self):
        if self.last is None:
            return {"verdict": "empty"}
        whole = self.marked == self.last and not self.behind
        return {"verdict": "complete" if whole else "incomplete", "number": self.last}

    def say(self, effect, **members):
        self.effects.append({"at": self.now, "effect": effect, **members})

    def take(self, event, members):
        getattr(self, event.replace("-", "_"))(**members)

    def received(self, number):
        had_gap = bool(self.behind)
        if self.is_new(number):
            self.marked = None
            self.say("write", number=number)
            lost = self.give_up()
            if lost:
                self.say("give-up", **lost)
            if self.behind and (lost or not had_gap):
                self.say("replay", number=self.last)

    def give_up(self):
        if len(self.behind) <= self.BEHIND:
            return None
        lost = {"number": self.last, "before": min(self.behind)}
        self.last = lost["before"]
        self.close_gap()
        return lost

    def left_foreground(self):
        if self.flushing is None and not self.marking and self.last is not None and self.marked != self.last:
            self.flushing = self.last
            self.say("begin-task")
            self.say("flush")

    def flushed(self):
        if self.flushing is not None:
            number, self.flushing, self.marking = self.flushing, None, True
            self.marked = number if self.last == number else None
            self.say("write-marker", number=number)

    def marker_written(self):
        if self.marking:
            self.marking = False
            self.say("end-task")

    def expired(self):
        if self.marking or self.flushing is not None:
            self.flushing, self.marking, self.marked = None, False, None
            self.say("end-task")


CHECKPOINT_EVENTS = {
    "received": (("number",), ()),
    "left-foreground": ((), ()),
    "flushed": ((), ()),
    "marker-written": ((), ()),
    "expired": ((), ()),
}


@operation(
    "checkpoint",
    Record(
        journal=ListOf(Entry(kind=Text(values=("record", "marker")), number=NUMBER), high=4_096),
        **scenario.arguments({"number": NUMBER}),
    ),
    Record(
        start=Record(optional=("number",), verdict=Text(values=("empty", "complete", "incomplete")), number=NUMBER),
        effects=ListOf(
            Record(optional=("number", "before"), at=scenario.MOMENT, effect=Text(), number=NUMBER, before=NUMBER)
        ),
    ),
    refusals=scenario.REFUSALS,
    events=CHECKPOINT_EVENTS,
)
def checkpoint(journal, steps, until):
    scenario.check(steps, until, CHECKPOINT_EVENTS)
    machine = Journal(journal)
    start = machine.verdict()
    return {"start": start, "effects": scenario.run(machine, steps, until)}
