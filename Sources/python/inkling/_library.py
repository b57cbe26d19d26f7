"""Finds and opens the C library; what is missing ends in an ImportError that says how to install it."""

from __future__ import annotations

import ctypes
import os
import re
from pathlib import Path

NAME = "libinkling.so.1"
# What the dynamic loader says of a file that it cannot find.
NOT_FOUND = re.compile(r"^(\S+): cannot open shared object file: No such file or directory")


def path() -> str:
    """The library that INKLING_LIBRARY names, or the one in the wheel, or the one that the system has."""
    beside = Path(__file__).with_name(NAME)
    return os.environ.get("INKLING_LIBRARY") or (str(beside) if beside.exists() else NAME)


def opened(path: str) -> ctypes.CDLL:
    """Opens the library; throws ImportError if it, or a library that it needs, is missing or is not one."""
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(_explained(path, str(error)), name="inkling", path=path) from error


def _explained(path: str, reason: str) -> str:
    found = NOT_FOUND.match(reason)
    missing = found[1] if found else None
    if missing == path:
        return f"{path} is missing: install a wheel that has it, or the C library, or name it in INKLING_LIBRARY"
    if missing and (sodium := re.fullmatch(r"libsodium\.so\.(\d+)", missing)):
        return f"{missing} is missing: install libsodium{sodium[1]} (Debian, Ubuntu) or libsodium (Fedora, Arch)"
    if missing:
        return f"{missing} is missing, and {path} needs it"
    return f"cannot load {path}: {reason}"
