"""An air of Bumble's: the controllers of guests, devices that attack, and rules by which frames are lost or changed.

It shares no code with BlueZ or with the node. Everything runs in one thread with one loop; `Ether.ask` runs a coroutine there.
"""

import asyncio
import os
import random
import threading
import time

from bumble import core, hci, link, ll
from bumble.controller import Controller
from bumble.device import AdvertisingType, Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.host import Host
from bumble.transport.common import AsyncPipeSink, StreamPacketSink, StreamPacketSource

# Of the profile (Specs/advertising.md).
SERVICE, TAG, IN, OUT = (core.UUID(text) for text in (
    "1a356f5b-2e00-8d8d-b35a-edd2584c4da4", "3378d865-2ebf-8be9-a321-b5bf4ab7e545", "10019a65-c801-89a6-90a2-441db33e3a2c",
    "1c6409b9-a48e-8f54-9ba3-e4da3e87ed6e"))
# The shortest interval at which an iPhone in the background or a beacon is heard often enough, in milliseconds.
INTERVAL = 200
# Of what is heard, in dBm: the fading of an indoor channel that hops over three frequencies.
STRENGTH, DEVIATION = -60, 5


def private_address():
    """Returns a fresh non-resolvable address."""
    value = bytearray(os.urandom(6))
    value[0] &= 0x3F
    return random_address(":".join(f"{byte:02X}" for byte in value))


def random_address(text):
    return hci.Address(text, hci.Address.RANDOM_DEVICE_ADDRESS)


class Air(link.LocalLink):
    """The air between controllers of Bumble.

    `rules` are functions of sender, receiver and packet, each of which returns the packet, another one, or None for one that is
    lost. `calls` has each connection that was begun: its time, the controller, and the address that it called.
    """

    def __init__(self):
        super().__init__()
        self.rules, self.calls = [], []

    def send_advertising_pdu(self, sender_controller, packet):
        if isinstance(packet, ll.ConnectInd):
            self.calls.append((time.time(), sender_controller.name, str(packet.advertiser_address)))
        elif isinstance(packet, ll.AdvExtInd):
            # Bumble's frame does not say whether it permits connections; its set does.
            one = next((one for one in sender_controller.advertising_sets.values() if one.address == packet.advertiser_address), None)
            packet.is_connectable = one is None or one.parameters.advertising_event_properties & 1 == 1
        for receiver in self.controllers:
            if receiver is not sender_controller and (passed := self.pass_on(sender_controller, receiver, packet)):
                asyncio.get_running_loop().call_soon(receiver.on_ll_advertising_pdu, passed)

    def pass_on(self, sender, receiver, packet):
        for rule in self.rules:
            if packet:
                packet = rule(sender, receiver, packet)
        return packet

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        # Bumble's own rule for the sender takes the random address of the controller, which is not the one of an advertising set,
        # so that a host would never know whose data it gets.
        connection = sender_controller.le_connections.get(destination_address)
        receiver = self.find_le_controller(destination_address)
        if connection and receiver:
            asyncio.get_running_loop().call_soon(lambda: receiver.on_link_acl_data(connection.self_address, transport, data))

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        # The other end may have gone.
        if self.find_le_controller(receiver_address):
            super().send_ll_control_pdu(sender_address, receiver_address, packet)


class Radio(Controller):
    """A controller of Bumble that gives up a connection when it is told to, and hands over one report for each frame."""

    def on_hci_le_create_connection_cancel_command(self, command):
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        asyncio.get_running_loop().call_soon(self.send_hci_packet, hci.HCI_LE_Connection_Complete_Event(
            status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, connection_handle=0, role=hci.Role.CENTRAL,
            peer_address_type=pending.peer_address.address_type, peer_address=pending.peer_address, connection_interval=0,
            peripheral_latency=0, supervision_timeout=0, central_clock_accuracy=0))
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def on_advertising_pdu(self, pdu):
        if self.le_scan_enable:
            self.send_hci_packet(report(pdu.advertiser_address, pdu.data, is_connectable=getattr(pdu, "is_connectable", True)))
        pending = self.pending_le_connection
        if getattr(pdu, "is_connectable", True) and pending and pending.peer_address == pdu.advertiser_address:
            self.create_le_connection(pdu.advertiser_address)


def report(address, data, rssi=None, is_connectable=True):
    """Returns the report of a frame. Its strength varies as that of a device at rest does; BlueZ passes nothing on of a device
    whose data stay the same and whose strength changes by less than 8 dB."""
    rssi = max(-100, min(-20, round(random.gauss(STRENGTH, DEVIATION)))) if rssi is None else rssi
    return hci.HCI_LE_Extended_Advertising_Report_Event([hci.HCI_LE_Extended_Advertising_Report_Event.Report(
        event_type=hci.HCI_LE_Extended_Advertising_Report_Event.EventType(1 if is_connectable else 0), address_type=address.address_type,
        address=address, primary_phy=hci.Phy.LE_1M, secondary_phy=hci.Phy.LE_1M, advertising_sid=0, tx_power=0, rssi=rssi,
        periodic_advertising_interval=0, direct_address_type=0, direct_address=hci.Address.ANY, data=data)])


class Ether:
    """Bumble in a thread of its own."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def ask(self, coroutine, seconds=60):
        """Runs a coroutine beside the guest, and returns its value."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(seconds)

    def end(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)

    async def add_guest(self, air, port, number=0):
        """Adds the controller of a guest. `port` is the end of a serial line whose other end is in the guest."""
        transport, source = await self.loop.create_connection(StreamPacketSource, sock=port)
        return Radio(f"guest {number}", host_source=source, host_sink=StreamPacketSink(transport), link=air,
                     public_address=f"00:AA:01:02:03:{4 + number:02X}")

    async def add_device(self, air, name, services=(), address=None):
        """Adds a device with a host of its own, which is switched on."""
        controller = Radio(name, link=air)
        device = Device(name="inkling", address=address or private_address(), host=Host(controller, AsyncPipeSink(controller)))
        for service in services:
            device.add_service(service)
        await device.power_on()
        return device


async def take_address(device, address=None):
    """Gives a device another address, by default a fresh one, for what it does next."""
    address = address or private_address()
    await device.send_command(hci.HCI_LE_Set_Random_Address_Command(random_address=address))
    device.random_address = address
    return address


async def show(device, data):
    """Shows data under a fresh address, connectably, until it is told otherwise."""
    await device.stop_advertising()
    address = await take_address(device)
    await device.start_advertising(
        AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE, own_address_type=hci.OwnAddressType.RANDOM, auto_restart=True, advertising_data=data,
        scan_response_data=b"", advertising_interval_min=INTERVAL, advertising_interval_max=INTERVAL)
    return address


def profile_service(read_tag, written):
    """Returns the service of the profile, with the coroutine that reads TAG, and what takes a write to IN; and its OUT."""
    out = Characteristic(OUT, Characteristic.Properties.NOTIFY, Characteristic.Permissions(0))
    return Service(SERVICE, [
        Characteristic(TAG, Characteristic.Properties.READ, Characteristic.READABLE, CharacteristicValue(read=read_tag)),
        Characteristic(IN, Characteristic.Properties.WRITE_WITHOUT_RESPONSE, Characteristic.WRITEABLE, CharacteristicValue(write=written)),
        out]), out
