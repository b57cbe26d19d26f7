"""The confirm handshake of the page's examples, and what several families use."""

from ...reference.handshake import GATT, NAN, TCP
from ...tools.family import Case, replaced
from ...tools.operations import answer
from ..noise import MEETINGS

SPECIFICATION = "Specs/handshake.md"
# The initiator's view of the confirm handshake in the examples of the specification.
CONFIRMED = answer("noise", MEETINGS["confirm"].args["initiator"])["result"]
CONFIRMED_SESSION = {
    "k1": CONFIRMED["sendKey"],
    "k2": CONFIRMED["receiveKey"],
    "handshakeHash": CONFIRMED["handshakeHash"],
}


def out_of_range(comment, args):
    return Case(comment, args, ("argument",), ("INK-CNF-004",), error=("arguments", "out-of-range"))


def transports(args):
    """The arguments for each other transport, and those for the reserved one."""
    others = [transport for transport in (GATT, TCP, NAN) if transport != args["transport"]]
    return [replaced(args, transport=transport) for transport in others], replaced(args, transport=1)
