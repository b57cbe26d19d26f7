public import InklingKeys
public import InklingWire

/// The stored state of one contact.
public struct StoredContact: Sendable {
    /// The contact's user id, derived from the identity key on the card.
    public var user: UserID
    /// The contact's newest card, encoded, at most 2,048 bytes.
    public var card: [UInt8]
    /// The user's own name for the contact, at most 64 bytes of UTF-8; empty to use the name on the card.
    public var petname: String
    /// The progress of the two users, and the numbers of the kept pairwise keys; the standing is never `.none`.
    public var agreement: Agreement
    /// The kept pairwise keys, one for each number in `agreement.keys`, in the same order.
    public var pairwiseKeys: [StoredPairwiseKey]
    /// Grants received from the contact, at most 8.
    public var grants: [ReceivedGrant]
    /// The grants of ours that the contact last reported to hold, at most 8.
    public var reported: [IssuedGrant]
    /// The user's audiences to which the contact belongs, besides that of all contacts.
    public var assigned: [AudienceID]
    /// The grants of ours that were sent, at most one for each audience.
    public var granted: [IssuedGrant]
    /// Whether the user has stopped the renewal of the contact's grants.
    public var isLapsing: Bool
    /// The keys of the contact's devices that the user has revoked, at most 16.
    public var revokedDevices: [Octets32]
    /// Whether the user has blocked the contact.
    public var isBlocked: Bool
    /// Whether the user must review the contact before anything is granted to it.
    public var needsReview: Bool
    /// The period in which the contact was added.
    public var added: Period
    /// The delays after which the contact counts as arrived and as left, as far as the user has chosen them.
    public var delays: ContactDelays

    /// Creates a contact without grants.
    public init(
        user: UserID, card: [UInt8], petname: String, agreement: Agreement, pairwiseKeys: [StoredPairwiseKey],
        added: Period
    ) {
        self.user = user
        self.card = card
        self.petname = petname
        self.agreement = agreement
        self.pairwiseKeys = pairwiseKeys
        self.added = added
        grants = []
        reported = []
        assigned = []
        granted = []
        isLapsing = false
        revokedDevices = []
        isBlocked = false
        needsReview = false
        delays = ContactDelays()
    }
}

extension StoredContact {
    /// Whether a first contact with the user has taken place; otherwise only cards were exchanged.
    package var hasMet: Bool { pairwiseKeys.contains { $0.origin == .firstContact } }

    /// The key that the contact most likely has: the newest shared one, otherwise the newest.
    package var likelyKey: StoredPairwiseKey? {
        let number = agreement.candidates.first
        return pairwiseKeys.first { $0.number == number }
    }

    /// The highest generation of the contact's grants that are held; 0 for none.
    package var heldGeneration: UInt32 { grants.map(\.generation).max() ?? 0 }

    /// Returns whether no grant of the contact that is valid in this period is held.
    package func isWithoutGrant(in period: Period) -> Bool {
        !grants.contains { $0.from <= period && period <= $0.to }
    }

    /// Returns the key with a number; nil if there is none.
    package func key(_ number: PairwiseKeyNumber) -> StoredPairwiseKey? { pairwiseKeys.first { $0.number == number } }

    /// Returns whether the node neither recognises, calls nor answers the contact in this period: it is blocked, or its
    /// grants are not renewed and have ended.
    package func isExcluded(in period: Period?) -> Bool {
        guard !isBlocked else { return true }
        guard isLapsing, let period else { return false }
        return !granted.contains { $0.to >= period }
    }

    /// The name that the user sees, according to the stored contents.
    var lastName: String {
        petname.isEmpty ? ContactCard.name(ofUnverified: card.span) ?? "" : petname
    }

    /// Returns whether a device of the contact is revoked: it is neither recognised, called nor answered.
    package func isRevoked(_ certificate: DeviceCertificate) -> Bool { revokedDevices.contains(certificate.key) }

    /// Parses and verifies the contact's card.
    ///
    /// - Throws: `CardError` if the card is invalid or its certificates have expired.
    package func parsedCard(now: Period) throws(CardError) -> ContactCard {
        try ContactCard(parsing: card.span, now: now)
    }

    /// The serial of the card, even if its certificates have expired: an older card must not replace it even then.
    package var cardSerial: UInt32 {
        ContactCard.serial(ofUnverified: card.span) ?? 0
    }
}

/// A kept pairwise key of a contact.
public struct StoredPairwiseKey: Sendable {
    /// The number of the key in `StoredContact.agreement`.
    public var number: PairwiseKeyNumber
    /// The way in which the key was established.
    public var origin: PairwiseKeyOrigin
    /// The key, 32 bytes.
    public var key: SecretBox<SecretBytes>

    /// Creates a key from its stored fields.
    public init(number: PairwiseKeyNumber, origin: PairwiseKeyOrigin, key: SecretBox<SecretBytes>) {
        self.number = number
        self.origin = origin
        self.key = key
    }
}

/// The way in which a pairwise key was established.
public enum PairwiseKeyOrigin: UInt8, Hashable, Sendable {
    /// From the presence keys on both cards.
    case cards = 0
    /// In the handshake of a first contact.
    case firstContact = 1
}

/// The delays that the user has chosen for one contact (`Specs/recognition.md`); nil means the node's option.
///
/// All are whole seconds of real time; a value outside its range is clamped.
public struct ContactDelays: Hashable, Sendable {
    /// The range of `arrive` in seconds.
    public static let arrivals: ClosedRange<UInt32> = 0...86_400
    /// The range of `leave` and `goodbye` in seconds.
    public static let departures: ClosedRange<UInt32> = 30...86_400

    /// The time for which the contact must be present before its arrival is reported.
    public var arrive: Duration? { didSet { arrive = arrive.map { Self.bounded($0, to: Self.arrivals) } } }
    /// The time from the last evidence to the departure; also from a goodbye unless `goodbye` is set.
    public var leave: Duration? { didSet { leave = leave.map { Self.bounded($0, to: Self.departures) } } }
    /// The time from a goodbye to the departure, unless `leave` ends earlier.
    public var goodbye: Duration? { didSet { goodbye = goodbye.map { Self.bounded($0, to: Self.departures) } } }

    /// Creates delays, each clamped to its range.
    public init(arrive: Duration? = nil, leave: Duration? = nil, goodbye: Duration? = nil) {
        self.arrive = arrive.map { Self.bounded($0, to: Self.arrivals) }
        self.leave = leave.map { Self.bounded($0, to: Self.departures) }
        self.goodbye = goodbye.map { Self.bounded($0, to: Self.departures) }
    }

    /// Whether the contact has no delay of its own.
    public var isDefault: Bool { self == ContactDelays() }

    private static func bounded(_ duration: Duration, to range: ClosedRange<UInt32>) -> Duration {
        let seconds = UInt32(clamping: duration.wholeMilliseconds / 1000)
        return .seconds(min(max(seconds, range.lowerBound), range.upperBound))
    }
}

// The members are seconds, named as on the control socket.
extension ContactDelays: Codable {
    private enum CodingKeys: String, CodingKey { case arrive, leave, goodbye }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func delay(_ key: CodingKeys) throws -> Duration? {
            try members.decodeIfPresent(UInt32.self, forKey: key).map { .seconds($0) }
        }
        self.init(arrive: try delay(.arrive), leave: try delay(.leave), goodbye: try delay(.goodbye))
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        func seconds(_ delay: Duration?) -> UInt32? { delay.map { UInt32(clamping: $0.wholeMilliseconds / 1000) } }
        try members.encodeIfPresent(seconds(arrive), forKey: .arrive)
        try members.encodeIfPresent(seconds(leave), forKey: .leave)
        try members.encodeIfPresent(seconds(goodbye), forKey: .goodbye)
    }
}
