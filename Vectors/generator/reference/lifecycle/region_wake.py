"""Specs/lifecycle.md: entering and leaving regions."""

from ...tools import steps as scenario
from ...tools.fields import U16, Entry, Flag, ListOf, Record, Text
from ...tools.operations import operation


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
