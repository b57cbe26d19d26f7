"""Reads what crossed a network: the frames that `tcpdump -w` has captured at the ports of its bridge, and the faults in them.

  multicast   a node's multicast came out at another node's port
  public      TCP was sent to or from an address that is not private
  far         a packet that opens a connection has another hop limit than 1
  unoffered   a node called an address that is not a private one of the other node
"""

import ipaddress
import struct
from dataclasses import dataclass

from capture import CaptureError
from judge import Fault, unique

# Those of which an address may be offered (Specs/hand-over.md).
PRIVATE = [ipaddress.ip_network(text) for text in
           ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10")]
# Hardware and private addresses of the nodes, as guest/network gives them.
HARDWARE = {"ada": "02:00:00:00:00:01", "bob": "02:00:00:00:00:02"}
ADDRESSES = {"ada": "10.77.0.1", "bob": "10.77.0.2"}
# The hardware addresses of 224.0.0.251 and ff02::fb.
MULTICAST_DNS = ("01:00:5e:00:00:fb", "33:33:00:00:00:fb")
BROADCAST = "ff:ff:ff:ff:ff:ff"
ETHERNET, IPV4, ARP, IPV6, TCP = 1, 0x0800, 0x0806, 0x86DD, 6
SYN, ACK = 0x02, 0x10


@dataclass(frozen=True)
class Frame:
    """One frame at the port of a node. What follows `kind` is that of an IP packet, or the addresses of an ARP packet."""

    port: str
    time: float
    sender: str
    target: str
    kind: int
    protocol: int = 0
    source: str = ""
    destination: str = ""
    hop_limit: int = 0
    ports: tuple = (0, 0)
    flags: int = 0
    payload: int = 0

    @property
    def is_multicast(self):
        return int(self.target[:2], 16) & 1 == 1 and self.target != BROADCAST

    @property
    def is_tcp(self):
        return self.kind in (IPV4, IPV6) and self.protocol == TCP

    @property
    def opens(self):
        """Whether it asks for a connection."""
        return self.is_tcp and self.flags & (SYN | ACK) == SYN

    @property
    def calls(self):
        """The IP address at which somebody is called, by a connection or by the question for its hardware address."""
        return self.destination if self.opens or self.kind == ARP else None

    @property
    def connection(self):
        return frozenset(((self.source, self.ports[0]), (self.destination, self.ports[1])))


def frames(port, data):
    """Returns the frames of a capture in the format of libpcap, in order."""
    if len(data) < 24 or data[:4] != struct.pack("<I", 0xA1B2C3D4) or struct.unpack_from("<I", data, 20)[0] != ETHERNET:
        raise CaptureError(f"the capture at {port} is no capture of Ethernet frames")
    found, at = [], 24
    while at < len(data):
        if len(data) - at < 16 or len(data) - at - 16 < (length := struct.unpack_from("<I", data, at + 8)[0]):
            raise CaptureError(f"the capture at {port} ends within a frame")
        seconds, micros = struct.unpack_from("<II", data, at)
        found.append(frame(port, seconds + micros / 1e6, data[at + 16:at + 16 + length]))
        at += 16 + length
    return found


def frame(port, time, data):
    if len(data) < 14:
        raise CaptureError(f"the capture at {port} has a frame of {len(data)} bytes")
    target, sender = (":".join(f"{byte:02x}" for byte in data[at:at + 6]) for at in (0, 6))
    kind, packet = int.from_bytes(data[12:14], "big"), data[14:]
    one = Frame(port, time, sender, target, kind)
    if kind == ARP and len(packet) >= 28:
        return Frame(port, time, sender, target, kind, 0, dotted(packet[14:18]), dotted(packet[24:28]))
    if kind == IPV4 and len(packet) >= 20:
        header = packet[0] % 16 * 4
        return transport(one, packet[9], dotted(packet[12:16]), dotted(packet[16:20]), packet[8], packet[header:],
                         int.from_bytes(packet[2:4], "big") - header)
    if kind == IPV6 and len(packet) >= 40:
        return transport(one, packet[6], str(ipaddress.ip_address(packet[8:24])), str(ipaddress.ip_address(packet[24:40])), packet[7],
                         packet[40:], int.from_bytes(packet[4:6], "big"))
    return one


def transport(one, protocol, source, destination, hop_limit, segment, length):
    ports, flags, payload = (0, 0), 0, 0
    if protocol == TCP and len(segment) >= 20:
        ports, flags, payload = struct.unpack_from(">HH", segment), segment[13], length - (segment[12] >> 4) * 4
    return Frame(one.port, one.time, one.sender, one.target, one.kind, protocol, source, destination, hop_limit, ports, flags, payload)


def dotted(data):
    return ".".join(map(str, data))


def is_private(address):
    value = ipaddress.ip_address(address)
    return any(value in network for network in PRIVATE if network.version == value.version)


# The faults

def faults(captured):
    """Returns the faults of frames at all ports, each once."""
    found = []
    for one in captured:
        owner = next((name for name, address in HARDWARE.items() if address == one.sender), None)
        if one.is_multicast and owner not in (None, one.port):
            found.append(Fault("multicast", one.time, f"multicast of {owner} to {one.target} came out at the port of {one.port}"))
        if one.is_tcp and not (is_private(one.source) and is_private(one.destination)):
            found.append(Fault("public", one.time, f"TCP was sent from {one.source} to {one.destination}"))
        if one.opens and one.hop_limit != 1:
            found.append(Fault("far", one.time, f"{one.source} opened a connection to {one.destination} with hop limit {one.hop_limit}"))
        if owner and one.calls and one.calls not in ADDRESSES.values():
            found.append(Fault("unoffered", one.time, f"{owner} called {one.calls}, which the other node may not have offered"))
    return sorted(unique(found), key=lambda fault: fault.time)
