public import InklingKeys

/// Why bytes of Wi-Fi Aware were refused. Offsets count bytes from the start of what was read.
///
/// `stage` and `reason` are the codes of `Specs/wifi-aware.md`.
public enum WiFiAwareError: Refusal, Hashable {
    /// An optional field of a descriptor.
    public enum Field: String, Sendable {
        /// The bitmap that binds the descriptor to others.
        case bindingBitmap = "binding-bitmap"
        /// What a subscriber must show to match.
        case matchingFilter = "matching-filter"
        /// Which devices are to answer.
        case responseFilter = "response-filter"
        /// The service's own bytes; ours hold the rotating name.
        case serviceInfo = "service-info"
    }

    /// A body of more than `WiFiAwareFrame.byteLimit` bytes.
    case frameTooLong(count: Int)
    /// A body of `count` bytes, too few to say what it is.
    case truncatedFrame(count: Int)
    /// Another kind of frame: the normal case for what strangers send.
    case notServiceDiscovery
    /// The attribute at `offset` reaches past the end.
    case truncatedAttribute(offset: Int)
    /// A descriptor of `count` bytes, which ends before its control byte.
    case truncatedDescriptor(count: Int)
    /// An attribute with another number.
    case notDescriptor(type: UInt8)
    /// An attribute of `count` bytes that says its content has `got`.
    case descriptorLength(count: Int, got: Int)
    /// The service identifier is a keyed hash that only paired devices can compare.
    case randomizedService
    /// Neither publish nor subscribe nor follow-up.
    case unknownRole
    /// The field reaches past the end of the descriptor.
    case truncatedField(Field)
    /// The value at `offset` of the matching filter reaches past its end.
    case badFilterValue(offset: Int)
    /// A response filter without flags, or a Bloom filter without bits.
    case emptyResponseFilter
    /// A response filter of `count` bytes, whose list of addresses holds a part of one.
    case responseFilterLength(count: Int)
    /// The content goes on at `offset`, after its last field.
    case trailingBytes(offset: Int)
    /// An extension of `count` bytes, which ends before a field that it announces.
    case truncatedExtension(count: Int)
    /// An extension with `count` bytes of service info, which says that it has `got`.
    case extensionLength(count: Int, got: Int)
    /// The descriptor at `offset` offers our service without a name.
    case noName(offset: Int)
    /// The descriptor at `offset` offers our service under a name of `count` bytes.
    case nameLength(offset: Int, count: Int)
    /// The descriptor at `offset` offers our service a second time.
    case repeatedName(offset: Int)
    /// A descriptor to be encoded has the instance number 0.
    case zeroInstance
    /// A field to be encoded needs `count` bytes, more than its length byte can say.
    case fieldTooLong(Field, count: Int)

    /// The part of the format that refused.
    public var stage: String {
        switch self {
        case .frameTooLong, .truncatedFrame, .notServiceDiscovery: "frame"
        case .truncatedAttribute: "attributes"
        case .truncatedDescriptor, .notDescriptor, .descriptorLength, .randomizedService, .unknownRole,
            .trailingBytes, .zeroInstance:
            "descriptor"
        case .truncatedField(let field), .fieldTooLong(let field, _): field.rawValue
        case .badFilterValue: Field.matchingFilter.rawValue
        case .emptyResponseFilter, .responseFilterLength: Field.responseFilter.rawValue
        case .truncatedExtension, .extensionLength: "extension"
        case .noName, .nameLength, .repeatedName: "name"
        }
    }

    /// What was wrong there.
    public var reason: String {
        switch self {
        case .frameTooLong, .fieldTooLong: "too-long"
        case .truncatedFrame, .truncatedAttribute, .truncatedDescriptor, .truncatedField, .truncatedExtension:
            "truncated"
        case .notServiceDiscovery: "not-service-discovery"
        case .notDescriptor: "not-descriptor"
        case .descriptorLength, .responseFilterLength, .extensionLength, .nameLength: "bad-length"
        case .randomizedService: "randomized"
        case .unknownRole: "unknown-role"
        case .badFilterValue: "bad-value"
        case .emptyResponseFilter: "empty"
        case .trailingBytes: "trailing-bytes"
        case .noName: "absent"
        case .repeatedName: "repeated"
        case .zeroInstance: "zero-instance"
        }
    }
}
