"""Specs/conformance.md, accumulated digests: digests over many outputs of each derivation."""

import hashlib
from collections.abc import Iterable

from ..reference.identifiers import beacon_minor, confirm_psk, gatt_tag, mdns_host, mdns_name
from ..reference.keys import node_key
from ..reference.notation import H, dec, derive, sha256, u16, u32

COUNTS = (1_000, 100_000, 1_000_000)


def scheduled(name: bytes, index: int) -> bytes:
    return sha256(name + u32(index))


def first(data: bytes) -> int:
    return int.from_bytes(data[:4], "big")


def epoch(index: int) -> int:
    return first(scheduled(b"epoch", index)) % 2**22


def derive_output(index: int) -> bytes:
    label = scheduled(b"label", index)[:4].hex().encode()
    context = scheduled(b"context", index)[: index % 33]
    return derive(scheduled(b"derive", index), label, context)


def tree_node_output(index: int) -> bytes:
    depth = scheduled(b"depth", index)[0] % 21
    return node_key(scheduled(b"tree-node", index), depth, first(scheduled(b"prefix", index)) % 2**depth)


def mac(operation: bytes, label: bytes, index: int) -> bytes:
    return H(scheduled(operation, index), label + dec(epoch(index)))


OUTPUTS = {
    "derive": derive_output,
    "tree-node": tree_node_output,
    "mdns-name": lambda index: mac(b"mdns-name", b"mDNS-name-", index)[:16].hex().encode(),
    "mdns-host": lambda index: mac(b"mdns-host", b"mDNS-host-", index)[:16].hex().encode(),
    "beacon-minor": lambda index: mac(b"beacon-minor", b"iBeacon-minor-", index)[:2],
    "gatt-tag": lambda index: mac(b"gatt-tag", b"GATT-tag-", index)[:16],
    "confirm-psk": lambda index: mac(b"confirm-psk", b"confirm-psk-", index),
}


def agrees_with_operations():
    """Checks that the short-cuts above return what the operations return."""
    for index in range(64):
        at = epoch(index)
        pairs = {
            "mdns-name": mdns_name(scheduled(b"mdns-name", index), at)[0]["name"].encode(),
            "mdns-host": mdns_host(scheduled(b"mdns-host", index), at)[0]["host"].encode(),
            "beacon-minor": u16(beacon_minor(scheduled(b"beacon-minor", index), at)[0]["minor"]),
            "gatt-tag": gatt_tag(scheduled(b"gatt-tag", index), at)[0]["tag"],
            "confirm-psk": confirm_psk(scheduled(b"confirm-psk", index), at)[0]["psk"],
        }
        for operation, expected in pairs.items():
            if OUTPUTS[operation](index) != expected:
                raise AssertionError(f"accumulated {operation} at {index}")


def digests(operation: str) -> list[str]:
    """The digests of one operation, one for each of COUNTS."""
    running = hashlib.sha256()
    found = []
    for done, count in zip((0, *COUNTS), COUNTS):
        for index in range(done, count):
            running.update(OUTPUTS[operation](index))
        found.append(running.hexdigest())
    return found


def content(digests_of_each: Iterable[list[str]]) -> dict:
    """The content of the file, from the digests of each operation in order."""
    agrees_with_operations()
    cases = []
    for operation, found in zip(OUTPUTS, digests_of_each, strict=True):
        for count, digest in zip(COUNTS, found, strict=True):
            cases.append(
                {
                    "id": f"accumulated-{len(cases) + 1:04}",
                    "comment": f"the first {count} outputs of the input schedule",
                    "operation": operation,
                    "count": count,
                    "digest": digest,
                }
            )
    return {
        "schema": "schema/accumulated.schema.json",
        "specification": "Specs/conformance.md",
        "description": "SHA-256 over the outputs of an operation for the inputs of the schedule in the specification.",
        "caseCount": len(cases),
        "cases": cases,
    }


def schema() -> dict:
    case = {
        "id": {"type": "string", "pattern": "^accumulated-[0-9]{4}$"},
        "comment": {"type": "string", "minLength": 1},
        "operation": {"enum": list(OUTPUTS)},
        "count": {"enum": list(COUNTS)},
        "digest": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "accumulated digests",
        "type": "object",
        "additionalProperties": False,
        "required": ["schema", "specification", "description", "caseCount", "cases"],
        "properties": {
            "schema": {"const": "schema/accumulated.schema.json"},
            "specification": {"const": "Specs/conformance.md"},
            "description": {"type": "string", "minLength": 1},
            "caseCount": {"type": "integer", "minimum": 1},
            "cases": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": list(case),
                    "properties": case,
                },
            },
        },
    }
