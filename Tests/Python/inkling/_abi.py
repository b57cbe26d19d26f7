"""The C library as ctypes sees it: structures, calls, handles and errors. Everything here has its words in inkling.h."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from collections.abc import Callable
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_int8, c_int32, c_size_t, c_uint8, c_uint16, c_uint32
from ctypes import c_uint64, c_void_p
from pathlib import Path

ABI = 1


class Status:
    """The statuses that Python code tells apart."""

    OK = 0
    BUFFER_TOO_SHORT = 5
    REFUSED = 11
    NOT_HELD = 12
    UNKNOWN = 13


class InklingError(Exception):
    """A call that did nothing: `status` is the number in inkling.h, and `call` the call."""

    def __init__(self, status: int, call: str):
        self.status = status
        self.call = call
        super().__init__(f"{call}: {library.inkling_status_text(status).decode()}")


class Refused(InklingError):
    """Input that must be refused: `stage` and `reason` are the codes of the tables in Specs/."""

    def __init__(self, call: str, stage: str, reason: str):
        InklingError.__init__(self, Status.REFUSED, call)
        self.stage = stage
        self.reason = reason
        self.args = (f"{call}: refused at {stage}: {reason}",)


class Sized(Structure):
    """A structure that begins with its size."""

    def __init__(self, **members):
        super().__init__(**members)
        self.size = ctypes.sizeof(self)


class Refusal(Sized):
    _fields_ = [("size", c_uint32), ("stage", c_char * 30), ("reason", c_char * 30)]


class Values(Sized):
    _fields_ = [
        ("size", c_uint32), ("minor", c_uint16), ("reserved", c_uint16), ("tag", c_uint8 * 16), ("name", c_uint8 * 16),
        ("name_text", c_char * 33), ("host_text", c_char * 33), ("reserved_bytes", c_uint8 * 2),
    ]


class IdentityKeys(Sized):
    _fields_ = [
        ("size", c_uint32), ("generation", c_uint32), ("identity", c_uint8 * 32), ("presence", c_uint8 * 32),
        ("user", c_uint8 * 16),
    ]


class CardFacts(Sized):
    _fields_ = [
        ("size", c_uint32), ("generation", c_uint32), ("serial", c_uint32), ("devices", c_uint16),
        ("reserved", c_uint16), ("identity", c_uint8 * 32), ("presence", c_uint8 * 32), ("user", c_uint8 * 16),
        ("name", c_char * 68),
    ]


class GrantFacts(Sized):
    _fields_ = [
        ("size", c_uint32), ("generation", c_uint32), ("audience", c_uint64), ("from_hour", c_uint32),
        ("to_hour", c_uint32), ("devices", c_uint16), ("reserved", c_uint16 * 3), ("issuer", c_uint8 * 32),
        ("grantee", c_uint8 * 16),
    ]


class Advertisement(Sized):
    _fields_ = [
        ("size", c_uint32), ("has_beacon", c_uint8), ("is_ours", c_uint8), ("has_overflow_bit", c_uint8),
        ("has_service", c_uint8), ("major", c_uint16), ("minor", c_uint16), ("measured_power", c_int8),
        ("reserved", c_uint8 * 3), ("proximity", c_uint8 * 16),
    ]


class Clock(Sized):
    _fields_ = [("size", c_uint32), ("rate", c_uint32), ("tick", c_uint64), ("unix_milliseconds", c_uint64)]


class Observation(Sized):
    _fields_ = [
        ("size", c_uint32), ("reserved", c_uint32), ("unix_milliseconds", c_uint64), ("uncertainty", c_uint64),
    ]


class EngineOptions(Sized):
    _fields_ = [
        ("size", c_uint32), ("skew_seconds", c_uint32), ("stale_after", c_uint64), ("depart_after", c_uint64),
        ("attempts_per_minute", c_uint32), ("attempts_at_once", c_uint32), ("decoys", c_uint32), ("reserved", c_uint32),
    ]


class ContactOptions(Sized):
    _fields_ = [
        ("size", c_uint32), ("prior", c_uint32), ("importance", c_uint32), ("reserved", c_uint32),
        ("arrive_after", c_uint64), ("depart_after", c_uint64),
    ]


class EffectStructure(Sized):
    _fields_ = [
        ("size", c_uint32), ("kind", c_uint32), ("contact", c_uint32), ("epoch", c_uint32), ("from_state", c_uint32),
        ("to_state", c_uint32), ("tick", c_uint64), ("attempt", c_uint64), ("address", c_uint64),
        ("audience", c_uint64), ("audience_kind", c_uint32), ("value_kind", c_uint32), ("minor", c_uint16),
        ("device", c_uint8), ("reserved", c_uint8 * 1), ("more", c_uint32), ("value", c_uint8 * 16),
    ]


ON_DIFFERENCE = ctypes.CFUNCTYPE(None, c_char_p, c_char_p, c_char_p, c_char_p, c_void_p)

BYTES = (c_char_p, c_size_t)
OUT_BYTES = (c_void_p, c_size_t, POINTER(c_size_t))
HANDLE_OUT = (POINTER(c_uint64),)
REFUSAL_OUT = (POINTER(Refusal),)
NOW = (POINTER(Clock),)
OBSERVED = (POINTER(Observation),)

CALLS: dict[str, tuple] = {
    "inkling_free": (c_uint64,),
    "inkling_handle_count": (POINTER(c_uint64),),
    "inkling_epoch_at": (c_uint64, POINTER(c_uint32)),
    "inkling_epoch_bounds": (c_uint32, POINTER(c_uint64), POINTER(c_uint64)),
    "inkling_tree_new": (*BYTES, *HANDLE_OUT),
    "inkling_tree_random": HANDLE_OUT,
    "inkling_tree_part": (c_uint64, c_uint32, c_uint32, *HANDLE_OUT),
    "inkling_tree_hours": (c_uint64, POINTER(c_uint32), POINTER(c_uint32)),
    "inkling_tree_forget": (c_uint64, c_uint32),
    "inkling_tree_values": (c_uint64, c_uint8, c_uint32, POINTER(Values)),
    "inkling_identity_new": (*BYTES, c_uint32, *HANDLE_OUT),
    "inkling_identity_random": HANDLE_OUT,
    "inkling_identity_public": (c_uint64, POINTER(IdentityKeys)),
    "inkling_identity_tree_of_pair": (c_uint64, *BYTES, c_uint32, *HANDLE_OUT, *REFUSAL_OUT),
    "inkling_identity_pairwise": (c_uint64, *BYTES, *HANDLE_OUT, *REFUSAL_OUT),
    "inkling_device_key_new": (*BYTES, *HANDLE_OUT),
    "inkling_device_key_random": HANDLE_OUT,
    "inkling_device_key_public": (c_uint64, *OUT_BYTES),
    "inkling_roster_new": (c_uint64, *HANDLE_OUT),
    "inkling_roster_add": (c_uint64, c_uint8, *BYTES, c_uint32, c_uint32, c_uint32, *REFUSAL_OUT),
    "inkling_seal": (c_uint64, *BYTES, *OUT_BYTES),
    "inkling_unseal": (*BYTES, *BYTES, *HANDLE_OUT, *REFUSAL_OUT),
    "inkling_card_new": (c_uint64, c_uint32, *BYTES, *HANDLE_OUT, *REFUSAL_OUT),
    "inkling_card_read": (*BYTES, c_uint32, *HANDLE_OUT, *REFUSAL_OUT),
    "inkling_card_read_text": (*BYTES, c_uint32, *HANDLE_OUT, *REFUSAL_OUT),
    "inkling_card_facts_of": (c_uint64, POINTER(CardFacts)),
    "inkling_card_bytes": (c_uint64, *OUT_BYTES),
    "inkling_card_text": (c_uint64, *OUT_BYTES),
    "inkling_grant_new": (
        c_uint64, c_uint64, c_uint32, c_uint64, c_uint32, c_uint32, *BYTES, *HANDLE_OUT, *REFUSAL_OUT,
    ),
    "inkling_grant_seal": (c_uint64, c_uint64, c_uint64, *BYTES, c_uint64, *OUT_BYTES, *REFUSAL_OUT),
    "inkling_grant_unseal": (
        *BYTES, c_uint64, *BYTES, c_uint64, *BYTES, *BYTES, c_uint32, c_uint32, *HANDLE_OUT, *REFUSAL_OUT,
    ),
    "inkling_grant_facts_of": (c_uint64, POINTER(GrantFacts)),
    "inkling_grant_tree": (c_uint64, *HANDLE_OUT),
    "inkling_advertisement_read": (*BYTES, POINTER(Advertisement), *REFUSAL_OUT),
    "inkling_advertisement_of_minor": (c_uint16, *OUT_BYTES),
    "inkling_advertisement_of_service": OUT_BYTES,
    "inkling_engine_new": (POINTER(EngineOptions), *HANDLE_OUT),
    "inkling_engine_next": (c_uint64, POINTER(EffectStructure)),
    "inkling_engine_add": (c_uint64, c_uint32, POINTER(ContactOptions), *NOW),
    "inkling_engine_remove": (c_uint64, c_uint32, *NOW),
    "inkling_engine_hold": (c_uint64, c_uint32, c_uint32, c_uint64, c_uint16, c_uint64),
    "inkling_engine_prepare": (c_uint64, c_uint32, *NOW),
    "inkling_engine_name_appeared": (c_uint64, *BYTES, *OBSERVED, *NOW),
    "inkling_engine_name_vanished": (c_uint64, *BYTES, *NOW),
    "inkling_engine_names_forgotten": (c_uint64, *NOW),
    "inkling_engine_advertisement": (c_uint64, *BYTES, c_uint64, c_int8, *OBSERVED, *NOW, *REFUSAL_OUT),
    "inkling_engine_beacon_heard": (c_uint64, c_uint16, c_uint64, c_int8, *OBSERVED, *NOW),
    "inkling_engine_tag_read": (c_uint64, *BYTES, c_uint64, *OBSERVED, *NOW),
    "inkling_engine_radio_gap": (c_uint64, c_uint64, *NOW),
    "inkling_engine_attempt_failed": (c_uint64, c_uint64, c_uint32, *NOW),
    "inkling_engine_confirmed": (c_uint64, c_uint32, c_uint8, c_uint32, *NOW),
    "inkling_engine_session_heard": (c_uint64, c_uint32, c_uint8, *NOW),
    "inkling_engine_session_ended": (c_uint64, c_uint32, c_uint8, *NOW),
    "inkling_engine_timer_fired": (c_uint64, *NOW),
    "inkling_engine_state": (c_uint64, c_uint32, *NOW, POINTER(c_uint32), POINTER(c_uint64)),
    "inkling_vectors_verify": (
        *BYTES, ON_DIFFERENCE, c_void_p, POINTER(c_uint64), POINTER(c_uint64), *REFUSAL_OUT,
    ),
}


def _loaded() -> ctypes.CDLL:
    """The library named by INKLING_LIBRARY, or the one in the wheel, or the one that is installed."""
    beside = Path(__file__).with_name("libinkling.so.1")
    path = os.environ.get("INKLING_LIBRARY") or (str(beside) if beside.exists() else "libinkling.so.1")
    loaded = ctypes.CDLL(path)
    loaded.inkling_abi_version.restype = c_uint32
    loaded.inkling_abi_version.argtypes = ()
    found = loaded.inkling_abi_version() >> 16
    if found != ABI:
        raise ImportError(f"{path} has interface {found}; this package needs {ABI}")
    loaded.inkling_status_text.restype = c_char_p
    loaded.inkling_status_text.argtypes = (c_int32,)
    for name, types in CALLS.items():
        function = getattr(loaded, name)
        function.restype = c_int32
        function.argtypes = types
    return loaded


library = _loaded()


def call(name: str, *arguments) -> None:
    """Makes a call; raises InklingError unless it is done."""
    status = getattr(library, name)(*arguments)
    if status != Status.OK:
        raise InklingError(status, name)


def refusing(name: str, *arguments) -> None:
    """Makes a call that ends with a refusal; raises Refused when the library refuses."""
    refusal = Refusal()
    status = getattr(library, name)(*arguments, byref(refusal))
    if status == Status.REFUSED:
        raise Refused(name, refusal.stage.decode(), refusal.reason.decode())
    if status != Status.OK:
        raise InklingError(status, name)


def bytes_of(make: Callable) -> bytes:
    """The bytes that a call writes: `make` gets buffer, capacity and needed length, and is asked twice."""
    needed = c_size_t()
    try:
        make(None, 0, byref(needed))
    except InklingError as error:
        if error.status != Status.BUFFER_TOO_SHORT:
            raise
    buffer = ctypes.create_string_buffer(max(needed.value, 1))
    make(buffer, needed.value, byref(needed))
    return buffer.raw[: needed.value]


class Object:
    """An object of the library; freed with the last reference to it, or by `close`, or at the end of `with`."""

    _handle = 0

    def __init__(self, make: Callable):
        handle = c_uint64()
        make(byref(handle))
        self._handle = handle.value

    @classmethod
    def _made(cls, make: Callable):
        made = cls.__new__(cls)
        Object.__init__(made, make)
        return made

    def close(self) -> None:
        """Frees the object and wipes its secrets; it cannot be used afterwards."""
        handle, self._handle = self._handle, 0
        if handle:
            library.inkling_free(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __del__(self):
        self.close()


def open_handles() -> int:
    """How many objects of the library there are, for tests."""
    count = c_uint64()
    call("inkling_handle_count", byref(count))
    return count.value
