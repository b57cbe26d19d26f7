"""People whose homes are made on this machine, without a network, before their nodes run elsewhere; and what these should show."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

from image import ROOT, Missing
from machine import Failed

# Each is a user of the guest.
NAMES = ("ada", "bob")
# As many as `predict` writes at once.
HOURS = 160


def path_of(variable, name):
    path = Path(os.environ.get(variable) or ROOT / ".build" / name)
    if not os.access(path, os.X_OK):
        raise Missing(f"{path} is missing; build it with: make build")
    return path


def program():
    """Returns the program under test, with the Swift runtime inside: $INKLING, or the release build."""
    path = path_of("INKLING", "inkling")
    # A debug build runs here and not in the guest, whose nodes would not start.
    if "libswiftCore" in subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=False).stdout:
        raise Missing(f"{path} needs the Swift runtime of this machine; build one that has it inside with: make build")
    return path


class People:
    """Two contacts. The folder gets the program without its symbols, the homes, and the keys that unlock them.

    `rate`: the homes belong to a demonstration, whose clock runs so many times as fast.
    """

    def __init__(self, folder, rate=None):
        self.folder, self.rate = Path(folder), rate
        (self.folder / "homes").mkdir(parents=True, exist_ok=True)
        self.program = self.folder / "inkling"
        if subprocess.run(["strip", "-o", self.program, program()], check=False).returncode:
            shutil.copy(program(), self.program)
        self.begun = int(time.time())
        for name in NAMES:
            self.run(name, "init", "--name", name.capitalize(), *(("--demo-clock", f"{rate}@{self.begun}") if rate else ("--trust-clock",)))
        self.introduce(*NAMES)

    def home(self, name):
        return self.folder / "homes" / name

    def run(self, name, *words, text=None, program=None):
        """Runs a command for a home, of this program or of that under test, and returns what it printed."""
        words = [*words, "--home", self.home(name), "--key-file", self.folder / "homes" / f"{name}.key"]
        done = subprocess.run(["timeout", "-k", "2", "120", program or self.program, *map(str, words)], input=text or "", capture_output=True,
                              text=True, check=False)
        if done.returncode:
            raise Failed(f"`{words[0]}` ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def introduce(self, one, other):
        """Makes two homes contacts: each takes the other's card, and a grant that was sealed for it."""
        sealed = {}
        for taker, giver in ((one, other), (other, one)):
            said = self.run(taker, "card", "add", "-", "--json", text=self.run(giver, "card", "export"))
            sealed[giver] = [json.loads(line)["sealedGrant"] for line in said.splitlines() if "sealedGrant" in line]
        for name, grants in sealed.items():
            for grant in grants:
                self.run(name, "card", "add", "-", text=grant)

    def minors(self, name, hours):
        """Returns what the node of a person shows in each epoch from an hour ago, as the other one predicts it; of a demonstration, from
        its present."""
        other, found = NAMES[1 - NAMES.index(name)], {}
        for first in range(-1, hours, HOURS):
            begin = () if self.rate else ("--from", self.begun + 3600 * first)
            said = self.run(other, "predict", *begin, "--hours", min(HOURS, hours - first), program=path_of("INKLING_KIT", "inkling-kit"))
            rows = [json.loads(line) for line in said.splitlines()[1:]]
            found |= {row["epoch"]: row["minor"] for row in rows}
        return found
