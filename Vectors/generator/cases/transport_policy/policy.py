"""Plans for the rules of Specs/transport-policy.md: relations, causes, directions, and open connections."""

from ...reference.transport_policy import PURPOSES, RELATIONS
from ..platforms.apps import android, app, linux, phone
from .plans import AWAY, BEACON, HERE, NEW, planned, situation


def rule_cases():
    return [
        *relation_cases(),
        *unknown_peer_cases(),
        *cause_cases(),
        *direction_cases(),
        *linked_cases(),
    ]


def steps_of(relation, purpose):
    """The transports of two paired iPhones in the foreground, with every permission, near and on one network."""
    if relation == "stranger":
        return {"exchange": 5_300} if purpose == "first-contact" else {}
    near = {"network": 301, "gatt": 2_508}
    if relation == "invited":
        return {"network": 301} if purpose == "passive" else near
    seen = {"ble": 106, "network": 301, "beacon": BEACON}
    fast = {"message": {"aware-realtime": 1_501, "awdl": 2_001}, "bulk": {"awdl": 2_001, "aware-bulk": 3_001}}
    if purpose == "passive":
        return seen
    if purpose == "recognise":
        return {"network": 301, "gatt": 2_508, "beacon": BEACON + 301}
    if relation == "confirmed" and purpose in fast:
        return {"network": 301, "gatt": 2_508} | fast[purpose]
    return near


def relation_cases():
    cases = []
    for relation in RELATIONS:
        for purpose in PURPOSES:
            steps = steps_of(relation, purpose)
            args = situation(NEW, NEW, relation, purpose, 100, heard=True, sameNetwork=True, paired=True)
            if relation == "confirmed" and purpose == "message":
                steps = {name: steps[name] for name in ("network", "gatt", "aware-realtime", "awdl")}
            if relation == "confirmed" and purpose == "bulk":
                steps = {name: steps[name] for name in ("network", "gatt", "awdl", "aware-bulk")}
            numbers = (6, 9) if len(steps) > 1 or not steps else (9,)
            cases.append(planned(f"with everything: {relation}, {purpose}", args, steps, numbers=(*numbers, 4)))
    return cases


def unknown_peer_cases():
    cases = []
    taken_for = app("ios", "10.0", "background", met=("bluetooth", "central", "peripheral"))
    for own, name in ((HERE, "an iPhone"), (android("foreground"), "Android"), (linux(), "Linux")):
        for purpose in ("passive", "recognise", "message"):
            for peer, what in ((None, "an unknown platform"), (taken_for, "the app it is taken for")):
                relation = "confirmed" if purpose == "message" else "contact"
                args = situation(own, peer, relation, purpose, 100, heard=True)
                is_android = own["family"] == "android"
                if purpose == "passive":
                    steps = {} if is_android else {"ble": 106 if own is HERE else 1_053}
                elif purpose == "recognise":
                    # The peer scans with its duty cycle of iOS 10; Android cannot see it in the background.
                    steps = {"gatt": 350_508} if is_android else {"gatt": 2_508}
                else:
                    steps = {"gatt": 350_508} if is_android else {"gatt": 2_508}
                refused = {"network": 12}
                cases.append(planned(f"{name} and {what}: {purpose}", args, steps, refused=refused, numbers=(10,)))
    for own, steps, name in (
        (HERE, {"network": 301, "gatt": 2_508}, "an iPhone"),
        (android("locked"), {"network": 301, "gatt": 350_508}, "Android"),
    ):
        args = situation(own, None, "contact", "recognise", 100, heard=True, sameNetwork=True)
        cases.append(planned(f"{name} hears a name of an unknown platform", args, steps, numbers=(6, 10)))
        args = situation(own, None, "contact", "passive", sameNetwork=True)
        waits = {"steps": {}, "wait": ("ble", 10)} if own is not HERE else {"steps": {"ble": 106}}
        comment = f"{name} does not hear an unknown platform, which is not believed to find names"
        cases.append(planned(comment, args, **waits, refused={"network": 10}, numbers=(10,)))
    in_pocket = phone("18.2", "background", without=("local-network",))
    args = situation(linux(), in_pocket, "contact", "recognise", heard=True, sameNetwork=True)
    cases.append(
        planned(
            "a name that is heard proves that its app can be found", args, {"network": 300, "gatt": 2_500}
        )
    )
    args = situation(in_pocket, linux(), "contact", "recognise", heard=True, sameNetwork=True)
    cases.append(
        planned(
            "a name that is heard does not help an app that finds none",
            args,
            {"gatt": 3_553, "beacon": BEACON + 3_553},
            refused={"network": 7},
        )
    )
    return cases


def cause_cases():
    def away(*without, state="background"):
        return phone("18.2", state, without=without)

    def passive(comment, own, peer, steps, refused, wait=None):
        args = situation(own, peer, "contact", "passive", sameNetwork=True)
        return planned(comment, args, steps, refused=refused, wait=wait, numbers=() if steps else (9,))

    def gatt(comment, own, peer, number, heard=False):
        args = situation(own, peer, "contact", "message", 1, heard=heard)
        return planned(comment, args, {}, refused={"gatt": number}, numbers=(9,))

    bare = app("ios", "18.2", "background")
    return [
        passive(
            "Bluetooth is off: permission",
            away("bluetooth"),
            HERE,
            {},
            {"beacon": 8, "ble": 8, "network": 7},
            ("beacon", 8),
        ),
        passive(
            "Bluetooth is off, terminated: permission for regions, state for scans",
            away("bluetooth", state="terminated"),
            HERE,
            {},
            {"beacon": 8, "ble": 7},
        ),
        passive(
            "the local network is not allowed, in the foreground",
            away("local-network", state="foreground"),
            HERE,
            {"ble": 106, "beacon": BEACON},
            {"network": 8},
        ),
        passive(
            "the peer has the local network switched off",
            HERE,
            away("local-network", state="foreground"),
            {"ble": 106, "beacon": BEACON},
            {"network": 11},
        ),
        passive(
            "the local network is not allowed, in the background: state",
            away("local-network"),
            HERE,
            {"beacon": BEACON, "ble": 50_000},
            {"network": 7},
        ),
        passive(
            "the peer's Bluetooth is off",
            HERE,
            away("bluetooth", state="foreground"),
            {"network": 2_300},
            {"beacon": 11, "ble": 11},
        ),
        passive(
            "the peer's Bluetooth is off, in the background: permission would show it in the overflow area",
            HERE,
            away("bluetooth"),
            {},
            {"beacon": 10, "ble": 11},
            ("ble", 11),
        ),
        passive("the peer may not advertise in the background", HERE, away("peripheral"), {}, {"ble": 11}, ("ble", 11)),
        passive(
            "the peer may not advertise in the background, and we could not read the overflow area",
            android("foreground"),
            away("peripheral"),
            {},
            {"beacon": 6, "ble": 10},
            ("ble", 10),
        ),
        passive(
            "the peer was terminated", HERE, away(state="terminated"), {}, {"ble": 10, "beacon": 10}, ("beacon", 10)
        ),
        passive(
            "a node that only shows a beacon advertises nothing",
            android("foreground"),
            linux("beacon-only"),
            {"network": 2_300},
            {"ble": 9},
        ),
        passive(
            "own state before the peer's",
            phone("18.2", "terminated"),
            phone("18.2", "terminated"),
            {},
            {"ble": 7, "beacon": 10},
            ("beacon", 10),
        ),
        passive("nothing is allowed", bare, HERE, {}, {"beacon": 8, "ble": 8, "network": 7}, ("beacon", 8)),
        passive(
            "nothing is allowed to the peer", HERE, bare, {}, {"beacon": 10, "ble": 11, "network": 10}, ("ble", 11)
        ),
        passive(
            "low power mode lacks nothing",
            phone("18.2", "background", without=("always",), low_power=True),
            HERE,
            {"ble": 6_000_000},
            {"beacon": 8},
        ),
        passive(
            "no version, and everything allowed, in the background: scanning is a matter of the state",
            phone("9.3", "background"),
            HERE,
            {"beacon": BEACON},
            {"ble": 7},
        ),
        passive(
            "location while in use, terminated",
            app("ios", "18.2", "terminated", met=("bluetooth", "when-in-use")),
            HERE,
            {},
            {"beacon": 8},
        ),
        gatt(
            "a heard peer in the overflow area, which Android cannot read",
            android("foreground"),
            phone("18.2", "background", without=("central",)),
            11,
            heard=True,
        ),
        gatt(
            "the greater of two refusals: the peer may not use Bluetooth, we are terminated",
            phone("18.2", "terminated"),
            away("bluetooth", state="foreground"),
            11,
        ),
        gatt("the same refusal in both directions: ours is given", phone("18.2", "terminated"), HERE, 7),
        gatt("two nodes that only show beacons", linux("beacon-only"), linux("beacon-only"), 9),
        gatt("a node that only shows a beacon, and an iPhone in the foreground", linux("beacon-only"), HERE, 6),
        gatt("an iPhone in the foreground, and a node that only shows a beacon", HERE, linux("beacon-only"), 9),
    ]


def direction_cases():
    def case(comment, own, peer, purpose, steps, directions, heard=False, lasts=None, **members):
        args = situation(own, peer, "contact", purpose, 100, heard=heard, **members)
        return planned(comment, args, steps, directions=directions, lasts=lasts)

    old = phone("18.0", "background")
    limited = phone("18.1", "foreground", without=("peripheral",))
    return [
        case("both directions cost the same: ours", HERE, HERE, "message", {"gatt": 2_614}, {"gatt": "we"}),
        case(
            "both directions cost the same, heard or not, when the peer scans as well",
            HERE,
            HERE,
            "message",
            {"gatt": 2_508},
            {"gatt": "we"},
            heard=True,
        ),
        case("the peer scans better, in the foreground", AWAY, HERE, "message", {"gatt": 2_614}, {"gatt": "they"}),
        case("we scan better, in the foreground", HERE, AWAY, "message", {"gatt": 2_614}, {"gatt": "we"}),
        case(
            "a node on Linux is later than an iPhone in the foreground",
            linux(),
            HERE,
            "recognise",
            {"gatt": 2_614},
            {"gatt": "they"},
        ),
        case(
            "a heard peer is not scanned for",
            linux(),
            HERE,
            "recognise",
            {"gatt": 2_508},
            {"gatt": "we"},
            heard=True,
        ),
        case(
            "only noticing has one direction",
            AWAY,
            HERE,
            "passive",
            {"beacon": BEACON, "ble": 50_000},
            {"ble": "we", "beacon": "we"},
        ),
        case(
            "how long reports go on is that of who scans: we",
            old,
            android("foreground", without=("bluetooth",)),
            "passive",
            {},
            {},
        ),
        case(
            "how long reports go on is that of who scans: we, in the background",
            old,
            linux("legacy"),
            "recognise",
            {"gatt": 3_561, "beacon": BEACON + 3_561},
            {"gatt": "they"},
            lasts={"gatt": None, "beacon": None},
        ),
        case(
            "how long reports go on is that of who scans: the peer, in the background",
            android("foreground"),
            old,
            "recognise",
            {"gatt": 900_508},
            {"gatt": "they"},
            lasts={"gatt": 300_000},
        ),
        case(
            "who does not scan has no limit of reports",
            old,
            old,
            "message",
            {"gatt": 300_508},
            {"gatt": "we"},
            heard=True,
            lasts={"gatt": None},
        ),
        case("who scans has one", old, old, "message", {"gatt": 900_508}, {"gatt": "we"}, lasts={"gatt": 300_000}),
        case(
            "without the mode peripheral in the foreground",
            limited,
            limited,
            "message",
            {"gatt": 2_614},
            {"gatt": "we"},
        ),
    ]


def linked_cases():
    def case(comment, own, peer, purpose, steps, linked, refused=None, relation="confirmed", **members):
        args = situation(own, peer, relation, purpose, 1_000, linked=linked, **members)
        return planned(comment, args, steps, refused=refused, numbers=() if steps else (9,))

    alone = phone("18.2", "background", without=("bluetooth",))
    return [
        case(
            "connected over a network that both have left",
            HERE,
            android("locked"),
            "message",
            {"network": 1, "gatt": 2_686},
            ["network"],
        ),
        case(
            "connected over a network, and suspended",
            phone("18.2", "suspended"),
            HERE,
            "message",
            {"gatt": 2_686},
            ["network"],
            {"network": 7},
        ),
        case(
            "connected over a network, and the peer suspended",
            HERE,
            phone("18.2", "suspended"),
            "message",
            {"gatt": 2_686},
            ["network"],
            {"network": 10},
        ),
        case(
            "connected over Wi-Fi Aware, not paired any more",
            NEW,
            NEW,
            "message",
            {"aware-realtime": 1, "gatt": 2_686, "awdl": 2_001},
            ["aware-realtime"],
        ),
        case(
            "connected over Wi-Fi Aware for throughput, which is not for messages",
            NEW,
            NEW,
            "message",
            {"gatt": 2_686, "awdl": 2_001},
            ["aware-bulk"],
            {"aware-bulk": 3, "aware-realtime": 13},
        ),
        case(
            "connected over an upgrade before a handshake in this epoch",
            HERE,
            HERE,
            "bulk",
            {"gatt": 2_686},
            ["awdl"],
            {"awdl": 5},
            relation="contact",
        ),
        case(
            "connected over Bluetooth, to a stranger",
            HERE,
            HERE,
            "message",
            {},
            ["gatt"],
            {"gatt": 5},
            relation="stranger",
        ),
        case("connected over Bluetooth, which was switched off", alone, HERE, "message", {}, ["gatt"], {"gatt": 8}),
        case(
            "connected over what knows no connections",
            HERE,
            HERE,
            "recognise",
            {"gatt": 2_686, "beacon": BEACON + 2_686},
            ["beacon", "ble", "exchange", "multipeer", "relay"],
            {"multipeer": 1, "relay": 2},
        ),
        case("the same transport twice in the list", AWAY, AWAY, "message", {"gatt": 80}, ["gatt", "gatt"]),
        case(
            "connected over Bluetooth: no deadline is too early for the connection itself",
            AWAY,
            AWAY,
            "message",
            {"gatt": 80},
            ["gatt"],
            deadline=80,
        ),
        case(
            "connected over Bluetooth: the deadline is too early for the transfer",
            AWAY,
            AWAY,
            "message",
            {},
            ["gatt"],
            {"gatt": 16},
            deadline=79,
        ),
        case(
            "connected over Bluetooth, and it failed just now",
            AWAY,
            AWAY,
            "message",
            {},
            ["gatt"],
            {"gatt": 15},
            failures=[{"transport": "gatt", "count": 1, "ago": 0}],
        ),
    ]
