internal import InklingKeys

/// A service UUID in the size in which it was, or will be, on the air.
public enum ServiceUUID: Hashable, Sendable {
    /// Two bytes: a number assigned by the Bluetooth SIG.
    case short(UInt16)
    /// Sixteen bytes.
    case full(UUID128)

    /// The full UUID that this stands for.
    public var expanded: UUID128 {
        switch self {
        case .short(let number): UUID128(short: number)
        case .full(let uuid): uuid
        }
    }
}

/// The lists of 16- and 128-bit service UUIDs in advertising data (`Specs/advertising.md`).
public struct ServiceUUIDs: Hashable, Sendable {
    /// In order of appearance.
    public let uuids: [ServiceUUID]

    /// The list of these UUIDs.
    public init(_ uuids: [ServiceUUID]) { self.uuids = uuids }

    /// Reads all lists, complete or not, wherever they stand; none at all is an empty list.
    ///
    /// - Throws: `AdvertisingError` with stage `structures` or `service-uuids`.
    public init(parsing input: Span<UInt8>) throws(AdvertisingError) {
        try self.init(in: try ADStructure.list(parsing: input))
    }

    /// Reads the lists among structures that were read before.
    ///
    /// - Throws: `AdvertisingError.serviceListLength`.
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
            // The last byte on air is the first of the text form.
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

    /// The complete list of 16-bit UUIDs, if there are any, then that of 128-bit UUIDs, each in the order given.
    ///
    /// - Throws: `AdvertisingError.listTooLong` above 127 short or 15 full UUIDs.
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
