"""Other responders of multicast DNS, on a host of their own: avahi-daemon, systemd-resolved and python-zeroconf.

The Debian packages are fetched and unpacked into .build/responders, and not installed: an installed systemd-resolved would
take over the name resolution of this machine. Each responder has its own mount namespace with an empty /run, its own system
bus, and its own host name.
"""

import glob
import os
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
FOLDER = os.path.join(ROOT, ".build", "responders")
PACKAGES = ("avahi-daemon", "avahi-utils", "libavahi-core7", "libavahi-common3", "libavahi-client3", "libdaemon0", "libgdbm6",
            "systemd-resolved", "libsystemd-shared", "dbus-daemon", "libdbus-1-3", "libexpat1", "libapparmor1")

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path=/run/dbus/system_bus_socket</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_type="*"/><allow receive_type="*"/>
<allow send_destination="*"/></policy></busconfig>
"""
# The users that the daemons look up do not exist on a machine where the packages are not installed.
BEGIN = """
set -e
hostname "$NAME"
mount -t tmpfs tmpfs /run
mkdir -p /run/dbus /run/avahi-daemon /run/systemd/resolve /run/systemd/resolved.conf.d /run/systemd/dnssd
for table in passwd group; do cp /etc/$table /run/$table; done
for user in avahi systemd-resolve; do
    echo "$user:x:0:0::/:/bin/false" >>/run/passwd
    echo "$user:x:0:" >>/run/group
done
for table in passwd group; do mount --bind /run/$table /etc/$table; done
printf '%s' "$BUS" >/run/bus.conf
printf '[Resolve]\\nMulticastDNS=yes\\nLLMNR=no\\nDNSStubListener=no\\n' >/run/systemd/resolved.conf.d/a.conf
printf '[server]\\nhost-name=%s\\nuse-ipv4=yes\\nuse-ipv6=yes\\n[publish]\\npublish-hinfo=no\\n' "$NAME" >/run/avahi.conf
if [ -n "$SERVICE" ]; then printf '%s' "$SERVICE" >/run/systemd/dnssd/one.dnssd; fi
"$PROGRAMS/usr/bin/dbus-daemon" --config-file=/run/bus.conf --nofork --nopidfile 2>/run/bus.log &
until [ -S /run/dbus/system_bus_socket ]; do sleep 0.05; done
"""


class Missing(Exception):
    """A responder cannot be run here."""


def fetch():
    """Unpacks the packages unless they are there, and returns their folder. The guest of Tests/Rigs/stage has them."""
    if "INKLING_GUEST" in os.environ:
        return "/"
    unpacked, done = os.path.join(FOLDER, "root"), os.path.join(FOLDER, "done")
    if os.path.exists(done):
        return unpacked
    if not shutil.which("apt-get"):
        raise Missing("no apt-get here")
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(unpacked)
    command = ["apt-get", "-q", "download", *PACKAGES]
    fetched = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True)
    if fetched.returncode:
        subprocess.run(["apt-get", "-q", "update"], capture_output=True)
        fetched = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True)
    if fetched.returncode:
        raise Missing(f"the Debian packages cannot be fetched: {fetched.stderr.strip().splitlines()[-1:]}")
    for package in glob.glob(os.path.join(FOLDER, "*.deb")):
        subprocess.run(["dpkg", "-x", package, unpacked], check=True)
    with open(done, "w", encoding="ascii"):
        return unpacked


class Responder:
    """A responder inside the network namespace of a host."""

    def __init__(self, namespace, name, daemon, service=""):
        programs = fetch()
        places = ("usr/lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu/systemd", "lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu/systemd",
                  "usr/lib/aarch64-linux-gnu", "usr/lib/aarch64-linux-gnu/systemd", "lib/aarch64-linux-gnu")
        self.programs = programs
        self.environment = {
            **os.environ, "PROGRAMS": programs, "NAME": name, "BUS": BUS, "SERVICE": service,
            "LD_LIBRARY_PATH": ":".join(os.path.join(programs, place) for place in places)}
        self.processes = []
        self.daemon = subprocess.Popen(
            ["ip", "netns", "exec", namespace, "unshare", "--mount", "--uts", "sh", "-c",
             BEGIN + f'exec {daemon} 2>&1'],
            env=self.environment, stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.processes.append(self.daemon)

    def begin(self, *command):
        """Starts a program beside the daemon."""
        process = subprocess.Popen(
            ["nsenter", "-t", str(self.daemon.pid), "--net", "--mount", "--uts", "timeout", "60",
             os.path.join(self.programs, command[0]), *command[1:]],
            env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self.processes.append(process)
        return process

    def run(self, *command):
        """Runs a program beside the daemon and returns what it printed."""
        return self.begin(*command).communicate(timeout=60)[0]

    def until(self, seconds, matches, *command):
        """Runs a program again and again until its output matches, and returns it."""
        deadline, said = time.time() + seconds, ""
        while time.time() < deadline:
            said = self.run(*command)
            if matches(said):
                return said
            time.sleep(0.2)
        raise AssertionError(f"`{' '.join(command)}` says, {seconds} s later:\n{said}")

    def end(self):
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, 15)
        for process in self.processes:
            try:
                process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.communicate()


class Avahi(Responder):
    def __init__(self, namespace, name="workshop"):
        super().__init__(namespace, name,
                         '"$PROGRAMS/usr/sbin/avahi-daemon" -f /run/avahi.conf --no-drop-root --no-chroot --no-rlimits --no-proc-title')
        for line in self.daemon.stdout:
            if "Server startup complete" in line:
                return
        raise Missing("avahi-daemon does not start")

    def publish(self, instance, address):
        """Publishes an instance with avahi-publish; its host name has the address."""
        return [self.begin("usr/bin/avahi-publish", "-a", "-R", f"{instance.host}.local", address),
                self.begin("usr/bin/avahi-publish", "-s", "-H", f"{instance.host}.local", instance.name, "_inkling._tcp",
                           str(instance.port), "v=1")]

    def browse(self, instance, address, seconds=10):
        """Returns the line with which avahi-browse resolves an instance to an address."""
        wanted = f";{instance.name};_inkling._tcp;local;{instance.host}.local;{address};{instance.port};\"v=1\""
        return self.until(seconds, lambda said: wanted in said, "usr/bin/avahi-browse", "-rpt", "_inkling._tcp")


class Resolved(Responder):
    """systemd-resolved; the instance that it publishes has its host name."""

    def __init__(self, namespace, interface="v0", instance=None):
        service = "" if instance is None else (
            f"[Service]\nName={instance.name}\nType=_inkling._tcp\nPort={instance.port}\nTxtText=v=1\n")
        super().__init__(namespace, instance.host if instance else "workshop", '"$PROGRAMS/lib/systemd/systemd-resolved"', service)
        deadline = time.time() + 15
        while time.time() < deadline:
            if not self.run("usr/bin/resolvectl", "mdns", interface, "yes").strip():
                return
            time.sleep(0.2)
        raise Missing("systemd-resolved does not start")

    def resolve(self, instance, address, seconds=10):
        wanted = lambda said: f"{instance.host}.local:{instance.port}" in said and address in said and "v=1" in said  # noqa: E731
        return self.until(seconds, wanted, "usr/bin/resolvectl", "service", instance.name, "_inkling._tcp", "local")


ZEROCONF = """
import socket, sys
from zeroconf import IPVersion, ServiceBrowser, ServiceInfo, Zeroconf
kind, (wanted, name, host, port, address, family) = "_inkling._tcp.local.", sys.argv[1:7]
six = family == "6"
zeroconf = Zeroconf(interfaces=[address], ip_version=IPVersion.V6Only if six else IPVersion.V4Only)
class Listener:
    def add_service(self, zeroconf, kind, found):
        info = found.startswith(wanted) and zeroconf.get_service_info(kind, found, 3000)
        if info: print("found", info.server, info.port, info.text.hex(), *info.parsed_addresses(), flush=True)
    def update_service(self, *_): pass
    def remove_service(self, zeroconf, kind, found):
        if found.startswith(wanted): print("gone", flush=True)
ServiceBrowser(zeroconf, kind, Listener())
packed = socket.inet_pton(socket.AF_INET6 if six else socket.AF_INET, address)
zeroconf.register_service(ServiceInfo(kind, f"{name}.{kind}", int(port), properties={"v": "1"}, server=f"{host}.local.", addresses=[packed]))
print("registered", flush=True)
sys.stdin.read()
zeroconf.close()
"""


class Zeroconf:
    """A program with python-zeroconf, which publishes an instance and looks for another."""

    def __init__(self, namespace, wanted, instance, address):
        python = os.environ.get("INKLING_ZEROCONF_PYTHON", sys.executable)
        if subprocess.run([python, "-c", "import zeroconf"], capture_output=True).returncode:
            raise Missing("PyPI zeroconf is not installed (INKLING_ZEROCONF_PYTHON names a Python that has it)")
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", namespace, "timeout", "60", python, "-c", ZEROCONF, wanted.name, instance.name, instance.host,
             str(instance.port), address, "6" if ":" in address else "4"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def line(self, begins):
        """Returns the next line that begins with a word."""
        for line in self.process.stdout:
            if line.startswith(begins):
                return line.strip()
        raise AssertionError(f"python-zeroconf ended before «{begins}»")

    def end(self):
        self.process.stdin.close()
        self.process.wait(15)
