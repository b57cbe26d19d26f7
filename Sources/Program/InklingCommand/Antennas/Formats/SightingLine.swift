import InklingEngine
import InklingJSON
import InklingKeys
import InklingNode
import InklingWire

/// A sighting on a line from another program (`Specs/antennas.md`).
enum SightingLine {
    /// The maximum length of a line in bytes, without its line feed.
    static let byteLimit = 2048

    /// Parses a line.
    ///
    /// - Parameters:
    ///   - line: the bytes of the line without its line feed.
    ///   - now: the time of its arrival, used if the line contains no time.
    ///   - profile: the application whose UUID and major complete a minor without them.
    /// - Returns: the sighting; nil for a blank line.
    /// - Throws: `SightingLineError`; if several apply, the first in the order of its cases.
    static func parse(
        _ line: [UInt8], at now: ClockReading, _ profile: ApplicationProfile
    ) throws(SightingLineError) -> AntennaSighting? {
        guard line.count <= byteLimit else { throw .tooLong }
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) { return nil }
        guard let value = try? JSON(parsing: line) else { throw .notJSON }
        guard let object = value.object else { throw .notAnObject }
        let observed = try time(of: object, at: now)
        let content = try content(of: object, profile)
        var address: DeviceAddress?
        if let given = object["address"] {
            guard let text = given.text, let parsed = DeviceAddress(digitsIn: text) else { throw .badAddress }
            address = parsed
        }
        var type: AntennaSighting.AddressType?
        if let given = object["addressType"] {
            guard let parsed = given.text.flatMap(AntennaSighting.AddressType.init(rawValue:)) else {
                throw .badAddressType
            }
            type = parsed
        }
        var rssi: Int?
        if let given = object["rssi"] {
            guard let number = given.integer, (-127...20).contains(number) else { throw .badRSSI }
            rssi = Int(number)
        }
        var room: String?
        if let given = object["room"] {
            guard let text = given.text, (1...AntennaSighting.roomLimit).contains(text.utf8.count) else {
                throw .badRoom
            }
            room = text
        }
        return AntennaSighting(content, from: address, type, rssi: rssi, observed: observed, in: room)
    }

    private static func time(
        of object: JSONObject, at now: ClockReading
    ) throws(SightingLineError) -> ObservedTime {
        var milliseconds = now.unixMilliseconds
        if let given = object["time"] {
            guard let parsed = (given.digits ?? given.text).flatMap({ LogTime.milliseconds($0) }) else {
                throw .badTime
            }
            milliseconds = parsed
        }
        var uncertainty: UInt64 = 0
        if let given = object["uncertainty"] {
            guard let parsed = given.digits.flatMap({ LogTime.milliseconds($0) }),
                parsed <= ObservedTime.uncertaintyLimit * 1000
            else { throw .badUncertainty }
            uncertainty = parsed
        }
        return ObservedTime(unixMilliseconds: milliseconds, uncertainty: .milliseconds(uncertainty))
    }

    private static func content(
        of object: JSONObject, _ profile: ApplicationProfile
    ) throws(SightingLineError) -> AntennaSighting.Content {
        if let given = object["data"] {
            guard object["minor"] == nil, let text = given.text, let bytes = hexadecimal(text),
                bytes.count <= AntennaSighting.dataLimit
            else { throw .badData }
            return .data(bytes)
        }
        guard let given = object["minor"] else { throw .noValue }
        guard let number = given.integer, let minor = UInt16(exactly: number) else { throw .badMinor }
        let own = profile.beacon(BeaconMinor(minor))
        var (uuid, major) = (own.proximity, own.major)
        if let given = object["uuid"] {
            guard let parsed = given.text.flatMap({ UUID128($0.lowercased()) }) else { throw .badUUID }
            uuid = parsed
        }
        if let given = object["major"] {
            guard let parsed = given.integer.flatMap({ UInt16(exactly: $0) }) else { throw .badMajor }
            major = parsed
        }
        return .beacon(uuid, major: major, minor: BeaconMinor(minor))
    }
}

/// The reason why a line is skipped.
enum SightingLineError: Error, Hashable, CaseIterable, CustomStringConvertible {
    case tooLong, notJSON, notAnObject
    case badTime, badUncertainty
    case badData, noValue, badMinor, badUUID, badMajor
    case badAddress, badAddressType, badRSSI, badRoom

    var description: String {
        switch self {
        case .tooLong: "the line is longer than \(SightingLine.byteLimit) bytes"
        case .notJSON: "this is not JSON"
        case .notAnObject: "this is not a JSON object"
        case .badTime: "\"time\" is neither Unix seconds nor RFC 3339, or lies outside 1970 to August 2089"
        case .badUncertainty: "\"uncertainty\" is not a number of seconds from 0 to \(ObservedTime.uncertaintyLimit)"
        case .badData:
            "\"data\" is not at most \(AntennaSighting.dataLimit) bytes in hexadecimal, or stands beside \"minor\""
        case .noValue: "\"data\" and \"minor\" are both missing"
        case .badMinor: "\"minor\" is not a whole number from 0 to 65535"
        case .badUUID: "\"uuid\" is not a UUID"
        case .badMajor: "\"major\" is not a whole number from 0 to 65535"
        case .badAddress: "\"address\" is not six bytes in hexadecimal, such as \"4a:0b:1c:2d:3e:4f\""
        case .badAddressType: "\"addressType\" is neither \"public\" nor \"random\""
        case .badRSSI: "\"rssi\" is not a whole number from -127 to 20"
        case .badRoom: "\"room\" is not a text of 1 to \(AntennaSighting.roomLimit) bytes"
        }
    }
}

extension JSON {
    /// The digits of a number; nil for any other value.
    fileprivate var digits: String? {
        guard case .number(let digits) = self else { return nil }
        return digits
    }
}

extension DeviceAddress {
    /// Parses twelve hexadecimal digits, optionally in pairs separated by `:` or `-`.
    init?(digitsIn text: String) {
        guard text.utf8.count == 12 || text.utf8.count == 17 else { return nil }
        var digits = ""
        for (place, character) in text.enumerated() {
            if text.utf8.count == 17, place % 3 == 2 {
                guard character == ":" || character == "-" else { return nil }
            } else {
                digits.append(character)
            }
        }
        self.init(digits.lowercased())
    }
}
