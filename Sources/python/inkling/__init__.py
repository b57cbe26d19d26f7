"""Inkling for Python: recognise devices that know each other, by identifiers that nobody else can follow.

A thin, typed layer over the C library. Secrets live inside the library and are wiped there; bytes that are handed in
as secrets (roots, seeds) stay in Python's memory for as long as Python keeps them. An object may be used from any
thread, but not from two at once.
"""

from . import transports
from ._abi import InklingError, Refused, open_handles, use_randomness
from .advertising import Advertisement, Identifier, beacon, read_advertisement, service
from .handshakes import Call, Context, ReplayEntry, Request, RequestFacts, Responder
from .invitations import Host, Invitation, Join, Visitor
from .keys import PeriodKey, Shown, Tree, epoch_at, epoch_bounds, epoch_on_air, epochs_observed
from .links import Link, Transport, gatt_values, tcp_bytes
from .people import Card, Device, DeviceKey, Grant, Identity, Reader, Roster, Secret
from .recognition import (
    Arrived, Confirm, Contested, Effect, Engine, Expected, Failure, Left, Now, Observed, Outside, Presence, ReadTag,
    StateChanged, Wake,
)
from .rotation import Do, Happening, Rotation, Turn
from .sessions import (
    HeldGrant, Introduction, Record, Session, SessionFacts, Use, later_stays, message, read_message,
)
from .vectors import Difference, verify_vectors

__all__ = [
    "Advertisement", "Arrived", "Call", "Card", "Confirm", "Contested", "Context", "Device", "DeviceKey",
    "Difference", "Do", "Effect", "Engine", "Expected", "Failure", "Grant", "Happening", "HeldGrant", "Host",
    "Identifier", "Identity", "InklingError", "Introduction", "Invitation", "Join", "Left", "Link", "Now", "Observed",
    "Outside", "PeriodKey", "Presence", "ReadTag", "Reader", "Record", "Refused", "ReplayEntry", "Request",
    "RequestFacts", "Responder", "Roster", "Rotation", "Secret", "Session", "SessionFacts", "Shown", "StateChanged",
    "Transport", "Tree", "Turn", "Use", "Visitor", "Wake", "beacon", "epoch_at", "epoch_bounds", "epoch_on_air",
    "epochs_observed", "gatt_values", "later_stays", "message", "open_handles", "read_advertisement", "read_message",
    "service", "tcp_bytes", "transports", "use_randomness", "verify_vectors",
]
