"""Specs/profiles.md: the public values of an application and their form."""

import json
import re

from ..tools.fields import Integer, Record, Text
from ..tools.operations import operation
from ..tools.refusal import Refusal
from .advertising import named_uuid, overflow_bit
from .notation import PREFIX, sha256

PARTS = ("proximity", "service", "tag", "in", "out")
STAGES = {
    "profile": "profile", "name": "name", **{part: part for part in PARTS}, "serviceType": "service-type",
    "measuredPower": "measured-power", "epochSeconds": "epoch-seconds",
}
NUMBERS = {"profile": (1, 1), "measuredPower": (-100, -20), "epochSeconds": (900, 900)}
FORMS = {
    "name": r"[!-~](?:[ -~]{0,62}[!-~])?",
    **{part: r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" for part in PARTS},
    "serviceType": r"_(?=[a-z0-9-]{1,15}\.)(?=[^.]*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*\._tcp",
}
SAMPLE = "e20a39f4-73f5-4bc4-a12f-17d1ad07a961"
NIL = "00000000-0000-0000-0000-000000000000"
BASE = re.compile(r"[0-9a-f]{8}-0000-1000-8000-00805f9b34fb")
LONGEST = 4096


def hyphened(uuid):
    digits = uuid.hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


OWN = {
    "profile": 1, "name": "inkling", **{part: hyphened(named_uuid(part)) for part in PARTS},
    "serviceType": "_inkling._tcp", "measuredPower": -59, "epochSeconds": 900,
}


def profile_uuid(name, part):
    value = bytearray(sha256(PREFIX + b" profile-uuid\0" + name.encode() + b"\0" + part.encode())[:16])
    value[6] = value[6] & 0x0F | 0x80
    value[8] = value[8] & 0x3F | 0x80
    return hyphened(bytes(value))


def service_type(name):
    return "_" + "-".join(re.findall("[a-z0-9]+", name.lower())) + "._tcp"


def written(profile):
    return json.dumps({member: profile[member] for member in STAGES}, separators=(",", ":"))


def judged(profile):
    """Refuses the values of a profile that have their form."""
    for part in PARTS:
        if profile[part] == SAMPLE:
            raise Refusal(part, "sample")
        if profile[part] == NIL or BASE.fullmatch(profile[part]):
            raise Refusal(part, "assigned")
        if part == "service" and overflow_bit(bytes.fromhex(profile[part].replace("-", "")))[0] == 66:
            raise Refusal(part, "overflow-bit")
    if profile != OWN:
        for member in ("name", *PARTS, "serviceType"):
            own = [OWN[part] for part in PARTS] if member in PARTS else [OWN[member]]
            if profile[member] in own:
                raise Refusal(STAGES[member], "of-inkling")
    for place, part in enumerate(PARTS):
        if profile[part] in [profile[earlier] for earlier in PARTS[:place]]:
            raise Refusal(part, "repeated")
    return profile


def formed(member, value):
    if not re.fullmatch(FORMS[member], value):
        raise Refusal(STAGES[member], "invalid")
    return value


def derive(name, serviceType=None, measuredPower=-59):
    formed("name", name)
    return judged(
        {
            "profile": 1, "name": name, **{part: profile_uuid(name, part) for part in PARTS},
            "serviceType": formed("serviceType", service_type(name) if serviceType is None else serviceType),
            "measuredPower": measuredPower, "epochSeconds": 900,
        }
    )


def members_once(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a member is repeated")
    return dict(pairs)


def no_constant(text):
    raise ValueError(f"{text} is no JSON")


def read(document):
    try:
        encoded = document.encode()
        profile = json.loads(document, object_pairs_hook=members_once, parse_constant=no_constant)
        # Half of a surrogate pair is no character.
        json.dumps(profile, ensure_ascii=False).encode()
    except ValueError:
        raise Refusal("document", "malformed") from None
    if len(encoded) > LONGEST:
        raise Refusal("document", "malformed")
    if not isinstance(profile, dict):
        raise Refusal("document", "not-object")
    if any(member not in STAGES for member in profile):
        raise Refusal("document", "unknown-member")
    for member, stage in STAGES.items():
        if member not in profile:
            raise Refusal(stage, "missing")
    for member, stage in STAGES.items():
        value = profile[member]
        if member in NUMBERS:
            if type(value) is not int or not -(2**63) <= value < 2**63:
                raise Refusal(stage, "wrong-type")
            low, high = NUMBERS[member]
            if not low <= value <= high:
                raise Refusal(stage, "out-of-range")
        else:
            if not isinstance(value, str):
                raise Refusal(stage, "wrong-type")
            formed(member, value)
    return judged(profile)


JUDGED = [
    *((part, "sample") for part in PARTS),
    *((part, "assigned") for part in PARTS),
    ("service", "overflow-bit"),
    *((STAGES[member], "of-inkling") for member in ("name", *PARTS, "serviceType")),
    *((part, "repeated") for part in PARTS),
]


@operation(
    "profile-derive",
    Record(
        optional=("serviceType", "measuredPower"), name=Text(), serviceType=Text(), measuredPower=Integer(-100, -20)
    ),
    Record(document=Text()),
    refusals=[("name", "invalid"), ("service-type", "invalid"), *JUDGED],
)
def derive_operation(**arguments):
    return {"document": written(derive(**arguments))}


@operation(
    "profile-read",
    Record(document=Text()),
    Record(document=Text()),
    refusals=[
        *(("document", reason) for reason in ("malformed", "not-object", "unknown-member")),
        *((stage, reason) for stage in STAGES.values() for reason in ("missing", "wrong-type")),
        *((STAGES[member], "invalid") for member in FORMS),
        *((STAGES[member], "out-of-range") for member in NUMBERS),
        *JUDGED,
    ],
)
def read_operation(document):
    return {"document": written(read(document))}
