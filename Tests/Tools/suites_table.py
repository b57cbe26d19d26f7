"""The table of the suites in Tests/README.md."""

from suites import Declaration

PAGE = "Tests/README.md"


def table(declaration: Declaration) -> str:
    rows = ["| command | question | runs | minutes |", "|---|---|---|---|"]
    for name, suite in declaration.suites.items():
        rows.append(f"| `make verify-{name}` | {suite.question} | {suite.when} | {suite.minutes} |")
    return "\n".join(rows) + "\n"
