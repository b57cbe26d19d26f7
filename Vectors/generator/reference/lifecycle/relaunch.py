"""Specs/lifecycle.md: relaunch by the system."""

from ...tools.fields import Flag, Integer, ListOf, Record, Text
from ...tools.operations import operation

ROWS = {
    # The values for iOS 10, iOS 11 to 14, iOS 15 and later; and the note, which iOS 10 has in the first row only.
    "suspended": ("activated", "activated", "activated", "no-relaunch-needed"),
    "removed": ("relaunched", "relaunched", "relaunched", None),
    "crashed": ("relaunched", "relaunched", "relaunched", None),
    "force-quit": ("no", "no", "no", None),
    "bluetooth-toggled": ("no", "no", "no", "ways-of-toggling"),
    "airplane-mode": ("no", "relaunched", "relaunched", "only-if-bluetooth-stays"),
    "restarted": ("no", "relaunched", "relaunched", "first-unlock"),
}
COLUMNS = ("ios-10", "ios-11", "current")
NEXT = {"relaunched": "restore", "activated": "handle-event", "no": "wait-for-user"}
AWAITED = {
    "match-discovered": ({"scanning"}, "central"),
    "peer-reachable": ({"connecting"}, "central"),
    "connection-changed": ({"connecting", "connected"}, "central"),
    "notified": ({"subscribed"}, "central"),
    "central-subscribed": ({"advertising"}, "peripheral"),
}
DISPUTED = {"central-read", "central-wrote", "central-subscribed"}
NEVER = {"read-answered", "other-advertising", "time-passed"}
REGION = {"region-entered", "region-exited"}
TOGGLES = {"bluetooth-by-settings", "bluetooth-by-control-center", "bluetooth-by-airplane-mode"}
CHANGES = (*sorted(TOGGLES), "airplane-mode", "bluetooth-reset", "restarted", "restarted-locked")
PENDING = ("scanning", "connecting", "connected", "subscribed", "advertising", "monitoring")
EVENTS = tuple(sorted({*AWAITED, *DISPUTED, *NEVER, *REGION}))
DEEP_DIVE, RECONNECTION = "iOS BLE Deep Dive", "How to Handle BLE Reconnection After iOS Background Termination"


class Judge:
    def __init__(self, version):
        self.place = 0 if version < 11 else 1 if version < 15 else 2
        self.column = COLUMNS[self.place]

    def cell(self, row):
        return ROWS[row][self.place]

    def note(self, row):
        return ROWS[row][3] if self.place or row == "suspended" else None

    def source(self, row):
        if self.column == "current":
            return "TN3115", row
        return "QA1962", ("iOS 10, " if self.column == "ios-10" else "iOS 11, ") + row

    def row(self, row):
        outcome = self.cell(row)
        return self.answer(outcome, row, NEXT[outcome], self.source(row), "documented", self.note(row))

    def no(self, rule, next_, source, confidence, note=None):
        return self.answer("no", rule, next_, source, confidence, note)

    def not_pending(self):
        if self.column == "current":
            source = ("TN3115", "if and only if it is waiting")
        else:
            source = ("QA1962", "if and only if it is pending")
        return self.no("not-pending", "request", source, "documented")

    def answer(self, outcome, rule, next_, source, confidence, note=None):
        result = {"outcome": outcome, "rule": rule, "next": next_, "column": self.column}
        result |= {"document": source[0], "place": source[1], "confidence": confidence}
        return result | ({"note": note} if note else {})


def of_bluetooth(judge, fate, changes, modes, identifier, hours, pending, event):
    if fate == "force-quit":
        return judge.row("force-quit")
    if changes & TOGGLES:
        return judge.row("bluetooth-toggled")
    if "bluetooth-reset" in changes:
        return judge.no("bluetooth-reset", "wait-for-user", (RECONNECTION, "Common Mistakes"), "reported")
    restarted = changes & {"restarted", "restarted-locked"}
    if restarted and judge.cell("restarted") == "no":
        return judge.row("restarted")
    if "restarted-locked" in changes:
        source = judge.source("restarted")
        return judge.no("locked", "wait-for-unlock", source, "documented", judge.note("restarted"))
    if "airplane-mode" in changes and judge.cell("airplane-mode") == "no":
        return judge.row("airplane-mode")
    of_list = (DEEP_DIVE, "§4, events that do not trigger a relaunch")
    if event in DISPUTED and not (event == "central-subscribed" and judge.column == "current"):
        return judge.no("event-disputed", "wait-for-event", of_list, "disputed")
    if event in NEVER:
        return judge.no("event-never", "wait-for-event", of_list, "reported")
    awaited, mode = AWAITED[event]
    if mode not in modes:
        return judge.no("mode-missing", "configure", (DEEP_DIVE, "§3"), "reported")
    if not awaited & pending:
        return judge.not_pending()
    if fate == "suspended" and not restarted:
        return judge.row("suspended")
    if not identifier:
        return judge.no("identifier-missing", "configure", (DEEP_DIVE, "§4"), "reported")
    if hours >= 3:
        return judge.no("hours", "wait-for-user", (RECONNECTION, "Common Mistakes"), "disputed")
    if restarted:
        return judge.row("restarted")
    if "airplane-mode" in changes:
        return judge.row("airplane-mode")
    return judge.row("crashed" if fate == "crashed" else "removed")


def of_region(judge, fate, changes, always, pending):
    if not always:
        return judge.no("region-permission", "configure", (DEEP_DIVE, "§5, permissions"), "reported")
    if fate == "force-quit":
        return judge.no("region-force-quit", "wait-for-user", (DEEP_DIVE, "§9, test scenarios"), "disputed")
    if "restarted-locked" in changes:
        return judge.no("region-locked", "wait-for-unlock", judge.source("restarted"), "assumed")
    if "monitoring" not in pending:
        return judge.not_pending()
    source = (DEEP_DIVE, "§5, app relaunch")
    if fate == "suspended" and "restarted" not in changes:
        return judge.answer("activated", "region-suspended", "handle-event", source, "reported")
    return judge.answer("relaunched", "region-wake", "take-region", source, "reported")


@operation(
    "relaunch",
    Record(
        version=Integer(1, 99),
        fate=Text(values=("suspended", "removed", "crashed", "force-quit")),
        changes=ListOf(Text(values=CHANGES), high=64),
        modes=ListOf(Text(values=("central", "peripheral")), high=64),
        identifier=Flag(),
        always=Flag(),
        hours=Integer(0, 100_000),
        pending=ListOf(Text(values=PENDING), high=64),
        event=Text(values=EVENTS),
    ),
    Record(
        optional=("note",),
        outcome=Text(values=("relaunched", "activated", "no")),
        rule=Text(),
        next=Text(),
        column=Text(values=COLUMNS),
        document=Text(),
        place=Text(),
        confidence=Text(values=("assumed", "disputed", "reported", "documented", "measured")),
        note=Text(),
    ),
)
def relaunch(version, fate, changes, modes, identifier, always, hours, pending, event):
    judge = Judge(version)
    if event in REGION:
        return of_region(judge, fate, set(changes), always, set(pending))
    return of_bluetooth(judge, fate, set(changes), modes, identifier, hours, set(pending), event)
