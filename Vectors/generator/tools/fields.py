"""Types of arguments and results: how each is parsed and written, its JSON Schema, and its entry in the list of
operations."""

import re

from .refusal import Refusal

HEX = re.compile(r"(?:[0-9a-f]{2})*\Z")
DECIMAL = re.compile(r"(?:0|[1-9][0-9]*)\Z")
SAFE_INTEGER = 2**53 - 1


def refuse_argument(reason: str):
    raise Refusal("arguments", reason)


def bounds(low, high) -> dict:
    """The bounds of a description; what is not bounded has none."""
    return ({"low": low} if low else {}) | ({} if high is None else {"high": high})


class Bytes:
    """Bytes as lower-case hexadecimal, of exactly `count` bytes or of `low` to `high` bytes."""

    def __init__(self, count: int | None = None, *, low: int = 0, high: int | None = None):
        self.low = low if count is None else count
        self.high = high if count is None else count

    def read(self, value) -> bytes:
        if not isinstance(value, str):
            refuse_argument("wrong-type")
        if not HEX.match(value):
            refuse_argument("bad-hex")
        data = bytes.fromhex(value)
        if len(data) < self.low or (self.high is not None and len(data) > self.high):
            refuse_argument("wrong-length")
        return data

    def write(self, value: bytes) -> str:
        return value.hex()

    def schema(self) -> dict:
        if self.low == self.high:
            return {"type": "string", "pattern": f"^[0-9a-f]{{{2 * self.low}}}$"}
        high = "" if self.high is None else self.high
        return {"type": "string", "pattern": f"^(?:[0-9a-f]{{2}}){{{self.low},{high}}}$"}

    def described(self) -> dict:
        return {"kind": "bytes", **bounds(self.low, self.high)}


class BytesOf(Bytes):
    """Bytes of one of several lengths."""

    def __init__(self, *lengths: int):
        super().__init__()
        self.lengths = lengths

    def read(self, value) -> bytes:
        data = super().read(value)
        if len(data) not in self.lengths:
            refuse_argument("wrong-length")
        return data

    def schema(self) -> dict:
        return {"type": "string", "pattern": f"^(?:{'|'.join(f'[0-9a-f]{{{2 * length}}}' for length in self.lengths)})$"}

    def described(self) -> dict:
        return {"kind": "bytes", "lengths": list(self.lengths)}


class Integer:
    """An integer from `low` to `high`, as a number or as decimal digits."""

    def __init__(self, low: int, high: int):
        self.low = low
        self.high = high

    def read(self, value) -> int:
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            refuse_argument("wrong-type")
        if isinstance(value, str):
            if not DECIMAL.match(value):
                refuse_argument("wrong-type")
            value = int(value)
        if not self.low <= value <= self.high:
            refuse_argument("out-of-range")
        return value

    def write(self, value: int):
        return value if self.high <= SAFE_INTEGER else str(value)

    def schema(self) -> dict:
        if self.high <= SAFE_INTEGER:
            return {"type": "integer", "minimum": self.low, "maximum": self.high}
        return {"type": "string", "pattern": "^(?:0|[1-9][0-9]*)$"}

    def argument_schema(self) -> dict:
        # Both forms are valid in a file.
        digits = {"type": "string", "pattern": "^(?:0|[1-9][0-9]*)$"}
        return {"anyOf": [{"type": "integer", "minimum": self.low, "maximum": min(self.high, SAFE_INTEGER)}, digits]}

    def described(self) -> dict:
        return {"kind": "integer", "low": self.low, "high": self.high}


class IntegerOf(Integer):
    """One of several integers; cases that are out of range lie below the least and above `high`."""

    def __init__(self, *values: int, high: int | None = None):
        super().__init__(min(values), max(values) if high is None else high)
        self.values = values

    def read(self, value) -> int:
        number = super().read(value)
        if number not in self.values:
            refuse_argument("out-of-range")
        return number

    def schema(self) -> dict:
        return {"type": "integer", "enum": list(self.values)}

    def argument_schema(self) -> dict:
        digits = {"type": "string", "pattern": f"^(?:{'|'.join(str(value) for value in self.values)})$"}
        return {"anyOf": [self.schema(), digits]}

    def described(self) -> dict:
        return {"kind": "integer", "values": list(self.values)}


class Text:
    """A string of `low` to `high` UTF-8 bytes, optionally with a pattern or a set of values."""

    def __init__(self, low: int = 0, high: int | None = None, *, pattern: str | None = None, values=None):
        self.low = low
        self.high = high
        self.pattern = pattern
        self.values = values

    def read(self, value) -> str:
        if not isinstance(value, str):
            refuse_argument("wrong-type")
        count = len(value.encode("utf-8", "surrogatepass"))
        if count < self.low or (self.high is not None and count > self.high):
            refuse_argument("wrong-length")
        if self.values is not None and value not in self.values:
            refuse_argument("out-of-range")
        if self.pattern is not None and not re.fullmatch(self.pattern, value):
            refuse_argument("out-of-range")
        return value

    def write(self, value: str) -> str:
        return value

    def schema(self) -> dict:
        if self.values is not None:
            return {"type": "string", "enum": list(self.values)}
        schema = {"type": "string"}
        if self.pattern is not None:
            schema["pattern"] = f"^{self.pattern}$"
        return schema

    def described(self) -> dict:
        if self.values is not None:
            return {"kind": "text", "values": list(self.values)}
        return {"kind": "text", **bounds(self.low, self.high)} | ({"pattern": self.pattern} if self.pattern else {})


class Flag:
    def read(self, value) -> bool:
        if not isinstance(value, bool):
            refuse_argument("wrong-type")
        return value

    def write(self, value: bool) -> bool:
        return value

    def schema(self) -> dict:
        return {"type": "boolean"}

    def described(self) -> dict:
        return {"kind": "flag"}


class ListOf:
    """A list of `low` to `high` elements of one type."""

    def __init__(self, element, low: int = 0, high: int | None = None):
        self.element = element
        self.low = low
        self.high = high

    def read(self, value) -> list:
        if not isinstance(value, list):
            refuse_argument("wrong-type")
        values = [self.element.read(element) for element in value]
        if len(values) < self.low or (self.high is not None and len(values) > self.high):
            refuse_argument("wrong-length")
        return values

    def write(self, values: list) -> list:
        return [self.element.write(value) for value in values]

    def schema(self) -> dict:
        schema = {"type": "array", "items": self.element.schema()}
        if self.low:
            schema["minItems"] = self.low
        if self.high is not None:
            schema["maxItems"] = self.high
        return schema

    def described(self) -> dict:
        return {"kind": "list", **bounds(self.low, self.high), "of": self.element.described()}


class Record:
    """An object with exactly these members."""

    def __init__(self, optional=(), **members):
        self.members = members
        self.optional = frozenset(optional)

    def write(self, values: dict) -> dict:
        missing = set(self.members) - set(values) - self.optional
        unknown = set(values) - set(self.members)
        if missing or unknown:
            raise AssertionError(f"missing members {missing}, unknown members {unknown}")
        return {name: field.write(values[name]) for name, field in self.members.items() if name in values}

    def schema(self, of_arguments: bool = False) -> dict:
        def part(field):
            if of_arguments and isinstance(field, Integer):
                return field.argument_schema()
            return field.schema()

        return {
            "type": "object",
            "additionalProperties": False,
            "required": [name for name in self.members if name not in self.optional],
            "properties": {name: part(field) for name, field in self.members.items()},
        }

    def described(self) -> dict:
        return {"kind": "object", "members": self.described_members()}

    def described_members(self) -> list[dict]:
        """The members in order, each with its name and whether it may be absent."""
        return [
            {"name": name, **field.described()} | ({"optional": True} if name in self.optional else {})
            for name, field in self.members.items()
        ]


class Entry(Record):
    """A record that may be (part of) an argument; it can be parsed as well as written."""

    def read(self, value):
        if not isinstance(value, dict):
            refuse_argument("wrong-type")
        return read_arguments(self, value)

    def schema(self):
        return super().schema(of_arguments=True)


def read_arguments(arguments: Record, given: dict) -> dict:
    """Parses arguments; the checks run in the order of the table of argument refusals in Specs/conformance.md."""
    if any(name not in arguments.members for name in given):
        refuse_argument("unknown-field")
    if any(name not in given for name in arguments.members if name not in arguments.optional):
        refuse_argument("missing")
    return {name: field.read(given[name]) for name, field in arguments.members.items() if name in given}


PERIOD = Integer(0, 2**20 - 1)
EPOCH = Integer(0, 2**22 - 1)
U16 = Integer(0, 2**16 - 1)
U32 = Integer(0, 2**32 - 1)
KEY = Bytes(32)
