"""Advertising data: what a beacon sends, and what was heard."""

from __future__ import annotations

from ctypes import byref
from dataclasses import dataclass
from enum import IntEnum
from uuid import UUID

from . import _abi
from ._abi import bytes_of, call, refusing


@dataclass(frozen=True)
class Advertisement:
    """What advertising data says; `minor` is None without a beacon of ours."""

    minor: int | None
    has_overflow_bit: bool
    has_service: bool


def read_advertisement(data: bytes) -> Advertisement:
    """Reads advertising data; raises Refused for what is malformed."""
    read = _abi.Advertisement()
    refusing("inkling_advertisement_read", data, len(data), byref(read))
    return Advertisement(read.minor if read.is_ours else None, bool(read.has_overflow_bit), bool(read.has_service))


def beacon(minor: int) -> bytes:
    """The 30 bytes that a beacon with this minor advertises."""
    return bytes_of(lambda *out: call("inkling_advertisement_of_minor", minor, *out))


def service() -> bytes:
    """The 18 bytes of advertising data that name the project's service."""
    return bytes_of(lambda *out: call("inkling_advertisement_of_service", *out))


class Identifier(IntEnum):
    """What the project's UUIDs are for: beacons, the GATT service, and its three characteristics."""

    PROXIMITY = 0
    SERVICE = 1
    TAG = 2
    IN = 3
    OUT = 4

    @property
    def uuid(self) -> UUID:
        """The UUID."""
        return UUID(bytes=bytes_of(lambda *out: call("inkling_uuid", self, *out)))
