"""What a disk may hold after a power cut, from a log of everything that a process did to its files.

Synced bytes and names stay. Of what was written later, each write is on the disk or not, sector by sector and in any order,
because that is all that a disk promises: sectors of 512 bytes are written whole. Of names that were made, changed or removed
since their directory was synced, some first ones are on the disk, because file systems keep their order.
"""

import os
import random
import struct
from dataclasses import dataclass, field

HEAD = struct.Struct("<ciqI")
SECTOR = 512


@dataclass
class Step:
    kind: str
    file: int
    offset: int
    data: bytes


def read_log(path) -> list[Step]:
    with open(path, "rb") as log:
        raw = log.read()
    steps, at = [], 0
    while at + HEAD.size <= len(raw):
        kind, file, offset, length = HEAD.unpack_from(raw, at)
        at += HEAD.size
        steps.append(Step(kind.decode(), file, offset, raw[at:at + length]))
        at += length
    return steps


@dataclass
class Inode:
    safe: bytearray = field(default_factory=bytearray)
    # What was written since the last sync: ("w", offset, bytes) or ("t", length, b"").
    open: list = field(default_factory=list)

    def sync(self):
        for change in self.open:
            apply(self.safe, change)
        self.open = []


def apply(data: bytearray, change):
    kind, offset, new = change
    if kind == "t":
        del data[offset:]
        data.extend(bytes(offset - len(data)))
        return
    if len(data) < offset + len(new):
        data.extend(bytes(offset + len(new) - len(data)))
    data[offset:offset + len(new)] = new


class Disk:
    """The files of one home. `deaf` names files whose syncs do nothing, as in a build that forgets them."""

    def __init__(self, home: str, start: dict[str, bytes], deaf=lambda name: False):
        self.home = home
        self.deaf = deaf
        self.names = {name: Inode(bytearray(data)) for name, data in start.items()}
        self.safe_names = dict(self.names)
        self.open_names = []
        self.files: dict[int, tuple[str, Inode | None]] = {}
        self.said: list[str] = []

    def name_of(self, path: str) -> str | None:
        path = path if path.startswith("/") else os.path.join(self.home, path)
        inside = os.path.relpath(path, self.home)
        return None if inside.startswith("..") else inside

    def take(self, step: Step):
        if step.kind == "o":
            name = self.name_of(step.data.decode().split(" ", 1)[1])
            if name is None:
                self.files.pop(step.file, None)
                return
            if name == ".":
                self.files[step.file] = (".", None)
                return
            if name not in self.names:
                self.names[name] = Inode()
                self.open_names.append((name, self.names[name]))
            self.files[step.file] = (name, self.names[name])
            if step.offset & os.O_TRUNC:
                self.names[name].open.append(("t", 0, b""))
        elif step.kind == "w" and step.file == 1:
            self.said += step.data.decode().splitlines()
        elif step.kind in "wt" and step.file in self.files and self.files[step.file][1] is not None:
            self.files[step.file][1].open.append((step.kind, step.offset, step.data))
        elif step.kind == "s" and step.file in self.files:
            name, inode = self.files[step.file]
            if self.deaf(name):
                return
            if inode is not None:
                inode.sync()
            else:
                self.safe_names = dict(self.names)
                self.open_names = []
        elif step.kind == "u":
            name = self.name_of(step.data.decode())
            if name is not None and self.names.pop(name, None) is not None:
                self.open_names.append((name, None))
        elif step.kind == "r":
            old, new = (self.name_of(part.decode()) for part in step.data.split(b"\0"))
            inode = self.names.pop(old, None)
            if inode is not None:
                self.names[new] = inode
                self.open_names += [("", (old, new, inode))]

    def after_a_cut(self, dice: random.Random) -> dict[str, bytes]:
        """Returns the files that the disk may hold."""
        names = dict(self.safe_names)
        for name, change in self.open_names[:dice.randint(0, len(self.open_names))]:
            if isinstance(change, tuple):
                names.pop(change[0], None)
                names[change[1]] = change[2]
            elif change is None:
                names.pop(name, None)
            else:
                names[name] = change
        return {name: bytes(surviving(inode, dice)) for name, inode in names.items()}


def surviving(inode: Inode, dice: random.Random) -> bytearray:
    data = bytearray(inode.safe)
    changes = [change for change in inode.open if dice.random() < 0.5]
    if dice.random() < 0.5:
        dice.shuffle(changes)
    for kind, offset, new in changes:
        if kind == "t" or dice.random() < 0.5:
            apply(data, (kind, offset, new))
            continue
        # Torn: each sector by itself.
        at = offset
        while at < offset + len(new):
            end = min(offset + len(new), (at // SECTOR + 1) * SECTOR)
            if dice.random() < 0.5:
                apply(data, ("w", at, new[at - offset:end - offset]))
            at = end
    return data
