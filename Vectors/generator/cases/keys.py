"""Cases of Specs/keys.md."""

from ..reference.keys import LAST_SECOND
from ..tools.family import Case, Family, argument_refusals, generated, replaced
from .shared import known_answers

SPECIFICATION = "Specs/keys.md"


def epoch_cases():
    cases = known_answers.cases("epoch", ["INK-KEY-001"])
    for second in [0, 1, 899, 900, 901, 1799, 1800, 2699, 2700, 3599, 3600, 3601, 86_399, 86_400]:
        cases.append(Case(f"second {second}", {"unixSeconds": second}, ("boundary",), ("INK-KEY-001",)))
    for exponent in (31, 32):
        for second in (2**exponent - 1, 2**exponent):
            if second <= LAST_SECOND:
                cases.append(
                    Case(f"beside 2^{exponent}", {"unixSeconds": second}, ("boundary",), ("INK-KEY-001",))
                )
    for second in (LAST_SECOND - 3600, LAST_SECOND - 900, LAST_SECOND):
        cases.append(Case("in the last periods of the tree", {"unixSeconds": second}, ("boundary",), ("INK-KEY-001",)))
    for period in (2**19 - 1, 2**19):
        args = {"unixSeconds": period * 3600}
        cases.append(Case("where the highest bit of the period changes", args, ("boundary",), ("INK-KEY-001",)))
    cases.append(
        Case("as decimal digits", {"unixSeconds": "1785600000"}, ("decimal",), ("INK-CNF-005",), result={"epoch": 1984000})
    )
    return cases + argument_refusals("epoch", {"unixSeconds": 1785600000})


def derive_cases():
    requirements = ("INK-KEY-002",)
    key = generated("derive key").hex()
    cases = []
    for label, context, comment in [
        ("mdns-key", "00", "a label and context of the protocol"),
        ("mdns-key", "", "an empty context"),
        ("mdns-key", "000000000000", "a context of zeros"),
        ("pair-root", generated("derive context", 64).hex(), "a context of two public keys"),
        ("x", "", "the shortest label"),
        ("!", "", "the lowest character"),
        ("~", "", "the highest character"),
        ("a" * 64, "", "the longest label"),
        ("context", generated("derive longest", 1024).hex(), "the longest context"),
        ("a", "6200", "label a, context b 00"),
        ("ab", "00", "label ab, context 00: the zero byte keeps this apart from the case before"),
    ]:
        args = {"key": key, "label": label, "context": context}
        cases.append(Case(comment, args, ("boundary",), requirements))
    for fill in ("00", "ff"):
        args = {"key": fill * 32, "label": "gatt-key", "context": "0f"}
        cases.append(Case(f"a key of 32 bytes {fill}", args, ("boundary",), requirements))
    for index, label in enumerate(["identity", "presence-dh", "beacon-key", "confirm-key", "invite-root", "pair-psk"]):
        args = {
            "key": generated(f"derive {index}").hex(),
            "label": label,
            "context": generated(f"derive context {index}", index * 7).hex(),
        }
        cases.append(Case(f"label {label}", args, ("generated",), requirements))
    base = {"key": key, "label": "mdns-key", "context": "00"}
    cases += argument_refusals("derive", base)
    for comment, changes, reason in [
        ("an empty label", {"label": ""}, "wrong-length"),
        ("a label of 65 bytes", {"label": "a" * 65}, "wrong-length"),
        ("a label with a space", {"label": "mdns key"}, "out-of-range"),
        ("a label with a zero byte", {"label": "mdns\u0000key"}, "out-of-range"),
        ("a label with DEL", {"label": "mdns\u007f"}, "out-of-range"),
        ("a label with a letter outside ASCII", {"label": "clé"}, "out-of-range"),
        ("a context of 1,025 bytes", {"context": "00" * 1025}, "wrong-length"),
    ]:
        cases.append(Case(comment, replaced(base, **changes), ("argument",), ("INK-CNF-004",), error=("arguments", reason)))
    return cases


def tree_cases():
    requirements = ("INK-KEY-004",)
    root = generated("tree root").hex()
    cases = known_answers.cases("tree-node", requirements)
    places = [(0, 0, "depth 0 is the root itself")]
    for depth in (1, 2, 10, 19, 20):
        places.append((depth, 0, "the first node of its depth"))
        places.append((depth, 2**depth - 1, "the last node of its depth"))
    places += [
        (20, 1, "the second leaf"),
        (20, 2, "the third leaf"),
        (20, 2**19, "the leaf whose bits are 1 and nineteen 0"),
        (20, 2**19 - 1, "the leaf whose bits are 0 and nineteen 1"),
        (20, 0b10101010101010101010, "alternating bits, most significant first"),
        (20, 0b01010101010101010101, "alternating bits, the other way"),
        (3, 0b110, "bits in order: reading them backwards gives another node"),
        (3, 0b011, "the same bits backwards"),
    ]
    for depth, prefix, comment in places:
        args = {"root": root, "depth": depth, "prefix": prefix}
        cases.append(Case(comment, args, ("boundary",), requirements))
    for fill in ("00", "ff"):
        args = {"root": fill * 32, "depth": 20, "prefix": known_answers.PERIOD}
        cases.append(Case(f"a root of 32 bytes {fill}", args, ("boundary",), requirements))
    for index in range(12):
        seed = generated(f"tree {index}")
        depth = 1 + seed[0] % 20
        args = {"root": seed.hex(), "depth": depth, "prefix": int.from_bytes(seed[1:4], "big") % 2**depth}
        cases.append(Case("root and place without structure", args, ("generated",), requirements))
    base = {"root": root, "depth": 20, "prefix": 5}
    cases += argument_refusals("tree-node", base)
    for depth in (0, 1, 19):
        args = {"root": root, "depth": depth, "prefix": 2**depth}
        comment = f"a prefix of {depth + 1} bits at depth {depth}"
        cases.append(Case(comment, args, ("argument",), ("INK-CNF-004",), error=("arguments", "out-of-range")))
    args = replaced(base, prefix="5", depth="20")
    cases.append(Case("integers as decimal digits", args, ("decimal",), ("INK-CNF-005",)))
    return cases


def device_cases():
    requirements = ("INK-KEY-006", "INK-KEY-007")
    cases = known_answers.cases("device-keys", requirements)
    key = generated("period key").hex()
    for device in range(16):
        args = {"periodKey": key, "device": device}
        flags = ("boundary",) if device in (0, 15) else ("generated",)
        cases.append(Case(f"device {device} of one period", args, flags, requirements))
    for fill in ("00", "ff"):
        args = {"periodKey": fill * 32, "device": 0}
        cases.append(Case(f"a period key of 32 bytes {fill}", args, ("boundary",), requirements))
    return cases + argument_refusals("device-keys", {"periodKey": key, "device": 0})


def identity_cases():
    requirements = ("INK-KEY-009",)
    cases = []
    for generation in (1, 2, 255, 256, 2**31, 2**32 - 1):
        args = {"seed": known_answers.ROOT.hex(), "generation": generation}
        cases.append(Case(f"generation {generation}", args, ("boundary",), requirements))
    for fill in ("00", "ff"):
        args = {"seed": fill * 32, "generation": 1}
        cases.append(Case(f"a seed of 32 bytes {fill}", args, ("boundary",), requirements))
    for index in range(4):
        args = {"seed": generated(f"user root {index}").hex(), "generation": index + 1}
        cases.append(Case("a seed without structure", args, ("generated",), requirements))
    return cases + argument_refusals("identity-keys", {"seed": generated("user root 0").hex(), "generation": 1})


FAMILIES = [
    Family(
        "epoch",
        SPECIFICATION,
        "The epoch and the period of a moment.",
        epoch_cases(),
        insensitive={"unixSeconds": "An epoch lasts 900 seconds, so a small change of the moment may stay inside it."},
    ),
    Family("derive", SPECIFICATION, "The labelled derivation.", derive_cases()),
    Family("tree-node", SPECIFICATION, "Nodes and leaves of an audience tree.", tree_cases()),
    Family("device-keys", SPECIFICATION, "The four keys of a device in a period.", device_cases()),
    Family("identity-keys", SPECIFICATION, "The public keys and the user id of a root seed.", identity_cases()),
]
