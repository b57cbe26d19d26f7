"""A node says at a real mosquitto who is home, and a program of its own judges every message (Specs/home-assistant.md)."""

import asyncio
import json
import os
import signal
import subprocess

from broker import PASSWORD, PORT, Broker, Reader
from house import expect, wait, write
from payloads import faults, planted, states
from peers import Peers
from phone import phone_faults, planted_phones


def room(name):
    return json.dumps({"room": name}, ensure_ascii=False, separators=(",", ":"))


def published(at, house, **changes):
    """A configuration of a node that publishes at a broker."""
    return house.configure(mqtt=at.section | {"device-name": "Hall"} | changes)


def check_house(house):
    """arrivals, rooms, a broker that hangs, dies and comes back, a start of Home Assistant, a departure, a removal and a last will"""
    broker, say = Broker(house.move_in(rate=45)), house.report.say
    forbidden, minors = house.secrets()
    reader = Reader(broker)
    # An antenna of another program; it closes the pipe only when the node has ended.
    ada = house.run("ada", "--config", published(broker, house), "--leave-after", "30", "--sightings", "-", input=subprocess.PIPE)
    bob = house.run("bob")
    reader.wait("/event", '{"event_type":"arrived"}')
    # A room is published once, however often the contact is heard there.
    for name, power in (("kitchen", -70), ("küche {{ 1 }}", -50)):
        wait(f"room {name}", lambda: ada.hears(minor=house.minor(), rssi=power, room=name) or reader.find("/room", room(name)))
    everything = reader.all()
    expect(not faults(everything, ["Bob"], forbidden), f"wrong messages: {faults(everything, ['Bob'], forbidden)}")
    say(f"arrival published over TLS; {len(everything)} messages, none wrong")
    house.report.plant(planted(everything, min(minors), min(forbidden)), lambda messages: faults(messages, ["Bob"], forbidden))
    expect(faults(everything, ["Bob"], {states(everything).popitem()[0][8:24]}), "the list of forbidden texts is not used")
    house.report.figure("memory of the node with TLS", f"{ada.memory()[0]} KiB")

    # A broker that hangs delays nothing: the node answers before it gives the connection up.
    broker.signal(signal.SIGSTOP)
    told, given_up = house.facts(), "does not answer" in ada.logged()
    expect(told and told[0]["present"] == 1 and not given_up, f"while the broker hangs the node says {told}\n{ada.logged()[-500:]}")
    broker.signal(signal.SIGCONT)

    # A broker that dies has forgotten everything, and is told everything, but no event. The node is held until the reader has
    # subscribed: what a broker has kept comes in its own order.
    reader.stop()
    ada.hold()
    broker.kill()
    broker.start()
    again = Reader(broker)
    ada.go_on()
    again.wait("/presence", "ON")
    again.wait("/room")
    again.settle()
    after = again.all()
    expect(after[0]["topic"].endswith("/config") or after[0]["payload"] == "offline", "the description is not the first")
    expect(not any(message["topic"].endswith("/event") for message in after), "an event was repeated")
    expect(set(states(after)) == set(states(everything)), "other topics after the broker died")
    say("a broker that hung, died and came back has all states, and no event")

    # A start of Home Assistant, which it tells more than once.
    mark = again.mark()
    broker.publish("homeassistant/status", "online", "online", "online")
    again.wait("/presence", "ON", mark)
    again.wait("/facts", after=mark)
    answer = [message["topic"] for message in again.all(mark)]
    expect(sum(topic.endswith("/config") for topic in answer) == 1, f"not one description after three births: {answer}")

    mark = again.mark()
    bob.stop()
    again.wait("/event", '{"event_type":"left"}', mark)
    expect(any(message["payload"] == "OFF" for message in again.all(mark)), "no OFF")
    say("a departure published once")

    mark = again.mark()
    house.command("ada", "contacts", "remove", "Bob", "--home", house.home("ada"))
    wait("empty topics", lambda: sum(message["payload"] == "" for message in again.all(mark)) == 5)
    kept = states(again.all())
    expect(len(kept) == 2, f"kept after the removal: {sorted(kept)}")
    expect("Bob" not in "".join(kept.values()), "the name is still kept")
    say("nothing is kept of a removed contact")

    wait("third epoch", lambda: len({fact["epoch"] for fact in ada.events("visible")}) >= 3)
    ada.kill()
    again.wait("/availability", "offline", mark)
    wrong = faults(again.all(), ["Bob"], forbidden)
    expect(not wrong, f"wrong messages: {wrong}")
    expect(PASSWORD not in ada.logged(), "the password is in the log")
    say(f"a last will after kill -9; {len(everything) + again.mark()} messages in three epochs or more, none wrong")


def check_refusals(house):
    """a wrong password, a foreign certificate, a broker without TLS or words; and what was kept of a contact that went meanwhile"""
    broker = Broker(house.move_in())
    wrong, reader = write(broker.file("wrong"), "not this\n"), Reader(broker)
    cases = {
        "does not accept the user name and the password": {"password-file": wrong},
        "no TLS with a valid certificate": {"ca-file": broker.file("other.pem")},
        "cannot be used": {"ca-file": broker.file("none.pem")},
        "connection refused": {"broker": "mqtts://127.0.0.1:18899"},
    }
    for expected, changes in cases.items():
        configuration = published(broker, house, **changes)
        node = house.run("ada", "--config", configuration)
        node.event("visible")
        wait(expected, lambda: expected in node.logged())
        expect(PASSWORD not in node.logged() and "not this" not in node.logged(), "the password is in the log")
        node.stop()
        found = house.diagnose(configuration, "broker")
        expect([fact["verdict"] for fact in found] == ["fault"] and expected in str(found), f"doctor: {found}")
    found = house.diagnose(published(broker, house), "broker")
    expect([fact["verdict"] for fact in found] == ["ok"], f"doctor: {found}")
    # A plain listener in place of one with TLS.
    node = house.run("ada", "--config", published(broker, house, broker=f"mqtts://127.0.0.1:{PORT}"))
    wait("warning", lambda: "warning: mqtts://" in node.logged())
    node.stop()
    reader.settle()
    expect(not reader.all(), f"published all the same: {reader.all()[:2]}")
    house.report.say(f"{len(cases) + 1} refusals, each with its reason, and a node that runs all the same")

    # One that accepts, and says nothing.
    with Peers(house) as peers:
        peers.call(asyncio.start_server(lambda reader, writer: reader.read(), "127.0.0.1", 18900))
        node = house.run("ada", "--config", published(broker, house, broker="mqtts://127.0.0.1:18900"))
        node.event("visible")
        wait("warning", lambda: "does not answer" in node.logged())
        node.stop()

    # The password may not be readable by others, and not part of the address.
    os.chmod(wrong, 0o644)
    for words in (["--mqtt", f"mqtt://127.0.0.1:{PORT}", "--mqtt-user", "inkling", "--mqtt-password-file", wrong],
                  ["--mqtt", f"mqtt://inkling:secret@127.0.0.1:{PORT}"]):
        done = house.command("ada", "run", *house.unlocking("ada"), "--demo-clock", *words, expect=None)
        expect(done.returncode in (64, 77), f"{words[-1]} ended with {done.returncode}: {done.stderr}")

    plain = ["--mqtt", f"mqtt://127.0.0.1:{PORT}", "--mqtt-user", "inkling", "--mqtt-password-file", broker.secret]
    node = house.run("ada", *plain)
    reader.wait("/presence", "OFF")
    node.stop()
    reader.wait("/availability", "offline", after=1)
    expect(len(states(reader.all())) == 6, f"kept: {sorted(states(reader.all()))}")
    house.command("ada", "contacts", "remove", "Bob", *house.unlocking("ada"))
    node = house.run("ada", *plain)
    wait("empty topics", lambda: len(states(reader.all())) == 2)
    wait("description", lambda: all("Bob" not in payload for payload in states(reader.all()).values()))
    node.stop()
    house.report.say("what was kept of a contact that went while no node ran is removed")


def check_phone(house):
    """the file for a phone without a node, and what the node takes it for: evidence, and no arrival"""
    # A phone has the clock of the machine.
    broker = Broker(house.move_in(rate=None))
    reader = Reader(broker)
    ada = house.run("ada", "--config", published(broker, house), "--sightings", "-", input=subprocess.PIPE)
    ada.event("visible")
    package, name, epoch = house.file("phone.yaml"), 'Ada\'s "phone": #1', house.epoch()
    house.command("ada", "phone", "add", name, "--entity", "notify.mobile_app_pixel", "--days", "90", "--trust-clock",
                  "--output", package, "--home", house.home("ada"))
    found = phone_faults(package, name, house, epoch)
    expect(not found, f"the file: {found}")
    house.report.plant(planted_phones(package), lambda text: phone_faults(text, name, house, epoch))

    # Heard often and near.
    house.until_contact(
        name, also=lambda: [ada.hears(minor=house.minor(name), rssi=-40, room="hall") for _ in range(30)], presence="probable")
    reader.wait("/room", room("hall"))
    reader.settle()
    expect(house.facts()[0]["present"] == 0, "it counts as present")
    expect(not reader.find("/event"), "an event was published")
    highest = max(json.loads(message["payload"])["confidence"] for message in reader.all() if message["topic"].endswith("/facts"))
    expect(50 <= highest <= 99, f"the confidence is {highest}")
    wrong = faults(reader.all(), ["Bob", name])
    expect(not wrong, f"wrong messages: {wrong}")
    ada.stop()
    house.report.say(f"heard next to an antenna: a confidence of {highest} %, a room, and no arrival")
