"""Some thirty faults, and the step of `make test` that must find each, or the suite that finds it alone.

A fault of the program is a few edits like an old behaviour of the attacks (../attacks/old_behaviours.py): file, a line that
occurs once, what takes its place, with `isOld("NAME")` where the fault begins. So one build has all of them, and each shows only
when it is chosen. A fault of a text is an edit of a file that no build reads.
"""

import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "attacks"))
from old_behaviours import BEHAVIOURS  # noqa: E402

WIRE, KEYS, ENGINE = "Sources/Core/InklingWire", "Sources/Core/InklingKeys", "Sources/Core/InklingEngine"
NODE, LINUX, COMMAND = "Sources/Node/InklingNode", "Sources/Linux/InklingLinux", "Sources/Program/InklingCommand"
LOOPBACK = f"{COMMAND}/Loopback/LoopbackServer.swift"

# Name: what is wrong, and the edits: file, line, what takes its place.
PROGRAM = {
    **{f"old-{name}": (what, edits) for name, (what, edits) in BEHAVIOURS.items()},
    # Faults of the product that were mended since 22 November, turned back.
    "inherited-figures": ("a program that the process starts inherits the connections of the figures and the dashboard", [
        (LOOPBACK, "    import InklingLinux\n", "    import InklingKeys\n    import InklingLinux\n"),
        (LOOPBACK, "                            try channel.pipeline.syncOperations.closeOnExecution()\n",
         '                            if !isOld("inherited-figures") { try channel.pipeline.syncOperations.closeOnExecution() }\n'),
    ]),
    "inherited-proxy": ("a program that the process starts inherits the connection to an ESPHome proxy", [
        (f"{LINUX}/Antennas/ESPHome/ESPHomeAntenna.swift",
         "                            try channel.pipeline.syncOperations.closeOnExecution()\n",
         '                            if !isOld("inherited-proxy") { try channel.pipeline.syncOperations.closeOnExecution() }\n'),
    ]),
    "inherited-broker": ("a program that the process starts inherits the connection to a broker", [
        (f"{LINUX}/MQTT/MQTTConnection.swift", "if let socket { _ = fcntl(socket, F_SETFD, FD_CLOEXEC) }",
         'if let socket, !isOld("inherited-broker") { _ = fcntl(socket, F_SETFD, FD_CLOEXEC) }'),
    ]),
    "due-in-the-past": ("an invitation that has just expired is noticed with the next epoch", [
        (f"{NODE}/FirstContact/OpenInvitation.swift", "        return ends.min().map(now.tick(atUnixMilliseconds:))",
         '        if isOld("due-in-the-past") { ends = ends.filter { $0 > now.unixMilliseconds } }\n'
         "        return ends.min().map(now.tick(atUnixMilliseconds:))"),
    ]),
    "port-of-before": ("an open invitation goes on to show the port of the epoch before", [
        (f"{NODE}/FirstContact/OpenInvitation.swift", "case .success(let other) = result, other != port {",
         'case .success(let other) = result, other != port, !isOld("port-of-before") {'),
    ]),
    "lost-with-the-connection": ("what a broker sent just before the connection was lost is not delivered", [
        (f"{LINUX}/MQTT/MQTTClient.swift",
         "                for message in connection.takeDelivered() { continuation.yield(.received(message)) }\n",
         '                if isOld("lost-with-the-connection"), let fault { throw fault }\n'
         "                for message in connection.takeDelivered() { continuation.yield(.received(message)) }\n"),
    ]),
    # Leaks of the games of linkage, in the program instead of the generator.
    "leak-goodbye": ("a node goes quiet at one fixed moment before each boundary", [
        (f"{ENGINE}/Rotation/RotationMachine.swift", "        quietLead = policy.quietLeadMilliseconds - later",
         '        quietLead = policy.quietLeadMilliseconds - (isOld("leak-goodbye") ? 0 : later)'),
    ]),
    "leak-offset": ("the silent gap after a boundary is constant", [
        (f"{ENGINE}/Rotation/RotationMachine.swift",
         "            until: start.advanced(byMilliseconds: UInt64.random(in: 0...policy.gapMilliseconds, using: &generator)))",
         "            until: start.advanced(\n                byMilliseconds: isOld(\"leak-offset\")\n"
         "                    ? policy.gapMilliseconds / 2 : UInt64.random(in: 0...policy.gapMilliseconds, using: &generator)))"),
    ]),
    "leak-power": ("a beacon shows a measured power of its own", [
        (f"{WIRE}/Advertising/IBeacon.swift", "        bytes.append(u8: UInt8(bitPattern: measuredPower))",
         '        bytes.append(u8: UInt8(bitPattern: measuredPower &+ (isOld("leak-power") ? Int8(minor.value % 8) : 0)))'),
    ]),
    "leak-length": ("a record is as long as its body", [
        (f"{WIRE}/Framing/Record.swift",
         "        headerByteCount + count <= 96 ? 96 : (headerByteCount + count + 255) / 256 * 256",
         '        isOld("leak-length")\n            ? headerByteCount + count\n'
         "            : headerByteCount + count <= 96 ? 96 : (headerByteCount + count + 255) / 256 * 256"),
    ]),
    "leak-step": ("a node that leaves an epoch says goodbye also where no boundary is", [
        (f"{ENGINE}/Rotation/RotationMachine.swift",
         "            return [.goQuiet(goodbye: isEnding && !isStart), .closeUnauthenticatedLinks]",
         '            return [.goQuiet(goodbye: isEnding && !isStart || isOld("leak-step")), .closeUnauthenticatedLinks]'),
    ]),
    # Faults of worlds and of parsers.
    "replay-forgotten": ("a first message that was answered is answered again", [
        (f"{WIRE}/Handshake/ReplayCache.swift", "        guard isAuthenticated[ephemeral] == nil else { throw .replayed }",
         '        guard isAuthenticated[ephemeral] == nil || isOld("replay-forgotten") else { throw .replayed }'),
    ]),
    "constant-nonce": ("a receiver does not count, so that it opens a record again", [
        (f"{WIRE}/Noise/CipherState.swift", "        self.nonce += 1\n        return plaintext",
         '        if !isOld("constant-nonce") { self.nonce += 1 }\n        return plaintext'),
    ]),
    "far-clock": ("a clock that is months ahead is accepted", [
        (f"{ENGINE}/Rotation/AcceptedTime.swift", "    private static let horizonSeconds: UInt64 = 744 * 3600",
         '    private static let horizonSeconds: UInt64 = (isOld("far-clock") ? 8 : 1) * 744 * 3600'),
    ]),
    "any-length": ("a beacon with a wrong length is read", [
        (f"{WIRE}/Advertising/IBeacon.swift", "        guard length == Self.contentCount else {",
         '        guard length == Self.contentCount || isOld("any-length") else {'),
    ]),
}

# The same for files that no build reads.
TEXTS = {
    "impure-engine": ("the engine reads a clock", [
        (f"{ENGINE}/Rotation/RotationPolicy.swift", "    public init() {}", "    public init() { _ = ContinuousClock.now }"),
    ]),
    "uncovered-must": ("a requirement that nothing shows", [
        ("Specs/rotation.md", "- **INK-ROT-014**", "- **INK-ROT-" "999** A node MUST do what nothing shows.\n- **INK-ROT-014**"),
    ]),
    "changed-vector": ("a vector has another result", [
        ("Vectors/ibeacon-encode.json", '0000f9c5c5"}},\n    {"id": "ibeacon-encode-0002"', '0000f9c5c4"}},\n    {"id": "ibeacon-encode-0002"'),
    ]),
    "inherited-socket": ("a server of swift-nio whose connections programs inherit, in the source", [
        (f"{COMMAND}/Control/ControlServer.swift", "                        try channel.pipeline.syncOperations.closeOnExecution()\n", ""),
    ]),
}

# What finds each in `make test`: the step; the bundle of the test, the static rule or the file of vectors; and the name of the test
# or the words that the output must contain. `pure` run in virtual time, `programs` start programs, `kernel` needs sockets.
FINDERS = {
    "old-aliases": ("pure", "InklingWireTests", "records of aliases, of other classes and of other names have no meaning"),
    "old-names": ("pure", "InklingWireTests", "keeps 256 names and 512 endpoints, and what was heard first"),
    "old-conflict": ("pure", "InklingNodeTests", "a node whose name another device shows stays visible and reports it"),
    "old-goodbyes": ("pure", "InklingWireTests", "a goodbye and a cache flush of somebody else have no effect"),
    "old-known-answers": ("pure", "InklingWireTests", "what it sends is the same whether it knows every name or none"),
    "old-boundaries": ("kernel", "InklingLinuxTests", "addresses that come and go on one network change nothing"),
    "old-replay": ("pure", "InklingEngineTests", "after eight names that did not confirm only a recent contact is called, until the next epoch"),
    "old-clock-watch": ("kernel", "InklingLinuxTests", "the kernel reports that the clock was set"),
    "old-records": ("pure", "InklingNodeTests", "grants that a contact sends without end cause a bounded number of writes"),
    "old-eviction": ("pure", "InklingWireTests", "no link makes room in its first 300 ms, and the new one is refused instead"),
    "inherited-figures": ("programs", "InklingCommandTests", "leaves no connection to a program that the process starts meanwhile"),
    "inherited-proxy": ("kernel", "InklingLinuxTests", "a program that the process starts does not keep the connection open"),
    "inherited-broker": ("kernel", "InklingLinuxTests", "a program that the process starts does not keep the connection to a broker open"),
    "due-in-the-past": ("pure", "InklingNodeTests", "an end that has passed since the last look is due at once, and not with the next epoch"),
    "port-of-before": ("pure", "InklingNodeTests", "another port is told once, and only while the invitation waits for a joiner"),
    "lost-with-the-connection": ("kernel", "InklingLinuxTests", "a kept message that the broker delivers arrives whole"),
    "leak-goodbye": ("pure", "InklingEngineTests", "draws the moment at which it goes quiet, spread over the first half of the last second"),
    "leak-offset": ("pure", "InklingEngineTests", "draws a new gap each time, spread over ten seconds"),
    "leak-power": ("pure", "InklingWireTests", "a minor is encoded as the thirty bytes of the published example"),
    "leak-length": ("pure", "InklingWireTests", "a record is padded to the smallest permitted size"),
    "leak-step": ("pure", "InklingEngineTests", "a change of state leads to silence without a goodbye and to a new gap"),
    "replay-forgotten": ("pure", "InklingWireTests", "detects a replayed message, in its epoch only"),
    "constant-nonce": ("pure", "InklingWireTests", "are accepted only once, by the party and in the step for which they were written"),
    "far-clock": ("pure", "InklingEngineTests", "accepts a clock up to 744 hours ahead, and none further ahead"),
    "any-length": ("pure", "InklingWireTests", "a frame with another length is refused"),
    "impure-engine": ("check", "purity", "Sources/Core/InklingEngine/Rotation/RotationPolicy.swift"),
    "uncovered-must": ("check", "requirements", "INK-ROT-" "999 is not covered"),
    "changed-vector": ("vectors", "Vectors", "✗ ibeacon-encode.json"),
    "inherited-socket": ("check", "sockets", f"{COMMAND}/Control/ControlServer.swift"),
}

# Found by a suite only, in the rows of the attacks: memory is measured where a node runs as a process, no test has 512 names of
# strangers before that of a contact, or a contact that left and comes back in the epoch of its attempt, and none a kernel whose packets
# are lost.
SUITES_ALONE = {"old-hoard": "links", "old-cache": "links", "old-one-attempt": "links", "old-repeats": "links"}
