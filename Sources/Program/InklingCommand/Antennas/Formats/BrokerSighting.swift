import InklingEngine
import InklingJSON
import InklingKeys
import InklingNode
import InklingWire

/// A sighting that another program's antenna published to an MQTT broker (`Specs/antennas.md`).
enum BrokerSighting {
    /// The supported programs.
    enum Format: String, Hashable, Sendable, CaseIterable {
        case espresense, openmqttgateway

        /// Returns the topic filter to which a node subscribes.
        func filter(below prefix: String) -> String {
            switch self {
            case .espresense: "\(prefix)/devices/+/+"
            case .openmqttgateway: "\(prefix)/+/BTtoMQTT/#"
            }
        }
    }

    /// The maximum sizes of a topic and a payload in bytes.
    static let topicLimit = 512, payloadLimit = 4096

    /// Parses a message.
    ///
    /// - Parameters:
    ///   - topic: its topic.
    ///   - payload: its payload.
    ///   - format: the program that has sent it.
    ///   - prefix: the topic under which it publishes.
    ///   - observed: its arrival time, since neither program timestamps its sightings.
    /// - Returns: the sighting, with the antenna's name as its room; its data is empty unless it is of an iBeacon
    ///   frame.
    /// - Throws: `BrokerSightingError`; if several apply, the first in the order of its cases.
    static func parse(
        topic: String, payload: [UInt8], _ format: Format, below prefix: String, observed: ObservedTime
    ) throws(BrokerSightingError) -> AntennaSighting {
        guard topic.utf8.count <= topicLimit, payload.count <= payloadLimit else { throw .tooLong }
        guard topic.hasPrefix("\(prefix)/") else { throw .badTopic }
        let levels = topic.dropFirst(prefix.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        switch format {
        case .espresense:
            guard levels.count == 3, levels[0] == "devices" else { throw .badTopic }
            return try espresense(String(levels[1]), payload, in: try room(levels[2]), observed)
        case .openmqttgateway:
            guard levels.count >= 2, levels[1] == "BTtoMQTT" else { throw .badTopic }
            return try openmqttgateway(payload, in: try room(levels[0]), observed)
        }
    }

    private static func room(_ level: Substring) throws(BrokerSightingError) -> String {
        guard (1...AntennaSighting.roomLimit).contains(level.utf8.count) else { throw .badRoom }
        return String(level)
    }

    private static func object(_ payload: [UInt8]) throws(BrokerSightingError) -> JSONObject {
        guard let value = try? JSON(parsing: payload) else { throw .notJSON }
        guard let object = value.object else { throw .notAnObject }
        return object
    }

    // MARK: ESPresense

    private static func espresense(
        _ id: String, _ payload: [UInt8], in room: String, _ observed: ObservedTime
    ) throws(BrokerSightingError) -> AntennaSighting {
        let object = try object(payload)
        var content = AntennaSighting.Content.data([])
        if id.hasPrefix("iBeacon:") { content = try beacon(ofID: id.dropFirst("iBeacon:".count)) }
        var address: DeviceAddress?
        if let given = object["mac"] {
            guard let parsed = given.text.flatMap({ DeviceAddress(digitsIn: $0) }) else { throw .badAddress }
            address = parsed
        }
        return AntennaSighting(content, from: address, rssi: try power(object), observed: observed, in: room)
    }

    /// Parses an id `uuid-major-minor`, whose UUID contains hyphens too.
    private static func beacon(ofID id: Substring) throws(BrokerSightingError) -> AntennaSighting.Content {
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 7, let uuid = UUID128(parts.prefix(5).joined(separator: "-").lowercased()) else {
            throw .badUUID
        }
        guard let major = number(parts[5]) else { throw .badMajor }
        guard let minor = number(parts[6]) else { throw .badMinor }
        return .beacon(uuid, major: major, minor: BeaconMinor(minor))
    }

    /// Parses decimal digits without a sign.
    private static func number(_ digits: Substring) -> UInt16? {
        let isPlain = !digits.isEmpty && digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return isPlain ? UInt16(digits) : nil
    }

    // MARK: OpenMQTTGateway

    private static func openmqttgateway(
        _ payload: [UInt8], in room: String, _ observed: ObservedTime
    ) throws(BrokerSightingError) -> AntennaSighting {
        let object = try object(payload)
        let content = try content(ofGateway: object)
        // With `presuseuuid` the id is the UUID, and `mac` may have the address.
        var address: DeviceAddress?
        for name in ["id", "mac"] where address == nil {
            guard let given = object[name] else { continue }
            guard let text = given.text else { throw .badAddress }
            if let parsed = DeviceAddress(digitsIn: text) {
                address = parsed
            } else if name == "mac" || uuid(text) == nil {
                throw .badAddress
            }
        }
        var type: AntennaSighting.AddressType?
        if let given = object["mac_type"] {
            guard let number = given.integer, (0...3).contains(number) else { throw .badAddressType }
            type = number & 1 == 0 ? .public : .random
        }
        return AntennaSighting(content, from: address, type, rssi: try power(object), observed: observed, in: room)
    }

    private static func content(
        ofGateway object: JSONObject
    ) throws(BrokerSightingError) -> AntennaSighting.Content {
        if let given = object["manufacturerdata"] {
            guard let text = given.text, let bytes = hexadecimal(text), bytes.count <= AntennaSighting.dataLimit else {
                throw .badData
            }
            // Company, type and length; then UUID, major, minor and the measured power.
            guard bytes.count == 25, bytes.starts(with: [0x4c, 0x00, 0x02, 0x15]),
                let octets = Octets16(bytes.span.extracting(4..<20))
            else { return .data([]) }
            return .beacon(
                UUID128(octets), major: UInt16(bytes[20]) << 8 | UInt16(bytes[21]),
                minor: BeaconMinor(UInt16(bytes[22]) << 8 | UInt16(bytes[23])))
        }
        guard let minor = object["minor"], let uuid = object["uuid"] ?? object["id"] else { return .data([]) }
        guard let parsed = uuid.text.flatMap({ Self.uuid($0) }) else { throw .badUUID }
        guard let major = object["major"]?.integer.flatMap({ UInt16(exactly: $0) }) else { throw .badMajor }
        guard let minor = minor.integer.flatMap({ UInt16(exactly: $0) }) else { throw .badMinor }
        return .beacon(parsed, major: major, minor: BeaconMinor(minor))
    }

    /// Parses a UUID with or without hyphens.
    private static func uuid(_ text: String) -> UUID128? {
        let lower = text.lowercased()
        if let uuid = UUID128(lower) { return uuid }
        guard lower.utf8.count == 32, let bytes = hexadecimal(lower) else { return nil }
        return UUID128(bytes.span)
    }

    // MARK: Both

    /// Returns the power in dBm, rounded; nil without one.
    private static func power(_ object: JSONObject) throws(BrokerSightingError) -> Int? {
        guard let given = object["rssi"] else { return nil }
        guard case .number(let digits) = given, let number = Double(digits), (-127.0...20.0).contains(number) else {
            throw .badRSSI
        }
        return Int(number.rounded())
    }
}

/// The reason why a message from a broker is skipped.
enum BrokerSightingError: Error, Hashable, CaseIterable, CustomStringConvertible {
    case retained
    case tooLong, badTopic, badRoom, notJSON, notAnObject
    case badData, badUUID, badMajor, badMinor, badAddress, badAddressType, badRSSI

    var description: String {
        switch self {
        case .retained: "it is a retained message, which may be of any age"
        case .tooLong:
            "the topic is longer than \(BrokerSighting.topicLimit) bytes, or the payload longer than \(BrokerSighting.payloadLimit)"
        case .badTopic: "the topic is not one of this program"
        case .badRoom: "the name of the antenna is not a text of 1 to \(AntennaSighting.roomLimit) bytes"
        case .notJSON: "the payload is not JSON"
        case .notAnObject: "the payload is not a JSON object"
        case .badData: "\"manufacturerdata\" is not at most \(AntennaSighting.dataLimit) bytes in hexadecimal"
        case .badUUID: "the UUID is invalid"
        case .badMajor: "the major is not a whole number from 0 to 65535"
        case .badMinor: "the minor is not a whole number from 0 to 65535"
        case .badAddress: "\"mac\" or \"id\" is not six bytes in hexadecimal"
        case .badAddressType: "\"mac_type\" is not a number from 0 to 3"
        case .badRSSI: "\"rssi\" is not a number from -127 to 20"
        }
    }
}
