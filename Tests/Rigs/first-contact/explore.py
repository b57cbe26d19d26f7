"""Two sides of first contacts, by the reference model, in random orders of the events that a bounded world permits.

The world has what can go wrong: messages and whole links are lost, either side ends between any two steps with or without
its last save on the disk, first contacts are repeated, calls fail half way, a user removes the other. What must hold in
every state is in `judge`, and `conclude` says what two sides reach once nothing is lost any more. Both are written from
the requirements, not from the model.
"""

import copy
import random
from dataclasses import dataclass, field

FIRST, FULL = "first", "full"
PERIOD = 500_000
MOST_CALLS = 6


class Broken(Exception):
    """A rule does not hold."""


@dataclass
class World:
    """`first_contact` is the module of the model under test."""

    module: object
    strangers: bool
    most_contacts: int
    sides: list = field(default_factory=list)
    queues: list = field(default_factory=lambda: [[], []])  # records on the way to a side
    secret: int = 1  # the number of the first contact whose key both would keep
    # By side: the secret of each number of a key to which it agreed, in memory, in the save in progress, and on the disk;
    # what it holds of the other's grants; whether the other has said that it accepts; the secrets to which it agreed;
    # whether its user removed the other; whether a full grant left.
    secrets: list = field(default_factory=lambda: [{}, {}])
    saving: list = field(default_factory=lambda: [{}, {}])
    on_disk: list = field(default_factory=lambda: [{}, {}])
    holds: list = field(default_factory=lambda: [None, None])
    told: list = field(default_factory=lambda: [False, False])
    agreed: list = field(default_factory=lambda: [set(), set()])
    full_left: list = field(default_factory=lambda: [False, False])
    completed: set = field(default_factory=set)
    crashes: int = 0
    removals: int = 0
    sessions: int = 0
    steps: list = field(default_factory=lambda: [[], []])
    # What both sides did, in order, for `replay.py`.
    log: list = field(default_factory=list)
    concluded: object = None  # the world in which `conclude` has called last
    moments: int = 0

    def __post_init__(self):
        stored = self.module.Stored()
        if not self.strangers:
            stored = self.module.Stored("complete", (1,), 1, 0, PERIOD)
            self.secrets, self.agreed = [{1: 1}, {1: 1}], [{1}, {1}]
            self.on_disk = [{1: 1}, {1: 1}]
            self.holds, self.told, self.completed = [FULL, FULL], [True, True], {0, 1}
        self.stored = stored
        self.sides = [self.module.Side(stored, stored) for _ in range(2)]

    # Driving one side

    def give(self, number, event, **members):
        """Gives an event to a side and carries out its effects; the save that may follow stays in progress."""
        side = self.sides[number]
        self.moments += 1
        self.steps[number].append({"at": side.now, "event": event, **members})
        before = len(side.effects)
        if event == "saved" or members.get("written"):
            self.stored_now(number)
        had = side.link is None or side.link.key is not None
        side.take(event, dict(members))
        if event == "crash":
            self.secrets[number] = dict(self.on_disk[number])
        if not had and side.link is not None and side.link.key is not None:
            self.secrets[number][side.link.key] = self.secret
        self.note(number, event, members, before)
        return self.effects(number, side.effects[before:])

    def note(self, number, event, members, before):
        """Adds what a side has done to the log, before it is judged."""
        known = dict(self.on_disk[number])
        self.log.append((number, event, dict(members), self.secret, known, self.sides[number].effects[before:]))

    def stored_now(self, number):
        """The save in progress reaches the disk. A number that the disk has keeps its key."""
        if self.sides[number].writing is not None:
            known = self.on_disk[number]
            self.on_disk[number] = {key: known.get(key, new) for key, new in self.saving[number].items()}

    def effects(self, number, effects):
        other = 1 - number
        found = []
        for one in effects:
            kind = one["effect"]
            if kind == "send":
                if one["record"] == "hello":
                    self.hello_leaves(number)
                elif one["record"] == "accept":
                    self.accept_leaves(number)
                if self.sides[other].link is not None and len(self.queues[other]) < 8:
                    self.queues[other].append(one["record"])
            elif kind == "grant":
                found.append((one["session"], one["span"]))
                self.grant_leaves(number, one["span"])
            elif kind == "proceed":
                found.append((one["session"], "proceed"))
            elif kind == "use":
                found.append(one["key"])
            elif kind == "save":
                self.completes(number, one["standing"])
                self.saving[number] = {key: self.secrets[number].get(key) for key in one["keys"]}
        side = self.sides[number]
        kept = side.fields.keys + side.disk.keys + (side.writing[0].keys if side.writing else ())
        self.secrets[number] = {key: secret for key, secret in self.secrets[number].items() if key in kept}
        self.agreed[number] |= set(self.on_disk[number].values())
        return found

    def settle(self, number):
        """Lets the saves of a side succeed."""
        found = []
        while self.sides[number].writing is not None:
            found += self.give(number, "saved")
        return found

    def do(self, number, event, **members):
        return self.give(number, event, **members) + self.settle(number)

    def hello_leaves(self, number):
        side = self.sides[number]
        if side.disk.shared != side.link.key or side.disk.standing not in ("half-finished", "complete"):
            raise Broken(f"HELLO of side {number} leaves before the other's ACCEPT is stored")

    def accept_leaves(self, number):
        if self.on_disk[number].get(self.sides[number].link.key) != self.secret:
            raise Broken(f"ACCEPT of side {number} leaves before the key of its link is stored")

    def completes(self, number, standing):
        if standing == "complete" and number not in self.completed:
            self.completed.add(number)
            if None in self.holds:
                raise Broken(f"side {number} takes the other as complete before each holds a grant")

    def grant_leaves(self, number, span):
        if not self.told[number] or not self.agreed[number]:
            raise Broken(f"side {number} grants to somebody who has not accepted")
        if span == FULL:
            self.full_left[number] = True
            if self.sides[number].disk.standing != "complete":
                raise Broken(f"the full grant of side {number} leaves before complete is stored")
        if self.sides[number].disk.standing not in ("half-finished", "complete"):
            raise Broken(f"side {number} grants at standing {self.sides[number].disk.standing}")

    # What can happen

    def choices(self):
        sides = self.sides
        links = [side.link is not None for side in sides]
        found = []
        if self.secret <= self.most_contacts and not any(links):
            found += [("meet", True), ("meet", False)]
        for number, side in enumerate(sides):
            if side.writing is not None:
                found.append(("saved", number))
                if self.crashes < 2:
                    found += [("crash", number, True), ("crash", number, False)]
            if side.link is not None:
                if side.link.state == "undecided":
                    found += [("agree", number), ("refuse", number)]
                if side.link.state != "open":
                    found += [("late", number), ("boundary", number)]
                if self.queues[number]:
                    found.append(("hear", number))
                found.append(("cut", number))
                if self.crashes < 2 and side.writing is None:
                    found.append(("crash", number, False))
            if self.holds[number] == FIRST:
                found.append(("expire", number))
            if self.removals < 1 and side.disk.standing != "none" and side.link is None and side.writing is None:
                found.append(("remove", number))
        if all(side.writing is None and side.fields.keys for side in sides):
            hows = ("lost", "half", "whole", "crash") if self.crashes < 2 else ("lost", "half", "whole")
            found += [("call", number, how) for number in range(2) for how in hows]
        return found

    def step(self, choice):
        getattr(self, choice[0])(*choice[1:])
        self.judge()

    def meet(self, arrives):
        self.secret += 1
        self.queues = [[], []]
        self.note(0, "meet", {}, len(self.sides[0].effects))
        self.give(0, "begin")
        if arrives:
            self.give(1, "begin")

    def saved(self, number):
        self.give(number, "saved")

    def agree(self, number):
        self.give(number, "agree")

    def refuse(self, number):
        self.give(number, "refuse")

    def late(self, number):
        """The time for the decision is over."""
        side = self.sides[number]
        if side.wake is None:
            if side.link.state != "opening":
                raise Broken(f"the decision of side {number} has no end")
            return
        side.now = side.wake
        before = len(side.effects)
        side.fire()
        side.now += 1
        self.note(number, "late", {}, before)
        self.effects(number, side.effects[before:])

    def boundary(self, number):
        self.give(number, "boundary")

    def hear(self, number):
        record = self.queues[number].pop(0)
        side = self.sides[number]
        if record == "accept":
            self.told[number] = True
        if record != "hello":
            unshared = side.link.key if side.fields.shared != side.link.key else None
            self.give(number, record)
            if record == "decline" and unshared in side.fields.keys:
                raise Broken(f"side {number} keeps a key that was declined")
            return
        if side.link.state not in ("opening", "open"):
            raise Broken("HELLO arrives before both have accepted")
        key = side.link.key
        self.told[number] = True
        self.do(number, "record", session=0, key=key)
        self.compare(number, 0, delivered=True)

    def cut(self, number):
        """The link is lost, with what is left of the records on it."""
        self.queues[1 - number] = []
        self.queues[number] = []
        self.give(number, "lost")

    def crash(self, number, written):
        self.crashes += 1
        self.queues[1 - number] = []
        self.queues[number] = []
        self.give(number, "crash", written=written)

    def expire(self, number):
        self.holds[number] = None
        self.note(number, "expire", {}, len(self.sides[number].effects))

    def remove(self, number):
        self.removals += 1
        self.do(number, "remove")
        self.agreed[number], self.told[number], self.full_left[number] = set(), False, False
        self.completed.discard(number)

    def call(self, number, how):
        """A confirm handshake; returns whether it succeeded."""
        other = 1 - number
        self.sessions += 1
        session = self.sessions
        key = self.do(other, "answer")[0]
        if key not in self.on_disk[other]:
            raise Broken(f"side {other} answers under a key that it does not keep")
        secret = self.on_disk[other][key]
        own = next((mine for mine, one in self.on_disk[number].items() if one == secret), None)
        if how == "lost" or own is None or own not in self.sides[number].fields.keys:
            return False
        self.told[number] = True
        done = self.give(number, "message-2", session=session, key=own)
        proceeds = (session, "proceed") in done
        if proceeds and (self.sides[number].disk.shared or 0) < own:
            raise Broken(f"the first record of side {number} leaves before the success is stored")
        if how == "crash" and self.sides[number].writing is not None:
            self.crash(number, False)
            if proceeds:
                self.told[other] = True
                self.do(other, "record", session=session, key=key)
            return False
        if not proceeds and (session, "proceed") not in self.settle(number):
            raise Broken("a session does not go on")
        if how == "half":
            return False
        self.told[other] = True
        self.do(other, "record", session=session, key=key)
        self.compare(number, session, delivered=True)
        self.compare(other, session, delivered=True)
        return True

    def compare(self, number, session, delivered):
        other = 1 - number
        named, held = self.holds[other] is not None, self.holds[number] is not None
        lacking = self.holds[other] != FULL
        sent = self.do(
            number, "compare", session=session, named=named, held=held, lacking=lacking, period=PERIOD
        )
        for at, span in sent:
            if at == session and delivered and self.holds[other] != FULL:
                self.holds[other] = span

    # What must hold

    def judge(self):
        for number, side in enumerate(self.sides):
            other = self.sides[1 - number]
            if len(side.fields.keys) > 4:
                raise Broken("more than four keys")
            if side.disk.standing == "half-finished" and self.full_left[number] and self.holds[1 - number] == FULL:
                raise Broken(f"side {number} is listed with the end of the first grant, and the full one has left")
            if self.holds[1 - number] is not None and side.disk.standing == "none" and self.removals == 0:
                raise Broken(f"side {number} is recognised by somebody whom it does not list")
            if self.holds[1 - number] is not None and self.removals == 0 and side.disk.granted is None:
                raise Broken(f"side {number} lists no end of what it granted")
            if (
                side.writing is None
                and other.writing is None
                and side.link is None
                and other.link is None
                and self.agreed[0] & self.agreed[1]
                and side.fields.keys
                and other.fields.keys
                and not set(self.on_disk[0].values()) & set(self.on_disk[1].values())
            ):
                raise Broken("the sides keep no key in common")

    def conclude(self):
        """Nothing is lost any more: two sides that agreed to one key find each other, whoever calls."""
        if not self.agreed[0] & self.agreed[1] or any(side.disk.standing == "none" for side in self.sides):
            return
        for number in range(2):
            self.concluded = None
            world = self.concluded = copy.deepcopy(self, {id(self.module): self.module})
            for one in range(2):
                world.settle(one)
                world.do(one, "lost")
            if any(side.fields.standing == "none" for side in world.sides):
                continue
            if not any(world.call(number, "whole") for _ in range(MOST_CALLS)):
                raise Broken(f"side {number} calls for ever")
            if any(side.disk.standing == "waiting" for side in world.sides):
                raise Broken("a side waits after a confirm")
            for _ in range(3):
                world.call(number, "whole")
            if any(side.disk.standing != "complete" for side in world.sides) or world.holds != [FULL, FULL]:
                raise Broken("the exchange does not become complete")


def walks(module, seed, count, length, strangers, most_contacts, recorded=None, every=1):
    """Random walks. Returns how many states were judged; raises Broken with the choices that led there.

    `recorded` receives the world of each `every`-th walk; of none with 0; and that of a walk that broke a rule.
    """
    states = 0
    for walk in range(count):
        dice = random.Random(f"{seed} {walk} {strangers}")
        world = World(module, strangers, most_contacts)
        taken = []
        if recorded is not None and every > 0 and walk % every == 0:
            recorded.append(world)
        try:
            for _ in range(dice.randrange(4, length)):
                choices = world.choices()
                if not choices:
                    break
                # Meetings and consent are rarer than accidents, so they weigh more.
                weights = [6 if choice[0] in ("meet", "agree", "saved", "hear") else 1 for choice in choices]
                taken.append(dice.choices(choices, weights)[0])
                world.step(taken[-1])
                states += 1
            world.conclude()
        except Broken as broken:
            if recorded is not None:
                recorded.append(world)
            raise Broken(f"{broken}; after {taken}") from None
    return states
