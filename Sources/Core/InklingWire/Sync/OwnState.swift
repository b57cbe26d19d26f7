public import InklingKeys

/// A message between the devices of one user in a STATE record (`Specs/records.md`): the primary device sends the
/// state, and another device acknowledges the state that it has stored.
public enum OwnState: Sendable {
    /// The certificate of the receiving device, encoded.
    case certificate([UInt8])
    /// The keys of one of the user's audiences, from now on.
    case audience(AudienceID, generation: UInt32, tree: SecretBox<AudienceTree>)
    /// A contact: its pairwise key, the pair audiences in both directions from now on, and its encoded card.
    case contact(
        pairwiseKey: SecretBox<SecretBytes>, shown: SecretBox<AudienceTree>, expected: SecretBox<AudienceTree>,
        card: [UInt8])
    /// A grant that the user has received from the contact with this identity key.
    case receivedGrant(issuer: Octets32, ReceivedTerms, tree: SecretBox<AudienceTree>)
    /// A grant to a contact that the primary device has signed, to be passed on.
    case grant(SecretBox<SecretBytes>)
    /// The number that the primary device gives to the whole state; 0 for none. The primary device ends the state with
    /// it, and the other device reports the one that it has stored.
    case mark(UInt64)
    /// The user's decision about the contact with this identity key.
    case standing(identity: Octets32, Decision)
    /// More of the state is ready, or is requested.
    case more

    /// The user's decision about a contact.
    public struct Decision: Hashable, Sendable {
        /// Whether the contact is blocked.
        public let isBlocked: Bool
        /// Whether the contact's grants are not renewed.
        public let isLapsing: Bool
        /// The keys of the contact's devices that are revoked, at most 16.
        public let revokedDevices: [Octets32]

        /// Creates a decision.
        public init(isBlocked: Bool, isLapsing: Bool, revokedDevices: [Octets32]) {
            self.isBlocked = isBlocked
            self.isLapsing = isLapsing
            self.revokedDevices = revokedDevices
        }
    }

    /// The terms of a received grant.
    public struct ReceivedTerms: Hashable, Sendable {
        /// The contact's audience.
        public let audience: AudienceID
        /// The generation of the audience's root, from 1.
        public let generation: UInt32
        /// The last period of the grant.
        public let to: Period
        /// The contact's devices that the grant names: bit d stands for device d.
        public let devices: UInt16

        /// Creates terms.
        public init(audience: AudienceID, generation: UInt32, to: Period, devices: UInt16) {
            self.audience = audience
            self.generation = generation
            self.to = to
            self.devices = devices
        }
    }

    /// The most nodes of a tree in a record: those of the cover of any interval that a device needs from now on.
    public static let nodeLimit = 20
    private static let blockedBit: UInt8 = 1
    private static let lapsingBit: UInt8 = 2
    /// The longest grant in bytes: with sixteen devices and `nodeLimit` nodes.
    static let grantLimit = 136 + 16 * DeviceCertificate.byteCount + nodeLimit * 37

    /// Parses the body of a record.
    ///
    /// - Throws: `OwnStateError`, the first row of the table in `Specs/records.md` that applies.
    public init(parsing body: Span<UInt8>) throws(OwnStateError) {
        var fields = ByteReader()
        guard let tag = fields.u8(of: body) else { throw .truncated }
        switch tag {
        case 1:
            guard body.count == 1 + DeviceCertificate.byteCount else { throw .wrongLength }
            self = .certificate(body.extracting(1...).bytes)
        case 2:
            guard let audience = fields.u64(of: body), let generation = fields.u32(of: body) else { throw .truncated }
            guard generation > 0 else { throw .outOfRange }
            let tree = try fields.tree(of: body)
            guard fields.remaining(of: body) == 0 else { throw .wrongLength }
            self = .audience(AudienceID(audience), generation: generation, tree: tree)
        case 3:
            guard let place = fields.skip(keyByteCount, of: body) else { throw .truncated }
            let key = SecretBox(SecretBytes(copying: body.extracting(place)))
            let shown = try fields.tree(of: body)
            let expected = try fields.tree(of: body)
            let card = body.extracting(fields.offset...)
            guard (1...ContactCard.byteLimit).contains(card.count) else { throw .wrongLength }
            self = .contact(pairwiseKey: key, shown: shown, expected: expected, card: card.bytes)
        case 4:
            guard let issuer = fields.octets32(of: body), let audience = fields.u64(of: body),
                let generation = fields.u32(of: body), let last = fields.u32(of: body),
                let devices = fields.u16(of: body)
            else { throw .truncated }
            guard generation > 0, devices > 0, let to = Period(last) else { throw .outOfRange }
            let tree = try fields.tree(of: body)
            guard fields.remaining(of: body) == 0 else { throw .wrongLength }
            let terms = ReceivedTerms(
                audience: AudienceID(audience), generation: generation, to: to, devices: devices)
            self = .receivedGrant(issuer: issuer, terms, tree: tree)
        case 5:
            guard body.count > 1 else { throw .truncated }
            guard body.count <= 1 + Self.grantLimit else { throw .wrongLength }
            self = .grant(SecretBox(SecretBytes(copying: body.extracting(1...))))
        case 6:
            guard let mark = fields.u64(of: body) else { throw .truncated }
            guard fields.remaining(of: body) == 0 else { throw .wrongLength }
            self = .mark(mark)
        case 7:
            guard let identity = fields.octets32(of: body), let flags = fields.u8(of: body),
                let count = fields.u8(of: body)
            else { throw .truncated }
            guard count <= DeviceIndex.limit else { throw .outOfRange }
            var revoked: [Octets32] = []
            for _ in 0..<count {
                guard let key = fields.octets32(of: body) else { throw .truncated }
                revoked.append(key)
            }
            guard fields.remaining(of: body) == 0 else { throw .wrongLength }
            self = .standing(
                identity: identity,
                Decision(
                    isBlocked: flags & Self.blockedBit != 0, isLapsing: flags & Self.lapsingBit != 0,
                    revokedDevices: revoked))
        case 8:
            guard body.count == 1 else { throw .wrongLength }
            self = .more
        default: throw .unknownTag
        }
    }

    /// Returns the record to send.
    ///
    /// - Throws: `OwnStateError.nodes` when a tree has more than `nodeLimit` nodes, `.wrongLength` when the body is too long.
    public func record() throws(OwnStateError) -> Record {
        var body = SecretWriter()
        body.append(u8: tag)
        switch self {
        case .certificate(let bytes):
            body.append(bytes.span)
        case .audience(let audience, let generation, let tree):
            body.append(u64: audience.value)
            body.append(u32: generation)
            try body.append(tree)
        case .contact(let key, let shown, let expected, let card):
            key.value.withBytes { body.append($0) }
            try body.append(shown)
            try body.append(expected)
            body.append(card.span)
        case .receivedGrant(let issuer, let terms, let tree):
            body.append(issuer)
            body.append(u64: terms.audience.value)
            body.append(u32: terms.generation)
            body.append(u32: terms.to.number)
            body.append(u16: terms.devices)
            try body.append(tree)
        case .grant(let grant):
            grant.value.withBytes { body.append($0) }
        case .mark(let mark): body.append(u64: mark)
        case .standing(let identity, let decision):
            guard decision.revokedDevices.count <= Int(DeviceIndex.limit) else { throw .outOfRange }
            body.append(identity)
            body.append(
                u8: (decision.isBlocked ? Self.blockedBit : 0) | (decision.isLapsing ? Self.lapsingBit : 0))
            body.append(u8: UInt8(decision.revokedDevices.count))
            for key in decision.revokedDevices { body.append(key) }
        case .more: break
        }
        do { return try body.withBytes { body throws(RecordError) in try Record(.state, copying: body) } } catch {
            throw .wrongLength
        }
    }
}

extension OwnState {
    /// The number at the beginning of the body that identifies the case.
    public var tag: UInt8 {
        switch self {
        case .certificate: 1
        case .audience: 2
        case .contact: 3
        case .receivedGrant: 4
        case .grant: 5
        case .mark: 6
        case .standing: 7
        case .more: 8
        }
    }
}

extension SecretWriter {
    fileprivate mutating func append(_ tree: SecretBox<AudienceTree>) throws(OwnStateError) {
        let nodes = tree.value.nodes
        guard (1...OwnState.nodeLimit).contains(nodes.count) else { throw .nodes }
        append(u8: UInt8(nodes.count))
        tree.value.withKeyBytes { keys in
            for (index, node) in nodes.enumerated() {
                append(u8: node.depth)
                append(u32: node.prefix)
                append(keys.extracting(index * keyByteCount..<(index + 1) * keyByteCount))
            }
        }
    }
}

extension ByteReader {
    /// Reads 1 to 20 nodes that are exactly the cover of an interval.
    fileprivate mutating func tree(of body: Span<UInt8>) throws(OwnStateError) -> SecretBox<AudienceTree> {
        guard let count = u8(of: body) else { throw .truncated }
        guard (1...OwnState.nodeLimit).contains(Int(count)) else { throw .nodes }
        var nodes: [TreeNode] = []
        var keys = SecretWriter(capacity: Int(count) * keyByteCount)
        for _ in 0..<count {
            guard let depth = u8(of: body), let prefix = u32(of: body), let place = skip(keyByteCount, of: body) else {
                throw .truncated
            }
            guard let node = TreeNode(depth: depth, prefix: prefix) else { throw .nodes }
            nodes.append(node)
            keys.append(body.extracting(place))
        }
        guard let tree = AudienceTree(nodes: nodes, keys: keys.finish()) else { throw .nodes }
        return SecretBox(tree)
    }
}

extension Span<UInt8> {
    fileprivate var bytes: [UInt8] {
        var copy: [UInt8] = []
        copy.append(self)
        return copy
    }
}

/// The reason a STATE record is refused (`Specs/records.md`).
public enum OwnStateError: String, Refusal {
    /// The body ends before the end of a field.
    case truncated = "truncated"
    /// The tag is not defined.
    case unknownTag = "unknown-tag"
    /// A generation, a bitmap, a period or a count is out of range.
    case outOfRange = "out-of-range"
    /// A list of nodes is empty, too long, or not exactly the cover of an interval.
    case nodes = "nodes"
    /// The body has bytes after its last field, or its last field is too short or too long.
    case wrongLength = "wrong-length"

    public var stage: String { "state" }
    public var reason: String { rawValue }
}
