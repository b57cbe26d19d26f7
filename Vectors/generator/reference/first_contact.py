"""Specs/first-contact.md: what two users agree to, the keys that they keep, and when something is granted."""

from dataclasses import dataclass, field, replace

from ..tools import steps as scenario
from ..tools.fields import Flag, Integer, ListOf, Record, Text, refuse_argument
from ..tools.operations import operation

STANDINGS = ("none", "waiting", "half-finished", "complete")
MOST_KEYS = 4
DECISION = 300_000
EXCHANGE = 10_000
FIRST_SPAN = 48
FULL_SPAN = 2_232
LAST_PERIOD = 2**20 - 1

NUMBER = Integer(1, 2**32 - 1)
PERIOD = Integer(0, LAST_PERIOD)
SESSION = Integer(0, 2**32 - 1)
FIELDS = {
    "standing": Text(values=STANDINGS),
    "keys": ListOf(NUMBER, high=MOST_KEYS),
    "shared": NUMBER,
    "turn": Integer(0, MOST_KEYS - 1),
    "granted": PERIOD,
}
MEMBERS = {
    "written": Flag(),
    "session": SESSION,
    "key": NUMBER,
    "named": Flag(),
    "held": Flag(),
    "lacking": Flag(),
    "period": PERIOD,
}
EVENTS = {
    "begin": ((), ()),
    "agree": ((), ()),
    "refuse": ((), ()),
    "accept": ((), ()),
    "decline": ((), ()),
    "close": ((), ()),
    "other": ((), ()),
    "lost": ((), ()),
    "boundary": ((), ()),
    "saved": ((), ()),
    "not-saved": ((), ()),
    "crash": (("written",), ()),
    "answer": ((), ()),
    "message-2": (("session", "key"), ()),
    "record": (("session", "key"), ()),
    "compare": (("session", "named", "held", "lacking", "period"), ()),
    "seal": (("session", "period"), ()),
    "remove": ((), ()),
}


@dataclass(frozen=True)
class Stored:
    standing: str = "none"
    keys: tuple = ()
    shared: int | None = None
    turn: int = 0
    granted: int | None = None

    @property
    def candidates(self):
        newer = tuple(key for key in reversed(self.keys) if self.shared is None or key > self.shared)
        return newer if self.shared is None else (self.shared, *newer)

    def described(self):
        members = {"standing": self.standing, "keys": list(self.keys), "turn": self.turn}
        if self.shared is not None:
            members["shared"] = self.shared
        if self.granted is not None:
            members["granted"] = self.granted
        return members

    def raised(self):
        """Both have accepted."""
        return replace(self, standing=max(self.standing, "half-finished", key=STANDINGS.index))

    def sharing(self, key):
        return replace(self, shared=key if self.shared is None else max(self.shared, key))

    def succeeded(self, key):
        rest = tuple(one for one in self.keys if one >= key)
        return replace(self.sharing(key).raised(), keys=rest, turn=0)

    def without(self, key):
        rest = tuple(one for one in self.keys if one != key)
        if not rest and self.standing == "waiting":
            return Stored()
        return replace(self, keys=rest, turn=0)

    def granting(self, end):
        return replace(self, granted=end if self.granted is None else max(self.granted, end))


@dataclass
class Link:
    state: str = "undecided"  # storing, accepted, opening, open
    since: int = 0
    theirs: bool = False
    key: int | None = None
    boundaries: int = 0
    heard: bool = False
    reported: bool = False
    opened: int = 0


@dataclass
class Side:
    fields: Stored
    disk: Stored
    now: int = 0
    effects: list = field(default_factory=list)
    link: Link | None = None
    writing: tuple | None = None  # the fields in the save in progress, and what is done after it
    then: list = field(default_factory=list)  # what is done after the save that follows

    @property
    def wake(self):
        link = self.link
        if link is None or link.reported or link.state == "opening":
            return None
        return link.opened + EXCHANGE if link.state == "open" else link.since + DECISION

    def say(self, effect, **members):
        self.effects.append({"at": self.now, "effect": effect, **members})

    def send(self, record):
        self.say("send", record=record)

    def take(self, event, members):
        getattr(self, event.replace("-", "_"))(**members)
        self.save()

    def fire(self):
        link = self.link
        if link.state == "open":
            self.report(self.disk.standing)
        elif link.state == "undecided":
            self.send("decline")
            self.end("unanswered")
        else:
            self.send("close")
            self.end("waiting")
        self.save()

    # Saving

    def save(self):
        while self.writing is None:
            if self.fields != self.disk:
                self.say("save", **self.fields.described())
                self.writing = (self.fields, self.then)
                self.then = []
                return
            if not self.then:
                return
            todo, self.then = self.then, []
            self.carry_out(todo)

    def carry_out(self, todo):
        for action, *details in todo:
            getattr(self, action)(*details)

    def saved(self):
        if self.writing is None:
            return
        self.disk, todo = self.writing
        self.writing = None
        self.carry_out(todo)
        self.report_if_complete()

    def not_saved(self):
        if self.writing is None:
            return
        dropped = [details[0] for action, *details in self.writing[1] + self.then if action in ("proceed", "grant")]
        self.fields, self.writing, self.then = self.disk, None, []
        for session in dict.fromkeys(dropped):
            self.say("drop", session=session)
        if self.link is not None:
            self.send("close")
            self.end("not-saved")

    def crash(self, written):
        if written and self.writing is not None:
            self.disk = self.writing[0]
        self.fields, self.writing, self.then, self.link = self.disk, None, [], None

    # The link

    def report(self, outcome):
        if not self.link.reported:
            self.link.reported = True
            self.say("outcome", outcome=outcome)

    def report_if_complete(self):
        link = self.link
        if link is not None and link.state == "open" and link.heard and self.disk.standing == "complete":
            self.report("complete")

    def end(self, outcome):
        """Closes the link, and reports the outcome unless one was reported."""
        self.say("close")
        self.report(outcome)
        self.link = None

    def by_standing(self):
        return max(self.disk.standing, "half-finished", key=STANDINGS.index)

    def begin(self):
        if self.link is not None:
            self.say("outcome", outcome="busy")
        elif len(self.fields.keys) == MOST_KEYS:
            self.say("close")
            self.say("outcome", outcome="full")
        else:
            self.link = Link(since=self.now)
            self.say("ask")

    def agree(self):
        link = self.link
        if link is None or link.state != "undecided":
            return
        link.state = "storing"
        # While an earlier save is in progress, a number in it must not stand for another key.
        being_stored = self.writing[0].keys if self.writing else ()
        link.key = max(self.fields.keys + self.disk.keys + being_stored, default=0) + 1
        standing = "waiting" if self.fields.standing == "none" else self.fields.standing
        self.fields = replace(self.fields, standing=standing, keys=(*self.fields.keys, link.key), turn=0)
        if link.theirs:
            self.fields = self.fields.sharing(link.key)
        self.then.append(("consented", link))

    def consented(self, link):
        if self.link is not link:
            return
        self.send("accept")
        if link.theirs:
            self.both()
        else:
            link.state = "accepted"

    def both(self):
        self.link.state = "opening"
        self.fields = self.fields.raised()
        self.then.append(("open", self.link))

    def open(self, link):
        if self.link is link:
            self.send("hello")
            link.state, link.opened = "open", self.now
            self.report_if_complete()

    def refuse(self):
        if self.link is not None and self.link.state == "undecided":
            self.send("decline")
            self.end("refused")

    def accept(self):
        link = self.link
        if link is None or link.theirs:
            return
        link.theirs = True
        if link.state == "storing":
            self.fields = self.fields.sharing(link.key)
        if link.state == "accepted":
            self.fields = self.fields.sharing(link.key)
            self.both()

    def decline(self):
        link = self.link
        if link is None or link.state in ("opening", "open"):
            return
        if link.state == "undecided":
            self.end("declined")
        elif self.fields.shared is not None and self.fields.shared >= link.key:
            self.end("waiting")
        else:
            self.fields = self.fields.without(link.key)
            self.end("declined")

    def close(self):
        if self.link is None:
            return
        if self.link.state in ("opening", "open"):
            self.end(self.by_standing())
        else:
            self.end("failed" if self.link.state == "undecided" else "waiting")

    lost = close

    def other(self):
        if self.link is not None and self.link.state not in ("opening", "open"):
            self.close()

    def boundary(self):
        link = self.link
        if link is None:
            return
        if link.state in ("opening", "open"):
            self.close()
            return
        link.boundaries += 1
        if link.boundaries == 2:
            self.send("close")
            self.close()

    def remove(self):
        self.fields = Stored()
        dropped = [details[0] for action, *details in self.then if action in ("proceed", "grant")]
        if self.writing is not None:
            dropped += [details[0] for action, *details in self.writing[1] if action in ("proceed", "grant")]
            self.writing = (self.writing[0], [])
        self.then = []
        for session in sorted(set(dropped)):
            self.say("drop", session=session)
        if self.link is not None:
            self.send("close")
            self.end("failed")

    # Sessions

    def answer(self):
        candidates = self.fields.candidates
        if not candidates:
            return
        turn = self.fields.turn % len(candidates)
        self.say("use", key=candidates[turn])
        self.fields = replace(self.fields, turn=(turn + 1) % len(candidates))

    def message_2(self, session, key):
        if key not in self.fields.keys:
            self.say("drop", session=session)
            return
        self.fields = self.fields.succeeded(key)
        self.then.append(("proceed", session))

    def proceed(self, session):
        self.say("proceed", session=session)

    def record(self, session, key):
        if key not in self.fields.keys:
            self.say("drop", session=session)
            return
        self.fields = self.fields.succeeded(key)
        if self.link is not None and self.link.key == key and self.link.state in ("opening", "open"):
            self.link.heard = True
            self.then.append(("heard", self.link))

    def heard(self, link):
        if self.link is link:
            self.report_if_complete()

    def compare(self, session, named, held, lacking, period):
        first = min(period + FIRST_SPAN - 1, LAST_PERIOD)
        full = min(period + FULL_SPAN - 1, LAST_PERIOD)
        if self.fields.standing == "half-finished" and named and held:
            self.fields = replace(self.fields, standing="complete").granting(full)
            self.then.append(("grant", session, "full"))
        elif self.fields.standing == "half-finished" and not named:
            self.fields = self.fields.granting(first)
            self.then.append(("grant", session, "first"))
        elif self.fields.standing == "complete" and lacking:
            self.fields = self.fields.granting(full)
            self.then.append(("grant", session, "full"))

    def seal(self, session, period):
        if self.fields.standing != "none":
            self.fields = self.fields.granting(min(period + FULL_SPAN - 1, LAST_PERIOD))
            self.then.append(("grant", session, "full"))

    def grant(self, session, span):
        self.say("grant", session=session, span=span)


def checked(standing, keys, shared, turn, granted):
    if list(keys) != sorted(set(keys)) or (shared is not None and shared not in keys):
        refuse_argument("out-of-range")
    if (standing == "none") != (not keys):
        refuse_argument("out-of-range")
    return Stored(standing, tuple(keys), shared, turn, granted)


@operation(
    "first-contact",
    Record(optional=("shared", "granted"), **FIELDS, **scenario.arguments(MEMBERS)),
    Record(
        effects=ListOf(
            Record(
                optional=("standing", "keys", "shared", "turn", "granted", "record", "outcome", "key", "session", "span"),
                at=scenario.MOMENT,
                effect=Text(),
                **FIELDS,
                record=Text(),
                outcome=Text(),
                key=NUMBER,
                session=SESSION,
                span=Text(),
            )
        )
    ),
    refusals=scenario.REFUSALS,
    events=EVENTS,
)
def first_contact(standing, keys, turn, steps, until, shared=None, granted=None):
    stored = checked(standing, keys, shared, turn, granted)
    scenario.check(steps, until, EVENTS)
    return {"effects": scenario.run(Side(stored, stored), steps, until)}
