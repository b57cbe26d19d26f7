internal import CSystemd
internal import Glibc
internal import InklingEngine
internal import InklingKeys
internal import InklingNode

@testable import BusParsing

extension FuzzTarget {
    static let busTargets = [
        // The first byte chooses what the signal is, the second is the length of the signature that follows; the rest are the
        // values. The header is written here, so that sd-bus accepts most messages and judges the values alone.
        FuzzTarget("bus-message") { input in
            guard input.count >= 2, input.count - 2 >= Int(input[1]) else { return nil }
            let kind = SignalKind.all[Int(input[0]) % SignalKind.all.count]
            let signature = input.extracting(2..<2 + Int(input[1])).array
            let values = input.extracting((2 + signature.count)...).array
            return unsafe received(kind.message(signature: signature, values: values)) { message in
                guard let arguments = try? unsafe BusReader.values(of: message) else { return nil }
                promise(
                    arguments.map(\.signature).joined() == unsafe BusReader.signature(of: message),
                    "values have the signature of their message")
                return judge(
                    BusSignal(path: kind.path, interface: kind.interface, member: kind.member, arguments: arguments))
            }
        }
    ]

    /// Signals as bluetoothd sends them.
    static var busExamples: [(target: String, bytes: [UInt8])] {
        let frame =
            [
                0x02, 0x15, 0xab, 0xe0, 0xbf, 0x31, 0xf9, 0xd4, 0x8c, 0x5f, 0x81, 0x45, 0x37, 0xff, 0x03, 0x09, 0xdd,
                0x60,
            ]
            .map { UInt8($0) } + [0, 0, 0x12, 0x34, 0xc5]
        let device = BusValue.properties([
            "AddressType": .string("random"), "RSSI": .int16(-50),
            "ManufacturerData": .dictionary(key: "q", value: "v", [.uint16(0x004c): .variant(.bytes(frame))]),
        ])
        let interfaces = BusValue.dictionary(key: "s", value: "a{sv}", [.string(BlueZName.device): device])
        let adapter = BusValue.properties([
            "Powered": .bool(true), "Class": .uint32(0), "UUIDs": .strings(["00001800-0000-1000-8000-00805f9b34fb"]),
        ])
        let signals: [[BusValue]] = [
            [.string(BlueZName.device), device, .strings([])], [.path(SignalKind.device), interfaces],
            [.path(SignalKind.device), .strings([BlueZName.device])],
            [.string(BlueZName.adapter), adapter, .strings([])],
        ]
        return signals.enumerated().map { number, arguments in
            let signature = arguments.map(\.signature).joined()
            var body: [UInt8] = []
            for argument in arguments { argument.marshal(into: &body) }
            return ("bus-message", [UInt8(number), UInt8(signature.utf8.count)] + signature.utf8 + body)
        }
    }

    /// Has the parsers of the radio take a signal; returns the minor of the beacon that was heard.
    private static func judge(_ signal: BusSignal) -> UInt32? {
        var picture = BlueZPicture([SignalKind.adapter: [BlueZName.adapter: [:]]])
        picture.apply(signal)
        let services = picture.adapter(at: SignalKind.adapter)?.otherServices?.count ?? 0
        promise(services <= BlueZAdapter.serviceLimit, "few services are kept")
        let added = signal.arguments.last?.asInterfaces
        if let added { _ = GATTPeer(of: SignalKind.device, in: [SignalKind.device + "/service1": added]) }
        guard let properties = added?[BlueZName.device] ?? signal.arguments.dropFirst().first?.asProperties else {
            return nil
        }
        var hearing = BlueZHearing(adapter: SignalKind.adapter)
        let reading = ClockReading(tick: Tick(milliseconds: 1), unixMilliseconds: 1_800_000_000_000)
        let report = hearing.heard(SignalKind.device, properties, at: reading)
        promise(hearing.count <= 1 && hearing.addressCount <= 1, "one device is one")
        guard case .heard(let sighting) = report else { return nil }
        promise(properties["AddressType"] == .string("random"), "only random addresses are reported")
        return UInt32(sighting.minor.rawValue)
    }
}

/// What a signal says of itself.
private struct SignalKind {
    let path: String
    let interface: String
    let member: String

    static let adapter = "/org/bluez/hci0"
    static let device = "/org/bluez/hci0/dev_40_00_00_00_00_01"
    static let all = [
        SignalKind(path: device, interface: BusInterface.properties, member: "PropertiesChanged"),
        SignalKind(path: "/", interface: BusInterface.objectManager, member: "InterfacesAdded"),
        SignalKind(path: "/", interface: BusInterface.objectManager, member: "InterfacesRemoved"),
        SignalKind(path: adapter, interface: BusInterface.properties, member: "PropertiesChanged"),
    ]

    /// The bytes of a message, in the little byte order.
    func message(signature: [UInt8], values: [UInt8]) -> [UInt8] {
        var fields: [UInt8] = []
        for (code, type, text) in [(1, "o", path), (2, "s", interface), (3, "s", member)] as [(UInt8, String, String)] {
            fields.align(to: 8)
            fields += [code, 1] + type.utf8 + [0]
            fields.append(number: UInt32(text.utf8.count), bytes: 4)
            fields += text.utf8 + [0]
        }
        fields.align(to: 8)
        fields += [8, 1] + "g".utf8 + [0, UInt8(signature.count)] + signature + [0]
        var message: [UInt8] = [UInt8(ascii: "l"), 4, 1, 1]
        message.append(number: UInt32(values.count), bytes: 4)
        message.append(number: UInt32(1), bytes: 4)
        message.append(number: UInt32(fields.count), bytes: 4)
        message += fields
        message.align(to: 8)
        return message + values
    }
}

/// Sends a message to a connection of sd-bus, as a peer that was accepted, and hands over what sd-bus makes of it; nil when it
/// refuses the message.
private func received(_ message: [UInt8], _ take: (OpaquePointer) -> UInt32?) -> UInt32? {
    var ends: [CInt] = [-1, -1]
    guard unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return nil }
    defer { close(ends[1]) }
    let bytes = Array("OK 0123456789abcdef0123456789abcdef\r\n".utf8) + message
    var opened: OpaquePointer?
    guard unsafe sd_bus_new(&opened) >= 0, let bus = unsafe opened else {
        close(ends[0])
        return nil
    }
    defer {
        unsafe sd_bus_close(bus)
        unsafe sd_bus_unref(bus)
    }
    // The connection owns its end from now on.
    guard unsafe sd_bus_set_fd(bus, ends[0], ends[0]) >= 0, unsafe sd_bus_start(bus) >= 0,
        unsafe write(ends[1], bytes, bytes.count) == bytes.count
    else { return nil }
    for _ in 0..<16 {
        var next: OpaquePointer?
        guard unsafe sd_bus_process(bus, &next) > 0 else { return nil }
        guard let found = unsafe next else { continue }
        defer { unsafe sd_bus_message_unref(found) }
        var type: UInt8 = 0
        guard unsafe sd_bus_message_get_type(found, &type) >= 0, type == 4 else { return nil }
        // The connection says by a signal of its own that it has ended.
        if unsafe sd_bus_message_is_signal(found, "org.freedesktop.DBus.Local", nil) != 0 { return nil }
        return unsafe take(found)
    }
    return nil
}

extension [UInt8] {
    fileprivate mutating func align(to size: Int) { while count % size != 0 { append(0) } }

    fileprivate mutating func append(number: some FixedWidthInteger, bytes size: Int) {
        align(to: size)
        for shift in 0..<size { append(UInt8(truncatingIfNeeded: number >> (8 * shift))) }
    }
}

extension BusValue {
    /// Appends the value as it is on the wire; only types that the examples have.
    fileprivate func marshal(into bytes: inout [UInt8]) {
        switch self {
        case .byte(let number): bytes.append(number)
        case .bool(let isTrue): bytes.append(number: UInt32(isTrue ? 1 : 0), bytes: 4)
        case .int16(let number): bytes.append(number: number, bytes: 2)
        case .uint16(let number): bytes.append(number: number, bytes: 2)
        case .uint32(let number): bytes.append(number: number, bytes: 4)
        case .string(let text), .path(let text):
            bytes.append(number: UInt32(text.utf8.count), bytes: 4)
            bytes += text.utf8 + [0]
        case .bytes(let content):
            bytes.append(number: UInt32(content.count), bytes: 4)
            bytes += content
        case .variant(let value):
            let signature = value.signature
            bytes += [UInt8(signature.utf8.count)] + signature.utf8 + [0]
            value.marshal(into: &bytes)
        case .array(_, let values): marshalArray(into: &bytes, alignment: 4, values.map { [$0] })
        case .dictionary(_, _, let entries):
            let sorted = entries.sorted { "\($0.key)" < "\($1.key)" }
            marshalArray(into: &bytes, alignment: 8, sorted.map { [$0.key, $0.value] })
        default: brokenPromise("an example with a type that is not marshalled")
        }
    }

    private func marshalArray(into bytes: inout [UInt8], alignment: Int, _ elements: [[BusValue]]) {
        bytes.append(number: UInt32(0), bytes: 4)
        let place = bytes.count - 4
        bytes.align(to: alignment)
        let start = bytes.count
        for element in elements {
            bytes.align(to: alignment)
            for value in element { value.marshal(into: &bytes) }
        }
        let length = UInt32(bytes.count - start)
        for shift in 0..<4 { bytes[place + shift] = UInt8(truncatingIfNeeded: length >> (8 * shift)) }
    }
}
