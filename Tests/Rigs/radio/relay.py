"""Attackers made of Bumble: a device that shows the minor of another one, a relay between two airs, and a careless peer."""

import asyncio
import os

from bumble import core
from bumble.device import Peer

from air import IN, OUT, TAG, profile_service, random_address, show, take_address


class Impostor:
    """Shows data of somebody else under addresses of its own, and serves a tag; by default a random one. `written` has what was
    written to IN, and `calls` counts the readings of TAG."""

    def __init__(self, tag=None):
        self.tag, self.written, self.calls = tag or os.urandom(16), [], 0

    @classmethod
    async def make(cls, ether, air, tag=None):
        self = cls(tag)
        service, self.out = profile_service(self.read_tag, self.take)
        self.device = await ether.add_device(air, "impostor", [service])
        return self

    def read_tag(self, connection):
        self.calls += 1
        return self.tag() if callable(self.tag) else self.tag

    def take(self, connection, value):
        self.written.append(bytes(value))

    async def show(self, data):
        return str(await show(self.device, data))


class Relay:
    """Two devices with a link between them: `far` hears the one who is called, `near` shows what it shows, and is called.

    `change` may change each message: it gets "in" or "out" and the bytes, and returns bytes. `passed` has what went through it.
    """

    def __init__(self, far, change):
        self.far, self.change, self.passed, self.shown, self.target = far, change, [], None, None
        self.those, self.tags, self.link, self.shows = {}, [], None, True

    @classmethod
    async def make(cls, ether, far_air, near_air, change=lambda way, value: value):
        self = cls(await ether.add_device(far_air, "relay, far"), change)
        service, self.out = profile_service(self.read_tag, self.take_in)
        self.near = await ether.add_device(near_air, "relay, near", [service])
        self.far.on("advertisement", self.hear)
        await self.far.start_scanning(active=False, filter_duplicates=False)
        return self

    def hear(self, advertisement):
        """Shows what the other end of the relay hears, under an address of its own."""
        data = bytes(advertisement.data_bytes)
        if b"\x4c\x00\x02\x15" in data:
            self.target = advertisement.address
            if self.shows and data != self.shown:
                self.shown = data
                asyncio.create_task(show(self.near, data))

    async def end_showing(self):
        self.shows = False
        await self.near.stop_advertising()

    async def read_tag(self, connection):
        """Somebody has connected to the near end and reads: connects from the far end, and reads there."""
        await take_address(self.far)
        self.link = await self.far.connect(random_address(str(self.target)[:17]), timeout=5)
        peer = Peer(self.link)
        await peer.request_mtu(517)
        await peer.discover_services()
        for service in peer.services:
            await service.discover_characteristics()
        self.those = {one.uuid: one for service in peer.services for one in service.characteristics}
        await self.those[OUT].subscribe(self.take_out)
        self.tags.append(bytes(await self.those[TAG].read_value()))
        return self.tags[-1]

    async def take_in(self, connection, value):
        value = self.change("in", bytes(value))
        self.passed.append(("in", value))
        await self.those[IN].write_value(value, with_response=False)

    def take_out(self, value):
        value = self.change("out", bytes(value))
        self.passed.append(("out", value))
        asyncio.create_task(self.near.notify_subscribers(self.out, value))

    async def replay(self, messages):
        """Connects to the far node and writes messages of an earlier link; returns the tag, and what is notified in eight seconds."""
        said = []
        await take_address(self.far)
        link = await self.far.connect(random_address(str(self.target)[:17]), timeout=5)
        peer = Peer(link)
        await peer.request_mtu(517)
        await peer.discover_services()
        for service in peer.services:
            await service.discover_characteristics()
        those = {one.uuid: one for service in peer.services for one in service.characteristics}
        tag = bytes(await those[TAG].read_value())
        await those[OUT].subscribe(lambda value: said.append(bytes(value)))
        for message in messages:
            await those[IN].write_value(message, with_response=False)
        await asyncio.sleep(8)
        try:
            await link.disconnect()
        except (core.ProtocolError, core.InvalidStateError):
            pass
        return tag, said
