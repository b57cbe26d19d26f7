import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import InklingWire
import Testing

@Suite struct NodeRadioFaultTests {
    /// Covers INK-BLE-007.
    @Test func `a radio that cannot be opened is silent with the reason and tried less and less often`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation, areOnNetwork: true)
            alice.radio.faults.opening = .exposed(.privacy)
            try await meet(alice, bob)
            #expect(try await alice.contact(bob).reachableOver == [.lan])
            await simulation.advance(bySeconds: 1500)
            #expect(try await alice.bluetooth().silence == .radio(.exposed(.privacy)))
            #expect(try await alice.bluetooth().showing == nil)
            #expect(alice.radioSilences.contains(.radio(.exposed(.privacy))))
            #expect(simulation.air.broadcasts(from: alice.radio).isEmpty)
            // The network is not affected.
            #expect(alice.showings(over: .lan).count == 3)
            #expect(try await alice.contact(bob).presence.isPresent)
            let tries = simulation.air.openings(of: alice.radio)
            #expect((6...14).contains(tries.count), "\(tries)")
            let waits = zip(tries, tries.dropFirst()).map { $1 - $0 }
            // The first times are doubled, with a fresh gap of up to ten seconds after each.
            for (index, wait) in waits.prefix(4).enumerated() {
                let least: UInt64 = 5000 << UInt64(index)
                #expect((least...least + 11_500).contains(wait), "\(index): \(wait)")
            }
            #expect(waits.allSatisfy { $0 <= 311_500 })
            alice.radio.faults.opening = nil
            try await alice.waitForRadio(forSeconds: 320)
            await simulation.settle()
            #expect(try await alice.bluetooth().silence == nil)
        }
    }

    /// Covers INK-BLE-011.
    @Test func `a radio that fails is silent with the reason, and returns after a fresh gap under a new address`()
        async throws
    {
        try await Simulation.run(seed: 2) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation)
            try await meet(alice, bob, withinSeconds: 60)
            var returns: Set<UInt64> = []
            for _ in 0..<4 {
                let before = simulation.elapsed
                let address = try #require(alice.radio.address)
                alice.radio.crash(with: .noDaemon)
                await simulation.settle()
                #expect(try await alice.bluetooth().silence == .radio(.noDaemon))
                #expect(simulation.air.linkCount == 0)
                try await alice.waitForRadio(forSeconds: 60)
                returns.insert(simulation.elapsed - before)
                #expect(alice.radio.address != address)
            }
            #expect(returns.allSatisfy { (5000...16_000).contains($0) }, "\(returns)")
            #expect(returns.count == 4)
            #expect(alice.radioSilences.count { $0 == .radio(.noDaemon) } == 4)
        }
    }

    @Test func `a deaf radio is reported as trouble, with the step that it takes`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, _) = try await radioContacts(in: simulation)
            try await alice.waitForRadio()
            alice.radio.becomeDeaf()
            await simulation.advance(bySeconds: 90)
            alice.radio.becomeDeaf(taking: .powerCycle)
            await simulation.advance(bySeconds: 90)
            alice.radio.becomeDeaf(taking: .none)
            await simulation.settle()
            let steps = alice.events.compactMap { event -> RadioRecovery? in
                if case .trouble(.radioDeaf(let step)) = event { step } else { nil }
            }
            #expect(steps == [.scanAgain, .powerCycle, .none])
            #expect(try await alice.bluetooth().showing != nil)
        }
    }

    /// Covers INK-BLE-057, INK-BLE-058.
    @Test func `a radio that hears too much is told whom to listen for, and contacts meet over it`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation)
            simulation.air.separate([[alice.radio], [bob.radio]])
            for person in [alice, bob] { try await person.waitForRadio() }
            let shown = try #require(simulation.air.broadcasts(from: bob.radio).last?.minor)
            #expect(alice.radio.expectedMinors.contains(shown))
            for person in [alice, bob] { person.radio.becomeCrowded() }
            simulation.air.bringTogether()
            try await meet(alice, bob, withinSeconds: 90)
            #expect(alice.events.contains(.trouble(.radioCrowded)))
            // In the next epoch the radio listens for all again, and expects other minors.
            await simulation.advance(byMilliseconds: 640_000 - simulation.elapsed)
            let next = try #require(simulation.air.broadcasts(from: bob.radio).last?.minor)
            #expect(next != shown && alice.radio.expectedMinors.contains(next))
            #expect(alice.events.count { $0 == .trouble(.radioCrowded) } == 1)
            // A node that looks for nobody expects no minors.
            try await alice.node.becomeVisible(to: .nobody)
            await simulation.settle()
            #expect(alice.radio.expectedMinors == [])
        }
    }

    @Test func `contacts meet although every other link is reset or mute at first`() async throws {
        for (seed, fault) in [(4, .mute), (5, .reset(after: .milliseconds(30)))] as [(UInt64, RadioFaults.Links)] {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await radioContacts(in: simulation)
                alice.radio.faults.links = fault
                await simulation.advance(bySeconds: 120)
                #expect(alice.confirmations(of: bob) == 0)
                alice.radio.faults.links = nil
                // In the next epoch at the latest.
                try await simulation.wait(forSeconds: 960) {
                    alice.confirmations(of: bob) > 0 && bob.confirmations(of: alice) > 0
                }
            }
        }
    }

    /// Covers INK-BLE-038.
    @Test func `contacts stay present in a room where most frames are lost and scans stand still`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            simulation.air.conditions.loss = 0.5
            simulation.air.conditions.pauses = 0.05
            simulation.air.conditions.pause = 5000...30_000
            let (alice, bob) = try await radioContacts(in: simulation)
            try await simulation.wait(forSeconds: 900) { try await alice.contact(bob).presence.isPresent }
            await simulation.advance(bySeconds: 3600)
            #expect(!alice.events.contains(.left(bob.user)))
            #expect(!bob.events.contains(.left(alice.user)))
        }
    }
}
