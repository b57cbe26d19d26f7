import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import InklingWire
import Testing

@Suite struct NodeStrangerTests {
    /// Covers INK-HSK-021, INK-PKT-027.
    @Test func `every invalid first message gets the same five seconds of silence`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await simulation.wait(forSeconds: 20) { await alice.isShown() }
            // Bob's own node must not call in the meantime.
            try await bob.stop()
            var garbage = SeededGenerator(seed: 3)
            let random = (0..<128).map { _ in UInt8.random(in: .min ... .max, using: &garbage) }
            let genuine = try await confirmMessage(
                to: alice, in: try epoch(of: alice), from: bob, seed: 5)
            let openings: [(String, [UInt8])] = [
                ("random bytes of the right size", [0x10] + random),
                ("the gate of another message", genuine.dropLast() + [genuine[128] ^ 1]),
                ("a wrong gate", genuine.prefix(1) + [genuine[1] ^ 1] + genuine.dropFirst(2)),
                ("a low-order ephemeral key after a valid gate", try await lowOrderMessage(to: alice, from: bob)),
                ("a first contact without an invitation", [0x30] + random),
                ("a record", [0x90] + random.prefix(112)),
                ("an unknown type", [0xf0] + random),
                ("a fragment", [0x11] + random),
                ("one byte too few", [0x10] + random.dropLast()),
                ("one byte", [0x10]),
                ("nothing", []),
                ("one byte too many", [0x10] + random + [0]),
                ("a long packet", [UInt8](repeating: 0, count: 60_000)),
            ]
            let stranger = simulation.addHost()
            for (what, opening) in openings {
                let silence = try await knock(at: alice, from: stranger, with: opening)
                #expect(silence.answer == nil, "\(what)")
                #expect((4990...5010).contains(silence.milliseconds), "\(what): \(silence.milliseconds) ms")
            }
            let link = try await connect(to: alice, from: stranger)
            let start = simulation.elapsed
            await #expect(throws: LinkError.closed) { try await link.receive(upTo: 1, within: .seconds(60)) }
            #expect((4990...5010).contains(simulation.elapsed - start), "half open")
            let announced = try #require(try await connect(to: alice, from: stranger) as? SimulatedLink)
            try announced.announce(byteCount: 60_000)
            await #expect(throws: LinkError.closed) { try await announced.receive(upTo: 1, within: .seconds(60)) }
            #expect(await alice.node.status().refusedMessages == UInt64(openings.count + 2))
            // A valid message is still answered.
            #expect(try await knock(at: alice, from: stranger, with: genuine).answer?.count == 113)
        }
    }

    /// Covers INK-HSK-025.
    @Test func `a first message is answered only once, even across a restart`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await simulation.wait(forSeconds: 20) { await alice.isShown() }
            try await bob.stop()
            let message = try await confirmMessage(to: alice, in: try epoch(of: alice), from: bob, seed: 5)
            let other = try await confirmMessage(to: alice, in: try epoch(of: alice), from: bob, seed: 6)
            let stranger = simulation.addHost()
            #expect(try await knock(at: alice, from: stranger, with: message).answer != nil)
            #expect(try await knock(at: alice, from: stranger, with: message).answer == nil)
            try await alice.stop()
            try await alice.restart()
            try await simulation.wait(forSeconds: 20) { await alice.isShown() }
            #expect(try await knock(at: alice, from: stranger, with: message).answer == nil)
            #expect(try await knock(at: alice, from: stranger, with: other).answer != nil)
        }
    }

    @Test func `a replayed handshake of a contact is not answered`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let stranger = simulation.addHost()
            let packets = simulation.network.sightings.compactMap { sighting -> (Person, [UInt8])? in
                guard case .packet(let target, let bytes) = sighting.kind, bytes.first == 0x10 else { return nil }
                return (target.address == alice.host.address ? alice : bob, bytes)
            }
            #expect(!packets.isEmpty)
            for (callee, packet) in packets {
                #expect(try await knock(at: callee, from: stranger, with: packet).answer == nil)
            }
            #expect(await alice.node.status().sessions == 1)
        }
    }

    /// Covers INK-HSK-022, INK-ID-014.
    @Test func `first messages for the previous epoch are answered only within the skew allowance`() async throws {
        try await Simulation.run(seed: 4) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await simulation.wait(forSeconds: 20) { await alice.isShown() }
            try await bob.stop()
            // Four boundaries, so that one of them is also the end of a period, whose keys are forgotten at once.
            for round: UInt64 in 0..<4 {
                let previous = try epoch(of: alice)
                var messages: [[UInt8]] = []
                for seed in 0..<3 {
                    messages.append(
                        try await confirmMessage(
                            to: alice, in: previous, from: bob, seed: 10 + round * 3 + UInt64(seed)))
                }
                let next = try await confirmMessage(
                    to: alice, in: try #require(previous.next), from: bob, seed: 100 + round)
                let stranger = simulation.addHost()
                #expect(try await knock(at: alice, from: stranger, with: messages[0]).answer != nil)
                #expect(try await knock(at: alice, from: stranger, with: next).answer == nil, "the next epoch")
                await simulation.advance(bySeconds: try secondsToBoundary(of: alice) + 60)
                #expect(try await knock(at: alice, from: stranger, with: messages[1]).answer != nil)
                await simulation.advance(bySeconds: 60)
                #expect(try await knock(at: alice, from: stranger, with: messages[2]).answer == nil)
            }
        }
    }

    @Test func `a contact is recognised among more names of strangers than are cached`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            var names = SeededGenerator(seed: 8)
            let strangers = (0..<300).map { _ in simulation.addHost() }
            // They do not hear each other, which saves the time of 90,000 packets.
            simulation.network.partition(strangers.map { [$0] })
            for stranger in strangers {
                _ = try await stranger.discovery.open(
                    Publication(
                        announced: ServiceInstance(
                            name: OpaqueServiceName(Octets16(high: names.next(), low: names.next())),
                            host: OpaqueHostName(Octets16(high: names.next(), low: names.next())), port: 9),
                        browses: false), recognising: KnownNames())
            }
            try await meet(alice, bob)
            #expect(await alice.node.status().present == 1)
        }
    }

    /// Covers INK-HSK-016.
    @Test func `a copied name does not confirm a contact`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await simulation.wait(forSeconds: 20) { await bob.isShown() }
            let copied = try #require(announced(by: bob, in: simulation).first)
            try await bob.stop()
            await simulation.advance(bySeconds: 3600)
            let confirmations = alice.confirmations(of: bob)
            let mallory = simulation.addHost()
            let listener = try await mallory.links.listen()
            _ = try await mallory.discovery.open(
                Publication(announced: ServiceInstance(name: copied.name, host: copied.host, port: listener.port)),
                recognising: KnownNames())
            await simulation.advance(bySeconds: 60)
            #expect(alice.confirmations(of: bob) == confirmations)
            #expect(await alice.node.contacts().first?.presence.isPresent == false)
        }
    }

    /// Covers INK-HSK-053, INK-REC-026.
    @Test func `rejects sealed grants for others, for the future, of older generations and of wrong lengths`()
        async throws
    {
        try await Simulation.run(seed: 7) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            let carol = try Person("Carol", in: simulation)
            await simulation.settle()
            try await alice.node.add(carol.firstCard)
            try await carol.node.add(alice.firstCard)
            let before = await bob.node.contacts()

            let forCarol = try await sealedGrant(from: alice, to: bob, grantee: carol.user)
            await #expect(throws: NodeError.grant(.notOurs)) { try await bob.node.acceptSealedGrant(forCarol) }
            let late = try await sealedGrant(from: alice, to: bob, startingIn: 30)
            await #expect(throws: NodeError.grant(.notYet)) { try await bob.node.acceptSealedGrant(late) }
            let old = try await sealedGrant(from: alice, to: bob, generation: 1)
            await #expect(throws: NodeError.grant(.olderGeneration)) { try await bob.node.acceptSealedGrant(old) }

            let sealed = try #require(try await alice.node.sealedGrants(for: carol.user).first)
            await #expect(throws: NodeError.sealedGrantForAnother) { try await bob.node.acceptSealedGrant(sealed) }
            let good = try await sealedGrant(from: alice, to: bob)
            for broken in [[], good.dropLast(), good + [0], [UInt8](repeating: 1, count: 100_000)] as [[UInt8]] {
                await #expect(throws: NodeError.sealedGrantForAnother) {
                    try await bob.node.acceptSealedGrant(broken)
                }
            }
            #expect(await bob.node.contacts() == before)
            try await carol.node.acceptSealedGrant(sealed)
        }
    }

    @Test func `rejects a grant that has ended`() async throws {
        try await Simulation.run(seed: 8) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            let short = try await sealedGrant(from: alice, to: bob, periods: 1)
            await simulation.advance(bySeconds: 2 * 3600)
            await #expect(throws: NodeError.grant(.ended)) { try await bob.node.acceptSealedGrant(short) }
        }
    }
}

/// The answer of a node, and the duration of the link.
private struct Answer {
    let answer: [UInt8]?
    let milliseconds: UInt64
}

private func epoch(of person: Person) throws -> Epoch {
    try #require(Epoch(containing: person.host.clock.read().unixSeconds))
}

private func connect(to person: Person, from stranger: SimulatedHost) async throws -> any Link {
    // The port that was announced last.
    let ports = person.simulation.network.sightings(from: person.host).compactMap { sighting -> UInt16? in
        if case .announcement(let instance) = sighting.kind { instance.port } else { nil }
    }
    let endpoint = Endpoint(address: person.host.address, port: try #require(ports.last))
    return try await stranger.links.connect(to: endpoint, within: .seconds(3))
}

private func knock(at person: Person, from stranger: SimulatedHost, with packet: [UInt8]) async throws -> Answer {
    let link = try await connect(to: person, from: stranger)
    let start = person.simulation.elapsed
    try await link.send(packet)
    do {
        let answer = try await link.receive(upTo: 65_535, within: .seconds(60))
        await link.close()
        return Answer(answer: answer, milliseconds: person.simulation.elapsed - start)
    } catch {
        return Answer(answer: nil, milliseconds: person.simulation.elapsed - start)
    }
}

/// Creates a message with a valid gate and an ephemeral key with which every key agreement is zero.
private func lowOrderMessage(to callee: Person, from caller: Person) async throws -> [UInt8] {
    let epoch = try epoch(of: callee)
    let contact = try #require(await caller.keeper.contents.contacts.first)
    let leaf = try unwrap(try #require(contact.grants.first).tree.value.periodKey(epoch.period))
    let key = leaf.deviceKeys(.first).confirm.gateKey(epoch)
    let message = [UInt8](repeating: 0, count: 112)
    var body: [UInt8] = []
    body.append(Gate.value(key: key, transport: .tcp, message: message.span))
    return wire(try Packet(.confirmFirst, body: body + message))
}
