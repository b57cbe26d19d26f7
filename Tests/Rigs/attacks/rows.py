"""What the rows of the table have in common: an attack on a field, figures, and a judge that can fail."""

import math

from field import IN_GUEST, Failed, Field, command, pairs, star

ROWS = []
# Seconds from when two contacts are visible to when both have confirmed: a call that was drawn late, and one lost packet.
LONGEST_WAIT = 2.6


def row(kind):
    """Adds a row to the table, in the order of the files."""
    ROWS.append(kind)
    return kind


def wilson(met, total, z=1.96):
    """The 95 % interval of a share (Wilson)."""
    if not total:
        return 0.0, 1.0
    share = met / total
    centre = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return max(0.0, centre - half), min(1.0, centre + half)


class Row:
    """One attack. Subclasses begin it, and add figures and what must hold for them."""

    name = title = ""
    # The least share of node-epochs with a meeting; the short version must miss none.
    least = 0.99
    # The epochs of the short version, so that it has 12 node-epochs.
    short = 2
    # How much faster the clock runs.
    rate = 36
    # The names of old behaviours; with each of them the row must fail.
    old = ()
    # Changes of the figures that the judge must find.
    broken = ()
    heavy = False
    # What is smaller in the guest of Tests/Rigs/stage, which is slow; None for floods, and for shares of a core, which it cannot judge.
    in_guest = {}
    # Seconds of processor time of the guest that a run takes there, about, by which guests share the rows.
    cost = 5
    # What the nodes send that the capture leaves out, as a filter of tcpdump.
    uncaptured = ""
    # Whether the row sets the clock of the kernel, and so runs in the guest alone.
    sets_clock = False
    # Whether what its nodes send is captured and judged.
    is_captured = True

    def __init__(self, groups=3):
        """`groups`: the pairs of contacts, or the contacts of one node."""
        self.groups = groups
        if IN_GUEST:
            for name, value in (self.in_guest or {}).items():
                setattr(self, name, value)

    @property
    def cost_of_all(self):
        """With its old behaviours, of which most are found in the first of two epochs."""
        return self.cost * (1 + 0.6 * len(self.old))

    @property
    def runs_here(self):
        return self.in_guest is not None if IN_GUEST else not self.sets_clock

    def contacts(self):
        return pairs(self.groups)

    def field(self, old=None):
        return Field(self.contacts(), old=old, rate=self.rate)

    def nodes(self):
        """Nodes without contacts."""
        return []

    def attack(self, field):
        """Begins the attack, a moment after the nodes have started."""

    def rest(self, field):
        """Waits for what the attack has not done when the epochs have passed."""

    def measure(self, field):
        """Returns figures of this row, after the end."""
        return {}

    def faults(self, figures):
        """Returns what does not hold in the figures of this row."""
        return []

    def shown(self, figures):
        """The figures in the table, beside the share."""
        return ""

    # The same for all

    def run(self, epochs, attacking=True, old=None):
        with self.field(old) as field:
            field.prepare(self.nodes())
            field.capture(self.nodes(), self.uncaptured)
            field.start_all(self.nodes())
            field.sample()
            try:
                if attacking:
                    self.attack(field)
                # An old behaviour is found by the first epoch without a meeting.
                field.pass_epochs(epochs, lambda: bool(old) and self.has_missed(field))
                if attacking and not (old and self.has_missed(field)):
                    self.rest(field)
            finally:
                field.end()
            met, total, missed = field.meetings(self.counted(field))
            figures = {"met": met, "total": total, "missed": missed, "ended": sorted(field.ended)}
            # Every pair is missing twice, once from each side.
            figures["stories"] = [field.story(field.first + epoch, one, other) for epoch, one, other in missed[:12:2]]
            figures["attackers"] = {attacker.label: attacker.figures for attacker in field.attackers}
            return {**figures, **self.measure(field), **common(field), "capture": field.account()}

    def has_missed(self, field):
        """Whether a node has ended, or contacts have not met in an epoch that has passed."""
        met, total, _ = field.meetings(self.counted(field))
        return bool(field.ended) or met < total

    def counted(self, field):
        """The contacts whose meetings count."""
        return field.contacts

    def judge(self, figures, least=None):
        """Returns what does not hold; with `least` 1, no meeting may be missing."""
        least = self.least if least is None else least
        found = [f"{name} has ended" for name in figures["ended"]]
        if not figures["total"]:
            found.append("nothing was measured")
        elif figures["met"] < least * figures["total"]:
            found.append(f"{figures['met']} of {figures['total']} node-epochs, at least {least:.0%}; missed (epoch, node, contact): "
                         f"{figures['missed'][:6]}")
        return found + self.faults(figures) + betrayed(figures["capture"])


def betrayed(capture):
    """What does not hold in a capture of what the nodes sent."""
    found = list(capture["violations"])
    if len(found) > 4:
        found[3:] = [f"and {len(found) - 3} more violations in the capture"]
    if capture["lost"]:
        found.append(f"the capture lost {capture['lost']} packets")
    if capture["unseen"]:
        found.append(f"the capture shows no name of {', '.join(capture['unseen'])}")
    return found


def common(field):
    """Figures of every row: the largest processor share and the growth of memory of a node, and silences by reason."""
    begun, end = field.start_of(field.judged[0]), field.start_of(field.judged[-1] + 1)
    shares, grown, reasons = [], [], {}
    for name in field.nodes:
        try:
            shares.append(field.processor_share(name, begun, end))
        except Failed:
            continue  # it has ended
        resident = field.resident(name, begun, end)
        grown.append(resident[-1] - resident[len(resident) // 4])
        for _, _, reason in field.silences(name):
            reasons[reason] = reasons.get(reason, 0) + 1
    return {"processorShare": round(max(shares, default=0), 4), "grownKiB": max(grown, default=0), "silences": reasons}


def waited(field):
    """For each epoch the longest time, in seconds, from when two contacts were visible to when both had confirmed."""
    longest = []
    for epoch in field.judged:
        begun, end = field.start_of(epoch) * 1000, field.start_of(epoch + 1) * 1000
        waits = []
        for one, other in field.contacts:
            said = [[event["unixMilliseconds"] for name, contact in ((one, other), (other, one))
                     for event in field.nodes[name].events(kind)
                     if begun <= event["unixMilliseconds"] < end and event.get("contact", contact.capitalize()) == contact.capitalize()]
                    for kind in ("visible", "confirmed")]
            if len(said[0]) >= 2 and said[1]:
                waits.append((min(said[1]) - max(said[0])) / 1000)
        longest.append(round(max(waits, default=99), 2))
    return longest


def is_gap(reason):
    """Whether a node is silent because of a gap that is due."""
    return reason == "gap" or "epoch" in reason


def overlap(spans, begun, end):
    """The seconds of these spans between two moments."""
    return sum(max(0, min(until, end) - max(since, begun)) for since, until, *_ in spans)


@row
class Control(Row):
    name, title = "control", "no attack"
    least = 1
    broken = ({"met": 11}, {"ended": ["ada1"]}, {"total": 0, "met": 0})


class Deaf(Row):
    """The contacts' ports of the bridge are isolated from each other, and packets with Ada's hardware address show what a node must not.
    No row may hold like this.
    """

    name, title, least = "deaf", "contacts that cannot hear each other, and a node that shows fixed names (planted)", 1
    # What the judge of captures must find.
    planted = {"names that are not 32 hex digits", "unexpected times to live"}

    def contacts(self):
        return pairs(1)

    def attack(self, field):
        for index in range(1, len(field.people) + 1):
            command("ip", "-n", field.stage.bridge, "link", "set", f"p{index}", "type", "bridge_slave", "isolated", "on")
        mac = field.stage.hardware("ada1").hex(":")
        field.attack("mallory", "forgery", "--as", mac, "--source", field.stage.address["ada1"]).is_ready()

    def unseen(self, figures):
        """What was planted in the capture and not found."""
        return sorted(what for what in self.planted if not any(what in violation for violation in figures["capture"]["violations"]))


__all__ = ["LONGEST_WAIT", "ROWS", "Control", "Deaf", "Failed", "Field", "Row", "is_gap", "overlap", "pairs", "row", "star", "waited", "wilson"]
