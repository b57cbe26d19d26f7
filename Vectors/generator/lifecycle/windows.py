"""Specs/lifecycle.md: windows of execution, checkpoints and regions."""

from ..fields import U16, Flag, Integer, ListOf, Record, Text
from ..operations import operation
from ..records import Entry
from . import steps as scenario

NUMBER = Integer(0, 2**64 - 1)
KINDS = ("reinitialise", "handle-event", "persist", "network", "user-interface", "computation")
DONE_IN_ORDER = ("reinitialise", "handle-event", "persist")
ROOM_IN_ORDER = ("reinitialise", "persist", "handle-event")
DURATION = Integer(0, 1_000_000)


@operation(
    "execution-window",
    Record(
        occasion=Text(values=("relaunch", "leaving-foreground")),
        abuses=Integer(0, 1_000),
        extensions=Integer(0, 3),
        elapsed=DURATION,
        jobs=ListOf(Entry(kind=Text(values=KINDS), milliseconds=DURATION), high=64),
    ),
    Record(
        granted=ListOf(Flag()),
        budget=DURATION,
        spent=DURATION,
        order=ListOf(Integer(0, 63)),
        refused=ListOf(Record(job=Integer(0, 63), why=Text(values=("kind", "room")))),
    ),
)
def execution_window(occasion, abuses, extensions, elapsed, jobs):
    granted = [occasion == "relaunch" and n == 0 for n in range(extensions)]
    length = (30_000 if any(granted) else 10_000) // 2 ** min(abuses, 3)
    budget = max(0, length - elapsed)
    spent = 0
    accepted, why = set(), {}
    for kind in ROOM_IN_ORDER:
        for place, job in enumerate(jobs):
            if job["kind"] != kind:
                continue
            if spent + job["milliseconds"] <= budget:
                spent += job["milliseconds"]
                accepted.add(place)
            else:
                why[place] = "room"
    why |= {place: "kind" for place, job in enumerate(jobs) if job["kind"] not in DONE_IN_ORDER}
    order = [place for kind in DONE_IN_ORDER for place in sorted(accepted) if jobs[place]["kind"] == kind]
    refused = [{"job": place, "why": why[place]} for place in sorted(why)]
    return {"granted": granted, "budget": budget, "spent": spent, "order": order, "refused": refused}


class Journal:
    """All numbers that are there; `last` is the one before the first gap."""

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


class Regions:
    LOOK = 3_000

    def __init__(self, monitored, foreground):
        self.minors = {}
        for region in monitored[:20]:
            self.minors.setdefault(region["region"], region.get("minor"))
        self.foreground = foreground
        self.inside = set()
        self.looks = {}  # region: [end or None, minors so far]
        self.now = 0
        self.effects = []

    @property
    def wake(self):
        return min((end for end, _ in self.looks.values() if end is not None), default=None)

    def say(self, effect, **members):
        self.effects.append({"at": self.now, "effect": effect, **members})

    def fire(self):
        self.stop([region for region, (end, _) in self.looks.items() if end is not None and end <= self.now])

    def stop(self, regions):
        for region in sorted(regions):
            if self.looks.pop(region, None) is not None:
                self.say("stop-ranging", region=region)

    def look(self, region):
        if self.minors[region] is not None:
            self.say("identify", region=region, minors=[self.minors[region]])
        elif region not in self.looks:
            self.looks[region] = [None if self.foreground else self.now + self.LOOK, set()]
            self.say("start-ranging", region=region)

    def take(self, event, members):
        self.fire()
        if event == "foreground":
            self.turn(members["foreground"])
        else:
            getattr(self, event.replace("-", "_"))(**members)

    def entered(self, region):
        if region in self.minors and region not in self.inside:
            self.display_woke([region])

    def exited(self, region):
        if region in self.inside:
            self.inside.remove(region)
            self.stop([region])
            self.say("left", region=region)

    def display_woke(self, regions):
        known = sorted(set(regions) & set(self.minors))
        self.inside |= set(known)
        if known and not self.foreground:
            self.say("open-window")
        for region in known:
            self.look(region)

    def ranged(self, region, minors):
        if region in self.looks:
            heard = self.looks[region][1]
            new = sorted(set(minors) - heard)
            heard |= set(new)
            if new:
                self.say("identify", region=region, minors=new)

    def ranging_failed(self, region):
        self.looks.pop(region, None)

    def turn(self, foreground):
        if foreground == self.foreground:
            return
        self.foreground = foreground
        if not foreground:
            return self.stop(list(self.looks))
        for look in self.looks.values():
            look[0] = None
        for region in sorted(self.inside):
            self.look(region)

    def window_ended(self):
        if not self.foreground:
            self.stop(list(self.looks))


REGION_MEMBERS = {
    "region": U16,
    "regions": ListOf(U16, high=64),
    "minors": ListOf(U16, high=64),
    "foreground": Flag(),
}
REGION_EVENTS = {
    "entered": (("region",), ()),
    "exited": (("region",), ()),
    "display-woke": (("regions",), ()),
    "ranged": (("region", "minors"), ()),
    "ranging-failed": (("region",), ()),
    "foreground": (("foreground",), ()),
    "window-ended": ((), ()),
}


@operation(
    "region-wake",
    Record(
        monitored=ListOf(Entry(optional=("minor",), region=U16, minor=U16), high=64),
        foreground=Flag(),
        **scenario.arguments(REGION_MEMBERS),
    ),
    Record(
        effects=ListOf(
            Record(optional=("region", "minors"), at=scenario.MOMENT, effect=Text(), region=U16, minors=ListOf(U16))
        ),
        inside=ListOf(U16),
    ),
    refusals=scenario.REFUSALS,
    events=REGION_EVENTS,
)
def region_wake(monitored, foreground, steps, until):
    scenario.check(steps, until, REGION_EVENTS)
    machine = Regions(monitored, foreground)
    return {"effects": scenario.run(machine, steps, until), "inside": sorted(machine.inside)}
