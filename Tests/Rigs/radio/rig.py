"""What the programs of the Bluetooth rig share: how they count failures, run their parts, and configure bluetoothd."""

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path

import capture
import image
from machine import Failed, Machine, accelerator

# What a node accepts of bluetoothd: nothing that a stranger can read tells one machine from another.
CLEAN = "[General]\nName = inkling\nDeviceID = false\nControllerMode = le\nPrivacy = {privacy}\n\n[GATT]\nCache = no\nChannels = 1\n"
# Without -E bluetoothd has no AdvertisementMonitor, and nobody can scan passively; with it, some of its plugins serve what lasts.
PASSIVE = ("-E", "--noplugin=hostname,vcp,mcp,bap")
CLEAN_BEACONS, CLEAN_LINKS = CLEAN.format(privacy="off"), CLEAN.format(privacy="device")
failures = []


def expect(condition, text):
    """Prints whether a condition is true, counts it as a failure otherwise, and returns it."""
    print(f"{'✓' if condition else '✗'} {text}", flush=True)
    if not condition:
        failures.append(text)
    return condition


def expect_failure(words, text, action):
    """Requires that an action fails with all of these words in the message."""
    try:
        action()
    except (Failed, image.Missing) as reason:
        absent = [word for word in words if word not in str(reason)]
        expect(not absent, f"{text} is found: {str(reason).splitlines()[0]}" if not absent else f"{text}: no {absent} in: {reason}")
        return
    expect(False, f"{text} is not found")


def expect_kinds(found, kinds, text):
    """Requires that a planted fault is found as exactly these kinds."""
    said = sorted({fault.kind for fault in found})
    expect(said == sorted(kinds), f"planted: {text} is found as {', '.join(said)}" if said == sorted(kinds) else
           f"planted: {text}: found as {', '.join(said) or 'nothing'} instead of {', '.join(sorted(kinds))}")


def told(found, count=5):
    """Returns the first faults as lines below a check."""
    return "".join(f"\n    {fault.kind}: {fault.text}" for fault in found[:count]) + (f"\n    and {len(found) - count} more" if len(found) > count else "")


class Rig:
    """The image, the accelerator, and the work folders, which remain when `keep` names a folder for them."""

    def __init__(self, keep, probe=False):
        self.keep = keep
        self.say = lambda text: print(text, flush=True)
        self.image = image.prepare(self.say)
        self.probe, self.accelerated_by, self.temporary, self.prepared = probe, None, [], {}

    def folder(self, name):
        """Returns an empty work folder that is kept, or None."""
        if not self.keep:
            return None
        folder = Path(self.keep, name)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def work(self, name):
        """Returns an empty work folder, which the next machine of this name gets, and which goes with this object when it is not kept."""
        folder = self.folder(name)
        if not folder:
            self.temporary.append(tempfile.TemporaryDirectory(prefix="inkling-radio-", dir="/tmp"))
            folder = Path(self.temporary[-1].name)
        self.prepared[name] = folder
        return folder

    def machine(self, name, **options):
        if not self.accelerated_by:
            self.accelerated_by = accelerator(self.image, self.say, again=self.probe)
        # What was put into a work folder stays there.
        if folder := options.get("folder") or self.prepared.pop(name, None) or self.folder(name):
            options["folder"] = folder
        return Machine(self.image, accelerated_by=self.accelerated_by, say=self.say, **options)

    def account(self, name, guest):
        self.say(f"  {name}: boot {guest.boot_seconds:.1f} s, whole {guest.whole_seconds:.1f} s")


def run_parts(description, parts, make_rig=Rig, needs_rig=lambda name: True, add_options=lambda parser: None):
    """Reads the command line, runs the chosen parts, and returns the exit code. Parts take the rig, and it the arguments."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", metavar="DIR", help="keep the work folders of the machines here")
    parser.add_argument("--probe", action="store_true", help="ask again whether KVM works")
    add_options(parser)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(parts)}; all when none is given")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(parts):
        parser.error(f"unknown part {', '.join(sorted(unknown))}")
    begun, rig = time.monotonic(), None
    for name in arguments.parts or parts:
        try:
            if rig is None and needs_rig(name):
                rig = make_rig(arguments.keep, arguments.probe)
                rig.arguments = arguments
            parts[name](rig)
        except image.Missing as reason:
            failures.append(name)
            print(f"✗ NOT RUN {name}: {reason}", flush=True)
        except (Failed, capture.CaptureError) as reason:
            expect(False, f"{name}: {reason}")
    print(f"= {'all passed' if not failures else f'{len(failures)} failed'} in {time.monotonic() - begun:.1f} s, "
          f"{os.times().children_user + os.times().children_system:.0f} s of processor time", flush=True)
    return 1 if failures else 0
