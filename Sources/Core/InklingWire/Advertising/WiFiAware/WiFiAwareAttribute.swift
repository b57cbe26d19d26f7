internal import InklingKeys

/// An attribute of a Wi-Fi Aware frame: a type and its content (`Specs/wifi-aware.md`).
public struct WiFiAwareAttribute: Hashable, Sendable {
    /// The length in bytes of the type and the length field before the content.
    static let headerCount = 3
    /// The type of the Service Descriptor attribute.
    static let serviceDescriptor: UInt8 = 0x03

    /// The attribute ID of the Wi-Fi Aware specification.
    public let type: UInt8
    /// The content.
    public let content: [UInt8]
    /// The offset of the type in bytes from the start of the input.
    public let offset: Int

    /// Parses the attributes from `start` to the end and returns them in order; empty if there are none.
    ///
    /// - Throws: `WiFiAwareError.truncatedAttribute` if an attribute extends past the end.
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
    /// Reads a little-endian number of two bytes, the byte order of Wi-Fi Aware.
    mutating func littleEndian16(of input: Span<UInt8>) -> UInt16? { u16(of: input).map(\.byteSwapped) }
}
