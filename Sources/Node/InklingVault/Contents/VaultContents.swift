public import InklingKeys

/// The persistent state of a node (`Specs/vault.md`).
///
/// Copies share the boxes that hold the secrets. A secret is wiped when the last copy that refers to its box is
/// destroyed, so code that forgets a key must not keep an older copy of the contents.
public struct VaultContents: Sendable {
    /// The user's name on the card, at most 64 bytes of UTF-8.
    public var displayName: String
    /// The seed of the user's identity; nil on a device that is not the primary one.
    public var rootSeed: SecretBox<RootSeed>?
    /// The generation of the identity key in use, from 1.
    public var identityGeneration: UInt32
    /// The index of this device among the user's devices.
    public var device: DeviceIndex
    /// This device's static X25519 private key, 32 bytes; used in Noise only.
    public var noiseKey: SecretBox<SecretBytes>
    /// The encoded card of the user, at most 2,048 bytes.
    public var card: [UInt8]
    /// The serial of the user's card, from 1.
    public var cardSerial: UInt32
    /// The user's audiences, at most 8, that of all contacts first.
    public var audiences: [Audience]
    /// Contacts, at most 10,000, each user once.
    public var contacts: [StoredContact]
    /// First messages that have been answered or are about to be, at most 8,192, so that replays are not answered.
    public var answeredMessages: [AnsweredMessage]
    /// The stored visibility.
    public var visibility: Visibility
    /// The high-water mark: the latest epoch that was published. No earlier epoch is published again.
    public var highWaterEpoch: Epoch?
    /// The latest accepted time in seconds since 1970-01-01T00:00:00Z.
    public var latestAcceptedTime: UInt64?
    /// The facts that the operator vouches for.
    public var vouches: OperatorVouches
    /// The mark of a restored copy; nil once new generations have begun. See `RestoredCopy`.
    public var restored: RestoredCopy?
    /// Former contacts who can still recognise the user, at most 10,000, each once and none a contact.
    public var formerContacts: [FormerContact]
    /// The time of the backup or copy that these contents come from, in Unix seconds; nil if they never were a copy, or
    /// the time is unknown. The contacts to be reviewed are those of that time.
    public var restoredFrom: UInt64?
    /// The key that authenticated the counter before the vault's key was changed; nil once the counter has been written
    /// under the new one.
    var formerCounterKey: SecretBox<SecretBytes>?
    /// The state that a non-primary device has from the primary, in addition to that of every device.
    package var linked = LinkedState()
    /// The link between the message store and this vault; nil until a store is first opened with the vault.
    public var messageStore: MessageStoreAnchor?
    /// The user's other devices, as this device knows them.
    package var own = OwnDevices()

    /// The maximum number of contacts, and of former contacts.
    package static let contactLimit = 10_000
    /// The maximum number of answered messages: those of two epochs.
    package static let answeredMessageLimit = 8192

    /// Creates contents without audiences and contacts.
    public init(
        displayName: String, rootSeed: SecretBox<RootSeed>?, identityGeneration: UInt32 = 1, device: DeviceIndex,
        noiseKey: SecretBox<SecretBytes>, card: [UInt8], cardSerial: UInt32 = 1
    ) {
        self.displayName = displayName
        self.rootSeed = rootSeed
        self.identityGeneration = identityGeneration
        self.device = device
        self.noiseKey = noiseKey
        self.card = card
        self.cardSerial = cardSerial
        audiences = []
        contacts = []
        answeredMessages = []
        visibility = .all
        vouches = []
        formerContacts = []
    }

    /// Removes keys of the past at the beginning of the period `now`.
    ///
    /// The user's audiences keep no key of a period before `now`. Received grants also keep the previous period,
    /// because a contact whose clock is late still shows it. Audiences and grants without keys are removed, as are
    /// first messages of epochs that are no longer answered.
    ///
    /// The caller must save afterwards and keep no older copy.
    public mutating func forgetPast(before now: Period) {
        let observed = now.previous ?? now
        audiences = audiences.compactMap { audience in
            guard let tree = remainder(of: audience.tree, from: now) else { return nil }
            var kept = audience
            kept.tree = tree
            return kept
        }
        for index in contacts.indices {
            contacts[index].grants = contacts[index].grants.compactMap { grant in
                guard let tree = remainder(of: grant.tree, from: observed) else { return nil }
                var kept = grant
                kept.tree = tree
                return kept
            }
        }
        answeredMessages.removeAll { $0.epoch < observed.firstEpoch }
        forgetIssued(before: now)
        own.forgetPast { remainder(of: $0, from: now.previous ?? now) }
        linked.grants.removeAll { $0.to < now }
        linked.pairs = linked.pairs.compactMap { pair in
            guard let shown = remainder(of: pair.shown, from: now),
                let expected = remainder(of: pair.expected, from: observed)
            else { return nil }
            return LinkedState.Pair(user: pair.user, shown: shown, expected: expected)
        }
    }

    /// Returns the position of a user in `contacts`; nil if there is no such contact.
    package func index(of user: UserID) -> Int? { contacts.firstIndex { $0.user == user } }

    /// Returns the contact with this user id; nil if there is none.
    package func contact(_ user: UserID) -> StoredContact? { contacts.first { $0.user == user } }

    /// Records the generation of the message store, which the next save stores.
    package mutating func noteMessages(generation: UInt64) {
        messageStore?.noteGeneration(generation)
    }
}

// Returns the same box if there is nothing to forget, a new one with fewer keys, or nil if no key is left.
private func remainder(of tree: SecretBox<AudienceTree>, from period: Period) -> SecretBox<AudienceTree>? {
    guard let interval = tree.value.interval, let last = Period(interval.upperBound) else { return nil }
    if interval.lowerBound >= period.number { return tree }
    guard let rest = tree.value.constrained(from: period, to: last) else { return nil }
    return SecretBox(rest)
}

/// A first message that must not be answered a second time.
public struct AnsweredMessage: Hashable, Sendable {
    /// The epoch of the identifier that the message answers to.
    public var epoch: Epoch
    /// The initiator's ephemeral public key.
    public var ephemeral: Octets32

    /// Creates a record of a message.
    public init(epoch: Epoch, ephemeral: Octets32) {
        self.epoch = epoch
        self.ephemeral = ephemeral
    }
}

/// Facts that the operator vouches for because the machine cannot check them.
public struct OperatorVouches: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The system clock is right.
    public static let clock = OperatorVouches(rawValue: 1)
}

/// The mark of a vault that is an earlier copy, adopted by the operator.
///
/// A copy does not know later revocations. Until new generations of all audiences have begun, which clears this mark,
/// the node sends no grants.
public struct RestoredCopy: Hashable, Sendable {
    /// The generation of the copy.
    public var generation: UInt64
    /// The latest accepted time in the copy, in Unix seconds: the time of its last save, within an hour.
    public var latestAcceptedTime: UInt64?

    /// Creates a mark for a copy.
    public init(generation: UInt64, latestAcceptedTime: UInt64?) {
        self.generation = generation
        self.latestAcceptedTime = latestAcceptedTime
    }
}

extension RestoredCopy {
    /// The maximum distance by which the serial of a restored copy's first card exceeds its regular serial. It is below
    /// the limit up to which a HELLO raises a serial.
    static var serialLead: UInt32 { 512 }

    /// Draws how far a restored copy's generations are above the period: the original uses the number of the period,
    /// and contacts refuse generations more than 24 above it.
    package static func generationLead(using generator: inout some RandomNumberGenerator) -> UInt32 {
        UInt32.random(in: 1...8, using: &generator)
    }
}

/// The choice of whom a node shows itself to and looks for; it lasts until the user's next choice
/// (`Specs/pair-audiences.md`).
///
/// A node shows one audience at a time, over all link technologies. A change is treated as an epoch boundary: silence,
/// then other identifiers after a fresh quiet period.
public enum Visibility: Hashable, Sendable {
    /// Every contact that holds a grant.
    case all
    /// The members of an audience inside that of all contacts, if they hold a grant of it.
    case audience(AudienceID)
    /// One contact: the node shows the pair audience that only this contact can recognise, and looks for it alone.
    case contact(UserID)
    /// Invisible: the node emits nothing except for an invitation that the user opens or accepts.
    case nobody
}

extension Visibility: CustomStringConvertible {
    /// The choice in words; an audience and a contact by their ids.
    public var description: String {
        switch self {
        case .all: "all contacts"
        case .audience(let id): "audience \(id)"
        case .contact(let user): "\(user.octets) only"
        case .nobody: "nobody"
        }
    }
}

extension Visibility: Codable {
    private enum Choice: String, Codable { case all, audience, contact, nobody }

    private enum CodingKeys: String, CodingKey { case to, id, audience }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        switch try members.decode(Choice.self, forKey: .to) {
        case .all: self = .all
        case .audience: self = .audience(try members.decode(AudienceID.self, forKey: .audience))
        case .contact: self = .contact(try members.decode(UserID.self, forKey: .id))
        case .nobody: self = .nobody
        }
    }

    /// Encodes the choice as `to`, a contact as `id`, and an audience as `audience`.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .all: try members.encode(Choice.all, forKey: .to)
        case .audience(let id):
            try members.encode(Choice.audience, forKey: .to)
            try members.encode(id, forKey: .audience)
        case .contact(let user):
            try members.encode(Choice.contact, forKey: .to)
            try members.encode(user, forKey: .id)
        case .nobody: try members.encode(Choice.nobody, forKey: .to)
        }
    }
}
