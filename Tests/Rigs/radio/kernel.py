"""The kernel of the time travel rig: Debian's source, built as an ordinary program of this machine (User Mode Linux).

Debian's own package of such a kernel has no Bluetooth, so that it is built here, once for each version and configuration, and
kept under .build/radio. Nothing is installed.
"""

import os
import shutil
import tempfile
import time
from pathlib import Path

from image import CACHE, Missing, checked, complete, digest, download, locked, resolve

SOURCE = "linux-source-6.1"
CONFIGURATION = Path(__file__).resolve().parent / "kernel.config"
TOOLS = ("bc", "bison", "flex", "gcc", "make", "xz")
# To be increased when the way in which a kernel is built changes.
FORMAT = 1


def prepare_kernel(say=print):
    """Returns the kernel, a program for this machine, which is built if the source or the configuration has changed."""
    for tool in ("apt-get", "dpkg-deb", *TOOLS):
        if not shutil.which(tool):
            raise Missing(f"`{tool}` is missing; install it with: .ci/setup radio (this rig requires Debian or a relative)")
    if os.uname().machine != "x86_64":
        raise Missing(f"the kernel is for x86_64, and this machine is {os.uname().machine}")
    CACHE.mkdir(parents=True, exist_ok=True)
    version = dict(resolve((SOURCE,)))[SOURCE]
    wanted = [line for line in CONFIGURATION.read_text(encoding="ascii").splitlines() if line and not line.startswith("#")]
    folder = CACHE / f"kernel-{digest(SOURCE, version, wanted, FORMAT)}"
    with locked("kernel.lock"):
        if not folder.exists():
            begun = time.monotonic()
            [deb] = download([(SOURCE, version)])
            complete(folder, lambda whole: build(whole, deb, wanted))
            say(f"  kernel: built {SOURCE} {version} in {time.monotonic() - begun:.0f} s")
    return folder / "linux"


def build(folder, deb, wanted):
    """Fills a folder with the kernel. Every wanted line must have been taken, as otherwise a part would be missing silently."""
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="source-") as unpacked:
        checked("dpkg-deb", "-x", deb, unpacked)
        checked("tar", "-C", unpacked, "-xJf", Path(unpacked) / f"usr/src/{SOURCE}.tar.xz")
        tree, output, fragment = Path(unpacked) / SOURCE, Path(unpacked) / "output", Path(unpacked) / "fragment"
        fragment.write_text("\n".join(wanted) + "\n", encoding="ascii")
        make = ("make", "-C", tree, f"O={output}", "ARCH=um")
        checked(*make, f"KCONFIG_ALLCONFIG={fragment}", "allnoconfig")
        taken = set((output / ".config").read_text(encoding="ascii").splitlines())
        if absent := [line for line in wanted if line not in taken]:
            raise Missing(f"{SOURCE} has not taken {', '.join(absent)}")
        checked(*make, f"-j{os.cpu_count()}", "linux")
        folder.mkdir()
        checked("strip", "-o", folder / "linux", output / "linux")
