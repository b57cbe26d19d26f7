"""Case and Family: how a module of `cases` declares the content of a vector file."""

import copy
from dataclasses import dataclass, field

from ..reference.notation import sha256
from .fields import Bytes, Flag, Integer, Text
from .operations import REGISTER


@dataclass
class Case:
    """The arguments of a case and the reason for it. The result comes from the reference.

    `result` (some members) or `error` (stage, reason) are what the author of the case expects;
    writing fails if the reference returns something else.
    """

    comment: str
    args: dict
    flags: tuple = ()
    requirements: tuple = ()
    result: dict | None = None
    error: tuple | None = None


@dataclass
class Family:
    """One vector file. `notes` maps each flag of its own to its meaning and reason."""

    name: str
    specification: str
    description: str
    cases: list
    operation: str | None = None
    insensitive: dict = field(default_factory=dict)
    notes: dict = field(default_factory=dict)

    def __post_init__(self):
        self.operation = self.operation or self.name


NOTES = {
    "argument": {
        "meaning": "The arguments themselves are malformed.",
        "reason": "A caller's mistake must be named and must never trap.",
    },
    "boundary": {
        "meaning": "A value at or beside the end of its range, or at a change of behaviour.",
        "reason": "Comparisons go wrong by one.",
    },
    "generated": {
        "meaning": "Inputs are digests of the case's name.",
        "reason": "Values without structure find errors that neat values hide.",
    },
    "known-answer": {
        "meaning": "The answer was known before this generator was written.",
        "reason": "It ties the generator to values from elsewhere.",
    },
    "refusal": {
        "meaning": "A valid object with exactly one fault.",
        "reason": "Which fault was found, and when, is part of the protocol.",
    },
    "decimal": {
        "meaning": "An integer is given as a string of decimal digits.",
        "reason": "Readers accept both forms of an integer.",
    },
}


def generated(name: str, count: int = 32) -> bytes:
    """Unstructured bytes derived from the name."""
    data = b""
    while len(data) < count:
        data += sha256(name.encode() + len(data).to_bytes(4, "big"))
    return data[:count]


def replaced(args: dict, **changes) -> dict:
    args = copy.deepcopy(args)
    args.update(changes)
    return args


def argument_refusals(operation: str, args: dict, requirements=("INK-CNF-004",)) -> list[Case]:
    """Refusals for each argument of `args`: missing, of a wrong type, malformed, too short or long, out of range."""

    def refused(comment, changed, reason):
        return Case(comment, changed, ("argument",), requirements, error=("arguments", reason))

    cases = [refused("an argument too many", replaced(args, surplus=1), "unknown-field")]
    for name, kind in REGISTER[operation].arguments.members.items():
        if name not in args:
            continue
        value = args[name]

        def changed(comment, to, reason):
            cases.append(refused(f"{name} {comment}", replaced(args, **{name: to}), reason))

        cases.append(refused(f"{name} is absent", {k: v for k, v in args.items() if k != name}, "missing"))
        changed("is null", None, "wrong-type")
        if isinstance(kind, Bytes):
            changed("is a number", 7, "wrong-type")
            changed("has an odd number of digits", value + "0", "bad-hex")
            changed("has upper-case digits", "AB" + value[2:], "bad-hex")
            changed("has a character that is no digit", "0g" + value[2:], "bad-hex")
            if kind.low == kind.high:
                changed("is empty", "", "wrong-length")
                changed("is a byte too short", value[2:], "wrong-length")
                changed("is a byte too long", value + "00", "wrong-length")
        elif isinstance(kind, Integer):
            changed("is a flag", True, "wrong-type")
            changed("is a fraction", 1.5, "wrong-type")
            changed("is a list", [1], "wrong-type")
            changed("is an empty string", "", "wrong-type")
            changed("is a string with a sign", "+1", "wrong-type")
            changed("is a string with a leading zero", "01", "wrong-type")
            changed("is one below its range", kind.low - 1, "out-of-range")
            changed("is one above its range", kind.high + 1, "out-of-range")
            changed("exceeds 64 bits", "18446744073709551616", "out-of-range")
        elif isinstance(kind, Text):
            changed("is a number", 7, "wrong-type")
        elif isinstance(kind, Flag):
            changed("is a number", 1, "wrong-type")
            changed("is a string", "true", "wrong-type")
    return cases
