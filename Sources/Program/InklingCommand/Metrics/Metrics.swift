/// Metrics in the text format of Prometheus, version 0.0.4.
struct Metrics: Sendable {
    enum Kind: String, Sendable {
        /// It only grows while the process lives.
        case counter
        case gauge
    }

    private(set) var text = ""

    /// Adds a metric with its samples, which are values with labels; does nothing without samples. The name is the part
    /// after `inkling_`, or a whole name that begins with `process_`.
    mutating func add(
        _ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: [(String, String)], value: Double)]
    ) {
        guard !samples.isEmpty else { return }
        let whole = name.hasPrefix("process_") ? name : "inkling_\(name)"
        text += "# HELP \(whole) \(Self.escaped(help, quotes: false))\n# TYPE \(whole) \(kind.rawValue)\n"
        for sample in samples {
            let labels = sample.labels.map { "\($0.0)=\"\(Self.escaped($0.1, quotes: true))\"" }
            let set = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
            text += "\(whole)\(set) \(Self.number(sample.value))\n"
        }
    }

    /// Adds a metric with one sample.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        add(name, kind, help, [([], value)])
    }

    /// Adds a metric with a sample for each value of one label, in the order of these values.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, by label: String, _ values: [String: Double]) {
        add(name, kind, help, values.sorted { $0.key < $1.key }.map { ([(label, $0.key)], $0.value) })
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : "\(value)"
    }
}
