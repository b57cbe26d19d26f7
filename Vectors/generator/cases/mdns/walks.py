"""Random walks, and the invariants that hold in every scenario."""

import random

from ...reference.mdns.reading import read
from ...tools.family import Case
from ...tools.operations import answer
from .dialogue import probe
from .parts import (
    ADDRESS,
    ANY,
    BROWSE,
    HOST,
    INSTANCE,
    LINK_LOCAL,
    NAME,
    PTR,
    QU,
    SRV,
    TYPE,
    A,
    address,
    announced_by,
    asked,
    heard,
    instance,
    interface,
    known,
    numbers,
    other_host,
    other_name,
    ptr,
    response,
    search,
    srv,
    start,
    step,
    stop,
    txt,
)

OTHERS = range(1, 7)
HIDDEN = {"name": "aa" * 16, "host": "bb" * 16, "port": 9}
SOURCES = ["0a4d0002", "0a4d0003", "0a4d0004", "0a4d0109", LINK_LOCAL, "fe80" + "00" * 13 + "07"]
CHOSEN = (1, 4, 6, 9)


def walk(seed, length=150):
    """The arguments of a walk of some minutes: two interfaces, contacts, strangers, imitators and questions."""
    dice = random.Random(seed)

    def interfaces():
        both = dice.random() < 0.6
        published = dice.choice(([ADDRESS], [ADDRESS, LINK_LOCAL], ["0a4d0009"], []))
        first = interface(2, ipv6=both, published=published, shown=dice.random() < 0.9)
        second = interface(3, ipv4=both, ipv6=True, published=dice.choice(([LINK_LOCAL], ["0a4d0008"])))
        return [one for one in (first, second) if dice.random() < 0.85]

    def packet(at):
        kind = dice.random()
        source, number = dice.choice(SOURCES), dice.choice((2, 2, 3, 4))
        other = dice.choice(OTHERS)
        if kind < 0.35:
            host = other_host(other) if dice.random() < 0.9 else other_host(9)
            named = [source] if dice.random() < 0.6 else ["0a4d0077", "7f000001"]
            return announced_by(at, other, source, number, addresses=named, host=host, ttl=dice.choice((0, 120, 120)))
        if kind < 0.65:
            owner, type = dice.choice(
                (
                    (TYPE, PTR),
                    (TYPE, PTR),
                    (TYPE, ANY),
                    (instance(NAME), SRV),
                    (f"{HOST}.local", A),
                    (instance("aa" * 16), SRV),
                )
            )
            port = 5_353 if dice.random() < 0.8 else 40_000
            return asked(at, owner, type, dice.choice((1, 1, QU)), source, port, number, number=dice.randrange(9))
        if kind < 0.72:
            return heard(at, probe(), source, number)
        if kind < 0.78:
            return heard(at, BROWSE, source, number)
        if kind < 0.83:
            return heard(at, response(*[ptr(other_name(dice.randrange(400))) for _ in range(20)]), source, number)
        if kind < 0.9:
            fakes = (srv(NAME, HOST, 7), txt(NAME, b"\0"), address(HOST, "0a4d0099"), srv(NAME, HOST, 41_969))
            return heard(at, response(dice.choice(fakes)), source, number, hop_limit=dice.choice((255, 255, 254)))
        return heard(at, response(*[ptr(NAME)] * 33)[: dice.randrange(2, 600) * 2], source, number)

    at = 0
    steps = [start()]
    for _ in range(length):
        at += dice.choice((0, 0, 1, 10, 50, 99, 250, 400, 1_000, 1_000, 3_000, 10_000))
        kind = dice.random()
        if kind < 0.84:
            steps.append(packet(at))
        elif kind < 0.92:
            steps.append(search(at, dice.choice(OTHERS), dice.random() < 0.8))
        elif kind < 0.94:
            steps.append(step(at, "known", known=known(*dice.sample(OTHERS, 4))))
        elif kind < 0.96:
            steps.append(step(at, "answered", answered=dice.choice(([], [HIDDEN]))))
        else:
            steps.append(step(at, "interfaces", interfaces=interfaces()))
    if dice.random() < 0.5:
        steps.append(stop(at + 500, dice.random() < 0.7))
    return {
        "announced": INSTANCE,
        "answered": [HIDDEN],
        "browses": True,
        "known": known(*dice.sample(OTHERS, 4)),
        "interfaces": interfaces() or [interface()],
        "draws": [str(dice.getrandbits(64)) for _ in range(dice.choice((1, 7, 64)))],
        "steps": steps,
        "until": at + 400_000,
    }


def walk_cases():
    """Some of the walks; the expectation is that `judge` accepts them."""

    def case(seed):
        args = walk(seed)
        judge(seed, args, answer("mdns", args)["result"])
        return Case(f"a walk at random, number {seed}", args, ("generated",), numbers(1, 24, 34))

    return [case(seed) for seed in CHOSEN]


def require(condition, what, seed):
    if not condition:
        raise AssertionError(f"mdns, walk {seed}: {what}")


def judge(seed, args, result):
    effects = result["effects"]
    moments = [effect["at"] for effect in effects]
    require(moments == sorted(moments), "moments descend", seed)
    judge_reports(seed, args, effects)
    judge_packets(seed, args, [effect for effect in effects if effect["effect"] == "send"])
    # What it knows makes no difference to what it sends by itself.
    strangers = {**args, "known": [], "steps": [one for one in args["steps"] if one["event"] != "search"]}
    strangers["steps"] = [{**one, "known": []} if one["event"] == "known" else one for one in strangers["steps"]]
    friends = {**strangers, "known": known(*OTHERS)}
    sends = [
        [one for one in answer("mdns", given)["result"]["effects"] if one["effect"] == "send"]
        for given in (strangers, friends)
    ]
    require(sends[0] == sends[1], "what it sends depends on what it knows", seed)


def judge_reports(seed, args, effects):
    there = set()
    require(sum(effect["effect"] == "imitated" for effect in effects) <= 1, "imitated twice", seed)
    for effect in effects:
        if effect["effect"] == "appeared":
            require(effect["name"] not in there, "a name appears twice", seed)
            there.add(effect["name"])
        elif effect["effect"] == "vanished":
            there.discard(effect["name"])
        elif effect["effect"] == "found":
            require(1 <= len(effect["endpoints"]) <= 8, "endpoints without bound", seed)
            named = {endpoint["address"] for endpoint in effect["endpoints"]}
            require(
                named <= {"0a4d0077", "fe80" + "00" * 13 + "07", LINK_LOCAL, *SOURCES[:3]}, "a refused address", seed
            )
    end = next((one["at"] for one in args["steps"] if one["event"] == "stop"), None)
    for one in args["steps"]:
        if one["event"] == "search" and (end is None or one["at"] + 3_000 < end):
            ends = ("found", "not-found")
            limit = one["at"] + 3_000 if "host" in one else one["at"]
            again = [two for two in args["steps"] if two["event"] == "search" and one["at"] < two["at"] <= limit]
            is_ended = any(
                effect["effect"] in ends and effect["name"] == one["name"] and one["at"] <= effect["at"] <= limit
                for effect in effects
            )
            require(is_ended or any(two["name"] == one["name"] for two in again), "a search without end", seed)


def judge_packets(seed, args, sends):
    responses = {}
    stops = [one for one in args["steps"] if one["event"] == "stop"]
    for one in sends:
        header, questions, records = read(bytes.fromhex(one["packet"]))
        if not header.response:
            require(len(questions) == 1 and not records and "to" not in one, "a query of another form", seed)
            require(questions[0]["type"] in (PTR, SRV), "a question for another type", seed)
            continue
        lasting = {record["ttl"] for record in records}
        require(len(lasting) == 1 and len(records) >= 3, "a response of another form", seed)
        if lasting == {0}:
            require(stops and one["at"] == stops[0]["at"] and stops[0]["goodbye"], "a goodbye at a wrong time", seed)
        elif "to" not in one:
            require(lasting == {120}, "another TTL by multicast", seed)
            names = {record["name"] for record in records if record["kind"] == "SRV"}
            responses.setdefault((one["interface"], one["ipv6"], *names), []).append(one["at"])
    for moments in responses.values():
        # Four to probes, and the announcement because of an imitation; on an interface that flaps, one more.
        require(
            all(last - first >= 1_000 for first, last in zip(moments, moments[6:])), "seven responses in a second", seed
        )
    replies = [one["at"] for one in sends if "to" in one]
    require(
        all(last - first >= 1_000 - 120 for first, last in zip(replies, replies[41:])), "42 replies in a second", seed
    )
    require(not stops or all(one["at"] <= stops[0]["at"] for one in sends), "a packet after the end", seed)


def verify(count=40):
    """Walks more scenarios than there are cases, to find faults of the reference that no case shows."""
    for seed in range(count):
        args = walk(seed)
        judge(seed, args, answer("mdns", args)["result"])
