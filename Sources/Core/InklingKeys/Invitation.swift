/// A one-time secret and a commitment to a card, carried from one screen to one reader (`Specs/invitations.md`).
public struct Invitation: Sendable {
    /// The length of an invitation in bytes.
    public static let byteCount = 55
    /// The maximum lifetime.
    public static let longestLife: Duration = .seconds(longestLifeMinutes * 60)
    private static let longestLifeMinutes: UInt64 = 10
    /// The number of first messages that authenticate with the keys of an invitation before it is dead.
    public static let attemptLimit = 8

    /// The hash that the inviter's card must have.
    public let commitment: Octets16
    /// The one-time secret, 32 bytes.
    public let secret: SecretBox<SecretBytes>
    /// The transports on which the inviter can be reached.
    public let transports: TransportSet
    /// The time when the invitation expires, in minutes of Unix time.
    public let expiryMinute: UInt32

    /// Creates an invitation from the owner of `card` that ends at the first full minute after `life`.
    ///
    /// `life` is clamped to the range from one minute to `longestLife`. Transports that this version does not define
    /// are left out, because their bits are reserved.
    public init(
        to card: ContactCard, transports: TransportSet, lasting life: Duration, from unixSeconds: UInt64,
        using generator: inout some RandomNumberGenerator
    ) {
        commitment = card.commitment
        secret = SecretBox(SecretBytes(count: keyByteCount, from: &generator))
        self.transports = transports.intersection(.known)
        expiryMinute = Self.expiry(of: life, from: unixSeconds)
    }

    /// Creates an invitation that differs from one that was not shown yet only in its expiry.
    package init(_ unshown: Invitation, lasting life: Duration, from unixSeconds: UInt64) {
        commitment = unshown.commitment
        secret = unshown.secret
        transports = unshown.transports
        expiryMinute = Self.expiry(of: life, from: unixSeconds)
    }

    private static func expiry(of life: Duration, from unixSeconds: UInt64) -> UInt32 {
        let minutes = life.wholeMilliseconds / 60_000 + (life.wholeMilliseconds.isMultiple(of: 60_000) ? 0 : 1)
        return UInt32(clamping: (unixSeconds + 59) / 60 + min(max(minutes, 1), longestLifeMinutes))
    }

    /// Parses an invitation in the given minute of Unix time.
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
        // The reader's clock may differ by two minutes in either direction. An invitation lives for at most ten
        // minutes, plus one for rounding up.
        guard UInt64(minute) < UInt64(expiryMinute) + 2 else { throw .ended }
        guard UInt64(expiryMinute) <= UInt64(minute) + Self.longestLifeMinutes + 3 else { throw .tooFar }
    }

    /// Parses the text form of an invitation to become contacts, in the given minute of Unix time.
    ///
    /// - Throws: `TextFormError`, with `.unknownKind` if the text is that of another kind of object, or an error of
    ///   `init(parsing:minute:)`.
    public init(text: String, minute: UInt32) throws {
        let content = try TextForm.decode(Array(text.utf8).span)
        guard content.kind == .invitation else { throw TextFormError.unknownKind }
        self = try content.bytes.withBytes { bytes throws(InvitationError) in
            try Invitation(parsing: bytes, minute: minute)
        }
    }

    /// Returns the encoded invitation. The bytes are secret: with them, anyone can use the invitation.
    public func encoded() -> SecretBytes {
        var writer = SecretWriter(capacity: Self.byteCount)
        writer.append(u8: 1)
        writer.append(commitment)
        secret.value.withBytes { writer.append($0) }
        writer.append(u16: transports.rawValue)
        writer.append(u32: expiryMinute)
        return writer.finish()
    }

    /// Derives the keys that both sides of the first contact use.
    public func keys() -> InvitationKeys { InvitationKeys(secret: secret.value) }
}

/// The keys derived from the secret of an invitation.
public struct InvitationKeys: ~Copyable, Sendable {
    /// The pre-shared keys of the first contact, 32 bytes each.
    public let psk0: SecretBytes, psk3: SecretBytes
    /// The key of the gate before message 1, 32 bytes.
    public let gateKey: SecretBytes
    /// The root of the audience in which the inviter shows itself, as device 0, until the first contact.
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

/// The reason an invitation is refused (`Specs/invitations.md`).
public enum InvitationError: Refusal, Hashable {
    /// The input is shorter than `Invitation.byteCount`.
    case tooShort
    /// The input is longer than `Invitation.byteCount`.
    case tooLong
    /// The version is not 1.
    case unknownVersion
    /// The invitation names no transport that this version defines.
    case noTransport
    /// The invitation ended at least two minutes ago.
    case ended
    /// The invitation ends more than 13 minutes from now.
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
