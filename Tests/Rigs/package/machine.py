"""A Debian machine of its own: a clean root, in which packages are installed, and which systemd-nspawn starts.

The clean root is made once and kept in .build/package; each machine has a layer over it, which is removed with the machine.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "Tests/Rigs/demo"))
from stage import Failed  # noqa: E402

RELEASE = "bookworm"
KEPT = os.path.join(ROOT, ".build/package", RELEASE)
# What a machine has, beside the smallest system: the packages recommend polkitd, without which nobody may delay sleep.
SYSTEM = "systemd,systemd-sysv,dbus,polkitd"
# What the packages need, as files of packages only: the machine of a user has to get them from somewhere.
LIBRARIES = ("libqrencode4", "libsodium23", "libsqlite3-0")


def call(*words, expect=0, timeout=120, text=None, environment=None):
    """Runs a command and returns what it did; `expect` None takes any exit code."""
    done = subprocess.run(
        ["timeout", "-k", "5", str(timeout), *words], capture_output=True, text=True, input=text,
        stdin=None if text is not None else subprocess.DEVNULL, env=environment)
    if expect is not None and done.returncode != expect:
        raise Failed(f"`{' '.join(words)}` ended with {done.returncode} instead of {expect}\n{done.stdout}{done.stderr}".rstrip())
    return done


def clean_root(fresh=False):
    """Returns the folder of the clean root, and makes it if it is not there."""
    mark = os.path.join(KEPT, ".complete")
    made = open(mark, encoding="ascii").read() if os.path.exists(mark) else None
    if fresh or made != SYSTEM:
        shutil.rmtree(KEPT, ignore_errors=True)
        os.makedirs(os.path.dirname(KEPT), exist_ok=True)
        print(f"… making a clean root of Debian {RELEASE} in {os.path.relpath(KEPT, ROOT)}", flush=True)
        call(
            # From here the packages of the release come, wherever this machine has its own from.
            "mmdebstrap", "--mode=root", "--variant=minbase", f"--include={SYSTEM}", "--quiet",
            "--skip=cleanup/apt/lists", "--dpkgopt=force-unsafe-io",
            *[f"--dpkgopt=path-exclude=/usr/share/{place}/*" for place in ("doc", "locale", "man")],
            "--customize-hook=chroot $1 apt-get -qq --download-only --no-install-recommends install " + " ".join(LIBRARIES),
            "--customize-hook=mkdir -p $1/var/kept && mv $1/var/cache/apt/archives/*.deb $1/var/kept/",
            "--customize-hook=rm -f $1/etc/dpkg/dpkg.cfg.d/99mmdebstrap",
            RELEASE, KEPT, "deb http://deb.debian.org/debian bookworm main", timeout=1800)
        with open(mark, "w", encoding="ascii") as file:
            file.write(SYSTEM)
    return KEPT


class Machine:
    """A root with a layer of its own, and after `start` the machine that runs in it."""

    def __init__(self, fresh=False):
        base = clean_root(fresh)
        # Not in /tmp, which may be a layer itself.
        self.folder = tempfile.mkdtemp(prefix="machine-", dir=os.path.dirname(KEPT))
        self.root = os.path.join(self.folder, "root")
        self.process, self.leader, self.is_layered = None, None, True
        upper, work = (os.path.join(self.folder, name) for name in ("upper", "work"))
        for place in (self.root, upper, work):
            os.makedirs(place)
        # The packages that a mirror would have; apt finds them where it keeps what it has loaded.
        done = call("mount", "-t", "overlay", "overlay", "-o", f"lowerdir={base},upperdir={upper},workdir={work}", self.root,
                    expect=None)
        if done.returncode != 0:
            self.is_layered = False
            call("cp", "-a", "--reflink=auto", f"{base}/.", self.root, timeout=600)
        kept = os.path.join(self.root, "var/kept")
        for name in os.listdir(kept):
            os.link(os.path.join(kept, name), self.path("/var/cache/apt/archives", name))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        if self.is_layered:
            call("umount", self.root, expect=None)
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, *parts):
        return os.path.join(self.root, *(part.lstrip("/") for part in parts))

    def read(self, path):
        with open(self.path(path), encoding="utf-8") as file:
            return file.read()

    def take(self, *files):
        """Copies files into the machine, and returns their places in it."""
        for file in files:
            shutil.copy(file, self.path("/root", os.path.basename(file)))
        return [f"/root/{os.path.basename(file)}" for file in files]

    def start(self, network, seconds=60):
        """Starts systemd in a network namespace."""
        log = os.path.join(self.folder, "console")
        with open(log, "w", encoding="utf-8") as console:
            # A container may not lock memory or read the state of the clock unless it is told; a machine may.
            self.process = subprocess.Popen(
                ["systemd-nspawn", "--register=no", "--keep-unit", "--quiet", "--console=pipe", "-b", "--system-call-filter=@memlock @clock", "-D", self.root,
                 f"--network-namespace-path=/run/netns/{network}"],
                stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT)
        deadline = time.time() + seconds
        said = ""
        while time.time() < deadline:
            if self.process.poll() is not None:
                break
            self.leader = self.child()
            if self.leader:
                done = self.run("systemctl", "is-system-running", expect=None)
                said = done.stdout.strip() + done.stderr.strip()
                if done.stdout.strip() in ("running", "degraded"):
                    return
            time.sleep(0.2)
        with open(log, encoding="utf-8", errors="replace") as console:
            raise Failed(f"systemd did not start in a container: {said}\n{console.read()[-2000:]}")

    def child(self):
        """The first process of the machine, as seen from here."""
        try:
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
                return (file.read().split() or [None])[0]
        except OSError:
            return None

    def words(self, *words, user=None):
        """The words of a command that runs in the machine."""
        become = ["runuser", "-u", user, "--"] if user else []
        if not self.leader:
            return ["chroot", self.root, *become, *words]
        return ["nsenter", "-t", self.leader, "-m", "-u", "-i", "-n", "-p", "-r", "-w", "--", *become, *words]

    def run(self, *words, user=None, expect=0, timeout=120, text=None):
        """Runs a command in the machine."""
        environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8",
            "HOME": "/root" if not user else f"/home/{user}"}
        return call(*self.words(*words, user=user), expect=expect, timeout=timeout, text=text, environment=environment)

    def install(self, *files):
        """Installs files of packages with apt, without a network: what they need is in its archive."""
        return self.run("apt-get", "-y", "-q", "--no-install-recommends", "-o", "Acquire::http::Timeout=1", "install", *self.take(*files))

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                if self.leader:
                    os.kill(int(self.leader), 9)
                self.process.wait(15)
        self.process = self.leader = None
