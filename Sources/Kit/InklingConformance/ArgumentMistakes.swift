internal import InklingJSON
internal import InklingVectors

/// Changed arguments that imitate common mistakes: an implementation with the mistake returns the result for them.
enum ArgumentMistakes {
    static func of(_ arguments: JSONObject) -> [(arguments: JSONObject, words: String)] {
        var found: [(JSONObject, String)] = []
        let bytes = arguments.members.compactMap { member in
            member.value.text.flatMap(Hex.decode).map { (name: member.name, bytes: $0) }
        }
        for (name, value) in arguments.members {
            if let number = integer(value) {
                for (step, words) in steps(name) where number + step >= 0 {
                    found.append((replacing(name, by: .integer(number + step), in: arguments), words))
                }
            }
            if let flag = value.flag {
                found.append((replacing(name, by: .flag(!flag), in: arguments), "`\(name)` has the opposite meaning"))
            }
        }
        for (name, value) in bytes where value.count > 1 {
            let reversed = Array(value.reversed())
            found.append(
                (
                    replacing(name, by: .hex(reversed.span), in: arguments),
                    "the bytes of `\(name)` are read in the opposite order"
                ))
        }
        for (place, one) in bytes.enumerated() {
            for other in bytes[(place + 1)...] where other.bytes.count == one.bytes.count && other.bytes != one.bytes {
                var exchanged = arguments
                exchanged[one.name] = arguments[other.name]
                exchanged[other.name] = arguments[one.name]
                found.append((exchanged, "`\(one.name)` and `\(other.name)` are swapped"))
            }
            if !one.bytes.isEmpty {
                found.append((replacing(one.name, by: "", in: arguments), "`\(one.name)` is left out"))
            }
        }
        return found
    }

    private static func steps(_ name: String) -> [(Int64, String)] {
        switch name {
        case "unixSeconds": [(900, "the epoch is one too high"), (-900, "the epoch is one too low")]
        case "minutes": [(-15, "the length is one epoch too short"), (15, "the length is one epoch too long")]
        case "skew": []
        default: [(1, "`\(name)` is one too high"), (-1, "`\(name)` is one too low")]
        }
    }

    private static func integer(_ value: JSON) -> Int64? { value.integer ?? value.text.flatMap(decimal) }

    /// Parses up to 18 decimal digits; longer texts are hexadecimal bytes that happen to have no letters.
    private static func decimal(_ text: String) -> Int64? { text.utf8.count < 19 ? Int64(text) : nil }

    private static func replacing(_ name: String, by value: JSON, in arguments: JSONObject) -> JSONObject {
        var changed = arguments
        changed[name] = value
        return changed
    }
}
