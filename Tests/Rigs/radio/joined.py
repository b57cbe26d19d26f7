"""Nodes of a demonstration in a virtual machine whose adapters are joined to Bumble on this machine."""

import contextlib
import json
import time

from machine import Failed
from people import NAMES, People
from rig import PASSIVE

# An epoch of a demonstration takes 30 s, of which the gap takes 10 s at most. Time is not skipped: whoever is outside the guest
# would always answer too late.
RATE = 30
EPOCH = 900 / RATE
# Within these seconds of real time a node has rotated once.
EPOCH_SECONDS = 3 * EPOCH
LIMIT = 2400


class Joined:
    """A machine whose adapters hci1, hci2 … are joined, with the people whose nodes run on them, by name."""

    def __init__(self, machine, people, names):
        self.machine, self.people, self.names = machine, people, names

    def events(self, name):
        """Returns the events of a node until now."""
        said = self.machine.run(f"cat /run/{name}.events.log").output
        return [json.loads(line) for line in said.splitlines() if line.endswith("}")]

    def boundary(self, least=0.0):
        """Returns when the next epoch begins that is at least so many seconds away, in the time of this machine."""
        # The clock of the guest is read when its second changes.
        said = self.machine.run("now=$(date +%s); until [ $(date +%s) != $now ]; do :; done; date +%s", 10).output
        behind, begun = time.time() - int(said), self.people.begun
        now = time.time() - behind + least
        passed = begun + (now - begun) * RATE
        return now + (900 - passed % 900) / RATE + behind

    def epoch(self, moment):
        """Returns the epoch of the nodes at a moment in the time of the guest."""
        return int((self.people.begun + (moment - self.people.begun) * RATE) // 900)

    def boundary_after(self, moment):
        """Returns the end of that epoch, in the time of the guest."""
        return self.people.begun + ((self.epoch(moment) + 1) * 900 - self.people.begun) / RATE

    def now(self):
        """Returns the time of the guest, in whole seconds. It stands still while this machine does other work."""
        return int(self.machine.run("date +%s").output)

    def await_event(self, name, condition, seconds, what):
        """Waits for an event, for so many seconds of the guest, and returns it."""
        end = self.now() + seconds
        while not (found := next((one for one in self.events(name) if condition(one)), None)):
            if self.now() > end:
                raise Failed(f"{name}: not within {seconds:.0f} s: {what}")
            self.machine.listen(0.5)
        return found


@contextlib.contextmanager
def nodes(rig, name, mode, main_conf, make, names=NAMES):
    """Runs the nodes of these people on adapters whose controllers are Bumble's; yields what `make` returns for the ends of the serial
    lines, and what is joined to it."""
    folder = rig.work(name)
    people = People(folder, RATE)
    with rig.machine(name, folder=folder, controllers=1, main_conf=main_conf, options=PASSIVE, lines=len(names), limit=LIMIT) as machine:
        outside = make(*machine.lines)
        for number, _ in enumerate(names):
            machine.run(f"radio line /dev/hvc{number} {number + 2}", 60)
        machine.run(f"node prepare {' '.join(names)}", 60)
        for number, one in enumerate(names, 1):
            machine.run(f"node start {one} --demo-clock --bluetooth {mode} --adapter hci{number}", 60)
        try:
            yield outside, Joined(machine, people, names)
        except (Failed, TimeoutError) as reason:
            said = machine.run("tail -n 60 /run/*.log", 60, expect=None)
            raise Failed(f"{reason}\n{said.output}{said.errors}") from None
        for one in names:
            machine.run(f"node stop {one}", 180)
        outside.end()
    rig.account(name, machine)
