"""What every parser of what others send costs: at most 1 ms of processor time and 64 KiB of memory for an input of at most 64 KiB.

The readers of files that a person names return as much as the files contain, and a session with an antenna takes thousands of
messages in 64 KiB. Their costs are printed, not asserted, and so is the time that libsodium takes for signatures and agreements
with public keys, which does not count as parsing.
"""

import random
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FUZZING = HERE.parent / "fuzzing"
LONGEST = 65_536
# These run an engine or a state machine through thousands of events, and parse nothing.
NO_PARSERS = {"recognition-events", "sync-events"}
# The readers of vectors, of requests to a shim, and of a file of predictions.
OWN_FILES = {"json", "shim-line", "prediction-file", "binary-predictions"}
# The first bytes of an input of these targets are no part of the text.
PREFIXES = {"json": bytes(4), "shim-line": bytes(4)}
# In 64 KiB, these receive thousands of messages and act on each.
STREAMS = {"proxy-session"}
# What the allocator adds to the copy of an input that is kept whole is allowed.
NANOSECONDS, BYTES = 1_000_000, 65_536 + 16


def whole_json():
    """JSON of the longest size, and of one that is allowed for a line: many small values, many names, one long text, one escape."""
    for size in (LONGEST - 8, 2_000):
        yield b"[" + b"1," * (size // 2 - 1) + b"1]"
        yield b'{"time":7,"minor":9,"x":[' + b"1," * (size // 2 - 20) + b"1]}"
        yield b'{"a":1,' + b",".join(b'"%d":1' % number for number in range(size // 9)) + b"}"
        yield b'"' + b"a" * (size - 2) + b'"'
        yield b'"' + b"a" * (size - 4) + b'\\n"'


def long_inputs(seeds):
    """Inputs of 64 KiB: repeated seeds, repeated ends of seeds, single bytes, and random ones."""
    draws = random.Random(20261122)
    yield from (bytes([byte]) * LONGEST for byte in (0, 1, 0x20, 0x22, 0x5b, 0x7b, 0x80, 0xc0, 0xff))
    yield b'{"a":' * (LONGEST // 5)
    yield draws.randbytes(LONGEST)
    for seed in sorted(seeds, key=len)[-12:]:
        if seed:
            yield (seed * (LONGEST // len(seed) + 1))[:LONGEST]
            yield (seed + draws.randbytes(LONGEST))[:LONGEST]
            yield (seed + bytes(LONGEST))[:LONGEST]
            yield (seed[:1] + seed[1:] * (LONGEST // max(len(seed) - 1, 1) + 1))[:LONGEST]


def chains_of_pointers():
    """The longest DNS packet whose names are chains of pointers; refused, and as long as is allowed."""
    for count in (32, 3000):
        head = b"\x00\x00\x84\x00\x00\x00\x01\x00\x00\x00\x00\x00" + b"\x00\xff\x00\x80\x01" + bytes(4)
        start = len(head) + 2
        places = [start, *(start + 1 + 2 * number for number in range(count - 1))]
        *stored, owner = [(0xC000 | place).to_bytes(2, "big") for place in places]
        data = b"\x00" + b"".join(stored)
        record = owner + b"\x00\x01\x80\x01" + bytes(4) + b"\x00\x00"
        yield (head + len(data).to_bytes(2, "big") + data + record * 255)[:9000]


def corpus(target, seeds):
    """The seeds, past failures, and inputs that an earlier run of `make verify-fuzz` has collected on this machine."""
    root = HERE.parents[2]
    folders = [seeds / "all" / target, FUZZING / "FailCases" / target, root / ".build/fuzzing/corpus" / target]
    return [path.read_bytes()[:LONGEST] for folder in folders if folder.is_dir() for path in sorted(folder.iterdir())]


def measure(scratch):
    """Prints a line for each target; returns whether all keep the limits."""
    program = scratch / "release/Costs"
    listed = subprocess.run([program], env={"INKLING_FUZZ_TARGET": ""}, capture_output=True, text=True, check=False)
    targets = [line for line in listed.stdout.splitlines() if line and " " not in line and line not in NO_PARSERS]
    subprocess.run([sys.executable, FUZZING / "seeds.py", scratch / "seeds", program], check=True)
    passed, judged, inputs, worst_time, worst_size = True, 0, 0, 0, 0
    missed = []
    for target in targets:
        known = corpus(target, scratch / "seeds")
        texts = [PREFIXES.get(target, b"") + text for text in whole_json()]
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, content in enumerate([*known, *long_inputs(known), *texts, *chains_of_pointers()]):
                path = Path(folder) / str(number)
                path.write_bytes(content)
                paths.append(path)
            done = subprocess.run(
                [program, *paths], env={"INKLING_FUZZ_TARGET": target, "SWIFT_BACKTRACE": "enable=no"}, capture_output=True,
                text=True, check=False,
            )
        rows = [tuple(map(int, line.split()[:4])) for line in done.stdout.splitlines()]
        if done.returncode != 0 or len(rows) != len(paths) or not known:
            print(f"✗ {target}: status {done.returncode}, {len(rows)} of {len(paths)} inputs, {len(known)} of its corpus\n{done.stderr[-800:]}")
            passed = False
            continue
        slowest, largest, checked = (max(rows, key=lambda row: row[place]) for place in (1, 2, 3))
        good = slowest[1] <= NANOSECONDS and largest[2] <= BYTES
        inputs += len(rows)
        is_judged = target not in OWN_FILES | STREAMS
        print(f"{'·' if not is_judged else '✓' if good else '✗'} {target}: {len(rows)} inputs, at most {slowest[1] / 1000:,.0f} µs ({slowest[0]:,} bytes) and "
              f"{largest[2] / 1024:,.0f} KiB ({largest[0]:,} bytes)"
              + (f"; {checked[3] / 1000:,.0f} µs with its signatures and keys" if checked[3] > 1.5 * slowest[1] else ""), flush=True)
        if not is_judged:
            continue
        judged += 1
        if not good:
            missed.append(target)
        worst_time, worst_size = max(worst_time, slowest[1]), max(worst_size, largest[2])
    print(f"= costs: {judged - len(missed)} of {judged} parsers of what others send within 1 ms and 64 KiB, {inputs:,} inputs; at most "
          f"{worst_time / 1000:,.0f} µs and {worst_size / 1024:,.0f} KiB; missed by {', '.join(missed) or 'none'}")
    print(f"figure: dearest input of a parser = {worst_time / 1000:,.0f} µs and {worst_size / 1024:,.0f} KiB, {judged} parsers, {inputs:,} inputs")
    return passed and judged > 20 and not missed
