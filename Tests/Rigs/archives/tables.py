"""What `inkling-kit predict --format` and `python3 -m inkling.archive` write: the rows and the metadata of tables, and their refusals."""

import csv
import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pyarrow
from pyarrow import parquet

import sightings
from inkling.archive import RefusedPredictions, convert, read

HOSTILE = Path(__file__).resolve().parents[1] / "hostile-inputs"
SCHEMA = pyarrow.schema([
    pyarrow.field("epoch", pyarrow.uint32(), False), pyarrow.field("minor", pyarrow.uint16(), False),
    pyarrow.field("name", pyarrow.binary(16), False), pyarrow.field("contact", pyarrow.dictionary(pyarrow.int32(), pyarrow.string()), False),
    pyarrow.field("device", pyarrow.uint8(), False),
])  # fmt: skip
# A label that must be quoted, and one that no one has chosen for CSV.
LABELS = ('Ada, "the first"', "Bø 🦀")


def rows_of_text(path):
    with open(path, encoding="utf-8") as file:
        head = json.loads(next(file))
        rows = [json.loads(line) for line in file]
    return head, [(row["epoch"], row["minor"], row["name"], head["contacts"][row["contact"]], row["device"]) for row in rows]


def rows_of_table(table):
    return [
        (row["epoch"], row["minor"], row["name"].hex(), row["contact"], row["device"]) for row in table.to_pylist()]


def rows_of_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [
            (int(row["epoch"]), int(row["minor"]), row["name"], row["contact"], int(row["device"])) for row in csv.DictReader(file)]


def same_rows(folder, expect):
    for day in range(sightings.DAYS):
        paths = {format: sightings.table(folder, day, format) for format in sightings.FORMATS}
        head, rows = rows_of_text(paths["text"])
        expect(rows_of_csv(paths["csv"]) == rows, f"day {day}: CSV has the {len(rows):,} rows of the text form")
        kept = {
            "inkling.schema": "inkling-predictions/1", "inkling.from": str(head["from"]), "inkling.to": str(head["to"]),
            "inkling.expiry": str(900 * (head["to"] + 1)), "inkling.contents": "values alone, and no keys",
        }
        with pyarrow.OSFile(str(paths["arrow"])) as file:
            arrow = pyarrow.ipc.open_file(file).read_all()
        for name, table in (("Parquet", parquet.read_table(paths["parquet"], partitioning=None)), ("Arrow", arrow)):
            said = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
            expect(rows_of_table(table) == rows and table.schema.equals(SCHEMA), f"day {day}: {name} has the same rows, typed")
            expect(said == kept, f"day {day}: {name} says its version, its epochs, when it expires, and that it has no keys")
        modes = {stat.S_IMODE(path.stat().st_mode) for path in paths.values()}
        expect(modes == {0o600}, f"day {day}: only the owner can read the files")


def labels(kit, folder, expect):
    words = []
    for number, label in enumerate(LABELS):
        (folder / str(number)).write_bytes(bytes([number]) * 32)
        words += ["--root-file", f"{label}={folder / str(number)}"]
    for format in sightings.FORMATS:
        subprocess.run([kit, "predict", *words, "--hours", "1", "--format", format, "--output", folder / format, "--from",
                        "1785600000"], check=True, stderr=subprocess.DEVNULL)
    _, rows = rows_of_text(folder / "text")
    read_back = [rows_of_csv(folder / "csv"), rows_of_table(parquet.read_table(folder / "parquet"))]
    expect({row[3] for row in rows} == set(LABELS) and read_back == [rows, rows], "labels with commas, quotes and emoji stay as they are")


def refusals(kit, folder, expect):
    archive = [sys.executable, "-m", "inkling.archive"]
    text, there = folder / "text", folder / "there"
    there.write_text("mine")
    for program in ([kit, "predict", "--example", "--format", "parquet", "--output", there],
                    [*archive, "parquet", "--input", text, "--output", there]):
        done = subprocess.run(program, capture_output=True, text=True, check=False)
        expect(done.returncode == 78 and there.read_text() == "mine", f"{Path(program[0]).name} replaces no file")
    cut = folder / "cut"
    cut.write_bytes(text.read_bytes()[:-50])
    done = subprocess.run([*archive, "parquet", "--input", cut, "--output", folder / "none"], capture_output=True, text=True, check=False)
    expect(done.returncode == 65 and not (folder / "none").exists() and "refused at row: malformed" in done.stderr,
           "a file that is cut off becomes no table")
    # An interpreter that finds neither pyarrow nor, in the second case, the module.
    (folder / "bare").mkdir()
    bare = {**os.environ, "PATH": f"{folder / 'bare'}:/usr/bin:/bin"}
    (folder / "bare/python3").write_text(f'#!/bin/sh\nexec {os.path.realpath(sys.executable)} -S "$@"\n')
    (folder / "bare/python3").chmod(0o755)
    for variables, what in ((bare, "python3 has no pyarrow"), ({**bare, "PYTHONPATH": ""}, "python3 has no module inkling.archive")):
        done = subprocess.run([kit, "predict", "--example", "--format", "arrow", "--output", folder / "none"], capture_output=True,
                              text=True, env=variables, check=False)
        said = done.stderr.splitlines()
        expect(done.returncode == 69 and not (folder / "none").exists() and said[0].startswith(f"inkling-kit: {what}")
               and "pip install pyarrow" in said[1], f"inkling-kit predict says '{what}', and what to install")
    done = subprocess.run([sys.executable, "-c", "import inkling.archive; print(open('/proc/self/maps').read())"], capture_output=True, text=True, check=True)
    expect("libinkling" not in done.stdout and "arrow" not in done.stdout, "importing the module opens neither the C library nor pyarrow")


def hostile(expect):
    accepted, count = [], 0
    for parser in ("prediction-file", "binary-predictions"):
        for case in json.loads((HOSTILE / f"{parser}.json").read_text(encoding="utf-8"))["cases"]:
            if case["class"] == "the text form":
                # Its parser reads the binary form alone; this reader takes both.
                continue
            count += 1
            try:
                list(read(io.BytesIO(bytes_of(case)))[1])
                refusal = "none"
            except RefusedPredictions as refused:
                refusal = f"{refused.stage}/{refused.reason}"
            if refusal != case["refusal"]:
                accepted.append(f"{parser}, {case['class']}: {refusal}")
    expect(count > 100 and not accepted, f"{count} hostile files of predictions are refused as by inkling-kit match{': ' if accepted else ''}{'; '.join(accepted)}")


def bytes_of(case):
    if "hex" in case:
        return bytes.fromhex(case["hex"])
    parts = [case["text"]] if "text" in case else [case["repeat"]] if "repeat" in case else case["parts"]
    return "".join(part if isinstance(part, str) else part[0] * part[1] for part in parts).encode()


def nothing_to_predict(expect):
    """A table without rows is a table."""
    empty = b'{"file":"inkling-predictions/1","from":1984000,"to":1984000,"contacts":[],"rows":0}\n'
    for format, opened in (("parquet", parquet.read_table), ("arrow", lambda file: pyarrow.ipc.open_file(file).read_all())):
        sink = io.BytesIO()
        convert(io.BytesIO(empty), sink, format)
        table = opened(io.BytesIO(sink.getvalue()))
        expect(table.num_rows == 0 and table.schema.equals(SCHEMA), f"{format} without predictions has the same columns")


def check(kit, archive, folder, expect):
    folder.mkdir()
    same_rows(archive, expect)
    labels(kit, folder, expect)
    refusals(kit, folder, expect)
    hostile(expect)
    nothing_to_predict(expect)
