"""A commit that raises a limit of a test or of the gate says the cause in its message.

Waiting longer hides what is slow, so who raises a number has to say what was found: a line `Cause: …` in the message of that
commit, or, when the commit is already on a branch of others, `Cause of COMMIT: …` in that of a later one. The commits are the last
20 that have this rule, so that the verdict is a function of the commit. A line counts when it has one of the words below, and stands
in the commit with a larger number in the place of the same line with a smaller one.
"""

import re
import subprocess
from typing import Iterator

from tree import Finding, Tree

TITLE = "a commit that raises a limit says the cause"
COMMITS = 20
RULE = "Tests/Tools/rules/limits.py"
LIMIT = re.compile(r"timeout|limit|within|seconds|attempts|retry|retries", re.IGNORECASE)
NUMBER = re.compile(r"(?<![\w.])\d[\d_]*(?:\.\d+)?(?!\w)")
# Where numbers are results, names or prose. A raised cost is a raised limit.
EXCLUDED = re.compile(r"\.md$|/records\.json$|/FailCases/|/PlantedCases/|\.dict$")
COSTS = "Tests/costs.json"


def findings(tree: Tree):
    if not tree.exists(".git"):
        yield Finding(RULE, 1, "not a checkout of git: no commit was read", is_note=True)
        return
    status, output = tree.run("git", "log", f"-{COMMITS}", "-p", "-U0", "--no-color", "--no-ext-diff", "--no-renames", "--format=%x00%H%x01%B%x01", "--", "Tests", ".ci")
    _, messages = tree.run("git", "log", f"-{5 * COMMITS}", "--format=%B")
    if status != 0:
        yield Finding(RULE, 1, f"git log failed: {output.strip()[-200:]}")
        return
    excused = re.findall(r"^Cause of ([0-9a-f]{7,40}): \S", messages, re.MULTILINE)
    for entry in output.split("\0")[1:]:
        commit, message, difference = entry.split("\x01", 2)
        if re.search(r"^Cause: \S", message, re.MULTILINE) or any(commit.startswith(one) for one in excused):
            continue
        raised = list(raises(difference))
        # Commits from before the rule could not know it.
        if raised and tree.run("git", "cat-file", "-e", f"{commit}^:{RULE}")[0] == 0:
            for path, line, old, new in raised:
                yield Finding(path, line, f"commit {commit[:12]} raises {old} to {new} without a line `Cause: …` in its message")


def raises(difference: str) -> Iterator[tuple[str, int, str, str]]:
    """The raised numbers of one commit: path, line, old, new."""
    path = ""
    removed: dict[str, list[str]] = {}
    added: list[tuple[int, str]] = []
    number = 0
    for line in [*difference.split("\n"), "diff --git"]:
        if line.startswith("diff --git"):
            yield from ((path, *one) for one in pairs(path, removed, added))
            path, removed, added = "", {}, []
        elif line.startswith("+++ "):
            path = line[4:].removeprefix("b/").strip('"')
        elif line.startswith("@@"):
            number = int(re.search(r"\+(\d+)", line)[1])
        elif line.startswith("-") and not line.startswith("--- "):
            removed.setdefault(skeleton(line[1:]), []).append(line[1:])
        elif line.startswith("+"):
            added.append((number, line[1:]))
            number += 1


def pairs(path: str, removed: dict[str, list[str]], added: list[tuple[int, str]]) -> Iterator[tuple[int, str, str]]:
    if not path or EXCLUDED.search(path):
        return
    for line, text in added:
        before = removed.get(skeleton(text))
        if not before or not (LIMIT.search(text) or path == COSTS):
            continue
        for old, new in zip(NUMBER.findall(before.pop(0)), NUMBER.findall(text)):
            if value(new) > value(old):
                yield line, old, new


def skeleton(line: str) -> str:
    """The line without its numbers and its indentation."""
    return NUMBER.sub("#", line).strip().rstrip(",")


def value(number: str) -> float:
    return float(number.replace("_", ""))
