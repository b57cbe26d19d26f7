"""Cases of reconnection: random walks and their invariants."""

from ....reference.lifecycle import reconnection as model
from ....tools.family import Case
from ..steps import numbers, require, result_of, walk
from .parts import ALL, SERVICES, SHORT, ready, wanted


def make_walk(seed):
    def peer(dice):
        return dice.randrange(3)

    def routed(event, **more):
        def choice(dice):
            who = peer(dice)
            return event, {
                "peer": who,
                "route": 10 * who + dice.randrange(3),
                **{k: make(dice) for k, make in more.items()},
            }

        return choice

    def stepped(dice):
        name = dice.choice(ALL)
        if name == "status":
            return "status-known", {"peer": peer(dice), "initialise": dice.random() < 0.3}
        return "step-done", {"peer": peer(dice), "step": dice.choice((name, "initialisation"))}

    def optional(event):
        def choice(dice):
            who = peer(dice)
            return event, {"peer": who, **({"route": 10 * who + dice.randrange(3)} if dice.random() < 0.6 else {})}

        return choice

    def want(dice):
        who = peer(dice)
        known = {"known": 10 * who} if dice.random() < 0.7 else {}
        return "wanted", {"peer": who, "stable": dice.random() < 0.5, **known}

    choices = [
        want,
        optional("looked-up"),
        optional("looked-up-attached"),
        *[routed("linked")] * 4,
        *[routed("found")] * 2,
        routed("unlinked"),
        routed("call-failed"),
        routed("restored", linked=lambda dice: dice.random() < 0.5),
        *[stepped] * 12,
        lambda dice: ("step-failed", {"peer": peer(dice), "step": dice.choice(ALL)}),
        lambda dice: ("received", {"peer": peer(dice), "last": dice.randrange(1_000)}),
        lambda dice: ("ready", {}),
        lambda dice: ("unwanted", {"peer": peer(dice)}) if dice.random() < 0.3 else ("ready", {}),
        lambda dice: ("unready", {}) if dice.random() < 0.3 else ("ready", {}),
    ]
    pipeline = ALL if seed % 2 else SHORT

    def make(steps, until):
        return {"services": SERVICES, "pipeline": pipeline, "steps": steps, "until": until}

    first = [wanted(0, n, known=10 * n, stable=n != 2) for n in range(3)]
    return walk("reconnection", seed, make, [*first, ready(1)], choices)


def judge(seed, args):
    """Checks the invariants of a scenario; searches and links are counted from the effects alone."""
    searching = False
    losses = [(one["at"], one["peer"]) for one in args["steps"] if one["event"] == "unlinked"]
    off = [one["at"] for one in args["steps"] if one["event"] == "unready"]
    linked = {}
    for one in result_of("reconnection", args)["effects"]:
        if off and one["at"] >= off[0]:
            return
        name, peer = one["effect"], one.get("peer")
        if name == "begin-search":
            require(not searching, "two searches", seed)
            searching = True
        elif name == "end-search":
            require(searching, "an end without a search", seed)
            searching = False
        elif name == "perform":
            route, since = linked.get(peer) or (one["route"], one["at"])
            was_lost = any(since <= at <= one["at"] and who == peer for at, who in losses)
            require(route == one["route"] or was_lost, "two links of one peer", seed)
            linked[peer] = one["route"], one["at"]
        elif name in ("call", "cancel"):
            if peer in linked and linked[peer] and linked[peer][0] == one["route"]:
                linked[peer] = None
        elif name == "reconnected":
            require(one["took"] < model.DEADLINE, "late", seed)


def walk_cases():
    for seed in range(60):
        judge(seed, make_walk(seed))
    return [
        Case(f"a walk at random, number {seed}", make_walk(seed), ("generated",), numbers((41, 45, 53, 56)))
        for seed in range(12)
    ]
