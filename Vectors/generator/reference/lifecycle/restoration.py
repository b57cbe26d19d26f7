"""Specs/lifecycle.md: a manager from the launch until it accepts commands."""

import re

from ...tools import steps as scenario
from ...tools.fields import U32, Entry, Flag, ListOf, Record, Text
from ...tools.operations import operation
from ...tools.refusal import Refusal

SERVICES = ListOf(Text(1, 64), high=16)
CAUSES = ("user", "bluetooth-central", "bluetooth-peripheral", "location")
STATES = ("unknown", "resetting", "unsupported", "unauthorized", "off", "on")
MEMBERS = {
    "cause": Text(values=CAUSES),
    "state": Text(values=STATES),
    "peripherals": ListOf(Entry(route=U32, linked=Flag()), high=64),
    "scanning": SERVICES,
    "services": SERVICES,
}
EVENTS = {
    "launched": (("cause",), ()),
    "restored-central": (("peripherals", "scanning"), ()),
    "restored-peripheral": (("services",), ()),
    "radio": (("state",), ()),
}
UUID = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


class Manager:
    wake = None

    def __init__(self, role, identifier, last, services):
        self.role, self.identifier, self.last, self.services = role, identifier, last, services
        self.launched = self.was_restored = self.told = self.on = False
        self.kept = None
        self.now = 0
        self.effects = []

    def say(self, effect, **members):
        self.effects.append({"at": self.now, "effect": effect, **members})

    def take(self, event, members):
        if event == "launched":
            self.launch(**members)
        elif event == "radio":
            self.radio(**members)
        else:
            self.restored(event.removeprefix("restored-"), members)

    def launch(self, cause):
        if self.launched:
            return self.say("ignore", why="second-manager")
        self.launched = True
        if self.last is None:
            self.say("store-identifier", identifier=self.identifier)
        elif self.last != self.identifier:
            self.say("refuse-identifier", identifier=self.identifier)
        self.say("create-manager", identifier=self.identifier if self.last is None else self.last)
        if cause != "user":
            self.say("open-window")

    def restored(self, role, given):
        faults = {
            "other-role": role != self.role,
            "not-launched": not self.launched,
            "repeated": self.was_restored,
            "late": self.told,
        }
        for why, is_so in faults.items():
            if is_so:
                return self.say("ignore", why=why)
        self.was_restored = True
        self.kept = given
        for peripheral in given.get("peripherals", ()):
            self.say("adopt", route=peripheral["route"])

    def radio(self, state):
        if not self.launched:
            return self.say("ignore", why="not-launched")
        if state == "unknown" and not self.told:
            return None
        self.told = True
        if state == "on":
            if not self.on:
                self.on = True
                kept, self.kept = self.kept or {}, None
                self.begin(**kept)
        else:
            self.kept = None
            if self.on:
                self.on = False
                self.say("unready")
        return None

    def begin(self, peripherals=(), scanning=(), services=()):
        if self.role == "central":
            for peripheral in peripherals:
                self.say("resume", **peripheral)
            if scanning:
                self.say("scan", services=scanning)
        else:
            for service in services:
                if service not in self.services:
                    self.say("remove-service", service=service)
            for service in self.services:
                if service not in services:
                    self.say("add-service", service=service)
            if self.services:
                self.say("advertise", services=self.services)
        self.say("ready")


def check_identifiers(central, peripheral):
    for one in (central, peripheral):
        if not one:
            raise Refusal("identifier", "empty")
        if len(one.encode("utf-8", "surrogatepass")) > 128:
            raise Refusal("identifier", "too-long")
        if UUID.fullmatch(one):
            raise Refusal("identifier", "generated")
    if central == peripheral:
        raise Refusal("identifier", "same")


@operation(
    "restoration",
    Record(
        optional=("last",),
        role=Text(values=("central", "peripheral")),
        central=Text(),
        peripheral=Text(),
        last=Text(),
        services=SERVICES,
        **scenario.arguments(MEMBERS),
    ),
    Record(
        effects=ListOf(
            Record(
                optional=("identifier", "route", "linked", "service", "services", "why"),
                at=scenario.MOMENT,
                effect=Text(),
                identifier=Text(),
                route=U32,
                linked=Flag(),
                service=Text(),
                services=ListOf(Text()),
                why=Text(values=("other-role", "not-launched", "repeated", "late", "second-manager")),
            )
        )
    ),
    refusals=[*scenario.REFUSALS, *(("identifier", why) for why in ("empty", "too-long", "generated", "same"))],
    events=EVENTS,
)
def restoration(role, central, peripheral, services, steps, until, last=None):
    scenario.check(steps, until, EVENTS)
    check_identifiers(central, peripheral)
    manager = Manager(role, central if role == "central" else peripheral, last, services)
    return {"effects": scenario.run(manager, steps, until)}
