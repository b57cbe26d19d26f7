"""Platforms and transports: what a system lets an app do, and which transport to choose.

The numbers and names are those in the lists of Specs/platforms.md and Specs/transport-policy.md.
"""

from __future__ import annotations

from ctypes import byref
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag

from . import _abi
from ._abi import InklingError, Object, Status, bytes_of, call


class Family(IntEnum):
    """Operating systems."""

    IOS = 0
    ANDROID = 1
    LINUX = 2


class AppState(IntEnum):
    """The state of an app on a phone."""

    FOREGROUND = 0
    BACKGROUND = 1
    LOCKED = 2
    SUSPENDED = 3
    TERMINATED = 4
    FORCE_QUIT = 5
    BEFORE_UNLOCK = 6


class Traits(IntFlag):
    """Properties of a device."""

    IPHONE_12 = 0x01
    IPHONE_17 = 0x02
    AWARE = 0x04
    LEGACY = 0x08
    BEACON_ONLY = 0x10


class Met(IntFlag):
    """Conditions of facts that are met, such as permissions."""

    BLUETOOTH = 0x01
    CENTRAL = 0x02
    PERIPHERAL = 0x04
    WHEN_IN_USE = 0x08
    ALWAYS = 0x10
    LOCAL_NETWORK = 0x20
    LOW_POWER = 0x40


class Subject(IntEnum):
    """What a fact is about."""

    ADVERTISE = 0
    BEACON = 1
    SCAN = 2
    DUPLICATES = 3
    PROMPT = 4
    OVERFLOW = 5
    CALLBACKS = 6
    GAP = 7
    ENTER = 8
    EXIT = 9
    RANGING = 10
    LINKS = 11
    CONNECT = 12
    RELAUNCH = 13
    RESTART_ADVERTISING = 14
    REGION_RELAUNCH = 15
    FIND = 16
    NETWORK_LINKS = 17
    AWDL = 18
    AWARE = 19
    DIRECT = 20
    MULTIPEER = 21
    EXCHANGE = 22
    BLUETOOTH_RANGE = 23
    AWDL_RANGE = 24


class Promise(IntEnum):
    """What a platform promises about a subject."""

    NO = 0
    OVERFLOW = 1
    WINDOW = 2
    WITHIN = 3
    METRES = 4
    YES = 5


class By(IntEnum):
    """The ways to reach a peer that a plan chooses from."""

    BEACON = 0
    BLE = 1
    GATT = 2
    NETWORK = 3
    AWDL = 4
    AWARE_BULK = 5
    AWARE_REALTIME = 6
    WIFI_DIRECT = 7
    EXCHANGE = 8
    MULTIPEER = 9
    RELAY = 10


class Purpose(IntEnum):
    """What the connection is for."""

    PASSIVE = 0
    FIRST_CONTACT = 1
    RECOGNISE = 2
    MESSAGE = 3
    BULK = 4


class Relation(IntEnum):
    """The relation between the two users."""

    STRANGER = 0
    INVITED = 1
    CONTACT = 2
    CONFIRMED = 3


@dataclass(frozen=True)
class App:
    """An app on a device at a moment."""

    family: Family
    state: AppState = AppState.FOREGROUND
    version: tuple[int, int, int] = (0, 0, 0)
    traits: Traits = Traits(0)
    met: Met = Met(0)

    def _structure(self) -> _abi.App:
        major, minor, patch = self.version
        return _abi.App(major, minor, patch, self.family, self.state, self.traits, self.met)


@dataclass(frozen=True)
class Profile:
    """The promise about a subject: the worst value of the facts that apply, in milliseconds or metres, and the ids of
    these facts."""

    promise: Promise
    best: int
    worst: int
    facts: tuple[str, ...]


def profile(app: App, subject: Subject) -> Profile:
    """Returns what a platform promises an app about a subject."""
    structure, facts = app._structure(), _abi.Profile()
    call("inkling_profile_of", byref(structure), subject, byref(facts))

    def fact(index: int) -> str:
        return bytes_of(
            lambda *out: call("inkling_profile_fact", byref(structure), subject, index, *out))[:-1].decode()

    return Profile(
        Promise(facts.promise), facts.best, facts.worst, tuple(fact(index) for index in range(facts.fact_count)))


class Memory(Object):
    """The earlier attempts to reach one peer."""

    def __init__(self) -> None:
        """Creates a memory of no attempts."""
        super().__init__(lambda out: call("inkling_memory_new", out))

    def failed(self, transport: By, tick: int) -> None:
        """Records that a transport failed; `tick` is the monotonic clock, in milliseconds."""
        call("inkling_memory_failed", self._handle, transport, tick)

    def worked(self, transport: By, set_up: int = 0, rate: int = 0) -> None:
        """Records the milliseconds that a transport took to set up and the bytes per second that it carried; 0 means
        not measured."""
        call("inkling_memory_worked", self._handle, transport, set_up, rate)


@dataclass(frozen=True)
class Situation:
    """Everything that a plan depends on, except earlier attempts."""

    own: App
    purpose: Purpose
    relation: Relation
    peer: App | None = None
    payload: int = 0
    deadline: int | None = None
    is_heard: bool = False
    is_on_same_network: bool = False
    is_paired: bool = False
    linked: frozenset[By] = field(default_factory=frozenset)
    #: The transports that this program implements, and those that the peer's is known to implement; empty for every
    #: transport that the platform allows.
    own_transports: frozenset[By] = field(default_factory=frozenset)
    peer_transports: frozenset[By] = field(default_factory=frozenset)

    def _structure(self) -> _abi.Situation:
        peer = self.peer or App(Family.IOS)
        return _abi.Situation(
            relation=self.relation, purpose=self.purpose, has_peer=self.peer is not None,
            has_deadline=self.deadline is not None, is_heard=self.is_heard, is_paired=self.is_paired,
            is_on_same_network=self.is_on_same_network, linked=sum(1 << by for by in self.linked),
            own=self.own._structure(), peer=peer._structure(), payload=self.payload, deadline=self.deadline or 0,
            own_transports=sum(1 << by for by in self.own_transports),
            peer_transports=sum(1 << by for by in self.peer_transports))


@dataclass(frozen=True)
class Step:
    """A transport to use.

    `direction` is the side that takes the active role (0: this one, 1: the peer, 2: both). The step should begin
    `begins` milliseconds after the plan, and takes `completes` milliseconds. `energy` is in millijoules, `exposure` in
    points, and steps are ranked by `cost`. After `lasts` milliseconds the system stops the transport's reports; it is
    None if no limit is known. `next` is the transport that carries the handshake after this one.
    """

    transport: By
    direction: int
    begins: int
    completes: int
    energy: int
    exposure: int
    cost: int
    lasts: int | None
    facts: tuple[str, ...]
    next: By | None = None
    next_direction: int | None = None


@dataclass(frozen=True)
class Unused:
    """A transport that is not used, and why."""

    transport: By
    number: int
    reason: str
    facts: tuple[str, ...]


_NONE = 2**32 - 1


class Plan(Object):
    """The transports to use, ranked, and the reason against each of the others."""

    def __init__(self, situation: Situation, memory: Memory | None = None, tick: int = 0):
        """Creates the plan; `tick` is the monotonic clock, in milliseconds."""
        structure = situation._structure()
        super().__init__(
            lambda out: call("inkling_plan_new", byref(structure), memory._handle if memory else 0, tick, out))

    def _facts(self, name: str, index: int, count: int) -> tuple[str, ...]:
        def fact(place: int) -> str:
            return bytes_of(lambda *out: call(name, self._handle, index, place, *out))[:-1].decode()

        return tuple(fact(place) for place in range(count))

    @property
    def steps(self) -> list[Step]:
        """The transports to use, in ascending order of cost."""
        steps: list[Step] = []
        step = _abi.PlanStep()
        while _there("inkling_plan_step_at", self._handle, len(steps), byref(step)):
            steps.append(
                Step(
                    By(step.transport), step.direction, step.begins, step.completes, step.energy, step.exposure,
                    step.cost, None if step.lasts == 2**64 - 1 else step.lasts,
                    self._facts("inkling_plan_step_fact", len(steps), step.fact_count),
                    *((None, None) if step.next_transport == _NONE else (By(step.next_transport), step.next_direction))))
        return steps

    @property
    def unused(self) -> list[Unused]:
        """The transports that are not used."""
        refusals: list[Unused] = []
        refusal = _abi.PlanRefusal()
        while _there("inkling_plan_refusal_at", self._handle, len(refusals), byref(refusal)):
            facts = self._facts("inkling_plan_refusal_fact", len(refusals), refusal.fact_count)
            refusals.append(Unused(By(refusal.transport), refusal.number, refusal.reason.decode(), facts))
        return refusals

    @property
    def waits_for(self) -> Unused | None:
        """The refusal that is closest to becoming a step; None if the plan has a step."""
        refusal = _abi.PlanRefusal()
        if not _there("inkling_plan_wait", self._handle, byref(refusal)):
            return None
        return Unused(By(refusal.transport), refusal.number, refusal.reason.decode(), ())


def _there(name: str, *arguments: object) -> bool:
    """Makes a call and returns False if its status says that there are no more elements."""
    try:
        call(name, *arguments)
    except InklingError as error:
        if error.status != Status.UNKNOWN:
            raise
        return False
    return True
