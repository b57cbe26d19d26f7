"""Plans for the tables of sections 2, 7, 8 and 9 of the iOS BLE Deep Dive."""

from ..platforms.apps import android, linux, phone
from .plans import BEACON, BEACON_IN_LOW_POWER, MEGABYTE, confirmed, passive, planned, situation


def versions():
    """Section 2: what an app hears in the background in each version; the peer is on Android."""

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
        """In the background the service is in the overflow area, which an iPhone reads and Android does not."""
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
            # We need minutes to connect to the peer; it finds us and connects within seconds.
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
            "Initial contact detection (8, comparison): Bluetooth, also after a beacon, and not the direct link",
            situation(here, here, "contact", "recognise"),
            {"gatt": 2_606, "beacon": BEACON + 2_606},
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
            {"network": 301, "gatt": 2_516, "beacon": BEACON + 301},
        ),
    ]


def minimum():
    """Section 9: minimum support."""
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
            {"exchange": 7_606},
            nexts={"exchange": ("gatt", "we")},
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
            {"gatt": 2_606, "beacon": BEACON + 2_606},
            directions={"gatt": "they"},
            nexts={"beacon": ("gatt", "they")},
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
            {"gatt": 2_606, "beacon": BEACON + 2_606},
            directions={"gatt": "we"},
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
            refused={"beacon": 10, "ble": 3, "gatt": 10},
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
