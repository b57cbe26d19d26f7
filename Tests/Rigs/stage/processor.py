"""The processor time of a guest, and how guests share what costs it: everything else takes no time."""

import os


def busy():
    """The processor time that this machine has used since it started, in seconds."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, *interrupts = map(int, file.readline().split()[1:8])
    return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")


def part(costs, number, count):
    """Which names are in the part of this number, of parts of about the same cost: the longest goes to the part that has the least."""
    parts = [[] for _ in range(count)]
    for name in sorted(costs, key=lambda name: -costs[name]):
        min(parts, key=lambda taken: sum(costs[name] for name in taken)).append(name)
    return [name for name in costs if name in parts[number - 1]]
