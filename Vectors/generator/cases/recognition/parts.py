"""Predictions, steps and expected effects for the cases of Specs/recognition.md."""

from ...tools.family import Case

EPOCH = 1_984_000
START = 900 * EPOCH  # the scenario's moments are offsets in this epoch
# Windows of this epoch end, and those of the next begin.
NEXT_OPENS = 780_000
WINDOW_ENDS = 1_020_000
X, Y, Z = "0a0000000001", "0b0000000002", "0c0000000003"


def name(contact, epoch=EPOCH, device=0):
    return f"{contact:08x}{device:02x}00000000000000{epoch:08x}"


def tag(contact, epoch=EPOCH, device=0):
    return f"{contact:08x}{device:02x}7a7a7a7a7a7a7a{epoch:08x}"


def minor(contact, epoch=EPOCH, device=0):
    """A minor that differs for every contact up to 60, every device and every neighbouring epoch."""
    return 1000 * contact + 10 * device + epoch - EPOCH + 5


def prediction(contact, epoch=EPOCH, device=0, **instead):
    neat = {"name": name(contact, epoch, device), "minor": minor(contact, epoch, device)}
    return {"contact": contact, "device": device, "epoch": epoch, **neat, "tag": tag(contact, epoch, device), **instead}


def shown_by(*contacts, devices=(0,), epochs=(EPOCH - 1, EPOCH, EPOCH + 1)):
    return [prediction(contact, epoch, device) for contact in contacts for device in devices for epoch in epochs]


def step(at, event, **members):
    return {"at": at, "event": event, **members}


def begin(*contacts, epoch=EPOCH, **members):
    """The steps that load the table and add the contacts."""
    return [step(0, "table", epoch=epoch), *(step(0, "add", contact=contact, **members) for contact in contacts)]


def appears(at, contact, epoch=EPOCH, device=0, **members):
    return step(at, "name", name=name(contact, epoch, device), **members)


def vanishes(at, contact, epoch=EPOCH, device=0):
    return step(at, "vanished", name=name(contact, epoch, device))


def minor_at(at, value, address=X, **members):
    return step(at, "minor", minor=value, address=address, rssi=-60, **members)


def strangers(count, at=1_000, every=10, first=20_000):
    """Sightings of `count` addresses of strangers, each with a minor of its own."""
    return [minor_at(at + every * n, (first + 7 * n) % 65_536, f"0e{n:010x}") for n in range(count)]


def handshake(at, contact, initiator=False, device=0, **members):
    return step(at, "confirmed", contact=contact, device=device, initiator=initiator, **members)


def end(at, contact, device=0):
    return step(at, "ended", contact=contact, device=device)


def fail(at, contact, why="silent", **members):
    return step(at, "failed", contact=contact, why=why, **members)


def cut(at, over):
    return step(at, "cut", over=over)


def noted(at, *contacts, effect="outside"):
    return {"at": at, "effect": effect, "contacts": list(contacts)}


def change(at, contact, before, after):
    return {"at": at, "effect": "state", "contact": contact, "from": before, "to": after}


def arrived(at, contact):
    return {"at": at, "effect": "arrived", "contact": contact}


def left(at, contact):
    return {"at": at, "effect": "left", "contact": contact}


def attempt(at, contact, epoch=EPOCH, device=0, **value):
    return {"at": at, "effect": "attempt", "contact": contact, "device": device, "epoch": epoch, **value}


def by_name(at, contact, epoch=EPOCH, device=0):
    return attempt(at, contact, epoch, device, name=name(contact, epoch, device))


def by_minor(at, contact, address=X, epoch=EPOCH, device=0, value=None):
    value = minor(contact, epoch, device) if value is None else value
    return attempt(at, contact, epoch, device, minor=value, address=address)


def by_tag(at, contact, address=X, value=None):
    return attempt(at, contact, tag=tag(contact) if value is None else value, address=address)


def read(at, address):
    return {"at": at, "effect": "read", "address": address}


def unread(at, address):
    return step(at, "unread", address=address)


def replayed(at):
    return {"at": at, "effect": "replayed"}


def states(*rows):
    """The states of contacts numbered from 1; each a state, or a state and a posterior (default: the prior)."""
    rows = [row if isinstance(row, tuple) else (row, 328) for row in rows]
    return [{"contact": n, "state": state, "posterior": value} for n, (state, value) in enumerate(rows, 1)]


def scenario(
    comment, requirements, steps, until, effects=None, at_end=None, shown=None, draws=("0",), flags=(), **rest
):
    """A case; `effects` and `at_end` are what its writer expects. Without draws every delay is 0."""
    expected = {"effects": effects, "states": at_end}
    args = {"start": START, **rest, "draws": list(draws)}
    args |= {"predictions": shown_by(1, 2) if shown is None else shown, "steps": steps, "until": until}
    return Case(
        comment,
        args,
        flags,
        # Specs/advertising.md also has requirements on the use of an overflow bit.
        (*(number if isinstance(number, str) else f"INK-RCG-{number:03}" for number in requirements), *(("INK-ADV-024",) if 68 in requirements else ())),
        result={member: value for member, value in expected.items() if value is not None},
    )


def probable(at, contact):
    return change(at, contact, "unseen", "probable")


def hits(address, *moments):
    return [step(at, "overflow", address=address) for at in moments]


def steady(address, value, at):
    """An address that shows a minor twice within 1.5 s."""
    return [minor_at(at, value, address), minor_at(at + 1_500, value, address)]


def in_order(*lists):
    return sorted((one for steps in lists for one in steps), key=lambda one: one["at"])
