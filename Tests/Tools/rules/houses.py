"""The targets below Sources stand in houses, and a house depends only on the houses that the table names for it."""

import re
from typing import Iterator, NamedTuple

from rules.package import DEPENDENCIES, MANIFEST, NAME, TARGET
from tree import Finding, Tree

TITLE = "a house depends only on houses that the table names for it, and so never on one above it"

# Each house with those on which it may depend: lower ones alone. The last four stand side by side.
HOUSES = {
    "Core": set(),
    "Policy": {"Core"},
    "Node": {"Core", "Policy"},
    "Linux": {"Core", "Policy", "Node"},
    "Kit": {"Core", "Policy", "Node"},
    "Bindings": {"Core", "Policy"},
    # It has no keys and no vault, and speaks to a node by the control socket.
    "Home": {"Core"},
    "Program": {"Core", "Policy", "Node", "Linux"},
}
# The program of the kit opens homes, and has its terminal from what all programs share. The libraries beside it need neither.
BEYOND = {
    "InklingKit": {"Linux", "Program"},
    "InklingPredictions": {"Program"},
}
# What still has to be parted: a target, and what it needs from a house on which its own may not depend.
TO_PART = {
    # The process with the keys speaks MQTT.
    ("InklingLinux", "CMosquitto"),
    # A scan and `fleet match` compare what is heard with predictions.
    ("InklingCommand", "InklingPredictions"),
    ("InklingCommand", "InklingMatching"),
    # The program is that of the home as well.
    ("InklingCommand", "InklingHomeAssistant"),
    ("InklingCommand", "InklingFleet"),
    # The C interface answers the operations of the vectors.
    ("InklingCABI", "InklingVectors"),
}
# The formatter sees to the indentation. A dependency can be written `.target(` as well, and stands further right.
MEMBER = re.compile(r"^ {8}\.(?:target|executableTarget|systemLibrary)\(", re.MULTILINE)
HOUSE = re.compile(r'^    "(\w+)": \[\n(.*?)^    \],?$', re.MULTILINE | re.DOTALL)


class Member(NamedTuple):
    """A target of a house, with the line of its name in the manifest."""

    house: str
    line: int
    dependencies: set[str]


def findings(tree: Tree):
    for folder in sorted((tree.root / "Sources").iterdir()):
        if folder.name not in HOUSES:
            yield Finding(str(folder.relative_to(tree.root)), 1, "this is no house of the table in Tests/Tools/rules/houses.py")
    text = tree.text(MANIFEST)
    members = dict(members_of(text))
    others = {NAME.findall(part)[0] for part in TARGET.split(text)[1:]} - members.keys()
    if not members:
        yield Finding(MANIFEST, 1, "no houses: a dictionary with their names and their targets")
    needed = set()
    for name, member in members.items():
        if member.house not in HOUSES:
            yield Finding(MANIFEST, member.line, f"{member.house} is no house of the table in Tests/Tools/rules/houses.py")
            continue
        for other in sorted(member.dependencies & others):
            yield Finding(MANIFEST, member.line, f"{name} depends on {other}, which is in no house")
        for other in sorted(member.dependencies & members.keys()):
            needed.add((name, other))
            house = members[other].house
            if house not in HOUSES[member.house] | BEYOND.get(name, set()) | {member.house} and (name, other) not in TO_PART:
                yield Finding(MANIFEST, member.line, f"{name} depends on {other}, and the house {member.house} may not depend on {house}")
    for name, other in sorted(TO_PART - needed):
        yield Finding(MANIFEST, 1, f"{name} does not depend on {other}: take it out of the list of what is to be parted")


def members_of(text: str) -> Iterator[tuple[str, Member]]:
    """The targets of the dictionary of houses."""
    for house in HOUSE.finditer(text):
        starts = [match.start() for match in MEMBER.finditer(house[2])]
        for start, end in zip(starts, [*starts[1:], len(house[2])]):
            part = house[2][start:end]
            listed = DEPENDENCIES.search(part)
            line = text.count("\n", 0, house.start(2) + start) + 1
            yield NAME.findall(part)[0], Member(house[1], line, set(NAME.findall(listed[1])) if listed else set())
