/// A file of settings in sections, in GLib's format.
package struct KeyFile: Hashable, Sendable {
    private var values: [String: [String: String]] = [:]

    /// Creates settings that are all at their defaults.
    package init() {}

    /// Parses a text. The last of repeated settings wins; malformed lines are ignored.
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

    /// Returns the value of a setting; `nil` if it has its default.
    package subscript(section section: String, key key: String) -> String? { values[section]?[key] }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
