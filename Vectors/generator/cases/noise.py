"""Cases for Specs/noise.md: the four handshakes of Specs/handshake.md, and every refusal."""

from ..reference import curves, noise
from ..tools.family import Case, Family, generated, replaced
from .shared import example
from .shared.known_points import LOW_ORDER

SPECIFICATION = "Specs/noise.md"
CONFIRM = "Noise_IKpsk0+psk2_25519_ChaChaPoly_SHA256"
FIRST_CONTACT = "Noise_XXpsk0+psk3_25519_ChaChaPoly_SHA256"
SEALED = "Noise_Kpsk0_25519_ChaChaPoly_SHA256"


class Meeting:
    """Both parties of one handshake, as arguments of the operation."""

    def __init__(self, protocol_name, prologue, psks, payloads):
        pattern = noise.Pattern(protocol_name)
        self.args = {}
        parties = {"initiator": example.INITIATOR, "responder": example.RESPONDER}
        for role, own in parties.items():
            peer = "responder" if role == "initiator" else "initiator"
            args = {
                "protocolName": protocol_name,
                "role": role,
                "prologue": prologue.hex(),
                "psks": [psk.hex() for psk in psks],
            }
            if pattern.needs_static(role):
                args["localStatic"] = own["static"].hex()
            if "s" in pattern.pre_messages[peer]:
                args["remoteStatic"] = curves.x25519_public(parties[peer]["static"]).hex()
            if "e" in pattern.tokens_of(role):
                args["ephemeral"] = own["ephemeral"].hex()
            self.args[role] = args
        messages = self._messages(pattern, payloads)
        for role, args in self.args.items():
            own = [index for index in range(len(payloads)) if pattern.sender(index) == role]
            args["payloads"] = [payloads[index].hex() for index in own]
            args["received"] = [message.hex() for index, message in enumerate(messages) if index not in own]

    def _messages(self, pattern, payloads):
        """The messages of both parties when both follow the specification."""
        parties = {}
        for role, args in self.args.items():
            keys = [
                bytes.fromhex(args[name]) if name in args else None
                for name in ("localStatic", "remoteStatic", "ephemeral")
            ]
            psks = [bytes.fromhex(psk) for psk in args["psks"]]
            parties[role] = noise.Handshake(pattern, role, bytes.fromhex(args["prologue"]), psks, *keys)
        messages = []
        count = len(pattern.messages)
        for index in range(count):
            sender = pattern.sender(index)
            messages.append(parties[sender].write(payloads[index]))
            parties["responder" if sender == "initiator" else "initiator"].read(messages[-1])
        keys = parties["initiator"].state.split()
        ciphers = {"initiator": noise.CipherState(keys[0]), "responder": noise.CipherState(keys[1])}
        for index in range(count, len(payloads)):
            messages.append(ciphers[pattern.sender(index)].encrypt(b"", payloads[index]))
        return messages


MEETINGS = {
    "confirm": Meeting(
        CONFIRM,
        example.CONFIRM_PROLOGUE,
        [example.PSK0, example.PAIRWISE],
        example.CONFIRM_PAYLOADS + example.RECORDS,
    ),
    "first contact": Meeting(
        FIRST_CONTACT,
        example.FIRST_CONTACT_PROLOGUE,
        [example.INVITATION_PSK0, example.INVITATION_PSK3],
        example.FIRST_CONTACT_PAYLOADS + example.RECORDS,
    ),
    "device link": Meeting(
        FIRST_CONTACT,
        example.DEVICE_LINK_PROLOGUE,
        [example.INVITATION_PSK0, example.INVITATION_PSK3],
        example.DEVICE_LINK_PAYLOADS + example.RECORDS,
    ),
    "sealed grant": Meeting(SEALED, b"inkling/1 grant", [example.PAIRWISE], [example.GRANT]),
}


def changed(args, at, message):
    """`args` with the received message `at` replaced by the result of `message`."""
    received = list(args["received"])
    received[at] = message(bytes.fromhex(received[at])).hex()
    return replaced(args, received=received)


def flipped(position):
    def apply(message):
        return message[:position] + bytes([message[position] ^ 1]) + message[position + 1 :]

    return apply


def refused(comment, args, stage, reason, requirement="INK-NOI-021"):
    flag = "argument" if stage == "arguments" else "refusal"
    requirements = (requirement, "INK-NOI-025") if reason == "decryption-failed" else (requirement,)
    return Case(comment, args, (flag,), requirements, error=(stage, reason))


def valid_cases():
    cases = []
    for name, meeting in MEETINGS.items():
        for role in ("initiator", "responder"):
            cases.append(Case(f"{name}, {role}", meeting.args[role], (), ("INK-NOI-004", "INK-HSK-001")))
    small = replaced(MEETINGS["confirm"].args["initiator"])
    small["payloads"], small["received"] = small["payloads"][:1], small["received"][:1]
    cases.append(Case("confirm, initiator, no record yet", small, ("boundary",), ("INK-NOI-004",)))
    meeting = Meeting(CONFIRM, b"", [example.PSK0, example.PAIRWISE], [b""] * 5)
    for role in ("initiator", "responder"):
        cases.append(Case(f"empty prologue and payloads, {role}", meeting.args[role], ("boundary",), ("INK-NOI-004",)))
    return cases


def changed_messages():
    cases = []
    for name, meeting in MEETINGS.items():
        for role in ("initiator", "responder"):
            args = meeting.args[role]
            for at in range(len(args["received"])):
                stage = f"message-{at + 1}"
                size = len(bytes.fromhex(args["received"][at]))
                handshake = at < len(noise.Pattern(args["protocolName"]).messages) // 2
                for position in sorted({*range(0, min(size, 128), 16), 31, size - 17, size - 1}):
                    comment = f"{name}, {role}: one bit of byte {position} of received message {at + 1}"
                    cases.append(refused(comment, changed(args, at, flipped(position)), stage, "decryption-failed"))
                comment = f"{name}, {role}: received message {at + 1}"
                least = least_size(args["protocolName"], role, at)
                for size_name, make, reason in [
                    ("is empty", lambda message: b"", "wrong-length"),
                    ("is one byte below its tokens and tags", lambda message: message[: least - 1], "wrong-length"),
                    ("is cut to its tokens and tags", lambda message: message[:least], "decryption-failed"),
                    ("is a byte short", lambda message: message[:-1], "decryption-failed"),
                    ("is a byte long", lambda message: message + b"\0", "decryption-failed"),
                ]:
                    if size == least and "short" in size_name or size_name.startswith("is cut") and size == least:
                        continue
                    requirement = "INK-NOI-022" if reason == "wrong-length" else "INK-NOI-021"
                    cases.append(refused(f"{comment} {size_name}", changed(args, at, make), stage, reason, requirement))
                if handshake:
                    cases.append(
                        refused(
                            f"{comment} has 65,536 bytes",
                            changed(args, at, lambda message: message + bytes(65536 - len(message))),
                            stage,
                            "wrong-length",
                            "INK-NOI-022",
                        )
                    )
    return cases


def least_size(protocol_name, role, at):
    """The size of the tokens and tags in message `at` that `role` receives."""
    pattern = noise.Pattern(protocol_name)
    index = at if pattern.one_way else 2 * at + (1 if role == "initiator" else 0)
    if index >= len(pattern.messages):
        return 16
    return noise.Handshake(pattern, "initiator", b"", [], bytes(31) + b"\x40", bytes(32), None).overhead(index)


def wrong_secrets():
    cases = []
    another = generated("another key").hex()
    for name, meeting in MEETINGS.items():
        for role in ("initiator", "responder"):
            args = meeting.args[role]
            if not args["received"]:
                continue
            for at in range(len(args["psks"])):
                psks = list(args["psks"])
                psks[at] = another
                stage = "message-1"
                # The last psk is mixed in after the last message of this side, so the other side notices later.
                if name == "confirm" and role == "responder" and at == 1:
                    stage = "message-2"
                if name in ("first contact", "device link") and at == 1:
                    stage = "message-2"
                cases.append(
                    refused(
                        f"{name}, {role}: psk number {at + 1} differs",
                        replaced(args, psks=psks),
                        stage,
                        "decryption-failed",
                    )
                )
            cases.append(
                refused(
                    f"{name}, {role}: the prologue differs",
                    replaced(args, prologue=args["prologue"][:-2] + "00"),
                    "message-1",
                    "decryption-failed",
                )
            )
            if "remoteStatic" in args and name != "confirm" or name == "confirm" and role == "responder":
                key = "remoteStatic" if "remoteStatic" in args else "localStatic"
                value = curves.x25519_public(bytes.fromhex(another)).hex() if key == "remoteStatic" else another
                cases.append(
                    refused(
                        f"{name}, {role}: {key} differs",
                        replaced(args, **{key: value}),
                        "message-1",
                        "decryption-failed",
                    )
                )
    confirm = MEETINGS["confirm"].args
    cases += [
        refused(
            "confirm, initiator: the responder has another static key",
            replaced(confirm["initiator"], remoteStatic=curves.x25519_public(bytes.fromhex(another)).hex()),
            "message-1",
            "decryption-failed",
        ),
        refused(
            "confirm, initiator: another initiator's static key",
            replaced(confirm["initiator"], localStatic=another),
            "message-1",
            "decryption-failed",
        ),
        refused(
            "confirm, initiator: message 1 comes back as message 2",
            replaced(
                confirm["initiator"],
                received=[confirm["responder"]["received"][0], *confirm["initiator"]["received"][1:]],
            ),
            "message-1",
            "decryption-failed",
        ),
        refused(
            "confirm, responder: message 1 made for another epoch",
            replaced(
                confirm["responder"], prologue=example.confirm_prologue(2, example.EPOCH + 1, 0, example.NAME).hex()
            ),
            "message-1",
            "decryption-failed",
        ),
        refused(
            "confirm, responder: message 1 made for another transport",
            replaced(confirm["responder"], prologue=example.confirm_prologue(3, example.EPOCH, 0, example.NAME).hex()),
            "message-1",
            "decryption-failed",
        ),
        refused(
            "confirm, responder: message 1 made for another device",
            replaced(confirm["responder"], prologue=example.confirm_prologue(2, example.EPOCH, 1, example.NAME).hex()),
            "message-1",
            "decryption-failed",
        ),
        refused(
            "confirm, responder: two transport messages change places",
            replaced(confirm["responder"], received=[confirm["responder"]["received"][at] for at in (0, 2, 1)]),
            "message-2",
            "decryption-failed",
        ),
        refused(
            "confirm, responder: a transport message comes twice",
            replaced(confirm["responder"], received=[confirm["responder"]["received"][at] for at in (0, 1, 1)]),
            "message-3",
            "decryption-failed",
        ),
        refused(
            "confirm, responder: its own transport message comes back",
            replaced(
                confirm["responder"],
                received=[
                    confirm["responder"]["received"][0],
                    confirm["initiator"]["received"][1],
                    confirm["responder"]["received"][2],
                ],
            ),
            "message-2",
            "decryption-failed",
        ),
        refused(
            "first contact, responder: message 1 of a device link",
            replaced(
                MEETINGS["first contact"].args["responder"],
                received=MEETINGS["device link"].args["responder"]["received"],
            ),
            "message-1",
            "decryption-failed",
        ),
    ]
    return cases


def low_order_points():
    cases = []
    confirm = MEETINGS["confirm"].args
    contact = MEETINGS["first contact"].args
    sealed = MEETINGS["sealed grant"].args
    for number, point in enumerate(LOW_ORDER):

        def with_point(message):
            return point + message[32:]

        def case(comment, args, stage):
            cases.append(refused(f"{comment}, point {number + 1}", args, stage, "low-order-point", "INK-NOI-020"))

        case("confirm, responder: ephemeral key", changed(confirm["responder"], 0, with_point), "message-1")
        case("confirm, initiator: ephemeral key", changed(confirm["initiator"], 0, with_point), "message-1")
        case(
            "confirm, initiator: the responder's static key",
            replaced(confirm["initiator"], remoteStatic=point.hex()),
            "arguments",
        )
        case("first contact, initiator: ephemeral key", changed(contact["initiator"], 0, with_point), "message-1")
        case("sealed grant, reader: ephemeral key", changed(sealed["responder"], 0, with_point), "message-1")
        case(
            "sealed grant, reader: the issuer's static key",
            replaced(sealed["responder"], remoteStatic=point.hex()),
            "message-1",
        )
    return cases


def arguments():
    initiator = MEETINGS["confirm"].args["initiator"]
    responder = MEETINGS["confirm"].args["responder"]
    joiner = MEETINGS["first contact"].args["initiator"]
    sealer = MEETINGS["sealed grant"].args["initiator"]

    def case(comment, args, reason, requirement="INK-NOI-023"):
        return refused(comment, args, "arguments", reason, requirement)

    def without(args, name):
        return {key: value for key, value in args.items() if key != name}

    names = [
        "",
        "Noise_IKpsk0+psk2_25519_ChaChaPoly_SHA512",
        "Noise_IKpsk0+psk2_25519_AESGCM_SHA256",
        "Noise_IKpsk0+psk2_448_ChaChaPoly_SHA256",
        "Noise_IKpsk2+psk0_25519_ChaChaPoly_SHA256",
        "Noise_IKpsk0+psk0_25519_ChaChaPoly_SHA256",
        "Noise_IKpsk0+psk3_25519_ChaChaPoly_SHA256",
        "Noise_IK+psk0+psk2_25519_ChaChaPoly_SHA256",
        "Noise_IKpsk0psk2_25519_ChaChaPoly_SHA256",
        "Noise_IKfallback_25519_ChaChaPoly_SHA256",
        "Noise_ZZ_25519_ChaChaPoly_SHA256",
        "Noise_ik_25519_ChaChaPoly_SHA256",
        "Noise_IKpsk0+psk2_25519_ChaChaPoly_SHA256 ",
        "noise_IKpsk0+psk2_25519_ChaChaPoly_SHA256",
    ]
    cases = [
        case(f"protocol name {name!r}", replaced(initiator, protocolName=name), "unknown-protocol") for name in names
    ]
    cases += [
        case("no psk", replaced(initiator, psks=[]), "wrong-count"),
        case("one psk too few", replaced(initiator, psks=initiator["psks"][:1]), "wrong-count"),
        case("one psk too many", replaced(initiator, psks=initiator["psks"] + initiator["psks"][:1]), "wrong-count"),
        case("no own static key", without(initiator, "localStatic"), "missing-key"),
        case("no static key of the other", without(initiator, "remoteStatic"), "missing-key"),
        case("no ephemeral key", without(initiator, "ephemeral"), "missing-key"),
        case(
            "a static key of an unknown initiator",
            replaced(responder, remoteStatic=initiator["remoteStatic"]),
            "unexpected-key",
        ),
        case(
            "a static key of an unknown responder",
            replaced(joiner, remoteStatic=initiator["remoteStatic"]),
            "unexpected-key",
        ),
        case(
            "an ephemeral key of a party that only reads",
            replaced(MEETINGS["sealed grant"].args["responder"], ephemeral=initiator["ephemeral"]),
            "unexpected-key",
        ),
        case(
            "a psk of 31 bytes",
            replaced(initiator, psks=["00" * 31, initiator["psks"][1]]),
            "wrong-length",
            "INK-CNF-004",
        ),
        case(
            "a psk of 33 bytes",
            replaced(initiator, psks=["00" * 33, initiator["psks"][1]]),
            "wrong-length",
            "INK-CNF-004",
        ),
        case("an ephemeral key of 31 bytes", replaced(initiator, ephemeral="00" * 31), "wrong-length", "INK-CNF-004"),
        case("a static key of 33 bytes", replaced(initiator, remoteStatic="00" * 33), "wrong-length", "INK-CNF-004"),
        case("a role that does not exist", replaced(initiator, role="observer"), "out-of-range", "INK-CNF-004"),
        case("no payload", replaced(initiator, payloads=[]), "wrong-count"),
        case("no received message", replaced(initiator, received=[]), "wrong-count"),
        case("a payload too many", replaced(initiator, payloads=initiator["payloads"] + ["", ""]), "wrong-count"),
        case(
            "a received message too many",
            replaced(initiator, received=initiator["received"] + ["00" * 16] * 2),
            "wrong-count",
        ),
        case(
            "the handshake is not completed",
            replaced(joiner, payloads=joiner["payloads"][:1], received=joiner["received"][:1]),
            "wrong-count",
        ),
        case("a one-way pattern with an answer", replaced(sealer, received=["00" * 48]), "wrong-count"),
        case(
            "a payload that makes message 1 too long",
            replaced(initiator, payloads=["00" * 65440, *initiator["payloads"][1:]]),
            "too-long",
            "INK-NOI-002",
        ),
        case(
            "a payload that makes a transport message too long",
            replaced(initiator, payloads=[*initiator["payloads"][:2], "00" * 65520]),
            "too-long",
            "INK-NOI-002",
        ),
    ]
    return cases


def family():
    cases = valid_cases() + changed_messages() + wrong_secrets() + low_order_points() + arguments()
    return Family(
        "noise", SPECIFICATION, "The four handshakes of Inkling on the Noise engine, with every refusal.", cases
    )


FAMILIES = [family()]
