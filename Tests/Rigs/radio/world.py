"""A world of User Mode Linux with a real bluetoothd, whose time skips every moment in which nothing happens.

    done = travel(World(kernel, root), "radio adapters", folder)

One job runs in a world of its own, from its boot to its end. A world with skipped time has no peer outside: the host would always
answer too late. `limit` is in seconds of real time, and ends the world whatever it does. Nothing requires root.
"""

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from image import CACHE, Missing, checked, complete, digest, locked, prepare
from machine import GRACE_SECONDS, KINDS, MARKER, Failed
from kernel import prepare_kernel

MEMORY = "192M"
# To be increased when the way in which a root is made changes.
FORMAT = 1


@dataclass(frozen=True)
class World:
    """What a world is made from: the kernel, which is a program of this machine, and a folder that is its root."""

    kernel: Path
    root: Path


@dataclass(frozen=True)
class Travelled:
    """The end of the job of a world. `seconds` are of real time, from start to end."""

    status: int
    output: str
    seconds: float


def prepare_world(say=print):
    """Returns kernel and root, which are made from the image of the virtual machine if that has changed."""
    image = prepare(say)
    kernel = prepare_kernel(say)
    root = CACHE / f"root-{digest(image.name, FORMAT)}"
    with locked():
        if not root.exists():
            complete(root, lambda folder: unpack(image.initrd, folder))
    return World(kernel, root)


def unpack(initrd, folder):
    """Unpacks both archives of an image into a folder that a world mounts, which needs no right to write to it."""
    folder.mkdir()
    with open(initrd, "rb") as archives:
        done = subprocess.run(["sh", "-c", "while cpio --extract --quiet --make-directories --unconditional; do :; done"], cwd=folder,
                              stdin=archives, capture_output=True, check=False)
    if not (folder / "usr/bin/radio").exists():
        raise Missing(f"cpio has not unpacked the image: {done.stderr.decode().strip()}")
    (folder / "etc/bluetooth").mkdir(exist_ok=True)


def travel(world, script, folder, controllers=2, kind="extended", main_conf="", options=(), limit=120, begin=None, expect=0,
           is_exact=False, lines=(), memory=MEMORY):
    """Runs a script in a world with controllers and bluetoothd, and returns its end.

    The work folder is /shared in the world; logs and the capture `radio.btsnoop` are there afterwards. `begin` is the Unix time at
    the boot; without it, the present. `is_exact`: work takes no time in the world. Without that it takes as long as it takes here,
    up to seconds on a busy machine; with it, a program that waits for the time without sleeping waits until the limit. `lines`: the
    far ends of serial lines /dev/ttyS0 and so on; with them no time is skipped, so that peers outside can reply.
    """
    if kind not in KINDS:
        raise ValueError(f"invalid kind of controllers '{kind}'; the kinds are {', '.join(KINDS)}")
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("main.conf", main_conf), ("bluetoothd.options", " ".join(options) + "\n"), ("job.sh", script + "\n"),
                       ("start.sh", f"radio start {controllers} {kind} /shared/radio.btsnoop\n")):
        (folder / name).write_text(text, encoding="utf-8")
    for name in ("status", "radio.btsnoop"):
        (folder / name).unlink(missing_ok=True)
    begun = time.monotonic()
    was_killed = run(world, folder, begin, limit, is_exact, lines, memory)
    said = (folder / "console.txt").read_text(encoding="utf-8", errors="replace")
    if was_killed:
        raise Failed(f"the world was killed after its limit of {limit} s of real time{tail(said)}")
    if MARKER not in said:
        raise Failed(f"the world ended without the marker '{MARKER}'{tail(said)}")
    status = int((folder / "status").read_text(encoding="ascii"))
    output = (folder / "job.out").read_text(encoding="utf-8", errors="replace")
    if expect is not None and status != expect:
        raise Failed(f"the job ended with {status} instead of {expect}{tail(output)}")
    return Travelled(status, output, time.monotonic() - begun)


def run(world, folder, begin, limit, is_exact, lines, memory):
    """Runs a world to its end, and returns whether it had to be killed."""
    with tempfile.TemporaryDirectory(prefix="inkling-world-", dir="/tmp") as control:
        words = [world.kernel, f"mem={memory}", "root=host", "rootfstype=hostfs", f"rootflags={world.root}", "ro", "init=/usr/bin/world",
                 "con=null", "con0=fd:0,fd:1", "quiet", f"uml_dir={control}", "umid=world", f"WORK={folder}"]
        if lines:
            words += [f"ssl{number}=fd:{line.fileno()}" for number, line in enumerate(lines)]
        else:
            words += ["time-travel=inf-cpu" if is_exact else "time-travel", f"time-travel-start={int((begin or time.time()) * 1e9)}"]
        # The memory of a world is a file that must be executable, and /tmp need not be.
        with open(folder / "console.txt", "wb") as console:
            process = subprocess.Popen(["timeout", "--foreground", "-k", "5", str(limit + 10), *map(str, words)], stdin=subprocess.DEVNULL,
                                       stdout=console, stderr=subprocess.STDOUT, start_new_session=True,
                                       pass_fds=[line.fileno() for line in lines],
                                       env={**os.environ, "TMPDIR": "/dev/shm"})
        try:
            process.wait(limit)
            return False
        except subprocess.TimeoutExpired:
            return True
        finally:
            end(process, Path(control) / "world/pid")


def end(process, pid_file):
    """Ends a world with all its processes, which are a group of their own: those that remained would use a processor for ever."""
    if process.poll() is None:
        with contextlib.suppress(OSError, ValueError):
            os.killpg(int(pid_file.read_text(encoding="ascii")), signal.SIGKILL)
        process.terminate()
    process.wait(GRACE_SECONDS)


def tail(said, count=40):
    return "\nthe last lines are:\n" + "\n".join(f"  | {line}" for line in said.splitlines()[-count:])
