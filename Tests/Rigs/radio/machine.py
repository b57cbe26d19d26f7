"""A virtual machine with a real bluetoothd, from its boot to its end.

    with Machine(image, controllers=2, kind="extended") as machine:
        print(machine.run("radio adapters").output)

Every job runs under a limit in the guest and a later one here, and the machine as a whole runs under a limit of real time. It
ends with a marker on the console; a machine that ends without it has failed. Nothing requires root.
"""

import json
import os
import select
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from image import CACHE, Missing

# The self-tests of the ciphers would take half of the boot.
KERNEL_LINE = "console=ttyS0 quiet panic=-1 random.trust_cpu=on mitigations=off cryptomgr.notests"
MARKER = "guest: the end"
KINDS = ("extended", "legacy")
# /dev/kvm may exist and not work: nothing then boots within this time, in which a machine with it boots several times over.
PROBE_SECONDS = 5
# How much longer than in the guest a job may take here. Emulation is slow, and slower beside other work.
GRACE_SECONDS = 30
BOOT_SECONDS = 120


class Failed(Exception):
    """The machine or a job did not do what was expected; the text says what."""


@dataclass(frozen=True)
class Done:
    """The end of a job: its exit status, 124 when it was over its limit, and what it printed."""

    status: int
    output: str
    errors: str
    seconds: float


def command(image, accelerator, append="", skips_idle=False):
    """Returns the part of QEMU's command line that every machine shares."""
    words = ["qemu-system-x86_64", "-M", "microvm", "-accel", accelerator]
    if accelerator == "tcg":
        # The time of the guest is made of its instructions, 4 ns each, and stands still while this machine does other work. Without
        # that the kernel cannot measure its clock on a busy machine, and hangs; and timeouts in the guest expire early.
        words += ["-icount", f"shift=2,sleep={'off' if skips_idle else 'on'}"]
    return [*words, "-cpu", "max", "-m", "256", "-smp", "1", "-no-reboot", "-nodefaults", "-no-user-config", "-display", "none",
            "-kernel", str(image.kernel), "-initrd", str(image.initrd), "-append", f"{KERNEL_LINE} {append}".strip(),
            "-device", "virtio-rng-device"]


# The accelerator

def accelerator(image, say=print, again=False):
    """Returns "kvm" or "tcg", and prints why. The result of the probe holds until this machine is restarted."""
    if not shutil.which("qemu-system-x86_64"):
        raise Missing("`qemu-system-x86_64` is missing; install it with: .ci/setup radio")
    file = CACHE / "accelerator.json"
    facts = {"boot": Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip(), "user": os.geteuid(),
             "kernel": image.kernel.parent.name, "qemu": subprocess.run(["qemu-system-x86_64", "--version"], capture_output=True,
                                                                      text=True, check=True).stdout.splitlines()[0]}
    try:
        known = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    is_cached = not again and known.get("facts") == facts
    if not is_cached:
        known = {"facts": facts, "result": probe(image)}
        file.write_text(json.dumps(known), encoding="utf-8")
    name, reason = known["result"]
    say(f"  accelerator: {name} ({reason}{', probed earlier' if is_cached else ''})")
    return name


def probe(image):
    """Boots with KVM to the first marker."""
    if not os.path.exists("/dev/kvm"):
        return "tcg", "there is no /dev/kvm"
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "tcg", "/dev/kvm is not accessible to this user"
    begun = time.monotonic()
    done = subprocess.run(["timeout", "-k", "1", str(PROBE_SECONDS), *command(image, "kvm", "guest.probe"), "-serial", "stdio"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
    if MARKER in done.stdout:
        return "kvm", f"booted in {time.monotonic() - begun:.1f} s"
    if done.returncode in (124, 137):
        return "tcg", f"with /dev/kvm nothing boots within {PROBE_SECONDS} s"
    said = (done.stderr.strip().splitlines() or done.stdout.strip().splitlines() or ["no message"])[-1]
    return "tcg", f"/dev/kvm does not work: {said}"


# The machine

class Machine:
    """Boots a guest with controllers, and with bluetoothd unless `start` is False.

    `controllers`: how many. `kind`: "extended" or "legacy" advertising. `main_conf`: the text of bluetoothd's main.conf.
    `options`: the words of its command line, such as -E. `folder`: the work folder, which the guest sees as /shared; by default
    a temporary one, which goes with this object. `limit`: the seconds of real time after which the machine is killed.
    `skips_idle`: the time of the guest jumps over the moments in which nothing happens in it, so that hours pass in seconds,
    also while it waits for this program: give it one
    long job. The capture is there after the end of the machine. This requires emulation. `lines`: how many serial lines the guest
    has, /dev/hvc0 and so on, whose other ends are the sockets `lines` of this object; without skipped time.
    """

    def __init__(self, image, controllers=2, kind="extended", main_conf="", options=(), folder=None, limit=300, start=True,
                 skips_idle=False, lines=0, say=print, accelerated_by=None):
        if kind not in KINDS:
            raise ValueError(f"invalid kind of controllers '{kind}'; the kinds are {', '.join(KINDS)}")
        self.image, self.controllers, self.kind, self.start_radio = image, controllers, kind, start
        self.limit, self.say = limit, say
        self.accelerator, self.skips_idle = "tcg" if skips_idle else accelerated_by or accelerator(image, say), skips_idle
        self.temporary = None if folder else tempfile.TemporaryDirectory(prefix="inkling-radio-", dir="/tmp")
        self.folder = Path(folder or self.temporary.name).resolve()
        (self.folder / "jobs").mkdir(parents=True, exist_ok=True)
        (self.folder / "main.conf").write_text(main_conf, encoding="utf-8")
        (self.folder / "bluetoothd.options").write_text(" ".join(options) + "\n", encoding="utf-8")
        self.console = self.folder / "console.txt"
        self.capture = self.folder / "radio.btsnoop"
        self.process, self.port, self.watchdog = None, None, None
        self.line_count, self.lines = lines, []
        self.was_killed, self.partial, self.ended, self.count = False, b"", {}, 0
        self.boot_seconds = self.whole_seconds = None

    def __enter__(self):
        self.begun = time.monotonic()
        try:
            self.boot()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self.end()
        finally:
            self.kill()

    def boot(self):
        here, there = socket.socketpair()
        words = [*command(self.image, self.accelerator, skips_idle=self.skips_idle), "-serial", f"file:{self.console}",
                 "-fsdev", f"local,id=shared,path={self.folder},security_model=none", "-device", "virtio-9p-device,fsdev=shared,mount_tag=shared",
                 "-device", "virtio-serial-device", "-chardev", f"socket,id=port,fd={there.fileno()}",
                 "-device", "virtserialport,chardev=port"]
        ends = [there]
        for number in range(self.line_count):
            line, other = socket.socketpair()
            self.lines.append(line)
            ends.append(other)
            words += ["-chardev", f"socket,id=line{number},fd={other.fileno()}", "-device", f"virtconsole,chardev=line{number}"]
        # `timeout` holds even when this program is killed; the watchdog is earlier, so that it can say what happened.
        with open(self.folder / "qemu.log", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(["timeout", "-k", "2", str(self.limit + 10), *words], stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT, pass_fds=[end.fileno() for end in ends], start_new_session=True)
        for one in ends:
            one.close()
        self.port = here
        self.watchdog = threading.Timer(self.limit, self.bite)
        self.watchdog.daemon = True
        self.watchdog.start()
        if self.start_radio:
            # Where the guest waits for this machine, as when it writes to the work folder, skipped time would be lost.
            place = "/run" if self.skips_idle else "/shared"
            self.run(f"radio start {self.controllers} {self.kind} {place}/{self.capture.name}", 60, wait=BOOT_SECONDS)
        else:
            self.run("true", 10, wait=BOOT_SECONDS)
        self.boot_seconds = time.monotonic() - self.begun

    # Jobs

    def run(self, script, seconds=10, expect=0, wait=None):
        """Runs a shell script, or a program as a list of words, and returns its end; `expect` None takes any status."""
        done = Job(self, script, seconds).wait(wait)
        if expect is not None and done.status != expect:
            raise Failed(f"`{text_of(script)}` ended with {done.status} instead of {expect}"
                         f"{' (over its limit)' if done.status == 124 else ''}\n{done.output}{done.errors}".rstrip())
        return done

    def start(self, script, seconds, takes_input=False):
        """Starts a job that runs beside others; `takes_input` lets Job.tell write to its standard input."""
        return Job(self, script, seconds, takes_input)

    def await_capture(self, condition, seconds, what):
        """Waits until a condition of the captured bytes is true, and returns its value."""
        is_late = self.deadline(seconds)
        while not (value := condition(self.capture.read_bytes())):
            if is_late():
                raise Failed(f"not captured within {seconds} s: {what}")
            self.listen(0.1)
        return value

    def deadline(self, seconds):
        """Returns a function that says whether so many seconds have passed."""
        end = time.monotonic() + seconds
        return lambda: time.monotonic() > end

    def tell(self, line):
        try:
            self.port.sendall(f"{line}\n".encode())
        except OSError as fault:
            raise self.lost() from fault

    def listen(self, seconds):
        """Waits at most `seconds` for the guest to say something, and takes it."""
        if not select.select([self.port], [], [], max(seconds, 0))[0]:
            return
        try:
            received = self.port.recv(65536)
        except OSError:
            received = b""
        if not received:
            raise self.lost()
        *lines, self.partial = (self.partial + received).split(b"\n")
        for line in lines:
            _, name, status = line.decode().split()
            self.ended[name] = int(status)

    # The end

    def end(self):
        """Powers off; raises when the marker does not appear on the console."""
        self.tell("end")
        try:
            self.process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failed(f"the guest did not power off within {GRACE_SECONDS} s{self.tail()}") from None
        if not any(line.endswith(MARKER) for line in self.console_lines()):
            raise self.lost()
        self.whole_seconds = time.monotonic() - self.begun

    def bite(self):
        self.was_killed = True
        end_process(self.process)

    def kill(self):
        """Ends QEMU, whatever it does."""
        if self.watchdog:
            self.watchdog.cancel()
        if self.process:
            end_process(self.process)
        for one in (self.port, *self.lines):
            if one:
                one.close()

    def lost(self):
        """Returns the failure of a machine that has ended too early."""
        end_process(self.process)
        if self.was_killed:
            return Failed(f"the machine was killed after its limit of {self.limit} s{self.tail()}")
        said = (self.folder / "qemu.log").read_text(encoding="utf-8", errors="replace").strip()
        return Failed(f"the machine ended without the marker '{MARKER}'{chr(10) + said if said else ''}{self.tail()}")

    def console_lines(self):
        return self.console.read_text(encoding="utf-8", errors="replace").splitlines() if self.console.exists() else []

    def tail(self, count=40):
        return "\nthe console ends with:\n" + "\n".join(f"  | {line}" for line in self.console_lines()[-count:])


class Job:
    """A script that runs in the guest."""

    def __init__(self, machine, script, seconds, takes_input=False):
        machine.count += 1
        self.machine, self.script, self.seconds, self.name = machine, script, seconds, str(machine.count)
        self.begun = time.monotonic()
        self.file("sh").write_text((script if isinstance(script, str) else shlex.join(script)) + "\n", encoding="utf-8")
        machine.tell(f"run {self.name} {seconds}{' input' if takes_input else ''}")

    def file(self, kind):
        return self.machine.folder / "jobs" / f"{self.name}.{kind}"

    def wait(self, seconds=None):
        """Returns the end of the job. It must come within `seconds` from now; without them, soon after the limit of the job."""
        deadline = self.begun + self.seconds + GRACE_SECONDS if seconds is None else time.monotonic() + seconds
        while self.name not in self.machine.ended:
            if time.monotonic() > deadline:
                raise Failed(f"`{text_of(self.script)}` did not end in time{self.machine.tail()}")
            self.machine.listen(deadline - time.monotonic())
        return Done(self.machine.ended[self.name], self.output, self.text("err"), time.monotonic() - self.begun)

    def tell(self, text):
        """Writes lines to the standard input of the job."""
        self.machine.run(f"printf '%s\\n' {shlex.quote(text)} >/run/jobs/{self.name}.in")

    def signal(self, name="TERM"):
        self.machine.tell(f"signal {self.name} {name}")

    @property
    def output(self):
        """What the job has printed until now."""
        return self.text("out")

    def text(self, kind):
        path = self.file(kind)
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def text_of(script):
    lines = (script if isinstance(script, str) else shlex.join(script)).strip().splitlines() or [""]
    return lines[0] + (" …" if len(lines) > 1 else "")


def end_process(process):
    """Kills `timeout` and QEMU, which share a session, and waits for them."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait(10)
