import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@Suite struct NodeFileTests {
    private static func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next() as UInt64) }
    }

    /// Covers INK-FIL-001, INK-FIL-003, INK-FIL-031, INK-FIL-032.
    @Test func `a file that the rule allows arrives, while texts go on`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await fileContacts(in: simulation, limit: 1 << 30)
            let file = Self.bytes(3_000_000)
            alice.host.disk.put(file, at: "/file")
            let id = try await alice.node.sendFile(at: "/file", to: bob.user)
            for number in 0..<10 { try await alice.node.send("text \(number)", to: bob.user) }
            try await simulation.wait(forSeconds: 60) { bob.host.disk.kept.count == 1 }
            try await simulation.wait(forSeconds: 5) { await alice.state(of: id) == .delivered }
            #expect(bob.host.disk.kept == [file])
            #expect(bob.events.count { if case .message = $0 { true } else { false } } == 10)
            #expect(await bob.node.fileTransfers().map(\.state) == [.kept])
        }
    }

    /// Covers INK-FIL-010, INK-FIL-011, INK-FIL-014.
    @Test func `without a rule nothing is written before the user accepts`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let (alice, bob) = try await fileContacts(in: simulation, limit: 0)
            alice.host.disk.put(Self.bytes(50_000), at: "/file")
            let id = try await alice.node.sendFile(at: "/file", to: bob.user)
            try await simulation.wait(forSeconds: 10) { await bob.state(of: id) == .asked }
            await simulation.advance(bySeconds: 60)
            #expect(bob.host.disk.log == [])
            try await bob.node.acceptFile(id)
            try await simulation.wait(forSeconds: 10) { await alice.state(of: id) == .delivered }
            #expect(bob.host.disk.kept.count == 1)

            alice.host.disk.put(Self.bytes(50_000, seed: 2), at: "/other")
            let other = try await alice.node.sendFile(at: "/other", to: bob.user)
            try await simulation.wait(forSeconds: 10) { await bob.state(of: other) == .asked }
            try await bob.node.refuseFile(other)
            try await simulation.wait(forSeconds: 10) { await alice.state(of: other) == .ended }
            #expect(bob.host.disk.kept.count == 1)
            #expect(bob.host.disk.partials == [])
        }
    }

    /// Covers INK-FIL-015.
    @Test func `a node without a folder refuses every offer`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, bob) = try await fileContacts(in: simulation, limit: 1 << 30)
            bob.host.disk.setTakesFiles(false)
            alice.host.disk.put([1, 2, 3], at: "/file")
            let id = try await alice.node.sendFile(at: "/file", to: bob.user)
            try await simulation.wait(forSeconds: 10) { await alice.state(of: id) == .ended }
            #expect(bob.host.disk.log == [])
        }
    }

    /// Covers INK-FIL-005, INK-FIL-020, INK-FIL-021.
    @Test func `a transfer goes on after a cut, after restarts of both nodes and in the next epoch`() async throws {
        try await Simulation.run(seed: 4) { simulation in
            let (alice, bob) = try await fileContacts(in: simulation, limit: 1 << 30)
            let file = Self.bytes(4_000_000)
            alice.host.disk.put(file, at: "/file")
            let id = try await alice.node.sendFile(at: "/file", to: bob.user)
            var partials: [Int] = []
            func isUnderWay() async -> Bool {
                bob.host.disk.partials.first.map { $0.count > (partials.last ?? 0) } ?? false
            }

            try await simulation.wait(forSeconds: 30) { await isUnderWay() }
            partials.append(bob.host.disk.partials[0].count)
            alice.host.resetLinks()
            try await simulation.wait(forSeconds: 1000) { await isUnderWay() }

            try await alice.stop()
            partials.append(bob.host.disk.partials[0].count)
            try await alice.restart()
            try await simulation.wait(forSeconds: 1000) { await isUnderWay() }

            try await bob.stop()
            bob.host.disk.losePower()
            partials.append(bob.host.disk.partials[0].count)
            try await bob.restart()
            await bob.node.takeFiles(by: FileRule(limit: 1 << 30))
            try await simulation.wait(forSeconds: 2000) { bob.host.disk.kept.count == 1 }
            #expect(bob.host.disk.kept == [file])
            // No byte that was stored came a second time.
            let appended = bob.host.disk.log.reduce(0) { sum, one in
                if case .appended(_, _, let count) = one { sum + count } else { sum }
            }
            #expect(appended < file.count + Int(IncomingFile.window) * 4)
            #expect(!bob.host.disk.log.contains { if case .emptied = $0 { true } else { false } })
            try await simulation.wait(forSeconds: 10) { await alice.state(of: id) == .delivered }
        }
    }

    /// Covers INK-FIL-006.
    @Test func `a damaged rest is not kept, and the file is sent from its beginning`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let (alice, bob) = try await fileContacts(in: simulation, limit: 1 << 30)
            let file = Self.bytes(2_000_000)
            alice.host.disk.put(file, at: "/file")
            _ = try await alice.node.sendFile(at: "/file", to: bob.user)
            try await simulation.wait(forSeconds: 30) {
                bob.host.disk.partials.first.map { $0.count > 300_000 } ?? false
            }
            try await bob.stop()
            bob.host.disk.damagePartials()
            try await bob.restart()
            await bob.node.takeFiles(by: FileRule(limit: 1 << 30))
            try await simulation.wait(forSeconds: 2000) { bob.host.disk.kept.count == 1 }
            #expect(bob.host.disk.kept == [file])
            #expect(bob.host.disk.log.contains { if case .emptied = $0 { true } else { false } })
        }
    }

    /// Covers INK-FIL-016.
    @Test func `a full disk interrupts the transfer, and its sender learns why`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            let (alice, bob) = try await fileContacts(in: simulation, limit: 1 << 30)
            alice.host.disk.put(Self.bytes(400_000), at: "/file")
            bob.host.disk.limit(toBytes: 100_000)
            let id = try await alice.node.sendFile(at: "/file", to: bob.user)
            try await simulation.wait(forSeconds: 30) { await alice.state(of: id) == .paused }
            #expect(bob.host.disk.kept == [])
            bob.host.disk.limit(toBytes: .max)
            // The same command continues the same transfer.
            #expect(try await alice.node.sendFile(at: "/file", to: bob.user) == id)
            try await simulation.wait(forSeconds: 30) { await alice.state(of: id) == .delivered }
        }
    }

    /// Covers INK-FIL-017.
    @Test func `either side ends a transfer, and nothing of it stays`() async throws {
        try await Simulation.run(seed: 7) { simulation in
            for bySender in [true, false] {
                let (alice, bob) = try await fileContacts(in: simulation, limit: 1 << 30)
                alice.host.disk.put(Self.bytes(8_000_000), at: "/file")
                let id = try await alice.node.sendFile(at: "/file", to: bob.user)
                try await simulation.wait(forSeconds: 30) { bob.host.disk.partials.first?.isEmpty == false }
                if bySender { try await alice.node.cancelFile(id) } else { try await bob.node.cancelFile(id) }
                try await simulation.wait(forSeconds: 30) { bob.host.disk.partials.isEmpty }
                try await simulation.wait(forSeconds: 30) {
                    let (one, other) = (await alice.state(of: id), await bob.state(of: id))
                    return one == .ended && other == .ended
                }
                #expect(bob.host.disk.kept == [])
                #expect(await alice.node.status().sessions == 1)
            }
        }
    }

    /// Covers INK-FIL-007.
    @Test func `a file that changes while it is sent is not delivered`() async throws {
        try await Simulation.run(seed: 8) { simulation in
            let (alice, bob) = try await fileContacts(in: simulation, limit: 1 << 30)
            alice.host.disk.put(Self.bytes(2_000_000), at: "/file")
            let id = try await alice.node.sendFile(at: "/file", to: bob.user)
            try await simulation.wait(forSeconds: 30) { bob.host.disk.partials.first?.isEmpty == false }
            alice.host.disk.put(Self.bytes(2_000_000, seed: 2), at: "/file")
            try await simulation.wait(forSeconds: 30) { await alice.state(of: id) == .ended }
            #expect(bob.host.disk.kept == [])
        }
    }

    /// Covers INK-FIL-021.
    @Test func `a transfer that stays in its epoch is paused at the boundary`() async throws {
        try await Simulation.run(seed: 9) { simulation in
            let (alice, bob) = try await fileContacts(in: simulation, limit: 0)
            alice.host.disk.put(Self.bytes(100_000), at: "/file")
            let id = try await alice.node.sendFile(at: "/file", to: bob.user, staysInEpoch: true)
            try await simulation.wait(forSeconds: 10) { await bob.state(of: id) == .asked }
            await simulation.advance(bySeconds: 900)
            #expect(await alice.state(of: id) == .paused)
            await simulation.advance(bySeconds: 900)
            #expect(await alice.state(of: id) == .paused)
            #expect(bob.host.disk.log == [])
        }
    }

    /// Covers INK-FIL-022.
    @Test(arguments: [23, 517])
    func `a file arrives over Bluetooth, and a text does not wait for it`(mtu: Int) async throws {
        try await Simulation.run(seed: 10) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation)
            simulation.air.conditions.mtu = mtu
            await bob.node.takeFiles(by: FileRule(limit: 1 << 30))
            try await simulation.wait(forSeconds: 900) { await alice.node.status().sessions == 1 }
            let file = Self.bytes(mtu == 23 ? 30_000 : 300_000)
            alice.host.disk.put(file, at: "/file")
            let id = try await alice.node.sendFile(at: "/file", to: bob.user)
            try await simulation.wait(forSeconds: 60) { bob.host.disk.partials.first?.isEmpty == false }
            try await alice.node.send("hello", to: bob.user)
            try await simulation.wait(forSeconds: 3000) { await alice.state(of: id) == .delivered }
            #expect(bob.host.disk.kept == [file])
        }
    }
}

/// Creates two contacts on a network that are in a session, and of which the second takes files.
func fileContacts(in simulation: Simulation, limit: UInt64) async throws -> (Person, Person) {
    let alice = try Person("Alice", in: simulation)
    let bob = try Person("Bob", in: simulation)
    await simulation.settle()
    try await acquaint(alice, bob)
    await bob.node.takeFiles(by: FileRule(limit: limit))
    try await simulation.wait(forSeconds: 900) {
        let (one, other) = (await alice.node.status().sessions, await bob.node.status().sessions)
        return one == 1 && other == 1
    }
    // The first records of both sides are on the way.
    await simulation.advance(bySeconds: 2)
    return (alice, bob)
}

extension Person {
    /// The state of a transfer; nil when there is none.
    func state(of id: TransferID) async -> FileTransfer.State? {
        await node.fileTransfers().first { $0.id == id.description }?.state
    }
}
