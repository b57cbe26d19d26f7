"""Specs/mdns.md: the addresses of records that a device connects to."""

from ...tools.fields import Entry, Flag, Integer, ListOf, Record
from ...tools.operations import operation
from ...tools.refusal import Refusal
from .sending import ADDRESS

PREFIX = Entry(address=ADDRESS, length=Integer(0, 128))
LINK_LOCAL = ((bytes([169, 254, 0, 0]), 16), (bytes([0xFE, 0x80]) + bytes(14), 10))
REASONS = ("unspecified", "loopback", "multicast", "reserved", "off-link")


def is_within(address, prefix, length):
    """Whether the first `length` bits are the same. No address is within a prefix longer than itself."""
    if len(address) != len(prefix) or length > 8 * len(address):
        return False
    shift = 8 * len(address) - length
    return int.from_bytes(address, "big") >> shift == int.from_bytes(prefix, "big") >> shift


def judge(address, prefixes, loopback):
    """Returns whether the address is used with the interface; refuses one that is not connected to.
    `prefixes` are pairs of address and length."""

    def is_in(text, length):
        return is_within(address, bytes.fromhex(text), length)

    is_loopback = is_in("7f000000", 8) or address == bytes(15) + b"\x01"
    if is_in("00000000", 8) or is_in("00" * 16, 64) and not is_loopback:
        raise Refusal("address", "unspecified")
    if is_loopback:
        if not loopback:
            raise Refusal("address", "loopback")
        return False
    if is_in("e0000000", 4) or is_in("ff" + "00" * 15, 8):
        raise Refusal("address", "multicast")
    if is_in("f0000000", 4):
        raise Refusal("address", "reserved")
    if not any(is_within(address, *prefix) for prefix in (*LINK_LOCAL, *prefixes)):
        raise Refusal("address", "off-link")
    return is_within(address, *LINK_LOCAL[1])


@operation(
    "mdns-address",
    Record(address=ADDRESS, prefixes=ListOf(PREFIX, high=16), loopback=Flag()),
    Record(withInterface=Flag()),
    refusals=[("address", reason) for reason in REASONS],
)
def mdns_address_operation(address, prefixes, loopback):
    pairs = [(prefix["address"], prefix["length"]) for prefix in prefixes]
    return {"withInterface": judge(address, pairs, loopback)}
