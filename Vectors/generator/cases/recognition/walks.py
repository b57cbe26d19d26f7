"""Random walks, and the invariants that hold in every scenario."""

import random

from ...tools.family import Case
from ...tools.operations import answer
from ...reference.recognition.calls import TECHNOLOGIES
from .parts import EPOCH, NEXT_OPENS, START, WINDOW_ENDS, prediction, step

CONTACTS = (1, 2, 3, 4)
DEVICES = (0, 1)
ADDRESSES = [f"0a00000000{n:02x}" for n in range(6)]
EPOCHS = range(EPOCH - 1, EPOCH + 4)
PRESENT = ("confirmed", "stale")
QUIET = 3_000_000
CHOSEN = (4, 8, 19, 28, 30, 38, 61, 66)
DEPARTING = (2, 5, 11, 13)


def walk(seed, length=120, departures=0.0):
    """The arguments of a walk of about half an hour: contacts with colliding values, copies and strangers; `departures` is
    the share of steps that are goodbyes and new timers."""
    dice = random.Random(seed)
    shown = []
    for contact in CONTACTS:
        for device in DEVICES:
            for epoch in EPOCHS:
                shown.append(prediction(contact, epoch, device, minor=dice.randrange(24)))
                if dice.random() < 0.1:
                    shown[-1]["name"] = dice.choice(shown)["name"]
                if dice.random() < 0.1:
                    shown[-1]["tag"] = dice.choice(shown)["tag"]
    steps = []
    at = dice.choice((0, 0, NEXT_OPENS - 100_000, WINDOW_ENDS - 100_000))
    ahead = 0

    def now():
        return at + 1000 * ahead

    def current():
        return EPOCH + now() // 900_000

    def take(event, **members):
        steps.append(step(at, event, **members))

    def shown_now(member):
        """Mostly a value of this epoch, sometimes one of another epoch or of a stranger."""
        near = [one for one in shown if abs(one["epoch"] - current()) <= dice.choice((0, 0, 0, 1, 2))] or shown
        return dice.choice(near)[member]

    def observation():
        if dice.random() < 0.8:
            return {}
        late = dice.choice((0, 500, 3_000, 20_000, 45_000, 200_000, -5_000))
        return {"observed": max(0, now() - late), "uncertainty": dice.choice((0, 0, 1_000, 10_000, 200_000))}

    def contact():
        return dice.choice(CONTACTS)

    def over():
        return {} if dice.random() < 0.4 else {"over": dice.choice(TECHNOLOGIES)}

    table = current()
    take("table", epoch=table)
    for one in CONTACTS[: dice.choice((1, 3, 4))]:
        take("add", contact=one, prior=dice.choice((2, 328, 328, 6_000)), importance=dice.choice((1, 1, 3)))
    take("gap", milliseconds=dice.choice((30_000, 30_000, 5_000, 60_000)))
    names = []
    for _ in range(length):
        at += dice.choice((0, 1, 300, 300, 999, 1_000, 1_000, 1_500, 5_000, 10_000, 15_000, 30_000, 61_000))
        if table != current():
            table = current()
            take("table", epoch=table)
        if departures and dice.random() < departures:
            if dice.random() < 0.6:
                take("leaves", contact=contact(), device=dice.choice(DEVICES))
            else:
                timers = {"departAfter": dice.choice((0, 120_000, 600_000)), "leaveAfter": dice.choice((0, 60_000, 400_000))}
                take("options", contact=contact(), arriveAfter=dice.choice((0, 40_000)), **timers)
            continue
        kind = dice.random()
        if kind < 0.45:
            minor = dice.randrange(30) if dice.random() < 0.2 else shown_now("minor")
            take("minor", minor=minor, address=dice.choice(ADDRESSES), rssi=-60, **observation())
        elif kind < 0.55:
            names.append(shown_now("name") if dice.random() < 0.9 else f"5e{dice.randrange(9):030x}")
            take("name", name=names[-1], **observation())
        elif kind < 0.62 and names:
            take("vanished", name=names.pop(dice.randrange(len(names))))
        elif kind < 0.68:
            take("overflow", address=dice.choice(ADDRESSES), **observation())
        elif kind < 0.74:
            read = {"tag": shown_now("tag") if dice.random() < 0.8 else "7a" * 16} if dice.random() < 0.8 else {}
            if not read and dice.random() < 0.7:
                take("unread", address=dice.choice(ADDRESSES))
            else:
                take("tag", address=dice.choice(ADDRESSES), **read, **observation())
        elif kind < 0.81:
            take("confirmed", contact=contact(), device=dice.choice(DEVICES), initiator=dice.random() < 0.5, **over())
        elif kind < 0.88:
            why = dice.choice(("unreachable", "reset", "silent", "refused", "stranger"))
            take("failed", contact=contact(), why=why, **over())
        elif kind < 0.91:
            take("heard", contact=contact(), device=dice.choice(DEVICES))
        elif kind < 0.95:
            take("ended", contact=contact(), device=dice.choice(DEVICES))
        elif kind < 0.96:
            take("remove", contact=contact())
        elif kind < 0.98:
            timers = {"arriveAfter": dice.choice((0, 20_000)), "departAfter": dice.choice((0, 120_000, 300_000))}
            take("add", contact=contact(), **timers)
        elif kind < 0.985:
            take("forgotten")
        elif kind < 0.99:
            take("gap", milliseconds=dice.choice((1_000, 10_000, 30_000, 90_000)))
        elif kind < 0.993:
            take("restart")
            table = None
        elif kind < 0.997:
            # An event at the moment of the jump, before it and after it, fixes when the observer notices it. Otherwise
            # an implementation may choose until when what leaves its window was evidence.
            take("table", epoch=current())
            jump = dice.choice((0, 0, 60, -60, 900, 3_600))
            # What is counted for an epoch may be counted again when the epoch comes a second time, or not.
            if EPOCH + (at + 1000 * jump) // 900_000 >= current():
                ahead = jump
            take("clock", ahead=ahead)
            table = current()
            take("table", epoch=table)
        else:
            take("cut", over=dice.choice(TECHNOLOGIES))
    return {
        "start": START,
        "decoys": dice.choice((0, 0, 30_000)),
        "draws": [str(dice.getrandbits(64)) for _ in range(dice.choice((1, 7, 64)))],
        "predictions": shown,
        "steps": steps,
        "until": at + QUIET,
    }


def walk_cases():
    """The walks with the most events; the expectation is that `judge` accepts them."""

    def case(seed):
        args = walk(seed)
        judge(seed, args, answer("recognition", args)["result"])
        requirements = ("INK-RCG-017", "INK-RCG-032", "INK-RCG-034")
        return Case(f"a walk at random, number {seed}", args, ("generated",), requirements)

    return [case(seed) for seed in CHOSEN]


def departure_walk_cases():
    """Walks with many goodbyes and changed timers."""

    def case(seed):
        args = walk(seed, departures=0.25)
        judge(seed, args, answer("recognition", args)["result"])
        requirements = ("INK-RCG-032", "INK-RCG-034", "INK-RCG-082", "INK-RCG-083", "INK-RCG-084")
        return Case(f"a walk with goodbyes and new timers, number {seed}", args, ("generated",), requirements)

    return [case(seed) for seed in DEPARTING]


def require(condition, what, seed):
    if not condition:
        raise AssertionError(f"walk {seed}: {what}")


def judge(seed, args, result):
    restarts = [one["at"] for one in args["steps"] if one["event"] == "restart"]
    effects = result["effects"]
    moments = [effect["at"] for effect in effects]
    require(moments == sorted(moments), "moments descend", seed)
    for life in range(len(restarts) + 1):
        from_, to = [-1, *restarts][life], [*restarts, args["until"] + 1][life]
        # An effect at the moment of a restart may belong to either life.
        life_effects = [effect for effect in effects if from_ < effect["at"] < to]
        judge_life(seed, life_effects, args["steps"], from_ in moments)
    for one in result["states"]:
        require(one["state"] not in PRESENT, "somebody is present after a long silence", seed)


def judge_life(seed, effects, steps, is_cut):
    """Checks the invariants between two restarts; a restart forgets everything before it."""
    confirmations = {(one["at"], one["contact"]) for one in steps if one["event"] == "confirmed"}
    failures = {
        (one["at"], one["contact"]) for one in steps if one["event"] == "failed" and one["why"] in ("unreachable", "reset")
    } | {(one["at"], contact) for one in steps if one["event"] == "cut" for contact in CONTACTS}
    removals = {(one["at"], one["contact"]) for one in steps if one["event"] == "remove"}
    state = {}
    arrived = set()
    tried = {}
    calls = {technology: [] for technology in TECHNOLOGIES}
    reads = []
    for effect in effects:
        at, kind, contact = effect["at"], effect["effect"], effect.get("contact")
        if kind == "state":
            # A contact that was removed and added again starts from the beginning.
            before = state.get(contact, "unseen")
            is_new = before == "gone" and effect["from"] == "unseen"
            require(effect["from"] == before or is_new or is_cut, "a state changes that was another", seed)
            if effect["to"] == "confirmed" and before not in PRESENT:
                require((at, contact) in confirmations, "confirmed without a handshake", seed)
            state[contact] = effect["to"]
        elif kind == "arrived":
            require(contact not in arrived, "two arrivals without a departure", seed)
            require(state.get(contact) in PRESENT or is_cut, "an arrival without presence", seed)
            arrived.add(contact)
        elif kind == "left":
            require(contact in arrived or is_cut, "a departure without an arrival", seed)
            require(state.get(contact) != "confirmed", "a departure of somebody confirmed", seed)
            arrived.discard(contact)
        elif kind == "attempt":
            technology = "network" if "name" in effect else "radio"
            attempts = tried.setdefault((contact, technology, effect["epoch"]), [])
            again = attempts[-1] if attempts else 0
            if any(who == contact and again <= moment <= at for moment, who in removals):
                attempts.clear()
            failed = any(who == contact and again <= moment <= at - 1_334 for moment, who in failures)
            require(not attempts or failed, "a second attempt without a failed link", seed)
            attempts.append(at)
            require(len(attempts) <= 4, "five attempts with a contact in one epoch", seed)
            calls[technology].append(at)
        elif kind == "read":
            calls["radio"].append(at)
            reads.append(at)
    for over in calls.values():
        is_within = all(seventh - first >= 60_000 for first, seventh in zip(over, over[6:]))
        require(is_within, "seven calls in a minute over one technology", seed)
    require(all(third - first >= 60_000 for first, third in zip(reads, reads[2:])), "three readings in a minute", seed)


def verify(count=40):
    """Walks more scenarios than there are cases, to find faults of the reference that no case shows."""
    for seed in range(count):
        for args in (walk(seed), walk(seed, departures=0.25)):
            judge(seed, args, answer("recognition", args)["result"])
