"""An observer that shares no code with BlueZ or with this rig: PyPI's Bumble, as the controller of a guest and as a device beside it.

A controller of Bumble is joined to the guest by a serial line. The observer is another device of the same air, with a host of its
own. It hears advertisements and connects, and says by itself what of this is stable.
"""

import asyncio
import threading
import time
from dataclasses import dataclass

from bumble import core, hci, link
from bumble.controller import Controller
from bumble.device import Device, Peer
from bumble.host import Host
from bumble.transport.common import AsyncPipeSink, StreamPacketSink, StreamPacketSource

# Of the profile (Specs/advertising.md).
SERVICE, TAG, IN, OUT = (core.UUID(text) for text in (
    "1a356f5b-2e00-8d8d-b35a-edd2584c4da4", "3378d865-2ebf-8be9-a321-b5bf4ab7e545", "10019a65-c801-89a6-90a2-441db33e3a2c",
    "1c6409b9-a48e-8f54-9ba3-e4da3e87ed6e"))
APPLE, BEACON = 0x004C, bytes.fromhex("0215")


class Air(link.LocalLink):
    """The air between controllers of Bumble.

    Its own rule for the sender of data takes the random address of the controller, which is not the one of an advertising set, so
    that a host would never know whose data it gets.
    """

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        connection = sender_controller.le_connections.get(destination_address)
        receiver = self.find_le_controller(destination_address)
        if connection and receiver:
            asyncio.get_running_loop().call_soon(lambda: receiver.on_link_acl_data(connection.self_address, transport, data))


@dataclass(frozen=True)
class Heard:
    """An advertisement, as Bumble's host understands it. `kind` is the kind of its address by Bumble."""

    time: float
    address: str
    kind: str
    data: bytes

    @property
    def beacon(self):
        """What follows the type of an iBeacon frame: UUID, major, minor and power; None without a frame."""
        for company, value in core.AdvertisingData.from_bytes(self.data).get_all(core.AdvertisingData.MANUFACTURER_SPECIFIC_DATA):
            if company == APPLE and value[:2] == BEACON:
                return value[2:]
        return None


def kind_of(address):
    if address.is_public:
        return "public"
    return "resolvable" if address.is_resolvable else "static" if address.is_static else "non-resolvable"


class Observer:
    """Bumble in a thread of its own. `port` is the end of a serial line whose other end is in the guest."""

    def __init__(self, port, address="F0:0B:5E:12:7E:12"):
        self.heard, self.loop, self.address = [], asyncio.new_event_loop(), address
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.ask(self.begin(port))

    def ask(self, coroutine, seconds=60):
        """Runs a coroutine beside the guest, and returns its value."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(seconds)

    def end(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)

    async def begin(self, port):
        air = Air()
        transport, source = await self.loop.create_connection(StreamPacketSource, sock=port)
        self.guest = Controller("guest", host_source=source, host_sink=StreamPacketSink(transport), link=air,
                                public_address="00:AA:01:02:03:04")
        controller = Controller("observer", link=air)
        self.device = Device(name="observer", address=hci.Address(self.address), host=Host(controller, AsyncPipeSink(controller)))
        self.device.on("advertisement", self.take)
        await self.device.power_on()
        await self.device.start_scanning(active=False, filter_duplicates=False)

    def take(self, advertisement):
        if not advertisement.is_scan_response:
            self.heard.append(Heard(time.time(), str(advertisement.address), kind_of(advertisement.address), bytes(advertisement.data_bytes)))

    def await_heard(self, condition, seconds, what):
        """Waits until the condition is true of something that was heard from now on, and returns that."""
        deadline, seen = time.monotonic() + seconds, len(self.heard)
        while time.monotonic() < deadline:
            if found := next((one for one in self.heard[seen:] if condition(one)), None):
                return found
            time.sleep(0.05)
        raise TimeoutError(f"not heard within {seconds} s: {what}")

    # As a central

    def visit(self, address, first=None, wait=15.0):
        """Connects to an address as a stranger does, reads the tag, writes a first message, and waits for the end of the link."""
        return self.ask(self.visiting(hci.Address(address, hci.Address.RANDOM_DEVICE_ADDRESS), first, wait), 60 + wait)

    async def visiting(self, address, first, wait):
        connection = await self.device.connect(address, timeout=30)
        begun, ended, notified = time.monotonic(), asyncio.get_running_loop().create_future(), []
        connection.on("disconnection", lambda reason: ended.done() or ended.set_result(time.monotonic() - begun))
        peer = Peer(connection)
        await peer.request_mtu(517)
        await peer.discover_services()
        for service in peer.services:
            await service.discover_characteristics()
        found = {one.uuid: one for service in peer.services for one in service.characteristics}
        table = tuple((str(service.uuid), tuple((str(one.uuid), int(one.properties)) for one in service.characteristics))
                      for service in peer.services)
        tag = bytes(await found[TAG].read_value()) if TAG in found else None
        if first is not None and OUT in found:
            await found[OUT].subscribe(lambda value: notified.append(bytes(value)))
            await found[IN].write_value(first, with_response=False)
        try:
            seconds = await asyncio.wait_for(ended, wait)
        except TimeoutError:
            seconds = None
            await connection.disconnect()
        return Visit(table, tag, tuple(notified), seconds)


@dataclass(frozen=True)
class Visit:
    """What a stranger got: the services with their characteristics, the tag, what was notified, and after how long the link ended."""

    table: tuple
    tag: bytes | None
    notified: tuple
    seconds: float | None


def stable(heard):
    """Returns sentences about what outlives a rotation, without any knowledge of epochs: a rotation is a change of the minor."""
    said, minors, rest = [], {}, set()
    for one in heard:
        if one.kind in ("public", "static"):
            said.append(f"the {one.kind} address {one.address}")
        beacon = one.beacon
        if beacon is None:
            said.append(f"{one.data.hex()}, which is no beacon")
            continue
        rest.add((beacon[:18], beacon[20:], len(one.data)))
        minors.setdefault(one.address, set()).add(beacon[18:20])
    said += [f"the address {address} with {len(shown)} minors" for address, shown in minors.items() if len(shown) > 1]
    if len(rest) > 1:
        said.append(f"{len(rest)} values of the bytes beside the minor")
    return sorted(set(said))
