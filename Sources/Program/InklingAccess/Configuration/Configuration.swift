import InklingLinux
import InklingNode
import InklingTerminal
import InklingWire

#if Node
    import TOMLKit
#endif

/// The settings of a configuration file in TOML 1.0.
///
/// The command line overrides a setting. Others than its owner may read the file: it names secrets and contains none.
package struct Configuration: Sendable {
    /// The maximum size of a file in bytes.
    package static let byteLimit = 65_536

    /// A mistake in a file.
    package struct Mistake: Hashable, Codable, Sendable {
        /// The line number, from 1; nil for the file as a whole.
        package let line: Int?
        /// The mistake, and what was expected.
        package let problem: String
        /// The suggested correction; nil without one.
        package let suggestion: String?
    }

    /// The mistakes in a file, in the order of their lines.
    struct Mistakes: Error {
        let all: [Mistake]
    }

    package enum Value: Hashable, Sendable {
        case text(String)
        case flag(Bool)
        case number(Int64)
        /// Sizes by name.
        case sizes([String: String])
    }

    package private(set) var values: [Setting: Value] = [:]
    /// The antennas, in the order of the file.
    package private(set) var antennas: [AntennaSetting] = []

    /// Creates an empty configuration.
    package init() {}

    #if Node
        /// Parses the text of a file.
        ///
        /// - Throws: every mistake: text that is not TOML, unknown sections and keys, and invalid values.
        init(parsing text: String) throws(Mistakes) {
            let table: TOMLTable
            do { table = try TOMLTable(string: text) } catch let error as TOMLParseError {
                throw Mistakes(
                    all: [Mistake(line: error.source.begin.line, problem: error.description, suggestion: nil)])
            } catch {
                throw Mistakes(all: [Mistake(line: nil, problem: "\(error)", suggestion: nil)])
            }
            let lines = SettingLines(of: text)
            var mistakes: [Mistake] = []
            for section in table.keys {
                if section == Setting.antennas {
                    mistakes += takeAntennas(table[section], lines)
                    continue
                }
                guard let settings = table[section]?.table else {
                    mistakes.append(Self.stray(section, at: lines.line(of: section, in: nil)))
                    continue
                }
                let known = Setting.allCases.filter { $0.section == section }
                guard !known.isEmpty else {
                    mistakes.append(Self.unknownSection(section, at: lines.line(ofSection: section)))
                    continue
                }
                for key in settings.keys {
                    let line = lines.line(of: key, in: section)
                    guard let setting = known.first(where: { $0.key == key }) else {
                        mistakes.append(Self.unknown(key, in: section, known, at: line))
                        continue
                    }
                    if let value = settings[key].flatMap({ Self.value($0, setting.form) }) {
                        values[setting] = value
                    } else {
                        let problem = "\(key) must be \(setting.form.expectation)"
                        mistakes.append(Mistake(line: line, problem: problem, suggestion: nil))
                    }
                }
            }
            for setting in Setting.allCases where values[setting] != nil {
                guard let needed = setting.needed, values[needed] == nil else { continue }
                let line = lines.line(of: setting.key, in: setting.section)
                mistakes.append(Mistake(line: line, problem: "\(setting.key) needs \(needed.key)", suggestion: nil))
            }
            guard mistakes.isEmpty else { throw Mistakes(all: mistakes.sorted { ($0.line ?? 0) < ($1.line ?? 0) }) }
        }

        /// Parses the antenna tables and returns their mistakes.
        private mutating func takeAntennas(_ found: (any TOMLValueConvertible)?, _ lines: SettingLines) -> [Mistake] {
            let head = lines.line(ofSection: "\(Setting.antennas)[0]") ?? lines.line(ofSection: Setting.antennas)
            guard let tables = found?.array else {
                return [Mistake(line: head, problem: "antennas must be tables", suggestion: "Write [[antennas]].")]
            }
            var mistakes: [Mistake] = []
            for (index, element) in tables.enumerated() {
                let section = "\(Setting.antennas)[\(index)]"
                func note(_ problem: String, at key: String? = nil, suggestion: String? = nil) {
                    let line = key.map { lines.line(of: $0, in: section) } ?? lines.line(ofSection: section)
                    mistakes.append(Mistake(line: line ?? head, problem: problem, suggestion: suggestion))
                }
                guard let table = element.table else {
                    note("an antenna must be a table", suggestion: "Write [[antennas]].")
                    continue
                }
                do throws(AntennaSetting.Fault) {
                    let antenna = try AntennaSetting(parsing: table)
                    if antennas.contains(where: { $0.name == antenna.name }) {
                        note(
                            "two antennas are named '\(printable(antenna.name))'", at: AntennaSetting.Key.name.rawValue)
                    }
                    antennas.append(antenna)
                } catch {
                    note(error.problem, at: error.key, suggestion: error.suggestion)
                }
            }
            if tables.count > AntennaSetting.limit {
                let problem = "there may be \(AntennaSetting.limit) antennas, got \(tables.count)"
                mistakes.append(Mistake(line: head, problem: problem, suggestion: nil))
            }
            return mistakes
        }

        private static func value(_ found: any TOMLValueConvertible, _ form: Setting.Form) -> Value? {
            switch form {
            case .text: found.string.flatMap { $0.isEmpty ? nil : .text($0) }
            case .path: found.string.flatMap { $0.hasPrefix("/") ? .text($0) : nil }
            case .loopback: found.string.flatMap { Endpoint($0)?.address.isLoopback == true ? .text($0) : nil }
            case .flag: found.bool.map { .flag($0) }
            case .seconds(let range): found.int.map(Int64.init).flatMap { range.contains($0) ? .number($0) : nil }
            case .choice(let words): found.string.flatMap { words.contains($0) ? .text($0) : nil }
            case .size: found.string.flatMap { byteCount(ofSize: $0) == nil ? nil : .text($0) }
            case .sizes: found.table.flatMap(sizes)
            case .broker: found.string.flatMap { MQTTAddress($0) == nil ? nil : .text($0) }
            case .topic: found.string.flatMap { isTopic($0) ? .text($0) : nil }
            }
        }

        /// Returns whether a text is an MQTT topic without wildcards.
        package static func isTopic(_ text: String) -> Bool {
            (1...100).contains(text.utf8.count) && !text.hasPrefix("/") && !text.hasSuffix("/")
                && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0 != "+" && $0 != "#" && $0.value < 0x7f }
        }

        private static func sizes(_ table: TOMLTable) -> Value? {
            var sizes: [String: String] = [:]
            for name in table.keys {
                guard let size = table[name]?.string, byteCount(ofSize: size) != nil else { return nil }
                sizes[name] = size
            }
            return .sizes(sizes)
        }
    #endif

    private static func stray(_ key: String, at line: Int?) -> Mistake {
        let sections = Set(Setting.allCases.filter { $0.key == key }.map(\.section))
        return Mistake(
            line: line, problem: "'\(printable(key))' stands in no section",
            suggestion: sections.count == 1 ? sections.first.map { "Put it under [\($0)]." } : nil)
    }

    private static func unknownSection(_ section: String, at line: Int?) -> Mistake {
        let names = Setting.sections.map(\.name) + [Setting.antennas]
        return Mistake(
            line: line, problem: "unknown section [\(printable(section))]",
            suggestion: nearest(to: section, among: names).map { "Did you mean [\($0)]?" }
                ?? "The sections are " + names.map { "[\($0)]" }.joined(separator: ", ") + ".")
    }

    private static func unknown(_ key: String, in section: String, _ known: [Setting], at line: Int?) -> Mistake {
        var suggestion = nearest(to: key, among: known.map(\.key)).map { "Did you mean '\($0)'?" }
        if suggestion == nil, let other = Setting.allCases.first(where: { $0.key == key || $0.option == key }) {
            suggestion = "It is '\(other.key)' in [\(other.section)]."
        }
        return Mistake(
            line: line, problem: "unknown key '\(printable(key))' in [\(printable(section))]", suggestion: suggestion)
    }

    // MARK: Values

    /// Returns the string of a setting; nil if it is not set.
    package func text(_ setting: Setting) -> String? {
        guard case .text(let text) = values[setting] else { return nil }
        return text
    }

    /// Returns whether a flag is set.
    package func flag(_ setting: Setting) -> Bool { values[setting] == .flag(true) }

    /// Returns the number of a setting; nil if it is not set.
    package func number(_ setting: Setting) -> Int64? {
        guard case .number(let number) = values[setting] else { return nil }
        return number
    }

    /// Returns the sizes of a setting by name; empty if it is not set.
    package func sizes(_ setting: Setting) -> [String: String] {
        guard case .sizes(let sizes) = values[setting] else { return [:] }
        return sizes
    }
}

/// Returns the number of bytes of a size such as "20M"; nil when it is not a size, or more than 2^40.
package func byteCount(ofSize text: String) -> UInt64? {
    let units: [Character: UInt64] = ["k": 1000, "M": 1_000_000, "G": 1_000_000_000]
    let unit = text.last.flatMap { units[$0] }
    guard let number = UInt64(unit == nil ? text : String(text.dropLast())), number <= 1 << 40 else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
    return overflow || bytes > 1 << 40 ? nil : bytes
}
