import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@Suite struct NodeRadioRotationTests {
    /// Covers INK-BLE-002, INK-BLE-003, INK-ID-009, INK-ID-012.
    @Test func `no address outlives an epoch, and nothing is on the air in a silent gap`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation)
            try await meet(alice, bob, withinSeconds: 60)
            await simulation.advance(bySeconds: 900 * 6)
            for person in [alice, bob] {
                let shown = simulation.air.broadcasts(from: person.radio)
                #expect(shown.count == 7)
                #expect(Set(shown.map(\.address)).count == shown.count)
                #expect(Set(shown.compactMap(\.minor)).count == shown.count)
                let starts = person.showings(over: .bluetooth).map(\.time)
                for (boundary, start) in zip(boundaries(in: simulation), starts.dropFirst()) {
                    #expect((boundary...boundary + 11_000).contains(start))
                    // Four seconds before the boundary it ends what it shows; one frame may be under way.
                    let inGap = shown.filter { $0.first < start - 100 && $0.last > boundary - 3980 }
                    #expect(inGap.isEmpty, "\(inGap)")
                }
            }
            // Every other byte is that of all nodes.
            let frames = simulation.air.broadcasts
            #expect(frames.allSatisfy { $0.bytes == $0.minor.map { IBeacon(minor: $0).encoded() } })
            #expect(Set(frames.map(\.addressType)).count == 1)
        }
    }

    /// Covers INK-BLE-026, INK-BLE-050, INK-HSK-034.
    @Test func `links end before each boundary, and contacts confirm each other again after it`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation)
            for round in 1...6 {
                try await simulation.wait(forSeconds: 960) {
                    alice.confirmations(of: bob) >= round && bob.confirmations(of: alice) >= round
                }
                try await meet(alice, bob)
                try await alice.node.send("round \(round)", to: bob.user)
                #expect(bob.events.contains(.message(alice.user, "round \(round)")))
            }
            let links = simulation.air.links
            #expect(links.count >= 6)
            #expect(boundaries(in: simulation).contains { boundary in links.contains { $0.first < boundary } })
            for boundary in boundaries(in: simulation) {
                for link in links where link.first < boundary {
                    #expect(link.last.map { $0 < boundary - 3900 } == true)
                    #expect(link.exchanges.allSatisfy { $0.time < boundary - 3900 })
                }
            }
            // Connections are begun only while the radio shows an epoch.
            for person in [alice, bob] {
                let shown = simulation.air.broadcasts(from: person.radio)
                for call in simulation.air.calls(from: person.radio) {
                    #expect(shown.contains { $0.first <= call.time && call.time <= $0.last + 1010 })
                }
            }
            // No address of an initiator is used twice, or was ever shown.
            let shown = Set(simulation.air.broadcasts.map(\.address))
            #expect(Set(links.map(\.initiator)).count == links.count)
            #expect(shown.isDisjoint(with: links.map(\.initiator)))
            // The contact never left.
            for (one, other) in [(alice, bob), (bob, alice)] {
                #expect(!one.events.contains(.presence(other.user, .gone)))
                #expect(!one.events.contains(.left(other.user)))
            }
        }
    }

    @Test func `a stranger that stays connected over the boundary learns nothing`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let alice = try Person("Alice", in: simulation, hasRadio: true)
            try await alice.waitForRadio()
            let stranger = simulation.air.addStranger()
            let address = try #require(alice.radio.address)
            await simulation.advance(byMilliseconds: 590_000 - simulation.elapsed)
            let link = try await stranger.connect(to: address)
            let tag = try await link.readTag(within: .seconds(1))
            await simulation.advance(byMilliseconds: 600_000 - simulation.elapsed)
            #expect(link.isClosed)
            await #expect(throws: LinkError.closed) { try await link.readTag(within: .seconds(30)) }
            await #expect(throws: LinkError.timedOut) { try await stranger.connect(to: address) }
            try await alice.waitForRadio()
            await #expect(throws: LinkError.closed) { try await link.readTag(within: .seconds(30)) }
            await #expect(throws: LinkError.timedOut) { try await stranger.connect(to: address) }
            #expect(alice.radio.address != address)
            let next = try await stranger.connect(to: try #require(alice.radio.address))
            #expect(try await next.readTag(within: .seconds(1)) != tag)
        }
    }

    /// Covers INK-BLE-001, INK-ROT-004.
    @Test func `the gaps of radio and network are drawn independently, and a joint draw would be found`() async throws {
        try await Simulation.run(seed: 4) { simulation in
            simulation.air.conditions.interval = 60_000
            let alice = try Person("Alice", in: simulation, hasRadio: true)
            await simulation.advance(bySeconds: 900 * 81)
            func gaps(_ technology: LinkTechnologyID) -> [UInt64] {
                let starts = alice.showings(over: technology).map(\.time)
                return boundaries(in: simulation).compactMap { boundary in
                    starts.first { $0 >= boundary }.map { $0 - boundary }
                }
            }
            let (network, radio) = (gaps(.lan), gaps(.bluetooth))
            #expect(network.count >= 80 && radio.count == network.count)
            #expect((network + radio).allSatisfy { $0 <= 11_000 })
            #expect(Set(network).count > 70 && Set(radio).count > 70)
            // Three standard deviations of the coefficient of independent draws.
            let bound = 3 / Double(network.count - 1).squareRoot()
            #expect(abs(rankCorrelation(network, radio)) < bound)
            // The same draw, with up to a second of noise.
            var noise = SeededGenerator(seed: 9)
            let joint = network.map { $0 + UInt64.random(in: 0...1000, using: &noise) }
            #expect(rankCorrelation(network, joint) > bound)
            let opposite = network.map { 11_000 - $0 + UInt64.random(in: 0...1000, using: &noise) }
            #expect(rankCorrelation(network, opposite) < -bound)
        }
    }

    /// Covers INK-BLE-001.
    @Test func `a change of the network leaves the radio on the air, under the same address`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let alice = try Person("Alice", in: simulation, hasRadio: true)
            try await alice.waitForRadio()
            await simulation.advance(bySeconds: 20)
            let address = try #require(alice.radio.address)
            alice.host.changeAddress()
            for _ in 0..<20 {
                await simulation.advance(bySeconds: 1)
                #expect(alice.radio.address == address)
            }
            #expect(alice.radioSilences.allSatisfy { $0 == .gap })
        }
    }

    /// Covers INK-BLE-008.
    @Test func `a node that slept over a boundary shows no frame of the past when it wakes`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            let alice = try Person("Alice", in: simulation, hasRadio: true)
            try await alice.waitForRadio()
            await simulation.advance(bySeconds: 30)
            alice.host.clock.suspend()
            await simulation.advance(bySeconds: 3000)
            let woken = simulation.elapsed
            alice.host.clock.resume()
            await simulation.advance(bySeconds: 60)
            let shown = simulation.air.broadcasts(from: alice.radio)
            #expect(shown.count == 2)
            let old = try #require(shown.first)
            // The frame that was planned when the host fell asleep, at most.
            #expect(old.last <= woken + 20)
            #expect(shown[1].minor != old.minor && shown[1].address != old.address)
        }
    }
}

/// Spearman's coefficient of the ranks of two lists.
private func rankCorrelation(_ one: [UInt64], _ other: [UInt64]) -> Double {
    func ranks(_ values: [UInt64]) -> [Double] {
        // Equal values share the mean of their ranks.
        values.map { value in
            Double(values.count { $0 < value }) + Double(values.count { $0 == value } + 1) / 2
        }
    }
    let (left, right) = (ranks(one), ranks(other))
    let mean = Double(left.count + 1) / 2
    let pairs = zip(left, right).map { ($0 - mean, $1 - mean) }
    let joint = pairs.reduce(0) { $0 + $1.0 * $1.1 }
    let (a, b) = (pairs.reduce(0) { $0 + $1.0 * $1.0 }, pairs.reduce(0) { $0 + $1.1 * $1.1 })
    return a * b > 0 ? joint / (a * b).squareRoot() : 0
}
