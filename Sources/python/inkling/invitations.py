"""Meeting somebody new: an invitation, the one who opens it and the one who uses it."""

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
    """A one-time secret and the promise of a card, carried from one screen to one reader."""

    def __init__(self, card: Card, transports: Iterable[Transport], minutes: int, unix_seconds: int):
        """Opens an invitation to the owner of a card that lives 1 to 10 minutes."""
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
        """How the inviter can be reached."""
        return Transport.of_bits(self._facts().transports)

    @property
    def expiry_minute(self) -> int:
        """The first minute of Unix time in which it is dead."""
        return int(self._facts().expiry_minute)

    @property
    def commitment(self) -> bytes:
        """What the inviter's card must hash to, 16 bytes."""
        return bytes(self._facts().commitment)

    @property
    def text(self) -> str:
        """The text to be shown to one reader, who can use it: a secret, and the only one that comes out."""
        return bytes_of(lambda *out: call("inkling_invitation_text", self._handle, *out))[:-1].decode()

    @property
    def tree(self) -> Tree:
        """The audience under which the inviter can be found, as device 0."""
        return Tree._made(lambda out: call("inkling_invitation_tree", self._handle, out))


class PendingJoiner(Object):
    """A joiner that uses our invitation and was answered."""

    @property
    def packet(self) -> bytes:
        """The answer to send."""
        return bytes_of(lambda *out: call("inkling_pending_joiner_packet", self._handle, *out))


class Inviter(Object):
    """The one invitation that a device has open."""

    def __init__(self, invitation: Invitation, card: Card, use: Use = Use.FIRST_CONTACT, attempts: bytes = b""):
        """Opens the invitation that announced the card, or opens it again with the attempts that were stored."""
        super().__init__(
            lambda out: call(
                "inkling_inviter_new", invitation._handle, use, card._handle, attempts, len(attempts), out))

    def is_open(self, unix_milliseconds: int) -> bool:
        """Whether somebody could still use it."""
        is_open = c_uint32()
        call("inkling_inviter_is_open", self._handle, unix_milliseconds, byref(is_open))
        return bool(is_open.value)

    def receive(
        self, packet: bytes, transport: Transport, device_key: DeviceKey, responder: Responder, tick: int,
        unix_milliseconds: int,
    ) -> PendingJoiner:
        """Takes a joiner's first message, on the responder's budget; raises Refused: send nothing then."""
        return PendingJoiner._made(
            lambda out: refusing(
                "inkling_inviter_receive", self._handle, packet, len(packet), transport, device_key._handle,
                responder._handle, tick, unix_milliseconds, out))

    @property
    def attempts(self) -> bytes:
        """The joiners whose first message was authentic, 32 bytes each: to be stored before an answer leaves."""
        return bytes_of(lambda *out: call("inkling_inviter_attempts", self._handle, *out))

    def complete(self, pending_joiner: PendingJoiner, packet: bytes, unix_milliseconds: int) -> Session:
        """Takes a joiner's last message, which uses the invitation up; raises Refused.

        Show the session's card and fingerprint to the user, and send nothing but after a yes.
        """
        return Session._made(
            lambda out: refusing(
                "inkling_inviter_complete", self._handle, pending_joiner._handle, packet, len(packet), unix_milliseconds,
                out))


class Joiner(Object):
    """Our use of somebody's invitation."""

    def __init__(self, invitation: Invitation, transport: Transport, device_key: DeviceKey, card: Card | None):
        """Becomes a contact with the own card, or without one a device of the inviter's user."""
        use = Use.DEVICE_LINK if card is None else Use.FIRST_CONTACT
        super().__init__(
            lambda out: refusing(
                "inkling_joiner_new", invitation._handle, use, card._handle if card else 0, transport,
                device_key._handle, out))

    @property
    def packet(self) -> bytes:
        """What to send."""
        return bytes_of(lambda *out: call("inkling_joiner_packet", self._handle, *out))

    def receive(self, packet: bytes, unix_milliseconds: int) -> Session:
        """Takes the inviter's card; raises Refused. The packet to send is that of the session."""
        return Session._made(
            lambda out: refusing(
                "inkling_joiner_receive", self._handle, packet, len(packet), unix_milliseconds, out))
