extension JSON {
    /// The value as text on one line, without spaces.
    public var compact: String {
        var text = ""
        write(to: &text, indent: nil)
        return text
    }

    /// The value as text on several lines, indented by two spaces for each level.
    public var pretty: String {
        var text = ""
        write(to: &text, indent: 0)
        return text
    }

    private func write(to text: inout String, indent: Int?) {
        switch self {
        case .null: text += "null"
        case .flag(let flag): text += flag ? "true" : "false"
        case .number(let digits): text += digits
        case .text(let content): JSON.quote(content, into: &text)
        case .list(let elements):
            JSON.write("[", elements, "]", to: &text, indent: indent) { element, text, indent in
                element.write(to: &text, indent: indent)
            }
        case .object(let object):
            JSON.write("{", object.members, "}", to: &text, indent: indent) { member, text, inner in
                JSON.quote(member.name, into: &text)
                text += inner == nil ? ":" : ": "
                member.value.write(to: &text, indent: inner)
            }
        }
    }

    private static func write<Element>(
        _ open: String, _ elements: [Element], _ close: String, to text: inout String, indent: Int?,
        each: (Element, inout String, Int?) -> Void
    ) {
        text += open
        let inner = indent.map { $0 + 1 }
        for (place, element) in elements.enumerated() {
            if place > 0 { text += "," }
            if let inner { text += "\n" + String(repeating: "  ", count: inner) }
            each(element, &text, inner)
        }
        if let indent, !elements.isEmpty { text += "\n" + String(repeating: "  ", count: indent) }
        text += close
    }

    private static func quote(_ content: String, into text: inout String) {
        text += "\""
        defer { text += "\"" }
        // Most texts are digits or names, which are appended in one piece.
        guard !content.utf8.allSatisfy(isPlain) else { return text += content }
        for scalar in content.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            // JSON forbids the first range; the second one could control a terminal.
            case _ where scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value):
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    /// Returns whether a byte is an ASCII character that needs no escape in a string.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7f).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
