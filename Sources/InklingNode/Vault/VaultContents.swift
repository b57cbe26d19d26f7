public import InklingKeys

/// Everything a node must still know after a restart (`Specs/vault.md`).
///
/// A copyable value: the secrets are in boxes, which copies share. A secret is wiped when no copy refers to its box
/// any more, so code that forgets a key must not keep an older copy of the contents.
public struct VaultContents: Sendable {
    /// The user's name as shown on the card, at most 64 bytes of UTF-8.
    public var displayName: String
    /// The seed of the user's identity; nil on a device that is not the primary one.
    public var rootSeed: SecretBox<RootSeed>?
    /// Which identity of the seed is in use; numbers start at 1.
    public var identityGeneration: UInt32
    /// Which of the user's devices this is.
    public var device: DeviceIndex
    /// This device's static X25519 private key, 32 bytes; used in Noise only.
    public var noiseKey: SecretBox<SecretBytes>
    /// The user's own card as bytes, at most 2,048.
    public var card: [UInt8]
    /// The serial of the own card; numbers start at 1.
    public var cardSerial: UInt32
    /// The user's audiences, at most 8.
    public var audiences: [OwnedAudience]
    /// Contacts, at most 10,000, each user once.
    public var contacts: [StoredContact]
    /// First messages that were answered or are about to be, at most 8,192: those of two epochs.
    public var answeredMessages: [AnsweredMessage]
    /// The latest epoch of which anything was emitted; none earlier is emitted again.
    public var highWaterEpoch: Epoch?
    /// The latest accepted time in seconds since 1970-01-01T00:00:00Z.
    public var latestAcceptedTime: UInt64?
    /// What the operator vouches for.
    public var vouches: OperatorVouches
    /// Set while the consequences of a restored copy are still to be drawn; see `RestoredCopy`.
    public var restored: RestoredCopy?

    /// The contents of a new node, without audiences and contacts.
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
        vouches = []
    }

    /// Forgets the keys of the past, at the beginning of the hour `now`: of the own audiences every hour before it, and
    /// of received grants every hour but the one before it, which late clocks still show. What has ended goes as a
    /// whole, and with it the first messages of epochs that nobody accepts any more.
    ///
    /// The caller saves afterwards, and keeps no older copy.
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
    }
}

// The same box when there is nothing to forget, a new one with fewer keys, or nil when no key is left.
private func remainder(of tree: SecretBox<AudienceTree>, from period: Period) -> SecretBox<AudienceTree>? {
    guard let interval = tree.value.interval, let last = Period(interval.upperBound) else { return nil }
    if interval.lowerBound >= period.number { return tree }
    guard let rest = tree.value.constrained(from: period, to: last) else { return nil }
    return SecretBox(rest)
}

/// An audience of this user and the keys that are left of it.
public struct OwnedAudience: Sendable {
    /// Eight random bytes.
    public var id: UInt64
    /// Which root of the audience this is; numbers start at 1.
    public var generation: UInt32
    /// The keys from now on.
    public var tree: SecretBox<AudienceTree>

    /// An audience.
    public init(id: UInt64, generation: UInt32, tree: SecretBox<AudienceTree>) {
        self.id = id
        self.generation = generation
        self.tree = tree
    }
}

/// What is kept about one contact.
public struct StoredContact: Sendable {
    /// Who it is: follows from the identity key on the card.
    public var user: UserID
    /// The contact's newest card as bytes, at most 2,048.
    public var card: [UInt8]
    /// What the user calls the contact, at most 64 bytes of UTF-8; empty for the name on the card.
    public var petname: String
    /// The pairwise key in force, 32 bytes.
    public var pairwiseKey: SecretBox<SecretBytes>
    /// Where the pairwise key comes from.
    public var pairwiseKeyOrigin: PairwiseKeyOrigin
    /// Grants received from the contact, at most 8.
    public var grants: [ReceivedGrant]
    /// What the contact last said it holds from us, at most 8.
    public var reported: [ReportedGrant]
    /// Whether the user wants nothing to do with the contact any more.
    public var isBlocked: Bool
    /// Whether the user must look at the contact again before anything is granted to it.
    public var needsReview: Bool
    /// The hour in which the contact was added.
    public var added: Period

    /// A contact without grants.
    public init(
        user: UserID, card: [UInt8], petname: String, pairwiseKey: SecretBox<SecretBytes>,
        pairwiseKeyOrigin: PairwiseKeyOrigin, added: Period
    ) {
        self.user = user
        self.card = card
        self.petname = petname
        self.pairwiseKey = pairwiseKey
        self.pairwiseKeyOrigin = pairwiseKeyOrigin
        self.added = added
        grants = []
        reported = []
        isBlocked = false
        needsReview = false
    }
}

/// Where a pairwise key comes from.
public enum PairwiseKeyOrigin: UInt8, Hashable, Sendable {
    /// The presence keys on both cards.
    case cards = 0
    /// A first contact.
    case firstContact = 1
}

/// The keys and terms of a grant that a contact gave us.
public struct ReceivedGrant: Sendable {
    /// Which audience of the contact.
    public var audience: UInt64
    /// Which root of that audience.
    public var generation: UInt32
    /// The first hour the contact signed for.
    public var from: Period
    /// The last hour the contact signed for.
    public var to: Period
    /// The contact's devices that show themselves under it: bit d stands for device d.
    public var devices: UInt16
    /// The keys that are left of it.
    public var tree: SecretBox<AudienceTree>

    /// A grant.
    public init(
        audience: UInt64, generation: UInt32, from: Period, to: Period, devices: UInt16, tree: SecretBox<AudienceTree>
    ) {
        self.audience = audience
        self.generation = generation
        self.from = from
        self.to = to
        self.devices = devices
        self.tree = tree
    }
}

/// A grant of ours that a contact reports to hold.
public struct ReportedGrant: Hashable, Sendable {
    /// Which of our audiences.
    public var audience: UInt64
    /// Which root of it.
    public var generation: UInt32
    /// The last hour of the grant.
    public var to: Period

    /// A report.
    public init(audience: UInt64, generation: UInt32, to: Period) {
        self.audience = audience
        self.generation = generation
        self.to = to
    }
}

/// A first message that must not be answered a second time.
public struct AnsweredMessage: Hashable, Sendable {
    /// The epoch it was made for.
    public var epoch: Epoch
    /// Its ephemeral public key.
    public var ephemeral: Octets32

    /// A message.
    public init(epoch: Epoch, ephemeral: Octets32) {
        self.epoch = epoch
        self.ephemeral = ephemeral
    }
}

/// What the operator vouches for, when the machine cannot know it.
public struct OperatorVouches: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The system clock is right.
    public static let clock = OperatorVouches(rawValue: 1)
}

/// The vault is an earlier copy that the operator adopted.
///
/// Until it is cleared, the node starts a new generation of every audience, and grants nothing to a contact that
/// `needsReview`: the copy forgets later revocations.
public struct RestoredCopy: Hashable, Sendable {
    /// The generation of the copy.
    public var generation: UInt64
    /// The latest accepted time in the copy, in Unix seconds: its date, within an hour.
    public var latestAcceptedTime: UInt64?

    /// A copy.
    public init(generation: UInt64, latestAcceptedTime: UInt64?) {
        self.generation = generation
        self.latestAcceptedTime = latestAcceptedTime
    }
}
