"""Specs/invitations.md: invitations and the text form."""

from ..tools.fields import KEY, U16, U32, Bytes, Record, Text
from ..tools.operations import operation
from ..tools.refusal import Refusal
from .notation import derive, extract, sha256, u16, u32, u8

COUNT = 55
KNOWN_TRANSPORTS = 1 << 0 | 1 << 2 | 1 << 3
KINDS = ("I", "L", "C", "G")
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
PREFIX = "INKLING:"
LONGEST_CONTENT = 4096
LONGEST_TEXT = 6570


@operation(
    "invitation-keys",
    Record(secret=KEY),
    Record(psk0=KEY, psk3=KEY, gateKey=KEY, root=KEY),
    intermediates=Record(extracted=KEY),
)
def invitation_keys(secret):
    extracted = extract(b"inkling/1 invitation", secret)
    result = {
        "psk0": derive(extracted, b"invite-psk0"),
        "psk3": derive(extracted, b"invite-psk3"),
        "gateKey": derive(extracted, b"invite-gate"),
        "root": derive(extracted, b"invite-root"),
    }
    return result, {"extracted": extracted}


def invitation(commitment: bytes, secret: bytes, transports: int, expiry: int, version: int = 1) -> bytes:
    return u8(version) + commitment + secret + u16(transports) + u32(expiry)


@operation(
    "invitation-decode",
    Record(invitation=Bytes(), minute=U32),
    Record(commitment=Bytes(16), secret=KEY, transports=U16, expiry=U32),
    refusals=[
        ("length", "too-short"),
        ("length", "too-long"),
        ("version", "unknown"),
        ("transports", "none"),
        ("expiry", "ended"),
        ("expiry", "too-far"),
    ],
)
def invitation_decode(invitation, minute):
    if len(invitation) < COUNT:
        raise Refusal("length", "too-short")
    if len(invitation) > COUNT:
        raise Refusal("length", "too-long")
    if invitation[0] != 1:
        raise Refusal("version", "unknown")
    transports = int.from_bytes(invitation[49:51], "big")
    expiry = int.from_bytes(invitation[51:55], "big")
    if not transports & KNOWN_TRANSPORTS:
        raise Refusal("transports", "none")
    if minute >= expiry + 2:
        raise Refusal("expiry", "ended")
    if expiry > minute + 13:
        raise Refusal("expiry", "too-far")
    return {
        "commitment": invitation[1:17],
        "secret": invitation[17:49],
        "transports": transports,
        "expiry": expiry,
    }


def check_bytes(kind: str, content: bytes) -> bytes:
    return sha256(b"inkling/1 text\x00" + kind.encode("ascii") + b"\x00" + content)[:4]


def base32(content: bytes) -> str:
    """RFC 4648 without padding; implemented here so that cases can set the unused bits."""
    count = len(content) * 8
    number = int.from_bytes(content, "big") << -count % 5
    digits = -(-count // 5)
    return "".join(ALPHABET[number >> 5 * (digits - 1 - place) & 31] for place in range(digits))


@operation(
    "text-encode",
    Record(kind=Text(values=KINDS), bytes=Bytes(low=1, high=LONGEST_CONTENT)),
    Record(text=Text()),
    intermediates=Record(check=Bytes(4)),
)
def text_encode(kind, bytes):
    check = check_bytes(kind, bytes)
    return {"text": f"{PREFIX}{kind}:{base32(bytes + check)}"}, {"check": check}


def upper(text: str) -> str:
    """Converts ASCII letters only: Unicode case mapping would accept others (U+212A as K)."""
    return "".join(chr(ord(character) - 32) if "a" <= character <= "z" else character for character in text)


@operation(
    "text-decode",
    Record(text=Text()),
    Record(kind=Text(values=KINDS), bytes=Bytes(low=1, high=LONGEST_CONTENT)),
    intermediates=Record(check=Bytes(4)),
    refusals=[
        ("length", "too-long"),
        ("prefix", "unknown"),
        ("kind", "unknown"),
        ("kind", "no-separator"),
        ("alphabet", "not-base32"),
        ("padding-bits", "impossible-length"),
        ("padding-bits", "not-zero"),
        ("check", "too-short"),
        ("check", "mismatch"),
    ],
)
def text_decode(text):
    if len(text.encode("utf-8", "surrogatepass")) > LONGEST_TEXT:
        raise Refusal("length", "too-long")
    text = upper(text)
    if not text.startswith(PREFIX):
        raise Refusal("prefix", "unknown")
    kind, separator, digits = text[8:9], text[9:10], text[10:]
    if kind not in KINDS:
        raise Refusal("kind", "unknown")
    if separator != ":":
        raise Refusal("kind", "no-separator")
    if any(digit not in ALPHABET for digit in digits):
        raise Refusal("alphabet", "not-base32")
    if len(digits) % 8 in (1, 3, 6):
        raise Refusal("padding-bits", "impossible-length")
    number = 0
    for digit in digits:
        number = number << 5 | ALPHABET.index(digit)
    unused = len(digits) * 5 % 8
    if number & (1 << unused) - 1:
        raise Refusal("padding-bits", "not-zero")
    content = (number >> unused).to_bytes(len(digits) * 5 // 8, "big")
    if len(content) < 5:
        raise Refusal("check", "too-short")
    content, check = content[:-4], content[-4:]
    if check != check_bytes(kind, content):
        raise Refusal("check", "mismatch")
    return {"kind": kind, "bytes": content}, {"check": check}
