"""Cases for Specs/recognition.md."""

from ...tools.family import Family
from . import attempts, bounds, departures, names, presence, radio, readings, refusals, repeats, technologies, walks, windows

FAMILIES = [
    Family(
        "recognition",
        "Specs/recognition.md",
        "Scenarios: what an observer concludes from what it hears, and whom it tries.",
        [
            *names.example_cases(),
            *names.name_cases(),
            *windows.window_cases(),
            *radio.radio_cases(),
            *attempts.attempt_cases(),
            *readings.reading_cases(),
            *repeats.repeat_cases(),
            *repeats.replay_cases(),
            *presence.presence_cases(),
            *bounds.bound_cases(),
            *walks.walk_cases(),
            *refusals.refusal_cases(),
            *radio.proven_and_sweep_cases(),
            *technologies.independent_cases(),
            *technologies.budget_cases(),
            *technologies.cut_cases(),
            *departures.goodbye_cases(),
            *departures.changed_timer_cases(),
            *walks.departure_walk_cases(),
            *departures.goodbye_refusal_cases(),
        ],
        insensitive={
            member: "A scenario also shows what must not matter, and not every value in it does."
            for member in ("start", "decoys", "draws", "predictions", "steps", "until")
        },
    )
]
