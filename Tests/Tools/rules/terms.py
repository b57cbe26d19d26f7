"""One concept, one word: the words that the table of terms rejects are not used.

The table under the heading *Terms* of Specs/README.md has a column `not` with rejected words in code spans, and a column
`in code`. A whole word counts, in upper or lower case, also in the plural. A word with other meanings has a pattern in
`PROSE` and one in `CODE`. In sources only the marked rows apply, to names and to comments.
"""

import re
from functools import cache

from tree import Finding, Tree, blanked

TITLE = "words that the table of terms rejects are not used"
TABLE = "Specs/README.md"
# Where the rule looks.
FOLDERS = ("Specs", "README.md", ".github", "Sources", "Tests/README.md", "Tests/Benchmarks/README.md")

# Words with other meanings, in text. `hour` is rejected as the name of a period and allowed as a duration: 24 hours, every
# hour, a quarter hour, the hour from 16:00.
PROSE = {
    "hour": r"\bhourly\b"
    r"|\b(?:the|this|that|its|each|current|present|previous|same|earlier|later|next|new|some) hours?\b(?! from)"
    r"|\bhours that\b",
    # The prefix of requirements and operations is allowed: it names the page.
    "NAN": r"(?-i:(?<![\w-])NAN(?![\w-]))",
}
# The same in names, which are split into words: `nextHourKey` is `next hour key`.
CODE = {
    "hour": r"\bhour\b(?<!per hour)(?! limit)",
}
# Where the names mean 60 minutes, or a part of the time of day, and no period.
HOURS = {
    "Sources/Core/InklingKeys/RotationSchedule.swift",
    "Sources/Kit/InklingMatching/LogTime.swift",
    "Sources/Policy/InklingPlatforms/Lifecycle/RelaunchRule.swift",
}
COMMENT = re.compile(r"^\s*(?:///|//|/?\*)(.*)")


def findings(tree: Tree):
    terms = rejected(tree)
    if not terms:
        yield Finding(TABLE, 1, "no table of terms: a heading Terms, and a table with the columns term, not and in code")
        return
    marked = [term for term in terms if term[2]]
    in_prose, in_comments, in_names = rules_of(terms, PROSE), rules_of(marked, PROSE), rules_of(marked, CODE)
    in_names_with_hours = rules_of([term for term in marked if term[0] != "hour"], CODE)
    for path in tree.files(*FOLDERS):
        if path.endswith(".md"):
            for line, text in prose_lines(tree, path):
                yield from found(path, line, text, in_prose)
        elif path.startswith("Sources/") and path.endswith((".swift", ".h")):
            rules = in_names_with_hours if path in HOURS else in_names
            for line, message in in_source(tree.text(path), in_comments, rules):
                yield Finding(path, line, message)


# Cached because self_test.py runs the rule many times over nearly the same files.
@cache
def in_source(
    text: str, in_comments: tuple[tuple[re.Pattern, str], ...], in_names: tuple[tuple[re.Pattern, str], ...]
) -> list[tuple[int, str]]:
    """The lines of comments and of names that use a rejected word, and what to say of each."""
    found = []
    for line, comment in enumerate(text.split("\n"), 1):
        if says := COMMENT.match(comment):
            found += [(line, message) for message in messages(says[1], in_comments)]
    for line, code in enumerate(blanked(text).split("\n"), 1):
        for name in re.findall(r"[A-Za-z_]\w+", code):
            found += [(line, message) for message in messages(words_of(name), in_names)]
    return found


def rules_of(terms: list[tuple[str, str, bool]], patterns: dict[str, str]) -> tuple[tuple[re.Pattern, str], ...]:
    """Returns the pattern of each rejected word, and its term."""
    return tuple(
        (re.compile(patterns.get(word) or rf"\b{re.escape(word)}(?:s|es)?\b", re.IGNORECASE), term) for word, term, _ in terms)


def found(path: str, line: int, text: str, rules: tuple[tuple[re.Pattern, str], ...]):
    for message in messages(text, rules):
        yield Finding(path, line, message)


# The same names occur thousands of times.
@cache
def messages(text: str, rules: tuple[tuple[re.Pattern, str], ...]) -> list[str]:
    matches = ((pattern.search(text), term) for pattern, term in rules)
    return [f"“{match[0]}”: use {term} (table of terms in {TABLE})" for match, term in matches if match]


def rejected(tree: Tree) -> list[tuple[str, str, bool]]:
    """Returns each rejected word, its term, and whether the row applies to code."""
    terms = []
    columns: dict[str, int] = {}
    is_inside = False
    for _, text in tree.lines(TABLE) if tree.exists(TABLE) else []:
        if heading := re.match(r"#+\s+(.*)$", text):
            is_inside = heading[1].strip() == "Terms"
            columns = {}
        elif is_inside and text.startswith("|"):
            cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
            if not columns:
                columns = {cell: place for place, cell in enumerate(cells)}
            elif {"term", "not", "in code"} <= set(columns) and len(cells) == len(columns):
                for word in re.findall(r"`([^`]+)`", cells[columns["not"]]):
                    terms.append((word, cells[columns["term"]], cells[columns["in code"]] == "yes"))
    return terms


def prose_lines(tree: Tree, path: str):
    """Yields lines outside code blocks, without code spans and link targets. Leaves out the table itself, which contains the
    words, and rows that quote the names of tests."""
    is_code = is_table = False
    for line, text in tree.lines(path):
        if text.lstrip().startswith("```"):
            is_code = not is_code
        if path == TABLE and text.startswith("#"):
            is_table = text.lstrip("# ").strip() == "Terms"
        if not is_code and not is_table and not re.match(r"\|\s*`?INK-[A-Z]{2,4}-\d{3}`?\s*\|", text):
            yield line, re.sub(r"`[^`]*`|\]\([^)]*\)", " ", text)


@cache
def words_of(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name).replace("_", " ").strip().lower()
