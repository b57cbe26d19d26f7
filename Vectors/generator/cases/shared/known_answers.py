"""Results that were known before this generator was written; the reference must return each of them."""

import json
import re

from ...reference.curves import x25519_public
from ...reference.grants import cover
from ...reference.keys import node_key
from ...reference.notation import H, derive, extract, sha256, u8
from ...tools.family import Case
from ...tools.operations import answer


def counting(start: int, count: int = 32) -> bytes:
    return bytes(range(start, start + count))


LITERAL = counting(0x00)
ROOT = counting(0x20)
SECRET = counting(0x40)
UNIX_SECONDS = 1_785_600_000
EPOCH = 1_984_000
PERIOD = 496_000
PERIOD_KEY = "6997c26a7af7b7fde45d300ecd45290675306b754d2f9dca2a5c00c853bb103a"


def period_key() -> bytes:
    return node_key(ROOT, 20, PERIOD)


def key_of(purpose: str, device: int) -> str:
    return derive(period_key(), purpose.encode(), u8(device)).hex()


def answers() -> list[tuple[str, str, dict, dict]]:
    """For each known answer the operation, a comment, the arguments, and the known members of the result."""
    known = []

    def add(operation, comment, args, result):
        known.append((operation, comment, args, result))

    add("epoch", "the second from which the examples count", {"unixSeconds": UNIX_SECONDS}, {"epoch": EPOCH, "period": PERIOD})
    for epoch, name in [
        (0, "97da014a5a772e5722f2b9caf0dcf717"),
        (1, "08300391089606e80e24a32841accb8a"),
        (1960000, "a8d5c00906a75e0177c44b4e94171642"),
        (1984127, "856ae8d4bbc93ab4098c69897ab08893"),
    ]:
        add("mdns-name", "the literal formula", {"key": LITERAL.hex(), "epoch": epoch}, {"name": name})
    for depth, prefix, key in [
        (1, 0, "8fe5aae06e6db76b197c79122461366852182b1515f329e1370005372c89ef06"),
        (1, 1, "fda46ba950772d7962953b06c0b8494daddaac4188fec75a367641b0df7f1650"),
        (20, PERIOD, PERIOD_KEY),
        (20, PERIOD + 1, "78f3f25aee7d8aa67c00a69c50f47b29fdd0cba599253d9c656c48dcf6797c6d"),
    ]:
        add("tree-node", "root 20…3f", {"root": ROOT.hex(), "depth": depth, "prefix": prefix}, {"key": key})
    devices = [
        (
            0,
            "36ba017d146f8998f592363c5561bd52694cc03452a562b2894ac1d682944a23",
            "33ae03b93f06f90c8074d9a88bf06232edbdae4d8171176f2ab549429b9bb662",
            [0xF9C5, 0x9AF1, 0x9E73, 0x2790],
            [
                "ee86ffa399825968e402a6832c863656",
                "4bfc5b501e8469baa43d07fbdb67b3e8",
                "39b73fa25479f0be62a5c543dc488bab",
                "caee751eb020c81f0abcb97079a90c3c",
            ],
            "247f2895250d23da6bb0d8d9e9808ea3",
            "0bdc3018c5e0835a1c2da209526c3f94",
            "44460bc81fd94fc75a2eca8c77cfd088bdc31c5624159275625157f10b266e2f",
        ),
        (
            1,
            "0dfeab0f0af858caa6756c5544c5433a2271c7aeb80e03dfec5bcd7368c3ae6f",
            "7fd2e3899695b76f26921fc0b1295e58288045f109c6fdcc3a5dd986f3c7e9b5",
            [0x3133, 0x8110, 0x089D, 0xCF1F],
            [
                "d3dcd03c463d203da83eb00153784538",
                "c8bb2938eb015a299ca1440bc9cb460e",
                "182c295261b3b0da309a70a1014e3c49",
                "10f711e2de5bf862a26dd7c028ecc0dd",
            ],
            "08906baf43a3bc3635966c1cf4682a8e",
            "80965c5c750e444bdc7a4d9ad21b2aad",
            "bebf8ca14f127fbb58cc38d76d8be8625e8c03aed8be8c9a715a7c7f933565eb",
        ),
    ]
    for device, mdns_key, beacon_key, minors, names, host, tag, psk in devices:
        where = f"root 20…3f, device {device}"
        gatt_key, confirm_key = key_of("gatt-key", device), key_of("confirm-key", device)
        add("device-keys", where, {"periodKey": PERIOD_KEY, "device": device}, {"mdnsKey": mdns_key, "beaconKey": beacon_key})
        for offset in range(4):
            at = EPOCH + offset
            add("beacon-minor", where, {"key": beacon_key, "epoch": at}, {"minor": minors[offset]})
            add("mdns-name", where, {"key": mdns_key, "epoch": at}, {"name": names[offset]})
        add("mdns-host", where, {"key": mdns_key, "epoch": EPOCH}, {"host": host})
        add("gatt-tag", where, {"key": gatt_key, "epoch": EPOCH}, {"tag": tag})
        add("confirm-psk", where, {"key": confirm_key, "epoch": EPOCH}, {"psk": psk})
    add(
        "confirm-gate-key",
        "root 20…3f, device 0",
        {"key": key_of("confirm-key", 0), "epoch": EPOCH},
        {"key": "3c63ba7ed727734fb324d04ca65a85283165ec744b3d9b03c119e988cdad8aef"},
    )
    nodes = [(13, 3875), (11, 969), (14, 7760), (16, 31044)]
    add(
        "grant-cover",
        "30 days",
        {"from": PERIOD, "to": PERIOD + 719},
        {"nodes": [{"depth": depth, "prefix": prefix} for depth, prefix in nodes]},
    )
    first, second = (x25519_public(bytes([number]) * 32).hex() for number in (1, 2))
    for comment, secret, peer, advertising, root in [
        ("A advertises, computed by A", 1, second, True, "e7a187c2002c49bb51a33d943768c510c7388cb83de26e5e83854fa00746b99f"),
        ("A advertises, computed by B", 2, first, False, "e7a187c2002c49bb51a33d943768c510c7388cb83de26e5e83854fa00746b99f"),
        ("B advertises, computed by B", 2, first, True, "df1f46c296a2032a0fc9d57782653fea8202874d7a6f20e0697e480794025878"),
        ("B advertises, computed by A", 1, second, False, "df1f46c296a2032a0fc9d57782653fea8202874d7a6f20e0697e480794025878"),
    ]:
        args = {"secret": (bytes([secret]) * 32).hex(), "peerPublic": peer, "advertising": advertising}
        add("pair-root", comment, args, {"root": root})
    pair_leaf = node_key(bytes.fromhex("e7a187c2002c49bb51a33d943768c510c7388cb83de26e5e83854fa00746b99f"), 20, PERIOD)
    pair_beacon = derive(pair_leaf, b"beacon-key", u8(0)).hex()
    add("beacon-minor", "the pair audience from A to B, device 0", {"key": pair_beacon, "epoch": EPOCH}, {"minor": 60109})
    add(
        "invitation-keys",
        "secret 40…5f",
        {"secret": SECRET.hex()},
        {"psk0": "7ebaeb70e821bb3c2f10c50c59ac16f23ae4d6042e3f04bd0e035ec0a3c8da0e"},
    )
    invitation_root = bytes.fromhex(answer("invitation-keys", {"secret": SECRET.hex()})["result"]["root"])
    invitation_mdns = derive(node_key(invitation_root, 20, PERIOD), b"mdns-key", u8(0)).hex()
    add("mdns-name", "the audience of the invitation 40…5f", {"key": invitation_mdns, "epoch": EPOCH}, {"name": "a4386001eceeb27ec0d40598e9ef6ea2"})
    return known


def cases(operation: str, requirements) -> list[Case]:
    """The known answers of one operation, as cases of its family."""
    return [
        Case(comment, args, ("known-answer",), tuple(requirements), result=result)
        for name, comment, args, result in answers()
        if name == operation
    ]


def uuid(name: str) -> str:
    digest = bytearray(sha256(b"inkling/1 uuid\x00" + name.encode())[:16])
    digest[6] = digest[6] & 0x0F | 0x80
    digest[8] = digest[8] & 0x3F | 0x80
    return re.sub("(.{8})(.{4})(.{4})(.{4})(.{12})", r"\1-\2-\3-\4-\5", digest.hex())


def require(what: str, value, expected):
    if value != expected:
        raise AssertionError(f"{what} is {value}, not {expected}")


def verify():
    """Compares every known answer, including those that no family has."""
    for operation, comment, args, result in answers():
        reply = answer(operation, args)
        for member, value in result.items():
            require(f"{operation} {json.dumps(args)} ({comment}) {member}", reply["result"][member], value)
    reply = answer("pair-root", {"secret": "01" * 32, "peerPublic": x25519_public(b"\2" * 32).hex(), "advertising": True})
    require("A", reply["intermediates"]["ownPublic"], "a4e09292b651c278b9772c569f5fa9bb13d906b46ab68c9df9dc2b4409f8a209")
    require("B", x25519_public(b"\2" * 32).hex(), "ce8d3ad1ccb633ec7b70c17814a5c76ecd029685050d344745ba05870e587d59")
    shared = "2ed76ab549b1e73c031eb49c9448f0798aea81b698279a0c3dc3e49fbfc4b953"
    require("shared secret", reply["intermediates"]["sharedSecret"], shared)
    reply = answer("invitation-keys", {"secret": SECRET.hex()})
    extracted = "a8bda6d425cf5cbce4b7084c2e273c0c774ead6ec8d3f0c82396ef8b9c7a98e1"
    require("X of the invitation", reply["intermediates"]["extracted"], extracted)
    gate_key = bytes.fromhex(answer("confirm-gate-key", {"key": key_of("confirm-key", 0), "epoch": EPOCH})["result"]["key"])
    require("gate", H(gate_key, u8(2) + bytes(112))[:16].hex(), "f7a96a666146dae1eeaf4fd747bf540b")
    exported = extract(b"inkling/1 export", b"\1" * 32 + b"\2" * 32 + b"\3" * 32).hex()
    require("EX", exported, "22e35053362c5bf589ade83768b273372789a125569af95d777a0533664d9529")
    sizes = [len(cover(start, start + 719)) for start in range(PERIOD, PERIOD + 4096)]
    require("largest cover of 30 days", max(sizes), 13)
    for name, value in [
        ("proximity", "abe0bf31-f9d4-8c5f-8145-37ff0309dd60"),
        ("service", "1a356f5b-2e00-8d8d-b35a-edd2584c4da4"),
        ("tag", "3378d865-2ebf-8be9-a321-b5bf4ab7e545"),
        ("in", "10019a65-c801-89a6-90a2-441db33e3a2c"),
        ("out", "1c6409b9-a48e-8f54-9ba3-e4da3e87ed6e"),
    ]:
        require(f"UUID {name}", uuid(name), value)
