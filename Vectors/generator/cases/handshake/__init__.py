"""Cases for Specs/handshake.md, except those of the Noise messages."""

from .connections import connections_family
from .export import export_families
from .payloads import confirm_payload_families, first_contact_payload_families
from .prologues import gate_family, prologue_families
from .sealed_grants import sealed_grant_families

FAMILIES = [
    *prologue_families(),
    gate_family(),
    *confirm_payload_families(),
    *first_contact_payload_families(),
    *sealed_grant_families(),
    *export_families(),
    connections_family(),
]
