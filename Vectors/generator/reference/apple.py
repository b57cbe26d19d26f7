"""Specs/apple.md: TLS keys from sessions, beacon regions."""

from ..tools.fields import EPOCH, KEY, U16, U32, Bytes, Entry, Flag, IntegerOf, ListOf, Record, Text
from ..tools.operations import operation
from ..tools.refusal import Refusal
from .advertising import named_uuid
from .handshake import GATT, NAN, SESSION, TCP, exporter
from .notation import derive

TLS_1_2, TLS_1_3 = 0x0303, 0x0304
# The label of the key, that of its identity, and the only suite.
TLS = {TLS_1_2: (b"tls-psk", b"tls-psk-id", 0x00A8), TLS_1_3: (b"tls13-psk", b"tls13-psk-id", 0x1301)}
MOST_REGIONS = 20


@operation(
    "tls-psk",
    Record(
        optional=("version",),
        **SESSION,
        transport=IntegerOf(GATT, TCP, NAN, high=255),
        version=IntegerOf(TLS_1_2, TLS_1_3),
        handshakeEpoch=EPOCH,
        epoch=EPOCH,
    ),
    Record(cipherSuite=U16, key=KEY, identity=Bytes(32)),
    refusals=[("tls", "no-tls"), ("tls", "expired")],
)
def tls_psk_operation(k1, k2, handshakeHash, transport, handshakeEpoch, epoch, version=TLS_1_2):
    if transport == GATT:
        raise Refusal("tls", "no-tls")
    if epoch > min(handshakeEpoch + 1, EPOCH.high):
        raise Refusal("tls", "expired")
    secret = exporter(k1, k2, handshakeHash)
    label, identity_label, suite = TLS[version]
    identity = derive(secret, identity_label, bytes([transport]))[:16]
    return {"cipherSuite": suite, "key": derive(secret, label, bytes([transport])), "identity": identity.hex().encode()}


def regions(candidates):
    """The minors that are watched, in order."""
    chosen = []
    for candidate in sorted(
        (one for one in candidates if one["likelihood"]),
        key=lambda one: (-one["likelihood"], one["contact"], one["minorNow"], one.get("minorNext", 2**16)),
    ):
        for member in ("minorNow", "minorNext"):
            minor = candidate.get(member)
            if minor is not None and minor not in chosen and len(chosen) < MOST_REGIONS - 1:
                chosen.append(minor)
    return chosen


REGION = Record(
    optional=("major", "minor"),
    identifier=Text(1, pattern=r"inkling(?:\.[0-9]+)?"),
    uuid=Bytes(16),
    major=U16,
    minor=U16,
    onEntry=Flag(),
    onExit=Flag(),
    onDisplay=Flag(),
)


@operation(
    "region-plan",
    Record(
        candidates=ListOf(
            Entry(optional=("minorNext",), contact=U32, minorNow=U16, minorNext=U16, likelihood=U32)
        )
    ),
    Record(regions=ListOf(REGION, 1, MOST_REGIONS)),
)
def region_plan_operation(candidates):
    uuid = named_uuid("proximity")
    wide = {"identifier": "inkling", "uuid": uuid, "onEntry": True, "onExit": True, "onDisplay": True}
    exact = [
        {
            "identifier": f"inkling.{minor}", "uuid": uuid, "major": 0, "minor": minor,
            "onEntry": True, "onExit": False, "onDisplay": False,
        }
        for minor in regions(candidates)
    ]
    return {"regions": [wide, *exact]}
