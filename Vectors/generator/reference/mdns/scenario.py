"""Specs/mdns.md: the operation that runs a scenario of a device, with a clock and its draws."""

from ...tools import steps as scenario_steps
from ...tools.fields import U16, U32, Bytes, Entry, Flag, Integer, ListOf, Record, Text
from ...tools.operations import operation
from .addresses import PREFIX
from .device import Device, Interface
from .sending import ADDRESS, INSTANCE

INTERFACE = Entry(
    number=U32,
    ipv4=Flag(),
    ipv6=Flag(),
    published=ListOf(ADDRESS, high=8),
    prefixes=ListOf(PREFIX, high=16),
    loopback=Flag(),
    shown=Flag(),
)
INTERFACES = ListOf(INTERFACE, high=8)
INSTANCES = ListOf(Entry(**INSTANCE), high=16)
KNOWN = ListOf(Entry(name=Bytes(16), host=Bytes(16)), high=512)
MEMBERS = {
    "interfaces": INTERFACES,
    "answered": INSTANCES,
    "known": KNOWN,
    "name": Bytes(16),
    "host": Bytes(16),
    "packet": Bytes(high=16_384),
    "interface": U32,
    "source": ADDRESS,
    "port": U16,
    "hopLimit": Integer(0, 255),
    "goodbye": Flag(),
}
# The required and the optional members of each event.
EVENTS = {
    "start": ((), ()),
    "interfaces": (("interfaces",), ()),
    "answered": (("answered",), ()),
    "known": (("known",), ()),
    "search": (("name",), ("host",)),
    "packet": (("packet", "interface", "source", "port", "hopLimit"), ()),
    "stop": (("goodbye",), ()),
}
ENDPOINT = Record(optional=("interface",), address=ADDRESS, port=U16, interface=U32)
EFFECT = Record(
    optional=("interface", "ipv6", "packet", "to", "port", "name", "endpoints"),
    at=scenario_steps.MOMENT,
    effect=Text(values=("send", "appeared", "vanished", "found", "not-found", "imitated")),
    interface=U32,
    ipv6=Flag(),
    packet=Bytes(),
    to=ADDRESS,
    port=U16,
    name=Bytes(16),
    endpoints=ListOf(ENDPOINT, low=1, high=8),
)


def interfaces_of(given):
    return [
        Interface(
            one["number"],
            tuple(family for family, is_there in ((False, one["ipv4"]), (True, one["ipv6"])) if is_there),
            one["published"],
            [(prefix["address"], prefix["length"]) for prefix in one["prefixes"]],
            one["loopback"],
            one["shown"],
        )
        for one in given
    ]


def known_of(given):
    return {one["name"]: one["host"] for one in given}


class Scenario(Device):
    """A device that takes steps."""

    def take(self, event, members):
        if event == "start":
            self.start()
        elif event == "interfaces" and not self.has_stopped:
            self.change_interfaces(interfaces_of(members["interfaces"]))
        elif event == "answered":
            self.change_answered(members["answered"])
        elif event == "known":
            self.change_known(known_of(members["known"]))
        elif event == "search":
            self.search(**members)
        elif event == "packet":
            self.receive(members["packet"], *(members[name] for name in ("interface", "source", "port", "hopLimit")))
        elif event == "stop":
            self.stop(members["goodbye"])


@operation(
    "mdns",
    Record(
        optional=("announced",),
        announced=Entry(**INSTANCE),
        answered=INSTANCES,
        browses=Flag(),
        known=KNOWN,
        interfaces=INTERFACES,
        draws=ListOf(Integer(0, 2**64 - 1), low=1, high=64),
        **scenario_steps.arguments(MEMBERS),
    ),
    Record(effects=ListOf(EFFECT)),
    refusals=scenario_steps.REFUSALS,
    events=EVENTS,
)
def mdns(answered, browses, known, interfaces, draws, steps, until, announced=None):
    scenario_steps.check(steps, until, EVENTS)
    drawn = iter(range(2**62))

    def draw():
        return draws[next(drawn) % len(draws)]

    device = Scenario(draw, announced, answered, browses, known_of(known), interfaces_of(interfaces))
    return {"effects": scenario_steps.run(device, steps, until)}
