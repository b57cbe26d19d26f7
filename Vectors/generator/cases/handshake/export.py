"""Cases of exported keys and of the fingerprint."""

from ...reference.notation import H
from ...tools.family import Case, Family, argument_refusals, generated, replaced
from .parts import CONFIRMED_SESSION, SPECIFICATION, out_of_range


def export_families():
    session = {"k1": "01" * 32, "k2": "02" * 32, "handshakeHash": "03" * 32}
    secret = bytes.fromhex("22e35053362c5bf589ade83768b273372789a125569af95d777a0533664d9529")
    requirements = ("INK-HSK-008",)

    def case(label, context="", flags=()):
        return Case(f"{label} {context}".strip(), {**session, "label": label, "context": context}, flags, requirements)

    cases = [
        Case(
            "the exporter's secret is known",
            {**session, "label": "pair-psk", "context": ""},
            ("known-answer",),
            requirements,
            result={"key": H(secret, b"inkling/1\0pair-psk\0\x01").hex()},
        ),
        case("tls-psk", "00"),
        case("tls-psk", "02"),
        case("tls-psk", "03"),
        case("tls-psk-id", "02"),
        case("fingerprint"),
        case("x", "", ("boundary",)),
        case("x" * 64, "00" * 1024, ("boundary",)),
    ]
    cases += [
        Case(
            "values without structure",
            {name: generated(f"{name} {n}").hex() for name in session} | {"label": "pair-psk", "context": ""},
            ("generated",),
            requirements,
        )
        for n in range(8)
    ]
    base = cases[0].args
    cases += [
        Case(
            "an empty label",
            replaced(base, label=""),
            ("argument",),
            ("INK-CNF-004",),
            error=("arguments", "wrong-length"),
        ),
        Case(
            "a label of 65 bytes",
            replaced(base, label="x" * 65),
            ("argument",),
            ("INK-CNF-004",),
            error=("arguments", "wrong-length"),
        ),
        out_of_range("a label with a space", replaced(base, label="pair psk")),
        Case(
            "a context of 1,025 bytes",
            replaced(base, context="00" * 1025),
            ("argument",),
            ("INK-CNF-004",),
            error=("arguments", "wrong-length"),
        ),
    ]
    shown = [
        Case(
            "k1, k2, h of the exporter's example",
            session,
            (),
            ("INK-HSK-009",),
            result={"fingerprint": "7CU5 NIQM M24J 2OPX"},
        )
    ]
    shown += [
        Case(
            "values without structure",
            {name: generated(f"{name} {n}").hex() for name in session},
            ("generated",),
            ("INK-HSK-009",),
        )
        for n in range(8)
    ]
    worked = Case(
        "the session of the page's example",
        {**CONFIRMED_SESSION, "label": "pair-psk", "context": ""},
        ("known-answer",),
        requirements,
        result={"key": "62da9530ff1ab5dc538b66f8fe043d7817e6a441b8c987aaa93888f25350c255"},
    )
    worked_shown = Case(
        "the session of the page's example",
        CONFIRMED_SESSION,
        ("known-answer",),
        ("INK-HSK-009",),
        result={"fingerprint": "2TGQ JK7A 6HNW EHLV"},
    )
    return [
        Family(
            "export",
            SPECIFICATION,
            "Secrets exported from a session.",
            cases + argument_refusals("export", base) + [worked],
        ),
        Family(
            "fingerprint",
            SPECIFICATION,
            "What two people compare.",
            shown + argument_refusals("fingerprint", session) + [worked_shown],
        ),
    ]
