"""Cases for the reconnection of Specs/lifecycle.md."""

import copy

from ..family import Case, Family, argument_refusals, replaced
from ..lifecycle import reconnection as model
from ..scenarios.lifecycle import effect, numbers, refused_steps, require, result_of, step, walk

SERVICES = [["normal", "data"], ["pairing", "normal"]]
JOINED = ["normal", "data", "pairing"]
ALL = ["services", "characteristics", "subscription", "authentication", "status", "resumption"]
SHORT = ["authentication", "resumption"]


def wanted(at, peer=1, known=None, stable=True, last=None):
    optional = {name: value for name, value in (("known", known), ("last", last)) if value is not None}
    return step(at, "wanted", peer=peer, stable=stable, **optional)


def on(at, event, route=None, peer=1, **members):
    return step(at, event, peer=peer, **({} if route is None else {"route": route}), **members)


def says(at, name, route=None, peer=1, **members):
    return effect(at, name, peer=peer, **({} if route is None else {"route": route}), **members)


def ready(at):
    return step(at, "ready")


def pipeline_steps(at, peer=1, steps=ALL, initialise=False):
    """The steps all done, a millisecond each."""
    done = []
    for name in steps:
        at += 1
        if name == "status":
            done.append(on(at, "status-known", peer=peer, initialise=initialise))
            if initialise:
                at += 1
                done.append(on(at, "step-done", peer=peer, step="initialisation"))
        else:
            done.append(on(at, "step-done", peer=peer, step=name))
    return done


def performs(at, route, peer=1, steps=ALL, last=None, initialise=False):
    """What is asked for when the link is there at a moment and `pipeline_steps` follow at once."""
    asked = []
    for name in steps:
        members = {"last": str(last)} if name == "resumption" and last is not None else {}
        asked.append(says(at, "perform", route, peer, step=name, **members))
        at += 1
        if name == "status" and initialise:
            asked.append(says(at, "perform", route, peer, step="initialisation"))
            at += 1
    return asked


def done(at, route, waited, took, peer=1):
    return says(at, "reconnected", route, peer, waited=waited, took=took)


def begins(at):
    return effect(at, "begin-search", services=JOINED)


def ends(at):
    return effect(at, "end-search")


def scenario(comment, requirements, steps, until, effects=None, pipeline=ALL, flags=()):
    args = {"services": SERVICES, "pipeline": pipeline, "steps": steps, "until": until}
    return Case(comment, args, flags, numbers(requirements), result=None if effects is None else {"effects": effects})


def entry_cases():
    linked = [wanted(0, known=7, last=40), ready(10), on(20, "looked-up", 7), on(500, "linked", 7)]
    called = [says(10, "look-up", 7), says(20, "adopt", 7), says(20, "call", 7)]
    return [
        scenario(
            "the example: restored and not linked, called again, and no look-up",
            (40, 43, 44, 49, 50, 58),
            [wanted(0, known=7, last=40), on(20, "restored", 7, linked=False), ready(50), on(900, "linked", 7)]
            + pipeline_steps(900),
            20_000,
            [says(20, "adopt", 7), says(50, "call", 7), *performs(900, 7, last=40), done(906, 7, 850, 6)],
        ),
        scenario(
            "restored and linked: the steps begin with the radio",
            (43, 49),
            [wanted(0, known=7), on(20, "restored", 7, linked=True), ready(50)] + pipeline_steps(50),
            20_000,
            [says(20, "adopt", 7), *performs(50, 7), done(56, 7, 0, 6)],
        ),
        scenario(
            "restored under another route, which is remembered",
            (43, 51),
            [wanted(0, known=7), on(20, "restored", 8, linked=True), ready(50)] + pipeline_steps(50, steps=SHORT),
            20_000,
            [says(20, "adopt", 8), says(50, "remember", 8), *performs(50, 8, steps=SHORT), done(52, 8, 0, 2)],
            SHORT,
        ),
        scenario(
            "restored, not linked and not stable: searched for beside the call",
            (43, 52),
            [wanted(0, known=7, stable=False), on(20, "restored", 7, linked=False), ready(50)],
            20_000,
            [says(20, "adopt", 7), says(50, "call", 7), begins(50)],
        ),
        scenario(
            "restored twice, and restored again after the radio",
            (41, 43),
            [
                wanted(0, known=7),
                on(20, "restored", 7, linked=False),
                on(21, "restored", 7, linked=False),
                ready(50),
                on(60, "restored", 7, linked=False),
            ],
            20_000,
            [says(20, "adopt", 7), says(50, "call", 7)],
        ),
        scenario(
            "restored after the radio, while the look-up is not answered",
            (40, 41),
            [wanted(0, known=7), ready(10), on(20, "restored", 7, linked=True), on(30, "looked-up", 7)],
            40,
            [says(10, "look-up", 7), says(20, "adopt", 7), says(20, "perform", 7, step="services")],
        ),
        scenario(
            "the known route",
            (42, 48, 49, 50, 58),
            linked + pipeline_steps(500),
            20_000,
            [*called, *performs(500, 7, last=40), done(506, 7, 490, 6)],
        ),
        scenario(
            "the known route is known no more: a link of another program",
            (42, 48, 51),
            [wanted(0, known=7), ready(10), on(20, "looked-up"), on(30, "looked-up-attached", 8), on(40, "linked", 8)],
            50,
            [
                says(10, "look-up", 7),
                says(20, "look-up-attached"),
                says(30, "adopt", 8),
                says(30, "call", 8),
                says(40, "remember", 8),
                says(40, "perform", 8, step="services"),
            ],
        ),
        scenario(
            "neither: one search for all sets of services",
            (42, 45, 51),
            [
                wanted(0, known=7),
                ready(10),
                on(20, "looked-up"),
                on(30, "looked-up-attached"),
                on(9_000, "found", 9),
                on(9_500, "linked", 9),
            ],
            9_600,
            [
                says(10, "look-up", 7),
                says(20, "look-up-attached"),
                begins(30),
                says(9_000, "adopt", 9),
                says(9_000, "call", 9),
                ends(9_000),
                says(9_500, "remember", 9),
                says(9_500, "perform", 9, step="services"),
            ],
        ),
        scenario(
            "a peer without a known route",
            (42,),
            [ready(0), wanted(10), on(20, "looked-up-attached")],
            30,
            [says(10, "look-up-attached"), begins(20)],
        ),
        scenario(
            "found before the look-up is answered, whose answer then is late",
            (40, 41),
            [
                wanted(0, known=7),
                ready(10),
                on(20, "found", 9),
                on(30, "looked-up", 7),
                on(40, "looked-up-attached", 7),
            ],
            50,
            [says(10, "look-up", 7), says(20, "adopt", 9), says(20, "call", 9)],
        ),
        scenario(
            "linked before the look-up is answered",
            (40, 48, 51),
            [wanted(0, known=7), ready(10), on(20, "linked", 9), on(30, "looked-up", 7)],
            40,
            [
                says(10, "look-up", 7),
                says(20, "adopt", 9),
                says(20, "remember", 9),
                says(20, "perform", 9, step="services"),
            ],
        ),
        scenario(
            "every event twice",
            (41, 46),
            [each for one in linked + pipeline_steps(500) for each in (one, one)] + [on(600, "found", 7)],
            20_000,
            [*called, *performs(500, 7, last=40), done(506, 7, 490, 6)],
        ),
        scenario(
            "a status that asks for setting up",
            (49,),
            linked + pipeline_steps(500, initialise=True),
            20_000,
            [*called, *performs(500, 7, last=40, initialise=True), done(507, 7, 490, 7)],
        ),
        scenario(
            "the status step done without a status: nothing is set up",
            (49,),
            [
                wanted(0, known=7),
                ready(10),
                on(20, "looked-up", 7),
                on(30, "linked", 7),
                on(40, "step-done", step="status"),
            ],
            50,
            [
                says(10, "look-up", 7),
                says(20, "adopt", 7),
                says(20, "call", 7),
                says(30, "perform", 7, step="status"),
                says(40, "reconnected", 7, waited=20, took=10),
            ],
            ["status", "initialisation"],
        ),
        scenario(
            "a policy without steps",
            (49,),
            [wanted(0, known=7), ready(10), on(20, "looked-up", 7), on(30, "linked", 7)],
            50,
            [
                says(10, "look-up", 7),
                says(20, "adopt", 7),
                says(20, "call", 7),
                says(30, "reconnected", 7, waited=20, took=0),
            ],
            [],
        ),
        scenario(
            "steps in another order than that of the policy are not done",
            (49,),
            linked + [on(510, "step-done", step="resumption"), on(520, "status-known", initialise=True)],
            600,
            [*called, says(500, "perform", 7, step="services")],
        ),
    ]


def loss_cases():
    short = [wanted(0, known=7), ready(0), on(0, "looked-up", 7), on(0, "linked", 7)] + pipeline_steps(0, steps=SHORT)
    there = [
        says(0, "look-up", 7),
        says(0, "adopt", 7),
        says(0, "call", 7),
        *performs(0, 7, steps=SHORT),
        done(2, 7, 0, 2),
    ]

    def of_short(comment, requirements, steps, until, effects, **more):
        return scenario(comment, requirements, short + steps, until, there + effects, SHORT, **more)

    unstable = [wanted(0, known=7, stable=False), ready(0), on(0, "looked-up", 7)]
    beside = [says(0, "look-up", 7), says(0, "adopt", 7), says(0, "call", 7), begins(0)]
    return [
        of_short(
            "lost: called again without a time limit",
            (47, 54),
            [on(100, "unlinked", 7)],
            2_678_400_000,
            [says(100, "call", 7)],
        ),
        of_short(
            "back after forty minutes, from the last record that came",
            (50, 54, 58),
            [
                on(50, "received", last="9007199254740993"),
                on(60, "received", last=3),
                on(100, "unlinked", 7),
                on(2_400_100, "linked", 7),
            ]
            + pipeline_steps(2_400_100, steps=SHORT),
            3_000_000,
            [
                says(100, "call", 7),
                *performs(2_400_100, 7, steps=SHORT, last=9007199254740993),
                done(2_400_102, 7, 2_400_000, 2),
            ],
        ),
        of_short("the loss of another route", (41,), [on(100, "unlinked", 8)], 200, []),
        of_short("linked on a second route", (53,), [on(100, "linked", 8)], 200, [says(100, "cancel", 8)]),
        of_short(
            "lost while the steps are done: once called again, then searched for, and then found",
            (55,),
            [
                on(100, "unlinked", 7),
                on(200, "linked", 7),
                on(210, "unlinked", 7),
                on(300, "linked", 7),
                on(310, "unlinked", 7),
                on(400, "linked", 7),
            ],
            500,
            [
                says(100, "call", 7),
                says(200, "perform", 7, step="authentication"),
                says(210, "call", 7),
                says(300, "perform", 7, step="authentication"),
                begins(310),
                says(400, "adopt", 7),
                says(400, "perform", 7, step="authentication"),
                ends(400),
            ],
        ),
        of_short(
            "a step that fails twice, and is done the third time; then a loss is the first again",
            (55,),
            [
                on(100, "unlinked", 7),
                on(200, "linked", 7),
                on(210, "step-failed", step="authentication"),
                on(300, "linked", 7),
                on(310, "step-failed", step="authentication"),
                on(400, "found", 8),
                on(500, "linked", 8),
                *pipeline_steps(500, steps=SHORT),
                on(600, "unlinked", 8),
                on(700, "linked", 8),
                on(710, "unlinked", 8),
            ],
            800,
            [
                says(100, "call", 7),
                says(200, "perform", 7, step="authentication"),
                says(210, "cancel", 7),
                says(210, "call", 7),
                says(300, "perform", 7, step="authentication"),
                says(310, "cancel", 7),
                begins(310),
                says(400, "adopt", 8),
                says(400, "call", 8),
                ends(400),
                says(500, "remember", 8),
                *performs(500, 8, steps=SHORT),
                done(502, 8, 190, 2),
                says(600, "call", 8),
                says(700, "perform", 8, step="authentication"),
                says(710, "call", 8),
            ],
        ),
        of_short(
            "a failure of another step than the one that runs",
            (41,),
            [on(100, "unlinked", 7), on(200, "linked", 7), on(210, "step-failed", step="resumption")],
            300,
            [says(100, "call", 7), says(200, "perform", 7, step="authentication")],
        ),
        of_short(
            "a step that is done a millisecond before it is late",
            (56,),
            [
                on(100, "unlinked", 7),
                on(200, "linked", 7),
                on(300, "step-done", step="authentication"),
                on(10_199, "step-done", step="resumption"),
            ],
            30_000,
            [
                says(100, "call", 7),
                says(200, "perform", 7, step="authentication"),
                says(300, "perform", 7, step="resumption"),
                done(10_199, 7, 100, 9_999),
            ],
            flags=("boundary",),
        ),
        of_short(
            "a step that is done when it is late",
            (56,),
            [on(100, "unlinked", 7), on(200, "linked", 7), on(10_200, "step-done", step="authentication")],
            30_000,
            [
                says(100, "call", 7),
                says(200, "perform", 7, step="authentication"),
                says(10_200, "overdue", step="authentication"),
                says(10_200, "cancel", 7),
                says(10_200, "call", 7),
            ],
            flags=("boundary",),
        ),
        of_short(
            "a step that hangs twice",
            (55, 56),
            [on(100, "unlinked", 7), on(200, "linked", 7), on(20_000, "linked", 7)],
            40_000,
            [
                says(100, "call", 7),
                says(200, "perform", 7, step="authentication"),
                says(10_200, "overdue", step="authentication"),
                says(10_200, "cancel", 7),
                says(10_200, "call", 7),
                says(20_000, "perform", 7, step="authentication"),
                says(30_000, "overdue", step="authentication"),
                says(30_000, "cancel", 7),
                begins(30_000),
            ],
        ),
        of_short(
            "the radio goes and comes: everything begins anew",
            (57,),
            [
                step(100, "unready"),
                on(150, "found", 7),
                on(160, "linked", 7),
                on(170, "unlinked", 7),
                ready(200),
                on(210, "looked-up", 7),
            ],
            300,
            [says(200, "look-up", 7), says(210, "adopt", 7), says(210, "call", 7)],
        ),
        of_short(
            "a call that fails: searched for, and the same route found",
            (42, 55),
            [on(100, "unlinked", 7), on(110, "call-failed", 7), on(200, "found", 7)],
            300,
            [says(100, "call", 7), begins(110), says(200, "adopt", 7), says(200, "call", 7), ends(200)],
        ),
        of_short(
            "not wanted any more",
            (53,),
            [step(100, "unwanted", peer=1), step(110, "unwanted", peer=1), on(120, "linked", 7)],
            200,
            [says(100, "cancel", 7), says(120, "cancel", 7)],
        ),
        scenario(
            "an identity that changed: found under another route beside the call, which is cancelled",
            (51, 52, 53),
            unstable + [on(500, "found", 8), on(600, "linked", 8)],
            700,
            [
                *beside,
                says(500, "adopt", 8),
                says(500, "call", 8),
                says(600, "cancel", 7),
                says(600, "remember", 8),
                says(600, "perform", 8, step="services"),
                ends(600),
            ],
        ),
        scenario(
            "an identity that changes five times: four routes at once, the oldest goes first",
            (52, 59),
            unstable + [on(100 * n, "found", 10 + n) for n in range(1, 5)] + [on(500, "linked", 13)],
            600,
            [
                *beside,
                *(says(100 * n, what, 10 + n) for n in range(1, 4) for what in ("adopt", "call")),
                says(400, "cancel", 7),
                says(400, "adopt", 14),
                says(400, "call", 14),
                says(500, "cancel", 11),
                says(500, "cancel", 12),
                says(500, "cancel", 14),
                says(500, "remember", 13),
                says(500, "perform", 13, step="services"),
                ends(500),
            ],
        ),
        scenario(
            "not wanted while called on two routes",
            (53,),
            unstable + [on(100, "found", 8), step(200, "unwanted", peer=1)],
            300,
            [
                *beside,
                says(100, "adopt", 8),
                says(100, "call", 8),
                says(200, "cancel", 7),
                says(200, "cancel", 8),
                ends(200),
            ],
        ),
        scenario(
            "two peers share one search, which lasts as long as one of them needs it",
            (45, 46),
            [
                wanted(0, 2),
                wanted(0, 1),
                ready(10),
                on(20, "looked-up-attached", peer=2),
                on(30, "looked-up-attached"),
                on(40, "found", 8, peer=2),
                on(50, "found", 7),
                on(60, "call-failed", 8, peer=2),
            ],
            100,
            [
                says(10, "look-up-attached"),
                says(10, "look-up-attached", peer=2),
                begins(20),
                says(40, "adopt", 8, 2),
                says(40, "call", 8, 2),
                says(50, "adopt", 7),
                says(50, "call", 7),
                ends(50),
                begins(60),
            ],
        ),
        scenario(
            "the radio goes while searching: the search is void",
            (57,),
            [
                wanted(0),
                ready(0),
                on(0, "looked-up-attached"),
                step(10, "unready"),
                ready(20),
                on(30, "looked-up-attached"),
            ],
            40,
            [says(0, "look-up-attached"), begins(0), says(20, "look-up-attached"), begins(30)],
        ),
        scenario(
            "restored, and the radio goes before it came",
            (57,),
            [wanted(0, known=7), on(1, "restored", 7, linked=True), step(2, "unready"), ready(3)],
            40,
            [says(1, "adopt", 7), says(3, "look-up", 7)],
        ),
        scenario(
            "events of a peer that nobody wants",
            (41,),
            [
                ready(0),
                on(1, "restored", 7, linked=True),
                on(2, "found", 7),
                on(3, "looked-up", 7),
                on(4, "unlinked", 7),
                on(5, "received", last=1),
            ],
            40,
            [],
        ),
        scenario(
            "1,025 peers: the last is not taken in",
            (59,),
            [*(wanted(0, n) for n in range(1_025)), ready(1), step(2, "unwanted", peer=1_024)],
            3,
            [says(1, "look-up-attached", peer=n) for n in range(1_024)],
            flags=("boundary",),
        ),
    ]


VALID = {
    "services": SERVICES,
    "pipeline": ALL,
    "steps": [
        wanted(0, known=7, last=40),
        on(1, "restored", 7, linked=True),
        ready(2),
        step(3, "unready"),
        ready(4),
        on(5, "looked-up", 7),
        on(6, "looked-up-attached", 8),
        on(7, "call-failed", 7),
        on(8, "found", 7),
        on(9, "linked", 7),
        on(10, "step-done", step="services"),
        on(11, "status-known", initialise=False),
        on(12, "step-failed", step="services"),
        on(13, "received", last=41),
        on(14, "unlinked", 7),
        step(15, "unwanted", peer=1),
    ],
    "until": 20,
}


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
    """What holds in every scenario; both searches and links are counted from the effects alone."""
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


def refusal_cases():
    def argument(comment, reason, **changes):
        return Case(comment, replaced(VALID, **changes), ("argument",), ("INK-CNF-004",), error=("arguments", reason))

    def changed(event, **members):
        return [one | members if one["event"] == event else one for one in copy.deepcopy(VALID["steps"])]

    return [
        Case("every event with every member that it may have", VALID, (), ()),
        *argument_refusals("reconnection", VALID),
        *refused_steps("reconnection", VALID, model.EVENTS),
        argument("an unknown step in the pipeline", "out-of-range", pipeline=["coffee"]),
        argument("a service without a letter", "wrong-length", services=[[""]]),
        argument("17 sets of services", "wrong-length", services=[["a"]] * 17),
        argument("a route of 2^32", "out-of-range", steps=changed("found", route=2**32)),
        argument("a known route below zero", "out-of-range", steps=changed("wanted", known=-1)),
        argument("a flag that is a number", "wrong-type", steps=changed("wanted", stable=1)),
        argument("a number of 2^64", "out-of-range", steps=changed("received", last=str(2**64))),
        argument("an unknown step done", "out-of-range", steps=changed("step-done", step="coffee")),
        argument("a member of another event", "unknown-field", steps=changed("ready", route=1)),
    ]


FAMILIES = [
    Family(
        "reconnection",
        "Specs/lifecycle.md",
        "Scenarios: peers that are lost, looked for, and made useful again.",
        [*entry_cases(), *loss_cases(), *walk_cases(), *refusal_cases()],
        insensitive={
            member: "A scenario also shows what must not matter, and not every value in it does."
            for member in ("services", "pipeline", "steps", "until")
        },
    )
]
