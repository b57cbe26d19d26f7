"""Judges what a node has published at a broker, by Specs/home-assistant.md. It shares no code with the node.

A message is a dictionary with `topic`, `payload` (text) and `retain`, in the order in which the broker passed them on.
"""

import json
import re
from pathlib import Path

import jsonschema

SCHEMA = json.loads((Path(__file__).parent / "discovery.schema.json").read_text(encoding="utf-8"))
ID = "[0-9a-f]{16}"
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
EVENTS = ('{"event_type":"arrived"}', '{"event_type":"left"}')
TRACKERS = ('{"in_zones":["zone.home"]}', '{"in_zones":[]}')


def faults(messages, names, forbidden=(), prefix="homeassistant"):
    """Returns what is wrong with the messages of one connection or several, as sentences.

    `names`: what may be shown of people. `forbidden`: texts that rotate or name a user, in no topic and no payload.
    """
    found, described, home, rooms = [], False, {}, {}
    config = re.compile(rf"{prefix}/device/inkling_({ID})/config")
    for number, message in enumerate(messages):
        topic, payload, kept = message["topic"], message["payload"], message["retain"]

        def fault(text):
            found.append(f"message {number}, {topic}: {text}")

        for value in forbidden:
            if value in topic or value in payload:
                fault(f"contains {value}")
        if config.fullmatch(topic):
            described = True
            if not kept:
                fault("the description is not kept")
            # With a description all states are published, also those that have not changed.
            rooms.clear()
            for text in description_faults(payload, config.fullmatch(topic)[1], names):
                fault(text)
            continue
        leaf = re.fullmatch(rf"inkling/({ID})/(?:({ID})/)?([a-z]+)", topic)
        if not leaf:
            fault("no topic of the page")
            continue
        node, contact, word = leaf.groups()
        if not described and payload not in ("", "offline"):
            fault("a state before the description")
        if kept != (word != "event"):
            fault(f"{'kept' if kept else 'not kept'} by the broker")
        if payload == "" and contact and kept:
            home.pop((node, contact), None)
            continue
        if not is_right(word, contact, payload):
            fault(f"the payload {payload!r}")
        if word == "room" and rooms.get((node, contact)) == payload:
            fault("a room that has not changed")
        if word == "room":
            rooms[node, contact] = payload
        if word == "presence":
            home[node, contact] = payload
        if word == "event" and payload in EVENTS:
            wanted = "ON" if "arrived" in payload else "OFF"
            if home.get((node, contact)) != wanted:
                fault("an event beside another presence")
    return found


def is_right(word, contact, payload):
    """Whether a payload is one of those that the page has for a topic with this last word."""
    if word == "availability":
        return payload in ("online", "offline")
    if contact is None:
        return False
    if word == "presence":
        return payload in ("ON", "OFF")
    if word == "tracker":
        return payload in TRACKERS
    if word == "event":
        return payload in EVENTS
    try:
        facts = json.loads(payload)
    except ValueError:
        return False
    if word == "room":
        return isinstance(facts, dict) and set(facts) == {"room"} and is_room(facts["room"])
    if word != "facts" or not isinstance(facts, dict) or set(facts) != {"confidence", "last_seen"}:
        return False
    confidence, seen = facts["confidence"], facts["last_seen"]
    return (
        type(confidence) is int and 0 <= confidence <= 100
        and (seen is None or isinstance(seen, str) and bool(MOMENT.fullmatch(seen)))
    )


def is_room(room):
    """Whether a value is a room of Specs/antennas.md, or null."""
    return room is None or isinstance(room, str) and 1 <= len(room.encode()) <= 64


def description_faults(payload, node, names):
    try:
        description = json.loads(payload)
    except ValueError:
        yield "the description is no JSON"
        return
    errors = list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(description))
    for error in errors:
        yield f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
    if errors:
        return
    if description["device"]["identifiers"] != [f"inkling_{node}"]:
        yield "another device"
    ids = [component["unique_id"] for component in description["components"].values() if "unique_id" in component]
    if len(ids) != len(set(ids)):
        yield "a unique id twice"
    for key, component in description["components"].items():
        if "unique_id" not in component or key == "running":
            continue
        contact, entity = key.split("_", 1)
        base = f"inkling/{node}/{contact}"
        if component["unique_id"] != f"inkling_{node}_{key}":
            yield f"{key}: the unique id does not follow from the key"
        wanted = {"presence": "presence", "tracker": "tracker", "room": "room", "visits": "event"}.get(entity, "facts")
        for topic in (component["state_topic"], component.get("json_attributes_topic", f"{base}/{wanted}")):
            if topic != f"{base}/{wanted}":
                yield f"{key}: the topic {topic}"
        if [one["topic"] for one in component["availability"]] != [f"inkling/{node}/availability", f"{base}/availability"]:
            yield f"{key}: another availability"
        suffix = {"confidence": " confidence", "last_seen": " last seen", "room": " room", "visits": " visits"}.get(entity, "")
        if component["name"] not in [name + suffix for name in names]:
            yield f"{key}: the name {component['name']!r}"


def states(messages):
    """Returns what a broker keeps after these messages."""
    kept = {}
    for message in messages:
        if message["retain"]:
            kept[message["topic"]] = message["payload"]
            if message["payload"] == "":
                del kept[message["topic"]]
    return kept


def planted(messages, minor, name):
    """Returns changed messages that `faults` must not pass, each with what was planted."""

    def changed(place, **members):
        copy = [dict(message) for message in messages]
        copy[place].update(members)
        return copy

    def first(end):
        return next(place for place, message in enumerate(messages)
                    if message["topic"].endswith(end) and message["payload"] not in ("", "offline"))

    config, facts, event, tracker, room = (first(end) for end in ("/config", "/facts", "/event", "/tracker", "/room"))
    description = json.loads(messages[config]["payload"])
    named = next(key for key in description["components"] if key.endswith("_presence"))

    def redescribed(change):
        copy = json.loads(messages[config]["payload"])
        change(copy["components"])
        return changed(config, payload=json.dumps(copy, separators=(",", ":")))

    fact = json.loads(messages[facts]["payload"])
    return {
        "a minor among the facts": changed(facts, payload=json.dumps(fact | {"minor": int(minor)})),
        "a minor as confidence": changed(facts, payload=json.dumps(fact | {"confidence": 101 + int(minor)})),
        "a minor in a topic": changed(facts, topic=messages[facts]["topic"] + f"/{minor}"),
        "a minor in a name": redescribed(lambda parts: parts[named].update(name=f"{parts[named]['name']} {minor}")),
        "a name of the network in a unique id": redescribed(lambda parts: parts[named].update(unique_id=name)),
        "an unknown key": redescribed(lambda parts: parts[named].update(last_reset_value_template="{{ 1 }}")),
        "no expiry": redescribed(lambda parts: parts[named].pop("expire_after")),
        "a tracker without a state topic": redescribed(
            lambda parts: parts[named.replace("presence", "tracker")].pop("state_topic")),
        "a tracker with the state of another topic": redescribed(
            lambda parts: parts[named.replace("presence", "tracker")].update(state_topic=messages[facts]["topic"])),
        "an event that the broker keeps": changed(event, retain=True),
        "an event of its own": changed(event, payload='{"event_type":"arrived","minor":1}'),
        "a state that the broker does not keep": changed(facts, retain=False),
        "a minor as a room": changed(room, payload=json.dumps({"room": int(minor)})),
        "a minor beside the room": changed(room, payload=json.dumps(json.loads(messages[room]["payload"]) | {"minor": minor})),
        "an empty room": changed(room, payload='{"room":""}'),
        "a room twice": messages[:room + 1] + messages[room:],
        "a room that the broker does not keep": changed(room, retain=False),
        "a room of the facts": redescribed(
            lambda parts: parts[named.replace("presence", "room")].update(
                state_topic=messages[facts]["topic"])),
        "a zone of another form": changed(tracker, payload='{"in_zones":"zone.home"}'),
        "a state before the description": [messages[facts]] + messages,
    }
