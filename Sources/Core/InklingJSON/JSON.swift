/// A JSON value (RFC 8259) that preserves its original spelling.
///
/// Numbers keep their digits, members keep their order, and a repeated member name is an error. Vectors and shims are
/// compared exactly, which common decoders do not allow: they read 1.0 as 1 and keep only one of two equal names.
public enum JSON: Hashable, Sendable {
    case null
    case flag(Bool)
    /// The characters of the number as written.
    case number(String)
    case text(String)
    case list([JSON])
    case object(JSONObject)

    /// Creates a number without a fraction or an exponent.
    public static func integer(_ value: some BinaryInteger) -> JSON { .number(String(value)) }

    /// The value of a number written without a fraction or an exponent; `nil` if it does not fit, and for any other
    /// value.
    public var integer: Int64? {
        guard case .number(let digits) = self else { return nil }
        return Int64(digits)
    }

    /// The text of a string; nil for any other value.
    public var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// The elements of an array; nil for any other value.
    public var list: [JSON]? {
        guard case .list(let elements) = self else { return nil }
        return elements
    }

    /// The members of an object; nil for any other value.
    public var object: JSONObject? {
        guard case .object(let object) = self else { return nil }
        return object
    }

    /// The value of `true` or `false`; nil for any other value.
    public var flag: Bool? {
        guard case .flag(let flag) = self else { return nil }
        return flag
    }
}

extension JSON: ExpressibleByStringLiteral {
    /// Creates a string.
    public init(stringLiteral value: String) { self = .text(value) }
}

/// The members of a JSON object in order, each name once.
public struct JSONObject: Sendable, ExpressibleByDictionaryLiteral {
    /// Names and values in the order in which they were written.
    public private(set) var members: [(name: String, value: JSON)] = []
    private var places: [String: Int] = [:]

    public init() {}

    /// Creates an object; a later value of a repeated name replaces the earlier one.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// The value of a member; `nil` if there is none. Assigning `nil` has no effect.
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

    /// The names of the members, in order.
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
