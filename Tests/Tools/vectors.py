#!/usr/bin/env python3
"""Checks counts, ids, flags and file names in the vector files: vectors.py [DIR…]"""

import json
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CASE_MEMBERS = {"id", "comment", "flags", "requirements", "args", "result", "intermediates", "error"}
# The cases of digests over many outputs have another form, which their schema defines.
DIGEST_MEMBERS = {"id", "comment", "operation", "count", "digest"}


def faults(folder: Path, repository: Path) -> list[str]:
    found = []
    seen: dict[str, Path] = {}
    total = 0
    files = sorted(
        path
        for path in folder.rglob("*.json")
        if "schema" not in path.relative_to(folder).parts and "generator" not in path.relative_to(folder).parts
    )
    if not files:
        found.append(f"{folder}: no vector files")
    for path in files:
        name = path.relative_to(folder)
        try:
            content = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=without_repeats)
            cases = content["cases"]
        except (ValueError, KeyError, TypeError) as error:
            found.append(f"{name}: not a vector file: {error}")
            continue
        total += len(cases)
        if not cases:
            found.append(f"{name}: no cases")
        if content.get("caseCount") != len(cases):
            found.append(f"{name}: caseCount is {content.get('caseCount')}, but there are {len(cases)} cases")
        if not (folder / content.get("schema", "?")).is_file() and not (path.parent / content.get("schema", "?")).is_file():
            found.append(f"{name}: its schema {content.get('schema')} does not exist")
        if not (repository / content.get("specification", "?")).is_file():
            found.append(f"{name}: its specification {content.get('specification')} does not exist")
        if "external" in name.parts and not {"project", "commit", "path", "licence"} <= set(content.get("source", {})):
            found.append(f"{name}: external vectors name project, commit, path and licence in `source`")
        used = {flag for case in cases for flag in case.get("flags", [])}
        for flag in sorted(used ^ set(content.get("notes", {}))):
            found.append(f"{name}: the flag {flag} has a note or a use, but not both")
        for case in cases:
            identifier = case.get("id", "?")
            if identifier in seen:
                found.append(f"{name}: the id {identifier} is also in {seen[identifier]}")
            seen[identifier] = name
            if set(case) == DIGEST_MEMBERS:
                continue
            if unknown := set(case) - CASE_MEMBERS:
                found.append(f"{name}: {identifier} has unknown members {sorted(unknown)}")
            if ("result" in case) == ("error" in case):
                found.append(f"{name}: {identifier} must have either a result or an error")
    print(f"{len(files)} vector files, {total} cases, {len(found)} faults")
    return found


def without_repeats(pairs):
    repeated = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
    if repeated:
        raise ValueError(f"the member {repeated[0]} is repeated")
    return dict(pairs)


if __name__ == "__main__":
    places = [Path(argument) for argument in sys.argv[1:]] or [ROOT / "Vectors"]
    found = [fault for place in places for fault in faults(place, ROOT)]
    for fault in found:
        print(f"✗ {fault}", file=sys.stderr)
    sys.exit(1 if found else 0)
