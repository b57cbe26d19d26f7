"""Judges what was on the air: can a listener link two identifiers, or two epochs?

Pure functions over what `capture` has parsed. The faults that `faults` finds, for anything that advertises:

  mixed    one address showed two identifiers, which tells a listener that both belong to one device
  public   the fixed address of the controller was sent
  unknown  the capture begins too late to say which address was sent

Those that `node_faults` finds besides, for nodes that should show the minor of the epoch:

  underived  what was shown is not the minor of any epoch of this node
  outside    the minor of an epoch was shown before its begin or after its end
  kind       an address was not of the kind that the profile requires
  carried    an address was sent in two epochs, in advertisements, active scans or connections
  differs    a byte that does not rotate was not the same everywhere: each value of it tells a group of nodes from the others
  absent     a node was on the air for too small a part of an epoch
"""

from collections import Counter
from dataclasses import dataclass

EPOCH = 900
MANUFACTURER_DATA = 0xFF
IBEACON = bytes.fromhex("4c000215")
SERVICE_UUIDS = 0x07
# The service UUID of the profile (Specs/advertising.md), as it is sent.
SERVICE = bytes.fromhex("a44d4c58d2ed5ab38d8d002e5b6f351a")


@dataclass(frozen=True)
class Fault:
    kind: str
    time: float
    text: str


@dataclass(frozen=True)
class Expected:
    """What one node should show: the minor of each epoch that is judged, under addresses of one kind. In the layout for links it
    also shows the service, in a set of its own.
    """

    minors: dict[int, int]
    address_kind: str
    has_links: bool = False


@dataclass(frozen=True)
class Sent:
    """A period in which a node sent under an address."""

    adapter: int
    what: str
    address: str
    address_kind: str
    time: float
    ended: float


def faults(shown):
    """Returns the faults in order of time, each once."""
    found, first = [], {}
    for one in sorted(shown, key=lambda one: one.time):
        value = identifier(one.data)
        if one.address_kind == "public":
            found.append(Fault("public", one.time, f"adapter {one.adapter} showed {value} under its public address {one.address}"))
        elif one.address_kind == "unknown":
            found.append(Fault("unknown", one.time, f"adapter {one.adapter} showed {value} under an address that is not in the capture"))
        known = first.setdefault(one.address, {})
        if one.address and known and value not in known:
            earlier, time = next(iter(known.items()))
            found.append(Fault("mixed", one.time, f"{one.address} showed {earlier}, and {one.time - time:.3f} s later {value}"))
        known.setdefault(value, one.time)
    return unique(found)


def node_faults(shown, requests, expected, until, least=0.0, whole=None):
    """Returns the faults of nodes in order of time, those of `faults` included.

    `expected` has the nodes by adapter, `until` is the end of the capture, and `least` the part of each epoch of `whole`, by
    default of all that are expected, for which a node must be on the air. An adapter of which nothing is expected must be silent.
    """
    sent = [Sent(one.adapter, what, one.address, one.address_kind, one.time, one.ended or until) for what, one in
            [*((f"minor {minor_of(one.data)}", one) for one in shown), *((f"a {one.kind}", one) for one in requests)]]
    found = faults(shown)
    for one in requests:
        if one.address_kind in ("public", "unknown"):
            found.append(Fault(one.address_kind, one.time, f"adapter {one.adapter} sent a {one.kind} under its {one.address_kind} address"))
    for one in shown:
        found += minor_faults(one, expected.get(one.adapter), until)
    for one in sent:
        found += kind_faults(one, expected.get(one.adapter))
    found += carried_faults(sent) + different_faults(shown) + absent_faults(shown, expected, until, least, whole)
    return sorted(unique(found), key=lambda fault: fault.time)


def minor_faults(one, node, until):
    """Judges whether an advertisement shows the minor of its epoch, from begin to end."""
    minor, ended = minor_of(one.data), one.ended or until
    if node and node.has_links and is_service(one.data):
        return []
    epochs = [epoch for epoch, derived in node.minors.items() if derived == minor] if node else []
    if not epochs:
        return [Fault("underived", one.time, f"adapter {one.adapter} showed {one.data.hex()}, which is not the minor of any epoch")]
    # Two epochs of a node may have one minor; the nearest is meant.
    late, epoch = min((max(epoch * EPOCH - one.time, ended - (epoch + 1) * EPOCH), epoch) for epoch in epochs)
    return [Fault("outside", one.time, f"adapter {one.adapter} showed the minor of epoch {epoch} for {late:.3f} s outside it")] if late > 0 else []


def kind_faults(one, node):
    if not node or one.address_kind in (node.address_kind, "public", "unknown"):
        return []
    return [Fault("kind", one.time, f"adapter {one.adapter} sent {one.what} under a {one.address_kind} address {one.address}")]


def carried_faults(sent):
    """Finds addresses that go from one epoch to another: a listener needs nothing else."""
    first, found = {}, []
    for one in sorted((one for one in sent if one.address), key=lambda one: one.time):
        earlier = first.setdefault(one.address, one)
        begin, end = (int(time // EPOCH) for time in (earlier.time, max(one.ended, one.time)))
        if begin != end:
            found.append(Fault("carried", one.time, f"{one.address} carried {earlier.what} in epoch {begin}, and {one.what} in epoch {end}"))
    return found


def different_faults(shown):
    """Compares everything that is sent beside address and minor, among the sets of beacons and among those of the service."""
    found = []
    for group in ([one for one in shown if not is_service(one.data)], [one for one in shown if is_service(one.data)]):
        known = Counter(constant_part(one) for one in group)
        usual = known.most_common(1)[0][0] if known else None
        found += [Fault("differs", one.time, f"adapter {one.adapter} showed {' '.join(constant_part(one))} where others show {' '.join(usual)}")
                  for one in group if constant_part(one) != usual]
    return found


def constant_part(one):
    """Returns parameters, data without the minor, and scan response, as text."""
    return one.parameters.hex(), with_minor(one.data, 0).hex(), one.response.hex()


def with_minor(data, minor):
    """Returns data with another minor in its iBeacon frame, if it has one."""
    at = data.find(IBEACON)
    return data if at < 0 or at + 25 > len(data) else data[:at + 22] + minor.to_bytes(2, "big") + data[at + 24:]


def absent_faults(shown, expected, until, least, whole):
    found = []
    for adapter, node in expected.items():
        for epoch in node.minors if whole is None else whole:
            begin, end = epoch * EPOCH, (epoch + 1) * EPOCH
            seconds = sum(max(0.0, min(one.ended or until, end) - max(one.time, begin)) for one in shown
                          if one.adapter == adapter and not is_service(one.data))
            if seconds < least * EPOCH:
                found.append(Fault("absent", begin, f"adapter {adapter} was on the air for {seconds:.0f} s of epoch {epoch}"))
    return found


def unique(found):
    """Returns each fault once."""
    first = {}
    for fault in found:
        first.setdefault((fault.kind, fault.text), fault)
    return list(first.values())


def identifier(data):
    """Returns UUID, major and minor of an iBeacon frame, and otherwise the whole data."""
    for kind, value in structures(data):
        if kind == MANUFACTURER_DATA and value[:4] == IBEACON and len(value) == 25:
            return f"{value[4:20].hex()}/{int.from_bytes(value[20:22], 'big')}/{int.from_bytes(value[22:24], 'big')}"
    return data.hex()


def minor_of(data):
    """Returns the minor of an iBeacon frame, and None for other data."""
    words = identifier(data).split("/")
    return int(words[2]) if len(words) == 3 else None


def is_service(data):
    """Returns whether the data of a set shows the service, and no beacon."""
    return minor_of(data) is None and (SERVICE_UUIDS, SERVICE) in structures(data)


def structures(data):
    """Returns the AD structures, as far as the data contains whole ones."""
    found = []
    while data and data[0] and len(data) > data[0]:
        found.append((data[1], data[2:1 + data[0]]))
        data = data[1 + data[0]:]
    return found
