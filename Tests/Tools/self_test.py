#!/usr/bin/env python3
"""Tests that each static check can fail: plants violations in a copy of the repository, one at a time, and requires that the
rule finds each.

    self_test.py [RULE…]    all violations, or those of these rules; a whole run that passes records the files of the rules
    self_test.py --changed  all violations of the rules whose files differ from the record, and one of each other rule

A plant changes one file and names the file of the finding. Findings that the repository has without a plant do not count.
"""

import argparse
import hashlib
import importlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from check import RULES  # noqa: E402
from draw import draw  # noqa: E402
from tree import Tree  # noqa: E402

ROOT = HERE.parents[1]
# What the last whole run has tested: a digest of the files of each rule.
RECORD = HERE / "self_test.json"
# Rules that judge each file by itself. They see the planted file alone.
ALONE = {"format", "words", "purity", "sockets", "waits"}
PURE = "Sources/Core/InklingEngine/Planted.swift"
LIVE = "Sources/Kit/InklingConformance/Live/LiveCheck.swift"
BOUNDARY = "Sources/Bindings/InklingCABI/Planted.swift"
TEST = "Tests/InklingKeysTests/PlantedTests.swift"
COVER = "Tests/Tools/cover.md"
FIGURES = "Tests/Rigs/figures/figures.md"
SUITES = "Tests/suites.json"
QUARANTINE = "Tests/quarantine.json"


@dataclass
class Plant:
    """A violation: `change` takes the text of `path`, empty for a new file, and returns the new text."""

    rule: str
    what: str
    path: str
    change: Callable[[str], str]
    #: The file of the finding, if it differs from `path`.
    found_in: str = ""
    #: A part of the message, for a rule with several messages.
    says: str = ""


def new(text: str) -> Callable[[str], str]:
    return lambda _: text


def appended(text: str) -> Callable[[str], str]:
    return lambda old: old + "\n" + text + "\n"


def quarantined(*changes: dict) -> Callable[[str], str]:
    """A list with an entry for each change of one that is right."""
    right = {"test": "InklingKeysTests.ByteReaderTests/`reading past the end returns nil and does not move the position`()", "cause": "it loses a race against a timer", "date": "2026-11-29",
             "commit": "0f93689b"}
    return new(json.dumps([{**right, **change} for change in changes], indent=2) + "\n")


PLANTS = [
    Plant("format", "a wrongly indented line", PURE, new("struct Planted {\n   let x = 1\n}\n")),
    Plant("format", "a force unwrap, by the formatter's own rule", PURE, new("let a: Int? = 1\nlet b = a!\n")),
    Plant("words", "try!", PURE, new("let a = try! f()\n")),
    Plant("words", "as!", PURE, new("let a = b as! C\n")),
    Plant("words", "a force unwrap", PURE, new("let a = b[0]!.c\n")),
    Plant("words", "an implicitly unwrapped type", PURE, new("var a: Int!\n")),
    Plant("words", "fatalError", PURE, new("func f() -> Never { fatalError() }\n")),
    Plant("words", "an empty name", PURE, new("struct KeyManager {}\n")),
    Plant("words", "unfinished work", PURE, new("// TO" "DO: later\n")),
    Plant("words", "a package of a stranger", "Specs/planted.md", new("Needs `pip install --user 'inkling[archive]'`.\n"), says="not ours"),
    Plant("purity", "an import of Foundation", PURE, new("public import Foundation\n")),
    Plant("purity", "an import of one symbol of Glibc", PURE, new("import func Glibc.time\n")),
    Plant("purity", "an async function", PURE, new("func f() async {}\n")),
    Plant("purity", "an actor", PURE, new("actor A {}\n")),
    Plant("purity", "a task", PURE, new("let t = Task { 1 }\n")),
    Plant("purity", "a clock", PURE, new("let t = ContinuousClock.now\n")),
    Plant("purity", "a date", PURE, new("let t = Date()\n")),
    Plant("purity", "the system's randomness, named", PURE, new("var g = SystemRandomNumberGenerator()\n")),
    Plant("purity", "the system's randomness, unnamed", PURE, new("let x = Int.random(in: 0..<5)\n")),
    Plant("purity", "libsodium's randomness", PURE, new("unsafe randombytes_buf(p, 32)\n")),
    Plant("purity", "libsodium's key pair", PURE, new("_ = unsafe crypto_box_keypair(p, s)\n")),
    Plant("purity", "a line of output", PURE, new('print("seen")\n')),
    Plant("purity", "a lock", PURE, new("let m = Mutex(1)\n")),
    Plant("purity", "an import of Foundation at the C boundary", BOUNDARY, new("internal import Foundation\n")),
    Plant("purity", "a clock at the C boundary", BOUNDARY, new("let t = ContinuousClock.now\n")),
    Plant("purity", "a wait in the vault", "Sources/Node/InklingVault/Planted.swift", new("func f() async {}\n"), says="the vault blocks its caller"),
    Plant("labels", "a label only in the code", "Sources/Core/InklingKeys/DerivationLabels.swift",
          appended('let x: StaticString = "planted-label"')),
    Plant("labels", "a label only in the specification", "Specs/keys.md",
          appended("# Planted labels\n\n| label | use |\n|---|---|\n| `planted-label` | none |")),
    Plant("labels", "one label under two names", "Sources/Core/InklingKeys/DerivationLabels.swift",
          appended('let x: StaticString = "mdns-key"')),
    Plant("labels", "a label written out elsewhere", PURE, new('let x: StaticString = "mdns-key"\n')),
    Plant("labels", "a prefixed label written out in the command line", "Sources/Program/InklingCommand/Planted.swift",
          new('let x = "inkling/1 planted"\n')),
    Plant("specs", "a specification that the index does not list", "Specs/planted.md", new("# Planted\n")),
    Plant("specs", "a specification that is listed twice", "Specs/README.md",
          appended("| [a](planted.md) | x |\n| [b](planted.md) | x |")),
    Plant("specs", "a listed specification that does not exist", "Specs/README.md", appended("| [a](planted.md) | x |")),
    Plant("specs", "a draft of another version", "Sources/Program/InklingTerminal/VERSION", new("0.0.9\n"), found_in="Specs/README.md"),
    Plant("specs", "a vector file that no page names", "Vectors/planted.json",
          new('{"specification": "Specs/keys.md", "cases": []}\n')),
    Plant("specs", "an outdated page of the operations", "Specs/operations.md",
          lambda old: old.replace("| `depth` | 0 to 20 |", "| `depth` | 0 to 21 |", 1)),
    Plant("specs", "a changed list of the operations", "Vectors/schema/operations.json",
          lambda old: old.replace('"high": 20}', '"high": 21}', 1), "Specs/operations.md"),
    Plant("specs", "a family with another profile than in the code", "Specs/conformance.md",
          lambda old: old.replace("| `recognition` | `recognition` | `node` |", "| `recognition` | `recognition` | `core` |", 1)),
    Plant("specs", "a profile of an operation that no family has", "Sources/Kit/InklingConformance/ConformanceProfile.swift",
          lambda old: old.replace('"recognition", ', '"recognition", "planted", ', 1)),
    Plant("specs", "a vector file that does not exist", "Specs/keys.md", appended("`Vectors/planted.json`")),
    Plant("refusals", "a refusal that is in no table", "Specs/grants.md", appended("It is refused as `cover`/`planted`.")),
    Plant("refusals", "a stage that is in no table", "Specs/grants.md", appended("It is refused at stage `planted`.")),
    Plant("refusals", "a row that does not exist", "Specs/grants.md", appended("A reader refuses it by rows 3 to 18.")),
    Plant("refusals", "a row number that is repeated", "Specs/grants.md",
          lambda old: old.replace("\n| 13 | `cover`", "\n| 12 | `cover`", 1)),
    Plant("refusals", "a refusal of a vector that is in no table", "Vectors/grant-decode.json",
          lambda old: old.replace('"stage": "cover", "reason": "not-canonical"', '"stage": "cover", "reason": "planted"', 1)),
    Plant("refusals", "a row that the vectors need", "Specs/wifi-aware.md",
          lambda old: old.replace("`extension` | `bad-length`", "`extension` | `planted`", 1), found_in="Vectors/nan-name.json"),
    Plant("terms", "a word that the table rejects", "Specs/planted.md", new("The shower waits.\n")),
    Plant("terms", "a word that is rejected in one meaning", "Specs/planted.md", new("Keys of the current hour.\n")),
    Plant("terms", "a rejected word in a name", "Sources/Core/InklingEngine/Planted.swift", new("let hourKey = 1\n")),
    Plant("terms", "a rejected word in a comment", "Sources/Bindings/CInkling/include/inkling/planted.h", new("/// The callee.\n")),
    Plant("terms", "a missing table of terms", "Specs/README.md",
          lambda old: old.replace("## Terms", "## Words", 1)),
    Plant("confined", "a grant that is sealed elsewhere", "Sources/Node/InklingNode/Planted.swift",
          new("let a = SealedGrant.seal(b)\n")),
    Plant("confined", "a record of TXT that is read", "Sources/Linux/InklingLinux/MDNS/Planted.swift",
          new("let a = text.isVersion1\n")),
    Plant("confined", "access to the bytes of the presence key", "Sources/Core/InklingKeys/Identity.swift",
          lambda old: old.replace("borrowing func agree(with", "func withBytes() {}\n    borrowing func agree(with", 1)),
    Plant("confined", "a listed place without the listed code", "Sources/Core/InklingWire/MDNS/MDNSMachine+Reception.swift", new("")),
    Plant("confined", "a compressor", PURE, new("internal import Compression\n")),
    Plant("sockets", "a server whose connections are inherited", "Sources/Program/InklingCommand/Loopback/LoopbackServer.swift",
          lambda old: old.replace("try channel.pipeline.syncOperations.closeOnExecution()", "", 1)
          .replace("try listener.pipeline.syncOperations.closeOnExecution()", "", 1)),
    Plant("sockets", "a client whose connection is inherited", "Sources/Linux/InklingLinux/Planted.swift",
          new("let channel = ClientBootstrap(group: loop)\n")),
    Plant("waits", "a test that sleeps", "Tests/PlantedTests.swift", new("try await Task.sleep(for: .seconds(1))\n")),
    Plant("waits", "a call beside a test that sleeps", "Tests/InklingTesting/Planted.swift", new("sleep(1)\n")),
    Plant("waits", "a test that gives up after a time", TEST, new("@Test(.timeLimit(.minutes(1))) func a() {}\n")),
    Plant("waits", "a test that reads a running clock", TEST, new("let start = ContinuousClock.now\n")),
    Plant("generator", "a generator that asks another program", "Vectors/generator/planted.py", new("import subprocess\n")),
    Plant("generator", "a generator that uses the package", "Vectors/generator/planted.py", new("from inkling import keys\n")),
    Plant("generator", "a model that knows the cases", "Vectors/generator/reference/planted.py",
          new("from ..cases.keys import FAMILIES\n")),
    Plant("generator", "a model that knows the folder of the cases", "Vectors/generator/reference/planted/planted.py",
          new("from ... import cases\n")),
    Plant("generator", "a schema that allows members it does not name", "Vectors/schema/planted.schema.json",
          new('{"type": "object", "properties": {"a": {"type": "object"}}, "additionalProperties": false}\n')),
    Plant("requirements", "a requirement defined twice", "Specs/planted.md",
          new("- **INK-ZZZ-001** A node MUST x.\n- **INK-ZZZ-001** A node MUST y.\n")),
    Plant("requirements", "a requirement that obliges no one", "Specs/planted.md",
          new("- **INK-ZZZ-012** While it is silent, nothing MUST be sent.\n"), says="obliges no one"),
    Plant("requirements", "a reference to an undefined requirement", PURE, new("// INK-ZZZ-002\n")),
    Plant("requirements", "a vector that names an undefined requirement", "Vectors/planted.json",
          new('{"cases": [{"requirements": ["INK-ZZZ-003"]}]}\n')),
    Plant("requirements", "a live check that names an undefined requirement", LIVE,
          lambda old: old.replace('["INK-MDN-003"]', '["INK-MDN-003", "INK-ZZZ-004"]', 1)),
    Plant("requirements", "a test that names an undefined requirement", TEST,
          new("/// Covers INK-ZZZ-005.\n@Test func `planted`() {}\n"), says="INK-ZZZ-005 is not defined"),
    Plant("requirements", "a network test that names an undefined requirement", "Tests/Rigs/network/planted.py",
          new('@check\ndef planted():\n    """Planted.\n\n    Covers INK-ZZZ-006.\n    """\n'), says="INK-ZZZ-006 is not defined"),
    Plant("requirements", "cover of a withdrawn requirement", TEST,
          new("/// Covers INK-KEY-041.\n@Test func `planted`() {}\n"), says="is withdrawn"),
    Plant("requirements", "a `Covers` line above no test", TEST,
          new("/// Covers INK-KEY-001.\nfunc planted() {}\n"), says="does not belong to a test"),
    Plant("requirements", "a `Covers` line with an empty line below it", TEST,
          new("/// Covers INK-KEY-001.\n\n@Test func `planted`() {}\n"), says="does not belong to a test"),
    Plant("requirements", "a `Covers` line in a function that is not a test", "Tests/Rigs/network/planted.py",
          new('def planted():\n    """Planted.\n\n    Covers INK-KEY-001.\n    """\n'), says="does not belong to a test"),
    Plant("requirements", "a `Covers` line without commas", TEST,
          new("/// Covers INK-KEY-001 INK-KEY-002.\n@Test func `planted`() {}\n"), says="write `Covers"),
    Plant("requirements", "a `Covers` line that is not sorted", TEST,
          new("/// Covers INK-KEY-002,\n/// INK-KEY-001.\n@Test func `planted`() {}\n"), says="not sorted"),
    Plant("requirements", "a row that names an undefined requirement", COVER,
          appended("| INK-ZZZ-007 | check: Makefile |"), says="INK-ZZZ-007 is not defined"),
    Plant("requirements", "a row of an unknown kind", COVER, appended("| INK-ZZZ-008 | test: planted |"), says="the row is not"),
    Plant("requirements", "a row that is not in order", COVER,
          appended("| INK-ADV-002 | check: Makefile |"), says="INK-ADV-002 is not in order"),
    Plant("requirements", "a script that does not exist", COVER,
          appended("| INK-ZZZ-009 | check: Tests/planted.sh |"), says="there is no file"),
    Plant("requirements", "a review without a sentence", COVER,
          appended("| INK-ZZZ-010 | review: yes |"), says="not described"),
    Plant("requirements", "`later` without a missing part", COVER,
          appended("| INK-ZZZ-011 | later: some day, when there is time |"), says="does not begin with a missing part"),
    Plant("requirements", "`later` for a part that is built", "Sources/Linux/InklingWiFiAware/Planted.swift", new("let a = 1\n"),
          found_in=COVER, says="is built"),
    Plant("requirements", "`later` for a requirement that a test covers", TEST,
          new("/// Covers INK-NAN-007.\n@Test func `planted`() {}\n"), found_in=COVER, says="is covered by tests"),
    Plant("requirements", "a MUST without cover", "Specs/planted.md",
          new("- **INK-ZZZ-012** A node MUST x.\n"), says="is not covered"),
    Plant("requirements", "a test that no longer covers its requirement", "Tests/InklingKeysTests/EpochTests.swift",
          lambda old: re.sub(r" */// Covers .*\n", "", old), found_in="Specs/requirements.md"),
    Plant("requirements", "an outdated page", "Specs/requirements.md",
          lambda old: old.replace("| INK-ADV-001 | vectors: `ibeacon-encode` |", "| INK-ADV-001 | vectors: `uuid` |", 1)),
    Plant("requirements", "a requirement that is not on the page", "Specs/planted.md",
          new("- **INK-ZZZ-013** A node may x.\n"), found_in="Specs/requirements.md"),
    Plant("links", "a link to a missing file", "Specs/planted.md", new("[a](nothing.md)\n")),
    Plant("links", "a link to a missing heading", "Specs/planted.md", new("# Planted\n\n[a](#elsewhere)\n")),
    Plant("package", "an import that the target of a rig does not declare", "Tests/Rigs/figures/Package.swift",
          lambda old: old.replace('"ESPHome", "InklingFleet",', '"ESPHome",'), says="does not declare InklingFleet"),
    Plant("package", "a dependency with an exact version", "Package.swift",
          appended('// Because.\n.package(url: "https://example.org/a", exact: "1.0.0")')),
    Plant("package", "a dependency without a reason", "Package.swift",
          appended('let x = 1\n.package(url: "https://example.org/a", .upToNextMinor(from: "1.0.0"))')),
    Plant("package", "the trait in a target whose tests do not run with it", "Sources/Node/InklingNode/Planted.swift",
          new("#if Node\n#endif\n")),
    Plant("package", "a source folder that belongs to no target", "Sources/Core/Planted/a.swift", new(""), found_in="Package.swift"),
    Plant("package", "a path that differs from another in case alone", "Sources/Core/inklingKeys/Epoch.swift", new("")),
    Plant("package", "a module that differs from another in case alone", "Package.swift",
          appended('// .executableTarget(name: "inkling")'), says="differ in case alone"),
    Plant("houses", "a dependency of Core on a house above it", "Package.swift",
          lambda old: old.replace('name: "InklingEngine", dependencies: [', 'name: "InklingEngine", dependencies: ["InklingPlatforms", ', 1),
          says="the house Core may not depend on Policy"),
    Plant("houses", "a dependency of the kit on the home, beside it", "Package.swift",
          lambda old: old.replace('name: "InklingMatching", dependencies: [', 'name: "InklingMatching", dependencies: ["InklingFleet", ', 1),
          says="the house Kit may not depend on Home"),
    Plant("houses", "a dependency of a library of the kit on the terminal of the programs", "Package.swift",
          lambda old: old.replace('name: "InklingMatching", dependencies: [', 'name: "InklingMatching", dependencies: ["InklingTerminal", ', 1),
          says="the house Kit may not depend on Program"),
    Plant("houses", "a dependency on a target of the tests", "Package.swift",
          lambda old: old.replace('name: "InklingFleet", dependencies: [', 'name: "InklingFleet", dependencies: ["InklingTesting", ', 1),
          says="which is in no house"),
    Plant("houses", "what is parted and still on the list", "Package.swift",
          lambda old: re.sub(r" *\.target\(name: \"CMosquitto\".*\n", "", old, count=1), says="does not depend on CMosquitto"),
    Plant("houses", "a target in a house that is not in the table", "Package.swift",
          lambda old: old.replace('    "Policy": [\n', '    "Planted": [\n', 1), says="Planted is no house"),
    Plant("houses", "a folder that is no house", "Sources/Planted/a.swift", new(""), found_in="Sources/Planted"),
    Plant("numbers", "a function of the node named take", "Sources/Node/InklingNode/Planted.swift",
          new("extension Reply {\n    func take(_ planted: Int) {}\n}\n"), found_in="Tests/Tools/rules/numbers.py", says="named `take`: 1, at most 0"),
    Plant("numbers", "a technology named outside its folder", "Sources/Node/InklingNode/Planted.swift",
          new("let planted = LinkTechnologyID.lan\n"), found_in="Tests/Tools/rules/numbers.py", says="outside its folder: 1, at most 0"),
    Plant("numbers", "another stored property of the actor", "Sources/Node/InklingNode/Node/Node.swift",
          lambda old: old.replace("    private var isTaking = false\n", "    private var isTaking = false\n    private var planted: Int?\n", 1),
          found_in="Tests/Tools/rules/numbers.py", says="stored properties of the actor of a node: 48"),
    Plant("workflow", "a script that does not parse", ".ci/planted", new("#!/bin/sh\nif true\n")),
    Plant("workflow", "a script that cannot be executed", "Tests/planted", new("#!/bin/sh\n")),
    Plant("workflow", "a step of the gate whose program is missing", ".ci/steps.py",
          lambda old: old.replace("Tests/Tools/check.py", "Tests/Tools/planted.py", 1)),
    Plant("figures", "a command that is no suite", FIGURES, lambda old: old.replace("`make verify-soak`", "`make soak`", 1)),
    Plant("figures", "a suite that is not declared", "Tests/Benchmarks/README.md", lambda old: old.replace("`make verify-bench`", "`make verify-planted`", 1),
          says="declares no suite planted"),
    Plant("figures", "a measured figure without a suite", "Tests/Benchmarks/README.md", lambda old: old.replace("`make verify-bench`", "`make planted`"),
          says="has a measured figure"),
    Plant("figures", "a figure that is missing", FIGURES, lambda old: re.sub(r"^\| 12 .*\n", "", old, count=1, flags=re.MULTILINE)),
    Plant("figures", "a figure that is shown in part, without a reason", FIGURES,
          lambda old: re.sub(r"(\| in part \|.*\|) [^|]+ \|\n", r"\1  |\n", old, count=1)),
    Plant("suites", "a suite whose program does not exist", SUITES,
          lambda old: old.replace("Tests/Rigs/soak/soak", "Tests/Rigs/soak/planted", 1), says="which does not exist"),
    Plant("suites", "a suite that runs what is below none of its paths", SUITES,
          lambda old: old.replace('"Tests/Rigs/demo", "Tests/Rigs/soak"]', '"Tests/Rigs/demo"]', 1), says="none of its paths"),
    Plant("suites", "a suite that depends on a missing path", SUITES,
          lambda old: old.replace('"Tests/Rigs/soak"]', '"Tests/Rigs/soak", "Tests/Rigs/planted"]', 1), says="depends on"),
    Plant("suites", "a suite that needs a target that does not exist", SUITES,
          lambda old: old.replace('"prepare": ["make deb"', '"prepare": ["make planted"', 1), says="needs the target planted"),
    Plant("suites", "a program of the gate that nothing runs", SUITES,
          lambda old: old.replace('"Tests/Rigs/shims/check":', '"Tests/Rigs/network/flood.py":', 1), says="does not run"),
    Plant("requirements", "a check that neither the gate nor a suite runs", COVER,
          appended("| INK-ZZZ-009 | check: Makefile |"), says="neither the gate nor a suite"),
    Plant("suites", "an outdated table of the suites", "Tests/README.md",
          lambda old: old.replace("| 240 | no |", "| 24 | no |", 1)),
    Plant("suites", "a record of no suite", "Tests/records.json", new('{"planted": {}}\n'), says="is no suite"),
    Plant("costs", "a step of the gate without a cost", "Tests/costs.json", new('{"check": 1}\n'), says="has no recorded cost"),
    Plant("costs", "a cost of what is no step", "Tests/costs.json", new('{"planted": 1}\n'), says="which is no step"),
    Plant("costs", "costs above the budget", "Tests/costs.json", new('{"check": 9000}\n'), says="may cost"),
    Plant("quarantine", "more than ten tests in quarantine", QUARANTINE, quarantined(*[{}] * 11), says="11 tests"),
    Plant("quarantine", "an entry without a cause", QUARANTINE, quarantined({"cause": "slow"}), says="not described"),
    Plant("quarantine", "an entry without a date", QUARANTINE, quarantined({"date": "lately"}), says="is no day"),
    Plant("quarantine", "an entry without a commit", QUARANTINE, quarantined({"commit": "HEAD"}), says="is no commit"),
    Plant("quarantine", "a test that does not exist", QUARANTINE,
          quarantined({"test": "InklingKeysTests.EpochTests/`planted`()"}), says="no such test"),
    Plant("figures", "a value without a date", FIGURES, lambda old: re.sub(r"20\d\d-\d\d-\d\d", "lately", old, count=1)),
]

# Lines that look like violations and are none; the rules must not find them.
INNOCENT = [
    ("terms", "Specs/planted.md", "It lasts 24 hours, a quarter hour, the hour from 16:00. `shower`, INK-NAN-001.\n"),
    ("terms", "Specs/planted.md", "```\nthe shower, the current hour\n```\n\n| INK-KEY-001 | test: the hour of a shower |\n"),
    ("refusals", "Specs/planted.md", "A path `a/b`, a choice `on`/`off`, and a refusal `arguments`/`wrong-length`.\n"),
    ("words", PURE, "/// Never `try!`; it says \"as!\" in /* fatalError */ words.\nlet a = !b && c != d && e !== f\n"),
    ("words", PURE, 'let text = "wow! \\(count)!"\nlet raw = #"a!"#\nfunc `it works!`() {}\n'),
    ("purity", PURE, "internal import InklingKeys\n// Task, Date and print( are only words here.\nlet upDate = 1\n"),
    ("purity", BOUNDARY, "internal import Synchronization\nlet m = Mutex(1)\nvar g = SystemRandomNumberGenerator()\n"),
    ("purity", PURE, "let x = Int.random(in: 0..<5, using: &generator)\n_ = unsafe crypto_sign_seed_keypair(p, s, k)\n"),
]

# Documents for documents.py: what is wrong, and the text. A short script stands for the command line.
COMMAND_LINE = """#!/bin/sh
case $1 in
version) echo 'inkling 1 (draft)' ;;
run) echo ready; sleep 0.3; echo 'confirmed ada'; exec sleep 60 ;;
*) echo 'no such verb'; exit 64 ;;
esac
"""
GOOD_DOCUMENT = """
```console
$ inkling version
inkling … (draft)
$ greeting=hello
$ echo "$greeting" \\
> again
…
hello again
```
```console background terminal=second
$ inkling run
ready
confirmed …
```
```console fails
$ inkling nonsense
no such verb
```
```swift
precondition(Epoch.seconds == 900)
```
```python
import inkling.archive
```
```python no-run
from nowhere import nothing
```
```json
{"a": 1}
{"b": 2}
```
```sh
echo a
```
"""
BAD_DOCUMENTS = [
    ("output that differs", "```console\n$ inkling version\ninkling 2\n```\n"),
    ("output that is missing", "```console\n$ inkling version\ninkling 1 (draft)\nmore\n```\n"),
    ("output that is not shown", "```console\n$ inkling version\n```\n"),
    ("a command that fails", "```console\n$ inkling nonsense\nno such verb\n```\n"),
    ("Swift that does not compile", '```swift\nlet x: Int = "a"\n```\n'),
    ("Swift that crashes", "```swift\nprecondition(Epoch.seconds == 901)\n```\n"),
    ("Python that fails", "```python\nimport nothing\n```\n"),
    ("Python that does not parse", "```python no-run\nif\n```\n"),
    ("JSON that does not parse", "```json\n{a}\n```\n"),
    ("a shell script that does not parse", "```sh\nif\n```\n"),
    ("an unknown kind of fence", "```cobol\n```\n"),
]


def found(rule: str, tree: Tree) -> dict[tuple[str, str], int]:
    counts: dict[tuple[str, str], int] = {}
    with redirect_stdout(io.StringIO()):
        for finding in importlib.import_module(f"rules.{rule}").findings(tree):
            if not finding.is_note:
                key = (finding.path, finding.message)
                counts[key] = counts.get(key, 0) + 1
    return counts


def copied(destination: Path) -> Tree:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=False
    )
    if listed.returncode == 0:
        names = [name for name in listed.stdout.decode().split("\0") if name]
    else:
        # Not a git checkout: a copy from an archive.
        names = Tree(ROOT).files(*(entry.name for entry in ROOT.iterdir()))
    for name in names:
        # Also links to folders, of which the packages of the rigs consist.
        if (ROOT / name).is_file() or (ROOT / name).is_symlink():
            target = destination / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target, follow_symlinks=False)
    return Tree(destination)


def files_of(name: str) -> list[Path]:
    """The files of a rule, or of documents.py: its own, those that it imports from this folder, and this test."""
    own = [HERE / "documents.py" if name == "documents" else HERE / f"rules/{name}.py"]
    for file in own:
        imported = re.findall(r"^from (\w+) import", file.read_text(encoding="utf-8"), re.MULTILINE)
        own += [path for module in imported if (path := HERE / f"{module}.py").exists() and path not in own]
    return [*own, HERE / "check.py", HERE / "self_test.py"]


def digest(name: str) -> str:
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files_of(name))).hexdigest()[:32]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changed", action="store_true", help="all of the rules that changed, and one of each other rule")
    parser.add_argument("rules", nargs="*", metavar="RULE", help="only these rules; default: all rules, the build and documents.py")
    options = parser.parse_args()
    rules = options.rules or RULES
    if unknown := set(rules) - set(RULES):
        parser.error(f"unknown rule {', '.join(sorted(unknown))}")
    start = time.monotonic()
    failures = []
    tested = {name: digest(name) for name in [*RULES, "documents"]}
    plants, innocent = PLANTS, INNOCENT
    if options.changed:
        recorded = json.loads(RECORD.read_text(encoding="utf-8"))
        changed = {name for name in tested if tested[name] != recorded.get(name)}
        others = [[plant for plant in PLANTS if plant.rule == rule] for rule in RULES if rule not in changed]
        # The violations of `limits` are commits, and are always all planted.
        drawn = [draw(one, one[0].rule) for one in others if one]
        plants = [plant for plant in PLANTS if plant.rule in changed or any(plant is one for one in drawn)]
        innocent = [one for one in INNOCENT if one[0] in changed]
        print(f"changed since the record: {', '.join(sorted(changed)) or 'none'}")
    plants = [plant for plant in plants if plant.rule in rules]
    count = len(plants)
    with tempfile.TemporaryDirectory() as folder:
        tree = copied(Path(folder) / "whole")
        before = {rule: found(rule, tree) for rule in rules if rule not in ALONE}

        def planted(rule: str, path: str, change) -> list[tuple[str, str]]:
            """The findings that are new after a change of one file."""
            if rule in ALONE:
                return planted_alone(Path(folder) / "alone", tree, rule, path, change)
            old = tree.text(path) if tree.exists(path) else None
            with written(tree.root / path, change(old or ""), old):
                return new_findings(found(rule, tree.with_changed(path)), before[rule])

        for plant in plants:
            place = plant.found_in or plant.path
            findings = planted(plant.rule, plant.path, plant.change)
            if any(path == place and plant.says in message for path, message in findings):
                print(f"✓ {plant.rule} finds {plant.what}")
            else:
                failures.append(f"{plant.rule} does not find {plant.what}, planted in {plant.path}")
        for rule, path, text in innocent:
            if rule in rules:
                for where, message in planted(rule, path, new(text)):
                    failures.append(f"{rule} reports {where} without a reason: {message}")
        missing = set(rules) - {plant.rule for plant in plants} - {"limits"}
        if "limits" in rules:
            failures += raised_limits(Path(folder) / "commits")
        failures += [f"nothing is planted for the rule {rule}" for rule in sorted(missing)]
        is_whole = rules is RULES and not options.changed
        if is_whole or options.changed and "documents" in changed:
            failures += documents(Path(folder) / "documents", [("", GOOD_DOCUMENT), *BAD_DOCUMENTS])
            count += len(BAD_DOCUMENTS)
        elif options.changed:
            # Blocks of Swift need the libraries.
            failures += documents(Path(folder) / "documents", [draw([one for one in BAD_DOCUMENTS if "swift" not in one[1]], "documents")])
            count += 1
        if is_whole:
            failures += undeclared_import(Path(folder) / "undeclared")
            count += 1
    for failure in failures:
        print(f"✗ {failure}", file=sys.stderr)
    if is_whole and not failures:
        RECORD.write_text(json.dumps(tested, indent=1) + "\n", encoding="utf-8")
    print(f"{count} violations planted, {len(failures)} failures ({time.monotonic() - start:.0f} s)")
    return 1 if failures else 0


@contextmanager
def written(file: Path, text: str, old: str | None):
    """Writes a file for a moment, of which `old` was the text, or None if there was none."""
    made = [folder for folder in file.parents if not folder.exists()]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    try:
        yield
    finally:
        if old is None:
            file.unlink()
        else:
            file.write_text(old, encoding="utf-8")
        for folder in made:
            folder.rmdir()


def raised_limits(folder: Path) -> list[str]:
    """Tests that the rule `limits` finds a commit that raises a limit, and no other."""
    tests = folder / "Tests"
    tests.mkdir(parents=True)
    tree = Tree(folder)

    def committed(message: str, text: str) -> int:
        (tests / "ATests.swift").write_text(text, encoding="utf-8")
        settings = ("-c", "user.name=planted", "-c", "user.email=planted")
        tree.run("git", "add", ".")
        tree.run("git", *settings, "commit", "-q", "--allow-empty", "-m", message)
        return len(found("limits", tree))

    tree.run("git", "init", "-q")
    line = "wait(timeout: .seconds({}), of: {})\n"
    cases = [
        ("a limit raised before the rule existed", 0, "Wait", line.format("1_000", 5)),
        ("a lowered limit", 0, "Wait less", line.format(100, 5)),
        ("a raised limit with its cause", 0, "Wait\n\nCause: the disk was full.", line.format(200, 5)),
        ("a raised limit", 1, "Wait", line.format(300, 5)),
        ("a cause that a later commit gives", 0, "", line.format(300, 5)),
        ("a changed number in another line", 0, "Count", line.format(300, 5) + "let count = 1\n"),
        ("a raised number in another line", 0, "Count", line.format(300, 5) + "let count = 2\n"),
    ]
    failures = []
    committed("First", line.format(5, 5))
    for number, (what, wanted, message, text) in enumerate(cases):
        if number == 1:
            rule = folder / "Tests/Tools/rules/limits.py"
            rule.parent.mkdir(parents=True)
            rule.write_text("", encoding="utf-8")
            committed("The rule", cases[0][3])
        if not message:
            message = f"Say why\n\nCause of {tree.run('git', 'rev-parse', 'HEAD')[1].strip()[:12]}: the disk was full."
        if (count := committed(message, text)) != wanted:
            failures.append(f"limits finds {count} and not {wanted} raised limits in {what}")
        else:
            print(f"✓ limits finds {wanted} raised limits in {what}")
    return failures


def planted_alone(folder: Path, tree: Tree, rule: str, path: str, change) -> list[tuple[str, str]]:
    """The findings that are new after a change, in a folder with that file and the settings of the formatter alone."""
    folder.mkdir(exist_ok=True)
    shutil.copyfile(tree.root / ".swift-format", folder / ".swift-format")
    old = tree.text(path) if tree.exists(path) else None
    before = {}
    if old is not None:
        with written(folder / path, old, None):
            before = found(rule, Tree(folder))
    with written(folder / path, change(old or ""), None):
        return new_findings(found(rule, Tree(folder)), before)


def new_findings(after: dict, before: dict) -> list[tuple[str, str]]:
    return [key for key, count in after.items() if count > before.get(key, 0)]


def undeclared_import(package: Path) -> list[str]:
    """Tests that the build setting against undeclared imports works."""
    files = {
        "Package.swift": '// swift-tools-version: 6.3\nimport PackageDescription\nlet package = Package(name: "Planted", '
        'targets: [.target(name: "A"), .target(name: "B")])\n',
        "Sources/A/A.swift": "public let a = 1\n",
        "Sources/B/B.swift": "import A\n",
    }
    for name, text in files.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["swift", "build", "--package-path", str(package), "--explicit-target-dependency-import-check", "error"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )
    if done.returncode != 0 and "imports" in done.stdout and "A" in done.stdout:
        print("✓ the build finds an undeclared import")
        return []
    return [f"the build does not find an undeclared import: {done.stdout[-400:]}"]


def documents(folder: Path, chosen: list[tuple[str, str]]) -> list[str]:
    folder.mkdir()
    script = folder / "inkling"
    script.write_text(COMMAND_LINE, encoding="utf-8")
    script.chmod(0o755)
    failures = []
    for number, (what, text) in enumerate(chosen):
        document = folder / f"{number}.md"
        document.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [HERE / "documents.py", document], env={**os.environ, "INKLING": str(script), "INKLING_KIT": str(script)},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )
        if not what and done.returncode != 0:
            failures.append(f"documents.py reports a correct document: {done.stdout}")
        elif what and (done.returncode != 1 or f"{number}.md:" not in done.stdout):
            failures.append(f"documents.py does not find {what}: {done.stdout}")
        elif what:
            print(f"✓ documents.py finds {what}")
    return failures


if __name__ == "__main__":
    sys.exit(main())
