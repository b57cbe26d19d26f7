"""A stage for nodes: hosts in network namespaces joined by a bridge, a capture of the traffic, and the processes of the nodes.

Without root there is one host, this one, and no capture. Everything is removed again however the program ends. Every child
runs under `timeout`, so that it also ends after the program was killed.
"""

import atexit
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PREFIX = "inkling-"


class Failed(Exception):
    """Something did not happen as expected; the text says what."""


def inkling():
    """Returns the path of the program under test: $INKLING, or the release build."""
    return path_of("INKLING", "inkling")


def kit():
    """Returns the path of inkling-kit: $INKLING_KIT, or the release build."""
    return path_of("INKLING_KIT", "inkling-kit")


def path_of(variable, name):
    path = os.environ.get(variable) or os.path.join(ROOT, ".build", name)
    if not os.access(path, os.X_OK):
        raise Failed(f"{path} is missing; build it with: make build")
    return os.path.abspath(path)


def is_root():
    return os.geteuid() == 0


def demonstration_clock(rate, start, phase=0):
    """The argument of --demo-clock that makes protocol time `phase` seconds into an hour at Unix second `start`.

    Protocol time is anchor + rate * (real - anchor), with a whole anchor, so the phase is met within a few seconds of
    protocol time and not exactly.
    """
    def distance(anchor):
        off = (anchor + rate * (start - anchor) - phase) % 3600
        return min(off, 3600 - off)

    now = int(time.time())
    return rate, min(range(now - 3600, now + 1), key=distance)


def epoch_at(clock, moment):
    rate, anchor = clock
    return (anchor + rate * (moment - anchor)) / 900


def boundary(clock, epoch):
    """Returns the Unix time at which an epoch of this clock begins."""
    rate, anchor = clock
    return anchor + (epoch * 900 - anchor) / rate


def clear_of_boundary(seconds):
    """Waits for the next epoch of real time if this one ends in fewer than `seconds` seconds.

    Around a boundary a node is silent for up to 15 s, and then shows something else.
    """
    left = 900 - time.time() % 900
    if left < seconds:
        print(f"the next epoch begins in {left:.0f} s", flush=True)
        time.sleep(left + 0.5)


class Stage:
    """Hosts by name, each with an address on one network.

    `loss`: the percentage of packets that each host loses (requires tc).
    """

    def __init__(self, hosts, folder=None, say=lambda text: None, loss=None):
        self.names, self.say, self.loss = list(hosts), say, loss
        self.is_divided = is_root()
        self.made = folder is None
        self.folder = os.path.abspath(folder) if folder else tempfile.mkdtemp(prefix=PREFIX, dir="/tmp")
        os.makedirs(self.folder, exist_ok=True)
        os.chmod(self.folder, 0o755)
        self.tag = f"{PREFIX}{os.getpid()}-{Stage.count}"
        Stage.count += 1
        self.processes, self.tcpdump, self.closed = [], None, False
        self.bridge = f"{self.tag}-bridge"
        self.address, self.cards, self.macs, self.watched = {}, {}, {}, {}

    count = 0

    def __enter__(self):
        atexit.register(self.close)
        # A rig may set up several stages in parallel; only the main thread can handle signals.
        if threading.current_thread() is threading.main_thread():
            end_on_signals()
        if self.is_divided:
            try:
                self.sweep()
                self.build()
            except (subprocess.SubprocessError, OSError, Failed):
                self.close()
                raise
        return self

    def __exit__(self, *_):
        self.close()

    # Hosts

    def host(self, name):
        return f"{self.tag}-{name}"

    @staticmethod
    def sweep():
        """Removes the namespaces of earlier programs that were killed."""
        for name in os.listdir("/run/netns") if os.path.isdir("/run/netns") else []:
            made_by = re.match(PREFIX + r"(\d+)-", name)
            if made_by and not os.path.exists(f"/proc/{made_by[1]}"):
                subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)

    def build(self):
        for tool in ("ip", "tcpdump"):
            if not shutil.which(tool):
                raise Failed(f"`{tool}` is missing; install it with: .ci/setup test")
        for name in [self.bridge] + [self.host(name) for name in self.names]:
            command("ip", "netns", "add", name)
            command("ip", "-n", name, "link", "set", "lo", "up")
        command("ip", "-n", self.bridge, *"link add br0 type bridge mcast_snooping 0 forward_delay 0".split())
        command("ip", "-n", self.bridge, *"link set br0 up".split())
        for index, name in enumerate(self.names, 1):
            host, port = self.host(name), f"p{index}"
            command("ip", "link", "add", "eth0", "netns", host, "type", "veth", "peer", port, "netns", self.bridge)
            command("ip", "-n", self.bridge, "link", "set", port, "master", "br0", "up")
            command("ip", "-n", host, "addr", "add", f"10.77.0.{index}/24", "dev", "eth0")
            command("ip", "-n", host, "link", "set", "eth0", "up")
            self.address[name] = f"10.77.0.{index}"
            if self.loss:
                command("ip", "netns", "exec", host, "tc", "qdisc", "add", "dev", "eth0", "root", "netem", "loss",
                        f"{self.loss}%")
        self.settle()

    def settle(self):
        """Waits until no IPv6 address is tentative; packets that are sent earlier are lost."""
        deadline = time.time() + 10
        while time.time() < deadline:
            shown = [
                subprocess.run(["ip", "-n", self.host(name), "-6", "addr", "show", "dev", "eth0"],
                               capture_output=True, text=True).stdout
                for name in self.names
            ]
            if all("tentative" not in text and ("inet6" in text or not os.path.exists("/proc/net/if_inet6"))
                   for text in shown):
                return
            time.sleep(0.05)
        raise Failed("the hosts got no IPv6 addresses within 10 s")

    def addresses(self, name):
        """Returns all addresses of a host, as `ip` prints them, and those that it had since they are watched."""
        text = subprocess.run(["ip", "-n", self.host(name), "-o", "addr", "show", "dev", "eth0"],
                              capture_output=True, text=True).stdout
        if name in self.watched:
            with open(self.watched[name], encoding="utf-8") as file:
                text += file.read()
        return re.findall(r"inet6? ([0-9a-f.:]+)/", text)

    def watch_addresses(self, name):
        """Notes which addresses a host gets from now on."""
        self.watched[name] = os.path.join(self.folder, f"{name}.addresses")
        with open(self.watched[name], "w", encoding="utf-8") as file:
            self.processes.append(subprocess.Popen(
                ["timeout", "-k", "5", "14400", "ip", "-n", self.host(name), "-o", "monitor", "address"], stdout=file))

    def hardware(self, name):
        """Returns the hardware address of a host."""
        if name not in self.macs:
            text = subprocess.run(["ip", "-n", self.host(name), "-o", "link", "show", "dev", "eth0"], capture_output=True, text=True).stdout
            self.macs[name] = bytes.fromhex(re.search(r"link/ether (\S+)", text)[1].replace(":", ""))
        return self.macs[name]

    def inside(self, name):
        """Returns the words before a command that runs on a host, or for None on this machine."""
        return ["ip", "netns", "exec", self.host(name)] if self.is_divided and name is not None else []

    # The capture

    def capture(self, file="network.pcap", only=""):
        """Starts to write what the hosts send to a file: all, or what a filter of tcpdump lets through. What the bridge itself sends
        is left out, because an attacker may stand there.
        """
        self.pcap = os.path.join(self.folder, file)
        self.tcpdump = subprocess.Popen(
            ["ip", "netns", "exec", self.bridge, "timeout", "-k", "5", "14400", "tcpdump", "-i", "br0", "-Q", "in",
             "--immediate-mode", "-U", "-n", "-s", "0", "-B", "16384", "-Z", "root", "-w", self.pcap, *only.split()],
            stderr=subprocess.PIPE, text=True)
        self.processes.append(self.tcpdump)
        lines = []
        while True:
            line = self.tcpdump.stderr.readline()
            lines.append(line)
            if "listening on" in line:
                return self.pcap
            if not line:
                raise Failed("tcpdump does not capture: " + "".join(lines).strip())

    def end_capture(self):
        """Ends the capture and returns the number of packets that the kernel dropped."""
        time.sleep(0.2)
        self.tcpdump.send_signal(signal.SIGINT)
        rest = self.tcpdump.communicate(timeout=10)[1]
        dropped = re.search(r"(\d+) packets? dropped by kernel", rest)
        return int(dropped[1]) if dropped else 0

    # Commands and nodes

    def home(self, name):
        return os.path.join(self.folder, name)

    def unlocking(self, name):
        return ["--home", self.home(name), "--key-file", self.home(name) + ".key"]

    def command(self, host, *words, timeout=20, expect=0, text=None, program=inkling):
        """Runs a program with these words on a host and returns standard output; `expect` None takes any exit code."""
        done = subprocess.run(
            ["timeout", "-k", "2", str(timeout), *self.inside(host), program(), *words],
            capture_output=True, text=True, input=text, stdin=None if text is not None else subprocess.DEVNULL)
        if expect is None:
            return done
        if done.returncode != expect:
            raise Failed(
                f"`{os.path.basename(program())} {' '.join(words)}` ended with {done.returncode} instead of {expect}"
                f"\n{done.stdout}{done.stderr}".rstrip())
        return done.stdout

    def status(self, node):
        """Returns the status of a node, then the facts of each contact."""
        text = self.command(node, "status", "--json", "--home", self.home(node))
        return [json.loads(line) for line in text.splitlines()]

    def make(self, name, clock=None, key=("--key-file",), shown=None):
        """Creates the home of a node."""
        words = ["init", "--name", shown or name.capitalize(), "--home", self.home(name)]
        words += ["--demo-clock", f"{clock[0]}@{clock[1]}"] if clock else ["--trust-clock"]
        words += [key[0], key[1] if len(key) > 1 else self.home(name) + ".key"]
        return self.command(name, *words)

    def befriend(self, inviter, joiner):
        """Makes two homes contacts over the network; returns what each saw: (name, fingerprint)."""
        invite = Process(self, inviter, ["invite", "--yes", "--json", *self.unlocking(inviter)], "invite", 120)
        shown = invite.wait(lambda fact: "invitation" in fact, 20, "the invitation")
        accept = Process(self, joiner, ["accept", shown["invitation"], "--yes", "--json", *self.unlocking(joiner)],
                         "accept", 60)
        saw = [process.wait(lambda fact: "question" in fact, 30, "the question")["question"]
               for process in (invite, accept)]
        for process in (invite, accept):
            process.wait(lambda fact: "id" in fact, 30, "the contact")
            if process.finish(10) != 0:
                raise Failed(f"{process.label} did not end with 0")
        return [(question["name"], question["fingerprint"]) for question in saw]

    def offline(self, name, *words, text=None, program=inkling):
        """Runs a command that needs no network for a home."""
        return self.command(None, *words, *self.unlocking(name), text=text, program=program)

    def introduce(self, one, other, *trust):
        """Makes two homes contacts without a network: each takes the other's card, and a grant that was sealed for it.

        With a fast clock an invitation would live for some seconds only, too few on a busy machine.
        """
        sealed = {}
        for taker, giver in ((one, other), (other, one)):
            if giver not in self.cards:
                self.cards[giver] = self.offline(giver, "card", "export")
            card = self.cards[giver]
            told = self.offline(taker, "card", "add", "-", "--json", *trust, text=card)
            sealed[giver] = [json.loads(line)["sealedGrant"] for line in told.splitlines() if "sealedGrant" in line]
        for name, grants in sealed.items():
            for grant in grants:
                self.offline(name, "card", "add", "-", *trust, text=grant)

    def run(self, name, *words, seconds=14400, unlocking=None, input=subprocess.DEVNULL):
        """Starts a node; `input` may be a pipe, which is `popen.stdin` then."""
        unlocking = unlocking or self.unlocking(name)
        return Process(self, name, ["run", "--json", *unlocking, *words], "run", seconds, input)

    def close(self):
        """Ends every process and removes every host."""
        if self.closed:
            return
        self.closed = True
        atexit.unregister(self.close)
        for process in self.processes:
            popen = process.popen if isinstance(process, Process) else process
            if popen.poll() is None:
                popen.terminate()
        for process in self.processes:
            popen = process.popen if isinstance(process, Process) else process
            try:
                popen.wait(5)
            except subprocess.TimeoutExpired:
                popen.kill()
                popen.wait()
        if self.is_divided:
            for name in [self.host(name) for name in self.names] + [self.bridge]:
                subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)
        if self.made:
            shutil.rmtree(self.folder, ignore_errors=True)

    def logs(self):
        """Returns the last lines of the output of every process."""
        parts = []
        for process in self.processes:
            if isinstance(process, Process):
                with open(process.errors, encoding="utf-8", errors="replace") as file:
                    said = [json.dumps(fact, ensure_ascii=False) for fact in process.facts[-15:]]
                    parts.append(f"── {process.label} (exit code {process.popen.poll()})\n"
                                 + "\n".join(said + file.read().splitlines()[-15:]))
        return "\n".join(parts)


def end_on_signals():
    """Makes signals end this program with its clean-up."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))


class Process:
    """An `inkling` that prints JSON lines, under `timeout`."""

    def __init__(self, stage, host, words, label, seconds, input=subprocess.DEVNULL):
        self.host, self.label, self.facts, self.changed = host, f"{host} {label}", [], threading.Condition()
        self.say = stage.say
        number = sum(isinstance(other, Process) for other in stage.processes)
        self.errors = os.path.join(stage.folder, f"{number:02}-{host}-{label}.log")
        self.lines = os.path.join(stage.folder, f"{number:02}-{host}-{label}.jsonl")
        self.started = time.time()
        with open(self.errors, "w", encoding="utf-8") as errors:
            self.popen = subprocess.Popen(
                ["timeout", "-k", "5", str(seconds), *stage.inside(host), inkling(), *words],
                stdin=input, stdout=subprocess.PIPE, stderr=errors, text=True)
        stage.processes.append(self)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        with open(self.lines, "w", encoding="utf-8") as copy:
            for line in self.popen.stdout:
                copy.write(line)
                copy.flush()
                try:
                    fact = json.loads(line)
                except ValueError:
                    fact = {"unreadable": line}
                with self.changed:
                    self.facts.append(fact)
                    self.changed.notify_all()
        with self.changed:
            self.facts.append({"ended": True})
            self.changed.notify_all()

    def last_words(self):
        """Returns the last fact and the last lines of standard error, to follow a message."""
        with open(self.errors, encoding="utf-8", errors="replace") as file:
            said = [json.dumps(fact, ensure_ascii=False) for fact in self.facts[-2:-1]] + file.read().splitlines()[-5:]
        return "".join(f"\n    {line}" for line in said)

    def mark(self):
        """Returns a position in the facts, after which `wait` can search."""
        return len(self.facts)

    def wait(self, matches, seconds, what, after=0, progress=False):
        """Returns the first fact after a position that matches."""
        deadline, told = time.time() + seconds, time.time()
        with self.changed:
            while True:
                while after < len(self.facts):
                    fact = self.facts[after]
                    after += 1
                    if matches(fact):
                        return fact
                    if "ended" in fact:
                        raise Failed(f"{self.label} ended before {what}{self.last_words()}")
                left = deadline - time.time()
                if left <= 0:
                    raise Failed(f"{self.label}: no {what} within {seconds:.0f} s")
                self.changed.wait(min(left, 1))
                if progress and time.time() - told >= 5:
                    told = time.time()
                    self.say(f"  … waiting for {what} (at most {left:.0f} s)")

    def event(self, name, seconds, after=0, progress=False, **facts):
        """Returns the first event with this name and these facts after a position."""
        what = " ".join([f"“{name}”", *(str(value) for value in facts.values())])
        return self.wait(
            lambda fact: fact.get("event") == name and all(fact.get(key) == value for key, value in facts.items()),
            seconds, what, after, progress)

    def events(self, name):
        return [fact for fact in list(self.facts) if fact.get("event") == name]

    @property
    def pid(self):
        """The id of the process that `timeout` runs."""
        with open(f"/proc/{self.popen.pid}/task/{self.popen.pid}/children", encoding="ascii") as file:
            children = file.read().split()
        if not children:
            raise Failed(f"{self.label} has ended")
        return int(children[0])

    def memory(self):
        """Resident memory now and at its peak, in KiB."""
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            text = file.read()
        return tuple(int(re.search(rf"{field}:\s+(\d+) kB", text)[1]) for field in ("VmRSS", "VmHWM"))

    def anonymous_memory(self):
        """Resident memory now that is not of files, such as the program itself, in KiB."""
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            return int(re.search(r"RssAnon:\s+(\d+) kB", file.read())[1])

    def descriptors(self):
        """The number of open files."""
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def finish(self, seconds):
        """Waits until the process ends, and returns its exit code."""
        try:
            code = self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failed(f"{self.label} did not end within {seconds} s") from None
        self.reader.join(5)
        return code

    def stop(self, seconds=10):
        """Sends SIGINT, as Ctrl-C does, and returns the exit code."""
        self.popen.send_signal(signal.SIGINT)
        return self.finish(seconds)


def command(*words):
    done = subprocess.run(["timeout", "20", *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"`{' '.join(words)}` failed: {done.stderr.strip()}")
