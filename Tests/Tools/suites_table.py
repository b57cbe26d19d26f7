"""The table of Tests/README.md: each rig with its question, the command that runs it, and whether the gate does."""

import re

from suites import Declaration, Suite

PAGE = "Tests/README.md"
# They run no part of a rig that could fail for its question.
PREPARING = {"setup", "build", "check"}
PROGRAM = re.compile(r"Tests/[\w.-]+(?:/[\w.-]+)+")


def table(declaration: Declaration, steps: dict[str, str]) -> str:
    """`steps`: the rows of the steps of `make test` by name, as they stand in .ci/steps.py."""
    programs = {name: set(PROGRAM.findall(row)) for name, row in steps.items() if name not in PREPARING}
    rows = ["| rig | question | command | minutes | in the gate |", "|---|---|---|---|---|"]
    shown: set[str] = set()
    for name, suite in declaration.suites.items():
        rigs = rigs_of(suite)
        shown.update(rigs)
        # Suites that run a product alone can have one rig, and the gate only a part of it.
        own = set(suite.programs)
        run_by = [step for step, of in programs.items() if (any(place_of(one) in rigs for one in of) if own else step == name)]
        gate = ", ".join(f"`{step}`" for step in run_by) + (", in part" if run_by else "")
        gate = "; ".join(part for part in (gate, "`.ci/run`" if suite.when == ".ci/run" else "") if part) or "no"
        rows.append(f"| {linked(rigs)} | {suite.question} | `make verify-{name}` | {suite.minutes} | {gate} |")
    for name, of in programs.items():
        rigs = sorted({place_of(one) for one in of if one.startswith("Tests/Rigs/")} - shown)
        title = re.search(r'"[a-z0-9-]+",\s+"([^"]*)"', steps[name])
        if rigs and title:
            rows.append(f"| {linked(rigs)} | {title[1]} | `.ci/gate {name}` | – | `{name}` |")
    return "\n".join(rows) + "\n"


def rigs_of(suite: Suite) -> list[str]:
    """The places of the programs that a suite runs, or what it depends on below Tests/Rigs where it runs a product."""
    places = {place_of(program) for program in suite.programs if program.startswith("Tests/")}
    return sorted(places or {path for path in suite.paths if path.startswith("Tests/Rigs/")})


def place_of(program: str) -> str:
    """The folder of a rig, or a single program of Tests/Tools."""
    parts = program.split("/")
    return "/".join(parts[: 2 if parts[1] == "Benchmarks" else 3])


def linked(places: list[str]) -> str:
    return ", ".join(f"[{place.split('/')[-1]}]({place.removeprefix('Tests/')})" for place in places)
