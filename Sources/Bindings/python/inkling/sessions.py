"""Sessions and their records: what two devices exchange after a handshake."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from ctypes import byref, c_uint8, c_uint32
from dataclasses import dataclass
from enum import IntEnum

from . import _abi
from ._abi import InklingError, Object, Status, bytes_of, call, handles, refusing
from .links import Transport
from .people import Card, Grant, Reader, Roster, Secret


class Use(IntEnum):
    """The purpose of a handshake."""

    CONFIRM = 0
    FIRST_CONTACT = 1
    DEVICE_LINK = 2


class Record(IntEnum):
    """The types of records (Specs/records.md)."""

    HELLO = 0x01
    CARD = 0x02
    GRANT = 0x03
    CLOSE = 0x04
    OFFER = 0x05
    STATE = 0x06
    ACCEPT = 0x08
    DECLINE = 0x09
    MESSAGE = 0x10
    RECEIPT = 0x11
    STREAM = 0x12


@dataclass(frozen=True)
class Introduction:
    """What each side tells the other in a confirm handshake: the transports over which the sender can be reached, the
    highest generation of the receiver's grants that the sender holds (0 for none), and the sender's clock as a hint."""

    transports: frozenset[Transport] = frozenset()
    generation: int = 0
    unix_milliseconds: int = 0

    def _structure(self) -> _abi.Introduction:
        return _abi.Introduction(
            transports=Transport.bits(self.transports), generation=self.generation,
            unix_milliseconds=self.unix_milliseconds)

    @staticmethod
    def _read(structure: _abi.Introduction) -> Introduction:
        return Introduction(
            Transport.of_bits(structure.transports), structure.generation, structure.unix_milliseconds)


@dataclass(frozen=True)
class SessionFacts:
    """The state of a session; the serials are None until the peer's HELLO is received."""

    called: bool
    """Whether this device sent the first message of the handshake."""
    use: Use
    introduction: Introduction
    is_confirmed: bool
    """Whether the session is confirmed: the peer has proved that it is there."""
    is_ended: bool
    own_serial: int | None
    """The serial of the peer's own card."""
    peer_serial: int | None
    """The serial of this user's card that the peer holds."""
    peer_key: bytes


@dataclass(frozen=True)
class GrantReport:
    """A grant issued by this user that the peer holds."""

    audience_id: int
    generation: int
    to_period: int


class Session(Object):
    """A session with a device, created by a handshake."""

    @property
    def facts(self) -> SessionFacts:
        """The state of the session."""
        facts = _abi.SessionFacts()
        call("inkling_session_facts_of", self._handle, byref(facts))
        return SessionFacts(
            called=facts.role == 0, use=Use(facts.use), introduction=Introduction._read(facts.introduction),
            is_confirmed=bool(facts.is_confirmed), is_ended=bool(facts.is_ended),
            own_serial=facts.own_serial if facts.has_hello else None,
            peer_serial=facts.peer_serial if facts.has_hello else None, peer_key=bytes(facts.peer_key))

    @property
    def packet(self) -> bytes | None:
        """The last packet of the handshake, on the side that sends it; otherwise None."""
        try:
            return bytes_of(lambda *out: call("inkling_session_packet", self._handle, *out))
        except InklingError as error:
            if error.status != Status.UNKNOWN:
                raise
            return None

    @property
    def card(self) -> Card:
        """The peer's card after a first contact, that of the primary after a device link."""
        return Card._made(lambda out: call("inkling_session_card", self._handle, out))

    @property
    def fingerprint(self) -> str:
        """The text that two users compare after a first contact."""
        return bytes_of(lambda *out: call("inkling_session_fingerprint", self._handle, *out))[:-1].decode()

    @property
    def pairwise(self) -> Secret:
        """The pairwise secret, after a first contact or a device link. Seal and store it for later calls; after a first
        contact, before ACCEPT is sent."""
        return Secret._made(lambda out: call("inkling_session_pairwise", self._handle, out))

    @property
    def grant_reports(self) -> list[GrantReport]:
        """The grants of this user that the peer holds, according to its HELLO."""
        grants: list[GrantReport] = []
        while True:
            held = _abi.GrantReport()
            try:
                call("inkling_session_grant_report", self._handle, len(grants), byref(held))
            except InklingError as error:
                if error.status != Status.UNKNOWN:
                    raise
                return grants
            grants.append(GrantReport(held.audience_id, held.generation, held.to_period))

    def hello(self, own_serial: int, peer_serial: int = 0, grants: Iterable[Grant] = ()) -> bytes:
        """Returns the packet with HELLO, the first record: the serial of this user's card, the serial of the peer's
        card that is held (0 for none), and the grants of the peer that are held."""
        listed = handles(grants)
        return bytes_of(
            lambda *out: refusing(
                "inkling_session_hello", self._handle, own_serial, peer_serial, listed, len(listed), *out))

    def seal(self, type: int, body: bytes = b"") -> bytes:
        """Encrypts a record and returns the next packet to send."""
        return bytes_of(lambda *out: refusing("inkling_session_seal", self._handle, type, body, len(body), *out))

    def seal_grant(self, grant: Grant, roster: Roster) -> bytes:
        """Encrypts a grant, issued by the roster's identity, and returns the next packet to send."""
        return bytes_of(
            lambda *out: refusing("inkling_session_seal_grant", self._handle, grant._handle, roster._handle, *out))

    def receive(self, packet: bytes) -> int:
        """Decrypts the next packet that was received and returns the type of its record; `body` has its contents.

        Raises Refused; the session has then ended. Do not tell the peer.
        """
        type = c_uint8()
        refusing("inkling_session_receive", self._handle, packet, len(packet), byref(type))
        return type.value

    @property
    def body(self) -> bytes:
        """The body of the last record that was received, unless it holds keys."""
        return bytes_of(lambda *out: call("inkling_session_body", self._handle, *out))

    def grant(self, reader: Reader) -> Grant:
        """Reads the grant in the last record that was received; raises Refused."""
        return Grant._made(
            lambda out: refusing(
                "inkling_session_grant", self._handle, reader.issuer, len(reader.issuer), reader.user,
                len(reader.user), reader.period, reader.held_generation, out))

    def end(self) -> None:
        """Ends the session and wipes its keys."""
        call("inkling_session_end", self._handle)


def later_stays(existing_called: bool, later_called: bool, apart: int, own_key: bytes, peer_key: bytes) -> bool:
    """Decides which of two sessions with the same device to keep: True for the later one.

    `existing_called` and `later_called` say whether this device called; `apart` is the time between their first
    records, in milliseconds; the keys are the public keys of both devices (Specs/handshake.md).
    """
    stays = c_uint32()
    call(
        "inkling_session_later_stays", int(not existing_called), int(not later_called), apart, own_key, len(own_key),
        peer_key, len(peer_key), byref(stays))
    return bool(stays.value)
