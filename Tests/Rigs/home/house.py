"""A house: Ada's host and Bob's on a network of their own, the clock of their nodes, and one way to wait and to judge."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "demo"))
from stage import Failed, Process, Stage, demonstration_clock, inkling, kit  # noqa: E402

# The one limit of every wait, in seconds. It ends a rig that hangs, and judges nothing.
HANG = 600
# The life of a process that nobody ends.
LONGEST = 14_400


def expect(condition, text):
    if not condition:
        raise Failed(text)


def wait(what, condition):
    """Waits until a condition holds, and returns its value. `what` may be a function that says it when it has not come."""
    deadline = time.monotonic() + HANG
    while not (value := condition()):
        ended = next((node for node in list(Node.lasting) if node.popen.poll() is not None), None)
        if ended or time.monotonic() > deadline:
            text = what() if callable(what) else what
            raise Failed(f"{ended.label} ended with {ended.popen.poll()} before {text}{ended.last_words()}" if ended
                         else f"no {text} within {HANG} s")
        time.sleep(0.05)
    return value


def said_of(error):
    """Returns the text of an error. One of the hang detector says so, whichever program has waited."""
    text = str(error)
    hangs = f"within {HANG} s" in text or f"after {HANG} seconds" in text or "ended with 124" in text
    return f"HANG: {text}" if hangs else text


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def write(path, text):
    """Writes a file that only its owner can read, as keys and passwords must be."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    return path


class Report:
    """The lines of a part: ✓ and ✗ for its checks, and figures and planted faults for the record of the suite."""

    def __init__(self, part):
        self.part, self.failed = part, []

    def say(self, text):
        print(f"    {text}", flush=True)

    def figure(self, name, value):
        print(f"figure: {self.part} {name} = {value}", flush=True)

    def plant(self, plants, judge):
        """Requires that a judge finds something in each of the plants, which are named for what is wrong in them."""
        missed = [name for name, plant in plants.items() if not judge(plant)]
        for name in plants:
            print(f"planted: {self.part} {name} {'not found' if name in missed else 'found'}", flush=True)
        expect(not missed, f"planted faults that were not found: {missed}")

    def check(self, name, promise, run):
        begun = time.monotonic()
        try:
            run()
        except Exception as error:  # noqa: BLE001 - a mistake of the rig is a failure too, and the next check runs all the same
            self.failed.append(name)
            if not isinstance(error, Failed):
                traceback.print_exc()
            print(f"  ✗ {self.part}.{name}: {promise}\n    {said_of(error)}", flush=True)
        else:
            print(f"  ✓ {self.part}.{name}: {promise} ({time.monotonic() - begun:.0f} s)", flush=True)


class Node(Process):
    """An `inkling` that runs on a host of the house, and prints JSON lines. One that lasts must not end before it is told to."""

    lasting = []

    def __init__(self, house, host, words, label, input=subprocess.DEVNULL, lasts=False):
        super().__init__(house, host, words, label, LONGEST, input)
        if lasts:
            self.lasting.append(self)

    def event(self, name, after=0, **facts):
        return super().event(name, HANG, after, **facts)

    def finish(self, seconds=HANG):
        self.may_end()
        return super().finish(seconds)

    def may_end(self):
        if self in self.lasting:
            self.lasting.remove(self)

    def stop(self):
        """Ends it as Ctrl-C does, with exit code 0."""
        self.may_end()
        self.popen.send_signal(signal.SIGINT)
        code = self.finish()
        expect(code == 0, f"{self.label} ended with {code} instead of 0{self.last_words()}")

    def kill(self):
        pid = self.pid
        self.may_end()
        os.kill(pid, signal.SIGKILL)
        self.finish()

    def hold(self):
        os.kill(self.pid, signal.SIGSTOP)

    def go_on(self):
        os.kill(self.pid, signal.SIGCONT)

    def hears(self, **members):
        """Says to it that its antenna has heard something."""
        self.popen.stdin.write(json.dumps(members) + "\n")
        self.popen.stdin.flush()

    def logged(self):
        return read(self.errors)

    def last(self, *events):
        """Returns the name of the last of these events; None before the first."""
        return next((fact["event"] for fact in reversed(list(self.facts)) if fact.get("event") in events), None)


class House(Stage):
    """Ada's host, where all other programs are, and Bob's. Their homes are contacts of each other, once somebody lives there."""

    def __init__(self, report, short=False, folder=None):
        super().__init__(["ada", "bob"], folder)
        self.report, self.short, self.clock, self.shown, self.known = report, short, None, {}, {}

    def __exit__(self, kind, error, trace):
        if kind is not None:
            print(self.logs(), file=sys.stderr, flush=True)
        Node.lasting.clear()
        self.close()

    def file(self, name):
        return os.path.join(self.folder, name)

    def command(self, host, *words, timeout=HANG, expect=0, text=None, program=inkling):
        return super().command(host, *words, timeout=timeout, expect=expect, text=text, program=program)

    def json(self, host, *words):
        """Returns what a command prints as one JSON object."""
        return json.loads(self.command(host, *words, "--json"))

    def outside(self, host, *words, **how):
        """Runs another program on a host, and returns how it ended."""
        return subprocess.run([*self.inside(host), *words], capture_output=True, text=True, timeout=HANG, check=False, **how)

    def start(self, host, *words, **how):
        """Starts another program on a host."""
        process = subprocess.Popen(
            ["timeout", "-k", "5", str(LONGEST), *self.inside(host), *words], **{"stdin": subprocess.DEVNULL} | how)
        self.processes.append(process)
        return process

    # Homes and their clock

    def move_in(self, rate=2):
        """Makes the homes, with a clock whose epoch has just begun, so that no check meets a boundary by the time of day; with
        the clock of the machine if `rate` is None. The slowest clock that vaults permit gives an epoch 450 s."""
        self.clock = demonstration_clock(rate, int(time.time()) + 1) if rate else None
        for name in ("ada", "bob"):
            self.make(name, self.clock)
        self.introduce("ada", "bob", *([] if self.clock else ["--trust-clock"]))
        return self

    def now(self):
        """The time of the nodes, in Unix seconds."""
        rate, anchor = self.clock or (1, 0)
        return int(anchor + rate * (time.time() - anchor))

    def epoch(self):
        return self.now() // 900

    def run(self, name, *words, input=subprocess.DEVNULL):
        """Starts a node; `input` may be a pipe, for the lines of its antenna."""
        clock = "--demo-clock" if self.clock else "--trust-clock"
        return Node(self, name, ["run", "--json", *self.unlocking(name), "--bluetooth", "off", clock, *words], "run", input, lasts=True)

    def facts(self, name="ada"):
        """The status of a node, then a fact for each contact. None while it is not there: it has its vault before its socket."""
        done = self.command(name, "status", "--json", "--home", self.home(name), expect=None)
        return [json.loads(line) for line in done.stdout.splitlines()] if done.returncode == 0 else None

    def contact(self, name="Bob"):
        return next((fact for fact in self.facts() or [] if fact.get("contact") == name), {})

    def until_contact(self, name="Bob", also=lambda: None, **members):
        """Waits until the status of a contact has these members; does `also` before each look."""
        last = {}

        def fits():
            nonlocal last
            also()
            last = self.contact(name)
            return all(last.get(key) == value for key, value in members.items())

        wait(lambda: f"{name} with {members}, last {last}", fits)
        return last

    def minors(self, name, first, count):
        """What `inkling-kit predict` says that a contact of Ada shows in these epochs, by epoch; empty for an unknown contact."""
        if (name, first, count) in self.known:
            return self.known[name, first, count]
        minors = {}
        for start in range(first, first + count, 600):
            hours = -(-min(600, first + count - start) // 4)
            text = self.offline("ada", "predict", "--from", str(start * 900), "--hours", str(hours), program=kit)
            head, *rows = map(json.loads, text.splitlines())
            if name not in head["contacts"]:
                return {}
            minors |= {row["epoch"]: row["minor"] for row in rows if row["contact"] == head["contacts"].index(name)}
        self.known[name, first, count] = {epoch: minors.get(epoch) for epoch in range(first, first + count)}
        return self.known[name, first, count]

    def minor(self, name="Bob"):
        """What a contact shows now."""
        epoch = self.epoch()
        if epoch not in self.shown.get(name, {}):
            self.shown[name] = self.minors(name, epoch, 600)
        return self.shown[name][epoch]

    def secrets(self):
        """What must not be published: user ids, and the names that both show; and Bob's minors."""
        begin = ["--from", str(self.now()), "--hours", "24"]
        text = "".join(self.offline(name, "predict", *begin, program=kit) for name in ("ada", "bob"))
        names = set(re.findall(r"\b[0-9a-f]{32}\b", text))
        minors = set(re.findall(r'"minor":(\d{4,5})', text))
        ids = {json.loads(self.offline(name, "card", "show", "--json").splitlines()[0])["id"] for name in ("ada", "bob")}
        expect(len(names) > 90 and minors and len(ids) == 2, f"{len(names)} names, {len(minors)} minors and {len(ids)} ids are known")
        return names | ids, minors

    def configure(self, mqtt=None, antennas=(), node=None, name="inkling.toml"):
        """Writes a configuration with these sections, and returns its path."""
        def section(head, members):
            values = {key: json.dumps(value, ensure_ascii=False) for key, value in members.items() if value is not None}
            return f"{head}\n" + "".join(f"{key} = {value}\n" for key, value in values.items())

        text = "".join(section(f"[{head}]", members) for head, members in (("node", node), ("mqtt", mqtt)) if members)
        path = write(self.file(name), text + "".join(section("[[antennas]]", antenna) for antenna in antennas))
        self.command("ada", "config", "check", path)
        return path

    def diagnose(self, configuration, check):
        """What `inkling doctor` finds in a check: a list of facts with a verdict and a text."""
        told = self.command("ada", "doctor", "--json", "--without-bluetooth", "--listen", "0", "--config", configuration, expect=None)
        return [fact for fact in map(json.loads, told.stdout.splitlines()) if fact["check"] == check]
