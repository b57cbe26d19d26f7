"""The independent reference that writes and checks the test vectors.

It follows the pages in Specs/ alone and shares no code with any implementation, so that agreement between the two
is evidence. Run it from Vectors/:

    python3 -m generator write    regenerate every file
    python3 -m generator check    regenerate in memory and compare byte for byte
    python3 -m generator flip     change each input byte of each valid case; the result must change
    python3 -m generator pins     for each fact about platforms, the named cases that depend on it

`--quick` leaves the accumulated digests out. Without it, what was written, or compared without a difference, is recorded in
`generated.sha256`; `python3 -m generator.tools.digest` says whether anything has changed since.
"""

import argparse
import importlib
import pkgutil
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from . import cases
from .cases.mdns import walks as mdns_walks
from .cases.recognition import walks
from .cases.shared import known_answers
from .cases.transport_policy import matrix, situations
from .tools import accumulated, catalogue, digest, flip, operations, schema, writer

ROOT = Path(__file__).resolve().parent.parent


def every_family():
    """The families of every module and folder of `cases` but `shared`, in the order of their names."""
    found = []
    for module in pkgutil.iter_modules(cases.__path__):
        if module.name != "shared":
            found += importlib.import_module(f"{cases.__name__}.{module.name}").FAMILIES
    names = [family.name for family in found]
    if len(set(names)) != len(names):
        raise AssertionError("two families have the same name")
    return sorted(found, key=lambda family: family.name)


def verify():
    """Checks the models against known answers and invariants; throws AssertionError if one does not hold."""
    known_answers.verify()
    walks.verify()
    mdns_walks.verify()
    situations.verify(matrix.every_row())


def rendered(name: str, content: dict, form: dict) -> dict[str, bytes]:
    """A vector file and its schema."""
    schema.validate(name, content, form)
    return {f"{name}.json": writer.text_of(content), f"schema/{name}.schema.json": writer.text_of(form)}


def files_of_family(name: str) -> dict[str, bytes]:
    family = next(family for family in every_family() if family.name == name)
    return rendered(name, writer.file_of(family), schema.schema_of(family))


def every_file(quick: bool) -> dict[str, bytes]:
    """All files by path. They are generated in parallel, the longest work first."""
    found = {}
    with ProcessPoolExecutor() as pool:
        digests = None if quick else pool.map(accumulated.digests, accumulated.OUTPUTS)
        verified = pool.submit(verify)
        for part in pool.map(files_of_family, [family.name for family in every_family()]):
            found.update(part)
        found["schema/operations.json"] = writer.text_of(catalogue.content(every_family(), found))
        verified.result()
        if digests is not None:
            found.update(rendered("accumulated", accumulated.content(digests), accumulated.schema()))
    return found


def write(quick: bool) -> int:
    (ROOT / "schema").mkdir(exist_ok=True)
    files = every_file(quick)
    for name, data in files.items():
        (ROOT / name).write_bytes(data)
    if not quick:
        digest.record()
    print(f"{len(files)} files written")
    return 0


def check(quick: bool) -> int:
    files = every_file(quick)
    present = {str(path.relative_to(ROOT)) for path in digest.generated(ROOT)}
    if quick:
        present -= {"accumulated.json", "schema/accumulated.schema.json"}
    findings = [f"{name}: no family writes it" for name in sorted(present - set(files))]
    findings += [f"{name}: is missing" for name in sorted(set(files) - present)]
    findings += [f"{name}: differs" for name in sorted(set(files) & present) if (ROOT / name).read_bytes() != files[name]]
    for finding in findings:
        print(finding)
    if not quick and not findings:
        digest.record()
    print(f"{len(files)} files compared, {len(findings)} findings")
    return 1 if findings else 0


def flip_all(quick: bool) -> int:
    total = 0
    findings = []
    for family in every_family():
        count, missed = flip.unnoticed(family, writer.file_of(family))
        print(f"{family.name}: {count} changes, {len(missed)} unnoticed")
        total += count
        findings += missed
    for finding in findings:
        print(finding)
    print(f"{total} changes, {len(findings)} unnoticed")
    return 1 if findings else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="generator", description="Writes and checks the test vectors.")
    parser.add_argument("mode", choices=["write", "check", "flip", "pins", "operations"])
    parser.add_argument("--quick", action="store_true", help="leave the accumulated digests out")
    chosen = parser.parse_args()
    if chosen.mode == "operations":
        every_family()
        print("\n".join(sorted(operations.REGISTER)))
        return 0
    if chosen.mode == "pins":
        situations.print_pins(matrix.every_row())
        return 0
    return {"write": write, "check": check, "flip": flip_all}[chosen.mode](chosen.quick)


if __name__ == "__main__":
    sys.exit(main())
