"""Everything that `inkling` exports. Importing this module opens the C library."""

from . import transports
from ._abi import InklingError, Refused, open_handles, use_randomness
from .advertising import Advertisement, Identifier, beacon, read_advertisement, service
from .delivery import (
    Deliver, Drop, End, Enqueue, Forget, LastText, Load, Message, Receipt, Refuse, Send, Store, Stream, Sync, SyncEffect,
    SyncEvent, SyncStored,
)
from .handshakes import Call, Context, ReplayEntry, Request, RequestFacts, Responder
from .invitations import Inviter, Invitation, Joiner, PendingJoiner
from .keys import PeriodKey, Shown, Tree, epoch_at, epoch_bounds, epoch_on_air, epochs_observed
from .links import Link, Transport, gatt_values, tcp_bytes
from .people import Card, Device, DeviceKey, Grant, Identity, Reader, Roster, Secret
from .recognition import (
    Arrived, Confirm, Contested, Effect, Engine, Expected, Failure, Left, Now, Observed, Outside, Presence, ReadTag,
    Replayed, StateChanged, Technology, Wake,
)
from .rotation import Do, Happening, Rotation, Turn
from .sessions import (
    GrantReport, Introduction, Record, Session, SessionFacts, Use, later_stays,
)
from .vectors import Difference, verify_vectors

__all__ = [
    "Advertisement", "Arrived", "Call", "Card", "Confirm", "Contested", "Context", "Deliver", "Device",
    "DeviceKey", "Difference", "Do", "Drop", "Effect", "End", "Enqueue", "Engine", "Expected", "Failure", "Forget", "Grant", "Happening", "GrantReport", "Inviter",
    "Identifier", "Identity", "InklingError", "Introduction", "Invitation", "Joiner", "LastText", "Left", "Link", "Load", "Message", "Now", "Observed",
    "Outside", "PeriodKey", "Presence", "ReadTag", "Reader", "Receipt", "Record", "Refuse", "Refused", "Replayed", "ReplayEntry", "Request",
    "RequestFacts", "Responder", "Roster", "Rotation", "Secret", "Send", "Session", "SessionFacts", "Shown", "StateChanged",
    "Store", "Stream", "Sync", "SyncEffect", "SyncEvent", "SyncStored",
    "Technology", "Transport", "Tree", "Turn", "Use", "PendingJoiner", "Wake", "beacon", "epoch_at", "epoch_bounds", "epoch_on_air",
    "epochs_observed", "gatt_values", "later_stays", "open_handles", "read_advertisement",
    "service", "tcp_bytes", "transports", "use_randomness", "verify_vectors",
]
