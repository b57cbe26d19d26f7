"""Compares the multicast of two nodes: the bytes without what is random, the fixed times, and the delays of answers."""

import math
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "network"))
import dns  # noqa: E402

OPAQUE = re.compile(rb"[0-9a-f]{32}")
# Seconds from the first packet of an epoch to each browse query that an epoch of the rig has time for, and to the
# second announcement.
QUERIES, SECOND = (0, 1, 4, 13), 1


def of_listener(facts):
    """The packets that a listener wrote down: (time, source, bytes)."""
    return [(fact["at"], fact["source"], bytes.fromhex(fact["packet"])) for fact in facts if "packet" in fact]


def shape(payload):
    """A packet without what is random in it: labels of 32 digits, the port, and addresses."""
    try:
        message = dns.parse(payload)
    except (ValueError, IndexError, struct.error):
        return "unreadable", len(payload)
    records = tuple((record.type, record.cls, record.ttl, OPAQUE.sub(b"*", record.name.encode("latin-1")),
                     len(record.data) if isinstance(record.data, bytes) else "name") for record in message.answers)
    questions = tuple((question.name, question.type, question.cls) for question in message.questions)
    return "response" if message.flags & 0x8000 else "query", len(payload), questions, records


def spans(packets, who, name, epochs):
    """The packets of a node in each epoch, the time counted from the first."""
    found = []
    for begun, end in epochs:
        mine = [(moment, payload) for moment, source, payload in packets if who.get(source) == name and begun <= moment < end]
        found.append([(moment - mine[0][0], moment, payload) for moment, payload in mine])
    return found


def compare(packets, who, one, other, epochs):
    """Figures of the comparison; `apart`: the largest difference of a packet at a fixed time, in seconds."""
    sides = [spans(packets, who, name, epochs) for name in (one, other)]
    kinds = [{shape(payload) for epoch in side for _, _, payload in epoch} for side in sides]
    apart, lost = 0.0, []
    for number, (left, right) in enumerate(zip(*sides)):
        if not left or not right:
            lost.append(f"packets in epoch {number}")
            continue
        for kind, times in (("query", QUERIES), ("response", (0, SECOND))):
            moments = [[at for at, _, payload in side if shape(payload)[0] == kind] for side in (left, right)]
            ends = [min(side[-1][0] for side in (left, right))]
            for expected in times:
                if expected > ends[0] - 0.5:
                    continue
                nearest = [min((abs(at - expected) for at in side), default=9.0) for side in moments]
                apart = max(apart, *nearest)
    delays = [answers(side, packets, who, name) for side, name in zip(sides, (one, other))]
    return {
        "compared": sum(len(epoch) for side in sides for epoch in side),
        "different": [str(kind)[:120] for kind in sorted(kinds[0] ^ kinds[1], key=str)] + lost,
        "apart": round(apart, 4), "answers": [len(side) for side in delays], "likelihood": smirnov(*delays),
    }


def answers(side, packets, who, name):
    """The delays from a query of somebody else to the response of a node, where it had not answered within 1.2 s before."""
    queries = [moment for moment, source, payload in packets if who.get(source, name) != name and shape(payload)[0] == "query"]
    found = []
    for epoch in side:
        responses = [moment for at, moment, payload in epoch if shape(payload)[0] == "response" and at > 1.5]
        previous = 0.0
        for moment in responses:
            asked = [query for query in queries if moment - 0.5 < query < moment]
            if asked and moment - previous > 1.2:
                found.append(moment - asked[0])
            previous = moment
    return found


def smirnov(left, right):
    """The probability of a difference at least this large if both come from one distribution; 1 when there are few."""
    if len(left) < 5 or len(right) < 5:
        return 1.0
    points = sorted(left + right)
    share = lambda values, point: sum(value <= point for value in values) / len(values)  # noqa: E731
    largest = max(abs(share(left, point) - share(right, point)) for point in points)
    size = math.sqrt(len(left) * len(right) / (len(left) + len(right)))
    lambda_ = (size + 0.12 + 0.11 / size) * largest
    if lambda_ < 0.2:
        return 1.0
    return max(0.0, min(1.0, 2 * sum((-1) ** (k - 1) * math.exp(-2 * k * k * lambda_ * lambda_) for k in range(1, 101))))
