internal import InklingKeys

/// One attribute of a Wi-Fi Aware frame: its number and its content (`Specs/wifi-aware.md`).
public struct WiFiAwareAttribute: Hashable, Sendable {
    /// Number and length before each content.
    static let headerCount = 3
    /// The number of the Service Descriptor attribute.
    static let serviceDescriptor: UInt8 = 0x03

    /// What the content is, by the numbers of the Wi-Fi Aware specification.
    public let type: UInt8
    /// The content.
    public let content: [UInt8]
    /// Where the number stood, in bytes from the start of what was read.
    public let offset: Int

    /// Reads the attributes from `start` to the end, in order; none at all is an empty list.
    ///
    /// - Throws: `WiFiAwareError.truncatedAttribute`.
    static func list(
        parsing input: Span<UInt8>, from start: Int
    ) throws(WiFiAwareError) -> [WiFiAwareAttribute] {
        var attributes: [WiFiAwareAttribute] = []
        var offset = start
        while offset < input.count {
            guard input.count - offset >= headerCount else { throw .truncatedAttribute(offset: offset) }
            let count = Int(input[offset + 1]) | Int(input[offset + 2]) << 8
            let first = offset + headerCount
            guard count <= input.count - first else { throw .truncatedAttribute(offset: offset) }
            var content: [UInt8] = []
            content.append(input.extracting(first..<first + count))
            attributes.append(WiFiAwareAttribute(type: input[offset], content: content, offset: offset))
            offset = first + count
        }
        return attributes
    }
}
