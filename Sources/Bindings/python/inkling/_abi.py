"""The ctypes declarations of the C library: structures, functions, handles and errors. inkling.h documents them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_int8, c_int32, c_size_t, c_uint8, c_uint16, c_uint32
from ctypes import c_uint64, c_void_p
from typing import Any, TypeVar

from . import _library

ABI = 1


class Status:
    """The statuses that this package handles; inkling.h has all of them."""

    OK = 0
    BUFFER_TOO_SHORT = 5
    REFUSED = 11
    NOT_HELD = 12
    UNKNOWN = 13


class InklingError(Exception):
    """A failed call: `status` is the inkling_status, `call` the name of the function. It changed nothing, except as
    inkling.h says."""

    def __init__(self, status: int, call: str):
        self.status = status
        self.call = call
        super().__init__(f"{call}: {library.inkling_status_text(status).decode()}")


class Refused(InklingError):
    """Input that must be refused; `stage` and `reason` are those of the refusal tables in Specs/."""

    def __init__(self, call: str, stage: str, reason: str):
        InklingError.__init__(self, Status.REFUSED, call)
        self.stage = stage
        self.reason = reason
        self.args = (f"{call}: refused at {stage}: {reason}",)


class Sized(Structure):
    """A structure whose first member is its size."""

    def __init__(self, **members: Any):
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
        ("size", c_uint32), ("generation", c_uint32), ("audience_id", c_uint64), ("from_period", c_uint32),
        ("to_period", c_uint32), ("devices", c_uint16), ("reserved", c_uint16 * 3), ("issuer", c_uint8 * 32),
        ("grantee", c_uint8 * 16),
    ]


class Device(Sized):
    _fields_ = [
        ("size", c_uint32), ("from_period", c_uint32), ("to_period", c_uint32), ("device", c_uint8),
        ("is_primary", c_uint8), ("reserved", c_uint8 * 2), ("key", c_uint8 * 32),
    ]


class InvitationFacts(Sized):
    _fields_ = [
        ("size", c_uint32), ("transports", c_uint16), ("reserved", c_uint16), ("expiry_minute", c_uint32),
        ("commitment", c_uint8 * 16),
    ]


class Advertisement(Sized):
    _fields_ = [
        ("size", c_uint32), ("has_beacon", c_uint8), ("is_ours", c_uint8), ("has_overflow_bit", c_uint8),
        ("has_service", c_uint8), ("major", c_uint16), ("minor", c_uint16), ("measured_power", c_int8),
        ("reserved", c_uint8 * 3), ("proximity", c_uint8 * 16),
    ]


class Clock(Sized):
    _fields_ = [("size", c_uint32), ("rate", c_uint32), ("tick", c_uint64), ("unix_milliseconds", c_uint64)]


class ObservedTime(Sized):
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
        ("audience_id", c_uint64), ("audience_kind", c_uint32), ("value_kind", c_uint32), ("minor", c_uint16),
        ("device", c_uint8), ("reserved", c_uint8 * 1), ("more", c_uint32), ("value", c_uint8 * 16),
    ]


class TurnStructure(Sized):
    _fields_ = [
        ("size", c_uint32), ("kind", c_uint32), ("epoch", c_uint32), ("period", c_uint32), ("tick", c_uint64),
        ("goodbye", c_uint32), ("reserved", c_uint32),
    ]


class Introduction(Sized):
    _fields_ = [
        ("size", c_uint32), ("generation", c_uint32), ("unix_milliseconds", c_uint64), ("transports", c_uint16),
        ("reserved", c_uint16 * 3),
    ]


class ReplayEntry(Structure):
    _fields_ = [("epoch", c_uint32), ("ephemeral", c_uint8 * 32)]


class RequestFacts(Sized):
    _fields_ = [
        ("size", c_uint32), ("transport", c_uint32), ("introduction", Introduction), ("entry", ReplayEntry),
        ("peer_key", c_uint8 * 32), ("device", c_uint8), ("reserved", c_uint8 * 3),
    ]


class SessionFacts(Sized):
    _fields_ = [
        ("size", c_uint32), ("role", c_uint32), ("introduction", Introduction), ("is_confirmed", c_uint8),
        ("is_ended", c_uint8), ("has_hello", c_uint8), ("use", c_uint8), ("own_serial", c_uint32),
        ("peer_serial", c_uint32), ("peer_key", c_uint8 * 32), ("reserved_too", c_uint32),
    ]


class GrantReport(Sized):
    _fields_ = [
        ("size", c_uint32), ("generation", c_uint32), ("audience_id", c_uint64), ("to_period", c_uint32),
        ("reserved", c_uint32),
    ]


class MessageStructure(Sized):
    _fields_ = [
        ("size", c_uint32), ("has_text", c_uint32), ("number", c_uint64), ("written_at", c_uint64), ("id", c_uint8 * 16),
    ]


class ReceiptStructure(Sized):
    _fields_ = [
        ("size", c_uint32), ("room", c_uint32), ("stream", c_uint64), ("number", c_uint64), ("id", c_uint8 * 16),
    ]


class StoredSync(Sized):
    _fields_ = [
        ("size", c_uint32), ("reserved", c_uint32), ("base", c_uint64), ("next", c_uint64), ("queue_size", c_uint64),
        ("last_stream", c_uint64), ("last_number", c_uint64), ("last_id", c_uint8 * 16), ("arrivals", c_uint64),
        ("taken", c_uint64), ("inbox_size", c_uint64),
    ]


class SyncEffectStructure(Sized):
    _fields_ = [
        ("size", c_uint32), ("kind", c_uint32), ("session", c_uint64), ("number", c_uint64), ("last", c_uint64),
        ("arrival", c_uint64), ("stream", c_uint64), ("written_at", c_uint64), ("skipped", c_uint64), ("tick", c_uint64),
        ("id", c_uint8 * 16), ("record_type", c_uint8), ("has_text", c_uint8), ("reserved", c_uint8 * 6),
        ("reason", c_char * 32),
    ]


class App(Structure):
    _fields_ = [
        ("major", c_uint16), ("minor", c_uint16), ("patch", c_uint16), ("family", c_uint8), ("state", c_uint8),
        ("traits", c_uint32), ("met", c_uint32),
    ]


class Profile(Sized):
    _fields_ = [
        ("size", c_uint32), ("promise", c_uint32), ("best", c_uint64), ("worst", c_uint64), ("fact_count", c_uint32),
        ("reserved", c_uint32),
    ]


class Situation(Sized):
    _fields_ = [
        ("size", c_uint32), ("relation", c_uint8), ("purpose", c_uint8), ("has_peer", c_uint8),
        ("has_deadline", c_uint8), ("is_heard", c_uint8), ("is_on_same_network", c_uint8), ("is_paired", c_uint8),
        ("reserved", c_uint8), ("linked", c_uint32), ("own", App), ("peer", App), ("payload", c_uint64),
        ("deadline", c_uint64), ("own_transports", c_uint32), ("peer_transports", c_uint32),
    ]


class PlanStep(Sized):
    _fields_ = [
        ("size", c_uint32), ("transport", c_uint32), ("direction", c_uint32), ("fact_count", c_uint32),
        ("begins", c_uint64), ("completes", c_uint64), ("energy", c_uint64), ("exposure", c_uint64),
        ("cost", c_uint64), ("lasts", c_uint64), ("next_transport", c_uint32), ("next_direction", c_uint32),
    ]


class PlanRefusal(Sized):
    _fields_ = [
        ("size", c_uint32), ("transport", c_uint32), ("number", c_uint32), ("fact_count", c_uint32),
        ("reason", c_char * 32),
    ]


STRUCTURES: dict[str, type[Structure]] = {
    "inkling_refusal": Refusal, "inkling_values": Values, "inkling_identity_keys": IdentityKeys,
    "inkling_card_facts": CardFacts, "inkling_device": Device, "inkling_invitation_facts": InvitationFacts,
    "inkling_grant_facts": GrantFacts, "inkling_advertisement": Advertisement, "inkling_clock": Clock,
    "inkling_observed_time": ObservedTime, "inkling_engine_options": EngineOptions,
    "inkling_contact_options": ContactOptions, "inkling_effect": EffectStructure,
    "inkling_turn": TurnStructure, "inkling_introduction": Introduction, "inkling_replay_entry": ReplayEntry, "inkling_request_facts": RequestFacts,
    "inkling_session_facts": SessionFacts, "inkling_grant_report": GrantReport, "inkling_app": App,
    "inkling_message": MessageStructure, "inkling_receipt": ReceiptStructure, "inkling_sync_stored": StoredSync,
    "inkling_sync_effect": SyncEffectStructure,
    "inkling_profile": Profile, "inkling_situation": Situation, "inkling_plan_step": PlanStep,
    "inkling_plan_refusal": PlanRefusal,
}

ON_DIFFERENCE = ctypes.CFUNCTYPE(None, c_char_p, c_char_p, c_char_p, c_char_p, c_void_p)
FILL = ctypes.CFUNCTYPE(None, POINTER(c_uint8), c_size_t, c_void_p)
PAIRWISE_OF = ctypes.CFUNCTYPE(c_uint64, POINTER(c_uint8), c_void_p)

BYTES = (c_char_p, c_size_t)
OUT_BYTES = (c_void_p, c_size_t, POINTER(c_size_t))
HANDLE_OUT = (POINTER(c_uint64),)
REFUSAL_OUT = (POINTER(Refusal),)
NOW = (POINTER(Clock),)
OBSERVED = (POINTER(ObservedTime),)

CALLS: dict[str, tuple[Any, ...]] = {
    "inkling_free": (c_uint64,),
    "inkling_handle_count": (POINTER(c_uint64),),
    "inkling_use_randomness": (FILL, c_void_p),
    "inkling_epoch_at": (c_uint64, POINTER(c_uint32)),
    "inkling_epoch_bounds": (c_uint32, POINTER(c_uint64), POINTER(c_uint64)),
    "inkling_epoch_on_air": (c_uint32, c_uint32, POINTER(c_uint32)),
    "inkling_epochs_observed": (c_uint64, c_uint64, POINTER(c_uint32), POINTER(c_size_t)),
    "inkling_tree_new": (*BYTES, *HANDLE_OUT),
    "inkling_tree_random": HANDLE_OUT,
    "inkling_tree_of_pair": (*BYTES, *BYTES, c_uint32, *HANDLE_OUT, *REFUSAL_OUT),
    "inkling_tree_part": (c_uint64, c_uint32, c_uint32, *HANDLE_OUT),
    "inkling_tree_periods": (c_uint64, POINTER(c_uint32), POINTER(c_uint32)),
    "inkling_tree_forget": (c_uint64, c_uint32),
    "inkling_tree_values": (c_uint64, c_uint8, c_uint32, POINTER(Values)),
    "inkling_period_key_of_tree": (c_uint64, c_uint32, *HANDLE_OUT),
    "inkling_period_key_new": (*BYTES, c_uint32, *HANDLE_OUT),
    "inkling_period_key_values": (c_uint64, c_uint8, c_uint32, POINTER(Values)),
    "inkling_identity_new": (*BYTES, c_uint32, *HANDLE_OUT),
    "inkling_identity_random": HANDLE_OUT,
    "inkling_identity_public": (c_uint64, POINTER(IdentityKeys)),
    "inkling_identity_tree_of_pair": (c_uint64, *BYTES, c_uint32, *HANDLE_OUT, *REFUSAL_OUT),
    "inkling_identity_pairwise": (c_uint64, *BYTES, *HANDLE_OUT, *REFUSAL_OUT),
    "inkling_secret_new": (*BYTES, *HANDLE_OUT),
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
    "inkling_card_device": (c_uint64, c_uint8, POINTER(Device)),
    "inkling_card_bytes": (c_uint64, *OUT_BYTES),
    "inkling_card_text": (c_uint64, *OUT_BYTES),
    "inkling_invitation_new": (c_uint64, c_uint16, c_uint32, c_uint64, *HANDLE_OUT),
    "inkling_invitation_read_text": (*BYTES, c_uint64, *HANDLE_OUT, *REFUSAL_OUT),
    "inkling_invitation_facts_of": (c_uint64, POINTER(InvitationFacts)),
    "inkling_invitation_text": (c_uint64, *OUT_BYTES),
    "inkling_invitation_tree": (c_uint64, *HANDLE_OUT),
    "inkling_grant_new": (
        c_uint64, c_uint64, c_uint32, c_uint64, c_uint32, c_uint32, *BYTES, *HANDLE_OUT, *REFUSAL_OUT,
    ),
    "inkling_grant_read": (*BYTES, *BYTES, *BYTES, c_uint32, c_uint32, *HANDLE_OUT, *REFUSAL_OUT),
    "inkling_grant_seal": (c_uint64, c_uint64, c_uint64, *BYTES, c_uint64, *OUT_BYTES, *REFUSAL_OUT),
    "inkling_grant_unseal": (
        *BYTES, c_uint64, *BYTES, c_uint64, *BYTES, *BYTES, c_uint32, c_uint32, *HANDLE_OUT, *REFUSAL_OUT,
    ),
    "inkling_grant_facts_of": (c_uint64, POINTER(GrantFacts)),
    "inkling_grant_device": (c_uint64, c_uint8, POINTER(Device)),
    "inkling_grant_tree": (c_uint64, *HANDLE_OUT),
    "inkling_uuid": (c_uint32, *OUT_BYTES),
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
    "inkling_engine_reading_failed": (c_uint64, c_uint64, *NOW),
    "inkling_engine_radio_gap": (c_uint64, c_uint64, *NOW),
    "inkling_engine_radio_crowded": (c_uint64, *NOW),
    "inkling_engine_attempt_failed": (c_uint64, c_uint64, c_uint32, *NOW),
    "inkling_engine_attempt_confirmed": (c_uint64, c_uint64, *NOW),
    "inkling_engine_confirmed": (c_uint64, c_uint32, c_uint8, c_uint32, *NOW),
    "inkling_engine_links_closed": (c_uint64, c_uint32, *NOW),
    "inkling_engine_session_heard": (c_uint64, c_uint32, c_uint8, *NOW),
    "inkling_engine_session_ended": (c_uint64, c_uint32, c_uint8, *NOW),
    "inkling_engine_timer_fired": (c_uint64, *NOW),
    "inkling_engine_state": (c_uint64, c_uint32, *NOW, POINTER(c_uint32), POINTER(c_uint64)),
    "inkling_rotation_new": (POINTER(c_uint32), c_uint32, *HANDLE_OUT),
    "inkling_rotation_take": (c_uint64, c_uint32, *NOW),
    "inkling_rotation_next": (c_uint64, POINTER(TurnStructure)),
    "inkling_rotation_shown": (c_uint64, POINTER(c_uint32)),
    "inkling_context_new": (c_uint64, c_uint8, c_uint32, c_uint32, *HANDLE_OUT),
    "inkling_call_new": (c_uint64, c_uint64, *BYTES, POINTER(Introduction), *HANDLE_OUT, *REFUSAL_OUT),
    "inkling_call_packet": (c_uint64, *OUT_BYTES),
    "inkling_call_receive": (c_uint64, *BYTES, c_uint64, *HANDLE_OUT, *REFUSAL_OUT),
    "inkling_responder_new": (POINTER(ReplayEntry), c_size_t, *HANDLE_OUT),
    "inkling_responder_forget": (c_uint64, c_uint32),
    "inkling_responder_receive": (
        c_uint64, *BYTES, POINTER(c_uint64), c_size_t, c_uint64, c_uint64, PAIRWISE_OF, c_void_p, *HANDLE_OUT,
        *REFUSAL_OUT,
    ),
    "inkling_request_facts_of": (c_uint64, POINTER(RequestFacts)),
    "inkling_request_reply": (c_uint64, POINTER(Introduction), *HANDLE_OUT, *REFUSAL_OUT),
    "inkling_inviter_new": (c_uint64, c_uint32, c_uint64, *BYTES, *HANDLE_OUT),
    "inkling_inviter_is_open": (c_uint64, c_uint64, POINTER(c_uint32)),
    "inkling_inviter_receive": (
        c_uint64, *BYTES, c_uint32, c_uint64, c_uint64, c_uint64, c_uint64, *HANDLE_OUT, *REFUSAL_OUT,
    ),
    "inkling_inviter_attempts": (c_uint64, *OUT_BYTES),
    "inkling_pending_joiner_packet": (c_uint64, *OUT_BYTES),
    "inkling_inviter_complete": (c_uint64, c_uint64, *BYTES, c_uint64, *HANDLE_OUT, *REFUSAL_OUT),
    "inkling_joiner_new": (c_uint64, c_uint32, c_uint64, c_uint32, c_uint64, *HANDLE_OUT, *REFUSAL_OUT),
    "inkling_joiner_packet": (c_uint64, *OUT_BYTES),
    "inkling_joiner_receive": (c_uint64, *BYTES, c_uint64, *HANDLE_OUT, *REFUSAL_OUT),
    "inkling_link_bytes": (*BYTES, c_uint32, c_uint32, *OUT_BYTES, *REFUSAL_OUT),
    "inkling_link_new": (c_uint32, c_uint32, *HANDLE_OUT),
    "inkling_link_trust": (c_uint64,),
    "inkling_link_take": (c_uint64, *BYTES, c_uint64, *REFUSAL_OUT),
    "inkling_link_next": (c_uint64, *OUT_BYTES, *REFUSAL_OUT),
    "inkling_link_deadline": (c_uint64, POINTER(c_uint64)),
    "inkling_session_facts_of": (c_uint64, POINTER(SessionFacts)),
    "inkling_session_packet": (c_uint64, *OUT_BYTES),
    "inkling_session_card": (c_uint64, *HANDLE_OUT),
    "inkling_session_fingerprint": (c_uint64, *OUT_BYTES),
    "inkling_session_pairwise": (c_uint64, *HANDLE_OUT),
    "inkling_session_grant_report": (c_uint64, c_size_t, POINTER(GrantReport)),
    "inkling_session_hello": (
        c_uint64, c_uint32, c_uint32, POINTER(c_uint64), c_size_t, *OUT_BYTES, *REFUSAL_OUT,
    ),
    "inkling_session_seal": (c_uint64, c_uint8, *BYTES, *OUT_BYTES, *REFUSAL_OUT),
    "inkling_session_seal_grant": (c_uint64, c_uint64, c_uint64, *OUT_BYTES, *REFUSAL_OUT),
    "inkling_session_receive": (c_uint64, *BYTES, POINTER(c_uint8), *REFUSAL_OUT),
    "inkling_session_body": (c_uint64, *OUT_BYTES),
    "inkling_session_grant": (c_uint64, *BYTES, *BYTES, c_uint32, c_uint32, *HANDLE_OUT, *REFUSAL_OUT),
    "inkling_session_end": (c_uint64,),
    "inkling_session_later_stays": (c_uint32, c_uint32, c_uint64, *BYTES, *BYTES, POINTER(c_uint32)),
    "inkling_message_body": (POINTER(MessageStructure), *BYTES, *OUT_BYTES, *REFUSAL_OUT),
    "inkling_message_read": (*BYTES, POINTER(MessageStructure), *OUT_BYTES, *REFUSAL_OUT),
    "inkling_receipt_body": (POINTER(ReceiptStructure), *OUT_BYTES, *REFUSAL_OUT),
    "inkling_receipt_read": (*BYTES, POINTER(ReceiptStructure), *REFUSAL_OUT),
    "inkling_stream_body": (c_uint64, c_uint64, *OUT_BYTES, *REFUSAL_OUT),
    "inkling_stream_read": (*BYTES, POINTER(c_uint64), POINTER(c_uint64), *REFUSAL_OUT),
    "inkling_sync_new": (POINTER(StoredSync), *HANDLE_OUT),
    "inkling_sync_take": (c_uint64, c_uint32, c_uint64, c_uint64, *NOW),
    "inkling_sync_receive": (c_uint64, c_uint64, c_uint8, *BYTES, *NOW, *REFUSAL_OUT),
    "inkling_sync_load": (c_uint64, POINTER(MessageStructure), *BYTES, *REFUSAL_OUT),
    "inkling_sync_next": (c_uint64, POINTER(SyncEffectStructure)),
    "inkling_sync_content": (c_uint64, *OUT_BYTES),
    "inkling_profile_of": (POINTER(App), c_uint32, POINTER(Profile)),
    "inkling_profile_fact": (POINTER(App), c_uint32, c_size_t, *OUT_BYTES),
    "inkling_memory_new": HANDLE_OUT,
    "inkling_memory_failed": (c_uint64, c_uint32, c_uint64),
    "inkling_memory_worked": (c_uint64, c_uint32, c_uint64, c_uint64),
    "inkling_plan_new": (POINTER(Situation), c_uint64, c_uint64, *HANDLE_OUT),
    "inkling_plan_step_at": (c_uint64, c_size_t, POINTER(PlanStep)),
    "inkling_plan_refusal_at": (c_uint64, c_size_t, POINTER(PlanRefusal)),
    "inkling_plan_wait": (c_uint64, POINTER(PlanRefusal)),
    "inkling_plan_step_fact": (c_uint64, c_size_t, c_size_t, *OUT_BYTES),
    "inkling_plan_refusal_fact": (c_uint64, c_size_t, c_size_t, *OUT_BYTES),
    "inkling_vectors_verify": (
        *BYTES, ON_DIFFERENCE, c_void_p, POINTER(c_uint64), POINTER(c_uint64), *REFUSAL_OUT,
    ),
}


def _loaded() -> ctypes.CDLL:
    """Loads the library and declares its functions; raises ImportError if it is missing or has another interface."""
    path = _library.path()
    loaded = _library.opened(path)
    loaded.inkling_abi_version.restype = c_uint32
    loaded.inkling_abi_version.argtypes = ()
    found = loaded.inkling_abi_version() >> 16
    if found != ABI:
        raise ImportError(f"{path} has interface version {found}, not {ABI}", name="inkling", path=path)
    loaded.inkling_status_text.restype = c_char_p
    loaded.inkling_status_text.argtypes = (c_int32,)
    for name, types in CALLS.items():
        try:
            function = getattr(loaded, name)
        except AttributeError as error:
            raise ImportError(f"{path} has no {name}: install a newer version", name="inkling", path=path) from error
        function.restype = c_int32
        function.argtypes = types
    return loaded


library = _loaded()


def call(name: str, *arguments: Any) -> None:
    """Calls a function; raises InklingError unless it succeeds."""
    status = getattr(library, name)(*arguments)
    if status != Status.OK:
        raise InklingError(status, name)


def refusing(name: str, *arguments: Any) -> None:
    """Calls a function whose last parameter is a refusal; raises Refused if the input is refused."""
    refusal = Refusal()
    status = getattr(library, name)(*arguments, byref(refusal))
    if status == Status.REFUSED:
        raise Refused(name, refusal.stage.decode(), refusal.reason.decode())
    if status != Status.OK:
        raise InklingError(status, name)


def bytes_of(make: Callable[..., None]) -> bytes:
    """Returns the bytes that a function writes: `make` is called with a buffer, its capacity and a place for the needed
    length, first to get the length and then to get the bytes."""
    needed = c_size_t()
    try:
        make(None, 0, byref(needed))
        if needed.value == 0:
            return b""
    except InklingError as error:
        if error.status != Status.BUFFER_TOO_SHORT:
            raise
    buffer = ctypes.create_string_buffer(needed.value)
    make(buffer, needed.value, byref(needed))
    return buffer.raw[: needed.value]


def array_of(kind: Any, values: Iterable[Any]) -> Any:
    """Creates an array of a C type, which may be empty."""
    listed = list(values)
    return (kind * len(listed))(*listed)


class Object:
    """An object of the library. It is freed with the last reference to it, by `close`, or at the end of `with`."""

    _handle = 0

    def __init__(self, make: Callable[..., None]):
        """Creates the object: `make` is called with a pointer at which it leaves the handle."""
        handle = c_uint64()
        make(byref(handle))
        self._handle = handle.value

    @classmethod
    def _made(cls: type[Made], make: Callable[..., None]) -> Made:
        made = cls.__new__(cls)
        Object.__init__(made, make)
        return made

    def close(self) -> None:
        """Frees the object and wipes its secrets. It cannot be used afterwards."""
        handle, self._handle = self._handle, 0
        if handle:
            library.inkling_free(handle)

    def __enter__(self: Made) -> Made:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


Made = TypeVar("Made", bound=Object)


class Sealable(Object):
    """An object that can be sealed for storage. The format is private to the library and not part of the protocol."""

    def seal(self, key: bytes) -> bytes:
        """Seals the object under a key of 32 bytes."""
        return bytes_of(lambda *out: call("inkling_seal", self._handle, key, len(key), *out))

    @classmethod
    def unseal(cls: type[Stored], sealed: bytes, key: bytes) -> Stored:
        """Opens a sealed object, which must be of this class; raises Refused if the key is wrong."""
        return cls._made(lambda out: refusing("inkling_unseal", sealed, len(sealed), key, len(key), out))


Stored = TypeVar("Stored", bound=Sealable)


def handles(objects: Iterable[Object]) -> Any:
    """Returns the handles of objects as an array."""
    return array_of(c_uint64, (one._handle for one in objects))


_source: Any = FILL()


def use_randomness(source: Callable[[int], bytes] | None) -> None:
    """Sets the source of randomness for all later calls: a function that returns the given number of bytes. None
    restores the randomness of the system.

    Any thread that calls the library may call the function, which must not raise. Anyone who can predict its results
    can compute every secret.
    """
    global _source

    def fill(out: Any, count: int, _: int | None) -> None:
        ctypes.memmove(out, source(count) if source else bytes(count), count)

    replaced, _source = _source, FILL() if source is None else FILL(fill)
    call("inkling_use_randomness", _source, None)
    del replaced  # Until now the library could call the earlier source.


def open_handles() -> int:
    """Returns the number of objects that are not freed, so that tests can find leaks."""
    count = c_uint64()
    call("inkling_handle_count", byref(count))
    return count.value
