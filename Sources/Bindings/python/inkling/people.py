"""Users and their devices; what users give each other: cards and grants."""

from __future__ import annotations

from ctypes import byref
from dataclasses import dataclass

from . import _abi
from ._abi import CardFacts, GrantFacts, IdentityKeys, Object, Sealable, bytes_of, call, refusing
from .keys import Tree


class DeviceKey(Sealable):
    """A device's static key for handshakes."""

    def __init__(self, private: bytes | None = None):
        """Creates the key from its 32 private bytes, or at random."""
        if private is None:
            super().__init__(lambda out: call("inkling_device_key_random", out))
        else:
            super().__init__(lambda out: call("inkling_device_key_new", private, len(private), out))

    @property
    def public(self) -> bytes:
        """The public key, 32 bytes."""
        return bytes_of(lambda *out: call("inkling_device_key_public", self._handle, *out))


class Secret(Sealable):
    """A secret that two users share, such as the pairwise key."""

    def __init__(self, secret: bytes):
        """Creates the secret from its 32 bytes."""
        super().__init__(lambda out: call("inkling_secret_new", secret, len(secret), out))


class Identity(Sealable):
    """A user's identity and presence keys."""

    def __init__(self, seed: bytes | None = None, generation: int = 1):
        """Creates the identity of a root seed of 32 bytes; without `seed`, of a new random one."""
        if seed is None:
            super().__init__(lambda out: call("inkling_identity_random", out))
        else:
            super().__init__(lambda out: call("inkling_identity_new", seed, len(seed), generation, out))

    def _keys(self) -> IdentityKeys:
        keys = IdentityKeys()
        call("inkling_identity_public", self._handle, byref(keys))
        return keys

    @property
    def public(self) -> bytes:
        """The public identity key, 32 bytes."""
        return bytes(self._keys().identity)

    @property
    def presence(self) -> bytes:
        """The public presence key, for pair audiences, 32 bytes."""
        return bytes(self._keys().presence)

    @property
    def user(self) -> bytes:
        """The user id, 16 bytes."""
        return bytes(self._keys().user)

    def pairwise(self, peer_presence: bytes) -> Secret:
        """Derives the secret shared with a contact whose card was exchanged without a first contact."""
        return Secret._made(
            lambda out: refusing("inkling_identity_pairwise", self._handle, peer_presence, len(peer_presence), out))

    def tree_of_pair(self, peer_presence: bytes, advertising: bool) -> Tree:
        """Derives a tree of the pair audience with a contact: this user's if `advertising`, else the contact's."""
        return Tree._made(
            lambda out: refusing(
                "inkling_identity_tree_of_pair", self._handle, peer_presence, len(peer_presence), int(advertising), out))


class Roster(Object):
    """The devices that an identity certifies."""

    def __init__(self, identity: Identity):
        """Creates an empty list."""
        super().__init__(lambda out: call("inkling_roster_new", identity._handle, out))

    def add(self, device: int, key: bytes, periods: range, primary: bool = False) -> None:
        """Certifies a device's public key for an interval of periods. Add devices in ascending order."""
        refusing("inkling_roster_add", self._handle, device, key, len(key), periods.start, periods.stop - 1, int(primary))


@dataclass(frozen=True)
class Device:
    """A device in a card or a grant: its public key, and the periods in which its certificate is valid."""

    device: int
    key: bytes
    periods: range
    is_primary: bool

    @staticmethod
    def _of(name: str, handle: int, device: int) -> Device:
        facts = _abi.Device()
        call(name, handle, device, byref(facts))
        return Device(facts.device, bytes(facts.key), range(facts.from_period, facts.to_period + 1), bool(facts.is_primary))


def _devices(bits: int) -> list[int]:
    return [device for device in range(16) if bits >> device & 1]


class Card(Object):
    """A user's signed list of keys and devices, which makes its reader a contact."""

    def __init__(self, roster: Roster, name: str, serial: int = 1):
        """Creates and signs a card with the devices of a roster."""
        text = name.encode()
        super().__init__(lambda out: refusing("inkling_card_new", roster._handle, serial, text, len(text), out))

    @classmethod
    def read(cls, content: bytes | str, period: int) -> Card:
        """Reads the bytes or the text of a card, as of a period; raises Refused."""
        if isinstance(content, str):
            text = content.encode()
            return cls._made(lambda out: refusing("inkling_card_read_text", text, len(text), period, out))
        return cls._made(lambda out: refusing("inkling_card_read", content, len(content), period, out))

    def _facts(self) -> CardFacts:
        facts = CardFacts()
        call("inkling_card_facts_of", self._handle, byref(facts))
        return facts

    @property
    def name(self) -> str:
        """The user's display name."""
        return str(self._facts().name.decode())

    @property
    def identity(self) -> bytes:
        """The user's public identity key, 32 bytes."""
        return bytes(self._facts().identity)

    @property
    def presence(self) -> bytes:
        """The public presence key, for pair audiences, 32 bytes."""
        return bytes(self._facts().presence)

    @property
    def user(self) -> bytes:
        """The user id, 16 bytes."""
        return bytes(self._facts().user)

    @property
    def serial(self) -> int:
        """The serial number of the card, which rises with each card of the user."""
        return int(self._facts().serial)

    @property
    def devices(self) -> list[int]:
        """The numbers of the user's devices."""
        return _devices(self._facts().devices)

    def device(self, device: int) -> Device:
        """Returns a device of the card."""
        return Device._of("inkling_card_device", self._handle, device)

    def __bytes__(self) -> bytes:
        """Returns the signed bytes of the card."""
        return bytes_of(lambda *out: call("inkling_card_bytes", self._handle, *out))

    @property
    def text(self) -> str:
        """The card as text to show to others."""
        return bytes_of(lambda *out: call("inkling_card_text", self._handle, *out))[:-1].decode()


@dataclass(frozen=True)
class Reader:
    """What a reader must know before it reads a grant: the issuer's identity key, the reader's user id, the current
    period, and the generation of the audience that is held already, 0 for none."""

    issuer: bytes
    user: bytes
    period: int
    held_generation: int = 0


class Grant(Object):
    """The keys of an audience for an interval of periods, made out to one contact."""

    def __init__(self, roster: Roster, audience_id: int, generation: int, tree: Tree, periods: range, grantee: bytes):
        """Creates a grant for the user with the id `grantee` from the tree of an audience."""
        super().__init__(
            lambda out: refusing(
                "inkling_grant_new", roster._handle, audience_id, generation, tree._handle, periods.start, periods.stop - 1,
                grantee, len(grantee), out))

    def sealed(self, roster: Roster, sender: DeviceKey, recipient: bytes, pairwise: Secret) -> bytes:
        """Seals the grant for one device of a contact without a session."""
        return bytes_of(
            lambda *out: refusing(
                "inkling_grant_seal", self._handle, roster._handle, sender._handle, recipient, len(recipient),
                pairwise._handle, *out))

    @classmethod
    def read(cls, content: bytes, reader: Reader) -> Grant:
        """Reads a grant from its bytes; raises Refused."""
        return cls._made(
            lambda out: refusing(
                "inkling_grant_read", content, len(content), reader.issuer, len(reader.issuer), reader.user,
                len(reader.user), reader.period, reader.held_generation, out))

    @classmethod
    def unsealed(cls, sealed: bytes, device: DeviceKey, sender: bytes, pairwise: Secret, reader: Reader) -> Grant:
        """Opens and reads a grant that a contact's device sealed for this one; raises Refused."""
        return cls._made(
            lambda out: refusing(
                "inkling_grant_unseal", sealed, len(sealed), device._handle, sender, len(sender), pairwise._handle,
                reader.issuer, len(reader.issuer), reader.user, len(reader.user), reader.period, reader.held_generation,
                out))

    def _facts(self) -> GrantFacts:
        facts = GrantFacts()
        call("inkling_grant_facts_of", self._handle, byref(facts))
        return facts

    @property
    def audience_id(self) -> int:
        """The audience id."""
        return int(self._facts().audience_id)

    @property
    def periods(self) -> range:
        """The periods that the grant covers."""
        facts = self._facts()
        return range(facts.from_period, facts.to_period + 1)

    @property
    def devices(self) -> list[int]:
        """The numbers of the issuer's devices."""
        return _devices(self._facts().devices)

    def device(self, device: int) -> Device:
        """Returns a device of the issuer."""
        return Device._of("inkling_grant_device", self._handle, device)

    @property
    def generation(self) -> int:
        """The generation of the audience."""
        return int(self._facts().generation)

    @property
    def issuer(self) -> bytes:
        """The issuer's public identity key, 32 bytes."""
        return bytes(self._facts().issuer)

    @property
    def tree(self) -> Tree:
        """The keys of the grant, as a tree."""
        return Tree._made(lambda out: call("inkling_grant_tree", self._handle, out))
