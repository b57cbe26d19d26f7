import InklingEngine
import InklingKeys
import InklingNode
import InklingPlatforms
import InklingSimulation
import InklingTesting
import InklingVault
import InklingWire
import Testing

@Suite struct NodeRadioTests {
    /// Covers INK-BLE-027, INK-BLE-028, INK-HSK-018.
    @Test func `two contacts with radios alone recognise each other, confirm each other and exchange messages`()
        async throws
    {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation)
            try await meet(alice, bob, withinSeconds: 60)
            try await alice.node.send("hello", to: bob.user)
            #expect(bob.events.contains(.message(alice.user, "hello")))
            try await bob.node.send("and to you", to: alice.user)
            #expect(alice.events.contains(.message(bob.user, "and to you")))
            #expect(try await alice.contact(bob).reachableOver == [.bluetooth])
            #expect(alice.confirmations(of: bob, over: .lan) + bob.confirmations(of: alice, over: .lan) == 0)
            let links = simulation.air.links
            #expect(!links.isEmpty)
            for link in links {
                let callee = try #require([alice, bob].first { $0.radio.address == link.advertiser })
                #expect(link.initiatorType == .resolvablePrivate)
                #expect(link.initiator != callee.radio.address)
                let outlines = link.exchanges.map(\.outline)
                #expect(outlines.prefix(4) == ["read", "tag", "write 129", "notify 113"])
                #expect(!outlines.dropFirst(2).contains("read"))
            }
        }
    }

    @Test func `the plan is to connect over Bluetooth when a contact is heard there alone`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation)
            try await meet(alice, bob, withinSeconds: 60)
            let plans = (alice.events + bob.events).compactMap { event -> TransportPlan? in
                if case .planned(_, let plan) = event { plan } else { nil }
            }
            #expect(!plans.isEmpty)
            #expect(plans.allSatisfy { $0.steps.contains { $0.transport == .gatt } })
        }
    }

    /// Covers INK-BLE-055.
    @Test func `a contact over radio and network is one presence, and the status has both technologies`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation, areOnNetwork: true)
            try await meet(alice, bob, withinSeconds: 60)
            try await alice.waitForRadio()
            await simulation.advance(bySeconds: 60)
            for (one, other) in [(alice, bob), (bob, alice)] {
                let status = await one.node.status()
                #expect(status.technologies.map(\.technology) == [.lan, .bluetooth])
                let epochs = status.technologies.compactMap(\.showing)
                #expect(epochs.count == 2 && Set(epochs).count == 1)
                #expect(status.technologies.allSatisfy { $0.silence == nil && $0.carriesLinks })
                #expect(status.present == 1)
                #expect(!(try await one.contact(other)).reachableOver.isEmpty)
            }
            // The radio falls silent: the contact stays, because the network still shows it.
            bob.radio.faults.opening = .poweredOff
            bob.radio.crash(with: .poweredOff)
            await simulation.advance(bySeconds: 300)
            #expect(try await alice.contact(bob).presence.isPresent)
            #expect(!alice.events.contains(.left(bob.user)))
            #expect(!alice.events.contains(.presence(bob.user, .gone)))
        }
    }

    @Test func `a radio on which every connection hangs does not keep contacts from meeting over the network`()
        async throws
    {
        for seed: UInt64 in 40..<46 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await radioContacts(in: simulation, areOnNetwork: true)
                for person in [alice, bob] { person.radio.faults.connecting = .hangs }
                for _ in 0..<3 {
                    try await meet(alice, bob, withinSeconds: 40)
                    #expect(try await alice.contact(bob).reachableOver == [.lan])
                    let next = boundaries(in: simulation).last.map { $0 + 900_000 } ?? 600_000
                    await simulation.advance(byMilliseconds: next - simulation.elapsed)
                }
            }
        }
    }

    @Test func `a network that carries no links does not keep contacts from meeting over the radio`() async throws {
        for seed: UInt64 in 50..<56 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await radioContacts(in: simulation, areOnNetwork: true)
                for person in [alice, bob] { person.host.links.fail(with: .unreachable(code: 98)) }
                try await meet(alice, bob, withinSeconds: 90)
                #expect(try await alice.contact(bob).reachableOver == [.bluetooth])
            }
        }
    }

    /// Covers INK-BLE-017.
    @Test func `a node that is only a beacon is recognised, and is not confirmed`() async throws {
        try await Simulation.run(seed: 4) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation)
            bob.radio.carriesLinks = false
            try await simulation.wait(forSeconds: 60) { try await alice.contact(bob).presence == .probable }
            await simulation.advance(bySeconds: 300)
            #expect(alice.confirmations(of: bob) + bob.confirmations(of: alice) == 0)
            #expect(simulation.air.links.isEmpty)
            #expect(simulation.air.calls(from: bob.radio).isEmpty)
            let status = try await bob.bluetooth()
            #expect(status.showing != nil)
            #expect(!status.carriesLinks)
            // A contact that cannot connect is recognised all the same.
            #expect(try await bob.contact(alice).presence == .probable)
            let broadcasts = simulation.air.broadcasts(from: bob.radio)
            #expect(!broadcasts.isEmpty && broadcasts.allSatisfy { !$0.isConnectable })
        }
    }

    @Test func `a contact that goes out of range leaves after its timers, and comes back`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation)
            try await meet(alice, bob, withinSeconds: 60)
            simulation.air.separate([[alice.radio], [bob.radio]])
            try await simulation.wait(forSeconds: 300) { try await !alice.contact(bob).presence.isPresent }
            simulation.air.bringTogether()
            try await simulation.wait(forSeconds: 960) { try await alice.contact(bob).presence.isPresent }
            try await meet(alice, bob, withinSeconds: 60)
        }
    }

    @Test func `an invisible node has nothing on the air, and calls nobody`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation)
            try await alice.node.becomeVisible(to: .all)
            try await bob.node.becomeVisible(to: .nobody)
            await simulation.settle()
            let before = simulation.air.broadcasts(from: bob.radio)
            await simulation.advance(bySeconds: 2000)
            #expect(simulation.air.broadcasts(from: bob.radio) == before)
            #expect(simulation.air.calls.isEmpty)
            #expect(bob.radioSilences.last == .invisible)
            #expect(try await bob.bluetooth().silence == .invisible)
            try await bob.node.becomeVisible(to: .all)
            try await meet(alice, bob, withinSeconds: 60)
            try await bob.node.becomeVisible(to: .nobody)
            await simulation.advance(bySeconds: 1)
            #expect(bob.radio.address == nil)
            #expect(simulation.air.linkCount == 0)
            let shown = simulation.air.broadcasts(from: bob.radio).count
            let calls = simulation.air.calls(from: bob.radio).count
            await simulation.advance(bySeconds: 2000)
            #expect(simulation.air.broadcasts(from: bob.radio).count == shown)
            #expect(simulation.air.calls(from: bob.radio).count == calls)
        }
    }

    /// Covers INK-ADV-007.
    @Test func `a node whose time is not accepted has nothing on the air`() async throws {
        try await Simulation.run(seed: 7) { simulation in
            let alice = try Person("Alice", in: simulation, hasRadio: true, evidence: FixedTimeEvidence.none)
            await simulation.advance(bySeconds: 1000)
            #expect(simulation.air.broadcasts.isEmpty)
            #expect(alice.radio.address == nil)
            alice.host.timeEvidence.set(FixedTimeEvidence.synchronised)
            try await simulation.wait(forSeconds: 120) { alice.radio.address != nil }
        }
    }

    @Test func `a node that stops is off the air, and closes its links`() async throws {
        try await Simulation.run(seed: 8) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation)
            try await meet(alice, bob, withinSeconds: 60)
            try await alice.stop()
            await simulation.advance(bySeconds: 1)
            #expect(alice.radio.address == nil)
            #expect(simulation.air.linkCount == 0)
            #expect(simulation.air.sessionCount == 1)
            try await alice.restart()
            try await meet(alice, bob, withinSeconds: 60)
        }
    }

    /// Covers INK-ID-009, INK-ID-012.
    @Test func `a node that starts again in an epoch shows the same minor under a new address`() async throws {
        try await Simulation.run(seed: 9) { simulation in
            let alice = try Person("Alice", in: simulation, hasRadio: true)
            try await alice.waitForRadio()
            try await alice.stop()
            try await alice.restart()
            try await alice.waitForRadio()
            let shown = simulation.air.broadcasts(from: alice.radio)
            #expect(shown.count == 2)
            #expect(Set(shown.map(\.minor)).count == 1)
            #expect(Set(shown.map(\.address)).count == 2)
        }
    }
}
