"""The two devices and the meeting that the examples and cases of Specs/handshake.md use."""

from ...reference import curves
from ...reference.handshake import (
    TCP,
    confirm_prologue,
    device_link_prologue,
    encode_confirm_payload,
    encode_first_contact_payload,
    first_contact_prologue,
)
from ...reference.keys import node_key
from ...reference.notation import H, dec, derive, extract, u8
from ...reference.records import encode, encode_hello
from ...tools.family import generated

EPOCH = 1_984_000
PERIOD = EPOCH >> 2
DEVICE = 0
UNIX_MILLISECONDS = 1_785_600_000_000
ROOT = bytes(range(0x20, 0x40))
INVITATION_SECRET = bytes(range(0x40, 0x60))

PERIOD_KEY = node_key(ROOT, 20, PERIOD)
CONFIRM_KEY = derive(PERIOD_KEY, b"confirm-key", u8(DEVICE))
PSK0 = H(CONFIRM_KEY, b"confirm-psk-" + dec(EPOCH))
GATE_KEY = H(CONFIRM_KEY, b"confirm-gate-" + dec(EPOCH))
TAG = H(derive(PERIOD_KEY, b"gatt-key", u8(DEVICE)), b"GATT-tag-" + dec(EPOCH))[:16]
NAME = H(derive(PERIOD_KEY, b"mdns-key", u8(DEVICE)), b"mDNS-name-" + dec(EPOCH))[:16]

INVITATION = extract(b"inkling/1 invitation", INVITATION_SECRET)
INVITATION_PSK0 = derive(INVITATION, b"invite-psk0")
INVITATION_PSK3 = derive(INVITATION, b"invite-psk3")
INVITATION_GATE_KEY = derive(INVITATION, b"invite-gate")
COMMITMENT = generated("commitment", 16)

PAIRWISE = generated("pairwise key")
INITIATOR = {"static": generated("initiator's static key"), "ephemeral": generated("initiator's ephemeral key")}
RESPONDER = {"static": generated("responder's static key"), "ephemeral": generated("responder's ephemeral key")}
INITIATOR_STATIC = curves.x25519_public(INITIATOR["static"])
RESPONDER_STATIC = curves.x25519_public(RESPONDER["static"])

CONFIRM_PROLOGUE = confirm_prologue(TCP, EPOCH, DEVICE, NAME)
CONFIRM_PAYLOADS = [
    encode_confirm_payload(1, 0b0101, 3, UNIX_MILLISECONDS),
    encode_confirm_payload(2, 0b0100, 7, UNIX_MILLISECONDS + 12),
]
FIRST_CONTACT_PROLOGUE = first_contact_prologue(TCP, COMMITMENT)
FIRST_CONTACT_PAYLOADS = [
    bytes(64),
    encode_first_contact_payload(UNIX_MILLISECONDS, generated("the shower's card", 252)),
    encode_first_contact_payload(UNIX_MILLISECONDS + 40, generated("the joiner's card", 240)),
]
DEVICE_LINK_PROLOGUE = device_link_prologue(TCP, COMMITMENT)
DEVICE_LINK_PAYLOADS = [
    bytes(64),
    encode_first_contact_payload(UNIX_MILLISECONDS, generated("the primary's card", 252)),
    bytes(64),
]
RECORDS = [
    encode(1, encode_hello(2, 5, [(generated("audience", 8), 3, PERIOD + 2000)])),
    encode(1, encode_hello(5, 2, [])),
    encode(4, b""),
]
# The size of a grant for one device with ten nodes; sealing does not parse it.
GRANT = generated("a grant", 136 + 106 + 37 * 10)
