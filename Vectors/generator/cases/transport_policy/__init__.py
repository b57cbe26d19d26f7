"""Cases for Specs/transport-policy.md."""

from ...tools.family import Family
from . import back_ends, limits, matrix, policy, refusals, situations

FAMILIES = [
    Family(
        "transport-plan",
        "Specs/transport-policy.md",
        "Plans: the rows of the tables of the iOS BLE Deep Dive by name, the edges of each rule, and situations at random.",
        [
            *matrix.every_row(),
            *policy.rule_cases(),
            *back_ends.back_end_cases(),
            *back_ends.chain_cases(),
            *limits.edge_cases(),
            *situations.generated_cases(),
            *refusals.refusal_cases(),
        ],
        insensitive={
            member: "A plan also shows what must not matter, and not every value of a situation does."
            for member in (
                "own",
                "peer",
                "relation",
                "payload",
                "deadline",
                "heard",
                "sameNetwork",
                "paired",
                "linked",
                "failures",
                "observed",
                "ownTransports",
                "peerTransports",
            )
        },
    )
]
