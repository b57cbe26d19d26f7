/// A statement, signed by a user's identity key, that a Noise key belongs to one of the user's devices for an interval
/// of periods (`Specs/cards.md`).
public struct DeviceCertificate: Hashable, Sendable {
    /// The length of a certificate in bytes.
    public static let byteCount = 106
    /// The maximum number of periods that a certificate can cover (372 days).
    public static let longestSpan: UInt32 = 8928

    /// The index of the device.
    public let index: DeviceIndex
    /// The device's Noise static key.
    public let key: Octets32
    /// The first and the last period in which the certificate is valid.
    public let from: Period, to: Period
    /// Whether this device holds the identity key.
    public let isPrimary: Bool
    // 64 bytes. Both initialisers guarantee that it is valid under the identity key of the enclosing object.
    private let signature: [UInt8]

    /// Creates and signs a certificate.
    ///
    /// - Throws: `CertificateError.interval` if the periods are reversed or more than `longestSpan`, and
    ///   `.nonCanonicalKey` or `.lowOrderKey` if readers would refuse the key.
    public init(
        index: DeviceIndex, key: Octets32, from: Period, to: Period, isPrimary: Bool,
        signedBy identity: borrowing IdentityKey
    ) throws(CertificateError) {
        try Self.check(key)
        guard from <= to, to.number - from.number < Self.longestSpan else { throw .interval }
        self.index = index
        self.key = key
        self.from = from
        self.to = to
        self.isPrimary = isPrimary
        var body: [UInt8] = []
        Self.appendBody(index: index, key: key, from: from, to: to, isPrimary: isPrimary, to: &body)
        signature = identity.sign(Self.message(issuer: identity.publicKey, body: body.span).span)
    }

    /// Parses a certificate of exactly `byteCount` bytes that must be for the device `expected`.
    private init(
        parsing bytes: Span<UInt8>, expected: UInt8, issuer: Octets32
    ) throws(CertificateError) {
        var fields = ByteReader()
        guard bytes.count == Self.byteCount, let number = fields.u8(of: bytes), let index = DeviceIndex(number),
            number == expected, let key = fields.octets32(of: bytes), let from = fields.u32(of: bytes),
            let to = fields.u32(of: bytes), let flags = fields.u8(of: bytes)
        else { throw .deviceIndex }
        let signed = bytes.extracting(first: fields.offset)
        guard let signature = fields.skip(IdentityKey.signatureByteCount, of: bytes) else { throw .deviceIndex }
        try Self.check(key)
        guard from <= to, to - from < Self.longestSpan, let first = Period(from), let last = Period(to) else {
            throw .interval
        }
        guard flags & 0xfe == 0 else { throw .reservedFlag }
        let message = Self.message(issuer: issuer, body: signed)
        guard isValidSignature(bytes.extracting(signature), of: message.span, by: issuer) else {
            throw .invalidSignature
        }
        self.index = index
        self.key = key
        self.from = first
        self.to = last
        isPrimary = flags & 1 == 1
        self.signature = signature.map { bytes[$0] }
    }

    /// Returns whether a handshake can use the key in this period.
    public func isValid(in period: Period) -> Bool { (from...to).contains(period) }

    /// Appends the encoded certificate, `byteCount` bytes.
    public func append(to sink: inout some ByteSink & ~Copyable) {
        Self.appendBody(index: index, key: key, from: from, to: to, isPrimary: isPrimary, to: &sink)
        sink.append(signature.span)
    }

    private static func check(_ key: Octets32) throws(CertificateError) {
        switch X25519.fault(of: key) {
        case .nonCanonical: throw .nonCanonicalKey
        case .lowOrder: throw .lowOrderKey
        case nil: break
        }
    }

    private static func appendBody(
        index: DeviceIndex, key: Octets32, from: Period, to: Period, isPrimary: Bool,
        to sink: inout some ByteSink & ~Copyable
    ) {
        sink.append(u8: index.number)
        sink.append(key)
        sink.append(u32: from.number)
        sink.append(u32: to.number)
        sink.append(u8: isPrimary ? 1 : 0)
    }

    private static func message(issuer: Octets32, body: Span<UInt8>) -> [UInt8] {
        var message: [UInt8] = []
        message.append(DerivationLabel.deviceCertificate)
        message.append(u8: 0)
        message.append(issuer)
        message.append(body)
        return message
    }
}

extension DeviceCertificate {
    /// Parses the certificates that `bitmap` announces, and checks each of them and the list as a whole.
    ///
    /// `presence` is the presence key of the card, which no device may have as its key, and nil inside a grant; `now`
    /// is the current period.
    /// - Throws: `CertificateError`, the first row of the table in `Specs/cards.md` that applies.
    static func list(
        parsing bytes: Span<UInt8>, bitmap: UInt16, issuer: Octets32, presence: Octets32?, now: Period
    ) throws(CertificateError) -> [DeviceCertificate] {
        guard bitmap != 0 else { throw .emptyBitmap }
        var certificates: [DeviceCertificate] = []
        var rest = bytes
        for device in UInt8(0)..<16 where bitmap >> UInt16(device) & 1 == 1 {
            guard rest.count >= byteCount else { throw .deviceIndex }
            certificates.append(
                try DeviceCertificate(parsing: rest.extracting(first: byteCount), expected: device, issuer: issuer))
            rest = rest.extracting(droppingFirst: byteCount)
        }
        try check(certificates, presence: presence)
        guard certificates.contains(where: { $0.to >= now }) else { throw .allEnded }
        return certificates
    }

    /// Checks the rules that apply to received lists and to new ones.
    static func check(_ certificates: [DeviceCertificate], presence: Octets32?) throws(CertificateError) {
        guard !certificates.isEmpty else { throw .emptyBitmap }
        for (lower, higher) in zip(certificates, certificates.dropFirst()) where lower.index >= higher.index {
            throw .deviceIndex
        }
        var keys = Set(certificates.map(\.key))
        if let presence { keys.insert(presence) }
        guard keys.count == certificates.count + (presence == nil ? 0 : 1) else { throw .duplicateKey }
        guard certificates.count(where: \.isPrimary) <= 1 else { throw .twoPrimaries }
    }

    /// Returns the bitmap that announces these certificates: bit n stands for the device with index n.
    static func bitmap(of certificates: [DeviceCertificate]) -> UInt16 {
        certificates.reduce(0) { $0 | 1 << UInt16($1.index.number) }
    }
}

/// The reason a list of device certificates is refused (`Specs/cards.md`, second table).
public enum CertificateError: String, Refusal, CaseIterable, Codable {
    /// The bitmap announces no device.
    case emptyBitmap = "empty-bitmap"
    /// The index of a certificate is not the one that the bitmap announces at its position.
    case deviceIndex = "device-index"
    /// A key encodes a number that is not below 2^255 − 19.
    case nonCanonicalKey = "non-canonical"
    /// A key is a point of small order, which makes every shared secret zero.
    case lowOrderKey = "low-order-point"
    /// The periods are reversed, more than `DeviceCertificate.longestSpan`, or end after the last period of the tree.
    case interval
    /// A flag that version 1 does not define is set.
    case reservedFlag = "reserved-flag"
    /// A signature was not made with the identity key of the enclosing object.
    case invalidSignature = "invalid-signature"
    /// Two devices have the same key, or a device has the presence key of the card.
    case duplicateKey = "duplicate-key"
    /// More than one certificate is marked as that of the primary device.
    case twoPrimaries = "two-primaries"
    /// Every certificate ended before the current period.
    case allEnded = "all-ended"

    public var stage: String { "certificates" }
    public var reason: String { rawValue }
}
