"""Specs/lifecycle.md: the jobs that fit in a window of execution."""

from ...tools.fields import Entry, Flag, Integer, ListOf, Record, Text
from ...tools.operations import operation

KINDS = ("reinitialise", "handle-event", "persist", "network", "user-interface", "computation")
DONE_IN_ORDER = ("reinitialise", "handle-event", "persist")
ROOM_IN_ORDER = ("reinitialise", "persist", "handle-event")
DURATION = Integer(0, 1_000_000)


@operation(
    "execution-window",
    Record(
        occasion=Text(values=("relaunch", "leaving-foreground")),
        abuses=Integer(0, 1_000),
        extensions=Integer(0, 3),
        elapsed=DURATION,
        jobs=ListOf(Entry(kind=Text(values=KINDS), milliseconds=DURATION), high=64),
    ),
    Record(
        granted=ListOf(Flag()),
        budget=DURATION,
        spent=DURATION,
        order=ListOf(Integer(0, 63)),
        refused=ListOf(Record(job=Integer(0, 63), why=Text(values=("kind", "room")))),
    ),
)
def execution_window(occasion, abuses, extensions, elapsed, jobs):
    granted = [occasion == "relaunch" and n == 0 for n in range(extensions)]
    length = (30_000 if any(granted) else 10_000) // 2 ** min(abuses, 3)
    budget = max(0, length - elapsed)
    spent = 0
    accepted, why = set(), {}
    for kind in ROOM_IN_ORDER:
        for place, job in enumerate(jobs):
            if job["kind"] != kind:
                continue
            if spent + job["milliseconds"] <= budget:
                spent += job["milliseconds"]
                accepted.add(place)
            else:
                why[place] = "room"
    why |= {place: "kind" for place, job in enumerate(jobs) if job["kind"] not in DONE_IN_ORDER}
    order = [place for kind in DONE_IN_ORDER for place in sorted(accepted) if jobs[place]["kind"] == kind]
    refused = [{"job": place, "why": why[place]} for place in sorted(why)]
    return {"granted": granted, "budget": budget, "spent": spent, "order": order, "refused": refused}
