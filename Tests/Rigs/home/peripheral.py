"""A device behind a proxy that serves what a node serves, notes what it is asked, and answers nothing."""

import asyncio

GENERIC = "00001800-0000-1000-8000-00805f9b34fb"
READ, WRITE_WITHOUT_RESPONSE, NOTIFY = 0x02, 0x04, 0x10
TAG, IN, OUT, SWITCH = 11, 13, 15, 16


class Peripheral:
    """`profile` is what `inkling profile show` says. `mtu` and `services` are what a proxy tells of it (`proxy.py`)."""

    def __init__(self, profile, tag, mtu=185):
        self.tag, self.mtu = tag, mtu
        self.services = [
            (GENERIC, 1, [(GENERIC.replace("1800", "2a00"), 3, READ, None)]),
            (profile["service"], 10, [
                (profile["tag"], TAG, READ, None), (profile["in"], IN, WRITE_WITHOUT_RESPONSE, None), (profile["out"], OUT, NOTIFY, SWITCH)]),
        ]
        # What was asked, in order: "connect", "read", "subscribe", "disconnect", or the bytes of a write.
        self.log, self.gone = [], asyncio.Event()
        self.notify, self.lost = lambda handle, value: None, lambda: None

    async def connect(self):
        self.log.append("connect")
        return self

    async def read(self, handle):
        if handle != TAG:
            raise ConnectionError
        self.log.append("read")
        return self.tag

    async def write(self, handle, value):
        if handle != IN:
            raise ConnectionError
        self.log.append(bytes(value))

    async def subscribe(self, handle):
        if handle != SWITCH:
            raise ConnectionError
        self.log.append("subscribe")

    async def disconnect(self):
        self.log.append("disconnect")
        self.gone.set()
