"""Changes each input byte of each valid case; the result of the reference must then differ from the file.

This shows that every byte of every input matters.
"""

from . import operations
from .family import Family
from .fields import Bytes, Flag, Integer, ListOf, Record, Text


def variants(kind, value):
    """Values that differ from `value` in one place, each with the name of the place."""
    if isinstance(kind, Bytes):
        for at in range(0, len(value), 2):
            yield f"byte {at // 2}", f"{value[:at]}{int(value[at:at + 2], 16) ^ 0xFF:02x}{value[at + 2:]}"
    elif isinstance(kind, Integer):
        number = int(value)
        for place in range(max(1, (abs(number).bit_length() + 7) // 8)):
            changed = number ^ 0xFF << 8 * place
            yield f"byte {place} from the right", str(changed) if isinstance(value, str) else changed
    elif isinstance(kind, Text):
        for at, character in enumerate(value):
            if character.isascii():
                yield f"character {at}", f"{value[:at]}{chr(ord(character) ^ 1)}{value[at + 1:]}"
    elif isinstance(kind, Flag):
        yield "flag", not value
    elif isinstance(kind, ListOf):
        for index, element in enumerate(value):
            for place, changed in variants(kind.element, element):
                yield f"element {index}, {place}", [*value[:index], changed, *value[index + 1 :]]
    elif isinstance(kind, Record):
        for name, member in value.items():
            for place, changed in variants(kind.members[name], member):
                yield f"{name}, {place}", {**value, name: changed}


def unnoticed(family: Family, content: dict):
    """The number of changes, and those that did not change the result."""
    operation = operations.REGISTER[family.operation]
    count = 0
    missed = []
    for case in content["cases"]:
        if "error" in case:
            continue
        for name, value in case["args"].items():
            if name in family.insensitive:
                continue
            for place, changed in variants(operation.arguments.members[name], value):
                count += 1
                reply = operations.answer(family.operation, {**case["args"], name: changed})
                if reply.get("result") == case["result"]:
                    missed.append(f"{case['id']}: {name}, {place}")
    return count, missed
