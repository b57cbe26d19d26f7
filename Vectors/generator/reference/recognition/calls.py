"""Specs/recognition.md: attempts and readings of tags, with their delays and budgets."""

from collections import defaultdict, namedtuple

from .hearing import CEILING, is_open

MINUTE = 60_000
ATTEMPTS_IN_A_MINUTE, ATTEMPTS_AT_ONCE, HINTS_IN_A_MINUTE = 6, 2, 2
PLANNED_READINGS = 16
ATTEMPT_LASTS = 15_000
DELAY_ON_NETWORK, DELAY_BY_RADIO = 1_000, 5_000
# Kinds of values for attempts, the best first.
NAME, TAG, MINOR = 0, 1, 2
# A value for an attempt; the least `order` is the best, and its first element is the kind.
Value = namedtuple("Value", "order prediction address is_steady score")


class Calls:
    def __init__(self, observer):
        self.observer = observer
        self.contacts = observer.contacts
        self.radio = observer.radio
        self.starts = []  # moments, and whether the contact was recent
        self.hints = []  # moments
        self.planned = {}  # readings of tags, by address
        self.reading = {}
        self.effects = []

    def start(self, now, posteriors):
        """Starts everything that is due and within the budgets; returns the effects in order."""
        self.start_attempts(now, posteriors)
        self.start_readings(now)
        effects, self.effects = self.effects, []
        return effects

    def values(self, now, posteriors):
        """The values with which each contact may be tried, regardless of budgets and steadiness."""
        found = defaultdict(list)

        def offer(order, prediction, address, is_steady, score):
            known = self.contacts[prediction.contact]
            if prediction.epoch > known.tried and not known.sessions and known.attempt is None:
                found[prediction.contact].append(Value(order, prediction, address, is_steady, score))

        def share(predictions):
            return CEILING // max(len({prediction.contact for prediction in predictions}), 1)

        for name in self.observer.names:
            inside = [p for p in self.observer.look_up(name) if is_open(p.epoch, now)]
            for p in inside:
                offer((NAME, -p.epoch, p.device, name), p, None, True, share(inside))
        for address, predictions in self.radio.tags.items():
            span = self.radio.addresses[address].span
            inside = [p for p in predictions if is_open(p.epoch, now)]
            if self.may_call(address, span, TAG, now):
                for p in inside:
                    offer((TAG, -p.epoch, p.device, address), p, address, span.is_steady, share(inside))
        for trace in self.radio.traces.values():
            for address, span in trace.addresses.items():
                if is_open(trace.epoch, now) and self.may_call(address, span, MINOR, now):
                    for p in trace.predictions:
                        order = (MINOR, -span.length, address, -p.epoch, p.device)
                        offer(order, p, address, span.is_steady, posteriors[p.contact])
        return found

    def may_call(self, address, span, kind, now):
        return self.radio.addresses[address].attempted.get(kind) != now.epoch and self.radio.is_there(span, now)

    def has_place(self, now, is_recent):
        running = [known.attempt[2] for known in self.contacts.values() if known.attempt is not None]
        running += [False] * len(self.reading)
        started = [recent for _, recent in self.starts]
        if len(started) >= ATTEMPTS_IN_A_MINUTE or len(running) >= ATTEMPTS_AT_ONCE:
            return False
        # One attempt of each budget is reserved for recent contacts.
        others = started.count(False) < ATTEMPTS_IN_A_MINUTE - 1 and running.count(False) < ATTEMPTS_AT_ONCE - 1
        return is_recent or others

    def plan(self, now, values):
        """Updates the plans: a plan ends when its kind of value is no longer the best. A new plan draws a delay."""
        for contact, known in sorted(self.contacts.items()):
            kind = min(values[contact]).order[0] if contact in values else None
            if known.plan is not None and known.plan[0] != kind:
                known.plan = None
            if known.plan is None and kind is not None:
                longest = DELAY_ON_NETWORK if kind == NAME else DELAY_BY_RADIO
                known.plan = kind, now.real + self.observer.draw() % (longest + 1)

    def start_attempts(self, now, posteriors):
        # Starting an attempt may use up values that other contacts need, so everything is computed again.
        while True:
            values = self.values(now, posteriors)
            self.plan(now, values)
            ready = self.ready(now, values)
            if not ready:
                break
            self.start_attempt(now, *min(ready)[3:])

    def ready(self, now, values):
        """The attempts that may start, each with its sort key."""
        for_now = []
        for contact, offered in values.items():
            known = self.contacts[contact]
            recent = self.observer.is_recent(known, now)
            if known.plan is not None and known.plan[1] <= now.real and self.has_place(now, recent):
                if steady := [value for value in offered if value.is_steady and value.order[0] == known.plan[0]]:
                    best = min(steady)
                    for_now.append((not recent, -best.score * known.importance, known.plan[1], contact, best))
        return for_now

    def start_attempt(self, now, contact, value):
        known = self.contacts[contact]
        prediction, kind, recent = value.prediction, value.order[0], self.observer.is_recent(known, now)
        known.plan, known.attempt, known.tried = None, (now.real, value.address, recent), prediction.epoch
        self.starts.append((now.real, recent))
        effect = {"at": now.real, "effect": "attempt", "contact": contact}
        effect |= {"device": prediction.device, "epoch": prediction.epoch}
        member = {NAME: "name", TAG: "tag", MINOR: "minor"}[kind]
        effect[member] = getattr(prediction, member)
        if value.address is not None:
            self.radio.addresses[value.address].attempted[kind] = now.epoch
            effect["address"] = value.address
        self.effects.append(effect)

    def start_readings(self, now):
        for address in list(self.planned):
            record = self.radio.addresses[address]
            if not record.believed or record.read == now.epoch or not self.radio.is_there(record.span, now):
                del self.planned[address]
        for due, address in sorted((due, address) for address, due in self.planned.items()):
            record = self.radio.addresses[address]
            may_start = len(self.hints) < HINTS_IN_A_MINUTE and self.has_place(now, is_recent=False)
            if due <= now.real and record.span.is_steady and may_start:
                del self.planned[address]
                self.reading[address] = now.real
                self.starts.append((now.real, False))
                self.hints.append(now.real)
                record.read = now.epoch
                self.effects.append({"at": now.real, "effect": "read", "address": address})

    def plan_reading(self, now, address):
        record = self.radio.addresses[address]
        is_free = address not in self.planned and record.read != now.epoch
        if record.believed and is_free and len(self.planned) < PLANNED_READINGS:
            self.planned[address] = now.real + self.observer.draw() % (DELAY_BY_RADIO + 1)

    def give_up(self, now):
        self.starts = [start for start in self.starts if now.real - start[0] < MINUTE]
        self.hints = [start for start in self.hints if now.real - start < MINUTE]
        self.reading = {at: start for at, start in self.reading.items() if now.real - start < ATTEMPT_LASTS}
        for known in self.contacts.values():
            if known.attempt is not None and now.real - known.attempt[0] >= ATTEMPT_LASTS:
                known.attempt = None

    def moments(self):
        """The moments at which an attempt, a reading or a budget may change."""
        for known in self.contacts.values():
            if known.plan is not None:
                yield known.plan[1]
            if known.attempt is not None:
                yield known.attempt[0] + ATTEMPT_LASTS
        for address, due in self.planned.items():
            yield due
            yield self.radio.addresses[address].span.last + self.radio.gap
        yield from (start + ATTEMPT_LASTS for start in self.reading.values())
        yield from (start + MINUTE for start, _ in self.starts)
