"""Answers for the names of nodes, in every form, as soon as they are heard.

    imitation.py [--form NAME]

Each name that is heard gets the next form in turn, or always the one that is named. What a form sends is sent at once, again
after 0.25 s and after 1 s, and after every query.
"""

import argparse
import select
import socket
import struct
import subprocess
import sys
import time

import wire

NOBODY = [f"10.77.0.{last}" for last in range(200, 208)]
TWENTY = [f"10.77.0.{last}" for last in range(100, 120)]
FORMS = ("port", "address", "withdrawal", "flush", "mute", "reset", "nobody", "twenty", "every-second", "forged-source", "zeroconf")
RESET = struct.pack("ii", 1, 0)

ZEROCONF = """
import socket, sys
from zeroconf import IPVersion, ServiceInfo, Zeroconf
kind, (name, host, address, port) = "_inkling._tcp.local.", sys.argv[1:5]
zeroconf = Zeroconf(interfaces=[address], ip_version=IPVersion.V4Only)
zeroconf.register_service(ServiceInfo(
    kind, f"{name}.{kind}", int(port), properties={"v": "1"}, server=f"{host}.local.", addresses=[socket.inet_aton(address)]),
    cooperating_responders=True)
sys.stdin.read()
zeroconf.close()
"""


class Imitation:
    def __init__(self, form):
        self.address, self.mac = wire.own_addresses()
        wire.add_addresses(TWENTY)
        self.plain, self.raw = wire.group_socket(), wire.frame_socket()
        self.twenty = [wire.group_socket(address, join=False) for address in TWENTY]
        self.mute, self.resetting = socket.create_server(("", 0)), socket.create_server(("", 0))
        self.held, self.form, self.forms = [], form, [name for name in FORMS if name != "zeroconf" or self.has_zeroconf()]
        self.seen, self.active, self.others = {}, [], []
        self.counts, self.connections = {}, 0

    @staticmethod
    def has_zeroconf():
        return subprocess.run([sys.executable, "-c", "import zeroconf"], capture_output=True).returncode == 0

    def begin(self, heard):
        form = self.form or self.forms[len(self.seen) % len(self.forms)]
        self.seen[heard.name] = form
        self.counts[form] = self.counts.get(form, 0) + 1
        now = time.time()
        if form == "zeroconf":
            self.others.append((now, subprocess.Popen(
                [sys.executable, "-c", ZEROCONF, heard.name, heard.host, self.address, str(self.port(self.mute))],
                stdin=subprocess.PIPE)))
            return
        self.active = [entry for entry in self.active if entry[0] > now - 60]
        self.active.append((now, heard, form, [now, now + 0.25, now + 1]))

    @staticmethod
    def port(server):
        return server.getsockname()[1]

    def send(self, heard, form):
        name, host, port = heard.name, heard.host, heard.port
        at = (wire.GROUP, wire.PORT)
        mute = self.port(self.mute)
        match form:
            case "port": self.plain.sendto(wire.instance(name, host, port ^ 1, heard.addresses), at)
            case "address": self.plain.sendto(wire.instance(name, host, port, [self.address]), at)
            case "withdrawal":
                self.plain.sendto(wire.instance(name, host, port, [self.address]), at)
                self.plain.sendto(wire.instance(name, host, port, [self.address], ttl=0), at)
                self.plain.sendto(wire.instance(name, host, port, heard.addresses, ttl=0), at)
            case "flush":
                self.plain.sendto(wire.instance(name, host, port ^ 1, [self.address], pointer_flush=True), at)
            case "mute" | "every-second": self.plain.sendto(wire.instance(name, host, mute, [self.address]), at)
            case "reset": self.plain.sendto(wire.instance(name, host, self.port(self.resetting), [self.address]), at)
            case "nobody":
                for address in NOBODY:
                    self.plain.sendto(wire.instance(name, host, port, [address]), at)
                self.plain.sendto(wire.instance(name, host, port, NOBODY), at)
            case "forged-source":
                # Twelve wrong ports in the name of the source itself: more than anybody keeps. The kernel of the source drops
                # packets that claim to come from it, so that it hears of the imitation by one from another address only.
                self.plain.sendto(wire.instance(name, host, port ^ 1, [heard.source]), at)
                for other in range(1, 13):
                    packet = wire.instance(name, host, port ^ other, [heard.source])
                    self.raw.send(wire.udp_frame(heard.source, packet, self.mac))
            case "twenty":
                for address, plain in zip(TWENTY, self.twenty):
                    plain.sendto(wire.instance(name, host, mute, [address]), at)

    def accept(self, server):
        link, _ = server.accept()
        self.connections += 1
        if server is self.resetting:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            link.close()
        else:
            self.held = [*self.held[-255:], link]

    def serve(self):
        wire.ready()
        while True:
            for found in select.select([self.plain, self.mute, self.resetting], [], [], 0.02)[0]:
                if found is not self.plain:
                    self.accept(found)
                    continue
                payload, (source, _) = self.plain.recvfrom(9000)
                if source == self.address or source in TWENTY:
                    continue
                if wire.is_query(payload):
                    now = time.time()
                    for entry in self.active:
                        entry[3].append(now)
                elif (heard := wire.announcement_in(payload, source)) and heard.name not in self.seen:
                    self.begin(heard)
            self.send_due()

    def send_due(self):
        now = time.time()
        for begun, heard, form, times in self.active:
            if any(moment <= now for moment in times):
                times[:] = [moment for moment in times if moment > now]
                if form == "every-second":
                    times.append(now + 1)
                try:
                    self.send(heard, form)
                except OSError:
                    pass
        for begun, other in [entry for entry in self.others if entry[0] < now - 40]:
            other.stdin.close()
            self.others.remove((begun, other))

    def perform(self, figures):
        try:
            self.serve()
        finally:
            for _, other in self.others:
                other.kill()
            figures.update(forms=self.counts, connections=self.connections, names=self.seen,
                           zeroconf="zeroconf" in self.forms)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--form", choices=FORMS)
    wire.perform(Imitation(parser.parse_args().form).perform)
