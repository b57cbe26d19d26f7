"""Finds and opens the C library; a missing library raises an ImportError that says how to install it."""

from __future__ import annotations

import ctypes
import os
import re
from pathlib import Path

NAME = "libinkling.so.1"
# The error of the dynamic loader for a missing file.
NOT_FOUND = re.compile(r"^(\S+): cannot open shared object file: No such file or directory")


def path() -> str:
    """Returns the path of the library: INKLING_LIBRARY, or the copy in the wheel, or the name for the system's."""
    beside = Path(__file__).with_name(NAME)
    return os.environ.get("INKLING_LIBRARY") or (str(beside) if beside.exists() else NAME)


def opened(path: str) -> ctypes.CDLL:
    """Opens the library; raises ImportError if the file, or a library that it needs, is missing or cannot be loaded."""
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
