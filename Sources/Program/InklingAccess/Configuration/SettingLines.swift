/// The lines of the sections and keys of a configuration file, for reporting mistakes; the parser does not keep them.
struct SettingLines {
    private var lines: [[String]: Int] = [:]

    /// Reads the lines of well-formed TOML. Keys in unusual places, such as an inline table, are found only if their
    /// line begins with them.
    init(of text: String) {
        var section: [String] = []
        var tables: [String: Int] = [:]
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.drop { $0 == " " || $0 == "\t" }
            if words.hasPrefix("[[") {
                // The tables of an array are numbered from 0.
                let name = Self.names(words.dropFirst(2).prefix { $0 != "]" }).joined(separator: ".")
                section = ["\(name)[\(tables[name, default: 0])]"]
                tables[name, default: 0] += 1
                note(section, index + 1)
            } else if words.hasPrefix("[") {
                section = Self.names(words.dropFirst().prefix { $0 != "]" })
                note(section, index + 1)
            } else if let sign = words.firstIndex(of: "="), !words.hasPrefix("#") {
                note(section + Self.names(words[..<sign]), index + 1)
            }
        }
    }

    /// Records the line of a name and of its enclosing tables, unless they occurred before.
    private mutating func note(_ names: [String], _ line: Int) {
        for count in 1...max(1, names.count) {
            let path = Array(names.prefix(count))
            if lines[path] == nil { lines[path] = line }
        }
    }

    /// Returns the parts of a dotted key, without quotes.
    private static func names(_ key: Substring) -> [String] {
        key.split(separator: ".").map { part in
            String(part.drop { " \t\"'".contains($0) }.reversed().drop { " \t\"'\r".contains($0) }.reversed())
        }
    }

    /// Returns the line of a section, from 1; nil if it was not found.
    func line(ofSection section: String) -> Int? { lines[[section]] }

    /// Returns the line of a key in a section, or outside any section, from 1; that of the section if it was not found.
    func line(of key: String, in section: String?) -> Int? {
        guard let section else { return lines[[key]] }
        return lines[[section, key]] ?? lines[[section]]
    }
}
