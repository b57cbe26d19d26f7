"""A Bluetooth proxy with ESPHome's native API, as a server: with encryption or without, of any age, and with connections.

The handshake is that of the package noiseprotocol and the messages are those of aioesphomeapi, so that it shares no code
with ours. aioesphomeapi's own client meets it too (`antennas.py`).
"""

import asyncio
import struct

from aioesphomeapi import api_pb2
from noise.connection import NoiseConnection

PROTOCOL = b"Noise_NNpsk0_25519_ChaChaPoly_SHA256"
PROLOGUE = b"NoiseAPIInit\x00\x00"
RAW, STATES, CONNECTIONS = 32, 64, 2 | 4
TYPES = {
    1: api_pb2.HelloRequest, 5: api_pb2.DisconnectRequest, 7: api_pb2.PingRequest, 9: api_pb2.DeviceInfoRequest,
    66: api_pb2.SubscribeBluetoothLEAdvertisementsRequest, 87: api_pb2.UnsubscribeBluetoothLEAdvertisementsRequest,
    68: api_pb2.BluetoothDeviceRequest, 70: api_pb2.BluetoothGATTGetServicesRequest, 73: api_pb2.BluetoothGATTReadRequest,
    75: api_pb2.BluetoothGATTWriteRequest, 77: api_pb2.BluetoothGATTWriteDescriptorRequest, 78: api_pb2.BluetoothGATTNotifyRequest,
}
# Kinds of request 68.
DISCONNECT, CONNECT_WITHOUT_CACHE = 1, 5


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def split(uuid):
    """The upper and the lower 64 bits of a UUID, as messages have them."""
    value = int(uuid.replace("-", ""), 16)
    return [value >> 64, value & (1 << 64) - 1]


class Proxy:
    """What the device is, what it has seen of its clients, and what it hears."""

    def __init__(self, key=None, name="hall-proxy", version="2026.6.5", features=1 | RAW | STATES, refuses=False):
        self.key, self.name, self.version, self.features = key, name, version, features
        self.refuses = refuses  # a second subscriber, silently, as before 2026.7
        self.heard = []  # (address, rssi, address type, data)
        self.requests = []  # the numbers of all messages of all clients
        # What can be connected to, by its address: a function that connects and returns a peripheral. A peripheral has `mtu`,
        # `services` (of a service its UUID, its handle and its characteristics; of these their UUID, handle, properties and the handle
        # of the descriptor for notifications, or None), and the coroutines `read`, `write`, `subscribe` and `disconnect`; it calls
        # `lost` when it is gone. A coroutine raises ConnectionError when the device refuses.
        self.reachable = {}
        self.asked = []  # of each request 68: address, kind, type of the address
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
        self.peripherals, self.connecting = {}, {}

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
                elif number in TYPES and number >= 68:
                    await self.take(number, message)
                await self.writer.drain()
        finally:
            if scanning:
                scanning.cancel()
            for task in self.connecting.values():
                task.cancel()
            # A device disconnects what it has connected for a client that is gone.
            for peripheral in list(self.peripherals.values()):
                peripheral.lost = lambda: None
                await peripheral.disconnect()

    async def take(self, number, message):
        """Does what concerns another device, one request after the other."""
        address = message.address
        if number == 68:
            self.proxy.asked.append((address, message.request_type, message.address_type if message.has_address_type else None))
            if message.request_type == CONNECT_WITHOUT_CACHE:
                # The client must be able to change its mind.
                self.connecting[address] = asyncio.create_task(self.connect(address))
            elif message.request_type == DISCONNECT:
                if task := self.connecting.pop(address, None):
                    task.cancel()
                if peripheral := self.peripherals.pop(address, None):
                    peripheral.lost = lambda: None
                    await peripheral.disconnect()
                self.send(69, api_pb2.BluetoothDeviceConnectionResponse(address=address, connected=False))
            return
        peripheral = self.peripherals.get(address)
        try:
            if peripheral is None:
                raise ConnectionError
            if number == 70:
                for uuid, handle, characteristics in peripheral.services:
                    part = api_pb2.BluetoothGATTGetServicesResponse(address=address)
                    service = part.services.add(uuid=split(uuid), handle=handle)
                    for uuid, handle, properties, switch in characteristics:
                        one = service.characteristics.add(uuid=split(uuid), handle=handle, properties=properties)
                        if switch is not None:
                            one.descriptors.add(short_uuid=0x2902, handle=switch)
                    self.send(71, part)
                self.send(72, api_pb2.BluetoothGATTGetServicesDoneResponse(address=address))
            elif number == 73:
                value = await peripheral.read(message.handle)
                self.send(74, api_pb2.BluetoothGATTReadResponse(address=address, handle=message.handle, data=value))
            elif number == 75:
                await peripheral.write(message.handle, message.data)
                if message.response:
                    self.send(83, api_pb2.BluetoothGATTWriteResponse(address=address, handle=message.handle))
            elif number == 77:
                # Clients switch notifications on by themselves, after they have asked for them.
                await peripheral.subscribe(message.handle)
                self.send(83, api_pb2.BluetoothGATTWriteResponse(address=address, handle=message.handle))
            elif number == 78:
                self.send(84, api_pb2.BluetoothGATTNotifyResponse(address=address, handle=message.handle))
        except ConnectionError:
            handle = getattr(message, "handle", 0)
            self.send(82, api_pb2.BluetoothGATTErrorResponse(address=address, handle=handle, error=-1))

    async def connect(self, address):
        try:
            peripheral = await self.proxy.reachable[address]()
        except (KeyError, ConnectionError):
            self.send(69, api_pb2.BluetoothDeviceConnectionResponse(address=address, connected=False, error=0x85))
            return await self.writer.drain()
        finally:
            self.connecting.pop(address, None)
        self.peripherals[address] = peripheral
        peripheral.notify = lambda handle, value: self.send(
            79, api_pb2.BluetoothGATTNotifyDataResponse(address=address, handle=handle, data=value))
        peripheral.lost = lambda: self.peripherals.pop(address, None) and self.send(
            69, api_pb2.BluetoothDeviceConnectionResponse(address=address, connected=False, error=0x13))
        self.send(69, api_pb2.BluetoothDeviceConnectionResponse(address=address, connected=True, mtu=peripheral.mtu))
        await self.writer.drain()

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
