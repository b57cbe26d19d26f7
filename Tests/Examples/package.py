"""Builds a package that depends on Inkling by URL, as any user's does. A bare repository with a copy of this working
tree stands in for the URL."""

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
URL = "https://example.org/inkling.git"


def copy_working_tree(scratch: Path) -> tuple[Path, str]:
    """Commits the working tree with its uncommitted changes to the copy. Equal trees give equal commits."""
    scratch.mkdir(parents=True, exist_ok=True)
    copy = scratch / "inkling.git"
    if not copy.exists():
        subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", copy], check=True)
    moment = "2026-01-01T00:00:00Z"
    environment = {
        **os.environ, "GIT_DIR": str(copy), "GIT_WORK_TREE": str(ROOT), "GIT_INDEX_FILE": str(scratch / "index"),
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_AUTHOR_DATE": moment,
        "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_COMMITTER_DATE": moment,
    }

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.strip()

    git("add", "--all")
    commit = git("commit-tree", "-m", "The working tree", git("write-tree"))
    git("update-ref", "refs/heads/main", commit)
    return copy, commit


def build(package: Path, scratch: Path, *before: str | Path) -> tuple[str, dict[str, str]]:
    """Builds the package and returns the commit of the copy and the fetched revisions by package identity.

    `before` is put in front of the build command.
    """
    copy, commit = copy_working_tree(scratch)
    configuration = scratch / "configuration"
    configuration.mkdir(exist_ok=True)
    mirror = {"original": URL, "mirror": copy.as_uri()}
    (configuration / "mirrors.json").write_text(json.dumps({"object": [mirror], "version": 1}), encoding="utf-8")
    words = ["--package-path", package, "--scratch-path", scratch, "--config-path", configuration]
    # Without an update, a build uses the working tree that it resolved before, even if Package.resolved is missing.
    subprocess.run(["swift", "package", "--quiet", *words, "update"], check=True)
    subprocess.run([*before, "swift", "build", "--quiet", "-debug-info-format", "none", *words], check=True)
    pins = json.loads((package / "Package.resolved").read_text(encoding="utf-8"))["pins"]
    return commit, {pin["identity"]: pin["state"]["revision"] for pin in pins}
