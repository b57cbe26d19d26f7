"""Cases of the prologues and of the gate."""

from ...reference.handshake import GATT, NAN, TCP
from ...tools.family import Case, Family, argument_refusals, generated, replaced
from ..shared import example
from .parts import CONFIRMED, SPECIFICATION, out_of_range, transports


def prologue_families():
    confirm = {"transport": TCP, "epoch": example.EPOCH, "device": 0, "identifier": example.NAME.hex()}
    requirements = ("INK-HSK-002",)
    cases = [
        Case(
            "the instance name of epoch 1984000 on TCP",
            confirm,
            ("known-answer",),
            requirements,
            result={"prologue": "696e6b6c696e672f312d636f6e6669726d000102001e460000ee86ffa399825968e402a6832c863656"},
        ),
        Case(
            "the tag of that epoch on GATT",
            replaced(confirm, transport=GATT, identifier=example.TAG.hex()),
            (),
            requirements,
        ),
        Case("the instance name on NAN", replaced(confirm, transport=NAN), (), requirements),
        Case("epoch 0", replaced(confirm, epoch=0), ("boundary",), requirements),
        Case("the last epoch", replaced(confirm, epoch=2**22 - 1), ("boundary",), requirements),
        Case("device 15", replaced(confirm, device=15), ("boundary",), requirements),
        Case("integers as strings", replaced(confirm, epoch=str(example.EPOCH)), ("decimal",), requirements),
        out_of_range("the reserved transport", replaced(confirm, transport=1)),
    ]
    families = [
        Family(
            "confirm-prologue",
            SPECIFICATION,
            "The prologue of the confirm handshake.",
            cases + argument_refusals("confirm-prologue", confirm),
        )
    ]
    for name, what in (("first-contact-prologue", "first contact"), ("device-link-prologue", "a device link")):
        args = {"transport": TCP, "commitment": example.COMMITMENT.hex()}
        others, reserved = transports(args)
        requirement = ("INK-HSK-003",)
        cases = [Case("TCP", args, (), requirement)]
        cases += [Case(f"transport {other['transport']}", other, (), requirement) for other in others]
        cases += [
            Case(
                "a commitment without structure",
                replaced(args, commitment=generated(f"{name} {n}", 16).hex()),
                ("generated",),
                requirement,
            )
            for n in range(4)
        ]
        cases.append(out_of_range("the reserved transport", reserved))
        families.append(Family(name, SPECIFICATION, f"The prologue of {what}.", cases + argument_refusals(name, args)))
    return families


def gate_family():
    known = {"key": example.INVITATION_GATE_KEY.hex(), "transport": TCP, "message": "00" * 112}
    # The same secret used as an audience root: root 20…3f, device 0, epoch 1984000.
    audience = replaced(known, key="3c63ba7ed727734fb324d04ca65a85283165ec744b3d9b03c119e988cdad8aef")
    assert example.GATE_KEY.hex() == audience["key"]
    requirements = ("INK-HSK-004",)
    others, reserved = transports(audience)
    cases = [
        Case(
            "112 zero bytes on TCP",
            audience,
            ("known-answer",),
            requirements,
            result={"gate": "f7a96a666146dae1eeaf4fd747bf540b"},
        ),
        Case("the invitation's gate key", known, (), requirements),
    ]
    cases += [Case(f"transport {other['transport']}", other, (), requirements) for other in others]
    cases += [
        Case(
            "values without structure",
            {
                "key": generated(f"gate {n}").hex(),
                "transport": (GATT, TCP, NAN)[n % 3],
                "message": generated(f"message {n}", 112).hex(),
            },
            ("generated",),
            requirements,
        )
        for n in range(8)
    ]
    cases.append(out_of_range("the reserved transport", reserved))
    worked = Case(
        "the gate of the page's example",
        replaced(audience, message=CONFIRMED["sent"][0]),
        ("known-answer",),
        requirements,
        result={"gate": "ca8a9c2eddf84817b8fbc4cb752ea8a0"},
    )
    return Family(
        "gate",
        SPECIFICATION,
        "The gate before a first message.",
        cases + argument_refusals("gate", audience) + [worked],
    )
