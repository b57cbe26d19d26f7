"""A field: contacts and attackers on a network of their own, whose nodes run through a number of epochs while an attack lasts.

It counts node-epochs: for each pair of contacts and each epoch, whether each node confirmed the other in that epoch, and
the other it.
"""

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RIGS = os.path.dirname(HERE)
sys.path[:0] = [os.path.join(RIGS, name) for name in ("demo", "links", "network")]
from captures import Account, hosts_of, silences  # noqa: E402
from stage import Failed, Stage, boundary, command, demonstration_clock, epoch_at, inkling  # noqa: E402

ATTACKERS = os.path.join(HERE, "attackers")
# A Python that has python-zeroconf, where there is one.
PYTHON = os.environ.get("INKLING_ZEROCONF_PYTHON", sys.executable)
# Nodes start so long before the first epoch that is judged, and an epoch is judged so long before its end.
LEAD, REST = 4, 1.6
# Seconds for which a kernel asks for a neighbour, with some for the clock.
NEIGHBOUR = 3.2
building = threading.Lock()
# Whether this runs in the guest of Tests/Rigs/stage, whose time is virtual and which is slow.
IN_GUEST = "INKLING_GUEST" in os.environ


def pairs(count):
    """Contacts who know each other in pairs."""
    return [(f"ada{number}", f"bob{number}") for number in range(1, count + 1)]


def star(count):
    """One node, "ada", and contacts who know nobody else."""
    return [("ada", f"bob{number}") for number in range(1, count + 1)]


class Field:
    """`contacts`: pairs of names. `others`: further hosts: attackers, and nodes without contacts.

    `old`: a program with old behaviours and the one that its nodes have; None for the program under test.
    """

    def __init__(self, contacts, others=("mallory",), old=None, rate=36, real_clock=False):
        self.contacts, self.rate, self.old, self.environment = contacts, rate, old, {}
        self.people = list(dict.fromkeys(name for pair in contacts for name in pair))
        self.others, self.real_clock = list(others), real_clock
        self.nodes, self.attackers, self.samples, self.sampling = {}, [], [], None
        self.judged, self.ended, self.captured, self.stopped = [], set(), [], None

    def __enter__(self):
        # Stages count themselves, and threads share the count.
        with building:
            self.stage = Stage([*self.people, *self.others])
            self.stage.__enter__()
        return self

    def __exit__(self, *_):
        self.stage.close()

    # Preparation

    def prepare(self, nodes=None):
        """Makes the homes of all nodes, who are contacts by their cards, and sets the clock so that an epoch begins soon. A row
        with the same people takes copies of the homes, and their clock.
        """
        nodes = [*self.people, *(nodes or ())]
        crowd = (tuple(nodes), tuple(self.contacts), self.rate, self.real_clock)
        with Homes.kept.setdefault(crowd, Homes()) as homes:
            if not homes.clock:
                self.make_homes(nodes)
                homes.keep(self.clock, self.stage.folder)
                return
            homes.copy(self.stage.folder)
        self.clock = homes.clock
        self.first = int(epoch_at(self.clock, time.time() + LEAD)) + 1

    def make_homes(self, nodes):
        begun = time.time()
        self.inkling("probe", "init", "--name", "Probe", "--trust-clock")
        # As long as the commands will take, with time to spare, so that no epoch passes unused.
        needed = (time.time() - begun) * (len(nodes) + 6 * len(self.contacts)) * 1.5
        begun = time.time()
        self.clock = demonstration_clock(self.rate, int(begun + needed) + LEAD + 1)
        self.first = int(epoch_at(self.clock, begun + LEAD)) + 1
        clock = ["--trust-clock"] if self.real_clock else ["--demo-clock", f"{self.clock[0]}@{self.clock[1]}"]
        trust = ["--trust-clock"] if self.real_clock else []
        for name in nodes:
            self.inkling(name, "init", "--name", name.capitalize(), *clock)
        for one, other in self.contacts:
            self.stage.introduce(one, other, *trust)

    def inkling(self, name, *words, text=None):
        return self.stage.offline(name, *words, text=text)

    def capture(self, nodes=None, others=""):
        """Begins to capture what the nodes send: by their hardware addresses, because attackers forge the others. `others`: a filter of
        tcpdump for what is left out.
        """
        self.captured = [name for name in [*self.people, *(nodes or ())] if name in self.stage.names]
        for name in self.captured:
            self.stage.watch_addresses(name)
        sent = " or ".join(f"ether src {self.stage.hardware(name).hex(':')}" for name in self.captured)
        self.stage.capture(only=f"( {sent} ) and not ( {others} )" if others else sent)

    # Running

    def start(self, name, *words, on=None):
        clock = "--trust-clock" if self.real_clock else "--demo-clock"
        return self.begin(name, self.stage, on or name, [clock, *words])

    def begin(self, name, stage, host, words):
        program, behaviour = self.old or (inkling(), None)
        environment = {**self.environment, **({"INKLING_OLD": behaviour} if behaviour else {})}
        self.nodes[name] = Running(stage, host, [program, "run", "--json", *self.stage.unlocking(name), *words], environment)
        return self.nodes[name]

    def start_all(self, nodes=None):
        """Starts the nodes shortly before the first epoch that is judged."""
        # Where making the homes took too long, the next epoch is the first one.
        while self.start_of(self.first) - LEAD / 2 < time.time():
            self.first += 1
        time.sleep(max(0, self.start_of(self.first) - LEAD - time.time()))
        for name in [*self.people, *(nodes or ())]:
            self.start(name)

    def attack(self, host, program, *words):
        """Starts an attacker on a host."""
        attacker = Attacker(self.stage, host, program, [str(word) for word in words])
        self.attackers.append(attacker)
        return attacker

    def start_of(self, epoch):
        return boundary(self.clock, epoch)

    def pass_epochs(self, count, is_enough=lambda: False):
        """Lets epochs pass, from the first one on, until it is enough, and notes which of the nodes run at the end of each."""
        for epoch in range(self.first, self.first + count):
            time.sleep(max(0, self.start_of(epoch + 1) - REST - time.time()))
            self.judged.append(epoch)
            self.check_running()
            if is_enough():
                return

    def check_running(self):
        self.ended |= {name for name, node in self.nodes.items() if node.popen.poll() is not None}

    def sample(self, seconds=2 if IN_GUEST else 0.5):
        """Begins to sample the memory and the processor time of each node."""
        def watch():
            while not done.wait(seconds):
                now = time.time()
                for name, node in list(self.nodes.items()):
                    try:
                        self.samples.append((now, name, node.memory()[0], node.processor_seconds()))
                    except (Failed, OSError, KeyError):
                        pass  # the process has ended; the judge finds that out
        done = threading.Event()
        self.sampling = done, threading.Thread(target=watch, daemon=True)
        self.sampling[1].start()

    def stop_sampling(self):
        if self.sampling:
            self.sampling[0].set()
            self.sampling[1].join(5)
            self.sampling = None

    def end(self):
        """Ends the attack, then the nodes; a node that does not end with 0 has ended by the attack."""
        self.stop_sampling()
        for attacker in self.attackers:
            attacker.end()
        self.check_running()
        self.stopped = time.time()
        for node in self.nodes.values():
            if node.popen.poll() is None:
                node.popen.send_signal(signal.SIGINT)
        for name, node in self.nodes.items():
            if name not in self.ended and node.finish(15) != 0:
                self.ended.add(name)

    # What happened

    def account(self):
        """Ends the capture and returns what the judge of captures says about it."""
        lost = self.stage.end_capture()
        nodes = {name: self.nodes[name] for name in self.captured}
        silent = {name: silences(list(node.facts), node.started, self.stopped, time.time()) for name, node in nodes.items()}
        # What a kernel keeps for a neighbour while a link is down, it sends a little later (Specs/rotation.md).
        kept = {name: [(since, until + NEIGHBOUR) for since, until in spans] for name, spans in getattr(self, "down", {}).items()}
        silent = {name: [cut for span in spans for cut in without(span, kept.get(name, []))] for name, spans in silent.items()}
        account = Account.read(self.stage.pcap, hosts_of(self.stage, self.captured), lambda moment: epoch_at(self.clock, moment),
                               machine={socket.gethostname(), socket.getfqdn()} - {"localhost"},
                               people=[name.capitalize() for name in self.captured], silences=silent)
        unseen = [name for name in self.captured if not account.announced[name]]
        return {"violations": account.violations(), "lost": lost, "unseen": unseen, "packets": account.packets,
                "silentSeconds": round(account.silent_seconds), "refusals": len(account.refusals), "reports": len(account.reports)}

    def confirmed(self, name, other, epoch):
        begun, end = self.start_of(epoch) * 1000, self.start_of(epoch + 1) * 1000
        return any(event["contact"] == other.capitalize() and begun <= event["unixMilliseconds"] < end
                   for event in self.nodes[name].events("confirmed"))

    def meetings(self, contacts=None):
        """Returns the number of node-epochs with a meeting, the number of all, and the list of those without."""
        met, missed = 0, []
        for epoch in self.judged:
            for one, other in contacts or self.contacts:
                if self.confirmed(one, other, epoch) and self.confirmed(other, one, epoch):
                    met += 2
                else:
                    missed += [(epoch - self.first, one, other), (epoch - self.first, other, one)]
        return met, met + len(missed), missed

    def story(self, epoch, one, other):
        """What two contacts reported in an epoch: lines of seconds from its start, node, event and details."""
        begun, end, told = self.start_of(epoch), self.start_of(epoch + 1), []
        for name in (one, other):
            for fact in list(self.nodes[name].facts):
                at = fact.get("unixMilliseconds", 0) / 1000
                if begun - 1.5 <= at < end and fact.get("event") != "plan":
                    more = [str(fact[key]) for key in ("contact", "presence", "reason", "what", "refusal", "milliseconds") if fact.get(key)]
                    told.append((at, f"{at - begun:6.2f} s {name}: {' '.join([fact['event'], *more])}"))
        return [line for _, line in sorted(told)]

    def silences(self, name, reasons=None):
        """Returns (from, until, reason) of each time in which a node was silent, in Unix seconds."""
        spans, since, reason = [], self.nodes[name].started, "gap"
        for fact in list(self.nodes[name].facts):
            if fact.get("event") == "visible" and since is not None:
                spans.append((since, fact["unixMilliseconds"] / 1000, reason))
                since = None
            elif fact.get("event") == "silent":
                if since is not None:
                    spans.append((since, fact["unixMilliseconds"] / 1000, reason))
                since, reason = fact["unixMilliseconds"] / 1000, fact["reason"]
        if since is not None:
            spans.append((since, time.time(), reason))
        return [span for span in spans if reasons is None or reasons(span[2])]

    def processor_share(self, name, begun=0, end=float("inf")):
        """The share of one core that a node used between two moments."""
        mine = [(moment, used) for moment, who, _, used in self.samples if who == name and begun <= moment <= end]
        if len(mine) < 2:
            raise Failed(f"{name} was not sampled")
        return (mine[-1][1] - mine[0][1]) / (mine[-1][0] - mine[0][0])

    def resident(self, name, begun=0, end=float("inf")):
        """The resident memory of a node at each sample between two moments, in KiB."""
        return [kib for moment, who, kib, _ in self.samples if who == name and begun <= moment <= end]


def without(span, holes):
    """The parts of a span outside the holes."""
    parts = [(span[0], span[1])]
    for since, until in holes:
        parts = [cut for begun, end in parts for cut in ((begun, min(end, since)), (max(begun, until), end)) if cut[0] < cut[1]]
    return parts


class Homes:
    """The homes of nodes as they were made, before any of them ran, and their clock."""

    kept = {}

    def __init__(self):
        self.clock, self.folder, self.making = None, None, threading.Lock()

    def __enter__(self):
        self.making.acquire()
        return self

    def __exit__(self, *_):
        self.making.release()

    def keep(self, clock, folder):
        self.clock, self.folder = clock, tempfile.mkdtemp(prefix="inkling-homes-", dir="/tmp")
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        shutil.copytree(folder, self.folder, dirs_exist_ok=True)

    def copy(self, folder):
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)


class Lines:
    """A process whose lines of JSON are kept."""

    def __init__(self, popen, label):
        self.popen, self.label, self.facts, self.changed = popen, label, [], threading.Condition()
        self.started, self.told = time.time(), lambda fact: None
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.popen.stdout:
            try:
                fact = json.loads(line)
            except ValueError:
                fact = {"unreadable": line}
            with self.changed:
                self.facts.append({**fact, "read": time.time(), "uptime": time.monotonic()})
                self.changed.notify_all()
            self.told(fact)
        with self.changed:
            self.facts.append({"ended": True})
            self.changed.notify_all()

    def wait(self, matches, seconds, what):
        deadline, after = time.time() + seconds, 0
        with self.changed:
            while True:
                while after < len(self.facts):
                    fact = self.facts[after]
                    after += 1
                    if matches(fact):
                        return fact
                    if "ended" in fact:
                        raise Failed(f"{self.label} ended before {what}")
                if deadline <= time.time():
                    raise Failed(f"{self.label}: no {what} within {seconds} s")
                self.changed.wait(min(1, deadline - time.time()))

    def events(self, name):
        return [fact for fact in list(self.facts) if fact.get("event") == name]

    def finish(self, seconds):
        try:
            return self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            return self.popen.wait()


class Running(Lines):
    """A node, under `timeout`."""

    def __init__(self, stage, host, words, environment):
        self.errors = os.path.join(stage.folder, f"{len(stage.processes):02}-{host}.log")
        with open(self.errors, "w", encoding="utf-8") as errors:
            popen = subprocess.Popen(
                ["timeout", "-k", "5", "14400", *stage.inside(host), *words], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=errors, text=True, env={**os.environ, **environment})
        stage.processes.append(popen)
        super().__init__(popen, host)

    @property
    def pid(self):
        with open(f"/proc/{self.popen.pid}/task/{self.popen.pid}/children", encoding="ascii") as file:
            children = file.read().split()
        if not children:
            raise Failed(f"{self.label} has ended")
        return int(children[0])

    def memory(self):
        """Resident memory now and at its peak, in KiB."""
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            lines = dict(line.split(":", 1) for line in file)
        return tuple(int(lines[name].split()[0]) for name in ("VmRSS", "VmHWM"))

    def processor_seconds(self):
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Attacker(Lines):
    """A program of `attackers`, on a host."""

    def __init__(self, stage, host, program, words):
        namespace = stage.bridge if host == "bridge" else stage.host(host)
        popen = subprocess.Popen(
            ["timeout", "-k", "5", "14400", "ip", "netns", "exec", namespace, PYTHON,
             os.path.join(ATTACKERS, f"{program}.py"), *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        stage.processes.append(popen)
        super().__init__(popen, f"{program} on {host}")

    def is_ready(self, seconds=30):
        self.wait(lambda fact: "ready" in fact, seconds, "the attack")
        return self

    def tell(self, line):
        self.popen.stdin.write(line + "\n")
        self.popen.stdin.flush()

    def end(self):
        """Ends the attack and returns its figures."""
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGTERM)
        self.finish(10)
        return self.figures

    @property
    def figures(self):
        told = [fact["figures"] for fact in list(self.facts) if "figures" in fact]
        if not told:
            raise Failed(f"{self.label} ended without figures")
        return told[-1]


__all__ = ["ATTACKERS", "IN_GUEST", "REST", "Failed", "Field", "Stage", "boundary", "command", "epoch_at", "inkling", "pairs", "star", "without"]
