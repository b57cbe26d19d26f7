import InklingKeys
import InklingTesting
import Testing

@testable import InklingWire

private let initiatorDevice: UInt8 = 0x11
private let responderDevice: UInt8 = 0x22
private let pairwiseKey: UInt8 = 0x33
private let initiatorPayload = ConfirmPayload(transports: .tcp, generation: 3, unixMilliseconds: 1_785_600_000_123)
private let responderPayload = ConfirmPayload(transports: [.tcp, .gatt], generation: 0, unixMilliseconds: 7)

private func start(
    _ context: ConfirmContext, from device: UInt8 = initiatorDevice, to responder: UInt8 = responderDevice,
    seed: UInt64 = 1
) throws -> ConfirmInitiator {
    var generator = SeededGenerator(seed: seed)
    return try ConfirmInitiator(
        context, deviceKey: keyPair(device), responder: keyPair(responder).publicKey, payload: initiatorPayload,
        using: &generator)
}

/// Passes a packet to a responder whose contacts have the device keys `initiatorDevice` and `initiatorDevice + 1`.
private func receive(
    _ packet: Packet, by responder: inout ConfirmResponder, contexts: [ConfirmContext], at now: UInt64 = 1000,
    seed: UInt64 = 2
) throws(HandshakeError) -> ConfirmRequest {
    var generator = SeededGenerator(seed: seed)
    let contacts = [initiatorDevice, initiatorDevice + 1].compactMap { try? keyPair($0).publicKey }
    guard let own = NoiseKeyPair(privateKey: secret(responderDevice)) else { throw .unexpectedPacket }
    return try responder.receive(packet, contexts: contexts, deviceKey: own, at: now, using: &generator) { key in
        contacts.contains(key) ? secret(pairwiseKey) : nil
    }
}

private func reply(_ packet: Packet, contexts: [ConfirmContext]) throws -> UnauthenticatedSession {
    var responder = ConfirmResponder()
    return try receive(packet, by: &responder, contexts: contexts).reply(responderPayload)
}

/// Returns the context of the example with other parts. The gate key is always that of the example.
private func altered(
    transport: Transport = .tcp, epoch: UInt32 = 1_984_000, device: UInt8 = 0, identifier: Octets16? = nil,
    preSharedKey: UInt8? = nil
) throws -> ConfirmContext {
    let original = try context()
    return ConfirmContext(
        transport: transport, epoch: try #require(Epoch(epoch)), device: try #require(DeviceIndex(device)),
        identifier: identifier ?? original.identifier,
        preSharedKey: preSharedKey.map { secret($0) } ?? original.preSharedKey.value.duplicate(),
        gateKey: original.gateKey.value.duplicate())
}

@Suite struct `The confirm handshake` {
    @Test(arguments: Transport.allCases)
    func `confirms both sides to each other`(transport: Transport) throws {
        let shown = try context(transport: transport)
        let initiator = try start(shown)
        let first = initiator.packet
        expectEqual(first.type, .confirmFirst)
        expectEqual(first.body.count, 128)

        var responder = ConfirmResponder()
        let request = try receive(first, by: &responder, contexts: [shown])
        #expect(request.peerKey == (try keyPair(initiatorDevice).publicKey))
        expectEqual(request.payload, initiatorPayload)
        expectEqual(request.context.epoch, shown.epoch)
        expectEqual(responder.authenticatedEntries, [request.entry])
        let unauthenticated = try request.reply(responderPayload)
        let second = unauthenticated.packet
        expectEqual(second.type, .confirmSecond)
        expectEqual(second.body.count, 112)

        var initiatorSession = try initiator.receive(second, pairwiseKey: secret(pairwiseKey))
        expectEqual(initiatorSession.role, .initiator)
        #expect(initiatorSession.peerKey == (try keyPair(responderDevice).publicKey))
        expectEqual(initiatorSession.introduction, .contact(responderPayload))

        let record = try initiatorSession.seal(hello())
        var responderSession = try unauthenticated.receive(record)
        expectEqual(responderSession.role, .responder)
        expectEqual(responderSession.introduction, .contact(initiatorPayload))
        #expect(responderSession.peerHello == (try Hello(ownSerial: 1, peerSerial: 0, grants: [])))
        expectEqual(responderSession.exporter.fingerprint(), initiatorSession.exporter.fingerprint())

        try expectEqual(initiatorSession.open(responderSession.seal(hello())).type, .hello)
        let body = [UInt8](repeating: 0x5a, count: 16_384)
        let longest = try responderSession.seal(Record(.state, body: SecretBytes(copying: body.span)))
        expectEqual(longest.body.count, 16_656)
        try expectEqual(initiatorSession.open(longest).withBody { hex($0) }, hex(body))
    }

    /// Covers INK-ID-019.
    @Test func `the gate selects among audiences and epochs`() throws {
        let contexts = try [context(quarter: 0), context(quarter: 1), context(quarter: 2)]
        for shown in contexts {
            var responder = ConfirmResponder()
            let request = try receive(start(shown).packet, by: &responder, contexts: contexts)
            expectEqual(request.context.epoch, shown.epoch)
        }
    }

    /// Covers INK-HSK-022.
    @Test func `a first message for an epoch that is not accepted stops at the gate`() throws {
        let accepted = try [context(quarter: 1), context(quarter: 2)]
        for quarter in [UInt32(0), 3] {
            var responder = ConfirmResponder()
            let packet = try start(context(quarter: quarter)).packet
            #expect(refusal { try receive(packet, by: &responder, contexts: accepted) } == .gateMismatch)
        }
    }

    @Test func `a first message cannot be relayed to another transport`() throws {
        var responder = ConfirmResponder()
        let packet = try start(altered(transport: .nan)).packet
        let contexts = [try context()]
        #expect(refusal { try receive(packet, by: &responder, contexts: contexts) } == .gateMismatch)
    }

    /// Covers INK-HSK-010.
    @Test func `a context that differs in any part is refused, even with the right gate key`() throws {
        let contexts = [try context()]
        let others = try [
            altered(epoch: 1_984_001), altered(device: 1), altered(identifier: Octets16(high: 1, low: 2)),
            altered(preSharedKey: 0x77),
        ]
        for other in others {
            var responder = ConfirmResponder()
            let packet = try start(other).packet
            #expect(
                refusal { try receive(packet, by: &responder, contexts: contexts) }
                    == .noise(message: 1, .decryptionFailed(.staticKey)))
            #expect(responder.authenticatedEntries.isEmpty)
        }
    }

    @Test func `a first message for another device is refused`() throws {
        var responder = ConfirmResponder()
        let contexts = [try context()]
        let packet = try start(contexts[0], to: 0x23).packet
        #expect(
            refusal { try receive(packet, by: &responder, contexts: contexts) }
                == .noise(message: 1, .decryptionFailed(.staticKey)))
    }

    /// Covers INK-FCT-015.
    @Test func `a reply with another pairwise key is refused`() throws {
        let shown = try context()
        let second = try reply(start(shown).packet, contexts: [shown]).packet
        #expect(
            refusal { try start(shown).receive(second, pairwiseKey: secret(0x34)) }
                == .noise(message: 2, .decryptionFailed(.payload)))
    }

    /// Covers INK-FCT-015.
    @Test(arguments: 1...4) func `an initiator says which of the kept keys has opened the reply`(count: Int) throws {
        let shown = try context()
        let keys = ([0x35, 0x36, 0x34].prefix(count - 1) + [0x33]).map { SecretBox(secret($0)) }
        let initiator = try start(shown)
        let second = try reply(initiator.packet, contexts: [shown]).packet
        var index = -1
        _ = try initiator.receive(second, pairwiseKeys: keys, opened: &index)
        expectEqual(index, count - 1, "the last one")
    }

    /// Covers INK-FCT-015.
    @Test func `an initiator tries every kept key, and a broken reply opens under none`() throws {
        let shown = try context()
        let keys = [0x35, 0x36, 0x33, 0x34].map { SecretBox(secret($0)) }
        let initiator = try start(shown)
        let second = try reply(initiator.packet, contexts: [shown]).packet
        var index = -1
        let duplicate = initiator.duplicate()
        _ = try initiator.receive(second, pairwiseKeys: keys, opened: &index)
        expectEqual(index, 2)
        let broken = try changed(second, at: second.body.count - 1)
        do throws(HandshakeError) {
            _ = try duplicate.receive(broken, pairwiseKeys: keys, opened: &index)
            Issue.record("a broken reply has opened")
        } catch {
            expectEqual(error, .noise(message: 2, .decryptionFailed(.payload)))
        }
    }

    @Test func `message 1 with any changed byte is refused at the gate`() throws {
        let contexts = [try context()]
        let packet = try start(contexts[0]).packet
        var responder = ConfirmResponder()
        for index in packet.body.indices {
            let broken = try changed(packet, at: index)
            #expect(refusal { try receive(broken, by: &responder, contexts: contexts) } == .gateMismatch)
        }
        try expectEqual(receive(packet, by: &responder, contexts: contexts).payload, initiatorPayload)
    }

    @Test func `message 1 with any changed byte and a valid gate fails to decrypt`() throws {
        let contexts = [try context()]
        let packet = try start(contexts[0]).packet
        for index in packet.body.indices.dropFirst(16) {
            let message = Array(try changed(packet, at: index).body.dropFirst(16))
            let body = Gate.body(key: contexts[0].gateKey.value, transport: .tcp, message: message)
            let gated = try Packet(.confirmFirst, body: body)
            var responder = ConfirmResponder()
            // The ephemeral key and the encrypted static key are 80 bytes; the payload follows.
            let part: NoiseError.Part = index < 16 + 80 ? .staticKey : .payload
            #expect(
                refusal { try receive(gated, by: &responder, contexts: contexts) }
                    == .noise(message: 1, .decryptionFailed(part)))
        }
    }

    /// Covers INK-HSK-016.
    @Test func `message 2 with any changed byte is refused`() throws {
        let shown = try context()
        let second = try reply(start(shown).packet, contexts: [shown]).packet
        for index in second.body.indices {
            let broken = try changed(second, at: index)
            #expect(
                refusal { try start(shown).receive(broken, pairwiseKey: secret(pairwiseKey)) }
                    == .noise(message: 2, .decryptionFailed(.payload)))
        }
        try expectEqual(
            start(shown).receive(second, pairwiseKey: secret(pairwiseKey)).introduction, .contact(responderPayload))
    }

    @Test func `an ephemeral key of small order is refused despite a valid gate`() throws {
        let contexts = [try context()]
        let message = [UInt8](repeating: 0, count: 112)
        let body = Gate.body(key: contexts[0].gateKey.value, transport: .tcp, message: message)
        let packet = try Packet(.confirmFirst, body: body)
        var responder = ConfirmResponder()
        #expect(
            refusal { try receive(packet, by: &responder, contexts: contexts) } == .noise(message: 1, .lowOrderPoint))
    }

    /// Covers INK-HSK-028.
    @Test func `the clock in a payload has no effect`() throws {
        let shown = try context()
        for (seed, clock) in [0, exampleSeconds * 1000, UInt64.max].enumerated() {
            var generator = SeededGenerator(seed: UInt64(seed))
            let payload = ConfirmPayload(transports: .tcp, generation: 1, unixMilliseconds: clock)
            let initiator = try ConfirmInitiator(
                shown, deviceKey: keyPair(initiatorDevice), responder: keyPair(responderDevice).publicKey,
                payload: payload,
                using: &generator)
            var responder = ConfirmResponder()
            let request = try receive(initiator.packet, by: &responder, contexts: [shown])
            expectEqual(request.payload.unixMilliseconds, clock)
            let second = try request.reply(payload).packet
            try expectEqual(initiator.receive(second, pairwiseKey: secret(pairwiseKey)).introduction, .contact(payload))
        }
    }

    /// Covers INK-NOI-001.
    @Test func `every message has its own ephemeral key`() throws {
        let shown = try context()
        var generator = SeededGenerator(seed: 1)
        var seen: Set<[UInt8]> = []
        for _ in 0..<20 {
            let initiator = try ConfirmInitiator(
                shown, deviceKey: keyPair(initiatorDevice), responder: keyPair(responderDevice).publicKey,
                payload: initiatorPayload, using: &generator)
            var responder = ConfirmResponder()
            let second = try receive(initiator.packet, by: &responder, contexts: [shown], seed: generator.next())
                .reply(responderPayload).packet
            seen.insert(Array(initiator.packet.body[16..<48]))
            seen.insert(Array(second.body[..<32]))
        }
        expectEqual(seen.count, 40)
    }

    /// Covers INK-HSK-025.
    @Test func `the responder replies to a first message only once, even after a restart`() throws {
        let contexts = [try context()]
        let packet = try start(contexts[0]).packet
        var responder = ConfirmResponder()
        _ = try receive(packet, by: &responder, contexts: contexts).reply(responderPayload)
        #expect(refusal { try receive(packet, by: &responder, contexts: contexts) } == .replayed)
        var restarted = ConfirmResponder(restoring: responder.authenticatedEntries)
        #expect(refusal { try receive(packet, by: &restarted, contexts: contexts) } == .replayed)
        restarted.forget(before: try #require(contexts[0].epoch.next))
        #expect(restarted.authenticatedEntries.isEmpty)
    }

    @Test func `an initiator that knows the audience but is not a contact is refused, and nothing is stored`() throws {
        let contexts = [try context()]
        let packet = try start(contexts[0], from: 0x44).packet
        var responder = ConfirmResponder()
        #expect(refusal { try receive(packet, by: &responder, contexts: contexts) } == .unknownContact)
        #expect(responder.authenticatedEntries.isEmpty)
        #expect(refusal { try receive(packet, by: &responder, contexts: contexts) } == .replayed)
    }

    @Test func `a packet of another type is refused`() throws {
        let contexts = [try context()]
        let body = try start(contexts[0]).packet.body
        for type in [PacketType.firstContactFirst, .deviceLinkFirst, .deviceLinkThird] {
            let packet = try Packet(type, body: body)
            var responder = ConfirmResponder()
            #expect(refusal { try receive(packet, by: &responder, contexts: contexts) } == .unexpectedPacket)
        }
        let other = try Packet(.deviceLinkFirst, body: body)
        #expect(
            refusal { try start(contexts[0]).receive(other, pairwiseKey: secret(pairwiseKey)) }
                == .unexpectedPacket)
    }

    /// Covers INK-HSK-020, INK-HSK-023.
    @Test func `messages with a wrong gate do not use up the budget`() throws {
        let contexts = [try context()]
        let packet = try start(contexts[0]).packet
        var responder = ConfirmResponder()
        for _ in 0..<1000 {
            let wrong = try changed(packet, at: 0)
            #expect(refusal { try receive(wrong, by: &responder, contexts: contexts) } == .gateMismatch)
        }
        try expectEqual(receive(packet, by: &responder, contexts: contexts).payload, initiatorPayload)
    }

    /// Covers INK-HSK-026.
    @Test func `messages with a valid gate are limited to forty at once and twenty a second`() throws {
        let contexts = [try context()]
        var responder = ConfirmResponder()
        var seed: UInt64 = 0
        let next = { (now: UInt64, responder: inout ConfirmResponder) in
            seed += 1
            let packet = try start(contexts[0], from: 0x44, seed: seed).packet
            return refusal { try receive(packet, by: &responder, contexts: contexts, at: now) }
        }
        for _ in 0..<40 { try expectEqual(next(5000, &responder), .unknownContact) }
        try expectEqual(next(5000, &responder), .overBudget)
        try expectEqual(next(5050, &responder), .unknownContact)
        try expectEqual(next(5050, &responder), .overBudget)
    }

    /// Covers INK-HSK-027.
    @Test func `one device of a contact is limited to six handshakes a minute, independently of another`() throws {
        let contexts = [try context()]
        var responder = ConfirmResponder()
        for seed in UInt64(1)...6 {
            _ = try receive(start(contexts[0], seed: seed).packet, by: &responder, contexts: contexts)
        }
        let seventh = try start(contexts[0], seed: 7).packet
        #expect(refusal { try receive(seventh, by: &responder, contexts: contexts) } == .contactOverBudget)
        let other = try start(contexts[0], from: initiatorDevice + 1, seed: 8).packet
        try expectEqual(receive(other, by: &responder, contexts: contexts).payload, initiatorPayload)
        let later = try start(contexts[0], seed: 9).packet
        try expectEqual(receive(later, by: &responder, contexts: contexts, at: 11_000).payload, initiatorPayload)
    }

    /// Covers INK-HSK-020, INK-HSK-027.
    @Test func `a contact cannot be locked out by an initiator that only knows its public key`() throws {
        let contexts = [try context()]
        var responder = ConfirmResponder()
        for seed in UInt64(1)...20 {
            // The payload does not authenticate, because the sender does not hold the private key.
            let honest = try start(contexts[0], seed: seed).packet
            let message = Array(try changed(honest, at: 127).body.dropFirst(16))
            let body = Gate.body(key: contexts[0].gateKey.value, transport: .tcp, message: message)
            let forged = try Packet(.confirmFirst, body: body)
            #expect(
                refusal { try receive(forged, by: &responder, contexts: contexts) }
                    == .noise(message: 1, .decryptionFailed(.payload)))
        }
        let packet = try start(contexts[0], seed: 21).packet
        try expectEqual(receive(packet, by: &responder, contexts: contexts).payload, initiatorPayload)
    }

    /// Covers INK-HSK-020.
    @Test func `refusals have the codes of the specification`() {
        let names = [
            HandshakeError.unexpectedPacket, .gateMismatch, .replayed, .overBudget, .noise(message: 1, .lowOrderPoint),
            .noise(message: 1, .decryptionFailed(.staticKey)), .contactOverBudget, .unknownContact,
            .noise(message: 1, .decryptionFailed(.payload)), .payload(.unknownVersion),
        ].map { "\($0.stage) \($0.reason)" }
        expectEqual(
            names,
            [
                "length bad-length", "gate mismatch", "replay seen", "budget exhausted", "agreement low-order-point",
                "static decryption-failed", "budget contact-exhausted", "contact unknown", "payload decryption-failed",
                "payload unknown-version",
            ])
    }
}
