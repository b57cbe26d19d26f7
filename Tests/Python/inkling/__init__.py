"""Inkling for Python: recognise devices that know each other, by identifiers that nobody else can follow.

A thin, typed layer over the C library. Secrets live inside the library and are wiped there; bytes that are handed in
as secrets (roots, seeds) stay in Python's memory for as long as Python keeps them. An object may be used from any
thread, but not from two at once.
"""

from ._abi import InklingError, Refused, open_handles
from .advertising import Advertisement, beacon, read_advertisement
from .keys import Shown, Tree, epoch_at, epoch_bounds
from .people import Card, DeviceKey, Grant, Identity, Reader, Roster, Secret
from .recognition import (
    Arrived, Confirm, Contested, Effect, Engine, Expected, Failure, Left, Now, Observed, Outside, Presence, ReadTag,
    StateChanged, Wake,
)
from .vectors import Difference, verify_vectors

__all__ = [
    "Advertisement", "Arrived", "Card", "Confirm", "Contested", "DeviceKey", "Difference", "Effect", "Engine",
    "Expected", "Failure", "Grant", "Identity", "InklingError", "Left", "Now", "Observed", "Outside", "Presence",
    "ReadTag", "Reader", "Refused", "Roster", "Secret", "Shown", "StateChanged", "Tree", "Wake", "beacon", "epoch_at",
    "epoch_bounds", "open_handles", "read_advertisement", "verify_vectors",
]
