"""Reads files of predictions, in the text and the binary form (Specs/matching.md), without the C library."""

from __future__ import annotations

import json
import re
import struct
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, TypeGuard

VERSION = "inkling-predictions/1"
# The bounds of Specs/matching.md.
EPOCH_SECONDS, EPOCH_COUNT, EPOCHS = 900, 1 << 22, 672
CONTACTS, LABEL_BYTES, ROWS, DEVICES = 10_000, 128, 1 << 24, 16
HEADER_BYTES, LINE_BYTES = 2 << 20, 1024

_MARK = b"inklpred"
_HEAD = struct.Struct(">8sBBHIIQI")
_ROW = struct.Struct(">HHBH16s")
# Printable ASCII without escapes, and without the sign of -0.
_LINE = re.compile(rb"[ -,.-\[\]-~]*")
_NAME = re.compile(r"[0-9a-f]{32}")
# Rows that are read, and written, at once: a group of Parquet.
_BLOCK = 65_536

# An epoch, the index of a contact, a device, a minor and a name.
Row = tuple[int, int, int, int, bytes]


class RefusedPredictions(ValueError):
    """A file of predictions that must be refused; `stage` and `reason` are those of the table in Specs/matching.md."""

    def __init__(self, stage: str, reason: str):
        self.stage = stage
        self.reason = reason
        super().__init__(f"refused at {stage}: {reason}")


@dataclass(frozen=True)
class Head:
    """What a file of predictions says of itself: its first and last epoch, the labels of its contacts, and its rows."""

    first: int
    last: int
    contacts: tuple[str, ...]
    rows: int

    @property
    def expiry(self) -> int:
        """The end of the last epoch in Unix seconds: nothing in the file is shown for the first time after it."""
        return EPOCH_SECONDS * (self.last + 1)

    @property
    def metadata(self) -> dict[str, str]:
        """What a table says of itself (INK-MAT-006)."""
        return {
            "inkling.schema": VERSION,
            "inkling.from": str(self.first),
            "inkling.to": str(self.last),
            "inkling.expiry": str(self.expiry),
            "inkling.contents": "values alone, and no keys",
        }


def read(source: IO[bytes]) -> tuple[Head, Iterator[list[Row]]]:
    """Reads a file of predictions, in either form: its head, and its rows in blocks.

    Raises RefusedPredictions here if the head must be refused, and in the course of the rows if one of them must be.
    """
    input = _Input(source)
    begun = input.take(len(_MARK))
    if begun == _MARK:
        head = _binary_head(input)
        return head, _checked(head, _binary_rows(input, head))
    input.put_back(begun)
    head = _text_head(input.line(HEADER_BYTES))
    return head, _checked(head, _text_rows(input, head))


class _Input:
    """A stream from which what was taken can be put back."""

    def __init__(self, source: IO[bytes]):
        self._source = source
        self._waiting = b""

    def put_back(self, data: bytes) -> None:
        self._waiting = data + self._waiting

    def take(self, count: int) -> bytes:
        """Returns this many bytes, or fewer at the end."""
        data, self._waiting = self._waiting[:count], self._waiting[count:]
        while len(data) < count:
            more = self._source.read(count - len(data))
            if not more:
                break
            data += more
        return data

    def line(self, limit: int) -> bytes | None:
        """Returns the next line without its line feed; None at the end, and a longer line cut off after one byte more."""
        data = self._waiting
        if b"\n" not in data:
            data += self._source.readline(limit + 2 - len(data))
        data, feed, rest = data.partition(b"\n")
        self._waiting = rest
        return data if data or feed else None


def _binary_head(input: _Input) -> Head:
    data = _MARK + input.take(_HEAD.size - len(_MARK))
    if len(data) < _HEAD.size:
        raise RefusedPredictions("end", "truncated")
    _, version, contents, contacts, first, last, expiry, rows = _HEAD.unpack(data)
    if version != 1:
        raise RefusedPredictions("header", "unknown-version")
    if contents != 0 or first >= EPOCH_COUNT or last >= EPOCH_COUNT or expiry != EPOCH_SECONDS * (last + 1):
        raise RefusedPredictions("header", "malformed")
    _check_bounds(first, last, contacts, rows)
    labels = []
    for _ in range(contacts):
        count = input.take(1)
        if count and not 1 <= count[0] <= LABEL_BYTES:
            raise RefusedPredictions("header", "bad-contacts")
        label = input.take(count[0]) if count else b""
        if not count or len(label) < count[0]:
            raise RefusedPredictions("end", "truncated")
        try:
            labels.append(label.decode())
        except UnicodeDecodeError:
            raise RefusedPredictions("header", "bad-contacts") from None
    return Head(first, last, _distinct(labels), rows)


def _binary_rows(input: _Input, head: Head) -> Iterator[list[Row]]:
    left = head.rows
    while left:
        data = input.take(_ROW.size * min(left, _BLOCK))
        whole = len(data) // _ROW.size
        yield [
            (head.first + step, contact, device, minor, name)
            for step, contact, device, minor, name in _ROW.iter_unpack(data[: whole * _ROW.size])]
        if whole < min(left, _BLOCK):
            raise RefusedPredictions("end", "truncated")
        left -= whole
    if input.take(1):
        raise RefusedPredictions("row", "surplus")


def _text_head(line: bytes | None) -> Head:
    try:
        facts = _object(line or b"") if line is None or len(line) <= HEADER_BYTES else {}
    except (ValueError, RecursionError):
        facts = {}
    if not isinstance(facts.get("file"), str):
        raise RefusedPredictions("header", "missing")
    if facts["file"] != VERSION:
        raise RefusedPredictions("header", "unknown-version")
    first, last, labels, rows = (facts.get(name) for name in ("from", "to", "contacts", "rows"))
    if (
        len(facts) != 5 or not _is_number(first, EPOCH_COUNT) or not _is_number(last, EPOCH_COUNT)
        or type(rows) is not int or abs(rows) >= 1 << 63
        or not isinstance(labels, list) or not all(isinstance(label, str) for label in labels)
    ):
        raise RefusedPredictions("header", "malformed")
    _check_bounds(first, last, len(labels), rows)
    try:
        sizes = [len(label.encode()) for label in labels]
    except UnicodeEncodeError:
        sizes = [0]
    if not all(1 <= size <= LABEL_BYTES for size in sizes):
        raise RefusedPredictions("header", "bad-contacts")
    return Head(first, last, _distinct(labels), rows)


def _text_rows(input: _Input, head: Head) -> Iterator[list[Row]]:
    left = head.rows
    while left:
        block: list[Row] = []
        while left and len(block) < _BLOCK:
            line = input.line(LINE_BYTES)
            if line is None:
                yield block
                raise RefusedPredictions("end", "truncated")
            try:
                block.append(_text_row(line))
            except RefusedPredictions:
                # A fault in a line before this one is said first.
                yield block
                raise
            left -= 1
        yield block
    if input.take(1):
        raise RefusedPredictions("row", "surplus")


def _text_row(line: bytes) -> Row:
    try:
        facts = _object(line) if len(line) <= LINE_BYTES and _LINE.fullmatch(line) else {}
    except (ValueError, RecursionError):
        facts = {}
    epoch, contact, device, minor, name = (facts.get(key) for key in ("epoch", "contact", "device", "minor", "name"))
    if (
        len(facts) != 5 or not _is_number(epoch, EPOCH_COUNT) or not _is_number(contact, 1 << 32)
        or not _is_number(device, DEVICES) or not _is_number(minor, 1 << 16)
        or not isinstance(name, str) or not _NAME.fullmatch(name)
    ):
        raise RefusedPredictions("row", "malformed")
    return epoch, contact, device, minor, bytes.fromhex(name)


def _checked(head: Head, blocks: Iterator[list[Row]]) -> Iterator[list[Row]]:
    """Passes on rows that may stand in this file, and nothing of a block with another."""
    previous = head.first
    for block in blocks:
        for epoch, contact, device, _, _ in block:
            if device >= DEVICES:
                raise RefusedPredictions("row", "malformed")
            if not head.first <= epoch <= head.last:
                raise RefusedPredictions("row", "outside-epochs")
            if epoch < previous:
                raise RefusedPredictions("row", "not-ascending")
            if contact >= len(head.contacts):
                raise RefusedPredictions("row", "unknown-contact")
            previous = epoch
        if block:
            yield block


def _check_bounds(first: int, last: int, contacts: int, rows: int) -> None:
    if not first <= last < first + EPOCHS:
        raise RefusedPredictions("header", "bad-epochs")
    if contacts > CONTACTS:
        raise RefusedPredictions("header", "bad-contacts")
    if not 0 <= rows <= ROWS:
        raise RefusedPredictions("header", "too-many-rows")


def _distinct(labels: list[str]) -> tuple[str, ...]:
    # One label is the other if both are written with the same characters, however these are composed.
    if len({unicodedata.normalize("NFC", label) for label in labels}) < len(labels):
        raise RefusedPredictions("header", "bad-contacts")
    return tuple(labels)


def _is_number(value: object, limit: int) -> TypeGuard[int]:
    return type(value) is int and 0 <= value < limit


def _object(line: bytes) -> dict[str, Any]:
    """Parses one JSON object without repeated names. Raises ValueError for anything else."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a repeated name")
        return dict(pairs)

    def constant(text: str) -> None:
        raise ValueError("not JSON")

    value = json.loads(line.decode(), object_pairs_hook=members, parse_constant=constant)
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value
