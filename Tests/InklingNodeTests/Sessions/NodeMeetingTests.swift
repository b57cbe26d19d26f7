import InklingEngine
import InklingKeys
import InklingNode
import InklingPlatforms
import InklingSimulation
import InklingTesting
import InklingVault
import InklingWire
import Testing

@Suite struct NodeMeetingTests {
    @Test func `two contacts recognise each other, confirm each other and exchange messages`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            try await alice.node.send("hello", to: bob.user)
            #expect(bob.events.contains(.message(alice.user, "hello")))
            try await bob.node.send("and to you", to: alice.user)
            #expect(alice.events.contains(.message(bob.user, "and to you")))
        }
    }

    @Test func `the transport plan is reported before a contact is called`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            for (person, other) in [(alice, bob), (bob, alice)] {
                for (place, event) in person.events.enumerated() {
                    guard case .confirmed(other.user, _, .some) = event else { continue }
                    let plans = person.events[..<place].compactMap { event -> TransportPlan? in
                        if case .planned(other.user, let plan) = event { plan } else { nil }
                    }
                    let plan = try #require(plans.last)
                    #expect(plan.steps.map(\.transport) == [.network])
                    // The reason is that the node has no Bluetooth back end, and not a permission.
                    #expect(plan.refusals.contains { $0.transport == .gatt && $0.reason == .noBackEnd })
                }
            }
            #expect((alice.events + bob.events).contains { if case .planned = $0 { true } else { false } })
        }
    }

    /// Covers INK-ROT-007.
    @Test func `contacts confirm each other in each epoch, under new names and ports`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            for round in 1...6 {
                try await simulation.wait(forSeconds: 920) {
                    alice.confirmations(of: bob) + bob.confirmations(of: alice) >= 2 * round
                        && alice.confirmations(of: bob) >= round
                }
            }
            let shown = announced(by: alice, in: simulation)
            #expect(shown.count >= 6)
            #expect(Set(shown.map(\.name)).count == shown.count)
            #expect(Set(shown.map(\.host)).count == shown.count)
            // The contact was never reported as gone.
            #expect(!alice.events.contains(.presence(bob.user, .gone)))
        }
    }

    /// Covers INK-ID-013.
    @Test func `each node announces one name at a time, and withdraws it before the next`() async throws {
        try await Simulation.run(seed: 21) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            await simulation.advance(bySeconds: 900 * 6)
            for person in [alice, bob] {
                var shown: Set<OpaqueServiceName> = []
                var announcements = 0
                for sighting in simulation.network.sightings(from: person.host) {
                    switch sighting.kind {
                    case .announcement(let instance):
                        shown.insert(instance.name)
                        announcements += 1
                    case .goodbye(let name): shown.remove(name)
                    default: break
                    }
                    #expect(shown.count <= 1)
                }
                #expect(announcements >= 6)
            }
        }
    }

    @Test func `a node without a grant recognises no contact, and no node reacts to it`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            let mallory = try Person("Mallory", in: simulation)
            try await meet(alice, bob)
            await simulation.advance(bySeconds: 1000)
            #expect(
                mallory.events.allSatisfy { if case .showing = $0 { true } else { $0 == .silent(.gap, over: .lan) } })
            #expect(await mallory.node.status().present == 0)
            // There is no connection from or to Mallory.
            let address = mallory.host.address
            for sighting in simulation.network.sightings where !sighting.isDiscovery {
                #expect(sighting.source != address)
                if case .connection(let target) = sighting.kind { #expect(target.address != address) }
            }
        }
    }

    @Test func `a card that one side alone holds does not lead to recognition`() async throws {
        try await Simulation.run(seed: 4) { simulation in
            let alice = try Person("Alice", in: simulation)
            let bob = try Person("Bob", in: simulation)
            await simulation.settle()
            try await alice.node.add(bob.node.ownCard())
            await simulation.advance(bySeconds: 1000)
            #expect(alice.confirmations(of: bob) == 0)
            #expect(!simulation.network.sightings.contains { !$0.isDiscovery })
        }
    }

    @Test func `contacts meet with a grant in one direction, and exchange the other in the session`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let alice = try Person("Alice", in: simulation)
            let bob = try Person("Bob", in: simulation)
            await simulation.settle()
            try await alice.node.add(bob.node.ownCard())
            try await bob.node.add(alice.node.ownCard())
            try await grant(from: alice, to: bob)
            try await meet(alice, bob)
            try await simulation.wait(forSeconds: 5) { alice.events.contains(.renewed(bob.user)) }
            #expect(await alice.node.contacts().first?.recognisedUntil != nil)
            #expect(await bob.keeper.contents.contacts.first?.grants.count == 1)
        }
    }

    @Test func `an invisible node emits nothing`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            let (alice, bob) = try await contacts(in: simulation, isSecondVisible: false)
            try await simulation.wait(forSeconds: 20) { await alice.isShown() }
            await simulation.advance(bySeconds: 3000)
            #expect(simulation.network.sightings(from: bob.host).isEmpty)
            #expect(alice.confirmations(of: bob) == 0)
            try await bob.node.becomeVisible(to: .all)
            try await meet(alice, bob)
            try await bob.node.becomeVisible(to: .nobody)
            await simulation.advance(bySeconds: 2)
            let count = simulation.network.sightings(from: bob.host).count
            await simulation.advance(bySeconds: 2000)
            #expect(simulation.network.sightings(from: bob.host).count == count)
            #expect(bob.events.last { if case .silent = $0 { true } else { false } } == .silent(.invisible, over: .lan))
        }
    }

    @Test func `silent gaps have random lengths of up to ten seconds, and nothing is sent in them`() async throws {
        try await Simulation.run(seed: 7) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await simulation.wait(forSeconds: 20) { await alice.isShown() }
            await simulation.advance(bySeconds: 900 * 12)
            var gaps: [UInt64] = []
            for person in [alice, bob] {
                var quiet: UInt64?
                for heard in person.story {
                    switch heard.event {
                    case .silent(.gap, _): quiet = heard.time
                    case .showing:
                        guard let start = quiet else { continue }
                        gaps.append(heard.time - start)
                        quiet = nil
                        let inGap = simulation.network.sightings(from: person.host).filter {
                            $0.time > start && $0.time < heard.time
                        }
                        #expect(inGap == [])
                    default: break
                    }
                }
            }
            #expect(gaps.count >= 22)
            // From one second before the boundary to at most ten seconds after it.
            #expect(gaps.allSatisfy { (1000...11_000).contains($0) })
            #expect(Set(gaps).count > 18)
        }
    }

    @Test func `a removed contact gets no answer and is no longer recognised`() async throws {
        try await Simulation.run(seed: 8) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            try await alice.node.remove(bob.user)
            await simulation.advance(bySeconds: 5)
            #expect(await bob.node.contacts().first?.isReachable == false)
            let confirmations = (alice.confirmations(of: bob), bob.confirmations(of: alice))
            let removed = simulation.elapsed
            await simulation.advance(bySeconds: 2000)
            #expect(alice.confirmations(of: bob) == confirmations.0)
            #expect(bob.confirmations(of: alice) == confirmations.1)
            let address = alice.host.address
            #expect(
                simulation.network.sightings.contains {
                    if case .connection(let target) = $0.kind {
                        $0.time > removed && target.address == address
                    } else {
                        false
                    }
                })
            #expect(
                !simulation.network.sightings(from: alice.host).contains {
                    if case .packet = $0.kind { $0.time > removed + 100 } else { false }
                })
            #expect(await alice.node.status().refusedMessages > 0)
        }
    }

    /// Covers INK-HSK-037, INK-HSK-038.
    @Test func `two crossing calls result in one session`() async throws {
        for seed: UInt64 in 10..<30 {
            try await Simulation.run(seed: seed) { simulation in
                simulation.network.conditions.delay = 300...600
                let (alice, bob) = try await contacts(in: simulation)
                try await meet(alice, bob)
                await simulation.advance(bySeconds: 10)
                #expect(await alice.node.status().sessions == 1)
                #expect(await bob.node.status().sessions == 1)
                #expect(simulation.network.linkCount == 1)
                try await alice.node.send("still here", to: bob.user)
                #expect(bob.events.contains(.message(alice.user, "still here")))
            }
        }
    }

    /// Covers INK-HSK-010, INK-ID-019.
    @Test func `contacts whose clocks differ by less than the skew allowance meet in every epoch`() async throws {
        try await Simulation.run(seed: 9) { simulation in
            let alice = try Person("Alice", in: simulation)
            let bob = try Person("Bob", in: simulation, clockError: 100_000)
            await simulation.settle()
            try await acquaint(alice, bob)
            for round in 1...4 {
                try await simulation.wait(forSeconds: 920) {
                    alice.confirmations(of: bob) >= round || bob.confirmations(of: alice) >= round
                }
            }
        }
    }

    /// Covers INK-REC-005.
    @Test func `grants are renewed when they are a day old`() async throws {
        try await Simulation.run(seed: 10) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let before = await alice.node.contacts().first?.recognisedUntil
            for hours: UInt64 in [12, 13] {
                #expect(!alice.events.contains(.renewed(bob.user)))
                for person in [alice, bob] { try await person.stop() }
                await simulation.advance(bySeconds: hours * 3600)
                for person in [alice, bob] { try await person.restart() }
                try await meet(alice, bob)
            }
            await simulation.advance(bySeconds: 1)
            #expect(alice.events.count { $0 == .renewed(bob.user) } == 1)
            let after = await alice.node.contacts().first?.recognisedUntil
            #expect(try #require(after).number >= (try #require(before)).number + 24)
        }
    }

    @Test func `a node that stops closes its links and its discovery server`() async throws {
        try await Simulation.run(seed: 11) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            try await alice.stop()
            try await bob.stop()
            await simulation.advance(bySeconds: 10)
            #expect(simulation.network.linkCount == 0)
            #expect(simulation.network.discoverySessionCount == 0)
            await #expect(throws: NodeError.stopped) {
                try await alice.node.invite(lasting: .seconds(300)) { _ in true }
            }
        }
    }
}

/// Creates two contacts whose nodes are running.
func contacts(in simulation: Simulation, isSecondVisible: Bool = true) async throws -> (Person, Person) {
    let alice = try Person("Alice", in: simulation)
    let bob = try Person("Bob", in: simulation, isVisible: isSecondVisible)
    await simulation.settle()
    try await acquaint(alice, bob)
    return (alice, bob)
}

/// Waits until two people have a session that is confirmed on both sides.
func meet(_ one: Person, _ other: Person, withinSeconds seconds: UInt64 = 30) async throws {
    try await one.simulation.wait(forSeconds: seconds) {
        let here = await one.node.contacts().first { $0.user == other.user }
        let there = await other.node.contacts().first { $0.user == one.user }
        return here?.isReachable == true && there?.isReachable == true
    }
}

/// Returns every instance that a person has announced.
func announced(by person: Person, in simulation: Simulation) -> Set<ServiceInstance> {
    Set(
        simulation.network.sightings(from: person.host).compactMap {
            if case .announcement(let instance) = $0.kind { instance } else { nil }
        })
}
