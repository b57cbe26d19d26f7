"""Plans for the decision matrix of section 10 of the iOS BLE Deep Dive."""

from ..platforms.apps import android, linux, phone
from .plans import BEACON, BEACON_IN_LOW_POWER, MEGABYTE, confirmed, passive, planned, situation


def decision_matrix():
    """The rows of the matrix, in three parts."""
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
            {"gatt": 350_500},
            refused={"ble": 3},
            directions={"gatt": "they"},
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
            {"exchange": 7_606},
            refused={"gatt": 5, "network": 5, "ble": 3},
            numbers=(15,),
            nexts={"exchange": ("gatt", "we")},
        ),
        planned(
            "Initial contact exchange (foreground, first meeting): with a node on Linux",
            situation(here, linux(), "stranger", "first-contact", 300),
            {"exchange": 7_606},
            numbers=(15,),
            nexts={"exchange": ("gatt", "we")},
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
            {"gatt": 2_614, "beacon": BEACON + 2_614},
            numbers=(15,),
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
            {"beacon": BEACON + 2_606},
            refused={"ble": 3, "gatt": 7},
            numbers=(15,),
            nexts={"beacon": ("gatt", "they")},
        ),
        planned(
            "Known contact detected nearby (background, iOS): in the background the peer in the foreground is faster",
            situation(away, here, "contact", "recognise"),
            {"gatt": 2_606, "beacon": BEACON + 2_606},
            directions={"gatt": "they", "beacon": "we"},
        ),
        planned(
            "Known contact detected nearby (background, iOS): a beacon that no handshake can follow is not used",
            situation(away, linux("beacon-only", without=("local-network",)), "contact", "recognise"),
            {},
            refused={"beacon": 9, "gatt": 9, "network": 7},
            wait=("beacon", 9),
            numbers=(9, 15),
        ),
        planned(
            "Known contact detected nearby (foreground): a beacon, then the network, when the peer does not advertise",
            situation(here, linux("beacon-only"), "contact", "recognise", sameNetwork=True),
            {"network": 2_300, "beacon": BEACON + 2_300},
            refused={"gatt": 9},
            numbers=(15,),
            nexts={"beacon": ("network", "both")},
        ),
        planned(
            "Known contact detected nearby (background, iOS): both in the background, contradicted (beacon-away)",
            situation(away, away, "contact", "recognise"),
            {"gatt": 350_500},
            refused={"beacon": 10},
            directions={"gatt": "we"},
        ),
        planned(
            "Known contact detected nearby (background, iOS): it was heard, and is connected to without a scan",
            situation(away, away, "contact", "recognise", heard=True),
            {"gatt": 300_500},
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
            {"gatt": 2_606},
            directions={"gatt": "we"},
        ),
        planned(
            "Low battery / power saving mode: an app in the foreground is not slowed down",
            passive(phone("18.2", "foreground", low_power=True), here),
            {"ble": 106, "beacon": BEACON},
        ),
    ]
