"""Runs the vectors of the delivery of texts through the package: its records, and its machine."""

import json
import os
import unittest
from pathlib import Path

import inkling
from inkling import SyncEvent

ROOT = Path(os.environ["INKLING_ROOT"])
# Events with the members that are their number and their bytes.
EVENTS = {
    "started": (SyncEvent.STARTED, None, None), "opened": (SyncEvent.OPENED, "session", None),
    "closed": (SyncEvent.CLOSED, "session", None), "queued": (SyncEvent.QUEUED, None, "length"),
    "enqueued": (SyncEvent.ENQUEUED, "through", None), "not-enqueued": (SyncEvent.NOT_ENQUEUED, "number", None),
    "dropped": (SyncEvent.DROPPED, None, "size"), "withdrawn": (SyncEvent.WITHDRAWN, "through", None),
    "stored": (SyncEvent.STORED, "through", None), "not-stored": (SyncEvent.NOT_STORED, None, None),
    "taken": (SyncEvent.TAKEN, "through", "size"),
}  # fmt: skip


def cases(operation):
    """The cases of a file whose arguments and steps are well-formed."""
    content = json.loads((ROOT / f"Vectors/{operation}.json").read_text())
    return [case for case in content["cases"] if case.get("error", {}).get("stage") not in ("arguments", "step")]


def drawn(*parts):
    """Makes the library draw these parts of eight bytes next."""
    left = [part[::-1] for part in parts]
    inkling.use_randomness(lambda count: left.pop(0)[:count])


def text_of(length):
    return "x" * int(length) if int(length) else None


def message_of(members):
    return inkling.Message(int(members["number"]), bytes.fromhex(members["id"]), text_of(members["length"]))


def last_of(members, stream="stream", number="number", id="id"):
    if stream not in members:
        return None
    return inkling.LastText(int(members[stream], 16), int(members[number]), bytes.fromhex(members[id]))


class Run:
    """A machine, and what it has said in the form of the vectors."""

    def __init__(self, args):
        drawn(bytes.fromhex(args["stream"]))
        self.sync = inkling.Sync(inkling.SyncStored(
            int(args["base"]), int(args["next"]), int(args["queueSize"]), last_of(args, "lastStream", "lastNumber", "lastID"),
            int(args["arrivals"]), int(args["taken"]), int(args["inboxSize"])))
        self.wake, self.effects = None, []

    def note(self, at, effects):
        for effect in effects:
            if isinstance(effect, inkling.Wake):
                self.wake = effect.tick
            else:
                self.effects.append({"at": at, **self.described(effect)})

    def wait(self, before):
        while self.wake is not None and self.wake < before:
            at, self.wake = self.wake, None
            self.note(at, self.sync.take(SyncEvent.TIMER_FIRED, inkling.Now(at, at)))

    def take(self, step):
        at, event = step["at"], step["event"]
        now = inkling.Now(at, at)
        self.wait(at)
        if event == "loaded":
            return self.note(at, self.sync.loaded([message_of(text) for text in step["texts"]], now))
        if event in ("message", "receipt", "stream"):
            if event == "message":
                body = message_of(step)
            elif event == "receipt":
                body = inkling.Receipt(last_of(step), step["room"])
            else:
                body = inkling.Stream(int(step["stream"], 16), int(step["first"]))
            return self.note(at, self.sync.receive(step["session"], inkling.Record[event.upper()], bytes(body), now))
        kind, number, size = EVENTS[event]
        if event == "queued":
            drawn(bytes.fromhex(step["id"])[:8], bytes.fromhex(step["id"])[8:])
        return self.note(at, self.sync.take(kind, now, number=int(step.get(number, 0)), bytes=int(step.get(size, 0))))

    def described(self, effect):
        match effect:
            case inkling.Send(session, type, body):
                name = inkling.Record(type).name.lower()
                if name == "message":
                    read = inkling.Message.read(body)
                    members = {"number": str(read.number), "id": read.id.hex(), "length": len(read.text or "")}
                elif name == "receipt":
                    read = inkling.Receipt.read(body)
                    members = self.named(read.last) | {"room": read.room}
                else:
                    read = inkling.Stream.read(body)
                    members = {"stream": f"{read.stream:016x}", "first": str(read.first)}
                return {"effect": f"send-{name}", "session": session, **members}
            case inkling.End(session, reason): return {"effect": "end", "session": session, "reason": reason}
            case inkling.Enqueue(number, id): return {"effect": "enqueue", "number": str(number), "id": id.hex()}
            case inkling.Refuse(id, reason): return {"effect": "refuse", "id": id.hex(), "reason": reason}
            case inkling.Load(numbers):
                return {"effect": "load", "first": str(numbers[0]), "last": str(numbers[-1])}
            case inkling.Drop(through): return {"effect": "drop", "through": str(through)}
            case inkling.Forget(through): return {"effect": "forget", "through": str(through)}
            case inkling.Store(arrival, last, _, text, skipped):
                return {"effect": "store", "arrival": str(arrival), **self.named(last), "length": len(text or ""),
                        "skipped": str(skipped)}
            case inkling.Deliver(arrivals):
                return {"effect": "deliver", "first": str(arrivals[0]), "last": str(arrivals[-1])}

    @staticmethod
    def named(last):
        return {} if last is None else {"stream": f"{last.stream:016x}", "number": str(last.number), "id": last.id.hex()}


class DeliveryTests(unittest.TestCase):
    def tearDown(self):
        inkling.use_randomness(None)

    def test_the_machine_does_what_the_vectors_say(self):
        count = 0
        for case in cases("sync"):
            with self.subTest(case["comment"]):
                run = Run(case["args"])
                for step in case["args"]["steps"]:
                    run.take(step)
                run.wait(int(case["args"]["until"]) + 1)
                self.assertEqual(run.effects, case["result"]["effects"])
                count += 1
        self.assertGreater(count, 100)

    def test_records_are_written_as_the_vectors_say(self):
        for case in cases("message-encode"):
            args = case["args"]
            made = inkling.Message(int(args["number"]), bytes.fromhex(args["id"]), args.get("text"), int(args["writtenAt"]))
            self.assertEqual(bytes(made).hex(), case["result"]["body"], case["comment"])
        for case in cases("receipt-encode"):
            made = inkling.Receipt(last_of(case["args"]), case["args"]["room"])
            self.assertEqual(bytes(made).hex(), case["result"]["body"], case["comment"])
        for case in cases("stream-encode"):
            made = inkling.Stream(int(case["args"]["stream"], 16), int(case["args"]["first"]))
            self.assertEqual(bytes(made).hex(), case["result"]["body"], case["comment"])

    def test_records_are_read_and_refused_as_the_vectors_say(self):
        for name, kind in (("message", inkling.Message), ("receipt", inkling.Receipt), ("stream", inkling.Stream)):
            refused = 0
            for case in cases(f"{name}-decode"):
                body = bytes.fromhex(case["args"]["body"])
                if "error" in case:
                    with self.assertRaises(inkling.Refused) as caught:
                        kind.read(body)
                    self.assertEqual((caught.exception.stage, caught.exception.reason),
                                     (case["error"]["stage"], case["error"]["reason"]), case["comment"])
                    refused += 1
                else:
                    read = kind.read(body)
                    self.assertEqual(bytes(read), body, case["comment"])
                    if name == "message":
                        self.assertEqual(read.text, case["result"].get("text"))
            self.assertGreater(refused, 2)

    def test_what_does_not_fit_together_is_no_state_and_a_refused_record_changes_nothing(self):
        with self.assertRaises(inkling.InklingError) as caught:
            inkling.Sync(inkling.SyncStored(base=1, next=1))
        self.assertEqual(caught.exception.status, 3)
        sync, now = inkling.Sync(), inkling.Now(1, 1)
        with self.assertRaises(inkling.Refused) as caught:
            sync.receive(1, inkling.Record.RECEIPT, bytes(33), now)
        self.assertEqual(caught.exception.reason, "wrong-length")
        with self.assertRaises(inkling.InklingError):
            sync.receive(1, inkling.Record.CARD, bytes(34), now)
        message = inkling.Message(1, bytes(15) + b"\1", "x")
        with self.assertRaises(inkling.InklingError) as caught:
            sync.loaded([message] * 17, now)
        self.assertEqual(caught.exception.status, 10)

    def test_two_machines_draw_different_streams_and_identifiers(self):
        now, drawn_ones = inkling.Now(1, 1), set()
        for _ in range(20):
            [enqueue] = inkling.Sync().take(SyncEvent.QUEUED, now, bytes=5)
            drawn_ones.add(enqueue.id)
        self.assertEqual(len(drawn_ones), 20)


if __name__ == "__main__":
    unittest.main()
