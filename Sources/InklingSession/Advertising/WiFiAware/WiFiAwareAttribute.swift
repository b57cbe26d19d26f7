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
        var fields = ByteReader(at: start)
        while fields.remaining(of: input) > 0 {
            let offset = fields.offset
            guard let type = fields.u8(of: input), let count = fields.littleEndian16(of: input),
                let place = fields.skip(Int(count), of: input)
            else { throw .truncatedAttribute(offset: offset) }
            var content: [UInt8] = []
            content.append(input.extracting(place))
            attributes.append(WiFiAwareAttribute(type: type, content: content, offset: offset))
        }
        return attributes
    }
}

extension ByteReader {
    /// Reads two bytes, the least significant first, as Wi-Fi Aware writes numbers.
    mutating func littleEndian16(of input: Span<UInt8>) -> UInt16? { u16(of: input).map(\.byteSwapped) }
}
