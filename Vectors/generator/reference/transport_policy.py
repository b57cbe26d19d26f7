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
    "ble": ("passive", "recognise"),
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
}
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
    cost: int = 0
    lasts: int | None = None

    def refusal(self):
        for need in self.needs:
            if number := need.lacks():
                return number, THE.sort(need.value(need.app)[1])
        return None


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
            return [self.ble(direction) for direction in (("we", "they") if at.purpose == "recognise" else ("we",))]
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

    def ble(self, direction):
        active, passive = self.sides(direction)
        is_own = direction == "we"
        needs = [Need(active, "scan", is_own), Need(passive, "advertise", not is_own, reader=active)]
        return Way(direction, needs, active, scans=True)

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
        weight = WEIGHT_IN_LOW_POWER if "low-power" in self.at.own.met else WEIGHT
        way.cost = bounded(bounded(way.completes + bounded(weight * way.energy)) + EXPOSURE_WEIGHT * exposure)
        facts = [name for need in way.needs for name in need.value(need.app)[1]]
        if way.scans:
            callbacks, because = way.active.value("callbacks")
            facts += because
            way.lasts = callbacks.end if isinstance(callbacks, Range) else None
        way.facts = THE.sort(facts)

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
        ways = self.ways(transport)
        refusals = [way.refusal() for way in ways]
        if all(refusals):
            return None, max(refusals, key=lambda refusal: refusal[0])
        feasible = [way for way, refusal in zip(ways, refusals) if refusal is None]
        for way in feasible:
            self.estimate(transport, way)
        best = min(feasible, key=lambda way: way.cost)
        number = self.hindrance(transport, best)
        return (None, (number, [])) if number else (best, None)

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
        if at.deadline is not None and way.completes > at.deadline:
            return 16
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
            last = max((one for one in refusals if one["transport"] not in NEVER), key=lambda one: one["number"])
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
                "exposure": FIGURES[transport][3],
                "cost": way.cost,
                "facts": way.facts,
            }
            if way.lasts is not None:
                step["lasts"] = way.lasts
            timed.append(step)
            if not starts_at_once:
                begins += min(max(way.completes, 1_000), 10_000)
        return timed


TRANSPORT = Text(values=TRANSPORTS)
MILLISECONDS = Integer(0, SAFE_INTEGER)
NUMBER = Integer(1, 16)
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
        optional=("peer", "deadline"),
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
    ),
    Record(
        optional=("wait",),
        steps=ListOf(
            Record(
                optional=("lasts",),
                transport=TRANSPORT,
                direction=Text(values=("we", "they", "both")),
                begins=MILLISECONDS,
                completes=MILLISECONDS,
                energy=MILLISECONDS,
                exposure=Integer(0, 4),
                cost=MILLISECONDS,
                lasts=MILLISECONDS,
                facts=FACTS,
            )
        ),
        refusals=ListOf(Record(transport=TRANSPORT, number=NUMBER, reason=REASON, facts=FACTS), low=2),
        wait=Record(transport=TRANSPORT, number=NUMBER, reason=REASON),
    ),
    refusals=[("platform", "bad-version"), ("situation", "repeated-transport")],
)
def transport_plan(
    own, relation, purpose, payload, heard, sameNetwork, paired, linked, failures, observed, peer=None, deadline=None
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
    )
    return Planner(situation).plan()
