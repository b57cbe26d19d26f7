"""The digests of what the generator reads and of the files that it writes, as they were when it last wrote or compared them.

    python3 -m generator.tools.digest    fails unless the generator and the files are those of `generated.sha256`

To generate takes minutes, and gives the same files from the same sources. Needs the standard library alone.
"""

import hashlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "generated.sha256"
# A page that a model reads.
PAGES = [ROOT.parent / "Specs/platforms.md"]


def generated(root: Path) -> list[Path]:
    """The files that the generator writes. `convert_external.py` writes the others."""
    return sorted([*root.glob("*.json"), *(path for path in root.glob("schema/*.json") if not path.name.startswith("external"))])


def digest(paths: list[Path]) -> str:
    whole = hashlib.sha256()
    for path in paths:
        name = str(path.relative_to(ROOT.parent)).encode()
        content = path.read_bytes()
        whole.update(b"%d %s %d " % (len(name), name, len(content)))
        whole.update(content)
    return whole.hexdigest()


def present() -> str:
    sources = [*sorted((ROOT / "generator").rglob("*.py")), ROOT / "generator/requirements.txt", *PAGES]
    return f"{digest(sources)}  generator\n{digest(generated(ROOT))}  files\n"


def record():
    RECORD.write_text(present(), encoding="utf-8")


def main() -> int:
    recorded = RECORD.read_text(encoding="utf-8") if RECORD.exists() else ""
    if recorded == present():
        print("The generator and its files are those that were compared last.")
        return 0
    changed = [line.split()[1] for line in present().splitlines() if line not in recorded.splitlines()]
    print(f"Changed since they were compared last: {' and '.join(changed)}.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
