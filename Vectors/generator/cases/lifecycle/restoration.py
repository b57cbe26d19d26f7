"""Cases for the restoration of Specs/lifecycle.md."""

from ...reference.lifecycle import restoration as model
from ...tools.family import Case, Family, argument_refusals, replaced
from .steps import effect, numbers, refused_steps, step, walk

CENTRAL, PERIPHERAL = "example.inkling.central", "example.inkling.peripheral"
OWN = ["data", "pairing"]
CONNECTED, LOST = {"route": 7, "linked": True}, {"route": 8, "linked": False}


def launched(at, cause="bluetooth-central"):
    return step(at, "launched", cause=cause)


def radio(at, state="on"):
    return step(at, "radio", state=state)


def given(at, *peripherals, scanning=()):
    return step(at, "restored-central", peripherals=list(peripherals), scanning=list(scanning))


def given_services(at, *services):
    return step(at, "restored-peripheral", services=list(services))


def ignored(at, why):
    return effect(at, "ignore", why=why)


def created(at, identifier=CENTRAL, window=True):
    more = [effect(at, "open-window")] if window else []
    return [effect(at, "create-manager", identifier=identifier), *more]


def scenario(comment, requirements, steps, effects=None, flags=(), **changes):
    args = {"role": "central", "central": CENTRAL, "peripheral": PERIPHERAL, "last": CENTRAL, "services": []}
    args |= changes
    args = {name: value for name, value in args.items() if value is not None}
    args |= {"steps": steps, "until": 1_000}
    return Case(comment, args, flags, numbers(requirements), result=None if effects is None else {"effects": effects})


def central_cases():
    cases = [
        scenario(
            "a relaunch: one peripheral is connected, the other is not, and a scan ran",
            (23, 24, 25, 26, 30),
            [launched(0), given(5, CONNECTED, LOST, scanning=OWN), radio(9)],
            [
                *created(0),
                effect(5, "adopt", route=7),
                effect(5, "adopt", route=8),
                effect(9, "resume", **CONNECTED),
                effect(9, "resume", **LOST),
                effect(9, "scan", services=OWN),
                effect(9, "ready"),
            ],
        ),
        scenario(
            "launched by the user: nothing restored, and no window",
            (23, 30),
            [launched(0, "user"), radio(9)],
            [*created(0, window=False), effect(9, "ready")],
        ),
        scenario(
            "the first run stores the identifier",
            (20,),
            [launched(0, "user")],
            [effect(0, "store-identifier", identifier=CENTRAL), *created(0, window=False)],
            last=None,
        ),
        scenario(
            "another identifier than the stored one",
            (20, 22),
            [launched(0)],
            [effect(0, "refuse-identifier", identifier=CENTRAL), *created(0, "example.old")],
            last="example.old",
        ),
        scenario(
            "restored and nothing to scan for",
            (26,),
            [launched(0), given(5, LOST), radio(9)],
            [*created(0), effect(5, "adopt", route=8), effect(9, "resume", **LOST), effect(9, "ready")],
        ),
        scenario(
            "restored nothing at all",
            (26,),
            [launched(0), given(5), radio(9)],
            [*created(0), effect(9, "ready")],
        ),
        scenario(
            "an unknown state before: what was restored waits",
            (25,),
            [launched(0), radio(1, "unknown"), given(5, LOST), radio(6, "unknown"), radio(9)],
            [*created(0), effect(5, "adopt", route=8), effect(9, "resume", **LOST), effect(9, "ready")],
        ),
        scenario(
            "restored after the state of the radio",
            (28,),
            [launched(0), radio(5), given(9, LOST)],
            [*created(0), effect(5, "ready"), ignored(9, "late")],
        ),
        scenario(
            "restored before the launch",
            (28,),
            [given(0, LOST), radio(1), launched(2), radio(3)],
            [ignored(0, "not-launched"), ignored(1, "not-launched"), *created(2), effect(3, "ready")],
        ),
        scenario(
            "restored twice",
            (28,),
            [launched(0), given(1, LOST), given(2, CONNECTED), radio(3), given(4, LOST)],
            [
                *created(0),
                effect(1, "adopt", route=8),
                ignored(2, "repeated"),
                effect(3, "resume", **LOST),
                effect(3, "ready"),
                ignored(4, "repeated"),
            ],
        ),
        scenario(
            "a second launch makes no second manager",
            (23, 28),
            [launched(0), launched(1, "user"), launched(2, "location")],
            [*created(0), ignored(1, "second-manager"), ignored(2, "second-manager")],
        ),
        scenario(
            "what a peripheral is given is not a central's",
            (28,),
            [given_services(0, "data"), launched(1), given_services(2, "data"), radio(3)],
            [ignored(0, "other-role"), *created(1), ignored(2, "other-role"), effect(3, "ready")],
        ),
        scenario(
            "the radio twice, off, and on again",
            (26, 29),
            [
                launched(0),
                given(1, LOST, scanning=OWN),
                radio(2),
                radio(3),
                radio(4, "off"),
                radio(5, "resetting"),
                radio(6),
            ],
            [
                *created(0),
                effect(1, "adopt", route=8),
                effect(2, "resume", **LOST),
                effect(2, "scan", services=OWN),
                effect(2, "ready"),
                effect(4, "unready"),
                effect(6, "ready"),
            ],
        ),
        scenario(
            "unknown after on is not on",
            (29,),
            [launched(0), radio(1), radio(2, "unknown"), radio(3)],
            [*created(0), effect(1, "ready"), effect(2, "unready"), effect(3, "ready")],
        ),
    ]
    for cause in model.CAUSES:
        expected = created(0, window=cause != "user")
        cases.append(scenario(f"launched because of {cause}", (23, 30), [launched(0, cause)], expected))
    for state in ("resetting", "unsupported", "unauthorized", "off"):
        expected = [*created(0), effect(1, "adopt", route=8), effect(3, "ready")]
        steps = [launched(0), given(1, LOST), radio(2, state), radio(3)]
        cases.append(scenario(f"restored, and then {state}", (29,), steps, expected))
    return cases


def peripheral_cases():
    def of_peripheral(comment, requirements, steps, effects, services=OWN):
        effects = [*created(0, PERIPHERAL), *effects]
        return scenario(comment, requirements, steps, effects, role="peripheral", last=PERIPHERAL, services=services)

    start = launched(0, "bluetooth-peripheral")
    advertise = effect(9, "advertise", services=OWN)
    data, pairing, old = ({"service": name} for name in ("data", "pairing", "old"))
    ready = effect(9, "ready")
    return [
        of_peripheral("everything restored", (27,), [start, given_services(5, *OWN), radio(9)], [advertise, ready]),
        of_peripheral(
            "nothing restored",
            (27,),
            [start, radio(9)],
            [effect(9, "add-service", **data), effect(9, "add-service", **pairing), advertise, ready],
        ),
        of_peripheral(
            "one restored, and one that is none of its own",
            (27,),
            [start, given_services(5, "old", "pairing"), radio(9)],
            [effect(9, "remove-service", **old), effect(9, "add-service", **data), advertise, ready],
        ),
        of_peripheral(
            "the radio goes: everything is published anew",
            (27, 29),
            [start, given_services(5, *OWN), radio(9), radio(10, "off"), radio(11)],
            [
                advertise,
                ready,
                effect(10, "unready"),
                effect(11, "add-service", **data),
                effect(11, "add-service", **pairing),
                effect(11, "advertise", services=OWN),
                effect(11, "ready"),
            ],
        ),
        of_peripheral(
            "nothing to publish",
            (27,),
            [start, given_services(5, "old"), radio(9)],
            [effect(9, "remove-service", **old), ready],
            [],
        ),
        of_peripheral(
            "what a central is given", (28,), [start, given(5, LOST), radio(9)], [ignored(5, "other-role"), ready], []
        ),
    ]


VALID = {
    "role": "central",
    "central": CENTRAL,
    "peripheral": PERIPHERAL,
    "last": CENTRAL,
    "services": OWN,
    "steps": [launched(0), given(5, LOST, scanning=["data"]), given_services(6, "data"), radio(9)],
    "until": 20,
}


def identifier_cases():
    def refused(comment, reason, **changes):
        return Case(comment, replaced(VALID, **changes), ("refusal",), numbers((21,)), error=("identifier", reason))

    def taken(comment, **changes):
        return Case(comment, replaced(VALID, **changes), ("boundary",), numbers((21,)))

    uuid = "E20A39F4-73F5-4BC4-A12F-17D1AD07A961"
    return [
        refused("an empty identifier", "empty", central=""),
        refused("an empty identifier of the peripheral", "empty", peripheral=""),
        refused("129 bytes", "too-long", central="a" * 129),
        refused("65 letters of two bytes", "too-long", peripheral="ä" * 65),
        taken("128 bytes", central="a" * 128),
        taken("64 letters of two bytes", central="ä" * 64),
        refused("a UUID", "generated", central=uuid),
        refused("a UUID in lower case", "generated", peripheral=uuid.lower()),
        taken("a UUID without hyphens", central=uuid.replace("-", "")),
        taken("a UUID with a prefix", central=f"example.{uuid}"),
        taken("a UUID with a letter that is no digit", central=uuid.replace("E", "G", 1)),
        taken("digits of another script in the form of a UUID", central="２" + uuid[1:]),
        refused("the same for both", "same", peripheral=CENTRAL),
        refused("the central's fault comes first", "generated", central=uuid, peripheral=""),
    ]


def walk_cases():
    def choice(dice):
        kind = dice.randrange(5)
        if kind == 0:
            return "launched", {"cause": dice.choice(model.CAUSES)}
        if kind == 1:
            some = [{"route": n, "linked": dice.random() < 0.5} for n in range(dice.randrange(3))]
            return "restored-central", {"peripherals": some, "scanning": dice.sample(OWN, dice.randrange(3))}
        if kind == 2:
            return "restored-peripheral", {"services": dice.sample([*OWN, "old"], dice.randrange(4))}
        return "radio", {"state": dice.choice((*model.STATES, "on", "on"))}

    def make(role):
        def finish(steps, until):
            last = {"central": CENTRAL, "peripheral": "example.old"}[role]
            return replaced(VALID, role=role, last=last, steps=steps, until=until)

        return finish

    return [
        Case(
            f"a walk at random, number {seed}",
            walk("restoration", seed, make("central" if seed % 2 else "peripheral"), [], [choice], length=12),
            ("generated",),
            numbers((23, 28)),
        )
        for seed in range(16)
    ]


def refusal_cases():
    def argument(comment, reason, **changes):
        return Case(comment, replaced(VALID, **changes), ("argument",), ("INK-CNF-004",), error=("arguments", reason))

    return [
        Case("every event with every member that it may have", VALID, (), ()),
        *(one for one in argument_refusals("restoration", VALID) if one.comment != "last is absent"),
        *refused_steps("restoration", VALID, model.EVENTS),
        argument("an unknown role", "out-of-range", role="observer"),
        argument("an unknown cause", "out-of-range", steps=[step(0, "launched", cause="push")]),
        argument("an unknown state", "out-of-range", steps=[radio(0, "dim")]),
        argument("a peripheral without a route", "missing", steps=[given(0, {"linked": True})]),
        argument("a peripheral with a member too many", "unknown-field", steps=[given(0, {**LOST, "name": "x"})]),
        argument("a service without a letter", "wrong-length", services=[""]),
        argument("17 services", "wrong-length", services=["a"] * 17),
    ]


FAMILIES = [
    Family(
        "restoration",
        "Specs/lifecycle.md",
        "Scenarios: one manager of an app, from the launch until commands can be given.",
        [*central_cases(), *peripheral_cases(), *identifier_cases(), *walk_cases(), *refusal_cases()],
        insensitive={
            member: "A scenario also shows what must not matter, and not every value in it does." for member in VALID
        },
    )
]
