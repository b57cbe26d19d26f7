internal import InklingEngine

/// The messages of ESPHome's native API that an antenna needs (`Specs/antennas.md`).
enum ESPHomeMessage: Hashable, Sendable {
    case helloRequest(client: String)
    case hello(major: UInt64, minor: UInt64, name: String)
    case disconnectRequest, disconnectResponse
    case pingRequest, pingResponse
    case deviceInfoRequest
    case deviceInfo(ESPHomeDevice)
    case capabilitiesRequest
    case capabilities(features: UInt64)
    case subscribe
    case unsubscribe
    case advertisements([ESPHomeAdvertisement])
    case scannerState
    /// A message concerning another device.
    case request(DeviceAddress, ESPHomeRequest)
    case reply(DeviceAddress, ESPHomeReply)
    /// A message with this number that an antenna does not need.
    case other(UInt16)

    /// The API version that this client implements.
    static let version: (major: UInt64, minor: UInt64) = (1, 19)

    /// The message number and fields.
    var encoded: (type: UInt16, body: [UInt8]) {
        var body: [UInt8] = []
        switch self {
        case .helloRequest(let client):
            body.append(field: 1, client)
            body.append(field: 2, Self.version.major)
            body.append(field: 3, Self.version.minor)
            return (1, body)
        case .hello(let major, let minor, let name):
            body.append(field: 1, major)
            body.append(field: 2, minor)
            body.append(field: 4, name)
            return (2, body)
        case .disconnectRequest: return (5, [])
        case .disconnectResponse: return (6, [])
        case .pingRequest: return (7, [])
        case .pingResponse: return (8, [])
        case .deviceInfoRequest: return (9, [])
        case .subscribe:
            body.append(field: 1, 1)
            return (66, body)
        case .unsubscribe: return (87, [])
        case .capabilitiesRequest: return (149, [])
        case .request(let address, let request): return request.encoded(for: address)
        // Messages that only a device sends have no body here.
        case .deviceInfo: return (10, [])
        case .advertisements: return (93, [])
        case .scannerState: return (126, [])
        case .capabilities: return (150, [])
        case .reply: return (69, [])
        case .other(let type): return (type, [])
        }
    }

    /// Parses the message with this number.
    ///
    /// - Throws: `ESPHomeError.badMessage`.
    init(_ type: UInt16, _ body: [UInt8]) throws(ESPHomeError) {
        switch type {
        case 2:
            var (major, minor, name): (UInt64, UInt64, String) = (0, 0, "")
            var reader = FieldReader(0..<body.count)
            while let (field, value) = try reader.next(of: body) {
                switch (field, value) {
                case (1, .number(let number)): major = number
                case (2, .number(let number)): minor = number
                case (4, .bytes(let range)): name = try Self.text(body[range])
                case (1, _), (2, _), (4, _): throw .badMessage
                default: break
                }
            }
            self = .hello(major: major, minor: minor, name: name)
        case 5: self = .disconnectRequest
        case 6: self = .disconnectResponse
        case 7: self = .pingRequest
        case 8: self = .pingResponse
        case 10: self = .deviceInfo(try ESPHomeDevice(parsing: body))
        case 93: self = .advertisements(try Self.advertisements(body))
        case 126: self = .scannerState
        case let type where ESPHomeReply.types.contains(type):
            let (address, reply) = try ESPHomeReply.parse(type, body)
            self = .reply(address, reply)
        case 150: self = .capabilities(features: try Self.features(body))
        default: self = .other(type)
        }
    }

    private static func features(_ body: [UInt8]) throws(ESPHomeError) -> UInt64 {
        var features: UInt64 = 0
        var reader = FieldReader(0..<body.count)
        while let (field, value) = try reader.next(of: body) {
            guard field == 1 else { continue }
            guard case .bytes(let range) = value else { throw .badMessage }
            var inner = FieldReader(range)
            while let (field, value) = try inner.next(of: body) {
                guard field == 1 else { continue }
                guard case .number(let number) = value else { throw .badMessage }
                features = number
            }
        }
        return features
    }

    private static func advertisements(_ body: [UInt8]) throws(ESPHomeError) -> [ESPHomeAdvertisement] {
        var found: [ESPHomeAdvertisement] = []
        var reader = FieldReader(0..<body.count)
        while let (field, value) = try reader.next(of: body) {
            guard field == 1 else { continue }
            guard case .bytes(let range) = value, found.count < ESPHomeAdvertisement.limit else { throw .badMessage }
            found.append(try ESPHomeAdvertisement(parsing: body, in: range))
        }
        return found
    }

    /// Parses a text of at most 128 bytes.
    static func text(_ bytes: ArraySlice<UInt8>) throws(ESPHomeError) -> String {
        guard bytes.count <= 128, let text = String(validating: bytes, as: UTF8.self) else { throw .badMessage }
        return text
    }
}

/// A device's description of itself.
struct ESPHomeDevice: Hashable, Sendable {
    /// The feature bits of a Bluetooth proxy that matter here.
    enum Feature {
        static let rawAdvertisements: UInt64 = 32
        static let stateAndMode: UInt64 = 64
        /// Connections, including ones without the device cache.
        static let connections: UInt64 = 2 | 4
    }

    var name = ""
    /// The firmware version, such as `2026.6.5`.
    var version = ""
    var features: UInt64 = 0

    init(parsing body: [UInt8]) throws(ESPHomeError) {
        var reader = FieldReader(0..<body.count)
        while let (field, value) = try reader.next(of: body) {
            switch (field, value) {
            case (2, .bytes(let range)): name = try ESPHomeMessage.text(body[range])
            case (4, .bytes(let range)): version = try ESPHomeMessage.text(body[range])
            case (15, .number(let number)): features = number
            case (2, _), (4, _), (15, _): throw .badMessage
            default: break
            }
        }
    }

    /// Whether the newest subscriber takes the advertisements from the previous one: from firmware 2026.7 on, and
    /// assumed for an unknown version. Earlier firmware silently refused a second subscriber.
    var givesToNewest: Bool {
        let parts = version.split(separator: ".").map { Int($0) }
        guard parts.count >= 2, let year = parts[0], let month = parts[1] else { return true }
        return (year, month) >= (2026, 7)
    }
}

/// An advertisement heard by the device.
struct ESPHomeAdvertisement: Hashable, Sendable {
    /// The largest number of advertisements per message; devices send up to 16.
    static let limit = 64

    var address: DeviceAddress?
    var rssi: Int?
    /// 0 public, 1 random; 2 and 3 are the same for a resolved identity.
    var addressType: UInt64 = 0
    var data: [UInt8] = []

    init(parsing bytes: [UInt8], in range: Range<Int>) throws(ESPHomeError) {
        var reader = FieldReader(range)
        while let (field, value) = try reader.next(of: bytes) {
            switch (field, value) {
            case (1, .number(let number)):
                guard let address = DeviceAddress(number) else { throw .badMessage }
                self.address = address
            case (2, .number(let number)):
                // Zigzag encoding: the sign is the lowest bit.
                rssi = Int(truncatingIfNeeded: number >> 1) ^ -Int(truncatingIfNeeded: number & 1)
            case (3, .number(let number)): addressType = number
            case (4, .bytes(let range)): data = Array(bytes[range])
            case (1, _), (2, _), (3, _), (4, _): throw .badMessage
            default: break
            }
        }
    }
}
