"""An observer that shares no code with BlueZ or with this rig: PyPI's Bumble, as the controllers of guests and as a device beside
them.

A controller of Bumble is joined to a guest by a serial line. The observer is another device of the same air, with a host of its
own. It hears advertisements and connects as strangers do, and says by itself what of this is stable.
"""

import asyncio
import contextlib
import time
from dataclasses import dataclass

from bumble import core, gatt
from bumble.device import Peer

from air import IN, OUT, TAG, Air, Ether, random_address, take_address

APPLE, BEACON = 0x004C, bytes.fromhex("0215")


@dataclass(frozen=True)
class Heard:
    """An advertisement, as Bumble's host understands it. `kind` is the kind of its address by Bumble."""

    time: float
    address: str
    kind: str
    data: bytes
    is_connectable: bool = False

    @property
    def beacon(self):
        """What follows the type of an iBeacon frame: UUID, major, minor and power; None without a frame."""
        for company, value in core.AdvertisingData.from_bytes(self.data).get_all(core.AdvertisingData.MANUFACTURER_SPECIFIC_DATA):
            if company == APPLE and value[:2] == BEACON:
                return value[2:]
        return None

    @property
    def minor(self):
        """The minor of an iBeacon frame, as its two bytes; None without a frame."""
        return self.beacon[18:20] if self.beacon is not None else None


def kind_of(address):
    if address.is_public:
        return "public"
    return "resolvable" if address.is_resolvable else "static" if address.is_static else "non-resolvable"


class Observer(Ether):
    """Bumble in a thread of its own, with one air. `ports` are the ends of serial lines whose other ends are in guests."""

    def __init__(self, *ports):
        super().__init__()
        self.heard, self.air = [], None
        self.ask(self.begin(ports))

    async def begin(self, ports):
        self.air = Air()
        self.guests = [await self.add_guest(self.air, port, number) for number, port in enumerate(ports)]
        self.device = await self.device_in(self.air)

    async def device_in(self, air):
        device = await self.add_device(air, "observer")
        device.on("advertisement", self.take)
        await device.start_scanning(active=False, filter_duplicates=False)
        return device

    def take(self, advertisement):
        if not advertisement.is_scan_response:
            self.heard.append(Heard(time.time(), str(advertisement.address), kind_of(advertisement.address), bytes(advertisement.data_bytes),
                                    advertisement.is_connectable))

    def await_heard(self, condition, seconds, what):
        """Waits until the condition is true of something that was heard from now on, and returns that."""
        deadline, seen = time.monotonic() + seconds, len(self.heard)
        while time.monotonic() < deadline:
            if found := next((one for one in self.heard[seen:] if condition(one)), None):
                return found
            time.sleep(0.05)
        raise TimeoutError(f"not heard within {seconds} s: {what}")

    # As a central

    def visit(self, address, first=None, wait=15.0, own=None, reads=0.0):
        """Connects to an address as a stranger does, under an address of its own that is fresh unless `own` names one; reads the tag,
        and again every `reads` seconds; writes a first message, and waits for the end of the link.

        Returns None when the link was not made within five seconds, as at the end of an epoch.
        """
        return self.ask(self.visiting(random_address(address), first, wait, own, reads), 60 + wait)

    async def visiting(self, address, first, wait, own, reads):
        await take_address(self.device, own and random_address(own))
        try:
            connection = await self.device.connect(address, timeout=5)
        except (core.TimeoutError, core.ConnectionError, asyncio.TimeoutError):
            return None
        begun, ended, notified = time.time(), asyncio.get_running_loop().create_future(), []
        connection.on("disconnection", lambda reason: ended.done() or ended.set_result(time.time()))
        found, table, tags = {}, (), []
        # The link may end at any moment.
        with contextlib.suppress(core.ProtocolError, core.InvalidStateError, asyncio.TimeoutError, asyncio.CancelledError):
            await asyncio.wait_for(self.exchange(connection, first, found, tags, notified), 8)
        with contextlib.suppress(TimeoutError):
            while not ended.done() and time.time() < begun + wait:
                await asyncio.wait([ended], timeout=reads or begun + wait - time.time())
                if reads and not ended.done():
                    tags.append(await read(found["tag"]))
        table = found.get("table", ())
        seconds = ended.result() - begun if ended.done() else None
        if not ended.done():
            with contextlib.suppress(core.ProtocolError, core.InvalidStateError, asyncio.TimeoutError):
                await asyncio.wait_for(connection.disconnect(), 5)
        return Visit(table, tuple(tags), tuple(notified), begun, seconds)

    async def exchange(self, connection, first, found, tags, notified):
        """Does what a stranger can do, and notes what came of it as it comes."""
        peer = Peer(connection)
        await peer.request_mtu(517)
        found["table"] = await database(peer)
        those = {one.uuid: one for service in peer.services for one in service.characteristics}
        found["tag"] = those.get(TAG)
        tags.append(await read(found["tag"]))
        if first is not None and OUT in those:
            await those[OUT].subscribe(lambda value: notified.append(bytes(value)))
            await those[IN].write_value(first, with_response=False)


async def database(peer):
    """Reads all that a device shows but the tag: of each service its handle, its UUID and its characteristics, of each of these its
    handle, UUID, properties, value and descriptors."""
    await peer.discover_services()
    services = []
    for service in peer.services:
        characteristics = []
        for one in await service.discover_characteristics():
            can_read = one.properties & gatt.Characteristic.Properties.READ and one.uuid != TAG
            value = bytes(await one.read_value()) if can_read else None
            descriptors = tuple((each.handle, str(each.type)) for each in await one.discover_descriptors())
            characteristics.append((one.handle, str(one.uuid), int(one.properties), value, descriptors))
        services.append((service.handle, str(service.uuid), tuple(characteristics)))
    return tuple(services)


async def read(characteristic):
    """Returns the value of a characteristic; None when it is not there, refused, or the link ends."""
    try:
        return bytes(await asyncio.wait_for(characteristic.read_value(), 2)) if characteristic else None
    except (core.ProtocolError, core.InvalidStateError, asyncio.TimeoutError, asyncio.CancelledError):
        return None


@dataclass(frozen=True)
class Visit:
    """What a stranger got: the services with their characteristics and values, what each reading of the tag gave (None: nothing), what was
    notified, when the link was made, and after how many seconds it ended; None when the stranger had to end it."""

    table: tuple
    tags: tuple
    notified: tuple
    begun: float
    seconds: float | None

    @property
    def tag(self):
        """The first reading."""
        return self.tags[0] if self.tags else None


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
