"""Replays recorded runs of two sides in the Promela model accept.pml: Spin searches whether the model can take all steps.

A change counts where the event was that made it, if it reached the disk; a change that a side lost is no step. Each run is
replayed with two ends: as if both sides ended there, so that nothing may have left that rests on what was not stored, and
after the saves in progress and the calls with which it concluded.
"""

import copy
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

MODEL = Path(__file__).resolve().parent / "accept.pml"
KIND = {name: int(number) for name, number in re.findall(r"^#define (\w+) (\d+)\s*/\*", MODEL.read_text(), re.MULTILINE)}
STANDINGS = ("none", "waiting", "half-finished", "complete")
PROPERTIES = {
    1: "a full grant has left, and the first one's end is listed",
    2: "a grant leaves before the other has accepted",
    3: "a caller never finds the key of the other",
}
# Effects that are a step of the model; "open" and "close" of a link follow from others.
SENDS = {"accept": "ACCEPTS", "decline": "DECLINES", "hello": "GREETS"}


@dataclass(frozen=True)
class Verdict:
    """`place` is the step that the model cannot take; `broken` the property that does not hold."""

    accepted: bool
    place: int | None = None
    broken: int | None = None

    @property
    def holds(self):
        return self.accepted and self.broken is None

    def said(self, steps):
        if self.broken is not None:
            return f"violates: {PROPERTIES[self.broken]}"
        if self.accepted:
            return "accepted"
        return f"refused at step {self.place + 1} of {len(steps)}, {described(steps[self.place])}"


def described(step):
    name = next(name for name, number in KIND.items() if number == step[0])
    if name == "KEEPS":
        keys = [number for number in range(8) if step[2] >> number & 1]
        granted = ("nothing", "at the start", "first", "full")[step[3] >> 2 & 3]
        shared = {0: "none", 7: "one that is not kept"}.get(step[4], step[4])
        stored = f"{STANDINGS[step[3] & 3]}, keys {keys}, shared {shared}, turn {step[3] >> 4}, granted {granted}"
        return f"where side {step[1]} has stored: {stored}"
    return f"{name} of side {step[1]}" + (f" ({step[2]})" if step[2] else "")


def durable(log, number):
    """The entries of a side whose changes reach the disk, and for each entry whose save does, what the disk has then."""
    kept, written = set(), {}
    changed, saving, save = [], [], None
    for place, (side, event, members, _, known, effects) in enumerate(log):
        if side != number or event in ("meet", "expire"):
            continue
        changed.append(place)
        if event == "saved" or members.get("written"):
            if save is not None:
                kept |= set(saving)
                written[save] = known
            saving, save = [], None
        if event == "crash":
            changed, saving, save = [], [], None
            kept.add(place)
        for one in effects:
            if one["effect"] == "save":
                saving, save, changed = changed, place, []
        if save is None:
            kept |= set(changed)
            changed = []
    return kept, written


def fields_of(effect, known, ends):
    """The step that compares what is stored: numbers of keys become those of the first contacts."""
    keys = sum(1 << (known.get(key) or 0) for key in effect["keys"])
    shared = known.get(effect["shared"]) or 7 if "shared" in effect else 0
    granted = ends[effect["granted"]] if "granted" in effect else 0
    return keys, STANDINGS.index(effect["standing"]) | granted << 2 | effect["turn"] << 4, shared


def finished(world, broken):
    """A copy of a world after its last calls and the saves in progress; `broken` is what a world raises that breaks a rule."""
    world = copy.deepcopy(world.concluded or world, {id(world.module): world.module})
    for number in range(2):
        while world.sides[number].writing is not None:
            try:
                world.settle(number)
            except broken:
                pass
    return world


def translate(world, period, spans):
    """The steps of the model that a world's log stands for, until both sides end."""
    log = world.log
    ends = {period: 1, period + spans[0] - 1: 2, period + spans[1] - 1: 3}
    marks = [durable(log, number) for number in range(2)]
    steps = []
    stored = [(0, 0, 0) if world.strangers else (2, STANDINGS.index("complete") | 1 << 2, 1)] * 2
    pending = [None, None]  # the save in progress: its place in the log

    def say(name, number, *details):
        steps.append((KIND[name], number, *details, *[0] * (3 - len(details))))

    for place, (number, event, members, contact, known, effects) in enumerate(log):
        kept = place in marks[number][0]
        key = known.get(members.get("key")) or 0
        if event == "meet":
            links = [log[place + 1 + side] if place + 1 + side < len(log) else None for side in range(2)]
            has = [
                one is not None and one[:2] == (side, "begin") and any(effect["effect"] == "ask" for effect in one[5])
                for side, one in enumerate(links)
            ]
            say("MEET", 0, has[0] + 2 * has[1])
            continue
        if event == "expire":
            say("EXPIRES", number)
            continue
        own = {
            "agree": ("AGREE",), "accept": ("ACCEPTED",), "decline": ("DECLINED",), "remove": ("REMOVES",),
            "message-2": ("OPENS", key),
            "record": ("GREETED",) if members.get("session") == 0 else ("HEARS", key),
            "compare": ("COMPARES", sum(members.get(name, 0) << at for at, name in enumerate(("named", "held", "lacking")))),
        }.get(event)
        if own and kept:
            say(own[0], number, *own[1:])
        elif event == "lost" and any(one["effect"] == "close" for one in effects):
            say("LOSES", number)
        elif event == "crash":
            say("CRASHES", number)
        if event == "saved" or event == "crash":
            pending[number] = None
        for one in effects if event != "begin" else ():
            kind = one["effect"]
            if kind == "send" and one["record"] in SENDS:
                say(SENDS[one["record"]], number)
            elif kind == "close":
                say("ENDS", number)
            elif kind == "use":
                say("ANSWERS", number, known.get(one["key"]) or 0)
            elif kind == "proceed":
                say("PROCEEDS", number)
            elif kind == "grant":
                say("GRANTS", number, {"first": 2, "full": 3}[one["span"]])
            elif kind == "save":
                pending[number] = place
                if place in marks[number][1]:
                    stored[number] = fields_of(one, marks[number][1][place], ends)
                    say("KEEPS", number, *stored[number])
        if pending[number] is None:
            say("KEEPS", number, *stored[number])
    for number in range(2):
        say("CRASHES", number)
        say("KEEPS", number, *stored[number])
    return steps


def trace(runs):
    """trace.h: the steps of all runs, and what notes how far each one comes."""
    starts, rows = [0], []
    for _, steps in runs:
        rows += steps
        starts.append(len(rows))
    return "\n".join([
        "#include <stdio.h>",
        "#include <stdlib.h>",
        f"#define RUNS {len(runs)}",
        f"static const unsigned char steps[][5] = {{{','.join('{%d,%d,%d,%d,%d}' % row for row in rows)}}};",
        f"static const int starts[] = {{{','.join(map(str, starts))}}};",
        f"static const unsigned char strangers[] = {{{','.join(str(int(strange)) for strange, _ in runs)}}};",
        "static int furthest[RUNS], taken[RUNS], broken[RUNS];",
        "static void tell(void) {",
        '    for (int run = 0; run < RUNS; run++) printf("= %d %d %d %d\\n", run, taken[run], furthest[run] - starts[run], broken[run]);',
        "}",
        "static void reaches(int run, int at) { if (at > furthest[run]) furthest[run] = at; }",
        "static void accepts(int run) { taken[run] = 1; }",
        "static void violates(int run, int rule) { if (!broken[run]) broken[run] = rule; }",
        "__attribute__((constructor)) static void begin(void) { atexit(tell); }",
        "",
    ])


def spin(folder, flags):
    """Writes and compiles the search of the model into a folder; returns the program."""
    copy = Path(folder) / MODEL.name
    copy.write_bytes(MODEL.read_bytes())
    subprocess.run(["spin", *flags, "-a", copy.name], cwd=folder, check=True, capture_output=True)
    subprocess.run(
        ["gcc", "-O0", "-w", "-DSAFETY", "-DVECTORSZ=512", "-DNOREDUCE", "-o", "pan", "pan.c"], cwd=folder, check=True
    )
    return Path(folder) / "pan"


def search(flags):
    """Whether every property holds in all orders of the steps; `flags` plant a weaker reading or choose the world."""
    with tempfile.TemporaryDirectory() as folder:
        program = spin(folder, flags)
        done = subprocess.run([program, "-m200000", "-E"], cwd=folder, capture_output=True, text=True, check=False)
    found = re.search(r"errors: (\d+)\s+(\d+) states, stored", done.stdout)
    if found is None or "too small" in done.stdout:
        raise SystemExit(f"the search of the model did not end well:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return found[1] == "0", int(found[2])


def verdicts(runs):
    """What the model says of runs: pairs of whether the sides were strangers, and the steps."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "trace.h").write_text(trace(runs), encoding="utf-8")
        program = spin(folder, ["-DTRACE"])
        # The end of a search that a run cannot finish is no error: -E.
        done = subprocess.run([program, "-m200000", "-E"], cwd=folder, capture_output=True, text=True, check=True)
    rows = [tuple(map(int, row)) for row in re.findall(r"^= (\d+) (\d+) (-?\d+) (\d+)$", done.stdout, re.MULTILINE)]
    if [row[0] for row in rows] != list(range(len(runs))) or "errors: 0" not in done.stdout or "too small" in done.stdout:
        raise SystemExit(f"the search of the model did not end well:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return [Verdict(bool(taken), max(place, 0), rule or None) for _, taken, place, rule in rows]
