"""Time, the keys of an audience, and the identifiers derived from them."""

from __future__ import annotations

from ctypes import byref, c_size_t, c_uint32, c_uint64
from dataclasses import dataclass

from ._abi import Object, Sealable, Values, array_of, call, refusing


def epoch_at(unix_seconds: int) -> int:
    """Returns the epoch, a step of 900 s of Unix time, that contains a moment."""
    epoch = c_uint32()
    call("inkling_epoch_at", unix_seconds, byref(epoch))
    return epoch.value


def epoch_bounds(epoch: int) -> tuple[int, int]:
    """Returns the Unix seconds at which an epoch and the next one begin."""
    start, end = c_uint64(), c_uint64()
    call("inkling_epoch_bounds", epoch, byref(start), byref(end))
    return start.value, end.value


def epoch_on_air(epoch: int, minutes: int) -> int:
    """Returns the epoch whose minor and tag are shown during `epoch` if they change every 15, 30 or 60 minutes."""
    on_air = c_uint32()
    call("inkling_epoch_on_air", epoch, minutes, byref(on_air))
    return on_air.value


def epochs_observed(unix_seconds: int, skew_seconds: int = 120) -> list[int]:
    """Returns the epochs whose identifiers count at a moment, if clocks differ by at most `skew_seconds`, 0 to 450."""
    epochs, count = array_of(c_uint32, [0] * 3), c_size_t()
    call("inkling_epochs_observed", unix_seconds, skew_seconds, epochs, byref(count))
    return list(epochs[: count.value])


@dataclass(frozen=True)
class Shown:
    """The identifiers that a device shows in an epoch."""

    minor: int
    """The minor of the beacon. Minors collide: a minor identifies no one."""
    tag: bytes
    """The recognition tag, 16 bytes."""
    name: str
    """The instance name on the local network, 32 hexadecimal digits."""
    host: str
    """The host name without the domain, 32 hexadecimal digits."""


    @staticmethod
    def _read(values: Values) -> Shown:
        return Shown(values.minor, bytes(values.tag), values.name_text.decode(), values.host_text.decode())


class PeriodKey(Object):
    """The key of one period, which suffices for its four epochs and reveals nothing about other periods."""

    def __init__(self, key: bytes, period: int):
        """Creates the key of a period from its 32 bytes."""
        super().__init__(lambda out: call("inkling_period_key_new", key, len(key), period, out))

    def shown(self, device: int, epoch: int) -> Shown:
        """Returns the identifiers of a device, 0 to 15, in an epoch of the period."""
        values = Values()
        call("inkling_period_key_values", self._handle, device, epoch, byref(values))
        return Shown._read(values)


class Tree(Sealable):
    """The keys of an audience for an interval of periods: an audience tree."""

    def __init__(self, root: bytes | None = None):
        """Creates the whole tree of a root of 32 random bytes; without `root`, of a new random one."""
        if root is None:
            super().__init__(lambda out: call("inkling_tree_random", out))
        else:
            super().__init__(lambda out: call("inkling_tree_new", root, len(root), out))

    def shown(self, device: int, epoch: int) -> Shown:
        """Returns the identifiers of a device, 0 to 15, in an epoch."""
        values = Values()
        call("inkling_tree_values", self._handle, device, epoch, byref(values))
        return Shown._read(values)

    @classmethod
    def of_pair(cls, own_presence: bytes, peer_presence: bytes, advertising: bool) -> Tree:
        """Derives a tree of the pair audience of two users from one user's private presence key and the other's public
        one: with `advertising` the tree of the first user, otherwise that of the second. Raises Refused."""
        return cls._made(
            lambda out: refusing(
                "inkling_tree_of_pair", own_presence, len(own_presence), peer_presence, len(peer_presence),
                int(advertising), out))

    def period_key(self, period: int) -> PeriodKey:
        """Returns the key of one period."""
        return PeriodKey._made(lambda out: call("inkling_period_key_of_tree", self._handle, period, out))

    @property
    def periods(self) -> range:
        """The periods whose keys are held."""
        first, last = c_uint32(), c_uint32()
        call("inkling_tree_periods", self._handle, byref(first), byref(last))
        return range(first.value, last.value + 1)

    def part(self, periods: range) -> Tree:
        """Creates a tree that covers only these periods."""
        return Tree._made(lambda out: call("inkling_tree_part", self._handle, periods.start, periods.stop - 1, out))

    def forget(self, before_period: int) -> None:
        """Erases the keys of all periods before `before_period`."""
        call("inkling_tree_forget", self._handle, before_period)
