"""Specs/lifecycle.md: reconnection to peers."""

from dataclasses import dataclass, field

from ...tools import steps as scenario
from ...tools.fields import U32, Flag, Integer, ListOf, Record, Text
from ...tools.operations import operation

STEPS = ("services", "characteristics", "subscription", "authentication", "status", "initialisation", "resumption")
DEADLINE = 10_000
ROUTES = 4
PEERS = 1_024
NUMBER = Integer(0, 2**64 - 1)

MEMBERS = {
    "peer": U32,
    "stable": Flag(),
    "known": U32,
    "last": NUMBER,
    "route": U32,
    "linked": Flag(),
    "step": Text(values=STEPS),
    "initialise": Flag(),
}
EVENTS = {
    "wanted": (("peer", "stable"), ("known", "last")),
    "unwanted": (("peer",), ()),
    "ready": ((), ()),
    "unready": ((), ()),
    "restored": (("peer", "route", "linked"), ()),
    "looked-up": (("peer",), ("route",)),
    "looked-up-attached": (("peer",), ("route",)),
    "found": (("peer", "route"), ()),
    "linked": (("peer", "route"), ()),
    "call-failed": (("peer", "route"), ()),
    "unlinked": (("peer", "route"), ()),
    "step-done": (("peer", "step"), ()),
    "status-known": (("peer", "initialise"), ()),
    "step-failed": (("peer", "step"), ()),
    "received": (("peer", "last"), ()),
}


@dataclass
class Peer:
    number: int
    stable: bool
    known: int | None
    last: int | None
    state: str = "resting"  # asked-known, asked-held, called, prepared, connected
    restored: tuple | None = None
    called: list = field(default_factory=list)
    route: int | None = None
    to_do: list = field(default_factory=list)
    linked_at: int = 0
    waiting_since: int = 0
    waited: int = 0
    stumbled: bool = False

    def waits(self):
        return self.state in ("asked-known", "asked-held", "called")

    def holds_link(self):
        return self.state in ("prepared", "connected")


class Pipeline:
    """One method for each event, with the event's name; the peer may be None."""

    def __init__(self, services, pipeline):
        self.services = list(dict.fromkeys(service for some in services for service in some))
        self.pipeline = [step for step in STEPS if step in pipeline and step != "initialisation"]
        self.peers = {}
        self.ready_now = False
        self.searching = False
        self.now = 0
        self.effects = []

    @property
    def wake(self):
        return min(
            (peer.linked_at + DEADLINE for peer in self.peers.values() if peer.state == "prepared"), default=None
        )

    def say(self, effect, peer=None, **members):
        who = {} if peer is None else {"peer": peer.number}
        self.effects.append({"at": self.now, "effect": effect, **who, **members})

    def take(self, event, members):
        if event != "unready":
            self.give_up_late()
        if event == "wanted":
            self.wanted(**members)
        elif event in ("ready", "unready"):
            getattr(self, event)()
        else:
            number = members.pop("peer")
            peer = self.peers.get(number)
            if peer is not None:
                getattr(self, event.replace("-", "_"))(peer, **members)
            elif event == "linked" and self.ready_now:
                self.effects.append({"at": self.now, "effect": "cancel", "peer": number, "route": members["route"]})
        self.search()

    def fire(self):
        self.give_up_late()
        self.search()

    def give_up_late(self):
        for _, peer in sorted(self.peers.items()):
            if peer.state == "prepared" and self.now - peer.linked_at >= DEADLINE:
                self.say("overdue", peer, step=peer.to_do[0])
                self.say("cancel", peer, route=peer.route)
                self.stumble(peer)

    def search(self):
        def needs(peer):
            return peer.state == "called" and (not peer.called or not peer.stable)

        needed = self.ready_now and any(needs(peer) for peer in self.peers.values())
        if needed and not self.searching:
            self.say("begin-search", services=self.services)
        if self.searching and not needed:
            self.say("end-search")
        self.searching = needed

    # Events

    def wanted(self, peer, stable, known=None, last=None):
        if peer in self.peers or len(self.peers) >= PEERS:
            return
        self.peers[peer] = Peer(peer, stable, known, last)
        if self.ready_now:
            self.start(self.peers[peer])

    def unwanted(self, peer):
        del self.peers[peer.number]
        for route in peer.called if peer.state == "called" else [peer.route] if peer.holds_link() else []:
            self.say("cancel", peer, route=route)

    def ready(self):
        if not self.ready_now:
            self.ready_now = True
            for _, peer in sorted(self.peers.items()):
                self.start(peer)

    def unready(self):
        # The earlier search is void and needs no end.
        self.ready_now = self.searching = False
        for peer in self.peers.values():
            peer.state, peer.restored, peer.stumbled = "resting", None, False

    def restored(self, peer, route, linked):
        if peer.state == "resting":
            if peer.restored is None or peer.restored[0] != route:
                self.say("adopt", peer, route=route)
            peer.restored = (route, linked)
        elif linked:
            if not peer.holds_link():
                self.linked(peer, route)
        else:
            self.found(peer, route)

    def looked_up(self, peer, route=None):
        if peer.state == "asked-known":
            if route is None:
                peer.state = "asked-held"
                self.say("look-up-attached", peer)
            else:
                self.found(peer, route)

    def looked_up_attached(self, peer, route=None):
        if peer.state == "asked-held":
            if route is None:
                peer.state, peer.called = "called", []
            else:
                self.found(peer, route)

    def found(self, peer, route):
        if not peer.waits():
            return
        if peer.state != "called":
            peer.state, peer.called = "called", []
        if route in peer.called:
            return
        if len(peer.called) == ROUTES:
            self.say("cancel", peer, route=peer.called.pop(0))
        self.say("adopt", peer, route=route)
        self.call(peer, [*peer.called, route])

    def linked(self, peer, route):
        if peer.holds_link():
            if route != peer.route:
                self.say("cancel", peer, route=route)
        elif peer.waits():
            called = peer.called if peer.state == "called" else []
            for other in called:
                if other != route:
                    self.say("cancel", peer, route=other)
            if route not in called:
                self.say("adopt", peer, route=route)
            self.link(peer, route)

    def call_failed(self, peer, route):
        if peer.state == "called":
            peer.called = [other for other in peer.called if other != route]

    def unlinked(self, peer, route):
        if peer.holds_link() and peer.route == route:
            if peer.state == "prepared":
                self.stumble(peer)
            else:
                self.call_again(peer)

    def step_done(self, peer, step):
        if peer.state == "prepared" and peer.to_do[0] == step:
            peer.to_do = peer.to_do[1:]
            self.go_on(peer)

    def status_known(self, peer, initialise):
        if peer.state == "prepared" and peer.to_do[0] == "status":
            peer.to_do = (["initialisation"] if initialise else []) + peer.to_do[1:]
            self.go_on(peer)

    def step_failed(self, peer, step):
        if peer.state == "prepared" and peer.to_do[0] == step:
            self.say("cancel", peer, route=peer.route)
            self.stumble(peer)

    def received(self, peer, last):
        if peer.holds_link():
            peer.last = last if peer.last is None else max(peer.last, last)

    # Shared by several events

    def start(self, peer):
        peer.waiting_since = self.now
        kept, peer.restored = peer.restored, None
        if kept is not None:
            route, linked = kept
            if linked:
                self.link(peer, route)
            else:
                self.call(peer, [route])
        elif peer.known is None:
            peer.state = "asked-held"
            self.say("look-up-attached", peer)
        else:
            peer.state = "asked-known"
            self.say("look-up", peer, route=peer.known)

    def call(self, peer, routes):
        peer.state, peer.called = "called", routes
        self.say("call", peer, route=routes[-1])

    def call_again(self, peer):
        peer.waiting_since = self.now
        self.call(peer, [peer.route])

    def stumble(self, peer):
        if peer.stumbled:
            peer.waiting_since = self.now
            peer.state, peer.called = "called", []
        else:
            peer.stumbled = True
            self.call_again(peer)

    def link(self, peer, route):
        peer.waited = self.now - peer.waiting_since
        peer.state, peer.route, peer.linked_at, peer.to_do = "prepared", route, self.now, list(self.pipeline)
        if route != peer.known:
            peer.known = route
            self.say("remember", peer, route=route)
        self.go_on(peer)

    def go_on(self, peer):
        if peer.to_do:
            step = peer.to_do[0]
            last = {"last": peer.last} if step == "resumption" and peer.last is not None else {}
            self.say("perform", peer, route=peer.route, step=step, **last)
        else:
            peer.state, peer.stumbled = "connected", False
            self.say("reconnected", peer, route=peer.route, waited=peer.waited, took=self.now - peer.linked_at)


@operation(
    "reconnection",
    Record(
        services=ListOf(ListOf(Text(1, 64), high=16), high=16),
        pipeline=ListOf(Text(values=STEPS), high=64),
        **scenario.arguments(MEMBERS),
    ),
    Record(
        effects=ListOf(
            Record(
                optional=("peer", "route", "services", "step", "last", "waited", "took"),
                at=scenario.MOMENT,
                effect=Text(),
                peer=U32,
                route=U32,
                services=ListOf(Text()),
                step=Text(values=STEPS),
                last=NUMBER,
                waited=scenario.MOMENT,
                took=scenario.MOMENT,
            )
        )
    ),
    refusals=scenario.REFUSALS,
    events=EVENTS,
)
def reconnection(services, pipeline, steps, until):
    scenario.check(steps, until, EVENTS)
    return {"effects": scenario.run(Pipeline(services, pipeline), steps, until)}
