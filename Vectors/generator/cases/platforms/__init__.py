"""Cases for Specs/platforms.md."""

from ...tools.family import Family
from . import documented, profiles

FAMILIES = [
    Family(
        "platform-fact",
        "Specs/platforms.md",
        "Every fact of the table: to which devices and apps it applies, its value, and where it comes from.",
        profiles.fact_cases(),
    ),
    Family(
        "platform-profile",
        "Specs/platforms.md",
        "What an app can do: the worst value of all facts that apply, and how well its version is covered.",
        [
            *documented.documented_cases(),
            *profiles.version_cases(),
            *profiles.trait_cases(),
            *profiles.missing_cases(),
            *profiles.low_power_cases(),
            *profiles.grid_cases(),
            *profiles.refusal_cases(),
        ],
        insensitive={"app": "Most facts hold for many devices and apps, and what does not apply must not matter."},
    ),
]
