import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import InklingWire
import Testing

@Suite struct NodeVisibilityTests {
    /// Covers INK-PAIR-003, INK-PAIR-006, INK-PAIR-008, INK-PAIR-009.
    @Test(arguments: [false, true])
    func
        `visible to one contact, a person meets this one over the network and over the air, and no other sees anything`(
            areOnNetwork: Bool
        ) async throws
    {
        for seed: UInt64 in 1...2 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob, carol) = try await threePeople(in: simulation, areOnNetwork: areOnNetwork)
                try await meet(alice, bob, withinSeconds: 90)
                try await meet(alice, carol, withinSeconds: 90)
                let shown = try await ShownAudiences(of: alice, readers: [bob, carol])
                try await alice.node.becomeVisible(to: .contact(bob.user))
                #expect(await alice.node.status().visibility == .contact(bob.user))
                let change = simulation.elapsed
                let met = carol.confirmations(of: alice) + alice.confirmations(of: carol)
                try await meet(alice, bob, withinSeconds: 960)
                await simulation.advance(bySeconds: 1800)
                try await meet(alice, bob, withinSeconds: 120)

                #expect(shown.sequence == [.all, .contact(bob.user)])
                #expect(carol.confirmations(of: alice) + alice.confirmations(of: carol) == met)
                #expect(!(try await carol.contact(alice)).presence.isPresent)
                #expect(!(try await alice.contact(carol)).presence.isPresent)
                #expect(try await bob.contact(alice).presence.isPresent)
                let seen = try await bob.node.explain(alice.user).engine.sights.filter(\.isCounting)
                #expect(!seen.isEmpty && seen.allSatisfy { $0.prediction.audience == .pair })
                // The others see nothing but what every node sends.
                let sent = simulation.network.sightings(from: alice.host).filter { $0.time > change && $0.isDiscovery }
                for sighting in sent {
                    switch sighting.kind {
                    case .browseQuery, .announcement, .goodbye: break
                    default: Issue.record("\(sighting.kind)")
                    }
                }
                let frames = simulation.air.broadcasts(from: alice.radio).map {
                    Array($0.bytes.dropLast(3)) + $0.bytes.suffix(1)
                }
                #expect(Set(frames).count == 1)
                #expect(Set(simulation.air.broadcasts(from: alice.radio).map(\.isConnectable)).count == 1)
            }
        }
    }

    /// Covers INK-PAIR-006, INK-PAIR-011.
    @Test func `a change and the change back each end what was shown before, whatever the radio takes`() async throws {
        for seed: UInt64 in 10..<13 {
            try await Simulation.run(seed: seed) { simulation in
                let (alice, bob, carol) = try await threePeople(in: simulation, areOnNetwork: true)
                try await alice.stop()
                try await alice.restart { ports in
                    ports.bluetooth = ports.bluetooth.map { SlowRadio(base: $0, clock: ports.clock, delay: 3000) }
                }
                let shown = try await ShownAudiences(of: alice, readers: [bob, carol])
                try await meet(alice, bob, withinSeconds: 90)
                try await simulation.wait(forSeconds: 60) {
                    await alice.node.status().technologies.allSatisfy { $0.showing != nil }
                }
                for choice in [Visibility.contact(bob.user), .contact(carol.user), .all] {
                    let change = simulation.elapsed
                    try await alice.node.becomeVisible(to: choice)
                    try await simulation.wait(forSeconds: 60) {
                        await alice.node.status().technologies.allSatisfy { $0.showing != nil }
                    }
                    await simulation.advance(bySeconds: 130)
                    // Each technology draws its own gap, and none begins before the radio is off the air.
                    for technology in [LinkTechnologyID.lan, .bluetooth] {
                        let starts = alice.showings(over: technology).filter { $0.time > change }
                        #expect(!starts.isEmpty && starts.allSatisfy { $0.time >= change + 3000 })
                    }
                }
                #expect(shown.sequence == [.all, .contact(bob.user), .contact(carol.user), .all])
                try await meet(alice, carol, withinSeconds: 960)
                let choices = alice.events.compactMap { event -> Visibility? in
                    if case .visibility(let choice) = event { choice } else { nil }
                }
                #expect(choices == [.contact(bob.user), .contact(carol.user), .all])
            }
        }
    }

    @Test func `a node that shows two audiences in one epoch is found`() async throws {
        try await Simulation.run(seed: 20) { simulation in
            let (alice, bob, carol) = try await threePeople(in: simulation, areOnNetwork: true)
            try await alice.stop()
            try await alice.restart { $0.discovery = LastingDiscovery(base: $0.discovery) }
            let shown = try await ShownAudiences(of: alice, readers: [bob, carol])
            try await simulation.wait(forSeconds: 60) { await alice.isShown() }
            try await alice.node.becomeVisible(to: .contact(bob.user))
            await simulation.advance(bySeconds: 300)
            #expect(shown.sequence.count > 2)
        }
    }

    /// Covers INK-PAIR-015.
    @Test func `a restart keeps the choice, and ends with nobody for a run that is invisible`() async throws {
        try await Simulation.run(seed: 21) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            let shown = try await ShownAudiences(of: alice, readers: [bob])
            try await alice.node.becomeVisible(to: .contact(bob.user))
            await simulation.advance(bySeconds: 30)
            try await alice.stop()
            try await alice.restart()
            try await meet(alice, bob, withinSeconds: 60)
            #expect(shown.sequence.last == .contact(bob.user))
            try await alice.stop()
            try await alice.restart(isVisible: false)
            await simulation.settle()
            #expect(await alice.node.status().visibility == .nobody)
            #expect(await alice.keeper.contents.visibility == .contact(bob.user))
            let count = simulation.network.sightings(from: alice.host).count
            await simulation.advance(bySeconds: 1000)
            #expect(simulation.network.sightings(from: alice.host).count == count)
        }
    }

    /// Covers INK-PAIR-014.
    @Test(arguments: [true, false])
    func `who is visible to one contact is visible to nobody when this one is removed or blocked`(
        isRemoved: Bool
    ) async throws {
        try await Simulation.run(seed: 22) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await alice.node.becomeVisible(to: .contact(bob.user))
            try await meet(alice, bob, withinSeconds: 60)
            if isRemoved { try await alice.node.remove(bob.user) } else { try await alice.node.block(bob.user) }
            await simulation.advance(bySeconds: 2)
            #expect(await alice.node.status().visibility == .nobody)
            #expect(await alice.keeper.contents.visibility == .nobody)
            let count = simulation.network.sightings(from: alice.host).count
            await simulation.advance(bySeconds: 1000)
            #expect(simulation.network.sightings(from: alice.host).count == count)
        }
    }

    @Test func `only a contact that is not blocked can be chosen, and a choice that cannot be stored has no effect`()
        async throws
    {
        try await Simulation.run(seed: 23) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            await #expect(throws: NodeError.unknownContact) {
                try await alice.node.becomeVisible(to: .contact(alice.user))
            }
            try await alice.node.block(bob.user)
            await #expect(throws: NodeError.blocked) { try await alice.node.becomeVisible(to: .contact(bob.user)) }
            try await alice.node.unblock(bob.user)
            await alice.keeper.fail(with: .diskFull)
            await #expect(throws: NodeError.self) { try await alice.node.becomeVisible(to: .contact(bob.user)) }
            #expect(await alice.node.status().visibility == .all)
            // Becoming visible to nobody does not wait for a disk.
            await #expect(throws: NodeError.self) { try await alice.node.becomeVisible(to: .nobody) }
            #expect(await alice.node.status().visibility == .nobody)
        }
    }

    /// Covers INK-PAIR-010.
    @Test func `a contact that got the keys of a pair audience from another is not answered`() async throws {
        try await Simulation.run(seed: 24) { simulation in
            let (alice, bob, carol) = try await threePeople(in: simulation, areOnNetwork: true)
            try await alice.node.becomeVisible(to: .contact(bob.user))
            for person in [bob, carol] { try await person.stop() }
            try await simulation.wait(forSeconds: 60) { await alice.isShown() }
            let tree = try await pairTree(from: alice, to: bob)
            #expect(try await isAnswered(by: alice, calling: carol, under: tree, seed: 1) == false)
            #expect(try await isAnswered(by: alice, calling: bob, under: tree, seed: 2))
        }
    }
}

/// Creates three people with radios, of whom the first knows the others and these know only the first. Unless they are on a
/// network, they have nothing but the radios.
private func threePeople(
    in simulation: Simulation, areOnNetwork: Bool
) async throws -> (Person, Person, Person) {
    let alice = try Person("Alice", in: simulation, hasRadio: true)
    let bob = try Person("Bob", in: simulation, hasRadio: true)
    let carol = try Person("Carol", in: simulation, hasRadio: true)
    if !areOnNetwork { simulation.network.partition([[alice.host], [bob.host], [carol.host]]) }
    await simulation.settle()
    for person in [bob, carol] { try await acquaint(alice, person) }
    return (alice, bob, carol)
}

/// Whether a node answers a first message of a contact whose own node is stopped, with keys of a tree.
func isAnswered(
    by callee: Person, calling caller: Person, under tree: SecretBox<AudienceTree>, seed: UInt64
) async throws -> Bool {
    let epoch = try #require(Epoch(containing: callee.host.clock.read().unixSeconds))
    let context = ConfirmContext(
        try unwrap(tree.value.periodKey(epoch.period)).deviceKeys(.first), device: .first, epoch: epoch, transport: .tcp
    )
    let port = try #require(
        callee.simulation.network.sightings(from: callee.host).compactMap { sighting -> UInt16? in
            if case .announcement(let instance) = sighting.kind { instance.port } else { nil }
        }.last)
    let link = try await caller.host.links.connect(
        to: Endpoint(address: callee.host.address, port: port), within: .seconds(3))
    try await link.send(try await confirmMessage(to: callee, under: context, from: caller, seed: seed))
    let answer = try? await link.receive(upTo: 65_535, within: .seconds(4))
    await link.close()
    return answer != nil
}
