"""Specs/transport-policy.md: the ranked plan of transports for two devices."""

from dataclasses import dataclass, field, replace

from ..tools.fields import SAFE_INTEGER, U32, Entry, Flag, Integer, ListOf, Record, Text
from ..tools.operations import operation
from ..tools.refusal import Refusal
from .platforms import APP, FACTS, THE, App, Range, read_app

TRANSPORTS = (
    "beacon",
    "ble",
    "gatt",
    "network",
    "awdl",
    "aware-bulk",
    "aware-realtime",
    "wifi-direct",
    "exchange",
    "multipeer",
    "relay",
)
PURPOSES = ("passive", "first-contact", "recognise", "message", "bulk")
RELATIONS = ("stranger", "invited", "contact", "confirmed")
NEVER = {"multipeer": 1, "relay": 2}
FOR = {
    "beacon": ("passive", "recognise"),
    "ble": ("passive",),
    "gatt": ("first-contact", "recognise", "message", "bulk"),
    "network": PURPOSES,
    "awdl": ("message", "bulk"),
    "aware-bulk": ("bulk",),
    "aware-realtime": ("message",),
    "wifi-direct": ("bulk",),
    "exchange": ("first-contact",),
}
RELATION = {
    "beacon": ("contact", "confirmed"),
    "ble": ("contact", "confirmed"),
    "gatt": ("invited", "contact", "confirmed"),
    "network": ("invited", "contact", "confirmed"),
    "exchange": ("stranger",),
}
# What carries no handshake, and the purpose for which another transport must follow it.
FOLLOWED = {"beacon": "recognise", "exchange": "first-contact"}
FOLLOWERS = ("gatt", "network")
UPGRADES = ("awdl", "aware-bulk", "aware-realtime", "wifi-direct")
# Setup in milliseconds, bytes per second, milliwatts, exposure.
FIGURES = {
    "beacon": (0, None, 1, 1),
    "ble": (0, None, 20, 1),
    "gatt": (500, 12_500, 30, 2),
    "network": (300, 1_000_000, 300, 2),
    "awdl": (2_000, 5_000_000, 600, 3),
    "aware-bulk": (3_000, 8_000_000, 500, 2),
    "aware-realtime": (1_500, 4_000_000, 900, 2),
    "wifi-direct": (5_000, 8_000_000, 800, 4),
    "exchange": (5_000, None, 0, 0),
}
FINDING_ON_NETWORK = 2_000
CHANCE_OF_ENTRY, CHANCE_OF_SCAN, CHANCE_OF_SCAN_AWAY = 900, 950, 100
LARGEST_EXCHANGE = 512
WEIGHT, WEIGHT_IN_LOW_POWER = 1, 4
EXPOSURE_WEIGHT = 1_000
FIRST_BACK_OFF, LONGEST_BACK_OFF = 5_000, 300_000
REASONS = {
    1: "retired",
    2: "third-party",
    3: "purpose",
    4: "relation",
    5: "unconfirmed",
    6: "own-platform",
    7: "own-state",
    8: "own-permission",
    9: "peer-platform",
    10: "peer-state",
    11: "peer-permission",
    12: "no-network",
    13: "unpaired",
    14: "too-large",
    15: "failed-lately",
    16: "deadline",
    17: "no-back-end",
}
# In the order of the table, which is the order of the tests.
ORDER = (1, 2, 3, 4, 5, 17, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
CAUSES = ("platform", "state", "permission")
ALLOWED = frozenset(("bluetooth", "central", "peripheral", "when-in-use", "always", "local-network"))
UNKNOWN = App("ios", (10, 0), frozenset(), "background", frozenset(("bluetooth", "central", "peripheral")))
OVER_BLUETOOTH = ("gatt",)
OVER_NETWORK = ("network", *UPGRADES)


def bounded(number):
    return min(number, SAFE_INTEGER)


def quotient(dividend, divisor):
    """The quotient, rounded up."""
    return -(-bounded(dividend) // divisor)


def average(observations):
    """The mean; None without observations."""
    if not observations:
        return None
    value = observations[0]
    for one in observations[1:]:
        difference = one - value
        value += difference // 8 if difference >= 0 else -(-difference // 8)
    return value


def within_four_times(observed, constant):
    return constant if observed is None else min(max(observed, quotient(constant, 4)), 4 * constant)


@dataclass
class Situation:
    own: App
    peer: App
    relation: str
    purpose: str
    payload: int
    deadline: int | None
    heard: bool
    same_network: bool
    paired: bool
    linked: frozenset
    failures: dict
    observed: dict
    own_transports: frozenset | None = None
    peer_transports: frozenset | None = None


@dataclass
class Need:
    """What an app must be able to do."""

    app: App
    subject: str
    is_own: bool
    reader: App | None = None  # which side must see the advertisement

    def value(self, app):
        """The value for this app, and the facts that it depends on."""
        value, facts = app.value(self.subject)
        if self.reader is not None and value == "overflow":
            readable, of_reader = self.reader.value("overflow")
            return ("no" if readable == "no" else value), [*facts, *of_reader]
        return value, facts

    def lacks(self):
        """The number of the refusal, or None if the need is met."""
        if self.value(self.app)[0] != "no":
            return None
        allowed = replace(self.app, met=self.app.met - {"low-power"} | ALLOWED)
        if self.value(allowed)[0] != "no":
            cause = "permission"
        elif self.value(replace(allowed, state="foreground"))[0] != "no":
            cause = "state"
        else:
            cause = "platform"
        return (6 if self.is_own else 9) + CAUSES.index(cause)


@dataclass
class Way:
    """A transport in one direction."""

    direction: str
    needs: list
    active: App | None = None
    scans: bool = False
    is_linked: bool = False
    find: int = 0
    connect: int = 0
    facts: list = field(default_factory=list)
    completes: int = 0
    energy: int = 0
    exposure: int = 0
    cost: int = 0
    lasts: int | None = None
    next: dict | None = None

    def refusal(self):
        for need in self.needs:
            if number := need.lacks():
                return number, THE.sort(need.value(need.app)[1])
        return None


def nearest(refusals):
    """Of pairs whose first element is a refusal's number, the first of those that come last in the table."""
    return max(refusals, key=lambda refusal: ORDER.index(refusal[0]))


class Planner:
    def __init__(self, situation):
        self.at = situation

    def ways(self, transport):
        at = self.at
        if transport in at.linked and transport in OVER_BLUETOOTH + OVER_NETWORK:
            subject = "links" if transport in OVER_BLUETOOTH else "network-links"
            needs = [Need(at.own, subject, True), Need(at.peer, subject, False)]
            return [Way("both", needs, is_linked=True)]
        if transport == "beacon":
            return [self.beacon()]
        if transport == "ble":
            return [self.ble()]
        if transport == "gatt":
            return [self.gatt(direction) for direction in ("we", "they")]
        if transport == "network":
            needs = [Need(at.own, "find", True)] + ([] if at.heard else [Need(at.peer, "find", False)])
            return [Way("both", needs)]
        subject = {"aware-bulk": "aware", "aware-realtime": "aware", "wifi-direct": "direct"}.get(transport, transport)
        return [Way("both", [Need(at.own, subject, True), Need(at.peer, subject, False)])]

    def sides(self, direction):
        return (self.at.own, self.at.peer) if direction == "we" else (self.at.peer, self.at.own)

    def beacon(self):
        active, passive = self.sides("we")
        needs = [Need(active, "enter", True)]
        if active.state == "terminated":
            needs.append(Need(active, "region-relaunch", True))
        if self.at.purpose == "recognise":
            needs.append(Need(active, "ranging", True))
        return Way("we", [*needs, Need(passive, "beacon", False)], active)

    def ble(self):
        active, passive = self.sides("we")
        needs = [Need(active, "scan", True), Need(passive, "advertise", False, reader=active)]
        return Way("we", needs, active, scans=True)

    def gatt(self, direction):
        active, passive = self.sides(direction)
        is_own = direction == "we"
        scans = not (is_own and self.at.heard)
        needs = [Need(active, subject, is_own) for subject in (["scan"] if scans else []) + ["connect", "links"]]
        needs.append(Need(passive, "advertise", not is_own, reader=active))
        return Way(direction, needs, active, scans=scans)

    def estimate(self, transport, way):
        """Sets the times and costs of a feasible direction."""
        set_up, rate, milliwatts, exposure = FIGURES[transport]
        setups, rates = self.at.observed.get(transport, ((), ()))
        set_up = 0 if way.is_linked else within_four_times(average(setups), set_up)
        if not way.is_linked:
            way.find, way.connect = self.find(transport, way), self.connect(transport, way)
        transfer = quotient(self.at.payload * 1_000, within_four_times(average(rates), rate)) if rate else 0
        busy = bounded(way.connect + set_up + transfer)
        way.completes = bounded(way.find + busy)
        way.energy = quotient(milliwatts * (way.find if transport in ("beacon", "ble") else busy), 1_000)
        way.exposure = exposure
        self.weigh(way)
        facts = [name for need in way.needs for name in need.value(need.app)[1]]
        if way.scans:
            callbacks, because = way.active.value("callbacks")
            facts += because
            way.lasts = callbacks.end if isinstance(callbacks, Range) else None
        way.facts = THE.sort(facts)

    def weigh(self, way):
        weight = WEIGHT_IN_LOW_POWER if "low-power" in self.at.own.met else WEIGHT
        way.cost = bounded(bounded(way.completes + bounded(weight * way.energy)) + EXPOSURE_WEIGHT * way.exposure)

    def find(self, transport, way):
        if transport == "beacon":
            return quotient(way.active.value("enter")[0].end * 1_000, CHANCE_OF_ENTRY)
        if way.scans:
            is_likely = way.active.state == "foreground" or way.active.family != "ios"
            return quotient(
                way.active.value("scan")[0].end * 1_000, CHANCE_OF_SCAN if is_likely else CHANCE_OF_SCAN_AWAY
            )
        return FINDING_ON_NETWORK if transport == "network" and not self.at.heard else 0

    def connect(self, transport, way):
        return way.active.value("connect")[0].end if transport == "gatt" else 0

    def consider(self, transport):
        """The best direction, or the number of the refusal and its facts."""
        at = self.at
        if transport in NEVER:
            return None, (NEVER[transport], [])
        if at.purpose not in FOR[transport]:
            return None, (3, [])
        relations = RELATION.get(transport, ("confirmed",))
        if at.relation not in relations:
            return None, (5 if "confirmed" in relations else 4, [])
        if any(known is not None and transport not in known for known in (at.own_transports, at.peer_transports)):
            return None, (17, [])
        ways = self.ways(transport)
        refusals = [way.refusal() for way in ways]
        if all(refusals):
            return None, nearest(refusals)
        feasible = [way for way, refusal in zip(ways, refusals) if refusal is None]
        for way in feasible:
            self.estimate(transport, way)
        best = min(feasible, key=lambda way: way.cost)
        if number := self.hindrance(transport, best):
            return None, (number, [])
        if FOLLOWED.get(transport) == at.purpose:
            refusal = self.follow(transport, best)
            if refusal:
                return None, refusal
        if at.deadline is not None and best.completes > at.deadline:
            return None, (16, [])
        return best, None

    def after(self, transport):
        """The situation in which a transport follows."""
        at = self.at
        if transport == "exchange":
            return replace(at, relation="invited", payload=0, deadline=None)
        woken = replace(at.own, state="background") if at.own.state in ("suspended", "terminated") else at.own
        return replace(at, own=woken, deadline=None)

    def follow(self, transport, way):
        """Joins the best transport that can follow to a way; the refusal, if there is none."""
        planner = Planner(self.after(transport))
        considered = [(follower, *planner.consider(follower)) for follower in FOLLOWERS]
        possible = [(follower, found) for follower, found, _ in considered if found]
        if not possible:
            return nearest([refusal for _, _, refusal in considered])
        follower, found = min(possible, key=lambda one: one[1].cost)
        way.next = {"transport": follower, "direction": found.direction}
        way.completes = bounded(way.completes + found.completes)
        way.energy = bounded(way.energy + found.energy)
        way.exposure = max(way.exposure, found.exposure)
        way.lasts = found.lasts
        way.facts = THE.sort(way.facts + found.facts)
        self.weigh(way)
        return None

    def hindrance(self, transport, way):
        at = self.at
        if transport == "network" and not way.is_linked and not at.same_network:
            return 12
        if transport in ("aware-bulk", "aware-realtime") and not way.is_linked and not at.paired:
            return 13
        if transport == "exchange" and at.payload > LARGEST_EXCHANGE:
            return 14
        if transport in at.failures:
            count, ago = at.failures[transport]
            if ago < min(FIRST_BACK_OFF * 2 ** (count - 1), LONGEST_BACK_OFF):
                return 15
        return None

    def plan(self):
        steps, refusals = [], []
        for transport in TRANSPORTS:
            way, refusal = self.consider(transport)
            if way:
                steps.append((transport, way))
            else:
                number, facts = refusal
                refusals.append({"transport": transport, "number": number, "reason": REASONS[number], "facts": facts})
        steps.sort(key=lambda step: step[1].cost)
        plan = {"steps": self.timed(steps), "refusals": refusals}
        if not steps:
            used = [one for one in refusals if one["transport"] not in NEVER]
            last = max(used, key=lambda one: ORDER.index(one["number"]))
            plan["wait"] = {name: last[name] for name in ("transport", "number", "reason")}
        return plan

    def timed(self, steps):
        timed = []
        begins = 0
        for transport, way in steps:
            starts_at_once = transport in ("beacon", "ble")
            step = {
                "transport": transport,
                "direction": way.direction,
                "begins": 0 if starts_at_once else begins,
                "completes": way.completes,
                "energy": way.energy,
                "exposure": way.exposure,
                "cost": way.cost,
                "facts": way.facts,
            }
            if way.lasts is not None:
                step["lasts"] = way.lasts
            if way.next is not None:
                step["next"] = way.next
            timed.append(step)
            if not starts_at_once:
                begins += min(max(way.completes, 1_000), 10_000)
        return timed


TRANSPORT = Text(values=TRANSPORTS)
MILLISECONDS = Integer(0, SAFE_INTEGER)
DIRECTION = Text(values=("we", "they", "both"))
NUMBER = Integer(1, 17)
REASON = Text(values=tuple(REASONS.values()))


def by_transport(entries, *members):
    found = {}
    for entry in entries:
        if entry["transport"] in found:
            raise Refusal("situation", "repeated-transport")
        found[entry["transport"]] = tuple(entry[member] for member in members)
    return found


@operation(
    "transport-plan",
    Record(
        optional=("peer", "deadline", "ownTransports", "peerTransports"),
        own=APP,
        peer=APP,
        relation=Text(values=RELATIONS),
        purpose=Text(values=PURPOSES),
        payload=Integer(0, 2**40),
        deadline=Integer(0, 2**40),
        heard=Flag(),
        sameNetwork=Flag(),
        paired=Flag(),
        linked=ListOf(TRANSPORT, high=len(TRANSPORTS)),
        failures=ListOf(Entry(transport=TRANSPORT, count=Integer(1, 64), ago=U32), high=len(TRANSPORTS)),
        observed=ListOf(
            Entry(transport=TRANSPORT, setups=ListOf(U32, high=16), rates=ListOf(U32, high=16)), high=len(TRANSPORTS)
        ),
        ownTransports=ListOf(TRANSPORT, high=len(TRANSPORTS)),
        peerTransports=ListOf(TRANSPORT, high=len(TRANSPORTS)),
    ),
    Record(
        optional=("wait",),
        steps=ListOf(
            Record(
                optional=("lasts", "next"),
                transport=TRANSPORT,
                direction=DIRECTION,
                begins=MILLISECONDS,
                completes=MILLISECONDS,
                energy=MILLISECONDS,
                exposure=Integer(0, 4),
                cost=MILLISECONDS,
                lasts=MILLISECONDS,
                next=Record(transport=Text(values=FOLLOWERS), direction=DIRECTION),
                facts=FACTS,
            )
        ),
        refusals=ListOf(Record(transport=TRANSPORT, number=NUMBER, reason=REASON, facts=FACTS), low=2),
        wait=Record(transport=TRANSPORT, number=NUMBER, reason=REASON),
    ),
    refusals=[("platform", "bad-version"), ("situation", "repeated-transport")],
)
def transport_plan(
    own,
    relation,
    purpose,
    payload,
    heard,
    sameNetwork,
    paired,
    linked,
    failures,
    observed,
    peer=None,
    deadline=None,
    ownTransports=None,
    peerTransports=None,
):
    situation = Situation(
        own=read_app(**own),
        peer=UNKNOWN if peer is None else read_app(**peer),
        relation=relation,
        purpose=purpose,
        payload=payload,
        deadline=deadline,
        heard=heard,
        same_network=sameNetwork,
        paired=paired,
        linked=frozenset(linked),
        failures=by_transport(failures, "count", "ago"),
        observed=by_transport(observed, "setups", "rates"),
        own_transports=None if ownTransports is None else frozenset(ownTransports),
        peer_transports=None if peerTransports is None else frozenset(peerTransports),
    )
    return Planner(situation).plan()
