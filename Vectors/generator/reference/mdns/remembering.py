"""Specs/mdns.md: what a device remembers of others: endpoints of known names, and how many names there are."""

from dataclasses import dataclass

MOST_NAMES, MOST_ENDPOINTS, MOST_OF_A_NAME, KEPT_FIRST = 256, 512, 8, 4
ENDPOINT_COUNTS = 240_000
MINUTE, MOST_COUNTED = 60_000, 1_000


@dataclass
class Heard:
    """An endpoint, with the interface and the source of the packet that made it."""

    interface: int
    source: bytes
    address: bytes
    port: int
    is_link_local: bool
    last: int

    @property
    def endpoint(self):
        found = {"address": self.address, "port": self.port}
        return {**found, "interface": self.interface} if self.is_link_local else found


class Endpoints:
    """For each name, its endpoints in the order in which they were heard first."""

    def __init__(self):
        self.of = {}

    def count(self):
        return sum(len(heard) for heard in self.of.values())

    def hear(self, name, new):
        """Returns whether the name appears."""
        appears = name not in self.of
        heard = self.of.get(name, [])
        for place, old in enumerate(heard):
            if (old.interface, old.source, old.endpoint) == (new.interface, new.source, new.endpoint):
                heard[place] = new
                return False
        if appears and len(self.of) >= MOST_NAMES:
            return False
        if len(heard) >= MOST_OF_A_NAME:
            del heard[KEPT_FIRST]
        elif self.count() >= MOST_ENDPOINTS and not self.give_way():
            return False
        self.of.setdefault(name, []).append(new)
        return appears

    def give_way(self):
        """Drops the newest endpoint of the name with most, of several of the greatest; false if each has one."""
        name = max(self.of, key=lambda one: (len(self.of[one]), one))
        if len(self.of[name]) == 1:
            return False
        self.of[name].pop()
        return True

    def in_order(self, name):
        """The endpoints in the order in which they are called."""
        heard = self.of.get(name, [])
        order = [one for one in heard if one.address == one.source]
        others = [one for one in heard if one.address != one.source]
        while others:
            order.append(others.pop(0))
            if others:
                order.append(others.pop())
        found = []
        for one in order:
            if one.endpoint not in found:
                found.append(one.endpoint)
        return found

    def forget(self, now, interfaces):
        """Drops what does not count any more; returns the names that vanish, in ascending order."""
        before = set(self.of)
        kept = {
            name: [one for one in heard if one.interface in interfaces and now < one.last + ENDPOINT_COUNTS]
            for name, heard in self.of.items()
        }
        self.of = {name: heard for name, heard in kept.items() if heard}
        return sorted(before - set(self.of))

    def moments(self):
        for heard in self.of.values():
            yield from (one.last + ENDPOINT_COUNTS for one in heard)


class Census:
    """The names that were heard, by minutes from the start."""

    def __init__(self, start):
        self.start = start
        self.by_minute = {}

    def minute(self, now):
        return (now - self.start) // MINUTE

    def note(self, name, now):
        self.by_minute.setdefault(self.minute(now), set()).add(name)

    def count(self, now):
        present = self.minute(now)
        names = self.by_minute.get(present, set()) | self.by_minute.get(present - 1, set())
        return min(len(names), MOST_COUNTED)
