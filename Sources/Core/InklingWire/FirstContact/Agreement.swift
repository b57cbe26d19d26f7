public import InklingKeys

/// The progress of two users towards being contacts (`Specs/first-contact.md`).
public enum Standing: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
    /// They are not contacts.
    case none = "none"
    /// This user has accepted; whether the other has is not known. Nothing is granted.
    case waiting = "waiting"
    /// Both users have accepted; it is not known that each holds a grant of the other.
    case halfFinished = "half-finished"
    /// Each side holds a grant of the other.
    case complete = "complete"

    private var rank: Int {
        switch self {
        case .none: 0
        case .waiting: 1
        case .halfFinished: 2
        case .complete: 3
        }
    }

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}

/// The number of a pairwise key that two users share, counted by this side in the order in which its user agreed to the
/// keys. It is never on the wire.
public struct PairwiseKeyNumber: RawRepresentable, Hashable, Sendable, Comparable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The stored agreement of two users (`Specs/first-contact.md`): its standing, the pairwise keys that are kept, and
/// until when the other can recognise this side. The keys themselves are kept elsewhere.
public struct Agreement: Hashable, Sendable {
    /// The largest number of pairwise keys that are kept for one contact.
    public static let keyLimit = 4

    /// The progress of the two users.
    public var standing = Standing.none
    /// The numbers of the kept keys, ascending; empty exactly without a standing.
    public var keys: [PairwiseKeyNumber] = []
    /// The newest key that the other surely has; nil if none is known to be.
    public var shared: PairwiseKeyNumber?
    /// The index among the candidates of the key that the next answer uses, below `keyLimit`.
    public var turn: UInt8 = 0
    /// The last period of the longest grant that was sent; nil if none was.
    public var grantedUntil: Period?

    /// Creates the agreement of two users who are not contacts.
    public init() {}

    /// Creates an agreement from its stored fields; nil if they do not fit each other.
    public init?(
        standing: Standing, keys: [PairwiseKeyNumber], shared: PairwiseKeyNumber?, turn: UInt8, grantedUntil: Period?
    ) {
        guard keys.count <= Self.keyLimit, turn < Self.keyLimit, (standing == .none) == keys.isEmpty,
            keys.allSatisfy({ $0.rawValue > 0 }), zip(keys, keys.dropFirst()).allSatisfy({ $0 < $1 }),
            shared.map(keys.contains) != false
        else { return nil }
        self.standing = standing
        self.keys = keys
        self.shared = shared
        self.turn = turn
        self.grantedUntil = grantedUntil
    }

    /// The keys that an answer may use, in the order of the turns: the shared one, then newer ones from the newest on.
    public var candidates: [PairwiseKeyNumber] {
        guard let shared else { return keys.reversed() }
        return [shared] + keys.reversed().filter { $0 > shared }
    }

    /// The key that the next answer uses; nil without keys.
    public var answerKey: PairwiseKeyNumber? {
        let candidates = candidates
        return candidates.isEmpty ? nil : candidates[Int(turn) % candidates.count]
    }

    /// Whether a further first contact must be refused.
    public var isFull: Bool { keys.count >= Self.keyLimit }

    /// Adds the key of a first contact to which this user has agreed, with the number after `highest`, which is not below
    /// that of a kept key; returns its number, or nil when none is left.
    mutating func consent(after highest: PairwiseKeyNumber?) -> PairwiseKeyNumber? {
        let (next, overflow) = (highest?.rawValue ?? 0).addingReportingOverflow(1)
        guard !overflow else { return nil }
        let key = PairwiseKeyNumber(rawValue: next)
        keys.append(key)
        standing = max(standing, .waiting)
        turn = 0
        return key
    }

    /// Records that both users have accepted.
    mutating func bothAccepted() { standing = max(standing, .halfFinished) }

    /// Records that the other surely has a key.
    mutating func share(_ key: PairwiseKeyNumber) { shared = max(shared ?? key, key) }

    /// Records that a confirm handshake under a key has succeeded, or the session of the first contact that made it.
    mutating func succeed(_ key: PairwiseKeyNumber) {
        share(key)
        bothAccepted()
        keys.removeAll { $0 < key }
        turn = 0
    }

    /// Drops a key that the other has declined, and the contact with its last key.
    mutating func drop(_ key: PairwiseKeyNumber) {
        keys.removeAll { $0 == key }
        turn = 0
        if keys.isEmpty, standing == .waiting { self = Agreement() }
    }

    /// Records the end of a grant that is about to be sent.
    mutating func granting(until end: Period) { grantedUntil = max(grantedUntil ?? end, end) }
}
