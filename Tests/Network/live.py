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
import subprocess
import sys
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
    "drags": (True, {"live-rotation-host", "live-rotation-together"}),
    "stays": (True, {f"live-rotation-{name}" for name in ("name", "host", "silence", "gap", "old-name", "old-port", "strangers")}),
}
NEEDS_GRANT = "no grant was given: --accept or --home"
lock, failures = threading.Lock(), []


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


def failed(cases):
    return {name for name, case in cases.items() if case["outcome"] == "failed"}


def told(cases, names):
    return "; ".join(f"{name}: {cases[name].get('message') or cases[name].get('note')}" for name in sorted(names))


def as_contact(stage, clock, reports):
    """Our own node, by an invitation and over the end of an epoch, and from the home of another contact."""
    for name in ("ada", "bob"):
        stage.make(name, clock)
    stage.befriend("ada", "bob")
    node = stage.run("ada", "--demo-clock", seconds=200)
    node.event("visible", 15)
    invite = Process(stage, "ada", ["invite", "--yes", "--json", *stage.unlocking("ada")], "invite", 60)
    shown = invite.wait(lambda fact: "invitation" in fact, 20, "the invitation")["invitation"]

    def at_home():
        code, cases, end, said, _ = look(stage, "bob", *stage.unlocking("bob"), "--max-wait", "0", "--strict")
        skipped = {name for name, case in cases.items() if case["outcome"] == "not-run"}
        wanted = {name for name in cases if name.startswith("live-rotation-")} | {"live-silence-old-epoch"}
        expect(code == 2 and end.get("failed") == 0 and skipped == wanted,
               f"from a home, without waiting: {end.get('passed')} passed, the rest not made, exit code {code}"
               + ("" if code == 2 and skipped == wanted else f"\n{said}"))

    beside = threading.Thread(target=at_home)
    beside.start()
    code, cases, end, said, path = look(
        stage, "tester", "--accept", shown, "--yes", "--demo-clock", f"{clock[0]}@{clock[1]}", "--strict",
        "--name", "ours")
    beside.join()
    alike = cases.get("live-silence-alike", {}).get("note", "")
    expect(code == 0 and end.get("verdict") == "conforms",
           f"our node, as a contact: {end.get('passed')} of {len(cases)} passed, exit code {code}; {alike}"
           + ("" if code == 0 else f"\n{told(cases, failed(cases))}\n{said if not cases else ''}"))
    reports.append(path)


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
    right = failed(cases) == wanted and code == (1 if wanted else 0) and NEEDS_GRANT in skipped
    what = f"a node that {FAULTS[fault]}" if fault else "a node of another making, as a stranger"
    broken = sorted({number for name in wanted for number in cases.get(name, {}).get("broken", [])})
    expect(right, f"{what}: {', '.join(broken) or str(end.get('passed')) + ' passed'}, exit code {code}"
           + ("" if right else f"\n  too much: {told(cases, failed(cases) - wanted)}\n  missed: {sorted(wanted - failed(cases))}"
              f"\n{said if not cases else ''}"))
    reports.append(path)


def part(name, stage, body, *arguments):
    try:
        with stage:
            body(stage, *arguments)
    except Exception as failure:  # noqa: BLE001: whatever it is, the part has failed
        expect(False, f"{name}: {type(failure).__name__} {failure}\n{stage.logs()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=25, help="how much faster the clock runs (default 25: an epoch lasts 36 s)")
    parser.add_argument("parts", nargs="*", help="contact, stranger or a fault; all when none is given")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        print("NOT RUN: needs root, for hosts of its own")
        return 0
    end_on_signals()
    begun = time.time()
    # Nodes need up to 10 s to be there; then there is time for everything that wants one epoch.
    clock = demonstration_clock(arguments.rate, int(begun) + 4)
    reports, threads = [], []
    for fault in ["contact", *EXPECTED]:
        name = fault or "stranger"
        if arguments.parts and name not in arguments.parts:
            continue
        words = (name, Stage(("ada", "bob", "tester")), as_contact, clock, reports) if fault == "contact" else (
            name, Stage(("node", "tester")), as_stranger, clock, fault, reports)
        threads.append(threading.Thread(target=part, args=words))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{time.time() - begun:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
