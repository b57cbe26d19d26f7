"""The root of the guest: Debian's kernel and packages, and on top of them the program under test and the rigs.

Packages are downloaded by apt as for an empty machine and unpacked; nothing is installed on this machine. What does not depend on
the sources is kept in .build/radio by a hash of what it is made from, beside the images of the Bluetooth rig.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "radio"))
import image  # noqa: E402
from image import CACHE, ROOT, Missing, checked  # noqa: E402

PACKAGES = (
    "avahi-daemon", "avahi-utils", "busybox-static", "coreutils", "dash", "dbus", "dbus-bin", "dbus-daemon",
    "dbus-system-bus-common", "iproute2", "kmod", "libnss-mdns", "libqrencode4", "libsodium23", "libsqlite3-0", "libstdc++6",
    "libsystemd0", "linux-image-amd64", "procps", "python3", "python3-async-timeout", "python3-ifaddr", "python3-zeroconf", "tcpdump",
)
# Taken too when one of these needs them.
NEEDED = r"lib(?!perl)(?!.*-perl$)|linux-image-\d|python3(\.\d+)?(-minimal)?$|media-types$|netbase$|zlib1g$"
# Loaded by the kernel when a link or a queue of their kind is created.
MODULES = ("bridge", "veth", "sch_netem", "dummy")
ACCOUNTS = {
    "etc/passwd": "root:x:0:0::/root:/bin/sh\nmessagebus:x:100:100::/:/bin/false\navahi:x:101:101::/:/bin/false\n"
                  "node:x:1000:1000::/tmp:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n",
    "etc/group": "root:x:0:\nmessagebus:x:100:\navahi:x:101:\nnode:x:1000:\nnetdev:x:102:\nnogroup:x:65534:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "etc/machine-id": "0" * 31 + "1\n",
}
LOADER = "usr/lib64/ld-linux-x86-64.so.2"
# To be increased when the way in which a root is built changes.
FORMAT = 2
# Parts of packages that nothing in the guest reads.
PRUNED = ("boot", "usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/info", "usr/share/lintian", "usr/lib/systemd",
          "usr/share/bash-completion", "usr/lib/x86_64-linux-gnu/gconv", "usr/share/zoneinfo", "usr/lib/python3.11/test")


def prepare(say=print):
    """Returns the folder with `kernel` and `base.cpio`, which are made if they have changed."""
    for tool in ("apt-get", "dpkg-deb", "cpio", "qemu-system-x86_64"):
        if not shutil.which(tool):
            raise Missing(f"`{tool}` is missing; install it with: .ci/setup radio (the stage requires Debian or a relative)")
    CACHE.mkdir(parents=True, exist_ok=True)
    chosen = image.resolve(PACKAGES, NEEDED)
    base = CACHE / f"stage-{image.digest(chosen, MODULES, ACCOUNTS, PRUNED, FORMAT)}"
    with image.locked():
        if not base.exists():
            debs = image.download(chosen)
            image.complete(base, lambda folder: build(folder, debs))
            for other in CACHE.glob("stage-*"):
                if other != base:
                    shutil.rmtree(other)
            say(f"  stage: made {base.relative_to(ROOT)}, {(base / 'base.cpio').stat().st_size / 1e6:.0f} MB")
    return base


def build(folder, debs):
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="unpacked-") as unpacked:
        source, root = Path(unpacked) / "source", Path(unpacked) / "root"
        for deb in debs:
            checked("dpkg-deb", "-x", deb, source)
        kernel = image.one_file(source, "boot/vmlinuz-*").read_bytes()
        for name in ("usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "dev", "etc", "proc", "root", "run", "sys", "tmp", "var/lib",
                     "stage"):
            (root / name).mkdir(parents=True)
        for name in ("bin", "sbin", "lib", "lib64"):
            (root / name).symlink_to(f"usr/{name}")
        (root / "var/run").symlink_to("/run")
        for name in PRUNED:
            shutil.rmtree(source / name, ignore_errors=True)
        merge(source, root)
        # Here the absolute link of the package would lead to the loader of this machine.
        (root / LOADER).unlink()
        image.copy(image.one_file(root, "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.*"), root / LOADER)
        for name, text in ACCOUNTS.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="ascii")
        for name in checked(root / "usr/bin/busybox", "--list").split():
            if name not in ("init", "linuxrc") and not any(os.path.lexists(root / place / name) for place in ("usr/bin", "usr/sbin")):
                (root / "usr/bin" / name).symlink_to("/usr/bin/busybox")
        image.add_modules(source, root, (), MODULES)
        compile_python(root, root / "usr/lib/python3", root / "usr/lib/python3.11")
        folder.mkdir()
        (folder / "kernel").write_bytes(image.unpacked_kernel(kernel))
        pack(root, folder / "base.cpio")
        # The same compiler takes the rigs.
        shutil.copytree(root, folder / "root", symlinks=True)


def pack(root, file):
    """Writes an archive in which no date says when it was made."""
    for path in root.rglob("*"):
        os.utime(path, (0, 0), follow_symlinks=False)
    image.archive(root, file)


def merge(source, root):
    """Moves what packages contain to where a system with one /usr has it, but for the modules of the kernel."""
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source)
        if name.parts[0] in ("bin", "sbin", "lib", "lib64"):
            name = Path("usr") / name
        if name.parts[:3] == ("usr", "lib", "modules"):
            continue
        target = root / name
        if path.is_symlink():
            if not os.path.lexists(target):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(os.readlink(path))
        elif path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        elif path.is_file() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)


def compile_python(root, *folders):
    """Writes the byte code of Python files for the interpreter of the guest, which would compile them at each start."""
    python = next((root / "usr/bin").glob("python3.[0-9]*"))
    environment = {"PYTHONHOME": str(root / "usr"), "LC_ALL": "C.UTF-8"}
    done = subprocess.run([root / LOADER, "--library-path", root / "usr/lib/x86_64-linux-gnu", python, "-m", "compileall", "-q",
                           "--invalidation-mode", "unchecked-hash", *folders], env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise Missing(f"the Python of the guest does not compile: {done.stderr.strip()}")


# What changes with the sources

def payload(base, folder, command, limit, programs=()):
    """Writes an archive of the rigs, of the programs under test and of the command, to lie over the base."""
    root = Path(folder) / "payload"
    repository = root / "stage/repository"
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "Tests/Rigs", "Sources/Bindings/python/inkling"],
                            cwd=ROOT, capture_output=True, check=True)
    for name in listed.stdout.decode().split("\0")[:-1]:
        if (ROOT / name).is_file():
            (repository / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, repository / name)
    compile_python(base / "root", repository)
    for source, name in programs:
        add_program(base, source, root, repository / name)
    (root / "stage").mkdir(parents=True, exist_ok=True)
    (root / "stage/command").write_text(command, encoding="utf-8")
    (root / "stage/limit").write_text(f"limit={limit}\n", encoding="utf-8")
    shutil.copy(HERE / "init", root / "init")
    (root / "init").chmod(0o755)
    pack(root, Path(folder) / "payload.cpio")
    with open(Path(folder) / "initrd", "wb") as initrd:
        for part in (base / "base.cpio", Path(folder) / "payload.cpio"):
            initrd.write(part.read_bytes())


def add_program(base, source, root, target):
    """Copies a program or library without its symbols, and the libraries that are not of a package of the guest: Swift's own."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if subprocess.run(["strip", "-o", target, source], check=False, capture_output=True).returncode:
        shutil.copy(source, target)
    listed = subprocess.run(["ldd", source], capture_output=True, text=True, check=False).stdout
    for name, path in re.findall(r"^\s*(\S+) => (/\S+) \(", listed, re.MULTILINE):
        if (base / "root/usr/lib/x86_64-linux-gnu" / name).exists():
            continue
        copy = root / path.lstrip("/")
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["strip", "-o", copy, path], check=True)
