import InklingEngine
import InklingKeys
import InklingNode
import InklingPlatforms
import InklingSimulation
import InklingTesting
import InklingVault
import InklingWire
import Testing

extension SpokenSession {
    /// Runs a handshake over Bluetooth with the current node of a person, and sends a HELLO.
    fileprivate static func beginByRadio(
        with callee: Person, as caller: Person, seed: UInt64, having transports: TransportSet = [.tcp, .gatt]
    ) async throws -> SpokenSession {
        let contents = await caller.keeper.contents
        let now = try #require(Epoch(containing: callee.host.clock.read().unixSeconds))
        let contact = try #require(contents.contacts.first { $0.user == callee.user })
        let leaf = try unwrap(#require(contact.grants.first).tree.value.periodKey(now.period))
        var randomness = SeededGenerator(seed: seed)
        let initiator = try ConfirmInitiator(
            ConfirmContext(leaf.deviceKeys(.first), device: .first, epoch: now, transport: .gatt),
            deviceKey: unwrap(NoiseKeyPair(privateKey: contents.noiseKey.value.duplicate())),
            responder: callee.noiseKey,
            payload: ConfirmPayload(transports: transports, generation: 0, unixMilliseconds: 0), using: &randomness)
        let link = try await caller.air.addStranger().connect(to: try #require(callee.radio.address))
        _ = try await link.readTag(within: .seconds(3))
        var bytes: [UInt8] = []
        initiator.packet.append(to: &bytes)
        try await link.send(bytes)
        let answer = try await link.receive(upTo: 65_535, within: .seconds(5))
        var index = 0
        let session = SpokenSession(
            try initiator.receive(
                Packet(parsing: answer.span), pairwiseKeys: contact.pairwiseKeys.map(\.key), opened: &index), over: link
        )
        try await session.say(Hello(ownSerial: 1, peerSerial: 0, grants: []).record)
        return session
    }

    /// Reads until an OFFER has come.
    fileprivate func offer() async throws -> TransportOffer {
        for record in try await rest() where record.type == .offer {
            return try TransportOffer(parsing: record.body.span)
        }
        throw LinkError.timedOut
    }

    /// Sends an offer.
    fileprivate func offer(_ number: UInt8, _ addresses: [Endpoint]) async throws {
        let number = try #require(TransportOffer.Number(number))
        let offer = try #require(TransportOffer(number, addresses: addresses.map { TransportOffer.Address($0) }))
        try await say(offer.record)
    }
}

extension Person {
    fileprivate var noiseKey: Octets32 {
        firstCard.certificates.first?.key ?? Octets32(first: user.octets, second: user.octets)
    }

    /// Creates a first message for a link that was offered in a session, under this device's key or another one.
    fileprivate func offeredMessage(
        _ number: TransportOffer.Number, of callee: Person, in session: SpokenSession, seed: UInt64,
        underAnotherKey: Bool = false
    ) async throws -> [UInt8] {
        let contents = await keeper.contents
        let epoch = try #require(Epoch(containing: callee.host.clock.read().unixSeconds))
        var randomness = SeededGenerator(seed: seed)
        let other = NoiseKeyPair(from: &randomness)
        let own = try unwrap(NoiseKeyPair(privateKey: contents.noiseKey.value.duplicate()))
        let context = session.offeredContext(number, in: epoch)
        let payload = ConfirmPayload(transports: .tcp, generation: 0, unixMilliseconds: 0)
        let packet: Packet
        if underAnotherKey {
            packet = try ConfirmInitiator(
                context, deviceKey: other, responder: callee.noiseKey, payload: payload, using: &randomness
            ).packet
        } else {
            packet = try ConfirmInitiator(
                context, deviceKey: own, responder: callee.noiseKey, payload: payload, using: &randomness
            ).packet
        }
        var bytes: [UInt8] = []
        packet.append(to: &bytes)
        return bytes
    }
}

/// Connects to an endpoint and sends a packet; returns the answer, or nil with the milliseconds of silence.
private func knock(
    at endpoint: Endpoint, from host: SimulatedHost, with packet: [UInt8], in simulation: Simulation
) async throws -> (answer: [UInt8]?, milliseconds: UInt64) {
    let link = try await host.links.connect(to: endpoint, within: .seconds(3))
    let start = simulation.elapsed
    try await link.send(packet)
    do {
        let answer = try await link.receive(upTo: 65_535, within: .seconds(60))
        await link.close()
        return (answer, simulation.elapsed - start)
    } catch {
        return (nil, simulation.elapsed - start)
    }
}

@Suite struct HandOverAttackTests {
    /// Creates Alice, whose node runs, and Bob, for whom a test speaks. `aliceOpens` tells whose key is the smaller
    /// one.
    private func people(in simulation: Simulation, aliceOpens: Bool) async throws -> (Person, Person) {
        simulation.network.conditions.carriesMulticast = false
        let (one, other) = try await radioContacts(in: simulation, areOnNetwork: true)
        let isSmaller = one.noiseKey < other.noiseKey
        let (alice, bob) = isSmaller == aliceOpens ? (one, other) : (other, one)
        try await bob.stop()
        try await simulation.wait(forSeconds: 60) {
            alice.radio.address != nil && !alice.showings(over: .lan).isEmpty
        }
        return (alice, bob)
    }

    private func endpoint(of offer: TransportOffer, at person: Person) throws -> Endpoint {
        Endpoint(address: person.host.address, port: try #require(offer.addresses.first).port)
    }

    /// Covers INK-HOV-006.
    @Test func `an offered link is answered once, for thirty seconds, and to the device to which it was offered`()
        async throws
    {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await people(in: simulation, aliceOpens: false)
            let session = try await SpokenSession.beginByRadio(with: alice, as: bob, seed: 1)
            let offer = try await session.offer()
            #expect(offer.number.value == 2)
            #expect(offer.addresses == [TransportOffer.Address(try endpoint(of: offer, at: alice))])
            let endpoint = try endpoint(of: offer, at: alice)
            let first = try await bob.offeredMessage(offer.number, of: alice, in: session, seed: 2)
            // One bit of the gate is wrong: this uses up nothing.
            var guessed = first
            guessed[1] ^= 1
            let stranger = simulation.addHost()
            let refused = try await knock(at: endpoint, from: stranger, with: guessed, in: simulation)
            #expect(refused.answer == nil && (4990...5010).contains(refused.milliseconds))
            let answered = try await knock(at: endpoint, from: bob.host, with: first, in: simulation)
            #expect(answered.answer?.count == 113)
            let fresh = try await bob.offeredMessage(offer.number, of: alice, in: session, seed: 3)
            for (packet, host) in [(first, stranger), (first, bob.host), (fresh, bob.host)] {
                let silence = try await knock(at: endpoint, from: host, with: packet, in: simulation)
                #expect(silence.answer == nil && (4990...5010).contains(silence.milliseconds))
            }
        }
        try await Simulation.run(seed: 2) { simulation in
            let (alice, bob) = try await people(in: simulation, aliceOpens: false)
            let session = try await SpokenSession.beginByRadio(with: alice, as: bob, seed: 1)
            let offer = try await session.offer()
            await simulation.advance(bySeconds: 30)
            let late = try await bob.offeredMessage(offer.number, of: alice, in: session, seed: 2)
            let silence = try await knock(
                at: endpoint(of: offer, at: alice), from: bob.host, with: late, in: simulation)
            #expect(silence.answer == nil && (4990...5010).contains(silence.milliseconds))
        }
        try await Simulation.run(seed: 3) { simulation in
            let (alice, bob) = try await people(in: simulation, aliceOpens: false)
            let session = try await SpokenSession.beginByRadio(with: alice, as: bob, seed: 1)
            let offer = try await session.offer()
            // A caller with the keys of the offer and another device's static key is not answered.
            let other = try await bob.offeredMessage(
                offer.number, of: alice, in: session, seed: 2, underAnotherKey: true)
            let silence = try await knock(
                at: endpoint(of: offer, at: alice), from: bob.host, with: other, in: simulation)
            #expect(silence.answer == nil && (4990...5010).contains(silence.milliseconds))
        }
    }

    /// Covers INK-HOV-025, INK-HOV-026.
    @Test func `a node calls what is offered to it once each, says nothing of failures, and keeps its budget`()
        async throws
    {
        try await Simulation.run(seed: 4) { simulation in
            let (alice, bob) = try await people(in: simulation, aliceOpens: true)
            let session = try await SpokenSession.beginByRadio(with: alice, as: bob, seed: 1)
            _ = try await session.offer()
            let strangers = (0..<3).map { _ in simulation.addHost() }
            let dead = strangers.map { Endpoint(address: $0.address, port: 40_000) }
            try await session.offer(1, dead)
            await simulation.advance(bySeconds: 40)
            let called = simulation.network.sightings(from: alice.host).compactMap { sighting -> Endpoint? in
                if case .connection(let endpoint) = sighting.kind { endpoint } else { nil }
            }
            #expect(called == dead)
            #expect(try await session.rest().filter { $0.type != .card && $0.type != .grant }.isEmpty)
            let explanation = try await alice.node.explain(bob.user)
            #expect(explanation.engine.failure == nil)
        }
    }

    /// Covers INK-HOV-005, INK-HOV-021.
    @Test func `nothing is called that is off the link, public or privileged, nor after a third offer`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let (alice, bob) = try await people(in: simulation, aliceOpens: true)
            let session = try await SpokenSession.beginByRadio(with: alice, as: bob, seed: 1)
            _ = try await session.offer()
            let stranger = simulation.addHost()
            let good = Endpoint(address: stranger.address, port: 40_000)
            func connections() -> Int {
                simulation.network.sightings(from: alice.host).count { sighting in
                    if case .connection = sighting.kind { true } else { false }
                }
            }
            try await session.offer(
                1,
                [
                    Endpoint(address: .v4(0xc0a8_0909), port: 40_000),
                    Endpoint(address: .v4(0x0808_0808), port: 40_000),
                    Endpoint(address: stranger.address, port: 22), Endpoint(address: stranger.address, port: 1023),
                ])
            await simulation.advance(bySeconds: 35)
            #expect(connections() == 0)
            // Alice's own numbers, one that is not new, and malformed ones.
            try await session.offer(2, [good])
            try await session.offer(4, [good])
            try await session.offer(1, [good])
            try await session.say(5, [1])
            try await session.say(5, [3, 0])
            try await session.say(5, [UInt8](repeating: 3, count: 21))
            await simulation.advance(bySeconds: 35)
            #expect(connections() == 0)
            try await session.offer(3, [good])
            await simulation.advance(bySeconds: 35)
            #expect(connections() == 1)
            // Every number has been used.
            for number: UInt8 in 1...4 { try await session.offer(number, [good]) }
            await simulation.advance(bySeconds: 35)
            #expect(connections() == 1)
            try await session.beginTexts()
            try await session.say(text: "still open", number: 1)
            #expect(try await session.rest().contains { $0.type == .receipt })
            // Alice has made two offers, and makes no third.
            #expect(!(await session.hasEnded()))
        }
    }

    /// Covers INK-HOV-008, INK-REC-016.
    @Test func `nothing is offered to a device without the network, and something is as soon as it names it`()
        async throws
    {
        try await Simulation.run(seed: 8) { simulation in
            let (alice, bob) = try await people(in: simulation, aliceOpens: false)
            let session = try await SpokenSession.beginByRadio(with: alice, as: bob, seed: 1, having: .gatt)
            let heard = try await session.rest()
            #expect(heard.filter { $0.type == .means }.map(\.body) == [[0, 5]])
            #expect(!heard.contains { $0.type == .offer })
            func firstSteps() -> [TransportOption?] {
                alice.events.compactMap { event -> TransportOption?? in
                    if case .planned(bob.user, let plan) = event { .some(plan.steps.first?.transport) } else { nil }
                }
            }
            #expect(firstSteps().last == .gatt)
            try await session.say(Means(transports: [.tcp, .gatt]).record)
            #expect(try await session.rest().contains { $0.type == .offer })
            #expect(firstSteps().last == .network)
        }
    }

    @Test func `an offer over the network is ignored, and none is made there`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await simulation.wait(forSeconds: 20) { await alice.isShown() }
            try await bob.stop()
            let session = try await SpokenSession.begin(with: alice, as: bob, seed: 7)
            #expect(try await !session.rest().contains { $0.type == .offer })
            let stranger = simulation.addHost()
            try await session.offer(1, [Endpoint(address: stranger.address, port: 40_000)])
            await simulation.advance(bySeconds: 35)
            let sightings = simulation.network.sightings(from: alice.host)
            #expect(
                !sightings.contains { sighting in
                    if case .connection(let endpoint) = sighting.kind {
                        endpoint.address == stranger.address
                    } else {
                        false
                    }
                })
            #expect(!(await session.hasEnded()))
        }
    }

    /// Covers INK-HOV-042.
    @Test func `a text that comes twice is passed on once, and an unknown MOVED is ignored`()
        async throws
    {
        try await Simulation.run(seed: 7) { simulation in
            let (alice, bob) = try await people(in: simulation, aliceOpens: false)
            let session = try await SpokenSession.beginByRadio(with: alice, as: bob, seed: 1)
            _ = try await session.rest()
            try await session.beginTexts()
            for _ in 0..<2 { try await session.say(text: "once", number: 1) }
            try await session.say(MoveMarker(number: 77).acknowledgement)
            let receipts = try await session.rest().filter { $0.type == .receipt }
            #expect(receipts.count == 1)
            #expect(alice.events.count { $0 == .message(bob.user, "once") } == 1)
            try await session.say(0x0a, [1, 2, 3])
            #expect(await session.hasEnded())
        }
    }
}
