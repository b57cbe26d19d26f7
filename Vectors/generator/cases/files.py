"""Cases for Specs/files.md."""

from ..reference.files import CHUNK, DONE, END, GRANT, LARGEST_CHUNK, LARGEST_FILE, LARGEST_WINDOW, OFFER, STOP, TAKEN
from ..reference.files import encode
from ..tools.family import Case, Family, argument_refusals, generated, replaced

SPECIFICATION = "Specs/files.md"
TRANSFER = generated("transfer", 16)
DIGEST = generated("digest of a file", 32)
EMPTY = {"transfer": TRANSFER.hex(), "number": 0, "window": 0, "digest": "", "bytes": "", "reason": 0}
# What is said, its type, its members, and whether it is at the edge of a range.
SAID = [
    ("an offer of 5 bytes", OFFER, {"number": 5}, False),
    ("an offer of an empty file", OFFER, {"number": 0}, True),
    ("an offer of the largest file", OFFER, {"number": LARGEST_FILE}, True),
    ("a grant from the beginning", GRANT, {"number": 0, "window": LARGEST_WINDOW, "digest": DIGEST.hex()}, True),
    ("a grant that goes on, over GATT", GRANT, {"number": 123_456, "window": 8000, "digest": DIGEST.hex()}, False),
    ("a grant with the least window", GRANT, {"number": LARGEST_FILE, "window": 1, "digest": DIGEST.hex()}, True),
    ("a chunk of one byte", CHUNK, {"number": 0, "bytes": "00"}, True),
    ("a chunk of 2,000 bytes", CHUNK, {"number": 2000, "bytes": generated("chunk", 2000).hex()}, False),
    ("the longest chunk", CHUNK, {"number": 16_000, "bytes": generated("chunk", LARGEST_CHUNK).hex()}, True),
    ("the last byte of the largest file", CHUNK, {"number": LARGEST_FILE - 1, "bytes": "ff"}, True),
    ("what is stored", TAKEN, {"number": 131_072}, False),
    ("all of the largest file is stored", TAKEN, {"number": LARGEST_FILE}, True),
    ("the end", END, {"digest": DIGEST.hex()}, False),
    ("the file is kept", DONE, {}, False),
    *((f"reason {reason}", STOP, {"reason": reason}, reason in (0, 7)) for reason in range(8)),
]


def writing():
    def case(comment, kind, members, is_edge):
        return Case(comment, {"type": kind, **EMPTY, **members}, ("boundary",) if is_edge else (), ("INK-FIL-001",))

    cases = [case(*said) for said in SAID]
    grant, chunk = cases[3].args, cases[6].args

    def argument(comment, base, why, **changes):
        return Case(comment, replaced(base, **changes), ("argument",), ("INK-CNF-004",), error=("arguments", why))

    cases += [
        argument("a chunk without bytes", chunk, "wrong-length", bytes=""),
        argument("a chunk of 16,001 bytes", chunk, "wrong-length", bytes="00" * (LARGEST_CHUNK + 1)),
        argument("a chunk that ends beyond the largest file", chunk, "out-of-range", number=LARGEST_FILE),
        argument("a grant without a window", grant, "out-of-range", window=0),
        argument("a window of 262,145 bytes", grant, "out-of-range", window=LARGEST_WINDOW + 1),
        argument("a digest of 31 bytes", grant, "wrong-length", digest="00" * 31),
        argument("type 19", grant, "out-of-range", type=0x13),
        argument("a number that the type does not have", cases[13].args, "out-of-range", number=1),
        argument("a window that the type does not have", cases[0].args, "out-of-range", window=1),
        argument("a digest that the type does not have", cases[0].args, "out-of-range", digest=DIGEST.hex()),
        argument("bytes that the type does not have", cases[0].args, "out-of-range", bytes="00"),
        argument("a reason that the type does not have", cases[0].args, "out-of-range", reason=1),
    ]
    return Family(
        "file-encode",
        SPECIFICATION,
        "Writing records about files.",
        cases + argument_refusals("file-encode", cases[4].args),
    )


def reading():
    def body(kind, members):
        plain = {name: bytes.fromhex(value) if isinstance(value, str) else value for name, value in members.items()}
        if "bytes" in plain:
            plain["content"] = plain.pop("bytes")
        return encode(kind, TRANSFER, **plain)

    def decoded(comment, kind, data, flags=()):
        return Case(comment, {"type": kind, "body": data.hex()}, flags, ("INK-FIL-030",))

    def refused(comment, kind, data, reason, flags=("refusal",)):
        return Case(comment, {"type": kind, "body": data.hex()}, flags, ("INK-FIL-030",), error=("file", reason))

    cases = [
        decoded(comment, kind, body(kind, members), ("boundary",) if is_edge else ())
        for comment, kind, members, is_edge in SAID[:-1]
    ]
    # It is read as reason 7, as many other values are.
    cases.append(decoded("a reason that nobody knows", STOP, TRANSFER + b"\xff"))
    first = {kind: body(kind, members) for _, kind, members, _ in reversed(SAID)}
    for kind, whole in first.items():
        edge = ("refusal", "boundary")
        cases += [
            refused(f"type {kind}: no byte", kind, b"", "wrong-length"),
            refused(f"type {kind}: fifteen bytes", kind, whole[:15], "wrong-length"),
            refused(f"type {kind}: a byte short", kind, whole[:-1], "wrong-length", edge),
        ]
        if kind != CHUNK:
            cases.append(refused(f"type {kind}: a byte long", kind, whole + b"\0", "wrong-length", edge))
    beyond = (LARGEST_FILE + 1).to_bytes(8, "big")
    cases += [
        refused("16,001 bytes in a chunk", CHUNK, TRANSFER + bytes(8 + LARGEST_CHUNK + 1), "wrong-length"),
        refused("a size above the largest", OFFER, TRANSFER + beyond, "out-of-range"),
        refused("the largest number", OFFER, TRANSFER + b"\xff" * 8, "out-of-range"),
        refused("an offset above the largest", TAKEN, TRANSFER + beyond, "out-of-range"),
        refused("a grant above the largest", GRANT, TRANSFER + beyond + b"\0\0\0\1" + DIGEST, "out-of-range"),
        refused("a grant without a window", GRANT, TRANSFER + bytes(12) + DIGEST, "out-of-range"),
        refused("a window of 262,145 bytes", GRANT, TRANSFER + bytes(8) + b"\0\4\0\1" + DIGEST, "out-of-range"),
        refused("a chunk above the largest", CHUNK, TRANSFER + b"\xff" * 8 + b"\0", "out-of-range"),
        refused("a chunk that ends above the largest", CHUNK, TRANSFER + LARGEST_FILE.to_bytes(8, "big") + b"\0", "out-of-range"),
    ]
    return Family(
        "file-decode",
        SPECIFICATION,
        "Reading records about files.",
        cases + argument_refusals("file-decode", cases[0].args),
    )


FAMILIES = [writing(), reading()]
