import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import Testing

@Suite struct NodeClockTests {
    @Test func `a node is silent until there is evidence for its clock`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let alice = try Person("Alice", in: simulation, evidence: FixedTimeEvidence.none)
            await simulation.advance(bySeconds: 2000)
            #expect(simulation.network.sightings == [])
            #expect(alice.events == [.silent(.clock(.unsupported), over: .lan)])
            await #expect(throws: NodeError.clockNotAccepted) {
                try await alice.node.invite(lasting: .seconds(300)) { _ in true }
            }
            alice.host.timeEvidence.set(FixedTimeEvidence.synchronised)
            try await simulation.wait(forSeconds: 75) { await alice.isShown() }
        }
    }

    @Test func `a clock set back by two hours silences a node until it is right again`() async throws {
        try await jump(byMilliseconds: -7_200_000) {
            if case .behind = $0 { true } else { false }
        }
    }

    @Test func `a clock set ten years ahead silences a node and loses no keys`() async throws {
        try await jump(byMilliseconds: 3650 * 86_400_000) {
            if case .ahead = $0 { true } else { false }
        }
    }

    @Test func `a clock set three days ahead without evidence silences a node and loses no keys`() async throws {
        try await jump(byMilliseconds: 3 * 86_400_000, evidence: FixedTimeEvidence.none) { $0 == .unsupported }
    }

    @Test func `a clock set three days ahead with evidence is accepted, and setting it back is not`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            alice.host.clock.step(byMilliseconds: 3 * 86_400_000)
            let wrong = try #require(Epoch(containing: alice.host.clock.read().unixSeconds))
            try await simulation.wait(forSeconds: 100) { await alice.node.status().showing ?? wrong >= wrong }
            try await simulation.wait(forSeconds: 100) { await alice.isShown() }
            alice.host.clock.step(byMilliseconds: -3 * 86_400_000)
            try await simulation.wait(forSeconds: 61) {
                if case .clock(.behind) = await alice.node.status().silence { true } else { false }
            }
            // The high-water mark does not go back, and contacts are kept.
            #expect(await alice.keeper.contents.highWaterEpoch ?? wrong >= wrong)
            #expect(await alice.keeper.contents.contacts.count == 1)
            let count = simulation.network.sightings(from: alice.host).count
            await simulation.advance(bySeconds: 3600)
            #expect(simulation.network.sightings(from: alice.host).count == count)
        }
    }

    /// Covers INK-ROT-048.
    @Test(arguments: [-3600, 3 * 86_400, 365 * 86_400] as [Int64])
    func `a step of the clock is noticed within a second`(seconds: Int64) async throws {
        try await Simulation.run(seed: 8) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            // Long after a timer was set for the next minute, and long before the next boundary.
            await simulation.advance(bySeconds: 17)
            #expect(await alice.isShown())
            alice.host.timeEvidence.set(FixedTimeEvidence.none)
            alice.host.clock.step(byMilliseconds: seconds * 1000)
            try await simulation.wait(forSeconds: 1) {
                if case .clock = await alice.node.status().silence { true } else { false }
            }
            #expect(await alice.node.status().sessions == 0)
        }
    }

    /// Covers INK-ROT-048.
    @Test func `a clock that is set forward by a minute does not show an epoch beyond its end`() async throws {
        try await Simulation.run(seed: 9) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            await simulation.advance(bySeconds: try secondsToBoundary(of: alice) - 70)
            let shown = try #require(await alice.node.status().showing)
            // Ten seconds before the boundary; the timers were set for seventy.
            alice.host.clock.step(byMilliseconds: 60_000)
            await simulation.advance(bySeconds: 11)
            #expect(await alice.node.status().showing != shown)
            let start = simulation.elapsed
            let old = announced(by: alice, in: simulation)
            await simulation.advance(bySeconds: 80)
            #expect(!announced(by: alice, in: simulation).isSubset(of: old))
            for sighting in simulation.network.sightings(from: alice.host) where sighting.time > start {
                if case .announcement(let instance) = sighting.kind { #expect(!old.contains(instance)) }
            }
        }
    }

    /// Covers INK-ROT-017, INK-ROT-048.
    @Test func `waking from sleep is noticed within a second`() async throws {
        try await Simulation.run(seed: 10) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            await simulation.advance(bySeconds: 17)
            #expect(await alice.isShown())
            alice.host.clock.suspend()
            await simulation.advance(bySeconds: 20)
            alice.host.clock.resume()
            try await simulation.wait(forSeconds: 1) { await alice.node.status().showing == nil }
        }
    }

    @Test func `after a sleep a node shows no old name, takes a new one and finds its contact again`() async throws {
        try await Simulation.run(seed: 4) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let old = announced(by: alice, in: simulation)
            alice.host.clock.suspend()
            await simulation.advance(bySeconds: 1800)
            let woke = simulation.elapsed
            alice.host.clock.resume()
            try await simulation.wait(forSeconds: 75) {
                guard await alice.isShown() else { return false }
                return !announced(by: alice, in: simulation).isSubset(of: old)
            }
            // An answer that was pending when the host fell asleep may still be sent before the node notices the sleep.
            for sighting in simulation.network.sightings(from: alice.host) where sighting.time > woke + 150 {
                if case .announcement(let instance) = sighting.kind { #expect(!old.contains(instance)) }
            }
            try await meet(alice, bob, withinSeconds: 930)
        }
    }

    @Test func `a short sleep within an epoch is followed by a new silent gap`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let before = alice.events.count { if case .showing = $0 { true } else { false } }
            alice.host.clock.suspend()
            await simulation.advance(bySeconds: 90)
            alice.host.clock.resume()
            try await simulation.wait(forSeconds: 75) {
                alice.events.count { if case .showing = $0 { true } else { false } } == before + 1
            }
        }
    }

    @Test func `with an accelerated clock a node rotates at every boundary`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            let alice = try Person("Alice", in: simulation)
            let bob = try Person("Bob", in: simulation)
            for person in [alice, bob] { person.host.clock.run(rate: 30) }
            await simulation.settle()
            try await acquaint(alice, bob)
            // An epoch takes thirty seconds of simulated time.
            await simulation.advance(bySeconds: 20 * 30)
            #expect(announced(by: alice, in: simulation).count >= 19)
            #expect(alice.confirmations(of: bob) >= 15)
        }
    }

    @Test func `a node renews its certificate while it runs, in the hour in which that is due`() async throws {
        try await Simulation.run(seed: 21) { simulation in
            // It ends 8926 hours after the identity was made, and a new one is made 2256 hours before.
            let alice = try Person("Alice", in: simulation, ageInPeriods: 8926 - 2256 - 1)
            await simulation.settle()
            #expect(await alice.keeper.contents.cardSerial == 1)
            try await simulation.wait(forSeconds: 3700) { await alice.keeper.contents.cardSerial > 1 }
        }
    }

    @Test func `a certificate that is about to expire is renewed, and contacts get the new card`() async throws {
        try await Simulation.run(seed: 7) { simulation in
            let alice = try Person("Alice", in: simulation, ageInPeriods: 8928 - 500)
            let bob = try Person("Bob", in: simulation)
            await simulation.settle()
            let renewed = try await alice.node.ownCard()
            let now = try #require(Epoch(containing: bob.host.clock.read().unixSeconds)).period
            #expect(renewed.serial == now.number)
            let old = try #require(alice.firstCard.certificates.first)
            #expect(try #require(renewed.certificates.first).to.number > old.to.number + 8000)
            try await bob.node.add(alice.firstCard)
            try await alice.node.add(bob.firstCard)
            try await grant(from: alice, to: bob)
            try await meet(alice, bob)
            try await simulation.wait(forSeconds: 10) {
                await bob.keeper.contents.contacts.first?.card == renewed.bytes
            }
            #expect(bob.events.contains(.renewed(alice.user)))
        }
    }
}

/// Sets the clock of one of two contacts wrong and then right again, and checks that nothing is shown or lost in the
/// meantime.
private func jump(
    byMilliseconds step: Int64, evidence: ClockEvidence = FixedTimeEvidence.synchronised,
    _ isExpected: @escaping @Sendable (AcceptedTime.Refusal) -> Bool
) async throws {
    try await Simulation.run(seed: 2) { simulation in
        let (alice, bob) = try await contacts(in: simulation)
        try await meet(alice, bob)
        let before = await alice.keeper.contents
        alice.host.timeEvidence.set(evidence)
        alice.host.clock.step(byMilliseconds: step)
        try await simulation.wait(forSeconds: 1) {
            if case .clock(let refusal) = await alice.node.status().silence { isExpected(refusal) } else { false }
        }
        await simulation.advance(bySeconds: 1)
        let count = simulation.network.sightings(from: alice.host).count
        await simulation.advance(bySeconds: 3000)
        #expect(simulation.network.sightings(from: alice.host).count == count)
        let after = await alice.keeper.contents
        #expect(after.contacts.count == 1)
        #expect(after.contacts.first?.grants.map(\.to) == before.contacts.first?.grants.map(\.to))
        let (kept, held) = (
            after.audiences.map { $0.tree.value.interval }, before.audiences.map { $0.tree.value.interval }
        )
        #expect(kept == held)
        #expect(after.highWaterEpoch == before.highWaterEpoch)

        alice.host.clock.step(byMilliseconds: -step)
        alice.host.timeEvidence.set(FixedTimeEvidence.synchronised)
        try await simulation.wait(forSeconds: 80) { await alice.isShown() }
        try await meet(alice, bob, withinSeconds: 930)
    }
}

@Suite struct `Silences that look like a gap` {
    /// Covers INK-ROT-031, INK-ROT-040.
    @Test func `a clock that went back behind what was shown is named, and the silence ends when that time has come`()
        async throws
    {
        try await Simulation.run(seed: 21) { simulation in
            let alice = try Person("Alice", in: simulation)
            try await simulation.wait(forSeconds: 60) { await alice.isShown() }
            try await alice.stop()
            var contents = await alice.keeper.contents
            let now = try #require(Epoch(containing: alice.host.clock.read().unixSeconds))
            let mark = try #require(Epoch(now.number + 2))
            contents.highWaterEpoch = mark
            try await alice.keeper.save(contents)
            try await alice.restart()
            await simulation.advance(bySeconds: 60)
            let status = await alice.node.status()
            #expect(status.silence == .highWater(mark) && status.showing == nil)
            #expect(status.technologies.map(\.silence) == [.highWater(mark)])
            try await simulation.wait(forSeconds: 2000) { await alice.isShown() }
            #expect(await alice.node.status().silence == nil)
        }
    }

    @Test func `a node without keys for what it is to show says so`() async throws {
        try await Simulation.run(seed: 22) { simulation in
            let alice = try Person("Alice", in: simulation)
            try await simulation.wait(forSeconds: 60) { await alice.isShown() }
            try await alice.stop()
            var contents = await alice.keeper.contents
            contents.audiences = []
            try await alice.keeper.save(contents)
            try await alice.restart()
            await simulation.advance(bySeconds: 60)
            #expect(await alice.node.status().silence == .noKeys)
        }
    }
}
