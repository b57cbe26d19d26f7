"""Specs/recognition.md: the observer, with its contacts, their evidence and their states."""

from collections import defaultdict, namedtuple
from dataclasses import dataclass, field

from .calls import NETWORK, QUIET_END, RADIO, TECHNOLOGIES, Calls, Tries
from .hearing import CANDIDATE, PROBABLE, WHOLE, Hearing, is_open, window

SHORTEST_TIMER = 30_000
LONGEST_WITHOUT_RECORD = 900_000
LONGEST_WITHOUT_HANDSHAKE = 1_800_000
RECENT = 86_400_000
RECENT_PRIOR = 3_277
MOST_NAMES = 256
LEVELS = {PROBABLE: "probable", CANDIDATE: "candidate"}

# Evidence for a contact: its level, the last moment, and when it ends if it continues.
Evidence = namedtuple("Evidence", "level is_name until end")


@dataclass
class Contact:
    prior: int
    importance: int
    arrive_after: int
    depart_after: int
    leave_after: int
    state: str = "unseen"
    named: dict = field(default_factory=dict)  # by level: the last moment of a name that is no longer evidence
    seen: int | None = None  # the last moment of any evidence
    supported: int | None = None  # the last moment of evidence that keeps it present; None if absent
    since: int | None = None  # when this presence began
    arrived: bool = False
    authentic: int | None = None  # the last handshake or authentic record
    handshake: int | None = None
    sessions: set = field(default_factory=set)  # of devices
    left_at: int | None = None  # when a session last ended
    goodbye: int | None = None  # when a device last said that it leaves, since the last handshake
    over: int | None = None  # evidence up to this moment had run out when the timers were changed, and counts no more
    silenced: dict = field(default_factory=dict)  # by device that left: the last epoch whose values are no evidence
    tries: dict = field(default_factory=lambda: {technology: Tries() for technology in TECHNOLOGIES})

    def running(self, over):
        """What runs over a technology; where none is named, over the network, or else by radio."""
        ways = [self.tries[technology] for technology in ([over] if over else TECHNOLOGIES)]
        return next((tries for tries in ways if tries.attempt is not None), None)


@dataclass
class Name:
    first: int  # the earliest bound of the first observation, on the monotonic clock
    had_predictions: bool = False
    over: set = field(default_factory=set)  # predictions whose window had ended at the look-up
    counted: dict = field(default_factory=dict)  # by prediction: the last moment at which it counted, and its level


class Observer:
    """Each event returns effects; `wake` is the moment of the next call to `settle`."""

    def __init__(self, predictions, decoys, draw):
        self.known_predictions = predictions
        self.decoys = decoys
        self.draw = draw
        self.contacts = {}
        self.table = None
        self.by_value = {}
        self.names = {}
        self.radio = Hearing()
        self.calls = Calls(self)
        self.effects = []
        self.wake = None

    # Look-ups

    def index(self):
        """The predictions of known contacts, by value."""
        self.by_value = defaultdict(list)
        for prediction in self.known_predictions:
            in_force = self.table is not None and abs(prediction.epoch - self.table) <= 1
            if in_force and prediction.contact in self.contacts:
                for value in (prediction.name, prediction.minor, ("tag", prediction.tag)):
                    self.by_value[value].append(prediction)

    def look_up(self, value):
        return self.by_value.get(value, [])

    def note(self, effect, now, contacts):
        self.effects.append({"at": now.real, "effect": effect, "contacts": sorted(set(contacts))})

    @staticmethod
    def bounds(now, observed, uncertainty):
        """The earliest and the latest bound of an observation, in protocol time."""
        observed = now.protocol if observed is None else observed
        return min(observed - uncertainty, now.protocol), min(observed + uncertainty, now.protocol)

    # Events

    def add(self, now, contact, **options):
        if contact not in self.contacts:
            self.contacts[contact] = Contact(*self.settings(**options))
            self.index()

    @staticmethod
    def settings(prior=328, importance=1, arriveAfter=0, departAfter=120_000, leaveAfter=SHORTEST_TIMER):
        return prior, importance, arriveAfter, departAfter, leaveAfter

    def options(self, now, contact, **options):
        """Other settings of a contact; what is known of it stays."""
        if (known := self.contacts.get(contact)) is not None:
            self.weigh(now)
            moments = [known.over, now.real - self.departure_timer(known), known.goodbye]
            known.over = max(last for last in moments if last is not None and self.is_over(known, last, now))
            chosen = self.settings(**options)
            known.prior, known.importance, known.arrive_after, known.depart_after, known.leave_after = chosen

    def remove(self, now, contact):
        self.calls.give_up(now)
        if (leaving := self.contacts.get(contact)) is None:
            return
        if leaving.state not in ("unseen", "gone"):
            self.effects.append(self.change(now, contact, leaving.state, "gone"))
        if leaving.arrived:
            self.effects.append({"at": now.real, "effect": "left", "contact": contact})
        del self.contacts[contact]
        self.index()
        self.radio.forget(contact)

    def put_in_force(self, now, epoch):
        self.weigh(now)
        fresh = [seen for name, seen in self.names.items() if not seen.had_predictions and not self.look_up(name)]
        self.table = epoch
        self.index()
        for name, seen in self.names.items():
            self.judge_name(now, name, seen, is_fresh=any(seen is one for one in fresh))

    def name(self, now, name, observed=None, uncertainty=0):
        if name in self.names:
            return
        if len(self.names) == MOST_NAMES:
            strangers = [other for other in self.names if not self.look_up(other)]
            if not strangers:
                return
            self.vanished(now, strangers[0])
        self.names[name] = Name(now.moment(self.bounds(now, observed, uncertainty)[0]))
        self.judge_name(now, name, self.names[name], is_fresh=True)

    def judge_name(self, now, name, seen, is_fresh):
        """Notes a name that was never inside a window of its predictions, when it first has some."""
        predictions = self.look_up(name)
        seen.had_predictions = seen.had_predictions or bool(predictions)
        if is_fresh and predictions and not any(self.has_met(now, seen, p.epoch) for p in predictions):
            self.note("outside", now, [prediction.contact for prediction in predictions])

    def vanished(self, now, name):
        if name in self.names:
            self.weigh(now)
            for p, (last, level) in self.names.pop(name).counted.items():
                self.end_evidence(p.contact, level, last)

    def forgotten(self, now):
        for name in list(self.names):
            self.vanished(now, name)

    def minor(self, now, minor, address, rssi, observed=None, uncertainty=0):
        bounds = self.bounds(now, observed, uncertainty)
        reason, notes = self.radio.judge(now, minor, address, *bounds, self.look_up(minor))
        for contacts in notes:
            self.note("outside" if reason == "outside" else "contested", now, contacts)
        record = self.radio.addresses[address]
        if reason == "stranger" and self.decoys and record.span.is_steady and record.diced != now.epoch:
            record.diced = now.epoch
            if self.draw() % WHOLE < self.decoys:
                self.calls.plan_reading(now, address)

    def overflow(self, now, address, observed=None, uncertainty=0):
        earliest, latest = self.bounds(now, observed, uncertainty)
        self.radio.hear(now, address, earliest, latest)
        self.calls.plan_reading(now, address)

    def tag(self, now, address, tag=None, observed=None, uncertainty=0):
        self.calls.reading.pop(address, None)
        if tag is None:
            return
        predictions = self.look_up(("tag", tag))
        earliest, latest = self.bounds(now, observed, uncertainty)
        record = self.radio.hear(now, address, earliest, latest)
        if not record.believed:
            return
        met = [p for p in predictions if latest >= window(p.epoch)[0] and earliest < window(p.epoch)[1]]
        if not predictions:
            self.radio.found_stranger(address)
        elif not met:
            self.note("outside", now, [prediction.contact for prediction in predictions])
        self.radio.tags.pop(address, None)
        if met:
            # The address may have been heard after this reading, and counts until the window ended.
            read, last = now.moment(earliest), record.span.last
            ends = {p: now.moment(window(p.epoch)[1]) for p in met}
            self.radio.store_tag(address, {p: last if last < end else read for p, end in ends.items()})

    def unread(self, now, address):
        self.calls.give_up(now)
        if self.calls.reading.pop(address, None) is not None:
            self.calls.repeat_reading(now, address)

    def confirmed(self, now, contact, device, initiator, over=None):
        if (known := self.contacts.get(contact)) is None:
            return
        self.calls.give_up(now)
        if known.since is None:
            known.since, known.arrived, known.supported = now.real, False, now.real
        known.supported = known.seen = known.handshake = known.authentic = now.real
        known.sessions.add(device)
        known.silenced.pop(device, None)
        known.goodbye = None
        for tries in known.tries.values():
            tries.failed_in = None
        if initiator and (tries := known.running(over)) is not None:
            if tries.attempt.address is not None:
                self.radio.proven[tries.attempt.address] = contact, tries.tried
            tries.attempt, tries.has_confirmed = None, True
        if (attempt := known.tries[NETWORK].attempt) is not None:
            known.tries[NETWORK].attempt = attempt._replace(counted_in=None)

    def failed(self, now, contact, why, over=None):
        self.calls.give_up(now)
        known = self.contacts.get(contact)
        tries = None if known is None else known.running(over)
        if tries is None:
            return
        address = tries.attempt.address
        self.calls.end_attempt(now, tries, why)
        if why == "stranger" and address is not None:
            self.radio.found_stranger(address)

    def heard(self, now, contact, device):
        known = self.contacts.get(contact)
        if known is not None and device in known.sessions:
            known.authentic = now.real

    def ended(self, now, contact, device):
        known = self.contacts.get(contact)
        if known is not None and device in known.sessions:
            self.weigh(now)
            known.sessions.remove(device)
            known.left_at = now.real

    def leaves(self, now, contact, device):
        """The device has said in a session that it leaves: its sessions end, and what it has shown is no evidence."""
        known = self.contacts.get(contact)
        if known is not None and device in known.sessions:
            self.ended(now, contact, device)
            known.goodbye = now.real
            known.silenced[device] = now.epoch

    def cut(self, now, over):
        """The device has ended its links over a technology; attempts that confirmed are as if their link had failed."""
        self.calls.give_up(now)
        for known in self.contacts.values():
            tries = known.tries[over]
            if tries.has_confirmed:
                tries.has_confirmed, tries.failed_in = False, now.epoch
        if over == RADIO:
            self.radio.cut = now.real

    def crowd(self, now):
        """The radio leaves out what is not predicted."""
        self.radio.crowded = now.epoch

    def set_gap(self, now, milliseconds):
        self.radio.gap = min(max(milliseconds, 1_000), 600_000)

    # Timers

    def stale_timer(self):
        return max(SHORTEST_TIMER, self.radio.gap)

    def departure_timer(self, known):
        return max(SHORTEST_TIMER, self.radio.gap, known.depart_after)

    def departure(self, known, last):
        """When a contact has left whose last evidence is of this moment."""
        after_silence = last + self.departure_timer(known)
        if known.goodbye is None or last > known.goodbye:
            return after_silence
        return min(after_silence, known.goodbye + max(SHORTEST_TIMER, self.radio.gap, known.leave_after))

    def is_over(self, known, last, now):
        """Whether evidence of this moment counts for nothing any more."""
        had_ended = known.over is not None and last <= known.over
        return had_ended or self.departure(known, last) <= now.real

    def is_silenced(self, prediction):
        known = self.contacts[prediction.contact]
        return prediction.epoch <= known.silenced.get(prediction.device, -1)

    def is_recent(self, known, now):
        return known.handshake is not None and now.real - known.handshake < RECENT

    # Evidence

    def prior_of(self, contact, now):
        known = self.contacts[contact]
        return max(known.prior, RECENT_PRIOR) if self.is_recent(known, now) else known.prior

    def posteriors(self, now):
        """The posteriors of contacts with traces; other contacts have their prior."""
        traces = defaultdict(list)
        for trace in self.radio.traces.values():
            for contact in trace.contacts:
                traces[contact].append(trace)
        def prior_of(contact):
            return self.prior_of(contact, now)

        return {
            contact: self.radio.posterior(contact, traces.get(contact, []), prior_of, now)
            for contact in self.contacts
        }

    @staticmethod
    def level_of(predictions):
        return CANDIDATE if len({prediction.contact for prediction in predictions}) > 1 else PROBABLE

    def end_evidence(self, contact, level, until):
        """Ends the evidence of a name that has vanished or left its window."""
        known = self.contacts[contact]
        known.named[level] = max(known.named.get(level, until), until)
        self.remember(known, [Evidence(level, True, until, None)], until)

    def weigh_name(self, now, name, seen):
        """For a name that is present: the predictions inside their window and the level; ends the others."""
        predictions = self.look_up(name)
        # A name counts as observed from its first observation until it vanishes.
        met = [p for p in predictions if self.has_met(now, seen, p.epoch)]
        level = self.level_of(met)
        met = [p for p in met if not self.is_silenced(p)]
        inside = [p for p in met if is_open(p.epoch, now)]
        for p, (last, last_level) in seen.counted.items():
            if p not in inside and p.contact in self.contacts:
                end = now.moment(window(p.epoch)[1])
                self.end_evidence(p.contact, last_level, max(last, end) if end <= now.real else last)
        for p in met:
            end = now.moment(window(p.epoch)[1])
            is_old = self.is_over(self.contacts[p.contact], end, now)
            if p not in inside and p not in seen.counted and p not in seen.over and not is_old:
                self.end_evidence(p.contact, level, end)
        seen.over.update(p for p in predictions if window(p.epoch)[1] <= now.protocol)
        seen.counted = {p: (now.real, level) for p in inside}
        return inside, level

    @staticmethod
    def has_met(now, seen, epoch):
        start, end = window(epoch)
        return start <= now.protocol and seen.first < now.moment(end)

    def weigh(self, now):
        """All evidence at this moment, by contact; updates the record of each contact."""
        posteriors = self.posteriors(now)
        evidence = defaultdict(list)
        for name, seen in self.names.items():
            inside, level = self.weigh_name(now, name, seen)
            for p in inside:
                evidence[p.contact].append(Evidence(level, True, now.real, now.moment(window(p.epoch)[1])))
        for address, predictions in self.radio.tags.items():
            for p, last in predictions.items():
                if not self.is_silenced(p):
                    evidence[p.contact].append(Evidence(self.level_of(predictions), False, last, None))
        for trace in self.radio.traces.values():
            for contact in {p.contact for p in trace.predictions if not self.is_silenced(p)}:
                if (level := self.radio.level(trace, posteriors[contact])) is not None:
                    evidence[contact].append(Evidence(level, False, trace.last, None))
                for last in self.radio.proven_moments(trace, contact):
                    evidence[contact].append(Evidence(PROBABLE, False, last, None))
        for contact, known in self.contacts.items():
            fresh = [item for item in evidence[contact] if item.is_name or not self.is_over(known, item.until, now)]
            self.remember(known, fresh, now.real)
        return posteriors, evidence

    @staticmethod
    def remember(known, evidence, real):
        """Updates the last moment of evidence and of presence; neither moves back."""
        moments = [item.until for item in evidence]
        if known.since is not None:
            sessions = [min(real, known.authentic + LONGEST_WITHOUT_RECORD)] if known.sessions else []
            passive = [item.until for item in evidence if item.is_name or item.level == PROBABLE]
            passive = [min(until, known.authentic + LONGEST_WITHOUT_HANDSHAKE) for until in passive]
            known.supported = max([known.supported, *sessions, *passive])
            moments += sessions
        if moments:
            known.seen = max(moments if known.seen is None else [known.seen, *moments])

    def state_of(self, known, evidence, now):
        """The state from the evidence; ends a presence without support for the departure timer."""
        if known.since is not None:
            if now.real - known.supported < self.stale_timer():
                return "confirmed"
            if self.departure(known, known.supported) > now.real:
                return "stale"
            known.since = known.supported = None
            known.sessions.clear()
        best = dict(known.named)
        for item in evidence:
            best[item.level] = max(best.get(item.level, item.until), item.until)
        for level, state in LEVELS.items():
            if level in best and now.real - best[level] < self.stale_timer():
                return state
        if known.seen is None:
            return "unseen"
        return "gone" if self.is_over(known, known.seen, now) else "stale"

    @staticmethod
    def change(now, contact, before, after):
        return {"at": now.real, "effect": "state", "contact": contact, "from": before, "to": after}

    # Effects

    def settle(self, now):
        """The effects due at this moment, in order."""
        self.calls.give_up(now)
        self.radio.expire(now)
        posteriors, evidence = self.weigh(now)
        # A removal has its effects in the event itself; they are sorted among the changes by contact.
        notes = [effect for effect in self.effects if "contacts" in effect] + self.calls.notes(now)
        changes = defaultdict(list)
        for effect in self.effects:
            if "contact" in effect:
                changes[effect["contact"]].append(effect)
        for contact, known in self.contacts.items():
            changes[contact] += self.changes_of(contact, known, evidence[contact], now)
        self.effects = notes + [effect for contact in sorted(changes) for effect in changes[contact]]
        self.effects += self.calls.start(now, posteriors)
        self.wake = min((moment for moment in self.moments(now, evidence) if moment > now.real), default=None)
        effects, self.effects = self.effects, []
        return effects

    def changes_of(self, contact, known, evidence, now):
        changes = []
        state = self.state_of(known, evidence, now)
        if state != known.state:
            changes.append(self.change(now, contact, known.state, state))
            known.state = state
        if known.since is None and known.arrived:
            known.arrived = False
            changes.append({"at": now.real, "effect": "left", "contact": contact})
        elif known.since is not None and not known.arrived and now.real - known.since >= known.arrive_after:
            known.arrived = True
            changes.append({"at": now.real, "effect": "arrived", "contact": contact})
        return changes

    def moments(self, now, evidence):
        """The moments at which something may change without an event, including past ones."""
        for contact, known in self.contacts.items():
            lasting = [*known.named.values(), known.seen, known.supported, *(item.until for item in evidence[contact])]
            for last in lasting:
                if last is not None:
                    yield from (last + self.stale_timer(), self.departure(known, last))
            yield from (item.end for item in evidence[contact] if item.end is not None)
            if known.since is not None:
                yield known.authentic + LONGEST_WITHOUT_RECORD
                yield known.authentic + LONGEST_WITHOUT_HANDSHAKE
                yield known.since + known.arrive_after
            if known.handshake is not None:
                yield known.handshake + RECENT
        for name in self.names:
            yield from (now.moment(window(p.epoch)[0]) for p in self.look_up(name))
        for trace in self.radio.traces.values():
            yield from (trace.last + count * self.radio.gap for count in range(1, 9))
            yield from (span.last + self.radio.gap for span in trace.addresses.values())
            yield now.moment(window(trace.epoch)[1])
            yield now.moment(window(trace.epoch + 1)[1])
        for address, predictions in self.radio.tags.items():
            yield self.radio.addresses[address].span.last + self.radio.gap
            yield from (now.moment(window(prediction.epoch)[1]) for prediction in predictions)
        yield from self.calls.moments()
        yield now.moment((now.epoch + 1) * 900_000)
        yield now.moment((now.epoch + 1) * 900_000 - QUIET_END)
