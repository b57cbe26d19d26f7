"""Cases of Specs/pair-audiences.md."""

from ..reference.curves import P, x25519_public
from ..tools.family import Case, Family, argument_refusals, generated
from .shared import known_answers

SPECIFICATION = "Specs/pair-audiences.md"
ORDER_EIGHT = [
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
]


def little(number: int) -> str:
    return number.to_bytes(32, "little").hex()


LOW_ORDER = [
    ("0", little(0)),
    ("1", little(1)),
    ("a number of order 8", ORDER_EIGHT[0]),
    ("the other number of order 8", ORDER_EIGHT[1]),
    ("p − 1", little(P - 1)),
    ("p, a second spelling of 0", little(P)),
    ("p + 1, a second spelling of 1", little(P + 1)),
    ("0 with the unused bit set", little(2**255)),
    ("1 with the unused bit set", little(2**255 + 1)),
    ("p − 1 with the unused bit set", little(2**255 + P - 1)),
]


def root_cases():
    requirements = ("INK-PAIR-001", "INK-PAIR-003")
    cases = known_answers.cases("pair-root", requirements)
    for index in range(6):
        secret = generated(f"pair own {index}")
        peer = x25519_public(generated(f"pair peer {index}")).hex()
        for advertising in (True, False):
            args = {"secret": secret.hex(), "peerPublic": peer, "advertising": advertising}
            comment = "the caller advertises" if advertising else "the peer advertises"
            cases.append(Case(comment, args, ("generated",), requirements))
    peer = x25519_public(generated("pair peer 0")).hex()
    for fill in ("00", "ff"):
        args = {"secret": fill * 32, "peerPublic": peer, "advertising": True}
        comment = f"a private key of 32 bytes {fill}, whose fixed bits are set by X25519"
        cases.append(Case(comment, args, ("boundary",), requirements))
    own = generated("pair own 0")
    args = {"secret": own.hex(), "peerPublic": little(9), "advertising": True}
    cases.append(Case("the base point as the peer's key", args, ("boundary",), requirements))
    for comment, number in [("2", 2), ("p − 2", P - 2), ("2^254", 2**254)]:
        args = {"secret": own.hex(), "peerPublic": little(number), "advertising": False}
        cases.append(Case(f"a peer's key of {comment}", args, ("boundary",), requirements))
    for comment, point in LOW_ORDER:
        for advertising in (True, False):
            args = {"secret": own.hex(), "peerPublic": point, "advertising": advertising}
            cases.append(
                Case(
                    f"the peer's key is {comment}",
                    args,
                    ("refusal",),
                    ("INK-PAIR-002",),
                    error=("agreement", "low-order-point"),
                )
            )
    return cases + argument_refusals("pair-root", {"secret": own.hex(), "peerPublic": peer, "advertising": True})


def psk_cases():
    requirements = ("INK-PAIR-007",)
    secrets = [bytes([number]) * 32 for number in (1, 2)] + [generated(f"pair own {index}") for index in range(6)]
    cases = []
    for first, second in zip(secrets[::2], secrets[1::2]):
        for own, peer in ((first, second), (second, first)):
            own_public, peer_public = x25519_public(own), x25519_public(peer)
            args = {"secret": own.hex(), "peerPublic": peer_public.hex()}
            comment = "the own key stands first" if own_public < peer_public else "the peer's key stands first"
            cases.append(Case(comment, args, ("generated",), requirements))
    own = generated("pair own 0")
    # Keys are ordered as byte strings; as little-endian numbers both would be on the same side of our own key.
    for comment, byte in [("smallest", b"\x02"), ("largest", b"\xff")]:
        args = {"secret": own.hex(), "peerPublic": (byte + bytes(30) + b"\x10").hex()}
        cases.append(Case(f"a peer's key whose first byte is near the {comment}", args, ("boundary",), requirements))
    for comment, point in LOW_ORDER:
        args = {"secret": own.hex(), "peerPublic": point}
        error = ("agreement", "low-order-point")
        cases.append(Case(f"the peer's key is {comment}", args, ("refusal",), ("INK-PAIR-002",), error=error))
    peer = x25519_public(generated("pair peer 0")).hex()
    return cases + argument_refusals("pairwise-psk", {"secret": own.hex(), "peerPublic": peer})


FAMILIES = [
    Family("pair-root", SPECIFICATION, "The root of a pair audience, from either side.", root_cases()),
    Family("pairwise-psk", SPECIFICATION, "The static pairwise key, the same from either side.", psk_cases()),
]
