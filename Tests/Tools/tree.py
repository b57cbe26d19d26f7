"""What the rules read: files, lines, Swift code without comments and strings; and their findings."""

import os
import re
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SKIPPED_FOLDERS = {".build", ".git", ".venv", "__pycache__", "out", "FailCases"}


def target_of(path: str) -> str:
    """The target whose folder contains a file of Sources, in whichever house it is; empty for another file."""
    parts = path.split("/")
    return parts[2] if parts[0] == "Sources" and len(parts) > 3 else ""


@dataclass(frozen=True, order=True)
class Finding:
    """One violation. A note is printed and does not fail the check."""

    path: str
    line: int
    message: str
    is_note: bool = False


class Tree:
    """The files of one copy of the repository. What was read once is not read again."""

    def __init__(self, root: Path):
        self.root = root.resolve()
        self.listed: dict[str, list[str]] = {}
        self.texts: dict[str, str] = {}

    def files(self, *folders: str, suffix: str = "") -> list[str]:
        """Returns the paths under `folders`, which may contain single files, sorted and relative to the root."""
        found = set()
        for folder in folders:
            if folder not in self.listed:
                self.listed[folder] = self.walked(folder)
            found.update(self.listed[folder] if not suffix else (path for path in self.listed[folder] if path.endswith(suffix)))
        return sorted(found)

    def files_of_target(self, name: str, suffix: str = "") -> list[str]:
        return [path for path in self.files("Sources", suffix=suffix) if target_of(path) == name]

    def walked(self, folder: str) -> list[str]:
        start = self.root / folder
        if start.is_file():
            return [folder]
        found = []
        for place, folders, names in os.walk(start):
            folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
            inside = os.path.relpath(place, self.root)
            found += [os.path.join(inside, name) for name in names if os.path.isfile(os.path.join(place, name))]
        return found

    def text(self, path: str) -> str:
        if path not in self.texts:
            self.texts[path] = (self.root / path).read_text(encoding="utf-8")
        return self.texts[path]

    def with_changed(self, path: str) -> "Tree":
        """The same files after one of them was written, added or removed."""
        changed = Tree(self.root)
        changed.texts = {name: text for name, text in self.texts.items() if name != path}
        changed.listed = {folder: names for folder, names in self.listed.items() if not path.startswith(f"{folder}/")}
        return changed

    def lines(self, path: str) -> list[tuple[int, str]]:
        return list(enumerate(self.text(path).split("\n"), 1))

    def code_lines(self, path: str) -> list[tuple[int, str]]:
        """Swift or C lines with comments, string contents and raw identifiers blanked out."""
        return list(enumerate(blanked(self.text(path)).split("\n"), 1))

    def exists(self, path: str) -> bool:
        return (self.root / path).exists()

    def run(self, *command: str) -> tuple[int, str]:
        """The status and all output of a command run at the root."""
        done = subprocess.run(
            command, cwd=self.root, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        return done.returncode, done.stdout


# Order matters: the first alternative that matches wins, so comments and raw strings come before plain strings.
TOKEN = re.compile(
    r"""
      (?P<line_comment>//[^\n]*)
    | (?P<block_comment>/\*)
    | (?P<raw_string>(?P<hashes>\#+)(?P<quotes>\"\"\"|\").*?(?P=quotes)(?P=hashes))
    | (?P<long_string>\"\"\".*?(?<!\\)\"\"\")
    | (?P<string>\"(?:\\.|[^\"\\\n])*\")
    | (?P<identifier>`[^`\n]+`)
    """,
    re.VERBOSE | re.DOTALL,
)


@cache
def tokens(text: str) -> tuple[tuple[str, int, int], ...]:
    """The comments, strings and raw identifiers of Swift or C text: kind, start and end."""
    found = []
    position = 0
    while match := TOKEN.search(text, position):
        kind, end = match.lastgroup, match.end()
        if match.group("block_comment"):
            kind, end = "block_comment", end_of_block_comment(text, match.start())
        elif match.group("raw_string"):
            kind = "raw_string"
        found.append((kind, match.start(), end))
        position = end
    return tuple(found)


def end_of_block_comment(text: str, start: int) -> int:
    depth = 0
    for mark in re.finditer(r"/\*|\*/", text[start:]):
        depth += 1 if mark.group() == "/*" else -1
        if depth == 0:
            return start + mark.end()
    return len(text)


@cache
def blanked(text: str) -> str:
    """The text with the contents of comments, strings and raw identifiers replaced."""
    pieces = []
    position = 0
    for kind, start, end in tokens(text):
        pieces.append(text[position:start])
        inside = text[start:end]
        # Each character becomes a letter, so that `\(…)!` in a string or a name like `is it!` does not look like code.
        filler = " " if "comment" in kind else "s"
        pieces.append(re.sub(r"[^\n]", filler, inside))
        position = end
    pieces.append(text[position:])
    return "".join(pieces)


def string_literals(text: str) -> list[tuple[int, str]]:
    """The contents of the plain one-line string literals of Swift text, each with its line."""
    return [
        (text.count("\n", 0, start) + 1, text[start + 1 : end - 1])
        for kind, start, end in tokens(text)
        if kind == "string"
    ]
