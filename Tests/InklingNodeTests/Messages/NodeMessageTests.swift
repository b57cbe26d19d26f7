import InklingEngine
import InklingKeys
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@testable import InklingNode
@testable import InklingVault

@Suite struct `Messages of a node` {
    @Test func `a text for somebody who is absent waits, and is delivered at the next meeting`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await bob.stop()
            let id = try await alice.node.queue("see you", for: bob.user)
            #expect(try await alice.node.storedMessages().map(\.state) == [.queued])
            #expect(try await alice.node.text(of: id) == "see you")
            // Also after a restart.
            try await alice.stop()
            try await alice.restart()
            try await bob.restart()
            try await simulation.wait(forSeconds: 60) { alice.events.contains(.delivered(bob.user, id)) }
            #expect(bob.events.contains(.message(alice.user, "see you")))
            #expect(try await alice.node.storedMessages().map(\.state) == [.delivered])
            #expect(try await bob.node.storedMessages().map(\.state) == [.unread])
            try await bob.node.acknowledge(id, from: alice.user)
            #expect(try await bob.node.storedMessages().map(\.state) == [.read])
            #expect(try await bob.node.storedMessages(with: bob.user).isEmpty)
            try await alice.node.awaitDelivery(of: id, within: .seconds(1))
        }
    }

    @Test func `incoming messages come again after a restart until they are acknowledged, and then no more`()
        async throws
    {
        try await Simulation.run(seed: 2) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            for number in 1...3 { try await alice.node.send("\(number)", to: bob.user) }
            for left in [["1", "2", "3"], ["2", "3"], ["3"]] {
                var messages = bob.node.incoming.makeAsyncIterator()
                var texts: [String] = []
                for _ in left { texts.append(try #require(await messages.next()).text) }
                #expect(texts == left)
                var again = bob.node.incoming.makeAsyncIterator()
                let first = try #require(await again.next())
                try await bob.node.acknowledge(first.id, from: alice.user)
                try await bob.stop()
                try await bob.restart()
            }
            await bob.node.started()
            #expect(try await bob.node.storedMessages().map(\.state) == [.read, .read, .read])
        }
    }

    @Test func `a text that has expired is withdrawn, and its sender learns that`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await bob.stop()
            let short = try await alice.node.queue("in a minute", for: bob.user, expiringAfter: .seconds(60))
            let long = try await alice.node.queue("in an hour", for: bob.user, expiringAfter: .seconds(3600))
            try await simulation.wait(forSeconds: 200) { alice.events.contains(.expired(bob.user, short)) }
            try await bob.restart()
            try await simulation.wait(forSeconds: 1000) { alice.events.contains(.delivered(bob.user, long)) }
            #expect(!bob.events.contains(.message(alice.user, "in a minute")))
            await #expect(throws: NodeError.badExpiry) {
                try await alice.node.queue("never", for: bob.user, expiringAfter: .zero)
            }
        }
    }

    /// Covers INK-SYN-033.
    @Test(arguments: [-365 * 86_400, -7200, 3650 * 86_400] as [Int64])
    func `a text that is queued while the clock is wrong does not expire when it is right again`(
        seconds: Int64
    ) async throws {
        try await Simulation.run(seed: 15) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            try await bob.stop()
            alice.host.clock.step(byMilliseconds: seconds * 1000)
            await simulation.advance(bySeconds: 100)
            let id = try await alice.node.queue("soon", for: bob.user, expiringAfter: .seconds(7200))
            await simulation.advance(bySeconds: 100)
            alice.host.clock.step(byMilliseconds: -seconds * 1000)
            await simulation.advance(bySeconds: 100)
            #expect(!alice.events.contains(.expired(bob.user, id)))
            try await bob.restart()
            try await simulation.wait(forSeconds: 1000) { alice.events.contains(.delivered(bob.user, id)) }
        }
    }

    @Test func `a queued text can be removed, and one of a removed contact is gone`() async throws {
        try await Simulation.run(seed: 4) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await bob.stop()
            let first = try await alice.node.queue("first", for: bob.user)
            let second = try await alice.node.queue("second", for: bob.user)
            try await alice.node.removeMessage(first)
            #expect(try await alice.node.storedMessages().map(\.id) == [second])
            await #expect(throws: NodeError.unknownMessage) { try await alice.node.removeMessage(first) }
            try await bob.restart()
            try await simulation.wait(forSeconds: 60) { alice.events.contains(.delivered(bob.user, second)) }
            #expect(!bob.events.contains(.message(alice.user, "first")))
            try await alice.node.remove(bob.user)
            #expect(try await alice.node.storedMessages().isEmpty)
            await #expect(throws: NodeError.unknownContact) { try await alice.node.queue("?", for: bob.user) }
        }
    }

    /// Covers INK-STO-017.
    @Test func `a full disk refuses a text, loses none, and keeps recognition going`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let alice = try DiskPerson("Alice", in: simulation, seed: 1)
            let bob = try DiskPerson("Bob", in: simulation, seed: 2)
            await simulation.settle()
            try await acquaint(alice, bob)
            try await simulation.wait(forSeconds: 60) { await alice.node.contacts().first?.isReachable == true }
            try await alice.node.send("one", to: bob.user)
            bob.disk.setFull(true)
            let id = try await alice.node.queue("two", for: bob.user)
            await #expect(throws: NodeError.notAcknowledged) {
                try await alice.node.awaitDelivery(of: id, within: .seconds(10))
            }
            await #expect(throws: NodeError.messages(MessageStoreError(.file(.diskFull), "disk"))) {
                try await bob.node.queue("three", for: alice.user)
            }
            #expect(await alice.node.contacts().first?.isReachable == true)
            bob.disk.setFull(false)
            // The next session begins after the last text that is stored.
            try await simulation.wait(forSeconds: 2000) { bob.processed == ["one", "two"] }
        }
    }

    /// Covers INK-SYN-004, INK-SYN-012.
    @Test func `after an old copy of the disk no text is lost that was not acknowledged, and none comes twice`()
        async throws
    {
        try await Simulation.run(seed: 6) { simulation in
            let alice = try DiskPerson("Alice", in: simulation, seed: 1)
            let bob = try DiskPerson("Bob", in: simulation, seed: 2)
            await simulation.settle()
            try await acquaint(alice, bob)
            try await simulation.wait(forSeconds: 60) { await alice.node.contacts().first?.isReachable == true }
            try await alice.node.send("one", to: bob.user)
            try await alice.node.send("two", to: bob.user)
            let copy = alice.disk.copy()
            try await alice.node.send("three", to: bob.user)
            alice.disk.restore(copy)
            try await alice.crash()
            let id = try await alice.node.queue("four", for: bob.user)
            try await simulation.wait(forSeconds: 2000) { alice.seen.contains(.delivered(bob.user, id)) }
            #expect(bob.processed == ["one", "two", "three", "four"])
            #expect(
                alice.seen.contains {
                    if case .trouble(.messagesFound(.restoredOldCopy)) = $0 { true } else { false }
                })
        }
    }

    /// Returns what was queued by the first person, and what the second has processed, after crashes at drawn moments.
    private func crashes(seed: UInt64, isHonest: Bool = true) async throws -> (queued: [String], processed: [String]) {
        try await Simulation.run(seed: seed) { simulation in
            let alice = try DiskPerson("Alice", in: simulation, seed: seed, isHonest: isHonest)
            let bob = try DiskPerson("Bob", in: simulation, seed: seed &+ 1000, isHonest: isHonest)
            await simulation.settle()
            try await acquaint(alice, bob)
            await simulation.advance(bySeconds: 20)
            var dice = SeededGenerator(seed: seed)
            var queued: [String] = []
            for number in 1...24 {
                if (try? await alice.node.queue("\(number)", for: bob.user)) != nil { queued.append("\(number)") }
                await simulation.advance(byMilliseconds: UInt64.random(in: 0...40, using: &dice))
                switch Int.random(in: 0..<8, using: &dice) {
                case 0: try await alice.crash()
                case 1: try await bob.crash()
                case 2: bob.host.resetLinks()
                case 3: await simulation.advance(bySeconds: UInt64.random(in: 1...30, using: &dice))
                default: break
                }
            }
            let all = queued
            try? await simulation.wait(forSeconds: isHonest ? 4000 : 400) { bob.processed.count >= all.count }
            return (queued, bob.processed)
        }
    }

    @Test(arguments: UInt64(1)...12)
    func `whenever the power goes, every acknowledged text is processed once and in order`(seed: UInt64) async throws {
        let (queued, processed) = try await crashes(seed: seed)
        // A text whose storing was under way may be there although its queueing was not acknowledged.
        #expect(processed.filter(queued.contains) == queued)
        #expect(Set(processed).count == processed.count)
    }

    @Test func `a disk that does not keep what it has reported loses texts, and the crashes find it`() async throws {
        var faults = 0
        for seed: UInt64 in 1...6 {
            let (queued, processed) = try await crashes(seed: seed, isHonest: false)
            if processed.filter(queued.contains) != queued { faults += 1 }
        }
        #expect(faults > 0)
    }
}
