"""Judges what a fleet has published, by a program of its own: whether anything was lost, doubled, or written by two.

A trace is a list of (topic below the fleet's, payload or None, whether the broker keeps it), in the order of the broker. A
world says for each contact how many visits there were, and how many sightings must be counted and may be besides.
"""

import copy


def fence(payload):
    return payload["number"], payload["holder"]


def holds(record, source, sequence):
    """Whether a record says that it counts a sighting, or that it is too old to come again."""
    for seen in record["seen"]:
        if seen["source"] == source:
            return sequence < seen["base"] or sequence in seen["sequences"]
    return False


def faults(trace, world):
    """What is wrong with a trace, in words."""
    found = []
    leases, writers, records, history = (0, ""), {}, {}, {}
    matched = {}
    for topic, payload, kept in trace:
        kind = topic.split("/")[0]
        if kind in ("sighting", "match", "ack") and kept:
            found.append(f"a {kind} is kept")
        if kind != "sighting" and payload and ("minor" in payload or "address" in payload):
            found.append(f"a {kind} has a minor or an address")
        if kind == "sighting" and "address" in payload:
            found.append("a sighting has an address")
        if kind == "lease":
            if not kept:
                found.append("a lease is not kept")
            if not payload:
                continue
            leases = max(leases, fence(payload))
        elif kind == "match":
            matched[payload["source"], payload["sequence"]] = payload["contact"]
        elif kind == "contact" and payload:
            writer = writers.setdefault(payload["number"], payload["holder"])
            if writer != payload["holder"]:
                found.append(f"two have written under the number {payload['number']}")
            if topic.split("/")[2] != f"{payload['number']}-{payload['holder']}":
                found.append("a record is not where its fence says")
            # What comes from an earlier holder is not followed.
            if fence(payload) < leases:
                continue
            records[payload["contact"]] = payload
            steps = history.setdefault(payload["contact"], [])
            step = payload["visit"], payload["present"]
            if not steps or steps[-1] != step:
                steps.append(step)
        elif kind == "ack" and "number" in payload:
            if fence(payload) < leases:
                continue
            source = topic.split("/")[1]
            for sequence in payload["sequences"]:
                record = records.get(matched.get((source, sequence)))
                if not record or fence(record) != fence(payload) or not holds(record, source, sequence):
                    found.append(f"{source} {sequence} was acknowledged before it was stored")
    for name, visits in world["visits"].items():
        steps, record = history.get(name, []), records.get(name)
        arrivals = [visit for place, (visit, present) in enumerate(steps) if present and (not place or steps[place - 1][0] != visit)]
        if arrivals != list(range(1, visits + 1)):
            found.append(f"{name}: arrivals {arrivals}, of {visits}")
        counted = record["sightings"] if record else 0
        sent = world["sent"][name]
        if not sent <= counted <= sent + world["perhaps"][name] or visits and not counted:
            found.append(f"{name}: {counted} sightings counted, of {sent} and perhaps {world['perhaps'][name]}")
    return found


def followed(trace):
    """The places of the records that count. One that was held may still write a record when its successor has the lease."""
    leases, places = (0, ""), []
    for place, (topic, payload, _) in enumerate(trace):
        if topic.startswith("lease/") and payload:
            leases = max(leases, fence(payload))
        elif topic.startswith("contact/") and payload and fence(payload) >= leases:
            places.append(place)
    return places


def planted(trace, world):
    """Traces with one fault each, by what it is."""
    places = followed(trace)
    exact = [place for place in places if world["sent"][trace[place][1]["contact"]]]
    last = exact[-1]
    name = trace[last][1]["contact"]
    final = max(place for place in places if trace[place][1]["contact"] == name)

    def changed(place, **members):
        bad = copy.deepcopy(trace)
        bad[place][1].update(members)
        return bad

    result = {
        "a sighting counted twice": (changed(final, sightings=trace[final][1]["sightings"] + 1), world),
        "an arrival doubled": (changed(final, visit=trace[final][1]["visit"] + 1, present=True), world),
        "a contact lost": ([one for one in trace if not one[1] or one[1].get("contact") != name or one[0] == "match"], world),
        "two writers": (changed(last, holder="0" * 16), world),
        "a match with a minor": (trace[:1] + [("match", {"source": "a", "sequence": 1, "contact": name, "minor": 1}, False)]
                                 + trace[1:], world),
    }
    kept = next(place for place, (topic, _, _) in enumerate(trace) if topic == "sighting")
    bad = copy.deepcopy(trace)
    bad[kept] = (*bad[kept][:2], True)
    result["a sighting that is kept"] = bad, world
    # The acknowledgement of the first sighting of a contact before the record.
    first = min(place for place in places if trace[place][1]["contact"] == name)
    seen = trace[first][1]["seen"][0]
    ack = next(place for place, (topic, payload, _) in enumerate(trace)
               if topic == f"ack/{seen['source']}" and "number" in payload and payload["sequences"][0] in seen["sequences"])
    bad = copy.deepcopy(trace)
    bad.insert(first, bad.pop(ack))
    result["acknowledged before it was stored"] = bad, world
    return result
