"""Weaker readings of Specs/first-contact.md, planted in the model: the right text, the faulty text, and the requirement."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    name: str
    right: str
    wrong: str
    requirement: str
    # A second place, where one alone changes nothing.
    also: tuple = ()
    # Why `accept.pml` accepts runs with this fault; empty if it refuses them.
    not_in_the_model: str = ""


FAULTS = [
    Fault(
        "declines after it has accepted",
        'self.send("close")\n            self.end("waiting")\n        self.save()',
        'self.send("decline")\n            self.fields = self.fields.without(link.key)\n'
        '            self.end("waiting")\n        self.save()',
        "INK-FCT-005",
    ),
    Fault(
        "an ACCEPT that arrives is not durable",
        '        self.fields = self.fields.raised()\n        self.then.append(("open", self.link))',
        '        self.fields = replace(self.fields, shared=self.disk.shared)\n        self.open(self.link)',
        "INK-FCT-040",
    ),
    Fault(
        "the first record leaves before the success is stored",
        '        self.then.append(("proceed", session))',
        '        self.proceed(session)',
        "INK-FCT-012",
    ),
    Fault(
        "two keys at most: a new one pushes out the oldest",
        "keys=(*self.fields.keys, link.key)",
        "keys=(*self.fields.keys[-1:], link.key)",
        "INK-FCT-010",
    ),
    Fault(
        "a new key takes the place of one that is not shared",
        "keys=(*self.fields.keys, link.key)",
        "keys=(*(key for key in self.fields.keys if key == self.fields.shared), link.key)",
        "INK-FCT-010",
    ),
    Fault(
        "the full grant leaves before complete is stored",
        'self.fields = replace(self.fields, standing="complete").granting(full)\n'
        '            self.then.append(("grant", session, "full"))',
        'self.fields = replace(self.fields, standing="complete").granting(full)\n'
        '            self.grant(session, "full")',
        "INK-FCT-022",
    ),
    Fault(
        "a confirm does not count as the other's ACCEPT",
        "replace(self.sharing(key).raised(), keys=rest, turn=0)",
        "replace(self.sharing(key), keys=rest, turn=0)",
        "INK-FCT-016",
    ),
    Fault(
        "grants to somebody who waits",
        'elif self.fields.standing == "half-finished" and not named:',
        'elif self.fields.standing in ("waiting", "half-finished") and not named:',
        "INK-FCT-020",
        ("replace(self.sharing(key).raised(), keys=rest, turn=0)", "replace(self.sharing(key), keys=rest, turn=0)"),
    ),
    Fault(
        "the responder always uses its first candidate",
        "replace(self.fields, turn=(turn + 1) % len(candidates))",
        "self.fields",
        "INK-FCT-014",
    ),
    Fault(
        "the responder uses the two newest keys and the shared one alone",
        "return newer if self.shared is None else (self.shared, *newer)",
        "return newer[:2] if self.shared is None else (self.shared, *newer[:2])",
        "INK-FCT-014",
    ),
    Fault(
        "a success drops every other key",
        "rest = tuple(one for one in self.keys if one >= key)",
        "rest = tuple(one for one in self.keys if one == key)",
        "INK-FCT-013",
    ),
    Fault(
        "ACCEPT leaves before card and key are stored",
        '        self.then.append(("consented", link))',
        '        self.consented(link)',
        "INK-FCT-004",
    ),
    Fault(
        "HELLO leaves with the own ACCEPT",
        '        else:\n            link.state = "accepted"',
        '        else:\n            link.state = "accepted"\n            self.send("hello")',
        "INK-FCT-008",
    ),
    Fault(
        "the first grant is not stored before it leaves",
        '            self.fields = self.fields.granting(first)\n            self.then.append(("grant", session, "first"))',
        '            self.then.append(("grant", session, "first"))',
        "INK-FCT-021",
    ),
    Fault(
        "the full grant leaves although nothing was received",
        'self.fields.standing == "half-finished" and named and held:',
        'self.fields.standing == "half-finished" and named:',
        "INK-FCT-022",
    ),
    Fault(
        "a number stands for two keys while the first is being stored",
        "max(self.fields.keys + self.disk.keys + being_stored, default=0) + 1",
        "max(self.fields.keys, default=0) + 1",
        "INK-FCT-004",
    ),
    Fault(
        "a key that was declined is kept",
        "            self.fields = self.fields.without(link.key)\n            self.end(\"declined\")",
        '            self.end("declined")',
        "INK-FCT-042",
    ),
    Fault(
        "the decision has no end",
        "return link.opened + EXCHANGE if link.state == \"open\" else link.since + DECISION",
        "return None",
        "INK-FCT-006",
        not_in_the_model="the model has no time, and a side may wait for as long as it likes",
    ),
]
