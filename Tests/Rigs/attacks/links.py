"""Rows about links: interfaces and addresses that change, resets, floods of connections, and steps of the clock."""

import secrets
import signal
import subprocess
import threading
import time

from field import Field, command, epoch_at, star, without
from rows import Row, is_gap, overlap, row

# A node is "visible" again so soon after its link is back; only the time after it counts.
AFTER_LINK = 1.0


class Changes:
    """Calls a step again and again until it is ended, on a thread of its own."""

    label = "changes"

    def __init__(self, label, seconds, step):
        self.label, self.count, self.done, self.faults = label, 0, threading.Event(), []
        self.seconds, self.step = seconds, step
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.done.is_set():
            try:
                self.step(self.count)
            except subprocess.SubprocessError as fault:
                self.faults.append(str(fault))
            self.count += 1
            self.done.wait(self.seconds)

    def end(self):
        self.done.set()
        self.thread.join(10)
        return self.figures

    @property
    def figures(self):
        return {"changes": self.count, "faults": self.faults[:3]}


def ip(*words):
    subprocess.run(["timeout", "10", "ip", *words], check=True, capture_output=True)


class Network(Row):
    """Rows in which the network under the nodes changes. `least` is for meetings, `visible` for the time."""

    least, visible = 0.95, 0.90
    old = ("boundaries",)
    broken = ({"met": 11}, {"visible": 0.85}, {"unexplained": 1}, {"attackers": {}})

    def measure(self, field):
        """The least share of the time in which a node was visible, of that in which no gap was due and its link was up."""
        begun, end = field.start_of(field.judged[0]), field.start_of(field.judged[-1] + 1) - 1.5
        least, unexplained = 1.0, 0
        for name in field.nodes:
            gaps = field.silences(name, is_gap)
            silent = field.silences(name, is_boundary)
            down = [(since, until + AFTER_LINK) for since, until in getattr(field, "down", {}).get(name, [])]
            due = (end - begun) - overlap(gaps, begun, end) - overlap(down, begun, end)
            kept = overlap([cut for span in silent for cut in without(span, down)], begun, end)
            least = min(least, 1 - kept / max(due, 1))
            unexplained += sum(not reason for _, _, reason in silent)
        return {"visible": round(least, 3), "unexplained": unexplained}

    def faults(self, figures):
        found = []
        if figures["visible"] < self.visible:
            found.append(f"visible {figures['visible']:.0%} of the time, at least {self.visible:.0%}")
        if figures["unexplained"]:
            found.append(f"silent {figures['unexplained']} times without a reason")
        changes = [attacker.get("changes", attacker.get("advertisements", 0)) for attacker in figures["attackers"].values()]
        if not changes or min(changes) == 0 or any(attacker.get("faults") for attacker in figures["attackers"].values()):
            found.append("the network was not changed")
        return found

    def shown(self, figures):
        return f"visible {figures['visible']:.0%}; silent: " + (", ".join(
            f"{reason} ({count})" for reason, count in figures["silences"].items() if is_boundary(reason)) or "gaps only")


def is_boundary(reason):
    """Whether a node is silent because of something that happened, and not by the clock or at its end."""
    return not is_gap(reason) and reason != "stopped"


@row
class Routers(Network):
    name, title = "routers", "a router advertisement with a fresh prefix every 1.5 s"

    def attack(self, field):
        field.attack("mallory", "router", "--seconds", 1.5).is_ready()


@row
class Addresses(Network):
    name, title = "addresses", "an address of each family comes and goes every second on every host"
    cost = 6

    def attack(self, field):
        def step(count):
            for name in field.people:
                host = field.stage.host(name)
                verb = "del" if count % 2 else "add"
                number = 1 + count // 2 % 200
                ip("-n", host, "addr", verb, f"10.77.0.{number + 20}/24", "dev", "eth0")
                ip("-n", host, "addr", verb, f"fd77::{number:x}/64", "dev", "eth0", *(() if count % 2 else ("nodad",)))
        field.attackers.append(Changes("addresses", 1, step))


@row
class Flapping(Network):
    name, title = "flapping", "every interface is down for 1 s of 10 s"

    def attack(self, field):
        # A node that starts while its link is down has no network yet, which is another matter.
        time.sleep(2)
        field.down = {name: [] for name in field.people}
        ports = [(name, f"p{index}") for index, name in enumerate(field.stage.names, 1) if name in field.people]

        def step(_):
            since = time.time()
            for _, port in ports:
                ip("-n", field.stage.bridge, "link", "set", port, "down")
            time.sleep(1)
            for _, port in ports:
                ip("-n", field.stage.bridge, "link", "set", port, "up")
            for name, _ in ports:
                field.down[name].append((since, time.time()))
        field.attackers.append(Changes("interfaces", 9, step))


def forward(field, ports, is_forwarding):
    """Lets a bridge forward what comes from these ports, or drop it; their links stay up."""
    state = 3 if is_forwarding else 0
    words = "".join(f"link set dev {port} state {state}\n" for port in ports)
    # One program for all: in a guest each takes a fifth of a second.
    subprocess.run(["timeout", "10", "bridge", "-n", field.stage.bridge, "-batch", "-"], input=words, text=True, check=True, capture_output=True)


@row
class Parting(Network):
    """What a link has not delivered by then, the kernel would repeat for minutes."""

    name, title = "parting", "every packet is lost while the nodes fall silent"
    old = ("repeats",)

    def attack(self, field):
        ports = [f"p{index}" for index, name in enumerate(field.stage.names, 1) if name in field.people]

        def step(_):
            # A node ends its links 0.5 to 1 s before the boundary.
            since = field.start_of(int(epoch_at(field.clock, time.time() + 1.3)) + 1) - 1.2
            time.sleep(max(0, since - time.time()))
            forward(field, ports, False)
            time.sleep(1.4)
            forward(field, ports, True)
        field.attackers.append(Changes("losses", 1, step))


@row
class Leases(Network):
    """Nothing that happens here is a boundary."""

    cost = 7
    name, title = "leases", "leases renewed, temporary addresses rotating, containers made and removed every 5 s"
    broken = ({"met": 11}, {"boundaries": 1}, {"attackers": {}})

    def attack(self, field):
        for name in field.people:
            host = field.stage.host(name)
            ip("netns", "exec", host, "sysctl", "-q", "-w", "net.ipv6.conf.eth0.use_tempaddr=2")
        field.attack("mallory", "router", "--seconds", 2.5, "--prefix", "fd77:1::").is_ready()
        addresses = {name: field.stage.address[name] for name in field.people}

        def lease(count):
            for name, address in addresses.items():
                ip("-n", field.stage.host(name), "addr", "change", f"{address}/24", "dev", "eth0", "valid_lft",
                   str(900 - count % 7), "preferred_lft", str(900 - count % 7))

        def temporary(count):
            # A new one is there before the old one is deprecated, and later removed.
            for name in addresses:
                host = field.stage.host(name)
                ip("-n", host, "addr", "add", f"fd77:1::{count + 1:x}:77/64", "dev", "eth0", "nodad", "valid_lft", "3600",
                   "preferred_lft", "1800")
                if count >= 1:
                    ip("-n", host, "addr", "change", f"fd77:1::{count:x}:77/64", "dev", "eth0", "valid_lft", "900",
                       "preferred_lft", "0")
                if count >= 2:
                    ip("-n", host, "addr", "del", f"fd77:1::{count - 1:x}:77/64", "dev", "eth0")

        def container(count):
            for name in addresses:
                host, number = field.stage.host(name), secrets.token_hex(3)
                if count == 0:
                    ip("-n", host, "link", "add", "docker0", "type", "bridge")
                    ip("-n", host, "addr", "add", "172.17.0.1/16", "dev", "docker0")
                    ip("-n", host, "link", "set", "docker0", "up")
                ip("-n", host, "link", "add", f"v{number}", "type", "veth", "peer", f"c{number}")
                ip("-n", host, "link", "set", f"v{number}", "master", "docker0", "up")
                ip("-n", host, "link", "set", f"c{number}", "up")
                ip("-n", host, "addr", "add", f"172.18.{count % 250}.1/24", "dev", f"c{number}")
                time.sleep(0.1)
                ip("-n", host, "link", "del", f"v{number}")

        field.attackers += [Changes("leases", 2, lease), Changes("temporary addresses", 3, temporary),
                            Changes("containers", 5, container)]

    def measure(self, field):
        boundaries = sum(len(field.silences(name, is_boundary)) for name in field.nodes)
        return {**super().measure(field), "boundaries": boundaries}

    def faults(self, figures):
        found = super().faults(figures)
        return found + ([f"{figures['boundaries']} boundaries"] if figures["boundaries"] else [])

    def shown(self, figures):
        return f"{figures['boundaries']} boundaries"


@row
class Resets(Row):
    name, title = "resets", "the first link of each caller is reset in every epoch, at each of three moments"
    old, cost = ("one-attempt",), 8
    broken = ({"met": 11}, {"resets": 2})

    def attack(self, field):
        field.attack("bridge", "resets", "--clock", f"{field.clock[0]}@{field.clock[1]}").is_ready()

    def measure(self, field):
        return {"resets": sum(field.attackers[0].figures["resets"].values()) if field.attackers else 0}

    def faults(self, figures):
        # One of each pair and epoch at least: the other one calls only if it has heard the name in time.
        return [] if figures["resets"] >= figures["total"] / 2 else [f"only {figures['resets']} links were reset"]

    def shown(self, figures):
        moments = next(iter(figures["attackers"].values()), {}).get("resets", {})
        return ", ".join(f"{count} at {moment}" for moment, count in moments.items() if count)


@row
class Connections(Row):
    name = "connections"
    title = "3,000 TCP connections a second to one node, from 240 neighbours, 240 addresses, and 240 of its own /64"
    least, old, heavy, in_guest = 0.95, ("eviction",), True, None
    # The most of a core that the flooded node may use.
    most = 0.5
    # Thousands of answers a second to the flood, without content.
    uncaptured = "tcp and ( dst net 10.78.0.0/16 or dst net fd77::1:0/112 )"
    broken = ({"met": 11}, {"grownKiB": 40_000}, {"share": 0.6}, {"share": None},
              {"attackers": {"mallory": {"tried": 20_000, "seconds": 25, "made": 10}}},
              {"attackers": {"mallory": {"tried": 2_000, "seconds": 25, "made": 2_000}}})

    def contacts(self):
        return star(self.groups)

    def field(self, old=None):
        return Reachable(self.contacts(), old=old, rate=self.rate)

    def attack(self, field):
        field.attack("mallory", "connections", "--target", field.stage.address["ada"], "--rate", 3_000).is_ready()

    def measure(self, field):
        begun, end = field.start_of(field.judged[0]), field.start_of(field.judged[-1] + 1)
        return {"share": round(field.processor_share("ada", begun, end), 4) if "ada" not in field.ended else None}

    def faults(self, figures):
        found = []
        for sent in figures["attackers"].values():
            if sent["tried"] < 1_000 * sent["seconds"] or sent["made"] < 100 * figures["total"]:
                found.append(f"only {sent['tried']} connections were tried in {sent['seconds']:.0f} s, and {sent['made']} made")
        if figures["grownKiB"] > 32 * 1024:
            found.append(f"memory grew by {figures['grownKiB']} KiB, at most 32 MiB")
        if figures["share"] is None or figures["share"] > self.most:
            found.append(f"the node used {figures['share']} of a core, at most {self.most}")
        return found

    def shown(self, figures):
        sent = next(iter(figures["attackers"].values()), {"tried": 0, "made": 0, "seconds": 1})
        return (f"{sent['tried'] / max(sent['seconds'], 1):,.0f}/s, {sent['made']:,} made; {figures['share'] or 0:.1%} of a core, "
                f"grew by {figures['grownKiB']} KiB")


class Reachable(Field):
    """A field whose hosts have addresses of one /64, and reach the sources of the flood of connections without a gateway."""

    def __enter__(self):
        super().__enter__()
        for index, name in enumerate(self.people, 1):
            command("ip", "-n", self.stage.host(name), "addr", "add", f"fd77::{index:x}/64", "dev", "eth0", "nodad")
            for source in ("10.78.1.0/24", "10.78.2.0/24"):
                command("ip", "-n", self.stage.host(name), "route", "add", source, "dev", "eth0")
        return self


@row
class Clock(Row):
    """The clock of the kernel is stepped, which only a machine of its own allows."""

    name, title = "clock", "the clock is set by −1 h, +3 d and +1 year while the node runs"
    # The clock that is stepped is that of the capture too.
    old, sets_clock, is_captured, cost = ("clock-watch",), True, False, 2
    steps = ((-3_600, "−1 h"), (3 * 86_400, "+3 d"), (365 * 86_400, "+1 year"))
    broken = ({"noticed": {"−1 h": 0.1, "+3 d": 1.4, "+1 year": 0.2}}, {"noticed": {"−1 h": None}}, {"noticed": {}})
    within = 1.0

    def contacts(self):
        return []

    def run(self, epochs, attacking=True, old=None):
        noticed = {}
        with Field([], ("mallory", "ada"), old=old, real_clock=True) as field:
            for step, label in self.steps:
                noticed[label] = self.one(field, f"ada{len(noticed)}", step if attacking else 0)
            field.end()
            return {"met": 0, "total": 0, "missed": [], "ended": sorted(field.ended), "noticed": noticed, "attackers": {}}

    def one(self, field, name, step):
        """Steps the clock while a node runs, and returns after how many seconds it said that it is silent."""
        field.inkling(name, "init", "--name", "Ada", "--trust-clock")
        node = field.start(name, on="ada")
        node.wait(lambda fact: fact.get("event") == "visible", 25, "the first epoch")
        left = 900 - time.time() % 900
        if left < 10:
            time.sleep(left + 12)
        before = len(node.facts)
        time.sleep(0.5)
        stepped = time.monotonic()
        time.clock_settime(time.CLOCK_REALTIME, time.time() + step)
        try:
            while time.monotonic() < stepped + 5:
                said = [fact["uptime"] - stepped for fact in node.facts[before:] if fact.get("event") == "silent"]
                if said:
                    return round(said[0], 3)
                time.sleep(0.02)
            return None
        finally:
            time.clock_settime(time.CLOCK_REALTIME, time.time() - step)
            node.popen.send_signal(signal.SIGINT)
            if node.finish(15) != 0:
                field.ended.add(name)
            del field.nodes[name]

    def judge(self, figures, least=None):
        found = [f"{name} has ended" for name in figures["ended"]]
        for _, label in self.steps:
            after = figures["noticed"].get(label)
            if after is None:
                found.append(f"{label} was not noticed within 5 s")
            elif after > self.within:
                found.append(f"{label} was noticed after {after:.1f} s, at most {self.within:.0f}")
        return found

    def shown(self, figures):
        return "noticed after " + ", ".join(
            f"{label}: {'more than 5' if after is None else f'{after:.2f}'} s" for label, after in figures["noticed"].items())
