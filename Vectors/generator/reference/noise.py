"""The Noise engine of Specs/noise.md: 25519_ChaChaPoly_SHA256, pre-messages, psk modifiers."""

import re

from ..tools.fields import KEY, Bytes, ListOf, Record, Text, refuse_argument
from ..tools.operations import operation
from ..tools.refusal import Refusal
from . import curves, primitives
from .notation import sha256

LARGEST_MESSAGE = 65535
SUITE = "25519_ChaChaPoly_SHA256"

# Pre-messages (initiator, responder), then the messages in order.
ONE_WAY = {
    "N": ("", "s", ["e es"]),
    "K": ("s", "s", ["e es ss"]),
    "X": ("", "s", ["e es s ss"]),
}
INTERACTIVE = {
    "NN": ("", "", ["e", "e ee"]),
    "NK": ("", "s", ["e es", "e ee"]),
    "NX": ("", "", ["e", "e ee s es"]),
    "KN": ("s", "", ["e", "e ee se"]),
    "KK": ("s", "s", ["e es ss", "e ee se"]),
    "KX": ("s", "", ["e", "e ee se s es"]),
    "XN": ("", "", ["e", "e ee", "s se"]),
    "XK": ("", "s", ["e es", "e ee", "s se"]),
    "XX": ("", "", ["e", "e ee s es", "s se"]),
    "IN": ("", "", ["e s", "e ee se"]),
    "IK": ("", "s", ["e es s ss", "e ee se"]),
    "IX": ("", "", ["e s", "e ee se s es"]),
    "NK1": ("", "s", ["e", "e ee es"]),
    "NX1": ("", "", ["e", "e ee s", "es"]),
    "X1N": ("", "", ["e", "e ee", "s", "se"]),
    "X1K": ("", "s", ["e es", "e ee", "s", "se"]),
    "XK1": ("", "s", ["e", "e ee es", "s se"]),
    "X1K1": ("", "s", ["e", "e ee es", "s", "se"]),
    "X1X": ("", "", ["e", "e ee s es", "s", "se"]),
    "XX1": ("", "", ["e", "e ee s", "es s se"]),
    "X1X1": ("", "", ["e", "e ee s", "es s", "se"]),
    "K1N": ("s", "", ["e", "e ee", "se"]),
    "K1K": ("s", "s", ["e es", "e ee", "se"]),
    "KK1": ("s", "s", ["e", "e ee se es"]),
    "K1K1": ("s", "s", ["e", "e ee es", "se"]),
    "K1X": ("s", "", ["e", "e ee s es", "se"]),
    "KX1": ("s", "", ["e", "e ee se s", "es"]),
    "K1X1": ("s", "", ["e", "e ee s", "se es"]),
    "I1N": ("", "", ["e s", "e ee", "se"]),
    "I1K": ("", "s", ["e es s", "e ee", "se"]),
    "IK1": ("", "s", ["e s", "e ee se es"]),
    "I1K1": ("", "s", ["e s", "e ee es", "se"]),
    "I1X": ("", "", ["e s", "e ee s es", "se"]),
    "IX1": ("", "", ["e s", "e ee se s", "es"]),
    "I1X1": ("", "", ["e s", "e ee s", "se es"]),
}


class Pattern:
    """A handshake pattern with its modifiers applied."""

    def __init__(self, protocol_name):
        match = re.fullmatch(r"Noise_([NKXI][A-Z0-9]*)((?:psk[0-9])?(?:\+psk[0-9])*)_" + SUITE, protocol_name)
        base, modifiers = match.groups() if match else (None, "")
        if base not in ONE_WAY and base not in INTERACTIVE or modifiers.startswith("+"):
            refuse_argument("unknown-protocol")
        self.name = protocol_name.encode()
        self.one_way = base in ONE_WAY
        initiator, responder, messages = (ONE_WAY if self.one_way else INTERACTIVE)[base]
        self.pre_messages = {"initiator": initiator.split(), "responder": responder.split()}
        self.messages = [message.split() for message in messages]

        positions = [int(modifier[3:]) for modifier in modifiers.split("+") if modifier]
        if positions != sorted(set(positions)) or any(position > len(self.messages) for position in positions):
            refuse_argument("unknown-protocol")
        self.psk_count = len(positions)
        for position in positions:
            if position == 0:
                self.messages[0].insert(0, "psk")
            else:
                self.messages[position - 1].append("psk")

    def sender(self, index):
        """The role that sends the message with this index, in the handshake and after it."""
        return "initiator" if self.one_way or index % 2 == 0 else "responder"

    def tokens_of(self, role):
        """All tokens of the messages that `role` writes."""
        return [token for index, message in enumerate(self.messages) if self.sender(index) == role for token in message]

    def needs_static(self, role):
        return "s" in self.pre_messages[role] or "s" in self.tokens_of(role)


class CipherState:
    def __init__(self, key=None):
        self.key = key
        self.nonce = 0

    def encrypt(self, associated_data, plaintext):
        if self.key is None:
            return plaintext
        return primitives.chacha20_poly1305_seal(self.key, self._next_nonce(), associated_data, plaintext)

    def decrypt(self, associated_data, ciphertext):
        if self.key is None:
            return ciphertext
        return primitives.chacha20_poly1305_open(self.key, self._next_nonce(), associated_data, ciphertext)

    def _next_nonce(self):
        nonce = bytes(4) + self.nonce.to_bytes(8, "little")
        self.nonce += 1
        return nonce


class SymmetricState:
    def __init__(self, protocol_name):
        self.hash = protocol_name.ljust(32, b"\0") if len(protocol_name) <= 32 else sha256(protocol_name)
        self.chaining_key = self.hash
        self.cipher = CipherState()

    def mix_key(self, material):
        self.chaining_key, key = hkdf(self.chaining_key, material, 2)
        self.cipher = CipherState(key)

    def mix_hash(self, data):
        self.hash = sha256(self.hash + data)

    def mix_key_and_hash(self, material):
        self.chaining_key, hashed, key = hkdf(self.chaining_key, material, 3)
        self.mix_hash(hashed)
        self.cipher = CipherState(key)

    def encrypt_and_hash(self, plaintext):
        ciphertext = self.cipher.encrypt(self.hash, plaintext)
        self.mix_hash(ciphertext)
        return ciphertext

    def decrypt_and_hash(self, ciphertext):
        plaintext = self.cipher.decrypt(self.hash, ciphertext)
        self.mix_hash(ciphertext)
        return plaintext

    def split(self):
        return hkdf(self.chaining_key, b"", 2)


class Handshake:
    """One party's side of a handshake."""

    def __init__(self, pattern, role, prologue, psks, local_static, remote_static, ephemeral):
        self.pattern = pattern
        self.role = role
        self.psks = list(psks)
        self.local_static = local_static
        self.remote_static = remote_static
        self.local_ephemeral = ephemeral
        self.remote_ephemeral = None
        self.index = 0
        self.state = SymmetricState(pattern.name)
        self.state.mix_hash(prologue)
        for party in ("initiator", "responder"):
            if pattern.pre_messages[party]:
                own = party == role
                self.state.mix_hash(curves.x25519_public(local_static) if own else remote_static)

    @property
    def complete(self):
        return self.index == len(self.pattern.messages)

    def write(self, payload):
        message = b""
        for token in self._next_tokens():
            if token == "e":
                public = curves.x25519_public(self.local_ephemeral)
                message += public
                self._mix_ephemeral(public)
            elif token == "s":
                message += self.state.encrypt_and_hash(curves.x25519_public(self.local_static))
            else:
                self._mix(token)
        return message + self.state.encrypt_and_hash(payload)

    def read(self, message):
        if not self.overhead(self.index) <= len(message) <= LARGEST_MESSAGE:
            raise Refusal("message", "wrong-length")
        for token in self._next_tokens():
            if token == "e":
                self.remote_ephemeral, message = message[:32], message[32:]
                self._mix_ephemeral(self.remote_ephemeral)
            elif token == "s":
                size = 32 if self.state.cipher.key is None else 48
                self.remote_static = self.state.decrypt_and_hash(message[:size])
                message = message[size:]
            else:
                self._mix(token)
        return self.state.decrypt_and_hash(message)

    def overhead(self, index):
        """The size of message `index` without its payload."""
        keyed = False
        for number, tokens in enumerate(self.pattern.messages[: index + 1]):
            size = 0
            for token in tokens:
                if token == "e":
                    size += 32
                    keyed = keyed or self.pattern.psk_count > 0
                elif token == "s":
                    size += 48 if keyed else 32
                else:
                    keyed = True
        return size + (16 if keyed else 0)

    def _next_tokens(self):
        self.index += 1
        return self.pattern.messages[self.index - 1]

    def _mix_ephemeral(self, public):
        self.state.mix_hash(public)
        if self.pattern.psk_count:
            self.state.mix_key(public)

    def _mix(self, token):
        if token == "psk":
            self.state.mix_key_and_hash(self.psks.pop(0))
            return
        # The first letter names the initiator's key, the second the responder's.
        local, remote = token if self.role == "initiator" else reversed(token)
        private = self.local_ephemeral if local == "e" else self.local_static
        public = self.remote_ephemeral if remote == "e" else self.remote_static
        self.state.mix_key(curves.x25519(private, public))


def hkdf(chaining_key, material, count):
    """HKDF of the Noise specification: salt and input are the chaining key and the material, the info is empty."""
    output = primitives.hkdf_sha256(material, chaining_key, b"", 32 * count)
    return [output[32 * part : 32 * part + 32] for part in range(count)]


def run(protocol_name, role, prologue, psks, payloads, received, local_static=None, remote_static=None, ephemeral=None):
    """The operation `noise`."""
    pattern = Pattern(protocol_name)
    peer = "responder" if role == "initiator" else "initiator"
    if len(psks) != pattern.psk_count:
        refuse_argument("wrong-count")
    needed = {
        "local_static": (local_static, pattern.needs_static(role)),
        "remote_static": (remote_static, "s" in pattern.pre_messages[peer]),
        "ephemeral": (ephemeral, "e" in pattern.tokens_of(role)),
    }
    if any(value is None for value, wanted in needed.values() if wanted):
        refuse_argument("missing-key")
    if any(value is not None for value, wanted in needed.values() if not wanted):
        refuse_argument("unexpected-key")
    turns = _turns(pattern, role, len(payloads), len(received))

    handshake = Handshake(pattern, role, prologue, psks, local_static, remote_static, ephemeral)
    own = 0
    for index, sends in enumerate(turns):
        if sends:
            overhead = handshake.overhead(index) if index < len(pattern.messages) else 16
            if overhead + len(payloads[own]) > LARGEST_MESSAGE:
                refuse_argument("too-long")
            own += 1

    sent, opened = [], []
    keys = send = receive = None
    for sends in turns:
        try:
            if not handshake.complete:
                if sends:
                    sent.append(handshake.write(payloads[len(sent)]))
                else:
                    opened.append(handshake.read(received[len(opened)]))
                if handshake.complete:
                    keys = handshake.state.split()
                    if role == "responder":
                        keys.reverse()
                    send, receive = CipherState(keys[0]), CipherState(keys[1])
            elif sends:
                sent.append(send.encrypt(b"", payloads[len(sent)]))
            else:
                message = received[len(opened)]
                if not 16 <= len(message) <= LARGEST_MESSAGE:
                    raise Refusal("message", "wrong-length")
                opened.append(receive.decrypt(b"", message))
        except Refusal as refusal:
            read = len(opened) if sends else len(opened) + 1
            reason = "decryption-failed" if refusal.stage == "open" else refusal.reason
            raise Refusal(f"message-{read}" if read else "arguments", reason) from None
    return {
        "sent": sent,
        "payloads": opened,
        "handshakeHash": handshake.state.hash,
        "sendKey": keys[0],
        "receiveKey": keys[1],
    }


def _turns(pattern, role, own, others):
    """For each message whether `role` sends it; refuses message counts that do not match."""
    turns = []
    while True:
        sends = pattern.sender(len(turns)) == role
        if sends and own:
            own -= 1
        elif not sends and others:
            others -= 1
        else:
            break
        turns.append(sends)
    if own or others or len(turns) < len(pattern.messages):
        refuse_argument("wrong-count")
    return turns


@operation(
    "noise",
    Record(
        optional=["localStatic", "remoteStatic", "ephemeral"],
        protocolName=Text(),
        role=Text(values=["initiator", "responder"]),
        prologue=Bytes(),
        psks=ListOf(KEY),
        localStatic=KEY,
        remoteStatic=KEY,
        ephemeral=KEY,
        payloads=ListOf(Bytes()),
        received=ListOf(Bytes()),
    ),
    Record(sent=ListOf(Bytes()), payloads=ListOf(Bytes()), handshakeHash=KEY, sendKey=KEY, receiveKey=KEY),
    refusals=[
        *(("arguments", r) for r in ("unknown-protocol", "wrong-count", "missing-key", "unexpected-key", "too-long")),
        # A key of small order that is used before any message was received.
        ("arguments", "low-order-point"),
        *(("message-N", reason) for reason in ("wrong-length", "low-order-point", "decryption-failed")),
    ],
)
def noise_operation(
    protocolName, role, prologue, psks, payloads, received, localStatic=None, remoteStatic=None, ephemeral=None
):
    return run(protocolName, role, prologue, psks, payloads, received, localStatic, remoteStatic, ephemeral)
