"""Plans at the edges of Specs/transport-policy.md: payloads, deadlines, failures, observations, and start times."""

from ...reference.transport_policy import TRANSPORTS
from ...tools.family import replaced
from ..platforms.apps import android
from .plans import AWAY, BEACON, HERE, NEW, planned, situation

EDGE = ("boundary",)


def edge_cases():
    return [
        *limit_cases(),
        *failure_cases(),
        *observed_cases(),
        *timing_cases(),
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
        case("512 bytes in a code", first(512), {"exchange": 7_606}),
        case("513 bytes in a code", first(513), {}, {"exchange": 14}, ("exchange", 14)),
        case("no bytes", message(0), {"gatt": 2_500}),
        case("one byte: 0.08 ms, rounded up", message(1), {"gatt": 2_501}),
        case("12 bytes", message(12), {"gatt": 2_501}),
        case("13 bytes", message(13), {"gatt": 2_502}),
        case("a deadline that is just kept", message(12, deadline=2_501), {"gatt": 2_501}),
        case("a deadline that is just missed", message(13, deadline=2_501), {}, {"gatt": 16}, ("gatt", 16)),
        case("no time at all", message(0, deadline=0), {}, {"gatt": 16}, ("gatt", 16)),
        case("the latest deadline", message(0, deadline=2**40), {"gatt": 2_500}),
        case(
            "a tebibyte",
            bulk(2**40),
            {"aware-bulk": 137_441_954, "awdl": 219_904_326, "network": 1_099_511_928, "gatt": None},
        ),
        case(
            "a tebibyte in messages",
            situation(NEW, NEW, "confirmed", "message", 2**40, heard=True, paired=True),
            {"awdl": 219_904_326, "aware-realtime": 274_879_407, "gatt": 87_960_932_723},
        ),
        case(
            "a tebibyte over Wi-Fi Direct",
            situation(android("foreground"), android("foreground"), "confirmed", "bulk", 2**40, heard=True),
            {"wifi-direct": 137_443_954, "gatt": 87_960_932_723},
        ),
        case(
            "a tebibyte within an hour",
            bulk(2**40, deadline=3_600_000),
            {},
            {"aware-bulk": 16, "awdl": 16, "network": 16, "gatt": 16},
            ("gatt", 16),
        ),
        case("bulk of no bytes", bulk(0), {"network": 300, "gatt": 2_500, "awdl": 2_000, "aware-bulk": 3_000}),
        case(
            "a beacon and a scan have deadlines as well",
            situation(AWAY, HERE, "contact", "passive", deadline=40_000),
            {"beacon": BEACON},
            {"ble": 16},
        ),
        case(
            "a beacon that is just in time",
            situation(AWAY, HERE, "contact", "passive", deadline=BEACON),
            {"beacon": BEACON},
            {"ble": 16},
        ),
        case(
            "a beacon that is just late",
            situation(AWAY, HERE, "contact", "passive", deadline=BEACON - 1),
            {},
            {"beacon": 16, "ble": 16},
            ("beacon", 16),
        ),
        case("too large and too late: the first reason", replaced(first(513), deadline=0), {}, {"exchange": 14}),
        case(
            "a failure and a deadline: the first reason",
            message(0, deadline=0, failures=[{"transport": "gatt", "count": 2, "ago": 9_999}]),
            {},
            {"gatt": 15},
        ),
        case(
            "no network and a failure: the first reason",
            situation(HERE, HERE, "contact", "passive", failures=[{"transport": "network", "count": 1, "ago": 0}]),
            {"ble": 106, "beacon": BEACON},
            {"network": 12},
        ),
    ]


def failure_cases():
    def case(count, ago, is_over):
        args = situation(
            HERE,
            HERE,
            "contact",
            "message",
            0,
            heard=True,
            failures=[{"transport": "gatt", "count": count, "ago": ago}],
        )
        comment = f"{count} failures, the last one {ago:,} ms ago"
        return planned(
            comment,
            args,
            {"gatt": 2_500} if is_over else {},
            refused={} if is_over else {"gatt": 15},
            flags=EDGE,
            numbers=(12,) if is_over else (9, 12),
        )

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
            situation(
                HERE,
                HERE,
                "stranger",
                "first-contact",
                9,
                failures=[{"transport": "exchange", "count": 1, "ago": 5_000}],
            ),
            {"exchange": 7_606},
            numbers=(12,),
        ),
    ]


def observed_cases():
    def case(
        comment,
        steps,
        setups=(),
        rates=(),
        transport="gatt",
        payload=0,
        purpose="message",
        own=HERE,
        relation="confirmed",
    ):
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
        set_up([600, 599], 2_600, "an eighth of -1, rounded towards zero"),
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
        case(
            "what has no rate has none that was observed",
            {"gatt": 2_580, "beacon": BEACON + 2_580},
            [100],
            [1],
            "beacon",
            1_000,
            "recognise",
        ),
        case(
            "the set up of a code can be observed",
            {"exchange": 22_500},
            [60_000],
            [1],
            "exchange",
            100,
            "first-contact",
            relation="stranger",
        ),
        case(
            "the set up of a code can be observed to be short",
            {"exchange": 3_750},
            [1],
            [],
            "exchange",
            100,
            "first-contact",
            relation="stranger",
        ),
        case(
            "what is retired stays retired, whatever was observed",
            {"gatt": 2_500, "awdl": 2_000},
            [1],
            [2**32 - 1],
            "multipeer",
        ),
        planned(
            "set up is not needed again on an open connection; its rate counts",
            situation(
                HERE,
                HERE,
                "confirmed",
                "bulk",
                100_000,
                linked=["gatt"],
                observed=[{"transport": "gatt", "setups": [2_000], "rates": [25_000]}],
            ),
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
            "a beacon begins at once, and delays nothing",
            situation(HERE, HERE, "contact", "recognise", 100, sameNetwork=True),
            {"network": 0, "gatt": 2_301, "beacon": 0},
        ),
        begins(
            "a scan begins at once, and delays nothing",
            situation(HERE, HERE, "contact", "passive", 100, sameNetwork=True),
            {"ble": 0, "network": 0, "beacon": 0},
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
