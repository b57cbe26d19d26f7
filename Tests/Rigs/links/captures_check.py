#!/usr/bin/env python3
"""Tests the judge of captures: plants one violation of each kind in a clean capture, which must be found, and what is none: packets of
others, whatever addresses they show, and what the kernel sends by itself.
"""

import os
import random
import socket
import struct
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "network")]
import dns  # noqa: E402
from captures import AFTER_SILENT, PORTS, TYPE, Account, Host, by_chance, silences  # noqa: E402

ADA, BOB = "10.77.0.1", "10.77.0.2"
ADA6 = "fe80::11"
MACS = {ADA: b"\x02\x00\x00\x11\x22\x33", BOB: b"\x02\x00\x00\x44\x55\x66"}
MALLORY = b"\x02\x00\x00\x77\x88\x99"
EPOCH = 100.0  # seconds; epoch 0 begins at 1000
chance = random.Random(7)


def opaque():
    return f"{chance.getrandbits(128):032x}"


def ethernet(source, protocol, payload):
    header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(payload), 0, 0, 255, protocol, 0)
    return (b"\x01\x00\x5e\x00\x00\xfb" + MACS[source] + b"\x08\x00" + header + socket.inet_aton(source)
            + socket.inet_aton(BOB if source == ADA else ADA) + payload)


def report6(body):
    header = struct.pack("!IHBB", 0x60000000, len(body), 0, 1)
    return (b"\x33\x33\x00\x00\x00\x16" + MACS[ADA] + b"\x86\xdd" + header + socket.inet_pton(socket.AF_INET6, ADA6)
            + socket.inet_pton(socket.AF_INET6, "ff02::16") + body)


def mdns(moment, payload, source=ADA):
    return moment, ethernet(source, 17, struct.pack("!HHHH", 5353, 5353, 8 + len(payload), 0) + payload)


def by_mallory(entry):
    """The same frame, sent by somebody else with the IP address of a node."""
    moment, frame = entry
    return moment, frame[:6] + MALLORY + frame[12:]


def tcp(moment, sequence, flags, data=b"", source=ADA, port=40000):
    return moment, ethernet(source, 6, struct.pack("!HHIIBBHHH", port, 50000, sequence, 0, 0x50, flags, 1000, 0, 0) + data)


def packet(kind, size):
    return struct.pack("!HB", size + 1, kind << 4) + chance.randbytes(size)


def instance(name, host, port, **changes):
    full = f"{name}.{TYPE}"
    return dns.response(
        dns.record(TYPE, dns.PTR, dns.encode_name(full)),
        dns.record(full, dns.SRV, dns.srv(f"{host}.local", port), ttl=changes.get("ttl", 120), flush=True),
        dns.record(full, dns.TXT, changes.get("text", b"\x03v=1"), flush=True),
        dns.record(f"{host}.local", dns.A, socket.inet_aton(ADA), flush=True))


def clean():
    """Returns a clean capture: Ada is visible in two epochs, and Bob calls her in each."""
    first, second = (opaque(), opaque(), 4001), (opaque(), opaque(), 4002)
    frames = [mdns(1010, instance(*first)), mdns(1020, dns.query(TYPE, dns.PTR), BOB), mdns(1110, instance(*second))]
    for index, moment in enumerate((1030, 1130)):
        frames += [tcp(moment, 500, 2, port=40000 + index),
                   tcp(moment + 1, 501, 24, packet(1, 128) + packet(9, 112), port=40000 + index)]
    return frames, first, second


def account(frames):
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for moment, frame in sorted(frames, key=lambda entry: entry[0]):
            file.write(struct.pack("<IIII", int(moment), int(moment % 1 * 1e6), len(frame), len(frame)) + frame)
        file.flush()
        return Account.read(
            file.name, {"ada": Host(MACS[ADA], {ADA, ADA6}), "bob": Host(MACS[BOB], {BOB})}, lambda moment: (moment - 1000) / EPOCH,
            machine=["workshop"], people=["Ada"], silences={"ada": [(1099, 1105)]})


def planted(first, second):
    name, host, port = first
    a = lambda moment, *records: mdns(moment, dns.response(*records))  # noqa: E731
    twice = packet(9, 112)
    return {
        "the machine's host name": [a(1040, dns.record("workshop.local", dns.A, socket.inet_aton(ADA)))],
        "a person's name": [a(1040, dns.record(f"Ada.{TYPE}", dns.TXT, b"\x03v=1"))],
        "a reverse PTR": [a(1040, dns.record("1.0.77.10.in-addr.arpa", dns.PTR, dns.encode_name(f"{host}.local")))],
        "a meta record": [a(1040, dns.record("_services._dns-sd._udp.local", dns.PTR, dns.encode_name(TYPE)))],
        "a _device-info record": [a(1040, dns.record(f"{name}._device-info._tcp.local", dns.TXT, b"\x03v=1"))],
        "an HINFO record": [a(1040, dns.record(f"{host}.local", 13, b"\x03ARM\x05LINUX"))],
        "another TXT": [mdns(1040, instance(*first, text=b"\x03v=1\x03x=2"))],
        "another time to live": [mdns(1040, instance(*first, ttl=75))],
        "an address that contains the hardware address": [a(1040, dns.record(
            f"{host}.local", dns.AAAA, socket.inet_pton(socket.AF_INET6, "fe80::11:22ff:fe33:4455")))],
        "an address of another host in two epochs": [
            a(moment, dns.record(f"{each}.local", dns.A, b"\x0a\x4d\x00\x63"))
            for moment, each in ((1040, host), (1140, second[1]))],
        "a name that is not 32 digits": [a(1040, dns.record(TYPE, dns.PTR, dns.encode_name(f"printer.{TYPE}")))],
        "a question for a name of the previous epoch": [mdns(1140, dns.query(f"{name}.{TYPE}", dns.SRV), BOB)],
        "a host name of the previous epoch": [mdns(1140, instance(opaque(), host, 4003))],
        "a port of the previous epoch": [mdns(1140, instance(opaque(), opaque(), port))],
        "a first message of another length": [
            tcp(1050, 0, 2, port=41000), tcp(1051, 1, 24, packet(1, 120), port=41000)],
        "a record without padding": [tcp(1050, 0, 2, port=41000), tcp(1051, 1, 24, packet(9, 77), port=41000)],
        "the same bytes in two epochs": [
            frame for moment, number in ((1050, 41000), (1150, 41001))
            for frame in (tcp(moment, 0, 2, port=number), tcp(moment + 1, 1, 24, twice, port=number))],
        "an answer in the silence": [mdns(1101, instance(*second))],
        "a connection in the silence": [tcp(1101, 0, 2, port=41000)],
        "a link that a program resets in the silence": [tcp(1101, 700, 20, port=41000)],
        "bytes in the silence": [tcp(1101, 0, 4, b"x", port=41000)],
        "a packet with the address of somebody else in the silence": [
            (1101, mdns(1101, instance(*second), BOB)[1][:6] + MACS[ADA] + mdns(1101, instance(*second), BOB)[1][12:])],
        "a packet that cannot be read": [mdns(1040, b"\x00\x00\x84\x00\x00\x00\x00\x01\x00\x00\x00\x00\xc0\x0c")],
    }


def harmless(frames, first, second):
    """Returns what is taken for a violation and is none."""
    found = []
    forged = [by_mallory(entry) for extra in planted(first, second).values() for entry in extra]
    judged = account(frames + forged)
    if judged.violations() or judged.of_others != len(forged):
        found.append(f"forged packets are judged as the node's: {judged.violations()[:1]}, {judged.of_others} of {len(forged)}")
    # Reset without an acknowledgement, and without a sequence number: the kernel has nothing at this port.
    refused = account(frames + [tcp(1101, 700, 4, port=41000), tcp(1102, 0, 20, port=41001)])
    if refused.violations() or len(refused.refusals) != 2:
        found.append(f"{len(refused.refusals)} of 2 refusals of the kernel were counted: {refused.violations()}")
    if (few := by_chance(20 / PORTS), many := by_chance(600 / PORTS)) != (0, 1):
        found.append(f"chance explains {few} of 20 and {many} of 600 ports")
    facts = [{"event": name, "unixMilliseconds": 1000 * at} for name, at in
             (("visible", 5), ("silent", 20), ("silent", 22), ("visible", 30), ("silent", 40))]
    spans = silences(facts, 1, 41, 50)
    if spans != [(1, 4.75), (20 + AFTER_SILENT, 29.75), (40 + AFTER_SILENT, 50)]:
        found.append(f"the silences are {spans}")
    return found


def main():
    frames, first, second = clean()
    found = account(frames).violations()
    seen = account(frames).facts()
    failures = [f"the clean capture contains {found}"] if found else []
    if seen["namesAnnounced"] != 2 or seen["tcpConnections"] != 2 or seen["mdnsPackets"] != 3:
        failures.append(f"the clean capture was counted as {seen}")
    if seen["membershipReportsInSilence"]:
        failures.append("the clean capture contains a report of memberships in the silence")
    mld = b"\x3a\x00\x05\x02\x00\x00\x01\x00" + b"\x8f" + bytes(27)
    query = b"\x3a\x00\x05\x02\x00\x00\x01\x00" + b"\x82" + bytes(27)
    reports = [(1101, report6(mld)), (1101.5, report6(query)), (1102, ethernet(ADA, 2, b"\x22" + bytes(15))),
               (1103, ethernet(ADA, 2, b"\x11" + bytes(15))), (1120, ethernet(ADA, 2, b"\x22" + bytes(15)))]
    counted = account(frames + reports).facts()["membershipReportsInSilence"]
    if counted != 2:
        failures.append(f"{counted} reports of memberships were counted in the silence instead of 2")
    failures += harmless(frames, first, second)
    for what, extra in planted(first, second).items():
        found = account(frames + extra).violations()
        print(f"{'✓' if found else '✗'} {what}: {found[0] if found else 'not found'}")
        if not found:
            failures.append(f"{what} was not found")
    for failure in failures:
        print(f"captures: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
