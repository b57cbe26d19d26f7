"""Cases for Specs/mdns.md."""

from . import (
    addresses,
    answering,
    changing,
    endpoints,
    hearing,
    imitation,
    intervals,
    malformed,
    random_packets,
    reading,
    refusals,
    replies,
    searching,
    sending,
    showing,
    walks,
)
from ...tools.family import Family

SPECIFICATION = "Specs/mdns.md"

FAMILIES = [
    Family(
        "mdns-response",
        SPECIFICATION,
        "Announcements, answers and goodbyes: the records of one instance.",
        sending.response_cases(),
    ),
    Family(
        "mdns-legacy-reply",
        SPECIFICATION,
        "Replies to queries that came from another port than 5353.",
        sending.legacy_cases(),
    ),
    Family("mdns-query", SPECIFICATION, "The browse query and instance queries.", sending.query_cases()),
    Family(
        "mdns-decode",
        SPECIFICATION,
        "What is kept of a packet, and why a packet is dropped.",
        [*reading.reading_cases(), *malformed.malformed_cases(), *random_packets.random_cases()],
        notes={
            "order": {
                "meaning": "A packet with two faults.",
                "reason": "The fault that is tested first is the answer.",
            }
        },
        insensitive={"packet": "Most of a packet may be about other services, and is read over."},
    ),
    Family(
        "mdns-address",
        SPECIFICATION,
        "The addresses of records that a device connects to.",
        addresses.address_cases(),
        insensitive={
            "address": "Many addresses are in one prefix.",
            "prefixes": "One address is in many prefixes.",
            "loopback": "The interface matters to loopback addresses alone.",
        },
    ),
    Family(
        "mdns",
        SPECIFICATION,
        "Scenarios: what a device sends, answers and reports, by events and time.",
        [
            *showing.showing_cases(),
            *changing.changing_cases(),
            *answering.answering_cases(),
            *intervals.interval_cases(),
            *replies.reply_cases(),
            *hearing.hearing_cases(),
            *endpoints.endpoint_cases(),
            *searching.searching_cases(),
            *imitation.imitation_cases(),
            *walks.walk_cases(),
            *refusals.refusal_cases(),
        ],
        insensitive={
            member: "A scenario also shows what must not matter, and not every value in it does."
            for member in ("announced", "answered", "browses", "known", "interfaces", "draws", "steps", "until")
        },
    ),
]
