internal import InklingJSON
internal import InklingVectors

/// Finds the mistake behind a wrong reply: from the value itself, from this implementation's results for changed
/// arguments, and from formulas with common mistakes.
enum LikelyCause {
    /// Returns the mistake in words; `nil` if no known mistake explains the reply.
    static func find(_ question: ConformanceCase, got reply: JSONObject, first: Difference.Place?) -> String? {
        guard let first else { return nil }
        if let cause = verdict(question, reply) { return cause }
        if let cause = formula(question, reply) { return cause }
        if let cause = question.operation.flatMap({ otherArguments(question, $0, reply) }) { return cause }
        return value(question, reply, first)
    }

    // MARK: Accepted and refused

    private static func verdict(_ question: ConformanceCase, _ reply: JSONObject) -> String? {
        let right = question.expected["error"]?.object
        let given = reply["error"]?.object
        switch (right, given) {
        case (.some(let right), .none) where reply["result"] != nil:
            return "the check behind \(name(right)) is missing: this input must be rejected"
        case (.none, .some(let given)) where question.expected["result"] != nil:
            return given["stage"]?.text == "arguments"
                ? "valid arguments are rejected as \(name(given))"
                : "valid input is rejected by the check behind \(name(given))"
        case (.some(let right), .some(let given)):
            if lowercased(.object(given)) == lowercased(.object(right)) {
                return "stage and reason are in the wrong case"
            }
            if given["reason"] == right["reason"] { return "the reason is right and the stage is wrong" }
            if given["stage"] == right["stage"] { return "the stage is right and the reason is wrong" }
            return "the check behind \(name(given)) comes before the right check, or the right check is missing"
        default: return nil
        }
    }

    private static func name(_ error: JSONObject) -> String {
        "`\(shortened(error["stage"]?.text ?? "?"))`/`\(shortened(error["reason"]?.text ?? "?"))`"
    }

    // MARK: The correct result for other arguments

    private static let shim = Shim()

    private static func otherArguments(
        _ question: ConformanceCase, _ operation: String, _ reply: JSONObject
    ) -> String? {
        guard let arguments = question.arguments, let result = reply["result"], !isEmpty(result) else { return nil }
        for (changed, words) in ArgumentMistakes.of(arguments) where gives(operation, changed, result) {
            return words
        }
        // If another operation returns this value for the same arguments, its label was used.
        guard let own = shim.argumentNames(operation), let member = result.object?.members.first else { return nil }
        for other in shim.operationNames where other != operation {
            guard shim.argumentNames(other) == own, let found = output(other, arguments), found.members.count == 1,
                sameValue(found.members[0].value, member.value)
            else { continue }
            return "the value of `\(other)` is computed (wrong label)"
        }
        return nil
    }

    private static func isEmpty(_ value: JSON) -> Bool { value.object?.members.isEmpty == true }

    private static func gives(_ operation: String, _ arguments: JSONObject, _ result: JSON) -> Bool {
        output(operation, arguments).map { sameValue(.object($0), result) } ?? false
    }

    private static func output(_ operation: String, _ arguments: JSONObject) -> JSONObject? {
        try? shim.result(of: operation, arguments)
    }

    // MARK: A wrong formula

    private static func formula(_ question: ConformanceCase, _ reply: JSONObject) -> String? {
        guard let operation = question.operation, let arguments = question.arguments,
            let result = reply["result"]?.object
        else { return nil }
        return WrongFormulas.of(operation, arguments).first { wrong in
            wrong.result.members.allSatisfy { member in
                result[member.name].map { sameValue($0, member.value) } ?? false
            }
        }?.words
    }

    // MARK: The value itself

    private static func value(
        _ question: ConformanceCase, _ reply: JSONObject, _ first: Difference.Place
    ) -> String? {
        guard let right = first.expected else { return first.place.contains("[") ? nil : "this member is unexpected" }
        guard let got = first.got else { return first.place.contains("[") ? nil : "this member is missing" }
        // Inside a list, a number next to the correct one proves nothing.
        let isDeep = first.place.contains("[")
        if let words = spelling(right, got, isDeep: isDeep) { return words }
        if let near = question.intermediates?.members.first(where: { sameValue($0.value, got) }) {
            return "the intermediate value `\(near.name)` is returned"
        }
        if let result = question.expected["result"]?.object,
            let other = result.members.first(where: { "result.\($0.name)" != first.place && sameValue($0.value, got) })
        {
            return "this is the value of `\(other.name)`: two members are swapped"
        }
        if case .list(let elements)? = question.expected["result"]?.object?.members.first?.value,
            case .list(let given)? = reply["result"]?.object?.members.first?.value, elements.count == given.count,
            elements != given, Set(elements) == Set(given)
        {
            return "the elements are in the wrong order"
        }
        return nil
    }

    private static func spelling(_ right: JSON, _ got: JSON, isDeep: Bool) -> String? {
        switch (right, got) {
        case (.text(let right), .text(let got)):
            guard let rightBytes = Hex.decode(right) else {
                return got.lowercased() == right.lowercased() ? "upper and lower case are not preserved" : nil
            }
            if got.lowercased() == right { return "hexadecimal digits are written in upper case" }
            let digits = Array(got.utf8)
            if digits.count > 4, right.utf8.starts(with: digits) {
                return "only \(digits.count / 2) of \(right.utf8.count / 2) bytes are present"
            }
            if digits.count > 4, right.utf8.reversed().starts(with: digits.reversed()) {
                return "the beginning is cut off, not the end"
            }
            if right.utf8.count > 4, digits.starts(with: right.utf8) { return "the value is not cut to its length" }
            guard let bytes = Hex.decode(got), !bytes.isEmpty else { return nil }
            if bytes.reversed().elementsEqual(rightBytes) { return "the bytes are in the opposite order" }
            if bytes == Array(right.utf8) { return "the hexadecimal digits are used as bytes" }
            return nil
        case (.number(let right), .number(let got)):
            guard let right = Int64(right), let got = Int64(got) else { return nil }
            if (1...0xffff).contains(right), got == Int64(UInt16(right).byteSwapped) {
                return "the two bytes are in the opposite order"
            }
            if (0x1_0000...0xffff_ffff).contains(right), got == Int64(UInt32(right).byteSwapped) {
                return "the four bytes are in the opposite order"
            }
            if (0x8000...0xffff).contains(right), got == right - 0x1_0000 { return "sixteen bits are read as signed" }
            if !isDeep, abs(got.subtractingReportingOverflow(right).partialValue) == 1 {
                return "it is one too \(got > right ? "high" : "low")"
            }
            return nil
        case (.number(let right), .text(let got)) where right == got: return "a number is written as a string"
        case (.text(let right), .number(let got)) where right == got: return "a string of digits is written as a number"
        case (.flag, .number), (.flag, .text): return "a boolean is not written as true or false"
        case (.flag, .flag): return "the boolean has the opposite value"
        default: return nil
        }
    }

    private static func lowercased(_ value: JSON) -> String { value.compact.lowercased() }
}
