"""Captures that are written here record by record, each with what the reader and the judge must say about it."""

import struct
from dataclasses import dataclass

import capture
import judge
from capture import CaptureError

UUID = bytes(range(16))
ONE, TWO, THREE = "0a:00:00:00:00:01", "0b:00:00:00:00:02", "c0:00:00:00:00:03"
THIRD, FOURTH, FIFTH, SIXTH = "0c:00:00:00:00:03", "0d:00:00:00:00:04", "0e:00:00:00:00:05", "0f:00:00:00:00:06"
PUBLIC = "00:11:22:33:44:55"


class Writer:
    """Writes records a tenth of a second apart, from a time in Unix seconds."""

    def __init__(self, begin=1_000_000_000):
        self.data = capture.MAGIC + struct.pack(">II", 1, capture.MONITOR)
        self.time = capture.UNIX_EPOCH + begin * 1_000_000

    def wait(self, seconds):
        self.time += seconds * 1_000_000
        return self

    def record(self, opcode, payload, adapter=0):
        self.time += 100_000
        self.data += struct.pack(">IIIIQ", len(payload), len(payload), adapter << 16 | opcode, 0, self.time) + payload
        return self

    def command(self, opcode, told, adapter=0, status=0, returned=b""):
        self.record(capture.COMMAND, struct.pack("<HB", opcode, len(told)) + told, adapter)
        end = bytes([capture.COMMAND_COMPLETE, 4 + len(returned), 1]) + struct.pack("<HB", opcode, status) + returned
        return self.record(capture.EVENT, end, adapter)

    def status(self, opcode, told, adapter=0):
        """Writes a command that the controller only begins to carry out."""
        self.record(capture.COMMAND, struct.pack("<HB", opcode, len(told)) + told, adapter)
        return self.record(capture.EVENT, bytes([capture.COMMAND_STATUS, 4, 0, 1]) + struct.pack("<H", opcode), adapter)

    def meta(self, subevent, rest, adapter=0):
        return self.record(capture.EVENT, bytes([capture.LE_META, 1 + len(rest), subevent]) + rest, adapter)

    # Advertising with sets

    def configure(self, own_type=1, handle=1, adapter=0, interval=0x800):
        told = bytes([handle]) + struct.pack("<H", 0x10) + interval.to_bytes(3, "little") * 2 + bytes([7, own_type]) + bytes(14)
        return self.command(capture.SET_PARAMETERS, told, adapter)

    def address(self, address, handle=1, adapter=0):
        return self.command(capture.SET_ADDRESS, bytes([handle]) + raw(address), adapter)

    def show(self, data, handle=1, adapter=0, operation=3):
        return self.command(capture.SET_DATA, bytes([handle, operation, 1, len(data)]) + data, adapter)

    def enable(self, on=1, handle=1, adapter=0, status=0):
        return self.command(capture.SET_ENABLE, bytes([on, 1, handle, 0, 0, 0]), adapter, status)

    def respond(self, data, handle=1, adapter=0):
        return self.command(capture.SET_RESPONSE, bytes([handle, 3, 1, len(data)]) + data, adapter)

    def start(self, address, data, handle=1, adapter=0, interval=0x800):
        return self.configure(1, handle, adapter, interval).address(address, handle, adapter).show(data, handle, adapter).enable(1, handle, adapter)

    def report(self, address, data, adapter=1):
        rest = b"\x01" + struct.pack("<HB", 0x10, 1) + raw(address) + bytes([1, 0, 0xFF, 127, 216]) + bytes(9) + bytes([len(data)]) + data
        return self.meta(capture.EXTENDED_REPORT, rest, adapter)

    # Advertising of legacy controllers

    def legacy_start(self, address, data, own_type=1):
        self.command(capture.PARAMETERS, struct.pack("<HH", 0x800, 0x800) + bytes([3, own_type, 0]) + bytes(6) + bytes([7, 0]))
        self.command(capture.RANDOM_ADDRESS, raw(address))
        return self.legacy_show(data).command(capture.ENABLE, b"\1")

    def legacy_show(self, data):
        return self.command(capture.DATA, bytes([len(data)]) + data.ljust(31, b"\0"))

    def legacy_stop(self):
        return self.command(capture.ENABLE, b"\0")

    def legacy_report(self, address, data, adapter=1):
        return self.meta(capture.REPORT, bytes([1, 3, 1]) + raw(address) + bytes([len(data)]) + data + b"\xd8", adapter)


def raw(address):
    return bytes.fromhex(address.replace(":", ""))[::-1]


def beacon(minor, measured_power=-59):
    return b"\x1a\xff" + judge.IBEACON + UUID + struct.pack(">HHb", 1, minor, measured_power)


# What two adapters should show in three epochs, and the time at which the first of them begins.
FIRST = 1_000_000_800 // judge.EPOCH
NODES = {adapter: judge.Expected({FIRST + step: 10 * (adapter + 1) + step for step in range(3)}, "non-resolvable", has_links=True)
         for adapter in (0, 1)}
SERVICE = b"\2\1\6\x11\7" + judge.SERVICE


def rotation(change=lambda writer, step: None, second=lambda writer: writer.start(THIRD, beacon(20), adapter=1)):
    """Returns what two nodes do in an epoch and a half; `change` may do something else with the first node at a step."""
    writer = Writer(FIRST * judge.EPOCH + 5)
    for step, act in enumerate((
            lambda: writer.start(ONE, beacon(10)), lambda: second(writer), lambda: writer.wait(880),
            lambda: writer.enable(0).enable(0, adapter=1), lambda: writer.wait(30),
            lambda: writer.start(TWO, beacon(11)).start(FOURTH, beacon(21), adapter=1), lambda: writer.wait(400))):
        if not change(writer, step):
            act()
    return writer.record(capture.EVENT, b"\x13\x00")


def instead(step, act):
    """Returns a change of a rotation that does something else at one step."""
    def change(writer, at):
        if at == step:
            act(writer)
        return at == step
    return change


@dataclass(frozen=True)
class NodeCase:
    name: str
    writer: Writer
    faults: tuple = ()
    least: float = 0.0


def node_cases():
    """Returns captures of two nodes, with what the judge of nodes must find."""
    scan = struct.pack("<BBBBHH", 1, 0, 1, 1, 16, 16)
    connection = struct.pack("<BB", 0, 1) + b"\1" + raw(THIRD) + b"\1" + bytes(16)
    public = struct.pack("<BB", 0, 0) + b"\1" + raw(THIRD) + b"\1" + bytes(16)

    def asks(opcode, told):
        return instead(6, lambda writer: writer.command(capture.RANDOM_ADDRESS, raw(FIFTH)).status(opcode, told).wait(400))

    return [
        NodeCase("two nodes that rotate are right", rotation()),
        NodeCase("a minor that is shown after its epoch is outside",
                 rotation(instead(3, lambda writer: writer.enable(0, adapter=1).wait(20).enable(0))), ("outside", "carried")),
        NodeCase("a minor that is shown before its epoch is outside", rotation(instead(0, lambda writer: writer.start(ONE, beacon(11)))),
                 ("outside",)),
        NodeCase("a minor that is still shown at the end of the capture is outside",
                 rotation(instead(6, lambda writer: writer.wait(1200))), ("outside", "carried") * 2),
        NodeCase("a minor of no epoch is underived", rotation(instead(0, lambda writer: writer.start(ONE, beacon(99)))), ("underived",)),
        NodeCase("the minor of the other node is underived", rotation(instead(0, lambda writer: writer.start(ONE, beacon(20)))), ("underived",)),
        NodeCase("the earlier address under the next minor is mixed and carried",
                 rotation(instead(5, lambda writer: writer.start(ONE, beacon(11)).start(FOURTH, beacon(21), adapter=1))), ("mixed", "carried")),
        NodeCase("the next minor that is set before the end is outside and mixed",
                 rotation(instead(3, lambda writer: writer.show(beacon(11)).enable(0).enable(0, adapter=1))), ("mixed", "outside")),
        NodeCase("an address of another kind is found",
                 rotation(instead(0, lambda writer: writer.start("4a:00:00:00:00:01", beacon(10)))), ("kind",)),
        NodeCase("another measured power differs", rotation(second=lambda writer: writer.start(THIRD, beacon(20, -60), adapter=1)),
                 ("differs",)),
        NodeCase("another interval differs",
                 rotation(second=lambda writer: writer.start(THIRD, beacon(20), adapter=1, interval=0x801)), ("differs",)),
        NodeCase("a scan response differs",
                 rotation(second=lambda writer: writer.start(THIRD, beacon(20), adapter=1).respond(b"\2\x0a\0", adapter=1)), ("differs",)),
        NodeCase("the service in a set of its own is right",
                 rotation(instead(0, lambda writer: writer.start(ONE, beacon(10)).start(SIXTH, SERVICE, handle=2).wait(5).enable(0, handle=2)))),
        NodeCase("the service under one address in two epochs is carried",
                 rotation(instead(0, lambda writer: writer.start(ONE, beacon(10)).start(SIXTH, SERVICE, handle=2))), ("carried",)),
        NodeCase("the service under the address of the beacon is mixed",
                 rotation(instead(0, lambda writer: writer.start(ONE, beacon(10)).start(ONE, SERVICE, handle=2).wait(5).enable(0, handle=2))), ("mixed",)),
        NodeCase("another service is underived and differs", rotation(instead(0, lambda writer: writer.start(ONE, beacon(10)).start(
            SIXTH, b"\2\1\6\x11\7" + bytes(16), handle=2).wait(5).enable(0, handle=2))), ("differs", "underived")),
        NodeCase("a node that is hardly on the air is absent",
                 rotation(instead(2, lambda writer: writer.enable(0).wait(880))), ("absent",) * 3, 0.4),
        NodeCase("an active scan over a boundary is carried",
                 rotation(instead(2, lambda writer: writer.command(capture.RANDOM_ADDRESS, raw(FIFTH)).command(
                     capture.EXTENDED_SCAN_PARAMETERS, scan).command(capture.EXTENDED_SCAN_ENABLE, b"\1" + bytes(5)).wait(880))), ("carried",)),
        NodeCase("a connection under an address of its own is right", rotation(asks(capture.EXTENDED_CONNECT, connection))),
        NodeCase("a connection under the public address is found",
                 rotation(lambda writer, step: step == 6 and writer.command(capture.READ_ADDRESS, b"", returned=raw(PUBLIC)).status(
                     capture.EXTENDED_CONNECT, public).wait(400)), ("public",)),
        NodeCase("a connection of a node that is expected under the address of the last epoch is carried",
                 rotation(lambda writer, step: step == 6 and writer.command(capture.RANDOM_ADDRESS, raw(ONE)).status(
                     capture.EXTENDED_CONNECT, connection).wait(400)), ("carried",)),
    ]


def wrong_of_nodes(case):
    """Returns what the judge of nodes said otherwise than the case expects, or None."""
    found = capture.records(case.writer.data)
    said = judge.node_faults(capture.advertisements(found), capture.requests(found), NODES, found[-1].time, case.least)
    kinds = sorted(fault.kind for fault in said)
    return None if kinds == sorted(case.faults) else f"the faults are {said or 'none'} instead of {case.faults or 'none'}"


@dataclass(frozen=True)
class Case:
    """`shown`: address, minor and whether it ended, of each advertisement. `heard`: address and minor of each report."""

    name: str
    writer: Writer
    faults: tuple = ()
    shown: tuple | None = None
    heard: tuple = ()


def cases():
    return [
        Case("a rotation with a new address is right", Writer().start(ONE, beacon(1)).enable(0).start(TWO, beacon(2)).enable(0),
             shown=((ONE, 1, True), (TWO, 2, True))),
        Case("an identifier under the earlier address is mixed", Writer().start(ONE, beacon(1)).enable(0).show(beacon(2)).enable(),
             ("mixed",), ((ONE, 1, True), (ONE, 2, False))),
        Case("an identifier that is set while the earlier one is shown is mixed",
             Writer().start(ONE, beacon(1)).show(beacon(2)).enable(0).address(TWO).enable(),
             ("mixed",), ((ONE, 1, True), (ONE, 2, True), (TWO, 2, False))),
        Case("the earlier identifier under the next address is mixed",
             Writer().start(ONE, beacon(1)).enable(0).start(TWO, beacon(1)).show(beacon(2)), ("mixed",)),
        Case("an earlier address that comes back is mixed",
             Writer().start(ONE, beacon(1)).enable(0).start(TWO, beacon(2)).enable(0).start(ONE, beacon(3)), ("mixed",)),
        Case("one identifier under two addresses is right", Writer().start(ONE, beacon(1)).enable(0).start(TWO, beacon(1)),
             shown=((ONE, 1, True), (TWO, 1, False))),
        Case("another measured power is the same identifier", Writer().start(ONE, beacon(1)).show(beacon(1, -60))),
        Case("legacy: a rotation with a new address is right",
             Writer().legacy_start(ONE, beacon(1)).legacy_stop().legacy_start(TWO, beacon(2)),
             shown=((ONE, 1, True), (TWO, 2, False))),
        Case("legacy: data that changes in place is mixed", Writer().legacy_start(ONE, beacon(1)).legacy_show(beacon(2)),
             ("mixed",), ((ONE, 1, True), (ONE, 2, False))),
        Case("a command that the controller refuses shows nothing",
             Writer().configure().address(ONE).show(beacon(1)).enable(status=0x12), shown=()),
        Case("a public address is found",
             Writer().command(capture.READ_ADDRESS, b"", returned=raw(PUBLIC)).configure(own_type=0).show(beacon(1)).enable(),
             ("public",), ((PUBLIC, 1, False),)),
        Case("legacy: a public address is found",
             Writer().record(capture.INDEX_INFO, raw(PUBLIC) + bytes(2)).legacy_start(ONE, beacon(1), own_type=0), ("public",),
             ((PUBLIC, 1, False),)),
        Case("an address that is not in the capture is found", Writer().configure().show(beacon(1)).enable(), ("unknown",)),
        Case("data in parts is joined",
             Writer().configure().address(ONE).show(beacon(7)[:9], operation=1).show(beacon(7)[9:], operation=2).enable(),
             shown=((ONE, 7, False),)),
        Case("sets of two handles and of two adapters are separate",
             Writer().start(ONE, beacon(1)).start(TWO, beacon(2), handle=2).start(THREE, beacon(3), adapter=1),
             shown=((ONE, 1, False), (TWO, 2, False), (THREE, 3, False))),
        Case("a set that the controller terminates ends", Writer().start(ONE, beacon(1)).meta(capture.SET_TERMINATED, b"\x3c\1\0\0\0"),
             shown=((ONE, 1, True),)),
        Case("a reset ends what is shown", Writer().start(ONE, beacon(1)).command(capture.RESET, b""), shown=((ONE, 1, True),)),
        Case("mixed is found in extended reports alone", Writer().report(ONE, beacon(1)).report(ONE, beacon(2)), ("mixed",), (),
             ((ONE, 1), (ONE, 2))),
        Case("mixed is found in legacy reports alone", Writer().legacy_report(TWO, beacon(5)).legacy_report(TWO, beacon(6)), ("mixed",),
             (), ((TWO, 5), (TWO, 6))),
        Case("reports of a rotation are right", Writer().report(ONE, beacon(1)).legacy_report(TWO, beacon(2)), (), (),
             ((ONE, 1), (TWO, 2))),
    ]


def wrong(case):
    """Returns what the reader or the judge said otherwise than the case expects, or None."""
    found = capture.records(case.writer.data)
    shown, heard = capture.advertisements(found), capture.reports(found)

    def minor(one):
        return int(judge.identifier(one.data).split("/")[-1])

    kinds = tuple(fault.kind for fault in judge.faults(shown or heard))
    if kinds != case.faults:
        return f"the faults are {kinds or 'none'} instead of {case.faults or 'none'}"
    if case.shown is not None and (said := tuple((one.address, minor(one), one.ended is not None) for one in shown)) != case.shown:
        return f"shown was {said} instead of {case.shown}"
    if (said := tuple((one.address, minor(one)) for one in heard)) != case.heard:
        return f"heard was {said} instead of {case.heard}"
    return None


def unrefused():
    """Returns damaged captures that the reader took; there must be none. A shorter capture is one in which a record ends early."""
    whole = Writer().start(ONE, beacon(1)).report(ONE, beacon(1)).legacy_report(TWO, beacon(2)).data
    starts = {16}
    for record in capture.records(whole):
        starts.add(max(starts) + 24 + len(record.payload))
    taken = [f"the first {end} bytes" for end in range(len(whole)) if end not in starts and is_taken(whole[:end])]
    taken += [f"{end} bytes of a live one" for end in range(16, len(whole)) if not is_taken(whole[:end], True)]
    short = [(capture.EVENT, payload) for payload in (b"\x3e\x05\x0d\x01\x00", b"\x3e\x20\x02\x01\x03\x01" + bytes(6) + b"\x1f",
                                                      b"\x3e\x02\x0d\x05", b"\x0e\x01")]
    short += [(capture.COMMAND, b"\x37")]
    taken += [f"a record {payload.hex()}" for opcode, payload in short if is_taken(Writer().record(opcode, payload).data)]
    return taken + [f"the header {header}" for header in (b"", b"pcap", capture.MAGIC, capture.MAGIC + struct.pack(">II", 1, 1002))
                    if is_taken(header)]


def is_taken(data, is_live=False):
    try:
        found = capture.records(data, is_live)
        capture.advertisements(found)
        capture.reports(found)
    except CaptureError:
        return False
    return True
