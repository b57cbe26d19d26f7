"""Cases of named UUIDs and of AD structures."""

from ...reference.advertising import FLAGS, structure
from ...tools.family import Case, Family, argument_refusals, generated
from .parts import FRAME, SPECIFICATION


def uuid_family():
    known = {
        "proximity": "abe0bf31f9d48c5f814537ff0309dd60",
        "service": "1a356f5b2e008d8db35aedd2584c4da4",
        "tag": "3378d8652ebf8be9a321b5bf4ab7e545",
        "in": "10019a65c80189a690a2441db33e3a2c",
        "out": "1c6409b9a48e8f549ba3e4da3e87ed6e",
    }
    cases = [
        Case(f"the constant {name}", {"name": name}, ("known-answer",), ("INK-ADV-008",), result={"uuid": uuid})
        for name, uuid in known.items()
    ]
    cases += [
        Case("a name that is not used", {"name": name}, (), ("INK-ADV-008",)) for name in ("", "proximity2", "größe")
    ]
    return Family("uuid", SPECIFICATION, "UUIDs derived from names.", cases + argument_refusals("uuid", cases[0].args))


def ad_structures_family():
    requirements = ("INK-ADV-020",)

    def valid(comment, data, flags=()):
        return Case(comment, {"advertisingData": data.hex()}, flags, requirements)

    def refused(comment, data, reason):
        return Case(comment, {"advertisingData": data.hex()}, ("refusal",), requirements, error=("structures", reason))

    longest = b"".join(structure(0xFF, generated(f"long {part}", 254)) for part in range(6)) + structure(
        0xFF, generated("long last", 112)
    )
    cases = [
        valid("no data", b"", ("boundary",)),
        valid("the iBeacon frame", FRAME),
        valid("a type without data", bytes.fromhex("0109"), ("boundary",)),
        valid("the longest structure", structure(0xFF, generated("longest structure", 254)), ("boundary",)),
        valid("31 bytes", FRAME[:3] + structure(0x09, generated("name", 26)), ("boundary",)),
        valid("1,650 bytes", longest, ("boundary",)),
        valid("a zero ends the data", FLAGS + b"\0", ("boundary",)),
        valid("zeros to the end, as some receivers report", FLAGS + bytes(28)),
        valid("a zero at once", b"\0", ("boundary",)),
        valid("two structures of one type", FLAGS + FLAGS),
        refused("1,651 bytes", longest + b"\0", "too-long"),
        refused("a length without a type", b"\x01", "truncated"),
        refused("a length one past the end", FRAME[:-1], "truncated"),
        refused("the largest length", b"\xff\xff\x4c\x00", "truncated"),
        refused("a second structure past the end", FLAGS + b"\x02\x0a", "truncated"),
        refused("data after a zero length", FLAGS + b"\0\x02\x0a\x0c", "nonzero-padding"),
        refused("a zero length at the front", b"\0" + FRAME, "nonzero-padding"),
    ]
    assert len(longest) == 1650
    return Family(
        "ad-structures",
        SPECIFICATION,
        "Splitting advertising data into AD structures.",
        cases + argument_refusals("ad-structures", cases[1].args),
    )
