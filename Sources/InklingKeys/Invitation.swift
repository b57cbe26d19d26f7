/// A one-time secret and a promise of a card, carried from one screen to one reader (`Specs/invitations.md`).
public struct Invitation: Sendable {
    /// The length of an invitation in bytes.
    public static let byteCount = 55
    /// The longest life.
    public static let longestLife: Duration = .seconds(longestLifeMinutes * 60)
    private static let longestLifeMinutes: UInt64 = 10
    /// How many first contacts may be tried before an invitation is dead.
    public static let attemptLimit = 8

    /// What the inviter's card must hash to.
    public let commitment: Octets16
    /// The one-time secret, 32 bytes.
    public let secret: SecretBox<SecretBytes>
    /// How the inviter can be reached.
    public let transports: TransportSet
    /// The first minute of Unix time in which the invitation is dead.
    public let expiryMinute: UInt32

    /// Opens an invitation that ends at the first full minute after `life`.
    ///
    /// The life is a minute to `longestLife`; values outside are moved to the nearer end. Transports that this version
    /// does not know are left out, because their bits are reserved.
    public init(
        to card: ContactCard, transports: TransportSet, lasting life: Duration, from unixSeconds: UInt64,
        using generator: inout some RandomNumberGenerator
    ) {
        commitment = card.commitment
        secret = SecretBox(SecretBytes(count: keyByteCount, from: &generator))
        self.transports = transports.intersection(.known)
        let minutes = life.wholeMilliseconds / 60_000 + (life.wholeMilliseconds.isMultiple(of: 60_000) ? 0 : 1)
        expiryMinute = UInt32(clamping: (unixSeconds + 59) / 60 + min(max(minutes, 1), Self.longestLifeMinutes))
    }

    /// Reads an invitation in the given minute of Unix time.
    ///
    /// - Throws: `InvitationError`, the first row of the table in `Specs/invitations.md` that applies.
    public init(parsing input: Span<UInt8>, minute: UInt32) throws(InvitationError) {
        guard input.count >= Self.byteCount else { throw .tooShort }
        guard input.count == Self.byteCount else { throw .tooLong }
        var fields = ByteReader()
        guard let version = fields.u8(of: input), let commitment = fields.octets16(of: input),
            let secretBytes = fields.skip(keyByteCount, of: input), let transportBits = fields.u16(of: input),
            let expiryMinute = fields.u32(of: input)
        else { throw .tooShort }
        guard version == 1 else { throw .unknownVersion }
        self.commitment = commitment
        secret = SecretBox(SecretBytes(copying: input.extracting(secretBytes)))
        transports = TransportSet(rawValue: transportBits)
        guard !transports.isDisjoint(with: .known) else { throw .noTransport }
        self.expiryMinute = expiryMinute
        // Two minutes either way for the reader's clock; ten of life and one for rounding up.
        guard UInt64(minute) < UInt64(expiryMinute) + 2 else { throw .ended }
        guard UInt64(expiryMinute) <= UInt64(minute) + Self.longestLifeMinutes + 3 else { throw .tooFar }
    }

    /// Reads the text of an invitation to become contacts in the given minute of Unix time.
    ///
    /// - Throws: `TextFormError`, `.unknownKind` for the text of something else; and what `init(parsing:minute:)`
    ///   throws.
    public init(text: String, minute: UInt32) throws {
        let content = try TextForm.decode(Array(text.utf8).span)
        guard content.kind == .invitation else { throw TextFormError.unknownKind }
        self = try content.bytes.withBytes { bytes throws(InvitationError) in
            try Invitation(parsing: bytes, minute: minute)
        }
    }

    /// The bytes, which are secret: whoever has them can use the invitation.
    public func encoded() -> SecretBytes {
        var writer = SecretWriter(capacity: Self.byteCount)
        writer.append(u8: 1)
        writer.append(commitment)
        secret.value.withBytes { writer.append($0) }
        writer.append(u16: transports.rawValue)
        writer.append(u32: expiryMinute)
        return writer.finish()
    }

    /// The keys that both sides of the first contact derive.
    public func keys() -> InvitationKeys { InvitationKeys(secret: secret.value) }
}

/// What an invitation's secret yields.
public struct InvitationKeys: ~Copyable, Sendable {
    /// The pre-shared keys of the first contact, 32 bytes each.
    public let psk0: SecretBytes, psk3: SecretBytes
    /// The key of the gate before its message 1, 32 bytes.
    public let gateKey: SecretBytes
    /// The root of the audience under which the inviter can be found, with device 0.
    public let root: SecretBytes

    /// Derives the keys of a 32-byte secret.
    public init(secret: borrowing SecretBytes) {
        let salted = secret.withBytes { extract(salt: DerivationLabel.invitationSalt, from: $0) }
        psk0 = derive(DerivationLabel.invitePSK0, from: salted)
        psk3 = derive(DerivationLabel.invitePSK3, from: salted)
        gateKey = derive(DerivationLabel.inviteGate, from: salted)
        root = derive(DerivationLabel.inviteRoot, from: salted)
    }
}

/// Why an invitation is refused (`Specs/invitations.md`).
public enum InvitationError: Refusal, Hashable {
    /// Fewer bytes than an invitation has.
    case tooShort
    /// More bytes than an invitation has.
    case tooLong
    /// The version is not 1.
    case unknownVersion
    /// No transport is named over which a first contact is possible.
    case noTransport
    /// It ended two minutes ago or more.
    case ended
    /// It would last for more than 13 minutes from now.
    case tooFar

    public var stage: String {
        switch self {
        case .tooShort, .tooLong: "length"
        case .unknownVersion: "version"
        case .noTransport: "transports"
        case .ended, .tooFar: "expiry"
        }
    }

    public var reason: String {
        switch self {
        case .tooShort: "too-short"
        case .tooLong: "too-long"
        case .unknownVersion: "unknown"
        case .noTransport: "none"
        case .ended: "ended"
        case .tooFar: "too-far"
        }
    }
}
