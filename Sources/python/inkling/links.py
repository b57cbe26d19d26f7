"""Links: packets as the bytes of a TCP stream or the values of a GATT link, and back."""

from __future__ import annotations

from ctypes import byref, c_uint64
from enum import IntEnum

from ._abi import InklingError, Object, Status, bytes_of, call, refusing


class Transport(IntEnum):
    """The link technologies."""

    GATT = 0
    TCP = 2
    NAN = 3

    @staticmethod
    def bits(transports: frozenset[Transport]) -> int:
        """As one number, bit n for transport n."""
        return sum(1 << transport for transport in transports)

    @staticmethod
    def of_bits(bits: int) -> frozenset[Transport]:
        """Those that have a bit in a number."""
        return frozenset(transport for transport in Transport if bits >> transport & 1)


def tcp_bytes(packet: bytes) -> bytes:
    """A packet as the bytes to send over TCP; raises Refused for what is no packet."""
    return bytes_of(
        lambda *out: refusing("inkling_link_bytes", packet, len(packet), Transport.TCP, 0, *out))


def gatt_values(packet: bytes, mtu: int) -> list[bytes]:
    """A packet as the values to write or to notify over GATT, for an ATT MTU of 23 to 517 bytes."""
    joined = bytes_of(
        lambda *out: refusing("inkling_link_bytes", packet, len(packet), Transport.GATT, mtu, *out))
    return [joined[start : start + mtu - 3] for start in range(0, len(joined), mtu - 3)]


class Link(Object):
    """What comes in over one link, to become packets again."""

    def __init__(self, transport: Transport, *, from_stranger: bool = False):
        """A link before its first byte; from a stranger only packets with which one can begin are taken."""
        super().__init__(lambda out: call("inkling_link_new", transport, int(from_stranger), out))

    def trust(self) -> None:
        """From now on every packet is taken."""
        call("inkling_link_trust", self._handle)

    def take(self, received: bytes, tick: int = 0) -> list[bytes]:
        """Takes bytes of the stream, or one value of the GATT link: the packets that are complete now.

        `tick` is a clock that never steps, in milliseconds. Raises Refused; the link is to be closed then.
        """
        refusing("inkling_link_take", self._handle, received, len(received), tick)
        packets = []
        while packet := bytes_of(lambda *out: refusing("inkling_link_next", self._handle, *out)):
            packets.append(packet)
        return packets

    @property
    def deadline(self) -> int | None:
        """The tick at which an incomplete packet is given up; None while there is none, and for TCP."""
        tick = c_uint64()
        try:
            call("inkling_link_deadline", self._handle, byref(tick))
        except InklingError as error:
            if error.status != Status.UNKNOWN:
                raise
            return None
        return tick.value
