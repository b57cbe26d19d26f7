"""Rotation: when a device is silent, when it shows which epoch, and when it forgets."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import byref, c_uint32
from dataclasses import dataclass
from enum import IntEnum

from ._abi import InklingError, Object, Status, TurnStructure, call
from .recognition import Now


class Happening(IntEnum):
    """What happened to a device that shows itself."""

    STARTED = 0
    TIME_ACCEPTED = 1
    TIME_REFUSED = 2
    TIMER_FIRED = 3
    NETWORK_CHANGED = 4
    VISIBLE = 5
    INVISIBLE = 6
    FALLING_ASLEEP = 7
    WOKE_UP = 8
    NAME_CONFLICT = 9
    HIGH_WATER_CLEARED = 10


class Do(IntEnum):
    """What the caller must do."""

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
    """One thing to do, before the next begins; what its kind does not name is None.

    The epoch is for RETIRE (all before it), PREPARE, HIGH_WATER (to be stored durably) and PUBLISH, the hour for FORGET
    (all before it), the tick for WAKE; GO_QUIET withdraws records only with `goodbye`.
    """

    do: Do
    epoch: int | None = None
    hour: int | None = None
    tick: int | None = None
    goodbye: bool | None = None


class Rotation(Object):
    """Decides for one link technology what is shown when."""

    def __init__(self, high_water: int | None = None, visible: bool = True):
        """A machine at rest, with the epoch that was stored last."""
        stored = None if high_water is None else byref(c_uint32(high_water))
        super().__init__(lambda out: call("inkling_rotation_new", stored, int(visible), out))

    def take(self, event: Happening, now: Now) -> list[Turn]:
        """Takes an event: what is to be done, in order."""
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
                hour=turn.hour if do is Do.FORGET else None, tick=turn.tick if do is Do.WAKE else None,
                goodbye=bool(turn.goodbye) if do is Do.GO_QUIET else None)

    @property
    def shown(self) -> int | None:
        """The epoch that is shown now; None in silence."""
        epoch = c_uint32()
        try:
            call("inkling_rotation_shown", self._handle, byref(epoch))
        except InklingError as error:
            if error.status != Status.UNKNOWN:
                raise
            return None
        return epoch.value
