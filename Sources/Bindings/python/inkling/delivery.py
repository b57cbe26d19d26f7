"""The delivery of texts: what two devices send, store and drop so that every text arrives once and in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ctypes import byref, c_uint64
from dataclasses import dataclass
from enum import IntEnum

from ._abi import InklingError, MessageStructure, Object, ReceiptStructure, Status, StoredSync, SyncEffectStructure
from ._abi import bytes_of, call, refusing
from .recognition import Now, Wake


@dataclass(frozen=True)
class Message:
    """The body of MESSAGE: a text of 1 to 8,192 bytes in UTF-8 with its number and its identifier of 16 bytes, or None if
    it was withdrawn; and when it was written, in Unix seconds, 0 if unknown."""

    number: int
    id: bytes
    text: str | None
    written_at: int = 0

    def __bytes__(self) -> bytes:
        """The body of the record; raises Refused if a member is out of range."""
        text = (self.text or "").encode()
        return bytes_of(
            lambda *out: refusing("inkling_message_body", byref(self._head()), text, len(text), *out))

    @staticmethod
    def read(body: bytes) -> Message:
        """Parses the body of a record; raises Refused."""
        head = MessageStructure()
        text = bytes_of(
            lambda out, capacity, needed: refusing(
                "inkling_message_read", body, len(body), byref(head), out, capacity, needed))
        return Message(head.number, bytes(head.id), text[:-1].decode() if head.has_text else None, head.written_at)

    def _head(self) -> MessageStructure:
        return MessageStructure(
            has_text=int(self.text is not None), number=self.number, written_at=self.written_at, id=_sixteen(self.id))


@dataclass(frozen=True)
class LastText:
    """The name of a text in receipts: its stream, its number in it, and its identifier of 16 bytes."""

    stream: int
    number: int
    id: bytes


@dataclass(frozen=True)
class Receipt:
    """The body of RECEIPT: the last text that is stored, None before the first, and how many more are taken, 0 to 64."""

    last: LastText | None
    room: int

    def __bytes__(self) -> bytes:
        """The body of the record; raises Refused if a member is out of range."""
        said = ReceiptStructure(room=self.room)
        if self.last:
            said.stream, said.number, said.id = self.last.stream, self.last.number, _sixteen(self.last.id)
        return bytes_of(lambda *out: refusing("inkling_receipt_body", byref(said), *out))

    @staticmethod
    def read(body: bytes) -> Receipt:
        """Parses the body of a record; raises Refused."""
        read = ReceiptStructure()
        refusing("inkling_receipt_read", body, len(body), byref(read))
        return Receipt(LastText(read.stream, read.number, bytes(read.id)) if read.number else None, read.room)


@dataclass(frozen=True)
class Stream:
    """The body of STREAM: the stream in which texts follow in a session, and the number of the first."""

    stream: int
    first: int

    def __bytes__(self) -> bytes:
        """The body of the record; raises Refused if a member is out of range."""
        return bytes_of(lambda *out: refusing("inkling_stream_body", self.stream, self.first, *out))

    @staticmethod
    def read(body: bytes) -> Stream:
        """Parses the body of a record; raises Refused."""
        stream, first = c_uint64(), c_uint64()
        refusing("inkling_stream_read", body, len(body), byref(stream), byref(first))
        return Stream(stream.value, first.value)


@dataclass(frozen=True)
class SyncStored:
    """What is stored about the texts between this device and one other, apart from the texts (Specs/sync.md)."""

    base: int = 0
    """The number of the last text that the queue no longer keeps."""
    next: int = 1
    """The number of the next text."""
    queue_size: int = 0
    """The total length of the texts in the queue, in bytes."""
    last: LastText | None = None
    """The last text that was received."""
    arrivals: int = 0
    """The arrival of that text."""
    taken: int = 0
    """The arrival of the last text that the application has taken."""
    inbox_size: int = 0
    """The total length of the texts that it has not taken, in bytes."""

    def _structure(self) -> StoredSync:
        stored = StoredSync(
            base=self.base, next=self.next, queue_size=self.queue_size, arrivals=self.arrivals, taken=self.taken,
            inbox_size=self.inbox_size)
        if self.last:
            stored.last_stream, stored.last_number = self.last.stream, self.last.number
            stored.last_id = _sixteen(self.last.id)
        return stored


class SyncEvent(IntEnum):
    """An event, and what `number` and `bytes` of `Sync.take` stand for."""

    STARTED = 0
    """The machine has been created, and no other event was reported."""
    OPENED = 1
    """The other side's HELLO has opened in the session `number`, which the caller chooses."""
    CLOSED = 2
    """The session `number` has ended."""
    QUEUED = 3
    """The user writes a text of `bytes` bytes; `Enqueue` or `Refuse` follows."""
    ENQUEUED = 4
    """The texts up to `number` are stored in the queue."""
    NOT_ENQUEUED = 5
    """The texts from `number` on could not be stored."""
    LOADED = 6
    """The texts of `Load` have been given; `Sync.loaded` reports it."""
    DROPPED = 7
    """So many `bytes` of texts have left the queue."""
    WITHDRAWN = 8
    """All texts of the queue up to `number` are withdrawn."""
    STORED = 9
    """The received texts with arrivals up to `number` are stored."""
    NOT_STORED = 10
    """The received texts that were not reported as stored could not be."""
    TAKEN = 11
    """The application has taken the texts with arrivals up to `number`, of `bytes` bytes, and that is stored."""
    TIMER_FIRED = 12
    """The tick of `Wake` has come."""


@dataclass(frozen=True)
class Send:
    """Send a record of this type with this body in a session."""

    session: int
    type: int
    body: bytes


@dataclass(frozen=True)
class End:
    """End a session, without a reply."""

    session: int
    reason: str


@dataclass(frozen=True)
class Enqueue:
    """Store the text that is queued with this number and this identifier, and the number after it as the next one; report
    ENQUEUED or NOT_ENQUEUED."""

    number: int
    id: bytes


@dataclass(frozen=True)
class Refuse:
    """Tell the user that a text is not queued."""

    id: bytes
    reason: str


@dataclass(frozen=True)
class Load:
    """Give the texts with these numbers to `Sync.loaded`."""

    numbers: range


@dataclass(frozen=True)
class Drop:
    """The other device has stored the texts up to this number: drop them, store the number as the base, tell the user, and
    report DROPPED."""

    through: int


@dataclass(frozen=True)
class Forget:
    """Drop withdrawn texts up to this number in the same way; they were not delivered."""

    through: int


@dataclass(frozen=True)
class Store:
    """Store a received text, together with its arrival and its name as the last one, and report STORED or NOT_STORED.

    A text whose identifier is that of a text which is stored, or is one of the last 256 that were, is not stored again;
    its name and its arrival are. `skipped` numbers before it will not come.
    """

    arrival: int
    last: LastText
    written_at: int
    text: str | None
    skipped: int


@dataclass(frozen=True)
class Deliver:
    """The application may have the stored texts with these arrivals, in order."""

    arrivals: range


SyncEffect = Send | End | Enqueue | Refuse | Load | Drop | Forget | Store | Deliver | Wake


class Sync(Object):
    """Decides what is sent, stored and dropped between this device and one other, over all sessions with it.

    The caller is the store: it carries out the effects in their order, and reports what it has stored. Each process
    creates the machine again from what is stored, and begins with STARTED.
    """

    def __init__(self, stored: SyncStored | None = None):
        """Creates the machine from what is stored; None if nothing was exchanged."""
        structure = None if stored is None else byref(stored._structure())
        super().__init__(lambda out: call("inkling_sync_new", structure, out))

    def take(self, event: SyncEvent, now: Now, *, number: int = 0, bytes: int = 0) -> list[SyncEffect]:
        """Reports an event, and returns what to do, in order."""
        call("inkling_sync_take", self._handle, event, number, bytes, byref(now._structure()))
        return list(self._effects())

    def receive(self, session: int, type: int, body: bytes, now: Now) -> list[SyncEffect]:
        """Reports a MESSAGE, RECEIPT or STREAM that has opened in a session, and returns what to do, in order. Raises
        Refused if it is malformed; end the session then, without a reply."""
        refusing("inkling_sync_receive", self._handle, session, type, body, len(body), byref(now._structure()))
        return list(self._effects())

    def loaded(self, messages: Iterable[Message], now: Now) -> list[SyncEffect]:
        """Gives the texts that `Load` asked for, in the order of their numbers, at most 16; some may be missing."""
        for message in messages:
            text = (message.text or "").encode()
            refusing("inkling_sync_load", self._handle, byref(message._head()), text, len(text))
        return self.take(SyncEvent.LOADED, now)

    def _effects(self) -> Iterator[SyncEffect]:
        effect = SyncEffectStructure()
        while True:
            call("inkling_sync_next", self._handle, byref(effect))
            if effect.kind == 0:
                return
            yield self._effect(effect)

    def _content(self) -> bytes:
        try:
            return bytes_of(lambda *out: call("inkling_sync_content", self._handle, *out))
        except InklingError as error:
            if error.status != Status.UNKNOWN:
                raise
            return b""

    def _effect(self, effect: SyncEffectStructure) -> SyncEffect:
        match effect.kind:
            case 1: return Send(effect.session, effect.record_type, self._content())
            case 2: return End(effect.session, effect.reason.decode())
            case 3: return Enqueue(effect.number, bytes(effect.id))
            case 4: return Refuse(bytes(effect.id), effect.reason.decode())
            case 5: return Load(range(effect.number, effect.last + 1))
            case 6: return Drop(effect.number)
            case 7: return Forget(effect.number)
            case 8:
                text = self._content().decode() if effect.has_text else None
                last = LastText(effect.stream, effect.number, bytes(effect.id))
                return Store(effect.arrival, last, effect.written_at, text, effect.skipped)
            case 9: return Deliver(range(effect.number, effect.last + 1))
            case 10: return Wake(effect.tick)
        raise ValueError(f"unknown kind of effect: {effect.kind}")


def _sixteen(id: bytes) -> tuple[int, ...]:
    """The identifier as the members of an array; one of another length is an error."""
    if len(id) != 16:
        raise ValueError(f"an identifier has 16 bytes, not {len(id)}")
    return tuple(id)
