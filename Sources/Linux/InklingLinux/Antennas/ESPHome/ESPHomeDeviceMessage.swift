internal import InklingEngine
internal import InklingKeys
internal import InklingWire

/// A request to an ESPHome device concerning another device (`Specs/antennas.md`).
enum ESPHomeRequest: Hashable, Sendable {
    /// Connect without ESPHome's device cache: it would keep an address that is no longer in use.
    case connect
    case disconnect
    /// List the services.
    case services
    /// Read the characteristic with this handle.
    case read(UInt64)
    /// Write a value to the characteristic with this handle, without a response.
    case write(UInt64, [UInt8])
    /// Forward the notifications of the characteristic with this handle. Its descriptor is written separately.
    case subscribe(UInt64)
    /// Write a value to the descriptor with this handle.
    case writeDescriptor(UInt64, [UInt8])

    /// Returns the message number and fields, for the device with this random address.
    func encoded(for address: DeviceAddress) -> (type: UInt16, body: [UInt8]) {
        var body: [UInt8] = []
        body.append(field: 1, address.value)
        switch self {
        case .connect:
            body.append(field: 2, 5)
            body.append(field: 3, 1)
            body.append(field: 4, 1)
            return (68, body)
        case .disconnect:
            body.append(field: 2, 1)
            return (68, body)
        case .services: return (70, body)
        case .read(let handle):
            body.append(field: 2, handle)
            return (73, body)
        case .write(let handle, let value):
            body.append(field: 2, handle)
            body.append(field: 4, value)
            return (75, body)
        case .writeDescriptor(let handle, let value):
            body.append(field: 2, handle)
            body.append(field: 3, value)
            return (77, body)
        case .subscribe(let handle):
            body.append(field: 2, handle)
            body.append(field: 3, 1)
            return (78, body)
        }
    }
}

/// A reply of an ESPHome device about a device to which it connects.
enum ESPHomeReply: Hashable, Sendable {
    /// The device is connected; with the ATT MTU in bytes.
    case connected(mtu: UInt64)
    /// The device is not connected, or no longer.
    case disconnected
    /// Some of its services.
    case services([ESPHomeService])
    /// The list of services is complete.
    case servicesEnd
    /// The value of the characteristic with this handle was read.
    case value(UInt64, [UInt8])
    /// The characteristic with this handle has notified a value.
    case notified(UInt64, [UInt8])
    /// The notifications of the characteristic with this handle are forwarded from now on.
    case subscribed(UInt64)
    /// The characteristic or the descriptor with this handle was written.
    case written(UInt64)
    /// The request for this handle has failed.
    case failed(UInt64)

    /// The numbers of these messages.
    static let types: Set<UInt16> = [69, 71, 72, 74, 79, 82, 83, 84]

    /// Parses a message with one of these numbers.
    ///
    /// - Throws: `ESPHomeError.badMessage`.
    static func parse(_ type: UInt16, _ body: [UInt8]) throws(ESPHomeError) -> (DeviceAddress, ESPHomeReply) {
        var (address, second, third): (UInt64, UInt64, UInt64) = (0, 0, 0)
        var bytes: [UInt8] = []
        var services: [ESPHomeService] = []
        var reader = FieldReader(0..<body.count)
        while let (field, value) = try reader.next(of: body) {
            switch (field, value) {
            case (1, .number(let number)): address = number
            case (2, .number(let number)): second = number
            case (3, .number(let number)): third = number
            case (2, .bytes(let range)) where type == 71: services.append(try ESPHomeService(parsing: body, in: range))
            case (3, .bytes(let range)): bytes = Array(body[range])
            case (1, _), (2, _), (3, _): throw .badMessage
            default: break
            }
        }
        guard let device = DeviceAddress(address) else { throw .badMessage }
        let reply: ESPHomeReply =
            switch type {
            case 69: second == 0 ? .disconnected : .connected(mtu: third)
            case 71: .services(services)
            case 72: .servicesEnd
            case 74: .value(second, bytes)
            case 79: .notified(second, bytes)
            case 83: .written(second)
            case 84: .subscribed(second)
            default: .failed(second)
            }
        return (device, reply)
    }
}

/// A service of a device, as reported by an ESPHome device.
struct ESPHomeService: Hashable, Sendable {
    /// The largest number of characteristics kept per service; Inkling's has three.
    static let limit = 16

    var uuid: UUID128?
    var characteristics: [ESPHomeCharacteristic] = []

    init(parsing bytes: [UInt8], in range: Range<Int>) throws(ESPHomeError) {
        var parts: [UInt64] = []
        var reader = FieldReader(range)
        while let (field, value) = try reader.next(of: bytes) {
            switch (field, value) {
            case (1, _): try appendParts(of: value, in: bytes, to: &parts)
            case (3, .bytes(let range)):
                let one = try ESPHomeCharacteristic(parsing: bytes, in: range)
                if characteristics.count < Self.limit { characteristics.append(one) }
            case (3, _): throw .badMessage
            default: break
            }
        }
        uuid = UUID128(parts: parts)
    }
}

/// A characteristic of a device.
struct ESPHomeCharacteristic: Hashable, Sendable {
    /// The property bits (Bluetooth Core 5.4, Vol 3, Part G, 3.3.1.1).
    enum Property {
        static let read: UInt64 = 0x02
        static let writeWithoutResponse: UInt64 = 0x04
        static let notify: UInt64 = 0x10
    }

    var uuid: UUID128?
    var handle: UInt64 = 0
    var properties: UInt64 = 0
    /// The handle of the descriptor that enables notifications; `nil` without one.
    var notificationSwitch: UInt64?

    init(parsing bytes: [UInt8], in range: Range<Int>) throws(ESPHomeError) {
        var parts: [UInt64] = []
        var reader = FieldReader(range)
        while let (field, value) = try reader.next(of: bytes) {
            switch (field, value) {
            case (1, _): try appendParts(of: value, in: bytes, to: &parts)
            case (2, .number(let number)): handle = number
            case (3, .number(let number)): properties = number
            case (4, .bytes(let range)):
                let handle = try Self.notificationSwitch(bytes, in: range)
                notificationSwitch = notificationSwitch ?? handle
            case (2, _), (3, _), (4, _): throw .badMessage
            default: break
            }
        }
        uuid = UUID128(parts: parts)
    }

    /// Returns the handle of a descriptor with the UUID 0x2902; `nil` for another UUID.
    private static func notificationSwitch(
        _ bytes: [UInt8], in range: Range<Int>
    ) throws(ESPHomeError) -> UInt64? {
        let uuid: UInt16 = 0x2902
        var (handle, short): (UInt64, UInt64) = (0, 0)
        var parts: [UInt64] = []
        var reader = FieldReader(range)
        while let (field, value) = try reader.next(of: bytes) {
            switch (field, value) {
            case (1, _): try appendParts(of: value, in: bytes, to: &parts)
            case (2, .number(let number)): handle = number
            case (3, .number(let number)): short = number
            case (2, _), (3, _): throw .badMessage
            default: break
            }
        }
        return short == UInt64(uuid) || UUID128(parts: parts) == UUID128(short: uuid) ? handle : nil
    }
}

extension UUID128 {
    /// Creates a UUID from its upper and lower 64 bits; `nil` for any other number of parts.
    fileprivate init?(parts: [UInt64]) {
        guard parts.count == 2 else { return nil }
        self.init(Octets16(high: parts[0], low: parts[1]))
    }
}

/// Appends the numbers of a repeated field, packed or not; stops at three, one too many.
private func appendParts(
    of value: FieldReader.Value, in bytes: [UInt8], to parts: inout [UInt64]
) throws(ESPHomeError) {
    switch value {
    case .number(let number): if parts.count <= 2 { parts.append(number) }
    case .bytes(let range):
        var place = range.lowerBound
        while place < range.upperBound, parts.count <= 2 {
            guard let (number, next) = FieldReader.number(at: place, before: range.upperBound, of: bytes) else {
                throw .badMessage
            }
            parts.append(number)
            place = next
        }
    case .fixed: throw .badMessage
    }
}
