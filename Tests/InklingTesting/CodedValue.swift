internal import FoundationEssentials

/// A value and its JSON, for one test over values of many types.
public struct CodedValue: Sendable, CustomStringConvertible {
    public let description: String
    /// The JSON that is expected, with its members in alphabetical order; nil when only the round trip matters.
    public let json: String?
    private let encode: @Sendable () throws -> String
    private let isRestored: @Sendable (String) throws -> Bool

    public init<Value: Codable & Equatable & Sendable>(_ value: Value, _ json: String? = nil) {
        description = "\(Value.self) \(value)"
        self.json = json
        encode = {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        }
        isRestored = { try decode(Value.self, from: $0) == value }
    }

    /// The JSON of the value.
    public func encoded() throws -> String { try encode() }

    /// Returns whether the value is restored from its JSON.
    public func returns() throws -> Bool { try isRestored(try encode()) }
}

/// Decodes a value from JSON.
public func decode<Value: Decodable>(_ type: Value.Type, from json: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(json.utf8))
}

/// An identifier type, with texts that name one and texts that do not.
public struct IdentifierText: Sendable, CustomStringConvertible {
    public let description: String
    /// Returns the printed value that the type creates from a text; nil if it creates none.
    public let printed: @Sendable (String) -> String?
    public let right: String
    public let wrongLength: [String]
    public let wrongCharacter: [String]

    public init<ID: LosslessStringConvertible & SendableMetatype>(
        _ type: ID.Type, right: String, wrongLength: [String], wrongCharacter: [String]
    ) {
        description = "\(ID.self)"
        printed = { ID($0)?.description }
        self.right = right
        self.wrongLength = wrongLength
        self.wrongCharacter = wrongCharacter
    }

    /// An identifier of lowercase hexadecimal digits.
    public init<ID: LosslessStringConvertible & SendableMetatype>(hexadecimal type: ID.Type, digits: Int) {
        let rest = String(repeating: "7", count: digits - 1)
        self.init(
            type, right: "a" + rest, wrongLength: ["", rest, "aa" + rest],
            wrongCharacter: ["A", "g", "+", "-", " ", "\u{0}"].map { $0 + rest })
    }

    /// An identifier of decimal digits below a limit.
    public init<ID: LosslessStringConvertible & SendableMetatype>(decimal type: ID.Type, below limit: UInt64) {
        self.init(
            type, right: "\(limit - 1)", wrongLength: ["", "\(limit)", "99999999999999999999"],
            wrongCharacter: ["+1", "-1", " 1", "1 ", "0x1", "a", "\u{0661}"])
    }
}
