"""What a step of the gate runs of a long list: a choice that is a function of the commit, so that one commit is always judged
alike and many commits together run everything."""

import hashlib
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def draw(choices: list, purpose: str):
    """One of the choices, drawn by the tree of the commit that is checked out; outside a checkout always the same one."""
    done = subprocess.run(["git", "rev-parse", "HEAD^{tree}"], cwd=ROOT, capture_output=True, text=True, check=False)
    drawn = hashlib.sha256(f"{done.stdout.strip() if done.returncode == 0 else ''} {purpose}".encode()).digest()
    return choices[int.from_bytes(drawn[:8], "big") % len(choices)]
