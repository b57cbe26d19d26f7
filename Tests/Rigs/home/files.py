"""Files between two nodes: memory, cuts, consent and a full disk (Specs/files.md). Throughput is a figure, and not judged."""

import contextlib
import hashlib
import os
import random
import subprocess
import threading
import time

from house import HANG, Node, expect, read

# What the memory of a node may grow by, in KiB, over what it needs for texts.
GROWN_KIB = 1024
MEGABYTE = 1_000_000
PARTIALS = ".inkling-partial"


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def make_file(path, size, seed):
    """Writes bytes that no two places of the file have in common; returns their digest."""
    generator = random.Random(seed)
    with open(path, "wb") as file:
        while size > 0:
            block = generator.randbytes(min(size, 1 << 20))
            file.write(block)
            size -= len(block)
    return digest(path)


class Pair:
    """Ada, who sends, and Bob, who takes files into a folder."""

    def __init__(self, house, *rule, rate=2, folder=None):
        self.house, self.rule, self.source = house.move_in(rate), rule, house.file("source")
        self.folder = folder or house.file("received")
        os.makedirs(self.folder, exist_ok=True)
        self.nodes = {}
        for name in ("ada", "bob"):
            self.start(name)

    def start(self, name):
        words = ["--receive-files", self.folder, *self.rule] if name == "bob" else []
        self.nodes[name] = self.house.run(name, *words)

    def meet(self):
        for node in self.nodes.values():
            node.event("confirmed")
        return self

    def send(self, path, *words):
        return Node(self.house, "ada", ["send", "Bob", "--file", path, "--json", "--home", self.house.home("ada"), *words], "send")

    def sends(self, path, code):
        """Sends a file, which must end with an exit code."""
        sending = self.send(path)
        expect(sending.finish() == code, f"{path} did not end with {code}{sending.last_words()}")
        return sending

    def received(self):
        return [os.path.join(self.folder, name) for name in os.listdir(self.folder) if name != PARTIALS]

    def partials(self):
        folder = os.path.join(self.folder, PARTIALS)
        return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".part")] if os.path.isdir(folder) else []

    def has_kept(self, *wanted):
        """Requires that files with these digests were kept, and nothing else."""
        expect(sorted(map(digest, self.received())) == sorted(wanted), "other files were kept than were sent")
        expect(not self.partials(), "a partial file was left")

    def arrived(self):
        """How many bytes of a file are there that is not kept yet."""
        try:
            return max([os.path.getsize(path) for path in self.partials()], default=0)
        except OSError:
            return 0

    def stop(self):
        for node in self.nodes.values():
            node.stop()


class Peak:
    """Watches the resident memory of processes, and what of it is not of files."""

    def __init__(self, nodes):
        self.nodes, self.most, self.done = nodes, {name: 0 for name in nodes}, threading.Event()
        self.anonymous = dict(self.most)
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()

    def watch(self):
        while not self.done.wait(0.02):
            for name, node in self.nodes.items():
                self.most[name] = max(self.most[name], node.memory()[0])
                self.anonymous[name] = max(self.anonymous[name], node.anonymous_memory())


def check_memory(house):
    """a large file arrives whole, in bounded memory, while texts are delivered"""
    pair, megabytes = Pair(house, "--file-limit", "100G").meet(), 20 if house.short else 1100
    wanted = make_file(pair.source, megabytes * MEGABYTE, 1)

    def text(number, sender="ada", contact="Bob"):
        begun = time.monotonic()
        house.command(sender, "send", contact, f"{number} " + "x" * 8000, "--wait", str(HANG), "--home", house.home(sender))
        return time.monotonic() - begun

    with Peak(pair.nodes) as texts:
        for number in range(30):
            text(number)
            text(number, "bob", "Ada")
    latest = []
    with Peak(pair.nodes) as files:
        begun = time.monotonic()
        sending = pair.send(pair.source)
        while sending.popen.poll() is None:
            latest.append(text(len(latest)))
            # Nodes keep what is known of each text; as many as fit in the time would hide what the file needs.
            with contextlib.suppress(subprocess.TimeoutExpired):
                sending.popen.wait(2)
        taken = time.monotonic() - begun
    expect(sending.finish() == 0, f"the file was not delivered{sending.last_words()}")
    pair.has_kept(wanted)
    house.report.figure("throughput", f"{megabytes / taken:.1f} MB/s of {megabytes} MB")
    house.report.figure("slowest text beside it, with its command", f"{max(latest):.2f} s of {len(latest)}")
    grown = {name: files.most[name] - texts.most[name] for name in pair.nodes}
    for name in pair.nodes:
        data = files.anonymous[name] - texts.anonymous[name]
        house.report.figure(f"memory of {name}", f"{texts.most[name]} KiB with texts, {files.most[name]} KiB with the file "
                            f"({grown[name]:+} KiB; {data:+} KiB of it data, the rest pages of the program)")
    pair.stop()
    for name, growth in grown.items():
        expect(growth <= GROWN_KIB, f"{name} needed {growth} KiB more than for texts, and {GROWN_KIB} are allowed")


def damage(path, generator):
    with open(path, "r+b") as rest:
        rest.seek(generator.randrange(max(1, os.path.getsize(path))))
        rest.write(b"\0\1\2\3")


def check_cuts(house):
    """a file arrives once and whole, although nodes are killed, links are cut and epochs end at any byte"""
    pair, cuts, size = Pair(house, "--file-limit", "100G", rate=20), 10 if house.short else 200, 40 * MEGABYTE
    generator, wanted = random.Random(15), []
    made = {"killed sender": 0, "killed receiver": 0, "cut link": 0, "damaged rest": 0}

    def cut(kind):
        if kind == "cut link":
            host = house.host(generator.choice(["ada", "bob"]))
            for state in ("down", "up"):
                subprocess.run(["ip", "-n", host, "link", "set", "eth0", state], check=True, timeout=HANG)
                time.sleep(0.2)
            return
        name = "ada" if kind == "killed sender" else "bob"
        pair.nodes[name].kill()
        if kind == "damaged rest":
            for path in pair.partials():
                damage(path, generator)
        pair.start(name)

    def transmit():
        """Sends a file, and cuts it at random places until it is there."""
        wanted.append(make_file(pair.source, size, len(wanted)))
        house.command("ada", "send", "Bob", "--file", pair.source, "--detach", "--home", house.home("ada"))
        while len(pair.received()) < len(wanted):
            target = pair.arrived() + generator.randrange(1, size // 8)
            # Every tenth rest is damaged; the others take turns.
            number = sum(made.values())
            kind = "damaged rest" if number % 10 == 9 else list(made)[number % 3]
            deadline = time.monotonic() + HANG
            # In steps that are too short for `wait`: a file is there within a second.
            while len(pair.received()) < len(wanted) and pair.arrived() < target:
                expect(time.monotonic() < deadline, f"nothing moved within {HANG} s, at {pair.arrived()} of {size} bytes")
                time.sleep(0.0005)
            if len(pair.received()) < len(wanted) and pair.arrived() > 0 and number < cuts:
                cut(kind)
                made[kind] += 1

    while sum(made.values()) < cuts:
        transmit()
        expect(len(pair.received()) == len(wanted), f"{len(pair.received())} files were kept, and {len(wanted)} were sent")
        newest = max(pair.received(), key=os.path.getmtime)
        expect(digest(newest) == wanted[-1], f"file {len(wanted)} is another one than was sent, after {made}")
    # Nobody sends a file a second time because he has not heard that it arrived: the next one comes after it, and alone.
    transmit()
    pair.has_kept(*wanted)
    house.report.figure("files", f"{len(wanted)} of {size // MEGABYTE} MB")
    for kind, count in made.items():
        house.report.figure(f"cuts, {kind}", count)


def check_consent(house):
    """nothing is written before the user accepts, and what is refused or too large for the rule is not sent"""
    pair, bob = Pair(house, "--file-limit", "10k").meet(), house.home("bob")

    def offer():
        mark, sending = pair.nodes["bob"].mark(), pair.send(pair.source)
        return sending, pair.nodes["bob"].event("file", mark, state="asked")["transfer"]

    first = make_file(pair.source, 3 * MEGABYTE, 2)
    sending, transfer = offer()
    expect(not pair.partials() and not pair.received(), "something was written before the user accepted")
    house.command("bob", "files", "accept", transfer, "--home", bob)
    expect(sending.finish() == 0, "an accepted file was not delivered")
    pair.has_kept(first)
    mode = os.stat(pair.received()[0]).st_mode & 0o777
    expect(mode == 0o600, f"the file has mode {mode:o}")
    expect("source" not in os.path.basename(pair.received()[0]), "the sender's name was used")

    make_file(pair.source, MEGABYTE, 3)
    sending, transfer = offer()
    house.command("bob", "files", "refuse", transfer, "--home", bob)
    expect(sending.finish() == 1, "a refused file ended with another code than 1")

    second = make_file(pair.source, 20 * MEGABYTE, 4)
    sending, transfer = offer()
    house.command("bob", "files", "accept", transfer, "--home", bob)
    third = make_file(pair.source + "-small", 5000, 5)
    pair.sends(pair.source + "-small", 0)
    expect(sending.finish() == 0, "the file before it was not delivered")
    pair.has_kept(first, second, third)

    # Only regular files are sent.
    os.mkfifo(pair.source + "-fifo")
    for path in (pair.source + "-fifo", house.folder, pair.source + "-none", "/dev/zero"):
        code = house.command("ada", "send", "Bob", "--file", path, "--home", house.home("ada"), expect=None).returncode
        expect(code == 65, f"{path} ended with {code} instead of 65")
    pair.stop()


def check_full_disk(house):
    """a receiver without room says so, keeps nothing half, and goes on when there is room"""
    folder = house.file("small")
    os.makedirs(folder)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=90m,mode=0700", "none", folder], check=True, timeout=HANG)
    try:
        pair = Pair(house, "--file-limit", "1G", folder=folder).meet()
        wanted, filler = make_file(pair.source, 15 * MEGABYTE, 6), os.path.join(folder, "filler")
        make_file(filler, 20 * MEGABYTE, 7)
        expect("room" in read(pair.sends(pair.source, 1).errors), "the sender does not learn that there is no room")
        expect(not pair.partials(), "a file without room left something")
        os.remove(filler)
        pair.sends(pair.source, 0)
        pair.has_kept(wanted)
        pair.stop()
    finally:
        subprocess.run(["umount", "-l", folder], check=False, timeout=HANG)
