"""Advertising data: building what a beacon sends, and parsing what a scanner heard."""

from __future__ import annotations

from ctypes import byref
from dataclasses import dataclass
from enum import IntEnum
from uuid import UUID

from . import _abi
from ._abi import bytes_of, call, refusing


@dataclass(frozen=True)
class Advertisement:
    """The parts of advertising data that concern Inkling; `minor` is None without an Inkling beacon."""

    minor: int | None
    has_overflow_bit: bool
    has_service: bool


def read_advertisement(data: bytes) -> Advertisement:
    """Parses advertising data; raises Refused if it is malformed."""
    read = _abi.Advertisement()
    refusing("inkling_advertisement_read", data, len(data), byref(read))
    return Advertisement(read.minor if read.is_ours else None, bool(read.has_overflow_bit), bool(read.has_service))


def beacon(minor: int) -> bytes:
    """Returns the 30 bytes of advertising data of a beacon with this minor."""
    return bytes_of(lambda *out: call("inkling_advertisement_of_minor", minor, *out))


def service() -> bytes:
    """Returns the 18 bytes of advertising data that contain the UUID of Inkling's service."""
    return bytes_of(lambda *out: call("inkling_advertisement_of_service", *out))


class Identifier(IntEnum):
    """The UUIDs of Inkling: of beacons, of the GATT service, and of its three characteristics."""

    PROXIMITY = 0
    SERVICE = 1
    TAG = 2
    IN = 3
    OUT = 4

    @property
    def uuid(self) -> UUID:
        """The UUID itself."""
        return UUID(bytes=bytes_of(lambda *out: call("inkling_uuid", self, *out)))
