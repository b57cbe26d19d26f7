"""The suites outside of `make test`, which Tests/suites.json declares, and their records in Tests/records.json.

A suite says what question it answers, the commands that answer it, and the paths on which the answer depends. A record says on
which inputs a suite passed last. Its inputs are one digest for each declared path, of git's blob ids of the tracked files below
it as they are in the work tree, so that a record that no longer applies can name what changed, in every clone.
"""

import hashlib
import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DECLARATION = "Tests/suites.json"
RECORDS = "Tests/records.json"
# What runs of suites and of the gate write, and thus no input of any.
PAPERS = {RECORDS, "Tests/costs.json", "Tests/quarantine.json"}

# What a suite prints for its record, each on a line of its own. `not found` fails the suite.
FIGURE = re.compile(r"^figure: (.+?) = (.+)$", re.MULTILINE)
SEED = re.compile(r"^seed: (.+?) = (.+)$", re.MULTILINE)
PLANTED = re.compile(r"^planted: (.+?) (found|not found)$", re.MULTILINE)


@dataclass(frozen=True)
class Suite:
    """One suite. `prepare` builds and installs what `commands` need; only `commands` are measured."""

    name: str
    question: str
    #: `.ci/run`, which runs it after `make test`, or `by hand`.
    when: str
    prepare: list[str]
    commands: list[str]
    paths: list[str]
    minutes: int

    @property
    def programs(self) -> list[str]:
        """The files of the repository that the commands run."""
        return [word for command in self.commands for word in command.split() if word.startswith(("Tests/", ".ci/"))]


class Declaration:
    """The content of Tests/suites.json."""

    def __init__(self, text: str):
        content = json.loads(text)
        self.sets: dict[str, list[str]] = content["sets"]
        #: Programs that `make test` runs, each with the step or the test that runs it.
        self.gate: dict[str, str] = content["gate"]
        self.suites = {
            name: Suite(name=name, **{**one, "paths": self.expanded(one["paths"])}) for name, one in content["suites"].items()
        }

    def expanded(self, paths: list[str]) -> list[str]:
        """The paths, with what each `@set` stands for in its place."""
        found = []
        for path in paths:
            found += self.expanded(self.sets[path[1:]]) if path.startswith("@") else [path]
        return sorted(set(found))

    def suites_of(self, program: str) -> list[str]:
        """The suites that run a program."""
        return [name for name, suite in self.suites.items() if program in suite.programs]


def declared(root: Path = ROOT) -> Declaration:
    return Declaration((root / DECLARATION).read_text(encoding="utf-8"))


def records(root: Path = ROOT) -> dict[str, dict]:
    path = root / RECORDS
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write_records(content: dict[str, dict], root: Path = ROOT):
    """Writes one block a suite in the order of their names, so that records of two suites merge."""
    (root / RECORDS).write_text(json.dumps(dict(sorted(content.items())), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


# Inputs


def git(*words: str, root: Path = ROOT, given: str | None = None) -> str:
    return subprocess.run(["git", *words], cwd=root, input=given, capture_output=True, text=True, check=True).stdout


class Inputs:
    """The tracked files of a work tree with their blob ids, and which of them differ from the last commit."""

    def __init__(self, root: Path = ROOT):
        self.blobs: dict[str, str] = {}
        for row in git("ls-files", "-s", "-z", root=root).split("\0")[:-1]:
            meta, path = row.split("\t", 1)
            self.blobs[path] = meta.split()[1]
        staged = git("diff", "--cached", "--name-only", "-z", root=root).split("\0")[:-1]
        changed = git("diff", "--name-only", "-z", root=root).split("\0")[:-1]
        new = git("ls-files", "--others", "--exclude-standard", "-z", root=root).split("\0")[:-1]
        self.dirty = sorted({*staged, *changed, *new} - PAPERS)
        for path in changed:
            file = root / path
            if file.is_symlink() or file.is_file():
                content = str(file.readlink()).encode() if file.is_symlink() else file.read_bytes()
                self.blobs[path] = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
            else:
                del self.blobs[path]

    def below(self, path: str) -> list[str]:
        return [one for one in self.blobs if (one == path or one.startswith(f"{path}/")) and one not in PAPERS]

    def dirty_below(self, paths: list[str]) -> list[str]:
        return [one for one in self.dirty if any(one == path or one.startswith(f"{path}/") for path in paths)]

    def divided(self, path: str) -> set[str]:
        """What a path stands for: a folder of the root stands for what is in it, and Sources for the targets of its houses, so that a
        stale record says which part changed."""
        depth = 3 if path == "Sources" else 2
        return {"/".join(one.split("/")[:depth]) for one in self.below(path)} if "/" not in path else {path}

    def digests(self, paths: list[str]) -> dict[str, str]:
        """A digest for each path: what git would call a different content is a different digest."""
        result = {}
        for path in sorted(set().union(*map(self.divided, paths))):
            rows = "".join(f"{one} {self.blobs[one]}\n" for one in sorted(self.below(path)))
            result[path] = hashlib.sha256(rows.encode()).hexdigest()[:16]
        return result


def stale_paths(record: dict, suite: Suite, inputs: Inputs) -> list[str]:
    """The paths of a suite whose content is not that of its record, or that one of both does not name."""
    now, then = inputs.digests(suite.paths), record["inputs"]
    return sorted(path for path in {*now, *then} if now.get(path) != then.get(path))


def states(declaration: Declaration, kept: dict[str, dict], inputs: Inputs) -> dict[str, list[str] | None]:
    """For each suite None when it was never recorded, and otherwise the paths that make its record stale."""
    return {
        name: stale_paths(kept[name], suite, inputs) if name in kept else None
        for name, suite in declaration.suites.items()
    }
