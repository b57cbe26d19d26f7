public import InklingKeys

/// The first record of each side, which lists the cards and grants that the sender holds (`Specs/records.md`).
public struct Hello: Hashable, Sendable {
    /// A grant of the receiver that the sender holds.
    public struct GrantReport: Hashable, Sendable {
        /// The audience of the grant.
        public let audience: AudienceID
        /// The generation of the audience's root, from 1.
        public let generation: UInt32
        /// The last period that the grant covers.
        public let to: Period

        /// Creates an entry.
        public init(audience: AudienceID, generation: UInt32, to: Period) {
            self.audience = audience
            self.generation = generation
            self.to = to
        }
    }

    /// The maximum number of entries.
    public static let grantLimit = 5

    /// The serial number of the sender's own card, from 1.
    public let ownSerial: UInt32
    /// The serial number of the receiver's card that the sender holds; 0 for none.
    public let peerSerial: UInt32
    /// The grants of the receiver that the sender holds; at most `grantLimit`, no audience twice.
    public let grants: [GrantReport]

    /// Creates a HELLO to send.
    ///
    /// - Throws: `HelloError` if the receiver would refuse it.
    public init(ownSerial: UInt32, peerSerial: UInt32, grants: [GrantReport]) throws(HelloError) {
        guard grants.count <= Self.grantLimit else { throw .tooMany }
        guard ownSerial > 0, grants.allSatisfy({ $0.generation > 0 }) else { throw .outOfRange }
        guard Set(grants.map(\.audience)).count == grants.count else { throw .repeatedAudience }
        self.ownSerial = ownSerial
        self.peerSerial = peerSerial
        self.grants = grants
    }

    /// Parses the body of a record.
    ///
    /// - Throws: `HelloError`, the first row of the table in `Specs/records.md` that applies.
    public init(parsing body: Span<UInt8>) throws(HelloError) {
        var fields = ByteReader()
        guard let ownSerial = fields.u32(of: body), let peerSerial = fields.u32(of: body),
            let count = fields.u8(of: body)
        else { throw .truncated }
        guard count <= Self.grantLimit else { throw .tooMany }
        guard fields.remaining(of: body) == 16 * Int(count) else { throw .wrongLength }
        var grants: [GrantReport] = []
        for _ in 0..<count {
            guard let audience = fields.u64(of: body), let generation = fields.u32(of: body),
                let last = fields.u32(of: body)
            else { throw .wrongLength }
            guard let to = Period(last) else { throw .outOfRange }
            grants.append(GrantReport(audience: AudienceID(audience), generation: generation, to: to))
        }
        try self.init(ownSerial: ownSerial, peerSerial: peerSerial, grants: grants)
    }

    /// The record to send.
    public var record: Record {
        Record(.hello) { append(to: &$0) }
    }

    /// Appends the body of the record.
    public func append(to sink: inout some ByteSink & ~Copyable) {
        sink.append(u32: ownSerial)
        sink.append(u32: peerSerial)
        sink.append(u8: UInt8(truncatingIfNeeded: grants.count))
        for grant in grants {
            sink.append(u64: grant.audience.value)
            sink.append(u32: grant.generation)
            sink.append(u32: grant.to.number)
        }
    }
}

/// The reason a HELLO is refused (`Specs/records.md`).
public enum HelloError: String, Refusal {
    /// The body is shorter than its fixed fields.
    case truncated = "truncated"
    /// There are more entries than `Hello.grantLimit`.
    case tooMany = "too-many"
    /// The length of the body does not match the number of entries.
    case wrongLength = "wrong-length"
    /// The sender's own serial number or a generation is 0, or a period is after the end of the tree.
    case outOfRange = "out-of-range"
    /// Two entries have the same audience.
    case repeatedAudience = "repeated-audience"

    public var stage: String { "hello" }
    public var reason: String { rawValue }
}
