#!/usr/bin/env python3
"""`inkling conform live` passes our own node, as a stranger and as a contact, over the end of an epoch, and passes a
node that knows nobody and was written from the specifications in another language; of the same node with one fault
it fails exactly the checks that the fault breaks.

    live.py [--rate N] [--keep DIR] [PART …]

All runs are made at once, each on a network of its own. Without root nothing is made: it says so and ends with 0.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "Demo"), HERE]
from imitator import FAULTS  # noqa: E402
from stage import Process, Stage, demonstration_clock, end_on_signals, inkling  # noqa: E402

SENT = ("empty", "long", "http", "tls", "type", "sequence", "gate", "again", "invitation", "device-link", "half-closed")
# What a stranger must find wrong, and whether it has to wait for the end of an epoch.
EXPECTED = {
    None: (True, set()),
    "answers": (False, {f"live-silence-{name}" for name in ("byte", "part", *SENT)}),
    "hurries": (False, {f"live-silence-{name}" for name in ("empty", "long", "http", "tls", "alike")}),
    "closes": (False, {f"live-silence-{name}" for name in ("empty", "long", "http", "tls", "alike")}),
    "signs": (False, {"live-discovery-text"}),
    "counts": (False, {"live-discovery-meta"}),
    "named": (True, {"live-discovery-host", "live-discovery-machine", "live-rotation-host", "live-rotation-old-name"}),
    "drags": (True, {"live-rotation-host", "live-rotation-together", "live-rotation-old-name"}),
    "stays": (True, {f"live-rotation-{name}" for name in ("name", "host", "silence", "gap", "old-name", "old-port", "strangers")}),
}
# Found or not, as the question for the old host falls before the two seconds end, or after.
CHANCE = {"drags": {"live-rotation-old-name"}}
NEEDS_GRANT = "no grant was given: --accept or --home"
lock, failures, KEPT = threading.Lock(), [], tempfile.TemporaryDirectory(prefix="inkling-live-")


def expect(condition, text):
    with lock:
        print(f"{'✓' if condition else '✗'} {text}", flush=True)
        if not condition:
            failures.append(text)


def report(lines):
    """The cases of a report by id, and its end."""
    facts = [json.loads(line) for line in lines.splitlines()]
    cases = {fact["id"]: fact for fact in facts if fact["event"] == "case"}
    return cases, facts[-1] if facts else {}


def look(stage, host, *words, seconds=100):
    """One live run: exit code, cases, end, and what it said."""
    path = os.path.join(stage.folder, f"{host}.jsonl")
    done = subprocess.run(
        ["timeout", "-k", "2", str(seconds), *stage.inside(host), inkling(), "conform", "live", "--json", *words],
        capture_output=True, text=True, stdin=subprocess.DEVNULL)
    with open(path, "w", encoding="utf-8") as file:
        file.write(done.stdout)
    return done.returncode, *report(done.stdout), done.stderr + done.stdout, path


def keep(path):
    """A copy of a report that outlives its stage."""
    copy = os.path.join(KEPT.name, f"{len(os.listdir(KEPT.name))}.jsonl")
    shutil.copy(path, copy)
    return copy


def failed(cases):
    return {name for name, case in cases.items() if case["outcome"] == "failed"}


def told(cases, names):
    return "; ".join(f"{name}: {cases[name].get('message') or cases[name].get('note')}" for name in sorted(names))


def as_contact(stage, clock, reports):
    """Our own node, by an invitation, and over the end of an epoch."""
    stage.make("ada", clock)
    stage.run("ada", "--demo-clock", seconds=200).event("visible", 15)
    invite = Process(stage, "ada", ["invite", "--yes", "--json", *stage.unlocking("ada")], "invite", 60)
    shown = invite.wait(lambda fact: "invitation" in fact, 20, "the invitation")["invitation"]
    code, cases, end, said, path = look(
        stage, "tester", "--accept", shown, "--yes", "--demo-clock", f"{clock[0]}@{clock[1]}", "--strict",
        "--name", "ours")
    alike = cases.get("live-silence-alike", {}).get("note", "")
    expect(code == 0 and end.get("verdict") == "conforms",
           f"our node, as a contact: {end.get('passed')} of {len(cases)} passed, exit code {code}; {alike}"
           + ("" if code == 0 else f"\n{told(cases, failed(cases))}\n{said if not cases else ''}"))
    reports.append(keep(path))


def at_home(stage, clock, reports):
    """Our own node, from the home of a contact, without waiting for the end of an epoch."""
    for name in ("ada", "bob"):
        stage.make(name, clock)
    stage.befriend("ada", "bob")
    stage.run("ada", "--demo-clock", seconds=200).event("visible", 15)
    code, cases, end, said, path = look(stage, "bob", *stage.unlocking("bob"), "--max-wait", "0", "--strict")
    skipped = {name for name, case in cases.items() if case["outcome"] == "not-run"}
    wanted = {name for name in cases if name.startswith("live-rotation-")} | {"live-silence-old-epoch"}
    right = code == 2 and end.get("failed") == 0 and skipped == wanted
    expect(right, f"from a home, without waiting: {end.get('passed')} passed, the rest not made, exit code {code}"
           + ("" if right else f"\n{said}"))
    reports.append(keep(path))


def as_stranger(stage, clock, fault, reports):
    """A node that knows nobody, without a fault or with one."""
    waits, wanted = EXPECTED[fault]
    words = [sys.executable, os.path.join(HERE, "imitator.py"), stage.address["node"], *map(str, clock)]
    log = open(os.path.join(stage.folder, "imitator.log"), "w", encoding="utf-8")
    stage.processes.append(subprocess.Popen(
        ["timeout", "-k", "2", "120", *stage.inside("node"), *words, *([fault] if fault else [])], stderr=log))
    code, cases, end, said, path = look(
        stage, "tester", "--demo-clock", f"{clock[0]}@{clock[1]}", "--max-wait", "100" if waits else "0", "--clock-error",
        "200", "--name", fault or "stranger")
    skipped = {case.get("note") for case in cases.values() if case["outcome"] == "not-run"}
    chance = CHANCE.get(fault, set())
    right = failed(cases) - chance == wanted - chance and code == (1 if wanted else 0) and NEEDS_GRANT in skipped
    what = f"a node that {FAULTS[fault]}" if fault else "a node of another making, as a stranger"
    broken = sorted({number for name in wanted for number in cases.get(name, {}).get("broken", [])})
    expect(right, f"{what}: {', '.join(broken) or str(end.get('passed')) + ' passed'}, exit code {code}"
           + ("" if right else f"\n  too much: {told(cases, failed(cases) - wanted)}\n  missed: {sorted(wanted - chance - failed(cases))}"
              f"\n{said if not cases else ''}"))
    reports.append(keep(path))


def merge(reports):
    """The reports make one matrix."""
    done = subprocess.run([inkling(), "conform", "merge", *reports], capture_output=True, text=True)
    rows = [line for line in done.stdout.splitlines() if "| live-" in line]
    expect(done.returncode == 0 and len(rows) == 4, f"{len(reports)} reports in one matrix of {len(rows)} parts"
           + ("" if done.returncode == 0 else f"\n{done.stderr}"))


def part(name, stage, body, *arguments):
    try:
        with stage:
            body(stage, *arguments)
    except Exception as failure:  # noqa: BLE001: whatever it is, the part has failed
        expect(False, f"{name}: {type(failure).__name__} {failure}\n{stage.logs()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=25, help="how much faster the clock runs (default 25: an epoch lasts 36 s)")
    parser.add_argument("parts", nargs="*", help="contact, home, stranger or a fault; all when none is given")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        print("NOT RUN: needs root, for hosts of its own")
        return 0
    end_on_signals()
    begun = time.time()
    # An epoch begins when the nodes do. They need up to 10 s to be there, and then one epoch has time for everything.
    clock = demonstration_clock(arguments.rate, int(begun) + 2)
    reports, threads = [], []
    parts = {"contact": (("ada", "tester"), as_contact), "home": (("ada", "bob"), at_home)}
    parts |= {fault or "stranger": (("node", "tester"), as_stranger, fault) for fault in EXPECTED}
    for name, (hosts, body, *fault) in parts.items():
        if not arguments.parts or name in arguments.parts:
            stage = Stage(hosts)
            threads.append(threading.Thread(target=part, args=(name, stage, body, clock, *fault, reports)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    merge(reports)
    print(f"{time.time() - begun:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
