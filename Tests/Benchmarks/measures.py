"""What is measured on running nodes: the time to mutual confirmation, a node at rest, and a node under a flood.

Nothing here judges; `bench` compares with the figures that were promised, and Tests/Rigs/network/flood.py with wider ones.
"""

import json
import os
import signal
import struct
import subprocess
import sys
import threading
import time

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
for folder in ("demo", "links", "network"):
    sys.path.insert(0, os.path.join(TESTS, "Rigs", folder))
import dns  # noqa: E402
from stage import Failed, Stage, boundary, command, demonstration_clock, epoch_at, inkling  # noqa: E402
from captures import TYPE, frames  # noqa: E402

GAP = 10


def announcements(pcap):
    """The multicast DNS answers of a capture: time, source address, records."""
    for frame in frames(pcap):
        if frame.protocol != "udp" or frame.source_port != 5353:
            continue
        try:
            message = dns.parse(frame.payload)
        except (ValueError, IndexError, struct.error):
            continue
        if message.flags & 0x8000:
            yield frame.time, frame.source, message.answers


def avoid_boundary(seconds):
    """Waits until the real epoch lasts for at least this long."""
    left = 900 - time.time() % 900
    if left < seconds + 5:
        time.sleep(left + 1)


# The time to mutual confirmation


def confirmation(nodes, seconds, marks=None):
    """When both of two nodes had the other's confirmation, and the call that led to it.

    `nodes`: for each, its process and what it calls the other.
    """
    marks = marks or [0, 0]
    events = [node.event("confirmed", seconds, mark, contact=contact) for (node, contact), mark in zip(nodes, marks)]
    calls = []
    for (node, contact), mark in zip(nodes, marks):
        facts = [fact for fact in list(node.facts)[mark:] if fact.get("contact") == contact]
        for event in facts:
            if event["event"] == "confirmed" and event["milliseconds"] is not None:
                ended = event["unixMilliseconds"]
                recognised = [fact["unixMilliseconds"] for fact in facts
                              if fact["event"] == "presence" and fact["presence"] == "probable"]
                calls.append((ended, event["milliseconds"], recognised[0] if recognised else None))
    if not calls:
        raise Failed("both nodes say that the other called")
    ended, milliseconds, recognised = min(calls, key=lambda call: call[0])
    return Meeting(max(event["unixMilliseconds"] for event in events) / 1000, (ended - milliseconds) / 1000,
                   milliseconds / 1000, recognised and recognised / 1000)


class Meeting:
    """Two nodes that confirmed each other: when that was complete, and when the call began that led to it."""

    def __init__(self, mutual, call, milliseconds, recognised):
        self.mutual, self.call, self.seconds_of_call, self.recognised = mutual, call, milliseconds, recognised

    @property
    def delay(self):
        """From recognising the name to the call: the drawn delay. None when the name had been known for longer."""
        return None if self.recognised is None else max(self.call - self.recognised, 0)

    def facts(self, announced):
        """Seconds from the first announcement; `without` leaves out what of the drawn delay came after it."""
        waited = 0 if self.recognised is None else max(self.call - max(self.recognised, announced), 0)
        return {"seconds": self.mutual - announced, "without": self.mutual - announced - min(waited, 1),
                "delay": self.delay, "call": self.seconds_of_call}


def meetings(trials, lanes, say):
    """Two fresh nodes meet, again and again: the seconds from the later one's first announcement to mutual confirmation.

    Each lane is a network of its own; both nodes start anew in each trial.
    """
    results, failures, begun, lock = [], [], [], threading.Lock()
    stages = [Stage(("ada", "bob"), say=say) for _ in range(min(lanes, trials))]

    def run(stage, count):
        try:
            rounds = []
            for _ in range(count):
                avoid_boundary(GAP + 10)
                begun.append(1)
                started = time.time()
                nodes = [(stage.run(name, "--trust-clock", seconds=120), contact)
                         for name, contact in (("ada", "Bob"), ("bob", "Ada"))]
                rounds.append((started, confirmation(nodes, GAP + 10)))
                for node, _ in nodes:
                    if node.stop() != 0:
                        raise Failed(f"{node.label} did not end with 0")
            stage.end_capture()
            told = list(announcements(stage.pcap))
            for index, (started, meeting) in enumerate(rounds):
                end = rounds[index + 1][0] if index + 1 < len(rounds) else float("inf")
                firsts = {}
                for moment, source, records in told:
                    if started < moment < end and any(record.name == TYPE and record.ttl for record in records):
                        firsts.setdefault(stage.host_of[source], moment)
                if len(firsts) < 2:
                    raise Failed("a node was confirmed before it was announced")
                with lock:
                    results.append(meeting.facts(max(firsts.values())))
        except Failed as failure:
            failures.append(f"{failure}\n{stage.logs()}")

    entered = []
    try:
        # One after the other: building a stage is not thread-safe in its signal handlers, and quick.
        for stage in stages:
            entered.append(stage.__enter__())
            stage.host_of = {address: name for name in stage.names for address in stage.addresses(name)}
            for name in stage.names:
                stage.make(name)
            stage.befriend("ada", "bob")
            stage.capture()
        threads = [
            threading.Thread(target=run, args=(stage, trials // len(stages) + (index < trials % len(stages))))
            for index, stage in enumerate(stages)
        ]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            next(thread for thread in reversed(threads) if thread.is_alive() or thread is threads[0]).join(10)
            say(f"  … {sum(begun)} of {trials} meetings begun")
    finally:
        for stage in entered:
            stage.close()
    if failures:
        raise Failed(failures[0])
    return results


# A node at rest


def at_rest(seconds, say):
    """A node with a passphrase and one contact in a session: its memory, processor time, files, and threads."""
    with Stage(("ada", "bob"), say=say) as stage:
        passphrase = os.path.join(stage.folder, "passphrase")
        with open(passphrase, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write("correct horse battery staple\n")
        unlocking = ["--home", stage.home("ada"), "--passphrase-file", passphrase]
        stage.make("ada", key=("--passphrase-file", passphrase))
        stage.make("bob")
        stage.unlocking = lambda name, plain=stage.unlocking: unlocking if name == "ada" else plain(name)
        stage.befriend("ada", "bob")
        avoid_boundary(GAP + 10 + seconds)
        ada = stage.run("ada", "--trust-clock", seconds=600)
        bob = stage.run("bob", "--trust-clock", seconds=600)
        ada.event("confirmed", GAP + 15, contact="Bob")
        bob.event("confirmed", 5, contact="Ada")
        before = processor_seconds(ada.pid)
        time.sleep(seconds)
        resident, peak = ada.memory()
        used = processor_seconds(ada.pid) - before
        facts = {
            "residentKiB": resident, "peakKiB": peak, "processorPercent": round(100 * used / seconds, 2),
            "descriptors": ada.descriptors(), "threads": len(os.listdir(f"/proc/{ada.pid}/task")),
            "residentKeyFileKiB": bob.memory()[0], "peakKeyFileKiB": bob.memory()[1],
        }
        for node in (ada, bob):
            if node.stop() != 0:
                raise Failed(f"{node.label} did not end with 0")
        return facts


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def binary():
    """The sizes of the program and of its symbols, and the shared libraries it needs."""
    path = inkling()
    listed = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
    return {"programBytes": os.path.getsize(path), "symbolBytes": os.path.getsize(path + ".debug"),
            "libraries": sorted(line.split()[0].rsplit("/", 1)[-1] for line in listed.splitlines())}


# A node under a flood


class Flood:
    """One process that sends garbage first messages to a node as fast as it can."""

    def __init__(self, stage, host, address, port, seconds, sources):
        client = os.path.join(TESTS, "Rigs", "network", "flood_client.py")
        self.process = subprocess.Popen(
            ["timeout", "-k", "5", str(seconds + 30), *stage.inside(host), sys.executable, client, address, str(port),
             str(seconds), *sources],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        stage.processes.append(self.process)

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        said, complaint = self.process.communicate(timeout=35)
        if self.process.returncode != 0:
            raise Failed(f"the flood ended with {self.process.returncode}: {complaint.strip()}")
        return json.loads(said)


def under_flood(seconds, contacts, sources, say):
    """A node is flooded while contacts arrive.

    From one address: contacts who have met the node in this epoch already, both in quiet and under the flood, so that it
    is they who have to find it and to call, and a link of theirs has to get through. From several: other contacts, of
    whom the node may call some itself.

    Returns what it took each contact, idle and flooded (`Meeting.facts`), the client's rate, and how much the node's
    memory grew. The flood lasts for `seconds`, or until the last confirmation when that is later.
    """
    names = [f"bob{index}" for index in range(1, contacts + 1)]
    others = names if sources == 1 else [f"eve{index}" for index in range(1, contacts + 1)]
    everybody = ["ada", *names, *(name for name in others if name not in names)]
    with Stage([*everybody, "mallory"], say=say) as stage:
        addresses = [f"10.77.1.{index}" for index in range(1, sources + 1)] if sources > 1 else []
        for address in addresses:
            subprocess.run([*stage.inside("mallory"), "ip", "addr", "add", f"{address}/16", "dev", "eth0"], check=True)
            subprocess.run([*stage.inside("ada"), "ip", "route", "replace", "10.77.1.0/24", "dev", "eth0"], check=True)
        host_of = {address: name for name in stage.names for address in stage.addresses(name)}
        for name in everybody:
            stage.make(name)
        for name in everybody[1:]:
            stage.befriend("ada", name)
        avoid_boundary(6 * GAP + seconds + 30)
        # The flood would fill the buffer of the capture, and announcements would be missing.
        stage.capture(only="udp port 5353")
        ada = stage.run("ada", "--trust-clock", seconds=900)
        ada.event("visible", GAP + 5)

        def arrive(names):
            """Every contact starts anew: the processes, and what it took each of them."""
            mark, started = ada.mark(), time.time()
            nodes = [stage.run(name, "--trust-clock", seconds=300) for name in names]
            pairs = [(ada, node.host.capitalize(), node) for node in nodes]
            met = [confirmation([(ada, name), (node, "Ada")], GAP + 20, [mark, 0]) for ada, name, node in pairs]
            # What was announced is in the file when the capture has written it.
            deadline = time.time() + 10
            firsts = {}
            while any(name not in firsts for name in names) and time.time() < deadline:
                time.sleep(0.2)
                for moment, source, records in announcements(stage.pcap):
                    if moment > started and any(record.name == TYPE and record.ttl for record in records):
                        firsts.setdefault(host_of.get(source), moment)
            if missing := [name for name in names if name not in firsts]:
                raise Failed(f"not announced: {', '.join(missing)}")
            return nodes, [meeting.facts(firsts[name]) for name, meeting in zip(names, met)]

        # The node calls each contact at most once in an epoch: the first time it is the node that calls.
        for _ in range(2 if sources == 1 else 1):
            nodes, idle = arrive(names)
            for node in nodes:
                if node.stop() != 0:
                    raise Failed(f"{node.label} did not end with 0")
        port = next(record.data[2] for _, source, records in reversed(list(announcements(stage.pcap)))
                    for record in records if record.type == dns.SRV and host_of.get(source) == "ada")
        time.sleep(2)
        refused = stage.status("ada")[0]["refusedMessages"]
        resident, peak = [ada.memory()[0]], ada.memory()[1]
        begun = time.time()
        flood = Flood(stage, "mallory", stage.address["ada"], port, seconds + 60, addresses)
        time.sleep(1)
        watching = threading.Event()

        def watch():
            while not watching.wait(0.2):
                resident.append(ada.memory()[0])

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            nodes, flooded = arrive(others)
            left = begun + seconds - time.time()
            if left > 0:
                say(f"  … the flood goes on for {left:.0f} s")
                time.sleep(left)
            sent = flood.end()
        finally:
            watching.set()
            watcher.join()
        time.sleep(1)
        after = ada.memory()
        refused = stage.status("ada")[0]["refusedMessages"] - refused
        for node in [ada, *nodes]:
            if node.stop() != 0:
                raise Failed(f"{node.label} did not end with 0")
        return {
            "idle": idle, "flooded": flooded, "tried": sent["connections"] + sent["dropped"], "messages": sent["messages"],
            "triedPerSecond": (sent["connections"] + sent["dropped"]) / sent["seconds"], "floodSeconds": sent["seconds"],
            "sources": max(sources, 1), "refusedMessages": refused,
            "residentBeforeKiB": resident[0], "residentLargestKiB": max(resident), "residentAfterKiB": after[0],
            "grownKiB": max(max(resident) - resident[0], after[1] - max(peak, resident[0])),
        }


# Meetings, while connections come from hundreds of sources


FLOOD_SOURCES = 240
# Each epoch lasts 25 s, so that 12 node-epochs take one minute.
FASTER = 36


def meetings_of_epochs(contacts, epochs, say, rate=None, faster=FASTER):
    """One node meets contacts in each of a number of epochs, in quiet or while connections come from hundreds of sources, at
    `rate` a second. The clock of the nodes runs `faster` times faster than real time.

    Returns for how many node-epochs the node and a contact both confirmed each other, the seconds from when both were
    visible until then, what the flood did, the share of a core that the node used, and how much its memory grew.
    """
    names = [f"bob{index}" for index in range(1, contacts + 1)]
    with Stage(["ada", *names, "mallory"], say=say) as stage:
        for index, name in enumerate(["ada", *names], 1):
            # A /64 that the attacker is in, too.
            command("ip", "-n", stage.host(name), "addr", "add", f"fd77::{index:x}/64", "dev", "eth0", "nodad")
        for source in ("10.78.1.0/24", "10.78.2.0/24"):
            command("ip", "-n", stage.host("ada"), "route", "add", source, "dev", "eth0")
        clock = demonstration_clock(faster, int(time.time()) + 12 + 2 * contacts)
        for name in ["ada", *names]:
            stage.make(name, clock=clock)
        for name in names:
            stage.introduce("ada", name)
        ada, *nodes = [stage.run(name, "--demo-clock") for name in ["ada", *names]]
        ada.event("visible", 30)
        resident, attack = ada.memory()[0], None
        if rate:
            attack = subprocess.Popen(
                ["timeout", "-k", "5", "900", *stage.inside("mallory"), sys.executable,
                 os.path.join(TESTS, "Rigs", "network", "flood_sources.py"), stage.address["ada"], str(rate),
                 str(FLOOD_SOURCES)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            stage.processes.append(attack)
            if attack.stdout.readline().strip() != "ready":
                raise Failed(f"the flood does not begin: {attack.communicate()[1].strip()}")
        first = int(epoch_at(clock, time.time() + 3)) + 1
        time.sleep(max(0, boundary(clock, first) - time.time()))
        used, began = processor_seconds(ada.pid), time.time()
        largest = resident
        while time.time() < boundary(clock, first + epochs) - 1:
            time.sleep(0.25)
            largest = max(largest, ada.memory()[0])
        used, took = processor_seconds(ada.pid) - used, time.time() - began
        sent = {}
        if attack:
            attack.send_signal(signal.SIGINT)
            said, complaint = attack.communicate(timeout=35)
            if attack.returncode != 0:
                raise Failed(f"the flood ended with {attack.returncode}: {complaint.strip()}")
            sent = json.loads(said.splitlines()[-1])
        met, missed, waited = 0, [], []
        for epoch in range(first, first + epochs):
            window = boundary(clock, epoch), boundary(clock, epoch + 1)

            def said(process, event, window=window):
                return [fact for fact in process.events(event) if window[0] <= fact["unixMilliseconds"] / 1000 < window[1]]

            for name, node in zip(names, nodes):
                both = [[fact["unixMilliseconds"] for fact in said(process, "confirmed") if fact["contact"] == contact]
                        for process, contact in ((ada, name.capitalize()), (node, "Ada"))]
                met += sum(map(bool, both))
                if not all(both):
                    missed.append((epoch - first, name))
                    continue
                visible = [fact["unixMilliseconds"] for process in (ada, node) for fact in said(process, "visible")[:1]]
                if len(visible) == 2:
                    waited.append(round((max(map(min, both)) - max(visible)) / 1000, 3))
        for node in [ada, *nodes]:
            if node.stop() != 0:
                raise Failed(f"{node.label} did not end with 0")
        return {"met": met, "nodeEpochs": 2 * contacts * epochs, "missed": missed, "waited": waited, "sent": sent,
                "processorPercent": 100 * used / took, "residentKiB": resident, "grownKiB": largest - resident}
