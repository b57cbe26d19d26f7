/// A file of settings in sections, as GLib reads it.
package struct KeyFile: Hashable, Sendable {
    private var values: [String: [String: String]] = [:]

    /// Creates settings that are all at their defaults.
    package init() {}

    /// Parses a text. Of a setting that is written twice the last one counts; lines of another form are left out.
    package init(parsing text: String) {
        var section = ""
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmed
            if line.hasPrefix("#") || line.isEmpty { continue }
            if line.hasPrefix("["), line.hasSuffix("]") {
                section = String(line.dropFirst().dropLast())
            } else if let equals = line.firstIndex(of: "=") {
                values[section, default: [:]][String(line[..<equals].trimmed)] =
                    String(line[line.index(after: equals)...].trimmed)
            }
        }
    }

    /// The value of a setting; nil when it has its default.
    package subscript(section section: String, key key: String) -> String? { values[section]?[key] }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
