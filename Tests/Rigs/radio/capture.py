"""Reads captures that btmon wrote (btsnoop with the monitor data link), and says what was on the air.

`advertisements` are what adapters showed, according to the commands that their controllers accepted. `requests` are the other
moments in which an adapter sends under an address: active scans and connections that it makes. `reports` are what adapters
heard. An advertisement is a period in which an advertising set is enabled and neither its address nor its data changes.
"""

import struct
from collections import defaultdict
from dataclasses import dataclass, field

MAGIC = b"btsnoop\0"
MONITOR = 2001
# Microseconds from the year 0 to 1970.
UNIX_EPOCH = 0x00DCDDB30F2F8000

DELETE_INDEX, COMMAND, EVENT, CLOSE_INDEX, INDEX_INFO = 1, 2, 3, 9, 10
DISCONNECTION, COMMAND_COMPLETE, COMMAND_STATUS, LE_META = 0x05, 0x0E, 0x0F, 0x3E
CONNECTION, REPORT, ENHANCED_CONNECTION, EXTENDED_REPORT, SET_TERMINATED = 0x01, 0x02, 0x0A, 0x0D, 0x12
RESET, READ_ADDRESS = 0x0C03, 0x1009
RANDOM_ADDRESS, PARAMETERS, DATA, RESPONSE, ENABLE = 0x2005, 0x2006, 0x2008, 0x2009, 0x200A
SET_ADDRESS, SET_PARAMETERS, SET_DATA, SET_RESPONSE, SET_ENABLE = 0x2035, 0x2036, 0x2037, 0x2038, 0x2039
SET_REMOVE, SET_CLEAR = 0x203C, 0x203D
SCAN_PARAMETERS, SCAN_ENABLE, CONNECT = 0x200B, 0x200C, 0x200D
EXTENDED_SCAN_PARAMETERS, EXTENDED_SCAN_ENABLE, EXTENDED_CONNECT = 0x2041, 0x2042, 0x2043
# A legacy controller has one advertisement, which has no handle.
LEGACY = -1


class CaptureError(Exception):
    """The bytes are not a capture of the monitor; the text says where."""


@dataclass(frozen=True)
class Record:
    number: int
    time: float
    adapter: int
    opcode: int
    payload: bytes


@dataclass
class Advertisement:
    """What an adapter showed. Times are Unix seconds; `ended` is None while it is shown. The interval is in milliseconds.

    `parameters` are the bytes of the command that set them, without the handle, and `response` answers requests for more.
    """

    adapter: int
    handle: int
    address: str
    address_kind: str
    data: bytes
    interval: tuple[float, float]
    parameters: bytes
    response: bytes
    time: float
    ended: float | None = None


@dataclass
class Request:
    """An active scan, with its end, or a connection that an adapter makes, which ends at once. `kind` is scan or connection."""

    adapter: int
    kind: str
    address: str
    address_kind: str
    time: float
    ended: float | None = None


@dataclass(frozen=True)
class Report:
    """What an adapter heard. `rssi` is 127 when the controller gives none."""

    adapter: int
    address: str
    address_kind: str
    data: bytes
    rssi: int
    time: float


def records(data, is_live=False):
    """Parses a capture. When it is still being written, its last record may be incomplete."""
    if data[:8] != MAGIC:
        raise CaptureError("not a btsnoop file")
    if len(data) < 16 or struct.unpack(">II", data[8:16]) != (1, MONITOR):
        raise CaptureError("not a capture of the monitor in version 1")
    found, offset = [], 16
    while offset < len(data):
        if len(data) < offset + 24 or len(data) < offset + 24 + struct.unpack_from(">I", data, offset + 4)[0]:
            if is_live:
                break
            raise CaptureError(f"record {len(found) + 1} is incomplete")
        _, length, flags, _, stamp = struct.unpack_from(">IIIIQ", data, offset)
        payload = data[offset + 24:offset + 24 + length]
        found.append(Record(len(found) + 1, (stamp - UNIX_EPOCH) / 1e6, flags >> 16, flags & 0xFFFF, payload))
        offset += 24 + length
    return found


def advertisements(found):
    """Returns what the adapters showed, in order of its beginning."""
    adapters, shown = defaultdict(Adapter), []
    for record in found:
        adapter = adapters[record.adapter]
        with_context(record, adapter.take, record)
        shown += adapter.changes(record)
    return shown


def requests(found):
    """Returns the active scans and the connections that the adapters made, in order of their beginning."""
    adapters = defaultdict(Adapter)
    for record in found:
        with_context(record, adapters[record.adapter].take, record)
    return sorted((one for adapter in adapters.values() for one in adapter.requests), key=lambda one: one.time)


def reports(found):
    """Returns what the adapters heard."""
    return [report for record in found if record.opcode == EVENT and record.payload[:1] == bytes([LE_META])
            for report in with_context(record, reports_in, record)]


@dataclass
class Link:
    """A connection, with the commands and events of one adapter. `ended` is None while it is there."""

    adapter: int
    handle: int
    is_peripheral: bool
    time: float
    ended: float | None = None


def links(found):
    """Returns the connections of the adapters, in order of their beginning."""
    made, open_now = [], {}
    for record in found:
        if record.opcode != EVENT:
            continue
        payload = record.payload
        if payload[0] == LE_META and payload[2] in (CONNECTION, ENHANCED_CONNECTION) and payload[3] == 0:
            link = Link(record.adapter, int.from_bytes(payload[4:6], "little"), payload[6] == 1, record.time)
            made.append(link)
            open_now[record.adapter, link.handle] = link
        elif payload[0] == DISCONNECTION and (link := open_now.pop((record.adapter, int.from_bytes(payload[3:5], "little")), None)):
            link.ended = record.time
    return made


def with_context(record, function, *arguments):
    try:
        return function(*arguments)
    except (IndexError, struct.error):
        raise CaptureError(f"record {record.number} is shorter than its contents") from None


def text_of(address):
    if len(address) != 6:
        raise IndexError
    return ":".join(f"{byte:02x}" for byte in reversed(address))


def kind_of(address, is_random):
    """Returns public, or the kind of a random address by its two highest bits."""
    if not is_random:
        return "public"
    return {0: "non-resolvable", 1: "resolvable", 3: "static"}.get(int(address[:2], 16) >> 6, "reserved")


def commands(found):
    """Returns the records of commands about advertising, each with what it says."""
    said = []
    for record in found:
        if record.opcode == COMMAND:
            opcode = with_context(record, struct.unpack_from, "<H", record.payload)[0]
            fields = with_context(record, parsed_advertising, opcode, record.payload[3:])
            if fields is not None:
                said.append((record, opcode, fields))
    return said


def scans(found):
    """Returns how adapters listen: the different pairs of interval and window, in milliseconds."""
    said = {(fields["interval"], fields["window"]) for record in found if record.opcode == COMMAND
            and (fields := with_context(record, parsed_request, struct.unpack_from("<H", record.payload)[0], record.payload[3:]))
            and "window" in fields}
    return sorted(said)


def parsed(opcode, told):
    """Returns what a command says after which an adapter sends, and None for another command."""
    said = parsed_advertising(opcode, told)
    return parsed_request(opcode, told) if said is None else said


def parsed_advertising(opcode, told):
    """Returns what a command about advertising says, and None for another command."""
    if opcode == RANDOM_ADDRESS:
        return {"address": text_of(told[:6])}
    if opcode == PARAMETERS:
        low, high = struct.unpack_from("<HH", told)
        return {"handle": LEGACY, "interval": (low * 0.625, high * 0.625), "own_type": told[5], "parameters": told}
    if opcode in (DATA, RESPONSE):
        return {"handle": LEGACY, "operation": 3, "data": counted(told, 0)}
    if opcode == ENABLE:
        return {"handles": [LEGACY], "enables": told[0] == 1}
    if opcode == SET_ADDRESS:
        return {"handle": told[0], "address": text_of(told[1:7])}
    if opcode == SET_PARAMETERS:
        low, high = (int.from_bytes(told[at:at + 3], "little") * 0.625 for at in (3, 6))
        return {"handle": told[0], "interval": (low, high), "own_type": told[10], "parameters": told[1:]}
    if opcode in (SET_DATA, SET_RESPONSE):
        return {"handle": told[0], "operation": told[1], "data": counted(told, 3)}
    if opcode == SET_ENABLE:
        return {"handles": [told[2 + 4 * index] for index in range(told[1])], "enables": told[0] == 1}
    if opcode == SET_REMOVE:
        return {"handle": told[0]}
    return None


def parsed_request(opcode, told):
    """Returns what a command about scans or connections says, and None for another command."""
    if opcode == SCAN_PARAMETERS:
        low, high = struct.unpack_from("<HH", told, 1)
        return {"active": told[0] == 1, "own_type": told[5], "interval": low * 0.625, "window": high * 0.625}
    if opcode == EXTENDED_SCAN_PARAMETERS:
        kinds = [told[3 + 5 * index] for index in range(told[2].bit_count())]
        low, high = struct.unpack_from("<HH", told, 4)
        return {"active": 1 in kinds, "own_type": told[0], "interval": low * 0.625, "window": high * 0.625}
    if opcode in (SCAN_ENABLE, EXTENDED_SCAN_ENABLE):
        return {"scans": told[0] == 1}
    if opcode == CONNECT:
        return {"own_type": told[12]}
    if opcode == EXTENDED_CONNECT:
        return {"own_type": told[1]}
    return None


def counted(payload, at):
    """Returns the bytes whose count is at an offset."""
    data = payload[at + 1:at + 1 + payload[at]]
    if len(data) != payload[at]:
        raise IndexError
    return data


# What an adapter shows

@dataclass
class Set:
    address: str = ""
    own_type: int = 0
    interval: tuple[float, float] = (0.0, 0.0)
    data: bytes = b""
    parameters: bytes = b""
    response: bytes = b""
    is_enabled: bool = False


@dataclass
class Adapter:
    """What one controller was told, and what it sends because of that."""

    adapter: int = 0
    time: float = 0.0
    public: str = ""
    random: str = ""
    sets: dict[int, Set] = field(default_factory=lambda: defaultdict(Set))
    pending: dict[int, bytes] = field(default_factory=dict)
    shown: dict[int, Advertisement] = field(default_factory=dict)
    scan: dict = field(default_factory=lambda: {"active": False, "own_type": 0})
    scanning: Request | None = None
    requests: list[Request] = field(default_factory=list)

    def take(self, record):
        payload = record.payload
        self.adapter, self.time = record.adapter, record.time
        if record.opcode == COMMAND:
            self.pending[struct.unpack_from("<H", payload)[0]] = payload[3:]
        elif record.opcode == INDEX_INFO:
            self.public = text_of(payload[:6])
        elif record.opcode in (DELETE_INDEX, CLOSE_INDEX):
            self.reset()
        elif record.opcode == EVENT and payload[0] == COMMAND_COMPLETE:
            opcode = struct.unpack_from("<H", payload, 3)[0]
            told = self.pending.pop(opcode, None)
            if opcode == READ_ADDRESS and payload[5] == 0:
                self.public = text_of(payload[6:12])
            # A controller that refuses a command shows what it showed before.
            elif told is not None and payload[5:6] == b"\0":
                self.obey(opcode, told)
        elif record.opcode == EVENT and payload[0] == COMMAND_STATUS:
            opcode = struct.unpack_from("<H", payload, 4)[0]
            told = self.pending.pop(opcode, None)
            if opcode in (CONNECT, EXTENDED_CONNECT) and told is not None and payload[2] == 0:
                # What it sends after this moment goes to one device alone.
                self.ask("connection", parsed(opcode, told)["own_type"]).ended = self.time
        elif record.opcode == EVENT and payload[0] == LE_META:
            self.hear(payload)

    def obey(self, opcode, told):
        if opcode == RESET:
            self.reset()
        elif opcode == SET_CLEAR:
            self.sets.clear()
        elif (said := parsed(opcode, told)) is None:
            return
        elif opcode == RANDOM_ADDRESS:
            self.random = said["address"]
        elif opcode == SET_REMOVE:
            self.sets.pop(said["handle"], None)
        elif opcode in (ENABLE, SET_ENABLE):
            # A command that disables without naming sets disables all.
            for handle in said["handles"] or ([] if said["enables"] else list(self.sets)):
                self.sets[handle].is_enabled = said["enables"]
        elif opcode in (DATA, SET_DATA):
            one = self.sets[said["handle"]]
            one.data = filled(one.data, said["operation"], said["data"])
        elif opcode in (RESPONSE, SET_RESPONSE):
            one = self.sets[said["handle"]]
            one.response = filled(one.response, said["operation"], said["data"])
        elif opcode == SET_ADDRESS:
            self.sets[said["handle"]].address = said["address"]
        elif opcode in (SCAN_PARAMETERS, EXTENDED_SCAN_PARAMETERS):
            self.scan = said
        elif opcode in (SCAN_ENABLE, EXTENDED_SCAN_ENABLE):
            self.end_scan()
            if said["scans"] and self.scan["active"]:
                self.scanning = self.ask("scan", self.scan["own_type"])
        elif opcode in (PARAMETERS, SET_PARAMETERS):
            one = self.sets[said["handle"]]
            one.interval, one.own_type, one.parameters = said["interval"], said["own_type"], said["parameters"]

    def ask(self, kind, own_type):
        address, address_kind = self.own_address(own_type, self.random)
        self.requests.append(Request(self.adapter, kind, address, address_kind, self.time))
        return self.requests[-1]

    def end_scan(self):
        if self.scanning:
            self.scanning.ended, self.scanning = self.time, None

    def reset(self):
        self.sets.clear()
        self.end_scan()

    def hear(self, payload):
        """Takes the events that end advertising without a command."""
        subevent = payload[2]
        if subevent == SET_TERMINATED:
            self.sets[payload[4]].is_enabled = False
        elif subevent in (CONNECTION, ENHANCED_CONNECTION) and payload[3] == 0 and payload[6] == 1:
            # The peripheral of a connection.
            self.sets[LEGACY].is_enabled = False

    def changes(self, record):
        """Ends what is not shown any more, and returns what is shown from now on."""
        begun = []
        now = {handle: self.view(handle) for handle, one in self.sets.items() if one.is_enabled}
        for handle, old in list(self.shown.items()):
            if now.get(handle) != (old.address, old.address_kind, old.data, old.interval, old.parameters, old.response):
                old.ended = record.time
                del self.shown[handle]
        for handle, view in now.items():
            if handle not in self.shown:
                self.shown[handle] = Advertisement(record.adapter, handle, *view, time=record.time)
                begun.append(self.shown[handle])
        return begun

    def view(self, handle):
        one = self.sets[handle]
        address, kind = self.own_address(one.own_type, self.random if handle == LEGACY else one.address)
        return address, kind, one.data, one.interval, one.parameters, one.response

    def own_address(self, own_type, random):
        # Own types 1 and 3 are random; 2 and 3 are resolvable where the controller has a key, which hosts under test do not give it.
        is_random = own_type & 1 == 1
        address = random if is_random else self.public
        return address, kind_of(address, is_random) if address else "unknown"


def filled(before, operation, data):
    """Returns the data of a set after a command; it comes in parts when it is long."""
    return before + data if operation in (0, 2) else data if operation in (1, 3) else before


# What an adapter hears

def reports_in(record):
    payload, found, at = record.payload, [], 4
    if payload[2] not in (REPORT, EXTENDED_REPORT):
        return found
    for _ in range(payload[3]):
        if payload[2] == REPORT:
            # Event type, address type, address, data, strength.
            address_type, address, data = payload[at + 1], payload[at + 2:at + 8], counted(payload, at + 8)
            rssi = struct.unpack_from("<b", payload, at + 9 + len(data))[0]
            at += 10 + len(data)
        else:
            # Two bytes of event type, address type, address, two PHYs, set, power, strength, eleven more bytes, data.
            address_type, address, data = payload[at + 2], payload[at + 3:at + 9], counted(payload, at + 23)
            rssi = struct.unpack_from("<b", payload, at + 13)[0]
            at += 24 + len(data)
        text = text_of(address)
        found.append(Report(record.adapter, text, kind_of(text, address_type in (1, 3)), data, rssi, record.time))
    return found
