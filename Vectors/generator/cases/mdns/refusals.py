"""Arguments and steps that are refused."""

from ...tools.family import Case, argument_refusals, replaced
from .parts import ADDRESS, BROWSE, HOST, INSTANCE, LINK_LOCAL, NAME, interface, known, other_name, step

HIDDEN = {"name": "aa" * 16, "host": "bb" * 16, "port": 9}
STEPS = [
    step(0, "start"),
    step(1_000, "known", known=known(1)),
    step(2_000, "answered", answered=[HIDDEN]),
    step(3_000, "interfaces", interfaces=[interface(ipv6=True, published=[ADDRESS, LINK_LOCAL])]),
    step(4_000, "search", name=other_name(1), host=HOST),
    step(5_000, "packet", packet=BROWSE, interface=2, source="0a4d0002", port=5_353, hopLimit=255),
    step(6_000, "stop", goodbye=True),
]
OPTIONAL = {"host"}
VALID = {
    "announced": INSTANCE,
    "answered": [HIDDEN],
    "browses": True,
    "known": known(1),
    "interfaces": [interface()],
    "draws": ["0"],
    "steps": STEPS,
    "until": 20_000,
}
# For each member of a step, values out of range, of a wrong length, and of a wrong type.
OUTSIDE = {"packet": {"interface": 2**32, "port": 65_536, "hopLimit": 256}}
BELOW = {"packet": {"interface": -1, "port": -1, "hopLimit": -1}}
LENGTHS = {
    "search": {"name": NAME[2:], "host": HOST + "00"},
    "packet": {"source": ADDRESS + "00", "packet": "00" * 16_385},
}
TYPES = {
    "known": {"known": {}},
    "answered": {"answered": "none"},
    "interfaces": {"interfaces": 7},
    "stop": {"goodbye": 1},
}


def changed_step(of, **members):
    return [one | members if one["event"] == of else one for one in STEPS]


def without(event, member):
    return [
        {name: value for name, value in one.items() if name != member} if one["event"] == event else one
        for one in STEPS
    ]


def refusal_cases():
    def argument(comment, reason, **changes):
        args = replaced(VALID, **changes)
        return Case(comment, args, ("argument",), ("INK-CNF-004",), error=("arguments", reason))

    def refused(comment, reason, steps):
        return Case(comment, replaced(VALID, steps=steps), ("refusal",), ("INK-CNF-004",), error=("step", reason))

    def on(**members):
        return {"interfaces": [interface() | members]}

    def lacking(one, member):
        return {name: value for name, value in one.items() if name != member}

    cases = [Case("every event with every member that it may have", VALID, (), ())]
    cases += [one for one in argument_refusals("mdns", VALID) if one.comment != "announced is absent"]
    cases += [
        argument("no draw", "wrong-length", draws=[]),
        argument("65 draws", "wrong-length", draws=["0"] * 65),
        argument("a draw of 2^64", "out-of-range", draws=[str(2**64)]),
        argument("an announced instance that is a list", "wrong-type", announced=[]),
        argument("an announced instance without a port", "missing", announced=lacking(INSTANCE, "port")),
        argument("an announced instance with a member too many", "unknown-field", announced={**INSTANCE, "surplus": 1}),
        argument("an announced instance with port 65,536", "out-of-range", announced={**INSTANCE, "port": 65_536}),
        argument("a name of 15 bytes", "wrong-length", announced={**INSTANCE, "name": NAME[2:]}),
        argument("a host in upper case", "bad-hex", announced={**INSTANCE, "host": HOST.upper()}),
        argument("17 answered instances", "wrong-length", answered=[HIDDEN] * 17),
        argument("513 known names", "wrong-length", known=known(1) * 513),
        argument("a known name without a host", "missing", known=[lacking(known(1)[0], "host")]),
        argument("nine interfaces", "wrong-length", interfaces=[interface()] * 9),
        *[
            argument(f"an interface without {member}", "missing", interfaces=[lacking(interface(), member)])
            for member in interface()
        ],
        argument("an interface with a member too many", "unknown-field", **on(surplus=1)),
        argument("interface 2^32", "out-of-range", **on(number=2**32)),
        argument("nine addresses", "wrong-length", **on(published=[ADDRESS] * 9)),
        argument("an address of 6 bytes", "wrong-length", **on(published=[ADDRESS + "0000"])),
        argument("17 prefixes", "wrong-length", **on(prefixes=[{"address": ADDRESS, "length": 8}] * 17)),
        argument("a prefix of 129 bits", "out-of-range", **on(prefixes=[{"address": LINK_LOCAL, "length": 129}])),
        argument("a prefix without a length", "missing", **on(prefixes=[{"address": LINK_LOCAL}])),
        argument("a family that is a number", "wrong-type", **on(ipv4=1)),
        argument("a loopback that is a text", "wrong-type", **on(loopback="true")),
        argument("2,049 steps", "wrong-length", steps=[step(0, "start")] * 2_049),
        argument("a step that is a number", "wrong-type", steps=[7]),
        argument("a step with a member that no event has", "unknown-field", steps=changed_step("start", surplus=1)),
        argument("a step with a member of another event", "unknown-field", steps=changed_step("start", name=NAME)),
        argument("a step without a moment", "missing", steps=without("start", "at")),
        argument("a step without an event", "missing", steps=without("start", "event")),
        argument("a step whose moment is null", "wrong-type", steps=changed_step("start", at=None)),
        argument("a step whose moment is negative", "out-of-range", steps=[step(-1, "start")]),
        argument("a step whose event is a number", "wrong-type", steps=changed_step("start", event=7)),
        argument("a packet with an odd number of digits", "bad-hex", steps=changed_step("packet", packet="000")),
        argument("the end is before the last step", "out-of-range", until=5_999),
    ]
    for table, what, reason in (
        (OUTSIDE, "above its range", "out-of-range"),
        (BELOW, "below its range", "out-of-range"),
        (LENGTHS, "of another length", "wrong-length"),
        (TYPES, "of another type", "wrong-type"),
    ):
        for event, members in table.items():
            cases += [
                argument(f"{event}: {key} {what}", reason, steps=changed_step(event, **{key: value}))
                for key, value in members.items()
            ]
    cases += [
        refused(f"{one['event']} without {member}", "missing", without(one["event"], member))
        for one in STEPS
        for member in one
        if member not in OPTIONAL | {"at", "event"}
    ]
    return cases + [
        refused("an event that does not exist", "unknown-event", [step(0, "weather")]),
        refused("an event in upper case", "unknown-event", [step(0, "Start")]),
        refused("a moment that descends", "out-of-order", [step(1, "start"), step(0, "start")]),
    ]
