public import InklingJSON

/// The first difference between a reply and the correct one, and its likely cause.
public struct Difference: Hashable, Sendable {
    /// The path of the member, in the order of the correct reply: `result.nodes[2].key`.
    public let place: String
    /// The correct value as JSON; `nil` if the member must be absent.
    public let expected: String?
    /// The value in the reply; `nil` if it is missing.
    public let got: String?
    /// The first intermediate value that differs; `nil` if none does.
    public let onTheWay: OnTheWay?
    /// The mistake that explains the reply; `nil` if none was found.
    public let cause: String?

    /// Compares a reply with the correct one.
    public init(_ question: ConformanceCase, got reply: JSONObject) {
        onTheWay = OnTheWay(question.intermediates, reply["intermediates"]?.object)
        let reply = judged(reply)
        let first = Self.first(.object(question.expected), .object(reply), at: "")
        place = first?.place ?? ""
        expected = first?.expected?.compact
        got = first?.got?.compact
        cause = LikelyCause.find(question, got: reply, first: first)
    }

    /// An intermediate value that differs.
    public struct OnTheWay: Hashable, Sendable {
        public let name: String
        public let expected: String
        public let got: String

        /// Compares the intermediate values; `nil` if all of the reply's are correct.
        init?(_ right: JSONObject?, _ given: JSONObject?) {
            for (name, value) in right?.members ?? [] {
                guard let own = given?[name], !sameValue(value, own) else { continue }
                self.name = name
                expected = value.compact
                got = own.compact
                return
            }
            return nil
        }
    }

    /// The first place at which two values differ.
    struct Place {
        let place: String
        let expected: JSON?
        let got: JSON?
    }

    static func first(_ expected: JSON, _ got: JSON, at place: String) -> Place? {
        switch (expected, got) {
        case (.object(let one), .object(let other)):
            for (name, value) in one.members {
                let inner = place.isEmpty ? name : "\(place).\(name)"
                guard let counterpart = other[name] else { return Place(place: inner, expected: value, got: nil) }
                if let found = first(value, counterpart, at: inner) { return found }
            }
            for (name, value) in other.members where one[name] == nil {
                return Place(place: place.isEmpty ? name : "\(place).\(name)", expected: nil, got: value)
            }
            return nil
        case (.list(let one), .list(let other)):
            for index in 0..<max(one.count, other.count) {
                let inner = "\(place)[\(index)]"
                guard index < one.count else { return Place(place: inner, expected: nil, got: other[index]) }
                guard index < other.count else { return Place(place: inner, expected: one[index], got: nil) }
                if let found = first(one[index], other[index], at: inner) { return found }
            }
            return nil
        default: return sameValue(expected, got) ? nil : Place(place: place, expected: expected, got: got)
        }
    }
}
