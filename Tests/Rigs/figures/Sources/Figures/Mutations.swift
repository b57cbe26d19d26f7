extension Draws {
    /// Points of small order and encodings that are not reduced, which X25519 treats in a special way.
    private static let oddPoints: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 31),
        [0xec] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
        [0xed] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
        [0xee] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
        [UInt8](repeating: 0xff, count: 32),
        [
            0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4, 0x6a,
            0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00,
        ],
        [
            0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83, 0xef, 0x5b,
            0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f, 0x11, 0x57,
        ],
    ]

    /// Returns bytes of the same length that differ from `original`; some of them are from `other`.
    mutating func mutated(_ original: [UInt8], other: [UInt8]) -> [UInt8] {
        var bytes = original
        repeat {
            let place = below(bytes.count)
            let end = min(bytes.count, place + 1 + below(48))
            switch below(10) {
            case 0, 1, 2: bytes[place] ^= 1 << UInt8(below(8))
            case 3: bytes[place] = UInt8(truncatingIfNeeded: next())
            case 4: for index in place..<end { bytes[index] = UInt8(truncatingIfNeeded: next()) }
            case 5: for index in place..<end { bytes[index] = 0 }
            case 6: for index in place..<end where index < other.count { bytes[index] = other[index] }
            case 7: bytes.swapAt(place, below(bytes.count))
            case 8:
                // The key at the beginning of a Noise message, after the gate of a first one.
                let point = Self.oddPoints[below(Self.oddPoints.count)]
                let start = bytes.count == 128 ? 16 : 0
                for index in 0..<32 where start + index < bytes.count { bytes[start + index] = point[index] }
            default: bytes = self.bytes(bytes.count)
            }
        } while bytes == original
        return bytes
    }
}
