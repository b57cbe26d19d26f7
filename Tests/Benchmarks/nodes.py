"""What a running node costs, with one contact and with as many as a vault holds: memory, wake-ups and processor time at
rest, and how long it takes to be visible and confirmed.

Nothing here judges; `bench` compares with the figures that were promised.
"""

import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "Rigs", "demo"))
from stage import Failed, Stage, boundary, demonstration_clock, epoch_at  # noqa: E402

# A silent gap of 0 to 10 s is drawn before a node is visible.
GAP = 10
# A clock for demonstrations: an epoch lasts 30 s.
RATE = 30


class Reading:
    """What the threads of a process have used so far."""

    def __init__(self, pid):
        self.moment, self.wakeups, self.nanoseconds = time.monotonic(), {}, {}
        for thread in os.listdir(f"/proc/{pid}/task"):
            try:
                with open(f"/proc/{pid}/task/{thread}/status", encoding="ascii") as file:
                    lines = dict(line.split(":", 1) for line in file.read().splitlines())
                with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
                    used = int(file.read().split()[0])
            except FileNotFoundError:
                continue
            # A thread that has waited of its own accord was woken.
            self.wakeups[thread] = int(lines["voluntary_ctxt_switches"])
            self.nanoseconds[thread] = used

    def since(self, earlier):
        """Wake-ups per second, processor seconds, and seconds since an earlier reading."""
        seconds = self.moment - earlier.moment
        wakeups, used = (
            sum(count - before.get(thread, 0) for thread, count in after.items())
            for after, before in ((self.wakeups, earlier.wakeups), (self.nanoseconds, earlier.nanoseconds)))
        return wakeups / seconds, used / 1e9, seconds


def kibibytes(pid, *fields):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        lines = dict(line.split(":", 1) for line in file.read().splitlines())
    return [int(lines[field].split()[0]) for field in fields]


def add_contacts(stage, name, count, period):
    """Adds contacts to a node's vault that do not exist."""
    if count < 1:
        return
    folder = ["--package-path", HERE, "-c", "release"]
    subprocess.run(["swift", "build", *folder, "--product", "FullVault"], check=True, stdout=sys.stderr)
    path = subprocess.run(["swift", "build", *folder, "--show-bin-path"], check=True, capture_output=True, text=True)
    done = subprocess.run([os.path.join(path.stdout.strip(), "FullVault"), stage.home(name), stage.home(name) + ".key",
                           str(count), str(period)], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise Failed(f"the vault could not be filled: {done.stderr.strip()}")


def node_with(contacts, starts, seconds, epochs, say):
    """The figures of a node with this many contacts, one of whom is there."""
    return starting(contacts, starts, seconds, say) | rotating(contacts, epochs, say)


def starting(contacts, starts, seconds, say):
    """Starts a node and its contact again and again, and lets the last ones rest."""
    visible, confirmed, used = [], [], []
    with Stage(("ada", "bob"), say=say) as stage:
        for name in ("ada", "bob"):
            stage.make(name)
        stage.introduce("ada", "bob", "--trust-clock")
        add_contacts(stage, "ada", contacts - 1, int(time.time()) // 3600)
        for index in range(starts):
            left = 900 - time.time() % 900
            if left < 2 * GAP + seconds + 40:
                say(f"  … waiting {left:.0f} s for the next epoch")
                time.sleep(left + 1)
            ada = stage.run("ada", "--trust-clock", seconds=600)
            bob = stage.run("bob", "--trust-clock", seconds=600)
            visible.append(ada.event("visible", GAP + 30)["unixMilliseconds"] / 1000 - ada.started)
            met = [ada.event("confirmed", 60, contact="Bob"), bob.event("confirmed", 60, contact="Ada")]
            used.append(Reading(ada.pid).nanoseconds)
            confirmed.append(max(fact["unixMilliseconds"] for fact in met) / 1000 - max(ada.started, bob.started))
            say(f"  … {contacts} contacts: start {index + 1} of {starts}")
            if index + 1 < starts:
                for node in (ada, bob):
                    if node.stop(30) != 0:
                        raise Failed(f"{node.label} did not end with 0")
        time.sleep(5)
        before = Reading(ada.pid)
        time.sleep(seconds)
        wakeups, processor, took = Reading(ada.pid).since(before)
        resident, anonymous, peak = kibibytes(ada.pid, "VmRSS", "RssAnon", "VmHWM")
        facts = {
            "contacts": contacts, "visibleSeconds": visible, "confirmedSeconds": confirmed,
            "startProcessorSeconds": [sum(threads.values()) / 1e9 for threads in used], "residentKiB": resident,
            "anonymousKiB": anonymous, "peakKiB": peak, "wakeupsPerSecond": wakeups,
            "processorPercent": 100 * processor / took, "threads": len(before.nanoseconds),
        }
        for node in (ada, bob):
            if node.stop(30) != 0:
                raise Failed(f"{node.label} did not end with 0")
    return facts


def rotating(contacts, epochs, say):
    """The same node at the boundaries of a clock that runs faster: an hour has four of them, as always."""
    with Stage(("ada", "bob"), say=say) as stage:
        clock = demonstration_clock(RATE, int(time.time()) + 30)
        for name in ("ada", "bob"):
            stage.make(name, clock=clock)
        stage.introduce("ada", "bob")
        add_contacts(stage, "ada", contacts - 1, int(epoch_at(clock, time.time())) // 4)
        ada, bob = (stage.run(name, "--demo-clock", seconds=900) for name in ("ada", "bob"))
        ada.event("visible", 2 * GAP + 30)
        first = int(epoch_at(clock, time.time() + 1)) + 1
        say(f"  … {contacts} contacts: {epochs} epochs of {900 // RATE} s")
        time.sleep(max(0, boundary(clock, first) - time.time() - 0.5))
        before = Reading(ada.pid)
        time.sleep(max(0, boundary(clock, first + epochs) - time.time() - 0.5))
        wakeups, processor, _ = Reading(ada.pid).since(before)
        waited = []
        for epoch in range(first, first + epochs):
            shown = [fact["unixMilliseconds"] / 1000 for fact in ada.events("visible") if fact["epoch"] == epoch]
            if not shown:
                raise Failed(f"a node with {contacts} contacts was not visible in an epoch")
            waited.append(min(shown) - boundary(clock, epoch))
        for node in (ada, bob):
            if node.stop(30) != 0:
                raise Failed(f"{node.label} did not end with 0")
    return {"boundarySeconds": waited, "epochProcessorSeconds": processor / epochs}
