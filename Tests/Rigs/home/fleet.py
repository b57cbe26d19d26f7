"""A fleet at a real mosquitto, over TLS: three matchers, three processes for presence and twenty antennas, of which one is killed,
or held, every few seconds. No arrival may be lost or doubled, and no sighting counted twice (Specs/fleet.md).

A visit ends where the broker keeps that the contact has left, and not after a time. One thing is of real time: a contact that is
heard four times within a visit must not be away for `LEAVE` seconds between two of them.
"""

import copy
import json
import os
import random
import subprocess
import threading
import time

from broker import Broker, Reader
from fleet_judge import faults, fence, planted
from house import Node, expect, kit, wait, write

FLEET = "office"
TOPICS = f"inkling/fleet/{FLEET}/"
LEASE, LEAVE = 3, 30
# The antennas that are killed, and those that are not: of these every sighting must be counted.
MORTAL, LASTING = range(10), range(10, 20)
CONTACTS = 24


class Part:
    """A process of the fleet, which is started again when it was killed."""

    def __init__(self, house, name, *words, listens=False):
        self.house, self.name, self.words, self.listens = house, name, words, listens
        self.start()

    def start(self):
        self.node = Node(self.house, "ada", ["fleet", *self.words], self.name, subprocess.PIPE if self.listens else subprocess.DEVNULL, lasts=True)

    def hears(self, **members):
        try:
            self.node.hears(**members)
        except BrokenPipeError:
            # It was killed a moment ago.
            pass

    def kill(self):
        self.node.kill()
        self.start()


class World:
    """Contacts who come and go, and what their devices show."""

    def __init__(self, house, seed):
        self.random, self.house = random.Random(seed), house
        self.names = [f"person {number:02}" for number in range(CONTACTS)]
        self.epoch = int(time.time()) // 900
        while not self.predict():
            pass
        # For each contact: how many visits there were, how many sightings must be counted, and how many may be besides.
        self.visits = dict.fromkeys(self.names, 0)
        self.sent = dict.fromkeys(self.names, 0)
        self.perhaps = dict.fromkeys(self.names, 0)

    def predict(self):
        """Writes predictions; false when two contacts have a minor in common, which a matcher rightly leaves out."""
        words = []
        for number, name in enumerate(self.names):
            root = self.house.file(f"root{number}")
            with open(os.open(root, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(self.random.randbytes(32))
            words += ["--root-file", f"{name}={root}"]
        text = self.house.command("ada", "predict", *words, "--hours", "2", "--from", str(self.epoch * 900), program=kit)
        self.table = write(self.house.file("predictions"), text)
        self.minors = {(row["contact"], row["epoch"]): row["minor"] for row in map(json.loads, text.splitlines()[1:])}
        return len(set(self.minors.values())) == len(self.minors)

    def minor(self, number):
        return self.minors[number, int(time.time()) // 900]

    def stranger(self):
        while (minor := self.random.randrange(65536)) in set(self.minors.values()):
            pass
        return minor

    def judged(self):
        return {"visits": self.visits, "sent": self.sent, "perhaps": self.perhaps}


class Office:
    """A fleet at work."""

    def __init__(self, house, seed):
        self.broker = Broker(house)
        self.reader = Reader(self.broker, TOPICS + "#")
        self.world, self.random = World(house, seed), random.Random(seed + 1)
        options = ["--fleet", FLEET, *self.broker.options, "--json"]
        self.matchers = [Part(house, f"match{n}", "match", *options, "--table", self.world.table) for n in range(3)]
        self.presences = [
            Part(house, f"presence{n}", "presence", *options, "--lease", str(LEASE), "--leave-after", str(LEAVE)) for n in range(3)]
        self.antennas = [
            Part(house, f"antenna{n}", "antenna", *options, "--name", f"room-{n}", "--sightings", "-", listens=True) for n in range(20)]
        self.harmed, self.held, self.read = [], [], []
        for part in self.parts:
            part.node.event("connected")
        wait("holder", self.holder)

    @property
    def parts(self):
        return self.matchers + self.presences + self.antennas

    def trace(self):
        """What the fleet has published, as the judge wants it."""
        self.read += [(message["topic"].removeprefix(TOPICS), json.loads(message["payload"]) if message["payload"] else None,
                       message["retain"]) for message in self.reader.all(len(self.read))]
        return self.read

    def records(self):
        """The record of each contact that counts: that of the greatest fence, and of it the last."""
        records = {}
        for topic, payload, _ in self.trace():
            if topic.startswith("contact/") and payload:
                known = records.get(payload["contact"])
                if known is None or fence(known) <= fence(payload):
                    records[payload["contact"]] = payload
        return records

    def holder(self):
        return next((part for part in self.presences if part.node.last("holding", "standing-by") == "holding"), None)

    def hear(self, number, antennas, exact):
        """Every one of these antennas hears a contact once."""
        name = self.world.names[number]
        for antenna in antennas:
            self.antennas[antenna].hears(
                minor=self.world.minor(number), address=f"4a0b1c2d{number:04x}", addressType="random", rssi=-60, room=f"room {antenna}")
            (self.world.sent if exact else self.world.perhaps)[name] += 1

    def visit(self, number):
        """A contact comes: a third is heard once and by one antenna alone, a third by several for a while, and a third by those
        that are killed, two at a time."""
        self.world.visits[self.world.names[number]] += 1
        if number % 3 == 0:
            self.hear(number, [self.random.choice(LASTING)], exact=True)
            return
        for _ in range(4):
            self.hear(number, self.random.sample(MORTAL if number % 3 == 2 else LASTING, 2), exact=number % 3 == 1)
            time.sleep(0.3)

    def harm(self, turn):
        """Kills a part, or holds the holder for longer than its lease."""
        kind = ("holder", "matcher", "antenna", "hold")[turn % 4]
        holder = self.holder() or self.presences[0]
        part = {"holder": holder, "hold": holder, "matcher": self.matchers[turn // 4 % 3],
                "antenna": self.antennas[turn // 4 % len(MORTAL)]}[kind]
        if kind == "hold":
            part.node.hold()
            timer = threading.Timer(2 * LEASE, part.node.go_on)
            timer.start()
            self.held.append(timer)
        else:
            for timer in self.held:
                timer.join()
            part.kill()
        self.harmed.append(f"{kind} {part.name}")

    def run(self, rounds, every):
        """Lets every contact come in each round, one after the other leaving first; something is harmed every few seconds until all
        have come."""
        done = threading.Event()

        def harm():
            turn = 0
            while not done.wait(every):
                self.harm(turn)
                turn += 1

        harming = threading.Thread(target=harm)
        harming.start()
        try:
            for turn in range(rounds):
                visiting = []
                for number in self.random.sample(range(CONTACTS), CONTACTS):
                    thread = threading.Thread(target=self.visit, args=(number,))
                    thread.start()
                    visiting.append(thread)
                    self.antennas[self.random.randrange(20)].hears(minor=self.world.stranger(), rssi=-80)
                    time.sleep(0.5)
                for thread in visiting:
                    thread.join()
                wait(lambda: f"record of all visits: {self.records()}", lambda: self.settled(turn + 1))
                if turn + 1 < rounds:
                    wait("departure of all", lambda: not any(record["present"] for record in self.records().values()))
            wait("harm of each kind", lambda: len(self.harmed) >= 4)
        finally:
            done.set()
            harming.join()
        for timer in self.held:
            timer.join()

    def settled(self, visits):
        """Whether every visit has its record, and every sighting that must be counted is."""
        records = self.records()
        return all(name in records and records[name]["visit"] >= visits and records[name]["sightings"] >= count
                   for name, count in self.world.sent.items())


def check_tls(house):
    """a broker elsewhere is refused without TLS"""
    done = house.command("ada", "fleet", "presence", "--mqtt", "mqtt://192.0.2.1", expect=None)
    expect(done.returncode == 64 and "TLS" in done.stderr, f"without TLS: {done.returncode} {done.stderr}")


def check_fleet(house):
    """nothing is lost or doubled while processes are killed and held"""
    office = Office(house, seed=1)
    office.run(rounds=1 if house.short else 4, every=2.5 if house.short else 10)
    # What comes twice comes within the time after which an antenna sends again. A machine that is slower is seen for less of it.
    time.sleep(3)
    office.reader.settle()
    trace, world = office.trace(), office.world.judged()
    for part in office.parts:
        part.node.stop()
    found = faults(trace, world)
    expect(not found, f"{found[:8]} ({len(found)} in all; harmed: {office.harmed})")
    holders = len({(payload["number"], payload["holder"]) for topic, payload, _ in trace if topic.startswith("lease/") and payload})
    for name, value in (("visits", sum(world["visits"].values())), ("sightings that must count", sum(world["sent"].values())),
                        ("sightings that may count", sum(world["perhaps"].values())), ("messages", len(trace)), ("holders", holders),
                        ("processes killed or held", len(office.harmed))):
        house.report.figure(name, value)
    expect(holders >= 2, "no process has taken over")
    house.report.plant(planted(copy.deepcopy(trace), world), lambda plant: faults(*plant))
