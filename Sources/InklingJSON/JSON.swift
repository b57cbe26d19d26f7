/// A JSON value (RFC 8259) that keeps everything that was written.
///
/// Numbers keep their digits, members keep their order, and a repeated member is an error: vectors and shims are
/// compared exactly, which other decoders do not allow (they read 1.0 as 1 and keep one of two equal names).
public enum JSON: Hashable, Sendable {
    case null
    case flag(Bool)
    /// The digits as they were written.
    case number(String)
    case text(String)
    case list([JSON])
    case object(JSONObject)

    /// A number without fraction or exponent.
    public static func integer(_ value: some BinaryInteger) -> JSON { .number(String(value)) }

    /// The value of a number written without fraction, exponent or leading zeros, if it fits.
    public var integer: Int64? {
        guard case .number(let digits) = self else { return nil }
        return Int64(digits)
    }

    /// The text, if it is one.
    public var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// The elements, if it is a list.
    public var list: [JSON]? {
        guard case .list(let elements) = self else { return nil }
        return elements
    }

    /// The members, if it is an object.
    public var object: JSONObject? {
        guard case .object(let object) = self else { return nil }
        return object
    }

    /// The flag, if it is one.
    public var flag: Bool? {
        guard case .flag(let flag) = self else { return nil }
        return flag
    }
}

extension JSON: ExpressibleByStringLiteral {
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }
}

/// The members of a JSON object, in order, each name once.
public struct JSONObject: Sendable, ExpressibleByDictionaryLiteral {
    /// Names and values in the order in which they were written.
    public private(set) var members: [(name: String, value: JSON)] = []
    private var places: [String: Int] = [:]

    public init() {}

    /// A later value of a repeated name replaces an earlier one.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// The value of a member; nil when absent. Assigning nil has no effect.
    public subscript(name: String) -> JSON? {
        get { places[name].map { members[$0].value } }
        set {
            guard let newValue else { return }
            if let place = places[name] {
                members[place].value = newValue
            } else {
                places[name] = members.count
                members.append((name, newValue))
            }
        }
    }

    /// The names in order.
    public var names: [String] { members.map(\.name) }
}

extension JSONObject: Hashable {
    /// Objects are equal when they have the same members, in any order.
    public static func == (left: Self, right: Self) -> Bool {
        left.members.count == right.members.count && left.members.allSatisfy { right[$0.name] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(members.count)
        hasher.combine(Set(places.keys))
    }
}
