"""Plans at the edges of each rule of Specs/transport-policy.md, and arguments that are refused."""

from ..family import Case, argument_refusals, replaced
from ..transports import PURPOSES, RELATIONS, TRANSPORTS
from .apps import android, app, linux, phone, planned, situation
from .profiles import BAD_VERSIONS, app_refusals

EDGE = ("boundary",)
HERE = phone("18.2", "foreground")
AWAY = phone("18.2", "background")
NEW = phone("26", "foreground", "iphone-12")
BEACON = 33_334


def rule_cases():
    return [
        *relation_cases(),
        *unknown_peer_cases(),
        *cause_cases(),
        *direction_cases(),
        *linked_cases(),
        *limit_cases(),
        *failure_cases(),
        *observed_cases(),
        *timing_cases(),
    ]


def steps_of(relation, purpose):
    """What two iPhones with everything, in the foreground, on one network, paired and near, can use."""
    if relation == "stranger":
        return {"exchange": 5_000} if purpose == "first-contact" else {}
    near = {"network": 301, "gatt": 2_508}
    if relation == "invited":
        return {"network": 301} if purpose == "passive" else near
    seen = {"ble": 106, "network": 301, "beacon": BEACON}
    fast = {"message": {"aware-realtime": 1_501, "awdl": 2_001}, "bulk": {"awdl": 2_001, "aware-bulk": 3_001}}
    if purpose == "passive":
        return seen
    if purpose == "recognise":
        return {"ble": 106, "network": 301, "gatt": 2_508, "beacon": BEACON}
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
                    steps = {"ble": 50_000, "gatt": 350_500 + 8} if is_android else {"ble": None, "gatt": 2_508}
                else:
                    steps = {"gatt": 350_508} if is_android else {"gatt": 2_508}
                refused = {"network": 12}
                cases.append(planned(f"{name} and {what}: {purpose}", args, steps, refused=refused, numbers=(10,)))
    for own, steps, name in (
        (HERE, {"ble": 106, "network": 301, "gatt": 2_508}, "an iPhone"),
        (android("locked"), {"network": 301, "ble": 50_000, "gatt": 350_508}, "Android"),
    ):
        args = situation(own, None, "contact", "recognise", 100, heard=True, sameNetwork=True)
        cases.append(planned(f"{name} hears a name of an unknown platform", args, steps, numbers=(6, 10)))
        args = situation(own, None, "contact", "passive", sameNetwork=True)
        waits = {"steps": {}, "wait": ("ble", 10)} if own is not HERE else {"steps": {"ble": 106}}
        comment = f"{name} does not hear an unknown platform, which is not believed to find names"
        cases.append(planned(comment, args, **waits, refused={"network": 10}, numbers=(10,)))
    in_pocket = phone("18.2", "background", without=("local-network",))
    args = situation(linux(), in_pocket, "contact", "recognise", heard=True, sameNetwork=True)
    cases.append(planned("a name that is heard proves that its app can be found", args, {"ble": 1_053, "network": 300, "gatt": 2_500}))
    args = situation(in_pocket, linux(), "contact", "recognise", heard=True, sameNetwork=True)
    cases.append(planned("a name that is heard does not help an app that finds none", args, {"ble": 1_053, "gatt": 3_553, "beacon": BEACON}, refused={"network": 7}))
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
        passive("Bluetooth is off: permission", away("bluetooth"), HERE, {}, {"beacon": 8, "ble": 8, "network": 7}, ("beacon", 8)),
        passive("Bluetooth is off, terminated: permission for regions, state for scans", away("bluetooth", state="terminated"), HERE, {}, {"beacon": 8, "ble": 7}),
        passive("the local network is not allowed, in the foreground", away("local-network", state="foreground"), HERE, {"ble": 106, "beacon": BEACON}, {"network": 8}),
        passive("the peer has the local network switched off", HERE, away("local-network", state="foreground"), {"ble": 106, "beacon": BEACON}, {"network": 11}),
        passive("the local network is not allowed, in the background: state", away("local-network"), HERE, {"beacon": BEACON, "ble": 50_000}, {"network": 7}),
        passive("the peer's Bluetooth is off", HERE, away("bluetooth", state="foreground"), {"network": 2_300}, {"beacon": 11, "ble": 11}),
        passive("the peer's Bluetooth is off, in the background: permission would show it in the overflow area", HERE, away("bluetooth"), {}, {"beacon": 10, "ble": 11}, ("ble", 11)),
        passive("the peer may not advertise in the background", HERE, away("peripheral"), {}, {"ble": 11}, ("ble", 11)),
        passive("the peer may not advertise in the background, and we could not read the overflow area", android("foreground"), away("peripheral"), {}, {"beacon": 6, "ble": 10}, ("ble", 10)),
        passive("the peer was terminated", HERE, away(state="terminated"), {}, {"ble": 10, "beacon": 10}, ("beacon", 10)),
        passive("a node that only shows a beacon advertises nothing", android("foreground"), linux("beacon-only"), {"network": 2_300}, {"ble": 9}),
        passive("own state before the peer's", phone("18.2", "terminated"), phone("18.2", "terminated"), {}, {"ble": 7, "beacon": 10}, ("beacon", 10)),
        passive("nothing is allowed", bare, HERE, {}, {"beacon": 8, "ble": 8, "network": 7}, ("beacon", 8)),
        passive("nothing is allowed to the peer", HERE, bare, {}, {"beacon": 10, "ble": 11, "network": 10}, ("ble", 11)),
        passive("low power mode lacks nothing", phone("18.2", "background", without=("always",), low_power=True), HERE, {"ble": 6_000_000}, {"beacon": 8}),
        passive("no version, and everything allowed, in the background: scanning is a matter of the state", phone("9.3", "background"), HERE, {"beacon": BEACON}, {"ble": 7}),
        passive("location while in use, terminated", app("ios", "18.2", "terminated", met=("bluetooth", "when-in-use")), HERE, {}, {"beacon": 8}),
        gatt("a heard peer in the overflow area, which Android cannot read", android("foreground"), phone("18.2", "background", without=("central",)), 11, heard=True),
        gatt("the greater of two refusals: the peer may not use Bluetooth, we are terminated", phone("18.2", "terminated"), away("bluetooth", state="foreground"), 11),
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
        case("both directions cost the same, heard or not, when the peer scans as well", HERE, HERE, "message", {"gatt": 2_508}, {"gatt": "we"}, heard=True),
        case("the peer scans better, in the foreground", AWAY, HERE, "message", {"gatt": 2_614}, {"gatt": "they"}),
        case("we scan better, in the foreground", HERE, AWAY, "message", {"gatt": 2_614}, {"gatt": "we"}),
        case("a node on Linux is later than an iPhone in the foreground", linux(), HERE, "recognise", {"ble": 106, "gatt": 2_614}, {"ble": "they", "gatt": "they"}),
        case("a heard peer is not scanned for", linux(), HERE, "recognise", {"ble": 106, "gatt": 2_508}, {"ble": "they", "gatt": "we"}, heard=True),
        case("only noticing has one direction", AWAY, HERE, "passive", {"beacon": BEACON, "ble": 50_000}, {"ble": "we", "beacon": "we"}),
        case("how long reports go on is that of who scans: we", old, android("foreground", without=("bluetooth",)), "passive", {}, {}),
        case("how long reports go on is that of who scans: we, in the background", old, linux("legacy"), "recognise", {"ble": 1_053, "gatt": 3_561, "beacon": BEACON}, {"ble": "they", "gatt": "they"}, lasts={"ble": None, "gatt": None}),
        case("how long reports go on is that of who scans: the peer, in the background", android("foreground"), old, "recognise", {"ble": 600_000, "gatt": 900_508}, {"ble": "they", "gatt": "they"}, lasts={"ble": 300_000, "gatt": 300_000}),
        case("who does not scan has no limit of reports", old, old, "message", {"gatt": 300_508}, {"gatt": "we"}, heard=True, lasts={"gatt": None}),
        case("who scans has one", old, old, "message", {"gatt": 900_508}, {"gatt": "we"}, lasts={"gatt": 300_000}),
        case("without the mode peripheral in the foreground", limited, limited, "message", {"gatt": 2_614}, {"gatt": "we"}),
    ]


def linked_cases():
    def case(comment, own, peer, purpose, steps, linked, refused=None, relation="confirmed", **members):
        args = situation(own, peer, relation, purpose, 1_000, linked=linked, **members)
        return planned(comment, args, steps, refused=refused, numbers=() if steps else (9,))

    alone = phone("18.2", "background", without=("bluetooth",))
    return [
        case("connected over a network that both have left", HERE, android("locked"), "message", {"network": 1, "gatt": 2_686}, ["network"]),
        case("connected over a network, and suspended", phone("18.2", "suspended"), HERE, "message", {"gatt": 2_686}, ["network"], {"network": 7}),
        case("connected over a network, and the peer suspended", HERE, phone("18.2", "suspended"), "message", {"gatt": 2_686}, ["network"], {"network": 10}),
        case("connected over Wi-Fi Aware, not paired any more", NEW, NEW, "message", {"aware-realtime": 1, "gatt": 2_686, "awdl": 2_001}, ["aware-realtime"]),
        case("connected over Wi-Fi Aware for throughput, which is not for messages", NEW, NEW, "message", {"gatt": 2_686, "awdl": 2_001}, ["aware-bulk"], {"aware-bulk": 3, "aware-realtime": 13}),
        case("connected over an upgrade before a handshake in this epoch", HERE, HERE, "bulk", {"gatt": 2_686}, ["awdl"], {"awdl": 5}, relation="contact"),
        case("connected over Bluetooth, to a stranger", HERE, HERE, "message", {}, ["gatt"], {"gatt": 5}, relation="stranger"),
        case("connected over Bluetooth, which was switched off", alone, HERE, "message", {}, ["gatt"], {"gatt": 8}),
        case("connected over what knows no connections", HERE, HERE, "recognise", {"ble": 106, "gatt": 2_686, "beacon": BEACON}, ["beacon", "ble", "exchange", "multipeer", "relay"], {"multipeer": 1, "relay": 2}),
        case("the same transport twice in the list", AWAY, AWAY, "message", {"gatt": 80}, ["gatt", "gatt"]),
        case("connected over Bluetooth: no deadline is too early for the connection itself", AWAY, AWAY, "message", {"gatt": 80}, ["gatt"], deadline=80),
        case("connected over Bluetooth: the deadline is too early for the transfer", AWAY, AWAY, "message", {}, ["gatt"], {"gatt": 16}, deadline=79),
        case("connected over Bluetooth, and it failed just now", AWAY, AWAY, "message", {}, ["gatt"], {"gatt": 15}, failures=[{"transport": "gatt", "count": 1, "ago": 0}]),
    ]


def limit_cases():
    def case(comment, args, steps, refused=None, wait=None):
        return planned(comment, args, steps, refused=refused, wait=wait, flags=EDGE, numbers=() if steps else (9,))

    def first(payload):
        return situation(HERE, android("foreground"), "stranger", "first-contact", payload)

    def message(payload, **members):
        return situation(HERE, HERE, "contact", "message", payload, heard=True, **members)

    def bulk(payload, **members):
        return situation(NEW, NEW, "confirmed", "bulk", payload, heard=True, sameNetwork=True, paired=True, **members)

    return [
        case("512 bytes in a code", first(512), {"exchange": 5_000}),
        case("513 bytes in a code", first(513), {}, {"exchange": 14}, ("exchange", 14)),
        case("no bytes", message(0), {"gatt": 2_500}),
        case("one byte: 0.08 ms, rounded up", message(1), {"gatt": 2_501}),
        case("12 bytes", message(12), {"gatt": 2_501}),
        case("13 bytes", message(13), {"gatt": 2_502}),
        case("a deadline that is just kept", message(12, deadline=2_501), {"gatt": 2_501}),
        case("a deadline that is just missed", message(13, deadline=2_501), {}, {"gatt": 16}, ("gatt", 16)),
        case("no time at all", message(0, deadline=0), {}, {"gatt": 16}, ("gatt", 16)),
        case("the latest deadline", message(0, deadline=2**40), {"gatt": 2_500}),
        case("a tebibyte", bulk(2**40), {"aware-bulk": 137_441_954, "awdl": 219_904_326, "network": 1_099_511_928, "gatt": None}),
        case("a tebibyte within an hour", bulk(2**40, deadline=3_600_000), {}, {"aware-bulk": 16, "awdl": 16, "network": 16, "gatt": 16}, ("gatt", 16)),
        case("bulk of no bytes", bulk(0), {"network": 300, "gatt": 2_500, "awdl": 2_000, "aware-bulk": 3_000}),
        case("a beacon and a scan have deadlines as well", situation(AWAY, HERE, "contact", "passive", deadline=40_000), {"beacon": BEACON}, {"ble": 16}),
        case("a beacon that is just in time", situation(AWAY, HERE, "contact", "passive", deadline=BEACON), {"beacon": BEACON}, {"ble": 16}),
        case("a beacon that is just late", situation(AWAY, HERE, "contact", "passive", deadline=BEACON - 1), {}, {"beacon": 16, "ble": 16}, ("beacon", 16)),
        case("too large and too late: the first reason", replaced(first(513), deadline=0), {}, {"exchange": 14}),
        case("a failure and a deadline: the first reason", message(0, deadline=0, failures=[{"transport": "gatt", "count": 2, "ago": 9_999}]), {}, {"gatt": 15}),
        case("no network and a failure: the first reason", situation(HERE, HERE, "contact", "passive", failures=[{"transport": "network", "count": 1, "ago": 0}]), {"ble": 106, "beacon": BEACON}, {"network": 12}),
    ]


def failure_cases():
    def case(count, ago, is_over):
        args = situation(HERE, HERE, "contact", "message", 0, heard=True, failures=[{"transport": "gatt", "count": count, "ago": ago}])
        comment = f"{count} failures, the last one {ago:,} ms ago"
        return planned(comment, args, {"gatt": 2_500} if is_over else {}, refused={} if is_over else {"gatt": 15}, flags=EDGE, numbers=(12,) if is_over else (9, 12))

    edges = ((1, 5_000), (2, 10_000), (3, 20_000), (6, 160_000), (7, 300_000), (8, 300_000), (64, 300_000))
    failed = [{"transport": transport, "count": 3, "ago": 1_000} for transport in TRANSPORTS]
    return [
        *[case(count, end - early, not early) for count, end in edges for early in (1, 0)],
        case(1, 0, False),
        case(64, 2**32 - 1, True),
        planned(
            "everything failed lately; what is retired and what needs a third party stay what they are",
            situation(NEW, NEW, "confirmed", "bulk", 1, heard=True, sameNetwork=True, paired=True, failures=failed),
            {},
            refused={"gatt": 15, "network": 15, "awdl": 15, "aware-bulk": 15, "beacon": 3, "multipeer": 1, "relay": 2},
            wait=("gatt", 15),
            numbers=(9, 12),
        ),
        planned(
            "a failure of one transport leaves the others",
            situation(AWAY, HERE, "contact", "passive", failures=[{"transport": "beacon", "count": 1, "ago": 0}]),
            {"ble": 50_000},
            refused={"beacon": 15},
            numbers=(12,),
        ),
        planned(
            "a code that could not be read may be tried again",
            situation(HERE, HERE, "stranger", "first-contact", 9, failures=[{"transport": "exchange", "count": 1, "ago": 5_000}]),
            {"exchange": 5_000},
            numbers=(12,),
        ),
    ]


def observed_cases():
    def case(comment, steps, setups=(), rates=(), transport="gatt", payload=0, purpose="message", own=HERE, relation="confirmed"):
        observed = [{"transport": transport, "setups": list(setups), "rates": list(rates)}]
        args = situation(own, own, relation, purpose, payload, heard=True, observed=observed)
        return planned(comment, args, steps, numbers=(11,), flags=EDGE)

    def set_up(setups, completes, comment):
        linked = {"gatt": completes, "awdl": 2_000}
        return case(comment, linked, setups)

    return [
        set_up([], 2_500, "no observation"),
        set_up([600], 2_600, "one observation"),
        set_up([600, 607], 2_600, "an eighth of 7, rounded towards zero"),
        set_up([600, 593], 2_600, "an eighth of -7, rounded towards zero"),
        set_up([600, 608], 2_601, "an eighth of 8"),
        set_up([600, 592], 2_599, "an eighth of -8"),
        set_up([600, 615], 2_601, "an eighth of 15"),
        set_up([600, 585], 2_599, "an eighth of -15"),
        set_up([0, 800], 2_125, "an average below a quarter counts as a quarter"),
        set_up([124], 2_125, "just below a quarter"),
        set_up([125], 2_125, "a quarter"),
        set_up([126], 2_126, "just above a quarter"),
        set_up([1_999], 3_999, "just below four times"),
        set_up([2_000], 4_000, "four times"),
        set_up([2_001], 4_000, "just above four times"),
        set_up([2**32 - 1], 4_000, "far above four times"),
        set_up([2_001, 0], 3_751, "the average is bounded when it is used, not before"),
        set_up([100_000, 0], 4_000, "the average is bounded when it is used, not before, far above"),
        set_up([0] * 8 + [4_000] * 8, 4_000, "sixteen observations, of which the later ones count more"),
        set_up([1_000, 900, 800, 700, 600, 500, 400, 300], 2_727, "eight that descend"),
        case("a rate of a quarter", {"awdl": 2_002, "gatt": 5_700}, rates=[3_125], payload=10_000),
        case("a rate just below a quarter", {"awdl": 2_002, "gatt": 5_700}, rates=[3_124], payload=10_000),
        case("a rate of nothing", {"awdl": 2_002, "gatt": 5_700}, rates=[0], payload=10_000),
        case("a rate of four times", {"gatt": 2_700, "awdl": 2_002}, rates=[50_000], payload=10_000),
        case("a rate above four times", {"gatt": 2_700, "awdl": 2_002}, rates=[2**32 - 1], payload=10_000),
        case("a rate with a rest", {"gatt": 3_268, "awdl": 2_002}, rates=[13_037], payload=10_000),
        case("rates whose average descends", {"gatt": 3_309, "awdl": 2_002}, rates=[12_500, 11_501], payload=10_000),
        case("what has no rate has none that was observed", {"ble": 106, "gatt": 2_580, "beacon": BEACON}, [100], [1], "ble", 1_000, "recognise"),
        case("the set up of a code can be observed", {"exchange": 20_000}, [60_000], [1], "exchange", 100, "first-contact", relation="stranger"),
        case("the set up of a code can be observed to be short", {"exchange": 1_250}, [1], [], "exchange", 100, "first-contact", relation="stranger"),
        case("what is retired stays retired, whatever was observed", {"gatt": 2_500, "awdl": 2_000}, [1], [2**32 - 1], "multipeer"),
        planned(
            "set up is not needed again on an open connection; its rate counts",
            situation(HERE, HERE, "confirmed", "bulk", 100_000, linked=["gatt"], observed=[{"transport": "gatt", "setups": [2_000], "rates": [25_000]}]),
            {"gatt": 4_000, "awdl": 2_020},
            numbers=(11,),
            flags=EDGE,
        ),
    ]


def timing_cases():
    def begins(comment, args, expected):
        return planned(comment, args, {name: None for name in expected}, begins=expected, numbers=(6,))

    everything = ["gatt", "network", "awdl", "aware-bulk", "aware-realtime", "wifi-direct"]
    galaxy = android("foreground", "aware")
    return [
        begins(
            "open connections that cost the same: in the order of the tables, a second apart",
            situation(galaxy, galaxy, "confirmed", "bulk", 0, linked=everything),
            {"gatt": 0, "network": 1_000, "aware-bulk": 2_000, "awdl": 3_000, "wifi-direct": 4_000},
        ),
        begins(
            "slow ones are ten seconds apart",
            situation(NEW, NEW, "confirmed", "bulk", 10**9, heard=True, sameNetwork=True, paired=True),
            {"aware-bulk": 0, "awdl": 10_000, "network": 20_000, "gatt": 30_000},
        ),
        begins(
            "others as far apart as they take",
            situation(NEW, NEW, "confirmed", "message", 100, heard=True, sameNetwork=True, paired=True),
            {"network": 0, "gatt": 1_000, "aware-realtime": 3_508, "awdl": 5_009},
        ),
        begins(
            "beacon and scan begin at once, and shift nothing",
            situation(HERE, HERE, "contact", "recognise", 100, sameNetwork=True),
            {"ble": 0, "network": 0, "gatt": 2_301, "beacon": 0},
        ),
        begins(
            "ten seconds after one that takes ten seconds and a bit",
            situation(HERE, HERE, "confirmed", "bulk", 40_000_001),
            {"awdl": 0, "gatt": 10_000},
        ),
        begins(
            "as long as it takes, just below ten seconds",
            situation(HERE, HERE, "confirmed", "bulk", 39_995_000),
            {"awdl": 0, "gatt": 9_999},
        ),
    ]


VALID = situation(
    phone("18.0.1", "background", "iphone-12"),
    phone("17.4", "foreground"),
    "confirmed",
    "bulk",
    1_000,
    deadline=60_000,
    heard=True,
    sameNetwork=True,
    paired=True,
    linked=["awdl"],
    failures=[{"transport": "gatt", "count": 2, "ago": 8_000}],
    observed=[{"transport": "awdl", "setups": [1_500], "rates": [4_000_000, 5_000_000]}],
)


def refusal_cases():
    def argument(comment, reason, **changes):
        return Case(comment, replaced(VALID, **changes), ("argument",), ("INK-CNF-004",), error=("arguments", reason))

    def entry(member, **changes):
        return {member: [{**VALID[member][0], **changes}]}

    def without(member, name):
        return {member: [{key: value for key, value in VALID[member][0].items() if key != name}]}

    def changed(side):
        return lambda **members: replaced(VALID, **{side: {**VALID[side], **members}})

    optional = ("peer is absent", "deadline is absent")
    cases = [Case("every member that may be there", VALID, (), ("INK-TPT-001",))]
    cases += [one for one in argument_refusals("transport-plan", VALID) if one.comment not in optional]
    cases += [
        argument("a relation that does not exist", "out-of-range", relation="friend"),
        argument("a purpose that does not exist", "out-of-range", purpose="call"),
        argument("a purpose without a letter", "out-of-range", purpose=""),
        argument("12 transports in the list of the linked", "wrong-length", linked=["gatt"] * 12),
        argument("a linked transport that does not exist", "out-of-range", linked=["smoke"]),
        argument("a linked transport that is null", "wrong-type", linked=[None]),
        argument("12 failures", "wrong-length", failures=VALID["failures"] * 12),
        argument("a failure that is a text", "wrong-type", failures=["gatt"]),
        argument("a failure of a transport that does not exist", "out-of-range", **entry("failures", transport="smoke")),
        argument("a failure that never was", "out-of-range", **entry("failures", count=0)),
        argument("65 failures in a row", "out-of-range", **entry("failures", count=65)),
        argument("a failure in 2^32 ms", "out-of-range", **entry("failures", ago=2**32)),
        argument("a failure in the future", "out-of-range", **entry("failures", ago=-1)),
        argument("a failure with a member too many", "unknown-field", **entry("failures", why=1)),
        *[argument(f"a failure without {name}", "missing", **without("failures", name)) for name in ("transport", "count", "ago")],
        argument("12 observations", "wrong-length", observed=VALID["observed"] * 12),
        argument("an observation of a transport that does not exist", "out-of-range", **entry("observed", transport="")),
        argument("17 times to set up", "wrong-length", **entry("observed", setups=[1] * 17)),
        argument("17 rates", "wrong-length", **entry("observed", rates=[1] * 17)),
        argument("a time to set up of 2^32", "out-of-range", **entry("observed", setups=[2**32])),
        argument("a rate below zero", "out-of-range", **entry("observed", rates=[-1])),
        argument("a rate that is a fraction", "wrong-type", **entry("observed", rates=[0.5])),
        argument("an observation with a member too many", "unknown-field", **entry("observed", why=1)),
        *[argument(f"an observation without {name}", "missing", **without("observed", name)) for name in ("transport", "setups", "rates")],
        *app_refusals(VALID, "own"),
        *app_refusals(VALID, "peer"),
    ]
    for version, what in BAD_VERSIONS[:8]:
        cases.append(Case(f"{what}, ours", changed("own")(version=version), ("refusal",), (), error=("platform", "bad-version")))
        cases.append(Case(f"{what}, the peer's", changed("peer")(version=version), ("refusal",), (), error=("platform", "bad-version")))
    for member in ("failures", "observed"):
        args = replaced(VALID, **{member: VALID[member] * 2})
        cases.append(Case(f"a transport twice in {member}", args, ("refusal",), (), error=("situation", "repeated-transport")))
    cases.append(
        Case(
            "a payload and a deadline in decimal digits",
            replaced(VALID, payload="1000", deadline="60000"),
            ("decimal",),
            ("INK-CNF-005",),
        )
    )
    return cases
