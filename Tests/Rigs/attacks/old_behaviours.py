#!/usr/bin/env python3
"""Builds a program with behaviours that attacks once succeeded against, to show that each row of the table can fail.

    old_behaviours.py check                 every edit fits the sources
    old_behaviours.py build [--keep DIR]    builds .build/old/inkling in an overlay of the repository

A behaviour is a few edits of the sources: a line that occurs once, and what takes its place. The program has all of them, and the
environment variable INKLING_OLD chooses one. The sources themselves contain no such switch.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
MDNS = "Sources/Core/InklingWire/MDNS"
NODE, LINUX = "Sources/Node/InklingNode", "Sources/Linux/InklingLinux"
RECOGNITION = "Sources/Core/InklingEngine/Recognition"
PLACES = "Sources/Core/InklingWire/Handshake/UnauthenticatedLinks.swift"

# Files that the overlay has in addition, one in each module with edits: a declaration in a module below would change all of them.
SWITCHES = [f"Sources/{module}/OldBehaviour.swift" for module in ("Core/InklingWire", "Core/InklingEngine", "Node/InklingNode", "Linux/InklingLinux")]
SWITCH_TEXT = """\
#if canImport(Glibc)
    internal import Glibc
#endif

private let chosen: String = unsafe getenv("INKLING_OLD").map { unsafe String(cString: $0) } ?? ""

/// Whether the program shows this old behaviour.
func isOld(_ name: String) -> Bool { chosen == name }
"""

# Name: what it did, and the edits: file, line, what takes its place.
BEHAVIOURS = {
    "aliases": ("an alias of the service type from anybody ended the process", [
        (f"{MDNS}/MDNSMessage.swift", "        switch (owner, type) {\n        case (.serviceType, MDNSMessage.RecordType.pointer):", """\
        if isOld("aliases"), owner == .serviceType, type == 5 { fatalError("an alias") }
        switch (owner, type) {
        case (.serviceType, MDNSMessage.RecordType.pointer):"""),
    ]),
    "hoard": ("every packet of others was kept", [
        (f"{MDNS}/MDNSMachine.swift", "    var isImitated = false", """\
    var isImitated = false
    var hoard: [[UInt8]] = []"""),
        (f"{MDNS}/MDNSMachine+Reception.swift", "        let message = try MDNSMessage(parsing: packet, of: service)", """\
        if isOld("hoard") { hoard.append(packet.indices.map { packet[$0] }) }
        let message = try MDNSMessage(parsing: packet, of: service)"""),
    ]),
    "names": ("256 unknown names were kept and 10 a second handed on, before anybody asked whether one was predicted", [
        (f"{MDNS}/MDNSMachine.swift", "    var census = NameCensus(at: Tick(milliseconds: 0))", """\
    var census = NameCensus(at: Tick(milliseconds: 0))
    var admitted: Set<OpaqueServiceName> = []
    var admittedAt: Tick?
    mutating func admits(_ name: OpaqueServiceName, at now: Tick) -> Bool {
        if admitted.contains(name) { return true }
        if let last = admittedAt, now.milliseconds(since: last) < 100 { return false }
        guard admitted.count < 256 else { return false }
        admittedAt = now
        admitted.insert(name)
        return true
    }"""),
        (f"{MDNS}/MDNSMachine+Reception.swift",
         "            if case .pointer(let name) = record.content, own(name) == nil { census.note(name, at: now) }", """\
            if case .pointer(let name) = record.content, own(name) == nil { census.note(name, at: now) }
            if isOld("names"), case .service(let name, _, _) = record.content, !admits(name, at: now) { continue }"""),
    ]),
    "cache": ("512 names had a place, whosoever they were, and no further one until the end of the epoch", [
        (f"{MDNS}/MDNSMachine.swift", "    var isImitated = false", """\
    var isImitated = false
    var cached: Set<OpaqueServiceName> = []
    mutating func hasPlace(_ name: OpaqueServiceName) -> Bool {
        guard !cached.contains(name) else { return true }
        guard cached.count < 512 else { return false }
        cached.insert(name)
        return true
    }"""),
        (f"{MDNS}/MDNSMachine+Reception.swift",
         "            if case .pointer(let name) = record.content, own(name) == nil { census.note(name, at: now) }", """\
            if case .pointer(let name) = record.content, own(name) == nil { census.note(name, at: now) }
            if isOld("cache"), case .service(let name, _, _) = record.content, !hasPlace(name) { continue }"""),
    ]),
    "conflict": ("a node whose name somebody else showed was silent for the rest of the epoch", [
        (f"{NODE}/Technologies/LANTechnology.swift", "        case .imitated: return [.imitated]", """\
        case .imitated:
            guard isOld("conflict") else { return [.imitated] }
            return [.imitated, .closeLinks] + goQuiet(goodbye: false, because: .networkChanged) + stopListening()"""),
    ]),
    "goodbyes": ("a withdrawal by anybody made a node forget a name", [
        (f"{MDNS}/MDNSMachine+Reception.swift",
         "            if case .pointer(let name) = record.content, own(name) == nil { census.note(name, at: now) }", """\
            if isOld("goodbyes"), record.timeToLive == 0, case .service(let name, _, _) = record.content {
                if heard.forget(name) { effects.append(.vanished(name)) }
                continue
            }
            if case .pointer(let name) = record.content, own(name) == nil { census.note(name, at: now) }"""),
        (f"{MDNS}/HeardNames.swift", "    /// The number of names.", """\
    mutating func forget(_ name: OpaqueServiceName) -> Bool {
        guard let list = items.removeValue(forKey: name) else { return false }
        total -= list.count
        return true
    }

    var names: [OpaqueServiceName] { items.keys.sorted { $0.octets < $1.octets } }

    /// The number of names."""),
    ]),
    "known-answers": ("a question listed the names that the node knew", [
        (f"{MDNS}/MDNSMachine.swift", "effects += multicast(ServicePacket.browseQuery(of: service), on: path, at: now)", """\
effects += multicast(withKnownAnswers(ServicePacket.browseQuery(of: service)), on: path, at: now)"""),
        (f"{MDNS}/MDNSMachine.swift", "    func own(_ name: OpaqueServiceName) -> ServiceInstance? {", """\
    func withKnownAnswers(_ query: [UInt8]) -> [UInt8] {
        guard isOld("known-answers") else { return query }
        var packet = query
        packet[7] = UInt8(truncatingIfNeeded: heard.names.count)
        for name in heard.names {
            packet += [0xc0, 12, 0, 12, 0, 1, 0, 0, 0, 120, 0, 35, 32]
            packet += "\\(name)".utf8
            packet += [0xc0, 12]
        }
        return packet
    }

    func own(_ name: OpaqueServiceName) -> ServiceInstance? {"""),
    ]),
    "boundaries": ("every change of an address was a boundary", [
        (f"{LINUX}/Network/ShownNetworks.swift", "        return isBoundary", """\
        return isBoundary || isOld("boundaries")"""),
    ]),
    "repeats": ("the kernel repeated what a link had not delivered when its node fell silent", [
        (f"{LINUX}/TCP/FloodGate.swift", "            // As above, the result is ignored.", """\
            guard !isOld("repeats") else { return }"""),
    ]),
    "one-attempt": ("an epoch had one attempt with a contact, whatever ended it", [
        (f"{RECOGNITION}/RecognitionEngine+Attempts.swift", "        return prediction.epoch == last && isLeft ? true : nil", """\
        return prediction.epoch == last && isLeft && !isOld("one-attempt") ? true : nil"""),
    ]),
    "replay": ("every name of a contact was called, however many led nowhere", [
        (f"{RECOGNITION}/UnconfirmedCalls.swift", "{ ended + running.count < limit }", """\
{ ended + running.count < limit || isOld("replay") }"""),
    ]),
    "clock-watch": ("a step of the clock was noticed when the next timer fired, up to a minute later", [
        (f"{LINUX}/Clock/ClockTimers.swift", "CInt(TFD_TIMER_ABSTIME) | CInt(TFD_TIMER_CANCEL_ON_SET), &setting, nil)", """\
CInt(TFD_TIMER_ABSTIME) | (isOld("clock-watch") ? 0 : CInt(TFD_TIMER_CANCEL_ON_SET)), &setting, nil)"""),
    ]),
    "records": ("the records of a contact were stored as fast as they came", [
        (f"{NODE}/Sessions/RecordBudget.swift", "{ objects.spend(at: now.milliseconds) }", """\
{ isOld("records") || objects.spend(at: now.milliseconds) }"""),
    ]),
    "eviction": ("64 links of strangers had a place, 8 of one address, and the oldest left at once, also after the gate", [
        (f"{LINUX}/TCP/LinkSource.swift", "        if isOnLink, let neighbour, !neighbour.isEmpty {", """\
        if isOld("eviction") {
            self = .address(address)
        } else if isOnLink, let neighbour, !neighbour.isEmpty {"""),
        (f"{LINUX}/TCP/FloodGate.swift", "            switch rate.admit(source, at: now.uptimeNanoseconds) {", """\
            switch isOld("eviction") ? .admitted : rate.admit(source, at: now.uptimeNanoseconds) {"""),
        (PLACES, "        let own = slots[source]\n", """\
        let own = slots[source]
        if isOld("eviction") {
            var victim: ID?
            if let own, counts[own] >= 8, let place = strangers.firstIndex(where: { $0.slot == own }) {
                victim = remove(at: place).id
            } else if strangers.count >= 64 {
                victim = remove(at: 0).id
            }
            let slot = slot(of: source)
            counts[slot] += 1
            strangers.append(Stranger(id: id, slot: slot, since: now))
            return .admitted(replacing: victim)
        }
"""),
        (PLACES, "    package mutating func passedGate(_ id: ID) -> ID? {", """\
    package mutating func passedGate(_ id: ID) -> ID? {
        if isOld("eviction") { return nil }"""),
    ]),
}


# In the overlay, with the options of the finished build.
IN_OVERLAY = """\
mount -t overlay inkling-old -o "lowerdir=$0,upperdir=$1/upper,workdir=$1/work" "$0"
cd "$0"
.ci/swift program --ignore-lock
Tests/Rigs/stage/link inkling "$2"
"""


class Misfit(Exception):
    """An edit does not fit the sources."""


def edited(read):
    """Returns the content of every file that a behaviour changes; `read` returns the content of a file of the sources."""
    contents = {}
    for name, (_, edits) in BEHAVIOURS.items():
        for path, line, replacement in edits:
            text = contents.get(path) or read(path)
            if text.count(line) != 1:
                raise Misfit(f"{name}: {path} has {text.count(line)} times: {line.strip().splitlines()[0]}")
            contents[path] = text.replace(line, replacement)
    return contents


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def build(folder):
    """Applies the edits to an overlay of the repository, where the finished debug build is continued: what does not depend on the
    edits is not compiled again. The repository itself stays as it is.
    """
    if os.geteuid() != 0:
        raise Misfit("the build needs root, for an overlay of the repository")
    contents = edited(read)
    program = os.path.join(folder, "inkling")
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="inkling-old-", dir="/tmp") as place:
        for name in ("upper", "work"):
            os.mkdir(os.path.join(place, name))
        for path, text in {**contents, **{switch: SWITCH_TEXT for switch in SWITCHES}}.items():
            os.makedirs(os.path.dirname(os.path.join(place, "upper", path)), exist_ok=True)
            with open(os.path.join(place, "upper", path), "w", encoding="utf-8") as file:
                file.write(text)
        made = os.path.join(place, "inkling")
        subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-euc", IN_OVERLAY, ROOT, place, made], check=True)
        shutil.copy2(made, program + ".new")
        os.replace(program + ".new", program)
    print(program)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("check", "build"))
    parser.add_argument("--keep", metavar="DIR", default=os.path.join(ROOT, ".build/old"), help="build here (default .build/old)")
    arguments = parser.parse_args()
    try:
        if arguments.verb == "check":
            edited(read)
            print(f"{len(BEHAVIOURS)} old behaviours fit the sources: {', '.join(BEHAVIOURS)}")
        else:
            build(os.path.abspath(arguments.keep))
    except Misfit as misfit:
        print(f"old_behaviours: {misfit}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
