"""UUIDs and frames that several families use."""

from ...reference.advertising import encode_ibeacon, named_uuid

SPECIFICATION = "Specs/advertising.md"
PROXIMITY = named_uuid("proximity")
SERVICE = named_uuid("service")
SAMPLE = bytes.fromhex("e20a39f473f54bc4a12f17d1ad07a961")
WATCH = bytes.fromhex("9aa4730fb25c4cc3b821c931559fc196")
FRAME = encode_ibeacon(PROXIMITY, 0, 63941, -59)
CAPTURE_NOTES = {
    "capture": {
        "meaning": "Seen on air or published by somebody who saw it.",
        "reason": "The overflow area is not documented by its maker; only captures show that the closed form is right.",
    },
    "ignored": {
        "meaning": "Holds structures that this operation passes over.",
        "reason": "Reports carry other programs' data, which must neither match nor disturb.",
    },
}
