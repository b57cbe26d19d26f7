"""A Bluetooth proxy with ESPHome's native API, as a server: with encryption or without, of any age.

The handshake is that of the package noiseprotocol and the messages are those of aioesphomeapi, so that it shares no code
with ours. aioesphomeapi's own client meets it too (`antennas`).
"""

import asyncio
import struct

from aioesphomeapi import api_pb2
from noise.connection import NoiseConnection

PROTOCOL = b"Noise_NNpsk0_25519_ChaChaPoly_SHA256"
PROLOGUE = b"NoiseAPIInit\x00\x00"
RAW, STATES = 32, 64
TYPES = {
    1: api_pb2.HelloRequest, 5: api_pb2.DisconnectRequest, 7: api_pb2.PingRequest, 9: api_pb2.DeviceInfoRequest,
    66: api_pb2.SubscribeBluetoothLEAdvertisementsRequest, 87: api_pb2.UnsubscribeBluetoothLEAdvertisementsRequest,
}


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


class Proxy:
    """What the device is, what it has seen of its clients, and what it hears."""

    def __init__(self, key=None, name="hall-proxy", version="2026.6.5", features=1 | RAW | STATES, refuses=False):
        self.key, self.name, self.version, self.features = key, name, version, features
        self.refuses = refuses  # a second subscriber, silently, as before 2026.7
        self.heard = []  # (address, rssi, address type, data)
        self.requests = []  # the numbers of all messages of all clients
        self.server = None
        self.clients = set()

    async def start(self, port=0):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", port)
        return self.server.sockets[0].getsockname()[1]

    async def stop(self):
        self.server.close()
        for task in list(self.clients):
            task.cancel()
        await asyncio.gather(*self.clients, return_exceptions=True)

    async def serve(self, reader, writer):
        task = asyncio.current_task()
        self.clients.add(task)
        try:
            await Client(self, reader, writer).run()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self.clients.discard(task)
            writer.close()


class Client:
    def __init__(self, proxy, reader, writer):
        self.proxy, self.reader, self.writer = proxy, reader, writer
        self.noise = None

    async def frame(self):
        head = await self.reader.readexactly(3)
        if head[0] != 1:
            # A device with encryption says so in a frame of its own kind.
            self.enclose(b"\x01Bad indicator byte")
            await self.writer.drain()
            raise ConnectionError("the client wants no encryption")
        return await self.reader.readexactly(struct.unpack(">H", head[1:])[0])

    def enclose(self, contents):
        self.writer.write(b"\x01" + struct.pack(">H", len(contents)) + contents)

    async def shake(self):
        """Returns whether the client has the key."""
        if await self.frame() != b"":
            raise ConnectionError("the first frame has contents")
        self.enclose(b"\x01" + self.proxy.name.encode() + b"\x00" + b"0a1b2c3d4e5f" + b"\x00")
        first = await self.frame()
        noise = NoiseConnection.from_name(PROTOCOL)
        noise.set_as_responder()
        noise.set_psks(self.proxy.key)
        noise.set_prologue(PROLOGUE)
        noise.start_handshake()
        try:
            if first[:1] != b"\x00":
                raise ValueError
            noise.read_message(first[1:])
        except Exception:  # noqa: BLE001 - any fault is the client's
            self.enclose(b"\x01Handshake MAC failure")
            await self.writer.drain()
            return False
        self.enclose(b"\x00" + noise.write_message())
        self.noise = noise
        return True

    async def receive(self):
        if self.noise:
            plain = self.noise.decrypt(await self.frame())
            number, length = struct.unpack(">HH", plain[:4])
            return number, plain[4 : 4 + length]
        if await self.reader.readexactly(1) != b"\x00":
            # A device without encryption says so with a frame of its own kind.
            self.writer.write(b"\x00\x00\x00")
            await self.writer.drain()
            raise ConnectionError("the client wants encryption")
        length, number = await self.varint(), await self.varint()
        return number, await self.reader.readexactly(length)

    async def varint(self):
        value = shift = 0
        while True:
            byte = (await self.reader.readexactly(1))[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def send(self, number, message):
        body = message.SerializeToString()
        if self.noise:
            self.enclose(self.noise.encrypt(struct.pack(">HH", number, len(body)) + body))
        else:
            self.writer.write(b"\x00" + varint(len(body)) + varint(number) + body)

    async def run(self):
        if self.proxy.key is not None and not await self.shake():
            return
        scanning = None
        try:
            while True:
                number, body = await self.receive()
                self.proxy.requests.append(number)
                message = TYPES[number].FromString(body) if number in TYPES else None
                if number == 1:
                    assert message.client_info and message.api_version_major == 1, message
                    self.send(2, api_pb2.HelloResponse(
                        api_version_major=1, api_version_minor=14, server_info=self.proxy.version, name=self.proxy.name))
                elif number == 5:
                    self.send(6, api_pb2.DisconnectResponse())
                    await self.writer.drain()
                    return
                elif number == 7:
                    self.send(8, api_pb2.PingResponse())
                elif number == 9:
                    self.send(10, api_pb2.DeviceInfoResponse(
                        name=self.proxy.name, mac_address="0A:1B:2C:3D:4E:5F", esphome_version=self.proxy.version,
                        bluetooth_proxy_feature_flags=self.proxy.features))
                elif number == 66 and not self.proxy.refuses:
                    assert message.flags == 1, message
                    if self.proxy.features & STATES:
                        self.send(126, api_pb2.BluetoothScannerStateResponse(state=2, mode=0))
                    scanning = asyncio.create_task(self.scan())
                elif number == 87 and scanning:
                    scanning.cancel()
                await self.writer.drain()
        finally:
            if scanning:
                scanning.cancel()

    async def scan(self):
        self.send(7, api_pb2.PingRequest())
        while True:
            response = api_pb2.BluetoothLERawAdvertisementsResponse()
            for address, rssi, kind, data in self.proxy.heard[:16]:
                response.advertisements.add(address=address, rssi=rssi, address_type=kind, data=data)
            if response.advertisements:
                self.send(93, response)
                await self.writer.drain()
            await asyncio.sleep(0.1)
