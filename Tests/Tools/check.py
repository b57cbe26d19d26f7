#!/usr/bin/env python3
"""Runs the static checks: check.py [--root DIR] [RULE…]. Prints file, line, rule and message of each finding."""

import argparse
import importlib
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from requirements_page import write_page  # noqa: E402
from tree import Tree  # noqa: E402

RULES = [
    "format", "words", "purity", "confined", "labels", "specs", "refusals", "terms", "requirements", "generator", "links",
    "package", "houses", "numbers", "sockets", "waits", "workflow", "figures", "suites", "costs", "quarantine", "limits",
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--write-map", action="store_true", help="write Specs/requirements.md and exit")
    parser.add_argument("rules", nargs="*", metavar="RULE", help=f"any of: {', '.join(RULES)}; default: all")
    arguments = parser.parse_args()
    unknown = set(arguments.rules) - set(RULES)
    if unknown:
        parser.error(f"unknown rule {', '.join(sorted(unknown))}")

    tree = Tree(arguments.root)
    if arguments.write_map:
        write_page(tree)
        return 0
    failed = []
    for name in arguments.rules or RULES:
        rule = importlib.import_module(f"rules.{name}")
        start = time.monotonic()
        found = sorted(set(rule.findings(tree)))
        for finding in found:
            kind = "note" if finding.is_note else "error"
            print(f"{finding.path}:{finding.line}: {kind}: [{name}] {finding.message}")
        faults = sum(not finding.is_note for finding in found)
        if faults:
            failed.append(name)
        mark = "✗" if faults else "✓"
        print(f"{mark} {name}: {rule.TITLE} ({faults} found, {time.monotonic() - start:.1f} s)")
    if failed:
        print(f"\nStatic checks failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
