internal import InklingKeys

/// An AD structure, one element of advertising data: a type and its content (`Specs/advertising.md`).
public struct ADStructure: Hashable, Sendable {
    /// The maximum length in bytes of advertising data that is parsed, which is the limit of extended advertising.
    public static let dataLimit = 1650
    /// The maximum length of `data` in bytes; the length byte also counts the type.
    public static let contentLimit = 254

    /// The assigned number of the type.
    public let type: UInt8
    /// The content, 0…254 bytes.
    public let data: [UInt8]
    /// The offset of the length byte in the advertising data.
    public let offset: Int

    /// Parses the structures of advertising data and returns them in order; empty if there are none.
    ///
    /// - Throws: `AdvertisingError` with stage `structures`.
    public static func list(parsing input: Span<UInt8>) throws(AdvertisingError) -> [ADStructure] {
        guard input.count <= dataLimit else { throw .tooLong(count: input.count) }
        var structures: [ADStructure] = []
        var fields = ByteReader()
        var offset = fields.offset
        while let length = fields.u8(of: input) {
            if length == 0 {
                for index in offset..<input.count where input[index] != 0 { throw .nonzeroPadding(offset: index) }
                return structures
            }
            guard let type = fields.u8(of: input), let content = fields.skip(Int(length) - 1, of: input) else {
                throw .truncated(offset: offset)
            }
            var data: [UInt8] = []
            data.append(input.extracting(content))
            structures.append(ADStructure(type: type, data: data, offset: offset))
            offset = fields.offset
        }
        return structures
    }
}

/// The assigned numbers of the structures that this module parses or encodes.
enum ADType {
    static let incomplete16: UInt8 = 0x02
    static let complete16: UInt8 = 0x03
    static let incomplete128: UInt8 = 0x06
    static let complete128: UInt8 = 0x07
    static let manufacturerData: UInt8 = 0xff
}

extension ADStructure {
    /// The kinds of Apple's manufacturer data that this module parses.
    enum AppleFrame: UInt8 {
        case overflowArea = 0x01
        case iBeacon = 0x02
    }

    /// Returns whether this is Apple's manufacturer data and begins with a frame of this kind.
    func begins(with frame: AppleFrame) -> Bool {
        type == ADType.manufacturerData && data.starts(with: [0x4c, 0x00, frame.rawValue])
    }
}
