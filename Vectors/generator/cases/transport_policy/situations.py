"""Random situations, the invariants of every plan, and the facts that the named cases depend on."""

import random

from ...reference.platforms import THE, TRAITS, read_app
from ...reference.transport_policy import PURPOSES, REASONS, RELATIONS, TRANSPORTS
from ...tools.family import Case
from ...tools.operations import answer
from ..platforms.apps import app
from ..platforms.documented import documented_cases
from ..platforms.profiles import DEVICES, device
from .plans import situation

COUNT = 300
SEED = 20_261_121
SITUATIONS_JUDGED = 400
STATES = ("foreground",) * 5 + ("background",) * 4 + ("locked", "suspended", "terminated")
RARE_STATES = ("force-quit", "before-unlock")
USUAL = {
    "passive": ("contact", "confirmed"),
    "first-contact": ("stranger", "stranger", "invited"),
    "recognise": ("contact", "confirmed"),
    "message": ("contact", "confirmed", "confirmed"),
    "bulk": ("confirmed",),
}
OTHER_VERSIONS = ("9.3", "17.7", "18.0.2", "18.3", "19.0", "25", "27")


def random_app(dice):
    row = dice.choice(tuple(DEVICES))
    version, traits = DEVICES[row]
    family = "ios" if row.startswith("i") else row.split("-")[0]
    if family == "ios" and dice.random() < 0.2:
        version = dice.choice(OTHER_VERSIONS)
    if dice.random() < 0.15:
        traits = dice.sample(TRAITS, dice.randrange(1, 4))
    state = "foreground" if family == "linux" and dice.random() < 0.9 else dice.choice(STATES)
    if dice.random() < 0.04:
        state = dice.choice(RARE_STATES)
    # Mostly every need is met, sometimes all but one, sometimes few.
    needs = [need for need in THE.needs if need != "low-power"]
    refused = dice.choice(((), (), (), (), dice.sample(needs, 1), dice.sample(needs, 1), dice.sample(needs, 4)))
    met = [need for need in needs if need not in refused] + (["low-power"] if dice.random() < 0.2 else [])
    return app(family, version, state, *traits, met=met)


def capable_app(dice):
    """An app on a device with Wi-Fi Aware, with every permission."""
    return device(
        dice.choice(("iphone-12", "iphone-17", "android-aware", "android-aware", "linux-aware")), "foreground"
    )


def random_situation(dice):
    purpose = dice.choice(PURPOSES)
    relation = dice.choice(USUAL[purpose] if dice.random() < 0.85 else RELATIONS)
    members = {name: dice.random() < 0.5 for name in ("heard", "sameNetwork", "paired")}
    if dice.random() < 0.25:
        members["deadline"] = dice.choice((500, 5_000, 60_000, 60_000, 1_000_000, 2**40))
    if dice.random() < 0.3:
        members["linked"] = dice.sample(TRANSPORTS, dice.choice((1, 1, 2, 4)))
    if dice.random() < 0.35:
        members["failures"] = [
            {
                "transport": transport,
                "count": dice.choice((1, 1, 2, 3, 5, 8, 64)),
                "ago": dice.choice((0, 4_000, 5_000, 30_000, 200_000, 299_999, 300_000, 2**32 - 1)),
            }
            for transport in dice.sample(TRANSPORTS, dice.choice((1, 2, 3, 5)))
        ]
    if dice.random() < 0.35:
        members["observed"] = [
            {
                "transport": transport,
                "setups": [dice.randrange(1, 2 ** dice.randrange(8, 16)) for _ in range(dice.choice((0, 1, 2, 5, 16)))],
                "rates": [dice.randrange(2 ** dice.randrange(8, 28)) for _ in range(dice.choice((0, 1, 2, 5, 16)))],
            }
            for transport in dice.sample(TRANSPORTS, dice.choice((1, 2, 4)))
        ]
    for member in ("ownTransports", "peerTransports"):
        if dice.random() < 0.2:
            members[member] = dice.sample(TRANSPORTS, dice.choice((0, 1, 3, 6, 11)))
    payload = dice.choice((0, 1, 100, 512, 513, 4_096, 100_000, 5_000_000, 10**9, dice.randrange(2**20), 2**40))
    own, peer = random_app(dice), None if dice.random() < 0.1 else random_app(dice)
    if dice.random() < 0.3:
        own, peer = capable_app(dice), capable_app(dice)
    return situation(own, peer, relation, purpose, payload, **members)


def requirements_of(args, plan):
    numbers = {1, 2, 3, 6, 13}
    if "peer" not in args:
        numbers.add(10)
    if not plan["steps"]:
        numbers.add(9)
    if args["observed"]:
        numbers.add(11)
    if any(refusal["number"] == 5 for refusal in plan["refusals"]):
        numbers.add(4)
    if any(refusal["number"] == 15 for refusal in plan["refusals"]):
        numbers.add(12)
    if any(refusal["number"] == 17 for refusal in plan["refusals"]):
        numbers.add(14)
    if any("next" in step for step in plan["steps"]):
        numbers.add(15)
    return tuple(f"INK-TPT-{number:03}" for number in sorted(numbers))


def generated_cases():
    dice = random.Random(SEED)
    cases = []
    numbers, rows, steps, waits = set(), set(), set(), set()
    while len(cases) < COUNT:
        args = random_situation(dice)
        plan = answer("transport-plan", args)["result"]
        # Prefer situations whose plan has a step: a plan that only waits shows less.
        if not plan["steps"] and dice.random() < 0.6:
            continue
        numbers |= {refusal["number"] for refusal in plan["refusals"]}
        steps |= {step["transport"] for step in plan["steps"]}
        waits |= {plan["wait"]["number"]} if "wait" in plan else set()
        for one in (args["own"], args.get("peer", args["own"])):
            rows |= read_app(**one).rows
        cases.append(
            Case(f"a situation at random, number {len(cases) + 1}", args, ("generated",), requirements_of(args, plan))
        )
    expect(numbers == set(REASONS), f"refusals that do not occur: {set(REASONS) - numbers}")
    expect(rows >= set(THE.rows), f"rows that do not occur: {set(THE.rows) - rows}")
    expect(steps == set(TRANSPORTS) - {"multipeer", "relay"}, f"steps that occur: {steps}")
    expect(len(waits) >= 8, f"reasons to wait that occur: {waits}")
    return cases


def expect(is_so, what):
    if not is_so:
        raise AssertionError(what)


def judge(args):
    """Checks the invariants of a plan."""
    plan = answer("transport-plan", args)["result"]
    steps = {step["transport"]: step for step in plan["steps"]}
    refused = {refusal["transport"]: refusal["number"] for refusal in plan["refusals"]}
    expect(sorted([*steps, *refused]) == sorted(TRANSPORTS), f"a transport is missing or twice: {args}")
    expect(refused["multipeer"] == 1 and refused["relay"] == 2, f"what is never used: {args}")
    order = [(step["cost"], TRANSPORTS.index(step["transport"])) for step in plan["steps"]]
    expect(order == sorted(order), f"steps are not in order: {args}")
    if args["relation"] != "confirmed":
        expect(not steps.keys() & {"awdl", "aware-bulk", "aware-realtime", "wifi-direct"}, f"an early upgrade: {args}")
    expect(("wait" in plan) == (not steps), f"neither a step nor a reason to wait: {args}")
    if "deadline" in args:
        late = [step for step in plan["steps"] if step["completes"] > args["deadline"]]
        expect(not late, f"too late: {args}")
    # What recognises or makes a first contact ends in a transport that carries a handshake.
    last = {step.get("next", step)["transport"] for step in plan["steps"]}
    if args["purpose"] in ("recognise", "first-contact"):
        expect(last <= {"gatt", "network"}, f"no handshake at the end: {args}")
    for member in ("ownTransports", "peerTransports"):
        used = last | steps.keys()
        expect(member not in args or used <= set(args[member]), f"a transport without a back end: {args}")
    # With a larger payload no step completes earlier and no transport becomes possible.
    larger = answer("transport-plan", {**args, "payload": min(2**40, 3 * args["payload"] + 1)})["result"]
    for step in larger["steps"]:
        before = steps.get(step["transport"])
        expect(before is not None, f"a greater payload opens {step['transport']}: {args}")
        expect(step["completes"] >= before["completes"], f"a greater payload is done earlier: {args}")
    # A transport that hangs delays the next one by at most ten seconds.
    begins = [step["begins"] for step in plan["steps"] if step["transport"] not in ("beacon", "ble")]
    gaps = [later - earlier for earlier, later in zip(begins, begins[1:])]
    expect(all(1_000 <= gap <= 10_000 for gap in gaps) and begins[:1] in ([], [0]), f"beginnings: {args}")


def pins(cases_of_plans):
    """For each fact, the named cases whose result changes when the fact is removed from the table.

    Each has its operation, its comment, and whether more than the list of facts changes.
    """
    named = [("platform-profile", case) for case in documented_cases()]
    named += [("transport-plan", case) for case in cases_of_plans]
    answers = [(operation, case, answer(operation, case.args)) for operation, case in named]
    found = {}
    for fact in THE.facts:
        with THE.without(fact):
            found[fact] = [
                (operation, case.comment, without_facts(changed) != without_facts(reply))
                for operation, case, reply in answers
                if (changed := answer(operation, case.args)) != reply
            ]
    return found


def without_facts(value):
    if isinstance(value, dict):
        return {name: without_facts(member) for name, member in value.items() if name != "facts"}
    return [without_facts(element) for element in value] if isinstance(value, list) else value


def print_pins(cases_of_plans):
    for fact, cases in pins(cases_of_plans).items():
        print(f"{fact}: {THE.facts[fact].document} {THE.facts[fact].place}")
        for operation, comment, changes_more in cases:
            what = "the answer" if changes_more else "only what the answer rests on"
            print(f"    {operation}: {comment} ({what})")


def verify(cases_of_plans):
    dice = random.Random(SEED + 1)
    for _ in range(SITUATIONS_JUDGED):
        judge(random_situation(dice))
    free = [fact for fact, cases in pins(cases_of_plans).items() if not cases]
    expect(not free, f"no named case depends on {free}")
