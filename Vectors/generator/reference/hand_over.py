"""Specs/hand-over.md: OFFER, the addresses that are called, the keys of an offered link."""

from ..tools.fields import KEY, U16, Bytes, Entry, Flag, Integer, ListOf, Record
from ..tools.operations import operation
from ..tools.refusal import Refusal
from .handshake import SESSION, TRANSPORT, exporter
from .mdns.addresses import PREFIX, is_within, judge
from .notation import derive, u8, u16

TCP = 2
LEAST_PORT = 1024
MOST_ADDRESSES = 4
ADDRESS_SIZE = 19
MAPPED = bytes(10) + b"\xff\xff"
PRIVATE = [
    (bytes([10, 0, 0, 0]), 8),
    (bytes([172, 16, 0, 0]), 12),
    (bytes([192, 168, 0, 0]), 16),
    (bytes([169, 254, 0, 0]), 16),
    (bytes([0xFC]) + bytes(15), 7),
    (bytes([0xFE, 0x80]) + bytes(14), 10),
]
NUMBER = Integer(1, 4)
CODE = Integer(0, 255)
ADDRESS = Entry(transport=CODE, address=Bytes(16), port=U16)
ADDRESSES = ListOf(ADDRESS, low=1, high=MOST_ADDRESSES)


def encode(number, addresses):
    body = u8(number) + u8(len(addresses))
    for transport, address, port in addresses:
        body += u8(transport) + address + u16(port)
    return body


def decode(body):
    if len(body) < 2:
        raise Refusal("offer", "truncated")
    number, count = body[0], body[1]
    if not 1 <= number <= 4:
        raise Refusal("offer", "bad-number")
    if not 1 <= count <= MOST_ADDRESSES:
        raise Refusal("offer", "bad-count")
    if len(body) != 2 + ADDRESS_SIZE * count:
        raise Refusal("offer", "wrong-length")
    addresses = []
    for start in range(2, len(body), ADDRESS_SIZE):
        addresses.append((body[start], body[start + 1 : start + 17], int.from_bytes(body[start + 17 : start + 19], "big")))
    return number, addresses


def judge_offered(transport, address, port, prefixes):
    """Returns whether the address is used with the interface; refuses one that is not called."""
    if transport != TCP:
        raise Refusal("offer", "unknown-transport")
    if port < LEAST_PORT:
        raise Refusal("offer", "low-port")
    if address[:12] == MAPPED:
        address = address[12:]
    if not any(is_within(address, *private) for private in PRIVATE):
        raise Refusal("offer", "not-private")
    try:
        return judge(address, prefixes, False)
    except Refusal:
        raise Refusal("offer", "off-link") from None


def keys(secret, transport, number):
    context = u8(transport) + u8(number)
    return (
        derive(secret, b"offer-gate", context),
        derive(secret, b"offer-psk", context),
        derive(secret, b"offer-id", context)[:16],
    )


@operation("offer-encode", Record(number=NUMBER, addresses=ADDRESSES), Record(body=Bytes()))
def offer_encode_operation(number, addresses):
    return {"body": encode(number, [(entry["transport"], entry["address"], entry["port"]) for entry in addresses])}


@operation(
    "offer-decode",
    Record(body=Bytes()),
    Record(number=NUMBER, addresses=ADDRESSES),
    refusals=[("offer", reason) for reason in ("truncated", "bad-number", "bad-count", "wrong-length")],
)
def offer_decode_operation(body):
    number, addresses = decode(body)
    return {
        "number": number,
        "addresses": [
            {"transport": transport, "address": address, "port": port} for transport, address, port in addresses
        ],
    }


@operation(
    "offer-address",
    Record(transport=CODE, address=Bytes(16), port=U16, prefixes=ListOf(PREFIX, high=16)),
    Record(withInterface=Flag()),
    refusals=[("offer", reason) for reason in ("unknown-transport", "low-port", "not-private", "off-link")],
)
def offer_address_operation(transport, address, port, prefixes):
    pairs = [(prefix["address"], prefix["length"]) for prefix in prefixes]
    return {"withInterface": judge_offered(transport, address, port, pairs)}


@operation(
    "offer-keys",
    Record(**SESSION, transport=TRANSPORT, number=NUMBER),
    Record(gateKey=KEY, psk=KEY, identifier=Bytes(16)),
)
def offer_keys_operation(k1, k2, handshakeHash, transport, number):
    gate_key, psk, identifier = keys(exporter(k1, k2, handshakeHash), transport, number)
    return {"gateKey": gate_key, "psk": psk, "identifier": identifier}
