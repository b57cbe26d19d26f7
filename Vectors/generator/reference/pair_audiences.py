"""Specs/pair-audiences.md: the keys derived from two presence keys."""

from ..tools.fields import KEY, Flag, Record
from ..tools.operations import operation
from .curves import x25519, x25519_public
from .notation import derive, extract


@operation(
    "pair-root",
    Record(secret=KEY, peerPublic=KEY, advertising=Flag()),
    Record(root=KEY),
    intermediates=Record(ownPublic=KEY, sharedSecret=KEY, extracted=KEY),
    refusals=[("agreement", "low-order-point")],
)
def pair_root(secret, peerPublic, advertising):
    own = x25519_public(secret)
    shared = x25519(secret, peerPublic)
    extracted = extract(b"inkling/1 pair-audience", shared)
    context = own + peerPublic if advertising else peerPublic + own
    result = {"root": derive(extracted, b"pair-root", context)}
    return result, {"ownPublic": own, "sharedSecret": shared, "extracted": extracted}


@operation(
    "pairwise-psk",
    Record(secret=KEY, peerPublic=KEY),
    Record(psk=KEY),
    intermediates=Record(ownPublic=KEY, sharedSecret=KEY, extracted=KEY),
    refusals=[("agreement", "low-order-point")],
)
def pairwise_psk(secret, peerPublic):
    own = x25519_public(secret)
    shared = x25519(secret, peerPublic)
    extracted = extract(b"inkling/1 pair-psk", shared)
    context = min(own, peerPublic) + max(own, peerPublic)
    result = {"psk": derive(extracted, b"pair-psk", context)}
    return result, {"ownPublic": own, "sharedSecret": shared, "extracted": extracted}
