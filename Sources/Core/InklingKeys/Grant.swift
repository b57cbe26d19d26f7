/// A signed permission for one user to recognise another user's devices in an interval of periods (`Specs/grants.md`).
public struct Grant: Sendable {
    /// The maximum number of periods that a grant can cover (93 days).
    public static let longestSpan: UInt32 = 2232
    /// The maximum number of nodes in a grant.
    public static let nodeLimit = 20
    /// The length of a grant without certificates and nodes, in bytes.
    static let fixedByteCount = 136
    /// The length of one node in bytes.
    static let nodeByteCount = 37
    /// The maximum length of a grant in bytes.
    public static let byteLimit =
        fixedByteCount + 16 * DeviceCertificate.byteCount + nodeLimit * nodeByteCount
    /// The maximum number of periods by which the start of a grant, and its generation, may exceed the reader's period.
    static let lead: UInt32 = 24

    /// The public identity key of the user who signs the grant.
    public let issuer: Octets32
    /// The audience whose keys the grant contains.
    public let audience: AudienceID
    /// The generation of the audience's root, from 1.
    public let generation: UInt32
    /// The first and the last period that the grant covers.
    public let from: Period, to: Period
    /// The certificates of the issuer's devices, by ascending device index.
    public let certificates: [DeviceCertificate]
    /// The keys of exactly the periods `from` to `to`.
    public let tree: SecretBox<AudienceTree>
    /// The only user who can use the grant.
    public let grantee: UserID

    /// Creates a grant with keys from the tree of an audience.
    ///
    /// - Throws: `GrantError.tooLong` for more than `longestSpan` periods, `.reversed` if `to` is before `from`,
    ///   `.notHeld` if the tree does not hold every period, `.zeroGeneration`, and `.certificates` for a list that
    ///   readers would refuse.
    public init(
        issuer: borrowing IdentityKey, audience: AudienceID, generation: UInt32, of tree: borrowing AudienceTree,
        from: Period, to: Period, certificates: [DeviceCertificate], grantee: UserID
    ) throws(GrantError) {
        guard from <= to else { throw .reversed }
        guard to.number - from.number < Self.longestSpan else { throw .tooLong }
        guard generation > 0 else { throw .zeroGeneration }
        do { try DeviceCertificate.check(certificates, presence: nil) } catch { throw .certificates(error) }
        guard let part = tree.constrained(from: from, to: to) else { throw .notHeld }
        self.issuer = issuer.publicKey
        self.audience = audience
        self.generation = generation
        self.from = from
        self.to = to
        self.certificates = certificates
        self.tree = SecretBox(part)
        self.grantee = grantee
    }

    /// Returns the encoded grant with its signature. The bytes are secret: with them, anyone can recognise the issuer.
    public func signed(by identity: borrowing IdentityKey) -> SecretBytes {
        var writer = SecretWriter(capacity: Self.byteLimit)
        writer.append(u8: 1)
        writer.append(issuer)
        writer.append(u64: audience.value)
        writer.append(u32: generation)
        writer.append(u32: from.number)
        writer.append(u32: to.number)
        writer.append(u16: DeviceCertificate.bitmap(of: certificates))
        for certificate in certificates { certificate.append(to: &writer) }
        let nodes = tree.value.nodes
        writer.append(u8: UInt8(truncatingIfNeeded: nodes.count))
        tree.value.withKeyBytes { keys in
            for (index, node) in nodes.enumerated() {
                writer.append(u8: node.depth)
                writer.append(u32: node.prefix)
                writer.append(keys.extracting(index * keyByteCount..<(index + 1) * keyByteCount))
            }
        }
        writer.append(grantee.octets)
        let message = writer.withBytes { Self.message($0) }
        let signature = message.withBytes { identity.sign($0) }
        writer.append(signature.span)
        return writer.finish()
    }

    /// Parses a grant.
    ///
    /// `expected` is the identity key of the contact that should have issued the grant, `reader` the reader's own user
    /// id, `now` the current period, and `heldGeneration` the generation that the reader already holds for this
    /// audience, or 0.
    /// - Throws: `GrantError`, the first row of the table in `Specs/grants.md` that applies.
    public init(
        parsing input: Span<UInt8>, issuer expected: Octets32, grantee reader: UserID, now: Period,
        heldGeneration: UInt32
    ) throws(GrantError) {
        guard input.count >= Self.fixedByteCount else { throw .tooShort }
        var fields = ByteReader()
        guard let version = fields.u8(of: input), let issuer = fields.octets32(of: input),
            let audience = fields.u64(of: input), let generation = fields.u32(of: input),
            let first = fields.u32(of: input), let last = fields.u32(of: input), let bitmap = fields.u16(of: input),
            let certificateBytes = fields.skip(bitmap.nonzeroBitCount * DeviceCertificate.byteCount, of: input),
            let nodeCount = fields.u8(of: input)
        else { throw .tooShort }
        guard (1...Self.nodeLimit).contains(Int(nodeCount)) else { throw .nodeCount }
        guard let nodeBytes = fields.skip(Int(nodeCount) * Self.nodeByteCount, of: input),
            let grantee = fields.octets16(of: input)
        else { throw .tooShort }
        let signed = input.extracting(first: fields.offset)
        guard let signature = fields.skip(IdentityKey.signatureByteCount, of: input) else { throw .tooShort }
        guard fields.remaining(of: input) == 0 else { throw .tooLongInput }
        guard version == 1 else { throw .unknownVersion }
        guard issuer == expected else { throw .unknownIssuer }
        let isSigned = Self.message(signed).withBytes { message in
            isValidSignature(input.extracting(signature), of: message, by: issuer)
        }
        guard isSigned else { throw .invalidSignature }
        guard UserID(grantee) == reader else { throw .notOurs }
        (from, to) = try Self.interval(from: first, to: last, now: now)
        tree = SecretBox(try Self.tree(parsing: input.extracting(nodeBytes), from: from, to: to))
        do {
            certificates = try DeviceCertificate.list(
                parsing: input.extracting(certificateBytes), bitmap: bitmap, issuer: issuer, presence: nil, now: now)
        } catch {
            throw .certificates(error)
        }
        guard generation > 0 else { throw .zeroGeneration }
        guard generation >= heldGeneration || !Self.counts(heldGeneration, now: now) else { throw .olderGeneration }
        guard Self.counts(generation, now: now) else { throw .generationTooFar }
        self.issuer = issuer
        self.audience = AudienceID(audience)
        self.generation = generation
        self.grantee = reader
    }

    /// Returns whether a generation counts in period `now`, as `INK-GRA-006`, `INK-GRA-019` and `INK-GRA-022` say.
    ///
    /// A generation more than 24 above the period was begun by a clock that was ahead, and counts as none.
    package static func counts(_ generation: UInt32, now: Period) -> Bool { generation <= now.number + lead }

    private static func interval(
        from: UInt32, to: UInt32, now: Period
    ) throws(GrantError) -> (from: Period, to: Period) {
        guard from <= to else { throw .reversed }
        guard to - from < longestSpan else { throw .tooLong }
        guard let first = Period(from), let last = Period(to) else { throw .outOfTree }
        guard from <= now.number + lead else { throw .notYet }
        guard last >= now else { throw .ended }
        return (first, last)
    }

    private static func tree(
        parsing nodes: Span<UInt8>, from: Period, to: Period
    ) throws(GrantError) -> AudienceTree {
        let cover = TreeNode.cover(from: from, to: to)
        guard nodes.count == cover.count * nodeByteCount else { throw .notCanonical }
        var fields = ByteReader()
        var keys = SecretWriter(capacity: cover.count * keyByteCount)
        for node in cover {
            guard fields.u8(of: nodes) == node.depth, fields.u32(of: nodes) == node.prefix,
                let key = fields.skip(keyByteCount, of: nodes)
            else { throw .notCanonical }
            keys.append(nodes.extracting(key))
        }
        guard let tree = AudienceTree(nodes: cover, keys: keys.finish()) else { throw .notCanonical }
        return tree
    }

    /// Returns the audience id in the bytes of a grant, without checking anything else; nil if the bytes end before it.
    /// The caller uses it to find the held generation for `init(parsing:issuer:grantee:now:heldGeneration:)`.
    package static func audience(ofUnverified input: Span<UInt8>) -> AudienceID? {
        var reader = ByteReader(at: 33)
        return reader.u64(of: input).map { AudienceID($0) }
    }

    /// The terms of a grant, as its bytes state them.
    package struct Terms: Hashable, Sendable {
        package let audience: AudienceID
        package let generation: UInt32
        package let to: UInt32
        package let devices: UInt16
    }

    /// Returns the terms in the bytes of a grant, without checking anything else; nil if the bytes end before them.
    package static func terms(ofUnverified input: Span<UInt8>) -> Terms? {
        var reader = ByteReader(at: 33)
        guard let audience = reader.u64(of: input), let generation = reader.u32(of: input),
            reader.u32(of: input) != nil, let to = reader.u32(of: input), let devices = reader.u16(of: input)
        else { return nil }
        return Terms(audience: AudienceID(audience), generation: generation, to: to, devices: devices)
    }

    private static func message(_ body: Span<UInt8>) -> SecretBytes {
        var writer = SecretWriter(capacity: body.count + 32)
        writer.append(DerivationLabel.grant)
        writer.append(u8: 0)
        writer.append(body)
        return writer.finish()
    }
}

/// The reason a grant is refused (`Specs/grants.md`) or cannot be created.
public enum GrantError: Refusal, Hashable {
    /// The input is shorter than the fixed fields, or than the bitmap and the number of nodes announce.
    case tooShort
    /// The number of nodes is 0 or above `Grant.nodeLimit`.
    case nodeCount
    /// The input is longer than the bitmap and the number of nodes announce.
    case tooLongInput
    /// The version is not 1.
    case unknownVersion
    /// The issuer is not the expected contact.
    case unknownIssuer
    /// The signature was not made with the issuer's identity key.
    case invalidSignature
    /// The grant is for another user.
    case notOurs
    /// The last period is before the first.
    case reversed
    /// The grant covers more than `Grant.longestSpan` periods.
    case tooLong
    /// The last period is after the end of the tree in 2089.
    case outOfTree
    /// The first period is more than 24 periods after the current one.
    case notYet
    /// The last period is before the current one.
    case ended
    /// The nodes are not exactly the cover of the periods.
    case notCanonical
    /// The list of device certificates is refused.
    case certificates(CertificateError)
    /// The generation is 0; generations count from 1.
    case zeroGeneration
    /// The reader already holds a later generation of the audience.
    case olderGeneration
    /// The generation is more than 24 above the number of the current period.
    case generationTooFar
    /// The issuer's own tree does not hold every period of the interval; thrown only when a grant is created.
    case notHeld

    public var stage: String {
        switch self {
        case .tooShort, .nodeCount, .tooLongInput: "length"
        case .unknownVersion: "version"
        case .unknownIssuer: "issuer"
        case .invalidSignature: "signature"
        case .notOurs: "grantee"
        case .reversed, .tooLong, .outOfTree, .notYet, .ended, .notHeld: "interval"
        case .notCanonical: "cover"
        case .certificates(let error): error.stage
        case .zeroGeneration, .olderGeneration, .generationTooFar: "generation"
        }
    }

    public var reason: String {
        switch self {
        case .tooShort: "too-short"
        case .nodeCount: "node-count"
        case .tooLongInput, .tooLong: "too-long"
        case .unknownVersion, .unknownIssuer: "unknown"
        case .invalidSignature: "invalid"
        case .notOurs: "not-ours"
        case .reversed: "reversed"
        case .outOfTree: "out-of-tree"
        case .notYet: "not-yet"
        case .ended: "ended"
        case .notCanonical: "not-canonical"
        case .certificates(let error): error.reason
        case .zeroGeneration: "zero"
        case .olderGeneration: "older"
        case .generationTooFar: "too-far"
        case .notHeld: "not-held"
        }
    }
}
