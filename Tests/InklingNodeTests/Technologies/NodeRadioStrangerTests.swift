import Foundation
import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@Suite struct NodeRadioStrangerTests {
    /// Covers INK-BLE-049, INK-HSK-034.
    @Test func `whatever a stranger writes, it is met with ten seconds of silence`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation)
            try await bob.stop()
            try await alice.waitForRadio()
            var garbage = SeededGenerator(seed: 3)
            let random = (0..<128).map { _ in UInt8.random(in: .min ... .max, using: &garbage) }
            let openings: [(String, [[UInt8]])] = [
                ("nothing", []),
                ("random bytes of the right size", [[0x10] + random]),
                ("a first contact without an invitation", [[0x30] + random]),
                ("a record", [[0x90] + random.prefix(112)]),
                ("an unknown type", [[0xf0] + random]),
                ("a first fragment alone", [[0x11] + random.prefix(60)]),
                ("fragments in the wrong order", [[0x13] + random.prefix(60), [0x11] + random.prefix(60)]),
                ("one byte", [[0x10]]),
                ("an empty value", [[]]),
                ("one byte too many", [[0x10] + random + [0]]),
                ("many packets", Array(repeating: [0x10] + random, count: 20)),
            ]
            let stranger = simulation.air.addStranger()
            for (what, values) in openings {
                let link = try await stranger.connect(to: try #require(alice.radio.address))
                for value in values { try link.write(value) }
                await #expect(throws: LinkError.closed) { try await link.receive(upTo: 1, within: .seconds(60)) }
                let seen = try #require(simulation.air.links(from: stranger.radio).last)
                #expect(seen.exchanges.allSatisfy { if case .notify = $0.kind { false } else { true } }, "\(what)")
                let lasted = try #require(seen.last) - seen.first
                #expect((9950...10_050).contains(lasted), "\(what): \(lasted) ms")
            }
        }
    }

    /// Covers INK-BLE-029, INK-BLE-030.
    @Test(arguments: [false, true])
    func `whether a copied tag is that of a contact cannot be told from what is written to it`(
        byOverflow: Bool
    ) async throws {
        // For each kind of tag, the delays from the tag to the first message, and from that to the end of the link.
        var shapes: [Bool: Set<[String]>] = [:]
        var delays: [Bool: [UInt64]] = [:]
        var waits: [Bool: [UInt64]] = [:]
        for seed: UInt64 in 10..<26 {
            for isContact in [true, false] {
                let link = try await Simulation.run(seed: seed) { simulation in
                    try await self.call(of: simulation, toTagOfContact: isContact, byOverflow: byOverflow)
                }
                shapes[isContact, default: []].insert(link.exchanges.map(\.outline))
                let tagged = try #require(link.exchanges.first { $0.outline == "tag" }).time
                let written = try #require(link.exchanges.first { $0.outline.hasPrefix("write") }).time
                delays[isContact, default: []].append(written - tagged)
                waits[isContact, default: []].append(try #require(link.last) - written)
                let packet = try #require(link.exchanges.compactMap(\.fragment).first)
                #expect(packet.count == 129 && packet.first == 0x10)
            }
        }
        #expect(shapes[true] == [["read", "tag", "write 129"]])
        #expect(shapes[false] == shapes[true])
        let (mine, theirs) = (try #require(delays[true]), try #require(delays[false]))
        #expect(largestDifference(mine, theirs) < 0.6, "\(mine.sorted()) \(theirs.sorted())")
        #expect(Set(waits[true] ?? []).union(waits[false] ?? []).allSatisfy { (4900...5200).contains($0) })
    }

    /// Has Alice connect to a stranger that shows the minor or an overflow bit, and a tag. Returns the link.
    private func call(
        of simulation: Simulation, toTagOfContact isContact: Bool, byOverflow: Bool
    ) async throws -> AirLink {
        let (alice, bob) = try await radioContacts(in: simulation)
        simulation.air.separate([[alice.radio], [bob.radio]])
        let stranger = simulation.air.addStranger()
        let copy = try await bob.copyOfPublication(by: stranger)
        try await bob.stop()
        try await alice.waitForRadio()
        let tag = isContact ? copy.tag : RecognitionTag(Octets16(high: 4, low: 5))
        let address = try strangeAddress(1)
        let minor = byOverflow ? BeaconMinor(copy.minor.value ^ 1) : copy.minor
        let session = try stranger.open(RadioPublication(minor: minor, tag: tag), at: address)
        defer { withExtendedLifetime(session) {} }
        for _ in 0..<120 {
            if byOverflow { stranger.showOverflow(from: address) }
            await simulation.advance(bySeconds: 1)
            guard let link = simulation.air.links(from: alice.radio).first, link.last != nil else { continue }
            // The tag of a contact leads to an attempt to confirm the contact.
            let isPlanned = alice.events.contains { if case .planned(bob.user, _) = $0 { true } else { false } }
            #expect(isPlanned == (isContact || !byOverflow))
            return link
        }
        return try #require(simulation.air.links(from: alice.radio).first { $0.last != nil }, "nobody called")
    }

    /// Covers INK-BLE-056.
    @Test func `a replayed minor at another address does not make a confirmed contact leave`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation)
            // Alice calls, so that she knows the address at which the handshake succeeded.
            bob.radio.faults.connecting = .hangs
            try await meet(alice, bob, withinSeconds: 60)
            let minor = try #require(simulation.air.broadcasts(from: bob.radio).last?.minor)
            let stranger = simulation.air.addStranger()
            for _ in 0..<120 {
                stranger.show(minor, from: try strangeAddress(7), rssi: -40)
                await simulation.advance(bySeconds: 1)
            }
            #expect(alice.events.contains(.contested(bob.user)))
            #expect(try await alice.contact(bob).presence.word == "confirmed")
            #expect(try await alice.contact(bob).isReachable)
            try await alice.node.send("still here", to: bob.user)
            #expect(bob.events.contains(.message(alice.user, "still here")))
            // The session ends with the link; the evidence at the address of the handshake stays.
            alice.radio.faults.connecting = .hangs
            bob.radio.resetLinks()
            for _ in 0..<150 {
                stranger.show(minor, from: try strangeAddress(7), rssi: -40)
                await simulation.advance(bySeconds: 1)
            }
            #expect(try await alice.contact(bob).presence.word == "confirmed")
            #expect(!alice.events.contains(.left(bob.user)))
        }
    }

    @Test func `a minor that is replayed before the contact comes is decided by the handshake`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation)
            simulation.air.separate([[alice.radio], [bob.radio]])
            try await bob.waitForRadio()
            let minor = try #require(simulation.air.broadcasts(from: bob.radio).last?.minor)
            let stranger = simulation.air.addStranger()
            for second in 0..<200 {
                if second == 60 { simulation.air.bringTogether() }
                stranger.show(minor, from: try strangeAddress(7), rssi: -40)
                await simulation.advance(bySeconds: 1)
                if second < 60 { #expect(alice.confirmations(of: bob) == 0) }
            }
            try await meet(alice, bob, withinSeconds: 10)
            #expect(try await alice.contact(bob).reachableOver == [.bluetooth])
        }
    }

    @Test func `a minor of an epoch before is not taken for the contact`() async throws {
        try await Simulation.run(seed: 4) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation)
            try await bob.waitForRadio()
            let old = try #require(simulation.air.broadcasts(from: bob.radio).last?.minor)
            try await bob.stop()
            // After the boundary and the skew allowance.
            await simulation.advance(byMilliseconds: 600_000 + 200_000 - simulation.elapsed)
            let calls = simulation.air.calls(from: alice.radio).count
            let stranger = simulation.air.addStranger()
            for _ in 0..<60 {
                stranger.show(old, from: try strangeAddress(8))
                await simulation.advance(bySeconds: 1)
            }
            #expect(simulation.air.calls(from: alice.radio).count == calls)
            #expect(try await !alice.contact(bob).presence.isPresent)
            #expect(alice.events.contains(.outsideWindow(bob.user)))
        }
    }

    @Test func `a relay can carry a handshake, and reads nothing of what is said`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation)
            simulation.air.separate([[alice.radio], [bob.radio]])
            let (near, far) = (simulation.air.addStranger(), simulation.air.addStranger())
            let copy = try await bob.copyOfPublication(by: far)
            let session = try near.open(copy, at: try strangeAddress(9))
            simulation.start {
                for await accepted in session.links {
                    guard let target = bob.radio.address, let onward = try? await far.connect(to: target) else {
                        return
                    }
                    simulation.start { await relay(accepted, onward) }
                    simulation.start { await relay(onward, accepted) }
                }
            }
            try await meet(alice, bob, withinSeconds: 90)
            try await alice.node.send("a secret word", to: bob.user)
            #expect(bob.events.contains(.message(alice.user, "a secret word")))
            let word = Array("secret".utf8)
            for value in simulation.air.links.flatMap(\.exchanges).compactMap(\.fragment)
            where value.count >= word.count {
                #expect(
                    !value.indices.dropLast(word.count - 1).contains {
                        value[$0..<($0 + word.count)].elementsEqual(word)
                    })
            }
            // It ends with the epoch.
            await simulation.advance(byMilliseconds: 600_000 - simulation.elapsed)
            #expect(simulation.air.linkCount == 0)
        }
    }

    @Test func `a sweep of all minors causes few connections`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            simulation.air.conditions.duty = 1
            let alice = try Person("Alice", in: simulation, hasRadio: true)
            for number in 0..<16 {
                let other = try Person("Contact \(number)", in: simulation)
                await simulation.settle()
                try await acquaint(alice, other)
                try await other.stop()
            }
            try await alice.waitForRadio()
            await simulation.advance(byMilliseconds: 620_000 - simulation.elapsed)
            let calls = simulation.air.calls(from: alice.radio).count
            let stranger = simulation.air.addStranger()
            try await sweep(by: stranger, in: simulation)
            let made = simulation.air.calls(from: alice.radio).count - calls
            #expect((1...12).contains(made), "\(made)")
            #expect(await alice.node.status().present == 0)
        }
    }

    /// Covers INK-BLE-033.
    @Test func `contacts of the last day meet in every epoch in which somebody sweeps all minors`() async throws {
        try await Simulation.run(seed: 7) { simulation in
            simulation.air.conditions.duty = 1
            let (alice, bob) = try await radioContacts(in: simulation)
            // More contacts of the last day than there are attempts in a sweep; none of them is there.
            for number in 0..<16 {
                let other = try Person("Contact \(number)", in: simulation)
                await simulation.settle()
                for person in [alice, bob] { try await acquaint(person, other) }
                try await other.stop()
            }
            try await meet(alice, bob, withinSeconds: 90)
            let stranger = simulation.air.addStranger()
            await simulation.advance(byMilliseconds: 600_000 - simulation.elapsed)
            var missed: [Int] = []
            for epoch in 0..<sweptEpochs {
                let before = alice.confirmations(of: bob)
                try await sweep(by: stranger, in: simulation, from: UInt64(epoch) << 20)
                await simulation.advance(byMilliseconds: 1_500_000 + UInt64(epoch) * 900_000 - simulation.elapsed)
                if alice.confirmations(of: bob) == before { missed.append(epoch) }
            }
            #expect(missed.count * 100 <= sweptEpochs, "missed in the epochs \(missed)")
        }
    }
}

/// The number of epochs that are swept; `make verify-figures` takes more.
private let sweptEpochs = ProcessInfo.processInfo.environment["INKLING_STATISTICS"] == nil ? 1 : 100

/// Shows all minors within 450 s, at 146 a second, each under an address of its own, twice within two seconds, so that it is
/// steady.
private func sweep(
    by stranger: SimulatedStranger, in simulation: Simulation, from first: UInt64 = 0
) async throws {
    for second in 0..<450 {
        for one in [second, second - 2] where one >= 0 {
            for minor in (one * 146)..<(one + 1) * 146 where minor < 65_536 {
                stranger.show(BeaconMinor(UInt16(minor)), from: try strangeAddress(100_000 + first + UInt64(minor)))
            }
        }
        await simulation.advance(bySeconds: 1)
    }
}

/// Passes on packets until a link ends.
private func relay(_ one: any Link, _ other: any Link) async {
    // The accepting side would refuse anything but a first message.
    await one.markAuthenticated()
    while let packet = try? await one.receive(upTo: 65_535, within: .seconds(3600)) {
        do { try await other.send(packet) } catch { break }
    }
    await other.close()
}

/// The largest difference between the distributions of two samples, 0 to 1 (Kolmogorov and Smirnov).
private func largestDifference(_ one: [UInt64], _ other: [UInt64]) -> Double {
    (one + other).map { value in
        let (left, right) = (one.count { $0 <= value }, other.count { $0 <= value })
        return abs(Double(left) / Double(max(one.count, 1)) - Double(right) / Double(max(other.count, 1)))
    }.max() ?? 0
}
