internal import InklingKeys

/// The reason why stored contents cannot be parsed.
public struct VaultContentsError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The offset of the invalid field, in bytes.
    public let offset: Int
    /// The fault of the field.
    public let reason: Reason

    /// The possible faults of a field.
    public enum Reason: Hashable, Sendable, Codable {
        /// The contents end before the end of the field.
        case truncated
        /// There are bytes after the last field.
        case trailing
        /// The version of the contents is unknown.
        case version(UInt16)
        /// The field has an unknown tag, or a reserved bit is set.
        case tag
        /// A count or a number is out of range.
        case count
        /// The text is not UTF-8.
        case text
        /// The nodes do not form a cover, or are not in order.
        case tree
        /// An element that may occur once occurs twice.
        case duplicate

        private enum VersionCodingKeys: String, CodingKey { case _0 = "version" }
    }

    /// The reason and the offset.
    public var description: String { "\(reason) at byte \(offset)" }
}

/// A position in stored contents. Every read checks that enough bytes are left and moves the position past them.
struct ContentsCursor {
    private(set) var offset = 0

    /// Returns an error about the field of `count` bytes that ends here.
    func fault(_ reason: VaultContentsError.Reason, back count: Int = 0) -> VaultContentsError {
        VaultContentsError(offset: offset - count, reason: reason)
    }

    /// Skips `count` bytes and returns their range.
    mutating func take(_ count: Int, of bytes: Span<UInt8>) throws(VaultContentsError) -> Range<Int> {
        guard count <= bytes.count - offset else { throw fault(.truncated) }
        defer { offset += count }
        return offset..<offset + count
    }

    /// Reads an unsigned big-endian number with the width of its type.
    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type = Number.self, of bytes: Span<UInt8>
    ) throws(VaultContentsError) -> Number {
        let width = Number.bitWidth / 8
        let place = try take(width, of: bytes)
        return Number(truncatingIfNeeded: bytes.bigEndian(at: place.lowerBound, count: width))
    }

    /// Reads a number, and rejects one outside `bounds`.
    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ bounds: ClosedRange<Number>, of bytes: Span<UInt8>
    ) throws(VaultContentsError) -> Number {
        let value = try number(Number.self, of: bytes)
        guard bounds.contains(value) else { throw fault(.count, back: Number.bitWidth / 8) }
        return value
    }

    /// Reads the byte that tells whether an optional field follows.
    mutating func presence(of bytes: Span<UInt8>) throws(VaultContentsError) -> Bool {
        let tag = try number(UInt8.self, of: bytes)
        guard tag <= 1 else { throw fault(.tag, back: 1) }
        return tag == 1
    }

    /// Reads a byte of flags, and rejects one with a bit outside `known`.
    mutating func flags(known: UInt8, of bytes: Span<UInt8>) throws(VaultContentsError) -> UInt8 {
        let flags = try number(UInt8.self, of: bytes)
        guard flags & ~known == 0 else { throw fault(.tag, back: 1) }
        return flags
    }

    /// Reads a secret of 32 bytes.
    mutating func key(of bytes: Span<UInt8>) throws(VaultContentsError) -> SecretBytes {
        SecretBytes(copying: bytes.extracting(try take(keyByteCount, of: bytes)))
    }

    /// Reads 16 public bytes.
    mutating func octets16(of bytes: Span<UInt8>) throws(VaultContentsError) -> Octets16 {
        let high = try number(UInt64.self, of: bytes)
        return Octets16(high: high, low: try number(UInt64.self, of: bytes))
    }

    /// Reads 32 public bytes.
    mutating func octets32(of bytes: Span<UInt8>) throws(VaultContentsError) -> Octets32 {
        let first = try octets16(of: bytes)
        return Octets32(first: first, second: try octets16(of: bytes))
    }

    /// Reads at most `limit` public bytes after a length of two bytes.
    mutating func block(limit: UInt16, of bytes: Span<UInt8>) throws(VaultContentsError) -> [UInt8] {
        let count = try number(0...limit, of: bytes)
        var block: [UInt8] = []
        block.append(bytes.extracting(try take(Int(count), of: bytes)))
        return block
    }

    /// Reads at most `limit` bytes of UTF-8 text after a length of one byte.
    mutating func text(limit: UInt8, of bytes: Span<UInt8>) throws(VaultContentsError) -> String {
        let count = try number(0...limit, of: bytes)
        var block: [UInt8] = []
        block.append(bytes.extracting(try take(Int(count), of: bytes)))
        guard let text = String(validating: block, as: UTF8.self) else { throw fault(.text, back: block.count) }
        return text
    }

    /// Reads the number of a period.
    mutating func period(of bytes: Span<UInt8>) throws(VaultContentsError) -> Period {
        guard let period = Period(try number(of: bytes)) else { throw fault(.count, back: 4) }
        return period
    }

    /// Reads the number of an epoch.
    mutating func epoch(of bytes: Span<UInt8>) throws(VaultContentsError) -> Epoch {
        guard let epoch = Epoch(try number(of: bytes)) else { throw fault(.count, back: 4) }
        return epoch
    }

    /// Reads a tree: a count, nodes that form a cover, and their keys.
    mutating func tree(of bytes: Span<UInt8>) throws(VaultContentsError) -> SecretBox<AudienceTree> {
        let start = offset
        let count = try number(1...VaultContents.maximumNodes, of: bytes)
        var nodes: [TreeNode] = []
        for _ in 0..<count {
            let depth: UInt8 = try number(of: bytes)
            guard let node = TreeNode(depth: depth, prefix: try number(of: bytes)) else {
                throw fault(.tree, back: 5)
            }
            nodes.append(node)
        }
        let keys = SecretBytes(copying: bytes.extracting(try take(nodes.count * keyByteCount, of: bytes)))
        guard let tree = AudienceTree(nodes: nodes, keys: keys) else {
            throw VaultContentsError(offset: start, reason: .tree)
        }
        return SecretBox(tree)
    }
}

extension SecretWriter {
    mutating func append(text: String, or bound: VaultContents.Bound) throws(VaultContents.Bound) {
        let bytes = Array(text.utf8)
        guard bytes.count <= VaultContents.maximumText else { throw bound }
        append(u8: UInt8(bytes.count))
        append(bytes.span)
    }

    mutating func append(card: [UInt8]) throws(VaultContents.Bound) {
        guard card.count <= VaultContents.maximumCard else { throw .card }
        append(u16: UInt16(card.count))
        append(card.span)
    }

    mutating func append(
        key: SecretBox<SecretBytes>, or bound: VaultContents.Bound
    ) throws(VaultContents.Bound) {
        guard key.value.count == keyByteCount else { throw bound }
        key.value.withBytes { append($0) }
    }

    mutating func append(optional value: UInt64?) {
        append(u8: value == nil ? 0 : 1)
        if let value { append(u64: value) }
    }

    mutating func append(tree: SecretBox<AudienceTree>) throws(VaultContents.Bound) {
        let nodes = tree.value.nodes
        guard let count = UInt8(exactly: nodes.count), (1...VaultContents.maximumNodes).contains(count) else {
            throw .tree
        }
        append(u8: count)
        for node in nodes {
            append(u8: node.depth)
            append(u32: node.prefix)
        }
        tree.value.withKeyBytes { append($0) }
    }
}

extension VaultContents {
    /// A limit of the stored contents; the error for contents that exceed it.
    public enum Bound: String, Error, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The display name has at most 64 bytes.
        case displayName
        /// The device key has 32 bytes.
        case noiseKey
        /// A card has at most 2,048 bytes.
        case card
        /// There are at most 8 audiences.
        case audiences
        /// There are at most 10,000 contacts.
        case contacts
        /// Each contact occurs once.
        case duplicateContact
        /// The user's own name for a contact has at most 64 bytes.
        case petname
        /// A pairwise key has 32 bytes.
        case pairwiseKey
        /// A contact has 1 to 4 pairwise keys, those that its agreement names.
        case pairwiseKeys
        /// At most 8 grants are stored for a contact.
        case grants
        /// A contact reports at most 8 grants.
        case reported
        /// A tree has 1 to 38 nodes.
        case tree
        /// The one contact to which the node shows itself exists.
        case visibility
        /// The one audience to which the node shows itself exists, and is not that of all contacts.
        case shownAudience
        /// The name of an audience has at most 64 bytes.
        case audienceName
        /// An audience comes after its enclosing one, which is not that of all contacts.
        case audienceOrder
        /// A contact is assigned to audiences of the user, each once, and not to that of all contacts.
        case assigned
        /// At most one grant of each audience is recorded as sent, and at least one for a former contact.
        case issued
        /// At most 16 devices of a contact are revoked.
        case revokedDevices
        /// There are at most 10,000 former contacts.
        case formerContacts
        /// There are at most 8,192 answered messages.
        case answeredMessages
        /// Only vouches known to this version are set.
        case vouches
        /// There are at most 80,000 grants to pass on and 10,000 pair audiences, and none is too long.
        case linked
        /// There are at most 15 other devices and 64 generations that they may show.
        case ownDevices
        /// The key of the counter has 32 bytes.
        case counterKey
        /// The key of the message store has 32 bytes.
        case messageKey
        /// The whole vault has at most 64 MiB.
        case total

        /// The violated rule, in words.
        public var description: String {
            switch self {
            case .displayName: "the display name is longer than 64 bytes"
            case .noiseKey: "the device key must be 32 bytes"
            case .card: "a card is longer than 2,048 bytes"
            case .audiences: "there are more than 8 audiences"
            case .contacts: "there are more than 10,000 contacts"
            case .duplicateContact: "a contact occurs twice"
            case .petname: "a name is longer than 64 bytes"
            case .pairwiseKey: "a pairwise key must be 32 bytes"
            case .pairwiseKeys: "a contact must have the 1 to 4 pairwise keys of its agreement"
            case .grants: "there are more than 8 grants of a contact"
            case .reported: "a contact reports more than 8 grants"
            case .tree: "a tree must have 1 to 38 nodes"
            case .visibility: "the node is visible to one contact that is none"
            case .shownAudience: "the node is visible to an audience that is none"
            case .audienceName: "the name of an audience is longer than 64 bytes"
            case .audienceOrder: "an audience must come after the one around it"
            case .assigned: "a contact is assigned to an audience that is none"
            case .issued: "at most one grant of each audience can have left"
            case .revokedDevices: "more than 16 devices of a contact are revoked"
            case .formerContacts: "there are more than 10,000 former contacts"
            case .answeredMessages: "there are more than 8,192 answered messages"
            case .vouches: "the operator vouches for something unknown"
            case .linked: "there are too many grants to pass on or pair audiences, or one is too long"
            case .ownDevices: "there are too many other devices, or generations that they may show"
            case .counterKey: "the key of the counter must be 32 bytes"
            case .messageKey: "the key of the message store must be 32 bytes"
            case .total: "the vault would be longer than 64 MiB"
            }
        }
    }
}
