"""Cases of reconnection: Specs/lifecycle.md."""

from ....tools.family import Family
from .entry import entry_cases
from .loss import loss_cases
from .refusals import refusal_cases
from .walks import walk_cases

FAMILIES = [
    Family(
        "reconnection",
        "Specs/lifecycle.md",
        "Scenarios: peers that are lost, looked for, and made useful again.",
        [*entry_cases(), *loss_cases(), *walk_cases(), *refusal_cases()],
        insensitive={
            member: "A scenario also shows what must not matter, and not every value in it does."
            for member in ("services", "pipeline", "steps", "until")
        },
    )
]
