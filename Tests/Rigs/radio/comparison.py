"""Compares the reader of captures with tshark, which shares no code with it."""

import shutil
import subprocess

import capture
import judge
from image import Missing

FIELDS = ("frame.number", "hci_mon.adapter_id", "bthci_cmd.opcode", "bthci_evt.le_meta_subevent", "bthci_cmd.bd_addr", "bthci_evt.bd_addr",
          "bthci_cmd.advertising_handle", "bthci_cmd.le_advts_enable", "bthci_cmd.le_own_address_type", "bthci_evt.rssi",
          "btcommon.eir_ad.entry.type", "btcommon.eir_ad.entry.data")
COMMANDS = (capture.RANDOM_ADDRESS, capture.PARAMETERS, capture.DATA, capture.RESPONSE, capture.ENABLE, capture.SET_ADDRESS,
            capture.SET_PARAMETERS, capture.SET_DATA, capture.SET_RESPONSE, capture.SET_ENABLE, capture.SET_REMOVE)


# These name the address of a peer.
PEERS = tuple(f"{opcode:#06x}" for opcode in (capture.PARAMETERS, capture.SET_PARAMETERS))


def differences(path, data=None):
    """Returns how many rows both have, and the rows that only one of them has. `data` is what the reader gets instead of the file."""
    if not shutil.which("tshark"):
        raise Missing("`tshark` is missing; install it with: .ci/setup radio")
    found = capture.records(data or path.read_bytes())
    ours = {row(found) for found in rows_of(found)}
    theirs = {row(found) for found in rows_of_tshark(path)}
    return len(ours & theirs), sorted(f"only here {one}" for one in ours - theirs) + sorted(f"only tshark {one}" for one in theirs - ours)


def row(fields):
    return " ".join(f"{name}={value}" for name, value in fields.items() if value not in (None, ""))


def rows_of(found):
    for record, opcode, said in capture.commands(found):
        handles = said.get("handles", [said["handle"]] if "handle" in said else [])
        yield {
            "number": record.number, "adapter": record.adapter, "command": f"{opcode:#06x}", "address": said.get("address"),
            "handle": ",".join(str(handle) for handle in handles if handle != capture.LEGACY),
            "enables": {None: None, True: 1, False: 0}[said.get("enables")], "own": said.get("own_type"),
            **data_fields(said.get("data", b"")),
        }
    for record in found:
        for report in capture.reports([record]):
            yield {"number": record.number, "adapter": record.adapter, "event": f"{record.payload[2]:#04x}", "address": report.address,
                   "rssi": report.rssi, **data_fields(report.data)}


def data_fields(data):
    structures = judge.structures(data)
    # tshark shows the company of manufacturer data as a field of its own.
    values = [value[2:].hex() for kind, value in structures if kind == judge.MANUFACTURER_DATA]
    return {"types": ",".join(f"{kind:#04x}" for kind, _ in structures), "data": ",".join(values)}


def rows_of_tshark(path):
    wanted = " || ".join([f"bthci_cmd.opcode=={opcode:#06x}" for opcode in COMMANDS]
                         + [f"bthci_evt.le_meta_subevent=={event:#04x}" for event in (capture.REPORT, capture.EXTENDED_REPORT)])
    done = subprocess.run(["timeout", "60", "tshark", "-n", "-r", str(path), "-Y", wanted, "-T", "fields",
                           *(word for name in FIELDS for word in ("-e", name))], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Missing(f"tshark cannot read {path}: {done.stderr.strip().splitlines()[-1:]}")
    for line in done.stdout.splitlines():
        number, adapter, command, event, told, heard, handle, enables, own, rssi, types, data = line.split("\t")
        yield {
            "number": number, "adapter": adapter, "command": command, "event": event, "address": None if command in PEERS else told or heard,
            "handle": ",".join(str(int(one, 16)) for one in handle.split(",") if one), "enables": int(enables, 16) if enables else None,
            "own": int(own, 16) if own else None, "rssi": rssi, "types": types, "data": data,
        }
