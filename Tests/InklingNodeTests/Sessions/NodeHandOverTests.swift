import InklingEngine
import InklingKeys
import InklingNode
import InklingPlatforms
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

/// Two contacts with radios on one network whose multicast does not reach others, so that no name is heard.
private func contactsWithoutMulticast(in simulation: Simulation) async throws -> (Person, Person) {
    simulation.network.conditions.carriesMulticast = false
    return try await radioContacts(in: simulation, areOnNetwork: true)
}

extension Person {
    /// Waits until every session with a contact is over this technology alone.
    fileprivate func wait(
        forSeconds seconds: UInt64 = 90, untilReachableOver technology: LinkTechnologyID, _ other: Person
    ) async throws {
        try await simulation.wait(forSeconds: seconds) {
            let here = try await contact(other).reachableOver
            let there = try await other.contact(self).reachableOver
            return here == [technology] && there == [technology]
        }
    }

    /// The texts that came from a contact, in order.
    fileprivate func texts(from other: Person) -> [String] {
        events.compactMap { if case .message(other.user, let text) = $0 { text } else { nil } }
    }

    /// Lets time pass while other tasks of the simulation run.
    fileprivate func pause(byMilliseconds milliseconds: UInt64) async {
        try? await host.clock.sleep(until: host.clock.read().tick.advanced(byMilliseconds: milliseconds))
    }

    /// The number of times that the session with a contact continued over another technology.
    fileprivate var handOvers: Int {
        events.count { if case .handedOver = $0 { true } else { false } }
    }

    /// The connections that the host has asked for.
    fileprivate var connections: [NetworkSighting] {
        simulation.network.sightings(from: host).filter { sighting in
            if case .connection = sighting.kind { true } else { false }
        }
    }
}

@Suite struct NodeHandOverTests {
    /// Covers INK-HOV-003, INK-HOV-004, INK-HOV-024, INK-HOV-046.
    @Test func `contacts confirmed over Bluetooth go to a network on which no name is heard`() async throws {
        for seed: UInt64 in 1...6 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await contactsWithoutMulticast(in: simulation)
                try await meet(alice, bob, withinSeconds: 60)
                #expect(try await alice.contact(bob).reachableOver == [.bluetooth])
                try await alice.wait(untilReachableOver: .lan, bob)
                for (one, other) in [(alice, bob), (bob, alice)] {
                    #expect(one.events.contains(.handedOver(other.user, from: .bluetooth, to: .lan)))
                    #expect(!one.events.contains(.left(other.user)))
                    #expect(one.confirmations(of: other, over: .lan) == 1)
                    try await one.node.send("by \(one.name)", to: other.user)
                    #expect(other.texts(from: one) == ["by \(one.name)"])
                }
                // One side opens, once.
                #expect(alice.connections.count + bob.connections.count == 1)
                #expect(simulation.air.linkCount == 0)
                #expect(simulation.network.linkCount == 1)
            }
        }
    }

    /// Covers INK-HOV-040.
    @Test func `texts before, during and after a hand-over arrive once and in order`() async throws {
        for seed: UInt64 in 10..<22 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await contactsWithoutMulticast(in: simulation)
                try await meet(alice, bob, withinSeconds: 60)
                let failed = Noted(0)
                let done = Noted(0)
                for (one, other) in [(alice, bob), (bob, alice)] {
                    simulation.start {
                        // Each text waits for the receipt of the one before only for a moment, so that several travel.
                        await withTaskGroup(of: Void.self) { group in
                            for number in 0..<140 {
                                group.addTask {
                                    do { try await one.node.send("\(number)", to: other.user) } catch {
                                        failed.value += 1
                                    }
                                }
                                await one.pause(byMilliseconds: 300)
                            }
                        }
                        done.value += 1
                    }
                }
                try await simulation.wait(forSeconds: 120) { done.value == 2 }
                #expect(failed.value == 0, "seed \(seed)")
                #expect(try await alice.contact(bob).reachableOver == [.lan], "seed \(seed)")
                let all = (0..<140).map(String.init)
                #expect(bob.texts(from: alice) == all, "seed \(seed)")
                #expect(alice.texts(from: bob) == all, "seed \(seed)")
            }
        }
    }

    /// Covers INK-HOV-045.
    @Test func `a text is neither lost unnoticed nor repeated when a link breaks around the hand-over`() async throws {
        for seed: UInt64 in 30..<60 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await contactsWithoutMulticast(in: simulation)
                try await meet(alice, bob, withinSeconds: 60)
                let delivered = Noted<[String]>([])
                let isDone = Noted(false)
                simulation.start {
                    await withTaskGroup(of: Void.self) { group in
                        for number in 0..<200 {
                            group.addTask {
                                if (try? await alice.node.send("\(number)", to: bob.user)) != nil {
                                    delivered.value.append("\(number)")
                                }
                            }
                            await alice.pause(byMilliseconds: 200)
                        }
                    }
                    isDone.value = true
                }
                // The link over the network has just been made, or is about to be.
                try await simulation.wait(forSeconds: 60) { !(alice.connections + bob.connections).isEmpty }
                await simulation.advance(byMilliseconds: seed % 15 * 12)
                if seed.isMultiple(of: 2) { alice.radio.resetLinks() } else { alice.host.resetLinks() }
                try await simulation.wait(forSeconds: 120) { isDone.value }
                let texts = bob.texts(from: alice)
                #expect(Set(texts).count == texts.count, "seed \(seed)")
                #expect(texts.compactMap(Int.init) == texts.compactMap(Int.init).sorted(), "seed \(seed)")
                #expect(Set(delivered.value).isSubset(of: texts), "seed \(seed)")
            }
        }
    }

    /// Covers INK-HOV-047.
    @Test func `when the network goes, the session goes back to Bluetooth within the epoch`() async throws {
        for seed: UInt64 in 70..<76 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await contactsWithoutMulticast(in: simulation)
                try await meet(alice, bob, withinSeconds: 60)
                try await alice.wait(untilReachableOver: .lan, bob)
                // The router loses its state, and then lets nothing through.
                simulation.network.partition([[alice.host], [bob.host]])
                for person in [alice, bob] { person.host.resetLinks() }
                try await alice.wait(forSeconds: 60, untilReachableOver: .bluetooth, bob)
                try await alice.node.send("still here", to: bob.user)
                #expect(bob.texts(from: alice) == ["still here"])
                for (one, other) in [(alice, bob), (bob, alice)] {
                    #expect(!one.events.contains(.left(other.user)))
                    #expect(!one.events.contains(.presence(other.user, .gone)))
                }
            }
        }
    }

    /// Covers INK-HOV-008.
    @Test func `the plan that is reported is the one that is carried out`() async throws {
        for seed: UInt64 in 80..<86 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await contactsWithoutMulticast(in: simulation)
                try await meet(alice, bob, withinSeconds: 60)
                try await alice.wait(untilReachableOver: .lan, bob)
                for (one, other) in [(alice, bob), (bob, alice)] {
                    // A call follows a plan that begins with its technology; calls that cross may end behind another plan.
                    var planned: [TransportOption?] = []
                    for event in one.events {
                        switch event {
                        case .planned(other.user, let plan): planned.append(plan.steps.first?.transport)
                        case .confirmed(other.user, over: let technology, after: .some):
                            #expect(planned.contains(technology == .lan ? .network : .gatt), "seed \(seed)")
                        case .handedOver(other.user, from: .bluetooth, to: .lan):
                            #expect(planned.last == .network, "seed \(seed)")
                        default: break
                        }
                    }
                    #expect(one.handOvers == 1)
                }
            }
        }
    }

    /// Covers INK-HOV-023.
    @Test func `an offered link is opened 2 to 25 seconds after the offer, at another time in each meeting`()
        async throws
    {
        var delays: Set<UInt64> = []
        for seed: UInt64 in 100..<120 {
            let delay = try await Simulation.run(seed: seed) { simulation in
                let (alice, bob) = try await contactsWithoutMulticast(in: simulation)
                try await meet(alice, bob, withinSeconds: 60)
                let met = simulation.elapsed
                try await simulation.wait(forSeconds: 60) { !(alice.connections + bob.connections).isEmpty }
                return simulation.elapsed - met
            }
            #expect((1500...26_000).contains(delay), "\(delay)")
            delays.insert(delay / 1000)
        }
        #expect(delays.count > 8)
    }

    /// Covers INK-HOV-007.
    @Test func `links that were offered end with the epoch, and the next one begins with Bluetooth`() async throws {
        try await Simulation.run(seed: 130) { simulation in
            let (alice, bob) = try await contactsWithoutMulticast(in: simulation)
            try await meet(alice, bob, withinSeconds: 60)
            try await alice.wait(untilReachableOver: .lan, bob)
            await simulation.advance(byMilliseconds: 600_000 - simulation.elapsed)
            #expect(simulation.network.linkCount == 0)
            try await meet(alice, bob, withinSeconds: 90)
            try await alice.wait(untilReachableOver: .lan, bob)
            #expect(alice.handOvers == 2)
        }
    }

    @Test func `a contact whose name is heard on the network is called there, and nothing is offered`() async throws {
        try await Simulation.run(seed: 140) { simulation in
            let (alice, bob) = try await radioContacts(in: simulation, areOnNetwork: true)
            try await meet(alice, bob, withinSeconds: 60)
            await simulation.advance(bySeconds: 120)
            #expect(alice.handOvers + bob.handOvers == 0)
        }
    }
}
