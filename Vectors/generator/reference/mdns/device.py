"""Specs/mdns.md: a device from one silent gap to the next: what it sends, asks, answers and reports."""

from dataclasses import dataclass, field

from ...tools.refusal import Refusal
from .answering import MDNS_PORT, Answering
from .hearing import Hearing
from .reading import read
from .remembering import Census, Endpoints
from .sending import legacy_reply, query, response

HOP_LIMIT = 255
SECOND = 1_000
# The intervals after the first queries; then from 60 to 120 s.
INTERVALS = (1_000, 3_000, 9_000, 27_000)
QUERY_REST = 4_000
COPIES, COPY_LASTS = 64, 1_000
MOST_SEARCHES, SEARCH_LASTS = 4, 3_000


@dataclass
class Interface:
    """`prefixes` are pairs of address and length."""

    number: int
    families: tuple  # of False for IPv4, True for IPv6
    published: list
    prefixes: list
    loopback: bool
    is_shown: bool

    @property
    def paths(self):
        return [(self.number, family) for family in sorted(self.families)]

    @property
    def shows(self):
        return self.is_shown and bool(self.published)


@dataclass
class Plan:
    """What is due on an interface by itself."""

    announcements: list = field(default_factory=list)
    query: int | None = None
    queries: int = 0
    last_query: int | None = None


@dataclass
class Search:
    host: bytes
    questions: list
    end: int


def by_number(interfaces):
    """The interfaces by number; of several with one number, the first."""
    return {one.number: one for one in reversed(interfaces)}


class Device(Answering, Hearing):
    def __init__(self, draw, announced, answered, browses, known, interfaces):
        self.draw = draw
        self.announced = announced
        self.answered = answered
        self.browses = browses
        self.known = known
        self.interfaces = by_number(interfaces)
        self.published = {address for one in interfaces for address in one.published}
        self.now = 0
        self.effects = []
        self.is_running = self.has_stopped = self.is_imitated = False
        self.census = Census(0)
        self.plans = {}
        self.last = {}  # the last response by multicast, by path and name
        self.due = {}
        self.replies = []
        self.replies_full = 0
        self.copies = []
        self.endpoints = Endpoints()
        self.searches = {}

    # What happens

    def start(self):
        if self.is_running or self.has_stopped:
            return
        self.is_running = True
        self.census = Census(self.now)
        for number in sorted(self.interfaces):
            self.begin(number)

    def stop(self, goodbye):
        if goodbye and self.announced and self.is_running:
            for path in sorted(path for one in self.interfaces.values() for path in one.paths):
                if (path, self.announced["name"]) in self.last and self.interfaces[path[0]].shows:
                    self.emit("send", **self.on(path), packet=self.packet(self.announced, path, ttl=0))
        self.is_running, self.has_stopped = False, True

    def change_interfaces(self, interfaces):
        before, self.interfaces = self.interfaces, by_number(interfaces)
        self.published |= {address for one in interfaces for address in one.published}
        if not self.is_running:
            return
        self.plans = {number: plan for number, plan in self.plans.items() if number in self.interfaces}
        self.drop_what_is_not_in_use()
        for number, interface in sorted(self.interfaces.items()):
            old = before.get(number)
            if old is None or (set(old.families), old.is_shown) != (set(interface.families), interface.is_shown):
                self.begin(number)
            elif old.published != interface.published:
                self.announce_change(interface, is_first=not old.published)
        self.forget()

    def change_answered(self, instances):
        self.answered = instances
        self.drop_what_is_not_in_use()

    def change_known(self, known):
        self.known = known
        for number in sorted(self.plans):
            plan = self.plans[number]
            if plan.last_query is not None and self.is_running:
                wanted = max(self.now + self.delay(), plan.last_query + QUERY_REST)
                plan.query = min(plan.query, wanted)

    def search(self, name, host=None):
        found = self.endpoints.in_order(name)
        if self.has_stopped:
            return
        if found:
            self.emit("found", name=name, endpoints=found)
        elif not self.is_running or host is None or (name not in self.searches and len(self.searches) >= MOST_SEARCHES):
            self.emit("not-found", name=name)
        else:
            first = self.now + self.delay()
            self.searches[name] = Search(host, [first, first + SECOND], self.now + SEARCH_LASTS)

    def receive(self, packet, number, source, port, hop_limit):
        path = (number, len(source) == 16)
        if not self.is_running or number not in self.interfaces or path not in self.interfaces[number].paths:
            return
        if self.is_copy(packet, path):
            return
        try:
            header, questions, records = read(packet)
        except Refusal:
            return
        interface = self.interfaces[number]
        if header.response:
            if port != MDNS_PORT or hop_limit != HOP_LIMIT:
                return
            self.hear(records, interface, source)
        else:
            self.answer(header, questions, records, path, source, port)
        if any(self.is_imitation(header, record) for record in records) and not self.is_imitated:
            self.is_imitated = True
            self.emit("imitated")
            self.announce(interface)

    # What is sent without being asked

    def begin(self, number):
        first = self.now + self.delay()
        self.plans[number] = plan = Plan()
        if self.announced and self.interfaces[number].shows:
            self.plan_announcements(self.interfaces[number], first, first + SECOND)
        if self.browses:
            plan.query = first

    def announce_change(self, interface, is_first):
        plan = self.plans[interface.number]
        if self.announced and interface.shows and not plan.announcements:
            earliest = [self.last.get((path, self.announced["name"])) for path in interface.paths]
            moments = [last + SECOND for last in earliest if last is not None]
            moment = max([self.now + self.delay(), *moments])
            self.plan_announcements(interface, *([moment, moment + SECOND] if is_first else [moment]))

    def plan_announcements(self, interface, *moments):
        """Announcements are the response to what is asked until then."""
        self.plans[interface.number].announcements = list(moments)
        for path in interface.paths:
            self.due.pop((path, self.announced["name"]), None)

    def announce(self, interface):
        if self.announced and interface.shows:
            for path in interface.paths:
                self.respond(self.announced, path)

    def ask(self, interface, plan):
        plan.queries += 1
        plan.last_query = self.now
        if plan.queries <= len(INTERVALS):
            interval = INTERVALS[plan.queries - 1]
        else:
            interval = 60_000 + self.draw() % 60_001
        plan.query = self.now + interval
        for path in interface.paths:
            self.multicast(query(), path)

    # Time

    @property
    def wake(self):
        if not self.is_running:
            return None
        moments = [*self.due.values(), *(reply.due for reply in self.replies), *self.endpoints.moments()]
        for plan in self.plans.values():
            moments += plan.announcements
            moments += [] if plan.query is None else [plan.query]
        for search in self.searches.values():
            moments += [*search.questions, search.end]
        return min(moments, default=None)

    def fire(self):
        for number, plan in sorted(self.plans.items()):
            interface = self.interfaces[number]
            if plan.announcements and plan.announcements[0] <= self.now:
                plan.announcements.pop(0)
                self.announce(interface)
            if plan.query is not None and plan.query <= self.now:
                self.ask(interface, plan)
        self.send_what_is_due()
        self.continue_searches()
        self.forget()

    def send_what_is_due(self):
        for path, name in sorted(key for key, moment in self.due.items() if moment <= self.now):
            del self.due[path, name]
            if self.interfaces[path[0]].shows:
                self.respond(self.own(name), path)
        due = [reply for reply in self.replies if reply.due <= self.now]
        self.replies = [reply for reply in self.replies if reply.due > self.now]
        for reply in due:
            if self.interfaces[reply.path[0]].shows:
                packet = self.packet(self.own(reply.name), reply.path, legacy=reply.legacy)
                self.emit("send", **self.on(reply.path), packet=packet, to=reply.address, port=reply.port)

    def continue_searches(self):
        for name, search in sorted(self.searches.items()):
            if search.questions and search.questions[0] <= self.now:
                search.questions.pop(0)
                for path in sorted(path for one in self.interfaces.values() for path in one.paths):
                    self.multicast(query(name), path)
            if search.end <= self.now:
                del self.searches[name]
                found = self.endpoints.in_order(name)
                if found:
                    self.emit("found", name=name, endpoints=found)
                else:
                    self.emit("not-found", name=name)

    def forget(self):
        for name in self.endpoints.forget(self.now, self.interfaces):
            self.emit("vanished", name=name)

    def delay(self):
        return 20 + self.draw() % 101

    # Packets

    def instances(self):
        return [*([self.announced] if self.announced else []), *self.answered]

    def own(self, name):
        return next((one for one in self.instances() if one["name"] == name), None)

    def is_own(self, name):
        return self.own(name) is not None

    def drop_what_is_not_in_use(self):
        paths = {path for one in self.interfaces.values() for path in one.paths}

        def is_kept(path, name):
            return path in paths and self.is_own(name)

        self.last = {key: moment for key, moment in self.last.items() if is_kept(*key)}
        self.due = {key: moment for key, moment in self.due.items() if is_kept(*key)}
        self.replies = [reply for reply in self.replies if is_kept(reply.path, reply.name)]

    def packet(self, instance, path, legacy=None, **members):
        shown = {**instance, "announced": instance == self.announced}
        shown["addresses"] = self.interfaces[path[0]].published
        if legacy is not None:
            return legacy_reply(*legacy, **shown)
        return response(**shown, **members)

    def respond(self, instance, path):
        key = path, instance["name"]
        self.last[key] = self.now
        self.due.pop(key, None)
        self.multicast(self.packet(instance, path), path)

    def multicast(self, packet, path):
        self.copies = [copy for copy in self.copies if self.now - copy[2] < COPY_LASTS][-COPIES + 1 :]
        self.copies.append((packet, path, self.now))
        self.emit("send", **self.on(path), packet=packet)

    def is_copy(self, packet, path):
        for copy in self.copies:
            if copy[:2] == (packet, path) and self.now - copy[2] < COPY_LASTS:
                self.copies.remove(copy)
                return True
        return False

    def on(self, path):
        return {"interface": path[0], "ipv6": path[1]}

    def emit(self, effect, **members):
        self.effects.append({"at": self.now, "effect": effect, **members})
