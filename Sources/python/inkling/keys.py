"""Time, and the keys of an audience with what is derived of them."""

from __future__ import annotations

from ctypes import byref, c_size_t, c_uint32, c_uint64
from dataclasses import dataclass

from ._abi import Object, Sealable, Values, array_of, call, refusing


def epoch_at(unix_seconds: int) -> int:
    """The epoch, a quarter hour of Unix time, that contains a moment."""
    epoch = c_uint32()
    call("inkling_epoch_at", unix_seconds, byref(epoch))
    return epoch.value


def epoch_bounds(epoch: int) -> tuple[int, int]:
    """The Unix seconds at which an epoch begins and at which the next one does."""
    start, end = c_uint64(), c_uint64()
    call("inkling_epoch_bounds", epoch, byref(start), byref(end))
    return start.value, end.value


def epoch_on_air(epoch: int, minutes: int) -> int:
    """The epoch whose minor and tag are on air when they change every 15, 30 or 60 minutes."""
    on_air = c_uint32()
    call("inkling_epoch_on_air", epoch, minutes, byref(on_air))
    return on_air.value


def epochs_observed(unix_seconds: int, skew_seconds: int = 120) -> list[int]:
    """The epochs whose identifiers count at a moment when clocks may differ by so many seconds, 0 to 450."""
    epochs, count = array_of(c_uint32, [0] * 3), c_size_t()
    call("inkling_epochs_observed", unix_seconds, skew_seconds, epochs, byref(count))
    return list(epochs[: count.value])


@dataclass(frozen=True)
class Shown:
    """What one device shows in one epoch."""

    minor: int
    """The minor of the beacon; it collides, and names nobody."""
    tag: bytes
    """The recognition tag, 16 bytes."""
    name: str
    """The instance name on the local network, 32 digits."""
    host: str
    """The host name without the domain, 32 digits."""


    @staticmethod
    def _read(values: Values) -> Shown:
        return Shown(values.minor, bytes(values.tag), values.name_text.decode(), values.host_text.decode())


class PeriodKey(Object):
    """The key of one hour: enough for its four epochs, and nothing about other hours follows from it."""

    def __init__(self, key: bytes, hour: int):
        """The key from its 32 bytes."""
        super().__init__(lambda out: call("inkling_period_key_new", key, len(key), hour, out))

    def shown(self, device: int, epoch: int) -> Shown:
        """What a device, 0 to 15, shows in an epoch of the hour."""
        values = Values()
        call("inkling_period_key_values", self._handle, device, epoch, byref(values))
        return Shown._read(values)


class Tree(Sealable):
    """The keys of one audience, for an interval of hours."""

    def __init__(self, root: bytes | None = None):
        """The whole tree under a root of 32 random bytes; under a new one without."""
        if root is None:
            super().__init__(lambda out: call("inkling_tree_random", out))
        else:
            super().__init__(lambda out: call("inkling_tree_new", root, len(root), out))

    def shown(self, device: int, epoch: int) -> Shown:
        """What a device, 0 to 15, shows in an epoch."""
        values = Values()
        call("inkling_tree_values", self._handle, device, epoch, byref(values))
        return Shown._read(values)

    @classmethod
    def of_pair(cls, own_presence: bytes, peer_presence: bytes, advertising: bool) -> Tree:
        """The pair audience of two users, by the own private presence key and the peer's public one: the tree under
        which the owner of the private key shows itself, or that of the peer; raises Refused."""
        return cls._made(
            lambda out: refusing(
                "inkling_tree_of_pair", own_presence, len(own_presence), peer_presence, len(peer_presence),
                int(advertising), out))

    def period_key(self, hour: int) -> PeriodKey:
        """The key of one hour."""
        return PeriodKey._made(lambda out: call("inkling_period_key_of_tree", self._handle, hour, out))

    @property
    def hours(self) -> range:
        """The hours whose keys are held."""
        first, last = c_uint32(), c_uint32()
        call("inkling_tree_hours", self._handle, byref(first), byref(last))
        return range(first.value, last.value + 1)

    def part(self, hours: range) -> Tree:
        """The part of the tree for these hours, as a tree of its own."""
        return Tree._made(lambda out: call("inkling_tree_part", self._handle, hours.start, hours.stop - 1, out))

    def forget(self, before_hour: int) -> None:
        """Forgets every hour before this one."""
        call("inkling_tree_forget", self._handle, before_hour)
