#!/usr/bin/env python3
"""Checks our Wi-Fi Aware frames with Wireshark's dissector: wifi_aware.py.

The frames come from the shim of inkling-kit and from the vector files. Each is written to a capture after a MAC header,
and `tshark` must show the fields that Specs/wifi-aware.md names and report nothing malformed. For frames with a planted fault
the fields must differ, which shows that the rig can fail.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
IEEE_802_11 = 105
# The frame header: to the network identifier of Wi-Fi Aware, from a random local address, in a cluster.
MAC_HEADER = bytes.fromhex("d0000000" "516f9a010000" "5a0000000001" "506f9a010000" "0000")
FIELDS = {
    "attribute": "nan.attribute.type",
    "service": "nan.service_id",
    "instance": "nan.instance_id",
    "requestor": "nan.sda.requestor_instance_id",
    "control": "nan.sda.sc",
    "bitmap": "nan.sda.binding_bitmap",
    "matching": "nan.sda.matching_filter_val",
    "response": "nan.sda.srf_address_set",
    "length": "nan.sda.service_info_len",
    "info": "nan.sda.service_info",
    "protocol": "nan.sdea.service_info_protocol_type",
    "specific": "nan.sdea.service_info_specific",
    "expert": "_ws.expert.message",
}
ROLES = ["publish", "subscribe", "follow-up"]


def shim(*requests):
    """Returns the results of operations, from one process."""
    program = os.environ.get("INKLING_KIT", ROOT / ".build/inkling-kit")
    lines = "".join(json.dumps({"id": n, "op": op, "args": args}) + "\n" for n, (op, args) in enumerate(requests))
    done = subprocess.run([program, "shim"], input=lines, stdout=subprocess.PIPE, text=True, check=True, timeout=10)
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    if len(replies) != len(requests) or any("result" not in reply for reply in replies):
        sys.exit(f"✗ the shim answers {replies}")
    return [reply["result"] for reply in replies]


def dissected(frames):
    """Returns what tshark shows of each frame: a list of values for every field."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "frames.pcap"
        capture = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, IEEE_802_11)
        for number, frame in enumerate(frames):
            packet = MAC_HEADER + frame
            capture += struct.pack("<IIII", number, 0, len(packet), len(packet)) + packet
        path.write_bytes(capture)
        command = ["tshark", "-r", path, "-T", "fields", "-E", "separator=;", "-E", "aggregator=,"]
        for field in FIELDS.values():
            command += ["-e", field]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    if done.returncode != 0:
        sys.exit(f"✗ tshark fails: {done.stderr[-800:]}")
    rows = [line.split(";") for line in done.stdout.split("\n")[: len(frames)]]
    return [
        {name: value.replace(":", "").replace("-", "").split(",") if value else [] for name, value in zip(FIELDS, row, strict=True)}
        for row in rows
    ]


def expected(fields):
    """Returns what the dissector must show of a descriptor, from the members of a vector."""
    control = ROLES.index(fields["role"]) | (0x20 if fields["rangeLimited"] else 0)
    shown = {
        "attribute": [3],
        "service": [fields["service"]],
        "instance": [int(fields["instance"])],
        "requestor": [int(fields["requestor"])],
        "bitmap": [], "matching": [], "response": [], "length": [], "info": [], "expert": [],
    }
    if "bindingBitmap" in fields:
        control |= 0x40
        shown["bitmap"] = [int(fields["bindingBitmap"])]
    if "matchingFilter" in fields:
        control |= 0x04
        shown["matching"] = [value for value in fields["matchingFilter"] if value]
    if "responseFilter" in fields:
        control |= 0x08
        shown["response"] = [fields["responseFilter"][2:]] if fields["responseFilter"][2:] else []
    if "serviceInfo" in fields:
        control |= 0x10
        shown["length"] = [len(fields["serviceInfo"]) // 2]
        shown["info"] = [fields["serviceInfo"]] if fields["serviceInfo"] else []
    shown["control"] = [control]
    return shown


def seen(row):
    """Returns the dissector's values, with numbers parsed and empty values left out."""
    numbers = {"attribute", "instance", "requestor", "control", "bitmap", "length", "protocol"}
    result = {}
    for name, values in row.items():
        values = [value for value in values if value not in ("", "<MISSING>")]
        result[name] = [int(value, 0) for value in values] if name in numbers else values
    return result


def compare(what, row, fields):
    shown, wanted = seen(row), expected(fields)
    for name, value in wanted.items():
        if shown[name] != value:
            sys.exit(f"✗ {what}: tshark shows {name} {shown[name]} instead of {value}")


def descriptors():
    """Returns attributes and their members, from the vectors of the encoder."""
    cases = json.loads((ROOT / "Vectors/nan-service-descriptor-encode.json").read_text(encoding="utf-8"))["cases"]
    for case in cases:
        if "result" in case:
            yield case["comment"], case["args"], bytes.fromhex(case["result"]["attribute"])


def extended():
    """Returns the frame of the vectors whose name is in the extension attribute, and that name."""
    cases = json.loads((ROOT / "Vectors/nan-name.json").read_text(encoding="utf-8"))["cases"]
    case = next(case for case in cases if case["comment"] == "an extension with a range limit and an update indicator")
    return bytes.fromhex(case["args"]["frame"]), case["result"]["name"]


def main():
    name = "ee86ffa399825968e402a6832c863656"
    ours = {"role": "publish", "service": "9e2a277601d7", "instance": 1, "requestor": 0, "rangeLimited": False}
    offer, answer, question = (
        bytes.fromhex(result["frame"])
        for result in shim(
            ("nan-publish", {"name": name, "requestor": 0}),
            ("nan-publish", {"name": name, "requestor": 9}),
            ("nan-subscribe", {}),
        )
    )
    known = list(descriptors())
    header = offer[:6]
    longer = bytearray(offer)
    longer[18] = 0x11
    swapped = bytearray(offer)
    swapped[7:9] = offer[8:6:-1]
    extension, hidden = extended()
    frames = [offer, answer, question, extension, *(header + attribute for _, _, attribute in known)]
    rows = dissected(frames + [bytes(longer), bytes(swapped), b"\x04\x09\x50\x6f\x9a\x09" + offer[6:]])

    compare("an offer", rows[0], {**ours, "serviceInfo": name})
    compare("an answer", rows[1], {**ours, "requestor": 9, "serviceInfo": name})
    compare("a question", rows[2], {**ours, "role": "subscribe"})
    print("✓ tshark shows our service, our name and nothing else in the frames that we send")
    there = seen(rows[3])
    if [there["attribute"], there["info"], there["protocol"], there["specific"], there["expert"]] != [[3, 14], [], [2], [hidden], []]:
        sys.exit(f"✗ a name in the extension attribute: tshark shows {there}")
    print("✓ tshark finds a name in the extension attribute where we do")
    for (comment, fields, _), row in zip(known, rows[4:], strict=False):
        compare(comment, row, fields)
    print(f"✓ tshark shows every field of {len(known)} descriptors as the vectors name them")
    faults = [seen(row) for row in rows[-3:]]
    if faults[0]["info"] == [name] or faults[1]["service"] == ["9e2a277601d7"] and not faults[1]["expert"] or faults[2]["service"]:
        sys.exit(f"✗ the rig does not see planted faults: {faults}")
    print("✓ a wrong length, swapped bytes of a length and another type of frame look otherwise")


if __name__ == "__main__":
    main()
