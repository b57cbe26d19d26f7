public import InklingKeys

/// The reason a Wi-Fi Aware frame or attribute is refused. Offsets are in bytes from the start of the input.
///
/// `stage` and `reason` are the codes of `Specs/wifi-aware.md`.
public enum WiFiAwareError: Refusal, Hashable {
    /// An optional field of a descriptor.
    public enum Field: String, Sendable {
        /// The bitmap of the attributes that belong to the descriptor.
        case bindingBitmap = "binding-bitmap"
        /// The values that publisher and subscriber compare.
        case matchingFilter = "matching-filter"
        /// The devices that should respond.
        case responseFilter = "response-filter"
        /// The bytes that the service defines; for Inkling, the rotating name.
        case serviceInfo = "service-info"
    }

    /// The body is longer than `WiFiAwareFrame.byteLimit` bytes.
    case frameTooLong(count: Int)
    /// The body has `count` bytes, fewer than the header of a frame.
    case truncatedFrame(count: Int)
    /// The frame is of another kind, which is the normal case for frames of strangers.
    case notServiceDiscovery
    /// The attribute at `offset` extends past the end of the frame.
    case truncatedAttribute(offset: Int)
    /// The descriptor has `count` bytes and ends before its control byte.
    case truncatedDescriptor(count: Int)
    /// The attribute is of another type.
    case notDescriptor(type: UInt8)
    /// The attribute has `count` bytes, but its length field is `got`.
    case descriptorLength(count: Int, got: Int)
    /// The service identifier is a keyed hash that only paired devices can compare.
    case randomizedService
    /// The role is not publish, subscribe or follow-up.
    case unknownRole
    /// The field extends past the end of the descriptor.
    case truncatedField(Field)
    /// The value at `offset` of the matching filter extends past the end of the filter.
    case badFilterValue(offset: Int)
    /// The response filter has no flags, or is a Bloom filter without bits.
    case emptyResponseFilter
    /// The response filter has `count` bytes, which is not a whole number of addresses after the flags.
    case responseFilterLength(count: Int)
    /// There are more bytes at `offset`, after the last field.
    case trailingBytes(offset: Int)
    /// The extension has `count` bytes and ends before a field that it announces.
    case truncatedExtension(count: Int)
    /// The extension has `count` bytes of service info, but its length field is `got`.
    case extensionLength(count: Int, got: Int)
    /// The descriptor at `offset` publishes the Inkling service without a name.
    case noName(offset: Int)
    /// The descriptor at `offset` publishes the Inkling service with a name of `count` bytes.
    case nameLength(offset: Int, count: Int)
    /// The descriptor at `offset` publishes the Inkling service a second time.
    case repeatedName(offset: Int)
    /// A descriptor to encode has the instance number 0.
    case zeroInstance
    /// A field to encode has `count` bytes, more than its length byte can express.
    case fieldTooLong(Field, count: Int)

    /// The part of the format in which the error is.
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

    /// The kind of error.
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
