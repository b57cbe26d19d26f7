"""Two real nodes that meet: what they are told to do in the guest, what they left, and the checks of what was on the air."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import capture
import judge
from people import NAMES
from rig import expect, expect_kinds, told

PRESENT = ("candidate", "probable", "confirmed")
KINDS = {"beacon": "non-resolvable", "links": "resolvable"}


@dataclass(frozen=True)
class Seen:
    """What a run left: the capture, the events and the notes of both nodes, and what was expected."""

    shown: list
    requests: list
    heard: list
    until: float
    expected: dict
    events: dict
    notes: dict
    errors: dict

    @property
    def epochs(self):
        """The epochs that the nodes saw from begin to end."""
        begins = [min((one.time for one in self.of(adapter)), default=None) for adapter in self.expected]
        return range(0) if None in begins else range(int(max(begins)) // judge.EPOCH + 1, int(self.until) // judge.EPOCH)

    def faults(self, least):
        return judge.node_faults(self.shown, self.requests, self.expected, self.until, least, self.epochs)

    def of(self, adapter):
        """The beacons of an adapter."""
        return [one for one in self.shown if one.adapter == adapter and not judge.is_service(one.data)]


def job(mode, script, before=":", within=""):
    """Returns what the guest does: it starts both nodes, carries out the script, and ends them. `before` is done first, and `within` are
    the words before the command that starts the node $1."""
    names = " ".join(NAMES)
    return (f"set -e\nnode prepare {names}\n{before}\n"
            f"start() {{ {within} node start $1 --bluetooth {mode} --adapter $2; }}\n"
            f"note() {{ for name in {names}; do node note $name || true; done; }}\n"
            f"start ada hci0; start bob hci1\n{script}\n"
            f"for name in {names}; do node stop $name; done\n")


def expectation(people, mode, hours):
    """Returns what each node should show for so many hours, as its contact predicts it."""
    return {adapter: judge.Expected(people.minors(one, hours), KINDS[mode], mode == "links") for adapter, one in enumerate(NAMES)}


def read(folder, path, expected):
    found = capture.records(path.read_bytes())
    return Seen(capture.advertisements(found), capture.requests(found), capture.reports(found), found[-1].time, expected,
                {name: [json.loads(line) for line in text(folder, f"{name}.events.log").splitlines()] for name in NAMES},
                {name: notes(text(folder, f"{name}.status.log")) for name in NAMES},
                {name: text(folder, f"{name}.errors.log") for name in NAMES})


def text(folder, name):
    path = Path(folder, name)
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def notes(said):
    """Returns each note: the Unix time, the status, and the contacts."""
    found = []
    for line in said.splitlines():
        if line.isdigit():
            found.append((int(line), []))
        elif line.startswith("{") and found:
            found[-1][1].append(json.loads(line))
    return found


# Checks

def epoch_of(event):
    return event["unixMilliseconds"] // 1000 // judge.EPOCH


def recognised(seen, name):
    """Returns the epochs in which a node recognised the other one.

    A controller of btvirt hands over a frame when a set or a scan is enabled, and not again, so that the presence ends soon after.
    """
    return {epoch_of(event) for event in seen.events[name] if event["event"] == "presence" and event["presence"] in PRESENT}


def judge_air(name, seen, epochs, least):
    """Judges what both nodes sent, and what they heard. `epochs` is how many they saw from begin to end, and `least` the part of
    each for which they were on the air."""
    found = seen.faults(least)
    identifiers = {(one.adapter, judge.minor_of(one.data)) for one in seen.shown if not judge.is_service(one.data)}
    addresses = {one.address for one in seen.shown}
    expect(len(seen.epochs) >= epochs and len(identifiers) >= 2 * epochs and not found,
           f"{name}: {len(seen.shown)} advertisements, {len(identifiers)} identifiers, {len(addresses)} addresses, {len(seen.requests)} scans and "
           f"connections, {len(seen.epochs)} whole epochs, {len(found)} faults{told(found)}")
    kinds = {one.address_kind for one in [*seen.shown, *seen.requests]}
    expect(kinds == {next(iter(seen.expected.values())).address_kind}, f"{name}: the addresses are {', '.join(sorted(kinds)) or 'none'}")
    constants, sets = {judge.constant_part(one) for one in seen.shown}, {judge.is_service(one.data) for one in seen.shown}
    wanted = {False, True} if seen.expected[0].has_links else {False}
    expect(len(constants) == len(sets) and sets == wanted,
           f"{name}: what does not rotate is the same for both nodes in all epochs: {len(constants)} values for {len(sets)} sets")
    found = judge.faults(seen.heard)
    expect(seen.heard and not found, f"{name}: {len(seen.heard)} reports were heard, {len(found)} faults{told(found)}")


def plant_faults(name, seen):
    """Plants faults in what was really sent, each of which must be found."""
    ours, known = seen.of(0), {fault.text for fault in seen.faults(0)}
    before, after = (first_of(ours, epoch) for epoch in (*seen.epochs[:2], None, None)[:2])
    if not expect(bool(before and after), f"{name}: planted: two epochs are there to plant faults in"):
        return

    def changed(old, **change):
        # A set that was enabled again under its address is changed as a whole.
        changes = [replace(one, **change) if one is old or ("ended" not in change and one.address == old.address) else one for one in seen.shown]
        return [fault for fault in replace(seen, shown=changes).faults(0) if fault.text not in known]

    expect_kinds(changed(after, address=before.address), ["carried", "mixed"], f"{name}: the earlier address under the next minor")
    expect_kinds(changed(after, data=before.data), ["outside"], f"{name}: the earlier minor under the next address")
    expect_kinds(changed(before, ended=(epoch_at(before) + 1) * judge.EPOCH + 0.2), ["carried", "outside"], f"{name}: a minor that is shown 0.2 s too long")
    expect_kinds(changed(after, address_kind="public"), ["public"], f"{name}: a public address")
    expect_kinds(changed(after, response=after.response + b"\2\x0a\0"), ["differs"], f"{name}: a scan response of one node")
    other = judge.with_minor(after.data, (judge.minor_of(after.data) + 1) % 65536)
    expect_kinds(changed(after, data=other), ["underived"], f"{name}: a minor that is not derived")


def first_of(shown, epoch):
    return next((one for one in shown if epoch_at(one) == epoch), None)


def epoch_at(one):
    return int(one.time) // judge.EPOCH
