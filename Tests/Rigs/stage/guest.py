"""A virtual machine whose time is made of its instructions, in which a rig runs as on a network of its own.

An instruction takes 1 ns of the guest's time. While nothing happens in the guest its time jumps to the next timer, and it stands
still while this machine does other work; the guest has no device at which it would wait for this machine. What a rig measures in it
is therefore a function of the kernel, the programs and the seed, and no matter of how fast this machine is.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import root
from root import Missing

# The seed of all randomness in the guest, and the time at which its clock begins: five minutes into an epoch.
SEED, DATE = 33, "2026-06-01T12:05:00"
# The rest saves instructions. With `norandmaps` a program has the same addresses each time it starts; QEMU would translate it anew at
# others, which takes as long again as running it.
KERNEL_LINE = ("console=ttyS0 quiet loglevel=3 panic=-1 random.trust_cpu=on net.ifnames=0 norandmaps "
               "mitigations=off cryptomgr.notests init_on_alloc=0 apparmor=0 audit=0 tsc=reliable")
MEMORY = 1024
# Without AVX and page tables of five levels it takes a tenth less to emulate; with erms and fsrm the kernel would copy byte by byte,
# each an instruction.
PROCESSOR = "qemu64,+rdrand,+ssse3,+sse4.1,+sse4.2,+popcnt"
# A guest prints something every 5 s of its time. One that prints nothing for so many seconds of real time hangs.
HANG = 600
MARK = "stage: "
# The processes of the machines that were started, the last one last.
machines = []
# The C library where the rigs find it, and that of the debug build.
LIBRARIES = (".build/c/stage/lib/libinkling.so.1", ".build/node/debug/libInklingCABI.so")


class Hang(Exception):
    """No time has passed in the guest for ten minutes. That says nothing about the program under test."""


class Lost(Exception):
    """The guest has ended too early."""


@dataclass
class Ended:
    """How a command in the guest ended: its status (124 when it was over its limit), the seconds that passed in the guest and here."""

    status: int
    virtual: float
    real: float
    processor: float = 0.0


def programs(others=()):
    """The programs under test, the C library where it was built, and further programs, as (file here, name in the guest)."""
    found = []
    for variable, name in (("INKLING", ".build/inkling"), ("INKLING_KIT", ".build/inkling-kit")):
        program = Path(os.environ.get(variable) or root.ROOT / name)
        if not os.access(program, os.X_OK):
            raise Missing(f"{program} is missing; build it with: make build")
        found.append((program, name))
    library = next((root.ROOT / name for name in LIBRARIES if (root.ROOT / name).exists()), None)
    return [*found, *([(library, LIBRARIES[0])] if library else []), *((root.ROOT / name, name) for name in others)]


def qemu(base, initrd, console, seed):
    # No machine outlives the thread that started it.
    return ["setpriv", "--pdeathsig", "KILL", "qemu-system-x86_64", "-M", "microvm", "-accel", "tcg,thread=single",
            "-icount", "shift=0,sleep=off", "-cpu", PROCESSOR, "-smp", "1", "-m", str(MEMORY), "-seed", str(seed), "-rtc",
            f"base={DATE},clock=vm", "-no-reboot", "-nodefaults", "-no-user-config", "-display", "none",
            "-kernel", str(base / "kernel"), "-initrd", str(initrd), "-append", KERNEL_LINE, "-serial", f"file:{console}"]


def perform(command, programs=(), limit=14_400, seed=SEED, say=print, keep=None):
    """Runs a shell command in the folder of the repository of a guest, and hands each line that it prints to `say`.

    `programs`: (file here, its name in the repository of the guest). `limit`: seconds of the guest.
    """
    base = root.prepare(say)
    with tempfile.TemporaryDirectory(prefix="inkling-stage-", dir="/tmp") as temporary:
        folder = Path(temporary)
        if keep:
            folder = Path(keep)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        root.payload(base, folder, command, limit, programs)
        console = folder / "console"
        console.touch()
        begun = time.monotonic()
        with open(folder / "qemu.log", "w", encoding="utf-8") as log:
            machine = subprocess.Popen(qemu(base, folder / "initrd", console, seed), stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=subprocess.STDOUT)
        machines.append(machine.pid)
        try:
            ended = listen(machine, console, say)
        finally:
            # Popen would collect the process, and with it the time that it has used.
            os.kill(machine.pid, signal.SIGKILL)
            _, machine.returncode, used = os.wait4(machine.pid, 0)
        ended.real, ended.processor = time.monotonic() - begun, used.ru_utime + used.ru_stime
        return ended


def listen(machine, console, say):
    """Reads the console until the guest says that its command has ended."""
    heard, partial = time.monotonic(), ""
    with open(console, encoding="utf-8", errors="replace", newline="\n") as lines:
        while True:
            # What a machine that has ended has printed before is still to be read.
            is_over = os.waitid(os.P_PID, machine.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
            text = lines.read()
            if not text:
                if is_over:
                    said = (console.parent / "qemu.log").read_text(encoding="utf-8", errors="replace")
                    raise Lost(f"the guest ended before its command did; what it printed is above\n{said}".rstrip())
                if time.monotonic() - heard > HANG:
                    raise Hang(f"HANG: no time has passed in the guest for {HANG} s")
                time.sleep(0.1)
                continue
            heard = time.monotonic()
            *whole, partial = (partial + text).split("\n")
            for line in whole:
                line = line.rstrip("\r")
                if told := re.fullmatch(MARK + r"ended (\d+) ([0-9.]+) ([0-9.]+)", line):
                    return Ended(int(told[1]), float(told[3]) - float(told[2]), 0.0)
                if not line.startswith(MARK):
                    say(line)
