"""Specs/recognition.md: attempts and readings of tags, with their delays and budgets."""

from collections import defaultdict, namedtuple
from dataclasses import dataclass

from .hearing import CEILING, EPOCH_LENGTH, is_open

MINUTE = 60_000
ATTEMPTS_IN_A_MINUTE, ATTEMPTS_AT_ONCE, HINTS_IN_A_MINUTE = 6, 2, 2
PLANNED_READINGS = 16
ATTEMPT_LASTS = 15_000
DELAY_ON_NETWORK, DELAY_BY_RADIO = 1_000, 5_000
# The middles of the delays before repeated calls; a first call and these are all that an epoch may have.
REPEATED_AFTER = (2_000, 6_000, 18_000)
REPEATS_IN_A_MINUTE, REPEATS_AT_ONCE = 2, 1
QUIET_END = 5_000
FAILED_LINK = ("unreachable", "reset")
UNCONFIRMED_CALLS = 8
# After more different minors in an epoch than this, so many calls because of a minor, for all and for others than recent
# contacts.
SWEEP, SWEEP_CALLS, SWEEP_CALLS_OF_OTHERS = 1_000, 12, 6
# The technologies, in the order in which plans draw their delays.
NETWORK, RADIO = TECHNOLOGIES = ("network", "radio")
# Kinds of values for attempts, the best of each technology first.
NAME, TAG, MINOR = 0, 1, 2
OVER = {NAME: NETWORK, TAG: RADIO, MINOR: RADIO}
# A value for an attempt; the least `order` is the best, and its first element is the kind.
Value = namedtuple("Value", "order prediction address is_steady score is_repeat")
# A running attempt; `counted_in` is the epoch of the observer in which it counts as a call to a name, or None.
Running = namedtuple("Running", "start kind address is_recent is_repeat counted_in")
Plan = namedtuple("Plan", "kind is_repeat due")
Reading = namedtuple("Reading", "due is_repeat epoch")


def may_repeat(failed_in, now):
    """Whether a call whose link failed in this epoch of the observer may be repeated now."""
    return failed_in == now.epoch and now.protocol % EPOCH_LENGTH < EPOCH_LENGTH - QUIET_END


@dataclass
class Tries:
    """The attempts with one contact over one technology."""

    tried: int = -1  # the latest epoch with an attempt
    calls: int = 0  # the attempts of that epoch
    failed_in: int | None = None  # the epoch of the observer in which the link of the last of them failed
    has_confirmed: bool = False  # whether the last of them confirmed the contact, and the links have not been cut since
    plan: tuple | None = None
    attempt: tuple | None = None


class Calls:
    def __init__(self, observer):
        self.observer = observer
        self.contacts = observer.contacts
        self.radio = observer.radio
        # By technology: moments, whether the contact was recent, and whether the call was a repeated one.
        self.starts = {technology: [] for technology in TECHNOLOGIES}
        self.hints = []  # moments
        self.planned = {}  # readings of tags, by address
        self.reading = {}  # by address: when it began, and whether it is a repeated one
        self.unconfirmed = (None, 0)  # the epoch of the observer, and the calls to names that ended in it without success
        self.by_minor = defaultdict(int)  # by epoch of the observer: the attempts because of a minor
        self.replayed = None  # the epoch of the observer in which that was noted
        self.effects = []

    def start(self, now, posteriors):
        """Starts everything that is due and within the budgets; returns the effects in order."""
        self.start_attempts(now, posteriors)
        self.start_readings(now)
        effects, self.effects = self.effects, []
        return effects

    def values(self, now, posteriors):
        """The values with which each contact may be tried over each technology, regardless of budgets and steadiness."""
        found = defaultdict(list)

        def offer(order, prediction, address, is_steady, score):
            technology = OVER[order[0]]
            known = self.contacts[prediction.contact].tries[technology]
            is_first = prediction.epoch > known.tried
            is_repeat = (
                prediction.epoch == known.tried
                and known.calls <= len(REPEATED_AFTER)
                and may_repeat(known.failed_in, now)
            )
            if (is_first or is_repeat) and known.attempt is None:
                if address is None or self.may_call(address, order[0], now, prediction.contact, is_repeat):
                    value = Value(order, prediction, address, is_steady, score, is_repeat)
                    found[prediction.contact, technology].append(value)

        def share(predictions):
            return CEILING // max(len({prediction.contact for prediction in predictions}), 1)

        for name in self.observer.names:
            inside = [p for p in self.observer.look_up(name) if is_open(p.epoch, now)]
            for p in inside:
                offer((NAME, -p.epoch, p.device, name), p, None, True, share(inside))
        for address, predictions in self.radio.tags.items():
            span = self.radio.addresses[address].span
            inside = [p for p in predictions if is_open(p.epoch, now)]
            for p in inside:
                if self.radio.is_callable(span, now, self.contacts[p.contact].left_at):
                    offer((TAG, -p.epoch, p.device, address), p, address, span.is_steady, share(inside))
        for trace in self.radio.traces.values():
            for address, span in trace.addresses.items():
                for p in trace.predictions:
                    ended = self.contacts[p.contact].left_at
                    if is_open(trace.epoch, now) and self.radio.is_callable(span, now, ended):
                        order = (MINOR, -span.length, address, -p.epoch, p.device)
                        offer(order, p, address, span.is_steady, posteriors[p.contact])
        # While an epoch without an attempt has a value, nothing is repeated.
        for way, values in found.items():
            found[way] = [value for value in values if not value.is_repeat] or values
        return found

    def may_call(self, address, kind, now, contact, is_repeat):
        epoch, caller = self.radio.addresses[address].attempted.get(kind, (None, None))
        return epoch != now.epoch or (is_repeat and caller == contact)

    def may_call_names(self, now, is_recent):
        """After eight calls to names that did not confirm only recent contacts are called because of a name."""
        running = [attempt.counted_in for attempt in self.running(NETWORK)]
        epoch, ended = self.unconfirmed
        return is_recent or (ended if epoch == now.epoch else 0) + running.count(now.epoch) < UNCONFIRMED_CALLS

    def may_call_minors(self, now, is_recent):
        if len(self.radio.minors[now.epoch]) <= SWEEP and self.radio.crowded != now.epoch:
            return True
        return self.by_minor[now.epoch] < (SWEEP_CALLS if is_recent else SWEEP_CALLS_OF_OTHERS)

    def running(self, technology):
        attempts = [known.tries[technology].attempt for known in self.contacts.values()]
        return [attempt for attempt in attempts if attempt is not None]

    def has_place(self, technology, is_recent, is_repeat):
        """Whether a call over a technology may start; each has a budget of its own."""
        attempts, starts = self.running(technology), self.starts[technology]
        readings = list(self.reading.values()) if technology == RADIO else []
        running = [attempt.is_recent for attempt in attempts] + [False] * len(readings)
        started = [recent for _, recent, _ in starts]
        if len(started) >= ATTEMPTS_IN_A_MINUTE or len(running) >= ATTEMPTS_AT_ONCE:
            return False
        repeats = [attempt.is_repeat for attempt in attempts] + [repeat for _, repeat in readings]
        if is_repeat and (
            [repeat for _, _, repeat in starts].count(True) >= REPEATS_IN_A_MINUTE
            or repeats.count(True) >= REPEATS_AT_ONCE
        ):
            return False
        # One attempt of each budget is reserved for recent contacts.
        others = started.count(False) < ATTEMPTS_IN_A_MINUTE - 1 and running.count(False) < ATTEMPTS_AT_ONCE - 1
        return is_recent or others

    def delay(self, calls, longest):
        """The delay of a plan after this many calls in the epoch."""
        if calls == 0:
            return self.observer.draw() % (longest + 1)
        middle = REPEATED_AFTER[calls - 1]
        third = middle // 3
        return middle - third + self.observer.draw() % (2 * third + 1)

    def plan(self, now, values):
        """Updates the plans: a plan ends when its kind of value is no longer the best. A new plan draws a delay."""
        for contact, known in sorted(self.contacts.items()):
            for technology in TECHNOLOGIES:
                offered = values.get((contact, technology))
                self.plan_over(now, known, known.tries[technology], min(offered) if offered else None)

    def plan_over(self, now, known, tries, best):
        grounds = None if best is None else (best.order[0], best.is_repeat)
        if tries.plan is not None and (tries.plan.kind, tries.plan.is_repeat) != grounds:
            tries.plan = None
        # A session does not end a plan before its delay has run, and while it is open there is no other plan.
        if tries.plan is not None and known.sessions and tries.plan.due <= now.real:
            tries.plan = None
        if tries.plan is None and best is not None and not known.sessions:
            longest = DELAY_ON_NETWORK if best.order[0] == NAME else DELAY_BY_RADIO
            tries.plan = Plan(*grounds, now.real + self.delay(tries.calls if best.is_repeat else 0, longest))

    def start_attempts(self, now, posteriors):
        # Starting an attempt may use up values that other contacts need, so everything is computed again.
        while True:
            values = self.values(now, posteriors)
            self.plan(now, values)
            ready = self.ready(now, values)
            if not ready:
                break
            self.start_attempt(now, *min(ready)[4:])

    def ready(self, now, values):
        """The attempts that may start, each with its sort key."""
        for_now = []
        for (contact, technology), offered in values.items():
            known = self.contacts[contact]
            recent = self.observer.is_recent(known, now)
            plan = known.tries[technology].plan
            if plan is None or plan.due > now.real:
                continue
            if plan.kind == NAME and not self.may_call_names(now, recent):
                continue
            if plan.kind == MINOR and not self.may_call_minors(now, recent):
                continue
            if self.has_place(technology, recent, plan.is_repeat):
                if steady := [value for value in offered if value.is_steady and value.order[0] == plan.kind]:
                    best = min(steady)
                    order = plan.is_repeat, not recent, -best.score * known.importance, plan.due
                    for_now.append((*order, contact, best))
        return for_now

    def start_attempt(self, now, contact, value):
        prediction, kind = value.prediction, value.order[0]
        recent = self.observer.is_recent(self.contacts[contact], now)
        tries = self.contacts[contact].tries[OVER[kind]]
        tries.plan, tries.tried, tries.failed_in, tries.has_confirmed = None, prediction.epoch, None, False
        tries.calls = tries.calls + 1 if value.is_repeat else 1
        counted = now.epoch if kind == NAME else None
        self.by_minor[now.epoch] += kind == MINOR
        tries.attempt = Running(now.real, kind, value.address, recent, value.is_repeat, counted)
        self.starts[OVER[kind]].append((now.real, recent, value.is_repeat))
        effect = {"at": now.real, "effect": "attempt", "contact": contact}
        effect |= {"device": prediction.device, "epoch": prediction.epoch}
        member = {NAME: "name", TAG: "tag", MINOR: "minor"}[kind]
        effect[member] = getattr(prediction, member)
        if value.address is not None:
            self.radio.addresses[value.address].attempted[kind] = now.epoch, contact
            effect["address"] = value.address
        self.effects.append(effect)

    def end_attempt(self, now, tries, why):
        """An attempt ended without success; `why` is None for one that was given up."""
        attempt, tries.attempt = tries.attempt, None
        if why in FAILED_LINK:
            tries.failed_in = now.epoch
        if attempt.counted_in == now.epoch:
            epoch, ended = self.unconfirmed
            self.unconfirmed = now.epoch, 1 + (ended if epoch == now.epoch else 0)

    def notes(self, now):
        """The note that eight names did not confirm, once in an epoch of the observer."""
        epoch, ended = self.unconfirmed
        if epoch != now.epoch or ended < UNCONFIRMED_CALLS or self.replayed == epoch:
            return []
        self.replayed = epoch
        return [{"at": now.real, "effect": "replayed"}]

    def start_readings(self, now):
        for address, reading in list(self.planned.items()):
            record = self.radio.addresses[address]
            over = not may_repeat(reading.epoch, now) if reading.is_repeat else self.is_read(record, now)
            if not record.believed or over or not self.radio.is_callable(record.span, now):
                del self.planned[address]
        order = sorted((reading.is_repeat, reading.due, address) for address, reading in self.planned.items())
        for is_repeat, due, address in order:
            record = self.radio.addresses[address]
            has_place = self.has_place(RADIO, is_recent=False, is_repeat=is_repeat)
            may_start = len(self.hints) < HINTS_IN_A_MINUTE and has_place
            if due <= now.real and record.span.is_steady and may_start:
                del self.planned[address]
                self.reading[address] = now.real, is_repeat
                self.starts[RADIO].append((now.real, False, is_repeat))
                self.hints.append(now.real)
                record.read = now.epoch, 1 + (record.read[1] if self.is_read(record, now) else 0)
                self.effects.append({"at": now.real, "effect": "read", "address": address})

    @staticmethod
    def is_read(record, now):
        return record.read[0] == now.epoch

    def has_room_for_reading(self, address):
        record = self.radio.addresses[address]
        return record.believed and address not in self.planned and len(self.planned) < PLANNED_READINGS

    def plan_reading(self, now, address):
        if self.has_room_for_reading(address) and not self.is_read(self.radio.addresses[address], now):
            self.planned[address] = Reading(now.real + self.delay(0, DELAY_BY_RADIO), False, now.epoch)

    def repeat_reading(self, now, address):
        """Plans a reading whose link failed again."""
        record = self.radio.addresses[address]
        if self.is_read(record, now) and record.read[1] <= len(REPEATED_AFTER) and may_repeat(now.epoch, now):
            if self.has_room_for_reading(address):
                self.planned[address] = Reading(now.real + self.delay(record.read[1], None), True, now.epoch)

    def give_up(self, now):
        for technology, starts in self.starts.items():
            self.starts[technology] = [start for start in starts if now.real - start[0] < MINUTE]
        self.hints = [start for start in self.hints if now.real - start < MINUTE]
        self.reading = {at: reading for at, reading in self.reading.items() if now.real - reading[0] < ATTEMPT_LASTS}
        for tries in self.all_tries():
            if tries.attempt is not None and now.real - tries.attempt.start >= ATTEMPT_LASTS:
                self.end_attempt(now, tries, None)

    def all_tries(self):
        return (tries for known in self.contacts.values() for tries in known.tries.values())

    def moments(self):
        """The moments at which an attempt, a reading or a budget may change."""
        for tries in self.all_tries():
            if tries.plan is not None:
                yield tries.plan.due
            if tries.attempt is not None:
                yield tries.attempt.start + ATTEMPT_LASTS
        for address, reading in self.planned.items():
            yield reading.due
            yield self.radio.addresses[address].span.last + self.radio.gap
        yield from (start + ATTEMPT_LASTS for start, _ in self.reading.values())
        yield from (start + MINUTE for starts in self.starts.values() for start, _, _ in starts)
