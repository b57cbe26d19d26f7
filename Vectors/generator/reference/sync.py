"""Specs/sync.md: numbered texts, what is acknowledged, stored and dropped, and what a session ends for."""

from dataclasses import dataclass, field

from ..tools import steps as scenario
from ..tools.fields import Bytes, Entry, Integer, ListOf, Record, Text, refuse_argument
from ..tools.operations import operation
from ..tools.refusal import Refusal
from .notation import u16, u64

LARGEST = 2**63 - 1
LONGEST = 8_192
MOST_TEXTS = 10_000
MOST_BYTES = 16_777_216
ROOM = 64
IN_TRANSIT = 64
BYTES_IN_TRANSIT = 65_536
LOAD = 16
SESSIONS = 4
DUPLICATES = 1_024
BURST = 8
INTERVAL = 15_000

NUMBER = Integer(1, LARGEST)
COUNT = Integer(0, LARGEST)
TIME = Integer(0, 2**64 - 1)
STREAM = Bytes(8)
ID = Bytes(16)
NOBODY = bytes(16)


def refuse(reason):
    raise Refusal("sync", reason)


# Records


def message_body(number, identifier, written, text):
    return u64(number) + identifier + u64(written) + ("" if text is None else text).encode("utf-8")


def read_message(body):
    if not 32 <= len(body) <= 32 + LONGEST:
        refuse("wrong-length")
    number, identifier, written = int.from_bytes(body[:8], "big"), body[8:24], int.from_bytes(body[24:32], "big")
    if not 1 <= number <= LARGEST or identifier == NOBODY:
        refuse("out-of-range")
    if len(body) == 32:
        return number, identifier, written, None
    try:
        return number, identifier, written, body[32:].decode("utf-8")
    except UnicodeDecodeError:
        refuse("not-utf8")


def receipt_body(last, room):
    stream, number, identifier = last or (bytes(8), 0, NOBODY)
    return stream + u64(number) + identifier + u16(room)


def read_receipt(body):
    if len(body) != 34:
        refuse("wrong-length")
    stream, number, identifier = body[:8], int.from_bytes(body[8:16], "big"), body[16:32]
    room = int.from_bytes(body[32:], "big")
    if room > ROOM or number > LARGEST:
        refuse("out-of-range")
    present = [any(stream), number > 0, any(identifier)]
    if any(present) and not all(present):
        refuse("incomplete")
    return ((stream, number, identifier) if all(present) else None), room


def read_stream(body):
    if len(body) != 16:
        refuse("wrong-length")
    stream, first = body[:8], int.from_bytes(body[8:], "big")
    if not any(stream) or not 1 <= first <= LARGEST:
        refuse("out-of-range")
    return stream, first


def not_zero(*values):
    if any(not any(value) for value in values):
        refuse_argument("out-of-range")


def together(stream, number, identifier):
    """The name of a text, of which either all parts are given or none."""
    parts = (stream, number, identifier)
    if all(part is None for part in parts):
        return None
    if any(part is None for part in parts):
        refuse_argument("missing")
    not_zero(stream, identifier)
    return parts


@operation(
    "message-encode",
    Record(optional=("text",), number=NUMBER, id=ID, writtenAt=TIME, text=Text(1, LONGEST)),
    Record(body=Bytes()),
)
def message_encode(number, id, writtenAt, text=None):
    not_zero(id)
    return {"body": message_body(number, id, writtenAt, text)}


@operation(
    "message-decode",
    Record(body=Bytes()),
    Record(optional=("text",), number=NUMBER, id=ID, writtenAt=TIME, text=Text(1, LONGEST)),
    refusals=[("sync", "wrong-length"), ("sync", "out-of-range"), ("sync", "not-utf8")],
)
def message_decode(body):
    number, identifier, written, text = read_message(body)
    result = {"number": number, "id": identifier, "writtenAt": written}
    return result if text is None else {**result, "text": text}


NAME = {"stream": STREAM, "number": NUMBER, "id": ID}


@operation(
    "receipt-encode",
    Record(optional=tuple(NAME), **NAME, room=Integer(0, ROOM)),
    Record(body=Bytes()),
)
def receipt_encode(room, stream=None, number=None, id=None):
    return {"body": receipt_body(together(stream, number, id), room)}


@operation(
    "receipt-decode",
    Record(body=Bytes()),
    Record(optional=tuple(NAME), **NAME, room=Integer(0, ROOM)),
    refusals=[("sync", "wrong-length"), ("sync", "out-of-range"), ("sync", "incomplete")],
)
def receipt_decode(body):
    last, room = read_receipt(body)
    return {**named(last), "room": room}


def named(last):
    return {} if last is None else dict(zip(("stream", "number", "id"), last))


@operation("stream-encode", Record(stream=STREAM, first=NUMBER), Record(body=Bytes()))
def stream_encode(stream, first):
    not_zero(stream)
    return {"body": stream + u64(first)}


@operation(
    "stream-decode",
    Record(body=Bytes()),
    Record(stream=STREAM, first=NUMBER),
    refusals=[("sync", "wrong-length"), ("sync", "out-of-range")],
)
def stream_decode(body):
    stream, first = read_stream(body)
    return {"stream": stream, "first": first}


# The machine


@dataclass
class Session:
    number: int
    receipt: tuple | None = None  # last, room
    considered: bool = False
    stream: bytes | None = None
    duplicates: int = 0
    halted: bool = False


@dataclass
class Queue:
    base: int
    next: int
    size: int
    unstored: list = field(default_factory=list)  # number, identifier, length

    @property
    def stored(self):
        return (self.unstored[0][0] if self.unstored else self.next) - 1


@dataclass
class Inbox:
    last: tuple | None
    arrivals: int
    taken: int
    size: int


@dataclass
class Device:
    own: bytes  # the stream of this process
    queue: Queue
    inbox: Inbox
    now: int = 0
    effects: list = field(default_factory=list)
    sessions: list = field(default_factory=list)
    # Sending
    active: Session | None = None
    cursor: int = 1
    announced: int = 0
    limit: int = 0
    transit: dict = field(default_factory=dict)  # number: identifier, length
    loading: tuple | None = None  # None as its first part, or the session and the name to compare
    asked: int = 0  # the last text that was requested to be sent
    stale: bool = False
    stalled: bool = False
    tokens: int = BURST
    since: int = 0
    # Receiving
    stream: bytes | None = None
    received: int = 0
    skipped: int = 0
    granted: int = 0
    said: int = 0
    storing: list = field(default_factory=list)  # arrival, name, length

    def __post_init__(self):
        if self.inbox.last:
            self.stream, self.received, _ = self.inbox.last
        self.granted = self.received

    def say(self, effect, **members):
        self.effects.append({"at": self.now, "effect": effect, **members})

    def take(self, event, members):
        getattr(self, "on_" + event.replace("-", "_"))(**members)
        self.proceed()

    def fire(self):
        self.proceed()

    def proceed(self):
        self.consider()
        self.request()

    @property
    def wake(self):
        waiting = self.newest()
        if self.loading or waiting is None or waiting.considered:
            return None
        return self.since + INTERVAL

    # Sessions

    def session(self, number):
        return next((one for one in self.sessions if one.number == number), None)

    def newest(self):
        return next((one for one in reversed(self.sessions) if one.receipt), None)

    def remove(self, session):
        was_newest = bool(self.sessions) and self.sessions[-1] is session
        self.sessions = [one for one in self.sessions if one is not session]
        if self.active is session:
            self.active = None
        if was_newest:
            self.acknowledge_received()

    def end(self, session, reason):
        self.say("end", session=session.number, reason=reason)
        self.remove(session)

    def on_started(self):
        self.deliver(self.inbox.taken)

    def on_opened(self, session):
        if self.session(session):
            return
        if len(self.sessions) == SESSIONS:
            self.end(self.sessions[0], "too-many-sessions")
        self.sessions.append(Session(session))
        self.acknowledge_received()

    def on_closed(self, session):
        found = self.session(session)
        if found:
            self.remove(found)

    # The queue

    def on_queued(self, id, length):
        queue = self.queue
        if not 1 <= length <= LONGEST:
            reason = "wrong-length"
        elif queue.next - 1 - queue.base >= MOST_TEXTS:
            reason = "too-many-texts"
        elif queue.size + length > MOST_BYTES:
            reason = "too-many-bytes"
        elif queue.next >= LARGEST:
            reason = "no-number"
        else:
            queue.unstored.append((queue.next, id, length))
            self.say("enqueue", number=queue.next, id=id)
            queue.next += 1
            queue.size += length
            return
        self.say("refuse", id=id, reason=reason)

    def on_enqueued(self, through):
        self.queue.unstored = [one for one in self.queue.unstored if one[0] > through]

    def on_not_enqueued(self, number):
        failed = [one for one in self.queue.unstored if one[0] >= number]
        self.queue.unstored = [one for one in self.queue.unstored if one[0] < number]
        for one, identifier, length in failed:
            self.say("refuse", id=identifier, reason="not-stored")
            self.queue.size -= min(self.queue.size, length)
        if failed:
            self.queue.next = failed[0][0]

    def on_dropped(self, size):
        self.queue.size -= min(self.queue.size, size)

    def on_withdrawn(self, through):
        queue = self.queue
        if not queue.base < through <= queue.stored:
            return
        if self.active and self.cursor != queue.base + 1:
            return
        self.gone(through)
        self.say("forget", through=through)
        if self.active:
            self.begin(self.active)

    def gone(self, through):
        self.queue.base = through
        self.transit = {number: sent for number, sent in self.transit.items() if number > through}

    def delivered(self, through):
        self.gone(through)
        self.cursor = max(self.cursor, through + 1)
        self.say("drop", through=through)

    # What the other side has

    def on_receipt(self, session, room, stream=None, number=None, id=None):
        found = self.session(session)
        if found is None:
            return
        base = self.queue.base
        counts_from = base if base == self.announced else None
        if stream == self.own:
            if number > base:
                if number not in self.transit:
                    return self.end(found, "not-sent")
                if self.transit[number][0] != id:
                    return self.end(found, "wrong-id")
                self.delivered(number)
            counts_from = max(number, counts_from or 0)
        if not found.considered:
            found.receipt = (None if stream is None else (stream, number, id), room)
        elif counts_from is not None:
            self.limit = max(self.limit, counts_from + room)

    def consider(self):
        session = self.newest()
        if self.loading or session is None:
            return
        if session.considered:
            if self.active is None:
                self.begin(session)
            return
        if not self.may_replay():
            return
        last, room = session.receipt
        # What an earlier process of this device sent, or another copy of it.
        if last and last[0] != self.own and self.queue.base < last[1] <= self.queue.stored:
            self.loading = (session, last)
            self.say("load", first=last[1], last=last[1])
        else:
            self.begin(session, room)

    def may_replay(self):
        gained = max(0, self.now - self.since) // INTERVAL
        if self.tokens + gained >= BURST:
            self.tokens, self.since = BURST, self.now
        else:
            self.tokens += gained
            self.since += gained * INTERVAL
        if self.tokens == 0:
            return False
        self.tokens -= 1
        return True

    # Sending

    def begin(self, session, room=None):
        session.considered = True
        self.active = session
        self.stale = self.loading is not None
        self.stalled = False
        self.announced = self.queue.base
        self.cursor = self.announced + 1
        if room is not None:
            self.limit = self.announced + room
        self.say("send-stream", session=session.number, stream=self.own, first=self.cursor)

    def under_way(self):
        return sum(length for number, (_, length) in self.transit.items() if number < self.cursor)

    def request(self):
        if self.active is None or self.loading or self.stalled:
            return
        last = min(self.queue.stored, self.limit, self.queue.base + IN_TRANSIT, self.cursor + LOAD - 1)
        if self.cursor <= last and self.under_way() < BYTES_IN_TRANSIT:
            self.loading = (None,)
            self.asked = last
            self.stale = False
            self.say("load", first=self.cursor, last=last)

    def on_loaded(self, texts):
        if self.loading is None:
            return
        session, *name = self.loading
        self.loading = None
        if name:
            _, number, identifier = name[0]
            if session not in self.sessions or session.considered:
                return
            # Meanwhile it may have been acknowledged in another session, or withdrawn.
            same = bool(texts) and (texts[0]["number"], texts[0]["id"]) == (number, identifier)
            if same and number > self.queue.base:
                self.delivered(number)
            self.begin(session, session.receipt[1])
            return
        if self.stale or self.active is None:
            return
        if not texts or texts[0]["number"] > self.cursor:
            self.stalled = True
            return
        for text in texts:
            if text["number"] == self.cursor <= self.asked and self.under_way() < BYTES_IN_TRANSIT:
                self.transit[self.cursor] = (text["id"], text["length"])
                self.cursor += 1
                self.say("send-message", session=self.active.number, **text)

    # Receiving

    def repeated(self, session):
        session.duplicates += 1
        if session.duplicates > DUPLICATES:
            self.end(session, "too-many-duplicates")
            return True
        return False

    def on_stream(self, session, stream, first):
        found = self.session(session)
        if found is None or self.repeated(found):
            return
        found.stream = stream
        expected = self.received + 1
        if stream != self.stream:
            later = self.sessions[self.sessions.index(found) + 1 :]
            if any(one.stream for one in later):
                return
            self.stream = stream
            if first < expected:
                self.skipped = 0
        elif first <= expected:
            return
        self.skipped += max(0, first - expected)
        self.received = first - 1
        self.granted = self.received + ROOM

    def on_message(self, session, number, id, length):
        found = self.session(session)
        if found is None:
            return
        if found.stream is None:
            return self.end(found, "unannounced")
        if found.halted:
            return
        if found.stream != self.stream or number <= self.received:
            self.repeated(found)
            return
        if number > self.received + 1:
            return self.end(found, "gap")
        if number > self.granted or self.is_full():
            return self.end(found, "beyond-room")
        arrival = (self.storing[-1][0] if self.storing else self.inbox.arrivals) + 1
        self.storing.append((arrival, (self.stream, number, id), length))
        self.say(
            "store", arrival=arrival, stream=self.stream, number=number, id=id, length=length, skipped=self.skipped
        )
        self.received, self.skipped = number, 0

    def is_full(self):
        untaken = self.inbox.arrivals - self.inbox.taken + len(self.storing)
        return len(self.storing) >= 2 * ROOM or untaken >= MOST_TEXTS + ROOM or self.inbox.size >= MOST_BYTES + ROOM * LONGEST

    def on_stored(self, through):
        done = [one for one in self.storing if one[0] <= through]
        if not done:
            return
        self.storing = self.storing[len(done) :]
        before = self.inbox.arrivals
        self.inbox.arrivals, self.inbox.last, _ = done[-1]
        self.inbox.size += sum(length for _, _, length in done)
        self.acknowledge_received()
        self.deliver(before)

    def on_not_stored(self):
        if not self.storing:
            return
        self.storing, self.skipped = [], 0
        self.stream, self.received = self.inbox.last[:2] if self.inbox.last else (None, 0)
        for session in self.sessions:
            session.halted = True

    def on_taken(self, through, size):
        if not self.inbox.taken < through <= self.inbox.arrivals:
            return
        self.inbox.taken = through
        self.inbox.size -= min(self.inbox.size, size)
        if self.said == 0 and self.room() > 0:
            self.acknowledge_received()

    def deliver(self, before):
        if before < self.inbox.arrivals:
            self.say("deliver", first=before + 1, last=self.inbox.arrivals)

    def room(self):
        untaken = self.inbox.arrivals - self.inbox.taken + len(self.storing)
        size = self.inbox.size + len(self.storing) * LONGEST
        return max(0, min(MOST_TEXTS - untaken, (MOST_BYTES - size) // LONGEST, ROOM - len(self.storing)))

    def acknowledge_received(self):
        if not self.sessions:
            return
        self.granted = max(self.granted, self.received + self.room())
        self.said = min(self.granted - self.received + len(self.storing), ROOM)
        self.say("send-receipt", session=self.sessions[-1].number, **named(self.inbox.last), room=self.said)


SESSION = Integer(0, 2**32 - 1)
LENGTH = Integer(0, LONGEST)
SIZE = Integer(0, 2**53 - 1)
TEXT = Entry(number=NUMBER, id=ID, length=LENGTH)
MEMBERS = {
    "session": SESSION,
    "number": NUMBER,
    "id": ID,
    "length": Integer(0, 2**32 - 1),
    "stream": STREAM,
    "room": Integer(0, ROOM),
    "first": NUMBER,
    "through": COUNT,
    "size": SIZE,
    "texts": ListOf(TEXT, high=64),
}
EVENTS = {
    "started": ((), ()),
    "opened": (("session",), ()),
    "closed": (("session",), ()),
    "message": (("session", "number", "id", "length"), ()),
    "receipt": (("session", "room"), ("stream", "number", "id")),
    "stream": (("session", "stream", "first"), ()),
    "queued": (("id", "length"), ()),
    "enqueued": (("through",), ()),
    "not-enqueued": (("number",), ()),
    "loaded": (("texts",), ()),
    "dropped": (("size",), ()),
    "withdrawn": (("through",), ()),
    "stored": (("through",), ()),
    "not-stored": ((), ()),
    "taken": (("through", "size"), ()),
}
STORED = {
    "base": COUNT,
    "next": NUMBER,
    "queueSize": SIZE,
    "lastStream": STREAM,
    "lastNumber": NUMBER,
    "lastID": ID,
    "arrivals": COUNT,
    "taken": COUNT,
    "inboxSize": SIZE,
}
MAY_LACK = ("lastStream", "lastNumber", "lastID")
EFFECT = {
    "session": SESSION,
    "number": NUMBER,
    "id": ID,
    "length": LENGTH,
    "stream": STREAM,
    "room": Integer(0, ROOM),
    "first": NUMBER,
    "last": NUMBER,
    "reason": Text(),
    "through": NUMBER,
    "arrival": NUMBER,
    "skipped": COUNT,
}


@operation(
    "sync",
    Record(optional=MAY_LACK, stream=STREAM, **STORED, **scenario.arguments(MEMBERS)),
    Record(effects=ListOf(Record(optional=tuple(EFFECT), at=scenario.MOMENT, effect=Text(), **EFFECT))),
    refusals=scenario.REFUSALS,
    events=EVENTS,
)
def sync(
    stream, base, next, queueSize, arrivals, taken, inboxSize, steps, until, lastStream=None, lastNumber=None,
    lastID=None,
):  # fmt: skip
    last = together(lastStream, lastNumber, lastID)
    not_zero(stream)
    if base >= next or taken > arrivals or (last is None) != (arrivals == 0):
        refuse_argument("out-of-range")
    scenario.check(steps, until, EVENTS)
    for step in steps:
        if step["event"] == "receipt":
            together(*(step.get(name) for name in ("stream", "number", "id")))
        not_zero(*(step[name] for name in ("stream", "id") if name in step))
        not_zero(*(text["id"] for text in step.get("texts", ())))
        # A text that is sent or received has a length that it can have; one that is queued may be refused.
        if step["event"] == "message" and step["length"] > LONGEST:
            refuse_argument("out-of-range")
    device = Device(stream, Queue(base, next, queueSize), Inbox(last, arrivals, taken, inboxSize))
    return {"effects": scenario.run(device, steps, until)}
