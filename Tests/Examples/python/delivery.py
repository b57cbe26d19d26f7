"""Two devices exchange texts over a link that breaks and with a process that begins again: each text arrives once and in
order. Each device keeps its texts in SQLite; the link is two lists of records."""

import sqlite3

import inkling
from inkling import Deliver, Drop, Enqueue, Load, LastText, Message, Now, Send, Store, SyncEvent, SyncStored

TABLES = """
CREATE TABLE state (base INTEGER, next INTEGER, stream TEXT, number INTEGER, id BLOB, arrivals INTEGER, taken INTEGER);
CREATE TABLE queue (number INTEGER PRIMARY KEY, id BLOB, text TEXT);
CREATE TABLE inbox (arrival INTEGER PRIMARY KEY, id BLOB UNIQUE, text TEXT);
INSERT INTO state VALUES (0, 1, NULL, NULL, NULL, 0, 0);
"""


class Device:
    """A device with its store. `start` begins its process, which knows only what is stored."""

    def __init__(self, name: str):
        self.name, self.now, self.link = name, Now(1000, 1_800_000_000_000), 0
        self.store = sqlite3.connect(":memory:", isolation_level=None)
        self.store.executescript(TABLES)
        self.sent: list[tuple[int, int, bytes]] = []
        self.start()

    def start(self) -> None:
        base, next, stream, number, id, arrivals, taken = self.store.execute("SELECT * FROM state").fetchone()
        queued = self.store.execute("SELECT ifnull(sum(length(CAST(text AS BLOB))), 0) FROM queue").fetchone()[0]
        last = LastText(int(stream, 16), number, id) if stream else None
        self.sync = inkling.Sync(SyncStored(base, next, queued, last, arrivals, taken))
        self.carry_out(self.sync.take(SyncEvent.STARTED, self.now))

    def happens(self, event: SyncEvent, number: int = 0, bytes: int = 0, text: str = "") -> None:
        self.carry_out(self.sync.take(event, self.now, number=number, bytes=bytes), text)

    def write(self, text: str) -> None:
        self.happens(SyncEvent.QUEUED, bytes=len(text.encode()), text=text)

    def hear(self, session: int, type: int, body: bytes) -> None:
        self.carry_out(self.sync.receive(session, type, body, self.now))

    def carry_out(self, effects: list[inkling.SyncEffect], text: str = "") -> None:
        for effect in effects:
            match effect:
                case Send(session, type, body):
                    self.sent.append((session, type, body))
                case Enqueue(number, id):
                    with self.store:
                        self.store.execute("BEGIN")
                        self.store.execute("INSERT INTO queue VALUES (?, ?, ?)", (number, id, text))
                        self.store.execute("UPDATE state SET next = ?", (number + 1,))
                    self.happens(SyncEvent.ENQUEUED, number)
                case Load(numbers):
                    rows = self.store.execute(
                        "SELECT * FROM queue WHERE number BETWEEN ? AND ? ORDER BY number", (numbers[0], numbers[-1]))
                    messages = [Message(number, id, text) for number, id, text in rows]
                    self.carry_out(self.sync.loaded(messages, self.now))
                case Drop(through):
                    gone = self.store.execute("SELECT * FROM queue WHERE number <= ?", (through,)).fetchall()
                    with self.store:
                        self.store.execute("BEGIN")
                        self.store.execute("DELETE FROM queue WHERE number <= ?", (through,))
                        self.store.execute("UPDATE state SET base = ?", (through,))
                    print(f"{self.name}: {' '.join(row[2] for row in gone)} delivered")
                    self.happens(SyncEvent.DROPPED, bytes=sum(len(row[2].encode()) for row in gone))
                case Store(arrival, last, _, received, _):
                    with self.store:
                        self.store.execute("BEGIN")
                        # A text that is here already is not stored again; its number is.
                        self.store.execute("INSERT OR IGNORE INTO inbox VALUES (?, ?, ?)", (arrival, last.id, received))
                        self.store.execute(
                            "UPDATE state SET stream = ?, number = ?, id = ?, arrivals = ?",
                            (f"{last.stream:016x}", last.number, last.id, arrival))
                    self.happens(SyncEvent.STORED, arrival)
                case Deliver(arrivals):
                    for arrival in arrivals:
                        row = self.store.execute("SELECT text FROM inbox WHERE arrival = ?", (arrival,)).fetchone()
                        if row:
                            print(f"{self.name}: reads {row[0]}")
                        self.store.execute("UPDATE state SET taken = ?", (arrival,))
                        self.happens(SyncEvent.TAKEN, arrival, len(row[0].encode()) if row else 0)
                case _:
                    raise SystemExit(f"unexpected: {effect}")


def meet(ada: Device, bo: Device, session: int, records: int) -> None:
    """A session over a link that carries so many records before it breaks."""
    ada.sent, bo.sent = [], []
    for device in (ada, bo):
        device.happens(SyncEvent.OPENED, session)
    while records > 0 and (ada.sent or bo.sent):
        sender, receiver = (ada, bo) if ada.sent else (bo, ada)
        receiver.hear(*sender.sent.pop(0))
        records -= 1
    for device in (ada, bo):
        device.happens(SyncEvent.CLOSED, session)


ada, bo = Device("Ada"), Device("Bo")
for word in ("one", "two", "three"):
    ada.write(word)
bo.write("hello")
print("a link that breaks after the fifth record")
meet(ada, bo, 1, 5)
print("Ada's process begins again, and writes another text")
ada.start()
ada.write("four")
meet(ada, bo, 2, 1000)
waiting = ada.store.execute("SELECT count(*) FROM queue").fetchone()[0]
print(f"{waiting} texts wait")
