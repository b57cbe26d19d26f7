import InklingTerminal

/// The finding of one check of this machine.
struct Finding: Hashable, Sendable {
    /// The checks, in the order of the report.
    enum Check: String, CaseIterable, Sendable {
        case clock, home, vault, node, memory, protection, network, multicast, responders
        case bluetooth, bluetoothd, adapter, advertising, scanning, links, beacon
        case broker, antennas
    }

    /// The meaning of a finding for a node on this machine.
    enum Verdict: String, CaseIterable, Sendable {
        /// Nothing needs to be done.
        case ok
        /// A node runs, and would run better after the remedy.
        case advice
        /// A node, or a part of it, does not run until this is fixed.
        case fault
        /// It could not be checked.
        case unknown
    }

    /// A step that a person can take.
    enum Remedy: Hashable, Sendable {
        /// A command for a shell.
        case command(String)
        /// A command of this program, without `inkling` and without `--home`.
        case inkling(String)
        /// A line to write into a section of a file.
        case line(String, section: String?, file: String)
        case sentence(String)
    }

    let check: Check
    let verdict: Verdict
    /// The finding in words.
    let text: String
    /// The steps to take.
    let remedies: [Remedy]

    init(_ check: Check, _ verdict: Verdict, _ text: String, remedies: [Remedy] = []) {
        self.check = check
        self.verdict = verdict
        self.text = text
        self.remedies = remedies
    }

    init(_ check: Check, _ verdict: Verdict, _ text: String, remedy: Remedy) {
        self.init(check, verdict, text, remedies: [remedy])
    }

    /// Returns the finding that a check is not part of this build.
    static func notInThisBuild(_ check: Check) -> Finding {
        Finding(
            check, .unknown, "not in this build, which has no trait Node",
            remedy: .sentence("Build the program with: swift build --traits Node"))
    }
}
