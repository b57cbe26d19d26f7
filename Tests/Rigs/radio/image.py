"""The image of the virtual machine: Debian's own kernel, and a root file system with BlueZ that stays in memory.

The packages are downloaded by apt as for an empty machine, verified by apt, and unpacked; nothing is installed on this
machine. Kernel and root are kept under .build/radio by a hash of what they are made from.
"""

import contextlib
import fcntl
import hashlib
import lzma
import os
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
GUEST = Path(__file__).resolve().parent / "guest"
CACHE = ROOT / ".build/radio"

# The library packages that these depend on are taken too, and no others.
PACKAGES = (
    "bluez", "bluez-test-tools", "busybox-static", "coreutils", "dbus-bin", "dbus-daemon", "dbus-system-bus-common", "kmod",
    "libqrencode4", "libsodium23", "libsqlite3-0", "libstdc++6", "libsystemd0", "linux-image-amd64", "tcpdump",
)
PROGRAMS = (
    "bin/busybox", "bin/kmod", "bin/bluetoothctl", "bin/btattach", "bin/btmgmt", "bin/btmon", "bin/btvirt", "bin/dbus-daemon",
    "bin/dbus-monitor", "bin/dbus-send", "bin/tcpdump", "bin/timeout", "libexec/bluetooth/bluetoothd",
)
# What a Swift program with its own runtime needs, beside the libraries of the programs.
LIBRARIES = ("libgcc_s.so.1", "libm.so.6", "libqrencode.so.4", "libsodium.so.23", "libsqlite3.so.0", "libstdc++.so.6",
    "libsystemd.so.0")
FILES = ("usr/share/dbus-1/system.conf", "etc/dbus-1/system.d/bluetooth.conf")
# Loaded at the start in this order: drbg tests itself with the ciphers before it, and without it ecdh fails its own test.
MODULES = (
    "aes_generic", "hmac", "sha256_generic", "sha512_generic", "ctr", "ecb", "cmac", "seqiv", "ccm", "gcm", "drbg",
    "virtio_mmio", "virtio_pci", "virtio_rng", "virtio_console", "9pnet_virtio", "9p",
    "bluetooth", "hci_vhci", "hci_uart", "uhid", "algif_hash", "algif_skcipher",
)
# Loaded by the kernel when a link of their kind is created.
NETWORK_MODULES = ("bridge", "veth")
ACCOUNTS = {
    "etc/passwd": "root:x:0:0::/root:/bin/sh\nmessagebus:x:100:100::/:/bin/false\nnode:x:1000:1000::/tmp:/bin/sh\n"
                  "ada:x:1001:1001::/tmp:/bin/sh\nbob:x:1002:1002::/tmp:/bin/sh\n",
    "etc/group": "root:x:0:\nmessagebus:x:100:\nbluetooth:x:101:\nnode:x:1000:\nada:x:1001:\nbob:x:1002:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\n",
    "etc/machine-id": "0" * 31 + "1\n",
}
# To be increased when the way in which an image is built changes.
FORMAT = 2
LIBRARY_FOLDERS = ("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu")


class Missing(Exception):
    """The image cannot be made on this machine; the text says what is missing and what to do."""


@dataclass(frozen=True)
class Image:
    kernel: Path
    initrd: Path
    name: str
    packages: tuple[tuple[str, str], ...]

    def version_of(self, package):
        return dict(self.packages)[package]


def prepare(say=print, packages=PACKAGES):
    """Returns the image, which is built if its kernel, its packages or the scripts of the guest have changed."""
    for tool in ("apt-get", "dpkg-deb", "cpio"):
        if not shutil.which(tool):
            raise Missing(f"`{tool}` is missing; install it with: .ci/setup radio (this rig requires Debian or a relative)")
    machine = os.uname().machine
    if machine != "x86_64":
        raise Missing(f"the image is for x86_64, and this machine is {machine}")
    CACHE.mkdir(parents=True, exist_ok=True)
    chosen = resolve(packages)
    base = CACHE / f"base-{digest(chosen, PROGRAMS, LIBRARIES, FILES, MODULES, NETWORK_MODULES, ACCOUNTS, FORMAT)}"
    scripts = {path.name: path.read_text(encoding="utf-8") for path in sorted(GUEST.iterdir())}
    image = CACHE / f"image-{digest(base.name, scripts)}"
    with locked():
        if not base.exists():
            begun = time.monotonic()
            debs = download(chosen)
            said = f"downloaded {len(debs)} packages in {time.monotonic() - begun:.1f} s"
            begun = time.monotonic()
            complete(base, lambda folder: build_base(folder, debs))
            say(f"  image: {said}, unpacked them in {time.monotonic() - begun:.1f} s")
        if not image.exists():
            complete(image, lambda folder: build_initrd(folder, base, scripts))
            say(f"  image: made {image.relative_to(ROOT)}, {(image / 'initrd').stat().st_size / 1e6:.1f} MB")
    return Image(base / "kernel", image / "initrd", image.name, tuple(chosen))


def digest(*parts):
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


@contextlib.contextmanager
def locked(name="lock"):
    with open(CACHE / name, "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def complete(folder, fill):
    """Makes a folder that either exists whole or not at all."""
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="unfinished-") as unfinished:
        fill(Path(unfinished) / "whole")
        os.rename(Path(unfinished) / "whole", folder)


# Packages

def apt(*words, folder=CACHE):
    """Runs apt-get as if nothing were installed, with files of its own."""
    own = CACHE / "apt"
    for path in (own / "archives/partial", own / "empty"):
        path.mkdir(parents=True, exist_ok=True)
    (own / "status").touch()
    options = {
        "Dir::State::status": own / "status", "Dir::Cache": own, "Dir::Etc::preferencesparts": own / "empty",
        "APT::Architecture": "amd64", "APT::Install-Recommends": "false", "APT::Sandbox::User": "root", "Debug::NoLocking": "true",
    }
    return subprocess.run(
        ["apt-get", "-q", *(word for name, value in options.items() for word in ("-o", f"{name}={value}")), *words],
        cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"}, check=False)


def resolve(packages, needed=r"lib(?!perl)(?!.*-perl$)|linux-image-\d"):
    """Returns names and versions of the packages, and of those of which they need, as apt would install them: libraries and kernel."""
    done = apt("-s", "install", *packages)
    if done.returncode:
        raise Missing(f"apt cannot find the packages of the guest; try: apt-get update\n{done.stderr.strip()}")
    found = re.findall(r"^Inst (\S+) \((\S+) ", done.stdout, re.MULTILINE)
    is_needed = re.compile(needed).match
    return sorted((name, version) for name, version in found if name in packages or is_needed(name))


def download(chosen):
    """Returns the package files, of which those that are not in the cache are downloaded."""
    folder = CACHE / "packages"
    folder.mkdir(exist_ok=True)

    def file_of(name, version):
        return next(iter(folder.glob(f"{name}_{version.replace(':', '%3a')}_*.deb")), None)

    absent = [f"{name}={version}" for name, version in chosen if not file_of(name, version)]
    if absent:
        # A file that apt has only begun does not get into the folder.
        with tempfile.TemporaryDirectory(dir=CACHE, prefix="unfinished-") as partial:
            done = apt("download", *absent, folder=partial)
            if done.returncode:
                raise Missing(f"apt cannot download the packages of the guest; try: apt-get update\n{done.stderr.strip()}")
            for file in Path(partial).glob("*.deb"):
                os.rename(file, folder / file.name)
    files = [file_of(*package) for package in chosen]
    if None in files:
        raise Missing(f"apt did not download {chosen[files.index(None)]}")
    return files


# The root file system

def build_base(folder, debs):
    """Fills a folder with the kernel, and an archive of all that does not come from the scripts of the guest."""
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="unpacked-") as unpacked:
        source, root = Path(unpacked) / "source", Path(unpacked) / "root"
        for deb in debs:
            checked("dpkg-deb", "-x", deb, source)
        for name in ("usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "usr/libexec/bluetooth", "dev", "etc", "mnt", "proc", "root",
                     "run", "sys", "tmp", "var/lib/bluetooth", "shared"):
            (root / name).mkdir(parents=True)
        for name in ("bin", "sbin", "lib", "lib64"):
            (root / name).symlink_to(f"usr/{name}")
        (root / "var/run").symlink_to("/run")
        for name, text in ACCOUNTS.items():
            (root / name).write_text(text, encoding="ascii")
        for name in FILES:
            copy(source / name, root / name)
        add_programs(source, root)
        add_modules(source, root)
        folder.mkdir()
        (folder / "kernel").write_bytes(unpacked_kernel(one_file(source, "boot/vmlinuz-*").read_bytes()))
        archive(root, folder / "base.cpio")


def unpacked_kernel(kernel):
    """Returns the program inside a compressed kernel. Under emulation the kernel would need 4 s to unpack itself."""
    start = kernel.find(b"\xfd7zXZ\0")
    try:
        inside = lzma.LZMADecompressor().decompress(kernel[start:]) if start >= 0 else b""
    except lzma.LZMAError:
        inside = b""
    return inside if inside.startswith(b"\x7fELF") else kernel


def build_initrd(folder, base, scripts):
    """Joins two archives, which the kernel unpacks one over the other."""
    folder.mkdir()
    root = folder / "root"
    for name, text in scripts.items():
        path = root / ("init" if name == "init" else f"usr/bin/{name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    archive(root, folder / "scripts.cpio")
    with open(folder / "initrd", "wb") as initrd:
        for part in (base / "base.cpio", folder / "scripts.cpio"):
            initrd.write(part.read_bytes())
    shutil.rmtree(root)
    (folder / "scripts.cpio").unlink()


def add_programs(source, root):
    """Copies the programs and every library that their loader asks for."""
    loader = one_file(source, "lib/x86_64-linux-gnu/ld-linux-x86-64.so.*")
    copy(loader, root / "usr/lib64/ld-linux-x86-64.so.2")
    where = ":".join(str(source / name) for name in LIBRARY_FOLDERS)
    wanted = set()
    for name in PROGRAMS:
        path = next((path for path in (source / "usr" / name, source / name, source / name.replace("bin/", "sbin/", 1),
                                       source / "usr" / name.replace("bin/", "sbin/", 1)) if path.is_file()), None)
        if not path:
            raise Missing(f"no package of the guest contains {name}")
        copy(path, root / "usr" / name)
        wanted |= needed_libraries(loader, where, path)
    for name in LIBRARIES:
        path = next((source / place / name for place in LIBRARY_FOLDERS if (source / place / name).exists()), None)
        if not path:
            raise Missing(f"no package of the guest contains {name}")
        wanted |= {path} | needed_libraries(loader, where, path)
    for path in wanted:
        copy(path, root / "usr/lib/x86_64-linux-gnu" / path.name)
    for name in checked(root / "usr/bin/busybox", "--list").split():
        for place in ("usr/bin", "usr/sbin"):
            if not (root / place / name).exists() and name not in ("init", "linuxrc"):
                (root / place / name).symlink_to("/usr/bin/busybox")
                break
    for name in ("depmod", "insmod", "lsmod", "modprobe"):
        for place in ("usr/bin", "usr/sbin"):
            (root / place / name).unlink(missing_ok=True)
        (root / "usr/sbin" / name).symlink_to("/usr/bin/kmod")


def needed_libraries(loader, where, program):
    listed = subprocess.run([loader, "--library-path", where, "--list", program], capture_output=True, text=True, check=False)
    if "statically linked" in listed.stdout + listed.stderr or "not a dynamic executable" in listed.stderr:
        return set()
    if absent := re.findall(r"(\S+) => not found", listed.stdout):
        raise Missing(f"{program.name} needs {', '.join(absent)}, which no package of the guest contains")
    return {Path(path) for path in re.findall(r"=> (/\S+) \(", listed.stdout)}


def add_modules(source, root, loaded=MODULES, others=NETWORK_MODULES):
    """Copies the modules with those they depend on, and lets depmod write their index; the first of them are loaded at the start."""
    tree = one_file(source, "lib/modules/*")
    files = {path.stem.replace("-", "_"): path for path in tree.rglob("*.ko")}
    builtin = {Path(line).stem.replace("-", "_") for line in (tree / "modules.builtin").read_text(encoding="ascii").split()}
    waiting, taken = [*loaded, *others], set()
    while waiting:
        name = waiting.pop().replace("-", "_")
        if name in taken or name in builtin:
            continue
        if name not in files:
            raise Missing(f"the kernel {tree.name} has no module {name}")
        taken.add(name)
        target = root / "usr/lib/modules" / tree.name / files[name].relative_to(tree)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(unsigned(files[name].read_bytes()))
        depends = re.search(rb"\0depends=([^\0]*)\0", files[name].read_bytes())
        waiting += [name for name in depends[1].decode().split(",") if name] if depends else []
    for name in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
        copy(tree / name, root / "usr/lib/modules" / tree.name / name)
    loader = root / "usr/lib64/ld-linux-x86-64.so.2"
    checked(loader, "--library-path", root / "usr/lib/x86_64-linux-gnu", "--argv0", "depmod", root / "usr/bin/kmod", "-b", root,
            tree.name)
    (root / "etc/modules").write_text("\n".join(name for name in loaded if name not in builtin) + "\n", encoding="ascii")


def unsigned(module):
    """Returns a module without its signature, whose verification under emulation takes long."""
    mark = b"~Module signature appended~\n"
    if not module.endswith(mark):
        return module
    length = int.from_bytes(module[-len(mark) - 4:-len(mark)], "big")
    return module[:-len(mark) - 12 - length]


def one_file(folder, pattern):
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise Missing(f"the packages of the guest contain {len(found)} files {pattern} instead of one")
    return found[0]


def copy(source, target):
    if not source.exists():
        raise Missing(f"no package of the guest contains {source.name}")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)


def archive(root, file):
    names = sorted(str(path.relative_to(root)) for path in root.rglob("*"))
    with open(file, "wb") as output:
        done = subprocess.run(["cpio", "--create", "--format=newc", "--owner=0:0", "--quiet", "--reproducible"], cwd=root, check=False,
                              input="\n".join(names).encode(), stdout=output, stderr=subprocess.PIPE)
    if done.returncode:
        raise Missing(f"cpio failed: {done.stderr.decode().strip()}")


def checked(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Missing(f"`{Path(words[0]).name}` failed: {done.stderr.strip()}")
    return done.stdout
