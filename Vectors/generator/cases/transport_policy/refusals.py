"""Situations with malformed arguments."""

from ...tools.family import Case, argument_refusals, replaced
from ..platforms.apps import phone
from ..platforms.profiles import BAD_VERSIONS, app_refusals
from .plans import situation

VALID = situation(
    phone("18.0.1", "background", "iphone-12"),
    phone("17.4", "foreground"),
    "confirmed",
    "bulk",
    1_000,
    deadline=60_000,
    heard=True,
    sameNetwork=True,
    paired=True,
    linked=["awdl"],
    failures=[{"transport": "gatt", "count": 2, "ago": 8_000}],
    observed=[{"transport": "awdl", "setups": [1_500], "rates": [4_000_000, 5_000_000]}],
    ownTransports=["awdl", "gatt"],
    peerTransports=["gatt", "awdl", "network"],
)


def refusal_cases():
    def argument(comment, reason, **changes):
        return Case(comment, replaced(VALID, **changes), ("argument",), ("INK-CNF-004",), error=("arguments", reason))

    def entry(member, **changes):
        return {member: [{**VALID[member][0], **changes}]}

    def without(member, name):
        return {member: [{key: value for key, value in VALID[member][0].items() if key != name}]}

    def changed(side):
        return lambda **members: replaced(VALID, **{side: {**VALID[side], **members}})

    optional = tuple(f"{name} is absent" for name in ("peer", "deadline", "ownTransports", "peerTransports"))
    cases = [Case("every member that may be there", VALID, (), ("INK-TPT-001",))]
    cases += [one for one in argument_refusals("transport-plan", VALID) if one.comment not in optional]
    cases += [
        argument("a relation that does not exist", "out-of-range", relation="friend"),
        argument("a purpose that does not exist", "out-of-range", purpose="call"),
        argument("a purpose without a letter", "out-of-range", purpose=""),
        argument("12 transports in the list of the linked", "wrong-length", linked=["gatt"] * 12),
        argument("a linked transport that does not exist", "out-of-range", linked=["smoke"]),
        argument("a linked transport that is null", "wrong-type", linked=[None]),
        argument("12 transports of ours", "wrong-length", ownTransports=["gatt"] * 12),
        argument("12 transports of the peer", "wrong-length", peerTransports=["gatt"] * 12),
        argument("a transport of ours that does not exist", "out-of-range", ownTransports=["smoke"]),
        argument("a transport of the peer that does not exist", "out-of-range", peerTransports=["smoke"]),
        argument("12 failures", "wrong-length", failures=VALID["failures"] * 12),
        argument("a failure that is a text", "wrong-type", failures=["gatt"]),
        argument(
            "a failure of a transport that does not exist", "out-of-range", **entry("failures", transport="smoke")
        ),
        argument("a failure that never was", "out-of-range", **entry("failures", count=0)),
        argument("65 failures in a row", "out-of-range", **entry("failures", count=65)),
        argument("a failure in 2^32 ms", "out-of-range", **entry("failures", ago=2**32)),
        argument("a failure in the future", "out-of-range", **entry("failures", ago=-1)),
        argument("a failure with a member too many", "unknown-field", **entry("failures", why=1)),
        *[
            argument(f"a failure without {name}", "missing", **without("failures", name))
            for name in ("transport", "count", "ago")
        ],
        argument("12 observations", "wrong-length", observed=VALID["observed"] * 12),
        argument(
            "an observation of a transport that does not exist", "out-of-range", **entry("observed", transport="")
        ),
        argument("17 times to set up", "wrong-length", **entry("observed", setups=[1] * 17)),
        argument("17 rates", "wrong-length", **entry("observed", rates=[1] * 17)),
        argument("a time to set up of 2^32", "out-of-range", **entry("observed", setups=[2**32])),
        argument("a rate below zero", "out-of-range", **entry("observed", rates=[-1])),
        argument("a rate that is a fraction", "wrong-type", **entry("observed", rates=[0.5])),
        argument("an observation with a member too many", "unknown-field", **entry("observed", why=1)),
        *[
            argument(f"an observation without {name}", "missing", **without("observed", name))
            for name in ("transport", "setups", "rates")
        ],
        *app_refusals(VALID, "own"),
        *app_refusals(VALID, "peer"),
    ]
    for version, what in BAD_VERSIONS[:8]:
        cases.append(
            Case(f"{what}, ours", changed("own")(version=version), ("refusal",), (), error=("platform", "bad-version"))
        )
        cases.append(
            Case(
                f"{what}, the peer's",
                changed("peer")(version=version),
                ("refusal",),
                (),
                error=("platform", "bad-version"),
            )
        )
    for member in ("failures", "observed"):
        args = replaced(VALID, **{member: VALID[member] * 2})
        cases.append(
            Case(f"a transport twice in {member}", args, ("refusal",), (), error=("situation", "repeated-transport"))
        )
    cases.append(
        Case(
            "a payload and a deadline in decimal digits",
            replaced(VALID, payload="1000", deadline="60000"),
            ("decimal",),
            ("INK-CNF-005",),
        )
    )
    return cases
