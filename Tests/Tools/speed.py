"""How fast this machine is: the processor time of a fixed loop (speed.c) against the 2 s of the machine of reference."""

import os
import resource
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "Tests/Tools/speed.c"
PROGRAM = ROOT / ".build/speed"
REFERENCE_SECONDS = 2.0
# What the loop computes. A compiler that left a part of it out would give another number.
RESULT = "153010533"


def used() -> float:
    """The processor seconds of all children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def speed() -> float:
    """2 on a machine that is twice as fast as the machine of reference, by the faster of two runs of the loop."""
    if not PROGRAM.exists() or PROGRAM.stat().st_mtime < SOURCE.stat().st_mtime:
        PROGRAM.parent.mkdir(exist_ok=True)
        # The toolchain contains clang, so that the compiler is the same on every distribution.
        compiler = shutil.which("clang") or Path(os.path.realpath(shutil.which("swift") or "")).parent / "clang"
        subprocess.run([compiler, "-O1", "-o", PROGRAM, SOURCE], check=True)
    best = None
    for _ in range(2):
        before = used()
        result = subprocess.run([PROGRAM], capture_output=True, text=True, check=True).stdout.strip()
        if result != RESULT:
            raise RuntimeError(f"the loop of {SOURCE.name} computed {result} instead of {RESULT}")
        best = min(best or used() - before, used() - before)
    return REFERENCE_SECONDS / best


def machine() -> str:
    """The processors and the memory of this machine."""
    facts = {}
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        facts.setdefault(name.strip(), value.strip())
    name = facts.get("model name") or facts.get("CPU part") or "unknown"
    model = f" (family {facts['cpu family']}, model {facts['model']})" if "cpu family" in facts else ""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores of {name}{model}, {memory:.0f} GiB"
