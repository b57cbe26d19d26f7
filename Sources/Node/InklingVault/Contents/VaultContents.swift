public import InklingKeys
public import InklingWire

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
    public var reported: [ReportedGrant]
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

/// A grant received from a contact, with the keys that are still of use.
public struct ReceivedGrant: Sendable {
    /// The contact's audience.
    public var audience: AudienceID
    /// The generation of the audience's root.
    public var generation: UInt32
    /// The first period of the grant, or the first one kept on arrival.
    public var from: Period
    /// The last period of the grant.
    public var to: Period
    /// The contact's devices that the grant names: bit d stands for device d.
    public var devices: UInt16
    /// The nodes that have not been forgotten.
    public var tree: SecretBox<AudienceTree>

    /// Creates a grant from its stored fields.
    public init(
        audience: AudienceID, generation: UInt32, from: Period, to: Period, devices: UInt16,
        tree: SecretBox<AudienceTree>
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
    /// The user's audience that was granted.
    public var audience: AudienceID
    /// The generation of the audience's root.
    public var generation: UInt32
    /// The last period of the grant.
    public var to: Period

    /// Creates a report.
    public init(audience: AudienceID, generation: UInt32, to: Period) {
        self.audience = audience
        self.generation = generation
        self.to = to
    }
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
