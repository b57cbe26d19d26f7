public import InklingKeys

/// The place of one service UUID in the bit map that backgrounded iPhones advertise (`Specs/advertising.md`).
public struct OverflowBit: Hashable, Sendable {
    /// 0…127: CRC-8 of the UUID, cut to seven bits.
    public let hash: UInt8

    /// The bit of a service UUID.
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

    /// The byte of the bit map that holds the bit, 0…15.
    public var byte: Int { Int(hash >> 3) }
    /// The bit within that byte.
    public var mask: UInt8 { 1 << (hash & 7) }
}

/// The bit map that a backgrounded iPhone advertises instead of a list of service UUIDs.
///
/// A set bit says that some application there offers a service with this seven-bit hash: a reason to connect once,
/// never recognition.
public struct OverflowArea: Hashable, Sendable {
    /// The sixteen bytes of the bit map.
    public let octets: Octets16

    /// Reads every overflow area of advertising data; none at all is an empty list.
    ///
    /// - Throws: `AdvertisingError` with stage `structures` or `overflow`; a map of all ones is refused, because it
    ///   would make every observer connect.
    public static func list(parsing input: Span<UInt8>) throws(AdvertisingError) -> [OverflowArea] {
        try list(in: try ADStructure.list(parsing: input))
    }

    /// Reads the overflow areas among structures that were read before.
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

    /// Whether advertising data has the bit of a service UUID set in at least one overflow area.
    ///
    /// - Throws: `AdvertisingError` with stage `structures` or `overflow`.
    public static func matches(_ uuid: UUID128, parsing input: Span<UInt8>) throws(AdvertisingError) -> Bool {
        let bit = OverflowBit(of: uuid)
        return try list(parsing: input).contains { $0.contains(bit) }
    }

    /// Whether the bit is set; all other bits are ignored.
    public func contains(_ bit: OverflowBit) -> Bool {
        let word = bit.byte < 8 ? octets.high : octets.low
        return UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (bit.byte % 8))) & bit.mask != 0
    }
}
