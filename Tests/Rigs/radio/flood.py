"""Strangers' frames in great number for the controller of one node, and a stranger who takes every call and then says nothing.

Each address shows its minor twice, with another strength the second time: a node calls nobody who was heard once.
"""

import asyncio
import os
import random
import struct
import time
from collections import deque

from bumble import ll
from bumble.controller import AdvertisingSet

from air import Radio, private_address, random_address, report

BEACON = bytes.fromhex("0201061aff4c000215abe0bf31f9d48c5f814537ff0309dd600000")
POWER = b"\xc5"
# What waits for the guest at most: what it cannot take is not sent, and not counted.
WAITING = 1 << 16
STEP = 0.02
# After how many seconds, and with which strengths an address is heard again.
AGAIN, STRENGTHS = 1.5, (-72, -50)


class Silence(Radio):
    """A controller without a host that takes every connection to an address of the flood: the caller waits in vain."""

    addresses = frozenset()

    def on_le_connect_ind(self, packet):
        if bytes(packet.advertiser_address) not in self.addresses:
            return
        one = AdvertisingSet(self, 0, enabled=True, random_address=packet.advertiser_address)
        one.parameters = Parameters
        self.advertising_sets = {0: one}
        super().on_le_connect_ind(packet)


class Parameters:
    """As much of the parameters of a set as its address needs."""

    own_address_type = 1


class Flood:
    """Frames with random minors, or with all minors in order, each under an address of its own.

    `sent` is how many frames the guest has taken, and `calls` how many connections to them its controller was told to make.
    """

    def __init__(self, ether, air, guest):
        self.ether, self.air, self.guest = ether, air, guest
        self.sent, self.calls, self.minor, self.is_running, self.addresses = 0, 0, 0, False, set()
        address = random_address("3F:EE:DD:CC:BB:AA")
        packet, other = (bytes(report(address, BEACON + bytes(2) + POWER, rssi)) for rssi in STRENGTHS)
        self.packet, self.address_at = packet, packet.index(bytes(address))
        self.minor_at = packet.index(BEACON) + len(BEACON)
        self.rssi_at = next(at for at, (one, two) in enumerate(zip(packet, other)) if one != two)
        self.waiting = deque()

    async def begin(self):
        self.silence = Silence("silence", link=self.air)
        self.silence.addresses = self.addresses
        for name in ("on_hci_le_create_connection_command", "on_hci_le_extended_create_connection_command"):
            setattr(self.guest, name, self.answering(getattr(self.guest, name)))

    def answering(self, ask):
        """Returns a handler that also shows the address that is called, if it is one of the flood."""
        def asked(command):
            done = ask(command)
            if bytes(command.peer_address) in self.addresses:
                self.calls += 1
                self.ether.loop.call_later(0.05, self.guest.on_advertising_pdu, ll.AdvExtInd(command.peer_address, b""))
            return done
        return asked

    async def run(self, rate, is_sweep, seconds):
        """Sends so many frames a second for so long, as far as the guest takes them; returns how many it took and in which time."""
        begun, sent = time.monotonic(), 0
        out = self.guest.hci_sink
        while (passed := time.monotonic() - begun) < seconds:
            while sent < rate * passed:
                sent += 1
                if out.transport.get_write_buffer_size() < WAITING and self.guest.le_scan_enable:
                    out.on_packet(self.next_packet(is_sweep, passed))
                    self.sent += 1
            await asyncio.sleep(STEP)
        return passed

    def next_packet(self, is_sweep, now):
        if self.waiting and self.waiting[0][0] <= now:
            packet = self.waiting.popleft()[1]
            packet[self.rssi_at] = STRENGTHS[1] & 0xFF
            return bytes(packet)
        address = bytearray(os.urandom(6))
        # The first byte of the text is the last one here; without its two highest bits the address is non-resolvable.
        address[5] &= 0x3F
        self.addresses.add(bytes(address))
        self.minor = (self.minor + 1) % 65536 if is_sweep else random.getrandbits(16)
        packet = bytearray(self.packet)
        packet[self.address_at:self.address_at + 6] = address
        struct.pack_into(">H", packet, self.minor_at, self.minor)
        self.waiting.append((now + AGAIN, packet))
        return bytes(packet)
