#!/usr/bin/env python3
"""Describes the interface against which programs are built: calls with their types, structures with their layouts, numbers,
and the symbols of the library with their versions. interface.txt is the record. A difference from it breaks programs, and
an addition must be recorded.

    interface.py           compares the header and the built library with the record
    interface.py --write   writes the record
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
HEADERS = ROOT / "Sources/Bindings/CInkling/include"
LIBRARY = ROOT / ".build/c/stage/lib/libinkling.so.1"
RECORD = HERE / "interface.txt"
# The clang of the Swift toolchain, which may not be in the search path.
CLANG = Path(shutil.which("swiftc") or "swiftc").resolve().parent / "clang"


def output_of(*command) -> str:
    return subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, check=True, timeout=120).stdout


def declarations(headers: Path) -> list[dict]:
    """Returns what clang reads in the header: our functions, structures, enumerations and types."""
    tree = json.loads(output_of(CLANG, "-std=c11", "-fsyntax-only", "-Xclang", "-ast-dump=json", "-x", "c", headers / "inkling.h"))
    return [node for node in tree["inner"] if node.get("name", "").startswith("inkling_")]


def described(headers: Path) -> list[str]:
    """Returns the facts of the header, one per line, in the order of its parts."""
    lines: list[str] = []
    asked: list[str] = []

    def ask(line: str, *values: str):
        """Adds a line whose numbers the compiler supplies."""
        lines.append("")
        asked.append(f'printf("%d\\t{line}\\n", {len(lines) - 1}, {", ".join(f"(unsigned long long)({value})" for value in values)});')

    for node in declarations(headers):
        name = node["name"]
        members = [member for member in node.get("inner", []) if member["kind"] == "FieldDecl"]
        if node["kind"] == "FunctionDecl":
            # With the names, because two arguments of one type could be swapped.
            names = [argument["name"] for argument in node.get("inner", []) if argument["kind"] == "ParmVarDecl"]
            lines.append(f"call {name}: {node['type']['qualType']}: {' '.join(names)}".rstrip(": "))
        elif node["kind"] == "RecordDecl" and members:
            ask(f"structure {name}: %llu bytes, aligned to %llu", f"sizeof({name})", f"_Alignof({name})")
            for member in members:
                ask(f"  {name}.{member['name']}: {member['type']['qualType']} at %llu", f"offsetof({name}, {member['name']})")
        elif node["kind"] == "EnumDecl":
            for constant in node["inner"]:
                if constant["kind"] == "EnumConstantDecl":
                    ask(f"number {constant['name']}: %llu of {name}", constant["name"])
        elif node["kind"] == "TypedefDecl" and "(" in node["type"]["qualType"] or name == "inkling_handle":
            lines.append(f"type {name}: {node['type']['qualType']}")
    for line in sorted(output_of(CLANG, "-dM", "-E", headers / "inkling.h").splitlines()):
        if (found := re.match(r"#define (INKLING_\w+) (.+)", line)) and not found[1].endswith("_H"):
            ask(f"number {found[1]}: %llu", found[1])
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "layout.c"
        source.write_text("#include <inkling.h>\n#include <stdio.h>\nint main(void) {\n" + "\n".join(asked) + "\nreturn 0;\n}\n")
        output_of(CLANG, "-std=c11", "-I", headers, source, "-o", f"{folder}/layout")
        for answer in output_of(f"{folder}/layout").splitlines():
            place, text = answer.split("\t", 1)
            lines[int(place)] = text
    return lines


def symbols(library: Path) -> list[str]:
    """Returns the exported symbols of the library, with versions."""
    listed = (line.split() for line in output_of("nm", "-D", "--defined-only", "--extern-only", library).splitlines())
    return sorted(f"symbol {name}" for _, kind, name in listed if kind != "A")


def differences(recorded: list[str], found: list[str]) -> list[str]:
    """Returns the differences that break programs, and the additions that are not recorded."""
    def key(line: str) -> str:
        return line.split(":")[0].strip()

    now = {key(line): line for line in found}
    before = {key(line): line for line in recorded}
    told = []
    for name, line in before.items():
        if name not in now:
            told.append(f"gone, which breaks programs: {line.strip()}")
        elif now[name] != line:
            told.append(f"changed, which breaks programs: {line.strip()} is now {now[name].strip()}")
    told += [f"new and not recorded: {line.strip()}" for name, line in now.items() if name not in before]
    return told


def recorded() -> list[str]:
    return RECORD.read_text().splitlines()


def main() -> int:
    found = described(HEADERS) + symbols(LIBRARY)
    if sys.argv[1:] == ["--write"]:
        RECORD.write_text("\n".join(found) + "\n")
        return 0
    told = differences(recorded(), found)
    print("\n".join(told) or f"{len(found)} facts agree with the record")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
