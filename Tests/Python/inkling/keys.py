"""Time, and the keys of an audience with what is derived of them."""

from __future__ import annotations

from ctypes import byref, c_uint32, c_uint64
from dataclasses import dataclass

from ._abi import Object, Values, call


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


class Tree(Object):
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
        return Shown(values.minor, bytes(values.tag), values.name_text.decode(), values.host_text.decode())

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
