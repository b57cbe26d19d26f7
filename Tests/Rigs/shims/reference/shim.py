"""The reference shim: the models of Vectors/generator/reference with the line protocol of Specs/conformance.md.

It needs the standard library and the package `cryptography`, and shares no code with the Swift package.

    python3 Tests/Rigs/shims/reference/shim.py

Reads one request per line from standard input, and writes one reply per line to standard output.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "Vectors"))

from generator import reference  # noqa: E402
from generator.tools import operations  # noqa: E402

LONGEST_LINE = 1_048_576
LONGEST_ID = 64
LAST_ID = 2**53 - 1
VERSION = "inkling/1-draft"


class Refused(Exception):
    """The error for a line that is not a request."""


def members(pairs):
    """Returns an object, and rejects repeated names."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is repeated")
    return found


def refuse_constant(name):
    raise ValueError(f"{name} is no JSON")


def parse(line: bytes):
    if len(line) > LONGEST_LINE:
        raise Refused("too-long")
    try:
        value = json.loads(line.decode("utf-8"), object_pairs_hook=members, parse_constant=refuse_constant)
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # a lone surrogate is not a text
        return value
    except (ValueError, RecursionError):
        raise Refused("not-json") from None


def is_id(value) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return 0 <= value <= LAST_ID
    return isinstance(value, str) and len(value.encode("utf-8")) <= LONGEST_ID


def answer(operation: str, arguments: dict) -> dict:
    """Returns the reply to a request, without the id."""
    if operation == "capabilities":
        if arguments:
            return {"error": {"stage": "arguments", "reason": "unknown-field"}}
        return {"result": {"specVersion": VERSION, "operations": ["capabilities", *sorted(operations.REGISTER)]}}
    if operation not in operations.REGISTER:
        return {"unsupported": True}
    # With the intermediate values. A reply may contain them, and no check compares them; they show where a result went wrong.
    return operations.answer(operation, arguments)


def reply(line: bytes) -> dict:
    """Returns the reply to a line."""
    identity = None
    try:
        request = parse(line)
        if not isinstance(request, dict):
            raise Refused("not-an-object")
        if not is_id(request.get("id")):
            raise Refused("bad-id")
        identity = request["id"]
        if not isinstance(request.get("op"), str):
            raise Refused("bad-op")
        arguments = request.get("args", {})
        if not isinstance(arguments, dict) or set(request) - {"id", "op", "args"}:
            raise Refused("bad-args")
    except Refused as refusal:
        return {"id": identity, "error": {"stage": "request", "reason": str(refusal)}}
    return {"id": identity, **answer(request["op"], arguments)}


def lines(stream):
    """Yields the lines of a stream without line feeds. A line above the bound is cut off one byte after the bound."""
    while line := stream.readline(LONGEST_LINE + 2):
        if not line.endswith(b"\n"):
            while (rest := stream.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
        yield line.removesuffix(b"\n")


def main():
    # An integer of any number of digits that fits on a line is out of range; the line is valid.
    sys.set_int_max_str_digits(0)
    reference.load()
    for line in lines(sys.stdin.buffer):
        sys.stdout.write(json.dumps(reply(line), ensure_ascii=False, separators=(",", ":")) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
