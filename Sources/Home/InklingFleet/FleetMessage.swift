package import InklingJSON

/// A reason for rejecting a message of a fleet.
package enum FleetMessageError: Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case tooLong, notJSON, notAnObject
    /// A member is missing or malformed.
    case badSource, badNumber, badMinor, badPower, badText, badFence

    package var description: String {
        switch self {
        case .tooLong: "the payload is too long"
        case .notJSON: "the payload is not JSON"
        case .notAnObject: "the payload is not a JSON object"
        case .badSource: "the source is not a name and 16 hexadecimal digits"
        case .badNumber: "a number is missing, or not a whole number in its range"
        case .badMinor: "the minor is not a whole number from 0 to 65535"
        case .badPower: "the rssi is not a whole number from -127 to 20"
        case .badText: "a text is missing, or is too long"
        case .badFence: "the fence is not a number and a holder"
        }
    }
}

/// A message of a fleet: one JSON object (`Specs/fleet.md`).
package protocol FleetMessage: Sendable {
    /// The longest payload in bytes.
    static var byteLimit: Int { get }
    /// Reads the members and ignores unknown ones.
    init(_ object: JSONObject) throws(FleetMessageError)
    /// The message as a JSON object.
    var object: JSONObject { get }
}

extension FleetMessage {
    /// Parses a payload.
    ///
    /// - Throws: `FleetMessageError` for the first fault in the order of its cases.
    package init(parsing payload: [UInt8]) throws(FleetMessageError) {
        guard payload.count <= Self.byteLimit else { throw .tooLong }
        guard let value = try? JSON(parsing: payload) else { throw .notJSON }
        guard let object = value.object else { throw .notAnObject }
        try self.init(object)
    }

    /// The encoded message.
    package var payload: [UInt8] { Array(JSON.object(object).compact.utf8) }
}

/// The largest integer in a message: one that a double represents exactly.
private let numberLimit: Int64 = 1 << 53

extension JSONObject {
    /// Returns an integer from 0 to `limit`.
    func number(_ name: String, upTo limit: UInt64 = UInt64(numberLimit)) throws(FleetMessageError) -> UInt64 {
        guard let number = self[name]?.integer, number >= 0, UInt64(number) <= limit else { throw .badNumber }
        return UInt64(number)
    }

    /// Returns a text of 1 to `limit` bytes.
    func text(_ name: String, upTo limit: Int) throws(FleetMessageError) -> String {
        guard let text = self[name]?.text, (1...limit).contains(text.utf8.count) else { throw .badText }
        return text
    }

    /// Returns a text of 1 to `limit` bytes, or `nil` if the member is absent or null.
    func optionalText(_ name: String, upTo limit: Int) throws(FleetMessageError) -> String? {
        switch self[name] {
        case nil, .null: return nil
        default: return try text(name, upTo: limit)
        }
    }

    /// Returns a power in dBm, -127 to 20.
    func power() throws(FleetMessageError) -> Int8 {
        guard let number = self["rssi"]?.integer, (-127...20).contains(number) else { throw .badPower }
        return Int8(number)
    }

    /// Returns a list of at most `limit` integers.
    func numbers(_ name: String, upTo limit: Int) throws(FleetMessageError) -> [UInt64] {
        guard let list = self[name]?.list, list.count <= limit else { throw .badNumber }
        var numbers: [UInt64] = []
        for value in list {
            guard let number = value.integer, (0...numberLimit).contains(number) else { throw .badNumber }
            numbers.append(UInt64(number))
        }
        return numbers
    }

    /// Returns the fence in the members `number` and `holder`.
    func fence() throws(FleetMessageError) -> Fence {
        guard let number = self["number"]?.integer, (0...numberLimit).contains(number),
            let holder = self["holder"]?.text,
            FleetTopics.isName(holder)
        else { throw .badFence }
        return Fence(UInt64(number), holder: holder)
    }

    /// Returns a source: a name, a hyphen and 16 hexadecimal digits.
    func source(_ name: String = "source") throws(FleetMessageError) -> String {
        guard let text = self[name]?.text, SightingID.isSource(text) else { throw .badSource }
        return text
    }
}

extension JSONObject {
    /// Adds the members of a fence.
    mutating func set(_ fence: Fence) {
        self["number"] = .integer(fence.number)
        self["holder"] = .text(fence.holder)
    }
}
