"""Predictions for archives: files of predictions become Parquet or Arrow, which any engine joins with its sightings.

    python3 -m inkling.archive parquet|arrow [--input FILE] [--output FILE]
    python3 -m inkling.archive sql duckdb|clickhouse|spark

The first form reads a file of predictions in the text or the binary form (Specs/matching.md), by default on standard input,
and writes the same predictions as a table to a new file that only its owner can read, or to standard output. It needs
pyarrow: pip install pyarrow. The second form prints the query that joins the tables `sightings` and `predictions`.

Nothing here needs the C library, and there are no keys.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.resources
import os
import sys
from typing import IO, Any, NoReturn

from ._predictions import Head, RefusedPredictions, read

__all__ = ["ENGINES", "FORMATS", "Head", "MissingArrow", "RefusedPredictions", "convert", "query", "read"]

FORMATS = ("parquet", "arrow")
ENGINES = ("duckdb", "clickhouse", "spark")


class MissingArrow(ImportError):
    """pyarrow, which writes Parquet and Arrow, is not installed."""

    def __init__(self) -> None:
        super().__init__("pyarrow is missing: install it with: pip install pyarrow", name="pyarrow")


def query(engine: str) -> str:
    """Returns the query of Specs/matching.md for one of ENGINES: which sightings may have been contacts."""
    if engine not in ENGINES:
        raise ValueError(f"the engine must be one of {', '.join(ENGINES)}, got {engine!r}")
    return importlib.resources.files("inkling").joinpath("sql", f"{engine}.sql").read_text(encoding="utf-8")


def convert(source: IO[bytes], sink: IO[bytes], format: str) -> Head:
    """Writes a file of predictions as a table in one of FORMATS, and returns its head.

    Raises RefusedPredictions, and MissingArrow without pyarrow; what has been written then is of no use.
    """
    if format not in FORMATS:
        raise ValueError(f"the format must be one of {', '.join(FORMATS)}, got {format!r}")
    arrow = _arrow()
    head, blocks = read(source)
    schema = arrow.schema(
        [
            arrow.field("epoch", arrow.uint32(), nullable=False),
            arrow.field("minor", arrow.uint16(), nullable=False),
            arrow.field("name", arrow.binary(16), nullable=False),
            arrow.field("contact", arrow.dictionary(arrow.int32(), arrow.string()), nullable=False),
            arrow.field("device", arrow.uint8(), nullable=False),
        ],
        metadata=head.metadata)
    labels = arrow.array(head.contacts, arrow.string())
    with _writer(arrow, sink, schema, format) as writer:
        for block in blocks:
            epochs, contacts, devices, minors, names = zip(*block)
            writer.write_batch(arrow.record_batch(
                [
                    arrow.array(epochs, arrow.uint32()), arrow.array(minors, arrow.uint16()),
                    arrow.array(names, arrow.binary(16)),
                    arrow.DictionaryArray.from_arrays(arrow.array(contacts, arrow.int32()), labels),
                    arrow.array(devices, arrow.uint8()),
                ],
                schema=schema))
    return head


def _arrow() -> Any:
    try:
        return importlib.import_module("pyarrow")
    except ModuleNotFoundError as error:
        raise MissingArrow from error


def _writer(arrow: Any, sink: IO[bytes], schema: Any, format: str) -> Any:
    if format == "arrow":
        return arrow.ipc.new_file(sink, schema)
    parquet = importlib.import_module("pyarrow.parquet")
    # Names and minors are random: a dictionary of them would only take space.
    return parquet.ParquetWriter(sink, schema, compression="zstd", use_dictionary=["epoch", "contact", "device"])


class _Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _Failed(64, message)


class _Failed(Exception):
    """A failure with one of the exit codes of the command line of Inkling."""

    def __init__(self, status: int, what: str):
        self.status = status
        super().__init__(what)


def _opened(path: str | None, mode: str) -> IO[bytes]:
    """Opens a file to read, or a new one that only its owner can read. Without a path, it is standard input or output."""
    if not path:
        return open(0 if mode == "rb" else 1, mode, closefd=False)
    try:
        if mode == "rb":
            return open(path, "rb")
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb")
    except FileExistsError:
        raise _Failed(78, f"cannot create {path}: it exists; choose another name, or delete it") from None
    except OSError as error:
        what = "read" if mode == "rb" else "create"
        raise _Failed(65 if mode == "rb" else 74, f"cannot {what} {path}: {error.strerror}") from None


def _write(format: str, input: str | None, output: str | None) -> None:
    if not output and sys.stdout.isatty():
        raise _Failed(64, f"{format} requires --output at a terminal")
    # Nothing is created when it cannot be written.
    _arrow()
    with _opened(input, "rb") as source, _opened(output, "wb") as sink:
        try:
            convert(source, sink, format)
            sink.flush()
        except BaseException:
            if output:
                os.unlink(output)
            raise


def main(words: list[str]) -> int:
    """Runs the command, and returns its exit code."""
    parser = _Arguments(
        prog="python3 -m inkling.archive", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True, metavar="parquet|arrow|sql")
    for format in FORMATS:
        writer = commands.add_parser(format, help=f"write predictions as {format.capitalize()}")
        writer.add_argument("--input", metavar="FILE", help="a file of predictions; default: standard input")
        writer.add_argument("--output", metavar="FILE", help="a new file; default: standard output")
    commands.add_parser("sql", help="print the query for an engine").add_argument("engine", choices=ENGINES)
    try:
        options = parser.parse_args(words)
        if options.command == "sql":
            sys.stdout.write(query(options.engine))
        else:
            _write(options.command, options.input, options.output)
        sys.stdout.flush()
    except _Failed as failure:
        return _say(failure.status, failure)
    except RefusedPredictions as refused:
        return _say(65, refused)
    except MissingArrow as missing:
        return _say(69, missing)
    except OSError as error:
        return _say(74, error)
    return 0


def _say(status: int, what: Exception) -> int:
    print(f"inkling.archive: {what}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
