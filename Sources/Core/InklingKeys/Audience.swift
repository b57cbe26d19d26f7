/// The id of an audience: eight random bytes, the same in every generation of the audience.
public struct AudienceID: Hashable, Sendable, Comparable, LosslessStringConvertible,
    ExpressibleByIntegerLiteral
{
    /// The bytes as a number, most significant first.
    public let value: UInt64

    /// Creates an id from a number.
    public init(_ value: UInt64) { self.value = value }

    public init(integerLiteral value: UInt64) { self.value = value }

    /// Creates an id from exactly 16 lowercase hexadecimal digits; returns nil for any other text.
    public init?(_ text: String) {
        guard let value = number(ofLowercaseHex: text, digits: 16) else { return nil }
        self.value = value
    }

    /// The 16 hexadecimal digits.
    public var description: String { hexDigits(value) }

    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

extension AudienceID: Codable {
    public init(from decoder: any Decoder) throws { self = try decoder.single { (text: String) in AudienceID(text) } }

    public func encode(to encoder: any Encoder) throws { try encoder.single(description) }
}

/// A group audience as its owner stores it. Contacts that hold a grant from `tree` recognise the owner's devices.
public struct Audience: Sendable {
    /// The id, which is part of every grant.
    public var id: AudienceID
    /// The generation of the root, from 1. Readers refuse a grant of a lower generation than the one they hold.
    public var generation: UInt32
    /// The keys that have not been erased.
    public var tree: SecretBox<AudienceTree>
    /// The owner's own name for the audience, which never leaves the device; empty for that of all contacts.
    public var name: String
    /// The audience whose members include those of this one; nil if only that of all contacts does.
    public var within: AudienceID?

    /// Creates an audience from its stored parts.
    public init(
        id: AudienceID, generation: UInt32, tree: SecretBox<AudienceTree>, name: String = "", within: AudienceID? = nil
    ) {
        self.id = id
        self.generation = generation
        self.tree = tree
        self.name = name
        self.within = within
    }

    /// Creates an audience with a new id and a fresh root, whose keys begin at `period`.
    ///
    /// The generation is the number of the period, which grows as long as the clock is right.
    public init(from period: Period, using generator: inout some RandomNumberGenerator) {
        self.init(id: 0, generation: max(1, period.number), from: period, using: &generator)
        id = AudienceID(generator.next())
    }

    /// Creates a generation of an audience with a fresh root, whose keys begin at `period`.
    public init(
        id: AudienceID, generation: UInt32, from period: Period, using generator: inout some RandomNumberGenerator
    ) {
        var tree = AudienceTree(root: SecretBytes(count: keyByteCount, from: &generator))
        tree.forget(before: period)
        self.init(id: id, generation: generation, tree: SecretBox(tree))
    }

    /// Returns the next generation of the audience, whose keys begin at `period`; it keeps its id and its name.
    ///
    /// `period` is the current one. A generation more than 24 above it was begun by a clock that was ahead, and no
    /// contact accepts it, so the next one does not count from it (INK-GRA-006).
    ///
    /// A restored copy may not know the latest generation. The number of the period is never below a contact's
    /// generation, and `lead` puts the next one further ahead, so that two restored copies do not begin the same one.
    public func renewed(
        from period: Period, ahead lead: UInt32 = 0, using generator: inout some RandomNumberGenerator
    ) -> Audience {
        let previous = Grant.counts(generation, now: period) ? generation : 0
        var next = Audience(
            id: id, generation: max(previous + 1, period.number &+ lead), from: period, using: &generator)
        next.name = name
        next.within = within
        return next
    }

    /// Creates a grant that lets one user recognise the owner's devices from one period to another.
    ///
    /// - Throws: the errors of `Grant.init(issuer:audience:generation:of:from:to:certificates:grantee:)`.
    public func grant(
        from: Period, to: Period, certificates: [DeviceCertificate], to grantee: UserID,
        issuer: borrowing IdentityKey
    ) throws(GrantError) -> Grant {
        try Grant(
            issuer: issuer, audience: id, generation: generation, of: tree.value, from: from, to: to,
            certificates: certificates, grantee: grantee)
    }
}
