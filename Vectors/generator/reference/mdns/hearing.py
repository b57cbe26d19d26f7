"""Specs/mdns.md: what a device makes of the records of others."""

from ...tools.refusal import Refusal
from .addresses import judge
from .remembering import Heard

SEARCH_GATHERS = 100


class Hearing:
    """The part of a device that takes responses."""

    def hear(self, records, interface, source):
        for record in records:
            name = record.get("name")
            if record["kind"] == "PTR" and not self.is_own(name):
                self.census.note(name, self.now)
            if record["kind"] != "SRV" or self.is_own(name) or record["port"] == 0:
                continue
            host = self.expected_host(name)
            if host is None or record.get("host") != host:
                continue
            address, is_link_local = self.address_of(host, records, interface, source)
            if address is None:
                continue
            heard = Heard(interface.number, source, address, record["port"], is_link_local, self.now)
            if self.endpoints.hear(name, heard):
                if name in self.searches:
                    search = self.searches[name]
                    search.questions = []
                    search.end = min(search.end, self.now + SEARCH_GATHERS)
                else:
                    self.emit("appeared", name=name)

    def expected_host(self, name):
        if name in self.searches:
            return self.searches[name].host
        return self.known.get(name) if self.browses else None

    def address_of(self, host, records, interface, source):
        """The address with which the host is called, and whether it is link-local; None if there is none."""
        found = []
        for record in records:
            if record["kind"] in ("A", "AAAA") and record["host"] == host:
                try:
                    found.append((record["address"], judge(record["address"], interface.prefixes, interface.loopback)))
                except Refusal:
                    continue
        return next((one for one in found if one[0] == source), found[0] if found else (None, False))

    def is_imitation(self, header, record):
        if not self.announced:
            return False
        if record["ttl"] == 0 if header.response else record["section"] != "authority":
            return False
        name, host, port = (self.announced[member] for member in ("name", "host", "port"))
        match record["kind"]:
            case "SRV":
                return record["name"] == name and (record.get("host") != host or record["port"] != port)
            case "TXT":
                return record["name"] == name and not record["version1"]
            case "A" | "AAAA":
                return record["host"] == host and record["address"] not in self.published
        return False
