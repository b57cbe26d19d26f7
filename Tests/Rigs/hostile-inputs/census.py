#!/usr/bin/env python3
"""Counts the hostile inputs: every named input that a parser must refuse, by parser, class and stage.

    Tests/Rigs/hostile-inputs/census.py [--list]

The inputs of the protocol's parsers are the refusals in the vector files, which test every implementation. The inputs of the
parsers of files and lines are in this folder. Fails when a parser has too few inputs, or two inputs are the same.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TESTS = [path for path in (ROOT / "Tests").rglob("*Tests.swift") if "hostileInputs(" in path.read_text(encoding="utf-8")]
LEAST_IN_ALL = 300
# Each parser of external bytes, and the least number of its classes.
PARSERS = {
    "ad-structures": 5, "ibeacon-decode": 20, "service-uuids-decode": 5, "overflow-match": 8, "nan-frame-decode": 10,
    "nan-service-descriptor-decode": 15, "nan-name": 20, "card-decode": 50, "grant-decode": 50, "invitation-decode": 12,
    "text-decode": 40, "noise": 100, "open-sealed-grant": 12, "confirm-payload-decode": 5,
    "first-contact-payload-decode": 10, "packet-decode": 20, "tcp-frame-decode": 5, "gatt-reassemble": 15,
    "record-decode": 15, "hello-decode": 10, "message-decode": 12, "state-decode": 25, "file-decode": 30, "json": 40, "vector-file": 30, "report": 12,
    "mdns-decode": 250, "mdns-address": 40, "service-name": 30, "mdns-packet": 50, "endpoint-text": 40, "sighting-line": 45, "prediction-file": 50, "binary-predictions": 50,
    "vault-header": 35, "vault-contents": 45, "control-message": 35,
}  # fmt: skip


def of_vectors():
    """Yields parser, class and stage of each refusal in a vector file, except those of malformed arguments."""
    for path in sorted((ROOT / "Vectors").glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        for case in content["cases"]:
            error = case.get("error")
            if error and error["stage"] != "arguments" and content["operation"] in PARSERS:
                yield content["operation"], case["comment"], f"{error['stage']}/{error['reason']}"


def of_this_folder():
    for path in sorted(Path(__file__).parent.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["parser"] != path.stem or not reads(content["parser"]):
            sys.exit(f"{path}: no test reads the inputs of {content['parser']}")
        for case in content["cases"]:
            yield content["parser"], case["class"], case["refusal"]


def reads(parser):
    """Whether a test names the parser as an argument for `hostileInputs`."""
    return any(f'"{parser}"' in path.read_text(encoding="utf-8") for path in TESTS)


def main():
    own = list(of_this_folder())
    inputs = sorted({*of_vectors(), *own})
    counts = {parser: sum(one[0] == parser for one in inputs) for parser in PARSERS}
    if sys.argv[1:] == ["--list"]:
        for parser, name, stage in inputs:
            print(f"{parser}  {stage}  {name}")
    findings = [f"{parser}: {counts[parser]} inputs, fewer than {least}" for parser, least in PARSERS.items()
                if counts[parser] < least]
    findings += [f"{one[0]}: two inputs '{one[1]}'" for one in sorted(set(own)) if own.count(one) > 1]
    findings += [f"{parser}: no parser of the list" for parser in sorted({one[0] for one in own} - set(PARSERS))]
    if len(inputs) < LEAST_IN_ALL:
        findings.append(f"{len(inputs)} inputs, fewer than {LEAST_IN_ALL}")
    print("\n".join(findings + [f"{len(inputs)} hostile inputs to {len(PARSERS)} parsers, {len(findings)} findings"]))
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
