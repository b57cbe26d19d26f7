internal import InklingJSON

/// Returns whether two JSON values are equal: objects by their members in any order, lists by their elements in order,
/// numbers by value, strings by code points (`Specs/conformance.md`).
func sameValue(_ left: JSON, _ right: JSON) -> Bool {
    switch (left, right) {
    case (.number(let one), .number(let other)): one == other || DecimalNumber(one) == DecimalNumber(other)
    case (.text(let one), .text(let other)):
        // Swift compares strings by canonical equivalence, not by code points.
        one.unicodeScalars.elementsEqual(other.unicodeScalars)
    case (.list(let one), .list(let other)): one.count == other.count && zip(one, other).allSatisfy(sameValue)
    case (.object(let one), .object(let other)):
        one.members.count == other.members.count
            && one.members.allSatisfy { member in other[member.name].map { sameValue(member.value, $0) } ?? false }
    default: left == right
    }
}

/// The value of a JSON number: 10, 10.0 and 1e1 are equal.
private struct DecimalNumber: Hashable {
    // The significant digits, without leading and trailing zeros.
    private let digits: [UInt8]
    private let isNegative: Bool
    // The power of ten of the last digit; 0 for the value zero.
    private let exponent: Int

    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        let hasSign = rest.first == UInt8(ascii: "-")
        if hasSign { rest = rest.dropFirst() }
        var power = 0
        if let mark = rest.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            let written = rest[(mark + 1)...]
            guard written.count < 10, let number = Int(String(decoding: written, as: UTF8.self)) else { return nil }
            power = number
            rest = rest[..<mark]
        }
        if let point = rest.firstIndex(of: UInt8(ascii: ".")) {
            power -= rest.endIndex - point - 1
            rest.remove(at: point)
        }
        while let last = rest.last, last == UInt8(ascii: "0") {
            rest = rest.dropLast()
            power += 1
        }
        let significant = Array(rest.drop { $0 == UInt8(ascii: "0") })
        digits = significant
        isNegative = hasSign && !significant.isEmpty
        exponent = significant.isEmpty ? 0 : power
    }
}

/// Returns a reply without its intermediate values, which are shown but never assessed.
func judged(_ reply: JSONObject) -> JSONObject {
    guard reply["intermediates"] != nil else { return reply }
    var judged: JSONObject = [:]
    for (name, value) in reply.members where name != "intermediates" { judged[name] = value }
    return judged
}
