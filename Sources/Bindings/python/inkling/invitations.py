"""Invitations, and the two sides of a first contact or a device link: the inviter and the joiner."""

from __future__ import annotations

from collections.abc import Iterable
from ctypes import byref, c_uint32

from . import _abi
from ._abi import Object, bytes_of, call, refusing
from .handshakes import Responder
from .keys import Tree
from .links import Transport
from .people import Card, DeviceKey
from .sessions import Session, Use


class Invitation(Object):
    """A one-time secret and a commitment to a card, shown to one reader."""

    def __init__(self, card: Card, transports: Iterable[Transport], minutes: int, unix_seconds: int):
        """Creates an invitation to the owner of a card, valid for 1 to 10 minutes."""
        bits = Transport.bits(frozenset(transports))
        super().__init__(lambda out: call("inkling_invitation_new", card._handle, bits, minutes, unix_seconds, out))

    @classmethod
    def read(cls, text: str, unix_seconds: int) -> Invitation:
        """Reads the text of an invitation; raises Refused."""
        encoded = text.encode()
        return cls._made(
            lambda out: refusing("inkling_invitation_read_text", encoded, len(encoded), unix_seconds, out))

    def _facts(self) -> _abi.InvitationFacts:
        facts = _abi.InvitationFacts()
        call("inkling_invitation_facts_of", self._handle, byref(facts))
        return facts

    @property
    def transports(self) -> frozenset[Transport]:
        """The transports over which the inviter can be reached."""
        return Transport.of_bits(self._facts().transports)

    @property
    def expiry_minute(self) -> int:
        """When the invitation expires, in minutes of Unix time."""
        return int(self._facts().expiry_minute)

    @property
    def commitment(self) -> bytes:
        """The hash that the inviter's card must have, 16 bytes."""
        return bytes(self._facts().commitment)

    @property
    def text(self) -> str:
        """The text to show to one reader. It is secret, and the only secret that the library returns unsealed."""
        return bytes_of(lambda *out: call("inkling_invitation_text", self._handle, *out))[:-1].decode()

    @property
    def tree(self) -> Tree:
        """The audience tree under which the inviter advertises, as device 0."""
        return Tree._made(lambda out: call("inkling_invitation_tree", self._handle, out))


class PendingJoiner(Object):
    """A joiner whose first message was authentic."""

    @property
    def packet(self) -> bytes:
        """The reply to send."""
        return bytes_of(lambda *out: call("inkling_pending_joiner_packet", self._handle, *out))


class Inviter(Object):
    """An open invitation; a device has one at a time."""

    def __init__(self, invitation: Invitation, card: Card, use: Use = Use.FIRST_CONTACT, attempts: bytes = b""):
        """Opens the invitation that commits to `card`, also again after a restart with the stored `attempts`."""
        super().__init__(
            lambda out: call(
                "inkling_inviter_new", invitation._handle, use, card._handle, attempts, len(attempts), out))

    def is_open(self, unix_milliseconds: int) -> bool:
        """Returns whether the invitation can still be used."""
        is_open = c_uint32()
        call("inkling_inviter_is_open", self._handle, unix_milliseconds, byref(is_open))
        return bool(is_open.value)

    def receive(
        self, packet: bytes, transport: Transport, device_key: DeviceKey, responder: Responder, tick: int,
        unix_milliseconds: int,
    ) -> PendingJoiner:
        """Takes a joiner's first message, which counts against the attempt budget of `responder`.

        Raises Refused; send nothing then.
        """
        return PendingJoiner._made(
            lambda out: refusing(
                "inkling_inviter_receive", self._handle, packet, len(packet), transport, device_key._handle,
                responder._handle, tick, unix_milliseconds, out))

    @property
    def attempts(self) -> bytes:
        """The attempts so far, 32 bytes for each joiner with an authentic first message; store them before replying."""
        return bytes_of(lambda *out: call("inkling_inviter_attempts", self._handle, *out))

    def complete(self, pending_joiner: PendingJoiner, packet: bytes, unix_milliseconds: int) -> Session:
        """Takes a joiner's last message, which uses up the invitation; raises Refused.

        Show the session's card and fingerprint to the user, and send nothing until the user agrees.
        """
        return Session._made(
            lambda out: refusing(
                "inkling_inviter_complete", self._handle, pending_joiner._handle, packet, len(packet), unix_milliseconds,
                out))


class Joiner(Object):
    """A join that this device starts with an invitation."""

    def __init__(self, invitation: Invitation, transport: Transport, device_key: DeviceKey, card: Card | None):
        """Prepares to become a contact, with this user's `card`, or without one a device of the inviter's user."""
        use = Use.DEVICE_LINK if card is None else Use.FIRST_CONTACT
        super().__init__(
            lambda out: refusing(
                "inkling_joiner_new", invitation._handle, use, card._handle if card else 0, transport,
                device_key._handle, out))

    @property
    def packet(self) -> bytes:
        """The packet to send."""
        return bytes_of(lambda *out: call("inkling_joiner_packet", self._handle, *out))

    def receive(self, packet: bytes, unix_milliseconds: int) -> Session:
        """Takes the inviter's reply with its card; raises Refused. Then send the packet of the session."""
        return Session._made(
            lambda out: refusing(
                "inkling_joiner_receive", self._handle, packet, len(packet), unix_milliseconds, out))
