internal import InklingKeys

/// A service UUID in the size in which it is advertised.
public enum ServiceUUID: Hashable, Sendable {
    /// A 16-bit UUID, assigned by the Bluetooth SIG.
    case short(UInt16)
    /// A 128-bit UUID.
    case full(UUID128)

    /// The UUID in full.
    public var expanded: UUID128 {
        switch self {
        case .short(let number): UUID128(short: number)
        case .full(let uuid): uuid
        }
    }
}

/// The 16-bit and 128-bit service UUIDs in advertising data (`Specs/advertising.md`).
public struct ServiceUUIDs: Hashable, Sendable {
    /// The UUIDs in their order in the data.
    public let uuids: [ServiceUUID]

    /// Creates a list of UUIDs.
    public init(_ uuids: [ServiceUUID]) { self.uuids = uuids }

    /// Parses all lists in advertising data, complete or incomplete, at any position; empty if there are none.
    ///
    /// - Throws: `AdvertisingError` with stage `structures` or `service-uuids`.
    public init(parsing input: Span<UInt8>) throws(AdvertisingError) {
        try self.init(in: try ADStructure.list(parsing: input))
    }

    /// Parses all lists in structures of advertising data.
    ///
    /// - Throws: `AdvertisingError.serviceListLength` if a list does not contain a whole number of UUIDs.
    public init(in structures: [ADStructure]) throws(AdvertisingError) {
        var uuids: [ServiceUUID] = []
        for structure in structures {
            let size: Int
            switch structure.type {
            case ADType.incomplete16, ADType.complete16: size = 2
            case ADType.incomplete128, ADType.complete128: size = 16
            default: continue
            }
            let count = structure.data.count
            guard count % size == 0 else { throw .serviceListLength(offset: structure.offset, count: count) }
            // The last byte in the data is the first byte of the text form.
            let reversed = [UInt8](structure.data.reversed())
            for start in stride(from: count - size, through: 0, by: -size) {
                var fields = ByteReader(at: start)
                if size == 2, let number = fields.u16(of: reversed.span) {
                    uuids.append(.short(number))
                } else if let octets = fields.octets16(of: reversed.span) {
                    uuids.append(.full(UUID128(octets)))
                }
            }
        }
        self.uuids = uuids
    }

    /// Returns a complete list of the 16-bit UUIDs, then one of the 128-bit UUIDs, each in their order; a list without
    /// UUIDs is left out.
    ///
    /// - Throws: `AdvertisingError.listTooLong` for more than 127 short or 15 full UUIDs.
    public func encoded() throws(AdvertisingError) -> [UInt8] {
        var shorts: [UInt8] = []
        var fulls: [UInt8] = []
        for uuid in uuids {
            var bytes: [UInt8] = []
            switch uuid {
            case .short(let number):
                bytes.append(u16: number)
                shorts += bytes.reversed()
            case .full(let uuid):
                bytes.append(uuid.octets)
                fulls += bytes.reversed()
            }
        }
        var result: [UInt8] = []
        for (type, data) in [(ADType.complete16, shorts), (ADType.complete128, fulls)] where !data.isEmpty {
            guard data.count <= ADStructure.contentLimit else { throw .listTooLong(count: data.count) }
            result += [UInt8(data.count + 1), type] + data
        }
        return result
    }
}
