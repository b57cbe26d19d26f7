import InklingKeys
import InklingTesting
import Testing

@testable import InklingWire

private let own = TransportOffer.Address(Endpoint(address: .v4(0x0a4d_0001), port: 40_000))

private func number(_ value: UInt8) throws -> TransportOffer.Number { try #require(TransportOffer.Number(value)) }

@Suite struct `An OFFER` {
    @Test(arguments: 1...4) func `has one to four addresses and fits into the smallest record`(count: Int) throws {
        let offer = try #require(
            TransportOffer(number(3), addresses: [TransportOffer.Address](repeating: own, count: count)))
        #expect(offer.record.type == .offer)
        #expect(offer.record.encoded().count == 96)
        let parsed = try offer.record.withBody { body throws(OfferError) in try TransportOffer(parsing: body) }
        #expect(parsed == offer)
    }

    @Test(arguments: [0, 5]) func `has no other number of addresses`(count: Int) throws {
        #expect(try TransportOffer(number(1), addresses: [TransportOffer.Address](repeating: own, count: count)) == nil)
    }

    /// Covers INK-REC-031.
    @Test func `is refused in every length but its own`() throws {
        let offer = try #require(TransportOffer(number(1), addresses: [own, own]))
        let body = offer.record.withBody { body in body.indices.map { body[$0] } }
        for count in 0..<body.count {
            let short = Array(body.prefix(count))
            #expect(throws: OfferError.self) { try TransportOffer(parsing: short.span) }
        }
        #expect(throws: OfferError.wrongLength) { try TransportOffer(parsing: (body + [0]).span) }
    }

    @Test func `has a number that no offer of the other side has, and at most two of a side`() throws {
        let roles: [Role] = [.initiator, .responder]
        #expect(roles.map { TransportOffer.Number($0, count: 0)?.value } == [1, 2])
        #expect(roles.map { TransportOffer.Number($0, count: 1)?.value } == [3, 4])
        #expect(roles.allSatisfy { TransportOffer.Number($0, count: 2) == nil })
        #expect(try (1...4).map { try number($0).role } == [.initiator, .responder, .initiator, .responder])
    }
}

@Suite struct `The gate of an offered link` {
    private func context(_ exporter: borrowing Exporter, _ value: UInt8, epoch: UInt32 = 9) throws -> ConfirmContext {
        exporter.offeredContext(
            try number(value), over: .tcp, in: try #require(Epoch(epoch)), of: try #require(DeviceIndex(0)))
    }

    private func exporter(_ byte: UInt8) -> Exporter {
        let key = [UInt8](repeating: byte, count: 32)
        return Exporter(
            initiatorKey: key.span, responderKey: key.span,
            handshakeHash: Octets32(
                first: Octets16(high: 1, low: 2), second: Octets16(high: 3, low: 4)))
    }

    /// Covers INK-HOV-027.
    @Test func `opens for a first message of the same offer alone, and leads to a session with the same device alone`()
        throws
    {
        var randomness = SeededGenerator(seed: 27)
        let opener = NoiseKeyPair(from: &randomness)
        let offerer = NoiseKeyPair(from: &randomness)
        let other = NoiseKeyPair(from: &randomness)
        let payload = ConfirmPayload(transports: .tcp, generation: 1, unixMilliseconds: 1)
        let offered = try context(exporter(1), 1)
        let initiator = try ConfirmInitiator(
            offered, deviceKey: opener, responder: offerer.publicKey, payload: payload, using: &randomness)
        let packet = initiator.packet
        #expect(offered.opens(packet))
        #expect(try !context(exporter(1), 2).opens(packet))
        #expect(try !context(exporter(2), 1).opens(packet))

        var responder = ConfirmResponder()
        let request = try responder.receive(
            packet, contexts: [offered], deviceKey: offerer, at: 0, using: &randomness,
            pairwiseKey: { _ in SecretBytes(copying: [UInt8](repeating: 5, count: 32).span) })
        #expect(request.peerKey == opener.publicKey)
        // The same message, relayed to another device of the contact.
        var relayed = ConfirmResponder()
        #expect(throws: HandshakeError.self) {
            _ = try relayed.receive(
                packet, contexts: [offered], deviceKey: other, at: 0, using: &randomness,
                pairwiseKey: { _ in SecretBytes(copying: [UInt8](repeating: 5, count: 32).span) })
        }
        // The same keys in another epoch do not complete the handshake.
        var late = ConfirmResponder()
        #expect(throws: HandshakeError.self) {
            _ = try late.receive(
                packet, contexts: [try context(exporter(1), 1, epoch: 10)], deviceKey: offerer, at: 0,
                using: &randomness,
                pairwiseKey: { _ in SecretBytes(copying: [UInt8](repeating: 5, count: 32).span) })
        }
    }
}

@Suite struct `CLOSE` {
    /// Covers INK-REC-030.
    @Test func `carries its reason, and one that is not known counts as none`() {
        for reason in CloseReason.allCases {
            #expect(reason.record.type == .close)
            let parsed = reason.record.withBody { CloseReason(parsing: $0) }
            #expect(parsed == reason)
            #expect(reason.record.encoded().count == 96)
        }
        #expect(CloseReason.boundary.record.withBody { hex($0) } == "")
        for (body, reason) in [("04", CloseReason.boundary), ("ff", .boundary), ("010909", .handOver)] {
            let parsed = CloseReason(parsing: bytes(body).span)
            #expect(parsed == reason)
        }
    }
}

@Suite struct `MEANS` {
    /// Covers INK-REC-041.
    @Test func `names transports that are known, and what follows has no meaning`() throws {
        let means = Means(transports: [.tcp, .gatt])
        #expect(means.record.type == .means)
        let parsed = means.record.withBody { Means(parsing: $0) }
        #expect(parsed == means)
        #expect(means.record.withBody { hex($0) } == "0005")
        for (body, transports) in [("ffff09", TransportSet.known), ("00", nil), ("", nil)] {
            let parsed = Means(parsing: bytes(body).span)
            #expect(parsed?.transports == transports)
        }
    }
}

@Suite struct `A marker` {
    /// Covers INK-HOV-048.
    @Test func `has eight bytes`() throws {
        let marker = MoveMarker(number: 0x0102_0304_0506_0708)
        #expect(marker.record.type == .move)
        #expect(marker.acknowledgement.type == .moved)
        let parsed = try marker.record.withBody { body throws(MoveError) in try MoveMarker(parsing: body) }
        #expect(parsed == marker)
        for count in [0, 7, 9] {
            #expect(throws: MoveError.wrongLength) {
                try MoveMarker(parsing: [UInt8](repeating: 1, count: count).span)
            }
        }
    }
}
