"""Cases of Specs/identifiers.md."""

from ..reference.identifiers import LAST_EPOCH
from ..reference.keys import LAST_SECOND
from ..tools.family import Case, Family, argument_refusals, generated
from .shared import known_answers

SPECIFICATION = "Specs/identifiers.md"
EDGES = [0, 1, 2, 3, 4, 5, 9, 10, 11, 99, 100, 999_999, 1_000_000, 2**21 - 1, 2**21, 4 * (2**19) - 1, LAST_EPOCH - 1, LAST_EPOCH]


def value_family(operation, requirement, description):
    """A family of an operation that takes a key and an epoch."""
    cases = known_answers.cases(operation, [requirement])
    key = generated(f"{operation} key").hex()
    for epoch in dict.fromkeys(EDGES):
        cases.append(Case(f"epoch {epoch}", {"key": key, "epoch": epoch}, ("boundary",), (requirement,)))
    for fill in ("00", "ff"):
        args = {"key": fill * 32, "epoch": known_answers.EPOCH}
        cases.append(Case(f"a key of 32 bytes {fill}", args, ("boundary",), (requirement,)))
    for index in range(12):
        seed = generated(f"{operation} {index}")
        args = {"key": seed.hex(), "epoch": int.from_bytes(seed[:4], "big") % 2**22}
        cases.append(Case("key and epoch without structure", args, ("generated",), (requirement,)))
    args = {"key": key, "epoch": str(known_answers.EPOCH)}
    cases.append(Case("the epoch as decimal digits", args, ("decimal",), ("INK-CNF-005",)))
    cases += argument_refusals(operation, {"key": key, "epoch": known_answers.EPOCH})
    return Family(operation, SPECIFICATION, description, cases)


def minor_extremes():
    """Minors with a zero byte, found by search: they show wrong padding and byte order."""
    from ..tools.operations import answer

    cases = []
    wanted = {
        "below 256: the high byte is zero": lambda minor: minor < 256,
        "a multiple of 256: the low byte is zero": lambda minor: minor % 256 == 0 and minor >= 256,
        "above 65,279: the high byte is ff": lambda minor: minor >= 0xFF00,
        "above 32,767: negative if read as signed": lambda minor: minor >= 0x8000,
    }
    key = generated("minor search").hex()
    for comment, fits in wanted.items():
        for epoch in range(known_answers.EPOCH, known_answers.EPOCH + 100_000):
            args = {"key": key, "epoch": epoch}
            minor = answer("beacon-minor", args)["result"]["minor"]
            if fits(minor):
                cases.append(Case(f"a minor {comment}", args, ("boundary",), ("INK-ID-003",), result={"minor": minor}))
                break
    return cases


def schedule_cases():
    requirements = ("INK-ID-007",)
    cases = []
    for minutes in (15, 30, 60):
        for epoch in (0, 1, 2, 3, 4, 5, 6, 7, known_answers.EPOCH, known_answers.EPOCH + 3, LAST_EPOCH - 3, LAST_EPOCH):
            args = {"minutes": minutes, "epoch": epoch}
            cases.append(Case(f"{minutes} minutes, epoch {epoch}", args, ("boundary",), requirements))
    cases += argument_refusals("minor-schedule", {"minutes": 30, "epoch": 5})
    for minutes in (16, 45, 59):
        args = {"minutes": minutes, "epoch": 5}
        comment = f"{minutes} minutes is no schedule"
        cases.append(Case(comment, args, ("argument",), ("INK-CNF-004",), error=("arguments", "out-of-range")))
    return cases


def accepted_cases():
    requirements = ("INK-ID-010", "INK-ID-011")
    start = known_answers.UNIX_SECONDS
    cases = []
    for skew in (0, 1, 120, 450):
        offsets = sorted({0, 1, skew - 1, skew, skew + 1, 449, 450, 899 - skew, 900 - skew, 901 - skew, 898, 899})
        for offset in offsets:
            if 0 <= offset < 900:
                args = {"unixSeconds": start + offset, "skew": skew}
                cases.append(Case(f"{offset} s into an epoch, skew {skew} s", args, ("boundary",), requirements))
    for second, comment in [
        (0, "the first epoch has no predecessor"),
        (899, "the end of the first epoch"),
        (900, "the second epoch"),
        (LAST_SECOND - 899, "the start of the last epoch"),
        (LAST_SECOND, "the last epoch has no successor"),
    ]:
        cases.append(Case(comment, {"unixSeconds": second, "skew": 120}, ("boundary",), requirements))
    return cases + argument_refusals("accepted-epochs", {"unixSeconds": start, "skew": 120})


minors = value_family("beacon-minor", "INK-ID-003", "The 16-bit minor of a beacon.")
minors.cases += minor_extremes()

FAMILIES = [
    value_family("mdns-name", "INK-ID-001", "The instance name of an epoch."),
    value_family("mdns-host", "INK-ID-002", "The host name of an epoch, without its domain."),
    minors,
    value_family("gatt-tag", "INK-ID-004", "The tag of an epoch."),
    value_family("confirm-psk", "INK-ID-005", "The first pre-shared key of a confirm handshake."),
    value_family("confirm-gate-key", "INK-ID-006", "The key of the gate before a confirm handshake."),
    Family(
        "minor-schedule",
        SPECIFICATION,
        "The epoch whose minor and tag are shown under a schedule of 15, 30 or 60 minutes.",
        schedule_cases(),
    ),
    Family(
        "accepted-epochs",
        SPECIFICATION,
        "The epochs looked up and answered at a moment.",
        accepted_cases(),
        insensitive={
            "unixSeconds": "Only the epoch and the distance from its ends count.",
            "skew": "Away from the ends of an epoch the allowance does not matter.",
        },
    ),
]
