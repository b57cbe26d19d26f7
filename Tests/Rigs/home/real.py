"""A real Home Assistant reads what a node publishes, and shows what Specs/home-assistant.md wants.

It is in a root of its own (`assistant.py`), which the first run makes of some 300 MB of Debian's and Python's packages.
"""

import json
import os
import shutil
import subprocess
import sys
import time

from assistant import VERSION, Assistant
from broker import Broker, Reader
from house import ROOT, expect, read, wait, write
from phone import STEPS, phone_variables
from publishing import published
from websocket_peers import RADIO

PYTHON = os.path.join(ROOT, "Sources/Bindings/python")
# How often `inkling.antennas` writes again what Home Assistant told once, in seconds.
REPETITION = 20
PRESENCE, TRACKER, CONFIDENCE, SEEN, ROOM, VISITS, RUNNING = (
    "binary_sensor.hall_bob", "device_tracker.hall_bob", "sensor.hall_bob_confidence", "sensor.hall_bob_last_seen",
    "sensor.hall_bob_room", "event.hall_bob_visits", "binary_sensor.hall_running")
OF_BOB = (PRESENCE, TRACKER, CONFIDENCE, SEEN, ROOM, VISITS)


def away(assistant):
    assistant.waits(RUNNING, "on")
    assistant.waits(PRESENCE, "off")
    assistant.waits(TRACKER, "not_home")
    assistant.waits(TRACKER, "[]", name="in_zones")


def home(assistant):
    assistant.waits(PRESENCE, "on")
    assistant.waits(TRACKER, "home")
    assistant.waits(TRACKER, '["zone.home"]', name="in_zones")
    assistant.waits("person.bob", "home")
    assistant.waits("zone.home", "1")
    assistant.waits(CONFIDENCE, "100")
    assistant.waits(VISITS, '"arrived"', name="event_type")
    wait("time of the last sight", lambda: (assistant.attribute(SEEN) or "").startswith("20"))


def check_states(house):
    """states, zones, rooms, events, expiry, removal and a last will; the automation of a phone; inkling.antennas hears by its radios"""
    # Home Assistant has the clock of the machine.
    broker, say = Broker(house.move_in(rate=None)), house.report.say
    package = house.file("phone.yaml")
    house.offline("ada", "phone", "add", "Phone", "--entity", "notify.mobile_app_pixel", "--days", "1", "--trust-clock", "--output", package)
    assistant = Assistant(broker, [package])
    try:
        say(f"Home Assistant {VERSION} runs")
        listen(say, house, broker, assistant)
        command_phone(say, package, house, assistant)
        show(say, house, broker, assistant)
        complaints = assistant.complaints()
        expect(not complaints, "Home Assistant complains:\n" + "\n".join(complaints))
        say("nothing in its log about what was published")
    except Exception:
        for message in assistant.shown.all()[-30:]:
            say(f"{message['topic']} {message['payload'][:100]}")
        print("\n".join(assistant.complaints()))
        raise
    finally:
        # It goes where `--keep` wants it.
        shutil.copytree(assistant.folder, house.file("assistant"))
        assistant.stop()


def listen(say, house, broker, assistant):
    """`inkling.antennas` hears by the radio of Home Assistant: once while it stays the same, and that it is gone or another."""
    address, shown, other = "4A:0B:1C:2D:3E:4F", "0201061aff4c000215" + "11" * 20 + "c5", "0201061aff4c000215" + "22" * 20 + "c5"
    output, errors = house.file("lines"), house.file("said")

    def hear(data):
        broker.publish("test/air", json.dumps({"address": address, "rssi": -61, "data": data}))

    def written():
        return [json.loads(line) for line in read(output).splitlines()]

    for name, word in (("guest", "not that of an administrator"), ("administrator", "listening")):
        token = write(house.file(name), read(assistant.file(f"{name}.token")) + "\n")
        with open(output, "w", encoding="utf-8") as lines, open(errors, "w", encoding="utf-8") as complaints:
            program = house.start("ada", sys.executable, "-m", "inkling.antennas", "--home-assistant", "http://127.0.0.1:8123",
                                  "--token-file", token, "--room", f"{RADIO}=hall", stdout=lines, stderr=complaints,
                                  env=os.environ | {"PYTHONPATH": PYTHON})
        wait(f"“{word}”", lambda: word in read(errors))
        if name == "guest":
            program.terminate()
            program.wait()
    begun = time.monotonic()
    hear(shown)
    wait("line of a frame", written)
    expect(written() == [{"data": shown, "address": address.lower(), "rssi": -61, "room": "hall"}], f"the lines {written()}")
    # What stays the same is not told again, so the program repeats it: each time it is told, it would be a line more.
    for _ in range(4):
        hear(shown)
    wait("repetition", lambda: len(written()) > 1)
    hear(other)
    wait("line of another frame", lambda: written()[-1]["data"] == other)
    same = sum(line["data"] == shown for line in written())
    expect(same <= 1 + (time.monotonic() - begun) // REPETITION, f"Home Assistant told an unchanged frame again: {written()}")
    program.terminate()
    program.wait()
    say("inkling.antennas hears by a radio of Home Assistant, which tells what stays the same once, and administrators alone")


def command_phone(say, package, house, assistant):
    """The automation of a phone sends what `inkling-kit predict` says of this epoch, in order and after a gap."""
    def commands():
        return [json.loads(message["payload"])["data"] for message in assistant.shown.all() if message["topic"] == "hass/phone"]

    # An epoch may end meanwhile, and the phone is told to fall silent.
    begun = assistant.epoch
    wait("end of the commands", lambda: any(data["command"] == "turn_on" for data in commands()))
    sent = {data["command"]: data for data in commands() if data["command"] != "turn_off"}
    expect([*sent] == STEPS[:-1], f"the commands {[*sent]}")
    first = phone_variables(package)["first"]
    minor = int(sent["ble_set_minor"]["ble_minor"])
    expected = house.minors("Phone", begun, house.epoch() - begun + 1).values()
    expect(minor in expected, f"the minor {minor} is of another epoch than {begun} or later; the file begins with {first}")
    expect(str(sent["ble_set_major"]["ble_major"]) == "0", f"the major {sent['ble_set_major']}")
    say(f"the automation of a phone sends {len(sent)} commands, with the minor of this epoch")


def show(say, house, broker, assistant):
    said = Reader(broker)
    ada = house.run("ada", "--config", published(broker, house), "--leave-after", "30", "--sightings", "-", input=subprocess.PIPE)
    away(assistant)
    assistant.waits(ROOM, "unknown")
    say("nobody is home: off, not_home, no zone")
    bob = house.run("bob")
    home(assistant)
    say("an arrival: on, home, and one in zone.home; an event")
    for room, power in (("kitchen", -70), ("küche {{ 1 }}", -50)):
        wait(f"room {room}", lambda: ada.hears(minor=house.minor(), rssi=power, room=room) or assistant.attribute(ROOM) == room)
    say("a room, and then another")

    config, description = next((message["topic"], json.loads(message["payload"])) for message in reversed(said.all())
                               if message["topic"].endswith("/config"))

    contact = next(key.split("_")[0] for key, part in description["components"].items() if part.get("name") == "Bob")

    def redescribe(change):
        changed = json.loads(json.dumps(description))
        change(changed["components"])
        broker.publish(config, json.dumps(changed), kept=True)

    def again(word):
        """Publishes once more what the broker keeps: a new description comes before its states."""
        topic, payload = next((message["topic"], message["payload"]) for message in reversed(said.all())
                              if message["topic"].endswith(f"{contact}/{word}"))
        broker.publish(topic, payload, kept=True)

    # Why a tracker has a topic for its state: one without it has zones, and no state.
    tracker = description["components"][f"{contact}_tracker"]
    bare = {key: value for key, value in tracker.items() if key not in ("state_topic", "value_template")}
    redescribe(lambda parts: parts.update(planted=bare | {"unique_id": "planted", "name": "Planted"}))
    again("tracker")
    assistant.waits("device_tracker.hall_planted", '["zone.home"]', name="in_zones")
    assistant.waits("device_tracker.hall_planted", "unknown")
    redescribe(lambda parts: parts.update(planted={"platform": "device_tracker"}))
    say("a planted tracker without a topic for its state is in the zone, and unknown")

    broker.publish("homeassistant/status", "online")
    home(assistant)
    say("everything is described again after a start of Home Assistant")

    # A presence that nobody repeats expires, without a last will. The tracker does not. This is of real time: 3 s for the one, and
    # 45 s for the broker to miss the node.
    ada.hold()
    redescribe(lambda parts: parts[f"{contact}_presence"].update(expire_after=3))
    again("presence")
    assistant.waits(PRESENCE, "unavailable")
    expect(assistant.attribute(TRACKER) == "home", f"the tracker beside it: {assistant.attribute(TRACKER)}")
    expect(assistant.attribute(RUNNING) == "on", "a last will came before the time was over")
    ada.go_on()
    broker.publish("homeassistant/status", "online")
    home(assistant)
    say("a presence expires while the node hangs, and comes back")

    bob.stop()
    assistant.waits(PRESENCE, "off")
    assistant.waits(TRACKER, "not_home")
    assistant.waits("person.bob", "not_home")
    assistant.waits("zone.home", "0")
    assistant.waits(VISITS, '"left"', name="event_type")
    assistant.waits(CONFIDENCE, "0")
    assistant.waits(ROOM, "unknown")
    say("a departure: off, not_home, nobody in zone.home; an event")

    ada.kill()
    for entity in OF_BOB:
        assistant.waits(entity, "unavailable")
    assistant.waits(RUNNING, "off")
    say("a last will after kill -9: all unavailable")

    # Without an antenna the room goes, and nothing else.
    ada = house.run("ada", "--config", published(broker, house), "--leave-after", "30")
    away(assistant)
    wait("removal of the room", lambda: ROOM not in assistant.entities())
    expect(assistant.entities() >= {RUNNING, *OF_BOB} - {ROOM}, f"entities without antennas: {sorted(assistant.entities())}")
    say("a node without an antenna takes the room away")

    house.command("ada", "contacts", "remove", "Bob", "--home", house.home("ada"))
    wait("removal", lambda: not assistant.entities() & set(OF_BOB))
    expect(RUNNING in assistant.entities(), f"entities after a removal: {sorted(assistant.entities())}")
    ada.stop()
    assistant.waits(RUNNING, "off")
    say("a removed contact has no entities any more")
