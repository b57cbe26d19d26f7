"""Plans for the rows of the tables of the iOS BLE Deep Dive. Each comment begins with the name of its row.

Where a row says what a fact contradicts, the pessimistic outcome is expected (Specs/platforms.md, Contradictions).
"""

from .apps import BEACON, android, linux, phone, planned, situation

BEACON_IN_LOW_POWER = 66_667
MEGABYTE = 1_000_000

ROWS = {
    "2": (
        "iOS 15.x",
        "iOS 16.x",
        "iOS 17.0–17.2",
        "iOS 17.3–17.6",
        "iOS 18.0–18.0.1",
        "iOS 18.1",
        "iOS 18.2",
        "iOS 19 (2026, projected)",
        "The iPhone 17 Device Regression (2026)",
    ),
    "7": (
        "Cross-platform",
        "Background discovery",
        "Background data transfer",
        "Transfer speed",
        "Protocol control",
        "Privacy",
        "API complexity",
        "Stability (iOS 18)",
        "Use case fit",
    ),
    "8": (
        "Passive background discovery",
        "Cross-platform",
        "Initial contact detection",
        "Bulk data sync after contact",
        "Power consumption",
        "Range",
        "Protocol control",
    ),
    "9, minimum support": (
        "Foreground",
        "Background (app backgrounded, screen on)",
        "Background (screen locked)",
        "Terminated app",
        "iPhone 17 devices (current regression)",
    ),
    "9, test scenario": (
        "Both devices in foreground",
        "One device backgrounded",
        "Both devices backgrounded",
        "Backgrounded + screen locked",
        "App terminated by system",
        "App force-quit by user",
        "Low battery mode",
        "iPhone 17 regression",
    ),
    "10": (
        "iOS-to-iOS passive discovery (background)",
        "iOS-to-Android passive discovery (background)",
        "Initial contact exchange (foreground, first meeting)",
        "Known contact detected nearby (foreground)",
        "Known contact detected nearby (background, iOS)",
        "Bulk data sync after contact detected",
        "Message sync with known contact in range",
        "iOS 17.x and earlier — general background",
        "iPhone 17 device (2026 regression)",
        "Low battery / power saving mode",
    ),
}


def passive(own, peer, **members):
    return situation(own, peer, "contact", "passive", **members)


def confirmed(own, peer, purpose, payload, **members):
    return situation(own, peer, "confirmed", purpose, payload, **members)


def every_row():
    """The cases of all tables; each row of each table has one at least."""
    tables = {
        "2": versions(),
        "7": tradeoff(),
        "8": comparison(),
        "9, minimum support": minimum(),
        "9, test scenario": test_scenarios(),
        "10": decision_matrix(),
    }
    for table, rows in ROWS.items():
        for row in rows:
            if not any(case.comment.startswith((f"{row}:", f"{row} (")) for case in tables[table]):
                raise AssertionError(f"no case for the row {row} of {table}")
    return [case for cases in tables.values() for case in cases]


def versions():
    """Section 2. What a version lets an app hear in the background: a peer with Android shows the service."""

    def away(row, version, completes, lasts=None, *traits):
        own = phone(version, "background", *traits, without=("always",))
        steps = {} if completes is None else {"ble": completes}
        refused = {"beacon": 8, **({"ble": 7} if completes is None else {})}
        return planned(
            f"{row}: an app with iOS {version} in the background, without location",
            passive(own, android("foreground")),
            steps,
            refused=refused,
            lasts=None if completes is None else {"ble": lasts},
            wait=("beacon", 8) if completes is None else None,
            numbers=() if steps else (9,),
        )

    def shown(row, version):
        """In the background: advertised in the overflow area, which an iPhone reads and Android does not."""
        peer = phone(version, "background")
        return [
            planned(
                f"{row}: what it advertises in the background is seen by an iPhone",
                passive(phone("18.2", "foreground"), peer),
                {"ble": 106},
                refused={"beacon": 10},
            ),
            planned(
                f"{row}: what it advertises in the background is not seen by Android",
                passive(android("foreground"), peer),
                {},
                refused={"beacon": 6, "ble": 10},
                wait=("ble", 10),
                numbers=(9,),
            ),
        ]

    return [
        away("iOS 15.x", "15.8", 50_000),
        *shown("iOS 15.x", "15.8"),
        away("iOS 16.x", "16.2", 50_000),
        *shown("iOS 16.x", "16.2"),
        away("iOS 17.0–17.2", "17.1", 600_000, 600_000),
        away("iOS 17.3–17.6", "17.3", 50_000),
        away("iOS 18.0–18.0.1", "18.0.1", 600_000, 300_000),
        *shown("iOS 18.0–18.0.1", "18.0.1"),
        away("iOS 18.1", "18.1", 600_000, 600_000),
        away("iOS 18.2", "18.2", 50_000),
        away("iOS 19 (2026, projected) (it was named iOS 26)", "26", 50_000),
        away("iOS 19 (2026, projected) (a version that never was)", "19", 50_000),
        away("The iPhone 17 Device Regression (2026)", "18.2", None, None, "iphone-17"),
        away("The iPhone 17 Device Regression (2026) (unresolved with iOS 26)", "26.1", None, None, "iphone-17"),
        away("Duty Cycle Reduction (1)", "10.3", 50_000),
        away("Duty Cycle Reduction (1)", "12.4", 50_000),
    ]


def tradeoff():
    """Section 7: CoreBluetooth, Multipeer Connectivity, Network.framework P2P."""
    here = phone("18.2", "foreground")
    old = phone("17.5", "foreground")
    away = phone("18.2", "background")
    return [
        planned(
            "Cross-platform (7, tradeoff): Bluetooth reaches Android; the direct link and Multipeer do not",
            confirmed(here, android("foreground"), "message", 1_000, heard=True),
            {"gatt": 2_580},
            refused={"awdl": 9, "multipeer": 1},
        ),
        planned(
            "Background discovery (7, tradeoff): Bluetooth is late; a network finds nothing",
            passive(phone("18.2", "background", without=("always",)), here, sameNetwork=True),
            {"ble": 50_000},
            refused={"network": 7, "multipeer": 1},
        ),
        planned(
            "Background discovery (7, tradeoff) (direct link: better than Multipeer is not enough to count on)",
            confirmed(away, here, "message", 1_000, heard=True),
            # We need minutes to connect to it; it finds and connects to us within seconds.
            {"gatt": 2_686},
            refused={"awdl": 7, "network": 7},
            directions={"gatt": "they"},
            numbers=(4,),
        ),
        planned(
            "Background data transfer (7, tradeoff): an open Bluetooth connection goes on",
            confirmed(away, away, "message", 1_000, linked=["gatt"]),
            {"gatt": 80},
            refused={"awdl": 7, "multipeer": 1},
        ),
        planned(
            "Background data transfer (7, tradeoff): an open direct link goes on",
            confirmed(away, away, "bulk", MEGABYTE, linked=["awdl"]),
            {"awdl": 200, "gatt": None},
        ),
        planned(
            "Transfer speed (7, tradeoff): 10 MB over Bluetooth's tenth of 1 Mbps, or over Wi-Fi",
            confirmed(here, here, "bulk", 10 * MEGABYTE, heard=True),
            {"awdl": 4_000, "gatt": 802_500},
        ),
        planned(
            "Transfer speed (7, tradeoff): observed rates move it, by four times at most",
            confirmed(
                here,
                here,
                "bulk",
                10 * MEGABYTE,
                heard=True,
                observed=[
                    {"transport": "awdl", "setups": [100], "rates": [100_000_000]},
                    {"transport": "gatt", "setups": [60_000, 60_000], "rates": [100]},
                ],
            ),
            {"awdl": 1_000, "gatt": 3_204_000},
            numbers=(11,),
        ),
        planned(
            "Protocol control (7, tradeoff): there is none of Multipeer, which is refused even to two that have nothing else",
            confirmed(phone("17.5", "foreground", without=("bluetooth",)), old, "message", 100),
            {"awdl": 2_001},
            refused={"multipeer": 1, "gatt": 8},
        ),
        planned(
            "Privacy (7, tradeoff): a stranger sees no network, no direct link and no Multipeer",
            situation(here, here, "stranger", "message", 100, sameNetwork=True),
            {},
            refused={"network": 5, "awdl": 5, "gatt": 5, "multipeer": 1},
            wait=("gatt", 5),
            numbers=(4, 9),
        ),
        planned(
            "API complexity (7, tradeoff): it is no reason to use Multipeer",
            confirmed(old, old, "message", 100, heard=True),
            {"gatt": 2_508, "awdl": 2_001},
            refused={"multipeer": 1},
        ),
        planned(
            "Stability (iOS 18) (7, tradeoff): Multipeer reaches 2 m; the direct link is counted on",
            confirmed(phone("18.0", "foreground"), phone("18.1", "foreground"), "bulk", MEGABYTE),
            {"awdl": 2_200, "gatt": 82_606},
            refused={"multipeer": 1},
        ),
        planned(
            "Use case fit (7, tradeoff): passive discovery is Bluetooth's",
            passive(here, here, heard=True),
            {"ble": 106, "beacon": BEACON},
            refused={"awdl": 3, "multipeer": 1},
        ),
        planned(
            "Use case fit (7, tradeoff): bulk is the direct link's",
            confirmed(old, here, "bulk", 100 * MEGABYTE, heard=True),
            {"awdl": 22_000, "gatt": 8_002_500},
            refused={"multipeer": 1},
        ),
    ]


def comparison():
    """Section 8: Network.framework and BLE."""
    here = phone("18.2", "foreground")
    return [
        planned(
            "Passive background discovery (8, comparison): no new connections over a network",
            passive(phone("17.6", "background"), here, sameNetwork=True),
            {"beacon": BEACON, "ble": 50_000},
            refused={"network": 7},
        ),
        planned(
            "Passive background discovery (8, comparison): nor to a peer in the background",
            passive(here, phone("17.6", "background"), sameNetwork=True),
            {"ble": 106},
            refused={"network": 10, "beacon": 10},
        ),
        planned(
            "Cross-platform (8, comparison): over a network that both are on",
            confirmed(here, android("background"), "message", 1_000, sameNetwork=True),
            {"network": 2_301, "gatt": 2_686},
            refused={"awdl": 9},
        ),
        planned(
            "Cross-platform (8, comparison): and with Linux",
            confirmed(here, linux(), "message", 1_000, sameNetwork=True),
            {"network": 2_301, "gatt": 2_686},
            refused={"awdl": 9, "aware-realtime": 6},
        ),
        planned(
            "Cross-platform (8, comparison): not on one network",
            confirmed(android("background"), linux(), "message", 1_000),
            {"gatt": 3_633},
            refused={"network": 12, "awdl": 6},
        ),
        planned(
            "Initial contact detection (8, comparison): beacon and Bluetooth, and not the direct link",
            situation(here, here, "contact", "recognise"),
            {"ble": 106, "gatt": 2_606, "beacon": BEACON},
            refused={"awdl": 3, "network": 12},
        ),
        planned(
            "Bulk data sync after contact (8, comparison): the direct link",
            confirmed(here, here, "bulk", 25 * MEGABYTE),
            {"awdl": 7_000, "gatt": 2_002_606},
        ),
        planned(
            "Bulk data sync after contact (8, comparison): before the handshake there is no direct link",
            situation(here, here, "contact", "bulk", 25 * MEGABYTE),
            {"gatt": 2_002_606},
            refused={"awdl": 5, "aware-bulk": 5, "wifi-direct": 5},
            numbers=(4,),
        ),
        planned(
            "Power consumption (8, comparison): for a short message Bluetooth is first, though Wi-Fi's radio is done earlier",
            confirmed(here, here, "message", 100, heard=True),
            {"gatt": 2_508, "awdl": 2_001},
        ),
        planned(
            "Power consumption (8, comparison): in low power mode a millijoule weighs four times as much",
            confirmed(phone("18.2", "foreground", low_power=True), here, "message", 10_000, heard=True),
            {"gatt": 3_300, "awdl": 2_002},
        ),
        planned(
            "Range (8, comparison): the same for both, so that neither is refused for it",
            confirmed(here, here, "message", 100),
            {"gatt": 2_614, "awdl": 2_001},
        ),
        planned(
            "Protocol control (8, comparison): full for both; the handshake is over either",
            situation(here, here, "contact", "recognise", 200, sameNetwork=True, heard=True),
            {"ble": 106, "network": 301, "gatt": 2_516, "beacon": BEACON},
        ),
    ]


def minimum():
    """Section 9: what can realistically be promised."""
    here = phone("18.2", "foreground")
    away = phone("18.2", "background")
    return [
        planned(
            "Foreground (9, minimum support): discovery",
            passive(here, here),
            {"ble": 106, "beacon": BEACON},
        ),
        planned(
            "Foreground (9, minimum support): a code or a tap for the first contact",
            situation(here, here, "stranger", "first-contact", 200),
            {"exchange": 5_000},
            refused={"gatt": 5, "network": 5},
        ),
        planned(
            "Foreground (9, minimum support): messages",
            confirmed(here, android("foreground"), "message", 500),
            {"gatt": 2_646},
        ),
        planned(
            "Background (app backgrounded, screen on) (9, minimum support): 5–30 s by beacon; scans with a lower duty cycle",
            passive(away, here),
            {"beacon": BEACON, "ble": 50_000},
        ),
        planned(
            "Background (app backgrounded, screen on) (9, minimum support): the user does not give the location",
            passive(phone("18.2", "background", without=("always",)), here),
            {"ble": 50_000},
            refused={"beacon": 8},
        ),
        planned(
            "Background (screen locked) (9, minimum support): the beacon as before, scans later",
            passive(phone("18.2", "locked"), here),
            {"beacon": BEACON, "ble": 600_000},
        ),
        planned(
            "Background (screen locked) (9, minimum support) (suspended): scans in bursts",
            passive(phone("18.2", "suspended"), here),
            {"beacon": BEACON, "ble": 1_800_000},
        ),
        planned(
            "Terminated app (9, minimum support): the beacon alone",
            passive(phone("18.2", "terminated"), here),
            {"beacon": BEACON},
            refused={"ble": 7, "network": 7},
        ),
        planned(
            "Terminated app (9, minimum support): low power mode",
            passive(phone("18.2", "terminated", low_power=True), here),
            {"beacon": BEACON_IN_LOW_POWER},
        ),
        planned(
            "Terminated app (9, minimum support): without location always there is nothing",
            passive(phone("18.2", "terminated", without=("always",)), here),
            {},
            refused={"beacon": 8, "ble": 7},
            wait=("beacon", 8),
            numbers=(9,),
        ),
        planned(
            "iPhone 17 devices (current regression) (9, minimum support): the beacon alone",
            passive(phone("26", "background", "iphone-17"), here),
            {"beacon": BEACON},
            refused={"ble": 7},
        ),
        planned(
            "iPhone 17 devices (current regression) (9, minimum support): a peer that scans finds them",
            situation(phone("26", "background", "iphone-17"), here, "contact", "recognise"),
            {"ble": 106, "gatt": 2_606, "beacon": BEACON},
            directions={"ble": "they", "gatt": "they"},
        ),
        planned(
            "iPhone 17 devices (current regression) (9, minimum support): nothing is broken in the foreground",
            passive(phone("26", "foreground", "iphone-17"), here),
            {"ble": 106, "beacon": BEACON},
        ),
    ]


def test_scenarios():
    """Section 9: the critical test scenarios."""
    here = phone("18.2", "foreground")
    away = phone("18.2", "background")
    return [
        planned(
            "Both devices in foreground (9, test scenario): immediate discovery",
            passive(here, here),
            {"ble": 106, "beacon": BEACON},
        ),
        planned(
            "Both devices in foreground (9, test scenario): and recognition by either",
            situation(here, here, "contact", "recognise"),
            {"ble": 106, "gatt": 2_606, "beacon": BEACON},
            directions={"ble": "we", "gatt": "we"},
        ),
        planned(
            "One device backgrounded (9, test scenario): we are",
            passive(away, here),
            {"beacon": BEACON, "ble": 50_000},
        ),
        planned(
            "One device backgrounded (9, test scenario): the other one is, and shows no beacon there",
            passive(here, away),
            {"ble": 106},
            refused={"beacon": 10},
        ),
        planned(
            "Both devices backgrounded (9, test scenario): contradicted (beacon-away), neither shows a beacon",
            passive(away, away),
            {"ble": 50_000},
            refused={"beacon": 10},
        ),
        planned(
            "Backgrounded + screen locked (9, test scenario): the beacon as before; scans are later, which the row leaves out",
            passive(phone("17.6", "locked"), here),
            {"beacon": BEACON, "ble": 600_000},
        ),
        planned(
            "App terminated by system (9, test scenario): started again for the region; Bluetooth is not counted on",
            passive(phone("17.6", "terminated"), here),
            {"beacon": BEACON},
            refused={"ble": 7},
        ),
        planned(
            "App force-quit by user (9, test scenario): nothing, also contradicted (regions-after-force-quit)",
            passive(phone("17.6", "force-quit"), here),
            {},
            refused={"beacon": 7, "ble": 7, "network": 7},
            wait=("beacon", 7),
            numbers=(9,),
        ),
        planned(
            "App force-quit by user (9, test scenario): the peer's is, and neither side can begin",
            situation(here, phone("17.6", "force-quit"), "contact", "recognise"),
            {},
            refused={"beacon": 10, "ble": 10, "gatt": 10},
            wait=("beacon", 10),
            numbers=(9,),
        ),
        planned(
            "Low battery mode (9, test scenario): everything is later",
            passive(phone("18.2", "background", low_power=True), here),
            {"beacon": BEACON_IN_LOW_POWER, "ble": 6_000_000},
        ),
        planned(
            "Low battery mode (9, test scenario): on Android too",
            passive(android("background", low_power=True), here),
            {"ble": 10_527},
            refused={"beacon": 6},
        ),
        planned(
            "iPhone 17 regression (9, test scenario): scans stop, the beacon works",
            passive(phone("18.2", "background", "iphone-17"), android("foreground")),
            {"beacon": BEACON},
            refused={"ble": 7},
        ),
    ]


def decision_matrix():
    """Section 10."""
    here = phone("18.2", "foreground")
    away = phone("18.2", "background")
    return [*discovery(here, away), *transfer(here, away), *degraded(here)]


def discovery(here, away):
    return [
        planned(
            "iOS-to-iOS passive discovery (background): beacon first, then Bluetooth; the peer shows its beacon in the foreground",
            passive(away, here),
            {"beacon": BEACON, "ble": 50_000},
            numbers=(6,),
        ),
        planned(
            "iOS-to-iOS passive discovery (background): both in the background, contradicted (beacon-away)",
            passive(away, away),
            {"ble": 50_000},
            refused={"beacon": 10},
        ),
        planned(
            "iOS-to-iOS passive discovery (background): the peer's platform is unknown",
            passive(away, None),
            {"ble": 50_000},
            refused={"beacon": 10, "network": 7},
            numbers=(10,),
        ),
        planned(
            "iOS-to-iOS passive discovery (background): the example of the page",
            passive(
                phone("18.1", "background", without=("local-network",)),
                phone("17.4", "foreground", without=("local-network",)),
            ),
            {"beacon": BEACON, "ble": 600_000},
            refused={"multipeer": 1, "gatt": 3},
            numbers=(6,),
            flags=("known-answer",),
        ),
        planned(
            "iOS-to-Android passive discovery (background): an app on Android shows a beacon, which wakes us",
            passive(away, android("background")),
            {"beacon": BEACON, "ble": 50_000},
        ),
        planned(
            "iOS-to-Android passive discovery (background): Android cannot see an iPhone in the background",
            passive(android("background"), away),
            {},
            refused={"beacon": 6, "ble": 10, "network": 10},
            wait=("ble", 10),
            numbers=(9,),
        ),
        planned(
            "iOS-to-Android passive discovery (background): Android scans and iOS is in the foreground",
            passive(android("background"), here),
            {"ble": 1_053},
        ),
        planned(
            "iOS-to-Android passive discovery (background): to recognise, either side may scan, and iOS must",
            situation(android("background"), away, "contact", "recognise", heard=True),
            {"ble": 50_000, "gatt": 350_500},
            directions={"ble": "they", "gatt": "they"},
        ),
        planned(
            "iOS-to-Android passive discovery (background): a node on Linux reads the overflow area (overflow-invisible)",
            passive(linux(), away),
            {"ble": 1_053},
            refused={"beacon": 6},
        ),
        planned(
            "Initial contact exchange (foreground, first meeting): a tap or a code",
            situation(here, android("foreground"), "stranger", "first-contact", 300),
            {"exchange": 5_000},
            refused={"gatt": 5, "network": 5, "ble": 3},
            numbers=(6,),
        ),
        planned(
            "Initial contact exchange (foreground, first meeting): with a node on Linux",
            situation(here, linux(), "stranger", "first-contact", 300),
            {"exchange": 5_000},
        ),
        planned(
            "Initial contact exchange (foreground, first meeting): not from the background",
            situation(here, android("locked"), "stranger", "first-contact", 300),
            {},
            refused={"exchange": 10},
            wait=("exchange", 10),
            numbers=(9,),
        ),
        planned(
            "Initial contact exchange (foreground, first meeting): Bluetooth once an invitation is held",
            situation(here, android("foreground"), "invited", "first-contact", 300),
            {"gatt": 2_630},
            refused={"exchange": 4},
        ),
        planned(
            "Initial contact exchange (foreground, first meeting): Bluetooth for subsequent recognition",
            situation(here, android("foreground"), "contact", "recognise", 100),
            {"ble": 106, "gatt": 2_614, "beacon": BEACON},
        ),
        planned(
            "Known contact detected nearby (foreground): scanning, on iOS",
            passive(here, here),
            {"ble": 106, "beacon": BEACON},
            numbers=(6,),
        ),
        planned(
            "Known contact detected nearby (foreground): no location permission is needed",
            passive(phone("18.2", "foreground", without=("always",)), here),
            {"ble": 106},
            refused={"beacon": 8},
        ),
        planned(
            "Known contact detected nearby (foreground): location while in use",
            passive({**here, "met": ["bluetooth", "when-in-use"]}, here),
            {"ble": 106, "beacon": BEACON},
            refused={"network": 8},
        ),
        planned(
            "Known contact detected nearby (foreground): scanning, on Android",
            passive(android("foreground"), android("foreground")),
            {"ble": 1_053},
            refused={"beacon": 6, "network": 12},
        ),
        planned(
            "Known contact detected nearby (foreground): scanning, on Linux",
            passive(linux(), linux("legacy")),
            {"ble": 1_053},
            refused={"beacon": 6, "network": 12},
        ),
        planned(
            "Known contact detected nearby (foreground): a node on Linux that only shows a beacon",
            passive(here, linux("beacon-only")),
            {"beacon": BEACON},
            refused={"ble": 9},
        ),
        planned(
            "Known contact detected nearby (foreground): nodes on Linux show a beacon too, with one set",
            passive(away, linux("legacy")),
            {"beacon": BEACON, "ble": 50_000},
        ),
        planned(
            "Known contact detected nearby (foreground): nodes on Linux show a beacon too, with several sets",
            passive(away, linux()),
            {"beacon": BEACON, "ble": 50_000},
        ),
        planned(
            "Known contact detected nearby (background, iOS): the beacon starts the app again; its minor is read in the window (ranging-away)",
            situation(phone("18.2", "terminated"), here, "contact", "recognise"),
            {"beacon": BEACON},
            refused={"ble": 7, "gatt": 7},
            numbers=(6,),
        ),
        planned(
            "Known contact detected nearby (background, iOS): in the background the peer in the foreground is faster",
            situation(away, here, "contact", "recognise"),
            {"ble": 106, "gatt": 2_606, "beacon": BEACON},
            directions={"ble": "they", "gatt": "they", "beacon": "we"},
        ),
        planned(
            "Known contact detected nearby (background, iOS): beacon, then connect, when the peer does not scan",
            situation(away, linux("beacon-only", without=("local-network",)), "contact", "recognise"),
            {"ble": 1_053, "beacon": BEACON},
            refused={"gatt": 9},
            directions={"ble": "they"},
        ),
        planned(
            "Known contact detected nearby (background, iOS): both in the background, contradicted (beacon-away)",
            situation(away, away, "contact", "recognise"),
            {"ble": 50_000, "gatt": 350_500},
            refused={"beacon": 10},
            directions={"ble": "we", "gatt": "we"},
        ),
        planned(
            "Known contact detected nearby (background, iOS): it was heard, and is connected to without a scan",
            situation(away, away, "contact", "recognise", heard=True),
            {"ble": 50_000, "gatt": 300_500},
        ),
    ]


def transfer(here, away):
    new = phone("26", "foreground", "iphone-12")
    return [
        planned(
            "Bulk data sync after contact detected: the direct link between iPhones",
            confirmed(here, here, "bulk", 50 * MEGABYTE, heard=True),
            {"awdl": 12_000, "gatt": 4_002_500},
            refused={"aware-bulk": 6, "wifi-direct": 6, "network": 12},
            numbers=(4, 5, 6),
        ),
        planned(
            "Bulk data sync after contact detected: Wi-Fi Aware with iOS 26, when they are paired",
            confirmed(new, new, "bulk", 50 * MEGABYTE, heard=True, paired=True),
            {"aware-bulk": 9_250, "awdl": 12_000, "gatt": 4_002_500},
            numbers=(5, 6),
        ),
        planned(
            "Bulk data sync after contact detected: Wi-Fi Aware with an iPhone 17 and a Galaxy S25",
            confirmed(
                phone("26", "foreground", "iphone-17"),
                android("foreground", "aware"),
                "bulk",
                50 * MEGABYTE,
                heard=True,
                paired=True,
            ),
            {"aware-bulk": 9_250, "gatt": 4_002_500},
            numbers=(5,),
        ),
        planned(
            "Bulk data sync after contact detected: with a node on Linux that has Wi-Fi Aware",
            confirmed(new, linux("aware"), "bulk", 50 * MEGABYTE, heard=True, paired=True),
            {"aware-bulk": 9_250, "gatt": 4_002_500},
            numbers=(5,),
        ),
        planned(
            "Bulk data sync after contact detected: not paired for Wi-Fi Aware",
            confirmed(new, new, "bulk", 50 * MEGABYTE, heard=True),
            {"awdl": 12_000, "gatt": 4_002_500},
            refused={"aware-bulk": 13},
        ),
        planned(
            "Bulk data sync after contact detected: iPhone 12 with a version before Wi-Fi Aware",
            confirmed(phone("18.2", "foreground", "iphone-12"), new, "bulk", 50 * MEGABYTE, heard=True, paired=True),
            {"awdl": 12_000, "gatt": 4_002_500},
            refused={"aware-bulk": 6},
            numbers=(5,),
        ),
        planned(
            "Bulk data sync after contact detected: iOS 26 on hardware before iPhone 12, and Android without pairing 4.0",
            confirmed(phone("26", "foreground"), android("foreground"), "bulk", MEGABYTE, heard=True, paired=True),
            {"gatt": 82_500},
            refused={"aware-bulk": 6, "awdl": 9, "wifi-direct": 6},
            numbers=(5,),
        ),
        planned(
            "Bulk data sync after contact detected: Wi-Fi Direct between devices with Android",
            confirmed(android("foreground"), android("foreground"), "bulk", 50 * MEGABYTE, heard=True),
            {"wifi-direct": 11_250, "gatt": 4_002_500},
            refused={"awdl": 6, "aware-bulk": 6},
        ),
        planned(
            "Bulk data sync after contact detected: Wi-Fi Direct across platforms, which iPhones do not have",
            confirmed(android("foreground"), here, "bulk", 50 * MEGABYTE, heard=True),
            {"gatt": 4_002_500},
            refused={"wifi-direct": 9, "awdl": 6},
        ),
        planned(
            "Bulk data sync after contact detected: no new connections in the background",
            confirmed(away, here, "bulk", MEGABYTE, heard=True),
            {"gatt": 82_606},
            refused={"awdl": 7, "network": 7},
            directions={"gatt": "they"},
        ),
        planned(
            "Bulk data sync after contact detected: the session is kept in the background",
            confirmed(away, here, "bulk", MEGABYTE, linked=["awdl", "network"]),
            {"network": 1_000, "awdl": 200, "gatt": 82_606},
        ),
        planned(
            "Bulk data sync after contact detected: an open connection over Wi-Fi Aware, and one over Wi-Fi Direct",
            confirmed(
                android("background", "aware"),
                android("locked", "aware"),
                "bulk",
                MEGABYTE,
                linked=["aware-bulk", "wifi-direct"],
            ),
            {"aware-bulk": 125, "wifi-direct": 125, "gatt": 83_553},
        ),
        planned(
            "Bulk data sync after contact detected: on one network with Linux",
            confirmed(here, linux(), "bulk", 50 * MEGABYTE, heard=True, sameNetwork=True),
            {"network": 50_300, "gatt": 4_002_500},
        ),
        planned(
            "Message sync with known contact in range: notifications over an open connection",
            confirmed(away, away, "message", 200, linked=["gatt"]),
            {"gatt": 16},
            refused={"network": 7, "awdl": 7, "ble": 3, "beacon": 3},
        ),
        planned(
            "Message sync with known contact in range: and with Android",
            confirmed(phone("15.1", "suspended"), android("locked"), "message", 200, linked=["gatt"]),
            {"gatt": 16},
        ),
        planned(
            "Message sync with known contact in range: the peripheral's background mode will do",
            confirmed(
                phone("18.2", "background", without=("central",)),
                linux(),
                "message",
                200,
                linked=["gatt"],
            ),
            {"gatt": 16},
        ),
        planned(
            "Message sync with known contact in range: without a background mode the connection is lost",
            confirmed(
                phone("18.2", "background", without=("central", "peripheral")), here, "message", 1, linked=["gatt"]
            ),
            {},
            refused={"gatt": 8},
            wait=("gatt", 8),
            numbers=(9,),
        ),
        planned(
            "Message sync with known contact in range: the app was terminated",
            confirmed(here, phone("18.2", "terminated"), "message", 1, linked=["gatt"]),
            {},
            refused={"gatt": 10},
            wait=("gatt", 10),
            numbers=(9,),
        ),
        planned(
            "Message sync with known contact in range: low latency over Wi-Fi Aware",
            confirmed(new, new, "message", MEGABYTE, paired=True),
            {"aware-realtime": 1_750, "awdl": 2_200, "gatt": 82_606},
            refused={"aware-bulk": 3},
            numbers=(5,),
        ),
    ]


def degraded(here):
    def early(version, state="background"):
        own = phone(version, state, without=("always",))
        return planned(
            f"iOS 17.x and earlier — general background: iOS {version}, reasonably reliable without location",
            passive(own, here),
            {"ble": 50_000},
            refused={"beacon": 8},
            lasts={"ble": None},
            numbers=(6,),
        )

    low = phone("18.2", "background", low_power=True)
    return [
        early("17.6"),
        early("17.7"),
        early("16.7"),
        early("15"),
        early("13.5.1"),
        early("10.0"),
        planned(
            "iOS 17.x and earlier — general background: the early versions of 17, where reports fail and stop",
            passive(phone("17.0", "background", without=("always",)), here),
            {"ble": 600_000},
            lasts={"ble": 600_000},
        ),
        planned(
            "iOS 17.x and earlier — general background: a beacon adds reliability",
            passive(phone("17.6", "background"), here),
            {"beacon": BEACON, "ble": 50_000},
        ),
        planned(
            "iPhone 17 device (2026 regression): beacon only",
            passive(phone("18.1", "background", "iphone-17"), here),
            {"beacon": BEACON},
            refused={"ble": 7},
            numbers=(6,),
        ),
        planned(
            "iPhone 17 device (2026 regression): locked and suspended as well",
            passive(phone("26", "suspended", "iphone-17"), here),
            {"beacon": BEACON},
            refused={"ble": 7},
        ),
        planned(
            "iPhone 17 device (2026 regression): two of them in the background, contradicted (beacon-away)",
            passive(phone("26", "background", "iphone-17"), phone("26", "background", "iphone-17")),
            {},
            refused={"beacon": 10, "ble": 7},
            wait=("beacon", 10),
            numbers=(9,),
        ),
        planned(
            "Low battery / power saving mode: the beacon is affected less than scans",
            passive(low, here),
            {"beacon": BEACON_IN_LOW_POWER, "ble": 6_000_000},
            numbers=(6,),
        ),
        planned(
            "Low battery / power saving mode: it is the peer's, and only its scans are later",
            situation(here, low, "contact", "recognise"),
            {"ble": 106, "gatt": 2_606},
            directions={"ble": "we", "gatt": "we"},
        ),
        planned(
            "Low battery / power saving mode: an app in the foreground is not slowed down",
            passive(phone("18.2", "foreground", low_power=True), here),
            {"ble": 106, "beacon": BEACON},
        ),
    ]
