"""Tests that sleep, give up after a time, or read a clock that runs: their verdict is one on the speed of the machine.

A test waits for a condition with `eventually`, and its time is that of a clock which it moves.
"""

import re

from tree import Finding, Tree

TITLE = "no test sleeps or reads a running clock"

RUNNING = re.compile(
    r"\b(?:ContinuousClock|SuspendingClock|DispatchTime|CLOCK_(?:MONOTONIC|BOOTTIME)\w*|usleep|nanosleep|Task\.(?:sleep|yield))\b"
    r"|\.timeLimit\b|(?<!clock\.)(?<!func )\bsleep\s*\(")
# It ends tests that hang, and waits for what nobody announces.
DETECTOR = "Tests/InklingTesting/HangDetector.swift"


def findings(tree: Tree):
    for path in tree.files("Tests", suffix=".swift"):
        if path == DETECTOR or not path.startswith("Tests/Inkling") and not path.endswith("Tests.swift"):
            continue
        for line, text in tree.code_lines(path):
            if found := RUNNING.search(text):
                yield Finding(path, line, f"{found[0]} depends on the speed of the machine: wait for a condition, or move a clock of the test")
