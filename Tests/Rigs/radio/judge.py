"""Judges what was on the air: can a listener link two identifiers?

A pure function over what `capture` has parsed, advertisements or reports. The faults:

  mixed    one address showed two identifiers, which tells a listener that both belong to one device
  public   an advertisement carried the fixed address of the controller
  unknown  the capture begins too late to say which address an advertisement carried
"""

from dataclasses import dataclass

MANUFACTURER_DATA = 0xFF
IBEACON = bytes.fromhex("4c000215")


@dataclass(frozen=True)
class Fault:
    kind: str
    time: float
    text: str


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
    unique = {}
    for fault in found:
        unique.setdefault((fault.kind, fault.text), fault)
    return list(unique.values())


def identifier(data):
    """Returns UUID, major and minor of an iBeacon frame, and otherwise the whole data."""
    for kind, value in structures(data):
        if kind == MANUFACTURER_DATA and value[:4] == IBEACON and len(value) == 25:
            return f"{value[4:20].hex()}/{int.from_bytes(value[20:22], 'big')}/{int.from_bytes(value[22:24], 'big')}"
    return data.hex()


def structures(data):
    """Returns the AD structures, as far as the data contains whole ones."""
    found = []
    while data and data[0] and len(data) > data[0]:
        found.append((data[1], data[2:1 + data[0]]))
        data = data[1 + data[0]:]
    return found
