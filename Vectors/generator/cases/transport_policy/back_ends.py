"""Plans of programs that do not implement every transport, and chains of two transports."""

from ...reference.transport_policy import TRANSPORTS
from ..platforms.apps import android, linux, phone
from .plans import AWAY, BEACON, HERE, NEW, planned, situation

NODE = ["network", "exchange"]


def back_end_cases():
    def case(comment, args, steps, refused=None, wait=None, **expected):
        numbers = (14,) if steps else (9, 14)
        return planned(comment, args, steps, refused=refused, wait=wait, numbers=numbers, **expected)

    def node(peer, **members):
        return situation(linux(), peer, "contact", "recognise", ownTransports=NODE, **members)

    return [
        case(
            "a node with TCP alone, on one network",
            node(linux(), sameNetwork=True),
            {"network": 2_300},
            {"beacon": 17, "gatt": 17, "ble": 3},
        ),
        case(
            "a node with TCP alone, not on one network: a back end is nothing to wait for",
            node(linux()),
            {},
            {"beacon": 17, "gatt": 17, "network": 12},
            ("network", 12),
        ),
        case(
            "a node with TCP alone that may not use Bluetooth: the back end comes first",
            situation(linux(without=("bluetooth",)), HERE, "contact", "passive", ownTransports=NODE),
            {},
            {"beacon": 17, "ble": 17},
        ),
        case(
            "the purpose and the relation come before the back end",
            situation(linux(), HERE, "contact", "bulk", ownTransports=[], sameNetwork=True),
            {},
            {"beacon": 3, "awdl": 5, "gatt": 17, "network": 17, "multipeer": 1, "relay": 2},
            ("gatt", 17),
        ),
        case(
            "the peer's program has TCP alone",
            situation(HERE, android("foreground"), "contact", "recognise", peerTransports=["network"], sameNetwork=True),
            {"network": 2_300},
            {"gatt": 17, "beacon": 17},
        ),
        case(
            "what one program lacks is not used, although the other has it",
            situation(NEW, NEW, "confirmed", "bulk", paired=True, ownTransports=["gatt", "awdl"], peerTransports=["gatt"]),
            {"gatt": 2_606},
            {"awdl": 17, "aware-bulk": 17, "network": 17},
        ),
        case(
            "an open connection needs a back end as well",
            situation(HERE, HERE, "confirmed", "message", linked=["gatt"], ownTransports=["network"]),
            {},
            {"gatt": 17},
        ),
        case(
            "lists of every transport are as good as none",
            situation(HERE, HERE, "contact", "passive", ownTransports=list(TRANSPORTS), peerTransports=list(TRANSPORTS)),
            {"ble": 106, "beacon": BEACON},
            {"multipeer": 1, "relay": 2},
        ),
        case(
            "a program without back ends waits",
            situation(HERE, HERE, "contact", "recognise", ownTransports=[]),
            {},
            {"beacon": 17, "gatt": 17, "network": 17},
            ("beacon", 17),
        ),
    ]


def chain_cases():
    def case(comment, args, steps, refused=None, **expected):
        return planned(comment, args, steps, refused=refused, numbers=(15,) if steps else (9, 15), **expected)

    def recognise(own, peer, payload=0, **members):
        return situation(own, peer, "contact", "recognise", payload, **members)

    def meet(own, peer, payload=0, **members):
        return situation(own, peer, "stranger", "first-contact", payload, **members)

    asleep = phone("18.2", "suspended")
    ended = phone("18.2", "terminated")
    return [
        case(
            "a beacon wakes a suspended app, which then connects",
            recognise(asleep, linux()),
            {"gatt": 3_553, "beacon": BEACON + 3_553},
            nexts={"beacon": ("gatt", "they")},
        ),
        case(
            "a beacon starts a terminated app, which scans and connects in the background",
            recognise(ended, linux(), peerTransports=["beacon", "gatt"]),
            {"beacon": BEACON + 3_553},
            {"gatt": 7},
            nexts={"beacon": ("gatt", "they")},
        ),
        case(
            "a beacon starts a terminated app without the background mode central: the peer scans",
            recognise(phone("18.2", "terminated", without=("central",)), HERE),
            {"beacon": BEACON + 2_606},
            nexts={"beacon": ("gatt", "they")},
        ),
        case(
            "a beacon starts a terminated app that may do nothing then",
            recognise(phone("18.2", "terminated", without=("central", "peripheral")), HERE),
            {},
            {"beacon": 8, "gatt": 7},
            wait=("beacon", 8),
        ),
        case(
            "the last reason that stands against what could follow is that of the beacon",
            recognise(HERE, android("foreground"), ownTransports=["beacon", "network"]),
            {},
            {"beacon": 12, "gatt": 17, "network": 12},
            wait=("beacon", 12),
        ),
        case(
            "what follows a beacon failed lately",
            recognise(HERE, linux(), failures=[{"transport": "gatt", "count": 1, "ago": 0}]),
            {},
            {"beacon": 15, "gatt": 15, "network": 12},
        ),
        case(
            "a deadline is for the chain: just kept",
            recognise(ended, HERE, deadline=BEACON + 2_606),
            {"beacon": BEACON + 2_606},
        ),
        case(
            "a deadline is for the chain: just missed",
            recognise(ended, HERE, deadline=BEACON + 2_605),
            {},
            {"beacon": 16},
        ),
        case(
            "what the peer's scan after a beacon is bounded by, the chain is bounded by",
            recognise(phone("18.0", "terminated"), phone("18.0", "foreground")),
            {"beacon": BEACON + 2_606},
            lasts={"beacon": None},
        ),
        case(
            "a chain goes on as long as our scan after the beacon does",
            recognise(phone("18.0", "background", without=("peripheral",)), android("foreground")),
            {"gatt": None, "beacon": None},
            lasts={"beacon": 300_000},
            directions={"gatt": "we"},
        ),
        case(
            "what is open follows at once",
            recognise(HERE, HERE, linked=["gatt"]),
            {"gatt": 0, "beacon": BEACON},
            nexts={"beacon": ("gatt", "both")},
        ),
        case(
            "passive is done with the beacon",
            situation(AWAY, HERE, "contact", "passive"),
            {"beacon": BEACON, "ble": 50_000},
            nexts={"beacon": ()},
        ),
        case(
            "a code, then the network",
            meet(HERE, android("foreground"), 100, heard=True, sameNetwork=True),
            {"exchange": 5_300},
            nexts={"exchange": ("network", "both")},
        ),
        case(
            "a code between nodes with TCP alone",
            meet(linux(), linux(), sameNetwork=True, ownTransports=NODE, peerTransports=NODE),
            {"exchange": 7_300},
            nexts={"exchange": ("network", "both")},
        ),
        case(
            "a code that nothing can follow",
            meet(linux(), linux(), ownTransports=NODE),
            {},
            {"exchange": 12, "gatt": 5, "network": 5},
            wait=("exchange", 12),
        ),
        case(
            "a code between programs that have codes alone",
            meet(HERE, HERE, ownTransports=["exchange"]),
            {},
            {"exchange": 17},
        ),
        case(
            "a payload goes with the code, and not with what follows",
            meet(HERE, HERE, 512, sameNetwork=True, heard=True),
            {"exchange": 5_300},
        ),
    ]
