#!/usr/bin/env python3
"""Checks of a node beside other responders of multicast DNS, and on every kind of link: one address family, several
interfaces, and a link that comes and goes.

    interop.py [--peer PROGRAM] [--list] [check ...]

The node is the peer program that run.py uses. Other responders run in network namespaces: avahi-daemon with avahi-browse and
avahi-publish, systemd-resolved, and python-zeroconf; each across the link, and on the node's own machine. Requires root,
iproute2 and apt-get. Exits with 1 when a check fails; a check that cannot run says so, as NOT RUN.
"""

import argparse
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "links")]
import run  # noqa: E402
from captures import Account, Host, silences  # noqa: E402
from responders import Avahi, Missing, Resolved, Zeroconf  # noqa: E402
from run import Failed, Instance, Lan, expect  # noqa: E402

CHECKS = {}
FAMILIES = {"IPv4 and IPv6": (True, True), "IPv4 only": (True, False), "IPv6 only": (False, True)}


def check(*variants):
    """Adds a check, once for each variant; its docstring begins with its name."""
    def add(function):
        name = function.__doc__.splitlines()[0].rstrip(".")
        for variant in variants or (None,):
            CHECKS[f"{name}, {variant}" if variant else name] = (lambda variant=variant: function(*FAMILIES[variant])) if variant else function
        return function
    return add


class Families(Lan):
    """A network with one or both address families. At its end, what the nodes sent is judged, but for those that share their host,
    and so its hardware address, with another responder.
    """

    # Packets that were judged, in all checks.
    judged = 0

    def __init__(self, v4=True, v6=True, hosts=2):
        super().__init__(hosts=hosts, v4=v4, addrgen="random")
        self.v6, self.responders, self.nodes, self.shared = v6, [], {}, set()

    def __enter__(self):
        super().__enter__()
        try:
            if not self.v6:
                for host in self.hosts:
                    run.run("ip", "netns", "exec", host, "sysctl", "-q", "-w", "net.ipv6.conf.all.disable_ipv6=1")
            self.capture()
        except (Failed, subprocess.SubprocessError):
            super().__exit__()
            raise
        return self

    def __exit__(self, failure, *details):
        for responder in self.responders:
            responder.end()
        hosts = {f"node {index}": self.host(index) for index in self.nodes.keys() - self.shared}
        super().__exit__(failure, *details)
        try:
            if hosts and failure is None:
                self.judge(hosts)
        finally:
            os.remove(self.file)

    def judge(self, hosts):
        silent = {}
        for index, node in self.nodes.items():
            facts = [{"event": "visible" if text.startswith("open") else "silent", "unixMilliseconds": 1000 * moment}
                     for moment, text in node.told if text.startswith(("open", "close"))]
            silent[f"node {index}"] = silences(facts, node.started, time.time(), time.time())
        # These nodes have no epochs: a check shows one name of each after the other.
        account = Account.read(self.file, hosts, lambda moment: 0, machine=[socket.gethostname()], silences=silent)
        found = account.violations()
        expect(account.mdns and not found, f"what the nodes sent, {account.mdns} packets of multicast DNS: {'; '.join(found[:4])}")
        Families.judged += account.mdns

    def host(self, index):
        shown = subprocess.run(["ip", "-n", self.hosts[index], "-o", "link", "show", "dev", "v0"],
                               capture_output=True, text=True, check=True).stdout
        return Host(bytes.fromhex(re.search(r"link/ether (\S+)", shown)[1].replace(":", "")), set())

    def peer(self, index):
        self.nodes[index] = super().peer(index)
        return self.nodes[index]

    def add(self, kind, index, *more):
        self.shared.add(index)
        responder = kind(self.hosts[index], *more)
        self.responders.append(responder)
        return responder

    def address(self, index):
        """The address of a host that others show: IPv4 where there is one."""
        if self.v4:
            return f"10.77.0.{index + 1}"
        shown = subprocess.run(["ip", "-n", self.hosts[index], "-6", "-o", "addr", "show", "dev", "v0", "scope", "link"],
                               capture_output=True, text=True, check=True).stdout
        return shown.split("inet6 ")[1].split("/")[0]


def found_at(peer, instance, address):
    """Searches for an instance until it is found at an address."""
    deadline = time.time() + 10
    while True:
        peer.tell(f"search {instance.name}")
        text = peer.wait(f"(not-)?found {instance.name}")[1]
        if any(endpoint.startswith((address + ":", f"[{address}%")) and endpoint.endswith(f":{instance.port}")
               for endpoint in text.split()[-1].split(",")):
            return
        expect(time.time() < deadline, f"{text}, and not at {address}")
        time.sleep(0.2)


def open_node(lan, index, mine, *known):
    peer = lan.peer(index)
    peer.tell(" ".join([f"open browse +{mine}", *(f"={other}" for other in known)]))
    peer.wait("established")
    return peer


@check(*FAMILIES)
def avahi_across(v4, v6):
    """avahi-browse resolves our instance, and we find one of avahi-publish, across the link."""
    with Families(v4, v6) as lan:
        mine, theirs = Instance(4001), Instance(4005)
        avahi = lan.add(Avahi, 1)
        node = open_node(lan, 0, mine, theirs)
        avahi.browse(mine, lan.address(0))
        avahi.publish(theirs, lan.address(1))
        node.wait(f"appeared {theirs.name}", 15)
        found_at(node, theirs, lan.address(1))
        node.tell("close goodbye")
        node.wait("closed")
        avahi.until(5, lambda said: mine.name not in said, "usr/bin/avahi-browse", "-pt", "_inkling._tcp")


@check()
def avahi_beside():
    """With avahi-daemon on both machines, nodes find each other, and both avahi see both nodes."""
    with Families() as lan:
        first, second = Instance(4001), Instance(4002)
        here, there = lan.add(Avahi, 0, "here"), lan.add(Avahi, 1, "there")
        a, b = open_node(lan, 0, first, second), open_node(lan, 1, second, first)
        a.wait(f"appeared {second.name}", 15)
        b.wait(f"appeared {first.name}", 15)
        found_at(a, second, lan.address(1))
        found_at(b, first, lan.address(0))
        for avahi in here, there:
            for instance, address in (first, lan.address(0)), (second, lan.address(1)):
                avahi.browse(instance, address)
        # They go on to answer for themselves: what comes by unicast to port 5353 reaches them.
        said = here.until(5, lambda said: lan.address(1) in said, "usr/bin/avahi-resolve", "-4n", "there.local")
        expect("there.local" in said, said)


@check()
def avahi_local():
    """avahi-publish on our own machine is found by a node there."""
    with Families(hosts=2) as lan:
        mine, theirs = Instance(4001), Instance(4005)
        avahi = lan.add(Avahi, 0)
        node = open_node(lan, 0, mine, theirs)
        avahi.publish(theirs, lan.address(0))
        node.wait(f"appeared {theirs.name}", 15)
        avahi.browse(mine, lan.address(0))


@check(*FAMILIES)
def resolved_across(v4, v6):
    """systemd-resolved resolves our instance, and we find one that it publishes, across the link."""
    with Families(v4, v6) as lan:
        mine, theirs = Instance(4001), Instance(4005)
        node = open_node(lan, 0, mine, theirs)
        resolved = lan.add(Resolved, 1, "v0", theirs)
        resolved.resolve(mine, lan.address(0))
        node.wait(f"appeared {theirs.name}", 20)
        found_at(node, theirs, lan.address(1))


@check()
def resolved_beside():
    """With systemd-resolved on both machines, nodes find each other, and each resolves the other's node."""
    with Families() as lan:
        first, second = Instance(4001), Instance(4002)
        here, there = lan.add(Resolved, 0), lan.add(Resolved, 1)
        a, b = open_node(lan, 0, first, second), open_node(lan, 1, second, first)
        a.wait(f"appeared {second.name}", 15)
        b.wait(f"appeared {first.name}", 15)
        found_at(a, second, lan.address(1))
        found_at(b, first, lan.address(0))
        here.resolve(second, lan.address(1))
        there.resolve(first, lan.address(0))


@check(*FAMILIES)
def zeroconf_across(v4, v6):
    """python-zeroconf resolves our instance and sees its goodbye, and we find one of its instances, across the link."""
    with Families(v4, v6) as lan:
        mine, theirs = Instance(4001), Instance(4005)
        node = open_node(lan, 0, mine, theirs)
        other = lan.add(Zeroconf, 1, mine, theirs, lan.address(1))
        node.wait(f"appeared {theirs.name}", 15)
        found_at(node, theirs, lan.address(1))
        said = other.line("found").split()
        expect(said[1:4] == [f"{mine.host}.local.", "4001", "03763d31"] and lan.address(0) in [one.split("%")[0] for one in said[4:]], f"{said}")
        node.tell("close goodbye")
        node.wait("closed")
        other.line("gone")


@check()
def zeroconf_beside():
    """With python-zeroconf on the same machine, a node is found by it and by another node."""
    with Families() as lan:
        first, second, theirs = Instance(4001), Instance(4002), Instance(4005)
        other = lan.add(Zeroconf, 0, first, theirs, lan.address(0))
        other.line("registered")
        a, b = open_node(lan, 0, first, second, theirs), open_node(lan, 1, second, first, theirs)
        b.wait(f"appeared {first.name}", 15)
        found_at(b, first, lan.address(0))
        found_at(b, theirs, lan.address(0))
        found_at(a, second, lan.address(1))
        other.line("found")


@check(*FAMILIES)
def family(v4, v6):
    """Two nodes find each other and connect."""
    with Families(v4, v6) as lan:
        a, b = lan.peer(0), lan.peer(1)
        a.tell("listen")
        port = int(a.wait("listening")[1].split()[1])
        first, second = Instance(port), Instance(4002)
        a.tell(f"open browse +{first} ={second}")
        a.wait("established")
        b.tell(f"open browse +{second} ={first}")
        a.wait(f"appeared {second.name}")
        b.wait(f"appeared {first.name}")
        b.tell(f"search {first.name}")
        endpoint = b.wait("found")[1].split()[2].split(",")[0]
        b.tell(f"connect {endpoint}")
        b.wait("echoed")


def second_network(lan, index):
    """Gives host 0 a second interface, on a network of its own with another host; returns the address there."""
    inner, outer = f"w{index}", f"q{index}"
    run.run("ip", "link", "add", inner, "netns", lan.hosts[0], "type", "veth", "peer", outer, "netns", lan.hosts[index])
    for host, name, last in (lan.hosts[0], inner, 1), (lan.hosts[index], outer, 2):
        run.run("ip", "-n", host, "link", "set", name, "addrgenmode", "random")
        run.run("ip", "-n", host, "addr", "add", f"10.8{index}.0.{last}/24", "dev", name)
        run.run("ip", "-n", host, "link", "set", name, "up")
    return f"10.8{index}.0.1"


@check()
def several_interfaces():
    """A node with two interfaces is found on both, on each at the address of that interface."""
    with Families(hosts=3) as lan:
        run.run("ip", "-n", lan.hosts[2], "link", "set", "v0", "down")
        address = second_network(lan, 2)
        first, second, third = Instance(4001), Instance(4002), Instance(4003)
        a = open_node(lan, 0, first, second, third)
        b, c = open_node(lan, 1, second, first, third), open_node(lan, 2, third, first, second)
        for other in second, third:
            a.wait(f"appeared {other.name}") if not any(other.name in text for _, text in a.seen) else None
        b.wait(f"appeared {first.name}")
        c.wait(f"appeared {first.name}")
        found_at(b, first, lan.address(0))
        found_at(c, first, address)
        lines = b.collect(1) + c.collect(1)
        expect(not any(third.name in text for _, text in b.seen) and not any(second.name in text for _, text in c.seen),
               f"a name crossed from one network to the other: {lines}")


@check()
def comes_and_goes():
    """A node is found again after its link was down, and through a link that comes while it runs is heard."""
    with Families(hosts=3) as lan:
        first, second, third = Instance(4001), Instance(4002), Instance(4003)
        a = open_node(lan, 0, first, second, third)
        b = open_node(lan, 1, second, first)
        a.wait(f"appeared {second.name}")
        b.wait(f"appeared {first.name}")
        run.run("ip", "-n", lan.bridge, "link", "set", "p1", "down")
        time.sleep(2)
        # A name that is shown first while the link is down.
        b.tell("close silent")
        b.wait("closed")
        later = Instance(4004)
        a.tell(f"know ={second} ={third} ={later}")
        a.wait("knowing")
        b.tell(f"open browse +{later} ={first}")
        b.wait("established")
        time.sleep(2)
        run.run("ip", "-n", lan.bridge, "link", "set", "p1", "up")
        a.wait(f"appeared {later.name}", 20)
        b.wait(f"appeared {first.name}", 20)
        # On another network nothing of this epoch is shown, and others are heard.
        run.run("ip", "-n", lan.hosts[2], "link", "set", "v0", "down")
        second_network(lan, 2)
        c = open_node(lan, 2, third, first)
        a.wait(f"appeared {third.name}", 20)
        found_at(a, third, "10.82.0.2")
        lines = c.collect(3)
        expect(not any(first.name in text for _, text in lines), f"a name was shown on another network in the same epoch: {lines}")


def main():
    # A test runner may start us with signals blocked.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", default=os.path.join(run.ROOT, ".build/node/debug/InklingNetworkPeer"))
    parser.add_argument("--list", action="store_true", help="print the names of the checks")
    parser.add_argument("checks", nargs="*", help="parts of names; all when none is given")
    arguments = parser.parse_args()
    run.PEER = os.path.abspath(arguments.peer)
    chosen = {name: call for name, call in CHECKS.items()
              if not arguments.checks or any(part.lower() in name.lower() for part in arguments.checks)}
    if arguments.list:
        print("\n".join(chosen))
        return 0
    if os.geteuid() != 0 or not shutil.which("ip"):
        print("NOT RUN: needs root and iproute2, for hosts of its own")
        return 0
    if not os.path.exists(run.PEER):
        print(f"FAILED   {run.PEER} is missing; build it with: .ci/swift tests")
        return 1
    failed = skipped = 0
    for name, call in chosen.items():
        begun = time.time()
        try:
            call()
            print(f"ok       {name} ({time.time() - begun:.1f} s)", flush=True)
        except Missing as reason:
            skipped += 1
            print(f"NOT RUN  {name}: {reason}", flush=True)
        except (Failed, AssertionError, subprocess.SubprocessError) as reason:
            failed += 1
            print(f"FAILED   {name}: {reason}", flush=True)
    print(f"{Families.judged} packets of nodes judged")
    print(f"{len(chosen) - failed - skipped} ok, {failed} failed, {skipped} not run")
    return 1 if failed or skipped or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
