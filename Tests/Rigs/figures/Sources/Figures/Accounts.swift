/// The numbers of attempts made and accepted, of each kind.
struct Account: Sendable {
    struct Line: Sendable {
        var attempts = 0
        var accepted = 0
        var controls = 0
        var acceptedControls = 0
    }

    private(set) var lines: [String: Line] = [:]
    /// Descriptions of the first attempts that were accepted.
    private(set) var faults: [String] = []

    mutating func attempt(_ kind: String, isAccepted: Bool, _ description: @autoclosure () -> String) {
        lines[kind, default: Line()].attempts += 1
        guard isAccepted else { return }
        lines[kind, default: Line()].accepted += 1
        if faults.count < 5 { faults.append("\(kind): \(description())") }
    }

    mutating func control(_ kind: String, isAccepted: Bool) {
        lines[kind, default: Line()].controls += 1
        if isAccepted { lines[kind, default: Line()].acceptedControls += 1 }
    }

    var attempts: Int { lines.values.reduce(0) { $0 + $1.attempts } }
    var accepted: Int { lines.values.reduce(0) { $0 + $1.accepted } }
    var controls: Int { lines.values.reduce(0) { $0 + $1.controls } }
    /// Whether every true message was accepted, and there was one of each kind.
    var hasControls: Bool {
        !lines.isEmpty && lines.values.allSatisfy { $0.controls > 0 && $0.acceptedControls == $0.controls }
    }

    var text: String {
        let rows = lines.sorted { $0.key < $1.key }.map { kind, line in
            "  \(kind): \(line.attempts) attempts, \(line.accepted) accepted; "
                + "\(line.acceptedControls) of \(line.controls) true ones accepted"
        }
        return (rows + faults.map { "  ✗ \($0)" }).joined(separator: "\n")
    }
}
