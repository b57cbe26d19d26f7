#!/usr/bin/env python3
"""Writes Specs/operations.md from Vectors/schema/operations.json: operations.py --write; without it, compares the two."""

import argparse
import json
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from tree import Finding, Tree  # noqa: E402

PAGE = "Specs/operations.md"
LIST = "Vectors/schema/operations.json"
INDEX = "Specs/README.md"

HEAD = """# Operations of the shim

Every operation of the shim that [conformance.md](conformance.md) describes, with the type, the range and the presence of every member. Beside the shelves; part of the draft `inkling/1`.

This page is generated from `Vectors/schema/operations.json`, which the generator of the vectors writes from the declarations that it reads arguments by; a check compares the page with the file, and a test compares the file with the arguments that this package's shim accepts. The meaning of an operation is on the page under whose name it stands.

## How to read the tables

Arguments stand in the order in which they are checked ([conformance.md](conformance.md#refused-arguments)). `steps[].at` is the member `at` of each element of the list `steps`. A member is present unless it is marked *optional*, *by event* or *by effect*.

| type | meaning |
|---|---|
| 32 bytes, 1 to 64 bytes, bytes | a byte string of that length, in hexadecimal; without a length, of any |
| u8, u16, u32, u64 | an integer from 0 to 255, 65,535, 4,294,967,295 and 18,446,744,073,709,551,615 |
| 0 to 450 | an integer in this range, both ends included |
| 15, 30 or 60 | one of these integers |
| text | a text; lengths of texts are in bytes of UTF-8 |
| `a` or `b` | one of these texts |
| flag | `true` or `false` |
| list of up to 64 …, list of 1 to 64 … | a list with this number of elements; without a number, of any length |

An integer of a result that can exceed 2^53 − 1 is written as decimal digits ([conformance.md](conformance.md#conventions)). Bounds of a result say what can occur in it. A range that depends on another member, such as the prefix of a tree node on its depth, stands on the page of the operation.

*Refusals* are stage and reason beyond those of the table *Refused arguments*, which every operation shares; `message-N` stands for every number N. An operation whose argument is `steps` runs a scenario: a further table has the members that a step with each event needs and may have besides `at` and `event`, and another one what each effect carries besides `at` and `effect`.

Longer sets of texts have a name:

"""
NAMED_RANGES = {(0, 2**8 - 1): "u8", (0, 2**16 - 1): "u16", (0, 2**32 - 1): "u32", (0, 2**64 - 1): "u64"}
# Patterns of texts, in words.
PATTERNS = {
    "[!-~]+": "each byte 0x21 to 0x7e",
    "[0-9a-f]{32}": "32 characters 0–9 a–f",
    "[A-Z2-7]{4}(?: [A-Z2-7]{4}){3}": "four groups of four characters A–Z 2–7, with a space between them",
    "(?:no|yes|overflow|window|[0-9]+-[0-9]+ ms|[0-9]+ m)": "`no`, `yes`, `overflow`, `window`, `30-100 ms` or `10 m`, "
    "with any numbers",
    r"inkling(?:\.[0-9]+)?": "`inkling`, or `inkling.` and digits",
}


# Sets of texts that are long or occur often, by their first text: the name, and the page that lists the set instead.
NAMED_SETS = {
    "beacon": ("transport", None),
    "retired": ("reason against a transport", None),
    "foreground": ("state of an app", None),
    "bluetooth": ("need", None),
    "ios": ("platform row", None),
    "ios/scan/foreground": ("fact", "platforms.md"),
}
POWERS = {2**40: "2^40", 2**53 - 1: "2^53 − 1"}


def name_of(values: list[str]) -> str | None:
    return NAMED_SETS[values[0]][0] if len(values) > 5 and values[0] in NAMED_SETS else None


def sets_in(value, found: dict[str, list[str]]):
    """Adds the named sets below a value of the list."""
    if isinstance(value, dict):
        if (values := value.get("values")) and isinstance(values[0], str) and (name := name_of(values)):
            if found.setdefault(name, values) != values:
                raise ValueError(f"two sets are called {name}")
        for inner in value.values():
            sets_in(inner, found)
    elif isinstance(value, list):
        for inner in value:
            sets_in(inner, found)


def set_rows(operations: list[dict]) -> list[str]:
    found: dict[str, list[str]] = {}
    sets_in(operations, found)
    pages = dict(NAMED_SETS.values())
    lines = ["| set | texts |", "|---|---|"]
    for name, values in sorted(found.items()):
        texts = f"the ids in the table of [{pages[name]}]({pages[name]})" if pages[name] else names(values)
        lines.append(f"| *{name}* | {texts} |")
    return [*lines, ""]


def choice(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def span(described: dict) -> str:
    """Returns a range of lengths in words; empty when it has no bounds."""
    low, high = described.get("low", 0), described.get("high")
    if high is None:
        return f"at least {low:,}" if low else ""
    return f"{low:,}" if low == high else f"{low:,} to {high:,}" if low else f"up to {high:,}"


def type_of(described: dict) -> str:
    match described["kind"]:
        case "bytes" if "lengths" in described:
            return choice([str(length) for length in described["lengths"]]) + " bytes"
        case "bytes":
            return f"{span(described)} bytes".strip()
        case "integer" if "values" in described:
            return choice([str(value) for value in described["values"]])
        case "integer":
            low, high = described["low"], described["high"]
            return NAMED_RANGES.get((low, high), f"{number(low)} to {number(high)}")
        case "text" if "values" in described and name_of(described["values"]):
            return f"*{name_of(described['values'])}*"
        case "text" if "values" in described:
            return choice([f"`{value}`" for value in described["values"]])
        case "text" if "pattern" in described:
            return "; ".join(filter(None, [text_of(described), PATTERNS[described["pattern"]]]))
        case "text":
            return text_of(described)
        case "flag":
            return "flag"
        case "list":
            inner = "objects" if described["of"]["kind"] == "object" else f"({type_of(described['of'])})"
            return f"list of {span(described)} {inner}".replace("  ", " ")
        case "object":
            return "object"
    raise ValueError(described["kind"])


def number(value: int) -> str:
    return POWERS.get(value, f"{value:,}".replace("-", "−"))


def text_of(described: dict) -> str:
    return f"text of {span(described)} bytes" if span(described) else "text"


def rows(members: list[dict], prefix: str = "", scenario: bool = False) -> list[str]:
    found = []
    for member in members:
        name = prefix + member["name"]
        # Which members a step or an effect has is in the tables of its operation.
        by = {"steps[].": "; by event", "effects[].": "; by effect"}.get(prefix) if scenario else None
        presence = (by or "; optional") if member.get("optional") else ""
        shown = "one of those below" if name in ("steps[].event", "effects[].effect") and scenario else type_of(member)
        found.append(f"| `{name}` | {shown}{presence} |")
        inner, path = member, name
        while inner["kind"] == "list":
            inner, path = inner["of"], path + "[]"
        if inner["kind"] == "object":
            found += rows(inner["members"], path + ".", scenario)
    return found


def names(members: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in members) or "–"


def section(operation: dict) -> list[str]:
    lines = [f"### `{operation['operation']}`", ""]
    scenario = "events" in operation
    if operation["arguments"]:
        lines += ["| argument | type |", "|---|---|", *rows(operation["arguments"], scenario=scenario), ""]
    else:
        lines += ["No arguments.", ""]
    if operation["result"]:
        lines += ["| result | type |", "|---|---|", *rows(operation["result"], scenario=scenario), ""]
    if operation["refusals"]:
        stages: dict[str, list[str]] = {}
        for stage, reason in operation["refusals"]:
            stages.setdefault(stage, []).append(reason)
        refusals = "; ".join(f"`{stage}` {names(reasons)}" for stage, reasons in stages.items())
        lines += [f"Refusals: {refusals}.", ""]
    if scenario:
        lines += ["| event | needs | may have |", "|---|---|---|"]
        lines += [f"| `{one['event']}` | {names(one['needs'])} | {names(one['may'])} |" for one in operation["events"]]
        lines += ["", "| effect | has | may have |", "|---|---|---|"]
        lines += [f"| `{one['effect']}` | {names(one['has'])} | {names(one['may'])} |" for one in operation["effects"]]
        lines += [""]
    return lines


def page(tree: Tree) -> str:
    """Returns the text of the page, from the list and from the order of the pages in the index."""
    operations = json.loads(tree.text(LIST))["operations"]
    order = list(dict.fromkeys(re.findall(r"\]\(([\w-]+\.md)\)", tree.text(INDEX))))
    pages = sorted({one["specification"].removeprefix("Specs/") for one in operations}, key=order.index)
    lines = [HEAD.rstrip("\n"), "", *set_rows(operations)]
    for name in pages:
        lines += [f"## [{name}]({name})", ""]
        for operation in operations:
            if operation["specification"] == f"Specs/{name}":
                lines += section(operation)
    return "\n".join(lines).rstrip("\n") + "\n"


def findings(tree: Tree):
    """Yields the first difference between the page and what would be written now."""
    if not tree.exists(LIST) or not tree.exists(PAGE):
        yield Finding(PAGE, 1, f"the page or {LIST} is missing")
        return
    present, wanted = tree.text(PAGE).split("\n"), page(tree).split("\n")
    if present != wanted:
        place = next((at for at, (old, new) in enumerate(zip(present, wanted)) if old != new), min(len(present), len(wanted)))
        yield Finding(PAGE, place + 1, f"differs from {LIST}: run operations.py --write")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--write", action="store_true", help="write the page")
    arguments = parser.parse_args()
    tree = Tree(arguments.root)
    if arguments.write:
        (tree.root / PAGE).write_text(page(tree), encoding="utf-8")
        return 0
    found = list(findings(tree))
    for finding in found:
        print(f"{finding.path}:{finding.line}: {finding.message}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
