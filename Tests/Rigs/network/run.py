#!/usr/bin/env python3
"""Checks of discovery on real links: network namespaces joined by a bridge, real multicast, packet captures.

    python3 Tests/Rigs/network/run.py --peer .build/node/debug/InklingNetworkPeer [--list] [--rounds N] [check ...]

Requires root, iproute2 and tcpdump. Exits with 1 when a check fails, and with 77 when a check cannot run, which is reported
as NOT RUN.
"""

import argparse
import contextlib
import ctypes
import os
import queue
import random
import re
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import dns  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
TYPE = "_inkling._tcp.local"
PEER = None
ROUNDS = 5
CHECKS = {}


class Failed(Exception):
    pass


class NotRun(Exception):
    pass


def check(function):
    CHECKS[function.__doc__.splitlines()[0].rstrip(".")] = function
    return function


def expect(condition, text):
    if not condition:
        raise Failed(text)


def run(*command):
    subprocess.run(["timeout", "20", *command], check=True, stdout=subprocess.DEVNULL)


def hexname(generator=random.SystemRandom()):
    return f"{generator.getrandbits(128):032x}"


class Instance:
    def __init__(self, port=4000):
        self.name, self.host, self.port = hexname(), hexname(), port

    def __str__(self):
        return f"{self.name},{self.host},{self.port}"

    @property
    def full(self):
        return f"{self.name}.{TYPE}"


class Lan:
    """Hosts a, b, … with 10.77.0.1, .2, … on one bridge."""

    def __init__(self, hosts=2, v4=True, addrgen="eui64", bridge=True):
        self.prefix = f"ink{os.getpid()}"
        self.hosts = [f"{self.prefix}{chr(97 + index)}" for index in range(hosts)]
        self.bridge = f"{self.prefix}br" if bridge else None
        self.v4, self.addrgen, self.peers, self.dump = v4, addrgen, [], None

    def __enter__(self):
        for name in self.hosts + ([self.bridge] if self.bridge else []):
            run("ip", "netns", "add", name)
            run("ip", "-n", name, "link", "set", "lo", "up")
        if self.bridge:
            run("ip", "-n", self.bridge, *"link add br0 type bridge mcast_snooping 0 forward_delay 0".split())
            run("ip", "-n", self.bridge, *"link set br0 up".split())
        for index, host in enumerate(self.hosts if self.bridge else [], 1):
            run("ip", "link", "add", "v0", "netns", host, "type", "veth", "peer", f"p{index}", "netns", self.bridge)
            run("ip", "-n", self.bridge, "link", "set", f"p{index}", "master", "br0", "up")
            run("ip", "-n", host, "link", "set", "v0", "addrgenmode", self.addrgen)
            if self.v4:
                run("ip", "-n", host, "addr", "add", f"10.77.0.{index}/24", "dev", "v0")
            run("ip", "-n", host, "link", "set", "v0", "up")
        if self.bridge:
            self.settle()
        return self

    def settle(self):
        """Waits until no IPv6 address is tentative; until then sending over IPv6 fails."""
        deadline = time.time() + 10
        while time.time() < deadline:
            tentative = b"".join(
                subprocess.run(["ip", "-n", host, "-6", "addr", "show", "dev", "v0"], capture_output=True).stdout
                for host in self.hosts
            )
            if b"tentative" not in tentative and tentative.count(b"inet6") >= len(self.hosts):
                return
            time.sleep(0.05)
        raise Failed("the namespaces got no IPv6 addresses")

    def __exit__(self, *_):
        for peer in self.peers:
            peer.end()
        self.stop_capture()
        for name in self.hosts + ([self.bridge] if self.bridge else []):
            subprocess.run(["ip", "netns", "del", name], check=False)

    def peer(self, index):
        peer = Peer(self.hosts[index])
        self.peers.append(peer)
        return peer

    def capture(self):
        self.file = tempfile.mktemp(suffix=".pcap")
        self.dump = subprocess.Popen(
            ["ip", "netns", "exec", self.bridge, "timeout", "120", "tcpdump", "-i", "br0", "--immediate-mode"]
            + ["-U", "-Z", "root", "-w", self.file, "udp port 5353"],
            stderr=subprocess.PIPE,
        )
        while b"listening on" not in self.dump.stderr.readline():
            expect(self.dump.poll() is None, "tcpdump did not start")

    def stop_capture(self):
        if self.dump:
            self.dump.terminate()
            self.dump.wait(10)
            self.dump = None

    def captured(self):
        time.sleep(0.3)
        return dns.read_capture(self.file)

    @contextlib.contextmanager
    def inside(self, index):
        """What is opened in this context belongs to a host."""
        libc = ctypes.CDLL(None, use_errno=True)
        home = os.open("/proc/self/ns/net", os.O_RDONLY)
        there = os.open(f"/run/netns/{self.hosts[index]}", os.O_RDONLY)
        expect(libc.setns(there, 0x40000000) == 0, "setns was refused")
        try:
            yield
        finally:
            libc.setns(home, 0x40000000)
            os.close(home)
            os.close(there)

    def socket(self, index):
        """Returns a UDP socket in a host that is bound to port 5353 and sends to the mDNS group."""
        with self.inside(index):
            plain = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            plain.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
            local = socket.inet_aton(f"10.77.0.{index + 1}")
            plain.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, local)
            plain.bind(("", 5353))
            group = socket.inet_aton("224.0.0.251") + local
            plain.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
        return plain

    def connects(self, index, host, port):
        """Whether a request of a host for a TCP connection is answered within half a second; the connection is reset."""
        with self.inside(index):
            family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            plain = socket.socket(family, kind, protocol)
        plain.settimeout(0.5)
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        try:
            plain.connect(address)
            return True
        except TimeoutError:
            return False
        except ConnectionError:
            return True  # accepted, and reset at once
        finally:
            plain.close()


GROUP = ("224.0.0.251", 5353)


def announcement(instance, address="10.77.0.2", port=None, ttl=120):
    """Returns the packet with which an instance is announced."""
    host = f"{instance.host}.local"
    records = (
        dns.record(TYPE, dns.PTR, dns.encode_name(instance.full), ttl=ttl),
        dns.record(instance.full, dns.SRV, dns.srv(host, port or instance.port), flush=True, ttl=ttl),
        dns.record(instance.full, dns.TXT, b"\x03v=1", flush=True, ttl=ttl),
        dns.record(host, dns.A, socket.inet_aton(address), flush=True, ttl=ttl),
    )
    return dns.response(*records)


class Peer:
    """One InklingNetworkPeer inside a namespace."""

    def __init__(self, host):
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", host, "timeout", "180", PEER],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        self.lines, self.seen, self.told, self.started = queue.Queue(), [], [], time.time()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            moment, _, text = line.strip().partition(" ")
            self.lines.put((float(moment), text))
        self.lines.put((time.time(), "exited"))

    def tell(self, text):
        self.told.append((time.time(), text))
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def wait(self, pattern, seconds=10):
        """Returns the time and the text of the next line that matches; keeps earlier lines in `seen`."""
        deadline = time.time() + seconds
        while True:
            try:
                moment, text = self.lines.get(timeout=max(deadline - time.time(), 0.001))
            except queue.Empty:
                raise Failed(f"no «{pattern}» within {seconds} s, after {self.seen[-6:]}") from None
            self.seen.append((moment, text))
            if re.match(pattern, text):
                return moment, text
            if text == "exited" or text.startswith("error"):
                raise Failed(f"«{text}» while waiting for «{pattern}»")

    def collect(self, seconds):
        """Returns the lines of the next seconds."""
        deadline, lines = time.time() + seconds, []
        while time.time() < deadline:
            try:
                lines.append(self.lines.get(timeout=max(deadline - time.time(), 0.001)))
            except queue.Empty:
                break
        self.seen += lines
        return lines

    def end(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


# Checks. The first line of each docstring is its name.


@check
def discover():
    """Two hosts hear each other and connect.

    Covers INK-MDN-012, INK-MDN-022.
    """
    sees, seen, unannounced = [], [], []
    for _ in range(ROUNDS):
        with Lan() as lan:
            a, b = lan.peer(0), lan.peer(1)
            a.tell("listen")
            port = int(a.wait("listening")[1].split()[1])
            first, second, hidden = Instance(port), Instance(), Instance(port)
            a.tell(f"open browse +{first} -{hidden} ={second}")
            a.wait("established")
            time.sleep(4)
            b.tell(f"open browse +{second} ={first} ={hidden}")
            opened = b.wait("established")[0]
            seen.append(a.wait(f"appeared {second.name}")[0] - opened)
            sees.append(b.wait(f"appeared {first.name}")[0] - opened)
            b.tell(f"search {first.name}")
            endpoints = b.wait("found")[1].split()[2].split(",")
            expect(f"10.77.0.1:{port}" in endpoints, f"{endpoints}")
            a.tell(f"search {second.name}")
            endpoints = a.wait("found")[1].split()[2].split(",")
            expect("10.77.0.2:4000" in endpoints, f"{endpoints}")
            b.tell(f"search {hidden.name} {hidden.host}")
            begun = b.wait("searching")[0]
            unannounced.append(b.wait("found")[0] - begun)
            b.tell(f"connect 10.77.0.1:{port}")
            b.wait("echoed")
            absent = Instance()
            b.tell(f"search {absent.name} {absent.host}")
            b.wait(f"not-found {absent.name}")
            expect(not any(hidden.name in text and "appeared" in text for _, text in b.seen), "a hidden name appeared")
            expect(not any(first.name in text for _, text in a.seen), "a node saw itself")
    for label, values in (
        ("an old node sees the new one", seen), ("the new node sees the old one", sees),
        ("an unannounced instance is found", unannounced),
    ):
        values = [value * 1000 for value in values]
        print(f"    {label}: median {statistics.median(values):.0f} ms, {min(values):.0f}…{max(values):.0f}, n = {len(values)}")


@check
def five_records():
    """A capture shows the five records, nothing of the machine, and a goodbye that ends it.

    Covers INK-MDN-001, INK-MDN-002, INK-MDN-003, INK-MDN-004, INK-MDN-005, INK-MDN-006, INK-MDN-011, INK-MDN-015,
    INK-MDN-017.
    """
    with Lan(addrgen="random") as lan:
        lan.capture()
        a, b = lan.peer(0), lan.peer(1)
        mine = Instance(4001)
        a.tell(f"open browse +{mine}")
        opened = a.wait("established")[0]
        time.sleep(0.5)
        b.tell(f"open browse ={mine}")
        b.wait(f"appeared {mine.name}")
        time.sleep(1)
        # What a stranger may ask to get more out of a node.
        plain = lan.socket(1)
        for name, kind in (
            ("_services._dns-sd._udp.local", dns.PTR), (f"{socket.gethostname()}.local", dns.A), ("inkling.local", dns.A),
            ("1.0.77.10.in-addr.arpa", dns.PTR), (mine.full, dns.TXT), (mine.full, 255), (f"{mine.host}.local", 255),
        ):
            plain.sendto(dns.query(name, kind), GROUP)
            time.sleep(0.1)
        time.sleep(3)
        a.tell("close goodbye")
        closed = a.wait("closed")[0]
        time.sleep(2)
        packets = [packet for packet in lan.captured()]
        lan.stop_capture()
    stranger = "10.77.0.2"
    v4 = [packet for packet in packets if packet.source == "10.77.0.1"]
    v6 = [packet for packet in packets if packet.source.startswith("fe80") and packet.message.flags & 0x8000]
    told = [(packet.time, told) for packet in v4 + v6 for told in packet.message.answers if packet.message.flags & 0x8000]
    allowed = {
        (TYPE, dns.PTR, mine.full), (mine.full, dns.SRV, (0, 0, 4001, f"{mine.host}.local")),
        (mine.full, dns.TXT, b"\x03v=1"), (f"{mine.host}.local", dns.A, socket.inet_aton("10.77.0.1")),
    }
    link_local = {r.data for _, r in told if r.type == dns.AAAA}
    expect(len(link_local) == 1, f"AAAA: {link_local}")
    for data in link_local:
        expect(data[11:13] != b"\xff\xfe", "an address made from the hardware address is published")
        allowed.add((f"{mine.host}.local", dns.AAAA, data))
    for moment, r in told:
        expect((r.name, r.type, r.data) in allowed, f"an unexpected record: {r}")
        expect(r.cls == (1 if r.type == dns.PTR else 1 | dns.FLUSH), f"class: {r}")
        expect(r.ttl == (120 if moment < closed - 0.2 else 0), f"TTL: {r}, {moment - closed:.3f} s from the end")
    expect({(r.name, r.type, r.data) for _, r in told} == allowed, "a record was never sent")
    goodbyes = {(r.name, r.type, r.data) for _, r in told if r.ttl == 0}
    expect(goodbyes == allowed, f"withdrawn: {goodbyes}")
    asked = {(q.name, q.type) for packet in v4 for q in packet.message.questions}
    expect(asked == {(TYPE, dns.PTR)}, f"asked: {asked}")
    machine = socket.gethostname().encode()
    for packet in v4 + v6:
        expect(machine not in packet.payload, "the machine's host name is in a packet")
        expect(b"arpa" not in packet.payload and b"_services" not in packet.payload, "a reverse or meta record")
        expect(packet.time < closed + 0.01, f"a packet {packet.time - closed:.3f} s after close")
    first = min(packet.time for packet in v4 if packet.message.flags & 0x8000)
    print(f"    first announcement {1000 * (first - opened):.0f} ms after `established`; {len(v4)} packets over IPv4")
    example = next(packet for packet in v4 if packet.message.flags & 0x8000)
    if os.environ.get("INKLING_SHOW"):
        print("    " + example.payload.hex())


@check
def silent_close():
    """A close without goodbye sends nothing, and the name expires.

    Covers INK-MDN-016.
    """
    with Lan() as lan:
        a = lan.peer(0)
        mine = Instance()
        a.tell(f"open quiet +{mine}")
        a.wait("established")
        time.sleep(4)
        lan.capture()
        time.sleep(0.5)
        a.tell("close silent")
        a.wait("closed")
        time.sleep(2)
        packets = lan.captured()
        expect(not packets, f"{len(packets)} packets at a silent close: {[p.message.answers for p in packets]}")


@check
def fresh():
    """A new server sends nothing that an earlier one has heard.

    Covers INK-MDN-018, INK-ROT-007.
    """
    with Lan() as lan:
        a, b = lan.peer(0), lan.peer(1)
        theirs, first, second = Instance(), Instance(), Instance()
        b.tell(f"open browse +{theirs}")
        b.wait("established")
        a.tell(f"open browse +{first} ={theirs}")
        a.wait(f"appeared {theirs.name}")
        a.tell("close goodbye")
        a.wait("closed")
        b.tell("close silent")
        b.wait("closed")
        time.sleep(0.5)
        lan.capture()
        a.tell(f"open browse +{second}")
        a.wait("established")
        time.sleep(4)
        packets = lan.captured()
        expect(packets, "nothing was sent")
        for packet in packets:
            expect(first.name.encode() not in packet.payload, "the earlier name is in a packet")
            expect(theirs.name.encode() not in packet.payload, "a name that was heard before is in a packet")


@check
def routed():
    """A response from another network is ignored.

    Covers INK-MDN-031.
    """
    with Lan() as lan:
        a = lan.peer(0)
        far, near = Instance(), Instance()
        a.tell(f"open browse ={far} ={near}")
        a.wait("established")
        plain = lan.socket(1)
        for instance, hops in ((far, 254), (near, 255)):
            plain.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, hops)
            plain.sendto(announcement(instance), GROUP)
        a.wait(f"appeared {near.name}")
        expect(not any(far.name in text for _, text in a.seen + a.collect(1)), "a routed response was accepted")


@check
def memberships():
    """A new server joins no group, and unicast packets stay with the machine's other responder.

    Covers INK-MDN-036, INK-MDN-037.
    """
    with Lan() as lan:
        a = lan.peer(0)
        a.tell(f"open browse +{Instance()}")
        a.wait("established")
        time.sleep(4)  # The reports of the first membership are repeated for some seconds.
        reports = subprocess.Popen(
            ["ip", "netns", "exec", lan.bridge, "timeout", "60", "tcpdump", "-i", "br0", "-l", "-n"]
            + ["igmp or (ip6 and ip6[6] == 0)"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        while "listening on" not in reports.stderr.readline():
            expect(reports.poll() is None, "tcpdump did not start")
        a.tell("close goodbye")
        a.wait("closed")
        a.tell(f"open browse +{Instance()}")
        a.wait("established")
        time.sleep(3)
        reports.terminate()
        seen = reports.communicate()[0].strip()
        expect(not seen, f"membership reports: {seen}")

        other = lan.socket(0)
        other.settimeout(3)
        sender = lan.socket(1)
        for index in range(20):
            sender.sendto(b"unicast %d" % index, ("10.77.0.1", 5353))
        taken = 0
        try:
            while taken < 20:
                taken += other.recv(9000).startswith(b"unicast")
        except TimeoutError:
            pass
        expect(taken == 20, f"the other responder got {taken} of 20 unicast packets")


@check
def unannounced():
    """An instance that is not announced is silent until its exact name is asked for.

    Covers INK-INV-008, INK-MDN-013.
    """
    with Lan() as lan:
        lan.capture()
        a = lan.peer(0)
        hidden, later = Instance(4003), Instance(4004)
        a.tell(f"open quiet -{hidden}")
        a.wait("established")
        time.sleep(6)
        expect(not lan.captured(), "something was sent without being asked")
        plain = lan.socket(1)
        plain.sendto(dns.query(TYPE, dns.PTR), GROUP)
        plain.sendto(dns.query(f"{hexname()}.{TYPE}", dns.SRV), GROUP)
        time.sleep(1)
        replies = [p for p in lan.captured() if p.message.flags & 0x8000]
        expect(not replies, f"answered though not asked by name: {replies}")
        begun = time.time()
        plain.sendto(dns.query(hidden.full, dns.SRV), GROUP)
        time.sleep(1)
        replies = [p for p in lan.captured() if p.message.flags & 0x8000]
        expect(replies, "no answer to the exact name")
        print(f"    answered after {1000 * (replies[0].time - begun):.1f} ms")
        expect({r.type for p in replies for r in p.message.answers} <= {dns.SRV, dns.TXT, dns.A, dns.AAAA}, "more than asked")
        a.tell(f"answer -{later}")
        a.wait("answering")
        count = len(lan.captured())
        time.sleep(1)
        expect(len(lan.captured()) == count, "replacing the instances showed on the network")
        plain.sendto(dns.query(hidden.full, dns.SRV), GROUP)
        plain.sendto(dns.query(later.full, dns.SRV), GROUP)
        time.sleep(1)
        names = {r.name for p in lan.captured()[count:] for r in p.message.answers if r.type == dns.SRV}
        expect(names == {later.full}, f"answered: {names}")
        a.tell("close goodbye")
        a.wait("closed")
        expect(not [r for p in lan.captured() for r in p.message.answers if r.ttl == 0], "a goodbye for a hidden name")


@check
def imitation():
    """A host that shows the announced name with other data is reported once, and changes nothing.

    Covers INK-MDN-014.
    """
    with Lan() as lan:
        a, b = lan.peer(0), lan.peer(1)
        mine = Instance(4001)
        a.tell(f"open browse +{mine}")
        a.wait("established")
        time.sleep(3)
        lan.capture()
        rogue = lan.socket(1)
        for _ in range(20):
            rogue.sendto(announcement(mine, port=9), GROUP)
            time.sleep(0.1)
        a.wait("imitated", 1)
        time.sleep(1)
        expect(not any(text == "imitated" for _, text in a.collect(0.5)), "it was reported twice")
        ours = [p for p in lan.captured() if p.source == "10.77.0.1" and p.message.flags & 0x8000]
        expect(len(ours) == 1, f"{len(ours)} defences")
        b.tell(f"open browse ={mine}")
        b.wait(f"appeared {mine.name}")
        time.sleep(1)
        b.tell(f"search {mine.name}")
        endpoints = b.wait("found")[1].split()[2].split(",")
        expect("10.77.0.1:4001" in endpoints, f"{endpoints}")


@check
def link_local():
    """Without IPv4 a peer is reached at its link-local address with the scope of the interface.

    Covers INK-MDN-033.
    """
    with Lan(v4=False, addrgen="random") as lan:
        a, b = lan.peer(0), lan.peer(1)
        a.tell("listen")
        port = int(a.wait("listening")[1].split()[1])
        mine = Instance(port)
        a.tell(f"open browse +{mine}")
        a.wait("established")
        b.tell(f"open browse ={mine}")
        b.wait(f"appeared {mine.name}")
        b.tell(f"search {mine.name}")
        text = b.wait("found")[1]
        endpoint = text.split()[-1]
        expect(re.fullmatch(rf"\[fe80::[0-9a-f:]+%\d+\]:{port}", endpoint), text)
        b.tell(f"connect {endpoint}")
        b.wait("echoed")


@check
def hardware_address():
    """A host whose only address was made from its hardware address publishes nothing."""
    with Lan(hosts=1, v4=False, addrgen="eui64") as lan:
        a = lan.peer(0)
        a.tell(f"open browse +{Instance()}")
        moment = time.time()
        try:
            a.wait("established", 2)
        except Failed as failure:
            expect("no usable network interface" in str(failure), str(failure))
            return
        raise Failed(f"opened at {moment}")


@check
def loopback():
    """On a machine with no other interface two nodes meet over loopback."""
    with Lan(hosts=1, bridge=False) as lan:
        a, b = lan.peer(0), lan.peer(0)
        first, second = Instance(4001), Instance(4002)
        a.tell(f"open browse +{first} ={second}")
        a.wait("established")
        b.tell(f"open browse +{second} ={first}")
        b.wait(f"appeared {first.name}")
        a.wait(f"appeared {second.name}")
        b.tell(f"search {first.name}")
        expect("127.0.0.1:4001" in b.wait("found")[1], b.seen[-1][1])


@check
def refused_addresses():
    """Impossible addresses, hosts and ports are ignored, and at most eight endpoints are kept.

    Covers INK-MDN-026, INK-MDN-028.
    """
    with Lan() as lan:
        a = lan.peer(0)
        a.tell("open browse")
        a.wait("established")
        forger = lan.socket(1)

        def claim(instance, addresses, port=4000, host=None):
            host = host or f"{instance.host}.local"
            records = [dns.record(instance.full, dns.SRV, dns.srv(host, port), flush=True)]
            for address in addresses:
                v4 = ":" not in address
                raw = socket.inet_aton(address) if v4 else socket.inet_pton(socket.AF_INET6, address)
                records.append(dns.record(host, dns.A if v4 else dns.AAAA, raw))
            return dns.response(*records)

        bad = ["127.0.0.1", "0.0.0.0", "224.0.0.251", "255.255.255.255", "8.8.8.8", "::", "::1", "ff02::fb"]
        bad += ["::ffff:10.77.0.1", "2001:db8::1"]
        good = ["10.77.0.2"]
        for addresses, port, host in (bad, 4000, None), (good, 0, None), (good, 4000, "router.local"), (good, 4000, f"{hexname()}.local"):
            wanted = Instance()
            a.tell(f"search {wanted.name} {wanted.host}")
            a.wait("searching")
            for _ in range(5):
                forger.sendto(claim(wanted, addresses, port, host), GROUP)
                time.sleep(0.1)
            a.wait(f"not-found {wanted.name}")
        wanted = Instance()
        a.tell(f"know ={wanted}")
        a.wait("knowing")
        forger.sendto(claim(wanted, bad + [f"10.77.0.{last}" for last in range(10, 15)]), GROUP)
        a.wait(f"appeared {wanted.name}")
        a.tell(f"search {wanted.name}")
        text = a.wait("found")[1]
        expect(text.split()[2] == "10.77.0.10:4000", text)
        for index in range(5):
            one = Instance()
            a.tell(f"search {one.name} {one.host}")
        early = [text for _, text in a.collect(1) if text.startswith("not-found")]
        expect(len(early) == 1, f"{len(early)} of 5 searches ended at once")


@check
def monitor():
    """Addresses that come and go are no boundary; another hardware address and another network are.

    Covers INK-MDN-020.
    """
    with Lan(hosts=1) as lan:
        a = lan.peer(0)
        a.tell("watch")
        a.wait("watching")
        host = lan.hosts[0]
        run("ip", "-n", host, "addr", "add", "10.78.0.1/24", "dev", "v0")
        run("ip", "-n", host, "addr", "change", "10.78.0.1/24", "dev", "v0", "valid_lft", "3000", "preferred_lft", "3000")
        run("ip", "-n", host, "addr", "del", "10.78.0.1/24", "dev", "v0")
        run("ip", "-n", host, *"link add c0 type veth peer name c1".split())
        run("ip", "-n", host, "addr", "add", "172.17.0.1/16", "dev", "c0")
        run("ip", "-n", host, "link", "del", "c0")
        run("ip", "-n", lan.bridge, "link", "set", "p1", "down")
        time.sleep(0.5)
        run("ip", "-n", lan.bridge, "link", "set", "p1", "up")
        expect(a.collect(2) == [], f"a boundary on one network: {a.seen}")
        run("ip", "-n", host, "link", "set", "v0", "address", "02:00:00:00:00:42")
        expect(len(a.collect(1)) == 1, "another hardware address")
        run("ip", "-n", lan.bridge, "link", "set", "p1", "down")
        run("ip", "-n", host, "addr", "flush", "dev", "v0")
        run("ip", "-n", host, "addr", "add", "10.99.0.1/24", "dev", "v0")
        run("ip", "-n", lan.bridge, "link", "set", "p1", "up")
        expect(len(a.collect(2)) == 1, "another network")


@check
def cycles():
    """Two hundred servers that are closed at any moment of their first 0.2 s leave no thread, descriptor or memory."""
    with Lan() as lan:
        a, b = lan.peer(0), lan.peer(1)
        b.tell(f"open browse +{Instance()}")
        b.wait("established")
        a.tell(f"cycle 20 +{Instance()}")
        a.wait("cycled", 60)
        a.tell("memory")
        before = int(a.wait("memory")[1].split()[1])
        a.tell(f"cycle 200 +{Instance()}")
        a.wait("cycled", 120)
        a.tell("memory")
        after = int(a.wait("memory")[1].split()[1])
        threads = len(os.listdir(f"/proc/{child(a)}/task"))
        descriptors = len(os.listdir(f"/proc/{child(a)}/fd"))
        print(f"    memory {before} kB, then {after} kB; {threads} threads, {descriptors} descriptors")
        expect(after - before < 4_096, "memory grew")
        expect(threads < 12 and descriptors < 24, "threads or descriptors were left")


def child(peer):
    """The process behind `timeout`."""
    listed = subprocess.run(["pgrep", "-P", str(peer.process.pid)], capture_output=True, text=True).stdout.split()
    return int(listed[0]) if listed else peer.process.pid


@check
def malformed():
    """Thousands of malformed packets leave discovery working and memory bounded.

    Covers INK-MDN-021, INK-MDN-030.
    """
    generator = random.Random(20)
    with Lan() as lan:
        a, b = lan.peer(0), lan.peer(1)
        mine, later = Instance(4001), Instance(4002)
        a.tell(f"open browse +{mine} ={later}")
        a.wait("established")
        a.tell("memory")
        before = int(a.wait("memory")[1].split()[1])
        plain = lan.socket(1)
        seeds = [
            dns.response(dns.record(TYPE, dns.PTR, dns.encode_name(f"{hexname()}.{TYPE}"))),
            dns.response(dns.record(f"{hexname()}.{TYPE}", dns.SRV, dns.srv(f"{hexname()}.local", 1), flush=True)),
            dns.response(dns.record(TYPE, dns.PTR, b"\xc0\x0c"), dns.record(mine.full, dns.TXT, b"\xffv=1")),
            dns.query(TYPE, 255), dns.query(mine.full, dns.SRV),
            struct.pack("!6H", 0, 0x8400, 0, 65535, 65535, 65535) + b"\xc0\x0c" * 40,
        ]
        for index in range(5_000):
            packet = bytearray(generator.choice(seeds))
            for _ in range(generator.randrange(1, 8)):
                packet[generator.randrange(len(packet))] = generator.randrange(256)
            if index % 3 == 0:
                packet = packet[: generator.randrange(len(packet) + 1)]
            if index % 7 == 0:
                packet += generator.randbytes(generator.randrange(1200))
            plain.sendto(bytes(packet), GROUP)
            if index % 50 == 0:
                time.sleep(0.01)
        for text in ("A" * 32, "g" * 32, "0" * 31, "0" * 33, "0" * 63, "\\032", "é" * 16):
            raw = text.encode()
            label = bytes([len(raw)]) + raw + dns.encode_name(TYPE)
            plain.sendto(dns.response(dns.record(TYPE, dns.PTR, label)), GROUP)
        a.tell("memory")
        after = int(a.wait("memory")[1].split()[1])
        print(f"    memory {before} kB, then {after} kB")
        expect(after - before < 16_384, "memory grew")
        expect(all(re.fullmatch(r"(appeared|vanished) [0-9a-f]{32}|memory \d+|opened|established|imitated", text)
                   for _, text in a.seen), f"{a.seen}")
        b.tell(f"open browse +{later} ={mine}")
        a.wait(f"appeared {later.name}", 20)
        b.wait(f"appeared {mine.name}", 10)


@check
def flood():
    """Invented names cost no memory and no report, and a known name is heard in the midst of them.

    Covers INK-MDN-024, INK-MDN-038.
    """
    with Lan() as lan:
        a, b = lan.peer(0), lan.peer(1)
        wanted = Instance(4002)
        a.tell(f"open browse ={wanted}")
        a.wait("established")
        plain = lan.socket(1)
        for _ in range(2_000):
            plain.sendto(announcement(Instance()), GROUP)
        a.tell("memory")
        before = int(a.wait("memory")[1].split()[1])
        stop = threading.Event()

        def pour():
            while not stop.is_set():
                for _ in range(300):
                    plain.sendto(announcement(Instance()), GROUP)
                time.sleep(0.1)

        thread = threading.Thread(target=pour)
        thread.start()
        try:
            b.tell(f"open browse +{wanted}")
            opened = b.wait("established")[0]
            moment = a.wait(f"appeared {wanted.name}", 5)[0]
        finally:
            stop.set()
            thread.join()
        a.tell("memory")
        after = int(a.wait("memory")[1].split()[1])
        told = [text for _, text in a.seen if text.startswith("appeared")]
        print(f"    heard after {1000 * (moment - opened):.0f} ms among 3,000 names a second; memory {before} kB, then {after} kB")
        expect(told == [f"appeared {wanted.name}"], f"{told}")
        expect(after - before < 2_048, "memory grew")


@check
def ignored():
    """The system takes no connections of a neighbour that began too many, and takes those of others, until half a minute is over.

    Covers INK-HSK-054, INK-HSK-060.
    """
    with Lan(hosts=3) as lan:
        a, b = lan.peer(0), lan.peer(2)
        a.tell("listen")
        port = int(a.wait("listening")[1].split()[1])
        own = subprocess.run(["ip", "-n", lan.hosts[0], "-6", "-o", "addr", "show", "dev", "v0"], capture_output=True, text=True)
        linklocal = re.search(r"fe80::[0-9a-f:]+", own.stdout)[0] + "%v0"
        begun = time.time()
        made = sum(lan.connects(1, "10.77.0.1", port) for _ in range(33))
        expect(made == 33, f"{made} of 33 connections were made")
        while lan.connects(1, "10.77.0.1", port):
            expect(time.time() < begun + 5, "connections of a neighbour that began too many are still taken")
        ignored = time.time()
        expect(not lan.connects(1, linklocal, port), "over IPv6 they are still taken")
        b.tell(f"connect 10.77.0.1:{port}")
        b.wait("echoed")
        expect(not lan.connects(1, "10.77.0.1", port), "they are taken again at once")
        while not lan.connects(1, "10.77.0.1", port):
            expect(time.time() < begun + 40, "they are never taken again")
        taken = time.time()
        print(f"    not taken from {ignored - begun:.1f} to {taken - begun:.1f} s after the first")
        expect(taken - begun >= 29, "they are taken again too early")


def main():
    global PEER, ROUNDS
    # A test runner may start us with signals blocked; then neither `timeout` nor a terminated tcpdump would ever end.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", default=".build/node/debug/InklingNetworkPeer")
    parser.add_argument("--rounds", type=int, default=5, help="how often latencies are measured")
    parser.add_argument("--list", action="store_true", help="print the names of the checks")
    parser.add_argument("checks", nargs="*", help="parts of names; all when none is given")
    arguments = parser.parse_args()
    PEER, ROUNDS = os.path.abspath(arguments.peer), arguments.rounds
    chosen = {
        name: function for name, function in CHECKS.items()
        if not arguments.checks or any(part.lower() in name.lower() for part in arguments.checks)
    }
    if arguments.list:
        print("\n".join(chosen))
        return 0
    missing = None
    if os.geteuid() != 0:
        missing = "not root"
    elif not shutil.which("ip") or subprocess.run(["ip", "netns", "add", f"ink{os.getpid()}"], capture_output=True).returncode:
        missing = "no `ip netns` here"
    elif not shutil.which("tcpdump"):
        missing = "no tcpdump"
    elif not os.path.exists(PEER):
        missing = f"no program at {PEER}"
    if os.geteuid() == 0 and shutil.which("ip"):
        subprocess.run(["ip", "netns", "del", f"ink{os.getpid()}"], capture_output=True)
    failed, skipped = 0, 0
    for name, function in chosen.items():
        begun = time.time()
        try:
            if missing:
                raise NotRun(missing)
            function()
            print(f"ok       {name} ({time.time() - begun:.1f} s)", flush=True)
        except NotRun as reason:
            skipped += 1
            print(f"NOT RUN  {name}: {reason}", flush=True)
        except (Failed, subprocess.SubprocessError) as reason:
            failed += 1
            print(f"FAILED   {name}: {reason}", flush=True)
    print(f"{len(chosen) - failed - skipped} ok, {failed} failed, {skipped} not run")
    return 1 if failed or not chosen else 77 if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
