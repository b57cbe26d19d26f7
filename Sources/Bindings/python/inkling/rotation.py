"""Rotation: when a device shows identifiers, when it is silent, and when it erases keys."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import byref, c_uint32
from dataclasses import dataclass
from enum import IntEnum

from ._abi import InklingError, Object, Status, TurnStructure, call
from .recognition import Now


class Happening(IntEnum):
    """An event that changes what a device shows (Specs/rotation.md)."""

    STARTED = 0
    TIME_ACCEPTED = 1
    TIME_REFUSED = 2
    TIMER_FIRED = 3
    NETWORK_CHANGED = 4
    VISIBLE = 5
    INVISIBLE = 6
    FALLING_ASLEEP = 7
    WOKE_UP = 8
    HIGH_WATER_CLEARED = 10


class Do(IntEnum):
    """The kinds of turns."""

    GO_QUIET = 1
    CLOSE_LINKS = 2
    RETIRE = 3
    FORGET = 4
    PREPARE = 5
    HIGH_WATER = 6
    PUBLISH = 7
    WAKE = 8


@dataclass(frozen=True)
class Turn:
    """What to do, to be completed before the next turn begins. Members that its kind does not use are None.

    `epoch` belongs to RETIRE (all epochs before it), PREPARE, HIGH_WATER (write it to stable storage) and PUBLISH;
    `period` to FORGET (all periods before it); `tick` to WAKE. GO_QUIET withdraws records only with `goodbye`.
    """

    do: Do
    epoch: int | None = None
    period: int | None = None
    tick: int | None = None
    goodbye: bool | None = None


class Rotation(Object):
    """Decides when a device shows the identifiers of which epoch on one transport."""

    def __init__(self, high_water: int | None = None, visible: bool = True):
        """Creates a rotation with the last stored epoch; `visible` says whether there is something to show."""
        stored = None if high_water is None else byref(c_uint32(high_water))
        super().__init__(lambda out: call("inkling_rotation_new", stored, int(visible), out))

    def take(self, event: Happening, now: Now) -> list[Turn]:
        """Reports an event, and returns what to do, in order."""
        call("inkling_rotation_take", self._handle, event, byref(now._structure()))
        return list(self._turns())

    def _turns(self) -> Iterator[Turn]:
        turn = TurnStructure()
        while True:
            call("inkling_rotation_next", self._handle, byref(turn))
            if turn.kind == 0:
                return
            do = Do(turn.kind)
            yield Turn(
                do, epoch=turn.epoch if do in (Do.RETIRE, Do.PREPARE, Do.HIGH_WATER, Do.PUBLISH) else None,
                period=turn.period if do is Do.FORGET else None, tick=turn.tick if do is Do.WAKE else None,
                goodbye=bool(turn.goodbye) if do is Do.GO_QUIET else None)

    @property
    def shown(self) -> int | None:
        """The epoch that is shown now; None during silence."""
        epoch = c_uint32()
        try:
            call("inkling_rotation_shown", self._handle, byref(epoch))
        except InklingError as error:
            if error.status != Status.UNKNOWN:
                raise
            return None
        return epoch.value
