"""Specs/mdns.md: what a device answers, and when."""

from dataclasses import dataclass

from ...tools.refusal import Refusal
from .addresses import judge
from .sending import AAAA, ANY, PTR, SERVICE_TYPE, SRV, TXT, A, host_labels, instance_labels

MDNS_PORT = 5353
SHORTEST, LONGEST, OF_A_NAME, TO_PROBES = 1_000, 10_000, 10, 250
KNOWN_TTL = 60
REPLY_EVERY, REPLIES_AHEAD = 50, 950


@dataclass
class Reply:
    due: int
    path: tuple
    name: bytes
    address: bytes
    port: int
    legacy: tuple | None  # number, labels and type


class Answering:
    """The part of a device that takes questions."""

    def answer(self, header, questions, records, path, source, port):
        interface = self.interfaces[path[0]]
        known_answers = {
            record["name"]
            for record in records
            if (record["section"], record["kind"]) == ("answer", "PTR") and record["ttl"] >= KNOWN_TTL
        }
        done = []
        for question in questions:
            instance = self.asked_for(question, known_answers)
            if instance is None or instance in done:
                continue
            done.append(instance)
            if not interface.shows:
                continue
            is_probe = header.authority and question["type"] == ANY and question["about"] != "service-type"
            delay = 0 if is_probe else self.delay()
            if port != MDNS_PORT:
                labels = {
                    "service-type": SERVICE_TYPE,
                    "instance": instance_labels(instance["name"]),
                    "host": host_labels(instance["host"]),
                }[question["about"]]
                self.plan_reply(interface, path, instance, source, port, delay, (header.id, labels, question["type"]))
            elif question["unicast"]:
                self.plan_reply(interface, path, instance, source, port, delay, None)
            else:
                self.plan_response((path, instance["name"]), delay, is_probe)

    def asked_for(self, question, known_answers):
        about, kind, name = question["about"], question["type"], question.get("name")
        if about == "service-type":
            is_wanted = self.announced and kind in (PTR, ANY) and self.announced["name"] not in known_answers
            return self.announced if is_wanted else None
        kinds, member = ((SRV, TXT, ANY), "name") if about == "instance" else ((A, AAAA, ANY), "host")
        found = [one for one in self.instances() if one[member] == name]
        return found[0] if found and kind in kinds else None

    def plan_reply(self, interface, path, instance, source, port, delay, legacy):
        try:
            judge(source, interface.prefixes, interface.loopback)
        except Refusal:
            return
        start = max(self.replies_full, self.now)
        if start - self.now > REPLIES_AHEAD:
            return
        self.replies_full = start + REPLY_EVERY
        self.replies.append(Reply(self.now + delay, path, instance["name"], source, port, legacy))

    def plan_response(self, key, delay, is_probe):
        is_announced = self.announced and key[1] == self.announced["name"]
        if is_announced and not is_probe and self.plans[key[0][0]].announcements:
            return
        interval = TO_PROBES if is_probe else min(max(SHORTEST, OF_A_NAME * self.census.count(self.now)), LONGEST)
        earliest = self.last[key] + interval if key in self.last else self.now
        wanted = max(earliest, self.now + delay)
        self.due[key] = min(self.due.get(key, wanted), wanted)
