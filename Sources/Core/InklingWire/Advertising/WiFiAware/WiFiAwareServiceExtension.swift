internal import InklingKeys

/// The Service Descriptor Extension attribute, in which newer senders put the service info (`Specs/wifi-aware.md`). It
/// is parsed and never sent.
enum WiFiAwareServiceExtension {
    /// The type of the attribute.
    static let attributeType: UInt8 = 0x0e
    // The OUI of the Wi-Fi Alliance, and its protocol number for generic content.
    private static let generic: [UInt8] = [0x50, 0x6f, 0x9a, 0x02]
    private static let rangeLimit: UInt16 = 0x0100
    private static let updateIndicator: UInt16 = 0x0200

    /// Returns the generic service info in the extension of an instance; nil if there is none.
    ///
    /// Only the first extension of the instance is parsed.
    ///
    /// - Throws: `WiFiAwareError` with stage `extension`.
    static func serviceInfo(of instance: UInt8, in attributes: [WiFiAwareAttribute]) throws(WiFiAwareError) -> [UInt8]?
    {
        let extensions = attributes.lazy.filter { $0.type == attributeType && $0.content.first == instance }
        guard let found = extensions.first else { return nil }
        return try serviceInfo(content: found.content)
    }

    private static func serviceInfo(content: [UInt8]) throws(WiFiAwareError) -> [UInt8]? {
        let bytes = content.span
        var fields = ByteReader(at: 1)
        guard let control = fields.littleEndian16(of: bytes) else { throw .truncatedExtension(count: content.count) }
        let optionalCount = (control & rangeLimit != 0 ? 4 : 0) + (control & updateIndicator != 0 ? 1 : 0)
        guard fields.skip(optionalCount, of: bytes) != nil else { throw .truncatedExtension(count: content.count) }
        guard fields.remaining(of: bytes) > 0 else { return nil }
        guard let length = fields.littleEndian16(of: bytes) else { throw .truncatedExtension(count: content.count) }
        let count = Int(length)
        let info = content[fields.offset...]
        guard count == info.count, count >= generic.count else {
            throw .extensionLength(count: info.count, got: count)
        }
        return info.starts(with: generic) ? Array(info.dropFirst(generic.count)) : nil
    }
}
