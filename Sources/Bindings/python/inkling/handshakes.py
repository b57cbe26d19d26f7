"""The confirm handshake with a recognised device of a contact: the calling and the answering side."""

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
    """The identifiers of a device on a transport in an epoch, with the secrets for the handshake."""

    def __init__(self, tree: Tree, device: int, epoch: int, transport: Transport):
        """Derives them from the device's own tree, or from the tree through which it was recognised.

        `epoch` is that of the identifier that was seen.
        """
        super().__init__(lambda out: call("inkling_context_new", tree._handle, device, epoch, transport, out))


class Call(Object):
    """A call to a recognised device."""

    def __init__(self, context: Context, device_key: DeviceKey, responder: bytes, introduction: Introduction):
        """Prepares a call. `responder` is the device's public key, from a certificate that is valid now."""
        super().__init__(
            lambda out: refusing(
                "inkling_call_new", context._handle, device_key._handle, responder, len(responder),
                byref(introduction._structure()), out))

    @property
    def packet(self) -> bytes:
        """The packet to send."""
        return bytes_of(lambda *out: call("inkling_call_packet", self._handle, *out))

    def receive(self, packet: bytes, pairwise: Secret) -> Session:
        """Takes the reply, which proves that the contact's device is near. Uses up the call; raises Refused."""
        return Session._made(
            lambda out: refusing("inkling_call_receive", self._handle, packet, len(packet), pairwise._handle, out))


@dataclass(frozen=True)
class ReplayEntry:
    """A first message that was accepted; write it to stable storage before sending the reply."""

    epoch: int
    ephemeral: bytes


@dataclass(frozen=True)
class RequestFacts:
    """The contents of a call from a contact, or from someone who has stolen this device's key: show none of it to the
    user yet."""

    transport: Transport
    introduction: Introduction
    entry: ReplayEntry
    peer_key: bytes
    device: int


class Request(Object):
    """A call that was accepted; reply once its entry is stored."""

    @property
    def facts(self) -> RequestFacts:
        """The contents of the call."""
        facts = _abi.RequestFacts()
        call("inkling_request_facts_of", self._handle, byref(facts))
        return RequestFacts(
            Transport(facts.transport), Introduction._read(facts.introduction),
            ReplayEntry(facts.entry.epoch, bytes(facts.entry.ephemeral)), bytes(facts.peer_key), facts.device)

    def reply(self, introduction: Introduction) -> Session:
        """Creates the reply, which is the packet of the session. Uses up the request."""
        return Session._made(
            lambda out: refusing("inkling_request_reply", self._handle, byref(introduction._structure()), out))


class Responder(Object):
    """Decides which calls to accept."""

    def __init__(self, entries: Iterable[ReplayEntry] = ()):
        """Creates a responder with the entries that an earlier run stored."""
        stored = array_of(
            _abi.ReplayEntry, [_abi.ReplayEntry(entry.epoch, array_of(ctypes.c_uint8, entry.ephemeral)) for entry in entries])
        super().__init__(lambda out: call("inkling_responder_new", stored, len(stored), out))

    def forget(self, before_epoch: int) -> None:
        """Erases the entries of epochs in which calls are no longer accepted."""
        call("inkling_responder_forget", self._handle, before_epoch)

    def receive(
        self, packet: bytes, contexts: Iterable[Context], device_key: DeviceKey, tick: int,
        pairwise_of: Callable[[bytes], Secret | None],
    ) -> Request:
        """Takes a call; raises Refused, and then send nothing.

        `contexts` are what this device shows in the epochs in which it accepts calls. `pairwise_of` receives the public
        key of the calling device and returns the secret shared with its user, or None if no such device may call.
        """
        listed = handles(contexts)
        failures: list[BaseException] = []

        def ask(key: ctypes._Pointer[ctypes.c_uint8], _: int | None) -> int:
            try:
                secret = pairwise_of(bytes(key[:32]))
                return 0 if secret is None else secret._handle
            except BaseException as failure:  # An exception must not pass through C frames.
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
