"""How long the program takes to start: every verb with --help, and calls that compute next to nothing.

Nothing here judges; `bench` compares with the figures that were promised.
"""

import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "Rigs", "demo"))
from stage import Failed, inkling  # noqa: E402

# Calls that need no home, no network and no file.
CALLS = [
    ("--version",), ("version",), ("derive", "--example", "--at", "2026-08-01T16:14:59Z"), ("profile", "new", "App"),
]
# No start: the argument parser describes every verb and every option, which is 72 % of the instructions.
LONG_CALLS = [("completions", "bash")]


def verbs(program):
    """The words of every verb, from the program's own description."""
    described = subprocess.run([program, "--experimental-dump-help"], capture_output=True, text=True, check=True).stdout

    def walk(command, words):
        yield words
        for verb in command.get("subcommands", []):
            if verb["commandName"] != "help":
                yield from walk(verb, [*words, verb["commandName"]])

    return list(walk(json.loads(described)["command"], []))


def once(words):
    """Runs a command without input, and returns its exit code, processor and wall time in milliseconds."""
    quiet = [(os.POSIX_SPAWN_OPEN, descriptor, "/dev/null", os.O_RDWR, 0) for descriptor in (0, 1, 2)]
    begun = time.perf_counter()
    pid = os.posix_spawnp(words[0], words, os.environ, file_actions=quiet)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - begun
    return os.waitstatus_to_exitcode(status), 1000 * (usage.ru_utime + usage.ru_stime), 1000 * wall


def of_every_verb(rounds):
    """Lets all calls take turns; the median and the least processor time of each, and its least wall time."""
    program = inkling()
    calls = [(*words, "--help") for words in verbs(program)] + CALLS + LONG_CALLS
    times = {call: [] for call in calls}
    nothing = []
    for _ in range(rounds):
        nothing.append(once(["true"])[1:])
        for call in calls:
            code, processor, wall = once([program, *call])
            if code != 0:
                raise Failed(f"`inkling {' '.join(call)}` ended with {code}")
            times[call].append((processor, wall))

    def facts(values):
        return {"median": statistics.median(value[0] for value in values), "least": min(value[0] for value in values),
                "wall": min(value[1] for value in values)}

    return {"verbs": [{"words": " ".join(call), "isStart": call not in LONG_CALLS, **facts(times[call])} for call in calls],
            "nothing": facts(nothing)}
