"""Cases for Specs/recognition.md."""

from ..family import Family
from ..scenarios import attempts, names, presence, radio, refusals, walks

FAMILIES = [
    Family(
        "recognition",
        "Specs/recognition.md",
        "Scenarios: what an observer concludes from what it hears, and whom it tries.",
        [
            *names.example_cases(),
            *names.name_cases(),
            *names.window_cases(),
            *radio.radio_cases(),
            *attempts.attempt_cases(),
            *attempts.call_cases(),
            *presence.presence_cases(),
            *presence.bound_cases(),
            *walks.walk_cases(),
            *refusals.refusal_cases(),
        ],
        insensitive={
            member: "A scenario also shows what must not matter, and not every value in it does."
            for member in ("start", "decoys", "draws", "predictions", "steps", "until")
        },
    )
]
