"""Specs/handshake.md: prologues, gate, payloads, exporter, sealed grants."""

import base64

from ..tools.fields import EPOCH, KEY, U16, U32, Bytes, Integer, IntegerOf, Record, Text
from ..tools.operations import operation
from ..tools.refusal import Refusal
from . import noise
from .notation import H, PREFIX, derive, extract, u16, u32, u64, u8

GATT, TCP, NAN = 0, 2, 3
LARGEST_CARD = 1900
LARGEST_GRANT = 2572
LARGEST_FIRST_CONTACT_PAYLOAD = 2048
PAYLOAD_SIZES = {1: 16, 2: 64}
SEALED_GRANT = "Noise_Kpsk0_25519_ChaChaPoly_SHA256"
SEALED_GRANT_PROLOGUE = PREFIX + b" grant"


def confirm_prologue(transport, epoch, device, identifier):
    return PREFIX + b"-confirm\0\x01" + u8(transport) + u32(epoch) + u8(device) + identifier


def first_contact_prologue(transport, commitment):
    return PREFIX + b"-first-contact\0\x01" + u8(transport) + commitment


def device_link_prologue(transport, commitment):
    return PREFIX + b"-device-link\0\x01" + u8(transport) + commitment


def gate(key, transport, message):
    return H(key, u8(transport) + message)[:16]


def exporter(k1, k2, handshake_hash):
    return extract(PREFIX + b" export", k1 + k2 + handshake_hash)


def fingerprint(k1, k2, handshake_hash):
    digits = base64.b32encode(derive(exporter(k1, k2, handshake_hash), b"fingerprint")[:10]).decode()
    return " ".join(digits[start : start + 4] for start in range(0, 16, 4))


def encode_confirm_payload(message, transports, generation, unix_milliseconds):
    payload = b"\x01\0" + u16(transports) + u32(generation) + u64(unix_milliseconds)
    return payload.ljust(PAYLOAD_SIZES[message], b"\0")


def decode_confirm_payload(message, payload):
    if len(payload) != PAYLOAD_SIZES[message]:
        raise Refusal("payload", "wrong-length")
    if payload[0] != 1:
        raise Refusal("payload", "unknown-version")
    return tuple(int.from_bytes(payload[start:end], "big") for start, end in ((2, 4), (4, 8), (8, 16)))


def encode_first_contact_payload(unix_milliseconds, card):
    payload = b"\x01\0" + u64(unix_milliseconds) + u16(len(card)) + card
    return payload.ljust(-(-len(payload) // 256) * 256, b"\0")


def decode_first_contact_payload(payload):
    if len(payload) % 256 or not 256 <= len(payload) <= LARGEST_FIRST_CONTACT_PAYLOAD:
        raise Refusal("payload", "wrong-length")
    if payload[0] != 1:
        raise Refusal("payload", "unknown-version")
    length = int.from_bytes(payload[10:12], "big")
    if not 1 <= length <= LARGEST_CARD or -(-(12 + length) // 256) * 256 != len(payload):
        raise Refusal("payload", "bad-length")
    if any(payload[12 + length :]):
        raise Refusal("payload", "nonzero-padding")
    return int.from_bytes(payload[2:10], "big"), payload[12 : 12 + length]


def seal_grant(local_static, ephemeral, remote_static, psk, grant):
    try:
        result = noise.run(
            SEALED_GRANT,
            "initiator",
            SEALED_GRANT_PROLOGUE,
            [psk],
            [grant],
            [],
            local_static=local_static,
            remote_static=remote_static,
            ephemeral=ephemeral,
        )
    except Refusal:
        raise Refusal("agreement", "low-order-point") from None
    return b"\x01" + result["sent"][0]


def open_sealed_grant(local_static, remote_static, psk, sealed):
    if not 50 <= len(sealed) <= 49 + LARGEST_GRANT:
        raise Refusal("sealed-grant", "wrong-length")
    if sealed[0] != 1:
        raise Refusal("sealed-grant", "unknown-version")
    try:
        result = noise.run(
            SEALED_GRANT,
            "responder",
            SEALED_GRANT_PROLOGUE,
            [psk],
            [],
            [sealed[1:]],
            local_static=local_static,
            remote_static=remote_static,
        )
    except Refusal as refusal:
        stage = "agreement" if refusal.reason == "low-order-point" else "sealed-grant"
        raise Refusal(stage, refusal.reason) from None
    return result["payloads"][0]


U64 = Integer(0, 2**64 - 1)
# 1 is reserved.
TRANSPORT = IntegerOf(GATT, TCP, NAN)
COMMITMENT = Bytes(16)
CARD = Bytes(low=1, high=LARGEST_CARD)
GRANT = Bytes(low=1, high=LARGEST_GRANT)
CONFIRM_MESSAGE = Integer(1, 2)
LOW_ORDER = ("agreement", "low-order-point")


@operation(
    "confirm-prologue",
    Record(transport=TRANSPORT, epoch=EPOCH, device=Integer(0, 15), identifier=Bytes(16)),
    Record(prologue=Bytes(41)),
)
def confirm_prologue_operation(transport, epoch, device, identifier):
    return {"prologue": confirm_prologue(transport, epoch, device, identifier)}


@operation("first-contact-prologue", Record(transport=TRANSPORT, commitment=COMMITMENT), Record(prologue=Bytes(42)))
def first_contact_prologue_operation(transport, commitment):
    return {"prologue": first_contact_prologue(transport, commitment)}


@operation("device-link-prologue", Record(transport=TRANSPORT, commitment=COMMITMENT), Record(prologue=Bytes(40)))
def device_link_prologue_operation(transport, commitment):
    return {"prologue": device_link_prologue(transport, commitment)}


@operation("gate", Record(key=KEY, transport=TRANSPORT, message=Bytes(112)), Record(gate=Bytes(16)))
def gate_operation(key, transport, message):
    return {"gate": gate(key, transport, message)}


@operation(
    "confirm-payload-encode",
    Record(message=CONFIRM_MESSAGE, transports=U16, generation=U32, unixMilliseconds=U64),
    Record(payload=Bytes()),
)
def confirm_payload_encode_operation(message, transports, generation, unixMilliseconds):
    return {"payload": encode_confirm_payload(message, transports, generation, unixMilliseconds)}


@operation(
    "confirm-payload-decode",
    Record(message=CONFIRM_MESSAGE, payload=Bytes()),
    Record(transports=U16, generation=U32, unixMilliseconds=U64),
    refusals=[("payload", "wrong-length"), ("payload", "unknown-version")],
)
def confirm_payload_decode_operation(message, payload):
    transports, generation, clock = decode_confirm_payload(message, payload)
    return {"transports": transports, "generation": generation, "unixMilliseconds": clock}


@operation("first-contact-payload-encode", Record(unixMilliseconds=U64, card=CARD), Record(payload=Bytes()))
def first_contact_payload_encode_operation(unixMilliseconds, card):
    return {"payload": encode_first_contact_payload(unixMilliseconds, card)}


@operation(
    "first-contact-payload-decode",
    Record(payload=Bytes()),
    Record(unixMilliseconds=U64, card=CARD),
    refusals=[("payload", reason) for reason in ("wrong-length", "unknown-version", "bad-length", "nonzero-padding")],
)
def first_contact_payload_decode_operation(payload):
    clock, card = decode_first_contact_payload(payload)
    return {"unixMilliseconds": clock, "card": card}


@operation(
    "seal-grant",
    Record(localStatic=KEY, ephemeral=KEY, remoteStatic=KEY, psk=KEY, grant=GRANT),
    Record(sealed=Bytes()),
    refusals=[LOW_ORDER],
)
def seal_grant_operation(localStatic, ephemeral, remoteStatic, psk, grant):
    return {"sealed": seal_grant(localStatic, ephemeral, remoteStatic, psk, grant)}


@operation(
    "open-sealed-grant",
    Record(localStatic=KEY, remoteStatic=KEY, psk=KEY, sealed=Bytes()),
    Record(grant=GRANT),
    refusals=[("sealed-grant", reason) for reason in ("wrong-length", "unknown-version", "decryption-failed")]
    + [LOW_ORDER],
)
def open_sealed_grant_operation(localStatic, remoteStatic, psk, sealed):
    return {"grant": open_sealed_grant(localStatic, remoteStatic, psk, sealed)}


SESSION = {"k1": KEY, "k2": KEY, "handshakeHash": KEY}


@operation(
    "export",
    Record(**SESSION, label=Text(1, 64, pattern="[!-~]+"), context=Bytes(low=0, high=1024)),
    Record(key=KEY),
    intermediates=Record(exporter=KEY),
)
def export_operation(k1, k2, handshakeHash, label, context):
    secret = exporter(k1, k2, handshakeHash)
    return {"key": derive(secret, label.encode(), context)}, {"exporter": secret}


@operation("fingerprint", Record(**SESSION), Record(fingerprint=Text(19, 19, pattern="[A-Z2-7]{4}(?: [A-Z2-7]{4}){3}")))
def fingerprint_operation(k1, k2, handshakeHash):
    return {"fingerprint": fingerprint(k1, k2, handshakeHash)}
