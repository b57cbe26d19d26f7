/// The signed list of a user's keys and devices, with a name, which two people exchange to become contacts
/// (`Specs/cards.md`).
public struct ContactCard: Hashable, Sendable {
    /// The length of a card without certificates and name, in bytes.
    static let fixedByteCount = 140
    /// The maximum length of a card in bytes: with sixteen devices and a name of `nameByteLimit` bytes.
    public static let byteLimit = fixedByteCount + 16 * DeviceCertificate.byteCount + nameByteLimit
    /// The maximum length of a name in bytes of UTF-8.
    public static let nameByteLimit = 64

    /// The user's public identity key, which verifies the signature.
    public let identity: Octets32
    /// The generation of the identity and presence keys, from 1.
    public let generation: UInt32
    /// The serial number, from 1; it grows with every change to the card.
    public let serial: UInt32
    /// The user's public presence key, for pair audiences.
    public let presence: Octets32
    /// The certificates of the user's devices, by ascending device index; at least one.
    public let certificates: [DeviceCertificate]
    /// The user's name, without control characters and characters that change the direction of text.
    public let name: String
    /// The encoded card, including its signature.
    public let bytes: [UInt8]

    /// Creates and signs a card.
    ///
    /// - Throws: `CardError` if readers would refuse the card.
    public init(
        identity: borrowing IdentityKey, generation: UInt32, serial: UInt32, presence: Octets32,
        certificates: [DeviceCertificate], name: String
    ) throws(CardError) {
        guard name.utf8.count <= Self.nameByteLimit else { throw .nameLength }
        guard generation > 0 else { throw .zeroGeneration }
        guard serial > 0 else { throw .zeroSerial }
        try Self.check(presence)
        do { try DeviceCertificate.check(certificates, presence: presence) } catch { throw .certificates(error) }
        try Self.check(name)

        var bytes: [UInt8] = []
        bytes.append(u8: 1)
        bytes.append(identity.publicKey)
        bytes.append(u32: generation)
        bytes.append(u32: serial)
        bytes.append(presence)
        bytes.append(u16: DeviceCertificate.bitmap(of: certificates))
        for certificate in certificates { certificate.append(to: &bytes) }
        bytes.append(u8: UInt8(name.utf8.count))
        bytes.append(contentsOf: name.utf8)
        bytes.append(contentsOf: identity.sign(Self.message(bytes.span).span))

        self.identity = identity.publicKey
        self.generation = generation
        self.serial = serial
        self.presence = presence
        self.certificates = certificates
        self.name = name
        self.bytes = bytes
    }

    /// Parses a card; `now` is the current period.
    ///
    /// - Throws: `CardError`, the first row of the table in `Specs/cards.md` that applies. A card is refused if all of
    ///   its certificates ended before `now`.
    public init(parsing input: Span<UInt8>, now: Period) throws(CardError) {
        guard input.count >= Self.fixedByteCount else { throw .tooShort }
        var fields = ByteReader()
        guard let version = fields.u8(of: input), let identity = fields.octets32(of: input),
            let generation = fields.u32(of: input), let serial = fields.u32(of: input),
            let presence = fields.octets32(of: input), let bitmap = fields.u16(of: input),
            let certificateBytes = fields.skip(bitmap.nonzeroBitCount * DeviceCertificate.byteCount, of: input),
            let nameLength = fields.u8(of: input)
        else { throw .tooShort }
        guard nameLength <= Self.nameByteLimit else { throw .nameLength }
        guard let nameBytes = fields.skip(Int(nameLength), of: input) else { throw .tooShort }
        let signed = input.extracting(first: fields.offset)
        guard let signature = fields.skip(IdentityKey.signatureByteCount, of: input) else { throw .tooShort }
        guard fields.remaining(of: input) == 0 else { throw .tooLong }
        guard version == 1 else { throw .unknownVersion }
        guard isValidSignature(input.extracting(signature), of: Self.message(signed).span, by: identity) else {
            throw .invalidSignature
        }
        guard generation > 0 else { throw .zeroGeneration }
        guard serial > 0 else { throw .zeroSerial }
        try Self.check(presence)
        do {
            certificates = try DeviceCertificate.list(
                parsing: input.extracting(certificateBytes), bitmap: bitmap, issuer: identity, presence: presence,
                now: now)
        } catch {
            throw .certificates(error)
        }
        guard let name = String(validating: nameBytes.map({ input[$0] }), as: UTF8.self) else { throw .nameNotUTF8 }
        try Self.check(name)

        self.identity = identity
        self.generation = generation
        self.serial = serial
        self.presence = presence
        self.name = name
        bytes = input.indices.map { input[$0] }
    }

    /// Parses the text form of a card.
    ///
    /// - Throws: `TextFormError`, with `.unknownKind` if the text is that of another kind of object, or an error of
    ///   `init(parsing:now:)`.
    public init(text: String, now: Period) throws {
        let content = try TextForm.decode(Array(text.utf8).span)
        guard content.kind == .card else { throw TextFormError.unknownKind }
        self = try content.bytes.withBytes { bytes throws(CardError) in try ContactCard(parsing: bytes, now: now) }
    }

    /// The text form of the card: `INKLING:C:` and base32.
    public var text: String { TextForm.text(.card, bytes.span) }

    /// The user id of the user whose card it is.
    public var userID: UserID { UserID(identity: identity) }

    /// The commitment to this card in an invitation: the first 16 bytes of a hash of the card.
    public var commitment: Octets16 {
        sha256 { input in
            input.append(DerivationLabel.cardCommitment)
            input.append(bytes.span)
        }.first
    }

    /// Returns the certificate that permits the use of `key` in a handshake in this period; nil if there is none.
    public func certificate(ofKey key: Octets32, in period: Period) -> DeviceCertificate? {
        certificates.first { $0.key == key && $0.isValid(in: period) }
    }

    /// Returns whether a text can be the name on a card, or the name that a user gives to a contact.
    public static func isFitName(_ name: String) -> Bool {
        name.utf8.count <= nameByteLimit && (try? check(name)) != nil
    }

    /// Returns the serial number in the bytes of a card, without checking anything else; nil if the bytes end before
    /// it.
    package static func serial(ofUnverified input: Span<UInt8>) -> UInt32? {
        var fields = ByteReader(at: 37)
        return fields.u32(of: input)
    }

    /// Returns the bitmap of devices in the bytes of a card, without checking anything; 0 if the bytes end before it.
    package static func devices(ofUnverified input: Span<UInt8>) -> UInt16 {
        var fields = ByteReader(at: 73)
        return fields.u16(of: input) ?? 0
    }

    /// Returns the identity key in the bytes of a card, without checking anything; nil if the bytes end before its end.
    package static func identity(ofUnverified input: Span<UInt8>) -> Octets32? {
        var fields = ByteReader(at: 1)
        return fields.octets32(of: input)
    }

    /// Returns the presence key in the bytes of a card, without checking anything; nil if the bytes end before its end.
    package static func presence(ofUnverified input: Span<UInt8>) -> Octets32? {
        var fields = ByteReader(at: 41)
        return fields.octets32(of: input)
    }

    /// Returns the identity key, the presence key and the keys of all devices in the bytes of a card, without checking
    /// anything else; of bytes that end early, the keys before their end.
    package static func keys(ofUnverified input: Span<UInt8>) -> [Octets32] {
        var fields = ByteReader(at: 1)
        guard let identity = fields.octets32(of: input), fields.skip(8, of: input) != nil,
            let presence = fields.octets32(of: input), let bitmap = fields.u16(of: input)
        else { return [] }
        var keys = [identity, presence]
        for _ in 0..<bitmap.nonzeroBitCount {
            guard let place = fields.skip(DeviceCertificate.byteCount, of: input) else { break }
            var certificate = ByteReader(at: place.lowerBound + 1)
            if let key = certificate.octets32(of: input) { keys.append(key) }
        }
        return keys
    }

    /// Returns the name in the bytes of a card, without checking anything else; nil if the bytes end before its end.
    package static func name(ofUnverified input: Span<UInt8>) -> String? {
        var fields = ByteReader(at: 73)
        guard let bitmap = fields.u16(of: input),
            fields.skip(bitmap.nonzeroBitCount * DeviceCertificate.byteCount, of: input) != nil,
            let length = fields.u8(of: input), let place = fields.skip(Int(length), of: input)
        else { return nil }
        return String(validating: place.map { input[$0] }, as: UTF8.self)
    }

    /// Returns the indices and keys of the devices in the bytes of a card, without checking anything else.
    package static func listedDevices(ofUnverified input: Span<UInt8>) -> [(index: DeviceIndex, key: Octets32)] {
        var fields = ByteReader(at: 73)
        guard let bitmap = fields.u16(of: input) else { return [] }
        var devices: [(index: DeviceIndex, key: Octets32)] = []
        for _ in 0..<bitmap.nonzeroBitCount {
            guard let place = fields.skip(DeviceCertificate.byteCount, of: input) else { break }
            var certificate = ByteReader(at: place.lowerBound)
            if let number = certificate.u8(of: input), let index = DeviceIndex(number),
                let key = certificate.octets32(of: input)
            {
                devices.append((index, key))
            }
        }
        return devices
    }

    private static func message(_ body: Span<UInt8>) -> [UInt8] {
        var message: [UInt8] = []
        message.append(DerivationLabel.card)
        message.append(u8: 0)
        message.append(body)
        return message
    }

    private static func check(_ presence: Octets32) throws(CardError) {
        switch X25519.fault(of: presence) {
        case .nonCanonical: throw .nonCanonicalPresence
        case .lowOrder: throw .lowOrderPresence
        case nil: break
        }
    }

    // Both kinds of characters can make one name look like another on a screen.
    private static func check(_ name: String) throws(CardError) {
        for scalar in name.unicodeScalars {
            switch scalar.value {
            case 0x00...0x1f, 0x7f...0x9f, 0x2028, 0x2029: throw .nameControl
            default: break
            }
        }
        for scalar in name.unicodeScalars {
            switch scalar.value {
            case 0x061c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: throw .nameBidirectional
            default: break
            }
        }
    }
}

/// The reason a card is refused (`Specs/cards.md`, first table).
public enum CardError: Refusal, Hashable, Codable {
    /// The input is shorter than the fixed fields, or than the bitmap and the length of the name announce.
    case tooShort
    /// The name is longer than `ContactCard.nameByteLimit`.
    case nameLength
    /// The input is longer than the bitmap and the length of the name announce.
    case tooLong
    /// The version is not 1.
    case unknownVersion
    /// The signature was not made with the identity key of the card.
    case invalidSignature
    /// The generation is 0; generations count from 1.
    case zeroGeneration
    /// The serial is 0; serials count from 1.
    case zeroSerial
    /// The presence key encodes a number that is not below 2^255 − 19.
    case nonCanonicalPresence
    /// The presence key is a point of small order, which makes every shared secret zero.
    case lowOrderPresence
    /// The list of device certificates is refused.
    case certificates(CertificateError)
    /// The name is not well-formed UTF-8.
    case nameNotUTF8
    /// The name contains a control character.
    case nameControl
    /// The name contains a character that changes the direction of text.
    case nameBidirectional

    private enum CertificatesCodingKeys: String, CodingKey {
        case _0 = "reason"
    }

    public var stage: String {
        switch self {
        case .tooShort, .nameLength, .tooLong: "length"
        case .unknownVersion: "version"
        case .invalidSignature: "signature"
        case .zeroGeneration: "generation"
        case .zeroSerial: "serial"
        case .nonCanonicalPresence, .lowOrderPresence: "presence"
        case .certificates(let error): error.stage
        case .nameNotUTF8, .nameControl, .nameBidirectional: "name"
        }
    }

    public var reason: String {
        switch self {
        case .tooShort: "too-short"
        case .nameLength: "name-length"
        case .tooLong: "too-long"
        case .unknownVersion: "unknown"
        case .invalidSignature: "invalid"
        case .zeroGeneration, .zeroSerial: "zero"
        case .nonCanonicalPresence: "non-canonical"
        case .lowOrderPresence: "low-order-point"
        case .certificates(let error): error.reason
        case .nameNotUTF8: "not-utf8"
        case .nameControl: "control"
        case .nameBidirectional: "bidi"
        }
    }
}
