import InklingKeys
import InklingTesting
import Testing

@testable import InklingWire

@Suite struct `The gate` {
    @Test func `has the published value`() throws {
        let message = [UInt8](repeating: 0, count: 112)
        let gate = Gate.value(key: try context().gateKey.value, transport: .tcp, message: message.span)
        #expect(gate.description == "f7a96a666146dae1eeaf4fd747bf540b")
    }

    @Test func `is valid only for its key and transport`() {
        let body = Gate.body(key: secret(1), transport: .tcp, message: [UInt8](repeating: 9, count: 112))
        let opens = { (body: [UInt8], key: UInt8, transport: Transport) in
            Gate.opens(body.span, key: secret(key), transport: transport)
        }
        #expect(opens(body, 1, .tcp))
        #expect(!opens(body, 2, .tcp))
        #expect(!opens(body, 1, .gatt))
        #expect(!opens(body.dropLast(), 1, .tcp))
    }
}

@Suite struct `A prologue` {
    private let identifier = Octets16(high: 0x0102_0304_0506_0708, low: 0x090a_0b0c_0d0e_0f10)

    @Test func `binds a confirm handshake to the identifier that was shown`() throws {
        let prologue = HandshakePrologue.confirm(
            transport: .nan, epoch: try #require(Epoch(0x1e4601)), device: try #require(DeviceIndex(7)),
            identifier: identifier)
        #expect(hex(prologue) == hex(Array("inkling/1-confirm".utf8)) + "000103001e460107" + identifier.description)
    }

    @Test(arguments: [(InvitationUse.firstContact, "inkling/1-first-contact"), (.deviceLink, "inkling/1-device-link")])
    func `binds an invitation to its card`(use: InvitationUse, label: String) {
        let prologue = HandshakePrologue.invitation(use, transport: .gatt, commitment: identifier)
        #expect(hex(prologue) == hex(Array(label.utf8)) + "000100" + identifier.description)
    }
}

@Suite struct `Handshake payloads` {
    /// Covers INK-HSK-012.
    @Test func `confirm payloads survive encoding and parsing`() throws {
        let payload = ConfirmPayload(transports: [.gatt, .tcp], generation: 3, unixMilliseconds: 1_785_600_000_000)
        #expect(hex(payload.encoded(for: .first)) == "0100" + "0005" + "00000003" + "0000019fbe0dc000")
        #expect(payload.encoded(for: .second) == payload.encoded(for: .first) + [UInt8](repeating: 0, count: 48))
        for message in ConfirmPayload.Message.allCases {
            #expect(try ConfirmPayload(parsing: payload.encoded(for: message).span, of: message) == payload)
        }
    }

    @Test func `confirm payloads with a wrong size or version are refused, and reserved bytes are ignored`() throws {
        let payload = ConfirmPayload(transports: .tcp, generation: 1, unixMilliseconds: 2)
        var bytes = payload.encoded(for: .second)
        #expect(throws: PayloadError.wrongLength) { try ConfirmPayload(parsing: bytes.span, of: .first) }
        bytes[1] = 0xff
        bytes[63] = 0xff
        #expect(try ConfirmPayload(parsing: bytes.span, of: .second) == payload)
        bytes[0] = 2
        #expect(throws: PayloadError.unknownVersion) { try ConfirmPayload(parsing: bytes.span, of: .second) }
    }

    @Test(arguments: [(1, 256), (244, 256), (245, 512), (1780, 1792), (1900, 2048)])
    func `first contact payloads hide the size of the card`(card: Int, size: Int) throws {
        let payload = try FirstContactPayload(unixMilliseconds: 9, card: [UInt8](repeating: 7, count: card))
        let bytes = payload.encoded()
        #expect(bytes.count == size)
        #expect(try FirstContactPayload(parsing: bytes.span) == payload)
    }

    @Test(arguments: [0, 1901])
    func `first contact payloads are not created with an empty card or one that is too long`(count: Int) {
        #expect(throws: PayloadError.outOfRange) {
            try FirstContactPayload(unixMilliseconds: 0, card: [UInt8](repeating: 7, count: count))
        }
    }

    @Test(arguments: [
        (0, 0, 1, PayloadError.wrongLength), (255, 1, 1, .wrongLength), (2304, 1, 1, .wrongLength),
        (256, 1, 2, .unknownVersion), (256, 0, 1, .badLength), (256, 245, 1, .badLength), (512, 244, 1, .badLength),
        (2048, 1901, 1, .badLength),
    ])
    func `malformed first contact payloads are refused`(size: Int, card: Int, version: UInt8, error: PayloadError) {
        var bytes = [UInt8](repeating: 0, count: size)
        if size > 12 {
            bytes[0] = version
            bytes[10] = UInt8(card >> 8)
            bytes[11] = UInt8(card & 0xff)
        }
        #expect(throws: error) { try FirstContactPayload(parsing: bytes.span) }
    }

    @Test func `first contact payloads with data after the card are refused`() throws {
        var bytes = try FirstContactPayload(unixMilliseconds: 0, card: [7]).encoded()
        bytes[13] = 1
        #expect(throws: PayloadError.nonzeroPadding) { try FirstContactPayload(parsing: bytes.span) }
    }
}

@Suite struct `A sealed grant` {
    private let grant = [UInt8](1...200)

    private func seal() throws -> [UInt8] {
        try SealedGrant.seal(
            grant.span, deviceKey: keyPair(1), recipient: keyPair(2).publicKey, pairwiseKey: secret(3),
            ephemeral: keyPair(4))
    }

    private func open(
        _ sealed: [UInt8], recipient: UInt8 = 2, sender: UInt8 = 1, pairwiseKey: UInt8 = 3
    ) throws -> String {
        digits(
            try SealedGrant.open(
                sealed.span, deviceKey: keyPair(recipient), sender: keyPair(sender).publicKey,
                pairwiseKey: secret(pairwiseKey)))
    }

    @Test func `opens for its reader`() throws {
        let sealed = try seal()
        #expect(sealed.count == 49 + grant.count)
        #expect(try open(sealed) == hex(grant))
    }

    @Test func `does not open for another reader, from another sender or with another key`() throws {
        let sealed = try seal()
        #expect(throws: SealedGrantError.decryptionFailed) { try open(sealed, recipient: 5) }
        #expect(throws: SealedGrantError.decryptionFailed) { try open(sealed, sender: 5) }
        #expect(throws: SealedGrantError.decryptionFailed) { try open(sealed, pairwiseKey: 5) }
    }

    @Test func `is refused if any byte is changed`() throws {
        let sealed = try seal()
        for index in sealed.indices {
            var broken = sealed
            broken[index] ^= 1
            let expected: SealedGrantError = index == 0 ? .unknownVersion : .decryptionFailed
            #expect(throws: expected) { try open(broken) }
        }
    }

    @Test func `is neither opened nor created with a size that no grant has`() throws {
        for count in [0, 49, 2622] {
            #expect(throws: SealedGrantError.wrongLength) { try open([UInt8](repeating: 1, count: count)) }
        }
        for count in [0, 2573] {
            let bytes = [UInt8](repeating: 1, count: count)
            #expect(throws: SealedGrantError.outOfRange) {
                try SealedGrant.seal(
                    bytes.span, deviceKey: keyPair(1), recipient: keyPair(2).publicKey, pairwiseKey: secret(3),
                    ephemeral: keyPair(4))
            }
        }
    }

    @Test func `is refused with a point of small order`() throws {
        var sealed = try seal()
        sealed.replaceSubrange(1..<33, with: [UInt8](repeating: 0, count: 32))
        #expect(throws: SealedGrantError.lowOrderPoint) { try open(sealed) }
    }
}
