import InklingTesting
import Testing

@testable import InklingKeys

/// The offsets of the fields in a card with one device.
private enum Place {
    static let version = 0, generation = 33, serial = 37, presence = 41, bitmap = 73, certificate = 75
    static let nameLength = 181, name = 182
}

@Suite struct `A contact card` {
    private let person = Person(1)

    private func read(_ bytes: [UInt8], now: UInt32 = examplePeriod) throws -> ContactCard {
        try ContactCard(parsing: bytes.span, now: try period(now))
    }

    private func refusal(_ bytes: [UInt8], now: UInt32 = examplePeriod) -> CardError? {
        do {
            _ = try read(bytes, now: now)
            return nil
        } catch {
            return error as? CardError
        }
    }

    private func changed(_ card: ContactCard, at place: Int, to bytes: [UInt8]) -> [UInt8] {
        person.resigned(card.bytes.replacing(at: place, with: bytes), as: DerivationLabel.card)
    }

    @Test(arguments: ["", "Ada", "Ada Lovelace", "Zoë 🌍", String(repeating: "x", count: 64)])
    func `survives encoding and parsing`(name: String) throws {
        let card = try person.card(name: name)
        #expect(try read(card.bytes) == card)
        #expect(card.name == name)
        #expect(card.bytes.count == 140 + 106 + name.utf8.count)
    }

    @Test func `returns from its text, and not from the text of another object`() throws {
        let card = try person.card(name: "Ada")
        #expect(try ContactCard(text: card.text, now: try period(examplePeriod)) == card)
        let other = try TextForm.encode(.invitation, card.bytes.span)
        #expect(throws: TextFormError.unknownKind) { try ContactCard(text: other, now: try period(examplePeriod)) }
    }

    @Test func `shows its serial number before anything is checked, if it is as long as that`() throws {
        let bytes = try person.card(serial: 0x0102_0304).bytes
        #expect(ContactCard.serial(ofUnverified: bytes.span) == 0x0102_0304)
        #expect(ContactCard.serial(ofUnverified: bytes.span.extracting(..<41)) == 0x0102_0304)
        #expect(ContactCard.serial(ofUnverified: bytes.span.extracting(..<40)) == nil)
    }

    @Test func `has the maximum length with sixteen devices and the longest name`() throws {
        let certificates = try (UInt8(0)..<16).map { try person.certificate($0, isPrimary: $0 == 0) }
        let card = try person.card(name: String(repeating: "é", count: 32), certificates: certificates)
        #expect(card.bytes.count == ContactCard.byteLimit)
        #expect(try read(card.bytes) == card)
    }

    @Test func `provides its user id, its commitment and its certificates`() throws {
        let card = try person.card()
        #expect(card.userID == person.userID)
        #expect(try card.commitment != person.card(serial: 2).commitment)
        let key = card.certificates[0].key
        #expect(card.certificate(ofKey: key, in: try period(examplePeriod)) == card.certificates[0])
        #expect(card.certificate(ofKey: key, in: try period(examplePeriod - 1)) == nil)
        #expect(card.certificate(ofKey: person.presence.publicKey, in: try period(examplePeriod)) == nil)
    }

    @Test func `is refused if it is too short or too long`() throws {
        let bytes = try person.card().bytes
        for count in 0..<bytes.count { #expect(refusal([UInt8](bytes.prefix(count))) == .tooShort) }
        #expect(refusal(bytes + [0]) == .tooLong)
        #expect(refusal(bytes.replacing(at: Place.nameLength, with: [65])) == .nameLength)
        #expect(refusal(bytes.replacing(at: Place.nameLength, with: [2])) == .tooLong)
        #expect(refusal(bytes.replacing(at: Place.nameLength, with: [4])) == .tooShort)
    }

    @Test func `is refused if any byte is changed`() throws {
        let bytes = try person.card().bytes
        for place in bytes.indices {
            #expect(refusal(bytes.replacing(at: place, with: [bytes[place] ^ 0x10])) != nil, "byte \(place)")
        }
    }

    @Test func `is refused for each error despite a valid signature`() throws {
        let card = try person.card()
        #expect(refusal(changed(card, at: Place.version, to: [1])) == nil)
        #expect(refusal(changed(card, at: Place.version, to: [2])) == .unknownVersion)
        #expect(refusal(changed(card, at: Place.generation, to: [0, 0, 0, 0])) == .zeroGeneration)
        #expect(refusal(changed(card, at: Place.serial, to: [0, 0, 0, 0])) == .zeroSerial)
        #expect(refusal(changed(card, at: Place.bitmap, to: [0, 2])) == .certificates(.deviceIndex))
        #expect(refusal(changed(card, at: Place.certificate + 42, to: [0])) == .certificates(.invalidSignature))
        let key = card.certificates[0].key.withBytes { key in (0..<32).map { key[$0] } }
        #expect(refusal(changed(card, at: Place.presence, to: key)) == .certificates(.duplicateKey))
        #expect(refusal(card.bytes, now: examplePeriod + 8928) == .certificates(.allEnded))
        for point in lowOrderPoints {
            #expect(refusal(changed(card, at: Place.presence, to: bytes(point))) == .lowOrderPresence)
        }
        for point in nonCanonicalPoints {
            #expect(refusal(changed(card, at: Place.presence, to: bytes(point))) == .nonCanonicalPresence)
        }
    }

    @Test(
        arguments: [
            ([0x41, 0xff, 0x41], CardError.nameNotUTF8), ([0x41, 0xc0, 0x80], .nameNotUTF8),
            ([0xed, 0xa0, 0x80], .nameNotUTF8), ([0x41, 0x00, 0x41], .nameControl), ([0x41, 0x0a, 0x41], .nameControl),
            ([0x41, 0x7f, 0x41], .nameControl), ([0x41, 0xc2, 0x85], .nameControl), ([0xe2, 0x80, 0xa8], .nameControl),
            ([0xe2, 0x80, 0xa9], .nameControl), ([0xe2, 0x80, 0xae], .nameBidirectional),
            ([0xe2, 0x81, 0xa6], .nameBidirectional), ([0xe2, 0x80, 0x8f], .nameBidirectional),
            ([0x41, 0xd8, 0x9c], .nameBidirectional),
        ] as [([UInt8], CardError)])
    func `is refused for a name that is malformed or could look like another`(name: [UInt8], error: CardError) throws {
        #expect(refusal(changed(try person.card(), at: Place.name, to: name)) == error)
        if let text = String(validating: name, as: UTF8.self) {
            #expect(throws: error) { try person.card(name: text) }
        }
    }

    @Test func `is not created if readers would refuse it`() throws {
        let certificate = try person.certificate()
        #expect(throws: CardError.nameLength) { try person.card(name: String(repeating: "x", count: 65)) }
        #expect(throws: CardError.zeroSerial) { try person.card(serial: 0) }
        #expect(throws: CardError.certificates(.emptyBitmap)) { try person.card(certificates: []) }
        #expect(throws: CardError.certificates(.deviceIndex)) {
            try person.card(certificates: [person.certificate(1, isPrimary: false), certificate])
        }
        #expect(throws: CardError.certificates(.twoPrimaries)) {
            try person.card(certificates: [certificate, person.certificate(1)])
        }
        func card(generation: UInt32 = 1, presence: Octets32) throws(CardError) -> ContactCard {
            try ContactCard(
                identity: person.identity, generation: generation, serial: 1, presence: presence,
                certificates: [certificate], name: "")
        }
        #expect(throws: CardError.zeroGeneration) { try card(generation: 0, presence: person.presence.publicKey) }
        #expect(throws: CardError.certificates(.duplicateKey)) { try card(presence: certificate.key) }
        #expect(throws: CardError.lowOrderPresence) { try card(presence: octets32(lowOrderPoints[0])) }
        #expect(throws: CardError.nonCanonicalPresence) { try card(presence: octets32(nonCanonicalPoints[0])) }
    }
}
