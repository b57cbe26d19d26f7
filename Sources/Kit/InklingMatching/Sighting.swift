public import InklingEngine
internal import InklingJSON
public import InklingKeys

/// One line of a log of radio and local network observations (`Specs/matching.md`).
public struct Sighting: Hashable, Sendable {
    /// The longest line in bytes, without its line feed.
    public static let lineLimit = 2048

    /// The time of the observation and its uncertainty.
    public let observed: ObservedTime
    /// The instance name; `nil` unless it has the form of an Inkling name.
    public let name: OpaqueServiceName?
    /// The minor; `nil` if the line has none.
    public let minor: BeaconMinor?

    /// Creates a sighting.
    public init(observed: ObservedTime, name: OpaqueServiceName?, minor: BeaconMinor?) {
        self.observed = observed
        self.name = name
        self.minor = minor
    }
}

/// Parses the lines of a log. It keeps nothing but its working memory from line to line.
public struct SightingReader {
    private enum Value {
        case number(Range<Int>)
        case text(Range<Int>)
        case other
    }

    private var block = LogBlock()

    /// Creates a reader.
    public init() {}

    /// Parses one line; returns `nil` for a blank line.
    ///
    /// - Throws: `SightingError`; if several apply, the one that comes first in the table in `Specs/matching.md`.
    public mutating func read(_ line: [UInt8]) throws(SightingError) -> Sighting? {
        switch block.only(line) {
        case .blank: nil
        case .sighting(let sighting): sighting
        case .other: try Self.readCompletely(line)
        }
    }

    /// Returns whether the fast parser reads a line by itself.
    package mutating func isOrdinary(_ line: [UInt8]) -> Bool { block.only(line) != .other }

    /// Parses one line with the full JSON parser, which is authoritative.
    package static func readCompletely(_ line: [UInt8]) throws(SightingError) -> Sighting? {
        guard line.count <= Sighting.lineLimit else { throw .tooLong }
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) { return nil }
        return try sighting(parsing: line)
    }

    /// Copies the values of a line into one buffer and parses them there.
    private static func sighting(parsing line: [UInt8]) throws(SightingError) -> Sighting {
        guard JSON.beginsWithObject(line) else { throw JSON.isValid(line) ? .notAnObject : .notJSON }
        guard let value = try? JSON(parsing: line) else { throw .notJSON }
        guard let object = value.object else { throw .notAnObject }
        var bytes: [UInt8] = []
        var values: [String: Value] = [:]
        for (name, value) in object.members {
            let start = bytes.count
            switch value {
            case .number(let digits):
                bytes += Array(digits.utf8)
                values[name] = .number(start..<bytes.count)
            case .text(let text):
                bytes += Array(text.utf8)
                values[name] = .text(start..<bytes.count)
            case .null, .flag, .list, .object: values[name] = .other
            }
        }
        return try sighting(in: bytes.span) { values["\($0)"] }
    }

    private static func sighting(
        in bytes: Span<UInt8>, _ value: (StaticString) -> Value?
    ) throws(SightingError) -> Sighting {
        let time: UInt64?
        switch value("time") {
        case .number(let range): time = LogTime.milliseconds(seconds: bytes.extracting(range))
        case .text(let range): time = LogTime.milliseconds(rfc3339: bytes.extracting(range))
        case .other: time = nil
        case nil: throw .noTime
        }
        guard let time else { throw .badTime }
        var uncertainty: UInt64 = 0
        if let given = value("uncertainty") {
            guard case .number(let range) = given, let length = LogTime.milliseconds(seconds: bytes.extracting(range)),
                length <= ObservedTime.uncertaintyLimit * 1000
            else { throw .badUncertainty }
            uncertainty = length
        }
        var name: OpaqueServiceName?
        let givenName = value("name")
        if let givenName {
            guard case .text(let range) = givenName else { throw .badName }
            // Any other text is the name of another service and matches no contact (INK-ID-016).
            name = OpaqueServiceName(parsing: bytes.extracting(range))
        }
        var minor: BeaconMinor?
        let givenMinor = value("minor")
        if let givenMinor {
            guard case .number(let range) = givenMinor, let number = integer(bytes.extracting(range), in: 0...65_535)
            else { throw .badMinor }
            minor = BeaconMinor(UInt16(number))
        }
        guard givenName != nil || givenMinor != nil else { throw .noValue }
        if let address = value("address") {
            guard case .text(let range) = address, range.count <= 64 else { throw .badAddress }
        }
        if let rssi = value("rssi") {
            guard case .number(let range) = rssi, integer(bytes.extracting(range), in: -127...20) != nil else {
                throw .badRSSI
            }
        }
        return Sighting(
            observed: ObservedTime(unixMilliseconds: time, uncertainty: .milliseconds(uncertainty)), name: name,
            minor: minor)
    }

    private static func integer(_ digits: Span<UInt8>, in range: ClosedRange<Int>) -> Int? {
        let isNegative = digits.count > 0 && digits[0] == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        guard (1...6).contains(digits.count - start) else { return nil }
        var value = 0
        for place in start..<digits.count {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digits[place]) else { return nil }
            value = value * 10 + Int(digits[place] - UInt8(ascii: "0"))
        }
        value = isNegative ? -value : value
        return range.contains(value) ? value : nil
    }
}

/// A reason for rejecting a line of a log (`Specs/matching.md`).
public enum SightingError: Refusal, Hashable {
    case tooLong, notJSON, notAnObject
    case noTime, badTime, badUncertainty
    case badName, badMinor, noValue
    case badAddress, badRSSI

    public var stage: String {
        switch self {
        case .tooLong, .notJSON, .notAnObject: "line"
        case .noTime, .badTime, .badUncertainty: "time"
        case .badName, .badMinor, .noValue: "value"
        case .badAddress, .badRSSI: "radio"
        }
    }

    public var reason: String {
        switch self {
        case .tooLong: "too-long"
        case .notJSON: "not-json"
        case .notAnObject: "not-an-object"
        case .noTime: "missing"
        case .badTime: "bad-time"
        case .badUncertainty: "bad-uncertainty"
        case .badName: "bad-name"
        case .badMinor: "bad-minor"
        case .noValue: "missing"
        case .badAddress: "bad-address"
        case .badRSSI: "bad-rssi"
        }
    }

    /// The fault as a clause for the user.
    public var description: String {
        switch self {
        case .tooLong: "the line is longer than \(Sighting.lineLimit) bytes"
        case .notJSON: "this is not JSON"
        case .notAnObject: "this is not a JSON object"
        case .noTime: "\"time\" is missing"
        case .badTime: "\"time\" is neither Unix seconds nor RFC 3339, or lies outside 1970 to August 2089"
        case .badUncertainty: "\"uncertainty\" is not a number of seconds from 0 to \(ObservedTime.uncertaintyLimit)"
        case .badName: "\"name\" is not a text"
        case .badMinor: "\"minor\" is not a whole number from 0 to 65535"
        case .noValue: "\"name\" and \"minor\" are both missing"
        case .badAddress: "\"address\" is not a text of at most 64 bytes"
        case .badRSSI: "\"rssi\" is not a whole number from -127 to 20"
        }
    }
}
