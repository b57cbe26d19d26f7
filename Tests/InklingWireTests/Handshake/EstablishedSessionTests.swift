import InklingKeys
import InklingTesting
import Testing

@testable import InklingWire

/// Returns one side of a session with the keys 01… and 02….
private func session(_ role: Role, isFirstContact: Bool = false) throws -> EstablishedSession {
    let hash = try #require(secret(3).withBytes { Octets32($0) })
    return EstablishedSession(
        role: role, peerKey: hash, introduction: .newDevice,
        keys: TransportKeys(handshakeHash: hash, initiator: secret(1), responder: secret(2)),
        isFirstContact: isFirstContact)
}

@Suite struct `A session` {
    /// Covers INK-REC-002.
    @Test func `seals no record before a HELLO`() throws {
        var session = try session(.initiator)
        #expect(ending { try session.seal(Record(.close)) } == .helloExpected)
        expectEqual(session.isEnded, false)
        try expectEqual(session.seal(hello()).body.count, 112)
        try expectEqual(session.seal(Record(.close)).body.count, 112)
    }

    /// Covers INK-REC-023.
    @Test func `ends if the first record of the peer is not a HELLO`() throws {
        var sender = try session(.initiator)
        var receiver = try session(.responder)
        // A CLOSE as the first record, which `seal` would refuse.
        var cipher = CipherState(key: secret(1))
        var body: [UInt8] = []
        try Record(.close).encoded().withBytes { plaintext throws(NoiseError) in
            try cipher.encrypt(plaintext, associatedData: Span(), appendingTo: &body)
        }
        let packet = try Packet(.record, body: body)
        #expect(ending { try receiver.open(packet) } == .helloExpected)
        expectEqual(receiver.isEnded, true)
        let good = try sender.seal(hello())
        #expect(ending { try receiver.open(good) } == .ended)
        #expect(ending { try receiver.seal(hello()) } == .ended)
    }

    /// Covers INK-FCT-008, INK-FCT-041, INK-REC-002, INK-REC-023.
    @Test func `of a first contact has only ACCEPT, DECLINE and CLOSE until both have accepted`() throws {
        for type in [RecordType.hello, .card, .grant, .message, RecordType(rawValue: 0x42)] {
            var sender = try session(.initiator)
            var receiver = try session(.responder, isFirstContact: true)
            if type != .hello { _ = try sender.seal(hello()) }
            #expect(ending { try receiver.seal(Record(type)) } == .acceptExpected)
            expectEqual(receiver.isEnded, false)
            var cipher = CipherState(key: secret(1))
            var body: [UInt8] = []
            try Record(type).encoded().withBytes { plaintext throws(NoiseError) in
                try cipher.encrypt(plaintext, associatedData: Span(), appendingTo: &body)
            }
            let packet = try Packet(.record, body: body)
            #expect(ending { try receiver.open(packet) } == .acceptExpected)
            expectEqual(receiver.isEnded, true)
        }
        for type in [RecordType.decline, .close] {
            var sender = try session(.initiator, isFirstContact: true)
            var receiver = try session(.responder, isFirstContact: true)
            try expectEqual(receiver.open(sender.seal(Record(type))).type, type)
            expectEqual(receiver.awaitsAcceptance, true)
        }
        // After both ACCEPTs the first record must be a HELLO.
        var one = try session(.initiator, isFirstContact: true)
        var other = try session(.responder, isFirstContact: true)
        _ = try other.open(one.seal(.accept))
        _ = try one.open(other.seal(.accept))
        #expect(ending { try one.seal(Record(.close)) } == .helloExpected)
        try expectEqual(other.open(one.seal(hello())).type, .hello)
    }

    /// Covers INK-FCT-005.
    @Test func `of a first contact has no DECLINE after the own ACCEPT`() throws {
        var session = try session(.initiator, isFirstContact: true)
        _ = try session.seal(.accept)
        #expect(ending { try session.seal(.decline) } == .accepted)
        expectEqual(session.isEnded, false)
        try expectEqual(session.seal(.close).body.count, 112)
    }

    /// Covers INK-REC-022.
    @Test func `ends if any byte of a record is changed`() throws {
        var sender = try session(.responder)
        let packet = try sender.seal(hello())
        for index in packet.body.indices {
            var receiver = try session(.initiator)
            let broken = try changed(packet, at: index)
            #expect(ending { try receiver.open(broken) } == .notAuthentic)
            expectEqual(receiver.isEnded, true)
        }
    }

    @Test func `ends if a record is repeated, skipped or reflected`() throws {
        var sender = try session(.initiator)
        let first = try sender.seal(hello())
        let second = try sender.seal(Record(.close))

        var repeated = try session(.responder)
        _ = try repeated.open(first)
        #expect(ending { try repeated.open(first) } == .notAuthentic)

        var skipped = try session(.responder)
        #expect(ending { try skipped.open(second) } == .notAuthentic)

        #expect(ending { try sender.open(first) } == .notAuthentic)
        expectEqual(sender.isEnded, true)
    }

    @Test func `ends if a record or a HELLO is malformed, or a packet is not a record`() throws {
        let seal = { (plaintext: [UInt8]) in
            var cipher = CipherState(key: secret(1))
            var body: [UInt8] = []
            try cipher.encrypt(plaintext.span, associatedData: Span(), appendingTo: &body)
            return try Packet(.record, body: body)
        }
        var plaintext = [UInt8](repeating: 0, count: 96)
        plaintext[95] = 1
        let unpadded = try seal(plaintext)
        var first = try session(.responder)
        #expect(ending { try first.open(unpadded) } == .record(.nonzeroPadding))
        let empty = try seal([1] + [UInt8](repeating: 0, count: 95))
        var second = try session(.responder)
        #expect(ending { try second.open(empty) } == .hello(.truncated))
        expectEqual(second.peerHello, nil)
        let foreign = try Packet(.confirmSecond, body: empty.body)
        var third = try session(.responder)
        #expect(ending { try third.open(foreign) } == .unexpectedPacket)
        expectEqual(third.isEnded, true)
    }

    @Test func `seals nothing after its end`() throws {
        var session = try session(.initiator)
        session.end()
        expectEqual(session.isEnded, true)
        #expect(ending { try session.seal(hello()) } == .ended)
    }
}

@Suite struct `The exporter` {
    /// Covers INK-HSK-052.
    @Test func `depends on both keys and the handshake hash`() throws {
        let hash = try #require(secret(3).withBytes { Octets32($0) })
        let exporter = secret(1).withBytes { first in
            secret(2).withBytes { Exporter(initiatorKey: first, responderKey: $0, handshakeHash: hash) }
        }
        let known = SecretBytes(
            copying: bytes("22e35053362c5bf589ade83768b273372789a125569af95d777a0533664d9529").span)
        expectEqual(digits(exporter.pairwiseKey()), digits(derive(DerivationLabel.pairPSK, from: known)))
        let key = derive(DerivationLabel.tls12PSK, from: known) { $0.append(u8: 3) }
        expectEqual(digits(exporter.tlsKey(for: .nan, version: .tls12)), digits(key))
        let identity = derive(DerivationLabel.tls12PSKIdentity, from: known) { $0.append(u8: 2) }
        #expect(exporter.tlsIdentity(for: .tcp, version: .tls12).description == digits(identity).prefix(32))
        expectEqual(digits(exporter.secret(label: Array("tls-psk".utf8), context: [3])), digits(key))
        let newer = derive(DerivationLabel.tls13PSK, from: known) { $0.append(u8: 3) }
        expectEqual(digits(exporter.tlsKey(for: .nan, version: .tls13)), digits(newer))
        expectEqual(digits(exporter.secret(label: Array("tls13-psk".utf8), context: [3])), digits(newer))
    }

    @Test func `returns a fingerprint of eighty bits in groups of four characters`() throws {
        let hash = try #require(secret(3).withBytes { Octets32($0) })
        let exporter = secret(1).withBytes { first in
            secret(2).withBytes { Exporter(initiatorKey: first, responderKey: $0, handshakeHash: hash) }
        }
        expectEqual(exporter.fingerprint(), "7CU5 NIQM M24J 2OPX")
    }
}

@Suite struct `Two sessions with one device` {
    private let smaller = Octets32(first: Octets16(high: 0, low: 1), second: Octets16(high: 0, low: 0))
    private let larger = Octets32(first: Octets16(high: 1, low: 0), second: Octets16(high: 0, low: 0))

    /// Covers INK-HSK-037.
    @Test func `converge on the one started with the smaller key, on both sides and in both orders`() {
        let survivor = { (existing: Role, new: Role, own: Octets32, peer: Octets32) in
            CrossingRule.survivor(existing: existing, new: new, apart: .seconds(10), ownKey: own, peerKey: peer)
        }
        expectEqual(survivor(.initiator, .responder, smaller, larger), .existing)
        expectEqual(survivor(.responder, .initiator, smaller, larger), .new)
        expectEqual(survivor(.initiator, .responder, larger, smaller), .new)
        expectEqual(survivor(.responder, .initiator, larger, smaller), .existing)
    }

    /// Covers INK-REC-029.
    @Test(arguments: Role.allCases, Role.allCases)
    func `converge on the newer one if the same side started both, or if they did not cross`(existing: Role, new: Role)
    {
        for (own, peer) in [(smaller, larger), (larger, smaller)] {
            let apart: Duration = existing == new ? .zero : .milliseconds(10_001)
            expectEqual(
                CrossingRule.survivor(existing: existing, new: new, apart: apart, ownKey: own, peerKey: peer), .new)
        }
    }
}
