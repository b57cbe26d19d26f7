#!/usr/bin/env python3
"""Tests that failed without a change of what they test run without a vote: Tests/quarantine.json, at most ten.

  quarantine.py skip             the option of `swift test` that leaves them out, or nothing when the list is empty
  quarantine.py filter           the option that runs them alone, or nothing
  quarantine.py run COMMAND…     runs COMMAND (a `swift test …`) with that option, and reports without a vote: the exit code is
                                 0, whatever the tests do

An entry has the name that `swift test list` prints (test), the cause as far as it is known (cause), the day on which it was
entered (date) and the commit at which it failed (commit). It leaves the list with a mend that forces the failure.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

LIST = "Tests/quarantine.json"
ROOT = Path(__file__).resolve().parents[2]


def entries(text: str) -> list[dict[str, str]]:
    return json.loads(text)


def expression(tests: list[str]) -> str:
    """A regular expression for exactly these tests, without a character that a shell treats in a special way after a substitution.

    Nothing marks its end: the place of a test in its file follows its name, which ends with its parameters.
    """
    return "^(" + "|".join(re.sub(r"[^A-Za-z0-9_/|]", ".", test) for test in tests) + ")"


def option(name: str) -> list[str]:
    """`--skip` or `--filter` with the tests; nothing for an empty list, since an empty expression is found in every name."""
    tests = [entry["test"] for entry in entries((ROOT / LIST).read_text(encoding="utf-8"))]
    return [f"--{name}", expression(tests)] if tests else []


def run(command: list[str]) -> None:
    words = option("filter")
    if not words:
        print("no test is in quarantine")
        return
    done = subprocess.run([*command, *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    ended = re.findall(r"^\W*(Test (?!run ).* (?:passed|failed) after .*)$", done.stdout, re.MULTILINE)
    print("\n".join(f"quarantine, no vote: {line}" for line in ended))
    wanted = len(entries((ROOT / LIST).read_text(encoding="utf-8")))
    if done.returncode != 0 or len(ended) < wanted:
        print(f"quarantine, no vote: status {done.returncode}, {len(ended)} of at least {wanted} tests reported\n{done.stdout[-2000:]}")


def main() -> int:
    verb = sys.argv[1] if len(sys.argv) > 1 else ""
    if verb in ("skip", "filter") and len(sys.argv) == 2:
        print(" ".join(option(verb)))
    elif verb == "run" and len(sys.argv) > 2:
        run(sys.argv[2:])
    else:
        print(__doc__, file=sys.stderr)
        return 64
    return 0


if __name__ == "__main__":
    sys.exit(main())
