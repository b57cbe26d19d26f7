#!/usr/bin/env python3
"""Runs the commands, the Python, the Swift and the C of the pages of this repository: documents.py [FILE…].

Tests/Tools/README.md says what each kind of fenced block means. The programs under test are the files that the environment
variables INKLING and INKLING_KIT name, or the release build; Swift is compiled against the build that INKLING_BUILD names, by
default that of the tests; C and Python use what INKLING_C_STAGE names, by default what `make c-library` installs.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / (os.environ.get("INKLING_BUILD") or ".build/node/debug")
LIBRARIES = ["InklingKeys", "InklingWire", "InklingEngine", "InklingPlatforms", "Inkling", "InklingVault", "InklingNode"]
# Other modules that they link, written in C.
KERNELS = ("CSHA256Lanes", "CNameLines", "CSecretMemory")
# After so long something hangs. Nothing here is judged by its speed.
HANG_SECONDS = 600
KINDS = {"console", "swift", "c", "python", "json", "sh", "text", ""}
# What `make c-library` installs, and strict options for compiling against it.
C_STAGE = ROOT / (os.environ.get("INKLING_C_STAGE") or ".build/c/stage")
# The Python package, and the library that it opens.
PYTHON = {
    "PYTHONPATH": str(next(ROOT.glob("Sources/**/inkling/__init__.py")).parents[1]),
    "INKLING_LIBRARY": str(C_STAGE / "lib/libinkling.so.1"),
    "PYTHONDONTWRITEBYTECODE": "1",
}
C_COMPILER = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"]


# Stands for `inkling` in documents. Nodes that run there have a clock that was at a boundary when the first of them was
# made and passes the next one 450 s later, so that no verdict depends on the time of day. `--wait` only says when to give up.
STAND_IN = """#!/bin/sh
verb=$1
case $verb in
init)
    [ -e "$HOME/.clock" ] || { PYTHON - >"$HOME/.clock" <<'END'
import time
now = int(time.time())
print("2@%d" % min(range(now - 3600, now + 1), key=lambda anchor: (2 * now - anchor) % 3600))
END
    }
    for word; do
        shift
        [ "$word" != --trust-clock ] || { set -- "$@" --demo-clock; word=$(cat "$HOME/.clock"); }
        set -- "$@" "$word"
    done
    ;;
run) set -- "$@" --demo-clock ;;
send)
    for word; do
        shift
        [ "$before" != --wait ] || word=HANG_SECONDS
        before=$word
        set -- "$@" "$word"
    done
    ;;
esac
exec INKLING "$@"
"""


@dataclass
class Block:
    line: int
    kind: str
    marks: list[str]
    lines: list[str] = field(default_factory=list)

    @property
    def terminal(self) -> str:
        return next((mark.removeprefix("terminal=") for mark in self.marks if mark.startswith("terminal=")), "")


def blocks_of(text: str) -> list[Block]:
    blocks: list[Block] = []
    current, fence = None, ""
    for number, line in enumerate(text.split("\n"), 1):
        opening = re.match(r"^\s*(`{3,})(.*)$", line)
        if current is None and opening:
            fence = opening[1]
            words = opening[2].split() or [""]
            current = Block(number, words[0], words[1:])
        elif current is not None and line.strip() == fence:
            blocks.append(current)
            current = None
        elif current is not None:
            current.lines.append(line)
    return blocks


class Terminal:
    """A shell that keeps its variables and folder from one command to the next."""

    def __init__(self, folder: Path, environment: dict[str, str]):
        self.process = subprocess.Popen(
            ["bash", "--norc"], cwd=folder, env=environment, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )
        self.output: Queue[str] = Queue()
        self.count = 0
        Thread(target=self.collect, daemon=True).start()

    def collect(self):
        for line in self.process.stdout:
            self.output.put(line.rstrip("\n"))

    def run(self, command: str) -> tuple[list[str], int]:
        """Returns the lines that a command printed and its exit status; None for a command that did not end in time."""
        self.count += 1
        mark = f"end-of-command-{os.getpid()}-{self.count}"
        # The mark begins with a line feed, in case the output does not end with one.
        self.write(f"eval {quoted(command)} </dev/null; printf '\\n{mark} %d\\n' $?")
        lines = []
        deadline = time.monotonic() + HANG_SECONDS
        while True:
            try:
                line = self.output.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                return lines, -1
            if line.startswith(mark):
                return lines, int(line.split()[1])
            lines.append(line)

    def start(self, command: str, log: Path):
        self.write(f"eval {quoted(command)} </dev/null >{quoted(str(log))} 2>&1 &")

    def write(self, text: str):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait(timeout=10)
        except ProcessLookupError:
            pass
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def commands_of(block: Block) -> list[tuple[int, str, list[str]]]:
    """The commands of a console block: line number, command, expected lines."""
    found: list[tuple[int, str, list[str]]] = []
    continued = False
    for offset, line in enumerate(block.lines, 1):
        if continued:
            number, command, expected = found[-1]
            found[-1] = (number, command + "\n" + line.removeprefix("> "), expected)
            continued = line.endswith("\\")
        elif line.startswith("$ "):
            found.append((block.line + offset, line[2:], []))
            continued = line.endswith("\\")
        elif found:
            found[-1][2].append(line.rstrip())
    return found


def pattern_of(expected: list[str]) -> re.Pattern:
    pieces = []
    for line in expected:
        if line.strip() == "…":
            pieces.append(r"(?:.*\n)*?")
        else:
            pieces.append(".*?".join(re.escape(part) for part in line.split("…")) + r"[ \t]*\n")
    return re.compile("".join(pieces))


def trimmed(lines: list[str]) -> list[str]:
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


class Document:
    def __init__(self, path: Path):
        self.path = path
        self.shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        self.blocks = blocks_of(path.read_text(encoding="utf-8"))
        self.faults: list[str] = []
        self.counts: dict[str, int] = {}
        self.terminals: dict[str, Terminal] = {}
        self.awaited: list[tuple[int, str, list[str], Path]] = []

    def fault(self, line: int, message: str):
        self.faults.append(f"{self.shown}:{line}: {message}")

    def check(self, inkling: Path, kit: Path):
        with tempfile.TemporaryDirectory(prefix="inkling-documents-") as folder:
            stand_in = Path(folder, ".bin", "inkling")
            stand_in.parent.mkdir()
            parts = {"PYTHON": sys.executable, "INKLING": quoted(str(inkling)), "HANG_SECONDS": str(HANG_SECONDS)}
            stand_in.write_text(re.sub("|".join(parts), lambda found: parts[found[0]], STAND_IN), encoding="utf-8")
            stand_in.chmod(0o755)
            Path(folder, ".bin", "inkling-kit").symlink_to(kit.resolve())
            environment = {
                "HOME": folder, "LANG": "C.UTF-8", "TERM": "dumb", "COLUMNS": "100",
                "PATH": f"{stand_in.parent}:{os.environ['PATH']}",
                "VECTORS": str(ROOT / "Vectors"), **PYTHON,
            }
            try:
                for number, block in enumerate(self.blocks):
                    self.check_block(block, number, Path(folder), environment)
                for line, command, expected, log in self.awaited:
                    self.wait_for(line, command, expected, log, len(expected))
            finally:
                for terminal in self.terminals.values():
                    terminal.close()

    def check_block(self, block: Block, number: int, folder: Path, environment: dict[str, str]):
        if block.kind not in KINDS:
            self.fault(block.line, f"unknown kind of fence, {block.kind}; use `text` for blocks that are not checked")
            return
        text = "\n".join(block.lines) + "\n"
        done = True
        if block.kind == "console" and "no-run" not in block.marks:
            self.run_console(block, number, folder, environment)
        elif block.kind == "swift":
            self.compile_swift(block, text, runs="no-run" not in block.marks)
        elif block.kind == "c":
            self.compile_c(block, text, runs="no-run" not in block.marks)
        elif block.kind == "python":
            self.run_python(block, text, runs="no-run" not in block.marks)
        elif block.kind == "json":
            self.parse_json(block, text)
        elif block.kind == "sh":
            parsed = subprocess.run(["sh", "-n"], input=text, text=True, capture_output=True, check=False)
            if parsed.returncode != 0:
                self.fault(block.line, f"does not parse: {parsed.stderr.strip()}")
        else:
            done = False
        if done:
            self.counts[block.kind] = self.counts.get(block.kind, 0) + 1

    def run_console(self, block: Block, number: int, folder: Path, environment: dict[str, str]):
        terminal = self.terminals.get(block.terminal)
        if terminal is None:
            terminal = self.terminals[block.terminal] = Terminal(folder, environment)
        commands = commands_of(block)
        if not commands:
            self.fault(block.line, "a console block without a line that begins with `$ `")
        for index, (line, command, expected) in enumerate(commands):
            if "background" in block.marks and index == len(commands) - 1:
                log = folder / f".background-{number}"
                terminal.start(command, log)
                expected = [text for text in expected if text.strip() not in ("", "…")]
                self.awaited.append((line, command, expected, log))
                # Its first line shows that it is ready, which the next block may rely on.
                self.wait_for(line, command, expected, log, min(1, len(expected)))
                continue
            lines, status = terminal.run(command)
            actual, wanted = trimmed(lines), trimmed(expected)
            if status == -1:
                self.fault(line, f"HANG: `{command}` did not end within {HANG_SECONDS} s; it printed:\n{indented(actual)}")
                # Its later output must not be taken for that of the next command.
                self.terminals.pop(block.terminal).close()
                return
            if (status != 0) != ("fails" in block.marks):
                self.fault(line, f"`{command}` ended with status {status}; it printed:\n{indented(actual)}")
            elif not pattern_of(wanted).fullmatch("".join(text + "\n" for text in actual)):
                self.fault(line, f"`{command}` printed\n{indented(actual)}\n  but the document has\n{indented(wanted)}")

    def wait_for(self, line: int, command: str, expected: list[str], log: Path, count: int):
        wanted = pattern_of([text for item in expected[:count] for text in ("…", item)] + ["…"])
        deadline = time.monotonic() + HANG_SECONDS
        printed = ""
        while time.monotonic() < deadline:
            printed = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
            if wanted.fullmatch(printed):
                return
            time.sleep(0.1)
        self.fault(line, f"HANG: `{command}` runs and has printed after {HANG_SECONDS} s\n{indented(printed.splitlines())}\n  but the document has\n{indented(expected)}")

    def compile_swift(self, block: Block, text: str, runs: bool):
        # The folder may also contain objects of sources that were removed.
        objects = [
            str(file) for name in (*LIBRARIES, *KERNELS) for file in sorted((BUILD / f"{name}.build").rglob("*.o"))
            if any((ROOT / "Sources").glob(f"*/{name}/**/{file.stem}"))
        ]
        if not re.search(r"^\s*(?:\w+\s+)?import\s", text, re.MULTILINE):
            text = "".join(f"import {name}\n" for name in LIBRARIES) + text
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "main.swift"
            source.write_text(text, encoding="utf-8")
            maps = sorted((ROOT / "Sources").glob("*/*/module.modulemap")) + sorted((ROOT / "Sources").glob("*/*/include/module.modulemap"))
            command = ["swiftc", "-swift-version", "6", "-I", str(BUILD / "Modules"), str(source), *objects]
            for file in maps:
                command += ["-Xcc", f"-fmodule-map-file={file}"]
            command += ["-lsodium", "-o", f"{folder}/block"]
            built = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            if built.returncode != 0:
                self.fault(block.line, f"this Swift does not compile:\n{indented(built.stdout.splitlines()[:20])}")
            elif runs:
                ran = subprocess.run(
                    [f"{folder}/block"], text=True, timeout=HANG_SECONDS, check=False,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                    env={**os.environ, "SWIFT_BACKTRACE": "enable=no"},
                )
                if ran.returncode != 0:
                    self.fault(block.line, f"this Swift ends with status {ran.returncode}:\n{indented(ran.stdout.splitlines())}")

    def compile_c(self, block: Block, text: str, runs: bool):
        with tempfile.TemporaryDirectory() as folder:
            program = f"{folder}/block"
            environment = {
                **os.environ, "PKG_CONFIG_PATH": str(C_STAGE / "lib/pkgconfig"), "LD_LIBRARY_PATH": str(C_STAGE / "lib")}
            asked = subprocess.run(
                ["pkg-config", "--cflags", "--libs", "inkling"], env=environment, text=True, check=False,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if asked.returncode != 0:
                self.fault(block.line, f"the C library is missing; build it with `make c-library`:\n{indented(asked.stdout.splitlines())}")
                return
            goal = ["-o", program] if runs else ["-c", "-o", f"{program}.o"]
            built = subprocess.run(
                [*C_COMPILER, "-x", "c", "-", "-x", "none", *goal, *asked.stdout.split()], env=environment, input=text,
                text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if built.returncode != 0:
                self.fault(block.line, f"this C does not compile:\n{indented(built.stdout.splitlines()[:20])}")
            elif runs:
                ran = subprocess.run(
                    [program], env=environment, text=True, timeout=HANG_SECONDS, check=False,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                if ran.returncode != 0:
                    self.fault(block.line, f"this C ends with status {ran.returncode}:\n{indented(ran.stdout.splitlines())}")

    def run_python(self, block: Block, text: str, runs: bool):
        try:
            compile(text, str(self.path), "exec")
        except SyntaxError as error:
            self.fault(block.line + (error.lineno or 0), f"does not parse: {error.msg}")
            return
        if runs:
            ran = subprocess.run(
                [sys.executable, "-"], input=text, text=True, timeout=HANG_SECONDS, check=False, env={**os.environ, **PYTHON},
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if ran.returncode != 0:
                self.fault(block.line, f"this Python ends with status {ran.returncode}:\n{indented(ran.stdout.splitlines())}")

    def parse_json(self, block: Block, text: str):
        try:
            json.loads(text)
        except ValueError:
            for offset, line in enumerate(block.lines, 1):
                try:
                    if line.strip():
                        json.loads(line)
                except ValueError as error:
                    self.fault(block.line + offset, f"neither one JSON value nor one per line: {error}")
                    return


def indented(lines: list[str]) -> str:
    return "\n".join(f"    {line}" for line in lines) or "    (nothing)"


def pages() -> list[Path]:
    """Every page whose blocks are claims. The catalogues of DocC show parts of programs that Tests/Examples builds."""
    found = [ROOT / "README.md", ROOT / "CHANGELOG.md"]
    for folder in (".github", "Sources", "Specs", "Tests", "Vectors"):
        found += sorted(
            path for path in (ROOT / folder).rglob("*.md")
            if not any(part.startswith(".build") or part.endswith(".docc") for part in path.parts))
    return [path for path in found if path.exists()]


def main() -> int:
    inkling = Path(os.environ.get("INKLING") or ROOT / ".build/inkling")
    kit = Path(os.environ.get("INKLING_KIT") or ROOT / ".build/inkling-kit")
    paths = [Path(argument).resolve() for argument in sys.argv[1:]]
    # A page without blocks has nothing to check.
    documents = [Document(path) for path in paths or pages()]
    documents = [document for document in documents if paths or document.blocks]
    if any(block.kind == "swift" for document in documents for block in document.blocks):
        if not (BUILD / "Modules").is_dir():
            print(f"documents.py: {BUILD} contains no modules; build the tests first", file=sys.stderr)
            return 1
    for program in (inkling, kit):
        if not program.exists() and any(block.kind == "console" for document in documents for block in document.blocks):
            print(f"documents.py: {program} is missing; build it with `make build`", file=sys.stderr)
            return 1
    for document in documents:
        document.check(inkling, kit)
        summary = ", ".join(f"{count} {kind}" for kind, count in sorted(document.counts.items())) or "nothing to check"
        print(f"{'✗' if document.faults else '✓'} {document.shown}: {summary}")
    for fault in (fault for document in documents for fault in document.faults):
        print(fault, file=sys.stderr)
    return 1 if any(document.faults for document in documents) else 0


if __name__ == "__main__":
    sys.exit(main())
