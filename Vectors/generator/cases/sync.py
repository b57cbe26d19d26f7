"""Cases for Specs/sync.md."""

import random

from ..reference.sync import (
    BURST, DUPLICATES, EVENTS, INTERVAL, LARGEST, LONGEST, MOST_BYTES, MOST_TEXTS, ROOM, message_body, receipt_body,
)  # fmt: skip
from ..reference.notation import u64
from ..tools.family import Case, Family, argument_refusals, generated
from .lifecycle.steps import INSENSITIVE, argument, effect, refused_steps, step

SPECIFICATION = "Specs/sync.md"
# The streams of this process and of an earlier one, that of the other side, and any other.
OWN, EARLIER, THEIRS, OTHER = ("5" * 16, "a" * 16, "c" * 16, "e" * 16)


def numbers(*requirements):
    return tuple(f"INK-SYN-{number:03}" for number in requirements)


def name(number, course=0):
    """The identifier of a text of this device."""
    return f"{course:02x}{number:030x}"


def text(number, length=5, course=0):
    return {"number": number, "id": name(number, course), "length": length}


# Records


def record_families():
    texts = [
        ("one byte", "a"),
        ("hello", "hello"),
        ("two, three and four bytes for a character", "h\u00e9\u20ac\U0001f4a1"),
        ("the same character composed and decomposed", "\u00e9e\u0301"),
        ("characters that act on a terminal", "\x00\x07\x1b[2J\x7f\u009b"),
        ("a quotation mark, a backslash and a line feed", '"\\\n'),
        ("a byte order mark", "\ufeffa"),
        ("the last character before and the first after the surrogates", "\ud7ff\ue000"),
        ("the last character", "\U0010ffff"),
        ("a text from right to left", "\u05e9\u05dc\u05d5\u05dd"),
    ]
    long = "0123456789abcdef" * (LONGEST // 16)
    valid = {"number": 7, "id": "6" * 32, "writtenAt": 1_785_000_000, "text": "hello"}

    def encoded(comment, flags=(), without=(), **changes):
        args = {key: value for key, value in {**valid, **changes}.items() if key not in without}
        return Case(comment, args, flags, numbers(1, 2))

    writing = [encoded(comment, text=one) for comment, one in texts]
    writing += [
        encoded("a withdrawn text", without=("text",)),
        encoded("number 1", ("boundary",), number=1),
        encoded("the largest number", ("boundary",), number=str(LARGEST)),
        encoded("no time", ("boundary",), writtenAt=0),
        encoded("the largest time", ("boundary",), writtenAt=str(2**64 - 1)),
        encoded("8,192 bytes", ("boundary",), text=long),
        argument(valid, "no text", "wrong-length", text=""),
        argument(valid, "8,193 bytes", "wrong-length", text=long + "x"),
        argument(valid, "8,191 characters of 8,193 bytes", "wrong-length", text=long[:8190] + "\u20ac"),
        argument(valid, "an identifier of zeros", "out-of-range", id="0" * 32),
    ]

    def decoded(operation, comment, body, flags=()):
        return Case(comment, {"body": body.hex()}, flags, numbers(20))

    def refused(comment, body, reason, flags=("refusal",)):
        return Case(comment, {"body": body.hex()}, flags, numbers(20), error=("sync", reason))

    head = u64(7) + generated("identifier of a text", 16) + u64(1_785_000_000)
    reading = [decoded("message", comment, head + one.encode()) for comment, one in texts]
    reading += [
        decoded("message", "a withdrawn text", head),
        decoded("message", "number 1", message_body(1, bytes(15) + b"\1", 0, "hello"), ("boundary",)),
        decoded("message", "the largest number", message_body(LARGEST, b"\xff" * 16, 2**64 - 1, "x"), ("boundary",)),
        decoded("message", "8,192 bytes", head + long.encode(), ("boundary",)),
        refused("no byte", b"", "wrong-length"),
        refused("a head cut short", head[:31], "wrong-length", ("refusal", "boundary")),
        refused("8,193 bytes", head + long.encode() + b"x", "wrong-length", ("refusal", "boundary")),
        refused("number 0", u64(0) + head[8:] + b"x", "out-of-range", ("refusal", "boundary")),
        refused("number 2^63", u64(LARGEST + 1) + head[8:] + b"x", "out-of-range", ("refusal", "boundary")),
        refused("an identifier of zeros", head[:8] + bytes(16) + head[24:] + b"x", "out-of-range"),
    ]
    reading += [
        refused(comment, head + one, "not-utf8")
        for comment, one in (
            ("a continuation byte alone", b"a\x80"),
            ("a first byte at the end", b"a\xc3"),
            ("a character of three bytes cut short", b"\xe2\x82"),
            ("a character of four bytes cut short", b"\xf0\x9f\x92"),
            ("an overlong form of two bytes", b"\xc0\x80"),
            ("an overlong form of three bytes", b"\xe0\x82\xa9"),
            ("an overlong form of four bytes", b"\xf0\x82\x82\xac"),
            ("a surrogate", b"\xed\xa0\x80"),
            ("a value above U+10FFFF", b"\xf4\x90\x80\x80"),
            ("a byte that begins no character", b"\xff"),
            ("a fault in the last of 8,192 bytes", long.encode()[:-1] + b"\x80"),
        )
    ]

    receipt = {"stream": OWN, "number": 7, "id": "6" * 32, "room": 64}
    receipts = [
        Case("the receipt of a text", receipt, (), numbers(21, 22)),
        Case("nothing has been received", {"room": 64}, (), numbers(21, 22)),
        Case("no room", {**receipt, "room": 0}, ("boundary",), numbers(29)),
        Case("the largest number", {**receipt, "number": str(LARGEST)}, ("boundary",), numbers(22)),
        argument(receipt, "a stream of zeros", "out-of-range", stream="0" * 16),
        argument(receipt, "an identifier of zeros", "out-of-range", id="0" * 32),
    ]
    last = (bytes.fromhex(OWN), 7, generated("identifier of a text", 16))
    body = receipt_body(last, 64)
    received = [
        decoded("receipt", "the receipt of a text", body),
        decoded("receipt", "nothing has been received", receipt_body(None, 3)),
        decoded("receipt", "no room", receipt_body(last, 0), ("boundary",)),
        decoded("receipt", "the largest number", receipt_body((last[0], LARGEST, last[2]), 1), ("boundary",)),
        refused("no byte", b"", "wrong-length"),
        refused("a byte too few", body[:-1], "wrong-length", ("refusal", "boundary")),
        refused("a byte too many", body + b"\0", "wrong-length", ("refusal", "boundary")),
        refused("room for 65", receipt_body(last, 65), "out-of-range", ("refusal", "boundary")),
        refused("the largest room", receipt_body(last, 2**16 - 1), "out-of-range"),
        refused("number 2^63", receipt_body((last[0], 2**63, last[2]), 1), "out-of-range", ("refusal", "boundary")),
        refused("a stream alone", last[0] + body[8:8] + bytes(24) + b"\0\1", "incomplete"),
        refused("no stream", bytes(8) + body[8:], "incomplete"),
        refused("no number", body[:8] + bytes(8) + body[16:], "incomplete"),
        refused("no identifier", body[:16] + bytes(16) + body[32:], "incomplete"),
    ]

    announced = {"stream": OWN, "first": 7}
    announcements = [
        Case("a stream", announced, (), numbers(6)),
        Case("from the first text on", {**announced, "first": 1}, ("boundary",), numbers(6)),
        Case("the largest number", {**announced, "first": str(LARGEST)}, ("boundary",), numbers(6)),
        argument(announced, "a stream of zeros", "out-of-range", stream="0" * 16),
    ]
    stream = bytes.fromhex(OWN)
    heard = [
        decoded("stream", "a stream", stream + u64(7)),
        decoded("stream", "from the first text on", stream + u64(1), ("boundary",)),
        decoded("stream", "the largest number", stream + u64(LARGEST), ("boundary",)),
        refused("no byte", b"", "wrong-length"),
        refused("a byte too few", (stream + u64(7))[:-1], "wrong-length", ("refusal", "boundary")),
        refused("a byte too many", stream + u64(7) + b"\0", "wrong-length", ("refusal", "boundary")),
        refused("a stream of zeros", bytes(8) + u64(7), "out-of-range"),
        refused("number 0", stream + u64(0), "out-of-range", ("refusal", "boundary")),
        refused("number 2^63", stream + u64(2**63), "out-of-range", ("refusal", "boundary")),
    ]

    # Without its text a MESSAGE is one that was withdrawn, so that the absence of the argument is no fault.
    absent = [case for case in argument_refusals("message-encode", valid) if case.comment != "text is absent"]
    return [
        Family("message-encode", SPECIFICATION, "Writing the body of MESSAGE.", writing + absent),
        Family(
            "message-decode", SPECIFICATION, "Reading the body of MESSAGE.",
            reading + argument_refusals("message-decode", reading[0].args),
        ),
        Family(
            "receipt-encode", SPECIFICATION, "Writing the body of RECEIPT.",
            receipts + argument_refusals("receipt-encode", receipt),
        ),
        Family(
            "receipt-decode", SPECIFICATION, "Reading the body of RECEIPT.",
            received + argument_refusals("receipt-decode", received[0].args),
        ),
        Family(
            "stream-encode", SPECIFICATION, "Writing the body of STREAM.",
            announcements + argument_refusals("stream-encode", announced),
        ),
        Family(
            "stream-decode", SPECIFICATION, "Reading the body of STREAM.",
            heard + argument_refusals("stream-decode", heard[0].args),
        ),
    ]  # fmt: skip


# The machine

NEW = {
    "stream": OWN, "base": 0, "next": 1, "queueSize": 0, "arrivals": 0, "taken": 0, "inboxSize": 0,
}  # fmt: skip
# Texts 4 to 6 wait; 3 was acknowledged.
WAITING = {**NEW, "base": 3, "next": 7, "queueSize": 15}
# Three texts were received, of which the application has taken two.
RECEIVED = {
    **NEW, "lastStream": THEIRS, "lastNumber": 9, "lastID": name(9), "arrivals": 3, "taken": 2, "inboxSize": 5,
}  # fmt: skip


def scenario(comment, requirements, steps, stored=NEW, effects=None, flags=(), after=10_000):
    return Case(
        comment,
        {**stored, "steps": steps, "until": steps[-1]["at"] + after},
        flags,
        numbers(*requirements),
        result=None if effects is None else {"effects": effects},
    )


def timed(events, at=1_000, every=1_000):
    """Steps of events, each a name or a pair of a name and members; a number lets time pass."""
    steps = []
    for event in events:
        if isinstance(event, int):
            at += event
            continue
        kind, members = (event, {}) if isinstance(event, str) else event
        steps.append(step(at, kind, **members))
        at += every
    return steps


def opened(session=1):
    return "opened", {"session": session}


def receipt(number=None, stream=OWN, session=1, room=ROOM, course=0):
    named = {} if number is None else {"stream": stream, "number": number, "id": name(number, course)}
    return "receipt", {"session": session, "room": room, **named}


def stream(first, session=1, named=THEIRS):
    return "stream", {"session": session, "stream": named, "first": first}


def message(number, session=1, **members):
    return "message", {"session": session, **text(number, **members)}


def queued(number, length=5):
    return "queued", {"id": name(number), "length": length}


def enqueued(number):
    return "enqueued", {"through": number}


def loaded(first, last=None, length=5, course=0):
    return "loaded", {"texts": [text(one, length, course) for one in range(first, (last or first) + 1)]}


def stored(arrival):
    return "stored", {"through": arrival}


def said(at, number=None, room=ROOM, session=1, named=THEIRS):
    last = {} if number is None else {"stream": named, "number": str(number), "id": name(number)}
    return effect(at, "send-receipt", session=session, room=room, **last)


def announced(at, first, session=1, named=OWN):
    return effect(at, "send-stream", session=session, stream=named, first=str(first))


def sent(at, number, length=5, session=1):
    return effect(at, "send-message", session=session, number=str(number), id=name(number), length=length)


def load(at, first, last=None):
    return effect(at, "load", first=str(first), last=str(last or first))


def drop(at, number):
    return effect(at, "drop", through=str(number))


def store(at, arrival, number, length=5, skipped=0, named=THEIRS):
    return effect(
        at, "store", arrival=str(arrival), stream=named, number=str(number), id=name(number), length=length,
        skipped=str(skipped),
    )  # fmt: skip


def sending_cases():
    return [
        scenario(
            "a text is stored before it is sent, and dropped when it was acknowledged",
            (1, 5, 6, 7, 9, 10),
            timed([queued(1), opened(), receipt(), enqueued(1), loaded(1), receipt(1), ("dropped", {"size": 5})]),
            effects=[
                effect(1_000, "enqueue", number="1", id=name(1)), said(2_000), announced(3_000, 1), load(4_000, 1),
                sent(5_000, 1), drop(6_000, 1),
            ],
        ),
        scenario(
            "nothing is sent before the first RECEIPT",
            (5,),
            timed([opened(), queued(7), enqueued(7)]),
            WAITING,
            effects=[said(1_000), effect(2_000, "enqueue", number="7", id=name(7))],
        ),
        scenario(
            "what an earlier process sent and the other side stored is not sent again",
            (6, 7, 9, 12),
            timed([opened(), receipt(4, stream=EARLIER), loaded(4), loaded(5, 6)]),
            WAITING,
            effects=[
                said(1_000), load(2_000, 4), drop(3_000, 4), announced(3_000, 5), load(3_000, 5, 6), sent(4_000, 5),
                sent(4_000, 6),
            ],
        ),
        *[
            scenario(
                comment,
                (6,),
                timed([opened(), receipt(number, stream=stream)]),
                WAITING,
                effects=[said(1_000), announced(2_000, 4), load(2_000, 4, 6)],
                flags=("boundary",),
            )
            for comment, number, stream in (
                ("a receipt of the base in this stream needs no text", 3, OWN),
                ("a receipt of the base in an earlier stream needs no text", 3, EARLIER),
                ("a receiver that is an old copy gets what is left", 2, EARLIER),
                ("a number that this copy of the queue has not given acknowledges nothing", 7, EARLIER),
            )
        ],
        *[
            scenario(
                comment,
                (4, 6, 9),
                timed([opened(), receipt(5, stream=stream, course=course), ("loaded", {"texts": texts})]),
                WAITING,
                effects=[said(1_000), load(2_000, 5), *told, load(3_000, first, 6)],
            )
            for comment, stream, course, texts, told, first in (
                ("another copy of the queue sent a text that this one has, in a stream that it does not know", OTHER, 0,
                 [text(5)], [drop(3_000, 5), announced(3_000, 6)], 6),
                ("another copy of the queue sent another text with this number", EARLIER, 1, [text(5)],
                 [announced(3_000, 4)], 4),
                ("a text that the store lacks is not taken as acknowledged", EARLIER, 0, [], [announced(3_000, 4)], 4),
                ("a store that gives another text than was requested acknowledges nothing", EARLIER, 0, [text(4)],
                 [announced(3_000, 4)], 4),
            )
        ],
        scenario(
            "a text that is acknowledged in another session while it is compared",
            (6, 9, 10),
            timed(
                [opened(), receipt(3), loaded(4, 6), opened(2), receipt(5, session=2, stream=EARLIER), receipt(6),
                 loaded(5)]
            ),
            WAITING,
        ),
        scenario(
            "a receipt that names no text that was sent ends the session",
            (10, 30),
            timed([opened(), receipt(3), loaded(4, 6), receipt(7)]),
            WAITING,
            effects=[
                said(1_000), announced(2_000, 4), load(2_000, 4, 6), *(sent(3_000, one) for one in (4, 5, 6)),
                effect(4_000, "end", session=1, reason="not-sent"),
            ],
        ),
        *[
            scenario(
                comment,
                (10, 30),
                timed([opened(), receipt(number, course=course)]),
                WAITING,
                effects=[said(1_000), effect(2_000, "end", session=1, reason="not-sent")],
            )
            for comment, number, course in (
                ("so does the first one, of a text that waits and was not sent", 4, 0),
                ("so does the first one, of a number that was not given", 7, 0),
            )
        ],
        scenario(
            "a receipt with another identifier ends the session",
            (10, 30),
            timed([opened(), receipt(3), loaded(4, 6), receipt(5, course=1)]),
            WAITING,
            effects=[
                said(1_000), announced(2_000, 4), load(2_000, 4, 6), *(sent(3_000, one) for one in (4, 5, 6)),
                effect(4_000, "end", session=1, reason="wrong-id"),
            ],
        ),
        scenario(
            "a later receipt of what an earlier process sent says nothing",
            (6, 10),
            timed([opened(), receipt(3, stream=EARLIER), receipt(5, stream=EARLIER), loaded(4), loaded(5, 6)]),
            WAITING,
        ),
        scenario(
            "the first receipt of a second session acknowledges what was sent in the first",
            (6, 8, 10),
            timed([opened(), receipt(3), loaded(4, 6), opened(2), receipt(5, session=2), loaded(6)]),
            WAITING,
            effects=[
                said(1_000), announced(2_000, 4), load(2_000, 4, 6), *(sent(3_000, one) for one in (4, 5, 6)),
                said(4_000, session=2), drop(5_000, 5), announced(5_000, 6, session=2), load(5_000, 6),
                sent(6_000, 6, session=2),
            ],
        ),
        scenario(
            "a late receipt says nothing",
            (9, 10),
            timed([opened(), receipt(3), loaded(4, 6), receipt(6), receipt(4), receipt(), receipt(5, stream=OTHER)]),
            WAITING,
        ),
        *[
            scenario(
                f"room for {room}",
                (7, 11),
                timed([opened(), receipt(3, room=room), loaded(4, 6), receipt(4 if room else 3, room=2), loaded(4, 6)]),
                WAITING,
                flags=("boundary",),
            )
            for room in (0, 1, 2)
        ],
        scenario(
            "room for a stream of which nothing was stored counts from the base",
            (11,),
            timed([opened(), receipt(9, stream=OTHER, room=0), receipt(9, stream=OTHER, room=2), loaded(4, 5)]),
            WAITING,
            effects=[
                said(1_000), announced(2_000, 4), load(3_000, 4, 5), sent(4_000, 4), sent(4_000, 5),
            ],
        ),
        scenario(
            "64 texts at most are under way, requested 16 at a time",
            (7,),
            timed(
                [opened(), receipt(), *(loaded(first, first + 15) for first in range(1, 64, 16)), receipt(1), loaded(65)]
            ),
            {**NEW, "next": 101, "queueSize": 500},
            flags=("boundary",),
        ),
        scenario(
            "65,536 bytes under way end it earlier",
            (7,),
            timed([opened(), receipt(), loaded(1, 10, LONGEST), receipt(1), loaded(9, 10, LONGEST)]),
            {**NEW, "next": 11, "queueSize": 10 * LONGEST},
            flags=("boundary",),
        ),
        scenario(
            "a text that the store lacks stops the sending until the next session",
            (7,),
            timed([opened(), receipt(3), ("loaded", {"texts": []}), queued(7), enqueued(7), opened(2), receipt(3, session=2)]),
            WAITING,
        ),
        scenario(
            "texts that were not requested are not sent",
            (7, 11),
            timed([opened(), receipt(3, room=2), loaded(4, 9)]),
            WAITING,
            effects=[said(1_000), announced(2_000, 4), load(2_000, 4, 5), sent(3_000, 4), sent(3_000, 5)],
        ),
        scenario(
            "a withdrawn text is sent without a text",
            (7,),
            timed([opened(), receipt(3), ("loaded", {"texts": [text(4), text(5, 0), text(6)]})]),
            WAITING,
        ),
        scenario(
            "withdrawn texts at the head leave the queue while no session is open",
            (14,),
            timed([("withdrawn", {"through": 5}), ("dropped", {"size": 10}), opened(), receipt(3)]),
            WAITING,
            effects=[
                effect(1_000, "forget", through="5"), said(3_000), announced(4_000, 6), load(4_000, 6),
            ],
        ),
        scenario(
            "withdrawn texts leave the queue in a session in which none was sent, and it is announced again",
            (14,),
            timed([opened(), receipt(3), ("withdrawn", {"through": 5}), loaded(4, 6), loaded(6)]),
            WAITING,
            effects=[
                said(1_000), announced(2_000, 4), load(2_000, 4, 6),
                effect(3_000, "forget", through="5"), announced(3_000, 6), load(4_000, 6), sent(5_000, 6),
            ],
        ),
        scenario(
            "withdrawn texts stay while texts are under way",
            (14,),
            timed([opened(), receipt(3), loaded(4, 6), ("withdrawn", {"through": 5}), receipt(6)]),
            WAITING,
        ),
        scenario(
            "texts that do not exist cannot be withdrawn",
            (14,),
            timed([("withdrawn", {"through": 7}), ("withdrawn", {"through": 3})]),
            WAITING,
            effects=[],
            flags=("boundary",),
        ),
        scenario(
            "a newer session takes over when its first receipt is there, and an older one again when it ends",
            (6, 8),
            timed(
                [opened(), receipt(3), loaded(4), opened(2), queued(7), enqueued(7), loaded(5, 7), receipt(4, session=2),
                 loaded(5, 7), ("closed", {"session": 2}), loaded(5, 7), receipt(6), loaded(7)]
            ),
            WAITING,
        ),
        scenario(
            "sessions in a row are considered eight at once, and then one each 15 s",
            (15,),
            timed([one for number in range(1, 12) for one in (opened(number), receipt(3, session=number), ("loaded", {"texts": []}))], every=100),
            WAITING,
            after=4 * INTERVAL,
        ),
        scenario(
            "a millisecond before 15 s the next waits",
            (15,),
            timed(
                [one for number in range(1, BURST + 2) for one in (opened(number), receipt(3, session=number), ("loaded", {"texts": []}))],
                every=0,
            ),
            WAITING,
            after=INTERVAL - 1,
            flags=("boundary",),
        ),
    ]  # fmt: skip


def queue_cases():
    def refused(comment, length, reason, stored, flags=("boundary",)):
        return scenario(
            comment, (3,), timed([queued(7, length)]), stored,
            effects=[effect(1_000, "refuse", id=name(7), reason=reason)] if reason else [
                effect(1_000, "enqueue", number=str(stored["next"]), id=name(7))
            ],
            flags=flags,
        )  # fmt: skip

    full = {**NEW, "next": MOST_TEXTS + 1, "queueSize": 50_000}
    heavy = {**NEW, "next": 2_001, "queueSize": MOST_BYTES - LONGEST}
    return [
        refused("an empty text", 0, "wrong-length", NEW),
        refused("8,192 bytes", LONGEST, None, NEW),
        refused("8,193 bytes", LONGEST + 1, "wrong-length", NEW),
        refused("the 10,000th text", 5, None, {**full, "next": MOST_TEXTS}),
        refused("the 10,001st text", 5, "too-many-texts", full),
        refused("10,000 texts, of which the first was acknowledged", 5, None, {**full, "base": 1}),
        refused("16,777,216 bytes", LONGEST, None, heavy),
        refused("16,777,217 bytes", LONGEST, "too-many-bytes", {**heavy, "queueSize": MOST_BYTES - LONGEST + 1}),
        refused("the last number", 5, "no-number", {**NEW, "base": str(LARGEST - 1), "next": str(LARGEST)}),
        scenario(
            "texts that cannot be stored are refused, and their numbers stand for others",
            (1, 3),
            timed(
                [queued(1), queued(2), queued(3), enqueued(1), ("not-enqueued", {"number": 2}), queued(4), enqueued(2),
                 opened(), receipt()]
            ),
            effects=[
                *(effect(1_000 * one, "enqueue", number=str(one), id=name(one)) for one in (1, 2, 3)),
                effect(5_000, "refuse", id=name(2), reason="not-stored"),
                effect(5_000, "refuse", id=name(3), reason="not-stored"),
                effect(6_000, "enqueue", number="2", id=name(4)), said(8_000), announced(9_000, 1), load(9_000, 1, 2),
            ],
        ),
        scenario(
            "there is room again when texts were dropped",
            (3, 9),
            timed([queued(7, LONGEST), opened(), receipt(5, stream=EARLIER), loaded(5), ("dropped", {"size": 15}), queued(7, LONGEST)]),
            {**WAITING, "queueSize": MOST_BYTES - LONGEST + 15},
        ),
    ]  # fmt: skip


def receiving_cases():
    def violation(comment, reason, events, at, stored=RECEIVED, before=(), flags=()):
        return scenario(
            comment, (30,), timed([opened(), *events]), stored,
            effects=[said(1_000, 9), *before, effect(at, "end", session=1, reason=reason)], flags=flags,
        )  # fmt: skip

    many = [message(number) for number in range(10, 10 + ROOM)]
    return [
        scenario(
            "a text is stored, then acknowledged and delivered",
            (21, 22, 23, 25, 26),
            timed([opened(), stream(10), message(10), message(11), stored(4), stored(5)]),
            RECEIVED,
            effects=[
                said(1_000, 9), store(3_000, 4, 10), store(4_000, 5, 11), said(5_000, 10),
                effect(5_000, "deliver", first="4", last="4"), said(6_000, 11),
                effect(6_000, "deliver", first="5", last="5"),
            ],
        ),
        scenario(
            "several texts are acknowledged at once",
            (22, 25, 26),
            timed([opened(), stream(1), message(1), message(2), message(3, length=0), stored(3)]),
            effects=[
                said(1_000), store(3_000, 1, 1), store(4_000, 2, 2), store(5_000, 3, 3, 0), said(6_000, 3),
                effect(6_000, "deliver", first="1", last="3"),
            ],
        ),
        scenario(
            "after a restart the application gets what it has not taken",
            (26,),
            timed(["started"]),
            {**RECEIVED, "arrivals": 5},
            effects=[effect(1_000, "deliver", first="3", last="5")],
        ),
        scenario("after a restart there may be nothing to deliver", (26,), timed(["started"]), NEW, effects=[]),
        scenario(
            "texts that are here already are ignored",
            (25,),
            timed([opened(), stream(8), message(8), message(9), message(10)]),
            RECEIVED,
            effects=[said(1_000, 9), store(5_000, 4, 10)],
        ),
        scenario(
            "numbers that will not come are counted",
            (24, 31),
            timed([opened(), stream(13), message(13), message(14), stream(16), message(16)]),
            RECEIVED,
            effects=[
                said(1_000, 9), store(3_000, 4, 13, skipped=3), store(4_000, 5, 14),
                store(6_000, 6, 16, skipped=1),
            ],
        ),
        scenario(
            "another stream begins where it says",
            (23, 24),
            timed([opened(), stream(4, named=OTHER), message(4), stored(4), opened(2)]),
            RECEIVED,
            effects=[
                said(1_000, 9), store(3_000, 4, 4, named=OTHER), said(4_000, 4, named=OTHER),
                effect(4_000, "deliver", first="4", last="4"), said(5_000, 4, session=2, named=OTHER),
            ],
        ),
        scenario(
            "numbers that will not come are counted from one stream to the next",
            (24, 31),
            timed([opened(), stream(13, named=OTHER), message(13), stream(17), message(17)]),
            RECEIVED,
            effects=[
                said(1_000, 9), store(3_000, 4, 13, skipped=3, named=OTHER), store(5_000, 5, 17, skipped=3),
            ],
        ),
        scenario(
            "numbers that were skipped come in a stream that begins before them",
            (24, 31),
            timed([opened(), stream(13), stream(10, named=OTHER), message(10)]),
            RECEIVED,
            effects=[said(1_000, 9), store(4_000, 4, 10, named=OTHER)],
        ),
        scenario(
            "a stream of an older session does not replace that of a newer one, and its texts are ignored",
            (23,),
            timed(
                [opened(), opened(2), stream(4, session=2, named=OTHER), stream(10), message(10), message(4, session=2)]
            ),
            RECEIVED,
            effects=[said(1_000, 9), said(2_000, 9, session=2), store(6_000, 4, 4, named=OTHER)],
        ),
        scenario(
            "texts of one stream count from whichever session they come",
            (8, 23, 25),
            timed(
                [opened(), stream(10), message(10), opened(2), stream(10, session=2), message(10, session=2),
                 message(11), message(11, session=2), message(12, session=2), message(12), stored(6)]
            ),
            RECEIVED,
        ),
        scenario(
            "after a failed store the sessions that are open bring nothing more",
            (28,),
            timed(
                [opened(), stream(10), message(10), message(11), "not-stored", message(12), opened(2), message(13),
                 stream(10, session=2), message(10, session=2), stored(4)]
            ),
            RECEIVED,
            effects=[
                said(1_000, 9), store(3_000, 4, 10), store(4_000, 5, 11), said(7_000, 9, session=2),
                store(10_000, 4, 10), said(11_000, 10, session=2), effect(11_000, "deliver", first="4", last="4"),
            ],
        ),
        scenario(
            "when the newest session ends, the receipt is repeated in the one that remains, and when that ends, in none",
            (21,),
            timed(
                [opened(), opened(2), opened(3), ("closed", {"session": 1}), stream(10, session=3), message(10, session=3),
                 stored(4), ("closed", {"session": 3}), ("closed", {"session": 2})]
            ),
            RECEIVED,
            effects=[
                said(1_000, 9), said(2_000, 9, session=2), said(3_000, 9, session=3), store(6_000, 4, 10),
                said(7_000, 10, session=3), effect(7_000, "deliver", first="4", last="4"), said(8_000, 10, session=2),
            ],
        ),
        scenario(
            "without room for a text of full length no room is named until the application takes one",
            (29,),
            timed([opened(), ("taken", {"through": 3, "size": 8_191}), ("taken", {"through": 4, "size": 1}), opened(2)]),
            {**RECEIVED, "arrivals": 5, "inboxSize": MOST_BYTES},
            flags=("boundary",),
            effects=[said(1_000, 9, 0), said(3_000, 9, 1), said(4_000, 9, 1, session=2)],
        ),
        scenario(
            "the inbox holds 10,000 texts",
            (29,),
            timed([opened(), stream(10), message(10), stored(10_000), message(11), ("taken", {"through": 5, "size": 5})]),
            {**RECEIVED, "arrivals": MOST_TEXTS + 1, "taken": 2, "inboxSize": 50_000},
            flags=("boundary",),
        ),
        violation("a text before the stream of its session", "unannounced", [message(10)], 2_000),
        violation(
            "a gap", "gap", [stream(10), message(10), message(12)], 4_000, before=[store(3_000, 4, 10)],
        ),
        violation("a gap after the announced number", "gap", [stream(10), message(11)], 3_000, flags=("boundary",)),
        violation(
            "a text beyond the room", "beyond-room", [stream(10), *many, message(10 + ROOM)], 3_000 + 1_000 * ROOM,
            before=[store(3_000 + 1_000 * index, 4 + index, 10 + index) for index in range(ROOM)], flags=("boundary",),
        ),
        violation(
            "129 texts in two streams that are not yet stored", "beyond-room",
            [stream(10), *many, stream(1, named=OTHER), *(message(one) for one in range(1, ROOM + 1)),
             stream(1, named=OWN), message(1)],
            5_000 + 2_000 * ROOM,
            before=[
                *(store(3_000 + 1_000 * index, 4 + index, 10 + index) for index in range(ROOM)),
                *(store(4_000 + 1_000 * (ROOM + index), 4 + ROOM + index, 1 + index, named=OTHER)
                  for index in range(ROOM)),
            ],
            flags=("boundary",),
        ),
        scenario(
            "1,024 duplicates are ignored, and one more ends the session",
            (30,),
            timed([opened(), stream(10), *[message(9)] * DUPLICATES], every=1),
            RECEIVED,
            flags=("boundary",),
        ),
        scenario(
            "a fifth session ends the first",
            (32,),
            timed([*(opened(number) for number in range(1, 6)), opened(5), ("closed", {"session": 1}), message(1)]),
            flags=("boundary",),
            effects=[
                *(said(1_000 * number, session=number) for number in range(1, 5)),
                effect(5_000, "end", session=1, reason="too-many-sessions"), said(5_000, session=5),
            ],
        ),
    ]  # fmt: skip


def walk_cases(count=80, length=120):
    """Random events, most of which continue what the effects so far have asked for."""
    cases = []
    for seed in range(count):
        dice = random.Random(f"sync {seed}")
        base = dice.randint(0, 5)
        waiting = dice.randint(0, 40)
        stored = {**NEW, "base": base, "next": base + waiting + 1, "queueSize": 5 * waiting}
        arrivals = dice.randint(0, 3)
        if arrivals:
            stored |= {
                "lastStream": THEIRS, "lastNumber": 9, "lastID": name(9), "arrivals": arrivals,
                "taken": dice.randint(0, arrivals), "inboxSize": 5 * arrivals,
            }  # fmt: skip
        events = ["started", opened(1)]
        last, incoming, session = stored["next"] - 1, 10 if arrivals else 1, 1
        sent = base
        for _ in range(length):
            some = dice.randint(max(1, session - 2), session)
            kind = dice.choice(
                ["opened", "receipt", "receipt", "receipt", "stream", "message", "message", "message", "loaded",
                 "loaded", "loaded", "stored", "queued", "enqueued", "other", "closed"]
            )  # fmt: skip
            if kind == "opened":
                session += 1
                events.append(opened(session))
            elif kind == "receipt":
                own = dice.random() < 0.6
                number = dice.randint(0, sent if own and dice.random() < 0.97 else last + 1)
                course = 1 if dice.random() < 0.03 else 0
                named = OWN if own else dice.choice([EARLIER, EARLIER, OTHER])
                events.append(receipt(number or None, named, some, dice.choice([0, 1, 64, 64]), course))
            elif kind == "stream":
                first = incoming if dice.random() < 0.8 else incoming + dice.randint(-2, 3)
                named = THEIRS if dice.random() < 0.9 else OTHER
                events.append(stream(max(1, first), some, named))
            elif kind == "message":
                events.append(message(incoming, some, length=dice.choice([0, 5, 5, LONGEST])))
                incoming += 1 if dice.random() < 0.9 else 0
            elif kind == "loaded":
                first = dice.randint(base + 1, min(last, sent) + 1)
                count = dice.choice([0, 5, 15])
                sent = max(sent, first + count)
                events.append(loaded(first, first + count, dice.choice([5, 5, LONGEST])))
            elif kind == "stored":
                arrivals += dice.randint(0, 3)
                events.append(stored_through(arrivals))
            elif kind == "queued":
                last += 1
                events.append(queued(last, dice.choice([5, 5, LONGEST])))
            elif kind == "enqueued":
                events.append(enqueued(last))
            elif kind == "closed":
                events.append(("closed", {"session": some}))
            else:
                events.append(
                    dice.choice(
                        [
                            "not-stored", "started", ("not-enqueued", {"number": last}), ("dropped", {"size": 5}),
                            ("withdrawn", {"through": dice.randint(base + 1, last + 1)}),
                            ("taken", {"through": max(0, arrivals), "size": 5}), INTERVAL,
                        ]
                    )
                )  # fmt: skip
        cases.append(scenario(f"walk {seed}", (6, 7, 10, 25), timed(events, every=200), stored, after=2 * INTERVAL))
    return cases


def stored_through(arrival):
    return "stored", {"through": arrival}


def machine_family():
    every = timed(
        [
            "started", opened(), receipt(3), ("closed", {"session": 1}), stream(10), message(10), queued(7), enqueued(7),
            ("not-enqueued", {"number": 7}), loaded(4), ("dropped", {"size": 5}),
            ("withdrawn", {"through": 4}), stored(4), "not-stored",
            ("taken", {"through": 3, "size": 5}),
        ]
    )  # fmt: skip
    valid = {**WAITING, **RECEIVED, "base": 3, "next": 7, "steps": every, "until": 100_000}
    faults = [
        argument(valid, "a base that is not below the next number", "out-of-range", base=7),
        argument(valid, "more taken than stored", "out-of-range", taken=4),
        argument(valid, "no arrival and a last text", "out-of-range", arrivals=0, taken=0),
        argument(valid, "a stream of zeros", "out-of-range", stream="0" * 16),
        argument(
            valid, "a receipt with a stream alone", "missing",
            steps=[step(0, "receipt", session=1, room=1, stream=OWN)],
        ),
        argument(valid, "a text of 8,193 bytes arrives", "out-of-range", steps=[step(0, "message", session=1, number=1, id=name(1), length=LONGEST + 1)]),
    ]  # fmt: skip
    general = argument_refusals("sync", valid)
    return Family(
        "sync",
        SPECIFICATION,
        "The delivery of texts: what is sent, stored, acknowledged and dropped.",
        sending_cases() + queue_cases() + receiving_cases() + walk_cases() + refused_steps("sync", valid, EVENTS)
        + faults + general,
        insensitive={member: INSENSITIVE for member in ("steps", "queueSize", "inboxSize", "taken", "arrivals", "lastID", "lastNumber", "lastStream", "base", "next", "stream", "until")},
    )  # fmt: skip


FAMILIES = [*record_families(), machine_family()]
