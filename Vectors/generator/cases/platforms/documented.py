"""Profiles for each row of the documents."""

from ...tools.family import Case
from ...tools.operations import answer
from .apps import android, app, linux, phone

AWAY_STATES = ("background", "locked", "suspended")
BY_NODES = "a node on Linux"
DUTY_CYCLE = "iOS BLE Deep Dive 1, duty cycle"
ON_ANDROID = "iOS BLE Deep Dive 1, iOS and Android"
RECONNECTION = "How to Handle BLE Reconnection After iOS Background Termination, background execution"


def build(comment, own, subject, flags=(), **expected):
    args = {"app": own, "subject": subject}
    result = answer("platform-profile", args)["result"]
    count = len(result["facts"])
    numbers = {1} if count > 1 else {2} if count == 0 else set()
    numbers |= {"older": {3}, "none": {4}}.get(result["coverage"], set()) | {5}
    requirements = tuple(f"INK-PLT-{number:03}" for number in sorted(numbers))
    return Case(comment, args, flags, requirements, result=expected or None)


def of_states(comment, make, states, subject, value):
    return [build(f"{comment}: {subject} {state}", make(state), subject, value=value) for state in states]


def documented_cases():
    """A case for each row of the documents: our wording, their values."""
    return [
        *version_rows(),
        *scan_rows(),
        *away_rows(),
        *region_rows(),
        *network_rows(),
        *android_rows(),
        *linux_rows(),
    ]


def version_rows():
    """Section 2 of the iOS BLE Deep Dive: scan results, advertising, time before callbacks stop, notes."""
    rows = (
        ("iOS 15.x", "15.8", "2000-5000 ms", "yes", "yes"),
        ("iOS 16.x", "16.2", "2000-5000 ms", "yes", "yes"),
        ("iOS 17.0–17.2", "17.1", "2000-60000 ms", "600000-600000 ms", "yes"),
        ("iOS 17.3–17.6", "17.4", "2000-5000 ms", "yes", "yes"),
        ("iOS 18.0–18.0.1", "18.0.1", "30000-60000 ms", "300000-300000 ms", "no"),
        ("iOS 18.1", "18.1", "5000-60000 ms", "600000-600000 ms", "yes"),
        ("iOS 18.2", "18.2", "2000-5000 ms", "yes", "yes"),
        ("iOS 19 (2026, projected) (it was named iOS 26)", "26", "2000-5000 ms", "yes", "yes"),
        ("iOS 19 (2026, projected) (a version that never was)", "19", "2000-5000 ms", "yes", "yes"),
    )
    cases = []
    for row, version, scan, callbacks, restart in rows:
        own = phone(version, "background")
        cases += [
            build(f"{row}: background scan results", own, "scan", value=scan),
            build(f"{row}: background advertising", own, "advertise", value="overflow"),
            build(f"{row}: time before callbacks stop", own, "callbacks", value=callbacks),
            build(
                f"{row}: advertising after the system terminated the app",
                phone(version, "terminated"),
                "restart-advertising",
                value=restart,
            ),
        ]
    regression = "The iPhone 17 Device Regression (2026)"
    return [
        *cases,
        build(
            "iOS 15.x: the gap when the app leaves the foreground",
            phone("15.8", "background"),
            "gap",
            value="1000-2000 ms",
        ),
        build(
            "iOS 15.x: before it, no limit of callbacks either", phone("13.0", "background"), "callbacks", value="yes"
        ),
        build(f"{regression}: iOS 18.x", phone("18.2", "background", "iphone-17"), "scan", value="no"),
        build(
            f"{regression}: iPhone 16, the same version",
            phone("18.2", "background", "iphone-12"),
            "scan",
            value="2000-5000 ms",
        ),
        *of_states(regression, lambda state: phone("26", state, "iphone-17"), AWAY_STATES, "scan", "no"),
        build(f"{regression}: in the foreground", phone("26", "foreground", "iphone-17"), "scan", value="30-100 ms"),
        build(
            f"{regression}: monitoring is unaffected",
            phone("26", "background", "iphone-17"),
            "enter",
            value="5000-30000 ms",
        ),
    ]


def scan_rows():
    locked = "iOS BLE Deep Dive 1, duty cycle (screen locked)"
    return [
        build(f"{DUTY_CYCLE}: foreground", phone("18.0", "foreground"), "scan", value="30-100 ms"),
        build(f"{DUTY_CYCLE}: background", phone("10.3", "background"), "scan", value="300-5000 ms"),
        build(f"{DUTY_CYCLE}: background", phone("14.8", "background"), "scan", value="300-5000 ms"),
        build(
            f"{DUTY_CYCLE}: low power mode",
            phone("18.1", "background", low_power=True),
            "scan",
            value="20000-600000 ms",
        ),
        build(
            f"{DUTY_CYCLE}: low power mode in the foreground",
            phone("18.1", "foreground", low_power=True),
            "scan",
            value="30-100 ms",
        ),
        build(f"{locked}: the worse of two facts", phone("18.2", "locked"), "scan", value="5000-60000 ms"),
        build(
            f"{locked}: with equal ends the worse beginning", phone("18.0", "locked"), "scan", value="30000-60000 ms"
        ),
        build("iOS BLE Deep Dive 6, scan delivery gaps", phone("18.2", "suspended"), "scan", value="60000-180000 ms"),
        build(
            "iOS BLE Deep Dive 1, without the background mode central: no reports",
            phone("18.2", "background", without=("central",)),
            "scan",
            value="no",
        ),
        build(
            "iOS BLE Deep Dive 2, reference table: in the foreground reports go on",
            phone("18.0", "foreground"),
            "callbacks",
            value="yes",
        ),
        *of_states(
            "iOS BLE Deep Dive 1, central in background: one by one",
            lambda state: phone("18.2", state),
            ("foreground", "background", "locked"),
            "prompt",
            "yes",
        ),
        build(
            "iOS BLE Deep Dive 1, central in background: in a burst on waking",
            phone("18.2", "suspended"),
            "prompt",
            value="no",
        ),
        build(f"{RECONNECTION}: an advertiser again and again", phone("18.2", "foreground"), "duplicates", value="yes"),
        *of_states(
            f"{RECONNECTION}: duplicates are joined",
            lambda state: phone("18.2", state),
            AWAY_STATES,
            "duplicates",
            "no",
        ),
        *of_states(
            "iOS BLE Deep Dive 1, overflow area: iPhones read it",
            lambda state: phone("18.2", state),
            ("foreground", *AWAY_STATES),
            "overflow",
            "yes",
        ),
    ]


def away_rows():
    peripheral = "iOS BLE Deep Dive 1, peripheral in background"
    modes = "iOS BLE Deep Dive 3, background modes"
    return [
        build(f"{peripheral}: in the foreground all is shown", phone("18.2", "foreground"), "advertise", value="yes"),
        *of_states(
            f"{peripheral}: the service is in the overflow area",
            lambda state: phone("16", state),
            AWAY_STATES,
            "advertise",
            "overflow",
        ),
        build(
            f"{peripheral}: without the background mode it stops",
            phone("18.2", "background", without=("peripheral",)),
            "advertise",
            value="no",
        ),
        build("platform documentation: a beacon in the foreground", phone("18.2", "foreground"), "beacon", value="yes"),
        *of_states(
            "beacon-away: no beacon in the background", lambda state: phone("18.2", state), AWAY_STATES, "beacon", "no"
        ),
        build(f"{modes}: connections in the foreground", phone("18.2", "foreground"), "links", value="yes"),
        build(f"{modes}: central alone", phone("18.2", "background", without=("peripheral",)), "links", value="yes"),
        build(f"{modes}: peripheral alone", phone("18.2", "background", without=("central",)), "links", value="yes"),
        build(f"{modes}: neither", phone("18.2", "background", without=("central", "peripheral")), "links", value="no"),
        *of_states(
            f"{RECONNECTION}: connections end with the app",
            lambda state: phone("18.2", state),
            ("terminated", "force-quit", "before-unlock"),
            "links",
            "no",
        ),
        build(
            "Why Most Biometric Wearable Apps Fail at Background BLE on iOS, reconnection: in the foreground",
            phone("18.2", "foreground"),
            "connect",
            value="200-2000 ms",
        ),
        *of_states(
            "Why Most Biometric Wearable Apps Fail at Background BLE on iOS, reconnection",
            lambda state: phone("18.2", state),
            AWAY_STATES,
            "connect",
            "30000-300000 ms",
        ),
        build("TN3115, app removed from memory: started again", phone("18.2", "terminated"), "relaunch", value="yes"),
        build(
            "TN3115, app force quit: not started again (restoration-after-force-quit)",
            phone("18.2", "force-quit"),
            "relaunch",
            value="no",
        ),
        build("TN3115, note 4: not before the first unlock", phone("18.2", "before-unlock"), "relaunch", value="no"),
        build("TN3115, actively advertising: goes on", phone("17.6", "terminated"), "restart-advertising", value="yes"),
    ]


def region_rows():
    latency = "iOS BLE Deep Dive 5, latency"
    states = (*AWAY_STATES, "terminated")
    return [
        build(f"{latency}: entry, location while in use", in_use("foreground"), "enter", value="5000-30000 ms"),
        build(f"{latency}: entry away needs location always", in_use("background"), "enter", value="no"),
        *of_states(f"{latency}: entry", lambda state: phone("18.2", state), states, "enter", "5000-30000 ms"),
        build(f"{latency}: exit, location while in use", in_use("foreground"), "exit", value="20000-60000 ms"),
        *of_states(f"{latency}: exit", lambda state: phone("18.2", state), states, "exit", "20000-60000 ms"),
        build(
            "Low battery mode: the entry is reported later (regions-in-low-power)",
            phone("18.2", "terminated", low_power=True),
            "enter",
            value="5000-60000 ms",
        ),
        build(
            "Low battery mode: the exit is reported later (regions-in-low-power)",
            phone("18.2", "background", low_power=True),
            "exit",
            value="20000-120000 ms",
        ),
        build(
            "App force-quit by user: no entry (regions-after-force-quit)",
            phone("18.2", "force-quit"),
            "enter",
            value="no",
        ),
        build(
            "App force-quit by user: not started again for regions",
            phone("18.2", "force-quit"),
            "region-relaunch",
            value="no",
        ),
        build("TN3115, note 4: no entry before the first unlock", phone("18.2", "before-unlock"), "enter", value="no"),
        build("iOS BLE Deep Dive 5, app relaunch", phone("18.2", "terminated"), "region-relaunch", value="yes"),
        build(
            "iOS BLE Deep Dive 5, monitoring and ranging: in the foreground",
            phone("18.2", "foreground"),
            "ranging",
            value="yes",
        ),
        *of_states(
            "ranging-away: in the execution window", lambda state: phone("18.2", state), states, "ranging", "window"
        ),
    ]


def in_use(state):
    return app("ios", "18.2", state, met=("bluetooth", "central", "peripheral", "when-in-use"))


def network_rows():
    section = "iOS BLE Deep Dive 8, background behaviour"
    stability = "iOS BLE Deep Dive 7, stability regression"
    aware = "iOS BLE Deep Dive, updates, Wi-Fi Aware"
    away = (*AWAY_STATES, "terminated")
    before = ("10.0", "14.0", "15.0", "16.0", "17.0", "17.3", "18.0", "18.1", "18.2")
    return [
        build(f"{section}: services are found in the foreground", phone("18.2", "foreground"), "find", value="yes"),
        *of_states(f"{section}: no new connections", lambda state: phone("18.2", state), away, "find", "no"),
        build(f"{section}: connections in the foreground", phone("18.2", "foreground"), "network-links", value="yes"),
        *of_states(
            f"{section}: connections stay",
            lambda state: phone("18.2", state),
            ("background", "locked"),
            "network-links",
            "yes",
        ),
        build(f"{section}: and not when it is suspended", phone("18.2", "suspended"), "network-links", value="no"),
        build("iOS BLE Deep Dive 8, overview: the direct link", phone("18.2", "foreground"), "awdl", value="yes"),
        build(f"{aware}: iPhone 12 and later", phone("26", "foreground", "iphone-12"), "aware", value="yes"),
        build(f"{aware}: iPhone 17 is later", phone("26", "foreground", "iphone-17"), "aware", value="yes"),
        build(f"{aware}: not with older hardware", phone("26", "foreground"), "aware", value="no"),
        *[
            build(f"{aware}: not with iOS {version}", phone(version, "foreground", "iphone-12"), "aware", value="no")
            for version in before
        ],
        build(f"{stability}: 5 to 10 m with iOS 17", phone("17.6", "foreground"), "multipeer", value="5 m"),
        build(
            f"{stability}: about 2 m, or 1 to 2 m, with iOS 18 (multipeer-range)",
            phone("18.0", "foreground"),
            "multipeer",
            value="1 m",
        ),
        build(f"{stability}: no better since", phone("26", "foreground"), "multipeer", value="1 m"),
        *of_states(
            "iOS BLE Deep Dive 8, comparison: Bluetooth reaches 10 to 100 m",
            lambda state: phone("18.2", state),
            ("foreground", *AWAY_STATES),
            "bluetooth-range",
            "10 m",
        ),
        build(
            "iOS BLE Deep Dive 8, comparison: the direct link reaches 10 to 100 m",
            phone("18.2", "foreground"),
            "awdl-range",
            value="10 m",
        ),
        build(
            "iOS BLE Deep Dive 9, minimum support: a code or a tap",
            phone("18.2", "foreground"),
            "exchange",
            value="yes",
        ),
        build(
            "iOS BLE Deep Dive 9, minimum support: it needs nothing else",
            app("ios", "18.2", "foreground"),
            "exchange",
            value="yes",
        ),
    ]


def android_rows():
    states = ("foreground", "background", "locked")
    cases = []
    for subject, value in (
        ("scan", "100-1000 ms"),
        ("duplicates", "yes"),
        ("prompt", "yes"),
        ("callbacks", "yes"),
        ("advertise", "yes"),
        ("links", "yes"),
        ("connect", "200-2000 ms"),
    ):
        cases += of_states(f"{ON_ANDROID}: a foreground service is not restricted", android, states, subject, value)
    aware = "iOS BLE Deep Dive, updates, Wi-Fi Aware"
    return [
        *cases,
        *of_states("overflow-invisible: Android is not counted on", android, states, "overflow", "no"),
        *of_states("beacons-of-others: Android shows a beacon", android, states, "beacon", "yes"),
        *of_states("iOS BLE Deep Dive 8, cross-platform", android, states, "find", "yes"),
        *of_states("iOS BLE Deep Dive 8, cross-platform", android, states, "network-links", "yes"),
        build("Low battery mode: Android", android("background", low_power=True), "scan", value="1000-10000 ms"),
        build("Bulk data sync after contact detected: Wi-Fi Direct", android("foreground"), "direct", value="yes"),
        build(
            "Bulk data sync after contact detected: Wi-Fi Direct, iOS", phone("26", "foreground"), "direct", value="no"
        ),
        build(f"{aware}: Galaxy S25", android("foreground", "aware"), "aware", value="yes"),
        build(f"{aware}: Pixel 9, Xiaomi 14", android("foreground"), "aware", value="no"),
        build(
            "iOS BLE Deep Dive 9, minimum support: a code or a tap, Android",
            android("foreground"),
            "exchange",
            value="yes",
        ),
    ]


def linux_rows():
    return [
        build(f"{BY_NODES} scans", linux(), "scan", value="30-1000 ms"),
        build(f"{BY_NODES} hears an advertiser again and again", linux(), "duplicates", value="yes"),
        build(f"{BY_NODES} hears one by one", linux(), "prompt", value="yes"),
        build(f"{BY_NODES} goes on hearing", linux(), "callbacks", value="yes"),
        build(f"{BY_NODES} reads the overflow area (overflow-invisible)", linux(), "overflow", value="yes"),
        build(f"{BY_NODES} advertises", linux(), "advertise", value="yes"),
        build(f"{BY_NODES} with one set advertises", linux("legacy"), "advertise", value="yes"),
        build(f"{BY_NODES} that only shows a beacon does not", linux("beacon-only"), "advertise", value="no"),
        build(f"{BY_NODES} shows a beacon", linux(), "beacon", value="yes"),
        build(f"{BY_NODES} with one set shows a beacon", linux("legacy"), "beacon", value="yes"),
        build(f"{BY_NODES} that only shows a beacon", linux("beacon-only"), "beacon", value="yes"),
        build(f"{BY_NODES} keeps connections", linux(), "links", value="yes"),
        build(f"{BY_NODES} with one set keeps connections", linux("legacy"), "links", value="yes"),
        build(f"{BY_NODES} connects", linux(), "connect", value="200-2000 ms"),
        build(f"{BY_NODES} with one set connects", linux("legacy"), "connect", value="200-2000 ms"),
        build(f"{BY_NODES} finds services", linux(), "find", value="yes"),
        build(f"{BY_NODES} keeps network connections", linux(), "network-links", value="yes"),
        build("platform documentation: a driver that reports NAN", linux("aware"), "aware", value="yes"),
        build("platform documentation: a driver that does not", linux(), "aware", value="no"),
        build(f"{BY_NODES} shows a code in a terminal", linux(), "exchange", value="yes"),
        build(f"{BY_NODES} is not told of regions", linux(), "enter", value="no"),
    ]
