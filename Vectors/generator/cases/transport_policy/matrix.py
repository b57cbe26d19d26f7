"""Plans for the rows of the tables of the iOS BLE Deep Dive. Each comment begins with the name of its row.

Where a fact contradicts a row, the pessimistic outcome is expected (Specs/platforms.md, Contradictions).
"""

from .comparisons import comparison, minimum, test_scenarios, tradeoff, versions
from .decisions import decision_matrix

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


def every_row():
    """The cases of all tables; throws AssertionError if a row has none."""
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
