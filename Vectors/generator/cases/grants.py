"""Cases of Specs/grants.md."""

from ..reference.curves import L, ed25519_sign
from ..reference.grants import LONGEST_INTERVAL, cover, cover_bytes, node_bytes, sign, unsigned_grant
from ..reference.keys import node_key, user_id
from ..tools.family import Case, Family, argument_refusals, generated, replaced
from .cards import IDENTITY, SEED, certificate_faults, device_certificate, little
from .shared import known_answers

SPECIFICATION = "Specs/grants.md"
NOW = known_answers.PERIOD
ROOT = generated("grant root")
AUDIENCE = generated("audience", 8)
GRANTEE = user_id(generated("grantee identity"))
TWENTY_NODES = (403_457, 403_457 + 2_045)


def grant(devices=(0,), certificates=None, bitmap=None, nodes=None, start=NOW, end=NOW + 719, **changes) -> bytes:
    values = {"generation": 1, "grantee": GRANTEE, "version": 1, "root": ROOT, **changes}
    if certificates is None:
        certificates = [device_certificate(device) for device in devices]
    if bitmap is None:
        bitmap = sum(1 << device for device in devices)
    if nodes is None:
        nodes = cover_bytes(values["root"], start, end)
    return sign(
        SEED,
        unsigned_grant(
            IDENTITY,
            AUDIENCE,
            values["generation"],
            start,
            end,
            bitmap,
            certificates,
            nodes,
            values["grantee"],
            values["version"],
        ),
    )


def arguments(data: bytes, now=NOW, held=0, issuer=IDENTITY, grantee=GRANTEE) -> dict:
    return {
        "grant": data.hex(),
        "issuer": issuer.hex(),
        "grantee": grantee.hex(),
        "period": now,
        "heldGeneration": held,
    }


def cover_cases():
    requirements = ("INK-GRA-001",)
    cases = known_answers.cases("grant-cover", requirements)

    def valid(comment, start, end):
        cases.append(Case(comment, {"from": start, "to": end}, ("boundary",), requirements))

    for period in (0, 1, NOW, 2**19 - 1, 2**19, 2**20 - 2, 2**20 - 1):
        valid("one period", period, period)
    valid("two periods of one parent", 4, 5)
    valid("two periods of different parents", 5, 6)
    valid("across the middle of the tree", 2**19 - 1, 2**19)
    valid("an aligned block of 2,048", 2_048, 4_095)
    valid("the last aligned block of the tree", 2**20 - 2_048, 2**20 - 1)
    valid("an aligned block but its last period", 2_048, 4_094)
    valid("an aligned block but its first period", 2_049, 4_095)
    valid("an aligned block but both ends", 2_049, 4_094)
    valid("twenty nodes, the most there can be", *TWENTY_NODES)
    valid("twenty nodes across two blocks", 2**19 - 1_023, 2**19 + 1_022)
    valid("the longest interval from period 0", 0, LONGEST_INTERVAL - 1)
    valid("the longest interval from period 1", 1, LONGEST_INTERVAL)
    valid("the longest interval at the end of the tree", 2**20 - LONGEST_INTERVAL, 2**20 - 1)
    valid("the longest interval from an odd period", NOW + 1, NOW + LONGEST_INTERVAL)
    for days in (1, 7, 30, 60, 93):
        valid(f"{days} days", NOW, NOW + 24 * days - 1)
    for index in range(24):
        seed = generated(f"cover {index}")
        start = int.from_bytes(seed[:3], "big") % (2**20 - LONGEST_INTERVAL)
        count = 1 + int.from_bytes(seed[3:5], "big") % LONGEST_INTERVAL
        cases.append(Case("an interval without structure", {"from": start, "to": start + count - 1}, ("generated",), requirements))
    for comment, start, end, reason in [
        ("to is one below from", 5, 4, "reversed"),
        ("to is 0 and from the last period", 2**20 - 1, 0, "reversed"),
        ("2,233 periods", NOW, NOW + LONGEST_INTERVAL, "too-long"),
        ("the whole tree", 0, 2**20 - 1, "too-long"),
    ]:
        cases.append(Case(comment, {"from": start, "to": end}, ("refusal",), ("INK-GRA-002",), error=("interval", reason)))
    return cases + argument_refusals("grant-cover", {"from": NOW, "to": NOW + 719})


def decode_cases():
    cases = []

    def valid(comment, data, requirement, **context):
        cases.append(Case(comment, arguments(data, **context), ("boundary",), (requirement,)))

    def refused(comment, data, stage, reason, requirement, **context):
        args = arguments(data, **context)
        cases.append(Case(comment, args, ("refusal",), (requirement, "INK-GRA-010"), error=(stage, reason)))

    whole = grant()
    valid("30 days for one device", whole, "INK-GRA-010")
    valid("devices 0 and 15", grant((0, 15)), "INK-GRA-018")
    valid("device 15 alone", grant((15,)), "INK-GRA-018")
    valid("all sixteen devices", grant(tuple(range(16))), "INK-GRA-018")
    valid("one period, this one", grant(start=NOW, end=NOW), "INK-GRA-016")
    valid("the longest interval", grant(end=NOW + LONGEST_INTERVAL - 1), "INK-GRA-016")
    certificate = device_certificate(0, start=TWENTY_NODES[0], end=TWENTY_NODES[1])
    twenty = grant(start=TWENTY_NODES[0], end=TWENTY_NODES[1], certificates=[certificate])
    valid("twenty nodes", twenty, "INK-GRA-017", now=TWENTY_NODES[0])
    sixteen = [device_certificate(d, start=TWENTY_NODES[0], end=TWENTY_NODES[1]) for d in range(16)]
    largest = grant(tuple(range(16)), sixteen, start=TWENTY_NODES[0], end=TWENTY_NODES[1])
    valid("the largest grant, 2,572 bytes", largest, "INK-GRA-011", now=TWENTY_NODES[1])
    valid("the last period of the interval", grant(start=NOW - 100, end=NOW), "INK-GRA-016")
    valid("begun long ago", grant(start=NOW - 2_000, end=NOW + 200), "INK-GRA-016")
    valid("24 periods ahead", grant(start=NOW + 24, end=NOW + 50), "INK-GRA-016")
    last = device_certificate(0, start=2**20 - 50, end=2**20 - 1)
    end_of_tree = grant(start=2**20 - 40, end=2**20 - 1, certificates=[last])
    valid("to the last period of the tree", end_of_tree, "INK-GRA-016", now=2**20 - 1)
    first = device_certificate(0, start=0, end=100)
    valid("from period 0", grant(start=0, end=9, certificates=[first]), "INK-GRA-016", now=0)
    valid("the generation held", grant(generation=7), "INK-GRA-019", held=7)
    valid("one above the generation held", grant(generation=8), "INK-GRA-019", held=7)
    valid("a generation 24 above this period", grant(generation=NOW + 24), "INK-GRA-019")
    valid("the generation held, 24 above this period", grant(generation=NOW + 24), "INK-GRA-019", held=NOW + 24)
    valid("below a generation held that is 25 above this period", grant(generation=NOW), "INK-GRA-019", held=NOW + 25)
    valid("far below the largest number, which is held", grant(generation=1), "INK-GRA-019", held=2**32 - 1)
    ended = device_certificate(1, start=NOW - 100, end=NOW - 1)
    valid("one certificate has ended and one has not", grant((0, 1), [device_certificate(0), ended]), "INK-GRA-018")
    for index in range(4):
        start = NOW - index * 37
        data = grant(start=start, end=start + 500 + 97 * index, root=generated(f"grant root {index}"), generation=index + 1)
        cases.append(Case("a root without structure", arguments(data), ("generated",), ("INK-GRA-010",)))

    def length(comment, data, reason):
        refused(comment, data, "length", reason, "INK-GRA-011")

    count_at = 55 + 106
    nodes = len(cover(NOW, NOW + 719))
    length("no bytes", b"", "too-short")
    length("the version alone", whole[:1], "too-short")
    length("135 bytes", whole[:135], "too-short")
    length("136 bytes of a grant with a device", whole[:136], "too-short")
    length("cut before the number of nodes", grant((0, 1, 2))[: 55 + 3 * 106], "too-short")
    length("a byte too short", whole[:-1], "too-short")
    length("without its signature", whole[:-64], "too-short")
    length("a byte too long", whole + b"\0", "too-long")
    length("a second grant behind it", whole + whole, "too-long")
    length("a byte behind the largest grant", largest + b"\0", "too-long")
    length("a bit set in the bitmap without its certificate", grant((0,), bitmap=0b11), "too-short")
    for comment, count, reason in [
        ("one node announced too many", nodes + 1, "too-short"),
        ("one node announced too few", nodes - 1, "too-long"),
        ("twenty nodes announced and four present", 20, "too-short"),
        ("no node announced", 0, "node-count"),
        ("21 nodes announced", 21, "node-count"),
        ("255 nodes announced", 255, "node-count"),
    ]:
        changed = bytearray(whole)
        changed[count_at] = count
        length(comment, bytes(changed), reason)
    twenty_one = [node_bytes(20, NOW + at, node_key(ROOT, 20, NOW + at)) for at in range(21)]
    length("21 nodes, signed", grant(nodes=twenty_one, end=NOW + 20), "node-count")
    length("no node, signed", grant(nodes=[]), "node-count")

    for version in (0, 2, 255):
        refused(f"version {version}", grant(version=version), "version", "unknown", "INK-GRA-012")

    changed = bytearray(IDENTITY)
    changed[0] ^= 1
    refused("another issuer is expected", whole, "issuer", "unknown", "INK-GRA-013", issuer=bytes(changed))
    changed = bytearray(IDENTITY)
    changed[31] ^= 0x80
    refused("the expected issuer differs in its last bit", whole, "issuer", "unknown", "INK-GRA-013", issuer=bytes(changed))
    refused("an issuer of zeros is expected", whole, "issuer", "unknown", "INK-GRA-013", issuer=bytes(32))

    def signature(comment, data):
        refused(comment, data, "signature", "invalid", "INK-GRA-014")

    for comment, at in [
        ("the audience", 33),
        ("the generation", 44),
        ("from", 48),
        ("to", 52),
        ("a certificate", 60),
        ("the depth of a node", count_at + 1),
        ("the key of a node", count_at + 6),
        ("the grantee", len(whole) - 65),
        ("R of the signature", len(whole) - 64),
        ("S of the signature", len(whole) - 32),
    ]:
        changed = bytearray(whole)
        changed[at] ^= 1
        signature(f"a bit changed in {comment}", bytes(changed))
    unsigned = whole[:-64]
    other = generated("another identity")
    signature("signed by another key", unsigned + ed25519_sign(other, b"inkling/1 grant\x00" + unsigned))
    signature("signed with the prefix of a card", unsigned + ed25519_sign(SEED, b"inkling/1 card\x00" + unsigned))
    signature("signed without the zero byte", unsigned + ed25519_sign(SEED, b"inkling/1 grant" + unsigned))
    signature("signed without a prefix", unsigned + ed25519_sign(SEED, unsigned))
    signature("a signature of zeros", unsigned + bytes(64))
    scalar = int.from_bytes(whole[-32:], "little") + L
    signature("S raised by the group order", whole[:-32] + scalar.to_bytes(32, "little"))
    signature("R of small order", unsigned + bytes.fromhex(little(1)) + whole[-32:])

    for comment, reader in [
        ("another user reads", user_id(generated("another reader"))),
        ("the reader's user id differs in its last bit", GRANTEE[:-1] + bytes([GRANTEE[-1] ^ 1])),
        ("the issuer reads its own grant", user_id(IDENTITY)),
    ]:
        refused(comment, whole, "grantee", "not-ours", "INK-GRA-015", grantee=reader)

    some = cover_bytes(ROOT, NOW, NOW)

    def interval(comment, data, reason, **context):
        refused(comment, data, "interval", reason, "INK-GRA-016", **context)

    interval("to is one below from", grant(start=NOW + 1, end=NOW, nodes=some), "reversed")
    interval("to is 0", grant(start=NOW, end=0, nodes=some), "reversed")
    interval("2,233 periods", grant(end=NOW + LONGEST_INTERVAL), "too-long")
    interval("2,233 periods that began before now", grant(start=NOW - 1_000, end=NOW + 1_232), "too-long")
    interval("2^32 periods", grant(start=0, end=2**32 - 1, nodes=some), "too-long")
    interval("one period behind the tree", grant(start=2**20 - 9, end=2**20, nodes=some), "out-of-tree", now=2**20 - 1)
    interval("far behind the tree", grant(start=2**32 - 9, end=2**32 - 1, nodes=some), "out-of-tree", now=2**20 - 1)
    interval("25 periods ahead", grant(start=NOW + 25, end=NOW + 50), "not-yet")
    interval("a year ahead", grant(start=NOW + 8_760, end=NOW + 8_800), "not-yet")
    interval("ended in the period before", grant(start=NOW - 10, end=NOW - 1), "ended")
    interval("ended long ago", grant(start=0, end=9), "ended")

    def uncovered(comment, encoded_nodes, **changes):
        refused(comment, grant(nodes=encoded_nodes, **changes), "cover", "not-canonical", "INK-GRA-017")

    good = cover_bytes(ROOT, NOW, NOW + 719)
    uncovered("the first node is missing", good[1:])
    uncovered("the last node is missing", good[:-1])
    uncovered("a node in the middle is missing", good[:1] + good[2:])
    uncovered("two nodes exchanged", [good[1], good[0], *good[2:]])
    uncovered("descending", good[::-1])
    uncovered("a node twice", [good[0], *good])
    wider = cover_bytes(ROOT, NOW, NOW + 720)
    uncovered("one period too many behind", wider)
    uncovered("one period too many before", cover_bytes(ROOT, NOW - 1, NOW + 719))
    uncovered("one period too few", cover_bytes(ROOT, NOW, NOW + 718))
    depth, prefix = cover(NOW, NOW + 719)[0]
    halves = [node_bytes(depth + 1, 2 * prefix + half, node_key(ROOT, depth + 1, 2 * prefix + half)) for half in (0, 1)]
    uncovered("the first node split into its halves", [*halves, *good[1:]])
    above = node_bytes(depth - 1, prefix >> 1, node_key(ROOT, depth - 1, prefix >> 1))
    uncovered("the parent in place of the first node", [above, *good[1:]])
    uncovered("the root in place of all nodes", [node_bytes(0, 0, ROOT)])
    uncovered("a depth of 21", [node_bytes(21, prefix, ROOT), *good[1:]])
    uncovered("a depth of 255", [node_bytes(255, prefix, ROOT), *good[1:]])
    uncovered("a prefix of more bits than its depth", [node_bytes(depth, prefix | 1 << depth, ROOT), *good[1:]])
    uncovered("a prefix aligned to the left", [node_bytes(depth, prefix << 20 - depth, ROOT), *good[1:]])
    uncovered("a prefix with its highest bit set", [node_bytes(depth, prefix | 1 << 31, ROOT), *good[1:]])
    uncovered("the cover of another interval of the same length", cover_bytes(ROOT, NOW + 720, NOW + 1_439))

    for comment, changes, reason in certificate_faults():
        refused(comment, grant(**changes), "certificates", reason, "INK-GRA-018")

    def generation(comment, value, reason, **context):
        refused(comment, grant(generation=value), "generation", reason, "INK-GRA-019", **context)

    generation("generation 0", 0, "zero")
    generation("one below the generation held", 6, "older", held=7)
    generation("far below the generation held, which is 24 above this period", 1, "older", held=NOW + 24)
    generation("25 above this period", NOW + 25, "too-far")
    generation("the largest number", 2**32 - 1, "too-far")
    generation("the generation held, but 25 above this period", NOW + 25, "too-far", held=NOW + 25)
    cases += argument_refusals("grant-decode", arguments(whole))
    args = replaced(arguments(whole), period=str(NOW), heldGeneration="0")
    cases.append(Case("integers as decimal digits", args, ("decimal",), ("INK-CNF-005",)))
    return cases


FAMILIES = [
    Family("grant-cover", SPECIFICATION, "The canonical cover of an interval.", cover_cases()),
    Family(
        "grant-decode",
        SPECIFICATION,
        "Reading a grant, and every way to be refused, in the order of the stages.",
        decode_cases(),
        insensitive={
            "period": "The period decides only whether the grant is refused.",
            "heldGeneration": "The generation held decides only whether the grant is refused.",
        },
    ),
]
