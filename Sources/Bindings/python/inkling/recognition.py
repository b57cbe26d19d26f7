"""The engine that decides who is near: report what is observed, and carry out its effects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ctypes import byref, c_uint32, c_uint64
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from ._abi import Clock, ContactOptions, EffectStructure, EngineOptions, Object, ObservedTime, call, refusing
from .keys import Tree


class Presence(IntEnum):
    """What is known about the presence of a contact (Specs/recognition.md)."""

    UNSEEN = 0
    CANDIDATE = 1
    PROBABLE = 2
    CONFIRMED = 3
    STALE = 4
    GONE = 5


class Failure(IntEnum):
    """Why an attempt failed. After UNREACHABLE and RESET it is made again in the same epoch, at most three times."""

    UNREACHABLE = 0
    SILENT = 1
    REFUSED = 2
    STRANGER = 3
    RESET = 4


class Technology(IntEnum):
    """Over what contacts are tried: the local network because of a name, radio because of a tag or a minor."""

    NETWORK = 0
    RADIO = 1


@dataclass(frozen=True)
class Now:
    """A reading of the clocks in milliseconds: a monotonic clock that also runs during sleep, and Unix time."""

    tick: int
    unix_milliseconds: int

    def _structure(self) -> Clock:
        return Clock(tick=self.tick, unix_milliseconds=self.unix_milliseconds)


@dataclass(frozen=True)
class Observed:
    """When something was observed, in Unix milliseconds, with its uncertainty in milliseconds in either direction."""

    unix_milliseconds: int
    uncertainty: int = 0

    def _structure(self) -> ObservedTime:
        return ObservedTime(unix_milliseconds=self.unix_milliseconds, uncertainty=self.uncertainty)


@dataclass(frozen=True)
class Expected:
    """Whose identifier something may be: that of a contact's device in an epoch, under a granted audience or, if
    `audience_id` is None, the pair audience."""

    contact: int
    device: int
    epoch: int
    audience_id: int | None


@dataclass(frozen=True)
class Outside:
    """An identifier was observed outside its window: it is a copy, or a clock is wrong."""

    expected: Expected


@dataclass(frozen=True)
class Contested:
    """Two addresses show the same minor at the same time."""

    expected: Expected


@dataclass(frozen=True)
class StateChanged:
    """The presence of a contact changed: show it to the user."""

    contact: int
    before: Presence
    after: Presence


@dataclass(frozen=True)
class Arrived:
    """The contact has been present for `arrive_after`."""

    contact: int


@dataclass(frozen=True)
class Left:
    """A contact that had arrived is gone."""

    contact: int


@dataclass(frozen=True)
class Confirm:
    """Start a handshake, and report `attempt_confirmed` or `attempt_failed` with the number of the attempt.

    One over the network and one by radio may run at the same time. Connect over TCP by the name, or over GATT by the tag or the minor at the address; the other members are None.
    """

    attempt: int
    expected: Expected
    name: str | None
    tag: bytes | None
    minor: int | None
    address: int | None


@dataclass(frozen=True)
class ReadTag:
    """Connect to this address, read its tag and nothing else, and report `tag_read` or `reading_failed`."""

    address: int


@dataclass(frozen=True)
class Replayed:
    """Names led to eight attempts and to no handshake: somebody shows copies.

    Until the end of the epoch only recently confirmed contacts are called because of a name.
    """


@dataclass(frozen=True)
class Wake:
    """Call `timer_fired` at this tick; replaces the earlier wake-up."""

    tick: int


Effect = Outside | Contested | StateChanged | Arrived | Left | Confirm | ReadTag | Wake | Replayed


class Engine(Object):
    """Recognises contacts, under numbers that the caller chooses. Take the effects after each event."""

    def __init__(self, skew_seconds: int = 0, depart_after: int = 0, decoys: int = 0):
        """Creates an engine without contacts; 0 selects the default, durations are in milliseconds."""
        options = EngineOptions(skew_seconds=skew_seconds, depart_after=depart_after, decoys=decoys)
        super().__init__(lambda out: call("inkling_engine_new", byref(options), out))

    def effects(self) -> Iterator[Effect]:
        """Takes the effects, in the order in which to carry them out."""
        effect = EffectStructure()
        while True:
            call("inkling_engine_next", self._handle, byref(effect))
            if effect.kind == 0:
                return
            yield _effect(effect)

    def add(self, contact: int, now: Now, *, prior: int = 0, importance: int = 0, arrive_after: int = 0,
            depart_after: int = 0) -> None:
        """Adds a contact; 0 selects the default, durations are in milliseconds."""
        options = ContactOptions(
            prior=prior, importance=importance, arrive_after=arrive_after, depart_after=depart_after)
        call("inkling_engine_add", self._handle, contact, byref(options), byref(now._structure()))

    def remove(self, contact: int, now: Now) -> None:
        """Removes a contact and erases its keys."""
        call("inkling_engine_remove", self._handle, contact, byref(now._structure()))

    def hold(self, contact: int, tree: Tree, devices: Iterable[int], audience_id: int | None) -> None:
        """Sets the keys under which a contact's devices advertise; with None they are those of the pair audience.

        They replace earlier keys of the same audience, and take effect at the next `prepare`.
        """
        bits = sum(1 << device for device in set(devices))
        kind = 1 if audience_id is None else 0
        call("inkling_engine_hold", self._handle, contact, kind, audience_id or 0, bits, tree._handle)

    def prepare(self, epoch: int, now: Now) -> None:
        """Computes the identifiers of all contacts in an epoch and its neighbours, and uses them from now on.

        Call it at the beginning of each epoch and after contacts or keys have changed.
        """
        call("inkling_engine_prepare", self._handle, epoch, byref(now._structure()))

    def name_appeared(self, label: str, now: Now, observed: Observed | None = None) -> None:
        """Reports that an instance name appeared; labels that are not Inkling names are ignored."""
        text = label.encode()
        call("inkling_engine_name_appeared", self._handle, text, len(text), _when(observed), byref(now._structure()))

    def name_vanished(self, label: str, now: Now) -> None:
        """Reports that an instance name vanished."""
        text = label.encode()
        call("inkling_engine_name_vanished", self._handle, text, len(text), byref(now._structure()))

    def names_forgotten(self, now: Now) -> None:
        """Forgets which names are present, for example after a change of network."""
        call("inkling_engine_names_forgotten", self._handle, byref(now._structure()))

    def advertisement(self, data: bytes, address: int, rssi: int, now: Now, observed: Observed | None = None) -> None:
        """Reports advertising data from an address of 48 bits, with an rssi in dBm; raises Refused if malformed."""
        refusing(
            "inkling_engine_advertisement", self._handle, data, len(data), address, rssi, _when(observed),
            byref(now._structure()))

    def beacon_heard(self, minor: int, address: int, rssi: int, now: Now, observed: Observed | None = None) -> None:
        """Reports an Inkling minor."""
        call(
            "inkling_engine_beacon_heard", self._handle, minor, address, rssi, _when(observed),
            byref(now._structure()))

    def tag_read(self, tag: bytes | None, address: int, now: Now, observed: Observed | None = None) -> None:
        """Reports that reading the tag of an address has ended, with a tag or without one."""
        call(
            "inkling_engine_tag_read", self._handle, tag, len(tag or b""), address, _when(observed),
            byref(now._structure()))

    def reading_failed(self, address: int, now: Now) -> None:
        """Reports that the link for reading the tag of an address was not made, or broke."""
        call("inkling_engine_reading_failed", self._handle, address, byref(now._structure()))

    def radio_crowded(self, now: Now) -> None:
        """Reports that the radio hears too much, and ignores beacons that are not predicted until the next silent gap. Fewer
        attempts are made because of a minor until the epoch ends."""
        call("inkling_engine_radio_crowded", self._handle, byref(now._structure()))

    def attempt_failed(self, attempt: int, why: Failure, now: Now) -> None:
        """Reports that an attempt failed."""
        call("inkling_engine_attempt_failed", self._handle, attempt, why, byref(now._structure()))

    def attempt_confirmed(self, attempt: int, now: Now) -> None:
        """Reports that the handshake of an attempt succeeded."""
        call("inkling_engine_attempt_confirmed", self._handle, attempt, byref(now._structure()))

    def confirmed(self, contact: int, device: int, now: Now, *, called: bool = True) -> None:
        """Reports that a handshake with a contact's device succeeded; `called` says whether this device called. If it
        did, the attempt over the network ends if one is running, and otherwise the one by radio."""
        call("inkling_engine_confirmed", self._handle, contact, device, 0 if called else 1, byref(now._structure()))

    def links_closed(self, technology: Technology, now: Now) -> None:
        """Reports that this device has closed all its links over a technology itself. Contacts that it had called and
        confirmed over it are called again in the same epoch."""
        call("inkling_engine_links_closed", self._handle, technology, byref(now._structure()))

    def session_heard(self, contact: int, device: int, now: Now) -> None:
        """Reports that a record in a session with a contact's device was authentic."""
        call("inkling_engine_session_heard", self._handle, contact, device, byref(now._structure()))

    def session_ended(self, contact: int, device: int, now: Now) -> None:
        """Reports that the last session with a contact's device ended."""
        call("inkling_engine_session_ended", self._handle, contact, device, byref(now._structure()))

    def timer_fired(self, now: Now) -> None:
        """Reports that the tick of `Wake` has come."""
        call("inkling_engine_timer_fired", self._handle, byref(now._structure()))

    def state(self, contact: int, now: Now) -> tuple[Presence, float]:
        """Returns the presence of a contact and the probability, 0 to 1, that it is near, from radio evidence."""
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
        case 9: return Replayed()
    raise ValueError(f"unknown kind of effect: {effect.kind}")
