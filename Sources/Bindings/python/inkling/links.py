"""Links: packets to and from the bytes of a TCP stream or the values of a GATT link."""

from __future__ import annotations

from ctypes import byref, c_uint64
from enum import IntEnum

from ._abi import InklingError, Object, Status, bytes_of, call, refusing


class Transport(IntEnum):
    """The transports, with their codes on the wire."""

    GATT = 0
    TCP = 2
    NAN = 3

    @staticmethod
    def bits(transports: frozenset[Transport]) -> int:
        """Returns a set as a number: bit n for transport n."""
        return sum(1 << transport for transport in transports)

    @staticmethod
    def of_bits(bits: int) -> frozenset[Transport]:
        """Returns the transports whose bits are set in a number."""
        return frozenset(transport for transport in Transport if bits >> transport & 1)


def tcp_bytes(packet: bytes) -> bytes:
    """Returns the frame of a packet on TCP; raises Refused if `packet` is not a packet."""
    return bytes_of(
        lambda *out: refusing("inkling_link_bytes", packet, len(packet), Transport.TCP, 0, *out))


def gatt_values(packet: bytes, mtu: int) -> list[bytes]:
    """Returns the values of a packet to write or to notify over GATT, for an ATT MTU of 23 to 517 bytes."""
    joined = bytes_of(
        lambda *out: refusing("inkling_link_bytes", packet, len(packet), Transport.GATT, mtu, *out))
    return [joined[start : start + mtu - 3] for start in range(0, len(joined), mtu - 3)]


class Link(Object):
    """The receiving end of a link."""

    def __init__(self, transport: Transport, *, is_unauthenticated: bool = False):
        """Creates the receiving end of a link; an unauthenticated one accepts only packets that begin a handshake."""
        super().__init__(lambda out: call("inkling_link_new", transport, int(is_unauthenticated), out))

    def trust(self) -> None:
        """Accepts packets of every type from now on."""
        call("inkling_link_trust", self._handle)

    def take(self, received: bytes, tick: int = 0) -> list[bytes]:
        """Takes received bytes of the stream, or one value of the GATT link, and returns the packets now complete.

        `tick` is the monotonic clock, in milliseconds. Raises Refused; close the link then.
        """
        refusing("inkling_link_take", self._handle, received, len(received), tick)
        packets = []
        while packet := bytes_of(lambda *out: refusing("inkling_link_next", self._handle, *out)):
            packets.append(packet)
        return packets

    @property
    def deadline(self) -> int | None:
        """The tick at which an incomplete packet expires; None if there is none, and for TCP."""
        tick = c_uint64()
        try:
            call("inkling_link_deadline", self._handle, byref(tick))
        except InklingError as error:
            if error.status != Status.UNKNOWN:
                raise
            return None
        return tick.value
