"""The row about a contact that floods."""

import ctypes
import json
import os
import select
import statistics
import threading

from field import RIGS, Failed, star
from rows import LONGEST_WAIT, Row, row, waited

LIBRARY = os.path.join(os.path.dirname(os.path.dirname(RIGS)), ".build", "c", "stage", "lib", "libinkling.so.1")
MOVED_TO = 0x80


class Writes:
    """Counts how often the vault of a home is replaced, which is a write to the disk that waits for it."""

    label = "vault writes"

    def __init__(self, home):
        libc = ctypes.CDLL(None, use_errno=True)
        self.inotify = libc.inotify_init1(os.O_CLOEXEC)
        if self.inotify < 0 or libc.inotify_add_watch(self.inotify, home.encode(), MOVED_TO) < 0:
            raise Failed(f"{home} cannot be watched")
        self.count, self.done = 0, threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        while not self.done.is_set():
            if select.select([self.inotify], [], [], 0.2)[0]:
                data, offset = os.read(self.inotify, 65_536), 0
                while offset < len(data):
                    self.count += 1
                    offset += 16 + int.from_bytes(data[offset + 12:offset + 16], "little")

    def end(self):
        self.done.set()
        self.thread.join(5)
        return self.figures

    @property
    def figures(self):
        return {"writes": self.count}


@row
class Contact(Row):
    """The first epoch is quiet; then a contact of Ada floods her, while she meets the others."""

    name, title = "contact", "a contact floods GRANT, CARD, MESSAGE and STATE as fast as the link takes them"
    old = ("records",)
    short, least, cost = 3, 1, 11
    # Writes of the vault in an epoch, with the contact's flood.
    most_writes = 40
    # Records a second; without a number, as many as the link takes.
    records_a_second = None
    in_guest = {"title": "a contact sends 40 GRANT, CARD, MESSAGE and STATE a second", "records_a_second": 40}
    broken = ({"met": 11}, {"writesAnEpoch": 400}, {"waited": [0.6, 4.0]}, {"stored": 900, "delivered": 700}, {"stored": 0}, {"sent": 10})

    def contacts(self):
        return star(self.groups)

    def attack(self, field):
        if not os.path.exists(os.environ.setdefault("INKLING_LIBRARY", LIBRARY)):
            raise Failed(f"{os.environ['INKLING_LIBRARY']} is missing; build it with: make c-library")
        field.attackers.append(Writes(field.stage.home("ada")))
        mallory = field.attack("mallory", "contact", "--target", field.stage.address["ada"], "--clock",
                               f"{field.clock[0]}@{field.clock[1]}", "--from", field.first + 1,
                               *(("--rate", self.records_a_second) if self.records_a_second else ()))
        card = mallory.wait(lambda fact: "card" in fact, 20, "its card")["card"]
        mallory.tell(field.inkling("ada", "card", "export").strip())
        told = field.inkling("ada", "card", "add", "-", "--json", text=card)
        mallory.tell(next(json.loads(line)["sealedGrant"] for line in told.splitlines() if "sealedGrant" in line))
        mallory.is_ready()

    def measure(self, field):
        if not field.attackers:
            return {"writesAnEpoch": 0, "waited": waited(field), "stored": 0, "delivered": 0, "sent": 0}
        writes, mallory = (attacker.figures for attacker in field.attackers)
        delivered = sum(event["contact"] == "Mallory" for event in field.nodes["ada"].events("message"))
        return {"writesAnEpoch": round(writes["writes"] / len(field.judged)), "waited": waited(field),
                "stored": mallory["stored"], "delivered": delivered, "sent": sum(mallory["sent"].values())}

    def faults(self, figures):
        found = []
        if figures["sent"] < 1_000:
            found.append(f"only {figures['sent']} records were sent")
        if figures["writesAnEpoch"] > self.most_writes:
            found.append(f"{figures['writesAnEpoch']} writes of the vault in an epoch, at most {self.most_writes}")
        if max(figures["waited"][1:], default=99) > LONGEST_WAIT:
            found.append(f"a contact waited {max(figures['waited'][1:], default=99)} s, at most {LONGEST_WAIT}; "
                         f"{figures['waited'][0]} s in quiet")
        if not 0 < figures["stored"] <= figures["delivered"]:
            found.append(f"receipts for {figures['stored']} texts, of which {figures['delivered']} were delivered")
        return found

    def shown(self, figures):
        waited = statistics.fmean(figures["waited"][1:]) if figures["waited"][1:] else 0
        return (f"{figures['sent']:,} records; {figures['writesAnEpoch']} writes of the vault an epoch; others waited {waited:.1f} s, in "
                f"quiet {figures['waited'][0]:.1f} s; receipts for {figures['stored']} texts, {figures['delivered']} delivered")
