"""Arguments and steps that are refused."""

from ...tools.family import Case, argument_refusals, replaced
from .parts import EPOCH, START, X, prediction, step

STEPS = [
    step(0, "table", epoch=EPOCH),
    step(0, "add", contact=1, prior=328, importance=1, arriveAfter=0, departAfter=120_000),
    step(1_000, "name", name="00" * 16, observed=1_000, uncertainty=0),
    step(2_000, "vanished", name="00" * 16),
    step(3_000, "minor", minor=7, address=X, rssi=-60),
    step(4_000, "overflow", address=X),
    step(5_000, "tag", address=X, tag="00" * 16),
    step(5_500, "unread", address=X),
    step(6_000, "confirmed", contact=1, device=0, initiator=True),
    step(7_000, "failed", contact=1, why="silent"),
    step(8_000, "heard", contact=1, device=0),
    step(9_000, "ended", contact=1, device=0),
    step(10_000, "gap", milliseconds=30_000),
    step(11_000, "clock", ahead=0),
    step(12_000, "remove", contact=1),
]
OPTIONAL = {"prior", "importance", "arriveAfter", "departAfter", "observed", "uncertainty", "tag"}
VALID = {
    "start": START,
    "decoys": 0,
    "draws": ["0"],
    "predictions": [prediction(1)],
    "steps": STEPS,
    "until": 20_000,
}
# For each member of a step, a value just out of range and one of a wrong type.
OUTSIDE = {
    "add": {"contact": 2**32, "prior": 62_260, "importance": 101, "arriveAfter": 86_400_001, "departAfter": 86_400_001},
    "table": {"epoch": 2**22},
    "name": {"observed": 31_536_000_001, "uncertainty": 3_600_001},
    "minor": {"minor": 65_536, "rssi": 21},
    "confirmed": {"contact": -1, "device": 16},
    "failed": {"contact": 2**32, "why": "tired"},
    "heard": {"device": -1},
    "clock": {"ahead": 31_536_001},
}
BELOW = {"add": {"prior": 0, "importance": 0}, "minor": {"rssi": -128}, "clock": {"ahead": -31_536_001}}


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

    def foretold(**members):
        return [prediction(1) | members]

    incomplete = {name: value for name, value in prediction(1).items() if name != "minor"}
    cases = [Case("every event with every member that it may have", VALID, (), ())]
    cases += [one for one in argument_refusals("recognition", VALID) if one.comment != "decoys is absent"]
    cases += [
        argument("no draw", "wrong-length", draws=[]),
        argument("65 draws", "wrong-length", draws=["0"] * 65),
        argument("a draw of 2^64", "out-of-range", draws=[str(2**64)]),
        argument("a draw below zero", "out-of-range", draws=[-1]),
        argument("a draw that is null", "wrong-type", draws=[None]),
        argument("4,097 predictions", "wrong-length", predictions=[prediction(1)] * 4_097),
        argument("a prediction that is a list", "wrong-type", predictions=[[]]),
        argument("a prediction with a member too many", "unknown-field", predictions=foretold(surplus=1)),
        argument("a prediction without a minor", "missing", predictions=[incomplete]),
        argument("a prediction for contact 2^32", "out-of-range", predictions=foretold(contact=2**32)),
        argument("a prediction for device 16", "out-of-range", predictions=foretold(device=16)),
        argument("a prediction for epoch 2^22", "out-of-range", predictions=foretold(epoch=2**22)),
        argument("a prediction of minor 65,536", "out-of-range", predictions=foretold(minor=65_536)),
        argument("a prediction of a name of 15 bytes", "wrong-length", predictions=foretold(name="00" * 15)),
        argument("a prediction of a tag of 17 bytes", "wrong-length", predictions=foretold(tag="00" * 17)),
        argument("a prediction of a tag in upper case", "bad-hex", predictions=foretold(tag="AB" * 16)),
        argument("2,049 steps", "wrong-length", steps=[step(0, "forgotten")] * 2_049),
        argument("a step that is a number", "wrong-type", steps=[7]),
        argument("a step with a member that no event has", "unknown-field", steps=changed_step("gap", surplus=1)),
        argument("a step with a member of another event", "unknown-field", steps=changed_step("gap", address=X)),
        argument("a step without a moment", "missing", steps=without("gap", "at")),
        argument("a step without an event", "missing", steps=without("gap", "event")),
        argument("a step whose moment is null", "wrong-type", steps=changed_step("gap", at=None)),
        argument("a step whose moment is negative", "out-of-range", steps=[step(-1, "forgotten")]),
        argument("a step whose event is a number", "wrong-type", steps=changed_step("gap", event=7)),
        argument("an address of 5 bytes", "wrong-length", steps=changed_step("overflow", address=X[2:])),
        argument("an address with an odd number of digits", "bad-hex", steps=changed_step("overflow", address=X[1:])),
        argument("a name of 17 bytes", "wrong-length", steps=changed_step("vanished", name="00" * 17)),
        argument("a tag of 15 bytes", "wrong-length", steps=changed_step("tag", tag="00" * 15)),
        argument("an initiator that is a number", "wrong-type", steps=changed_step("confirmed", initiator=1)),
        argument("a contact that is a flag", "wrong-type", steps=changed_step("remove", contact=True)),
        argument("the end is before the last step", "out-of-range", until=11_999),
    ]
    for table, side in ((OUTSIDE, "outside"), (BELOW, "below")):
        for event, members in table.items():
            cases += [
                argument(f"{event}: {key} {side} its range", "out-of-range", steps=changed_step(event, **{key: value}))
                for key, value in members.items()
            ]
    cases += [
        refused(f"{one['event']} without {member}", "missing", without(one["event"], member))
        for one in STEPS
        for member in one
        if member not in OPTIONAL | {"at", "event"}
    ]
    cases += [
        refused("an event that does not exist", "unknown-event", [step(0, "weather")]),
        refused("an event in upper case", "unknown-event", [step(0, "Forgotten")]),
        refused("an event without a letter", "unknown-event", [step(0, "")]),
        refused("a moment that descends", "out-of-order", [step(1, "forgotten"), step(0, "forgotten")]),
    ]
    return cases
