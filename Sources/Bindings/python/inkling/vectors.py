"""Verification of test vectors."""

from __future__ import annotations

from ctypes import byref, c_uint64
from dataclasses import dataclass

from ._abi import ON_DIFFERENCE, refusing


@dataclass(frozen=True)
class Difference:
    """A case whose result differs from the vector file; `expected` and `got` are JSON."""

    id: str
    comment: str
    expected: str
    got: str


def verify_vectors(file: bytes) -> tuple[int, list[Difference]]:
    """Runs every case of a vector file and returns the number of cases that agree, and the differences.

    Raises Refused if the bytes are not a vector file.
    """
    differences: list[Difference] = []
    agreed, differing = c_uint64(), c_uint64()

    def note(id: bytes, comment: bytes, expected: bytes, got: bytes, _: int | None) -> None:
        differences.append(Difference(id.decode(), comment.decode(), expected.decode(), got.decode()))

    refusing("inkling_vectors_verify", file, len(file), ON_DIFFERENCE(note), None, byref(agreed), byref(differing))
    return agreed.value, differences
