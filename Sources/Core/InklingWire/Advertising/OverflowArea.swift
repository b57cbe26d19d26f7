public import InklingKeys

/// The bit of a service UUID in the bitmap that an iPhone advertises for apps in the background
/// (`Specs/advertising.md`).
public struct OverflowBit: Hashable, Sendable {
    /// The index of the bit, 0…127: the CRC-8 of the UUID, truncated to seven bits.
    public let hash: UInt8

    /// Creates the bit of a service UUID.
    public init(of uuid: UUID128) {
        // Polynomial x^8 + x^3 + 1, initial value 0, no reflection, no final XOR.
        var crc: UInt8 = 0
        for word in [uuid.octets.high, uuid.octets.low] {
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                crc ^= UInt8(truncatingIfNeeded: word >> shift)
                for _ in 0..<8 { crc = crc & 0x80 == 0 ? crc << 1 : crc << 1 ^ 0x09 }
            }
        }
        hash = crc & 0x7f
    }

    /// The index of the byte that contains the bit, 0…15.
    public var byte: Int { Int(hash >> 3) }
    /// The mask of the bit within that byte.
    public var mask: UInt8 { 1 << (hash & 7) }
}

/// The bitmap that an iPhone advertises for apps in the background, instead of a list of service UUIDs.
///
/// A set bit means that some app on the iPhone offers a service with this seven-bit hash. It is a reason to connect
/// once, and does not recognise anyone.
public struct OverflowArea: Hashable, Sendable {
    /// The sixteen bytes of the bitmap.
    public let octets: Octets16

    /// Parses the overflow areas of advertising data; returns an empty array if there are none.
    ///
    /// - Throws: `AdvertisingError` with stage `structures` or `overflow`. A bitmap of all ones is refused, because it
    ///   would make every observer connect.
    public static func list(parsing input: Span<UInt8>) throws(AdvertisingError) -> [OverflowArea] {
        try list(in: try ADStructure.list(parsing: input))
    }

    /// Parses the overflow areas in structures of advertising data.
    ///
    /// - Throws: `AdvertisingError` with stage `overflow`.
    public static func list(in structures: [ADStructure]) throws(AdvertisingError) -> [OverflowArea] {
        var areas: [OverflowArea] = []
        for structure in structures where structure.begins(with: .overflowArea) {
            guard structure.data.count == 19, let octets = Octets16(structure.data.span.extracting(3...)) else {
                throw .overflowLength(offset: structure.offset, count: structure.data.count)
            }
            guard octets.high & octets.low != .max else { throw .saturatedOverflow(offset: structure.offset) }
            areas.append(OverflowArea(octets: octets))
        }
        return areas
    }

    /// Returns whether the bit of a service UUID is set in at least one overflow area of advertising data.
    ///
    /// - Throws: `AdvertisingError` with stage `structures` or `overflow`.
    public static func matches(_ uuid: UUID128, parsing input: Span<UInt8>) throws(AdvertisingError) -> Bool {
        let bit = OverflowBit(of: uuid)
        return try list(parsing: input).contains { $0.contains(bit) }
    }

    /// Returns whether a bit is set; all other bits are ignored.
    public func contains(_ bit: OverflowBit) -> Bool {
        let word = bit.byte < 8 ? octets.high : octets.low
        return UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (bit.byte % 8))) & bit.mask != 0
    }
}
