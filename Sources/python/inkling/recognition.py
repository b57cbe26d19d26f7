"""The engine that decides who is near: feed it what is seen, and do what it asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ctypes import byref, c_uint32, c_uint64
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from ._abi import Clock, ContactOptions, EffectStructure, EngineOptions, Object, ObservedTime, call, refusing
from .keys import Tree


class Presence(IntEnum):
    """What is known about the presence of a contact."""

    UNSEEN = 0
    CANDIDATE = 1
    PROBABLE = 2
    CONFIRMED = 3
    STALE = 4
    GONE = 5


class Failure(IntEnum):
    """Why an attempt came to nothing."""

    UNREACHABLE = 0
    SILENT = 1
    REFUSED = 2
    STRANGER = 3


@dataclass(frozen=True)
class Now:
    """The clocks at one moment: one that counts sleep and never steps, and Unix time, both in milliseconds."""

    tick: int
    unix_milliseconds: int

    def _structure(self) -> Clock:
        return Clock(tick=self.tick, unix_milliseconds=self.unix_milliseconds)


@dataclass(frozen=True)
class Observed:
    """When something was observed, in Unix milliseconds, and by how many the moment may be wrong."""

    unix_milliseconds: int
    uncertainty: int = 0

    def _structure(self) -> ObservedTime:
        return ObservedTime(unix_milliseconds=self.unix_milliseconds, uncertainty=self.uncertainty)


@dataclass(frozen=True)
class Expected:
    """Whose value something may be: a contact's device under an audience (None: the pair's), in an epoch."""

    contact: int
    device: int
    epoch: int
    audience_id: int | None


@dataclass(frozen=True)
class Outside:
    """A value turned up outside its time: a copy, or a clock that is wrong."""

    expected: Expected


@dataclass(frozen=True)
class Contested:
    """Two addresses show one minor at the same time."""

    expected: Expected


@dataclass(frozen=True)
class StateChanged:
    """Tell the user."""

    contact: int
    before: Presence
    after: Presence


@dataclass(frozen=True)
class Arrived:
    """The contact has been present for its arrival timer."""

    contact: int


@dataclass(frozen=True)
class Left:
    """The presence of a contact that had arrived has ended."""

    contact: int


@dataclass(frozen=True)
class Confirm:
    """Start a handshake, and report `confirmed` or `attempt_failed` with the number of the attempt.

    It goes by the name, or by the tag or the minor at the address; the others are None.
    """

    attempt: int
    expected: Expected
    name: str | None
    tag: bytes | None
    minor: int | None
    address: int | None


@dataclass(frozen=True)
class ReadTag:
    """Connect to this address, read its tag and nothing else, and report `tag_read`."""

    address: int


@dataclass(frozen=True)
class Wake:
    """Call `timer_fired` at this tick; replaces every earlier wish."""

    tick: int


Effect = Outside | Contested | StateChanged | Arrived | Left | Confirm | ReadTag | Wake


class Engine(Object):
    """Recognises contacts, by numbers of the caller's. Take the effects after each event."""

    def __init__(self, skew_seconds: int = 0, depart_after: int = 0, decoys: int = 0):
        """An engine that knows nobody; zero stands for what the specification says, durations are milliseconds."""
        options = EngineOptions(skew_seconds=skew_seconds, depart_after=depart_after, decoys=decoys)
        super().__init__(lambda out: call("inkling_engine_new", byref(options), out))

    def effects(self) -> Iterator[Effect]:
        """Takes what is to be done, in order."""
        effect = EffectStructure()
        while True:
            call("inkling_engine_next", self._handle, byref(effect))
            if effect.kind == 0:
                return
            yield _effect(effect)

    def add(self, contact: int, now: Now, *, prior: int = 0, importance: int = 0, arrive_after: int = 0,
            depart_after: int = 0) -> None:
        """A contact is to be recognised; zero stands for the usual."""
        options = ContactOptions(
            prior=prior, importance=importance, arrive_after=arrive_after, depart_after=depart_after)
        call("inkling_engine_add", self._handle, contact, byref(options), byref(now._structure()))

    def remove(self, contact: int, now: Now) -> None:
        """A contact is not to be recognised any more."""
        call("inkling_engine_remove", self._handle, contact, byref(now._structure()))

    def hold(self, contact: int, tree: Tree, devices: Iterable[int], audience_id: int | None) -> None:
        """Keeps the keys under which a contact's devices show themselves: of a granted audience, or None of the pair."""
        bits = sum(1 << device for device in set(devices))
        kind = 1 if audience_id is None else 0
        call("inkling_engine_hold", self._handle, contact, kind, audience_id or 0, bits, tree._handle)

    def prepare(self, epoch: int, now: Now) -> None:
        """Recognises by what all contacts show around an epoch from now on."""
        call("inkling_engine_prepare", self._handle, epoch, byref(now._structure()))

    def name_appeared(self, label: str, now: Now, observed: Observed | None = None) -> None:
        """An instance name is there; labels that are no names of Inkling are ignored."""
        text = label.encode()
        call("inkling_engine_name_appeared", self._handle, text, len(text), _when(observed), byref(now._structure()))

    def name_vanished(self, label: str, now: Now) -> None:
        """An instance name is there no more."""
        text = label.encode()
        call("inkling_engine_name_vanished", self._handle, text, len(text), byref(now._structure()))

    def names_forgotten(self, now: Now) -> None:
        """Nothing is known any more about which names are there."""
        call("inkling_engine_names_forgotten", self._handle, byref(now._structure()))

    def advertisement(self, data: bytes, address: int, rssi: int, now: Now, observed: Observed | None = None) -> None:
        """Advertising data was heard from an address of 48 bits, at a rssi in dBm; raises Refused."""
        refusing(
            "inkling_engine_advertisement", self._handle, data, len(data), address, rssi, _when(observed),
            byref(now._structure()))

    def beacon_heard(self, minor: int, address: int, rssi: int, now: Now, observed: Observed | None = None) -> None:
        """A minor of ours was heard."""
        call(
            "inkling_engine_beacon_heard", self._handle, minor, address, rssi, _when(observed),
            byref(now._structure()))

    def tag_read(self, tag: bytes | None, address: int, now: Now, observed: Observed | None = None) -> None:
        """The reading of an address's tag ended, with a tag or with none."""
        call(
            "inkling_engine_tag_read", self._handle, tag, len(tag or b""), address, _when(observed),
            byref(now._structure()))

    def attempt_failed(self, attempt: int, why: Failure, now: Now) -> None:
        """An attempt came to nothing."""
        call("inkling_engine_attempt_failed", self._handle, attempt, why, byref(now._structure()))

    def confirmed(self, contact: int, device: int, now: Now, *, called: bool = True) -> None:
        """A handshake with a contact's device succeeded, which we or the contact began."""
        call("inkling_engine_confirmed", self._handle, contact, device, 0 if called else 1, byref(now._structure()))

    def session_heard(self, contact: int, device: int, now: Now) -> None:
        """A record of a session authenticated."""
        call("inkling_engine_session_heard", self._handle, contact, device, byref(now._structure()))

    def session_ended(self, contact: int, device: int, now: Now) -> None:
        """The last session with a contact's device ended."""
        call("inkling_engine_session_ended", self._handle, contact, device, byref(now._structure()))

    def timer_fired(self, now: Now) -> None:
        """The moment of `Wake` has come."""
        call("inkling_engine_timer_fired", self._handle, byref(now._structure()))

    def state(self, contact: int, now: Now) -> tuple[Presence, float]:
        """What is known about a contact, and how likely it is near by what the radio heard."""
        state, posterior = c_uint32(), c_uint64()
        call("inkling_engine_state", self._handle, contact, byref(now._structure()), byref(state), byref(posterior))
        return Presence(state.value), posterior.value / 65536


def _when(observed: Observed | None) -> Any:
    return None if observed is None else byref(observed._structure())


def _effect(effect: EffectStructure) -> Effect:
    expected = Expected(
        effect.contact, effect.device, effect.epoch, None if effect.audience_kind == 1 else effect.audience_id)
    match effect.kind:
        case 1: return Outside(expected)
        case 2: return Contested(expected)
        case 3: return StateChanged(effect.contact, Presence(effect.from_state), Presence(effect.to_state))
        case 4: return Arrived(effect.contact)
        case 5: return Left(effect.contact)
        case 6:
            value = bytes(effect.value)
            return Confirm(
                effect.attempt, expected, name=value.hex() if effect.value_kind == 1 else None,
                tag=value if effect.value_kind == 2 else None, minor=effect.minor if effect.value_kind == 3 else None,
                address=effect.address if effect.value_kind != 1 else None)
        case 7: return ReadTag(effect.address)
        case 8: return Wake(effect.tick)
    raise ValueError(f"effect {effect.kind} is of a later version")
