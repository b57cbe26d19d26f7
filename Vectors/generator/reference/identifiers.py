"""Specs/identifiers.md: the identifiers of an epoch, and the accepted epochs."""

from ..tools.fields import EPOCH, KEY, U16, Bytes, Integer, IntegerOf, ListOf, Record, Text
from ..tools.operations import operation
from .keys import LAST_SECOND
from .notation import H, dec

LAST_EPOCH = 2**22 - 1
HEX_NAME = Text(pattern="[0-9a-f]{32}")
WORKING = Record(message=Bytes(), mac=KEY)


def value(key: bytes, label: bytes, epoch: int) -> tuple[bytes, dict]:
    message = label + dec(epoch)
    mac = H(key, message)
    return mac, {"message": message, "mac": mac}


@operation("mdns-name", Record(key=KEY, epoch=EPOCH), Record(name=HEX_NAME), intermediates=WORKING)
def mdns_name(key, epoch):
    mac, working = value(key, b"mDNS-name-", epoch)
    return {"name": mac[:16].hex()}, working


@operation("mdns-host", Record(key=KEY, epoch=EPOCH), Record(host=HEX_NAME), intermediates=WORKING)
def mdns_host(key, epoch):
    mac, working = value(key, b"mDNS-host-", epoch)
    return {"host": mac[:16].hex()}, working


@operation("beacon-minor", Record(key=KEY, epoch=EPOCH), Record(minor=U16), intermediates=WORKING)
def beacon_minor(key, epoch):
    mac, working = value(key, b"iBeacon-minor-", epoch)
    return {"minor": int.from_bytes(mac[:2], "big")}, working


@operation("gatt-tag", Record(key=KEY, epoch=EPOCH), Record(tag=Bytes(16)), intermediates=WORKING)
def gatt_tag(key, epoch):
    mac, working = value(key, b"GATT-tag-", epoch)
    return {"tag": mac[:16]}, working


@operation("confirm-psk", Record(key=KEY, epoch=EPOCH), Record(psk=KEY), intermediates=Record(message=Bytes()))
def confirm_psk(key, epoch):
    mac, working = value(key, b"confirm-psk-", epoch)
    return {"psk": mac}, {"message": working["message"]}


@operation("confirm-gate-key", Record(key=KEY, epoch=EPOCH), Record(key=KEY), intermediates=Record(message=Bytes()))
def confirm_gate_key(key, epoch):
    mac, working = value(key, b"confirm-gate-", epoch)
    return {"key": mac}, {"message": working["message"]}


@operation("minor-schedule", Record(minutes=IntegerOf(15, 30, 60), epoch=EPOCH), Record(epoch=EPOCH))
def minor_schedule(minutes, epoch):
    return {"epoch": epoch - epoch % (minutes // 15)}


@operation(
    "accepted-epochs",
    Record(unixSeconds=Integer(0, LAST_SECOND), skew=Integer(0, 450)),
    Record(current=EPOCH, lookUp=ListOf(EPOCH, 1, 3), answer=ListOf(EPOCH, 1, 2)),
)
def accepted_epochs(unixSeconds, skew):
    current, offset = divmod(unixSeconds, 900)
    previous = [current - 1] if offset < skew and current > 0 else []
    following = [current + 1] if offset >= 900 - skew and current < LAST_EPOCH else []
    return {"current": current, "lookUp": previous + [current] + following, "answer": previous + [current]}
