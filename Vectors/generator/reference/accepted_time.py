"""Specs/rotation.md: whether the clock is believed."""

from ..tools import steps as scenario
from ..tools.fields import Integer, ListOf, Record, Text
from ..tools.operations import operation

AGREEMENT = 120
HORIZON = 744 * 3_600
MOST_ERROR = 16_000_000
LONG = 24 * 3_600_000
EVERY = 3_600

SECONDS = Integer(0, 4_000_000_000)
MEMBERS = {
    "clock": Integer(0, 4_000_000_000_000),
    "slept": scenario.MOMENT,
    "kernelError": Integer(0, 1_000_000_000),
    "batteryClock": SECONDS,
}
EVENTS = {
    "judge": (("clock", "slept"), ("kernelError", "batteryClock")),
    "vouch": (("clock", "slept"), ()),
    "clear": ((), ()),
}


class Judge:
    """What is remembered are moments on the clock that counts sleep, each with the clock that was read at it."""

    wake = None

    def __init__(self, latest):
        self.latest = latest
        self.stored = latest
        self.accepted = self.vouched = self.synchronised = None
        self.now = 0
        self.effects = []

    def take(self, event, members):
        getattr(self, event)(**members)

    def same(self, then, clock):
        """Whether the clock was not set since a moment."""
        return abs(clock - then[1] - (self.now - then[0])) <= 1000 * AGREEMENT

    def vouch(self, clock, slept):
        self.vouched = self.now, clock

    def clear(self):
        self.latest = self.stored = self.accepted = None

    def judge(self, clock, slept, kernelError=None, batteryClock=None):  # noqa: N803
        if self.vouched is not None and not self.same(self.vouched, clock):
            self.vouched = None
        # Of a synchronisation: since when, and how long the machine had slept by then.
        if kernelError is None or kernelError >= MOST_ERROR:
            self.synchronised = None
        elif self.synchronised is None or not self.same(self.synchronised, clock):
            self.synchronised = self.now, clock, slept
        seconds = clock // 1000
        if self.accepted is None or not self.same(self.accepted, clock):
            self.accepted = None
            why = self.refusal(seconds, slept, batteryClock)
            if why is not None:
                self.effects.append({"at": self.now, "effect": "refused", **why})
                return
            self.accepted, self.stored = (self.now, clock), None
        self.latest = seconds if self.latest is None else max(self.latest, seconds)
        effect = {"at": self.now, "effect": "accepted"}
        if self.stored is None or self.latest - self.stored >= EVERY:
            self.stored = effect["store"] = self.latest
        self.effects.append(effect)

    def refusal(self, seconds, slept, battery):
        agrees = battery is not None and abs(battery - seconds) <= AGREEMENT
        if self.synchronised is None and not agrees and self.vouched is None:
            return {"reason": "unsupported"}
        if self.latest is None:
            return None
        if seconds < self.latest - AGREEMENT:
            return {"reason": "behind", "seconds": self.latest - seconds}
        if seconds > self.latest + HORIZON and self.vouched is None and self.awake_since(slept) < LONG:
            return {"reason": "ahead", "seconds": seconds - self.latest}
        return None

    def awake_since(self, slept):
        """For how long the machine has been awake since the kernel was synchronised."""
        if self.synchronised is None:
            return 0
        since, _, slept_before = self.synchronised
        return self.now - since - max(0, slept - slept_before)


@operation(
    "accepted-time",
    Record(optional=("latest",), latest=SECONDS, **scenario.arguments(MEMBERS)),
    Record(
        optional=("latest",),
        effects=ListOf(
            Record(
                optional=("reason", "seconds", "store"),
                at=scenario.MOMENT,
                effect=Text(values=("accepted", "refused")),
                reason=Text(values=("unsupported", "behind", "ahead")),
                seconds=SECONDS,
                store=SECONDS,
            )
        ),
        latest=SECONDS,
    ),
    refusals=scenario.REFUSALS,
    events=EVENTS,
)
def accepted_time(steps, until, latest=None):
    scenario.check(steps, until, EVENTS)
    judge = Judge(latest)
    effects = scenario.run(judge, steps, until)
    return {"effects": effects, **({} if judge.latest is None else {"latest": judge.latest})}
