"""A node hears by antennas elsewhere in the house: ESPHome's Bluetooth proxies, and ESPresense and OpenMQTTGateway at a broker
(Specs/antennas.md).

The proxy is `proxy.py`; aioesphomeapi's client, which shares no code with ours, proves that it is one. A device behind a proxy is
`peripheral.py`.
"""

import asyncio
import base64
import json
import os

from aioesphomeapi import APIClient

from broker import PORT, Broker, Reader
from house import HANG, expect, wait, write
from peers import Peers
from peripheral import IN, OUT, SWITCH, TAG, Peripheral
from proxy import CONNECT_WITHOUT_CACHE, CONNECTIONS, DISCONNECT, RAW, STATES, Proxy

KEY, OTHER_KEY = bytes(range(32)), bytes(range(1, 33))
LISTENS = 1 | RAW | STATES
CALLS = LISTENS | CONNECTIONS
ADDRESS, LASTING = 0x4A0B1C2D3E4F, 0x0A0B1C2D3E52
# How many messages a node finds after it was held; fewer may wait.
FLOOD = 60_000


def beacon(uuid, minor):
    return bytes.fromhex("0201061aff4c000215" + uuid.replace("-", "") + "0000") + minor.to_bytes(2, "big") + b"\xc5"


def profile_of(house):
    return house.json("ada", "profile", "show")


def antenna(house, name, port, key, **members):
    """The section of an antenna that is a proxy, in the room of its name."""
    secret = {"plaintext": True} if key is None else {"key-file": write(house.file(f"{name}.api"), base64.b64encode(key).decode() + "\n")}
    return {"name": name, "room": name, "esphome": f"127.0.0.1:{port}"} | secret | members


def until_antenna(house, what, fits, place=0):
    """Waits until the status of an antenna fits, and returns it."""
    last = {}

    def found():
        nonlocal last
        facts = house.facts()
        last = facts[0]["antennas"][place] if facts and facts[0]["antennas"] else {}
        return last and fits(last)

    wait(lambda: f"antenna that {what}; it is {last}", found)
    return last


def until_trouble(node, text):
    return wait(lambda: f"“{text}”, but {[fact['what'] for fact in node.events('trouble')]}",
                lambda: next((fact for fact in node.events("trouble") if text in fact["what"]), None))


def is_probable(house, **members):
    """Waits until the contact is probable in a room. A minor never makes it present."""
    fact = house.until_contact(presence="probable", **members)
    expect(fact["since"] is None and house.facts()[0]["present"] == 0, f"confirmed by a minor: {fact}")


def check_server(house):
    """aioesphomeapi's client connects to the proxy of this rig, with a key and without, reads what it is, and hears"""
    uuid = profile_of(house)["proximity"]

    async def meet(key):
        proxy = Proxy(key=key)
        proxy.heard = [(ADDRESS, -61, 1, beacon(uuid, 7))]
        client = APIClient("127.0.0.1", await proxy.start(), None, noise_psk=base64.b64encode(key).decode() if key else None,
                           expected_name="hall-proxy")
        try:
            await client.connect(login=False)
            info = await client.device_info()
            expect(info.bluetooth_proxy_feature_flags == LISTENS, f"device info: {info}")
            heard = asyncio.get_running_loop().create_future()
            client.subscribe_bluetooth_le_raw_advertisements(
                lambda response: heard.done() or heard.set_result(response.advertisements[0]))
            first = await heard
            expect((first.address, first.rssi, bytes(first.data)) == (ADDRESS, -61, beacon(uuid, 7)), f"an advertisement: {first}")
        finally:
            await client.disconnect()
            await proxy.stop()

    with Peers(house) as peers:
        for key in (KEY, None):
            peers.call(meet(key))


def check_connections(house):
    """aioesphomeapi's client connects to a device through the proxy, finds its services, reads, writes, and is notified"""
    profile = profile_of(house)

    async def meet():
        proxy, device = Proxy(key=KEY, features=CALLS), Peripheral(profile, bytes(range(16)))
        proxy.reachable[ADDRESS] = device.connect
        client = APIClient("127.0.0.1", await proxy.start(), None, noise_psk=base64.b64encode(KEY).decode())
        try:
            await client.connect(login=False)
            states = []
            client.subscribe_bluetooth_le_raw_advertisements(lambda response: None)
            await client.bluetooth_device_connect(
                ADDRESS, lambda connected, mtu, error: states.append((connected, mtu)), timeout=HANG, feature_flags=CALLS,
                has_cache=False, address_type=1)
            expect(states == [(True, 185)] and proxy.asked == [(ADDRESS, CONNECT_WITHOUT_CACHE, 1)], f"connected: {states}, {proxy.asked}")
            services = (await client.bluetooth_gatt_get_services(ADDRESS)).services
            found = {one.uuid: one for service in services for one in service.characteristics}
            uuids = [profile[name] for name in ("tag", "in", "out")]
            expect([found[uuid].handle for uuid in uuids] == [TAG, IN, OUT], f"the characteristics: {found}")
            expect([one.handle for one in found[uuids[2]].descriptors] == [SWITCH], f"the descriptors: {found[uuids[2]]}")
            expect(bytes(await client.bluetooth_gatt_read(ADDRESS, TAG)) == bytes(range(16)), "the value")
            notified = asyncio.get_running_loop().create_future()
            await client.bluetooth_gatt_start_notify(ADDRESS, OUT, lambda handle, value: notified.set_result((handle, bytes(value))))
            await client.bluetooth_gatt_write_descriptor(ADDRESS, SWITCH, b"\x01\x00")
            await client.bluetooth_gatt_write(ADDRESS, IN, b"\x07", response=False)
            device.notify(OUT, b"\x08")
            expect(await notified == (OUT, b"\x08"), "a notification")
            await client.bluetooth_device_disconnect(ADDRESS)
            expect(device.log == ["connect", "read", "subscribe", b"\x07", "disconnect"], f"what the device was asked: {device.log}")
        finally:
            await client.disconnect()
            await proxy.stop()

    with Peers(house) as peers:
        peers.call(meet())


class Reach:
    """Proxies on Ada's host that hear Bob's device, each with this power, and reach one that says nothing."""

    def __init__(self, house, peers, features, **powers):
        self.house, self.peers, profile = house.move_in(), peers, profile_of(house)
        self.proxies = {name: Proxy(key=KEY, features=features, name=f"{name}-proxy") for name in powers}
        self.devices = {name: Peripheral(profile, os.urandom(16)) for name in powers}
        self.ports = {}
        for name, proxy in self.proxies.items():
            proxy.heard = [(ADDRESS, powers[name], 1, beacon(profile["proximity"], house.minor()))]
            proxy.reachable[ADDRESS] = self.devices[name].connect
            self.ports[name] = peers.call(proxy.start())

    def run(self, **members):
        """Starts a node with the proxies as antennas; `members` are those of each one's section."""
        sections = [antenna(self.house, name, port, KEY, **members.get(name, {})) for name, port in self.ports.items()]
        return self.house.run("ada", "--config", self.house.configure(antennas=sections))

    def until_called(self, name, what, fits):
        device, proxy = self.devices[name], self.proxies[name]
        wait(lambda: f"{what}; the device was asked {device.log}, the proxy {proxy.asked}", lambda: fits(device, proxy))


def check_calls(house):
    """a node calls through the proxy that may connect alone, does there what a central does, and leaves a device that says nothing"""
    with Peers(house) as peers:
        # The hall hears the device better, but nobody has said that it may connect.
        reach = Reach(house, peers, CALLS, hall=-50, attic=-61)
        node = reach.run(attic={"connect": True})
        house.until_contact(presence="probable")
        reach.until_called("attic", "end of a call", lambda device, proxy: device.gone.is_set())
        device, proxy = reach.devices["attic"], reach.proxies["attic"]
        expect(device.log[:3] == ["connect", "read", "subscribe"], f"what the device was asked: {device.log}")
        expect(proxy.asked[0] == (ADDRESS, CONNECT_WITHOUT_CACHE, 1), f"connections: {proxy.asked}")
        # Its type, and its body. With this MTU it is one fragment.
        written = [one for one in device.log if isinstance(one, bytes)]
        expect([(one[0], len(one)) for one in written] == [(0x10, 1 + 128)], f"written: {written}")
        wait("farewell", lambda: (ADDRESS, DISCONNECT, None) in proxy.asked)
        contact = house.contact()
        expect(contact["presence"] != "confirmed" and contact["since"] is None, f"confirmed by a device that says nothing: {contact}")
        sent = proxy.requests.count(75)
        expect(proxy.requests.count(7) >= sent, f"{sent} values were written, and {proxy.requests.count(7)} pings sent")
        hall = reach.proxies["hall"]
        expect(not hall.asked and not reach.devices["hall"].log, f"a proxy that may not connect was asked for {hall.asked}")
        node.stop()


def check_farewell(house):
    """a node that ends leaves what it has connected through a proxy"""
    with Peers(house) as peers:
        reach = Reach(house, peers, CALLS, hall=-61)
        node = reach.run(hall={"connect": True})
        reach.until_called("hall", "call", lambda device, proxy: "connect" in device.log)
        node.stop()
        reach.until_called("hall", "farewell", lambda device, proxy: device.gone.is_set() and (ADDRESS, DISCONNECT, None) in proxy.asked)


def contact_of(house, key):
    with Peers(house) as peers:
        uuid, minor = profile_of(house)["proximity"], house.move_in().minor()
        near, far = Proxy(key=key), Proxy(key=key, name="attic-proxy")
        # Strangers: another minor, another frame, the right minor from a lasting address.
        near.heard = [(ADDRESS, -61, 1, beacon(uuid, minor)), (ADDRESS + 1, -40, 1, beacon(uuid, minor ^ 1)),
                      (ADDRESS + 2, -40, 1, bytes.fromhex("020106")), (LASTING, -40, 0, beacon(uuid, minor))]
        far.heard = [(ADDRESS, -80, 1, beacon(uuid, minor) + bytes.fromhex("020a04"))]
        ports = [peers.call(proxy.start()) for proxy in (near, far)]
        node = house.run("ada", "--config", house.configure(antennas=[
            antenna(house, "hall", ports[0], key, device="hall-proxy"), antenna(house, "attic", ports[1], key)]))
        is_probable(house, room="hall")
        expect([one["state"] for one in house.facts()[0]["antennas"]] == ["listening"] * 2, f"{house.facts()[0]['antennas']}")
        until_antenna(house, "counts beacons and others", lambda one: one["beacons"] > 0 and one["others"] > 0)
        rooms = [one["room"] for one in house.json("ada", "explain", "Bob", "--home", house.home("ada"))["rooms"]]
        expect(rooms == ["hall", "attic"], f"rooms: {rooms}")
        seen = house.json("ada", "explain", "Bob", "--home", house.home("ada"))["seen"]
        expect(not any(one["contested"] for one in seen), "two antennas look like two devices")
        # The contact goes upstairs.
        near.heard[0] = (ADDRESS, -85, 1, beacon(uuid, minor))
        far.heard[0] = (ADDRESS, -50, 1, beacon(uuid, minor))
        house.until_contact(room="attic")
        expect(set(near.requests) <= {1, 8, 9, 66, 7}, f"more than a scan needs: {near.requests}")
        expect(8 in near.requests, "no reply to a ping")
        # The device is restarted.
        peers.call(near.stop())
        until_antenna(house, "has failed", lambda one: one["state"] == "failed")
        peers.call(near.start(ports[0]))
        until_antenna(house, "listens again", lambda one: one["state"] == "listening")
        node.stop()
        wait("farewell to the proxy", lambda: 5 in far.requests)


def check_contact(house):
    """two proxies hear a contact, strangers and a lasting address: the contact is probable, in a room, and then in another"""
    contact_of(house, KEY)


def check_plaintext(house):
    """the same without encryption"""
    contact_of(house, None)


def check_refusals(house):
    """a wrong key, encryption on one side alone, another device, no proxy, no connections, a proxy that another program has"""
    house.move_in()
    with Peers(house) as peers:
        def run(proxy, key, **members):
            return house.run("ada", "--config", house.configure(antennas=[antenna(house, "hall", peers.call(proxy.start()), key, **members)]))

        newer = Proxy(key=KEY, version="2026.7.0")
        for text, proxy, key, members in (
                ("the key is not that of the antenna", Proxy(key=KEY), OTHER_KEY, {}),
                ("speaks without encryption only", Proxy(), KEY, {}),
                ("demands encryption", Proxy(key=KEY), None, {}),
                ("has another name", Proxy(key=KEY), KEY, {"device": "attic-proxy"}),
                ("no Bluetooth proxy", Proxy(key=KEY, features=0), KEY, {}),
                ("has it", Proxy(key=KEY, refuses=True), KEY, {}),
                ("makes no connections", Proxy(key=KEY), KEY, {"connect": True}),
                ("may have it and would lose it", newer, KEY, {})):
            node = run(proxy, key, **members)
            until_trouble(node, text)
            node.stop()
            peers.call(proxy.stop())
        expect(66 not in newer.requests, "a proxy was taken away")
        node = run(newer, KEY, exclusive=True)
        until_antenna(house, "listens", lambda one: one["state"] == "listening")
        node.stop()


def check_doctor(house):
    """inkling doctor says which proxies can be antennas, takes none away, and finds the key of the vault"""
    house.move_in()
    with Peers(house) as peers:
        good, newer = Proxy(key=KEY), Proxy(key=KEY, version="2026.7.0")
        ports = [peers.call(proxy.start()) for proxy in (good, newer)]
        configuration = house.configure(node={"home": house.home("ada"), "key-file": house.home("ada") + ".key"}, antennas=[
            antenna(house, "hall", ports[0], KEY), antenna(house, "attic", ports[0], OTHER_KEY), antenna(house, "porch", ports[1], KEY),
            antenna(house, "shed", 9, KEY), antenna(house, "loft", ports[0], KEY, connect=True)])
        vault = house.diagnose(configuration, "vault")[0]
        expect(vault["verdict"] == "ok" and "opens" in vault["text"], f"the vault: {vault}")
        found = [(fact["verdict"], fact["text"]) for fact in house.diagnose(configuration, "antennas")]
        expect([verdict for verdict, _ in found] == ["ok", "fault", "advice", "fault", "fault"], f"findings: {found}")
        expect("key" in found[1][1] and "Home Assistant" in found[2][1] and "no connections" in found[4][1], f"findings: {found}")
        expect(66 not in good.requests + newer.requests, "doctor subscribed")
        expect(5 in good.requests, "doctor left without goodbye")


def address_of(value):
    return f"4A:0B:1C:2D:{value >> 8:02X}:{value & 255:02X}"


def espresense(uuid, value, room):
    """The topic and the message of an ESPresense node, version 4."""
    name = f"iBeacon:{uuid}-0-{value}"
    return f"espresense/devices/{name}/{room}", json.dumps(
        {"mac": f"4a0b1c2d{value:04x}", "id": name, "disc": "iBeacon", "rssi@1m": -59, "rssi": -72.35, "rxAdj": 20,
         "rssiVar": 1.84, "distance": 3.42, "var": 0.21, "int": 1032})


def decoded(uuid, value):
    """What a gateway publishes that knows beacons."""
    return json.dumps(
        {"id": address_of(value), "mac_type": 1, "adv_type": 3, "rssi": -71, "brand": "GENERIC", "model": "iBeacon",
         "model_id": "IBEACON", "type": "BCON", "mfid": "4c00", "uuid": uuid.replace("-", ""), "major": 0, "minor": value, "txpower": -59})


def undecoded(uuid, value):
    return json.dumps({"id": address_of(value), "mac_type": 1, "adv_type": 3, "rssi": -71,
                       "manufacturerdata": f"4c000215{uuid.replace('-', '')}0000{value:04x}c5"})


def plain(house, broker, kind, prefix, **members):
    """A node with an antenna at the broker, without TLS, which is on the same machine."""
    section = {"broker": f"mqtt://127.0.0.1:{PORT}", "user": "inkling", "password-file": broker.secret} | members
    return house.run("ada", "--config", house.configure(mqtt=section, antennas=[{"name": kind, kind: prefix}]))


def check_espresense(house):
    """a contact is recognised by what ESPresense publishes; a kept message is refused; a flood is counted to the last message"""
    broker = Broker(house.move_in())
    uuid, minor = profile_of(house)["proximity"], house.minor()
    broker.publish(*espresense(uuid, minor, "attic"), kept=True)
    reader = Reader(broker)
    node = plain(house, broker, "espresense", "espresense", **{"antennas-only": True})
    until_antenna(house, "has refused a kept message", lambda one: one["state"] == "listening" and one["refused"] == 1)
    broker.publish(*espresense(uuid, minor ^ 1, "kitchen"))
    broker.publish("espresense/devices/apple:1005:9-24/kitchen", '{"mac":"5a3f1c9d0e42","rssi":-60.5}')
    broker.publish("espresense/devices/iBeacon:x/kitchen", "{}")
    one = until_antenna(house, "has refused a broken id", lambda one: one["refused"] == 2)
    expect((one["beacons"], one["others"], one["dropped"]) == (1, 1, 0), f"the antenna: {one}")
    expect(not node.events("presence"), "a kept message counts")
    # A node that does not show itself recognises nobody.
    wait("visibility", lambda: node.last("visible", "silent") == "visible")
    broker.publish(*espresense(uuid, minor, "kitchen"))
    is_probable(house, room="kitchen")
    reader.settle()
    expect(not reader.all(), f"a node that has the broker for antennas alone publishes {reader.all()}")

    # A node that is held finds more than may wait. How much of it is dropped depends on how fast it reads.
    before = until_antenna(house, "has counted", lambda one: one["beacons"] == 2)
    node.hold()
    topic, payload = espresense(uuid, minor ^ 1, "kitchen")
    broker.publish(topic, *[payload] * FLOOD)
    node.go_on()
    one = until_antenna(house, "has counted the flood", lambda one: one["beacons"] + one["dropped"] == before["beacons"] + FLOOD)
    house.report.figure(f"dropped of a flood of {FLOOD}", one["dropped"])
    broker.publish(*espresense(uuid, minor, "kitchen"))
    until_antenna(house, "goes on", lambda one: one["beacons"] + one["dropped"] == before["beacons"] + FLOOD + 1
                  and one["state"] == "listening")

    broker.kill()
    until_antenna(house, "has failed", lambda one: one["state"] == "failed")
    broker.start()
    until_antenna(house, "listens again", lambda one: one["state"] == "listening")
    node.stop()


def gateway(house, written):
    broker = Broker(house.move_in())
    uuid, minor, reader = profile_of(house)["proximity"], house.minor(), Reader(broker)
    node = plain(house, broker, "openmqttgateway", "home")
    until_antenna(house, "listens", lambda one: one["state"] == "listening")
    wait("visibility", lambda: node.last("visible", "silent") == "visible")
    broker.publish("home/hall/BTtoMQTT/A4C138000001", '{"id":"A4:C1:38:00:00:01","mac_type":0,"tempc":21.4}')
    broker.publish("home/hall/BTtoMQTT/4A0B1C2D3E4F", written(uuid, minor ^ 1))
    one = until_antenna(house, "hears", lambda one: one["beacons"] == 1 and one["others"] == 1)
    expect(one["refused"] == 0, f"the antenna: {one}")
    broker.publish("home/hall/BTtoMQTT/4A0B1C2D3E4F", written(uuid, minor))
    is_probable(house, room="hall")
    # This one has the broker for who is home as well.
    reader.wait("/config")
    node.stop()


def check_gateway(house):
    """a contact is recognised by what an OpenMQTTGateway publishes that knows beacons"""
    gateway(house, decoded)


def check_older_gateway(house):
    """the same of a gateway that passes the data on"""
    gateway(house, undecoded)
