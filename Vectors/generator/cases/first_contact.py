"""Cases for Specs/first-contact.md."""

import random

from ..reference.first_contact import DECISION, EVENTS, EXCHANGE, FULL_SPAN, LAST_PERIOD
from ..tools.family import Case, Family, argument_refusals
from .lifecycle.steps import INSENSITIVE, argument, effect, refused_steps, step

PERIOD = 496_000
NONE = {"standing": "none", "keys": [], "turn": 0}
KNOWN = {"standing": "complete", "keys": [1], "shared": 1, "turn": 0, "granted": PERIOD + 900}
HELLOS = {"session": 1, "named": False, "held": False, "lacking": True, "period": PERIOD}
EXCHANGED = {**HELLOS, "named": True, "held": True}


def requirements(*numbers):
    return tuple(f"INK-FCT-{number:03}" for number in numbers)


def scenario(comment, numbers, steps, stored=NONE, effects=None, flags=(), after=10_000):
    until = steps[-1]["at"] + after
    return Case(
        comment,
        {**stored, "steps": steps, "until": until},
        flags,
        requirements(*numbers),
        result=None if effects is None else {"effects": effects},
    )


def timed(events, start=1_000, every=1_000):
    """Steps of events, each a name or a pair of a name and members."""
    steps, at = [], start
    for event in events:
        if isinstance(event, int):
            at += event
            continue
        name, members = (event, {}) if isinstance(event, str) else event
        steps.append(step(at, name, **members))
        at += every
    return steps


def record(key, session=1):
    return "record", {"session": session, "key": key}


def message_2(key, session=2):
    return "message-2", {"session": session, "key": key}


def compare(session=1, **members):
    return "compare", {**HELLOS, "session": session, **members}


def crash(written):
    return "crash", {"written": written}


def saved_as(at, standing, keys, **members):
    return effect(at, "save", standing=standing, keys=keys, turn=members.pop("turn", 0), **members)


def send(at, what):
    return effect(at, "send", record=what)


def outcome(at, what):
    return effect(at, "outcome", outcome=what)


def grant(at, span, session=1):
    return effect(at, "grant", session=session, span=span)


# The whole exchange of two strangers, by who accepts first.
OWN_FIRST = [
    "begin", "agree", "saved", "accept", "saved", record(1), compare(), "saved", compare(named=True, held=True), "saved",
]  # fmt: skip
OTHER_FIRST = [
    "begin", "accept", "agree", "saved", "saved", record(1), compare(), "saved", compare(named=True, held=True), "saved",
]  # fmt: skip
TOGETHER = [
    "begin", "agree", "accept", "saved", "saved", record(1), compare(), "saved", compare(named=True, held=True), "saved",
]  # fmt: skip
ACCIDENTS = {
    "the link is lost": ["lost"],
    "the side ends, and the save in progress is lost": [crash(False)],
    "the side ends, and the save in progress was written": [crash(True)],
    "the save fails": ["not-saved"],
    "two boundaries": ["boundary", "boundary"],
    "one boundary": ["boundary"],
    "DECLINE arrives": ["decline"],
    "CLOSE arrives": ["close"],
    "another record arrives": ["other"],
    "ACCEPT arrives": ["accept"],
    "nothing happens for 300 s": [DECISION + 1_000],
    "the user says no": ["refuse"],
    "the user says yes": ["agree"],
    "the contact is removed": ["remove"],
    "a second link begins": ["begin"],
    "a confirm under the key succeeds beside the link": [record(1, session=5), "saved"],
}


def exchange_cases():
    ask = [effect(1_000, "ask")]
    first = {"granted": PERIOD + 47}
    full = {"granted": PERIOD + FULL_SPAN - 1}
    end = [
        saved_as(7_000, "half-finished", [1], shared=1, **first),
        grant(8_000, "first"),
        saved_as(9_000, "complete", [1], shared=1, **full),
        grant(10_000, "full"),
        outcome(10_000, "complete"),
    ]
    return [
        scenario(
            "the own user accepts before the other's ACCEPT arrives",
            (4, 8, 11, 20, 21, 22, 30, 40),
            timed(OWN_FIRST),
            effects=[
                *ask,
                saved_as(2_000, "waiting", [1]),
                send(3_000, "accept"),
                saved_as(4_000, "half-finished", [1], shared=1),
                send(5_000, "hello"),
                *end,
            ],
        ),
        scenario(
            "the other's ACCEPT arrives before the own user accepts, and is stored with the consent",
            (4, 8, 11, 20, 21, 22, 40),
            timed(OTHER_FIRST),
            effects=[
                *ask,
                saved_as(3_000, "waiting", [1], shared=1),
                send(4_000, "accept"),
                saved_as(4_000, "half-finished", [1], shared=1),
                send(5_000, "hello"),
                *end,
            ],
        ),
        scenario(
            "the other's ACCEPT arrives while the consent is being stored",
            (4, 8, 11, 40),
            timed(TOGETHER),
            effects=[
                *ask,
                saved_as(2_000, "waiting", [1]),
                send(4_000, "accept"),
                saved_as(4_000, "half-finished", [1], shared=1),
                send(5_000, "hello"),
                *end,
            ],
        ),
        scenario(
            "the own user refuses",
            (5,),
            timed(["begin", "refuse", "accept", "agree"]),
            effects=[*ask, send(2_000, "decline"), effect(2_000, "close"), outcome(2_000, "refused")],
        ),
        scenario(
            "the own user does not answer within 300 s",
            (6,),
            timed(["begin"]),
            after=DECISION,
            effects=[
                *ask,
                send(1_000 + DECISION, "decline"),
                effect(1_000 + DECISION, "close"),
                outcome(1_000 + DECISION, "unanswered"),
            ],
            flags=("boundary",),
        ),
        scenario(
            "a millisecond before 300 s nothing is sent",
            (6,),
            timed(["begin"]),
            after=DECISION - 1,
            effects=ask,
            flags=("boundary",),
        ),
        scenario(
            "who has sent ACCEPT and heard none sends CLOSE after 300 s, and keeps the key",
            (5, 7, 10),
            timed(["begin", "agree", "saved", 400_000, message_2(1), "saved"]),
            effects=[
                *ask,
                saved_as(2_000, "waiting", [1]),
                send(3_000, "accept"),
                send(1_000 + DECISION, "close"),
                effect(1_000 + DECISION, "close"),
                outcome(1_000 + DECISION, "waiting"),
                saved_as(404_000, "half-finished", [1], shared=1),
                effect(405_000, "proceed", session=2),
            ],
        ),
        scenario(
            "DECLINE drops the key, and with the only key the contact",
            (42,),
            timed(["begin", "agree", "saved", "decline", "saved"]),
            effects=[
                *ask,
                saved_as(2_000, "waiting", [1]),
                send(3_000, "accept"),
                effect(4_000, "close"),
                outcome(4_000, "declined"),
                saved_as(4_000, "none", []),
            ],
        ),
        scenario(
            "DECLINE leaves a contact that was known as it was",
            (42, 10),
            timed(["begin", "agree", "saved", "decline", "saved"]),
            KNOWN,
            effects=[
                *ask,
                saved_as(2_000, "complete", [1, 2], shared=1, granted=PERIOD + 900),
                send(3_000, "accept"),
                effect(4_000, "close"),
                outcome(4_000, "declined"),
                saved_as(4_000, "complete", [1], shared=1, granted=PERIOD + 900),
            ],
        ),
        scenario(
            "DECLINE of a key under which a confirm has succeeded is not believed",
            (42, 16),
            timed(["begin", "agree", "saved", record(1, session=7), "saved", "decline"]),
            effects=[
                *ask,
                saved_as(2_000, "waiting", [1]),
                send(3_000, "accept"),
                saved_as(4_000, "half-finished", [1], shared=1),
                effect(6_000, "close"),
                outcome(6_000, "waiting"),
            ],
        ),
        scenario(
            "a key that was declined while it was being stored, and the next one, have different numbers",
            (4, 42),
            timed(["begin", "agree", "decline", "begin", "agree", "saved", "saved"]),
            effects=[
                *ask,
                saved_as(2_000, "waiting", [1]),
                effect(3_000, "close"),
                outcome(3_000, "declined"),
                effect(4_000, "ask"),
                saved_as(6_000, "waiting", [2]),
                send(7_000, "accept"),
            ],
        ),
        scenario(
            "a contact that was removed while its key was being stored is stored anew under another number",
            (4, 31),
            timed(["begin", "agree", "remove", "begin", "agree", "saved", "saved"]),
            effects=[
                *ask,
                saved_as(2_000, "waiting", [1]),
                send(3_000, "close"),
                effect(3_000, "close"),
                outcome(3_000, "failed"),
                effect(4_000, "ask"),
                saved_as(6_000, "waiting", [2]),
                send(7_000, "accept"),
            ],
        ),
        scenario(
            "the link outlives one boundary and not the second",
            (9,),
            timed(["begin", "boundary", "agree", "saved", "boundary"]),
            effects=[
                *ask,
                saved_as(3_000, "waiting", [1]),
                send(4_000, "accept"),
                send(5_000, "close"),
                effect(5_000, "close"),
                outcome(5_000, "waiting"),
            ],
        ),
        scenario(
            "the other withholds its grant: half-finished after 10 s, and the first grant is not renewed",
            (21, 22, 30),
            timed([*OWN_FIRST[:8], compare(named=True), compare(named=True, lacking=False)]),
            after=20_000,
            effects=[
                *ask,
                saved_as(2_000, "waiting", [1]),
                send(3_000, "accept"),
                saved_as(4_000, "half-finished", [1], shared=1),
                send(5_000, "hello"),
                *end[:2],
                outcome(5_000 + EXCHANGE, "half-finished"),
            ],
        ),
        scenario(
            "a grant near the last period ends with it",
            (21, 22),
            timed(
                [
                    *OWN_FIRST[:6],
                    compare(period=LAST_PERIOD - 46),
                    "saved",
                    compare(named=True, held=True, period=LAST_PERIOD - 46),
                    "saved",
                ]
            ),
            flags=("boundary",),
        ),
        scenario(
            "another record before both have accepted ends the link without a reply",
            (41,),
            timed(["begin", "agree", "saved", "other"]),
            effects=[
                *ask,
                saved_as(2_000, "waiting", [1]),
                send(3_000, "accept"),
                effect(4_000, "close"),
                outcome(4_000, "waiting"),
            ],
        ),
        scenario(
            "nothing is granted to somebody who waits, and nothing to nobody",
            (20,),
            timed([compare(3), compare(4, named=True, held=True), "remove", "saved", compare(5)]),
            {"standing": "waiting", "keys": [1], "turn": 0},
            effects=[saved_as(3_000, "none", [])],
        ),
        scenario(
            "a second link with the same person is ended",
            (2,),
            timed(["begin", "begin"]),
            effects=[*ask, outcome(2_000, "busy")],
        ),
        scenario(
            "with four keys a further first contact is refused",
            (3, 10),
            timed(["begin"]),
            {"standing": "complete", "keys": [2, 3, 5, 8], "shared": 2, "turn": 0, "granted": PERIOD},
            effects=[effect(1_000, "close"), outcome(1_000, "full")],
        ),
        scenario(
            "with three keys a further first contact begins",
            (3, 10),
            timed(["begin", "agree"]),
            {"standing": "complete", "keys": [2, 3, 8], "shared": 2, "turn": 2, "granted": PERIOD},
            effects=[*ask, saved_as(2_000, "complete", [2, 3, 8, 9], shared=2, granted=PERIOD)],
        ),
    ]


def key_cases():
    four = {"standing": "complete", "keys": [1, 2, 3, 4], "turn": 0, "granted": PERIOD}
    answers = ["answer", "saved"]

    def used(comment, stored, keys, numbers=(14,)):
        """Answers that no first record follows."""
        effects, count = [], len(set(keys))
        for index, key in enumerate(keys):
            at = 1_000 + 2_000 * index
            effects.append(effect(at, "use", key=key))
            if count > 1:
                members = {name: stored[name] for name in ("shared", "granted") if name in stored}
                effects.append(saved_as(at, stored["standing"], stored["keys"], turn=(index + 1) % count, **members))
        return scenario(comment, numbers, timed(answers * len(keys)), stored, effects=effects)

    return [
        used("the newest key is shared: every answer uses it", {**four, "shared": 4}, [4, 4, 4]),
        used("the shared key, then the newer ones from the newest on, in turn", {**four, "shared": 1}, [1, 4, 3, 2, 1]),
        used("keys older than the shared one are no candidates", {**four, "shared": 3}, [3, 4, 3]),
        used("without a shared key the newest is first", four, [4, 3, 2, 1, 4]),
        scenario("a contact without keys is not answered", (14,), timed(["answer"]), effects=[]),
        scenario(
            "after a first record the turn begins again",
            (13, 14, 23),
            timed(["answer", "saved", "answer", "saved", record(4, 3), "saved", "answer"]),
            {**four, "shared": 1},
            effects=[
                effect(1_000, "use", key=1),
                saved_as(1_000, "complete", [1, 2, 3, 4], shared=1, turn=1, granted=PERIOD),
                effect(3_000, "use", key=4),
                saved_as(3_000, "complete", [1, 2, 3, 4], shared=1, turn=2, granted=PERIOD),
                saved_as(5_000, "complete", [4], shared=4, granted=PERIOD),
                effect(7_000, "use", key=4),
            ],
        ),
        scenario(
            "a success drops older keys only",
            (13,),
            timed([message_2(2), "saved", record(2, 3), record(3, 4), "saved", record(2, 5), message_2(1, 6)]),
            {**four, "shared": 1},
            effects=[
                saved_as(1_000, "complete", [2, 3, 4], shared=2, granted=PERIOD),
                effect(2_000, "proceed", session=2),
                saved_as(4_000, "complete", [3, 4], shared=3, granted=PERIOD),
                effect(6_000, "drop", session=5),
                effect(7_000, "drop", session=6),
            ],
        ),
        scenario(
            "the first record of an initiator waits until the success is stored",
            (12,),
            timed([message_2(1), message_2(1, 3), "saved", message_2(1, 4)]),
            {"standing": "waiting", "keys": [1], "turn": 0},
            effects=[
                saved_as(1_000, "half-finished", [1], shared=1),
                effect(3_000, "proceed", session=2),
                effect(3_000, "proceed", session=3),
                effect(4_000, "proceed", session=4),
            ],
        ),
        scenario(
            "a success that cannot be stored ends its session, and nothing has changed",
            (12,),
            timed([message_2(1), "not-saved", message_2(1, 3), "saved"]),
            {"standing": "waiting", "keys": [1], "turn": 0},
            effects=[
                saved_as(1_000, "half-finished", [1], shared=1),
                effect(2_000, "drop", session=2),
                saved_as(3_000, "half-finished", [1], shared=1),
                effect(4_000, "proceed", session=3),
            ],
        ),
        scenario(
            "two people with each other's cards: the static key is the oldest, and a first contact displaces it",
            (16, 17),
            timed(["begin", "agree", "saved", "accept", "saved", record(2), "saved", compare(), "saved"]),
            {"standing": "waiting", "keys": [1], "turn": 0},
        ),
        scenario(
            "people with each other's cards confirm under the static key",
            (16, 17, 21),
            timed(["answer", record(1, 3), "saved", compare(3), "saved", compare(3, named=True, held=True), "saved"]),
            {"standing": "waiting", "keys": [1], "turn": 0},
            effects=[
                effect(1_000, "use", key=1),
                saved_as(2_000, "half-finished", [1], shared=1),
                saved_as(4_000, "half-finished", [1], shared=1, granted=PERIOD + 47),
                grant(5_000, "first", 3),
                saved_as(6_000, "complete", [1], shared=1, granted=PERIOD + FULL_SPAN - 1),
                grant(7_000, "full", 3),
            ],
        ),
        scenario(
            "the end of a sealed grant is stored before the grant leaves",
            (21, 30),
            timed([("seal", {"session": 9, "period": PERIOD}), "saved", ("seal", {"session": 10, "period": PERIOD})]),
            {"standing": "waiting", "keys": [1], "turn": 0},
            effects=[
                saved_as(1_000, "waiting", [1], granted=PERIOD + FULL_SPAN - 1),
                grant(2_000, "full", 9),
                grant(3_000, "full", 10),
            ],
        ),
        scenario(
            "a contact that is removed is answered no more, and its sessions end",
            (31,),
            timed([message_2(1, 2), "remove", "saved", "answer", record(1, 4), "saved", "answer"]),
            {"standing": "waiting", "keys": [1], "turn": 0},
        ),
    ]


def loss_cases():
    """Each accident before each step of the exchange, and what follows: the sides meet again, by a confirm that either
    begins, or by a second first contact."""
    tails = {
        "this side calls": [
            message_2(1, 8), "saved", "saved", compare(8), "saved", compare(8, named=True, held=True), "saved",
        ],
        "the other calls": [
            "answer", "saved", record(1, 9), "saved", compare(9), "saved", compare(9, named=True, held=True), "saved",
        ],
        "they meet again": [
            "begin", "accept", "agree", "saved", "saved", record(2, 10), "saved", compare(10), "saved", "answer",
        ],
    }  # fmt: skip
    bases = {"the own ACCEPT first": OWN_FIRST, "the other's ACCEPT first": OTHER_FIRST, "both at once": TOGETHER}
    cases, seen = [], set()
    for base, events in bases.items():
        for position in range(1, len(events) + 1):
            for index, (accident, happens) in enumerate(ACCIDENTS.items()):
                # One tail each keeps the file small; all occur with every accident.
                tail = list(tails)[(index + position) % len(tails)]
                steps = timed([*events[:position], *happens, *tails[tail]])
                if str(steps) in seen:
                    continue
                seen.add(str(steps))
                cases.append(
                    scenario(
                        f"{base}: after {position} steps {accident}; {tail}",
                        (4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 20, 21, 22, 40, 41, 42),
                        steps,
                    )
                )
    return cases


def walk_cases(count=60, length=60):
    cases = []
    for seed in range(count):
        dice = random.Random(f"first contact {seed}")
        events = ["begin"]
        likely = ["begin", "agree", "accept", "saved", "saved", "saved"]
        for number in range(length):
            event = dice.choice(likely) if dice.random() < 0.6 else dice.choice(list(EVENTS))
            key = dice.randint(1, 5)
            members = {
                "crash": {"written": dice.random() < 0.5},
                "message-2": {"session": number, "key": key},
                "record": {"session": number, "key": key},
                "seal": {"session": number, "period": PERIOD + number},
                "compare": {
                    "session": number,
                    "named": dice.random() < 0.5,
                    "held": dice.random() < 0.7,
                    "lacking": dice.random() < 0.5,
                    "period": PERIOD + number,
                },
            }.get(event, {})
            events += [dice.choice([0, 0, 0, 3_000, 150_000]), (event, members)]
        cases.append(scenario(f"a random walk, number {seed}", (4, 10, 12, 13, 14, 42), timed(events)))
    return cases


def refusal_cases():
    every = [
        "begin", "agree", "refuse", "accept", "decline", "close", "other", "lost", "boundary", "saved", "not-saved",
        crash(False), "answer", message_2(1), record(1), compare(),
        ("seal", {"session": 3, "period": PERIOD}), "remove",
    ]  # fmt: skip
    valid = {**KNOWN, "steps": timed(every), "until": 60_000}
    return [
        *refused_steps("first-contact", valid, EVENTS),
        *(
            case
            for case in argument_refusals("first-contact", valid)
            if case.comment not in ("shared is absent", "granted is absent")
        ),
        argument(valid, "a standing that does not exist", "out-of-range", standing="friends"),
        argument(valid, "standing none with keys", "out-of-range", standing="none"),
        argument(valid, "standing complete without keys", "out-of-range", keys=[], shared=1),
        argument(valid, "keys that descend", "out-of-range", keys=[2, 1]),
        argument(valid, "a key twice", "out-of-range", keys=[1, 1]),
        argument(valid, "a shared key that is not kept", "out-of-range", shared=2),
        argument(valid, "key 0", "out-of-range", keys=[0, 1]),
        argument(valid, "five keys", "wrong-length", keys=[1, 2, 3, 4, 5]),
        argument(valid, "keys that are no list", "wrong-type", keys=1),
    ]


FAMILIES = [
    Family(
        "first-contact",
        "Specs/first-contact.md",
        "Scenarios: what two users agree to, which keys are kept, and when something is granted.",
        [*exchange_cases(), *key_cases(), *loss_cases(), *walk_cases(), *refusal_cases()],
        insensitive={
            member: INSENSITIVE for member in ("standing", "keys", "shared", "turn", "granted", "steps", "until")
        },
    )
]
