"""The handshake with a contact's device that was recognised: who calls, and who answers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from ctypes import byref, c_uint64
from dataclasses import dataclass

from . import _abi
from ._abi import PAIRWISE_OF, Object, array_of, bytes_of, call, handles, refusing
from .keys import Tree
from .links import Transport
from .people import DeviceKey, Secret
from .sessions import Introduction, Session


class Context(Object):
    """What one device shows on one transport in one epoch, and the secrets behind it."""

    def __init__(self, tree: Tree, device: int, epoch: int, transport: Transport):
        """By the device's own tree, or by the one through which it was recognised; the epoch is that of the value."""
        super().__init__(lambda out: call("inkling_context_new", tree._handle, device, epoch, transport, out))


class Call(Object):
    """A call to a device that was recognised."""

    def __init__(self, context: Context, device_key: DeviceKey, responder: bytes, introduction: Introduction):
        """Calls by the own key, for the device with this public key out of a certificate that is valid now."""
        super().__init__(
            lambda out: refusing(
                "inkling_call_new", context._handle, device_key._handle, responder, len(responder),
                byref(introduction._structure()), out))

    @property
    def packet(self) -> bytes:
        """What to send."""
        return bytes_of(lambda *out: call("inkling_call_packet", self._handle, *out))

    def receive(self, packet: bytes, pairwise: Secret) -> Session:
        """Takes the answer, which proves the contact's device there; raises Refused. Uses the call up."""
        return Session._made(
            lambda out: refusing("inkling_call_receive", self._handle, packet, len(packet), pairwise._handle, out))


@dataclass(frozen=True)
class ReplayEntry:
    """A first message that was answered: to be on stable storage before the answer leaves."""

    epoch: int
    ephemeral: bytes


@dataclass(frozen=True)
class RequestFacts:
    """What is known of a call that came from a contact, or from a thief of this device's key: show nothing of it."""

    transport: Transport
    introduction: Introduction
    entry: ReplayEntry
    peer_key: bytes
    device: int


class Request(Object):
    """A call that may be answered, once its entry is stored."""

    @property
    def facts(self) -> RequestFacts:
        """What is known of it."""
        facts = _abi.RequestFacts()
        call("inkling_request_facts_of", self._handle, byref(facts))
        return RequestFacts(
            Transport(facts.transport), Introduction._read(facts.introduction),
            ReplayEntry(facts.entry.epoch, bytes(facts.entry.ephemeral)), bytes(facts.peer_key), facts.device)

    def reply(self, introduction: Introduction) -> Session:
        """Answers; the packet to send is that of the session. Uses the request up."""
        return Session._made(
            lambda out: refusing("inkling_request_reply", self._handle, byref(introduction._structure()), out))


class Responder(Object):
    """Decides which calls are answered."""

    def __init__(self, entries: Iterable[ReplayEntry] = ()):
        """With the entries that an earlier run stored."""
        stored = array_of(
            _abi.ReplayEntry, [_abi.ReplayEntry(entry.epoch, array_of(ctypes.c_uint8, entry.ephemeral)) for entry in entries])
        super().__init__(lambda out: call("inkling_responder_new", stored, len(stored), out))

    def forget(self, before_epoch: int) -> None:
        """Forgets the calls of epochs that are not answered any more."""
        call("inkling_responder_forget", self._handle, before_epoch)

    def receive(
        self, packet: bytes, contexts: Iterable[Context], device_key: DeviceKey, tick: int,
        pairwise_of: Callable[[bytes], Secret | None],
    ) -> Request:
        """Takes a call; raises Refused, and then nothing is to be sent.

        `contexts` are what this device shows in the epochs for which it answers. `pairwise_of` gets the public key of
        the calling device and answers the secret shared with its user, or None when nobody who may call has the key.
        """
        listed = handles(contexts)
        failures: list[BaseException] = []

        def ask(key: ctypes._Pointer[ctypes.c_uint8], _: int | None) -> int:
            try:
                secret = pairwise_of(bytes(key[:32]))
                return 0 if secret is None else secret._handle
            except BaseException as failure:  # Nothing may be thrown through the library.
                failures.append(failure)
                return 0

        try:
            return Request._made(
                lambda out: refusing(
                    "inkling_responder_receive", self._handle, packet, len(packet), listed, len(listed),
                    device_key._handle, tick, PAIRWISE_OF(ask), None, out))
        finally:
            if failures:
                raise failures[0]
